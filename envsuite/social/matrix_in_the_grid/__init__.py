"""MatrixInTheGrid: gather resources that stand for the actions of a matrix game, then meet to play it (Melting Pot).

**Rules.** Agents walk an arena with resources of K classes, one class for each row of a payoff table.

- *Resources.* An agent that walks onto a resource takes it. An inventory begins with one of each class. An agent is
  ready once it has taken a resource.
- *Beams.* An interaction beam covers 3 cells ahead, and on both sides 3 cells from beside the agent on. It ends at
  walls, agents and resources.
- *Interactions.* When a beam ends at another agent and both agents are ready, they interact. Both are frozen for 17
  steps. In the last of these steps, each is paid: the shares of its inventory are the probabilities of the rows or
  columns of the table. Inventories start again. Both agents are away for the observations that their form says and one
  more, then back at a random start.
- *One partner.* An agent that hit another agent or was hit, ready or not, does not interact with a further agent in
  that step.
- *Damage.* A resource that is hit three times is gone, and the third beam continues. Damage lasts.
- *Regrowth.* Where a resource was taken or destroyed, one of its class comes back after a delay, with a probability at
  each step. It does not come back if an agent stands there before the step. An agent that walks there in that very step
  takes it.

The order within a step:

1. All agents move, in random order. If several want a cell, a random one gets it.
2. Beams go off in the same order.
3. Agents come back, then resources.
4. Agents are paid.

| | `form="arena"` | `form="repeated"` |
|---|---|---|
| players | 8 | 2 |
| map | 25 x 24, 36 to 75 sites, starts in the corners | 23 x 15, 33 to 47 sites, 13 starts |
| view | 11 x 11: 9 ahead, 1 behind, 5 to each side | 5 x 5: 3 ahead, 1 behind, 2 to each side |
| away for | 50 + 1 observations | 5 + 1; once all are away, all resources come back |
| resources come back | after 10 steps, 0.04 a step | after 10 steps (running with scissors: 15), 0.02 a step |

The last column lists what differs from `end_probability` 0.2 in arenas and 0.1 in repeated games.

| game | classes | payoffs of the row player | exceptions |
|---|---|---|---|
| `prisoners_dilemma` | cooperate, defect | 3 0 / 5 1 | arena 0.15 |
| `stag_hunt` | stag, hare | 4 0 / 2 2 | arena 0.1; repeated has `horizon` 2500; more hares than stags |
| `chicken` | dove, hawk | 3 2 / 5 0 | |
| `battle_of_the_sexes` | bach, stravinsky | 3 0 / 0 2; of the column player: 2 0 / 0 3 | |
| `pure_coordination` | first, second, third | 1 0 0 / 0 1 0 / 0 0 1 | |
| `rationalizable_coordination` | one, two, three | 1 0 0 / 0 2 0 / 0 0 3 | |
| `running_with_scissors` | rock, paper, scissors | 0 -10 10 / 10 0 -10 / -10 10 0, zero-sum | repeated 0.2 |
| `custom` | resource 1, resource 2, ... | `payoffs` | |

**Agents.** `player_0`, `player_1`, ... With `roles`, the default of battle_of_the_sexes, the first half of the agents
are row players and the others column players. Only a row player and a column player interact. Without roles, the agent
that fires is the row player. This makes a difference in custom games only: in the others, both players have the same
payoffs.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) or (5, 5) uint8 | the cells around the agent, see below |
| ready | Box (1,) float32 | 1 if the agent's beam is ready, less while it cools down |
| inventory | Box (K,) int32 | the agent's resources by class |
| interaction | Box (2, K) int32 | inventories of the agent and its partner after an interaction in this step; else -1 |
| status | Box (players,) uint8 | for each agent in view, the observer included, see below; 0 for agents out of view |
| role | Discrete (3) | 1 row player, 2 column player, 0 without roles |

The view is turned so that the agent looks up: row 0 is farthest ahead, and the agent itself is in the middle column of
the second row from the bottom.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 5 | the agent itself |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 to the observer's right, 2 back, 3 left |
| 72 + c | resource of class c |
| + 128 | a beam went over this cell in this step |

| status | meaning |
|---|---|
| 1 | not ready to interact |
| 2 | ready |
| 3 to 7 | frozen; the coming payment, in five equal parts from the lowest to the highest payoff |

**Actions.** Discrete (8), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `interact` | fires the interaction beam |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space interacts.

**Rewards.** In an interaction, let p be the shares of the row player's inventory and q those of the column player's.
They get p' A q and p' B q for their payoff tables A and B.

**Ends.** Truncated after `horizon` steps. Before that, the episode may terminate after step 1099 and every 100 steps
later, each time with probability `end_probability`. The reference does so at the same steps: its clock is one ahead of
its steps.

**Parameters.** None stands for the numbers in the tables above.

| name | default | meaning |
|---|---|---|
| `game` | prisoners_dilemma | a game of the table |
| `form` | arena | or repeated |
| `payoffs` | None | nested lists of shape (2, K, K), K from 2 to 8, of the row and the column player |
| `players` | None | number of agents, from 2 to 16; repeated, to 13 |
| `roles` | None | whether agents are row or column players |
| `horizon` | None | steps until truncation, from 1 to 1,000,000; 5000 except as in the table of games |
| `end_probability` | None | probability of an earlier end, from 0 to 1, see above |
| `growth` | None | probability that a resource comes back in a step, from 0 to 1 |
| `delay` | None | steps before a resource can come back, from 1 to 100,000 |
| `respawn` | None | observations for which agents are away, less one, from 0 to 100,000 |
| `freeze` | 16 | steps from the interaction to the payment, less one, from 0 to 100,000 |
| `cooldown` | 2 | steps between two beams, not counting those of the beams, from 1 to 1000 |

The `payoffs` replace the numbers of a named game, or belong to ``game="custom"``.

**Level.** ``{"map": [24 strings of 25 letters]}``, or 15 strings of 23: ``#`` wall, ``.`` floor, ``s`` where agents
start, ``1`` to ``8`` a site of that class, ``?`` a site of a random class, drawn in each episode. Without a level,
every episode has a new map from `envsuite.social.matrix_in_the_grid.levels`.

**Known values.** An agent that took k of one class and nothing else has a share of (k + 1) / (k + K) of it. With equal
shares, the games pay:

| game | payoff |
|---|---|
| `prisoners_dilemma` | 2.25 |
| `stag_hunt` | 2 |
| `chicken` | 2.5 |
| `battle_of_the_sexes` | 1.25 |
| `pure_coordination` | 1/3 |
| `rationalizable_coordination` | 2/3 |
| `running_with_scissors` | 0 |

Equilibria of the matrix games, with the payoff of each player:

| game | equilibria |
|---|---|
| `prisoners_dilemma` | both defect: 1 |
| `stag_hunt` | both stag: 4; both hare: 2; 1/2 each: 2 |
| `chicken` | one dove, which gets 2, the other 5; 1/2 each: 5/2 |
| `battle_of_the_sexes` | both bach: 3 and 2; both stravinsky: 2 and 3; 3/5 and 2/5: 6/5 each |
| `pure_coordination` | both the same: 1; any two classes, 1/2 each: 1/2; all three, 1/3 each: 1/3 |
| `rationalizable_coordination` | both the same: 1, 2 or 3; mixed, inversely to the payoffs: all three 6/11 |
| `running_with_scissors` | 1/3 each: 0 |

Sum of all rewards in 1000 steps of uniformly random play, mean +- standard error:

| | Melting Pot, 8 to 12 episodes | 32 others | with its map as the level, 256 | this world, 256 |
|---|---|---|---|---|
| prisoner's dilemma, repeated | 2.55 +- 1.13 | 3.24 +- 0.57 | 2.7 +- 0.2 | 3.9 +- 0.2 |
| prisoner's dilemma, arena | 22.2 +- 1.4 | 18.9 +- 1.0 | 19.6 +- 0.4 | 23.8 +- 0.4 |
| stag hunt, repeated | 5.30 +- 1.19 | 2.78 +- 0.53 | 3.7 +- 0.2 | 3.8 +- 0.2 |
| stag hunt, arena | | 27.3 +- 0.8 | 27.2 +- 0.3 | 32.8 +- 0.4 |
| chicken, repeated | 3.76 +- 0.91 | 3.88 +- 0.75 | 3.0 +- 0.2 | 4.3 +- 0.3 |
| pure coordination, repeated | 0.42 +- 0.17 | 0.59 +- 0.12 | 0.44 +- 0.03 | 0.58 +- 0.03 |
| battle of the sexes, arena | 9.56 +- 1.03 | 9.01 +- 0.56 | 8.7 +- 0.2 | 10.0 +- 0.2 |

On this world's own maps, resources lie nearer to the starts, and walls enclose nothing. Random walkers are ready to
interact for 75 % of the time, not 63 %, in the repeated prisoner's dilemma, and for 38 %, not 35 %, in its arena.

**Differences.** From Melting Pot's `*_in_the_matrix`:

- Every episode has a new map, with blocks of resources that lie opposite each other and pieces of wall that do not
  touch. A stag hunt's arena has 64 starts like the others, not 88.
- Symbols replace RGB pictures.
- There, the content of `status` shows one step later, in colors whose bounds are each game's own.
- There, if the row player (without roles, the agent that fires) gets the larger payment, or both get the same, its
  inventory starts again at once, not with the payment.
- There, `ready` keeps its value while an agent is away.
- There, a resource that one beam destroys stops the others of that step.
- There, a beam that ends at an agent also damages the resource that the agent took in that step.
- There, `interaction` holds zeros at the very first step.

**Source.** Agapiou et al., "Melting Pot 2.0", 2022; Vezhnevets et al., "OPtions as REsponses", 2020.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.arrays import fill
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.core.ranges import flag, free, within
from envsuite.core.world import Between, Kernels
from envsuite.generators.payoffs import Table, as_payoffs, named, symmetric, zero_sum
from envsuite.kit import avatars
from envsuite.kit.avatars import BEHIND, BORDER, FLOOR, LIT, MOST_PLAYERS, MOVES, OWN, PLAYER, VIEW, WALL
from envsuite.kit.grid import DX, DY, EAST, random_spot
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene, avatar
from envsuite.render.theme import agent_color
from envsuite.social.matrix_in_the_grid import levels, pages

ACTIONS = (*MOVES, "interact")
INTERACT = len(MOVES)

LENGTH, RADIUS, HITS = 3, 1, 3

#: What `status` says of an agent: out of view, not ready to interact, ready, and from FROZEN on five kinds of payment.
UNSEEN, UNREADY, READY, FROZEN = range(4)
PAYMENTS = 5

Game = Literal[
    "prisoners_dilemma", "stag_hunt", "chicken", "battle_of_the_sexes", "pure_coordination",
    "rationalizable_coordination", "running_with_scissors", "custom",
]  # fmt: skip

GAMES = {
    "prisoners_dilemma": named("prisoners_dilemma"),
    "stag_hunt": Table("stag hunt", ("stag", "hare"), symmetric([[4, 0], [2, 2]])),
    "chicken": Table("chicken", ("dove", "hawk"), symmetric([[3, 2], [5, 0]])),
    "battle_of_the_sexes": named("battle_of_the_sexes"),
    "pure_coordination": Table("pure coordination", ("first", "second", "third"), symmetric(np.eye(3))),
    "rationalizable_coordination": Table(
        "rationalizable coordination", ("one", "two", "three"), symmetric(np.diag([1, 2, 3]))
    ),
    "running_with_scissors": Table(
        "running with scissors",
        ("rock", "paper", "scissors"),
        zero_sum(10 * named("rock_paper_scissors").payoffs[0]),
    ),
}
#: The values of parameters that are None, by form; and the exceptions of games.
_FORMS = {
    "arena": dict(players=8, horizon=5000, end_probability=0.2, growth=0.04, delay=10, respawn=50),
    "repeated": dict(players=2, horizon=5000, end_probability=0.1, growth=0.02, delay=10, respawn=5),
}
_OTHERWISE: dict[tuple[str, str], dict[str, Any]] = {
    ("prisoners_dilemma", "arena"): dict(end_probability=0.15),
    ("stag_hunt", "arena"): dict(end_probability=0.1),
    ("stag_hunt", "repeated"): dict(horizon=2500),
    ("running_with_scissors", "repeated"): dict(end_probability=0.2, delay=15),
}
_VIEWS = {"arena": (VIEW, VIEW), "repeated": (5, 5)}
_MOST_TAKEN = 1_000_001

#: A site's code on the grid is OWN + HITS * class + damage; agents see OWN + class. A beam goes through the last hit.
_SITES = np.arange(OWN, OWN + HITS * levels.MOST_CLASSES)
_STOPS, _FREE = avatars.tables(stops=[int(code) for code in _SITES if (code - OWN) % HITS < HITS - 1])
_UNDAMAGED = np.arange(256, dtype=np.uint8)
_UNDAMAGED[[_SITES, _SITES + LIT]] = OWN + (_SITES - OWN) // HITS + np.array([[0], [LIT]])
#: Where beams do not show.
_DARK, _ = avatars.tables(stops=list(_SITES))
_KIND = np.array([WALL] + [FLOOR] * (levels.FIRST + levels.MOST_CLASSES - 1), np.uint8)


def fields(players: int, classes: int, letters: int, height: int, width: int) -> list[tuple]:
    """The record's own fields."""
    cells = (height + 2 * BORDER) * (width + 2 * BORDER)
    return [
        *avatars.fields(players, height, width, letters),
        ("ground", within(np.uint8, FLOOR, OWN + HITS * classes - 1), (cells,)),  # each site with its resource
        ("inventory", within(np.int32, 1, _MOST_TAKEN), (players, classes)),  # resources of each class of an agent
        ("interaction", within(np.int32, -1, _MOST_TAKEN), (players, 2, classes)),  # own, partner's inventory, or -1
        ("status", within(np.uint8, UNREADY, FROZEN + PAYMENTS - 1), (players,)),  # or FROZEN plus a kind of payment
        ("frozen", within(np.int64, 0, avatars.LONGEST), (players,)),  # steps until an agent is paid, and one
        ("payment", free(np.float64), (players,)),  # reward that an agent is going to get
        ("met", flag(), (players,)),  # whether an agent hit or was hit in this step
        ("fires", flag(), (players,)),  # whether an agent fires in this step
        ("stood", within(np.int64, -1, cells), (players,)),  # cell of an agent before this step, -1 while it is away
        *avatars.list_fields("waiting_count", "waiting", height, width),  # sites without their resource
        ("due", within(np.int32, 0, 2**31 - 1), (height * width,)),  # step from which each may have it back
        *avatars.list_fields("spot_count", "spots", height, width),  # where agents start and return
    ]


@large_kernel
def reset(s):
    while not s.level_given and not levels.arena(s, s.map):
        pass
    avatars.lay(s, _KIND)
    height, width = s.map.shape
    fill(s.ground, FLOOR)
    for y in range(height):
        for x in range(width):
            letter = np.int64(s.map[y, x])
            if letter >= levels.RANDOM:
                kind = randint(s, s.inventory.shape[1]) if letter == levels.RANDOM else letter - levels.FIRST
                cell = avatars.cell_at(s, y, x)
                s.ground[cell] = OWN + HITS * kind
                s.cells[cell] = s.ground[cell]
    s.waiting_count = 0
    s.spot_count = avatars.list_spots(s, s.spots, levels.START)
    avatars.begin(s)
    for a in range(s.at.shape[0]):
        s.frozen[a] = 0
        s.payment[a] = 0.0
        start_anew(s, a)
        avatars.place(s, a, random_spot(s, s.spots, s.spot_count, s.cells, _FREE))
    forget_interactions(s)


@kernel
def start_anew(s, a):
    """Start with an inventory of one of each class."""
    s.status[a] = UNREADY
    for k in range(s.inventory.shape[1]):
        s.inventory[a, k] = 1


@kernel
def forget_interactions(s):
    for a in range(s.at.shape[0]):
        s.met[a] = 0
        for k in range(s.inventory.shape[1]):
            s.interaction[a, 0, k] = -1
            s.interaction[a, 1, k] = -1


@kernel
def step(s, actions, rewards):
    avatars.dim(s)
    forget_interactions(s)
    players = s.at.shape[0]
    shuffle(s, s.order, players)
    present = 0
    for a in range(players):
        s.stood[a] = s.at[a] if s.away[a] == 0 else -1
        present += s.away[a] == 0
    for k in range(players):
        a = s.order[k]
        s.fires[a] = 0
        if s.away[a] == 0 and s.frozen[a] == 0:
            if s.cooldown[a] > 0:
                s.cooldown[a] -= 1
            elif actions[a] == INTERACT:
                s.cooldown[a] = s.params.cooldown
                s.fires[a] = 1
            code = avatars.move(s, a, actions[a], _FREE)
            if code >= OWN:
                take(s, a, code)
    for k in range(players):
        if s.fires[s.order[k]]:
            interact(s, s.order[k])
    avatars.come_back(s, s.spots, s.spot_count, _FREE)
    restore(s, s.params.refill and present == 0)
    pay(s, rewards)
    avatars.take_out(s, s.params.respawn)
    avatars.end(s)


@kernel
def take(s, a, code):
    """An agent takes the resource that it stands on."""
    s.inventory[a, (code - OWN) // HITS] += 1
    if s.status[a] == UNREADY:
        s.status[a] = READY
    s.under[a] = FLOOR
    wait(s, s.at[a])


@kernel
def wait(s, cell):
    """Put a site on the list of empty sites, with its delay."""
    s.waiting[s.waiting_count] = cell
    s.due[s.waiting_count] = s.t + s.params.delay + 1
    s.waiting_count += 1


@large_kernel
def interact(s, a):
    """Fire: agents at the ends of the beam are met, resources take damage."""
    last = avatars.fire(s, s.cells, a, LENGTH, RADIUS, _STOPS)
    for k in range(last - 1, s.lit_count - 1, -1):  # from the left over the right to ahead, as Lab2D does
        cell = np.int64(s.lit[k])
        code = np.int64(s.cells[cell] & (LIT - 1))
        if code >= OWN:
            s.ground[cell] = code + 1
            if (code - OWN) % HITS == HITS - 1:
                s.ground[cell] = code - (HITS - 1)
                code = FLOOR
                wait(s, cell)
            else:
                code += 1
            s.cells[cell] = s.cells[cell] & LIT | code
        elif code >= PLAYER:
            meet(s, a, (code - PLAYER) >> 2)
    avatars.light(s, last, _DARK)


@large_kernel
def meet(s, a, b):
    """One agent's beam ends at another: they interact if both are ready, and neither met another agent in this step."""
    if s.met[b]:
        return
    s.met[b] = 1
    if s.met[a]:
        return
    s.met[a] = 1
    alike = s.params.roles and role(s, a) == role(s, b)
    if alike or s.status[a] != READY or s.status[b] != READY:
        return
    row, column = (a, b) if role(s, a) <= role(s, b) else (b, a)
    classes = s.inventory.shape[1]
    all_of_row, all_of_column = 0, 0
    for i in range(classes):
        all_of_row += s.inventory[row, i]
        all_of_column += s.inventory[column, i]
    s.payment[row], s.payment[column] = 0.0, 0.0
    for i in range(classes):
        for j in range(classes):
            chance = (s.inventory[row, i] / all_of_row) * (s.inventory[column, j] / all_of_column)
            s.payment[row] += chance * s.params.payoffs[0, i, j]
            s.payment[column] += chance * s.params.payoffs[1, i, j]
    for k in range(2):
        one, other = (a, b) if k == 0 else (b, a)
        part = PAYMENTS * (s.payment[one] - s.params.least) / s.params.spread
        s.status[one] = FROZEN + min(np.int64(part), PAYMENTS - 1)
        s.frozen[one] = s.params.freeze + 2
        for i in range(classes):
            s.interaction[one, 0, i] = s.inventory[one, i]
            s.interaction[one, 1, i] = s.inventory[other, i]


@kernel
def role(s, a):
    """1 of the row players, 2 of the column players, 0 without roles."""
    if s.params.roles == 0:
        return 0
    return 1 if a < s.at.shape[0] // 2 else 2


@kernel
def restore(s, everywhere):
    """Let resources come back: everywhere, or by chance where the delay is over and no agent stood."""
    k = 0
    while k < s.waiting_count:
        cell = np.int64(s.waiting[k])
        comes = everywhere
        if not comes and s.t >= s.due[k] and bernoulli(s, s.params.growth):
            comes = True
            for a in range(s.at.shape[0]):
                if s.stood[a] == cell:
                    comes = False
        if not comes:
            k += 1
            continue
        s.waiting_count -= 1
        s.waiting[k], s.due[k] = s.waiting[s.waiting_count], s.due[s.waiting_count]
        there = s.cells[cell]
        if (there & (LIT - 1)) == FLOOR:
            s.cells[cell] = there & LIT | s.ground[cell]
        else:  # an agent walked there in this step; `wait` appends the site to the list, with a new delay
            take(s, ((there & (LIT - 1)) - PLAYER) >> 2, np.int64(s.ground[cell]))


@kernel
def pay(s, rewards):
    """A step of frozen agents. After the last one they are paid, and marked for `take_out`."""
    for a in range(s.at.shape[0]):
        if s.frozen[a] > 0:
            s.frozen[a] -= 1
            if s.frozen[a] == 0:
                rewards[a] = s.payment[a]
                start_anew(s, a)
                s.hit[a] = 1


@large_kernel
def observe(s, agent, out):
    view = out["view"]
    avatars.watch(s, agent, view)
    rows, columns = view.shape
    for i in range(rows):
        for j in range(columns):
            view[i, j] = _UNDAMAGED[view[i, j]]
    out.ready[0] = avatars.readiness(s, agent, s.params.cooldown)
    for k in range(s.inventory.shape[1]):
        out.inventory[k] = s.inventory[agent, k]
        out.interaction[0, k] = s.interaction[agent, 0, k]
        out.interaction[1, k] = s.interaction[agent, 1, k]
    out.role = role(s, agent)
    wide = avatars.stride(s)
    x, y = s.at[agent] % wide, s.at[agent] // wide
    right_x, right_y = DX[(s.facing[agent] + 1) & 3], DY[(s.facing[agent] + 1) & 3]
    for a in range(s.at.shape[0]):
        out.status[a] = UNSEEN
        if s.away[agent] == 0 and s.away[a] == 0:
            there_x, there_y = s.at[a] % wide - x, s.at[a] // wide - y
            right = there_x * right_x + there_y * right_y
            ahead = there_x * right_y - there_y * right_x
            if -BEHIND <= ahead < rows - BEHIND and abs(right) <= columns // 2:
                out.status[a] = s.status[a]


class MatrixInTheGrid(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("commons", "dilemmas")
    verified = "Melting Pot in lock-step, live; its rules one by one; totals under random play"
    variants = (dict(game="battle_of_the_sexes", form="repeated", horizon=200),)
    shown = "tit_for_tat"
    keys = {**avatars.AvatarWorld.keys, "space": "interact"}
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        game: Game = "prisoners_dilemma",
        form: levels.Form = "arena",
        payoffs: list | None = None,
        players: Annotated[int | None, Between(2, MOST_PLAYERS)] = None,
        roles: bool | None = None,
        horizon: Annotated[int | None, Between(1, _MOST_TAKEN - 1)] = None,
        end_probability: Annotated[float | None, Between(0, 1)] = None,
        growth: Annotated[float | None, Between(0, 1)] = None,
        delay: Annotated[int | None, Between(1, 100_000)] = None,
        respawn: Annotated[int | None, Between(0, 100_000)] = None,
        freeze: Annotated[int, Between(0, 100_000)] = 16,
        cooldown: Annotated[int, Between(1, 1000)] = 2,
    ):
        table = self._table(game, payoffs)
        self.title, self.classes = table.title, table.actions
        usual = {**_FORMS[form], **_OTHERWISE.get((game, form), {})}
        given: dict[str, Any] = dict(
            players=players, horizon=horizon, end_probability=end_probability, growth=growth, delay=delay,
            respawn=respawn,
        )  # fmt: skip
        chosen = {name: usual[name] if value is None else value for name, value in given.items()}
        self.players = chosen.pop("players")
        if form == "repeated" and self.players > 13:
            raise ParameterError(f"MatrixInTheGrid: players={self.players} must be at most 13 where form='repeated'")
        self.roles = game == "battle_of_the_sexes" if roles is None else roles
        count = len(self.classes)
        self.made = levels.Arena(form, count, hunt=game == "stag_hunt")
        self.legend = levels.LEGEND[: levels.FIRST + count]
        self.view_shape = _VIEWS[form]
        self.things = {OWN + k: name.capitalize() for k, name in enumerate(self.classes)}
        spaces = self.view_spaces(OWN + HITS * count - 1)
        highest = LIT + max(OWN + count, PLAYER + 4 * self.players) - 1
        height, width = levels.SIZES[form]
        payments = np.append(table.payoffs, 0.0)
        self.define(
            agents=[f"player_{a}" for a in range(self.players)],
            actions=ACTIONS,
            observation=Dict(
                {
                    **spaces,
                    "view": Box(0, highest, self.view_shape, np.uint8),
                    "inventory": Box(1, _MOST_TAKEN, (count,), np.int32),
                    "interaction": Box(-1, _MOST_TAKEN, (2, count), np.int32),
                    "status": Box(0, FROZEN + PAYMENTS - 1, (self.players,), np.uint8),
                    "role": Discrete(3),
                }
            ),
            fields=fields(self.players, count, len(self.legend), height, width),
            params={
                **self.made.values,
                **chosen,
                "payoffs": table.payoffs,
                "least": float(table.payoffs.min()),
                "spread": float(np.ptp(table.payoffs)) or 1.0,
                "roles": self.roles,
                "refill": form == "repeated",
                "freeze": freeze,
                "cooldown": cooldown,
                "end_after": 1000,
                "end_interval": 100,
            },
            reward_range=(float(payments.min()), float(payments.max())),
        )

    @staticmethod
    def _table(game: str, payoffs: Any) -> Table:
        """The payoffs, with a title and the classes' names, or `ParameterError`."""
        try:
            if game != "custom":
                known = GAMES[game]
                table = known.payoffs if payoffs is None else as_payoffs(payoffs, known.payoffs.shape)
                return Table(known.title, known.actions, table)
            if payoffs is None:
                raise ValueError("game='custom' needs payoffs")
            table = as_payoffs(payoffs)
            if len(table) != 2 or table.shape[1] != table.shape[2] or not 2 <= table.shape[1] <= levels.MOST_CLASSES:
                raise ValueError(
                    f"the payoffs have the shape {table.shape}; it must be (2, K, K) with K from 2 to "
                    f"{levels.MOST_CLASSES}"
                )
        except ValueError as problem:
            raise ParameterError(f"MatrixInTheGrid: {problem}") from None
        return Table("custom", tuple(f"resource {k + 1}" for k in range(table.shape[1])), table)

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"s": (self.players, "starts")}

    @property
    def codes(self) -> Collection[int]:
        return range(OWN, OWN + HITS * len(self.classes))

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        sites = np.flatnonzero(s.ground >= OWN)
        if not np.array_equal(sites, avatars.cells_of(s, *range(levels.RANDOM, len(self.legend)))):
            return "resources are not at their sites"
        there = ground >= OWN
        if (ground[there] != s.ground[there]).any():
            return "the ground is not what is on the grid"
        if not avatars.are_listed(s.waiting, s.waiting_count, sites[~there[sites]]):
            return "waiting does not list the sites without their resource"
        if not avatars.are_listed(s.spots, s.spot_count, avatars.cells_of(s, levels.START)):
            return "spots does not list where agents return"
        if s.frozen[s.away > 0].any():
            return "an agent that is away is frozen"
        form, count = self.made.parameters["form"], len(self.classes)
        arenas = [levels.Arena(form, count, hunt=hunt).values for hunt in (False, True)[: 1 + (count == 2)]]
        if not any((s.params.sites == made["sites"]).all() and s.params.alone == made["alone"] for made in arenas):
            return "sites are those of no game"
        return None if s.params.spread > 0 else "spread is not the range of the payoffs"

    def _held(self, inventory: Any) -> str:
        return ", ".join(f"{name} {count}" for name, count in zip(self.classes, inventory))

    def text(self, s: Any, agent: int) -> str:
        if s.away[agent]:
            return "You are away after an interaction. What you do has no effect until you are back."
        return super().text(s, agent)

    def status(self, s: Any, agent: int) -> str:
        lines = [f"You hold: {self._held(s.inventory[agent])}."]
        if self.roles:
            lines.append("You are a row player." if role(s, agent) == 1 else "You are a column player.")
        if s.interaction[agent, 0, 0] >= 0:
            lines.append(f"You interact with one who holds: {self._held(s.interaction[agent, 1])}.")
        if s.frozen[agent]:
            rest = avatars.more_turns(int(s.frozen[agent]))
            lines.append(f"You are frozen, {rest}, and will get {s.payment[agent]:g}.")
        else:
            ready = s.status[agent] == READY
            lines.append("You can interact." if ready else "Take a resource before you can interact.")
        lines.append(super().status(s, agent))
        seen = self.observation(s, agent).status
        others = [k for k in range(self.players) if k != agent]
        for what, found in (
            ("Ready to interact", [self.agents[k] for k in others if seen[k] == READY]),
            ("Frozen", [self.agents[k] for k in others if seen[k] >= FROZEN]),
        ):
            if found:
                lines.append(f"{what}: {', '.join(found)}.")
        return " ".join(lines)

    def tally(self, grid: np.ndarray) -> list[tuple[int, str, int]]:
        return []  # the panel names them

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        kind, damage = divmod(code - OWN, HITS)
        size = 0.6 - 0.14 * damage
        place = (x + 0.5 - size / 2, y + 0.5 - size / 2, size, size)
        scene.add(Rect(*place, levels.COLORS[kind], "black", 0.04, radius=0.12, glyph=str(kind + 1)))

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = super().scene(s, agent)
        width, height = int(scene.width), int(scene.height)
        for a, (x, y, _) in self.in_picture(s, agent).items():
            if s.status[a] != UNREADY:
                color = "white" if s.status[a] == READY else PAYMENT_COLORS[s.status[a] - FROZEN]
                scene.add(Circle(x + 0.82, y + 0.18, 0.17, color, "black", 0.04, glyph=""))
        shown = range(self.players) if agent is None else [agent]
        pitch = min(2.0, (height - 2.4) / len(shown))
        scene.add(
            Rect(width, 0, PANEL, scene.height, "paper"), Label(width + PANEL / 2, 0.8, self.title, 0.55, bold=True)
        )
        for k, name in enumerate(self.classes if len(self.classes) <= 3 else ()):
            middle = width + PANEL * (k + 0.5) / len(self.classes)
            scene.add(Label(middle, 1.8, name, 0.46, color=levels.COLORS[k], bold=True))
        scene.width += PANEL
        for row, a in enumerate(shown):
            middle = 2.4 + (row + 0.5) * pitch
            scene.add(*avatar(width + 0.9, middle, EAST, agent_color(a), text=str(a)))
            left = width + 1.8
            whole = max(1, int(s.inventory[a].sum()))
            for k, held in enumerate(s.inventory[a]):
                length = (PANEL - 3.6) * int(held) / whole
                scene.add(Rect(left, middle - 0.28, length, 0.56, levels.COLORS[k], glyph=str(k + 1)))
                left += length
            after = f"{s.payment[a]:+.2f}" if s.frozen[a] else "away" if s.away[a] else str(whole - len(self.classes))
            scene.add(Label(width + PANEL - 0.9, middle, after, 0.46, color="ink" if s.frozen[a] else "muted"))
        return scene


#: The width of the list of inventories in a picture, and the colors of payments from the lowest to the highest.
PANEL = 8.5
PAYMENT_COLORS = ("red", "gold", "green", "blue", "purple")

env, raw_env, parallel_env = pettingzoo_forms(MatrixInTheGrid)
