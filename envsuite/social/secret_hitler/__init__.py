"""Secret Hitler: elected governments enact policies from a hidden deck; fascists hide among liberals, and Hitler too.

**Rules.** Roles are dealt at random: liberals, fascists, and Hitler, who is of the fascist party. The fascists know
each other and Hitler. With 5 or 6 players, Hitler knows the fascist; with more, nobody.

| players | 5 | 6 | 7 | 8 | 9 | 10 |
|---|---|---|---|---|---|---|
| liberals | 3 | 4 | 4 | 5 | 5 | 6 |
| fascists, without Hitler | 1 | 1 | 2 | 2 | 3 | 3 |

The deck has 6 liberal and 11 fascist policies. A random player is the first candidate for president, and then the
living in the order of seats. A round has these parts:

1. *Nomination.* The candidate names another player for chancellor. The last chancellor that was elected is excluded,
   and so is the last president while more than five players live.
2. *Talk.* The living speak one at a time, `discussion` times round, from the candidate on.
3. *Vote.* The living vote on the two, all at once and openly. They are elected by more than half. After the third round
   in a row without a policy, the top policy of the deck is enacted, without a power, and nobody is excluded any more.
4. *Session.* The president draws three policies and discards one, and the chancellor discards one of the other two. The
   last one is enacted. With five fascist policies and `veto`, the chancellor may propose a veto instead. If the
   president accepts, both policies are discarded and no policy is enacted. If not, the chancellor must discard one.
5. *Report.* With `reports`, the president says how many of its three policies were fascist, and then the chancellor how
   many of its two. They may lie.
6. *Power.* A fascist policy may give the president a power:

| fascist policy | 5, 6 players | 7, 8 players | 9, 10 players |
|---|---|---|---|
| first | | | investigate |
| second | | investigate | investigate |
| third | peek | elect | elect |
| fourth, fifth | execute | execute | execute |

To investigate is to learn the party of a player that was not investigated before; with `reports`, the president then
says what it saw, or lies. To peek is to see the next three policies. To elect is to choose the next candidate for
president; after it, the order of seats continues. An executed player is out. Its role stays secret.

If fewer than three policies are left after a session or a failed vote, the deck is shuffled again from all policies
that were not enacted.

The liberals win with five liberal policies, or when Hitler is executed. The fascists win with six fascist policies, or
when Hitler is elected as chancellor after three of them.

**Agents.** `player_0` ... `player_{players-1}`. The dead stay until the end, without a legal action.

**Observation.** Dict of int8 arrays, with N players; -1 means unknown, none or not yet.

| part | space | content |
|---|---|---|
| phase | Box (1,) | see below |
| agent | Box (1,) | the observing agent's number |
| round | Box (1,) | number of the round, from 0 |
| president | Box (1,) | the president or candidate |
| chancellor | Box (1,) | the chancellor, or the player that was named for it |
| excluded | Box (2,) | the last president and chancellor that were elected |
| mover | Box (1,) | the player that acts alone now |
| failed | Box (1,) | rounds in a row without a policy |
| enacted | Box (2,) | liberal and fascist policies that were enacted |
| left | Box (1,) | policies left in the deck |
| counts | Box (3,) | how many players have each role |
| alive | Box (N,) | 1 for each player that is alive |
| roles | Box (N,) | what the agent knows: 0 liberal, 1 fascist, 2 Hitler, 3 of the fascist party |
| hand | Box (2,) | liberal and fascist policies that the agent holds |
| saw | Box (1,) | fascist policies that the agent drew or was given in this session |
| peek | Box (3,) | what the agent saw of the deck last, in order: 0 liberal, 1 fascist |
| presidents, chancellors | Box (30,) | of each round |
| votes | Box (30, N) | 1 yes, 0 no |
| results | Box (30,) | 0 rejected, 1 elected, 2 vetoed |
| policies | Box (30,) | the policy of the round: 0 liberal, 1 fascist |
| reports | Box (30, 2) | fascist policies that the president and the chancellor reported |
| inspectors | Box (N,) | the player that investigated each |
| verdicts | Box (N,) | the party that was reported of each: 0 liberal, 1 fascist |
| stances | Box (N, N) | what each said of each other in the last talk: 1 accused, 2 defended, 0 nothing |
| messages | Box (`discussion` N, 3) | the last talk: speaker, act, target |

Phases: 0 nomination, 1 talk, 2 vote, 3 discard by the president, 4 discard by the chancellor, 5 answer to a veto, 6
report of the president, 7 report of the chancellor, 8 investigation, 9 its report, 10 election of a candidate, 11
execution. Acts of speech: 0 silent, 14 accuse, 15 defend.

**Actions.** Discrete (14 + 6 N).

| action | name | legal |
|---|---|---|
| 0 | `silent` | when speaking |
| 1, 2 | `yes`, `no` | in the vote |
| 3, 4 | `discard liberal`, `discard fascist` | for a president or chancellor that holds such a policy |
| 5 | `veto` | for the chancellor, with five fascist policies, once a session |
| 6, 7 | `accept veto`, `refuse veto` | for the president, after it |
| 8 + k | `report 0 fascist` and so on | in reports, up to 3 for the president and 2 for the chancellor |
| 12, 13 | `report liberal`, `report fascist` | after an investigation |
| 14 + j | `accuse player_j` | when speaking, of another living player |
| 14 + N + j | `defend player_j` | the same |
| 14 + 2N + j | `nominate player_j` | for the candidate, of another living player that is not excluded |
| 14 + 3N + j | `investigate player_j` | for the president, of another living player that was not investigated |
| 14 + 4N + j | `elect player_j` | for the president, of another living player |
| 14 + 5N + j | `execute player_j` | the same |

**Window.** A click on a seat nominates, accuses, investigates, elects or executes the player that sits there. The keys
y and n vote, s stays silent, and l and f discard a liberal or a fascist policy.

**Rewards.** At the end +1 to the members of the party that wins, dead or alive, and -1 to those of the other.

**Ends.** Terminates for all at once when a party has won.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 7 | number of players, from 5 to 10 |
| `discussion` | 1 | how many times all speak before a vote, from 0 to 4 |
| `reports` | True | whether presidents and chancellors report |
| `veto` | True | whether there is a veto |

**Level.** ``{"roles": ["liberal", "Hitler", "fascist", ...], "deck": "LFFLF...", "first": 0}``: each player's role, the
policies in the order in which they are drawn, and the first candidate.

**Known values.** While the deck is not shuffled again, the policies that random governments enact are a random sample
of the deck. Let all play at random, discard any card that they hold, and use no veto. Then the liberals win with these
probabilities, by another simulation of 20,000 games (standard error 0.003):

| players | 5 | 6 | 7 | 8 | 9 | 10 |
|---|---|---|---|---|---|---|
| probability | 0.239 | 0.245 | 0.233 | 0.233 | 0.235 | 0.226 |

With 5 players, a part of 0.540 of those games ended with Hitler's election, 0.172 with his execution, 0.067 with five
liberal and 0.221 with six fascist policies.

**Differences.** From the board game:

- Speech is typed and has its time: before a vote, and in reports. There, all talk freely, and presidents and
  chancellors also claim the order of what they peeked at.
- Only the numbers of policies in a hand matter here; there, the president also chooses their order.
- A president that may peek always does.
- After a veto that is accepted there are no reports.

**Source.** Boxleitner, Maranges and Temkin, "Secret Hitler", 2016.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
from gymnasium.spaces import Dict

from envsuite.core import random
from envsuite.core.arrays import copy
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.ranges import below, fixed, flag, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import deduction
from envsuite.kit.council import Council
from envsuite.kit.deduction import DEFENDED, NOBODY, NOTHING, Act, part
from envsuite.registry import pettingzoo_forms
from envsuite.social.secret_hitler import pages, view

#: What a president knows of a player of the fascist party that it investigated.
FASCIST_PARTY = 3

#: Policies of each kind in the deck, and those with which a party wins.
LIBERALS, FASCISTS = 6, 11
DECK = LIBERALS + FASCISTS
TO_WIN = (5, 6)

#: Rounds: at most three for each policy, of which the tenth ends the game at the latest.
ROUNDS = 30

#: Results of a round.
REJECTED, ELECTED, VETOED = range(3)

#: The powers, in the phase in which they are used; PEEK takes no choice.
PEEK = 12
POWERS = np.array([
    [view.NONE, view.NONE, PEEK, view.EXECUTE, view.EXECUTE, view.NONE],
    [view.NONE, view.INVESTIGATE, view.ELECT, view.EXECUTE, view.EXECUTE, view.NONE],
    [view.INVESTIGATE, view.INVESTIGATE, view.ELECT, view.EXECUTE, view.EXECUTE, view.NONE],
])  # fmt: skip

ACTS = (
    Act("silent", "says nothing"),
    Act("yes"),
    Act("no"),
    Act("discard liberal"),
    Act("discard fascist"),
    Act("veto"),
    Act("accept veto"),
    Act("refuse veto"),
    *(Act(f"report {k} fascist") for k in range(4)),
    Act("report liberal"),
    Act("report fascist"),
    Act("accuse {}", "accuses {}"),
    Act("defend {}", "defends {}"),
    Act("nominate {}"),
    Act("investigate {}"),
    Act("elect {}"),
    Act("execute {}"),
)
SILENT, YES, NO, DISCARD_LIBERAL, DISCARD_FASCIST, PROPOSE, ACCEPT, REFUSE, REPORT = range(9)
REPORT_LIBERAL, REPORT_FASCIST, ACCUSE, DEFEND, NAME, INSPECT, CHOOSE, KILL = range(12, 20)
PLAIN = deduction.count_plain(ACTS)
aimed = deduction.aimed_of(PLAIN)


def fields(players: int, utterances: int) -> list[tuple]:
    """The record's own fields, for at most this number of utterances before a vote."""
    last = players - 1
    player, number = within(np.int64, NOBODY, last), within(np.int8, NOBODY, last)
    return [
        ("phase", below(np.int64, 12)),  # number of a phase
        ("roles", below(np.int8, 3), (players,)),  # the level: LIBERAL, FASCIST or HITLER
        ("cards", below(np.int8, 2), (DECK,)),  # the level: policies in the order in which they are drawn
        ("first", below(np.int64, players)),  # the level: the first candidate
        ("deck", below(np.int8, 2), (DECK,)),  # policies not drawn, the next one last, and then any
        ("left", within(np.int64, 0, DECK)),  # number of policies in the deck
        ("hand", within(np.int64, 0, 3), (2,)),  # liberal and fascist policies of the session
        ("saw", within(np.int64, view.NONE, 3), (2,)),  # fascist ones that president and chancellor got, or NONE
        ("enacted", within(np.int64, 0, np.array(TO_WIN)), (2,)),  # liberal and fascist policies enacted
        ("failed", below(np.int64, 3)),  # rounds in a row without a policy
        ("round", below(np.int64, ROUNDS)),  # number of the round
        ("rotation", below(np.int64, players)),  # the last candidate by the order of seats
        ("president", below(np.int64, players)),  # the candidate or president
        ("chancellor", player),  # the player that was named, or NOBODY
        ("excluded", player, (2,)),  # last president and chancellor that were elected, or NOBODY
        ("refused", flag(np.int64)),  # 1 if a veto was refused in this session
        ("mover", player),  # the player that acts alone, or NOBODY in the vote
        ("alive", flag(np.int8), (players,)),  # 1 for the living
        ("known", within(np.int8, view.NONE, FASCIST_PARTY), (players, players)),  # what each knows of each
        ("peeker", player),  # the last player that peeked, or NOBODY
        ("peek", within(np.int8, view.NONE, 1), (3,)),  # the policies that it saw, or NONE
        ("presidents", number, (ROUNDS,)),  # of each round, or NOBODY
        ("chancellors", number, (ROUNDS,)),  # of each round, or NOBODY
        ("votes", within(np.int8, view.NONE, 1), (ROUNDS, players)),  # 1 yes, 0 no, or NONE
        ("results", within(np.int8, view.NONE, VETOED), (ROUNDS,)),  # REJECTED, ELECTED, VETOED or NONE
        ("policies", within(np.int8, view.NONE, 1), (ROUNDS,)),  # LIBERAL, FASCIST or NONE
        ("reports", within(np.int8, view.NONE, 3), (ROUNDS, 2)),  # fascist policies reported, or NONE
        ("inspectors", number, (players,)),  # the player that investigated each, or NOBODY
        ("verdicts", within(np.int8, view.NONE, 1), (players,)),  # the party that was reported of each, or NONE
        ("speaker", player),  # the player that speaks, or NOBODY
        ("said", within(np.int64, 0, utterances)),  # number of messages
        ("stances", below(np.int8, 3), (players, players)),  # NOTHING, ACCUSED or DEFENDED, by speaker and target
        ("messages", within(np.int8, NOBODY, np.array([last, DEFEND, last])), (max(utterances, 1), 3)),
        ("winner", within(np.int64, view.NONE, view.FASCIST)),  # the party that has won, or NONE
    ]


@kernel
def reset(s):
    players = s.roles.shape[0]
    if not s.level_given:
        deal(s)
        s.first = random.randint(s, players)
    for k in range(DECK):
        s.deck[k] = s.cards[DECK - 1 - k]
    s.left = DECK
    s.enacted[0] = s.enacted[1] = 0
    s.failed = 0
    s.excluded[0] = s.excluded[1] = NOBODY
    s.peeker = NOBODY
    for k in range(3):
        s.peek[k] = view.NONE
    for r in range(ROUNDS):
        s.presidents[r] = s.chancellors[r] = NOBODY
        s.results[r] = s.policies[r] = s.reports[r, 0] = s.reports[r, 1] = view.NONE
        for a in range(players):
            s.votes[r, a] = view.NONE
    for a in range(players):
        s.alive[a] = 1
        s.inspectors[a] = NOBODY
        s.verdicts[a] = view.NONE
        for b in range(players):
            s.known[a, b] = knows(s, a, b)
    s.winner = view.NONE
    deduction.clear_talk(s)
    s.rotation = s.first
    s.round = 0
    open_round(s, s.first)


@kernel
def deal(s):
    """Give each player a random role, and shuffle the deck."""
    deduction.deal(s)
    for k in range(DECK):
        s.cards[k] = view.LIBERAL if k < LIBERALS else view.FASCIST
    random.shuffle(s, s.cards, DECK)


@kernel
def knows(s, a, b):
    """What a player knows of another player's role at the start, or NONE."""
    role = s.roles[a]
    informed = role == view.FASCIST or (role == view.HITLER and s.roles.shape[0] <= 6)
    return np.int64(s.roles[b]) if a == b or informed else view.NONE


@kernel
def open_round(s, candidate):
    """A candidate for president names a chancellor."""
    s.president = candidate
    s.presidents[s.round] = candidate
    s.chancellor = NOBODY
    s.hand[0] = s.hand[1] = 0
    s.saw[0] = s.saw[1] = view.NONE
    s.refused = 0
    s.speaker = NOBODY
    await_choice(s, view.NOMINATE, candidate)


@kernel
def await_choice(s, phase, player):
    """One player chooses."""
    s.phase = phase
    s.mover = player


@kernel
def living_after(s, player):
    """The next living player in the order of seats."""
    a = (player + 1) % s.alive.shape[0]
    while s.alive[a] == 0:
        a = (a + 1) % s.alive.shape[0]
    return a


@kernel
def next_round(s):
    """The next candidate in the order of seats."""
    s.round += 1
    s.rotation = living_after(s, s.rotation)
    open_round(s, s.rotation)


@kernel
def nominate(s, player):
    s.chancellor = player
    s.chancellors[s.round] = player
    deduction.clear_talk(s)
    if s.params.discussion > 0:
        s.speaker = s.president
        await_choice(s, view.TALK, s.president)
    else:
        await_choice(s, view.VOTE, NOBODY)


@kernel
def speak(s, action):
    speaker = s.speaker
    deduction.utter(s, action, PLAIN, ACCUSE, DEFEND)
    if s.said == s.params.discussion * deduction.living(s):
        s.speaker = NOBODY
        await_choice(s, view.VOTE, NOBODY)
    else:
        s.speaker = living_after(s, speaker)
        s.mover = s.speaker


@kernel
def vote(s, actions, rewards):
    ayes = 0
    for a in range(s.roles.shape[0]):
        if s.alive[a] != 0:
            s.votes[s.round, a] = actions[a] == YES
            ayes += actions[a] == YES
    if 2 * ayes <= deduction.living(s):
        s.results[s.round] = REJECTED
        fail(s, rewards)
        return
    s.results[s.round] = ELECTED
    if s.roles[s.chancellor] == view.HITLER and s.enacted[view.FASCIST] >= 3:
        conclude(s, rewards, view.FASCIST)
        return
    s.excluded[0] = s.president
    s.excluded[1] = s.chancellor
    for _ in range(3):
        s.hand[draw(s)] += 1
    s.saw[0] = s.hand[view.FASCIST]
    await_choice(s, view.DISCARD, s.president)


@kernel
def draw(s):
    """Take the top policy of the deck."""
    s.left -= 1
    return np.int64(s.deck[s.left])


@kernel
def refill(s):
    """With fewer than three policies left, shuffle all that were not enacted into a new deck."""
    if s.left < 3:
        liberals = LIBERALS - s.enacted[view.LIBERAL]
        s.left = liberals + FASCISTS - s.enacted[view.FASCIST]
        for k in range(s.left):
            s.deck[k] = view.LIBERAL if k < liberals else view.FASCIST
        random.shuffle(s, s.deck, s.left)


@kernel
def fail(s, rewards):
    """A round without a policy; after the third one in a row, the top policy is enacted."""
    s.failed += 1
    if s.failed < 3:
        next_round(s)
        return
    policy = draw(s)
    enact(s, policy, rewards)
    s.excluded[0] = s.excluded[1] = NOBODY
    if s.winner == view.NONE:
        refill(s)
        next_round(s)


@kernel
def enact(s, policy, rewards):
    """A policy is enacted, which may end the game."""
    s.policies[s.round] = policy
    s.enacted[policy] += 1
    s.failed = 0
    if s.enacted[view.LIBERAL] == TO_WIN[view.LIBERAL]:
        conclude(s, rewards, view.LIBERAL)
    elif s.enacted[view.FASCIST] == TO_WIN[view.FASCIST]:
        conclude(s, rewards, view.FASCIST)


@kernel
def discard(s, action, rewards):
    """The president or the chancellor discards a policy."""
    s.hand[action - DISCARD_LIBERAL] -= 1
    if s.phase == view.DISCARD:
        s.saw[1] = s.hand[view.FASCIST]
        await_choice(s, view.ENACT, s.chancellor)
        return
    policy = view.LIBERAL if s.hand[view.LIBERAL] > 0 else view.FASCIST
    s.hand[policy] = 0
    enact(s, policy, rewards)
    if s.winner != view.NONE:
        return
    refill(s)
    if s.params.reports != 0:
        await_choice(s, view.PRESIDENT_REPORT, s.president)
    else:
        grant(s)


@kernel
def answer_veto(s, action, rewards):
    """The president accepts or refuses a veto."""
    if action == REFUSE:
        s.refused = 1
        await_choice(s, view.ENACT, s.chancellor)
        return
    s.results[s.round] = VETOED
    s.hand[0] = s.hand[1] = 0
    refill(s)
    fail(s, rewards)


@kernel
def report(s, action):
    """The president or the chancellor reports what it got."""
    if s.phase == view.PRESIDENT_REPORT:
        s.reports[s.round, 0] = action - REPORT
        await_choice(s, view.CHANCELLOR_REPORT, s.chancellor)
    else:
        s.reports[s.round, 1] = action - REPORT
        grant(s)


@kernel
def power_of(s):
    """The power that the policy of this round gives, or NONE."""
    if s.policies[s.round] != view.FASCIST:
        return view.NONE
    players = s.roles.shape[0]
    return POWERS[0 if players <= 6 else 1 if players <= 8 else 2, s.enacted[view.FASCIST] - 1]


@kernel
def grant(s):
    """The president uses its power, if it has one."""
    power = power_of(s)
    if power == PEEK:
        s.peeker = s.president
        for k in range(3):
            s.peek[k] = s.deck[s.left - 1 - k]
        next_round(s)
    elif power == view.NONE or (power == view.INVESTIGATE and not can_inspect(s)):
        next_round(s)
    else:
        await_choice(s, power, s.president)


@kernel
def can_inspect(s):
    """Whether there is a player to investigate."""
    for a in range(s.roles.shape[0]):
        if a != s.president and s.alive[a] != 0 and s.inspectors[a] == NOBODY:
            return True
    return False


@kernel
def inspect(s, player):
    """The president learns a player's party."""
    president = s.president
    s.inspectors[player] = president
    if s.known[president, player] == view.NONE:
        s.known[president, player] = view.LIBERAL if s.roles[player] == view.LIBERAL else FASCIST_PARTY
    if s.params.reports != 0:
        await_choice(s, view.PARTY_REPORT, president)
    else:
        next_round(s)


@kernel
def report_party(s, action):
    """The president says what it learned of the player that it investigated last."""
    for a in range(s.roles.shape[0]):
        if s.inspectors[a] == s.president and s.verdicts[a] == view.NONE:
            s.verdicts[a] = action - REPORT_LIBERAL
    next_round(s)


@kernel
def execute(s, player, rewards):
    s.alive[player] = 0
    if s.roles[player] == view.HITLER:
        conclude(s, rewards, view.LIBERAL)
    else:
        next_round(s)


@kernel
def conclude(s, rewards, winner):
    """A party wins, and all roles are shown."""
    s.winner = winner
    for a in range(s.roles.shape[0]):
        rewards[a] = 1.0 if (s.roles[a] == view.LIBERAL) == (winner == view.LIBERAL) else -1.0
        s.terminated[a] = 1


@kernel
def step(s, actions, rewards):
    if s.phase == view.VOTE:
        vote(s, actions, rewards)
        return
    action = actions[s.mover]
    target = deduction.target_of(action, PLAIN, s.roles.shape[0])
    if s.phase == view.NOMINATE:
        nominate(s, target)
    elif s.phase == view.TALK:
        speak(s, action)
    elif action == PROPOSE:
        await_choice(s, view.VETO, s.president)
    elif s.phase == view.DISCARD or s.phase == view.ENACT:
        discard(s, action, rewards)
    elif s.phase == view.VETO:
        answer_veto(s, action, rewards)
    elif s.phase == view.PRESIDENT_REPORT or s.phase == view.CHANCELLOR_REPORT:
        report(s, action)
    elif s.phase == view.INVESTIGATE:
        inspect(s, target)
    elif s.phase == view.PARTY_REPORT:
        report_party(s, action)
    elif s.phase == view.ELECT:
        s.round += 1
        open_round(s, target)
    else:
        execute(s, target, rewards)


@kernel
def observe(s, agent, out):
    deduction.observe_talk(s, agent, out)
    out.round[0] = s.round
    out.president[0] = s.president
    out.chancellor[0] = s.chancellor
    out.mover[0] = s.mover
    out.failed[0] = s.failed
    out.left[0] = s.left
    holds = (s.phase == view.DISCARD and agent == s.president) or (s.phase == view.ENACT and agent == s.chancellor)
    for k in range(2):
        out.excluded[k] = s.excluded[k]
        out.enacted[k] = s.enacted[k]
        out.hand[k] = s.hand[k] if holds else 0
    out.saw[0] = s.saw[0] if agent == s.president else s.saw[1] if agent == s.chancellor else view.NONE
    for k in range(3):
        out.peek[k] = s.peek[k] if agent == s.peeker else view.NONE
    for a in range(s.roles.shape[0]):
        out.roles[a] = s.roles[a] if s.winner != view.NONE else s.known[agent, a]
    copy(out.alive, s.alive)
    copy(out.presidents, s.presidents)
    copy(out.chancellors, s.chancellors)
    copy(out.votes, s.votes)
    copy(out.results, s.results)
    copy(out.policies, s.policies)
    copy(out.reports, s.reports)
    copy(out.inspectors, s.inspectors)
    copy(out.verdicts, s.verdicts)


@kernel
def can_be_named(s, player):
    """Whether a player may be named for chancellor."""
    if s.alive[player] == 0 or player == s.president or player == s.excluded[1]:
        return False
    return player != s.excluded[0] or deduction.living(s) <= 5


@kernel
def legal(s, agent, mask):
    if s.phase == view.VOTE:
        mask[YES] = mask[NO] = s.alive[agent]
        return
    if agent != s.mover:
        return
    mask[SILENT] = s.phase == view.TALK
    if s.phase == view.DISCARD or s.phase == view.ENACT:
        mask[DISCARD_LIBERAL] = s.hand[view.LIBERAL] > 0
        mask[DISCARD_FASCIST] = s.hand[view.FASCIST] > 0
        may = s.params.veto != 0 and s.refused == 0 and s.enacted[view.FASCIST] == 5
        mask[PROPOSE] = s.phase == view.ENACT and may
    elif s.phase == view.VETO:
        mask[ACCEPT] = mask[REFUSE] = 1
    elif s.phase == view.PRESIDENT_REPORT or s.phase == view.CHANCELLOR_REPORT:
        for k in range(4 if s.phase == view.PRESIDENT_REPORT else 3):
            mask[REPORT + k] = 1
    elif s.phase == view.PARTY_REPORT:
        mask[REPORT_LIBERAL] = mask[REPORT_FASCIST] = 1
    else:
        legal_targets(s, agent, mask)


@kernel
def legal_targets(s, agent, mask):
    """Whom the player that is to choose may name."""
    for a in range(s.roles.shape[0]):
        if a != agent and s.alive[a] != 0:
            if s.phase == view.TALK:
                mask[aimed(s, ACCUSE, a)] = mask[aimed(s, DEFEND, a)] = 1
            elif s.phase == view.NOMINATE:
                mask[aimed(s, NAME, a)] = can_be_named(s, a)
            elif s.phase == view.INVESTIGATE:
                mask[aimed(s, INSPECT, a)] = s.inspectors[a] == NOBODY
            else:
                mask[aimed(s, CHOOSE if s.phase == view.ELECT else KILL, a)] = 1


class SecretHitler(Council, World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGE
    page_slots = pages.page_slots
    turns = "mixed"
    paid_at_end = True
    kind = ("deduction", "cards")
    verified = "another simulation of random play for all sizes; closed forms; a second implementation in lock-step"
    variants = (
        dict(players=5, discussion=0, reports=False),
        dict(players=9, discussion=2),
        dict(players=6, discussion=0, veto=False),
    )
    shown = "bayesian"
    clickable = "(nominate|accuse|investigate|elect|execute) .*"
    keys = {"y": "yes", "n": "no", "s": "silent", "l": "discard liberal", "f": "discard fascist"}
    acts = ACTS
    title = "Secret Hitler"
    arrows = {14: "bad", 15: "good"}
    view: ClassVar[Any] = view
    text = view.text
    ask = view.ask

    def talk_seats(self, s: Any) -> Collection[int]:
        """The living, but nobody while a government chooses a policy."""
        return [] if s.phase in (view.DISCARD, view.ENACT) else np.flatnonzero(s.alive).tolist()

    def __init__(
        self,
        players: Annotated[int, Between(5, 10)] = 7,
        discussion: Annotated[int, Between(0, 4)] = 1,
        reports: bool = True,
        veto: bool = True,
    ):
        fascists = (players - 3) // 2
        counts = [players - fascists - 1, fascists, 1]
        agents = [f"player_{k}" for k in range(players)]
        last, utterances = players - 1, discussion * players
        self.define(
            agents=agents,
            actions=deduction.act_names(ACTS, agents),
            observation=Dict(
                phase=part(view.NOMINATE, view.EXECUTE),
                agent=part(0, last),
                round=part(0, ROUNDS - 1),
                president=part(0, last),
                chancellor=part(NOBODY, last),
                excluded=part(NOBODY, last, 2),
                mover=part(NOBODY, last),
                failed=part(0, 2),
                enacted=part(0, TO_WIN, 2),
                left=part(0, DECK),
                counts=part(0, players, len(view.ROLES)),
                alive=part(0, 1, players),
                roles=part(view.NONE, FASCIST_PARTY, players),
                hand=part(0, 3, 2),
                saw=part(view.NONE, 3),
                peek=part(view.NONE, 1, 3),
                presidents=part(NOBODY, last, ROUNDS),
                chancellors=part(NOBODY, last, ROUNDS),
                votes=part(view.NONE, 1, ROUNDS, players),
                results=part(view.NONE, VETOED, ROUNDS),
                policies=part(view.NONE, 1, ROUNDS),
                reports=part(view.NONE, 3, ROUNDS, 2),
                inspectors=part(NOBODY, last, players),
                verdicts=part(view.NONE, 1, players),
                stances=part(NOTHING, DEFENDED, players, players),
                messages=part(NOBODY, [last, DEFEND, last], max(utterances, 1), 3),
            ),
            fields=fields(players, utterances),
            params={
                "counts": limited(counts, 0, players),
                "discussion": fixed(discussion),
                "reports": int(reports),
                "veto": int(veto),
            },
            reward_range=(-1.0, 1.0),
        )

    # Records from outside.

    def contradiction(self, s: Any) -> str | None:
        if np.bincount(s.roles, minlength=len(view.ROLES)).tolist() != s.params.counts.tolist():
            return "the roles are not those of the game"
        if s.cards.sum() != FASCISTS:
            return "the level has other policies than there are"
        over = (s.terminated | s.truncated) > 0
        if over.any() != over.all() or (s.terminated[0] != 0) != (s.winner != view.NONE):
            return "the game ends for all players at once, when a party has won"
        if s.winner != view.NONE:
            return None
        return self.out_of_course(s) or self.out_of_policies(s) or self.out_of_turn(s)

    def out_of_course(self, s: Any) -> str | None:
        """What does not go together in the rounds so far: they are counted from the start."""
        r, failed, enacted = int(s.round), 0, [0, 0]
        for k in range(r):
            failed += s.results[k] != ELECTED
            policy = failed == 3 or s.results[k] == ELECTED
            if s.results[k] == view.NONE or s.presidents[k] == NOBODY or (s.policies[k] != view.NONE) != policy:
                return f"the result of round {k} does not go with its policy"
            if policy:
                failed = 0
                enacted[s.policies[k]] += 1
        done = view.PRESIDENT_REPORT <= s.phase
        if s.results[r] != (ELECTED if s.phase >= view.DISCARD else view.NONE) or (s.policies[r] != view.NONE) != done:
            return "the result of the round does not go with the phase"
        if done:
            failed = 0
            enacted[s.policies[r]] += 1
        if failed != s.failed or enacted != s.enacted.tolist() or any(n >= most for n, most in zip(enacted, TO_WIN)):
            return "rounds or policies are miscounted"
        if (s.results[r + 1 :] != view.NONE).any() or (s.policies[r + 1 :] != view.NONE).any():
            return "there are rounds to come"
        dead = len(s.alive) - int(s.alive.sum())
        if (
            dead > max(0, enacted[view.FASCIST] - 3) - (s.phase == view.EXECUTE)
            or not s.alive[s.roles == view.HITLER].all()
        ):
            return "too many players are out"
        return None

    def out_of_policies(self, s: Any) -> str | None:
        """What does not go together in the deck and the hands."""
        held = {view.DISCARD: 3, view.ENACT: 2, view.VETO: 2}.get(int(s.phase), 0)
        if s.hand.sum() != held or (held == 0 and s.left < 3):
            return "there are too many or too few policies"
        rest = np.array([LIBERALS, FASCISTS]) - s.enacted - s.hand
        if (np.bincount(s.deck[: s.left], minlength=2) > rest).any():
            return "there are too many policies of a kind"
        return None

    def out_of_turn(self, s: Any) -> str | None:
        """What does not go together in a round."""
        mover = {
            view.VOTE: NOBODY,
            view.TALK: s.speaker,
            view.ENACT: s.chancellor,
            view.CHANCELLOR_REPORT: s.chancellor,
        }.get(int(s.phase), s.president)
        if s.mover != mover or (s.speaker != NOBODY) != (s.phase == view.TALK):
            return "another player is to move"
        named = s.chancellor != NOBODY
        if not s.alive[s.president] or named != (s.phase != view.NOMINATE) or (named and not s.alive[s.chancellor]):
            return "a government does not go with the phase"
        if s.presidents[s.round] != s.president or s.president == s.chancellor:
            return "a government does not go with the phase"
        living = int(s.alive.sum())
        if s.phase == view.TALK and (s.said >= s.params.discussion * living or not s.alive[s.speaker]):
            return "the talk is over"
        if (s.messages[: s.said, :2] == NOBODY).any():
            return "nobody has said something"
        if s.phase in (view.INVESTIGATE, view.ELECT, view.EXECUTE) and power_of(s) != s.phase:
            return "the president has another power"
        if s.phase == view.INVESTIGATE and not can_inspect(s):
            return "there is no player to investigate"
        return None

    # Levels.

    def get_level(self, s: Any) -> dict[str, Any]:
        deck = "".join("LF"[policy] for policy in s.cards)
        return {"roles": [view.ROLES[role].name for role in s.roles], "deck": deck, "first": int(s.first)}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        if set(level) != {"roles", "deck", "first"}:
            found = sorted(level) or "nothing"
            raise LevelError(f"{self.id}: a level has 'roles', 'deck' and 'first', not {found}")
        deck = level["deck"]
        if not isinstance(deck, str) or sorted(deck) != ["F"] * FASCISTS + ["L"] * LIBERALS:
            raise LevelError(f"{self.id}: 'deck' must have 6 x L and 11 x F in some order, not {deck!r:.60}")
        deduction.read_seats(s, level, view.ROLES, self.id)
        s.cards[:] = ["LF".index(letter) for letter in deck]


env, raw_env, parallel_env = pettingzoo_forms(SecretHitler)
