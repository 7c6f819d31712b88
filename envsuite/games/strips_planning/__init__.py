"""Planning: sixteen classical planning domains, from blocksworld to satellites, with actions named as in PDDL.

**Rules.** A state is a set of facts such as `(on a b)`. An action is legal if the state holds its preconditions. It
removes the facts that it deletes, and then adds the facts that it adds. The goal is reached when the state holds all
facts of the goal. Nothing is random but the start and the goal of an episode.

| `domain` | task | sizes 1 to 5 |
|---|---|---|
| `blocksworld` | a hand stacks blocks into given towers | 3 to 7 blocks |
| `depots` | hoists and a truck move stacked crates between depots | 2 to 5 crates |
| `driverlog` | drivers walk to trucks and deliver packages | 1 to 5 packages |
| `ferry` | a ferry takes cars to their ports, one at a time | 2 to 8 cars |
| `floortile` | robots paint tiles above or below them; painted tiles cannot be entered | 2 x 3 to 3 x 5 tiles |
| `gripper` | a robot with two grippers carries balls between two rooms | 2 to 10 balls |
| `hanoi` | discs on three pegs, from one legal order to another | 2 to 6 discs |
| `keys` | a robot carries keys through rooms with locked doors | 1 to 3 doors |
| `logistics` | trucks and a plane deliver packages within and between cities | 1 to 5 packages |
| `miconic` | a lift takes passengers to their floors | 2 to 6 passengers |
| `satellite` | satellites turn, calibrate instruments and take images | 1 to 8 images |
| `spanner` | a worker walks one way and needs a spanner for each nut at the end | 1 to 5 nuts |
| `tiles` | a sliding-tile puzzle | 2 x 2 to 4 x 4 cells |
| `tyres` | wheels are replaced with tools from the boot of a car | 1 to 3 wheels |
| `visit_all` | a robot visits cells of a board | 3 x 3 to 5 x 5 cells |
| `zenotravel` | planes that burn fuel carry people between cities | 1 to 6 people |

In `floortile` and `spanner` the goal can get out of reach. `size` decides the objects. The objects and the facts that
never change are the same in all episodes. The page for players lists them with the actions. For other planners,
``envsuite.make_aec(id).unwrapped.world.pddl()`` returns the domain, and ``pddl(level)`` a level's problem.

**Agents.** One, `planner`.

**Observation.** Dict. F is the number of facts, which depends on `domain` and `size`.

| part | space | content |
|---|---|---|
| facts | Box (F,) int8 | 1 for each fact that holds |
| goal | Box (F,) int8 | 1 for each fact of the goal |

**Actions.** Discrete (K). K depends on `domain` and `size`.

| action | name | legal |
|---|---|---|
| k | the action and its objects: `(stack a b)` | while the state holds its preconditions |

**Window.** The picture lists the legal actions; a click on one plays it.

**Rewards.** 1 when the goal is reached, 0 otherwise.

**Ends.** Terminates when the goal is reached, and when no action is legal. Truncates after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `domain` | "blocksworld" | one of the domains above |
| `size` | 3 | from 1 to 5: more objects and longer plans |
| `horizon` | 100 | maximum number of steps, from 1 to 10,000 |

**Level.** ``{"init": ["(clear a)", "(on a b)", ...], "goal": ["(on b a)"]}``, facts in PDDL. "domain" and "size" may be
given and must be those of the world. In place of both lists, "pddl" is a problem in PDDL with the world's objects and
the facts that never change. Levels of `envsuite generate problems` fit.

**Known values.** States that can be reached from a start:

| domain | states |
|---|---|
| blocksworld, 1 to 6 blocks | 2, 5, 22, 125, 866, 7057 |
| gripper, 1 to 6 balls | 8, 28, 88, 256, 704, 1856 |
| hanoi, n discs | 3^n |
| tiles, n cells | n! / 2 |

The longest shortest plans: 2^n - 1 for hanoi from peg to peg; 6, 21 and 31 for tiles of 2 x 2, 3 x 2 and 3 x 3 cells. A
gripper moves n balls to the other room in 3 n - 1 steps if n is even, and in 3 n if it is odd, from the room with the
balls.

**Differences.** From the domains of the planning competitions and other collections:

- The domains are our own versions, and all preconditions are positive, so that the rules are simple. In `miconic` a
  passenger boards once. In `zenotravel` there is one way to fly, and planes refuel anywhere. In `tyres` only spare
  wheels are inflated. `keys` is a small form of the domain Grid: each key opens one door.
- Problems are drawn by own generators, with a start and a goal that vary also where others fix them, as in `gripper`.
- All episodes of a world have the same objects and maps, so that observations and masks have one size.
- `horizon` is a number rather than a multiple of the shortest plan's length, which is not known for large problems.

**Source.** Fikes and Nilsson, "STRIPS", 1971; McDermott et al., "PDDL", 1998; the domains of the International Planning
Competitions since 1998. Silver and Chitnis, "PDDLGym", 2020, made them environments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.kernel import kernel
from envsuite.core.ranges import free
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.games.strips_planning import pages, view
from envsuite.games.strips_planning.domains import SIZES, Name, instances_of, task_of
from envsuite.games.strips_planning.levels import Problems, make, numbers_in, read_level, write_level
from envsuite.kit.facts import has, holds, words_for
from envsuite.kit.strips import applicable, apply, write_domain, write_problem
from envsuite.registry import pettingzoo_forms


def fields(problems: Problems, facts: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *problems.fields,  # level: the start and the goal; room for its draws
        ("state", free(np.uint64), (words_for(facts),)),  # the facts that hold now
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        make(s)
    for k in range(s.state.shape[0]):
        s.state[k] = s.level.init[k]


@kernel
def step(s, actions, rewards):
    apply(s.state, s.params.first, s.params.literals, np.int64(actions[0]))
    if holds(s.state, s.level.goal):
        rewards[0] = 1.0
        s.terminated[0] = 1
    elif stuck(s):
        s.terminated[0] = 1
    elif s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def stuck(s):
    """Whether no action is legal."""
    for action in range((s.params.first.shape[0] - 1) // 3):
        if applicable(s.state, s.params.first, s.params.literals, action):
            return False
    return True


@kernel
def observe(s, agent, out):
    for fact in range(out.facts.shape[0]):
        out.facts[fact] = has(s.state, fact)
        out.goal[fact] = has(s.level.goal, fact)


@kernel
def legal(s, agent, mask):
    for action in range(mask.shape[0]):
        mask[action] = applicable(s.state, s.params.first, s.params.literals, action)


class Planning(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    information = "perfect"
    paid_at_end = True
    kind = ("puzzles",)
    verified = "pyperplan and pddlgym in lock-step, Fast Downward's shortest plans, closed forms of numbers of states"
    variants = (dict(domain="spanner", size=1), dict(domain="tiles", size=2, horizon=30))
    shown = "greedy"
    cost = 4
    player_page = pages.PAGES
    page_role = pages.page_role
    page_slots = pages.page_slots
    text = view.text
    scene = view.scene
    click = view.click

    def __init__(
        self,
        domain: Name = "blocksworld",
        size: Annotated[int, Between(1, SIZES)] = 3,
        horizon: Annotated[int, Horizon(1, 10_000)] = 100,
    ):
        self.task, self.board = task_of(domain, size), instances_of(domain, size).board
        problems, count = Problems(domain, size), len(self.task.facts)
        first, literals = self.task.tables
        self.define(
            agents=["planner"],
            actions=[operator.name for operator in self.task.operators],
            observation=Dict(facts=Box(0, 1, (count,), np.int8), goal=Box(0, 1, (count,), np.int8)),
            fields=fields(problems, count),
            params={**problems.values, "first": first, "literals": literals, "horizon": horizon},
            reward_range=(0.0, 1.0),
        )

    def pddl(self, level: Mapping[str, Any] | None = None) -> str:
        """The domain in PDDL, or with a level its problem."""
        if level is None:
            return write_domain(self.task.domain)
        part = np.zeros(1, self.record["level"])[0]
        read_level(part, level, self.parameters["domain"], self.parameters["size"], self.id)
        facts = self.task.facts
        init, goal = ([facts[k] for k in numbers_in(part[name], len(facts))] for name in ("init", "goal"))
        return write_problem(self.task, init, goal)

    def contradiction(self, s: Any) -> str | None:
        if not s.terminated[0] and not s.truncated[0] and stuck(s):
            return "no action is legal, but the episode is not over"
        return None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        read_level(s.level, level, self.parameters["domain"], self.parameters["size"], self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return write_level(s.level, self.parameters["domain"], self.parameters["size"])


env, raw_env, parallel_env = pettingzoo_forms(Planning)
