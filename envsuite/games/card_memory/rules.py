"""The nine games of CardMemory: record, sizes and rules."""

from __future__ import annotations

from math import ceil
from typing import Any, NamedTuple

import numpy as np

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.ranges import below, flag, within

GAMES = (
    "RepeatFirst", "RepeatPrevious", "Autoencode", "CountRecall", "HigherLower", "Concentration", "Battleship",
    "MineSweeper", "MultiarmedBandit",
)  # fmt: skip
(
    REPEAT_FIRST, REPEAT_PREVIOUS, AUTOENCODE, COUNT_RECALL, HIGHER_LOWER, CONCENTRATION, BATTLESHIP, MINE_SWEEPER,
    BANDIT,
) = range(9)  # fmt: skip

DIFFICULTIES = ("easy", "medium", "hard")

DECK, SUITS, RANKS = 52, 4, 13

#: Per difficulty: decks of each game with cards, and the kinds of values that are told apart.
DECKS = ((1, 8, 16), (1, 2, 3), (1, 2, 3), (1, 2, 4), (1, 2, 3), (1, 2, 1))
KINDS = {COUNT_RECALL: (2, SUITS, RANKS), CONCENTRATION: (2, 2, RANKS), HIGHER_LOWER: (RANKS,) * 3}

#: RepeatPrevious asks for the card that was dealt this many cards before the next one.
LAGS = (4, 32, 64)

#: Sides of the boards, ships, and numbers of mines and arms.
SEAS, SHIPS, SHIP_CELLS = (8, 10, 12), (2, 3, 3, 4), 12
FIELDS, MINES = (4, 6, 8), (2, 6, 10)
ARMS = (10, 20, 30)

#: The most cards, cells of a board, kinds of values, and arms.
MOST_CARDS, MOST_CELLS, MOST_ARMS = 16 * DECK, 12 * 12, 30

#: No card, no action.
NONE = -1

PLAY, WATCH = range(2)


class Sizes(NamedTuple):
    """The numbers of one game and difficulty; 0 where the game has no such thing."""

    game: int
    difficulty: int
    cards: int
    kinds: int  # values of a card that are told apart
    columns: int  # of a board
    cells: int
    arms: int
    marked: int  # ship cells or mines
    actions: int
    seen: int  # numbers of an observation
    length: int  # steps


def sizes(game: int, difficulty: int) -> Sizes:
    """What follows from a game's number and its difficulty, 0 to 2."""
    cards = DECK * DECKS[game][difficulty] if game <= CONCENTRATION else 0
    kinds = KINDS.get(game, (SUITS,) * 3)[difficulty] if cards else 0
    columns = cells = arms = marked = 0
    actions, seen, length = SUITS, 1, cards - 1
    if game == AUTOENCODE:
        seen, length = 2, 2 * cards - 1
    elif game == COUNT_RECALL:
        actions, seen = cards // kinds + 1, 2
    elif game == HIGHER_LOWER:
        actions = 2
    elif game == CONCENTRATION:
        columns, cells = RANKS, cards
        actions, seen, length = cards, cards, ceil(2 * cards - cards / (2 * cards - 1))
    elif game == BATTLESHIP:
        columns, marked = SEAS[difficulty], SHIP_CELLS
        actions = cells = length = columns**2
    elif game == MINE_SWEEPER:
        columns, marked = FIELDS[difficulty], MINES[difficulty]
        actions = cells = columns**2
        length = cells - marked
    elif game == BANDIT:
        actions = arms = ARMS[difficulty]
        length = 20 * arms
    return Sizes(game, difficulty, cards, kinds, columns, cells, arms, marked, actions, seen, length)


def fields(size: Sizes) -> list[tuple]:
    """The record's own fields; arrays of things that a game does not have are of length 1."""
    card = below(np.int8, DECK)
    return [
        ("cards", card, (max(size.cards, 1),)),  # level: in the order in which they are dealt, or row by row
        ("queries", card, (size.cards if size.game == COUNT_RECALL else 1,)),  # level: the cards asked for
        ("marked", flag(), (max(size.cells, 1),)),  # level: ship cells or mines, row by row
        ("means", within(np.float64, 0, 1), (max(size.arms, 1),)),  # level: the chance of each arm to pay
        ("open", flag(), (max(size.cells, 1),)),  # cards face up, cells shot at, or cells revealed
        ("found", within(np.int64, 0, max(size.cells, 1))),  # cards face up, cells hit, or cells revealed
        ("first", within(np.int64, NONE, size.cells - 1)),  # Concentration: the card that waits for a second one
        ("before", within(np.int64, NONE, size.cells - 1)),  # what `first` was before the last action
        ("last", within(np.int64, NONE, size.actions - 1)),  # the last action
        ("result", flag()),  # whether the last action hit or paid
        ("counts", within(np.int64, 0, size.cards), (max(size.kinds, 1),)),  # CountRecall: cards dealt of each value
    ]


# Starts.


@kernel
def reset(s):
    if s.level_given == 0:
        draw(s)
    fill(s.open, 0)
    fill(s.counts, 0)
    s.found = 0
    s.first = NONE
    s.before = NONE
    s.last = NONE
    s.result = 0
    if s.params.game == COUNT_RECALL:
        s.counts[value(s, s.cards[0])] = 1


@kernel
def draw(s):
    """Draw what the game hides, and clear what it does not have."""
    game = s.params.game
    for k in range(s.cards.shape[0]):
        s.cards[k] = k % DECK
    for k in range(s.queries.shape[0]):
        s.queries[k] = k % DECK
    fill(s.marked, 0)
    for k in range(s.means.shape[0]):
        s.means[k] = random.uniform(s) if game == BANDIT else 0.0
    if game <= CONCENTRATION:
        random.shuffle(s, s.cards, s.cards.shape[0])
    if game == COUNT_RECALL:
        random.shuffle(s, s.queries, s.queries.shape[0])
    if game == BATTLESHIP:
        for length in SHIPS:
            place_ship(s, length)
    if game == MINE_SWEEPER:
        for _ in range(s.params.marked):
            cell = random.randint(s, s.marked.shape[0])
            while s.marked[cell] != 0:
                cell = random.randint(s, s.marked.shape[0])
            s.marked[cell] = 1


@kernel
def place_ship(s, length):
    """Draw a cell and a direction, east or south, until the ship fits; popgym's four directions are the same places."""
    side = s.params.columns
    while True:
        row, column, down = random.randint(s, side), random.randint(s, side), random.randint(s, 2)
        cell, apart = row * side + column, side if down else 1
        free = (row if down else column) + length <= side
        if free:
            for k in range(length):
                free = free and s.marked[cell + k * apart] == 0
        if free:
            for k in range(length):
                s.marked[cell + k * apart] = 1
            return


# Steps.


@kernel
def value(s, card):
    """What a game tells of a card: its color, its suit or its rank."""
    return np.int64(card) // SUITS if s.params.kinds == RANKS else np.int64(card) % s.params.kinds


@kernel
def sought(s, t):
    """The answer that step `t` asks for, from 1 on; NONE if it asks for none."""
    game, cards = s.params.game, s.cards.shape[0]
    if game == REPEAT_FIRST:
        return value(s, s.cards[0])
    if game == REPEAT_PREVIOUS and t >= s.params.lag:
        return value(s, s.cards[t - s.params.lag])
    if game == AUTOENCODE and t >= cards:
        return value(s, s.cards[2 * cards - 1 - t])
    if game == COUNT_RECALL:
        return np.int64(s.counts[value(s, s.queries[t - 1])])
    if game == HIGHER_LOWER:
        here, then = value(s, s.cards[t - 1]), value(s, s.cards[t])
        if here != then:
            return np.int64(here > then)  # 0 higher, 1 lower
    return np.int64(NONE)


@kernel
def worth(s):
    """What a right answer pays."""
    game, cards = s.params.game, s.cards.shape[0]
    if game == REPEAT_PREVIOUS:
        return 1.0 / (cards - s.params.lag)
    return 1.0 / (cards if game == AUTOENCODE or game == HIGHER_LOWER else cards - 1)


@kernel
def answer(s, action, rewards):
    """The games with one deck or two: an answer, then the next card."""
    right = sought(s, s.t)
    if right != NONE:
        rewards[0] = worth(s) if action == right else -worth(s)
    if s.params.game == COUNT_RECALL:
        s.counts[value(s, s.cards[s.t])] += 1
    s.terminated[0] = s.t == s.params.length


@kernel
def flip(s, action, rewards):
    """Concentration: turn a card over, and compare it with the first one of the pair."""
    fail = -1.0 / s.params.length
    s.before = s.first
    if s.open[action] != 0:
        rewards[0] = fail if s.first == NONE else 2.0 * fail
        s.first = NONE
    elif s.first == NONE:
        s.first = action
    else:
        if action != s.first and value(s, s.cards[action]) == value(s, s.cards[s.first]):
            rewards[0] = 2.0 / s.cards.shape[0]
            s.open[action] = 1
            s.open[s.first] = 1
            s.found += 2
        else:
            rewards[0] = 2.0 * fail
        s.first = NONE
    s.terminated[0] = s.found == s.cards.shape[0]
    s.truncated[0] = s.t == s.params.length


@kernel
def shoot(s, action, rewards):
    """Battleship: a shot."""
    s.result = s.marked[action] != 0 and s.open[action] == 0
    s.open[action] = 1
    s.found += s.result
    rewards[0] = 1.0 / s.params.marked if s.result != 0 else -1.0 / (s.open.shape[0] - s.params.marked)
    s.terminated[0] = s.found == s.params.marked
    s.truncated[0] = s.t == s.params.length


@kernel
def reveal(s, action, rewards):
    """MineSweeper: reveal a cell."""
    share = 1.0 / s.params.length
    mine = s.marked[action] != 0
    if mine:
        rewards[0] = -0.5 - share
    elif s.open[action] != 0:
        rewards[0] = -0.5 / (s.params.length - 2)
    else:
        rewards[0] = share
        s.open[action] = 1
        s.found += 1
    s.terminated[0] = mine or s.found == s.params.length
    s.truncated[0] = s.t == s.params.length and s.terminated[0] == 0


@kernel
def pull(s, action, rewards):
    """MultiarmedBandit: pull an arm."""
    s.result = random.bernoulli(s, s.means[action])
    rewards[0] = (1.0 if s.result != 0 else -1.0) / s.params.length
    s.truncated[0] = s.t == s.params.length


@kernel
def step(s, actions, rewards):
    game, action = s.params.game, actions[0]
    s.last = action
    if game < CONCENTRATION:
        answer(s, action, rewards)
    elif game == CONCENTRATION:
        flip(s, action, rewards)
    elif game == BATTLESHIP:
        shoot(s, action, rewards)
    elif game == MINE_SWEEPER:
        reveal(s, action, rewards)
    else:
        pull(s, action, rewards)


# Observations.


@kernel
def mines_near(s, cell):
    """Mines in the 3 x 3 cells around a cell, its own included."""
    side, total = s.params.columns, 0
    row, column = cell // side, cell % side
    for y in range(max(row - 1, 0), min(row + 2, side)):
        for x in range(max(column - 1, 0), min(column + 2, side)):
            total += s.marked[y * side + x]
    return total


@kernel
def observe(s, agent, out):
    game, cards = s.params.game, s.cards.shape[0]
    out.game[0] = game
    out.game[1] = s.params.difficulty
    out.last[0] = s.last if game >= CONCENTRATION else NONE
    if game == AUTOENCODE:
        out.seen[0] = WATCH if s.t < cards - 1 else PLAY
        out.seen[1] = value(s, s.cards[s.t]) if s.t < cards else 0
    elif game == CONCENTRATION:
        for k in range(cards):
            up = s.open[k] != 0 or k == s.last or k == s.before
            out.seen[k] = value(s, s.cards[k]) if up else s.params.kinds
    elif game == MINE_SWEEPER:
        out.seen[0] = mines_near(s, s.last) if s.last != NONE else 0
    elif game > CONCENTRATION:
        out.seen[0] = s.result
    else:
        out.seen[0] = value(s, s.cards[s.t])
        if game == COUNT_RECALL:
            out.seen[1] = value(s, s.queries[s.t])


def contradiction(s: Any) -> str | None:
    """What the rules cannot lead to, though each field is in its range."""
    if s.t >= s.params.length and not (s.terminated[0] or s.truncated[0]):
        return "the episode is longer than its game"
    if s.params.game in (CONCENTRATION, MINE_SWEEPER) and s.found != s.open.sum():
        return "the number of open cells is wrong"
    if s.params.game == BATTLESHIP and s.found != (s.open & s.marked).sum():
        return "the number of hits is wrong"
    return None
