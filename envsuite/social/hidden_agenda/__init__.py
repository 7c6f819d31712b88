"""HiddenAgenda: a crew collects gems, an impostor freezes its members, and all vote on whom to eject (Melting Pot).

**Rules.** Agents walk a ship of 33 x 22 cells. All are members of the crew but one, the impostor. Only the impostor
knows who it is.

- *Gems.* An agent that carries fewer than `capacity` gems takes the gem on its cell. Gems never block the way. A site
  without a gem grows one again with probability `regrowth` a step. An agent that enters the deposit leaves all its gems
  there. With `goal` gems in the deposit, the crew wins at the beginning of the next step.
- *Tags.* The impostor's beam covers eight cells: two ahead, one and two to both sides, and those ahead of the cells
  beside it. It goes through walls and windows, but ends at agents. Crew members that it reaches are frozen for the rest
  of the episode: they stay where they are, block the way, and neither act nor vote. After the beam, and at the start,
  the impostor has to wait for `cooldown` steps. With at most one active crew member left, the impostor wins.
- *Witnesses.* If the impostor fires while it is in the view of an active crew member that the beam does not freeze, all
  agents are called to a vote at once. This holds also for a beam that reaches nobody.
- *Votes.* A vote is also called in step `interval`, and then `interval` steps after each call; the steps until the
  vote ends do not count. All that are active come to random places of the voting room, also those that the beam just
  froze. A vote ends `deliberation` steps after its call. Until then nobody walks, turns or tags, and each active agent
  may change its vote in every step. All agents see all votes.
- *Ejection.* If at least half of the active agents vote for the same agent at the end, it is locked up in the cell for
  the rest of the episode; if two agents have that many votes, the one with the lower number counts. If it is the
  impostor, the crew wins. If it had been frozen or locked up before, nothing happens. The others return to random
  starts, and the impostor has to wait for `cooldown` steps again.

The order within a step:

1. The crew wins if the deposit is full.
2. A vote ends and the agents return, or a vote is called because it is time.
3. During a vote, agents cast their votes. A vote that is cast in the step in which the vote ends comes too late.
4. Otherwise, all agents walk and turn, in random order; if several want a cell, a random one gets it. Then the
   impostor tags.
5. Gems grow. An active agent that stands there takes them.

**Agents.** `player_0` ... `player_4`, or 3 to 7 agents.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| view | Box (11, 11) uint8 | the cells around the agent, see below |
| impostor | Box (1,) uint8 | 1 if the agent is the impostor |
| carries | Box (1,) uint8 | the gems that the agent carries |
| ready | Box (1,) float32 | 1 if the agent can tag, less while its beam cools down, 0 for the crew |
| voting | Box (1,) int64 | steps until the vote ends, 0 between votes |
| votes | Box (agents,) uint8 | for whom each agent votes; with n agents, n is no vote, n + 1 frozen, n + 2 ejected |

The view reaches 9 cells ahead, 1 behind and 5 to each side, also through walls. It is turned so that the agent looks
up: row 0 is farthest ahead, and the agent itself is at row 9, column 5.

| code | cell |
|---|---|
| 0 | outside of the map |
| 1 | wall |
| 2 | floor |
| 3 | gem |
| 4 | deposit |
| 5 | the agent itself |
| 6 | window |
| 8 + 4 k + f | `player_k`; f is 0 if it faces as the observer does, 1 to the observer's right, 2 back, 3 left |
| + 128 | the impostor's beam went over this cell in this step |

**Actions.** Discrete (agents + 9), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `forward`, `backward`, `step left`, `step right` | walks one cell and keeps its facing |
| 5, 6 | `turn left`, `turn right` | |
| 7 | `tag` | fires the beam of the impostor |
| 8 ... | `vote player_0`, `vote player_1` and so on | votes for this agent, during a vote |
| last | `vote nobody` | takes the own vote back |

**Window.** The up and down keys walk forward and backward. The left and right keys turn. The keys a and d step to the
left and to the right, and the key . does nothing. Space tags. The keys 0 to 6 vote for agents, and n for nobody.

**Rewards.** At the end: +1 to each agent of the side that wins, -1 to each of the other side.

**Ends.** Terminates when a side wins. Truncated without rewards after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 5 | number of agents, from 3 to 7 |
| `impostor` | None | number of the agent that is the impostor, below `players`; None: random in each episode |
| `horizon` | 3000 | steps until truncation, from 1 to 1,000,000 |
| `goal` | 32 | gems in the deposit with which the crew wins, from 1 to 1000 |
| `regrowth` | 0.001 | probability that a gem grows on an empty site in a step, from 0 to 1 |
| `capacity` | 1 | gems that an agent can carry, from 1 to 9 |
| `cooldown` | 50 | steps until the impostor can tag again, from 1 to 1,000,000 |
| `interval` | 200 | steps from the start or a call to the next vote, less those of votes, from 1 to 1,000,000 |
| `deliberation` | 25 | steps of a vote, from 1 to 1,000,000 |
| `compat` | documented | or reference: how witnesses are counted, see below |

**Level.** ``{"map": [22 strings of 33 letters]}``: ``#`` wall, ``.`` floor, ``g`` gem, ``d`` deposit, ``s`` floor where
agents start, ``v`` floor of the voting room, ``c`` floor of the cell, ``w`` window. Without a level, every episode has
a new map from `envsuite.social.hidden_agenda.levels`.

**Known values.** Uniformly random play with ``horizon=1000``, means +- standard errors:

| | sum of all rewards | steps |
|---|---|---|
| Melting Pot, 8 episodes | 0.75 +- 0.94 | 554 |
| this world with Melting Pot's map as the level and ``compat="reference"``, 1024 episodes | -0.25 +- 0.08 | 646 +- 9 |
| this world, 16,384 episodes | -0.27 +- 0.02 | 610 +- 2 |

Its documentation calls the game zero-sum between teams; as the crew is larger, the sum of rewards is not 0.

**Differences.** From Melting Pot's `hidden_agenda`:

- Every episode has a new map of the same census. There, it is always the same.
- Symbols replace RGB pictures. There, a vote has no clock, and the table of votes does not say whether an agent is
  frozen or ejected; both follow from what all agents have seen.
- The impostor is a random agent. There, it is always the last one, which agents could learn: ``impostor=4``.
- 3 to 7 agents can play; there, it is always 5.
- Its documentation lets agents carry two gems; its code, and `capacity` here, lets them carry one.
- Its documentation has a vote called by an agent that sees the beam fired "and is not frozen by it". So it is here. Its
  code compares two numbers instead: of active agents with the impostor in view, and of agents, frozen ones too, that
  rays from the impostor meet. It calls a vote if the first is larger, and takes both from before the walking of the
  step. Its rays end at walls, but the beam does not. ``compat="reference"`` does all of that.
- Its code can end an episode twice in one step and then pays twice, such as with a beam that freezes the last two crew
  members. Here, a step pays once.
- Its options for pseudo-rewards, which the benchmark leaves at 0, are left out.

**Source.** Agapiou et al., "Melting Pot 2.0", 2022; its code at commit 81ee2e7, and Lab2D's for the order of events.
Kopparapu et al., "Hidden Agenda: a social deduction game with diverse learned equilibria", 2022.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.digits import whole
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Page, Pattern, When
from envsuite.core.random import randint, shuffle
from envsuite.core.ranges import among, below, flag, limited, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import avatars
from envsuite.kit.grid import BACKWARD, FORWARD, LEFT, NORTH, RIGHT, ahead, random_spot, sprout
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Line, Polygon, Rect, Scene, Shape, avatar, moved
from envsuite.render.theme import agent_color
from envsuite.social.hidden_agenda import levels as ships
from envsuite.social.hidden_agenda.levels import CELLS, HEIGHT, LEGEND, WIDTH, deposit, gem, window

TAG = len(avatars.MOVES)
VOTE = TAG + 1

#: Codes of cells in addition to those of `envsuite.kit.avatars`.
GEM, DEPOSIT, WINDOW = 3, 4, 6

#: What became of an agent.
ACTIVE, FROZEN, EJECTED = range(3)

#: Cells of the beam and of the reference's rays straight ahead, and how far they reach to both sides.
LENGTH, RADIUS = 2, 2

MOST_PLAYERS, MOST_CAPACITY, MOST_GOAL, MOST_STEPS = CELLS, 9, 1000, 1_000_000

_KIND = np.array(
    [avatars.WALL, avatars.FLOOR, GEM, DEPOSIT, avatars.FLOOR, avatars.FLOOR, avatars.FLOOR, WINDOW], np.uint8
)
_STOPS, _FREE = avatars.tables(stops=(WINDOW,), blocks=(WINDOW,))


def fields(players: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *avatars.fields(players, HEIGHT, WIDTH, len(LEGEND)),
        ("impostor", below(np.int64, players)),  # which agent is the impostor
        ("fate", below(np.int64, 3), (players,)),  # ACTIVE, FROZEN or EJECTED
        ("carries", within(np.int64, 0, MOST_CAPACITY), (players,)),  # gems that an agent carries
        ("deposited", within(np.int64, 0, MOST_GOAL + players * MOST_CAPACITY)),  # gems in the deposit
        ("until", within(np.int64, 1, MOST_STEPS)),  # free steps until the next vote is called
        ("voting", within(np.int64, 0, MOST_STEPS)),  # steps until the vote ends, 0 between votes
        ("vote", within(np.int64, 0, players), (players,)),  # for whom an agent votes, or their number: nobody
        ("sees", flag(), (players,)),  # within a step: who witnesses the beam
        *avatars.list_fields("empty_count", "empty", HEIGHT, WIDTH),  # sites without gems
        *avatars.list_fields("start_count", "starts", HEIGHT, WIDTH),  # where agents start
        *avatars.list_fields("place_count", "places", HEIGHT, WIDTH),  # where they vote
        *avatars.list_fields("cell_count", "prison", HEIGHT, WIDTH),  # where they are locked up
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        ships.ship(s, s.map)
    avatars.lay(s, _KIND)
    s.start_count = avatars.list_spots(s, s.starts, ships.START)
    s.place_count = avatars.list_spots(s, s.places, ships.PLACE)
    s.cell_count = avatars.list_spots(s, s.prison, ships.CELL)
    s.empty_count = s.deposited = s.voting = 0
    s.until = s.params.interval
    avatars.begin(s)
    players = s.at.shape[0]
    s.impostor = s.params.impostor if s.params.impostor >= 0 else randint(s, players)
    for a in range(players):
        s.fate[a] = ACTIVE
        s.carries[a] = 0
        s.vote[a] = players
        s.sees[a] = 0
        avatars.place(s, a, random_spot(s, s.starts, s.start_count, s.cells, _FREE))
    s.cooldown[s.impostor] = s.params.cooldown


@kernel
def step(s, actions, rewards):
    avatars.dim(s)
    players = s.at.shape[0]
    empty_before = s.empty_count
    if s.deposited >= s.params.goal:
        conclude(s, rewards, s.impostor, False)
        return
    if s.voting > 0:
        s.voting -= 1
        if s.voting == 0:
            eject(s, rewards)
            if s.terminated[0]:
                return
            free_all(s)
    else:
        s.until -= 1
        if s.until == 0:
            call(s)
    if s.voting > 0:
        s.cooldown[s.impostor] = s.params.cooldown
        for a in range(players):
            if s.fate[a] == ACTIVE and actions[a] >= VOTE:
                s.vote[a] = actions[a] - VOTE
    else:
        fires = s.cooldown[s.impostor] == 0 and actions[s.impostor] == TAG
        noticed = fires and s.params.reference and outnumbered(s)
        walk(s, actions)
        if fires:
            tag(s, noticed, rewards)
        elif s.cooldown[s.impostor] > 0:
            s.cooldown[s.impostor] -= 1
    grow(s, empty_before)
    if s.t >= s.params.horizon and not s.terminated[0]:
        fill(s.truncated, 1)


@kernel
def conclude(s, rewards, impostor, wins):
    """The impostor wins, or the crew does."""
    for a in range(s.at.shape[0]):
        rewards[a] = 1.0 if (a == impostor) == wins else -1.0
        s.terminated[a] = 1


@kernel
def is_over(s):
    """Whether at most one crew member is active."""
    crew = 0
    for a in range(s.at.shape[0]):
        crew += a != s.impostor and s.fate[a] == ACTIVE
    return crew <= 1


@kernel
def send(s, spots, count):
    """Put all active agents on random cells of a list."""
    for a in range(s.at.shape[0]):
        if s.fate[a] == ACTIVE:
            avatars.leave(s, a)
            avatars.place(s, a, random_spot(s, spots, count, s.cells, _FREE))


@kernel
def call(s):
    """A vote begins."""
    s.voting = s.params.deliberation
    s.until = s.params.interval
    send(s, s.places, s.place_count)


@kernel
def free_all(s):
    """A vote is over: the agents return to the hall."""
    players = s.at.shape[0]
    fill(s.vote, players)
    s.cooldown[s.impostor] = s.params.cooldown + 1  # this step counts it down
    send(s, s.starts, s.start_count)


@kernel
def accused(s):
    """The first agent for which at least half of the active agents vote, or -1."""
    players, active = s.at.shape[0], 0
    for a in range(players):
        active += s.fate[a] == ACTIVE
    for k in range(players):
        votes = 0
        for a in range(players):
            votes += s.fate[a] == ACTIVE and s.vote[a] == k
        if 2 * votes >= active:
            return k
    return -1


@kernel
def eject(s, rewards):
    """Lock up the agent that the vote decided on."""
    a = accused(s)
    if a < 0 or s.fate[a] != ACTIVE:
        return
    s.fate[a] = EJECTED
    avatars.leave(s, a)
    avatars.place(s, a, random_spot(s, s.prison, s.cell_count, s.cells, _FREE))
    if a == s.impostor:
        conclude(s, rewards, s.impostor, False)
    elif is_over(s):
        conclude(s, rewards, s.impostor, True)


@kernel
def walk(s, actions):
    """Active agents walk and turn, take gems and leave them in the deposit."""
    players = s.at.shape[0]
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if s.fate[a] == ACTIVE and avatars.move(s, a, actions[a], _FREE) >= 0:
            take(s, a)
            if s.under[a] == DEPOSIT:
                s.deposited += s.carries[a]
                s.carries[a] = 0


@kernel
def take(s, a):
    """An agent takes the gem on its cell if it has room for it."""
    if s.under[a] == GEM and s.carries[a] < s.params.capacity:
        s.carries[a] += 1
        s.under[a] = avatars.FLOOR
        s.empty[s.empty_count] = s.at[a]
        s.empty_count += 1


@kernel
def has_in_view(s, a, b):
    """Whether agent b is in the view of agent a."""
    wide = avatars.stride(s)
    down = s.at[b] // wide - s.at[a] // wide
    right = s.at[b] % wide - s.at[a] % wide
    for _ in range((s.facing[a] + 1) & 3):  # turn until a looks up
        down, right = -right, down
    return -(avatars.VIEW - 1 - avatars.BEHIND) <= down <= avatars.BEHIND and abs(right) <= avatars.MIDDLE


@large_kernel
def tag(s, noticed, rewards):
    """The impostor fires; `noticed` says whether that calls a vote, in the way of the reference."""
    players = s.at.shape[0]
    s.cooldown[s.impostor] = s.params.cooldown
    for a in range(players):
        s.sees[a] = a != s.impostor and s.fate[a] == ACTIVE and has_in_view(s, a, s.impostor)
        s.hit[a] = 0
    beam(s, s.at[s.impostor] + ahead(s.facing[s.impostor], avatars.stride(s)), np.int64(LENGTH))
    for side in (LEFT, RIGHT):
        beside = s.at[s.impostor]
        for offset in range(RADIUS):
            beside += ahead(s.facing[s.impostor] + side, avatars.stride(s))
            if beam(s, beside, LENGTH - offset):
                break
    for a in range(players):
        if not s.params.reference:
            noticed |= s.sees[a] and not s.hit[a]
        s.sees[a] = 0
    if noticed:
        call(s)
    for a in range(players):
        if s.hit[a]:
            s.hit[a] = 0
            s.fate[a] = FROZEN
    if is_over(s):
        conclude(s, rewards, s.impostor, True)


@kernel
def beam(s, cell, length):
    """A ray from this cell on: mark the first agent as hit if it is active; return whether it is on the first cell."""
    for k in range(length):
        code = np.int64(s.cells[cell])
        if avatars.PLAYER <= code & (avatars.LIT - 1) < avatars.OWN:
            a = ((code & (avatars.LIT - 1)) - avatars.PLAYER) >> 2
            if s.fate[a] == ACTIVE:
                s.hit[a] = 1
            return k == 0
        if code < avatars.LIT and code != avatars.WALL and code != avatars.OUTSIDE and code != WINDOW:
            s.cells[cell] = code | avatars.LIT
            s.lit[s.lit_count] = cell
            s.lit_count += 1
        cell += ahead(s.facing[s.impostor], avatars.stride(s))
    return False


@large_kernel
def outnumbered(s):
    """The reference's rule: whether more active agents see the impostor than rays from it meet agents."""
    here, facing, wide = s.at[s.impostor], s.facing[s.impostor], avatars.stride(s)
    balance = 0
    for a in range(s.at.shape[0]):
        balance += a != s.impostor and s.fate[a] == ACTIVE and has_in_view(s, a, s.impostor)
    for way in range(4):
        if way != BACKWARD:
            balance -= meets(s, here, facing + way, np.int64(LENGTH if way == FORWARD else RADIUS))
            if way != FORWARD:
                balance -= meets(s, here + ahead(facing + way, wide), facing, np.int64(LENGTH - 1))
    return balance > 0


@kernel
def meets(s, cell, facing, length):
    """Whether the first thing within this number of cells is an agent."""
    for _ in range(length):
        cell += ahead(facing, avatars.stride(s))
        code = s.cells[cell] & (avatars.LIT - 1)
        if _STOPS[code]:
            return avatars.PLAYER <= code < avatars.OWN
    return False


@kernel
def grow(s, old):
    """Let gems grow on sites that were empty before this step; an active agent there takes them."""
    count = s.empty_count
    left = sprout(s, s.empty, old, count, s.cells, s.params.chances)
    s.empty_count = left
    for k in range(left, count):
        cell = np.int64(s.empty[k])
        code = s.cells[cell]
        if code & (avatars.LIT - 1) >= avatars.PLAYER:
            a = ((code & (avatars.LIT - 1)) - avatars.PLAYER) >> 2
            s.under[a] = GEM
            if s.fate[a] == ACTIVE:
                take(s, a)
        else:
            s.cells[cell] = code & avatars.LIT | GEM


@large_kernel
def observe(s, agent, out):
    avatars.watch(s, agent, out["view"])
    players = s.at.shape[0]
    mine = agent == s.impostor
    out.impostor[0] = mine
    out.carries[0] = s.carries[agent]
    out.ready[0] = 1.0 - min(s.cooldown[agent] / s.params.cooldown, 1.0) if mine and s.fate[agent] == ACTIVE else 0.0
    out.voting[0] = s.voting
    for a in range(players):
        out.votes[a] = s.vote[a] if s.fate[a] == ACTIVE else players + s.fate[a]


_RULES = (
    "You are {players} on a ship of {rows} rows and {columns} columns of cells; one of you is the impostor, and the "
    "others are the crew. In each step all choose at the same time. Moves are made in an order drawn by lot; a cell "
    "holds one agent. Then the impostor fires.",
    "You take a gem by walking onto it, or if it grows under you, and can carry {capacity:gem}. A place without a gem "
    "grows one again with a chance of {regrowth} in each step. An agent that enters the deposit leaves its gems there.",
    (
        "The impostor's beam covers two cells ahead, two to the left, two to the right, and the cells ahead of those "
        "at its sides. It goes through walls and windows and ends at agents. Crew that it hits is frozen to the end: "
        "it stands in the way, and neither acts nor votes. After the beam, after a vote and at the start, the "
        "impostor waits for {cooldown:step}.",
        When(
            "documented",
            "If it fires in view of active crew that the beam does not freeze, a vote is called at once.",
            "If it fires, a vote is called at once if more active crew have it in view than agents, frozen ones "
            "too, stand in the cells of the beam. Both are counted before the moves of the step. In this count, a "
            "wall, a window or an agent in the first cell ahead, to the left or to the right hides the second one.",
        ),
    ),
    (
        "A vote is also called after {interval:step} from the start or the last call; steps of votes do not count. All "
        "that were active before the beam come to the voting room. The vote ends after {deliberation:step}. Until then "
        "nobody walks or fires, and each active agent may change its vote in each step. In the step in which it ends "
        "it is too late to vote. If at least half of the active agents vote for the same one, it is locked up to the "
        "end; if two have that many votes, it is the one with the lower number. Nothing happens if it was frozen or "
        "locked up before. The others return to places drawn by lot.",
    ),
)
_GOAL = (
    "If your side wins, you get +1, if the other side wins, -1. The crew wins with {goal:gem} in the deposit, or when "
    "the impostor is locked up. The impostor wins when at most one of the crew is active."
)
_ACTS: Mapping[Pattern, str] = {
    ("forward", "backward", "step left", "step right"): "walk one cell without turning",
    ("turn left", "turn right"): "turn where you stand",
    "noop": "do nothing",
    ("vote {PLAYER}", "vote nobody"): "vote for this one, or take your vote back, during a vote",
}
_ENDS = "It is over when a side has won, and without pay after {horizon:step}."
_UNSAID = {"impostor": "who it is, is secret"}
_CONSTANTS = {"1": "the reward", "two": "cells of the beam", "half": "of the votes"}
_SIGHT = (
    "You see {ahead:cell} ahead, {aside:cell} to each side and {behind:cell} behind you, also through walls. You know "
    "who is frozen or locked up, and during a vote how all vote."
)
PAGES = {
    "crew": Page(
        role="You belong to the crew.",
        goal=_GOAL,
        rules=_RULES,
        sees=(_SIGHT, "Only the impostor knows who it is."),
        acts={**_ACTS, "tag": "do nothing; only the impostor has a beam"},
        ends=_ENDS,
        unsaid=_UNSAID,
        constants=_CONSTANTS,
    ),
    "impostor": Page(
        role="You are the impostor.",
        goal=_GOAL,
        rules=_RULES,
        sees=(_SIGHT, "The crew does not know that you are the impostor."),
        acts={**_ACTS, "tag": "fire your beam"},
        ends=_ENDS,
        unsaid=_UNSAID,
        constants=_CONSTANTS,
    ),
}


class HiddenAgenda(avatars.AvatarWorld):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    player_page = PAGES
    paid_at_end = True
    kind = ("deduction", "commons")
    verified = "Melting Pot: random play, and a second implementation of its rules in lock-step"
    variants = (
        dict(players=3, interval=4, deliberation=3, cooldown=2, regrowth=0.2, capacity=2, goal=3),
        dict(players=7, impostor=6, interval=3, deliberation=2, cooldown=1, compat="reference"),
    )
    shown = "detective"
    keys = {
        **avatars.AvatarWorld.keys,
        "space": "tag",
        **{str(a): f"vote player_{a}" for a in range(MOST_PLAYERS)},
        "n": "vote nobody",
    }
    legend = LEGEND
    things = {GEM: "Gems", DEPOSIT: "Deposit", WINDOW: "Windows"}

    def __init__(
        self,
        players: Annotated[int, Between(3, MOST_PLAYERS)] = 5,
        impostor: Annotated[int | None, Between(0, MOST_PLAYERS - 1)] = None,
        horizon: Annotated[int, Between(1, 1_000_000)] = 3000,
        goal: Annotated[int, Between(1, MOST_GOAL)] = 32,
        regrowth: Annotated[float, Between(0, 1)] = 0.001,
        capacity: Annotated[int, Between(1, MOST_CAPACITY)] = 1,
        cooldown: Annotated[int, Between(1, MOST_STEPS)] = 50,
        interval: Annotated[int, Between(1, MOST_STEPS)] = 200,
        deliberation: Annotated[int, Between(1, MOST_STEPS)] = 25,
        compat: Literal["documented", "reference"] = "documented",
    ):
        if impostor is not None and impostor >= players:
            raise ParameterError(f"{self.id}: impostor={impostor} is no agent; players={players}")
        self.players = players
        agents = [f"player_{a}" for a in range(players)]
        self.keys = {key: action for key, action in self.keys.items() if (whole(key) or 0) < players}
        spaces = self.view_spaces(WINDOW)
        self.define(
            agents=agents,
            actions=[*avatars.MOVES, "tag", *(f"vote {name}" for name in agents), "vote nobody"],
            observation=Dict(
                {
                    "view": spaces["view"],
                    "impostor": Box(0, 1, (1,), np.uint8),
                    "carries": Box(0, MOST_CAPACITY, (1,), np.uint8),
                    "ready": spaces["ready"],
                    "voting": Box(0, MOST_STEPS, (1,), np.int64),
                    "votes": Box(0, players + EJECTED, (players,), np.uint8),
                }
            ),
            fields=fields(players),
            params={
                "impostor": limited(-1 if impostor is None else impostor, -1, players - 1),
                "goal": goal,
                "chances": [float(regrowth)],
                "capacity": capacity,
                "cooldown": cooldown,
                "interval": interval,
                "deliberation": deliberation,
                "reference": among(("documented", "reference"), compat),
                "horizon": horizon,
            },
            reward_range=(-1.0, 1.0),
        )

    def needs(self) -> dict[str, tuple[int, str]]:
        return {
            "s": (self.players, "starts"),
            "v": (self.players, "places in the voting room"),
            "c": (self.players, "places in the cell"),
        }

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        if s.away.any() or s.hit.any() or s.sees.any():
            return "an agent is away, or still has to be frozen"
        for name, count, letter in (
            ("starts", s.start_count, ships.START),
            ("places", s.place_count, ships.PLACE),
            ("prison", s.cell_count, ships.CELL),
        ):
            if not avatars.are_listed(s[name], count, avatars.cells_of(s, letter)):
                return f"{name} does not list these cells of the map"
        sites = avatars.cells_of(s, ships.GEM)
        if not avatars.are_listed(s.empty, s.empty_count, sites[ground[sites] == avatars.FLOOR]):
            return "empty does not list the sites without gems"
        letters = np.full(ground.shape, avatars.WALL)
        inside = slice(avatars.BORDER, -avatars.BORDER)
        letters.reshape(HEIGHT + 2 * avatars.BORDER, -1)[inside, inside] = _KIND[s.map]
        if (ground != letters)[(ground != avatars.OUTSIDE) & ~((ground == avatars.FLOOR) & (letters == GEM))].any():
            return "the ground is not that of the map"
        return None

    def text(self, s: Any, agent: int) -> str:
        votes = self.observation(s, agent)["votes"]
        lines = [super().text(s, agent)]
        for fate, name in ((FROZEN, "Frozen"), (EJECTED, "Ejected")):
            if gone := [self.agents[a] for a in np.flatnonzero(votes == self.players + fate)]:
                lines.append(f"{name}: {', '.join(gone)}.")
        if s.voting:
            steps = "1 step" if s.voting == 1 else f"{s.voting} steps"
            cast = [f"{self.agents[a]} for {self.agents[k]}" for a, k in enumerate(votes) if k < self.players]
            lines.append(f"A vote ends in {steps}. Votes: {'; '.join(cast) if cast else 'none'}.")
        return "\n".join(lines)

    def page_role(self, s: Any, agent: int) -> str:
        return "impostor" if agent == s.impostor else "crew"

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        rows, columns = s.map.shape
        return {
            "rows": rows,
            "columns": columns,
            "documented": self.parameters["compat"] == "documented",
            "ahead": avatars.own_row(self.view_shape[0]),
            "aside": self.view_shape[1] // 2,
            "behind": self.view_shape[0] - 1 - avatars.own_row(self.view_shape[0]),
        }

    def status(self, s: Any, agent: int) -> str:
        gems = "no gem" if s.carries[agent] == 0 else "1 gem" if s.carries[agent] == 1 else f"{s.carries[agent]} gems"
        words = ["You are the impostor." if agent == s.impostor else "You belong to the crew.", f"You carry {gems}."]
        if s.fate[agent] != ACTIVE:
            fate = "frozen" if s.fate[agent] == FROZEN else "locked up"
            words.append(f"You are {fate} to the end. What you do has no effect.")
        elif agent == s.impostor:
            steps = min(int(s.cooldown[agent]), int(s.params.cooldown))
            words.append(f"Your beam cools down, {steps} more steps at least." if steps else "Your beam is ready.")
        return " ".join(words)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The map or a view, and below it the votes."""
        scene = super().scene(s, agent)
        size = max(scene.width, scene.height) / 32 if agent is None else 0.42
        top, wide = scene.height, scene.width / self.players
        if agent is None:
            full = f"in the deposit {s.deposited} / {s.params.goal}"
            scene.add(Label(scene.width - 0.25, top - size, full, size, "muted", "right"))
        scene.height += 5.2 * size
        scene.add(Rect(0, top, scene.width, 5.2 * size, "paper"))
        for a in range(self.players):
            x = (a + 0.5) * wide
            shapes = self.figure(s, a, agent, 0.0, 0.0, NORTH)
            scene.add(*(moved(shape, x, top + 1.5 * size, 2.4 * size) for shape in shapes))
            if s.fate[a] != ACTIVE:
                words = "frozen" if s.fate[a] == FROZEN else "ejected"
            elif s.voting == 0:
                words = "you" if a == agent else ""
            else:
                words = "no vote" if s.vote[a] == self.players else f"votes {s.vote[a]}"
            scene.add(Label(x, top + 3.6 * size, words, size, "ink"))
        return scene

    def plain(self, s: Any, a: int, x: float, y: float, facing: int) -> list[Shape]:
        """An agent as all see it."""
        shapes = avatar(x, y, facing, agent_color(a), text=str(a))
        if s.fate[a] == FROZEN:
            shapes[1] = replace(shapes[1], glyph="x" + shapes[1].glyph[1:])
            ice = Rect(x - 0.46, y - 0.46, 0.92, 0.92, "sky@0.45", "sky", 0.07, glyph="")
            glint = Line([(x - 0.38, y - 0.12), (x - 0.12, y - 0.38)], "white", 0.08)
            shapes = [*shapes[:2], ice, glint, *shapes[2:]]
        return shapes

    def figure(self, s: Any, a: int, viewer: int | None, x: float, y: float, facing: int) -> list[Shape]:
        """Frozen agents are in a block of ice; the impostor has horns, and an agent that carries gems a gem."""
        shapes = self.plain(s, a, x, y, facing)
        if viewer is None or viewer == a:
            if a == s.impostor:
                for i in (-1, 1):
                    horn = [(x + i * 0.1, y - 0.26), (x + i * 0.36, y - 0.16), (x + i * 0.34, y - 0.52)]
                    shapes.append(Polygon(horn, "red", "black", 0.03))
                # In terminals, the impostor has a letter and the crew numbers.
                shapes[1] = replace(shapes[1], glyph=shapes[1].glyph[:1] + chr(ord("A") + a))
            if s.carries[a]:
                shapes += [
                    replace(shape, glyph="") if isinstance(shape, Polygon) else shape for shape in gem(x, y, 0.6)
                ]
                shapes[-2:] = [moved(shape, 0.3, 0.3) for shape in shapes[-2:]]
        return shapes

    def tally(self, grid: np.ndarray) -> list[tuple[int, str, int]]:
        """The gems on the map; those in the deposit are no part of it."""
        return [entry for entry in super().tally(grid) if entry[0] == GEM]

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        if code == GEM:
            scene.add(*gem(x + 0.5, y + 0.5))
        else:
            scene.add(*(deposit if code == DEPOSIT else window)(x, y))


env, raw_env, parallel_env = pettingzoo_forms(HiddenAgenda)
