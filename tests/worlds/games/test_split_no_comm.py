"""SplitNoComm: lockstep with recorded games of AdAlignLLM's code, exact values of its policies, levels."""

import json
from fractions import Fraction
from itertools import product

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.chance import Explorer
from envsuite.evaluation import matches
from envsuite.games.split_no_comm import PAIRS, SplitNoComm
from envsuite.kit.bargaining import proportional_share
from envsuite.registry import build

ID = "envsuite/SplitNoComm-v0"

# 1,000 random games of 4 rounds in the authors' own code; the file names their origin and method.
GAMES = json.loads((DATA / "SplitNoComm" / "negotiation_split.json").read_text())["games"]

GREEDY = 1330


def values(bits):
    return [10 if bits >> k & 1 else 1 for k in range(3)]


def claims(action):
    """The three numbers in an action's name."""
    words = NAMES[action].replace(",", "").split()
    assert words[::2] == ["claim", "hats", "books", "balls"]
    return [int(word) for word in words[1::2]]


NAMES = SplitNoComm().action_names[0]


def points(own, mine, theirs):
    """The points of an agent in a round, as a fraction."""
    return sum(v * Fraction(10 * x, max(10, x + y)) for v, x, y in zip(own, mine, theirs))


def test_equals_reference():
    """Every round of 1,000 games: values, claims, rewards, observations, ends; rewards also in fractions."""
    batch = Batch(SplitNoComm(rounds=4), len(GAMES))
    worth = [[[values(first), values(second)] for first, second, *_ in rounds] for rounds in GAMES]
    batch.start(levels=[{"values": one} for one in worth])
    for k in range(5):
        assert (batch.over() == (k == 4)).all() and not batch.truncations.any()
        assert batch.masks.all() if k < 4 else not batch.masks.any()
        for i, rounds in enumerate(GAMES):
            both = [values(bits) for bits in rounds[min(k, 3)][:2]]
            last, claimed = [[0] * 3] * 2, [[-1] * 3] * 2
            if k:
                last, claimed = [values(bits) for bits in rounds[k - 1][:2]], [claims(a) for a in rounds[k - 1][2:4]]
                assert batch.rewards[i] == pytest.approx(rounds[k - 1][4:], abs=1e-6)
                for a in range(2):
                    exact = points(last[a], claimed[a], claimed[1 - a])
                    assert batch.rewards[i, a] == pytest.approx(float(exact), abs=1e-9)
            for a in range(2):
                b = 1 - a
                wanted = [*both[a], *both[b], *claimed[a], *claimed[b], *last[a], *last[b], 4 - k]
                assert batch.observations[i, a].tolist() == wanted
            if k < 4:
                batch.actions[i] = rounds[k][2:4]
        if k < 4:
            batch.step()


def test_reference_values_are_ours():
    """The 4,000 pairs that the authors' code drew are the same 12, equally frequent (chi-square, 1e-6 quantile)."""
    drawn = [(tuple(values(first)), tuple(values(second))) for rounds in GAMES for first, second, *_ in rounds]
    ours = {tuple(map(tuple, pair)) for pair in PAIRS.tolist()}
    assert set(drawn) == ours and len(ours) == 12
    counts = np.array([drawn.count(pair) for pair in ours])
    assert ((counts - 4000 / 12) ** 2 / (4000 / 12)).sum() < 48.3  # scipy.stats.chi2.isf(1e-6, 11) = 48.29


def test_pairs_are_uniform():
    """In the first round and in later rounds."""
    num = 24_000
    batch = kit.started(SplitNoComm(), num)
    known = PAIRS.reshape(12, 6).tolist()
    for _ in range(3):
        found, counts = np.unique(batch.records["values"].reshape(num, 6), axis=0, return_counts=True)
        assert sorted(found.tolist()) == sorted(known)
        assert ((counts - 2000) ** 2 / 2000).sum() < 48.3  # scipy.stats.chi2.isf(1e-6, 11) = 48.29
        batch.step(GREEDY)


def test_proportional_share():
    """All pairs of claims: exactly 10 x / max(10, x + y), never more than the stock; larger claims never get less."""
    for x, y in product(range(11), repeat=2):
        share = proportional_share(x, y, 10)
        assert share == pytest.approx(float(Fraction(10 * x, max(10, x + y))), abs=1e-12)
        assert share + proportional_share(y, x, 10) <= 10 + 1e-12
        assert x == 10 or share <= proportional_share(x + 1, y, 10)
        assert share == x or x + y > 10


def exact_value(names):
    """The points of both agents in one round, averaged over the pairs; all chance is enumerated."""
    explorer = Explorer(build(ID, {"rounds": 1}))
    seats = [make_policy(name, explorer.world) for name in names]
    total, starts = np.zeros(2), explorer.starts()
    assert len(starts) == 12
    for start in starts:
        seen = explorer.look(start.record)
        chosen = [seat.act(seen.observations[a], seen.masks[a], a) for a, seat in enumerate(seats)]
        (end,) = explorer.successors(start.record, chosen)
        total += start.probability * end.rewards
    return total


# Points per agent and round, computed by the specification from the authors' code (AdAlignLLM, e0ea9851). By hand, with
# T = 1 or 2 tens each: efficient gives 105 or 150, greedy 60 or 105, greedy against efficient 111 2/3 and 53 1/3, or
# 171 2/3 and 83 1/3.
VALUES = {
    ("efficient", "efficient"): (127.5, 127.5),
    ("greedy", "greedy"): (82.5, 82.5),
    ("greedy", "efficient"): (141 + 2 / 3, 68 + 1 / 3),
    ("efficient", "greedy"): (68 + 1 / 3, 141 + 2 / 3),
    ("tit_for_tat", "grim"): (127.5, 127.5),
    ("grim", "greedy"): (68 + 1 / 3, 141 + 2 / 3),
}


@pytest.mark.parametrize("names", VALUES, ids="-".join)
def test_exact_values(names):
    np.testing.assert_allclose(exact_value(names), VALUES[names], atol=1e-9)


def play(names, num=4000, seed=0):
    """Points per round (num, 2) of games between two policies."""
    returns, lengths = matches.play(ID, names, num, seed)
    assert (lengths == 10).all()
    return returns / 10


@pytest.mark.parametrize("names", list(VALUES)[:3], ids="-".join)
def test_values_in_play(names):
    """Ten rounds of 4,000 games give the exact values, within five standard errors."""
    rewards = play(names)
    assert (abs(rewards.mean(axis=0) - VALUES[names]) < 5 * rewards.std(axis=0) / 4000**0.5).all()


def test_retaliation_in_play():
    """Against greedy, tit-for-tat and grim lose only one round: (68 1/3 + 9 x 82.5) / 10 per round."""
    for name in ("tit_for_tat", "grim"):
        rewards = play([name, "greedy"])
        wanted = [(68 + 1 / 3 + 9 * 82.5) / 10, (141 + 2 / 3 + 9 * 82.5) / 10]
        assert (abs(rewards.mean(axis=0) - wanted) < 5 * rewards.std(axis=0) / 4000**0.5).all()


def test_tit_for_tat_forgives_and_grim_does_not():
    """The other: efficient, greedy, efficient, efficient, ..."""
    world = build(ID)
    for name, answers in (("tit_for_tat", [0, 0, 1, 0, 0]), ("grim", [0, 0, 1, 1, 1])):
        batch = kit.started(world, 50)
        seat, model = make_policy(name, world), make_policy("efficient", world)
        seat.reset(0, 50)
        for k, greedy in enumerate(answers):
            efficient = model.act_batch(batch.observations, batch.masks, range(2))
            batch.actions[:, 0] = seat.act_batch(batch.observations[:, [0]], batch.masks[:, [0]], [0])[:, 0]
            batch.actions[:, 1] = GREEDY if k == 1 else efficient[:, 1]
            assert (batch.actions[:, 0] == (GREEDY if greedy else efficient[:, 0])).all()
            batch.step()


def test_dilemma():
    """Claiming all is a best reply to any claim, but in each of the 12 pairs both agents prefer efficient claims."""
    for first, second in PAIRS.tolist():
        fair = [10 if v > w else 5 if v == w else 0 for v, w in zip(first, second)]
        assert points(first, fair, [10 - x for x in fair]) > points(first, [10] * 3, [10] * 3)
        for theirs in product(range(0, 11, 5), repeat=3):
            best = points(first, [10] * 3, theirs)
            assert all(points(first, mine, theirs) <= best for mine in product(range(0, 11, 5), repeat=3))


@pytest.mark.parametrize("seat", [0, 1])
def test_baselines_beat_random(seat):
    """In both seats, greedy gets far more against a random player than another random player does."""
    random = play(["random", "random"])[:, seat]
    for name, margin in (("greedy", 30), ("efficient", 10)):
        rewards = play([name if k == seat else "random" for k in range(2)])[:, seat]
        assert rewards.mean() - random.mean() > margin


def test_own_value_claims():
    """It claims all items that are worth 10, and nothing else."""
    world = build(ID)
    batch = kit.started(world, 100)
    chosen = make_policy("own_value", world).act_batch(batch.observations, batch.masks, range(2))
    for i, a in product(range(100), range(2)):
        assert claims(chosen[i, a]) == [10 if v == 10 else 0 for v in batch.observations[i, a, :3]]


def test_wrong_levels():
    cases = [
        ([], "values must be a list of 1 to 10 entries"),
        ([[[10, 1, 1], [1, 10, 1]]] * 11, "values must be a list of 1 to 10 entries"),
        ([[[10, 1, 1], [1, 10, 10]]], "of round 0 must be"),
        ([[[10, 1, 1], [10, 1, 1]]], "not the same"),
        ([[[10, 1, 1], [1, 10, 1]], [[9, 1, 1], [1, 9, 1]]], "of round 1"),
        ([[[10, 1, 1]]], "of round 0"),
        (None, "values must be a list of 1 to 10 entries"),
    ]
    kit.refuses(SplitNoComm(), *(({"values": level}, message) for level, message in cases))


def test_later_rounds_are_drawn():
    """After the rounds of a level, values are drawn; the next episode draws all again."""
    level = {"values": [[[10, 1, 1], [1, 1, 10]]] * 2}
    batch = kit.started(SplitNoComm(), 64, level=level)
    assert SplitNoComm().get_level(batch.record(3)) == level
    different = []
    for _ in range(3):
        different.append(len(np.unique(batch.records["values"], axis=0)))
        batch.step(0)
    assert different[:2] == [1, 1] and different[2] > 5
    batch.start()
    assert len(SplitNoComm().get_level(batch.record())["values"]) == 1


def test_text():
    world = SplitNoComm(rounds=2)
    batch = kit.started(world, level={"values": [[[10, 1, 1], [1, 1, 10]]]})
    assert "worth to you: hat 1, book 1, ball 10; to player_0: hat 10, book 1, ball 1" in world.text(batch.record(), 1)
    for _ in range(2):
        batch.step([NAMES.index("claim 10 hats, 5 books, 0 balls"), GREEDY])
    shown = {getattr(shape, "text", "") for shape in world.scene(batch.record()).shapes}
    assert {"The game is over", "6.67", "3.33"} <= shown  # claims of 5 and 10 books
    assert "You claimed 10 hats, 5 books, 0 balls" in world.text(batch.record(), 0)
    assert "The game is over." in world.text(batch.record(), 0)
