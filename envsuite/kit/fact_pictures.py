"""Pictures of sets of facts about objects: things lie in and on each other; other facts are tags on their object."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from envsuite.kit.strips import Atom, Task, written
from envsuite.render.scene import Label, Rect, Scene, Shape, moved, text_width

#: Predicates that put their first object in their second one, and the other way round.
_IN = frozenset(
    "at in parked driver-at truck-at plane-at robot-at waits on-board points nut-at hoist-at drives".split()
)
_AROUND = frozenset(("holds", "lifts"))

#: Colors of the types of objects, in their order.
_COLORS = ("panel", *(f"{color}@0.35" for color in ("blue", "orange", "green", "purple", "red", "gold")))

#: The line height of names and of tags, the room around them, and the most things in a row of a box.
_NAME, _TAG, _EDGE, _ROW = 0.55, 0.4, 0.15, 5


#: How much a picture with few things is enlarged.
LARGEST = 1.6


@dataclass
class _Thing:
    name: str
    color: str
    tags: list[str] = field(default_factory=list)
    inside: list[_Thing] = field(default_factory=list)
    above: list[_Thing] = field(default_factory=list)

    def box(self) -> tuple[float, float]:
        """Width and height without what stands on it."""
        rows = _rows(self.inside)
        wide = max(text_width(self.name, _NAME), *(text_width(tag, _TAG) for tag in self.tags), 0.9) + 4 * _EDGE
        for row in rows:
            wide = max(wide, sum(thing.whole()[0] for thing in row) + _EDGE * (len(row) + 1))
        high = 0.8 + 0.5 * len(self.tags) + sum(max(t.whole()[1] for t in row) + _EDGE for row in rows)
        return wide, high

    def whole(self) -> tuple[float, float]:
        """Width and height."""
        wide, high = self.box()
        if self.above:
            wide = max(wide, sum(thing.whole()[0] for thing in self.above))
            high += max(thing.whole()[1] for thing in self.above)
        return wide, high

    def draw(self, x: float, base: float, shapes: list[Shape], least: tuple[float, float] = (0, 0)) -> None:
        """Draw it on a base line, in the middle of its width."""
        room = self.whole()[0]
        wide, high = (max(a, b) for a, b in zip(self.box(), least))
        left, top = x + (room - wide) / 2, base - high
        shapes.append(Rect(left + 0.03, top + 0.03, wide - 0.06, high - 0.06, self.color, "line", 0.05, 0.12))
        shapes.append(Label(left + wide / 2, top + 0.42, self.name, _NAME))
        y = top + 0.8
        for tag in self.tags:
            shapes.append(Label(left + wide / 2, y + 0.15, tag, _TAG, "muted" if self.color == "panel" else "ink"))
            y += 0.5
        for row in _rows(self.inside):
            y += max(thing.whole()[1] for thing in row)
            across = left + _EDGE
            for thing in row:
                thing.draw(across, y, shapes)
                across += thing.whole()[0] + _EDGE
            y += _EDGE
        across = x + (room - sum(thing.whole()[0] for thing in self.above)) / 2
        for thing in self.above:
            thing.draw(across, top, shapes)
            across += thing.whole()[0]


def _rows(things: list[_Thing]) -> list[list[_Thing]]:
    return [things[k : k + _ROW] for k in range(0, len(things), _ROW)]


def _roots(task: Task, facts: Iterable[Atom]) -> tuple[list[_Thing], list[str]]:
    """The things that lie in no other, with all that is in them; and facts about no object."""
    kinds = list(dict.fromkeys(task.objects.values()))
    things = {name: _Thing(name, _COLORS[kinds.index(kind) % len(_COLORS)]) for name, kind in task.objects.items()}
    under: dict[str, str] = {}
    loose = []
    placing = [fact for fact in task.fixed if len(fact) == 3 and (fact[0] in _IN or fact[0] in _AROUND)]
    for fact in sorted([*placing, *facts], key=lambda fact: fact[0] != "on"):
        if len(fact) == 1:
            loose.append(fact[0])
            continue
        child, parent = (fact[1], fact[-1]) if fact[0] not in _AROUND else (fact[-1], fact[1])
        placed = len(fact) == 3 and (fact[0] == "on" or fact[0] in _IN or fact[0] in _AROUND)
        if placed and child in under and any(on == ("on", child, under[child]) for on in facts):
            continue  # what it stands on says where it is
        if placed and child not in under and not _below(under, parent, child):
            under[child] = parent
            (things[parent].above if fact[0] == "on" else things[parent].inside).append(things[child])
        else:
            things[fact[1]].tags.append(" ".join((fact[0], *fact[2:])))
    return [thing for name, thing in things.items() if name not in under], loose


def _below(under: dict[str, str], thing: str, other: str) -> bool:
    """Whether a thing lies in or on another one, directly or not, or is it."""
    while thing != other and thing in under:
        thing = under[thing]
    return thing == other


def draw_state(scene: Scene, task: Task, facts: Sequence[Atom], board: int, area: tuple[float, ...]) -> None:
    """Draw the facts in an area (left, top, width, height); objects named c0-0 lie on a board if there is one."""
    roots, loose = _roots(task, facts)
    left, top, width, height = area
    cells = {thing.name: thing for thing in roots if board and thing.name[0] == "c" and "-" in thing.name}
    others = [thing for thing in roots if thing.name not in cells]
    shapes: list[Shape] = []
    wide = high = 0.0
    if cells:
        side = tuple(max(values) for values in zip(*(thing.whole() for thing in cells.values())))
        for name, thing in cells.items():
            column, row = map(int, name[1:].split("-"))
            across = column * side[0] + (side[0] - thing.whole()[0]) / 2
            thing.draw(across, (row + 1) * side[1], shapes, side)
            wide, high = max(wide, (column + 1) * side[0]), max(high, (row + 1) * side[1])
        high += 0.4
    most = max([18.0, wide, *(thing.whole()[0] for thing in others)])
    lines: list[list[_Thing]] = []
    for thing in others:
        if not lines or sum(one.whole()[0] + 0.3 for one in lines[-1]) + thing.whole()[0] > most:
            lines.append([])
        lines[-1].append(thing)
    for line in lines:
        high += max(thing.whole()[1] for thing in line)
        across = 0.0
        for thing in line:
            thing.draw(across, high, shapes)
            across += thing.whole()[0] + 0.3
        wide, high = max(wide, across), high + 0.4
    if loose:
        shapes.append(Label(0, high + 0.3, " · ".join(loose), 0.5, "muted", "left"))
        wide, high = max(wide, text_width(" · ".join(loose), 0.5)), high + 0.8
    scale = min(LARGEST, width / max(wide, 1.0), height / max(high, 1.0))
    scene.add(*(moved(shape, left, top, scale) for shape in shapes))


def columns_for(texts: Sequence[str], area: tuple[float, ...], size: float = 0.5) -> tuple[int, float, float]:
    """For a list of texts in an area: its columns, its line height, and the size of letters."""
    _, _, width, height = area
    widest = max([text_width(text, 1.0) for text in texts], default=1.0) + 0.6
    best = (1, 0.7, 0.05)
    for columns in range(1, 7):
        lines = -(-len(texts) // columns) or 1
        line = min(1.4 * size, height / lines)
        letters = min(line / 1.4, width / columns / widest)
        if letters > best[2] + 1e-9:
            best = (columns, line, letters)
    return best


def draw_goal(scene: Scene, task: Task, facts: set[Atom], goal: Sequence[Atom], area: tuple[float, ...]) -> None:
    """Draw the facts of the goal; those that hold have a mark."""
    texts = [written(atom) for atom in goal]
    columns, line, letters = columns_for(texts, area)
    lines = -(-len(texts) // columns) or 1
    for k, text in enumerate(texts):
        x, y = area[0] + area[2] / columns * (k // lines), area[1] + line * (k % lines + 0.5)
        met = goal[k] in facts
        scene.add(Rect(x, y - letters / 2, 0.7 * letters, letters, "good" if met else None, "line", 0.04))
        scene.add(Label(x + letters, y, text, letters, "muted" if met else "ink", "left"))


def draw_problem(task: Task, init: Sequence[Atom], goal: Sequence[Atom], board: int, title: str) -> Scene:
    """A start and its goal."""
    scene = Scene(27, 15)
    scene.add(Label(0.5, 0.8, title, 0.7, align="left", bold=True), Label(20, 0.8, "goal", 0.6, "muted", "left"))
    draw_state(scene, task, init, board, (0.5, 1.6, 18.5, 13))
    draw_goal(scene, task, set(init), goal, (20, 1.5, 6.5, 13))
    return scene
