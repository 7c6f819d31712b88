"""Worlds at odd settings: refused as `ParameterError`, or played at random with all that an agent can ask for."""

import copy
import json
import math
import os
import subprocess
import sys
import time
import zlib

import numpy as np
import pytest
from kit import ROOT, started
from odd import VALUES, built, choices, declared_of, settings

from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError
from envsuite.interfaces.parallel import Parallel
from envsuite.testing.case import one_move, random_moves

pytestmark = pytest.mark.long

IDS = registry.ids()
SETTINGS, STEPS = 2, 120


class Strange(type):
    """What makes numbers and texts that are no plain ones."""


STRANGE = (
    np.int8(3), np.float32(0.5), np.bool_(True), np.array(3), np.array([1, 2]), np.array("x"), np.timedelta64(3),
    np.datetime64("2026-01-01"), range(3), iter([1]), {1, 2}, Strange("X", (int,), {})(5), Strange("Y", (str,), {})(),
    Strange, len, memoryview(b"ab"),
)  # fmt: skip


@pytest.mark.parametrize("id", IDS)
def test_odd_values_of_every_parameter(id, counted):
    """Nothing but `ParameterError`, and no value makes a world large or slow."""
    tried = kept = 0
    for name, declared in declared_of(id).items():
        for value in (*VALUES, *STRANGE, *choices(declared.hint)):
            start = time.process_time()
            world = built(id, {name: copy.copy(value) if isinstance(value, (list, dict)) else value})
            assert time.process_time() - start < 5, (name, value)
            assert world is None or world.record.itemsize < 2**28, (name, value)
            tried, kept = tried + 1, kept + (world is not None)
    parameters = len(declared_of(id))
    assert tried >= parameters * (len(VALUES) + len(STRANGE)) and (kept or not parameters)
    counted("odd values of parameters", tried)


def looked_at(env, agents):
    """Ask for everything that is in words or pictures; how many there were."""
    found = 0
    for agent in agents:
        legal = env.tools(agent, legal=True) if not env.world.control_spaces else []
        assert len(json.dumps(env.tools(agent))) >= len(json.dumps(legal))
        for text in (env.prompt(agent), env.reply(agent)):
            assert isinstance(text, str) and text
            text.encode()
            found += 1
        scene = env.scene(agent)
        assert math.isfinite(scene.width * scene.height) and scene.width > 0 < scene.height
        env.text(agent).encode()
        found += 2
    env.scene(), env.state()
    return found + 2


@pytest.mark.parametrize("id", IDS)
def test_random_steps_at_odd_settings(id, counted):
    steps = asked = 0
    for k, (params, world) in enumerate(settings(id, SETTINGS)):
        rng, until = np.random.default_rng(zlib.crc32(id.encode()) + k), time.process_time() + 8
        env, twin = (Parallel(world, compiled=False) for _ in range(2))
        env.reset(seed=k), twin.reset(seed=k + 1)
        try:
            for step in range(STEPS):
                if not env.agents:
                    env.reset()
                everyone = list(env.agents)
                if step % 10 == 0:
                    asked += looked_at(env, everyone)
                    twin.set_state(env.get_state())
                    try:
                        env.level, twin.reset(options={"level": env.level})
                    except LevelError as problem:
                        assert "level" in str(problem)
                moves = random_moves(world, env.batch.masks[0], rng)
                acts = {a: one_move(world, moves[n], n) for a in everyone if env.batch.acting[0, n := env.number(a)]}
                seen, rewards, *_ = env.step(acts)
                assert all(map(math.isfinite, rewards.values())) and rewards.keys() == set(everyone)
                assert all(env.observation_space(agent).contains(one) for agent, one in seen.items())
                steps += 1
                if time.process_time() > until:
                    break
        except Exception as problem:
            raise AssertionError(f"{id} {params}: {type(problem).__name__}: {problem}") from problem
    assert steps >= 10 or not declared_of(id)
    counted("random steps at odd settings", steps)
    counted("words and pictures at odd settings", asked)


# The same episodes alone, as one of three, and in another process after other worlds.

DIGESTS = """
import json, sys
from test_odd_settings import digest
print(json.dumps([digest(id, k, num=3, compiled=compiled) for id, k, compiled in json.loads(sys.argv[1])]))
"""


def digest(id, k, num=1, compiled=False, steps=25):
    """A number for all that happens in 25 steps of an odd setting: the first world alone, or the second of three."""
    found = list(settings(id, k + 1))
    if not found:
        return None
    world, at = found[k][1], num // 2
    batch, actions, total = started(world, num, seed=7 - at) if not compiled else machine(world, num, 7 - at), None, 0
    for step in range(steps):
        rng = np.random.default_rng(step)
        actions = random_moves(world, batch.masks[at], rng)
        batch.actions[:] = random_moves(world, batch.masks, np.random.default_rng(step + 100))
        batch.actions[at] = actions
        batch.step(where=~batch.finished)
        for part in (batch.records, batch.observations, batch.masks, batch.rewards):
            total = zlib.crc32(np.ascontiguousarray(part[at]).tobytes(), total)
    return total


def machine(world, num, seed):
    batch = Batch(world, num, compiled=True)
    batch.start(seed)
    return batch


def elsewhere(cases, hash_seed):
    """The digests of these cases in another process, in this order."""
    env = {**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": f"{ROOT}/tests:{ROOT}/tests/attacks"}
    done = subprocess.run(
        [sys.executable, "-c", DIGESTS, json.dumps(cases)], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("part", range(10))
def test_odd_settings_are_the_same_alone_and_after_other_worlds(part, counted):
    cases = [(id, k, False) for id in IDS[part::10] for k in range(SETTINGS)]
    alone = [digest(id, k) for id, k, _ in cases]
    assert sum(one is not None for one in alone) > 10 and len(set(alone)) > 10
    assert elsewhere(cases[::-1], part + 1)[::-1] == alone
    counted("odd settings that are the same after other worlds", len(cases))


@pytest.mark.machine
@pytest.mark.parametrize("id", IDS[3::17])
def test_odd_settings_are_the_same_as_machine_code(id, counted):
    assert digest(id, 0) == elsewhere([(id, 0, True)], 1)[0]
    counted("odd settings that are the same as machine code", 1)
