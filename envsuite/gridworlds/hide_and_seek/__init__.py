"""HideAndSeek: hiders shut doors with boxes and keep out of the seekers' lines of sight.

**Rules.** The map has rooms with doors, and boxes. Hiders and seekers walk; any number of them may be in one cell, but
not with a box. All agents choose at once. Their actions happen one after the other, in an order that is drawn in each
step:

- **Move.** An agent moves to one of the four cells beside its own. A move into a wall stays. A move into a box pushes
  it one cell further. If that cell has a wall, a box or an agent, or if the box is locked, both stay.
- **Interact.** An agent locks all boxes in the four cells beside its own that are not locked. If there are none, it
  unlocks all boxes there that its own team has locked. Locked boxes cannot be pushed by anyone.

In the first `preparation` steps the seekers are blind and cannot act. After that, hiders and seekers have the same
actions.

An agent sees the cells at most `sight` rows and columns away that no wall and no box hides. A cell is seen if the
straight line between the middles of the two cells crosses no wall and no box; lines of sight are those of
`envsuite/Tag-v0`. So sight is mutual. Agents do not see what others of their team see.

Seekers start in the free cells nearest to a start S, one in each while there are enough. Hiders start in the same way
at G, far from S.

**Agents.** `hider_0`, `hider_1`, then `seeker_0`, `seeker_1`, or 1 to 8 in each team.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| around | Box (3, 2 r + 1, 2 r + 1) uint8 with r = `sight` | the cells around the agent; north is up |
| status | Box (8,) int32 | the agent's place, and what it knows of the game |

| plane of around | content |
|---|---|
| 0 | 0 unseen or off the map, 1 wall, 2 free; boxes: 3 not locked, 4 locked by the own team, 5 locked by the others |
| 1 | the number of hiders in a cell that is seen, the agent itself included |
| 2 | the number of seekers there |

| entry of status | content |
|---|---|
| 0, 1 | column and row of the agent, from 0 in the top left corner |
| 2, 3 | width and height of the map |
| 4 | 1 for a seeker |
| 5 | the agent's number in its team |
| 6 | steps of preparation that are left |
| 7 | 1 if a hider was seen in the last step |

**Actions.** Discrete (6).

| action | name | legal |
|---|---|---|
| 0-3 | `east`, `south`, `west`, `north` | for seekers after the preparation |
| 4 | `stay` | always |
| 5 | `interact` | likewise, if there is a box beside the agent that it would lock or unlock |

**Window.** The arrow keys move the agent, the key . stays and I interacts. A click on a cell beside the agent moves
there; a click on the agent itself stays.

**Rewards.** In each step after the preparation, 1 to each seeker and -1 to each hider if a seeker sees a hider after
the step; otherwise -1 to each seeker and 1 to each hider.

**Ends.** Truncated after `horizon` steps, those of the preparation included.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `hiders`, `seekers` | 2, 2 | numbers of agents, each from 1 to 8 |
| `preparation` | 30 | steps in which seekers wait, from 0 to 1000 |
| `height`, `width` | 15, 15 | cells of the map, walls around it included, each from 5 to 32 |
| `rooms` | 5 | rooms of the map, from 1 to 100; fewer if they do not fit |
| `boxes` | 5 | boxes of the map, from 0 to 32; fewer if they do not fit |
| `sight` | 5 | rows and columns that agents see in each direction, from 1 to 8 |
| `horizon` | 240 | steps until truncation, from 1 to 1,000,000 |

**Level.** ``{"map": ["#######", "#S.#G.#", "#...B.#", "#..#..#", "#######"]}``: walls `#`, free cells `.`, boxes `B`
that are not locked, the start `S` of the seekers and the start `G` of the hiders. Generator: kind "hideouts".

**Known values.** Hiders are never seen in a room whose ways out are all blocked by boxes that they have locked. If that
is done in the preparation, each hider has the largest return, `horizon` - `preparation`. In an empty map of at most
`sight` + 1 rows and columns inside its walls, each hider has the smallest return, the negative of that.

**Differences.** From Baker et al., whose world is continuous, with physics:

- Agents are in cells and look in all directions; there, in a cone of 135 degrees.
- The map has rooms with doors, and boxes of one size; there are no ramps.
- `interact` takes all boxes beside the agent, because agents have no front; there, one box.
- Boxes are pushed, not grabbed, so a box in a corner stays there.
- Preparation takes 30 of 240 steps; there, 96.
- Walls close the play area, so there is no penalty for leaving it.

**Source.** Baker, Kanitscheider, Markov, Wu, Powell, McGrew and Mordatch, "Emergent Tool Use From Multi-Agent
Autocurricula", ICLR 2020, for the game and its rewards. The grid's rules are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import counted
from envsuite.core.random import shuffle
from envsuite.core.ranges import below, fixed, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.generators import grids
from envsuite.generators.grids import FREE, WALL
from envsuite.gridworlds.hide_and_seek import levels as hideouts
from envsuite.gridworlds.hide_and_seek import pages
from envsuite.gridworlds.hide_and_seek.levels import LETTER, MOST_BOXES, Hideouts, box_shapes, make
from envsuite.kit.grid import DX, DY
from envsuite.kit.grid_pictures import clicked, listed, spots
from envsuite.kit.sight import in_line, look_far
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, Shape, footer, grid
from envsuite.render.theme import text_on

ACTIONS = ("east", "south", "west", "north", "stay", "interact")
STAY, INTERACT = 4, 5

HIDER, SEEKER = range(2)
NAMES = ("hider", "seeker")

#: What a cell of `boxes` has; LOCKED + team is a box that the team locked.
NO_BOX, LOOSE, LOCKED = range(3)

#: Codes of plane 0: a box is LOOSE_BOX, OWN_BOX or THEIR_BOX.
UNSEEN, ROCK, FLOOR, LOOSE_BOX, OWN_BOX, THEIR_BOX = range(6)

#: Entries of the status, the first of several with two numbers.
PLACE, SIZE, TEAM, NUMBER, PREPARATION, FOUND = 0, 2, 4, 5, 6, 7

#: The largest team, side of a map, sight and preparation.
LARGEST_TEAM, LARGEST_MAP, FARTHEST, LONGEST = 8, 32, 8, 1000

_COLORS = ("blue", "orange")


def fields(players: int, height: int, width: int) -> list[tuple]:
    """The record, besides the generator's; all agents are on cells without walls and boxes."""
    columns, rows = within(np.int64, 1, width - 2), within(np.int64, 1, height - 2)
    boxes = within(np.uint8, NO_BOX, np.pad(np.full((height - 2, width - 2), LOCKED + SEEKER), 1))
    return [
        ("x", columns, (players,)),
        ("y", rows, (players,)),
        ("from_x", columns, (players,)),  # where they were before the last step
        ("from_y", rows, (players,)),
        ("order", below(np.int64, players), (players,)),  # of the actions of the last step
        ("boxes", boxes, (height, width)),
        ("open", grids.inside(height, width, FREE), (height, width)),  # WALL where there is a wall or a box
        ("found", flag(), (players,)),  # whether a hider was seen in the last step
        ("hidden", within(np.int64, 0, 1_000_000)),  # steps in which no hider was seen
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        make(s)
    hiders = s.params.hiding
    grids.gather(s, s.level.goal, 0, hiders)
    grids.gather(s, s.level.start, hiders, s.x.shape[0])
    grids.tidy(s)
    for y in range(s.boxes.shape[0]):
        for x in range(s.boxes.shape[1]):
            s.boxes[y, x] = LOOSE if s.level.grid[y, x] == hideouts.BOX else NO_BOX
            s.open[y, x] = FREE if s.level.grid[y, x] == FREE else WALL
    for a in range(s.x.shape[0]):
        s.order[a] = a
        s.found[a] = 0
    s.hidden = 0


@kernel
def team_of(s, a):
    """The team of an agent, HIDER or SEEKER."""
    return np.int64(a >= s.params.hiding)


@large_kernel
def step(s, actions, rewards):
    players, prepares = s.x.shape[0], s.t <= s.params.preparation
    for a in range(players):
        s.from_x[a], s.from_y[a] = s.x[a], s.y[a]
        s.order[a] = a
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if not (prepares and team_of(s, a) == SEEKER):
            if actions[a] < STAY:
                move(s, a, actions[a])
            elif actions[a] == INTERACT:
                interact(s, a)
    seek(s, prepares)
    if not prepares:
        pay(s, rewards)
    for a in range(players):
        s.truncated[a] = s.t >= s.params.horizon


@large_kernel
def move(s, a, direction):
    """Move an agent to the cell beside it if that is free, or if the box there can be pushed."""
    x, y = s.x[a] + DX[direction], s.y[a] + DY[direction]
    if s.boxes[y, x] == LOOSE:
        push(s, x, y, x + DX[direction], y + DY[direction])
    if s.open[y, x] == FREE:
        s.x[a], s.y[a] = x, y


@large_kernel
def push(s, x, y, to_x, to_y):
    """Move a box from one cell to another if that is free and has no agent."""
    free = s.open[to_y, to_x] == FREE
    for b in range(s.x.shape[0]):
        free = free and (s.x[b] != to_x or s.y[b] != to_y)
    if free:
        s.boxes[y, x], s.open[y, x] = NO_BOX, FREE
        s.boxes[to_y, to_x], s.open[to_y, to_x] = LOOSE, WALL


@kernel
def beside(s, a, code):
    """The number of boxes with this code in the four cells beside an agent."""
    count = 0
    for k in range(STAY):
        count += s.boxes[s.y[a] + DY[k], s.x[a] + DX[k]] == code
    return count


@large_kernel
def interact(s, a):
    """Lock all boxes beside an agent, or else unlock those of its team."""
    own = LOCKED + team_of(s, a)
    locks = beside(s, a, LOOSE) > 0
    for k in range(STAY):
        y, x = s.y[a] + DY[k], s.x[a] + DX[k]
        if locks and s.boxes[y, x] == LOOSE:
            s.boxes[y, x] = own
        elif not locks and s.boxes[y, x] == own:
            s.boxes[y, x] = LOOSE


@kernel
def sees(s, a, b):
    """Whether two agents see each other."""
    near = max(abs(s.x[a] - s.x[b]), abs(s.y[a] - s.y[b])) <= s.params.reach
    return near and in_line(s.open, WALL, s.y[a], s.x[a], s.y[b], s.x[b])


@large_kernel
def seek(s, prepares):
    """Note which hiders are seen."""
    for a in range(s.x.shape[0]):
        s.found[a] = 0
        if a < s.params.hiding and not prepares:
            for b in range(s.params.hiding, s.x.shape[0]):
                s.found[a] = s.found[a] or sees(s, b, a)


@kernel
def any_found(s):
    """Whether a hider was seen in the last step."""
    for a in range(s.params.hiding):
        if s.found[a]:
            return True
    return False


@kernel
def pay(s, rewards):
    found = any_found(s)
    s.hidden += not found
    for a in range(s.x.shape[0]):
        rewards[a] = 1.0 if found == (team_of(s, a) == SEEKER) else -1.0


# Observations.


@kernel
def blind(s, a):
    """Whether an agent is a seeker that waits."""
    return team_of(s, a) == SEEKER and s.t < s.params.preparation


@large_kernel
def observe(s, agent, out):
    look(s, agent, out.around)
    status, team = out.status, team_of(s, agent)
    status[PLACE], status[PLACE + 1] = s.x[agent], s.y[agent]
    status[SIZE], status[SIZE + 1] = s.open.shape[1], s.open.shape[0]
    status[TEAM], status[NUMBER] = team, agent - team * s.params.hiding
    status[PREPARATION] = max(s.params.preparation - s.t, 0)
    status[FOUND] = any_found(s)


@large_kernel
def look(s, agent, view):
    """Write the cells around an agent; nothing of them while it is blind."""
    sight, own, dark = view.shape[1] // 2, team_of(s, agent), blind(s, agent)
    top, left = s.y[agent] - sight, s.x[agent] - sight
    look_far(s.open, WALL, s.y[agent], s.x[agent], view[0])
    for i in range(2 * sight + 1):
        for j in range(2 * sight + 1):
            if dark:
                view[0, i, j] = UNSEEN
            elif view[0, i, j] == ROCK and s.boxes[top + i, left + j] != NO_BOX:
                view[0, i, j] = box_code(s.boxes[top + i, left + j], own)
            view[1, i, j] = view[2, i, j] = 0
    for a in range(s.x.shape[0]):
        i, j = s.y[a] - top, s.x[a] - left
        if 0 <= i <= 2 * sight and 0 <= j <= 2 * sight and view[0, i, j] != UNSEEN:
            view[1 + team_of(s, a), i, j] += 1


@kernel
def box_code(box, own):
    """What a team sees of a box."""
    return LOOSE_BOX if box == LOOSE else OWN_BOX if box == LOCKED + own else THEIR_BOX


@kernel
def legal(s, agent, mask):
    acts = not blind(s, agent)
    for action in range(STAY):
        mask[action] = acts
    mask[STAY] = 1
    mask[INTERACT] = acts and beside(s, agent, LOOSE) + beside(s, agent, LOCKED + team_of(s, agent)) > 0


class HideAndSeek(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    kind = ("teams",)
    verified = "a second implementation in lock-step and in states of a small room, exact lines of sight, shut rooms"
    variants = (
        dict(hiders=1, seekers=2, height=6, width=9, rooms=2, boxes=1, sight=3, preparation=3),
        dict(hiders=3, seekers=1, height=9, width=8, rooms=1, boxes=4, preparation=0),
    )
    shown = "builder"
    keys = {"right": "east", "down": "south", "left": "west", "up": "north", ".": "stay", "i": "interact"}
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        hiders: Annotated[int, Between(1, LARGEST_TEAM)] = 2,
        seekers: Annotated[int, Between(1, LARGEST_TEAM)] = 2,
        preparation: Annotated[int, Between(0, LONGEST)] = 30,
        height: Annotated[int, Between(5, LARGEST_MAP)] = 15,
        width: Annotated[int, Between(5, LARGEST_MAP)] = 15,
        rooms: Annotated[int, Between(1, 100)] = 5,
        boxes: Annotated[int, Between(0, MOST_BOXES)] = 5,
        sight: Annotated[int, Between(1, FARTHEST)] = 5,
        horizon: Annotated[int, Between(1, 1_000_000)] = 240,
    ):
        rooms_of = Hideouts(height, width, rooms, boxes=boxes)
        self.hiders = hiders
        self.utility = "zero-sum" if hiders == seekers else "general"
        shape = (3, 2 * sight + 1, 2 * sight + 1)
        high = np.full(shape, hiders, np.uint8)
        high[0], high[2] = THEIR_BOX, seekers
        most = [width - 1, height - 1, width, height, SEEKER, max(hiders, seekers) - 1, LONGEST, 1]
        self.define(
            agents=[*(f"hider_{a}" for a in range(hiders)), *(f"seeker_{a}" for a in range(seekers))],
            actions=ACTIONS,
            observation=Dict(
                around=Box(np.zeros(shape, np.uint8), high, dtype=np.uint8),
                status=Box(np.zeros(len(most), np.int32), np.array(most, np.int32), dtype=np.int32),
            ),
            fields=[*fields(hiders + seekers, height, width), *rooms_of.fields],
            params={
                **rooms_of.values,
                "hiding": fixed(hiders),
                "reach": fixed(sight),
                "preparation": preparation,
                "horizon": horizon,
            },
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        walls, boxes = s.level.grid == WALL, s.boxes != NO_BOX
        ends = [s.level.start, s.level.goal]
        if ends[0] == ends[1] or (s.level.grid.reshape(-1)[ends] != FREE).any():
            return "the starts are not two free cells"
        if (walls & boxes).any() or ((s.open == WALL) != (walls | boxes)).any():
            return "the boxes are not where the map is blocked"
        if (s.open[s.y, s.x] == WALL).any() or walls[s.from_y, s.from_x].any():
            return "an agent is in a wall or a box"
        if s.found[self.hiders :].any():
            return "a seeker is noted as seen"
        if s.hidden > max(s.t - s.params.preparation, 0):
            return "there are more steps without a sight than steps"
        return None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        grids.read_map(s.level, level, self.id, LETTER)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"map": grids.write_map(s.level, LETTER)}

    # Text and pictures.

    def text(self, s: Any, agent: int) -> str:
        seen, sight = self.observation(s, agent), self.parameters["sight"]
        status, view = seen["status"].tolist(), np.asarray(seen["around"]).astype(int)
        team = status[TEAM]
        lines = [f"You are {self.agents[agent]}, at column {status[PLACE]}, row {status[PLACE + 1]} (from 0)."]
        if blind(s, agent):
            lines.append(
                f"The hiders prepare. You wait and see nothing for {counted(status[PREPARATION], 'step')} more."
            )
        else:
            view[1 + team, sight, sight] -= 1
            lines += [
                f"You see {sight} cells in each direction (@ you, H hider, S seeker, # wall, . free, b box, L box "
                "locked by your team, X box locked by the others, ? unseen; north is up):",
                *("  " + " ".join(row) for row in _letters(view)),
                f"Hiders: {listed(view[1], sight) or 'no others in view'}.",
                f"Seekers: {listed(view[2], sight) or 'no others in view'}.",
            ]
            if beside(s, agent, LOOSE):
                lines.append("You can lock the boxes beside you.")
            elif beside(s, agent, LOCKED + team):
                lines.append("You can unlock the boxes beside you.")
            if status[PREPARATION]:
                lines.append(f"The seekers wait for {counted(status[PREPARATION], 'step')} more.")
        if s.t > s.params.preparation:
            lines.append(f"In the last step, {'a' if status[FOUND] else 'no'} hider was seen.")
        lines.append(f"{s.t} of {s.params.horizon} steps are over.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The map with what seekers see and the last moves; for an agent, its view."""
        if agent is not None:
            return self._view(s, agent)
        height, width = s.level.grid.shape
        scene = Scene(width, height)
        scene.add(Rect(0, 0, width, height, "floor"), *grid(0, 0, width, height))
        scene.add(*grids.wall_shapes(self._watched(s).tolist(), "orange@0.16"))
        scene.add(*grids.wall_shapes((s.level.grid == WALL).tolist()))
        for y, x in np.argwhere(s.boxes != NO_BOX).tolist():
            scene.add(*_box(x, y, int(s.boxes[y, x])))
        teams = [team_of(s, a) for a in range(len(self.agents))]
        for a, team in enumerate(teams):
            way = [(x + 0.5, y + 0.5) for x, y in ((s.from_x[a], s.from_y[a]), (s.x[a], s.y[a]))]
            scene.add(Line(way, f"{_COLORS[team]}@0.35", 0.24))
        for y, x in sorted({(int(y), int(x)) for y, x in zip(s.y, s.x)}):
            here = np.flatnonzero((s.x == x) & (s.y == y)).tolist()
            agents = [(int(teams[a]), self.agents[a].rpartition("_")[2], bool(s.found[a])) for a in here]
            scene.add(*_crowd(x, y, agents, s.t < s.params.preparation))
        footer(scene, f"{s.t} / {s.params.horizon}", self._news(s))
        return scene

    def _news(self, s: Any) -> str:
        """The state of the game in words."""
        if s.t < s.params.preparation:
            return f"the seekers wait for {counted(s.params.preparation - s.t, 'step')}"
        return f"hidden for {s.hidden} of {counted(s.t - s.params.preparation, 'step')}"

    def _watched(self, s: Any) -> np.ndarray:
        """The free cells that seekers see."""
        watched, sight = np.zeros(s.open.shape, bool), self.parameters["sight"]
        for a in range(self.hiders, len(self.agents)):
            for y, x in np.argwhere(s.open == FREE).tolist() if not blind(s, a) else ():
                near = max(abs(s.y[a] - y), abs(s.x[a] - x)) <= sight
                watched[y, x] |= near and in_line(s.open, WALL, s.y[a], s.x[a], y, x)
        return watched

    def _view(self, s: Any, agent: int) -> Scene:
        """What one agent sees; it does not know the others' numbers."""
        seen, sight = self.observation(s, agent), self.parameters["sight"]
        status, view = seen["status"].tolist(), np.asarray(seen["around"]).astype(int)
        team, size = status[TEAM], 2 * sight + 1
        scene = Scene(size, size)
        scene.add(Rect(0, 0, size, size, "floor"), *grid(0, 0, size, size))
        scene.add(*grids.wall_shapes((view[0] == UNSEEN).tolist(), "shadow@0.6"))
        scene.add(*grids.wall_shapes((view[0] == ROCK).tolist()))
        for y, x in np.argwhere(view[0] >= LOOSE_BOX).tolist():
            locked = {LOOSE_BOX: LOOSE, OWN_BOX: LOCKED + team, THEIR_BOX: LOCKED + 1 - team}
            scene.add(*_box(x, y, locked[view[0, y, x]]))
        view[1 + team, sight, sight] = max(view[1 + team, sight, sight], 1)
        for y, x in np.argwhere(view[1:].any(axis=0)).tolist():
            me = [(team, "you", False)] if y == x == sight else []
            others = [(k, "", False) for k in range(2) for _ in range(view[1 + k, y, x] - (k == team) * len(me))]
            scene.add(*_crowd(x, y, me + others, status[PREPARATION] > 0))
        found = "a hider is seen" if status[FOUND] else "no hider is seen"
        wait = f"preparation: {status[PREPARATION]} left" if status[PREPARATION] else found
        footer(scene, f"{s.t} / {s.params.horizon}", f"{self.agents[agent]}; {wait}")
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        return clicked(x, y, self.parameters["sight"])


def _letters(view: np.ndarray) -> np.ndarray:
    """A view as letters."""
    letters = np.array(list("?#.bLX"))[view[0]]
    letters[view[1] > 0] = "H"
    letters[view[2] > 0] = "S"
    letters[len(letters) // 2, len(letters) // 2] = "@"
    return letters


def _box(x: int, y: int, code: int) -> list[Shape]:
    """A box; a locked one has a frame in the team's colour, and its letter."""
    if code == LOOSE:
        return box_shapes(x, y)
    team = code - LOCKED
    return [
        *box_shapes(x, y, glyph="LX"[team]),
        Rect(x + 0.08, y + 0.08, 0.84, 0.84, None, _COLORS[team], 0.09, 0.06, glyph=""),
        Circle(x + 0.5, y + 0.5, 0.23, _COLORS[team], "white", 0.05, glyph=""),
        Label(x + 0.5, y + 0.5, "HS"[team], 0.32, text_on(_COLORS[team]), bold=True, terminal=False),
    ]


def _crowd(x: int, y: int, agents: list[tuple[int, str, bool]], waits: bool) -> list[Shape]:
    """All agents of a cell by team, text and whether they are seen; more than nine are not drawn."""
    places, size = spots(x, y, len(agents))
    shapes: list[Shape] = []
    for (across, down), (team, text, found) in zip(places, agents):
        color, radius = "grey" if waits and team == SEEKER else _COLORS[team], 0.38 * size
        ring, sign = "yellow" if found else "white", f"{'HS'[team]}{'!' if found else text[:1]}"
        if team == HIDER:
            shapes.append(Circle(across, down, radius, color, ring, 0.09 * size, glyph=sign))
        else:
            half = 0.9 * radius
            shapes.append(Rect(across - half, down - half, 2 * half, 2 * half, color, ring, 0.07 * size, 0.1, sign))
        high = (0.42 if len(text) < 3 else 0.28) * size
        shapes.append(Label(across, down, text, high, text_on(color), bold=True, terminal=False))
    return shapes


env, raw_env, parallel_env = pettingzoo_forms(HideAndSeek)
