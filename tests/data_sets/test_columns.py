"""Columns: every row equals what stepping a single world by hand shows, byte for byte, however rows are read."""

import json
import math

import numpy as np
import pytest

from envsuite.core.batch import Batch
from envsuite.core.errors import DataError, ParameterError
from envsuite.data import Recorded, record, recorded
from envsuite.data.columns import BASE
from envsuite.registry import build

WORLDS = {
    "ConnectFour": {},
    "KuhnPoker": {"players": 3},
    "DoorKey": {"size": 5, "horizon": 25},
    "Coins": {"horizon": 12},
    "Overcooked": {"horizon": 15},
    "Werewolf": {},
    "Fishery": {},
}


def by_hand(data, episode):
    """The rows of an episode in the order of steps and agents, from a batch of one that is stepped by hand."""
    world = data.world
    batch, agents = Batch(world, 1), range(len(world.agents))
    batch.start(episode.seed)
    rows, rewards, ends = [], [], []
    for step, actions in enumerate([*episode.actions, None]):
        ends.append((batch.terminations[0].tolist(), batch.truncations[0].tolist()))
        for a in agents:
            if batch.acting[0, a] or actions is None:
                slot = batch.observations[0, a]
                parts = {f".{name}": slot[name] for name in world.slot.names} if world.slot.names else {"": slot}
                rows.append({
                    "episode": episode.number, "step": step, "agent": a, "policy": data.policies[a],
                    "acting": actions is not None, "action": -1 if actions is None else int(actions[a]),
                    "mask": batch.masks[0, a].copy(), "text": world.text(batch.record(), a),
                    **{f"observation{name}": part.copy() for name, part in parts.items()},
                })  # fmt: skip
        if actions is not None:
            batch.step(actions)
            rewards.append(batch.rewards[0].copy())
    for k, row in enumerate(rows):
        a, step = row["agent"], row["step"]
        until = next((one["step"] for one in rows[k + 1 :] if one["agent"] == a), step)
        row["reward"] = sum(rewards[t][a] for t in range(step, until))
        row["return_to_go"] = sum(reward[a] for reward in rewards[step:])
        row["terminated"], row["truncated"] = (flags[a] for flags in ends[until])
    return rows


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.mostly_slow
def test_rows_are_those_of_stepping_by_hand(name, tmp_path, monkeypatch):
    monkeypatch.setattr(recorded, "_BYTES", 20_000)  # several parts of a block
    world = build(name, WORLDS[name])
    data = record(world, "random", 5, tmp_path / "data", seed=11)
    columns = [*BASE, "mask", "text", "return_to_go", "observation"]
    hand = [row for episode in data.episodes() for row in by_hand(data, episode)]
    made = [row for episode in data.episodes(columns) for row in _rows(episode.rows)]
    assert len(hand) == len(made) > 0
    for one, two in zip(hand, made):
        assert one.keys() == two.keys()
        for key in one:
            if key in ("reward", "return_to_go"):
                assert math.isclose(one[key], two[key], rel_tol=1e-6, abs_tol=1e-6), (key, one, two)
            elif isinstance(one[key], np.ndarray):
                assert one[key].tobytes() == two[key].tobytes() and one[key].dtype == two[key].dtype, (key, one, two)
            else:
                assert one[key] == two[key], (key, one, two)
    decisions = next(data.batches(10**6, columns))
    kept = [row for row in made if row["acting"]]
    assert len(decisions["action"]) == len(kept)
    assert all(np.array_equal(decisions["mask"][k], row["mask"]) for k, row in enumerate(kept))


def _rows(columns):
    return [{name: column[k] for name, column in columns.items()} for k in range(len(columns["step"]))]


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    return record("ConnectFour", "random", 60, tmp_path_factory.mktemp("data") / "four", grades=(0.0, 1.0))


def test_rewards_add_up_to_returns(four):
    rows = next(four.batches(10**6, ["episode", "agent", "reward", "return_to_go", "step", "grade"]))
    totals = np.zeros((60, 2))
    np.add.at(totals, (rows["episode"], rows["agent"]), rows["reward"])
    assert totals.tolist() == four.returns.tolist()
    first = rows["step"] < 2
    assert rows["return_to_go"][first].tolist() == four.returns.ravel().tolist()
    assert rows["grade"].tolist() == (rows["episode"] % 2).tolist()


def test_batches_have_their_size_whatever_the_parts(four, monkeypatch):
    whole = next(four.batches(10**6, ["observation", "mask"]))
    monkeypatch.setattr(recorded, "_BYTES", 50_000)
    parts = list(four.batches(37, ["observation", "mask"]))
    assert all(len(part["mask"]) == 37 for part in parts[:-1]) and 0 < len(parts[-1]["mask"]) <= 37
    assert list(parts[0]) == ["observation", "mask"]
    for name, column in whole.items():
        assert np.concatenate([part[name] for part in parts]).tobytes() == column.tobytes()


def test_splits_are_disjoint_and_complete(four):
    train, test = ({one.number for one in four.episodes(split=split)} for split in ("train", "test"))
    assert not train & test and train | test == set(range(60)) and test
    rows = next(four.batches(10**6, ["episode"], "test"))
    assert set(rows["episode"].tolist()) == test
    assert {one.number for one in four.episodes(["mask"], "test")} == test


def test_sequences_are_the_decisions_of_one_agent(four):
    columns = ["episode", "agent", "step", "observation", "action"]
    parts = list(four.sequences(4, columns, rows=50))
    found = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    assert all(len(part["valid"]) == 50 for part in parts[:-1]) and list(parts[0]) == [*columns, "valid"]
    valid, rows = found["valid"], next(four.batches(10**6, columns))
    assert found["observation"].shape == (len(valid), 4, 6, 7, 2) and valid.sum() == len(rows["step"])
    assert (np.diff(valid.astype(int), axis=1) <= 0).all() and valid[:, 0].all()
    for name in ("episode", "agent"):  # one of each in a sequence
        assert (np.where(valid, found[name], found[name][:, :1]) == found[name][:, :1]).all()
    order = np.lexsort((rows["step"], rows["agent"], rows["episode"]))
    for name in columns:
        assert np.array_equal(found[name][valid], rows[name][order]), name
    assert not found["observation"][~valid].any()
    assert "agent" not in next(four.sequences(4))


def test_tensors(four):
    import torch

    batch = next(four.torch().batches(100, ["observation", "mask", "action", "text"]))
    plain = next(four.batches(100, ["observation", "mask", "action"]))
    for name, column in plain.items():
        assert isinstance(batch[name], torch.Tensor) and batch[name].numpy().tobytes() == column.tobytes()
    assert batch["text"].dtype == object
    assert next(four.torch().sequences(5))["valid"].dtype == torch.bool


def test_messages_are_said_by_actions(tmp_path):
    data = record("Fishery", "random", 2, tmp_path / "fish", seed=5)
    for episode in data.episodes(["agent", "message", "acting"]):
        replay = episode.replay()
        said = [(speaker, words) for moment in replay.play() for speaker, words in data.world.messages(moment.record)]
        heard = {(int(a), line) for a, words in zip(episode.rows["agent"], episode.rows["message"]) if words
                 for line in words.split("\n")}  # fmt: skip
        assert heard == set(said)


def test_states_and_vector_rewards(tmp_path):
    data = record(build("Overcooked", {"horizon": 10}), "random", 3, tmp_path / "cook")
    rows = next(data.batches(10**6, ["state", "vector_reward", "reward", "episode", "step"]))
    batch = Batch(data.world, 1)
    batch.start(0)
    assert np.array_equal(rows["state"][0], data.world.state(batch.records, batch.observations)[0])
    assert rows["vector_reward"].shape == (60, 2)
    weights = data.world.parameters["weights"]
    assert np.allclose(rows["vector_reward"] @ weights, rows["reward"])
    with pytest.raises(ParameterError, match="ConnectFour-v0 has no vector reward"):
        record("ConnectFour", "random", 1, tmp_path / "four").plan(["vector_reward"])


def late(moment):
    """Whether the episode is in its fifth step or later."""
    return moment.step >= 4


def mover(moment):
    """The legal actions of each agent."""
    return moment.masks.sum(axis=1)


def named(moment):
    """The name of a step."""
    return f"step {moment.step}"


def lists(moment):
    """Something that is no label."""
    return [[1]]


def test_labels(four):
    columns = [f"label.{name}={__name__}:{name}" for name in ("late", "mover", "named")]
    rows = next(four.batches(10**6, ["step", "mask", *columns]))
    assert rows["label.late"].dtype == bool and rows["label.late"].tolist() == (rows["step"] >= 4).tolist()
    assert rows["label.mover"].tolist() == rows["mask"].sum(axis=1).tolist()
    assert rows["label.named"].tolist() == [f"step {step}" for step in rows["step"]]
    with pytest.raises(ParameterError, match="lists must return a number, a truth value or a text, or 2 of them"):
        four.plan([f"label.x={__name__}:lists"])


def test_unknown_columns_name_near_ones(four):
    with pytest.raises(ParameterError, match="no column 'observations'; did you mean 'observation'"):
        four.plan(["observations"])
    with pytest.raises(ParameterError, match="must be a list of names"):
        four.plan("mask")
    for split, rows in (("validation", 5), (None, 0)):
        with pytest.raises(ParameterError, match="split=|rows="):
            next(four.batches(rows, split=split))


def test_an_episode_that_departs_is_named(tmp_path, monkeypatch):
    data = record("KuhnPoker", "random", 30, tmp_path / "kuhn")
    block = next(iter(data.blocks()))
    block.returns[17] += 1
    monkeypatch.setattr(Recorded, "blocks", lambda self: iter([block]))
    with pytest.raises(DataError, match="block 0: episode 17 does not play as it was recorded: its returns are"):
        data.verify()
    block.returns[17] -= 1
    data.verify()
    block.actions[block.starts[4]] ^= 1
    with pytest.raises(DataError, match="episodes? .*(4|from 0 on)"):
        data.verify()


def test_dataset_json_describes_spaces(four):
    about = json.loads((four.store.path / "dataset.json").read_text())
    assert about["action_names"] == [list(names) for names in four.world.action_names]
    assert "Box(0, 1, (6, 7, 2), int8)" in about["observation_spaces"][0]
