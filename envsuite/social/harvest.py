"""Harvest: apples that grow back only where apples are left, and beams to send the others away.

**Rules.** Agents walk a 24 x 18 orchard and eat the apples that they step on. An empty apple site grows a new apple at
every step with a probability that depends on the number of apples within distance 2 of it; a patch that has been eaten
up is dead for ever. Whoever is hit by a beam is away for a while and comes back in the lowest rows. On the map `closed`
the patches lie in two rooms with one door each, which one agent can guard; on `partnership` each room has two ways in,
its door and a passage to the other room. Within one step all move, in random order, so that a random one of those who
want a cell gets it; then all beams go off at once; then those whose time is over return; then apples grow. An apple
that grows under an agent is eaten at once.

**Agents.** `player_0` ... `player_6`, or 2 to 16 of them. The first two start among the apples, the others below.

**Observation.** A Dict of two parts; symbols, not pixels.

`view`, Box (11, 11) uint8: what lies up to 9 cells ahead, 1 behind and 5 to each side, turned so that the agent looks
up: row 0 is farthest ahead, the agent itself is at row 9, column 5. All zero while the agent is away.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 3 | apple site without an apple |
| 4 | apple |
| 5 | the agent itself |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 turned right of that, 2 back, 3 left |
| + 128 | a beam went over this cell in this step |

`ready`, Box (1,) float32: 1 if the agent can fire, less while its beam cools down, 0 while it is away.

**Actions.** Discrete (8); all are always legal, and those of an agent that is away do nothing.

| action | name |
|---|---|
| 0 | `noop` |
| 1-4 | `forward`, `backward`, `step left`, `step right`: one cell, facing as before |
| 5, 6 | `turn left`, `turn right` |
| 7 | `zap` |

**Rewards.** +1 for an apple.

**Ends.** Truncated after `horizon` steps (5000). Before that, terminated with probability 0.15 after step 1099 and
every 100 steps later, which is when the reference does it: its clock is one ahead of its steps.

**Parameters.** `players` (7), `map` (open), `horizon` (5000), `end_probability` (0.15), and these, which depend on the
map unless given: `regrowth`, `zap_length`, `zap_radius`, `zap_cooldown`, `zap_away`.

| | open | closed, partnership |
|---|---|---|
| regrowth with 0, 1, 2, 3 or more neighbours | 0, 0.0025, 0.005, 0.025 | 0, 0.001, 0.005, 0.025 |
| beam: length, radius | 3, 1 | 4, 1 |
| steps that it cools down for | 2 | 1 |
| steps away: observations without a view, less one | 4 | 100 |

The beam covers `zap_length` cells ahead and, on both sides, as many from beside the agent on (one less for each further
column, up to `zap_radius`). Walls and agents stop a ray; all the agents that rays end at are hit, even those who fire.

**Level.** ``{"map": [18 strings of 24 letters]}``: ``#`` wall, ``.`` floor, ``a`` apple, ``r`` where agents return,
``i`` where the first two start. Without one, every episode has a new map from `envsuite.generators.orchard`.

**Known values.** Sum of all rewards in 1000 steps of uniformly random play, mean +- standard error:

| | open | closed | partnership |
|---|---|---|---|
| Melting Pot, 8 episodes | 140.6 +- 13.7 | 129.9 +- 7.2 | 97.0 +- 13.9 |
| Melting Pot, 60 other episodes (Lab2D 1.0.2) | 140.0 +- 4.2 | 130.3 +- 3.2 | 94.1 +- 3.6 |
| this world with Melting Pot's maps as levels, 256 episodes | 138.8 +- 2.0 | 131.5 +- 1.5 | 97.0 +- 1.7 |
| this world, 256 episodes | 153.5 +- 2.0 | 125.4 +- 2.1 | 100.4 +- 2.1 |

The rules agree; what is left is the maps: in the open, patches here are more often near to where agents walk.

**Differences** from Melting Pot's `commons_harvest`. Every episode has a new map; there each variant has one. Symbols
stand for RGB pictures, so that an empty site looks different from floor even where nothing can grow, and `ready` has
the shape (1,). Regrowth follows the apples of the same step; there the numbers of neighbours lag two steps behind, and
a site cannot sprout in the step after it was eaten. An agent that has been hit does not eat what grows under it in that
step. There the passage of `partnership` is paved with tiles that cost one with a hidden role 10; nobody has it here.

**Source.** Leibo et al., "Scalable Evaluation of Multi-Agent Reinforcement Learning with Melting Pot", 2021; Agapiou et
al., "Melting Pot 2.0", 2022; Perolat et al., 2017; Janssen et al., 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Dict

from envsuite.core import avatars
from envsuite.core.avatars import (
    BORDER,
    FLOOR,
    LIT,
    MOST_PLAYERS,
    MOVES,
    PLAYER,
    WALL,
    all_legal,
    begin,
    cell_at,
    come_back,
    dim,
    end,
    lay,
    list_spots,
    move,
    place,
    readiness,
    stride,
    take_out,
    watch,
    zap_all,
)
from envsuite.core.errors import ParameterError
from envsuite.core.grid import add_around, random_spot, sprout
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import shuffle
from envsuite.core.world import Between, Kernels
from envsuite.generators.orchard import HEIGHT, INNER, KINDS, LEGEND, RETURN, SITE, WIDTH, orchard
from envsuite.interfaces import pettingzoo_forms
from envsuite.render.scene import Rect, Scene, apple

ACTIONS = (*MOVES, "zap")
ZAP = len(MOVES)

#: What a cell holds, beside `envsuite.core.avatars`.
BARE, APPLE = 3, 4

_INSIDE = (HEIGHT - 2) * (WIDTH - 2)

_STOPS, _FREE, _SEEN = avatars.tables()
_KIND = np.array([WALL, FLOOR, APPLE, FLOOR, FLOOR], np.uint8)


@large_kernel
def reset(s):
    if not s.level_given:
        orchard(s, s.map, s.params.kind)
    lay(s, _KIND)
    s.spot_count = list_spots(s, s.spots, RETURN)
    s.inner_count = list_spots(s, s.inner, INNER)
    s.empty_count = 0
    for k in range(s.near.shape[0]):
        s.near[k] = 0
    for y in range(HEIGHT):
        for x in range(WIDTH):
            if s.map[y, x] == SITE:
                add_around(s.near, stride(s), cell_at(s, y, x), 1)
    begin(s)
    for a in range(s.at.shape[0]):
        if a < 2:
            place(s, a, random_spot(s, s.inner, s.inner_count, s.cells, _FREE))
        else:
            place(s, a, random_spot(s, s.spots, s.spot_count, s.cells, _FREE))


@kernel
def step(s, actions, rewards):
    dim(s)
    players, eaten_before = s.at.shape[0], s.empty_count
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if s.away[a] == 0 and move(s, a, actions[a], _FREE) == APPLE:
            rewards[a] += 1.0
            s.under[a] = BARE
            eat(s, s.at[a])
    zap_all(s, actions, ZAP, s.params.zap_length, s.params.zap_radius, s.params.zap_cooldown, _STOPS)
    come_back(s, s.spots, s.spot_count, _FREE)
    take_out(s, s.params.zap_away)
    grow(s, eaten_before, rewards)
    end(s)


@kernel
def eat(s, cell):
    s.empty[s.empty_count] = cell
    s.empty_count += 1
    add_around(s.near, stride(s), cell, -1)


@kernel
def grow(s, old, rewards):
    """Let apples grow on sites that were empty before this step; one under an agent is eaten at once."""
    count = s.empty_count
    left = sprout(s, s.empty, old, count, s.near, s.params.regrowth)
    s.empty_count = left
    for k in range(left, count):
        cell = np.int64(s.empty[k])
        code = s.cells[cell]
        if code & (LIT - 1) >= PLAYER:
            rewards[((code & (LIT - 1)) - PLAYER) >> 2] += 1.0
            s.empty[s.empty_count] = cell
            s.empty_count += 1
        else:
            s.cells[cell] = code & LIT | APPLE
            add_around(s.near, stride(s), cell, 1)


@large_kernel
def observe(s, agent, out):
    watch(s, agent, _SEEN, out["view"])  # Numba would take `out.view` for the method of arrays
    out.ready[0] = readiness(s, agent, s.params.zap_cooldown)


class Harvest(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, all_legal)
    keys = {**avatars.AvatarWorld.keys, "space": "zap"}
    legend = LEGEND
    seen = _SEEN
    things = {APPLE: "Apples", BARE: "Empty apple sites"}

    def __init__(
        self,
        players: Annotated[int, Between(2, MOST_PLAYERS)] = 7,
        map: Literal["open", "closed", "partnership"] = "open",
        horizon: Annotated[int, Between(1, 1_000_000)] = 5000,
        end_probability: Annotated[float, Between(0, 1)] = 0.15,
        regrowth: Sequence[float] | None = None,
        zap_length: Annotated[int | None, Between(0, WIDTH)] = None,
        zap_radius: Annotated[int | None, Between(0, WIDTH)] = None,
        zap_cooldown: Annotated[int | None, Between(0, 1000)] = None,
        zap_away: Annotated[int | None, Between(0, 1_000_000)] = None,
    ):
        zap = {"zap_length": 3, "zap_radius": 1, "zap_cooldown": 2, "zap_away": 4}
        if map != "open":
            zap = {"zap_length": 4, "zap_radius": 1, "zap_cooldown": 1, "zap_away": 100}
        given = {"zap_length": zap_length, "zap_radius": zap_radius, "zap_cooldown": zap_cooldown, "zap_away": zap_away}
        zap |= {name: value for name, value in given.items() if value is not None}
        self.players = players
        if regrowth is None:
            regrowth = (0.0, 0.0025 if map == "open" else 0.001, 0.005, 0.025)
        elif len(regrowth) != 4 or not all(isinstance(p, (int, float)) and 0 <= p <= 1 for p in regrowth):
            raise ParameterError(
                f"Harvest: regrowth={regrowth!r} must be four probabilities, for 0, 1, 2, 3 neighbours"
            )
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=Dict(self.view_spaces(APPLE)),
            fields=[
                *avatars.fields(players, HEIGHT, WIDTH),
                ("near", np.uint8, ((HEIGHT + 2 * BORDER) * (WIDTH + 2 * BORDER),)),
                ("empty_count", np.int64),
                ("empty", np.int16, (_INSIDE,)),
                ("spot_count", np.int64),
                ("spots", np.int16, (_INSIDE,)),
                ("inner_count", np.int64),
                ("inner", np.int16, (_INSIDE,)),
            ],
            params={
                "kind": KINDS.index(map),
                "regrowth": [float(p) for p in regrowth],
                **zap,
                "end_after": 1000,
                "end_interval": 100,
                "end_probability": float(end_probability),
                "horizon": horizon,
            },
            reward_range=(0.0, 1.0),
        )

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"i": (2, "starts"), "r": (max(1, self.players - 2), "places to return")}

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        near = s.near[(y + BORDER) * (WIDTH + 2 * BORDER) + x + BORDER]
        scene.add(Rect(x, y, 1, 1, "grass" if near else "soil"))
        if code == APPLE:
            scene.add(*apple(x + 0.5, y + 0.5))


env, raw_env, parallel_env = pettingzoo_forms(Harvest)
