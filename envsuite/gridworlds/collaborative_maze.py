"""CollaborativeMaze: two agents lead one walker through a maze; each sees half of it, so they must talk and agree.

**Rules.** A maze of `size` x `size` cells has walls, a start and a goal. Both agents see start and goal; of the other
cells each sees half, drawn at random, and every cell is seen by exactly one of them. They speak in turn, one message
each: tell that a cell is free or a wall, ask about a cell, propose a step of the walker, accept or reject what the
other has proposed, pass, or say that they are done. A proposal stands until it is accepted, rejected or replaced by
another. The walker moves only when a proposal is accepted. A step into a wall, or out of the maze, ends the run; with
``strict=False`` the walker stays where it is and both agents lose `penalty`.

Telling is honest by default: the mask allows an agent to tell only of cells that it sees, as they are, and to ask only
about cells that it does not see. With ``truthful=False`` anything may be told of any cell.

A message names a cell by two numbers. `agent_0` writes and reads them as row and column, counted from 0 at the top
left. By `convention`, `agent_1` writes and reads otherwise, and neither is told so:

| convention | agent_1's numbers | what `agent_0` tells of row r, column c, counted from 0, is read as of |
|---|---|---|
| same | row, column, from 0 | row r, column c |
| transposed | column, row, from 0 | row c, column r |
| shifted | row, column, from 1 | row r - 1, column c - 1 |
| both | column, row, from 1 | row c - 1, column r - 1 |

In the other direction it is the inverse. Whoever knows better can translate: name the cell that the other will read
rightly, for which ``truthful=False`` is needed, since the mask goes by the agent's own numbers. Steps are compass
directions, which both understand alike.

**Agents.** `agent_0` and `agent_1`; alone, `agent_0`, in the modes "solo" and "solo_half"; in the mode "relay" also
`leader`.

**Observation.** Dict. n is `size`, m is n, or n + 1 if one agent counts from 0 and the other from 1; row and column n
then stand for the number that names no cell of the agent's own. In `told` and `said` a cell is the one that the agent's
own numbers name.

| part | space | content |
|---|---|---|
| map | Box (n, n) uint8 | what the agent sees: 0 hidden, 1 free, 2 wall, 3 start, 4 goal |
| told | Box (m, m) uint8 | what the other last told of each cell: 0 nothing, 1 free, 2 wall |
| said | Box (m, m) uint8 | the same of what the agent told; both are 0 for cells never named |
| position | Discrete (n n) | where the walker is: row n + column |
| proposal | Discrete (9) | 0 none stands; 1 to 4 the agent's own, 5 to 8 the other's: east, south, west, north |
| message | Discrete (actions + 1) | the last message of the other, as the agent reads it: action + 1, or 0 |
| left | Discrete (horizon + 1) | messages left, of both together |

**Actions.** Discrete (8 + 3 m m); alone, Discrete (8), of which `done` and proposals are legal, and a proposal is
carried out at once. Only the agent to speak has legal actions. The numbers in names are those that the agent writes.

| action | name | legal |
|---|---|---|
| 0, 1 | `accept`, `reject` | if the other's proposal stands |
| 2, 3 | `pass`, `done` | always |
| 4 to 7 | `propose east`, `south`, `west`, `north` | always |
| 8 + i m + j | `tell i j free` | if the agent sees that cell free, or not `truthful` |
| 8 + m m + i m + j | `tell i j wall` | if the agent sees a wall there, or not `truthful` |
| 8 + 2 m m + i m + j | `ask i j` | if the agent does not see that cell, or not `truthful` |

**Rewards.** To all alike, at the end, whichever it is. ``reward="success"``: 1 if the walker is at the goal, else 0;
"graded": 1 - d / D with the lengths d of a shortest way from where the walker is to the goal, and D from the start,
which is negative where the walker is farther away than it was. Without `strict`, -`penalty` for each step into a wall.

**Ends.** Terminates at the goal, with a step into a wall if `strict`, and when both say `done` one after the other
(alone, at once); truncated after `horizon` messages.

**Parameters.** `size` (6), from 3 to 16. `density` (0.3) of walls, from 0 to 0.75, and `ends` ("random", "corners",
"farthest"), as in the generator "obstacles". `shortest` (None, which means `size`), at most 2 size - 2: mazes with a
shorter way from start to goal are drawn again, up to 200 times. `first` ("agent_0"), who speaks first: "agent_1" or
"random". `convention` (same), `truthful` (True), `strict` (True), `penalty` (0.1), from 0 to 1, `reward` (success), as
above. `horizon` (None, which means 3 size x size, enough to tell all and walk any shortest way), up to 5,000.

| mode | who plays |
|---|---|
| pair | `agent_0` and `agent_1`, each with half of the map; with unlike policies it matters who is `first` |
| solo | `agent_0` alone, with the whole map |
| solo_half | `agent_0` alone, with one half as `map` and the other half as `told` |
| relay | as pair, but `leader` sends the first `handover` (None, which means 2) messages of the one who speaks first |

**Level.** ``{"map": ["#####", "#S.G#", ...], "seen": ["*0*", ...]}``: the maze with walls around it, and for each of
its cells which agent sees it, `*` for start and goal. Without "seen" the halves are drawn, so that levels of the
generators "obstacles", "caves" and "maze" with sides of `size` + 2 will do.

**Known values.** Means of 10,000 default mazes (standard errors up to 0.005), whose shortest ways have 7.7 steps.
Alone, with the whole map or with both halves, all are solved, and so they are by two sharers, in n n - 1 + 2 D messages
at most (n n - 2 + 2 D for even n), and by two askers, in 25.6. Blind and agreeable succeed exactly where the way of the
former, a shortest one through all that it does not see as a wall, has no wall: in 0.276.

| agent_1's convention | two sharers | two askers | sharer and translator | the same, not `truthful` |
|---|---|---|---|---|
| same | 1 | 1 | 1 | 1 |
| transposed | 0.505 | 0.659 | 0.982 | 1.000 |
| shifted | 0.469 | 0.603 | 1.000 | 1.000 |
| both | 0.551 | 0.675 | 1.000 | 1.000 |

In a relay, two who mishear one claim in ten (noisy) succeed in 0.629; with an asker as `leader` for 8 messages in
0.869, for 24 in 0.999.

**Differences.** The source's agents are language models that talk freely, and a grader model reads the walk that they
agreed on out of the dialogue; it has no public code, and only its abstract and descriptions by others were at hand.
Here messages are a fixed vocabulary, and an agreed step is carried out at once. Mazes of 6 x 6, a density of about 0.3
and ways of 7 to 9 steps are from those descriptions; the generator, and the two halves being of equal size (of an odd
number one agent sees one more, by lot), are this suite's. So are what a step into a wall does, `done`, the conventions
and the masks. In the source's relay a stronger model begins a dialogue that a weaker one takes over; here `leader`
speaks in the place of one agent, who reads along and then goes on.

**Source.** Davidson, Fourney, Amershi, West, Horvitz and Kamar, "The Collaboration Gap", 2025, arXiv 2511.02687.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import randint
from envsuite.core.world import Between, Kernels, World
from envsuite.generators import grids
from envsuite.generators.obstacles import Obstacles, make
from envsuite.kit.grid import DX, DY
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, text_width
from envsuite.render.theme import agent_color

#: What an agent's map says of a cell; claims are FREE or WALL, or HIDDEN where none was made.
HIDDEN, FREE, WALL, START, GOAL = range(5)

#: The first actions; from TELL on tell free, tell wall and ask, each for all pairs of numbers.
ACCEPT, REJECT, PASS, DONE, PROPOSE = range(5)
TELL = PROPOSE + 4
DIRECTIONS = ("east", "south", "west", "north")

#: Who sees a cell: a seat, 0 or 1, or both.
BOTH = 2
NOBODY = -1

RUNNING, ARRIVED, HIT_WALL, GAVE_UP, OUT_OF_TURNS = range(5)

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
    """The maze, drawn or given, and its distances."""
    for _ in range(_TRIES):
        if not s.level_given:
            make(s)
        measure(s)
        if s.level_given or s.distance[s.level.start] > s.params.shortest:
            return


@large_kernel
def split(s):
    """Who sees which cell: a random half each; start and goal are seen by both."""
    size = s.owner.shape[0]
    width = size + 2
    left = size * size - 2
    wanted = left // 2 + (randint(s, 2) if left % 2 else 0)  # of seat 0
    for y in range(size):
        for x in range(size):
            cell = (y + 1) * width + x + 1
            if cell == s.level.start or cell == s.level.goal:
                s.owner[y, x] = BOTH
            else:
                mine = randint(s, left) < wanted
                s.owner[y, x] = 0 if mine else 1
                wanted -= mine
                left -= 1


@kernel
def reset(s):
    lay_out(s)
    if not s.level_given or not s.split_given:
        split(s)
    size, side, agents = s.owner.shape[0], s.told.shape[1], s.terminated.shape[0]
    for seat in range(2):
        for k in range(side):
            for j in range(side):
                s.told[seat, k, j] = HIDDEN
                s.said[seat, k, j] = HIDDEN
        for y in range(size):
            for x in range(size):
                cell = (y + 1) * (size + 2) + x + 1
                code = WALL if s.level.grid[y + 1, x + 1] == grids.WALL else FREE
                code = START if cell == s.level.start else GOAL if cell == s.level.goal else code
                theirs = s.owner[y, x] == 1 - seat
                whole = agents == 1 and not s.params.halves
                s.views[seat, y, x] = HIDDEN if theirs and not whole else code
                if agents == 1 and s.params.halves and theirs:
                    s.told[seat, y, x] = code
        s.heard[seat] = 0
    for k in range(s.log.shape[0]):
        s.log[k] = 0
    s.cell = s.level.start
    s.proposer = NOBODY
    s.proposal = 0
    s.done = 0
    s.outcome = RUNNING
    s.first = s.params.first if s.params.first < 2 else randint(s, 2)
    s.seat = s.first
    s.mover = s.first if agents < 3 or s.params.handover == 0 else 2


@kernel
def carried(s, seat, action):
    """A message of a seat as the other one reads it: the same two numbers under its own convention."""
    size, side = s.owner.shape[0], s.told.shape[1]
    if action < TELL:
        return action
    kind, i, j = (action - TELL) // (side * side), (action - TELL) // side % side, (action - TELL) % side
    if side > size:  # seat 1 counts from 1
        change = 1 if seat == 1 else side - 1
        i, j = (i + change) % side, (j + change) % side
    if s.params.transposed:
        i, j = j, i
    return TELL + (kind * side + i) * side + j


@kernel
def note(s, claims, action):
    """Write down what a message tells."""
    side = s.told.shape[1]
    if TELL <= action < TELL + 2 * side * side:
        k = np.uint64(action - TELL)
        square = np.uint64(side * side)
        claims[k % square // np.uint64(side), k % np.uint64(side)] = WALL if k >= square else FREE


@kernel
def walk(s, rewards):
    """Carry out the standing proposal."""
    direction = s.proposal & 3
    width = s.owner.shape[0] + 2
    cell = s.cell + DX[direction] + DY[direction] * width
    s.proposer = NOBODY
    if s.distance[np.uint64(cell)] == 0:  # no cell from which there is no way is beside one from which there is
        if s.params.strict:
            s.outcome = HIT_WALL
        else:
            for a in range(rewards.shape[0]):
                rewards[a] -= s.params.penalty
    else:
        s.cell = cell
        if cell == s.level.goal:
            s.outcome = ARRIVED


@kernel
def score(s):
    """What the walker's place is worth at the end."""
    if s.params.graded:
        left, whole = np.float64(s.distance[s.cell]) - 1.0, np.float64(s.distance[s.level.start]) - 1.0
        return 1.0 - left / whole
    return 1.0 if s.outcome == ARRIVED else 0.0


@kernel
def step(s, actions, rewards):
    agents, seat = s.terminated.shape[0], s.seat
    action = actions[s.mover]
    s.log[s.t - 1] = action
    if action == ACCEPT:
        walk(s, rewards)
    elif action == REJECT:
        s.proposer = NOBODY
    elif action == DONE and (s.done or agents == 1):
        s.outcome = GAVE_UP
    elif PROPOSE <= action < TELL:
        s.proposer = seat
        s.proposal = action - PROPOSE
        if agents == 1:
            walk(s, rewards)
    s.done = action == DONE
    if agents > 1:
        heard = carried(s, seat, action)
        note(s, s.said[seat], action)
        note(s, s.told[1 - seat], heard)
        s.heard[1 - seat] = heard + 1
        s.seat = 1 - seat
        leads = agents == 3 and s.seat == s.first and s.t < 2 * s.params.handover
        s.mover = 2 if leads else s.seat
    if s.outcome != RUNNING or s.t >= s.params.horizon:
        for a in range(agents):
            rewards[a] += score(s)
            s.terminated[a] = s.outcome != RUNNING
            s.truncated[a] = s.outcome == RUNNING
        if s.outcome == RUNNING:
            s.outcome = OUT_OF_TURNS


@kernel
def seat_of(s, agent):
    """In which of the two seats an agent sits."""
    return s.first if agent == 2 else np.int64(agent)


@kernel
def copy(source, target):
    """Copy one array into another of the same size; faster than row by row."""
    for k in range(np.uint64(target.size)):
        target.flat[k] = source.flat[k]


@kernel
def observe(s, agent, out):
    seat, size = seat_of(s, agent), s.owner.shape[0]
    copy(s.views[np.uint64(seat)], out.map)
    copy(s.told[np.uint64(seat)], out.told)
    copy(s.said[np.uint64(seat)], out.said)
    out.position = (s.cell // (size + 2) - 1) * size + s.cell % (size + 2) - 1
    out.proposal = 0 if s.proposer == NOBODY else 1 + s.proposal + (0 if s.proposer == seat else 4)
    out.message = s.heard[np.uint64(seat)]
    out.left = s.params.horizon - s.t


@kernel
def legal(s, agent, mask):
    if agent != s.mover:
        return
    agents, seat = s.terminated.shape[0], np.uint64(s.seat)
    for action in range(DONE, TELL):
        mask[action] = 1
    if agents == 1:
        return
    mask[PASS] = 1
    mask[ACCEPT] = mask[REJECT] = s.proposer == 1 - s.seat
    if not s.params.truthful:
        for action in range(TELL, mask.shape[0]):
            mask[action] = 1
        return
    size, side = np.uint64(s.owner.shape[0]), np.uint64(s.told.shape[1])
    view = s.views[seat]
    for k in range(size * size):
        action = np.uint64(TELL) + k + k // size * (side - size)
        code = view.flat[k]
        mask[action] = (code != HIDDEN) & (code != WALL)
        mask[action + side * side] = code == WALL
        mask[action + np.uint64(2) * side * side] = code == HIDDEN


class CollaborativeMaze(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    information = "imperfect"
    utility = "identical"
    verified = "exact probabilities of blind proposers; bounds on dialogues"
    variants = (dict(mode="relay", size=4, convention="both"), dict(mode="solo_half"))
    shown = "asker"
    clickable = "(tell|ask) [0-3] .*"
    keys = {
        "right": "propose east", "down": "propose south", "left": "propose west", "up": "propose north",
        "a": "accept", "r": "reject", "p": "pass", "d": "done",
    }  # fmt: skip
    synonyms = {"yes": "accept", "agree": "accept", "no": "reject", "wait": "pass"} | {
        f"go {direction}": f"propose {direction}" for direction in DIRECTIONS
    }

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
        seats = [0, 1, int(first == "agent_1")]  # whose numbers they write
        names = {agent: self._names(size, side, seat) for agent, seat in zip(agents, seats)}
        cells, claims = Box(HIDDEN, GOAL, (size, size), np.uint8), Box(HIDDEN, WALL, (side, side), np.uint8)
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
            fields=[
                ("cell", np.int64),  # of the walker, in the maze with the walls around it
                ("seat", np.int64),  # whose turn it is
                ("mover", np.int64),  # the agent in this seat
                ("first", np.int64),  # the seat that spoke first
                ("proposer", np.int64),
                ("proposal", np.int64),  # a direction
                ("outcome", np.int64),
                ("heard", np.int64, (2,)),  # by each seat: the other's last message as read there, plus one
                ("done", np.uint8),  # the last message was this
                ("split_given", np.uint8),
                ("owner", np.uint8, (size, size)),
                ("views", np.uint8, (2, size, size)),
                ("told", np.uint8, (2, side, side)),
                ("said", np.uint8, (2, side, side)),
                ("log", np.uint16, (length,)),
                ("distance", np.uint16, ((size + 2) ** 2,)),
                *mazes.fields,
            ],
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
                "horizon": length,
            },
            reward_range=(worst - (0.0 if strict else float(penalty)), 1.0),
        )

    def _names(self, size: int, side: int, seat: int) -> list[str]:
        """The names of a seat's actions."""
        fixed = ["accept", "reject", "pass", "done", *(f"propose {direction}" for direction in DIRECTIONS)]
        if self.alone:
            return fixed
        pairs = [self.written(size, i, j, seat) for i in range(side) for j in range(side)]
        return [
            *fixed,
            *(f"tell {pair} free" for pair in pairs),
            *(f"tell {pair} wall" for pair in pairs),
            *(f"ask {pair}" for pair in pairs),
        ]

    def written(self, size: int, row: int, column: int, seat: int) -> str:
        """The two numbers that a seat writes for a row and a column."""
        pair = [(number + self.shifted * seat) % (size + self.shifted) for number in (row, column)]
        return " ".join(map(str, pair[::-1] if self.transposed and seat else pair))

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        size = len(s.owner)
        grids.read_map(s.level, {name: part for name, part in level.items() if name != "seen"}, self.id)
        if grids.solve(level["map"])["way"] is None:
            raise LevelError(f"{self.id}: the level's map has no way from S to G")
        s.split_given = "seen" in level
        if "seen" not in level:
            return
        seen = level["seen"]
        if isinstance(seen, str) or len(seen) != size or any(not isinstance(r, str) or len(r) != size for r in seen):
            raise LevelError(f"{self.id}: the level's 'seen' must be {size} texts of {size} letters")
        for y, row in enumerate(seen):
            for x, letter in enumerate(row):
                wanted = "*" if level["map"][y + 1][x + 1] in "SG" else "01"
                if letter not in wanted:
                    raise LevelError(
                        f"{self.id}: the level's 'seen' has {letter!r} in row {y}, column {x}; right would be "
                        + ("'*', for start and goal" if wanted == "*" else "'0' or '1', the agent that sees it")
                    )
        s.owner[:] = [["01*".index(letter) for letter in row] for row in seen]

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"map": grids.write_map(s.level), "seen": ["".join("01*"[k] for k in row) for row in s.owner]}

    # What was said and where the walker went, from the log.

    def dialogue(self, s: Any) -> list[tuple[int, int]]:
        """Who, by the number of the agent, sent which message."""
        spoken = [int(action) for action in s.log[: s.t]]
        if self.alone:
            return [(0, action) for action in spoken]
        leader = 2 * int(s.params.handover) if len(self.agents) == 3 else 0
        return [(2 if k < leader and k % 2 == 0 else int(s.first + k) % 2, action) for k, action in enumerate(spoken)]

    def messages(self, s: Any) -> list[tuple[int, str]]:
        return [(a, self.action_names[a][action]) for a, action in self.dialogue(s)]

    def way(self, s: Any) -> list[tuple[int, int]]:
        """The cells (column, row) that the walker was on."""
        width = len(s.owner) + 2
        cell, direction = int(s.level.start), 0
        cells = [cell]
        for _, action in self.dialogue(s):
            if PROPOSE <= action < TELL:
                direction = action - PROPOSE
            if action == ACCEPT or (self.alone and PROPOSE <= action < TELL):
                near = cell + int(DX[direction] + DY[direction] * width)
                if s.level.grid[near // width, near % width] == grids.FREE:
                    cell = near
                    cells.append(cell)
        return [(cell % width - 1, cell // width - 1) for cell in cells]

    def text(self, s: Any, agent: int) -> str:
        seat, size = int(seat_of(s, agent)), len(s.owner)
        width = size + 2
        other = f"agent_{1 - seat}"
        y, x = int(s.cell) // width - 1, int(s.cell) % width - 1
        wall = "A step into a wall " + ("ends the run." if s.params.strict else f"costs {s.params.penalty:g}.")
        lines = [f"You are {self.agents[agent]}. A walker (@) is to go from S to G in a maze of {size} x {size} cells."]
        if self.alone:
            lines += [f"You lead it alone: each step that you propose is taken. {wall}"]
            lines += ["You are given half of the map and, separately, the other half."] if s.params.halves else []
        else:
            lines += [
                f"You and {other} see different halves of the maze. It takes a step only if one of you proposes it and "
                f"the other accepts. {wall}",
                self._habit(seat),
            ]
        lines += ["", "The maze (# wall, . free, ? not seen" + self._legend(s, other) + "):"]
        told = None if self.alone else s.told[seat]
        lines += self._drawing(s, seat, told)
        if self.alone and s.params.halves:
            lines += ["", "The other half:", *self._drawing(s, 1, None)]
        lines += ["", f"The walker is in {self._place(y, x, seat)}."]
        if s.proposer != NOBODY:
            whose = "Your proposal" if s.proposer == seat else f"{other}'s proposal"
            lines.append(f"{whose} to go {DIRECTIONS[s.proposal]} stands.")
        said = self.dialogue(s)
        if said and not self.alone:
            lines += ["", "Dialogue:"]
            for who, action in said:
                speaker = "you" if who == agent else self.agents[who]
                lines.append(f"  {speaker}: {self.action_names[who][action]}")
        lines += ["", f"{s.t} of {s.params.horizon} {'steps' if self.alone else 'messages'} are used."]
        if s.outcome != RUNNING:
            lines.append(self._ending(s))
        elif s.mover == agent:
            lines.append("It is your turn. " + self._choices(s, seat))
        else:
            lines.append(f"It is the turn of {self.agents[s.mover]}.")
        return "\n".join(lines)

    def _choices(self, s: Any, seat: int) -> str:
        """What an agent may say, in short."""
        steps = "`propose east`, `south`, `west` or `north`"
        if self.alone:
            return f"Choose {steps}, or `done` to give up."
        pair = self.written(len(s.owner), 0, 1, seat)
        reply = "`accept`, `reject`, " if s.proposer == 1 - seat else ""
        return f"Say {reply}{steps}, `tell {pair} free` or `wall`, `ask {pair}` (any cell), `pass` or `done`."

    def _habit(self, seat: int) -> str:
        swapped, base = self.transposed and seat, int(self.shifted and seat)
        order = "its column, then its row" if swapped else "its row, then its column"
        return f"You write a cell as two numbers: {order}, both counted from {base} at the top left."

    def _place(self, row: int, column: int, seat: int) -> str:
        base = int(self.shifted and seat)
        return f"row {row + base}, column {column + base}"

    def _legend(self, s: Any, other: str) -> str:
        return "" if self.alone else f"; f free and w wall as {other} told you, by your reading"

    def _drawing(self, s: Any, seat: int, told: Any) -> list[str]:
        """A seat's map in letters, with the numbers of its rows and columns."""
        size, base = len(s.owner), int(self.shifted and seat)
        rows = [["?.#SG"[code] for code in row] for row in s.views[seat]]
        for y in range(size):
            for x in range(size):
                if told is not None and rows[y][x] == "?" and told[y, x]:
                    rows[y][x] = " fw"[told[y, x]]
        rows[int(s.cell) // (size + 2) - 1][int(s.cell) % (size + 2) - 1] = "@"
        lines = ["     " + "".join(f"{x + base:3}" for x in range(size))]
        return lines + [f"  {y + base:2} " + "".join(f"{letter:>3}" for letter in row) for y, row in enumerate(rows)]

    def _ending(self, s: Any) -> str:
        return {
            ARRIVED: "The walker is at the goal.",
            HIT_WALL: "The walker went into a wall: the run is over.",
            GAVE_UP: "The run was given up.",
            OUT_OF_TURNS: "The run is over: there are no messages left.",
        }[int(s.outcome)]

    # The picture: what each seat sees and was told, side by side, then the dialogue.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """Both halves, the way and the dialogue, wrong claims in red; for an agent its own half alone."""
        size = len(s.owner)
        if self.alone:
            seats = [0, 1] if s.params.halves else [0]
        else:
            seats = [0, 1] if agent is None else [int(seat_of(s, agent))]
        talk = 0.0 if self.alone else 7.8
        scene = Scene(0.5 + len(seats) * (size + 1.5) + talk, max(size + 3.1, 8.0))
        for k, seat in enumerate(seats):
            self._draw_half(scene, s, seat, 1.3 + k * (size + 1.5), 2.0, agent is None)
        left = 1.3
        status = f"{s.t} / {s.params.horizon}" if s.outcome == RUNNING else self._ending(s)
        color = {RUNNING: "muted", ARRIVED: "good"}.get(int(s.outcome), "bad")
        scene.add(Label(left, size + 2.55, status, 0.46, color, "left", width=len(seats) * (size + 1.5) - 1))
        if talk:
            self._draw_dialogue(scene, s, scene.width - talk + 0.1, talk - 0.5, agent)
        return scene

    def _draw_half(self, scene: Scene, s: Any, seat: int, left: float, top: float, everything: bool) -> None:
        """What a seat sees, and what it was told of the rest."""
        size, base = len(s.owner), int(self.shifted and seat)
        color = agent_color(seat)
        turn = not self.alone and s.outcome == RUNNING and s.seat == seat
        if turn:
            scene.add(Rect(left - 0.14, top - 0.14, size + 0.28, size + 0.28, "highlight", radius=0.16))
        name = ("one half", "the other half")[seat] if self.alone and s.params.halves else f"agent_{seat}"
        if turn and s.mover == 2:
            name += " (leader)"
        scene.add(
            Circle(left + 0.25, 0.68, 0.2, color, glyph=""), Label(left + 0.65, 0.68, name, 0.5, "ink", "left", True)
        )
        if self.transposed or self.shifted:
            order = "column row" if self.transposed and seat else "row column"
            scene.add(Label(left + size, 0.68, f"{order}, from {base}", 0.34, "muted", "right", terminal=False))
        for k in range(size):
            scene.add(Label(left + k + 0.5, 1.5, str(k + base), 0.36, "muted"))
            scene.add(Label(left - 0.48, top + k + 0.5, str(k + base), 0.36, "muted"))
        scene.add(Rect(left, top, size, size, "white"))
        views = s.views[seat]
        for y in range(size):
            for x in range(size):
                if views[y, x] == HIDDEN:
                    claim = HIDDEN if self.alone else int(s.told[seat, y, x])
                    truth = WALL if s.level.grid[y + 1, x + 1] == grids.WALL else FREE
                    scene.add(*_hidden_cell(left + x, top + y, claim, everything and claim != truth))
        for k in range(1, size):
            scene.add(Line([(left + k, top), (left + k, top + size)], "seam", 0.03))
            scene.add(Line([(left, top + k), (left + size, top + k)], "seam", 0.03))
        for shape in grids.wall_shapes((views == WALL).tolist()):
            scene.add(Rect(left + shape.x, top + shape.y, shape.width, shape.height, "wall"))  # type: ignore[union-attr]
        for code, mark in ((START, grids.start_shapes), (GOAL, grids.goal_shapes)):
            y, x = (int(k[0]) for k in np.nonzero(views == code))
            scene.add(*mark(left + x, top + y))
        scene.add(Rect(left, top, size, size, None, "wall", 0.1))
        way = self.way(s)
        scene.add(*grids.way_shapes([(left + x, top + y) for x, y in way], "purple@0.45"))
        at = left + way[-1][0] + 0.5, top + way[-1][1] + 0.5
        if s.outcome == HIT_WALL:
            dx, dy = int(DX[s.proposal]), int(DY[s.proposal])
            scene.add(*_cross(at[0] + 0.8 * dx, at[1] + 0.8 * dy))
        elif s.proposer != NOBODY:
            scene.add(*_arrow(*at, int(s.proposal), agent_color(int(s.proposer))))
        scene.add(Circle(*at, 0.29, "purple", "white", 0.08, glyph="@"))

    def _draw_dialogue(self, scene: Scene, s: Any, left: float, width: float, agent: int | None) -> None:
        """The last messages, those of agent_0 on the left and of agent_1 on the right."""
        bottom = scene.height - 0.45
        scene.add(Rect(left, 0.3, width, bottom - 0.3, "panel", radius=0.25))
        room = int((bottom - 0.6) / 0.78)
        said = self.dialogue(s)
        if not said:
            scene.add(Label(left + width / 2, scene.height / 2, "nothing said yet", 0.42, "muted"))
        for k, (who, action) in enumerate(said[-room:]):
            seat = int(seat_of(s, who))
            y = 0.86 + 0.78 * k
            words = self.sentence(action, who)
            long = min(text_width(words, 0.42) + 0.5, width - 0.6)
            x = left + 0.3 if seat == 0 else left + width - 0.3 - long
            color = agent_color(seat)
            scene.add(Rect(x, y - 0.33, long, 0.66, "white", color, 0.05 if who != 2 else 0.1, 0.28))
            scene.add(Label(x + long / 2, y, words, 0.42, "black", width=long - 0.2))

    def sentence(self, action: int, agent: int) -> str:
        """A message in words."""
        name = self.action_names[agent][action]
        kind, *rest = name.split()
        if kind == "tell":
            return f"{rest[0]} {rest[1]} is {'a wall' if rest[2] == 'wall' else 'free'}"
        if kind == "ask":
            return f"what is {rest[0]} {rest[1]}?"
        if kind == "propose":
            return f"let us go {rest[0]}"
        return {"accept": "yes", "reject": "no", "pass": "...", "done": "I am done"}[kind]

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        """A cell beside the walker: propose that step; another: tell of it, or ask."""
        size, seat = len(s.owner), int(seat_of(s, agent))
        for left in (1.3, 1.3 + size + 1.5):
            column, row = int((x - left) // 1), int((y - 2.0) // 1)
            if 0 <= column < size and 0 <= row < size:
                at = (int(s.cell) % (size + 2) - 1, int(s.cell) // (size + 2) - 1)
                for direction in range(4):
                    if (column, row) == (at[0] + DX[direction], at[1] + DY[direction]):
                        return PROPOSE + direction
                if self.alone:
                    return None
                side = s.told.shape[1]
                code = s.views[seat, row, column]
                kind = 2 if code == HIDDEN else 1 if code == WALL else 0
                return TELL + (kind * side + row) * side + column
        return None


def _hidden_cell(x: float, y: float, claim: int, wrong: bool) -> list[Shape]:
    """A cell that is not seen, with what was told of it; (x, y) is its top left corner."""
    shapes: list[Shape] = [Rect(x, y, 1, 1, "seam@0.75")]
    if claim == HIDDEN:
        return [*shapes, Label(x + 0.5, y + 0.5, "?", 0.42, "muted")]
    wrong_color = "bad" if wrong else None
    if claim == WALL:
        shapes.append(Rect(x + 0.17, y + 0.17, 0.66, 0.66, "wall@0.75", wrong_color, 0.09, 0.1, glyph="w"))
    else:
        shapes.append(Rect(x + 0.17, y + 0.17, 0.66, 0.66, "white@0.9", wrong_color, 0.09, 0.1, glyph="f"))
    return shapes


def _arrow(x: float, y: float, direction: int, color: str) -> list[Shape]:
    """A step that is proposed, from the middle of a cell into the next."""
    dx, dy = float(DX[direction]), float(DY[direction])
    tip, neck = (x + 1.02 * dx, y + 1.02 * dy), (x + 0.68 * dx, y + 0.68 * dy)
    return [
        Line([(x, y), neck], color, 0.15),
        Polygon([tip, (neck[0] - 0.24 * dy, neck[1] + 0.24 * dx), (neck[0] + 0.24 * dy, neck[1] - 0.24 * dx)], color),
    ]


def _cross(x: float, y: float) -> list[Shape]:
    """Where a walker hit a wall."""
    return [
        Line([(x - 0.2, y - 0.2), (x + 0.2, y + 0.2)], "bad", 0.13),
        Line([(x - 0.2, y + 0.2), (x + 0.2, y - 0.2)], "bad", 0.13),
    ]


env, raw_env, parallel_env = pettingzoo_forms(CollaborativeMaze)
