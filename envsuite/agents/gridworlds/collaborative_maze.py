"""Baselines of CollaborativeMaze: sharers, askers, and agents that walk blindly, mishear, agree or translate."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.core.random import bernoulli
from envsuite.core.ranges import limited, scratch
from envsuite.gridworlds.collaborative_maze import LARGEST, terms
from envsuite.kit.grid import DX, DY

ID = "envsuite/CollaborativeMaze-v0"

CELLS = LARGEST * LARGEST

#: What all of them remember: where a step was refused or failed, the cell last proposed, and a plan: for each cell,
#: a belief (HIDDEN where there is none) and the distance to the goal plus one.
PLAN = {
    "failed": np.zeros(CELLS, bool),
    "target": limited(-1, -1, CELLS - 1),
    "belief": scratch(CELLS, np.uint8),
    "distance": scratch(CELLS),
    "queue": scratch(CELLS),
}
#: What sharers remember: what they misheard of each cell, and the convention in which they read and write.
SHARE = {**PLAN, "misheard": np.zeros(CELLS, bool), "transposed": False, "shifted": False}


@kernel
def neighbor(cell, direction, size):
    """The next cell in a direction, or -1 outside of the maze."""
    y, x = cell // size + DY[direction], cell % size + DX[direction]
    return y * size + x if 0 <= y < size and 0 <= x < size else np.int64(-1)


@kernel
def look(memory, observation):
    """Update beliefs from the map; a step that was refused or failed leads into a wall."""
    size = observation.map.shape[0]
    if memory.target >= 0:
        failed = observation.message == terms.ACCEPT + 1 and observation.position != memory.target
        if failed or observation.message == terms.REJECT + 1:
            memory.failed[memory.target] = 1
        if observation.proposal == 0 or observation.proposal > 4:
            memory.target = -1
    for y in range(size):
        for x in range(size):
            code = observation.map[y, x]
            if memory.failed[y * size + x]:
                code = terms.WALL
            memory.belief[y * size + x] = terms.FREE if code > terms.WALL else code


@kernel
def spoken(memory, cell, size, side):
    """The place of a cell in `told` and `said`, and in messages: i * side + j for its two numbers."""
    i, j = cell // size, cell % size
    if memory.transposed:
        i, j = j, i
    if memory.shifted:
        i, j = (i + side - 1) % side, (j + side - 1) % side
    return i * side + j


@kernel
def listen(memory, observation):
    """Believe what was said about hidden cells; return the number of cells of which nothing is known."""
    size, side = observation.map.shape[0], observation.told.shape[0]
    unknown = 0
    for cell in range(size * size):
        if memory.belief[cell] == terms.HIDDEN:
            place = spoken(memory, cell, size, side)
            claim = observation.told[place // side, place % side]
            if claim != terms.HIDDEN and memory.misheard[cell]:
                claim = terms.FREE + terms.WALL - claim
            memory.belief[cell] = claim
            unknown += claim == terms.HIDDEN
    return unknown


@large_kernel
def plan(memory, observation):
    """The direction of the first of the shortest paths to the goal through cells not believed to be walls, or -1.

    If several directions are equally good, it is the first of east, south, west, north.
    """
    size = observation.map.shape[0]
    head, tail = 0, 0
    for cell in range(size * size):
        memory.distance[cell] = 0
        if observation.map[cell // size, cell % size] == terms.GOAL:
            memory.distance[cell] = 1
            memory.queue[0] = cell
            tail = 1
    while head < tail:
        cell = memory.queue[head]
        head += 1
        for direction in range(4):
            near = neighbor(cell, direction, size)
            if near >= 0 and memory.distance[near] == 0 and memory.belief[near] != terms.WALL:
                memory.distance[near] = memory.distance[cell] + 1
                memory.queue[tail] = near
                tail += 1
    return downhill(memory, np.int64(observation.position), size)


@kernel
def downhill(memory, cell, size):
    """The first direction that is one step nearer to the goal, or -1."""
    for direction in range(4):
        near = neighbor(cell, np.int64(direction), size)
        if near >= 0 and memory.distance[near] > 0 and memory.distance[near] == memory.distance[cell] - 1:
            return np.int64(direction)
    return np.int64(-1)


@kernel
def propose(memory, observation, direction):
    """Propose a step and remember it; without a step to propose, say "done"."""
    if direction < 0:
        return np.int64(terms.DONE)
    memory.target = neighbor(np.int64(observation.position), direction, observation.map.shape[0])
    return terms.PROPOSE + direction


@kernel
def judge(memory, observation):
    """Accept the standing proposal unless it is believed to lead into a wall."""
    near = neighbor(np.int64(observation.position), observation.proposal - 5, observation.map.shape[0])
    return terms.REJECT if near < 0 or memory.belief[near] == terms.WALL else terms.ACCEPT


@kernel
def tell(memory, observation, cell):
    """State what the agent sees in a cell."""
    size, side = observation.map.shape[0], observation.told.shape[0]
    is_wall = observation.map[cell // size, cell % size] == terms.WALL
    return terms.TELL + is_wall * side * side + spoken(memory, np.int64(cell), size, side)


@kernel
def answer(memory, observation):
    """The cell that the other's last message asks about, if the agent sees it, or -1."""
    size, side = observation.map.shape[0], observation.told.shape[0]
    place = observation.message - 1 - terms.TELL - 2 * side * side
    if place >= 0:
        for cell in range(size * size):
            if observation.map[cell // size, cell % size] != terms.HIDDEN and spoken(memory, cell, size, side) == place:
                return np.int64(cell)
    return np.int64(-1)


@kernel
def untold(memory, observation):
    """The first cell that the agent sees and has not described, except start and goal, or -1."""
    size, side = observation.map.shape[0], observation.said.shape[0]
    for cell in range(size * size):
        code = observation.map[cell // size, cell % size]
        if code == terms.FREE or code == terms.WALL:
            place = spoken(memory, cell, size, side)
            if observation.said[place // side, place % side] != code:
                return np.int64(cell)
    return np.int64(-1)


@large_kernel
def share(memory, observation, mask):
    """What sharers do: see `sharer`."""
    side = observation.told.shape[0]
    look(memory, observation)
    unknown = listen(memory, observation)
    if mask[terms.PASS] == 0:  # alone
        return propose(memory, observation, plan(memory, observation))
    if observation.proposal > 4:
        return np.int64(judge(memory, observation))
    cell = answer(memory, observation)
    if cell < 0:
        cell = untold(memory, observation)
    if cell >= 0:
        action = np.int64(tell(memory, observation, cell))
        if mask[action]:
            return action
    telling = terms.TELL < observation.message <= terms.TELL + 2 * side * side
    if (unknown and telling) or observation.proposal > 0:
        return np.int64(terms.PASS)
    return propose(memory, observation, plan(memory, observation))


@policy(ID, "sharer", variables=SHARE)
def sharer(memory, observation, mask):
    """Describes all cells that it sees, waits for the other's descriptions, then proposes a shortest path.

    Unknown cells count as free. It answers questions, and rejects only steps into cells that it believes to be walls.
    """
    return share(memory, observation, mask)


@policy(ID, "noisy", SHARE, noise=CHANCE.at(0.1))
def noisy(memory, observation, mask):
    """A sharer that mishears each statement with probability `noise`: free as wall, and wall as free."""
    size, side = observation.map.shape[0], observation.told.shape[0]
    place = observation.message - 1 - terms.TELL
    if 0 <= place < 2 * side * side:
        i, j = place % (side * side) // side, place % side
        if i < size and j < size:
            memory.misheard[i * size + j] = bernoulli(memory, memory.noise)
    return share(memory, observation, mask)


@kernel
def makes_sense(memory, observation):
    """Whether all statements so far are about cells that the agent does not see, as sensible statements are."""
    size, side = observation.map.shape[0], observation.told.shape[0]
    sense = np.int64(0)
    for cell in range(size * size):
        if observation.map[cell // size, cell % size] == terms.HIDDEN:
            place = spoken(memory, cell, size, side)
            sense += observation.told[place // side, place % side] != terms.HIDDEN
    for place in range(side * side):
        sense -= observation.told[place // side, place % side] != terms.HIDDEN
    return sense == 0


@policy(ID, "translator", variables=SHARE)
def translator(memory, observation, mask):
    """A sharer that, as `agent_1`, finds out how `agent_0` writes, and reads and writes in the same way.

    It looks for a convention in which all statements are about cells that it does not see. Writing in a convention
    other than its own needs ``truthful=False``.
    """
    if memory.agent == 1 and not makes_sense(memory, observation):
        for k in range(4):
            memory.transposed, memory.shifted = k & 1, k >> 1
            if (k < 2 or observation.told.shape[0] > observation.map.shape[0]) and makes_sense(memory, observation):
                return share(memory, observation, mask)
        memory.transposed, memory.shifted = 0, 0
    return share(memory, observation, mask)


@policy(ID, "asker", variables={**SHARE, "asked": np.zeros(CELLS, bool)})
def asker(memory, observation, mask):
    """Asks only about cells on its planned path, one after the other, then proposes the path; answers questions.

    It asks about each cell once. Cells that remain unknown count as free.
    """
    size, side = observation.map.shape[0], observation.told.shape[0]
    look(memory, observation)
    listen(memory, observation)
    if mask[terms.PASS] == 0:
        return propose(memory, observation, plan(memory, observation))
    if observation.proposal > 4:
        return np.int64(judge(memory, observation))
    cell = answer(memory, observation)
    if cell >= 0:
        return np.int64(tell(memory, observation, cell))
    if observation.proposal > 0:
        return np.int64(terms.PASS)
    direction = plan(memory, observation)
    first, cell = direction, np.int64(observation.position)
    while direction >= 0:
        cell = neighbor(cell, direction, size)
        if memory.belief[cell] == terms.HIDDEN and not memory.asked[cell]:
            memory.asked[cell] = 1
            return np.int64(terms.TELL + 2 * side * side + spoken(memory, cell, size, side))
        direction = downhill(memory, cell, size)
    return propose(memory, observation, first)


@policy(ID, "blind", variables=PLAN)
def blind(memory, observation, mask):
    """Counts unseen cells as free and proposes a shortest path; accepts all proposals; never describes or asks.

    It ignores what the other agent says.
    """
    if mask[terms.ACCEPT] != 0:
        return np.int64(terms.ACCEPT)
    look(memory, observation)
    if mask[terms.PASS] != 0 and observation.proposal > 0:
        return np.int64(terms.PASS)
    return propose(memory, observation, plan(memory, observation))


@policy(ID, "agreeable")
def agreeable(memory, observation, mask):
    """Accepts every proposal and never says anything else; a single agent gives up."""
    return terms.ACCEPT if mask[terms.ACCEPT] != 0 else terms.PASS if mask[terms.PASS] != 0 else terms.DONE
