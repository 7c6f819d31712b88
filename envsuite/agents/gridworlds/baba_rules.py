"""Baselines of BabaRules: one walks to what wins, one searches for a way to win."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited, scratch
from envsuite.core.world import Between
from envsuite.gridworlds.baba_rules import laws, pieces
from envsuite.gridworlds.baba_rules.laws import NEITHER as NOT_OVER
from envsuite.gridworlds.baba_rules.view import IS_BLOCK, NOUN, PROPERTY_BLOCK
from envsuite.kit.grid import ahead

ID = "envsuite/BabaRules-v0"

CELLS = pieces.LARGEST * pieces.LARGEST

#: A picture of the map on which the kernels of the world work.
BOARD = {
    "width": limited(1, 1, pieces.LARGEST),
    "cells": limited(0, 0, CELLS),
    "pieces": limited(np.zeros((CELLS, pieces.DEPTH), np.int64), 0, 511),
    "count": limited(np.zeros(CELLS, np.int64), 0, pieces.DEPTH),
    "rules": scratch((len(pieces.KINDS), len(pieces.PROPERTIES))),
    "frames": scratch(laws.MOST),
}


@kernel
def piece_of(seen):
    """The piece that three numbers of an observation show."""
    what, which, facing = np.int64(seen[0]), np.int64(seen[1]), np.int64(seen[2])
    if what <= pieces.BORDER:
        return what
    if what < NOUN:
        return pieces.THING + pieces.SHADES * (what - 2) + which - 1 + pieces.TURN * facing
    first = (
        0
        if what == NOUN
        else pieces.IS
        if what == IS_BLOCK
        else pieces.PROPERTY
        if what == PROPERTY_BLOCK
        else pieces.COLOR
    )
    return pieces.BLOCK + first + which - 1


@large_kernel
def look(memory, observation):
    """Copy the map from the observation, unless the known one, with what is covered, looks like it."""
    height, width, layers, _ = observation.shape
    same = memory.width == width and memory.cells == height * width
    memory.width, memory.cells = width, height * width
    for cell in range(height * width):
        seen = piece_of(observation[cell // width, cell % width, 0])
        same &= laws.top(memory, cell) & (4 * pieces.TURN - 1) == seen
    if not same:
        for cell in range(height * width):
            memory.count[cell] = 0
            for depth in range(pieces.DEPTH):
                memory.pieces[cell, depth] = pieces.NOTHING
            for layer in range(layers - 1, -1, -1):
                piece = piece_of(observation[cell // width, cell % width, layer])
                if piece != pieces.NOTHING:
                    laws.lay(memory, cell, piece)
    laws.read(memory)
    return same


@kernel
def distance(cell, other, width):
    """The distance of two cells in rows and columns."""
    return abs(cell // width - other // width) + abs(cell % width - other % width)


# A walker.


@large_kernel
def way_to_win(memory):
    """The first action of a shortest way from "you" to what is "win", over free cells; 0 if there is none."""
    head, tail = 0, 0
    for cell in range(memory.cells):
        memory.first[cell] = 0
        if laws.has(memory, laws.top(memory, cell), pieces.WIN):
            memory.first[cell] = 1
            memory.queue[tail] = cell
            tail += 1
    while head < tail:
        cell = np.int64(memory.queue[head])
        head += 1
        for action in range(1, 5):
            before = cell - ahead((action + 2) & 3, memory.width)
            piece = laws.top(memory, before)
            if memory.first[before] == 0 and laws.has(memory, piece, pieces.YOU):
                return action
            if memory.first[before] == 0 and not laws.stops(memory, piece) and not laws.yields(memory, piece):
                memory.first[before] = 1
                memory.queue[tail] = before
                tail += 1
    return 0


@policy(ID, "walker", variables={**BOARD, "first": scratch(CELLS, np.uint8), "queue": scratch(CELLS)})
def walker(memory, observation, mask):
    """Walks the shortest free way to something that is "win"; without one, it moves at random."""
    look(memory, observation)
    action = way_to_win(memory)
    return action if action > 0 else 1 + random.randint(memory, 4)


# A search.

#: The slots for states that a search has seen, which are found by their hashes; the most states and moves of a plan.
SLOTS = 16384
STATES, MOVES = 3 * SLOTS // 4, 200
#: States wait in buckets by moves so far plus a multiple of the estimate; the estimate of a state without "you".
BUCKETS, FAR = 512, 60
#: What is added to the estimate of states in which nothing wins.
LATER = 6


@kernel
def keep(memory, held):
    """Note the map."""
    for cell in range(memory.cells):
        for depth in range(pieces.DEPTH):
            held[cell, depth] = memory.pieces[cell, depth]


@kernel
def restore(memory, held):
    """Set the map to a noted one; the rules are not read."""
    for cell in range(memory.cells):
        count = 0
        for depth in range(pieces.DEPTH):
            memory.pieces[cell, depth] = held[cell, depth]
            count += held[cell, depth] != pieces.NOTHING
        memory.count[cell] = count


@large_kernel
def hashed(memory):
    """A number for the pieces and their places; facings count where something can move by itself."""
    moving = False
    for cell in range(memory.cells):
        moving |= laws.word(memory, cell) == pieces.PROPERTY + pieces.MOVE
    seen = 4 * pieces.TURN - 1 if moving else pieces.CODE
    key = np.int64(0)
    for cell in range(memory.cells):
        for depth in range(memory.count[cell]):
            piece = np.int64(memory.pieces[cell, depth]) & seen
            if piece != pieces.BORDER:
                key ^= np.int64(random.mix(np.uint64(((cell * pieces.DEPTH + depth) << 8) + piece + 1)))
    return key if key != 0 else np.int64(1)


@large_kernel
def nearest(memory, kind, spot):
    """The distance from a cell to the nearest "you" (kind -1) or block with a word; FAR if there is none."""
    least = np.int64(FAR)
    for cell in range(memory.cells):
        fits = laws.has(memory, laws.top(memory, cell), pieces.YOU) if kind < 0 else laws.word(memory, cell) == kind
        if fits:
            least = min(least, np.int64(distance(cell, spot, memory.width)))
    return least


@large_kernel
def to_sentence(memory, cell, step, present):
    """An estimate of the moves that complete a sentence which ends in a block "win", and of those after that."""
    spot = cell - 2 * step
    if spot < 0 or laws.top(memory, spot) == pieces.BORDER or laws.top(memory, cell - step) == pieces.BORDER:
        return np.int64(2 * FAR)
    bridge = np.int64(0) if laws.word(memory, cell - step) == pieces.IS else nearest(memory, pieces.IS, cell - step)
    least = np.int64(2 * FAR)
    for other in range(memory.cells):
        kind = laws.word(memory, other)
        if 0 <= kind < pieces.IS and present >> kind & 1 != 0:
            way = np.int64(distance(other, spot, memory.width))
            way += nearest(memory, -1, other) if way > 0 else 0
            least = min(least, way + bridge + LATER)
    return least


@large_kernel
def estimate(memory):
    """About how many moves away a win is."""
    least, present = np.int64(2 * FAR), np.int64(0)
    for cell in range(memory.cells):
        piece = laws.top(memory, cell)
        if laws.is_thing(piece):
            present |= np.int64(1) << ((piece & pieces.CODE) - pieces.THING) // pieces.SHADES
            if laws.has(memory, piece, pieces.WIN):
                least = min(least, nearest(memory, -1, cell))
    if least < 2 * FAR:
        return least
    for cell in range(memory.cells):
        if laws.word(memory, cell) == pieces.PROPERTY + pieces.WIN:
            least = min(least, to_sentence(memory, cell, 1, present))
            least = min(least, to_sentence(memory, cell, np.int64(memory.width), present))
    return least


# A slot's link has the following in 16 bits each: the state before, the action that led here, the number of moves, and
# the next slot of its bucket, plus one.


@large_kernel
def replay(memory, slot):
    """Set the map to the state of a slot, by the moves from the start of the search; return their number."""
    moves = memory.links[slot] >> 32 & 0xFFFF
    for k in range(moves):
        memory.way[moves - 1 - k] = memory.links[slot] >> 16 & 0xFFFF
        slot = memory.links[slot] & 0xFFFF
    restore(memory, memory.start)
    laws.read(memory)
    for k in range(moves):
        laws.advance(memory, np.int64(memory.way[k]))
    return moves


@large_kernel
def enter(memory, key, link, bucket):
    """Put a state into its slot and a bucket unless it has been seen; return its slot, or -1."""
    slot = key & (SLOTS - 1)
    while memory.keys[slot] != 0:
        if memory.keys[slot] == key:
            return np.int64(-1)
        slot = (slot + 1) & (SLOTS - 1)
    bucket = min(bucket, BUCKETS - 1)
    memory.keys[slot] = key
    memory.links[slot] = link | np.int64(memory.buckets[bucket]) << 48
    memory.buckets[bucket] = slot + 1
    memory.seen += 1
    return np.int64(slot)


@large_kernel
def search(memory):
    """Plan the moves to a win, or to the state that looks nearest to one; return their number.

    The map is afterwards as it was, and so are the rules.
    """
    for k in range(SLOTS):
        memory.keys[k] = 0
    for k in range(BUCKETS):
        memory.buckets[k] = 0
    memory.seen = 0
    keep(memory, memory.start)
    greed = memory.greed
    least = estimate(memory)
    root = enter(memory, hashed(memory), np.int64(0), np.int64(0))
    goal, last = root, np.int64(0)
    bucket = np.int64(0)
    while bucket < BUCKETS and last == 0 and memory.seen < STATES:
        slot = np.int64(memory.buckets[bucket]) - 1
        if slot < 0:
            bucket += 1
            continue
        memory.buckets[bucket] = memory.links[slot] >> 48 & 0xFFFF
        moves = np.int64(replay(memory, slot)) + 1
        keep(memory, memory.held)
        for action in range(1, 5 if moves < MOVES else 0):
            restore(memory, memory.held)
            laws.read(memory)
            outcome = laws.advance(memory, action)
            if outcome == laws.WON and last == 0:
                goal, last = slot, np.int64(action)
            if outcome == NOT_OVER and last == 0 and memory.seen < STATES:
                left = estimate(memory)
                rank = min(moves + greed * left, BUCKETS - 1)
                found = enter(memory, hashed(memory), slot | action << 16 | moves << 32, rank)
                if found >= 0:
                    bucket = min(bucket, rank)
                    if left < least:
                        goal, least = found, left
    count = np.int64(replay(memory, goal))
    for k in range(count):
        memory.plan[k] = memory.way[k]
    if last > 0:
        memory.plan[count] = last
        count += 1
    restore(memory, memory.start)
    laws.read(memory)
    return count


@policy(
    ID,
    "planner",
    variables={
        **BOARD,
        "start": scratch((CELLS, pieces.DEPTH)),
        "held": scratch((CELLS, pieces.DEPTH)),
        "keys": scratch(SLOTS),
        "links": scratch(SLOTS),
        "buckets": scratch(BUCKETS),
        "way": scratch(MOVES),
        "plan": limited(np.zeros(MOVES, int), 0, len(laws.ACTIONS) - 1),
        "seen": limited(0, 0, STATES),
        "planned": limited(0, 0, MOVES),
        "done": limited(0, 0, MOVES),
        "stuck": False,
    },
    greed=Between(0, 8).at(2),
)
def planner(memory, observation, mask):
    """Searches for moves that win, or else look good, and plays them; its search knows the rules exactly.

    It looks at up to 12,288 states per search, first at those with few moves so far plus `greed` times an estimate of
    the moves still needed; 0 is breadth-first search, which finds a shortest solution. If a search finds no moves, it
    moves at random from then on.
    """
    if not look(memory, observation):
        memory.planned = 0
    if memory.done >= memory.planned and not memory.stuck:
        memory.planned = search(memory)
        memory.done = 0
        memory.stuck = memory.planned == 0
    if memory.done < memory.planned:
        action = np.int64(memory.plan[memory.done])
        memory.done += 1
    else:
        action = np.int64(1 + random.randint(memory, 4))
    laws.advance(memory, action)
    return action
