"""Coins: two players collect coins in two colors; taking a coin of the other's color costs the other (Melting Pot).

**Rules.** The interior is 10 to 15 cells wide and 10 to 15 cells high, drawn for every episode. The players start in
opposite corners. At every step, each empty cell except these two corners grows a coin with probability 0.0005. The coin
has the color of either player with equal chances. A player that steps on a coin takes it. A coin that grows under a
player is taken at once. Within a step, the players move one after the other in random order. If both want a cell, a
random one gets it.

**Agents.** `player_0` and `player_1`.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below |
| robbed | Box (1,) uint8 | 1 if the other player took a coin of the agent's color in the last step |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 6 | coin of the agent's own color |
| 7 | coin of the other player's color |
| 5 | the agent itself |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 to the observer's right, 2 back, 3 left |

**Actions.** Discrete (7), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing.

**Rewards.** +1 for any coin; -2 (`mismatch`) when the other player takes a coin of the player's own color.

**Ends.** Truncated after `horizon` steps. Before that, the episode may terminate after step 399 and every 100 steps
later, each time with probability `end_probability`. The reference does so at the same steps: its clock is one ahead of
its steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `horizon` | 5000 | steps until truncation, from 1 to 1,000,000 |
| `end_probability` | 0.05 | probability of an earlier end, from 0 to 1, see above |
| `regrowth` | 0.0005 | probability that a cell grows a coin in a step, from 0 to 1 |
| `mismatch` | -2.0 | reward of the player whose coin the other takes, from -100 to 0 |

**Level.** ``{"map": [17 strings of 17 letters]}``: ``#`` wall, ``.`` floor where coins grow, ``s`` where players start.
Any number of ``1`` and ``2`` are coins of `player_0` and of `player_1` that are there at the start.

**Known values.** A coin is worth 1 to both players together if its owner takes it, and -1 if the other does. Two
players that take every coin therefore get 0 together per coin on average. Two players that take only their own coins
get 1. Whatever the other player does, one more coin is worth 1 to the player that takes it: a dilemma. Sum of both
rewards in 1000 steps of uniformly random play:

| Melting Pot, 8 episodes | this world, 1,024 episodes |
|---|---|
| 1.75 +- 1.28 | 0.40 +- 0.45; its expectation is 0 |

**Differences.** From Melting Pot's `coins`:

- The size is drawn for every episode; there, once for a substrate.
- Symbols replace RGB pictures, and colors are given as own and other.
- A cell whose coin was just taken can have the next one in the same step; there, not before the next step.
- There, only some of the background players know `robbed` (as MISMATCHED_COIN_COLLECTED_BY_PARTNER).

**Source.** Lerer and Peysakhovich, "Maintaining cooperation in complex social dilemmas using deep reinforcement
learning", 2017; Leibo et al., "Scalable Evaluation of Multi-Agent Reinforcement Learning with Melting Pot", 2021.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Page, When
from envsuite.core.random import geometric, randint
from envsuite.core.ranges import flag
from envsuite.core.world import Between, Kernels
from envsuite.kit import avatar_pages, avatars
from envsuite.kit.avatars import FLOOR, MOVES, OWN, PLAYER, WALL
from envsuite.kit.grid import sprout_anywhere
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Scene
from envsuite.render.theme import agent_color

SIZE, SMALLEST, LARGEST = 17, 10, 15
LEGEND = "#.s12"
_WALL, _SITE, _START, _COIN = range(4)

#: Codes of cells in addition to those of `envsuite.kit.avatars`: a coin of `player_0` or of `player_1`.
COIN = 6

_, _FREE = avatars.tables()
_CODES = np.array([WALL, FLOOR, FLOOR, COIN, COIN + 1], np.uint8)


FIELDS = [
    *avatars.fields(2, SIZE, SIZE, len(LEGEND)),
    *avatars.list_fields("site_count", "sites", SIZE, SIZE),  # where coins grow
    ("starts", avatars.cell_type(np.int16, SIZE, SIZE), (SIZE * SIZE,)),  # the cells where players start
    avatars.gap_field(),
    ("robbed", flag(), (2,)),  # whether the other took a coin of a player's color in this step
]


@large_kernel
def reset(s):
    if not s.level_given:
        make(s)
    avatars.lay(s, _CODES)
    count = avatars.list_spots(s, s.sites, _SITE)
    for letter in range(_COIN, _COIN + 2):
        for y in range(SIZE):
            for x in range(SIZE):
                if s.map[y, x] == letter:
                    s.sites[count] = avatars.cell_at(s, y, x)
                    count += 1
    s.site_count = count
    s.gap = geometric(s, s.params.regrowth)
    avatars.begin(s)
    avatars.list_spots(s, s.starts, _START)
    first = randint(s, 2)
    avatars.place(s, 0, np.int64(s.starts[first]))
    avatars.place(s, 1, np.int64(s.starts[1 - first]))
    for a in range(2):
        s.robbed[a] = 0


@kernel
def make(s):
    """A new island in the middle of the map, with starts in two opposite corners."""
    height, width = SMALLEST + randint(s, LARGEST - SMALLEST + 1), SMALLEST + randint(s, LARGEST - SMALLEST + 1)
    top, left = (SIZE - height) // 2, (SIZE - width) // 2
    for y in range(SIZE):
        for x in range(SIZE):
            s.map[y, x] = _SITE if top <= y < top + height and left <= x < left + width else _WALL
    flip = randint(s, 2)
    s.map[top, left + flip * (width - 1)] = _START
    s.map[top + height - 1, left + (1 - flip) * (width - 1)] = _START


@kernel
def step(s, actions, rewards):
    s.robbed[0] = 0
    s.robbed[1] = 0
    first = randint(s, 2)
    for k in range(2):
        a = first ^ k
        entered = avatars.move(s, a, actions[a], _FREE)
        if entered == COIN or entered == COIN + 1:
            s.under[a] = FLOOR
            take(s, a, entered - COIN, rewards)
    grow(s, rewards)
    avatars.end(s)


@kernel
def take(s, a, owner, rewards):
    """A player takes a coin of this owner."""
    rewards[a] += 1.0
    if owner != a:
        rewards[owner] += s.params.mismatch
        s.robbed[owner] = 1


@kernel
def grow(s, rewards):
    """Let coins grow on empty cells; a coin under a player is taken at once."""
    found = sprout_anywhere(s, s.site_count, s.params.regrowth)
    while found >= 0:
        cell = np.int64(s.sites[found])
        code = s.cells[cell]
        if code == FLOOR:
            s.cells[cell] = COIN + randint(s, 2)
        elif PLAYER <= code < OWN:
            take(s, (code - PLAYER) >> 2, randint(s, 2), rewards)
        found = sprout_anywhere(s, s.site_count, s.params.regrowth)


@large_kernel
def observe(s, agent, out):
    avatars.watch(s, agent, out["view"], COIN & ~3, agent)  # the owner sees its coin with the code of `player_0`
    out.robbed[0] = s.robbed[agent]


PAGE = Page(
    role="You and {others} collect coins. Each of you has a color, and so has each coin.",
    goal=(
        "A coin that you take pays you 1, whatever its color. When the other takes a coin of your color,",
        When("mismatch", "you get {mismatch}.", "nothing happens to you."),
        When("mismatch", "When you take a coin of the other's color, the other gets {mismatch}."),
    ),
    rules=(
        "You walk in a room and begin in opposite corners. In each turn each empty cell, except these two corners, "
        "grows a coin with a chance of {chance}, of either color with equal chances. You take a coin by stepping on "
        "it, and a coin that grows under you at once. You both choose at once; if both of you want a cell, one gets "
        "it by lot. The other and walls block the way.",
    ),
    sees=(avatar_pages.SEES, "You see whether the other has just taken a coin of yours."),
    acts=avatar_pages.WALKS,
    ends=avatar_pages.ENDS,
    constants={"1": "the reward for a coin", "two": "corners"},
)


class Coins(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("commons", "dilemmas")
    verified = "Melting Pot in lock-step, recorded and live; growth by frequencies; totals under random play"
    variants = (dict(regrowth=0.02),)
    shown = "cooperator"
    legend = LEGEND
    beams = False
    things = {COIN: "Coins of yours", COIN + 1: "Coins of the other's"}
    players = 2
    player_page = PAGE

    def __init__(
        self,
        horizon: Annotated[int, Between(1, 1_000_000)] = 5000,
        end_probability: Annotated[float, Between(0, 1)] = 0.05,
        regrowth: Annotated[float, Between(0, 1)] = 0.0005,
        mismatch: Annotated[float, Between(-100, 0)] = -2.0,
    ):
        view = self.view_spaces(COIN + 1)["view"]
        self.define(
            agents=["player_0", "player_1"],
            actions=MOVES,
            observation=Dict({"view": view, "robbed": Box(0, 1, (1,), np.uint8)}),
            fields=FIELDS,
            params={
                "regrowth": regrowth,
                "mismatch": mismatch,
                "end_after": 300,
                "end_interval": 100,
                "end_probability": end_probability,
                "horizon": horizon,
            },
            reward_range=(2 * mismatch, 2.0),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {**avatar_pages.slots(self, s), "chance": avatar_pages.percent(s.params.regrowth)}

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"s": (2, "starts")}

    def status(self, s: Any, agent: int) -> str:
        return "The other just took a coin of yours." if s.robbed[agent] else ""

    def tally(self, grid: np.ndarray) -> list[tuple[int, str, int]]:
        return [(COIN + a, f"coins of {agent}", int((grid == COIN + a).sum())) for a, agent in enumerate(self.agents)]

    def code_of(self, agent: int, seen: int) -> int:
        return seen ^ agent

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        sites = avatars.cells_of(s, _SITE, _COIN, _COIN + 1)
        listed = avatars.are_listed(s.sites, s.site_count, sites)
        return None if listed else "sites does not list where coins grow"

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        color = agent_color(code - COIN)
        scene.add(Circle(x + 0.5, y + 0.5, 0.3, color), Circle(x + 0.5, y + 0.5, 0.16, None, "white", 0.05, glyph=""))


env, raw_env, parallel_env = pettingzoo_forms(Coins)
