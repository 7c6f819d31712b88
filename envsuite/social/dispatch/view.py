"""The text and the picture of Dispatch, and the action of a click."""

from __future__ import annotations

from typing import Any

from envsuite.core.page import counted
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene
from envsuite.render.theme import agent_color, text_on

IDLE, FETCHING, RIDING = range(3)
WAITING, TAKEN = 1, 2
STAY, ACCEPT = 0, 5

#: Left, top and side of the city's picture.
LEFT, TOP, CITY = 0.6, 1.7, 13.0


def text(world: Any, s: Any, agent: int) -> str:
    """The text for one driver."""
    seen = world.observation(s, agent)
    x, y, state, to_x, to_y, service, left = seen.own.tolist()
    lines = [
        f"You are driver_{agent}, in column {x}, row {y}.",
        f"Your profit is {seen.money[0]:.2f}; the mean of all is {seen.money[1]:.2f}.",
    ]
    if not left:
        return "\n".join([*lines, "The day is over."])
    lines.append(f"Steps left: {left}.")
    if state != IDLE:
        what = "to a rider" if state == FETCHING else "with a rider"
        lines.append(
            f"You are on the way {what} in column {to_x}, row {to_y}."
            if state == FETCHING
            else f"You are on the way {what} to column {to_x}, row {to_y}."
        )
        if service:
            lines.append(f"The rider needs {counted(service, 'more step')} to get in.")
        return "\n".join(lines)
    listed = [order for order in seen.orders.tolist() if order[0] >= 0]
    lines.append("Orders on your list:" if listed else "No order waits.")
    for n, (far, a, b, c, d, age) in enumerate(listed):
        fare = 2 + abs(a - c) + abs(b - d)
        lines.append(
            f"  `accept {n + 1}`: column {a}, row {b}, {far} blocks away, to column {c}, row {d}; fare {fare}, "
            f"waited {age} of {int(seen.rules[3]) + 1} steps"
        )
    near = int(seen.near[seen.near > 0].sum())
    others = [k for k, (_, _, idle) in enumerate(seen.fleet.tolist()) if idle and k != agent]
    lines.append(f"Orders within two blocks across and down: {near}. Other idle drivers: {len(others)}.")
    return "\n".join(lines)


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The city with drivers and orders, and the numbers of the day."""
    rows, columns = s.waiting.shape
    scene, size = Scene(20, 15.2), _side(s)
    over = s.t >= s.params.horizon
    scene.add(Label(0.6, 0.85, "Dispatch", 0.65, align="left", bold=True))
    scene.add(Label(19.4, 0.85, "over" if over else f"step {s.t} of {s.params.horizon}", 0.5, "muted", "right"))
    for k in range(columns * rows):
        x, y = LEFT + size * (k % columns), TOP + size * (k // columns)
        scene.add(Rect(x + 0.06 * size, y + 0.06 * size, 0.88 * size, 0.88 * size, "panel", radius=0.1 * size))
    if agent is None:
        for k in range(len(s.order)):
            if s.order[k] in (WAITING, TAKEN):
                _draw_order(scene, *_middle(s, s.origin[k]), size, str(int(s.age[k])), bool(s.order[k] == TAKEN))
        for d in range(len(s.place)):
            if s.state[d] != IDLE:
                target = s.origin[s.job[d]] if s.state[d] == FETCHING else s.goal[s.job[d]]
                _draw_way(scene, s, d, int(target))
            _draw_driver(scene, s, d, int(s.state[d]), size)
        _draw_day(scene, s)
        return scene
    seen = world.observation(s, agent)
    x, y, state, to_x, to_y = seen.own[:5].tolist()
    listed = [order for order in seen.orders.tolist() if order[0] >= 0]
    for n, (_, a, b, c, d, _) in reversed(list(enumerate(listed))):
        start, end = _at(a, b, size), _at(c, d, size)
        scene.add(Line([start, end], "muted@0.5", 0.04))
        _draw_order(scene, *start, size, str(n + 1), False)
    if state != IDLE:
        _draw_way(scene, s, agent, to_y * columns + to_x)
    for d in range(len(s.place)):
        if d != agent:
            _draw_driver(scene, s, d, IDLE if seen.fleet[d, 2] else FETCHING, size)
    _draw_driver(scene, s, agent, state, size, "gold")
    _draw_list(scene, seen, listed)
    return scene


def _side(s: Any) -> float:
    return CITY / max(s.waiting.shape)


def _at(column: int, row: int, size: float) -> tuple[float, float]:
    return LEFT + size * (column + 0.5), TOP + size * (row + 0.5)


def _middle(s: Any, block: Any) -> tuple[float, float]:
    return _at(int(block) % s.waiting.shape[1], int(block) // s.waiting.shape[1], _side(s))


def _draw_order(scene: Scene, x: float, y: float, size: float, word: str, taken: bool) -> None:
    """A rider: a pin with a number, pale if a driver comes."""
    color = "grey" if taken else "red"
    x, y = x + 0.22 * size, y - 0.2 * size
    tip = [(x - 0.13 * size, y + 0.08 * size), (x + 0.13 * size, y + 0.08 * size), (x, y + 0.36 * size)]
    scene.add(Polygon(tip, color), Circle(x, y, 0.2 * size, color, glyph="r" if taken else "R"))
    scene.add(Label(x, y, word, 0.24 * size, text_on(color), bold=True, terminal=False))


def _draw_way(scene: Scene, s: Any, driver: int, target: int) -> None:
    """Where a driver drives: across, then down."""
    columns, size = s.waiting.shape[1], _side(s)
    corner = _at(target % columns, int(s.place[driver]) // columns, size)
    path = [_middle(s, s.place[driver]), corner, _middle(s, target)]
    scene.add(Line(path, agent_color(driver), 0.07))


def _draw_driver(scene: Scene, s: Any, driver: int, state: int, size: float, edge: str | None = None) -> None:
    """A car with its number; one that is idle has a light roof, one with a rider a dark mark."""
    x, y = _middle(s, s.place[driver])
    fellows = [d for d in range(len(s.place)) if s.place[d] == s.place[driver]]
    if len(fellows) > 1:
        turn = fellows.index(driver) / (len(fellows) - 1) - 0.5
        x += 0.5 * size * turn
    y, color = y + 0.18 * size, agent_color(driver)
    box = (x - 0.3 * size, y - 0.17 * size, 0.6 * size, 0.34 * size)
    scene.add(Rect(*box, color, edge or "ink", 0.1 if edge else 0.03, 0.1 * size, glyph=str(driver)[-1]))
    scene.add(Label(x, y, str(driver), 0.26 * size, text_on(color), bold=True, terminal=False))
    if state == IDLE:
        scene.add(Rect(x - 0.14 * size, y - 0.27 * size, 0.28 * size, 0.1 * size, "gold", radius=0.03 * size))
    elif state == RIDING:
        scene.add(Circle(x + 0.24 * size, y - 0.2 * size, 0.09 * size, "red", glyph=""))


def _draw_day(scene: Scene, s: Any) -> None:
    """What all drivers have done so far."""
    rows = (
        ("riders brought", f"{s.served}"), ("orders lost", f"{s.lost}"),
        ("waiting", f"{int(((s.order == WAITING) | (s.order == TAKEN)).sum())}"),
        ("idle drivers", f"{int((s.state == IDLE).sum())} of {len(s.place)}"),
        ("blocks driven", f"{int(s.driven.sum())}"),
        ("profit of all", f"{float(s.profit.sum()):.1f}"),
        ("best, worst", f"{float(s.profit.max()):.1f}, {float(s.profit.min()):.1f}"),
    )  # fmt: skip
    scene.add(Rect(14.2, TOP, 5.3, 0.6 + 0.9 * len(rows), "panel", radius=0.25))
    for n, (name, value) in enumerate(rows):
        y = TOP + 0.75 + 0.9 * n
        scene.add(Label(14.5, y, name, 0.4, "muted", "left"), Label(19.2, y, value, 0.42, align="right", bold=True))
    _draw_signs(scene, TOP + 1.4 + 0.9 * len(rows))


def _draw_signs(scene: Scene, y: float) -> None:
    """What the signs mean."""
    scene.add(Rect(14.5, y, 0.6, 0.18, "gold", radius=0.05), Label(15.4, y + 0.1, "idle", 0.38, "muted", "left"))
    scene.add(Circle(14.8, y + 0.9, 0.17, "red", glyph=""), Label(15.4, y + 0.9, "with a rider", 0.38, "muted", "left"))


def _draw_list(scene: Scene, seen: Any, listed: list[list[int]]) -> None:
    """A driver's money, and the orders on its list."""
    scene.add(Label(14.3, TOP + 0.4, f"profit {seen.money[0]:.1f}", 0.5, align="left", bold=True))
    scene.add(Label(14.3, TOP + 1.1, f"mean of all {seen.money[1]:.1f}", 0.4, "muted", "left"))
    for n, (far, a, b, c, d, age) in enumerate(listed[:9]):
        y = TOP + 1.7 + 1.25 * n
        scene.add(Rect(14.2, y, 5.3, 1.1, "panel", radius=0.2))
        scene.add(
            Circle(14.75, y + 0.55, 0.32, "red", glyph=""), Label(14.75, y + 0.55, str(n + 1), 0.38, "white", bold=True)
        )
        scene.add(Label(15.3, y + 0.35, f"fare {2 + abs(a - c) + abs(b - d)} · {far} away", 0.4, align="left"))
        scene.add(Label(15.3, y + 0.8, f"waited {age} of {int(seen.rules[3]) + 1}", 0.34, "muted", "left"))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """The action of a click: on the list, or on a block."""
    columns, size = s.waiting.shape[1], _side(s)
    if x >= 14.2:
        n = int((y - TOP - 1.7) // 1.25)
        return ACCEPT + n if 0 <= n < min(9, int(s.params.choices)) else None
    column, row = int((x - LEFT) // size), int((y - TOP) // size)
    here = int(s.place[agent])
    steps = {(0, 0): STAY, (0, -1): 1, (1, 0): 2, (0, 1): 3, (-1, 0): 4}
    action = steps.get((column - here % columns, row - here // columns))
    return ACCEPT + int(s.params.choices) if action == STAY and s.state[agent] != IDLE else action
