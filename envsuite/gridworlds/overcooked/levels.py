"""Kitchens for Overcooked: every order can be completed, with a hand-over where chefs are separated.

A kitchen is proposed and then tested. A proposal has counters all around. In some kitchens, a row of counters from wall
to wall separates the chefs. Then come counters at random places on the floor, the chefs, and the stations, each at a
random counter that some chef reaches. A proposal is kept if it is *sound*:

- With only one chef at work at a time, while the others stand where they started, every order can be cooked and served.
- Things can be passed from any chef to any other over counters that both reach.

Chefs that block one another thus never make an order impossible.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

import numpy as np

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import within
from envsuite.core.record import as_views
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, Shape
from envsuite.render.theme import agent_color, agent_sign

#: The codes of cells, and their letters in a level. OUTSIDE lies around a level that is smaller than its world.
FLOOR, POT, COUNTER, ONIONS, TOMATOES, DISHES, SERVING, OUTSIDE = range(8)
LEGEND = " PXOTDS"

#: The letters of the cells where chefs start.
_STARTS = "123456789"
#: What hands and counters hold: nothing, a thing, or SOUP + its recipe. A pot holds a recipe, 0 while empty.
NOTHING, ONION, TOMATO, DISH = range(4)
SOUP = 16
IDLE = -1
_KIND = 7
#: Marks on cells while a kitchen is tested: a chef starts here; chef a, 16 << a, gets here or reaches this counter.
_OCCUPIED, _FIRST_MARK = 8, 4

#: Soups by number, onions + 4 * tomatoes, and their names; the other numbers are no soups.
RECIPES = {o + 4 * t: "o" * o + "t" * t for t in range(4) for o in range(4) if 0 < o + t <= 3}
NUMBERS = {name: number for number, name in RECIPES.items()}

#: North, south, east, west.
_DY = np.array([-1, 1, 0, 0])
_DX = np.array([0, 0, 1, -1])

CHEFS = 4
MOST_VALUE, MOST_TIME = 100, 200
SMALLEST, LARGEST = (5, 4), (20, 20)
#: The most that each number pays, 0 if it is no soup.
HIGHEST = np.array([MOST_VALUE * (k in RECIPES) for k in range(16)])

#: The stations of a kitchen in the order in which they are placed, and the probability of each second one.
_STATIONS = np.array([POT, DISHES, SERVING, ONIONS, TOMATOES, POT, ONIONS, TOMATOES])
_FIRSTS, _SECOND = 5, 0.5
#: After this number of failed proposals, only open kitchens are proposed; one is always found.
_PATIENCE = 200


@large_kernel
def kitchen(s):
    """Fill `s.level` with a random kitchen in which each order can be completed.

    `s.params` has the soups' `values` and `times`, the probability `divided` that the chefs are separated, and the
    share `counters` of the floor that becomes counters.
    """
    s.level.height, s.level.width = s.level.cells.shape
    for k in range(16):
        s.level.values[k] = s.params.values[k]
        s.level.times[k] = s.params.times[k]
    tries = 0
    while True:
        patient = tries < _PATIENCE
        divided = patient and bernoulli(s, s.params.divided)
        lay_floor(s, divided, s.params.counters if patient else 0.0)
        if place_stations(s) and sound(s):
            return
        tries += 1


@kernel
def lay_floor(s, divided, share):
    """Put counters around the floor and on a share of it, a row of them across if `divided`, and the chefs."""
    cells, start = s.level.cells, s.level.start
    height, width = s.level.height, s.level.width
    upright = width > height or (width == height and bernoulli(s, 0.5))
    across = 2 + randint(s, (width if upright else height) - 4)
    for y in range(height):
        for x in range(width):
            inside = 0 < x < width - 1 and 0 < y < height - 1
            row = divided and (x if upright else y) == across
            cells[y, x] = FLOOR if inside and not row and not bernoulli(s, share) else COUNTER
    for a in range(start.shape[0]):
        start[a, 0] = 0
        start[a, 1] = 0
        for _ in range(100):
            y, x = 1 + randint(s, height - 2), 1 + randint(s, width - 2)
            side = (x if upright else y) < across
            if cells[y, x] == FLOOR and not (divided and a < 2 and side != (a == 0)):
                start[a, 0] = y
                start[a, 1] = x
                cells[y, x] |= _OCCUPIED
                break
    if divided and bernoulli(s, 0.5) and start[0, 0] > 0 and start[1, 0] > 0:
        for k in range(2):  # either chef may be on either side
            held = start[0, k]
            start[0, k] = start[1, k]
            start[1, k] = held


@large_kernel
def place_stations(s):
    """Turn reached counters into stations, and unreachable floor into counters; return whether all found a place."""
    cells, values = s.level.cells, s.level.values
    for a in range(s.level.start.shape[0]):
        if s.level.start[a, 0] == 0:
            return False
    mark(s)
    for y in range(s.level.height):
        for x in range(s.level.width):
            if cells[y, x] == FLOOR:
                cells[y, x] = COUNTER
    ordered = 0
    for k in range(16):
        if values[k] > 0.0:
            ordered |= (k & 3 > 0) << ONIONS | (k >> 2 > 0) << TOMATOES
    for k in range(_STATIONS.shape[0]):
        kind, second = _STATIONS[k], k >= _FIRSTS
        if (kind == ONIONS or kind == TOMATOES) and ordered >> kind & 1 == 0:
            continue
        if not (second and bernoulli(s, 1.0 - _SECOND)) and not place(s, kind) and not second:
            return False
    return True


@large_kernel
def place(s, kind):
    """Put a station on a random counter that a chef reaches; False if there is none."""
    cells = s.level.cells
    height, width = s.level.height, s.level.width
    count = 0
    for y in range(height):
        for x in range(width):
            count += cells[y, x] & _KIND == COUNTER and cells[y, x] >> _FIRST_MARK > 0
    if count == 0:
        return False
    left = randint(s, count)
    for y in range(height):
        for x in range(width):
            if cells[y, x] & _KIND == COUNTER and cells[y, x] >> _FIRST_MARK > 0:
                if left == 0:
                    cells[y, x] += kind - COUNTER
                left -= 1
    return True


@large_kernel
def mark(s):
    """Mark for each chef which cells it gets to and reaches while the others stand at their starts."""
    cells, start = s.level.cells, s.level.start
    clear_marks(s)
    for a in range(start.shape[0]):
        cells[start[a, 0], start[a, 1]] |= _OCCUPIED
    for a in range(start.shape[0]):
        own = 1 << (_FIRST_MARK + a)
        cells[start[a, 0], start[a, 1]] = own
        grown = True
        while grown:
            grown = False
            for y in range(1, s.level.height - 1):
                for x in range(1, s.level.width - 1):
                    if cells[y, x] & (_KIND | _OCCUPIED | own) == own:  # floor that the chef gets to
                        for k in range(4):
                            j, i = y + _DY[k], x + _DX[k]
                            if cells[j, i] & (own | _OCCUPIED) == 0:
                                cells[j, i] |= own
                                grown = True
        cells[start[a, 0], start[a, 1]] |= _OCCUPIED


@large_kernel
def clear_marks(s):
    """Remove all marks from the cells."""
    cells = s.level.cells
    for y in range(s.level.height):
        for x in range(s.level.width):
            cells[y, x] &= _KIND


@large_kernel
def sound(s):
    """Whether every soup can be made with one chef at work at a time.

    This is so if all chefs can hand things to one another, a chef reaches each station that the orders need, and all
    floor can be walked. Then the parts of any soup can be brought to any pot, and the soup can be served.
    """
    mark(s)
    reached, orders = 0, 0
    good = linked(s)
    for y in range(s.level.height):
        for x in range(s.level.width):
            cell = s.level.cells[y, x]
            good &= cell != FLOOR  # no chef gets there
            reached |= (cell >> _FIRST_MARK != 0) << (cell & _KIND)
    for k in range(16):
        if s.level.values[k] > 0.0:
            orders |= 1 << POT | 1 << DISHES | 1 << SERVING | (k & 3 > 0) << ONIONS | (k >> 2 > 0) << TOMATOES
    clear_marks(s)
    return good and orders != 0 and reached & orders == orders


@large_kernel
def linked(s):
    """Whether things can be passed from any chef to any other, over counters that both of two chefs reach."""
    chefs, more = 1, True
    while more:
        more = False
        for y in range(s.level.height):
            for x in range(s.level.width):
                cell = np.int64(s.level.cells[y, x])
                here = cell >> _FIRST_MARK
                if cell & _KIND == COUNTER and here & chefs and here | chefs != chefs:
                    chefs |= here
                    more = True
    return chefs == (1 << s.level.start.shape[0]) - 1


@large_kernel
def change(s):
    """Swap two stations, or a station and a counter; or turn a floor cell into a counter, or back; still sound."""
    cells = s.level.cells
    height, width = s.level.height, s.level.width
    for _ in range(200):
        y, x = randint(s, height), randint(s, width)
        before = cells[y, x]
        if bernoulli(s, 0.5):
            j, i = randint(s, height), randint(s, width)
            other = cells[j, i]
            if before != other and before != FLOOR and other != FLOOR:
                cells[y, x] = other
                cells[j, i] = before
                if sound(s):
                    return
                cells[j, i] = other
                cells[y, x] = before
        elif 0 < y < height - 1 and 0 < x < width - 1 and not starts(s, y, x):
            if before == FLOOR or before == COUNTER:
                cells[y, x] = FLOOR if before == COUNTER else COUNTER
                if sound(s):
                    return
                cells[y, x] = before


@kernel
def starts(s, y, x):
    """Whether a chef starts here."""
    found = False
    for a in range(s.level.start.shape[0]):
        found |= s.level.start[a, 0] == y and s.level.start[a, 1] == x
    return found


# Levels as plain data.


def level_fields(width: int, height: int, chefs: int) -> list[tuple]:
    """The fields of a level: size, cells, starts of chefs (y, x), and each soup's value and cooking time.

    `width` and `height` are the room for a level. Loops over its own size are not unrolled, because that compiles
    slowly.
    """
    walls = np.pad(np.full((height - 2, width - 2), FLOOR), 1, constant_values=POT)  # no floor at the edge
    return [
        ("height", within(np.int64, 3, height)),
        ("width", within(np.int64, 3, width)),
        ("cells", within(np.uint8, walls, OUTSIDE), (height, width)),
        ("start", within(np.int64, 1, (height - 2, width - 2)), (chefs, 2)),
        ("values", within(np.float64, 0, HIGHEST), (16,)),
        ("times", within(np.int64, 1, MOST_TIME), (16,)),
    ]


def tables(values: Mapping[str, float], times: Mapping[str, int], error: type[ValueError]) -> tuple[list, list]:
    """The value and cooking time of each soup, by number; soups that are not named pay 0 and take 20 steps."""
    for name, given in (("values", values), ("times", times)):
        if not isinstance(given, Mapping):
            raise error(f"{name} must be a mapping from soups to numbers, not {given!r:.60}")
    if not values:
        raise error("values must name a soup or more: {'ooo': 20} is an order of three onions for 20")
    paid, cooking = [0.0] * 16, [20] * 16
    for name, value in values.items():
        if name not in NUMBERS:
            raise error(f"values: no soup is called {name!r}; a name has an 'o' per onion, then a 't' per tomato")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= MOST_VALUE:
            raise error(f"values: the soup {name!r} must pay more than 0 and up to {MOST_VALUE}, not {value!r}")
        paid[NUMBERS[name]] = float(value)
    for name, time in times.items():
        if name not in NUMBERS:
            raise error(f"times: no soup is called {name!r}; a name has an 'o' per onion, then a 't' per tomato")
        if isinstance(time, bool) or not isinstance(time, int) or not 1 <= time <= MOST_TIME:
            raise error(f"times: the soup {name!r} must cook for 1 to {MOST_TIME} steps, not {time!r}")
        cooking[NUMBERS[name]] = time
    return paid, cooking


def read(rows: Sequence[str], chefs: int, width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """The cells (height, width) and starts (chefs, 2) of a layout, or `LevelError`; smaller ones stand top left."""
    if isinstance(rows, str) or not all(isinstance(row, str) for row in rows) or len(set(map(len, rows))) != 1:
        raise LevelError("the layout must be a list of equally long strings")
    high, wide = len(rows), len(rows[0])
    if not (3 <= high <= height and 3 <= wide <= width):
        raise LevelError(f"the layout is {wide} wide and {high} high; 3 x 3 to {width} x {height} are allowed here")
    cells = np.full((height, width), OUTSIDE, np.uint8)
    start = np.zeros((chefs, 2), np.int64)
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            edge = y in (0, high - 1) or x in (0, wide - 1)
            if letter not in LEGEND and letter not in _STARTS:
                raise LevelError(f"the layout has the letter {letter!r} at x={x}, y={y}; known: {LEGEND!r} and digits")
            if edge and (letter == " " or letter in _STARTS):
                raise LevelError(f"the layout must have counters or stations all around, not {letter!r}, x={x}, y={y}")
            if letter in _STARTS[:chefs]:
                start[_STARTS.index(letter)] = y, x
            cells[y, x] = FLOOR if letter in _STARTS else LEGEND.index(letter)
    digits = sorted(letter for row in rows for letter in row if letter in _STARTS)
    if digits != [str(a + 1) for a in range(chefs)]:
        found = "".join(digits) or "for nobody"
        raise LevelError(f"the layout has starts {found}; {chefs} chefs need each of 1 to {chefs} once")
    for kind, what in ((POT, "pot ('P')"), (DISHES, "dish rack ('D')"), (SERVING, "serving window ('S')")):
        if not (cells == kind).any():
            raise LevelError(f"the layout has no {what}")
    return cells, start


def fill(s: Any, level: Mapping[str, Any], values: Any, times: Any) -> None:
    """Fill `s.level` from plain data; soups are given by `values` and `times` (16,) unless the level has its own."""
    if unknown := set(level) - {"kind", "layout", "values", "times"}:
        raise LevelError(f"the level has an unknown part {min(unknown)!r}; known: layout, values, times")
    height, width = s.level.cells.shape
    cells, start = read(level["layout"], len(s.level.start), width, height)
    if "values" in level or "times" in level:
        named = level.get("values", {RECIPES[k]: float(values[k]) for k in RECIPES if values[k] > 0})
        values, times = tables(named, level.get("times", {RECIPES[k]: int(times[k]) for k in RECIPES}), LevelError)
    orders = [k for k in RECIPES if values[k] > 0]
    if not any(Floor(cells, start, ghosts=True).plan(k, int(times[k])) for k in orders):
        names = ", ".join(RECIPES[k] for k in orders)
        raise LevelError(f"no order ({names}) can be completed: its chefs cannot bring together what that takes")
    s.level.height, s.level.width = (cells != OUTSIDE).any(axis=1).sum(), (cells != OUTSIDE).any(axis=0).sum()
    s.level.cells, s.level.start = cells, start
    s.level.values, s.level.times = values, times


def layout(s: Any) -> list[str]:
    """The rows of a record's level."""
    letters = [[LEGEND[code] for code in row[: s.level.width]] for row in s.level.cells[: s.level.height]]
    for a, (y, x) in enumerate(s.level.start):
        letters[y][x] = str(a + 1)
    return ["".join(row) for row in letters]


def plain(s: Any) -> dict[str, Any]:
    """A record's level as plain data."""
    values = {name: float(s.level.values[k]) for k, name in RECIPES.items() if s.level.values[k] > 0}
    times = {name: int(s.level.times[k]) for k, name in RECIPES.items()}
    return {"layout": layout(s), "values": values, "times": times}


# The solver, in plain Python; it shares nothing with the kernels above.

#: The actions of Overcooked, as (dy, dx): north, south, east, west.
_STEPS = ((-1, 0), (1, 0), (0, 1), (0, -1))
STAY, INTERACT = 4, 5
Cell = tuple[int, int]


class Floor:
    """Where the chefs of a level get to, and what they reach, while the others stand at their starts.

    With `ghosts`, chefs do not block the way.
    """

    def __init__(self, cells: np.ndarray, start: np.ndarray, ghosts: bool = False):
        height, width = cells.shape
        self.kinds: dict[Cell, int] = {(y, x): int(cells[y, x]) for y in range(height) for x in range(width)}
        self.start: list[Cell] = [(int(y), int(x)) for y, x in start]
        self.walks = [self._around(a, ghosts) for a in range(len(self.start))]
        self.touched = [
            {near for cell in walk for near, _ in self._beside(cell) if self.kinds[near] not in (FLOOR, OUTSIDE)}
            for walk in self.walks
        ]

    def _beside(self, cell: Cell) -> list[tuple[Cell, int]]:
        near = [((cell[0] + dy, cell[1] + dx), k) for k, (dy, dx) in enumerate(_STEPS)]
        return [(other, k) for other, k in near if other in self.kinds]

    def _around(self, a: int, ghosts: bool) -> set[Cell]:
        blocked = set() if ghosts else set(self.start) - {self.start[a]}
        seen, todo = {self.start[a]}, [self.start[a]]
        while todo:
            for near, _ in self._beside(todo.pop()):
                if self.kinds[near] == FLOOR and near not in seen and near not in blocked:
                    seen.add(near)
                    todo.append(near)
        return seen

    def _chain(self, first: Iterable[int], last: set[int]) -> list[tuple[int, Cell | None]] | None:
        """A shortest chain of chefs from one of `first` to one of `last`; with each, the counter that it takes things
        from.
        """
        chains: deque[list[tuple[int, Cell | None]]] = deque([[(a, None)] for a in sorted(first)])
        seen = set(first)
        while chains:
            chain = chains.popleft()
            a = chain[-1][0]
            if a in last:
                return chain
            for b in sorted(set(range(len(self.start))) - seen):
                shared = sorted(c for c in self.touched[a] & self.touched[b] if self.kinds[c] == COUNTER)
                if shared:
                    seen.add(b)
                    chains.append([*chain, (b, shared[0])])
        return None

    def _walk(self, a: int, place: Cell, target: Cell) -> tuple[list[int], Cell]:
        """The actions that take a chef beside a target, or onto it if it is floor, and the chef's place after them."""
        todo, came = deque([place]), {place: (place, -1)}
        goal = None
        while todo and goal is None:
            cell = todo.popleft()
            for near, k in self._beside(cell):
                if cell == target or near == target and self.kinds[near] != FLOOR:
                    goal = cell
                elif near in self.walks[a] and near not in came:
                    came[near] = (cell, k)
                    todo.append(near)
        assert goal is not None
        moves, cell = [], goal
        while cell != place:
            cell, k = came[cell]
            moves.append(k)
        return moves[::-1], goal

    def _errand(self, a: int, targets: Sequence[Cell]) -> list[tuple[int, int]]:
        """Chef `a` goes from its start to each of the targets in turn, interacts with it, and comes back."""
        place, moves = self.start[a], []
        for target in targets:
            steps, place = self._walk(a, place, target)
            turn = [k for near, k in self._beside(place) if near == target]
            moves += [*steps, *turn, INTERACT]
        back, _ = self._walk(a, place, self.start[a])
        return [(a, move) for move in (*moves, *back)]

    def _reaching(self, kind: int, a: int | None = None) -> list[tuple[int, Cell]]:
        """Which chefs, or whether chef `a`, reach which stations of a kind."""
        chefs = range(len(self.start)) if a is None else [a]
        return [(b, cell) for b in chefs for cell in sorted(self.touched[b]) if self.kinds[cell] == kind]

    def _bring(self, kind: int, cell: Cell) -> list[tuple[int, int]] | None:
        """The moves that bring a thing from a dispenser to a pot."""
        cooks = {b for b in range(len(self.start)) if cell in self.touched[b]}
        chain = self._chain({b for b, _ in self._reaching(kind)}, cooks)
        if chain is None:
            return None
        first = self._reaching(kind, chain[0][0])[0][1]
        return self._pass(chain, first, cell)

    def _pass(self, chain: Sequence[tuple[int, Cell | None]], first: Cell, last: Cell) -> list[tuple[int, int]]:
        moves: list[tuple[int, int]] = []
        for k, (a, given) in enumerate(chain):
            after = chain[k + 1][1] if k + 1 < len(chain) else last
            assert after is not None
            moves += self._errand(a, [given or first, after])
        return moves

    def plan(self, recipe: int, time: int) -> list[tuple[int, int]] | None:
        """Moves (chef, action), one chef after another, that cook and serve a soup, or None if that is impossible."""
        for _, pot in sorted(set(self._reaching(POT)), key=lambda found: found[1]):
            moves: list[tuple[int, int]] = []
            parts = [self._bring(ONIONS, pot)] * (recipe & 3) + [self._bring(TOMATOES, pot)] * (recipe >> 2)
            if any(part is None for part in parts):
                continue
            for part in parts:
                moves += part or []
            cooks = {a for a in range(len(self.start)) if pot in self.touched[a]}
            moves += [*self._errand(min(cooks), [pot]), *[(0, STAY)] * time]
            served = self._serve(pot, cooks)
            if served is not None:
                return moves + served
        return None

    def _serve(self, pot: Cell, cooks: set[int]) -> list[tuple[int, int]] | None:
        """The moves that bring a dish to a pot, fill it and serve it."""
        servers = {a for a, _ in self._reaching(SERVING)}
        for cook in sorted(cooks):
            before = self._chain({a for a, _ in self._reaching(DISHES)}, {cook})
            after = self._chain({cook}, servers)
            if before is None or after is None:
                continue
            rack = self._reaching(DISHES, before[0][0])[0][1]
            window = self._reaching(SERVING, after[-1][0])[0][1]
            moves: list[tuple[int, int]] = []
            for k, (a, given) in enumerate(before[:-1]):
                following = before[k + 1][1]
                assert following is not None
                moves += self._errand(a, [given or rack, following])
            taken = before[-1][1] or rack
            given_on = after[1][1] if len(after) > 1 else window
            assert given_on is not None
            moves += self._errand(cook, [taken, pot, given_on])
            if len(after) > 1:
                moves += self._pass(after[1:], given_on, window)
            return moves
        return None

    def hand_overs(self) -> int:
        """The number of counters reached by two chefs that cannot get to each other."""
        return sum(
            self.kinds[cell] == COUNTER
            and any(
                cell in self.touched[a] and cell in self.touched[b] and not self.walks[a] & self.walks[b]
                for a in range(len(self.start))
                for b in range(a)
            )
            for cell in self.kinds
        )


class Kitchen(Generator):
    """Kitchens of `width` x `height` cells for 2 to 4 chefs.

    Args:
        divided: probability that a row of counters separates chefs, if there is room.
        counters: share of the floor that becomes counters.
        values: the orders, by name of the soup, and their values.
        times: cooking times of soups; 20 steps for soups not named.
    """

    make = kitchen
    change = change

    def __init__(
        self,
        width: Annotated[int, Between(SMALLEST[0], LARGEST[0])] = 7,
        height: Annotated[int, Between(SMALLEST[1], LARGEST[1])] = 5,
        chefs: Annotated[int, Between(2, CHEFS)] = 2,
        divided: Annotated[float, Between(0, 1)] = 0.5,
        counters: Annotated[float, Between(0, 0.5)] = 0.1,
        values: Mapping[str, float] | None = None,
        times: Mapping[str, int] | None = None,
    ):
        paid, cooking = tables({"ooo": 20} if values is None else values, times or {}, ParameterError)
        self.define(
            level=level_fields(width, height, chefs),
            params={"values": paid, "times": cooking, "divided": float(divided), "counters": float(counters)},
        )

    def decode(self, s: Any) -> dict[str, Any]:
        return plain(s)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        fill(s, level, s.params.values, s.params.times)

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Kitchen:
        rows = level["layout"]
        width, height = max(len(rows[0]), SMALLEST[0]), max(len(rows), SMALLEST[1])
        if width > LARGEST[0] or height > LARGEST[1]:
            raise LevelError(f"the layout is {width} wide and {height} high; up to {LARGEST} are allowed")
        chefs = sum(letter in _STARTS for row in rows for letter in row)
        return cls(width, height, chefs=min(max(chefs, 2), CHEFS))

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """Figures of a kitchen.

        "plan" is the number of steps that a soup takes with one chef at work at a time: the mean over the orders, which
        is also the difficulty. "rooms" is the number of rooms with chefs, and "hand_overs" the number of counters that
        join them.
        """
        s = as_views(self.records(1))[0]
        self.encode(s, level)
        floor, ghosts = Floor(s.level.cells, s.level.start), Floor(s.level.cells, s.level.start, ghosts=True)
        plans = [floor.plan(k, int(s.level.times[k])) for k in RECIPES if s.level.values[k] > 0]
        solvable = all(plan is not None for plan in plans)
        steps = sum(len(plan or ()) for plan in plans) / len(plans) if solvable else float("inf")
        return {
            "size": (len(level["layout"]), len(level["layout"][0])),
            "solvable": solvable,
            "difficulty": steps,
            "rooms": len({min(walk) for walk in ghosts.walks}),
            "hand_overs": ghosts.hand_overs(),
            "pots": sum(row.count("P") for row in level["layout"]),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        s = as_views(self.records(1))[0]
        self.encode(s, level)
        cells = s.level.cells[: s.level.height, : s.level.width]
        return picture(cells, [(int(y), int(x), 1, 0) for y, x in s.level.start])


# Pictures.

_AHEAD = ((0.0, -1.0), (0.0, 1.0), (1.0, 0.0), (-1.0, 0.0))


def picture(cells: np.ndarray, chefs: Iterable[tuple[int, int, int, int]]) -> Scene:
    """A kitchen with its chefs, each (y, x, facing, held), and with empty counters and pots."""
    scene = Scene(cells.shape[1], cells.shape[0])
    for y, x in np.argwhere(cells != OUTSIDE):
        scene.add(*_cell(int(x), int(y), int(cells[y, x])))
    for a, (y, x, facing, held) in enumerate(chefs):
        scene.add(*_chef(x + 0.5, y + 0.5, facing, a, held))
    return scene


@lru_cache(4096)
def _cell(x: int, y: int, kind: int) -> tuple[Shape, ...]:
    """A cell from its top left corner."""
    if kind == FLOOR:
        return (Rect(x, y, 1, 1, "floor" if (x + y) % 2 else "white", glyph=""),)
    shapes: list[Shape] = [
        Rect(x, y, 1, 1, "brown"),
        Rect(x + 0.035, y + 0.035, 0.93, 0.93, "square", radius=0.08),
        Rect(x + 0.075, y + 0.075, 0.85, 0.85, "soil", radius=0.06),
    ]
    middle = x + 0.5, y + 0.5
    if kind == POT:
        shapes += [
            Rect(x + 0.035, y + 0.035, 0.93, 0.93, "wall", radius=0.08),
            Circle(*middle, 0.41, "black", glyph=""),
            Line([(x + 0.06, y + 0.5), (x + 0.94, y + 0.5)], "muted", 0.14),
            Circle(*middle, 0.345, "grey", "line", 0.05, glyph=""),
            Circle(*middle, 0.275, "black", glyph=""),
        ]
    elif kind in (ONIONS, TOMATOES):
        thing = ONION if kind == ONIONS else TOMATO
        shapes += [
            Rect(x + 0.1, y + 0.12, 0.8, 0.78, "brown", "shadow@0.35", 0.03, 0.06),
            Rect(x + 0.17, y + 0.19, 0.66, 0.64, "shadow@0.35", radius=0.04),
        ]
        for dx, dy in ((-0.16, -0.11), (0.17, -0.09), (0.0, 0.15)):
            shapes += draw_thing(middle[0] + dx, middle[1] + dy, thing, 0.72)
    elif kind == DISHES:
        for k in range(3):
            shapes += _plate(middle[0] + 0.03 * (k - 1), middle[1] + 0.09 - 0.09 * k, 1.12)
    elif kind == SERVING:
        shapes += [
            Rect(x + 0.035, y + 0.035, 0.93, 0.93, "felt", radius=0.08),
            Rect(x + 0.13, y + 0.13, 0.74, 0.74, None, "white@0.55", 0.03, 0.05),
            Rect(x + 0.24, y + 0.66, 0.52, 0.07, "white", radius=0.03),
            Polygon(_dome(x + 0.5, y + 0.64, 0.22), "gold"),
            Circle(x + 0.5, y + 0.37, 0.05, "gold", glyph=""),
        ]
    return *shapes, Rect(*middle, 0, 0, None, glyph=LEGEND[kind])


def _dome(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """The upper half of a disc."""
    angles = np.linspace(np.pi, 2 * np.pi, 17)
    return [(x + radius * float(np.cos(angle)), y + radius * float(np.sin(angle))) for angle in angles]


def _plate(x: float, y: float, size: float = 1.0) -> list[Shape]:
    return [
        Circle(x, y + 0.02 * size, 0.27 * size, "shadow@0.25", glyph=""),
        Circle(x, y, 0.26 * size, "white", "line", 0.025 * size, glyph="d"),
        Circle(x, y, 0.16 * size, None, "line", 0.02 * size, glyph=""),
    ]


@lru_cache(4096)
def draw_thing(x: float, y: float, thing: int, size: float = 1.0) -> Sequence[Shape]:
    """A thing in hands or on a counter."""
    if thing == ONION:
        tip = [(x + dx * size, y + dy * size) for dx, dy in ((-0.07, -0.1), (0.0, -0.27), (0.07, -0.1))]
        shapes: list[Shape] = [
            Polygon(tip, "gold"),
            Circle(x, y + 0.03 * size, 0.18 * size, "gold", "brown@0.6", 0.02 * size, glyph="o"),
        ]
        for bend in (-1, 0, 1):  # the lines of its skin
            skin = [(x + bend * dx * size, y + dy * size) for dx, dy in ((0.02, -0.12), (0.1, 0.03), (0.04, 0.18))]
            shapes.append(Line(skin, "brown@0.45", 0.02 * size))
        return shapes
    if thing == TOMATO:
        star = [
            (x + radius * float(np.sin(k * np.pi / 5)), y - 0.12 * size - radius * float(np.cos(k * np.pi / 5)))
            for k, radius in enumerate((0.12 * size, 0.04 * size) * 5)
        ]
        return [
            Circle(x, y + 0.03 * size, 0.19 * size, "red", "shadow@0.2", 0.02 * size, glyph="t"),
            Circle(x - 0.07 * size, y + 0.01 * size, 0.04 * size, "white@0.5", glyph=""),
            Polygon(star, "leaf"),
        ]
    if thing == DISH:
        return _plate(x, y, size)
    return _plate(x, y, 1.1 * size) + _soup(x, y, thing - SOUP, 0.19 * size)


def _soup(x: float, y: float, recipe: int, radius: float) -> list[Shape]:
    """The surface of a soup, with its parts in it."""
    onions, tomatoes = recipe & 3, recipe >> 2
    shapes: list[Shape] = [Circle(x, y, radius, "orange" if tomatoes > onions else "yellow", glyph="s")]
    for k in range(onions + tomatoes):
        angle = 2 * np.pi * k / (onions + tomatoes) - np.pi / 2
        dx, dy = 0.52 * radius * float(np.cos(angle)), 0.52 * radius * float(np.sin(angle))
        shapes.append(
            Circle(x + dx, y + dy, 0.3 * radius, "gold" if k < onions else "red", "shadow@0.3", 0.1 * radius, glyph="")
        )
    return shapes


def draw_broth(x: float, y: float, recipe: int, tick: int, time: int) -> list[Shape]:
    """The content of a pot, and how far it has cooked."""
    if recipe == 0:
        return []
    if tick == IDLE:
        thing = [ONION] * (recipe & 3) + [TOMATO] * (recipe >> 2)
        places = (((0.0, 0.0),), ((-0.11, 0.0), (0.11, 0.0)), ((0.0, -0.11), (-0.12, 0.08), (0.12, 0.08)))[
            len(thing) - 1
        ]
        return [shape for (dx, dy), part in zip(places, thing) for shape in draw_thing(x + dx, y + dy, part, 0.62)]
    shapes = _soup(x, y, recipe, 0.265)
    if tick >= time:
        return [
            *shapes,
            Circle(x, y, 0.345, None, "good", 0.07, glyph=""),
            Circle(x + 0.3, y - 0.3, 0.17, "good", "white", 0.03, glyph="!"),
            Line([(x + 0.22, y - 0.3), (x + 0.28, y - 0.23), (x + 0.39, y - 0.37)], "white", 0.05),
        ]
    return [
        *shapes,
        Rect(x - 0.38, y + 0.34, 0.76, 0.1, "white", "black", 0.02, 0.05),
        Rect(x - 0.36, y + 0.36, 0.72 * tick / time, 0.06, "good", radius=0.03),
        Circle(x + 0.3, y - 0.3, 0.18, "white", "black", 0.025, glyph=""),
        Label(x + 0.3, y - 0.3, str(time - tick), 0.22, "black", bold=True),
    ]


@lru_cache(4096)
def _chef(x: float, y: float, facing: int, a: int, held: int) -> Sequence[Shape]:
    """A chef from above, in a hat, with what it holds in front of it."""
    color = agent_color(a)
    ahead, across = _AHEAD[facing], (-_AHEAD[facing][1], _AHEAD[facing][0])

    def at(forward: float, side: float) -> tuple[float, float]:
        return x + forward * ahead[0] + side * across[0], y + forward * ahead[1] + side * across[1]

    shapes: list[Shape] = [Circle(x, y + 0.04, 0.36, "shadow@0.2", glyph="")]
    for side in (-1, 1):  # arms
        shapes += [
            Line([at(0.0, 0.27 * side), at(0.3, 0.2 * side)], color, 0.15),
            Circle(*at(0.33, 0.19 * side), 0.085, "soil", "shadow@0.3", 0.02, glyph=""),
        ]
    shapes.append(Circle(x, y, 0.33, color, "shadow@0.35", 0.025, glyph="▲▼▶◀"[facing] + agent_sign(a)))
    for puff in ((0.02, -0.1), (0.02, 0.1), (-0.14, 0.0)):
        shapes.append(Circle(*at(*puff), 0.145, "white", "line", 0.02, glyph=""))
    shapes += [Circle(*at(-0.04, 0.0), 0.13, "white", glyph=""), Circle(*at(0.25, 0.0), 0.045, "soil", glyph="")]
    if held:
        shapes += draw_thing(*at(0.36, 0.0), held, 0.85)
    return shapes


@lru_cache
def ticket(x: float, y: float, recipe: int, value: float) -> tuple[Sequence[Shape], float]:
    """An order, its parts and its value, from its left edge; returns its width."""
    things = [ONION] * (recipe & 3) + [TOMATO] * (recipe >> 2)
    parts, price = 0.34 * len(things), f"{value:g}"
    width = parts + 0.4 + 0.2 * len(price)
    shapes: list[Shape] = [Rect(x, y - 0.3, width, 0.6, "white", "line", 0.03, 0.1)]
    for k, thing in enumerate(things):
        shapes += draw_thing(x + 0.27 + 0.34 * k, y, thing, 0.75)
    return [*shapes, Label(x + 0.2 + parts, y, price, 0.34, "black", "left", bold=True)], width
