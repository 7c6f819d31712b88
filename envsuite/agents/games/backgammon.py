"""Baselines of Backgammon: one looks at each checker, one at all ways to finish its turn."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.games.backgammon import BAR, HOME, OFF, PASS, PLACES, highest, move, sources, words

ID = "envsuite/Backgammon-v0"

#: Of 36 rolls, those that hit a single checker at a distance of 0 to 24 points if nothing is between.
SHOTS = np.array([0, 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1])

#: The worth of two or more checkers on a point.
MADE = np.array([0, 2, 6, 10, 16, 18, 14, 10, 5, 3, 2, 1, 1, 2, 1, 2, 2, 3, 4, 4, 9, 9, 5, 3, 2, 0])

WORST = -1.0e9


@kernel
def read(observation, checkers):
    """Both players' checkers by place, the agent's first."""
    for player in range(2):
        checkers[player, BAR] = observation.bar[player]
        checkers[player, OFF] = observation.off[player]
    for k in range(24):
        count = observation.points[k]
        checkers[0, k + 1] = max(count, 0)
        checkers[1, 24 - k] = max(-count, 0)


@kernel
def pips(checkers, player):
    """The number of points that a player's checkers must still move."""
    total = 0
    for place in range(1, PLACES):
        total += place * checkers[player, place]
    return total


@kernel
def rolls_that_hit(checkers, place):
    """About how many of the other player's 36 rolls hit the agent's single checker on a point."""
    rolls = 0
    for k in range(1, PLACES):
        if checkers[1, k] > 0 and k > BAR - place:
            rolls += SHOTS[k - (BAR - place)]
    return min(rolls, 34)


@kernel
def longest_wall(checkers, player):
    """The most made points in a row of a player."""
    longest, row = 0, 0
    for place in range(1, BAR):
        row = row + 1 if checkers[player, place] >= 2 else 0
        longest = max(longest, row)
    return longest


@kernel
def closed(checkers, player):
    """The made points in a player's home."""
    found = 0
    for place in range(1, HOME + 1):
        found += checkers[player, place] >= 2
    return found


@kernel
def danger(checkers):
    """The points that hits cost the agent on average, and more as the other player's home is closed."""
    cost = 3.0 + 3.0 * closed(checkers, 1)
    lost = 0.0
    for place in range(1, BAR):
        if checkers[0, place] == 1:
            lost += rolls_that_hit(checkers, place) / 36.0 * (BAR - place + cost)
    return lost


@kernel
def value_of(checkers):
    """How good a position is for the agent at the end of its turn, in points to move."""
    back, front = highest(occupied(checkers, 1)), highest(occupied(checkers, 0))
    lead = np.float64(pips(checkers, 1) - pips(checkers, 0))
    if front + back < BAR:  # the armies have passed each other
        value = lead + 2.0 * (checkers[0, OFF] - checkers[1, OFF])
        for place in range(1, PLACES):
            value -= 0.3 * max(checkers[0, place] - 3, 0) + (0.8 if place <= HOME and checkers[0, place] == 0 else 0.0)
        return value
    value = lead - danger(checkers)
    for place in range(1, BAR):
        count = checkers[0, place]
        if count >= 2:
            value += 0.5 * MADE[place]
        value -= 0.7 * max(count - 3, 0)
    wall = longest_wall(checkers, 0)
    return value + checkers[1, BAR] * (2.0 + 3.0 * closed(checkers, 0)) + 0.75 * wall * wall


@kernel
def occupied(checkers, player):
    """The places of a player's checkers that are not off, or OFF if all are, as a set."""
    found = 0
    for place in range(1, PLACES):
        found |= (checkers[player, place] > 0) << place
    return found if found else 1


@kernel
def enter(memory, level, most, number):
    """Note what can be moved next; whether the turn ends here. Numbers of a double are used from the highest place."""
    checkers = memory.boards[level]
    own, free = words(checkers, 0)
    found = sources(own, free, number) if level < most else 0
    memory.todo[level] = found & ((2 << memory.limit[level]) - 1)
    return found == 0


@kernel
def best_end(memory, most, number):
    """The value of the best way to end the turn from the first board with at most `most` more moves by a number."""
    best, level = WORST, 0
    if enter(memory, 0, most, number):
        return value_of(memory.boards[0])
    while level >= 0:
        if memory.todo[level] == 0:
            level -= 1
            continue
        place = highest(memory.todo[level])
        memory.todo[level] ^= 1 << place
        for k in range(2 * PLACES):
            memory.boards[level + 1].flat[k] = memory.boards[level].flat[k]
        level += 1
        move(memory.boards[level], 0, place, number)
        memory.limit[level] = place if most > 1 else BAR
        if enter(memory, level, most, number):
            best = max(best, value_of(memory.boards[level]))
    return best


@policy(
    ID,
    "positional",
    variables={
        "start": scratch((2, PLACES)),
        "boards": scratch((5, 2, PLACES)),
        "todo": scratch(5),
        "limit": scratch(5),
    },
)
def positional(memory, observation, mask):
    """Looks at all ways to finish its turn, and judges by pips, shots at single checkers, made points and walls."""
    read(observation, memory.start)
    uses = 0
    for k in range(6):
        uses += observation.dice[k]
    found, most, ties = PASS, 2.0 * WORST, 0
    for action in range(PASS):
        if mask[action] != 0:
            place, number = action // 6 + 1, action % 6 + 1
            for k in range(2 * PLACES):
                memory.boards[0].flat[k] = memory.start.flat[k]
            move(memory.boards[0], 0, place, number)
            other = number
            for k in range(6):
                if observation.dice[k] > 0 and k + 1 != number:
                    other = k + 1
            memory.limit[0] = BAR if other != number else place
            value = best_end(memory, min(uses - 1, 3), other)
            ties = 1 if value > most else ties + 1
            if value > most or (value == most and random.randint(memory, ties) == 0):
                found = action
            most = max(most, value)
    return found


@policy(ID, "careful", variables={"start": scratch((2, PLACES)), "board": scratch((2, PLACES))})
def careful(memory, observation, mask):
    """Moves the checker that hits, makes points, and leaves few single checkers where they can be hit."""
    read(observation, memory.start)
    found, most, ties = PASS, 2.0 * WORST, 0
    for action in range(PASS):
        if mask[action] != 0:
            place, number = action // 6 + 1, action % 6 + 1
            for k in range(2 * PLACES):
                memory.board.flat[k] = memory.start.flat[k]
            move(memory.board, 0, place, number)
            value = 5.0 * memory.board[1, BAR] + 0.1 * place
            for point in range(1, BAR):
                count = memory.board[0, point]
                value += 2.0 * (count >= 2) - 3.0 * (count == 1 and rolls_that_hit(memory.board, point) > 0)
            ties = 1 if value > most else ties + 1
            if value > most or (value == most and random.randint(memory, ties) == 0):
                found = action
            most = max(most, value)
    return found
