"""The donor game: closed forms, pairings, traces, punishment, selection, and what evolution makes of it."""

from fractions import Fraction
from functools import partial

import kit
import numpy as np
import pytest
from scipy import stats

from envsuite.agents import make_policy
from envsuite.core.errors import ActionError, LevelError, ParameterError
from envsuite.registry import build
from envsuite.social.donor_game import HIGH, LOW

ID = "envsuite/DonorGame-v0"
SMALL = dict(players=4, rounds=4, generations=2, steps=4, punishment=True)

#: Pairings for it.
ROUNDS = [[[0, 1], [2, 3]], [[1, 2], [3, 0]], [[0, 3], [2, 1]], [[1, 0], [3, 2]]]


started = partial(kit.started, ID)


def move(batch, actions):
    batch.step(actions, ~batch.finished)


def play(batch, name, steps=None, seed=0):
    """Returns (N, A) when all have played one policy for that many rounds, or to the end."""
    policy = make_policy(name, batch.world)
    policy.reset(seed, batch.num)
    returns = np.zeros(batch.rewards.shape)
    while not batch.over().all() and steps != 0:
        move(batch, policy.act_batch(batch.observations, batch.masks, range(len(batch.world.agents))))
        returns += batch.rewards
        steps = None if steps is None else steps - 1
    return returns


# The mean balance after one generation if all give the same fraction, to the digits that are printed in the page.
# Source: closed form of two halves that take turns, checked below against exact arithmetic.
TABLE = {0.0: "10", 0.1: "18.75", 0.25: "53.49", 0.5: "393.9", 0.75: "3482.7", 0.9: "12996", 1.0: "30720"}


def closed_form(fraction, rounds=12, endowment=10.0, multiplier=2.0):
    """The mean after `rounds` rounds, by the eigenvalues of two rounds' matrix."""
    d, m = fraction, multiplier
    give = np.array([[1 - d, 0], [m * d, 1]])  # of the first half, the second half's balance below
    take = np.array([[1, m * d], [0, 1 - d]])
    values, vectors = np.linalg.eig((take @ give).astype(complex))
    pair = np.linalg.solve(vectors, np.full(2, endowment, complex))
    balances = vectors @ (values ** (rounds // 2) * pair)
    if rounds % 2:
        balances = give @ balances
    return balances.real.mean()


@pytest.mark.parametrize("fraction", TABLE)
def test_the_table_of_constant_gifts(fraction):
    batch = started(8)
    donates_first = batch.records["recipient"][:, 0] >= 0
    final = 10 + play(batch, f"constant:fraction={fraction}", 11)
    assert (batch.records["turn"] == 11).all()
    np.testing.assert_allclose(batch.records["balance"], final, rtol=1e-12)
    final += play(batch, f"constant:fraction={fraction}", 1)
    digits = len(TABLE[fraction].partition(".")[2])
    assert all(f"{mean:.{digits}f}" == TABLE[fraction] for mean in final.mean(axis=1))
    np.testing.assert_allclose(final.mean(axis=1), closed_form(fraction), rtol=1e-12)
    np.testing.assert_allclose(batch.records["welfare"][:, 0], closed_form(fraction), rtol=1e-12)
    # Exactly, in fractions: the halves take turns.
    d = Fraction(str(fraction))
    first, second = Fraction(10), Fraction(10)
    for _ in range(6):
        first, second = first - d * first, second + 2 * d * first
        first, second = first + 2 * d * second, second - d * second
    np.testing.assert_allclose(final, np.where(donates_first, float(first), float(second)), rtol=1e-12, atol=1e-9)
    if fraction == 1.0:
        assert (first, second) == (10 * (2**12 + 2**11), 0)


def test_other_numbers_of_rounds_and_multipliers():
    for rounds, multiplier in ((5, 3.0), (6, 0.5)):
        batch = started(2, players=6, rounds=rounds, generations=2, multiplier=multiplier, endowment=7.0)
        play(batch, "constant:fraction=0.3")
        np.testing.assert_allclose(batch.records["welfare"], closed_form(0.3, rounds, 7.0, multiplier), rtol=1e-12)


# Pairings.


@pytest.mark.parametrize("players, rounds, generations", [(2, 2, 2), (6, 5, 2), (6, 6, 2), (12, 12, 10)])
@pytest.mark.mostly_slow
def test_pairings(players, rounds, generations):
    batch = started(200, players=players, rounds=rounds, generations=generations)
    tables = batch.records["recipient"].copy()
    play(batch, "constant:fraction=0.0", rounds)
    assert (batch.records["generation"] == 1).all()
    tables = np.concatenate([tables, batch.records["recipient"]])
    for table in tables:
        donors = table >= 0
        assert (donors.sum(axis=1) == players // 2).all() and (donors[1:] != donors[:-1]).all()  # roles alternate
        pairs = [(k, row[k]) for row in table for k in range(players) if row[k] >= 0]
        assert len(set(pairs)) == len(pairs) == rounds * players // 2  # no donor meets a recipient twice
        for row in table:
            assert sorted(row[row >= 0]) == np.flatnonzero(row < 0).tolist()  # every other one has one donor
        early = [frozenset(pair) for pair in pairs[: players // 2 * (players // 2)]]
        assert len(set(early)) == len(early)  # and no two meet twice in the first half
    assert len({table.tobytes() for table in tables}) > (1 if players == 2 else 10)


def test_every_pair_is_as_likely_in_every_round():
    tables = started(6000, seed=3).records["recipient"]
    for number in (0, 5, 11):
        counts = np.zeros((12, 12))
        np.add.at(
            counts,
            tuple(np.argwhere(tables[:, number] >= 0)[:, 1:].T) + (tables[:, number][tables[:, number] >= 0],),
            1,
        )
        off = counts[~np.eye(12, dtype=bool)]
        assert (np.diag(counts) == 0).all() and off.sum() == 36000
        assert stats.chisquare(off).pvalue > 1e-4
    # When those of the first round meet again: about half a generation later.
    gaps = []
    for table in tables[:200]:
        for donor in np.flatnonzero(table[0] >= 0):
            gaps.append(np.flatnonzero(table[:, table[0, donor]] == donor)[0])
    assert min(gaps) >= 5 and max(gaps) <= 7


# A round.


def test_gifts_and_punishment():
    batch = started(level={"pairings": ROUNDS}, **SMALL)
    names = batch.world.action_names[0]
    assert names == (
        *("give 0%", "give 25%", "give 50%", "give 75%", "give 100%"),
        *("punish 25%", "punish 50%", "punish 75%", "punish 100%"),
    )
    number = names.index
    assert batch.masks[0].any(axis=1).tolist() == [True, False, True, False]
    move(batch, [number("give 25%"), 99, number("punish 50%"), -1])  # recipients' entries do not count
    assert batch.rewards[0].tolist() == [-2.5, 5, -5, -10] and batch.record().balance.tolist() == [7.5, 15, 5, 0]
    assert batch.masks[0].any(axis=1).tolist() == [False, True, False, True]
    with pytest.raises(ActionError, match="out of range"):
        move(batch, [0, 9, 0, 0])
    move(batch, [0, number("punish 75%"), 0, number("give 100%")])  # of nothing
    # It destroys twice as much as it costs, but no more than there is.
    assert batch.rewards[0].tolist() == [0, -11.25, -5, 0] and batch.record().balance.tolist() == [7.5, 3.75, 0, 0]
    move(batch, [number("give 50%"), 0, number("punish 100%"), 0])
    assert batch.rewards[0].tolist() == [-3.75, 0, 0, 7.5]
    # Player_1 gives to player_0, and player_3 to player_2.
    assert batch.observations["trace"][0].tolist() == [[0] * 3, [0.5, 1, 0.25], [0] * 3, [-1, -0.75, -0.5]]
    assert batch.observations["partners"][0].tolist() == [[-1] * 3, [3, 0, 1], [-1] * 3, [1, 2, 3]]


def test_other_removals():
    batch = started(level={"pairings": ROUNDS}, **SMALL, removal=0.5)
    move(batch, [8, 0, 7, 0])
    assert batch.rewards[0].tolist() == [-10, -5, -7.5, -3.75]


@pytest.mark.parametrize("depth", range(4))
def test_traces(depth):
    """What a donor sees, against the history kept here."""
    batch = started(6, seed=depth, players=6, rounds=6, generations=2, steps=4, punishment=True, depth=depth)
    assert batch.observations["trace"].shape == (6, 6, max(depth, 1))
    rng = np.random.default_rng(0)
    deeds = [{} for _ in range(6)]  # by round and donor: fraction and recipient
    while not batch.over().all():
        for i in range(6):
            s, number = batch.record(i), int(batch.records["turn"][i])
            if number == 0:
                deeds[i].clear()
            for k in range(6):
                seen, other = batch.observations[i, k], int(s.recipient[number, k])
                assert seen["recipient"][0] == other and seen["balance"][0] == s.balance[k]
                assert seen["recipient_balance"][0] == (s.balance[other] if other >= 0 else -1)
                who, expected = other, []
                for back in range(1, depth + 1):
                    if who < 0 or number - back < 0:
                        break
                    fraction, who = deeds[i][number - back, who]
                    expected.append((fraction, who))
                expected += [(0, -1)] * (max(depth, 1) - len(expected))
                assert list(zip(seen["trace"], seen["partners"])) == expected
        actions = rng.integers(0, 9, (6, 6))
        for i in range(6):
            number = int(batch.records["turn"][i])
            for k in range(6):
                other = int(batch.record(i).recipient[number, k])
                if other >= 0:
                    action = actions[i, k]
                    fraction = action / 4 if action <= 4 else -(action - 4) / 4
                    deeds[i][number, k] = (fraction, other)
        move(batch, np.where(batch.acting, actions, 0))


# Generations.


FOUR = dict(players=4, rounds=2, generations=2)


@pytest.mark.parametrize("mutation", [0.0, 0.01])
def test_the_richer_half_is_copied(mutation):
    """Two rounds by hand: 10% of 10 units and all of them given away, then nothing; the units are 9, 12, 0 and 30."""
    pairings = [[[0, 1], [2, 3]], [[1, 0], [3, 2]]]
    first = [[0.2 + 0.1 * k + 0.02 * part for part in range(5)] for k in range(4)]
    batch = started(8, level={"pairings": pairings, "strategies": first}, mutation=mutation, **FOUR)
    move(batch, np.tile([2, 0, 20, 0], (8, 1)))
    assert batch.rewards[0].tolist() == [-1, 2, -10, 20]
    assert batch.observations["balance"][0, :, 0].tolist() == [9, 12, 0, 30]
    assert batch.observations["recipient"][0, :, 0].tolist() == [-1, 0, -1, 2]
    assert batch.observations["recipient_balance"][0, :, 0].tolist() == [-1, 9, -1, 0]
    move(batch, np.zeros((8, 4), int))
    s = batch.records
    assert (s["welfare"] == [51 / 4, 0]).all() and (s["balance"] == 10).all() and not batch.over().any()
    assert (s["generation"] == 1).all() and (s["turn"] == 0).all() and (s["age"] == [0, 1, 0, 1]).all()
    copied = set()
    for strategies in s["strategy"]:
        assert np.array_equal(strategies[[1, 3]], [first[1], first[3]])
        for newcomer in strategies[[0, 2]]:
            distances = [np.abs(newcomer - first[k]).max() for k in (1, 3)]
            copied.add(int(np.argmin(distances)))
            assert min(distances) == 0 if mutation == 0 else 0 < min(distances) < 6 * mutation
            assert mutation == 0 or (newcomer != first[(1, 3)[int(np.argmin(distances))]]).all()  # each number
    assert copied == {0, 1}


@pytest.mark.parametrize("ends", [LOW, HIGH])
def test_noise_is_cut_to_the_ranges(ends):
    """All start at one end of every range: about half of the newcomers' numbers stay there, the others lie inside."""
    batch = started(16, level={"strategies": [ends.tolist()] * 4}, mutation=0.1, **FOUR)
    for _ in range(2):
        move(batch, np.zeros((16, 4), int))
    newcomers = batch.records["strategy"][batch.records["age"] == 0]
    assert newcomers.shape == (32, 5) and ((newcomers >= LOW) & (newcomers <= HIGH)).all()
    assert (abs((newcomers == ends).mean(axis=0) - 0.5) < 0.35).all()


def test_lots_between_equals():
    """Nobody gives anything: which two of four survive differs, and everybody is among them in some game."""
    batch = started(16, mutation=0.0, **FOUR)
    for _ in range(2):
        move(batch, np.zeros((16, 4), int))
    kept = {tuple(np.flatnonzero(ages)) for ages in batch.records["age"]}
    assert all(len(pair) == 2 for pair in kept) and {k for pair in kept for k in pair} == set(range(4))


def test_first_strategies_fill_their_ranges():
    strategies = started(16, **FOUR).records["strategy"].reshape(-1, 5)
    assert ((strategies >= LOW) & (strategies <= HIGH)).all()
    width = np.array(HIGH) - LOW
    assert (strategies.min(axis=0) < LOW + 0.1 * width).all() and (strategies.max(axis=0) > HIGH - 0.1 * width).all()


def test_selection():
    batch = started(300, mutation=0.05)
    policy = make_policy("random", batch.world)
    policy.reset(0, 300)
    newborn = []
    for _ in range(11):
        move(batch, policy.act_batch(batch.observations, batch.masks, range(12)))
    before = batch.records.copy()
    move(batch, policy.act_batch(batch.observations, batch.masks, range(12)))
    final = before["balance"] + batch.rewards
    after = batch.records
    assert (after["generation"] == 1).all() and (after["turn"] == 0).all() and (after["balance"] == 10).all()
    np.testing.assert_allclose(after["welfare"][:, 0], final.mean(axis=1), rtol=1e-12)
    for i in range(300):
        survives = after["age"][i] == 1
        assert survives.sum() == 6 and (after["age"][i][~survives] == 0).all()
        assert final[i][survives].min() >= final[i][~survives].max()
        old, new = before["strategy"][i], after["strategy"][i]
        assert (new[survives] == old[survives]).all()
        assert ((new >= LOW) & (new <= HIGH)).all()
        distances = np.abs(new[~survives][:, None] - old[survives]).max(axis=2)
        assert (distances.min(axis=1) < 6 * 0.05).all() and distances.min() > 0  # near one of the survivors
        newborn.append(new[~survives] - old[survives][distances.argmin(axis=1)])
        assert batch.observations["strategy"][i].tolist() == new.tolist()
    noise = np.concatenate(newborn)[:, 2]  # far from the ends of its range, mostly
    assert abs(noise.std() - 0.05) < 0.004 and abs(noise.mean()) < 0.004
    assert batch.observations["age"][..., 0].tolist() == after["age"].tolist()


def test_equals_survive_by_lot():
    batch = started(4000, mutation=0.0)
    start = batch.records["strategy"].copy()
    while (batch.records["generation"] == 0).all():
        move(batch, 0)  # nobody gives: all are equal
    ages = batch.records["age"]
    assert (ages.sum(axis=1) == 6).all()
    assert stats.chisquare(ages.sum(axis=0)).pvalue > 1e-4
    # Without mutation newcomers are copies of survivors, each survivor as likely to be copied as any other.
    copied = np.zeros(12)
    for old, new, age in zip(start, batch.records["strategy"], ages):
        same = (new[age == 0][:, None] == old).all(axis=2)
        assert (same.sum(axis=1) == 1).all() and not same[:, age == 0].any()
        copied += same.sum(axis=0)
    assert stats.chisquare(copied).pvalue > 1e-4


def test_strategies_of_the_first_generation():
    strategies = started(2000).records["strategy"].reshape(-1, 5)
    for part in range(5):
        width = HIGH[part] - LOW[part]
        assert stats.kstest(strategies[:, part], stats.uniform(LOW[part], width).cdf).pvalue > 1e-4


def test_ends():
    batch = started(**SMALL)
    for k in range(8):
        assert not batch.over()[0] and batch.record().generation == k // 4
        assert batch.masks[0].any(axis=1).sum() == 2
        move(batch, np.where(batch.acting, 1, 0))
    assert batch.terminations.all() and not batch.truncations.any() and not batch.masks.any()
    # The last generation's balances stay to be seen; nobody has a recipient.
    assert batch.record().generation == 1 and batch.record().balance.mean() == batch.record().welfare[1] > 10
    assert (batch.observations["recipient"] == -1).all() and (batch.observations["turn"] == 4).all()


# Evolution.


@pytest.mark.mostly_slow
@pytest.mark.parametrize("depth", [0, 3])
def test_defection_is_selected(depth):
    batch = started(200, depth=depth)
    given = []
    for _ in range(10):
        play(batch, "advised", 11)
        donated = batch.records["recipient"][:, :11] >= 0
        given.append(batch.records["gave"][:, :11][donated].mean() / 20)
        play(batch, "advised", 1)
    assert batch.over().all()
    assert 0.25 < given[0] < 0.35 and max(given[3:]) < 0.015
    welfare = np.median(batch.records["welfare"], axis=0)
    assert welfare[0] > 15 and welfare[-1] < 11


# trust, base, last, second, wealth
NEVER, HALF, MIRROR, STANDING = [0.5, 0, 0, 0, 0], [0.5, 0.5, 0, 0, 0], [0.5, 0, 1, 0, 0], [0.5, 0.5, 1, -1, 0]


@pytest.mark.parametrize(
    "resident, invaders, depth, wins",
    [
        (HALF, 1, 0, True),
        (HALF, 3, 3, True),
        (MIRROR, 3, 0, True),
        (MIRROR, 3, 1, False),
        (STANDING, 3, 0, True),
        (STANDING, 1, 3, False),
    ],
)
def test_invasion_by_those_who_never_give(resident, invaders, depth, wins):
    """Traces protect those who use them; without traces, or without a use for them, defectors take over."""
    level = {"strategies": [NEVER] * invaders + [resident] * (12 - invaders)}
    batch = started(200, level=level, depth=depth, mutation=0.0)
    play(batch, "advised")
    share = (batch.records["strategy"] == NEVER).all(axis=2).mean()
    assert share > 0.9 if wins else share < 0.1


@pytest.mark.parametrize("name, refusals", [("image_scoring", [1] * 12), ("standing", [1, 1] + [0] * 10)])
def test_a_mistake(name, refusals):
    """One refuses once, by mistake. Image scorers refuse whoever refused; standing forgives what was justified.

    Leimar and Hammerstein (2001) call it the weakness of image scoring.
    """
    batch = started(20)
    policy = make_policy(name, batch.world)
    policy.reset(0, 20)
    for number in range(12):
        actions = policy.act_batch(batch.observations, batch.masks, range(12))
        if number == 0:
            actions[np.arange(20), batch.acting.argmax(axis=1)] = 0
        assert ((actions == 0) & (batch.acting != 0)).sum(axis=1).tolist() == [refusals[number]] * 20
        assert set(actions[batch.acting != 0]) <= {0, 10}
        move(batch, actions)


def test_a_policy_for_each_case():
    """The gifts of a donor to one who did such a thing; recorded by hand in the observation."""
    world = build(ID, dict(punishment=True))
    seen = np.zeros((1, 12), world.slot)
    masks = np.ones((1, 12, 41), np.int8)
    seen["steps"], seen["balance"], seen["recipient_balance"] = 20, 10, 30

    def gift(name, *trace, strategy=(0, 0, 0, 0, 0)):
        seen["partners"], seen["trace"], seen["strategy"] = -1, 0, strategy
        for k, part in enumerate(trace):
            seen["partners"][..., k], seen["trace"][..., k] = 5, part
        action = make_policy(name, world).act_batch(seen, masks, range(12))[0, 0]
        return action / 20 if action <= 20 else -(action - 20) / 20

    assert gift("constant:fraction=0.35") == 0.35 and gift("constant:fraction=-0.35") == -0.35
    assert [gift("image_scoring"), gift("image_scoring", 0.25), gift("image_scoring", 0.2, 0)] == [0.5, 0.5, 0]
    assert [gift("standing", 0.2), gift("standing", 0, 0), gift("standing", 0, 0, 0)] == [0, 0.5, 0]
    assert [gift("standing", 0, 1), gift("standing:penalty=0.3", 0, 1)] == [0, -0.3]
    assert gift("standing", -0.5, 0.0) == 0.5  # it punished one of bad standing
    assert [gift("tit_for_tat"), gift("tit_for_tat", 0.7), gift("tit_for_tat", -0.7)] == [0.5, 0.7, 0]
    assert gift("tit_for_tat:bonus=0.1", 0.7) == 0.8
    assert gift("linear:base=0.25,last=0.0,second=0.0,wealth=1.0") == 1.0  # 30 of 40 are the recipient's
    assert gift("linear:base=0.0,last=1.0,second=-1.0,trust=0.3") == 0
    assert gift("linear:base=0.0,last=1.0,second=-1.0,trust=0.3", 0.7) == 0.4
    assert gift("linear:base=0.0,last=1.0,second=-1.0", 0.2, 0.9) == -0.7
    assert gift("advised", 0.2, 0.8, strategy=(0, 0.1, 1, 0.5, -0.2)) == 0.55
    # Where one cannot punish, one gives nothing.
    plain = build(ID)
    quiet = make_policy("standing:penalty=0.3", plain)
    seen["partners"][..., :2], seen["trace"][..., :2] = 5, [0, 1]
    assert (quiet.act_batch(seen.astype(plain.slot), masks[..., :21], range(12)) == 0).all()


# Levels, parameters, views.


@pytest.mark.parametrize("parts", [("pairings",), ("strategies",), ("pairings", "strategies")])
def test_a_level_is_for_one_episode(parts):
    """What it leaves out is drawn, and the next episode draws everything."""
    level = {"pairings": ROUNDS, "strategies": [[0.5, 0.25, 0, 0, 0]] * 4}
    batch = started(level={part: level[part] for part in parts}, **SMALL)
    for given in (parts, ()):
        found, s = batch.world.get_level(batch.record()), batch.record()
        assert {part for part in level if found[part] == level[part]} == set(given)
        assert all(sorted(np.ravel(pairs)) == [0, 1, 2, 3] for pairs in found["pairings"])
        assert [[k, to] for k, to in enumerate(s.recipient[0].tolist()) if to >= 0] == found["pairings"][0]
        assert s.strategy.tolist() == found["strategies"] and ((s.strategy >= LOW) & (s.strategy <= HIGH)).all()
        assert "strategies" in given or len(np.unique(s.strategy)) == 20
        batch.start(7)


def test_levels():
    batch = started(seed=5)
    level = batch.world.get_level(batch.record())
    assert np.shape(level["pairings"]) == (12, 6, 2) and np.shape(level["strategies"]) == (12, 5)
    again = started(seed=77, level=level)
    assert again.world.get_level(again.record()) == level
    assert (again.records["recipient"] == batch.records["recipient"]).all()
    play(again, "advised")
    assert again.world.get_level(again.record()) == level  # still that of the start
    again.start()
    drawn = again.world.get_level(again.record())
    assert all(drawn[part] != level[part] for part in level)  # and not of the next episode
    assert again.record().strategy.tolist() == drawn["strategies"] and again.record().recipient[0].max() >= 0
    part = started(seed=6, level={"strategies": level["strategies"]})
    assert part.record().strategy.tolist() == level["strategies"]
    assert (part.records["recipient"] != batch.records["recipient"]).any()
    part = started(seed=6, level={"pairings": level["pairings"]})
    assert (part.records["recipient"] == batch.records["recipient"]).all()
    assert part.record().strategy.tolist() != level["strategies"]


@pytest.mark.parametrize(
    "level, message",
    [
        ({}, "not none"),
        ({"pairs": []}, "not 'pairs'"),
        ({"pairings": ROUNDS[:3]}, "pairings must be 4 lists of 2 lists of 2 integers from 0 to 3"),
        ({"pairings": np.asarray(ROUNDS) * 1.0}, r"pairings\[0\]\[0\]\[0\]=0.0 must be an integer from 0 to 3"),
        ({"pairings": [*ROUNDS[:3], [[1, 0], [3, 4]]]}, r"pairings\[3\]\[1\]\[1\]=4 must be an integer from 0 to 3"),
        ({"pairings": [*ROUNDS[:3], [[1, 0], [3, 0]]]}, "in round 3 .* not every agent has one part"),
        ({"pairings": [ROUNDS[0], ROUNDS[2], *ROUNDS[2:]]}, "in round 1 .* the roles do not alternate"),
        ({"pairings": [*ROUNDS[:2], ROUNDS[0], ROUNDS[3]]}, "player_0 is paired with player_1 as its recipient twice"),
        ({"strategies": [[0.5] * 5] * 3}, "strategies must be 4 lists of 5 numbers"),
        ({"strategies": [[-0.1, 0, 0, 0, 0]] * 4}, r"strategies\[0\]\[0\]=-0.1 must be a number from 0 to 1"),
        ({"strategies": [[0.5, 0, 0, 0, np.nan]] * 4}, "from -1 to 1"),
        ({"strategies": [["a"] * 5] * 4}, r"strategies\[0\]\[0\]='a' must be a number from 0 to 1"),
    ],
)
def test_wrong_levels(level, message):
    batch = started(**SMALL)
    before = batch.records.tobytes()
    with pytest.raises(LevelError, match=message):
        batch.set_level(0, level)
    assert batch.records.tobytes() == before


@pytest.mark.parametrize(
    "params, message",
    [
        ({"players": 7}, "players=7 must be even"),
        ({"players": 8}, "rounds=12 must be at most players=8"),
        ({"depth": 4}, "depth=4"),
        ({"endowment": 0}, "above 0"),
        ({"steps": 51}, "steps=51"),
        ({"mutation": -0.1}, "mutation=-0.1"),
    ],
)
def test_wrong_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        build(ID, params)


def test_tunable_numbers_may_differ():
    batch = started(3)
    batch.start(params=[None, {"multiplier": 3.0}, {"endowment": 100.0, "mutation": 0.0}])
    play(batch, "constant:fraction=1.0", 12)
    np.testing.assert_allclose(batch.records["welfare"][:, 0], [30720, closed_form(1, multiplier=3), 307200])
    for params in ({"steps": 10}, {"depth": 2}, {"punishment": True}):
        with pytest.raises(ParameterError, match="cannot change"):
            batch.world.retuned(params)


def test_text_and_picture():
    level = {"pairings": ROUNDS, "strategies": [[0.5, 0.25, 0, 0, 0]] * 4}
    batch = started(level=level, **SMALL)
    world = batch.world
    text = world.text(batch.record(), 0)
    for part in ("You have 10 units", "Your recipient, player_1, has 10 units", "Your advice: trust 0.50"):
        assert part in text
    assert "You know nothing of what player_1 did" in text and "You are a recipient" in world.text(batch.record(), 1)
    move(batch, [1, 0, 6, 0])
    text = world.text(batch.record(), 3)  # its recipient is player_0
    assert "- In round 1 player_0 gave 25% of what it had to player_1." in text
    text = world.text(batch.record(), 1)  # its recipient is player_2
    assert "- In round 1 player_2 spent 50% of what it had on punishing player_3." in text
    assert "You have 15 units" in text and "player_0" not in text
    move(batch, [0, 2, 0, 0])
    assert "- In round 1 you gave 25% of what you had to player_1." in world.text(batch.record(), 0)
    assert "- In round 1 you spent 50% of what you had on punishing player_3." in world.text(batch.record(), 2)
    sizes = set()
    for _ in range(7):
        before = batch.records.tobytes()
        scene = world.scene(batch.record())
        own = world.scene(batch.record(), 0)
        sizes |= {(scene.width, scene.height), (own.width, own.height)}
        assert len(scene.shapes) > 50 and batch.records.tobytes() == before
        move(batch, np.where(batch.acting, 1, 0))
    assert len(sizes) == 2 and "It is over after 2 generations" in world.text(batch.record(), 0)


def test_one_agent_sees_nothing_else_in_its_picture():
    """Whatever an agent does not observe can change without a change in its picture or text."""
    batch = started()
    policy = make_policy("random", batch.world)
    policy.reset(0, 1)
    for _ in range(17):
        move(batch, policy.act_batch(batch.observations, batch.masks, range(12)))
    world, agent = batch.world, int(batch.acting[0].argmax())
    s = batch.record()
    known = {agent, int(batch.observations["recipient"][0, agent, 0])}
    shapes, text = world.scene(s, agent).shapes, world.text(s, agent)
    for k in set(range(12)) - known:
        s.balance[k] += 5
        s.strategy[k] = 0.123
        s.age[k] += 1
    for k in known - {agent}:
        s.age[k] += 1
        s.strategy[k] = 0.123
    s.welfare[0] = 1.0
    batch.observe()
    assert world.scene(s, agent).shapes == shapes and world.text(s, agent) == text
