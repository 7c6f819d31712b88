"""CaptureTheFlag: two teams in caves take each other's flag and bring it home, and tag enemies in their own half.

**Rules.** The map has two halves. The columns left of the middle are the half of red, the columns right of it are that
of blue; the middle column of an odd width belongs to nobody. Each team has a base in its half, where its flag is at
the start, at home. Agents start in the free cells nearest to their base, one in each while there are enough. Any
number of agents may be in one cell.

All agents choose at once. A step has five parts; in each of them, everything is judged together:

1. **Tags.** An agent that tags sends one enemy away. The enemy is in the agent's cell or in one of the four cells
   beside it, and in the agent's half. With ``carriers="anywhere"``, an enemy with the flag need not be in that half. Of
   several such enemies, it tags the one with the flag, otherwise the nearest, and among equally near ones the one with
   the lowest number. The tagged enemy drops the flag where it is, takes no part in the rest of the step, and is out for
   the next `penalty` steps. Then it is at its base. The agent that tagged it cannot tag in the next `rest` steps.
2. **Moves.** Agents that were not tagged in this step move to one of the four cells beside their own. A move into a
   wall stays. A flag moves with the agent that carries it.
3. **Returns.** A flag that was dropped returns home if an agent of its own team is in its cell.
4. **Takes.** A flag that nobody carries is taken by an enemy in its cell; by that with the lowest number, if there are
   several.
5. **Captures.** An agent that carries the enemy's flag at its own base, while its own flag is at home, scores a
   capture for its team. The flag that it carried returns home.

Agents that are out do nothing, are in no cell and are not seen.

An agent sees the cells at most `sight` rows and columns away that no wall hides. Lines of sight are those of
`envsuite/Tag-v0`. Agents do not see what others of their team see.

**Agents.** `red_0`, `red_1`, then `blue_0`, `blue_1`, or 1 to 8 in each team.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| around | Box (4, 2 r + 1, 2 r + 1) uint8 with r = `sight` | the cells around the agent; north is up |
| status | Box (21,) int32 | what every agent knows |

| plane of around | content |
|---|---|
| 0 | 0 unseen or off the map, 1 wall; free cells: 2 in the own half, 3 in the middle, 4 in the enemy's half |
| 1 | the number of agents of the own team in a cell that is seen, the agent itself included |
| 2 | the number of enemies there |
| 3 | the sum of 1 for the own flag, 2 for the enemy's flag, 4 for the own base and 8 for the enemy's base |

| entry of status | content |
|---|---|
| 0, 1 | column and row of the agent, from 0 in the top left corner |
| 2, 3 and 4, 5 | column and row of the own base, and of the enemy's |
| 6, 7 | width and height of the map |
| 8, 9 | the own flag, and the enemy's: 0 at home, 1 carried, 2 dropped |
| 10 | 1 if the agent carries the enemy's flag |
| 11 | steps for which the agent is still out |
| 12 | steps for which it cannot tag |
| 13, 14 | captures of the own team, and of the enemy |
| 15, 16 | agents that are out, in the own team and in the enemy's |
| 17 | the agent's number in its team |
| 18, 19 | the values of `penalty` and `rest` |
| 20 | 1 with ``carriers="anywhere"`` |

**Actions.** Discrete (6).

| action | name | legal |
|---|---|---|
| 0-3 | `east`, `south`, `west`, `north` | unless the agent is out |
| 4 | `stay` | always |
| 5 | `tag` | while there is an enemy that it would tag, and the agent is neither out nor at rest |

**Window.** The arrow keys move the agent, the key . stays and T tags. A click on a cell beside the agent moves there; a
click on the agent itself stays.

**Rewards.** For a capture, 1 to each agent of the team and -1 to each enemy.

**Ends.** Terminates when a team has `captures` captures; truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `team` | 2 | agents in each team, from 1 to 8 |
| `captures` | 3 | captures that end the game, from 0 to 1000; 0 plays until `horizon` |
| `penalty` | 10 | steps for which a tagged agent is out, from 0 to 100 |
| `rest` | 10 | steps for which an agent cannot tag again, from 0 to 100 |
| `carriers` | "half" | where enemies with the flag can be tagged: in the own "half" or "anywhere" |
| `height`, `width` | 13, 21 | cells of the map, walls around it included, each from 5 to 32 |
| `walls` | 0.4 | share of rock before the caves are smoothed once, from 0 to 1; 0 gives an empty map |
| `sight` | 5 | rows and columns that agents see in each direction, from 1 to 8 |
| `horizon` | 300 | steps until truncation, from 1 to 1,000,000 |

**Level.** ``{"map": ["#######", "#S...G#", "#..#..#", "#.....#", "#######"]}``: walls `#`, free cells `.`, the base `S`
of red in the left half and the base `G` of blue in the right half. Generator: kind "camps", which mirrors the map.

**Known values.**

- The rules draw no chance. In the mirror image of a state with the teams exchanged, mirrored actions have the
  mirrored result.
- Against enemies that never act, the first capture takes as many steps as the shortest path from one of the agents to
  the enemy's base, plus the shortest path between the bases.
- An agent that stays at its base and tags whenever it can never loses its flag to a single enemy if `rest` is less than
  `penalty` plus the length of the shortest path between the bases, and all cells beside the base are in its half. With
  a longer `rest` the enemy takes the flag at its second try. Two enemies that arrive one after the other can take it.

**Differences.** The game is ours; there is no reference implementation. From the game that children play:

- Tags have a `rest`. Without it, a guard at its base could not be passed by any number of enemies that arrive one by
  one. Children forbid guards to stay near their flag instead.
- A tagged agent returns by itself; there is no prison from which its team frees it.
- If each team has carried the other's flag to its own half, only ``carriers="anywhere"`` lets them interfere:
  nobody can score while the own flag is away.

**Source.** Own design. XLand (Open Ended Learning Team, 2021, arXiv:2107.12808) names capture the flag as a probe of
agents, without these rules. Caves: see `envsuite.gridworlds.capture_the_flag.levels`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import counted
from envsuite.core.ranges import among, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.generators import grids
from envsuite.generators.grids import WALL
from envsuite.gridworlds.capture_the_flag import pages
from envsuite.gridworlds.capture_the_flag.levels import Camps, make
from envsuite.kit.grid import DX, DY, steps
from envsuite.kit.grid_pictures import clicked, listed, spots
from envsuite.kit.sight import look_far
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, footer, grid
from envsuite.render.theme import text_on

ACTIONS = ("east", "south", "west", "north", "stay", "tag")
STAY, TAG = 4, 5

NAMES, _COLORS = ("red", "blue"), ("red", "blue")

#: Codes of plane 0: the own half, the middle and the enemy's half are FLOOR to FLOOR + 2.
UNSEEN, ROCK, FLOOR = range(3)
MIDDLE = FLOOR + 1

#: Bits of plane 3.
OWN_FLAG, THEIR_FLAG, OWN_BASE, THEIR_BASE = 1, 2, 4, 8

#: Entries of the status, the first of several with two numbers.
PLACE, BASES, SIZE, FLAGS, CARRIES, OUT, RESTS, CAPTURES, AWAY, NUMBER, RULES = 0, 2, 6, 8, 10, 11, 12, 13, 15, 17, 18

#: Where a flag is.
HOME, CARRIED, DROPPED = range(3)
_PLACES = ("at home", "carried away", "dropped")

CARRIERS = ("half", "anywhere")
_ANYWHERE = 1

#: The largest team, side of a map, sight, time out or at rest, and number of captures.
LARGEST_TEAM, LARGEST_MAP, FARTHEST, LONGEST, _MANY = 8, 32, 8, 100, 1_000_000


def fields(players: int, height: int, width: int) -> list[tuple]:
    """The record, besides the generator's; all agents and flags are on free cells."""
    columns, rows = within(np.int64, 1, width - 2), within(np.int64, 1, height - 2)
    return [
        ("x", columns, (players,)),  # an agent that is out is at its base
        ("y", rows, (players,)),
        ("from_x", columns, (players,)),  # where they were before the last step
        ("from_y", rows, (players,)),
        ("out", within(np.int64, 0, LONGEST), (players,)),  # steps for which they are out
        ("rests", within(np.int64, 0, LONGEST), (players,)),  # steps for which they cannot tag
        ("tagged", flag(), (players,)),  # in the last step
        ("flag_x", columns, (2,)),  # of each team's flag
        ("flag_y", rows, (2,)),
        ("carrier", within(np.int64, -1, players - 1), (2,)),  # of each team's flag; -1 if nobody carries it
        ("captures", within(np.int64, 0, _MANY), (2,)),  # by each team
    ]


# Reset.


@large_kernel
def reset(s):
    if not s.level_given:
        make(s)
    team = s.x.shape[0] // 2
    for k in range(2):
        s.carrier[k] = -1
        s.captures[k] = 0
        bring_home(s, k)
        grids.gather(s, base_of(s, k), k * team, (k + 1) * team)
    grids.tidy(s)
    for a in range(s.x.shape[0]):
        s.out[a] = s.rests[a] = s.tagged[a] = 0


@kernel
def put(s, a, cell):
    """Put an agent on a cell."""
    width = s.level.grid.shape[1]
    s.x[a], s.y[a] = cell % width, cell // width


@kernel
def base_of(s, team):
    """The cell of a team's base."""
    return s.level.goal if team else s.level.start


@kernel
def bring_home(s, team):
    """A team's flag is at its base."""
    width = s.level.grid.shape[1]
    s.carrier[team] = -1
    s.flag_x[team], s.flag_y[team] = base_of(s, team) % width, base_of(s, team) // width


# The step.


@large_kernel
def step(s, actions, rewards):
    tag(s, actions)
    move(s, actions)
    for team in range(2):
        return_or_take(s, team)
    for team in range(2):
        capture(s, team, rewards)
    won = s.params.captures > 0 and max(s.captures[0], s.captures[1]) >= s.params.captures
    for a in range(s.x.shape[0]):
        s.out[a] -= s.out[a] > 0 and not s.tagged[a]
        s.rests[a] -= s.rests[a] > 0 and actions[a] != TAG
        s.terminated[a] = won
        s.truncated[a] = not won and s.t >= s.params.horizon


@kernel
def team_of(s, a):
    """The team of an agent: 0 is red, 1 is blue."""
    return np.int64(a >= s.x.shape[0] // 2)


@kernel
def half_of(s, x):
    """The team whose half a column is in; 2 in the middle."""
    width = s.level.grid.shape[1]
    return 0 if 2 * x + 1 < width else 1 if 2 * x + 1 > width else 2


@large_kernel
def target(s, a):
    """The enemy that an agent would tag, or -1."""
    own, team = team_of(s, a), s.x.shape[0] // 2
    found, best = -1, 3
    for b in range((1 - own) * team, (2 - own) * team):
        away = abs(s.x[b] - s.x[a]) + abs(s.y[b] - s.y[a])
        carries = s.carrier[own] == b
        place = half_of(s, s.x[b]) == own or (carries and s.params.carriers == _ANYWHERE)
        rank = -1 if carries else away
        if s.out[b] == 0 and away <= 1 and place and rank < best:
            found, best = b, rank
    return found


@large_kernel
def tag(s, actions):
    """Agents that tag send enemies to their bases; all choose before anybody leaves."""
    for a in range(s.x.shape[0]):
        s.from_x[a], s.from_y[a] = s.x[a], s.y[a]
        s.tagged[a] = 0
    for a in range(s.x.shape[0]):
        if actions[a] == TAG:
            enemy = target(s, a)
            if enemy >= 0:
                s.tagged[enemy] = 1
                s.rests[a] = s.params.rest
    for a in range(s.x.shape[0]):
        if s.tagged[a]:
            if s.carrier[1 - team_of(s, a)] == a:
                s.carrier[1 - team_of(s, a)] = -1
            put(s, a, base_of(s, team_of(s, a)))
            s.out[a] = s.params.penalty


@kernel
def plays(s, a):
    """Whether an agent takes part in what follows the tags of a step."""
    return s.out[a] == 0 and not s.tagged[a]


@large_kernel
def move(s, actions):
    for a in range(s.x.shape[0]):
        if actions[a] < STAY and plays(s, a):
            x, y = s.x[a] + DX[actions[a]], s.y[a] + DY[actions[a]]
            if s.level.grid[y, x] != WALL:
                s.x[a], s.y[a] = x, y
    for team in range(2):
        if s.carrier[team] >= 0:
            s.flag_x[team], s.flag_y[team] = s.x[s.carrier[team]], s.y[s.carrier[team]]


@kernel
def is_home(s, team):
    """Whether a team's flag is at its base, and nobody carries it."""
    cell = s.flag_y[team] * s.level.grid.shape[1] + s.flag_x[team]
    return s.carrier[team] < 0 and cell == base_of(s, team)


@large_kernel
def return_or_take(s, team):
    """What happens to a team's flag that nobody carries: its own agents return it before enemies take it."""
    if s.carrier[team] >= 0:
        return
    if not is_home(s, team) and first_there(s, team, team) >= 0:
        bring_home(s, team)
    s.carrier[team] = first_there(s, team, 1 - team)


@kernel
def first_there(s, owner, team):
    """The agent with the lowest number of a team that is in the cell of a team's flag, or -1."""
    size = s.x.shape[0] // 2
    for a in range(team * size, (team + 1) * size):
        if plays(s, a) and s.x[a] == s.flag_x[owner] and s.y[a] == s.flag_y[owner]:
            return a
    return -1


@large_kernel
def capture(s, team, rewards):
    """Score if the enemy's flag has come to the own base, and the own flag is there."""
    cell = s.flag_y[1 - team] * s.level.grid.shape[1] + s.flag_x[1 - team]
    if s.carrier[1 - team] >= 0 and cell == base_of(s, team) and is_home(s, team):
        bring_home(s, 1 - team)
        s.captures[team] += 1
        for a in range(s.x.shape[0]):
            rewards[a] = 1.0 if team_of(s, a) == team else -1.0


# Observations.


@large_kernel
def observe(s, agent, out):
    look(s, agent, out.around)
    width, own, status = s.level.grid.shape[1], team_of(s, agent), out.status
    size = s.x.shape[0] // 2
    status[PLACE], status[PLACE + 1] = s.x[agent], s.y[agent]
    status[SIZE], status[SIZE + 1] = width, s.level.grid.shape[0]
    for k in range(2):  # the own team, then the enemy
        team = own if k == 0 else 1 - own
        base = base_of(s, team)
        status[BASES + 2 * k], status[BASES + 1 + 2 * k] = base % width, base // width
        status[FLAGS + k] = HOME if is_home(s, team) else DROPPED if s.carrier[team] < 0 else CARRIED
        status[CAPTURES + k] = s.captures[team]
        away = 0
        for a in range(team * size, (team + 1) * size):
            away += s.out[a] > 0
        status[AWAY + k] = away
    status[CARRIES] = s.carrier[1 - own] == agent
    status[OUT], status[RESTS] = s.out[agent], s.rests[agent]
    status[NUMBER] = agent - own * size
    status[RULES], status[RULES + 1] = s.params.penalty, s.params.rest
    status[RULES + 2] = s.params.carriers == _ANYWHERE


@large_kernel
def look(s, agent, view):
    """Write the cells around an agent; nothing of it while the agent is out."""
    width = s.level.grid.shape[1]
    sight, own = view.shape[1] // 2, team_of(s, agent)
    top, left = s.y[agent] - sight, s.x[agent] - sight
    look_far(s.level.grid, WALL, s.y[agent], s.x[agent], view[0])
    for j in range(2 * sight + 1):
        half = half_of(s, left + j)
        floor = MIDDLE if half == 2 else FLOOR if half == own else FLOOR + 2
        for i in range(2 * sight + 1):
            if view[0, i, j] == FLOOR:
                view[0, i, j] = floor
            if s.out[agent] > 0:
                view[0, i, j] = UNSEEN
            for plane in range(1, 4):
                view[plane, i, j] = 0
    for a in range(s.x.shape[0]):
        i, j = s.y[a] - top, s.x[a] - left
        if s.out[a] == 0 and 0 <= i <= 2 * sight and 0 <= j <= 2 * sight and view[0, i, j] != UNSEEN:
            view[1 if team_of(s, a) == own else 2, i, j] += 1
    for k in range(2):
        team = own if k == 0 else 1 - own
        mark(view, s.flag_y[team] - top, s.flag_x[team] - left, 1 << k)
        mark(view, base_of(s, team) // width - top, base_of(s, team) % width - left, 4 << k)


@kernel
def mark(view, i, j, bit):
    """Add a flag or a base to a view if its cell is seen."""
    if 0 <= i < view.shape[1] and 0 <= j < view.shape[2] and view[0, i, j] != UNSEEN:
        view[3, i, j] += bit


@kernel
def legal(s, agent, mask):
    for action in range(STAY):
        mask[action] = s.out[agent] == 0
    mask[STAY] = 1
    mask[TAG] = s.out[agent] == 0 and s.rests[agent] == 0 and target(s, agent) >= 0


class CaptureTheFlag(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    utility = "zero-sum"
    kind = ("teams",)
    verified = "a second implementation in states of a small map, mirrored games, shortest captures by search"
    variants = (
        dict(team=1, height=7, width=8, sight=2, carriers="anywhere", walls=0.3, captures=1, penalty=2, rest=0),
        dict(team=3, height=6, width=9, penalty=0, captures=0),
    )
    shown = "planner"
    keys = {"right": "east", "down": "south", "left": "west", "up": "north", ".": "stay", "t": "tag"}
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        team: Annotated[int, Between(1, LARGEST_TEAM)] = 2,
        captures: Annotated[int, Between(0, 1000)] = 3,
        penalty: Annotated[int, Between(0, LONGEST)] = 10,
        rest: Annotated[int, Between(0, LONGEST)] = 10,
        carriers: Literal["half", "anywhere"] = "half",
        height: Annotated[int, Between(5, LARGEST_MAP)] = 13,
        width: Annotated[int, Between(5, LARGEST_MAP)] = 21,
        walls: Annotated[float, Between(0, 1)] = 0.4,
        sight: Annotated[int, Between(1, FARTHEST)] = 5,
        horizon: Annotated[int, Between(1, 1_000_000)] = 300,
    ):
        camps = Camps(height, width, walls, smoothing=1)
        self.team = team
        shape = (4, 2 * sight + 1, 2 * sight + 1)
        high = np.full(shape, team, np.uint8)
        high[0], high[3] = FLOOR + 2, 15
        corner = [width - 1, height - 1]
        most = [*corner * 3, width, height, DROPPED, DROPPED, 1, LONGEST, LONGEST, _MANY, _MANY, team, team]
        most += [team - 1, LONGEST, LONGEST, 1]
        self.define(
            agents=[f"{name}_{a}" for name in NAMES for a in range(team)],
            actions=ACTIONS,
            observation=Dict(
                around=Box(np.zeros(shape, np.uint8), high, dtype=np.uint8),
                status=Box(np.zeros(len(most), np.int32), np.array(most, np.int32), dtype=np.int32),
            ),
            fields=[*fields(2 * team, height, width), *camps.fields],
            params={
                **camps.values,
                "captures": captures,
                "penalty": penalty,
                "rest": rest,
                "carriers": among(CARRIERS, carriers),
                "horizon": horizon,
            },
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        walls = s.level.grid == WALL
        if problem := _misplaced(s.level):
            return problem
        if walls[s.y, s.x].any() or walls[s.from_y, s.from_x].any() or walls[s.flag_y, s.flag_x].any():
            return "an agent or a flag is in a wall"
        for team in range(2):
            bearer = int(s.carrier[team])
            if bearer >= 0 and (bearer // self.team == team or s.out[bearer]):
                return "a flag is carried by its own team, or by an agent that is out"
            if bearer >= 0 and (s.flag_x[team] != s.x[bearer] or s.flag_y[team] != s.y[bearer]):
                return "a flag is not with the agent that carries it"
        if s.captures.sum() > s.t:
            return "there are more captures than steps"
        return None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        grids.read_map(s.level, level, self.id)
        if problem := _misplaced(s.level):
            raise LevelError(f"{self.id}: {problem}")

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"map": grids.write_map(s.level)}

    # Text and pictures.

    def text(self, s: Any, agent: int) -> str:
        seen, sight = self.observation(s, agent), self.parameters["sight"]
        status = [int(value) for value in seen["status"]]
        view = np.asarray(seen["around"]).astype(int)
        own = agent // self.team
        names = NAMES[own], NAMES[1 - own]
        score = f"{status[CAPTURES]} for {names[0]} and {status[CAPTURES + 1]} for {names[1]}"
        lines = [f"You are {self.agents[agent]}. The score is {score}."]
        if status[OUT]:
            lines.append(f"You were tagged. You are out for {counted(status[OUT], 'step')} more.")
        else:
            view[1, sight, sight] -= 1
            lines += [
                f"You see {sight} cells in each direction (@ you, M team mate, E enemy, f your flag, F the enemy's "
                "flag, b your base, B the enemy's base, # wall, . your half, : the middle, - the enemy's half, "
                "? unseen; north is up):",
                *("  " + " ".join(row) for row in _letters(view)),
                f"Team mates: {listed(view[1], sight) or 'none in view'}.",
                f"Enemies: {listed(view[2], sight) or 'none in view'}.",
            ]
            for k, name in enumerate(("Your base", "The enemy's base")):
                x, y = (status[BASES + 2 * k + i] - status[PLACE + i] for i in range(2))
                lines.append(f"{name}: {' '.join(steps(y, x)) or 'your cell'}.")
        for k, name in enumerate(("Your flag", "The enemy's flag")):
            where = "carried by you" if k and status[CARRIES] else _PLACES[status[FLAGS + k]]
            there = (view[3] & (1 << k)) > 0
            place = listed(there, sight) if there.any() and not status[OUT] else ""
            lines.append(f"{name} is {where}{f', {place}' if place and where != 'carried by you' else ''}.")
        lines.append(f"Out: {status[AWAY]} of your team, {status[AWAY + 1]} enemies.")
        if status[RESTS]:
            lines.append(f"You cannot tag for {counted(status[RESTS], 'step')}.")
        elif not status[OUT] and target(s, agent) >= 0:
            lines.append("You can tag an enemy now.")
        lines.append(f"{s.t} of {s.params.horizon} steps are over.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The map with the last moves; for an agent, its view."""
        if agent is not None:
            return self._view(s, agent)
        height, width = s.level.grid.shape
        scene = Scene(width, height)
        walls = s.level.grid == WALL
        scene.add(*grid(0, 0, width, height), *_half(0, walls), *_half(1, walls))
        scene.add(*grids.wall_shapes(walls.tolist()))
        for team, cell in enumerate((int(s.level.start), int(s.level.goal))):
            scene.add(*_base(cell % width, cell // width, team))
        for a in range(2 * self.team):
            way = [(x + 0.5, y + 0.5) for x, y in ((s.from_x[a], s.from_y[a]), (s.x[a], s.y[a]))]
            if not (s.out[a] or s.tagged[a]):
                scene.add(Line(way, f"{_COLORS[a // self.team]}@0.35", 0.24))
            elif s.tagged[a]:
                scene.add(*_cross(*way[0], _COLORS[a // self.team]))
        active = np.flatnonzero(s.out == 0).tolist()
        for x, y in sorted({(int(s.x[a]), int(s.y[a])) for a in active}):
            here = [a for a in active if (s.x[a], s.y[a]) == (x, y)]
            scene.add(*_crowd(x, y, [(a // self.team, str(a % self.team), a in s.carrier) for a in here]))
        for team in range(2):
            if s.carrier[team] < 0:
                x, y = int(s.flag_x[team]), int(s.flag_y[team])
                scene.add(*_lone_flag(x, y, team, any((s.x[a], s.y[a]) == (x, y) for a in active)))
        out = [int(np.count_nonzero(part)) for part in np.split(s.out, 2)]
        score = f"red {int(s.captures[0])} : {int(s.captures[1])} blue"
        footer(scene, f"{s.t} / {s.params.horizon}", f"{score} (out: {out[0]} : {out[1]})")
        return scene

    def _view(self, s: Any, agent: int) -> Scene:
        """What one agent sees; it does not know the others' numbers."""
        seen, sight, own = self.observation(s, agent), self.parameters["sight"], agent // self.team
        status, view = seen["status"].tolist(), np.asarray(seen["around"]).astype(int)
        size = 2 * sight + 1
        scene = Scene(size, size)
        scene.add(*grid(0, 0, size, size))
        for team, code in ((own, FLOOR), (1 - own, FLOOR + 2)):
            scene.add(*grids.wall_shapes((view[0] == code).tolist(), f"{_COLORS[team]}@0.18"))
        scene.add(*grids.wall_shapes((view[0] == UNSEEN).tolist(), "shadow@0.6"))
        scene.add(*grids.wall_shapes((view[0] == ROCK).tolist()))
        for bit, team in ((OWN_BASE, own), (THEIR_BASE, 1 - own)):
            for y, x in np.argwhere(view[3] & bit).tolist():
                scene.add(*_base(x, y, team))
        for y, x in [] if status[OUT] else np.argwhere(view[1:].any(axis=0)).tolist():
            me = [(own, "you", bool(status[CARRIES]))] if (y, x) == (sight, sight) else []
            others = [(own, "", False)] * (view[1, y, x] - len(me)) + [(1 - own, "", False)] * view[2, y, x]
            for bit, code, team in ((OWN_FLAG, FLAGS, 1 - own), (THEIR_FLAG, FLAGS + 1, own)):
                if view[3, y, x] & bit and status[code] == CARRIED and not (me and me[0][0] == team and me[0][2]):
                    others[others.index((team, "", False))] = (team, "", True)
            scene.add(*_crowd(x, y, me + others))
            for bit, code, team in ((OWN_FLAG, FLAGS, own), (THEIR_FLAG, FLAGS + 1, 1 - own)):
                if view[3, y, x] & bit and status[code] != CARRIED:
                    scene.add(*_lone_flag(x, y, team, bool(me + others)))
        wait = f"no tag for {status[RESTS]}, " if status[RESTS] else ""
        half = ("in your half", "in the middle", "in the enemy's half")[max(view[0, sight, sight] - FLOOR, 0)]
        wait = f"out for {status[OUT]}" if status[OUT] else wait + half
        score = f"{NAMES[own]} {status[CAPTURES]} : {status[CAPTURES + 1]} {NAMES[1 - own]}"
        footer(scene, f"{s.t} / {s.params.horizon}", score)
        flags = (f"{NAMES[(own + k) % 2]} flag {_PLACES[status[FLAGS + k]]}" for k in range(2))
        footer(scene, ", ".join(flags), wait)
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        return clicked(x, y, self.parameters["sight"])


def _misplaced(level: Any) -> str | None:
    """What is wrong with the bases of a level."""
    width = level.grid.shape[1]
    if (level.grid.reshape(-1)[[level.start, level.goal]] == WALL).any():
        return "the bases are not on free cells"
    if not 2 * (level.start % width) + 1 < width < 2 * (level.goal % width) + 1:
        return "the base 'S' must be in the left half, and the base 'G' in the right half"
    return None


def _letters(view: np.ndarray) -> np.ndarray:
    """A view as letters; agents hide flags, and flags hide bases."""
    letters = np.array(list("?#.:-"))[view[0]]
    for seen, letter in (
        (view[3] & OWN_BASE, "b"),
        (view[3] & THEIR_BASE, "B"),
        (view[3] & OWN_FLAG, "f"),
        (view[3] & THEIR_FLAG, "F"),
        (view[1], "M"),
        (view[2], "E"),
    ):
        letters[seen > 0] = letter
    letters[len(letters) // 2, len(letters) // 2] = "@"
    return letters


def _half(team: int, walls: np.ndarray) -> list[Rect]:
    """The tint of a team's half."""
    width = walls.shape[1]
    there = ~walls
    if team == 0:
        there[:, width // 2 :] = False
    else:
        there[:, : (width + 1) // 2] = False
    return grids.wall_shapes(there.tolist(), f"{_COLORS[team]}@0.18")


def _base(x: int, y: int, team: int) -> list[Shape]:
    """The base of a team: a frame in its colour."""
    return [Rect(x + 0.06, y + 0.06, 0.88, 0.88, f"{_COLORS[team]}@0.3", _COLORS[team], 0.08, 0.14, glyph="SG"[team])]


def _flag(x: float, y: float, team: int, size: float = 1.0) -> list[Shape]:
    """A flag on its pole: a pennant of red, a square of blue."""

    def at(*points: tuple[float, float]) -> list[tuple[float, float]]:
        return [(x + size * across, y + size * down) for across, down in points]

    cloth = at((0.3, 0.12), (0.84, 0.34), (0.3, 0.56)) if team == 0 else at(
        (0.3, 0.12), (0.8, 0.12), (0.8, 0.52), (0.3, 0.52)
    )  # fmt: skip
    return [
        Line(at((0.3, 0.1), (0.3, 0.92)), "black", 0.08 * size),
        Polygon(cloth, _COLORS[team], "white", 0.04 * size, glyph="Ff"[team]),
    ]


def _lone_flag(x: int, y: int, team: int, crowded: bool) -> list[Shape]:
    """A flag that nobody carries; smaller and at the cell's corner if agents are there."""
    return _flag(x + 0.42, y - 0.12, team, 0.62) if crowded else _flag(x, y, team)


def _crowd(x: int, y: int, agents: list[tuple[int, str, bool]]) -> list[Shape]:
    """All agents of a cell by team, text and whether they carry a flag; more than nine are not drawn."""
    places, size = spots(x, y, len(agents))
    shapes: list[Shape] = []
    for (across, down), (team, text, carries) in zip(places, agents):
        color, radius = _COLORS[team], 0.38 * size
        sign = f"{'RB'[team]}{'!' if carries else text[:1]}"
        if team == 0:
            shapes.append(Circle(across, down, radius, color, "white", 0.07 * size, glyph=sign))
        else:
            half = 0.9 * radius
            shapes.append(
                Rect(across - half, down - half, 2 * half, 2 * half, color, "white", 0.07 * size, 0.2 * half, sign)
            )
        high = (0.42 if len(text) < 3 else 0.28) * size
        shapes.append(Label(across, down, text, high, text_on(color), bold=True, terminal=False))
        if carries:
            shapes += _flag(across, down - 0.62 * size, 1 - team, 0.62 * size)
    return shapes


def _cross(x: float, y: float, color: str) -> list[Shape]:
    """Where an agent was tagged."""
    return [Line([(x - 0.3, y - k), (x + 0.3, y + k)], color, 0.1) for k in (0.3, -0.3)]


env, raw_env, parallel_env = pettingzoo_forms(CaptureTheFlag)
