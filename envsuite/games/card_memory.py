"""CardMemory: POPGym's nine games of memory, with cards, boards and arms.

**Rules.** `game` is one of the following, in the sizes of the table below. A deck has 52 cards, is shuffled, and is not
refilled. Suits are spades, diamonds, clubs and hearts; ranks are A, 2, .., 10, J, Q, K, from the lowest one.

| game | rules |
|---|---|
| RepeatFirst | Cards are dealt one by one. Before each next card, say the suit of the first card. |
| RepeatPrevious | Before each next card, say the suit of the card that was dealt `k` cards before it. |
| Autoencode | All cards are shown. Then say their suits, from the last card back to the first one. |
| CountRecall | Each step deals a card and asks for a value: how many cards of it have been dealt, this one included? |
| HigherLower | Is the rank of the next card higher or lower? Equal ranks pay nothing. |
| Concentration | Cards lie face down. Each action turns one card over; see below. |
| Battleship | Ships of 2, 3, 3 and 4 cells lie on a board. Each action shoots at a cell. |
| MineSweeper | Mines lie on a board. Each action reveals a cell, which shows its number of mines; see below. |
| MultiarmedBandit | Each arm pays with a chance of its own, drawn uniformly between 0 and 1. |

| game | easy | medium | hard |
|---|---|---|---|
| RepeatFirst | 1 deck | 8 decks | 16 decks |
| RepeatPrevious | 1 deck, `k` = 4 | 2 decks, `k` = 32 | 3 decks, `k` = 64 |
| Autoencode | 1 deck | 2 decks | 3 decks |
| CountRecall | colors, 1 deck | suits, 2 decks | ranks, 4 decks |
| HigherLower | 1 deck | 2 decks | 3 decks |
| Concentration | colors, 52 cards | colors, 104 cards | ranks, 52 cards |
| Battleship | 8 x 8 | 10 x 10 | 12 x 12 |
| MineSweeper | 4 x 4, 2 mines | 6 x 6, 6 mines | 8 x 8, 10 mines |
| MultiarmedBandit | 10 arms, 200 steps | 20 arms, 400 steps | 30 arms, 600 steps |

*Concentration.* Two cards of equal value stay face up, and other pairs are turned back after they were seen. An action
on a card that is face up for good turns back the card that waits for a partner. Turning the same card twice is no pair.

*MineSweeper.* The number counts the 3 x 3 cells around the cell, its own included. No other cell is revealed with it,
and the first cell may be a mine.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| game | Box (2,) int8 | the number of the game in the table, from 0, and the difficulty, from 0 |
| seen | Box (N,) int8 | what the game shows; see below |
| last | Box (1,) int16 | from Concentration on, the last action; -1 before the first and in the other games |

| game | N | `seen` |
|---|---|---|
| RepeatFirst, RepeatPrevious | 1 | the suit of the card |
| Autoencode | 2 | 1 before the last card, then 0; the suit of the card, and 0 when none is shown |
| CountRecall | 2 | the value of the card and the value that is asked for |
| HigherLower | 1 | the rank of the card |
| Concentration | cards | the value of each card, or 2 (colors) or 13 (ranks) if it is face down |
| Battleship | 1 | 1 if the last shot was a hit on a cell that had not been shot at, otherwise 0 |
| MineSweeper | 1 | the number of the last cell; 0 before the first |
| MultiarmedBandit | 1 | 1 if the last arm paid, otherwise 0 |

Suits are numbered 0 to 3, ranks 0 to 12, and colors 0 black and 1 red.

**Actions.** Discrete, with a number of actions that depends on the game. All of them are always legal.

| action | name |
|---|---|
| 0 .. 3 | `spades`, `diamonds`, `clubs`, `hearts`: RepeatFirst, RepeatPrevious, Autoencode |
| 0 .. 26 or 16 | `0`, `1`, ..: CountRecall, up to the number of cards of a value |
| 0, 1 | `higher`, `lower`: HigherLower |
| 0, 1, .. | `a1`, `b1`, .., `a2`, ..: the cells row by row; Concentration has 13 columns |
| 0, 1, .. | `arm 1`, `arm 2`, ..: MultiarmedBandit |

**Window.** A click on a cell or on a field with an answer chooses it. The keys `s`, `d`, `c` and `h` name suits; up and
down stand for `higher` and `lower`.

**Rewards.** An episode earns at most 1. L is the number of steps of an episode, and n the number of cards.

| game | pays |
|---|---|
| RepeatFirst, CountRecall | 1 / (n - 1) for a right answer, and minus that for a wrong one |
| RepeatPrevious | 1 / (n - `k`), and minus that; nothing before step `k` |
| Autoencode, HigherLower | 1 / n, and minus that |
| Concentration | 2 / n for a pair, -2 / L for another pair; for a card that is face up, -1 / L for each card turned |
| Battleship | 1 / 12 for a hit; -1 / (cells - 12) for a miss and for a cell that was shot at |
| MineSweeper | 1 / L for a cell; -1 / (2 L - 4) for a cell that was revealed; -1 / 2 - 1 / L for a mine |
| MultiarmedBandit | 1 / L if the arm pays, otherwise -1 / L |

**Ends.** The first five games terminate with the last card: after n - 1 steps, Autoencode after 2n - 1. The others
terminate when nothing is left to find, MineSweeper also on a mine. They are truncated after L steps: Concentration 104,
208 and 104, Battleship the number of cells, MineSweeper the number of cells without mines, the bandit 20 for each arm.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `game` | "RepeatPrevious" | one of the nine games |
| `difficulty` | "easy" | "easy", "medium" or "hard", see the table |

**Level.** What the game hides: ``{"cards": [51, 0, 17, ..]}``, each card as often as there are decks, in the order in
which they are dealt, or row by row; a card's number is 4 x rank + suit. CountRecall also has "queries", the cards whose
values it asks for. Boards are rows with # for a ship cell or mine: ``{"board": ["#..", ..]}``. A bandit has
``{"means": [0.2, ..]}``.

**Known values.** The mean returns of random play follow from closed forms and dynamic programs. They agree with random
play in popgym.

| game | play | easy | medium | hard |
|---|---|---|---|---|
| RepeatFirst, RepeatPrevious, Autoencode | random | -0.5 | -0.5 | -0.5 |
| CountRecall | random | -0.926 | -0.926 | -0.882 |
| HigherLower, MultiarmedBandit | random | 0 | 0 | 0 |
| HigherLower | a bet on the larger part of a full deck | 0.497 | 0.497 | 0.497 |
| Concentration | random | -0.191 | -0.185 | -0.835 |
| Battleship | random | -0.449 | -0.416 | -0.400 |
| Battleship | random, without repeats: 1 / 13 | 0.077 | 0.077 | 0.077 |
| MineSweeper | random | -0.231 | -0.401 | -0.432 |

**Differences.** From popgym 1.0.7:

- POPGym's other games are left out: its cart poles and pendulums are CartPole and Pendulum with a part of the
  observation, and its labyrinths are mazes.
- The parts `game` and `last` are added. POPGym asks for the last action in the same four games, and leaves it to a
  wrapper.
- The cells of a board are one number instead of two.
- POPGym draws an arm's chance with 32 bits, here it has 64.

**Source.** Morad, Kortvelesy, Bettini, Liwicki and Prorok, "POPGym: Benchmarking Partially Observable Reinforcement
Learning", 2023; popgym 1.0.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import LevelError
from envsuite.core.parameters import is_integer
from envsuite.core.ranges import fixed, limited
from envsuite.core.world import Kernels, World
from envsuite.games import card_memory_view as view
from envsuite.games.card_memory_rules import (
    BANDIT,
    BATTLESHIP,
    COUNT_RECALL,
    DECK,
    DIFFICULTIES,
    GAMES,
    HIGHER_LOWER,
    LAGS,
    MINE_SWEEPER,
    NONE,
    REPEAT_FIRST,
    REPEAT_PREVIOUS,
    Sizes,
    contradiction,
    fields,
    observe,
    reset,
    sizes,
    step,
)
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Scene


def _names(size: Sizes) -> list[str]:
    """The names of the actions."""
    if size.cells:
        return [f"{chr(97 + k % size.columns)}{k // size.columns + 1}" for k in range(size.cells)]
    if size.arms:
        return [f"arm {k + 1}" for k in range(size.arms)]
    if size.game == HIGHER_LOWER:
        return ["higher", "lower"]
    return list(map(str, range(size.actions))) if size.game == COUNT_RECALL else list(view.SUIT_NAMES)


class CardMemory(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    verified = "popgym in lock-step, all 27 games; closed forms and dynamic programs of random play"
    variants = (
        dict(game="RepeatFirst"),
        dict(game="Autoencode"),
        dict(game="CountRecall", difficulty="hard"),
        dict(game="HigherLower"),
        dict(game="Concentration", difficulty="hard"),
        dict(game="Battleship"),
        dict(game="MineSweeper", difficulty="medium"),
        dict(game="MultiarmedBandit"),
    )
    shown = "memory"

    def __init__(
        self,
        game: Literal[
            "RepeatFirst", "RepeatPrevious", "Autoencode", "CountRecall", "HigherLower", "Concentration", "Battleship",
            "MineSweeper", "MultiarmedBandit",
        ] = "RepeatPrevious",
        difficulty: Literal["easy", "medium", "hard"] = "easy",
    ):  # fmt: skip
        number, hard = GAMES.index(game), DIFFICULTIES.index(difficulty)
        self.size = size = sizes(number, hard)
        names = _names(size)
        keys = {"up": "higher", "down": "lower"} | {name[0]: name for name in view.SUIT_NAMES}
        self.keys = {key: name for key, name in keys.items() if name in names}  # type: ignore[misc]
        self.define(
            agents=["agent"],
            actions=names,
            observation=Dict(
                game=Box(0, len(GAMES) - 1, (2,), np.int8),
                seen=Box(0, max(size.kinds, min(size.marked, 9), 1), (size.seen,), np.int8),
                last=Box(NONE, size.actions - 1, (1,), np.int16),
            ),
            fields=fields(size),
            params={
                "game": limited(number, REPEAT_FIRST, REPEAT_PREVIOUS) if number <= REPEAT_PREVIOUS else fixed(number),
                "difficulty": fixed(hard),
                "length": fixed(size.length),
                "kinds": fixed(size.kinds),
                "lag": fixed(LAGS[hard]),
                "columns": fixed(size.columns),
                "marked": fixed(size.marked),
            },
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        return contradiction(s)

    # Levels.

    def _parts(self) -> tuple[str, ...]:
        if self.size.game == BANDIT:
            return ("means",)
        if self.size.game in (BATTLESHIP, MINE_SWEEPER):
            return ("board",)
        return ("cards", "queries") if self.size.game == COUNT_RECALL else ("cards",)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        parts = self._parts()
        if set(level) != set(parts):
            given = ", ".join(map(repr, level)) or "nothing"
            raise LevelError(f"{self.id}: a level of this game has {' and '.join(map(repr, parts))}, not {given}")
        found = {name: self._read(name, level[name]) for name in parts}
        s.cards[:] = found.get("cards", np.arange(len(s.cards)) % DECK)
        s.queries[:] = found.get("queries", np.arange(len(s.queries)) % DECK)
        s.marked[:] = found.get("board", 0)
        s.means[:] = found.get("means", 0.0)

    def _read(self, name: str, given: Any) -> list[Any]:
        """A part of a level, checked."""
        size = self.size
        whole = isinstance(given, (list, tuple))
        if name == "means":
            real = whole and all(type(mean) in (int, float) and 0 <= mean <= 1 for mean in given)
            if not real or len(given) != size.arms:
                raise LevelError(f"{self.id}: the means {given!r:.60} must be {size.arms} numbers from 0 to 1")
            return list(given)
        if name == "board":
            rows = whole and len(given) == size.columns and all(isinstance(row, str) for row in given)
            if not rows or any(len(row) != size.columns or set(row) - {".", "#"} for row in given):
                raise LevelError(f"{self.id}: the board {given!r:.60} must be {size.columns} rows of as many . and #")
            cells = [int(sign == "#") for row in given for sign in row]
            if sum(cells) != size.marked:
                raise LevelError(f"{self.id}: the board has {sum(cells)} #, not {size.marked}")
            return cells
        decks = size.cards // DECK
        if not whole or not all(is_integer(card) and 0 <= card < DECK for card in given):
            raise LevelError(f"{self.id}: the {name} {given!r:.60} must be integers from 0 to {DECK - 1}")
        if (np.bincount(np.array(given, np.int64), minlength=DECK) != decks).any():
            raise LevelError(f"{self.id}: each of the {DECK} cards must be {decks} times among the {name}")
        return list(given)

    def get_level(self, s: Any) -> dict[str, Any]:
        size = self.size
        if size.game == BANDIT:
            return {"means": s.means.tolist()}
        if size.game in (BATTLESHIP, MINE_SWEEPER):
            rows = s.marked.reshape(size.columns, size.columns)
            return {"board": ["".join(".#"[int(cell)] for cell in row) for row in rows]}
        return {name: getattr(s, name).tolist() for name in self._parts()}

    # Words and pictures.

    def text(self, s: Any, agent: int) -> str:
        return view.text(self, s)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        return view.scene(self, s, agent)

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        return view.click(view.sizes_of(s), x, y)


env, raw_env, parallel_env = pettingzoo_forms(CardMemory)
