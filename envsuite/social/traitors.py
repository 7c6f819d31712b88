"""Traitors: a few secret traitors murder by night; by day they and the faithful talk and vote (The Traitors).

**Rules.** `traitors` of the players are traitors, drawn at random, and know each other. The others are faithful and
know only the number of traitors. A day has five parts:

1. *Discussion.* The living speak one at a time, in an order drawn for the day, `discussion` times round.
2. *Vote.* Each living player names another, all at once. The player that is named most is removed, and its role is
   shown. The votes are open. In a tie, the player that was named first is removed, counting from `player_0`'s vote on
   (``ties="random"``: any of those tied).
3. *Reaction.* The living speak again, in a new order, `reaction` times round.
4. *Conference.* `confer` times, each living traitor names a faithful, all at once. Only traitors see this.
5. *Murder.* Each living traitor names a faithful once more. The player that is named most dies, with ties as above.

The game is decided after the night only. The faithful win when no traitor is left. The traitors win when they are at
least as many as the faithful. When the vote removes the last traitor, the game ends without a further night.

No player has to speak the truth, and speech changes nothing but what is heard.

**Agents.** `player_0` ... `player_{players-1}`. The dead stay until the end, without a legal action. They see what all
see, and get their team's reward.

**Observation.** Dict of int8 arrays, with N players and D = (N - 1) // 2 days; -1 means unknown or no player.

| part | space | content |
|---|---|---|
| phase | Box (1,) | 0 discussion, 1 vote, 2 reaction, 3 conference, 4 murder |
| day | Box (1,) | from 1 |
| agent | Box (1,) | the observing agent's number |
| speaker | Box (1,) | the player that speaks |
| deceivers | Box (1,) | how many traitors there were at the start |
| alive | Box (N,) | 1 for each player that is alive |
| roles | Box (N,) | what the agent knows of each: 0 faithful, 1 traitor |
| removed | Box (D,) | the player that the vote of each day removed |
| killed | Box (D,) | the player that was murdered in each night |
| votes | Box (D, N) | the player that each named in the vote of each day |
| plans | Box (N,) | the player that each traitor named last, this night or by day the last; all -1 to the faithful |
| claims | Box (N,) | the role that each claimed last |
| stances | Box (N, N) | what each said of each other in the last talk: 1 accused, 2 defended, 0 nothing |
| messages | Box ((discussion + reaction) N, 3) | the last talk: speaker, act, target |

Acts of speech: 0 silent, 1 claim faithful, 2 claim traitor, 3 accuse, 4 defend.

**Actions.** Discrete (3 + 4 N).

| action | name | legal |
|---|---|---|
| 0 | `silent` | when speaking |
| 1, 2 | `claim faithful`, `claim traitor` | when speaking |
| 3 + j | `accuse player_j` | when speaking, of another player that is alive |
| 3 + N + j | `defend player_j` | the same |
| 3 + 2N + j | `vote for player_j` | in the vote, for another player that is alive |
| 3 + 3N + j | `murder player_j` | for a living traitor, in conference and murder, of a living faithful |

**Window.** A click on a seat accuses, votes for or murders the player that sits there. The key s stays silent, and f
claims to be faithful.

**Rewards.** At the end +1 to the members of the team that wins, dead or alive, and -1 to those of the other.

**Ends.** Terminates for all at once when a team has won.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 10 | number of players, from 4 to 20 |
| `traitors` | 3 | number of traitors, from 1 to 9, fewer than half of the players |
| `discussion` | 2 | how many times all speak before the vote, from 0 to 4 |
| `reaction` | 1 | how many times all speak after it, from 0 to 2 |
| `confer` | 1 | how many times the traitors name a victim before they decide, from 0 to 3 |
| `ties` | first | or random |

**Level.** ``{"roles": ["traitor", "faithful", ...]}``: each player's role.

**Known values.** Let every vote remove one of the living at random, and every night one of the living faithful. Then
the faithful win with these probabilities:

| players, traitors | 10, 3 | 8, 2 | 12, 3 | 5, 1 |
|---|---|---|---|---|
| probability | 0.06875 | 0.15625 | 0.10547 | 0.46667 |

The same holds when all play at random, although a random vote favors some seats where ties go to the first. Roles are
dealt at random, and random votes ignore them: traitors name each other as readily. The player that is removed is
therefore a traitor with a probability that equals the traitors' share of the living.

**Differences.** From the source:

- Its agents talk freely; here speech is typed.
- Its personalities, introductions and topics change no state and are dropped. So is the alibi, a speech about nothing
  that the game knows.
- Its discussion goes in the order of seats; here the order of speech is drawn.
- Its votes go in the order of seats. Here they are cast at once, which is the same, since its voters do not see each
  other's votes before all are cast.
- There, traitors confer one by one, twice round. Here all name a victim at once, `confer` times.
- A vote there may name any player or none; here, another player that is alive.
- When all traitors are gone, its faithful play on until the night, in which nothing can happen. Here the game ends at
  once.

**Source.** Curvo, "The Traitors: Deception and Trust in Multi-Agent Language Model Simulations", 2025, and its code,
pedrocurvo/TheTraitors.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Dict

from envsuite.core import random
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page, When
from envsuite.core.ranges import limited, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import deduction
from envsuite.kit.deduction import DECEIVER, NOBODY, TIES, Act, Phase, Role, RoundTable
from envsuite.registry import pettingzoo_forms

FAITHFUL, TRAITOR = 0, DECEIVER
DISCUSSION, VOTE, REACTION, CONFERENCE, MURDER = range(5)

ACTS = (
    Act("silent", "says nothing"),
    Act("claim faithful", "claims to be faithful"),
    Act("claim traitor", "claims to be a traitor"),
    Act("accuse {}", "accuses {}"),
    Act("defend {}", "defends {}"),
    Act("vote for {}"),
    Act("murder {}"),
)
SILENT, CLAIM_FAITHFUL, CLAIM_TRAITOR, ACCUSE, DEFEND, VOTE_FOR, KILL = range(len(ACTS))
PLAIN = deduction.count_plain(ACTS)
aimed = deduction.aimed_of(PLAIN)


def fields(*table: int) -> list[tuple]:
    """The record's own fields; `table` are the arguments of `deduction.table_fields`."""
    return [
        *deduction.table_fields(*table),
        ("conferred", within(np.int64, 0, 3)),  # number of conferences held in this night
    ]


@kernel
def reset(s):
    players = s.roles.shape[0]
    if not s.level_given:
        for a in range(players):
            s.roles[a] = TRAITOR if a < s.params.deceivers else FAITHFUL
        random.shuffle(s, s.roles, players)
    deduction.lay_table(s)
    s.conferred = 0
    open_discussion(s)


@kernel
def open_discussion(s):
    s.phase = DISCUSSION
    deduction.open_talk(s)
    if s.params.discussion == 0:
        open_vote(s)


@kernel
def open_vote(s):
    s.phase = VOTE
    s.speaker = NOBODY


@kernel
def open_night(s):
    s.phase = CONFERENCE if s.params.confer > 0 else MURDER
    s.conferred = 0
    s.speaker = NOBODY
    deduction.clear_plans(s)


@kernel
def speak(s, action):
    speaker = s.speaker
    act, _ = deduction.utter(s, action, PLAIN, ACCUSE, DEFEND)
    if act == CLAIM_FAITHFUL:
        s.claims[speaker] = FAITHFUL
    elif act == CLAIM_TRAITOR:
        s.claims[speaker] = TRAITOR


@kernel
def vote(s, actions, rewards):
    removed = deduction.poll(s, actions, PLAIN)
    s.alive[removed] = 0
    s.removed[s.day - 1] = removed
    deduction.reveal(s, removed)
    if deduction.living_deceivers(s) == 0:
        deduction.conclude(s, rewards, False)
    elif s.params.reaction > 0:
        s.phase = REACTION
        deduction.open_talk(s)
    else:
        open_night(s)


@kernel
def murder(s, rewards):
    killed = deduction.plurality(s, s.plans, s.params.ties)
    s.alive[killed] = 0
    s.killed[s.day - 1] = killed
    deduction.reveal(s, killed)
    if 2 * deduction.living_deceivers(s) >= deduction.living(s):
        deduction.conclude(s, rewards, True)
    else:
        s.day += 1
        deduction.clear_talk(s)
        open_discussion(s)


@kernel
def step(s, actions, rewards):
    if s.phase == DISCUSSION:
        speak(s, actions[s.speaker])
        if deduction.pass_on(s, s.params.discussion * s.seated):
            open_vote(s)
    elif s.phase == VOTE:
        vote(s, actions, rewards)
    elif s.phase == REACTION:
        speak(s, actions[s.speaker])
        if deduction.pass_on(s, s.params.reaction * s.seated):
            open_night(s)
    else:
        deduction.conspire(s, actions, PLAIN)
        if s.phase == MURDER:
            murder(s, rewards)
        else:
            s.conferred += 1
            if s.conferred == s.params.confer:
                s.phase = MURDER


@kernel
def observe(s, agent, out):
    deduction.observe_table(s, agent, out)


@kernel
def legal(s, agent, mask):
    players = s.alive.shape[0]
    if s.alive[agent] == 0:
        return
    if s.speaker == agent:
        for act in range(PLAIN):
            mask[act] = 1
        for a in range(players):
            other = s.alive[a] & (a != agent)
            mask[aimed(s, ACCUSE, a)] = other
            mask[aimed(s, DEFEND, a)] = other
    elif s.phase == VOTE:
        for a in range(players):
            mask[aimed(s, VOTE_FOR, a)] = s.alive[a] & (a != agent)
    elif (s.phase == CONFERENCE or s.phase == MURDER) and s.roles[agent] == TRAITOR:
        for a in range(players):
            mask[aimed(s, KILL, a)] = s.alive[a] & (s.roles[a] == FAITHFUL)


PAGE = Page(
    role=(
        "You are {own_a}. Of {players} players, {traitors} {are} drawn by lot, and the others are faithful.",
        Case(
            "own",
            {"traitor": "Traitors know each other."},
            "Traitors know each other; the faithful know only how many there are.",
        ),
    ),
    goal=(
        "If your team wins, you get +1, otherwise -1, dead or alive. The faithful win when no traitor is left. The "
        "traitors win when they are at least as many as the faithful. That is decided after the night; if the vote "
        "removes the last traitor, there is no further night."
    ),
    rules=(
        (
            "By day,",
            When("discussion", "the living speak one at a time, in {discussion:round}, in an order drawn by lot. Then"),
            "each living player names another, all at once. The one named most is removed, its role is shown, and so "
            "are the votes.",
            When("reaction", "Then the living speak again, in {reaction:round}."),
        ),
        (
            "By night,",
            When(
                "confer",
                "the living traitors talk in {confer:round}: in each, all name a faithful, which only traitors see. "
                "Then",
            ),
            "each living traitor names a faithful, all at once, and the one named most is murdered.",
        ),
        (
            "In a tie,",
            Case(
                "ties",
                {
                    "first": "the one goes that was named first, if the votes are read in the order of the players' "
                    "numbers.",
                    "random": "one of them goes, drawn by lot.",
                },
            ),
            "Nobody has to speak the truth.",
        ),
    ),
    sees="All hear what is said by day and see who votes for whom. The dead only watch.",
    acts={
        ("accuse {PLAYER}", "defend {PLAYER}"): When("talk", "say this of another player"),
        ("claim faithful", "claim traitor"): When("talk", "claim to be this"),
        "silent": When("talk", "say nothing"),
        "vote for {PLAYER}": "vote to remove this player",
        "murder {PLAYER}": Case("own", {"traitor": "name a victim, at night"}),
    },
    ends="It is over when a team has won.",
    constants={"1": "the reward"},
)


class Traitors(RoundTable):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = PAGE
    turns = "mixed"
    paid_at_end = True
    kind = ("deduction",)
    verified = "exact values of random play for four sizes; the source's rule for ties"
    variants = (dict(players=8, traitors=2, discussion=0, reaction=0, confer=0, ties="random"),)
    shown = "bayesian"
    clickable = "(accuse|vote for|murder) .*"
    keys = {"s": "silent", "f": "claim faithful"}
    title = "The Traitors"
    roles = (Role("faithful", "a faithful", "blue"), Role("traitor", "a traitor", "red"))
    phases = (
        Phase("discussion"),
        Phase("vote"),
        Phase("reaction"),
        Phase("conference of the traitors", night=True),
        Phase("murder", night=True),
    )
    teams = ("the faithful", "the traitors")
    acts = ACTS
    killing = "murdered"
    arrows = {ACCUSE: "bad", DEFEND: "good"}

    def talk_times(self, s: Any) -> Collection[str]:
        """As in all such worlds, but traitors confer only before the murder itself."""
        return () if s.phase == CONFERENCE else super().talk_times(s)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        p = self.parameters
        return {
            **super().page_slots(s, agent),
            "are": "is a traitor" if p["traitors"] == 1 else "are traitors",
            "talk": p["discussion"] or p["reaction"],
        }

    def __init__(
        self,
        players: Annotated[int, Between(4, 20)] = 10,
        traitors: Annotated[int, Between(1, 9)] = 3,
        discussion: Annotated[int, Between(0, 4)] = 2,
        reaction: Annotated[int, Between(0, 2)] = 1,
        confer: Annotated[int, Between(0, 3)] = 1,
        ties: Literal["first", "random"] = "first",
    ):
        if 2 * traitors >= players:
            raise ParameterError(f"Traitors: traitors={traitors} must be fewer than half of players={players}")
        agents = [f"player_{k}" for k in range(players)]
        days, utterances = (players - 1) // 2, (discussion + reaction) * players
        table = (players, days, utterances, len(self.phases), len(self.roles), len(self.said))
        self.define(
            agents=agents,
            actions=deduction.act_names(ACTS, agents),
            observation=Dict(deduction.table_parts(*table)),
            fields=fields(*table),
            params={
                "deceivers": limited(traitors, 1, (players - 1) // 2),
                "discussion": discussion,
                "reaction": reaction,
                "confer": confer,
                "ties": TIES.index(ties),
            },
            reward_range=(-1.0, 1.0),
        )

    def role_counts(self, s: Any) -> list[int]:
        return [len(s.roles) - int(s.params.deceivers), int(s.params.deceivers)]

    def unplayable(self, s: Any) -> str | None:
        players, first, second = len(s.roles), s.params.discussion, s.params.reaction
        living, late = int(s.alive.sum()), int(s.phase >= REACTION)
        if max((first + second) * players, 1) != len(s.messages):
            return "there is no room for what is said"
        if living != players - 2 * (s.day - 1) - late or not 0 < 2 * deduction.living_deceivers(s) < living + late:
            return "the living are too many or too few"
        rounds, before = {DISCUSSION: (first, 0), REACTION: (second, first * (living + 1))}.get(s.phase, (0, 0))
        if not self.talks(s, rounds) or (s.phase in (DISCUSSION, REACTION) and rounds == 0):
            return "it is nobody's turn to speak"
        if s.said != (before + s.spoken if rounds else first * living if s.phase == VOTE else s.said):
            return "said does not count what was said"
        return "the conferences are over" if s.phase == CONFERENCE and s.conferred >= s.params.confer else None


env, raw_env, parallel_env = pettingzoo_forms(Traitors)
