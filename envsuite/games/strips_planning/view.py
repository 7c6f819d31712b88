"""The texts and the picture of Planning."""

from __future__ import annotations

from typing import Any

from envsuite.games.strips_planning.levels import numbers_in
from envsuite.kit.buttons import Buttons
from envsuite.kit.fact_pictures import draw_goal, draw_state
from envsuite.kit.strips import Atom, written
from envsuite.render.scene import Label, Scene

#: Left, top, width and height of the state, the goal and the legal actions.
STATE, GOAL, LEGAL = (0.5, 1.6, 17.5, 13.4), (18.8, 2.0, 10.7, 4.2), Buttons((18.8, 7.1, 10.7, 8.0))


def facts_of(world: Any, words: Any) -> list[Atom]:
    """The facts of a set."""
    facts = world.task.facts
    return [facts[k] for k in numbers_in(words, len(facts))]


def _listed(atoms: Any) -> str:
    return " ".join(map(written, atoms)) or "none"


def text(world: Any, s: Any, agent: int) -> str:
    """The state and the goal."""
    facts, goal = facts_of(world, s.state), facts_of(world, s.level.goal)
    missing = [atom for atom in goal if atom not in set(facts)]
    lines = [f"These facts hold: {_listed(facts)}", f"The goal: {_listed(goal)}"]
    if s.terminated[0]:
        over = "No action is possible; the goal is not reached." if missing else "The goal is reached."
        return "\n".join([*lines, over])
    lines.append(f"Facts of the goal that do not hold yet: {_listed(missing)}")
    if s.truncated[0]:
        return "\n".join([*lines, "The steps are used up; the goal is not reached."])
    return "\n".join([*lines, f"Steps so far: {s.t} of {s.params.horizon}."])


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
