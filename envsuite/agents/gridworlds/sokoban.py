"""A policy for Sokoban that searches for a solution and plays it."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.random import mix
from envsuite.core.ranges import limited, scratch
from envsuite.gridworlds.sokoban import BOX, DX, DY, PLAYER, TARGET, WALL

#: The most cells of a room, and the slots for positions that a search has seen, which are found by their hashes.
CELLS = 32 * 32
SLOTS = 4096
#: The most positions that a search sees, and the most pushes of a plan.
MOST, PUSHES = 3 * SLOTS // 4, 400
#: The most pushes of one position that a search considers.
WAYS = 128
#: Positions wait in buckets by their pushes so far plus GREED times the least number of pushes still needed.
BUCKETS, GREED = 512, 2
#: The distance of cells from which no box can reach a target.
LOST = 255

# The codes of cells of `room`.
_WALL, _BOX, _TARGET = 1, 2, 4


@kernel
def number(cell):
    """A random number for each cell."""
    return np.int64(mix(np.uint64(cell + 1)))


@kernel
def ahead(direction, width):
    """From a cell to the next one in a direction."""
    return DX[direction] + DY[direction] * width


@large_kernel
def look(memory, observation):
    """Copy the room from the observation; return the player's cell."""
    height, width, _ = observation.shape
    player = np.int64(0)
    for y in range(height):
        for x in range(width):
            cell = y * width + x
            seen = observation[y, x]
            memory.room[np.uint64(cell)] = _WALL * seen[WALL] | _BOX * seen[BOX] | _TARGET * seen[TARGET]
            if seen[PLAYER] != 0:
                player = np.int64(cell)
    return player


@large_kernel
def flood(memory, source, cells, width):
    """Reach all cells that the player reaches from a cell; return the first of them.

    A reached cell's mark is the direction back to the source, plus one; 5 at the source.
    """
    marks, queue = memory.marks, memory.queue
    for k in range(cells):
        marks[k] = 0
    marks[np.uint64(source)] = 5
    queue[0] = source
    head, tail, first = 0, 1, np.int64(source)
    while head < tail:
        cell = queue[np.uint64(head)]
        head += 1
        first = min(first, cell)
        for direction in range(4):
            near = np.uint64(cell + ahead(direction, width))
            if marks[near] == 0 and memory.room[near] & (_WALL | _BOX) == 0:
                marks[near] = (direction ^ 1) + 1
                queue[np.uint64(tail)] = np.int64(near)
                tail += 1
    return first


@large_kernel
def measure(memory, cells, width):
    """The number of pushes that a single box in the room needs from each cell to a target."""
    distance, queue = memory.distance, memory.queue
    tail = 0
    for cell in range(cells):
        distance[cell] = LOST
        if memory.room[cell] & _TARGET:
            distance[cell] = 0
            queue[np.uint64(tail)] = cell
            tail += 1
    head = 0
    while head < tail:
        cell = queue[np.uint64(head)]
        head += 1
        for direction in range(4):
            before = cell - ahead(direction, width)
            if distance[np.uint64(before)] == LOST and memory.room[np.uint64(before)] & _WALL == 0:
                if memory.room[np.uint64(before - ahead(direction, width))] & _WALL == 0:
                    distance[np.uint64(before)] = min(np.int64(distance[np.uint64(cell)]) + 1, LOST - 1)
                    queue[np.uint64(tail)] = before
                    tail += 1


@large_kernel
def shift(memory, cell, to):
    """Move a box from one cell to another."""
    memory.room[np.uint64(cell)] ^= _BOX
    memory.room[np.uint64(to)] ^= _BOX


# A slot's link has the following in 16 bits each; the last 16 hold the next slot of its bucket, plus one.


@kernel
def before(link):
    """The slot of the position before."""
    return link & 0xFFFF


@kernel
def pushed(link):
    """The push that led here: the cell of the box and the direction."""
    return link >> 16 & 0xFFFF


@kernel
def pushes(link):
    """The number of pushes that led here."""
    return link >> 32 & 0xFFFF


@large_kernel
def replay(memory, slot, root, width):
    """Make the pushes that lead from the root to a position, or take them back."""
    while slot != root:
        push = pushed(memory.links[np.uint64(slot)])
        shift(memory, push >> 2, (push >> 2) + ahead(push & 3, width))
        slot = before(memory.links[np.uint64(slot)])


@large_kernel
def enter(memory, key, link, bucket):
    """Put a position into its slot and a bucket unless it has been seen; return its slot, or -1."""
    slot = np.uint64(key & SLOTS - 1)
    while memory.keys[slot] != 0:
        if memory.keys[slot] == key:
            return np.int64(-1)
        slot = slot + np.uint64(1) & np.uint64(SLOTS - 1)
    bucket = np.uint64(min(bucket, BUCKETS - 1))
    memory.keys[slot] = key
    memory.links[slot] = link | memory.buckets[bucket] << 48
    memory.buckets[bucket] = np.int64(slot) + 1
    memory.seen += 1
    return np.int64(slot)


@large_kernel
def pushes_needed(memory, cells):
    """The fewest pushes that the boxes need if each were alone."""
    needed = np.int64(0)
    for cell in range(cells):
        if memory.room[cell] & _BOX:
            needed += memory.distance[cell]
    return needed


@large_kernel
def list_pushes(memory, cells, width):
    """Write all pushes of boxes beside the marked cells to `memory.ways`, as marks are reused; return their number."""
    ways = np.int64(0)
    for cell in range(cells):
        if memory.room[cell] & _BOX:
            for direction in range(4):
                step = ahead(direction, width)
                if (
                    memory.marks[np.uint64(cell - step)] != 0
                    and memory.room[np.uint64(cell + step)] & (_WALL | _BOX) == 0
                    and memory.distance[np.uint64(cell + step)] != LOST
                    and ways < WAYS
                ):
                    memory.ways[np.uint64(ways)] = cell << 2 | direction
                    ways += 1
    return ways


@large_kernel
def search(memory, player, cells, width):
    """Plan the pushes to a solution, or to the position that looks nearest to one; return their number.

    Best first over positions. A position is the cells of the boxes and the part of the room with the player.
    """
    for k in range(SLOTS):
        memory.keys[k] = 0
    for k in range(BUCKETS):
        memory.buckets[k] = 0
    memory.seen = 0
    measure(memory, cells, width)
    key = number(CELLS + flood(memory, player, cells, width))
    for cell in range(cells):
        if memory.room[cell] & _BOX:
            key ^= number(cell)
    root = enter(memory, key, np.int64(0), np.int64(0))
    goal, nearest = root, np.int64(1 << 30)
    bucket = 0
    while bucket < BUCKETS and nearest > 0 and memory.seen < MOST:
        slot = memory.buckets[bucket] - 1
        if slot < 0:
            bucket += 1
            continue
        link = memory.links[np.uint64(slot)]
        memory.buckets[bucket] = link >> 48 & 0xFFFF
        replay(memory, slot, root, width)
        needed = pushes_needed(memory, cells)
        if needed < nearest:
            goal, nearest = slot, needed
        at = player if slot == root else pushed(link) >> 2
        key = memory.keys[np.uint64(slot)] ^ number(CELLS + flood(memory, at, cells, width))
        ways = list_pushes(memory, cells, width)
        deep = pushes(link) + 1
        for k in range(ways if deep <= PUSHES else 0):
            push = memory.ways[k]
            cell = push >> 2
            to = cell + ahead(push & 3, width)
            shift(memory, cell, to)
            hashed = key ^ number(cell) ^ number(to) ^ number(CELLS + flood(memory, cell, cells, width))
            left = needed - np.int64(memory.distance[np.uint64(cell)]) + np.int64(memory.distance[np.uint64(to)])
            if memory.seen < MOST:
                found = enter(memory, hashed, slot | push << 16 | deep << 32, deep + GREED * left)
                if found >= 0:
                    bucket = min(bucket, deep + GREED * left)
            shift(memory, cell, to)
        replay(memory, slot, root, width)
    count = pushes(memory.links[np.uint64(goal)])
    for k in range(count):
        memory.plan[np.uint64(count - 1 - k)] = pushed(memory.links[np.uint64(goal)])
        goal = before(memory.links[np.uint64(goal)])
    return count


@kernel
def possible(memory, push, cells, width):
    """Whether there is a box to push, and a place behind it."""
    box = push >> 2
    if box >= cells or memory.room[np.uint64(box)] & _BOX == 0:
        return False
    return memory.room[np.uint64(box - ahead(push & 3, width))] & _WALL == 0


@policy(
    "envsuite/Sokoban-v0",
    "solver",
    variables={
        "room": scratch(CELLS, np.uint8),
        "marks": scratch(CELLS, np.uint8),
        "distance": scratch(CELLS, np.uint8),
        "queue": scratch(CELLS),
        "keys": scratch(SLOTS),
        "links": scratch(SLOTS),
        "buckets": scratch(BUCKETS),
        "ways": scratch(WAYS),
        "plan": limited(np.zeros(PUSHES, int), 0, 4 * CELLS - 1),
        "seen": limited(0, 0, MOST),
        "planned": limited(0, 0, PUSHES),
        "done": limited(0, 0, PUSHES),
        "stuck": False,
    },
)
def solver(memory, observation, mask):
    """Searches for pushes that solve the level, or else bring the boxes near the targets, and makes them.

    It looks at up to 3,072 positions per search. If a search finds no pushes, it moves at random.
    """
    height, width, _ = observation.shape
    cells = np.int64(height * width)
    player = look(memory, observation)
    if memory.done < memory.planned:
        if not possible(memory, memory.plan[memory.done], cells, np.int64(width)):
            memory.planned = 0  # the room differs from the one that was planned for
    if memory.done >= memory.planned and not memory.stuck:
        memory.planned = search(memory, player, cells, np.int64(width))
        memory.done = 0
        memory.stuck = memory.planned == 0
    if memory.done < memory.planned:
        push = memory.plan[memory.done]
        behind = (push >> 2) - ahead(push & 3, width)
        direction = push & 3
        if player == behind:
            memory.done += 1
        else:
            flood(memory, behind, cells, np.int64(width))
            direction = np.int64(memory.marks[np.uint64(player)]) - 1
        action = direction + np.int64(mask.shape[0] > 4)  # the pushes of gym-sokoban follow its noop
        if 0 <= direction < 4 and mask[action] != 0:
            return action
    return choose_legal(memory, mask)
