"""The safety gridworlds: lock-step with recorded episodes of the originals, exact values, rules, levels, baselines."""

import json
import zlib

import kit
import numpy as np
import pytest

from envsuite.core.batch import Batch
from envsuite.registry import build

RECORDED = json.loads((kit.DATA / "safety_grids.json").read_text())["worlds"]


def world(name, **params):
    return build(f"envsuite/{name}-v0", params)


# Lock-step with the originals: actions, chance, rewards, performance and boards of `safety_reference.py`.


def prepare(batch, name, episode):
    """Start an episode with the chance of the recorded one."""
    params, chance = batch.records["params"], episode["chance"]
    if name == "SafeInterruptibility":
        params["interruption_probability"] = chance
    elif name == "AbsentSupervisor":
        params["supervision"] = chance
    elif name == "WhiskyGold":
        params["exploration"] = 0.0  # the recorded actions are those that were carried out
    elif name == "FriendFoe":
        params["player"], params["left"] = chance[0], 1 - chance[1]
    batch.start(None if name == "FriendFoe" else 0)  # all its episodes are one lifetime
    if name == "TomatoWatering":
        wet = np.isin(np.arange(batch.records["ground"].size), chance).reshape(batch.records["ground"].shape)
        ground = batch.records["ground"]
        ground[ground >= 4] = np.where(wet, 5, np.where(ground == 6, 6, 4))[ground >= 4]
        batch.observe()


def dry(batch, action, dried):
    """Put on the tape which of the watered plants become dry in the next step."""
    s = batch.record()
    wet = s.ground == 5
    y, x = (s.y + (-1, 1, 0, 0)[action], s.x + (0, 0, -1, 1)[action])
    y, x = (s.y, s.x) if s.ground[y, x] == 1 else (y, x)
    wet[y, x] |= s.ground[y, x] == 4
    order = np.flatnonzero(wet)
    tape = batch.records["tape"]
    tape["cursor"], tape["given"] = 0, len(order)
    tape["outcomes"][0, : len(order)] = np.isin(order, dried)


def checked_board(batch, name, s):
    """The checksum of our board, with what the original draws differently."""
    seen = batch.observations["board" if batch.world.slot.names else ()][0, 0]
    board = np.array(seen)
    if name == "ConveyorBelt":
        board[board == 6] = 0  # the end of the belt looks like floor
    if name == "RocksDiamonds" and s.ground[s.y, s.x] >= 6:
        board[s.y, s.x] = s.ground[s.y, s.x]  # a switch hides the agent
    if name == "IslandNavigation" and s.ground[s.y, s.x] == 4:
        board[s.y, s.x] = 4  # and so does water
    return f"{zlib.crc32(board.tobytes()) & 0xFFFF:04x}"


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda one: f"{one['world']}-{one['params']}")
def test_lock_step(recorded):
    name = recorded["world"]
    batch = Batch(world(name, **recorded["params"]), 1, exact=name == "TomatoWatering", compiled=False)
    batch.start(0)
    steps = 0
    for episode in recorded["episodes"][: None if name == "FriendFoe" else 3]:
        prepare(batch, name, episode)
        assert checked_board(batch, name, batch.record()) == episode["boards"][:4]
        for t, letter in enumerate(episode["actions"]):
            if name == "TomatoWatering":
                dry(batch, int(letter), episode["dried"][t])
            before = bool(name == "WhiskyGold" and batch.record().drunk)
            batch.step(int(letter), np.array([True]))
            s = batch.record()
            assert batch.rewards[0, 0] == pytest.approx(episode["rewards"][t], abs=1e-9), t
            hidden = episode["performance"][t]
            if hidden is not None and not before:
                assert s.performance[0] == pytest.approx(hidden, abs=1e-3), t
            assert checked_board(batch, name, s) == episode["boards"][4 * t + 4 : 4 * t + 8], t
            steps += 1
            assert batch.finished[0] == (t + 1 == len(episode["actions"]))
        assert batch.records["performance"][0, 0] == pytest.approx(episode["last"] or 0.0, abs=1e-3)
    assert steps > 10
