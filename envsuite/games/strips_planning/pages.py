"""Planning's pages for players, one for each domain; the actions are told from the domain in PDDL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from envsuite.core.page import Page, When, listed
from envsuite.games.strips_planning.domains import DOMAINS, domain_of
from envsuite.kit.strips import Action, Atom, Task, written

#: What a player does in each domain.
ROLES = {
    "blocksworld": "You stack blocks with a hand that holds one block at a time.",
    "depots": "You bring crates to other depots and stack them, with hoists that lift them and with trucks.",
    "driverlog": "You have drivers deliver packages with trucks. Trucks go by road, and drivers on foot go by path.",
    "ferry": "You take cars to their ports with a ferry that holds one car at a time.",
    "floortile": "You have robots paint the tiles of a floor, each the tile above or below its own.",
    "gripper": "You have a robot with grippers carry balls from room to room.",
    "hanoi": "You move discs from peg to peg, one at a time.",
    "keys": "You have a robot carry keys through rooms with locked doors.",
    "logistics": "You have packages delivered, by trucks within cities and by a plane between them.",
    "miconic": "You run a lift that takes passengers to their floors.",
    "satellite": "You have satellites take images with their instruments.",
    "spanner": "You have a worker collect spanners and tighten nuts.",
    "tiles": "You slide tiles into an empty cell of a board until all are in place.",
    "tyres": "You change the wheels of a car with tools from its boot.",
    "visit_all": "You have a robot visit cells of a board.",
    "zenotravel": "You have planes carry people between cities. A flight burns fuel.",
}


def _variable(name: str) -> str:
    return name.removeprefix("?").upper()


def _facts(atoms: Iterable[Atom]) -> str:
    return listed([written((atom[0], *map(_variable, atom[1:]))) for atom in atoms])


def _shown(action: Action) -> str:
    """The pattern of an action's names."""
    return written((action.name, *(f"{{{_variable(name)}}}" for name, _ in action.parameters)))


def _told(action: Action) -> str:
    """What an action takes, needs and does."""
    things = [f"{kind} {_variable(name)}" for name, kind in action.parameters]
    parts = [", ".join(things)] if things else []
    parts.append(f"needs {_facts(action.pre)}")
    if action.delete:
        parts.append(f"deletes {_facts(action.delete)}")
    return "; ".join([*parts, f"adds {_facts(action.add)}"])


def _page(name: str) -> Page:
    domain = domain_of(name)
    return Page(
        role=ROLES[name],
        goal="You are paid 1 when all facts of the goal hold at once, otherwise 0.",
        rules=(
            "How things stand is told by facts in parentheses; a fact that is not listed does not hold. In each step "
            "you take one action; in the list below, capital letters stand for objects. You can take it if all facts "
            "that it needs hold. First the facts that it deletes no longer hold, and then those that it adds hold. "
            "Nothing else changes, and nothing happens by chance.",
            ("The objects, by kind: {objects}.", When("kinds", "{kinds}")),
            "Some facts never change; here they are by their first word. {fixed}",
        ),
        sees="You see all facts that hold and those of the goal.",
        acts={_shown(action): _told(action) for action in domain.actions},
        ends="It is over when the goal is reached, when no action is possible, or after {horizon:step}.",
        unsaid={"size": "told by the objects"},
        constants={"1": "the reward of the goal", "0": "the reward without it"},
    )


PAGES = {name: _page(name) for name in DOMAINS}


def page_role(world: Any, s: Any, agent: int) -> str:
    name: str = world.parameters["domain"]
    return name


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    kinds: dict[str, list[str]] = {}
    for name, kind in world.task.objects.items():
        kinds.setdefault(kind, []).append(name)
    objects = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items())
    return {"objects": objects, "kinds": _kinds(world.task), "fixed": _fixed(world.task)}


def _kinds(task: Task) -> str:
    """Which kinds of objects belong to another kind."""
    below: dict[str, list[str]] = {}
    for kind, parent in task.domain.types.items():
        if parent != "object":
            below.setdefault(parent, []).append(kind)
    return " ".join(f"Each {listed(kinds, 'or')} is also a {parent}." for parent, kinds in below.items())


def _fixed(task: Task) -> str:
    """The facts that always hold, by predicate."""
    rows: dict[str, list[tuple[str, ...]]] = {}
    for name, *of in task.fixed:
        rows.setdefault(name, []).append(tuple(of))
    return " ".join(f"{name}: {_all(found)}." for name, found in rows.items())


def _all(found: list[tuple[str, ...]]) -> str:
    """The objects of facts of one predicate, in short where they are all pairs or hold both ways."""
    names, known = sorted({name for of in found for name in of}), set(found)
    if known == {(a, b) for a in names for b in names if a != b}:
        return f"any two of {listed(names)}" if len(names) > 2 else f"{listed(names)}, both ways"
    if known == {of[::-1] for of in known} and all(len(of) == 2 for of in known):
        return f"{', '.join(' '.join(of) for of in found if of < of[::-1])}, all both ways"
    return ", ".join(" ".join(of) for of in found)
