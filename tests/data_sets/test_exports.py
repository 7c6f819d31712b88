"""Exports: what other libraries read is what `Recorded` reads, byte for byte."""

import json
import sys

import numpy as np
import pyarrow.parquet as parquet
import pytest
from typer.testing import CliRunner

from envsuite import cli
from envsuite.agents import Policy
from envsuite.core.errors import DataError, ParameterError
from envsuite.data import Recorded, export, record
from envsuite.data.columns import BASE
from envsuite.generators import generate_many
from envsuite.registry import build

COLUMNS = ["observation", "mask", "text", "return_to_go", "action_name", "value", "best"]


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory):
    return record("KuhnPoker", None, 50, tmp_path_factory.mktemp("data") / "kuhn", grades=(0.0, 1.0))


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "door"
    return record(build("DoorKey", {"size": 5, "horizon": 30}), "random", 20, folder)


def unpacked(table, name):
    """A column of Parquet as the array that it was made of, by its metadata alone."""
    field, values = table.schema.field(name), table.column(name)
    notes = {key.decode(): value.decode() for key, value in field.metadata.items()}
    if notes["dtype"] == "str":
        return np.array(values.to_pylist(), object)
    shape = json.loads(notes["shape"])
    if not shape:
        return values.to_numpy()
    rows = np.frombuffer(b"".join(values.to_pylist()), np.uint8).reshape(len(values), -1)
    if "bits" in notes:
        return np.unpackbits(rows, axis=1, count=shape[0], bitorder=notes["bits"])
    return rows.view(notes["dtype"]).reshape(len(values), *shape)


@pytest.mark.parametrize("fixture, columns", [("kuhn", COLUMNS), ("door", ["observation", "mask", "state"])])
def test_parquet(fixture, columns, tmp_path, request):
    data = request.getfixturevalue(fixture)
    counted = []
    export(data, tmp_path / "out", "parquet", columns, progress=counted.append)
    total = 0
    for split in ("train", "test"):
        table = parquet.read_table(tmp_path / "out" / split)
        total += len(table)
        wanted = next(data.chunks(data.plan([*BASE, *columns]), split, last_rows=True))
        assert table.schema.names == list(wanted)
        ended = ~wanted["acting"]
        for name, column in wanted.items():
            found = unpacked(table, name)
            if table.column(name).null_count:
                assert table.column(name).is_null().to_numpy().tolist() == ended.tolist(), name
                assert found[~ended].astype(column.dtype).tolist() == column[~ended].tolist(), name
            else:
                assert np.array_equal(found, column), name
        assert table.column("action").null_count == ended.sum() > 0
    assert sum(counted) == total
    episodes = parquet.read_table(tmp_path / "out" / "episodes.parquet").to_pylist()
    for row, episode in zip(episodes, data.episodes(), strict=True):
        assert (row["episode"], row["split"], row["seed"]) == (episode.number, episode.split, episode.seed)
        assert row["returns"] == episode.returns.tolist() and row["length"] == len(episode.actions)
        assert row["policies"] == list(data.policies) and row["grade"] == episode.grade
        assert (row["level"] is not None) == (fixture == "door")
    about = json.loads((tmp_path / "out" / "dataset.json").read_text())
    assert list(about["columns"]) == table.schema.names and about["made_from"] == data.about["made_from"]
    assert "path: train/*.parquet" in (tmp_path / "out" / "README.md").read_text()


def test_levels_are_those_that_episodes_start_from(door, tmp_path):
    export(door, tmp_path / "out", "parquet", [])
    rows = parquet.read_table(tmp_path / "out" / "episodes.parquet").to_pylist()
    levels = {split: {row["level"] for row in rows if row["split"] == split} for split in ("train", "test")}
    assert not levels["train"] & levels["test"]
    moment = next(iter(door.episodes())).replay().at(0)
    assert json.loads(rows[0]["level"]) == json.loads(json.dumps(door.world.get_level(moment.record)))


def test_given_levels_are_in_exports(tmp_path):
    levels = generate_many("maze", 3, width=7, height=7)
    world = build("Maze", {"width": 7, "height": 7, "horizon": 20})
    data = record(world, "random", 6, tmp_path / "maze", levels=levels)
    export(data, tmp_path / "out", "jsonl", [])
    rows = [json.loads(line) for line in (tmp_path / "out" / "episodes.jsonl").read_text().splitlines()]
    assert [json.loads(row["level"])["map"] for row in rows] == [list(level["map"]) for level in levels] * 2


def test_idle_rows(kuhn, tmp_path):
    """Agents that do not act have rows on request: no action, an empty mask, the reward of the step."""
    export(kuhn, tmp_path / "out", "parquet", ["mask", "text"], idle=True)
    rows = [row for split in ("train", "test") for row in parquet.read_table(tmp_path / "out" / split).to_pylist()]
    rows.sort(key=lambda row: (row["episode"], row["step"], row["agent"]))
    expected = []
    for episode in kuhn.episodes():
        moments = list(episode.replay().play())
        for moment, after in zip(moments, [*moments[1:], None]):
            for a in range(2):
                acts = after is not None and moment.masks[a].any()
                mask = int(np.packbits(moment.masks[a], bitorder="little")[0])
                reward = 0.0 if after is None else after.rewards[a]
                action = int(moment.actions[a]) if acts else None
                expected.append((episode.number, moment.step, a, acts, action, mask, reward))
    names = ("episode", "step", "agent", "acting", "action", "mask", "reward")
    assert [tuple(row[name] if name != "mask" else row[name][0] for name in names) for row in rows] == expected
    assert all(row["text"] for row in rows)
    with pytest.raises(ParameterError, match="idle rows are for parquet and jsonl"):
        export(kuhn, tmp_path / "rlds", "rlds", idle=True)


def test_json_lines(kuhn, tmp_path):
    export(kuhn, tmp_path / "out", "jsonl", COLUMNS)
    wanted = next(kuhn.chunks(kuhn.plan([*BASE, *COLUMNS]), "train", last_rows=True))
    rows = [json.loads(line) for line in (tmp_path / "out" / "train.jsonl").read_text().splitlines()]
    assert len(rows) == len(wanted["step"])
    for k, row in enumerate(rows):
        assert list(row) == list(wanted) and row["observation"] == wanted["observation"][k].tolist()
        assert row["action"] == (int(wanted["action"][k]) if wanted["acting"][k] else None)
        assert (row["value"] is None) == (not wanted["acting"][k])
    assert len((tmp_path / "out" / "episodes.jsonl").read_text().splitlines()) == 50


def test_rlds(kuhn, tmp_path):
    export(kuhn, tmp_path / "out", "rlds", ["observation"])
    table = parquet.read_table(tmp_path / "out" / "train")
    names = {"is_first", "is_last", "is_terminal", "observation", "action", "reward", "discount"}
    assert names < set(table.schema.names)
    rows = table.select([*names, "episode", "agent", "step"]).to_pylist()
    returns = np.zeros((50, 2))
    for before, row in zip([None, *rows], rows):
        same = before is not None and (before["episode"], before["agent"]) == (row["episode"], row["agent"])
        assert row["is_first"] != same and (not same or before["step"] < row["step"])
        assert row["is_last"] == (row["action"] is None) == row["is_terminal"]
        returns[row["episode"], row["agent"]] += row["reward"]
        if same:
            assert before["discount"] == (0 if row["is_terminal"] else 1)
    train = ~kuhn.test
    assert returns[train].tolist() == kuhn.returns[train].tolist()


@pytest.mark.parametrize("fixture, name", [("kuhn", "kuhnpoker"), ("door", "doorkey")])
def test_minari(fixture, name, tmp_path, request, monkeypatch):
    import minari

    data = request.getfixturevalue(fixture)
    export(data, tmp_path / "out", "minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "out"))
    for split in ("train", "test"):
        found = minari.load_dataset(f"{name}/{split}-v0")
        recorded = list(data.episodes(split=split))
        assert found.total_episodes == len(recorded) > 0
        for theirs, ours in zip(found.iterate_episodes(), recorded, strict=True):
            moments = list(ours.replay().play())
            rewards = np.array([moment.rewards for moment in moments[1:]])
            assert np.array_equal(theirs.rewards, rewards if len(data.policies) > 1 else rewards[:, 0])
            masks = np.array([moment.masks for moment in moments])
            assert np.array_equal(theirs.infos["action_mask"].reshape(masks.shape), masks)
            assert (theirs.terminations | theirs.truncations).tolist() == [False] * (len(rewards) - 1) + [True]
            for a, agent in enumerate(data.world.agents):
                alone = len(data.policies) == 1
                seen = theirs.observations if alone else theirs.observations[agent]
                done = theirs.actions if alone else theirs.actions[agent]
                assert done.tolist() == ours.actions[:, a].tolist()
                seen = seen if isinstance(seen, dict) else {"": seen}
                for part, values in seen.items():
                    wanted = [m.observations[a][part] if part else m.observations[a] for m in moments]
                    assert np.array_equal(values, np.array(wanted))
        assert found.observation_space.contains(_first(found[0].observations))
        if len(data.policies) == 1:
            env = found.recover_environment()
            assert env.unwrapped.world.parameters == data.world.parameters
            assert (env.observation_space, env.action_space) == (found.observation_space, found.action_space)
            observation, _ = env.reset(seed=int(recorded[0].seed))
            assert all(np.array_equal(observation[part], found[0].observations[part][0]) for part in observation)
        else:
            assert found.env_spec is None


def _first(observations):
    if isinstance(observations, dict):
        return {name: _first(part) for name, part in observations.items()}
    return observations[0]


def test_what_cannot_be_exported(kuhn, tmp_path, monkeypatch):
    with pytest.raises(ParameterError, match="to='csv' must be one of parquet, jsonl, rlds, minari"):
        export(kuhn, tmp_path / "out", "csv")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    with pytest.raises(ParameterError, match="full is not empty"):
        export(kuhn, tmp_path / "full")
    with pytest.raises(ParameterError, match="cannot be a folder to write to"):
        export(kuhn, tmp_path / "no" / "where")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r'needs pyarrow: pip install "envsuite\[data\]"'):
        export(kuhn, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def run(*arguments, code=0):
    result = CliRunner().invoke(cli.app, [str(one) for one in arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return " ".join(result.output.split())


def test_commands_with_levels(tmp_path):
    maze, file = tmp_path / "maze", tmp_path / "levels.json"
    file.write_text(json.dumps(generate_many("maze", 3, width=7, height=7)))
    size = ["-p", "width=7", "-p", "height=7", "-p", "horizon=20"]
    recording = ["record", "Maze", *size, "--policies", "random", "--episodes", 4, "--out", maze]
    assert "4 episodes" in run(*recording, "--levels", file)
    run("data", maze, "--columns", "mask", "--to", "jsonl", "--idle")
    rows = (maze / "jsonl" / "episodes.jsonl").read_text().splitlines()
    assert json.loads(rows[0])["level"] == json.loads(rows[3])["level"] != json.loads(rows[1])["level"]
    for text, message in (
        ("{}", "must be a list of levels"),
        ("[", "Expecting value"),
        ('[{"map": []}]', "level 0 of 1"),
    ):
        file.write_text(text)
        assert message in run(*recording[:-1], tmp_path / "other", "--levels", file, code=2)


def test_commands(tmp_path):
    four = tmp_path / "four"
    recording = ["record", "ConnectFour", "--policies", "tactical,random", "--episodes", 30, "--out", four]
    assert "30 episodes" in run(*recording) and "30 episodes" in run(*recording)
    assert Recorded(four).policies == ("tactical", "random")
    assert "2 agents" in run(*recording[:3], "random,random,random", "--out", tmp_path / "x", code=2)
    assert "--grade 'a'" in run(*recording, "--grade", "a", code=2)
    text = run("data", four, "--columns", "mask,best", "--to", "jsonl", "--solver", "mcts:simulations=20")
    assert f"Wrote {four}/jsonl" in text
    row = json.loads((four / "jsonl" / "train.jsonl").read_text().splitlines()[0])
    assert list(row) == [*BASE, "mask", "best"] and row["policy"] == "tactical"
    mine = run("record", "ConnectFour", "--policies", f"{__name__}:First", "--episodes", 2, "--out", tmp_path / "mine")
    assert "2 episodes" in mine and Recorded(tmp_path / "mine").policies == (f"{__name__}:First",) * 2
    with open(four / "episodes.replays", "ab") as file:
        file.truncate(100)
    assert "repeat the command that records it" in run("data", four, "--out", tmp_path / "y", code=2)
    assert "Wrote" in run("data", four, "--out", tmp_path / "y", "--to", "jsonl", "--partial")


class First(Policy):
    """Takes the first legal action."""

    def act(self, observation, mask, agent=0):
        return int(mask.argmax())
