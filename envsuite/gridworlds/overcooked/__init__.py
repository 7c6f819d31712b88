"""Overcooked: chefs fill pots, carry dishes and serve soups in a cramped kitchen, in one another's way.

**Rules.** A chef faces north, south, east or west and carries at most one thing. A move turns the chef and takes it one
cell further if there is floor. All other cells are counters or stations. `interact` acts on the cell that the chef
faces:

| the chef faces | and holds | effect |
|---|---|---|
| dispenser of onions, tomatoes or dishes | nothing | the chef takes one |
| counter | a thing, or nothing | it puts the thing down if the counter is free, or takes the thing that lies there |
| pot | onion or tomato | it goes into the pot, unless the pot holds three or the soup is cooking |
| pot | nothing | with the new dynamics, a soup of one to three parts starts to cook |
| pot with a soup that is ready | dish | the chef takes the soup |
| serving window | soup | the soup is served |

With the old dynamics, a soup cooks as soon as three parts are in the pot.

In each step, the chefs that interact do so first, in the order of their numbers. Then all chefs move at once. Then
soups continue to cook. If two chefs would stand in one cell or change places, nobody moves in this step, not even a
chef far away from them; all chefs turn nevertheless.

**Agents.** `chef_0` and `chef_1`, up to `chef_3`.

**Observation.** Box (height, width, 5 n + 16) uint8 with n chefs: 26 planes for two chefs.

| planes | with two | content |
|---|---|---|
| n | 0, 1 | the cell of the observing chef, then those of the other chefs in the order of their numbers |
| 4 n | 2-5, 6-9 | the same cells in the plane of each chef's facing: north, south, east, west |
| 6 | 10-15 | pots, counters, dispensers of onions, of tomatoes, of dishes, serving windows |
| 2 | 16, 17 | onions and tomatoes in a pot that does not cook |
| 2 | 18, 19 | onions and tomatoes in soups: in pots, on counters, in hands |
| 1 | 20 | steps that a soup in a pot still has to cook |
| 1 | 21 | 1 where a soup is ready |
| 3 | 22-24 | dishes, onions, tomatoes on counters and in hands |
| 1 | 25 | all 1 while fewer than 40 steps are left |

**Actions.** Discrete (6), all of them always legal.

| action | name |
|---|---|
| 0 | `north` |
| 1 | `south` |
| 2 | `east` |
| 3 | `west` |
| 4 | `stay` |
| 5 | `interact` |

**Window.** The arrow keys move the chef. Space interacts, and the key . stays.

**Rewards.** The sum of two objectives, weighted by `weights`:

- `delivery`: each chef gets the value of a soup when it is served; a soup that is not ordered pays 0.
- `shaping`, for the acting chef only: 3 for putting an onion or tomato into a pot and 5 for taking a soup from a pot.
  With two chefs, 3 for taking a useful dish from its dispenser.

A dish is useful if no dish lies on a counter and fewer dishes are in hands than there were pots in use at the start of
the step. A pot in use has one or two parts in it, cooks, or is ready.

**Ends.** Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `layout` | "cramped_room" | the kitchen, see below |
| `chefs` | 2 | number of chefs, from 2 to 4 |
| `dynamics` | "old" | "old" or "new", see the rules |
| `width` | None | cells, from 5 to 20; None: the layout's, or 7 |
| `height` | None | cells, from 4 to 20; None: the layout's, or 5 |
| `values` | None | the orders and their values, each order with a letter for each onion and tomato; None: {"ooo": 20} |
| `times` | None | cooking times of soups; a soup without an entry takes 20 steps |
| `weights` | (1, 0) | weights of the two objectives, from -1,000,000 to 1,000,000 |
| `horizon` | 400 | steps until truncation, from 1 to 1,000,000 |
| `divided` | 0.5 | generated kitchens: the probability that chefs are separated, from 0 to 1 |
| `counters` | 0.1 | generated kitchens: the share of the floor that becomes counters, from 0 to 0.5 |

The layouts are "cramped_room", "asymmetric_advantages", "coordination_ring", "forced_coordination" and
"counter_circuit". With "generated", every episode has a new kitchen. A level that is smaller than `width` x `height` is
placed at the top left.

**Level.** ``{"layout": ["XXPXX", "O  2O", "X1  X", "XDXSX"]}``: X counter, P pot, O onions, T tomatoes, D dishes, S
serving window, digits where chefs start. A level may also have "values" and "times", which replace the parameters.

**Known values.** Uniformly random play, means of 16,384 episodes with the old and the new dynamics. Standard errors are
at most 0.03 for the income and 0.05 for the shaping. On the reference's layouts, every step equals the reference's.

| | income: reference's layout | own layout | shaping of both: reference's layout | own layout |
|---|---|---|---|---|
| cramped room | 0.96, 0.11 | 0.79, 0.09 | 8.43, 7.65 | 8.26, 7.43 |
| asymmetric advantages | 0.09, 0.01 | 0.24, 0.03 | 5.08, 6.65 | 7.24, 8.42 |
| coordination ring | 0.00, 0.00 | 0.01, 0.00 | 5.53, 5.52 | 5.58, 5.56 |
| forced coordination | 0.00, 0.00 | 0.00, 0.00 | 2.85, 2.96 | 2.85, 2.86 |
| counter circuit | 0.00, 0.00 | 0.00, 0.00 | 0.67, 0.68 | 0.75, 0.78 |

**Differences.** From overcooked-ai:

- The five layouts are our own, with the sizes and the topology of the reference's. Scores therefore compare only
  roughly. Its layout files can be used as levels.
- Planes are (height, width); there they are (width, height).
- A bonus order is an order with twice the value.
- The planes do not show the orders, neither there nor here; the text names them.
- The reference has no planes for more than two chefs. Its rules are used unchanged, without shaping for dishes.
- Its release 1.1.0 has only the new dynamics; the old ones are those of its repository.
- Levels start with empty pots.

**Source.** Carroll et al., "On the Utility of Learning about Humans for Human-AI Coordination", NeurIPS 2019;
`overcooked_ai` 1.1.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import MANY, below, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.gridworlds.overcooked import levels as kitchens
from envsuite.gridworlds.overcooked import pages
from envsuite.gridworlds.overcooked.levels import DISH, IDLE, NOTHING, ONION, SOUP, TOMATO
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Scene, footer

ACTIONS = ("north", "south", "east", "west", "stay", "interact")
NORTH, SOUTH, EAST, WEST, STAY, INTERACT = range(6)
DY = np.array([-1, 1, 0, 0, 0, 0])
DX = np.array([0, 0, 1, -1, 0, 0])


DELIVERY, SHAPING = range(2)
POTTING, USEFUL_DISH, SOUP_TAKEN = 3.0, 3.0, 5.0

#: Planes after those of the chefs: 6 kinds of cells, in the order of their codes from 1 on, then these.
IN_POT, IN_SOUP, TO_COOK, READY, THINGS, URGENT, PLANES = 6, 8, 10, 11, 12, 15, 16
#: The plane of a thing in hands or on a counter.
_THING = np.array([0, THINGS + 1, THINGS + 2, THINGS])
#: What hands and counters can hold, the highest last.
_THINGS = (NOTHING, ONION, TOMATO, DISH, *(SOUP + recipe for recipe in sorted(kitchens.RECIPES)))
#: The last states of an episode, in which the plane of urgency is 1.
HURRY = 40

#: Our own kitchens, with the sizes and the topology of the classic ones; digits above the number of chefs are floor.
LAYOUTS = {
    "cramped_room": ("XPXOX", "X1 3D", "O4 2X", "XXSXX"),
    "asymmetric_advantages": ("XXXSXOXXX", "X 3 P 4 X", "O 1 P 2 S", "XX XXX XX", "XXDXXXDXX"),
    "coordination_ring": ("XXDOX", "X14 O", "X X X", "P 32S", "XPXXX"),
    "forced_coordination": ("XXXSX", "D1X2X", "O X P", "X3X4P", "XOXXX"),
    "counter_circuit": ("XXOXXOXX", "X  1  3S", "X XXXX X", "D4  2  X", "XXPXXPXX"),
}


def _layouts() -> tuple[np.ndarray, np.ndarray]:
    """The cells of all layouts, each at the top left of the room that the largest one needs, and the starts."""
    read = [kitchens.read(rows, kitchens.CHEFS, 9, 5) for rows in LAYOUTS.values()]
    return np.array([cells for cells, _ in read]), np.array([start for _, start in read])


_CELLS, _STARTS = _layouts()
_SIZES = np.array([(len(rows), len(rows[0])) for rows in LAYOUTS.values()])
_GENERATED = len(LAYOUTS)


def _highest(chefs: int) -> np.ndarray:
    """The highest value of each plane."""
    highest = np.ones(5 * chefs + PLANES, np.uint8)
    highest[5 * chefs + IN_POT : 5 * chefs + TO_COOK] = 3
    highest[5 * chefs + TO_COOK] = kitchens.MOST_TIME
    return highest


def fields(width: int, height: int, chefs: int) -> list[tuple]:
    """The record of a kitchen."""
    last = (height - 1, width - 1)
    return [
        ("level", np.dtype(kitchens.level_fields(width, height, chefs), align=True)),
        ("at", within(np.int64, 1, (height - 2, width - 2)), (chefs, 2)),  # y, x
        ("next", within(np.int64, 0, last), (chefs, 2)),  # where they would be; only within a step
        ("facing", below(np.int64, STAY), (chefs,)),
        ("held", within(np.uint8, 0, _THINGS[-1]), (chefs,)),  # a thing: 0 nothing, a dish, a part or a soup
        ("contents", within(np.uint8, 0, _THINGS[-1]), (height, width)),  # the thing on a counter, the recipe in a pot
        (
            "tick",
            within(np.int16, IDLE, kitchens.MOST_TIME),
            (height, width),
        ),  # of pots: for how many steps a soup has cooked, or IDLE
        ("pot_count", within(np.int64, 0, height * width)),
        ("pots", within(np.int16, 0, last), (height * width, 2)),  # y, x
        ("served", within(np.int64, 0, MANY)),  # soups
        ("income", within(np.float64, 0, MANY)),  # their values
        (
            "planes",
            within(np.uint8, 0, _highest(chefs)),
            (height, width, 5 * chefs + PLANES),
        ),  # observations without the chefs
    ]


@kernel
def reset(s):
    if not s.level_given:
        if s.params.layout == _GENERATED:
            kitchens.kitchen(s)
        else:
            classic(s)
    open_kitchen(s)


@large_kernel
def classic(s):
    """Fill the level with one of the classic layouts."""
    cells, layout = s.level.cells, s.params.layout
    s.level.height, s.level.width = _SIZES[layout, 0], _SIZES[layout, 1]
    for y in range(cells.shape[0]):
        for x in range(cells.shape[1]):
            inside = y < s.level.height and x < s.level.width
            cells[y, x] = _CELLS[layout, y, x] if inside else kitchens.OUTSIDE
    for a in range(s.level.start.shape[0]):
        s.level.start[a, 0] = _STARTS[layout, a, 0]
        s.level.start[a, 1] = _STARTS[layout, a, 1]
    for k in range(16):
        s.level.values[k] = s.params.values[k]
        s.level.times[k] = s.params.times[k]


@large_kernel
def open_kitchen(s):
    """Put all chefs at their starts, facing north with empty hands; empty all pots and counters."""
    cells, first = s.level.cells, first_plane(s)
    for a in range(s.facing.shape[0]):
        s.at[a, 0] = s.level.start[a, 0]
        s.at[a, 1] = s.level.start[a, 1]
        s.facing[a] = NORTH
        s.held[a] = NOTHING
        s.next[a, 0] = 0
        s.next[a, 1] = 0
    s.pot_count = 0
    s.served = 0
    s.income = 0.0
    for y in range(cells.shape[0]):
        for x in range(cells.shape[1]):
            kind = cells[y, x]
            s.contents[y, x] = 0
            s.tick[y, x] = IDLE
            for k in range(s.planes.shape[2]):
                s.planes[y, x, k] = 0
            if kind != kitchens.FLOOR and kind != kitchens.OUTSIDE:
                s.planes[y, x, first + kind - kitchens.POT] = 1
            if kind == kitchens.POT:
                s.pots[s.pot_count, 0] = y
                s.pots[s.pot_count, 1] = x
                s.pot_count += 1
    if s.params.horizon < HURRY:
        hurry(s)


@kernel
def first_plane(s):
    """The first plane after those of the chefs."""
    return 5 * s.facing.shape[0]


@large_kernel
def hurry(s):
    """Fill the plane of urgency."""
    for y in range(s.planes.shape[0]):
        for x in range(s.planes.shape[1]):
            s.planes[y, x, first_plane(s) + URGENT] = 1


@kernel
def step(s, actions, rewards):
    chefs = s.facing.shape[0]
    waiting = pots_in_use(s)
    for a in range(chefs):
        if actions[a] == INTERACT:
            interact(s, a, waiting)
    move(s, actions)
    for k in range(s.pot_count):
        cook(s, np.int64(s.pots[k, 0]), np.int64(s.pots[k, 1]))
    if s.params.horizon - s.t == HURRY - 1:
        hurry(s)
    if s.t >= s.params.horizon:
        fill(s.truncated, 1)


@kernel
def parts(recipe):
    """The number of onions and tomatoes in a soup."""
    return (recipe & 3) + (recipe >> 2)


@kernel
def pots_in_use(s):
    """The number of pots that will need a dish: those with one or two parts, and those that cook or are ready."""
    count = 0
    for k in range(s.pot_count):
        y, x = s.pots[k, 0], s.pots[k, 1]
        count += s.tick[y, x] != IDLE or 0 < parts(np.int64(s.contents[y, x])) < 3
    return count


@large_kernel
def interact(s, a, waiting):
    """Chef `a` acts on the cell in front of it. `waiting` pots were in use at the start of the step."""
    y, x = s.at[a, 0] + DY[s.facing[a]], s.at[a, 1] + DX[s.facing[a]]
    kind, held, there = s.level.cells[y, x], np.int64(s.held[a]), np.int64(s.contents[y, x])
    if kind == kitchens.COUNTER:
        if (held == NOTHING) != (there == NOTHING):
            s.held[a] = there
            s.contents[y, x] = held
            show(s, y, x)
    elif kind == kitchens.POT:
        use_pot(s, a, y, x)
    elif kind == kitchens.SERVING:
        if held >= SOUP:
            s.held[a] = NOTHING
            serve(s, held - SOUP)
    elif held == NOTHING:
        if kind == kitchens.DISHES and dish_is_useful(s, waiting):
            s.objectives[a, SHAPING] += USEFUL_DISH
        s.held[a] = (
            ONION
            if kind == kitchens.ONIONS
            else TOMATO
            if kind == kitchens.TOMATOES
            else DISH
            if kind == kitchens.DISHES
            else NOTHING
        )


@kernel
def use_pot(s, a, y, x):
    """Put something into a pot, take the soup, or start to cook it."""
    held, recipe, tick = s.held[a], np.int64(s.contents[y, x]), s.tick[y, x]
    if held == ONION or held == TOMATO:
        if tick == IDLE and parts(recipe) < 3:
            s.contents[y, x] = recipe + (1 if held == ONION else 4)
            s.held[a] = NOTHING
            s.objectives[a, SHAPING] += POTTING
    elif held == DISH:
        if tick != IDLE and tick >= s.level.times[recipe]:
            s.contents[y, x] = 0
            s.tick[y, x] = IDLE
            s.held[a] = SOUP + recipe
            s.objectives[a, SHAPING] += SOUP_TAKEN
    elif held == NOTHING and tick == IDLE and recipe > 0 and s.params.old_dynamics == 0:
        s.tick[y, x] = 0
    show(s, y, x)


@kernel
def serve(s, recipe):
    """Give all chefs the value of the soup."""
    value = s.level.values[recipe]
    s.served += value > 0.0
    s.income += value
    for a in range(s.facing.shape[0]):
        s.objectives[a, DELIVERY] += value


@kernel
def dish_is_useful(s, waiting):
    """Whether taking a dish is rewarded. No dish may lie on a counter: chefs could put dishes down to take others."""
    if s.facing.shape[0] != 2:
        return False
    held = 0
    for a in range(s.facing.shape[0]):
        held += s.held[a] == DISH
    lying = 0
    for y in range(s.level.height):
        for x in range(s.level.width):
            lying += s.contents[y, x] == DISH and s.level.cells[y, x] == kitchens.COUNTER
    return lying == 0 and held < waiting


@kernel
def move(s, actions):
    """All turn, and move at once; if any two would collide or change places, nobody moves."""
    chefs = s.facing.shape[0]
    for a in range(chefs):
        action = actions[a]
        if action < STAY:
            s.facing[a] = action
        y, x = s.at[a, 0] + DY[action], s.at[a, 1] + DX[action]
        free = s.level.cells[y, x] == kitchens.FLOOR
        s.next[a, 0] = y if free else s.at[a, 0]
        s.next[a, 1] = x if free else s.at[a, 1]
    collision = False
    for a in range(chefs):
        for b in range(a):
            collision |= same(s.next, a, s.next, b) or (same(s.next, a, s.at, b) and same(s.at, a, s.next, b))
    if not collision:
        for a in range(chefs):
            s.at[a, 0] = s.next[a, 0]
            s.at[a, 1] = s.next[a, 1]


@kernel
def same(places, a, others, b):
    return places[a, 0] == others[b, 0] and places[a, 1] == others[b, 1]


@kernel
def cook(s, y, x):
    """A soup cooks for one more step; with the old dynamics, it starts to cook as soon as it has three parts."""
    recipe = np.int64(s.contents[y, x])
    if s.tick[y, x] == IDLE and s.params.old_dynamics and parts(recipe) == 3:
        s.tick[y, x] = 0
    if s.tick[y, x] != IDLE and s.tick[y, x] < s.level.times[recipe]:
        s.tick[y, x] += 1
        show(s, y, x)


@large_kernel
def show(s, y, x):
    """Write what a pot or counter holds into its planes."""
    first = first_plane(s)
    seen = s.planes[y, x]
    for k in range(first + IN_POT, first + URGENT):
        seen[k] = 0
    contents, tick = np.int64(s.contents[y, x]), s.tick[y, x]
    if s.level.cells[y, x] != kitchens.POT:
        put(seen, first, contents)
    elif tick == IDLE:
        seen[first + IN_POT] = contents & 3
        seen[first + IN_POT + 1] = contents >> 2
    else:
        seen[first + IN_SOUP] = contents & 3
        seen[first + IN_SOUP + 1] = contents >> 2
        seen[first + TO_COOK] = s.level.times[contents] - tick
        seen[first + READY] = tick >= s.level.times[contents]


@kernel
def put(seen, first, thing):
    """Write a thing in hands or on a counter into the planes of its cell."""
    if thing >= SOUP:
        seen[first + IN_SOUP] = thing & 3
        seen[first + IN_SOUP + 1] = thing - SOUP >> 2
        seen[first + READY] = 1
    elif thing != NOTHING:
        seen[first + _THING[thing]] = 1


@kernel
def observe(s, agent, out):
    planes, flat = s.planes.reshape(s.planes.size), out.reshape(out.size)
    for k in range(np.uint64(planes.size)):
        flat[k] = planes[k]
    chefs = s.facing.shape[0]
    for a in range(chefs):
        rank = 0 if a == agent else a + np.int64(a < agent)
        seen = out[s.at[a, 0], s.at[a, 1]]
        seen[rank] = 1
        seen[chefs + 4 * rank + s.facing[a]] = 1
        put(seen, first_plane(s), np.int64(s.held[a]))


class Overcooked(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    information = "perfect"
    # The rewards are identical if shaping has no weight, so `utility` is "general".
    masked = False
    kind = ("teams",)
    verified = "`overcooked-ai`, step by step: states and 26 planes"
    variants = (dict(layout="generated", width=7, height=7, chefs=4, dynamics="new"),)
    keys = {"up": "north", "down": "south", "right": "east", "left": "west", ".": "stay", "space": "interact"}
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        layout: Literal[
            "cramped_room", "asymmetric_advantages", "coordination_ring", "forced_coordination", "counter_circuit",
            "generated",
        ] = "cramped_room",
        chefs: Annotated[int, Between(2, kitchens.CHEFS)] = 2,
        dynamics: Literal["old", "new"] = "old",
        width: Annotated[int | None, Between(kitchens.SMALLEST[0], kitchens.LARGEST[0])] = None,
        height: Annotated[int | None, Between(kitchens.SMALLEST[1], kitchens.LARGEST[1])] = None,
        values: Mapping[str, float] | None = None,
        times: Mapping[str, int] | None = None,
        weights: Sequence[Annotated[float, Between(-1_000_000, 1_000_000)]] = (1.0, 0.0),
        horizon: Annotated[int, Between(1, 1_000_000)] = 400,
        divided: Annotated[float, Between(0, 1)] = 0.5,
        counters: Annotated[float, Between(0, 0.5)] = 0.1,
    ):  # fmt: skip
        values, times = {"ooo": 20} if values is None else values, times or {}
        paid, cooking = kitchens.tables(values, times, ParameterError)
        if dynamics == "old" and not any(len(name) == 3 for name in values):
            raise ParameterError(
                "Overcooked: under the old dynamics only soups of three cook; values names none of them"
            )
        rows = LAYOUTS.get(layout, (" " * 7,) * 5)
        width, height = len(rows[0]) if width is None else width, len(rows) if height is None else height
        if layout != "generated" and (width < len(rows[0]) or height < len(rows)):
            raise ParameterError(
                f"Overcooked: width x height is {width} x {height}; {layout} takes {len(rows[0])} x {len(rows)}"
            )
        self.define(
            agents=[f"chef_{a}" for a in range(chefs)],
            actions=ACTIONS,
            observation=Box(np.uint8(0), np.tile(_highest(chefs), (height, width, 1)), dtype=np.uint8),
            fields=fields(width, height, chefs),
            params={
                "layout": list(LAYOUTS).index(layout) if layout in LAYOUTS else _GENERATED,
                "old_dynamics": dynamics == "old",
                "values": limited(paid, 0, kitchens.HIGHEST),
                "times": limited(cooking, 1, kitchens.MOST_TIME),
                "weights": weights,
                "horizon": horizon,
                "divided": float(divided),
                "counters": float(counters),
            },
            objectives={"delivery": (0.0, float(chefs * kitchens.MOST_VALUE)), "shaping": (0.0, SOUP_TAKEN)},
        )
        self.chance = layout == "generated"

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        kitchens.fill(s, level, s.params.values, s.params.times)

    def get_level(self, s: Any) -> dict[str, Any]:
        return kitchens.plain(s)

    def contradiction(self, s: Any) -> str | None:
        level, kinds = s.level, s.level.cells
        if s.params.layout != _GENERATED and (_SIZES[s.params.layout] > kinds.shape).any():
            return "the layout is larger than the room for it"
        if not (s.params.values.any() and level.values.any()):
            return "there is no order"
        if (level.start >= (level.height - 1, level.width - 1)).any():
            return "a chef starts outside of the level"
        inside = np.ones((level.height, level.width), bool)
        inside = np.pad(inside, [(0, kinds.shape[0] - level.height), (0, kinds.shape[1] - level.width)])
        if ((kinds == kitchens.OUTSIDE) == inside).any():
            return "cells do not go with the level's size"
        if (kinds[s.at[:, 0], s.at[:, 1]] != kitchens.FLOOR).any() or (
            kinds[level.start[:, 0], level.start[:, 1]] != kitchens.FLOOR
        ).any():
            return "a chef is not on the floor"
        pots, counters = kinds == kitchens.POT, kinds == kitchens.COUNTER
        places = np.argwhere(pots)
        if s.pot_count != len(places) or (s.pots[: len(places)] != places).any():
            return "pots are not those of the level"
        if not (np.isin(s.held, _THINGS).all() and np.isin(s.contents[counters], _THINGS).all()):
            return "there is a thing that is none"
        if not np.isin(s.contents[pots], (0, *kitchens.RECIPES)).all() or s.contents[~(pots | counters)].any():
            return "there is a recipe that is none"
        cooking = s.tick != IDLE
        if (cooking & (~pots | (s.contents == 0) | (s.tick > level.times[s.contents & 15]))).any():
            return "a soup cooks that cannot"
        return None

    def text(self, s: Any, agent: int) -> str:
        lines = [
            line.replace("1", " ").replace("2", " ").replace("3", " ").replace("4", " ") for line in kitchens.layout(s)
        ]
        for a, (y, x) in enumerate(s.at):
            lines[y] = lines[y][:x] + str(a) + lines[y][x + 1 :]
        told = [
            "The kitchen, row 0 at the top: X counter, P pot, O onions, T tomatoes, D dishes, S serving window, "
            "digits are chefs.",
            *(f"{y:2} {line}" for y, line in enumerate(lines)),
        ]
        for a in sorted(range(len(self.agents)), key=lambda a: (a != agent, a)):
            who = f"You are {self.agents[a]}," if a == agent else f"{self.agents[a]} is"
            told.append(f"{who} {_place(*s.at[a])}, facing {ACTIONS[s.facing[a]]}, holding {_thing(s.held[a])}.")
        for y, x in np.argwhere((s.contents > 0) & (s.level.cells == kitchens.COUNTER)):
            told.append(f"On the counter {_place(y, x)} is {_thing(s.contents[y, x])}.")
        for y, x in s.pots[: s.pot_count]:
            recipe, tick = int(s.contents[y, x]), int(s.tick[y, x])
            left = int(s.level.times[recipe]) - tick
            cooks = (
                ""
                if tick == IDLE
                else ", ready to be taken with a dish"
                if left <= 0
                else f", {left} more steps to cook"
            )
            told.append(f"The pot {_place(y, x)} holds {pages.parts(recipe) or 'nothing'}{cooks}.")
        if s.params.horizon - s.t < HURRY:
            told.append(f"Fewer than {HURRY} steps are left.")
        return "\n".join(told)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The kitchen from above; below it the orders, and the soups served so far."""
        chefs = [(int(y), int(x), int(f), int(h)) for (y, x), f, h in zip(s.at, s.facing, s.held)]
        scene = kitchens.picture(s.level.cells, chefs)
        for y, x in np.argwhere((s.contents > 0) & (s.level.cells == kitchens.COUNTER)):
            scene.add(*kitchens.draw_thing(x + 0.5, y + 0.5, int(s.contents[y, x])))
        for y, x in s.pots[: s.pot_count]:
            recipe = int(s.contents[y, x])
            scene.add(*kitchens.draw_broth(x + 0.5, y + 0.5, recipe, int(s.tick[y, x]), int(s.level.times[recipe])))
        x, y = 0.3, scene.height + 0.45
        for k in kitchens.RECIPES:
            if s.level.values[k] > 0:
                order, width = kitchens.ticket(x, y, k, float(s.level.values[k]))
                if x + width > scene.width and x > 1:
                    x, y = 0.3, y + 0.75
                    order, width = kitchens.ticket(x, y, k, float(s.level.values[k]))
                scene.add(*order)
                x += width + 0.2
        scene.height = y + 0.4
        footer(scene, f"{s.t} / {s.params.horizon}", f"served {s.served}, income {s.income:g}")
        return scene


def _place(y: int, x: int) -> str:
    return f"at row {y}, column {x}"


def _thing(thing: int) -> str:
    if thing >= SOUP:
        return f"a soup of {pages.parts(int(thing) - SOUP)}"
    return ("nothing", "an onion", "a tomato", "a dish")[thing]


env, raw_env, parallel_env = pettingzoo_forms(Overcooked)
