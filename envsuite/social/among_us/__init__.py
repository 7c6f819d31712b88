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
(standard errors up to 0.003); with 5 in the crew 131,072 here (0.001). The last column is what has been reported of 400
games of the source's code (up to 0.02).

| rooms, tasks, crew | here | source's code | reported |
|---|---|---|---|
| 2 x 2, 4, 4 | .865 .126 .009 | .862 .129 .009 | .848 .147 .005 |
| 3 x 1, 4, 4 | .856 .133 .011 | .852 .139 .010 | .848 .140 .013 |
| 2 x 1, 4, 4 | .827 .153 .020 | .829 .154 .018 | .848 .125 .028 |
| 2 x 2, 2, 4 | .797 .123 .080 | .799 .125 .076 | .752 .152 .095 |
| 2 x 2, 6, 4 | .875 .124 .002 | .872 .126 .002 | .838 .163 .000 |
| 2 x 2, 4, 3 | .931 .065 .005 | .934 .060 .006 | .917 .077 .005 |
| 2 x 2, 4, 5 | .814 .170 .016 | .818 .166 .016 | .785 .190 .020 |
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

from collections.abc import Collection, Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from envsuite.core import random
from envsuite.core.arrays import copy
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_integer, read_list, read_name
from envsuite.core.ranges import below, flag, within
from envsuite.core.record import copied
from envsuite.core.world import Between, Kernels
from envsuite.kit import deduction
from envsuite.kit.deduction import NOBODY, Phase, Role, RoundTable
from envsuite.registry import pettingzoo_forms
from envsuite.social.among_us import pages, rules, view


def fields(players: int, rooms: int, tasks: int, meetings: int, utterances: int) -> list[tuple]:
    """The record's own fields; a field of pairs holds what the first player knows of the second."""
    pairs, last, room = (players, players), players - 1, within(np.int8, NOBODY, rooms - 1)
    place, ticks = within(np.int64, NOBODY, rooms - 1), within(np.int64, 0, rules.LONGEST)
    report = within(np.int8, NOBODY, np.array([last, last, rooms - 1]))
    return [
        *deduction.table_fields(players, meetings, utterances, 4, 2, rules.SAID_SAW + rooms, skips=True),
        ("clock", ticks),  # number of ticks and of transitions in meetings
        ("room", place, (players,)),  # where a player is, or goes to; NOBODY once it is out and no body lies there
        ("origin", place, (players,)),  # where a player comes from, its room unless it walks
        ("activity", below(np.int64, rules.REPORTING + 1), (players,)),  # FREE, WAITING, WALKING, WORKING or REPORTING
        ("timer", ticks, (players,)),  # ticks until that ends
        ("asked", flag(), (players,)),  # whether a player acts at the next tick
        ("cooldown", within(np.int64, 0, rules.SLOWEST)),  # ticks until the imposter may kill
        ("tasks", room, (players, tasks)),  # rooms of a player's tasks, or NOBODY
        ("done", flag(), (players, tasks)),  # whether each is done
        ("lives", flag(np.int8), pairs),  # 1 if alive
        ("sight", below(np.int8, rules.BODY + 1), pairs),  # UNSEEN, HERE, COMING, LEAVING or BODY
        ("via", room, pairs),  # room that a player in sight comes from or leaves to, or NOBODY
        ("seen", room, pairs),  # room where it was last seen, or NOBODY
        ("seen_at", within(np.int16, NOBODY, rules.LONGEST), pairs),  # clock then, or NOBODY
        ("witnessed", flag(np.int8), pairs),  # 1 if it was seen to kill
        ("reports", report, (meetings, 3)),  # reporter, body and room of each meeting
        (
            "tallies",
            within(np.int8, 0, players),
            (meetings, players + 1),
        ),  # number of votes for each player, then of skips
        ("beliefs", within(np.int8, NOBODY, last), (players,)),  # suspect of each at the last survey, or NOBODY
        ("pooled", within(np.int64, 0, players)),  # number of crew members that suspected the imposter then
        ("outcome", below(np.int64, rules.TASKS + 1)),  # UNDECIDED, EJECTION, KILLING or TASKS
    ]


@kernel
def reset(s):
    players, tasks = s.tasks.shape
    if not s.level_given:
        imposter = random.randint(s, players)
        for a in range(players):
            s.roles[a] = rules.IMPOSTER if a == imposter else rules.CREW
            for k in range(tasks):
                s.tasks[a, k] = NOBODY if a == imposter else random.randint(s, s.params.width * s.params.height)
    deduction.lay_table(s)
    s.clock = 0
    s.outcome = rules.UNDECIDED
    s.pooled = 0
    for a in range(players):
        s.beliefs[a] = NOBODY
        for k in range(tasks):
            s.done[a, k] = 0
        for b in range(players):
            s.lives[a, b] = 1
            s.seen[a, b] = NOBODY
            s.seen_at[a, b] = NOBODY
            s.sight[a, b] = rules.UNSEEN
            s.via[a, b] = NOBODY
            s.witnessed[a, b] = 0
    for d in range(s.reports.shape[0]):
        for k in range(3):
            s.reports[d, k] = NOBODY
        for b in range(players + 1):
            s.tallies[d, b] = 0
    rules.gather(s)


@kernel
def step(s, actions, rewards):
    if s.phase == rules.ROOMS:
        going = True
        while going:
            rules.tick(s, actions, rewards)
            going = (
                s.phase == rules.ROOMS
                and s.outcome == rules.UNDECIDED
                and s.clock < s.params.ticks
                and not rules.is_anyone_asked(s)
            )
    else:
        s.clock += 1
        if s.phase == rules.SURVEY:
            rules.take_survey(s, actions, rewards)
            rules.next_word(s)
        elif s.phase == rules.TALK:
            rules.speak(s, actions[s.speaker])
            rules.open_survey(s)
        else:
            rules.vote(s, actions, rewards)
    if s.outcome == rules.UNDECIDED and s.clock >= s.params.ticks:
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
    out.cooldown[0] = s.cooldown if s.roles[agent] == rules.IMPOSTER else 0
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
    if s.phase == rules.ROOMS:
        if s.asked[agent] == 0:
            return
        room, crew = s.room[agent], s.roles[agent] == rules.CREW
        mask[rules.WAIT] = 1
        mask[rules.NORTH] = room >= width
        mask[rules.WEST] = room % width > 0
        mask[rules.EAST] = room % width < width - 1
        mask[rules.SOUTH] = room // width < height - 1
        for k in range(s.tasks.shape[1]):
            if s.tasks[agent, k] == room and s.done[agent, k] == 0:
                mask[rules.WORK] = 1
        for b in range(players):
            sight = s.sight[agent, b]
            mask[rules.aimed(s, rules.KILL, b)] = (
                not crew and s.cooldown == 0 and sight != rules.UNSEEN and sight != rules.BODY
            )
            mask[rules.aimed(s, rules.REPORT, b)] = crew and sight == rules.BODY
    elif s.phase == rules.SURVEY:
        for b in range(players):
            mask[rules.aimed(s, rules.SUSPECT, b)] = s.alive[b] & (b != agent)
    elif s.phase == rules.VOTE:
        mask[rules.SKIP] = 1
        for b in range(players):
            mask[rules.aimed(s, rules.VOTE_FOR, b)] = s.alive[b]
    elif s.speaker == agent:
        mask[rules.SILENT] = 1
        for b in range(players):
            other = s.alive[b] & (b != agent)
            for act in range(rules.ACCUSE, rules.WITNESS + 1):
                mask[rules.aimed(s, act, b)] = other
            for act in range(rules.SAW, rules.SAW + width * height):
                mask[rules.aimed(s, act, b)] = 1


class AmongUs(RoundTable):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGE
    page_slots = pages.page_slots
    sentence = view.sentence
    fates = view.fates
    text = view.text
    scene = view.scene
    click = view.click
    _arrows = view.arrows
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
    acts = rules.ACTS
    phrases = pages.PHRASES
    killing = "killed"
    arrows = {rules.SAID_ACCUSE: "bad", rules.SAID_DEFEND: "good", rules.SAID_WITNESS: "red"}

    def talk_seats(self, s: Any) -> Collection[int]:
        """The living, in meetings."""
        return [] if s.phase == rules.ROOMS else np.flatnonzero(s.alive).tolist()

    def __init__(
        self,
        players: Annotated[int, Between(4, 10)] = 5,
        width: Annotated[int, Between(1, 4)] = 2,
        height: Annotated[int, Between(1, 4)] = 2,
        tasks: Annotated[int, Between(1, 10)] = 4,
        duration: Annotated[int, Between(0, 20)] = 3,
        cooldown: Annotated[int, Between(0, rules.SLOWEST)] = 5,
        discussion: Annotated[int, Between(0, 4)] = 2,
        survey: bool = True,
        ticks: Annotated[int, Between(10, rules.LONGEST)] = 300,
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
            "roles": deduction.part(NOBODY, rules.IMPOSTER, players),
            "alive": deduction.part(0, 1, players),
            "width": deduction.part(1, 4),
            "room": deduction.part(NOBODY, here),
            "activity": deduction.part(rules.FREE, rules.REPORTING),
            "sight": deduction.part(rules.UNSEEN, rules.BODY, players),
            "via": deduction.part(NOBODY, here, players),
            "seen": deduction.part(NOBODY, here, players),
            "seen_at": time,
            "witnessed": deduction.part(0, 1, players),
            "tasks": deduction.part(NOBODY, here, tasks),
            "cooldown": deduction.part(0, cooldown),
            "reports": deduction.part(NOBODY, [last, last, here], meetings, 3),
            "removed": deduction.part(NOBODY, last, meetings),
            "tallies": deduction.part(0, players, meetings, players + 1),
            "messages": deduction.part(NOBODY, [last, rules.SAID_SAW + rooms - 1, last], max(utterances, 1), 3),
        }
        self.rooms = rooms
        bound = 1.0 + shaping + speaking * players
        self.define(
            agents=agents,
            actions=deduction.act_names(rules.ACTS[: rules.SAW + rooms], agents),
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
        if s.outcome != rules.UNDECIDED or s.clock >= s.params.ticks or living < 3 or not deduction.living_deceivers(s):
            return "the game is over"
        if (s.room[s.alive > 0] == NOBODY).any() or (s.origin[s.alive > 0] == NOBODY).any():
            return "one of the living is nowhere"
        if (s.room != s.origin)[s.alive == 0].any():
            return "one of the dead walks"
        if s.phase == rules.ROOMS:
            return self._astray(s)
        if living > players - s.day:
            return "the living are too many"
        if not self.talks(s, talk if s.phase == rules.TALK else 0) or not self.lined_up(s):
            return "it is nobody's turn to speak"
        if s.phase != rules.VOTE and (s.said != s.spoken or s.said > talk * living):
            return "said does not count what was said"
        return None

    def _astray(self, s: Any) -> str | None:
        """`unplayable` in the rooms."""
        if np.count_nonzero((s.alive == 0) & (s.room == NOBODY)) < s.day - 1:
            return "the living are too many"
        if (s.asked != (s.alive & (s.activity == rules.FREE))).any() or (
            s.activity[s.alive > 0] == rules.REPORTING
        ).any():
            return "one is asked that is busy or dead, or one is not that is free"
        now = copied(s)
        news = [a for a in np.flatnonzero(s.asked).tolist() if rules.look(now, a)]
        return f"player_{news[0]} does not see what is there" if news else None

    # Levels.

    def get_level(self, s: Any) -> dict[str, Any]:
        tasks = [[rules.LETTERS[room] for room in rooms if room >= 0] for rooms in s.tasks]
        return {"imposter": int(np.flatnonzero(s.roles == rules.IMPOSTER)[0]), "tasks": tasks}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "imposter", "tasks")
        players, count = s.tasks.shape
        imposter = read_integer(level["imposter"], f"{self.id}: the level's imposter", 0, players - 1)
        letters = rules.LETTERS[: int(s.params.width * s.params.height)]
        tasks = read_list(level["tasks"], f"{self.id}: the level's tasks", players)
        for a, rooms in enumerate(tasks):
            what = f"{self.id}: tasks of player_{a}"
            rooms = read_list(rooms, what, 0 if a == imposter else count)
            s.tasks[a] = [read_name(room, f"{what}: room", letters) for room in rooms] or NOBODY
        s.roles[:] = rules.CREW
        s.roles[imposter] = rules.IMPOSTER

    def winners(self, s: Any) -> str:
        return self.teams[int(s.outcome == rules.KILLING)]


env, raw_env, parallel_env = pettingzoo_forms(AmongUs)
