"""Battleship: find hidden ships on a grid of cells, shot by shot.

**Rules.** Ships lie on a grid of `size` x `size` cells, each in a row or column. They do not overlap but may touch. All
placements have the same probability. A shot at a cell tells whether it hits a ship. When all cells of a ship are hit it
sinks, and its cells are shown. The agent wins by sinking all ships within `horizon` shots.

`fleet` is `three` (ships of 5, 4 and 2 cells) or `five` (5, 4, 3, 3 and 2).

**Agents.** One, `agent`.

**Observation.** Box (size, size) int8. Row 0 is the top row.

| value | content |
|---|---|
| 0 | not shot at |
| 1 | a miss |
| 2 | a hit of a ship that still floats |
| 3 | a cell of a ship that has sunk |

**Actions.** Discrete (size x size).

| action | name | legal |
|---|---|---|
| row x size + column | `a1`, `b1`, ...: a letter for the column, the number of the row from the top | once |

**Window.** A click shoots at a cell.

**Rewards.** A hit earns its share of 1: 1 / (cells of all ships).

**Ends.** Terminates when all ships have sunk, or after `horizon` shots.

**Uncertainty.** With `Uncertainty(env)`, infos say how many placements of three ships agree with all shots. They are
equally likely. Placements of five ships are too many to count.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 10 | rows and columns, from 5 to 15 |
| `fleet` | "three" | "three" or "five", see above |
| `horizon` | 100 | the most shots, from 1 to 225 |

**Level.** ``{"ships": [["a1", "e1"], ["a3", "a6"], ["j9", "j10"]]}``: the first and the last cell of each ship.

**Known values.** Three ships have 2,216,256 placements on 10 x 10 cells. Shots in random order need 11 x 101 / 12 =
92.58 on average to sink them all.

**Differences.** From the game of PAPRIKA, which has 20 shots (set `horizon`):

- The board game is for two, who shoot in turn; here as there, one agent looks for ships.
- There, an episode that ends before all ships have sunk is lost. Here, each hit earns its share.
- Its answers name the ship that was hit. Here, a ship is known once it has sunk.

**Source.** Tajwar et al., "Training a generally curious agent", 2025 (PAPRIKA).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import read_list
from envsuite.core.page import Page
from envsuite.core.random import randint
from envsuite.core.ranges import within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.kit.information import alike
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Rect, Scene, coordinates, footer, grid

FLEETS = {"three": (5, 4, 2), "five": (5, 4, 3, 3, 2)}
UNKNOWN, MISS, HIT, SUNK = range(4)
MOST = 15 * 15


def fields(size: int, ships: int) -> list[tuple]:
    """The record's own fields."""
    cells = size * size
    return [
        ("lengths", within(np.int64, 2, 5), (ships,)),  # the same in all episodes
        ("ship", within(np.int8, 0, ships), (cells,)),  # the level: the number of the ship on each cell, from 1
        ("seen", within(np.int8, UNKNOWN, SUNK), (cells,)),
        ("left", within(np.int64, 0, 5), (ships,)),  # cells of each ship that are not hit
        ("shots", within(np.int64, 0, MOST)),
    ]


@kernel
def reset(s):
    for k in range(s.lengths.shape[0]):
        s.lengths[k] = s.left[k] = length_of(s.lengths.shape[0], k)
    if s.level_given == 0:
        deploy(s)
    fill(s.seen, UNKNOWN)
    s.shots = 0


@kernel
def length_of(ships, k):
    """The length of a ship of a fleet of this number."""
    if ships == 3:
        return 5 if k == 0 else 4 if k == 1 else 2
    return 5 if k == 0 else 4 if k == 1 else 2 if k == 4 else 3


@kernel
def put(s, k, across, lane, start):
    """Put a ship into a row or column; whether its cells are free."""
    size = s.params.size
    for j in range(s.lengths[k]):
        cell = lane * size + start + j if across else (start + j) * size + lane
        if s.ship[cell] != 0:
            return False
        s.ship[cell] = k + 1
    return True


@kernel
def deploy(s):
    """Draw places for all ships again until none overlap; after 1,000 draws, ship k lies in row k."""
    size = s.params.size
    for attempt in range(1001):
        fill(s.ship, 0)
        apart = True
        for k in range(s.lengths.shape[0]):
            if attempt == 1000:
                put(s, k, True, k, 0)
            elif apart:
                across = randint(s, 2) == 0
                lane = randint(s, size)
                apart = put(s, k, across, lane, randint(s, size - s.lengths[k] + 1))
        if apart:
            return


@kernel
def step(s, actions, rewards):
    cell = actions[0]
    s.shots += 1
    ship = np.int64(s.ship[cell])
    afloat = 0
    if ship == 0:
        s.seen[cell] = MISS
    else:
        s.seen[cell] = HIT
        s.left[ship - 1] -= 1
        total = 0
        for k in range(s.lengths.shape[0]):
            total += s.lengths[k]
        rewards[0] = 1.0 / total
        if s.left[ship - 1] == 0:
            for k in range(s.seen.shape[0]):
                if s.ship[k] == ship:
                    s.seen[k] = SUNK
    for k in range(s.lengths.shape[0]):
        afloat += s.left[k]
    s.terminated[0] = afloat == 0 or s.shots == s.params.horizon


@kernel
def observe(s, agent, out):
    for k in range(s.seen.shape[0]):
        out.flat[k] = s.seen[k]


@kernel
def legal(s, agent, mask):
    for k in range(mask.shape[0]):
        mask[k] = s.seen[k] == UNKNOWN


@cache
def all_places(size: int, length: int) -> np.ndarray:
    """All places of a ship, (P, cells) bool; one without cells for the length 0."""
    if length == 0:
        return np.zeros((1, size * size), np.bool_)
    found = np.zeros((2, size, size - length + 1, size, size), np.bool_)
    for lane, start in product(range(size), range(size - length + 1)):
        found[0, lane, start, lane, start : start + length] = True
        found[1, lane, start, start : start + length, lane] = True
    return found.reshape(-1, size * size)


@cache
def apart(size: int, length: int, other: int) -> np.ndarray:
    """1 where a place of the first ship and one of the other have no cell in common, otherwise 0, (P, Q) float32."""
    first, second = (all_places(size, k).astype(np.float32) for k in (length, other))
    return (first @ second.T == 0).astype(np.float32)


PAGE = Page(
    role="You look for hidden ships by shooting at them.",
    goal="Each hit pays you 1/{cells} of a point, so that you have 1 point when all ships have sunk.",
    rules=(
        "{ships} ships, {lengths} cells long, lie on a board of {size} rows and {size} columns. Each lies straight in "
        "one row or one column. They do not overlap, but may touch. All ways in which they can lie are equally likely.",
        "Each turn you shoot at a cell and learn whether there is a ship. When all cells of a ship are hit, it sinks, "
        "and you see which cells it had.",
    ),
    sees="You see the results of all your shots and the lengths of the ships that are still afloat.",
    acts={
        "{CELL}": (
            "shoot at a new cell, such as a1: a letter for the column from the left, and the number of the row from "
            "the top"
        )
    },
    ends="It is over when all ships have sunk, or after {horizon:shot}.",
    unsaid={"fleet": "told as the number of ships and their lengths"},
    constants={"1": "the sum of the rewards for all ships, and a row's number"},
)


class Battleship(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    kind = ("puzzles", "boards")
    verified = "the number of placements, by enumeration; the mean of random order, in closed form"
    variants = (dict(size=7, fleet="five", horizon=30),)
    shown = "density"
    counted = "placements that the ships can have"
    player_page = PAGE

    def __init__(
        self,
        size: Annotated[int, Between(5, 15)] = 10,
        fleet: Literal["three", "five"] = "three",
        horizon: Annotated[int, Horizon(1, MOST)] = 100,
    ):
        if fleet == "five":  # too many placements to count
            self.counted = ""
        self.define(
            agents=["agent"],
            actions=[f"{chr(97 + c)}{r + 1}" for r in range(size) for c in range(size)],
            observation=Box(UNKNOWN, SUNK, (size, size), np.int8),
            fields=fields(size, len(FLEETS[fleet])),
            params={"size": size, "horizon": horizon},
            reward_range=(0.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        size, names = int(s.params.size), self.action_names[0]
        wanted = [int(length_of(len(s.lengths), k)) for k in range(len(s.lengths))]
        ships = read_list(level["ships"], f"{self.id}: the level's ships", len(wanted))
        board = np.zeros((size, size), np.int8)
        for k, ends in enumerate(ships):
            if len(ends) != 2 or not all(name in names for name in ends):
                raise LevelError(f"{self.id}: ship {k}, {list(ends)!r:.60}, must be its first and its last cell")
            (r0, c0), (r1, c1) = (divmod(names.index(name), size) for name in ends)
            cells = board[r0 : r1 + 1, c0 : c1 + 1]
            if cells.shape not in ((1, wanted[k]), (wanted[k], 1)):
                raise LevelError(f"{self.id}: ship {k}, {ends[0]} to {ends[1]}, has not {wanted[k]} cells in a line")
            if cells.any():
                raise LevelError(f"{self.id}: ship {k}, {ends[0]} to {ends[1]}, lies on another")
            cells[:] = k + 1
        s.ship[:] = board.reshape(-1)

    def get_level(self, s: Any) -> dict[str, Any]:
        names = self.action_names[0]
        cells = [np.flatnonzero(s.ship == k + 1) for k in range(len(s.lengths))]
        return {"ships": [[names[int(own[0])], names[int(own[-1])]] for own in cells]}

    def contradiction(self, s: Any) -> str | None:
        for k in range(len(s.lengths)):
            own = s.ship == k + 1
            if own.sum() != length_of(len(s.lengths), k) or s.lengths[k] != own.sum():
                return f"ship {k} has a wrong number of cells"
            if s.left[k] != int((s.seen[own] == UNKNOWN).sum()):
                return "left does not go with the shots"
        if ((s.seen > MISS) & (s.ship == 0)).any() or ((s.seen == MISS) & (s.ship > 0)).any():
            return "hits and misses are not those of the ships"
        return "the game is over" if not s.left.any() and not s.terminated[0] else None

    def uncertainty(self, s: Any, agent: int) -> tuple[int, float]:
        if not self.counted:
            return super().uncertainty(s, agent)
        size, hit = int(s.params.size), s.seen == HIT
        # Of each ship the places that can be its own, and the hits in each. The place of a ship that has sunk is known.
        lengths = [int(length) if left else 0 for length, left in zip(s.lengths, s.left)]
        fits, hits = [], []
        for length in lengths:
            places = all_places(size, length)
            here = (places & hit).sum(axis=1)
            free = here + (places & (s.seen == UNKNOWN)).sum(axis=1)
            fits.append(np.flatnonzero((free == length) & ((here < length) | (length == 0))))
            hits.append(here[fits[-1]])
        with_hits = [[fits[k][hits[k] == number] for number in range(lengths[k] + 1)] for k in range(3)]
        total = 0
        for first, second in product(range(lengths[0] + 1), range(lengths[1] + 1)):
            third = hit.sum() - first - second
            if 0 <= third <= lengths[2]:
                a, b, c = with_hits[0][first], with_hits[1][second], with_hits[2][third]
                ways = apart(size, lengths[0], lengths[2])[a][:, c] @ apart(size, lengths[1], lengths[2])[b][:, c].T
                total += int((ways * apart(size, lengths[0], lengths[1])[a][:, b]).sum(dtype=np.float64))
        return total, alike(total)[1]

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        lengths = FLEETS[self.parameters["fleet"]]
        return {"ships": len(lengths), "lengths": lengths, "cells": sum(lengths)}

    def text(self, s: Any, agent: int) -> str:
        size = int(s.params.size)
        board = s.seen.reshape(size, size)
        lines = ["   " + " ".join(chr(97 + c) for c in range(size))]
        lines += [f"{r + 1:2} " + " ".join(".-xS"[k] for k in row) for r, row in enumerate(board)]
        afloat = [str(length) for length, left in zip(s.lengths, s.left) if left]
        lines.append(". unknown, - miss, x hit, S sunk.")
        if not afloat:
            lines.append(f"All ships have sunk after {s.shots} shots.")
        else:
            ask = " There are no shots left." if s.terminated[0] else ""
            lines.append(f"Ships afloat, by length: {', '.join(afloat)}. Shot {s.shots} of {s.params.horizon}.{ask}")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        size = int(s.params.size)
        scene = Scene(size + 1.2, size + 1.8)
        scene.add(*grid(0.8, 0.4, size, size, seam="line"), *coordinates(0.8, 0.4, size, size, from_top=True))
        for cell in range(size * size):
            x, y = 1.3 + cell % size, 0.9 + cell // size
            seen = int(s.seen[cell])
            if s.ship[cell] and (agent is None or seen == SUNK or s.terminated[0]):
                scene.add(Rect(x - 0.38, y - 0.38, 0.76, 0.76, "muted@0.6", radius=0.2, glyph="="))
            if seen == MISS:
                scene.add(Circle(x, y, 0.12, "blue", glyph="-"))
            elif seen >= HIT:
                scene.add(Circle(x, y, 0.26, "red" if seen == HIT else "black", glyph="x" if seen == HIT else "S"))
        left = int(s.left.sum())
        footer(scene, f"shot {s.shots} of {s.params.horizon}", "all sunk" if left == 0 else f"{left} cells to hit")
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        size = int(s.params.size)
        column, row = math.floor(x - 0.8), math.floor(y - 0.4)
        return row * size + column if 0 <= column < size and 0 <= row < size else None


env, raw_env, parallel_env = pettingzoo_forms(Battleship)
