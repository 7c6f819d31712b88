"""FruitMarket: in lock-step with recorded episodes of Melting Pot, each rule by a probe, its maps and policies."""

import numpy as np
import pytest
from avatar_play import cell, hall, lit, put, started, where
from kit import DATA
from scipy import stats

from envsuite.generators.groves import SIZE
from envsuite.kit.avatars import BORDER, FLOOR, PLAYER
from envsuite.social.fruit_market import ACTIONS, BARE, RIPE, FruitMarket

EAST, SOUTH, WEST, NORTH = range(4)
#: Copies that play each step of a recorded episode, because walks, trades and harvests are random.
COPIES = 48
EPISODES = 6
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


def follow(number):
    """Play an episode of Melting Pot; the numbers of harvests of the other fruit, and of attempts."""
    with np.load(PATH) as file:
        rows, actions, agents, rewards, ripe, beams = (
            file[f"{part}_{number}"] for part in ("map", "actions", "agents", "rewards", "ripe", "beams")
        )
    frames, players = actions.shape
    batch = started(FruitMarket(players, horizon=10_000), COPIES, embedded(rows.tolist()))
    place(batch, agents[0, :, :3].tolist())
    s = batch.records
    trees = [cell(batch, x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter in "ab"]
    ripe = np.unpackbits(ripe, axis=1)[:, : len(trees)]
    beams = np.unpackbits(beams, axis=1)[:, : len(rows) * len(rows[0])].reshape(frames, len(rows), -1)
    assert (seen(batch) == agents[0]).all() and ripe[0].all()
    harvested = tried = 0
    for t in range(frames):
        s["params"]["chances"][:, 1] = 0.0
        fruit = np.where(np.isin(s["under"][0], RIPE), s["under"][0] - RIPE[0], -1)
        weak = (fruit >= 0) & (fruit != np.arange(players) % 2)
        if weak.any():
            places = [trees.index(s["at"][0, a]) for a in np.flatnonzero(weak)]
            got = ripe[t, places] & ~ripe[t + 1, places] & 1
            harvested, tried = harvested + got.sum(), tried + len(got)
            s["params"]["chances"][:, 1] = got.mean()
        batch.step(tuple(actions[t].tolist()))
        found = seen(batch)
        same = (found == agents[t + 1]).all(axis=(1, 2)) & (batch.rewards == rewards[t]).all(axis=1)
        now = np.isin(ground(batch)[:, trees], RIPE)
        same &= (now == ripe[t + 1]).all(axis=1)
        if not same.any():
            best = (found == agents[t + 1]).sum(axis=(1, 2)).argmax()
            raise AssertionError(f"frame {t}: {actions[t]}\n{agents[t]}\n{agents[t + 1]}\n{found[best]}")
        match = int(same.argmax())
        streams = s["rng"].copy()
        s[:] = s[match].copy()
        s["rng"] = streams
        places = {(x, y) for y, x in np.argwhere(beams[t]).tolist()}
        assert lit(batch) == places, (t, lit(batch), places)
    return harvested, tried


def ground(batch):
    """(copies, cells) the codes without agents."""
    codes = batch.records["cells"] & 127
    for i, s in enumerate(batch.records):
        codes[i, s["at"]] = s["under"]
    return codes


@pytest.mark.parametrize("number", range(EPISODES))
def test_melting_pot_in_lock_step(number):
    print(follow(number))
