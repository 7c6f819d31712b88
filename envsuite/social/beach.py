"""Beach: agents of two types spread over the sections of a beach, which should be neither crowded nor of one type.

**Rules.** The beach is a row of `sections` sections. Each agent has a type, drawn with the weights `types`, and starts
in a section, drawn with the weights `starts`. In every step, all agents choose at once to go one section to the left or
to the right, or to stay. An agent that would leave the beach stays.

**Agents.** `agent_0` ... `agent_{agents-1}`.

**Observation.** Dict. An agent sees its own section only.

| part | space | content |
|---|---|---|
| type | Box (1,) int8 | the agent's type |
| section | Box (1,) int8 | the number of its section, from the left |
| count | Box (1,) int16 | agents in its section, itself included |
| share | Box (1,) float64 | the part of them that has its type |
| left | Box (1,) int16 | steps left |
| rules | Box (6,) float64 | `agents`, `sections`, `capacity`, 1 for `team`, and the two `weights` |

**Actions.** Discrete (3).

| action | name |
|---|---|
| 0 | `left` |
| 1 | `stay` |
| 2 | `right` |

**Window.** The arrow keys left and right move, and a point stays.

**Rewards.** The sum of two objectives, weighted by `weights`. Only the last step pays. In a section with c agents:

| objective | paid |
|---|---|
| `capacity` | c exp(-c / `capacity`), largest with c = `capacity` |
| `mixture` | the number of agents of its rarest type, divided by c; 0 in an empty section |

With `team`, every agent is paid for all sections: the sum of `capacity` and the mean of `mixture`. Otherwise it is paid
for its own section.

**Ends.** Terminates after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `agents` | 20 | number of agents, from 1 to 1024 |
| `sections` | 4 | number of sections, from 1 to 32 |
| `capacity` | 2 | the best number of agents in a section, from 1 to 1024 |
| `horizon` | 4 | number of steps, from 1 to 1000 |
| `types` | (0.3, 0.7) | weights of the types, 1 to 6 numbers from 0 to 1 |
| `starts` | None | weights of the sections at the start, from 0 to 1 each; equal without them |
| `team` | True | whether agents are paid for all sections instead of their own |
| `weights` | (1, 1) | weights of the two objectives, from -1,000,000 to 1,000,000 |

**Level.** ``{"types": [0, 1, 1, 0], "sections": [2, 0, 3, 3]}``: the type and the first section of each agent.

**Known values.** For 100 agents, 6 sections, capacity 7 and types (0.3, 0.7), as in the source:

- While agents move at random, the numbers of agents in the sections stay binomial. The `team` objectives are then
  9.4033 for `capacity` and 0.2948 for `mixture` on average.
- The largest `capacity` is 12.8818: five sections have 7 agents, and the other 65 share one. They give up their own
  reward for that of the others. `seated` agents reach it in 5 steps.
- One section is worth at most 7 / e = 2.5752.

**Differences.** From MOMAland 0.2.0:

- The defaults are 20 agents, 4 sections, capacity 2 and 4 steps instead of 100, 6, 7 and 1, so that people can play. An
  agent can then reach any section. There are 2.5 agents for each place, as in the source (2.4).
- By default, `team` is on, because the known optimum is that of all sections together.
- Observations also have the steps left and the rules.
- MOMAland returns truncations and terminations in the wrong order; here the last step terminates.
- Rewards are float64 instead of float32.

**Source.** Mannion, Devlin, Duggan and Howley, "Reward shaping for knowledge-based multi-objective multi-agent
reinforcement learning", 2018; Felten et al., "MOMAland: A Set of Benchmarks for Multi-Objective Multi-Agent
Reinforcement Learning", 2024.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sin
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.elementary import exp
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When, counted, listed
from envsuite.core.ranges import below, fixed, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene
from envsuite.render.theme import agent_color, text_on

LEFT, STAY, RIGHT = range(3)

CAPACITY, MIXTURE = range(2)

#: The largest numbers of agents, sections and types; the types' names.
MOST, SECTIONS, NAMES = 1024, 32, "ABCDEF"

#: More than 1 / e: a section is worth less than this part of its capacity.
PEAK = 0.368

#: Of weights of objectives.
WEIGHT = 1_000_000

#: In pictures: the tops of the sea and of the sand, the bottom of the sand, and the size of a towel at most.
SEA, SAND, FOOT, LARGE = 1.5, 3.0, 10.3, 1.25


def fields(agents: int, sections: int, types: int, horizon: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("types", below(np.int8, types), (agents,)),  # of each agent: the level
        ("starts", below(np.int8, sections), (agents,)),  # the first section of each agent: the level
        ("places", below(np.int8, sections), (agents,)),  # the section of each agent now
        ("counts", within(np.int64, 0, agents), (sections, types)),  # agents by section and type
        ("turn", within(np.int64, 0, horizon)),  # steps so far
    ]


@kernel
def reset(s):
    sections, types = s.counts.shape
    s.turn = 0
    for k in range(s.types.shape[0]):
        if s.level_given == 0:
            s.types[k] = random.categorical(s, s.params.types, types)
            s.starts[k] = random.categorical(s, s.params.starts, sections)
        s.places[k] = s.starts[k]
    count(s)


@kernel
def count(s):
    """Count the agents of each section and type."""
    sections, types = s.counts.shape
    fill(s.counts, 0)
    for k in range(s.types.shape[0]):
        s.counts[s.places[k], s.types[k]] += 1


@kernel
def crowd(s, place):
    """The number of agents in a section."""
    total = 0
    for kind in range(s.counts.shape[1]):
        total += s.counts[place, kind]
    return total


@kernel
def worth(s, place):
    """The value of a section for the objective `capacity`."""
    total = crowd(s, place)
    return total * exp(-total / s.params.capacity)


@kernel
def mixture(s, place):
    """The value of a section for the objective `mixture`."""
    total, least = crowd(s, place), s.counts[place, 0]
    for kind in range(1, s.counts.shape[1]):
        least = min(least, s.counts[place, kind])
    return least / total if total > 0 else 0.0


@kernel
def step(s, actions, rewards):
    agents, sections = s.types.shape[0], s.counts.shape[0]
    for k in range(agents):
        s.places[k] = min(max(s.places[k] + actions[k] - STAY, 0), sections - 1)
    count(s)
    s.turn += 1
    if s.turn < s.params.horizon:
        return
    total, mean = 0.0, 0.0
    for place in range(sections):
        total += worth(s, place)
        mean += mixture(s, place) / sections
    for k in range(agents):
        s.terminated[k] = 1
        place = s.places[k]
        s.objectives[k, CAPACITY] = total if s.params.team != 0 else worth(s, place)
        s.objectives[k, MIXTURE] = mean if s.params.team != 0 else mixture(s, place)


@kernel
def observe(s, agent, out):
    place = s.places[agent]
    total = crowd(s, place)
    out.type[0] = s.types[agent]
    out.section[0] = place
    out.count[0] = total
    out.share[0] = s.counts[place, s.types[agent]] / total
    out.left[0] = s.params.horizon - s.turn
    out.rules[0] = s.types.shape[0]
    out.rules[1] = s.counts.shape[0]
    out.rules[2] = s.params.capacity
    out.rules[3] = s.params.team
    out.rules[4] = s.params.weights[CAPACITY]
    out.rules[5] = s.params.weights[MIXTURE]


PAGE = Page(
    role=(
        When("rivals", "You are one of {agents} agents on a beach", "You are alone on a beach"),
        "with {sections:section}, numbered from 0. You are of type {type}.",
    ),
    goal=(
        "You are paid once, at the end:",
        When(
            "team",
            "{worth}the worth of all sections together, and {mixed}the mean mixture of all sections.",
            "{worth}the worth of your section, and {mixed}its mixture.",
        ),
        "A section with c agents is worth c times exp(-c / {capacity}), which is largest with {capacity:agent}. Its "
        "mixture is the number of agents of its rarest type divided by c, and 0 if it is empty. The types were drawn "
        "by lot, with these chances: {types}.",
    ),
    rules=(
        "Each of you begins in a section drawn by lot. In each step all choose at once to go one section to the left, "
        "toward 0, or to the right, or to stay. At an end of the beach you cannot go farther and stay."
    ),
    sees=(
        "You see how many agents are in your section and how many of these have your type, and nothing of other "
        "sections."
    ),
    acts={"left": "go one section to the left", "stay": "stay where you are", "right": "go one section to the right"},
    ends="It is over after {horizon:step}.",
    unsaid={"starts": "all see the section in which they begin", "weights": "told by what is paid"},
    constants={"0": "the first section, and the mixture of an empty one"},
)


class Beach(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    paid_at_end = True
    masked = False
    kind = ("dilemmas", "commons")
    verified = "MOMAland in lock-step; means of random play and the optimum in closed form"
    variants = (
        dict(agents=7, sections=3, capacity=3, horizon=3, types=(0.2, 0.3, 0.5), team=False, weights=(0.5, -2.0)),
        dict(agents=6, sections=3, capacity=1, horizon=1, starts=(1.0, 0.0, 0.5)),
    )
    shown = "seated"
    keys = {"left": "left", ".": "stay", "right": "right"}
    level_fields = {"types": "types", "sections": "starts"}
    player_page = PAGE

    def __init__(
        self,
        agents: Annotated[int, Between(1, MOST)] = 20,
        sections: Annotated[int, Between(1, SECTIONS)] = 4,
        capacity: Annotated[int, Between(1, MOST)] = 2,
        horizon: Annotated[int, Between(1, 1000)] = 4,
        types: tuple[Annotated[float, Between(0, 1)], ...] = (0.3, 0.7),
        starts: tuple[Annotated[float, Between(0, 1)], ...] | None = None,
        team: bool = True,
        weights: tuple[Annotated[float, Between(-WEIGHT, WEIGHT)], ...] = (1.0, 1.0),
    ):
        starts = (1.0,) * sections if starts is None else starts
        if len(starts) != sections:
            raise ParameterError(f"Beach: starts={starts} must have {sections} numbers, one for each section")
        if not 1 <= len(types) <= len(NAMES):
            raise ParameterError(f"Beach: types={types} must have 1 to {len(NAMES)} numbers, one for each type")
        for name, given in (("types", types), ("starts", starts)):
            if not sum(given):
                raise ParameterError(f"Beach: {name}={given} must have a number above 0")
        self.utility = "identical" if team or agents == 1 else "general"
        self.define(
            agents=[f"agent_{k}" for k in range(agents)],
            actions=["left", "stay", "right"],
            observation=Dict(
                type=Box(0, len(types) - 1, (1,), np.int8),
                section=Box(0, sections - 1, (1,), np.int8),
                count=Box(1, agents, (1,), np.int16),
                share=Box(0.0, 1.0, (1,), np.float64),
                left=Box(0, horizon, (1,), np.int16),
                rules=Box(
                    np.array([1.0, 1.0, 1.0, 0.0, -WEIGHT, -WEIGHT]),
                    np.array([MOST, SECTIONS, MOST, 1.0, WEIGHT, WEIGHT]),
                    (6,),
                    np.float64,
                ),
            ),
            fields=fields(agents, sections, len(types), horizon),
            params={
                "capacity": capacity,
                "horizon": fixed(horizon),
                "types": limited(types, 0.0, 1.0),
                "starts": limited(starts, 0.0, 1.0),
                "team": limited(int(team), 0, 1),
                "weights": weights,
            },
            objectives={
                "capacity": (0.0, PEAK * capacity * (sections if team else 1)),
                "mixture": (0.0, 1.0 / len(types)),
            },
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        params = s.params
        weights, shares = params.weights.tolist(), (params.types / params.types.sum()).tolist()
        return {
            "rivals": len(self.agents) - 1,
            "type": NAMES[s.types[agent]],
            "types": listed([f"{100 * share:.4g}% for {NAMES[k]}" for k, share in enumerate(shares)]),
            "worth": "" if weights[CAPACITY] == 1 else f"{weights[CAPACITY]:g} times ",
            "mixed": "" if weights[MIXTURE] == 1 else f"{weights[MIXTURE]:g} times ",
        }

    def contradiction(self, s: Any) -> str | None:
        if s.turn == s.params.horizon and not s.terminated[0]:
            return "all steps are over"
        if not s.params.types.any() or not s.params.starts.any():
            return "all weights of types or sections are 0"
        counts = np.zeros(s.counts.shape, np.int64)
        np.add.at(counts, (np.asarray(s.places), np.asarray(s.types)), 1)
        return None if (counts == s.counts).all() else "counts are not those of the agents"

    # Levels.

    # Text.

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        own = round(float(seen.share[0] * seen.count[0]))
        lines = [
            f"You are of type {NAMES[seen.type[0]]}. Your section, {seen.section[0]}, has {seen.count[0]} agents; "
            f"{own} {'has' if own == 1 else 'have'} your type, you included.",
        ]
        horizon = int(s.params.horizon)
        if not seen.left[0]:
            return "\n".join([*lines, f"It is over after {horizon} steps."])
        return "\n".join([*lines, f"Step {s.turn + 1} of {horizon}."])

    # The picture: sections of sand below the sea, with a towel for each agent that a section can take.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        sections, types = s.counts.shape
        horizon = int(s.params.horizon)
        scene = Scene(20, 12.6)
        moment = f"over after {horizon} steps" if s.turn == horizon else f"step {s.turn + 1} of {horizon}"
        scene.add(Label(0.6, 0.85, "Beach", 0.65, align="left", bold=True))
        scene.add(Label(19.4, 0.85, moment, 0.5, "muted", "right"))
        scene.add(Rect(0.5, SEA, 19, SAND - SEA, "water"), Rect(0.5, SAND, 19, FOOT - SAND, "floor"))
        for k in range(3):
            wave = [(0.5 + x / 8, SEA + 0.35 + 0.42 * k + 0.1 * sin(0.75 * x + 2 * k)) for x in range(153)]
            scene.add(Line(wave, "white@0.7", 0.06))
        scene.add(Rect(0.5, SAND, 19, 0.22, "soil"))
        own = None if agent is None else int(s.places[agent])
        wide = 19 / sections
        for place in range(sections):
            left = 0.5 + wide * place
            if place:
                scene.add(Line([(left, SAND), (left, FOOT)], "seam", 0.06))
            if own in (None, place):
                self._draw_section(scene, s, place, left, wide, agent)
            else:
                scene.add(Label(left + wide / 2, (SAND + FOOT) / 2, "?", min(1.2, 0.6 * wide), "grey", bold=True))
            if wide > 0.7:
                scene.add(Label(left + wide / 2, FOOT + 0.4, str(place), min(0.45, 0.5 * wide), "muted"))
        for kind in range(types):
            scene.add(Circle(3.6 + 1.1 * kind, 0.85, 0.28, agent_color(kind), glyph=NAMES[kind]))
            scene.add(Label(4.0 + 1.1 * kind, 0.85, NAMES[kind], 0.42, "muted", "left", terminal=False))
        for x, color, name in ((10.7, "good", "worth"), (13.0, "purple", "mixture")):
            scene.add(Rect(x, 0.73, 0.5, 0.24, color, radius=0.08))
            scene.add(Label(x + 0.65, 0.85, name, 0.4, "muted", "left", terminal=False))
        return scene

    def _draw_section(self, scene: Scene, s: Any, place: int, left: float, wide: float, agent: int | None) -> None:
        """The agents of a section with their towels, and its values; an agent knows only how many have its type."""
        if agent is None:
            there = [(k, agent_color(s.types[k]), str(k)) for k in np.flatnonzero(s.places == place).tolist()]
        else:
            seen, mine = self.observation(s, agent), agent_color(s.types[agent])
            own, total = round(float(seen.share[0] * seen.count[0])), int(seen.count[0])
            other = agent_color(1 - int(s.types[agent])) if s.counts.shape[1] == 2 else "grey"
            there = [(-1, mine, "")] * (own - 1) + [(-1, other, "")] * (total - own)
            there = [(agent, mine, str(agent)), *there]
        towels, high = min(int(s.params.capacity), 200), FOOT - SAND - 0.6
        spots = max(towels, len(there))
        columns = max(1, int(wide / LARGE))
        while -(-spots // columns) * min(wide / columns, LARGE) > high:
            columns += 1
        size = min((wide - 0.2) / columns, LARGE)
        for k in range(spots):
            x = left + wide / 2 + size * (k % columns - (columns - 1) / 2)
            y = SAND + 0.45 + size * (k // columns + 0.5)
            if k < towels:
                scene.add(Rect(x - 0.44 * size, y - 0.44 * size, 0.88 * size, 0.88 * size, "white", "line", 0.03, 0.06))
            if k < len(there):
                number, color, words = there[k]
                edge = "black" if number == agent else "white"
                scene.add(Circle(x, y, 0.33 * size, color, edge, 0.08 * size))
                if words and size > 0.45:
                    scene.add(Label(x, y, words, 0.34 * size, text_on(color), bold=True, terminal=False))
        self._draw_values(scene, s, place, left, wide, agent is None or s.counts.shape[1] <= 2)

    def _draw_values(self, scene: Scene, s: Any, place: int, left: float, wide: float, known: bool) -> None:
        """The number of agents of a section, a bar of its worth, and one of its mixture where that is known."""
        top, across = FOOT + 0.75, wide - 0.3
        most = PEAK * int(s.params.capacity)
        values = [(worth(s, place) / most, "good"), (mixture(s, place) * s.counts.shape[1], "purple")]
        for k, (part, color) in enumerate(values[: 1 + known]):
            y = top + 0.4 * k
            scene.add(Rect(left + 0.15, y, across, 0.24, "panel", radius=0.08))
            if part > 0:
                scene.add(Rect(left + 0.15, y, across * min(1.0, part), 0.24, color, radius=0.08))
        if wide > 2.4:
            count = crowd(s, place)
            words = f"{counted(count, 'agent')}, {worth(s, place):.2f}"
            scene.add(Label(left + wide / 2, top + 1.1, words, 0.36, width=wide - 0.1))


env, raw_env, parallel_env = pettingzoo_forms(Beach)
