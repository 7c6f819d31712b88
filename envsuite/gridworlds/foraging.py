"""Foraging: players with levels gather food that often takes several of them (level-based foraging, LBF).

**Rules.** Players and food lie on a square grid, each with a level. All players act at once. In each step, players move
first. Staying counts as choosing the own cell. A player enters the cell that it has chosen if no other player has
chosen the same cell. This holds even if another player leaves the cell only now or is blocked in it. If several players
choose the same cell, all of them stay where they are. Food blocks the way, but players do not: two players may change
places, and sometimes two share a cell.

Then food is loaded. The levels of all players that load beside a piece of food are added. If the sum is at least the
food's level, these players take the food and share its value.

In a new episode, players may be in any cell. Food is never at the edge. No two pieces of food are within one cell of
each other, diagonals included, or within two cells in the same row or column.

**Agents.** `player_0` and `player_1`, or up to 1,024.

**Observation.** With ``observation="vector"``, a Dict of int8 parts. Rows and columns count from the top left corner of
the cells that the player sees: the cells of the grid up to `sight` rows and columns away.

| part | space | content |
|---|---|---|
| food | Box (food, 3) int8 | row, column and level of food in view, from the top row down; then -1, -1, 0 |
| players | Box (players, 3) int8 | the same of the player itself, then of others in view by number; then -1, -1, 0 |

Other players are seen in a square of 2 `sight` + 1 cells from that corner. At the top and left edges, they are thus
seen at larger distances than food. With ``observe_agent_levels=False``, `players` has no levels.

With ``observation="grid"``, Box (3, w, w) int8 with w = 2 `sight` + 1 and the player in the middle:

| plane | content |
|---|---|
| 0 | levels of players, or 1 if levels are not observed; in a shared cell, the level of the last player |
| 1 | levels of food |
| 2 | 1 where a cell of the grid is free |

**Actions.** Discrete (6).

| action | name | legal |
|---|---|---|
| 0 | `noop` | always |
| 1-4 | `north`, `south`, `west`, `east` | if that cell is on the grid and has no food, with or without players in it |
| 5 | `load` | beside food, not diagonally |

**Window.** The arrow keys move the player. Space loads, and the key . does nothing. A click on a cell beside the player
moves there; a click on food beside the player loads it.

**Rewards.** If players of levels l load food of level f together, each of them gets f l / (sum of l), divided by the
sum of the levels of all food of the episode. The returns of all players thus sum to 1 when all food is loaded. With
``normalize_reward=False``, each gets f l. A player that loads without success gets -`penalty`.

**Ends.** Terminates when no food is left; truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 2 | number of players, from 2 to 1,024 and less than size x size |
| `size` | 8 | cells on a side, from 5 to 64 |
| `food` | 2 | pieces of food, from 1 to 1,024; fewer if they do not fit |
| `sight` | None | distance that players see, from 1 to 64; None: everything |
| `min_player_level`, `max_player_level` | 1, 2 | limits of players' levels, from 1 to 127 |
| `min_food_level`, `max_food_level` | 1, None | limits of food's levels, from 1 to 127; None: see below |
| `force_coop` | False | whether all food has its highest level |
| `penalty` | 0 | cost of loading without success, from 0 to 1,000,000 |
| `normalize_reward` | True | whether returns of all players sum to 1, see the rewards |
| `observation` | "vector" | "vector" or "grid", see the observation |
| `observe_agent_levels` | True | whether players see levels of players |
| `horizon` | 50 | steps until truncation, from 1 to 1,000,000 |

Levels are uniform between their limits. A limit may be a list with an entry for each player or piece of food; its
entries are assigned at random. With `max_food_level` None, the limit is the sum of the three lowest levels of players.

**Level.** ``{"players": [[row, column, level], ...], "food": [[row, column, level], ...]}``. Pieces of food may be
close together, but not at the edge.

**Known values.** Return of all players together, uniformly random legal play, mean +- standard error:

| | this world, 16,384 episodes | lbforaging, 4,000 episodes |
|---|---|---|
| default | 0.236 +- 0.002 | 0.241 +- 0.005 |
| `force_coop` | 0.0070 +- 0.0005 | 0.0069 +- 0.0009 |

**Differences.** From lbforaging 2.0.0, which is otherwise equal step for step:

- The step limit truncates; there it terminates.
- Illegal actions are errors; there they are `noop`, as here with ``on_illegal="noop"``.
- Observations are int8 in two parts. Flattened, they are the reference's float32 vector.
- The reference cannot make its grid observation, because its space contradicts itself. With that repaired, both grid
  observations are equal.
- No new episode has a cell beside two pieces of food, but levels may. A player there loads the first of the northern,
  southern, western and eastern piece. Groups load in the order of their lowest numbers. In the reference, these orders
  depend on addresses in memory.
- Players of a new episode may be in any cell. In the reference, they are not in cells where players of the last episode
  ended.
- Grids are square.

**Source.** Albrecht and Ramamoorthy, 2013; Christianos et al., "Shared Experience Actor-Critic", 2020; Papoudakis et
al., "Benchmarking Multi-Agent Deep Reinforcement Learning Algorithms in Cooperative Tasks", 2021.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.levels import read_numbers
from envsuite.core.page import Page, When
from envsuite.core.random import randint, shuffle
from envsuite.core.ranges import below, free, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit.grid import steps
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene, Shape, apple, grid
from envsuite.render.theme import agent_color

ACTIONS = ("noop", "north", "south", "west", "east", "load")
NOOP, NORTH, SOUTH, WEST, EAST, LOAD = range(6)

#: The change of row and column by each action.
ROWS = np.array([0, -1, 1, 0, 0, 0])
COLUMNS = np.array([0, 0, 0, -1, 1, 0])

#: The code of `field` around the grid. In the grid, `field` has levels of food, and 0 for no food.
EDGE = -1

HIGHEST_LEVEL = 127
#: The number of cells that the reference tries for all food together.
_ATTEMPTS = 1000
#: The places around food where no other food may be.
_CLOSE = np.array([(i, j) for i in range(-2, 3) for j in range(-2, 3) if max(abs(i), abs(j)) < 2 or 0 in (i, j)])


def fields(players: int, size: int, food: int, border: int, standing: bool) -> list[tuple]:
    """The record; cells are row * size + column."""
    bordered = (size + 2 * border, size + 2 * border)
    lying = np.pad(np.full((size - 2, size - 2), HIGHEST_LEVEL), 1)  # food is never at the edge
    field = within(
        np.int8, np.pad(0 * lying, border, constant_values=EDGE), np.pad(lying, border, constant_values=EDGE)
    )
    place = below(np.int64, size)
    return [
        ("start", below(np.int64, size * size), (players,)),  # cells
        ("level", within(np.int64, 1, HIGHEST_LEVEL), (players,)),
        ("start_food", within(np.int8, 0, lying), (size, size)),  # levels, 0 without food
        ("row", place, (players,)),
        ("column", place, (players,)),
        ("score", free(np.float64), (players,)),  # rewards so far
        ("left", within(np.int64, 0, food)),  # pieces of food
        ("worth", within(np.int64, 0, food * HIGHEST_LEVEL)),  # levels of all food at the start
        ("food_row", place, (food,)),
        ("food_column", place, (food,)),
        ("food_level", within(np.int64, 0, HIGHEST_LEVEL), (food,)),  # 0 once it is gone
        ("field", field, bordered),  # levels of food, with a border of EDGE
        (
            "standing",
            within(np.int8, 0, HIGHEST_LEVEL if standing else 0),
            bordered if standing else (1, 1),
        ),  # what grid observations show of players
        ("loading", below(np.uint8, 4), (players,)),  # whether they loaded in the last step
        ("to_row", place, (players,)),  # where they would be; only within a step
        ("to_column", place, (players,)),
        ("visits", below(np.uint16, 1), (size, size)),  # players that would be in a cell; only within a step
        ("order", below(np.int64, max(players, food)), (max(players, food),)),  # room for sorting
    ]


@large_kernel
def reset(s):
    fill(s.visits, 0)
    if not s.level_given:
        spawn_players(s)
        spawn_food(s)
    lay_out(s)
    size = s.start_food.shape[0]
    for a in range(s.row.shape[0]):
        s.row[a] = s.start[a] // size
        s.column[a] = s.start[a] % size
        s.loading[a] = 0
        s.score[a] = 0.0
        stand(s, a)


@kernel
def spawn_players(s):
    """Place players of random levels in different cells, all of them equally likely (Floyd's sampling)."""
    size = s.start_food.shape[0]
    players = s.start.shape[0]
    for a in range(players):
        last = size * size - players + a
        cell = randint(s, last + 1)
        if s.visits[cell // size, cell % size]:
            cell = last
        s.visits[cell // size, cell % size] = 1
        s.start[a] = cell
        s.order[a] = a
    for a in range(players):
        s.visits[s.start[a] // size, s.start[a] % size] = 0
    shuffle(s, s.start, players)
    shuffle(s, s.order, players)
    for a in range(players):
        low, high = s.params.min_player_level[s.order[a]], s.params.max_player_level[s.order[a]]
        s.level[a] = low + randint(s, high - low + 1)


@kernel
def spawn_food(s):
    """Place food of random levels in random cells, as far as the attempts suffice."""
    size = s.start_food.shape[0]
    for i in range(size):
        for j in range(size):
            s.start_food[i, j] = 0
    for a in range(s.start.shape[0]):
        s.visits[s.start[a] // size, s.start[a] % size] = 1
    wanted = s.food_level.shape[0]
    for k in range(wanted):
        s.order[k] = k
    shuffle(s, s.order, wanted)
    default = lowest_three(s)
    count = 0
    for _ in range(_ATTEMPTS):
        i, j = 1 + randint(s, size - 2), 1 + randint(s, size - 2)
        if s.visits[i, j] == 0 and not crowded(s, i, j):
            high = s.params.max_food_level[s.order[count]]
            if high == 0:
                high = default
            low = high if s.params.force_coop else s.params.min_food_level[s.order[count]]
            s.start_food[i, j] = low + randint(s, high - low + 1)
            count += 1
            if count == wanted:
                break
    for a in range(s.start.shape[0]):
        s.visits[s.start[a] // size, s.start[a] % size] = 0


@kernel
def lowest_three(s):
    """The sum of the three lowest levels of players."""
    first, second, third = HIGHEST_LEVEL, HIGHEST_LEVEL, HIGHEST_LEVEL
    for a in range(s.level.shape[0]):
        level = s.level[a]
        third = min(third, max(second, level))
        second = min(second, max(first, level))
        first = min(first, level)
    return first + second + third if s.level.shape[0] > 2 else first + second


@kernel
def crowded(s, row, column):
    """Whether there is food here or nearby."""
    size = s.start_food.shape[0]
    for k in range(_CLOSE.shape[0]):
        i, j = row + _CLOSE[k, 0], column + _CLOSE[k, 1]
        if 0 <= i < size and 0 <= j < size and s.start_food[i, j]:
            return True
    return False


@kernel
def margin(s):
    """The width of the border around the grid in `field`."""
    return (s.field.shape[0] - s.start_food.shape[0]) // 2


@kernel
def lay_out(s):
    """Fill the field with its border, and the list of food, from the level's food."""
    size, border = s.start_food.shape[0], margin(s)
    fill(s.field, EDGE)
    fill(s.standing, 0)
    s.left = 0
    s.worth = 0
    for i in range(size):
        for j in range(size):
            level = s.start_food[i, j]
            s.field[i + border, j + border] = level
            if level:
                s.food_row[s.left] = i
                s.food_column[s.left] = j
                s.food_level[s.left] = level
                s.left += 1
                s.worth += level
    for k in range(s.left, s.food_level.shape[0]):
        s.food_row[k] = 0
        s.food_column[k] = 0
        s.food_level[k] = 0


@kernel
def stand(s, a):
    """Write a player's place for grid observations."""
    if s.standing.shape[0] > 1:
        s.standing[s.row[a] + margin(s), s.column[a] + margin(s)] = s.level[a] if s.params.observe_agent_levels else 1


@kernel
def step(s, actions, rewards):
    move(s, actions)
    players = s.row.shape[0]
    for a in range(players):
        s.loading[a] = actions[a] == LOAD
    for a in range(players):
        if s.loading[a] == 1:
            load(s, a, rewards)
    for a in range(players):
        s.score[a] += rewards[a]
        s.terminated[a] = s.left == 0
        s.truncated[a] = s.left > 0 and s.t >= s.params.horizon


@kernel
def move(s, actions):
    """Move each player that alone wants a cell; staying is wanting the own cell. `visits` is zero before and after."""
    players = s.row.shape[0]
    for a in range(players):
        s.to_row[a] = s.row[a] + ROWS[actions[a]]
        s.to_column[a] = s.column[a] + COLUMNS[actions[a]]
        s.visits[s.to_row[a], s.to_column[a]] += 1
        if s.standing.shape[0] > 1:
            s.standing[s.row[a] + margin(s), s.column[a] + margin(s)] = 0
    for a in range(players):
        if s.visits[s.to_row[a], s.to_column[a]] == 1:
            s.row[a] = s.to_row[a]
            s.column[a] = s.to_column[a]
    for a in range(players):
        s.visits[s.to_row[a], s.to_column[a]] = 0
        stand(s, a)


@kernel
def load(s, a, rewards):
    """Give the food that `a` loads to all players that load beside it, if they can.

    A player's `loading` is 2 meanwhile, and 3 afterwards.
    """
    border = margin(s)
    row, column = s.row[a] + border, s.column[a] + border
    for action in range(NORTH, EAST + 1):
        if s.field[row + ROWS[action], column + COLUMNS[action]] > 0:
            row += ROWS[action]
            column += COLUMNS[action]
            break
    level = np.int64(s.field[row, column])
    row -= border
    column -= border
    total = 0
    for b in range(a, s.row.shape[0]):
        if s.loading[b] == 1 and abs(s.row[b] - row) + abs(s.column[b] - column) == 1:
            total += s.level[b]
            s.loading[b] = 2
    for b in range(a, s.row.shape[0]):
        if s.loading[b] == 2:
            s.loading[b] = 3
            if total < level:
                rewards[b] -= s.params.penalty
            elif s.params.normalize_reward:
                rewards[b] = s.level[b] * level / (total * s.worth)
            else:
                rewards[b] = s.level[b] * level
    if total >= level:
        remove(s, row, column)


@kernel
def remove(s, row, column):
    s.field[row + margin(s), column + margin(s)] = 0
    s.left -= 1
    for k in range(s.food_level.shape[0]):
        if s.food_row[k] == row and s.food_column[k] == column:
            s.food_level[k] = 0


def by_form(vector: Callable, grid: Callable) -> Any:
    """A kernel of an observation and more: `vector` for a Dict's parts, `grid` for planes."""
    return by_fields(lambda names: names is not None, vector, grid)


def _write_vector(observation, s, agent):
    food, players = observation.food, observation.players
    sight, row, column = s.params.sight, s.row[agent], s.column[agent]
    top, left = row - min(sight, row), column - min(sight, column)
    seen = 0
    for k in range(food.shape[0]):
        i, j = s.food_row[k], s.food_column[k]
        if s.food_level[k] and top <= i <= row + sight and left <= j <= column + sight:
            food[seen, 0] = i - top
            food[seen, 1] = j - left
            food[seen, 2] = s.food_level[k]
            seen += 1
    for k in range(seen, food.shape[0]):
        food[k, 0] = -1
        food[k, 1] = -1
        food[k, 2] = 0
    _write_player(players, 0, row - top, column - left, s.level[agent])
    seen = 1
    for b in range(s.row.shape[0]):
        i, j = s.row[b] - top, s.column[b] - left
        if b != agent and 0 <= i <= 2 * sight and 0 <= j <= 2 * sight:
            _write_player(players, seen, i, j, s.level[b])
            seen += 1
    for k in range(seen, players.shape[0]):
        _write_player(players, k, -1, -1, 0)


@kernel
def _write_player(players, k, row, column, level):
    players[k, 0] = row
    players[k, 1] = column
    if players.shape[1] > 2:
        players[k, 2] = level


def _write_grid(observation, s, agent):
    # The border is as wide as the sight. Unsigned indices avoid code for negative ones.
    top, left, width = np.uint64(s.row[agent]), np.uint64(s.column[agent]), np.uint64(observation.shape[1])
    for i in range(width):
        for j in range(width):
            food, player = s.field[top + i, left + j], s.standing[top + i, left + j]
            observation[0, i, j] = player
            observation[1, i, j] = max(food, np.int8(0))
            observation[2, i, j] = (food | player) == 0


_write = by_form(_write_vector, _write_grid)


@large_kernel
def observe(s, agent, out):
    _write(out, s, agent)


@kernel
def legal(s, agent, mask):
    row, column = s.row[agent] + margin(s), s.column[agent] + margin(s)
    mask[NOOP] = 1
    mask[LOAD] = 0
    for action in range(NORTH, EAST + 1):
        food = s.field[row + ROWS[action], column + COLUMNS[action]]
        mask[action] = food == 0
        mask[LOAD] |= food > 0


PAGE = Page(
    role="You and {rest:other player} gather food in a field. Players and food have levels.",
    goal=(
        When(
            "normalize_reward",
            (
                "Food is worth its level, divided by the sum of the levels of all food at the start. The players that "
                "load it share that in proportion to their levels."
            ),
            "Each player that loads food is paid its level, multiplied by the player's own level.",
        ),
        When("penalty", "Loading without success costs {penalty}."),
    ),
    rules=(
        (
            "The field has {size} x {size} cells and up to {food:piece} of food; north is up. All choose at once. "
            "First players move. You enter a cell unless another player has chosen the same one, even if that player "
            "only stays there; then neither moves. You cannot enter a cell with food, but two players may change "
            "places, and if you try to leave your cell and cannot, another one can come into it."
        ),
        (
            "Then food is loaded: if the levels of all who load beside a piece of food, not diagonally, add up to at "
            "least its level, they take it. New food does not appear."
        ),
    ),
    sees=(
        When(
            "everything",
            "You see the whole field.",
            "You see food up to {reach:row or column/rows or columns} away, and other players about as far.",
        ),
        When("observe_agent_levels", "", "You do not see the levels of players, not even your own."),
    ),
    acts={
        ("north", "south", "west", "east"): "move one cell",
        "load": "load the food beside you",
        "noop": "stay where you are",
    },
    ends="It is over when no food is left, or after {horizon:turn}.",
    unsaid={
        **dict.fromkeys(
            ("min_player_level", "max_player_level", "min_food_level", "max_food_level", "force_coop"),
            "levels are seen, and not told beforehand",
        ),
        "observation": "the form in which programs see the field",
        "players": "told as the number of others",
    },
    constants={"two": "players"},
)


class Foraging(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    kind = ("teams",)
    verified = "`lbforaging`, step by step"
    variants = (dict(players=3, size=6, sight=2, observation="grid", force_coop=True, penalty=0.1),)
    shown = "team"
    keys = {"up": "north", "down": "south", "left": "west", "right": "east", "space": "load", ".": "noop"}
    player_page = PAGE

    def __init__(
        self,
        players: Annotated[int, Between(2, 1024)] = 2,
        size: Annotated[int, Between(5, 64)] = 8,
        food: Annotated[int, Between(1, 1024)] = 2,
        sight: Annotated[int | None, Between(1, 64)] = None,
        min_player_level: int | Sequence[int] = 1,
        max_player_level: int | Sequence[int] = 2,
        min_food_level: int | Sequence[int] = 1,
        max_food_level: int | Sequence[int] | None = None,
        force_coop: bool = False,
        penalty: Annotated[float, Between(0, 1_000_000)] = 0.0,
        normalize_reward: bool = True,
        observation: Literal["vector", "grid"] = "vector",
        observe_agent_levels: bool = True,
        horizon: Annotated[int, Between(1, 1_000_000)] = 50,
    ):
        if players >= size * size:
            raise ParameterError(f"Foraging: {players} players do not fit on {size} x {size} cells with food")
        lowest = _levels("min_player_level", min_player_level, players)
        highest = _levels("max_player_level", max_player_level, players)
        _ordered("player", lowest, highest)
        least = _levels("min_food_level", min_food_level, food)
        if max_food_level is None:
            most = [0] * food
            self.highest_food = sum(sorted(highest)[:3])
            if self.highest_food > HIGHEST_LEVEL:
                raise ParameterError(
                    f"Foraging: food may have level {self.highest_food}, which is above {HIGHEST_LEVEL}: "
                    f"give max_food_level or lower max_player_level"
                )
            if not force_coop and max(least) > (certain := sum(sorted(lowest)[:3])):
                raise ParameterError(
                    f"Foraging: min_food_level={min_food_level!r} is above the sum of the three lowest levels of "
                    f"players, which may be {certain}: give max_food_level or raise min_player_level"
                )
        else:
            most = _levels("max_food_level", max_food_level, food)
            self.highest_food = max(most)
            _ordered("food", least, most)
        self.highest_player = max(highest)
        self.sight = min(size if sight is None else sight, size)
        everything = self.sight >= size - 1 and observe_agent_levels
        self.information = "perfect" if everything else "imperfect"
        border = 1 if observation == "vector" else self.sight
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=self._space(observation, players, size, food, observe_agent_levels),
            fields=fields(players, size, food, border, observation == "grid"),
            params={
                "min_player_level": limited(lowest, 1, HIGHEST_LEVEL),
                "max_player_level": limited(highest, 1, HIGHEST_LEVEL),
                "min_food_level": limited(least, 1, HIGHEST_LEVEL),
                "max_food_level": limited(most, 0, HIGHEST_LEVEL),
                "force_coop": force_coop,
                "penalty": float(penalty),
                "normalize_reward": normalize_reward,
                "observe_agent_levels": observe_agent_levels,
                "sight": self.sight,
                "horizon": horizon,
            },
            reward_range=(0.0 - penalty, 1.0 if normalize_reward else float(self.highest_player * self.highest_food)),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        size = self.parameters["size"]
        return {"rest": len(self.agents) - 1, "everything": self.sight >= size - 1, "reach": self.sight}

    def _space(self, form: str, players: int, size: int, food: int, levels: bool) -> Box | Dict:
        sight = self.sight
        if form == "grid":
            shape = (3, 2 * sight + 1, 2 * sight + 1)
            high = np.ones(shape, np.int8)
            high[0] = self.highest_player if levels else 1
            high[1] = self.highest_food
            return Box(np.zeros_like(high), high, dtype=np.int8)
        far = min(2 * sight, size - 1)
        low = np.tile(np.array([-1, -1, 0], np.int8), (players, 1))
        high = np.tile(np.array([far, far, self.highest_player], np.int8), (players, 1))
        low[0] = 0, 0, 1
        high[0, :2] = min(sight, size - 1)
        width = 3 if levels else 2
        far = min(2 * sight, size - 2)  # food is never at the edge
        return Dict(
            {
                "food": Box(
                    np.tile(np.array([-1, -1, 0], np.int8), (food, 1)),
                    np.tile(np.array([far, far, self.highest_food], np.int8), (food, 1)),
                    dtype=np.int8,
                ),
                "players": Box(low[:, :width], high[:, :width], dtype=np.int8),
            }
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        size = len(s.start_food)
        players, food = (
            read_numbers(level[name], f"{self.id}: the level's {name}", (sizes, 3), [edge, edge, 1], most, whole=True)
            for name, sizes, edge, most in (
                ("players", len(s.start), 0, [size - 1, size - 1, self.highest_player]),
                ("food", (0, len(s.food_level)), 1, [size - 2, size - 2, self.highest_food]),
            )
        )
        places = [tuple(place) for place in np.concatenate([players, food])[:, :2].tolist()]
        if twice := [place for place in places if places.count(place) > 1]:
            raise LevelError(f"{self.id}: two things are at row {twice[0][0]}, column {twice[0][1]}")
        s.start[:] = players[:, 0] * size + players[:, 1]
        s.level[:] = players[:, 2]
        s.start_food[:] = 0
        s.start_food[food[:, 0], food[:, 1]] = food[:, 2]

    def contradiction(self, s: Any) -> str | None:
        p, border, size = s.params, margin(s), len(s.start_food)
        given = p.max_food_level > 0
        lowest, highest = (int(np.sort(levels)[:3].sum()) for levels in (p.min_player_level, p.max_player_level))
        least = 0 if p.force_coop else p.min_food_level
        if (p.min_player_level > p.max_player_level).any() or (least > np.where(given, p.max_food_level, lowest)).any():
            return "a lowest level is above the highest"
        if highest > HIGHEST_LEVEL and not given.all():
            return f"food may have a level above {HIGHEST_LEVEL}"
        lying, field = s.food_level > 0, np.zeros_like(s.start_food)
        field[s.food_row[lying], s.food_column[lying]] = s.food_level[lying]
        if (
            s.left != np.count_nonzero(lying)
            or (s.field[border : border + size, border : border + size] != field).any()
        ):
            return "the food on the field is not the listed food"
        if np.count_nonzero(field) != s.left or s.worth != s.start_food.sum(dtype=np.int64):
            return "left and worth do not count the food"
        return None

    def get_level(self, s: Any) -> dict[str, Any]:
        size = len(s.start_food)
        players = [[*divmod(cell, size), level] for cell, level in zip(s.start.tolist(), s.level.tolist())]
        food = [[int(i), int(j), int(s.start_food[i, j])] for i, j in np.argwhere(s.start_food)]
        return {"players": players, "food": food}

    def state_space(self) -> Box:
        """Row, column and level of each piece of food (-1, -1, 0 once it is gone), then of each player."""
        size, food, players = self.parameters["size"], self.parameters["food"], len(self.agents)
        low = np.array([[-1, -1, 0]] * food + [[0, 0, 1]] * players, np.int8)
        high = np.array(
            [[size - 2, size - 2, self.highest_food]] * food + [[size - 1, size - 1, self.highest_player]] * players,
            np.int8,
        )
        return Box(low, high, dtype=np.int8)

    def state(self, records: np.ndarray, observations: np.ndarray) -> np.ndarray:
        food = np.stack([records[name] for name in ("food_row", "food_column", "food_level")], axis=-1)
        food[food[:, :, 2] == 0] = -1, -1, 0
        players = np.stack([records[name] for name in ("row", "column", "level")], axis=-1)
        return np.concatenate([food, players], axis=1).astype(np.int8)

    def window_of(self, s: Any, agent: int) -> tuple[tuple[int, int, int, int], list[int]]:
        """The first and last row and column in which an agent sees food, and the other players that it sees."""
        size, row, column, sight = len(s.start_food), int(s.row[agent]), int(s.column[agent]), self.sight
        top, left = max(row - sight, 0), max(column - sight, 0)
        window = top, min(row + sight, size - 1), left, min(column + sight, size - 1)
        if self.parameters["observation"] == "grid":
            reach = np.maximum(abs(s.row - row), abs(s.column - column)) <= sight
        else:
            i, j = s.row - top, s.column - left
            reach = (np.minimum(i, j) >= 0) & (np.maximum(i, j) <= 2 * sight)
        return window, [b for b in np.flatnonzero(reach).tolist() if b != agent]

    def text(self, s: Any, agent: int) -> str:
        row, column, levels = int(s.row[agent]), int(s.column[agent]), self.parameters["observe_agent_levels"]
        (top, bottom, left, right), others = self.window_of(s, agent)
        lines = [f"Your level is {int(s.level[agent])}."] if levels else []
        everyone = len(others) == len(self.agents) - 1
        near = sorted(others, key=lambda b: abs(s.row[b] - row) + abs(s.column[b] - column))
        seen = []
        for b in near:
            # Players out of view leave no gap in the observation, so numbers are known only if all players are in view.
            name = self.agents[b] if everyone else "a player"
            of = f" of level {int(s.level[b])}" if levels else ""
            seen.append(f"{name}{of} {_where(int(s.row[b]) - row, int(s.column[b]) - column)}")
        pieces = [(int(s.food_row[k]) - row, int(s.food_column[k]) - column, k) for k in np.flatnonzero(s.food_level)]
        pieces = [(i, j, k) for i, j, k in pieces if top <= row + i <= bottom and left <= column + j <= right]
        pieces.sort(key=lambda piece: abs(piece[0]) + abs(piece[1]))
        food = [f"level {int(s.food_level[k])} {_where(i, j)}" for i, j, k in pieces]
        lines.append(f"Food: {'; '.join(food) or 'none in view'}.")
        lines.append(f"Others: {'; '.join(seen) or 'none in view'}.")
        beside = {(i, j): int(s.food_level[k]) for i, j, k in pieces}
        loads = [beside[at] for at in zip(ROWS.tolist(), COLUMNS.tolist()) if at in beside]
        if loads:
            lines.append(f"You can load: those who do so beside the food need levels of {loads[0]} together.")
        return "\n".join(lines)

    def _window(self, s: Any, agent: int | None) -> tuple[int, int, int]:
        """The part of the grid that a picture shows: its first row and column, and its size.

        An agent that does not see the whole grid does not know where its view lies in the grid.
        """
        size, sight = len(s.start_food), self.sight
        if agent is None or sight >= size - 1:
            return 0, 0, size
        top, left = s.row[agent] - sight, s.column[agent] - sight
        if self.parameters["observation"] == "vector":
            top, left = max(top, 0), max(left, 0)
        return top, left, 2 * sight + 1

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The grid; for an agent, the square that it observes, with cells dark that it sees nothing of."""
        first_row, first_column, size = self._window(s, agent)
        unit = max(1.0, size / 9)  # of the panel, which grows with the grid
        scene = Scene(size + 5.4 * unit, size + 0.8)
        scene.add(*grid(0.4, 0.4, size, size), Rect(0.4, 0.4, size, size, None, "line", 0.06))
        top, bottom, left, right = 0, len(s.start_food) - 1, 0, len(s.start_food) - 1
        shown = list(range(len(self.agents)))
        if agent is not None:
            (top, bottom, left, right), others = self.window_of(s, agent)
            shown = [agent, *others]
            window = top - first_row, bottom - first_row, left - first_column, right - first_column
            if self.parameters["observation"] == "vector":  # it does not show where the grid ends
                window = 0, s.row[agent] + self.sight - first_row, 0, s.column[agent] + self.sight - first_column
            scene.add(*_shade(window, size))
        for k in np.flatnonzero(s.food_level):
            i, j = int(s.food_row[k]), int(s.food_column[k])
            if top <= i <= bottom and left <= j <= right:
                i, j = i - first_row, j - first_column
                scene.add(*apple(j + 0.9, i + 0.86, 1.3)[:-1])  # without its shine: the level is there
                level = str(int(s.food_level[k]))
                scene.add(Label(j + 0.9, i + 0.94, level, 0.44, "white", bold=True, terminal=False))
        tokens = self._tokens(s, shown, agent)
        cells: dict[tuple[int, int], list[int]] = {}
        for a in shown:
            cells.setdefault((s.row[a] - first_row, s.column[a] - first_column), []).append(a)
        for (i, j), group in cells.items():
            for place, a in enumerate(group):  # players in one cell stand side by side
                aside = 0.36 * (place / (len(group) - 1) - 0.5) if len(group) > 1 else 0.0
                _, color, level = tokens[a]
                scale = 1.0 if len(group) == 1 else 0.7
                loads = bool(s.loading[a]) and agent in (None, a)
                scene.add(*_player(j + 0.9 + aside, i + 0.9 + aside, scale, color, level, loads))
        scene.add(*self._panel(s, tokens, size, unit, agent is None))
        return scene

    def _tokens(self, s: Any, shown: list[int], agent: int | None) -> dict[int, tuple[str, str, str]]:
        """The name, color and level to show for each player; for an agent, as far as it knows them."""
        known = agent is None or len(shown) == len(self.agents)
        levels = agent is None or self.parameters["observe_agent_levels"]
        tokens = {}
        for a in shown:
            name, color = (f"player {a}", agent_color(a)) if known or a == agent else ("a player", "grey")
            tokens[a] = ("you" if a == agent else name), color, str(int(s.level[a])) if levels else ""
        return tokens

    def _panel(
        self, s: Any, tokens: Mapping[int, tuple[str, str, str]], size: int, unit: float, everything: bool
    ) -> list[Shape]:
        """Players, at the right side of a picture; for spectators also the clock, the food left and scores."""
        x, height, width, first = size + 0.9, float(size), 4.1 * unit, 0.4 + 0.75 * unit
        shapes: list[Shape] = [Rect(x, 0.4, width, height, "panel", radius=0.15 * unit)]
        if everything:
            first += 1.5 * unit
            food = f"{int((s.food_level > 0).sum())} of {int((s.start_food > 0).sum())} food left"
            steps = f"{int(s.params.horizon) - int(s.t)} steps left"
            shapes += [
                Label(x + 0.3 * unit, 0.4 + 0.6 * unit, steps, 0.46 * unit, align="left", bold=True),
                Label(x + 0.3 * unit, 0.4 + 1.25 * unit, food, 0.38 * unit, "muted", align="left"),
            ]
        room = int((height + 0.4 - first) / unit + 0.5)
        listed = list(tokens)
        if len(listed) > room:
            listed = listed[: room - 1]
            more = f"and {len(tokens) - len(listed)} more"
            y = first + len(listed) * unit
            shapes.append(Label(x + 0.4 * unit, y, more, 0.36 * unit, "muted", align="left"))
        for k, a in enumerate(listed):
            y = first + k * unit
            name, color, level = tokens[a]
            shapes += _player(x + 0.75 * unit, y, 0.85 * unit, color, level, False)
            shapes.append(Label(x + 1.3 * unit, y, name, 0.36 * unit, align="left"))
            if everything:
                score = f"{s.score[a]:.2f}"
                shapes.append(Label(x + width - 0.3 * unit, y, score, 0.42 * unit, align="right", bold=True))
        return shapes

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        top, left, _ = self._window(s, agent)
        i, j = int((y - 0.4) // 1) + top - s.row[agent], int((x - 0.4) // 1) + left - s.column[agent]
        moves = list(zip(ROWS.tolist(), COLUMNS.tolist()))[:LOAD]
        if (i, j) not in moves:
            return None
        beside = (s.food_row == s.row[agent] + i) & (s.food_column == s.column[agent] + j) & (s.food_level > 0)
        return LOAD if beside.any() else moves.index((i, j))


def _levels(name: str, given: int | Sequence[int], count: int) -> list[int]:
    """A level for each of `count` players or pieces of food, or `ParameterError`."""
    listed = [given] * count if isinstance(given, int) else list(given)
    fits = all(isinstance(one, (int, np.integer)) and 1 <= one <= HIGHEST_LEVEL for one in listed)
    if len(listed) != count or not fits:
        raise ParameterError(
            f"Foraging: {name}={given!r} must be a level from 1 to {HIGHEST_LEVEL}, or {count} of them"
        )
    return [int(one) for one in listed]


def _ordered(what: str, lows: list[int], highs: list[int]) -> None:
    for low, high in zip(lows, highs):
        if low > high:
            raise ParameterError(f"Foraging: min_{what}_level is {low} where max_{what}_level is {high}")


def _where(down: int, right: int) -> str:
    return " ".join(steps(down, right)) or "in your cell"


def _player(x: float, y: float, size: float, color: str, level: str, loading: bool) -> list[Shape]:
    """A player with its level, in a ring while it loads."""
    shapes: list[Shape] = [Circle(x, y, 0.46 * size, None, "gold", 0.07 * size, glyph="")] if loading else []
    return [
        *shapes,
        Circle(x + 0.02 * size, y + 0.04 * size, 0.36 * size, "shadow@0.22", glyph=""),
        Circle(x, y, 0.36 * size, color, "white", 0.05 * size, glyph=f"{level[:1]}●"),
        Label(x, y, level, 0.42 * size, "white", bold=True, terminal=False),
    ]


def _shade(window: tuple[int, int, int, int], size: int) -> list[Shape]:
    """A shadow over the cells outside of these rows and columns."""
    top, bottom, left, right = window
    bottom, right = min(bottom, size - 1), min(right, size - 1)
    parts = [
        (0, 0, size, top),
        (0, bottom + 1, size, size - 1 - bottom),
        (0, top, left, bottom + 1 - top),
        (right + 1, top, size - 1 - right, bottom + 1 - top),
    ]
    return [Rect(0.4 + x, 0.4 + y, w, h, "shadow@0.3") for x, y, w, h in parts if w > 0 and h > 0]


env, raw_env, parallel_env = pettingzoo_forms(Foraging)
