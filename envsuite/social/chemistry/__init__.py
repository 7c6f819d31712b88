"""Chemistry: agents carry molecules to each other, which react, and live on what this makes (Melting Pot).

**Rules.** Each cell of a dish of 25 x 14 cells holds one molecule, and each agent carries one. One kind is the empty
molecule. Agents walk over molecules.

- *Swap.* An agent exchanges its molecule for that of its cell. It cannot do so again in the next two steps. The swap
  fails if one of the two molecules reacts, if that of the cell came in one of the last two steps, and in the first
  step of an episode.
- *Reactions.* A reaction turns up to four molecules into as many others. All of them must be among the molecules of a
  cell and of the four cells beside it. This includes the molecules that agents on these cells carry.
- *Chance.* In each step, each molecule tries to react with a probability that depends on its kind, and on whether it is
  carried. It cannot try in the step after it came. It picks one of the reactions with its kind that are possible around
  its cell, and random molecules of the right kinds around it. These may be others of its own kind.
- *Time.* A molecule that reacts looks busy for one observation, and is the product in the next one. While its molecule
  looks busy, an agent can do nothing.
- *Rewards.* Some reactions pay each agent whose molecule took part, when the agent already carries the product.

The order within a step:

1. Reactions that have ended pay.
2. Molecules try to react, in random order. Each one takes part in at most one reaction.
3. Agents swap.
4. Agents walk and turn, in random order. If several want a cell, a random one gets it.
5. Busy molecules become products, and those that have begun to react become busy.

**Molecules.** The parameter `reactions` chooses a variant with two or three cycles of reactions.

| number | letter | molecule | tries on the ground | tries when carried |
|---|---|---|---|---|
| 1 | `.` | empty | 0.00001 | 0 |
| 2-10 | `a` `b` `c`, `d` `e` `f`, `g` `h` `i` | those of the three cycles | 0.9 | 0.9 |
| 11, 12 | `x` `y` | products of the first two cycles | 0.001 | 0.25 |
| 13, 14 | `u` `v` | inhibitors of x and y | 0.9 | 0.9 |
| 15-17 | `1` `2` `3` | foods | 0.001 | 0.25 |
| 18 | `o` | distractor | 0.001 | 0.25 |
| 19 | `*` | energy | 0.005 | 0.0025 |
| 20 | `!` | a molecule that looks busy | | |

The reactions, each of whose reactants becomes the product at the same place of the list:

| variants | reactions |
|---|---|
| all | `ab.` to `bc1`, `bc*` to `ca*`, `ca..` to `abxv` |
| all | `de.` to `ef2`, `ef*` to `fd*`, `fd..` to `deyu` |
| all | `1` to `.` and `2` to `.`, which pay 1; `xy` to `**`, which pays 10 |
| all | `.` to `1`, `.` to `2`, `*` to `.`, `xu` to `..`, `yv` to `..`, `uu` to `..`, `vv` to `..` |
| three cycles | `gh.` to `hi3`, `hi*` to `ig.`, `ig..` to `gh12`; `3` to `.`, which pays 10 |
| distractors | `o` to `o`, which pays 0.1 |

So cycles make food as long as there is energy. It decays, and the third cycle uses it up. Agents that bring x and y
together earn much and make new energy. Levels may have other reactions; observations show those that hold.

**Agents.** `player_0` ... `player_7`, or 1 to 16 agents. They start on random cells with the empty molecule.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | walls and agents around the agent, see below |
| molecules | Box (11, 11) uint8 | the molecules on the same cells, under agents too; 0 for none |
| carried | Box (agents,) uint8 | the molecules of agents in view and of itself; others 0 |
| ready | Box (1,) float32 | 1 if the agent can swap, else 0.5 or 0 |
| reactants | Box (24, 4) uint8 | the molecules that each reaction takes, then 0 |
| products | Box (24, 4) uint8 | what they become |
| pays | Box (24,) float32 | what each reaction pays |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5.

| code | cell of `view` |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 5 | the agent itself |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 right of that, 2 back, 3 left |

**Actions.** Discrete (8), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `swap` | exchanges the own molecule for that of the cell |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space swaps.

**Rewards.** What the reactions pay. A reaction with the molecules of two agents pays both of them.

**Ends.** Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `reactions` | two | two, two_distractors, three or three_distractors: the cycles, and whether there are distractors |
| `players` | 8 | number of agents, from 1 to 16 |
| `horizon` | 1000 | steps until truncation, from 1 to 1,000,000 |

**Level.** ``{"map": [16 strings of 27 letters], "reactions": [{"from": "xy", "to": "**", "reward": 10}], "rates": {"x":
[0.001, 0.25]}}``. In the map, ``#`` is a wall, and the other letters are molecules. There are walls all around. Levels
have up to 24 reactions with rewards from 0 to 10. A rate is the probability to try on the ground, and when carried; it
is 0 for molecules without one. Without `reactions` or `rates`, those of the variant hold. Without a level, every
episode has a new map from `envsuite.social.chemistry.levels`, which also makes other reactions.

**Known values.** Sum of all rewards in 1000 steps of uniformly random play, mean +- standard error:

| | two | three_distractors |
|---|---|---|
| Melting Pot, 2 and 3 episodes | 3.0 and 3.0 | 8.2 +- 4.3 |
| this world with Melting Pot's map as the level, 256 episodes | 2.41 +- 0.09 | 9.40 +- 0.32 |
| this world, 2048 episodes | 2.59 +- 0.04 | 10.79 +- 0.12 |

**Differences.** From Melting Pot's four `chemistry` substrates:

- Every episode has a new map, with the same molecules in similar places. There, each substrate has one map.
- Walls stand around the dish, so agents see its edge. There, they see that there is nothing.
- Symbols replace RGB pictures. Which way others face is seen here and not there, and so is the table of reactions.
- `ready` is observed.
- Molecules try to react in random order. There, those of one class of rates try before those of another, in an order
  that its language leaves open. The same holds for which of several molecules of a kind take part.

**Source.** Agapiou et al., "Melting Pot 2.0", 2022; its code at commit 81ee2e7, and Lab2D's for the order of events.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, geometric, randint, shuffle
from envsuite.core.ranges import among, below, flag, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import avatars
from envsuite.kit.avatars import BORDER, FLOOR, MOST_PLAYERS, MOVES, OWN, PLAYER, VIEW, WALL
from envsuite.kit.grid import ahead
from envsuite.kit.sight import look
from envsuite.registry import pettingzoo_forms
from envsuite.social.chemistry import levels as graphs
from envsuite.social.chemistry import pages, view

ACTIONS = (*MOVES, "swap")
SWAP = len(MOVES)

Reactions = Literal["two", "two_distractors", "three", "three_distractors"]
VARIANTS: tuple[Reactions, ...] = ("two", "two_distractors", "three", "three_distractors")

#: Cycles and distractors of each variant.
_CYCLES, _DISTRACTORS = np.array([2, 2, 3, 3]), np.array([0, 4, 0, 10])

#: Steps until an agent can swap again; how old a molecule must be to start a reaction, and to be swapped.
REST, _STARTS, _SWAPS = 2, 1, 2

#: Molecules are codes from here on, because `look` turns smaller ones.
CODE = OWN

#: A place is a cell of the grid or, from `_CELLS` on, with an agent.
_CELLS = (graphs.HEIGHT + 2 * BORDER) * (graphs.WIDTH + 2 * BORDER)
_SPOTS = (graphs.HEIGHT - 2) * (graphs.WIDTH - 2)

#: A cell and those beside it, with an agent on each.
_NEAR = 10

_, _FREE = avatars.tables()
_KIND = np.array([WALL] + [FLOOR] * (graphs.LETTERS - 1), np.uint8)


def fields(players: int) -> list[tuple]:
    """The record's own fields."""
    places = _CELLS + players
    place = below(np.int16, places)
    return [
        *avatars.fields(players, graphs.HEIGHT, graphs.WIDTH, graphs.LETTERS),
        *graphs.table_fields(),
        ("molecule", within(np.uint8, 0, CODE + graphs.BUSY), (places,)),  # CODE and its number; 0 where there is none
        ("product", below(np.uint8, graphs.LETTERS), (places,)),  # what a molecule that reacts becomes, else 0
        ("born", within(np.int32, -1, 1_000_000), (places,)),  # step in which a molecule came, -1 before the first one
        ("busy_count", within(np.int64, 0, _SPOTS + players)),
        ("busy", place, (_SPOTS + players,)),  # places of molecules that react
        ("latest", below(np.int64, graphs.MOST_REACTIONS), (players,)),  # last reaction of an agent's molecule
        ("due", flag(), (players,)),  # whether that reaction pays in the next step
        ("gap", within(np.int64, 0, 2**62 + _SPOTS)),  # spots before the next one where an empty molecule may start
        ("start_count", within(np.int64, 0, _SPOTS + players)),
        ("starts", place, (_SPOTS + players,)),  # places of molecules that start a reaction in this step
        ("near", place, (_NEAR,)),  # places around one of these
    ]


@kernel
def number_at(s, place):
    """The number of the molecule at a place; what reacts from this step on is still as before."""
    return np.int64(s.molecule[place]) - CODE


@kernel
def usual(s):
    """The reactions of the variant."""
    variant = s.params.reactions
    graphs.metabolism(s, _CYCLES[variant], 0, _DISTRACTORS[variant] > 0, True, graphs.PAYS[0], graphs.PAYS[2])


@large_kernel
def reset(s):
    if not s.level_given:
        usual(s)
        graphs.dish(s, s.map, _CYCLES[s.params.reactions], _DISTRACTORS[s.params.reactions])
    avatars.lay(s, _KIND)
    avatars.begin(s)
    for k in range(s.molecule.shape[0]):
        s.molecule[k] = CODE + graphs.EMPTY if k >= _CELLS else 0
        s.product[k] = 0
        s.born[k] = -1
    for y in range(graphs.HEIGHT):
        for x in range(graphs.WIDTH):
            if s.map[y, x] > 0:
                s.molecule[avatars.cell_at(s, y, x)] = CODE + s.map[y, x]
    s.busy_count = s.start_count = 0
    s.gap = geometric(s, s.rates[0, graphs.EMPTY])
    fill(s.near, 0)
    for a in range(s.at.shape[0]):
        s.latest[a] = 0
        s.due[a] = 0
        settle(s, a)


@large_kernel
def settle(s, a):
    """Put an agent on a random free cell."""
    left = 0
    for k in range(_CELLS):
        left += s.cells[k] == FLOOR
    left = randint(s, left)
    for k in range(_CELLS):
        if s.cells[k] == FLOOR:
            if left == 0:
                avatars.place(s, a, k)
                break
            left -= 1


@kernel
def step(s, actions, rewards):
    players, reacting = s.at.shape[0], s.busy_count
    for a in range(players):
        if s.due[a]:
            rewards[a] = s.pays[s.latest[a]]
            s.due[a] = 0
    choose(s)
    shuffle(s, s.starts, s.start_count)
    for k in range(s.start_count):
        start(s, np.int64(s.starts[k]))
    for a in range(players):
        swap(s, a, actions[a])
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if s.molecule[_CELLS + a] != CODE + graphs.BUSY:
            avatars.move(s, a, actions[a], _FREE)
    proceed(s, reacting)
    if s.t >= s.params.horizon:
        fill(s.truncated, 1)


@kernel
def age(s, place):
    """The number of steps that a molecule has lain at its place."""
    return s.t - 1 - s.born[place]


@large_kernel
def choose(s):
    """List the molecules that start a reaction if they can, by their rates."""
    s.start_count = 0
    for y in range(1, graphs.HEIGHT - 1):
        first = avatars.cell_at(s, y, 1)
        for place in range(first, first + graphs.WIDTH - 2):
            if s.molecule[place] > CODE + graphs.EMPTY:
                consider(s, place, 0)
    for a in range(s.at.shape[0]):
        consider(s, _CELLS + a, 1)
    while s.gap < _SPOTS:  # as good as a draw for each empty molecule, which would take much longer
        y, x = 1 + s.gap // (graphs.WIDTH - 2), 1 + s.gap % (graphs.WIDTH - 2)
        place = avatars.cell_at(s, y, x)
        if s.molecule[place] == CODE + graphs.EMPTY and age(s, place) >= _STARTS:
            s.starts[s.start_count] = place
            s.start_count += 1
        s.gap += 1 + geometric(s, s.rates[0, graphs.EMPTY])
    s.gap -= _SPOTS


@kernel
def consider(s, place, carried):
    """A molecule starts with the probability of its kind, unless it is new or reacts."""
    if s.molecule[place] != CODE + graphs.BUSY and age(s, place) >= _STARTS:
        if bernoulli(s, s.rates[carried, number_at(s, place)]):
            s.starts[s.start_count] = place
            s.start_count += 1


@large_kernel
def start(s, place):
    """A random one of the possible reactions with a molecule of this kind takes place around it."""
    count, possible, own = gather(s, place), 0, number_at(s, place)
    for k in range(s.reaction_count):
        possible += has(s, k, own) and match(s, k, count, False)
    if possible > 0:
        chosen = randint(s, possible)
        shuffle(s, s.near, count)
        for k in range(s.reaction_count):
            if has(s, k, own) and match(s, k, count, False):
                if chosen == 0:
                    match(s, k, count, True)
                    break
                chosen -= 1


@kernel
def gather(s, place):
    """List the places around a molecule, its own among them, where none reacts; how many there are."""
    middle, count = place if place < _CELLS else s.at[place - _CELLS], 0
    for k in range(5):
        cell = middle if k == 4 else middle + ahead(k, avatars.stride(s))
        if s.molecule[cell] > 0 and s.product[cell] == 0:
            s.near[count] = cell
            count += 1
        code = np.int64(s.cells[cell])
        if code >= PLAYER and s.product[_CELLS + ((code - PLAYER) >> 2)] == 0:
            s.near[count] = _CELLS + ((code - PLAYER) >> 2)
            count += 1
    return count


@kernel
def has(s, k, number):
    """Whether a molecule is among the reactants of a reaction."""
    found = False
    for i in range(graphs.MOST_PARTS):
        found |= s.reactants[k, i] == number
    return found


@kernel
def match(s, k, count, react):
    """Whether all reactants of a reaction are among the listed places; with `react`, it takes place there."""
    used = 0
    for i in range(graphs.MOST_PARTS):
        wanted = s.reactants[k, i]
        if wanted == 0:
            break
        found = False
        for j in range(count):
            if not found and used >> j & 1 == 0 and number_at(s, s.near[j]) == wanted:
                found = True
                used |= 1 << j
                if react:
                    take_part(s, np.int64(s.near[j]), k, s.products[k, i])
        if not found:
            return False
    return True


@kernel
def take_part(s, place, k, product):
    """The molecule at a place reacts from now on."""
    s.product[place] = product
    s.busy[s.busy_count] = place
    s.busy_count += 1
    if place >= _CELLS:
        s.latest[place - _CELLS] = k


@kernel
def swap(s, a, action):
    """An agent exchanges its molecule for that of its cell."""
    hand, cell = _CELLS + a, s.at[a]
    if s.cooldown[a] > 0:
        s.cooldown[a] -= 1
    elif action == SWAP and s.molecule[hand] != CODE + graphs.BUSY:
        s.cooldown[a] = REST
        if s.product[hand] == 0 and s.product[cell] == 0 and age(s, cell) >= _SWAPS:
            held = s.molecule[hand]
            s.molecule[hand] = s.molecule[cell]
            s.molecule[cell] = held
            s.born[hand] = s.t
            s.born[cell] = s.t


@kernel
def proceed(s, reacting):
    """The first `reacting` of the molecules that react become their products; the others begin to look busy."""
    for k in range(reacting):
        place = np.int64(s.busy[k])
        s.molecule[place] = CODE + s.product[place]
        s.product[place] = 0
        s.born[place] = s.t
        if place >= _CELLS:
            s.due[place - _CELLS] = 1
    s.busy_count -= reacting
    for k in range(s.busy_count):
        s.busy[k] = s.busy[reacting + k]
        s.molecule[s.busy[k]] = CODE + graphs.BUSY


@large_kernel
def observe(s, agent, out):
    view, molecules, carried = out["view"], out["molecules"], out["carried"]
    avatars.watch(s, agent, view)
    row = avatars.own_row(np.int64(VIEW))
    look(s.molecule, avatars.stride(s), s.at[agent], s.facing[agent], VIEW - 1 - row, 0, 0, molecules)
    for a in range(s.at.shape[0]):
        carried[a] = 0
    carried[agent] = number_at(s, _CELLS + agent)
    for i in range(VIEW):
        for j in range(VIEW):
            molecules[i, j] = max(np.int64(molecules[i, j]), CODE) - CODE
            code = np.int64(view[i, j])
            if PLAYER <= code < OWN:
                carried[(code - PLAYER) >> 2] = number_at(s, _CELLS + ((code - PLAYER) >> 2))
    out.ready[0] = avatars.readiness(s, agent, REST)
    for k in range(graphs.MOST_REACTIONS):
        out.pays[k] = s.pays[k]
        for i in range(graphs.MOST_PARTS):
            out.reactants[k, i] = s.reactants[k, i]
            out.products[k, i] = s.products[k, i]


class Chemistry(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("commons",)
    verified = "Melting Pot itself in lock-step; reaction times against closed forms"
    variants = (
        dict(reactions="three_distractors", players=3),
        dict(reactions="two_distractors", players=1),
        dict(reactions="three", players=16),
    )
    shown = "carrier"
    keys = {**avatars.AvatarWorld.keys, "space": "swap"}
    legend = graphs.LEGEND
    beams = False
    things: Mapping[int, str] = {}
    player_page = pages.PAGE
    page_slots = pages.page_slots
    text = view.text
    scene = view.scene

    def __init__(
        self,
        reactions: Reactions = "two",
        players: Annotated[int, Between(1, MOST_PLAYERS)] = 8,
        horizon: Annotated[int, Between(1, 1_000_000)] = 1000,
    ):
        self.players = players
        views = self.view_spaces(FLOOR)
        parts = graphs.MOST_REACTIONS, graphs.MOST_PARTS
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=Dict(
                {
                    "view": views["view"],
                    "molecules": Box(0, graphs.BUSY, self.view_shape, np.uint8),
                    "carried": Box(0, graphs.BUSY, (players,), np.uint8),
                    "ready": views["ready"],
                    "reactants": Box(0, graphs.LETTERS - 1, parts, np.uint8),
                    "products": Box(0, graphs.LETTERS - 1, parts, np.uint8),
                    "pays": Box(0, graphs.MOST_PAY, (graphs.MOST_REACTIONS,), np.float32),
                }
            ),
            fields=fields(players),
            params={"reactions": among(VARIANTS, reactions), "horizon": horizon},
            reward_range=(0.0, graphs.MOST_PAY),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        s.map[:] = graphs.read_map(level, self.id)
        if (inner := int((s.map > 0).sum())) < self.players:
            raise LevelError(f"{self.id}: the level's map has {inner} cells without walls for {self.players} agents")
        usual(s)
        if "reactions" in level:
            graphs.read_reactions(s, level["reactions"], self.id)
        if "rates" in level:
            graphs.read_rates(s, level["rates"], self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {**super().get_level(s), **graphs.write_table(s)}

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        if s.away.any() or s.hit.any() or s.lit_count or (s.cooldown > REST).any():
            return "an agent is away, hit or has to rest too long, or there is a beam"
        inner = np.zeros(ground.shape, bool)
        inner.reshape(graphs.HEIGHT + 2 * BORDER, -1)[BORDER:-BORDER, BORDER:-BORDER] = np.asarray(s.map) > 0
        if ((ground == FLOOR) != inner).any() or inner.sum() < self.players:
            return "the ground is not that of the map, or there is too little of it"
        molecule, product = np.asarray(s.molecule).astype(int) - CODE, np.asarray(s.product)
        there = np.append(inner, np.ones(self.players, bool))
        if ((molecule >= graphs.EMPTY) != there).any() or (np.asarray(s.molecule)[~there] != 0).any():
            return "there is a molecule where none can be, or none where one must be"
        if not np.array_equal(np.sort(s.busy[: s.busy_count]), np.flatnonzero(molecule == graphs.BUSY)):
            return "busy does not list the molecules that react"
        if ((product > 0) != (molecule == graphs.BUSY)).any():
            return "a molecule does not look as if it reacts"
        if (s.latest >= max(int(s.reaction_count), 1)).any():
            return "a reaction is none of the level's"
        return _faulty(s)

    def state_space(self) -> Box:
        """Codes of the whole map, and the molecules on it."""
        return Box(0, self.highest, (2, graphs.HEIGHT, graphs.WIDTH), np.uint8)

    def state(self, records: np.ndarray, observations: np.ndarray) -> np.ndarray:
        shape = -1, graphs.HEIGHT + 2 * BORDER, graphs.WIDTH + 2 * BORDER
        grids = [records["cells"], np.maximum(records["molecule"][:, :_CELLS], CODE) - CODE]
        return np.stack([grid.reshape(shape)[:, BORDER:-BORDER, BORDER:-BORDER] for grid in grids], axis=1)

    def status(self, s: Any, agent: int) -> str:
        held, rest = int(s.molecule[_CELLS + agent]) - CODE, int(s.cooldown[agent])
        carried = f"You carry {view.words_of(held)}"
        if held == graphs.BUSY:
            return f"{carried}, so you can do nothing in the next turn."
        return f"{carried}. " + (f"You can swap after {avatars.more_turns(rest)}." if rest else "You can swap.")


def _faulty(s: Any) -> str | None:
    """What is wrong with the table of reactions."""
    count = int(s.reaction_count)
    before, after = np.asarray(s.reactants) > 0, np.asarray(s.products) > 0
    if (
        (before != after).any()
        or not before[:count, 0].all()
        or before[count:].any()
        or np.asarray(s.pays)[count:].any()
    ):
        return "a reaction makes more or less than it takes, or is not counted"
    if (before[:, 1:] > before[:, :-1]).any():
        return "a reaction has a gap"
    return None


env, raw_env, parallel_env = pettingzoo_forms(Chemistry)
