"""Opinions: speak honestly, please the neighbors or leave them, while opinions spread on a graph and bots push.

**Rules.** The agents are nodes of a graph. Each has an opinion from 0 to 1 and shows a value to its neighbors. Most
agents are people. `bots` agents, drawn at the start, are bots: the goals of the first, third, ... are 0, those of the
others 1. The opinion of a bot is its goal and never changes. No agent sees which others are bots.

At the start, all agents show their opinions. In every round, all agents choose at once. An agent that posts shows the
posted value for the whole round. An agent that stays or rewires shows its opinion, also while it changes in the round.
Then people adapt their opinions, by one of four rules:

- "degroot": all at once, each to `self_weight` times its opinion plus 1 - `self_weight` times the mean of the values
  that its neighbors show.
- "hegselmann_krause": all at once, each to the mean of its opinion and of those values of its neighbors that are at
  most `tolerance` from it.
- "deffuant": in `meetings` meetings, one after another, of a random agent and a random neighbor of it. Each of the two
  moves by the part `pull` toward the value that the other shows, if that is less than `tolerance` from its opinion.
- "voter": in `meetings` meetings of a random agent and a random neighbor of it. The agent adopts the value that the
  neighbor shows.

Agents without neighbors keep their opinions. Finally, in random order, each agent that rewires cuts its edge to the
neighbor whose shown value was furthest from its opinion when it chose (of several, the one with the lowest number), and
is joined to a random agent that is not its neighbor. It does nothing if that edge has been cut or if it already is the
neighbor of all.

**Agents.** `agent_0` ... `agent_{agents-1}`, people and bots.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| bot | Box (1,) int8 | 1 for a bot |
| opinion, shown | Box (1,) float64 | the agent's opinion, and what it shows |
| neighbors | Box (agents,) float64 | what each agent that is a neighbor shows, -1 for the others |
| round, left | Box (1,) int16 | rounds that have ended; rounds left, the present one included |
| rule | Box (1,) int8 | 0 degroot, 1 hegselmann_krause, 2 deffuant, 3 voter |
| rules | Box (5,) float64 | `self_weight`, `tolerance`, `pull`, `pressure`, `rewire_cost` |

**Actions.** Discrete (2 + bins).

| action | name | legal |
|---|---|---|
| 0 | `stay` | always |
| 1 | `rewire` | if the agent has a neighbor and is not the neighbor of all |
| 2 + k | `post 0.00` ... `post 1.00` | always; the value is k / (bins - 1) |

**Window.** The keys s and r stay and rewire, and the digits post the first ten values.

**Rewards.** Of a person in a round: minus the square of the difference between what it shows and its opinion, minus
`pressure` times the sum, over its neighbors, of the squares of the differences between what it shows and what they
show; all after the choices and before opinions change. Of a bot: 1 minus the mean distance between its goal and the
opinions of the people at the end of the round. Both: minus `rewire_cost` if they rewire.

**Ends.** Terminates after `rounds` rounds.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `agents` | 20 | number of agents, from 3 to 64 |
| `bots` | 2 | how many of them are bots, from 0 to 16 |
| `graph` | "regular" | "ring", "lattice", "regular", "scale_free" or "complete", see `envsuite.generators.graphs` |
| `degree` | 4 | neighbors of an agent, as the graph allows, from 2 to 63 |
| `rounds` | 30 | number of rounds, from 1 to 200 |
| `rule` | "deffuant" | how opinions change: "degroot", "hegselmann_krause", "deffuant" or "voter" |
| `bins` | 5 | number of values that can be posted, from 2 to 21 |
| `meetings` | 20 | meetings in a round ("deffuant", "voter"), from 1 to 1000 |
| `self_weight` | 0.5 | weight of the own opinion ("degroot"), from 0 to 1 |
| `tolerance` | 0.3 | distance of values that are listened to ("hegselmann_krause", "deffuant"), from 0 to 1 |
| `pull` | 0.5 | part of the way to the other's value ("deffuant"), from 0 to 1 |
| `pressure` | 0.25 | cost of disagreement with a neighbor, from 0 to 10 |
| `rewire_cost` | 0.05 | cost of rewiring, from 0 to 10 |

The opinions at the start are uniform on [0, 1]; with "voter", on the values that can be posted.

**Level.** ``{"nodes": 3, "edges": [[0, 1], [1, 2]], "opinions": [0.2, 0.7, 1], "bots": [[2, 1]]}``: the graph, the
opinions at the start, and the bots with their goals; opinions and bots are drawn if they are left out. Levels of
`envsuite generate graphs` fit.

**Known values.** If all stay and there are no bots:

- "degroot" on a connected graph, with `self_weight` between 0 and 1: all opinions approach the mean of the first ones
  weighted by the numbers of neighbors, the left eigenvector of the matrix of weights (DeGroot 1974).
- "deffuant": the mean of the opinions never changes.
- "hegselmann_krause": on a complete graph, opinions keep their order, and after finitely many rounds they stand in
  groups that are more than `tolerance` apart.
- "voter" on a connected graph: an opinion takes over all agents with a probability that is its share of the first
  ones, weighted by the numbers of neighbors; on a regular graph this is its plain share.

With bots, the opinions of "degroot" approach the solution of the linear equations in which the opinion of each person
is the mean of its neighbors' opinions.

If opinions never change ("degroot" with `self_weight` 1), a round is the game of Bindel, Kleinberg and Oren: with any
values between 0 and 1, its only equilibrium is the solution of (I + `pressure` L) z = x with the graph's Laplacian L
and the opinions x. Its total cost is at most 9/8 of the smallest one, which two neighbors with opinions 0 and 1 reach
at `pressure` 1/2: they show 1/4 and 3/4 and pay 0.375; with 1/3 and 2/3 they would pay 1/3.

**Differences.** From the sources:

- Only values of a grid can be posted, so that there are finitely many actions.
- The models have no choices. Here what agents show can differ from what they believe.
- In "degroot", neighbors have equal weights.
- In "deffuant", the first agent of a meeting is drawn, then its neighbor. Deffuant and others draw pairs of a complete
  graph or a lattice, where it is the same.
- In "deffuant", the pull can be up to 1. In the source, it is at most 1/2.
- Rewiring is an action. In the model of Holme and Newman, agents rewire at random, to others of the same opinion.
- Bots are stubborn agents, zealots of the voter model, with a reward of our own.

**Source.** DeGroot, "Reaching a Consensus", 1974; Clifford and Sudbury, "A model for spatial conflict", 1973 (the voter
model); Deffuant, Neau, Amblard and Weisbuch, "Mixing beliefs among interacting agents", 2000; Hegselmann and Krause,
"Opinion dynamics and bounded confidence", 2002; Holme and Newman, "Nonequilibrium phase transition in the coevolution
of networks and opinions", 2006; Bindel, Kleinberg and Oren, "How bad is forming your own opinion?", 2011.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import read_numbers
from envsuite.core.page import Case, Page, Pattern, Text, When
from envsuite.core.ranges import among, below, fixed, flag, limited, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.generators.graphs import MOST, Graphs, Shape, make, read_graph, write_edges
from envsuite.kit import plots
from envsuite.kit.graph_pictures import around, draw_edges, framed, places
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene
from envsuite.render.theme import agent_sign

RULES = ("degroot", "hegselmann_krause", "deffuant", "voter")
DEGROOT, HEGSELMANN_KRAUSE, DEFFUANT, VOTER = range(4)

#: The actions; from POST on, one for each value that can be posted.
STAY, REWIRE, POST = range(3)

#: Of an agent that is no bot; the goals of bots are 0 and 1.
PERSON = -1


def fields(agents: int, rounds: int, bins: int, graph: Graphs) -> list[tuple]:
    """The record's own fields."""
    value = within(np.float64, 0.0, 1.0)
    return [
        *graph.fields,  # level.edges: who is whose neighbor
        ("edges", flag(), (agents, agents)),  # the same now
        ("goal", within(np.int8, PERSON, 1), (agents,)),  # of bots, or PERSON; part of the level
        ("goals_given", flag()),  # whether the level has it
        ("starts", value, (agents,)),  # opinions of people at the start: part of the level
        ("starts_given", flag()),
        ("round", within(np.int64, 0, rounds)),  # number of rounds that are over
        ("opinion", value, (agents,)),
        ("next", value, (agents,)),  # scratch: opinions after a round in which all change at once
        ("shown", value, (agents,)),  # to the neighbors
        ("chosen", within(np.int8, -1, POST + bins - 1), (agents,)),  # actions of the last round; -1 before the first
        ("left_out", below(np.int64, agents), (agents,)),  # scratch: the neighbor that each would cut
        ("order", below(np.int64, agents), (agents,)),  # scratch of draws
        ("history", value, (rounds + 1, agents)),  # opinions before each round; 0 for rounds that are to come
    ]


@kernel
def reset(s):
    agents = s.opinion.shape[0]
    if s.level_given == 0:
        make(s)
    if s.level_given == 0 or s.goals_given == 0:
        draw_bots(s)
    for k in range(agents):
        if s.level_given == 0 or s.starts_given == 0:
            s.starts[k] = draw_opinion(s)
        s.opinion[k] = s.starts[k] if s.goal[k] == PERSON else s.goal[k]
        s.shown[k] = s.opinion[k]
        s.next[k] = 0.0
        s.chosen[k] = -1
        s.left_out[k] = 0
        s.order[k] = 0
        for other in range(agents):
            s.edges[k, other] = s.level.edges[k, other]
    s.round = 0
    for t in range(s.history.shape[0]):
        for k in range(agents):
            s.history[t, k] = s.opinion[k] if t == 0 else 0.0


@kernel
def draw_opinion(s):
    if s.params.rule == VOTER:
        return random.randint(s, s.params.bins) / (s.params.bins - 1)
    return random.uniform(s)


@kernel
def draw_bots(s):
    agents = s.opinion.shape[0]
    for k in range(agents):
        s.order[k] = k
    random.shuffle(s, s.order, agents)
    for k in range(agents):
        s.goal[s.order[k]] = k % 2 if k < s.params.bots else PERSON


@kernel
def neighbors_of(s, agent):
    """The number of an agent's neighbors."""
    count = 0
    for other in range(s.edges.shape[0]):
        count += s.edges[agent, other]
    return count


@large_kernel
def furthest(s, agent):
    """The neighbor whose shown value is furthest from an agent's opinion; 0 if it has none."""
    found, most = 0, -1.0
    for other in range(s.edges.shape[0]):
        if s.edges[agent, other] != 0 and abs(s.shown[other] - s.opinion[agent]) > most:
            found, most = other, abs(s.shown[other] - s.opinion[agent])
    return found


@large_kernel
def joined(s, agent, edge, number):
    """The agent with this number among the others that have an edge to an agent (`edge` 1), or have none (0)."""
    for other in range(s.edges.shape[0]):
        if other != agent and s.edges[agent, other] == edge:
            if number == 0:
                return other
            number -= 1
    return agent


@kernel
def show(s, agent, action):
    s.chosen[agent] = action
    s.shown[agent] = (action - POST) / (s.params.bins - 1) if action >= POST else s.opinion[agent]


@large_kernel
def comfort(s, agent):
    """The reward of a person for what it shows, without the cost of rewiring."""
    gap = s.shown[agent] - s.opinion[agent]
    apart = gap * gap
    for other in range(s.edges.shape[0]):
        if s.edges[agent, other] != 0:
            gap = s.shown[agent] - s.shown[other]
            apart += s.params.pressure * (gap * gap)
    return -apart


@kernel
def adapt(s, agent, opinion):
    """Give an agent another opinion, unless it is a bot; it shows it, unless it posts."""
    if s.goal[agent] == PERSON:
        s.opinion[agent] = opinion
        if s.chosen[agent] < POST:
            s.shown[agent] = opinion


@large_kernel
def averaged(s, agent):
    """The opinion after a round of DeGroot's or Hegselmann and Krause's rule."""
    own, total, count = s.opinion[agent], 0.0, 0
    for other in range(s.edges.shape[0]):
        if s.edges[agent, other] != 0:
            if s.params.rule == DEGROOT or abs(s.shown[other] - own) <= s.params.tolerance:
                total += s.shown[other]
                count += 1
    if s.params.rule == HEGSELMANN_KRAUSE:
        return (total + own) / (count + 1)
    return s.params.self_weight * own + (1.0 - s.params.self_weight) * (total / count) if count > 0 else own


@kernel
def pulled(s, agent, value):
    """The opinion after a meeting with an agent that shows this value: Deffuant's rule."""
    own = s.opinion[agent]
    return own + s.params.pull * (value - own) if abs(value - own) < s.params.tolerance else own


@large_kernel
def meet(s):
    """One meeting of Deffuant's rule or of the voter model."""
    agent = random.randint(s, s.opinion.shape[0])
    count = neighbors_of(s, agent)
    if count == 0:
        return
    other = joined(s, agent, 1, random.randint(s, count))
    if s.params.rule == VOTER:
        adapt(s, agent, s.shown[other])
    else:
        one, two = pulled(s, agent, s.shown[other]), pulled(s, other, s.shown[agent])
        adapt(s, agent, one)
        adapt(s, other, two)


@large_kernel
def rewire(s):
    """The agents that chose so cut an edge and get another, in random order."""
    agents, count = s.opinion.shape[0], 0
    for k in range(agents):
        if s.chosen[k] == REWIRE:
            s.order[count] = k
            count += 1
    random.shuffle(s, s.order, count)
    for number in range(count):
        agent = np.int64(s.order[number])
        cut, strangers = np.int64(s.left_out[agent]), agents - 1 - neighbors_of(s, agent)
        if s.edges[agent, cut] != 0 and strangers > 0:
            new = joined(s, agent, 0, random.randint(s, strangers))
            s.edges[agent, cut] = s.edges[cut, agent] = 0
            s.edges[agent, new] = s.edges[new, agent] = 1


@kernel
def step(s, actions, rewards):
    agents = s.opinion.shape[0]
    for k in range(agents):
        s.left_out[k] = furthest(s, k)
    for k in range(agents):
        show(s, k, actions[k])
    for k in range(agents):
        rewards[k] = comfort(s, k) if s.goal[k] == PERSON else 0.0
    if s.params.rule == DEGROOT or s.params.rule == HEGSELMANN_KRAUSE:
        for k in range(agents):
            s.next[k] = averaged(s, k)
        for k in range(agents):
            adapt(s, k, s.next[k])
    else:
        for _ in range(s.params.meetings):
            meet(s)
    rewire(s)
    s.round += 1
    for k in range(agents):
        s.history[s.round, k] = s.opinion[k]
        if s.chosen[k] == REWIRE:
            rewards[k] -= s.params.rewire_cost
        if s.goal[k] != PERSON:
            rewards[k] += success(s, k)
        s.terminated[k] = s.round == s.history.shape[0] - 1


@large_kernel
def success(s, bot):
    """1 minus the mean distance of people from the goal of a bot."""
    apart, count = 0.0, 0
    for k in range(s.opinion.shape[0]):
        if s.goal[k] == PERSON:
            apart += abs(s.opinion[k] - s.goal[bot])
            count += 1
    return 1.0 - apart / count


@kernel
def observe(s, agent, out):
    out.bot[0] = s.goal[agent] != PERSON
    out.opinion[0] = s.opinion[agent]
    out.shown[0] = s.shown[agent]
    for other in range(s.opinion.shape[0]):
        out.neighbors[other] = s.shown[other] if s.edges[agent, other] != 0 else -1.0
    out.round[0] = s.round
    out.left[0] = s.history.shape[0] - 1 - s.round
    out.rule[0] = s.params.rule
    out.rules[0] = s.params.self_weight
    out.rules[1] = s.params.tolerance
    out.rules[2] = s.params.pull
    out.rules[3] = s.params.pressure
    out.rules[4] = s.params.rewire_cost


@kernel
def legal(s, agent, mask):
    fill(mask, 1)
    mask[REWIRE] = 0 < neighbors_of(s, agent) < s.opinion.shape[0] - 1


_RULES = (
    "Opinions are numbers from 0 to 1, and so is what an agent shows to its neighbors. In each round all choose at "
    "once. An agent that posts shows the posted value for the whole round; all others show their opinions, also while "
    "these change in the round.",
    (
        "Then opinions change.",
        Case(
            "rule",
            {
                "degroot": (
                    "All at once, each becomes {self_weight} times itself plus {rest} times the mean of the values "
                    "that the neighbors show."
                ),
                "hegselmann_krause": (
                    "All at once, each becomes the mean of itself and of those values of neighbors that are at most "
                    "{tolerance} away."
                ),
                "deffuant": (
                    "In each round there are {meetings:meeting} of a random agent and a random neighbor of it, one "
                    "after another: each of the two opinions moves by {pull} of the way to the value that the other "
                    "shows, if that is less than {tolerance} away."
                ),
                "voter": (
                    "In each round there are {meetings:meeting} of a random agent and a random neighbor of it, one "
                    "after another: the agent takes over the value that the neighbor shows."
                ),
            },
        ),
        "An agent without neighbors keeps its opinion.",
        When(
            "bots",
            "Of the {agents} agents, {bots:is a bot/are bots}. The opinion of a bot is 0 or 1 and never changes. All "
            "others are people.",
        ),
    ),
    "Last, in random order, agents that rewire lose the neighbor whose shown value was furthest from their opinion "
    "when they chose, and get a random agent as a neighbor that was none. Nothing happens if the two are no longer "
    "neighbors, or if the agent is a neighbor of all others.",
)
_SEES = (
    "You see your opinion and what you and your neighbors show, but not the opinions of others.",
    When("bots", "Nobody sees who is a bot."),
)
_ACTS: Mapping[Pattern, Text] = {
    "stay": "show your opinion",
    "rewire": "show your opinion and change a neighbor, which costs {rewire_cost}",
    "post {VALUE}": "show this value, one of {bins} from 0 to 1",
}
_ENDS = "It is over after {rounds:round}."
_UNSAID = dict.fromkeys(("graph", "degree"), "all see their neighbors")
_CONSTANTS = {"0": "the lowest opinion", "1": "the highest opinion", "two": "agents that meet"}

PAGES = {
    "person": Page(
        role="You are one of {agents} agents who show opinions to their neighbors. You are a person.",
        goal=(
            "Each round costs you the square of the difference between what you show and your opinion, and for each "
            "neighbor {pressure} times the square of the difference between what the two of you show, all before "
            "opinions change."
        ),
        rules=_RULES,
        sees=_SEES,
        acts=_ACTS,
        ends=_ENDS,
        unsaid=_UNSAID,
        constants=_CONSTANTS,
    ),
    "bot": Page(
        role=(
            "You are one of {agents} agents who show opinions to their neighbors. You are a bot, and your opinion is "
            "always {goal}."
        ),
        goal="Each round pays you 1 minus the mean distance between your opinion and those of the people at its end.",
        rules=_RULES,
        sees=_SEES,
        acts=_ACTS,
        ends=_ENDS,
        unsaid=_UNSAID,
        constants=_CONSTANTS,
    ),
}


class Opinions(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    kind = ("opinions",)
    verified = (
        "four rules against NumPy and exact fractions; limits by linear algebra; the voter model's Markov chain; the "
        "equilibrium and the 9/8 of Bindel, Kleinberg and Oren"
    )
    variants = (
        dict(agents=9, graph="lattice", rule="degroot", rounds=5, bins=3, bots=1),
        dict(agents=8, degree=2, graph="scale_free", rule="hegselmann_krause", rounds=5, bots=0),
        dict(agents=6, graph="complete", rule="voter", rounds=5, meetings=4),
    )
    shown = "sorter"
    player_page = PAGES

    def __init__(
        self,
        agents: Annotated[int, Between(3, MOST)] = 20,
        bots: Annotated[int, Between(0, 16)] = 2,
        graph: Shape = "regular",
        degree: Annotated[int, Between(2, MOST - 1)] = 4,
        rounds: Annotated[int, Horizon(1, 200)] = 30,
        rule: Literal["degroot", "hegselmann_krause", "deffuant", "voter"] = "deffuant",
        bins: Annotated[int, Between(2, 21)] = 5,
        meetings: Annotated[int, Between(1, 1000)] = 20,
        self_weight: Annotated[float, Between(0, 1)] = 0.5,
        tolerance: Annotated[float, Between(0, 1)] = 0.3,
        pull: Annotated[float, Between(0, 1)] = 0.5,
        pressure: Annotated[float, Between(0, 10)] = 0.25,
        rewire_cost: Annotated[float, Between(0, 10)] = 0.05,
    ):
        if bots >= agents:
            raise ParameterError(f"Opinions: bots={bots} must be below agents={agents}")
        made = Graphs(graph, agents, degree)
        posts = [f"post {k / (bins - 1):.2f}" for k in range(bins)]
        self.keys = {"s": "stay", "r": "rewire", **dict(zip("0123456789", posts))}
        self.define(
            agents=[f"agent_{k}" for k in range(agents)],
            actions=["stay", "rewire", *posts],
            observation=Dict(
                bot=Box(0, 1, (1,), np.int8),
                opinion=Box(0.0, 1.0, (1,), np.float64),
                shown=Box(0.0, 1.0, (1,), np.float64),
                neighbors=Box(-1.0, 1.0, (agents,), np.float64),
                round=Box(0, rounds, (1,), np.int16),
                left=Box(0, rounds, (1,), np.int16),
                rule=Box(0, len(RULES) - 1, (1,), np.int8),
                rules=Box(0.0, np.array([1.0, 1.0, 1.0, 10.0, 10.0]), (5,), np.float64),
            ),
            fields=fields(agents, rounds, bins, made),
            params={
                **made.values,
                "rule": among(RULES, rule),
                "bots": limited(bots, 0, min(16, agents - 1)),
                "bins": fixed(bins),
                "meetings": limited(meetings, 1, 1000),
                "self_weight": float(self_weight),
                "tolerance": float(tolerance),
                "pull": float(pull),
                "pressure": float(pressure),
                "rewire_cost": float(rewire_cost),
            },
            reward_range=(-1.0 - pressure * (agents - 1) - rewire_cost, 1.0),
        )

    def page_role(self, s: Any, agent: int) -> str:
        return "person" if s.goal[agent] == PERSON else "bot"

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"goal": int(s.goal[agent]), "rest": 1 - float(s.params.self_weight), "meetings": int(s.params.meetings)}

    def contradiction(self, s: Any) -> str | None:
        if s.round >= len(s.history) - 1 + s.terminated[0]:
            return "all rounds are over"
        for edges in (s.level.edges, s.edges):
            if (edges != edges.T).any() or edges.diagonal().any():
                return "edges are not mutual"
        return None if (s.goal == PERSON).any() else "all agents are bots"

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        read_graph(s, level, self.id, "opinions", "bots")
        agents = len(self.agents)
        s.goals_given, s.starts_given = "bots" in level, "opinions" in level
        s.goal[:] = PERSON
        bots = read_numbers(
            level.get("bots", []), f"{self.id}: the level's bots", ((0, agents), 2), 0, [agents - 1, 1], whole=True
        )
        for agent, goal in bots.tolist():
            if s.goal[agent] != PERSON:
                raise LevelError(f"{self.id}: the bot {agent} is given twice")
            s.goal[agent] = goal
        if (s.goal != PERSON).all():
            raise LevelError(f"{self.id}: at least one agent must be no bot")
        if s.starts_given:
            self._set_opinions(s, level["opinions"])

    def _set_opinions(self, s: Any, opinions: Any) -> None:
        s.starts[:] = read_numbers(opinions, f"{self.id}: the level's opinions", s.starts.shape, 0, 1)
        for k, value in enumerate(opinions):
            if s.goal[k] not in (PERSON, value):
                raise LevelError(f"{self.id}: the opinion of bot {k} must be its goal {s.goal[k]}, not {value:g}")

    def get_level(self, s: Any) -> dict[str, Any]:
        bots = [[k, int(s.goal[k])] for k in np.flatnonzero(s.goal != PERSON).tolist()]
        return {**write_edges(s.level.edges), "opinions": s.history[0].tolist(), "bots": bots}

    # Text.

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        rounds = len(s.history) - 1
        near = [f"agent_{k} {value:.3f}" for k, value in enumerate(seen.neighbors.tolist()) if value >= 0]
        lines = [
            f"Your opinion is {seen.opinion[0]:.3f}. You show {seen.shown[0]:.3f}.",
            f"Your neighbors show: {', '.join(near) or 'nothing; you have none'}.",
        ]
        if s.terminated.all():
            return "\n".join([*lines, f"It is over after {rounds} rounds."])
        return "\n".join([*lines, f"Round {s.round + 1} of {rounds}."])

    # The picture: the graph, or one agent's neighbors, and opinions by round.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        rounds, count = len(s.history) - 1, len(self.agents)
        moment = f"over after {rounds} rounds" if s.terminated.all() else f"round {s.round + 1} of {rounds}"
        scene = framed("Opinions", moment)
        if agent is None:
            at = np.array([1.4, 2.4]) + 8.8 * places(s.edges)
            draw_edges(scene, s.edges, at)
            size = min(0.5, 2.6 / count**0.5)
            for k, (x, y) in enumerate(at.tolist()):
                self._draw_agent(scene, k, x, y, size, s.shown[k], s.opinion[k], s.goal[k] != PERSON)
        else:
            self._draw_neighbors(scene, s, agent)
        self._draw_key(scene, s, agent)
        drawn = range(count) if agent is None else [agent]
        lines = [
            (s.history[: s.round + 1, k].tolist(), "blue" if s.history[0, k] < 0.5 else "orange", "") for k in drawn
        ]
        title = "opinions by round" if agent is None else "your opinion by round"
        plots.curves(scene, (11.4, 5.0, 8.1, 7.1), title, lines, rounds + 1, (0, 1))
        return scene

    def _draw_neighbors(self, scene: Scene, s: Any, agent: int) -> None:
        """An agent in the middle of what its neighbors show."""
        near = np.flatnonzero(s.edges[agent]).tolist()
        size = min(0.8, 8 / max(1, len(near)))
        for k, (x, y) in zip(near, around(5.8, 6.8, 3.9, len(near))):
            scene.add(Line([(5.8, 6.8), (x, y)], "line", 0.08))
            self._draw_agent(scene, k, x, y, size, s.shown[k])
            if len(near) <= 12:
                scene.add(Label(x, y + (size + 0.35) * (1 if y > 6.8 else -1), f"{s.shown[k]:.2f}", 0.36, "muted"))
        self._draw_agent(scene, agent, 5.8, 6.8, 1.1, s.shown[agent], s.opinion[agent], s.goal[agent] != PERSON)

    def _draw_agent(
        self,
        scene: Scene,
        k: int,
        x: float,
        y: float,
        size: float,
        shown: float,
        opinion: Any = None,
        bot: bool = False,
    ) -> None:
        """A disc, or a square for a bot, in the color of what it shows; inside, its opinion if that is known."""
        parts = [(shown, 1.0)]
        if opinion is not None and opinion != shown:
            parts.append((opinion, 0.68))
        for value, part in parts:
            sign = agent_sign(k) if part == parts[-1][1] else ""  # the uppermost shape has it
            for color, glyph in (("white", ""), (color_of(value), sign)):
                if bot:
                    side = 1.8 * size * part
                    scene.add(Rect(x - side / 2, y - side / 2, side, side, color, "muted", 0.03, 0.1 * side, glyph))
                else:
                    scene.add(Circle(x, y, size * part, color, "muted", 0.03, glyph))
        last = shown if opinion is None else opinion
        ink = "white" if last < 0.12 else "black"
        scene.add(Label(x, y, str(k), 0.7 * size, ink, bold=True, terminal=False))

    def _draw_key(self, scene: Scene, s: Any, agent: int | None) -> None:
        """The scale of colors, with marks of the opinions, or of one agent's opinion and what its neighbors show."""
        scene.add(Rect(11.4, 1.5, 8.1, 3.25, "panel", radius=0.25))
        left, across, steps = 12.4, 6.1, 24
        scene.add(Rect(left, 3.1, across, 0.5, "white"))
        for k in range(steps):
            scene.add(Rect(left + across * k / steps, 3.1, across / steps, 0.5, color_of((k + 0.5) / steps)))
        for value in (0, 1):
            scene.add(Label(left + across * value + (0.4 if value else -0.4), 3.35, str(value), 0.4, "muted"))
        if agent is None:
            people = s.opinion[s.goal == PERSON]
            note = f"people: mean {people.mean():.2f}, spread {people.std():.2f}"
            marks, under = people.tolist(), "ring: shown · inside: opinion · square: bot"
        else:
            note = f"your opinion {s.opinion[agent]:.2f}, shown {s.shown[agent]:.2f}"
            marks, under = s.shown[np.flatnonzero(s.edges[agent])].tolist(), "marks: what your neighbors show"
            x = left + across * s.opinion[agent]
            scene.add(Rect(x - 0.06, 2.95, 0.12, 0.8, "ink"))
        for value in marks:
            scene.add(Circle(left + across * value, 3.9, 0.11, "muted", glyph=""))
        scene.add(Label(left, 2.3, note, 0.42, align="left"))
        scene.add(Label(left, 4.4, under, 0.32, "muted", "left"))


def color_of(value: float) -> str:
    """The color of an opinion: blue at 0, none at 0.5, orange at 1; to be drawn on white."""
    return f"{'blue' if value < 0.5 else 'orange'}@{abs(2 * value - 1):.2f}"


env, raw_env, parallel_env = pettingzoo_forms(Opinions)
