"""What the social worlds on grids share: avatars that face somewhere, walk, fire beams, are away and come back.

After the common layer of Melting Pot. A world's `map` (height, width) uint8 says what is where at the start, one letter
of its legend each; on the grid of codes (see `envsuite.kit.grid`) a cell holds what is there now: OUTSIDE, WALL,
FLOOR, a code of the world's own (3, 4, 6, 7, or `OWN` and above), or PLAYER + 4 * index + facing; LIT on top
of it means that a beam went over it in this step. Kernels know the width of a row from `s.map`.

A step of such a world calls `dim`, then for agents in random order `move`, then for agents that fire `zap` or `fire`
and `light`, then `come_back`, then `take_out`, then whatever grows, then `end`.

On a torus, a map without walls around it, moves and beams that leave it come in again on the other side. Its record
has `torus_fields` too; `reset` and `step` end with `wrap`, and `observe` calls `watch_torus`.

Graduated sanctions: the first hit freezes and marks an agent, the second, while the mark lasts, takes it out. The
record has `sanction_fields` too; `reset` calls `forgive`, and `step` begins with `take_out` and `thaw`, moves only
agents that are not `frozen`, and calls `sanction` after `zap_all`.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Space

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_letters
from envsuite.core.levels import write_letters as write_map  # worlds of avatars take this from here
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import MANY, below, flag, free, within
from envsuite.core.world import World
from envsuite.kit.grid import BACKWARD, FORWARD, LEFT, NORTH, RIGHT, ahead, random_spot
from envsuite.kit.sight import LIT, OWN, PLAYER, look
from envsuite.render.scene import Circle, Label, Rect, Scene, Shape, avatar, footer, moved, text_width
from envsuite.render.theme import agent_color

#: The actions that all these worlds have; their own, such as beams, follow.
MOVES = ("noop", "forward", "backward", "step left", "step right", "turn left", "turn right")
NOOP, STEP_FORWARD, STEP_BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT = range(7)

OUTSIDE, WALL, FLOOR = range(3)
SELF = 5
MOST_PLAYERS = (OWN - PLAYER) // 4

#: Rows and columns that agents see, unless a world says otherwise; one row lies behind them.
VIEW, MIDDLE, BEHIND = 11, 5, 1

#: A view with this number of rows has the agent in its middle.
CENTERED = 15

#: The cells around the map that no agent can stand on but that views reach; on a torus they reach one more.
BORDER, MARGIN = 8, 9

#: The most steps that an agent cools down or is away for.
LONGEST = 1_000_010

_TURNS = np.array([0, FORWARD, BACKWARD, LEFT, RIGHT])


def fields(players: int, height: int, width: int, letters: int, torus: bool = False) -> list[tuple]:
    """The fields of a record that the kernels use.

    Args:
        players: the number of agents.
        height: rows of the map.
        width: columns of the map.
        letters: of the map's legend.
        torus: whether the map has no edge; else there are walls all around.
    """
    place = cell_type(np.int64, height, width)
    letter = within(np.uint8, 0, np.pad(np.full((height - 2, width - 2), letters - 1), 1))
    return [
        *_codes("cells", height, width, torus),  # the grid
        ("at", place, (players,)),  # cell where an agent stands
        ("facing", below(np.int64, 4), (players,)),  # 0 east, 1 south, 2 west, 3 north
        ("cooldown", within(np.int64, 0, LONGEST), (players,)),  # steps until an agent can fire
        ("away", within(np.int64, 0, LONGEST), (players,)),  # steps until an agent comes back, 0 while it is there
        ("order", below(np.int64, players), (players,)),  # in which agents move in this step
        ("under", within(np.uint8, FLOOR, LIT - 1), (players,)),  # code that an agent stands on
        ("hit", flag(), (players,)),  # rays that ended at an agent and still have to take effect
        ("lit_count", within(np.int64, 0, height * width)),  # number of cells with LIT
        ("lit", cell_type(np.int16, height, width), (2 * height * width,)),  # cells with LIT, then those `fire` lists
        ("map", below(np.uint8, letters) if torus else letter, (height, width)),  # numbers of letters: the level
    ]


def cell_type(dtype: Any, height: int, width: int) -> np.dtype:
    """A field that holds cells of a map; those that were never used hold 0."""
    return within(dtype, 0, (height + BORDER) * (width + 2 * BORDER) - BORDER - 1)


def list_fields(count: str, cells: str, height: int, width: int, size: int | None = None) -> list[tuple]:
    """The fields of a list of cells: the number of them, and as many as `size` or the map has."""
    size = size or height * width
    return [(count, within(np.int64, 0, size)), (cells, cell_type(np.int16, height, width), (size,))]


def gap_field() -> tuple:
    """The field of `envsuite.kit.grid.sprout_anywhere`."""
    return ("gap", within(np.int64, 0, 2**62 + MANY))  # number of sites before the next one that may sprout


def _codes(name: str, height: int, width: int, torus: bool) -> list[tuple]:
    """A field of codes: OUTSIDE around the map, and walls at its edge, so that nothing leaves it."""
    low = np.pad(np.full((height, width), WALL), BORDER)
    high = np.pad(np.full((height, width), 255), BORDER)
    if not torus:
        high = np.pad(np.pad(np.full((height - 2, width - 2), 255), 1, constant_values=WALL), BORDER)
    return [(name, within(np.uint8, low.reshape(-1), high.reshape(-1)), (low.size,))]


def torus_fields(height: int, width: int) -> list[tuple]:
    """The further field of a record whose map is a torus."""
    return [("around", free(np.uint8), ((height + 2 * MARGIN) * (width + 2 * MARGIN),))]  # codes, repeated on all sides


def sanction_fields(players: int, longest: int = MANY) -> list[tuple]:
    """The further fields of a record with graduated sanctions, of at most this number of steps."""
    return [
        ("marked", within(np.int64, 0, longest), (players,)),  # steps until the mark of an agent is gone
        ("frozen", within(np.int64, 0, longest), (players,)),  # steps until an agent can move
    ]


def ground_fields(height: int, width: int) -> list[tuple]:
    """The further field of a record that keeps the grid without agents."""
    return _codes("ground", height, width, torus=False)


def tables(stops: Sequence[int] = (), blocks: Sequence[int] = ()) -> tuple[np.ndarray, np.ndarray]:
    """Tables (256,) uint8 over all codes: which stop beams, and which can be entered.

    Args:
        stops: codes of the world's own that stop beams.
        blocks: codes of the world's own that nobody can enter.
    """
    codes = np.arange(256)
    plain = codes & (LIT - 1)
    players = (plain >= PLAYER) & (plain < OWN)
    solid = (plain == WALL) | (plain == OUTSIDE) | players
    stopped, blocked = solid | np.isin(plain, list(stops)), solid | np.isin(plain, list(blocks))
    return stopped.astype(np.uint8), (~blocked).astype(np.uint8)


@kernel
def stride(s):
    """Cells to a row of the grid; a constant to the compiler."""
    return np.int64(s.map.shape[1] + 2 * BORDER)


@kernel
def cell_at(s, y, x):
    """The cell of a place on the map."""
    return (y + BORDER) * stride(s) + x + BORDER


@kernel
def beyond(s, cell, facing):
    """The next cell in this direction; from the edge of a torus, the one at its other side."""
    cell += ahead(facing, stride(s))
    if s.cells[cell] == OUTSIDE:
        height, width = s.map.shape
        y, x = cell // stride(s) - BORDER, cell % stride(s) - BORDER
        return cell_at(s, y % height, x % width)
    return cell


@kernel
def lay(s, codes):
    """Lay out the grid: what `codes` has for each letter of the map."""
    fill(s.cells, OUTSIDE)
    for y in range(s.map.shape[0]):
        for x in range(s.map.shape[1]):
            s.cells[cell_at(s, y, x)] = codes[s.map[y, x]]


@kernel
def list_spots(s, spots, letter):
    """List the cells with a letter in `spots`; how many there are."""
    count = 0
    for y in range(s.map.shape[0]):
        for x in range(s.map.shape[1]):
            if s.map[y, x] == letter:
                spots[count] = cell_at(s, y, x)
                count += 1
    return count


@kernel
def exchange_cells(s, map):
    """Exchange two random inner cells of a map; other ones if they are the same, as often as it takes within limits."""
    height, width = map.shape
    for _ in range(1000):
        y, x = 1 + randint(s, height - 2), 1 + randint(s, width - 2)
        j, i = 1 + randint(s, height - 2), 1 + randint(s, width - 2)
        if map[y, x] != map[j, i]:
            code = map[y, x]
            map[y, x] = map[j, i]
            map[j, i] = code
            break


@kernel
def begin(s):
    """Nobody is anywhere yet, no beam is fired, and all are ready."""
    s.lit_count = 0
    for a in range(s.at.shape[0]):
        s.order[a] = a
        s.at[a] = -1
        s.cooldown[a] = 0
        s.away[a] = 0
        s.hit[a] = 0


@kernel
def place(s, a, cell):
    """Put an agent on a free cell, facing anywhere."""
    s.facing[a] = randint(s, 4)
    enter(s, a, cell)


@kernel
def enter(s, a, cell):
    """Draw an agent that is now on this cell, and remember what is under it."""
    code = s.cells[cell]
    s.at[a] = cell
    s.under[a] = code & (LIT - 1)
    s.cells[cell] = code & LIT | (PLAYER + 4 * a + s.facing[a])


@kernel
def leave(s, a):
    """Draw what is under an agent."""
    s.cells[s.at[a]] = s.under[a]


@kernel
def show(s, cell, code):
    """Change the ground of a cell, also where an agent stands; the record has `ground_fields`."""
    s.ground[cell] = code
    there = s.cells[cell]
    if there & (LIT - 1) >= PLAYER:
        s.under[((there & (LIT - 1)) - PLAYER) >> 2] = code
    else:
        s.cells[cell] = there & LIT | code


@kernel
def move(s, a, action, free):
    """Turn, or walk one cell onto a code that is `free`; the code that the agent walked onto, or -1."""
    if STEP_FORWARD <= action <= STEP_RIGHT:
        there = beyond(s, s.at[a], s.facing[a] + _TURNS[action])
        if free[s.cells[there]]:
            leave(s, a)
            enter(s, a, there)
            return np.int64(s.under[a])
    elif action == TURN_LEFT or action == TURN_RIGHT:
        s.facing[a] = (s.facing[a] + (1 if action == TURN_RIGHT else 3)) & 3
        s.cells[s.at[a]] = PLAYER + 4 * a + s.facing[a]
    return np.int64(-1)


@kernel
def dim(s):
    """The beams of the last step are gone."""
    for k in range(s.lit_count):
        s.cells[s.lit[k]] &= LIT - 1
    s.lit_count = 0


@kernel
def ray(s, cells, cell, facing, length, stops, count):
    """Append the cells of a ray to `s.lit`, from `cell` on up to the first whose code stops it; the new count."""
    for _ in range(length):
        s.lit[count] = cell
        count += 1
        if stops[cells[cell]]:
            break
        cell = beyond(s, cell, facing)
    return count


@large_kernel
def fire(s, cells, a, length, radius, stops):
    """List the cells that an agent's beam reaches in `s.lit`, from `s.lit_count` on, those that stop it included.

    `cells` is the grid, or one like it with what stops this beam, by `stops` (256,). As in Lab2D: one ray of `length`
    cells straight ahead, and for each side and each offset up to `radius` a ray that starts beside the shooter, one
    cell shorter for each offset after the first. Where the first cell of a side's ray stops it, the wider ones are
    left out. Returns the end of the list; `light` has to follow.
    """
    count = s.lit_count
    for side in range(4):
        columns = 0 if side == BACKWARD else 1 if side == FORWARD else min(radius, length)
        beside = s.at[a]
        for offset in range(columns):
            beside = beyond(s, beside, s.facing[a] + side)
            count = ray(s, cells, beside, s.facing[a], length - offset, stops, count)
            if stops[cells[beside]]:
                break
    return count


@kernel
def light(s, end, stops):
    """Light the cells that `fire` listed, but for those that stop the beam."""
    lit = s.lit_count
    for k in range(lit, end):
        cell = s.lit[k]
        code = s.cells[cell]
        if code < LIT and not stops[code]:  # a cell that is lit already is in the list
            s.cells[cell] = code | LIT
            s.lit[lit] = cell
            lit += 1
    s.lit_count = lit


@large_kernel
def zap(s, a, length, radius, stops):
    """Fire at others: mark those that the beam ends at in `s.hit`."""
    end = fire(s, s.cells, a, length, radius, stops)
    for k in range(s.lit_count, end):
        code = s.cells[s.lit[k]] & (LIT - 1)
        if PLAYER <= code < OWN:
            s.hit[(code - PLAYER) >> 2] += 1
    light(s, end, stops)


@kernel
def zap_all(s, actions, action, length, radius, cooldown, stops):
    """Agents that take this action and are ready fire at others; beams cool down."""
    for a in range(s.at.shape[0]):
        if s.away[a] == 0:
            if s.cooldown[a] > 0:
                s.cooldown[a] -= 1
            elif actions[a] == action:
                s.cooldown[a] = cooldown
                zap(s, a, length, radius, stops)


@kernel
def take_out(s, steps):
    """Agents that were hit are away for this number of observations, and one more if `come_back` was called before."""
    for a in range(s.at.shape[0]):
        if s.hit[a]:
            s.hit[a] = 0
            leave(s, a)
            s.away[a] = steps + 1


@kernel
def come_back(s, spots, count, free):
    """Count the steps that agents are away, and put them on a free one of the cells in `spots` when they are over."""
    for a in range(s.at.shape[0]):
        if s.away[a] > 0:
            s.away[a] -= 1
            if s.away[a] == 0:
                cell = random_spot(s, spots, count, s.cells, free)
                if cell < 0:
                    s.away[a] = 1
                else:
                    place(s, a, cell)


@kernel
def forgive(s):
    """Nobody is marked or frozen."""
    for a in range(s.at.shape[0]):
        s.marked[a] = 0
        s.frozen[a] = 0


@kernel
def thaw(s, cooldown):
    """A step of those who are frozen; at its last one an agent can walk, and its beam begins to cool down."""
    for a in range(s.at.shape[0]):
        if s.frozen[a] > 0:
            s.frozen[a] -= 1
            s.cooldown[a] = cooldown + 1


@kernel
def sanction(s, freeze, recovery, penalty, rewards):
    """Mark and freeze those who were hit; who was marked already pays, and `take_out` at the next step is for them."""
    for a in range(s.at.shape[0]):
        hits = s.hit[a]
        s.hit[a] = 0
        if hits > 0 and s.marked[a] == 0:
            s.marked[a] = recovery
            s.frozen[a] = freeze
            hits -= 1
        if hits > 0:
            rewards[a] -= penalty
            s.marked[a] = 0
            s.frozen[a] = 0
            s.hit[a] = 1
        elif s.marked[a] > 0:
            s.marked[a] -= 1


@large_kernel
def wrap(s):
    """Copy the grid of a torus of 9 x 9 cells or more, and what lies around it, to `s.around`, for views."""
    height, width = s.map.shape
    wide = np.int64(width + 2 * MARGIN)
    for y in range(height):
        first, row = cell_at(s, y, 0), (y + MARGIN) * wide
        _copy(s.cells, first, s.around, row + MARGIN, width)
        _copy(s.cells, first + width - MARGIN, s.around, row, MARGIN)
        _copy(s.cells, first, s.around, row + width + MARGIN, MARGIN)
    _copy(s.around, height * wide, s.around, 0, MARGIN * wide)
    _copy(s.around, MARGIN * wide, s.around, (height + MARGIN) * wide, MARGIN * wide)


@kernel
def _copy(source, first, target, start, count):
    # Unsigned: a negative index would count from the end, and the loop not be turned into moves of many bytes.
    for k in range(np.uint64(count)):
        target[np.uint64(start) + k] = source[np.uint64(first) + k]


@kernel
def end(s):
    """Truncated after `horizon` steps; from `end_after` on, all is over by chance at every `end_interval`-th step.

    That step comes one early, as in Melting Pot, whose clock is one ahead of its steps.
    """
    chance_to_end = s.t >= s.params.end_after and (s.t + 1) % s.params.end_interval == 0
    if chance_to_end and bernoulli(s, s.params.end_probability):
        for a in range(s.at.shape[0]):
            s.terminated[a] = 1
    elif s.t >= s.params.horizon:
        for a in range(s.at.shape[0]):
            s.truncated[a] = 1


@kernel
def own_row(rows):
    """The row of a view in which the agent itself is."""
    return rows // 2 if rows == CENTERED else rows - 1 - BEHIND


@kernel
def watch(s, agent, view, own=0, change=0):
    """What an agent sees, itself as SELF; nothing while it is away. See `look` for codes of its own."""
    _watch(s, agent, s.cells, stride(s), s.at[agent], view, own, change)


@kernel
def watch_torus(s, agent, view, own=0, change=0):
    """`watch` on a torus."""
    width = s.map.shape[1]
    y, x = s.at[agent] // stride(s) - BORDER, s.at[agent] % stride(s) - BORDER
    wide = np.int64(width + 2 * MARGIN)
    _watch(s, agent, s.around, wide, (y + MARGIN) * wide + x + MARGIN, view, own, change)


@kernel
def _watch(s, agent, cells, stride, cell, view, own, change):
    rows, columns = view.shape
    if s.away[agent]:
        fill(view, OUTSIDE)
    else:
        row = own_row(rows)
        look(cells, stride, cell, s.facing[agent], rows - 1 - row, own, change, view)
        view[row, columns // 2] = cells[cell] & LIT | SELF


@kernel
def see_marks(s, agent, view, marks):
    """Write who is marked, of those in the agent's view and itself; 0 for all others."""
    others = False
    for a in range(s.at.shape[0]):
        marks[a] = 0
        others |= s.marked[a] > 0 and a != agent
    if s.away[agent] == 0:
        marks[agent] = s.marked[agent] > 0
        if others:  # which is rare
            for i in range(view.shape[0]):
                for j in range(view.shape[1]):
                    code = np.int64(view[i, j]) & (LIT - 1)
                    if PLAYER <= code < OWN:
                        marks[(code - PLAYER) >> 2] = s.marked[(code - PLAYER) >> 2] > 0


@kernel
def readiness(s, agent, cooldown):
    """1 if an agent's beam is ready, less while it cools down, 0 while the agent is away."""
    if s.away[agent]:
        return 0.0
    return 1.0 - s.cooldown[agent] / cooldown if s.cooldown[agent] > 0 else 1.0


def ground_of(s: Any) -> np.ndarray:
    """(cells,) codes of the grid without agents and LIT."""
    codes = np.asarray(s.cells) & (LIT - 1)
    there = np.flatnonzero(s.away == 0)
    codes[s.at[there]] = s.under[there]
    return codes


def cells_of(s: Any, *letters: int) -> np.ndarray:
    """The cells with these letters of the map, row after row."""
    y, x = np.nonzero(np.isin(s.map, letters))
    return cell_at(s, y, x)


def are_listed(cells: Any, count: int, wanted: np.ndarray) -> bool:
    """Whether the first `count` of a list of cells are the wanted ones, in any order; these are in that of cells."""
    return count == len(wanted) and bool((np.sort(cells[:count]) == wanted).all())


def read_map(rows: Any, legend: str, height: int, width: int, name: str, *, torus: bool = False) -> np.ndarray:
    """(height, width) uint8, the number of each letter in the legend, or `LevelError` that begins with this name.

    The first letter of the legend is a wall; but for a torus, there must be walls all around.
    """
    codes = read_letters(rows, f"{name}: the level's map", (height, width), legend)
    if not torus and ((codes[[0, -1]] != 0).any() or (codes[:, [0, -1]] != 0).any()):
        raise LevelError(f"{name}: the level's map must have walls ({legend[0]!r}) all around")
    return codes


def place_in_words(ahead: int, right: int) -> str:
    """A place relative to an agent."""
    return _in_words([ahead], [right])


def places_in_words(places: Iterable[tuple[int, int]]) -> list[str]:
    """Places ahead and right of an agent, in their order; three or more side by side are told at once: 1-3 ahead."""
    left, found = dict.fromkeys(places), []
    while left:
        i, j = next(iter(left))
        column = _run(i, {row for row, other in left if other == j})
        row = _run(j, {other for row, other in left if row == i})
        block = (column, [j]) if len(column) > len(row) else ([i], row)
        if max(map(len, block)) < 3:
            block = [i], [j]
        for place in itertools.product(*block):
            del left[place]
        found.append(_in_words(*block))
    return found


def _run(number: int, among: set[int]) -> list[int]:
    """The numbers of one sign around a number without a gap, from the one nearest to 0, which stands alone."""
    if number == 0:
        return [0]
    sign = 1 if number > 0 else -1
    first = last = number
    while first != sign and first - sign in among:
        first -= sign
    while last + sign in among:
        last += sign
    return [*range(first, last + sign, sign)]


def _in_words(rows: Sequence[int], columns: Sequence[int]) -> str:
    """Rows ahead or behind, and columns right or left, of which one may be several."""
    sides = (rows, "ahead", "behind"), (columns, "right", "left")
    parts = [f"{_span(one)} {more if one[0] > 0 else less}" for one, more, less in sides if one[0]]
    return " ".join(parts) or "here"


def _span(numbers: Sequence[int]) -> str:
    """``3``, or ``1-3``."""
    ends = sorted({abs(numbers[0]), abs(numbers[-1])})
    return "-".join(map(str, ends))


def stamina_bar(x: float, y: float, stamina: int, green: int, fresh: int) -> list[Shape]:
    """A bar over an agent around (x, y): red at 0, yellow below `green`, and none from `fresh` on."""
    if stamina >= fresh:
        return []
    color = "bad" if stamina == 0 else "yellow" if stamina < green else "good"
    return [
        Rect(x - 0.42, y - 0.48, 0.84, 0.13, "shadow", glyph=""),
        Rect(x - 0.4, y - 0.465, max(0.08, 0.8 * stamina / (fresh - 1)), 0.1, color, glyph=""),
    ]


def more_turns(count: int) -> str:
    """A number of turns to come, in words."""
    return f"{count} more {'turn' if count == 1 else 'turns'}"


class AvatarWorld(World):
    """A world of avatars: views, text and pictures. A subclass calls `define` with `fields` among its own."""

    masked = False
    optimization = 2  # 3 takes a half longer here and makes nothing faster
    keys = {
        "up": "forward",
        "down": "backward",
        "left": "turn left",
        "right": "turn right",
        "a": "step left",
        "d": "step right",
        ".": "noop",
    }

    #: The letters of a map, the wall's first.
    legend: str
    view_shape = (VIEW, VIEW)
    #: Whether the map has no edge.
    torus = False
    #: Whether anybody can fire.
    beams = True
    #: Whether a beam cools down in a step before agents fire, so that they can fire in the last step of it.
    cools_first = False
    #: What text calls the codes that it lists, in its order.
    things: Mapping[int, str]

    @property
    def codes(self) -> Collection[int]:
        """The world's own codes: what is on the ground beside floor and walls."""
        return self.things

    def view_spaces(self, highest: int) -> dict[str, Space]:
        """The parts of an observation that all these worlds have; `highest` is the largest code without LIT."""
        self.highest = LIT + max(highest, PLAYER + 4 * self.players - 1)
        return {"view": Box(0, self.highest, self.view_shape, np.uint8), "ready": Box(0.0, 1.0, (1,), np.float32)}

    #: The number of agents, set before `view_spaces`.
    players: int

    @property
    def sanctions(self) -> bool:
        """Whether sanctions are graduated."""
        return "marked" in (self.record.names or ())

    def needs(self) -> dict[str, tuple[int, str]]:
        """How many cells with a letter a level must have at least, and what they are."""
        return {}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts(self.id, level, {"kind", "map"})
        height, width = s.map.shape
        codes = read_map(level["map"], self.legend, height, width, self.id, torus=self.torus)
        for letter, (wanted, what) in self.needs().items():
            if (count := int((codes == self.legend.index(letter)).sum())) < wanted:
                raise LevelError(
                    f"{self.id}: the level's map has {count} {what} ({letter!r}); "
                    f"{len(self.agents)} agents need {wanted} or more"
                )
        s.map[:] = codes

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"map": write_map(s.map, self.legend)}

    def contradiction(self, s: Any) -> str | None:
        codes, there = s.cells & (LIT - 1), np.flatnonzero(s.away == 0)
        players = np.count_nonzero((codes >= PLAYER) & (codes < OWN))
        if players != len(there) or (codes[s.at[there]] != PLAYER + 4 * there + s.facing[there]).any():
            return "agents do not stand where the cells show them"
        if s.t > s.params.horizon:
            return "the last step is over"
        if s.hit[s.away > 0].any():
            return "an agent that is away was hit"
        if getattr(s.params, "zap_cooldown", 1) == 0 and s.cooldown.any():
            return "a beam cools down that never does"
        if (np.sort(s.order) != np.arange(self.players)).any():
            return "order does not hold each agent once"
        ground = ground_of(s)
        if not np.isin(ground, (OUTSIDE, WALL, FLOOR, *self.codes)).all():
            return "there is a code of nothing on the grid"
        if not np.isin(s.under, (FLOOR, *self.codes)).all():
            return "there is a code of nothing under an agent"
        for letter, (wanted, what) in self.needs().items():
            if np.count_nonzero(s.map == self.legend.index(letter)) < wanted:
                return f"the map has not enough {what}"
        if len(getattr(s, "around", ())) > 1:
            height, width = s.map.shape
            grid = s.cells.reshape(height + 2 * BORDER, width + 2 * BORDER)[BORDER:-BORDER, BORDER:-BORDER]
            if (np.pad(grid, MARGIN, mode="wrap").reshape(-1) != s.around).any():
                return "what is around the map is not what is on it"
        return self.misplaced(s, ground)

    def misplaced(self, s: Any, ground: np.ndarray) -> str | None:
        """What else of a record does not go together; `ground` are the codes of its cells without agents and LIT."""
        return None

    def state_space(self) -> Box:
        """Codes of the whole map; an agent's holds its facing, as seen by one who faces east."""
        return Box(0, self.highest, self.record["map"].shape, np.uint8)

    def state(self, records: np.ndarray, observations: np.ndarray) -> np.ndarray:
        height, width = self.record["map"].shape
        grids = records["cells"].reshape(-1, height + 2 * BORDER, width + 2 * BORDER)
        return grids[:, BORDER:-BORDER, BORDER:-BORDER].copy()

    def place(self, s: Any, agent: int) -> tuple[int, int]:
        """Where an agent stands on the map: x, y."""
        row, column = divmod(int(s.at[agent]), int(stride(s)))
        return column - BORDER, row - BORDER

    def text(self, s: Any, agent: int) -> str:
        if s.away[agent]:
            return "You were hit by a beam and are away. What you do has no effect until you are back."
        view = self.observation(s, agent)["view"]
        rows, columns = self.view_shape
        own, middle = own_row(rows), columns // 2
        beams = ["Beams"] if self.beams else []
        places: dict[str, list[tuple[int, int]]] = {name: [] for name in (*self.things.values(), "Walls", *beams)}
        others = []
        order = sorted(np.ndindex(rows, columns), key=lambda at: abs(at[0] - own) + abs(at[1] - middle))
        for i, j in order:
            code, where = view[i, j], (own - i, j - middle)
            plain = code & (LIT - 1)
            if PLAYER <= plain < OWN:
                index, turned = divmod(plain - PLAYER, 4)
                faces = ("as you do", "to your right", "the other way", "to your left")[turned]
                mark = ", marked" if self.sanctions and s.marked[index] else ""
                others.append(f"{self.agents[index]} {place_in_words(*where)}, facing {faces}{mark}")
            elif plain == WALL:
                places["Walls"].append(where)
            elif plain in self.things:
                places[self.things[plain]].append(where)
            if code & LIT:
                places["Beams"].append(where)
        told = {what: places_in_words(found) for what, found in places.items()}
        listed = {**dict.fromkeys(self.things.values(), []), "Others": others, **told}
        lines = [f"{what}: {'; '.join(found) if found else 'none in view'}." for what, found in listed.items()]
        return "\n".join(filter(None, [self.status(s, agent), *lines]))

    def status(self, s: Any, agent: int) -> str:
        """What an agent knows of itself, in words."""
        cooldown = max(int(s.cooldown[agent]) - self.cools_first, 0)
        if self.sanctions and s.frozen[agent] == 1:
            cooldown = int(s.params.zap_cooldown) + 1  # see `thaw`
        lines = [f"Your beam cools down, {more_turns(cooldown)}." if cooldown else "Your beam is ready."]
        if self.sanctions and s.frozen[agent] > 1:
            lines = [f"You are frozen, {more_turns(int(s.frozen[agent]) - 1)}; then your beam cools down."]
        if self.sanctions and s.marked[agent]:
            left = int(s.marked[agent])
            lines.append(f"You are marked: a hit in the next {'turn' if left == 1 else f'{left} turns'} takes you out.")
        return " ".join(lines)

    def ground(self, s: Any, scene: Scene, x: int, y: int, code: int) -> None:
        """Draw what is on a cell, a wall or a thing of the world's own; `code` is without agents and LIT.

        In an agent's view `s` is None, so that nothing else than the code can be drawn.
        """
        raise NotImplementedError

    def code_of(self, agent: int, seen: int) -> int:
        """The code of a thing that an agent sees with this code; another one where its own look different to it."""
        return seen

    def in_picture(self, s: Any, agent: int | None) -> dict[int, tuple[int, int, int]]:
        """The agents in a picture: x, y and facing; on the map, or in one agent's view, which it looks up."""
        if agent is None:
            return {a: (*self.place(s, a), int(s.facing[a])) for a in np.flatnonzero(s.away == 0).tolist()}
        if s.away[agent]:
            return {}
        rows, columns = self.view_shape
        found = {agent: (columns // 2, own_row(rows), NORTH)}
        codes = self.observation(s, agent)["view"] & (LIT - 1)
        for y, x in np.argwhere((codes >= PLAYER) & (codes < OWN)).tolist():
            index, turned = divmod(codes[y, x] - PLAYER, 4)
            found[index] = (x, y, (turned + NORTH) & 3)
        return found

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The map, or an agent's view, turned as it is observed; what is beyond the map is dark."""
        places = self.in_picture(s, agent)
        if agent is None:
            grid = s.cells.reshape(s.map.shape[0] + 2 * BORDER, -1)[BORDER:-BORDER, BORDER:-BORDER].copy()
        else:
            grid = self.observation(s, agent)["view"]
        beams = grid & LIT
        grid &= LIT - 1
        for a, (x, y, _) in places.items():
            grid[y, x] = s.under[a] if agent is None else FLOOR
        height, width = grid.shape
        scene = Scene(width, height, background="floor")
        for y, x in np.ndindex(height, width):
            code = grid[y, x]
            if code == WALL:
                scene.add(Rect(x, y, 1, 1, "wall"))
            elif code == OUTSIDE:
                scene.add(Rect(x, y, 1, 1, "shadow"))
            elif code == FLOOR:
                continue
            elif agent is None:
                self.ground(s, scene, x, y, code)
            else:
                self.ground(None, scene, x, y, self.code_of(agent, code))
        for y, x in np.argwhere(beams):
            scene.add(Rect(x, y, 1, 1, "beam@0.6"))
        for a, (x, y, facing) in places.items():
            if self.sanctions and s.marked[a]:
                scene.add(Circle(x + 0.5, y + 0.5, 0.5, "beam", glyph=""))
            scene.add(*self.figure(s, a, agent, x + 0.5, y + 0.5, facing))
        if agent is None:
            self._legend(s, scene, self.tally(grid))
        elif not places:
            scene.add(Label(width / 2, height / 2, "away", color="white"))
        return scene

    def figure(self, s: Any, a: int, viewer: int | None, x: float, y: float, facing: int) -> list[Shape]:
        """An agent around (x, y), as the viewer, one that has it in view, may see it; None for spectators."""
        return avatar(x, y, facing, agent_color(a), text=str(a))

    def tally(self, grid: np.ndarray) -> list[tuple[int, str, int]]:
        """The kinds of things that the strip below the map lists: a code to draw, its name, and how many there are."""
        return [(code, name.lower(), int((grid == code).sum())) for code, name in self.things.items()]

    def _legend(self, s: Any, scene: Scene, entries: list[tuple[int, str, int]]) -> None:
        """The strip below the map: the step, and each kind of thing."""
        top, steps = scene.height, f"{s.t} / {s.params.horizon}"
        y = footer(scene, steps)
        size = y - top
        x = 0.25 + text_width(f"{s.params.horizon} / {s.params.horizon}", size) + 1.5 * size
        for code, name, count in entries:
            length = text_width(f"{name} 000", size) + 1.7 * size  # the same in all pictures of an episode
            if x + length > scene.width:
                x, y = 0.25, y + 1.7 * size
            thing = Scene(1, 1)
            self.ground(s, thing, 0, 0, code)
            scene.add(*(moved(shape, x, y - 0.65 * size, 1.3 * size) for shape in thing.shapes))
            scene.add(Label(x + 1.7 * size, y, f"{name} {count}".strip(), size, "muted", "left"))
            x += length + 1.2 * size
        scene.height = y + size
        scene.shapes.insert(0, Rect(0, top, scene.width + 1, 2 * scene.height, "paper"))
