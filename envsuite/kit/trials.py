"""Shared by MemorySequence and SalesTour: trials on one hidden task, a demonstrator, and generations of learners.

An episode has trials of at most P acts. Before each act, the demonstrator's act at this place may be shown. With
generations, the task stays for that many episodes in a row, and the acts of the best trial of an episode are shown in
the next one. A world calls `begin` in its reset and `after` in its step; it fills `kept` if the demonstrator knows the
task.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.ranges import below, lifetime, within
from envsuite.kit import plots
from envsuite.render.scene import Label, Rect, Scene
from envsuite.render.theme import agent_color, text_on

#: No act.
NONE = -1

#: The most trials, and the most generations.
TRIALS, GENERATIONS = 1000, 1_000_000

#: Less than any trial earns.
WORST = -1e9


def fields(acts: int, places: int, trials: int) -> list[tuple]:
    """The record's fields of trials."""
    act = within(np.int8, NONE, acts - 1)
    return [
        (
            "generation",
            lifetime(within(np.int64, 0, GENERATIONS)),
        ),  # number of this episode, from 1; 0 before the first
        ("kept", lifetime(act), (places,)),  # the demonstrator's acts
        ("trial", within(np.int64, 0, trials)),  # number of trials that are over
        ("place", below(np.int64, places)),  # acts of this trial
        ("shown", act),  # the demonstrator's act at this place
        ("route", act, (places,)),  # the acts of this trial
        ("own", act),  # the last act
        ("paid", within(np.float64, -1, 2)),  # what it paid
        ("best", act, (places,)),  # the acts of the best trial, without one that was wrong
        ("most", within(np.float64, WORST, places + 1)),  # what that trial has earned
        ("totals", within(np.float64, -1, places + 1), (trials,)),  # return of each trial
    ]


def space(acts: int, places: int, trials: int) -> Dict:
    """The observation space."""
    return Dict(
        shown=Box(NONE, acts - 1, (1,), np.int8),
        own=Box(NONE, acts - 1, (1,), np.int8),
        paid=Box(-1.0, 2.0, (1,), np.float64),
        place=Box(0, places - 1, (1,), np.int16),
        trial=Box(0, trials, (2,), np.int16),
        generation=Box(0, GENERATIONS, (2,), np.int32),
    )


@kernel
def fresh(s):
    """Whether a new task begins: with a level, a seed, or after the last generation."""
    return s.level_given != 0 or s.generation == 0 or s.generation >= s.params.generations


@kernel
def begin(s, new):
    """Begin an episode, on a new task or in the next generation."""
    s.generation = 1 if new else s.generation + 1
    s.trial = 0
    s.own = NONE
    s.paid = 0.0
    s.most = WORST
    fill(s.totals, 0.0)
    for p in range(s.best.shape[0]):
        s.best[p] = NONE
        if new and s.params.generations > 0:
            s.kept[p] = NONE
    begin_trial(s)


@kernel
def begin_trial(s):
    """Begin a trial."""
    s.place = 0
    fill(s.route, NONE)
    show(s)


@kernel
def show(s):
    """Show the demonstrator's act at this place: always in the first trial, and never in the last one."""
    trials = s.totals.shape[0]
    s.shown = NONE
    if s.trial < trials and random.bernoulli(s, (trials - 1.0 - s.trial) / (trials - 1.0) if trials > 1 else 1.0):
        s.shown = s.kept[s.place]


@kernel
def after(s, act, paid, wrong, rewards):
    """Follow an act: the next place or trial, or the end of the episode."""
    s.own = act
    s.paid = paid
    rewards[0] = paid
    s.totals[s.trial] += paid
    if not wrong:
        s.route[s.place] = act
    if not wrong and s.place < s.route.shape[0] - 1:
        s.place += 1
        show(s)
        return
    if s.totals[s.trial] > s.most:
        s.most = s.totals[s.trial]
        for p in range(s.route.shape[0]):
            s.best[p] = s.route[p]
    s.trial += 1
    begin_trial(s)
    if s.trial == s.totals.shape[0]:
        s.terminated[0] = 1
        if s.params.generations > 0:
            for p in range(s.kept.shape[0]):
                s.kept[p] = s.best[p]


@kernel
def observe(s, agent, out):
    """Write the observation."""
    out.shown[0] = s.shown
    out.own[0] = s.own
    out.paid[0] = s.paid
    out.place[0] = s.place
    out.trial[0] = s.trial
    out.trial[1] = s.totals.shape[0]
    out.generation[0] = s.generation
    out.generation[1] = s.params.generations


def contradiction(s: Any) -> str | None:
    """What the rules cannot lead to, though each field is in its range."""
    if (s.trial == len(s.totals)) != bool(s.terminated[0]):
        return "the last trial ends the episode"
    if s.generation < 1:
        return "no episode has begun"
    return None if ((s.route != NONE) == (np.arange(len(s.route)) < s.place)).all() else "acts and place differ"


def seen_in(trials: int) -> str:
    """When the demonstrator is seen, for the page of players."""
    if trials == 1:
        return "Before each of your acts, you see a demonstrator's act at this place."
    between = "; between them, the chance to see it falls evenly from trial to trial" if trials > 2 else ""
    return (
        "Before each of your acts, you may see a demonstrator's act at this place: always in the first trial, and "
        f"never in the last one{between}."
    )


def told(s: Any, names: Sequence[str], says: str) -> list[str]:
    """The lines of a text: trials, the last act, and the demonstrator. `says` is its verb."""
    lines = []
    if s.params.generations:
        lines.append(f"Generation {s.generation} of {s.params.generations}.")
    if s.trial:
        returns = ", ".join(f"{total:.4g}" for total in s.totals[: s.trial].tolist()[-12:])
        lines.append(f"Returns of the last trials: {returns}.")
    if s.own != NONE:
        ended = " and ended a trial" if s.place == 0 else ""
        lines.append(f"Your last act was {names[s.own]}; it paid {s.paid:.4g}{ended}.")
    if s.terminated[0]:
        return [*lines, "It is over."]
    made = " ".join(names[k] for k in s.route[: s.place].tolist())
    lines.append(f"Trial {s.trial + 1} of {len(s.totals)}. Acts in this trial: {made or 'none'}.")
    lines.append(
        "The demonstrator shows nothing here." if s.shown == NONE else f"The demonstrator {says} {names[s.shown]}."
    )
    return lines


def begun(s: Any, title: str, names: Sequence[str], best: float) -> Scene:
    """A picture with its title, the demonstrator's act, the last act and the returns of the trials."""
    scene, trials = Scene(20, 12.9), len(s.totals)
    over = "over" if s.terminated[0] else f"trial {s.trial + 1} of {trials}"
    line = f"generation {s.generation} of {s.params.generations} · " if s.params.generations else ""
    scene.add(Label(0.6, 0.85, title, 0.65, align="left", bold=True))
    scene.add(Label(19.4, 0.85, line + over, 0.5, "muted", "right"))
    scene.add(Rect(0.5, 1.5, 13.6, 6.8, "panel", radius=0.25), Rect(14.4, 1.5, 5.1, 6.8, "panel", radius=0.25))
    for y, caption, act in ((3.3, "demonstrator", s.shown), (6.4, "last act", s.own)):
        tile(scene, 16.95, y, 1.6, names[act] if act != NONE else "", agent_color(int(act)) if act != NONE else "line")
        scene.add(Label(16.95, y + 1.25, caption, 0.42, "muted"))
    played = s.totals[: s.trial + (s.place > 0)].tolist()
    plots.curves(scene, (0.5, 8.6, 19, 3.9), "return of each trial", [(played, "blue", "")], trials, (-1.0, best))
    return scene


def tile(scene: Scene, x: float, y: float, size: float, letter: str, color: str, outline: str = "line") -> None:
    """A square around a point with a letter."""
    scene.add(Rect(x - size / 2, y - size / 2, size, size, color, outline, 0.07, 0.1 * size))
    if letter:
        scene.add(Label(x, y, letter, 0.6 * size, text_on(color), bold=True))
