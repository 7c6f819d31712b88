"""Handover: two agents repair a machine; each may touch only some of its parts, and only one knows the plan.

**Rules.** A hall of `size` x `size` cells has numbered parts. A tag on each part shows which agents may touch it: the
guide, the worker, or both. A plan lists the parts to repair and the operation for each: turn, press, pull or fit. Some
repairs also need another part to be repaired first. Only the guide knows the plan. Fitting a part needs a spare. Spares
come from a store, from which one of the two agents may take. That agent must hand over the spares that the other agent
needs. An agent can hold one spare, and can do everything else while it holds one.

Both agents act at the same time. A move leads to a neighboring floor cell where no agent stands. An operation concerns
the part beside the agent; no cell is beside two parts. It repairs the part if it is the operation in the plan and the
part that it needs was repaired before this step. A spare that was fitted is used up. Any other operation is an error: a
part that is not in the plan, another operation, or too early. An error is counted and changes nothing else.

In a step, all operations are carried out first. Then spares are given, then taken. Then the guide moves, then the
worker.

Each part has a lamp that shows whether it is repaired. Only the agents that may touch the part see its lamp. To speak
takes a step as well, and the word is heard after that step. An agent can point at a part or the store, name an
operation, confirm, ask, say that it is done, or say that it has not understood. The agents decide what words mean.

**Agents.** `guide` and `worker`. In the mode "solo" there is only `guide`, which may touch everything. In "oracle_plan"
the worker also knows the plan. A seed gives the same task in all modes.

**Observation.** Dict, with n = `size` and p = `parts`.

| part | space | content |
|---|---|---|
| map | Box (n, n) uint8 | 0 floor, 1 wall, 2 store, 2 + k part k |
| bodies | Box (2, 3) uint8 | row, column and spare in hand, of the agent and then of the other |
| rights | Box (p + 1,) uint8 | who may take from the store, then touch each part: 1 the agent, 2 the other, 3 both |
| repaired | Box (p,) uint8 | lamps: 0 off, 1 on, 2 not seen |
| talk | Box (2, 3) uint8 | what the agent, and then the other, said last; see below |
| counters | Box (2,) int32 | steps left, errors |
| plan | Box (p, 2) uint8 | for each part: the operation, 1 to 4 (0 none), and the part it needs; if known |

A row of `talk` has three entries. If the mode is "solo", the other agent's rows are 0.

- The word said in the last step, plus one, or 0.
- What the agent pointed at last: 1 for the store and 1 + k for part k.
- The operation that it has named since then, 1 to 4.

**Actions.** Discrete (20 + p), in solo Discrete (11). With `say`, one more, but not in solo.

| action | name | legal |
|---|---|---|
| 0 to 4 | `noop`, `north`, `south`, `east`, `west` | always |
| 5 | `take` | beside the store, with the right to take and an empty hand |
| 6 | `give` | beside the other agent, with a spare, if the other has none |
| 7 to 10 | `turn`, `press`, `pull`, `fit` | beside a part, lamp off, with the right to touch it; `fit` with a spare |
| 11 to 14 | `name: turn`, `name: press`, `name: pull`, `name: fit` | always |
| 15 to 18 | `confirm`, `ask`, `done`, `not understood` | always |
| 19 | `point: store` | if there is one |
| 19 + k | `point: part k` | always |
| 20 + p | `say`: takes the step and says nothing | with `say` |

**Window.** A click on a part or the store points at it. A click on a floor cell beside the agent moves there.

| key | action | key | action |
|---|---|---|---|
| arrows | move | q | `name: turn` |
| space | `noop` | w | `name: press` |
| k | `take` | e | `name: pull` |
| g | `give` | r | `name: fit` |
| t | `turn` | c | `confirm` |
| p | `press` | a | `ask` |
| l | `pull` | d | `done` |
| f | `fit` | n | `not understood` |
| 0 | `point: store` | 1 to 8 | `point: part 1` to `point: part 8` |

**Rewards.** To both: 1 when all repairs of the plan are done, and -`penalty` for each error. With
``reward="progress"``, each repair instead pays its share of the plan.

**Ends.** Terminates when all repairs of the plan are done, and after `max_errors` errors. Truncated after `max_steps`
steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| mode | dual | dual, solo or oracle_plan |
| size | 9 | cells on a side, walls included, from 5 to 13 |
| parts | 6 | number of parts, from 1 to 8 (at most 4 with a size of 5) |
| length | 4 | number of parts to repair, from 1 to 6, and at most `parts` |
| common | 0.2 | probability that both agents may touch a part, from 0 to 1 |
| ordered | 0.5 | probability that a repair, after the first, needs another one before it, from 0 to 1 |
| pillars | 2 | number of walls inside, as far as there is room, from 0 to 10 |
| handover | True | whether there is a store, and at least one spare to hand over |
| max_steps | 200 | steps until truncation, from 1 to 100,000 |
| max_errors | 3 | errors that end the episode, from 1 to 1,000 |
| penalty | 0.1 | cost of an error, from 0 to 1 |
| reward | success | success or progress |
| say | False | whether there is the action `say`, with which agents that talk freely say words of their own |

At least one repair is for the worker alone. With a `length` of two or more, at least one is for the guide alone.

**Level.** Of the kind "repair": ``{"map": ["#####", "#G.W#", ...], "touch": ["guide", "worker", "both", ...], "store":
"guide", "plan": [{"part": 3, "operation": "turn", "needs": None}, {"part": 1, "operation": "fit", "needs": 3}]}``. An
agent must never be able to separate floor cells of the map from each other, wherever it stands.

| part of the level | meaning |
|---|---|
| `map` | # wall, . floor, 1 to 8 the parts, S the store, G and W where guide and worker start |
| `touch`, `store` | who may touch each part, and who may take from the store |
| `plan` | the repairs |

**Known values.** Means of 10,000 default tasks. Standard errors are at most .004 for shares and .15 for steps.
"planner" is optimal: it takes as many steps as the best order of repairs, found by a search of all orders over shortest
paths.

| mode | baseline | repaired | within 40 steps | steps |
|---|---|---|---|---|
| solo | planner, the fewest steps | 1 | .933 | 28.0 |
| solo | cooperative, nearest first | 1 | .830 | 32.4 |
| oracle_plan | peers: both know the plan, and report | 1 | .722 | 35.6 |
| dual | cooperative: instructs and works meanwhile; follows and reports | 1 | .519 | 41.5 |
| dual | cooperative:lazy=1, only answers | 1 | .460 | 43.2 |
| dual | cooperative:error=0.2, mishears one word in five | .877 | .359 | |
| dual | cooperative:error=0.2,readback=1, repeats first | 1 | .289 | 50.0 |
| dual | silent | .050 | .023 | |
| all | random | 0 (solo .0003) | 0 | |

With two agents, it costs 6 steps, and .20 of the success within 40, that only one of them knows the plan.

Let L be the length and P the number of parts. All parts are for the worker, none is to be fitted, and one error is
allowed. A worker that guesses then succeeds with probability e (P - L)! / (P! 3^L). Here, e is the number of orders
that a plan allows: L! over the product of the sizes of all its subtrees.

Consider a hall with 3 x 3 cells of floor, two repairs, 12 steps and two errors. There, uniformly random play alone
succeeds with probability 6.571e-6, exactly.

**Differences.** The world is this suite's own, in the spirit of tau2-bench's dual control:

- Two agents act on one world, and neither sees all of it.
- Only one agent has the plan.
- Modes remove the talk, or the need for it.
- In each task, every strict prefix of the plan leaves something to repair.

**Source.** Barres, Dong, Ray, Si and Narasimhan, "tau2-Bench: Evaluating Conversational Agents in a Dual-Control
Environment", 2025. The number of orders of a forest: Knuth, "The Art of Computer Programming", volume 3, 5.1.4,
exercise 20.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import MANY, below, fixed, flag, within
from envsuite.core.record import copied
from envsuite.core.world import Between, Kernels, World
from envsuite.dual_control.handover import levels as repair
from envsuite.dual_control.handover import pages, terms, view
from envsuite.dual_control.handover.levels import make
from envsuite.registry import pettingzoo_forms


def fields(size: int, parts: int, words: int) -> list[tuple]:
    """The record, without the fields of the generator; cells are row * size + column."""
    talk = within(np.uint8, 0, np.array([words, 1 + parts, len(repair.OPERATIONS)]))
    return [
        ("beside", below(np.uint8, parts + 2), (size * size,)),  # for each floor cell: 1 the store, 1 + k part k
        ("goal", within(np.int64, 1, (1 << parts) - 1)),  # a bit for each part of the plan
        ("repaired", below(np.int64, 1 << parts)),  # a bit for each repaired part
        ("errors", within(np.int64, 0, MANY)),
        ("at", below(np.int64, size * size), (2,)),  # cells; in solo, the worker's cell is a wall
        ("held", flag(), (2,)),  # whether the agent holds a spare
        ("result", below(np.uint8, 3), (2,)),  # of the last step's operation: NOTHING, RIGHT or WRONG
        ("talk", talk, (2, 3)),  # word of the last step, last thing pointed at, last operation named, each plus one
        ("log", within(np.int16, 0, 2 * words), (terms.LOG,)),  # words, newest first: 1 + 2 * word + speaker
    ]


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    begin(s)


@large_kernel
def begin(s):
    """Put the agents at the start, with nothing repaired or said, and list what is beside each cell."""
    map = s.level.map
    size, parts = map.shape[0], s.level.operation.shape[0]
    for y in range(size):
        for x in range(size):
            s.beside[y * size + x] = 0
    for y in range(size):
        for x in range(size):
            if map[y, x] >= repair.STORE:
                for k in range(1, 5):
                    j, i = y + terms.DY[k], x + terms.DX[k]
                    if 0 <= j < size and 0 <= i < size and map[j, i] == repair.FLOOR:
                        s.beside[j * size + i] = map[y, x] - repair.STORE + 1
    s.goal = 0
    for k in range(parts):
        if s.level.operation[k]:
            s.goal |= np.int64(1) << k
    s.repaired = 0
    s.errors = 0
    for a in range(2):
        s.at[a] = s.level.start[a]
        s.held[a] = 0
        s.result[a] = terms.NOTHING
        for k in range(3):
            s.talk[a, k] = 0
    if s.terminated.shape[0] == 1:
        s.at[terms.WORKER] = 0
    fill(s.log, 0)


@kernel
def may(s, agent, thing):
    """Whether an agent may touch part number `thing`, or take from the store (number 0)."""
    return s.terminated.shape[0] == 1 or (np.int64(s.level.rights[np.uint64(thing)]) >> agent) & 1


@kernel
def step(s, actions, rewards):
    agents, before = s.terminated.shape[0], s.repaired
    for a in range(agents):
        s.result[a] = terms.NOTHING
        s.talk[a, 0] = 0
        if terms.OPERATE <= actions[a] < terms.SPEAK:
            operate(s, a, actions[a] - terms.OPERATE + 1, before)
        elif actions[a] >= terms.SPEAK:
            speak(s, a, actions[a] - terms.SPEAK)
    for a in range(agents):
        if actions[a] == terms.GIVE:
            s.held[a] = 0
            s.held[1 - a] = 1
    for a in range(agents):
        if actions[a] == terms.TAKE:
            s.held[a] = 1
        elif actions[a] <= terms.WEST:
            move(s, a, actions[a])
    score(s, before, rewards)


@kernel
def operate(s, a, operation, before):
    """Operate on the part beside an agent; `before` has a bit for each part repaired before this step."""
    part = np.uint64(s.beside[np.uint64(s.at[a])] - 2)
    needed = np.int64(s.level.needs[part])
    due = needed == 0 or (before >> (needed - 1)) & 1
    if due and s.level.operation[part] == operation:
        s.repaired |= np.int64(1) << np.int64(part)
        s.result[a] = terms.RIGHT
        if operation == repair.FIT:
            s.held[a] = 0
    else:
        s.errors += 1
        s.result[a] = terms.WRONG


@kernel
def speak(s, a, word):
    """Say a word, which is heard after this step; the one after all that point says nothing."""
    if word > terms.POINT + s.level.operation.shape[0]:
        return
    s.talk[a, 0] = word + 1
    if word >= terms.POINT:
        s.talk[a, 1] = word - terms.POINT + 1
        s.talk[a, 2] = 0
    elif word < terms.CONFIRM:
        s.talk[a, 2] = word - terms.NAME + 1
    for k in range(terms.LOG - 1, 0, -1):
        s.log[k] = s.log[k - 1]
    s.log[0] = 1 + 2 * word + a


@kernel
def move(s, a, direction):
    """Walk one cell, if it is floor and free."""
    size = s.level.map.shape[0]
    there = s.at[a] + terms.DY[direction] * size + terms.DX[direction]
    if s.level.map.flat[np.uint64(there)] == repair.FLOOR and there != s.at[1 - a]:
        s.at[a] = there


@kernel
def score(s, before, rewards):
    """Rewards and ends."""
    paid, wrong = 0.0, 0
    for a in range(rewards.shape[0]):
        wrong += s.result[a] == terms.WRONG
    if s.params.progress:
        gained, length = 0, 0
        for k in range(s.level.operation.shape[0]):
            gained += ((s.repaired ^ before) >> k) & 1
            length += (s.goal >> k) & 1
        paid = gained / length
    solved = s.repaired == s.goal
    if solved and not s.params.progress:
        paid = 1.0
    for a in range(rewards.shape[0]):
        rewards[a] = paid - s.params.penalty * wrong
        if solved or s.errors >= s.params.max_errors:
            s.terminated[a] = 1
        elif s.t >= s.params.max_steps:
            s.truncated[a] = 1


@kernel
def observe(s, agent, out):
    size, parts = s.level.map.shape[0], s.level.operation.shape[0]
    agents = s.terminated.shape[0]
    for k in range(np.uint64(size * size)):
        out.map.flat[k] = s.level.map.flat[k]
    for k in range(2):
        who = agent if k == 0 else 1 - agent
        out.bodies[k, 0] = s.at[who] // size
        out.bodies[k, 1] = s.at[who] % size
        out.bodies[k, 2] = s.held[who]
        for j in range(3):
            out.talk[k, j] = s.talk[who, j]
    for thing in range(np.uint64(parts + 1)):
        bits = np.int64(s.level.rights[thing])
        if agents == 1:
            bits = 1 if bits else 0
        elif agent == terms.WORKER:
            bits = (bits & 1) << 1 | bits >> 1
        out.rights[thing] = bits
    knows = agent == terms.GUIDE or s.params.mode == terms.ORACLE_PLAN
    for k in range(np.uint64(parts)):
        seen = out.rights[k + np.uint64(1)] & 1
        out.repaired[k] = (s.repaired >> np.int64(k)) & 1 if seen else 2
        out.plan[k, 0] = s.level.operation[k] if knows else 0
        out.plan[k, 1] = s.level.needs[k] if knows else 0
    out.counters[0] = max(s.params.max_steps - s.t, 0)
    out.counters[1] = min(s.errors, s.params.max_errors)


@kernel
def adjacent(s, cell, other):
    """Whether two cells, neither of them on the edge, are neighbors."""
    apart = abs(cell - other)
    return apart == 1 or apart == s.level.map.shape[0]


@kernel
def legal(s, agent, mask):
    agents = s.terminated.shape[0]
    for action in range(terms.TAKE):
        mask[action] = 1
    thing = np.int64(s.beside[np.uint64(s.at[agent])])
    if thing == 1:
        mask[terms.TAKE] = s.held[agent] == 0 and may(s, agent, np.int64(0))
    elif thing > 1 and may(s, agent, thing - 1) and not (s.repaired >> (thing - 2)) & 1:
        mask[terms.OPERATE] = mask[terms.OPERATE + 1] = mask[terms.OPERATE + 2] = 1
        mask[terms.OPERATE + 3] = s.held[agent]
    if agents == 2:
        mask[terms.GIVE] = s.held[agent] and not s.held[1 - agent] and adjacent(s, s.at[agent], s.at[1 - agent])
        for action in range(terms.SPEAK, mask.shape[0]):
            mask[action] = 1
        mask[terms.SPEAK + terms.POINT] = s.level.rights[0] != 0


class Handover(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGES
    page_slots = pages.page_slots
    utility = "identical"
    kind = ("tools", "desks")
    verified = "a plain second implementation of the rules; optima by search; counted orders"
    variants = (dict(mode="solo", reward="progress"), dict(mode="oracle_plan", say=True))
    clickable = "point: .*"
    keys = {
        "space": "noop",
        "up": "north",
        "down": "south",
        "right": "east",
        "left": "west",
        "k": "take",
        "g": "give",
        "t": "turn",
        "p": "press",
        "l": "pull",
        "f": "fit",
        "q": "name: turn",
        "w": "name: press",
        "e": "name: pull",
        "r": "name: fit",
        "c": "confirm",
        "a": "ask",
        "d": "done",
        "n": "not understood",
        "0": "point: store",
        **{str(k): f"point: part {k}" for k in range(1, repair.MOST_PARTS + 1)},
    }
    text = view.text
    messages = view.messages
    speech = view.speech
    unspoken = view.unspoken
    phrases = pages.PHRASES
    scene = view.scene
    click = view.click

    def __init__(
        self,
        mode: Literal["dual", "solo", "oracle_plan"] = "dual",
        size: Annotated[int, Between(repair.SMALLEST, repair.LARGEST)] = 9,
        parts: Annotated[int, Between(1, repair.MOST_PARTS)] = 6,
        length: Annotated[int, Between(1, repair.LONGEST)] = 4,
        common: Annotated[float, Between(0, 1)] = 0.2,
        ordered: Annotated[float, Between(0, 1)] = 0.5,
        pillars: Annotated[int, Between(0, 10)] = 2,
        handover: bool = True,
        max_steps: Annotated[int, Between(1, 100_000)] = 200,
        max_errors: Annotated[int, Between(1, 1000)] = 3,
        penalty: Annotated[float, Between(0, 1)] = 0.1,
        reward: Literal["success", "progress"] = "success",
        say: bool = False,
    ):
        tasks = repair.Repair(size, parts, length, common, ordered, pillars, handover)
        self.alone = mode == "solo"
        speech = [*terms.WORDS, *(f"point: part {k + 1}" for k in range(parts))]
        inside = size - 2
        seen: dict[str, Space] = {
            "map": Box(0, repair.STORE + parts, (size, size), np.uint8),
            "bodies": Box(0, np.tile(np.array([inside, inside, 1], np.uint8), (2, 1)), dtype=np.uint8),
            "rights": Box(0, 1 if self.alone else repair.BOTH, (parts + 1,), np.uint8),
            "repaired": Box(0, 1 if self.alone else 2, (parts,), np.uint8),
            "talk": Box(
                0, np.tile(np.array([len(speech), 1 + parts, len(repair.OPERATIONS)], np.uint8), (2, 1)), dtype=np.uint8
            ),
            "counters": Box(0, np.array([max_steps, max_errors], np.int32), dtype=np.int32),
        }
        plan = Box(0, np.tile(np.array([len(repair.OPERATIONS), parts], np.uint8), (parts, 1)), dtype=np.uint8)
        spaces = {
            "guide": Dict({**seen, "plan": plan}),
            "worker": Dict({**seen, "plan": plan} if mode == "oracle_plan" else seen),
        }
        names = ("guide",) if self.alone else ("guide", "worker")
        self.neutral = "say" if say and not self.alone else ""
        last = (self.neutral,) if self.neutral else ()
        self.define(
            agents=names,
            actions=terms.MOVES if self.alone else (*terms.MOVES, *speech, *last),
            observation={name: spaces[name] for name in names},
            fields=[*tasks.fields, *fields(size, parts, len(speech))],
            params={
                **tasks.values,
                "mode": fixed(terms.MODES.index(mode)),
                "max_steps": fixed(max_steps),
                "max_errors": fixed(max_errors),
                "penalty": float(penalty),
                "progress": reward == "progress",
            },
            reward_range=(-2.0 * penalty, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        if s.params.length > len(s.level.operation):
            return "the plan has more repairs than there are parts"
        if s.t > s.params.max_steps:
            return "the last step is over"
        if not s.level.rights[1:].all():
            return "nobody may touch a part"
        if (s.level.map.flat[s.at[: len(self.agents)]] != repair.FLOOR).any():
            return "guide or worker is not on the floor"
        now = copied(s)
        begin(now)
        same = now.goal == s.goal and np.array_equal(now.beside, s.beside)
        return None if same else "goal or beside do not go with the level"

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        repair.read(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"kind": "repair", **repair.write(s.level)}


env, raw_env, parallel_env = pettingzoo_forms(Handover)
