"""The text and the picture of OrderBook."""

from __future__ import annotations

from typing import Any

from envsuite.render.scene import Circle, Label, Line, Rect, Scene
from envsuite.render.theme import agent_color, text_on

BUY, SELL = range(2)

#: The colors of the sides.
COLORS = ("blue", "orange")

#: The rows of the ladder in the picture: prices around the middle.
ROWS = 17


def text(world: Any, s: Any, agent: int) -> str:
    """The text for one trader."""
    seen = world.observation(s, agent)
    lines = [f"You are {world.agents[agent]}. {_duty(world, s, seen)}"]
    if s.over:
        lines.append("The market has closed.")
    else:
        lines.append(f"Steps left: {seen.steps_left[0]}. Last price: {seen.last[0]}.")
    for name, side in (("Asks", seen.asks), ("Bids", seen.bids)):
        listed = ", ".join(f"{volume} at {price}" for price, volume in side.tolist() if volume)
        lines.append(f"{name}, best first: {listed or 'none'}.")
    trades = [f"{volume} at {price}" for price, volume, _ in seen.trades.tolist() if volume]
    lines.append(f"Last trades, newest first: {', '.join(trades) or 'none'}.")
    lines.append(f"You hold {seen.inventory[0]} lots and {seen.cash[0]} ticks.")
    own = [
        f"{('buy', 'sell')[side]} {volume} at {price} ({ahead} lots ahead)"
        for side, price, volume, ahead in seen.orders.tolist()
        if volume
    ]
    lines.append(f"Your orders: {', '.join(own) or 'none'}.")
    return "\n".join(lines)


def _duty(world: Any, s: Any, seen: Any) -> str:
    side, task = ("buy", "sell")[max(0, seen.side[0])], world.parameters["task"]
    if task == "making":
        return f"The price in the middle is {seen.worth[0]:g}."
    if task == "execution":
        return f"You have to {side} {seen.left[0]} more lots. The mid price at the start was {seen.worth[0]:g}."
    done = "" if seen.left[0] else " You have traded."
    return f"You may {side} one unit, which is worth {seen.worth[0]:g} to you.{done}"


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The ladder of prices, the prices of the last steps, and the traders; for one agent, itself only."""
    scene = Scene(20, 13)
    left = max(0, int(s.params.steps - s.t))
    scene.add(Label(0.6, 0.8, "Order book", 0.65, align="left", bold=True))
    scene.add(Label(19.4, 0.8, "closed" if s.over else f"{left} steps left", 0.5, "muted", "right"))
    _draw_ladder(scene, s, agent, world.parameters["task"] == "values")
    _draw_prices(scene, s)
    shown = range(len(world.agents)) if agent is None else [agent]
    for row, k in enumerate(shown):
        _draw_trader(scene, world, s, k, row, len(shown))
    return scene


def _middle(s: Any) -> int:
    """The price in the middle of the ladder."""
    bid, ask = int(s.depth[BUY, 0, 0]), int(s.depth[SELL, 0, 0])
    return (bid + ask) // 2 if bid >= 0 and ask >= 0 else int(s.last)


def _draw_ladder(scene: Scene, s: Any, agent: int | None, sparse: bool) -> None:
    """Prices with bars of lots: bids to the left, asks to the right; own orders are outlined.

    Where prices are far apart (`sparse`), only the last price and those with orders are shown.
    """
    left, top, width = 0.5, 1.5, 8.6
    scene.add(Rect(left, top, width, 11.1, "panel", radius=0.25))
    middle, height = left + width / 2, 10.3 / ROWS
    volumes = [{int(price): int(lots) for price, lots in s.depth[side] if lots} for side in (BUY, SELL)]
    most = max([10, *volumes[BUY].values(), *volumes[SELL].values()])
    reach, center = width / 2 - 1.0, _middle(s)
    own = [] if agent is None else [s.book.orders[int(slot)] for slot in s.own[agent, : s.quotes[agent]]]
    prices = [center + ROWS // 2 - row for row in range(ROWS)]
    if sparse:
        near = sorted(volumes[SELL])[: ROWS // 2] + sorted(volumes[BUY])[-(ROWS // 2) :]
        prices = sorted({*near, int(s.last)} if s.traded[0] else near, reverse=True)
    for row, price in enumerate(prices):
        y = top + 0.4 + height * (row + 0.5)
        if price == s.last:
            scene.add(Rect(middle - 0.55, y - 0.46 * height, 1.1, 0.92 * height, "highlight", radius=0.1))
        color = "black" if price == s.last else "ink"
        scene.add(Label(middle, y, str(price), 0.62 * height, color, bold=price == s.last))
        for side, way in ((BUY, -1), (SELL, 1)):
            lots = volumes[side].get(price, 0)
            if not lots:
                continue
            length = reach * lots / most
            x = middle + way * 0.62 - (length if way < 0 else 0)
            mine = any(order.side == side and order.price == price for order in own)
            scene.add(Rect(x, y - 0.42 * height, length, 0.84 * height, f"{COLORS[side]}@0.8", radius=0.06))
            if mine:
                outline = Rect(x, y - 0.42 * height, length, 0.84 * height, None, "gold", 0.09, 0.06)
                scene.add(outline)
            inside = length > 1.2
            place = x + length / 2 if inside else middle + way * (0.75 + length)
            align: Any = "center" if inside else "right" if way < 0 else "left"
            scene.add(Label(place, y, str(lots), 0.55 * height, "white" if inside else "ink", align))
    scene.add(Label(left + 0.3, top + 0.35, "bids", 0.4, "muted", "left"))
    scene.add(Label(left + width - 0.3, top + 0.35, "asks", 0.4, "muted", "right"))


def _draw_prices(scene: Scene, s: Any) -> None:
    """Bid, ask and last price after each of the last steps."""
    left, top, width, height = 9.4, 1.5, 10.1, 4.9
    scene.add(Rect(left, top, width, height, "panel", radius=0.25))
    scene.add(Label(left + 0.3, top + 0.42, "prices of the last steps", 0.38, "muted", "left"))
    times = range(max(0, int(s.t) - len(s.history) + 1), int(s.t) + 1)
    points = [[int(value) for value in s.history[t % len(s.history)]] for t in times]
    if not s.traded[0]:
        points = [[bid, ask, -1] for bid, ask, _ in points]
    known = [value for row in points for value in row if value >= 0]
    low, high = (min(known) - 1, max(known) + 1) if known else (0, 1)
    x0, x1, y0, y1 = left + 1.2, left + width - 0.4, top + height - 0.5, top + 1.0

    def at(k: int, value: float) -> tuple[float, float]:
        return x0 + (x1 - x0) * k / (len(s.history) - 1), y0 + (y1 - y0) * (value - low) / (high - low)

    for value in (low, high):
        scene.add(Line([at(0, value), at(len(s.history) - 1, value)], "line", 0.03))
        scene.add(Label(x0 - 0.15, at(0, value)[1], str(value), 0.34, "muted", "right"))
    for part, color, thick in ((0, COLORS[BUY], 0.06), (1, COLORS[SELL], 0.06), (2, "gold", 0.09)):
        path = [at(k, row[part]) for k, row in enumerate(points) if row[part] >= 0]
        if len(path) > 1:
            scene.add(Line(path, color, thick))
        for place in path[-1:]:
            scene.add(Circle(*place, 0.12, color))


def _draw_trader(scene: Scene, world: Any, s: Any, k: int, row: int, count: int) -> None:
    """A trader's inventory as a bar around 0, and its wealth."""
    left, width = 9.4, 10.1
    columns = 1 if count <= 5 else 2
    rows = -(-count // columns)
    height = min(1.3, 6.0 / rows)
    x, y = left + width / columns * (row // rows), 6.7 + height * (row % rows)
    width = width / columns - (0.15 if columns > 1 else 0)
    size = min(0.42, 0.42 * height)
    scene.add(Rect(x, y, width, height - 0.1, "panel", radius=0.15))
    color = agent_color(k)
    scene.add(Circle(x + 0.5, y + height / 2 - 0.05, 0.36 * height, color))
    scene.add(Label(x + 0.5, y + height / 2 - 0.05, str(k), size, text_on(color), bold=True))
    values = world.parameters["task"] == "values"
    middle, reach = x + 0.42 * width, 0.2 * width
    most = max(1, 100 if world.parameters["task"] == "making" else int(s.params.lots))
    length = reach * min(1.0, abs(int(s.inventory[k])) / most)
    scene.add(Rect(middle - reach, y + 0.3 * height, 2 * reach, 0.3 * height, "white", radius=0.05))
    start = middle if s.inventory[k] >= 0 else middle - length
    if length:
        scene.add(Rect(start, y + 0.3 * height, length, 0.3 * height, COLORS[s.inventory[k] < 0], radius=0.05))
    scene.add(Line([(middle, y + 0.22 * height), (middle, y + 0.68 * height)], "muted", 0.04))
    held = f"{s.worth[k]:g}" if values else f"{int(s.inventory[k]):+d}"
    scene.add(Label(middle + reach + 0.2, y + height / 2 - 0.05, held, size, align="left"))
    scene.add(Label(x + width - 0.25, y + height / 2 - 0.05, f"{s.wealth[k]:+.5g}", size, align="right", bold=True))
