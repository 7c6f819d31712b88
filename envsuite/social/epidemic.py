"""Epidemic: go out, mask, or stay home while an infection spreads on a graph of contacts.

**Rules.** The agents are nodes of a graph; neighbors meet. `first` agents, drawn at the start, are infected, all others
susceptible. Every day all agents choose at once whether to go out, to go out with a mask, or to stay home. Then:

1. Each susceptible agent meets each of its infected neighbors, unless one of the two stays home. It is infected with
   probability `transmission`, times 1 - `mask_effect` for each of the two that has a mask; meetings are independent.
2. Every agent that was infected in the morning recovers with probability `recovery`. With `model="SIR"`, it is then
   immune. With `model="SIS"`, it is susceptible again.

Agents infected today pass the infection on from tomorrow.

**Agents.** `agent_0` ... `agent_{agents-1}`.

**Observation.** Dict. Health is 0 susceptible, 1 infected, 2 immune.

| part | space | content |
|---|---|---|
| health | Box (1,) int8 | the agent's health |
| neighbors | Box (agents,) int8 | health of each agent that is a neighbor, -1 for the others |
| infected, immune | Box (1,) int16 | numbers of all agents that are infected or immune |
| day, left | Box (1,) int16 | days that have ended; days left, the present one included |
| again | Box (1,) int8 | 1 for `SIS` |
| rules | Box (5,) float64 | `transmission`, `recovery`, `mask_effect`, `mask_cost`, `illness` |

**Actions.** Discrete (3).

| action | name |
|---|---|
| 0 | `go out` |
| 1 | `mask` |
| 2 | `stay home` |

**Window.** The keys o, m and h go out, mask and stay home.

**Rewards.** 1 for a day out, 1 - `mask_cost` with a mask, 0 at home; minus `illness` for an agent that was infected in
the morning.

**Ends.** Terminates when nobody is infected, or after `days` days. The days that are left are then paid at once: 1 each
to all agents.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `agents` | 20 | number of agents, from 3 to 64 |
| `graph` | "regular" | "ring", "lattice", "regular", "scale_free" or "complete", see `envsuite.generators.graphs` |
| `degree` | 4 | neighbors of an agent, as the graph allows, from 2 to 63 |
| `days` | 60 | number of days, from 1 to 1000 |
| `model` | "SIR" | whether agents that recover are immune ("SIR") or not ("SIS") |
| `first` | 2 | agents infected at the start, from 1 to 64 |
| `transmission` | 0.3 | probability of infection at a meeting without masks, from 0 to 1 |
| `recovery` | 0.2 | probability of recovery on a day, from 0.01 to 1 |
| `mask_effect` | 0.6 | part of infections that a mask prevents, from 0 to 1 |
| `mask_cost` | 0.2 | cost of a mask, from 0 to 1 |
| `illness` | 3.0 | cost of a day with the infection, from 0 to 100 |

**Level.** ``{"nodes": 4, "edges": [[0, 1], [1, 2], [2, 3]], "infected": [0]}``: the graph, and the agents infected at
the start, drawn if `infected` is left out. Levels of `envsuite generate graphs` fit.

**Known values.** If all go out on a complete graph of n agents, the numbers (S, I) are a Markov chain: binomial numbers
with probabilities 1 - (1 - `transmission`)**I and `recovery`.

- With `recovery` 1, it is the chain of Reed and Frost. For R agents infected by one on average, R = n `transmission`,
  the share z that a large epidemic reaches solves z = 1 - exp(-R z) as n grows: 0.5828, 0.7968 and 0.9405 for R = 1.5,
  2 and 3.
- In `SIS` with small rates and R = n `transmission` / `recovery`, a share of about 1 - 1 / R stays infected.
- An agent that is infected alone passes the infection on to a neighbor that goes out with probability
  `transmission` / (1 - (1 - `transmission`) (1 - `recovery`)).

**Differences.** From the textbook models, where nobody chooses:

- Days are discrete; the models of Kermack and McKendrick are the limit of small rates.
- Costs, masks and staying home are additions.

**Source.** Kermack and McKendrick, "A contribution to the mathematical theory of epidemics", 1927; Reed and Frost
(Abbey, "An examination of the Reed-Frost theory of epidemics", 1952); Pastor-Satorras and Vespignani, "Epidemic
spreading in scale-free networks", 2001.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import copy
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page
from envsuite.core.ranges import among, below, flag, limited, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.generators.graphs import MOST, Graphs, Shape, draw_starts, make, read_starts, write_edges
from envsuite.kit import plots
from envsuite.kit.graph_pictures import around, draw_edges, framed, places
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene
from envsuite.render.theme import text_on

SUSCEPTIBLE, INFECTED, IMMUNE = range(3)
OUT, MASK, HOME = range(3)
SIR, SIS = range(2)

#: The colors of SUSCEPTIBLE, INFECTED and IMMUNE agents, and their names.
COLORS = ("sky", "bad", "green")
NAMES = ("susceptible", "infected", "immune")
SIGNS = "si+"  # in a terminal


def fields(agents: int, days: int, graph: Graphs) -> list[tuple]:
    """The record's own fields."""
    return [
        *graph.fields,  # level.edges: who meets whom
        ("starts", flag(), (agents,)),  # agents that are infected at the start: part of the level
        ("starts_given", flag()),  # whether the level has them
        ("day", within(np.int64, 0, days)),  # number of days that are over
        ("health", within(np.int8, SUSCEPTIBLE, IMMUNE), (agents,)),
        ("next", within(np.int8, SUSCEPTIBLE, IMMUNE), (agents,)),  # scratch: health after this day
        ("chosen", within(np.int8, -1, HOME), (agents,)),  # on the last day; -1 before the first
        ("order", below(np.int64, agents), (agents,)),  # scratch of draws
        ("counts", within(np.int64, 0, agents), (days + 1, 2)),  # infected and immune agents each morning
    ]


@kernel
def reset(s):
    agents = s.health.shape[0]
    if s.level_given == 0:
        make(s)
    draw_starts(s)
    for k in range(agents):
        s.health[k] = INFECTED if s.starts[k] != 0 else SUSCEPTIBLE
        s.next[k] = SUSCEPTIBLE
        s.chosen[k] = -1
    s.day = 0
    for t in range(s.counts.shape[0]):
        s.counts[t, 0] = 0
        s.counts[t, 1] = 0
    take_counts(s)


@kernel
def take_counts(s):
    """Count the infected and the immune agents of this morning."""
    for k in range(s.health.shape[0]):
        s.counts[s.day, 0] += s.health[k] == INFECTED
        s.counts[s.day, 1] += s.health[k] == IMMUNE


@kernel
def exposure(s, act):
    """The factor of the probability of infection for one of two agents that meet."""
    if act == HOME:
        return 0.0
    return 1.0 - s.params.mask_effect if act == MASK else 1.0


@kernel
def infected_now(s, agent):
    """Whether a susceptible agent is infected on this day."""
    escapes, own = 1.0, s.params.transmission * exposure(s, s.chosen[agent])
    for other in range(s.health.shape[0]):
        if s.level.edges[agent, other] != 0 and s.health[other] == INFECTED:
            escapes *= 1.0 - own * exposure(s, s.chosen[other])
    return random.bernoulli(s, 1.0 - escapes)


@kernel
def step(s, actions, rewards):
    agents = s.health.shape[0]
    for k in range(agents):
        s.chosen[k] = actions[k]
    for k in range(agents):
        if s.chosen[k] != HOME:
            rewards[k] = 1.0 - s.params.mask_cost if s.chosen[k] == MASK else 1.0
        s.next[k] = s.health[k]
        if s.health[k] == SUSCEPTIBLE:
            if infected_now(s, k):
                s.next[k] = INFECTED
        elif s.health[k] == INFECTED:
            rewards[k] -= s.params.illness
            if random.bernoulli(s, s.params.recovery):
                s.next[k] = SUSCEPTIBLE if s.params.model == SIS else IMMUNE
    copy(s.health, s.next)
    s.day += 1
    take_counts(s)
    days = s.counts.shape[0] - 1
    if s.day == days or s.counts[s.day, 0] == 0:
        for k in range(agents):
            s.terminated[k] = 1
            rewards[k] += days - s.day


@kernel
def observe(s, agent, out):
    out.health[0] = s.health[agent]
    for other in range(s.health.shape[0]):
        out.neighbors[other] = s.health[other] if s.level.edges[agent, other] != 0 else -1
    out.infected[0] = s.counts[s.day, 0]
    out.immune[0] = s.counts[s.day, 1]
    out.day[0] = s.day
    out.left[0] = s.counts.shape[0] - 1 - s.day
    out.again[0] = s.params.model == SIS
    out.rules[0] = s.params.transmission
    out.rules[1] = s.params.recovery
    out.rules[2] = s.params.mask_effect
    out.rules[3] = s.params.mask_cost
    out.rules[4] = s.params.illness


PAGE = Page(
    role=(
        "You are one of {agents} agents in a town where an infection spreads between neighbors. Your neighbors stay "
        "the same."
    ),
    goal=(
        "A day on which you go out pays you 1, with a mask {masked}, and at home 0. Each day on which you are "
        "infected in the morning costs you {illness}."
    ),
    rules=(
        "Every day all of you choose at once. Then each susceptible agent meets each of its infected neighbors, "
        "unless one of the two stays home. A meeting infects with a chance of {transmission}; a mask of one of the "
        "two lowers the chance by {prevented}, and masks of both do so twice. An agent that is infected today passes "
        "it on from tomorrow.",
        (
            "An agent that was infected in the morning recovers on that day with a chance of {recovery}.",
            Case("model", {"SIR": "Then it is immune for good.", "SIS": "Then it is susceptible again."}),
            "At the start, {first:is/are} infected, drawn by lot, and all others are susceptible.",
        ),
    ),
    sees=(
        "You see who of you and your neighbors is infected, and how many of all are infected and immune, but not what "
        "the others do."
    ),
    acts={"go out": "go out without a mask", "mask": "go out with a mask", "stay home": "meet nobody"},
    ends=(
        "It is over after {days:day}, or as soon as nobody is infected; then all of you are paid 1 for each day that "
        "is left."
    ),
    unsaid={
        **dict.fromkeys(("graph", "degree"), "all see their neighbors"),
        "mask_cost": "told by what a day with a mask pays",
        "mask_effect": "told as a percentage",
    },
    constants={"1": "what a day out pays", "0": "a day at home", "two": "agents that meet", "twice": "with both masks"},
)


class Epidemic(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("opinions", "dilemmas")
    verified = (
        "exact chains of Reed and Frost and of SIS; probabilities of single meetings; the share of large epidemics"
    )
    variants = (
        dict(agents=9, graph="lattice", model="SIS", days=12, first=3),
        dict(agents=12, graph="scale_free", degree=2, days=20),
    )
    shown = "selfish"
    keys = {"o": "go out", "m": "mask", "h": "stay home"}
    player_page = PAGE

    def __init__(
        self,
        agents: Annotated[int, Between(3, MOST)] = 20,
        graph: Shape = "regular",
        degree: Annotated[int, Between(2, MOST - 1)] = 4,
        days: Annotated[int, Horizon(1, 1000)] = 60,
        model: Literal["SIR", "SIS"] = "SIR",
        first: Annotated[int, Between(1, MOST)] = 2,
        transmission: Annotated[float, Between(0, 1)] = 0.3,
        recovery: Annotated[float, Between(0.01, 1)] = 0.2,
        mask_effect: Annotated[float, Between(0, 1)] = 0.6,
        mask_cost: Annotated[float, Between(0, 1)] = 0.2,
        illness: Annotated[float, Between(0, 100)] = 3.0,
    ):
        if first > agents:
            raise ParameterError(f"Epidemic: first={first} must be at most agents={agents}")
        made = Graphs(graph, agents, degree)
        self.define(
            agents=[f"agent_{k}" for k in range(agents)],
            actions=["go out", "mask", "stay home"],
            observation=Dict(
                health=Box(SUSCEPTIBLE, IMMUNE, (1,), np.int8),
                neighbors=Box(-1, IMMUNE, (agents,), np.int8),
                infected=Box(0, agents, (1,), np.int16),
                immune=Box(0, agents, (1,), np.int16),
                day=Box(0, days, (1,), np.int16),
                left=Box(0, days, (1,), np.int16),
                again=Box(0, 1, (1,), np.int8),
                rules=Box(0.0, np.array([1.0, 1.0, 1.0, 1.0, 100.0]), (5,), np.float64),
            ),
            fields=fields(agents, days, made),
            params={
                **made.values,
                "model": among(("SIR", "SIS"), model),
                "first": limited(first, 1, agents),
                "transmission": float(transmission),
                "recovery": float(recovery),
                "mask_effect": float(mask_effect),
                "mask_cost": float(mask_cost),
                "illness": float(illness),
            },
            reward_range=(-float(illness), float(days)),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"masked": 1 - float(s.params.mask_cost), "prevented": f"{100 * float(s.params.mask_effect):.6g}%"}

    def contradiction(self, s: Any) -> str | None:
        if s.day >= len(s.counts) - 1 + s.terminated[0]:
            return "all days are over"
        edges = s.level.edges
        return None if (edges == edges.T).all() and not edges.diagonal().any() else "edges are not mutual"

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        read_starts(s, level, self.id, "infected", "infected agent", ", at least one")

    def get_level(self, s: Any) -> dict[str, Any]:
        return {**write_edges(s.level.edges), "infected": np.flatnonzero(s.starts).tolist()}

    # Text.

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        days = len(s.counts) - 1
        near = [f"agent_{k} {NAMES[health]}" for k, health in enumerate(seen.neighbors.tolist()) if health >= 0]
        lines = [
            f"{seen.infected[0]} of all are infected, {seen.immune[0]} immune. You are {NAMES[seen.health[0]]}.",
            f"Your neighbors: {', '.join(near) or 'none'}.",
        ]
        if s.terminated.all():
            return "\n".join([*lines, f"It is over after {s.day} days."])
        return "\n".join([*lines, f"Day {s.day + 1} of {days}."])

    # The picture: the graph, or one agent's neighbors, and the numbers by day.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        days = len(s.counts) - 1
        moment = f"over after {s.day} days" if s.terminated.all() else f"day {s.day + 1} of {days}"
        scene = framed("Epidemic", moment)
        if agent is None:
            at = np.array([1.4, 2.4]) + 8.8 * places(s.level.edges)
            draw_edges(scene, s.level.edges, at)
            size = min(0.5, 2.6 / len(at) ** 0.5)
            for k, (x, y) in enumerate(at.tolist()):
                self._draw_agent(scene, s, k, x, y, size, True)
        else:
            near = np.flatnonzero(s.level.edges[agent]).tolist()
            size = min(0.8, 8 / max(1, len(near)))
            for k, (x, y) in zip(near, around(5.8, 6.8, 4.0, len(near))):
                scene.add(Line([(5.8, 6.8), (x, y)], "line", 0.08))
                self._draw_agent(scene, s, k, x, y, size, False)
            self._draw_agent(scene, s, agent, 5.8, 6.8, 1.1, True)
        for k, count in enumerate((len(self.agents) - s.counts[s.day].sum(), *s.counts[s.day])):
            y = 1.9 + 1.15 * k
            scene.add(Rect(11.4, y - 0.4, 8.1, 1.0, "panel", radius=0.2))
            scene.add(Circle(12.1, y + 0.1, 0.3, COLORS[k], glyph=SIGNS[k]))
            scene.add(Label(12.7, y + 0.1, NAMES[k], 0.44, align="left"))
            scene.add(Label(19.1, y + 0.1, str(count), 0.55, align="right", bold=True))
        past = s.counts[: s.day + 1]
        lines = [(past[:, k].tolist(), COLORS[k + 1], "") for k in (1, 0)]
        plots.curves(scene, (11.4, 5.0, 8.1, 7.1), "by day", lines, days + 1, (0, len(self.agents)))
        return scene

    def _draw_agent(self, scene: Scene, s: Any, k: int, x: float, y: float, size: float, acts: bool) -> None:
        """A disc in the color of its health; with what it did on the last day: a mask, or a house around it."""
        color = COLORS[s.health[k]]
        if acts and s.chosen[k] == HOME:
            scene.add(Rect(x - 1.3 * size, y - 1.3 * size, 2.6 * size, 2.6 * size, "line", "muted", 0.05, 0.3 * size))
        scene.add(Circle(x, y, size, color, "line", 0.04, glyph=SIGNS[s.health[k]]))
        if acts and s.chosen[k] == MASK:
            scene.add(Rect(x - 0.7 * size, y + 0.15 * size, 1.4 * size, 0.6 * size, "white", "muted", 0.03, 0.2 * size))
        lift = 0.25 * size if acts and s.chosen[k] == MASK else 0.0
        scene.add(Label(x, y - lift, str(k), 0.75 * size, text_on(color), bold=True, terminal=False))


env, raw_env, parallel_env = pettingzoo_forms(Epidemic)
