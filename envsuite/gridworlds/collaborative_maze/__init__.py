"""CollaborativeMaze: two agents lead one walker through a maze; each sees half of it, so they must talk and agree.

**Rules.** A maze of `size` x `size` cells has walls, a start and a goal. Both agents see the start and the goal. Every
other cell is seen by exactly one of them: each agent sees a random half of these cells. The agents speak in turn, one
message each. A message is one of these:

- say that a cell is free or a wall
- ask about a cell
- propose a step of the walker
- accept or reject the other agent's proposal
- pass
- say "done"

A proposal stands until it is accepted, rejected or replaced by another. The walker moves only when a proposal is
accepted. A step into a wall or out of the maze ends the run. With ``strict=False``, the walker stays where it is, and
both agents lose `penalty`.

By default, agents are honest. The mask allows an agent to state only cells that it sees, as they are, and to ask only
about cells that it does not see. With ``truthful=False``, an agent may state anything about any cell.

A message names a cell by two numbers. `agent_0` writes and reads them as row and column, counted from 0 at the top
left. By `convention`, `agent_1` writes and reads them differently, and neither agent is informed of it:

| convention | agent_1's numbers | how it reads `agent_0`'s name of row r, column c, counted from 0 |
|---|---|---|
| same | row, column, from 0 | row r, column c |
| transposed | column, row, from 0 | row c, column r |
| shifted | row, column, from 1 | row r - 1, column c - 1 |
| both | column, row, from 1 | row c - 1, column r - 1 |

In the other direction, it is the inverse. An agent that knows the other's convention can translate: it names the cell
that the other will read correctly. Translating needs ``truthful=False``, because the mask follows the agent's own
numbers. Steps are compass directions, which both agents understand in the same way.

**Agents.** `agent_0` and `agent_1`. In the modes "solo" and "solo_half", only `agent_0`. In the mode "relay", also
`leader`.

**Observation.** Dict. n is `size`. m is n, or n + 1 if one agent counts from 0 and the other from 1. In that case, row
n and column n stand for the number that names no cell of the agent's own. In `told` and `said`, a cell is the one that
the agent's own numbers name.

| part | space | content |
|---|---|---|
| map | Box (n, n) uint8 | what the agent sees: 0 hidden, 1 free, 2 wall, 3 start, 4 goal |
| told | Box (m, m) uint8 | the other agent's last statement on each cell: 0 none, 1 free, 2 wall |
| said | Box (m, m) uint8 | the agent's own last statement on each cell, in the same codes |
| position | Discrete (n n) | the walker's cell: row n + column |
| proposal | Discrete (9) | 0 none stands; 1 to 4 the agent's own, 5 to 8 the other's: east, south, west, north |
| message | Discrete (actions + 1) | the other's last message, as the agent reads it: action + 1, or 0 |
| left | Discrete (horizon + 1) | messages left, of both agents together |

**Actions.** Discrete (8 + 3 m m). A single agent has Discrete (8), of which `done` and proposals are legal; a proposal
is then carried out at once. Only the agent whose turn it is has legal actions. The numbers in names are those that the
agent writes.

| action | name | legal |
|---|---|---|
| 0, 1 | `accept`, `reject` | if the other's proposal stands |
| 2, 3 | `pass`, `done` | always |
| 4 to 7 | `propose east`, `south`, `west`, `north` | always |
| 8 + i m + j | `tell i j free` | if the agent sees that cell free, or not `truthful` |
| 8 + m m + i m + j | `tell i j wall` | if the agent sees a wall there, or not `truthful` |
| 8 + 2 m m + i m + j | `ask i j` | if the agent does not see that cell, or not `truthful` |

**Window.** The arrow keys propose steps. The keys a and r accept and reject, p passes, and d is `done`. A click on a
cell beside the walker proposes that step. A click on another cell states what it is, or asks about it if it is hidden.

**Rewards.** All agents get the same reward at the end, however the episode ends:

| reward | value |
|---|---|
| success | 1 if the walker is at the goal, else 0 |
| graded | 1 - d / D; d and D are the shortest distances to the goal from the walker and from the start |

A graded reward is negative if the walker is farther from the goal than it was at the start. Without `strict`, every
step into a wall adds -`penalty`.

**Ends.** Terminates at the goal, with a step into a wall if `strict`, and when both agents say `done` one after the
other (a single agent: at once). Truncated after `horizon` messages.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 6 | cells on a side, from 3 to 16 |
| `density` | 0.3 | density of walls, from 0 to 0.75, as in the generator "obstacles" |
| `ends` | "random" | places of start and goal: "random", "corners" or "farthest", as in the generator "obstacles" |
| `shortest` | None | least length of a shortest path, from 1 to 2 size - 2; None: `size` |
| `mode` | "pair" | the agents, see below |
| `handover` | None | messages of the `leader` in a relay, from 0 to 5,000; None: 2 |
| `first` | "agent_0" | the agent that speaks first: "agent_0", "agent_1" or "random" |
| `convention` | "same" | "same", "transposed", "shifted" or "both", see the rules |
| `truthful` | True | whether agents must be honest, see the rules |
| `strict` | True | whether a step into a wall ends the run |
| `penalty` | 0.1 | cost of a step into a wall without `strict`, from 0 to 1 |
| `reward` | "success" | "success" or "graded", see the rewards |
| `horizon` | None | messages until truncation, from 1 to 5,000; None: 3 size x size |

Mazes with a path shorter than `shortest` are drawn again, up to 200 times. The default `horizon` is enough to name all
cells and to walk any shortest path.

| mode | agents |
|---|---|
| pair | `agent_0` and `agent_1`, each with half of the map; `first` matters if their policies differ |
| solo | `agent_0` alone, with the whole map |
| solo_half | `agent_0` alone, with one half as `map` and the other half as `told` |
| relay | as pair, but `leader` sends the first `handover` messages of the agent that speaks first |

**Level.** ``{"map": ["#####", "#S.G#", ...], "seen": ["*0*", ...]}``: the maze with walls around it and, for each of
its cells, the agent that sees it, with `*` for start and goal. Without "seen", the halves are drawn. Levels of the
generators "obstacles", "caves" and "maze" with sides of `size` + 2 can thus be used.

**Known values.** Means of 10,000 default mazes, whose shortest paths have 7.7 steps; standard errors are at most 0.005.
A single agent with the whole map or with both halves solves all mazes. So do two sharers and two askers. Sharers need
at most n n - 1 + 2 D messages (n n - 2 + 2 D for even n), and askers need 25.6.

The pair of a blind and an agreeable agent succeeds in 0.276 of the mazes. The blind agent takes a shortest path on
which all cells that it does not see count as free. The pair succeeds exactly where that path has no wall.

| agent_1's convention | two sharers | two askers | sharer and translator | the same, not `truthful` |
|---|---|---|---|---|
| same | 1 | 1 | 1 | 1 |
| transposed | 0.505 | 0.659 | 0.982 | 1.000 |
| shifted | 0.469 | 0.603 | 1.000 | 1.000 |
| both | 0.551 | 0.675 | 1.000 | 1.000 |

In a relay, two agents that mishear one statement in ten (noisy) succeed in 0.629 of the mazes. With an asker as
`leader`, they succeed in 0.869 (8 messages) and 0.999 (24 messages).

**Differences.** The source has no public code; only its abstract and descriptions by others were available.

- The source's agents are language models that talk freely. A grader model reads the agreed path from the dialogue.
  Here messages are a fixed vocabulary, and an agreed step is carried out at once.
- Mazes of 6 x 6 cells, a density of about 0.3 and paths of 7 to 9 steps are from those descriptions.
- The generator is this suite's, and so are the halves of equal size. Of an odd number of cells, a random agent sees one
  more.
- The effect of a step into a wall, `done`, the conventions and the masks are this suite's.
- In the source's relay, a stronger model begins a dialogue, and a weaker model takes it over. Here `leader` speaks for
  one agent, which reads along and then continues.

**Source.** Davidson, Fourney, Amershi, West, Horvitz and Kamar, "The Collaboration Gap", 2025, arXiv 2511.02687.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import read_letters, write_letters
from envsuite.core.random import randint
from envsuite.core.ranges import below, fixed, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.generators import grids
from envsuite.generators.obstacles import Obstacles, make
from envsuite.gridworlds.collaborative_maze import pages, terms, view
from envsuite.kit.grid import DX, DY
from envsuite.registry import pettingzoo_forms

LARGEST = 16
_TRIES = 200


@kernel
def measure(s):
    """Distances to the goal, plus one; 0 for cells from which it cannot be reached."""
    grids.explore(s, s.level.goal)
    for k in range(s.distance.shape[0]):
        s.distance[k] = s.scratch.marks[k]
    grids.tidy(s)


@large_kernel
def lay_out(s):
    """Draw the maze, unless it is given, and measure its distances."""
    for _ in range(_TRIES):
        if not s.level_given:
            make(s)
        measure(s)
        if s.level_given or s.distance[s.level.start] > s.params.shortest:
            return


@large_kernel
def split(s):
    """Choose the cells that each agent sees: a random half each; both see start and goal."""
    size = s.owner.shape[0]
    width = size + 2
    left = size * size - 2
    wanted = left // 2 + (randint(s, 2) if left % 2 else 0)  # of seat 0
    for y in range(size):
        for x in range(size):
            cell = (y + 1) * width + x + 1
            if cell == s.level.start or cell == s.level.goal:
                s.owner[y, x] = terms.BOTH
            else:
                mine = randint(s, left) < wanted
                s.owner[y, x] = 0 if mine else 1
                wanted -= mine
                left -= 1


def fields(size: int, side: int, horizon: int, agents: int) -> list[tuple]:
    """The record, in addition to the generator's; numbers in messages are from 0 to `side` - 1."""
    cell = within(np.int64, size + 3, (size + 1) * (size + 2) - 2)
    seat, code, claim = below(np.int64, 2), below(np.uint8, terms.GOAL + 1), below(np.uint8, terms.WALL + 1)
    actions = terms.TELL + (3 * side * side if agents > 1 else 0)
    ways = np.pad(np.full((size, size), size * size), 1).reshape(-1)  # there is wall around
    return [
        ("cell", cell),  # of the walker, in the maze with the walls around it
        ("seat", seat),  # whose turn it is
        ("mover", below(np.int64, agents)),  # the agent in this seat
        ("first", seat),  # the seat that spoke first
        ("proposer", within(np.int64, terms.NOBODY, 1)),  # the seat whose proposal stands, or NOBODY
        ("proposal", below(np.int64, 4)),  # a direction
        ("outcome", below(np.int64, terms.OUT_OF_TURNS + 1)),  # RUNNING, ARRIVED ...
        ("heard", within(np.int64, 0, actions), (2,)),  # by each seat: the other's last message as read there, plus one
        ("done", flag()),  # the last message was this
        ("split_given", flag()),  # whether the user's level says who sees what
        ("owner", below(np.uint8, terms.BOTH + 1), (size, size)),  # who sees a cell: a seat, or BOTH
        ("views", code, (2, size, size)),  # by seat: what it sees
        ("told", claim, (2, side, side)),  # by seat: what it was told of each cell, by its own numbers
        ("said", claim, (2, side, side)),  # and what it told
        ("log", below(np.uint16, actions), (horizon,)),  # all messages
        ("distance", within(np.uint16, 0, ways), ((size + 2) ** 2,)),  # to the goal, plus one; 0 without a way
    ]


@kernel
def reset(s):
    lay_out(s)
    if not s.level_given or not s.split_given:
        split(s)
    size, side, agents = s.owner.shape[0], s.told.shape[1], s.terminated.shape[0]
    for seat in range(2):
        for k in range(side):
            for j in range(side):
                s.told[seat, k, j] = terms.HIDDEN
                s.said[seat, k, j] = terms.HIDDEN
        for y in range(size):
            for x in range(size):
                cell = (y + 1) * (size + 2) + x + 1
                code = terms.WALL if s.level.grid[y + 1, x + 1] == grids.WALL else terms.FREE
                code = terms.START if cell == s.level.start else terms.GOAL if cell == s.level.goal else code
                theirs = s.owner[y, x] == 1 - seat
                whole = agents == 1 and not s.params.halves
                s.views[seat, y, x] = terms.HIDDEN if theirs and not whole else code
                if agents == 1 and s.params.halves and theirs:
                    s.told[seat, y, x] = code
        s.heard[seat] = 0
    fill(s.log, 0)
    s.cell = s.level.start
    s.proposer = terms.NOBODY
    s.proposal = 0
    s.done = 0
    s.outcome = terms.RUNNING
    s.first = s.params.first if s.params.first < 2 else randint(s, 2)
    s.seat = s.first
    s.mover = s.first if agents < 3 or s.params.handover == 0 else 2


@kernel
def carried(s, seat, action):
    """A message of a seat as the other seat reads it: the same two numbers under its own convention."""
    size, side = s.owner.shape[0], s.told.shape[1]
    if action < terms.TELL:
        return action
    kind, i, j = (
        (action - terms.TELL) // (side * side),
        (action - terms.TELL) // side % side,
        (action - terms.TELL) % side,
    )
    if side > size:  # seat 1 counts from 1
        change = 1 if seat == 1 else side - 1
        i, j = (i + change) % side, (j + change) % side
    if s.params.transposed:
        i, j = j, i
    return terms.TELL + (kind * side + i) * side + j


@kernel
def note(s, claims, action):
    """Write down the statement of a message."""
    side = s.told.shape[1]
    if terms.TELL <= action < terms.TELL + 2 * side * side:
        k = np.uint64(action - terms.TELL)
        square = np.uint64(side * side)
        claims[k % square // np.uint64(side), k % np.uint64(side)] = terms.WALL if k >= square else terms.FREE


@kernel
def walk(s, rewards):
    """Carry out the standing proposal."""
    direction = s.proposal & 3
    width = s.owner.shape[0] + 2
    cell = s.cell + DX[direction] + DY[direction] * width
    s.proposer = terms.NOBODY
    if s.distance[np.uint64(cell)] == 0:  # a free cell beside a cell with a path to the goal has one too
        if s.params.strict:
            s.outcome = terms.HIT_WALL
        else:
            for a in range(rewards.shape[0]):
                rewards[a] -= s.params.penalty
    else:
        s.cell = cell
        if cell == s.level.goal:
            s.outcome = terms.ARRIVED


@kernel
def score(s):
    """The value of the walker's place at the end."""
    if s.params.graded:
        left, whole = np.float64(s.distance[s.cell]) - 1.0, np.float64(s.distance[s.level.start]) - 1.0
        return 1.0 - left / whole
    return 1.0 if s.outcome == terms.ARRIVED else 0.0


@kernel
def step(s, actions, rewards):
    agents, seat = s.terminated.shape[0], s.seat
    action = actions[s.mover]
    s.log[s.t - 1] = action
    if action == terms.ACCEPT:
        walk(s, rewards)
    elif action == terms.REJECT:
        s.proposer = terms.NOBODY
    elif action == terms.DONE and (s.done or agents == 1):
        s.outcome = terms.GAVE_UP
    elif terms.PROPOSE <= action < terms.TELL:
        s.proposer = seat
        s.proposal = action - terms.PROPOSE
        if agents == 1:
            walk(s, rewards)
    s.done = action == terms.DONE
    if agents > 1:
        heard = carried(s, seat, action)
        note(s, s.said[seat], action)
        note(s, s.told[1 - seat], heard)
        s.heard[1 - seat] = heard + 1
        s.seat = 1 - seat
        leads = agents == 3 and s.seat == s.first and s.t < 2 * s.params.handover
        s.mover = 2 if leads else s.seat
    if s.outcome != terms.RUNNING or s.t >= s.params.horizon:
        for a in range(agents):
            rewards[a] += score(s)
            s.terminated[a] = s.outcome != terms.RUNNING
            s.truncated[a] = s.outcome == terms.RUNNING
        if s.outcome == terms.RUNNING:
            s.outcome = terms.OUT_OF_TURNS


@kernel
def copy(source, target):
    """Copy one array into another of the same size; faster than row by row."""
    for k in range(np.uint64(target.size)):
        target.flat[k] = source.flat[k]


@kernel
def observe(s, agent, out):
    seat, size = terms.seat_of(s, agent), s.owner.shape[0]
    copy(s.views[np.uint64(seat)], out.map)
    copy(s.told[np.uint64(seat)], out.told)
    copy(s.said[np.uint64(seat)], out.said)
    out.position = (s.cell // (size + 2) - 1) * size + s.cell % (size + 2) - 1
    out.proposal = 0 if s.proposer == terms.NOBODY else 1 + s.proposal + (0 if s.proposer == seat else 4)
    out.message = s.heard[np.uint64(seat)]
    out.left = s.params.horizon - s.t


@kernel
def legal(s, agent, mask):
    if agent != s.mover:
        return
    agents, seat = s.terminated.shape[0], np.uint64(s.seat)
    for action in range(terms.DONE, terms.TELL):
        mask[action] = 1
    if agents == 1:
        return
    mask[terms.PASS] = 1
    mask[terms.ACCEPT] = mask[terms.REJECT] = s.proposer == 1 - s.seat
    if not s.params.truthful:
        for action in range(terms.TELL, mask.shape[0]):
            mask[action] = 1
        return
    size, side = np.uint64(s.owner.shape[0]), np.uint64(s.told.shape[1])
    view = s.views[seat]
    for k in range(size * size):
        action = np.uint64(terms.TELL) + k + k // size * (side - size)
        code = view.flat[k]
        mask[action] = (code != terms.HIDDEN) & (code != terms.WALL)
        mask[action + side * side] = code == terms.WALL
        mask[action + np.uint64(2) * side * side] = code == terms.HIDDEN


class CollaborativeMaze(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    utility = "identical"
    kind = ("puzzles", "teams")
    verified = "exact probabilities of blind proposers; bounds on dialogues"
    variants = (dict(mode="relay", size=4, convention="both"), dict(mode="solo_half"))
    shown = "asker"
    clickable = "(tell|ask) [0-3] .*"
    keys = {
        "right": "propose east", "down": "propose south", "left": "propose west", "up": "propose north",
        "a": "accept", "r": "reject", "p": "pass", "d": "done",
    }  # fmt: skip
    synonyms = {"yes": "accept", "agree": "accept", "no": "reject", "wait": "pass"} | {
        f"go {direction}": f"propose {direction}" for direction in terms.DIRECTIONS
    }
    written = view.written
    dialogue = view.dialogue
    messages = view.messages
    way = view.way
    text = view.text
    reply = view.reply
    scene = view.scene
    click = view.click
    speech = view.hearers
    unspoken = view.unspoken
    neutral = "pass"
    phrases = pages.PHRASES
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        size: Annotated[int, Between(3, LARGEST)] = 6,
        density: Annotated[float, Between(0, 0.75)] = 0.3,
        ends: grids.Ends = "random",
        shortest: Annotated[int | None, Between(1, 2 * LARGEST - 2)] = None,
        mode: Literal["pair", "solo", "solo_half", "relay"] = "pair",
        handover: Annotated[int | None, Between(0, 5000)] = None,
        first: Literal["agent_0", "agent_1", "random"] = "agent_0",
        convention: Literal["same", "transposed", "shifted", "both"] = "same",
        truthful: bool = True,
        strict: bool = True,
        penalty: Annotated[float, Between(0, 1)] = 0.1,
        reward: Literal["success", "graded"] = "success",
        horizon: Annotated[int | None, Between(1, 5000)] = None,
    ):
        self.alone = mode in ("solo", "solo_half")
        if shortest is not None and shortest > 2 * size - 2:
            raise ParameterError(f"CollaborativeMaze: shortest={shortest} must be at most 2 size - 2 = {2 * size - 2}")
        if handover is not None and mode != "relay":
            raise ParameterError(f'CollaborativeMaze: handover is that of mode="relay"; this mode is {mode!r}')
        if self.alone and (first != "agent_0" or convention != "same"):
            raise ParameterError(
                f"CollaborativeMaze: in mode={mode!r} agent_0 is alone: leave out first and convention"
            )
        if mode == "relay" and first == "random" and convention != "same":
            raise ParameterError(
                'CollaborativeMaze: a leader needs to know how it writes: choose first="agent_0" or "agent_1"'
            )
        self.transposed, self.shifted = convention in ("transposed", "both"), convention in ("shifted", "both")
        side = size + self.shifted
        length = horizon or 3 * size * size
        mazes = Obstacles(size + 2, size + 2, density, ends)
        agents = ["agent_0"] if self.alone else ["agent_0", "agent_1", "leader"][: 3 if mode == "relay" else 2]
        seats = [0, 1, int(first == "agent_1")]  # the seats whose numbers they write
        names = {agent: self._names(size, side, seat) for agent, seat in zip(agents, seats)}
        cells, claims = (
            Box(terms.HIDDEN, terms.GOAL, (size, size), np.uint8),
            Box(terms.HIDDEN, terms.WALL, (side, side), np.uint8),
        )
        worst = float(2 - size * size) if reward == "graded" else 0.0
        self.define(
            agents=agents,
            actions=names,
            observation=Dict(
                {
                    "map": cells,
                    "told": claims,
                    "said": claims,
                    "position": Discrete(size * size),
                    "proposal": Discrete(9),
                    "message": Discrete(len(names["agent_0"]) + 1),
                    "left": Discrete(length + 1),
                }
            ),
            fields=[*fields(size, side, length, len(agents)), *mazes.fields],
            params={
                **mazes.values,
                "shortest": size if shortest is None else shortest,
                "halves": mode == "solo_half",
                "handover": 2 if handover is None else handover,
                "first": ("agent_0", "agent_1", "random").index(first),
                "transposed": self.transposed,
                "truthful": truthful,
                "strict": strict,
                "penalty": float(penalty),
                "graded": reward == "graded",
                "horizon": fixed(length),
            },
            reward_range=(worst - (0.0 if strict else float(penalty)), 1.0),
        )

    def _names(self, size: int, side: int, seat: int) -> list[str]:
        """The names of a seat's actions."""
        fixed = ["accept", "reject", "pass", "done", *(f"propose {direction}" for direction in terms.DIRECTIONS)]
        if self.alone:
            return fixed
        pairs = [self.written(size, i, j, seat) for i in range(side) for j in range(side)]
        return [
            *fixed,
            *(f"tell {pair} free" for pair in pairs),
            *(f"tell {pair} wall" for pair in pairs),
            *(f"ask {pair}" for pair in pairs),
        ]

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        grids.read_map(s.level, {name: part for name, part in level.items() if name != "seen"}, self.id)
        if grids.solve(level["map"])["way"] is None:
            raise LevelError(f"{self.id}: the level's map has no way from S to G")
        s.split_given = "seen" in level
        if "seen" not in level:
            return
        seen = level["seen"]
        s.owner[:] = read_letters(seen, f"{self.id}: the level's seen", s.owner.shape, "01*")
        for y, row in enumerate(seen):
            for x, letter in enumerate(row):
                wanted = "*" if level["map"][y + 1][x + 1] in "SG" else "01"
                if letter not in wanted:
                    raise LevelError(
                        f"{self.id}: the level's 'seen' has {letter!r} in row {y}, column {x}; right would be "
                        + ("'*', for start and goal" if wanted == "*" else "'0' or '1', the agent that sees it")
                    )

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"map": grids.write_map(s.level), "seen": write_letters(s.owner, "01*")}

    def contradiction(self, s: Any) -> str | None:
        walls, (start, goal) = s.level.grid == grids.WALL, (int(s.level.start), int(s.level.goal))
        if s.t > s.params.horizon or (s.t == s.params.horizon and not (s.terminated | s.truncated).any()):
            return "the last step is over"
        if self.alone and s.params.first > 0:
            return "the agent that speaks first is not there"
        if terms.seat_of(s, int(s.mover)) != s.seat:
            return "the turn is not that of the agent in the seat"
        if (walls.reshape(-1) & (s.distance > 0)).any() or s.distance[start] < 2 or s.distance[goal] != 1:
            return "the distances are not those of the maze"
        if s.distance[s.cell] == 0:
            return "the walker is where no way leads to the goal"
        codes = np.where(walls, terms.WALL, terms.FREE)
        codes.flat[start], codes.flat[goal] = terms.START, terms.GOAL
        codes = codes[1:-1, 1:-1]
        if ((s.views != terms.HIDDEN) & (s.views != codes)).any() or (
            s.views[:, codes >= terms.START] == terms.HIDDEN
        ).any():
            return "a seat sees what is not there"
        return None


env, raw_env, parallel_env = pettingzoo_forms(CollaborativeMaze)
