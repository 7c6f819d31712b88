"""AmongUs: a crew works in rooms while an imposter kills; the finder of a body calls a meeting to talk and vote.

**Rules.** There are `width` x `height` rooms, each joined to those north, west, east and south of it. Room A is in the
north west, and letters continue eastward. One player, drawn at random, is the imposter. The others are crew. Each crew
member has `tasks` tasks in rooms drawn at random; several may be in one room. All start in the middle room of the north
side.

Time passes in ticks. A free player is asked what to do, at the same time as all players that are free at this tick.
Ticks in which no player is asked are skipped.

- *Walk* to the next room. The player is there `duration` + 2 ticks later and is asked again. Until then it is in both
  rooms.
- *Task* (crew): one of the player's own tasks in the room is done, in the same time.
- *Wait*: the player is asked again after three ticks, or as soon as what it sees changes.
- *Kill* (imposter): the victim was in sight when the imposter was asked, walking or not. It is dead, even if it has
  just left, and lies in the imposter's room. The imposter is asked again at once.
- *Report* (crew): calls a meeting over a body in sight, unless the reporter is killed in that tick.

The imposter may first kill `cooldown` ticks after the start, after each meeting and after each kill. Until then,
waiting lasts one tick. The order within a tick:

1. Walks and tasks end.
2. All players that were asked act.
3. The kill happens.
4. The game is decided.
5. A report is made.
6. Free players look around.

A player that looks sees the players in its room, those that are coming and from which room, those that are leaving and
to which room, and bodies. A player that works or walks sees nothing, with one exception. At a kill, a player sees the
killer if it is in the imposter's room, or on the way there, and neither works nor reports.

A meeting shows to all which players are alive, and removes all bodies. All talk, one after the other in an order drawn
for the meeting, `discussion` times round. With `survey`, all living players name in secret the player that they
suspect: their beliefs. They do so before the first utterance and after each. Then all vote in secret for a living
player, themselves included, or to skip. The player with most votes is ejected. On a tie, no player is ejected, nor when
skips are most. The number of votes for each is shown. Then all living players are in the first room again.

The crew wins when the imposter is ejected, or when all tasks of the living crew are done. The imposter wins when only
one crew member is left. No player has to speak the truth, and speech changes nothing but what is heard. An imposter can
neither report nor pretend to work.

**Agents.** `player_0` ... `player_{players-1}`. The dead and the ejected stay until the end, without a legal action,
and get their team's reward.

**Observation.** Dict of int8 arrays (int16 for times), with N players, R rooms, T tasks, D = N - 3 meetings; -1 means
unknown, no player or no room.

| part | space | content |
|---|---|---|
| phase | Box (1,) | 0 rooms, 1 survey, 2 talk, 3 vote |
| clock | Box (1,) | ticks so far; each step of a meeting counts one |
| meeting | Box (1,) | the number of this or the next meeting, from 1 |
| agent | Box (1,) | the observing agent's number |
| speaker | Box (1,) | the player that speaks |
| roles | Box (N,) | what the agent knows of each: 0 crew, 1 imposter |
| alive | Box (N,) | 1 for each player that is alive as far as the agent knows |
| width | Box (1,) | the number of rooms in a row |
| room | Box (1,) | where the agent is or goes to |
| activity | Box (1,) | what the agent does: 0 free, 1 waits, 2 walks, 3 works, 4 reports |
| sight | Box (N,) | when it last looked: 0 not in sight, 1 here, 2 coming, 3 leaving, 4 a body |
| via | Box (N,) | the room from which each comes, or to which it leaves |
| seen | Box (N,) | the room in which the agent last saw each alive |
| seen_at | Box (N,) | the time of that |
| witnessed | Box (N,) | 1 for each player that the agent saw kill |
| tasks | Box (T,) | the room of each of its own tasks, -1 once it is done |
| cooldown | Box (1,) | ticks until the imposter may kill; 0 for the crew |
| reports | Box (D, 3) | of each meeting: the caller, the body, the room |
| removed | Box (D,) | the player that each meeting ejected |
| tallies | Box (D, N + 1) | votes for each in each meeting, and at the end skips |
| messages | Box (discussion (N - 1), 3) | the last talk: speaker, code of the utterance, the player it is about |

Codes of utterances: 0 nothing, 1 accuses, 2 defends, 3 saw kill, 4 + r saw last in room r.

**Actions.** Discrete (8 + (7 + R) N).

| action | name | legal |
|---|---|---|
| 0 | `silent` | when speaking |
| 1 | `skip` | in the vote |
| 2 | `wait` | in the rooms, when free |
| 3 | `do task` | the same, for crew with a task left in this room |
| 4, 5, 6, 7 | `go north`, `go west`, `go east`, `go south` | when free, where there is a room |
| 8 + j | `accuse player_j` | when speaking, of another player that is alive |
| 8 + N + j | `defend player_j` | the same |
| 8 + 2N + j | `saw player_j kill` | the same |
| 8 + 3N + j | `suspect player_j` | in a survey, another player that is alive |
| 8 + 4N + j | `vote for player_j` | in the vote, for a living player |
| 8 + 5N + j | `kill player_j` | for the imposter when free and not cooling down, of a living player in sight |
| 8 + 6N + j | `report player_j` | for crew when free, with that body in sight |
| 8 + (7 + r) N + j | `saw player_j in A`, ... | when speaking; of the speaker itself: where it was |

**Window.** A click in the rooms walks to that room, kills or reports. In a meeting, it accuses, suspects or votes. The
arrow keys walk. The keys w, t, s and k wait, do a task, stay silent and skip.

**Rewards.** At the end +1 to the members of the team that wins, dead or alive, and -1 to those of the other.

- `shaping` is added for a task done, a report, a kill, and to crew for a vote for the imposter.
- `speaking` is added to a speaker for every living crew member, itself included, that suspects the imposter after its
  utterance and did not before. It is subtracted for each that no longer does. The imposter gets the negative of it.

**Ends.** Terminates for all at once when a team has won. Truncated after `ticks` ticks.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 5 | number of players, from 4 to 10 |
| `width`, `height` | 2, 2 | size of the grid of rooms, each from 1 to 4, two rooms at least |
| `tasks` | 4 | tasks of each crew member, from 1 to 10 |
| `duration` | 3 | duration of walks and tasks, from 0 to 20 ticks, see above |
| `cooldown` | 5 | ticks before the imposter may kill, from 0 to 50 |
| `discussion` | 2 | how many times all speak in a meeting, from 0 to 4 |
| `survey` | True | whether beliefs are asked for |
| `ticks` | 300 | ticks until truncation, from 10 to 10,000 |
| `shaping`, `speaking` | 0, 0 | weights of these rewards, from 0 to 10 |

**Level.** ``{"imposter": 2, "tasks": [["A", "B", "B", "D"], ...]}``: the number of the imposter, and the rooms of each
player's tasks; the imposter's list is empty.

**Known values.** How games end when all act at random, votes and skips included: the shares won by the imposter, by an
ejection and by tasks. The first two columns are 20,000 games each, here and in the source's own code, run by us
(standard errors up to 0.003). The last column is what has been reported of 400 games of the source's code (up to 0.02).

| rooms, tasks, crew | here | source's code | reported |
|---|---|---|---|
| 2 x 2, 4, 4 | .865 .126 .009 | .862 .129 .009 | .848 .147 .005 |
| 3 x 1, 4, 4 | .856 .133 .011 | .852 .139 .010 | .848 .140 .013 |
| 2 x 1, 4, 4 | .827 .153 .020 | .829 .154 .018 | .848 .125 .028 |
| 2 x 2, 2, 4 | .797 .123 .080 | .799 .125 .076 | .752 .152 .095 |
| 2 x 2, 6, 4 | .875 .124 .002 | .872 .126 .002 | .838 .163 .000 |
| 2 x 2, 4, 3 | .931 .065 .005 | .934 .060 .006 | .917 .077 .005 |
| 2 x 2, 4, 5 | .808 .176 .016 | .818 .166 .016 | .785 .190 .020 |
| 3 x 2, 5, 4 | .874 .122 .004 | .876 .121 .003 | .868 .128 .004 |
| 2 x 2, 4, 4, `task_first` against `eager` | .832 .146 .022 | .831 .150 .020 | .850 .133 .018 |

"Random" is uniform over legal actions: in a vote over all living players, the voter included, and skipping.
`task_first` reports before it works. The imposter has a cooldown of 5. 1,000 random games of four sizes were played in
lock step with the source's code, except for its order of players and its ghosts (below). They agree in every state,
every choice offered and every end.

**Differences.** From the source's code, to which its figures refer:

- Speech is typed; there, it is text of a language model.
- A sighting has no time: to have seen a player in a room is to have seen it there last.
- A belief there is a model's probability of each of seven names, including dead and unused ones. Here a player names
  another living player.
- With `speaking`, the reward counts the players that name the imposter; there, it sums their probabilities. On average
  it is the same for listeners that name as they believe.
- The imposter is asked for its belief too, without effect.
- Within a tick, players there look and arrive one after the other, so some see an arrival one tick before others do.
- There, a player that is ejected on its way is seen walking for ever, and can be killed and found dead once more. This
  does not happen here.
- There, a meeting begins when the clock is a multiple of 50 (of 10 by default), and a random game lasts 91 ticks. Here
  it begins at once, and each of its steps counts one tick: 65.
- Players there have five of seven colors, and an observer may listen. Here they have numbers, and the dead may listen.
- There, the winners get 1, the others nothing. Tasks and similar rewards weigh 0.2, speech from 0.1 to 2.
- Three rewards of the source are left out of `shaping`: for a vote for itself by the imposter, for the pooled belief
  when a meeting opens, and for the unfinished tasks of the crew when the imposter is ejected.
- It trains on 1 x 3, 2 x 2 and 2 x 3 rooms with 3 to 5 tasks and a cooldown of 6; its other runs have one of 5.

There too, an imposter can neither report nor pretend to work, and a meeting brings all back to the first room.

**Source.** Sarkar, Xia, Liu and Sadigh, "Training Language Models for Social Deduction with Multi-Agent Reinforcement
Learning", 2025, and its code, SocialDeductionLLM/SocialDeductionLLM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, hypot
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from envsuite.core import random
from envsuite.core.arrays import copy
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import exact_parts, read_integer, read_list, read_name
from envsuite.core.page import Case, Page, When
from envsuite.core.ranges import below, flag, within
from envsuite.core.record import array_of, as_views
from envsuite.core.world import Between, Kernels
from envsuite.kit import deduction
from envsuite.kit.deduction import DECEIVER, NEITHER, NOBODY, SIZE, Act, Phase, Role, RoundTable
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene
from envsuite.render.theme import agent_color, text_on

CREW, IMPOSTER = 0, DECEIVER
ROOMS, SURVEY, TALK, VOTE = range(4)

#: Rooms.
LETTERS = "ABCDEFGHIJKLMNOP"

ACTS = (
    Act("silent", "says nothing"),
    Act("skip"),
    Act("wait"),
    Act("do task"),
    Act("go north"),
    Act("go west"),
    Act("go east"),
    Act("go south"),
    Act("accuse {}", "accuses {}"),
    Act("defend {}", "defends {}"),
    Act("saw {} kill", "saw {} kill"),
    Act("suspect {}"),
    Act("vote for {}"),
    Act("kill {}"),
    Act("report {}"),
    *(Act(f"saw {{}} in {letter}", f"saw {{}} in {letter}") for letter in LETTERS),
)
#: SAW + r: the speaker last saw the player in room r.
(
    SILENT, SKIP, WAIT, WORK, NORTH, WEST, EAST, SOUTH, ACCUSE, DEFEND, WITNESS, SUSPECT, VOTE_FOR, KILL, REPORT, SAW,
) = range(len(ACTS) - len(LETTERS) + 1)  # fmt: skip
PLAIN = deduction.count_plain(ACTS)
aimed = deduction.aimed_of(PLAIN)

#: The number of each act among the acts of speech, as messages hold it.
SAID = np.cumsum([act.said is not None for act in ACTS]) - 1
SAID_ACCUSE, SAID_DEFEND, SAID_WITNESS, SAID_SAW = (int(SAID[act]) for act in (ACCUSE, DEFEND, WITNESS, SAW))

#: What a player does; players that are free or wait look around.
FREE, WAITING, WALKING, WORKING, REPORTING = range(5)

#: What a player sees of another.
UNSEEN, HERE, COMING, LEAVING, BODY = range(5)

#: How a game ends.
UNDECIDED, EJECTION, KILLING, TASKS = range(4)

#: The duration of waiting, in the units of `duration`.
PATIENCE = 1

#: The maximum ticks of a game.
LONGEST = 10_000

#: The maximum ticks between two kills.
SLOWEST = 50


def fields(players: int, rooms: int, tasks: int, meetings: int, utterances: int) -> list[tuple]:
    """The record's own fields; a field of pairs holds what the first player knows of the second."""
    pairs, last, room = (players, players), players - 1, within(np.int8, NOBODY, rooms - 1)
    place, ticks = within(np.int64, NOBODY, rooms - 1), within(np.int64, 0, LONGEST)
    report = within(np.int8, NOBODY, np.array([last, last, rooms - 1]))
    return [
        *deduction.table_fields(players, meetings, utterances, 4, 2, SAID_SAW + rooms, skips=True),
        ("clock", ticks),  # number of ticks and of transitions in meetings
        ("room", place, (players,)),  # where a player is, or goes to; NOBODY once it is out and no body lies there
        ("origin", place, (players,)),  # where a player comes from, its room unless it walks
        ("activity", below(np.int64, REPORTING + 1), (players,)),  # FREE, WAITING, WALKING, WORKING or REPORTING
        ("timer", ticks, (players,)),  # ticks until that ends
        ("asked", flag(), (players,)),  # whether a player acts at the next tick
        ("cooldown", within(np.int64, 0, SLOWEST)),  # ticks until the imposter may kill
        ("tasks", room, (players, tasks)),  # rooms of a player's tasks, or NOBODY
        ("done", flag(), (players, tasks)),  # whether each is done
        ("lives", flag(np.int8), pairs),  # 1 if alive
        ("sight", below(np.int8, BODY + 1), pairs),  # UNSEEN, HERE, COMING, LEAVING or BODY
        ("via", room, pairs),  # room that a player in sight comes from or leaves to, or NOBODY
        ("seen", room, pairs),  # room where it was last seen, or NOBODY
        ("seen_at", within(np.int16, NOBODY, LONGEST), pairs),  # clock then, or NOBODY
        ("witnessed", flag(np.int8), pairs),  # 1 if it was seen to kill
        ("reports", report, (meetings, 3)),  # reporter, body and room of each meeting
        (
            "tallies",
            within(np.int8, 0, players),
            (meetings, players + 1),
        ),  # number of votes for each player, then of skips
        ("beliefs", within(np.int8, NOBODY, last), (players,)),  # suspect of each at the last survey, or NOBODY
        ("pooled", within(np.int64, 0, players)),  # number of crew members that suspected the imposter then
        ("outcome", below(np.int64, TASKS + 1)),  # UNDECIDED, EJECTION, KILLING or TASKS
    ]


@kernel
def reset(s):
    players, tasks = s.tasks.shape
    if not s.level_given:
        imposter = random.randint(s, players)
        for a in range(players):
            s.roles[a] = IMPOSTER if a == imposter else CREW
            for k in range(tasks):
                s.tasks[a, k] = NOBODY if a == imposter else random.randint(s, s.params.width * s.params.height)
    deduction.lay_table(s)
    s.clock = 0
    s.outcome = UNDECIDED
    s.pooled = 0
    for a in range(players):
        s.beliefs[a] = NOBODY
        for k in range(tasks):
            s.done[a, k] = 0
        for b in range(players):
            s.lives[a, b] = 1
            s.seen[a, b] = NOBODY
            s.seen_at[a, b] = NOBODY
            s.sight[a, b] = UNSEEN
            s.via[a, b] = NOBODY
            s.witnessed[a, b] = 0
    for d in range(s.reports.shape[0]):
        for k in range(3):
            s.reports[d, k] = NOBODY
        for b in range(players + 1):
            s.tallies[d, b] = 0
    gather(s)


@large_kernel
def gather(s):
    """Put all living players into the first room, free."""
    s.phase = ROOMS
    s.speaker = NOBODY
    s.cooldown = s.params.cooldown
    for a in range(s.alive.shape[0]):
        s.room[a] = (s.params.width - 1) // 2 if s.alive[a] != 0 else NOBODY
        s.origin[a] = s.room[a]
        s.activity[a] = FREE
        s.timer[a] = 0
    look_around(s, False)


# The rooms.


@kernel
def look(s, a):
    """Store what a player sees; return whether it has changed."""
    here, news = s.room[a], False
    for b in range(s.alive.shape[0]):
        sight, via = UNSEEN, NOBODY
        if b != a and s.room[b] == here:
            if s.origin[b] != here:
                sight, via = COMING, s.origin[b]
            else:
                sight = HERE if s.alive[b] != 0 else BODY
        elif b != a and s.origin[b] == here:
            sight, via = LEAVING, s.room[b]
        news = news or s.sight[a, b] != sight or s.via[a, b] != via
        s.sight[a, b] = sight
        s.via[a, b] = via
        if sight == BODY:
            s.lives[a, b] = 0
        elif sight != UNSEEN:
            s.seen[a, b] = here
            s.seen_at[a, b] = s.clock
    return news


@large_kernel
def look_around(s, cooling):
    """Idle players look. Those that are free or see a change are asked, and the imposter if it cools down."""
    for a in range(s.alive.shape[0]):
        s.asked[a] = 0
        if s.alive[a] != 0 and s.activity[a] <= WAITING:
            if look(s, a) or (cooling and s.roles[a] == IMPOSTER):
                s.activity[a] = FREE
            s.asked[a] = s.activity[a] == FREE


@kernel
def finish_task(s, a):
    """Mark the first open task of a player in its room as done."""
    for k in range(s.tasks.shape[1]):
        if s.tasks[a, k] == s.room[a] and s.done[a, k] == 0:
            s.done[a, k] = 1
            return


@kernel
def go_on(s, rewards):
    """Continue or end the activities of players."""
    for a in range(s.alive.shape[0]):
        if s.alive[a] != 0:
            if s.timer[a] > 0:
                s.timer[a] -= 1
            else:
                if s.activity[a] == WORKING:
                    finish_task(s, a)
                    rewards[a] += s.params.shaping
                s.origin[a] = s.room[a]
                s.activity[a] = FREE


@kernel
def begin(s, a, act):
    """A player begins to wait, work, walk or report."""
    s.timer[a] = s.params.duration
    if act == WAIT:
        s.activity[a] = WAITING
        s.timer[a] = PATIENCE
    elif act == WORK:
        s.activity[a] = WORKING
    elif act == REPORT:
        s.activity[a] = REPORTING
    elif act <= SOUTH:
        width, room = s.params.width, s.room[a]
        s.activity[a] = WALKING
        s.origin[a] = room
        s.room[a] = (
            room - width if act == NORTH else room - 1 if act == WEST else room + 1 if act == EAST else room + width
        )


@large_kernel
def kill(s, imposter, victim, rewards):
    """Kill a player; players that are there and look up see it."""
    s.alive[victim] = 0
    s.room[victim] = s.room[imposter]
    s.origin[victim] = s.room[imposter]
    s.cooldown = s.params.cooldown
    rewards[imposter] += s.params.shaping
    s.lives[imposter, victim] = 0
    s.lives[victim, victim] = 0
    s.witnessed[victim, imposter] = 1
    for a in range(s.alive.shape[0]):
        if s.alive[a] != 0 and a != imposter and s.room[a] == s.room[imposter] and s.activity[a] <= WALKING:
            s.witnessed[a, imposter] = 1
            s.lives[a, victim] = 0


@large_kernel
def decided(s, rewards):
    """Whether a team has won; if so, it is rewarded."""
    imposters, crew, left = 0, 0, 0
    for a in range(s.alive.shape[0]):
        if s.alive[a] != 0:
            if s.roles[a] == IMPOSTER:
                imposters += 1
            else:
                crew += 1
                for k in range(s.tasks.shape[1]):
                    left += s.done[a, k] == 0
    if imposters == 0:
        s.outcome = EJECTION
    elif crew <= imposters:
        s.outcome = KILLING
    elif left == 0:
        s.outcome = TASKS
    if s.outcome != UNDECIDED:
        deduction.conclude(s, rewards, s.outcome == KILLING)
    return s.outcome != UNDECIDED


@kernel
def tick(s, actions, rewards):
    """One tick in the rooms."""
    players = s.alive.shape[0]
    s.clock += 1
    cooling = s.cooldown > 0
    s.cooldown -= cooling
    go_on(s, rewards)
    killer, victim, reporter = NOBODY, NOBODY, NOBODY
    for a in range(players):
        if s.asked[a] != 0:
            act = deduction.act_of(actions[a], PLAIN, players)
            if act == KILL:
                killer, victim = a, deduction.target_of(actions[a], PLAIN, players)
            else:
                begin(s, a, act)
    if killer != NOBODY:
        kill(s, killer, victim, rewards)
    if decided(s, rewards):
        return
    for a in range(players):
        if reporter == NOBODY and s.alive[a] != 0 and s.activity[a] == REPORTING:
            reporter = a
    if reporter != NOBODY:
        call_meeting(s, reporter, deduction.target_of(actions[reporter], PLAIN, players), rewards)
    else:
        look_around(s, cooling)


@kernel
def is_anyone_asked(s):
    for a in range(s.alive.shape[0]):
        if s.asked[a] != 0:
            return True
    return False


# Meetings.


@large_kernel
def call_meeting(s, reporter, body, rewards):
    players = s.alive.shape[0]
    rewards[reporter] += s.params.shaping
    s.reports[s.day - 1, 0] = reporter
    s.reports[s.day - 1, 1] = body
    s.reports[s.day - 1, 2] = s.room[reporter]
    for b in range(players):
        s.asked[b] = 0
        for a in range(players):
            s.lives[a, b] = s.alive[b]
        if s.alive[b] == 0:
            deduction.reveal(s, b)
            s.room[b] = NOBODY
            s.origin[b] = NOBODY
    deduction.clear_talk(s)
    deduction.open_talk(s)
    s.pooled = 0
    open_survey(s)


@kernel
def open_survey(s):
    """Ask all for the player that they suspect, if there are surveys."""
    s.phase = SURVEY
    s.speaker = NOBODY
    if s.params.survey == 0:
        next_word(s)


@kernel
def next_word(s):
    """Give the word to the next speaker, or open the vote."""
    s.phase = TALK if s.spoken < s.params.discussion * s.seated else VOTE
    s.speaker = s.order[s.spoken % s.seated] if s.phase == TALK else NOBODY


@large_kernel
def take_survey(s, actions, rewards):
    """Store the player that each suspects, and reward the last speaker."""
    players, pooled = s.alive.shape[0], 0
    for a in range(players):
        s.beliefs[a] = deduction.target_of(actions[a], PLAIN, players) if s.alive[a] != 0 else NOBODY
        if s.alive[a] != 0 and s.roles[a] == CREW:
            pooled += s.roles[s.beliefs[a]] == IMPOSTER
    if s.said > 0:
        speaker = np.int64(s.messages[s.said - 1, 0])
        gain = s.params.speaking * (pooled - s.pooled)
        rewards[speaker] += gain if s.roles[speaker] == CREW else -gain
    s.pooled = pooled


@large_kernel
def speak(s, action):
    players = s.alive.shape[0]
    act, target = deduction.act_of(action, PLAIN, players), deduction.target_of(action, PLAIN, players)
    deduction.say(s, s.speaker, SAID[act], target)
    deduction.pass_on(s, s.params.discussion * s.seated)


@kernel
def vote(s, actions, rewards):
    players, day = s.alive.shape[0], s.day - 1
    for a in range(players):
        if s.alive[a] != 0:
            choice = players if actions[a] == SKIP else deduction.target_of(actions[a], PLAIN, players)
            s.votes[day, a] = choice
            s.tallies[day, choice] += 1
            if s.roles[a] == CREW and choice < players and s.roles[choice] == IMPOSTER:
                rewards[a] += s.params.shaping
    ejected = deduction.plurality(s, s.votes[day], NEITHER)
    if 0 <= ejected < players:
        s.alive[ejected] = 0
        s.removed[day] = ejected
        deduction.reveal(s, ejected)
        for a in range(players):
            s.lives[a, ejected] = 0
    if not decided(s, rewards):
        s.day += 1
        gather(s)


@kernel
def step(s, actions, rewards):
    if s.phase == ROOMS:
        going = True
        while going:
            tick(s, actions, rewards)
            going = s.phase == ROOMS and s.outcome == UNDECIDED and s.clock < s.params.ticks and not is_anyone_asked(s)
    else:
        s.clock += 1
        if s.phase == SURVEY:
            take_survey(s, actions, rewards)
            next_word(s)
        elif s.phase == TALK:
            speak(s, actions[s.speaker])
            open_survey(s)
        else:
            vote(s, actions, rewards)
    if s.outcome == UNDECIDED and s.clock >= s.params.ticks:
        for a in range(s.alive.shape[0]):
            s.truncated[a] = 1


@kernel
def observe(s, agent, out):
    out.phase[0] = s.phase
    out.clock[0] = s.clock
    out.meeting[0] = s.day
    out.agent[0] = agent
    out.speaker[0] = s.speaker
    out.width[0] = s.params.width
    out.room[0] = s.room[agent]
    out.activity[0] = s.activity[agent]
    out.cooldown[0] = s.cooldown if s.roles[agent] == IMPOSTER else 0
    copy(out.roles, s.minds[agent].roles)
    copy(out.reports, s.reports)
    copy(out.removed, s.removed)
    copy(out.tallies, s.tallies)
    copy(out.messages, s.messages)
    for b in range(s.alive.shape[0]):
        out.alive[b] = s.lives[agent, b]
        out.sight[b] = s.sight[agent, b]
        out.via[b] = s.via[agent, b]
        out.seen[b] = s.seen[agent, b]
        out.seen_at[b] = s.seen_at[agent, b]
        out.witnessed[b] = s.witnessed[agent, b]
    for k in range(s.tasks.shape[1]):
        out.tasks[k] = s.tasks[agent, k] if s.done[agent, k] == 0 else NOBODY


@kernel
def legal(s, agent, mask):
    players = s.alive.shape[0]
    width, height = s.params.width, s.params.height
    if s.alive[agent] == 0:
        return
    if s.phase == ROOMS:
        if s.asked[agent] == 0:
            return
        room, crew = s.room[agent], s.roles[agent] == CREW
        mask[WAIT] = 1
        mask[NORTH] = room >= width
        mask[WEST] = room % width > 0
        mask[EAST] = room % width < width - 1
        mask[SOUTH] = room // width < height - 1
        for k in range(s.tasks.shape[1]):
            if s.tasks[agent, k] == room and s.done[agent, k] == 0:
                mask[WORK] = 1
        for b in range(players):
            sight = s.sight[agent, b]
            mask[aimed(s, KILL, b)] = not crew and s.cooldown == 0 and sight != UNSEEN and sight != BODY
            mask[aimed(s, REPORT, b)] = crew and sight == BODY
    elif s.phase == SURVEY:
        for b in range(players):
            mask[aimed(s, SUSPECT, b)] = s.alive[b] & (b != agent)
    elif s.phase == VOTE:
        mask[SKIP] = 1
        for b in range(players):
            mask[aimed(s, VOTE_FOR, b)] = s.alive[b]
    elif s.speaker == agent:
        mask[SILENT] = 1
        for b in range(players):
            other = s.alive[b] & (b != agent)
            for act in range(ACCUSE, WITNESS + 1):
                mask[aimed(s, act, b)] = other
            for act in range(SAW, SAW + width * height):
                mask[aimed(s, act, b)] = 1


def _of(role: str, text: str) -> Case:
    """A text for players of one role."""
    return Case("own", {role: text})


PAGE = Page(
    role="You are {own_a}. There are {players} players; one, drawn by lot, is the imposter, and the others are crew.",
    goal=(
        "If your team wins, you get +1, otherwise -1, dead or alive. The crew wins when the imposter is ejected, or "
        "when all tasks of the living crew are done. The imposter wins when only one of the crew is left.",
        When("shaping", "A task, a report, a kill, and a vote of crew for the imposter pay {shaping} each."),
        When(
            "speaking",
            "A speaker gets {speaking} for each of the living crew that suspects the imposter after it spoke and did "
            "not before, and loses that for each that no longer does; the imposter gets the opposite.",
        ),
    ),
    rules=(
        (
            "The rooms, north at the top: {rooms}. You can walk between rooms that are next to each other. All start "
            "in room {start}. Each of the crew has {tasks:task} in certain rooms. Time passes in ticks; you are asked "
            "whenever you are free. A walk or a task takes {busy:tick}; a walker is in both rooms until then.",
            "Only the imposter kills: a player that it saw when it was asked, even if that player has just left. The "
            "body lies in the room of the imposter. It may first kill {cooldown:tick} after the start, after each "
            "meeting and after each kill.",
            "In a tick, walks and tasks end, then all act, then a kill happens, then a report is made. Each word, "
            "suspicion and vote of a meeting counts one tick.",
        ),
        (
            "Crew that see a body may report it, which calls all to a meeting, unless the reporter is killed in that "
            "tick.",
            When(
                "discussion",
                "There, all speak one after the other, in {discussion:round}, in an order drawn by lot. Nobody has "
                "to speak the truth.",
            ),
            When(
                "survey",
                When(
                    "discussion",
                    "Before the first word and after each, all say in secret whom they suspect.",
                    "First all say in secret whom they suspect.",
                ),
            ),
            "Then all vote in secret to eject a living player or nobody. The one with most votes is ejected; in a "
            "tie, or if most skip, nobody is. The counts are shown. Then all are back in room {start}.",
        ),
    ),
    sees=(
        "While you are free, you see the players in your room, who comes and who leaves, and bodies. While you walk "
        "or do a task, you see nothing, except that a walker sees a kill in the room where it comes from or goes. Who "
        "sees a kill sees the killer. Meetings show who is alive.",
    ),
    acts={
        ("go north", "go west", "go east", "go south"): "walk to the next room",
        "do task": _of("crew", "do one of your tasks in this room"),
        "wait": (
            "be asked again after three ticks,",
            _of("imposter", "or after one while you may not kill,"),
            "or when what you see changes",
        ),
        "kill {PLAYER}": _of("imposter", "kill one in sight"),
        "report {PLAYER}": _of("crew", "report this body"),
        ("accuse {PLAYER}", "defend {PLAYER}", "saw {PLAYER} kill", "saw {PLAYER} in {ROOM}"): When(
            "discussion", "say this in a meeting"
        ),
        "silent": When("discussion", "say nothing"),
        "suspect {PLAYER}": When("survey", "name in secret whom you suspect most"),
        ("vote for {PLAYER}", "skip"): "vote to eject one, or nobody",
    },
    ends="It is over when a team has won, or without a winner after {ticks:tick}. A player that is out stays out.",
    constants={"1": "the reward", "three": "ticks of a wait"},
)


class AmongUs(RoundTable):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = PAGE
    turns = "mixed"
    kind = ("deduction",)
    verified = "the source's code in random play, 20,000 games per setting; published frequencies"
    variants = (dict(players=7, width=3, height=1, discussion=1, shaping=0.2, speaking=0.5, ticks=90),)
    shown = "detective"
    cost = 5
    clickable = "(go|kill|report|accuse|vote for) .*"
    keys = {
        "up": "go north",
        "left": "go west",
        "right": "go east",
        "down": "go south",
        "w": "wait",
        "t": "do task",
        "s": "silent",
        "k": "skip",
    }
    title = "Among Us"
    day_name = "meeting"
    roles = (Role("crew", "one of the crew", "blue"), Role("imposter", "the imposter", "red"))
    phases = (Phase("rooms"), Phase("survey"), Phase("talk"), Phase("vote"))
    teams = ("crew", "imposter")
    acts = ACTS
    phrases = {
        **deduction.PHRASES,
        "saw {} kill": (
            "I saw {0} kill.",
            "It was {0}, I watched it happen.",
            "{0} did it before my eyes.",
            "I am a witness: {0} killed.",
            "There is no doubt, I saw {0} do it.",
        ),
        "saw {} in {}": (
            "I saw {0} in room {1}.",
            "{0} was in room {1}.",
            "When I looked, {0} was in room {1}.",
            "In room {1} there was {0}.",
            "I remember {0} in room {1}.",
        ),
    }
    killing = "killed"
    arrows = {SAID_ACCUSE: "bad", SAID_DEFEND: "good", SAID_WITNESS: "red"}

    def __init__(
        self,
        players: Annotated[int, Between(4, 10)] = 5,
        width: Annotated[int, Between(1, 4)] = 2,
        height: Annotated[int, Between(1, 4)] = 2,
        tasks: Annotated[int, Between(1, 10)] = 4,
        duration: Annotated[int, Between(0, 20)] = 3,
        cooldown: Annotated[int, Between(0, SLOWEST)] = 5,
        discussion: Annotated[int, Between(0, 4)] = 2,
        survey: bool = True,
        ticks: Annotated[int, Between(10, LONGEST)] = 300,
        shaping: Annotated[float, Between(0, 10)] = 0.0,
        speaking: Annotated[float, Between(0, 10)] = 0.0,
    ):
        if width * height < 2:
            raise ParameterError(f"AmongUs: width={width} and height={height} must make two rooms at least")
        agents = [f"player_{k}" for k in range(players)]
        rooms, meetings, utterances = width * height, players - 3, discussion * (players - 1)
        last, here = players - 1, rooms - 1
        time = Box(-1, ticks, (players,), np.int16)
        parts: dict[str, Space] = {
            "phase": deduction.part(0, len(self.phases) - 1),
            "clock": Box(0, ticks, (1,), np.int16),
            "meeting": deduction.part(1, meetings + 1),
            "agent": deduction.part(0, last),
            "speaker": deduction.part(NOBODY, last),
            "roles": deduction.part(NOBODY, IMPOSTER, players),
            "alive": deduction.part(0, 1, players),
            "width": deduction.part(1, 4),
            "room": deduction.part(NOBODY, here),
            "activity": deduction.part(FREE, REPORTING),
            "sight": deduction.part(UNSEEN, BODY, players),
            "via": deduction.part(NOBODY, here, players),
            "seen": deduction.part(NOBODY, here, players),
            "seen_at": time,
            "witnessed": deduction.part(0, 1, players),
            "tasks": deduction.part(NOBODY, here, tasks),
            "cooldown": deduction.part(0, cooldown),
            "reports": deduction.part(NOBODY, [last, last, here], meetings, 3),
            "removed": deduction.part(NOBODY, last, meetings),
            "tallies": deduction.part(0, players, meetings, players + 1),
            "messages": deduction.part(NOBODY, [last, SAID_SAW + rooms - 1, last], max(utterances, 1), 3),
        }
        self.rooms = rooms
        bound = 1.0 + shaping + speaking * players
        self.define(
            agents=agents,
            actions=deduction.act_names(ACTS[: SAW + rooms], agents),
            observation=Dict(parts),
            fields=fields(players, rooms, tasks, meetings, utterances),
            params={
                "width": width,
                "height": height,
                "duration": duration,
                "cooldown": cooldown,
                "discussion": discussion,
                "survey": int(survey),
                "ticks": ticks,
                "shaping": float(shaping),
                "speaking": float(speaking),
            },
            reward_range=(-bound, bound),
        )

    def role_counts(self, s: Any) -> list[int]:
        return [len(s.roles) - 1, 1]

    def unplayable(self, s: Any) -> str | None:
        players, living, talk = len(s.roles), int(s.alive.sum()), s.params.discussion
        if s.params.width * s.params.height != self.rooms:
            return "there are more rooms or fewer"
        if max(talk * (players - 1), 1) != len(s.messages):
            return "there is no room for what is said"
        if s.outcome != UNDECIDED or s.clock >= s.params.ticks or living < 3 or not deduction.living_deceivers(s):
            return "the game is over"
        if (s.room[s.alive > 0] == NOBODY).any() or (s.origin[s.alive > 0] == NOBODY).any():
            return "one of the living is nowhere"
        if (s.room != s.origin)[s.alive == 0].any():
            return "one of the dead walks"
        if s.phase == ROOMS:
            return self._astray(s)
        if living > players - s.day:
            return "the living are too many"
        if not self.talks(s, talk if s.phase == TALK else 0) or not self.lined_up(s):
            return "it is nobody's turn to speak"
        if s.phase != VOTE and (s.said != s.spoken or s.said > talk * living):
            return "said does not count what was said"
        return None

    def _astray(self, s: Any) -> str | None:
        """`unplayable` in the rooms."""
        if np.count_nonzero((s.alive == 0) & (s.room == NOBODY)) < s.day - 1:
            return "the living are too many"
        if (s.asked != (s.alive & (s.activity == FREE))).any() or (s.activity[s.alive > 0] == REPORTING).any():
            return "one is asked that is busy or dead, or one is not that is free"
        now = as_views(array_of(s).copy())
        news = [a for a in np.flatnonzero(s.asked).tolist() if look(now, a)]
        return f"player_{news[0]} does not see what is there" if news else None

    # Levels.

    def get_level(self, s: Any) -> dict[str, Any]:
        tasks = [[LETTERS[room] for room in rooms if room >= 0] for rooms in s.tasks]
        return {"imposter": int(np.flatnonzero(s.roles == IMPOSTER)[0]), "tasks": tasks}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "imposter", "tasks")
        players, count = s.tasks.shape
        imposter = read_integer(level["imposter"], f"{self.id}: the level's imposter", 0, players - 1)
        letters = LETTERS[: int(s.params.width * s.params.height)]
        tasks = read_list(level["tasks"], f"{self.id}: the level's tasks", players)
        for a, rooms in enumerate(tasks):
            what = f"{self.id}: tasks of player_{a}"
            rooms = read_list(rooms, what, 0 if a == imposter else count)
            s.tasks[a] = [read_name(room, f"{what}: room", letters) for room in rooms] or NOBODY
        s.roles[:] = CREW
        s.roles[imposter] = IMPOSTER

    # Words.

    def winners(self, s: Any) -> str:
        return self.teams[int(s.outcome == KILLING)]

    def sentence(self, message: Sequence[int]) -> str:
        words = super().sentence(message)
        if message[0] == message[2]:  # of itself
            words = words.replace(f"saw player_{message[2]} in", "was in")
        return words

    def fates(self, s: Any) -> list[tuple[int, str]]:
        found = []
        for (_, body, room), removed in zip(s.reports, s.removed):
            found += [(int(body), f"found dead in room {LETTERS[room]}")] if body >= 0 else []
            found += [(int(removed), "voted out")] if removed >= 0 else []
        told = {a for a, _ in found}
        missing = [a for a in range(len(s.roles)) if not s.alive[a] and s.room[a] < 0 and a not in told]
        return found + [(a, "missing") for a in missing]

    def sights(self, s: Any, agent: int) -> str:
        """What an agent saw when it last looked."""
        where = ("", "player_{} is here", "player_{} comes from room {}", "player_{} leaves to room {}",
                 "the body of player_{} lies here")  # fmt: skip
        found = [where[sight].format(b, LETTERS[s.via[agent, b]]) for b, sight in enumerate(s.sight[agent]) if sight]
        return deduction.listed(found) or "nobody else is here"

    def doing(self, s: Any, agent: int) -> str:
        """What an agent does."""
        words = ("free in room {}", "waits in room {}", "walks to room {}", "works in room {}", "reports in room {}")
        return words[s.activity[agent]].format(LETTERS[s.room[agent]])

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        p = self.parameters
        width, rooms = p["width"], LETTERS[: p["width"] * p["height"]]
        rows = " / ".join(rooms[k : k + width] for k in range(0, len(rooms), width))
        return {
            **super().page_slots(s, agent), "rooms": rows, "start": LETTERS[(width - 1) // 2], "busy": p["duration"] + 2
        }  # fmt: skip

    def text(self, s: Any, agent: int) -> str:
        over, phase = bool(s.terminated.all()), self.phases[s.phase].name
        lines = [f"You are player_{agent}, {self.roles[s.roles[agent]].a}.", ""]
        now = f"Tick {s.clock} of {s.params.ticks}" + ("." if s.phase == ROOMS else f", meeting {s.day}: {phase}.")
        lines.append(f"The game is over: the {self.winners(s)} wins." if over else now)
        lives = s.alive if over else s.lives[agent]
        lines.append("Alive, as far as you know: " + ", ".join(f"player_{a}" for a in np.flatnonzero(lives)) + ".")
        for d, (reporter, body, room) in enumerate(s.reports):
            if reporter >= 0:
                lines.append(f"Meeting {d + 1}: player_{reporter} found player_{body} dead in room {LETTERS[room]}.")
            votes = [f"{count} for " + (f"player_{a}" if a < len(s.roles) else "nobody")
                     for a, count in enumerate(s.tallies[d]) if count]  # fmt: skip
            if votes:
                out = f"player_{s.removed[d]} was" if s.removed[d] >= 0 else "nobody was"
                lines.append(f"Votes: {', '.join(votes)}; {out} voted out.")
        if over:
            return "\n".join([*lines, f"player_{int(s.roles.argmax())} was the imposter."])
        if not s.alive[agent]:
            return "\n".join([*lines, "You are out and only watch; your team's result is yours.", "", "You wait."])
        if s.phase == ROOMS:
            looks = s.activity[agent] <= WAITING
            lines.append(f"You are in room {LETTERS[s.room[agent]]}; {self.sights(s, agent)}." if looks
                         else f"You are busy: player_{agent} {self.doing(s, agent)}.")  # fmt: skip
        ago = {b: int(s.clock - s.seen_at[agent, b]) for b in np.flatnonzero(s.seen[agent] >= 0)}
        seen = [f"player_{b} in room {LETTERS[s.seen[agent, b]]} {_ago(k)}" for b, k in ago.items() if k]
        lines += ["You last saw " + deduction.listed(seen) + "."] if seen else []
        lines += [f"You saw player_{b} kill." for b in np.flatnonzero(s.witnessed[agent])]
        if s.roles[agent] == CREW:
            left = [LETTERS[room] for room, done in zip(s.tasks[agent], s.done[agent]) if not done]
            lines.append(f"Your tasks left: {', '.join(left)}." if left else "Your tasks are done.")
        elif s.phase == ROOMS:
            lines.append(f"Ticks until you may kill: {s.cooldown}." if s.cooldown else "You may kill who is in sight.")
        if s.said:
            lines.append("Said in the last meeting:" if s.phase == ROOMS else "Said in this meeting:")
            lines += [f"- {self.sentence(message)}" for message in s.messages[: s.said]]
        if s.phase == SURVEY:
            lines.append("Whom do you suspect most? Nobody else will know.")
        return "\n".join([*lines, "", self.ask(s, agent)])

    # The picture: the rooms, or in a meeting the table. On the right: what players do, and those that are gone.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        if s.phase != ROOMS:
            return super().scene(s, agent)
        scene, over = Scene(*SIZE), bool(s.terminated.all())
        viewer = None if over else agent
        scene.add(Label(0.6, 0.85, self.title, 0.75, bold=True, align="left"))
        when = f"over: {self.winners(s)} win" if over else f"tick {s.clock}"
        scene.add(Label(12.4, 0.85, when, 0.55, "muted", "right"))
        self._draw_rooms(scene, s, viewer)
        for b, (x, y) in self._places(s, viewer).items():
            self._draw_player(scene, s, b, x, y, agent, viewer)
        known = s.roles if viewer is None else s.minds[viewer].roles
        entries = [
            (b, self._status(s, b, viewer), "bad" if known[b] == IMPOSTER else "ink") for b in range(len(s.roles))
        ]
        deduction.draw_panel(scene, 0.45, 7.55, "players", entries)
        deduction.draw_panel(scene, 8.2, 4.75, "gone", [(a, fate, "ink") for a, fate in self.fates(s)])
        return scene

    def _status(self, s: Any, b: int, viewer: int | None) -> str:
        """The text of a player in the list of players."""
        if not (s.alive[b] if viewer in (None, b) else s.lives[viewer, b]):
            return "dead" if b not in s.removed else "ejected"
        if viewer in (None, b):
            done = f"{s.done[b].sum()}/{s.done.shape[1]} tasks"
            wait = f"kills in {s.cooldown}" if s.cooldown else "may kill"
            return f"{self.doing(s, b)} · {done if s.roles[b] == CREW else wait}"
        if s.seen[viewer, b] < 0:
            return "not seen yet"
        ago = int(s.clock - s.seen_at[viewer, b])
        return f"in room {LETTERS[s.seen[viewer, b]]}" + (f" {_ago(ago)}" if ago else "")

    def _room(self, s: Any, room: int) -> tuple[float, float, float, float]:
        """The middle of a room and half of its sides, walls included."""
        width, height = int(s.params.width), int(s.params.height)
        across, down = min(5.9, 11.8 / width), min(5.6, 11.2 / height)
        x = 6.5 + across * (room % width - (width - 1) / 2)
        y = 7.2 + down * (room // width - (height - 1) / 2)
        return x, y, across / 2, down / 2

    def _slot(self, s: Any) -> tuple[int, int, float]:
        """The columns and rows of players in a room, and the side of their squares."""
        columns = ceil(len(self.agents) ** 0.5)
        rows = ceil(len(self.agents) / columns)
        _, _, across, down = self._room(s, 0)
        return columns, rows, min(1.7 * across / columns, 1.3 * down / rows, 1.5)

    def _places(self, s: Any, viewer: int | None) -> dict[int, tuple[float, float]]:
        """The place of each visible player. A player that walks is halfway, beside others on the same way."""
        found, walkers = {}, dict[frozenset, int]()
        columns, rows, side = self._slot(s)
        looks = viewer is not None and s.alive[viewer] and s.activity[viewer] <= WAITING
        for b in range(len(s.roles)):
            room, origin = s.room[b], s.origin[b]
            if viewer not in (None, b):  # what it sees, not what is
                sight, here, via = s.sight[viewer, b], s.room[viewer], s.via[viewer, b]
                room = -1 if not looks or sight == UNSEEN else via if sight == LEAVING else here
                origin = via if sight == COMING else here
            if room < 0:
                continue
            x, y, _, down = self._room(s, int(room))
            if origin == room:
                x += side * (b % columns - (columns - 1) / 2)
                y += side * (b // columns - (rows - 1) / 2) + 0.1 * down
            else:
                other, way = self._room(s, int(origin)), frozenset((int(room), int(origin)))
                rank = walkers[way] = walkers.get(way, -1) + 1
                aside = 0.85 * side * ((rank + 1) // 2) * (-1) ** rank
                x, y = (x + other[0]) / 2, (y + other[1]) / 2
                x, y = (x + aside, y) if x == other[0] else (x, y + aside)
            found[b] = (x, y)
        return found

    def _draw_rooms(self, scene: Scene, s: Any, viewer: int | None) -> None:
        width, count = int(s.params.width), int(s.params.width * s.params.height)
        for room in range(count):
            x, y, across, down = self._room(s, room)
            scene.add(Rect(x - across, y - down, 2 * across, 2 * down, "wall"))
        for room in range(count):
            x, y, across, down = self._room(s, room)
            lit = viewer is None or room == s.room[viewer]
            inner = (x - across + 0.12, y - down + 0.12, 2 * across - 0.24, 2 * down - 0.24)
            scene.add(Rect(*inner, "floor" if lit else "seam"))
            if room % width < width - 1:
                scene.add(Rect(x + across - 0.14, y - 0.45 * down, 0.28, 0.9 * down, "floor"))
            if room + width < count:
                scene.add(Rect(x - 0.45 * across, y + down - 0.14, 0.9 * across, 0.28, "floor"))
            scene.add(Label(x - across + 0.5, y - down + 0.55, LETTERS[room], 0.55, "muted", bold=True))
            tasks = [(b, done) for b in range(len(s.roles)) if viewer in (None, b) and s.alive[b]
                     for place, done in zip(s.tasks[b], s.done[b]) if place == room]  # fmt: skip
            size = min(0.5, (2 * across - 1.3) / max(len(tasks), 1))
            for k, (b, done) in enumerate(tasks):
                left, side, color = x - across + 1.0 + size * k, 0.8 * size, agent_color(b)
                fill, outline = (f"{color}@0.25", None) if done else (color, "white")
                scene.add(Rect(left, y - down + 0.55 - side / 2, side, side, fill, outline, 0.04, 0.06))

    def _draw_player(
        self, scene: Scene, s: Any, b: int, x: float, y: float, agent: int | None, viewer: int | None
    ) -> None:
        radius = 0.4 * self._slot(s)[2]
        if not s.alive[b] if viewer in (None, b) else s.sight[viewer, b] == BODY:
            scene.add(Circle(x, y, radius, "line", agent_color(b), 0.1, glyph=f"x{b}"))
            for sign in (-1, 1):
                d = 0.55 * radius
                scene.add(Line([(x - d, y - sign * d), (x + d, y + sign * d)], "bad", 0.2 * radius))
            return
        scene.add(Circle(x + 0.03, y + 0.06, radius, "shadow@0.2", glyph=""))
        scene.add(Circle(x, y, radius, agent_color(b), "black" if b == agent else "white", 0.08, glyph=str(b)))
        scene.add(Label(x, y, str(b), 1.05 * radius, text_on(agent_color(b)), bold=True, terminal=False))
        if s.activity[b] == WORKING and viewer in (None, b):
            scene.add(Circle(x + 0.8 * radius, y - 0.8 * radius, 0.34 * radius, "good", "white", 0.05, glyph=""))

    def _arrows(self, s: Any, agent: int | None) -> list[tuple[str, int, int]]:
        """After a survey the beliefs that the agent may know, before it the talk; for spectators the last votes."""
        if s.outcome != UNDECIDED:
            votes = enumerate(s.votes[s.day - 1])
            return [("ink", a, int(target)) for a, target in votes if agent is None and 0 <= target < len(s.votes[0])]
        if s.phase == SURVEY or not s.params.survey:
            return super()._arrows(s, agent)
        beliefs = enumerate(s.beliefs)
        return [("purple", a, int(target)) for a, target in beliefs if agent in (None, a) and target >= 0]

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        """A seat in a meeting. In the rooms a player, to kill or report it, or a room, to walk there."""
        if s.phase != ROOMS:
            return super().click(s, agent, x, y)
        legal, players = self.legal_actions(s, agent), len(self.agents)
        for b, place in self._places(s, agent).items():
            if hypot(x - place[0], y - place[1]) <= 0.4 * self._slot(s)[2]:
                return next((k for k in legal if deduction.target_of(k, PLAIN, players) == b), None)
        width, here = int(s.params.width), int(s.room[agent])
        for action, way in ((NORTH, -width), (WEST, -1), (EAST, 1), (SOUTH, width)):
            if action in legal:
                middle = self._room(s, here + way)
                if abs(x - middle[0]) <= middle[2] and abs(y - middle[1]) <= middle[3]:
                    return action
        return None


def _ago(ticks: int) -> str:
    return f"{ticks} tick{'s' * (ticks != 1)} ago"


env, raw_env, parallel_env = pettingzoo_forms(AmongUs)
