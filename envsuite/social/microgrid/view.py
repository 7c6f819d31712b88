"""The text and the picture of Microgrid."""

from __future__ import annotations

from typing import Any

from envsuite.kit import plots
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene
from envsuite.render.theme import agent_color, text_on

#: The colors of loads, generation and import, and of prices from low to high.
LOAD, SOLAR, IMPORT = "blue", "gold", "red"
PRICES = ("good", "yellow", "orange", "red")

#: Left, top, width and height of the chart; the hours that it shows at most.
CHART, SHOWN = (0.5, 7.4, 19.0, 5.2), 48


def text(world: Any, s: Any, agent: int) -> str:
    """The text for one agent."""
    seen = world.observation(s, agent)
    hours = len(s.level.price)
    lines = [f"You are {world.agents[agent]}."]
    if not seen.left[0]:
        return "\n".join([*lines, f"It is over after {hours} hours. The largest import was {seen.peak[0]:.2f} kWh."])
    lines.append(f"Day {s.hour // 24 + 1}, {seen.hour[0]}:00. Hours left: {seen.left[0]}.")
    whose = "All loads" if agent == len(s.charged) else "Your load"
    for name, values in (
        (f"{whose}, in kWh, from this hour on", seen.load),
        ("Solar power", seen.generation),
        ("Price of a kWh", seen.price),
        ("Carbon of a kWh", seen.carbon),
    ):
        known = [f"{value:.3g}" for value in values if value >= 0]
        lines.append(f"{name}: {', '.join(known)}.")
    if agent < len(s.charged) and s.params.reports:
        lines.append("An attacker may have made the loads too low or too high.")
    lines.append(f"Import of all in the last hour: {seen.imported[0]:.2f} kWh; largest so far: {seen.peak[0]:.2f}.")
    if agent == len(s.charged):
        return "\n".join([*lines, f"Attacks left: {seen.attacks[0]}."])
    percent = 100 * seen.level[0] / seen.rules[1]
    lines.append(f"Your battery has {percent:.0f}% of {seen.rules[0]:g} kWh. You drew {seen.drawn[0]:.2f} kWh.")
    return "\n".join(lines)


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The buildings with their panels and batteries around the meter, and the chart of the hours."""
    buildings, hours = s.level.load.shape
    scene = Scene(20, 13.3)
    over = s.hour == hours
    moment = f"over after {hours} hours" if over else f"day {s.hour // 24 + 1} · {s.hour % 24}:00"
    scene.add(Label(0.6, 0.8, "Microgrid", 0.65, align="left", bold=True))
    scene.add(Label(19.4, 0.8, moment, 0.5, "muted", "right"))
    shown = range(buildings) if agent is None or agent == buildings else [agent]
    _draw_meter(scene, s, agent)
    left, top, width, height = 4.3, 1.5, 15.2, 5.6
    if agent is not None and agent < buildings:
        width = 5.2
        _draw_forecast(scene, world.observation(s, agent))
    rows = 1 if len(shown) <= 5 else 2
    columns = -(-len(shown) // rows)
    for place, i in enumerate(shown):
        across = width / columns
        x, y = left + across * (place % columns), top + height / rows * (place // columns)
        _draw_building(scene, s, i, (x, y, across - 0.15, height / rows - 0.15), agent in (None, i))
    _draw_chart(scene, world, s, agent)
    return scene


def _draw_meter(scene: Scene, s: Any, agent: int | None) -> None:
    """The connection to the grid: a pylon, the import of the last hour, the peak, the price."""
    left, top, width, height = 0.5, 1.5, 3.6, 5.45
    scene.add(Rect(left, top, width, height, "panel", radius=0.25))
    x, base = left + width / 2, top + 3.0
    scene.add(Line([(x - 0.7, base), (x, top + 0.4), (x + 0.7, base)], "muted", 0.08))
    for k, half in ((0.55, 0.9), (1.1, 1.2)):
        scene.add(Line([(x - half, top + 0.4 + k), (x + half, top + 0.4 + k)], "muted", 0.08))
    for k in (1.4, 2.0):
        scene.add(Line([(x - 0.28 * k, top + 0.4 + k), (x + 0.28 * k, top + 0.4 + k)], "muted", 0.05))
    word = "imports" if s.imported >= 0 else "feeds in"
    color = IMPORT if s.imported >= 0 else "good"
    scene.add(Label(x, top + 3.4, f"{word} {abs(s.imported):.2f}", 0.42, bold=True))
    part = abs(s.imported) / max(s.peak, abs(s.imported), 1.0)
    scene.add(Rect(left + 0.4, top + 3.75, (width - 0.8) * part, 0.2, color))
    scene.add(Label(x, top + 4.3, f"peak {s.peak:.2f}", 0.38, "muted"))
    if s.hour < len(s.level.price):
        scene.add(Label(x, top + 4.75, f"price {s.level.price[s.hour]:.2f}", 0.38, "muted"))
    if s.hour and s.attacked[s.hour - 1] and agent in (None, len(s.charged)):
        scene.add(Rect(left + 0.5, top + 4.98, width - 1.0, 0.4, "red", radius=0.1))
        word = "loads delayed" if not s.params.reports else "reports too high" if s.lie > 0 else "reports too low"
        scene.add(Label(x, top + 5.18, word, 0.32, "white", bold=True))


def _draw_building(scene: Scene, s: Any, i: int, box: tuple[float, float, float, float], known: bool) -> None:
    """A house with a panel on its roof, its battery, and what it drew."""
    left, top, width, height = box
    scene.add(Rect(left, top, width, height, "panel", radius=0.2))
    size = min(width / 3.4, height / 3.6, 1.3)
    x, base = left + width / 2 - 0.55 * size, top + height - 1.0 * size
    color = agent_color(i)
    h = min(int(s.hour), len(s.level.price) - 1)
    sunny = known and s.level.generation[i, h] > 0
    if sunny:
        scene.add(Circle(x - 0.75 * size, top + 0.45 * size, 0.26 * size, "yellow"))
    scene.add(Rect(x - 0.8 * size, base - 1.1 * size, 1.6 * size, 1.1 * size, color))
    roof = [(x - 1.0 * size, base - 1.1 * size), (x, base - 1.95 * size), (x + 1.0 * size, base - 1.1 * size)]
    scene.add(Polygon(roof, "wall"))
    panel = [(0.12, 1.72), (0.3, 1.72), (0.82, 1.2), (0.32, 1.2)]
    scene.add(Polygon([(x + a * size, base - b * size) for a, b in panel], "deep", SOLAR if sunny else "line", 0.05))
    scene.add(Label(x, base - 0.55 * size, str(i), 0.6 * size, text_on(color), bold=True))
    if not known:
        scene.add(Label(x + 1.45 * size, base - 0.6 * size, "?", 0.8 * size, "muted", bold=True))
        return
    steps = s.params.steps
    bx, bottom, tall = x + 1.2 * size, base, 1.7 * size
    scene.add(Rect(bx + 0.15 * size, bottom - tall - 0.12 * size, 0.3 * size, 0.12 * size, "muted"))
    scene.add(Rect(bx, bottom - tall, 0.6 * size, tall, "white", "muted", 0.05, 0.06))
    full = s.charged[i] / steps
    fill = "good" if full > 0.5 else "gold" if full > 0.2 else "bad"
    if full:
        scene.add(Rect(bx + 0.06 * size, bottom - tall * full, 0.48 * size, tall * full - 0.05, fill, radius=0.04))
    scene.add(Label(bx + 0.3 * size, bottom - tall - 0.4 * size, f"{100 * full:.0f}%", 0.36 * size, bold=True))
    if s.hour:
        drawn = s.drawn[i, s.hour - 1]
        text = f"draws {drawn:.2f}" if drawn >= 0 else f"feeds in {-drawn:.2f}"
        scene.add(Label(left + width / 2, base + 0.5 * size, text, 0.4 * size))


def _draw_forecast(scene: Scene, seen: Any) -> None:
    """What one building knows of the hours to come."""
    load, sun = ([float(value) for value in part if value >= 0] for part in (seen.load, seen.generation))
    lines = [(load, LOAD, "load"), (sun, SOLAR, "solar power")]
    ends = (0.0, round(max(1.0, *load, *sun) + 0.05, 1))
    plots.curves(scene, (9.5, 1.5, 10.0, 5.45), "kWh from this hour on", lines, len(seen.load), ends)


def _draw_chart(scene: Scene, world: Any, s: Any, agent: int | None) -> None:
    """Loads, solar power and import of the last hours, with a strip of prices below."""
    buildings, hours = s.level.load.shape
    mine = range(buildings) if agent in (None, buildings) else [agent]
    first = max(0, min(int(s.hour) - SHOWN // 2, hours - SHOWN))
    steps = min(SHOWN, hours)
    past = range(first, int(s.hour))
    used = [float(sum(s.used[i, h] for i in mine)) for h in past]
    sun = [float(sum(s.level.generation[i, h] for i in mine)) for h in past]
    total = [float(sum(s.drawn[i, h] for i in range(buildings))) for h in past]
    values = [0.0, 1.0, *used, *sun, *total]
    ends = (round(min(values) - 0.05, 1), round(max(values) + 0.05, 1))
    loads = "loads" if len(mine) > 1 else "load"
    lines = [(used, LOAD, loads), (sun, SOLAR, "solar power"), (total, IMPORT, "import of all")]
    plots.curves(scene, CHART, "kWh by hour", lines, steps, ends, [(0.0, "0")] if ends[0] < 0 else [])
    seen = hours if agent is None else min(hours, int(s.hour) + world.parameters["foresight"] + 1)
    left, top, width, height = CHART
    high = max(0.01, float(max(s.level.price)))
    for h in range(first, min(seen, first + steps)):
        a, b = (plots.across_of(CHART, steps, h - first + shift) for shift in (-0.5, 0.5))
        color = PRICES[min(3, int(4 * s.level.price[h] / high - 1e-9))]
        scene.add(Rect(a, top + height - 0.3, b - a, 0.2, color))
    scene.add(Label(left + 1.35, top + height - 0.2, "price", 0.3, "muted", "right"))
    for h in range(first, first + steps, max(1, steps // 8)):
        scene.add(Label(plots.across_of(CHART, steps, h - first), top + height + 0.25, f"{h % 24}:00", 0.3, "muted"))
    for h in past:
        if s.attacked[h] and agent in (None, buildings):
            x, y = plots.across_of(CHART, steps, h - first), top + height - 0.4
            scene.add(Polygon([(x - 0.18, y - 0.36), (x + 0.18, y - 0.36), (x, y)], "red", glyph="!"))
