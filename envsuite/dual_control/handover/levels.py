"""Repair tasks for Handover: a hall with parts to repair, the rights to touch them, and the plan of the repairs.

Parts and the store stand in the walls around the hall, or in the hall with free cells all around them, like pillars. An
agent on a floor cell thus never separates other floor cells. Parts are placed such that no floor cell is beside two of
them. A plan names some of the parts, an operation for each, and for some another part that must be repaired before; it
is a forest. At least one repair is for the worker alone. In plans of two or more, at least one is for the guide alone.
With `handover`, one of these two needs a spare that only the other may take from the store.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite import registry
from envsuite.core.elementary import log2
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, within
from envsuite.core.record import as_views
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

#: What a cell is; part number k, from 1 on, is STORE + k.
FLOOR, WALL, STORE = range(3)

#: Rights to touch a part or take from the store: bits of the guide and of the worker.
GUIDE, WORKER, BOTH = 1, 2, 3
RIGHTS = {"guide": GUIDE, "worker": WORKER, "both": BOTH}

#: The operations on a part; in a record, 0 is none. Only the last needs a spare.
OPERATIONS = ("turn", "press", "pull", "fit")
FIT = len(OPERATIONS)

SMALLEST, LARGEST, MOST_PARTS, LONGEST = 5, 13, 8, 6

_DY = np.array([-1, 1, 0, 0])
_DX = np.array([0, 0, 1, -1])
#: The number of attempts to place a pillar.
_TRIES = 20


@kernel
def objects_beside(map, y, x):
    """The number of parts, the store included, beside a cell that is not on the edge."""
    count = 0
    for k in range(4):
        count += map[y + _DY[k], x + _DX[k]] >= STORE
    return count


@kernel
def lonely(map, y, x):
    """Whether a cell that is not on the edge is floor, with only floor around it."""
    for j in range(y - 1, y + 2):
        for i in range(x - 1, x + 2):
            if map[j, i] != FLOOR:
                return False
    return True


@large_kernel
def suits(map, y, x):
    """Whether a part can be placed here."""
    last = map.shape[0] - 1
    high, wide = y == 0 or y == last, x == 0 or x == last
    if high and wide:
        return False
    if high or wide:
        inner_y, inner_x = min(max(y, 1), last - 1), min(max(x, 1), last - 1)
        return map[y, x] == WALL and objects_beside(map, inner_y, inner_x) == 0
    if not lonely(map, y, x):
        return False
    for k in range(4):
        if objects_beside(map, y + _DY[k], x + _DX[k]) > 0:
            return False
    return True


@large_kernel
def free_cell(s, other):
    """A random floor cell other than `other`."""
    map = s.level.map
    size = map.shape[0]
    while True:
        y, x = 1 + randint(s, size - 2), 1 + randint(s, size - 2)
        if map[y, x] == FLOOR and y * size + x != other:
            return np.int64(y * size + x)


@large_kernel
def build(s):
    """Build the hall: walls, the parts in the order of their numbers, the store, pillars, and the starts."""
    map = s.level.map
    size = map.shape[0]
    for y in range(size):
        for x in range(size):
            inside = 0 < x < size - 1 and 0 < y < size - 1
            map[y, x] = FLOOR if inside else WALL
    parts = s.level.operation.shape[0]
    for k in range(parts + s.params.handover):
        while True:  # there is always a place left, see `Repair`
            y, x = randint(s, size), randint(s, size)
            if suits(map, y, x):
                map[y, x] = STORE + (k + 1) % (parts + 1)
                break
    for _ in range(s.params.pillars):
        for _ in range(_TRIES):
            y, x = 1 + randint(s, size - 2), 1 + randint(s, size - 2)
            if lonely(map, y, x):
                map[y, x] = WALL
                break
    s.level.start[0] = free_cell(s, np.int64(-1))
    s.level.start[1] = free_cell(s, s.level.start[0])


@large_kernel
def lay_plan(s):
    """Choose the parts to repair, the operations, the parts to repair before, and the rights."""
    level = s.level
    parts, length = level.operation.shape[0], s.params.length
    order = s.scratch.order
    for k in range(parts):
        order[k] = k
        level.operation[k] = 0
        level.needs[k] = 0
        level.rights[k + 1] = BOTH if bernoulli(s, s.params.common) else GUIDE + randint(s, 2)
    for k in range(length):
        j = k + randint(s, parts - k)
        order[k], order[j] = order[j], order[k]
        part = order[k]
        level.operation[part] = 1 + randint(s, FIT if s.params.handover else FIT - 1)
        if k > 0 and bernoulli(s, s.params.ordered):
            level.needs[part] = order[randint(s, k)] + 1
    first = randint(s, length)
    owner = WORKER
    level.rights[order[first] + 1] = WORKER
    chosen = order[first]
    if length > 1:
        second = (first + 1 + randint(s, length - 1)) % length
        level.rights[order[second] + 1] = GUIDE
        if randint(s, 2) == 1:
            chosen, owner = order[second], GUIDE
    level.rights[0] = 0
    if s.params.handover:
        level.operation[chosen] = FIT
        level.rights[0] = BOTH - owner
    for k in range(parts):
        order[k] = 0


@large_kernel
def make(s):
    """A new task."""
    build(s)
    lay_plan(s)


@large_kernel
def change(s):
    """Two parts change places, an agent starts elsewhere, or one of turn, press and pull is replaced by another."""
    map, level = s.level.map, s.level
    size, parts = map.shape[0], level.operation.shape[0]
    kind = randint(s, 3)
    if kind == 0 and parts > 1:
        first = randint(s, parts)
        second = (first + 1 + randint(s, parts - 1)) % parts
        for y in range(size):
            for x in range(size):
                if map[y, x] == STORE + 1 + first:
                    map[y, x] = STORE + 1 + second
                elif map[y, x] == STORE + 1 + second:
                    map[y, x] = STORE + 1 + first
    elif kind == 1:
        who = randint(s, 2)
        level.start[who] = free_cell(s, level.start[1 - who])
    else:
        part = randint(s, parts)
        while level.operation[part] == 0:
            part = (part + 1) % parts
        if level.operation[part] != FIT:
            level.operation[part] = 1 + (level.operation[part] + randint(s, 2)) % (FIT - 1)


# Levels as plain data.


def letters(parts: int) -> str:
    """The letters of a map, in the order of the codes of its cells."""
    return ".#S" + "".join(str(k + 1) for k in range(parts))


def write(level: Any) -> dict[str, Any]:
    """The level of a record."""
    size, parts = len(level.map), len(level.operation)
    legend = letters(parts)
    rows = [[legend[code] for code in row] for row in level.map]
    for cell, letter in zip(level.start, "GW"):
        rows[cell // size][cell % size] = letter
    names = {bits: name for name, bits in RIGHTS.items()}
    plan = [
        {"part": k + 1, "operation": OPERATIONS[level.operation[k] - 1], "needs": int(level.needs[k]) or None}
        for k in range(parts)
        if level.operation[k]
    ]
    return {
        "map": ["".join(row) for row in rows],
        "touch": [names[int(bits)] for bits in level.rights[1:]],
        "store": names.get(int(level.rights[0])),
        "plan": in_order(plan),
    }


def in_order(plan: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The repairs of a plan, each after the one that it needs and otherwise by number; cycles are left out."""
    ready: list[dict[str, Any]] = []
    while True:
        done = [repair["part"] for repair in ready]
        due = [r for r in plan if r["part"] not in done and (r["needs"] is None or r["needs"] in done)]
        if not due:
            return ready
        ready.append(min(due, key=lambda repair: repair["part"]))


def read(target: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a record's level, or raise a `LevelError` that begins with this name."""
    size, parts = len(target.map), len(target.operation)

    def demand(holds: Any, message: str) -> None:
        if not holds:
            raise LevelError(f"{name}: {message}")

    unknown = sorted(set(level) - {"kind", "map", "touch", "store", "plan"})
    demand(not unknown, f"the level has an unknown part {unknown and unknown[0]!r}")
    rows, legend = level["map"], letters(parts)
    texts = not isinstance(rows, str) and len(rows) == size and all(isinstance(r, str) and len(r) == size for r in rows)
    demand(texts, f"the level's map must be {size} texts of {size} letters")
    text = "".join(rows)
    wrong = sorted(set(text) - set(legend + "GW"))
    demand(not wrong, f"the level's map has the letter {wrong and wrong[0]!r}; known: {' '.join(legend + 'GW')}")
    for letter, what in (("G", "the guide's start"), ("W", "the worker's start"), *((d, "part") for d in legend[3:])):
        demand(
            text.count(letter) == 1, f"the level's map must have {what} {letter!r} once, not {text.count(letter)} times"
        )
    demand(text.count("S") <= 1, "the level's map must have one store 'S' or none")
    grid = np.array([[legend.index("." if letter in "GW" else letter) for letter in row] for row in rows], np.uint8)
    demand(
        (grid[[0, -1]] != FLOOR).all() and (grid[:, [0, -1]] != FLOOR).all(), "the level's map must be closed around"
    )
    problem = unsound(rows)
    demand(problem is None, f"the level's map {problem}")
    touch = level["touch"]
    listed = not isinstance(touch, str) and len(touch) == parts and all(who in RIGHTS for who in touch)
    demand(
        listed, f"the level's 'touch' must name guide, worker or both for each of the {parts} parts, not {touch!r:.80}"
    )
    store = level.get("store")
    if "S" in text:
        demand(
            store in RIGHTS, f"the level's 'store' must be guide, worker or both, who may take spares, not {store!r}"
        )
    else:
        demand(store is None, "the level's 'store' must be None, since its map has none")
    plan = level["plan"]
    fits = isinstance(plan, (list, tuple)) and 1 <= len(plan) <= min(parts, LONGEST)
    demand(fits, f"the level's plan must be a list of 1 to {min(parts, LONGEST)} repairs")
    operation, needs = np.zeros(parts, np.uint8), np.zeros(parts, np.uint8)
    for repair in plan:
        known = isinstance(repair, Mapping) and set(repair) <= {"part", "operation", "needs"}
        demand(known, f"a repair must have 'part', 'operation' and 'needs', not {repair!r:.80}")
        number, needed = repair["part"], repair.get("needs")
        demand(number in range(1, parts + 1), f"the plan has a part {number!r}; parts are 1 to {parts}")
        demand(operation[number - 1] == 0, f"the plan has part {number} twice")
        demand(
            repair["operation"] in OPERATIONS,
            f"the plan has the operation {repair['operation']!r}; known: {', '.join(OPERATIONS)}",
        )
        demand(repair["operation"] != "fit" or store, f"the plan has a fit of part {number}, but there is no store")
        demand(
            needed is None or needed in [other["part"] for other in plan],
            f"the repair of part {number} needs {needed!r}, which must be None or a part of the plan",
        )
        operation[number - 1] = 1 + OPERATIONS.index(repair["operation"])
        needs[number - 1] = needed or 0
    whole = [{"part": k + 1, "needs": int(needs[k]) or None} for k in range(parts) if operation[k]]
    demand(len(in_order(whole)) == len(whole), "the plan's repairs need one another in a circle")
    target.map[:] = grid
    target.start[:] = text.index("G"), text.index("W")
    target.rights[:] = [RIGHTS[store] if store else 0, *(RIGHTS[who] for who in touch)]
    target.operation[:], target.needs[:] = operation, needs


def unsound(rows: Any) -> str | None:
    """What is wrong with a map on which two agents must repair parts, or None."""
    objects = {(x, y): letter for y, row in enumerate(rows) for x, letter in enumerate(row) if letter not in "#.GW"}
    floor = {(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter in ".GW"}
    reachable = set()
    for x, y in floor:
        near = [objects[cell] for cell in _around(x, y) if cell in objects]
        if len(near) > 1:
            return f"has a cell, column {x} of row {y}, that is beside both {near[0]!r} and {near[1]!r}"
        reachable.update(near)
    if hidden := sorted(set(objects.values()) - reachable):
        return f"has {hidden[0]!r} where no floor is beside it"
    order: dict[tuple[int, int], int] = {}
    cuts: list[tuple[int, int]] = []

    def visit(cell: tuple[int, int]) -> int:
        """The earliest cell, by order, that can be reached from here without the cells before (Hopcroft and Tarjan)."""
        first = order[cell] = earliest = len(order)
        branches = 0
        for near in _around(*cell):
            if near in order:
                earliest = min(earliest, order[near])
            elif near in floor:
                found = visit(near)
                earliest = min(earliest, found)
                branches += 1
                if first and found >= first:
                    cuts.append(cell)
        if not first and branches > 1:
            cuts.append(cell)
        return earliest

    visit(min(floor))
    if len(order) < len(floor):
        return "has floor that does not hang together"
    if cuts:
        return f"falls apart when somebody stands in column {cuts[0][0]} of row {cuts[0][1]}"
    return None


def _around(x: int, y: int) -> tuple[tuple[int, int], ...]:
    return (x, y - 1), (x, y + 1), (x + 1, y), (x - 1, y)


def linear_extensions(plan: list[dict[str, Any]]) -> int:
    """The number of orders in which a plan can be carried out: n! over the product of the sizes of all subtrees."""
    needs = {repair["part"]: repair["needs"] for repair in plan}
    sizes = dict.fromkeys(needs, 0)
    for part in needs:
        above: int | None = part
        while above is not None:
            sizes[above] += 1
            above = needs[above]
    return math.factorial(len(plan)) // math.prod(sizes.values())


def fewest_steps(level: Mapping[str, Any]) -> int:
    """The fewest steps of a single agent that starts as the guide and may touch everything, breadth first."""
    rows, plan = level["map"], level["plan"]
    place = {letter: (x, y) for y, row in enumerate(rows) for x, letter in enumerate(row)}
    number = {repair["part"]: k for k, repair in enumerate(plan)}
    beside: dict[tuple[int, int], str] = {}
    for letter, (x, y) in place.items():
        if letter not in "#.GW":
            beside.update(dict.fromkeys(_around(x, y), letter))
    start = (place["G"], False, 0)
    steps, front = {start: 0}, [start]
    for state in front:  # the list grows during the loop
        (x, y), held, done = state
        if done == (1 << len(plan)) - 1:
            return steps[state]
        found = [((i, j), held, done) for i, j in _around(x, y) if rows[j][i] in ".GW"]
        here = beside.get((x, y))
        if here == "S":
            found.append(((x, y), True, done))
        elif here is not None and int(here) in number:
            k = number[int(here)]
            fit, needed = plan[k]["operation"] == "fit", plan[k]["needs"]
            if (held or not fit) and (needed is None or done >> number[needed] & 1):
                found.append(((x, y), held and not fit, done | 1 << k))
        for after in found:
            if after not in steps:
                steps[after] = steps[state] + 1
                front.append(after)
    raise AssertionError("a sound level can be solved")


class Repair(Generator):
    """Repair tasks.

    On the smallest hall, 5 x 5, there is always a place for four parts and the store; on larger halls, for all parts.

    Args:
        size: cells on a side of the hall, the walls around it included.
        parts: number of parts.
        length: number of parts to repair.
        common: probability that both agents may touch a part; otherwise only one of them may.
        ordered: probability that a repair, after the first, needs another one before it.
        pillars: number of walls inside, as far as there is room.
        handover: whether there is a store, and a spare to hand over.
    """

    make = make
    change = change

    def __init__(
        self,
        size: Annotated[int, Between(SMALLEST, LARGEST)] = 9,
        parts: Annotated[int, Between(1, MOST_PARTS)] = 6,
        length: Annotated[int, Between(1, LONGEST)] = 4,
        common: Annotated[float, Between(0, 1)] = 0.2,
        ordered: Annotated[float, Between(0, 1)] = 0.5,
        pillars: Annotated[int, Between(0, 10)] = 2,
        handover: bool = True,
    ):
        if length > parts:
            raise ParameterError(f"a plan of length={length} needs as many parts, not parts={parts}")
        if size == SMALLEST and parts > 4:
            raise ParameterError(f"a hall of size={SMALLEST} has room for 4 parts, not parts={parts}")
        lowest = np.pad(np.full((size - 2, size - 2), FLOOR), 1, constant_values=WALL)
        self.define(
            level=[
                ("map", within(np.uint8, lowest, STORE + parts), (size, size)),
                ("start", below(np.int64, size * size), (2,)),  # of the guide and the worker: row * size + column
                ("rights", within(np.uint8, 0, BOTH), (parts + 1,)),  # of the store, 0 without one, then of the parts
                ("operation", within(np.uint8, 0, FIT), (parts,)),  # 0 for parts that are not in the plan
                ("needs", within(np.uint8, 0, parts), (parts,)),  # the number of the part to be repaired before, or 0
            ],
            params={
                "length": length,
                "common": float(common),
                "ordered": float(ordered),
                "pillars": pillars,
                "handover": handover,
            },
            scratch=[("order", below(np.int64, 1), (parts,))],
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        parts = sum(letter in "123456789" for row in level["map"] for letter in row)
        return cls(size=len(level["map"]), parts=parts, length=1)

    def decode(self, s: Any) -> dict[str, Any]:
        return write(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read(s.level, level, self.kind)

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, "length" of the plan, "orders" to carry it out, "handovers", and "steps" of one agent.

        The difficulty is in bits: minus the logarithm of the probability of guessing parts and operations in a right
        order.
        """
        plan, parts = level["plan"], len(level["touch"])
        orders = linear_extensions(plan)
        choices = len(OPERATIONS) if level["store"] else len(OPERATIONS) - 1
        guesses = math.perm(parts, len(plan)) * choices ** len(plan)
        apart = {"guide": "worker", "worker": "guide"}.get(str(level["store"]))
        return {
            "size": [len(level["map"]), len(level["map"][0])],
            "solvable": True,
            "difficulty": round(log2(guesses / orders), 6),
            "length": len(plan),
            "orders": orders,
            "handovers": sum(r["operation"] == "fit" and level["touch"][r["part"] - 1] == apart for r in plan),
            "steps": fewest_steps(level),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The hall with the agents at their starts, and the plan."""
        size, parts = len(level["map"]), len(level["touch"])
        world = registry.build("envsuite/Handover-v0", {"size": size, "parts": parts, "length": 1})
        s = as_views(np.zeros(1, world.record))[0]
        world.fill(s)
        world.set_level(s, level)
        s.at, s.goal = s.level.start, sum(1 << repair["part"] - 1 for repair in level["plan"])
        return world.scene(s)
