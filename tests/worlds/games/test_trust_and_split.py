"""TrustAndSplit: lockstep with recorded games of AdAlignLLM's code, exact values of its policies, levels."""

import json
from fractions import Fraction

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.chance import Explorer
from envsuite.core.errors import LevelError
from envsuite.evaluation import matches
from envsuite.games.trust_and_split import TrustAndSplit
from envsuite.registry import build
from envsuite.render.page import heard

ID = "envsuite/TrustAndSplit-v0"

# 1,000 random games of 4 rounds in the authors' own code; the file names their origin and method.
GAMES = json.loads((DATA / "TrustAndSplit" / "negotiation_trust.json").read_text())["games"]

ROCK, PAPER, SCISSORS, SILENT = range(4)
NAMES = TrustAndSplit().action_names[0]
ALL = NAMES.index("claim 10")


def said(messages, agent, talk):
    words = [word for speaker, word in messages if speaker == agent]
    return words + [-1] * (talk - len(words))


@pytest.mark.parametrize("num, talk", [(6, 1), (6, 2), *(pytest.param(500, k, marks=pytest.mark.slow) for k in (1, 2))])
def test_equals_reference(num, talk):
    """Recorded games: movers, legal actions, worth of coins, rewards, observations and ends at every move."""
    games = [game for game in GAMES if game["talk"] == talk][:num]
    assert len(games) == num and {game["starter"] for game in games} == {0, 1}
    batch = Batch(TrustAndSplit(rounds=4, talk=talk), len(games))
    deals = [[hands for hands, *_ in game["rounds"]] for game in games]
    batch.start(levels=[{"starter": game["starter"], "hands": deal} for game, deal in zip(games, deals)])
    none = [[-1, -1], [], None, [-1, -1], None]
    for k in range(4):
        for move in range(2 * talk + 1):
            for i, game in enumerate(games):
                hands, messages, worth, claimed, rewards = game["rounds"][k]
                last_hands, last_messages, _, last_claims, _ = game["rounds"][k - 1] if k else none
                starter = messages[0][0]
                for a in range(2):
                    b = 1 - a
                    assert batch.observations[i, a].tolist() == [
                        hands[a], int(move == 2 * talk), int(starter == a), 4 - k,
                        last_hands[a], last_hands[b], last_claims[a], last_claims[b],
                        *said(messages[:move], a, talk), *said(messages[:move], b, talk),
                        *said(last_messages, a, talk), *said(last_messages, b, talk),
                    ]  # fmt: skip
                    speaks = move < 2 * talk and messages[move][0] == a
                    wanted = [1] * 4 + [0] * 11 if speaks else [0] * 15 if move < 2 * talk else [0] * 4 + [1] * 11
                    assert batch.masks[i, a].tolist() == wanted
                batch.actions[i] = messages[move][1] if move < 2 * talk else [4 + claim for claim in claimed]
            batch.step()
            if move < 2 * talk:
                assert not batch.rewards.any()
            assert (batch.over() == (k == 3 and move == 2 * talk)).all() and not batch.truncations.any()
        for i, game in enumerate(games):
            _, _, worth, (x, y), rewards = game["rounds"][k]
            assert batch.rewards[i] == pytest.approx(rewards, abs=1e-6)
            exact = [float(v * Fraction(10 * c, max(10, x + y))) for v, c in zip(worth, (x, y))]
            assert batch.rewards[i] == pytest.approx(exact, abs=1e-9)


def test_deals_are_uniform():
    """The six deals and both starters in the first round, and the deals in the second: chi-square, 1e-6 quantiles."""
    num = 24_000
    batch = kit.started(TrustAndSplit(talk=0), num)
    starters = batch.records["level"]["starter"]
    table = np.column_stack([batch.records["hands"], starters])
    counts = np.unique(table, axis=0, return_counts=True)[1]
    assert len(counts) == 12 and ((counts - 2000) ** 2 / 2000).sum() < 48.3  # scipy.stats.chi2.isf(1e-6, 11) = 48.29
    batch.step(ALL)
    counts = np.unique(batch.records["hands"], axis=0, return_counts=True)[1]
    assert len(counts) == 6 and ((counts - 4000) ** 2 / 4000).sum() < 37.0  # scipy.stats.chi2.isf(1e-6, 5) = 36.97
    assert (batch.records["hands"][:, 0] != batch.records["hands"][:, 1]).all()


def test_all_deals_occur():
    """Of 60 games: with both starters, each of the six pairs of different hands; and again in the second round."""
    batch = kit.started(TrustAndSplit(talk=0), 60)
    hands = {(a, b) for a in range(3) for b in range(3) if a != b}
    for starter in range(2):
        assert {tuple(one) for one in batch.records["hands"][batch.records["level"]["starter"] == starter]} == hands
    batch.step(ALL)
    assert {tuple(one) for one in batch.records["hands"]} == hands


def exact_value(names, **params):
    """The points of both agents in one round, averaged over deals and starters; all chance is enumerated."""
    explorer = Explorer(build(ID, {"rounds": 1, **params}))
    seats = [make_policy(name, explorer.world) for name in names]
    total, starts = np.zeros(2), explorer.starts()
    assert len(starts) == 12 and sum(start.probability for start in starts) == pytest.approx(1.0)
    for start in starts:
        record, view = start.record, explorer.look(start.record)
        while not view.over:
            chosen = [
                seat.act(view.observations[a], view.masks[a], a) if view.acting[a] else 0
                for a, seat in enumerate(seats)
            ]
            (after,) = explorer.successors(record, chosen)
            total += start.probability * after.rewards
            record, view = after.record, explorer.look(after.record)
    return total


# Points per agent and round. The specification computed the first three from the authors' code (AdAlignLLM, e0ea9851):
# 100 or 0, 50 or 5, and 100 or 5 against 50 or 0. The others were found by hand, in fractions. A liar with the lower
# hand is believed: 10 coins at 1. A liar with the upper hand names the hand that the other has. The other then knows
# that it lies and claims 5: 6 2/3 coins at 10 against 3 1/3 at 1.
VALUES = {
    ("honest", "honest"): (50, 50),
    ("greedy", "greedy"): (27.5, 27.5),
    ("greedy", "honest"): (52.5, 25),
    ("honest", "greedy"): (25, 52.5),
    ("tit_for_tat", "grim"): (50, 50),
    ("grim", "greedy"): (25, 52.5),
    ("liar", "honest"): (float(Fraction(10 + Fraction(200, 3), 2)), float(Fraction(10, 6))),
    ("liar", "greedy"): (27.5, 27.5),
}


@pytest.mark.parametrize("names", VALUES, ids="-".join)
def test_exact_values(names):
    np.testing.assert_allclose(exact_value(names), VALUES[names], atol=1e-9)


def test_exact_values_with_more_or_less_talk():
    """A second message changes nothing; without talk, honest claims half: 5 coins at 10 or 1."""
    np.testing.assert_allclose(exact_value(("greedy", "honest"), talk=2), [52.5, 25], atol=1e-9)
    np.testing.assert_allclose(exact_value(("honest", "honest"), talk=0), [27.5, 27.5], atol=1e-9)


def play(names, num=4000, seed=0):
    """Points per round (num, 2) of games between two policies."""
    returns, lengths = matches.play(ID, names, num, seed)
    assert (lengths == 30).all()
    return returns / 10


@pytest.mark.parametrize("names", list(VALUES)[:3], ids="-".join)
def test_values_in_play(names):
    """Ten rounds of 4,000 games give the exact values, within five standard errors."""
    rewards = play(names)
    assert (abs(rewards.mean(axis=0) - VALUES[names]) <= 5 * rewards.std(axis=0) / 4000**0.5 + 1e-9).all()


def test_retaliation_in_play():
    """Greedy wrongs the other first when it has the lower hand; from the next round on, both get 27.5 per round.

    Until then, grim has the lower hand and gets 0 per round, greedy 100; in that round, 50 and 5.
    """
    rewards = play(["grim", "greedy"])
    wanted = np.array([0.0, 0.5**10 * 1000])  # greedy never has the lower hand
    for k in range(10):
        wanted += 0.5 ** (k + 1) * np.array([50 + 27.5 * (9 - k), 100 * k + 5 + 27.5 * (9 - k)])
    assert (abs(rewards.mean(axis=0) - wanted / 10) < 5 * rewards.std(axis=0) / 4000**0.5).all()


def choose(name, rounds):
    """The claims of a policy in seat 0 with hand rock; a round is the other's hand, its message and its claim."""
    world = build(ID)
    batch = kit.started(world, level={"starter": 1, "hands": [[ROCK, hand] for hand, *_ in rounds]})
    seat = make_policy(name, world)
    seat.reset(0, 1)
    chosen = []
    for _, word, claim in rounds:
        while batch.masks[0, :, 0].any():
            if batch.masks[0, 0].any():
                batch.actions[0, 0] = seat.act(batch.observations[0, 0], batch.masks[0, 0], 0)
            batch.actions[0, 1] = word
            batch.step()
        batch.step([seat.act(batch.observations[0, 0], batch.masks[0, 0], 0), 4 + claim])
        chosen.append(int(batch.actions[0, 0]) - 4)
    return chosen


@pytest.mark.parametrize(
    ("name", "rounds", "claims"),
    [
        ("honest", [(PAPER, PAPER, 10), (SCISSORS, SCISSORS, 0), (PAPER, SILENT, 0), (PAPER, ROCK, 0)], [0, 10, 5, 5]),
        ("honest", [(PAPER, SCISSORS, 0), (SCISSORS, PAPER, 10)], [10, 0]),  # it believes lies
        ("greedy", [(PAPER, PAPER, 10), (SCISSORS, SCISSORS, 0)], [10, 10]),
        ("liar", [(PAPER, PAPER, 10), (SCISSORS, SCISSORS, 0)], [10, 10]),
        # A lie and a claim with the lower hand provoke, a claim with the upper hand does not; tit-for-tat forgives.
        ("tit_for_tat", [(PAPER, SCISSORS, 0), (PAPER, PAPER, 10), (PAPER, PAPER, 10)], [10, 10, 0]),
        ("tit_for_tat", [(SCISSORS, SCISSORS, 6), (PAPER, PAPER, 10), (PAPER, PAPER, 10)], [10, 10, 0]),
        ("tit_for_tat", [(PAPER, PAPER, 10), (SCISSORS, SILENT, 5), (PAPER, PAPER, 0)], [0, 5, 0]),
        ("grim", [(SCISSORS, SCISSORS, 6), (PAPER, PAPER, 10), (PAPER, PAPER, 10)], [10, 10, 10]),
        ("grim", [(SCISSORS, SCISSORS, 0), (PAPER, PAPER, 10), (PAPER, PAPER, 10)], [10, 0, 0]),
    ],
)  # fmt: skip
def test_choices(name, rounds, claims):
    assert choose(name, rounds) == claims


@pytest.mark.parametrize("seat", [0, 1])
def test_baselines_beat_random(seat):
    """In both seats, greedy gets far more against a random player than another random player does."""
    random = play(["random", "random"])[:, seat]
    rewards = play(["greedy" if k == seat else "random" for k in range(2)])[:, seat]
    assert rewards.mean() - random.mean() > 8
    assert play(["honest", "honest"]).mean() - random.mean() > 20


@pytest.mark.parametrize(
    ("starter", "hands", "message"),
    [
        (2, [[0, 1]], "starter=2 must be an integer from 0 to 1"),
        (True, [[0, 1]], "starter=True must be an integer from 0 to 1"),
        (0, [], "hands must be a list of 1 to 10 entries"),
        (0, [[0, 1]] * 11, "hands must be a list of 1 to 10 entries"),
        (0, [[0, 0]], "of round 0 must be two different"),
        (0, [[0, 1], [0, 3]], r"hands\[1\]\[1\]=3 must be an integer from 0 to 2"),
        (0, [[0]], "hands must be 1 list of 2 integers from 0 to 2"),
    ],
)
def test_wrong_levels(starter, hands, message):
    with pytest.raises(LevelError, match=message):
        Batch(TrustAndSplit(), 1).set_level(0, {"starter": starter, "hands": hands})


def test_level_round_trip():
    """A level keeps all six deals; later rounds are drawn."""
    world = TrustAndSplit()
    for starter in range(2):
        level = {"starter": starter, "hands": [[a, b] for a in range(3) for b in range(3) if a != b]}
        batch = kit.started(world, level=level)
        assert world.get_level(batch.record()) == level
        batch.start()
        assert len(world.get_level(batch.record())["hands"]) == 1


def test_text_and_scene_hide_the_other_hand():
    """Two deals that differ only in the other's hand have the same text and picture until the claims are made."""
    world = TrustAndSplit()
    texts, scenes, whole, after = [], [], [], []
    for other in (PAPER, SCISSORS):
        batch = kit.started(world, level={"starter": 1, "hands": [[ROCK, other], [ROCK, PAPER]]})
        for word in (SILENT, ROCK):
            batch.step(word)
        texts.append(world.text(batch.record(), 0))
        scenes.append(world.scene(batch.record(), 0).shapes)
        whole.append(world.scene(batch.record()).shapes)
        batch.step(ALL)
        after.append(world.text(batch.record(), 0))
    assert texts[0] == texts[1] and scenes[0] == scenes[1] and whole[0] != whole[1]
    assert "Your hand is rock" in texts[0] and "You: my hand is rock" in texts[0] and "player_1: silent" in texts[0]
    assert "your rock lost to player_1's paper" in after[0] and "your rock beat player_1's scissors" in after[1]


def test_messages():
    """Both agents speak twice in a round; the messages are cleared when the next round begins, and at the end."""
    world = TrustAndSplit(talk=2, rounds=2)
    batch = kit.started(world, level={"starter": 1, "hands": [[ROCK, PAPER], [ROCK, PAPER]]})
    told, before = [], []
    for t in range(10):
        batch.step(ALL if t % 5 == 4 else ROCK if t % 5 < 2 else SILENT)
        now = world.messages(batch.record())
        told += [(t, *message) for message in heard(before, now)]
        before = now
    assert batch.over()[0] and before == []
    words = ["my hand is rock", "my hand is rock", "silent", "silent"]
    first = [(t, (1 + t) % 2, word) for t, word in enumerate(words)]
    assert told == first + [(t + 5, 1 - a, word) for t, a, word in first]


#: A first round of rock against scissors, which player_1 opens.
OPENED_BY_1 = {"starter": 1, "hands": [[ROCK, SCISSORS]]}


def test_who_hears_a_hand():
    """Both hear the speaker; claims are made at the same time and are no speech, and the last ones end the talk."""
    batch = kit.started(ID, level=OPENED_BY_1, rounds=1)
    world, s = batch.world, batch.record()
    for speaker, words in ((1, "my hand is rock"), (0, "silent")):
        assert {tuple(world.speech(s, speaker, k)) for k in range(SILENT + 1)} == {(0, 1)}
        assert world.speech(s, 1 - speaker, ROCK) is None
        kit.act(batch, words)
    assert [world.speech(s, a, ALL) for a in range(2)] == [None, None]
    batch.step([[ALL, ALL]])
    assert batch.over()[0] and world.messages(s) == []


@pytest.mark.parametrize("talk", [1, 2])
def test_unspoken_hides_what_was_said_and_keeps_claims(talk):
    """Two games that differ in what is said look the same without it; hands and claims of the last round are known."""
    games = [kit.started(ID, seed=4, level=OPENED_BY_1, rounds=2, talk=talk) for _ in range(2)]
    world = games[0].world

    def views(s):
        return [(world.text(s, a), world.scene(s, a).shapes) for a in range(2)]

    for _ in range(2):
        for _ in range(2 * talk):
            for game, words in zip(games, ("my hand is rock", "silent")):
                kit.act(game, words)
            known, other = (views(world.unspoken(game.record())) for game in games)
            assert known == other and "player_1: " not in known[0][0] and "You: " not in known[0][0]
            assert views(games[0].record()) != views(games[1].record())
        for game in games:
            game.step([[NAMES.index("claim 3"), ALL]])
    quiet = world.unspoken(games[0].record())
    assert (quiet.last_said == -1).all() and quiet.claims.tolist() == [3, 10]
    assert "You claimed 3 and got" in world.text(quiet, 0)


def test_equal_words_for_other_hands_are_heard_alike():
    """In free talk the listener's prompts are the same whatever the words were meant to be; rules know the act."""
    from envsuite.models.client import Answer
    from envsuite.models.driver import Driver
    from envsuite.models.protocol import Protocol

    heard = []
    for meant in ("my hand is paper", "my hand is scissors", "silent"):
        driver = Driver(TrustAndSplit(rounds=1), {0, 1}, {}, Protocol(talk="free"), level=OPENED_BY_1)
        driver.give(1, Answer(f"Say: Trust me.\nAction: {meant}"))
        driver.advance()
        heard.append(driver.request(0).messages)
        assert 'player_1: "Trust me."' in heard[-1][-1]["content"]
        assert NAMES[driver.batch.records["said"][0, 1, 0]] == meant
        driver.give(0, Answer("Say: I do."))  # words alone are meant as no hand
        driver.advance()
        assert driver.batch.records["said"][0, 0, 0] == SILENT
    assert heard[0] == heard[1] == heard[2]
