"""Handover: two agents repair a machine; each may touch only some of its parts, and only one knows the plan.

**Rules.** In a hall of `size` x `size` cells there are numbered parts, tagged with who may touch them: the guide, the
worker, or both. A plan says which parts to repair, what to do to each (turn, press, pull or fit), and for some which
other part must have been repaired before. Only the guide knows the plan. To fit takes a spare. Spares come from a
store, from which one of the two may take, so one for a part of the other's must be handed over. Hands hold one spare,
and hinder nothing.

Both act at once. A move goes to a neighbouring floor cell where nobody stands. Operations concern the part beside the
agent; no cell is beside two. The right one, with all that it needs repaired before this step, repairs the part and uses
up the spare if it was to fit. Any other is an error, which changes nothing but counts: a part that is not in the plan,
another operation, too early. First all operations are carried out, then spares are given, then taken, then the guide
moves, then the worker.

A part's lamp, which shows whether it is repaired, is seen by those who may touch it. To speak takes a step as well, and
is heard after it. An agent can point at a part or the store, name an operation, confirm, ask, say that it is done or
that it has not understood. What words mean is up to the two.

**Agents.** `guide` and `worker`; in the mode "solo" only `guide`, who may touch everything. In "oracle_plan" the worker
knows the plan too. A seed gives the same task in all modes.

**Observation.** Dict, with n = `size` and p = `parts`.

| part | space | content |
|---|---|---|
| map | Box (n, n) uint8 | 0 floor, 1 wall, 2 store, 2 + k part k |
| bodies | Box (2, 3) uint8 | row, column and spare in hand, of the agent and then of the other |
| rights | Box (p + 1,) uint8 | who may take from the store, then touch each part: 1 the agent, 2 the other, 3 both |
| repaired | Box (p,) uint8 | lamps: 0 off, 1 on, 2 not seen |
| talk | Box (2, 3) uint8 | what the agent, and then the other, said last; see below |
| counters | Box (2,) int32 | steps left, errors |
| plan | Box (p, 2) uint8 | of each part: what to do, 1 to 4 (0 nothing), and the part it needs; where it is known |

A row of `talk` holds the word said in the last step, plus one, or 0; what it pointed at last, 1 for the store and 1 + k
for part k; and the operation that it has named since then, 1 to 4. Alone, the other's rows are 0.

**Actions.** Discrete (20 + p), in solo Discrete (11).

| action | name | legal |
|---|---|---|
| 0 to 4 | `noop`, `north`, `south`, `east`, `west` | always |
| 5 | `take` | beside the store, with the right and an empty hand |
| 6 | `give` | beside the other, with a spare, if the other has none |
| 7 to 10 | `turn`, `press`, `pull`, `fit` | beside a part with the right, its lamp off; `fit` with a spare |
| 11 to 14 | `name: turn`, `name: press`, `name: pull`, `name: fit` | always |
| 15 to 18 | `confirm`, `ask`, `done`, `not understood` | always |
| 19 | `point: store` | if there is one |
| 19 + k | `point: part k` | always |

In a window, a click on a part or the store points at it, one on a floor cell beside the agent goes there.

**Rewards.** To both: 1 when all of the plan is repaired (with ``reward="progress"``, its share for each repair), and
-`penalty` for each error.

**Ends.** Terminates when all of the plan is repaired, and after `max_errors` errors; truncated after `max_steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| mode | dual | or solo, or oracle_plan |
| size | 9 | cells on a side, walls included, from 5 to 13 |
| parts | 6 | how many there are, up to 8 (4 with a size of 5) |
| length | 4 | how many are to be repaired, up to 6 |
| common | 0.2 | the probability that both may touch a part |
| ordered | 0.5 | the probability that a repair, after the first, needs another one before |
| pillars | 2 | walls inside, as far as there is room |
| handover | True | whether there is a store, and at least one spare to be handed over |
| max_steps | 200 | steps |
| max_errors | 3 | errors that end it |
| penalty | 0.1 | what an error costs |
| reward | success | or progress |

At least one repair is for the worker alone, and, with a `length` of two or more, one for the guide alone.

**Level.** Of the kind "repair": ``{"map": ["#####", "#G.W#", ...], "touch": ["guide", "worker", "both", ...], "store":
"guide", "plan": [{"part": 3, "operation": "turn", "needs": None}, {"part": 1, "operation": "fit", "needs": 3}]}``: #
wall, . floor, 1 to 8 the parts, S the store, G and W where guide and worker start; who may touch each part and take
from the store; and the repairs. A map must be such that nobody can cut the other off by standing somewhere.

**Known values.** Means of 10,000 default tasks; standard errors are at most .004 of shares and .15 steps. "planner" is
optimal: it equals the shortest of all orders over shortest paths.

| mode | baseline | repaired | within 40 steps | steps |
|---|---|---|---|---|
| solo | planner, the fewest steps | 1 | .933 | 28.0 |
| solo | cooperative, nearest first | 1 | .830 | 32.4 |
| oracle_plan | peers: both know the plan, and report | 1 | .722 | 35.6 |
| dual | cooperative: instructs, works meanwhile; follows, reports | 1 | .519 | 41.5 |
| dual | cooperative:lazy=1, only answers | 1 | .460 | 43.2 |
| dual | cooperative:error=0.2, mishears a word in five | .877 | .359 | |
| dual | cooperative:error=0.2,readback=1, repeats first | 1 | .289 | 50.0 |
| dual | silent | .050 | .023 | |
| all | random | 0 (solo .0003) | 0 | |

So that only one knows the plan costs two 6 steps, and .20 of the success within 40. With length L and P parts, all for
the worker, none to fit, and one error allowed, a worker who guesses succeeds with probability e (P - L)! / (P! 3^L),
where e, the number of orders that a plan allows, is L! over the product of the sizes of all its subtrees. In a hall
with 3 x 3 cells of floor, for two repairs, 12 steps and two errors, uniformly random play alone succeeds with
probability 6.571e-6, exactly.

**Differences.** The world is the suite's own, in the spirit of tau2-bench's dual control: two who act on one world that
neither fully sees, a plan that only one has, modes that take away talk or its need, and tasks whose every strict
prefix of the plan leaves something to repair.

**Source.** Barres, Dong, Ray, Si and Narasimhan, "tau2-Bench: Evaluating Conversational Agents in a Dual-Control
Environment", 2025. The number of orders of a forest: Knuth, "The Art of Computer Programming", volume 3, 5.1.4,
exercise 20.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.world import Between, Kernels, World
from envsuite.generators import repair
from envsuite.generators.grids import wall_shapes
from envsuite.generators.repair import (
    BOTH,
    FIT,
    FLOOR,
    LARGEST,
    LONGEST,
    MOST_PARTS,
    OPERATIONS,
    STORE,
    WALL,
    Repair,
    make,
)
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape, text_width
from envsuite.render.theme import agent_color

GUIDE, WORKER = range(2)
DUAL, SOLO, ORACLE_PLAN = range(3)
MODES = ("dual", "solo", "oracle_plan")

MOVES = ("noop", "north", "south", "east", "west", "take", "give", *OPERATIONS)
NOOP, NORTH, SOUTH, EAST, WEST, TAKE, GIVE, OPERATE = range(8)
DY = np.array([0, -1, 1, 0, 0])
DX = np.array([0, 0, 0, 1, -1])

#: Words; what is said by pointing at part k is POINT + k, by pointing at the store POINT.
WORDS = (
    *(f"name: {operation}" for operation in OPERATIONS),
    "confirm",
    "ask",
    "done",
    "not understood",
    "point: store",
)
NAME, CONFIRM, ASK, DONE, NOT_UNDERSTOOD, POINT = 0, 4, 5, 6, 7, 8
SPEAK = len(MOVES)

#: How many of the last utterances are kept for texts and pictures.
LOG = 8

NOTHING, RIGHT, WRONG = range(3)


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    begin(s)


@large_kernel
def begin(s):
    """Everybody at the start, nothing repaired, nothing said; and what is beside each cell."""
    map = s.level.map
    size, parts = map.shape[0], s.level.operation.shape[0]
    for y in range(size):
        for x in range(size):
            s.beside[y * size + x] = 0
    for y in range(size):
        for x in range(size):
            if map[y, x] >= STORE:
                for k in range(1, 5):
                    j, i = y + DY[k], x + DX[k]
                    if 0 <= j < size and 0 <= i < size and map[j, i] == FLOOR:
                        s.beside[j * size + i] = map[y, x] - STORE + 1
    s.goal = 0
    for k in range(parts):
        if s.level.operation[k]:
            s.goal |= np.int64(1) << k
    s.repaired = 0
    s.errors = 0
    for a in range(2):
        s.at[a] = s.level.start[a]
        s.held[a] = 0
        s.result[a] = NOTHING
        for k in range(3):
            s.talk[a, k] = 0
    if s.terminated.shape[0] == 1:
        s.at[WORKER] = 0
    for k in range(LOG):
        s.log[k] = 0


@kernel
def may(s, agent, thing):
    """Whether an agent may take from the store, number 0, or touch part number `thing`."""
    return s.terminated.shape[0] == 1 or (np.int64(s.level.rights[np.uint64(thing)]) >> agent) & 1


@kernel
def step(s, actions, rewards):
    agents, before = s.terminated.shape[0], s.repaired
    for a in range(agents):
        s.result[a] = NOTHING
        s.talk[a, 0] = 0
        if OPERATE <= actions[a] < SPEAK:
            operate(s, a, actions[a] - OPERATE + 1, before)
        elif actions[a] >= SPEAK:
            speak(s, a, actions[a] - SPEAK)
    for a in range(agents):
        if actions[a] == GIVE:
            s.held[a] = 0
            s.held[1 - a] = 1
    for a in range(agents):
        if actions[a] == TAKE:
            s.held[a] = 1
        elif actions[a] <= WEST:
            move(s, a, actions[a])
    score(s, before, rewards)


@kernel
def operate(s, a, operation, before):
    """Do something to the part beside an agent; `before` says what was repaired before this step."""
    part = np.uint64(s.beside[np.uint64(s.at[a])] - 2)
    needed = np.int64(s.level.needs[part])
    due = needed == 0 or (before >> (needed - 1)) & 1
    if due and s.level.operation[part] == operation:
        s.repaired |= np.int64(1) << np.int64(part)
        s.result[a] = RIGHT
        if operation == FIT:
            s.held[a] = 0
    else:
        s.errors += 1
        s.result[a] = WRONG


@kernel
def speak(s, a, word):
    """Say a word: it is heard after this step."""
    s.talk[a, 0] = word + 1
    if word >= POINT:
        s.talk[a, 1] = word - POINT + 1
        s.talk[a, 2] = 0
    elif word < CONFIRM:
        s.talk[a, 2] = word - NAME + 1
    for k in range(LOG - 1, 0, -1):
        s.log[k] = s.log[k - 1]
    s.log[0] = 1 + 2 * word + a


@kernel
def move(s, a, direction):
    """Walk one cell, if there is floor and nobody."""
    size = s.level.map.shape[0]
    there = s.at[a] + DY[direction] * size + DX[direction]
    if s.level.map.flat[np.uint64(there)] == FLOOR and there != s.at[1 - a]:
        s.at[a] = there


@kernel
def score(s, before, rewards):
    """Rewards and ends."""
    paid, wrong = 0.0, 0
    for a in range(rewards.shape[0]):
        wrong += s.result[a] == WRONG
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
        elif agent == WORKER:
            bits = (bits & 1) << 1 | bits >> 1
        out.rights[thing] = bits
    knows = agent == GUIDE or s.params.mode == ORACLE_PLAN
    for k in range(np.uint64(parts)):
        seen = out.rights[k + np.uint64(1)] & 1
        out.repaired[k] = (s.repaired >> np.int64(k)) & 1 if seen else 2
        out.plan[k, 0] = s.level.operation[k] if knows else 0
        out.plan[k, 1] = s.level.needs[k] if knows else 0
    out.counters[0] = s.params.max_steps - s.t
    out.counters[1] = min(s.errors, s.params.max_errors)


@kernel
def adjacent(s, cell, other):
    """Whether two cells, neither on the edge, are neighbours."""
    apart = abs(cell - other)
    return apart == 1 or apart == s.level.map.shape[0]


@kernel
def legal(s, agent, mask):
    agents = s.terminated.shape[0]
    for action in range(TAKE):
        mask[action] = 1
    thing = np.int64(s.beside[np.uint64(s.at[agent])])
    if thing == 1:
        mask[TAKE] = s.held[agent] == 0 and may(s, agent, np.int64(0))
    elif thing > 1 and may(s, agent, thing - 1) and not (s.repaired >> (thing - 2)) & 1:
        mask[OPERATE] = mask[OPERATE + 1] = mask[OPERATE + 2] = 1
        mask[OPERATE + 3] = s.held[agent]
    if agents == 2:
        mask[GIVE] = s.held[agent] and not s.held[1 - agent] and adjacent(s, s.at[agent], s.at[1 - agent])
        for action in range(SPEAK, mask.shape[0]):
            mask[action] = 1
        mask[SPEAK + POINT] = s.level.rights[0] != 0


class Handover(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    utility = "identical"
    verified = "a plain second implementation of the rules; optima by search; counted orders"
    variants = (dict(mode="solo", reward="progress"), dict(mode="oracle_plan"))
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
        **{str(k): f"point: part {k}" for k in range(1, MOST_PARTS + 1)},
    }

    def __init__(
        self,
        mode: Literal["dual", "solo", "oracle_plan"] = "dual",
        size: Annotated[int, Between(repair.SMALLEST, LARGEST)] = 9,
        parts: Annotated[int, Between(1, MOST_PARTS)] = 6,
        length: Annotated[int, Between(1, LONGEST)] = 4,
        common: Annotated[float, Between(0, 1)] = 0.2,
        ordered: Annotated[float, Between(0, 1)] = 0.5,
        pillars: Annotated[int, Between(0, 10)] = 2,
        handover: bool = True,
        max_steps: Annotated[int, Between(1, 100_000)] = 200,
        max_errors: Annotated[int, Between(1, 1000)] = 3,
        penalty: Annotated[float, Between(0, 1)] = 0.1,
        reward: Literal["success", "progress"] = "success",
    ):
        tasks = Repair(size, parts, length, common, ordered, pillars, handover)
        self.alone = mode == "solo"
        speech = [*WORDS, *(f"point: part {k + 1}" for k in range(parts))]
        inside = size - 2
        seen: dict[str, Space] = {
            "map": Box(0, STORE + parts, (size, size), np.uint8),
            "bodies": Box(0, np.tile(np.array([inside, inside, 1], np.uint8), (2, 1)), dtype=np.uint8),
            "rights": Box(0, 1 if self.alone else BOTH, (parts + 1,), np.uint8),
            "repaired": Box(0, 1 if self.alone else 2, (parts,), np.uint8),
            "talk": Box(
                0, np.tile(np.array([len(speech), 1 + parts, len(OPERATIONS)], np.uint8), (2, 1)), dtype=np.uint8
            ),
            "counters": Box(0, np.array([max_steps, max_errors], np.int32), dtype=np.int32),
        }
        plan = Box(0, np.tile(np.array([len(OPERATIONS), parts], np.uint8), (parts, 1)), dtype=np.uint8)
        spaces = {
            "guide": Dict({**seen, "plan": plan}),
            "worker": Dict({**seen, "plan": plan} if mode == "oracle_plan" else seen),
        }
        names = ("guide",) if self.alone else ("guide", "worker")
        self.define(
            agents=names,
            actions=MOVES if self.alone else (*MOVES, *speech),
            observation={name: spaces[name] for name in names},
            fields=[
                *tasks.fields,
                ("beside", np.uint8, (size * size,)),  # what is beside each floor cell: 1 the store, 1 + k part k
                ("goal", np.int64),  # a bit for each part of the plan
                ("repaired", np.int64),  # a bit for each part that is
                ("errors", np.int64),
                ("at", np.int64, (2,)),  # cells: row * size + column; alone, the worker is in a wall
                ("held", np.uint8, (2,)),
                ("result", np.uint8, (2,)),  # of the last step's operation
                ("talk", np.uint8, (2, 3)),
                ("log", np.int16, (LOG,)),  # what was said, newest first: 1 + 2 * word + speaker
            ],
            params={
                **tasks.values,
                "mode": MODES.index(mode),
                "max_steps": max_steps,
                "max_errors": max_errors,
                "penalty": float(penalty),
                "progress": reward == "progress",
            },
            reward_range=(-2.0 * penalty, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        repair.read(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"kind": "repair", **repair.write(s.level)}

    def _knows(self, s: Any, agent: int | None) -> bool:
        return agent != WORKER or s.params.mode == ORACLE_PLAN

    def _touches(self, s: Any, agent: int | None, thing: int) -> bool:
        return agent is None or self.alone or bool(int(s.level.rights[thing]) >> agent & 1)

    def text(self, s: Any, agent: int) -> str:
        size, parts = len(s.level.map), len(s.level.operation)
        other = self.agents[1 - agent] if not self.alone else ""
        rows = [list(row) for row in repair.write(s.level)["map"]]
        for row in rows:
            row[:] = ["." if letter in "GW" else letter for letter in row]
        for a, name in enumerate(self.agents):
            rows[s.at[a] // size][s.at[a] % size] = name[0].upper()
        legend = "# wall, . floor, digits parts, S store, G guide" + ("" if self.alone else ", W worker")
        lines = [f"You are the {self.agents[agent]}. Some parts of a machine must be repaired.", "", f"Map ({legend}):"]
        lines += ["  " + "".join(row) for row in rows]
        lines.append("")
        for k in range(0 if s.level.rights[0] else 1, parts + 1):
            lines.append(self._part_line(s, agent, k))
        for a in [agent] if self.alone else [agent, 1 - agent]:
            who = "You are" if a == agent else f"The {other} is"
            hand = "a spare in hand" if s.held[a] else "empty hands"
            beside = int(s.beside[s.at[a]])
            near = f", beside {_thing(beside - 1)}" if beside else ""
            lines.append(f"{who} in row {s.at[a] // size}, column {s.at[a] % size}{near}, with {hand}.")
        lines.append("")
        if self._knows(s, agent):
            lines.append("The plan:")
            lines += [f"  {line}" for line in plan_lines(s)]
            if not self.alone and not self._knows(s, WORKER):
                lines.append("The worker does not know it.")
        else:
            lines.append("Which parts, in which order and how, is in a plan that only the guide knows.")
        said = self.messages(s)
        if said:
            lines += ["", "Said last:"]
            lines += [f"  {'you' if a == agent else 'the ' + self.agents[a]}: {word}" for a, word in said]
        if s.result[agent]:
            lines.append(f"Your operation was {'right' if s.result[agent] == RIGHT else 'an error'}.")
        lines.append(f"Step {s.t} of {s.params.max_steps}; {s.errors} of {s.params.max_errors} errors.")
        if s.repaired == s.goal:
            lines.append("The machine is repaired.")
        elif s.errors >= s.params.max_errors:
            lines.append("The machine is broken: there were too many errors.")
        return "\n".join(lines)

    def messages(self, s: Any) -> list[tuple[int, str]]:
        return [((int(code) - 1) % 2, word_name((int(code) - 1) // 2)) for code in s.log[::-1] if code]

    def _part_line(self, s: Any, agent: int, thing: int) -> str:
        """What an agent knows of a part or the store."""
        if self.alone:
            who = "you"
        else:
            bits = int(s.level.rights[thing])
            who = "both of you" if bits == BOTH else "you" if bits >> agent & 1 else f"the {self.agents[1 - agent]}"
        verb = "may" if thing else "may take spares from"
        if thing == 0:
            return f"Store: {who} {verb} it."
        lamp = "lamp not seen"
        if self._touches(s, agent, thing):
            lamp = "repaired" if int(s.repaired) >> (thing - 1) & 1 else "not repaired"
        return f"Part {thing}: {who} {verb} touch it; {lamp}."

    # The picture: the hall, the plan beside it, and what was said.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The hall, the plan and the talk; for an agent without what it does not know."""
        size = len(s.level.map)
        panel = 6.4
        scene = Scene(size + panel + 1.2, max(size, 9) + 0.8)
        top = (scene.height - size) / 2
        scene.add(Rect(_LEFT, top, size, size, "floor"))
        for y in range(1, size - 1):
            for x in range(1, size - 1):
                if (x + y) % 2:
                    scene.add(Rect(_LEFT + x, top + y, 1, 1, "paper@0.6"))
        for shape in wall_shapes((s.level.map >= WALL).tolist()):
            scene.add(Rect(_LEFT + shape.x, top + shape.y, shape.width, shape.height, "wall"))  # type: ignore[union-attr]
        for y, x in np.argwhere(s.level.map >= STORE):
            self._draw_thing(scene, s, agent, int(s.level.map[y, x]) - STORE, _LEFT + x + 0.5, top + y + 0.5)
        for a in range(len(self.agents)):
            x, y = _LEFT + s.at[a] % size + 0.5, top + s.at[a] // size + 0.5
            scene.add(*_body(x, y, a, bool(s.held[a]), int(s.result[a])))
        for a in range(len(self.agents)):
            if s.talk[a, 0]:
                x, y = _LEFT + s.at[a] % size + 0.5, top + s.at[a] // size + 0.5
                scene.add(*_bubble(x, y, short(int(s.talk[a, 0]) - 1), agent_color(a), _LEFT + size))
        left = _LEFT + size + 0.4
        below = self._draw_plan(scene, s, agent, left, panel)
        if not self.alone:
            self._draw_talk(scene, s, left, below + 0.3, panel)
        status, color = f"step {s.t} of {s.params.max_steps}", "muted"
        if s.repaired == s.goal:
            status, color = "repaired", "good"
        elif s.errors >= s.params.max_errors:
            status, color = "broken", "bad"
        scene.add(Label(left + 0.1, scene.height - 0.65, status, 0.44, color, "left", bold=color != "muted"))
        scene.add(
            Label(left + panel - 0.1, scene.height - 0.65, f"errors {s.errors} of {s.params.max_errors}", 0.44,
                  "bad" if s.errors else "muted", "right")
        )  # fmt: skip
        return scene

    def _draw_thing(self, scene: Scene, s: Any, agent: int | None, thing: int, x: float, y: float) -> None:
        bits = BOTH if self.alone else int(s.level.rights[thing])
        colors = [agent_color(a) for a in range(len(self.agents)) if bits >> a & 1]
        if thing == 0:
            scene.add(*_store(x, y, colors))
            return
        lamp = int(s.repaired) >> (thing - 1) & 1 if self._touches(s, agent, thing) else None
        scene.add(*_part(x, y, thing, colors, lamp))

    def _draw_plan(self, scene: Scene, s: Any, agent: int | None, left: float, width: float) -> float:
        """The clipboard with the plan, and where it ends."""
        plan = repair.write(s.level)["plan"]
        knows = self._knows(s, agent)
        end = 1.75 + 0.66 * (len(plan) if knows else 2)
        scene.add(Rect(left + 0.05, 0.48, width, end - 0.4, "shadow@0.15", radius=0.2))
        scene.add(Rect(left, 0.4, width, end - 0.4, "white", "line", 0.04, 0.2))
        scene.add(Rect(left + width / 2 - 0.7, 0.26, 1.4, 0.32, "wall", radius=0.12, glyph=""))
        who = "plan" if self.alone or s.params.mode == ORACLE_PLAN else "the guide's plan"
        scene.add(Label(left + 0.4, 1.0, who, 0.46, "muted", "left"))
        if not knows:
            scene.add(Label(left + width / 2, 1.75 + 0.4, "only the guide knows", 0.46, "muted"))
            return end
        for k, entry in enumerate(plan):
            y, part = 1.75 + 0.66 * k, entry["part"]
            seen = self._touches(s, agent, part)
            done = seen and int(s.repaired) >> (part - 1) & 1
            scene.add(
                Rect(left + 0.35, y - 0.21, 0.42, 0.42, "good" if done else "white", "line", 0.03, 0.08, glyph="")
            )
            if done:
                tick = [(left + 0.43, y), (left + 0.53, y + 0.11), (left + 0.7, y - 0.13)]
                scene.add(Line(tick, "white", 0.07))
            elif not seen:
                scene.add(Label(left + 0.56, y, "?", 0.32, "muted", bold=True))
            bits = BOTH if self.alone else int(s.level.rights[part])
            scene.add(*_tag(left + 1.25, y, part, [agent_color(a) for a in range(len(self.agents)) if bits >> a & 1]))
            scene.add(
                Label(left + 1.75, y, entry["operation"], 0.46, "muted" if done else "black", "left", bold=not done)
            )
            if entry["needs"]:
                scene.add(Label(left + width - 0.35, y, f"after {entry['needs']}", 0.42, "muted", "right"))
        return end

    def _draw_talk(self, scene: Scene, s: Any, left: float, top: float, width: float) -> None:
        """What was said, the guide on the left, the worker on the right, newest below."""
        bottom = scene.height - 1.15
        scene.add(Rect(left, top, width, bottom - top, "panel", radius=0.2))
        said = self.messages(s)
        room = max(1, int((bottom - top - 0.2) / 0.68))
        if not said:
            scene.add(Label(left + width / 2, (top + bottom) / 2, "nothing said yet", 0.42, "muted"))
        for k, (a, word) in enumerate(said[-room:]):
            y = top + 0.46 + 0.68 * k
            wide = text_width(word, 0.42) + 0.5
            x = left + 0.2 if a == GUIDE else left + width - 0.2 - wide
            scene.add(Rect(x, y - 0.27, wide, 0.54, "white", agent_color(a), 0.05, 0.25))
            scene.add(Label(x + wide / 2, y, word, 0.42, "black"))

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        """A part or the store: point at it; a floor cell beside the agent: go there."""
        size = len(s.level.map)
        top = (max(size, 9) + 0.8 - size) / 2
        column, row = int((x - _LEFT) // 1), int((y - top) // 1)
        if not (0 <= column < size and 0 <= row < size):
            return None
        code = int(s.level.map[row, column])
        for direction in range(NORTH, TAKE):
            if code == FLOOR and row * size + column == s.at[agent] + DY[direction] * size + DX[direction]:
                return direction
        return SPEAK + POINT + code - STORE if code >= STORE and not self.alone else None


def _thing(thing: int) -> str:
    return f"part {thing}" if thing else "the store"


def word_name(word: int) -> str:
    """A word by its number."""
    return WORDS[word] if word < len(WORDS) else f"point: part {word - POINT}"


def short(word: int) -> str:
    """A word as it fits into a bubble."""
    name = word_name(word).partition(": ")[2] or word_name(word)
    return {"not understood": "??", "confirm": "yes", "ask": "what now?"}.get(name, name)


def plan_lines(s: Any) -> list[str]:
    """The plan, a line for each repair."""
    return [
        f"part {entry['part']}: {entry['operation']}" + (f", after part {entry['needs']}" if entry["needs"] else "")
        for entry in repair.write(s.level)["plan"]
    ]


# Drawing; (x, y) is the middle of a cell. Blue may be touched by the guide, orange by the worker.

_LEFT = 0.4


def _frame(x: float, y: float, colors: list[str], size: float, radius: float) -> list[Shape]:
    """A square in the colours of those who may touch it, one above the other."""
    half = size / 2
    shapes: list[Shape] = [Rect(x - half, y - half, size, size, colors[0], radius=radius, glyph="")]
    if len(colors) > 1:
        shapes.append(Rect(x - half, y, size, half, colors[1], radius=radius, glyph=""))
        shapes.append(Rect(x - half, y, size, half / 2, colors[1], glyph=""))
    return shapes


def _part(x: float, y: float, number: int, colors: list[str], lamp: int | None) -> list[Shape]:
    """A part of the machine, with its number and lamp."""
    light = {0: "wall", 1: "good", None: "line"}[lamp]
    shapes: list[Shape] = [
        *_frame(x, y, colors, 0.92, 0.14),
        Rect(x - 0.34, y - 0.34, 0.68, 0.68, "white", radius=0.08, glyph=str(number)),
        Rect(x - 0.34, y - 0.34, 0.68, 0.68, "good@0.2" if lamp else None, radius=0.08),
        Label(x - 0.08, y + 0.05, str(number), 0.5, "black", bold=True, terminal=False),
        Circle(x + 0.19, y - 0.19, 0.13, light, "shadow@0.35", 0.025, glyph=""),
    ]
    if lamp is None:
        shapes.append(Label(x + 0.19, y - 0.19, "?", 0.2, "muted", bold=True, terminal=False))
    return shapes


def _tag(x: float, y: float, number: int, colors: list[str]) -> list[Shape]:
    """A part's number on its colour."""
    return [
        *_frame(x, y, colors, 0.54, 0.1),
        Rect(x - 0.19, y - 0.19, 0.38, 0.38, "white", radius=0.05, glyph=""),
        Label(x, y, str(number), 0.34, "black", bold=True),
    ]


def _spare(x: float, y: float, size: float = 1.0) -> list[Shape]:
    """A spare: a gold fuse with two caps."""
    wide, high = 0.34 * size, 0.15 * size
    return [
        Rect(x - wide / 2, y - high / 2, wide, high, "gold", "brown", 0.02 * size, 0.04 * size, glyph=""),
        Rect(
            x - wide / 2 - 0.03 * size, y - 0.1 * size, 0.09 * size, 0.2 * size, "brown", radius=0.03 * size, glyph=""
        ),
        Rect(
            x + wide / 2 - 0.06 * size, y - 0.1 * size, 0.09 * size, 0.2 * size, "brown", radius=0.03 * size, glyph=""
        ),
    ]


def _store(x: float, y: float, colors: list[str]) -> list[Shape]:
    """The store: an open crate of spares."""
    shapes = [
        *_frame(x, y, colors, 0.92, 0.14),
        Rect(x - 0.34, y - 0.34, 0.68, 0.68, "soil", radius=0.06, glyph="S"),
    ]
    for k in range(3):
        shapes += _spare(x, y + 0.21 * (k - 1), 1.15)
    return shapes


def _body(x: float, y: float, agent: int, held: bool, result: int) -> list[Shape]:
    """An agent from above in its helmet, with a spare before it; a ring says how its operation went."""
    color = agent_color(agent)
    shapes: list[Shape] = []
    if result:
        shapes.append(Circle(x, y, 0.47, "good@0.4" if result == RIGHT else "bad@0.5", glyph=""))
    shapes += [
        Circle(x, y + 0.04, 0.37, "shadow@0.2", glyph=""),
        Circle(x, y, 0.36, color, "shadow@0.35", 0.025, glyph="GW"[agent]),
        Label(x, y, "GW"[agent], 0.36, "white", bold=True, terminal=False),
    ]
    return [*shapes, *_spare(x + 0.14, y + 0.3, 1.1)] if held else shapes


def _bubble(x: float, y: float, words: str, color: str, right: float) -> list[Shape]:
    """What somebody says now, above its head, or below where there is no room."""
    wide = text_width(words, 0.36) + 0.4
    up = -1 if y > 1.6 else 1
    middle = min(max(x, _LEFT + wide / 2), right - wide / 2)
    cy = y + 0.78 * up
    return [
        Polygon([(x - 0.12, cy), (x + 0.12, cy), (x, y + 0.38 * up)], color),
        Rect(middle - wide / 2, cy - 0.26, wide, 0.52, "white", color, 0.05, 0.22),
        Label(middle, cy, words, 0.36, "black", bold=True),
    ]


env, raw_env, parallel_env = pettingzoo_forms(Handover)
