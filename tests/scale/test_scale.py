"""Jobs: the same bits with any workers, whatever dies, is cut off or is edited."""

import json
import os
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from jobs import Compiled, Deadly, Edited, Failing, Squares, Sums, Unequal

from envsuite import cli, registry
from envsuite.agents import make_policy, policies
from envsuite.core.errors import ActionError, EnvsuiteError, ParameterError, ResultsError, ScaleError
from envsuite.evaluation import matches, rollouts
from envsuite.evaluation.matches import Play, play, rotated
from envsuite.evaluation.rollouts import Rollout
from envsuite.evaluation.tournaments import tournament
from envsuite.generators import base, generate_many
from envsuite.interfaces.vector import Vector
from envsuite.registry import build
from envsuite.scale import executor, run, run_all
from envsuite.scale.executors import SHARD, Processes, Work
from envsuite.scale.ledger import Ledger, line

KUHN, FOUR = "envsuite/KuhnPoker-v0", "envsuite/ConnectFour-v0"


@pytest.fixture(scope="module")
def two():
    """Two processes for all tests."""
    with executor(2) as pool:
        yield pool


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Blocks of few episodes, worlds and levels."""
    monkeypatch.setattr(matches, "BLOCK_EPISODES", (8, 8))
    monkeypatch.setattr(base, "BLOCK", 4)


def match(world, policies, episodes, **options):
    return play(world, policies, episodes, 3, **options)


def equal(one, other):
    """Equal bits in all fields."""
    one, other = (vars(found) if hasattr(found, "__dict__") else found._asdict() for found in (one, other))
    return all(np.asarray(one[name]).tobytes() == np.asarray(other[name]).tobytes() for name in one)


# Equal bits.


@pytest.mark.parametrize(
    "world, policies",
    [(KUHN, ["equilibrium", "random"]), pytest.param(KUHN, "mcts:simulations=3", marks=pytest.mark.slow)],
)
def test_matches_on_two_processes(two, world, policies):
    assert equal(match(world, policies, 20), match(world, policies, 20, workers=two))


def test_blocks_cover_all_seatings_and_levels(two):
    levels = [{"cards": [a, b]} for a in range(3) for b in range(3) if a != b]
    for options in ({}, {"levels": levels}, {"steps": 1}):
        here = rotated(KUHN, ["equilibrium", "random"], 19, **options)
        assert here.returns.shape == (38, 2)
        assert equal(here, rotated(KUHN, ["equilibrium", "random"], 19, workers=two, **options))
    seating = np.array([[0, 1], [1, 0], [1, 1]] * 7)
    options = dict(seed=5, seating=seating)
    assert equal(
        play(KUHN, ["random", "equilibrium"], 21, **options),
        play(KUHN, ["random", "equilibrium"], 21, workers=two, **options),
    )


@pytest.mark.parametrize(
    "world, policies", [(KUHN, "random"), ("envsuite/CleanUp-v0", "random"), (KUHN, ["equilibrium", "random"])]
)
def test_rollouts_are_those_of_one_vector(two, world, policies):
    job = Rollout(world, policies, 20, 12, seed=7)
    whole = Vector(world, 20).rollout(policies, 12, seed=7)
    assert job.blocks == 3 and equal(run(job), whole) and equal(run(job, two), whole)


@pytest.mark.parametrize("policies", ["random", ["mcts:simulations=2", "equilibrium"]])
def test_long_rollouts_are_chains(two, tmp_path, monkeypatch, policies):
    """Rollouts in parts equal those in one go: with processes, resumed at any part, and audited."""
    whole = run(Rollout(KUHN, policies, 20, 24, seed=7))
    monkeypatch.setattr(rollouts, "SEGMENT", 8 * 5)
    job, file = Rollout(KUHN, policies, 20, 24, seed=7), tmp_path / "kuhn.jsonl"
    assert job.segments == 5 and job.blocks == 15 and list(job.last) == [4, 9, 14]
    assert equal(run(job, path=file), whole)
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 15
    for kept in ([0, 1, 2, 3, 4, 5], [0, 5, 10, 11], [0, 1, 4, 7]):  # the last without what some continue from
        file.write_bytes(b"".join(lines[k] for k in kept))
        assert equal(run(job, two, file, audit=0.5), whole)
        assert sorted(file.read_bytes().splitlines(keepends=True)) == sorted(lines)
    data = json.loads(lines[0])
    del data["digest"], data["results"]["policies"]
    file.write_bytes(line(data))
    with pytest.raises(ResultsError, match="line 1: these results are not those of the block"):
        run(job, path=file)


def test_levels_are_those_of_generate_many(two):
    for kind, split, params in (("maze", "test", {"width": 7, "height": 7}), ("payoffs", None, {})):
        expected = generate_many(kind, 9, 5, split, **params)
        job = base.Levels(kind, 9, 5, split, params)
        assert job.blocks == 3 and run(job) == run(job, two) == json.loads(json.dumps(expected)), kind


@pytest.mark.parametrize("schedule", ["round_robin", "swiss"])
def test_tournaments_on_two_processes(two, tmp_path, schedule):
    paths = [tmp_path / "here", tmp_path / "there"]
    entrants = ["tit_for_tat", "defector", "random", "grudger"]
    found = [
        tournament("RepeatedGame", entrants, 10, schedule=schedule, path=path, workers=workers)
        for path, workers in zip(paths, (1, two))
    ]
    assert [one.plain() for one in found[0].pairings] == [one.plain() for one in found[1].pairings]
    here, there = (sorted(path.read_text().splitlines()) for path in paths)
    assert here == there  # the order is that in which they were finished


def test_progress_counts_everything_once(two, tmp_path):
    for workers in (1, two):
        counts = []
        run(Squares(9), workers, tmp_path / f"{workers is two}", progress=counts.append)
        assert counts == [1] * 9
        counts.clear()
        assert run(Squares(10), workers, tmp_path / f"{workers is two}", progress=counts.append) == [
            k * k for k in range(10)
        ]
        assert counts == [1] * 10


def test_several_jobs(two):
    jobs = [Squares(3), Squares(1), Squares(0), Squares(5)]
    for workers in (1, two):
        assert sorted(run_all(jobs, workers)) == [(0, [0, 1, 4]), (1, [0]), (2, []), (3, [0, 1, 4, 9, 16])]


def test_shards_take_about_a_second(two):
    two._places.clear()
    work = Work([Squares(100)], [(0, k) for k in range(100)], None, {}, {})
    shard = two._shard(None, work, SHARD / 10, Counter())
    assert len(shard) == 10


@pytest.mark.slow
def test_a_machine_compiles_once(tmp_path, monkeypatch):
    """Two processes with an empty cache compile as many functions together as one does alone."""
    for name in ("ENVSUITE_PYTHON", "ENVSUITE_LAZY"):
        monkeypatch.delenv(name, raising=False)
    counts = []
    for count in (1, 2):
        cache, begun = tmp_path / f"cache{count}", tmp_path / f"begun{count}"
        cache.mkdir(), begun.mkdir()
        monkeypatch.setenv("ENVSUITE_CACHE", str(cache))
        with Processes(count) as pool:
            counts.append(sum(run(Compiled(count, stamp=str(begun)), pool)))
    assert counts[0] == counts[1] > 2


# Chains.


def test_chains_are_played_in_order(two, tmp_path):
    expected = [sum(range(10 * c, 10 * c + 4)) for c in range(3)]
    for workers in (1, two):
        file = tmp_path / f"{workers is two}"
        assert run(Sums(12), workers, file) == expected
        lines = file.read_bytes().splitlines(keepends=True)
        found = [json.loads(text)["key"]["block"] for text in lines]
        assert sorted(found) == list(range(12)) and all(
            found.index(k) < found.index(k + 1) for k in range(11) if k % 4 < 3
        )
        file.write_bytes(b"".join(one for one, k in zip(lines, found) if k not in (2, 3, 7)))
        counts = []
        assert run(Sums(12), workers, file, progress=counts.append, audit=1.0) == expected
        assert sum(counts) == 12 and len(file.read_bytes().splitlines()) == 12
    assert sorted(run_all([Sums(4), Squares(2)], two)) == [(0, expected[:1]), (1, [0, 1])]


@pytest.mark.parametrize("deaths", [1, 3])
def test_a_worker_dies_within_a_chain(two, tmp_path, deaths):
    for k in range(deaths):
        (tmp_path / str(k)).touch()
    job = Sums(8, folder=str(tmp_path))
    if deaths < 3:
        assert run(job, two) == [6, 46]
    else:
        with pytest.raises(ScaleError, match="block 2 of sums {'block': 2} has ended its worker 3 times"):
            run(job, two)


# Workers that die, differ or fail.


@pytest.mark.parametrize("deaths", [0, 1, 2, 3])
def test_dead_workers_are_replaced(two, tmp_path, deaths):
    for k in range(deaths):
        (tmp_path / str(k)).touch()
    job = Deadly(8, folder=str(tmp_path))
    if deaths < 3:
        assert run(job, two) == [k * k for k in range(8)]
    else:
        with pytest.raises(ScaleError, match="block 3 of squares {'block': 3} has ended its worker 3 times"):
            run(job, two)
    assert not list(tmp_path.iterdir())


def test_other_code_is_refused():
    with pytest.raises(ScaleError, match="its code is .*, but that of the process that asks is"):
        run(Edited(2), 2)


def test_audit(two):
    assert run(Squares(5), two, audit=0.4) == [0, 1, 4, 9, 16]
    with pytest.raises(ScaleError, match="process .* and process .* disagree on block . of squares"):
        run(Unequal(5), two, audit=1.0)
    with pytest.raises(ParameterError, match="audit=2 must be from 0 to 1"):
        run(Squares(5), audit=2)


def test_errors_arrive(two):
    with pytest.raises(ScaleError, match="Local: block 2 fails"):  # its class cannot be sent
        run(Failing(3), two)
    with pytest.raises(ActionError, match="'mine' must choose"):
        play(KUHN, mine, 3, workers=two)
    with pytest.raises(ScaleError, match="cannot be sent to other processes"):
        play(KUHN, lambda observation, mask: 0, 3, workers=two)


def mine(observation, mask):
    return "no number"


@pytest.mark.parametrize("workers", [0, -1, 1.5, "", "rai", "2", None])
def test_wrong_workers(workers):
    with pytest.raises(ParameterError, match="must be a number of processes, ray or ray://host:port"):
        executor(workers)


def test_without_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ScaleError, match=r'pip install "envsuite\[scale\]"'):
        play(KUHN, "random", 3, workers="ray")


# Ledgers.


def counted(monkeypatch):
    """The blocks that are played from now on, in this process."""
    played, inner = [], Play.work
    monkeypatch.setattr(Play, "work", lambda job, k, *rest: (played.append(k), inner(job, k, *rest))[1])
    return played


def test_resumed(two, tmp_path, monkeypatch):
    """Interrupted within a line, resumed by other workers; then with more episodes."""
    file, policies = tmp_path / "kuhn.jsonl", ["equilibrium", "random"]
    expected = match(KUHN, policies, 36)
    assert equal(match(KUHN, policies, 36, path=file, workers=two), expected)
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    assert len(lines) == 5
    for cut in (len(lines[0]) + 1, len(whole) - 1, len(lines[0] + lines[1])):
        file.write_bytes(whole[:cut])
        played = counted(monkeypatch)
        assert equal(match(KUHN, policies, 36, path=file), expected)
        assert len(played) == 5 - whole[:cut].count(b"\n")
        assert sorted(file.read_bytes().splitlines(keepends=True)) == sorted(lines)
        file.write_bytes(whole[:cut])
        assert equal(match(KUHN, policies, 36, path=file, workers=two), expected)
    played = counted(monkeypatch)
    assert equal(match(KUHN, policies, 44, path=file), match(KUHN, policies, 44))
    assert played[:2] == [4, 5]  # the block that was not full is played again


def test_other_policies_share_a_ledger(tmp_path, monkeypatch):
    file = tmp_path / "kuhn.jsonl"
    found = {
        name: match(KUHN, name, 8, path=file) for name in ("random", "equilibrium:alpha=0.0", "equilibrium:alpha=0.1")
    }
    assert len(file.read_text().splitlines()) == 3
    played = counted(monkeypatch)
    for name, result in found.items():
        assert equal(match(KUHN, name, 8, path=file), result)
    assert not played
    with pytest.raises(ScaleError, match="policy '<lambda>' cannot be named in a file"):
        match(KUHN, lambda observation, mask: 0, 8, path=file)


def test_edited_code_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "kuhn.jsonl"
    match(KUHN, "random", 16, path=file)
    monkeypatch.setattr(matches, "code_of", lambda *_: "edited")
    with pytest.raises(ResultsError, match="line 1: this was played before the code of the world .* changed"):
        match(KUHN, "random", 16, path=file)


def test_a_world_that_was_edited_in_between_is_refused(tmp_path):
    """A rule of a world in a file changes between two runs of a script."""
    source = Path(cli.__file__).with_name("nim.txt").read_text()
    script = (
        "from envsuite.evaluation.matches import play; from nim import Nim; play(Nim(), 'random', 8, path='nim.jsonl')"
    )
    rule = "s.pile -= actions[player] + 1"
    assert source.count(rule) == 1

    def played(text):
        (tmp_path / "nim.py").write_text(text)
        paths = os.pathsep.join([str(tmp_path), *sys.path])
        environment = {**os.environ, "PYTHONPATH": paths, "ENVSUITE_PYTHON": "1"}
        return subprocess.run(
            [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    file = tmp_path / "nim.jsonl"
    assert played(source).returncode == 0
    kept = file.read_bytes()
    assert played(source).returncode == 0
    assert "line 1: this was played before the code of the world" in played(source.replace(rule, "s.pile -= 1")).stderr
    assert file.read_bytes() == kept


def test_foreign_ledgers_are_refused(tmp_path):
    file = tmp_path / "kuhn.jsonl"
    match(KUHN, "random", 16, path=file)
    text = file.read_bytes()
    for call, message in (
        (lambda: play(KUHN, "random", 16, 4, path=file), "line 1: its seed is 3, not 4; resume with the same"),
        (lambda: match(KUHN, "random", 16, steps=2, path=file), "line 1: its steps is null, not 2"),
        (lambda: match(FOUR, "random", 16, path=file), "line 1: its world is "),
        (lambda: match(build(KUHN, {"players": 3}), "random", 16, path=file), 'its params is {"players": 2}, not'),
        (lambda: run(base.Levels("maze", 3), path=file), 'line 1: its kind is "play", not "levels"'),
        (lambda: tournament(KUHN, ["random", "equilibrium"], 4, path=file), "line 1: this is not a pairing"),
    ):
        with pytest.raises(ResultsError, match=message.replace("{", r"\{")):
            call()
        assert file.read_bytes() == text
    data = json.loads(text.splitlines()[1])
    del data["digest"]
    results = data["results"]
    large = {"dtype": "<f8", "shape": [2**40], "zlib": results["returns"]["zlib"]}
    strings = {**results["returns"], "dtype": "<U2"}
    forged = [
        (line({**data, "results": {**results, "returns": large}}), "not a block .*does not have its size"),
        (line({**data, "results": {**results, "returns": strings}}), "not a block of results"),
        (line({**data, "results": {"returns": 5}}), "not a block of results"),
        (line({**data, "results": {**results, "returns": results["lengths"]}}), "not those of the block"),
        (line({**data, "results": {}}), "not those of the block"),
        (b"hello\n", "not a block of results"),
        (b"[]\n", "not a block of results"),
        (b"hello", "not a block of results"),
        (text.splitlines()[1].replace(b'"units": 8', b'"units": 9') + b"\n", "its digest '.*' differs"),
    ]
    for damaged, message in forged:
        before = text.splitlines(keepends=True)[0] + damaged
        file.write_bytes(before)
        with pytest.raises(ResultsError, match=f"line 2: .*{message}"):
            match(KUHN, "random", 16, path=file)
        assert file.read_bytes() == before


def test_every_flipped_bit_is_found(tmp_path):
    file, rng = tmp_path / "squares.jsonl", np.random.default_rng(0)
    run(Squares(4), path=file)
    data = file.read_bytes()
    for bit in rng.choice(8 * (len(data) - 1), 300, replace=False).tolist():
        broken = bytearray(data)
        broken[bit // 8] ^= 1 << bit % 8
        file.write_bytes(broken)
        number = data.count(b"\n", 0, bit // 8) + 1
        with pytest.raises(ResultsError, match=f"line {number}: "):
            run(Squares(4), path=file)


def test_all_errors_are_of_this_package():
    assert issubclass(ScaleError, EnvsuiteError) and issubclass(ResultsError, EnvsuiteError)


def test_two_processes_do_not_write_one_file(tmp_path):
    path = tmp_path / "results.jsonl"
    code = (
        f"from envsuite.scale.ledger import Ledger; kept = Ledger({str(path)!r}, {{}}, print); print('ready'); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "ready\n"
        with pytest.raises(ResultsError, match=r"results\.jsonl: another process adds to this file"):
            Ledger(path, {}, print)
        other.communicate("\n")
    Ledger(path, {}, print).add({"a": 1})
    Ledger(path, {}, print)  # in one process it may be opened again
    assert list(tmp_path.iterdir()) == [path]  # no lock is left


def test_the_cache_has_no_part_in_who_adds_to_a_file(tmp_path, monkeypatch):
    """Two containers or users have caches of their own and one disk."""
    path = tmp_path / "results.jsonl"
    code = f"from envsuite.scale.ledger import Ledger\nLedger({str(path)!r}, {{}}, print)"
    kept = Ledger(path, {}, print)
    environment = {**os.environ, "ENVSUITE_CACHE": str(tmp_path / "other")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert "another process adds to this file" in done.stderr and kept.path == path


def test_policies_of_all_worlds_can_be_sent_to_other_processes():
    for id in registry.ids():
        world = registry.build(id)
        for name in policies(id):
            assert pickle.loads(pickle.dumps(make_policy(name, world))).name == name, id
