"""CleanUp: apples grow only while somebody leaves the orchard to clean the river (Melting Pot, or the rules of 2018).

**Rules.** Agents walk a map of 30 x 21 cells. A river of 147 cells lies along the top; 79 of them are dirty at the
start. An orchard of 122 apple sites lies along the bottom; all are empty at the start. Let d be the dirty part of the
river. At every step, each empty site grows an apple with probability 0.05 (1 - d / 0.4). From d = 0.4 on, none grows.
From step 51 on, one random clean cell of the river becomes dirty in every other step on average.

An agent that steps on an apple eats it. A cleaning beam cleans the first dirty cell in each of its three columns, and
goes through agents. An agent that is hit by a zapping beam is away for a while, and comes back at a random starting
cell. Only walls and agents block the way. The order within a step:

1. All agents move, in random order. If several want a cell, a random one gets it.
2. All beams go off.
3. Agents whose time away is over return.
4. Apples grow. An apple that grows under an agent is eaten at once.
5. The river becomes dirty.

``rules="ssd"`` selects the rules of the sequential social dilemmas of 2018. The map has 18 x 25 cells. The river lies
along the left, with 56 of 119 cells dirty, and 103 apple sites lie along the right. These rules differ as follows:

- The river becomes dirty from the start on, but only while apples could grow (d < 0.4). Clean cells are tried in random
  order, each with probability 0.5, until one becomes dirty.
- Agents also stop the cleaning beam, which still cleans their own cell.
- No agent is ever away. An agent that zaps pays 1, and an agent that is hit pays 50 for every hit.
- Beams are 5 cells long and have no cooldown.
- No apple grows under an agent.

**Agents.** `player_0` ... `player_6`, or 2 to 16 agents; five in the rules of 2018.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below; all zero while it is away |
| ready | Box (1,) float32 | 1 if the agent can zap, less while that beam cools down, 0 while it is away |
| cleaners | Box (1,) uint8 | how many other agents cleaned a cell in this step |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5. In the rules of 2018 the view is Box (15, 15): it reaches 7 cells in
all directions, and the agent itself is at row 7, column 7.

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
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 to the observer's right, 2 back, 3 left |
| + 128 | a beam went over this cell in this step |

**Actions.** Discrete (9), all of them always legal. While an agent is away, they have no effect.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `zap` | fires the beam that sends agents away |
| 8 | `clean` | fires the cleaning beam |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space zaps, and c cleans.

**Rewards.** +1 for an apple. In the rules of 2018 also -1 for a shot and -50 for a hit; their sum is r. Two options
change r in these rules:

- With `collective`, every agent gets the sum of all r.
- With `alpha` or `beta`, agent i gets ``r_i - alpha / (N - 1) sum_j max(e_j - e_i, 0) - beta / (N - 1) sum_j max(e_i -
  e_j, 0)``, where e is r plus `trace` times the e of the step before.

**Ends.** Truncated after `horizon` steps. Before that, the episode may terminate after step 1099 and every 100 steps
later, each time with probability `end_probability`. Melting Pot does so at the same steps: its clock is one ahead of
its steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 7; ssd 5 | number of agents, from 2 to 16 |
| `horizon` | 5000; ssd 1000 | steps until truncation, from 1 to 1,000,000 |
| `end_probability` | 0.2; ssd 0 | probability of an earlier end, from 0 to 1, see above |
| `growth` | 0.05 | probability of an apple per site and step in a clean river, from 0 to 1 |
| `depletion` | 0.4 | dirty part of the river from which on nothing grows, from 0 to 1 |
| `pollution` | 0.5 | probability that a cell becomes dirty, from 0 to 1 |
| `zap_cooldown` | 10; ssd none | steps of cooldown of zaps, from 0 to 1000 |
| `zap_away` | 50; ssd none | steps that an agent is away after a hit, from 0 to 1,000,000 |
| `clean_cooldown` | 2; ssd none | steps of cooldown of cleaning beams, from 0 to 1000 |
| `rules` | melting_pot | or ssd, the rules of 2018 |
| `compat` | documented | for ssd only: or reference, see below |
| `alpha`, `beta` | 0, 0 | for ssd only: weights of inequity, from 0 to 1000 |
| `trace` | 0 | for ssd only: decay of the rewards that are compared, from 0 to 0.999 |
| `collective` | False | for ssd only: whether every agent gets the sum of all rewards |

Beams are 3 wide, and 3 long; in ssd 5 long. With ``compat="reference"``, `beta` rewards agents for advantageous
inequity instead of punishing it, a flaw of the source's code.

**Level.** ``{"map": [21 strings of 30 letters]}``, or 25 strings of 18: ``#`` wall, ``.`` sand, ``w`` river, ``d``
dirty river, ``a`` apple site, ``s`` where agents start and return. Without a level, every episode has a new map from
`envsuite.social.clean_up.levels`.

**Known values.** In 1000 steps of uniformly random play, agents hardly ever get an apple, here as in Melting Pot (0.0
in 8 episodes there, 0.59 +- 0.08 in 4,096 here, of which 4.0 % have any): with d = 0.537 at the start, nothing grows.
The dirt of the river stays the same if one cell is cleaned in two steps. With a wholly clean river, 122 sites grow 6.1
apples a step.

The rules of 2018, sum of all rewards in 1000 steps of uniformly random play, mean +- standard error:

| | all actions | without `zap` | without both beams |
|---|---|---|---|
| the source's code, 88 episodes | -4770.7 +- 146.0 | 24.8 +- 1.3 | 0 |
| this world with the source's map as the level, 1024 episodes | -4569.6 +- 36.1 | 26.9 +- 0.4 | 0 |
| this world, 1024 episodes | -4440.5 +- 36.9 | 28.2 +- 0.4 | 0 |

**Differences.** From Melting Pot's `clean_up`:

- Every episode has a new map, without the stream through the middle; there, there is one map.
- Symbols replace RGB pictures.
- If two beams reach a cell in the same step, the first one cleans it, and the second one goes on. There, the cell stops
  both, and both agents have cleaned it.
- Growth follows the dirt of the same step, and pays an agent that stands there in that step; there, in the next one.
- There, an apple that grows under an agent whose walk is blocked in that step pays twice.
- The cleaning beam shows on cells that it cleans, and not on agents that it goes through; there, the other way round.
- `cleaners` counts who has cleaned in this step; there, in the step before.

From the source's code for the rules of 2018, eugenevinitsky's `sequential_social_dilemma_games`:

- Its actions have another order, with `noop` as 4.
- Beams are visible here, and not there.
- A view is turned in all facings. There, agents that face left or right see at the top what is behind them.
- Agents move one after another. One gets the cell that another leaves if that one moved first; there, always.
- There is no stream through the middle, which was decoration.

**Source.** Hughes et al., "Inequity aversion improves cooperation in intertemporal social dilemmas", 2018; Leibo et
al., "Scalable Evaluation of Multi-Agent Reinforcement Learning with Melting Pot", 2021; Vinitsky et al., "An open
source implementation of sequential social dilemma games", 2019.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import copy
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, geometric, randint, shuffle
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import avatars, ssd
from envsuite.kit.avatars import FLOOR, LIT, MOST_PLAYERS, MOVES, OUTSIDE, PLAYER, WALL
from envsuite.kit.grid import random_spot, sprout_anywhere
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Rect, Scene, apple
from envsuite.social.clean_up import pages
from envsuite.social.clean_up.levels import DIRTY, HEIGHT, LEGEND, NARROW, SITE, START, TALL, WIDTH, river, upright
from envsuite.social.clean_up.levels import RIVER as MAP_RIVER

ACTIONS = (*MOVES, "zap", "clean")
ZAP, CLEAN = len(MOVES), len(MOVES) + 1

#: Codes of cells in addition to those of `envsuite.kit.avatars`.
RIVER, DIRT, BARE, APPLE = 3, 4, 6, 7

LENGTH, RADIUS = 3, 1

#: The parameters that depend on the rules, unless they are given.
_MELTING_POT: dict[str, Any] = {
    "players": 7,
    "horizon": 5000,
    "end_probability": 0.2,
    "zap_cooldown": 10,
    "zap_away": 50,
    "clean_cooldown": 2,
}
_SSD: dict[str, Any] = {
    "players": 5,
    "horizon": 1000,
    "end_probability": 0.0,
    "zap_cooldown": 0,
    "zap_away": 0,
    "clean_cooldown": 0,
}

_STOPS, _FREE = avatars.tables()
_KIND = np.array([WALL, FLOOR, RIVER, DIRT, BARE, FLOOR], np.uint8)
#: What stops a cleaning beam.
_CLEANED = np.isin(np.arange(256), (OUTSIDE, WALL, DIRT)).astype(np.uint8)
_CLEANED_OR_HIT = _STOPS | np.isin(np.arange(256) & (LIT - 1), DIRT)


def fields(players: int, height: int, width: int) -> list[tuple]:
    """The record's own fields."""
    inside = (height - 2) * (width - 2)
    return [
        *avatars.fields(players, height, width, len(LEGEND)),
        *ssd.fields(players),
        *avatars.ground_fields(height, width),
        ("dirty", within(np.int64, 0, inside)),  # number of dirty cells of the river
        *avatars.list_fields("wet_count", "wet", height, width, inside),  # the river, its dirty cells first
        *avatars.list_fields("site_count", "sites", height, width, inside),  # where apples grow
        *avatars.list_fields("spot_count", "spots", height, width, inside),  # where agents start and return
        avatars.gap_field(),
        ("clean_cooldown", within(np.int64, 0, avatars.LONGEST), (players,)),  # steps until an agent can clean
        ("cleaned", flag(), (players,)),  # whether an agent cleaned a cell in this step
        ("depth", below(np.int64, height + width), (max(height, width) - 2,)),  # scratch of the map's generator
    ]


@kernel
def fined(s):
    """Whether these are the rules of 2018; a constant to the compiler."""
    return upright(s.map)


@large_kernel
def reset(s):
    if not s.level_given:
        river(s, s.map, s.depth)
    avatars.lay(s, _KIND)
    copy(s.ground, s.cells)
    s.dirty = avatars.list_spots(s, s.wet, DIRTY)
    s.wet_count = s.dirty
    for y in range(s.map.shape[0]):
        for x in range(s.map.shape[1]):
            if s.map[y, x] == MAP_RIVER:
                s.wet[s.wet_count] = avatars.cell_at(s, y, x)
                s.wet_count += 1
    s.site_count = avatars.list_spots(s, s.sites, SITE)
    s.spot_count = avatars.list_spots(s, s.spots, START)
    s.gap = geometric(s, s.params.growth)
    avatars.begin(s)
    ssd.forget(s)
    for a in range(s.at.shape[0]):
        s.clean_cooldown[a] = 0
        s.cleaned[a] = 0
        avatars.place(s, a, random_spot(s, s.spots, s.spot_count, s.cells, _FREE))


@kernel
def step(s, actions, rewards):
    avatars.dim(s)
    players = s.at.shape[0]
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if s.away[a] == 0 and avatars.move(s, a, actions[a], _FREE) == APPLE:
            rewards[a] += 1.0
            s.under[a] = BARE
    if fined(s):
        ssd.fine(s, actions, ZAP, ssd.LENGTH, ssd.RADIUS, _STOPS, rewards)
    else:
        avatars.zap_all(s, actions, ZAP, LENGTH, RADIUS, s.params.zap_cooldown, _STOPS)
    for k in range(players):
        a = s.order[k]
        s.cleaned[a] = 0
        if s.away[a] == 0:
            if s.clean_cooldown[a] > 0:
                s.clean_cooldown[a] -= 1
            elif actions[a] == CLEAN:
                s.clean_cooldown[a] = s.params.clean_cooldown
                clean(s, a)
    if not fined(s):
        avatars.come_back(s, s.spots, s.spot_count, _FREE)
        avatars.take_out(s, s.params.zap_away)
    grow(s, rewards)
    pollute(s)
    if fined(s):
        ssd.compare(s, rewards)
    avatars.end(s)


@large_kernel
def clean(s, a):
    """Fire the cleaning beam: a dirty cell that stops it becomes clean. In the rules of 2018 agents stop it too."""
    if fined(s):
        last = avatars.fire(s, s.cells, a, ssd.LENGTH, ssd.RADIUS, _CLEANED_OR_HIT)
    else:
        last = avatars.fire(s, s.ground, a, LENGTH, RADIUS, _CLEANED)
    for k in range(s.lit_count, last):
        cell = np.int64(s.lit[k])
        if s.ground[cell] == DIRT:
            s.cleaned[a] = 1
            avatars.show(s, cell, RIVER)
            for i in range(s.dirty):
                if s.wet[i] == cell:
                    s.dirty -= 1
                    s.wet[i] = s.wet[s.dirty]
                    s.wet[s.dirty] = cell
                    break
    avatars.light(s, last, _STOPS)


@kernel
def grow(s, rewards):
    """Let apples grow on empty sites, more of them with a cleaner river.

    An apple under an agent is eaten at once; in the rules of 2018 none grows there.
    """
    dirt = s.dirty / s.wet_count if s.wet_count > 0 else 0.0
    share = 1.0 - dirt / s.params.depletion if s.params.depletion > 0.0 else np.float64(dirt == 0.0)
    if share <= 0.0:
        return
    # Sites are drawn at the full rate; a share of them sprouts.
    found = sprout_anywhere(s, s.site_count, s.params.growth)
    while found >= 0:
        if bernoulli(s, share):
            cell = np.int64(s.sites[found])
            there = s.cells[cell]
            plain = there & (LIT - 1)
            if plain >= PLAYER:
                if not fined(s):
                    rewards[(plain - PLAYER) >> 2] += 1.0
            else:
                s.cells[cell] = there & LIT | APPLE
        found = sprout_anywhere(s, s.site_count, s.params.growth)


@kernel
def pollute(s):
    """After a delay, a random clean cell of the river becomes dirty with some probability in each step.

    In the rules of 2018 there is no delay, but the river must be clean enough for growth. Clean cells are tried
    in random order, until one of them is dirty.
    """
    clean = s.wet_count - s.dirty
    if fined(s):
        spoils = s.dirty < s.params.depletion * s.wet_count and geometric(s, s.params.pollution) < clean
    else:
        spoils = s.t > s.params.clean_start and clean > 0 and bernoulli(s, s.params.pollution)
    if spoils:
        chosen = s.dirty + randint(s, clean)
        cell = s.wet[chosen]
        s.wet[chosen] = s.wet[s.dirty]
        s.wet[s.dirty] = cell
        s.dirty += 1
        avatars.show(s, np.int64(cell), DIRT)


@large_kernel
def observe(s, agent, out):
    avatars.watch(s, agent, out["view"])
    out.ready[0] = avatars.readiness(s, agent, s.params.zap_cooldown)
    others = 0
    for a in range(s.at.shape[0]):
        others += s.cleaned[a]
    out.cleaners[0] = others - s.cleaned[agent]


class CleanUp(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("commons", "dilemmas")
    verified = "Melting Pot in lock-step, recorded and live, but for cells of return; growth and dirt by frequencies"
    variants = (dict(players=3), dict(rules="ssd", collective=True))
    shown = "alternator"
    keys = {**avatars.AvatarWorld.keys, "space": "zap", "c": "clean"}
    player_page = pages.PAGE
    page_slots = pages.page_slots
    legend = LEGEND
    things = {APPLE: "Apples", DIRT: "Dirty river", RIVER: "Clean river", BARE: "Empty apple sites"}

    def __init__(
        self,
        players: Annotated[int | None, Between(2, MOST_PLAYERS)] = None,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
        end_probability: Annotated[float | None, Between(0, 1)] = None,
        growth: Annotated[float, Between(0, 1)] = 0.05,
        depletion: Annotated[float, Between(0, 1)] = 0.4,
        pollution: Annotated[float, Between(0, 1)] = 0.5,
        zap_cooldown: Annotated[int | None, Between(0, 1000)] = None,
        zap_away: Annotated[int | None, Between(0, 1_000_000)] = None,
        clean_cooldown: Annotated[int | None, Between(0, 1000)] = None,
        rules: Literal["melting_pot", "ssd"] = "melting_pot",
        compat: Literal["documented", "reference"] = "documented",
        alpha: Annotated[float, Between(0, 1000)] = 0.0,
        beta: Annotated[float, Between(0, 1000)] = 0.0,
        trace: Annotated[float, Between(0, 0.999)] = 0.0,
        collective: bool = False,
    ):
        times = {"zap_cooldown": zap_cooldown, "zap_away": zap_away, "clean_cooldown": clean_cooldown}
        given = {"players": players, "horizon": horizon, "end_probability": end_probability, **times}
        fined = rules == "ssd"
        values = dict(_SSD if fined else _MELTING_POT)
        values |= {name: value for name, value in given.items() if value is not None}
        shared = ssd.params("CleanUp", rules, compat, alpha, beta, trace, collective, times)
        count = values.pop("players")
        height, width = (TALL, NARROW) if fined else (HEIGHT, WIDTH)
        self.players = count
        if fined:
            self.view_shape = ssd.VIEW
        self.define(
            agents=[f"player_{a}" for a in range(count)],
            actions=ACTIONS,
            observation=Dict({**self.view_spaces(APPLE), "cleaners": Box(0, count - 1, (1,), np.uint8)}),
            fields=fields(count, height, width),
            params={
                "growth": growth,
                "depletion": depletion,
                "pollution": pollution,
                "clean_start": 50,
                **values,
                "end_probability": float(values["end_probability"]),
                "end_after": 1000,
                "end_interval": 100,
                **shared,
            },
            reward_range=ssd.reward_range(count, shared) if fined else (0.0, 2.0),
        )

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"s": (self.players, "places to start"), "a": (1, "apple sites"), "w": (1, "clean cells of the river")}

    def status(self, s: Any, agent: int) -> str:
        return f"{super().status(s, agent)} Others who just cleaned: {self.observation(s, agent).cleaners[0]}."

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        dirty, wet = np.flatnonzero(s.ground == DIRT), np.flatnonzero((s.ground == DIRT) | (s.ground == RIVER))
        if not np.array_equal(np.where(ground == APPLE, BARE, ground), s.ground):
            return "the ground is not what is on the grid"
        if not (avatars.are_listed(s.wet, s.dirty, dirty) and avatars.are_listed(s.wet, s.wet_count, wet)):
            return "wet does not list the river, its dirty cells first"
        if not avatars.are_listed(s.sites, s.site_count, np.flatnonzero(s.ground == BARE)):
            return "sites does not list where apples grow"
        if not avatars.are_listed(s.spots, s.spot_count, avatars.cells_of(s, START)):
            return "spots does not list where agents return"
        return None

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        scene.add(Rect(x, y, 1, 1, "water" if code in (RIVER, DIRT) else "grass"))
        if code == DIRT:
            scene.add(Rect(x, y, 1, 1, "brown@0.55"))
        elif code == APPLE:
            scene.add(*apple(x + 0.5, y + 0.5))


env, raw_env, parallel_env = pettingzoo_forms(CleanUp)
