"""Baselines of CardMemory: one remembers everything that it has seen, one reacts to the last observation alone."""

from __future__ import annotations

import numpy as np

from envsuite.agents.games.battleship import count as count_ways
from envsuite.agents.games.minesweeper import choose as choose_cell
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import limited, scratch
from envsuite.games.battleship import HIT, MISS, UNKNOWN
from envsuite.games.card_memory import rules
from envsuite.games.minesweeper import HIDDEN, beside

ID = "envsuite/CardMemory-v0"


@kernel
def decks(observation):
    """The number of decks of HigherLower."""
    return np.int64(observation.game[1]) + 1


@kernel
def recall(memory, observation):
    """The suit that is asked for: of the first card, of one `lag` cards ago, or of the last one not yet said."""
    game, held = observation.game[0], memory.held
    if game == rules.AUTOENCODE:
        if observation.seen[0] != rules.WATCH and memory.saying != 0:
            memory.held = max(held - 1, 1)
            return np.int64(memory.values[memory.held - 1])
        memory.saying = observation.seen[0] != rules.WATCH
    memory.values[held] = observation.seen[observation.seen.shape[0] - 1]
    memory.held = min(held + 1, rules.MOST_CARDS - 1)
    if game == rules.REPEAT_FIRST:
        return np.int64(memory.values[0])
    if game == rules.REPEAT_PREVIOUS:
        return np.int64(memory.values[max(memory.held - rules.LAGS[observation.game[1]], 0)])
    return np.int64(memory.values[held])


@kernel
def count_cards(memory, observation):
    """CountRecall's count; in HigherLower, the side on which more cards are left."""
    here = np.int64(observation.seen[0])
    memory.counts[here] = min(memory.counts[here] + 1, rules.MOST_CARDS)
    if observation.game[0] == rules.COUNT_RECALL:
        return memory.counts[np.int64(observation.seen[1])]
    higher = 0
    for rank in range(rules.RANKS):
        left = rules.SUITS * decks(observation) - memory.counts[rank]
        higher += left if rank > here else -left if rank < here else 0
    return np.int64(higher < 0)


@kernel
def pair(memory, observation):
    """Concentration: turn over a pair that is known, and otherwise a card that has not been seen."""
    cards, kinds, last = observation.seen.shape[0], 13 if observation.game[1] == 2 else 2, observation.last[0]
    for k in range(cards):
        if observation.seen[k] < kinds:
            memory.values[k] = observation.seen[k] + 1
    if last != rules.NONE and memory.first == rules.NONE:
        memory.first = last
    elif last != rules.NONE:
        if memory.values[last] == memory.values[memory.first]:
            memory.up[last] = 1
            memory.up[memory.first] = 1
        memory.first = rules.NONE
    new, where = rules.NONE, memory.counts  # where a card of each value was seen, + 1
    for v in range(kinds + 1):
        where[v] = 0
    for k in range(cards):
        value = memory.values[k]
        if memory.up[k] == 0 and k != memory.first:
            if value == 0:
                new = k
            elif memory.first == rules.NONE and where[value] != 0:
                return np.int64(k)
            else:
                where[value] = k + 1
    if memory.first != rules.NONE and where[memory.values[memory.first]] != 0:
        return min(where[memory.values[memory.first]], cards) - 1
    return np.int64(max(new, 0))


@kernel
def shoot(memory, observation):
    """Battleship: a cell on which most ships could lie that fit all shots."""
    side = 8 + 2 * np.int64(observation.game[1])
    cells, last = side * side, observation.last[0]
    if last != rules.NONE:
        memory.board[last] = HIT if observation.seen[0] != 0 else MISS
    for cell in range(cells):
        memory.weights[cell] = 0
    grid = memory.board[:cells].reshape(side, side)
    for k in range(4):
        count_ways(memory.weights, grid, rules.SHIPS[k])
    best, most, ties = 0, -1, 0
    for cell in range(cells):
        if memory.board[cell] == UNKNOWN:
            weight = memory.weights[cell]
            ties = 1 if weight > most else ties + 1
            if weight > most or (weight == most and randint(memory, ties) == 0):
                best = cell
            most = max(most, weight)
    return best


@kernel
def reveal(memory, observation):
    """MineSweeper: a cell beside a 0, one that is safe by single numbers, or one of the least risk."""
    side, last = 4 + 2 * np.int64(observation.game[1]), observation.last[0]
    if last == rules.NONE:
        for cell in range(side * side):
            memory.board[cell] = HIDDEN
    else:
        memory.board[last] = observation.seen[0]
    for cell in range(side * side):
        memory.weights[cell] = memory.board[cell] == HIDDEN
        for k in range(8):
            near = beside(cell, k, side, side)
            if memory.board[cell] == 0 and near >= 0 and memory.board[near] == HIDDEN:
                return np.int64(near)
    return choose_cell(memory, memory.board[: side * side].reshape(side, side), memory.weights[: side * side], True)


@kernel
def pull(memory, observation, arms):
    """MultiarmedBandit: each arm once, then the one that has paid most often."""
    last = observation.last[0]
    if last != rules.NONE:
        memory.counts[last] = min(memory.counts[last] + 1, rules.MOST_CARDS)
        memory.wins[last] = min(memory.wins[last] + observation.seen[0], rules.MOST_CARDS)
    best, most = 0, -1.0
    for k in range(arms):
        share = memory.wins[k] / memory.counts[k] if memory.counts[k] > 0 else 2.0
        if share > most:
            best, most = k, share
    return best


@policy(
    ID,
    "memory",
    variables={
        "held": limited(0, 0, rules.MOST_CARDS - 1),
        "saying": limited(np.uint8(0), 0, 1),
        "values": limited(np.zeros(rules.MOST_CARDS, np.int64), 0, rules.RANKS),
        "counts": limited(np.zeros(rules.MOST_ARMS, np.int64), 0, rules.MOST_CARDS),
        "wins": limited(np.zeros(rules.MOST_ARMS, np.int64), 0, rules.MOST_CARDS),
        "first": limited(rules.NONE, rules.NONE, 2 * rules.DECK - 1),
        "up": limited(np.zeros(2 * rules.DECK, np.uint8), 0, 1),
        "board": limited(np.full(rules.MOST_CELLS, UNKNOWN, np.int64), -2, 9),
        "weights": scratch(rules.MOST_CELLS),
        "state": scratch(64),
        "risk": scratch(64, np.float64),
    },
)
def memory(memory, observation, mask):
    """Remembers everything that it has seen, and draws the simple conclusions."""
    game = observation.game[0]
    if game < rules.COUNT_RECALL:
        return recall(memory, observation)
    if game <= rules.HIGHER_LOWER:
        return count_cards(memory, observation)
    if game == rules.CONCENTRATION:
        return pair(memory, observation)
    if game == rules.BATTLESHIP:
        return shoot(memory, observation)
    if game == rules.BANDIT:
        return pull(memory, observation, mask.shape[0])
    return reveal(memory, observation)


@policy(ID, "memoryless")
def memoryless(memory, observation, mask):
    """Reacts to the last observation: the suit of the card, a middle count, the larger part of a full deck, any card
    that is face down, the next cell after the last one, or the last arm if it paid and otherwise the next one."""
    game, actions, last = observation.game[0], mask.shape[0], np.int64(observation.last[0])
    if game < rules.COUNT_RECALL:
        return np.int64(observation.seen[observation.seen.shape[0] - 1])
    if game == rules.COUNT_RECALL:
        return np.int64(actions // 2)
    if game == rules.HIGHER_LOWER:
        return np.int64(observation.seen[0] > 6 or (observation.seen[0] == 6 and bernoulli(memory, 0.5)))
    if game == rules.CONCENTRATION:
        card, kinds = randint(memory, actions), 13 if observation.game[1] == 2 else 2
        for _ in range(actions):
            if observation.seen[card] < kinds:
                card = (card + 1) % actions
        return card
    if game == rules.BANDIT and last != rules.NONE and observation.seen[0] != 0:
        return last
    return (last + 1) % actions
