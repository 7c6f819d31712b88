"""Baselines of UltimateTicTacToe: one wins boards where it can, one also thinks of the other player's next move."""

from __future__ import annotations

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.games.ultimate_tic_tac_toe import CELLS, FULL, board_of, cell_of, has_line

ID = "envsuite/UltimateTicTacToe-v0"

#: What a move is worth: the game, a board, a board that the other player cannot win here, and the answers that it
#: leaves, a free choice, a board that the other player wins, and the game; the middle of a board.
GAME, BOARD, BLOCK, CHOICE, LOSS, DEFEAT, MIDDLE = 10_000, 100, 30, -40, -60, -5_000, 3


@kernel
def marks(observation, place, who):
    """The cells of a board that a player has marked, as bits: 1 the observing agent, 2 the other."""
    bits = 0
    for cell in range(9):
        row, column = place // 3 * 3 + cell // 3, place % 3 * 3 + cell % 3
        bits |= (1 << cell) * (observation.cells[row, column] == who)
    return bits


@kernel
def boards(observation, who):
    """The boards that a player has won, as bits."""
    bits = 0
    for place in range(9):
        bits |= (1 << place) * (observation.boards.flat[place] == who)
    return bits


@kernel
def can_win(own, other):
    """Whether one more mark on a board completes a line."""
    for cell in range(9):
        if (own | other) >> cell & 1 == 0 and has_line(own | 1 << cell):
            return True
    return False


@large_kernel
def worth(observation, action, ahead):
    """What a move is worth; the other player's answer counts if `ahead`."""
    place, cell = board_of(action), cell_of(action)
    mine, theirs = marks(observation, place, 1), marks(observation, place, 2)
    won = has_line(mine | 1 << cell)
    if won and has_line(boards(observation, 1) | 1 << place):
        return GAME
    value = BOARD * won + BLOCK * has_line(theirs | 1 << cell) + MIDDLE * (cell == 4)
    if ahead:
        decided = won or (mine | theirs | 1 << cell) == FULL
        if observation.boards.flat[cell] != 0 or (cell == place and decided):
            return value + CHOICE
        own = marks(observation, cell, 1) | (1 << cell) * (cell == place)
        if can_win(marks(observation, cell, 2), own):
            value += DEFEAT if has_line(boards(observation, 2) | 1 << cell) else LOSS
    return value


@large_kernel
def best(memory, observation, mask, ahead):
    """A random one of the best moves."""
    found, count, most = 0, 0, -100_000
    for action in range(CELLS):
        if mask[action] != 0:
            value = worth(observation, action, ahead)
            if value > most:
                most, count = value, 0
            if value == most:
                count += 1
                if random.randint(memory, count) == 0:
                    found = action
    return found


@policy(ID, "greedy")
def greedy(memory, observation, mask):
    """Wins the game or a board if it can, and otherwise takes a line from the other player."""
    return best(memory, observation, mask, False)


@policy(ID, "tactical")
def tactical(memory, observation, mask):
    """The same, but it also avoids to send the other player to a board that it can win or choose freely."""
    return best(memory, observation, mask, True)
