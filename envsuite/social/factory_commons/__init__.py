"""FactoryCommons: agents feed shared cubes to machines that give them back, or pay more and destroy them (Melting Pot).

**Rules.** Agents walk a factory of 23 x 17 cells. They carry cubes to machines and eat the apples that these give.

- *Hands.* `grasp` takes the apple on the cell ahead, or the cube if there is none; with full hands it lets go. Nobody
  can take what another agent holds. What is held moves with the agent, and a turn swings it to the new front. A walk
  needs room for both; where a turn has no room for a thing, this stays where it is.
- *Room.* A cube needs a cell without another cube, an agent, a wall or a dispenser. Agents cannot enter cells with
  cubes, hoppers, dispensers or walls. Apples are never in the way, but two do not fit on one cell.
- *Apples.* An agent that comes onto an apple eats it, also one that another agent holds. So does an agent onto which an
  apple is moved.
- *Machines.* A machine is a hopper with its mouth below it, a dispenser with a belt below it, and two spots below the
  belt. In the step after a cube has come to the mouth, the hopper swallows it, even out of hands. Then the cube falls
  for two steps. A hand that holds it still moves it in the first of them, and is empty after that.
- *Renewing machines* put a new cube on the upper spot and an apple on the lower one. *Doubling machines* put an apple
  on both. Cubes come from nowhere else.
- *Stamina* is a number from 0 to 18. Each walk costs 1, also if something is in the way; each other act restores 1.
  After a walk that leaves less than 7, an agent is tired for two steps, and for six if it leaves 0. Then it can neither
  walk nor turn, and stamina does not change. It can grasp, and a turn swings what it holds to that side.

A machine's clock, in steps after the one in which the hopper swallows a cube:

| steps | what happens |
|---|---|
| 1 to 4 | the mouth is still open: the hopper swallows another cube, which is lost |
| 5 to 17 | the mouth is closed: cubes can lie on it |
| 10 | the product for the upper spot arrives, and on a doubling machine that for the lower one; not to be taken yet |
| 11 | these products lie there |
| 13 | the apple of a renewing machine lies on the lower spot |
| 18 | the hopper is ready again |

A product waits until its spot has room for it. If the machine has the next one before that, one of them is lost. The
order within a step:

1. Hands grasp and let go, in random order, by what was there at the beginning of the step.
2. Machines work, and give; hoppers swallow.
3. Agents walk, in the same order. If several want a cell, a random one gets it.
4. Agents turn, in the same order.
5. Products that waited come to spots that are free now.

**Agents.** `player_0`, `player_1`, `player_2`, or 1 to 16 agents.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below |
| goods | Box (11, 11) uint8 | what lies on the same cells: a sum, see below |
| holds | Box (agents,) uint8 | what the agent itself and agents in view hold, see below; others 0 |
| stamina | Box (agents,) uint8 | the agent's own stamina; of agents in view up to 13, which their bars show; others 0 |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 3 | hopper |
| 4 | mouth of a hopper that is ready |
| 5 | the agent itself |
| 6 | mouth of a hopper that is busy |
| 7 | dispenser of a renewing machine |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 to the observer's right, 2 back, 3 left |
| 72 | dispenser of a doubling machine |
| 73 | belt |
| 74 | spot |

A cell of `goods` adds up 1 for a cube or 2 for one that arrives or falls, and 3 for an apple or 6 for one that arrives.
An entry of `holds` is 1 + f for a cube and 5 + f for an apple, with f = 0 if it is ahead of its holder in the
observer's view, 1 to the right, 2 behind and 3 to the left.

**Actions.** Discrete (8), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | rests |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `grasp` | takes a thing or lets go of it |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space grasps.

**Rewards.** +1 for an apple.

**Ends.** Truncated after `horizon` steps. Before that, the episode may terminate after step 1099 and every 100 steps
later, each time with probability `end_probability`. The reference does so at the same steps: its clock is one ahead of
its steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 3 | number of agents, from 1 to 16 |
| `horizon` | 5000 | steps until truncation, from 1 to 1,000,000 |
| `end_probability` | 0.1 | probability of an earlier end, from 0 to 1, see above |
| `renewing` | 4 | machines that give the cube back, from 0 to 5 |
| `doubling` | 4 | machines that give two apples, from 0 to 5 |

**Level.** ``{"map": [17 strings of 23 letters]}``: ``#`` wall, ``.`` floor, ``C`` a cube, ``c`` a cube with
probability 0.5; of a machine ``h`` the hopper, ``m`` the mouth below it, ``R`` (renewing) or ``T`` (doubling) the
dispenser right of it, ``b`` the belt and two ``s`` below this. Agents start on floor. Without a level, every episode
has a new map from `envsuite.social.factory_commons.levels`.

**Known values.** A commons: a cube in a renewing machine pays 1 again and again, and 2 once in a doubling one. `greedy`
agents use doubling machines, `steady` ones renewing machines. Sum of the rewards of three agents up to a step, mean
over 256 episodes, with standard errors up to 0.7:

| agents | step 100 | step 200 | step 500 | step 1000 |
|---|---|---|---|---|
| three random | 0.0 | 0.1 | 0.2 | 0.5 |
| three steady | 5.6 | 12.8 | 34.4 | 70.7 |
| two steady, one greedy | 7.6 | 16.0 | 37.3 | 55.2 |
| one steady, two greedy | 8.8 | 17.4 | 30.0 | 31.5 |
| three greedy | 9.4 | 17.1 | 22.0 | 22.1 |

Greed pays more at first: the more agents are greedy, the more they have in 100 steps. Then the cubes come to an end.
After 1000 steps, one greedy agent among three has 19.8 and each of the others 17.7; without it, each has 23.6.

**Differences.** From Melting Pot's `factory_commons__either_or`:

- Every episode has a new map with as many machines and cubes. There, the map is always the same.
- Symbols replace RGB pictures.
- The actions `pickup`, which does nothing there, and `hold`, `shove` and `pull`, with which agents move each other, are
  left out.
- Machines work independently. There, they share the note that a hopper is busy, so that a second machine only begins
  when the first has finished, but swallows cubes meanwhile.
- There, machines take what they give from a store, and two that work at the same time can take the same thing. So
  cubes and apples get lost, or come twice if an apple is eaten while a machine begins.
- There, an agent on a spot is paid two or three times for one apple, by the step in which it comes.
- There, one apple can pay two agents: the one that walks onto it, and its holder, who swings it onto another apple in
  the same step.
- There, a hopper that opens while a cube lies on its mouth looks closed for a step more.

**Source.** Agapiou et al., "Melting Pot 2.0", 2022; its code at commit 81ee2e7, and Lab2D's for the order of events.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import avatars
from envsuite.kit.avatars import BORDER, FLOOR, MOST_PLAYERS, MOVES, OUTSIDE, OWN, PLAYER, VIEW, WALL
from envsuite.kit.grid import BACKWARD, DX, DY, FORWARD, LEFT, RIGHT, ahead
from envsuite.kit.sight import look
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Line, Scene, Shape, apple, avatar
from envsuite.render.theme import agent_color
from envsuite.social.factory_commons import levels as factories
from envsuite.social.factory_commons import pages
from envsuite.social.factory_commons.levels import HEIGHT, LEGEND, MACHINES, MOST_OF_A_KIND, WIDTH, body, cube

ACTIONS = (*MOVES, "grasp")
GRASP = len(MOVES)

#: Codes of cells in addition to those of `envsuite.kit.avatars`: parts of machines. RENEWER and DOUBLER are dispensers.
HOPPER, OPEN, BUSY, RENEWER, DOUBLER, BELT, SPOT = 3, 4, 6, 7, 72, 73, 74

#: A cell of `goods` is a sum. Of its cube: none, one that lies there, arrives, or falls (5 to 3). Of its apple: none,
#: one that lies there, or arrives. `look` leaves such codes as they are.
LIES, ARRIVES, GONE, SWALLOWED = 1, 2, 3, 5
APPLE, ARRIVING_APPLE = 72, 80
CUBES, FRUITS = 7, 248

#: What an agent holds.
NOTHING, CUBE, FRUIT = range(3)

#: In `goods` of an observation: a cube, a cube that moves by itself, an apple, an apple that arrives.
SEEN_CUBE, SEEN_LOOSE, SEEN_APPLE, SEEN_LATE = 1, 2, 3, 6

#: Stamina at most; the least that is green; the least that shows no bar. The steps of a freeze below green, and at 0.
MOST, GREEN, FRESH = 18, 7, 13
_TIRED, _EXHAUSTED = 2, 6

#: Steps from a swallow until the hopper is ready again; what is left of them when the mouth closes, when products
#: arrive and lie, and when a renewing machine gives its apple.
CYCLE, _CLOSES, _GIVES, _LANDS, _GIVES_APPLE = 18, 13, 8, 7, 5

#: From the facing of an agent to the direction of its step, by action.
_WAYS = np.array([0, FORWARD, BACKWARD, LEFT, RIGHT])

_LIKELY = 0.5
_PAYS = 1.0

_CELLS = (HEIGHT + 2 * BORDER) * (WIDTH + 2 * BORDER)
#: What agents can enter if no cube is there, and where cubes have room if no other one is.
_, _FREE = avatars.tables(blocks=(HOPPER, RENEWER, DOUBLER))
_, _ROOM = avatars.tables(blocks=(RENEWER, DOUBLER))
_KIND = np.array([WALL, FLOOR, FLOOR, FLOOR, HOPPER, OPEN, BELT, RENEWER, DOUBLER, SPOT], np.uint8)
#: The letters of machines in pictures, `x` for a busy mouth.
_LETTERS = {HOPPER: "h", OPEN: "m", BUSY: "x", RENEWER: "R", DOUBLER: "T", BELT: "b", SPOT: "s"}


def _as_seen() -> np.ndarray:
    """(256,) what is seen of a cell of `goods`."""
    table = np.zeros(256, np.uint8)
    for fruit, seen in ((0, 0), (APPLE, SEEN_APPLE), (ARRIVING_APPLE, SEEN_LATE)):
        for state in range(SWALLOWED + 1):
            table[fruit + state] = seen + (0 if state == 0 else SEEN_CUBE if state == LIES else SEEN_LOOSE)
    return table


_AS_SEEN = _as_seen()


def fields(players: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *avatars.fields(players, HEIGHT, WIDTH, len(LEGEND)),
        *avatars.ground_fields(HEIGHT, WIDTH),
        ("goods", below(np.uint8, ARRIVING_APPLE + SWALLOWED + 1), (_CELLS,)),  # cubes and apples
        ("falling", within(np.int64, 0, HEIGHT * WIDTH)),  # cubes that fall
        ("holds", below(np.int64, 3), (players,)),  # NOTHING, CUBE or FRUIT
        ("side", below(np.int64, 4), (players,)),  # where this is: 0 east, 1 south, 2 west, 3 north of the agent
        ("stamina", below(np.int64, MOST + 1), (players,)),
        ("acted", flag(), (players,)),  # whether the last act while not tired cost stamina
        ("tired", within(np.int64, 0, _EXHAUSTED), (players,)),  # steps of a freeze
        ("machines", below(np.int64, MACHINES + 1)),  # number of machines
        ("mouth", avatars.cell_type(np.int64, HEIGHT, WIDTH), (MACHINES,)),  # of each, from the top
        ("doubles", flag(), (MACHINES,)),  # whether a machine gives two apples, and no cube
        ("clock", within(np.int64, 0, CYCLE), (MACHINES,)),  # steps until a hopper is ready
        ("due", flag(), (MACHINES, 2)),  # whether a product waits for room on the first and the second spot
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        factories.factory(s, s.map, s.params.renewing, s.params.doubling)
    avatars.lay(s, _KIND)
    avatars.begin(s)
    for k in range(_CELLS):
        s.ground[k] = s.cells[k]
        s.goods[k] = 0
    s.falling = s.machines = 0
    for m in range(MACHINES):
        s.mouth[m] = 0
        s.doubles[m] = 0
        s.clock[m] = 0
        s.due[m, 0] = s.due[m, 1] = 0
    for y in range(HEIGHT):
        for x in range(WIDTH):
            letter = np.int64(s.map[y, x])
            if letter == factories.CUBE or letter == factories.LIKELY and bernoulli(s, _LIKELY):
                s.goods[avatars.cell_at(s, y, x)] = LIES
            elif letter == factories.MOUTH:
                s.mouth[s.machines] = avatars.cell_at(s, y, x)
                s.doubles[s.machines] = s.map[y - 1, x + 1] == factories.DOUBLING
                s.machines += 1
    for a in range(s.at.shape[0]):
        s.holds[a] = NOTHING
        s.side[a] = 0
        s.stamina[a] = MOST
        s.acted[a] = 0
        s.tired[a] = 0
        settle(s, a)


@large_kernel
def settle(s, a):
    """Put an agent on a random free cell of bare floor."""
    left = 0
    for y in range(HEIGHT):
        for x in range(WIDTH):
            left += s.map[y, x] == factories.FLOOR and _FREE[s.cells[avatars.cell_at(s, y, x)]]
    left = randint(s, left)
    for y in range(HEIGHT):
        for x in range(WIDTH):
            cell = avatars.cell_at(s, y, x)
            if s.map[y, x] == factories.FLOOR and _FREE[s.cells[cell]]:
                if left == 0:
                    avatars.place(s, a, cell)
                    return
                left -= 1


@kernel
def step(s, actions, rewards):
    players = s.at.shape[0]
    shuffle(s, s.order, players)
    for k in range(players):
        if actions[s.order[k]] == GRASP:
            grasp(s, s.order[k])
    fall(s)
    for m in range(s.machines):
        work(s, m, rewards)
        swallow(s, m)
    for a in range(players):
        tire(s, a, actions[a])
    for k in range(players):
        a = s.order[k]
        if s.tired[a] == 0 and avatars.STEP_FORWARD <= actions[a] <= avatars.STEP_RIGHT:
            walk(s, a, actions[a], rewards)
    for k in range(players):
        a = s.order[k]
        if actions[a] == avatars.TURN_LEFT or actions[a] == avatars.TURN_RIGHT:
            turn(s, a, actions[a], rewards)
    for a in range(players):
        if s.holds[a] == CUBE and s.goods[held(s, a)] & CUBES == SWALLOWED - 1:
            s.holds[a] = NOTHING
    for m in range(s.machines):
        deliver(s, m, rewards)
    avatars.end(s)


@kernel
def held(s, a):
    """The cell of what an agent holds."""
    return s.at[a] + ahead(s.side[a], avatars.stride(s))


@kernel
def holder(s, cell, kind):
    """The agent that holds the cube or the apple on this cell, or -1."""
    for a in range(s.at.shape[0]):
        if s.holds[a] == kind and held(s, a) == cell:
            return a
    return -1


@kernel
def grasp(s, a):
    """An agent lets go of what it holds, or takes the apple ahead, and if there is none, the cube."""
    if s.holds[a] != NOTHING:
        s.holds[a] = NOTHING
        return
    cell = avatars.beyond(s, s.at[a], s.facing[a])
    state, fruit = s.goods[cell] & CUBES, s.goods[cell] & FRUITS
    kind = FRUIT if fruit != 0 else CUBE
    if (fruit == APPLE if kind == FRUIT else state == LIES) and holder(s, cell, kind) < 0:
        s.holds[a] = kind
        s.side[a] = s.facing[a]


@kernel
def fall(s):
    """Cubes that were swallowed fall for two steps; in the third they are gone."""
    if s.falling == 0:
        return
    for y in range(HEIGHT):
        for x in range(WIDTH):
            cell = avatars.cell_at(s, y, x)
            if s.goods[cell] & CUBES > GONE:
                s.goods[cell] -= 1
            elif s.goods[cell] & CUBES == GONE:
                s.goods[cell] -= GONE
                s.falling -= 1


@kernel
def work(s, m, rewards):
    """A step of a machine's work."""
    if s.clock[m] > 0:
        s.clock[m] -= 1
        if s.clock[m] == _GIVES:
            s.due[m, 0] = 1
            s.due[m, 1] |= s.doubles[m]
        elif s.clock[m] == _LANDS:
            land(s, spot(s, m, 0), rewards)
            land(s, spot(s, m, 1), rewards)
        elif s.clock[m] == _GIVES_APPLE and not s.doubles[m]:
            s.due[m, 1] = 1
        elif s.clock[m] == 0:
            avatars.show(s, s.mouth[m], OPEN)
    deliver(s, m, rewards)


@kernel
def spot(s, m, k):
    """The first or second spot of a machine."""
    return s.mouth[m] + 1 + (k + 1) * avatars.stride(s)


@kernel
def land(s, cell, rewards):
    """What arrived here lies now."""
    if s.goods[cell] & CUBES == ARRIVES:
        s.goods[cell] -= ARRIVES - LIES
    if s.goods[cell] & FRUITS == ARRIVING_APPLE:
        s.goods[cell] -= ARRIVING_APPLE - APPLE
        eat(s, cell, rewards)


@kernel
def deliver(s, m, rewards):
    """Put the products that wait on their spots, if these have room."""
    arrives = s.clock[m] == _GIVES
    for k in range(2):
        cell = spot(s, m, k)
        if s.due[m, k] and k == 0 and not s.doubles[m]:
            if s.goods[cell] & CUBES == 0 and _ROOM[s.cells[cell]]:
                s.goods[cell] += ARRIVES if arrives else LIES
                s.due[m, k] = 0
        elif s.due[m, k] and s.goods[cell] & FRUITS == 0:
            s.due[m, k] = 0
            if arrives:
                s.goods[cell] += ARRIVING_APPLE
            else:
                s.goods[cell] += APPLE
                eat(s, cell, rewards)


@kernel
def swallow(s, m):
    """A hopper takes the cube on its mouth, unless it is closed; one that is not ready makes nothing of it."""
    cell = s.mouth[m]
    if s.goods[cell] & CUBES == LIES and (s.clock[m] == 0 or s.clock[m] > _CLOSES):
        s.goods[cell] += SWALLOWED - LIES
        s.falling += 1
        if s.clock[m] == 0:
            s.clock[m] = CYCLE
            avatars.show(s, cell, BUSY)


@kernel
def tire(s, a, action):
    """A freeze ends, or begins after a walk with little stamina; walks cost stamina, other acts restore it."""
    if s.tired[a] > 0:
        s.tired[a] -= 1
    elif s.acted[a] and s.stamina[a] < GREEN:
        s.tired[a] = _EXHAUSTED if s.stamina[a] == 0 else _TIRED
    if s.tired[a] == 0:
        s.acted[a] = avatars.STEP_FORWARD <= action <= avatars.STEP_RIGHT
        if s.acted[a]:
            s.stamina[a] = max(s.stamina[a] - 1, 0)
        else:
            s.stamina[a] = min(s.stamina[a] + 1, MOST)


@kernel
def eat(s, cell, rewards):
    """The agent on this cell, if there is one, eats the apple that lies here."""
    code = np.int64(s.cells[cell])
    if s.goods[cell] & FRUITS == APPLE and PLAYER <= code < OWN:
        rewards[(code - PLAYER) >> 2] += _PAYS
        s.goods[cell] -= APPLE
        a = holder(s, cell, FRUIT)
        if a >= 0:
            s.holds[a] = NOTHING


@kernel
def carry(s, kind, cell, there):
    """Move a cube or an apple to another cell."""
    part = s.goods[cell] & (CUBES if kind == CUBE else FRUITS)
    s.goods[cell] -= part
    s.goods[there] += part


@large_kernel
def walk(s, a, action, rewards):
    """An agent walks one cell with what it holds, if both have room."""
    start, kind, thing = s.at[a], s.holds[a], held(s, a)
    there = avatars.beyond(s, start, s.facing[a] + _WAYS[action])
    after = thing + there - start
    if not _FREE[s.cells[there]] or (s.goods[there] & CUBES != 0 and not (kind == CUBE and there == thing)):
        return
    if kind == CUBE and (s.goods[after] & CUBES != 0 or not (after == start or _ROOM[s.cells[after]])):
        return
    if kind == FRUIT and (s.goods[after] & FRUITS != 0 or s.cells[after] == OUTSIDE):
        return
    avatars.leave(s, a)
    avatars.enter(s, a, there)
    if kind != NOTHING:
        carry(s, kind, thing, after)
        if kind == FRUIT:
            eat(s, after, rewards)
    eat(s, there, rewards)


@large_kernel
def turn(s, a, action, rewards):
    """An agent turns, unless it is tired, and swings what it holds to the front, or while it is tired to this side."""
    facing = s.facing[a] + (1 if action == avatars.TURN_RIGHT else 3) & 3
    if s.tired[a] == 0:
        avatars.move(s, a, action, _FREE)
    if s.holds[a] == NOTHING:
        return
    kind, thing, there = s.holds[a], held(s, a), avatars.beyond(s, s.at[a], facing)
    if kind == CUBE:
        room = s.goods[there] & CUBES == 0 and _ROOM[s.cells[there]]
    else:
        room = s.goods[there] & FRUITS == 0
    if room:
        carry(s, kind, thing, there)
        s.side[a] = facing
        if kind == FRUIT:
            eat(s, there, rewards)


@large_kernel
def observe(s, agent, out):
    view, goods = out["view"], out["goods"]
    avatars.watch(s, agent, view)
    row, wide = avatars.own_row(np.int64(VIEW)), avatars.stride(s)
    look(s.goods, wide, s.at[agent], s.facing[agent], VIEW - 1 - row, 0, 0, goods)
    for a in range(s.at.shape[0]):
        out.holds[a] = 0
        out.stamina[a] = 0
    for i in range(VIEW):
        for j in range(VIEW):
            goods[i, j] = _AS_SEEN[goods[i, j]]
            code = np.int64(view[i, j])
            if PLAYER <= code < OWN:
                a = (code - PLAYER) >> 2
                out.holds[a] = hand(s, a, agent)
                out.stamina[a] = min(s.stamina[a], FRESH)
    out.holds[agent] = hand(s, agent, agent)
    out.stamina[agent] = s.stamina[agent]


@kernel
def hand(s, a, viewer):
    """What an agent holds, and where, as the viewer sees it."""
    if s.holds[a] == NOTHING:
        return np.int64(0)
    return 4 * s.holds[a] - 3 + (s.side[a] - s.facing[viewer] & 3)


class FactoryCommons(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("commons",)
    verified = "Melting Pot itself in lock-step"
    variants = (dict(players=1, renewing=1, doubling=0), dict(players=5, renewing=5, doubling=5, horizon=1200))
    shown = "steady"
    keys = {**avatars.AvatarWorld.keys, "space": "grasp"}
    legend = LEGEND
    beams = False
    things = {
        OPEN: "Open mouths",
        BUSY: "Busy mouths",
        RENEWER: "Dispensers of an apple and the cube",
        DOUBLER: "Dispensers of two apples",
    }
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        players: Annotated[int, Between(1, MOST_PLAYERS)] = 3,
        horizon: Annotated[int, Between(1, 1_000_000)] = 5000,
        end_probability: Annotated[float, Between(0, 1)] = 0.1,
        renewing: Annotated[int, Between(0, MOST_OF_A_KIND)] = 4,
        doubling: Annotated[int, Between(0, MOST_OF_A_KIND)] = 4,
    ):
        self.players = players
        own = (players,)
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=Dict(
                {
                    "view": self.view_spaces(SPOT)["view"],
                    "goods": Box(0, SEEN_LATE + SEEN_LOOSE, self.view_shape, np.uint8),
                    "holds": Box(0, 8, own, np.uint8),
                    "stamina": Box(0, MOST, own, np.uint8),
                }
            ),
            fields=fields(players),
            params={
                "renewing": renewing,
                "doubling": doubling,
                "horizon": horizon,
                "end_after": 1000,
                "end_interval": 100,
                "end_probability": end_probability,
            },
            reward_range=(0.0, 3.0 + players),
        )

    @property
    def codes(self) -> tuple[int, ...]:
        return HOPPER, OPEN, BUSY, RENEWER, DOUBLER, BELT, SPOT

    def needs(self) -> dict[str, tuple[int, str]]:
        return {".": (self.players, "cells of bare floor")}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        if problem := factories.flaw(s.map):
            raise LevelError(f"{self.id}: the level's map {problem}")

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        if problem := factories.flaw(s.map):
            return f"the map {problem}"
        if s.away.any() or s.hit.any() or s.cooldown.any() or s.lit_count:
            return "there are beams, or agents that are away, where nobody fires"
        if not np.array_equal(ground, s.ground):
            return "the ground is not what is on the grid"
        mouths, count = avatars.cells_of(s, factories.MOUTH), int(s.machines)
        if list(s.mouth) != [*mouths, *[0] * (MACHINES - len(mouths))] or count != len(mouths):
            return "mouth does not list the machines"
        letters = np.full(ground.shape, OUTSIDE)
        inside = letters.reshape(HEIGHT + 2 * BORDER, -1)[BORDER:-BORDER, BORDER:-BORDER]
        inside[:] = _KIND[s.map]
        letters[s.mouth[:count][s.clock[:count] > 0]] = BUSY
        if (ground != letters).any():
            return "the ground is not that of the map, with a busy mouth where a machine works"
        doubles = letters[s.mouth[:count] + 1 - avatars.stride(s)] == DOUBLER
        if (s.doubles[:count] != doubles).any() or s.doubles[count:].any():
            return "doubles is not what the map says"
        if s.clock[count:].any() or s.due[count:].any():
            return "a machine works that is not there"
        return self._misplaced_goods(s, letters)

    def _misplaced_goods(self, s: Any, ground: np.ndarray) -> str | None:
        """What does not go together of cubes, apples and agents that hold some."""
        cubes, apples = s.goods & CUBES, s.goods & FRUITS
        if (cubes > SWALLOWED).any() or not np.isin(apples, (0, APPLE, ARRIVING_APPLE)).all():
            return "there is something that is neither a cube nor an apple"
        if np.isin(ground[cubes > 0], (OUTSIDE, WALL, RENEWER, DOUBLER)).any() or (cubes[s.at] > 0).any():
            return "a cube is where none can be"
        if (ground[apples > 0] == OUTSIDE).any():
            return "an apple is outside of the map"
        if s.falling != (cubes >= GONE).sum():
            return "falling is not the number of cubes that fall"
        giving = [int(spot(s, m, k)) for m in np.flatnonzero(s.clock == _GIVES) for k in range(2)]
        if not np.isin(np.flatnonzero((cubes == ARRIVES) | (apples == ARRIVING_APPLE)), giving).all():
            return "something arrives where no machine gives anything"
        hands = [(int(held(s, a)), int(s.holds[a])) for a in np.flatnonzero(s.holds).tolist()]
        for cell, kind in hands:
            if not (cubes[cell] in (LIES, SWALLOWED) if kind == CUBE else apples[cell] == APPLE):
                return "an agent holds what is not there"
        return "two agents hold the same" if len(set(hands)) < len(hands) else None

    def state_space(self) -> Box:
        """Codes of the whole map, and what lies on it, as in an agent's view."""
        return Box(0, self.highest, (2, HEIGHT, WIDTH), np.uint8)

    def state(self, records: np.ndarray, observations: np.ndarray) -> np.ndarray:
        shape = -1, HEIGHT + 2 * BORDER, WIDTH + 2 * BORDER
        grids = np.stack([records["cells"].reshape(shape), _AS_SEEN[records["goods"].reshape(shape)]], 1)
        return grids[:, :, BORDER:-BORDER, BORDER:-BORDER].copy()

    def text(self, s: Any, agent: int) -> str:
        seen, own = self.observation(s, agent), avatars.own_row(VIEW)
        goods, hands = np.asarray(seen["goods"]), np.asarray(seen["holds"])
        view, stamina = np.asarray(seen["view"]), np.asarray(seen["stamina"])
        places = sorted(np.argwhere(goods).tolist(), key=lambda at: abs(at[0] - own) + abs(at[1] - avatars.MIDDLE))
        found: dict[str, list[str]] = {"Cubes": [], "Apples": []}
        for i, j in places:
            where = avatars.place_in_words(own - i, j - avatars.MIDDLE)
            fruit, state = divmod(int(goods[i, j]), SEEN_APPLE)
            if state:
                found["Cubes"].append(where + (", in motion" if state == SEEN_LOOSE else ""))
            if fruit:
                found["Apples"].append(where + (", in motion" if fruit == SEEN_LATE // SEEN_APPLE else ""))
        lines = [f"{what}: {'; '.join(where) if where else 'none in view'}." for what, where in found.items()]
        others = np.unique((view[(view >= PLAYER) & (view < OWN)].astype(int) - PLAYER) >> 2)
        states = [f"{self.agents[a]} {_condition(int(stamina[a]), int(hands[a]), FRESH)}" for a in others]
        lines.append(f"Their condition: {'; '.join(states) if states else 'nobody in view'}.")
        return "\n".join([super().text(s, agent), *lines])

    def status(self, s: Any, agent: int) -> str:
        return f"Your condition: {_condition(int(s.stamina[agent]), int(hand(s, agent, agent)), MOST)}."

    def figure(self, s: Any, a: int, viewer: int | None, x: float, y: float, facing: int) -> list[Shape]:
        """Bars show a stamina below 13, an arm what an agent holds."""
        shapes: list[Shape] = []
        if s.holds[a]:
            way = int(s.side[a] - s.facing[a] + facing) & 3
            shapes.append(Line([(x, y), (x + 0.7 * DX[way], y + 0.7 * DY[way])], "black", 0.14))
        shapes += avatar(x, y, facing, agent_color(a), text=str(a))
        return shapes + avatars.stamina_bar(x, y, int(s.stamina[a]), GREEN, FRESH)

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        scene.add(*body(x, y, _LETTERS[code]))

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The map or a view, with cubes and apples; what is in motion is small."""
        scene, tops = super().scene(s, agent), []
        if agent is None:
            grid = _AS_SEEN[np.asarray(s.goods)].reshape(HEIGHT + 2 * BORDER, -1)[BORDER:-BORDER, BORDER:-BORDER]
        else:
            grid = np.asarray(self.observation(s, agent)["goods"])
        for y, x in np.argwhere(grid).tolist():
            fruit, state = divmod(int(grid[y, x]), SEEN_APPLE)
            if state:
                tops += cube(x + 0.5, y + 0.5, 1.0 if state == SEEN_CUBE else 0.6)
            if fruit:
                tops += apple(x + 0.5, y + 0.5, 1.0 if fruit == 1 else 0.6)
        scene.add(*tops)
        return scene

    def tally(self, grid: np.ndarray) -> list[tuple[int, str, int]]:
        return []


def _condition(stamina: int, hand: int, most: int) -> str:
    """A stamina and what an agent holds, in words; a stamina of `most` may be more."""
    words = f"stamina {stamina}{' or more' if stamina == most and most < MOST else ''}"
    if not hand:
        return words
    kind, way = divmod(hand - 1, 4)
    place = ("ahead", "to the right", "behind", "to the left")[way]
    return f"{words}, holds {('a cube', 'an apple')[kind]} ({place} in your view)"


env, raw_env, parallel_env = pettingzoo_forms(FactoryCommons)
