"""STRIPS: domains and problems in PDDL, read, grounded and written; and the rules of ground operators.

    domain = read_domain("(define (domain ferry) ...)")
    task = ground(domain, objects, fixed, possible)

A domain has types, predicates and actions with positive preconditions. An *operator* is an action with objects for its
parameters, named as in PDDL: ``(pick-up a)``. It is applicable in a state, a set of facts, that contains its
preconditions. It removes the facts that it deletes, and then adds the facts that it adds.

Fixed facts hold in every state. They decide which operators there are, and are left out of states.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.ranges import within
from envsuite.kit.facts import drop, has, put

#: The most operators and facts of a task.
MOST_OPERATORS, MOST_FACTS = 4096, 1024

#: The deepest brackets of PDDL that are read.
DEPTH = 20

#: An atom: its predicate, and objects or variables.
Atom = tuple[str, ...]


@dataclass(frozen=True)
class Action:
    """An action with variables: pairs (variable, type), and atoms."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    pre: tuple[Atom, ...]
    add: tuple[Atom, ...]
    delete: tuple[Atom, ...]


@dataclass(frozen=True)
class Domain:
    """A domain: the parent of each type, the types of each predicate's arguments, and actions."""

    name: str
    types: Mapping[str, str]
    predicates: Mapping[str, tuple[tuple[str, str], ...]]
    actions: tuple[Action, ...]

    @cached_property
    def changing(self) -> frozenset[str]:
        """The predicates that some action changes."""
        return frozenset(atom[0] for action in self.actions for atom in (*action.add, *action.delete))

    def is_a(self, kind: str, wanted: str) -> bool:
        """Whether a type is another one or below it."""
        while kind != wanted and kind in self.types:
            kind = self.types[kind]
        return kind == wanted or wanted == "object"


@dataclass(frozen=True)
class Operator:
    """A ground operator; facts are numbers."""

    name: str
    pre: tuple[int, ...]
    add: tuple[int, ...]
    delete: tuple[int, ...]


@dataclass(frozen=True)
class Task:
    """A grounded domain without its start and goal.

    Attributes:
        objects: the type of each object.
        fixed: the facts that always hold.
        facts: the other facts, as atoms; their places are their numbers.
    """

    domain: Domain
    objects: Mapping[str, str]
    fixed: tuple[Atom, ...]
    facts: tuple[Atom, ...]
    operators: tuple[Operator, ...]

    @cached_property
    def number(self) -> dict[Atom, int]:
        """The number of each fact."""
        return {fact: k for k, fact in enumerate(self.facts)}

    @cached_property
    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        """The operators for kernels: `first` (3 n + 1,) and `literals`.

        The literals of operator k from ``first[3 k]`` on are its preconditions, from ``first[3 k + 1]`` on the facts
        that it deletes, and from ``first[3 k + 2]`` on those that it adds. They end at ``first[3 k + 3]``.
        """
        first, literals = [0], list[int]()
        for operator in self.operators:
            for part in (operator.pre, operator.delete, operator.add):
                literals += part
                first.append(len(literals))
        return constant(first), constant(literals or [0])


def constant(numbers: Any) -> np.ndarray:
    """Numbers from 0 to 65535 that cannot change, for records."""
    array = np.asarray(numbers, np.uint16)
    return array.astype(within(np.uint16, array, array))


# The rules.


@kernel
def applicable(state, first, literals, operator):
    """Whether the state holds the operator's preconditions."""
    for k in range(first[3 * operator], first[3 * operator + 1]):
        if not has(state, literals[k]):
            return False
    return True


@kernel
def apply(state, first, literals, operator):
    """Delete and add the operator's facts, in this order."""
    for k in range(first[3 * operator + 1], first[3 * operator + 2]):
        drop(state, literals[k])
    for k in range(first[3 * operator + 2], first[3 * operator + 3]):
        put(state, literals[k])


# Reading.

_TOKEN = re.compile(r"[()]|[^\s()]+")


def _nested(text: str, what: str) -> list[Any]:
    """A text of brackets as nested lists of lower-case words."""
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.findall(re.sub(r";[^\n]*", "", text).lower()):
        if token == "(":
            stack.append([])
            if len(stack) > DEPTH:
                raise LevelError(f"{what}: brackets are nested more than {DEPTH} deep")
        elif token == ")":
            if len(stack) == 1:
                raise LevelError(f"{what}: a bracket closes that was not opened")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) > 1 or len(stack[0]) != 1 or not isinstance(stack[0][0], list):
        raise LevelError(f"{what} must be one expression in brackets")
    found: list[Any] = stack[0][0]
    return found


def _sections(text: str, kind: str, known: Sequence[str]) -> tuple[str, dict[str, list[list[Any]]]]:
    """The name of a definition and its sections by keyword."""
    what = f"the PDDL of a {kind}"
    tree = _nested(text, what)
    if len(tree) < 2 or tree[0] != "define" or not _is_head(tree[1], kind):
        raise LevelError(f"{what} must begin with (define ({kind} NAME)")
    found: dict[str, list[list[Any]]] = {}
    for part in tree[2:]:
        if not isinstance(part, list) or not part or part[0] not in known:
            raise LevelError(f"{what}: unknown part {str(part):.60}; {', '.join(known)} are known")
        found.setdefault(part[0], []).append(part[1:])
    return tree[1][1], found


def _is_head(part: Any, kind: str) -> bool:
    return isinstance(part, list) and len(part) == 2 and part[0] == kind and isinstance(part[1], str)


def _typed(parts: Sequence[Any], what: str) -> list[tuple[str, str]]:
    """A typed list, ``a b - block c``, as pairs."""
    found: list[tuple[str, str]] = []
    waiting: list[str] = []
    words = iter(parts)
    for word in words:
        if word == "-":
            kind = next(words, None)
            if not isinstance(kind, str):
                raise LevelError(f"{what}: a type must be one word, not {kind!s:.40}")
            found += [(name, kind) for name in waiting]
            waiting = []
        elif isinstance(word, str):
            waiting.append(word)
        else:
            raise LevelError(f"{what}: a name must be a word, not {word!s:.40}")
    return found + [(name, "object") for name in waiting]


def _atoms(tree: Any, what: str) -> tuple[list[Atom], list[Atom]]:
    """The atoms of a conjunction, and those in it that are negated."""
    if not isinstance(tree, list):
        raise LevelError(f"{what}: {tree!s:.40} is no atom")
    parts = tree[1:] if tree[:1] == ["and"] else [tree] if tree else []
    yes: list[Atom] = []
    no: list[Atom] = []
    for part in parts:
        negated = isinstance(part, list) and part[:1] == ["not"] and len(part) == 2
        atom = part[1] if negated else part
        if not isinstance(atom, list) or not atom or not all(isinstance(word, str) for word in atom):
            raise LevelError(f"{what}: {str(part):.60} is no atom; only conjunctions of atoms are read")
        (no if negated else yes).append(tuple(atom))
    return yes, no


def read_domain(text: str) -> Domain:
    """A domain from PDDL with :strips and :typing, or `LevelError`."""
    name, parts = _sections(text, "domain", (":requirements", ":types", ":predicates", ":action"))
    what = f"domain {name}"
    types = dict(_typed([word for part in parts.get(":types", []) for word in part], what))
    predicates = {}
    for part in (part for section in parts.get(":predicates", []) for part in section):
        if not isinstance(part, list) or not part or not isinstance(part[0], str):
            raise LevelError(f"{what}: {str(part):.60} is no predicate")
        predicates[part[0]] = tuple(_typed(part[1:], what))
    actions = []
    for action in parts.get(":action", []):
        pairs = dict(zip(action[1::2], action[2::2]))
        label = f"{what}, action {action[0] if action else ''}"
        if len(action) != 7 or set(pairs) != {":parameters", ":precondition", ":effect"}:
            raise LevelError(f"{label} must have :parameters, :precondition and :effect")
        pre, negated = _atoms(pairs[":precondition"], label)
        if negated:
            raise LevelError(f"{label}: negative preconditions are not read")
        add, delete = _atoms(pairs[":effect"], label)
        made = Action(action[0], tuple(_typed(pairs[":parameters"], label)), *map(tuple, (pre, add, delete)))
        variables = dict(made.parameters)
        for atom in (*pre, *add, *delete):
            if len(predicates.get(atom[0], ())) != len(atom) - 1 or not set(atom[1:]) <= set(variables):
                raise LevelError(f"{label}: {written(atom)} does not fit the predicates and parameters")
        actions.append(made)
    return Domain(name, types, predicates, tuple(actions))


def read_problem(text: str) -> dict[str, Any]:
    """A problem from PDDL: "domain", "objects" with their types, and the atoms of "init" and "goal"."""
    _, parts = _sections(text, "problem", (":domain", ":requirements", ":objects", ":init", ":goal"))
    what = "the PDDL of a problem"
    for name in (":domain", ":init", ":goal"):
        if len(parts.get(name, [])) != 1:
            raise LevelError(f"{what} must have one part {name}")
    found: dict[str, Any] = {"domain": parts[":domain"][0][0] if parts[":domain"][0] else ""}
    found["objects"] = dict(_typed([word for part in parts.get(":objects", []) for word in part], what))
    goals = parts[":goal"][0]
    if len(goals) != 1:
        raise LevelError(f"{what}: the goal must be one conjunction")
    for name, tree in (("init", ["and", *parts[":init"][0]]), ("goal", goals[0])):
        found[name], negated = _atoms(tree, f"{what}: {name}")
        if negated:
            raise LevelError(f"{what}: {name}: {written(('not', *negated[0]))} cannot be read; name what is true")
    return found


def read_atom(text: Any, what: str) -> Atom:
    """An atom from a text such as "(on a b)"."""
    if not isinstance(text, str) or len(text) > 200:
        raise LevelError(f"{what} must be a text such as '(on a b)', not {text!r:.40}")
    atoms, negated = _atoms(_nested(text, what), what)
    if len(atoms) != 1 or negated:
        raise LevelError(f"{what} must be one fact, not {text!r:.40}")
    return atoms[0]


# Writing.


def written(atom: Iterable[str]) -> str:
    """An atom as PDDL."""
    return f"({' '.join(atom)})"


def _typed_text(pairs: Iterable[tuple[str, str]]) -> str:
    return " ".join(name if kind == "object" else f"{name} - {kind}" for name, kind in pairs)


def _type_lines(types: Mapping[str, str]) -> list[str]:
    """A line for the types below each parent; no parents where all are "object"."""
    if set(types.values()) == {"object"}:
        return [f"    {' '.join(types)}"]
    below: dict[str, list[str]] = {}
    for kind, parent in types.items():
        below.setdefault(parent, []).append(kind)
    return [f"    {' '.join(kinds)} - {parent}" for parent, kinds in below.items()]


def write_domain(domain: Domain) -> str:
    """A domain as PDDL."""
    lines = [f"(define (domain {domain.name})", "  (:requirements :strips :typing)"]
    if domain.types:
        lines += ["  (:types", *_type_lines(domain.types), "  )"]
    lines.append("  (:predicates")
    lines += [f"    ({' '.join(filter(None, (name, _typed_text(of))))})" for name, of in domain.predicates.items()]
    lines[-1] += ")"
    for action in domain.actions:
        effects = [*map(written, action.add), *(f"(not {written(atom)})" for atom in action.delete)]
        lines += [
            f"  (:action {action.name}",
            f"    :parameters ({_typed_text(action.parameters)})",
            f"    :precondition (and {' '.join(map(written, action.pre))})",
            f"    :effect (and {' '.join(effects)}))",
        ]
    return "\n".join(lines) + ")\n"


def write_problem(task: Task, init: Iterable[Atom], goal: Iterable[Atom], name: str = "problem") -> str:
    """A problem as PDDL, fixed facts included."""
    lines = [f"(define (problem {name})", f"  (:domain {task.domain.name})", "  (:objects"]
    lines += [f"    {_typed_text([pair])}" for pair in task.objects.items()]
    lines += ["  )", "  (:init", *(f"    {written(atom)}" for atom in (*task.fixed, *init)), "  )"]
    return "\n".join([*lines, f"  (:goal (and {' '.join(map(written, goal))})))"]) + "\n"


# Grounding.


def _bindings(
    action: Action, of_type: Mapping[str, list[str]], tests: Sequence[Atom], fixed: set[Atom]
) -> Iterator[dict[str, str]]:
    """All choices of objects for an action's parameters for which these tests are fixed facts."""
    names = [name for name, _ in action.parameters]
    due = [
        [atom for atom in tests if max((names.index(v) for v in atom[1:]), default=0) == k] for k in range(len(names))
    ]

    def extend(bound: dict[str, str]) -> Iterator[dict[str, str]]:
        k = len(bound)
        if k == len(names):
            yield dict(bound)
            return
        for thing in of_type[action.parameters[k][1]]:
            bound[names[k]] = thing
            if all(_bound(atom, bound) in fixed for atom in due[k]):
                yield from extend(bound)
            del bound[names[k]]

    return extend({})


def _bound(atom: Atom, values: Mapping[str, str]) -> Atom:
    return (atom[0], *(values[variable] for variable in atom[1:]))


def ground(domain: Domain, objects: Mapping[str, str], fixed: Iterable[Atom], possible: Iterable[Atom]) -> Task:
    """The operators and facts that can matter if a start has facts of `possible` only.

    Operators with a precondition that can never hold are left out, by reachability without deletions.
    """
    fixed = tuple(dict.fromkeys(fixed))
    kinds = {kind for action in domain.actions for _, kind in action.parameters}
    of_type = {kind: [name for name, own in objects.items() if domain.is_a(own, kind)] for kind in kinds}
    known, reached = set(fixed), dict.fromkeys(possible)
    loose = domain.changing | {atom[0] for atom in reached}
    waiting = []
    for action in domain.actions:
        for values in _bindings(action, of_type, [atom for atom in action.pre if atom[0] not in loose], known):
            name = written((action.name, *values.values()))
            pre = [_bound(atom, values) for atom in action.pre if atom[0] in loose]
            add, delete = ([_bound(atom, values) for atom in part] for part in (action.add, action.delete))
            waiting.append((name, pre, add, [atom for atom in delete if atom not in add]))
    usable = [False] * len(waiting)
    growing = True
    while growing:
        growing = False
        for k, (_, pre, add, _) in enumerate(waiting):
            if not usable[k] and all(atom in reached for atom in pre):
                usable[k] = growing = True
                reached.update(dict.fromkeys(add))
    order = {name: k for k, name in enumerate(domain.predicates)}
    places = {name: k for k, name in enumerate(objects)}
    facts = tuple(sorted(reached, key=lambda atom: (order[atom[0]], *(places[name] for name in atom[1:]))))
    number = {fact: k for k, fact in enumerate(facts)}
    operators = tuple(
        Operator(
            name, tuple(number[a] for a in pre), tuple(number[a] for a in add),
            tuple(number[a] for a in delete if a in number),
        )
        for (name, pre, add, delete), use in zip(waiting, usable) if use
    )  # fmt: skip
    if len(operators) > MOST_OPERATORS or len(facts) > MOST_FACTS:
        raise LevelError(
            f"{domain.name}: {len(operators)} operators and {len(facts)} facts; "
            f"{MOST_OPERATORS} and {MOST_FACTS} are the most"
        )
    return Task(domain, dict(objects), fixed, facts, operators)


# Searching, in Python: for figures of levels and tests.


def bits(numbers: Iterable[int]) -> int:
    """A set of facts as a number."""
    return sum(1 << k for k in set(numbers))


def successors(task: Task) -> list[tuple[int, int, int]]:
    """Of each operator the sets of its preconditions, of what it keeps and of what it adds, as numbers."""
    return [(bits(o.pre), ~bits(o.delete), bits(o.add)) for o in task.operators]


def distances(
    task: Task, init: int, goal: int | None = None, most: int = 1_000_000
) -> tuple[dict[int, int], int | None]:
    """The distance of each state from `init` by breadth-first search, and that of the goal, None if it is not found.

    The search ends at the goal, or once it has seen `most` states.
    """
    rules, found, layer, depth = successors(task), {init: 0}, [init], 0
    if goal is not None and init & goal == goal:
        return found, 0
    while layer and len(found) < most:
        depth += 1
        following = []
        for state in layer:
            for pre, keep, add in rules:
                if state & pre == pre:
                    after = state & keep | add
                    if after not in found:
                        found[after] = depth
                        if goal is not None and after & goal == goal:
                            return found, depth
                        following.append(after)
        layer = following
    return found, None


def find_plan(task: Task, init: int, goal: int, most: int) -> tuple[int | None, int | None]:
    """The lengths of a shortest plan and of some plan, None where none is found.

    The first is by breadth-first search over up to `most` states, the second, where that finds none, by greedy search
    over a twentieth of that.
    """
    seen, shortest = distances(task, init, goal, most)
    if shortest is not None or len(seen) < most:
        return shortest, shortest
    return None, _greedy(task, init, goal, most // 20)


def _greedy(task: Task, init: int, goal: int, most: int) -> int | None:
    """The length of a plan by greedy search: the states with the least additive cost of the goal first."""
    rules, depth = successors(task), {init: 0}
    open_states = [(_additive(task, init, goal), 0, init)]
    while open_states and len(depth) < most:
        _, _, state = heapq.heappop(open_states)
        if state & goal == goal:
            return depth[state]
        for pre, keep, add in rules:
            after = state & keep | add
            if state & pre == pre and after not in depth:
                depth[after] = depth[state] + 1
                heapq.heappush(open_states, (_additive(task, after, goal), len(depth), after))
    return None


def _additive(task: Task, state: int, goal: int) -> float:
    """The sum of the costs of the goal's facts if nothing is deleted and preconditions are paid for one by one."""
    costs = [0.0 if state >> k & 1 else math.inf for k in range(len(task.facts))]
    changed = True
    while changed:
        changed = False
        for operator in task.operators:
            cost = 1.0 + sum(costs[k] for k in operator.pre)
            for k in operator.add:
                if cost < costs[k]:
                    costs[k], changed = cost, True
    return sum(cost for k, cost in enumerate(costs) if goal >> k & 1)
