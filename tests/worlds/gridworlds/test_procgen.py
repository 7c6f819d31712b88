"""Worlds after Procgen: its levels cell for cell from its random words, its games step by step, rules by example."""

import gzip
import json

import kit
import numpy as np
import pytest

from envsuite.core.errors import LevelError, ParameterError
from envsuite.evaluation.matches import play
from envsuite.generators import generate
from envsuite.gridworlds import miner
from envsuite.kit.procgen import DOWN, LEFT, NOOP, RIGHT, UP

RECORDED = json.loads(gzip.decompress((kit.DATA / "procgen.json.gz").read_bytes()))
SIZES = {"miner": {"easy": 10, "hard": 20, "memory": 35}}

#: Our move for each of Procgen's, in which the horizontal part comes first.
MOVES = [LEFT, LEFT, LEFT, DOWN, NOOP, UP, RIGHT, RIGHT, RIGHT]


class Words:
    """Procgen's random numbers: the words of a Mersenne twister, less those that a reset draws for its pictures."""

    def __init__(self, seed, drawn):
        self.twister = np.random.RandomState(seed)._bit_generator
        self.twister.random_raw(drawn)

    def randint(self, s, size):
        return int(self.twister.random_raw()) % size


def codes(rows):
    """The codes of a recorded map."""
    return np.array([[int(letter, 36) for letter in row] for row in rows], np.uint8)


def levels(game):
    """The recorded levels of a game, each with the side of its map."""
    return [(SIZES[game][mode], level) for mode, some in RECORDED[game]["levels"].items() for level in some]


def lock_step(batch, episodes, moves):
    """Play recorded games, all at once; rewards and ends are compared, and yields (k, t, checksum) of states."""
    for t in range(max(len(episode["actions"]) for episode in episodes)):
        going = np.array([t < len(episode["actions"]) for episode in episodes])
        chosen = [moves[int(episode["actions"][t])] if go else 0 for episode, go in zip(episodes, going)]
        batch.step(np.array(chosen)[:, None], going)
        for k in np.flatnonzero(going):
            over = t == len(episodes[k]["actions"]) - 1 and episodes[k]["over"]
            assert batch.rewards[k, 0] == pytest.approx(episodes[k]["rewards"][t], abs=1e-4), (k, t)
            assert batch.over()[k] == over, (k, t)
            if not over:
                yield k, t, episodes[k]["states"][t]


# Miner.


def mined(*rows, **params):
    """A game of Miner on a map of one's own, with diamonds left so that the exit is closed."""
    return kit.started("envsuite/Miner-v0", level={"map": list(rows)}, size=len(rows), **params)


def rows_of(batch):
    """The letters of the mine."""
    lines = batch.world.text(batch.record(), 0).splitlines()
    return [line.replace(" ", "") for line in lines[1:] if line.startswith("  ")]


def test_miner_levels(monkeypatch):
    """Procgen's random words give Procgen's levels."""
    for size, level in levels("miner"):
        s = kit.started("envsuite/Miner-v0", size=size).record()
        monkeypatch.setattr(miner, "randint", Words(level["seed"], 4).randint)
        miner.make(s)
        assert (s.map == codes(level["map"])).all(), (size, level["seed"])


@pytest.mark.parametrize("mode", ["easy", "hard"])
def test_miner_games(mode):
    """Procgen's games, from its levels on. There, the count of diamonds is 0 before the first step."""
    episodes = [episode for episode in RECORDED["miner"]["games"] if episode["mode"] == mode]
    maps = {level["seed"]: codes(level["map"]) for level in RECORDED["miner"]["levels"][mode]}
    legend = dict(zip(miner.CODES.tolist(), miner.LEGEND))
    starts = [{"map": ["".join(legend[code] for code in row) for row in maps[e["seed"]].tolist()]} for e in episodes]
    batch = kit.started("envsuite/Miner-v0", len(episodes), level=starts, size=SIZES["miner"][mode])
    diamonds = batch.records["left"].copy()
    batch.records["left"] = 0
    for k, t, state in lock_step(batch, episodes, MOVES):
        if t == 0:
            batch.records["left"][k] += diamonds[k]
        assert kit.checksum(batch.observations[k, 0]) == state, (k, t)
    for seen, least in ((10.0, 15), (1.0, 50)):
        assert sum(seen in episode["rewards"] for episode in episodes) >= (least if mode == "easy" else 2)
