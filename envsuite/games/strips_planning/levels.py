"""Planning problems: a start and a goal in one of sixteen STRIPS domains, of five sizes.

See `envsuite.games.strips_planning.domains` for the domains and what is drawn. Every problem of the generator has a
solution, and its start does not fulfill its goal. The larger the size, the longer are shortest plans in the mean, from
3 steps in size 1 to 12 in size 5 of blocksworld, and from 12 to 46 in keys. Size 1 of gripper, spanner and tiles has
only 8, 9 and 11 problems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import is_integer
from envsuite.core.random import randint
from envsuite.core.ranges import free, within
from envsuite.core.world import Between
from envsuite.games.strips_planning import domains
from envsuite.generators.base import Generator
from envsuite.kit.facts import clear, holds, put, words_for
from envsuite.kit.strips import Atom, Task, bits, constant, find_plan, read_atom, read_problem, written

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

CHOOSE, ASSIGN, TOWERS = range(3)

#: The draws of a problem, until one has a goal that its start does not fulfill.
TRIES = 100

#: The states that a search for the shortest plan of a level sees at most.
SEEN = 20_000


@large_kernel
def make(s):
    """Draw a start and a goal."""
    for _ in range(TRIES):
        clear(s.level.init)
        clear(s.level.goal)
        for k in range(s.params.draws.shape[0]):
            kind, first = s.params.draws[k, 0], np.int64(s.params.draws[k, 1])
            if kind == CHOOSE:
                choose(s, first, np.int64(s.params.draws[k, 2]), np.int64(s.params.draws[k, 3]))
            elif kind == ASSIGN:
                width = np.int64(s.params.draws[k, 4])
                assign(s, first, np.int64(s.params.draws[k, 2]), np.int64(s.params.draws[k, 3]), width)
            else:
                build(s, first, np.int64(s.params.draws[k, 2]), np.int64(s.params.draws[k, 3]), s.params.draws[k, 4])
        if not holds(s.level.init, s.level.goal):
            break
    fill(s.scratch.order, 0)
    fill(s.scratch.tops, 0)
    fill(s.scratch.bases, 0)


@kernel
def use(s, number):
    """Add the facts of a set to the start and to the goal."""
    for k in range(s.params.set_first[number], s.params.set_first[number + 1]):
        coded = s.params.set_facts[k]
        if coded & 1:
            put(s.level.goal, coded >> 1)
        else:
            put(s.level.init, coded >> 1)


@kernel
def mix_order(s, count, drawn):
    """The numbers below `count`, the first `drawn` of them random ones in random order."""
    order = s.scratch.order
    for k in range(count):
        order[k] = k
    for k in range(drawn):
        other = k + randint(s, count - k)
        order[k], order[other] = order[other], order[k]


@large_kernel
def choose(s, first, count, drawn):
    """Use `drawn` of `count` sets."""
    mix_order(s, count, drawn)
    for k in range(drawn):
        use(s, first + s.scratch.order[k])


@large_kernel
def assign(s, first, things, places, width):
    """Give each thing a place of its own; `order` has the places of things, and then the free ones."""
    order = s.scratch.order
    mix_order(s, places, places)
    if width > 0 and odd(order, places, width):
        order[0], order[1] = order[1], order[0]
    for thing in range(places):
        place = np.int64(order[thing])
        use(s, first + (thing * places + place if thing < things else things * places + place))


@kernel
def odd(order, places, width):
    """Whether slides cannot bring these tiles, and the empty place that comes last, to their own places.

    A slide exchanges two of all, and moves the empty place by one step.
    """
    empty = order[places - 1]
    steps = places // width - 1 - empty // width + width - 1 - empty % width
    for k in range(places):
        for j in range(k):
            steps += order[j] > order[k]
    return steps % 2 == 1


@large_kernel
def build(s, first, things, supports, shuffled):
    """Stack things, on bases if there are supports that are no things."""
    mix_order(s, things, things if shuffled else 0)
    bases, towers = supports - things, supports - things
    ground = first + things * supports
    tops, own = ground + things, ground + things + supports
    for k in range(bases):
        s.scratch.tops[k] = things + k
        s.scratch.bases[k] = k
    for k in range(things):
        thing = np.int64(s.scratch.order[k])
        tower = randint(s, towers) if bases > 0 else randint(s, towers + 1)
        if tower == towers:
            towers += 1
            use(s, ground + thing)
        else:
            use(s, first + thing * supports + np.int64(s.scratch.tops[tower]))
        if bases > 0:
            use(s, own + thing * bases + np.int64(s.scratch.bases[tower]))
        s.scratch.tops[tower] = thing
    for tower in range(towers):
        use(s, tops + np.int64(s.scratch.tops[tower]))


@cache
def draw_tables(domain: str, size: int) -> dict[str, np.ndarray]:
    """The draws of a domain for the kernels."""
    number, rows = domains.task_of(domain, size).number, []
    first, facts = [0], []
    for draw in domains.instances_of(domain, size).draws:
        place, sets = len(first) - 1, domains.sets_of(draw)
        if isinstance(draw, domains.Choose):
            rows.append((CHOOSE, place, len(sets), draw.count, 0))
        elif isinstance(draw, domains.Assign):
            rows.append((ASSIGN, place, len(draw.sets), len(draw.free), draw.width))
        else:
            assert isinstance(draw, domains.Towers)
            rows.append((TOWERS, place, len(draw.on), len(draw.on[0]), int(draw.shuffled)))
        for part in sets:
            facts += [2 * number[tuple(fact.removeprefix("?").split())] + fact.startswith("?") for fact in part]
            first.append(len(facts))
    return {"draws": constant(rows), "set_first": constant(first), "set_facts": constant(facts)}


class Problems(Generator):
    """Starts and goals.

    Args:
        domain: its name.
        size: from 1 to 5.
    """

    make = make

    def __init__(self, domain: domains.Name = "blocksworld", size: Annotated[int, Between(1, domains.SIZES)] = 3):
        task = domains.task_of(domain, size)
        words = words_for(len(task.facts))
        most = max(len(domains.sets_of(draw)) for draw in domains.instances_of(domain, size).draws)
        index = within(np.int64, 0, most)
        self.define(
            level=[("init", free(np.uint64), (words,)), ("goal", free(np.uint64), (words,))],
            params=dict(draw_tables(domain, size)),
            scratch=[("order", index, (most,)), ("tops", index, (most,)), ("bases", index, (most,))],
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(*kind_of(level, "problems"))

    def decode(self, s: Any) -> dict[str, Any]:
        return write_level(s.level, self.parameters["domain"], self.parameters["size"])

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_level(s.level, level, self.parameters["domain"], self.parameters["size"], "problems")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and "shortest", the length of a shortest plan.

        The size is the numbers of facts and operators. A breadth-first search sees up to 20,000 states; where it finds
        no plan, "shortest" is None, and a greedy search looks for any plan. The difficulty is the length of the plan
        that was found, -1 if there is none.
        """
        task = domains.task_of(*kind_of(level, "problems"))
        init, goal = (bits(task.number[read_atom(text, part)] for text in level[part]) for part in ("init", "goal"))
        shortest, plan = find_plan(task, init, goal, SEEN)
        return {
            "size": [len(task.facts), len(task.operators)],
            "solvable": plan is not None,
            "difficulty": -1 if plan is None else plan,
            "shortest": shortest,
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        from envsuite.kit.fact_pictures import draw_problem

        domain, size = kind_of(level, "problems")
        init, goal = ([read_atom(text, part) for text in level[part]] for part in ("init", "goal"))
        board = domains.instances_of(domain, size).board
        return draw_problem(domains.task_of(domain, size), init, goal, board, f"{domain}, size {size}")


def numbers_in(words: Any, count: int) -> list[int]:
    """The numbers in a set of facts."""
    found = np.unpackbits(np.array(words, "<u8").view(np.uint8), bitorder="little")[:count]
    return np.flatnonzero(found).tolist()


def write_level(part: Any, domain: str, size: int) -> dict[str, Any]:
    """A level's record as plain data."""
    facts = domains.task_of(domain, size).facts
    texts = {name: [written(facts[k]) for k in numbers_in(part[name], len(facts))] for name in ("init", "goal")}
    return {"domain": domain, "size": size, **texts}


def kind_of(level: Mapping[str, Any], name: str) -> tuple[Any, int]:
    """The domain and size of a level, or a `LevelError` that begins with this name."""
    domain: Any = level.get("domain")
    size: Any = level.get("size")
    if domain not in domains.DOMAINS:
        raise LevelError(f"{name}: 'domain' must be one of {', '.join(domains.DOMAINS)}, not {domain!r:.40}")
    if not is_integer(size) or not 1 <= size <= domains.SIZES:
        raise LevelError(f"{name}: 'size' must be an integer from 1 to {domains.SIZES}, not {size!r:.40}")
    return domain, int(size)


def read_level(part: Any, level: Mapping[str, Any], domain: str, size: int, name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    if unknown := [given for given in level if given not in ("domain", "size", "init", "goal", "pddl", "kind")]:
        raise LevelError(f"{name}: unknown part {unknown[0]!r:.40}; domain, size, init, goal and pddl are known")
    for what, own in (("domain", domain), ("size", size)):
        if what in level and level[what] != own:
            raise LevelError(f"{name}: the level is for {what} {level[what]!r:.40}, not {own!r}")
    task = domains.task_of(domain, size)
    if "pddl" in level:
        if "init" in level or "goal" in level:
            raise LevelError(f"{name}: a level has 'pddl', or 'init' and 'goal', not both")
        found = problem_facts(task, level["pddl"], name)
    else:
        found = {what: _atoms(level, what, name) for what in ("init", "goal")}
    numbers = {what: [_number(task, atom, f"{name}: {what}") for atom in atoms] for what, atoms in found.items()}
    if not numbers["goal"]:
        raise LevelError(f"{name}: the goal is empty")
    if set(numbers["goal"]) <= set(numbers["init"]):
        raise LevelError(f"{name}: the start fulfils the goal")
    if not any(set(operator.pre) <= set(numbers["init"]) for operator in task.operators):
        raise LevelError(f"{name}: no action is applicable in the start")
    for what, chosen in numbers.items():
        clear(part[what])
        for number in chosen:
            put(part[what], number)


def _atoms(level: Mapping[str, Any], what: str, name: str) -> list[Atom]:
    """The atoms of a part of a level."""
    given = level.get(what)
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise LevelError(f"{name}: {what!r} must be a list of facts such as '(on a b)'")
    return [read_atom(text, f"{name}: a fact of {what!r}") for text in given]


def _number(task: Task, atom: Atom, where: str) -> int:
    """The number of a fact."""
    if atom not in task.number:
        raise LevelError(f"{where}: {written(atom):.80} is no fact of {task.domain.name} of this size")
    return task.number[atom]


def problem_facts(task: Task, text: Any, name: str) -> dict[str, list[Atom]]:
    """The start and the goal of a problem in PDDL with the objects and the fixed facts of this task."""
    if not isinstance(text, str):
        raise LevelError(f"{name}: 'pddl' must be a text, not {text!r:.40}")
    problem = read_problem(text)
    if problem["domain"] != task.domain.name:
        raise LevelError(f"{name}: the problem is of domain {problem['domain']!s:.40}, not {task.domain.name}")
    if problem["objects"] != dict(task.objects):
        raise LevelError(f"{name}: the problem must have the objects {', '.join(task.objects)} with their types")
    fixed = set(task.fixed)
    if lacking := fixed - set(problem["init"]):
        raise LevelError(f"{name}: the start lacks {written(min(lacking))}, which always holds here")
    return {"init": [atom for atom in problem["init"] if atom not in fixed], "goal": problem["goal"]}
