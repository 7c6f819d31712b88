"""Baselines of AmongUs: the two of the source's table, and a detective that reasons from sightings."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, choose_legal, policy
from envsuite.social.among_us import rules

_ID = "envsuite/AmongUs-v0"

#: The range of the scores that the detective adds up.
SCORE = Between(-1000, 1000)


@kernel
def any_target(memory, observation, mask, act):
    """A random legal action of an aimed act, or -1."""
    count, chosen = 0, -1
    for b in range(observation.alive.shape[0]):
        action = rules.aimed(observation, act, b)
        if mask[action] != 0:
            count += 1
            if random.randint(memory, count) == 0:
                chosen = action
    return chosen


@policy(_ID, "task_first")
def task_first(memory, observation, mask):
    """Reports a body in sight, else works if it has a task here, else acts at random; as the imposter, plays random."""
    report = any_target(memory, observation, mask, rules.REPORT)
    if report >= 0:
        return report
    return np.int64(rules.WORK) if mask[rules.WORK] != 0 else choose_legal(memory, mask)


@policy(_ID, "eager")
def eager(memory, observation, mask):
    """As the imposter, kills a random player whenever it may, and otherwise acts at random; as crew, plays random."""
    kill = any_target(memory, observation, mask, rules.KILL)
    return kill if kill >= 0 else choose_legal(memory, mask)


# The detective.


@kernel
def distance(observation, room, other):
    """The number of moves between two rooms."""
    width = np.int64(observation.width[0])
    return abs(room % width - other % width) + abs(room // width - other // width)


@kernel
def walk(memory, observation, mask, room):
    """A step on a shortest path to a room; if two steps are equally good, one of them is drawn."""
    here, width = np.int64(observation.room[0]), np.int64(observation.width[0])
    across, down = room % width - here % width, room // width - here // width
    if across != 0 and (down == 0 or random.randint(memory, 2) == 0):
        return np.int64(rules.EAST if across > 0 else rules.WEST)
    return np.int64(rules.SOUTH if down > 0 else rules.NORTH)


@kernel
def wander(memory, mask):
    """A step into a random neighboring room."""
    count, chosen = 0, rules.WAIT
    for action in range(rules.NORTH, rules.SOUTH + 1):
        if mask[action] != 0:
            count += 1
            if random.randint(memory, count) == 0:
                chosen = action
    return np.int64(chosen)


@kernel
def work_on(memory, observation, mask):
    """As crew in the rooms: report, work, walk to the nearest room with a task, or wander if all tasks are done."""
    report = any_target(memory, observation, mask, rules.REPORT)
    if report >= 0:
        return report
    if mask[rules.WORK] != 0:
        return np.int64(rules.WORK)
    nearest, least = -1, 100
    for k in range(observation.tasks.shape[0]):
        room = np.int64(observation.tasks[k])
        if room >= 0 and distance(observation, np.int64(observation.room[0]), room) < least:
            nearest, least = room, distance(observation, np.int64(observation.room[0]), room)
    return walk(memory, observation, mask, nearest) if nearest >= 0 else wander(memory, mask)


@kernel
def bystanders(observation, victim):
    """The number of other players that might see a kill: those here and those coming."""
    count = 0
    for b in range(observation.alive.shape[0]):
        count += b != victim and (observation.sight[b] == rules.HERE or observation.sight[b] == rules.COMING)
    return count


@kernel
def hunt(memory, observation, mask):
    """As the imposter: kill if few look on or if that wins; stay with a lone player at times; otherwise wander."""
    crew, company = -1, 0
    for b in range(observation.alive.shape[0]):
        crew += observation.alive[b]
        company += observation.sight[b] == rules.HERE or observation.sight[b] == rules.COMING
    for b in range(observation.alive.shape[0]):
        kill = rules.aimed(observation, rules.KILL, b)
        if mask[kill] != 0 and (crew == 2 or bystanders(observation, b) <= memory.risk):
            return kill
    if company == 1 and random.bernoulli(memory, memory.stay):
        return np.int64(rules.WAIT)
    return wander(memory, mask)


# In a meeting.


@kernel
def clue(observation, player):
    """The agent's own evidence against a player other than the victim; it is negative if it clears the player.

    - A player that was seen elsewhere, later than the victim was last seen alive, is unlikely to be the killer.
    - A player that was seen in the room of the body may be the killer.
    - A player that was coming or leaving when the body was found most likely is.
    """
    day = np.int64(observation.meeting[0]) - 1
    victim, room = np.int64(observation.reports[day, 1]), observation.reports[day, 2]
    moves = observation.sight[player] == rules.COMING or observation.sight[player] == rules.LEAVING
    if moves and observation.sight[victim] == rules.BODY:
        return 3.0
    if observation.seen_at[player] <= observation.seen_at[victim]:
        return 0.5
    return 0.5 if observation.seen[player] == room else -1.0


@kernel
def heard(memory, observation, player):
    """What others have said against a player in this meeting. The reporter counts twice: it is not the imposter."""
    day, score = np.int64(observation.meeting[0]) - 1, 0.0
    for k in range(observation.messages.shape[0]):
        speaker, what = observation.messages[k, 0], observation.messages[k, 1]
        if observation.messages[k, 2] != player or speaker == memory.agent or speaker == player:
            continue
        trust = 2.0 if speaker == observation.reports[day, 0] else 1.0
        if what == rules.SAID_WITNESS:
            score += trust * memory.witness
        elif what == rules.SAID_ACCUSE or what == rules.SAID_SAW + observation.reports[day, 2]:
            score += trust * memory.hearsay
        else:
            score -= trust * memory.hearsay
    return score


@kernel
def lied(memory, observation, player):
    """Whether a player claimed to have seen this agent kill."""
    for k in range(observation.messages.shape[0]):
        of_me = observation.messages[k, 1] == rules.SAID_WITNESS and observation.messages[k, 2] == memory.agent
        if of_me and observation.messages[k, 0] == player:
            return True
    return False


@kernel
def guilt(memory, observation, player):
    """How much an agent of the crew suspects a living player."""
    day = np.int64(observation.meeting[0]) - 1
    if observation.reports[day, 0] == player:
        return -100.0  # the imposter cannot report
    if observation.witnessed[player] != 0 or lied(memory, observation, player):
        return 100.0
    return clue(observation, player) + heard(memory, observation, player)


@large_kernel
def suspect(memory, observation, mask, act):
    """The most suspected other player against which an act is legal; ties are drawn."""
    best, tied = -1, 0
    memory.most = -200.0
    for b in range(observation.alive.shape[0]):
        if b != memory.agent and mask[rules.aimed(observation, act, b)] != 0:
            score = guilt(memory, observation, b)
            if score > memory.most + 1e-9:
                best, tied = b, 1
                memory.most = score
            elif score > memory.most - 1e-9:
                tied += 1
                if random.randint(memory, tied) == 0:
                    best = b
    return best


@kernel
def has_said(observation, what, target):
    """Whether the agent has said this in this meeting."""
    for k in range(observation.messages.shape[0]):
        own = observation.messages[k, 0] == observation.agent[0]
        if own and observation.messages[k, 1] == what and observation.messages[k, 2] == target:
            return True
    return False


@large_kernel
def testify(memory, observation, mask):
    """As crew: name the killer it saw, or the sighting with the strongest clue, and then the player it suspects."""
    best, strongest = -1, 0.0
    for b in range(observation.alive.shape[0]):
        if mask[rules.aimed(observation, rules.ACCUSE, b)] != 0:
            if observation.witnessed[b] != 0:
                said = has_said(observation, rules.SAID_WITNESS, b)
                return rules.aimed(observation, rules.ACCUSE if said else rules.WITNESS, b)
            day, strength = np.int64(observation.meeting[0]) - 1, abs(clue(observation, b))
            fresh = observation.seen_at[b] > observation.seen_at[np.int64(observation.reports[day, 1])]
            if fresh and strength > strongest and not has_said(observation, rules.SAID_SAW + observation.seen[b], b):
                best, strongest = b, strength
    spoken = 0
    for k in range(observation.messages.shape[0]):
        spoken += observation.messages[k, 0] == memory.agent
    if spoken == 0 and best >= 0:
        return rules.aimed(observation, rules.SAW + np.int64(observation.seen[best]), best)
    target = suspect(memory, observation, mask, rules.ACCUSE)
    return rules.aimed(observation, rules.ACCUSE, target) if memory.most > 0.0 else np.int64(rules.SILENT)


@kernel
def scapegoat(memory, observation, mask, act):
    """As the imposter: the living crew member most spoken against, with the reporter last; ties are drawn."""
    best, most, tied = -1, -np.inf, 0
    day = np.int64(observation.meeting[0]) - 1
    for b in range(observation.alive.shape[0]):
        if b != memory.agent and mask[rules.aimed(observation, act, b)] != 0:
            score = heard(memory, observation, b) - 0.1 * (observation.reports[day, 0] == b)
            if score > most + 1e-9:
                best, most, tied = b, score, 1
            elif score > most - 1e-9:
                tied += 1
                if random.randint(memory, tied) == 0:
                    best = b
    return best


@policy(
    _ID,
    "detective",
    {"most": 0.0},
    witness=SCORE.at(5.0),
    hearsay=SCORE.at(0.5),
    threshold=SCORE.at(0.5),
    risk=Between(0, 10).at(1),
    stay=CHANCE.at(0.5),
)
def detective(memory, observation, mask):
    """Works, reports what it saw, suspects players without an alibi. As the imposter, kills if few look on, and lies.

    As crew, it names the player that it saw kill. If there is none, it reports the sighting with the strongest clue,
    and then names the player that it suspects. It votes for the player with the largest suspicion, or skips if that
    is below `threshold`. An accusation, a defense or a sighting adds or subtracts `hearsay`, and a witness adds
    `witness`. As the imposter, it kills in front of at most `risk` bystanders, and accuses and votes for the player
    that others accuse.
    """
    phase = observation.phase[0]
    act = rules.SUSPECT if phase == rules.SURVEY else rules.VOTE_FOR
    if phase == rules.ROOMS:
        crew = observation.roles[memory.agent] == rules.CREW
        return work_on(memory, observation, mask) if crew else hunt(memory, observation, mask)
    if observation.roles[memory.agent] == rules.IMPOSTER:
        act = rules.ACCUSE if phase == rules.TALK else act
        return rules.aimed(observation, act, scapegoat(memory, observation, mask, act))
    if phase == rules.TALK:
        return testify(memory, observation, mask)
    target = suspect(memory, observation, mask, act)
    skips = phase == rules.VOTE and memory.most < memory.threshold
    return np.int64(rules.SKIP) if skips else rules.aimed(observation, act, target)
