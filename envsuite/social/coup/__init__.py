"""Coup: players claim roles that they may not have, challenge each other, and take influence until one is left.

**Rules.** There are three cards of each of five roles. Each player has two of them face down, its influence, and 2
coins. The other cards are the court. `player_0` begins, and the players that still have influence take turns. In its
turn, a player does one of these things:

| act | claims | effect | can be blocked by |
|---|---|---|---|
| income | | 1 coin | |
| foreign aid | | 2 coins | any player that claims the Duke |
| coup | | pays 7 coins; the target loses influence | |
| tax | the Duke | 3 coins | |
| assassinate | the Assassin | pays 3 coins; the target loses influence | the target, if it claims the Contessa |
| steal | the Captain | takes up to 2 coins of the target | the target, if it claims the Captain or the Ambassador |
| exchange | the Ambassador | draws two cards of the court and returns two | |

A player with 10 coins or more must make a coup.

1. *Challenge.* After a claim, the others are asked in turn whether they challenge it, from the next seat on. If it is
   true, the claimant shows the card, returns it to the court and draws another, and the challenger loses influence.
   Otherwise, the claimant loses influence, and nothing comes of its act. An assassin gets its 3 coins back.
2. *Block.* If the act still stands, the players that can block it are asked in turn. A block is a claim too, so all
   other players are asked whether they challenge it. If nobody does or the claim is true, nothing comes of the act.

Who loses influence chooses one of its cards and turns it face up. A player without influence is out, and its coins
are gone. The last player wins.

**Agents.** `player_0` ... `player_{players-1}`. Players that are out stay until the end, without a legal action.

**Observation.** Dict of int8 arrays, with N players; -1 means none.

| part | space | content |
|---|---|---|
| phase | Box (1,) | 0 act, 1 challenge, 2 block, 3 challenge of a block, 4 loss of influence, 5 exchange |
| agent | Box (1,) | the observing agent's number |
| mover | Box (1,) | the player that acts now |
| actor | Box (1,) | the player whose turn it is |
| act | Box (1,) | its act: 0 income, 1 foreign aid, 2 tax, 3 exchange, 4 coup, 5 assassinate, 6 steal |
| target | Box (1,) | the target of its act |
| blocker | Box (1,) | the player that blocks it |
| block | Box (1,) | the role that the blocker claims |
| hand | Box (4,) | the agent's own face-down cards; more than two while it exchanges |
| held | Box (N,) | the number of face-down cards of each player |
| lost | Box (N, 2) | the face-up cards of each player |
| coins | Box (N,) | the coins of each player |
| claims | Box (N, 5) | how often each has claimed each role, up to 99; 0 again after a challenge or an exchange |
| log | Box (12, 3) | the last events: the player, the event, its target |

Roles: 0 Duke, 1 Assassin, 2 Captain, 3 Ambassador, 4 Contessa. An event is the number of an action in the table below,
where those that are aimed at a player count once: 20 coup, 21 assassinate, 22 steal; or 23 to 27: a player shows a Duke
and so on. Events leave out what players pass and return.

**Actions.** Discrete (20 + 3 N).

| action | name | legal |
|---|---|---|
| 0 - 3 | `income`, `foreign aid`, `tax`, `exchange` | in its turn, with fewer than 10 coins |
| 4 | `pass` | when asked |
| 5 | `challenge` | when asked about a claim |
| 6 | `block as Duke` | when asked about foreign aid |
| 7, 8 | `block as Captain`, `block as Ambassador` | as the target, when asked about a theft |
| 9 | `block as Contessa` | as the target, when asked about an assassination |
| 10 + r | `lose Duke`, `lose Assassin` and so on | for a card that it has, when it loses influence |
| 15 + r | `return Duke`, `return Assassin` and so on | for a card that it has, in an exchange |
| 20 + j | `coup player_j` | in its turn, with 7 coins, against another player with influence |
| 20 + N + j | `assassinate player_j` | the same with 3 to 9 coins |
| 20 + 2N + j | `steal from player_j` | the same with fewer than 10 coins |

**Window.** A click on a player is a coup against it, a click on its coins steals from it, and one on its cards
assassinates. The keys i, f, t and e stand for the other acts, p passes, and c challenges.

**Rewards.** At the end +1 to the winner and -1 / (N - 1) to the others.

**Ends.** Terminates when one player is left. Truncates after `horizon` transitions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 3 | number of players, from 2 to 6 |
| `rules` | official | or textarena, see below |
| `horizon` | 1000 | maximum number of transitions, from 1 to 100000 |

**Level.** ``{"hands": [["Duke", "Captain"], ["Contessa"], []], "lost": [[], ["Duke"], ["Duke", "Captain"]],
"coins": [2, 0, 0], "first": 0}``: each player's face-down and face-up cards, two in all, its coins, and the first
player.

**Known values.** A hand of two cards holds a given role with the probability 13/35.

**Differences.** From the board game:

- Players are asked in turn whether they challenge and block. There, the first to speak counts.
- Players say nothing besides: a player's claims are its acts. Free talk (`envsuite.talk`) adds words to them.
- The variant for two players, in which each chooses one of its cards, is left out.
- There are as many coins as needed; there, 50.
- After `horizon` transitions, a game ends without a winner. There, it has no limit.

From TextArena's Coup, whose rules are those of ``rules="textarena"``:

- Its answers have one round: each player is asked once, the target first and then by number, and may challenge or
  block. After a challenge that fails, nobody can block.
- It forbids theft from a player with fewer than 2 coins.
- A player loses the last card of its hand, without a choice. A card that is drawn comes last.
- A player that is out keeps its coins, which can still be stolen in the same turn.
- It accepts blocks from players that are not the target, and a coup or an assassination against oneself. Here, they
  are illegal in both forms.

**Source.** Tahta, "Coup", 2012. LeonGuertler/TextArena, Coup.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Dict

from envsuite.core import random
from envsuite.core.arrays import copy, fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_integer, read_list, read_numbers
from envsuite.core.page import listed
from envsuite.core.ranges import below, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.kit import deduction
from envsuite.kit.deduction import NOBODY, Act, part
from envsuite.registry import pettingzoo_forms
from envsuite.social.coup import pages, view
from envsuite.social.coup.view import BLOCK

#: Cards of a role, cards that a player can hold, coins that it can have, and events that are kept.
COPIES, HAND, COINS, EVENT_COUNT = 3, 4, 12, 12

#: What follows a loss of influence: the next turn, the question whether the act is blocked, or the act.
NEXT_TURN, ASK_FOR_BLOCK, PERFORM = range(3)

OFFICIAL, TEXTARENA = range(2)
RULES = ("official", "textarena")

ACTS = (
    Act("income"),
    Act("foreign aid"),
    Act("tax"),
    Act("exchange"),
    Act("pass"),
    Act("challenge"),
    *(Act(f"block as {view.ROLES[role]}") for role in (view.DUKE, view.CAPTAIN, view.AMBASSADOR, view.CONTESSA)),
    *(Act(f"lose {role}") for role in view.ROLES),
    *(Act(f"return {role}") for role in view.ROLES),
    Act("coup {}"),
    Act("assassinate {}"),
    Act("steal from {}"),
)
PASS, CHALLENGE_IT, BLOCK_AS_DUKE, BLOCK_AS_CAPTAIN, BLOCK_AS_AMBASSADOR, BLOCK_AS_CONTESSA = range(4, 10)
LOSE_CARD, RETURN_CARD, AIMED_AT = 10, 15, 20
PLAIN = deduction.count_plain(ACTS)

#: The event of showing a Duke; those of the other roles follow.
SHOW = len(ACTS)


def fields(players: int) -> list[tuple]:
    """The record's own fields."""
    last = players - 1
    player, role = within(np.int64, NOBODY, last), within(np.int8, view.NONE, len(view.ROLES) - 1)
    return [
        ("deal", role, (players, 2)),  # the level: cards of each player
        ("open", below(np.int8, 2), (players, 2)),  # the level: 1 for those that are face up
        ("purse", within(np.int64, 0, COINS), (players,)),  # the level: coins of each player
        ("first", below(np.int64, players)),  # the level: the first player
        ("hand", role, (players, HAND)),  # face-down cards in the order in which they came, then NONE
        ("held", within(np.int64, 0, HAND), (players,)),  # number of face-down cards
        ("lost", role, (players, 2)),  # face-up cards, then NONE
        ("coins", within(np.int64, 0, COINS), (players,)),  # coins of each player
        ("court", within(np.int64, 0, COPIES), (len(view.ROLES),)),  # cards of each role that nobody has
        ("phase", below(np.int64, 6)),  # ACT, CHALLENGE, BLOCK, CONTEST, LOSE or EXCHANGE
        ("mover", below(np.int64, players)),  # the player that acts now
        ("actor", below(np.int64, players)),  # the player whose turn it is
        ("act", within(np.int64, view.NONE, view.STEAL)),  # its act, or NONE
        ("target", player),  # the target of its act, or NOBODY
        ("blocker", player),  # the player that blocks it, or NOBODY
        ("block", within(np.int64, view.NONE, len(view.ROLES) - 1)),  # the role that the blocker claims, or NONE
        ("queue", below(np.int64, players), (players,)),  # the players that are asked, in order
        ("queued", within(np.int64, 0, players)),  # their number
        ("place", below(np.int64, players)),  # those that have answered
        ("then", below(np.int64, 3)),  # in LOSE, what comes after it
        ("claims", within(np.int8, 0, 99), (players, len(view.ROLES))),  # how often each has claimed each role
        ("log", within(np.int8, NOBODY, np.array([last, view.EVENTS - 1, last])), (EVENT_COUNT, 3)),  # the last events
        ("winner", player),  # the player that has won, or NOBODY
    ]


@kernel
def reset(s):
    players = s.held.shape[0]
    if not s.level_given:
        s.first = 0
        for a in range(players):
            s.purse[a] = 2
            s.open[a, 0] = s.open[a, 1] = 0
            s.deal[a, 0] = s.deal[a, 1] = view.NONE
    lay_out(s)
    for a in range(players):
        for k in range(2):
            if not s.level_given:
                s.deal[a, k] = draw(s)
                hold(s, a, s.deal[a, k])
    for e in range(EVENT_COUNT):
        for k in range(3):
            s.log[e, k] = NOBODY
    s.winner = NOBODY
    s.then = NEXT_TURN
    open_turn(s, s.first)


@kernel
def lay_out(s):
    """Lay out the cards and coins of the level; without one, all cards are at the court."""
    for role in range(s.court.shape[0]):
        s.court[role] = COPIES
    for a in range(s.held.shape[0]):
        s.coins[a] = s.purse[a]
        s.held[a] = 0
        for k in range(HAND):
            s.hand[a, k] = view.NONE
        for role in range(s.court.shape[0]):
            s.claims[a, role] = 0
        s.lost[a, 0] = s.lost[a, 1] = view.NONE
        for k in range(2):
            role = np.int64(s.deal[a, k])
            if role != view.NONE:
                s.court[role] -= 1
                if s.open[a, k] != 0:
                    s.lost[a, 0 if s.lost[a, 0] == view.NONE else 1] = role
                else:
                    hold(s, a, role)


@kernel
def draw(s):
    """Take a random card from the court."""
    total = 0
    for role in range(s.court.shape[0]):
        total += s.court[role]
    k, role = random.randint(s, total), 0
    while k >= s.court[role]:
        k -= s.court[role]
        role += 1
    s.court[role] -= 1
    return role


@kernel
def hold(s, player, role):
    """A card joins a hand, as its last one."""
    s.hand[player, s.held[player]] = role
    s.held[player] += 1


@kernel
def give_up(s, player, role):
    """The first card of a role leaves a hand."""
    k = 0
    while s.hand[player, k] != role:
        k += 1
    s.held[player] -= 1
    for i in range(k, s.held[player]):
        s.hand[player, i] = s.hand[player, i + 1]
    s.hand[player, s.held[player]] = view.NONE


@kernel
def holds(table, player, role):
    """Whether a player has a card of a role face down."""
    for k in range(HAND):
        if table.hand[player, k] == role:
            return True
    return False


@kernel
def note(s, player, event, target):
    """Add an event to the log."""
    for e in range(EVENT_COUNT - 1):
        for k in range(3):
            s.log[e, k] = s.log[e + 1, k]
    s.log[EVENT_COUNT - 1, 0] = player
    s.log[EVENT_COUNT - 1, 1] = event
    s.log[EVENT_COUNT - 1, 2] = target


@kernel
def open_turn(s, player):
    """A player's turn."""
    s.actor = player
    s.mover = player
    s.phase = view.ACT
    s.act = view.NONE
    s.target = NOBODY
    s.blocker = NOBODY
    s.block = view.NONE
    clear_queue(s)


@kernel
def clear_queue(s):
    """Nobody is asked."""
    s.queued = 0
    s.place = 0
    fill(s.queue, 0)


@kernel
def next_turn(s):
    player = (s.actor + 1) % s.held.shape[0]
    while s.held[player] == 0:
        player = (player + 1) % s.held.shape[0]
    open_turn(s, player)


@kernel
def enqueue(s, player):
    if s.held[player] > 0:
        s.queue[s.queued] = player
        s.queued += 1


@kernel
def ask(s, phase, claimant, first):
    """Ask all others about a claim, in the order of seats; with TextArena's rules, one first and then by number."""
    players = s.held.shape[0]
    clear_queue(s)
    s.phase = phase
    if s.params.rules == TEXTARENA:
        if first != NOBODY:
            enqueue(s, first)
        for a in range(players):
            if a != claimant and a != first:
                enqueue(s, a)
    else:
        for k in range(1, players):
            enqueue(s, (claimant + k) % players)
    s.mover = s.queue[0]


@kernel
def role_of(act):
    """The role that an act claims, or NONE."""
    if act == view.TAX:
        return view.DUKE
    if act == view.ASSASSINATE:
        return view.ASSASSIN
    if act == view.STEAL:
        return view.CAPTAIN
    return view.AMBASSADOR if act == view.EXCHANGE else view.NONE


@kernel
def claim(s, player, role):
    """Count a claim."""
    s.claims[player, role] = min(s.claims[player, role] + 1, 99)


@kernel
def declare(s, number, target):
    """The player whose turn it is chooses its act."""
    player = s.actor
    s.act = number if number < PASS else number - AIMED_AT + view.COUP
    s.target = target
    if s.act == view.INCOME:
        s.coins[player] += 1
        next_turn(s)
    elif s.act == view.COUP:
        s.coins[player] -= 7
        take_influence(s, target, NEXT_TURN)
    elif s.act == view.FOREIGN_AID:
        ask(s, view.CHALLENGE if s.params.rules == TEXTARENA else BLOCK, player, NOBODY)
    else:
        if s.act == view.ASSASSINATE:
            s.coins[player] -= 3
        claim(s, player, role_of(s.act))
        ask(s, view.CHALLENGE, player, target)


@kernel
def answer(s, action):
    """The player that is asked passes, challenges or blocks."""
    if action == CHALLENGE_IT:
        challenge(s)
    elif action != PASS:
        s.blocker = s.mover
        s.block = block_role(action)
        claim(s, s.blocker, s.block)
        ask(s, view.CONTEST, s.blocker, s.actor)
    elif s.place + 1 < s.queued:
        s.place += 1
        s.mover = s.queue[s.place]
    elif s.phase == view.CHALLENGE:
        ask_for_block(s)
    elif s.phase == BLOCK:
        perform(s)
    else:
        next_turn(s)


@kernel
def block_role(action):
    """The role that a block claims."""
    if action == BLOCK_AS_DUKE:
        return view.DUKE
    if action == BLOCK_AS_CAPTAIN:
        return view.CAPTAIN
    return view.AMBASSADOR if action == BLOCK_AS_AMBASSADOR else view.CONTESSA


@kernel
def challenge(s):
    """The player that is asked challenges a claim: one of the two loses influence."""
    contest = s.phase == view.CONTEST
    claimant = s.blocker if contest else s.actor
    role = s.block if contest else role_of(s.act)
    s.claims[claimant, role] = 0
    if holds(s, claimant, role):
        note(s, claimant, SHOW + role, NOBODY)
        give_up(s, claimant, role)
        s.court[role] += 1
        hold(s, claimant, draw(s))
        take_influence(s, s.mover, NEXT_TURN if contest else ASK_FOR_BLOCK)
    else:
        if not contest and s.act == view.ASSASSINATE:
            s.coins[claimant] += 3
        take_influence(s, claimant, PERFORM if contest else NEXT_TURN)


@kernel
def take_influence(s, player, then):
    """A player must lose a card; what comes after that."""
    clear_queue(s)
    s.phase = view.LOSE
    s.mover = player
    s.then = then


@kernel
def lose(s, role, rewards):
    """A player turns a card face up, and the turn continues."""
    player = s.mover
    note(s, player, LOSE_CARD + role, NOBODY)
    give_up(s, player, role)
    s.lost[player, 0 if s.lost[player, 0] == view.NONE else 1] = role
    if s.held[player] == 0 and s.params.rules == OFFICIAL:
        s.coins[player] = 0
    if living(s) == 1:
        conclude(s, rewards)
    elif s.then == NEXT_TURN:
        next_turn(s)
    elif s.then == ASK_FOR_BLOCK:
        ask_for_block(s)
    else:
        perform(s)


@kernel
def living(s):
    """How many players have influence."""
    count = 0
    for a in range(s.held.shape[0]):
        count += s.held[a] > 0
    return count


@kernel
def conclude(s, rewards):
    """The last player wins."""
    players = s.held.shape[0]
    for a in range(players):
        rewards[a] = -1.0 / (players - 1)
        s.terminated[a] = 1
        if s.held[a] > 0:
            s.winner = a
    rewards[s.winner] = 1.0
    s.mover = s.winner


@kernel
def ask_for_block(s):
    """No challenge stops the act: ask the target, if it can block."""
    aimed = s.act == view.ASSASSINATE or s.act == view.STEAL
    if s.params.rules == OFFICIAL and aimed and s.held[s.target] > 0:
        clear_queue(s)
        enqueue(s, s.target)
        s.phase = BLOCK
        s.mover = s.target
    else:
        perform(s)


@kernel
def perform(s):
    """The act takes effect."""
    if s.act == view.ASSASSINATE and s.held[s.target] > 0:
        take_influence(s, s.target, NEXT_TURN)
    elif s.act == view.EXCHANGE:
        clear_queue(s)
        s.phase = view.RETURN
        s.mover = s.actor
        for role in range(s.court.shape[0]):
            s.claims[s.actor, role] = 0
        for _ in range(2):
            hold(s, s.actor, draw(s))
    else:
        if s.act == view.FOREIGN_AID:
            s.coins[s.actor] += 2
        elif s.act == view.TAX:
            s.coins[s.actor] += 3
        elif s.act == view.STEAL:
            taken = min(2, s.coins[s.target])
            s.coins[s.target] -= taken
            s.coins[s.actor] += taken
        next_turn(s)


@kernel
def give_back(s, role):
    """A card goes back to the court; with the second one, the turn ends."""
    give_up(s, s.actor, role)
    s.court[role] += 1
    face_up = (s.lost[s.actor, 0] != view.NONE) + (s.lost[s.actor, 1] != view.NONE)
    if s.held[s.actor] + face_up == 2:
        next_turn(s)


@kernel
def step(s, actions, rewards):
    players, action = s.held.shape[0], actions[s.mover]
    number, target = deduction.act_of(action, PLAIN, players), deduction.target_of(action, PLAIN, players)
    if number != PASS and s.phase != view.RETURN and s.phase != view.LOSE:
        note(s, s.mover, number, target)
    if s.phase == view.ACT:
        declare(s, number, target)
    elif s.phase == view.LOSE:
        lose(s, number - LOSE_CARD, rewards)
    elif s.phase == view.RETURN:
        give_back(s, number - RETURN_CARD)
    else:
        answer(s, number)
    while s.params.rules == TEXTARENA and s.phase == view.LOSE and s.winner == NOBODY:
        lose(s, np.int64(s.hand[s.mover, s.held[s.mover] - 1]), rewards)
    if s.winner == NOBODY and s.t >= s.params.horizon:
        fill(s.truncated, 1)


@kernel
def observe(s, agent, out):
    out.phase[0] = s.phase
    out.agent[0] = agent
    out.mover[0] = s.mover
    out.actor[0] = s.actor
    out.act[0] = s.act
    out.target[0] = s.target
    out.blocker[0] = s.blocker
    out.block[0] = s.block
    for k in range(HAND):
        out.hand[k] = s.hand[agent, k]
    for a in range(s.held.shape[0]):
        out.held[a] = s.held[a]
        out.coins[a] = s.coins[a]
    copy(out.lost, s.lost)
    copy(out.claims, s.claims)
    copy(out.log, s.log)


@kernel
def aimed(table, act, target):
    """The action of an act aimed at a player (COUP, ASSASSINATE or STEAL); the table is a record or an observation."""
    return deduction.action_of(act - view.COUP + AIMED_AT, target, PLAIN, table.held.shape[0])


@kernel
def legal_acts(s, mask):
    """What the player whose turn it is may do."""
    coins = s.coins[s.actor]
    if coins < 10:
        mask[view.INCOME] = mask[view.FOREIGN_AID] = mask[view.TAX] = mask[view.EXCHANGE] = 1
    for a in range(s.held.shape[0]):
        if a != s.actor and s.held[a] > 0:
            mask[aimed(s, view.COUP, a)] = coins >= 7
            mask[aimed(s, view.ASSASSINATE, a)] = (coins >= 3) & (coins < 10)
            mask[aimed(s, view.STEAL, a)] = coins < 10 and (s.params.rules == OFFICIAL or s.coins[a] >= 2)


@kernel
def legal(s, agent, mask):
    if agent != s.mover or s.winner != NOBODY:
        return
    if s.phase == view.ACT:
        legal_acts(s, mask)
    elif s.phase == view.LOSE or s.phase == view.RETURN:
        for k in range(s.held[agent]):
            mask[(LOSE_CARD if s.phase == view.LOSE else RETURN_CARD) + s.hand[agent, k]] = 1
    else:
        mask[PASS] = 1
        mask[CHALLENGE_IT] = s.phase == view.CONTEST or (s.phase == view.CHALLENGE and s.act != view.FOREIGN_AID)
        if s.phase == BLOCK or (s.phase == view.CHALLENGE and s.params.rules == TEXTARENA):
            mask[BLOCK_AS_DUKE] = s.act == view.FOREIGN_AID
            mask[BLOCK_AS_CAPTAIN] = mask[BLOCK_AS_AMBASSADOR] = s.act == view.STEAL and agent == s.target
            mask[BLOCK_AS_CONTESSA] = s.act == view.ASSASSINATE and agent == s.target


class Coup(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGE
    page_slots = pages.page_slots
    turns = "sequential"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("deduction", "cards")
    verified = "TextArena's engine in lock-step; a second implementation; exact courses of small endgames"
    variants = (dict(players=2), dict(players=6), dict(players=4, rules="textarena"), dict(players=2, horizon=7))
    shown = "bayesian"
    clickable = "(coup|assassinate|steal from) .*"
    keys = {
        "i": "income", "f": "foreign aid", "t": "tax", "e": "exchange", "p": "pass", "c": "challenge",
    }  # fmt: skip
    acts = ACTS
    phrases = pages.PHRASES
    speech = view.hearers
    text = view.text
    messages = view.messages
    scene = view.scene
    click = view.click

    def __init__(
        self,
        players: Annotated[int, Between(2, 6)] = 3,
        rules: Literal["official", "textarena"] = "official",
        horizon: Annotated[int, Horizon(1, 100_000)] = 1000,
    ):
        agents = [f"player_{k}" for k in range(players)]
        last, roles = players - 1, len(view.ROLES)
        self.define(
            agents=agents,
            actions=deduction.act_names(ACTS, agents),
            observation=Dict(
                phase=part(view.ACT, view.RETURN),
                agent=part(0, last),
                mover=part(0, last),
                actor=part(0, last),
                act=part(view.NONE, view.STEAL),
                target=part(NOBODY, last),
                blocker=part(NOBODY, last),
                block=part(view.NONE, roles - 1),
                hand=part(view.NONE, roles - 1, HAND),
                held=part(0, HAND, players),
                lost=part(view.NONE, roles - 1, players, 2),
                coins=part(0, COINS, players),
                claims=part(0, 99, players, roles),
                log=part(NOBODY, [last, view.EVENTS - 1, last], EVENT_COUNT, 3),
            ),
            fields=fields(players),
            params={"rules": RULES.index(rules), "horizon": horizon},
            reward_range=(-1.0, 1.0),
        )

    # Records from outside.

    def contradiction(self, s: Any) -> str | None:
        players, roles = len(s.held), len(view.ROLES)
        counts = s.court.copy()
        for a in range(players):
            hand, lost = s.hand[a, : s.held[a]], s.lost[a][s.lost[a] != view.NONE]
            gap = s.lost[a, 0] == view.NONE and len(lost) > 0
            if gap or (hand == view.NONE).any() or (s.hand[a, s.held[a] :] != view.NONE).any():
                return "a hand has other cards than it should"
            extra = 2 if s.phase == view.RETURN and a == s.actor and s.winner == NOBODY else 0
            if not 0 <= len(hand) + len(lost) - 2 <= extra or (extra and len(hand) + len(lost) == 2):
                return "a player has too many or too few cards"
            counts += np.bincount([*hand, *lost], minlength=roles)
        if (counts != COPIES).any():
            return "there are not three cards of each role"
        if self.level_fault(s):
            return "the level has other cards than there are"
        alive = np.flatnonzero(s.held)
        over = (s.terminated | s.truncated) > 0
        won = s.winner != NOBODY
        if over.any() != over.all() or (s.terminated[0] != 0) != won or won != (len(alive) == 1):
            return "the game ends for all players at once, when one is left"
        return None if s.winner != NOBODY else self.out_of_turn(s, alive.tolist())

    def level_fault(self, s: Any) -> bool:
        """Whether the level of a record cannot be laid out."""
        deal = s.deal[s.deal != view.NONE]
        return len(deal) < s.deal.size or bool((np.bincount(deal, minlength=len(view.ROLES)) > COPIES).any())

    def out_of_turn(self, s: Any, alive: list[int]) -> str | None:
        """What does not go together in a turn."""
        asks = s.phase in (view.CHALLENGE, BLOCK, view.CONTEST)
        queue = s.queue[: s.queued].tolist()
        textarena = s.params.rules == TEXTARENA
        if s.mover not in alive or (s.phase in (view.ACT, view.RETURN) and s.mover != s.actor):
            return "another player is to move"
        if s.actor not in alive and s.phase in (view.ACT, view.CHALLENGE, view.RETURN):
            return "a player that is out has the turn"
        if asks != (s.queued > 0) or (asks and (s.place >= s.queued or s.mover != queue[s.place])):
            return "another player is asked"
        if len(set(queue)) < len(queue) or not set(queue) <= set(alive):
            return "a player that is out is asked"
        if (
            (s.act == view.NONE) != (s.phase == view.ACT)
            or (s.target != NOBODY) != (s.act >= view.COUP)
            or s.target == s.actor
        ):
            return "the act does not go with the phase"
        if (s.phase == view.RETURN and s.act != view.EXCHANGE) or (asks and s.act in (view.INCOME, view.COUP)):
            return "the act does not go with the phase"
        if s.phase == BLOCK and (textarena or s.act in (view.TAX, view.EXCHANGE)):
            return "the act does not go with the phase"
        if s.phase == view.CHALLENGE and s.act == view.FOREIGN_AID and not textarena:
            return "the act does not go with the phase"
        if (s.blocker == NOBODY) != (s.block == view.NONE) or (s.phase == view.CONTEST and s.block == view.NONE):
            return "the block does not go with the phase"
        if s.phase == view.LOSE and (textarena or (s.then == PERFORM and s.block == view.NONE)):
            return "the loss of influence does not go with the act"
        if s.phase == view.LOSE and s.then != NEXT_TURN and s.act in (view.INCOME, view.COUP):
            return "the loss of influence does not go with the act"
        return self.out_of_coins(s)

    def out_of_coins(self, s: Any) -> str | None:
        """Whether coins could run over or out."""
        most = {view.FOREIGN_AID: 2, view.TAX: 3, view.STEAL: 2, view.ASSASSINATE: 3}.get(int(s.act), 0)
        if s.phase != view.ACT and s.coins[s.actor] + most > COINS:
            return "a player has too many coins for its act"
        return None

    # Levels.

    def get_level(self, s: Any) -> dict[str, Any]:
        level: dict[str, Any] = {"hands": [], "lost": []}
        for cards, face_up in zip(s.deal, s.open):
            for name, up in (("hands", 0), ("lost", 1)):
                level[name].append([view.ROLES[role] for role, shown in zip(cards, face_up) if shown == up])
        return {**level, "coins": s.purse.tolist(), "first": int(s.first)}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        players = len(s.held)
        exact_parts(self.id, level, "hands", "lost", "coins", "first")
        hands, lost = level["hands"], level["lost"]
        for name in ("hands", "lost"):
            read_list(level[name], f"{self.id}: the level's {name}", players)
            for a, cards in enumerate(level[name]):
                if not isinstance(cards, (list, tuple)) or any(card not in view.ROLES for card in cards):
                    wanted = listed(view.ROLES)
                    raise LevelError(f"{self.id}: {name!r} of player_{a} is {cards!r:.60}, not a list of {wanted}")
        for a in range(players):
            if len(hands[a]) + len(lost[a]) != 2:
                raise LevelError(f"{self.id}: player_{a} must have two cards in 'hands' and 'lost'")
        cards = [card for part in (hands, lost) for own in part for card in own]
        many = [role for role in view.ROLES if cards.count(role) > COPIES]
        if many:
            raise LevelError(f"{self.id}: there are three cards of each role, but {cards.count(many[0])} of {many[0]}")
        if sum(bool(hand) for hand in hands) < 2:
            raise LevelError(f"{self.id}: at least two players must have cards in 'hands'")
        s.purse[:] = read_numbers(level["coins"], f"{self.id}: the level's coins", (players,), 0, COINS, whole=True)
        s.first = first = read_integer(level["first"], f"{self.id}: the level's first", 0, players - 1)
        if not hands[first]:
            raise LevelError(f"{self.id}: 'first' must be the number of a player with cards in 'hands', not {first}")
        s.deal[:] = [[view.ROLES.index(card) for card in (*hands[a], *lost[a])] for a in range(players)]
        s.open[:] = [[k >= len(hands[a]) for k in range(2)] for a in range(players)]


env, raw_env, parallel_env = pettingzoo_forms(Coup)
