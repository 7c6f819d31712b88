"""Chemistry: in lock-step with recorded episodes of Melting Pot, and each rule by a probe."""

import gzip
import json
import pathlib

import numpy as np
import pytest
from avatar_play import cell, put, where
from kit import started

from envsuite.generators.reaction_graphs import BUSY, EMPTY, HEIGHT, LEGEND, WIDTH
from envsuite.kit.avatars import BORDER, OWN, PLAYER
from envsuite.social.chemistry import Chemistry

EPISODES = json.loads(gzip.decompress((pathlib.Path(__file__).parents[2] / "data" / "chemistry.json.gz").read_bytes()))
LETTERS = LEGEND + "!"
CELLS = (HEIGHT + 2 * BORDER) * (WIDTH + 2 * BORDER)
#: Copies that play each step of a recorded episode, and attempts of them all, because reactions are random.
COPIES, ATTEMPTS = 128, 400


def framed(rows):
    """These rows in the corner of a map of walls."""
    padded = ["#" + row + "#" * (WIDTH - 1 - len(row)) for row in rows]
    return ["#" * WIDTH, *padded, *["#" * WIDTH] * (HEIGHT - 1 - len(rows))]


def code(letter):
    """The code of a molecule."""
    return OWN + LETTERS.index(letter)


def place(batch, agents):
    """Put agents on (x, y, facing), all at once."""
    s = batch.records
    for a in range(len(agents)):
        s["cells"][np.arange(len(s)), s["at"][:, a]] = s["under"][:, a]
    for a, (x, y, facing) in enumerate(agents):
        s["at"][:, a], s["facing"][:, a] = cell(batch, x, y), facing
        s["cells"][:, cell(batch, x, y)] = PLAYER + 4 * a + facing


class Frames:
    """What an episode shows in each frame: molecules by place, and agents."""

    def __init__(self, batch, episode):
        frames, width = episode["frames"], len(episode["map"][0])
        self.places = [cell(batch, 1 + x, 1 + y) for y in range(len(episode["map"])) for x in range(width)]
        players, self.molecules = len(frames[0]["g"]), []
        grid = np.zeros(len(self.places) + players, int)
        self.places += [CELLS + a for a in range(players)]
        for frame in frames:
            for k, letter in frame["c"]:
                grid[k] = code(letter)
            for a, (*_, letter) in enumerate(frame["g"]):
                grid[len(grid) - players + a] = code(letter)
            self.molecules.append(grid.copy())
        self.molecules += [grid, grid]
        self.agents = [[(1 + x, 1 + y, facing) for x, y, facing, _ in frame["g"]] for frame in frames]
        self.rewards = [np.array(frame.get("r", [0.0] * players)) for frame in frames] + [None] * 2

    def fits(self, batch, t):
        """Which copies are as the episode after step t, what their reactions lead to in the next steps included."""
        s, players = batch.records, len(self.agents[0])
        at = [cell(batch, x, y) for x, y, _ in self.agents[t]]
        good = (s["at"] == at).all(1) & (s["facing"] == [facing for *_, facing in self.agents[t]]).all(1)
        good &= np.isclose(batch.rewards, self.rewards[t]).all(1)
        molecule, product = s["molecule"][:, self.places], s["product"][:, self.places]
        good &= (molecule == self.molecules[t]).all(1)
        if t + 1 < len(self.agents):
            busy = self.molecules[t] == OWN + BUSY
            good &= ((product + OWN == self.molecules[t + 1]) | ~busy).all(1)
        if t + 2 < len(self.agents):
            paid = np.take_along_axis(s["pays"], s["latest"], 1) * (s["molecule"][:, CELLS:] == OWN + BUSY)
            good &= np.isclose(paid[:, :players], self.rewards[t + 2]).all(1)
        return good


def copy_to_all(s, record):
    """Continue from this record, each copy with its own chance."""
    streams, gaps = s["rng"].copy(), s["gap"].copy()
    s[:] = record
    s["rng"], s["gap"] = streams, gaps


def hurry(s, frames, t, chance):
    """Make what reacts in a step of the episode likely to do so, in half of the copies."""
    before, width = frames.molecules[t - 1], WIDTH + 2 * BORDER
    new = np.flatnonzero((frames.molecules[t] == OWN + BUSY) & (before != OWN + BUSY))
    kinds = before[new] - OWN
    s["rates"][::2, 0, kinds] = np.maximum(s["rates"][::2, 0, kinds], 0.3)
    cells = np.array([frames.places[k] for k in new[kinds == EMPTY] if frames.places[k] < CELLS] + [CELLS])
    s["gap"] = chance.choice((cells // width - BORDER - 1) * (WIDTH - 2) + cells % width - BORDER - 1, len(s))
    s["rates"][:, 0, EMPTY] = 0.003


def follow(episode):
    """Play an episode of Melting Pot in lock-step; the number of steps."""
    players = len(episode["frames"][0]["g"])
    level = {"map": framed(episode["map"]), "reactions": episode["reactions"], "rates": episode["rates"]}
    batch = started(Chemistry(players=players, horizon=100_000), COPIES, 0, level)
    frames, s, chance = Frames(batch, episode), batch.records, np.random.default_rng(0)
    place(batch, frames.agents[0])
    for t, frame in enumerate(episode["frames"][1:], 1):
        before = s[0].copy()
        for attempt in range(ATTEMPTS):
            batch.step(tuple(frame["a"]))
            good = frames.fits(batch, t)
            if good.any():
                break
            copy_to_all(s, before)
            hurry(s, frames, t, chance)
        else:
            raise AssertionError((t, frame, episode["frames"][t - 1 : t + 3]))
        copy_to_all(s, s[int(good.argmax())].copy())
        s["rates"] = before["rates"]
    return len(episode["frames"]) - 1


@pytest.mark.parametrize("number", [0, 1])
def test_melting_pot_in_lock_step(number):
    """Places, facings, molecules, what agents carry, and rewards in every frame."""
    follow(EPISODES[number])


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2, len(EPISODES)))
def test_all_episodes_of_melting_pot_in_lock_step(number):
    follow(EPISODES[number])
