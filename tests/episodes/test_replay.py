"""Replays: every interface records the same, which plays again bit for bit, is compared, and is refused when broken."""

import json
import zlib
from functools import cache

import gymnasium
import numpy as np
import pytest
from typer.testing import CliRunner

import envsuite
from envsuite import cli, registry
from envsuite.cli import common
from envsuite.core.batch import Batch, stream_starts
from envsuite.core.errors import ActionError, ParameterError, ReplayError
from envsuite.core.record import array_of
from envsuite.episodes import replay as replays
from envsuite.episodes.recorder import Recorder, _seed_of
from envsuite.episodes.replay import BY, EVERY, Difference, Replay, Start, differences, parts_of
from envsuite.episodes.session import Session
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.parallel import Parallel
from envsuite.interfaces.vector import Flat, SeatVector, Vector
from envsuite.registry import build

GAME = [0, 3, 1, 4, 2]  # in TicTacToe a1, a2, b1, b2, c1: player_0 wins


def by_aec(path=None):
    env = AEC("TicTacToe")
    with Recorder(env, path) as recorder:
        env.reset(seed=5)
        for action in GAME:
            env.step(action)
    return recorder.replays[-1]


def harvest(steps, num=2, worlds=(0,), seed=3, **options):
    """Random play of Harvest in a vector: its recorder, closed."""
    env = Vector("Harvest", num)
    with Recorder(env, worlds=worlds) as recorder:
        env.reset(seed=seed, options=options)
        actions = np.random.default_rng(seed)
        for _ in range(steps):
            env.step(actions.integers(0, 8, env.batch.actions.shape))
    return recorder


@pytest.fixture(scope="module")
def long():
    """250 steps of Harvest."""
    return harvest(250).replays[0]


def same(replay, other):
    return (
        differences(replay, other) == []
        and replay.start == other.start
        and replay.checksums == other.checksums
        and np.array_equal(replay.returns, other.returns)
        and replay.over == other.over
    )


# Recording.


def test_every_interface_records_the_same_game():
    aec = by_aec()
    assert (len(aec), aec.over, aec.start.seed, aec.interface) == (5, True, 5, "aec")
    assert aec.actions.tolist() == [[0, 0], [0, 3], [1, 0], [0, 4], [2, 0]]

    env = Parallel("TicTacToe")
    with Recorder(env) as recorder:
        env.reset(seed=5)
        for k, action in enumerate(GAME):
            env.step({env.possible_agents[k % 2]: action, env.possible_agents[1 - k % 2]: 8})
    assert same(recorder.replays[0], aec)

    class Follower(envsuite.agents.Policy):
        """Plays the odd moves of the game."""

        def act_batch(self, observations, masks, agents):
            placed = np.asarray(observations).reshape(len(masks), len(agents), -1).astype(bool).sum(axis=2)
            return np.array(GAME)[np.minimum(placed, 4)]

    for env in (
        Seat("TicTacToe", opponents=Follower()),
        gymnasium.make("envsuite/TicTacToe-v0", opponents=Follower()),
    ):
        with Recorder(env) as recorder:
            env.reset(seed=5)
            for action in GAME[::2]:
                env.step(action)
        assert same(recorder.replays[0], aec)
        assert recorder.replays[0].interface == "gym"

    for make in (Vector, lambda *a: Vector(*a).flatten(), SeatVector):
        env = make("TicTacToe", 3) if make is not SeatVector else SeatVector("TicTacToe", 3, opponents=Follower())
        moves = GAME[::2] if make is SeatVector else GAME
        with Recorder(env, worlds=(1,)) as recorder:
            env.reset(seed=4)
            for action in moves:
                shape = (env.num_envs, 2) if isinstance(env, Vector) else (env.num_envs,)
                env.step(np.full(shape, action))
        assert same(recorder.replays[0], aec)
        assert recorder.replays[0].index == 1
    assert isinstance(Vector("TicTacToe", 2).flatten(), Flat)

    session = Session(aec.world, {0: Follower(), 1: Follower()}, 5)
    with Recorder(session) as recorder:
        session.begin(Start(5))
        for _ in session.play():
            pass
    assert same(recorder.replays[0], aec) and same(session.timeline.replay(), aec)


def test_playing_gives_what_the_environment_gave():
    env = Vector("Harvest", 2)
    seen = []

    def note():
        batch = env.batch
        arrays = (batch.observations[1], batch.masks[1], batch.rewards[1], batch.terminations[1], batch.truncations[1])
        seen.append((batch.records[1].copy(), *(array.copy() for array in arrays)))

    with Recorder(env, worlds=(1,)) as recorder:
        env.reset(seed=3)
        note()
        actions = np.random.default_rng(0)
        for _ in range(60):
            env.step(actions.integers(0, 8, env.batch.actions.shape))
            note()
    replay = recorder.replays[0]
    total = np.zeros(7)
    for moment, (record, observations, masks, rewards, ended, cut) in zip(replay.play(), seen, strict=True):
        total += rewards
        assert array_of(moment.record) == record
        assert np.array_equal(moment.observations, observations)
        assert np.array_equal(moment.masks, masks) and np.array_equal(moment.acting, masks.any(axis=1))
        assert np.array_equal(moment.rewards, rewards) and np.array_equal(moment.returns, total)
        assert np.array_equal(moment.terminations, ended) and np.array_equal(moment.truncations, cut)
    assert np.array_equal(replay.returns, total)


def test_recording_changes_nothing_and_ends():
    plain, recorded = AEC("TicTacToe"), AEC("TicTacToe")
    with Recorder(recorded):
        for env in (plain, recorded):
            env.reset(seed=1)
            for action in GAME[:3]:
                env.step(action)
        assert plain.get_state() == recorded.get_state()
        copy = recorded.clone()
        with pytest.raises(ReplayError, match="has a recorder already"):
            Recorder(recorded)
    assert "run" not in vars(recorded.batch) and "run" not in vars(copy.batch)
    recorded.step(GAME[3])


def test_an_illegal_action_is_no_part_of_a_replay():
    env = AEC("TicTacToe")
    with Recorder(env) as recorder:
        env.reset(seed=1)
        env.step(0)
        with pytest.raises(ActionError):
            env.step(0)
        env.step(3)
    assert recorder.replays[0].actions.tolist() == [[0, 0], [0, 3]]
    recorder.replays[0].verify()


def test_forfeits_are_replayed_and_skipped_moves_left_out():
    env = Parallel("TicTacToe", on_illegal="forfeit")
    with Recorder(env) as recorder:
        env.reset(seed=1)
        env.step({"player_0": 0})
        env.step({"player_1": 0})
    replay = recorder.replays[0]
    assert replay.actions.tolist() == [[0, 0], [0, -1]]
    assert (replay.over, replay.returns.tolist()) == (True, [0, -1])
    replay.verify()
    assert replay.at(-1).terminations.all()

    env = Parallel("TicTacToe", on_illegal="noop")  # there is no noop, so nothing happens
    with Recorder(env) as recorder:
        env.reset(seed=1)
        env.step({"player_0": 0})
        env.step({"player_1": -7})
        env.step({"player_1": 3})
    assert recorder.replays[0].actions.tolist() == [[0, 0], [0, 3]]
    recorder.replays[0].verify()


def test_later_episodes_do_not_depend_on_earlier_ones():
    recorder = harvest(130, worlds=(0, 1), params={"horizon": 60})
    found = [(replay.index, len(replay), replay.over) for replay in recorder.replays]
    lengths = {index: sum(length for i, length, _ in found if i == index) for index in (0, 1)}
    resets = {index: sum(over for i, _, over in found if i == index) for index in (0, 1)}
    assert len(found) >= 4 and all(lengths[i] + resets[i] == 130 for i in (0, 1))  # a reset takes a step too
    for replay in recorder.replays:
        assert replay.start.tuned == {"horizon": 60}
        again = Replay.from_bytes(replay.to_bytes())
        again.verify()
        assert same(again, replay)
    # The second episode's stream goes on from the first's; its seed starts the same stream.
    second = next(replay for replay in recorder.replays[2:] if replay.index == 0)
    env = Vector("Harvest", 1)
    env.reset(seed=second.start.seed, options={"params": {"horizon": 60}})
    assert np.array_equal(env.batch.observations[0], second.at(0).observations)


def test_levels_are_kept():
    level = harvest(1).replays[0].at(0)
    world = registry.build("Harvest")
    given = world.get_level(level.record)
    recorder = harvest(20, seed=9, level=given)
    replay = Replay.from_bytes(recorder.replays[0].to_bytes())
    assert replay.start.level == json.loads(json.dumps(given))
    replay.verify()
    assert world.get_level(replay.at(0).record) == given


def test_what_else_moves_a_world_starts_another_replay():
    env = Vector("Harvest", 1)
    actions = np.zeros((1, 7), np.int64)
    env.reset(seed=1)
    with Recorder(env) as recorder:
        env.step(actions)  # a recorder that comes late
        state = env.get_state()
        env.step(actions)
        env.set_state(state)
        env.step(actions)
        env.rollout("random", 5, seed=1)
        env.step(actions)
        env.reset()
        env.step(actions)
    assert [len(replay) for replay in recorder.replays] == [2, 1, 1, 1]
    assert [replay.start.seed is None for replay in recorder.replays] == [True, True, True, False]
    for replay in recorder.replays:
        Replay.from_bytes(replay.to_bytes()).verify()


def test_files_are_numbered_and_empty_episodes_dropped(tmp_path):
    env = AEC("TicTacToe")
    recorder = Recorder(env, tmp_path / "game.replay", players={"player_0": "me"})
    with pytest.raises(ReplayError, match="no episode"):
        recorder.running()
    env.reset(seed=1)
    env.reset(seed=2)
    for action in GAME:
        env.step(action)
    assert len(recorder.running()) == 5
    env.reset(seed=3)
    env.step(0)
    recorder.close()
    recorder.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game-2.replay", "game.replay"]
    first, second = Replay.load(tmp_path / "game.replay"), Replay.load(tmp_path / "game-2.replay")
    assert (first.start.seed, len(first), first.players) == (2, 5, {"player_0": "me"})
    assert (second.start.seed, len(second), second.over) == (3, 1, False)


def test_what_cannot_be_recorded():
    with pytest.raises(ParameterError, match="CartPoleEnv is no environment"):
        Recorder(gymnasium.make("CartPole-v1"))
    with pytest.raises(ParameterError, match="from 0 to 1"):
        Recorder(Vector("TicTacToe", 2), worlds=(2,))
    with pytest.raises(ReplayError, match="enumerates chance"):
        Recorder(Batch(registry.build("TicTacToe"), 1, exact=True))


# Playing.


def test_any_step_at_once(long):
    moments = list(long.play())
    assert len(moments) == 251 == len(long) + 1
    assert moments[0].actions is not None and moments[-1].actions is None
    calls = 0
    run = long._batch.run

    def counted():
        nonlocal calls
        calls += 1
        run()

    long._batch.run = counted
    for step in [*np.random.default_rng(0).integers(0, 251, 40), 250, 0, 249]:
        calls = 0
        moment, wanted = long.at(int(step)), moments[step]
        assert calls <= 32
        for name in ("record", "observations", "masks", "acting", "rewards", "returns", "terminations", "actions"):
            assert np.array_equal(array_of(getattr(moment, name)), array_of(getattr(wanted, name))), name
    assert long.at(-1).step == 250
    for step in (251, -252):
        with pytest.raises(ReplayError, match="steps are 0 to 250"):
            long.at(step)


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**63 + 7, 2**64 - 1])
def test_a_stream_tells_its_seed(seed):
    assert _seed_of(int(stream_starts([seed])[0])) == seed


def test_parameters_of_all_worlds_survive():
    worlds = [registry.build(id) for id in registry.ids()]
    worlds += [
        registry.build("Mushrooms", {"values": (1.0, 2.5, 3.0, -1.0)}),
        registry.build("Breakthrough", {"weights": (1.0, 0.5, 0.0, 0.0)}),
        registry.build("MatrixGame", {"payoffs": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]}),
    ]
    for world in worlds:
        count = len(world.agents)
        replay = Replay(world, Start(1), np.zeros((0, count), np.int8), ("",), np.zeros(count), False)
        again = Replay.from_bytes(replay.to_bytes()).world
        assert type(again) is type(world) and again._params.tobytes() == world._params.tobytes()
        for name, value in world.parameters.items():  # where lists and tuples are one, a tuple may become a list
            assert again.parameters[name] == (list(value) if isinstance(again.parameters[name], list) else value), name


def test_a_replay_is_small(long):
    assert len(long.to_bytes()) < 1200 + 250 * 7  # one byte for an action at most


# What is wrong.


@cache
def game_file():
    return by_aec().to_bytes()


def rewritten(change):
    """A game's file with another header, and a digest that fits."""
    header, body = replays.read_header(game_file())
    change(header)
    data = replays._FIRST_LINE + json.dumps(header).encode() + b"\n" + body
    return data + replays._digest(data, replays._DIGEST)


BROKEN = [
    (lambda h: h.update(format=9), "format 9"),
    (lambda h: h.pop("checksums"), "lacks 'checksums'"),
    (lambda h: h.update(steps="many"), "'steps' in the header is 'many'"),
    (lambda h: h.update(steps=-1), "'steps' in the header must be a positive"),
    (lambda h: h.update(steps=6), "state and actions should have 0 and 12 bytes"),
    (lambda h: h.update(steps=True), "'steps' in the header is True"),
    (lambda h: h.update(steps=10**30), "'steps' in the header must be"),
    (lambda h: h.update(steps=10**9), "2 checksums do not go with 1000000000 steps"),
    (lambda h: h.update(steps=10**9, actions="<i8", checksums=[""] * 10**5), "100000 checksums do not go"),
    (lambda h: h.update(steps=2**25, actions="<i8", checksums=[""] * (2 + 2**25 // 100)), "536870912 bytes of actions"),
    (lambda h: h.update(state_bytes=2**40, seed=None), "contradicts itself"),
    (lambda h: h.update(index=10**20), "'index' in the header must be"),
    (lambda h: h.update(agents=[1, 2]), "'agents'"),
    (lambda h: h.update(agents=["a", "a"]), "the agents and returns in its header do not fit"),
    (lambda h: h.update(players={"player_0": 1}), "'players'"),
    (lambda h: h.update(returns=["a", 0]), "'returns'"),
    (lambda h: h.update(returns=[10**400, 0]), "'returns'"),
    (lambda h: h.update(returns=[float("nan"), 0]), "'returns'"),
    (lambda h: h.update(returns=[0]), "the agents and returns in its header do not fit"),
    (lambda h: h.update(level={"a": "x" * 2**23}), "the header is longer than"),
    (lambda h: h.update(seed=None), "contradicts itself"),
    (lambda h: h.update(actions="<f8"), "no integer type"),
    (lambda h: h.update(checksums=["a"]), "1 checksums do not go with 5 steps"),
    (lambda h: h.update(envsuite="0.0.1"), "written by envsuite 0.0.1.*install envsuite==0.0.1"),
    (lambda h: h.update(id="envsuite/TicTacToe-v9"), "TicTacToe-v9; here it is envsuite/TicTacToe-v0"),
    (lambda h: h.update(id="other/Game-v0"), "not registered here"),
    (lambda h: h.update(id="os:system"), "not registered here"),
    (lambda h: h.update(parameters={"rows": 99999}), "its world cannot be made"),
    (lambda h: h.update(parameters={"colour": 1}), "its world cannot be made.*colour"),
    (lambda h: h.update(agents=["a", "b"]), "with a, b"),
    (lambda h: h.update(layout="0"), "records of envsuite/TicTacToe-v0 have changed"),
]


@pytest.mark.parametrize("change, message", BROKEN)
def test_a_file_that_cannot_be_played_says_why(change, message):
    with pytest.raises(ReplayError, match=message):
        Replay.from_bytes(rewritten(change), name="game.replay")


def told():
    """The game, with who chose each of its actions."""
    replay = by_aec()
    replay.by = np.full((5, 2), "", "<U8")
    for step in range(5):
        replay.by[step, step % 2] = BY[1 + step]
    return replay


def test_who_chose_is_a_part_of_the_file(tmp_path):
    plain, replay = by_aec(), told()
    replay.save(tmp_path / "it.replay")
    found = Replay.load(tmp_path / "it.replay")
    assert found.by.tolist() == replay.by.tolist() and same(found, plain) and found.to_bytes() == replay.to_bytes()
    assert (parts_of(tmp_path / "it.replay")[0] == replay.by).all()
    found.verify()
    found.by = None
    assert found.to_bytes() == plain.to_bytes() and plain.header()["format"] == 1  # byte for byte as before
    found.by = replay.by[:4]
    with pytest.raises(ReplayError, match="`by` must have one of"):
        found.to_bytes()


def forged(change):
    """The file of `told` with other parts, and a digest that fits."""
    header, body = replays.read_header(told().to_bytes())
    body = change(header["parts"], body) or body
    data = replays._FIRST_LINE + json.dumps(header).encode() + b"\n" + body
    return data + replays._digest(data, replays._DIGEST)


def packed(codes):
    def change(parts, body):
        content = zlib.compress(bytes(codes), 9)
        at = len(body) - parts["by"][0]
        parts["by"] = [len(content), len(codes)]
        return body[:at] + content

    return change


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda parts, body: parts.clear(), "'parts' in the header"),
        (lambda parts, body: parts.update(other=[1, 1]), "a part 'other', which"),
        (lambda parts, body: parts.update(by=3), "'parts' in the header"),
        (lambda parts, body: parts.update(by=[1, 2, 3]), "'parts' in the header"),
        (lambda parts, body: parts.update(by=[True, 10]), "'parts' in the header"),
        (lambda parts, body: parts.update(by=[-3, 10]), "'parts' in the header"),
        (lambda parts, body: parts.update(by=[10**6, 10]), "'parts' in the header"),
        (lambda parts, body: parts.update(by=[parts["by"][0], 11]), "11 bytes, which do not go with 5 steps"),
        (lambda parts, body: parts.update(by=[parts["by"][0], 10**12]), "bytes, which do not go with 5 steps"),
        (lambda parts, body: parts.update(by=[parts["by"][0] - 1, 10]), "cannot be unpacked"),
        (packed([0] * 9), "9 bytes, which do not go"),
        (packed([0] * 9 + [6]), "not one of 6 numbers"),
        (packed([255] * 10), "not one of 6 numbers"),
    ],
)
def test_forged_parts_are_refused(change, message):
    with pytest.raises(ReplayError, match=message):
        Replay.from_bytes(forged(change))


def test_a_session_says_who_chose():
    session = Session(build("RepeatedGame"), {"player_1": "random"}, persons=[0])
    session.choose(0, 0)
    session.advance()
    session.choose(0, 1, "clock")
    session.advance()
    assert session.timeline.replay().by.tolist() == [["person", "policy"], ["clock", "policy"]]
    again = Session.of(session.timeline.replay(), "random")
    again.seek(1)
    again.advance()
    assert again.timeline.replay().by.tolist() == [["person", "policy"], ["policy", "policy"]]
    again.seek(0)
    again.advance()
    assert again.timeline.replay().by is None  # policies alone


def test_a_damaged_file_says_so(tmp_path):
    data = by_aec().to_bytes()
    for broken in (data[:-1], data[:40], data[:100] + b"X" + data[101:], data + b"X"):
        with pytest.raises(ReplayError, match="truncated or has been changed"):
            Replay.from_bytes(broken)
    for other in (b"", b"\x89PNG", zlib.compress(b"x")):
        with pytest.raises(ReplayError, match="is not a replay"):
            Replay.from_bytes(other)
    with pytest.raises(ReplayError, match="none.replay cannot be read: No such file"):
        Replay.load(tmp_path / "none.replay")


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda h: h.update(checksums=["00", *h["checksums"][1:]]), "the record differs from its start"),
        (lambda h: h.update(checksums=[*h["checksums"][:1], "00"]), "the record differs between steps 0 and 5"),
        (lambda h: h.update(returns=[3, 4]), "returns come to"),
        (lambda h: h.update(tuned={"speed": 3}), "its starting state cannot be restored.*speed"),
        (lambda h: h.update(tuned={"connect": 10**30}), "cannot be restored: .*int"),
        (lambda h: h.update(level={}), "its starting state cannot be restored"),
    ],
)
def test_what_does_not_play_as_recorded_is_found(change, message):
    with pytest.raises(ReplayError, match=message):
        Replay.from_bytes(rewritten(change)).verify()


def test_actions_that_do_not_fit_are_found():
    replay = by_aec()
    replay.actions = replay.actions.copy()
    replay.actions[1, 1] = 0  # taken
    with pytest.raises(ReplayError, match="step 1: .*illegal"):
        replay.verify()
    replay = by_aec()
    replay.actions = np.concatenate([replay.actions, replay.actions[:1]])
    replay.checksums = (*replay.checksums[:1], replay.checksums[1])
    with pytest.raises(ReplayError):
        replay.verify()


def test_checksums_stand_at_intervals(long):
    assert len(long.checksums) == 1 + -(-250 // EVERY)
    changed = Replay.from_bytes(long.to_bytes())
    changed.actions[130] = 0  # everybody waits
    with pytest.raises(ReplayError, match="between steps 100 and 200"):
        changed.verify()


# Comparing.


def game(*actions, seed=5):
    env = AEC("TicTacToe")
    with Recorder(env) as recorder:
        env.reset(seed=seed)
        for action in actions:
            env.step(action)
    return recorder.replays[0]


def test_the_first_divergence():
    found = differences(game(*GAME), game(0, 3, 4, 5))
    assert found[0] == Difference(2, "player_0", "action", "'b1'", "'b2'")
    assert str(found[0]) == "step 2, player_0: action: 'b1' and 'b2'"
    assert {(one.step, one.agent) for one in found[1:]} == {(3, None)}
    assert any(one.field.startswith("legal[") for one in found[1:])

    assert differences(game(*GAME), game(*GAME)) == []
    assert differences(game(*GAME), game(*GAME[:3])) == [Difference(3, None, "end", "5 steps", "3 steps")]
    found = differences(game(*GAME), game(1, seed=6))  # the stream differs from the start, and that is not all
    assert [(one.step, one.field) for one in found[:2]] == [(0, "rng"), (0, "action")]
    assert {one.step for one in found[2:]} == {1} and "rng" not in {one.field for one in found[2:]}
    with pytest.raises(ReplayError, match="different worlds"):
        differences(game(0), harvest(1).replays[0])


def test_divergence_by_chance_alone(long):
    other = harvest(5, seed=4).replays[0]
    found = differences(long, other)
    assert found[0].step == 0 and len(found) > 1 and all(one.agent is None for one in found)


# The command line.


@pytest.fixture
def envs(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(common.out, "_width", 200)
    monkeypatch.setattr(common.err, "_width", 200)

    def run(*arguments, typed=None, code=0):
        result = CliRunner().invoke(cli.app, list(arguments), input=typed)
        assert result.exit_code == code, (result.output, result.exception)
        return result.output

    return run


def test_commands(envs, tmp_path):
    options = ["--policy", "random", "--seed", "3", "--episodes", "2"]
    output = envs("watch", "TicTacToe", "--ansi", *options, "--save", "a.replay")
    assert "Wrote a.replay" in output and "Wrote a-2.replay" in output
    assert Replay.load("a.replay").players == {"player_0": "random", "player_1": "random"}
    output = envs("replay", "show", "a-2.replay")
    assert "envsuite/TicTacToe-v0" in output and "seed 4" in output and "random" in output
    assert "plays exactly" in envs("replay", "verify", "a.replay")
    assert "the same" in envs("replay", "diff", "a.replay", "a.replay")
    assert "player_0" in envs("replay", "diff", "a.replay", "a-2.replay", code=1)

    envs("play", "TicTacToe", "--terminal", "--seed", "7", "--save", "mine.replay", typed="a1\nquit\n")
    mine = Replay.load("mine.replay")
    assert (mine.start.seed, mine.players["player_0"], len(mine)) == (7, "a person", 2)
    assert mine.by.tolist() == [["person", ""], ["", "policy"]]
    assert "person 1" in envs("replay", "show", "mine.replay")
    envs("play", "TicTacToe", "--terminal", "--save", "none.replay", typed="quit\n")
    assert not (tmp_path / "none.replay").exists()

    (tmp_path / "old.replay").write_bytes(rewritten(lambda h: h.update(envsuite="0.0.1")))
    assert "0.0.1" in envs("replay", "show", "old.replay")
    assert "install envsuite==0.0.1" in envs("replay", "verify", "old.replay", code=2)
    assert "cannot be read" in envs("replay", "verify", "nothing.replay", code=2)
    assert "Error" in envs("watch", "TicTacToe", "--ansi", "--save", "no/folder/a.replay", code=2)

    assert "Wrote a.html" in envs("export", "a.replay", "--html", "a.html")
    assert (tmp_path / "a.html").read_text("utf-8").startswith("<!DOCTYPE html>")


ODD = [None, True, -1, 2**63, 10**400, float("nan"), "", "[/red]\x1b[2J\ud800", [], ["", 1], {}, {"a": []}]


@pytest.mark.slow
def test_odd_headers_end_in_one_line(envs, tmp_path):
    """Whatever stands in a header: one line and exit code 2, or it is shown, with nothing that a terminal acts on."""
    bodies = []
    for key in replays._HEADER:
        bodies += [rewritten(lambda h, k=key, odd=odd: h.update({k: odd})) for odd in ODD]
        bodies.append(rewritten(lambda h, k=key: h.update({k: [h[k]] * 3, "agents": ["[/x]", "\x07"]})))
    run, failed = CliRunner(), {"show": 0, "verify": 0}
    for k, body in enumerate(bodies):
        (tmp_path / "odd.replay").write_bytes(body)
        for command in ("show", "verify") if k % 3 == 0 else ("show",):
            result = run.invoke(cli.app, ["replay", command, "odd.replay"])
            assert result.exception is None or isinstance(result.exception, SystemExit), (command, body)
            assert result.exit_code == (2 if result.exception else 0), (command, body)
            assert result.exit_code == 0 or result.output.lstrip().startswith("Error: odd.replay"), (command, body)
            assert "\x1b" not in result.output and "\x07" not in result.output
            failed[command] += result.exit_code == 2
    assert 100 < failed["show"] < len(bodies) - 15 and failed["verify"] > 50


def test_what_is_no_replay_is_named(envs, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "text").write_bytes(b"\xff" * 100)
    for name, message in (
        ("folder", "cannot be read: Is a directory"),
        ("loop", "cannot be read: Too many"),
        ("text", "is not a replay of envsuite"),
        ("/dev/zero", "is not a replay of envsuite"),
        ("/dev/null", "is not a replay of envsuite"),
        ("x" * 300, "cannot be read: File name too long"),
        ("", "cannot be read: No such file"),
    ):
        for command in ("show", "verify", "watch"):
            assert message in envs("replay", command, name, code=2)
        assert message in envs("replay", "diff", name, name, code=2)
        assert message in envs("export", name, "--html", "a.html", code=2)


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_played(envs, tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("gone/file")
    bad = {
        "folder": "it is a folder",
        "link": "it is a link to gone/file, which does not exist",
        "no/file": "there is no folder no",
        "/dev/full": "it is not a regular file",
        "x" * 300: "File name too long",
    }
    by_aec(tmp_path / "a.replay")
    monkeypatch.setattr("envsuite.core.batch.Batch.start", None)  # nothing is played from here on
    with pytest.raises(ParameterError, match="'' is no name"):
        Session(build("TicTacToe"), "random", path="")
    for path, reason in bad.items():
        with pytest.raises(ParameterError, match=f"'{path}' .*{reason}"):
            Recorder(AEC("TicTacToe"), path)
    commands = [["watch", "TicTacToe", "--ansi", "--save"], ["play", "TicTacToe", "--terminal", "--save"],
                ["tournament", "TicTacToe", "--out"], ["export", "a.replay", "--html"]]  # fmt: skip
    for command in commands:
        assert f"'no/file' cannot be written: {bad['no/file']}" in envs(*command, "no/file", code=2)


def test_a_locked_folder_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)  # tests may run as root
    (tmp_path / "old").touch()
    for name, reason in (("old", "it is write-protected"), ("new", "the folder .* is write-protected")):
        with pytest.raises(ParameterError, match=reason):
            by_aec().save(tmp_path / name)
