"""Dishes of molecules for Chemistry, and the reactions between them.

A dish has 27 x 16 cells with walls around and one molecule on each inner cell. It holds a row of seven molecules of
energy, and the three molecules of each cycle close together, but not side by side: two such groups for each of the
first two cycles, and one for the third cycle.

With ``vary``, the letters of all molecules except the empty one are shuffled, so a letter alone means nothing. Also
drawn are the rewards, whether products are inhibited, and which of its three reactions a cycle makes food in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_numbers
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.generators.maps import exchange
from envsuite.kit import avatars

if TYPE_CHECKING:
    from envsuite.render.scene import Scene, Shape

HEIGHT, WIDTH = 16, 27

#: The letters of a map: walls, the empty molecule, three cycles of three molecules, the products x and y, their
#: inhibitors u and v, three foods, the distractor, and energy. A molecule's number is that of its letter.
LEGEND = "#.abcdefghixyuv123o*"
LETTERS = len(LEGEND)
WALL, EMPTY, CYCLES = range(3)
X, Y, U, V, FOOD, _, FOOD_3, DISTRACTOR, ENERGY = range(11, LETTERS)

#: What a molecule is while it reacts; the letter is that of texts and pictures.
BUSY, BUSY_LETTER = LETTERS, "!"

#: The most reactions of a graph, the most molecules in one, and the largest reward of one.
MOST_REACTIONS, MOST_PARTS, MOST_PAY = 24, 4, 10.0

#: The probabilities with which a molecule starts a reaction in a step, on the ground and carried, by its reactivity.
BACKGROUND, LOW, MEDIUM, HIGH = range(4)
RATES = np.array([[0.00001, 0.005, 0.001, 0.9], [0.0, 0.0025, 0.25, 0.9]])

#: The reactivity of each molecule.
REACTIVITY = np.array([BACKGROUND] * 2 + [HIGH] * 9 + [MEDIUM] * 2 + [HIGH] * 2 + [MEDIUM] * 4 + [LOW])

#: What reactions with food 1 and 2, food 3, x and y, and the distractor pay.
PAYS = np.array([1.0, 10.0, 10.0, 0.1])

#: Molecules of energy in the row.
_ROW = 7

#: The most steps to find a place.
_TRIES = 1000


def table_fields() -> list[tuple]:
    """The fields of a graph."""
    parts = MOST_REACTIONS, MOST_PARTS
    return [
        ("reactants", below(np.uint8, LETTERS), parts),  # numbers of the molecules in each reaction, then 0
        ("products", below(np.uint8, LETTERS), parts),  # what the reactant at the same place becomes
        ("pays", within(np.float64, 0, MOST_PAY), (MOST_REACTIONS,)),  # reward for each agent whose molecule reacts
        ("rates", within(np.float64, 0, 1), (2, LETTERS)),  # on the ground and carried, by the molecule
        ("reaction_count", within(np.int64, 0, MOST_REACTIONS)),
    ]


@kernel
def add(g, a, b, c, d, p, q, r, t, pay):
    """One more reaction: a, b, c and d become p, q, r and t; 0 stands for nothing."""
    k = g.reaction_count
    g.reactants[k, 0] = a
    g.reactants[k, 1] = b
    g.reactants[k, 2] = c
    g.reactants[k, 3] = d
    g.products[k, 0] = p
    g.products[k, 1] = q
    g.products[k, 2] = r
    g.products[k, 3] = t
    g.pays[k] = pay
    g.reaction_count += 1


@kernel
def cycle(g, number, turn, greedy, product, other, food):
    """Three molecules that turn into each other: one reaction makes food, one needs energy, one makes two products."""
    for k in range(3):
        first = CYCLES + 3 * number
        i, j, n = first + k, first + (k + 1) % 3, first + (k + 2) % 3
        if (k + turn) % 3 == 0:
            add(g, i, j, EMPTY, 0, j, n, food, 0, 0.0)
        elif (k + turn) % 3 == 1:
            add(g, i, j, ENERGY, 0, j, n, EMPTY if greedy else ENERGY, 0, 0.0)
        else:
            add(g, i, j, EMPTY, EMPTY, j, n, product, other, 0.0)


@large_kernel
def metabolism(g, cycles, turn, distractors, inhibition, food, treasure):
    """Fill a table with two or three cycles; `turn` in base 3 says where each of them starts."""
    for k in range(MOST_REACTIONS):
        g.reaction_count = k
        add(g, 0, 0, 0, 0, 0, 0, 0, 0, 0.0)
    g.reaction_count = 0
    for m in range(LETTERS):
        for carried in range(2):
            g.rates[carried, m] = 0.0 if m == WALL else RATES[carried, REACTIVITY[m]]
    cycle(g, 0, turn, False, X, V, FOOD)
    cycle(g, 1, turn // 3, False, Y, U, FOOD + 1)
    if cycles == 3:
        cycle(g, 2, turn // 9, True, FOOD, FOOD + 1, FOOD_3)
        add(g, FOOD_3, 0, 0, 0, EMPTY, 0, 0, 0, PAYS[1])
    if distractors:
        add(g, DISTRACTOR, 0, 0, 0, DISTRACTOR, 0, 0, 0, PAYS[3])
    for k in range(2):
        add(g, FOOD + k, 0, 0, 0, EMPTY, 0, 0, 0, food)
        add(g, EMPTY, 0, 0, 0, FOOD + k, 0, 0, 0, 0.0)
        add(g, U + k, U + k, 0, 0, EMPTY, EMPTY, 0, 0, 0.0)
        if inhibition:
            add(g, X + k, U + k, 0, 0, EMPTY, EMPTY, 0, 0, 0.0)
    add(g, X, Y, 0, 0, ENERGY, ENERGY, 0, 0, treasure)
    add(g, ENERGY, 0, 0, 0, EMPTY, 0, 0, 0, 0.0)


@large_kernel
def dish(s, map, cycles, distractors):
    """Fill `map` with a new dish."""
    for y in range(HEIGHT):
        for x in range(WIDTH):
            inside = 0 < x < WIDTH - 1 and 0 < y < HEIGHT - 1
            map[y, x] = EMPTY if inside else WALL
    y, x = HEIGHT // 3 + randint(s, HEIGHT // 3 + 1), 1 + randint(s, WIDTH - 1 - _ROW)
    for k in range(_ROW):
        map[y, x + k] = ENERGY
    for number in range(cycles):
        for _ in range(1 if number == 2 else 2):
            group(s, map, number)
    for _ in range(distractors):
        scatter(s, map, DISTRACTOR, 1, 1, HEIGHT - 2, WIDTH - 2)


@kernel
def alone(map, y, x):
    """Whether this cell and those beside it hold the empty molecule, or are walls."""
    return map[y, x] == EMPTY and max(map[y - 1, x], map[y + 1, x], map[y, x - 1], map[y, x + 1]) <= EMPTY


@kernel
def scatter(s, map, code, top, left, height, width):
    """Put a molecule somewhere in a part of the map, where it is alone."""
    for _ in range(_TRIES):
        y, x = top + randint(s, height), left + randint(s, width)
        if alone(map, y, x):
            map[y, x] = code
            break


@large_kernel
def group(s, map, number):
    """Put the three molecules of a cycle into an empty part of 3 x 5 cells."""
    top = left = 1
    for _ in range(_TRIES):
        top, left = 1 + randint(s, HEIGHT - 4), 1 + randint(s, WIDTH - 6)
        free = True
        for y in range(top, top + 3):
            for x in range(left, left + 5):
                free &= alone(map, y, x)
        if free:
            break
    for k in range(3):
        scatter(s, map, CYCLES + 3 * number + k, top, left, 3, 5)


@large_kernel
def relabel(s):
    """Give all molecules but the empty one new letters."""
    g, letters = s.level, s.scratch.letters
    for k in range(LETTERS):
        letters[k] = k
    for k in range(LETTERS - 1, CYCLES, -1):
        j = CYCLES + randint(s, k - CYCLES + 1)
        held = letters[k]
        letters[k] = letters[j]
        letters[j] = held
    for carried in range(2):
        for k in range(LETTERS):
            g.rates[carried, letters[k]] = 0.0 if k == WALL else RATES[carried, REACTIVITY[k]]
    for k in range(MOST_REACTIONS):
        for i in range(MOST_PARTS):
            g.reactants[k, i] = letters[g.reactants[k, i]]
            g.products[k, i] = letters[g.products[k, i]]
    for y in range(HEIGHT):
        for x in range(WIDTH):
            g.map[y, x] = letters[g.map[y, x]]
    for k in range(LETTERS):
        letters[k] = 0


@kernel
def make(s):
    """A new dish and its reactions."""
    cycles, some = s.params.cycles, s.params.distractors > 0
    if s.params.vary:
        food, treasure = 1.0 + randint(s, 3), 2.0 + 2 * randint(s, 5)
        metabolism(s.level, cycles, randint(s, 27), some, bernoulli(s, 0.5), food, treasure)
    else:
        metabolism(s.level, cycles, 0, some, True, PAYS[0], PAYS[2])
    dish(s, s.level.map, cycles, s.params.distractors)
    if s.params.vary:
        relabel(s)


def _numbers(text: Any, what: str) -> list[int]:
    """The numbers of molecules in a string."""
    if not isinstance(text, str) or not 1 <= len(text) <= MOST_PARTS:
        raise LevelError(f"{what} must be a string of 1 to {MOST_PARTS} letters")
    if wrong := set(text) - set(LEGEND[EMPTY:]):
        raise LevelError(f"{what} has the letter {sorted(wrong)[0]!r}; known: {' '.join(LEGEND[EMPTY:])}")
    return [LEGEND.index(letter) for letter in text]


def read_reactions(g: Any, reactions: Any, name: str) -> None:
    """Fill the reactions of a table from plain data, or raise `LevelError` that begins with this name."""
    if not isinstance(reactions, list) or len(reactions) > MOST_REACTIONS:
        raise LevelError(f"{name}: the level's reactions must be a list of at most {MOST_REACTIONS}")
    g.reactants[:], g.products[:], g.pays[:] = 0, 0, 0
    g.reaction_count = len(reactions)
    for k, reaction in enumerate(reactions):
        what = f"{name}: the level's reaction {k}"
        if not isinstance(reaction, Mapping) or not {"from", "to"} <= set(reaction) <= {"from", "to", "reward"}:
            raise LevelError(f"{what} must have the parts 'from', 'to' and, if it pays, 'reward'")
        before, after = _numbers(reaction["from"], f"{what}: 'from'"), _numbers(reaction["to"], f"{what}: 'to'")
        if len(before) != len(after):
            raise LevelError(f"{what} makes {len(after)} molecules from {len(before)}; it must make as many")
        g.reactants[k, : len(before)], g.products[k, : len(after)] = before, after
        g.pays[k] = read_numbers(reaction.get("reward", 0), f"{what}: 'reward'", (), 0, MOST_PAY)


def read_rates(g: Any, rates: Any, name: str) -> None:
    """Fill the rates of a table from plain data, or raise `LevelError` that begins with this name."""
    if not isinstance(rates, Mapping) or set(rates) - set(LEGEND[EMPTY:]):
        raise LevelError(f"{name}: the level's rates must have keys among {' '.join(LEGEND[EMPTY:])}")
    g.rates[:] = 0
    for letter, pair in rates.items():
        found = read_numbers(pair, f"{name}: the level's rate of {letter!r}", (2,), 0, 1)
        g.rates[:, LEGEND.index(letter)] = found


def read_map(level: Mapping[str, Any], name: str) -> np.ndarray:
    """The map of a level, or `LevelError` that begins with this name."""
    known_parts(name, level, {"kind", "map", "reactions", "rates"})
    return avatars.read_map(level["map"], LEGEND, HEIGHT, WIDTH, name)


def letters_of(row: Any) -> str:
    """The molecules of one side of a reaction."""
    return "".join(LEGEND[k] for k in np.asarray(row)[np.asarray(row) > 0])


def write_table(g: Any) -> dict[str, Any]:
    """The reactions and rates of a table as plain data."""
    reactions: list[dict[str, Any]] = []
    for k in range(int(g.reaction_count)):
        reactions.append({"from": letters_of(g.reactants[k]), "to": letters_of(g.products[k])})
        if g.pays[k]:
            reactions[-1]["reward"] = float(g.pays[k])
    used = np.flatnonzero(np.asarray(g.rates).any(0)).tolist()
    return {"reactions": reactions, "rates": {LEGEND[k]: np.asarray(g.rates)[:, k].tolist() for k in used}}


class ReactionGraphs(Generator):
    """Dishes of molecules, 27 x 16 cells, and the reactions between them.

    Args:
        cycles: cycles of three molecules, 2 or 3; the third one uses energy up.
        distractors: molecules that pay whoever carries them, from 0 to 20.
        vary: whether letters, rewards and other details are drawn too; else they are those of Chemistry.
    """

    make = make
    change = exchange

    def __init__(
        self,
        cycles: Annotated[int, Between(2, 3)] = 2,
        distractors: Annotated[int, Between(0, 20)] = 0,
        vary: bool = True,
    ) -> None:
        inside = np.pad(np.full((HEIGHT - 2, WIDTH - 2), LETTERS - 1), 1)
        self.define(
            level=[("map", within(np.uint8, 0, inside), (HEIGHT, WIDTH)), *table_fields()],
            params={"cycles": cycles, "distractors": distractors, "vary": np.array(int(vary), flag(np.int64))},
            scratch=[("letters", below(np.int64, LETTERS), (LETTERS,))],
        )

    def decode(self, s: Any) -> dict[str, Any]:
        return {"map": avatars.write_map(s.level.map, LEGEND), **write_table(s.level)}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.map[:] = read_map(level, "reaction_graphs")
        read_reactions(s.level, level["reactions"], "reaction_graphs")
        read_rates(s.level, level["rates"], "reaction_graphs")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the numbers of "molecules" that are not empty, and of "reactions".

        A level is solvable if some order of reactions leads to one that pays. Its difficulty is the share of
        molecules in reactions that are not there at the start.
        """
        there = set("".join(level["map"])) - {"#"}
        needed = {letter for reaction in level["reactions"] for letter in reaction["from"] + reaction["to"]}
        missing, reached = len(needed - there), set(there)
        for _ in level["reactions"]:
            for reaction in level["reactions"]:
                if reached.issuperset(reaction["from"]):
                    reached |= set(reaction["to"])
        paying = [reaction for reaction in level["reactions"] if reaction.get("reward")]
        return {
            "size": [WIDTH, HEIGHT],
            "solvable": any(reached.issuperset(reaction["from"]) for reaction in paying),
            "difficulty": round(missing / max(len(needed), 1), 6),
            "molecules": sum(letter not in "#." for row in level["map"] for letter in row),
            "reactions": len(level["reactions"]),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The dish."""
        from envsuite.render.scene import Rect, Scene

        scene = Scene(WIDTH, HEIGHT, background="floor")
        for y, row in enumerate(level["map"]):
            for x, letter in enumerate(row):
                if letter == "#":
                    scene.add(Rect(x, y, 1, 1, "wall"))
                else:
                    scene.add(*molecule(x + 0.5, y + 0.5, LEGEND.index(letter)))
        return scene


#: The colors of molecules by number; those of a cycle and its product are alike.
_COLORS = (
    "",
    "",
    *["sky"] * 3,
    *["green"] * 3,
    *["orange"] * 3,
    "blue",
    "leaf",
    "grey",
    "grey",
    *["gold"] * 3,
    "purple",
    "red",
)


def molecule(x: float, y: float, number: int, size: float = 1.0) -> list[Shape]:
    """A molecule around a point: a diamond, a food that is round, or a white square while it reacts."""
    from envsuite.render.scene import Circle, Label, Polygon, Rect
    from envsuite.render.theme import text_on

    if number <= EMPTY:
        return []
    if number == BUSY:
        half = 0.36 * size
        return [Rect(x - half, y - half, 2 * half, 2 * half, "white", "black", 0.06 * size, 0.1 * size, BUSY_LETTER)]
    color, letter, half = _COLORS[number], LEGEND[number], 0.42 * size
    body: Shape
    if FOOD <= number <= DISTRACTOR:
        body = Circle(x, y, 0.32 * size, color, "black", 0.04 * size, letter)
    else:
        corners = [(x, y - half), (x + half, y), (x, y + half), (x - half, y)]
        body = Polygon(corners, color, "black", 0.04 * size, glyph=letter)
    return [body, Label(x, y, letter, 0.42 * size, text_on(color), bold=True, terminal=False)]
