"""Daycare: a child needs bananas from trees, which only its parent can pick but takes for apples (Melting Pot).

**Rules.** A child and its parent walk a map of 20 x 13 cells with trees and shrubs. Each of these plants bears one
fruit, an apple or a banana. Plants and fruit are not in the way of agents; walls and the other agent are.

- *Hands.* A `grasp` reaches into the cell ahead. The agent tries to pick the fruit that hangs there. If there is none,
  or it fails, it takes the picked fruit that lies there or that the other agent holds there. A `grasp` right after
  another one has no effect.
- *Reach.* The parent picks all fruit. The child picks fruit of shrubs with probability `grasp`, and never fruit of
  trees. Both always get picked fruit.
- *Holding.* The hand of an agent that holds a fruit stays out. The fruit moves and turns with the agent, but not into a
  cell with another picked fruit: such a step is not taken, and in such a turn the fruit stays where it is.
- *Dropping.* The next `grasp` of the holder drops the fruit, unless it is over a plant.
- *Eating.* `eat` eats the fruit that the agent holds. It hangs on its plant again after `regrowth` steps and one more.
- *Hunger.* If the child eats no banana for `hungry` steps, it is out: it is away for `respawn` steps and one more, and
  what it holds counts as eaten. It returns fed to a random free cell beside the parent, facing north.
- *Perception.* The parent sees all bananas as apples. The child sees all trees as shrubs.

The order within a step:

1. The child gets hungrier and may be out. Agents eat.
2. Fruit grow; the child returns.
3. Agents walk in random order. If both want a cell, a random one gets it. Then held fruit follow turns.
4. Fruit are dropped. Then hands reach in random order, those of holders too. An agent whose fruit is taken in this step
   thus takes it back if its own hand comes later.

If a picked fruit is held in the same cell, a fruit that is picked there comes off its plant only when that one is gone.
Until then its holder cannot drop it, and only fruit that hang are in its way.

**Agents.** `child` and `parent`.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below; all zero while it is away |
| food | Box (11, 11) uint8 | plants, fruit and hands on the same cells, see below |
| fed | Box (1,) float32 | the steps until the child is out, divided by `hungry`; 0 while it is away; 1 for the parent |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor, with or without a plant |
| 5 | the agent itself |
| 8 + f | the child; f is 0 if it faces as the observer does, 1 right of that, 2 back, 3 left |
| 12 + f | the parent |

A cell of `food` is a sum, as the agent perceives it: 1 for a tree or 2 for a shrub; 4 for an apple or 8 for a banana
that hangs; 16 for a picked apple or 32 for a picked banana; 64 if the child's hand reaches into the cell, 128 if the
parent's does. The prompts of language agents do not say what each of the two mistakes.

**Actions.** Discrete (9), all of them always legal. While the child is away, its actions have no effect.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `eat` | |
| 8 | `grasp` | takes or drops a fruit |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space grasps, e eats.

**Rewards.** Child: +1 for a banana. Parent: +1 for an apple or a banana, but 0 while the child is away.

**Ends.** Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `horizon` | 1000 | steps until truncation, from 1 to 1,000,000 |
| `hungry` | 200 | steps without a banana after which the child is out, from 1 to 1,000,000 |
| `respawn` | 100 | steps for which it is then away, less one, from 0 to 1,000,000 |
| `regrowth` | 50 | steps until a fruit that was eaten hangs again, less one, from 0 to 1,000,000 |
| `grasp` | 0.3 | probability that the child picks fruit from a shrub, from 0 to 1 |

**Level.** ``{"map": [13 strings of 20 letters]}``: ``#`` wall, ``.`` floor, ``s`` floor where agents start, ``A`` apple
tree, ``a`` apple shrub, ``B`` banana tree, ``b`` banana shrub. Without a level, every episode has a new map from
`envsuite.social.daycare.levels`.

**Known values.** Returns in 1000 steps of uniformly random play, mean +- standard error:

| | child | parent |
|---|---|---|
| Melting Pot, 64 episodes | 0.16 +- 0.05 | 5.8 +- 0.3 |
| this world, 256 episodes on maps with Melting Pot's starts | 0.17 +- 0.03 | 6.0 +- 0.2 |
| this world, 256 episodes | 0.17 +- 0.03 | 5.9 +- 0.2 |

Returns between baselines, 256 episodes, standard errors up to 0.6 and 1.6. A child that stays at what it wants eats
eight times as much as one that forages alone, if its parent picks what the child reaches for, and less if it does not.
This costs the parent a fifth of its return. Fruit that the parent brings unasked hardly help.

| child | parent | child's return | parent's return |
|---|---|---|---|
| random | random | 0.2 | 5.9 |
| `forager`: tries bananas in turn | `forager`: eats the nearest fruit | 4.2 | 167.2 |
| `forager` | `provider`: brings fruit | 4.7 | 92.8 |
| `forager` | `carer`: picks what the child reaches for | 20.9 | 121.5 |
| `carer`: stays at a banana with its hand out | `forager` | 1.7 | 144.4 |
| `carer` | `carer` | 32.9 | 136.7 |

**Differences.** From Melting Pot's `daycare`:

- The nine starts are at a random place. There, they are always near the middle.
- Symbols replace RGB pictures. What is below an agent or a wall is seen too, and so is which way the other one faces.
- Fruit are seen from the first observation on. There, they are seen from the second one on.
- There, the order of a hash table decides at which cell the child returns. It may be the cell of the parent: then the
  child returns where it left, or waits for the parent to move.
- Actions of a child that is away have no effect. There, it moves unseen, and acts in the step of its return.
- A fruit that is eaten before it comes off its plant is gone. There, it can be eaten again.
- A fruit waits while another one hangs on its plant. There, it may then hang where it was eaten.
- Melting Pot can pay agents for tries and drops; its own configuration sets these rewards to 0. They are left out, and
  so are other numbers of children and parents.

**Source.** Agapiou et al., "Melting Pot 2.0", 2022; its code at commit 81ee2e7, and Lab2D's for the order of events.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import avatars
from envsuite.kit.avatars import BORDER, FLOOR, MIDDLE, MOVES, OUTSIDE, STEP_FORWARD, STEP_RIGHT, TURN_LEFT, VIEW, WALL
from envsuite.kit.grid import BACKWARD, FORWARD, LEFT, NORTH, RIGHT, ahead
from envsuite.registry import pettingzoo_forms
from envsuite.social.daycare import levels as nursery
from envsuite.social.daycare import pages, view
from envsuite.social.daycare.levels import HEIGHT, LEGEND, WIDTH
from envsuite.social.daycare.view import (
    CHILD,
    HANDS,
    HANGING_APPLE,
    HANGING_BANANA,
    PARENT,
    PICKED_APPLE,
    PICKED_BANANA,
    SHRUB,
    TREE,
)

ACTIONS = (*MOVES, "eat", "grasp")
EAT, GRASP = len(MOVES), len(MOVES) + 1

AGENTS = ("child", "parent")

_CELLS = (HEIGHT + 2 * BORDER) * (WIDTH + 2 * BORDER)
_, _FREE = avatars.tables()
_KIND = np.array([WALL, *[FLOOR] * (len(LEGEND) - 1)], np.uint8)

#: The bits of `food` of a plant with its fruit, by the letter of the map; masks without some of them.
_PLANT = np.array(
    [0, 0, 0, TREE + HANGING_APPLE, SHRUB + HANGING_APPLE, TREE + HANGING_BANANA, SHRUB + HANGING_BANANA], np.uint8
)
_NOTHING_HANGS = 255 - HANGING_APPLE - HANGING_BANANA
_NOTHING_LIES = 255 - PICKED_APPLE - PICKED_BANANA
_NO_HANDS = 255 - sum(HANDS)
_HANDS = np.array(HANDS, np.uint8)

#: The direction of each step, relative to the agent, by action.
_WAYS = np.array([0, FORWARD, BACKWARD, LEFT, RIGHT])


def _as_seen() -> np.ndarray:
    """(2, 256) what the child and the parent perceive of a cell of `food`."""
    codes = np.arange(256)
    trees, hang, lie = codes & TREE, codes & HANGING_BANANA, codes & PICKED_BANANA
    child = codes - trees | np.where(trees, SHRUB, 0)
    parent = codes - hang - lie | np.where(hang, HANGING_APPLE, 0) | np.where(lie, PICKED_APPLE, 0)
    return np.array([child, parent], np.uint8)


_AS_SEEN = _as_seen()


def fields() -> list[tuple]:
    """The record's own fields. A fruit is named by its home, the cell of its plant."""
    place = avatars.cell_type(np.int64, HEIGHT, WIDTH)
    fruit = avatars.cell_type(np.int16, HEIGHT, WIDTH)
    return [
        *avatars.fields(2, HEIGHT, WIDTH, len(LEGEND)),
        ("food", below(np.uint8, 256), (_CELLS,)),  # plants, fruit and hands, see the page
        ("hangs", fruit, (_CELLS,)),  # the fruit that hangs in a cell, or 0
        ("lies", fruit, (_CELLS,)),  # the picked fruit that lies or is held in a cell, or 0
        ("spot", fruit, (_CELLS,)),  # where a fruit is, or was eaten; 0 for cells without a plant
        ("wait", within(np.int64, 0, avatars.LONGEST), (_CELLS,)),  # steps until a fruit hangs again, 0 unless eaten
        *avatars.list_fields("eaten_count", "eaten", HEIGHT, WIDTH),  # fruit that were eaten
        ("holds", place, (2,)),  # the fruit that an agent holds, or 0
        ("hand", place, (2,)),  # where an agent's hand reaches in this step, or 0
        ("pressed", flag(), (2,)),  # whether the agent's last action was to grasp
        ("hunger", within(np.int64, 0, 1_000_000)),  # steps until the child is out
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        nursery.nursery(s, s.map)
    avatars.lay(s, _KIND)
    fill(s.food, 0)
    fill(s.hangs, 0)
    fill(s.lies, 0)
    fill(s.spot, 0)
    fill(s.wait, 0)
    for y in range(HEIGHT):
        for x in range(WIDTH):
            if s.map[y, x] >= nursery.APPLE_TREE:
                cell = avatars.cell_at(s, y, x)
                s.food[cell] = _PLANT[s.map[y, x]]
                s.hangs[cell] = cell
                s.spot[cell] = cell
    s.eaten_count = 0
    s.hunger = s.params.hungry
    avatars.begin(s)
    for a in range(2):
        s.holds[a] = 0
        s.hand[a] = 0
        s.pressed[a] = 0
        settle(s, a)


@kernel
def settle(s, a):
    """Put an agent on a random free start."""
    left = 0
    for y in range(HEIGHT):
        for x in range(WIDTH):
            left += is_start(s, y, x)
    left = randint(s, left)
    for y in range(HEIGHT):
        for x in range(WIDTH):
            if is_start(s, y, x):
                if left == 0:
                    avatars.place(s, a, avatars.cell_at(s, y, x))
                    return
                left -= 1


@kernel
def is_start(s, y, x):
    """Whether an agent can start here."""
    return s.map[y, x] == nursery.START and s.cells[avatars.cell_at(s, y, x)] == FLOOR


@kernel
def letter(s, fruit):
    """The number of the letter of a fruit's plant."""
    return s.map[fruit // avatars.stride(s) - BORDER, fruit % avatars.stride(s) - BORDER]


@kernel
def step(s, actions, rewards):
    present = s.away[CHILD] == 0
    starve(s)
    awake = s.away[CHILD] == 0
    for a in range(2):
        s.food[s.hand[a]] &= _NO_HANDS
        s.hand[a] = 0
        if actions[a] == EAT and s.holds[a] > 0:
            eat(s, a, present, rewards)
    regrow(s)
    come_back(s)
    shuffle(s, s.order, 2)
    for k in range(2):
        a = s.order[k]
        if a == PARENT or awake:
            walk(s, a, actions[a])
    for k in range(2):
        a = s.order[k]
        if actions[a] >= TURN_LEFT and actions[a] < EAT and s.holds[a] > 0:
            swing(s, a)
    for a in range(2):
        if a == PARENT or awake:
            stretch(s, a, actions[a] == GRASP)
    for k in range(2):
        reach(s, s.order[k])
    pick(s)
    if s.t >= s.params.horizon:
        for a in range(2):
            s.truncated[a] = 1


@kernel
def starve(s):
    """The child gets hungrier; when its time is over, it is out, and what it holds is gone."""
    if s.away[CHILD] == 0:
        s.hunger -= 1
        if s.hunger == 0:
            if s.holds[CHILD] > 0:
                use_up(s, CHILD)
            s.pressed[CHILD] = 0
            avatars.leave(s, CHILD)
            s.away[CHILD] = s.params.respawn + 2


@kernel
def eat(s, a, present, rewards):
    """An agent eats what it holds; `present` if the child was there at the beginning of the step."""
    banana = letter(s, s.holds[a]) >= nursery.BANANA_TREE
    if a == PARENT:
        rewards[a] += 1.0 if present else 0.0
    elif banana:
        rewards[a] += 1.0
        s.hunger = s.params.hungry
    use_up(s, a)


@kernel
def use_up(s, a):
    """The fruit that an agent holds is gone."""
    fruit = s.holds[a]
    lift(s, fruit)
    s.wait[fruit] = s.params.regrowth + 2
    s.eaten[s.eaten_count] = fruit
    s.eaten_count += 1
    s.holds[a] = 0


@kernel
def hanging(s, fruit):
    """Whether a fruit hangs."""
    return s.hangs[s.spot[fruit]] == fruit


@kernel
def lift(s, fruit):
    """Take a fruit off the map."""
    cell = s.spot[fruit]
    if hanging(s, fruit):
        s.hangs[cell] = 0
        s.food[cell] &= _NOTHING_HANGS
    else:
        s.lies[cell] = 0
        s.food[cell] &= _NOTHING_LIES


@kernel
def put(s, fruit, cell, hangs):
    """Let a fruit hang or lie in a cell."""
    banana = letter(s, fruit) >= nursery.BANANA_TREE
    s.spot[fruit] = cell
    if hangs:
        s.hangs[cell] = fruit
        s.food[cell] |= HANGING_BANANA if banana else HANGING_APPLE
    else:
        s.lies[cell] = fruit
        s.food[cell] |= PICKED_BANANA if banana else PICKED_APPLE


@kernel
def regrow(s):
    """Fruit that were eaten hang again on their plants when their time is over, and no other fruit is in the way."""
    for k in range(s.eaten_count - 1, -1, -1):
        fruit = np.int64(s.eaten[k])
        if s.wait[fruit] > 1:
            s.wait[fruit] -= 1
        elif s.hangs[fruit] == 0:
            s.wait[fruit] = 0
            put(s, fruit, fruit, True)
            s.eaten_count -= 1
            s.eaten[k] = s.eaten[s.eaten_count]


@kernel
def come_back(s):
    """A step of a child that is away; after the last one it is beside its parent, if there is room."""
    if s.away[CHILD] == 0:
        return
    s.away[CHILD] -= 1
    if s.away[CHILD] > 0:
        return
    left = 0
    for facing in range(4):
        left += _FREE[s.cells[avatars.beyond(s, s.at[PARENT], facing)]]
    if left == 0:
        s.away[CHILD] = 1
        return
    left = randint(s, left)
    for facing in range(4):
        cell = avatars.beyond(s, s.at[PARENT], facing)
        if _FREE[s.cells[cell]]:
            if left == 0:
                s.facing[CHILD] = NORTH
                avatars.enter(s, CHILD, cell)
                s.hunger = s.params.hungry
                return
            left -= 1


@kernel
def room(s, fruit, cell):
    """Whether a held fruit can enter a cell."""
    return s.hangs[cell] == 0 if hanging(s, fruit) else s.lies[cell] == 0


@kernel
def carry(s, fruit, cell):
    """Move a held fruit."""
    hangs = hanging(s, fruit)
    lift(s, fruit)
    put(s, fruit, cell, hangs)


@kernel
def walk(s, a, action):
    """An agent turns, or walks with what it holds."""
    fruit, start = s.holds[a], s.at[a]
    if fruit > 0 and STEP_FORWARD <= action <= STEP_RIGHT:
        change = ahead(s.facing[a] + _WAYS[action], avatars.stride(s))
        if not room(s, fruit, s.spot[fruit] + change):
            return
    avatars.move(s, a, action, _FREE)
    if fruit > 0 and s.at[a] != start:
        carry(s, fruit, s.spot[fruit] + s.at[a] - start)


@kernel
def swing(s, a):
    """The fruit that an agent holds goes ahead of it, if there is room."""
    fruit, cell = s.holds[a], avatars.beyond(s, s.at[a], s.facing[a])
    if room(s, fruit, cell):
        carry(s, fruit, cell)


@kernel
def stretch(s, a, grasps):
    """An agent drops what it holds, or has its hand out to hold or to take something."""
    presses, fruit = grasps and not s.pressed[a], s.holds[a]
    s.pressed[a] = grasps
    if fruit > 0 and presses:
        cell = s.spot[fruit]
        if s.food[cell] & (TREE | SHRUB) == 0 and s.hangs[cell] == 0:
            s.holds[a] = 0
    elif fruit > 0 or presses:
        s.hand[a] = avatars.beyond(s, s.at[a], s.facing[a])


@kernel
def reach(s, a):
    """A hand without a fruit takes the one that hangs in its cell, or else the one that lies or is held there."""
    cell = s.hand[a]
    if cell == 0:
        return
    s.food[cell] |= _HANDS[a]
    if s.holds[a] > 0:
        return
    fruit = np.int64(s.hangs[cell])
    if fruit == 0 or not picks(s, a, fruit):
        fruit = np.int64(s.lies[cell])
    if fruit > 0:
        if s.holds[1 - a] == fruit:
            s.holds[1 - a] = 0
        s.holds[a] = fruit


@kernel
def picks(s, a, fruit):
    """Whether an agent gets a fruit that hangs."""
    if a == PARENT:
        return True
    kind = letter(s, fruit)
    shrub = kind == nursery.APPLE_SHRUB or kind == nursery.BANANA_SHRUB
    return shrub and bernoulli(s, s.params.grasp)


@kernel
def pick(s):
    """Fruit that agents hold come off their plants, where no picked one is held in front of them."""
    for a in range(2):
        fruit = s.holds[a]
        if fruit > 0 and hanging(s, fruit) and s.lies[s.spot[fruit]] == 0:
            cell = np.int64(s.spot[fruit])
            lift(s, fruit)
            put(s, fruit, cell, False)


@large_kernel
def observe(s, agent, out):
    view, food = out["view"], out["food"]
    avatars.watch(s, agent, view)
    out.fed[0] = s.hunger / s.params.hungry if agent == CHILD else 1.0
    if s.away[agent]:
        for i in range(VIEW):
            for j in range(VIEW):
                food[i, j] = 0
        return
    wide, own = avatars.stride(s), avatars.own_row(np.int64(VIEW))
    up, right = ahead(s.facing[agent], wide), ahead(s.facing[agent] + RIGHT, wide)
    for i in range(VIEW):
        for j in range(VIEW):
            food[i, j] = _AS_SEEN[agent, s.food[s.at[agent] + (own - i) * up + (j - MIDDLE) * right]]


class Daycare(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("commons", "dilemmas")
    verified = "Melting Pot itself in lock-step, but for the place where the child returns"
    variants = (dict(hungry=9, respawn=2, regrowth=3, grasp=1.0),)
    shown = "carer"
    keys = {**avatars.AvatarWorld.keys, "space": "grasp", "e": "eat"}
    legend = LEGEND
    players = 2
    beams = False
    things = {}
    player_page = pages.PAGES
    page_slots = pages.page_slots
    text = view.text
    scene = view.scene
    figure = view.figure
    ground = view.ground

    def __init__(
        self,
        horizon: Annotated[int, Between(1, 1_000_000)] = 1000,
        hungry: Annotated[int, Between(1, 1_000_000)] = 200,
        respawn: Annotated[int, Between(0, 1_000_000)] = 100,
        regrowth: Annotated[int, Between(0, 1_000_000)] = 50,
        grasp: Annotated[float, Between(0, 1)] = 0.3,
    ):
        self.define(
            agents=AGENTS,
            actions=ACTIONS,
            observation=Dict(
                {
                    "view": self.view_spaces(0)["view"],
                    "food": Box(0, 255, self.view_shape, np.uint8),
                    "fed": Box(0.0, 1.0, (1,), np.float32),
                }
            ),
            fields=fields(),
            params={
                "hungry": hungry,
                "respawn": respawn,
                "regrowth": regrowth,
                "grasp": float(grasp),
                "horizon": horizon,
            },
            reward_range=(0.0, 1.0),
        )

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"s": (2, "starts")}

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        kinds = np.full(ground.shape, OUTSIDE)
        letters = np.zeros(ground.shape, int)
        for grid, inner in ((kinds, _KIND[s.map]), (letters, s.map)):
            grid.reshape(HEIGHT + 2 * BORDER, -1)[BORDER:-BORDER, BORDER:-BORDER] = inner
        if (ground != kinds).any():
            return "the ground is not that of the map"
        if s.away[PARENT] or s.hunger > s.params.hungry or (s.hunger == 0) != (s.away[CHILD] > 0):
            return "the parent is away, or the child is there with no time left, or away with some"
        return self._misplaced_fruit(s, letters)

    def _misplaced_fruit(self, s: Any, letters: np.ndarray) -> str | None:
        """What does not go together of fruit; `letters` has the number of the letter of each cell."""
        homes = np.flatnonzero(letters >= nursery.APPLE_TREE)
        spots, eaten = np.asarray(s.spot[homes]), np.asarray(s.wait[homes]) > 0
        if np.delete(s.spot, homes).any() or np.delete(s.wait, homes).any():
            return "there is a fruit without a plant"
        if not avatars.are_listed(s.eaten, s.eaten_count, homes[eaten]):
            return "eaten does not list the fruit that were eaten"
        if np.isin(spots, np.flatnonzero(s.cells == OUTSIDE)).any():
            return "a fruit is outside of the map"
        hangs, lies = s.hangs[spots] == homes, s.lies[spots] == homes
        if ((hangs.astype(int) + lies) != ~eaten).any():
            return "a fruit does not hang or lie where it is"
        if np.count_nonzero(s.hangs) != hangs.sum() or np.count_nonzero(s.lies) != lies.sum():
            return "something else than a fruit hangs or lies in a cell"
        food = _PLANT[letters] & (TREE | SHRUB)
        for where, bits in ((hangs, (HANGING_APPLE, HANGING_BANANA)), (lies, (PICKED_APPLE, PICKED_BANANA))):
            food[spots[where]] |= np.array(bits, np.uint8)[(letters[homes[where]] >= nursery.BANANA_TREE).astype(int)]
        for a in range(2):
            hand, fruit = int(s.hand[a]), int(s.holds[a])
            around = [s.at[a] + ahead(facing, avatars.stride(s)) for facing in range(4)]
            if (hand or fruit) and s.away[a]:
                return "a child that is away has a hand"
            if hand and hand not in around:
                return "a hand is too far away"
            if hand:
                food[hand] |= HANDS[a]
            if fruit and (fruit not in homes[~eaten] or s.spot[fruit] not in around or fruit == s.holds[1 - a]):
                return "an agent holds a fruit that it cannot hold"
        return "food does not show plants, fruit and hands" if (food != s.food).any() else None

    def status(self, s: Any, agent: int) -> str:
        if agent == PARENT:
            return ""  # the page says all
        return f"You are out after {avatars.more_turns(int(s.hunger))} without a banana."

    def tally(self, grid: np.ndarray) -> list[tuple[int, str, int]]:
        return []


env, raw_env, parallel_env = pettingzoo_forms(Daycare)
