"""FruitMarket: farmers of apples and of bananas like the other fruit better, and barter for it (Melting Pot).

**Rules.** Agents walk a map of 29 x 29 cells with apple and banana trees. Agents with even numbers farm apples, agents
with odd numbers farm bananas.

- *Harvest.* An agent that stands on a tree with fruit at the start of a step gets two fruits: with probability
  `own_chance` if it farms them, else with probability `other_chance`. It may walk on in the same step. The tree is then
  bare for `regrowth` steps. Trees do not block the way.
- *Meals.* A fruit of the kind that an agent farms is worth 1 to it. A fruit of the other kind is worth `treat`.
- *Offers.* An offer gives 1 to 3 of a fruit for 1 or 2 of the other. It stands until the agent trades, cancels it or
  makes another one. It is public while the agent has what it gives.
- *Trade.* Two public offers match if each gives at least what the other wants, and the agents are at most `radius`
  cells apart (Euclidean). Then each agent gets what it wants, and both offers are over. An agent does not trade with
  another one if a third one that also matches is better: it gives as much and wants less, or wants as much and gives
  more. Agents trade in random order; of several partners, an agent takes a random one.
- *Grip.* `hold` reaches two cells ahead, up to the first agent or wall, and shows as a beam. The agent there is held:
  in the next step it can neither hold, walk nor turn, and the holder can neither walk nor turn. This replaces a longer
  freeze of theirs. `shove` and `pull` hold as well. Then they move the first agent in their reach that anybody holds,
  one cell in the direction that its last holder faces, or back, if that cell is free. A pull goes through walls.

Stamina is a number from 0 to 18.

- Every second walk costs 1, also if the way is blocked. A step without a walk restores 1, but not on a tree.
- A step in the river costs 1, counted at the cell where the step begins. From `hunger` steps after the last meal on,
  each step costs 1.
- After a walk that leaves 1 to 6 (yellow), the agent can neither walk nor turn for two steps; after one that leaves 0
  (red), for six. In these steps walks cost nothing, and rest restores nothing.

The order within a step:

1. Agents make offers and eat, freezes begin and end, stamina changes.
2. Agents harvest, then trade, where they stood before the step. Trees grow fruit.
3. All agents walk and turn, in random order. If several want a cell, a random one gets it.
4. Agents hold, then shove and pull, each in random order.

**Agents.** `player_0` ... `player_15`, or 2 to 16 agents.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below |
| stamina | Box (agents,) uint8 | the agent's own stamina; of agents in view up to 13, which their bars show; others 0 |
| doing | Box (agents,) uint8 | of the same: 1 tried to hold in this step, 2 was held in it or the one before |
| ground | Box (agents,) uint8 | of the same: what they stand on, a code of the view; others 0 |
| farms | Box (agents,) uint8 | 0 for agents that farm apples, 1 for bananas |
| offers | Box (agents, 2) int8 | public offers within `radius`: apples and bananas wanted, or given if less than 0 |
| fruit | Box (2,) int32 | the apples and bananas that the agent has |
| hunger | Box (1,) int32 | the steps since it ate, or since the start |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 3, 4 | apple tree, banana tree, with fruit |
| 5 | the agent itself |
| 6, 7 | apple tree, banana tree, bare |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 to the observer's right, 2 back, 3 left |
| 72 | river |
| + 128 | a hold went over this cell in this step |

**Actions.** Discrete (25), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | rests |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7, 8 | `eat apple`, `eat banana` | |
| 9-11 | `hold`, `shove`, `pull` | |
| 12 | `cancel offer` | |
| 13-18 | `offer 3 apples for 1 banana`, ... | 3 apples for 1 and for 2 bananas, then 2 apples, then 1 |
| 19-24 | `offer 3 bananas for 1 apple`, ... | 3, 2 and 1 bananas for 1 apple, then for 2 |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. The keys q and e eat an apple and a banana. Space holds, f shoves and
r pulls. The keys 1 to 6 make the offers of apples, z, x, v, b, n and m those of bananas, and c cancels.

**Rewards.** 1 for a fruit of the kind that the agent farms, `treat` for one of the other kind.

**Ends.** Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 16 | number of agents, from 2 to 16 |
| `form` | rivers | the map: rivers, with three rivers around the middle, or open |
| `horizon` | 1000 | steps until truncation, from 1 to 1,000,000 |
| `apple_trees` | 0.05 | probability that a cell of land is an apple tree, from 0 to 0.5 |
| `banana_trees` | 0.05 | the same for banana trees, from 0 to 0.5 |
| `own_chance` | 1.0 | probability to harvest a fruit that one farms, from 0 to 1 |
| `other_chance` | 0.04 | the same for the other fruit, from 0 to 1 |
| `treat` | 8.0 | reward for a fruit of the other kind, from 0 to 1,000,000 |
| `hunger` | 50 | steps without a meal until stamina falls, from 1 to 1,000,000 |
| `radius` | 4 | distance in cells within which agents trade and see offers, from 0 to 30 |
| `regrowth` | 50 | steps that a tree is bare, from 1 to 999,999 |

**Level.** ``{"map": [29 strings of 29 letters]}``: ``#`` wall, ``.`` floor, ``~`` river, ``a`` apple tree, ``b`` banana
tree; ``s``, ``A`` and ``B`` are floor and trees where agents start. Without a level, every episode has a new map from
`envsuite.social.fruit_market.levels`.

**Metrics.** The record counts `harvests` and `meals` by agent and fruit, `trades` by agent, and the fruits `exchanged`
in each quarter of the map. `envsuite.evaluation.metrics` makes prices (`exchange_rate`) and `specialisation` of them.

**Known values.** Melting Pot's configuration: an agent harvests its own fruit with probability 1 and the other one with
probability 0.04, two at a time. The other one is worth 8, the own one 1. Sum of all rewards in 1000 steps of uniformly
random play, mean +- standard error:

| | sum |
|---|---|
| Melting Pot, 12 episodes | 328 +- 30 |
| this world with Melting Pot's map as the level, 128 episodes | 338 +- 9 |
| this world, 128 episodes | 341 +- 9 |
| this world, `form="open"`, 128 episodes | 494 +- 11 |

**Differences.** From Melting Pot's `fruit_market__concentric_rivers`:

- Every episode has a new map. There, the rivers and the places where agents start are fixed, and only trees are new.
- Symbols replace RGB pictures. Offers come with the numbers of their agents; there, they are a list without names.
- There, harvests and trades of a step have an order that differs between runs, by the order of a table of Lua. In the
  same way, a fixed one of several partners is chosen there.
- Melting Pot's documentation says that offers trade only if their numbers are the same. Its code trades the smaller
  numbers of the two, and so does this world.
- `hunger` counts steps; there, it is the share of the 50 steps that are over. Whether an agent can hold follows from
  `doing`; there, it is a part of its own.

**Source.** Agapiou et al., "Melting Pot 2.0", 2022; its code at commit 81ee2e7, and Lab2D's for the order of events;
after Johanson et al., "Emergent Bartering Behaviour in Multi-Agent Reinforcement Learning", 2022.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import listed
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.core.ranges import MANY, among, below, flag, limited, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import avatars
from envsuite.kit.grid import BACKWARD, ahead, random_spot
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, Shape, avatar, moved
from envsuite.render.theme import agent_color
from envsuite.social.fruit_market import levels as groves
from envsuite.social.fruit_market import pages
from envsuite.social.fruit_market.levels import FORMS, LEGEND, SIZE, Form, tree

FRUITS = ("apple", "banana")
APPLE, BANANA = range(2)

#: Each offer: the apples and bananas that the agent wants (more than 0) and gives (less than 0).
OFFERS = np.array([(a, b) for a in range(-3, 3) for b in range(-3, 3) if a * b < 0], np.int8)


def some(count: int, fruit: str) -> str:
    """A number of fruits."""
    return f"{count} {fruit}{'' if count == 1 else 's'}"


def _offer_in_words(apples: int, bananas: int) -> str:
    """What an offer gives, for what."""
    sides = [some(abs(count), fruit) for count, fruit in ((apples, "apple"), (bananas, "banana"))]
    return " for ".join(sides if apples < 0 else sides[::-1])


ACTIONS = (
    *avatars.MOVES,
    "eat apple",
    "eat banana",
    "hold",
    "shove",
    "pull",
    "cancel offer",
    *(f"offer {_offer_in_words(*offer)}" for offer in OFFERS.tolist()),
)
EAT, HOLD, SHOVE, PULL, CANCEL = (len(avatars.MOVES) + k for k in (0, 2, 3, 4, 5))
OFFER = CANCEL + 1

#: Codes of cells in addition to those of `envsuite.kit.avatars`: trees with fruit, trees without, by fruit; a river.
RIPE, BARE, RIVER = np.array([3, 4]), np.array([6, 7]), avatars.OWN

#: What `doing` can be.
HOLDS, HELD = 1, 2

#: Stamina at most; the least that is green; the least that shows no bar.
MOST, GREEN, FRESH = 18, 7, 13

#: Steps of a freeze after a walk that leaves a stamina of 0, and one below GREEN.
_RED_FREEZE, _YELLOW_FREEZE = 6, 2
#: The steps in which both agents of a hold cannot walk and the one that is held cannot hold, this one included.
_GRIP = 2
#: Cells that a hold, a shove and a pull reach.
_REACH = 2

#: Fruits that a tree gives at a time.
_YIELD = 2
#: The most steps in which a tree can be bare.
_LONGEST = 1_000_000
_STOPS, _FREE = avatars.tables()
_KIND = np.array(
    [avatars.WALL, avatars.FLOOR, RIVER, RIPE[APPLE], RIPE[BANANA], avatars.FLOOR, RIPE[APPLE], RIPE[BANANA]], np.uint8
)
_STARTS = (groves.START, groves.APPLE_START, groves.BANANA_START)
_IS_TREE = np.isin(np.arange(256), [*RIPE, *BARE])
#: The fruit of each code of a tree with fruit, and -1 for all others.
_RIPE_FRUIT = np.full(256, -1)
_RIPE_FRUIT[RIPE] = APPLE, BANANA


def fields(players: int) -> list[tuple]:
    """The record's own fields."""
    count = within(np.int64, 0, MANY)
    return [
        *avatars.fields(players, SIZE, SIZE, len(LEGEND)),
        ("fruit", count, (players, 2)),  # apples and bananas that an agent has
        ("offer", within(np.int8, -3, 2), (players, 2)),  # one of OFFERS, or zeros
        ("fed", within(np.int64, 0, _LONGEST), (players,)),  # steps since an agent ate, or the start
        ("stamina", below(np.int64, MOST + 1), (players,)),
        ("half", flag(), (players,)),  # whether the next walk costs stamina; every second one does
        ("walked", flag(), (players,)),  # whether the last act while not tired was a walk
        ("tired", within(np.int64, 0, _RED_FREEZE), (players,)),  # steps in which walks do not count and rest is none
        ("still", within(np.int64, 0, _RED_FREEZE), (players,)),  # steps in which an agent cannot walk or turn
        ("grip", within(np.int64, 0, _GRIP), (players,)),  # steps in which an agent is held and cannot hold
        ("holds", flag(), (players,)),  # whether an agent holds, or tried to, in this step
        ("holder", within(np.int64, -1, players - 1), (players,)),  # the last one that holds an agent in this step
        ("aim", within(np.int64, -1, players - 1), (players,)),  # whom an agent shoves or pulls in this step
        *avatars.list_fields("bare_count", "bare", SIZE, SIZE),  # bare trees
        ("wait", within(np.int32, 0, _LONGEST), (SIZE * SIZE,)),  # steps until each of them has fruit
        *avatars.list_fields("start_count", "starts", SIZE, SIZE),  # where agents start
        ("harvests", count, (players, 2)),  # fruits harvested, by agent and kind; this and the rest count for metrics
        ("meals", count, (players, 2)),  # fruits eaten
        ("trades", count, (players,)),
        ("exchanged", count, (4, 2)),  # fruits that changed hands in the north-west, north-east, south-west, south-east
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        groves.groves(s, s.map, s.params.form, s.params.trees[0], s.params.trees[1])
    avatars.lay(s, _KIND)
    s.bare_count = s.start_count = 0
    for y in range(SIZE):
        for x in range(SIZE):
            if s.map[y, x] >= groves.START:
                s.starts[s.start_count] = avatars.cell_at(s, y, x)
                s.start_count += 1
    for k in range(4):
        s.exchanged[k, APPLE] = s.exchanged[k, BANANA] = 0
    avatars.begin(s)
    for a in range(s.at.shape[0]):
        begin(s, a)
        avatars.place(s, a, random_spot(s, s.starts, s.start_count, s.cells, _FREE))


@kernel
def begin(s, a):
    """An agent is rested and has nothing."""
    for fruit in range(2):
        s.fruit[a, fruit] = 0
        s.offer[a, fruit] = 0
        s.harvests[a, fruit] = 0
        s.meals[a, fruit] = 0
    s.trades[a] = 0
    s.fed[a] = 0
    s.stamina[a] = MOST
    s.half[a] = 0
    s.walked[a] = 0
    s.tired[a] = 0
    s.still[a] = 0
    s.grip[a] = 0
    s.holds[a] = 0
    s.holder[a] = -1
    s.aim[a] = -1


@kernel
def farms(a):
    """The fruit that an agent farms."""
    return a & 1


@kernel
def step(s, actions, rewards):
    avatars.dim(s)
    players = s.at.shape[0]
    for a in range(players):
        s.still[a] = max(s.still[a] - 1, 0)
        s.grip[a] = max(s.grip[a] - 1, 0)
        speak(s, a, actions[a])
        eat(s, a, actions[a], rewards)
        freeze(s, a)
        tire(s, a, actions[a])
    harvest(s)
    trade_all(s)
    ripen(s)
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if s.still[a] == 0:
            avatars.move(s, a, actions[a], _FREE)
    grapple(s, actions)
    if s.t >= s.params.horizon:
        fill(s.truncated, 1)


@kernel
def speak(s, a, action):
    """Make or cancel an offer."""
    if action >= CANCEL:
        for fruit in range(2):
            s.offer[a, fruit] = OFFERS[action - OFFER, fruit] if action >= OFFER else 0


@kernel
def eat(s, a, action, rewards):
    """Eat the own fruit for 1, the other for more."""
    s.fed[a] += 1
    fruit = action - EAT
    if 0 <= fruit < 2 and s.fruit[a, fruit] > 0:
        s.fruit[a, fruit] -= 1
        s.meals[a, fruit] += 1
        s.fed[a] = 0
        rewards[a] += 1.0 if fruit == farms(a) else s.params.treat


@kernel
def freeze(s, a):
    """A freeze ends, or begins after a walk with little stamina."""
    if s.tired[a] > 0:
        s.tired[a] -= 1
    elif s.walked[a] and s.stamina[a] < GREEN:
        s.still[a] = s.tired[a] = _RED_FREEZE if s.stamina[a] == 0 else _YELLOW_FREEZE


@kernel
def tire(s, a, action):
    """Hunger, walks and rivers cost stamina; rest restores it, but not on a tree."""
    cost = np.int64(s.fed[a] >= s.params.hunger)
    s.stamina[a] = max(s.stamina[a] - cost, 0)
    if s.tired[a] == 0:
        s.walked[a] = avatars.STEP_FORWARD <= action <= avatars.STEP_RIGHT
        if s.walked[a]:
            s.stamina[a] = max(s.stamina[a] - s.half[a], 0)
            s.half[a] = 1 - s.half[a]
        elif not _IS_TREE[s.under[a]]:
            s.stamina[a] = min(s.stamina[a] + 1, MOST)
    if s.under[a] == RIVER:
        s.stamina[a] = max(s.stamina[a] - 1, 0)


@kernel
def wanted(s, a):
    """The fruit that an agent's public offer asks for; -1 without one. It is public while the agent can keep it."""
    if s.offer[a, APPLE] == 0:
        return np.int64(-1)
    fruit = np.int64(s.offer[a, APPLE] < 0)
    return fruit if s.fruit[a, 1 - fruit] + s.offer[a, 1 - fruit] >= 0 else np.int64(-1)


@kernel
def near(s, a, b):
    """Whether an agent is within the radius of trade."""
    wide = avatars.stride(s)
    down, right = s.at[b] // wide - s.at[a] // wide, s.at[b] % wide - s.at[a] % wide
    return down * down + right * right <= s.params.radius * s.params.radius


@large_kernel
def trade_all(s):
    """Agents with public offers trade, in random order."""
    apples = bananas = 0
    players = s.at.shape[0]
    for a in range(players):
        fruit = wanted(s, a)
        apples += fruit == APPLE
        bananas += fruit == BANANA
    if apples > 0 and bananas > 0:
        shuffle(s, s.order, players)
        for k in range(players):
            a = s.order[k]
            if wanted(s, a) >= 0:
                b = partner(s, a)
                if b >= 0:
                    trade(s, a, b)


@kernel
def fits(s, a, b):
    """Whether each of two agents gives at least what the other one wants, within the radius."""
    mine, other = wanted(s, a), wanted(s, b)
    if mine < 0 or mine + other != 1 or not near(s, a, b):
        return False
    return s.offer[a, mine] + s.offer[b, mine] <= 0 and s.offer[a, other] + s.offer[b, other] <= 0


@kernel
def outbid(s, a, b):
    """Whether another offer is better for an agent than that of `b`: for no fruit worse, for one better."""
    for c in range(s.at.shape[0]):
        if fits(s, a, c):
            apples, bananas = s.offer[c, APPLE] - s.offer[b, APPLE], s.offer[c, BANANA] - s.offer[b, BANANA]
            if apples <= 0 and bananas <= 0 and apples + bananas < 0:
                return True
    return False


@kernel
def partner(s, a):
    """A random one of the agents that an agent trades with, none of which is outbid, nor the agent itself; or -1."""
    found, count = np.int64(-1), 0
    for b in range(s.at.shape[0]):
        if fits(s, a, b) and not outbid(s, a, b) and not outbid(s, b, a):
            count += 1
            if count == 1 or randint(s, count) == 0:
                found = np.int64(b)
    return found


@kernel
def trade(s, a, b):
    """Each of two agents gets what it wants; their offers are over."""
    wide = avatars.stride(s)
    y, x = s.at[a] // wide - avatars.BORDER, s.at[a] % wide - avatars.BORDER
    area = 2 * (2 * y >= SIZE) + (2 * x >= SIZE)
    for fruit in range(2):
        gain = np.int64(s.offer[a, fruit] if s.offer[a, fruit] > 0 else -s.offer[b, fruit])
        s.fruit[a, fruit] += gain
        s.fruit[b, fruit] -= gain
        s.exchanged[area, fruit] += abs(gain)
        s.offer[a, fruit] = 0
        s.offer[b, fruit] = 0
    for c in (a, b):
        s.trades[c] += 1


@kernel
def harvest(s):
    """Agents on trees with fruit try to harvest."""
    for a in range(s.at.shape[0]):
        fruit = _RIPE_FRUIT[s.under[a]]
        if fruit >= 0:
            chance = s.params.chances[0 if fruit == farms(a) else 1]
            if chance >= 1.0 or bernoulli(s, chance):
                s.fruit[a, fruit] += _YIELD
                s.harvests[a, fruit] += _YIELD
                s.under[a] = BARE[fruit]
                s.bare[s.bare_count] = s.at[a]
                s.wait[s.bare_count] = s.params.regrowth + 1
                s.bare_count += 1


@kernel
def ripen(s):
    """Bare trees wait for fruit, those of this step one step more."""
    for k in range(s.bare_count - 1, -1, -1):
        s.wait[k] -= 1
        if s.wait[k] == 0:
            cell = np.int64(s.bare[k])
            s.bare_count -= 1
            s.bare[k] = s.bare[s.bare_count]
            s.wait[k] = s.wait[s.bare_count]
            code = s.cells[cell]
            if avatars.PLAYER <= code & (avatars.LIT - 1) < avatars.OWN:
                s.under[((code & (avatars.LIT - 1)) - avatars.PLAYER) >> 2] -= BARE[0] - RIPE[0]
            else:
                s.cells[cell] -= BARE[0] - RIPE[0]


@large_kernel
def grapple(s, actions):
    """Agents hold those ahead, then shove and pull the ones that are held, each in random order."""
    players, holders, pushers = s.at.shape[0], 0, 0
    for a in range(players):
        s.holder[a] = -1
        s.aim[a] = -1
        s.holds[a] = HOLD <= actions[a] <= PULL and s.grip[a] == 0
        holders += s.holds[a]
        pushers += s.holds[a] and actions[a] > HOLD
    if holders > 0:
        if holders > 1:
            shuffle(s, s.order, players)
        for k in range(players):
            if s.holds[s.order[k]]:
                hold(s, s.order[k])
    if pushers > 0:
        if pushers > 1:
            shuffle(s, s.order, players)
        for a in range(players):
            if s.holds[a] and actions[a] > HOLD:
                s.aim[a] = held_ahead(s, a, actions[a] == PULL)
        for k in range(players):
            a = s.order[k]
            if s.aim[a] >= 0:
                push(s, np.int64(s.aim[a]), actions[a] == PULL)


@kernel
def hold(s, a):
    """Hold the first agent in reach: then neither of the two can walk, and that one cannot hold."""
    end = avatars.fire(s, s.cells, a, _REACH, 0, _STOPS)
    code = s.cells[s.lit[end - 1]] & (avatars.LIT - 1)
    if avatars.PLAYER <= code < avatars.OWN:
        b = (np.int64(code) - avatars.PLAYER) >> 2
        s.holder[b] = a
        s.grip[b] = s.still[b] = s.still[a] = _GRIP
    avatars.light(s, end, _STOPS)


@kernel
def held_ahead(s, a, through):
    """The first agent in reach that is held, or -1; a shove ends at walls, a pull goes through."""
    cell = s.at[a]
    for _ in range(_REACH):
        cell += ahead(s.facing[a], avatars.stride(s))
        code = s.cells[cell] & (avatars.LIT - 1)
        if avatars.PLAYER <= code < avatars.OWN:
            b = (np.int64(code) - avatars.PLAYER) >> 2
            if s.holder[b] >= 0:
                return b
        elif code == avatars.WALL and not through:
            break
    return np.int64(-1)


@kernel
def push(s, b, back):
    """Move an agent one cell as its last holder faces, or back, if that cell is free."""
    there = s.at[b] + ahead(s.facing[s.holder[b]] + (BACKWARD if back else 0), avatars.stride(s))
    if _FREE[s.cells[there]]:
        before, beam = s.at[b], s.cells[s.at[b]] & avatars.LIT
        avatars.leave(s, b)
        s.cells[before] |= beam
        avatars.enter(s, b, there)


@large_kernel
def observe(s, agent, out):
    view = out["view"]
    avatars.watch(s, agent, view)
    for a in range(s.at.shape[0]):
        out.stamina[a] = 0
        out.doing[a] = 0
        out.ground[a] = 0
        out.farms[a] = farms(a)
        public = wanted(s, a) >= 0 and near(s, agent, a)
        for fruit in range(2):
            out.offers[a, fruit] = s.offer[a, fruit] if public else 0
    for i in range(view.shape[0]):
        for j in range(view.shape[1]):
            code = np.int64(view[i, j]) & (avatars.LIT - 1)
            if avatars.PLAYER <= code < avatars.OWN:
                a = (code - avatars.PLAYER) >> 2
                show_agent(s, a, out)
                out.stamina[a] = min(s.stamina[a], FRESH)
    show_agent(s, agent, out)
    out.stamina[agent] = s.stamina[agent]
    for fruit in range(2):
        out.fruit[fruit] = s.fruit[agent, fruit]
    out.hunger[0] = s.fed[agent]


@kernel
def show_agent(s, a, out):
    """What others see of an agent but its stamina."""
    out.doing[a] = HELD if s.grip[a] > 0 else HOLDS * s.holds[a]
    out.ground[a] = s.under[a]


class FruitMarket(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("commons", "markets")
    verified = "Melting Pot in lock-step: six recorded episodes of its engine on our maps, and its rules one by one"
    variants = (dict(players=3, form="open", hunger=5, regrowth=2, other_chance=0.5, banana_trees=0.3, horizon=300),)
    shown = "trader"
    keys = {
        **avatars.AvatarWorld.keys,
        "q": "eat apple",
        "e": "eat banana",
        "space": "hold",
        "f": "shove",
        "r": "pull",
        "c": "cancel offer",
        **dict(zip("123456zxvbnm", ACTIONS[OFFER:])),
    }
    legend = LEGEND
    things = {
        int(RIPE[APPLE]): "Apple trees",
        int(RIPE[BANANA]): "Banana trees",
        int(BARE[APPLE]): "Bare apple trees",
        int(BARE[BANANA]): "Bare banana trees",
        RIVER: "River",
    }
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        players: Annotated[int, Between(2, avatars.MOST_PLAYERS)] = 16,
        form: Form = "rivers",
        horizon: Annotated[int, Between(1, 1_000_000)] = 1000,
        apple_trees: Annotated[float, Between(0, 0.5)] = 0.05,
        banana_trees: Annotated[float, Between(0, 0.5)] = 0.05,
        own_chance: Annotated[float, Between(0, 1)] = 1.0,
        other_chance: Annotated[float, Between(0, 1)] = 0.04,
        treat: Annotated[float, Between(0, 1_000_000)] = 8.0,
        hunger: Annotated[int, Between(1, 1_000_000)] = 50,
        radius: Annotated[int, Between(0, 30)] = 4,
        regrowth: Annotated[int, Between(1, _LONGEST - 1)] = 50,
    ):
        self.players = players
        own = (players,)
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=Dict(
                {
                    "view": self.view_spaces(RIVER)["view"],
                    "stamina": Box(0, MOST, own, np.uint8),
                    "doing": Box(0, HELD, own, np.uint8),
                    "ground": Box(0, RIVER, own, np.uint8),
                    "farms": Box(0, 1, own, np.uint8),
                    "offers": Box(-3, 2, (players, 2), np.int8),
                    "fruit": Box(0, np.iinfo(np.int32).max, (2,), np.int32),
                    "hunger": Box(0, _LONGEST, (1,), np.int32),
                }
            ),
            fields=fields(players),
            params={
                "form": among(FORMS, form),
                "trees": limited(np.array([apple_trees, banana_trees], float), 0.0, 0.5),
                "chances": limited(np.array([own_chance, other_chance], float), 0.0, 1.0),
                "treat": treat,
                "hunger": hunger,
                "radius": radius,
                "regrowth": regrowth,
                "horizon": horizon,
            },
            reward_range=(0.0, max(1.0, float(treat))),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        if (count := len(avatars.cells_of(s, *_STARTS))) < self.players:
            raise LevelError(
                f"{self.id}: the level's map has {count} starts ('s', 'A' and 'B'); "
                f"{self.players} agents need {self.players} or more"
            )

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        starts = avatars.cells_of(s, *_STARTS)
        if len(starts) < self.players or not avatars.are_listed(s.starts, s.start_count, starts):
            return "starts does not list where agents start, or these are too few"
        letters = np.full(ground.shape, avatars.OUTSIDE)
        letters.reshape(SIZE + 2 * avatars.BORDER, -1)[
            avatars.BORDER : -avatars.BORDER, avatars.BORDER : -avatars.BORDER
        ] = _KIND[s.map]
        bare = np.isin(ground, BARE)
        if (np.where(bare, ground - (BARE[0] - RIPE[0]), ground) != letters).any():
            return "the ground is not that of the map"
        if not avatars.are_listed(s.bare, s.bare_count, np.flatnonzero(bare)):
            return "bare does not list the bare trees"
        if (s.wait[: s.bare_count] < 1).any():
            return "a bare tree does not wait for fruit"
        if not np.isin(10 * s.offer[:, APPLE] + s.offer[:, BANANA], [0, *(OFFERS @ [10, 1])]).all():
            return "an offer is not one that can be made"
        if max(s.fed.max(), s.trades.max(), s.meals.max()) > s.t:
            return "an agent has waited, traded or eaten more often than steps have passed"
        if max(s.fruit.max(), s.harvests.max()) > 5 * s.t or s.exchanged.max() > 4 * self.players * s.t:
            return "there is more fruit than trees can have given"
        return None

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        codes = np.unique((np.asarray(seen["view"]) & (avatars.LIT - 1)).astype(int))
        others = (codes[(codes >= avatars.PLAYER) & (codes < avatars.OWN)] - avatars.PLAYER) >> 2
        states: dict[str, list[str]] = {}
        for a in others:
            states.setdefault(f"{FRUITS[farms(a)]}s, {self._condition(seen, a, FRESH)}", []).append(self.agents[a])
        told = [f"{listed(names)} {'farm' if names[1:] else 'farms'} {state}" for state, names in states.items()]
        offers = [
            f"{self.agents[a]} gives {_offer_in_words(*offer)}"
            for a, offer in enumerate(np.asarray(seen["offers"]).tolist())
            if a != agent and any(offer)
        ]
        return (
            super().text(s, agent)
            + f"\nTheir condition: {'; '.join(told) if told else 'nobody in view'}."
            + f"\nOffers within reach: {'; '.join(offers) if offers else 'none'}."
        )

    def status(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        apples, bananas = map(int, seen["fruit"])
        offer = np.asarray(seen["offers"]).tolist()[agent]
        return (
            f"You farm {FRUITS[farms(agent)]}s and have {some(apples, 'apple')} and {some(bananas, 'banana')}. "
            f"Your offer: {_offer_in_words(*offer) if any(offer) else 'none'}. "
            f"Your condition: {self._condition(seen, agent, MOST)}, {some(int(seen['hunger'][0]), 'turn')} since you "
            f"ate or began."
        )

    def _condition(self, seen: Any, a: int, most: int) -> str:
        """The stamina of an agent, what it does, and what it stands on; a stamina of `most` may be more."""
        stamina, doing, ground = (int(seen[part][a]) for part in ("stamina", "doing", "ground"))
        words = [f"stamina {stamina}{' or more' if stamina == most and most < MOST else ''}"]
        words += [("", "holding", "held")[doing]] if doing else []
        words += [f"on {_GROUND[ground]}"] if ground in _GROUND else []
        return ", ".join(words)

    def figure(self, s: Any, a: int, viewer: int | None, x: float, y: float, facing: int) -> list[Shape]:
        """A dot in the color of what an agent farms, raised arms of one that holds, a disc behind one that is held.

        A bar shows a stamina below 13, a bubble an offer: what is given, then what is wanted. Agents see offers and
        what others stand on beside their view.
        """
        shapes: list[Shape] = []
        if viewer is not None and s.under[a] != avatars.FLOOR:
            place = Scene(1, 1)
            self.ground(s, place, 0, 0, int(s.under[a]))
            shapes += [moved(shape, x - 0.5, y - 0.5, 1) for shape in place.shapes]
        if s.grip[a]:
            shapes.append(Circle(x, y, 0.46, "purple@0.4", glyph=""))
        elif s.holds[a]:
            shapes += [Line([(x + i * 0.3, y), (x + i * 0.46, y - 0.46)], "ink", 0.11) for i in (-1, 1)]
        shapes += avatar(x, y, facing, agent_color(a), text=str(a))
        shapes.append(Circle(x - 0.3, y + 0.32, 0.14, ("red", "yellow")[farms(a)], "white", 0.04, glyph=""))
        stamina = int(s.stamina[a])
        if stamina < FRESH:
            color = "bad" if stamina == 0 else "yellow" if stamina < GREEN else "good"
            shapes.append(Rect(x - 0.42, y - 0.48, 0.84, 0.13, "shadow", glyph=""))
            shapes.append(Rect(x - 0.4, y - 0.465, max(0.08, 0.8 * stamina / (FRESH - 1)), 0.1, color, glyph=""))
        if wanted(s, a) >= 0 and (viewer is None or near(s, viewer, a)):
            shapes += _bubble(x + 0.22, y + 0.34, *map(int, s.offer[a]))
        return shapes

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        if code == RIVER:
            scene.add(Rect(x, y, 1, 1, "water", glyph="~"))
        else:
            scene.add(*tree(x, y, code in (RIPE[BANANA], BARE[BANANA]), code in RIPE))


#: What agents stand on, in words.
_GROUND = {int(codes[k]): f"{what} {FRUITS[k]} tree" for codes, what in ((RIPE, "a"), (BARE, "a bare")) for k in (0, 1)}
_GROUND |= {int(RIPE[APPLE]): "an apple tree", RIVER: "the river"}


def _bubble(x: float, y: float, apples: int, bananas: int) -> list[Shape]:
    """An offer: what is given, then what is wanted, in the colors of the fruits."""
    sides = [(abs(apples), "red"), (abs(bananas), "yellow")]
    shapes: list[Shape] = [Rect(x - 0.28, y - 0.14, 0.56, 0.28, "white", "black", 0.03, radius=0.08, glyph="")]
    for k, (count, color) in enumerate(sides if apples < 0 else sides[::-1]):
        middle = x - 0.14 + 0.28 * k
        shapes.append(Circle(middle, y, 0.12, color, glyph=""))
        shapes.append(Label(middle, y, str(count), 0.22, "white" if color == "red" else "black", terminal=False))
    return shapes


env, raw_env, parallel_env = pettingzoo_forms(FruitMarket)
