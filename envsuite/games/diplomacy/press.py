"""Press in Diplomacy: typed messages before the moves, what powers agree on by them, and who keeps its word.

A message is complete at once, or its sender names a province next, and then what the unit there does. All messages of
a round are delivered when all powers have finished it. Answers and agreements count from then on too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.ranges import flag, within
from envsuite.games.diplomacy.actions import ACTION, AUTUMN, FROM, PLACE, SPRING, WAIVE
from envsuite.games.diplomacy.map import Map
from envsuite.games.diplomacy.orders import CONVOY, HOLD, MOVE, NEAR, PROVINCE, REACH, SUPPORT, VIA

#: Kinds of messages. The sender names a province next for those from DEMILITARIZE to ASK_SUPPORT.
NOTHING, PEACE, DEMILITARIZE, ASK_MOVE, ASK_SUPPORT, ACCEPT, REJECT, WARN, ALLY = range(9)

#: The kind of a message that says nothing by itself, with the parameter `say`, and the action that writes it.
WRITE, WRITES = 9, "write to {}"

#: Answers to proposals.
OPEN, AGREED, REJECTED = range(3)

#: The parts of a message: its kind, its province or the enemy of an alliance, the target, the answer to it.
KIND, ABOUT, TARGET, ANSWER = range(4)

#: The actions that start a message, after `say no more`; those of alliances follow.
STARTS = {
    PEACE: "propose peace to {}",
    DEMILITARIZE: "ask {} to demilitarize",
    ASK_MOVE: "ask {} to move",
    ASK_SUPPORT: "ask {} to support",
    ACCEPT: "accept proposal of {}",
    REJECT: "reject proposal of {}",
    WARN: "warn {}",
}

#: The most promises of a power to another one: 200 phases of moves, in which both propose something in three rounds.
PROMISES = 200 * 2 * 3


def press_names(land: Map, say: bool) -> list[str]:
    """The names of the actions of press."""
    powers = [power.title() for power in land.start]
    starts = [words.format(power) for words in STARTS.values() for power in powers]
    allies = [f"ally with {power} against {enemy}" for power in powers for enemy in powers if enemy != power]
    names = ["say no more", *starts, *allies, *(f"name {code}" for code in land.provinces)]
    return names + [WRITES.format(power) for power in powers] * say


def press_synonyms(land: Map) -> dict[str, str]:
    """Other words for these actions."""
    found = dict.fromkeys(("silence", "done", "nothing", "no message", "no more messages"), "say no more")
    for power in map(str.title, land.start):
        for words in ("offer peace to {}", "peace with {}", "tell {}: peace"):
            found[words.format(power)] = f"propose peace to {power}"
        for verb in ("demilitarize", "move", "support"):
            found[f"tell {power}: {verb}"] = f"ask {power} to {verb}"
        found[f"tell {power}: order"] = f"ask {power} to move"
        for verb in ("accept", "reject"):
            found |= dict.fromkeys((f"{verb} {power}", f"{verb} {power}'s proposal"), f"{verb} proposal of {power}")
    for code in land.provinces:
        found |= dict.fromkeys((f"{word} {code}" for word in ("A", "F", "army", "fleet", "unit")), f"name {code}")
        found[f"demilitarize {code}"] = f"name {code}"
    return found


def _bounds(provinces: int, powers: int, say: bool) -> np.ndarray:
    """The least and the largest values of the parts of a message."""
    last = WRITE if say else ALLY
    return np.array([[NOTHING, -1, -1, OPEN], [last, max(provinces, powers) - 1, provinces - 1, REJECTED]], np.int8)


def press_fields(rounds: int, provinces: int, powers: int, say: bool) -> list[tuple]:
    """The record's fields for press; none without."""
    if not rounds:
        return []
    message = within(np.int8, *_bounds(provinces, powers, say))
    count = within(np.int64, 0, PROMISES)
    return [
        ("round", within(np.int64, 0, rounds)),  # of press; all rounds are over if it is their number
        ("message", message, (rounds, powers, powers, 4)),  # of these moves: by round, sender and recipient
        ("quiet", flag(), (powers,)),  # 1 for powers that have finished the round
        ("saying", within(np.int8, NOTHING, ASK_SUPPORT), (powers,)),  # the kind of a message that is not complete
        ("hearer", within(np.int8, -1, powers - 1), (powers,)),  # and its recipient, or -1
        ("named", within(np.int8, -1, provinces - 1), (powers,)),  # and the province of its unit, or -1
        ("kept", count, (powers, powers)),  # promises of each power to each that it has kept
        ("broken", count, (powers, powers)),
    ]


def press_parts(rounds: int, provinces: int, powers: int, say: bool) -> dict[str, Any]:
    """The parts of an observation for press; none without."""
    if not rounds:
        return {}
    low, high = _bounds(provinces, powers, say)
    messages = Box(np.tile(low, (rounds, powers, 1)), np.tile(high, (rounds, powers, 1)), dtype=np.int8)
    now = np.array([rounds - 1, ASK_SUPPORT, powers - 1, provinces - 1], np.int8)
    return {
        "heard": messages,
        "sent": messages,
        "talk": Box(np.array([-1, 0, -1, -1], np.int8), now, dtype=np.int8),
        "word": Box(0, PROMISES, (2, powers), np.int16),
    }


def has_press(names: Any) -> bool:
    """Whether a record with these fields has press."""
    return names is not None and "message" in names


# What is said.


@kernel
def is_talking(s):
    """Whether the powers are in a round of press."""
    return s.round < s.message.shape[0]


@kernel
def is_proposal(kind):
    """Whether a message can be accepted."""
    return kind != NOTHING and (kind < ACCEPT or kind == ALLY)


@kernel
def write(message, kind, about, target):
    """Write a message to which nobody has answered yet."""
    message[KIND] = kind
    message[ABOUT] = about
    message[TARGET] = target
    message[ANSWER] = OPEN


@kernel
def forget_draft(s, power):
    """A power has no message that is not complete."""
    s.saying[power] = NOTHING
    s.hearer[power] = -1
    s.named[power] = -1


@kernel
def can_hear(s, power, other):
    """Whether a power can write to another one in this round: it is not out and has no message from it yet."""
    return other != power and s.terminated[other] == 0 and s.message[s.round, power, other, KIND] == NOTHING


@kernel
def send(s, power, other, kind, about, target):
    """Complete a message; a power that has written to all others has finished the round."""
    write(s.message[s.round, power, other], kind, about, target)
    forget_draft(s, power)
    s.quiet[power] = 1
    for k in range(s.quiet.shape[0]):
        if can_hear(s, power, k):
            s.quiet[power] = 0


@kernel
def continue_message(s, power, action):
    """A power names the province of a message, or what the unit there does."""
    m, powers, kind = s.params.map, s.quiet.shape[0], s.saying[power]
    other, named = np.int64(s.hearer[power]), np.int64(s.named[power])
    if named >= 0:
        send(s, power, other, kind, named, named if ACTION[m, action] == HOLD else PLACE[m, action])
        return
    place = action - FROM[m, WAIVE + 1] - 1 - (WARN + powers - 1) * powers
    if kind == DEMILITARIZE:
        send(s, power, other, kind, place, -1)
    else:
        s.named[power] = place


@kernel
def speak(s, power, action):
    """A power starts or continues a message, or finishes the round."""
    powers, number = s.quiet.shape[0], action - FROM[s.params.map, WAIVE + 1] - 1
    if s.saying[power] != NOTHING:
        continue_message(s, power, action)
    elif number < 0:
        s.quiet[power] = 1
    elif number >= (WARN + powers - 1) * powers:
        send(s, power, number - (WARN + powers - 1) * powers - s.unit.shape[0], WRITE, -1, -1)
    elif number >= WARN * powers:
        number -= WARN * powers
        other, enemy = number // (powers - 1), number % (powers - 1)
        send(s, power, other, ALLY, enemy + (enemy >= other), -1)
    else:
        kind, other = 1 + number // powers, number % powers
        if kind >= DEMILITARIZE and kind <= ASK_SUPPORT:
            s.saying[power] = kind
            s.hearer[power] = other
        else:
            send(s, power, other, kind, -1, -1)


# Rounds.


@kernel
def start_press(s):
    """Nothing has been said, and nothing promised, in this episode."""
    for a in range(s.quiet.shape[0]):
        s.performance[a] = 0
        for b in range(s.quiet.shape[0]):
            s.kept[a, b] = 0
            s.broken[a, b] = 0
    clear_press(s)


@kernel
def clear_press(s):
    """Nothing has been said before these moves, and nobody talks."""
    s.round = s.message.shape[0]
    for a in range(s.quiet.shape[0]):
        s.quiet[a] = 0
        forget_draft(s, a)
        for b in range(s.quiet.shape[0]):
            for r in range(s.message.shape[0]):
                write(s.message[r, a, b], NOTHING, -1, -1)


@kernel
def open_rounds(s, busy):
    """Before moves that somebody can order, the first round begins if two powers or more are left."""
    if s.phase != SPRING and s.phase != AUTUMN:
        return
    clear_press(s)
    left = 0
    for power in range(s.quiet.shape[0]):
        left += s.terminated[power] == 0
    if busy and left > 1:
        s.round = 0
        for power in range(s.quiet.shape[0]):
            s.cursor[power] = -1


@kernel
def converse(s, actions):
    """All powers speak; returns whether the last round is over."""
    busy = 0
    for power in range(s.quiet.shape[0]):
        if s.terminated[power] == 0 and s.quiet[power] == 0:
            speak(s, power, actions[power])
            busy += s.quiet[power] == 0
    if busy == 0:
        close_round(s)
    return s.round == s.message.shape[0]


@kernel
def newest_open(s, sender, other):
    """The last round before this one with a proposal to which nobody has answered, or -1."""
    found = -1
    for r in range(s.round):
        if s.message[r, sender, other, ANSWER] == OPEN and is_proposal(s.message[r, sender, other, KIND]):
            found = r
    return found


@kernel
def is_mutual(kind):
    """Whether a proposal is the same in both directions."""
    return kind == PEACE or kind == DEMILITARIZE or kind == ALLY


@kernel
def are_equal(one, other):
    """Whether two messages say the same."""
    return one[KIND] == other[KIND] and one[ABOUT] == other[ABOUT] and one[TARGET] == other[TARGET]


@kernel
def cross(s, message, power, other):
    """A proposal is agreed if the other power has made the same one."""
    for r in range(s.round + 1):
        back = s.message[r, other, power]
        if back[ANSWER] == OPEN and is_mutual(back[KIND]) and are_equal(message, back):
            message[ANSWER] = AGREED
            back[ANSWER] = AGREED


@kernel
def close_round(s):
    """The messages of a round are delivered: answers count, and equal proposals of two powers to each other."""
    for a in range(s.quiet.shape[0]):
        for b in range(s.quiet.shape[0]):
            kind, r = s.message[s.round, a, b, KIND], newest_open(s, b, a)
            if (kind == ACCEPT or kind == REJECT) and r >= 0:
                s.message[r, b, a, ANSWER] = AGREED if kind == ACCEPT else REJECTED
    for a in range(s.quiet.shape[0]):
        s.quiet[a] = 0
        for b in range(s.quiet.shape[0]):
            if s.message[s.round, a, b, ANSWER] == OPEN:
                cross(s, s.message[s.round, a, b], a, b)
    s.round += 1


# What is legal.


@kernel
def reach_of(s, power, word):
    """The provinces that the units of a power reach, as a set of bits; the sets have two words."""
    found = np.uint64(0)
    for k in range(s.unit.shape[0]):
        if s.owner[k] == power:
            found |= REACH[s.params.map, s.unit[k], s.spot[k], word]
    return found


@kernel
def has_unit(s, power):
    """Whether a power has a unit."""
    for k in range(s.unit.shape[0]):
        if s.owner[k] == power:
            return True
    return False


@kernel
def is_in(low, high, place):
    """Whether a province is in a set of bits with these two words."""
    word = low if place < 64 else high
    return word >> np.uint64(place & 63) & np.uint64(1) != 0


@kernel
def can_back(s, k, low, high):
    """Whether units that reach these provinces could support the unit of a province."""
    reach = REACH[s.params.map, s.unit[k], s.spot[k]]
    return is_in(low, high, k) or np.uint64(reach[0]) & low != 0 or np.uint64(reach[1]) & high != 0


@kernel
def fits(s, power, other, kind, place, low, high):
    """Whether a message of this kind can be about a province; `low` and `high` are what the other power reaches."""
    if kind == ASK_MOVE:
        return s.owner[place] == other
    if kind == ASK_SUPPORT:
        return s.owner[place] == power and can_back(s, place, low, high)
    return s.unit[place] == 0 and is_in(low, high, place)


@kernel
def allow_names(s, power, mask):
    """The provinces that a message can be about."""
    other, kind = np.int64(s.hearer[power]), s.saying[power]
    low, high = reach_of(s, other, 0), reach_of(s, other, 1)
    if kind == DEMILITARIZE:
        low, high = low & reach_of(s, power, 0), high & reach_of(s, power, 1)
    powers = s.quiet.shape[0]
    first = FROM[s.params.map, WAIVE + 1] + 1 + (WARN + powers - 1) * powers
    for place in range(s.unit.shape[0]):
        mask[first + place] = fits(s, power, other, kind, place, low, high)


@kernel
def allow_targets(s, power, mask):
    """What the unit of a message can do."""
    m, k = s.params.map, np.int64(s.named[power])
    low, high = reach_of(s, np.int64(s.hearer[power]), 0), reach_of(s, np.int64(s.hearer[power]), 1)
    anywhere = s.saying[power] == ASK_MOVE
    mask[FROM[m, HOLD]] = anywhere or is_in(low, high, k)
    for place in range(s.unit.shape[0]):
        near = NEAR[m, s.unit[k], s.spot[k], place] != 0
        if near and (anywhere or is_in(low, high, place)):
            mask[FROM[m, MOVE] + place] = 1


@kernel
def can_name(s, power, other, kind, low, high):
    """Whether there is any province for a message of this kind."""
    for place in range(s.unit.shape[0]):
        if fits(s, power, other, kind, place, low, high):
            return True
    return False


@kernel
def allow_starts(s, power, mask):
    """Messages that a power can start, and the end of its round."""
    powers, first = s.quiet.shape[0], FROM[s.params.map, WAIVE + 1]
    mask[first] = 1
    last = first + 1 + (WARN + powers - 1) * powers + s.unit.shape[0]
    for other in range(powers if mask.shape[0] > last else 0):
        mask[last + other] = can_hear(s, power, other)
    own_low, own_high = reach_of(s, power, 0), reach_of(s, power, 1)
    for other in range(powers):
        if not can_hear(s, power, other):
            continue
        low, high, answers = reach_of(s, other, 0), reach_of(s, other, 1), newest_open(s, other, power) >= 0
        at = first + 1 + other
        mask[at + (PEACE - 1) * powers] = 1
        mask[at + (DEMILITARIZE - 1) * powers] = can_name(s, power, other, DEMILITARIZE, low & own_low, high & own_high)
        mask[at + (ASK_MOVE - 1) * powers] = has_unit(s, other)
        mask[at + (ASK_SUPPORT - 1) * powers] = can_name(s, power, other, ASK_SUPPORT, low, high)
        mask[at + (ACCEPT - 1) * powers] = answers
        mask[at + (REJECT - 1) * powers] = answers
        mask[at + (WARN - 1) * powers] = 1
        for k in range(powers - 1):
            enemy = k + (k >= other)
            mask[first + 1 + WARN * powers + other * (powers - 1) + k] = enemy != power and s.terminated[enemy] == 0


@large_kernel
def allow_messages(s, power, mask):
    """What a power can say."""
    if s.quiet[power] != 0:
        return
    if s.saying[power] == NOTHING:
        allow_starts(s, power, mask)
    elif s.named[power] < 0:
        allow_names(s, power, mask)
    else:
        allow_targets(s, power, mask)


# Promises.


@kernel
def aim(s, k):
    """The province that the unit of a province moves to, or helps another one to move to; otherwise -1."""
    order = s.order[k]
    if order == MOVE or order == VIA or order == CONVOY or (order == SUPPORT and s.target[k] != s.helped[k]):
        return PROVINCE[s.params.map, s.target[k]]
    return -1


@kernel
def helps(s, k, power):
    """Whether a unit supports or convoys one of a power."""
    return (s.order[k] == SUPPORT or s.order[k] == CONVOY) and s.owner[s.helped[k]] == power


@kernel
def attacks(s, power, other):
    """Whether a power orders or helps an attack on another's unit or center; to help its moves is no attack."""
    for k in range(s.unit.shape[0]):
        if s.owner[k] == power and aim(s, k) >= 0 and not helps(s, k, other):
            place = aim(s, k)
            if s.owner[place] == other or s.center[place] == other:
                return True
    return False


@kernel
def aids(s, power, enemy):
    """Whether a power supports or convoys a unit of another one."""
    for k in range(s.unit.shape[0]):
        if s.owner[k] == power and helps(s, k, enemy):
            return True
    return False


@kernel
def enters(s, power, place):
    """Whether a power orders a unit to a province, or helps one to go there."""
    for k in range(s.unit.shape[0]):
        if s.owner[k] == power and aim(s, k) == place:
            return True
    return False


@kernel
def goes(s, k, place):
    """Whether the unit of a province is ordered to another one, or to stay if that is the same."""
    moves = s.order[k] == MOVE or s.order[k] == VIA
    return (PROVINCE[s.params.map, s.target[k]] if moves else k) == place


@kernel
def backs(s, power, k, place):
    """Whether a unit of a power supports that of a province on its way to another one, or where it stays."""
    for other in range(s.unit.shape[0]):
        if s.owner[other] == power and s.order[other] == SUPPORT and s.helped[other] == k and s.target[other] == place:
            return True
    return False


@kernel
def keeps(s, power, other, message, proposed):
    """Whether the orders of a power keep what it has agreed with another one, which it had proposed or accepted."""
    kind, about, target = message[KIND], np.int64(message[ABOUT]), np.int64(message[TARGET])
    if kind == PEACE:
        return not attacks(s, power, other)
    if kind == ALLY:
        return not attacks(s, power, other) and not aids(s, power, about)
    if kind == DEMILITARIZE:
        return not enters(s, power, about)
    return goes(s, about, target) if kind == ASK_MOVE or proposed else backs(s, power, about, target)


@kernel
def note_promise(s, power, other, kept):
    """Count a promise that is kept or broken."""
    if kept:
        s.kept[power, other] += 1
        s.performance[power] += 1
    else:
        s.broken[power, other] += 1
        s.performance[power] -= 1


@kernel
def is_repeated(s, round, power, other):
    """Whether the two powers have agreed on the same before, so that it is one promise only."""
    message = s.message[round, power, other]
    for r in range(round + 1):
        first, back = s.message[r, power, other], s.message[r, other, power]
        if r < round and first[ANSWER] == AGREED and are_equal(first, message):
            return True
        if (r < round or other < power) and back[ANSWER] == AGREED:
            if is_mutual(message[KIND]) and are_equal(back, message):
                return True
    return False


@kernel
def judge_promises(s):
    """Count for all agreements on these moves whether the orders keep them."""
    for r in range(s.message.shape[0]):
        for a in range(s.quiet.shape[0]):
            for b in range(s.quiet.shape[0]):
                message = s.message[r, a, b]
                if message[ANSWER] == AGREED and is_proposal(message[KIND]) and not is_repeated(s, r, a, b):
                    note_promise(s, b, a, keeps(s, b, a, message, False))
                    if message[KIND] != ASK_MOVE:
                        note_promise(s, a, b, keeps(s, a, b, message, True))


# Observations.


@kernel
def copy_message(out, message):
    for part in range(4):
        out[part] = message[part]


@kernel
def observe_messages(s, agent, out):
    """The agent's messages before these moves, the one that it is writing, and the promises to it."""
    for r in range(s.message.shape[0]):
        for power in range(s.quiet.shape[0]):
            copy_message(out.sent[r, power], s.message[r, agent, power])
            if r < s.round:
                copy_message(out.heard[r, power], s.message[r, power, agent])
            else:
                write(out.heard[r, power], NOTHING, -1, -1)
    out.talk[0] = s.round if is_talking(s) else -1
    out.talk[1] = s.saying[agent]
    out.talk[2] = s.hearer[agent]
    out.talk[3] = s.named[agent]
    for power in range(s.quiet.shape[0]):
        out.word[0, power] = s.kept[power, agent]
        out.word[1, power] = s.broken[power, agent]


# What the rules call: without press, none of it does anything.


def _nothing(s):
    return False


def _nothing_with(s, value):
    return False


def _nothing_for(s, agent, out):
    return False


talking = by_fields(has_press, is_talking, _nothing)
begin = by_fields(has_press, start_press, _nothing)
open_press = by_fields(has_press, open_rounds, _nothing_with)
talk = by_fields(has_press, converse, _nothing_with)
judge = by_fields(has_press, judge_promises, _nothing)
observe_press = by_fields(has_press, observe_messages, _nothing_for)
allow_press = by_fields(has_press, allow_messages, _nothing_for)


# Records from outside.


def press_fault(s: Any) -> str | None:
    """What in a record's messages could break the rules."""
    kinds, about, targets, answers = np.moveaxis(np.asarray(s.message), -1, 0)
    rounds, places = len(s.message), len(s.unit)
    named = (kinds >= DEMILITARIZE) & (kinds <= ASK_SUPPORT)
    limit = np.where(named, places, np.where(kinds == ALLY, len(s.quiet), 0))
    if ((about >= 0) != (limit > 0)).any() or (about >= np.maximum(limit, 1)).any():
        return "a message is about something else"
    if ((targets >= 0) != (named & (kinds != DEMILITARIZE))).any() or (answers[kinds == NOTHING] != OPEN).any():
        return "a message has another target, or an answer to none"
    if np.diagonal(kinds, axis1=1, axis2=2).any() or kinds[s.round + 1 :].any():
        return "a message to oneself or of a round to come"
    if s.truncated.any():
        return "a power is out of time"
    living = np.flatnonzero(s.terminated == 0).tolist()
    if s.round == rounds:
        return "somebody talks without press" if s.quiet.any() or s.saying.any() else None
    if s.phase not in (SPRING, AUTUMN) or (s.cursor >= 0).any() or s.order.any() or len(living) < 2:
        return "press at another time"
    if s.quiet[living].all() or any(not _can_speak(s, power) for power in living):
        return "a message that cannot be completed"
    return None


def _can_speak(s: Any, power: int) -> bool:
    """Whether a power has finished its round, or can."""
    other, named, powers = int(s.hearer[power]), int(s.named[power]), len(s.quiet)
    if s.quiet[power] or s.saying[power] == NOTHING:
        return bool(s.saying[power] == NOTHING)
    if other < 0 or not can_hear(s, power, other) or (named >= 0 and s.saying[power] == DEMILITARIZE):
        return False
    names = FROM[s.params.map, WAIVE + 1] + 1 + (WARN + powers - 1) * powers
    mask = np.zeros(names + len(s.unit), np.int8)
    allow_names(s, power, mask)
    return bool(mask[names + named] if named >= 0 else mask[names:].any())
