"""PredatorPrey: predators hunt prey that forage, hide in tall grass and are safe in groups (Melting Pot).

**Rules.** Agents walk a map of 23 x 19 cells. Prey collect food and predators bite prey.

- *Food.* A prey agent eats the apple on its cell at once, and picks up the acorn there if it carries none. A site
  without food grows food again with probability `apple_rate` or `acorn_rate` a step. Food never blocks the way.
- *Acorns.* A prey agent eats its acorn with `interact` if its stamina is 13 or more and its arms are down. This takes
  26 steps, the act included, in which it neither walks nor turns. It pays 6 in the 11th, 16th and 21st step after the
  act. An agent that is caught loses what is left. In the five steps after an `interact`, another one has no effect.
- *Tall grass.* Only prey enter it. A predator beside it can bite into its first cell.
- *Bites.* `interact` bites the agent on the cell ahead. A bite at prey counts the agents within distance `radius` of
  it, itself included: prey that do not eat, and predators, each with a stamina above 0. A prey agent counts as eating
  from the step after its act on. If there are at most as many prey as predators, the prey is caught. Otherwise the
  prey that were counted raise their arms for five observations.
- *After a catch.* The predator stands still for four steps and bites by itself in each of them. A catch there starts
  this again. All bites of a step happen at once: two predators that bite the same prey both catch it.
- *Rivals.* A bite at a predator always catches it, pays nothing and costs the biter 4 stamina.
- *Return.* An agent that is caught is away for `respawn` steps and one more. It returns rested to a random start of its
  own kind.

Stamina is a number from 0 to 18. Each act except `noop` costs 1, also if it has no effect, and each `noop` restores 1.
After an act that costs, the agent can neither walk nor turn for some steps, in which nothing costs or restores stamina:

| stamina after the act | predators | prey |
|---|---|---|
| 0 (red) | 6 | 4 |
| 1 to 6 (yellow) | 1 | 2 |
| 7 to 18 (green; from 13 on, no bar) | 0 | 1 |

A predator can bite while it cannot walk. The order within a step:

1. Meals pay, and freezes begin and end.
2. Prey with an `interact` begin to eat; stamina changes.
3. All agents walk and turn, in random order. If several want a cell, a random one gets it.
4. Predators bite, in the same order.
5. Agents return; food grows; agents that were caught leave.

**Agents.** `predator_0` and so on, then `prey_0` and so on: 3 and 10 on the map `open`, 5 and 8 on `forest`, or other
numbers of both, 16 together at most.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below; all zero while it is away |
| stamina | Box (agents,) uint8 | the agent's own stamina; of agents in view up to 13, which their bars show; others 0 |
| doing | Box (agents,) uint8 | of the same: 1 carries an acorn, + 2 eats, + 4 arms up, + 8 in tall grass; others 0 |
| predators | Box (agents,) uint8 | 1 for predators, 0 for prey |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 3 | apple |
| 4 | acorn |
| 5 | the agent itself |
| 6 | tall grass |
| 8 + 4 k + f | agent k, predators first; f is 0 if it faces as the observer does, 1 right of that, 2 back, 3 left |
| + 128 | a predator bit into this cell in this step |

**Actions.** Discrete (8), all of them always legal. While an agent is away, they have no effect.

| action | name | effect |
|---|---|---|
| 0 | `noop` | rests |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `interact` | a predator bites; a prey agent eats its acorn |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space interacts.

**Rewards.** Predators: +1 for each prey that they catch. Prey: +1 for an apple and three times +6 for an acorn.

**Ends.** Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `form` | open | the map: open or forest |
| `predators` | None | number of predators, from 1 to 15; None: 3 on `open`, 5 on `forest` |
| `prey` | None | number of prey, from 1 to 15; None: 10 on `open`, 8 on `forest` |
| `horizon` | 1000 | steps until truncation, from 1 to 1,000,000 |
| `apple_rate` | 0.007 | probability that an apple grows on an empty site in a step, from 0 to 1 |
| `acorn_rate` | 0.01 | the same for acorns, from 0 to 1 |
| `radius` | 3 | distance in cells within which a bite counts agents, from 0 to 30 |
| `respawn` | 200 | steps for which a caught agent is away, less one, from 0 to 1,000,000 |
| `compat` | documented | or reference: prey can walk while they eat, see below |

**Level.** ``{"map": [19 strings of 23 letters]}``: ``#`` wall, ``.`` floor, ``g`` tall grass, ``s`` tall grass where
prey start, ``f`` floor where prey start, ``p`` floor where predators start, ``a`` apple, ``o`` acorn. Without a level,
every episode has a new map from `envsuite.gridworlds.predator_prey.levels`.

**Known values.** Sum of all rewards in 1000 steps of uniformly random play on `open`, mean +- standard error:

| | sum | a predator | a prey agent |
|---|---|---|---|
| Melting Pot, 8 episodes | 192.4 +- 15.3 | 1.54 | 18.8 |
| this world with Melting Pot's map as the level, 256 episodes | 185.1 +- 2.9 | 1.21 | 18.2 |
| this world, 256 episodes | 180.2 +- 2.8 | 1.23 | 17.7 |

**Differences.** From Melting Pot's `predator_prey__open` and `predator_prey__random_forest`:

- Every episode has a new map of nearly the same census. There, only the forest changes. Prey do not start on food.
- The maps `alley_hunt` and `orchard` are left out. A level can be like `orchard`, which also has 23 x 19 cells.
- Symbols replace RGB pictures. Observers see that an agent eats, but not how far it is.
- There, prey can walk while they eat: the code asks for a freeze of 0 frames, which does nothing. Its documentation
  says that they cannot move, and so they cannot here, unless ``compat="reference"``.
- Actions of an agent that is away have no effect. There, they can leave it unable to walk when it returns.
- There, a prey agent that raises its arms in the step in which it begins to eat, and picks up another acorn, can begin
  to eat that one before it has finished the first.

**Source.** Agapiou et al., "Melting Pot 2.0", 2022; its code at commit 81ee2e7, and Lab2D's for the order of events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import shuffle
from envsuite.core.ranges import among, below, flag, within
from envsuite.core.world import Between, Kernels
from envsuite.gridworlds.predator_prey import levels as grounds
from envsuite.gridworlds.predator_prey import pages
from envsuite.gridworlds.predator_prey.levels import FORMS, HEIGHT, LEGEND, WIDTH, Form, acorn, tall_grass
from envsuite.kit import avatars
from envsuite.kit.avatars import BORDER, FLOOR, LIT, MOST_PLAYERS, MOVES, NOOP, OUTSIDE, OWN, PLAYER, WALL
from envsuite.kit.grid import random_spot, sprout
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Line, Polygon, Scene, Shape, apple, avatar
from envsuite.render.theme import agent_color

ACTIONS = (*MOVES, "interact")
INTERACT = len(MOVES)

#: Codes of cells in addition to those of `envsuite.kit.avatars`.
APPLE, ACORN, GRASS = 3, 4, 6

#: What `doing` adds up.
CARRIES, EATS, ARMS_UP, HIDES = 1, 2, 4, 8

#: Stamina at most; the least that is green; the least that shows no bar, with which prey can eat acorns.
MOST, GREEN, FRESH = 18, 7, 13
_RIVAL_COSTS = 4

#: Steps of a meal, and the values of its counter at which it pays.
MEAL, _BITES = 26, (16, 11, 6)
_APPLE_PAYS, _BITE_PAYS, _CATCH_PAYS = 1.0, 6.0, 1.0

#: Steps until prey can interact again, with raised arms, and of a predator with its catch, the catch included.
_COOLDOWN, _ARMS, _DISPLAY = 5, 5, 5

#: Steps of a freeze at a stamina of 0, below GREEN, and from GREEN on.
_PREDATORS_FREEZE, _PREY_FREEZE = (6, 1, 0), (4, 2, 1)
_LONGEST_FREEZE = 6

_CELLS = (HEIGHT + 2 * BORDER) * (WIDTH + 2 * BORDER)
_, _FREE_TO_PREY = avatars.tables()
_, _FREE_TO_PREDATORS = avatars.tables(blocks=(GRASS,))
_KIND = np.array([WALL, FLOOR, GRASS, GRASS, FLOOR, FLOOR, APPLE, ACORN], np.uint8)
_COUNTS: dict[Form, tuple[int, int]] = {"open": (3, 10), "forest": (5, 8)}


def fields(players: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *avatars.fields(players, HEIGHT, WIDTH, len(LEGEND)),
        ("stamina", below(np.int64, MOST + 1), (players,)),
        ("acted", flag(), (players,)),  # whether the last act while not tired cost stamina
        ("tired", within(np.int64, 0, _LONGEST_FREEZE), (players,)),  # steps in which stamina does not change
        ("still", within(np.int64, 0, _LONGEST_FREEZE), (players,)),  # steps in which an agent cannot walk or turn
        ("display", within(np.int64, 0, _DISPLAY - 1), (players,)),  # steps in which a predator bites by itself
        ("carries", flag(), (players,)),  # whether a prey agent has an acorn
        ("meal", within(np.int64, 0, MEAL), (players,)),  # steps until a prey agent has eaten
        ("arms", within(np.int64, 0, _ARMS), (players,)),  # steps until raised arms are down
        ("acorn_site", flag(), (_CELLS,)),  # whether acorns grow on a cell, not apples
        *avatars.list_fields("empty_count", "empty", HEIGHT, WIDTH),  # sites without food
        *avatars.list_fields("home_count", "homes", HEIGHT, WIDTH),  # where prey start
        *avatars.list_fields("lair_count", "lairs", HEIGHT, WIDTH),  # where predators start
    ]


@kernel
def hunts(s, a):
    """Whether an agent is a predator."""
    return a < s.params.predators


@large_kernel
def reset(s):
    if not s.level_given:
        grounds.hunting_grounds(s, s.map, s.params.form)
    avatars.lay(s, _KIND)
    s.empty_count = s.home_count = 0
    s.lair_count = avatars.list_spots(s, s.lairs, grounds.LAIR)
    for k in range(_CELLS):
        s.acorn_site[k] = s.cells[k] == ACORN
    for y in range(HEIGHT):
        for x in range(WIDTH):
            if s.map[y, x] == grounds.BURROW or s.map[y, x] == grounds.NEST:
                s.homes[s.home_count] = avatars.cell_at(s, y, x)
                s.home_count += 1
    avatars.begin(s)
    for a in range(s.at.shape[0]):
        refresh(s, a)
        settle(s, a)


@kernel
def refresh(s, a):
    """An agent is rested and has nothing to do."""
    s.stamina[a] = MOST
    s.acted[a] = 0
    s.tired[a] = 0
    s.still[a] = 0
    s.display[a] = 0
    s.carries[a] = 0
    s.meal[a] = 0
    s.arms[a] = 0
    s.cooldown[a] = 0


@large_kernel
def settle(s, a):
    """Put an agent on a free start of its kind; return whether there is one."""
    if hunts(s, a):
        cell = random_spot(s, s.lairs, s.lair_count, s.cells, _FREE_TO_PREDATORS)
    else:
        cell = random_spot(s, s.homes, s.home_count, s.cells, _FREE_TO_PREY)
    if cell >= 0:
        avatars.place(s, a, cell)
    return cell >= 0


@kernel
def step(s, actions, rewards):
    avatars.dim(s)
    players, empty_before = s.at.shape[0], s.empty_count
    for a in range(players):
        if s.away[a] == 0:
            ready = s.meal[a] == 0 and s.arms[a] == 0
            chew(s, a, rewards)
            freeze(s, a)
            if not hunts(s, a):
                sit_down(s, a, actions[a], ready, rewards)
            tire(s, a, actions[a])
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if s.away[a] == 0 and s.still[a] == 0 and (s.meal[a] == 0 or s.params.reference):
            free = _FREE_TO_PREDATORS if hunts(s, a) else _FREE_TO_PREY
            if avatars.move(s, a, actions[a], free) >= 0:
                take(s, a, rewards)
    for k in range(players):
        a = s.order[k]
        if s.away[a] == 0 and hunts(s, a):
            if s.display[a] > 0:
                s.display[a] -= 1
                bite(s, a, rewards)
            elif actions[a] == INTERACT:
                bite(s, a, rewards)
    come_back(s)
    grow(s, empty_before, rewards)
    for a in range(players):
        if s.hit[a]:
            refresh(s, a)
    avatars.take_out(s, s.params.respawn)
    for k in range(s.lit_count):
        s.cells[s.lit[k]] |= LIT
    if s.t >= s.params.horizon:
        fill(s.truncated, 1)


@kernel
def chew(s, a, rewards):
    """A step of a meal and of raised arms."""
    if s.meal[a] > 0:
        if s.meal[a] == _BITES[0] or s.meal[a] == _BITES[1] or s.meal[a] == _BITES[2]:
            rewards[a] += _BITE_PAYS
        s.meal[a] -= 1
    if s.arms[a] > 0:
        s.arms[a] -= 1


@kernel
def freeze(s, a):
    """A freeze ends, or begins after an act that cost stamina; it replaces a longer stand with a catch."""
    if s.still[a] > 0:
        s.still[a] -= 1
    if s.tired[a] > 0:
        s.tired[a] -= 1
    elif s.acted[a]:
        band = 0 if s.stamina[a] == 0 else 1 if s.stamina[a] < GREEN else 2
        steps = _PREDATORS_FREEZE[band] if hunts(s, a) else _PREY_FREEZE[band]
        if steps > 0:
            s.still[a] = steps
            s.tired[a] = steps


@kernel
def sit_down(s, a, action, ready, rewards):
    """Prey with an acorn begin to eat; `ready` if they did not eat, and had their arms down, before this step."""
    if s.cooldown[a] > 0:
        s.cooldown[a] -= 1
    elif action == INTERACT:
        s.cooldown[a] = _COOLDOWN
        if s.carries[a] and ready and s.stamina[a] >= FRESH:
            s.carries[a] = 0
            s.meal[a] = MEAL
            take(s, a, rewards)


@kernel
def tire(s, a, action):
    """An act costs stamina, rest restores it, but not during a freeze."""
    if s.tired[a] == 0:
        s.acted[a] = action != NOOP
        if action != NOOP:
            s.stamina[a] = max(s.stamina[a] - 1, 0)
        else:
            s.stamina[a] = min(s.stamina[a] + 1, MOST)


@kernel
def take(s, a, rewards):
    """A prey agent eats the apple, or picks up the acorn, on its cell."""
    food = s.under[a]
    if hunts(s, a) or food == ACORN and s.carries[a]:
        return
    if food == APPLE:
        rewards[a] += _APPLE_PAYS
    elif food == ACORN:
        s.carries[a] = 1
    if food == APPLE or food == ACORN:
        s.under[a] = FLOOR
        s.empty[s.empty_count] = s.at[a]
        s.empty_count += 1


@large_kernel
def bite(s, a, rewards):
    """A predator bites the agent ahead: those who are caught have a `hit`."""
    cell = avatars.beyond(s, s.at[a], s.facing[a])
    code = s.cells[cell]
    if code != WALL:
        s.lit[s.lit_count] = cell
        s.lit_count += 1
    if code < PLAYER or code >= OWN:
        return
    victim = (code - PLAYER) >> 2
    if hunts(s, victim):
        s.hit[victim] = 1
        s.stamina[a] = max(s.stamina[a] - _RIVAL_COSTS, 0)
        return
    balance = 0
    for b in range(s.at.shape[0]):
        if counts(s, b, victim):
            balance += 1 if hunts(s, b) else -1
    if balance >= 0:
        s.hit[victim] = 1
        s.display[a] = _DISPLAY - 1
        s.still[a] = _DISPLAY
        rewards[a] += _CATCH_PAYS
    else:
        for b in range(s.params.predators, s.at.shape[0]):
            if counts(s, b, victim) and not s.hit[b]:
                s.arms[b] = _ARMS


@kernel
def counts(s, b, victim):
    """Whether an agent counts in a bite at the victim."""
    if s.away[b] or s.stamina[b] == 0 or 0 < s.meal[b] < MEAL:
        return False
    wide = avatars.stride(s)
    down = s.at[b] // wide - s.at[victim] // wide
    right = s.at[b] % wide - s.at[victim] % wide
    return down * down + right * right <= s.params.radius * s.params.radius


@kernel
def come_back(s):
    """Count the steps that agents are away, and put them on a start of their kind when they are over."""
    for a in range(s.at.shape[0]):
        if s.away[a] > 0:
            s.away[a] -= 1
            if s.away[a] == 0 and not settle(s, a):
                s.away[a] = 1


@kernel
def grow(s, old, rewards):
    """Let food grow on sites that were empty before this step; prey take what grows under them."""
    count = s.empty_count
    left = sprout(s, s.empty, old, count, s.acorn_site, s.params.regrowth)
    s.empty_count = left
    for k in range(left, count):
        cell = np.int64(s.empty[k])
        food = ACORN if s.acorn_site[cell] else APPLE
        code = s.cells[cell]
        if code & (LIT - 1) >= PLAYER:
            a = ((code & (LIT - 1)) - PLAYER) >> 2
            s.under[a] = food
            take(s, a, rewards)
        else:
            s.cells[cell] = code & LIT | food


@kernel
def doing(s, a):
    """What others see an agent do."""
    signs = CARRIES * s.carries[a] + EATS * (s.meal[a] > 0) + ARMS_UP * (s.arms[a] > 0)
    return signs + HIDES * (s.under[a] == GRASS)


@large_kernel
def observe(s, agent, out):
    view = out["view"]
    avatars.watch(s, agent, view)
    for a in range(s.at.shape[0]):
        out.stamina[a] = 0
        out.doing[a] = 0
        out.predators[a] = hunts(s, a)
    if s.away[agent] == 0:
        for i in range(view.shape[0]):
            for j in range(view.shape[1]):
                code = np.int64(view[i, j]) & (LIT - 1)
                if PLAYER <= code < OWN:
                    a = (code - PLAYER) >> 2
                    out.stamina[a] = min(s.stamina[a], FRESH)
                    out.doing[a] = doing(s, a)
        out.stamina[agent] = s.stamina[agent]
        out.doing[agent] = doing(s, agent)


class PredatorPrey(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("teams", "commons")
    verified = "Melting Pot: totals under random play, and its rules one by one"
    variants = (dict(form="forest", predators=2, prey=3, respawn=3, acorn_rate=0.2, compat="reference"),)
    shown = "careful"
    keys = {**avatars.AvatarWorld.keys, "space": "interact"}
    legend = LEGEND
    things = {APPLE: "Apples", ACORN: "Acorns", GRASS: "Tall grass"}
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        form: Form = "open",
        predators: Annotated[int | None, Between(1, MOST_PLAYERS - 1)] = None,
        prey: Annotated[int | None, Between(1, MOST_PLAYERS - 1)] = None,
        horizon: Annotated[int, Between(1, 1_000_000)] = 1000,
        apple_rate: Annotated[float, Between(0, 1)] = 0.007,
        acorn_rate: Annotated[float, Between(0, 1)] = 0.01,
        radius: Annotated[int, Between(0, 30)] = 3,
        respawn: Annotated[int, Between(0, 1_000_000)] = 200,
        compat: Literal["documented", "reference"] = "documented",
    ):
        usual = _COUNTS[form]
        self.predators = usual[0] if predators is None else predators
        prey = usual[1] if prey is None else prey
        self.players = self.predators + prey
        if self.players > MOST_PLAYERS:
            raise ParameterError(
                f"{self.id}: predators={self.predators} and prey={prey} are {self.players} agents; "
                f"{MOST_PLAYERS} are allowed"
            )
        own = (self.players,)
        self.define(
            agents=[*(f"predator_{a}" for a in range(self.predators)), *(f"prey_{a}" for a in range(prey))],
            actions=ACTIONS,
            observation=Dict(
                {
                    "view": self.view_spaces(GRASS)["view"],
                    "stamina": Box(0, MOST, own, np.uint8),
                    "doing": Box(0, CARRIES + EATS + ARMS_UP + HIDES, own, np.uint8),
                    "predators": Box(0, 1, own, np.uint8),
                }
            ),
            fields=fields(self.players),
            params={
                "form": among(FORMS, form),
                "predators": self.predators,
                "regrowth": [float(apple_rate), float(acorn_rate)],
                "radius": radius,
                "respawn": respawn,
                "reference": among(("documented", "reference"), compat),
                "horizon": horizon,
            },
            reward_range=(0.0, _APPLE_PAYS + _BITE_PAYS),
        )

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"p": (self.predators, "starts of predators")}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        prey, starts = self.players - self.predators, len(avatars.cells_of(s, grounds.BURROW, grounds.NEST))
        if starts < prey:
            raise LevelError(
                f"{self.id}: the level's map has {starts} starts of prey ('s' and 'f'); {prey} prey need {prey} or more"
            )

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        if s.params.predators != self.predators:
            return "there is another number of predators"
        homes, lairs = avatars.cells_of(s, grounds.BURROW, grounds.NEST), avatars.cells_of(s, grounds.LAIR)
        if len(homes) < self.players - self.predators or not avatars.are_listed(s.homes, s.home_count, homes):
            return "homes does not list where prey start, or these are too few"
        if not avatars.are_listed(s.lairs, s.lair_count, lairs):
            return "lairs does not list where predators start"
        acorns, apples = avatars.cells_of(s, grounds.ACORN), avatars.cells_of(s, grounds.APPLE)
        if not np.array_equal(np.flatnonzero(s.acorn_site), acorns):
            return "acorn_site is not where acorns grow"
        sites = np.union1d(acorns, apples)
        if not avatars.are_listed(s.empty, s.empty_count, sites[ground[sites] == FLOOR]):
            return "empty does not list the sites without food"
        letters = np.full(ground.shape, WALL)
        letters.reshape(HEIGHT + 2 * BORDER, -1)[BORDER:-BORDER, BORDER:-BORDER] = _KIND[s.map]
        inside = ground != OUTSIDE
        if (ground != letters)[inside & ~((ground == FLOOR) & np.isin(letters, (APPLE, ACORN)))].any():
            return "the ground is not that of the map"
        return None

    def text(self, s: Any, agent: int) -> str:
        if s.away[agent]:
            return f"You are {self.agents[agent]}. You were caught. What you do has no effect until you are back."
        seen = self.observation(s, agent)
        others = np.unique((np.asarray(seen["view"]) & (LIT - 1)).astype(int))
        others = np.unique((others[(others >= PLAYER) & (others < OWN)] - PLAYER) >> 2)
        stamina, signs = np.asarray(seen["stamina"]), np.asarray(seen["doing"])
        states = [f"{self.agents[a]} {_condition(int(stamina[a]), int(signs[a]), FRESH)}" for a in others]
        return super().text(s, agent) + f"\nTheir condition: {'; '.join(states) if states else 'nobody in view'}."

    def status(self, s: Any, agent: int) -> str:
        role = "a predator" if agent < self.predators else "prey"
        return f"You are {role}. Your condition: {_condition(int(s.stamina[agent]), int(doing(s, agent)), MOST)}."

    def figure(self, s: Any, a: int, viewer: int | None, x: float, y: float, facing: int) -> list[Shape]:
        """Predators are dark with teeth; bars show a stamina below 13, lines raised arms, acorns who has one."""
        shapes: list[Shape] = []
        if s.arms[a]:
            shapes += [Line([(x + i * 0.3, y), (x + i * 0.46, y - 0.46)], "ink", 0.11) for i in (-1, 1)]
        if a < self.predators:
            nose, body, label = avatar(x, y, facing, "shadow", text=str(a))
            # In terminals, predators have letters and prey numbers.
            shapes += [nose, replace(body, glyph=body.glyph[:1] + chr(ord("A") + a)), label]
            ahead, across = _WAYS[facing], _WAYS[(facing + 1) % 4]
            for side in (-0.15, 0.15):
                tooth = [(0.28, side - 0.07), (0.28, side + 0.07), (0.46, side)]
                corners = [(x + f * ahead[0] + c * across[0], y + f * ahead[1] + c * across[1]) for f, c in tooth]
                shapes.append(Polygon(corners, "red"))
        else:
            shapes += avatar(x, y, facing, agent_color(a - self.predators), text=str(a - self.predators))
        if s.meal[a]:
            shapes += acorn(x, y + 0.12, 0.9)
        elif s.carries[a]:
            shapes += acorn(x + 0.3, y + 0.28, 0.55)
        return shapes + avatars.stamina_bar(x, y, int(s.stamina[a]), GREEN, FRESH)

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        if code == GRASS:
            scene.add(*tall_grass(x, y))
        else:
            scene.add(*(apple if code == APPLE else acorn)(x + 0.5, y + 0.5))


#: One cell ahead in each facing: x and y.
_WAYS = ((1, 0), (0, 1), (-1, 0), (0, -1))


_SIGNS = {CARRIES: "carries an acorn", EATS: "eats", ARMS_UP: "arms up", HIDES: "in tall grass"}


def _condition(stamina: int, doing: int, most: int) -> str:
    """A stamina and what an agent does, in words; a stamina of `most` may be more."""
    words = [f"stamina {stamina}{' or more' if stamina == most and most < MOST else ''}"]
    words += [word for bit, word in _SIGNS.items() if doing & bit]
    return ", ".join(words)


env, raw_env, parallel_env = pettingzoo_forms(PredatorPrey)
