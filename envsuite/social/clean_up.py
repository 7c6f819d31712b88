"""CleanUp: apples grow only while somebody leaves the orchard to clean the river.

**Rules.** Agents walk a map of 30 x 21 cells with a river of 147 cells along the top, 79 of them dirty at the start,
and an orchard of 122 apple sites along the bottom, all empty at the start. With d the dirty part of the river, every
empty site grows an apple at every step with probability 0.05 (1 - d / 0.4), and none from d = 0.4 on. From step 51
on, one random clean cell of the river gets dirty in every other step on average. Whoever steps on an apple eats it. A
cleaning beam cleans the first dirty cell in each of its three columns; it goes through agents. Whoever is hit by
another beam is away for a while, and comes back at a random place to start. Within one step all move, in random
order, so that a random one of those who want a cell gets it; then all beams go off; then those whose time is over
return; then apples grow, and one that grows under an agent is eaten at once; then the river gets dirty. Only walls
and agents block the way.

**Agents.** `player_0` ... `player_6`, or 2 to 16 of them.

**Observation.** A Dict of three parts; symbols, not pixels.

`view`, Box (11, 11) uint8: what lies up to 9 cells ahead, 1 behind and 5 to each side, turned so that the agent looks
up: row 0 is farthest ahead, the agent itself is at row 9, column 5. All zero while the agent is away.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | sand |
| 3 | clean river |
| 4 | dirty river |
| 5 | the agent itself |
| 6 | apple site without an apple |
| 7 | apple |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 turned right of that, 2 back, 3 left |
| + 128 | a beam went over this cell in this step |

`ready`, Box (1,) float32: 1 if the agent can zap, less while that beam cools down, 0 while it is away.

`cleaners`, Box (1,) uint8: how many others cleaned a cell in this step.

**Actions.** Discrete (9); all are always legal, and those of an agent that is away do nothing.

| action | name |
|---|---|
| 0 | `noop` |
| 1-4 | `forward`, `backward`, `step left`, `step right`: one cell, facing as before |
| 5, 6 | `turn left`, `turn right` |
| 7 | `zap` |
| 8 | `clean` |

**Rewards.** +1 for an apple.

**Ends.** Truncated after `horizon` steps (5000). Before that, terminated with probability 0.2 after step 1099 and every
100 steps later, which is when the reference does it: its clock is one ahead of its steps.

**Parameters.** `players` (7), `horizon` (5000), `end_probability` (0.2), `growth` (0.05), `depletion` (0.4),
`pollution` (0.5), `zap_cooldown` (10), `zap_away` (50), `clean_cooldown` (2). Both beams are 3 cells long and 3 wide.

**Level.** ``{"map": [21 strings of 30 letters]}``: ``#`` wall, ``.`` sand, ``w`` river, ``d`` dirty river, ``a`` apple
site, ``s`` where agents start and return. Without one, every episode has a new map from `envsuite.generators.river`.

**Known values.** In 1000 steps of uniformly random play hardly anybody ever gets an apple, here as in Melting Pot (0.0
in 8 episodes there, 0.05 in an episode here): with d = 0.537 at the start nothing grows. The river stays as it is if
one cell is cleaned in two steps; where all of it is clean, 122 sites grow 6.1 apples a step.

**Differences** from Melting Pot's `clean_up`. Every episode has a new map, without the stream through the middle; there
is one map. Symbols stand for RGB pictures. A cell that two beams reach in the same step is cleaned by the first.
Growth follows the dirt of the same step.

**Source.** Hughes et al., "Inequity aversion improves cooperation in intertemporal social dilemmas", 2018; Leibo et
al., "Scalable Evaluation of Multi-Agent Reinforcement Learning with Melting Pot", 2021.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import avatars
from envsuite.core.avatars import (
    BORDER,
    FLOOR,
    LIT,
    MOST_PLAYERS,
    MOVES,
    OUTSIDE,
    PLAYER,
    WALL,
    all_legal,
    begin,
    cell_at,
    come_back,
    dim,
    end,
    fire,
    lay,
    light,
    list_spots,
    move,
    place,
    readiness,
    take_out,
    watch,
    zap_all,
)
from envsuite.core.grid import random_spot, sprout_anywhere
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, geometric, randint, shuffle
from envsuite.core.world import Between, Kernels
from envsuite.generators.river import DIRTY, HEIGHT, LEGEND, SITE, START, WIDTH, river
from envsuite.generators.river import RIVER as MAP_RIVER
from envsuite.interfaces import pettingzoo_forms
from envsuite.render.scene import Rect, Scene, apple

ACTIONS = (*MOVES, "zap", "clean")
ZAP, CLEAN = len(MOVES), len(MOVES) + 1

#: What a cell holds, beside `envsuite.core.avatars`.
RIVER, DIRT, BARE, APPLE = 3, 4, 6, 7

LENGTH, RADIUS = 3, 1

_INSIDE = (HEIGHT - 2) * (WIDTH - 2)
_STOPS, _FREE, _SEEN = avatars.tables()
_KIND = np.array([WALL, FLOOR, RIVER, DIRT, BARE, FLOOR], np.uint8)
#: What stops a cleaning beam.
_CLEANED = np.isin(np.arange(256), (OUTSIDE, WALL, DIRT)).astype(np.uint8)


@large_kernel
def reset(s):
    if not s.level_given:
        river(s, s.map, s.depth)
    lay(s, _KIND)
    for k in range(s.cells.shape[0]):
        s.ground[k] = s.cells[k]
    s.dirty = list_spots(s, s.wet, DIRTY)
    s.wet_count = s.dirty
    for y in range(HEIGHT):
        for x in range(WIDTH):
            if s.map[y, x] == MAP_RIVER:
                s.wet[s.wet_count] = cell_at(s, y, x)
                s.wet_count += 1
    s.site_count = list_spots(s, s.sites, SITE)
    s.spot_count = list_spots(s, s.spots, START)
    s.gap = geometric(s, s.params.growth)
    begin(s)
    for a in range(s.at.shape[0]):
        s.clean_cooldown[a] = 0
        s.cleaned[a] = 0
        place(s, a, random_spot(s, s.spots, s.spot_count, s.cells, _FREE))


@kernel
def step(s, actions, rewards):
    dim(s)
    players = s.at.shape[0]
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if s.away[a] == 0 and move(s, a, actions[a], _FREE) == APPLE:
            rewards[a] += 1.0
            s.under[a] = BARE
    zap_all(s, actions, ZAP, LENGTH, RADIUS, s.params.zap_cooldown, _STOPS)
    for k in range(players):
        a = s.order[k]
        s.cleaned[a] = 0
        if s.away[a] == 0:
            if s.clean_cooldown[a] > 0:
                s.clean_cooldown[a] -= 1
            elif actions[a] == CLEAN:
                s.clean_cooldown[a] = s.params.clean_cooldown
                clean(s, a)
    come_back(s, s.spots, s.spot_count, _FREE)
    take_out(s, s.params.zap_away)
    grow(s, rewards)
    pollute(s)
    end(s)


@large_kernel
def clean(s, a):
    """Fire the cleaning beam: what stops it and is dirty is clean now."""
    last = fire(s, s.ground, a, LENGTH, RADIUS, _CLEANED)
    for k in range(s.lit_count, last):
        cell = np.int64(s.lit[k])
        if s.ground[cell] == DIRT:
            s.cleaned[a] = 1
            wash(s, cell, RIVER)
            for i in range(s.dirty):
                if s.wet[i] == cell:
                    s.dirty -= 1
                    s.wet[i] = s.wet[s.dirty]
                    s.wet[s.dirty] = cell
                    break
    light(s, last, _STOPS)


@kernel
def wash(s, cell, code):
    """A cell of the river is clean or dirty now, whoever stands there."""
    s.ground[cell] = code
    there = s.cells[cell]
    if there & (LIT - 1) >= PLAYER:
        s.under[((there & (LIT - 1)) - PLAYER) >> 2] = code
    else:
        s.cells[cell] = there & LIT | code


@kernel
def grow(s, rewards):
    """Let apples grow on empty sites, the more the cleaner the river; one under an agent is eaten at once."""
    dirt = s.dirty / s.wet_count if s.wet_count > 0 else 0.0
    share = 1.0 - dirt / s.params.depletion if s.params.depletion > 0.0 else np.float64(dirt == 0.0)
    if share <= 0.0:
        return
    # Sites sprout at the full rate, and of those a share.
    found = sprout_anywhere(s, s.site_count, s.params.growth)
    while found >= 0:
        if bernoulli(s, share):
            cell = np.int64(s.sites[found])
            there = s.cells[cell]
            plain = there & (LIT - 1)
            if plain >= PLAYER:
                rewards[(plain - PLAYER) >> 2] += 1.0
            else:
                s.cells[cell] = there & LIT | APPLE
        found = sprout_anywhere(s, s.site_count, s.params.growth)


@kernel
def pollute(s):
    """After a while, a random clean cell of the river gets dirty now and then."""
    if s.t > s.params.clean_start and s.dirty < s.wet_count and bernoulli(s, s.params.pollution):
        chosen = s.dirty + randint(s, s.wet_count - s.dirty)
        cell = s.wet[chosen]
        s.wet[chosen] = s.wet[s.dirty]
        s.wet[s.dirty] = cell
        s.dirty += 1
        wash(s, np.int64(cell), DIRT)


@large_kernel
def observe(s, agent, out):
    watch(s, agent, _SEEN, out["view"])
    out.ready[0] = readiness(s, agent, s.params.zap_cooldown)
    others = 0
    for a in range(s.at.shape[0]):
        others += s.cleaned[a]
    out.cleaners[0] = others - s.cleaned[agent]


class CleanUp(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, all_legal)
    keys = {**avatars.AvatarWorld.keys, "space": "zap", "c": "clean"}
    legend = LEGEND
    seen = _SEEN
    things = {APPLE: "Apples", DIRT: "Dirty river", RIVER: "Clean river", BARE: "Empty apple sites"}

    def __init__(
        self,
        players: Annotated[int, Between(2, MOST_PLAYERS)] = 7,
        horizon: Annotated[int, Between(1, 1_000_000)] = 5000,
        end_probability: Annotated[float, Between(0, 1)] = 0.2,
        growth: Annotated[float, Between(0, 1)] = 0.05,
        depletion: Annotated[float, Between(0, 1)] = 0.4,
        pollution: Annotated[float, Between(0, 1)] = 0.5,
        zap_cooldown: Annotated[int, Between(0, 1000)] = 10,
        zap_away: Annotated[int, Between(0, 1_000_000)] = 50,
        clean_cooldown: Annotated[int, Between(0, 1000)] = 2,
    ):
        self.players = players
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=Dict({**self.view_spaces(APPLE), "cleaners": Box(0, players - 1, (1,), np.uint8)}),
            fields=[
                *avatars.fields(players, HEIGHT, WIDTH),
                ("ground", np.uint8, ((HEIGHT + 2 * BORDER) * (WIDTH + 2 * BORDER),)),  # `cells` without agents
                ("dirty", np.int64),  # so many of `wet` come first
                ("wet_count", np.int64),
                ("wet", np.int16, (_INSIDE,)),
                ("site_count", np.int64),
                ("sites", np.int16, (_INSIDE,)),
                ("spot_count", np.int64),
                ("spots", np.int16, (_INSIDE,)),
                ("gap", np.int64),
                ("clean_cooldown", np.int64, (players,)),
                ("cleaned", np.uint8, (players,)),
                ("depth", np.int64, (WIDTH,)),
            ],
            params={
                "growth": growth,
                "depletion": depletion,
                "pollution": pollution,
                "clean_start": 50,
                "zap_cooldown": zap_cooldown,
                "zap_away": zap_away,
                "clean_cooldown": clean_cooldown,
                "end_after": 1000,
                "end_interval": 100,
                "end_probability": end_probability,
                "horizon": horizon,
            },
            reward_range=(0.0, 2.0),
        )

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"s": (self.players, "places to start"), "a": (1, "apple sites"), "w": (1, "clean cells of the river")}

    def status(self, s: Any, agent: int) -> str:
        others = int(s.cleaned.sum()) - int(s.cleaned[agent])
        return f"{super().status(s, agent)} Others who just cleaned: {others}."

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        scene.add(Rect(x, y, 1, 1, "water" if code in (RIVER, DIRT) else "grass"))
        if code == DIRT:
            scene.add(Rect(x, y, 1, 1, "brown@0.55"))
        elif code == APPLE:
            scene.add(*apple(x + 0.5, y + 0.5))


env, raw_env, parallel_env = pettingzoo_forms(CleanUp)
