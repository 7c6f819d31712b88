"""Machine code made ahead of time: equal to compiled code, never stale, called with arrays that fit it, without Numba.

``python tests/core/test_native.py LIBRARY`` compares all functions of a library with code compiled here.
"""

import hashlib
import json
import os
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from envsuite import registry
from envsuite.cli import build
from envsuite.compile import native
from envsuite.compile.bound import bind
from envsuite.compile.cache import File
from envsuite.core.batch import Batch
from envsuite.core.kernel import large_kernel
from envsuite.core.policy import make_policy, policies
from envsuite.core.rollout import TALLY, outcomes
from envsuite.core.table import as_bytes
from envsuite.generators import KINDS
from envsuite.generators.base import generator, over_records, stream_starts
from envsuite.testing import random_actions

pytestmark = pytest.mark.machine

WORLDS = ("ConnectFour", "Harvest", "DoorKey")
NUM, STEPS = 64, 60
DIGEST = native._digest


def versions(path, bound, arguments):
    """A template as code compiled here, and as each of the library's."""
    from envsuite.compile.numba_.files import compiled

    ahead = [bound.made_ahead(arguments, native.Library(path, level)) for level in native.LEVELS]
    assert all(ahead), f"{bound.name} is not in the library"
    file = File(bound.cache_file(arguments), bound.title, bound.sources)
    return compiled(bound.python, arguments, bound.level, file), *ahead


def digest(*arrays):
    found = hashlib.blake2b(digest_size=16)
    for array in arrays:
        found.update(array.tobytes())
    return found.hexdigest()


def rules(id, entry):
    """A digest of everything that the rules write in many steps of many worlds."""
    batch = Batch(registry.build(id), NUM)
    batch._entry = entry
    batch.start(0)
    rng, found = np.random.default_rng(0), []
    for _ in range(STEPS):
        batch.step(random_actions(batch.masks, rng))
        found.append(digest(*batch.buffers, batch.flags))
    return found


def acts(id, name, entry):
    """A digest of what a policy chooses and remembers in many steps of many worlds."""
    world = registry.build(id)
    batch, policy = Batch(world, NUM, on_illegal="forfeit"), make_policy(name, world)  # some are for one seat
    batch.start(0)
    policy.reset(0, NUM)
    arguments = (*policy.looks_at(batch.observations, batch.masks), batch.acting, batch.actions, 0, NUM)
    found = []
    for _ in range(STEPS):
        found.append((entry(*arguments), digest(batch.actions, policy.memories)))
        batch.run()
    return found


def levels(kind, name, entry):
    """A digest of levels made, and of such levels changed."""
    made = generator(kind)
    records = made.records(NUM)
    records["rng"] = stream_starts(range(NUM))
    wanted = np.arange(NUM) % 3 != 0
    if name == "change":
        over_records(made, type(made).make, "make")(records, wanted, 0, NUM)
    return entry(records, wanted, 0, NUM), digest(records)


def sums(id, num, entry):
    """A digest of what a rollout adds up."""
    world = registry.build(id)
    batch, policy = Batch(world, num, compiled=True), make_policy("random", world)
    policy.reset(0, num)
    batch.start(0)
    numbers, tally = np.zeros((4, num, len(world.agents))), np.zeros(num, TALLY)
    found = []
    for _ in range(STEPS):
        batch.step(random_actions(batch.masks, np.random.default_rng(0)))
        arguments = (*outcomes(batch, policy, *numbers, tally), 0, num, as_bytes(policy.first_memory))
        ended = entry(*arguments)
        found.append((ended, digest(numbers, tally, batch.commands, policy.memories)))
        if ended:
            batch.run()
    return found


def same(path, order, play):
    bound, arguments = order()
    expected, *ahead = (play(entry) for entry in versions(path, bound, arguments))
    assert all(found == expected for found in ahead), bound.name


def same_world(path, id):
    same(path, partial(build._rules, id), partial(rules, id))
    for name in policies(id):
        same(path, partial(build._policy, id, name), partial(acts, id, name))
    for num in (1, 2):
        same(path, partial(build._sums, id, num), partial(sums, id, num))


def same_levels(path, kind):
    for name in ("make", "change"):
        if getattr(type(generator(kind)), name) is not None:
            same(path, partial(build._generator, kind, name), partial(levels, kind, name))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("native") / "native.so"
    subprocess.run([sys.executable, "-m", "envsuite.cli", "build", str(path), *WORLDS], check=True, timeout=600)
    return path


@pytest.mark.parametrize("id", WORLDS)
def test_is_the_code_compiled_here(library, id):
    same_world(library, registry.spec(id).id)


def test_other_code_and_other_parameters_are_not_found(library):
    found = native.Library(library)
    bound, arguments = Batch(registry.build("Harvest"), 4).loop
    assert bound.made_ahead(arguments, found)
    other, others = Batch(registry.build("Harvest", {"players": 3}), 4).loop
    assert other.made_ahead(others, found) is None
    changed = type(bound)(bound.python, bound.name, "", bound.level, bound.fixed, {})
    assert changed.made_ahead(arguments, found)
    changed.code = "of an edited kernel"
    assert changed.made_ahead(arguments, found) is None
    assert type(bound)(bound.python, bound.name, "", bound.level, bound.fixed, {"AGENTS": 3}).code != bound.code


def test_other_arrays_are_refused(library):
    batch = Batch(registry.build("DoorKey"), 4)
    bound, arguments = batch.loop
    entry = bound.made_ahead(arguments, native.Library(library))
    place = {name: k for k, name in enumerate(bound.python.__code__.co_varnames)}
    before = batch.records.copy()

    def call(**others):
        entry(*(others.get(name, argument) for name, argument in zip(place, arguments)))

    for name, array in {
        "rewards": batch.rewards.astype(np.float32),
        "records": batch.records.view(np.uint8),
        "masks": np.zeros((8, *batch.masks.shape[1:]), np.int8)[::2],
        "observations": np.zeros((4, 1, 9, 9, 3), np.uint8),
        "finished": batch.finished[None],
    }.items():
        with pytest.raises(TypeError, match=f"argument {place[name]} is not an array of the form"):
            call(**{name: array})
    with pytest.raises((TypeError, AttributeError)):
        call(masks=batch.masks.tolist())
    with pytest.raises(TypeError, match="integer"):
        call(noop="no")
    with pytest.raises(TypeError, match="15 arguments are needed, not 14"):
        entry(*arguments[:-1])
    batch.observations.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        call()
    assert np.array_equal(batch.records, before)


def test_errors_of_kernels_reach_python(tmp_path):
    from envsuite.compile.numba_.objects import objects

    bound = bind(pick, "tests.pick")
    for level, code in objects(bound, (0, 3)).items():
        (tmp_path / f"pick.{level}.o").write_bytes(code)
    build.link(tmp_path, tmp_path / "native.so")
    for level in native.LEVELS:
        entry = bound.made_ahead((0, 3), native.Library(tmp_path / "native.so", level))
        assert entry(0, 3) == 16
        with pytest.raises(RuntimeError, match="a kernel has raised an error"):
            entry(0, 4)
        assert entry(0, 2) == 6


def pick(first, last):
    return sum_of((1, 5, 10), first, last)


@large_kernel
def sum_of(numbers, first, last):
    total = 0
    for k in range(first, last):
        total += numbers[k]
    return total


def test_a_damaged_library_is_not_loaded(tmp_path, monkeypatch):
    path = tmp_path / "native.so"
    build.link(tmp_path, path)
    whole = path.read_bytes()
    monkeypatch.setenv("ENVSUITE_NATIVE", str(path))
    monkeypatch.setattr(native, "cache_folder", lambda: tmp_path)
    find = native.library.__wrapped__
    assert find().level in native.LEVELS and len(list(tmp_path.glob("*.whole"))) == 1
    monkeypatch.setattr(
        native, "_digest", lambda data: pytest.fail("read again") if data == whole[:-16] else DIGEST(data)
    )
    assert find() is not None
    for damaged in (whole[:-1], whole[: len(whole) // 2], b"", whole[:-16], whole[:900] + b"\0" + whole[901:] + b"\0"):
        path.write_bytes(damaged)
        with pytest.warns(match="native.so is not whole"):
            assert find() is None


def test_first_step_without_numba(library):
    code = """
import json, sys
import gymnasium
import envsuite
from envsuite.agents import make_policy
for id in sys.argv[1:]:
    world = f"envsuite/{id}-v0"
    envs = [gymnasium.make(world), gymnasium.make_vec(world, num_envs=3)]
    for env in envs:
        env.reset(seed=0)
        env.step(env.action_space.sample() if env is envs[1] else 0)
        env.close()
    vector = envsuite.make_vec(world, 4, threads=2)
    vector.rollout(make_policy("random", world), 100, seed=0)
print(json.dumps([name for name in sys.modules if name.partition(".")[0] in ("numba", "llvmlite")]))
"""
    environment = {**os.environ, "ENVSUITE_NATIVE": str(library)}
    command = [sys.executable, "-c", code, *WORLDS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    assert json.loads(done.stdout) == []


if __name__ == "__main__":
    os.environ["ENVSUITE_NATIVE"] = path = sys.argv[1]
    for one in sys.argv[2:] or [*registry.ids(), *KINDS]:
        (same_levels if one in KINDS else same_world)(path, one if one in KINDS else registry.spec(one).id)
        print(one, flush=True)
