"""Repeated games: totals of the Axelrod library, exact values with noise, lockstep with OpenSpiel, talk, ends."""

import itertools
import json

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.agents import make_policy, policies
from envsuite.core.batch import Batch
from envsuite.core.chance import Explorer
from envsuite.core.errors import LevelError, ParameterError
from envsuite.games.repeated_game import RepeatedGame
from envsuite.registry import build
from envsuite.render.page import heard
from envsuite.talk.table import Talk

ID = "envsuite/RepeatedGame-v0"
C, D = range(2)

#: Reference numbers; each entry names its source.
ORACLES = json.loads((DATA / "iterated_games.json").read_text())


def world_of(**params):
    return build(ID, params)


def started(num=1, seed=0, **params):
    return kit.started(world_of(**params), num, seed)


def move(batch, actions):
    batch.step(actions, ~batch.finished)
    return batch.rewards.copy()


def play(batch, seats, steps=None, seed=0):
    """Total rewards (N, A) of `steps` transitions, or until all games are over, with one policy per seat."""
    players = [make_policy(name, batch.world) for name in seats]
    for k, player in enumerate(players):
        player.reset(seed + 1000 * k, batch.num)
    total = np.zeros(batch.rewards.shape)
    while not batch.over().all() and steps != 0:
        for k, player in enumerate(players):
            batch.actions[:, k] = player.act_batch(batch.observations[:, [k]], batch.masks[:, [k]], [k])[:, 0]
        total += move(batch, batch.actions.copy())
        steps = None if steps is None else steps - 1
    return total


# Strategies.


def ours(name):
    return name.lower().replace(" ", "_").replace("-", "_")


@pytest.mark.slow
def test_totals_of_the_axelrod_library():
    """All 256 ordered pairs of 16 deterministic strategies, 200 rounds: totals equal those of axelrod 4.14.0.

    They are played with a memory of one round, which must suffice for all of them.
    """
    pairs = ORACLES["axelrod/pairs_200_turns_total_score"]["value"]
    assert len(pairs) == 256
    batch = started(len(pairs), memory=1)
    seated = {}  # (strategy, seat) -> the worlds it plays in
    for i, pair in enumerate(pairs):
        for k, name in enumerate(pair.split("|")):
            seated.setdefault((name, k), []).append(i)
    players = {seat: make_policy(ours(seat[0]), batch.world) for seat in seated}
    for seat, player in players.items():
        player.reset(0, len(seated[seat]))
    total = np.zeros((len(pairs), 2))
    for _ in range(200):
        assert not batch.over().any()
        actions = np.zeros((len(pairs), 2), np.int64)
        for (name, k), player in players.items():
            at = seated[name, k]
            actions[at, k] = player.act_batch(batch.observations[at][:, [k]], batch.masks[at][:, [k]], [k])[:, 0]
        total += move(batch, actions)
    assert batch.over().all()
    for i, (pair, expected) in enumerate(pairs.items()):
        assert total[i].tolist() == expected, pair


#: Names in the oracle of strategies with one round's memory.
MEMORY_ONE = {
    "TFT": "tit_for_tat",
    "WSLS": "win_stay_lose_shift",
    "ALLC": "cooperator",
    "ALLD": "defector",
    "GTFT": "gtft",
    "EXTORT2": "extort_2",
}
CHANCES = ("cc", "cd", "dc", "dd")


def vector(name):
    """A strategy's probabilities of cooperating after CC, CD, DC and DD, its own action first."""
    if name == "GRIM":  # with a memory of one round: cooperates only after mutual cooperation
        return np.array([1.0, 0.0, 0.0, 0.0])
    if name == "RANDOM":
        return np.full(4, 0.5)
    return np.array([policies(ID)[MEMORY_ONE[name]].parameters[chance] for chance in CHANCES])


def test_exact_values_with_noise():
    """Mean payoffs of the last round's Markov chain with noise 0.05; the world's transitions are enumerated.

    All 64 pairs of the oracle agree to its ten digits.
    """
    explorer = Explorer(world_of(noise=0.05, memory=1))
    (start,) = explorer.starts()
    # The world after each pair of intended actions, from any state: probability by outcome, and its payoffs.
    outcomes, payoffs = np.zeros((4, 4)), np.zeros((4, 2))
    for intended in itertools.product((C, D), repeat=2):
        for outcome in explorer.successors(start.record, intended):
            first, second = explorer.look(outcome.record).observations["history"][0, 0]
            outcomes[2 * intended[0] + intended[1], 2 * first + second] += outcome.probability
            payoffs[2 * first + second] = outcome.rewards
    assert payoffs.tolist() == [[3, 3], [0, 5], [5, 0], [1, 1]]
    for pair, expected in ORACLES["formula/mem1_eps0.05"]["value"].items():
        first, second = map(vector, pair.split("|"))
        second = second[[0, 2, 1, 3]]  # in the order of the first player's states
        intents = np.stack(
            [first * second, first * (1 - second), (1 - first) * second, (1 - first) * (1 - second)], axis=1
        )
        chain = intents @ outcomes
        system = np.vstack([chain.T - np.eye(4), np.ones(4)])
        stationary = np.linalg.lstsq(system, np.array([0, 0, 0, 0, 1.0]), rcond=None)[0]
        np.testing.assert_allclose(stationary @ payoffs, expected, atol=1e-9, err_msg=pair)


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["WSLS|WSLS", "GTFT|GTFT", "EXTORT2|ALLC", "TFT|RANDOM", "GTFT|EXTORT2"])
def test_simulated_values_with_noise(pair):
    """The same by simulation: 2,000 worlds, 150 rounds after 80 that do not count; within 4.5 standard errors."""
    seats = [MEMORY_ONE.get(name, "random") for name in pair.split("|")]
    batch = started(2000, noise=0.05, rounds=230)
    players = [make_policy(name, batch.world) for name in seats]
    for k, player in enumerate(players):
        player.reset(77 + 10_000 * k, batch.num)
    total = np.zeros((batch.num, 2))
    for t in range(230):
        for k, player in enumerate(players):
            batch.actions[:, k] = player.act_batch(batch.observations[:, [k]], batch.masks[:, [k]], [k])[:, 0]
        rewards = move(batch, batch.actions.copy())
        total += rewards * (t >= 80)
    mean, error = total.mean(axis=0) / 150, total.std(axis=0) / 150 / batch.num**0.5
    assert (error < 0.01).all()
    assert (abs(mean - ORACLES["formula/mem1_eps0.05"]["value"][pair]) < 4.5 * error).all()


@pytest.mark.parametrize("name", ["gtft", "extort_2", "memory_one"])
def test_memory_one_policies_cooperate_as_often_as_they_say(name):
    """Frequencies in the first round and after each outcome of the last round are within 5 standard errors."""
    num = 5000
    chosen = dict(first=0.7, cc=0.9, cd=0.3, dc=0.6, dd=0.15) if name == "memory_one" else {}
    expected = {**policies(ID)[name].parameters, **chosen}
    for last, chance in zip([None, (C, C), (C, D), (D, C), (D, D)], ("first", *CHANCES)):
        batch = started(num)
        if last:
            move(batch, last)
        player = make_policy(name, batch.world, **chosen)
        player.reset(5, num)
        rate = (player.act_batch(batch.observations, batch.masks, [0, 1])[:, 0] == C).mean()
        p = expected[chance]
        assert abs(rate - p) <= 5 * (p * (1 - p) / num) ** 0.5, chance


def test_strategies_say_what_they_do():
    """Two exchanges of messages do not change totals, and the last message is the action taken."""
    pairs = ORACLES["axelrod/pairs_200_turns_total_score"]["value"]
    for pair in ("Cycler CCD|Punisher", "Tit For 2 Tats|Alternator", "Bully|Grumpy"):
        batch = started(talk=2)
        total = play(batch, [ours(name) for name in pair.split("|")])
        assert total[0].tolist() == pairs[pair]
        s = batch.record()
        assert (s.said == s.history).all()


def test_baselines_beat_random():
    """Per round against a random opponent: the defector gets 3; win-stay lose-shift gets 2.25, as a random player."""
    mean = {name: play(started(200), [name, "random"]).mean(axis=0)[0] / 200 for name in ("defector", "random")}
    assert abs(mean["defector"] - 3) < 0.05 and abs(mean["random"] - 2.25) < 0.05
    for name, own in (("tit_for_tat", 3.0), ("grudger", 3.0), ("soft_go_by_majority", 3.0), ("defector", 1.0)):
        assert (play(started(1), [name, name]) == own * 200).all()


def test_talk_helps_to_coordinate():
    """Stag hunt: believers agree on the stag, 2 per round; a random pair gets 1; a believer gets 0 from a deceiver."""
    params = dict(game="stag_hunt", talk=1, rounds=50)
    assert (play(started(20, **params), ["believer", "believer"]) == 100).all()
    assert abs(play(started(200, **params), ["random", "random"]).mean() - 50) < 2
    assert (play(started(20, **params), ["believer", "deceiver"]) == [0, 50]).all()
    # A strategy that is going to defect says so, and the believer's best reply, hare, gets 1.
    assert (play(started(1, **params), ["believer", "defector"]) == [50, 50]).all()


def test_ten_rounds_of_the_prisoners_dilemma():
    """The setting of advantage alignment: R 3, P 1, T 5, S 0, ten rounds; 3, 1 and 5 to 0 per round."""
    for seats, expected in (
        (["cooperator", "cooperator"], [30, 30]),
        (["defector", "defector"], [10, 10]),
        (["defector", "cooperator"], [50, 0]),
    ):
        assert play(started(rounds=10), seats)[0].tolist() == expected


# Rules.


@pytest.mark.parametrize("stage", ["matrix_pd", "matrix_brps"])
def test_equals_openspiel(stage):
    """1,000 random games of ten rounds: legal actions, rewards, ends, and the last round, which OpenSpiel observes."""
    import pyspiel

    rng = np.random.default_rng(3)
    table = pyspiel.load_matrix_game(stage)
    payoffs = [table.row_utilities().tolist(), table.col_utilities().tolist()]
    game = pyspiel.create_repeated_game(stage, {"num_repetitions": 10})
    batch = started(1000, game="custom", payoffs=payoffs, rounds=10)
    states = [game.new_initial_state() for _ in range(batch.num)]
    size = table.num_rows()
    for _ in range(10):
        assert not batch.over().any()
        for i, state in enumerate(states):
            assert not state.is_terminal()
            for k in range(2):
                assert np.flatnonzero(batch.masks[i, k]).tolist() == state.legal_actions(k)
        rewards = move(batch, rng.integers(size, size=(batch.num, 2)))
        last = batch.observations["history"][:, :, -1]
        for i, state in enumerate(states):
            state.apply_actions(batch.actions[i].tolist())
            assert rewards[i].tolist() == state.rewards()
            seen = np.array(state.observation_tensor(0)).reshape(2, size)
            assert seen.argmax(axis=1).tolist() == last[i, 0].tolist() == last[i, 1, ::-1].tolist()
    assert all(state.is_terminal() for state in states)
    assert batch.terminations.all() and not batch.truncations.any() and not batch.masks.any()
    assert (batch.records["totals"] == [state.returns() for state in states]).all()


def test_history():
    """Three players, a memory of 25 rounds: actions by seat from the own one, oldest first; -1 before the start."""
    rng = np.random.default_rng(4)
    batch = started(game="majority", players=3, memory=25, rounds=60)
    past = [[-1] * 3] * 25
    for t in range(60):
        for agent in range(3):
            order = [(agent + k) % 3 for k in range(3)]
            assert (batch.observations["history"][0, agent] == np.array(past[-25:])[:, order]).all()
            assert batch.observations["rounds_left"][0, agent, 0] == 60 - t
        actions = rng.integers(2, size=3)
        rewards = move(batch, [actions])
        left = 2 * (actions == 0).sum() > 3
        assert rewards[0].tolist() == [float((a == 0) == left) for a in actions]
        past.append(actions.tolist())
    assert batch.over().all()


def test_noise_of_two_actions():
    """Each player independently takes the other action with probability 0.05; all outcomes are enumerated."""
    explorer = Explorer(world_of(noise=0.05, memory=1))
    (start,) = explorer.starts()
    found = {}
    for outcome in explorer.successors(start.record, (C, D)):
        row = tuple(explorer.look(outcome.record).observations["history"][0, 0].tolist())
        found[row] = found.get(row, 0.0) + outcome.probability
        assert outcome.rewards.tolist() == {(C, D): [0, 5], (D, D): [1, 1], (C, C): [3, 3], (D, C): [5, 0]}[row]
    np.testing.assert_allclose([found[C, D], found[D, D], found[C, C], found[D, C]], [0.9025, 0.0475, 0.0475, 0.0025])


def test_noise_of_three_actions():
    """Each of the other actions has half the probability of noise; within 5 standard errors of 60,000 actions."""
    batch = started(30_000, game="rock_paper_scissors", noise=0.3)
    rewards = move(batch, [0, 2])
    done = batch.observations["history"][:, 0, -1]
    for player, chosen in ((0, 0), (1, 2)):
        counts = np.bincount(done[:, player], minlength=3) / batch.num
        expected = np.where(np.arange(3) == chosen, 0.7, 0.15)
        assert (abs(counts - expected) < 5 * np.sqrt(expected * (1 - expected) / batch.num)).all()
    beaten = (done[:, 0] - done[:, 1]) % 3  # 0 a draw, 1 a win, 2 a loss of the first
    assert (rewards[:, 0] == np.array([0, 1, -1])[beaten]).all() and (rewards.sum(axis=1) == 0).all()


def test_noise_is_reproduced_and_differs():
    runs = [play(started(50, seed, noise=0.2), ["tit_for_tat", "tit_for_tat"]) for seed in (0, 0, 99)]
    assert (runs[0] == runs[1]).all() and (runs[0] != runs[2]).any()


def test_continuation():
    """Lengths are geometric, cut at the limit: chi-square of 20,000 games within its 1e-6 quantile."""
    batch = started(20_000, rounds=6, continuation=0.7)
    lengths = np.zeros(batch.num, int)
    cut = np.zeros(batch.num, bool)
    while not batch.over().all():
        before = batch.over()
        move(batch, 0)
        lengths += ~before
        cut |= batch.truncations.any(axis=1)
        assert (batch.truncations.all(axis=1) == batch.truncations.any(axis=1)).all()
    expected = batch.num * np.array([0.3 * 0.7**k for k in range(5)] + [0.7**5])
    counts = np.bincount(lengths, minlength=7)[1:]
    assert ((counts - expected) ** 2 / expected).sum() < 35.9  # scipy.stats.chi2.isf(1e-6, 5) = 35.89
    # After the sixth round the game terminates in 0.3 of the cases; otherwise the limit truncates it.
    assert (lengths[cut] == 6).all()
    rate = cut[lengths == 6].mean()
    assert abs(rate - 0.7) < 5 * (0.21 / counts[5]) ** 0.5


def test_talk():
    """Phases, masks and messages with two exchanges before each round."""
    batch = started(game="chicken", talk=2, rounds=2, noise=0.0)
    world = batch.world
    assert world.action_names[0] == ("say swerve", "say straight", "play swerve", "play straight")
    say, do = [1, 1, 0, 0], [0, 0, 1, 1]
    told, said = [], []

    def hear():
        new = heard(said, world.messages(batch.record()))
        told.append(new)
        said[:] = world.messages(batch.record())

    for t in range(2):
        seen = batch.observations[0]
        assert batch.masks[0].tolist() == [say, say]
        assert (seen["messages"] == -1).all() and (seen["exchanges_left"] == 2).all()
        assert not move(batch, [0, 1]).any()
        hear()
        assert batch.masks[0].tolist() == [say, say] and (seen["exchanges_left"] == 1).all()
        assert seen["messages"].tolist() == [[[0, 1], [-1, -1]], [[1, 0], [-1, -1]]]
        assert not move(batch, [1, 1]).any()
        assert batch.masks[0].tolist() == [do, do] and (seen["exchanges_left"] == 0).all()
        assert seen["messages"].tolist() == [[[0, 1], [1, 1]], [[1, 0], [1, 1]]]
        assert (seen["rounds_left"] == 2 - t).all()
        assert (
            "Said: you swerve, player_1 straight.\nSaid: you straight, player_1 straight.\nNow all play."
            in world.text(batch.record(), 0)
        )
        hear()
        assert move(batch, [3, 2]).tolist() == [[4, 1]]
        hear()
        assert said == []
        assert seen["history"][:, -1].tolist() == [[1, 0], [0, 1]]
    assert batch.over().all() and batch.records["t"][0] == 6
    assert told == 2 * [[(0, "swerve"), (1, "straight")], [(0, "straight"), (1, "straight")], []]


def test_messages_are_not_noisy():
    batch = started(2000, talk=1, noise=0.5)
    move(batch, [0, 1])
    assert (batch.observations["messages"][:, 0] == [0, 1]).all()
    move(batch, [2, 3])
    assert 0.4 < (batch.observations["history"][:, 0, -1] == [0, 1]).mean() < 0.6


def test_levels():
    """Worlds of one batch have different payoffs; strategies of three players on an uneven table act legally."""
    batch = Batch(world_of(), 2)
    batch.set_level(1, {"payoffs": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]})
    batch.start()
    assert batch.observations["payoffs"][1].tolist() == [[[1, 2, 3, 4], [5, 6, 7, 8]], [[5, 7, 6, 8], [1, 3, 2, 4]]]
    assert move(batch, [1, 0]).tolist() == [[5, 0], [3, 7]]
    assert move(batch, [0, 1]).tolist() == [[0, 5], [2, 6]]
    with pytest.raises(LevelError, match=r"shape \(1, 2\), not \(2, 2, 2\)"):
        batch.set_level(0, {"payoffs": [[1, 2]]})
    with pytest.raises(LevelError, match="'payoffs' only"):
        batch.set_level(0, {"payoffs": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "rounds": 3})


@pytest.mark.parametrize("talk", [0, 1])
def test_policies_act_legally_on_uneven_tables(talk):
    """Three players with one, two and three actions."""
    payoffs = np.random.default_rng(0).normal(size=(3, 1, 2, 3)).tolist()
    batch = started(8, game="custom", payoffs=payoffs, rounds=5, talk=talk, noise=0.2)
    for name in ("tit_for_tat", "cycler_ccd", "deceiver", "believer"):
        batch.start()
        assert np.isfinite(play(batch, [name] * 3)).all()


def test_parameters():
    for params, message in (
        ({"continuation": 0.0}, "continuation=0 must be above 0"),
        ({"noise": 1.5}, "from 0 to 1"),
        ({"rounds": 0}, "from 1 to 100000"),
        ({"memory": 0}, "from 1 to 64"),
        ({"game": "chicken", "players": 3}, "RepeatedGame: 'chicken' is a game of 2 players"),
        ({"game": "custom", "payoffs": np.zeros((2, 128, 1)).tolist()}, "127 at most"),
    ):
        with pytest.raises(ParameterError, match=message):
            RepeatedGame(**params)


def test_text_and_scene():
    """A text lists only the observed rounds; a picture shows the last 20 rounds, totals, and lies."""
    batch = started(talk=1, rounds=50, memory=2)
    world = batch.world
    for _ in range(30):
        move(batch, [0, 0])
        move(batch, [2, 3])
    text = world.text(batch.record(), 1)
    assert "Round 28" not in text and "Round 29: you defect, player_0 cooperate." in text
    assert "This is round 31 of 50." in text and text.endswith("Now all say something.")
    scene = world.scene(batch.record())
    texts = [shape.text for shape in scene.shapes if hasattr(shape, "text")]
    assert texts.count("c") == 20 and texts.count("d") == 20  # 20 rounds
    assert "150" in texts and "0" in texts and "30" in texts and "10" not in texts
    dots = [shape for shape in scene.shapes if getattr(shape, "radius", 0) == 0.07]
    assert len(dots) == 20 and {dot.fill for dot in dots} == {"good"}
    start = world.scene(started(talk=1, rounds=50, memory=2).record())
    assert (start.width, start.height) == (scene.width, scene.height)


# Free talk.


def test_all_hear_what_is_said_before_a_round():
    batch = started(game="public_goods", players=3, talk=1, say=True)
    world = batch.world
    assert [set(world.speech(batch.record(0), a, 0)) for a in range(3)] == [{0, 1, 2}] * 3
    move(batch, [[0, 1, 4]])
    assert world.speech(batch.record(0), 0, 2) is None
    assert world.messages(batch.record(0)) == [(0, world.choices[0][0]), (1, world.choices[1][1])]
    assert "Said: you contribute, player_1 keep." in world.text(batch.record(0), 0)


def test_say_names_no_action_and_is_the_last():
    batch = started(talk=2, say=True)
    assert batch.world.action_names[0] == (*started(talk=2).world.action_names[0], "say")
    assert kit.legal(batch) == {"say cooperate", "say defect", "say"}
    move(batch, [[4, 1]])
    assert batch.record(0).messages.tolist() == [[-1, 1], [-1, -1]]
    move(batch, [[4, 4]])
    assert kit.legal(batch) == {"play cooperate", "play defect"}
    assert batch.world.text(batch.record(0), 0).count("Said") == 1
    move(batch, [[2, 3]])
    assert batch.record(0).history[0].tolist() == [0, 1] and batch.record(0).said[0].tolist() == [-1, -1]
    assert "say" not in started(say=True).world.action_names[0]


def test_a_believer_plays_its_part_after_silence():
    batch = started(game="stag_hunt", talk=1, say=True)
    believer = make_policy("believer", batch.world)
    believer.reset(0, 1)

    def chosen():
        return believer.act_batch(batch.observations[:, [0]], batch.masks[:, [0]], [0])[0, 0]

    assert chosen() == 0
    move(batch, [[4, 4]])
    assert chosen() == 2


def test_free_talk_hides_messages():
    batch = started(talk=1, say=True)
    move(batch, [[0, 1]])
    world, s = batch.world, batch.record(0)
    quiet = world.unspoken(s)
    assert "Said: you cooperate, player_1 defect." in world.text(s, 0) and world.messages(quiet) == []
    silent = started(talk=1, say=True)
    move(silent, [[4, 4]])
    assert world.text(quiet, 0) == silent.world.text(silent.record(0), 0)


def test_free_talk_needs_say():
    for params in (dict(talk=1), dict(talk=1, say=True)):
        Talk("beside").demand(world_of(**params))
    Talk("free").demand(world_of(talk=1, say=True))
    with pytest.raises(ParameterError, match="say=True"):
        Talk("free").demand(world_of(talk=1))
    with pytest.raises(ParameterError, match="no acts of speech"):
        Talk("beside").demand(world_of(say=True))
