"""Damaged snapshots: bytes that are not what `get_state` gave are refused and change nothing.

`test_records` covers forged records with a right checksum.
"""

import json
import random

import pytest
from shapes import every_world

from envsuite import registry
from envsuite.core import snapshot
from envsuite.core.errors import SnapshotError
from envsuite.interfaces.aec import AEC

COUNT = 114


def begun(id):
    """An environment in the middle of its first episode."""
    env = AEC(id, compiled=False)
    env.reset(seed=1)
    for _ in range(3):
        if env.agents:
            legal = env.action_mask(env.agent_selection)
            env.step(None if env.terminations[env.agent_selection] else int(legal.argmax()))
    return env


def flipped(data, chance):
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def cut(data, chance):
    return data[: chance.randrange(len(data))]


def extended(data, chance):
    return data + chance.randbytes(chance.randrange(1, 100))


def zeroed(data, chance):
    first = chance.randrange(len(data))
    last = chance.randrange(first, len(data)) + 1
    return data[:first] + bytes(last - first) + data[last:]


def swapped(data, chance):
    at = chance.randrange(1, len(data))
    return data[at:] + data[:at]


def foreign_header(data, chance):
    """Another header with a right checksum."""
    length = int.from_bytes(data[8:12], "little")
    header, body = json.loads(data[12 : 12 + length]), data[12 + length : -16]
    name = chance.choice(sorted(set(header) - {"version"}))  # other versions with the same layout can be read
    header[name] = chance.choice([None, -1, 10**30, 1e308, [], {}, "", "../x", [[]] * 3, {"id": 5}])
    text = chance.choice([json.dumps(header).encode(), chance.randbytes(length), b"[" * 5000])
    data = data[:8] + chance.choice([len(text), 2**32 - 1, 0]).to_bytes(4, "little") + text + body
    return data + snapshot._digest(data)


DAMAGES = (flipped, cut, extended, zeroed, swapped, foreign_header)


def attack(id, count):
    """Load damaged snapshots: all must be refused."""
    env, chance = begun(id), random.Random(id)
    whole = env.get_state()
    for k in range(count):
        damage = DAMAGES[k % len(DAMAGES)]
        data = whole
        while data == whole:  # what is zeroed may be zero already
            data = damage(whole, chance)
        try:
            with pytest.raises(SnapshotError):
                env.set_state(data)
        except Exception as error:
            raise AssertionError(f"{id}: {damage.__name__}: {type(error).__name__}: {error}") from error
        assert env.get_state() == whole, f"{id}: {damage.__name__} changed the environment"


@pytest.mark.mostly_slow
@pytest.mark.parametrize("id", every_world()[::-1])
def test_damaged_snapshots_are_refused(id, counted):
    attack(id, COUNT)
    counted("damaged snapshots refused", COUNT)


@pytest.mark.slow
def test_snapshots_of_other_worlds_are_refused(counted):
    states = {id: begun(id).get_state() for id in registry.ids()}
    env, refused = begun("envsuite/Chess-v0"), 0
    before = env.get_state()
    for id, data in states.items():
        if id != "envsuite/Chess-v0":
            with pytest.raises(SnapshotError, match="id"):
                env.set_state(data)
            refused += 1
    assert env.get_state() == before
    counted("snapshots of other worlds refused", refused)
