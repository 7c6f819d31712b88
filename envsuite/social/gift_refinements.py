"""GiftRefinements: a token is worth one to its owner, and three to an agent that gets it as a gift (Melting Pot).

**Rules.** Agents walk a map of 27 x 27 cells. At every step, each of its 538 empty sites grows a raw token with
probability 0.0002, unless an agent stands there. An agent that steps on a token takes it. An agent holds up to 15
tokens of each of three kinds: raw, refined once, refined twice.

A gift beam of 5 cells straight ahead ends at the first agent, the receiver. A gift needs a giver that holds a token and
a receiver that is not full. One token of the rawest kind that the giver holds is gone, and the receiver gets three of
the next kind. A token refined twice is passed on as it is. What is too much for the receiver is lost.

An agent that consumes turns all its tokens, of all kinds, into reward. The order within a step:

1. Tokens grow.
2. Agents that consume do so.
3. All agents move, in random order. If several want a cell, a random one gets it.
4. Beams go off in the same order. An agent can give away in the same step what it was given.

**Agents.** `player_0` ... `player_5`, or 2 to 16 agents.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below |
| ready | Box (1,) float32 | 1 if the agent can give, less while its beam cools down |
| tokens | Box (3,) uint8 | the number of tokens that it holds: raw, refined once, refined twice |

The view reaches 9 cells ahead, 1 behind and 5 to each side. It is turned so that the agent looks up: row 0 is farthest
ahead, and the agent itself is at row 9, column 5.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 3 | raw token |
| 5 | the agent itself |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 to the observer's right, 2 back, 3 left |
| + 128 | a beam went over this cell in this step |

**Actions.** Discrete (9), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `gift` | fires the gift beam |
| 8 | `consume` | turns all tokens into reward |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space gives, and c consumes.

**Rewards.** +1 for each token consumed.

**Ends.** Truncated after `horizon` steps. Before that, the episode may terminate after step 1099 and every 100 steps
later, each time with probability `end_probability`. The reference does so at the same steps: its clock is one ahead of
its steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 6 | number of agents, from 2 to 16 |
| `horizon` | 5000 | steps until truncation, from 1 to 1,000,000 |
| `end_probability` | 0.2 | probability of an earlier end, from 0 to 1, see above |
| `growth` | 0.0002 | probability that a site grows a token in a step, from 0 to 1 |
| `multiplier` | 3; reference 5 | tokens that come of one given, from 1 to 100 |
| `capacity` | 15 | tokens of each kind that an agent can hold, from 1 to 255 |
| `cooldown` | 3 | steps from one beam to the next, from 1 to 1000 |
| `compat` | documented | or reference, see below |

``compat="reference"`` follows Melting Pot's code. There, the multiplier is 5, the most refined kind that the giver
holds goes first, and a token given to a full receiver is lost.

**Level.** ``{"map": [27 strings of 27 letters]}``: ``#`` wall, ``o`` site of tokens, ``s`` where agents start. Without
a level, every episode has a new map from `envsuite.generators.mine`.

**Known values.** A trust game. With multiplier m, a raw token is worth 1 to an agent that consumes it and m to an agent
that gets it as a gift. It is worth m * m to all if the receivers give theirs on: 9, or 25 in the reference. If one
agent gives a raw token and gets one of the three back, the two agents have three and two. If all three come back, the
giver has nine, and can give four of them away again. 538 sites grow 0.1076 raw tokens a step. Agents can make at most
0.97 a step of them, or 2.69 in the reference. Sum of all rewards in 1000 steps of uniformly random play, mean +-
standard error:

| Melting Pot | `compat="reference"`, 512 episodes | `compat="documented"`, 512 episodes |
|---|---|---|
| 52.8 +- 2.5 in 8 episodes, 50.3 +- 1.0 in 64 | 50.7 +- 0.4 | 49.3 +- 0.4 |

**Differences.** From Melting Pot's `gift_refinements`:

- By default, the rules are those of its documentation. Its code has other rules: see `compat`.
- The documentation leaves open whose inventory must not be full. Here it is the receiver's, of the kind that it would
  get.
- Every episode has a new map, with pieces of wall that do not touch; there, there is one map.
- Symbols replace RGB pictures.

**Source.** Agapiou et al., "Melting Pot 2.0", 2022; after Berg, Dickhaut and McCabe, "Trust, Reciprocity, and Social
History", 1995.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Case, Page, When
from envsuite.core.random import geometric, shuffle
from envsuite.core.ranges import among, fixed, within
from envsuite.core.world import Between, Kernels
from envsuite.generators.mine import LEGEND, SITE, SIZE, START, mine
from envsuite.kit import avatar_pages, avatars
from envsuite.kit.avatars import FLOOR, LIT, MOST_PLAYERS, MOVES, OWN, PLAYER, WALL
from envsuite.kit.grid import random_spot, sprout_anywhere
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene
from envsuite.render.theme import agent_color

ACTIONS = (*MOVES, "gift", "consume")
GIFT, CONSUME = len(MOVES), len(MOVES) + 1

#: Codes of cells in addition to those of `envsuite.kit.avatars`.
TOKEN = 3

#: The kinds of tokens.
RAW, ONCE, TWICE = range(3)
KINDS = 3

LENGTH = 5

_STOPS, _FREE = avatars.tables()
_KIND = np.array([WALL, FLOOR, FLOOR], np.uint8)

#: The colors of the kinds of tokens.
_COLORS = ("gold", "sky", "purple")


def fields(players: int, capacity: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *avatars.fields(players, SIZE, SIZE, len(LEGEND)),
        ("tokens", within(np.int64, 0, capacity), (players, KINDS)),  # of each kind that an agent holds
        *avatars.list_fields("site_count", "sites", SIZE, SIZE),  # where tokens grow
        *avatars.list_fields("spot_count", "spots", SIZE, SIZE),  # where agents start
        avatars.gap_field(),
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        mine(s, s.map)
    avatars.lay(s, _KIND)
    s.site_count = avatars.list_spots(s, s.sites, SITE)
    s.spot_count = avatars.list_spots(s, s.spots, START)
    s.gap = geometric(s, s.params.growth)
    avatars.begin(s)
    for a in range(s.at.shape[0]):
        for kind in range(KINDS):
            s.tokens[a, kind] = 0
        avatars.place(s, a, random_spot(s, s.spots, s.spot_count, s.cells, _FREE))


@kernel
def step(s, actions, rewards):
    avatars.dim(s)
    grow(s)
    players = s.at.shape[0]
    for a in range(players):
        if actions[a] == CONSUME:
            for kind in range(KINDS):
                rewards[a] += s.tokens[a, kind]
                s.tokens[a, kind] = 0
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if avatars.move(s, a, actions[a], _FREE) == TOKEN:
            s.under[a] = FLOOR
            s.tokens[a, RAW] = min(s.tokens[a, RAW] + 1, s.params.capacity)
    for k in range(players):
        a = s.order[k]
        if s.cooldown[a] > 0:
            s.cooldown[a] -= 1
        if s.cooldown[a] == 0 and actions[a] == GIFT:
            s.cooldown[a] = s.params.cooldown
            give(s, a)
    avatars.end(s)


@kernel
def grow(s):
    """Let tokens grow on empty sites without an agent."""
    found = sprout_anywhere(s, s.site_count, s.params.growth)
    while found >= 0:
        cell = np.int64(s.sites[found])
        if s.cells[cell] == FLOOR:
            s.cells[cell] = TOKEN
        found = sprout_anywhere(s, s.site_count, s.params.growth)


@large_kernel
def give(s, a):
    """Fire: hand one token to the agent at the end of the beam."""
    last = avatars.fire(s, s.cells, a, LENGTH, 0, _STOPS)
    code = s.cells[s.lit[last - 1]] & (LIT - 1)
    if PLAYER <= code < OWN:
        hand_over(s, a, (code - PLAYER) >> 2)
    avatars.light(s, last, _STOPS)


@kernel
def hand_over(s, a, b):
    """One token of `a` becomes tokens of `b`, if there is one to give and room for one."""
    found = np.int64(-1)
    for k in range(KINDS):
        kind = KINDS - 1 - k if s.params.reference else k
        if s.tokens[a, kind] > 0:
            found = np.int64(kind)
            break
    if found >= 0:
        kind = min(found + 1, TWICE)
        if s.params.reference or s.tokens[b, kind] < s.params.capacity:
            s.tokens[a, found] -= 1
            count = s.params.multiplier if found < TWICE else 1
            s.tokens[b, kind] = min(s.tokens[b, kind] + count, s.params.capacity)


@large_kernel
def observe(s, agent, out):
    avatars.watch(s, agent, out["view"])
    out.ready[0] = avatars.readiness(s, agent, s.params.cooldown)
    for kind in range(KINDS):
        out.tokens[kind] = s.tokens[agent, kind]


PAGE = Page(
    role="You are one of {players} players who collect tokens, and can refine them by giving them away.",
    goal="Each token that you consume pays you 1, whatever its kind.",
    rules=(
        "You walk a map. In each turn each of its empty sites grows a raw token with a chance of {chance}, unless a "
        "player stands there. You take a token by stepping on it. There are three kinds: raw, refined once, and "
        "refined twice. You can hold {capacity} of each kind; what is too much is lost.",
        (
            "A gift is a beam of up to {beam:cell} straight ahead. It ends at the first player or wall. A player "
            "that it hits gets a gift if you hold a token:",
            Case(
                "compat",
                {
                    "documented": "you lose one token of the rawest kind that you hold,",
                    "reference": "you lose one token of the most refined kind that you hold,",
                },
            ),
            "and the other gets {multiplier} of the next kind; a token refined twice is passed on as it is.",
            Case(
                "compat",
                {
                    "documented": "If the other already holds all that it can of the kind that it would get, nothing "
                    "happens.",
                    "reference": "If the other already holds all that it can of that kind, your token is lost.",
                },
            ),
            When("rest", "After a beam you cannot give in the {next_rest}."),
        ),
        "When you consume, all your tokens of all kinds are turned into pay.",
        (
            avatar_pages.CROWD,
            "Within a turn, tokens grow first, then you consume, then you walk, and then beams go off in the same "
            "order, so that you can pass on what you have just been given. Walls and other players block the way.",
        ),
    ),
    sees=(avatar_pages.SEES, "You do not see what the others hold."),
    acts={**avatar_pages.WALKS, "gift": "fire the gift beam", "consume": "turn all your tokens into pay"},
    ends=avatar_pages.ENDS,
    constants={"1": "the reward for a token", "three": "kinds of tokens", "twice": "refined"},
)


class GiftRefinements(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    kind = ("commons", "dilemmas")
    verified = "Melting Pot in lock-step with the rules of its code, recorded and live; growth by frequencies"
    variants = (dict(players=2, growth=0.01, compat="reference"),)
    shown = "giver"
    keys = {**avatars.AvatarWorld.keys, "space": "gift", "c": "consume"}
    legend = LEGEND
    things = {TOKEN: "Raw tokens"}
    player_page = PAGE
    cools_first = True

    def __init__(
        self,
        players: Annotated[int, Between(2, MOST_PLAYERS)] = 6,
        horizon: Annotated[int, Between(1, 1_000_000)] = 5000,
        end_probability: Annotated[float, Between(0, 1)] = 0.2,
        growth: Annotated[float, Between(0, 1)] = 0.0002,
        multiplier: Annotated[int | None, Between(1, 100)] = None,
        capacity: Annotated[int, Between(1, 255)] = 15,
        cooldown: Annotated[int, Between(1, 1000)] = 3,
        compat: Literal["documented", "reference"] = "documented",
    ):
        self.players = players
        reference = compat == "reference"
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=ACTIONS,
            observation=Dict({**self.view_spaces(TOKEN), "tokens": Box(0, capacity, (KINDS,), np.uint8)}),
            fields=fields(players, capacity),
            params={
                "growth": growth,
                "multiplier": multiplier or (5 if reference else 3),
                "capacity": fixed(capacity),
                "cooldown": cooldown,
                "reference": among(("documented", "reference"), compat),
                "end_after": 1000,
                "end_interval": 100,
                "end_probability": end_probability,
                "horizon": horizon,
            },
            reward_range=(0.0, float(KINDS * capacity)),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {
            **avatar_pages.slots(self, s),
            **avatar_pages.nexts(rest=s.params.cooldown - 1),
            "chance": avatar_pages.percent(s.params.growth),
            "beam": LENGTH,
            "multiplier": int(s.params.multiplier),
            "rest": int(s.params.cooldown) - 1,
        }

    def needs(self) -> dict[str, tuple[int, str]]:
        return {"s": (self.players, "starts")}

    def status(self, s: Any, agent: int) -> str:
        raw, once, twice = (int(count) for count in s.tokens[agent])
        return (
            f"{super().status(s, agent)} You hold {raw} raw tokens, {once} refined once and {twice} refined twice, "
            f"up to {int(s.params.capacity)} of each."
        )

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        listed = avatars.are_listed(s.sites, s.site_count, avatars.cells_of(s, SITE))
        return None if listed else "sites does not list where tokens grow"

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        scene.add(*token(x + 0.5, y + 0.5, RAW))

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The map, and under it what all agents hold, or one agent."""
        scene = super().scene(s, agent)
        width, top = scene.width, scene.height + 0.2
        shown = range(self.players) if agent is None else [agent]
        columns = 6 if agent is None else 2
        for k, a in enumerate(shown):
            x, y = (k % columns) * width / columns, top + 1.3 * (k // columns)
            scene.add(Rect(x + 0.1, y, width / columns - 0.2, 1.1, "panel"))
            scene.add(Rect(x + 0.1, y, 0.25, 1.1, agent_color(a)))
            for kind in range(KINDS):
                scene.add(*token(x + 0.75 + 1.28 * kind, y + 0.55, kind, 0.8))
                scene.add(Label(x + 1.13 + 1.28 * kind, y + 0.55, str(int(s.tokens[a, kind])), align="left"))
        scene.height = top + 1.3 * ((len(shown) - 1) // columns + 1)
        return scene


def token(x: float, y: float, kind: int, size: float = 1.0) -> list[Circle]:
    """A token of a kind, with a ring for each refinement."""
    rings = [Circle(x, y, (0.24 - 0.1 * k) * size, None, "white", 0.05 * size, glyph="") for k in range(kind)]
    return [Circle(x, y, 0.36 * size, _COLORS[kind], "black", 0.04 * size, glyph="123"[kind]), *rings]


env, raw_env, parallel_env = pettingzoo_forms(GiftRefinements)
