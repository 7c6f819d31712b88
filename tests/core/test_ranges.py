"""Ranges of fields: how they are declared, and that no interface takes a record that is outside of them."""

import dataclasses
import json
import struct

import numpy as np
import pytest

from envsuite import registry
from envsuite.core import snapshot
from envsuite.core.batch import Batch
from envsuite.core.errors import ReplayError, SnapshotError
from envsuite.core.policy import make_policy
from envsuite.core.ranges import Ranges, among, bare, below, flag, free, limited, within
from envsuite.episodes.recorder import Recorder
from envsuite.episodes.replay import Replay, Start
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.vector import SeatVector, Vector

WORLD = "envsuite/ConnectFour-v0"


def forged(state, change, part=0):
    """A snapshot with another part, and a checksum that is right."""
    (length,) = struct.unpack_from("<I", state, 8)
    header = json.loads(state[12 : 12 + length])
    ends = np.cumsum([12 + length, *header["sizes"]]).tolist()
    parts = [bytearray(state[first:last]) for first, last in zip(ends, ends[1:])]
    change(parts[part])
    identity = {name: value for name, value in header.items() if name != "sizes"}
    return snapshot.pack(identity, [bytes(part) for part in parts])


def poke(world, name, value, record=0):
    """A change of the bytes of records: a field of one of them gets another value."""

    def change(data):
        records = np.frombuffer(data, world.record)
        records[name][record] = value

    return change


def test_ranges_do_not_change_the_type_of_a_record():
    level = np.dtype([("length", within(np.int64, 0, 9)), ("moves", below(np.uint8, 7), (3,))], align=True)
    ranged = np.dtype([("player", flag()), ("level", level, (2,)), ("rng", free(np.uint64))], align=True)
    plain = np.dtype([("length", np.int64), ("moves", np.uint8, (3,))], align=True)
    plain = np.dtype([("player", np.uint8), ("level", plain, (2,)), ("rng", np.uint64)], align=True)
    assert bare(ranged) == plain and bare(ranged).descr == plain.descr and repr(bare(ranged)) == repr(plain)
    assert bare(ranged).isalignedstruct and bare(ranged)["player"].metadata is None


@pytest.mark.parametrize(
    "change, problem",
    [
        (lambda r: None, None),
        (lambda r: r["flag"].__setitem__(2, 2), (2, "flag is 2, out of range 0 .. 1")),
        (lambda r: r["seats"].__setitem__((1, 2), -1), (1, "seats[2] is -1, out of range 0 .. 6")),
        (lambda r: r["seats"].__setitem__((1, 0), 5), (1, "seats[0] is 5, out of range 0 .. 4")),
        (lambda r: r["deals"]["price"].__setitem__((0, 1), 2.0), (0, "deals.price[1] is 2.0, out of range 0.0 .. 1.0")),
        (lambda r: r["any"].__setitem__(0, np.inf), (0, "any is inf, not a finite number")),
        (lambda r: r["word"].__setitem__(0, 2**64 - 1), None),
        (lambda r: r["squares"].__setitem__(1, 2**63), (1, f"squares is {2**63}, out of range 0 .. {2**63 - 1}")),
    ],
)  # fmt: skip
def test_the_first_field_outside_its_range_is_named(change, problem):
    dtype = np.dtype(
        [
            ("flag", flag()),
            ("seats", within(np.int8, 0, np.array([4, 5, 6])), (3,)),
            ("deals", np.dtype([("price", within(np.float64, 0.0, 1.0))]), (2,)),
            ("any", free(np.float64)),
            ("word", free(np.uint64)),
            ("squares", within(np.uint64, 0, 2**63 - 1)),
            ("forgotten", np.int64),
        ]
    )
    ranges, records = Ranges(dtype), np.zeros(3, bare(dtype))
    change(records)
    assert ranges.undeclared == ["forgotten"]
    assert ranges.outside(records) == problem


def test_a_range_fits_its_type():
    with pytest.raises(ValueError, match="-1 .. 4 of player does not fit uint8"):
        Ranges(np.dtype([("player", within(np.uint8, -1, 4))]))


def test_parameters_have_the_ranges_of_the_constructor_or_their_own():
    assert among(("a", "b", "c"), "b") == 1 and limited(2.5, 0, 3) == 2.5
    world = registry.build("envsuite/Goofspiel-v0", {"ties": "split"})
    records = np.zeros(1, world.record)
    for name, value, right in (("ties", 2, True), ("ties", 3, False), ("hidden_bids", 2, False)):
        world.fill(records)
        records["params"][name] = value
        assert (world.ranges.outside(records, "params") is None) == right
    world = registry.build("envsuite/ConnectFour-v0")
    records = np.zeros(1, world.record)
    assert world.ranges.outside(records, "params") == (0, "params.connect is 0, out of range 2 .. 16")


@pytest.mark.parametrize("make", [AEC, Parallel, Seat, lambda w: Vector(w, 3), lambda w: SeatVector(w, 3)])
@pytest.mark.parametrize(
    "name, value, problem",
    [
        ("player", 7, "player is 7, out of range 0 .. 1"),
        ("t", -5, "t is -5, out of range 0 .. "),
        ("truncated", 3, r"truncated\[0\] is 3, out of range 0 .. 1"),
        ("level_given", 1, "level_given is 1, out of range 0 .. 0"),
        ("count", 41, "count is not the number of discs"),
        ("terminated", [0, 1], "the episode of some agents only is over"),
    ],
)
def test_every_interface_refuses_a_forged_record_and_stays_as_it_was(make, name, value, problem):
    world = registry.build(WORLD)
    env = make(world)
    env.reset(seed=0)
    if name == "terminated":  # of the agent that is to move
        value = (np.arange(2) == int(env.batch.records["player"][-1])).astype(int)
    state, masks = env.get_state(), env.batch.masks.copy()
    with pytest.raises(SnapshotError, match=problem):
        env.set_state(forged(state, poke(world, name, value, -1)))
    assert env.get_state() == state and (env.batch.masks == masks).all()
    env.set_state(state)


def test_headers_and_parts_that_are_no_snapshots_are_refused():
    env = AEC(registry.build(WORLD))
    env.reset(seed=0)
    state = env.get_state()
    (length,) = struct.unpack_from("<I", state, 8)
    header = json.loads(state[12 : 12 + length])
    body = state[12 + length : -16]
    for wrong in (
        b"", b"[]", b"7", b"\xff\xfe", b"{" * 3000, json.dumps({**header, "sizes": [10**30]}).encode(),
        *(json.dumps({**header, "sizes": sizes}).encode() for sizes in ([], [-1, 1], [len(body)], "x", [0.5], None)),
        json.dumps({**header, "id": ["x"] * 9}).encode(),
    ):  # fmt: skip
        data = state[:8] + struct.pack("<I", len(wrong)) + wrong + body
        with pytest.raises(SnapshotError):
            env.set_state(data + snapshot._digest(data))
    data = state[:8] + struct.pack("<I", 2**32 - 1) + state[12:-16]
    with pytest.raises(SnapshotError):
        env.set_state(data + snapshot._digest(data))
    assert env.get_state() == state


def test_the_turn_of_an_aec_environment_is_checked():
    env = AEC(registry.build("envsuite/MatrixGame-v0"))
    env.reset(seed=0)
    env.step(1)
    state = env.get_state()

    def turn(row, agent, value):
        return lambda data: np.frombuffer(data, np.float64).reshape(4, -1).__setitem__((row, agent), value)

    for part, change in (
        (1, turn(2, 0, 0.5)),
        (1, turn(2, 1, 1.0)),  # all have chosen
        (1, turn(3, 0, 1.0)),  # has left before its end
        (1, turn(0, 0, np.nan)),
        (2, lambda data: np.frombuffer(data, np.int64).__setitem__(0, 10**6)),
    ):
        with pytest.raises(SnapshotError):
            env.set_state(forged(state, change, part))
        assert env.get_state() == state


def test_a_policy_s_memory_is_checked():
    env = Seat(registry.build(WORLD))
    env.reset(seed=0)
    state = env.get_state()
    agent = env._others.policies[0].first_memory.dtype.fields["agent"][1]

    def other_agent(data):
        data[agent] = 200

    for change in (other_agent, lambda data: data.pop()):
        with pytest.raises(SnapshotError, match="policy 'random' cannot continue"):
            env.set_state(forged(state, change, 2))
        assert env.get_state() == state


@pytest.mark.parametrize(
    "id, name, field, value, problem",
    [
        ("envsuite/Fishery-v0", "tit_for_tat", "share", 251, "share is 251, out of range -1 .. 250"),
        ("envsuite/FrozenLake-v0", "planner", "planned", 2, "planned is 2, out of range 0 .. 1"),
        ("envsuite/FrozenLake-v0", "planner", "values", np.nan, r"values\[0\] is nan, not a finite number"),
        ("envsuite/MatrixInTheGrid-v0", "first", "choice", 2, "choice is 2, which is no class"),
        ("envsuite/Hanabi-v0", "smart", "players", 5, r"number.2. is 0, out of range 5 .. 5"),
        ("envsuite/Handover-v0", "peers", "job", 7, "job is 7 of 6 parts"),
    ],
)
def test_the_variables_of_a_policy_are_checked(id, name, field, value, problem):
    world = registry.build(id)
    batch, policy = Batch(world, 1, compiled=False), make_policy(name, world)
    batch.start(0)
    policy.reset(0)
    policy.act_in(batch, range(len(world.agents)))
    state, forged = policy.get_state(), policy.memories.copy()
    policy.set_state(state)
    forged[field][0, 0] = value
    with pytest.raises(SnapshotError, match=problem):
        policy.set_state(forged.tobytes())
    assert policy.get_state() == state


def test_replays_are_checked():
    env = Parallel(registry.build(WORLD))
    env.reset(seed=0)
    with Recorder(env) as recorder:  # from a state, not from a seed
        env.step({"player_0": 3, "player_1": 3})
    (replay,) = recorder.replays
    assert len(Replay.from_bytes(replay.to_bytes())) == 1

    def reloaded(**changes):
        return Replay.from_bytes(dataclasses.replace(replay, **changes).to_bytes())

    state = bytearray(replay.start.state)
    poke(env.world, "heights", 200)(state)
    with pytest.raises(ReplayError, match=r"heights\[0\] is 200, out of range 0 .. 6"):
        reloaded(start=dataclasses.replace(replay.start, state=bytes(state)))
    with pytest.raises(ReplayError, match="actions that envsuite/ConnectFour-v0 does not have"):
        reloaded(actions=replay.actions + 10)
    with pytest.raises(ReplayError, match="params.connect is 99"):
        reloaded(start=Start(0, None, {"connect": 99}, b"")).at(0)


def test_a_world_that_leaves_no_agent_a_move_is_truncated():
    world = registry.build("envsuite/TicTacToe-v0")
    batch = Batch(world, 1)
    batch.start(0)
    batch.records["legal"] = 0
    batch.records["legal"][0, 4] = 1
    batch.observe()
    batch.step(4)
    assert batch.finished[0] and batch.truncations.all() and not batch.terminations.any()
    assert world.ranges.outside(batch.records)[1].startswith("truncated")
