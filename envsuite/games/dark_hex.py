"""DarkHex: Hex in which players see the other's stones only where they try to put their own.

**Rules.** As Hex without the swap rule: `player_0` wins by connecting the top row with the bottom row by a chain of
neighboring stones, `player_1` by connecting the left column with the right column. But each sees its own stones only.
A player tries a cell. If it is free, the player puts a stone there, and it is the other's turn. If the other's stone is
there, the player now sees it and tries again; with `abrupt` it has lost its turn. The other is not told about tries.

**Agents.** `player_0` moves first, then `player_1`.

**Observation.** Dict. Row 0 is the top row and column 0 the left column.

| part | space | content |
|---|---|---|
| board | Box (size, size, 2) int8 | 1 where the agent has a stone, and where it has found one of the other's |
| order | Box (size, size) int16 | the number of the agent's try on the cell, from 1; 0 where it has not tried |

**Actions.** Discrete (size x size). Only the player to move has legal actions. The name of a cell is a letter for the
column and the number of the row.

| action | name | legal |
|---|---|---|
| size * row + column | `a1`, `b1`, ... | until the player has tried it |

**Window.** A click tries a cell.

**Rewards.** +1 to the player that connects its sides and -1 to the other at the end, 0 otherwise.

**Ends.** Terminates when a player's sides are connected.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 3 | rows and columns of the board, from 2 to 11 |
| `abrupt` | False | whether a try that fails costs the turn |

**Level.** ``{"moves": ["b2", "b2", "a1"]}``: the tries before the episode starts.

**Known values.** Uniformly random play on 3 x 3 gives the first player 0.347 (standard error 0.009) in 10.52 tries, in
games of OpenSpiel.

**Differences.** From OpenSpiel's `dark_hex`, whose versions "cdh" and "adh" are here `abrupt`:

- Its option that tells the number of all tries is left out.
- Boards are square.
- The observation keeps the order of the agent's tries, so it holds all that the agent has learned.

**Source.** OpenSpiel `dark_hex`; Bedir Tapkan, "Dark Hex: a large scale imperfect information game", 2022.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Page
from envsuite.core.ranges import below, flag
from envsuite.core.world import Between, Kernels
from envsuite.games import hex
from envsuite.kit import board, dark, openings, stones
from envsuite.kit.dark import legal, observe
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Scene


def fields(size: int) -> list[tuple]:
    """The record; `board`, `parent` and `sides` are indexed by point, see `kit.stones` and Hex."""
    cells, points = size * size, (stones.num_points(size),)
    return [
        ("player", below(np.uint8, 2)),  # whose turn it is
        ("won", flag()),  # whether the last stone connected its player's sides
        ("seen", flag(np.int8), (2, size, size, 2)),  # the stones, as each player would see them
        *dark.fields(cells),
        ("board", below(np.uint8, 4), points),  # EMPTY, BLACK, WHITE or EDGE
        ("parent", below(np.uint16, points[0]), points),  # the next point toward a stone's root, see Hex
        ("sides", below(np.uint8, 4), points),  # for roots: the sides that the chain touches, as bits
        openings.level_field(2 * cells, below(np.uint16, cells)),  # the tries made before the episode
    ]


@kernel
def reset(s):
    s.player = 0
    s.won = 0
    stones.clear(s)
    fill(s.parent, 0)
    fill(s.sides, 0)
    dark.clear(s)
    if s.level_given:
        for k in range(s.level.length):
            play(s, np.int64(s.level.moves[k]))
    else:
        s.level.length = 0


@large_kernel
def play(s, cell):
    """The player to move tries a cell."""
    player = np.int64(s.player)
    if dark.attempt(s, cell):
        s.won = hex.put(s, cell, player)


@kernel
def step(s, actions, rewards):
    player = np.int64(s.player)
    play(s, actions[player])
    if s.won:
        rewards[player] = 1.0
        rewards[1 - player] = -1.0
        s.terminated[0] = 1
        s.terminated[1] = 1


@kernel
def rebuild(s):
    """Build all chains again, in the order of the tries: how often sides are connected."""
    cells = s.order.shape[1]
    size = s.seen.shape[1]
    for cell in range(cells):
        s.board[stones.point_of(cell, size)] = stones.EMPTY
    fill(s.parent, 0)
    fill(s.sides, 0)
    won = 0
    for player in range(2):
        for number in range(1, s.tries[player] + 1):
            for cell in range(cells):
                if s.order[player, cell] == number and dark.holds(s, player, cell):
                    won += hex.put(s, cell, player)
    return won


PAGE = Page(
    role="You play Dark Hex against {others}.",
    goal=(
        "You win if a chain of your stones, each beside the next one, connects {own_sides}. The other player needs a "
        "chain that connects {other_sides}. A win pays you +1, and a loss -1."
    ),
    rules=(hex.CELLS, ("You take turns; player_0 begins.", *dark.TRIES)),
    sees=dark.SEES,
    acts={"{CELL}": "try a cell that you have not tried before, such as `a2`: column a, row 2"},
    ends="The game is over as soon as a player has won. There are no draws.",
    constants={"1": "a reward, and a row", "two": "neighbors of a cell", "2": "a row", "half": "of a cell"},
)


class DarkHex(dark.Dark):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = dark.guess_by(rebuild)
    kind = ("boards",)
    variants = (dict(size=4, abrupt=True),)
    shown = "shortest"
    player_page = PAGE

    def __init__(self, size: Annotated[int, Between(2, 11)] = 3, abrupt: bool = False):
        self.define_board(size, size, fields(size), abrupt=abrupt)

    def contradiction(self, s: Any) -> str | None:
        return openings.unlike_start(self, s, dark.course(s)[s.level.length :], but=("parent",)) or (
            None if roots_stand(s) else "the chains of stones have no roots"
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"things": "stones", "thing": "stone", **hex.sides(agent)}

    def text(self, s: Any, agent: int) -> str:
        winner = int(s.player == 0) if s.won else None
        return "\n".join(
            [
                *hex.rhombus(dark.known(s, agent)),
                f"You are {hex.GOALS[agent]}.",
                f"{dark.last(s, agent, self.action_names[agent], 'stone')} {board.turn(s, agent, winner)}",
            ]
        )

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        there, hidden = dark.known(s, agent), dark.unmet(s)
        winner = 1 - int(s.player) if s.won else int(s.player)
        scene = hex.drawn(there, winner + 1 if s.won else 0)
        for r, c in np.argwhere(there):
            if agent is None and hidden[r, c]:  # the other does not know of it
                scene.add(Circle(*hex.center(r, c), 0.16, None, "white", 0.07, glyph=""))
        hex.draw_mover(scene, winner, bool(s.won))
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        return hex.cell_at(s.seen.shape[1], x, y)


def roots_stand(s: Any) -> bool:
    """Whether every stone's way to its root ends, on stones of its own color, at a root with the chain's sides."""
    placed = np.flatnonzero((s.board == stones.BLACK) | (s.board == stones.WHITE))
    root = placed
    for _ in placed:
        if not np.isin(s.parent[root], placed).all() or (s.board[s.parent[root]] != s.board[placed]).any():
            return False
        root = s.parent[root]
    return bool((s.parent[root] == root).all())


env, raw_env, parallel_env = pettingzoo_forms(DarkHex)
