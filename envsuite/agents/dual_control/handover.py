"""Baselines of Handover: guides that instruct step by step, followers that do what they understand, and ablations.

Each policy plays both seats. All use the same language. Pointing at a part and then naming an operation is an
instruction. Pointing at the store asks for a spare. `done` and `not understood` are answers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import MANY, limited, scratch
from envsuite.dual_control.handover import terms
from envsuite.dual_control.handover.levels import FIT, FLOOR, LARGEST, LONGEST, MOST_PARTS, STORE

ID = "envsuite/Handover-v0"

#: The target of a walk: beside the store (0), beside a part (its number), or beside the other agent.
OTHER = MOST_PARTS + 1

#: The job of an agent: 0 for none, k for part k, or a spare for the guide.
SPARE = MOST_PARTS + 1

#: Stages of an instruction.
TO_POINT, TO_NAME, SAID, TO_CONFIRM = range(4)

#: The number of steps after which a guide that does not speak assumes that the worker has done its job.
SILENCE = 40

#: The number of steps that a follower waits for the rest of an instruction, or for an answer to its question.
PATIENCE = 6

_WAY = {"distance": scratch(LARGEST * LARGEST), "queue": scratch(LARGEST * LARGEST)}


# Ways.


@large_kernel
def spread(memory, observation, tail, blocked):
    """Fill distances to all floor cells from the first `tail` cells of the queue, whose distance is 0; -1 elsewhere."""
    map = observation.map
    size = map.shape[0]
    other = np.int64(observation.bodies[1, 0]) * size + np.int64(observation.bodies[1, 1])
    head = 0
    while head < tail:
        cell = memory.queue[head]
        head += 1
        for k in range(1, 5):
            there = cell + terms.DY[k] * size + terms.DX[k]
            taken = blocked and there == other
            if memory.distance[there] < 0 and map[there // size, there % size] == FLOOR and not taken:
                memory.distance[there] = memory.distance[cell] + 1
                memory.queue[tail] = there
                tail += 1


@large_kernel
def explore(memory, observation, target, blocked):
    """Fill `memory.distance` with the distances to the cells beside a target, over floor; -1 for unreachable cells.

    With `blocked`, the other agent's cell is not used. Returns the distance of the agent's own cell.
    """
    map = observation.map
    size = map.shape[0]
    other = np.int64(observation.bodies[1, 0]) * size + np.int64(observation.bodies[1, 1])
    own = np.int64(observation.bodies[0, 0]) * size + np.int64(observation.bodies[0, 1])
    for cell in range(size * size):
        memory.distance[cell] = -1
    tail = 0
    for y in range(size):
        for x in range(size):
            cell = y * size + x
            if (target == OTHER and cell == other) or (target != OTHER and map[y, x] == STORE + target):
                for k in range(1, 5):
                    j, i = y + terms.DY[k], x + terms.DX[k]
                    there = j * size + i
                    if 0 <= j < size and 0 <= i < size and map[j, i] == FLOOR and not (blocked and there == other):
                        if memory.distance[there] < 0:
                            memory.distance[there] = 0
                            memory.queue[tail] = there
                            tail += 1
    spread(memory, observation, tail, blocked)
    return memory.distance[own]


@large_kernel
def walk(memory, observation, target):
    """The next move on a shortest path to a cell beside a target; NOOP if the agent is there."""
    size = observation.map.shape[0]
    own = np.int64(observation.bodies[0, 0]) * size + np.int64(observation.bodies[0, 1])
    left = explore(memory, observation, target, np.int64(1))
    if left < 0:  # the other agent is in the way: walk up to it, and it will step aside
        left = explore(memory, observation, target, np.int64(0))
    if left == 0:
        return np.int64(terms.NOOP)
    # Agents that meet turn to different sides, since they prefer directions in opposite orders.
    for k in range(4):
        direction = 1 + k if memory.agent == 0 else 4 - k
        if memory.distance[own + terms.DY[direction] * size + terms.DX[direction]] == left - 1:
            return np.int64(direction)
    return np.int64(terms.NOOP)


@kernel
def apart(observation):
    """The distance to the other agent, in rows plus columns."""
    dy = np.int64(observation.bodies[0, 0]) - np.int64(observation.bodies[1, 0])
    dx = np.int64(observation.bodies[0, 1]) - np.int64(observation.bodies[1, 1])
    return abs(dy) + abs(dx)


@large_kernel
def wait(memory, observation):
    """Stand still, or make a random move if the other agent is beside this one."""
    return np.int64(terms.NOOP) if apart(observation) > 1 else np.int64(1 + random.randint(memory, 4))


@large_kernel
def detour(memory, observation, action):
    """Keep the move, but near the other agent sometimes replace it by a random one, so that both can pass."""
    if terms.NORTH <= action < terms.TAKE and apart(observation) <= 3 and random.bernoulli(memory, 0.1):
        return np.int64(random.randint(memory, terms.TAKE))
    return np.int64(action)


@kernel
def mine(observation, thing):
    """Whether the agent may touch a part, or take from the store."""
    return (np.int64(observation.rights[thing]) & 1) != 0


@kernel
def theirs(observation, thing):
    """Whether the other agent may touch a part, or take from the store."""
    return np.int64(observation.rights[thing]) >= 2


@large_kernel
def fetch(memory, observation, mask):
    """The next action to get a spare from the store."""
    return (
        np.int64(terms.TAKE)
        if mask[terms.TAKE]
        else detour(memory, observation, walk(memory, observation, np.int64(0)))
    )


@large_kernel
def bring(memory, observation, mask):
    """The next action to fetch a spare and give it to the other agent."""
    if not observation.bodies[0, 2]:
        return fetch(memory, observation, mask)
    return (
        np.int64(terms.GIVE)
        if mask[terms.GIVE]
        else detour(memory, observation, walk(memory, observation, np.int64(OTHER)))
    )


@kernel
def at(memory, observation, part):
    """Whether the agent is beside a part."""
    return explore(memory, observation, np.int64(part), np.int64(0)) == 0


@large_kernel
def work(memory, observation, mask, part, operation):
    """The next action to operate on a part. If only the other can fetch the spare, wait for it beside the part."""
    holds = observation.bodies[0, 2] != 0
    if operation == FIT and not holds and mine(observation, np.int64(0)):
        return fetch(memory, observation, mask)
    if at(memory, observation, part):
        if operation != FIT or holds:
            return np.int64(terms.OPERATE - 1 + operation)
        return np.int64(terms.NOOP) if observation.bodies[1, 2] else wait(memory, observation)
    return detour(memory, observation, walk(memory, observation, np.int64(part)))


# The agent that knows the plan.


@kernel
def learn(memory, observation):
    """Note which parts the lamps show as repaired."""
    for k in range(observation.repaired.shape[0]):
        if observation.repaired[k] == 1:
            memory.known |= np.int64(1) << k


@large_kernel
def due(memory, observation, part):
    """Whether a part is in the plan and not known to be repaired, and the part that it needs is known to be."""
    needed = np.int64(observation.plan[part - 1, 1])
    if observation.plan[part - 1, 0] == 0 or (memory.known >> (part - 1)) & 1:
        return False
    return needed == 0 or ((memory.known >> (needed - 1)) & 1) != 0


@kernel
def lacks(observation, part):
    """Whether the agent needs a spare from the other agent for a part."""
    holds = observation.bodies[0, 2] != 0
    return observation.plan[part - 1, 0] == FIT and not holds and not mine(observation, np.int64(0))


@kernel
def can(memory, observation, part):
    """Whether the repair of a part is due and the agent can do it itself."""
    return mine(observation, part) and due(memory, observation, part) and not lacks(observation, part)


@large_kernel
def repair(memory, observation, mask):
    """The next action for a repair that the agent can do itself, or -1; it starts with the nearest and finishes it."""
    if memory.target == 0 or not can(memory, observation, memory.target):
        memory.target = 0
        least = 10_000
        for part in range(1, observation.repaired.shape[0] + 1):
            if can(memory, observation, part):
                steps = explore(memory, observation, np.int64(part), np.int64(0))
                if steps < least:
                    memory.target, least = part, steps
    if memory.target == 0:
        return np.int64(-1)
    operation = np.int64(observation.plan[memory.target - 1, 0])
    return np.int64(work(memory, observation, mask, memory.target, operation))


@large_kernel
def next_job(memory, observation):
    """The next job of the other agent: a repair that only it can do, or a spare to bring; 0 for none."""
    parts = observation.repaired.shape[0]
    for part in range(1, parts + 1):
        if due(memory, observation, part) and not mine(observation, part):
            return np.int64(part)
    for part in range(1, parts + 1):
        if due(memory, observation, part) and mine(observation, part) and lacks(observation, part):
            return np.int64(SPARE)
    return np.int64(0)


@large_kernel
def instruct(memory, observation, word):
    """The word that the guide says now, as an action, or -1; `word` is the word that it heard."""
    if 0 < memory.job < SPARE:
        if word == terms.DONE and memory.stage == SAID:
            memory.known |= np.int64(1) << (memory.job - 1)
        if (memory.known >> (memory.job - 1)) & 1:
            memory.job = 0
    elif memory.job == SPARE and observation.bodies[0, 2]:
        memory.job = 0
    if memory.job and word == terms.NOT_UNDERSTOOD:
        memory.stage = TO_POINT
    elif 0 < memory.job < SPARE and 0 <= word - terms.NAME < FIT:  # the worker reads back what it understood
        right = (
            observation.talk[1, 1] == memory.job + 1 and observation.talk[1, 2] == observation.plan[memory.job - 1, 0]
        )
        memory.stage = TO_CONFIRM if right else TO_POINT
    if word == terms.ASK:
        memory.asked = 1
    if memory.job == 0 and (memory.asked or not memory.lazy):
        memory.job = next_job(memory, observation)
        memory.stage = TO_POINT
        memory.waited = 0
        if memory.job:
            memory.asked = 0
    if memory.job == 0:
        return np.int64(-1)
    if memory.silent:  # without words, assume after some time that the job is done
        memory.waited += 1
        if memory.waited > memory.silent:
            if memory.job < SPARE:
                memory.known |= np.int64(1) << (memory.job - 1)
            memory.job = 0
        return np.int64(-1)
    if memory.stage == TO_POINT:
        memory.stage = SAID if memory.job == SPARE else TO_NAME
        return np.int64(terms.SPEAK + terms.POINT + (0 if memory.job == SPARE else memory.job))
    if memory.stage == TO_NAME:
        memory.stage = SAID
        return np.int64(terms.SPEAK + terms.NAME - 1 + observation.plan[memory.job - 1, 0])
    if memory.stage == TO_CONFIRM:
        memory.stage = SAID
        return np.int64(terms.SPEAK + terms.CONFIRM)
    return np.int64(-1)


@large_kernel
def guide(memory, observation, mask):
    """Instruct the worker to do what only it can do, bring it spares, and meanwhile repair what the guide can."""
    learn(memory, observation)
    word = np.int64(observation.talk[1, 0]) - 1
    said = instruct(memory, observation, word)
    if said >= 0:
        return np.int64(said)
    wanting = 0 < memory.job < SPARE and observation.plan[memory.job - 1, 0] == FIT and not observation.bodies[1, 2]
    if wanting and mine(observation, np.int64(0)) and not theirs(observation, np.int64(0)):
        return np.int64(bring(memory, observation, mask))
    if memory.job == SPARE and observation.bodies[1, 2]:
        return np.int64(terms.NOOP)  # the worker is bringing it
    action = repair(memory, observation, mask)
    return np.int64(wait(memory, observation)) if action < 0 else np.int64(action)


# The agent that does not know the plan.


@kernel
def misheard(memory, size, said):
    """The thing that is understood, of `size` things, when `said` was said; sometimes another one."""
    if memory.error > 0.0 and size > 1 and random.bernoulli(memory, memory.error):
        return (said + 1 + random.randint(memory, size - 1)) % size
    return said


@large_kernel
def listen(memory, observation, word):
    """Process a word of the other agent; return whether it makes no sense."""
    if word >= terms.POINT:
        thing = misheard(memory, observation.repaired.shape[0] + 1, word - terms.POINT)
        memory.job = SPARE if thing == 0 else thing
        memory.operation = 0
        memory.waited = 0
        memory.stage = TO_POINT
    elif 0 <= word - terms.NAME < FIT:
        if memory.job == 0 or memory.job == SPARE:
            return True
        memory.operation = 1 + misheard(memory, np.int64(FIT), word - terms.NAME)
        memory.stage = TO_POINT if memory.readback else SAID
    elif word == terms.CONFIRM and memory.stage == TO_CONFIRM:
        memory.stage = SAID
    return False


@large_kernel
def drop(memory, word):
    """Forget the instruction, and say this word."""
    memory.job = 0
    memory.operation = 0
    memory.waited = 0
    memory.tried = 0
    return np.int64(terms.SPEAK + word)


@large_kernel
def follow(memory, observation, mask):
    """Follow instructions, and report whether they are done; with `lazy`, ask for the next instruction."""
    if memory.tried:  # the lamp shows whether it was right
        return drop(memory, np.int64(terms.DONE if observation.repaired[memory.job - 1] == 1 else terms.NOT_UNDERSTOOD))
    if listen(memory, observation, np.int64(observation.talk[1, 0]) - 1):
        return drop(memory, np.int64(terms.NOT_UNDERSTOOD))
    job = memory.job
    if job == 0:
        memory.waited -= 1
        if memory.lazy and memory.waited < 0:
            memory.waited = PATIENCE
            return np.int64(terms.SPEAK + terms.ASK)
        return np.int64(wait(memory, observation))
    if job == SPARE:
        if not mine(observation, np.int64(0)):
            return drop(memory, np.int64(terms.NOT_UNDERSTOOD))
        action = bring(memory, observation, mask)
        if action == terms.GIVE:
            memory.job = 0
            memory.waited = 0
        return np.int64(action)
    if memory.operation == 0:
        memory.waited += 1
        return (
            drop(memory, np.int64(terms.NOT_UNDERSTOOD))
            if memory.waited > PATIENCE
            else np.int64(wait(memory, observation))
        )
    if not mine(observation, job):
        return drop(memory, np.int64(terms.NOT_UNDERSTOOD))
    if memory.stage == TO_POINT:  # read back what was understood, and wait for the answer
        memory.stage = TO_NAME
        return np.int64(terms.SPEAK + terms.POINT + job)
    if memory.stage == TO_NAME:
        memory.stage = TO_CONFIRM
        return np.int64(terms.SPEAK + terms.NAME - 1 + memory.operation)
    if memory.stage == TO_CONFIRM:
        return np.int64(wait(memory, observation))
    if observation.repaired[job - 1] == 1:
        return drop(memory, np.int64(terms.DONE))
    action = work(memory, observation, mask, job, memory.operation)
    memory.tried = action >= terms.OPERATE
    return np.int64(action)


@large_kernel
def guess(memory, observation, mask):
    """Without words, try random operations that were not tried yet on parts that are not repaired."""
    parts = observation.repaired.shape[0]
    holds, store = observation.bodies[0, 2] != 0, mine(observation, np.int64(0))
    if memory.job == 0 or (memory.job < SPARE and observation.repaired[memory.job - 1] == 1):
        memory.job = 0
        for _ in range(2):
            count = 0
            for part in range(1, parts + 1):
                for operation in range(1, FIT + 1):
                    free = observation.repaired[part - 1] == 0 and not (memory.known >> (4 * part + operation)) & 1
                    if free and (operation != FIT or holds or store):
                        count += 1
                        if random.randint(memory, count) == 0:
                            memory.job, memory.operation = part, operation
            if count:
                break
            memory.known = 0  # all were wrong, perhaps because they were too early
        if store and not observation.bodies[1, 2] and random.bernoulli(memory, 0.25):
            memory.job = SPARE
        if memory.job == 0:
            return np.int64(wait(memory, observation))
    if memory.job == SPARE:
        action = terms.NOOP if observation.bodies[1, 2] else bring(memory, observation, mask)
        if action == terms.GIVE or observation.bodies[1, 2]:
            memory.job = 0
        return np.int64(action)
    action = work(memory, observation, mask, memory.job, memory.operation)
    if action >= terms.OPERATE:
        memory.known |= np.int64(1) << (4 * memory.job + memory.operation)
        memory.job = 0
    return np.int64(action)


_VARIABLES = {
    **_WAY,
    "known": limited(0, 0, (1 << 4 * MOST_PARTS + FIT + 1) - 1),
    "target": limited(0, 0, MOST_PARTS),
    "job": limited(0, 0, SPARE),
    "stage": limited(TO_POINT, TO_POINT, TO_CONFIRM),
    "asked": limited(0, 0, 1),
    "waited": limited(0, -MANY, MANY),
    "operation": limited(0, 0, FIT),
    "tried": limited(0, 0, MOST_PARTS),
    "silent": limited(0, 0, SILENCE),
}


def contradiction(memory: Any, world: Any) -> str | None:
    """Parts must be those of this world."""
    parts = world.observation_spaces[0]["repaired"].shape[0]
    for name in ("target", "job", "tried"):
        if memory[name] > parts and (name, memory[name]) != ("job", SPARE):
            return f"{name} is {memory[name]} of {parts} parts"
    return None


def _contradiction_of_follower(memory: Any, world: Any) -> str | None:
    """An operation that was tried belongs to a job."""
    if memory.tried and memory.job in (0, SPARE):
        return "tried is not 0 without a job"
    return contradiction(memory, world)


#: The memory of all policies, the same so that shared kernels are compiled once: cooperative's parameters, then
#: variables.
_MEMORY = {"lazy": limited(0, 0, 1), "error": limited(0.0, 0, 1), "readback": limited(0, 0, 1), **_VARIABLES}


@policy(
    ID,
    "cooperative",
    _VARIABLES,
    _contradiction_of_follower,
    lazy=CHANCE.at(0),
    error=CHANCE.at(0.0),
    readback=CHANCE.at(0),
)
def cooperative(memory, observation, mask):
    """The guide instructs step by step and works meanwhile; the worker follows and reports.

    With `lazy`, the guide speaks only when it is asked, so the worker asks. With probability `error`, the worker
    mishears a word. With `readback`, it first repeats what it understood, and waits for the guide to confirm.
    """
    return guide(memory, observation, mask) if memory.agent == 0 else follow(memory, observation, mask)


@policy(ID, "silent", {**_MEMORY, "silent": limited(SILENCE, 0, SILENCE)}, contradiction)
def silent(memory, observation, mask):
    """Neither agent speaks. The guide works, brings spares, and trusts that the rest gets done; the worker guesses."""
    return guide(memory, observation, mask) if memory.agent == 0 else guess(memory, observation, mask)


@policy(ID, "peers", _MEMORY, contradiction)
def peers(memory, observation, mask):
    """Both know the plan ("oracle_plan"). Each does what it can, points at parts it repaired, and asks for spares."""
    learn(memory, observation)
    word = np.int64(observation.talk[1, 0]) - 1
    if word > terms.POINT:
        memory.known |= np.int64(1) << (word - terms.POINT - 1)
    elif word == terms.POINT:
        memory.job = SPARE
    if memory.tried:  # report it, if the other agent does not see it and waits for it
        part = memory.tried
        memory.tried = 0
        for k in range(observation.repaired.shape[0]):
            if observation.plan[k, 1] == part and not theirs(observation, part) and theirs(observation, k + 1):
                return np.int64(terms.SPEAK + terms.POINT + part)
    if memory.job == SPARE:
        action = bring(memory, observation, mask)
        if action == terms.GIVE:
            memory.job = 0
        return np.int64(action)
    if memory.asked:
        if observation.bodies[0, 2]:
            memory.asked = 0
        elif observation.bodies[1, 2]:
            return np.int64(terms.NOOP)
    else:
        for part in range(1, observation.repaired.shape[0] + 1):
            alone = mine(observation, part) and not theirs(observation, part)
            if alone and due(memory, observation, part) and lacks(observation, part):
                memory.asked = 1
                return np.int64(terms.SPEAK + terms.POINT)
    action = repair(memory, observation, mask)
    if action >= terms.OPERATE:
        for part in range(1, observation.repaired.shape[0] + 1):
            if at(memory, observation, part):
                memory.tried = part
    return np.int64(wait(memory, observation)) if action < 0 else np.int64(action)


# The best policy alone.

#: The largest numbers of cells beside the store and the parts of a plan, and of sets of repaired parts.
NODES, SUBSETS = 4 * (LONGEST + 1), 1 << LONGEST


@kernel
def from_cell(memory, observation, cell):
    """Fill the distances from a cell."""
    for k in range(observation.map.size):
        memory.distance[k] = -1
    memory.distance[cell] = 0
    memory.queue[0] = cell
    spread(memory, observation, np.int64(1), np.int64(0))


@large_kernel
def list_nodes(memory, observation):
    """List the cells beside the store and the parts of the plan, and the distances between them."""
    map = observation.map
    size, count = map.shape[0], 0
    memory.parts = 0
    for thing in range(observation.repaired.shape[0] + 1):
        if thing > 0 and observation.plan[thing - 1, 0] == 0:
            continue
        if thing > 0:
            memory.part[memory.parts] = thing
            memory.parts += 1
        for y in range(size):
            for x in range(size):
                if map[y, x] == STORE + thing:
                    for k in range(1, 5):
                        j, i = y + terms.DY[k], x + terms.DX[k]
                        if 0 <= j < size and 0 <= i < size and map[j, i] == FLOOR:
                            memory.cell[count] = j * size + i
                            memory.place[count] = memory.parts - 1 if thing else -1
                            count += 1
    memory.nodes = count
    for n in range(count):
        from_cell(memory, observation, memory.cell[n])
        for m in range(count):
            memory.apart[n, m] = memory.distance[memory.cell[m]]


@kernel
def after(memory, observation, done, held, n):
    """Steps left after acting at node `n`, or -1 if nothing can be done there; `done` has a bit for each repair."""
    k = memory.place[n]
    if k < 0:
        return -1 if held else memory.left[done, 1, n]
    part = memory.part[k]
    needed, fit = np.int64(observation.plan[part - 1, 1]), observation.plan[part - 1, 0] == FIT
    if (done >> k) & 1 or (fit and not held):
        return -1
    for j in range(memory.parts):
        if memory.part[j] == needed and not (done >> j) & 1:
            return -1
    return memory.left[done | 1 << k, 0 if fit else held, n]


@large_kernel
def think(memory, observation):
    """Fill the fewest steps left from every node, for each set of repaired parts, with and without a spare."""
    list_nodes(memory, observation)
    whole = (1 << memory.parts) - 1
    for done in range(whole, -1, -1):
        for held in range(1, -1, -1):
            for n in range(memory.nodes):
                least = 0 if done == whole else 10_000
                for m in range(memory.nodes):
                    rest = after(memory, observation, done, held, m)
                    if rest >= 0:
                        least = min(least, memory.apart[n, m] + 1 + rest)
                memory.left[done, held, n] = least
    memory.ready = 1


def _contradiction_of_planner(memory: Any, world: Any) -> str | None:
    """The lists of repairs and cells must be of this world."""
    parts, size = (world.observation_spaces[0][name].shape[0] for name in ("repaired", "map"))
    if memory.ready and not memory.nodes:
        return "nodes is 0 in a plan that is ready"
    for k in range(memory.parts):
        if not 1 <= memory.part[k] <= parts:
            return f"part[{k}] is {memory.part[k]} of {parts} parts"
    for n in range(memory.nodes):
        if memory.place[n] >= memory.parts:
            return f"place[{n}] is {memory.place[n]} of {memory.parts} repairs"
        if not (0 < memory.cell[n] // size < size - 1 and 0 < memory.cell[n] % size < size - 1):
            return f"cell[{n}] is {memory.cell[n]}, which is not inside the map"
    return contradiction(memory, world)


@policy(
    ID,
    "planner",
    {
        **_MEMORY,
        "ready": limited(0, 0, 1),
        "parts": limited(0, 0, LONGEST),
        "nodes": limited(0, 0, NODES),
        "part": limited(np.zeros(LONGEST, int), 0, MOST_PARTS),
        "cell": limited(np.zeros(NODES, int), 0, LARGEST * LARGEST - 1),
        "place": limited(np.zeros(NODES, int), -1, LONGEST - 1),  # -1 beside the store, or the number of a repair
        "apart": limited(np.zeros((NODES, NODES), int), -1, LARGEST * LARGEST),
        "left": limited(np.zeros((SUBSETS, 2, NODES), int), 0, 10_000),
    },
    _contradiction_of_planner,
)
def planner(memory, observation, mask):
    """In "solo", takes the fewest steps, by dynamic programming; with two agents, repairs what it can and is silent."""
    learn(memory, observation)
    if observation.bodies[1, 0]:
        action = repair(memory, observation, mask)
        return np.int64(wait(memory, observation)) if action < 0 else np.int64(action)
    if not memory.ready:
        think(memory, observation)
    size, done = observation.map.shape[0], 0
    for k in range(memory.parts):
        done |= ((memory.known >> (memory.part[k] - 1)) & 1) << k
    own = np.int64(observation.bodies[0, 0]) * size + np.int64(observation.bodies[0, 1])
    from_cell(memory, observation, own)
    chosen, least = 0, 10_000
    for n in range(memory.nodes):
        rest = after(memory, observation, done, np.int64(observation.bodies[0, 2]), n)
        if rest >= 0 and memory.distance[memory.cell[n]] + rest < least:
            chosen, least = n, memory.distance[memory.cell[n]] + rest
    if memory.cell[chosen] == own:
        k = memory.place[chosen]
        return np.int64(terms.TAKE if k < 0 else terms.OPERATE - 1 + observation.plan[memory.part[k] - 1, 0])
    away = memory.distance[memory.cell[chosen]]
    from_cell(memory, observation, memory.cell[chosen])
    for direction in range(terms.NORTH, terms.TAKE):
        if memory.distance[own + terms.DY[direction] * size + terms.DX[direction]] == away - 1:
            return np.int64(direction)
    return np.int64(terms.NOOP)
