"""RowingRace: agents pair up in boats, row together or flail alone, and race to apples over a river (Melting Pot).

**Rules.** Two banks face each other over a river. Each boat has two seats and a lane of its own between two docks. A
race leads from one bank to the other, the next one back.

- *Lights.* Before a race, lights are red, and then yellow for 6 steps. With the step in which they become green, the
  gates of the bank where the race begins open and those of the other bank close. They are green for `race` + 1 steps.
- *Boarding.* Behind the gates lie the boats at their docks. An agent that walks onto a free seat sits down, and can
  neither walk nor turn until it lands.
- *Rowing.* If both agents of a boat `row` in the same step, their boat moves one cell. In the four steps after a `row`,
  another one has no effect; steps on land do not count. This is so for a `row` in a boat with a free seat, too.
- *Flailing.* If at least one of the two agents flails, their boat moves one cell with probability `flail`. If the other
  agent rows in this step, it pays `fine`. No rest follows.
- *Landing.* A boat that comes to the dock on the other bank lands its agents behind the gates there, each on the
  nearest cell of the bank. If another agent stands there, it waits in the boat until the cell is free.
- *Out.* Agents that have not landed when lights become red are out for the rest of the episode.
- *Apples.* An agent eats the apple on its cell at once. Apples grow on the bank to which the race leads. A site without
  one grows one with probability `regrowth` a step, also under an agent, which then eats it. In lanes, each of the two
  agents in a boat eats the apples of its column; they do not grow again before the next race.

In the step after lights become red, agents still eat as before. Then the next race leads the other way: all apples of
the bank where the agents are vanish, and all others are there again. A boat stays where it is. It can be used if it
lies at the bank where a race begins. A boat that did not cross in one race is there again after the next one. A boat
that stopped on its way is lost.

The order within a step:

1. Agents in boats row or flail; fines are paid.
2. If the race is over, agents that have not landed are out.
3. All others walk and turn, in random order. If several want a cell, a random one gets it.
4. Boats move, also those that agents have just left, and land their agents if the race is not over.
5. Apples grow; the next race is prepared; lights change.

**Agents.** `player_0` and so on: six, or from 2 to 6.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below |
| oars | Box (players,) uint8 | of agents in view and itself: 1 in a boat, 2 in a boat with a raised oar; others 0 |
| ready | Box (1,) float32 | 1 if the agent can row, less while it rests, 0 once it is out |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5. An oar is raised if the agent rowed or flailed in this step.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 3 | apple |
| 4 | deep water |
| 5 | the agent itself |
| 6 | water of a lane |
| 7 | free seat |
| 8 + 4 k + f | agent k; f is 0 if it faces as the observer does, 1 right of that, 2 back, 3 left |
| 72, 73 | bow or stern of a boat, over floor or over water |
| 74 | apple in a lane |
| 75, 76 | closed gate, open gate |
| 77, 78, 79 | red, yellow, green light |

**Actions.** Discrete (9), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `row` | in a boat |
| 8 | `flail` | in a boat |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space rows, f flails.

**Rewards.** +1 for an apple; -`fine` for a `row` while the other agent in the boat flails.

**Ends.** An agent that is out is terminated. Truncated after `horizon` steps: with the default parameters, the eighth
race is over after 2390 of 2400.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 6 | number of agents, from 2 to 6 |
| `boats` | 3 | number of boats on new maps, from 1 to 3 |
| `horizon` | 2400 | steps until truncation, from 1 to 1,000,000 |
| `choice` | 75 | lights are green after `choice` - 4 steps, and `choice` - 2 steps after a race; from 11 to 100,000 |
| `race` | 225 | steps of green light, less one, from 1 to 100,000 |
| `flail` | 0.1 | probability that a boat moves by flailing, from 0 to 1 |
| `fine` | 0.5 | what an agent pays that rows while the other one flails, from 0 to 100 |
| `regrowth` | 0.1 | probability that an apple grows on an empty site of a bank in a step, from 0 to 1 |
| `window` | 1 | steps for which a `row` counts, from 1 to 5, see below |

**Level.** ``{"map": [38 strings of 26 letters]}``: ``#`` wall, ``.`` floor, ``~`` deep water, ``,`` water of a lane,
``o`` the same with an apple, ``b`` a seat of a boat, at its southern dock, ``d`` a northern dock, ``g`` a gate, ``l`` a
light, ``a`` floor where apples grow, ``p`` floor where agents start. A map has 1 to 3 boats. Without a level, every
episode has a new map from `envsuite.social.rowing_race.levels`.

**Known values.** Between docks that are d cells apart, two agents that row as often as they can and in the same steps
need 5 d - 4 steps. By flailing they need d / `flail` steps on average, and the number of steps has a negative binomial
distribution. If they also flail whenever they rest from rowing together, they need 44.3 steps on average for d = 13.

**Differences.** From Melting Pot's `boat_race__eight_races`:

- Every episode has a new map. There, it is always the same, with 13 cells between docks.
- Symbols replace RGB pictures. `ready` is not there; agents could count it.
- Its documentation says that a `row` counts for several steps. In its code, it counts in its own step only, so two
  agents that row as often as they can, but not in the same steps, never move. Here, so too. With a larger `window`, the
  oar stays raised for this number of steps, or until the boat moves by it, its agent flails, or it is fined for it.
- A comment in its code warns that agents could walk past a taken seat. At this commit, they cannot: the dock below a
  taken seat blocks the way. Nobody can ever walk on the water of lanes.
- There, an agent that lands where another one stands is on the same cell and can even walk on, through lights and
  walls, but has landed only when no other one is on its cell. Here, it waits in the boat.
- There, agents that are out see black until the end, and the episode ends at a multiple of 100 steps if all are out.
- There, it is always six agents and three boats.

**Source.** Agapiou et al., "Melting Pot 2.0", 2022; its code at commit 81ee2e7, and Lab2D's for the order of events.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, shuffle
from envsuite.core.ranges import below, flag, limited, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import avatars
from envsuite.kit.avatars import BORDER, FLOOR, LIT, MOVES, OUTSIDE, OWN, PLAYER, WALL
from envsuite.kit.grid import random_spot, sprout
from envsuite.registry import pettingzoo_forms
from envsuite.social.rowing_race import levels as courses
from envsuite.social.rowing_race import pages, view
from envsuite.social.rowing_race.levels import HEIGHT, LEGEND, MOST_BOATS, PASSAGE, WIDTH

ACTIONS = (*MOVES, "row", "flail")
ROW, FLAIL = len(MOVES), len(MOVES) + 1

#: What an agent does: it walks on the bank where the race begins, sits in a boat, or has landed.
ASHORE, ABOARD, LANDED = range(3)

#: States of lights, and of oars.
STOP, READY, GO = range(3)
DOWN, ROWS, FLAILS = range(3)

#: Banks, and the directions of races that lead to them.
NORTH_BANK, SOUTH_BANK = range(2)

#: Steps of rest after a `row`, and of yellow light; what is left of `choice` for red light, at first and later.
REST, YELLOW_STEPS = 4, 6
_FIRST_RED, _LATER_RED = 10, 8

MOST_PLAYERS, MOST_WINDOW, MOST_STEPS = 2 * MOST_BOATS, 5, 100_000

_CELLS = (HEIGHT + 2 * BORDER) * (WIDTH + 2 * BORDER)
_, _FREE = avatars.tables(
    blocks=(view.WATER, view.LANE, view.AFLOAT, view.LANE_APPLE, view.GATE, view.RED, view.RED + 1, view.RED + 2)
)
_KIND = np.array(
    [WALL, FLOOR, view.WATER, view.LANE, view.LANE, view.RED, view.GATE, FLOOR, FLOOR, view.LANE, view.LANE], np.uint8
)


def fields(players: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *avatars.fields(players, HEIGHT, WIDTH, len(LEGEND)),
        ("doing", below(np.int64, 3), (players,)),  # ASHORE, ABOARD or LANDED
        ("seat", within(np.int64, -1, 2 * MOST_BOATS - 1), (players,)),  # where an agent sits: 2 boat + side, or -1
        ("oar", below(np.int64, 3), (players,)),  # DOWN, or what an agent did: ROWS or FLAILS
        ("raised", within(np.int64, 0, MOST_WINDOW), (players,)),  # steps for which a `row` still counts, this included
        ("boats", within(np.int64, 1, MOST_BOATS)),  # on the map
        ("column", within(np.int64, 1, WIDTH - 3), (MOST_BOATS,)),  # of the left seat of each boat
        ("row", within(np.int64, PASSAGE + 1, HEIGHT - 2 - PASSAGE), (MOST_BOATS,)),  # of the seats of each boat
        ("rower", within(np.int64, -1, players - 1), (2 * MOST_BOATS,)),  # the agent on each seat, or -1
        ("goes", flag(), (MOST_BOATS,)),  # within a step: which boats move
        ("docks", within(np.int64, PASSAGE + 1, HEIGHT - 2 - PASSAGE), (2,)),  # the rows of northern and southern docks
        ("heading", below(np.int64, 2)),  # the bank to which the race leads
        ("open_bank", below(np.int64, 2)),  # the bank whose gates are open
        ("light", below(np.int64, 3)),  # STOP, READY or GO
        ("clock", within(np.int64, 1, MOST_STEPS + 1)),  # steps until lights change
        ("turning", flag()),  # whether lights have just become red after a race
        ("fruit", flag(), (_CELLS,)),  # which cells have an apple
        *avatars.list_fields("empty_count", "empty", HEIGHT, WIDTH),  # sites without apples on the bank where they grow
        *avatars.list_fields("start_count", "starts", HEIGHT, WIDTH),  # where agents start
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        courses.regatta(s, s.map, s.params.boats)
    moor(s)
    s.heading = s.open_bank = NORTH_BANK
    s.light, s.clock, s.turning = STOP, s.params.choice - _FIRST_RED, 0
    fill(s.fruit, 0)
    avatars.lay(s, _KIND)
    bear(s)
    repaint(s)
    s.start_count = avatars.list_spots(s, s.starts, courses.START)
    avatars.begin(s)
    for a in range(s.at.shape[0]):
        s.doing[a] = ASHORE
        s.seat[a] = -1
        s.oar[a] = DOWN
        s.raised[a] = 0
        avatars.place(s, a, random_spot(s, s.starts, s.start_count, s.cells, _FREE))


@large_kernel
def moor(s):
    """Find the docks and the boats of the map."""
    s.boats = 0
    for b in range(MOST_BOATS):
        s.row[b], s.column[b], s.goes[b] = PASSAGE + 1, 1, 0
        s.rower[2 * b] = s.rower[2 * b + 1] = -1
    for y in range(HEIGHT):
        for x in range(WIDTH):
            if s.map[y, x] == courses.DOCK:
                s.docks[NORTH_BANK] = y
            elif s.map[y, x] == courses.BOAT and s.map[y, x - 1] != courses.BOAT:
                s.row[s.boats], s.column[s.boats] = y, x
                s.docks[SOUTH_BANK] = y
                s.boats += 1


@large_kernel
def bear(s):
    """The bank to which the race leads is full of apples, the other one has none; lanes have all of theirs."""
    s.empty_count = 0
    for y in range(HEIGHT):
        for x in range(WIDTH):
            letter = s.map[y, x]
            if letter == courses.SITE or letter == courses.LANE_SITE:
                bank = SOUTH_BANK if y > s.docks[SOUTH_BANK] else NORTH_BANK
                s.fruit[avatars.cell_at(s, y, x)] = letter == courses.LANE_SITE or bank == s.heading


@large_kernel
def ground(s, y, x):
    """The code of what is on a cell, beside agents."""
    letter, fruit = np.int64(s.map[y, x]), s.fruit[avatars.cell_at(s, y, x)]
    if letter == courses.LIGHT:
        return view.RED + s.light
    if letter == courses.GATE:
        bank = SOUTH_BANK if y > s.docks[SOUTH_BANK] else NORTH_BANK
        return np.int64(view.OPEN_GATE if bank == s.open_bank else view.GATE)
    if fruit:
        return np.int64(view.APPLE if letter == courses.SITE else view.LANE_APPLE)
    for b in range(s.boats):
        if 0 <= x - s.column[b] <= 1 and -1 <= y - s.row[b] <= 1:
            return np.int64(view.SEAT if y == s.row[b] else view.HULL if letter == courses.FLOOR else view.AFLOAT)
    return np.int64(_KIND[letter])


@kernel
def draw(s, y, x):
    """Draw a cell again, also below an agent."""
    code, cell = ground(s, y, x), avatars.cell_at(s, y, x)
    there = s.cells[cell]
    if PLAYER <= there < OWN:
        s.under[(there - PLAYER) >> 2] = code
    else:
        s.cells[cell] = code


@kernel
def repaint(s):
    """Draw the whole map again."""
    for y in range(HEIGHT):
        for x in range(WIDTH):
            draw(s, y, x)


@large_kernel
def step(s, actions, rewards):
    players, over, before = s.at.shape[0], s.light == GO and s.clock == 1, s.empty_count
    for a in range(players):
        stroke(s, a, actions[a])
    for b in range(s.boats):
        s.goes[b] = is_driven(s, b, rewards)
    if over:
        disqualify(s)
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if s.away[a] == 0 and s.doing[a] != ABOARD:
            code = avatars.move(s, a, actions[a], _FREE)
            if code == view.APPLE:
                eat(s, a, rewards)
            elif code == view.SEAT:
                board(s, a)
    for b in range(s.boats):
        if s.goes[b]:
            sail(s, b, rewards)
            s.goes[b] = 0
        if s.row[b] == s.docks[s.heading]:
            land(s, b)
    grow(s, before, rewards)
    pass_time(s)
    if s.t >= s.params.horizon:
        for a in range(players):
            s.truncated[a] = s.away[a] == 0


@kernel
def is_full(s, b):
    """Whether both seats of a boat are taken."""
    return s.rower[2 * b] >= 0 and s.rower[2 * b + 1] >= 0


@kernel
def stroke(s, a, action):
    """An agent in a boat rows or flails, or rests."""
    s.oar[a] = DOWN
    if s.raised[a] > 0:
        s.raised[a] -= 1
    if s.away[a] or s.doing[a] != ABOARD:
        return
    b = s.seat[a] >> 1
    able = is_full(s, b) and s.row[b] != s.docks[s.heading]
    if s.cooldown[a] > 0:
        s.cooldown[a] -= 1
    elif action == ROW:
        s.cooldown[a] = REST
        if able:
            s.raised[a] = s.params.window
    if action == FLAIL and able:
        s.raised[a] = 0
        s.oar[a] = FLAILS
    elif s.raised[a] > 0:
        s.oar[a] = ROWS


@kernel
def is_driven(s, b, rewards):
    """Whether a boat moves in this step; those that row pay if the other one flails."""
    if not is_full(s, b):
        return False
    left, right = s.rower[2 * b], s.rower[2 * b + 1]
    if s.raised[left] > 0 and s.raised[right] > 0:
        s.raised[left] = s.raised[right] = 0
        return True
    if s.oar[left] != FLAILS and s.oar[right] != FLAILS:
        return False
    for side in range(2):
        a = s.rower[2 * b + side]
        if s.raised[a] > 0:
            s.raised[a] = 0
            rewards[a] -= s.params.fine
    return bernoulli(s, s.params.flail)


@kernel
def disqualify(s):
    """At the end of a race, agents that have not landed are out, and the others can leave again."""
    for a in range(s.at.shape[0]):
        if s.away[a] == 0 and s.doing[a] != LANDED:
            leave_boat(s, a)
            avatars.leave(s, a)
            s.away[a] = 1
            s.terminated[a] = 1
        s.doing[a] = ASHORE


@kernel
def leave_boat(s, a):
    """An agent does not sit in a boat any more."""
    if s.seat[a] >= 0:
        s.rower[s.seat[a]] = -1
        s.seat[a] = -1
    s.oar[a] = DOWN
    s.raised[a] = 0


@kernel
def eat(s, a, rewards):
    """An agent eats the apple on its cell."""
    rewards[a] += 1.0
    s.under[a] = FLOOR
    s.fruit[s.at[a]] = 0
    s.empty[s.empty_count] = s.at[a]
    s.empty_count += 1


@kernel
def board(s, a):
    """An agent sits down on the seat on which it stands."""
    for b in range(s.boats):
        for side in range(2):
            if s.at[a] == avatars.cell_at(s, s.row[b], s.column[b] + side):
                s.rower[2 * b + side] = a
                s.seat[a] = 2 * b + side
                s.doing[a] = ABOARD


@large_kernel
def sail(s, b, rewards):
    """A boat moves one cell, and its agents eat the apples there."""
    old = s.row[b]
    s.row[b] = old + 1 if s.heading == SOUTH_BANK else old - 1
    for side in range(2):
        a = s.rower[2 * b + side]
        if a >= 0:
            avatars.leave(s, a)
            there = avatars.cell_at(s, s.row[b], s.column[b] + side)
            rewards[a] += s.fruit[there]
            s.fruit[there] = 0
    for y in range(min(old, s.row[b]) - 1, max(old, s.row[b]) + 2):
        draw(s, y, s.column[b])
        draw(s, y, s.column[b] + 1)
    for side in range(2):
        if s.rower[2 * b + side] >= 0:
            avatars.enter(s, s.rower[2 * b + side], avatars.cell_at(s, s.row[b], s.column[b] + side))


@kernel
def land(s, b):
    """The agents of a boat at the end of its lane go ashore, if nobody stands there."""
    y = s.row[b] + PASSAGE if s.heading == SOUTH_BANK else s.row[b] - PASSAGE
    for side in range(2):
        a = s.rower[2 * b + side]
        there = avatars.cell_at(s, y, s.column[b] + side)
        if a >= 0:
            s.oar[a] = DOWN
            if _FREE[s.cells[there]]:
                leave_boat(s, a)
                avatars.leave(s, a)
                avatars.enter(s, a, there)
                s.doing[a] = LANDED


@large_kernel
def grow(s, before, rewards):
    """Apples grow on sites that were empty before this step; agents eat those that grow under them."""
    count = s.empty_count
    left = sprout(s, s.empty, before, count, s.fruit, s.params.regrowth)
    s.empty_count = left
    for k in range(left, count):
        cell = np.int64(s.empty[k])
        s.fruit[cell] = 1
        code = np.int64(s.cells[cell])
        if PLAYER <= code < OWN:
            eat(s, (code - PLAYER) >> 2, rewards)
        else:
            s.cells[cell] = view.APPLE


@kernel
def pass_time(s):
    """The step after a race turns its direction; lights and gates change when their time is over."""
    if s.turning:
        s.turning = 0
        s.heading = 1 - s.heading
        bear(s)
        repaint(s)
    s.clock -= 1
    if s.clock == 0:
        if s.light == STOP:
            s.light, s.clock = READY, YELLOW_STEPS
        elif s.light == READY:
            s.light, s.clock = GO, s.params.race + 1
            s.open_bank = 1 - s.heading
        else:
            s.light, s.clock = STOP, s.params.choice - _LATER_RED
            s.turning = 1
        repaint(s)


@kernel
def signal(s, a):
    """What others see of an agent: 1 in a boat, 2 with a raised oar."""
    return 0 if s.doing[a] != ABOARD else 1 if s.oar[a] == DOWN else 2


@large_kernel
def observe(s, agent, out):
    cells = out["view"]
    avatars.watch(s, agent, cells)
    out.ready[0] = avatars.readiness(s, agent, REST)
    for a in range(s.at.shape[0]):
        out.oars[a] = 0
    if s.away[agent] == 0:
        for i in range(cells.shape[0]):
            for j in range(cells.shape[1]):
                code = np.int64(cells[i, j])
                if PLAYER <= code < OWN:
                    out.oars[(code - PLAYER) >> 2] = signal(s, (code - PLAYER) >> 2)
        out.oars[agent] = signal(s, agent)


class RowingRace(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("commons", "teams")
    verified = "Melting Pot itself in lock-step"
    variants = (dict(players=3, boats=2, choice=11, race=40, window=5), dict(players=2, boats=1, flail=1.0))
    shown = "matcher"
    keys = {**avatars.AvatarWorld.keys, "space": "row", "f": "flail"}
    legend = LEGEND
    beams = False
    things = view.THINGS
    text = view.text
    scene = view.scene
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        players: Annotated[int, Between(2, MOST_PLAYERS)] = MOST_PLAYERS,
        boats: Annotated[int, Between(1, MOST_BOATS)] = MOST_BOATS,
        horizon: Annotated[int, Between(1, 1_000_000)] = 2400,
        choice: Annotated[int, Between(11, MOST_STEPS)] = 75,
        race: Annotated[int, Between(1, MOST_STEPS)] = 225,
        flail: Annotated[float, Between(0, 1)] = 0.1,
        fine: Annotated[float, Between(0, 100)] = 0.5,
        regrowth: Annotated[float, Between(0, 1)] = 0.1,
        window: Annotated[int, Between(1, MOST_WINDOW)] = 1,
    ):
        self.players = players
        views = self.view_spaces(view.GREEN)
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=Dict({"view": views["view"], "oars": Box(0, 2, (players,), np.uint8), "ready": views["ready"]}),
            fields=fields(players),
            params={
                "boats": boats,
                "choice": choice,
                "race": race,
                "flail": float(flail),
                "fine": float(fine),
                "regrowth": limited([float(regrowth)], 0, 1),
                "window": window,
                "horizon": horizon,
            },
            reward_range=(-float(fine), 1.0),
        )

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"p": (self.players, "starts")}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        if isinstance(problem := courses.docks(np.asarray(s.map)), str):
            raise LevelError(f"{self.id}: the level's map {problem}")

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        found = courses.docks(np.asarray(s.map))
        if isinstance(found, str):
            return f"the map {found}"
        north, south, lanes = found
        boats = len(lanes)
        if list(s.docks) != [north, south] or s.boats != boats or list(s.column[:boats]) != lanes:
            return "docks or boats are not those of the map"
        if (s.row[:boats] < north).any() or (s.row[:boats] > south).any():
            return "a boat is not in its lane"
        if not avatars.are_listed(s.starts, s.start_count, avatars.cells_of(s, courses.START)):
            return "starts does not list where agents start"
        if (s.cells >= LIT).any() or s.lit_count or s.hit.any() or s.goes.any():
            return "there is something of a step that is over"
        if s.turning and s.light != STOP:
            return "a race turns while lights are not red"
        if (problem := self._misplaced_agents(s)) is not None:
            return problem
        sites, lane_sites = avatars.cells_of(s, courses.SITE), avatars.cells_of(s, courses.LANE_SITE)
        banks = (sites > avatars.cell_at(s, south, 0)).astype(int)
        live = sites[banks == s.heading]
        fruit = np.flatnonzero(s.fruit)
        if not np.isin(fruit, np.concatenate([live, lane_sites])).all():
            return "apples are where none can be"
        if not avatars.are_listed(s.empty, s.empty_count, live[s.fruit[live] == 0]):
            return "empty does not list the sites without apples"
        return None if np.array_equal(ground, _grounds(s)) else "the ground is not that of the map"

    def _misplaced_agents(self, s: Any) -> str | None:
        """What does not go together of agents and boats."""
        for a in range(self.players):
            aboard, place = bool(s.doing[a] == ABOARD), int(s.seat[a])
            if (s.away[a] > 0) != bool(s.terminated[a]) or (s.away[a] and (aboard or place >= 0)):
                return "an agent that is out is not over, or sits in a boat"
            if aboard != (place >= 0) or (not aboard and (s.oar[a] or s.raised[a])):
                return "an agent sits in no boat, or has an oar on land"
            if s.cooldown[a] > REST or s.raised[a] > s.params.window:
                return "an agent rests too long, or a row counts too long"
            if aboard:
                if place >= 2 * s.boats or s.rower[place] != a:
                    return "an agent sits on a seat of another one"
                if s.at[a] != avatars.cell_at(s, int(s.row[place // 2]), int(s.column[place // 2]) + place % 2):
                    return "an agent is not where its seat is"
        if np.count_nonzero(s.rower >= 0) != np.count_nonzero(s.doing == ABOARD):
            return "an agent sits on two seats"
        if s.light != GO and (s.doing != ASHORE).any():
            return "an agent is in a race, but there is none"
        return None


def _grounds(s: Any) -> np.ndarray:
    """(cells,) what `ground` says of each cell."""
    fruit = np.asarray(s.fruit).reshape(HEIGHT + 2 * BORDER, -1)[BORDER:-BORDER, BORDER:-BORDER] > 0
    letters, rows = np.asarray(s.map), np.arange(HEIGHT)[:, None]
    codes = _KIND[letters].astype(np.int64)
    for b in range(int(s.boats)):
        y, x = int(s.row[b]), int(s.column[b])
        hull = letters[y - 1 : y + 2, x : x + 2] == courses.FLOOR
        codes[y - 1 : y + 2, x : x + 2] = np.where(hull, view.HULL, view.AFLOAT)
        codes[y, x : x + 2] = view.SEAT
    codes[fruit & (letters == courses.SITE)] = view.APPLE
    codes[fruit & (letters == courses.LANE_SITE)] = view.LANE_APPLE
    codes[letters == courses.LIGHT] = view.RED + s.light
    banks = np.broadcast_to(rows > s.docks[SOUTH_BANK], codes.shape)
    codes[letters == courses.GATE] = np.where(banks == s.open_bank, view.OPEN_GATE, view.GATE)[letters == courses.GATE]
    whole = np.full((HEIGHT + 2 * BORDER, WIDTH + 2 * BORDER), OUTSIDE)
    whole[BORDER:-BORDER, BORDER:-BORDER] = codes
    return whole.reshape(-1)


env, raw_env, parallel_env = pettingzoo_forms(RowingRace)
