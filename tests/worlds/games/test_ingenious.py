"""Ingenious: MOMAland move by move, scores by a second implementation, small boards, the bag, levels, baselines."""

import json
import subprocess
from collections import Counter
from functools import partial

import kit
import numpy as np
import pytest
from reference_environment import interpreter
from scipy.stats import chisquare

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.ingenious import CAP, LETTERS, bag, tile_name
from envsuite.registry import build

ID = "envsuite/Ingenious-v0"

started = partial(kit.started, ID)

#: Made by tests/data/recorders/momaland_ingenious.py.
RECORDED = json.loads((kit.DATA / "momaland_ingenious.json").read_text())["games"]

NAMES = "players", "side", "colors", "rack", "mode", "open_racks"


def put_on_top(batch, tiles):
    """Order the bag so that these tiles are drawn next."""
    left = int(batch.records["left"][0])
    rest = Counter(batch.records["bag"][0, :left].tolist())
    rest.subtract(tiles)
    assert min(rest.values()) >= 0
    batch.records["bag"][0, :left] = [*rest.elements(), *reversed(tiles)]


def replay(game):
    """Play a recorded game and compare boards, racks, scores, masks, movers, rewards and ends: the bonus turns."""
    players, rack = game["players"], game["rack"]
    start = np.reshape([tile_name(tile) for tile in game["draws"][0]], (players, rack)).tolist()
    batch = started(level={"racks": start}, **{name: game[name] for name in NAMES})
    bonus, total = 0, np.zeros(batch.vector_rewards.shape[1:])
    for k, (move, mover) in enumerate(zip([*game["moves"], None], game["movers"], strict=True)):
        s = batch.record()
        racks, mask = np.stack(np.divmod(s.racks, 7), axis=2).astype(np.int8), batch.masks[0, mover].astype(np.int8)
        parts = s.board, racks, s.scores, mask, batch.vector_rewards[0, :, :-1].astype(np.int16)
        assert "".join(map(kit.checksum, parts)) == game["sums"][20 * k : 20 * k + 20]
        assert batch.over()[0] == (move is None)
        if move is not None:
            assert kit.mover(batch) == mover and batch.acting[0].sum() == 1
            put_on_top(batch, game["draws"][k + 1])
            batch.step(move)
            total += batch.vector_rewards[0]
            assert (batch.rewards[0] == batch.vector_rewards[0, :, -1]).all()
            bonus += game["movers"][k + 1] == mover and not batch.over()[0]
    assert batch.terminations.all() and not batch.truncations.any()
    scores = batch.records["scores"][0]
    assert (total[:, :-1] == scores).all() and (total[:, -1] == scores.min(axis=1)).all()
    return bonus


@pytest.mark.parametrize("game", RECORDED, ids=lambda game: "-".join(str(game[name]) for name in NAMES[:5]))
def test_recorded_games_of_momaland(game):
    replay(game)
