"""Boards on which each player sees its own stones only, and finds the other's by trying to put one on them.

The record has `player`, `seen` (2, rows, columns, planes), the true board as in `kit.board`, `params.abrupt`, and:

- `order` (2, cells): the number of each player's try on a cell, from 1; 0 where it has not tried.
- `tries` (2,): how many tries each player has made.

A player knows a stone of the other's exactly where it has tried. If a try fails, the player tries again; with `abrupt`
it is the other's turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import When
from envsuite.core.random import randint
from envsuite.core.ranges import within
from envsuite.kit import openings
from envsuite.kit.board import words_for_middle

#: Sentences of pages for players: what a try does, and what it shows. Slots: thing, things, abrupt.
TRIES = (
    "But you see your own {things} only. In your turn you try a cell. If it is free, you put a {thing} there, and it "
    "is the other player's turn. If a {thing} of the other player's is there, you see it from then on, and",
    When("abrupt", "your turn is over all the same.", "you try another cell."),
)
SEES = "The other player is not told which cells you try or what you find there, and you are not told of its tries."


def fields(cells: int) -> list[tuple]:
    """The fields of the record."""
    return [
        ("order", within(np.int16, 0, cells), (2, cells)),  # the number of each player's try on a cell; 0 for none
        ("tries", within(np.int64, 0, cells), (2,)),  # each player's tries
    ]


@kernel
def clear(s):
    """Before the first try."""
    fill(s.order, 0)
    s.tries[0] = s.tries[1] = 0


@kernel
def holds(s, player, cell):
    """Whether a player has a stone on a cell."""
    cells, planes = s.order.shape[1], s.seen.shape[3]
    return s.seen.flat[(player * cells + cell) * planes] != 0


@kernel
def attempt(s, cell):
    """The player to move tries a cell: whether it is free. If not, it may still be the player's turn."""
    player = s.player
    s.tries[player] += 1
    s.order[player, cell] = s.tries[player]
    free = not holds(s, 1 - player, cell)
    if free or s.params.abrupt != 0:
        s.player = 1 - player
    return free


@kernel
def legal(s, agent, mask):
    """Every cell that the player to move has not tried."""
    if s.player == agent:
        for cell in range(mask.shape[0]):
            mask[cell] = s.order[agent, cell] == 0


@kernel
def observe(s, agent, out):
    """What the agent has tried, in its order, and what it found."""
    cells = s.order.shape[1]
    for cell in range(cells):
        out.board.flat[2 * cell] = holds(s, agent, cell)
        out.board.flat[2 * cell + 1] = s.order[agent, cell] != 0 and holds(s, 1 - agent, cell)
        out.order.flat[cell] = s.order[agent, cell]


@kernel
def passes(s, agent, number):
    """Whether the other has a turn after the agent's try of this number; number 0 stands for the start."""
    if number == 0:
        return agent == 1
    if number == s.tries[agent] and s.player != agent:
        return False
    if s.params.abrupt != 0:
        return True
    for cell in range(s.order.shape[1]):
        if s.order[agent, cell] == number:
            return holds(s, agent, cell)
    return False


@kernel
def due(s, agent, now):
    """The first of the agent's tries by which the other must have no free turn left; 0 if there is none.

    The other must put a stone on each cell where the agent found one before the agent tried it.
    """
    turns, wanting = 0, 0
    for number in range(now + 1, s.tries[agent] + 1):
        turns += passes(s, agent, number - 1)
        for cell in range(s.order.shape[1]):
            if s.order[agent, cell] == number:
                wanting += s.order[1 - agent, cell] == 0 and holds(s, 1 - agent, cell)
        if wanting == turns and wanting > 0:
            return number
    return 0


@large_kernel
def imagine(s, agent):
    """Replace the other's tries by those of a random player that fit what the agent has tried and found.

    The other tries cells that it has not tried, each with the same probability; but not those on which the agent puts a
    stone later, and in time those on which the agent finds one. The true board changes in `seen` only.
    """
    other, cells, planes = 1 - agent, s.order.shape[1], s.seen.shape[3]
    for cell in range(cells):
        s.order[other, cell] = 0
        if s.order[agent, cell] == 0:
            s.seen.flat[(other * cells + cell) * planes] = 0
            s.seen.flat[(agent * cells + cell) * planes + 1] = 0
    s.tries[other] = 0
    for now in range(s.tries[agent] + 1):
        if not passes(s, agent, now):
            continue
        waiting = True
        while waiting:
            until = due(s, agent, now)
            chosen, count = -1, 0
            for cell in range(cells):
                tried = np.int64(s.order[agent, cell])
                mine = tried != 0 and holds(s, agent, cell)
                possible = tried <= now if mine else until == 0 or 0 < tried <= until
                if s.order[other, cell] == 0 and possible and not (mine and until > 0 and s.params.abrupt != 0):
                    count += 1
                    if randint(s, count) == 0:
                        chosen = cell
            if chosen < 0:
                break
            s.tries[other] += 1
            s.order[other, chosen] = s.tries[other]
            waiting = holds(s, agent, chosen) and s.params.abrupt == 0
            if not holds(s, agent, chosen):
                s.seen.flat[(other * cells + chosen) * planes] = 1
                s.seen.flat[(agent * cells + chosen) * planes + 1] = 1


def guess_by(rebuild: Callable) -> Any:
    """The kernel that lets the other's tries be those of a random player, see `imagine`, by which nobody has won.

    `rebuild` makes what the game keeps of a board, and returns how often a player has won. After 100 draws the last
    one stays.
    """

    @large_kernel
    def guess(s, agent):
        s.level.length = 0
        for _ in range(100):
            imagine(s, agent)
            if rebuild(s) == 0:
                return

    return guess


class Dark(openings.Openings):
    """A game on such a board, with a name for each cell."""

    turns = "sequential"
    chance = False
    utility = "zero-sum"
    paid_at_end = True
    verified = "OpenSpiel, try by try"

    def define_board(self, rows: int, columns: int, fields: list[tuple], **params: Any) -> None:
        """Define the game with all fields of its record."""
        self.define(
            agents=["player_0", "player_1"],
            actions=[f"{chr(97 + c)}{r + 1}" for r in range(rows) for c in range(columns)],
            observation=Dict(
                {
                    "board": Box(0, 1, (rows, columns, 2), np.int8),
                    "order": Box(0, rows * columns, (rows, columns), np.int16),
                }
            ),
            fields=fields,
            params=params,
            reward_range=(-1.0, 1.0),
        )
        self.synonyms = words_for_middle(self.action_names[0], rows, columns)


def course(s: Any) -> list[int]:
    """All tries since the empty board, in the order in which they were made."""
    moves: list[int] = []
    player, done = 0, [0, 0]
    while True:
        found = np.flatnonzero(s.order[player] == done[player] + 1)
        if len(found) == 0:
            return moves
        done[player] += 1
        moves.append(int(found[0]))
        if s.params.abrupt or holds(s, player, moves[-1]):
            player = 1 - player


def known(s: Any, agent: int | None) -> np.ndarray:
    """(rows, columns) int8, the stones that an agent knows, or all: 0 if none, or the player's number plus 1."""
    there = s.seen[0, :, :, 0] + 2 * s.seen[0, :, :, 1]
    if agent is None or s.terminated[0]:
        return there
    tried = s.order[agent].reshape(there.shape) > 0
    return np.where(tried, there, 0)


def unmet(s: Any) -> np.ndarray:
    """(rows, columns) bool: the stones that the other player has not found."""
    there = known(s, None).reshape(-1)
    cells = np.arange(len(there))
    return ((there > 0) & (s.order[np.where(there == 1, 1, 0), cells] == 0)).reshape(s.seen.shape[1:3])


def last(s: Any, agent: int, names: Sequence[str], thing: str) -> str:
    """A sentence about the agent's last try."""
    if s.tries[agent] == 0:
        return "You have tried no cell yet."
    cell = int(np.flatnonzero(s.order[agent] == s.tries[agent])[0])
    found = "is yours now" if holds(s, agent, cell) else f"holds a {thing} of the other player"
    return f"Your last try, {names[cell]}, {found}."
