"""Pursuit: pursuers with short sight surround evaders that walk at random.

**Rules.** Pursuers and evaders walk on a grid of `width` x `height` cells with a rectangular wall in the middle. Any
number of them may be in one cell. A move into the wall or off the grid does nothing. In each round:

1. The pursuers move, in the order of their numbers.
2. All evaders that are caught leave. An evader is caught if every free cell beside it holds a pursuer: four cells,
   fewer beside the wall or an edge, two in a corner. With ``surround=False``, an evader is caught if at least `n_catch`
   pursuers are in its own cell.
3. Each remaining evader goes left, right, down, up or stays, each with probability 1/5.

In a new episode, the pursuers are in random cells, none in or beside the cell of another pursuer. The same holds for
the evaders.

**Agents.** `pursuer_0` to `pursuer_7`, or 1 to 255 pursuers.

**Observation.** Box (2 `sight` + 1, 2 `sight` + 1, 3) uint8: rows from the top, columns from the left, with the pursuer
in the middle. `state()` has the same planes of the whole grid.

| plane | content |
|---|---|
| 0 | 1 for the wall and off the grid |
| 1 | the number of pursuers in the cell, the pursuer itself included |
| 2 | the number of evaders in the cell |

**Actions.** Discrete (5).

| action | name |
|---|---|
| 0-3 | `left`, `right`, `down`, `up` |
| 4 | `stay` |

**Window.** The arrow keys move the pursuer, and the key . does nothing. A click on a cell beside the pursuer moves
there; a click on the pursuer itself stays.

**Rewards.** In each round, a pursuer gets the sum of

- `tag_reward` / `pursuers` for each evader in the four cells beside it, counted after every move of any pursuer. At an
  edge, its own cell counts in place of the cell off the grid;
- `catch_reward` if it took part in a catch: if it was beside the evader, or in its cell with ``surround=False``.
  Several catches in one round count once;
- `urgency_reward`.

With `shared_reward`, each pursuer gets the mean of these sums instead.

**Ends.** Terminates when no evader is left; truncated after `horizon` rounds.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `pursuers` | 8 | number of pursuers, from 1 to 255 |
| `evaders` | 30 | number of evaders, from 1 to 255 |
| `width`, `height` | 16, 16 | cells of the grid, each from 4 to 64 |
| `sight` | 3 | distance that pursuers see, from 1 to 16 |
| `shared_reward` | True | whether all pursuers get the mean reward |
| `surround` | True | whether evaders must be surrounded, see the rules |
| `n_catch` | 2 | pursuers that catch an evader in their cell, from 1 to 255; used with ``surround=False`` |
| `freeze_evaders` | False | whether evaders never move |
| `tag` | "moves" | when evaders beside a pursuer are counted; "rounds": once, after all moves, and undivided |
| `tag_reward` | 0.01 | reward for an evader beside the pursuer, from -1,000 to 1,000 |
| `catch_reward` | 5 | reward for a catch, from -1,000 to 1,000 |
| `urgency_reward` | -0.1 | reward of each round, from -1,000 to 1,000 |
| `constraint_window` | 1 | sides of a random box, as a share of the grid's sides, in which all start; from 0.1 to 1 |
| `horizon` | 500 | rounds until truncation, from 1 to 1,000,000 |

If no cell of the box is far enough from the others, the next pursuers or evaders are placed as if they were the first,
anywhere on the grid.

**Level.** ``{"map": ["....", "..#.", "..#.", "...."], "pursuers": [[x, y], ...], "evaders": [[x, y], ...]}`` with # for
walls and (0, 0) at the top left. A level may have fewer evaders. Every free cell has a free cell beside it.

**Known values.** Return of all pursuers together, mean +- standard error, 512 episodes here:

| | this world | PettingZoo 1.27.0 |
|---|---|---|
| uniformly random play | -370.1 +- 0.4 | -374 +- 4 |
| uniformly random play, ``surround=False`` | -310.4 +- 1.1 | -325 +- 9 |

**Differences.** From PettingZoo's `pursuit_v5`, which is otherwise equal round for round:

- All pursuers choose at once. There, a pursuer sees the moves of those with lower numbers in the round.
- If the last evader is caught in the last round, the episode terminates; there it is truncated.
- Observations are uint8; there they are float32 with the same values.
- The actions 2 and 3 are named for where they go on the picture. There, comments call action 2 `up`.
- The reference never ends a reset in which no cell is far enough from the others.
- `width`, `height`, `pursuers`, `evaders`, `sight` and `horizon` are `x_size`, `y_size`, `n_pursuers`, `n_evaders`,
  (`obs_range` - 1) / 2 and `max_cycles` there.
- ``tag="rounds"`` and levels are additions. With the default, a pursuer that stays beside an evader is paid as often as
  there are pursuers, and each payment is divided by their number.

**Source.** Gupta, Egorov and Kochenderfer, "Cooperative Multi-Agent Control Using Deep Reinforcement Learning", 2017;
Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning", 2021.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import read_letters, read_numbers, write_letters
from envsuite.core.page import Case, Page, When
from envsuite.core.random import randint, uniform
from envsuite.core.ranges import among, below, flag, free, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit.grid import SCREEN, steps
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Polygon, Rect, Scene, Shape, grid
from envsuite.render.theme import agent_color, text_on

ACTIONS = ("left", "right", "down", "up", "stay")
LEFT, RIGHT, DOWN, UP, STAY = range(5)

#: The change of x and y by each action; the first four are also the cells beside a cell.
DX = np.array([-1, 1, 0, 0, 0])
DY = np.array([0, 0, 1, -1, 0])

#: The planes of observations and of `field`.
WALL, PURSUERS, EVADERS = range(3)

#: When tags are counted.
TAGS = ("moves", "rounds")
_ROUNDS = 1


def fields(pursuers: int, evaders: int, width: int, height: int, sight: int) -> list[tuple]:
    """The record; `field` has a border as wide as the sight, which is wall."""
    border = ((sight, sight), (sight, sight), (0, 0))
    low = np.pad(np.zeros((height, width, 3), np.uint8), border)
    high = np.pad(np.full((height, width, 3), (1, pursuers, evaders), np.uint8), border)
    for ends in (low, high):
        ends[:, :, WALL] |= np.pad(np.zeros((height, width), np.uint8), sight, constant_values=1)
    columns, rows = below(np.int64, width), below(np.int64, height)
    return [
        ("wall", flag(), (height, width)),
        ("start_x", columns, (pursuers,)),
        ("start_y", rows, (pursuers,)),
        ("den_x", columns, (evaders,)),  # where evaders start
        ("den_y", rows, (evaders,)),
        ("start_evaders", within(np.int64, 1, evaders)),  # evaders at the start; a level may have fewer
        ("x", columns, (pursuers,)),
        ("y", rows, (pursuers,)),
        ("evader_x", columns, (evaders,)),
        ("evader_y", rows, (evaders,)),
        ("loose", flag(), (evaders,)),  # whether each evader is on the grid
        ("left", within(np.int64, 0, evaders)),  # evaders on the grid
        ("field", within(np.uint8, low, high), low.shape),  # wall, pursuers and evaders in each cell
        ("took_part", flag(), (pursuers,)),  # whether each took part in a catch of the last round
        ("catches", free(np.int64), (pursuers,)),  # rounds with such a catch
        ("score", free(np.float64), (pursuers,)),  # rewards so far
        ("barred", flag(), (height, width)),  # where the next one cannot start; only within a reset
        ("corner", below(np.int64, max(width, height)), (2,)),  # the box in which all start; only within a reset
        ("sides", within(np.int64, 0, max(width, height)), (2,)),
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        build_wall(s)
        draw_box(s)
        spawn(s, s.start_x, s.start_y)
        spawn(s, s.den_x, s.den_y)
        s.start_evaders = s.den_x.shape[0]
    lay_out(s)
    for a in range(s.x.shape[0]):
        s.x[a] = s.start_x[a]
        s.y[a] = s.start_y[a]
        put(s, s.x[a], s.y[a], PURSUERS, 1)
        s.took_part[a] = 0
        s.catches[a] = 0
        s.score[a] = 0.0
    s.left = s.start_evaders
    for e in range(s.loose.shape[0]):
        s.evader_x[e] = s.den_x[e]
        s.evader_y[e] = s.den_y[e]
        s.loose[e] = e < s.left
        if s.loose[e]:
            put(s, s.evader_x[e], s.evader_y[e], EVADERS, 1)


@kernel
def build_wall(s):
    """A rectangle in the middle."""
    height, width = s.wall.shape
    for y in range(height):
        for x in range(width):
            s.wall[y, x] = 0.3 < x / width < 1.0 - 0.3 and 0.2 < y / height < 1.0 - 0.2


@kernel
def draw_box(s):
    """Draw the box in which all start."""
    share = s.params.constraint_window
    for axis in range(2):
        size = s.wall.shape[1 - axis]
        place = uniform(s) * (1.0 - share) if share < 1.0 else 0.0
        s.corner[axis] = np.int64(size * place)
        s.sides[axis] = min(np.int64(size * (place + share)), size) - s.corner[axis]


@kernel
def bar(s, left, top, width, height):
    """Bar all but the free cells of a box; return the number of these."""
    count = 0
    for y in range(s.wall.shape[0]):
        for x in range(s.wall.shape[1]):
            inside = left <= x < left + width and top <= y < top + height
            s.barred[y, x] = s.wall[y, x] or not inside
            count += s.barred[y, x] == 0
    return count


@large_kernel
def spawn(s, xs, ys):
    """Place a group in random free cells of the box, each not in or beside the cell of another one."""
    height, width = s.wall.shape
    count = bar(s, s.corner[0], s.corner[1], s.sides[0], s.sides[1])
    for k in range(xs.shape[0]):
        if count == 0:
            count = bar(s, 0, 0, width, height)
        left = randint(s, count)
        y = 0
        x = -1
        while left >= 0:
            x += 1
            if x == width:
                x = 0
                y += 1
            left -= s.barred[y, x] == 0
        xs[k] = x
        ys[k] = y
        for action in range(STAY + 1):
            i, j = y + DY[action], x + DX[action]
            if 0 <= i < height and 0 <= j < width and not s.barred[i, j]:
                s.barred[i, j] = 1
                count -= 1


@kernel
def margin(s):
    """The width of the border around the grid in `field`."""
    return (s.field.shape[0] - s.wall.shape[0]) // 2


@kernel
def put(s, x, y, plane, change):
    """Add to a cell's number of pursuers or evaders."""
    s.field[y + margin(s), x + margin(s), plane] += change


@kernel
def lay_out(s):
    """Fill the field with walls only."""
    border = margin(s)
    height, width = s.wall.shape
    for i in range(s.field.shape[0]):
        for j in range(s.field.shape[1]):
            inside = border <= i < border + height and border <= j < border + width
            s.field[i, j, WALL] = s.wall[i - border, j - border] if inside else 1
            s.field[i, j, PURSUERS] = 0
            s.field[i, j, EVADERS] = 0


@large_kernel
def step(s, actions, rewards):
    pursuers = s.x.shape[0]
    tag = s.params.tag_reward / pursuers if s.params.tag != _ROUNDS else s.params.tag_reward
    total = 0.0
    for a in range(pursuers):
        # `a` moves of others come before its own, with the same evaders beside it.
        earlier = a * evaders_beside(s, a)
        walk(s, s.x, s.y, a, actions[a], PURSUERS)
        beside = evaders_beside(s, a)
        rewards[a] = tag * (beside if s.params.tag == _ROUNDS else earlier + (pursuers - a) * beside)
    catch(s)
    if not s.params.freeze_evaders:
        for e in range(s.loose.shape[0]):
            if s.loose[e]:
                walk(s, s.evader_x, s.evader_y, e, randint(s, STAY + 1), EVADERS)
    for a in range(pursuers):
        rewards[a] += s.params.catch_reward * s.took_part[a] + s.params.urgency_reward
        total += rewards[a]
    for a in range(pursuers):
        if s.params.shared_reward:
            rewards[a] = total / pursuers
        s.catches[a] += s.took_part[a]
        s.score[a] += rewards[a]
        s.terminated[a] = s.left == 0
        s.truncated[a] = s.left > 0 and s.t >= s.params.horizon


@kernel
def walk(s, xs, ys, k, action, plane):
    """Move a pursuer or an evader, unless a wall is there."""
    x, y = xs[k] + DX[action], ys[k] + DY[action]
    if action != STAY and not s.field[y + margin(s), x + margin(s), WALL]:
        put(s, xs[k], ys[k], plane, -1)
        put(s, x, y, plane, 1)
        xs[k] = x
        ys[k] = y


@kernel
def evaders_beside(s, a):
    """The evaders in the four cells beside a pursuer; its own cell stands for a cell off the grid."""
    border = margin(s)
    height, width = s.wall.shape
    count = 0
    for action in range(STAY):
        x = min(max(s.x[a] + DX[action], 0), width - 1)
        y = min(max(s.y[a] + DY[action], 0), height - 1)
        count += s.field[y + border, x + border, EVADERS]
    return count


@large_kernel
def catch(s):
    """Take caught evaders off the grid and note the pursuers that took part."""
    fill(s.took_part, 0)
    for e in range(s.loose.shape[0]):
        if s.loose[e] and is_caught(s, s.evader_x[e], s.evader_y[e]):
            s.loose[e] = 0
            s.left -= 1
            put(s, s.evader_x[e], s.evader_y[e], EVADERS, -1)
            reach = 1 if s.params.surround else 0
            for a in range(s.x.shape[0]):
                if abs(s.x[a] - s.evader_x[e]) + abs(s.y[a] - s.evader_y[e]) == reach:
                    s.took_part[a] = 1


@kernel
def is_caught(s, x, y):
    """Whether an evader here is caught."""
    x += margin(s)
    y += margin(s)
    if not s.params.surround:
        return s.field[y, x, PURSUERS] >= s.params.n_catch
    for action in range(STAY):
        i, j = y + DY[action], x + DX[action]
        if not s.field[i, j, WALL] and not s.field[i, j, PURSUERS]:
            return False
    return True


@large_kernel
def observe(s, agent, out):
    # The border is as wide as the sight. Unsigned indices avoid code for negative ones.
    top, left, width = np.uint64(s.y[agent]), np.uint64(s.x[agent]), np.uint64(out.shape[0])
    for i in range(width):
        for j in range(width):
            for plane in range(np.uint64(3)):
                out[i, j, plane] = s.field[top + i, left + j, plane]


PAGE = Page(
    role=When("rest", "You and {rest:other pursuer} catch evaders on a field.", "You catch evaders on a field."),
    goal=(
        Case(
            "tag",
            {
                "moves": (
                    "In each round you are paid {touch:.4g} for each evader in the four cells beside you, counted "
                    "after the move of each pursuer;"
                ),
                "rounds": (
                    "In each round you are paid {touch:.4g} for each evader in the four cells beside you after all "
                    "moves;"
                ),
            },
        ),
        (
            "{catch_reward} if you took part in a catch; and {urgency_reward} for the round itself. At an edge of the "
            "field, your own cell counts in place of the missing one."
        ),
        When("shared", "All pursuers get the mean of what each would be paid."),
    ),
    rules=(
        (
            "The field has {width} x {height} cells, {evaders:evader}, and a wall in the middle. Any number of players "
            "and evaders can be in one cell. A move into the wall or off the field leaves you where you are. In a "
            "round, first all pursuers move, in the order of their numbers."
        ),
        (
            When(
                "surround",
                (
                    "Then an evader is caught if each free cell beside it holds a pursuer: four cells, fewer at the "
                    "wall or an edge. The pursuers beside it take part in the catch."
                ),
                (
                    "Then an evader is caught if its cell holds at least {n_catch:pursuer}. The pursuers in its cell "
                    "take part in the catch."
                ),
            ),
            "Evaders that are caught leave. Several catches in one round pay once.",
        ),
        When(
            "freeze_evaders", "Evaders never move.", "Last, each evader goes left, right, down or up or stays, by lot."
        ),
    ),
    sees="You see the cells up to {sight:row or column/rows or columns} away.",
    acts={("left", "right", "down", "up"): "move one cell", "stay": "stay where you are"},
    ends="It is over when no evader is left, or after {horizon:round}.",
    unsaid={
        "pursuers": "told as the number of others",
        "shared_reward": "told if there are others",
        "tag_reward": "told as what an evader beside a pursuer pays",
        "constraint_window": "where all start is to be seen",
        "n_catch": "told where it counts",
    },
    constants={"four": "cells beside one"},
)


class Pursuit(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("teams",)
    verified = "PettingZoo's `pursuit_v5`, round by round"
    variants = (
        dict(pursuers=3, evaders=2, width=6, height=5, sight=1, surround=False, shared_reward=False, tag="rounds"),
    )
    shown = "ring"
    keys = {"left": "left", "right": "right", "down": "down", "up": "up", ".": "stay"}
    player_page = PAGE

    def __init__(
        self,
        pursuers: Annotated[int, Between(1, 255)] = 8,
        evaders: Annotated[int, Between(1, 255)] = 30,
        width: Annotated[int, Between(4, 64)] = 16,
        height: Annotated[int, Between(4, 64)] = 16,
        sight: Annotated[int, Between(1, 16)] = 3,
        shared_reward: bool = True,
        surround: bool = True,
        n_catch: Annotated[int, Between(1, 255)] = 2,
        freeze_evaders: bool = False,
        tag: Literal["moves", "rounds"] = "moves",
        tag_reward: Annotated[float, Between(-1000, 1000)] = 0.01,
        catch_reward: Annotated[float, Between(-1000, 1000)] = 5.0,
        urgency_reward: Annotated[float, Between(-1000, 1000)] = -0.1,
        constraint_window: Annotated[float, Between(0.1, 1)] = 1.0,
        horizon: Annotated[int, Between(1, 1_000_000)] = 500,
    ):
        self.utility = "identical" if shared_reward else "general"
        shape = (2 * sight + 1, 2 * sight + 1, 3)
        high = np.broadcast_to(np.array([1, pursuers, evaders], np.uint8), shape).copy()
        most = 4.0 * evaders * tag_reward, float(catch_reward)
        self.define(
            agents=[f"pursuer_{a}" for a in range(pursuers)],
            actions=ACTIONS,
            observation=Box(np.zeros(shape, np.uint8), high, dtype=np.uint8),
            fields=fields(pursuers, evaders, width, height, sight),
            params={
                "shared_reward": shared_reward,
                "surround": surround,
                "n_catch": n_catch,
                "freeze_evaders": freeze_evaders,
                "tag": among(TAGS, tag),
                "tag_reward": float(tag_reward),
                "catch_reward": float(catch_reward),
                "urgency_reward": float(urgency_reward),
                "constraint_window": float(constraint_window),
                "horizon": horizon,
            },
            reward_range=(
                urgency_reward + sum(min(part, 0.0) for part in most),
                urgency_reward + sum(max(part, 0.0) for part in most),
            ),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        on, number = self.parameters, len(self.agents)
        touch = float(s.params.tag_reward) / (1 if on["tag"] == "rounds" else number)
        return {"rest": number - 1, "touch": touch, "shared": on["shared_reward"] and number > 1}

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        height, width = s.wall.shape
        wall = read_letters(level["map"], f"{self.id}: the level's map", s.wall.shape, ".#").astype(bool)
        enclosed = np.argwhere(~wall & ~_beside(~wall))
        if len(enclosed):
            y, x = enclosed[0].tolist()
            raise LevelError(f"{self.id}: no cell beside the free cell ({x}, {y}) is free")
        pursuers, evaders = (
            read_numbers(
                level[name], f"{self.id}: the level's {name}", (sizes, 2), 0, [width - 1, height - 1], whole=True
            )
            for name, sizes in (("pursuers", len(s.x)), ("evaders", (1, len(s.loose))))
        )
        for what, places in (("pursuer", pursuers), ("evader", evaders)):
            for x, y in places.tolist():
                if wall[y, x]:
                    raise LevelError(f"{self.id}: the {what} at ({x}, {y}) is not in a free cell of the map")
        s.wall[:] = wall
        s.start_x[:], s.start_y[:] = pursuers.T
        s.start_evaders = len(evaders)
        s.den_x[:] = s.den_y[:] = 0
        s.den_x[: len(evaders)], s.den_y[: len(evaders)] = evaders.T

    def get_level(self, s: Any) -> dict[str, Any]:
        count = int(s.start_evaders)
        return {
            "map": write_letters(s.wall, ".#"),
            "pursuers": np.stack([s.start_x, s.start_y], axis=1).tolist(),
            "evaders": np.stack([s.den_x[:count], s.den_y[:count]], axis=1).tolist(),
        }

    def contradiction(self, s: Any) -> str | None:
        border, (height, width) = margin(s), s.wall.shape
        field = s.field[border : border + height, border : border + width]
        pursuers, evaders = np.zeros((2, height, width), int)
        np.add.at(pursuers, (s.y, s.x), 1)
        loose = s.loose > 0
        np.add.at(evaders, (s.evader_y[loose], s.evader_x[loose]), 1)
        planes = (s.wall, pursuers, evaders)
        if s.left != loose.sum() or any((field[:, :, k] != planes[k]).any() for k in range(3)):
            return "the field does not show the pursuers and evaders"
        starting = np.arange(len(loose)) < s.start_evaders
        starts = [(s.start_y, s.start_x), (s.den_y[starting], s.den_x[starting]), (s.y, s.x)]
        if any(s.wall[place].any() for place in starts) or (s.wall & (evaders > 0)).any():
            return "a pursuer or evader is in a wall"
        return None

    def state_space(self) -> Box:
        """The planes of the observation for the whole grid."""
        height, width = self.parameters["height"], self.parameters["width"]
        high = np.broadcast_to(self.observation_spaces[0].high[0, 0], (height, width, 3)).copy()  # type: ignore[attr-defined]
        return Box(np.zeros_like(high), high, dtype=np.uint8)

    def state(self, records: np.ndarray, observations: np.ndarray) -> np.ndarray:
        sight = self.parameters["sight"]
        return records["field"][:, sight:-sight, sight:-sight].copy()

    # Text and pictures.

    def _window(self, s: Any, agent: int) -> np.ndarray:
        """(w, w, 3) what an agent observes."""
        width = 2 * self.parameters["sight"] + 1
        return np.array(s.field[s.y[agent] : s.y[agent] + width, s.x[agent] : s.x[agent] + width], int)

    def text(self, s: Any, agent: int) -> str:
        window, sight = self._window(s, agent), self.parameters["sight"]
        window[sight, sight, PURSUERS] -= 1
        letters = np.where(window[:, :, WALL] > 0, "#", ".")
        letters[window[:, :, PURSUERS] > 0] = "P"
        letters[window[:, :, EVADERS] > 0] = "E"
        letters[sight, sight] = "@"
        lines = [
            f"You see {sight} cells in each direction (@ you, E evader, P another pursuer, # wall):",
            *("".join(row) for row in letters),
        ]
        for name, plane in (("Evaders", EVADERS), ("Other pursuers", PURSUERS)):
            places = [(y - sight, x - sight, window[y, x, plane]) for y, x in np.argwhere(window[:, :, plane])]
            places.sort(key=lambda place: abs(place[0]) + abs(place[1]))
            listed = [
                (" ".join(steps(down, right, SCREEN)) or "in your cell") + (f" ({count} of them)" if count > 1 else "")
                for down, right, count in places
            ]
            lines.append(f"{name}: {'; '.join(listed) or 'none in view'}.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """For an agent, the square that it observes; else the grid, with cells dark that no pursuer sees."""
        if agent is not None:
            window, middle = self._window(s, agent), self.parameters["sight"]
            size = len(window)
            scene = Scene(size + 0.8, size + 0.8)
            scene.add(*_ground(window[:, :, WALL] > 0))
            window[middle, middle, PURSUERS] -= 1
            for y, x in np.argwhere(window[:, :, PURSUERS:].any(axis=2) | _only(middle, size)):
                me = [(agent_color(agent), "you", False)] if y == x == middle else []
                others = [("deep", "", False)] * int(window[y, x, PURSUERS])
                scene.add(*_crowd(x, y, me + others, int(window[y, x, EVADERS])))
            return scene
        height, width = s.wall.shape
        unit = max(1.0, max(height, width) / 14)  # of the panel, which grows with the grid
        scene = Scene(width + 0.8 + 5.6 * unit, height + 0.8)
        scene.add(*_ground(s.wall > 0))
        sight, unseen = self.parameters["sight"], np.ones((height, width), bool)
        for x, y in zip(s.x, s.y):
            unseen[max(y - sight, 0) : y + sight + 1, max(x - sight, 0) : x + sight + 1] = False
        scene.add(*(Rect(x + 0.4, y + 0.4, 1, 1, "shadow@0.16") for y, x in np.argwhere(unseen & (s.wall == 0))))
        border = margin(s)
        for y, x in np.argwhere(s.field[border:-border, border:-border, PURSUERS:].any(axis=2)):
            here = np.flatnonzero((s.x == x) & (s.y == y)).tolist()
            discs = [(agent_color(a), str(a), bool(s.took_part[a])) for a in here]
            scene.add(*_crowd(x, y, discs, int(s.field[y + border, x + border, EVADERS])))
        scene.add(*self._panel(s, width + 0.9, height, unit))
        return scene

    def _panel(self, s: Any, x: float, height: float, unit: float) -> list[Shape]:
        """Rounds, evaders, and the catches and return of each pursuer, for spectators."""
        width, first = 5.2 * unit, 0.4 + 2.9 * unit
        rounds = f"round {int(s.t)} of {int(s.params.horizon)}"
        shapes: list[Shape] = [
            Rect(x, 0.4, width, height, "panel", radius=0.2 * unit),
            Label(x + 0.4 * unit, 0.4 + 0.7 * unit, rounds, 0.5 * unit, align="left", bold=True),
            *_evader(x + 0.65 * unit, 0.4 + 1.5 * unit, 0.8 * unit),
            Label(
                x + 1.2 * unit,
                0.4 + 1.5 * unit,
                f"{int(s.left)} of {int(s.start_evaders)} left",
                0.46 * unit,
                align="left",
            ),
            Label(x + 3.3 * unit, first - 0.55 * unit, "catches", 0.34 * unit, "muted", "right"),
            Label(x + width - 0.3 * unit, first - 0.55 * unit, "return", 0.34 * unit, "muted", "right"),
        ]
        pursuers = len(self.agents)
        room = int((height + 0.2 - first) / (0.92 * unit) + 0.5)
        listed = pursuers if pursuers <= room else max(room - 1, 0)
        for a in range(listed):
            y = first + (0.3 + 0.92 * a) * unit
            shapes += _pursuer(x + 0.7 * unit, y, 0.9 * unit, agent_color(a), str(a), bool(s.took_part[a]))
            shapes.append(Label(x + 3.1 * unit, y, str(int(s.catches[a])), 0.44 * unit, align="right", bold=True))
            shapes.append(Label(x + width - 0.3 * unit, y, f"{s.score[a]:.1f}", 0.44 * unit, align="right"))
        if listed < pursuers:
            y = first + (0.3 + 0.92 * listed) * unit
            shapes.append(Label(x + 0.4 * unit, y, f"and {pursuers - listed} more", 0.4 * unit, "muted", "left"))
        return shapes

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        sight = self.parameters["sight"]
        moves = list(zip(DX.tolist(), DY.tolist()))
        aim = int((x - 0.4) // 1) - sight, int((y - 0.4) // 1) - sight
        return moves.index(aim) if aim in moves else None


def _only(middle: int, size: int) -> np.ndarray:
    """(size, size) bool: the cell in the middle."""
    cells = np.zeros((size, size), bool)
    cells[middle, middle] = True
    return cells


def _ground(wall: np.ndarray) -> list[Shape]:
    """The floor, and the walls with a lit top."""
    height, width = wall.shape
    shapes = [*grid(0.4, 0.4, width, height), Rect(0.4, 0.4, width, height, None, "line", 0.06)]
    shapes += [Rect(x + 0.4, y + 0.4, 1, 1, "wall", glyph="#") for y, x in np.argwhere(wall)]
    lit = [(y, x) for y, x in np.argwhere(wall) if y == 0 or not wall[y - 1, x]]
    return shapes + [Rect(x + 0.4, y + 0.4, 1, 0.14, "white@0.18") for y, x in lit]


def _crowd(x: int, y: int, discs: list[tuple[str, str, bool]], evaders: int) -> list[Shape]:
    """All in one cell, side by side: pursuers by color, text and whether they took part in a catch; and evaders."""
    count = len(discs) + (evaders > 0)
    side = 1 if count == 1 else 2 if count <= 4 else 3
    shapes: list[Shape] = []
    size = (1.0, 0.68, 0.46)[side - 1]  # a little larger than their share of the cell
    places = [(x + 0.4 + (k % side + 0.5) / side, y + 0.4 + (k // side + 0.5) / side) for k in range(side * side)]
    if count == 2:  # in the middle of the cell
        places = [(across, y + 0.9) for across, _ in places]
    if evaders:
        shapes += _evader(*places[0], size, evaders)
    for (across, down), (color, text, caught) in zip(places[evaders > 0 :], discs):
        shapes += _pursuer(across, down, size, color, text, caught)
    return shapes


def _pursuer(x: float, y: float, size: float, color: str, text: str, caught: bool) -> list[Shape]:
    """A pursuer: a disc with a light ring, gold after a catch."""
    ring = "yellow" if caught else "white"
    return [
        Circle(x + 0.02 * size, y + 0.05 * size, 0.4 * size, "shadow@0.25", glyph=""),
        Circle(x, y, 0.38 * size, color, ring, (0.11 if caught else 0.06) * size, glyph=f"{text[:1] or 'P'}●"),
        Label(x, y, text, (0.44 if len(text) < 3 else 0.28) * size, text_on(color), bold=True, terminal=False),
    ]


def _evader(x: float, y: float, size: float, count: int = 1) -> list[Shape]:
    """An evader, a round animal with ears; several in one cell have a number."""
    shapes: list[Shape] = [
        Circle(x + side * 0.2 * size, y - 0.2 * size, 0.13 * size, "brown", "soil", 0.04 * size, glyph="")
        for side in (-1, 1)
    ]
    shapes.append(Circle(x, y + 0.03 * size, 0.28 * size, "brown", "soil", 0.04 * size, glyph="e" + str(count)[:1]))
    if count > 1:
        return [*shapes, Label(x, y + 0.04 * size, str(count), 0.36 * size, "white", bold=True, terminal=False)]
    shapes += [Circle(x + side * 0.1 * size, y - 0.03 * size, 0.05 * size, "white", glyph="") for side in (-1, 1)]
    nose = [(x - 0.06 * size, y + 0.1 * size), (x + 0.06 * size, y + 0.1 * size), (x, y + 0.17 * size)]
    return [*shapes, Polygon(nose, "black", glyph="")]


def _beside(cells: np.ndarray) -> np.ndarray:
    """Whether one of the four cells beside each cell is among these; both (height, width) bool."""
    wide = np.pad(cells, 1)
    return wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]


env, raw_env, parallel_env = pettingzoo_forms(Pursuit)
