"""GraphGames: cooperate or defect with the neighbors on a graph, where good strategies may spread.

**Rules.** The agents are nodes of a graph. In every round, each agent has one action, `cooperate` or `defect`, against
all its neighbors. Its payoff is the sum over the games that it takes part in. Games of two, with a row for the agent
and a column for the neighbor; b is `benefit` and c is `cost`:

| `game` | both cooperate | only the agent | only the neighbor | both defect |
|---|---|---|---|---|
| "prisoners_dilemma" | b - c | -c | b | 0 |
| "snowdrift" | b - c / 2 | b - c | b | 0 |
| "stag_hunt" | b | 0 | c | c |

In "public_goods", every agent and its neighbors are a group, so an agent with k neighbors is in k + 1 groups. An agent
that cooperates pays c to each of them. What a group got, times `multiplier`, is shared equally among its members.

With `punishment`, agents can also `punish`: to cooperate, and to punish all neighbors that defect in the same round.
For each of these, the agent pays `fee`, and the neighbor loses `fine`.

`first` agents, drawn at the start, begin with `cooperate`, all others with `defect`. With `revision="all"`, all agents
choose at once in every round. With `revision="one"`, one agent, drawn at random in every round, chooses, and the others
repeat their last actions.

**Agents.** `agent_0` ... `agent_{agents-1}`.

**Observation.** Dict. Actions are 0 cooperate, 1 defect, 2 punish. Before the first round, last actions are those of
the start, with the payoffs that they would have.

| part | space | content |
|---|---|---|
| action | Box (1,) int8 | the agent's last action |
| payoff | Box (1,) float64 | its payoff of the last round |
| neighbors | Box (agents,) int8 | last action of each agent that is a neighbor, -1 for the others |
| payoffs | Box (agents,) float64 | payoff of each neighbor in the last round, 0 for the others |
| degrees | Box (agents,) int8 | number of neighbors of each neighbor, 0 for the others |
| round, left | Box (1,) int16 | rounds that have ended; rounds left, the present one included |
| game | Box (1,) int8 | 0 prisoners_dilemma, 1 snowdrift, 2 stag_hunt, 3 public_goods |
| rules | Box (5,) float64 | `benefit`, `cost`, `multiplier`, `fee`, `fine` |

**Actions.** Discrete (2), with `punishment` Discrete (3).

| action | name |
|---|---|
| 0 | `cooperate` |
| 1 | `defect` |
| 2 | `punish` |

**Window.** The keys c, d and p cooperate, defect and punish.

**Rewards.** The payoffs, in every round, to all agents.

**Ends.** Terminates after `rounds` rounds.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `agents` | 20 | number of agents, from 3 to 64 |
| `graph` | "regular" | "ring", "lattice", "regular", "scale_free" or "complete", see `envsuite.generators.graphs` |
| `degree` | 4 | neighbors of an agent, as the graph allows, from 2 to 63 |
| `rounds` | 50 | number of rounds, from 1 to 1000 |
| `game` | "prisoners_dilemma" | the game with the neighbors, see above |
| `revision` | "all" | whether all agents choose in a round or one of them |
| `first` | 10 | agents that cooperate at the start, from 0 to 64 |
| `benefit` | 3.0 | b, from 0 to 20 |
| `cost` | 1.0 | c, from 0 to 20 |
| `multiplier` | 3.0 | what a unit paid to a group becomes ("public_goods"), from 0 to 64 |
| `punishment` | False | whether agents can punish |
| `fee` | 0.5 | cost of a punishment for the agent that punishes, from 0 to 20 |
| `fine` | 2.0 | cost of a punishment for the agent that is punished, from 0 to 20 |

**Level.** ``{"nodes": 4, "edges": [[0, 1], [1, 2], [2, 3]], "cooperators": [0]}``: the graph, and the agents that
cooperate at the start, drawn if `cooperators` is left out. Levels of `envsuite generate graphs` fit.

**Known values.**

- "prisoners_dilemma": to defect dominates if c > 0. If all cooperate, each earns b - c with every neighbor.
- "public_goods" where all agents have k neighbors: to cooperate dominates if `multiplier` is above k + 1, and to defect
  if it is below. All together earn most if all cooperate, for any `multiplier` above 1.
- "stag_hunt" with b > c: an agent does best to cooperate if more than the share c / b of its neighbors do.
- "snowdrift" with b > c: an agent does best to cooperate if less than the share (b - c) / (b - c / 2) of its neighbors
  do.
- "prisoners_dilemma" with `revision="one"`, if all agents play `death_birth` with small `selection`, on a graph that
  looks the same from each of its n nodes, with k neighbors each: if n > 2 k, a single cooperator takes over all agents
  with a probability above 1 / n if and only if b / c > k (n - 2) / (n - 2 k). This is 4 for a cycle of 6 agents and 3
  for a cycle of 8. If n <= 2 k, as on a complete graph, the probability is always below 1 / n. As n grows, this is the
  rule b / c > k of Ohtsuki and others.

**Differences.** From the sources:

- The rules of evolution are policies: `death_birth`, `fermi` and `best_neighbor` do what others prescribe, and any
  agent can play differently.
- Payoffs are sums, not means, over the neighbors.
- In the games of Nowak and May, agents also play against themselves. Here they do not.
- Punishment costs the same in all games. It is an addition to the games of two.

**Source.** Ohtsuki, Hauert, Lieberman and Nowak, "A simple rule for the evolution of cooperation on graphs and social
networks", 2006; Taylor, Day and Wild, "Evolution of cooperation in a finite homogeneous graph", 2007; Nowak and May,
"Evolutionary games and spatial chaos", 1992; Santos, Santos and Pacheco, "Social diversity promotes the emergence of
cooperation in public goods games", 2008; Szabo and Toke, "Evolutionary prisoner's dilemma game on a square lattice",
1998, for the rule of imitation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page, When
from envsuite.core.ranges import among, below, fixed, flag, limited, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.generators.graphs import MOST, Graphs, Shape, draw_starts, make, read_starts, write_edges
from envsuite.kit import plots
from envsuite.kit.graph_pictures import around, draw_edges, framed, places
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene
from envsuite.render.theme import text_on

COOPERATE, DEFECT, PUNISH = range(3)

GAMES = ("prisoners_dilemma", "snowdrift", "stag_hunt", "public_goods")
PRISONERS_DILEMMA, SNOWDRIFT, STAG_HUNT, PUBLIC_GOODS = range(4)

ALL, ONE = range(2)

#: The largest benefit, cost, fee and fine; and bounds of a payoff with any of them.
LARGEST = 20.0
LOWEST, HIGHEST = -LARGEST * 3 * MOST, LARGEST * MOST * MOST

#: The colors of actions, and their names.
COLORS = ("blue", "orange", "purple")
NAMES = ("cooperate", "defect", "punish")


def fields(agents: int, rounds: int, acts: int, graph: Graphs) -> list[tuple]:
    """The record's own fields; `acts` is the number of actions."""
    return [
        *graph.fields,  # level.edges: who plays with whom
        ("starts", flag(), (agents,)),  # agents that cooperate at the start: part of the level
        ("starts_given", flag()),  # whether the level has them
        ("round", within(np.int64, 0, rounds)),  # number of rounds that are over
        ("mover", within(np.int64, -1, agents - 1)),  # the agent that chooses in this round, or -1: all do
        ("actions", below(np.int8, acts), (agents,)),  # of the last round
        ("payoffs", within(np.float64, LOWEST, HIGHEST), (agents,)),  # of the last round
        ("degrees", below(np.int64, agents), (agents,)),  # numbers of neighbors
        ("order", below(np.int64, agents), (agents,)),  # scratch of draws
        ("counts", within(np.int64, 0, agents), (rounds + 1,)),  # agents that did not defect, by round; first the start
    ]


@kernel
def reset(s):
    agents = s.actions.shape[0]
    if s.level_given == 0:
        make(s)
    draw_starts(s)
    for k in range(agents):
        s.order[k] = 0
        s.actions[k] = COOPERATE if s.starts[k] != 0 else DEFECT
        s.degrees[k] = 0
        for other in range(agents):
            s.degrees[k] += s.level.edges[k, other]
    s.round = 0
    fill(s.counts, 0)
    play(s)
    draw_mover(s)


@kernel
def draw_mover(s):
    s.mover = random.randint(s, s.actions.shape[0]) if s.params.revision == ONE else -1


@kernel
def play(s):
    """The payoffs of the present actions, and their count."""
    for k in range(s.actions.shape[0]):
        s.payoffs[k] = payoff(s, k)
        s.counts[s.round] += s.actions[k] != DEFECT


@kernel
def of_two(s, own, other):
    """The payoff of one action against another in a game of two, 1 for cooperation and 0 for defection."""
    benefit, cost = s.params.benefit, s.params.cost
    if s.params.game == STAG_HUNT:
        return (benefit if other else 0.0) if own else cost
    if s.params.game == SNOWDRIFT:
        return (benefit - cost / 2.0 if other else benefit - cost) if own else (benefit if other else 0.0)
    return (benefit if other else 0.0) - (cost if own else 0.0)


@kernel
def from_group(s, center):
    """What each member gets from the group around an agent, before its own cost."""
    givers = np.int64(s.actions[center] != DEFECT)
    for other in range(s.actions.shape[0]):
        if s.level.edges[center, other] != 0:
            givers += s.actions[other] != DEFECT
    return s.params.multiplier * s.params.cost * givers / (s.degrees[center] + 1)


@kernel
def payoff(s, agent):
    """An agent's payoff of the present actions."""
    own, total = s.actions[agent] != DEFECT, 0.0
    goods = s.params.game == PUBLIC_GOODS
    if goods:
        total = from_group(s, agent) - (s.params.cost * (s.degrees[agent] + 1) if own else 0.0)
    for other in range(s.actions.shape[0]):
        if s.level.edges[agent, other] != 0:
            total += from_group(s, other) if goods else of_two(s, own, s.actions[other] != DEFECT)
            if s.actions[agent] == PUNISH and s.actions[other] == DEFECT:
                total -= s.params.fee
            if s.actions[agent] == DEFECT and s.actions[other] == PUNISH:
                total -= s.params.fine
    return total


@kernel
def step(s, actions, rewards):
    agents = s.actions.shape[0]
    for k in range(agents):
        if s.mover < 0 or s.mover == k:
            s.actions[k] = actions[k]
    s.round += 1
    play(s)
    draw_mover(s)
    for k in range(agents):
        rewards[k] = s.payoffs[k]
        s.terminated[k] = s.round == s.counts.shape[0] - 1


@kernel
def observe(s, agent, out):
    out.action[0] = s.actions[agent]
    out.payoff[0] = s.payoffs[agent]
    for other in range(s.actions.shape[0]):
        near = s.level.edges[agent, other] != 0
        out.neighbors[other] = s.actions[other] if near else -1
        out.payoffs[other] = s.payoffs[other] if near else 0.0
        out.degrees[other] = s.degrees[other] if near else 0
    out.round[0] = s.round
    out.left[0] = s.counts.shape[0] - 1 - s.round
    out.game[0] = s.params.game
    out.rules[0] = s.params.benefit
    out.rules[1] = s.params.cost
    out.rules[2] = s.params.multiplier
    out.rules[3] = s.params.fee
    out.rules[4] = s.params.fine


@kernel
def legal(s, agent, mask):
    if s.mover < 0 or s.mover == agent:
        fill(mask, 1)


PAGE = Page(
    role="You are one of {agents} agents, each of which plays with its neighbors. Your neighbors stay the same.",
    goal="In each round you are paid your payoff, which depends on what you and your neighbors do.",
    rules=(
        (
            "In each round you have one action, against all neighbors at once.",
            Case(
                "game",
                {
                    "public_goods": (
                        "Each agent and its neighbors are a group, so that an agent with k neighbors is in k + 1 "
                        "groups. An agent that cooperates pays {cost} to each of its groups. What a group got, times "
                        "{multiplier}, is shared equally among its members, whether they paid or not."
                    ),
                },
                "With each neighbor you get {both} if both of you cooperate, {alone} if only you do, {used} if only "
                "the neighbor does, and {none} if both defect. Your payoff is the sum over all neighbors.",
            ),
            When(
                "punishment",
                "To punish is to cooperate, and to punish all neighbors that defect in the same round: you pay {fee} "
                "for each of them, and it loses {fine}.",
            ),
        ),
        (
            "At the start {first:agent cooperates/agents cooperate}, drawn by lot, and all others defect.",
            Case(
                "revision",
                {
                    "all": "In each round all choose at once.",
                    "one": (
                        "In each round one agent, drawn by lot, chooses; all others repeat their last actions. All "
                        "are paid."
                    ),
                },
            ),
        ),
    ),
    sees="You see the last actions of your neighbors, their payoffs and how many neighbors they have.",
    acts={
        "cooperate": "cooperate with all neighbors",
        "defect": "defect against all neighbors",
        "punish": When("punishment", "cooperate, and punish all neighbors that defect"),
    },
    ends="It is over after {rounds:round}.",
    unsaid={
        **dict.fromkeys(("graph", "degree"), "all see their neighbors"),
        "benefit": "told by what is paid with a neighbor",
        "cost": "told by what is paid",
    },
    constants={"1": "the own group"},
)


class GraphGames(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    masked = False
    kind = ("dilemmas", "opinions")
    verified = (
        "payoffs by matrices; dominance by enumeration; death-birth against its Markov chain over all states, and the "
        "chain's fixation against b / c > k (n - 2) / (n - 2 k)"
    )
    variants = (
        dict(agents=9, graph="lattice", game="public_goods", rounds=6, first=4, punishment=True),
        dict(agents=6, graph="ring", degree=2, game="snowdrift", rounds=8, first=2, revision="one"),
    )
    shown = "fermi"
    keys = {"c": "cooperate", "d": "defect"}
    player_page = PAGE

    def __init__(
        self,
        agents: Annotated[int, Between(3, MOST)] = 20,
        graph: Shape = "regular",
        degree: Annotated[int, Between(2, MOST - 1)] = 4,
        rounds: Annotated[int, Horizon(1, 1000)] = 50,
        game: Literal["prisoners_dilemma", "snowdrift", "stag_hunt", "public_goods"] = "prisoners_dilemma",
        revision: Literal["all", "one"] = "all",
        first: Annotated[int, Between(0, MOST)] = 10,
        benefit: Annotated[float, Between(0, 20)] = 3.0,
        cost: Annotated[float, Between(0, 20)] = 1.0,
        multiplier: Annotated[float, Between(0, 64)] = 3.0,
        punishment: bool = False,
        fee: Annotated[float, Between(0, 20)] = 0.5,
        fine: Annotated[float, Between(0, 20)] = 2.0,
    ):
        if first > agents:
            raise ParameterError(f"GraphGames: first={first} must be at most agents={agents}")
        made = Graphs(graph, agents, degree)
        names = list(NAMES if punishment else NAMES[:PUNISH])
        if revision == "one":
            self.turns = "sequential"
        if punishment:
            self.keys = {**self.keys, "p": "punish"}
        most = agents - 1  # neighbors
        if game == "public_goods":
            low, high = -cost * agents, multiplier * cost * agents
        else:
            low, high = -cost * most, max(benefit, cost) * most
        if punishment:
            low -= max(fee, fine) * most
        self.define(
            agents=[f"agent_{k}" for k in range(agents)],
            actions=names,
            observation=Dict(
                action=Box(0, len(names) - 1, (1,), np.int8),
                payoff=Box(LOWEST, HIGHEST, (1,), np.float64),
                neighbors=Box(-1, len(names) - 1, (agents,), np.int8),
                payoffs=Box(LOWEST, HIGHEST, (agents,), np.float64),
                degrees=Box(0, agents - 1, (agents,), np.int8),
                round=Box(0, rounds, (1,), np.int16),
                left=Box(0, rounds, (1,), np.int16),
                game=Box(0, len(GAMES) - 1, (1,), np.int8),
                rules=Box(0.0, np.array([LARGEST, LARGEST, MOST, LARGEST, LARGEST]), (5,), np.float64),
            ),
            fields=fields(agents, rounds, len(names), made),
            params={
                **made.values,
                "game": among(GAMES, game),
                "revision": fixed(("all", "one").index(revision)),
                "first": limited(first, 0, agents),
                "benefit": float(benefit),
                "cost": float(cost),
                "multiplier": float(multiplier),
                "fee": float(fee),
                "fine": float(fine),
            },
            reward_range=(float(low), float(high)),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        names = ("both", "alone", "used", "none")
        return {name: of_two(s, own, other) for name, (own, other) in zip(names, ((1, 1), (1, 0), (0, 1), (0, 0)))}

    def contradiction(self, s: Any) -> str | None:
        if s.round >= len(s.counts) - 1 + s.terminated[0]:
            return "all rounds are over"
        if (s.mover < 0) != (s.params.revision == ALL):
            return "the agent that chooses does not fit the rule of revision"
        edges = s.level.edges
        if (edges != edges.T).any() or edges.diagonal().any():
            return "edges are not mutual"
        return None if (s.degrees == edges.sum(axis=1)).all() else "degrees are not those of the graph"

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        read_starts(s, level, self.id, "cooperators", "cooperator")

    def get_level(self, s: Any) -> dict[str, Any]:
        return {**write_edges(s.level.edges), "cooperators": np.flatnonzero(s.starts).tolist()}

    # Text.

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        rounds, when = len(s.counts) - 1, "In the last round" if s.round else "At the start"
        near = np.flatnonzero(seen.neighbors >= 0).tolist()
        shown = [
            f"agent_{k} {NAMES[seen.neighbors[k]]} (payoff {seen.payoffs[k]:.6g}, {seen.degrees[k]} neighbors)"
            for k in near
        ]
        lines = [
            f"{when}, your action was {NAMES[seen.action[0]]}, with the payoff {seen.payoff[0]:.6g}.",
            f"Your neighbors: {', '.join(shown) or 'none'}.",
        ]
        if s.terminated.all():
            return "\n".join([*lines, f"It is over after {rounds} rounds."])
        if s.mover not in (-1, agent):
            return "\n".join(
                [*lines, f"Round {s.round + 1} of {rounds}: another agent chooses, you repeat your action."]
            )
        return "\n".join([*lines, f"Round {s.round + 1} of {rounds}."])

    # The picture: the graph, or one agent's neighbors, and the cooperators by round.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        rounds, count = len(s.counts) - 1, len(self.agents)
        moment = f"over after {rounds} rounds" if s.terminated.all() else f"round {s.round + 1} of {rounds}"
        title = GAMES[s.params.game].replace("_", " ").replace("prisoners", "prisoner's").capitalize()
        scene = framed(title, moment)
        if agent is None:
            at = np.array([1.4, 2.4]) + 8.8 * places(s.level.edges)
            draw_edges(scene, s.level.edges, at)
            for k, (x, y) in enumerate(at.tolist()):
                self._draw_agent(scene, s, k, x, y, min(0.5, 2.6 / count**0.5), s.mover == k)
            self._draw_counts(scene, s)
            return scene
        near = np.flatnonzero(s.level.edges[agent]).tolist()
        size = min(0.8, 8 / max(1, len(near)))
        for k, (x, y) in zip(near, around(5.8, 6.8, 3.9, len(near))):
            scene.add(Line([(5.8, 6.8), (x, y)], "line", 0.08))
            self._draw_agent(scene, s, k, x, y, size)
            if len(near) <= 12:
                beside = y + (size + 0.35) * (1 if y > 6.8 else -1)
                scene.add(Label(x, beside, f"{s.payoffs[k]:.4g}", 0.36, "muted"))
        self._draw_agent(scene, s, agent, 5.8, 6.8, 1.1, s.mover == agent)
        self._draw_neighbors(scene, s, agent)
        return scene

    def _draw_counts(self, scene: Scene, s: Any) -> None:
        """How many take each action, the mean payoff, and the cooperators by round."""
        for k, name in enumerate(self.action_names[0]):
            y = 1.9 + 0.95 * k
            self._draw_row(scene, y, name, COLORS[k], str(int((s.actions == k).sum())))
        self._draw_row(scene, 1.9 + 0.95 * self.num_actions, "mean payoff", None, f"{s.payoffs.mean():.4g}")
        counts = s.counts[: s.round + 1].tolist()
        box = (11.4, 5.6, 8.1, 6.5)
        plots.curves(scene, box, "cooperators", [(counts, "blue", "")], len(s.counts), (0, len(self.agents)))

    def _draw_neighbors(self, scene: Scene, s: Any, agent: int) -> None:
        """How many neighbors take each action, and the mean payoff of those."""
        near = s.level.edges[agent] != 0
        scene.add(Label(11.4, 2.2, "neighbors", 0.45, "muted", "left"))
        scene.add(Label(19.1, 2.2, "number · mean payoff", 0.45, "muted", "right"))
        for k, name in enumerate(self.action_names[agent]):
            those = near & (s.actions == k)
            mean = f" · {s.payoffs[those].mean():.4g}" if those.any() else ""
            self._draw_row(scene, 3.1 + 1.1 * k, name, COLORS[k], f"{int(those.sum())}{mean}")
        self._draw_row(scene, 6.9, "your payoff", COLORS[s.actions[agent]], f"{s.payoffs[agent]:.4g}")
        self._draw_rules(scene, s)

    def _draw_rules(self, scene: Scene, s: Any) -> None:
        """What an agent earns with a neighbor, by its own action and the neighbor's; or the numbers of public goods."""
        p = s.params
        scene.add(Rect(11.4, 8.1, 8.1, 4.0, "panel", radius=0.25))
        if p.game == PUBLIC_GOODS:
            parts = (("cost for each of your groups", p.cost), ("multiplier of what a group got", p.multiplier))
            for k, (name, value) in enumerate(parts):
                scene.add(Label(11.8, 8.9 + 0.9 * k, name, 0.42, "muted", "left"))
                scene.add(Label(19.1, 8.9 + 0.9 * k, f"{value:g}", 0.48, align="right", bold=True))
        else:
            scene.add(Label(11.8, 8.65, "you earn beside a neighbor that", 0.38, "muted", "left"))
            for other in (COOPERATE, DEFECT):
                across = 15.9 + 2.4 * other
                scene.add(Label(across, 9.35, f"{NAMES[other]}s", 0.38, "muted"))
                for own in (COOPERATE, DEFECT):
                    earned = of_two(s, own != DEFECT, other != DEFECT)
                    scene.add(Label(across, 10.1 + 0.75 * own, f"{earned:g}", 0.48, bold=True))
            for own in (COOPERATE, DEFECT):
                scene.add(Circle(12.1, 10.1 + 0.75 * own, 0.2, COLORS[own], glyph=""))
                scene.add(Label(12.6, 10.1 + 0.75 * own, NAMES[own], 0.4, align="left"))
        if self.num_actions > PUNISH:
            note = f"punish each that defects: fee {p.fee:g}, fine {p.fine:g}"
            scene.add(Label(11.8, 11.65, note, 0.34, "muted", "left"))

    def _draw_row(self, scene: Scene, y: float, name: str, color: str | None, value: str) -> None:
        scene.add(Rect(11.4, y - 0.35, 8.1, 0.85, "panel", radius=0.2))
        if color:
            scene.add(Circle(12.1, y + 0.08, 0.26, color, glyph=name[0]))
        scene.add(Label(12.7, y + 0.08, name, 0.42, align="left"))
        scene.add(Label(19.1, y + 0.08, value, 0.48, align="right", bold=True))

    def _draw_agent(self, scene: Scene, s: Any, k: int, x: float, y: float, size: float, moves: bool = False) -> None:
        """A disc in the color of its last action, with a ring if it is the one that chooses now."""
        color = COLORS[s.actions[k]]
        if moves:
            scene.add(Circle(x, y, 1.35 * size, None, "gold", 0.1, glyph=""))
        scene.add(Circle(x, y, size, color, "line", 0.04, glyph=NAMES[s.actions[k]][0]))
        scene.add(Label(x, y, str(k), 0.75 * size, text_on(color), bold=True, terminal=False))


env, raw_env, parallel_env = pettingzoo_forms(GraphGames)
