"""Territory: paint resource walls to live off them, side by side or at each other's cost (Melting Pot).

**Rules.** Agents walk a map with resource walls. Walls, resources and agents block the way.

- *Brush.* Each agent carries a brush: a resource in front of an agent takes its paint in every step.
- *Claim.* A claim flings paint 2 cells ahead, through resources and agents.
- *Income.* A resource belongs to the agent that painted it last. From the 26th step after it changed hands, it pays its
  owner 1 with probability 0.01 a step. When it pays for the first time, its paint becomes visibly dry.
- *Zap.* A zap is 2 cells long and 3 wide. It ends at agents and at whole resources, which it damages. It destroys
  damaged resources for ever, and continues. From the 16th step after the hit, a damaged resource mends with probability
  0.1 a step.
- *Hits.* An agent that is zapped is marked for that step and the next 49. In the next 24 steps it can neither walk,
  turn nor zap, but it can paint. After them its beam cools down, so that it cannot zap in the next 29 steps. An agent
  that is hit again while it is marked is out for good at the next step. From the step after that, all of its paint
  that is 6 steps old comes off.

The order within a step:

1. Damaged resources mend.
2. Owners are paid.
3. All agents move, in random order. If several want a cell, a random one gets it.
4. All zaps go off, then all brushes, then all claims.

The three forms:

| form | agents | map |
|---|---|---|
| `open` | 9 | 39 x 23, 88 resources in pieces; agents start near one another, away from the resources |
| `inside_out` | 5 | 23 x 23, a maze of 137 resources; agents start around it |
| `rooms` | 9 | 21 x 21, a torus of nine closed rooms with walls of resources, 180 in all; one agent in each |

**Agents.** `player_0`, `player_1` and so on: as many as in the table, or 2 to 13 agents; in `rooms` 2 to 9.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below; all zero for an agent that is out |
| ready | Box (1,) float32 | 1 if the agent can zap, less while that beam cools down, 0 while it is frozen or out |
| marks | Box (agents,) uint8 | 1 for each agent in view, the observer included, that is marked |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 3, 4 | resource without an owner; damaged |
| 5 | the agent itself |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 to the observer's right, 2 back, 3 left |
| 72, 73 | resource of the observer; damaged |
| 74, 75 | the same with dry paint |
| 76 + 4 k + d | resource of `player_k`; d from 0 to 3, in the order of 72 to 75 |
| + 128 | a beam went over this cell in this step |

**Actions.** Discrete (9), all of them always legal. While an agent is frozen, they have no effect, except `claim`.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `zap` | fires the zapping beam |
| 8 | `claim` | flings paint ahead |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space zaps, and c claims.

**Rewards.** +1 whenever a resource of the agent pays.

**Ends.** An agent that is out is terminated. Truncated after `horizon` steps. Before that, the episode may terminate
after step 1099 and every 100 steps later, each time with probability `end_probability`. The reference does so at the
same steps: its clock is one ahead of its steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `form` | open | or inside_out, rooms |
| `players` | None | number of agents, from 2 to 13, in rooms to 9; None: as many as in the table of forms |
| `horizon` | 5000 | steps until truncation, from 1 to 1,000,000 |
| `end_probability` | 0.2 | probability of an earlier end, from 0 to 1, see above |
| `payout` | 0.01 | probability that a resource pays in a step, from 0 to 1 |
| `drying` | 25 | steps after which a resource pays, from 0 to 1,000,000 |
| `mending` | 0.1 | probability that a damaged resource mends in a step, from 0 to 1 |
| `mending_delay` | 15 | steps after which a damaged resource mends, from 0 to 1,000,000 |
| `zap_cooldown` | 4 | steps after a zap in which the agent cannot zap, from 1 to 1000 |
| `freeze` | 25 | steps of a freeze, the hit included, from 1 to 1,000,000 |
| `recovery` | 50 | steps of a mark, the hit included, from 1 to 1,000,000 |

**Level.** ``{"map": [strings, the rows]}``: ``#`` wall, ``.`` floor, ``r`` resource, ``s`` where agents start. Without
a level, every episode has a new map from `envsuite.social.territory.levels`.

**Known values.** With dry paint, the 180 resources of `rooms` pay 1.8 a step in all. Returns of 1000 steps there (64
episodes):

| agents | return of each |
|---|---|
| nine peaceful agents | 193 |
| nine aggressors | 52 |
| one aggressor among peaceful agents | the aggressor 1026, the others 42 |
| one aggressor among guards | the aggressor 41, the others 172 |

Sum of all rewards in 1000 steps of uniformly random play, mean +- standard error:

| form | Melting Pot | this world, 512 episodes | the same with Melting Pot's maps |
|---|---|---|---|
| `open` | 109.5 +- 6.9 (24 episodes) | 105.3 +- 2.2 | 107.4 +- 1.9 |
| `inside_out` | 249.1 +- 13.6 (24) | 247.2 +- 2.8 | 256.4 +- 2.7 |
| `rooms` | 524.4 +- 19.2 (8), 536.4 +- 11.2 (38 others) | 535.3 +- 3.2 | 539.7 +- 3.3 |

**Differences.** From Melting Pot's `territory__open`, `territory__inside_out` and `territory__rooms`:

- Every episode has a new map, of nearly the same census. There, only the map of `inside_out` changes, and rooms are all
  7 x 7.
- Symbols replace RGB pictures, and agents know their own paint.
- If several agents paint a resource in the same step, the last one, in random order, gets it. There, it changes color
  if any of them is not its owner. It may then pay another agent than its color says.
- Dry paint and damage show at once; there, one step later.
- An agent that is out is terminated; there, it sees nothing more, and is in the way of those that walk in the step in
  which it goes.

**Source.** Agapiou et al., "Melting Pot 2.0", 2022.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import geometric, shuffle
from envsuite.core.ranges import MANY, free, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import avatars
from envsuite.kit.avatars import BORDER, FLOOR, LIT, MOVES, OUTSIDE, OWN, PLAYER, WALL
from envsuite.kit.grid import random_spot, sprout_anywhere
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Scene, Shape
from envsuite.render.theme import agent_color, agent_sign
from envsuite.social.territory import pages
from envsuite.social.territory.levels import FORMS, LEGEND, SIZES, START, STARTS, Form, resource, territory
from envsuite.social.territory.levels import RESOURCE as MAP_RESOURCE

ACTIONS = (*MOVES, "zap", "claim")
ZAP, CLAIM = len(MOVES), len(MOVES) + 1

#: Codes of cells in addition to `envsuite.kit.avatars`: a resource without an owner, whole or damaged, or one
#: that is painted, as CLAIMED + 4 * owner + DRY + DAMAGED. Observers see their own as MINE.
RESOURCE, BROKEN = 3, 4
MINE, CLAIMED = OWN, OWN + 4
DAMAGED, DRY = 1, 2

#: The number of owners for which there are codes.
MOST = (LIT - CLAIMED) // 4

#: Both beams; the claim is straight.
LENGTH, RADIUS = 2, 1

#: Paint of an agent that is out comes off when it is older than this; some can be left for this many steps.
_LAPSE = 5

_PLAYERS: dict[Form, int] = {"open": 9, "inside_out": 5, "rooms": 9}

_codes = np.arange(256)
_plain = _codes & (LIT - 1)
_RESOURCES = tuple(int(code) for code in range(LIT) if code in (RESOURCE, BROKEN) or code >= CLAIMED)
_WHOLE = tuple(code for code in _RESOURCES if code == RESOURCE or code >= CLAIMED and not code & DAMAGED)
#: What stops a zap, and where agents can walk.
_STOPS, _FREE = avatars.tables(stops=_WHOLE, blocks=_RESOURCES)
#: What stops a claim, and where claims and zaps do not show.
_SOLID = np.isin(_plain, (OUTSIDE, WALL)).astype(np.uint8)
_DARK = np.isin(_plain, (OUTSIDE, WALL, *_RESOURCES)).astype(np.uint8)
_DARK_TO_ZAPS = _DARK | _STOPS
_KIND = np.array([WALL, FLOOR, RESOURCE, FLOOR], np.uint8)


def fields(players: int, height: int, width: int, torus: bool) -> list[tuple]:
    """The record's own fields."""
    cells = (height + 2 * BORDER) * (width + 2 * BORDER)
    return [
        *avatars.fields(players, height, width, len(LEGEND), torus),
        *avatars.sanction_fields(players),
        *(avatars.torus_fields(height, width) if torus else [("around", free(np.uint8), (1,))]),
        ("painted", within(np.int64, 0, MANY), (cells,)),  # step in which a resource got its owner
        ("mends", within(np.int64, 0, 2**62 + MANY), (cells,)),  # step in which a damaged resource is whole again
        *avatars.list_fields("broken_count", "broken", height, width),  # damaged resources
        ("lapsing", within(np.int64, 0, _LAPSE), (players,)),  # steps until no paint of an agent that is out is left
        *avatars.list_fields("site_count", "sites", height, width),  # resources at the start
        *avatars.list_fields("spot_count", "spots", height, width),  # where agents start
        avatars.gap_field(),
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        territory(s, s.map, s.params.form)
    avatars.lay(s, _KIND)
    s.broken_count = 0
    s.site_count = avatars.list_spots(s, s.sites, MAP_RESOURCE)
    s.spot_count = avatars.list_spots(s, s.spots, START)
    s.gap = geometric(s, s.params.payout)
    avatars.begin(s)
    avatars.forgive(s)
    for a in range(s.at.shape[0]):
        s.lapsing[a] = 0
        avatars.place(s, a, random_spot(s, s.spots, s.spot_count, s.cells, _FREE))
    surround(s)


@kernel
def surround(s):
    """On a torus, get the views ready."""
    if s.around.shape[0] > 1:
        avatars.wrap(s)


@kernel
def step(s, actions, rewards):
    avatars.dim(s)
    mend(s)
    pay(s, rewards)
    lapse(s)
    for a in range(s.at.shape[0]):
        if s.hit[a]:
            s.terminated[a] = 1
            s.lapsing[a] = _LAPSE
    avatars.take_out(s, 0)
    avatars.thaw(s, s.params.zap_cooldown)
    players = s.at.shape[0]
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if s.away[a] == 0 and s.frozen[a] == 0:
            avatars.move(s, a, actions[a], _FREE)
    for k in range(players):
        a = s.order[k]
        if s.cooldown[a] > 0:
            s.cooldown[a] -= 1
        elif s.away[a] == 0 and actions[a] == ZAP:
            s.cooldown[a] = s.params.zap_cooldown
            zap(s, a)
    for k in range(players):
        a = s.order[k]
        if s.away[a] == 0:
            paint(s, a, avatars.beyond(s, s.at[a], s.facing[a]))
    for k in range(players):
        a = s.order[k]
        if s.away[a] == 0 and actions[a] == CLAIM:
            claim(s, a)
    avatars.sanction(s, s.params.freeze, s.params.recovery, 0.0, rewards)
    avatars.end(s)
    surround(s)


@kernel
def mend(s):
    """Damaged resources whose time has come are whole again."""
    k = 0
    while k < s.broken_count:
        cell = np.int64(s.broken[k])
        if s.t >= s.mends[cell]:
            code = s.cells[cell]
            s.cells[cell] = RESOURCE if code == BROKEN else code - DAMAGED
            s.broken_count -= 1
            s.broken[k] = s.broken[s.broken_count]
        else:
            k += 1


@kernel
def pay(s, rewards):
    """Resources with old paint pay with some probability."""
    found = sprout_anywhere(s, s.site_count, s.params.payout)
    while found >= 0:
        cell = np.int64(s.sites[found])
        code = np.int64(s.cells[cell])
        if CLAIMED <= code < LIT and s.t - s.painted[cell] > s.params.drying:
            owner = (code - CLAIMED) >> 2
            if s.away[owner] == 0:
                rewards[owner] += 1.0
                s.cells[cell] = code | DRY
        found = sprout_anywhere(s, s.site_count, s.params.payout)


@kernel
def lapse(s):
    """Paint of agents that are out comes off once it is some steps old."""
    for a in range(s.at.shape[0]):
        if s.lapsing[a] > 0:
            s.lapsing[a] -= 1
            for k in range(s.site_count):
                cell = np.int64(s.sites[k])
                code = np.int64(s.cells[cell])
                if (code - CLAIMED) >> 2 == a and code < LIT and s.t - s.painted[cell] > _LAPSE:
                    s.cells[cell] = BROKEN if code & DAMAGED else RESOURCE


@kernel
def paint(s, a, cell):
    """An agent paints what is on a cell, if it is a resource that is not its own."""
    code = np.int64(s.cells[cell])
    if code == RESOURCE or code == BROKEN:
        s.cells[cell] = CLAIMED + 4 * a + code - RESOURCE
        s.painted[cell] = s.t
    elif CLAIMED <= code < LIT and (code - CLAIMED) >> 2 != a:
        s.cells[cell] = CLAIMED + 4 * a + (code & DAMAGED)
        s.painted[cell] = s.t


@large_kernel
def claim(s, a):
    """Fling paint."""
    last = avatars.fire(s, s.cells, a, LENGTH, 0, _SOLID)
    for k in range(s.lit_count, last):
        paint(s, a, np.int64(s.lit[k]))
    avatars.light(s, last, _DARK)


@large_kernel
def zap(s, a):
    """Fire: mark agents for `sanction`, damage resources, destroy those that are damaged."""
    last = avatars.fire(s, s.cells, a, LENGTH, RADIUS, _STOPS)
    for k in range(s.lit_count, last):
        cell = np.int64(s.lit[k])
        code = np.int64(s.cells[cell]) & (LIT - 1)
        if PLAYER <= code < OWN:
            s.hit[(code - PLAYER) >> 2] += 1
        elif code == RESOURCE or code >= CLAIMED and code & DAMAGED == 0:
            s.cells[cell] = code + 1
            s.mends[cell] = s.t + 1 + s.params.mending_delay + geometric(s, s.params.mending)
            s.broken[s.broken_count] = cell
            s.broken_count += 1
        elif code == BROKEN or code >= CLAIMED:
            s.cells[cell] = FLOOR
            for i in range(s.broken_count):
                if s.broken[i] == cell:
                    s.broken_count -= 1
                    s.broken[i] = s.broken[s.broken_count]
                    break
    avatars.light(s, last, _DARK_TO_ZAPS)


@large_kernel
def observe(s, agent, out):
    view, own = out["view"], CLAIMED + 4 * agent
    change = own ^ MINE  # the owner sees its resource as MINE
    if s.around.shape[0] > 1:
        avatars.watch_torus(s, agent, view, own, change)
    else:
        avatars.watch(s, agent, view, own, change)
    out.ready[0] = avatars.readiness(s, agent, s.params.zap_cooldown)
    avatars.see_marks(s, agent, view, out.marks)


class Territory(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    leaving = True
    kind = ("commons",)
    verified = "Melting Pot: totals under random play, and its rules one by one"
    variants = (dict(form="rooms"),)
    keys = {**avatars.AvatarWorld.keys, "space": "zap", "c": "claim"}
    legend = LEGEND
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        form: Form = "open",
        players: Annotated[int | None, Between(2, MOST)] = None,
        horizon: Annotated[int, Between(1, 1_000_000)] = 5000,
        end_probability: Annotated[float, Between(0, 1)] = 0.2,
        payout: Annotated[float, Between(0, 1)] = 0.01,
        drying: Annotated[int, Between(0, 1_000_000)] = 25,
        mending: Annotated[float, Between(0, 1)] = 0.1,
        mending_delay: Annotated[int, Between(0, 1_000_000)] = 15,
        zap_cooldown: Annotated[int, Between(1, 1000)] = 4,
        freeze: Annotated[int, Between(1, 1_000_000)] = 25,
        recovery: Annotated[int, Between(1, 1_000_000)] = 50,
    ):
        players = players or _PLAYERS[form]
        if players > STARTS[form]:
            raise ParameterError(f"{self.id}: players={players}, but form={form!r} has {STARTS[form]} places to start")
        height, width = SIZES[form]
        self.players, self.torus = players, form == "rooms"
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=Dict({**self.view_spaces(CLAIMED + 4 * players - 1), "marks": Box(0, 1, (players,), np.uint8)}),
            fields=fields(players, height, width, self.torus),
            params={
                "form": FORMS.index(form),
                "payout": payout,
                "drying": drying,
                "mending": mending,
                "mending_delay": mending_delay,
                "zap_cooldown": zap_cooldown,
                "freeze": freeze,
                "recovery": recovery,
                "end_after": 1000,
                "end_interval": 100,
                "end_probability": end_probability,
                "horizon": horizon,
            },
            reward_range=(0.0, float(height * width)),
        )

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"s": (self.players, "starts")}

    def text(self, s: Any, agent: int) -> str:
        if s.away[agent]:
            return "You were hit twice and are out for good."
        looks = ("", ", damaged", ", dry", ", dry and damaged")
        owners = ["yours", *(f"{name}'s" for a, name in enumerate(self.agents))]
        self.things = {RESOURCE: "Resources of nobody's", BROKEN: "Resources of nobody's, damaged"} | {
            MINE + 4 * k + d: f"Resources of {owner}{look}"
            for k, owner in enumerate(owners)
            for d, look in enumerate(looks)
        }
        always = ("Resources of nobody's:", "Resources of yours:")
        lines = super().text(s, agent).split("\n")
        return "\n".join(
            line
            for line in lines
            if line.startswith(always) or not (line[:9] == "Resources" and line.endswith(": none in view."))
        )

    def tally(self, grid: np.ndarray) -> list[tuple[int, str, int]]:
        owners = (grid.astype(int) - CLAIMED) // 4  # without an owner: below 0
        free = int(np.isin(grid, (RESOURCE, BROKEN)).sum())
        claimed = [(CLAIMED + 4 * a + DRY, "", int((owners == a).sum())) for a in range(self.players)]
        return [(RESOURCE, "free", free), *claimed]

    def code_of(self, agent: int, seen: int) -> int:
        return CLAIMED + 4 * agent + seen - MINE if MINE <= seen < CLAIMED else seen

    @property
    def codes(self) -> Collection[int]:
        return (RESOURCE, BROKEN, *range(CLAIMED, CLAIMED + 4 * self.players))

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        damaged = np.flatnonzero((ground == BROKEN) | (ground >= CLAIMED) & (ground & DAMAGED > 0))
        if not avatars.are_listed(s.broken, s.broken_count, damaged):
            return "broken does not list the damaged resources"
        if np.isin(s.cells, np.array(_RESOURCES) + LIT).any():
            return "there is a beam on a resource"
        sites = avatars.cells_of(s, MAP_RESOURCE)
        if not avatars.are_listed(s.sites, s.site_count, sites) or np.setdiff1d(damaged, sites).size:
            return "sites does not list the resources"
        return None

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        scene.add(*painted(x, y, code))


def painted(x: float, y: float, code: int) -> list[Shape]:
    """A resource from its top left corner: gray, or in its owner's color, which is pale while it is wet."""
    if code < CLAIMED:
        return resource(x, y, damaged=code == BROKEN)
    owner, look = divmod(code - CLAIMED, 4)
    color = agent_color(owner) + ("" if look & DRY else "@0.5")
    return resource(x, y, color, bool(look & DAMAGED), glyph=agent_sign(owner))


env, raw_env, parallel_env = pettingzoo_forms(Territory)
