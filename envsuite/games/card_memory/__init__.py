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
from envsuite.core.levels import exact_parts, read_letters, write_letters
from envsuite.core.ranges import fixed, limited
from envsuite.core.world import Kernels, World
from envsuite.games.card_memory import pages, rules, view
from envsuite.games.card_memory.rules import contradiction, step
from envsuite.registry import pettingzoo_forms


def _names(size: rules.Sizes) -> list[str]:
    """The names of the actions."""
    if size.cells:
        return [f"{chr(97 + k % size.columns)}{k // size.columns + 1}" for k in range(size.cells)]
    if size.arms:
        return [f"arm {k + 1}" for k in range(size.arms)]
    if size.game == rules.HIGHER_LOWER:
        return ["higher", "lower"]
    return list(map(str, range(size.actions))) if size.game == rules.COUNT_RECALL else list(view.SUIT_NAMES)


class CardMemory(World):
    __doc__ = __doc__
    kernels = Kernels(rules.reset, step, rules.observe)
    masked = False
    kind = ("memory", "cards")
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
    text = view.text
    scene = view.scene
    click = view.click
    understand = view.understand
    player_page = pages.PAGES
    page_role = pages.page_role
    page_slots = pages.page_slots

    def __init__(
        self,
        game: Literal[
            "RepeatFirst", "RepeatPrevious", "Autoencode", "CountRecall", "HigherLower", "Concentration", "Battleship",
            "MineSweeper", "MultiarmedBandit",
        ] = "RepeatPrevious",
        difficulty: Literal["easy", "medium", "hard"] = "easy",
    ):  # fmt: skip
        number, hard = rules.GAMES.index(game), rules.DIFFICULTIES.index(difficulty)
        self.size = size = rules.sizes(number, hard)
        names = _names(size)
        if game == "MultiarmedBandit":
            self.level_fields = ("means",)
        elif game not in ("Battleship", "MineSweeper"):
            self.level_fields = ("cards", "queries") if game == "CountRecall" else ("cards",)
        keys = {"up": "higher", "down": "lower"} | {name[0]: name for name in view.SUIT_NAMES}
        self.keys = {key: name for key, name in keys.items() if name in names}
        self.synonyms = {name.removesuffix("s"): name for name in view.SUIT_NAMES if name in names}
        self.define(
            agents=["agent"],
            actions=names,
            observation=Dict(
                game=Box(0, len(rules.GAMES) - 1, (2,), np.int8),
                seen=Box(0, max(size.kinds, min(size.marked, 9), 1), (size.seen,), np.int8),
                last=Box(rules.NONE, size.actions - 1, (1,), np.int16),
            ),
            fields=rules.fields(size),
            params={
                "game": limited(number, rules.REPEAT_FIRST, rules.REPEAT_PREVIOUS)
                if number <= rules.REPEAT_PREVIOUS
                else fixed(number),
                "difficulty": fixed(hard),
                "length": fixed(size.length),
                "kinds": fixed(size.kinds),
                "lag": fixed(rules.LAGS[hard]),
                "columns": fixed(size.columns),
                "marked": fixed(size.marked),
            },
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        return contradiction(s)

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        s.cards[:] = np.arange(len(s.cards)) % rules.DECK
        s.queries[:] = np.arange(len(s.queries)) % rules.DECK
        s.marked[:], s.means[:] = 0, 0.0
        if self.level_fields:
            super().set_level(s, level)
        else:
            exact_parts(self.id, level, "board")
            shape = (self.size.columns, self.size.columns)
            s.marked[:] = read_letters(level["board"], f"{self.id}: the level's board", shape, ".#").reshape(-1)
            if (count := s.marked.sum()) != self.size.marked:
                raise LevelError(f"{self.id}: the board has {count} #, not {self.size.marked}")
        decks = self.size.cards // rules.DECK
        for part in set(level) & {"cards", "queries"}:
            if (np.bincount(s[part], minlength=rules.DECK) != decks).any():
                raise LevelError(f"{self.id}: each of the {rules.DECK} cards must be {decks} times among the {part}")

    def get_level(self, s: Any) -> dict[str, Any]:
        if self.level_fields:
            return super().get_level(s)
        return {"board": write_letters(s.marked.reshape(self.size.columns, self.size.columns), ".#")}

    # Words and pictures.


env, raw_env, parallel_env = pettingzoo_forms(CardMemory)
