"""FruitMarket: in lock-step with recorded episodes of Melting Pot, each rule by a probe, its maps and policies."""

import numpy as np
import pytest
from avatar_play import cell, hall, lit, put, started, where
from kit import DATA
from scipy import stats

from envsuite.generators.groves import SIZE
from envsuite.kit.avatars import BORDER, FLOOR, LIT, OWN, PLAYER
from envsuite.social.fruit_market import ACTIONS, BARE, RIPE, FruitMarket

EAST, SOUTH, WEST, NORTH = range(4)
EPISODES = 6
#: Episodes in which the trades of a frame came before its harvests.
TRADES_FIRST = (1, 2, 4, 5)
PATH = DATA / "fruit_market.npz"


def embedded(rows):
    """A level with this map in its north-west corner."""
    rows = [row.replace("p", "s").ljust(SIZE, "#") for row in rows]
    return rows + ["#" * SIZE] * (SIZE - len(rows))


def place(batch, agents):
    """Put all agents on (x, y, facing), all at once."""
    for s in batch.records:
        for a in range(len(agents)):
            s["cells"][s["at"][a]] = s["under"][a]
        for a, (x, y, facing) in enumerate(agents):
            at = cell(batch, x, y)
            s["at"][a], s["facing"][a], s["under"][a] = at, facing, s["cells"][at]
            s["cells"][at] = PLAYER + 4 * a + facing
    batch.observe()


def seen(batch):
    """(copies, agents, 12) what the file holds of the agents."""
    s, observed = batch.records, batch.observations
    wide = SIZE + 2 * BORDER
    every = np.arange(s["at"].shape[1])
    offers = observed["offers"]
    others = offers.any(axis=3)
    others[:, every, every] = False
    doing = observed["doing"][:, every, every]
    own = [
        s["at"] % wide - BORDER,
        s["at"] // wide - BORDER,
        s["facing"],
        observed["stamina"][:, every, every],
        observed["hunger"][..., 0],
        *np.moveaxis(observed["fruit"], 2, 0),
        *np.moveaxis(offers[:, every, every], 2, 0),
        others.sum(axis=2),
        doing != 2,
        doing,
    ]
    return np.stack(own, axis=2)


class Episode:
    """A recorded episode, and the same in a batch of one; `copies` play a frame that went differently."""

    def __init__(self, number, copies=64):
        with np.load(PATH) as file:
            parts = [file[f"{part}_{number}"] for part in ("map", "actions", "agents", "rewards", "ripe", "beams")]
        rows, self.actions, self.agents, self.rewards, ripe, beams = parts
        world = FruitMarket(self.actions.shape[1], horizon=10_000)
        self.one, self.copies = (started(world, num, embedded(rows.tolist())) for num in (1, copies))
        self.trees = [
            cell(self.one, x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter in "ab"
        ]
        self.ripe = np.unpackbits(ripe, axis=1)[:, : len(self.trees)]
        size = len(self.actions), len(rows), len(rows[0])
        self.beams = np.unpackbits(beams, axis=1)[:, : size[1] * size[2]].reshape(size)
        self.trades_first, self.weak = number in TRADES_FIRST, []

    def follow(self):
        """Play the episode: places, facings, stamina, hunger, fruit, offers, looks, rewards, trees and beams."""
        place(self.one, self.agents[0, :, :3].tolist())
        assert (seen(self.one) == self.agents[0]).all() and self.ripe[0].all()
        for t in range(len(self.actions)):
            before = self.one.records[0].copy()
            if not self.step(self.one, before, t).any():
                matches = np.flatnonzero(self.step(self.copies, before, t))
                assert len(matches), f"frame {t}: {self.actions[t]}\n{self.agents[t : t + 2]}\n{seen(self.copies)[0]}"
                self.one.records[0] = self.copies.records[matches[0]]
                self.one.observe()

    def step(self, batch, before, t):
        """Which worlds of a batch, of which all play frame t from this record on, come to what the file holds."""
        s = batch.records
        streams = s["rng"].copy()
        s[:] = before
        s["rng"] = streams
        players = np.arange(len(before["at"]))
        on = np.where(np.isin(before["under"], RIPE), before["under"] - RIPE[0], -1)
        got = np.zeros(len(players), bool)
        for a in np.flatnonzero(on >= 0):
            k = self.trees.index(before["at"][a])
            got[a] = self.ripe[t, k] > self.ripe[t + 1, k]
        weak = (on >= 0) & (on != players % 2)
        assert got[(on >= 0) & ~weak].all()
        if batch is self.one:
            self.weak += got[weak].tolist()
        s["params"]["chances"] = (0 if self.trades_first else 1), got[weak].mean() if weak.any() else 0
        if self.trades_first:
            s["params"]["chances"] = 0
        batch.step(tuple(self.actions[t].tolist()))
        same = (batch.rewards == self.rewards[t]).all(axis=1)
        if self.trades_first:
            for a in np.flatnonzero(got):
                give(s, a, int(before["at"][a]), int(on[a]))
            batch.observe()
        same &= (seen(batch) == self.agents[t + 1]).all(axis=(1, 2))
        same &= (np.isin(ground(batch)[:, self.trees], RIPE) == self.ripe[t + 1]).all(axis=1)
        beams = batch.world.state(s, None)[:, : self.beams.shape[1], : self.beams.shape[2]] >= LIT
        return same & (beams == self.beams[t]).all(axis=(1, 2))


def give(records, a, tree, fruit):
    """Let an agent harvest a tree that it may have left since."""
    for s in records:
        s["fruit"][a, fruit] += 2
        s["wait"][tree] = 50
        s["bare"][s["bare_count"]] = tree
        s["bare_count"] += 1
        code = int(s["cells"][tree]) & 127
        if PLAYER <= code < OWN:
            s["under"][(code - PLAYER) // 4] = BARE[fruit]
        else:
            s["cells"][tree] += BARE[0] - RIPE[0]


def ground(batch):
    """(copies, cells) the codes without agents."""
    codes = batch.records["cells"] & 127
    for i, s in enumerate(batch.records):
        codes[i, s["at"]] = s["under"]
    return codes


@pytest.mark.parametrize("number", range(EPISODES))
def test_melting_pot_in_lock_step(number):
    Episode(number).follow()
