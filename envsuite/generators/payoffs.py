"""Payoff tables of named games: arrays of shape (players, actions of player_0, ..., actions of the last player).

The actions of a dilemma are listed with the cooperative one first. Sources, where other numbers are in use too:

- the prisoner's dilemma: Axelrod (1980)
- the stag hunt, chicken, the battle of the sexes, coordination, matching pennies, rock-paper-scissors, its biased form
  and Shapley's game (1964): OpenSpiel
- the trust dilemma: the stag hunt of Tang et al., "Discovering Diverse Multi-Agent Strategic Behavior via Reward
  Randomization" (ICLR 2021), ten times the numbers of its code, staghuntrpg/RPG
- `overtaking`, the stakes of the games of any number of players, and `majority`: this suite

The families of random games in `Payoffs`:

- "zero_sum": one of two players wins what the other loses.
- "common": all players get the same.
- "potential": exact potential games (Monderer and Shapley 1996), a common payoff for all and, for each player, a term
  that depends only on the others' actions.
- "ordinal": each of two players ranks the four outcomes from 1 to 4. There are 78 such games, not counting other names
  of players and actions (Rapoport and Guyer 1966).
- "independent": all numbers are random.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np

from envsuite.core.elementary import log2
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts
from envsuite.core.random import randint, shuffle
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.kit.payoff_tables import draw_table, table_size
from envsuite.render.scene import Scene

#: The named games; "custom" is a table of the user's own.
Game = Literal[
    "prisoners_dilemma", "stag_hunt", "chicken", "battle_of_the_sexes", "coordination", "matching_pennies",
    "rock_paper_scissors", "biased_rock_paper_scissors", "shapley", "trust_dilemma", "overtaking", "public_goods",
    "volunteers_dilemma", "majority", "custom",
]  # fmt: skip

#: Public goods: the endowment of each player, and the factor by which contributions grow before they are shared.
ENDOWMENT, FACTOR = 20.0, 1.6
#: The volunteer's dilemma: the cost of volunteering; the good is worth 1 to every player.
COST = 0.5


@dataclass(frozen=True)
class Table:
    """A named game: its title, the actions that all players share, and its payoffs, (players, actions, ...)."""

    title: str
    actions: tuple[str, ...]
    payoffs: np.ndarray


def symmetric(payoffs: Any) -> np.ndarray:
    """A symmetric game of two players, from the payoffs of the row player."""
    rows = np.array(payoffs, float)
    return np.array([rows, rows.T])


def zero_sum(payoffs: Any) -> np.ndarray:
    """A zero-sum game of two players, from the payoffs of the row player."""
    rows = np.array(payoffs, float)
    return np.array([rows, 0.0 - rows])  # not -rows, which would write -0


def by_counts(players: int, payoff: Callable[[int, int], float]) -> np.ndarray:
    """A game of two actions: `payoff(action, others)`, where `others` of the other players choose the first action."""
    table = np.zeros((players, *(2,) * players))
    for profile in itertools.product(range(2), repeat=players):
        for k, action in enumerate(profile):
            table[(k, *profile)] = payoff(action, profile.count(0) - (action == 0))
    return table


_TWO_PLAYERS = {
    "prisoners_dilemma": Table("prisoner's dilemma", ("cooperate", "defect"), symmetric([[3, 0], [5, 1]])),
    "stag_hunt": Table("stag hunt", ("stag", "hare"), symmetric([[2, 0], [1, 1]])),
    "chicken": Table("chicken", ("swerve", "straight"), symmetric([[3, 1], [4, 0]])),
    "battle_of_the_sexes": Table(
        "battle of the sexes", ("bach", "stravinsky"), np.array([[[3.0, 0], [0, 2]], [[2, 0], [0, 3]]])
    ),
    "coordination": Table("coordination", ("left", "right"), symmetric([[1, 0], [0, 1]])),
    "matching_pennies": Table("matching pennies", ("heads", "tails"), zero_sum([[1, -1], [-1, 1]])),
    "rock_paper_scissors": Table(
        "rock, paper, scissors", ("rock", "paper", "scissors"), zero_sum([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    ),
    "biased_rock_paper_scissors": Table(
        "biased rock, paper, scissors",
        ("rock", "paper", "scissors"),
        zero_sum([[0, -25, 50], [25, 0, -5], [-50, 5, 0]]),
    ),
    "shapley": Table("Shapley's game", ("rock", "paper", "scissors"), symmetric([[0, 0, 1], [1, 0, 0], [0, 1, 0]])),
    "trust_dilemma": Table("trust dilemma", ("stag", "hare"), symmetric([[4, -50], [3, 1]])),
    "overtaking": Table("overtaking", ("follow", "overtake"), symmetric([[2, 0], [5, -100]])),
}


def _public_goods(players: int) -> Table:
    def payoff(action: int, givers: int) -> float:
        given = ENDOWMENT * (givers + (action == 0))
        return (ENDOWMENT if action else 0.0) + FACTOR * given / players

    return Table("public goods", ("contribute", "keep"), by_counts(players, payoff))


def _volunteers_dilemma(players: int) -> Table:
    def payoff(action: int, volunteers: int) -> float:
        return 1.0 - COST if action == 0 else float(volunteers > 0)

    return Table("volunteer's dilemma", ("volunteer", "wait"), by_counts(players, payoff))


def _majority(players: int) -> Table:
    def payoff(action: int, left: int) -> float:
        alike = 1 + (left if action == 0 else players - 1 - left)
        return float(2 * alike > players)

    return Table("majority", ("left", "right"), by_counts(players, payoff))


_ANY_PLAYERS = {
    "public_goods": _public_goods,
    "volunteers_dilemma": _volunteers_dilemma,
    "majority": _majority,
}


def named(game: str, players: int = 2) -> Table:
    """A game by its name; `ValueError` if it is not for this number of players."""
    if game in _ANY_PLAYERS:
        return _ANY_PLAYERS[game](players)
    if players != 2:
        raise ValueError(
            f"{game!r} is a game of 2 players, not of {players}; of any number are {', '.join(_ANY_PLAYERS)}"
        )
    return _TWO_PLAYERS[game]


def as_payoffs(payoffs: Any, shape: Sequence[int] | None = None) -> np.ndarray:
    """A payoff table from nested lists, of this shape if one is given; `ValueError` says what is wrong with it."""
    try:
        table = np.array(payoffs)
    except ValueError:
        raise ValueError("the payoffs are nested lists of unequal lengths") from None
    if table.dtype.kind not in "iuf":
        raise ValueError(f"the payoffs must be nested lists of numbers, not {payoffs!r:.80}")
    players = table.shape[0] if table.ndim else 0
    if shape is not None and table.shape != tuple(shape):
        raise ValueError(f"the payoffs have the shape {table.shape}, not {tuple(shape)}")
    if players < 2 or table.ndim != players + 1 or 0 in table.shape:
        raise ValueError(
            f"the payoffs have the shape {table.shape}; for n players, at least 2, it must have n + 1 sizes: "
            "(n, actions of player_0, ..., actions of player_{n-1})"
        )
    if not np.isfinite(table).all():
        raise ValueError("the payoffs hold a number that is not finite")
    return table.astype(np.float64)


# Random games.

Family = Literal["independent", "zero_sum", "common", "potential", "ordinal"]
FAMILIES = ("independent", "zero_sum", "common", "potential", "ordinal")
INDEPENDENT, ZERO_SUM, COMMON, POTENTIAL, ORDINAL = range(5)

#: Payoffs are multiples of 1 / UNIT from -1 to 1; in potential games, whose payoffs are sums of two, from -2 to 2.
UNIT = 100

#: The most joint actions of a random game.
PROFILES = 4096


@kernel
def number(s):
    """A random whole number from -UNIT to UNIT."""
    return np.float64(np.int64(randint(s, 2 * UNIT + 1)) - UNIT)


@large_kernel
def make(s):
    """A random game of the parameters' family."""
    players, profiles = s.level.payoffs.shape
    family = np.int64(s.params.family)
    s.level.family = family
    for a in range(profiles):
        drawn = number(s)
        for k in range(players):
            if family == INDEPENDENT and k > 0:
                drawn = number(s)
            elif family == ZERO_SUM and k > 0:
                drawn = 0.0 - drawn
            s.level.payoffs[k, a] = drawn
    if family == POTENTIAL:
        step = profiles
        for k in range(players):  # joint actions that differ only in this player's action are `step` apart
            step //= s.params.actions
            for a in range(profiles):
                if a // step % s.params.actions == 0:
                    drawn = number(s)
                    for j in range(s.params.actions):
                        s.level.payoffs[k, a + j * step] += drawn
    if family == ORDINAL:
        for k in range(players):
            for a in range(profiles):
                s.level.payoffs[k, a] = a + 1.0
            shuffle(s, s.level.payoffs[k], profiles)
    else:
        for k in range(players):
            for a in range(profiles):
                s.level.payoffs[k, a] /= UNIT


@large_kernel
def change(s):
    """Change a payoff at one joint action, or swap two ranks in an ordinal game."""
    players, profiles = s.level.payoffs.shape
    a, k = np.int64(randint(s, profiles)), np.int64(randint(s, players))
    family = s.level.family
    if family == ORDINAL:
        b = (a + 1 + np.int64(randint(s, profiles - 1))) % profiles
        held = s.level.payoffs[k, a]
        s.level.payoffs[k, a] = s.level.payoffs[k, b]
        s.level.payoffs[k, b] = held
        return
    before = np.int64(np.round(s.level.payoffs[k, a] * UNIT))
    after = np.int64(randint(s, 2 * UNIT)) - UNIT
    after += np.int64(after >= before)  # any other than the present one
    for j in range(players):
        if j == k:
            s.level.payoffs[j, a] = after / UNIT
        elif family == ZERO_SUM:
            s.level.payoffs[j, a] = 0.0 - after / UNIT
        elif family == COMMON:
            s.level.payoffs[j, a] = after / UNIT
        elif family == POTENTIAL:  # the potential changes, so all change by the same amount
            s.level.payoffs[j, a] = np.round(s.level.payoffs[j, a] * UNIT + after - before) / UNIT


class Payoffs(Generator):
    """Random payoff tables, in which all players have the same number of actions.

    Args:
        family: which games; see above.
        players: number of players; zero-sum and ordinal games have two.
        actions: actions of each player; ordinal games have two.
    """

    make = make
    change = change

    def __init__(
        self,
        family: Family = "independent",
        players: Annotated[int, Between(2, 6)] = 2,
        actions: Annotated[int, Between(2, 16)] = 2,
    ):
        if family in ("zero_sum", "ordinal") and players != 2:
            raise ParameterError(f"payoffs: players={players} must be 2 in {family} games")
        if family == "ordinal" and actions != 2:
            raise ParameterError(f"payoffs: actions={actions} must be 2 in ordinal games")
        if actions**players > PROFILES:
            raise ParameterError(
                f"payoffs: {players} players with {actions} actions have more than {PROFILES} outcomes"
            )
        self.sizes = (actions,) * players
        self.define(
            level=[("family", np.int64), ("payoffs", np.float64, (players, actions**players))],
            params={"family": FAMILIES.index(family), "actions": actions},
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        shape = np.shape(level["payoffs"])
        return cls(level["family"], shape[0], shape[1])

    def decode(self, s: Any) -> dict[str, Any]:
        table = s.level.payoffs.reshape(-1, *self.sizes)
        return {"family": FAMILIES[s.level.family], "payoffs": table.tolist()}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts("payoffs", level, {"kind", "family", "payoffs"})
        table = as_payoffs(level["payoffs"], (len(self.sizes), *self.sizes))
        if problem := foreign(table, level["family"]):
            raise LevelError(f"payoffs: this is no game of the family {level['family']!r}: {problem}")
        s.level.family = FAMILIES.index(level["family"])
        s.level.payoffs[:] = table.reshape(s.level.payoffs.shape)

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and pure "equilibria" and the "class" of an ordinal game, 0 to 77.

        Every game is solvable (Nash 1950). The difficulty, in bits, is the logarithm of the number of joint actions
        that remain after actions dominated by others are repeatedly removed.
        """
        table = as_payoffs(level["payoffs"])
        left = undominated(table)
        found = {
            "size": list(table.shape[1:]),
            "solvable": True,
            "difficulty": round(sum(log2(len(actions)) for actions in left), 6),
            "equilibria": len(equilibria(table)),
        }
        if level["family"] == "ordinal":
            found["class"] = ordinal_class(table)
        return found

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The payoff table."""
        table = as_payoffs(level["payoffs"])
        names = [[str(action + 1) for action in range(size)] for size in table.shape[1:]]
        width, height = table_size(table.shape[1:], names)
        scene = Scene(width + 1.0, height + 1.0)
        draw_table(scene, 0.5, 0.5, table, names, None)
        return scene


def foreign(table: np.ndarray, family: str) -> str:
    """The reason why a table is not of this family, or an empty text."""
    if family == "zero_sum" and (len(table) != 2 or (table[0] != -table[1]).any()):
        return "the payoffs of two players do not add up to 0"
    if family == "common" and (table != table[0]).any():
        return "the players' payoffs differ"
    if family == "ordinal" and any(sorted(ranks.flat) != [1, 2, 3, 4] for ranks in table):
        return "a player's payoffs are not 1, 2, 3 and 4"
    if family == "potential":
        for k, j in itertools.combinations(range(len(table)), 2):  # two moves there and back cost nothing
            mine, theirs = np.moveaxis(table[k], [k, j], [0, 1]), np.moveaxis(table[j], [k, j], [0, 1])
            gap = mine - theirs
            round_trip = gap - gap[:1] - gap[:, :1] + gap[:1, :1]
            if abs(round_trip).max() > 1e-9:
                return "it has no exact potential"
    return ""


def equilibria(table: np.ndarray) -> list[tuple[int, ...]]:
    """The pure Nash equilibria: joint actions from which no player gains by deviating alone."""
    best = np.all([mine >= mine.max(axis=k, keepdims=True) for k, mine in enumerate(table)], axis=0)
    return [tuple(int(action) for action in profile) for profile in np.argwhere(best)]


def undominated(table: np.ndarray) -> list[list[int]]:
    """Each player's actions that remain after actions with a better one, whatever others do, are repeatedly removed."""
    left = [list(range(size)) for size in table.shape[1:]]
    struck = True
    while struck:
        struck = False
        for k, mine in enumerate(table):
            rows = np.moveaxis(mine[np.ix_(*left)], k, 0).reshape(len(left[k]), -1)
            kept = [i for i, row in enumerate(rows) if not any((other > row).all() for other in rows)]
            struck |= len(kept) < len(left[k])
            left[k] = [left[k][i] for i in kept]
    return left


def ordinal_form(table: np.ndarray) -> tuple[int, ...]:
    """A form common to all ordinal games that differ only in the names of players and actions: the least of them."""
    swapped = np.array([table[1].T, table[0].T])
    forms = [game[:, ::rows, ::columns] for game in (table, swapped) for rows in (1, -1) for columns in (1, -1)]
    return min(tuple(int(rank) for rank in form.flat) for form in forms)


@cache
def ordinal_forms() -> list[tuple[int, ...]]:
    """The 78 ordinal games of two players and two actions, in the order of their forms."""
    ranks = list(itertools.permutations((1, 2, 3, 4)))
    return sorted({ordinal_form(np.reshape([*a, *b], (2, 2, 2))) for a in ranks for b in ranks})


def ordinal_class(table: np.ndarray) -> int:
    """The number of an ordinal game among the 78."""
    return ordinal_forms().index(ordinal_form(table))
