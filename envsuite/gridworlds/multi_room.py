"""MultiRoom: open one door after another along a chain of rooms to reach the goal in the last one.

**Rules.** Rooms of random sizes form a chain. A closed door leads from each room to the next; its color differs from
that of the door before. The agent starts in the first room, facing any direction. The goal is in the last room. Cells
outside the rooms cannot be reached.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| image | Box (7, 7, 3) uint8 | the cells in view, coded as in DoorKey |
| direction | Discrete (4) | 0 east, 1 south, 2 west, 3 north |

**Actions.** Discrete (7), all of them always legal, with the same effects as in DoorKey.

| action | name |
|---|---|
| 0, 1, 2 | `left`, `right`, `forward` |
| 3, 4, 5 | `pickup`, `drop`, `toggle` |
| 6 | `done` |

**Window.** The arrow keys left and right turn the agent; up walks forward. Space toggles, p picks up, d drops, and
return is `done`.

**Rewards.** 1 - 0.9 t / horizon for reaching the goal with action number t; 0 otherwise.

**Ends.** Terminates at the goal or on lava; only levels given by the user have lava. Truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `min_rooms` | 6 | least number of rooms, from 1 to 10; the number is uniform between the two limits |
| `max_rooms` | 6 | largest number of rooms, from 1 to 10, at least `min_rooms` |
| `max_room_size` | 10 | largest side of a room, walls included, from 4 to 15; the least side is 4 |
| `width`, `height` | 25, 25 | cells of the level, from 5 to 25 |
| `horizon` | None | actions until truncation, from 1 to 1,000,000; None: 20 max_rooms |

**Level.** As in DoorKey: ``{"grid", "agent", "direction"}``.

**Known values.** Rooms have sides from 4 to `max_room_size`. A chain of six rooms has five doors.

**Differences.** None from MiniGrid in a given level: observations, rewards and ends are equal bit for bit.

- Random levels have MiniGrid's distribution but come from a different random stream.
- If no chain of the chosen length is found in a thousand attempts, the chain may be shorter. MiniGrid would continue
  forever.
- MiniGrid has no default for the numbers of rooms; six are its N6.
- The mission never changes, so it is part of the text and not of the observation.

**Source.** Chevalier-Boisvert et al., "Minigrid & Miniworld", NeurIPS 2023; `MultiRoomEnv` of minigrid 3.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import When
from envsuite.core.random import randint
from envsuite.core.world import Between, Kernels
from envsuite.kit import builder, rooms
from envsuite.kit.grid import WEST
from envsuite.kit.rooms import CLOSED, EMPTY, GOAL, GREEN, GREY_WALL
from envsuite.registry import pettingzoo_forms

#: The longest chain of rooms.
LONGEST = 10

_NO_ROOMS = (0,) * LONGEST


@kernel
def frame(s, x, y, width, height):
    """Put wall along the edge of a rectangle."""
    grid = s.level.grid
    # Unsigned indices avoid code for negative ones.
    left, right, top, bottom = np.uint64(x), np.uint64(x + width - 1), np.uint64(y), np.uint64(y + height - 1)
    for i in range(left, right + np.uint64(1)):
        grid[top, i] = GREY_WALL
        grid[bottom, i] = GREY_WALL
    for j in range(top, bottom):
        grid[j, left] = GREY_WALL
        grid[j, right] = GREY_WALL


@kernel
def inner_spot(s, x, y, width, height):
    """`spot` in a walled rectangle that is vacant inside: the same cell, found faster."""
    k = randint(s, (width - 2) * (height - 2))
    return x + 1 + k % (width - 2), y + 1 + k // (width - 2)


@kernel
def _pack(x, y, width, height, door_x, door_y):
    """A room and its entry as one number."""
    return x | y << 8 | width << 16 | height << 24 | door_x << 32 | door_y << 40


@kernel
def _apart(room, x, y, width, height):
    """Whether a rectangle does not touch a room, with a gap to its right and below it (as in MiniGrid)."""
    left, top = room & 255, room >> 8 & 255
    right, bottom = left + (room >> 16 & 255), top + (room >> 24 & 255)
    return (x + width < left) | (right <= x) | (y + height < top) | (bottom <= y)


@kernel
def grow(s):
    """A chain of rooms, which are the last elements of a tuple, and their number.

    The chain grows at its end, room after room, with eight attempts for each room. A chain that ends too early is
    dropped. After each thousand dropped chains, the wanted length is one room less.
    """
    height, width = s.level.grid.shape
    sizes = s.params.max_room_size - 3
    wanted = s.params.min_rooms + randint(s, s.params.max_rooms - s.params.min_rooms + 1)
    count, attempts = 0, 0
    chain = _NO_ROOMS
    while count < wanted:
        attempts += 1
        if attempts % 1000 == 0 and wanted > 1:
            wanted -= 1
        count = 0
        # MiniGrid draws the row from the width too.
        x, y, w, h = randint(s, width - 2), randint(s, width - 2), 4 + randint(s, sizes), 4 + randint(s, sizes)
        if x + w > width or y + h >= height:
            continue
        chain = chain[1:] + (_pack(x, y, w, h, 0, 0),)
        count, tries, entry = 1, 0, WEST
        while count < wanted and tries < 8:
            tries += 1
            # A door in a wall other than the entry's, and a room behind it; `a` is along the wall, `c` across.
            side = randint(s, 3)
            side += side >= entry
            flat, ahead = side & 1 != 0, side < 2
            next_w, next_h = 4 + randint(s, sizes), 4 + randint(s, sizes)
            next_a, next_c = (next_w, next_h) if flat else (next_h, next_w)
            at_a = (x if flat else y) + 1 + randint(s, (w if flat else h) - 2)
            at_c = (y if flat else x) + ahead * ((h if flat else w) - 1)
            a = at_a - next_a + 2 + randint(s, next_a - 2)
            c = at_c if ahead else at_c - next_c + 1
            left, top = (a, c) if flat else (c, a)
            clear = (left >= 0) & (top >= 0) & (left + next_w <= width) & (top + next_h < height)
            for k in range(LONGEST - count, LONGEST - 1):  # the room before may be touched
                clear &= _apart(chain[k], left, top, next_w, next_h)
            if clear:
                x, y, w, h = left, top, next_w, next_h
                door_x, door_y = (at_a, at_c) if flat else (at_c, at_a)
                chain = chain[1:] + (_pack(x, y, w, h, door_x, door_y),)
                entry, tries = side ^ 2, 0
                count += 1
    return chain, count


@large_kernel
def layout(s):
    """A chain of rooms, each entered by a closed door; the agent in the first room, the goal in the last."""
    height, width = s.level.grid.shape
    chain, count = grow(s)
    builder.fill(s, EMPTY, 0, 0, width, height)
    color = randint(s, 6)
    for k in range(LONGEST - count, LONGEST):
        x, y, w, h = chain[k] & 255, chain[k] >> 8 & 255, chain[k] >> 16 & 255, chain[k] >> 24 & 255
        frame(s, x, y, w, h)
        if k == LONGEST - count:
            i, j = inner_spot(s, x, y, w, h)
            builder.put_agent(s, i, j, randint(s, 4))
        else:
            color = (color + 1 + randint(s, 5)) % 6
            builder.door(s, CLOSED, color << 4, chain[k] >> 32 & 255, chain[k] >> 40)
    if count == 1:  # the agent is in the same room
        builder.place(s, GREEN | GOAL, x, y, w, h)
    else:
        i, j = inner_spot(s, x, y, w, h)
        s.level.grid[j, i] = GREEN | GOAL


PAGE = rooms.page(
    role="You walk through a chain of rooms to the goal in the last of them.",
    success="Reaching the goal",
    rules=(
        (
            When(
                "several",
                "The chain has {rooms}, or fewer if they do not fit into {width} x {height} cells.",
                "The chain is a single room within {width} x {height} cells.",
            ),
            "The sides of a room are {sides} cells long, walls included.",
            When(
                "several",
                "A closed door leads from each room to the next. You start in the first room, and the green goal is "
                "in the last one.",
                "You and the green goal are in it.",
            ),
        ),
        "You walk onto free cells, through open doors and onto the goal.",
    ),
    acts={"toggle": rooms.OPEN_OR_CLOSE, ("pickup", "drop", "done"): rooms.NO_EFFECT},
    over="you are at the goal",
    sees=rooms.SIGHT_DOORS,
)


class MultiRoom(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(rooms.reset_by(layout), rooms.step, rooms.observe)
    player_page = PAGE
    kind = ("rooms",)
    verified = "`minigrid`, step by step"
    variants = (dict(min_rooms=2, max_rooms=4, max_room_size=5),)
    mission = "traverse the rooms to get to the goal"

    def __init__(
        self,
        min_rooms: Annotated[int, Between(1, 10)] = 6,
        max_rooms: Annotated[int, Between(1, 10)] = 6,
        max_room_size: Annotated[int, Between(4, 15)] = 10,
        width: Annotated[int, Between(5, 25)] = 25,
        height: Annotated[int, Between(5, 25)] = 25,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        if max_rooms < min_rooms:
            raise ParameterError(f"MultiRoom: max_rooms={max_rooms} must be at least min_rooms={min_rooms}")
        sizes = {"min_rooms": min_rooms, "max_rooms": max_rooms, "max_room_size": max_room_size}
        self.lay_out(width, height, horizon or 20 * max_rooms, params=sizes)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        low, high, side = int(s.params.min_rooms), int(s.params.max_rooms), int(s.params.max_room_size)
        number = f"{low} to {high} rooms" if low < high else f"{high} rooms"
        sides = f"4 to {side}" if side > 4 else "4"
        return {**super().page_slots(s, agent), "rooms": number, "several": high > 1, "sides": sides}

    def contradiction(self, s: Any) -> str | None:
        return "max_rooms is below min_rooms" if s.params.max_rooms < s.params.min_rooms else super().contradiction(s)


env, raw_env, parallel_env = pettingzoo_forms(MultiRoom)
