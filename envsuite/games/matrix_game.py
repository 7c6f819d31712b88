"""A matrix game: all agents choose at once, once, and a table gives the payoff of each.

**Rules.** Every player chooses an action, unseen by the others; the payoffs are those of the chosen cell of the table.
Any number of players and actions, any finite payoffs.

| game | players | actions | payoffs of the row's player |
|---|---|---|---|
| `prisoners_dilemma` | 2 | cooperate, defect | 3 0 / 5 1 |
| `stag_hunt` | 2 | stag, hare | 2 0 / 1 1 |
| `chicken` | 2 | swerve, straight | 3 1 / 4 0 |
| `battle_of_the_sexes` | 2 | bach, stravinsky | 3 0 / 0 2; of the other: 2 0 / 0 3 |
| `coordination` | 2 | left, right | 1 0 / 0 1 |
| `matching_pennies` | 2 | heads, tails | 1 -1 / -1 1, zero-sum |
| `rock_paper_scissors` | 2 | rock, paper, scissors | 0 -1 1 / 1 0 -1 / -1 1 0, zero-sum |
| `biased_rock_paper_scissors` | 2 | rock, paper, scissors | 0 -25 50 / 25 0 -5 / -50 5 0, zero-sum |
| `shapley` | 2 | rock, paper, scissors | 0 0 1 / 1 0 0 / 0 1 0 |
| `trust_dilemma` | 2 | stag, hare | 4 -50 / 3 1, a stag hunt of high risk |
| `overtaking` | 2 | follow, overtake | 2 0 / 5 -100, a chicken of high risk |
| `public_goods` | any | contribute, keep | of 20, what is kept, and an equal share of 1.6 times what all contribute |
| `volunteers_dilemma` | any | volunteer, wait | 1 if anybody volunteers, less 0.5 for who does |
| `majority` | any | left, right | 1 for those on the side of more than half of all |
| `custom` | any | action 0, action 1, ... | `payoffs` |

Where no other table is given, the players are alike.

**Agents.** `player_0`, who chooses the row, `player_1`, who chooses the column, and so on.

**Observation.** Box (players, cells) float64: the table as the observer sees it. Players are counted from the observer
on, in a circle: row k holds the payoffs of the k-th from it, 0 its own; cells are in the order of nested loops over the
observer's actions (outermost), those of the next player, and so on. So all agents can share a network.

**Actions.** Discrete, one per row of one's own table, all legal: the names are above.

**Rewards.** The payoffs of the chosen cell.

**Ends.** Terminates after one choice.

**Parameters.** `game` (prisoners_dilemma), a name of the table above; `players` (2), up to 6, for the games of any
number; `payoffs` (None), nested lists of shape (players, actions of player_0, ..., actions of the last), which take
the place of a named game's numbers, or are a game of their own with `game="custom"`.

**Level.** ``{"payoffs": [[[3, 0], [5, 1]], [[3, 5], [0, 1]]]}``: a table of the shape of the world's own. Worlds of one
batch can so have different payoffs.

**Known values.** Nash equilibria, all of them, of the games of two players and two actions; probabilities are those of
the first action, values are one's own.

| game | equilibria |
|---|---|
| `prisoners_dilemma` | both defect: 1 |
| `stag_hunt` | both stag: 2; both hare: 1; 1/2 each: 1 |
| `chicken` | one swerves and gets 1, the other 4; 1/2 each: 2 |
| `battle_of_the_sexes` | both bach: 3 and 2; both stravinsky: 2 and 3; 3/5 and 2/5: 6/5 each |
| `coordination` | both left or both right: 1; 1/2 each: 1/2 |
| `matching_pennies` | 1/2 each: 0 |
| `trust_dilemma` | both stag: 4; both hare, risk-dominant: 1; 51/52 each: 77/26 |
| `overtaking` | one follows and gets 0, the other 5; 100/103 each: 200/103 |

Of the others: `rock_paper_scissors` and `shapley` 1/3 each, values 0 and 1/3; `biased_rock_paper_scissors` 1/16, 5/8,
5/16, value 0; `public_goods` nobody contributes, 20, where all would get 32 if all did; `volunteers_dilemma` each with
probability 1 - c^(1/(n - 1)) for the cost c = 0.5 and n players, value 1 - c; `majority` all left or all right, 1.

**Differences.** Payoffs are OpenSpiel's where it has the game, but for the prisoner's dilemma, 5 0 / 10 1 there; and it
lists going straight first in chicken ("dare"). The paper on risk-averse equilibria plays a trust dilemma and matrix
games with outcomes of high risk, among them crashes of cars; its tables could not be consulted. So `trust_dilemma` has
the numbers of another paper's code (Tang et al., 2021), and those of `overtaking` are this suite's own.

**Source.** OpenSpiel's matrix games; Axelrod, "Effective Choice in the Prisoner's Dilemma", 1980; Shapley, "Some Topics
in Two-Person Games", 1964; Diekmann, "Volunteer's Dilemma", 1985; Tang et al., "Discovering Diverse Multi-Agent
Strategic Behavior via Reward Randomization", 2021; Slumbers et al., "A Game-Theoretic Framework for Managing Risk in
Multi-Agent Systems", 2023.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.ranges import free, within
from envsuite.core.record import as_views
from envsuite.core.world import Between, Kernels, World
from envsuite.generators.payoffs import Game, as_payoffs, named
from envsuite.kit.payoff_tables import draw_table, table_size
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Scene, text_width


def fields(players: int, cells: int) -> list[tuple]:
    """The record."""
    return [
        ("payoffs", free(np.float64), (players, cells)),  # of each player, by cell of the table
        ("played", within(np.int64, -1, cells - 1)),  # the cell that was played, or -1
    ]


@kernel
def reset(s):
    set_payoffs(s)
    s.played = -1


@kernel
def set_payoffs(s):
    if not s.level_given:
        for k in range(s.payoffs.shape[0]):
            for cell in range(s.payoffs.shape[1]):
                s.payoffs[k, cell] = s.params.payoffs[k, cell]


@kernel
def step(s, actions, rewards):
    s.played = cell_of(s, actions)
    for k in range(s.payoffs.shape[0]):
        rewards[k] = s.payoffs[k, s.played]
        s.terminated[k] = 1


@kernel
def cell_of(s, actions):
    """The cell of the table that these actions choose."""
    cell = 0
    for k in range(s.payoffs.shape[0]):
        cell = cell * s.params.sizes[k] + np.int64(actions[k])
    return cell


@kernel
def observe(s, agent, out):
    """The table with players and their actions counted from this agent on: a transposition of blocks of cells."""
    players = s.payoffs.shape[0]
    before = 1
    for k in range(agent):
        before *= s.params.sizes[k]
    after = s.payoffs.shape[1] // before
    for k in range(players):
        player = agent + k
        if player >= players:
            player -= players
        for i in range(after):
            for j in range(before):
                out[k, i * before + j] = s.payoffs[player, j * after + i]


@kernel
def legal(s, agent, mask):
    for action in range(s.params.sizes[agent]):
        mask[action] = 1


class MatrixGame(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "simultaneous"
    chance = False
    information = "perfect"
    utility = "general"
    masked = False
    verified = "OpenSpiel's payoff tables; equilibria in closed form"
    variants = (dict(game="volunteers_dilemma", players=3),)
    shown = "equilibrium"

    def __init__(
        self,
        game: Game = "prisoners_dilemma",
        players: Annotated[int, Between(2, 6)] = 2,
        payoffs: list | None = None,
    ):
        self.title, table, actions = tables("MatrixGame", game, players, payoffs)
        self.sizes = table.shape[1:]
        agents = [f"player_{k}" for k in range(len(table))]
        self.keys = {str(k + 1): name for k, name in enumerate(max(actions, key=len)[:9])}  # type: ignore[misc]
        self.define(
            agents=agents,
            actions=dict(zip(agents, actions)),
            observation=Box(-np.inf, np.inf, (len(table), table[0].size), np.float64),
            fields=fields(len(table), table[0].size),
            params={"payoffs": table.reshape(len(table), -1), "sizes": np.array(self.sizes)},
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        level_payoffs(self, s, level)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"payoffs": s.payoffs.reshape(-1, *self.sizes).tolist()}

    def text(self, s: Any, agent: int) -> str:
        lines = [f"Game: {self.title}. You are {self.agents[agent]} of {len(self.agents)}."]
        if s.played < 0:
            lines += ["All choose an action at once, and only once.", *payoff_lines(self, s, agent, self.action_names)]
            lines.append("Choose one of: " + ", ".join(self.action_names[agent]) + ".")
            return "\n".join(lines)
        played = np.unravel_index(s.played, self.sizes)
        for k in from_agent(agent, len(self.agents)):
            who = "You" if k == agent else self.agents[k]
            lines.append(f"{who} chose {self.action_names[k][played[k]]} and got {s.payoffs[k, s.played]:g}.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        width, height = table_size(self.sizes, self.action_names)
        scene = Scene(max(width + 1.2, text_width(self.title, 0.6) + 1.2), height + 2.0)
        scene.add(Label(scene.width / 2, 0.8, self.title, 0.6, bold=True))
        played = None if s.played < 0 else tuple(int(k) for k in np.unravel_index(s.played, self.sizes))
        table = s.payoffs.reshape(-1, *self.sizes)
        draw_table(scene, (scene.width - width) / 2, 1.4, table, self.action_names, played)
        return scene


# What RepeatedGame shares.


def tables(world: str, game: str, players: int, payoffs: Any) -> tuple[str, np.ndarray, list[tuple[str, ...]]]:
    """Title, payoff table and each player's actions, from a world's parameters."""
    try:
        if game == "custom":
            if payoffs is None:
                raise ValueError("game='custom' needs payoffs")
            table = as_payoffs(payoffs)
            if players not in (2, len(table)):  # 2 is the default
                raise ValueError(f"players={players}, but the payoffs are those of {len(table)}")
            return "custom", table, [tuple(f"action {k}" for k in range(size)) for size in table.shape[1:]]
        known = named(game, players)
        if payoffs is None:
            return known.title, known.payoffs, [known.actions] * players
        try:
            return known.title, as_payoffs(payoffs, known.payoffs.shape), [known.actions] * players
        except ValueError as problem:
            raise ValueError(f"{problem} ({game!r}; other games have game='custom')") from None
    except ValueError as problem:
        raise ParameterError(f"{world}: {problem}") from None


def level_payoffs(world: Any, s: Any, level: Mapping[str, Any]) -> None:
    """Fill a record's payoffs from a level, or raise `LevelError`."""
    if set(level) - {"kind", "family", "payoffs"}:  # the first two are those of generated levels
        raise LevelError(f"{world.id}: a level has 'payoffs' only, not {', '.join(map(repr, level))}")
    try:
        table = as_payoffs(level["payoffs"], (len(world.agents), *world.sizes))
    except ValueError as problem:
        raise LevelError(f"{world.id}: in the level, {problem}") from None
    s.payoffs[:] = table.reshape(s.payoffs.shape)


def from_agent(agent: int, count: int) -> list[int]:
    """All agents, counted from this one on in a circle."""
    return [(agent + k) % count for k in range(count)]


def payoff_lines(world: Any, s: Any, agent: int, names: Sequence[Sequence[str]]) -> list[str]:
    """The payoff table in words, for one agent: a line per cell."""
    order = from_agent(agent, len(world.agents))
    others = ", ".join(world.agents[k] for k in order[1:])
    lines = [f"Payoffs, yours first, then {others}:"]
    table = as_views(np.zeros(s.payoffs.shape))
    observe(s, agent, table)
    for cell, chosen in enumerate(itertools.product(*(names[k] for k in order))):
        said = [f"{'you' if k == agent else world.agents[k]} {name}" for k, name in zip(order, chosen)]
        lines.append(f"- {', '.join(said)}: " + ", ".join(f"{payoff:g}" for payoff in table[:, cell]))
    return lines


env, raw_env, parallel_env = pettingzoo_forms(MatrixGame)
