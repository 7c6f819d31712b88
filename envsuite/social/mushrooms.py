"""Mushrooms: red ones reward the agent that eats them, blue ones all others, orange ones nobody (Melting Pot).

**Rules.** Agents walk a room of 21 x 11 cells. At the start, three red, three green and three blue mushrooms and an
orange one stand at random places. An agent that steps on a mushroom eats it, digests it, and releases spores. Each
spore grows a mushroom of each color by its chances. The new mushroom stands on a random cell that had none before the
step; if an agent stands there, it is lost. With N agents:

| | red | green | blue | orange |
|---|---|---|---|---|
| reward of the agent that eats it | 1 | 2 / N | 0 | -1 / N |
| reward of each other agent | 0 | 2 / N | 3 / (N - 1) | -1 / N |
| steps after which the eater can walk and turn again | 1 | 5 | 10 | 15 |
| spores | 3 | 3 | 3 | 1 |
| chances of a spore to grow red, green, blue, orange | .25, 0, 0, 0 | .25, .4, 0, 0 | .25, .4, .6, 0 | 0, 0, 0, 1 |
| steps after which it perishes | 75 | 100 | 200 | never |

An agent that eats an orange mushroom also destroys each red one with probability 0.25. Agents that are away get no
rewards.

A beam destroys the mushrooms that it reaches. An agent that is hit by it is marked for that step and the next 49. In
the next 24 steps it can neither walk, turn nor zap. After them its beam cools down, so that it cannot zap in the next
28 steps. An agent that is hit again while it is marked is away at the next step, for 51 observations. It comes back on
a random cell, where it eats what it finds. Agents that digest can zap. The order within a step:

1. Agents that were hit twice leave.
2. All others move, in random order. If several want a cell, a random one gets it.
3. Beams go off.
4. Agents whose time away is over return.
5. Spores grow.

**Agents.** `player_0` ... `player_4`, or 2 to 16 agents.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below; all zero while it is away |
| ready | Box (1,) float32 | 1 if the agent can zap, less while its beam cools down, 0 while it is frozen or away |
| still | Box (1,) uint8 | the number of further steps for which it can neither walk nor turn |
| marks | Box (agents,) uint8 | 1 for each agent in view, the observer included, that is marked |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 3 | red mushroom |
| 4 | green mushroom |
| 5 | the agent itself |
| 6 | blue mushroom |
| 7 | orange mushroom |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 to the observer's right, 2 back, 3 left |
| + 128 | a beam went over this cell in this step |

**Actions.** Discrete (8), all of them always legal. While an agent is away, they have no effect.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `zap` | fires the beam |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space zaps.

**Rewards.** As in the table, at once.

**Ends.** Truncated after `horizon` steps. Before that, the episode may terminate after step 1099 and every 100 steps
later, each time with probability `end_probability`. The reference does so at the same steps: its clock is one ahead of
its steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 5 | number of agents, from 2 to 16 |
| `horizon` | 5000 | steps until truncation, from 1 to 1,000,000 |
| `end_probability` | 0.2 | probability of an earlier end, from 0 to 1, see above |
| `values` | (1, 2, 3, -1) | worth to all agents together by color, from -1,000,000 to 1,000,000 |
| `digestion` | (0, 5, 10, 15) | by color, steps from a meal to the next walk or turn, from 0 to 250; 0 is as 1 |
| `lifetime` | (75, 100, 200, 0) | steps that a mushroom lasts by color, from 0 to 1,000,000; 0 for ever |
| `zap_cooldown` | 3 | steps after a beam in which the agent cannot zap, from 1 to 1000 |
| `zap_away` | 50 | observations away, less one, from 0 to 1,000,000 |
| `freeze` | 25 | steps of a freeze, the hit included, from 0 to 250 |
| `recovery` | 50 | steps of a mark, the hit included, from 0 to 250 |
| `compat` | documented | or reference, see below |

With ``compat="reference"``, digestion is (0, 10, 15, 15) and lifetime (200, 100, 75, 0), as in Melting Pot's
configuration.

**Level.** ``{"map": [13 strings of 23 letters]}``: ``#`` wall, ``.`` floor, where agents start, ``r``, ``g``, ``b``,
``o`` mushrooms.

**Known values.** A mushroom that is eaten:

| | red | green | blue | orange |
|---|---|---|---|---|
| worth to all agents | 1 | 2 | 3 | -1 |
| worth to the agent that eats it | 1 | 2 / N | 0 | -1 / N |
| mean number of new red, green, blue, orange ones | .75, 0, 0, 0 | .75, 1.2, 0, 0 | .75, 1.2, 1.8, 0 | 0, 0, 0, 1 |

Agents that eat only red mushrooms therefore use them up: a red one and all that grow from it are worth 1 / (1 - 0.75) =
4. Green and blue ones multiply when they are eaten, as long as there is room. Digestion allows at most one green
mushroom in 5 steps, worth 0.4 a step to all, and one blue mushroom in 10, worth 0.3; in the reference 0.2 and 0.2. Sum
of all rewards in 1000 steps of uniformly random play, mean +- standard error:

| Melting Pot | `compat="reference"`, 8192 episodes | `compat="documented"`, 8192 episodes |
|---|---|---|
| 3.6 +- 1.2 in 8 episodes, 4.2 +- 0.4 in 124 | 3.80 +- 0.05; with its first places 4.1 +- 0.1 in 2048 | 5.23 +- 0.07 |

**Differences.** From Melting Pot's `externality_mushrooms__dense`:

- By default, digestion and lifetimes are those of its documentation. Its configuration has others: see `compat`. The
  documentation does not cover orange mushrooms; their numbers are those of the configuration.
- Every episode has new places of the first mushrooms; there, they are fixed.
- The wall in the north is one cell thick, not two.
- Symbols replace RGB pictures; `still` is a further part.
- An agent that comes back after a second hit can zap at once if that hit came late. There, its beam cools down first.
- Two spores never grow on the same cell in one step; there, the later one replaces the other.
- A mushroom that grows where an agent has come to stand in the same step is lost; there, the agent eats it.
- An agent that leaves after a second hit is no longer in the way of those that walk in that step; there, it is.

**Source.** Agapiou et al., "Melting Pot 2.0", 2022.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Page, When, listed
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.core.ranges import limited, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import avatar_pages, avatars
from envsuite.kit.avatar_pages import percent
from envsuite.kit.avatars import BORDER, FLOOR, LIT, MOST_PLAYERS, MOVES, WALL
from envsuite.kit.grid import random_spot
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Polygon, Rect, Scene, Shape

ACTIONS = (*MOVES, "zap")
ZAP = len(MOVES)

HEIGHT, WIDTH = 13, 23

#: Codes of cells in addition to those of `envsuite.kit.avatars`.
RED, GREEN, BLUE, ORANGE = 3, 4, 6, 7

#: The kinds of mushrooms, in the order of all tables of parameters, and how many there are at first.
CODES = np.array([RED, GREEN, BLUE, ORANGE])
COLORS = ("red", "green", "blue", "orange")
_FIRST = np.array([3, 3, 3, 1])

#: Spores of a mushroom that is eaten; the chances of each to grow a mushroom of each kind.
SPORES = (3, 3, 3, 1)
CHANCES = ((0.25, 0.0, 0.0, 0.0), (0.25, 0.4, 0.0, 0.0), (0.25, 0.4, 0.6, 0.0), (0.0, 0.0, 0.0, 1.0))
#: The chance of each red mushroom to be destroyed when an orange one is eaten.
_DESTROYS = 0.25

LENGTH, RADIUS = 3, 1

#: Letters of a map.
LEGEND = "#.rgbo"
_OPEN = 1

_NEVER = 1 << 40
#: The maximum steps that an agent digests, is frozen or is marked.
LONGEST = 250
_STOPS, _FREE = avatars.tables()
_KIND = np.array([WALL, FLOOR, RED, GREEN, BLUE, ORANGE], np.uint8)
#: The kind of mushroom of each code, or -1.
_WHICH = np.full(256, -1)
_WHICH[CODES] = _WHICH[CODES + LIT] = range(4)


def fields(players: int) -> list[tuple]:
    """The record's own fields."""
    step = within(np.int64, 0, 2 * _NEVER)
    return [
        *avatars.fields(players, HEIGHT, WIDTH, len(LEGEND)),
        *avatars.sanction_fields(players, LONGEST),
        ("digesting", within(np.int64, 0, LONGEST), (players,)),  # steps until an agent can move, and one
        ("eaten", within(np.int64, -1, len(COLORS) - 1), (players,)),  # kind of mushroom eaten in this step, or -1
        ("due", step, ((HEIGHT + 2 * BORDER) * (WIDTH + 2 * BORDER),)),  # step in which a mushroom perishes, or 0
        ("soonest", step),  # no mushroom perishes before this step
        *avatars.list_fields("soil_count", "soil", HEIGHT, WIDTH),  # cells without a wall
        *avatars.list_fields("spot_count", "spots", HEIGHT, WIDTH),  # where agents start and return
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        scatter(s)
    avatars.lay(s, _KIND)
    s.spot_count = avatars.list_spots(s, s.spots, _OPEN)
    s.soil_count = 0
    for k in range(s.cells.shape[0]):
        s.due[k] = 0
    for y in range(HEIGHT):
        for x in range(WIDTH):
            cell = avatars.cell_at(s, y, x)
            if s.cells[cell] != WALL:
                s.soil[s.soil_count] = cell
                s.soil_count += 1
                if s.cells[cell] != FLOOR:
                    s.due[cell] = s.params.lifetime[_WHICH[s.cells[cell]]]
    s.soonest = 0
    avatars.begin(s)
    avatars.forgive(s)
    for a in range(s.at.shape[0]):
        s.digesting[a] = 0
        s.eaten[a] = -1
        avatars.place(s, a, random_spot(s, s.spots, s.spot_count, s.cells, _FREE))


@kernel
def scatter(s):
    """A room with the first mushrooms at random places."""
    for y in range(HEIGHT):
        for x in range(WIDTH):
            s.map[y, x] = _OPEN if 0 < y < HEIGHT - 1 and 0 < x < WIDTH - 1 else 0
    for kind in range(4):
        left = _FIRST[kind]
        while left > 0:
            y, x = 1 + randint(s, HEIGHT - 2), 1 + randint(s, WIDTH - 2)
            if s.map[y, x] == _OPEN:
                s.map[y, x] = _OPEN + 1 + kind
                left -= 1


@kernel
def step(s, actions, rewards):
    avatars.dim(s)
    # Agents that are taken out leave before the others move, and so come back a step later.
    avatars.take_out(s, s.params.zap_away + 1)
    avatars.thaw(s, s.params.zap_cooldown)
    players = s.at.shape[0]
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        s.digesting[a] = 0 if s.away[a] else max(s.digesting[a] - 1, 0)
        if s.away[a] == 0 and s.frozen[a] == 0 and s.digesting[a] == 0:
            code = avatars.move(s, a, actions[a], _FREE)
            if code > FLOOR:
                bite(s, a, _WHICH[code], rewards)
    avatars.zap_all(s, actions, ZAP, LENGTH, RADIUS, s.params.zap_cooldown, _STOPS)
    avatars.sanction(s, s.params.freeze, s.params.recovery, 0.0, rewards)
    for k in range(s.lit_count):
        if _WHICH[s.cells[s.lit[k]]] >= 0:
            clear(s, np.int64(s.lit[k]))
    avatars.come_back(s, s.spots, s.spot_count, _FREE)
    for a in range(players):
        if s.away[a] == 0 and s.under[a] > FLOOR:
            bite(s, a, _WHICH[s.under[a]], rewards)
    release(s)
    perish(s)
    avatars.end(s)


@kernel
def bite(s, a, kind, rewards):
    """An agent eats the mushroom that it stands on; its spores are released later."""
    players = s.at.shape[0]
    for b in range(players):
        if s.away[b] == 0:
            rewards[b] += s.params.own[kind] if a == b else s.params.others[kind]
    s.under[a] = FLOOR
    s.eaten[a] = kind
    s.digesting[a] = s.params.digestion[kind]
    s.due[s.at[a]] = s.t
    s.soonest = s.t


@kernel
def clear(s, cell):
    """Remove the mushroom on a cell; in this step no other grows there."""
    s.cells[cell] = s.cells[cell] & LIT | FLOOR
    s.due[cell] = s.t
    s.soonest = s.t


@large_kernel
def release(s):
    """Effects of the eaten mushrooms: orange ones destroy red ones, then all spores grow."""
    for a in range(s.at.shape[0]):
        if s.eaten[a] >= 0 and CODES[s.eaten[a]] == ORANGE:
            for k in range(s.soil_count):
                cell = np.int64(s.soil[k])
                if s.cells[cell] & (LIT - 1) == RED and bernoulli(s, _DESTROYS):
                    clear(s, cell)
    for a in range(s.at.shape[0]):
        eaten = s.eaten[a]
        s.eaten[a] = -1
        if eaten >= 0:
            for _ in range(s.params.spores[eaten]):
                for kind in range(4):
                    if bernoulli(s, s.params.chances[eaten, kind]):
                        sprout(s, kind)


@kernel
def sprout(s, kind):
    """Let a mushroom grow on a random cell that had none before this step, unless an agent stands there."""
    left = 0
    for k in range(s.soil_count):
        left += s.due[s.soil[k]] == 0
    if left > 0:
        left = randint(s, left)
        for k in range(s.soil_count):
            cell = np.int64(s.soil[k])
            if s.due[cell] == 0:
                if left == 0:
                    if s.cells[cell] & (LIT - 1) == FLOOR:
                        s.cells[cell] = s.cells[cell] & LIT | CODES[kind]
                        s.due[cell] = s.t + s.params.lifetime[kind] + 1
                        s.soonest = min(s.soonest, s.due[cell])
                    break
                left -= 1


@kernel
def perish(s):
    """Remove mushrooms whose time is over. None perishes before `s.soonest`."""
    if s.t >= s.soonest:
        s.soonest = _NEVER
        for k in range(s.soil_count):
            cell = np.int64(s.soil[k])
            if s.due[cell] == s.t:
                s.due[cell] = 0
                if _WHICH[s.cells[cell]] >= 0:
                    s.cells[cell] = s.cells[cell] & LIT | FLOOR
            elif s.due[cell] > 0:
                s.soonest = min(s.soonest, s.due[cell])


@large_kernel
def observe(s, agent, out):
    avatars.watch(s, agent, out["view"])
    out.ready[0] = avatars.readiness(s, agent, s.params.zap_cooldown)
    out.still[0] = 0 if s.away[agent] else max(s.frozen[agent] - 1, s.digesting[agent] - 1, 0)
    avatars.see_marks(s, agent, out["view"], out.marks)


PAGE = Page(
    role="You are one of {players} players in a room with mushrooms.",
    goal=(
        "A red mushroom that you eat pays you {red}. A green one pays all players an equal share of {green}, and an "
        "orange one an equal share of {orange}. A blue one pays all players except the one that eats it an equal "
        "share of {blue}. Players that are away lose their share."
    ),
    rules=(
        (
            "You eat a mushroom by stepping on it.",
            When("digestions", "After that you digest, and cannot walk or turn, {digestions}."),
        ),
        (
            "A mushroom that is eaten releases spores. From each spore others may grow, with these chances: "
            "{spores}. A new mushroom stands on a random cell that had none before the turn; if a player stands "
            "there, it is lost. An orange mushroom that is eaten also "
            "destroys each red one with a chance of {destroys}. {lifetimes}"
        ),
        (
            "A zap hits others, and destroys the mushrooms that its beam reaches.",
            avatar_pages.BEAM,
            "After it you cannot zap in the {next_zap_cooldown}. A player that is hit is marked for {marked:turn}.",
            When("frozen", "For {frozen:turn} it can neither walk nor turn."),
            When("silent", "For {silent:turn} it cannot zap."),
            "If it is hit again while it is marked, it loses its {next_out} and comes back on a random cell, where it "
            "eats what it finds. Several zaps in one turn count one by one. Players that digest can zap.",
        ),
        (
            avatar_pages.CROWD,
            "Within a turn, all walk first; then beams go off, and then spores grow. Walls and other players block "
            "the way.",
        ),
    ),
    sees=(avatar_pages.SEES, "You see who in view is marked."),
    acts={**avatar_pages.WALKS, "zap": "fire at others and at mushrooms"},
    ends=avatar_pages.ENDS,
    unsaid={"compat": "told by digestion and lifetimes"},
    constants=avatar_pages.BEAM_CONSTANTS,
)


class Mushrooms(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("commons",)
    verified = "Melting Pot in lock-step; its rules one by one; totals under random play"
    variants = (dict(players=3, compat="reference"),)
    shown = "steward"
    keys = {**avatars.AvatarWorld.keys, "space": "zap"}
    legend = LEGEND
    things = {int(code): f"{color.capitalize()} mushrooms" for code, color in zip(CODES, COLORS)}
    player_page = PAGE

    def __init__(
        self,
        players: Annotated[int, Between(2, MOST_PLAYERS)] = 5,
        horizon: Annotated[int, Between(1, 1_000_000)] = 5000,
        end_probability: Annotated[float, Between(0, 1)] = 0.2,
        values: tuple = (1.0, 2.0, 3.0, -1.0),
        digestion: tuple | None = None,
        lifetime: tuple | None = None,
        zap_cooldown: Annotated[int, Between(1, 1000)] = 3,
        zap_away: Annotated[int, Between(0, 1_000_000)] = 50,
        freeze: Annotated[int, Between(0, LONGEST)] = 25,
        recovery: Annotated[int, Between(0, LONGEST)] = 50,
        compat: Literal["documented", "reference"] = "documented",
    ):
        self.players = players
        reference = compat == "reference"
        digestion = digestion or ((0, 10, 15, 15) if reference else (0, 5, 10, 15))
        lifetime = lifetime or ((200, 100, 75, 0) if reference else (75, 100, 200, 0))
        for name, given, low, high in (
            ("values", values, -1e6, 1e6),
            ("digestion", digestion, 0, LONGEST),
            ("lifetime", lifetime, 0, 1_000_000),
        ):
            if len(given) != 4 or not all(isinstance(x, (int, float)) and low <= x <= high for x in given):
                raise ParameterError(
                    f"{self.id}: {name}={given!r} must be four numbers from {low:g} to {high:g}, by colour: "
                    f"{', '.join(COLORS)}"
                )
        own = np.array(values, float) * (1, 1 / players, 0, 1 / players)
        others = np.array(values, float) * (0, 1 / players, 1 / (players - 1), 1 / players)
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=Dict(
                self.view_spaces(ORANGE)
                | {"still": Box(0, 250, (1,), np.uint8), "marks": Box(0, 1, (players,), np.uint8)}
            ),
            fields=fields(players),
            params={
                "own": own,
                "others": others,
                "digestion": limited(np.array(digestion, np.int64), 0, LONGEST),
                "lifetime": limited(np.array([steps or _NEVER for steps in lifetime], np.int64), 0, _NEVER),
                "spores": np.array(SPORES),
                "chances": np.array(CHANCES),
                "zap_cooldown": zap_cooldown,
                "zap_away": zap_away,
                "freeze": freeze,
                "recovery": recovery,
                "end_after": 1000,
                "end_interval": 100,
                "end_probability": end_probability,
                "horizon": horizon,
            },
            # All can eat in the same step, each one mushroom.
            reward_range=(
                float(min(0, own.min()) + (players - 1) * min(0, others.min())),
                float(max(0, own.max()) + (players - 1) * max(0, others.max())),
            ),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        params = s.params
        count = len(self.agents)
        still = [max(steps - 1, 0) for steps in params.digestion.tolist()]
        spores = []
        for k, color in enumerate(COLORS):
            grows = [f"{percent(p)} for {COLORS[j]}" for j, p in enumerate(params.chances[k].tolist()) if p > 0]
            number = int(params.spores[k])
            noun = f"mushroom releases {number} spore{'' if number == 1 else 's'}" if k == 0 else f"one {number}"
            spores.append(f"{'an' if color == 'orange' else 'a'} {color} {noun}, {listed(grows)}")
        lasts = [
            f"{color} ones for ever" if steps == _NEVER else f"{color} ones {steps} {'turn' if steps == 1 else 'turns'}"
            for color, steps in zip(COLORS, params.lifetime.tolist())
        ]
        return {
            **avatar_pages.slots(self, s),
            **avatar_pages.nexts(zap_cooldown=s.params.zap_cooldown, out=s.params.zap_away + 2),
            "red": float(params.own[0]),
            "green": float(params.own[1]) * count,
            "blue": float(params.others[2]) * (count - 1),
            "orange": float(params.own[3]) * count,
            "digestions": any(still)
            and listed(
                [f"for {n} {'turn' if n == 1 else 'turns'} after a {color} one" for color, n in zip(COLORS, still) if n]
            ).replace("a orange", "an orange"),
            "spores": "; ".join(spores),
            "destroys": percent(_DESTROYS),
            "lifetimes": f"Mushrooms that nobody eats last: {listed(lasts)}.",
            "beam": LENGTH,
            "marked": max(int(params.recovery) - 1, 0),
            "frozen": max(int(params.freeze) - 1, 0),
            "silent": int(params.freeze + params.zap_cooldown) if params.freeze else 0,
        }

    def needs(self) -> dict[str, tuple[int, str]]:
        return {".": (self.players, "free cells")}

    def status(self, s: Any, agent: int) -> str:
        digesting = int(s.digesting[agent]) - 1
        return super().status(s, agent) + (f" You digest, {avatars.more_turns(digesting)}." if digesting > 0 else "")

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        if not avatars.are_listed(s.soil, s.soil_count, np.flatnonzero(ground > WALL)):
            return "soil does not list the cells without a wall"
        listed = avatars.are_listed(s.spots, s.spot_count, avatars.cells_of(s, _OPEN))
        return None if listed else "spots does not list where agents return"

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        scene.add(*mushroom(x + 0.5, y + 0.5, COLORS[_WHICH[code]]))

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = super().scene(s, agent)
        scene.background = "grass"
        return scene


def mushroom(x: float, y: float, color: str) -> list[Shape]:
    """A mushroom with a spotted cap."""
    angles = np.linspace(np.pi, 2 * np.pi, 13)
    cap = [(x + 0.36 * float(np.cos(angle)), y + 0.02 + 0.36 * float(np.sin(angle))) for angle in angles]
    return [
        Rect(x - 0.11, y - 0.02, 0.22, 0.36, "white", "shadow@0.35", 0.03, 0.08),
        Polygon(cap, color, "shadow@0.35", 0.03, glyph=color[0]),
        Circle(x - 0.14, y - 0.1, 0.06, "white@0.85", glyph=""),
        Circle(x + 0.06, y - 0.2, 0.06, "white@0.85", glyph=""),
        Circle(x + 0.19, y - 0.06, 0.045, "white@0.85", glyph=""),
    ]


env, raw_env, parallel_env = pettingzoo_forms(Mushrooms)
