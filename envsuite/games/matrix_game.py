"""A matrix game: all agents choose at once, once, and a table gives the payoff of each.

**Rules.** Every player chooses an action without seeing the choices of the others. The payoffs are those of the chosen
cell of the table. There may be any number of actions, and payoffs may be any finite numbers.

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
| `public_goods` | any | contribute, keep | of 20, what is kept, and an equal share of 1.6 times all contributions |
| `volunteers_dilemma` | any | volunteer, wait | 1 if anybody volunteers; a volunteer loses 0.5 |
| `majority` | any | left, right | 1 for the players on the side of more than half of all |
| `custom` | any | action 0, action 1, ... | `payoffs` |

Unless the table says otherwise, the game is symmetric.

**Agents.** `player_0` chooses the row, `player_1` the column, and so on.

**Observation.** Box (players, cells) float64: the table as the observer sees it. All agents can therefore share a
network.

| row | content |
|---|---|
| k | the payoffs of the k-th player counted from the observer in a circle; row 0 is the observer's own |

Cells are in the order of nested loops: over the observer's actions (outermost), those of the next player, and so on.

**Actions.** Discrete, one per row of the agent's own table. All are legal.

| action | name |
|---|---|
| k | the k-th name in the table above, such as `cooperate` |

**Window.** The keys 1 to 9 choose the first nine actions.

**Rewards.** The payoffs of the chosen cell.

**Ends.** Terminates after one choice.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `game` | "prisoners_dilemma" | a name of the table above |
| `players` | 2 | number of players, from 2 to 6, in the games for any number |
| `payoffs` | None | nested lists of shape (players, actions of player_0, ..., actions of the last player) |

`payoffs` replaces the numbers of a named game. With `game="custom"` it is a game of its own.

**Level.** ``{"payoffs": [[[3, 0], [5, 1]], [[3, 5], [0, 1]]]}``: a table of the same shape as the world's own. So the
worlds of one batch can have different payoffs.

**Known values.** All Nash equilibria of the games with two players and two actions. Probabilities are those of the
first action; values are those of the player itself.

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

Equilibria of the other games:

| game | equilibrium |
|---|---|
| `rock_paper_scissors` | 1/3 each: 0 |
| `shapley` | 1/3 each: 1/3 |
| `biased_rock_paper_scissors` | 1/16, 5/8, 5/16: 0 |
| `public_goods` | nobody contributes: 20; if all contributed, all would get 32 |
| `volunteers_dilemma` | each with probability 1 - c^(1/(n - 1)), for the cost c = 0.5 and n players: 1 - c |
| `majority` | all left or all right: 1 |

**Differences.** Payoffs equal OpenSpiel's where it has the game, with these exceptions:

- Its prisoner's dilemma is 5 0 / 10 1.
- Its chicken lists going straight ("dare") first.
- The paper on risk-averse equilibria plays a trust dilemma and matrix games with outcomes of high risk, such as car
  crashes. Its tables could not be consulted. `trust_dilemma` therefore has the numbers of another paper's code (Tang et
  al., 2021), and the numbers of `overtaking` are this suite's own.

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

from envsuite.core.arrays import copy
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When, listed
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
        ("payoffs", free(np.float64), (players, cells)),  # payoffs of each player, by cell of the table
        ("played", within(np.int64, -1, cells - 1)),  # the cell that was played, or -1
    ]


@kernel
def reset(s):
    set_payoffs(s)
    s.played = -1


@kernel
def set_payoffs(s):
    if not s.level_given:
        copy(s.payoffs, s.params.payoffs)


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
    """Write the table with players and actions counted from this agent: a transposition of blocks of cells."""
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


PAGE = Page(
    role=("You play a game with {others}.", When("title", "It is called {title}.")),
    goal="You are paid what a table of payoffs says for you.",
    rules=(
        "All players choose at once, unseen by the others, and only once. For each combination of choices the table "
        "says what each player gets. You see the whole table when you choose.",
    ),
    acts={"{CHOICE}": "choose {choices}"},
    ends="It is over after this one choice.",
    unsaid={"payoffs": "the turn shows the table"},
)


class MatrixGame(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    chance = False
    information = "perfect"
    masked = False
    kind = ("bargaining", "dilemmas")
    verified = "OpenSpiel's payoff tables; equilibria in closed form"
    variants = (dict(game="volunteers_dilemma", players=3),)
    shown = "equilibrium"
    player_page = PAGE

    def __init__(
        self,
        game: Game = "prisoners_dilemma",
        players: Annotated[int, Between(2, 6)] = 2,
        payoffs: list | None = None,
    ):
        self.title, table, actions = tables("MatrixGame", game, players, payoffs)
        self.sizes = table.shape[1:]
        agents = [f"player_{k}" for k in range(len(table))]
        self.keys = {str(k + 1): name for k, name in enumerate(max(actions, key=len)[:9])}
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

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {
            "title": "" if self.parameters["game"] == "custom" else self.title,
            "choices": choices_told(self.action_names[agent]),
        }

    def text(self, s: Any, agent: int) -> str:
        lines = [f"Game: {self.title}. You are {self.agents[agent]} of {len(self.agents)}."]
        if s.played < 0:
            return "\n".join([*lines, *payoff_lines(self, s, agent, self.action_names)])
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


# The rest is shared with RepeatedGame.


def tables(world: str, game: str, players: int, payoffs: Any) -> tuple[str, np.ndarray, list[tuple[str, ...]]]:
    """The title, the payoff table and each player's actions, from a world's parameters."""
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
    if set(level) - {"kind", "family", "payoffs"}:  # generated levels have the first two
        raise LevelError(f"{world.id}: a level has 'payoffs' only, not {', '.join(map(repr, level))}")
    try:
        table = as_payoffs(level["payoffs"], (len(world.agents), *world.sizes))
    except ValueError as problem:
        raise LevelError(f"{world.id}: in the level, {problem}") from None
    s.payoffs[:] = table.reshape(s.payoffs.shape)


def from_agent(agent: int, count: int) -> list[int]:
    """All agents, counted from this one in a circle."""
    return [(agent + k) % count for k in range(count)]


def choices_told(names: Sequence[str]) -> str:
    """A player's choices as a page shows them; the first and the last of many."""
    return listed(names, "or") if len(names) <= 4 else f"one of {names[0]}, {names[1]}, ... {names[-1]}"


def payoff_lines(world: Any, s: Any, agent: int, names: Sequence[Sequence[str]]) -> list[str]:
    """The payoff table in words for one agent, one line per cell."""
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
