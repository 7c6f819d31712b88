"""The texts and the picture of Planning."""

from __future__ import annotations

from typing import Any

from envsuite.games.strips_planning.levels import numbers_in
from envsuite.kit.buttons import Buttons
from envsuite.kit.fact_pictures import draw_goal, draw_state
from envsuite.kit.strips import Atom, write_domain, written
from envsuite.render.scene import Label, Scene

#: Left, top, width and height of the state, the goal and the legal actions.
STATE, GOAL, LEGAL = (0.5, 1.6, 17.5, 13.4), (18.8, 2.0, 10.7, 4.2), Buttons((18.8, 7.1, 10.7, 8.0))


def facts_of(world: Any, words: Any) -> list[Atom]:
    """The facts of a set."""
    facts = world.task.facts
    return [facts[k] for k in numbers_in(words, len(facts))]


def _listed(atoms: Any) -> str:
    return " ".join(map(written, atoms)) or "none"


def prompt(world: Any, s: Any, agent: int) -> str:
    """The rules of a world for an agent before an episode."""
    task, horizon = world.task, world.parameters["horizon"]
    kinds: dict[str, list[str]] = {}
    for name, kind in task.objects.items():
        kinds.setdefault(kind, []).append(name)
    objects = "\n".join(f"- {kind}: {', '.join(names)}" for kind, names in kinds.items())
    return (
        "You solve a planning problem. Each turn you choose an action whose preconditions hold. It removes the facts "
        "that it deletes and then adds the facts that it adds. Make all facts of the goal hold at once, within "
        f"{horizon} actions. If no action is possible, you have failed.\n\n"
        f"The domain in PDDL:\n\n{write_domain(task.domain)}\n"
        f"The objects:\n\n{objects}\n\n"
        f"These facts never change: {_listed(task.fixed)}\n"
    )


def text(world: Any, s: Any, agent: int) -> str:
    """The state, the goal and the legal actions."""
    facts, goal = facts_of(world, s.state), facts_of(world, s.level.goal)
    missing = [atom for atom in goal if atom not in set(facts)]
    lines = [f"These facts hold: {_listed(facts)}", f"The goal: {_listed(goal)}"]
    if s.terminated[0]:
        over = "No action is possible; the goal is not reached." if missing else "The goal is reached."
        return "\n".join([*lines, over])
    lines.append(f"Facts of the goal that do not hold yet: {_listed(missing)}")
    if s.truncated[0]:
        return "\n".join([*lines, "The episode is over; the goal is not reached."])
    names = " ".join(world.action_names[0][k] for k in world.legal_actions(s, 0))
    return "\n".join([*lines, f"Step {s.t} of {s.params.horizon}. Possible actions: {names}"])


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The state on the left, and on the right the goal and the legal actions."""
    facts, goal = facts_of(world, s.state), facts_of(world, s.level.goal)
    scene = Scene(30, 15.5)
    met = sum(atom in set(facts) for atom in goal)
    scene.add(Label(STATE[0], 0.8, f"Planning: {world.parameters['domain']}", 0.65, align="left", bold=True))
    scene.add(Label(29.5, 0.8, f"step {s.t} of {s.params.horizon}", 0.5, "muted", "right"))
    draw_state(scene, world.task, facts, world.board, STATE)
    state = f"goal: {met} of {len(goal)} facts hold"
    scene.add(Label(GOAL[0], 1.5, state, 0.5, "good" if met == len(goal) else "ink", "left", bold=True))
    draw_goal(scene, world.task, set(facts), goal, GOAL)
    over = "reached the goal" if met == len(goal) else "failed" if s.terminated[0] or s.truncated[0] else ""
    scene.add(Label(LEGAL.area[0], 6.65, over or "possible actions", 0.5, align="left", bold=True))
    LEGAL.draw(scene, world, s)
    return scene


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    return LEGAL.at(world, s, x, y)
