"""Household: nineteen chores in rooms with furniture and things to carry, open, switch on, soak, slice and clean.

**Rules.** A home has one room of `size` x `size` cells, walls included, or two such rooms with a doorway between them.
An agent walks on the floor, through the doorway, and on beds. Each cell has three layers: bottom, middle and top. A
piece of furniture covers several cells and fills some of their layers. A layer that is not filled has room for one
object, and some furniture holds objects in layers that it fills.

| furniture | cells | fills | holds objects in | can be |
|---|---|---|---|---|
| ashcan, bin | 1 x 1 | all | all | dusty, stained |
| bed, sofa, countertop | 3 x 2 | bottom | | dusty, stained |
| box | 2 x 2 | bottom | bottom | dusty |
| bucket | 1 x 2 | bottom | bottom | dusty, stained |
| cabinet, fridge | 2 x 3 | all | all | dusty, stained, open |
| car | 3 x 2 | bottom, middle | bottom | dusty, stained, open |
| chair | 1 x 1 | bottom, middle | | dusty, stained |
| shelf | 2 x 3 | bottom, middle | bottom, middle | dusty, stained |
| sink | 2 x 2 | bottom | bottom | dusty, stained, on |
| stove | 3 x 2 | bottom, middle | bottom | dusty, stained, open, on |
| table | 3 x 2 | middle | | dusty, stained |

The countertop of `store_food` has 4 x 3 cells, and the box of `box_books` has 3 x 3.

*Actions* are about the cell ahead:

- `toggle` switches a sink, stove, printer or blender on or off. `open` and `close` are for packages and for furniture
  that can be open. An agent that holds the knife slices an apple or lemon by `slice`. These four act on the furniture,
  or else on the lowest object for which they are possible.
- `pick up` takes the object of a layer if the agent holds nothing. Objects above it move down by one layer.
- `drop` puts the held object into a layer that is free. The layer must be the bottom one, or have something under it.
- `drop in` puts the held object inside furniture that is open or that cannot be closed. The layer must hold objects and
  be free. It must be the bottom one, or have an object under it. If several layers are possible, a random one is taken.

What is inside closed furniture cannot be reached. Only what was dropped in is inside, not what has moved down.

*After each action* rags, brushes, towels, plants and tea bags become soaked in a cell of a sink that is on. They
also become soaked in a cell of a stove that is on, with a teapot in its top layer. They stay soaked. Then a broom, rag,
brush or towel removes the dust of all things in its cell. A soaked rag, brush or towel removes stains, too. Food and
oil are frozen while they are inside the fridge.

*Goals.* An object is *on top of* a thing if both are in one cell, and the object is in a higher layer, or in the
highest layer that furniture fills. It is *beside* a thing if their cells share a side.

| `activity` | goal | smallest size |
|---|---|---|
| "install_printer" | the printer is on top of the table, and on | 6 |
| "open_packages" | both packages are open | 6 |
| "water_plants" | three plants are soaked; the sink is in the other room for two of them | 8 |
| "wash_pots" | three pans, a kettle and a teapot are inside cabinets and not stained | 10 |
| "put_away_dishes" | eight plates are inside the cabinet | 8 |
| "store_food" | eight packs of food are inside the cabinet | 10 |
| "box_books" | seven books are inside the box | 10 |
| "sort_books" | four books are on top of the shelf | 8 |
| "set_candles" | three candles are on top of each table; the tables are in two rooms | 8 |
| "file_documents" | four documents and two folders are inside the cabinet, the marker on top of the table | 8 |
| "collect_items" | the sneaker, the necklace, the notebook and two socks are on top of table 2 | 10 |
| "lay_floor" | each of four boards is beside another one | 6 |
| "clean_shoes" | no shoe is stained or dusty, and the towel is not in the hand | 8 |
| "clean_car" | the car is not dusty, and rag and soap are inside the bucket | 8 |
| "throw_leftovers" | three hamburgers are inside the ashcan | 6 |
| "thaw_food" | four fish and the olive are beside the sink, the date is beside a fish | 8 |
| "make_tea" | the lemon is sliced, the teapot on top of the stove, which is on, with the soaked tea bag | 8 |
| "clean_kitchen" | ten conditions about cleanness and places | 10 |
| "stack_cartons" | of two cartons in two rooms, one is on top of the other | 6 |

The text of the world lists all conditions of an activity. With `activity` "any" each episode draws one, among those
that fit the size.

**Agents.** `agent`.

**Observation.** Dict. A thing is three numbers: its kind, its number among those of its kind, and its states.

| part | space | content |
|---|---|---|
| image | Box (7, 7, 12) uint8 | the cells ahead, nearest last; the agent is in the middle of the last row |
| held | Box (3,) uint8 | the object in the hand, or zeros |
| direction | Discrete (4) | 0 east, 1 south, 2 west, 3 north |
| activity | Discrete (19) | the number of the activity, in the order of the table |
| clock | Box (2,) int64 | the steps so far, and the most steps |

A cell of the view is its furniture and the objects in its bottom, middle and top layer; zeros for none. Walls and
closed furniture hide nothing. Cells outside of the map are walls. States are bits: 1 dusty, 2 stained, 4 open, 8 on, 16
soaked, 32 sliced, 64 frozen, 128 inside. Kinds of furniture are from 1 to 15, in the order ashcan, bed, bin, box,
bucket, cabinet, car, chair, countertop, fridge, shelf, sink, sofa, stove, table. 16 is a wall, 17 the doorway. Objects
are from 18: apple, blender, book, broom, brush, candle, carton, casserole, chips, date, document, dustpan, fish,
folder, hamburger, hammer, hardback, kettle, knife, lemon, marker, necklace, notebook, oatmeal, oil, olive, package,
pan, plant, plate, plywood, printer, rag, saw, shoe, sneaker, soap, sock, sugar, tea bag, teapot, towel.

**Actions.** Discrete (14), all of them always legal.

| action | name |
|---|---|
| 0, 1 | `left`, `right`: turn |
| 2 | `forward` |
| 3 to 6 | `toggle`, `open`, `close`, `slice` |
| 7 | `drop in` |
| 8, 9, 10 | `pick up bottom`, `pick up middle`, `pick up top` |
| 11, 12, 13 | `drop bottom`, `drop middle`, `drop top` |

**Window.** The arrow keys left and right turn the agent; up walks forward. 1, 2 and 3 pick up the object in the bottom,
middle and top layer, and 4, 5 and 6 drop into it. i drops in, o opens, c closes, space toggles, s slices. A click on
the cells ahead walks forward, and a click to the left or right turns.

**Rewards.** 1 for reaching the goal. With `reward` "progress", each step has the change in the number of conditions
that hold, divided by their number.

**Ends.** Terminates with the goal. Truncated after `steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `activity` | "any" | the activity, or "any" |
| `size` | 8 | cells on a side of a room: 6, 8, 10 or 16 |
| `reward` | "goal" | "goal" or "progress" |
| `steps` | 1000 | most steps of an episode, from 1 to 100,000 |

**Level.** ``{"activity": "install_printer", "size": 6, "furniture": [["table", 2, 3, "dusty"]], "objects": [["printer",
1, 1, 0, ""]], "agent": [4, 1, 2]}``. Furniture has the column and row of its upper left cell, and its states. Objects
have a column, a row, a layer and states, of which "inside" is one. The agent has a column, a row and a direction. With
two rooms, ``"door"`` is the row of the doorway. `envsuite generate homes` makes levels.

**Known values.** None.

**Differences.** From Mini-BEHAVIOR. Given its starts, the agent, all objects, layers and states, rewards and ends are
equal, but for the points below.

- `preparing_salad` is left out: its goal is never true there, and it asks for four things on top of a plate, which
  three layers do not allow. `cook` is left out: it looks for the stove in the agent's own cell, and no activity needs
  it.
- In its `making_tea` nothing can soak the tea bag, because its teapots cannot be switched on. Here a teapot on a stove
  that is on does.
- In its `cleaning_up_the_kitchen_only` a variable is not reset, so the condition about the plate always holds. Here the
  plate must be inside a cabinet without the oil.
- The goal of its `moving_boxes_to_storage` raises an error. Here one carton is on top of the other.
- Its starts put two fish into one place in `thawing_frozen_food`, and the sneaker into two places in
  `collect_misplaced_items`. Its marker is in a layer that the chair fills. Some of its starts cannot be solved, because
  things cannot be reached. Our homes have none of this.
- Its `throwing_away_leftovers` pays the fraction of hamburgers in the ashcan at every step, so that it pays not to
  finish. Here all activities pay 1 at the end. It has a reward for progress in two activities, which also counts open
  cabinets.
- The view shows things with numbers and with the state "inside", because goals distinguish things of one kind. What the
  agent holds is a part of its own, and not drawn into its cell.
- Episodes have 1,000 steps, not 100,000.

**Source.** Jin et al., "Mini-BEHAVIOR: A Procedurally Generated Benchmark for Long-Horizon Decision-Making in Embodied
AI", 2023, and its code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.arrays import copy
from envsuite.core.kernel import kernel
from envsuite.core.ranges import below, within
from envsuite.core.world import Horizon, Kernels, World
from envsuite.gridworlds.household import activities, levels, pages, view
from envsuite.gridworlds.household.levels import make
from envsuite.gridworlds.household.rules import ACTIONS, act, count_met, ground, ground_at, slot, states_of, update
from envsuite.kit.grid import DX, DY
from envsuite.registry import pettingzoo_forms

GOAL, PROGRESS = range(2)

#: The view is VIEW x VIEW cells; the agent stands in the middle of the nearest row.
VIEW, MIDDLE = 7, 3


def fields(made: levels.Homes, size: int, width: int) -> list[tuple]:
    """The record."""
    return [
        *made.fields,  # level: the start; scratch
        ("ground", below(np.uint8, levels.DOORWAY + 1), (size, width)),  # floor, 1 + number of a piece, wall or doorway
        (
            "slots",
            below(np.uint8, activities.OBJECTS + 1),
            (size, width, activities.LAYERS),
        ),  # 1 + number of an object, or 0
        ("x", within(np.int64, 1, width - 2)),
        ("y", within(np.int64, 1, size - 2)),
        ("facing", below(np.int64, 4)),
        ("held", below(np.int64, activities.OBJECTS + 1)),  # 1 + number of the held object, or 0
        (
            "place",
            within(np.int64, 0, [width - 2, size - 2, activities.LAYERS - 1]),
            (activities.OBJECTS, 3),
        ),  # x, y, layer; 0 if held
        ("bits", below(np.int64, 256), (activities.OBJECTS,)),  # states of objects, without `FROZEN`
        ("piece_bits", below(np.int64, 256), (activities.FURNITURE,)),  # states of furniture
        ("met", within(np.int64, 0, activities.CONDITIONS)),  # conditions of the goal that hold
    ]


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    levels.draw_ground(s.ground, s.level, s.params.size)
    height, width = s.ground.shape
    for y in range(height):
        for x in range(width):
            for layer in range(activities.LAYERS):
                s.slots[y, x, layer] = 0
    for k in range(activities.OBJECTS):
        x, y, layer = s.level.place[k, 0], s.level.place[k, 1], s.level.place[k, 2]
        s.place[k, 0] = x
        s.place[k, 1] = y
        s.place[k, 2] = layer
        s.bits[k] = s.level.object_bits[k]
        if k < activities.OBJECT_COUNT[s.level.activity]:
            s.slots[y, x, layer] = k + 1
    copy(s.piece_bits, s.level.piece_bits)
    s.x = s.level.agent[0]
    s.y = s.level.agent[1]
    s.facing = s.level.agent[2]
    s.held = 0
    update(s)
    s.met = count_met(s)


@kernel
def step(s, actions, rewards):
    act(s, actions[0])
    update(s)
    before, conditions = s.met, activities.GOAL_COUNT[s.level.activity]
    s.met = count_met(s)
    if s.params.reward == PROGRESS:
        rewards[0] = (s.met - before) / conditions
    if s.met == conditions:
        s.terminated[0] = 1
        if s.params.reward == GOAL:
            rewards[0] = 1.0
    elif s.t >= s.params.steps:
        s.truncated[0] = 1


@kernel
def write_thing(row, first, kind, number, bits):
    """Write the three numbers of a thing into a row."""
    row[first] = kind
    row[first + 1] = number
    row[first + 2] = bits


@kernel
def write_object(s, row, first, code):
    """Write the three numbers of the object with 1 + number `code`, or zeros for 0."""
    if code == 0:
        write_thing(row, first, 0, 0, 0)
    else:
        thing = activities.FURNITURE + code - 1
        write_thing(
            row,
            first,
            activities.KIND_OF[s.level.activity, thing],
            activities.NUMBER[s.level.activity, thing],
            states_of(s, code - 1),
        )


@kernel
def write_cell(s, row, x, y):
    """Write the twelve numbers of a cell."""
    height, width = s.ground.shape
    within_map = 0 <= x < width and 0 <= y < height
    piece = ground(s, x, y) - 1 if within_map else levels.WALLED - 1
    if 0 <= piece < activities.FURNITURE:
        write_thing(
            row,
            0,
            activities.KIND_OF[s.level.activity, piece],
            activities.NUMBER[s.level.activity, piece],
            s.piece_bits[piece],
        )
    else:
        write_thing(row, 0, ground_at(s, x, y) if within_map else activities.WALL, 0, 0)
    for layer in range(activities.LAYERS):
        write_object(s, row, 3 + 3 * layer, slot(s, x, y, layer) if within_map else 0)


@kernel
def observe(s, agent, out):
    east, south = DX[s.facing], DY[s.facing]
    for i in range(VIEW):
        for j in range(VIEW):
            ahead, right = VIEW - 1 - i, j - MIDDLE
            write_cell(s, out.image[i, j], s.x + ahead * east - right * south, s.y + ahead * south + right * east)
    write_object(s, out.held, 0, s.held)
    out.direction = s.facing
    out.activity = s.level.activity
    out.clock[0] = s.t
    out.clock[1] = s.params.steps


class Household(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    optimization = 1  # 3 takes a third longer here and makes nothing faster
    masked = False
    kind = ("open worlds", "rooms")
    verified = "Mini-BEHAVIOR, in lock-step: episodes of all activities from its own starts"
    variants = (
        dict(activity="clean_kitchen", size=10, reward="progress", steps=60),
        dict(activity="make_tea", steps=400),
        dict(activity="water_plants", size=16),
        dict(size=6, steps=50),
    )
    shown = "planner"
    clickable = "forward|right|left"
    keys = {
        "left": "left", "right": "right", "up": "forward", "space": "toggle", "o": "open", "c": "close", "s": "slice",
        "i": "drop in", "1": "pick up bottom", "2": "pick up middle", "3": "pick up top", "4": "drop bottom",
        "5": "drop middle", "6": "drop top",
    }  # fmt: skip
    synonyms = {"walk": "forward", "turn left": "left", "turn right": "right", "put in": "drop in", "cut": "slice"}
    text = view.text
    scene = view.scene
    click = view.click
    player_page = pages.PAGE

    def __init__(
        self,
        activity: levels.Choice = "any",
        size: levels.Size = 8,
        reward: Literal["goal", "progress"] = "goal",
        steps: Annotated[int, Horizon(1, 100_000)] = 1000,
    ):
        made = levels.Homes(activity, size)
        width = made.record["scratch"]["ground"].shape[1]
        self.paid_at_end = reward == "goal"
        cell = np.array([len(activities.KINDS) - 1, activities.OBJECTS, 255] * 4, np.uint8)
        self.define(
            agents=["agent"],
            actions=ACTIONS,
            observation=Dict(
                image=Box(0, np.broadcast_to(cell, (VIEW, VIEW, 12)), dtype=np.uint8),
                held=Box(0, cell[:3], dtype=np.uint8),
                direction=Discrete(4),
                activity=Discrete(len(activities.ACTIVITIES)),
                clock=Box(0, 100_000, (2,), np.int64),
            ),
            fields=fields(made, size, width),
            params={**made.values, "reward": ("goal", "progress").index(reward), "steps": steps},
            reward_range=(0.0, 1.0) if reward == "goal" else (-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        activity, size, width = int(s.level.activity), int(s.params.size), s.ground.shape[1]
        chosen = int(s.params.activity) - 1
        if chosen not in (-1, activity) or activities.LEAST[activity] > size:
            return "the activity is another one"
        if width < (2 * size - 1 if chosen < 0 or activities.ROOMS[chosen] == 2 else size):
            return "the rooms do not fit the map"
        if (s.level.door > 0) != (activities.ROOMS[activity] == 2):
            return "there is a doorway too many, or too few"
        count, pieces = activities.OBJECT_COUNT[activity], activities.PIECE_COUNT[activity]
        ends = s.level.corner[:pieces] + activities.PIECES[activity, :pieces, 1:3]
        right = int(activities.ROOMS[activity]) * (size - 1)
        if (s.level.corner[:pieces] < 1).any() or (ends > [right, size - 1]).any():
            return "furniture is in a wall"
        plan = levels.ground_of(s.level, size, width)
        if (
            (s.level.place[:count, :2] < 1).any()
            or levels.faulty_ground(plan, activity)
            or levels.faulty_start(s.level, plan)
        ):
            return "the level's things are where they cannot be"
        if (s.ground != plan).any():
            return "the furniture is not where the level has it"
        return self._faulty_things(s, activity, count)

    def _faulty_things(self, s: Any, activity: int, count: int) -> str | None:
        """What is wrong with objects, their states and the agent, or None."""
        slots = np.zeros(s.slots.shape, np.uint8)
        for k in range(count):
            x, y, layer = s.place[k].tolist()
            if s.held == k + 1:
                if s.bits[k] & activities.INSIDE:
                    return "the held object is inside something"
            elif s.ground[y, x] >= levels.WALLED:
                return "an object is in a wall"
            else:
                slots[y, x, layer] = k + 1
                kind = activities.KIND_OF[activity, s.ground[y, x] - 1] if s.ground[y, x] else 0
                if s.bits[k] & activities.INSIDE and not activities.HOLDS[kind] >> layer & 1:
                    return "an object is inside of nothing"
        if s.held > count or (s.slots != slots).any() or (slots > 0).sum() != count - (s.held > 0):
            return "the objects are not where they are said to be"
        able = activities.ABLE[activities.KIND_OF[activity]] & ~activities.FROZEN
        able[activities.FURNITURE : activities.FURNITURE + count] |= activities.INSIDE
        for held in (np.append(s.piece_bits, s.bits), np.append(s.level.piece_bits, s.level.object_bits)):
            if (held & ~able).any():
                return "a thing has a state that it cannot have"
        if not levels.passable(activity, int(s.ground[s.y, s.x])) or s.slots[s.y, s.x].any():
            return "the agent is where it cannot stand"
        if s.met != count_met(s):
            return "the number of conditions that hold is another one"
        return None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        levels.read_home(s.level, level, int(s.params.activity), s.ground.shape, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return levels.write_home(s.level, int(s.params.size))

    def whole(self, s: Any) -> np.ndarray:
        """(rows, columns, 12) all cells of the home, as an observation has them."""
        size = int(s.params.size)
        image = np.zeros((size, int(activities.ROOMS[s.level.activity]) * (size - 1) + 1, 12), np.uint8)
        for y, x in np.ndindex(image.shape[:2]):
            write_cell(s, image[y, x], x, y)
        return image


env, raw_env, parallel_env = pettingzoo_forms(Household)
