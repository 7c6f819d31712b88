"""CoopMining: iron for any miner, gold for two miners who hit it within three steps (Melting Pot).

**Rules.** Agents walk a mine of 27 x 27 cells. At every step, each of its 538 empty sites grows iron with probability
0.0002 and gold with probability 0.00008, unless an agent stands there. Ore never blocks the way.

A mining beam of 3 cells straight ahead ends at the first ore, and goes through agents. Iron that is hit is gone and
pays the miner 1. Gold that is hit waits for a second miner in this step and the next two. If exactly two agents have
hit it by then, it is gone and pays 8 to each of them. If only one agent or more than two have hit it, it is as before.
The order within a step:

1. All agents move, in random order. If several want a cell, a random one gets it.
2. Beams go off in the same order.
3. Gold that has waited is decided.
4. Ore grows.

**Agents.** `player_0` ... `player_5`, or 2 to 16 agents.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below |
| ready | Box (1,) float32 | 1 if the agent can mine, less while its beam cools down |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 3 | iron |
| 4 | gold |
| 5 | the agent itself |
| 6 | gold that waits for a second miner |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 to the observer's right, 2 back, 3 left |
| + 128 | a beam went over this cell in this step |

**Actions.** Discrete (8), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `mine` | fires the mining beam |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space mines.

**Rewards.** +1 for iron; +8 to each of the two agents that mine gold.

**Ends.** Truncated after `horizon` steps. Before that, the episode may terminate after step 1099 and every 100 steps
later, each time with probability `end_probability`. The reference does so at the same steps: its clock is one ahead of
its steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 6 | number of agents, from 2 to 16 |
| `horizon` | 5000 | steps until truncation, from 1 to 1,000,000 |
| `end_probability` | 0.2 | probability of an earlier end, from 0 to 1, see above |
| `iron_rate` | 0.0002 | probability that a site grows iron in a step, from 0 to 0.5 |
| `gold_rate` | 0.00008 | probability that a site grows gold in a step, from 0 to 0.5 |
| `window` | 3 | steps that gold waits for, from 1 to 1000 |
| `cooldown` | 3 | steps from one beam to the next, from 1 to 1000 |
| `compat` | documented | or reference, see below |

``compat="reference"`` follows Melting Pot's code. There, the second miner gets the gold out at once, so there cannot be
too many miners. Every hit by the first miner starts the wait again.

**Level.** ``{"map": [27 strings of 27 letters]}``: ``#`` wall, ``o`` site of ore, ``s`` where agents start. Without a
level, every episode has a new map from `envsuite.generators.mine`.

**Known values.** A stag hunt: gold pays 8 a hit to two agents that stay together, and nothing to one alone. Sum of all
rewards in 1000 steps of uniformly random play, mean +- standard error:

| Melting Pot, 8 episodes | `compat="reference"`, 256 episodes | `compat="documented"`, 256 episodes |
|---|---|---|
| 41.6 +- 1.6 | 47.6 +- 0.5; with Melting Pot's map as the level 46.2 +- 0.6 | 47.6 +- 0.5 |

**Differences.** From Melting Pot's `coop_mining`:

- Every episode has a new map, with pieces of wall that do not touch; there, there is one map.
- Symbols replace RGB pictures.
- Ore on which an agent stands is drawn under it, and can be mined there, as in the reference.
- Ore grows after the beams, where no agent stands after the moves. There, it grows before the beams, where none stands
  before the moves.
- Beams show on the ore that they hit; there, not. Gold that has waited in vain is shown to wait one step longer there.
- If two beams reach the same iron in a step, the first one gets it, and the second one passes. There, both get it.
- By default, gold follows its documented rules. The code has other rules: see `compat`.
- The documentation leaves open whether a hit starts the wait again; here it does not.

**Source.** Agapiou et al., "Melting Pot 2.0", 2022.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Dict

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Case, Page, When
from envsuite.core.random import geometric, shuffle, uniform
from envsuite.core.ranges import among, below, free, within
from envsuite.core.world import Between, Kernels
from envsuite.generators.mine import LEGEND, SITE, SIZE, START, mine
from envsuite.kit import avatar_pages, avatars
from envsuite.kit.avatars import BORDER, FLOOR, LIT, MOST_PLAYERS, MOVES, OUTSIDE, WALL
from envsuite.kit.grid import random_spot, sprout_anywhere
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Polygon, Scene

ACTIONS = (*MOVES, "mine")
MINE = len(MOVES)

#: Codes of cells in addition to those of `envsuite.kit.avatars`.
IRON, GOLD, WAITING = 3, 4, 6

#: Instead of the second miner of waiting gold: none, or more than one.
NOBODY, MANY = 255, 254

LENGTH = 3
_IRON_PAYS, _GOLD_PAYS = 1.0, 8.0

#: The maximum steps that gold waits for.
LONGEST = 1000

_CELLS = (SIZE + 2 * BORDER) ** 2
_, _FREE = avatars.tables()
_KIND = np.array([WALL, FLOOR, FLOOR], np.uint8)
#: What stops a beam on the ground, and where beams show.
_ORE = np.isin(np.arange(256), (OUTSIDE, WALL, IRON, GOLD, WAITING)).astype(np.uint8)
_DARK = np.isin(np.arange(256), (OUTSIDE, WALL)).astype(np.uint8)


def fields(players: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *avatars.fields(players, SIZE, SIZE, len(LEGEND)),
        *avatars.ground_fields(SIZE, SIZE),
        ("wait", within(np.int16, 0, LONGEST), (_CELLS,)),  # remaining steps for which gold on a cell waits
        ("miner", below(np.uint8, players), (_CELLS,)),  # agent that hit it first
        ("second", free(np.uint8), (_CELLS,)),  # agent that hit it next, NOBODY or MANY
        *avatars.list_fields("waiting_count", "waiting", SIZE, SIZE),  # gold that waits
        *avatars.list_fields("site_count", "sites", SIZE, SIZE),  # where ore grows
        *avatars.list_fields("spot_count", "spots", SIZE, SIZE),  # where agents start
        avatars.gap_field(),
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        mine(s, s.map)
    avatars.lay(s, _KIND)
    for k in range(_CELLS):
        s.ground[k] = s.cells[k]
        s.wait[k] = 0
    s.waiting_count = 0
    s.site_count = avatars.list_spots(s, s.sites, SITE)
    s.spot_count = avatars.list_spots(s, s.spots, START)
    s.gap = geometric(s, s.params.iron_rate + s.params.gold_rate)
    avatars.begin(s)
    for a in range(s.at.shape[0]):
        avatars.place(s, a, random_spot(s, s.spots, s.spot_count, s.cells, _FREE))


@kernel
def step(s, actions, rewards):
    avatars.dim(s)
    players = s.at.shape[0]
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        avatars.move(s, a, actions[a], _FREE)
    for k in range(players):
        a = s.order[k]
        if s.cooldown[a] > 0:
            s.cooldown[a] -= 1
        if s.cooldown[a] == 0 and actions[a] == MINE:
            s.cooldown[a] = s.params.cooldown
            dig(s, a, rewards)
    k = 0
    while k < s.waiting_count:
        cell = np.int64(s.waiting[k])
        s.wait[cell] -= 1
        if s.wait[cell] == 0:
            if s.second[cell] < MANY:
                extract(s, cell, rewards)
            else:
                avatars.show(s, cell, GOLD)
            forget(s, k)
        else:
            k += 1
    grow(s)
    avatars.end(s)


@large_kernel
def dig(s, a, rewards):
    """Fire: hit the ore at the end of the beam."""
    last = avatars.fire(s, s.ground, a, LENGTH, 0, _ORE)
    cell = np.int64(s.lit[last - 1])
    code = s.ground[cell]
    if code == IRON:
        rewards[a] += _IRON_PAYS
        avatars.show(s, cell, FLOOR)
    elif code == GOLD:
        s.wait[cell] = s.params.window
        s.miner[cell] = a
        s.second[cell] = NOBODY
        s.waiting[s.waiting_count] = cell
        s.waiting_count += 1
        avatars.show(s, cell, WAITING)
    elif code == WAITING and s.miner[cell] == a:
        if s.params.reference:
            s.wait[cell] = s.params.window
    elif code == WAITING and s.second[cell] != a:
        s.second[cell] = a if s.second[cell] == NOBODY else MANY
        if s.params.reference:
            extract(s, cell, rewards)
            for k in range(s.waiting_count):
                if s.waiting[k] == cell:
                    forget(s, k)
                    break
    avatars.light(s, last, _DARK)


@kernel
def extract(s, cell, rewards):
    """Pay both miners of gold."""
    rewards[s.miner[cell]] += _GOLD_PAYS
    rewards[s.second[cell]] += _GOLD_PAYS
    avatars.show(s, cell, FLOOR)


@kernel
def forget(s, k):
    """Remove entry `k` from the list of gold that waits."""
    s.wait[s.waiting[k]] = 0
    s.waiting_count -= 1
    s.waiting[k] = s.waiting[s.waiting_count]


@kernel
def grow(s):
    """Let ore grow on empty sites without an agent."""
    either = s.params.iron_rate + s.params.gold_rate
    found = sprout_anywhere(s, s.site_count, either)
    while found >= 0:
        cell = np.int64(s.sites[found])
        if s.cells[cell] & (LIT - 1) == FLOOR:
            avatars.show(s, cell, IRON if uniform(s) * either < s.params.iron_rate else GOLD)
        found = sprout_anywhere(s, s.site_count, either)


@large_kernel
def observe(s, agent, out):
    avatars.watch(s, agent, out["view"])
    out.ready[0] = avatars.readiness(s, agent, s.params.cooldown)


PAGE = Page(
    role="You are one of {players} miners.",
    goal="Iron that you mine pays you 1. Gold pays 8 to each of the two players that mine it together.",
    rules=(
        "You walk a mine. In each turn each of its empty sites grows iron with a chance of {iron} and gold with a "
        "chance of {gold}, unless a player stands there. Ore does not block the way; walls and other players do.",
        (
            "To mine, you fire a beam of up to {beam:cell} straight ahead. It goes through players and ends at the "
            "first ore or wall. Iron that it hits is gone and pays you.",
            Case(
                "compat",
                {
                    "documented": (
                        "Gold that it hits waits for other miners in the same turn",
                        When("more", "and the {next_more}.", "alone."),
                        "If exactly two players have hit it by then, it is gone and pays both. If only one has, or "
                        "more than two, it stays as it was.",
                    ),
                    "reference": (
                        "Gold that it hits waits for a second miner in the same turn",
                        When("more", "and the {next_more};", "alone;"),
                        "if the first one hits it again, the time starts anew. As soon as a second one hits it, it is "
                        "gone and pays both. If nobody does, it stays as it was.",
                    ),
                },
            ),
            When("rest", "After a beam you cannot mine in the {next_rest}."),
        ),
        (avatar_pages.CROWD, "After that, beams go off in the same order, and ore grows last."),
    ),
    sees=(avatar_pages.SEES, "You see which gold waits for another miner."),
    acts={**avatar_pages.WALKS, "mine": "fire the mining beam"},
    ends=avatar_pages.ENDS,
    constants={"1": "the reward for iron", "8": "the reward for gold", "two": "miners of gold"},
)


class CoopMining(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("commons", "teams")
    verified = "Melting Pot in lock-step with the rules of its code; growth by frequencies"
    variants = (dict(players=3, iron_rate=0.01, gold_rate=0.01),)
    shown = "both"
    keys = {**avatars.AvatarWorld.keys, "space": "mine"}
    legend = LEGEND
    things = {IRON: "Iron", GOLD: "Gold", WAITING: "Gold that waits for a second miner"}
    player_page = PAGE
    cools_first = True

    def __init__(
        self,
        players: Annotated[int, Between(2, MOST_PLAYERS)] = 6,
        horizon: Annotated[int, Between(1, 1_000_000)] = 5000,
        end_probability: Annotated[float, Between(0, 1)] = 0.2,
        iron_rate: Annotated[float, Between(0, 0.5)] = 0.0002,
        gold_rate: Annotated[float, Between(0, 0.5)] = 0.00008,
        window: Annotated[int, Between(1, LONGEST)] = 3,
        cooldown: Annotated[int, Between(1, 1000)] = 3,
        compat: Literal["documented", "reference"] = "documented",
    ):
        self.players = players
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=Dict(self.view_spaces(WAITING)),
            fields=fields(players),
            params={
                "iron_rate": iron_rate,
                "gold_rate": gold_rate,
                "window": window,
                "cooldown": cooldown,
                "reference": among(("documented", "reference"), compat),
                "end_after": 1000,
                "end_interval": 100,
                "end_probability": end_probability,
                "horizon": horizon,
            },
            reward_range=(0.0, _GOLD_PAYS * players),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {
            **avatar_pages.slots(self, s),
            **avatar_pages.nexts(more=s.params.window - 1, rest=s.params.cooldown - 1),
            "iron": avatar_pages.percent(s.params.iron_rate),
            "gold": avatar_pages.percent(s.params.gold_rate),
            "beam": LENGTH,
            "more": int(s.params.window) - 1,
            "rest": int(s.params.cooldown) - 1,
        }

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"s": (self.players, "starts")}

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        if not np.array_equal(ground, s.ground):
            return "the ground is not what is on the grid"
        waiting = np.flatnonzero(ground == WAITING)
        if not avatars.are_listed(s.waiting, s.waiting_count, waiting) or (s.wait[waiting] == 0).any():
            return "waiting does not list the gold that waits"
        if ((s.second[waiting] >= self.players) & (s.second[waiting] < MANY)).any():
            return "a second miner is no agent"
        listed = avatars.are_listed(s.sites, s.site_count, avatars.cells_of(s, SITE))
        return None if listed else "sites does not list where ore grows"

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        color = "grey" if code == IRON else "gold"
        if code == WAITING:
            scene.add(Circle(x + 0.5, y + 0.5, 0.46, "highlight", glyph=""))
        corners = [(0.2, 0.6), (0.35, 0.28), (0.7, 0.22), (0.84, 0.55), (0.6, 0.82), (0.3, 0.8)]
        scene.add(
            Polygon([(x + i, y + j) for i, j in corners], color, "black", 0.04, glyph="i" if code == IRON else "g")
        )
        scene.add(Polygon([(x + 0.38, y + 0.4), (x + 0.62, y + 0.34), (x + 0.5, y + 0.55)], "white@0.5"))


env, raw_env, parallel_env = pettingzoo_forms(CoopMining)
