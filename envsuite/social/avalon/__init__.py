"""Avalon: good and evil go on quests together; evil hides, Merlin knows, and an assassin looks for Merlin.

**Rules.** Roles are dealt at random. Some players are evil, the others good:

| players | 5 | 6 | 7 | 8 | 9 | 10 |
|---|---|---|---|---|---|---|
| evil | 2 | 2 | 3 | 3 | 3 | 4 |
| members of the five quests | 2 3 2 3 3 | 2 3 4 3 4 | 2 3 3 4 4 | 3 4 4 5 5 | 3 4 4 5 5 | 3 4 4 5 5 |

| side | role | number | is shown at the start |
|---|---|---|---|
| good | servant | the other good players | nothing |
| good | Merlin | 1 | the evil players, without Mordred |
| good | Percival | 1 with `percival` | Merlin and Morgana, but not which is which |
| evil | minion | the other evil players | the other evil players, without Oberon |
| evil | assassin | 1 | the same |
| evil | Morgana | 1 with `morgana` | the same |
| evil | Mordred | 1 with `mordred` | the same |
| evil | Oberon | 1 with `oberon` | nothing |

A random player leads first. Each proposal has these parts:

1. *Team.* The leader picks the members of the quest, one by one. It may pick itself.
2. *Talk.* All speak one at a time, `discussion` times round, from the leader on in the order of seats.
3. *Vote.* All approve or reject the team, all at once. The votes are open.
4. *Quest.* If more than half approve, the members play a card each, all at once: success or fail. Good members can
   only play success. All see the number of fails, but not who played them. One fail makes the quest fail. With 7
   players or more, the fourth quest fails with two.

Then the next player leads, in the order of seats. After four rejected teams of a quest, the fifth goes without talk and
vote (``fifth="lost"``: it is talked about and voted on, and evil wins if it is rejected too).

Evil wins when three quests have failed. When three have succeeded, the assassin names a player. Evil wins if this is
Merlin; otherwise, good wins. No player has to speak the truth, and speech changes nothing but what is heard.

**Agents.** `player_0` ... `player_{players-1}`.

**Observation.** Dict of int8 arrays, with N players; -1 means unknown, none or not yet.

| part | space | content |
|---|---|---|
| phase | Box (1,) | 0 team, 1 talk, 2 vote, 3 quest, 4 assassination |
| agent | Box (1,) | the observing agent's number |
| leader | Box (1,) | the player that leads |
| speaker | Box (1,) | the player that speaks |
| quest | Box (1,) | the quest to come or under way, from 0 |
| rejected | Box (1,) | teams of this quest that were rejected |
| proposal | Box (1,) | number of the proposal, from 0, over all quests |
| counts | Box (8,) | how many players have each role |
| sizes | Box (5,) | members of each quest |
| needed | Box (5,) | fails with which each quest fails |
| roles | Box (N,) | the roles that the agent knows: its own, and all when the game is over |
| sides | Box (N,) | what the agent was shown of each: 0 good (itself), 1 evil, 2 Merlin or Morgana |
| teams | Box (25, N) | 1 for the members that were picked, by proposal |
| votes | Box (25, N) | 1 approved, 0 rejected, by proposal |
| went | Box (5,) | the proposal whose team went on each quest |
| fails | Box (5,) | the fails of each quest |
| claims | Box (N,) | the role that each claimed last |
| stances | Box (N, N) | what each said of each other in the last talk: 1 accused, 2 defended, 0 nothing |
| messages | Box (`discussion` N, 3) | the last talk: speaker, act, target |

Roles: 0 servant, 1 Merlin, 2 Percival, 3 minion, 4 assassin, 5 Morgana, 6 Mordred, 7 Oberon. Acts of speech have the
numbers of the table of actions, where those that are aimed at a player count once: 8 accuse, 9 defend.

**Actions.** Discrete (8 + 4 N).

| action | name | legal |
|---|---|---|
| 0 | `silent` | when speaking |
| 1, 2 | `claim servant`, `claim Merlin` | when speaking |
| 3 | `claim Percival` | when speaking, with `percival` |
| 4, 5 | `approve`, `reject` | in the vote |
| 6 | `succeed` | for a member of the quest |
| 7 | `fail` | for an evil member of the quest |
| 8 + j | `accuse player_j` | when speaking, of another player |
| 8 + N + j | `defend player_j` | the same |
| 8 + 2N + j | `pick player_j` | for the leader, of a player that is not yet on the team |
| 8 + 3N + j | `name player_j` | for the assassin at the end, another player that it was not shown as evil |

**Window.** A click on a seat picks, accuses or names the player that sits there. The keys a and r approve and reject, s
stays silent, and the arrow keys up and down play success and fail.

**Rewards.** At the end +1 to the members of the side that wins, and -1 to those of the other.

**Ends.** Terminates for all at once when a side has won.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 5 | number of players, from 5 to 10 |
| `percival` | False | whether Percival plays |
| `morgana` | False | whether Morgana plays |
| `mordred` | False | whether Mordred plays |
| `oberon` | False | whether Oberon plays |
| `discussion` | 1 | how many times all speak about a team, from 0 to 4 |
| `fifth` | forced | what happens to the fifth team of a quest; or lost |

There must be evil players enough for the assassin and the named ones.

**Level.** ``{"roles": ["servant", "Merlin", "assassin", ...], "first": 0}``: each player's role, and the first leader.

**Known values.** Let teams be random and the assassin name a random good player. Then good wins with these
probabilities, by recursion over the quests:

| players | 5 | 6 | 7 | 8 | 9 | 10 |
|---|---|---|---|---|---|---|
| evil members always fail | 0.02443 | 0.02819 | 0.02535 | 0.00846 | 0.03027 | 0.00817 |
| evil members toss coins, as in random play | 0.37732 | 0.41759 | 0.42807 | 0.36704 | 0.46224 | 0.34952 |

**Differences.** From the board game:

- After four rejected teams, the fifth is forced, as in AvalonBench. In the board game, evil wins when a fifth team is
  rejected (``fifth="lost"``).
- Speech is typed and has its time: after a team is picked and before the vote. There, all talk freely. Evil players
  do not confer before the assassination.
- The leader picks members one by one, in the open.
- Lancelot, the Lady of the Lake and the choice of the next quest are left out.

From AvalonBench's engine:

- It asks for votes on the fifth team and ignores them.
- There, the assassin may name any player, itself included; here, a player that it was not shown as evil.
- There, Merlin knows Mordred, evil players know Oberon, and Percival is shown nobody.

**Source.** Eskridge, "The Resistance: Avalon", 2012. Light, Cai, Shen and Hu, "AvalonBench: Evaluating LLMs Playing the
Game of Avalon", 2023, and its engine, jonathanmli/Avalon-LLM.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from gymnasium.spaces import Dict

from envsuite.core import random
from envsuite.core.arrays import copy, fill
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts
from envsuite.core.ranges import below, fixed, flag, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import deduction
from envsuite.kit.council import Council
from envsuite.kit.deduction import DEFENDED, NOBODY, NOTHING, Act, part
from envsuite.registry import pettingzoo_forms
from envsuite.social.avalon import pages, view
from envsuite.social.avalon.view import ASSASSINATION, EVIL, MERLIN, MINION, NONE, QUEST, TALK, TEAM, VOTE

#: What a player is shown of another that is Merlin or Morgana; GOOD and EVIL are the other marks.
MAGICAL = 2

#: Quests, teams that are proposed for one, and proposals in all.
QUESTS, ATTEMPTS = 5, 5
PROPOSALS = QUESTS * ATTEMPTS

#: By number of players: evil players, and members of each quest.
TABLE = {
    5: (2, (2, 3, 2, 3, 3)),
    6: (2, (2, 3, 4, 3, 4)),
    7: (3, (2, 3, 3, 4, 4)),
    8: (3, (3, 4, 4, 5, 5)),
    9: (3, (3, 4, 4, 5, 5)),
    10: (4, (3, 4, 4, 5, 5)),
}

#: What happens to the fifth team of a quest.
FORCED, LOST = range(2)
FIFTH = ("forced", "lost")

ACTS = (
    Act("silent", "says nothing"),
    Act("claim servant", "claims to be a servant"),
    Act("claim Merlin", "claims to be Merlin"),
    Act("claim Percival", "claims to be Percival"),
    Act("approve"),
    Act("reject"),
    Act("succeed"),
    Act("fail"),
    Act("accuse {}", "accuses {}"),
    Act("defend {}", "defends {}"),
    Act("pick {}"),
    Act("name {}"),
)
(
    SILENT, CLAIM_SERVANT, CLAIM_MERLIN, CLAIM_PERCIVAL, APPROVE, REJECT, SUCCEED, FAIL, ACCUSE, DEFEND, PICK, NAME,
) = range(len(ACTS))  # fmt: skip
PLAIN = deduction.count_plain(ACTS)
aimed = deduction.aimed_of(PLAIN)


def fields(players: int, utterances: int) -> list[tuple]:
    """The record's own fields, for at most this number of utterances about a team."""
    last = players - 1
    member = within(np.int64, NOBODY, last)
    return [
        ("phase", below(np.int64, 5)),  # TEAM, TALK, VOTE, QUEST or ASSASSINATION
        ("roles", below(np.int8, len(view.ROLES)), (players,)),  # the level: the role of each player
        ("first", below(np.int64, players)),  # the level: the first leader
        ("leader", below(np.int64, players)),  # the player that leads
        ("quest", below(np.int64, QUESTS)),  # the quest to come or under way
        ("rejected", below(np.int64, ATTEMPTS)),  # teams of this quest that were rejected
        ("proposal", below(np.int64, PROPOSALS)),  # number of the proposal
        ("teams", flag(np.int8), (PROPOSALS, players)),  # 1 for the members that were picked
        ("votes", within(np.int8, NONE, 1), (PROPOSALS, players)),  # 1 approved, 0 rejected, or NONE
        ("went", within(np.int8, NONE, PROPOSALS - 1), (QUESTS,)),  # the proposal whose team went, or NONE
        ("fails", within(np.int8, NONE, last), (QUESTS,)),  # fails that were played, or NONE
        ("speaker", member),  # the player that speaks, or NOBODY
        ("said", within(np.int64, 0, utterances)),  # number of messages
        ("claims", within(np.int8, NONE, view.PERCIVAL), (players,)),  # role that each claims, or NONE
        ("stances", below(np.int8, 3), (players, players)),  # NOTHING, ACCUSED or DEFENDED, by speaker and target
        ("messages", within(np.int8, NOBODY, np.array([last, DEFEND, last])), (max(utterances, 1), 3)),
        ("named", member),  # the player that the assassin named, or NOBODY
        ("winner", within(np.int64, NONE, EVIL)),  # the side that has won, or NONE
    ]


@kernel
def reset(s):
    players = s.roles.shape[0]
    if not s.level_given:
        deduction.deal(s)
        s.first = random.randint(s, players)
    s.leader = s.first
    s.quest = 0
    s.rejected = 0
    s.proposal = 0
    s.named = NOBODY
    s.winner = NONE
    fill(s.teams, 0)
    fill(s.votes, NONE)
    fill(s.went, NONE)
    fill(s.fails, NONE)
    fill(s.claims, NONE)
    deduction.clear_talk(s)
    s.phase = TEAM
    s.speaker = NOBODY


@kernel
def members(table, proposal):
    """How many members of a team have been picked; the table is a record or an observation."""
    count = 0
    for a in range(table.teams.shape[1]):
        count += table.teams[proposal, a]
    return count


@kernel
def is_forced(s):
    """Whether the team goes without talk and vote."""
    return s.params.fifth == FORCED and s.rejected == ATTEMPTS - 1


@kernel
def pick(s, player):
    """The leader picks a member; after the last one comes the talk."""
    s.teams[s.proposal, player] = 1
    if members(s, s.proposal) < s.params.sizes[s.quest]:
        return
    deduction.clear_talk(s)
    if is_forced(s):
        set_out(s)
    elif s.params.discussion > 0:
        s.phase = TALK
        s.speaker = s.leader
    else:
        s.phase = VOTE


@kernel
def set_out(s):
    """The team goes on its quest."""
    s.went[s.quest] = s.proposal
    s.phase = QUEST


@kernel
def speak(s, action):
    players, speaker = s.roles.shape[0], s.speaker
    act, _ = deduction.utter(s, action, PLAIN, ACCUSE, DEFEND)
    if CLAIM_SERVANT <= act <= CLAIM_PERCIVAL:
        s.claims[speaker] = act - CLAIM_SERVANT
    if s.said == s.params.discussion * players:
        s.speaker = NOBODY
        s.phase = VOTE
    else:
        s.speaker = (speaker + 1) % players


@kernel
def vote(s, actions, rewards):
    players, approvals = s.roles.shape[0], 0
    for a in range(players):
        s.votes[s.proposal, a] = actions[a] == APPROVE
        approvals += s.votes[s.proposal, a]
    if 2 * approvals > players:
        set_out(s)
    elif s.rejected == ATTEMPTS - 1:
        conclude(s, rewards, EVIL)
    else:
        s.rejected += 1
        pass_on(s)


@kernel
def pass_on(s):
    """The next player leads."""
    s.leader = (s.leader + 1) % s.roles.shape[0]
    s.proposal += 1
    s.phase = TEAM


@kernel
def quest(s, actions, rewards):
    fails = 0
    for a in range(s.roles.shape[0]):
        fails += s.teams[s.proposal, a] != 0 and actions[a] == FAIL
    s.fails[s.quest] = fails
    lost = quests_lost(s)
    if lost == 3:
        conclude(s, rewards, EVIL)
    elif s.quest + 1 - lost == 3:
        s.phase = ASSASSINATION
    else:
        s.quest += 1
        s.rejected = 0
        pass_on(s)


@kernel
def quests_lost(s):
    """How many quests have failed."""
    count = 0
    for q in range(QUESTS):
        count += s.fails[q] >= s.params.needed[q]
    return count


@kernel
def conclude(s, rewards, winner):
    """A side wins."""
    s.winner = winner
    for a in range(s.roles.shape[0]):
        rewards[a] = 1.0 if (s.roles[a] >= MINION) == (winner == EVIL) else -1.0
        s.terminated[a] = 1


@kernel
def step(s, actions, rewards):
    players = s.roles.shape[0]
    if s.phase == TEAM:
        pick(s, deduction.target_of(actions[s.leader], PLAIN, players))
    elif s.phase == TALK:
        speak(s, actions[s.speaker])
    elif s.phase == VOTE:
        vote(s, actions, rewards)
    elif s.phase == QUEST:
        quest(s, actions, rewards)
    else:
        for a in range(players):
            if s.roles[a] == view.ASSASSIN:
                s.named = deduction.target_of(actions[a], PLAIN, players)
        conclude(s, rewards, EVIL if s.roles[s.named] == MERLIN else view.GOOD)


@kernel
def shown(viewer, role):
    """What a player with one role is shown at the start of another player with this role."""
    if viewer == MERLIN and role >= MINION and role != view.MORDRED:
        return EVIL
    if viewer >= MINION and viewer != view.OBERON and role >= MINION and role != view.OBERON:
        return EVIL
    if viewer == view.PERCIVAL and (role == MERLIN or role == view.MORGANA):
        return MAGICAL
    return NONE


@kernel
def observe(s, agent, out):
    deduction.observe_talk(s, agent, out)
    out.leader[0] = s.leader
    out.speaker[0] = s.speaker
    out.quest[0] = s.quest
    out.rejected[0] = s.rejected
    out.proposal[0] = s.proposal
    for q in range(QUESTS):
        out.sizes[q] = s.params.sizes[q]
        out.needed[q] = s.params.needed[q]
    for a in range(s.roles.shape[0]):
        out.roles[a] = s.roles[a] if a == agent or s.winner != NONE else NONE
        out.sides[a] = shown(s.roles[agent], s.roles[a])
    out.sides[agent] = EVIL if s.roles[agent] >= MINION else view.GOOD
    copy(out.teams, s.teams)
    copy(out.votes, s.votes)
    copy(out.went, s.went)
    copy(out.fails, s.fails)
    copy(out.claims, s.claims)


@kernel
def legal(s, agent, mask):
    players = s.roles.shape[0]
    if s.phase == TEAM and agent == s.leader:
        for a in range(players):
            mask[aimed(s, PICK, a)] = s.teams[s.proposal, a] == 0
    elif s.phase == TALK and agent == s.speaker:
        mask[SILENT] = mask[CLAIM_SERVANT] = mask[CLAIM_MERLIN] = 1
        mask[CLAIM_PERCIVAL] = s.params.counts[view.PERCIVAL] > 0
        for a in range(players):
            mask[aimed(s, ACCUSE, a)] = mask[aimed(s, DEFEND, a)] = a != agent
    elif s.phase == VOTE:
        mask[APPROVE] = mask[REJECT] = 1
    elif s.phase == QUEST and s.teams[s.proposal, agent] != 0:
        mask[SUCCEED] = 1
        mask[FAIL] = s.roles[agent] >= MINION
    elif s.phase == ASSASSINATION and s.roles[agent] == view.ASSASSIN:
        for a in range(players):
            mask[aimed(s, NAME, a)] = a != agent and shown(view.ASSASSIN, s.roles[a]) != EVIL


class Avalon(Council, World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGE
    page_slots = pages.page_slots
    turns = "mixed"
    paid_at_end = True
    kind = ("deduction",)
    verified = "exact values of random play for all sizes; recordings of AvalonBench's engine; a second implementation"
    variants = (
        dict(players=7, percival=True, morgana=True, mordred=True, discussion=0, fifth="lost"),
        dict(players=10, percival=True, morgana=True, oberon=True, discussion=2),
    )
    shown = "bayesian"
    clickable = "(pick|accuse|name) .*"
    keys = {"a": "approve", "r": "reject", "s": "silent", "up": "succeed", "down": "fail"}
    acts = ACTS
    title = "Avalon"
    arrows = {8: "bad", 9: "good"}
    view: ClassVar[Any] = view
    text = view.text

    def talk_teams(self, s: Any) -> Sequence[Collection[int]]:
        """The evil that know each other, when they look for Merlin."""
        evil = np.flatnonzero((s.roles >= MINION) & (s.roles != view.OBERON)).tolist()
        return [evil] if s.phase == ASSASSINATION else []

    def talk_times(self, s: Any) -> Collection[str]:
        """All talk before a vote, and the evil before Merlin is named."""
        return ("team",) if s.phase == ASSASSINATION else super().talk_times(s)

    def __init__(
        self,
        players: Annotated[int, Between(5, 10)] = 5,
        percival: bool = False,
        morgana: bool = False,
        mordred: bool = False,
        oberon: bool = False,
        discussion: Annotated[int, Between(0, 4)] = 1,
        fifth: Literal["forced", "lost"] = "forced",
    ):
        evil, sizes = TABLE[players]
        named = 1 + morgana + mordred + oberon
        if named > evil:
            raise ParameterError(
                f"Avalon: the assassin and the named ones are {named}, but players={players} have {evil} evil players"
            )
        counts = [players - evil - 1 - percival, 1, percival, evil - named, 1, morgana, mordred, oberon]
        needed = [1, 1, 1, 2 if players >= 7 else 1, 1]
        agents = [f"player_{k}" for k in range(players)]
        last, utterances = players - 1, discussion * players
        self.define(
            agents=agents,
            actions=deduction.act_names(ACTS, agents),
            observation=Dict(
                phase=part(TEAM, ASSASSINATION),
                agent=part(0, last),
                leader=part(0, last),
                speaker=part(NOBODY, last),
                quest=part(0, QUESTS - 1),
                rejected=part(0, ATTEMPTS - 1),
                proposal=part(0, PROPOSALS - 1),
                counts=part(0, players, len(view.ROLES)),
                sizes=part(0, last, QUESTS),
                needed=part(1, 2, QUESTS),
                roles=part(NONE, view.OBERON, players),
                sides=part(NONE, MAGICAL, players),
                teams=part(0, 1, PROPOSALS, players),
                votes=part(NONE, 1, PROPOSALS, players),
                went=part(NONE, PROPOSALS - 1, QUESTS),
                fails=part(NONE, last, QUESTS),
                claims=part(NONE, view.PERCIVAL, players),
                stances=part(NOTHING, DEFENDED, players, players),
                messages=part(NOBODY, [last, DEFEND, last], max(utterances, 1), 3),
            ),
            fields=fields(players, utterances),
            params={
                "counts": limited([int(count) for count in counts], 0, players),
                "sizes": fixed(sizes),
                "needed": fixed(needed),
                "discussion": fixed(discussion),
                "fifth": FIFTH.index(fifth),
            },
            reward_range=(-1.0, 1.0),
        )

    def mark(self, s: Any, agent: int, a: int) -> int:
        return int(shown(s.roles[agent], s.roles[a]))

    # Records from outside.

    def contradiction(self, s: Any) -> str | None:
        if np.bincount(s.roles, minlength=len(view.ROLES)).tolist() != s.params.counts.tolist():
            return "the roles are not those of the game"
        if s.leader != (s.first + s.proposal) % len(s.roles):
            return "another player leads"
        over = (s.terminated | s.truncated) > 0
        if over.any() != over.all() or (s.terminated[0] != 0) != (s.winner != NONE):
            return "the game ends for all players at once, when a side has won"
        return self.out_of_course(s) or self.out_of_turn(s)

    def out_of_course(self, s: Any) -> str | None:
        """What does not go together in the proposals and quests: they are followed from the start."""
        players, p, sizes = len(s.roles), int(s.proposal), s.params.sizes
        evil, went, quest, rejected = s.roles >= MINION, [], 0, 0
        for k in range(p + 1):
            now = k == p
            forced = s.params.fifth == FORCED and rejected == ATTEMPTS - 1
            count = int(s.teams[k].sum())
            if count > sizes[quest] or (count == sizes[quest]) == (now and s.phase == TEAM):
                return f"the team of proposal {k} has too many or too few members"
            voted = not now or s.phase >= QUEST or s.winner != NONE
            if ((s.votes[k] != NONE) != (voted and not forced)).any():
                return f"the votes of proposal {k} do not go with the phase"
            approved = forced or 2 * int(s.votes[k].sum()) > players
            if now and voted and approved != (s.phase >= QUEST):
                return "the votes do not go with the phase"
            if voted and approved:
                went.append(k)
            if not now:
                quest, rejected = (quest + 1, 0) if approved else (quest, rejected + 1)
                if quest == QUESTS or rejected == ATTEMPTS:
                    return "the game is over"
        if s.teams[p + 1 :].any() or (s.votes[p + 1 :] != NONE).any():
            return "there are teams or votes to come"
        if (s.quest, s.rejected) != (quest, rejected) or s.went.tolist() != went + [NONE] * (QUESTS - len(went)):
            return "quests and rejected teams are miscounted"
        done = quest + (s.phase == ASSASSINATION or (s.phase == QUEST and s.winner != NONE))
        if (s.fails[:done] == NONE).any() or (s.fails[done:] != NONE).any():
            return "the quests were not made in their order"
        if any(s.fails[q] > (s.teams[went[q]] * evil).sum() for q in range(done)):
            return "more members failed than are evil"
        lost = [int((s.fails[:q] >= s.params.needed[:q]).sum()) for q in range(done + 1)]
        if any(max(lost[q], q - lost[q]) >= 3 for q in range(quest + 1)):
            return "the game is over"
        if (s.phase == ASSASSINATION) != (done - lost[done] == 3):
            return "the assassination does not go with the quests"
        if s.winner != NONE and s.phase <= VOTE and (s.phase != VOTE or rejected < ATTEMPTS - 1 or s.winner != EVIL):
            return "nobody has won"
        if s.phase == QUEST and s.winner != (EVIL if lost[done] == 3 else NONE):
            return "nobody has won"
        return None

    def out_of_turn(self, s: Any) -> str | None:
        """What does not go together in the talk and the assassination."""
        players, utterances = len(s.roles), int(s.params.discussion) * len(s.roles)
        talks = s.phase == TALK
        if s.speaker != ((s.leader + s.said) % players if talks else NOBODY) or (talks and s.said >= utterances):
            return "it is another player's turn to speak"
        if (s.messages[: s.said, :2] == NOBODY).any():
            return "nobody has said something"
        if talks and s.params.fifth == FORCED and s.rejected == ATTEMPTS - 1:
            return "a forced team is not talked about"
        named = s.named != NOBODY
        if named != (s.phase == ASSASSINATION and s.winner != NONE):
            return "the assassin has named nobody"
        if named and (s.winner == EVIL) != (s.roles[s.named] == MERLIN):
            return "the other side has won"
        return None

    # Levels.

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"roles": [view.ROLES[role].name for role in s.roles], "first": int(s.first)}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "roles", "first")
        deduction.read_seats(s, level, view.ROLES, self.id)


env, raw_env, parallel_env = pettingzoo_forms(Avalon)
