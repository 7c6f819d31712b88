"""Paintball: two teams shoot each other and paint the floor; they capture flags or hold a hill (Melting Pot).

**Rules.** The agents of red and blue walk a map of 21 x 21 cells. Two shots leave a beam in the team's paint:

- The *short shot* reaches the three cells ahead, and the cell on each side of the agent with the two cells ahead of
  it. It also paints the agent's own cell. The agent can shoot again from the third step after it on.
- The *long shot* reaches the six cells ahead. It needs an agent that did not walk in the step before. The agent can
  shoot again from the fifth step after it on.

Things that happen to agents and the map:

- *Paint.* Beams paint the floor that they go over. On paint of the other team an agent can neither walk nor turn, but
  shoot. So it can walk onto such paint, but is then stuck until a beam of its team paints its cell.
- *Health.* Agents begin with a health of 2. In each step, with probability `regeneration`, it grows by 1, up to 3 on
  own paint, 1 on paint of the other team, and else 2. Nothing but hits lowers it.
- *Hits.* A beam that hits an agent of the other team takes 1 health. At 0 the agent is out, and the beam ends there.
  Beams go on behind agents that stay, and behind members of the own team, whom they do not hurt.
- *Return.* An agent that is out is away for `respawn` steps and one more. It returns with a health of 2 to a random
  start of its team. Shots do not cool down while it is away.
- *Walls* end beams. So does a *barrier* until the fifth beam hits it: this beam destroys it and flies on. After three
  hits, the barrier is damaged. The rubble that it leaves can be walked over, but not painted.
- *Signs* on the outer walls and in the middle of the map show who is ahead, see below. The middle cell can be
  walked over, but not painted.

**Mode flags.** Each team has a flag at its base.

- An agent that comes to the flag of the other team takes it. If it is hit out, the flag lies where it was.
- If a team's flag lies elsewhere, an agent of this team that comes to it sends it home, unless the other flag lies at
  this base.
- An agent that carries the other flag, and is at its own base while its own flag lies there, captures: it comes there,
  or the flag does. Both flags are back at their bases after the next step.

**Mode hill.** The cells of the hill are counted at the beginning of each step. If at least 80 % have the paint of one
team, it takes the hill, and all its cells get its paint. It holds the hill until less than half of the cells have its
paint.

**Order.** Within a step:

1. The hill pays by the paint that the step before has left; health grows.
2. All agents walk and turn, in random order. If several want a cell, a random one gets it. Then flags are taken, sent
   home and captured.
3. Agents paint the cells below them; a team that took the hill paints it; then beams fly in random order, and the
   last one to a cell gives the paint. Agents that are out in this step still shoot in it.
4. Agents return; flags of a capture return; agents that were hit leave, and flags that they carried lie there. An agent
   that found all starts taken then looks again, and again in the next step.

**Agents.** `red_0` and so on, then `blue_0` and so on; `team` of each.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below; all zero while it is away |
| floor | Box (11, 11) uint8 | paint, marks, flags and beams on the same cells, see below |
| sign | Box (1,) uint8 | what a sign in view shows, see below; 0 without one |
| health | Box (agents,) uint8 | of agents in view and of itself; others 0 |
| carries | Box (agents,) uint8 | of the same: 1 for those with a flag |
| teams | Box (agents,) uint8 | 1 for the own team, 2 for the other |
| ready | Box (1,) float32 | 1 if the agent can shoot, less while it waits, 0 while it is away |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 3 | barrier |
| 4 | damaged barrier |
| 5 | the agent itself |
| 6 | rubble |
| 7 | the sign in the middle |
| 8 + 4 k + f | agent k, red first; f is 0 if it faces as the observer does, 1 right of that, 2 back, 3 left |

A cell of `floor` is a sum: 1 for paint of the own team or 2 for that of the other; 4 for a base or the hill; 8 for a
flag of the own team that lies there, 16 for the other's; 32 for a beam of the own team in this step, 64 for one of the
other's. A flag that somebody carries is in `carries`.

| sign | mode flags | mode hill |
|---|---|---|
| 1 | only the flag of the own team is at its base | the own team holds the hill |
| 2 | only the flag of the other team is | the other team holds it |
| 3 | both are | nobody holds it |
| 4 | neither is | |

**Actions.** Discrete (9), all of them always legal. While an agent is away, they have no effect.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `short shot` | |
| 8 | `long shot` | |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space is the short shot, l the long one.

**Rewards.** In mode flags, a capture is +1 for each agent of the team, and -1 for each of the other. In mode hill, each
step in which a team holds the hill is the same. Agents that are away are paid too.

**Ends.** Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `mode` | flags | capture the flag, or hill: king of the hill |
| `team` | 4 | agents of each team, from 1 to 8 |
| `horizon` | 1000 | steps until truncation, from 1 to 1,000,000 |
| `respawn` | 80 | steps for which an agent that was hit out is away, less one, from 0 to 1,000,000 |
| `regeneration` | 0.05 | probability that health grows in a step, from 0 to 1 |

**Level.** ``{"map": [21 strings of 21 letters]}``: ``#`` wall, ``.`` floor, ``r`` and ``b`` starts of red and blue,
``R`` and ``B`` their bases, ``o`` the hill, ``s`` the sign in the middle; ``d`` a barrier that stands at the start of
an episode with probability 0.9, and ``h`` one with 0.75; else there is rubble. Without a level, every episode has a new
map from `envsuite.gridworlds.paintball.levels`.

**Known values.** All rewards of a step add up to 0. In 1000 steps of random play, mean +- standard error:

| | steps in which a team holds the hill | share of agents that are away, mode hill | captures, mode flags |
|---|---|---|---|
| Melting Pot, 64 episodes of hill and 12 of flags | 338 +- 22 | 2.3 +- 0.2 % | 0 |
| this world with Melting Pot's maps as levels, 64 | 328 +- 28 | 2.0 +- 0.2 % | 0 |
| this world, 64 | 394 +- 24 | 4.9 +- 0.2 % | 0 |

**Differences.** From Melting Pot's `paintball__capture_the_flag` and `paintball__king_of_the_hill`:

- Every episode has a new map. There, the map is always the same, but for the barriers that stand.
- Symbols replace RGB pictures. What is below an agent is seen too.
- The signs are on the outer walls themselves. There, they are one cell farther out, so the map has 23 x 23 cells.
- `health` and `sign` show what is. There, the colors of hit agents and, in mode flags, of signs follow a step later.
- There, `ready` is 1 less half of the steps that are left, so -1 after a long shot; here 1 less a quarter of them.
- There, red agents have even numbers and blue ones odd numbers. Here, all red agents come first.
- There, the health of an agent that is about to return can grow by the paint where it was hit, so that it returns
  with 3, but looks as with 2.
- Agents are numbered in pictures, and `carries` and `health` are by agent. There, agents of a team look alike.

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
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.core.ranges import among, below, flag, within
from envsuite.core.world import Between, Kernels
from envsuite.gridworlds.paintball import levels as yards
from envsuite.gridworlds.paintball import pages, view
from envsuite.gridworlds.paintball.levels import FLAGS, LEGEND, MODES, SIZE, Mode, mode_of
from envsuite.gridworlds.paintball.view import (
    BARRIER,
    DAMAGED,
    MARK,
    NAMES,
    OTHER_BEAM,
    OTHER_FLAG,
    OTHER_PAINT,
    OWN_BEAM,
    OWN_FLAG,
    OWN_PAINT,
    RUBBLE,
    SIGN,
)
from envsuite.kit import avatars
from envsuite.kit.avatars import BORDER, FLOOR, MIDDLE, MOVES, OUTSIDE, OWN, PLAYER, VIEW, WALL
from envsuite.kit.sight import look
from envsuite.registry import pettingzoo_forms

ACTIONS = (*MOVES, "short shot", "long shot")
SHORT, LONG = len(MOVES), len(MOVES) + 1

#: Length, radius and steps of rest of a shot.
_LENGTH, _RADIUS, _REST = (0, 3, 6), (0, 1, 0), (0, 2, 4)
LONGEST_REST = 4

#: In the place of a shot: in this step, an agent was to return, but found no free start.
NO_START = 3

#: Health at the start, at most, and by the paint below an agent: none, own, the other's.
HEALTH, MOST_HEALTH = 2, 3
_HEALTHIEST = (2, 3, 1)

#: Health of barriers, and the one at which they are damaged; how often they stand at the start.
STRENGTH, _WEAK = 5, 2
_STANDS = (0.9, 0.75)

#: The shares of the hill with which a team takes it and below which it loses it, in hundredths.
_TAKES, _LOSES = 80, 50

#: Bits of a cell of `paint`: 1 red or 2 blue, MARK, the beams of red and of blue. `look` leaves such codes as they are.
_BEAMS = (128, 72)
_PLAIN = 7

_CELLS = (SIZE + 2 * BORDER) * (SIZE + 2 * BORDER)
_, _FREE = avatars.tables(blocks=(BARRIER, DAMAGED))
_KIND = np.array([WALL, FLOOR, BARRIER, BARRIER, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR, SIGN], np.uint8)
_START = (yards.RED_START, yards.BLUE_START)


def _as_seen() -> np.ndarray:
    """(2, 256) what a team sees of a cell of `paint`, by its bits."""
    table = np.zeros((2, 256), np.uint8)
    for code in range(256):
        paint, beams = code & 3, [code & bits == bits for bits in _BEAMS]
        for team in range(2):
            seen = code & MARK
            if paint in (1, 2):
                seen += OWN_PAINT if paint == team + 1 else OTHER_PAINT
            table[team, code] = seen + OWN_BEAM * beams[team] + OTHER_BEAM * beams[1 - team]
    return table


_AS_SEEN = _as_seen()


def fields(players: int) -> list[tuple]:
    """The record's own fields, for this number of agents in all."""
    place = avatars.cell_type(np.int64, SIZE, SIZE)
    return [
        *avatars.fields(players, SIZE, SIZE, len(LEGEND)),
        ("paint", below(np.uint8, sum(_BEAMS) + _PLAIN + 1), (_CELLS,)),  # paint, marks and beams, see `_BEAMS`
        ("strength", below(np.uint8, STRENGTH + 1), (_CELLS,)),  # health of barriers
        ("health", within(np.int64, 0, MOST_HEALTH), (players,)),
        ("before", place, (players,)),  # where an agent was at the beginning of the last step in which it was there
        ("shot", below(np.int64, 4), (players,)),  # in this step: 1 short, 2 long; or NO_START
        *avatars.list_fields("hill_count", "hill", SIZE, SIZE),  # cells of the hill
        ("holder", within(np.int64, -1, 1)),  # the team that holds the hill, or -1
        ("base", place, (2,)),  # of each team
        ("flag", place, (2,)),  # where each team's flag is
        ("carrier", within(np.int64, -1, players - 1), (2,)),  # who carries a team's flag, or -1
        ("gone", flag()),  # whether the flags of a capture are not back yet
    ]


@kernel
def team_of(s, a):
    """0 for red, 1 for blue."""
    return 1 if 2 * a >= s.at.shape[0] else 0


@kernel
def paint_at(s, cell):
    """0 for none, 1 for red, 2 for blue."""
    return np.int64(s.paint[cell] & 3)


@large_kernel
def reset(s):
    if not s.level_given:
        yards.paint_yard(s, s.map, s.params.mode)
    avatars.lay(s, _KIND)
    s.hill_count = avatars.list_spots(s, s.hill, yards.HILL)
    fill(s.paint, 0)
    fill(s.strength, 0)
    s.base[0] = s.base[1] = 0
    for y in range(SIZE):
        for x in range(SIZE):
            letter, cell = np.int64(s.map[y, x]), avatars.cell_at(s, y, x)
            if letter == yards.DOOR or letter == yards.HEDGE:
                if bernoulli(s, _STANDS[letter - yards.DOOR]):
                    s.strength[cell] = STRENGTH
                else:
                    s.cells[cell] = RUBBLE
            elif letter == yards.RED_BASE or letter == yards.BLUE_BASE:
                s.base[letter - yards.RED_BASE] = cell
                s.paint[cell] = MARK
            elif letter == yards.HILL:
                s.paint[cell] = MARK
    s.holder = -1
    s.gone = 0
    for f in range(2):
        s.flag[f] = s.base[f]
        s.carrier[f] = -1
    avatars.begin(s)
    for a in range(s.at.shape[0]):
        s.health[a] = HEALTH
        s.shot[a] = 0
        settle(s, a)
        s.before[a] = s.at[a]


@large_kernel
def settle(s, a):
    """Put an agent on a free start of its team; return whether there is one."""
    letter, left = _START[team_of(s, a)], 0
    for y in range(SIZE):
        for x in range(SIZE):
            left += s.map[y, x] == letter and _FREE[s.cells[avatars.cell_at(s, y, x)]]
    if left == 0:
        return False
    left = randint(s, left)
    for y in range(SIZE):
        for x in range(SIZE):
            cell = avatars.cell_at(s, y, x)
            if s.map[y, x] == letter and _FREE[s.cells[cell]]:
                if left == 0:
                    avatars.place(s, a, cell)
                    return True
                left -= 1
    return False


@kernel
def step(s, actions, rewards):
    players, gone = s.at.shape[0], s.gone
    clear_beams(s)
    taken = hold(s, rewards)
    recover(s)
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        s.shot[a] = 0
        if s.away[a] == 0:
            act(s, a, actions[a], rewards)
    send_home(s, rewards)
    for a in range(players):
        if s.shot[a] == 1 and s.under[a] == FLOOR:
            color(s, s.at[a], team_of(s, a))
    if taken >= 0:
        for k in range(s.hill_count):
            color(s, s.hill[k], taken)
    shuffle(s, s.order, players)
    for k in range(players):
        if s.shot[s.order[k]] > 0:
            shoot(s, s.order[k])
    come_back(s, rewards)
    if gone:
        s.gone = 0
        for f in range(2):
            visit(s, s.flag[f], rewards)
    for a in range(players):
        if s.hit[a]:
            drop(s, a)
    avatars.take_out(s, s.params.respawn)
    for a in range(players):
        if s.shot[a] == NO_START:
            enter(s, a, rewards)
    send_home(s, rewards)
    if s.t >= s.params.horizon:
        fill(s.truncated, 1)


@kernel
def clear_beams(s):
    """The beams of the last step are gone."""
    for k in range(s.lit_count):
        s.paint[s.lit[k]] &= _PLAIN
    s.lit_count = 0


@kernel
def hold(s, rewards):
    """Who holds the hill, and what it pays; the team that takes it now, or -1."""
    taken = np.int64(-1)
    if s.hill_count == 0:
        return taken
    red = blue = 0
    for k in range(s.hill_count):
        paint = paint_at(s, s.hill[k])
        red += paint == 1
        blue += paint == 2
    if 100 * red >= _TAKES * s.hill_count and s.holder != 0:
        taken = np.int64(0)
    elif 100 * blue >= _TAKES * s.hill_count and s.holder != 1:
        taken = np.int64(1)
    if taken >= 0:
        s.holder = taken
    elif s.holder >= 0 and 100 * (red if s.holder == 0 else blue) < _LOSES * s.hill_count:
        s.holder = -1
    if s.holder >= 0:
        pay(s, s.holder, rewards)
    return taken


@kernel
def pay(s, team, rewards):
    """Each of this team gets 1, each of the other loses 1."""
    for a in range(s.at.shape[0]):
        rewards[a] += 1.0 if team_of(s, a) == team else -1.0


@kernel
def recover(s):
    """Health grows now and then, by the paint below."""
    for a in range(s.at.shape[0]):
        if s.away[a] == 0 and bernoulli(s, s.params.regeneration):
            paint = paint_at(s, s.at[a])
            most = _HEALTHIEST[0 if paint == 0 else 1 if paint == team_of(s, a) + 1 else 2]
            if s.health[a] < most:
                s.health[a] += 1


@kernel
def act(s, a, action, rewards):
    """An agent gets ready to shoot, or walks or turns, unless it stands on paint of the other team."""
    start = s.at[a]
    stood = s.before[a] == start
    s.before[a] = start
    if s.cooldown[a] > 0:
        s.cooldown[a] -= 1
    elif action == SHORT or (action == LONG and stood):
        s.shot[a] = action - SHORT + 1
        s.cooldown[a] = _REST[s.shot[a]]
    if paint_at(s, start) != 2 - team_of(s, a):
        avatars.move(s, a, action, _FREE)
        if s.at[a] != start:
            for f in range(2):
                if s.carrier[f] == a:
                    s.flag[f] = s.at[a]
            visit(s, s.at[a], rewards)


@kernel
def lies(s, f):
    """Whether a team's flag lies somewhere."""
    return s.params.mode == FLAGS and s.carrier[f] < 0 and not s.gone


@large_kernel
def visit(s, cell, rewards):
    """An agent came to a cell, or a flag did: the agent takes the other flag, or captures."""
    if s.cells[cell] < PLAYER:
        return
    a = (np.int64(s.cells[cell]) - PLAYER) >> 2
    own = team_of(s, a)
    if lies(s, 1 - own) and s.flag[1 - own] == cell:
        s.carrier[1 - own] = a
    if s.carrier[1 - own] == a and lies(s, own) and s.flag[own] == cell and s.base[own] == cell:
        pay(s, own, rewards)
        s.gone = 1
        for f in range(2):
            s.carrier[f] = -1
            s.flag[f] = s.base[f]


@large_kernel
def send_home(s, rewards):
    """Flags go home from cells in which an agent of their team is, unless the other flag lies there."""
    for k in range(4):  # twice: one flag may lie at the other's base
        f = k & 1
        code = np.int64(s.cells[s.flag[f]])
        if lies(s, f) and s.flag[f] != s.base[f] and code >= PLAYER and team_of(s, (code - PLAYER) >> 2) == f:
            if not (lies(s, 1 - f) and s.flag[1 - f] == s.base[f]):
                s.flag[f] = s.base[f]
                visit(s, s.base[f], rewards)


@kernel
def drop(s, a):
    """The flag that an agent carries lies where it is."""
    for f in range(2):
        if s.carrier[f] == a:
            s.carrier[f] = -1


@kernel
def color(s, cell, team):
    """Give a cell of the floor a team's paint."""
    s.paint[cell] = s.paint[cell] & 252 | team + 1


@kernel
def shoot(s, a):
    """The beam of an agent: a ray on each side of it, from the cell beside it on, and one ahead."""
    length, facing = _LENGTH[s.shot[a]], s.facing[a]
    for side in range(1, 4, 2):
        if _RADIUS[s.shot[a]] > 0:
            ray(s, avatars.beyond(s, s.at[a], facing + side), facing, length, team_of(s, a))
    ray(s, avatars.beyond(s, s.at[a], facing), facing, length, team_of(s, a))


@large_kernel
def ray(s, cell, facing, length, team):
    """A beam goes from this cell on, until something stops it."""
    for _ in range(length):
        if stops(s, cell, team):
            break
        if s.paint[cell] <= _PLAIN:
            s.lit[s.lit_count] = cell
            s.lit_count += 1
        s.paint[cell] |= _BEAMS[team]
        cell = avatars.beyond(s, cell, facing)


@large_kernel
def stops(s, cell, team):
    """A beam hits what is in a cell and paints its floor; return whether it ends there."""
    code = np.int64(s.cells[cell])
    if code == WALL:
        return True
    if code == BARRIER or code == DAMAGED:
        s.strength[cell] -= 1
        if s.strength[cell] == 0:
            s.cells[cell] = RUBBLE
        elif s.strength[cell] <= _WEAK:
            s.cells[cell] = DAMAGED
        return s.strength[cell] > 0
    if code == FLOOR:
        color(s, cell, team)
    if code < PLAYER:
        return False
    victim = (code - PLAYER) >> 2
    if s.under[victim] == FLOOR:
        color(s, cell, team)
    if team_of(s, victim) == team:
        return False
    s.health[victim] = max(s.health[victim] - 1, 0)
    if s.health[victim] == 0:
        s.hit[victim] = 1
    return s.health[victim] == 0


@kernel
def come_back(s, rewards):
    """Count the steps that agents are away, and put them on a start of their team when they are over."""
    for a in range(s.at.shape[0]):
        if s.away[a] > 0:
            s.away[a] -= 1
            if s.away[a] == 0:
                enter(s, a, rewards)


@kernel
def enter(s, a, rewards):
    """Put an agent on a free start, or let it wait for one."""
    if settle(s, a):
        s.away[a] = 0
        s.health[a] = HEALTH
        s.shot[a] = 0
        visit(s, s.at[a], rewards)
    else:
        s.away[a] = 1
        s.shot[a] = NO_START


@kernel
def at_base(s, f):
    """Whether a team's flag is at its base."""
    return s.carrier[f] < 0 and s.flag[f] == s.base[f]


@kernel
def sign(s, own):
    """What signs show to a team."""
    if s.params.mode == FLAGS:
        mine, other = at_base(s, own), at_base(s, 1 - own)
        return (3 if other else 1) if mine else (2 if other else 4)
    return 3 if s.holder < 0 else 1 if s.holder == own else 2


@large_kernel
def observe(s, agent, out):
    view, floor, own, there = out["view"], out["floor"], team_of(s, agent), s.away[agent] == 0
    avatars.watch(s, agent, view)
    for a in range(s.at.shape[0]):
        out.health[a] = 0
        out.carries[a] = 0
        out.teams[a] = 1 if team_of(s, a) == own else 2
    out.sign[0] = 0
    out.ready[0] = avatars.readiness(s, agent, LONGEST_REST)
    if not there:
        for i in range(VIEW):
            for j in range(VIEW):
                floor[i, j] = 0
    else:
        row, wide = avatars.own_row(np.int64(VIEW)), avatars.stride(s)
        look(s.paint, wide, s.at[agent], s.facing[agent], VIEW - 1 - row, 0, 0, floor)
        signs = s.under[agent] == SIGN
        reveal(s, agent, out)
        for i in range(VIEW):
            for j in range(VIEW):
                floor[i, j] = _AS_SEEN[own, floor[i, j]]
                code = np.int64(view[i, j])
                signs |= code == SIGN
                if PLAYER <= code < OWN:
                    reveal(s, (code - PLAYER) >> 2, out)
                    signs |= s.under[(code - PLAYER) >> 2] == SIGN
        y, x = s.at[agent] // wide - BORDER, s.at[agent] % wide - BORDER
        for f in range(2):
            if lies(s, f):
                down, right = s.flag[f] // wide - BORDER - y, s.flag[f] % wide - BORDER - x
                i, j = seen_from(s, agent, down, right)
                if 0 <= i < VIEW and 0 <= j < VIEW:
                    floor[i, j] += OWN_FLAG if f == own else OTHER_FLAG
        # Signs are on all outer walls: one is in view if the edge of the map ahead, behind or at a side is.
        for k in range(4):
            reach = row if k == 0 else VIEW - 1 - row if k == 2 else MIDDLE
            way = (s.facing[agent] + k) & 3
            edge = SIZE - 1 - x if way == 0 else SIZE - 1 - y if way == 1 else x if way == 2 else y
            signs |= edge <= reach
        if signs:
            out.sign[0] = sign(s, own)


@kernel
def reveal(s, a, out):
    """Write what is seen of an agent in view."""
    out.health[a] = s.health[a]
    out.carries[a] = s.carrier[0] == a or s.carrier[1] == a


@kernel
def seen_from(s, agent, down, right):
    """The row and column of a view at which a cell is that is this far away on the map."""
    facing = s.facing[agent]
    ahead = right if facing == 0 else down if facing == 1 else -right if facing == 2 else -down
    aside = down if facing == 0 else -right if facing == 1 else -down if facing == 2 else right
    return avatars.own_row(np.int64(VIEW)) - ahead, MIDDLE + aside


class Paintball(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)

    kind = ("teams", "commons")
    verified = "Melting Pot itself in lock-step, in both modes"
    variants = (dict(mode="hill", team=2, respawn=3), dict(team=1, regeneration=1.0))
    shown = "raider"
    keys = {**avatars.AvatarWorld.keys, "space": "short shot", "l": "long shot"}
    legend = LEGEND
    beams = False
    things = {BARRIER: "Barriers", DAMAGED: "Damaged barriers", RUBBLE: "Rubble", SIGN: "Sign"}
    scene = view.scene
    text = view.text
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        mode: Mode = "flags",
        team: Annotated[int, Between(1, 8)] = 4,
        horizon: Annotated[int, Between(1, 1_000_000)] = 1000,
        respawn: Annotated[int, Between(0, 1_000_000)] = 80,
        regeneration: Annotated[float, Between(0, 1)] = 0.05,
    ):
        self.team, self.players = team, 2 * team
        if team == 1:
            self.utility = "zero-sum"
        own = (self.players,)
        views = self.view_spaces(SIGN)
        self.define(
            agents=[f"{name}_{a}" for name in NAMES for a in range(team)],
            actions=ACTIONS,
            observation=Dict(
                {
                    "view": views["view"],
                    "floor": Box(0, 127, self.view_shape, np.uint8),
                    "sign": Box(0, 4, (1,), np.uint8),
                    "health": Box(0, MOST_HEALTH, own, np.uint8),
                    "carries": Box(0, 1, own, np.uint8),
                    "teams": Box(1, 2, own, np.uint8),
                    "ready": views["ready"],
                }
            ),
            fields=fields(self.players),
            params={
                "mode": among(MODES, mode),
                "respawn": respawn,
                "regeneration": float(regeneration),
                "horizon": horizon,
            },
            reward_range=(-1.0, 1.0),
        )

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"r": (self.team, "starts of red"), "b": (self.team, "starts of blue")}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        if problem := _unfit(s):
            raise LevelError(f"{self.id}: the level's map {problem}")

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        if problem := _unfit(s):
            return f"the map {problem}"
        bases = np.concatenate([avatars.cells_of(s, yards.RED_BASE + f) for f in range(2)])
        hill = avatars.cells_of(s, yards.HILL)
        if list(s.base) != (list(bases) or [0, 0]):
            return "base does not say where the bases are"
        if not avatars.are_listed(s.hill, s.hill_count, hill):
            return "hill does not list the cells of the hill"
        kinds = np.full(ground.shape, OUTSIDE)
        kinds.reshape(SIZE + 2 * BORDER, -1)[BORDER:-BORDER, BORDER:-BORDER] = _KIND[s.map]
        barriers = kinds == BARRIER
        if (ground != kinds)[~barriers].any():
            return "the ground is not that of the map"
        strength = np.asarray(s.strength)
        states = np.select([strength > _WEAK, strength > 0], [BARRIER, DAMAGED], RUBBLE)
        if (states != ground)[barriers].any() or strength[~barriers].any():
            return "barriers do not look as strong as they are"
        paint = np.asarray(s.paint)
        plain, lit = paint & 3, paint > _PLAIN
        marks = np.zeros(ground.shape, bool)
        marks[hill] = True
        marks[bases] = True
        beams = paint - (paint & _PLAIN)
        if (plain == 3).any() or (plain > 0)[ground != FLOOR].any() or ((paint & MARK > 0) != marks).any():
            return "paint or a mark is where none can be"
        if (
            not np.isin(beams, (0, _BEAMS[0], _BEAMS[1], sum(_BEAMS))).all()
            or np.isin(ground[lit], (OUTSIDE, WALL)).any()
        ):
            return "a beam is where none can be"
        if s.lit_count != lit.sum() or not avatars.are_listed(s.lit, s.lit_count, np.flatnonzero(lit)):
            return "lit does not list the cells with beams"
        here = s.away == 0
        if (s.shot[here] == NO_START).any():
            return "an agent that is here looks for a start"
        if (s.health[here] == 0).any() or (s.cooldown > LONGEST_REST).any():
            return "an agent is here without health, or has to rest too long"
        return self._misplaced_flags(s, ground)

    def _misplaced_flags(self, s: Any, ground: np.ndarray) -> str | None:
        """What does not go together of flags."""
        if mode_of(s) == "hill":
            unused = s.gone or (s.carrier >= 0).any() or s.flag.any()
            return "there are flags in mode 'hill'" if unused else None
        if s.holder >= 0:
            return "somebody holds a hill in mode 'flags'"
        for f in range(2):
            bearer = int(s.carrier[f])
            if bearer >= 0 and (s.away[bearer] or bearer // self.team == f or s.at[bearer] != s.flag[f] or s.gone):
                return "a flag is with an agent that cannot carry it"
            if bearer < 0 and (ground[s.flag[f]] in (OUTSIDE, WALL) or (s.gone and s.flag[f] != s.base[f])):
                return "a flag is where none can be"
        return None

    def status(self, s: Any, agent: int) -> str:
        own, rest = agent // self.team, int(s.cooldown[agent])
        words = [f"Your team is {NAMES[own]}. Your health is {int(s.health[agent])}."]
        words.append(f"You can shoot after {rest} more steps." if rest else "You can shoot.")
        if s.carrier[1 - own] == agent:
            words.append("You have the other team's flag.")
        if paint_at(s, s.at[agent]) == 2 - own:
            words.append("You stand on their paint, so you can neither walk nor turn.")
        return " ".join(words)

    def as_seen(self) -> np.ndarray:
        """(2, 256) what a team sees of a cell of `paint`."""
        return _AS_SEEN

    def sign_of(self, s: Any, team: int) -> int:
        """What signs show to a team."""
        return int(sign(s, team))


def _unfit(s: Any) -> str | None:
    """Why a map is not one for this mode."""
    bases = [int((s.map == letter).sum()) for letter in (yards.RED_BASE, yards.BLUE_BASE)]
    hill = int((s.map == yards.HILL).sum())
    if mode_of(s) == "flags":
        fits = bases == [1, 1] and not hill
        return None if fits else "must have one base of each team ('R' and 'B') in mode 'flags', and no hill ('o')"
    return None if hill and not any(bases) else "must have a hill ('o') in mode 'hill', and no bases ('R' and 'B')"


env, raw_env, parallel_env = pettingzoo_forms(Paintball)
