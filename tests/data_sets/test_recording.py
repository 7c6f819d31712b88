"""Recording: the episodes are those of single environments, resume after any cut, and are graded as they say."""

import json
import math
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from envsuite.core.batch import Batch
from envsuite.core.errors import DataError, ParameterError
from envsuite.data import Recorded, record, recording
from envsuite.data.card import command
from envsuite.data.recording import Source, best_policy
from envsuite.data.store import ABOUT, CARD, EPISODES, LEVELS
from envsuite.evaluation.matches import play
from envsuite.generators import generate_many
from envsuite.generators.base import in_test
from envsuite.registry import build

FOUR, KUHN = "envsuite/ConnectFour-v0", "envsuite/KuhnPoker-v0"


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(recording, "block_size", lambda world: 8)


def test_episodes_are_those_of_matches_and_single_worlds(tmp_path):
    data = record(FOUR, ["tactical", "random"], 20, tmp_path / "four", seed=7)
    assert data.returns.tolist() == play(FOUR, ["tactical", "random"], 20, 7).returns.tolist()
    for episode in data.episodes():
        replay = episode.replay()
        replay.verify()
        assert replay.over and replay.start.seed == episode.seed == 7 + episode.number
        assert (
            replay.actions.tolist() == episode.actions.tolist() and replay.returns.tolist() == episode.returns.tolist()
        )
        assert replay.players == {"player_0": "tactical", "player_1": "random"}
        alone = play(FOUR, ["tactical", "random"], 1, episode.seed)
        assert alone.returns[0].tolist() == episode.returns.tolist()


@pytest.mark.parametrize("grades", [(1.0,), (0.0, 0.3, 1.0)])
def test_a_block_is_a_function_of_the_numbers_of_its_episodes(grades):
    source = Source(build("Coins", {"horizon": 20}), None, 2**64 - 5, grades)
    whole, part = source.block(0, 12), source.block(4, 5)
    cut = slice(whole.starts[4], whole.starts[9])
    assert part.actions.tolist() == whole.actions[cut].tolist()
    assert part.returns.tolist() == whole.returns[4:9].tolist() and part.test.tolist() == whole.test[4:9].tolist()


@pytest.mark.parametrize(
    "left",
    ["dataset.json.draft", ".dataset.json.lock", f".dataset.{'0a' * 8}.draft.json", f".README.{'0a' * 8}.draft.md"],
)
def test_what_a_kill_leaves_is_in_nobodys_way(left, tmp_path):
    (tmp_path / left).write_text("{")
    data = record(KUHN, "random", 9, tmp_path)
    assert len(data) == 9
    held = {path.name for path in tmp_path.iterdir()}
    assert held - {"dataset.json.draft"} == {ABOUT, CARD, EPISODES}


def test_a_folder_of_others_is_no_data_set(tmp_path):
    for name in ("x", ".x", "x.lock", "a.json"):
        (tmp_path / name).write_text("mine")
        with pytest.raises(DataError, match="cannot be read"):
            record(KUHN, "random", 9, tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == [name]
        (tmp_path / name).unlink()


def test_two_processes_do_not_record_into_one_folder(tmp_path):
    about = {"made_from": {}, "format": 1}
    code = f"from envsuite.data.store import Store; kept = Store.create({str(tmp_path / 'd')!r}, {about})"
    with subprocess.Popen(
        [sys.executable, "-c", f"{code}; print(1, flush=True); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"1\n"
        with pytest.raises(DataError, match="another process records there"):
            record(KUHN, "random", 9, tmp_path / "d")
        other.kill()
    with pytest.raises(DataError, match="envsuite is null"):  # free again, and another data set
        record(KUHN, "random", 9, tmp_path / "d")


def test_resumes_after_a_cut_anywhere(tmp_path, small_blocks):
    record(KUHN, "random", 40, tmp_path / "whole")
    whole = (tmp_path / "whole" / EPISODES).read_bytes()
    rng = np.random.default_rng(0)
    for k, cut in enumerate([0, 5, 18, 30, 51, *rng.integers(51, len(whole), 12).tolist(), len(whole) - 1]):
        folder = tmp_path / f"cut-{k}"
        record(KUHN, "random", 40, folder)
        (folder / EPISODES).write_bytes(whole[:cut])
        with pytest.raises(DataError, match=r"episodes\.replays ends in block \d+ with \d+ of 40 episodes: repeat"):
            Recorded(folder)
        prefix = Recorded(folder, partial=True)
        assert len(prefix) % 8 == 0 and len(prefix) < 40
        assert prefix.returns.tolist() == Recorded(tmp_path / "whole").returns[: len(prefix)].tolist()
        prefix.verify()
        counted = []
        record(KUHN, "random", 40, folder, progress=counted.append)
        assert (folder / EPISODES).read_bytes() == whole and sum(counted) == 40
        assert (folder / ABOUT).read_bytes() == (tmp_path / "whole" / ABOUT).read_bytes()


def test_a_larger_number_adds_episodes(tmp_path, small_blocks):
    record(KUHN, "random", 13, tmp_path / "grown")
    grown, whole = (record(KUHN, "random", 30, tmp_path / name) for name in ("grown", "whole"))
    assert grown.returns.tolist() == whole.returns.tolist() and grown.lengths.tolist() == whole.lengths.tolist()
    assert grown.about == whole.about and len(grown) == 30
    grown.verify()
    before = (tmp_path / "grown" / EPISODES).read_bytes()
    record(KUHN, "random", 20, tmp_path / "grown")  # nothing is lost
    assert (tmp_path / "grown" / EPISODES).read_bytes() == before and len(Recorded(tmp_path / "grown")) == 30


def test_other_arguments_are_refused(tmp_path):
    record(FOUR, "random", 4, tmp_path / "a")
    for changed, message in (
        (dict(policies="tactical"), 'policies is .*"random".*not .*"tactical"'),
        (dict(seed=1), "seed is 0, not 1"),
        (dict(grades=(0.5,)), r"grades is \[1.0\], not \[0.5\]"),
        (dict(world="TicTacToe"), "world is"),
        (dict(world=build(FOUR, {"rows": 5})), "parameters is"),
    ):
        given = {"world": FOUR, "policies": "random", "episodes": 4, "seed": 0, **changed}
        with pytest.raises(DataError, match=rf"dataset\.json: {message}"):
            record(path=tmp_path / "a", **given)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "notes.txt").write_text("mine")
    with pytest.raises(DataError, match="dataset.json cannot be read"):
        record(FOUR, "random", 4, tmp_path / "b")
    with pytest.raises(DataError, match="cannot be a folder of data"):
        record(FOUR, "random", 4, tmp_path / "b" / "notes.txt")
    for bad in ((), (1.5,), (-0.1, 1), (math.nan,)):
        with pytest.raises(ParameterError, match="grades="):
            record(FOUR, "random", 4, tmp_path / "c", grades=bad)
    with pytest.raises(ParameterError, match="episodes=0"):
        record(FOUR, "random", 0, tmp_path / "c")
    assert not (tmp_path / "c").exists()


def first_column(observation, mask):
    """Takes the first legal action."""
    return int(mask.argmax())


def test_grades_are_mixtures():
    """Frequencies with fresh seeds, within five standard errors of the binomial distribution."""
    seed, count, grades = int(np.random.SeedSequence().generate_state(1)[0]), 3000, (0.0, 0.25, 0.8, 1.0)
    source = Source(build(FOUR), first_column, seed, grades)
    block = source.block(0, count)
    assert block.lengths.min() >= 7
    opening = np.array([block.actions[start : start + 4].sum(axis=1) for start in block.starts[:-1]]) == 0
    for k, grade in enumerate(grades):
        mine = opening[k::4]
        chance = grade + (1 - grade) / 7  # the first column is never full in the first four moves
        error = math.sqrt(chance * (1 - chance) / len(mine))
        assert (abs(mine.mean(axis=0) - chance) <= 5 * error).all(), (seed, grade, mine.mean(axis=0))
        for one, two in pairwise(mine.T):  # decisions are independent
            both = chance**2
            assert abs((one & two).mean() - both) <= 5 * math.sqrt(both * (1 - both) / len(mine)), (seed, grade)


def test_scores_are_normalised_by_the_table(tmp_path):
    data = record(FOUR, None, 30, tmp_path / "four", grades=(0, 0.5, 1))
    assert best_policy(data.world) == "tactical" and set(data.policies) == {"tactical"}
    low, middle, high = data.about["scores"]
    assert (low["random"], low["reference"], low["others"]) == (-0.9875, 0.0, "tactical")  # the table's rows
    assert abs(low["score"]) < 0.05 < middle["score"] < 0.95 < high["score"] == 1.0
    door = record("DoorKey", None, 60, tmp_path / "door", grades=(0, 1))
    assert door.policies == ("solver",)
    assert door.about["scores"][0]["score"] < 0.2 and door.about["scores"][1]["score"] == pytest.approx(1, abs=0.03)
    assert door.grades[:4].tolist() == [0, 1, 0, 1]


def test_parameters_without_scores_are_measured(tmp_path):
    data = record(build("DoorKey", {"size": 5}), None, 50, tmp_path / "door")
    (row,) = data.about["scores"]
    assert data.policies == ("solver",) and row["reference"] == pytest.approx(0.965, abs=0.005)
    assert row["score"] == pytest.approx(1, abs=0.01) and 0 < row["random"] < 0.3


def test_levels_are_split_as_generators_split_them(tmp_path):
    world = build("Maze")
    size = {name: world.parameters[name] for name in ("height", "width")}
    for split in ("train", "test"):
        batch = Batch(world, 4)
        batch.start(0, generate_many("maze", 4, 0, split, **size))
        assert in_test(batch.records["level"]).tolist() == [split == "test"] * 4
    data = record("DoorKey", "random", 1, tmp_path / "door", seed=3)
    assert data.about["made_from"]["split"] == "level"
    assert Source(build(FOUR), "random", 0).by_level is False


@pytest.mark.parametrize("name", ["Maze", "KuhnPoker"])
def test_given_levels_are_played_in_turn_with_all_grades(name, tmp_path, small_blocks):
    if name == "Maze":
        world = build(name, {"width": 7, "height": 7, "horizon": 20})
        levels = generate_many("maze", 12, 5, width=7, height=7)
    else:
        world, levels = build(name), [{"cards": [a, b]} for a in range(3) for b in range(3) if a != b]
    size, grades = len(levels), (0.0, 0.5, 1.0)
    data = record(world, "random", 3 * size, tmp_path / "data", 9, grades=grades, levels=levels)
    assert data.about["made_from"]["split"] == "level" and "--levels levels.json" in command(data.about)
    found = list(Recorded(tmp_path / "data").episodes())
    assert [one.level for one in found] == [levels[k // 3] for k in range(3 * size)]
    split = [{one.split for one in found[3 * k : 3 * k + 3]} for k in range(size)]
    assert all(len(part) == 1 for part in split)  # a level is in one split only
    if name == "Maze":
        batch = Batch(world, size)
        batch.start(0, levels)
        assert [part == {"test"} for part in split] == in_test(batch.records["level"]).tolist()
    for one in found[::5]:
        shown = json.loads(json.dumps(world.get_level(one.replay().at(0).record)))
        assert shown.items() <= json.loads(json.dumps(one.level)).items()
    assert len(next(data.batches(10**6, ["observation", "return_to_go"]))["return_to_go"]) > 0  # plays again
    with pytest.raises(DataError, match="levels is"):
        record(world, "random", 3 * size, tmp_path / "data", 9, grades=grades, levels=levels[::-1])
    with pytest.raises(DataError, match="levels is"):
        record(world, "random", 3 * size, tmp_path / "data", 9, grades=grades)
    record(world, "random", 4 * size, tmp_path / "data", 9, grades=grades, levels=levels).verify()
    (tmp_path / "data" / LEVELS).write_text(json.dumps(levels[:-1]))
    with pytest.raises(DataError, match="levels.json is damaged or has been edited"):
        Recorded(tmp_path / "data")
    (tmp_path / "data" / LEVELS).unlink()
    with pytest.raises(DataError, match="levels.json cannot be read"):
        Recorded(tmp_path / "data")


def test_levels_that_cannot_be(tmp_path):
    for levels, message in (([], "one level at least"), ([{"cards": [0, 1]}, {"cards": [0, 0]}], "level 1 of 2: ")):
        with pytest.raises(ParameterError, match=message):
            record(KUHN, "random", 4, tmp_path / "kuhn", levels=levels)
    assert not (tmp_path / "kuhn").exists()


def test_splits_share_no_level():
    world = build("DoorKey", {"size": 5})
    block = Source(world, "random", 0).block(0, 300)
    batch = Batch(world, 300)
    batch.start(0)
    levels = [repr(world.get_level(batch.record(i))) for i in range(300)]
    train, test = ({level for level, held in zip(levels, block.test) if held == wanted} for wanted in (False, True))
    assert not train & test and len(train | test) == 48  # the page of DoorKey counts them
    assert 2 <= len(test) <= 20


def test_splits_by_seed_share_one_in_five():
    test = Source(build(KUHN), "random", 0).block(0, 4000).test
    assert abs(test.mean() - 0.2) < 5 * math.sqrt(0.16 / 4000)


def test_the_card_names_the_command(tmp_path):
    data = record(
        FOUR, {"player_0": "tactical:connect=3", "player_1": "random"}, 5, tmp_path / "four", 3, grades=(0.5, 1)
    )
    text = (tmp_path / "four" / CARD).read_text()
    assert command(data.about) in text
    assert "--policies player_0=tactical:connect=3,player_1=random --episodes 5 --seed 3 --grade 0.5,1" in text


def test_sizes(tmp_path):
    """At most half a byte for an action; in the measurements behind this format, a ConnectFour replay's took 21."""
    data = record(FOUR, "random", 512, tmp_path / "four")
    assert data.store.file.stat().st_size / 512 < 21
    data = record(build("Coins", {"horizon": 200}), "random", 32, tmp_path / "coins")
    assert data.store.file.stat().st_size / (2 * data.lengths.sum()) < 0.5


@pytest.mark.slow
def test_two_processes_record_the_same(tmp_path, small_blocks):
    """The file is the same, also where the second part is recorded by workers."""
    alone = record(KUHN, "random", 90, tmp_path / "alone", seed=3, grades=(0.5, 1))
    record(KUHN, "random", 20, tmp_path / "shared", seed=3, grades=(0.5, 1))
    shared = record(KUHN, "random", 90, tmp_path / "shared", seed=3, grades=(0.5, 1), workers=2)
    assert (shared.lengths.tolist(), shared.returns.tolist()) == (alone.lengths.tolist(), alone.returns.tolist())
    assert all(a.actions.tolist() == b.actions.tolist() for a, b in zip(shared.episodes(), alone.episodes()))
    whole = record(KUHN, "random", 90, tmp_path / "whole", seed=3, grades=(0.5, 1), workers=2)
    assert whole.store.file.read_bytes() == alone.store.file.read_bytes()
