"""AmongUs' rules: acts, what players do and see, ticks, kills and meetings."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.kit import deduction
from envsuite.kit.deduction import DECEIVER, NEITHER, NOBODY, Act

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
