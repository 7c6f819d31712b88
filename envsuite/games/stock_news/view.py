"""The text and the picture of StockNews."""

from __future__ import annotations

from typing import Any

from envsuite.games.stock_news.levels import next_price, price_path
from envsuite.kit import plots
from envsuite.render.scene import Label, Line, Rect, Scene
from envsuite.render.theme import agent_color, text_on

#: Left, top and width of the table of stocks, the height of its head, and that of a row.
LEFT, TOP, WIDTH, HEAD, tall = 12.3, 1.4, 9.2, 0.7, 0.66

#: Top and height of the buttons below the table, and the actions that they stand for.
BUTTONS, TALL, NAMES = 8.25, 0.75, ("hold", "sell all", "equal parts")

#: The width of a column of loadings.
COLUMN = 1.15


def text(world: Any, s: Any, agent: int) -> str:
    """The text for the agent."""
    seen = world.observation(s, agent)
    days, left = len(s.level.news), int(seen.left[0])
    value = float(seen.cash[0]) + float((seen.held * seen.price).sum())
    day = f"Day {days - left + 1} of {days}." if left else f"It is over after {days} days."
    lines = [f"{day} Cash: {seen.cash[0]:.2f}. Capital: {value:.2f} ({100 * (value / s.params.cash - 1):+.2f} %)."]
    for i, (price, held, traded) in enumerate(zip(seen.price, seen.held, seen.traded)):
        last = f", {'bought' if traded > 0 else 'sold'} {abs(traded)} on the day before" if traded else ""
        lines.append(f"S{i}: price {price:.4f}, {held} share{'' if held == 1 else 's'}{last}.")
    if left:
        news = ", ".join(f"F{j} {change:+.4f}" for j, change in enumerate(seen.news))
        lines.append(f"News of the next day: {news}.")
        if left == 1:
            lines.append("This is the last day: prices stay as they are.")
    return "\n".join(lines)


def row_height(stocks: int) -> float:
    """The height of a row of the table."""
    return min(1.1, 5.94 / stocks)


def clicked(stocks: int, x: float, y: float) -> int | None:
    """The action that a click means: a button's, or that of a stock's row."""
    if not LEFT <= x < LEFT + WIDTH:
        return None
    if BUTTONS <= y < BUTTONS + TALL:
        return int((x - LEFT) / (WIDTH / len(NAMES)))
    row = int((y - TOP - HEAD) // row_height(stocks))
    return len(NAMES) + row if 0 <= row < stocks else None


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """Prices and capital so far, stocks and news; for spectators also the loadings and what they do on the next day."""
    factors, days, day = s.level.news.shape[1], len(s.level.news), int(s.day)
    more = 0.4 + COLUMN * (factors + 1.5) if agent is None else 0.0
    scene = Scene(22 + more, 13)
    scene.add(Label(0.6, 0.8, "StockNews", 0.65, align="left", bold=True))
    moment = "over" if day == days else f"day {day + 1} of {days}"
    scene.add(Label(scene.width - 0.6, 0.8, moment, 0.5, "muted", "right"))
    path = price_path(s.level, min(day, days - 1))
    parts = (100 * path / path[0]).T.tolist()
    lines = [(row, agent_color(i), "") for i, row in enumerate(parts)]
    ends = (round(min(map(min, parts)) - 0.1, 1), round(max(map(max, parts)) + 0.1, 1))
    plots.curves(scene, (0.5, 1.4, 11.5, 6.2), "prices, 100 at the start", lines, days, ends, [(100.0, "")])
    worth = [100 * float(value) / float(s.params.cash) for value in s.worth[: day + 1]]
    ends = (round(min(worth) - 0.1, 1), round(max(worth) + 0.1, 1))
    lines = [(worth, "ink", "")]
    plots.curves(scene, (0.5, 7.9, 11.5, 4.6), "capital, 100 at the start", lines, days + 1, ends, [(100.0, "")])
    _draw_stocks(scene, s)
    if not world.control_spaces:
        for k, name in enumerate(NAMES):
            width = WIDTH / len(NAMES)
            scene.add(Rect(LEFT + width * k + 0.08, BUTTONS, width - 0.16, TALL, "panel", "line", 0.05, 0.2))
            scene.add(Label(LEFT + width * (k + 0.5), BUTTONS + TALL / 2, name, 0.42))
    _draw_news(scene, s)
    if agent is None:
        _draw_loadings(scene, s)
    return scene


def _draw_stocks(scene: Scene, s: Any) -> None:
    """A row for each stock: price, shares, and its part of the capital; at last the cash."""
    count, value = len(s.price), float(s.worth[s.day])
    tall = row_height(count)
    scene.add(Rect(LEFT, TOP, WIDTH, HEAD + tall * count + 0.1, "panel", radius=0.25))
    for x, name in ((2.9, "price"), (5.3, "shares"), (WIDTH - 0.3, f"cash {_percent(s.cash, value)}")):
        scene.add(Label(LEFT + x, TOP + 0.38, name, 0.36, "muted", "right"))
    for i in range(count):
        y, color, part = TOP + HEAD + tall * i, agent_color(i), float(s.held[i] * s.price[i]) / value
        if s.held[i]:
            scene.add(Rect(LEFT + 5.6, y + 0.12, 3.3 * part, tall - 0.24, f"{color}@0.35", radius=0.08))
        scene.add(Rect(LEFT + 0.25, y + 0.07, 0.9, tall - 0.14, color, radius=0.12))
        scene.add(Label(LEFT + 0.7, y + tall / 2, f"S{i}", 0.38, text_on(color), bold=True))
        scene.add(Label(LEFT + 2.9, y + tall / 2, f"{s.price[i]:.2f}", 0.42, align="right"))
        scene.add(Label(LEFT + 5.3, y + tall / 2, str(s.held[i]), 0.42, align="right"))
        scene.add(Label(LEFT + WIDTH - 0.3, y + tall / 2, _percent(s.held[i] * s.price[i], value), 0.42, align="right"))


def _percent(part: Any, whole: float) -> str:
    return f"{100 * float(part) / whole:.1f} %"


def _draw_news(scene: Scene, s: Any) -> None:
    """A bar for each factor's change on the next day."""
    top, height, factors = 9.3, 3.2, s.level.news.shape[1]
    scene.add(Rect(LEFT, top, WIDTH, height, "panel", radius=0.25))
    scene.add(Label(LEFT + 0.3, top + 0.4, "news of the next day", 0.38, "muted", "left"))
    if s.day == len(s.level.news):
        scene.add(Label(LEFT + WIDTH / 2, top + 1.8, "none", 0.5, "muted"))
        return
    middle, slot = top + 1.55, (WIDTH - 0.4) / factors
    scene.add(Line([(LEFT + 0.3, middle), (LEFT + WIDTH - 0.3, middle)], "line", 0.04))
    for j, change in enumerate(s.level.news[s.day].tolist()):
        x, tall = LEFT + 0.2 + slot * (j + 0.5), min(abs(change) / 0.3, 1.0) * 0.75
        color = "green" if change > 0 else "red"
        scene.add(Rect(x - 0.25, middle - tall if change > 0 else middle, 0.5, tall, color))
        scene.add(Label(x, top + 2.5, f"F{j}", 0.34, "muted"), Label(x, top + 2.84, f"{change:+.4f}", 0.34))


def _draw_loadings(scene: Scene, s: Any) -> None:
    """The loadings of each stock, and its relative change on the next day, beside its row of the table."""
    (stocks, factors), left = s.level.loadings.shape, LEFT + WIDTH + 0.4
    tall = row_height(stocks)
    width = COLUMN * (factors + 1.5)
    scene.add(Rect(left, TOP, width, HEAD + tall * stocks + 0.1, "panel", radius=0.25))
    for j in range(factors):
        scene.add(Label(left + COLUMN * (j + 0.5), TOP + 0.38, f"F{j}", 0.36, "muted"))
    scene.add(Label(left + width - 0.2, TOP + 0.38, "next day", 0.36, "muted", "right"))
    coming = int(s.day) + 1
    for i in range(stocks):
        y = TOP + HEAD + tall * i
        for j, loading in enumerate(s.level.loadings[i].tolist()):
            color = f"{'green' if loading > 0 else 'red'}@{0.05 + 0.4 * abs(loading) / 1.8:.2f}"
            scene.add(Rect(left + COLUMN * j + 0.05, y + 0.05, COLUMN - 0.1, tall - 0.1, color, radius=0.08))
            scene.add(Label(left + COLUMN * (j + 0.5), y + tall / 2, f"{loading:+.2f}", 0.36))
        if coming < len(s.level.news):
            price = float(s.price[i])
            change = round(100 * (next_price(s.level, i, price, coming) / price - 1), 2) + 0.0
            scene.add(Label(left + width - 0.2, y + tall / 2, f"{change:+.2f} %", 0.36, align="right"))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    return None if world.control_spaces else clicked(len(s.price), x, y)
