"""Harvest: apples grow back only where apples are left; beams send others away (Melting Pot, or the rules of 2018).

**Rules.** Agents walk a 24 x 18 orchard and eat the apples that they step on. At every step, an empty apple site grows
a new apple with a probability that depends on the number of apples within distance 2. A patch without any apple is dead
for ever. An agent that is hit by a beam is away for a while and comes back in the lowest rows. The order within a step:

1. All agents move, in random order. If several want a cell, a random one gets it.
2. All beams go off at once.
3. Agents whose time away is over return.
4. Apples grow. An apple that grows under an agent is eaten at once.

On the map `closed`, the patches lie in two rooms with one door each, which one agent can guard. On `partnership`, each
room has two entrances: its door and a passage to the other room.

The beam covers `zap_length` cells ahead and, on both sides, as many cells from beside the agent on. Each further column
is one cell shorter, up to `zap_radius` columns. Walls and agents stop a ray. All agents at which rays end are hit,
including agents that fire.

``rules="ssd"`` selects the rules of the sequential social dilemmas of 2018. The map has 38 x 16 cells with 31 crosses
of five apple sites. These rules differ as follows:

- Every agent starts at a random one of 20 cells.
- No agent is ever away. An agent that fires pays 1, and an agent that is hit pays 50 for every hit.
- Beams have no cooldown.
- No apple grows under an agent.

**Agents.** `player_0` ... `player_6`, or 2 to 16 agents; five in the rules of 2018. The first two start among the
apples, the others below.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below; all zero while it is away |
| ready | Box (1,) float32 | 1 if the agent can fire, less while its beam cools down, 0 while it is away |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5. In the rules of 2018 the view is Box (15, 15): it reaches 7 cells in
all directions, and the agent itself is at row 7, column 7.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 3 | apple site without an apple |
| 4 | apple |
| 5 | the agent itself |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 to the observer's right, 2 back, 3 left |
| + 128 | a beam went over this cell in this step |

**Actions.** Discrete (8), all of them always legal. While an agent is away, they have no effect.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `zap` | fires the beam |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space zaps.

**Rewards.** +1 for an apple. In the rules of 2018 also -1 for a shot and -50 for a hit; their sum is r. Two options
change r in these rules:

- With `collective`, every agent gets the sum of all r.
- With `alpha` or `beta`, agent i gets ``r_i - alpha / (N - 1) sum_j max(e_j - e_i, 0) - beta / (N - 1) sum_j max(e_i -
  e_j, 0)``, where e is r plus `trace` times the e of the step before.

**Ends.** Truncated after `horizon` steps. Before that, the episode may terminate after step 1099 and every 100 steps
later, each time with probability `end_probability`. Melting Pot does so at the same steps: its clock is one ahead of
its steps.

**Parameters.** Defaults that depend on `map` and `rules` stand in the second table.

| name | default | meaning |
|---|---|---|
| `players` | None | number of agents, from 2 to 16 |
| `map` | open | or closed, partnership |
| `horizon` | None | steps until truncation, from 1 to 1,000,000 |
| `end_probability` | None | probability of an earlier end, from 0 to 1, see above |
| `regrowth` | None | probabilities of growth with 0, 1, 2, and 3 or more apples near |
| `zap_length`, `zap_radius` | None | shape of the beam in cells, from 0 to 24 |
| `zap_cooldown` | None | steps that the beam cools down for, from 0 to 1000 |
| `zap_away` | None | observations without a view after a hit, less one, from 0 to 1,000,000 |
| `rules` | melting_pot | or ssd, the rules of 2018 |
| `compat` | documented | for ssd only: or reference, see below |
| `alpha`, `beta` | 0, 0 | for ssd only: weights of inequity, from 0 to 1000 |
| `trace` | 0 | for ssd only: decay of the rewards that are compared, from 0 to 0.999 |
| `collective` | False | for ssd only: whether every agent gets the sum of all rewards |

| | open | closed, partnership | ssd |
|---|---|---|---|
| `players` | 7 | 7 | 5 |
| `horizon`, `end_probability` | 5000, 0.15 | 5000, 0.15 | 1000, 0 |
| `regrowth` | 0, .0025, .005, .025 | 0, .001, .005, .025 | 0, .005, .02, .05 |
| `zap_length`, `zap_radius` | 3, 1 | 4, 1 | 5, 1 |
| `zap_cooldown` | 2 | 1 | - |
| `zap_away` | 4 | 100 | - |

With ``compat="reference"``, two flaws of the source's code are kept:

- It counts only the eight neighbors of a site, because it compares a squared distance with 2.
- `beta` rewards agents for advantageous inequity instead of punishing it.

**Level.** ``{"map": [18 strings of 24 letters]}``: ``#`` wall, ``.`` floor, ``a`` apple, ``r`` where agents return,
``i`` where the first two start. In the rules of 2018, 16 strings of 38, where ``r`` is where agents start. Without a
level, every episode has a new map from `envsuite.generators.orchard`.

**Known values.** Sum of all rewards in 1000 steps of uniformly random play, mean +- standard error:

| | open | closed | partnership |
|---|---|---|---|
| Melting Pot, 8 episodes | 140.6 +- 13.7 | 129.9 +- 7.2 | 97.0 +- 13.9 |
| Melting Pot, 60 other episodes (Lab2D 1.0.2) | 140.0 +- 4.2 | 130.3 +- 3.2 | 94.1 +- 3.6 |
| this world with Melting Pot's maps as levels, 256 episodes | 138.8 +- 2.0 | 131.5 +- 1.5 | 97.0 +- 1.7 |
| this world, 1,024 episodes | 152.3 +- 1.0 | 128.4 +- 1.1 | 107.3 +- 1.0 |

The rules agree. The maps explain the rest: in the open, patches here are more often near to where agents walk.

The rules of 2018:

| | all actions | without `zap` |
|---|---|---|
| the source's code, 88 and 200 episodes | -3547.1 +- 134.7 | 317.4 +- 3.3 |
| "reference" with the source's map as the level, 1024 episodes | -3546.1 +- 38.6 | 322.0 +- 1.4 |
| "reference", 1024 episodes | -3453.6 +- 37.7 | 318.1 +- 1.3 |
| "documented", 1024 episodes | -3360.8 +- 36.8 | 412.9 +- 1.4 |

**Differences.** From Melting Pot's `commons_harvest`:

- Every episode has a new map; there, each variant has one.
- Symbols replace RGB pictures. An empty site therefore looks different from floor even where nothing can grow.
- `ready` has the shape (1,).
- Regrowth follows the apples of the same step. There, the numbers of neighbors lag two steps behind, and a site cannot
  sprout in the step after it was eaten.
- An agent that has been hit does not eat what grows under it in that step.
- There, the passage of `partnership` is paved with tiles that cost an agent with a hidden role 10; no agent has that
  role here.

From the source's code for the rules of 2018:

- Its actions have another order, with `noop` as 4.
- Beams are visible here, and not there.
- A view is turned in all facings. There, agents that face left or right see at the top what is behind them.
- Agents move one after another. One gets the cell that another leaves if that one moved first; there, always.
- Beams are the same: the side rays that start one cell behind the shooter cover the cells from beside it on.

**Source.** Leibo et al., "Scalable Evaluation of Multi-Agent Reinforcement Learning with Melting Pot", 2021; Agapiou et
al., "Melting Pot 2.0", 2022; Perolat et al., 2017; Janssen et al., 2010. The rules of 2018: Hughes et al., "Inequity
aversion improves cooperation in intertemporal social dilemmas", 2018; Vinitsky et al., "An open source implementation
of sequential social dilemma games", 2019.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Case, Page, When
from envsuite.core.random import shuffle
from envsuite.core.ranges import among, below
from envsuite.core.world import Between, Kernels
from envsuite.generators.orchard import HEIGHT, INNER, KINDS, LEGEND, LOW, RETURN, SITE, WIDE, WIDTH, crosses, orchard
from envsuite.kit import avatar_pages, avatars, ssd
from envsuite.kit.avatars import BORDER, FLOOR, LIT, MOST_PLAYERS, MOVES, PLAYER, WALL
from envsuite.kit.grid import DISC, add_around, random_spot, sprout
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Rect, Scene, apple

ACTIONS = (*MOVES, "zap")
ZAP = len(MOVES)

#: Codes of cells in addition to those of `envsuite.kit.avatars`.
BARE, APPLE = 3, 4

#: The parameters that depend on the map or the rules, unless they are given.
_OPEN: dict[str, Any] = {
    "players": 7,
    "horizon": 5000,
    "end_probability": 0.15,
    "regrowth": (0.0, 0.0025, 0.005, 0.025),
    "zap_length": 3,
    "zap_radius": 1,
    "zap_cooldown": 2,
    "zap_away": 4,
}
_ROOMS = _OPEN | {"regrowth": (0.0, 0.001, 0.005, 0.025), "zap_length": 4, "zap_cooldown": 1, "zap_away": 100}
_SSD: dict[str, Any] = {
    "players": 5,
    "horizon": 1000,
    "end_probability": 0.0,
    "regrowth": (0.0, 0.005, 0.02, 0.05),
    "zap_length": ssd.LENGTH,
    "zap_radius": ssd.RADIUS,
    "zap_cooldown": 0,
    "zap_away": 0,
}

_NEXT = DISC[(DISC**2).sum(axis=1) <= 2]
_STOPS, _FREE = avatars.tables()
_KIND = np.array([WALL, FLOOR, APPLE, FLOOR, FLOOR], np.uint8)


def fields(players: int, height: int, width: int) -> list[tuple]:
    """The record's own fields."""
    inside, cells = (height - 2) * (width - 2), (height + 2 * BORDER) * (width + 2 * BORDER)
    return [
        *avatars.fields(players, height, width, len(LEGEND)),
        *ssd.fields(players),
        ("near", below(np.uint8, len(DISC) + 1), (cells,)),  # number of apples around a cell
        *avatars.list_fields("empty_count", "empty", height, width, inside),  # apple sites without an apple
        *avatars.list_fields("spot_count", "spots", height, width, inside),  # where agents return
        *avatars.list_fields("inner_count", "inner", height, width, inside),  # where the first two agents start
    ]


@kernel
def fined(s):
    """Whether these are the rules of 2018; a constant to the compiler."""
    return s.map.shape[0] == LOW


@large_kernel
def reset(s):
    if not s.level_given:
        if fined(s):
            crosses(s, s.map)
        else:
            orchard(s, s.map, s.params.kind)
    avatars.lay(s, _KIND)
    s.spot_count = avatars.list_spots(s, s.spots, RETURN)
    s.inner_count = avatars.list_spots(s, s.inner, INNER)
    s.empty_count = 0
    fill(s.near, 0)
    for y in range(s.map.shape[0]):
        for x in range(s.map.shape[1]):
            if s.map[y, x] == SITE:
                tell(s, avatars.cell_at(s, y, x), 1)
    avatars.begin(s)
    ssd.forget(s)
    for a in range(s.at.shape[0]):
        if a < 2 and not fined(s):
            avatars.place(s, a, random_spot(s, s.inner, s.inner_count, s.cells, _FREE))
        else:
            avatars.place(s, a, random_spot(s, s.spots, s.spot_count, s.cells, _FREE))


@kernel
def step(s, actions, rewards):
    avatars.dim(s)
    players, eaten_before = s.at.shape[0], s.empty_count
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if s.away[a] == 0 and avatars.move(s, a, actions[a], _FREE) == APPLE:
            rewards[a] += 1.0
            s.under[a] = BARE
            eat(s, s.at[a])
    if fined(s):
        ssd.fine(s, actions, ZAP, s.params.zap_length, s.params.zap_radius, _STOPS, rewards)
    else:
        avatars.zap_all(s, actions, ZAP, s.params.zap_length, s.params.zap_radius, s.params.zap_cooldown, _STOPS)
        avatars.come_back(s, s.spots, s.spot_count, _FREE)
        avatars.take_out(s, s.params.zap_away)
    grow(s, eaten_before, rewards)
    if fined(s):
        ssd.compare(s, rewards)
    avatars.end(s)


@kernel
def tell(s, cell, change):
    """Count one apple more or less at the sites around it."""
    if fined(s) and s.params.next_only:
        for k in range(_NEXT.shape[0]):
            s.near[cell + _NEXT[k, 0] + _NEXT[k, 1] * avatars.stride(s)] += change
    else:
        add_around(s.near, avatars.stride(s), cell, change)


@kernel
def eat(s, cell):
    s.empty[s.empty_count] = cell
    s.empty_count += 1
    tell(s, cell, -1)


@kernel
def grow(s, old, rewards):
    """Let apples grow on sites that were empty before this step.

    An apple under an agent is eaten at once; in the rules of 2018 none grows there.
    """
    count = s.empty_count
    left = sprout(s, s.empty, old, count, s.near, s.params.regrowth)
    s.empty_count = left
    for k in range(left, count):
        cell = np.int64(s.empty[k])
        code = s.cells[cell]
        if code & (LIT - 1) >= PLAYER:
            if not fined(s):
                rewards[((code & (LIT - 1)) - PLAYER) >> 2] += 1.0
            s.empty[s.empty_count] = cell
            s.empty_count += 1
        else:
            s.cells[cell] = code & LIT | APPLE
            tell(s, cell, 1)


@large_kernel
def observe(s, agent, out):
    avatars.watch(s, agent, out["view"])  # Numba mistakes `out.view` for the method of arrays
    out.ready[0] = avatars.readiness(s, agent, s.params.zap_cooldown)


PAGE = Page(
    role="You are one of {everyone} players who share an orchard.",
    goal=("An apple that you eat pays you 1.", When("fined", avatar_pages.FINES)),
    rules=(
        (
            "You eat an apple by stepping on it. In each turn an empty apple site grows an apple with a chance that "
            "depends on how many apples are near: {none} with none, {one} with one, {two} with two, and {more} with "
            "three or more. Near are",
            When(
                "next_only",
                "the eight cells around it.",
                "the eight cells around it, and those two cells away from it in its row and column.",
            ),
            When("fined", "No apple grows under a player.", "An apple that grows under a player is eaten."),
        ),
        (
            "A zap hits others.",
            Case(
                "columns",
                {
                    -1: "Its beam reaches nobody.",
                    0: "Its beam goes up to {beam:cell} straight ahead and ends at the first wall or player.",
                    1: avatar_pages.BEAM,
                },
                (
                    "Its beam has {columns:column} on each side of the middle one. The middle one has up to "
                    "{beam:cell} and begins with the cell ahead of you. The first on a side begins with the cell "
                    "beside you and is as long; each further one begins a cell farther out and is one cell shorter. "
                    "Each ends at the first wall or player, and if that is in the first cell of a column, there are "
                    "no columns beyond it."
                ),
            ),
            When("zap_cooldown", "After a zap you cannot zap in the {next_zap_cooldown}."),
            When(
                "fined",
                "",
                "A player that is hit loses its {next_out} and comes back at a random place of those where players "
                "return.",
            ),
        ),
        (
            avatar_pages.CROWD,
            "Within a turn, all walk first; then all beams go off at once, and then apples grow. Only walls and "
            "other players block the way.",
        ),
    ),
    sees=avatar_pages.SEES,
    acts={**avatar_pages.WALKS, "zap": "fire at others"},
    ends=avatar_pages.ENDS,
    unsaid={
        "rules": "the page tells the rules that hold",
        "map": "players see the map as they walk",
        "compat": "told by what is near, and by what the averages pay",
    },
    constants={
        **avatar_pages.FINES_CONSTANTS,
        **avatar_pages.BEAM_CONSTANTS,
        "two": "apples, and steps",
        "eight": "neighbors",
    },
)


class Harvest(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("commons",)
    verified = "Melting Pot in lock-step, recorded and live, but for cells of return; growth by frequencies"
    variants = (dict(map="partnership", players=3), dict(rules="ssd", alpha=5.0, beta=0.05, trace=0.9))
    shown = "sustainable"
    keys = {**avatars.AvatarWorld.keys, "space": "zap"}
    legend = LEGEND
    things = {APPLE: "Apples", BARE: "Empty apple sites"}
    player_page = PAGE

    def __init__(
        self,
        players: Annotated[int | None, Between(2, MOST_PLAYERS)] = None,
        map: Literal["open", "closed", "partnership"] = "open",
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
        end_probability: Annotated[float | None, Between(0, 1)] = None,
        regrowth: Sequence[float] | None = None,
        zap_length: Annotated[int | None, Between(0, WIDTH)] = None,
        zap_radius: Annotated[int | None, Between(0, WIDTH)] = None,
        zap_cooldown: Annotated[int | None, Between(0, 1000)] = None,
        zap_away: Annotated[int | None, Between(0, 1_000_000)] = None,
        rules: Literal["melting_pot", "ssd"] = "melting_pot",
        compat: Literal["documented", "reference"] = "documented",
        alpha: Annotated[float, Between(0, 1000)] = 0.0,
        beta: Annotated[float, Between(0, 1000)] = 0.0,
        trace: Annotated[float, Between(0, 0.999)] = 0.0,
        collective: bool = False,
    ):
        given = {
            "players": players,
            "horizon": horizon,
            "end_probability": end_probability,
            "regrowth": regrowth,
            "zap_length": zap_length,
            "zap_radius": zap_radius,
            "zap_cooldown": zap_cooldown,
            "zap_away": zap_away,
        }
        fined = rules == "ssd"
        times = {"zap_cooldown": zap_cooldown, "zap_away": zap_away, "map": None if map == "open" else map}
        shared = ssd.params("Harvest", rules, compat, alpha, beta, trace, collective, times)
        values = dict(_SSD if fined else _OPEN if map == "open" else _ROOMS)
        values |= {name: value for name, value in given.items() if value is not None}
        chances, count = values["regrowth"], values.pop("players")
        if len(chances) != 4 or not all(isinstance(p, (int, float)) and 0 <= p <= 1 for p in chances):
            raise ParameterError(f"Harvest: regrowth={chances!r} must be four probabilities, for 0, 1, 2, 3 neighbours")
        height, width = (LOW, WIDE) if fined else (HEIGHT, WIDTH)
        self.players, self.fined = count, fined
        if fined:
            self.view_shape = ssd.VIEW
        self.define(
            agents=[f"player_{a}" for a in range(count)],
            actions=ACTIONS,
            observation=Dict(self.view_spaces(APPLE)),
            fields=fields(count, height, width),
            params={
                "kind": among(KINDS, map),
                "next_only": compat == "reference",
                **values,
                "regrowth": [float(p) for p in chances],
                "end_probability": float(values["end_probability"]),
                "end_after": 1000,
                "end_interval": 100,
                **shared,
            },
            reward_range=ssd.reward_range(count, shared) if fined else (0.0, 1.0),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        params = s.params
        none, one, two, more = (avatar_pages.percent(chance) for chance in params.regrowth.tolist())
        length = int(params.zap_length)
        return {
            **avatar_pages.slots(self, s),
            **avatar_pages.nexts(zap_cooldown=s.params.zap_cooldown, out=s.params.zap_away + 1),
            **avatar_pages.fine_slots(self, s),
            "fined": self.fined,
            "next_only": self.fined and bool(params.next_only),
            "none": none,
            "one": one,
            "two": two,
            "more": more,
            "beam": length,
            "columns": min(int(params.zap_radius), length) if length else -1,
            "zap_cooldown": int(params.zap_cooldown),
        }

    def needs(self) -> dict[str, tuple[int, str]]:
        if self.fined:
            return {"r": (self.players, "places to start")}
        return {"i": (2, "starts"), "r": (max(1, self.players - 2), "places to return")}

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        apples, bare = np.flatnonzero(ground == APPLE), np.flatnonzero(ground == BARE)
        if not np.array_equal(np.union1d(apples, bare), avatars.cells_of(s, SITE)):
            return "apples are not at their sites"
        if not avatars.are_listed(s.empty, s.empty_count, bare):
            return "empty does not list the sites without apples"
        if not avatars.are_listed(s.spots, s.spot_count, avatars.cells_of(s, RETURN)):
            return "spots does not list where agents return"
        near = np.zeros(len(s.near), np.uint8)
        for x, y in _NEXT if self.fined and s.params.next_only else DISC:
            near[apples + x + y * avatars.stride(s)] += 1
        return None if np.array_equal(near, s.near) else "near does not count the apples"

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        scene.add(Rect(x, y, 1, 1, "grass" if s is None or s.near[avatars.cell_at(s, y, x)] else "soil"))
        if code == APPLE:
            scene.add(*apple(x + 0.5, y + 0.5))


env, raw_env, parallel_env = pettingzoo_forms(Harvest)
