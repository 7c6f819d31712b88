"""Werewolf: by night the wolves kill, a seer sees and a doctor saves; by day the village talks and votes (Mafia).

**Rules.** Roles are dealt at random: werewolves, which know each other, one seer, one doctor, and villagers. The first
night comes before the first day.

1. *Night.* All act at once and in secret. Every living werewolf names a living player that is no werewolf. The doctor
   names a living player to protect. The seer names another living player, and learns its role even if the seer dies.
   The player that most wolves name dies, unless the doctor protects it. A tie goes to any of the tied players. In the
   morning all hear which player died, or that none did, but not why.
2. *Discussion.* The living speak one at a time, in an order drawn for the day, `discussion` times round.
3. *Vote.* Each living player names another, all at once. The player that is named most is removed. A tie goes to any of
   the tied players (``ties="first"``: to the one that was named first, counting from `player_0`'s vote on). The votes
   are open.

With `reveal`, the role of a player that dies or is voted out is shown. The village wins when no werewolf is left. The
werewolves win when they are at least as many as the others. Both are tested after the night and after the vote.

No player has to speak the truth, and speech changes nothing but what is heard.

**Agents.** `player_0` ... `player_{players-1}`. The dead stay until the end, without a legal action. They see what all
see, and get their team's reward.

**Observation.** Dict of int8 arrays, with N players and D = N - 2 days; -1 means unknown or no player.

| part | space | content |
|---|---|---|
| phase | Box (1,) | 0 night, 1 discussion, 2 vote |
| day | Box (1,) | from 1; a night counts to the day after it |
| agent | Box (1,) | the observing agent's number |
| speaker | Box (1,) | the player that speaks |
| deceivers | Box (1,) | how many werewolves there were at the start |
| alive | Box (N,) | 1 for each player that is alive |
| roles | Box (N,) | what the agent knows of each: 0 villager, 1 werewolf, 2 seer, 3 doctor |
| removed | Box (D,) | the player that the vote of each day removed |
| killed | Box (D,) | the player that died in each night |
| votes | Box (D, N) | the player that each named in the vote of each day |
| plans | Box (N,) | by day, the player that each werewolf named last night; all -1 to the others |
| claims | Box (N,) | the role that each claimed last |
| stances | Box (N, N) | what each said of each other in the last talk: 1 accused, 2 defended, 0 nothing |
| reports | Box (N, N) | what each has reported of each other, last: 1 a werewolf, 2 no werewolf, 0 nothing |
| messages | Box (discussion N, 3) | the last talk: speaker, act, target |

Acts of speech: 0 silent, 1 claim villager, 2 claim seer, 3 claim doctor, 4 accuse, 5 defend, 6 report a werewolf, 7
report no werewolf. To report is to claim to be the seer.

**Actions.** Discrete (4 + 8 N).

| action | name | legal |
|---|---|---|
| 0 | `silent` | when speaking |
| 1, 2, 3 | `claim villager`, `claim seer`, `claim doctor` | when speaking |
| 4 + j | `accuse player_j` | when speaking, of another player that is alive |
| 4 + N + j | `defend player_j` | the same |
| 4 + 2N + j | `report werewolf player_j` | the same |
| 4 + 3N + j | `report innocent player_j` | the same |
| 4 + 4N + j | `vote for player_j` | in the vote, for another player that is alive |
| 4 + 5N + j | `kill player_j` | at night, for a living werewolf, of a living player that is no werewolf |
| 4 + 6N + j | `protect player_j` | at night, for the living doctor, of a living player, itself with `self_protection` |
| 4 + 7N + j | `inspect player_j` | at night, for the living seer, of another player that is alive |

**Window.** A click on a seat accuses, votes for, kills, protects or inspects the player that sits there. The key s
stays silent.

**Rewards.** At the end +1 to the members of the team that wins, dead or alive, and -1 to those of the other.

**Ends.** Terminates for all at once when a team has won.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 7 | number of players, from 5 to 15 |
| `werewolves` | None | number of werewolves, from 1 to 7, fewer than half of the players; None: see below |
| `discussion` | 1 | how many times all speak before the vote, from 0 to 4 |
| `ties` | random | in the vote; or first |
| `reveal` | True | whether the roles of the dead are shown |
| `self_protection` | True | whether the doctor may protect itself |

With None, there are 1 werewolf of 5 players, 2 of 6 to 10, 3 of 11 to 13, and 4 of 14 and 15.

**Level.** ``{"roles": ["seer", "werewolf", ...]}``: each player's role.

**Known values.** Probability that the village wins when all play at random. It follows from recursion over the numbers
of each team and whether the doctor lives. Beside it stands another simulation of 100,000 games (standard error 0.001).

| players, werewolves | recursion | simulation |
|---|---|---|
| 7, 2 | 0.1297 | 0.1306 |
| 8, 2 | 0.2215 | 0.2216 |
| 9, 2 | 0.2046 | 0.2052 |

**Differences.** From TextArena's SecretMafia:

- Its players write, and confer freely. Here speech is typed, one round by default (three there).
- Its night is played role by role, and each wolf sees the choices of the wolves before it. Here all act at once: wolves
  agree by what they know, or a draw decides.
- Its detective learns whether a player is of the mafia; here the seer learns the role.
- It shows no roles of the dead (``reveal=False``).
- It does not offer the doctor itself as a choice, but lets it protect itself (``self_protection=False`` forbids it).
- It lets a player vote for itself.
- The share of werewolves is its own.

**Source.** Davidoff, "Mafia", 1986, and Plotkin, "Werewolf", 1997; LeonGuertler/TextArena, SecretMafia.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Dict

from envsuite.core import random
from envsuite.core.arrays import copy, fill
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page, When, listed
from envsuite.core.ranges import below, limited
from envsuite.core.world import Between, Kernels
from envsuite.kit import deduction
from envsuite.kit.deduction import DECEIVER, NOBODY, RANDOM, TIES, Act, Phase, Role, RoundTable
from envsuite.registry import pettingzoo_forms

VILLAGER, WEREWOLF, SEER, DOCTOR = 0, DECEIVER, 2, 3
NIGHT, DISCUSSION, VOTE = range(3)

ACTS = (
    Act("silent", "says nothing"),
    Act("claim villager", "claims to be a villager"),
    Act("claim seer", "claims to be the seer"),
    Act("claim doctor", "claims to be the doctor"),
    Act("accuse {}", "accuses {}"),
    Act("defend {}", "defends {}"),
    Act("report werewolf {}", "reports {} a werewolf"),
    Act("report innocent {}", "reports {} innocent"),
    Act("vote for {}"),
    Act("kill {}"),
    Act("protect {}"),
    Act("inspect {}"),
)
(
    SILENT, CLAIM_VILLAGER, CLAIM_SEER, CLAIM_DOCTOR, ACCUSE, DEFEND, REPORT_WEREWOLF, REPORT_INNOCENT,
    VOTE_FOR, KILL, PROTECT, INSPECT,
) = range(len(ACTS))  # fmt: skip
PLAIN = deduction.count_plain(ACTS)
aimed = deduction.aimed_of(PLAIN)

#: What is reported of a player.
UNKNOWN, GUILTY, INNOCENT = range(3)


def fields(players: int, *table: int) -> list[tuple]:
    """The record's own fields; `players` and `table` are the arguments of `deduction.table_fields`."""
    return [
        *deduction.table_fields(players, *table),
        ("reports", below(np.int8, 3), (players, players)),  # UNKNOWN, GUILTY or INNOCENT, by reporter and player
    ]


@kernel
def reset(s):
    players = s.roles.shape[0]
    if not s.level_given:
        wolves = s.params.deceivers
        for a in range(players):
            s.roles[a] = WEREWOLF if a < wolves else SEER if a == wolves else DOCTOR if a == wolves + 1 else VILLAGER
        random.shuffle(s, s.roles, players)
    deduction.lay_table(s)
    fill(s.reports, UNKNOWN)
    s.phase = NIGHT


@kernel
def decided(s, rewards):
    """Whether a team has won; if so, it is rewarded."""
    wolves = deduction.living_deceivers(s)
    over = wolves == 0 or 2 * wolves >= deduction.living(s)
    if over:
        deduction.conclude(s, rewards, wolves > 0)
    return over


@kernel
def remove(s, player):
    s.alive[player] = 0
    if s.params.reveal != 0:
        deduction.reveal(s, player)


@kernel
def night(s, actions):
    players = s.roles.shape[0]
    deduction.conspire(s, actions, PLAIN)
    victim, protected = deduction.plurality(s, s.plans, RANDOM), NOBODY
    for a in range(players):
        if s.alive[a] != 0:
            target = deduction.target_of(actions[a], PLAIN, players)
            if s.roles[a] == DOCTOR:
                protected = target
            elif s.roles[a] == SEER:
                s.minds[a].roles[target] = s.roles[target]
    if victim != protected:
        s.killed[s.day - 1] = victim
        remove(s, victim)


@kernel
def open_day(s):
    deduction.clear_talk(s)
    if s.params.discussion > 0:
        s.phase = DISCUSSION
        deduction.open_talk(s)
    else:
        s.phase = VOTE


@kernel
def speak(s, action):
    speaker = s.speaker
    act, target = deduction.utter(s, action, PLAIN, ACCUSE, DEFEND)
    if act == CLAIM_VILLAGER:
        s.claims[speaker] = VILLAGER
    elif act == CLAIM_DOCTOR:
        s.claims[speaker] = DOCTOR
    elif act == CLAIM_SEER or act >= REPORT_WEREWOLF:
        s.claims[speaker] = SEER
        if act != CLAIM_SEER:
            s.reports[speaker, target] = GUILTY if act == REPORT_WEREWOLF else INNOCENT


@kernel
def step(s, actions, rewards):
    if s.phase == NIGHT:
        night(s, actions)
        if not decided(s, rewards):
            open_day(s)
    elif s.phase == DISCUSSION:
        speak(s, actions[s.speaker])
        if deduction.pass_on(s, s.params.discussion * s.seated):
            s.phase = VOTE
    else:
        removed = deduction.poll(s, actions, PLAIN)
        s.removed[s.day - 1] = removed
        remove(s, removed)
        if not decided(s, rewards):
            s.day += 1
            s.phase = NIGHT
            deduction.clear_plans(s)


@kernel
def observe(s, agent, out):
    deduction.observe_table(s, agent, out)
    copy(out.reports, s.reports)


@kernel
def legal(s, agent, mask):
    players = s.alive.shape[0]
    if s.alive[agent] == 0:
        return
    role = s.roles[agent]
    if s.speaker == agent:
        for act in range(PLAIN):
            mask[act] = 1
        for a in range(players):
            other = s.alive[a] & (a != agent)
            for act in range(ACCUSE, REPORT_INNOCENT + 1):
                mask[aimed(s, act, a)] = other
    elif s.phase == VOTE:
        for a in range(players):
            mask[aimed(s, VOTE_FOR, a)] = s.alive[a] & (a != agent)
    elif s.phase == NIGHT and role == WEREWOLF:
        for a in range(players):
            mask[aimed(s, KILL, a)] = s.alive[a] & (s.roles[a] != WEREWOLF)
    elif s.phase == NIGHT and role == DOCTOR:
        for a in range(players):
            mask[aimed(s, PROTECT, a)] = s.alive[a] & ((a != agent) | (s.params.self_protection != 0))
    elif s.phase == NIGHT and role == SEER:
        for a in range(players):
            mask[aimed(s, INSPECT, a)] = s.alive[a] & (a != agent)


PAGE = Page(
    role=(
        "You are {own_a}. Of {players} players, {wolves} {are}; one is the seer, one the doctor, and the others are "
        "villagers. Roles were dealt by lot. Werewolves know each other.",
    ),
    goal=(
        "If your team wins, you get +1, otherwise -1, dead or alive. The village wins when no werewolf is left. The "
        "werewolves win when they are at least as many as the others. Both can happen after the night and after the "
        "vote."
    ),
    rules=(
        (
            "The first night comes before the first day. At night all act at once and in secret. Each living werewolf "
            "names a living player that is no werewolf, the doctor names a living player to protect,",
            When("self_protection", "maybe itself,", "but never itself,"),
            "and the seer names another living player and learns its role. The one that most werewolves name dies, "
            "unless the doctor protects it; in a tie, one of them is drawn by lot. In the morning all hear who died, "
            "if anybody did, but not why.",
        ),
        (
            "By day,",
            When("discussion", "the living speak one at a time, in {discussion:round}, in an order drawn by lot. Then"),
            "each living player names another, all at once. The one named most is out. In a tie,",
            Case(
                "ties",
                {
                    "first": "the one goes that was named first, if the votes are read in the order of the players' "
                    "numbers.",
                    "random": "one of them goes, drawn by lot.",
                },
            ),
            "The votes are shown.",
            When("reveal", "So is the role of each player that is out.", "Roles of players that are out stay secret."),
            "Nobody has to speak the truth.",
        ),
    ),
    sees=Case(
        "own",
        {
            "werewolf": "At night you see whom each werewolf names. All hear what is said by day.",
            "seer": "You see the roles of those that you inspect. All hear what is said by day.",
        },
        "You know only your own role. All hear what is said by day.",
    ),
    acts={
        ("accuse {PLAYER}", "defend {PLAYER}"): When("discussion", "say this of another player"),
        ("report werewolf {PLAYER}", "report innocent {PLAYER}"): When("discussion", "say that you know this"),
        ("claim villager", "claim seer", "claim doctor"): When("discussion", "claim to be this"),
        "silent": When("discussion", "say nothing"),
        "vote for {PLAYER}": "vote to remove this player",
        "kill {PLAYER}": Case("own", {"werewolf": "name a victim, at night"}),
        "protect {PLAYER}": Case("own", {"doctor": "keep this player from being killed tonight"}),
        "inspect {PLAYER}": Case("own", {"seer": "learn this player's role, at night"}),
    },
    ends="It is over when a team has won. The dead only watch.",
    constants={"1": "the reward"},
)


class Werewolf(RoundTable):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = PAGE
    turns = "mixed"
    paid_at_end = True
    kind = ("deduction",)
    verified = "an exact recursion and a published simulation of random play"
    variants = (dict(players=9, discussion=2, ties="first", reveal=False, self_protection=False),)
    clickable = "(accuse|vote for|kill|protect|inspect) .*"
    keys = {"s": "silent"}
    title = "Werewolf"
    roles = (
        Role("villager", "a villager", "green"),
        Role("werewolf", "a werewolf", "red"),
        Role("seer", "the seer", "purple"),
        Role("doctor", "the doctor", "blue"),
    )
    phases = (Phase("night", night=True), Phase("discussion"), Phase("vote"))
    teams = ("the villagers", "the werewolves")
    acts = ACTS
    phrases = {
        **deduction.PHRASES,
        "report werewolf {}": (
            "I know it: {0} is a werewolf.",
            "I looked at {0} in the night and saw a werewolf.",
            "{0} is one of the wolves, I have seen it.",
            "My vision was of {0}, and it was a werewolf.",
            "Believe me, {0} is a werewolf.",
        ),
        "report innocent {}": (
            "I know that {0} is no werewolf.",
            "I looked at {0} in the night: no werewolf.",
            "{0} is clean, I have seen it.",
            "My vision was of {0}, and it is one of us.",
            "Believe me, {0} is not a wolf.",
        ),
    }
    killing = "killed"
    night_first = True
    arrows = {ACCUSE: "bad", DEFEND: "good", REPORT_WEREWOLF: "bad", REPORT_INNOCENT: "good"}

    def unspoken(self, s: Any) -> Any:
        quiet = super().unspoken(s)
        quiet.reports[:] = UNKNOWN
        return quiet

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        wolves = int(s.params.deceivers)
        return {
            **super().page_slots(s, agent),
            "wolves": wolves,
            "are": "is a werewolf" if wolves == 1 else "are werewolves",
        }

    def __init__(
        self,
        players: Annotated[int, Between(5, 15)] = 7,
        werewolves: Annotated[int | None, Between(1, 7)] = None,
        discussion: Annotated[int, Between(0, 4)] = 1,
        ties: Literal["first", "random"] = "random",
        reveal: bool = True,
        self_protection: bool = True,
    ):
        wolves = werewolves or max(1, round(players / 4))
        if 2 * wolves >= players:
            raise ParameterError(f"Werewolf: werewolves={wolves} must be fewer than half of players={players}")
        agents = [f"player_{k}" for k in range(players)]
        days, utterances = players - 2, discussion * players
        table = (players, days, utterances, len(self.phases), len(self.roles), len(self.said))
        parts = deduction.table_parts(*table)
        parts["reports"] = deduction.part(UNKNOWN, INNOCENT, players, players)
        self.define(
            agents=agents,
            actions=deduction.act_names(ACTS, agents),
            observation=Dict(parts),
            fields=fields(*table),
            params={
                "deceivers": limited(wolves, 1, (players - 1) // 2),
                "discussion": discussion,
                "ties": TIES.index(ties),
                "reveal": int(reveal),
                "self_protection": int(self_protection),
            },
            reward_range=(-1.0, 1.0),
        )

    def role_counts(self, s: Any) -> list[int]:
        return [len(s.roles) - int(s.params.deceivers) - 2, int(s.params.deceivers), 1, 1]

    def unplayable(self, s: Any) -> str | None:
        players, living = len(s.roles), int(s.alive.sum())
        if max(s.params.discussion * players, 1) != len(s.messages):
            return "there is no room for what is said"
        if living > players - (s.day - 1) or not 0 < 2 * deduction.living_deceivers(s) < living:
            return "the living are too many or too few"
        if not self.talks(s, s.params.discussion if s.phase == DISCUSSION else 0):
            return "it is nobody's turn to speak"
        return "said does not count what was said" if s.phase == DISCUSSION and s.said != s.spoken else None

    def notes(self, s: Any, agent: int) -> list[str]:
        lines = []
        known = s.minds[agent].roles
        if s.roles[agent] == SEER:
            seen = [f"player_{a} is {self.roles[known[a]].a}" for a in range(len(s.roles))
                    if a != agent and s.alive[a] and known[a] >= 0]  # fmt: skip
            if seen:
                lines.append("You have seen: " + listed(seen) + ".")
        reports = [f"player_{a} says that player_{b} is {('', 'a werewolf', 'no werewolf')[s.reports[a, b]]}"
                   for a, b in np.argwhere(s.reports)]  # fmt: skip
        if reports:
            lines.append("Reported so far: " + "; ".join(reports) + ".")
        for d in range(int(s.day) - (s.phase == NIGHT)):
            if s.killed[d] < 0:
                lines.append(f"In night {d + 1} nobody died.")
        return lines


env, raw_env, parallel_env = pettingzoo_forms(Werewolf)
