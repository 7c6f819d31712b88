"""The text and the picture of SupplyChain."""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene
from envsuite.render.theme import agent_color, text_on

#: The scale of orders in an agent's picture: its ends and its height, in units of the scene.
SCALE, SCALE_Y = (3.2, 19.0), 14.0

#: Where the firms' cards begin, and how high they are.
TOP, HEIGHT = 1.5, 6.3

#: Units that a shelf shows as boxes, and boxes in a row.
SHELF, ROW = 32, 8


def text(world: Any, s: Any, agent: int) -> str:
    """The text for one firm."""
    seen = world.observation(s, agent)
    weeks, beer, firms = len(s.level.demand), not s.params.orgym, world.agents
    supplier = "production" if beer and agent == len(firms) - 1 else f"the {(*firms, 'factory')[agent + 1]}"
    customer = "the customers" if agent == 0 else f"the {firms[agent - 1]}"
    orders = "order" if agent == 0 else "orders"
    lines = [
        f"You are the {firms[agent]}. {customer.capitalize()} {orders} from you, and you order from {supplier}.",
        f"Week {min(s.week + 1, weeks)} of {weeks}." if s.week < weeks else f"It is over after {weeks} weeks.",
        f"In stock: {seen.stock[0]}. Owed to {customer}: {seen.backlog[0]}.",
        f"The last order that reached you: {seen.incoming[0]}. Received last: {seen.received[0]}.",
        "Under way to you, by weeks until arrival: " + ", ".join(map(str, seen.arriving.tolist())) + ".",
        f"Ordered and not received: {seen.on_order[0]}.",
    ]
    if seen.ordered[0] >= 0:
        lines.append(f"Your last order: {seen.ordered[0]}.")
    if s.week < weeks:
        # With or-gym's rules, only the retailer sells goods in the week in which they arrive.
        lines.append(f"What you order now can be sold in {seen.cover[0] - (not beer and agent == 0)} weeks.")
    return "\n".join(lines)


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """All firms with their stocks, and charts; for one agent, its own firm only."""
    scene = Scene(20, 15 if agent is not None else 13.4)
    weeks, count = len(s.level.demand), len(world.agents)
    moment = "over" if s.week >= weeks else f"week {s.week + 1} of {weeks}"
    scene.add(Label(0.6, 0.8, "Supply chain", 0.65, align="left", bold=True))
    scene.add(Label(19.4, 0.8, moment, 0.5, "muted", "right"))
    width = 19.0 / count
    for i in range(count):
        left = 0.5 + width * i
        known = agent is None or agent == i
        _draw_firm(scene, world, s, i, left, width, known)
        if i + 1 < count:
            _draw_arrow(scene, left + width - 0.02)
    shown = range(count) if agent is None else [agent]
    stocks, orders = np.array(s.history)[:, :, 0], np.array(s.history)[:, :, 1]
    ordered = min(s.week, weeks)
    told = min(ordered + 1, weeks)
    _draw_chart(scene, 0.5, "stock less backlog", stocks[:told], shown, weeks)
    _draw_chart(scene, 10.1, "orders", orders[:ordered], shown, weeks)
    if agent is not None:
        _draw_scale(scene, len(world.action_names[agent]) - 1, s.ordered[agent], agent)
    return scene


def _draw_arrow(scene: Scene, x: float) -> None:
    """Goods flow to the left."""
    y = TOP + 2.4
    scene.add(Polygon([(x - 0.26, y), (x + 0.2, y - 0.36), (x + 0.2, y + 0.36)], "gold", "paper", 0.04, glyph="<"))


def _draw_firm(scene: Scene, world: Any, s: Any, i: int, left: float, width: float, known: bool) -> None:
    color, inner = agent_color(i), width - 0.3
    scene.add(Rect(left + 0.05, TOP, width - 0.1, HEIGHT, "panel", radius=0.25))
    scene.add(Rect(left + 0.05, TOP, width - 0.1, 0.8, color, radius=0.25))
    scene.add(Label(left + width / 2, TOP + 0.42, world.agents[i], 0.46, text_on(color), bold=True))
    if not known:
        scene.add(Label(left + width / 2, TOP + 3.4, "?", 1.2, "muted", bold=True))
        return
    middle = left + width / 2
    _draw_shelf(scene, s.stock[i], s.backlog[i], middle)
    y = TOP + 3.75
    scene.add(Label(left + 0.35, y, f"stock {s.stock[i]}", 0.42, align="left", bold=True))
    if s.backlog[i]:
        scene.add(Rect(left + width - 2.05, y - 0.3, 1.8, 0.6, "bad", radius=0.15))
        scene.add(Label(left + width - 1.15, y, f"owes {s.backlog[i]}", 0.38, "white", bold=True))
    lanes = s.goods[i].tolist()
    y += 0.75
    scene.add(Label(left + 0.35, y, "arriving", 0.34, "muted", "left"))
    slot = (inner - 1.75) / len(lanes)
    for k, amount in enumerate(lanes):
        x = left + 1.8 + slot * (k + 0.5)
        scene.add(Rect(x - 0.46 * slot, y - 0.26, 0.92 * slot, 0.52, "gold" if amount else "line", radius=0.08))
        if len(lanes) <= 4 and amount:
            scene.add(Label(x, y, str(amount), 0.36, "black", bold=True))
    if len(lanes) > 4:
        scene.add(Label(left + 0.35, y + 0.48, f"{sum(lanes)} in {len(lanes)} weeks", 0.32, "muted", "left"))
    y += 0.75 if len(lanes) <= 4 else 0.98
    scene.add(Label(left + 0.35, y, f"got order {s.incoming[i]}", 0.36, align="left"))
    if s.ordered[i] >= 0:
        scene.add(Label(left + width - 0.35, y, f"ordered {s.ordered[i]}", 0.36, align="right"))
    y += 0.6
    scene.add(Label(left + 0.35, y, f"profit {s.totals[i]:.5g}", 0.36, "muted", "left"))


def _draw_shelf(scene: Scene, stock: int, owed: int, middle: float) -> None:
    """Boxes on a shelf, then the places of boxes that are owed. Where they do not fit, each is for several units."""
    each = 1
    while stock + owed > (SHELF - 1) * each:
        each *= 2
    size = 0.42
    bottom = TOP + 3.3
    width = ROW * size + 0.2
    scene.add(Rect(middle - width / 2, bottom, width, 0.12, "wall"))
    boxes, missing = -(-stock // each), -(-owed // each)
    for k in range(boxes + missing):
        x, y = middle - ROW * size / 2 + size * (k % ROW), bottom - size * (k // ROW + 1)
        if k >= boxes:
            scene.add(Rect(x + 0.05, y + 0.05, size - 0.1, size - 0.1, "bad@0.15", "bad", 0.04, 0.04))
            continue
        scene.add(Rect(x + 0.02, y + 0.02, size - 0.04, size - 0.04, "brown", radius=0.04))
        scene.add(Line([(x + size / 2, y + 0.02), (x + size / 2, y + size - 0.02)], "soil", 0.05))
    if each > 1:
        scene.add(Label(middle + width / 2, bottom - SHELF / ROW * size - 0.22, f"box = {each}", 0.3, "muted", "right"))


def _draw_chart(scene: Scene, left: float, title: str, values: np.ndarray, shown: Any, weeks: int) -> None:
    """A line for each firm over the weeks; `values` (weeks so far, firms)."""
    top, width, height = TOP + HEIGHT + 0.3, 9.4, 4.9
    scene.add(Rect(left, top, width, height, "panel", radius=0.25))
    scene.add(Label(left + 0.3, top + 0.42, title, 0.38, "muted", "left"))
    x0, x1, y0, y1 = left + 1.2, left + width - 0.4, top + height - 0.65, top + 0.95
    series = values[:, list(shown)] if len(values) else np.zeros((1, 1))
    low, high = min(0, int(series.min())), max(10, int(series.max()))

    def point(week: float, value: float) -> tuple[float, float]:
        return x0 + (x1 - x0) * week / max(1, weeks - 1), y0 + (y1 - y0) * (value - low) / (high - low)

    for value in {low, 0, high}:
        scene.add(Line([point(0, value), point(weeks - 1, value)], "line", 0.05 if value == 0 else 0.02))
        scene.add(Label(x0 - 0.15, point(0, value)[1], str(value), 0.32, "muted", "right"))
    for week in range(0, weeks, max(1, weeks // 6)):
        scene.add(Label(point(week, low)[0], y0 + 0.32, str(week + 1), 0.3, "muted"))
    for i in shown:
        path = [point(week, int(value)) for week, value in enumerate(values[:, i])]
        if len(path) > 1:
            scene.add(Line(path, agent_color(i), 0.08))
        for place in path[-1:]:
            scene.add(Circle(*place, 0.12, agent_color(i)))


def _draw_scale(scene: Scene, largest: int, ordered: int, agent: int) -> None:
    """The scale of orders; a click on it orders."""
    left, right = SCALE
    scene.add(Label(0.6, SCALE_Y, "order", 0.42, "muted", "left"))
    scene.add(Line([(left, SCALE_Y), (right, SCALE_Y)], "line", 0.12))
    for amount in range(0, largest + 1, max(1, largest // 15)):
        x = left + (right - left) * amount / largest
        scene.add(Circle(x, SCALE_Y, 0.12, "line", glyph=""))
        scene.add(Label(x, SCALE_Y + 0.55, str(amount), 0.34, "muted"))
    if ordered >= 0:
        scene.add(Circle(left + (right - left) * ordered / largest, SCALE_Y, 0.2, agent_color(agent)))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    left, right = SCALE
    if abs(y - SCALE_Y) > 0.5 or not left - 0.2 <= x <= right + 0.2:
        return None
    largest = len(world.action_names[agent]) - 1
    return min(max(round(largest * (x - left) / (right - left)), 0), largest)
