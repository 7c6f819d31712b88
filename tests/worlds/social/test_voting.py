"""Voting: rules written again from their definitions, the paradox counted, manipulation, polls, levels, views."""

import itertools
from functools import partial

import kit
import numpy as np
import pytest
from scipy import stats

from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.registry import build
from envsuite.social.voting import RULES
from envsuite.talk.table import Talk
from envsuite.talk.voice import sentences

ID = "envsuite/Voting-v0"

started = partial(kit.started, ID)

ORDERS = {m: ["".join(order) for order in itertools.permutations("ABCDE"[:m])] for m in (2, 3, 4)}


def majority(orders, one, other):
    """By how many more voters the first candidate is preferred."""
    return sum(1 if order.index(one) < order.index(other) else -1 for order in orders)


def winner(rule, ballots, ties):
    """The winner, from the definitions: `ballots` are orders, or sets of letters, or letters."""
    letters = sorted(ties)

    def top(score):
        return min(letters, key=lambda c: (-score(c), ties.index(c)))

    def borda(c):
        return sum(len(letters) - 1 - order.index(c) for order in ballots)

    if rule in ("plurality", "approval"):
        return top(lambda c: sum(c in ballot for ballot in ballots))
    if rule == "borda":
        return top(borda)
    if rule == "condorcet":
        sure = [c for c in letters if all(majority(ballots, c, d) > 0 for d in letters if d != c)]
        return sure[0] if sure else top(borda)
    first = top(lambda c: sum(order[0] == c for order in ballots))
    rest = [c for c in letters if c != first]
    second = min(rest, key=lambda c: (-sum(order[0] == c for order in ballots), ties.index(c)))
    lead = majority(ballots, first, second)
    return first if lead > 0 or lead == 0 and ties.index(first) < ties.index(second) else second


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("voters, candidates", [(1, 2), (3, 3), (4, 3), (6, 4), (9, 5)])
def test_rules_are_their_definitions(rule, voters, candidates):
    """Random ballots of 60 elections: result, winner and utilities."""
    batch = started(60, seed=voters, rule=rule, voters=voters, candidates=candidates, polls=0)
    names = batch.world.action_names[0]
    rng = np.random.default_rng(voters)
    actions = rng.integers(0, len(names), (60, voters))
    batch.step(actions)
    for i, chosen in enumerate(actions):
        level = batch.world.get_level(batch.record(i))
        ballots = [names[a].replace(">", "").replace("+", "") for a in chosen]
        won = winner(rule, ballots, level["ties"])
        seen = batch.observations[i, 0]
        assert "ABCDE"[seen["winner"][0]] == won
        assert batch.rewards[i].tolist() == pytest.approx(
            [1 - order.index(won) / (candidates - 1) for order in level["rankings"]]
        )
        if rule in ("runoff", "borda", "condorcet"):
            assert seen["beats"][0, 1] - seen["beats"][1, 0] == majority(ballots, "A", "B")
    assert batch.terminations.all()


@pytest.mark.parametrize("voters, count", [(3, 12), pytest.param(5, 540, marks=pytest.mark.slow)])
def test_condorcets_paradox(voters, count):
    """The number of profiles without a candidate that beats all others: 12 of 216, 540 of 7776."""
    profiles = list(itertools.product(range(6), repeat=voters))
    batch = started(len(profiles), rule="condorcet", voters=voters, polls=0)
    batch.step(np.array(profiles))
    beats = batch.observations["beats"][:, 0]
    sure = ((beats > beats.transpose(0, 2, 1)).sum(axis=2) == 2).any(axis=1)
    assert len(profiles) - sure.sum() == count


def utilities(rule, rankings, ballots, ties):
    """The utilities of an election on this level, where the ballots are names of actions."""
    batch = started(rule=rule, voters=len(rankings), candidates=len(ties), polls=0,
                    level={"rankings": list(rankings), "ties": ties})  # fmt: skip
    names = batch.world.action_names[0]
    batch.step(np.array([[names.index(ballot) for ballot in ballots]]))
    return batch.rewards[0].tolist()


@pytest.mark.parametrize("rule", RULES)
def test_with_two_candidates_truth_is_dominant(rule):
    """All ballots of the others: a true ballot is never worse, and elects the majority's choice if all are true."""
    names = build(ID, dict(rule=rule, voters=3, candidates=2)).action_names[0]
    for others in itertools.product(names, repeat=2):
        for ties in ("AB", "BA"):
            for ranking, true, lie in (("AB", names[0], names[1]), ("BA", names[1], names[0])):
                mine = [utilities(rule, [ranking, "AB", "BA"], [b, *others], ties)[0] for b in (true, lie)]
                assert mine[0] >= mine[1]
    assert utilities(rule, ["BA", "AB", "BA"], [names[1], names[0], names[1]], "AB") == [1, 0, 1]


def test_manipulation():
    """A vote for the second best of the leading candidates, and the burial of a rival."""
    rankings = ["CBA", "ABC", "ABC", "BAC", "BAC"]
    honest = utilities("plurality", rankings, ["C", "A", "A", "B", "B"], "ABC")
    assert honest[0] == 0 and utilities("plurality", rankings, ["B", "A", "A", "B", "B"], "ABC")[0] == 0.5
    rankings = ["ABC", "BAC"]
    honest = utilities("borda", rankings, ["A>B>C", "B>A>C"], "BAC")
    assert honest[0] == 0.5 and utilities("borda", rankings, ["A>C>B", "B>A>C"], "BAC")[0] == 1


def test_profiles():
    """Impartial rankings and ties are uniform; in space, nearer candidates are preferred."""
    batch = started(3000, voters=1, polls=0)
    numbers = [ORDERS[3].index(batch.world.get_level(batch.record(i))["rankings"][0]) for i in range(3000)]
    assert stats.chisquare(np.bincount(numbers, minlength=6)).pvalue > 1e-4
    ties = [batch.world.get_level(batch.record(i))["ties"] for i in range(3000)]
    assert stats.chisquare(np.unique(ties, return_counts=True)[1]).pvalue > 1e-4
    space = started(40, voters=4, candidates=5, profile="spatial")
    for i in range(40):
        s = space.record(i)
        far = np.linalg.norm(s.points[:4, None] - s.points[None, 4:], axis=2)
        assert (np.argsort(far, axis=1) == s.rankings).all()


def test_polls():
    batch = started(polls=2, rule="runoff")
    assert batch.observations["left"][0, 0, 0] == 2 and (batch.observations["tally"] == -1).all()
    for left in (1, 0):
        batch.step(np.array([[0, 1, 2, 3, 4]]))
        seen = batch.observations[0, 0]
        assert seen["left"][0] == left and seen["tally"].tolist() == [2, 2, 1] and seen["winner"][0] == -1
        assert not batch.rewards.any() and not batch.over()[0]
    batch.step(np.array([[0, 0, 0, 0, 5]]))
    assert batch.observations["winner"][0, 0, 0] == 0 and batch.observations["left"][0, 0, 0] == -1


@pytest.mark.parametrize("rule", RULES)
def test_true_ballots(rule):
    batch = started(rule=rule, voters=6, level={"rankings": ORDERS[3]})
    player = make_policy("sincere", batch.world)
    names = batch.world.action_names[0]
    chosen = [names[a] for a in player.act_batch(batch.observations, batch.masks, range(6))[0]]
    assert chosen == [order[0] if rule in ("plurality", "approval") else ">".join(order) for order in ORDERS[3]]


def test_strategic_voters():
    """The supporter of the third candidate turns to the better of the two in front."""
    rankings = ["ABC"] * 3 + ["BAC"] * 3 + ["CBA"]
    batch = started(voters=7, polls=1, level={"rankings": rankings, "ties": "ABC"})
    player = make_policy("strategic", batch.world)
    player.reset(0, 1)
    for expected in ("AAABBBC", "AAABBBB"):
        chosen = player.act_batch(batch.observations, batch.masks, range(7))
        assert "".join("ABC"[k] for k in chosen[0]) == expected
        batch.step(chosen)
    assert batch.rewards[0].tolist() == [0.5] * 3 + [1] * 3 + [0.5]


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["plurality", "borda", "approval"])
def test_who_fares_how(rule):
    """Truth is better than chance, and among true voters one that answers polls gains."""
    params = dict(rule=rule, polls=1)
    true = kit.played(ID, "sincere", 0, 150, "sincere", **params)
    clever = kit.played(ID, "strategic", 0, 150, "sincere", **params)
    assert true.mean() > 0.6 and clever[:, 0].mean() > true[:, 0].mean()


def test_levels():
    level = {"rankings": ["ABC", "BCA", "CAB", "ABC", "CBA"], "ties": "BCA"}
    batch = started(level=level)
    assert batch.world.get_level(batch.record()) == level
    free = started(50, level={"rankings": level["rankings"]})
    found = [free.world.get_level(free.record(i)) for i in range(50)]
    assert {one["ties"] for one in found} == set(ORDERS[3]) and all(
        one["rankings"] == level["rankings"] for one in found
    )
    kit.refuses(
        batch.world,
        ({}, "not nothing"),
        ({"ties": "ABC"}, "not 'ties'"),
        ({"rankings": ["ABC"] * 4}, "rankings must be a list of 5 entries"),
        ({"rankings": ["ABC"] * 4 + ["ABB"]}, "the ranking of voter_4, 'ABB'"),
        ({"rankings": ["ABC"] * 4 + [3]}, "the ranking of voter_4, 3"),
        ({**level, "ties": "ABCD"}, "'ties', 'ABCD'"),
    )


def test_wrong_parameters_and_states():
    for params in ({"voters": 0}, {"candidates": 6}, {"rule": "lot"}, {"polls": -1}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            build(ID, params)
    batch = started()
    for field, value, message in (
        ("rankings", 0, "no order"),
        ("left", -1, "the vote is over"),
        ("ballots", 9, "none"),
    ):
        records = batch.records.copy()
        records[field][:] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


def test_text_and_picture():
    batch = started(rule="borda", level={"rankings": ["ABC", "BCA", "CAB", "ABC", "CBA"], "ties": "BCA"})
    world = batch.world
    assert "You rank the candidates C > A > B." in world.text(batch.record(), 2)
    batch.step(np.array([[0, 1, 2, 3, 4]]))
    text = world.text(batch.record(), 2)
    assert "In the last poll you said B>A>C. Result in points: A 6, B 5, C 4. In pairs: A:B 3:2" in text
    assert "Poll 2 of 2" in text
    shapes = world.scene(batch.record(), 2).shapes
    batch.record().rankings[0] = [2, 1, 0]
    assert world.scene(batch.record(), 2).shapes == shapes and world.scene(batch.record()).shapes != shapes
    batch.step(0)
    batch.step(0)
    assert "A wins, number 2 of your ranking." in world.text(batch.record(), 2)
    wide = started(voters=51, candidates=5, rule="approval")
    assert len(wide.world.scene(wide.record()).shapes) > 300


def test_who_hears_an_answer_to_a_poll():
    """All voters hear words in a poll; the vote is secret, and a single voter has nobody to talk to."""
    batch = started(voters=3, polls=1)
    world, s = batch.world, batch.record()
    assert [list(world.speech(s, a, k)) for a in range(3) for k in range(3)] == [[0, 1, 2]] * 9
    batch.step([[0, 1, 2]])
    assert {world.speech(s, a, k) for a in range(3) for k in range(3)} == {None}
    alone = started(voters=1, polls=1)
    assert alone.world.speech(alone.record(), 0, 0) is None
    with pytest.raises(ParameterError, match="every act of speech binds"):
        Talk("free").demand(world)
    Talk("beside").demand(world)


@pytest.mark.parametrize("rule", RULES)
def test_sentences_tell_no_ballot(rule):
    """A poll shows sums, so all ballots have the same sentences."""
    world = build(ID, dict(rule=rule))
    assert len({tuple(sentences(world, name)) for name in world.action_names[0]}) == 1
