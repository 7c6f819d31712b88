"""AllelopathicHarvest: berries ripen faster the more of them share a color; agents plant the colors (Melting Pot).

**Rules.** Agents walk a torus of 29 x 30 cells with 348 berries. Red, green and blue ones are equal in number, and all
are unripe at the start. Half of the agents like red best, the others green. An agent that steps on a ripe berry eats
it, and an unripe one of its color grows in its place.

At every step, an unripe berry ripens with probability 0.000005 times the number of berries of its color, ripe ones
included. It does not ripen in the first 9 steps after it was eaten or planted, or after the start.

A planting beam of 3 cells straight ahead ends at the first agent or berry, even a berry under an agent. An unripe berry
of another color takes the color of the beam, unless it was eaten or planted in this step. The planter shows that color
from then on. Whenever the planter eats, it may lose that color. The probability is the share of berries that are not of
the most frequent color.

A zapping beam is 3 cells long and 3 wide. An agent that is hit by it is marked for that step and the next 49. In the
next 24 steps it can neither walk, turn nor zap, but it can plant. After them its zapping beam cools down, so that it
cannot zap in the next 29 steps. An agent that is hit again while it is marked loses 10 and is out at the next step, for
26 observations. It comes back at a random place without mark and color.

The order within a step:

1. Agents that were hit twice go out.
2. Berries ripen. A berry that ripens under an agent is eaten at once.
3. All agents move, in random order. If several want a cell, a random one gets it.
4. All beams go off.
5. Agents whose time away is over return.

Only agents and walls block the way. Walls exist in levels only.

**Agents.** `player_0` ... `player_15`, or 2 to 16 agents. The first half, or one more, likes red best.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below; all zero while it is away |
| ready | Box (1,) float32 | 1 if the agent can zap, less while that beam cools down, 0 while it is frozen or away |
| colors | Box (agents,) uint8 | color of each agent in view: 1 none, 2 red, 3 green, 4 blue; 0 for all others |
| marks | Box (agents,) uint8 | 1 for each agent in view that is marked |
| taste | Discrete (3) | the color that the agent likes best: 0 red, 1 green, 2 blue |

The agents in view include the observer. The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so
that the agent looks up: row 0 is farthest ahead, and the agent itself is at row 9, column 5.

| code | cell |
|---|---|
| 1 | wall |
| 2 | floor |
| 5 | the agent itself |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 to the observer's right, 2 back, 3 left |
| 72, 73, 74 | red, green, blue berry, unripe |
| 75, 76, 77 | red, green, blue berry, ripe |
| + 128 | a beam went over this cell in this step |

**Actions.** Discrete (11), all of them always legal. While an agent is away, they have no effect.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `zap` | fires the zapping beam |
| 8-10 | `plant red`, `plant green`, `plant blue` | fires a planting beam of that color |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space zaps. The keys r, g and b plant red, green and blue.

**Rewards.** +2 for a berry of the color that the agent likes best, +1 for another; -10 (`penalty`) for a second hit.

**Ends.** Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 16 | number of agents, from 2 to 16 |
| `horizon` | 2000 | steps until truncation, from 1 to 1,000,000 |
| `tastes` | mixed | or red: all agents like red best |
| `ripening` | 0.000005 | probability per berry of the color that a berry ripens in a step, from 0 to 0.001 |
| `ripening_delay` | 10 | steps before a berry can ripen, from 0 to 1,000,000, see above |
| `plant_cooldown` | 2 | steps from one planting beam to the next, from 1 to 1000 |
| `zap_cooldown` | 4 | steps after a zap in which the agent cannot zap, from 1 to 1000 |
| `freeze` | 25 | steps of a freeze, the hit included, from 0 to 1,000,000 |
| `recovery` | 50 | steps of a mark, the hit included, from 0 to 1,000,000 |
| `zap_away` | 25 | observations away, less one, from 0 to 1,000,000 |
| `penalty` | 10 | cost of a second hit, from 0 to 1,000,000 |

**Level.** ``{"map": [30 strings of 29 letters]}``: ``r``, ``g``, ``b`` berry, ``s`` where agents start and return,
``#`` wall. Without a level, every episode has a new map from `envsuite.social.allelopathic_harvest.levels`.

**Known values.** Let u_c of the n_c berries of color c be unripe. Then 0.000005 sum(n_c u_c) berries ripen in a step
on average. If all are eaten as they ripen, N berries with shares x_c yield 0.000005 N^2 sum(x_c^2) a step. For N = 348:

| colors | yield of a step |
|---|---|
| a third each | 0.202 |
| two colors, a half each | 0.303 |
| one alone | 0.606, three times as much |

With one color alone, the eight agents that like it get 2 for a berry and the other eight get 1. Sum of all rewards in
1000 steps of uniformly random play, mean +- standard error:

| Melting Pot, 8 episodes | this world, 256 episodes |
|---|---|
| -153.8 +- 22.3 | -154.6 +- 3.2; with Melting Pot's map as the level -160.3 +- 3.3 |

**Differences.** From Melting Pot's `allelopathic_harvest__open`:

- Every episode has a new map, with berries anywhere, as they seem to be on its only map.
- Symbols replace RGB pictures. The pictures show the colors and marks of agents in view, but not what the observer
  likes.
- One light stands for beams of four colors.
- There too, a planting beam goes off at every second step. After a pause it sometimes goes off at two steps in a row,
  since three counters of one cooldown run at once.
- There, an agent that has eaten gets the next berry on the same cell only when it tries to walk.
- There, an agent that comes back cannot zap in its first 4 steps.
- There, a third hit in one step marks the agent again.
- There, an agent that goes out is in the way of those that walk in that step.
- There, a berry that ripens under an agent whose walk is blocked in that step pays twice.

**Source.** Koster et al., "Model-free conventions in multi-agent reinforcement learning with heterogeneous
preferences", 2020; Agapiou et al., "Melting Pot 2.0", 2022.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, geometric, randint, shuffle
from envsuite.core.ranges import free, limited, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import avatars
from envsuite.kit.avatars import BORDER, FLOOR, LIT, MOST_PLAYERS, MOVES, OWN, PLAYER, WALL
from envsuite.kit.grid import random_spot, sprout_anywhere
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Rect, Scene
from envsuite.social.allelopathic_harvest import pages
from envsuite.social.allelopathic_harvest.levels import COLORS, HEIGHT, LEGEND, RED, START, WIDTH, berries, berry

ACTIONS = (*MOVES, "zap", *(f"plant {color}" for color in COLORS))
ZAP, PLANT = len(MOVES), len(MOVES) + 1

#: Codes of cells in addition to those of `envsuite.kit.avatars`, each plus the number of a color.
UNRIPE, RIPE = OWN, OWN + len(COLORS)

#: The color that an agent shows to others: PLAIN, or COLORED plus the number of a color.
UNSEEN, PLAIN, COLORED = range(3)

LENGTH, RADIUS = 3, 1
_FAVORITE, _OTHER = 2.0, 1.0

_STOPS, _FREE = avatars.tables()
#: What stops a planting beam.
_PLANTED, _ = avatars.tables(stops=range(UNRIPE, RIPE + len(COLORS)))
_KIND = np.array([WALL, FLOOR, *range(UNRIPE, RIPE)], np.uint8)


def fields(players: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *avatars.fields(players, HEIGHT, WIDTH, len(LEGEND), torus=True),
        *avatars.torus_fields(HEIGHT, WIDTH),
        *avatars.sanction_fields(players),
        ("due", free(np.int32), ((HEIGHT + 2 * BORDER) * (WIDTH + 2 * BORDER),)),  # step from which a berry can ripen
        *avatars.list_fields("site_count", "sites", HEIGHT, WIDTH),  # berries
        ("count", within(np.int64, 0, HEIGHT * WIDTH), (len(COLORS),)),  # number of berries of each color
        avatars.gap_field(),
        *avatars.list_fields("spot_count", "spots", HEIGHT, WIDTH),  # where agents start and return
        ("plant_cooldown", within(np.int64, 0, avatars.LONGEST), (players,)),  # steps until an agent can plant
        # PLAIN, or COLORED plus a color: the color that others see
        ("shown", within(np.uint8, PLAIN, COLORED + len(COLORS) - 1), (players,)),
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        berries(s, s.map)
    avatars.lay(s, _KIND)
    s.spot_count = avatars.list_spots(s, s.spots, START)
    s.site_count = 0
    for color in range(len(COLORS)):
        s.count[color] = 0
    for y in range(HEIGHT):
        for x in range(WIDTH):
            if s.map[y, x] >= RED:
                cell = avatars.cell_at(s, y, x)
                s.due[cell] = s.params.ripening_delay
                s.sites[s.site_count] = cell
                s.site_count += 1
                s.count[s.map[y, x] - RED] += 1
    s.gap = geometric(s, s.params.ripening * s.site_count)
    avatars.begin(s)
    avatars.forgive(s)
    for a in range(s.at.shape[0]):
        s.plant_cooldown[a] = 0
        s.shown[a] = PLAIN
        avatars.place(s, a, random_spot(s, s.spots, s.spot_count, s.cells, _FREE))
    avatars.wrap(s)


@kernel
def step(s, actions, rewards):
    # One more, as `come_back` counts this step too.
    avatars.take_out(s, s.params.zap_away + 1)
    avatars.thaw(s, s.params.zap_cooldown)
    avatars.dim(s)
    ripen(s, rewards)
    players = s.at.shape[0]
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if s.away[a]:
            s.shown[a] = PLAIN
        elif s.frozen[a] == 0 and avatars.move(s, a, actions[a], _FREE) >= RIPE:
            eat(s, a, rewards)
    avatars.zap_all(s, actions, ZAP, LENGTH, RADIUS, s.params.zap_cooldown, _STOPS)
    for k in range(players):
        a = s.order[k]
        if s.plant_cooldown[a] > 0:
            s.plant_cooldown[a] -= 1
        if s.plant_cooldown[a] == 0 and s.away[a] == 0 and actions[a] >= PLANT:
            s.plant_cooldown[a] = s.params.plant_cooldown
            plant(s, a, actions[a] - PLANT)
    avatars.come_back(s, s.spots, s.spot_count, _FREE)
    avatars.sanction(s, s.params.freeze, s.params.recovery, s.params.penalty, rewards)
    if s.t >= s.params.horizon:
        fill(s.truncated, 1)
    avatars.wrap(s)


@kernel
def ripen(s, rewards):
    """Berries ripen with a chance in proportion to the berries of their color. Agents on them eat them at once."""
    # Sites are drawn at the rate of a field of one color, then accepted with their color's share.
    found = sprout_anywhere(s, s.site_count, s.params.ripening * s.site_count)
    while found >= 0:
        cell = np.int64(s.sites[found])
        code = np.int64(s.cells[cell])
        a = (code - PLAYER) >> 2 if PLAYER <= code < OWN else -1
        color = (code if a < 0 else np.int64(s.under[a])) - UNRIPE
        if color < len(COLORS) and s.t >= s.due[cell] and randint(s, s.site_count) < s.count[color]:
            if a < 0:
                s.cells[cell] = RIPE + color
            else:
                s.under[a] = RIPE + color
                eat(s, a, rewards)
        found = sprout_anywhere(s, s.site_count, s.params.ripening * s.site_count)


@large_kernel
def eat(s, a, rewards):
    """An agent eats the ripe berry under it. Where colors are mixed, it soon loses its own color."""
    color = np.int64(s.under[a]) - RIPE
    rewards[a] += _FAVORITE if color == s.params.favourite[a] else _OTHER
    s.under[a] = UNRIPE + color
    s.due[s.at[a]] = s.t + s.params.ripening_delay
    most = max(s.count[0], s.count[1], s.count[2])
    if bernoulli(s, 1.0 - most / s.site_count):
        s.shown[a] = PLAIN


@large_kernel
def plant(s, a, color):
    """Fire: an unripe berry at the end of the beam takes this color, unless it was eaten or planted in this step."""
    last = avatars.fire(s, s.cells, a, LENGTH, 0, _PLANTED)
    cell = np.int64(s.lit[last - 1])
    code = np.int64(s.cells[cell]) & (LIT - 1)
    other = (code - PLAYER) >> 2 if PLAYER <= code < OWN else -1
    old = (code if other < 0 else np.int64(s.under[other])) - UNRIPE
    fresh = s.t + s.params.ripening_delay
    if 0 <= old < len(COLORS) and old != color and s.due[cell] != fresh:
        if other < 0:
            s.cells[cell] = s.cells[cell] & LIT | (UNRIPE + color)
        else:
            s.under[other] = UNRIPE + color
        s.due[cell] = fresh
        s.count[old] -= 1
        s.count[color] += 1
        s.shown[a] = COLORED + color
    avatars.light(s, last, _PLANTED)


@large_kernel
def observe(s, agent, out):
    view = out["view"]
    avatars.watch_torus(s, agent, view)
    out.ready[0] = avatars.readiness(s, agent, s.params.zap_cooldown)
    out.taste = s.params.favourite[agent]
    avatars.see_marks(s, agent, view, out.marks)
    for a in range(s.at.shape[0]):
        out.colors[a] = UNSEEN
    if s.away[agent] == 0:
        out.colors[agent] = s.shown[agent]
        for i in range(view.shape[0]):
            for j in range(view.shape[1]):
                code = np.int64(view[i, j]) & (LIT - 1)
                if PLAYER <= code < OWN:
                    out.colors[(code - PLAYER) >> 2] = s.shown[(code - PLAYER) >> 2]


class AllelopathicHarvest(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("commons",)
    verified = "Melting Pot: totals under random play, and its rules one by one"
    variants = (dict(players=4, tastes="red"),)
    shown = "conformist"
    keys = {**avatars.AvatarWorld.keys, "space": "zap", **{color[0]: f"plant {color}" for color in COLORS}}
    player_page = pages.PAGE
    page_slots = pages.page_slots
    legend = LEGEND
    torus = True
    things = {
        **{RIPE + k: f"Ripe {color} berries" for k, color in enumerate(COLORS)},
        **{UNRIPE + k: f"Unripe {color} berries" for k, color in enumerate(COLORS)},
    }

    def __init__(
        self,
        players: Annotated[int, Between(2, MOST_PLAYERS)] = 16,
        horizon: Annotated[int, Between(1, 1_000_000)] = 2000,
        tastes: Literal["mixed", "red"] = "mixed",
        ripening: Annotated[float, Between(0, 0.001)] = 0.000005,
        ripening_delay: Annotated[int, Between(0, 1_000_000)] = 10,
        plant_cooldown: Annotated[int, Between(1, 1000)] = 2,
        zap_cooldown: Annotated[int, Between(1, 1000)] = 4,
        freeze: Annotated[int, Between(0, 1_000_000)] = 25,
        recovery: Annotated[int, Between(0, 1_000_000)] = 50,
        zap_away: Annotated[int, Between(0, 1_000_000)] = 25,
        penalty: Annotated[float, Between(0, 1_000_000)] = 10.0,
    ):
        self.players = players
        favourite = [int(tastes == "mixed" and 2 * a > players - 1) for a in range(players)]
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=Dict(
                {
                    **self.view_spaces(RIPE + len(COLORS) - 1),
                    "colors": Box(UNSEEN, COLORED + len(COLORS) - 1, (players,), np.uint8),
                    "marks": Box(0, 1, (players,), np.uint8),
                    "taste": Discrete(len(COLORS)),
                }
            ),
            fields=fields(players),
            params={
                "favourite": limited(np.array(favourite, np.int64), 0, len(COLORS) - 1),
                "ripening": ripening,
                "ripening_delay": ripening_delay,
                "plant_cooldown": plant_cooldown,
                "zap_cooldown": zap_cooldown,
                "freeze": freeze,
                "recovery": recovery,
                "zap_away": zap_away,
                "penalty": penalty,
                "horizon": horizon,
            },
            reward_range=(-penalty, 2 * _FAVORITE),
        )

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"s": (self.players, "places to start")}

    def status(self, s: Any, agent: int) -> str:
        shown = int(s.shown[agent])
        lines = [
            super().status(s, agent),
            f"You like {COLORS[int(s.params.favourite[agent])]} berries best.",
            "You show no color." if shown == PLAIN else f"You show the color {COLORS[shown - COLORED]}.",
        ]
        return " ".join(lines)

    def text(self, s: Any, agent: int) -> str:
        text = super().text(s, agent)
        if s.away[agent]:
            return text
        seen = enumerate(self.observation(s, agent).colors)
        colors = [f"{self.agents[a]} {COLORS[shown - COLORED]}" for a, shown in seen if shown >= COLORED and a != agent]
        return f"{text}\nColors that others show: {'; '.join(colors) if colors else 'none in view'}."

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        berries = np.flatnonzero(ground >= UNRIPE)
        if not np.array_equal(berries, avatars.cells_of(s, *range(RED, len(LEGEND)))):
            return "berries are not at their sites"
        if not avatars.are_listed(s.sites, s.site_count, berries):
            return "sites does not list the berries"
        if (np.bincount((ground[berries] - UNRIPE) % len(COLORS), minlength=len(COLORS)) != s.count).any():
            return "count does not count the berries"
        listed = avatars.are_listed(s.spots, s.spot_count, avatars.cells_of(s, START))
        return None if listed else "spots does not list where agents return"

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        color = COLORS[(code - UNRIPE) % len(COLORS)]
        scene.add(Rect(x, y, 1, 1, "soil"), *berry(x + 0.5, y + 0.5, color, ripe=code >= RIPE))

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The field; a dot on an agent is the color that it shows."""
        scene = super().scene(s, agent)
        for a, (x, y, _) in self.in_picture(s, agent).items():
            if s.shown[a] >= COLORED:
                scene.add(Circle(x + 0.8, y + 0.8, 0.2, COLORS[int(s.shown[a]) - COLORED], "white", 0.07, glyph=""))
        return scene


env, raw_env, parallel_env = pettingzoo_forms(AllelopathicHarvest)
