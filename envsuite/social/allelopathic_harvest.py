"""AllelopathicHarvest: berries ripen faster the more of them share a colour; agents plant the colours (Melting Pot).

**Rules.** Agents walk a torus of 29 x 30 cells with 348 berries, red, green and blue ones in equal numbers and all
unripe at the start. Half of the agents like red best, the others green. An agent that steps on a ripe berry eats it,
and an unripe one of its colour grows in its place. At every step an unripe berry ripens with probability 0.000005 times
the number of berries of its colour, ripe ones included; but not in the first 9 steps after it was eaten or planted, or
after the start. A planting beam of 3 cells straight ahead ends at the first berry, under an agent or not, or agent; a
berry that is unripe takes the colour of the beam, and the planter shows that colour from then on. Whenever it eats, it
loses it with the probability that a random berry is not of the most frequent colour. An agent that is hit by a zapping
beam, 3 cells long and 3 wide, is marked for 50 steps and for 24 can neither walk, turn nor zap, but plant. An agent
that is hit again while it is marked loses 10, is out at the next step, for 26 observations, and comes back at a random
place without mark and colour.

Within one step those who were hit twice go out; then berries ripen, and one that ripens under an agent is eaten at
once; then all move, in random order, so that of several agents that want a cell a random one gets it; then all beams go
off; then agents whose time away is over return. Only agents and walls, of which there are none but in levels, block the
way.

**Agents.** `player_0` ... `player_15`, or 2 to 16 of them; the first half, or one more, like red best.

**Observation.** A Dict of five parts; symbols, not pixels.

`view`, Box (11, 11) uint8: what lies up to 9 cells ahead, 1 behind and 5 to each side, turned so that the agent looks
up: row 0 is farthest ahead, the agent itself is at row 9, column 5. All zero while the agent is away.

| code | cell |
|---|---|
| 1 | wall |
| 2 | floor |
| 5 | the agent itself |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 turned right of that, 2 back, 3 left |
| 72, 73, 74 | red, green, blue berry, unripe |
| 75, 76, 77 | red, green, blue berry, ripe |
| + 128 | a beam went over this cell in this step |

`ready`, Box (1,) float32: 1 if the agent can zap, less while that beam cools down, 0 while it is frozen or away.

`colors`, Box (agents,) uint8: for each agent in view, the observer included, 1 if it shows no colour, 2, 3, 4 if it
shows red, green, blue; 0 for all others.

`marks`, Box (agents,) uint8: 1 for each agent in view, the observer included, that is marked.

`taste`, Discrete (3): the colour that the agent likes best: 0 red, 1 green, 2 blue.

**Actions.** Discrete (11); all are always legal, and those of an agent that is away do nothing.

| action | name |
|---|---|
| 0 | `noop` |
| 1-4 | `forward`, `backward`, `step left`, `step right`: one cell, facing as before |
| 5, 6 | `turn left`, `turn right` |
| 7 | `zap` |
| 8-10 | `plant red`, `plant green`, `plant blue` |

**Rewards.** +2 for a berry of the colour that the agent likes best, +1 for another; -10 for a second hit.

**Ends.** Truncated after `horizon` steps (2000).

**Parameters.** `players` (16), `horizon` (2000), `tastes` ("mixed"; "red" is for all the same), `ripening` (0.000005),
`ripening_delay` (10), `plant_cooldown` (2), the steps from one planting beam to the next, `zap_cooldown` (4),
`freeze` (25), `recovery` (50), `zap_away` (25), `penalty` (10).

**Level.** ``{"map": [30 strings of 29 letters]}``: ``r``, ``g``, ``b`` berry, ``s`` where agents start and return,
``#`` wall. Without one, every episode has a new map from `envsuite.generators.berries`.

**Known values.** With u_c of the n_c berries of colour c unripe, 0.000005 sum(n_c u_c) ripen in a step on average. So
if all are eaten as they ripen, N berries with shares x_c yield 0.000005 N^2 sum(x_c^2) a step: for N = 348 that is
0.202 with the colours at a third each, 0.303 with two at a half, and 0.606 with one alone, three times as much; of that
colour, eight agents who like it get 2 for a berry and the other eight 1.

Sum of all rewards in 1000 steps of uniformly random play, mean +- standard error:

| Melting Pot, 8 episodes | this world, 256 episodes |
|---|---|
| -153.8 +- 22.3 | -154.6 +- 3.2; with Melting Pot's map as the level -160.3 +- 3.3 |

**Differences** from Melting Pot's `allelopathic_harvest__open`. Every episode has a new map, with berries anywhere, as
they seem to be on its only one. Symbols stand for RGB pictures, which show the colours and marks of those in view, but
not what the observer likes; one light stands for beams of four colours. There a planting beam goes off at every second
step too, but after a pause sometimes at two steps in a row, since three counters of one cooldown run at once. There an
agent that has eaten gets the next berry on the same cell only when it tries to walk, one that comes back cannot zap in
its first 4 steps, and a third hit in one step marks the agent again.

**Source.** Koster et al., "Model-free conventions in multi-agent reinforcement learning with heterogeneous
preferences", 2020; Agapiou et al., "Melting Pot 2.0", 2022.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, geometric, randint, shuffle
from envsuite.core.ranges import free, limited, within
from envsuite.core.world import Between, Kernels
from envsuite.generators.berries import COLORS, HEIGHT, LEGEND, RED, START, WIDTH, berries, berry
from envsuite.kit import avatars
from envsuite.kit.avatars import BORDER, FLOOR, LIT, MOST_PLAYERS, MOVES, OWN, PLAYER, WALL
from envsuite.kit.grid import random_spot, sprout_anywhere
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Rect, Scene

ACTIONS = (*MOVES, "zap", *(f"plant {color}" for color in COLORS))
ZAP, PLANT = len(MOVES), len(MOVES) + 1

#: What a cell holds, beside `envsuite.kit.avatars`: these, each plus the number of a colour.
UNRIPE, RIPE = OWN, OWN + len(COLORS)

#: What an agent shows, as others see it, or COLORED plus the number of a colour.
UNSEEN, PLAIN, COLORED = range(3)

LENGTH, RADIUS = 3, 1
_FAVOURITE, _OTHER = 2.0, 1.0

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
        ("count", within(np.int64, 0, HEIGHT * WIDTH), (len(COLORS),)),  # number of berries of each colour
        avatars.gap_field(),
        *avatars.list_fields("spot_count", "spots", HEIGHT, WIDTH),  # where agents start and return
        ("plant_cooldown", within(np.int64, 0, avatars.LONGEST), (players,)),  # steps until an agent can plant
        # PLAIN, or COLORED plus a colour: what others see of an agent
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
        for a in range(players):
            s.truncated[a] = 1
    avatars.wrap(s)


@kernel
def ripen(s, rewards):
    """Let berries ripen, with a chance in proportion to the berries of their colour; agents eat them at once."""
    # Sites come up at the rate of a field of one colour, and count with the share of theirs.
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
    """An agent eats the ripe berry under it; the fewer berries share a colour, the sooner it loses its own."""
    color = np.int64(s.under[a]) - RIPE
    rewards[a] += _FAVOURITE if color == s.params.favourite[a] else _OTHER
    s.under[a] = UNRIPE + color
    s.due[s.at[a]] = s.t + s.params.ripening_delay
    most = max(s.count[0], s.count[1], s.count[2])
    if bernoulli(s, 1.0 - most / s.site_count):
        s.shown[a] = PLAIN


@large_kernel
def plant(s, a, color):
    """Fire: an unripe berry that the beam ends at takes this colour, unless it was eaten or planted in this step."""
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
    kernels = Kernels(reset, step, observe, avatars.all_legal)
    verified = "Melting Pot: totals under random play, and its rules one by one"
    variants = (dict(players=4, tastes="red"),)
    shown = "conformist"
    keys = {**avatars.AvatarWorld.keys, "space": "zap", **{color[0]: f"plant {color}" for color in COLORS}}
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
            reward_range=(-penalty, 2 * _FAVOURITE),
        )

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"s": (self.players, "places to start")}

    def status(self, s: Any, agent: int) -> str:
        shown = int(s.shown[agent])
        lines = [
            super().status(s, agent),
            f"You like {COLORS[int(s.params.favourite[agent])]} berries best.",
            "You show no colour." if shown == PLAIN else f"You show the colour {COLORS[shown - COLORED]}.",
        ]
        return " ".join(lines)

    def text(self, s: Any, agent: int) -> str:
        text = super().text(s, agent)
        if s.away[agent]:
            return text
        seen = enumerate(self.observation(s, agent).colors)
        colors = [f"{self.agents[a]} {COLORS[shown - COLORED]}" for a, shown in seen if shown >= COLORED and a != agent]
        return f"{text}\nColours that others show: {'; '.join(colors) if colors else 'none in view'}."

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
        """The field; a dot on an agent is the colour that it shows."""
        scene = super().scene(s, agent)
        for a, (x, y, _) in self.in_picture(s, agent).items():
            if s.shown[a] >= COLORED:
                scene.add(Circle(x + 0.8, y + 0.8, 0.2, COLORS[int(s.shown[a]) - COLORED], "white", 0.07, glyph=""))
        return scene


env, raw_env, parallel_env = pettingzoo_forms(AllelopathicHarvest)
