"""Source reliability: the jury theorem, exact posteriors and best plans by enumeration, rates, levels, views."""

from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, factorial

import kit
import numpy as np
import pytest
from scipy import stats

from envsuite.agents import make_policy
from envsuite.core.chance import Explorer
from envsuite.core.errors import ActionError, ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.registry import build
from envsuite.social.source_reliability import posterior

ID = "envsuite/SourceReliability-v0"

started = partial(kit.started, ID)


def equal(rate, sources):
    """The level in which all sources have this rate."""
    return {"rates": [rate], "personas": [0] * sources}


#: The probability that the majority of n sources of the rate 0.6 is right, of the specification.
JURY = {3: 0.648, 5: 0.68256, 11: 0.753498}


def exact_pay(policy, **params):
    """The exact mean return of one round, over all statements; the claim's numbers do not matter."""
    level = params.pop("level")
    world, total = build(ID, {"rounds": 1, **params}), 0.0
    explorer, player = Explorer(world, 64), make_policy(policy, world)
    records, chances = started(rounds=1, level=level, **params).records.copy(), np.ones(1)
    records["rng"] = 0
    while len(records):
        view = explorer.view(records)
        player.reset(0, len(records))
        actions = player.act_batch(view.observations, view.masks, [0])
        (*parts,) = explorer.expand(records, view.masks, np.arange(len(records)), actions)
        records = np.concatenate([part.records for part in parts])
        chances = np.concatenate([chances[part.parents] * part.probabilities for part in parts])
        total += (chances * np.concatenate([part.rewards[:, 0] for part in parts])).sum()
        running = records["terminated"][:, 0] == 0
        records, chances = records[running], chances[running]
    return total


@pytest.mark.parametrize("n", [3, 5, pytest.param(11, marks=pytest.mark.slow)])
def test_jury_theorem(n):
    expected = sum(comb(n, k) * 0.6**k * 0.4 ** (n - k) for k in range(n // 2 + 1, n + 1))
    assert round(expected, 6) == JURY[n]
    params = dict(sources=n, level=equal(0.6, n))
    assert exact_pay(f"majority:asks={n}", **params) == pytest.approx(expected - 0.05 * n, abs=1e-12)
    assert exact_pay("checker", **params) == pytest.approx(0.6)


@pytest.mark.parametrize("n, num", [(3, 6), *(pytest.param(n, 40, marks=pytest.mark.slow) for n in (5, 11))])
def test_jury_theorem_by_play(n, num):
    rounds, share = 40, JURY[n]
    batch = started(num, sources=n, rounds=rounds, level=equal(0.6, n))
    found = kit.finish(batch, f"majority:asks={n}").mean() / rounds + 0.05 * n
    assert abs(found - share) < 5 * (share * (1 - share) / (num * rounds)) ** 0.5
    assert (batch.records["counts"].sum(axis=2) == rounds).all()


def beta_integral(a, b):
    """The integral of x**(a - 1) (1 - x)**(b - 1) from 0 to 1."""
    return Fraction(factorial(a - 1) * factorial(b - 1), factorial(a + b - 1))


class Claim:
    """Exact probabilities for one claim, by integrals over the rates: the reference for policies.

    Args:
        prior: (alpha, beta) of each persona.
        personas: of each source.
    """

    def __init__(self, prior, personas, ask, check):
        self.prior, self.personas = prior, personas
        self.ask, self.check = Fraction(ask).limit_denominator(), Fraction(check).limit_denominator()

    def joint(self, said, truth):
        """The probability of these statements (-1 for none) and this truth of the claim."""
        found = Fraction(1, 2)
        for g, (a, b) in enumerate(self.prior):
            votes = [vote for vote, persona in zip(said, self.personas) if persona == g and vote >= 0]
            right = sum(vote == truth for vote in votes)
            found *= beta_integral(a + right, b + len(votes) - right) / beta_integral(a, b)
        return found

    def true(self, said):
        one, other = self.joint(said, 1), self.joint(said, 0)
        return one / (one + other)

    def after(self, said, source):
        """The statements after the next answer of a source, with their probabilities."""
        total = self.joint(said, 0) + self.joint(said, 1)
        for vote in (0, 1):
            now = (*said[:source], vote, *said[source + 1 :])
            yield now, (self.joint(now, 0) + self.joint(now, 1)) / total

    def best(self, said):
        """The value of the best plan."""
        values = [self.true(said), 1 - self.true(said), 1 - self.check]
        for source in np.flatnonzero(np.array(said) < 0):
            values.append(sum(p * self.best(now) for now, p in self.after(said, source)) - self.ask)
        return max(values)

    def value(self, choose, said):
        """The value of a policy, whose choices are `choose(said)`: a source, "check", or 1 or 0 as ("answer", 1)."""
        choice = choose(said)
        if choice == "check":
            return 1 - self.check
        if isinstance(choice, tuple):
            return self.true(said) if choice[1] else 1 - self.true(said)
        return sum(p * self.value(choose, now) for now, p in self.after(said, choice)) - self.ask


def chooser(policy, batch):
    """What a policy chooses in the first world after given statements."""
    player, names = make_policy(policy, batch.world), batch.world.action_names[0]

    def choose(said):
        batch.record().said[:] = said
        batch.observe()
        player.reset(0, 1)
        name = names[player.act_batch(batch.observations, batch.masks, [0])[0, 0]]
        if name.startswith("ask"):
            return int(name.rpartition("_")[2])
        return name if name == "check" else ("answer", int(name == "answer true"))

    return choose


#: Personas, counts of true and false statements of each source, the cost of a question, and of a check.
CLAIMS = [
    ([0, 1, 2], [(0, 0), (0, 0), (0, 0)], 0.05, 0.4),
    ([0, 1, 2], [(3, 1), (0, 2), (9, 1)], 0.02, 0.3),
    ([0, 0, 1], [(1, 1), (4, 0), (0, 3)], 0.01, 0.5),
    ([0, 0, 0], [(2, 0), (0, 0), (1, 0)], 0.0, 0.9),
    ([0, 1, 1], [(0, 6), (1, 0), (0, 0)], 0.03, 0.1),
    ([0, 1, 2], [(5, 2), (4, 2), (6, 2)], 0.01, 0.9),
]


@pytest.mark.parametrize("personas, counts, ask, check", CLAIMS)
def test_plans_of_one_claim(personas, counts, ask, check):
    """In these claims, `bayes` is worth as much as the best plan; no other policy is worth more."""
    level = {"rates": [0.5] * (max(personas) + 1), "personas": personas}
    batch = started(sources=3, rounds=50, ask_cost=ask, check_cost=check, level=level)
    batch.record().counts[:] = counts
    prior = []
    for g in range(max(personas) + 1):
        own = [pair for pair, persona in zip(counts, personas) if persona == g]
        prior.append((2 + sum(r for r, _ in own), 1 + sum(w for _, w in own)))
        assert posterior(batch.record(), g) == prior[g]
    claim, nothing = Claim(prior, personas, ask, check), (-1, -1, -1)
    best = claim.best(nothing)
    assert claim.value(chooser("bayes:curiosity=0.0", batch), nothing) == best
    for other in ("majority", "majority:asks=1", "thompson", "checker", "bayes:ahead=1"):
        assert claim.value(chooser(other, batch), nothing) <= best


def test_answers_follow_exact_posteriors():
    """All statements of four sources of two personas, with and without a history."""
    level = {"rates": [0.5, 0.5], "personas": [0, 1, 0, 1]}
    for counts in ([(0, 0)] * 4, [(3, 0), (0, 5), (1, 1), (0, 1)]):
        batch = started(sources=4, ask_cost=1.0, check_cost=1.0, level=level)
        batch.record().counts[:] = counts
        prior = [(2 + sum(r for r, _ in own), 1 + sum(w for _, w in own)) for own in (counts[::2], counts[1::2])]
        claim, choose = Claim(prior, level["personas"], 1, 1), chooser("bayes", batch)
        for said in product((-1, 0, 1), repeat=4):
            true = claim.true(said)
            assert true == Fraction(1, 2) or choose(said) == ("answer", int(true > 0.5))


def test_statements_of_a_persona_depend_on_each_other():
    """The joint distribution of three statements and the truth is the exact one."""
    num = 200
    for personas, count in ((1, 1), (0, 3)):
        batch = started(num, sources=3, personas=personas, alpha=2, beta=2)
        kit.act(batch, 0, 1, 2)
        claim = Claim([(2, 2)] * count, [0, 0, 0] if personas else [0, 1, 2], 0, 0)
        cells = [(*said, truth) for said in product((0, 1), repeat=3) for truth in (0, 1)]
        rows = np.column_stack([batch.records["said"], batch.records["truths"][:, 0]])
        found = np.bincount(rows @ [8, 4, 2, 1], minlength=16)
        expected = [float(num * claim.joint(cell[:3], cell[3])) for cell in cells]
        assert stats.chisquare(found, expected).pvalue > 1e-4


@pytest.mark.parametrize("alpha, beta", [(2, 1), (1, 1), (5, 3), (20, 20)])
def test_rates(alpha, beta):
    rates = started(150, alpha=alpha, beta=beta, sources=5).records["rates"]
    assert stats.kstest(rates.ravel(), stats.beta(alpha, beta).cdf).pvalue > 1e-4


def test_personas():
    batch = started(300, sources=4, personas=3)
    assert (batch.records["personas"] < 3).all() and (batch.records["rates"][:, 3] == 0).all()
    counts = [(batch.records["personas"] == g).sum() for g in range(3)]
    assert stats.chisquare(counts).pvalue > 1e-4
    assert (started(3).observations["personas"][:, 0] == np.arange(5)).all()


def test_claims():
    """Both results are those of two different operations, and the claim's truth is a fair coin."""
    operations = (lambda a, b: abs(a - b), max, lambda a, b: a + b, lambda a, b: a * b)
    batch = started(600)
    for (a, b, this, other), record in zip(batch.observations["claim"][:, 0].tolist(), batch.records):
        results = [operation(a, b) for operation in operations]
        assert len(set(results)) == 4 and this != other and {this, other} <= set(results)
        assert results[record["operations"][0]] == (this if record["truths"][0] else other)
    assert set(batch.records["numbers"].ravel().tolist()) == set(range(3, 10))
    pairs = np.bincount(batch.records["operations"] @ [4, 1], minlength=16).reshape(4, 4)
    assert pairs.diagonal().sum() == 0 and stats.chisquare(pairs[~np.eye(4, dtype=bool)]).pvalue > 1e-4
    assert abs(batch.records["truths"][:, 0].mean() - 0.5) < 5 * 0.5 / 600**0.5


def test_a_round():
    batch = started(sources=2, rounds=2, ask_cost=0.1, check_cost=0.25, level={"rates": [1.0, 0.0], "personas": [0, 1]})
    truth = int(batch.records["truths"][0, 0])
    for action, pay in (("ask source_0", -0.1), ("ask source_1", -0.1), ("check", -0.25)):
        assert batch.observations["truth"][0, 0, 0] == -1
        kit.act(batch, action)
        assert batch.rewards[0, 0] == -0.1 - 0.15 * (action == "check") == pytest.approx(pay)
        with pytest.raises(ActionError, match=action):
            kit.act(batch, action)
    seen = batch.observations[0, 0]
    assert seen["said"].tolist() == [truth, 1 - truth] and seen["truth"][0] == truth
    kit.act(batch, "answer true")
    assert batch.rewards[0, 0] == truth
    seen = batch.observations[0, 0]
    assert seen["counts"].tolist() == [[1, 0], [0, 1]] and seen["last"].tolist() == [1, truth]
    assert seen["said"].tolist() == [-1, -1] and seen["turn"][0] == 1 == seen["left"][0]
    kit.act(batch, "answer false")
    assert batch.rewards[0, 0] == 1 - batch.records["truths"][0, 1] and batch.terminations.all()


def test_without_feedback():
    batch = started(40, sources=1, rounds=3, feedback=False, level={"rates": [1.0], "personas": [0]})
    for name in ("ask source_0", "answer true", "check", "ask source_0", "answer true", "ask source_0"):
        kit.act(batch, name)
        assert batch.rewards.max() <= 0
    seen, truths = batch.observations[:, 0], batch.records["truths"]
    assert (seen["counts"] == [[1, 0]]).all() and (seen["last"][:, 0] == 1).all()
    assert (seen["last"][:, 1] == truths[:, 1]).all()  # checked
    kit.act(batch, "answer false")
    assert batch.rewards[:, 0].tolist() == (truths[:, 0] + truths[:, 1] + 1 - truths[:, 2]).tolist()
    assert (batch.observations["last"][:, 0, 1] == -1).all()


def test_who_fares_how():
    def mean(name, num=8, **params):
        return play(build(ID, params), [name], num).returns.mean()

    assert mean("checker", 2) == pytest.approx(12)
    assert mean("bayes") > 14 > mean("majority") and mean("thompson") > 12.5
    assert mean("bayes", 4, check_cost=0.05) >= 18.9  # it checks


@pytest.mark.slow
def test_means_of_baselines():
    """A source that is not known yet is right with probability 2/3."""
    one = play(build(ID), ["majority:asks=1"], 400).returns
    assert abs(one.mean() - 20 * (2 / 3 - 0.05)) < 5 * one.std() / 400**0.5
    assert play(build(ID), ["bayes"], 400).returns.mean() > play(build(ID), ["thompson"], 400).returns.mean() + 0.5


def test_levels():
    level = {"rates": [0.9, 0.0, 0.4], "personas": [0, 1, 1, 2, 0]}
    batch = started(level=level)
    assert batch.world.get_level(batch.record()) == level
    batch.start()
    assert batch.world.get_level(batch.record())["personas"] == [0, 1, 2, 3, 4]
    kit.refuses(
        batch.world,
        ({}, "not nothing"),
        ({**level, "claims": []}, "not 'rates', 'personas', 'claims'"),
        ({**level, "rates": []}, "rates must be a list of 1 to 5 entries"),
        ({**level, "rates": [0.1, 1.1, 0.3]}, r"rates\[1\]=1.1 must be a number from 0 to 1"),
        ({**level, "rates": [0.1, True, 0.3]}, r"rates\[1\]=True must be a number from 0 to 1"),
        ({**level, "rates": [0.1, float("nan"), 0.3]}, r"rates\[1\]=nan must be a number from 0 to 1"),
        ({**level, "personas": [0, 1]}, "personas must be a list of 5 integers from 0 to 2"),
        ({**level, "personas": [0, 1, 1, 3, 0]}, r"personas\[3\]=3 must be an integer from 0 to 2"),
    )


def test_wrong_parameters_and_states():
    for params, message in (
        ({"personas": 6}, "personas=6 must be at most sources=5"),
        ({"sources": 0}, "sources=0"),
        ({"alpha": 0}, "alpha=0"),
        ({"check_cost": -0.1}, "check_cost=-0.1"),
    ):
        with pytest.raises(ParameterError, match=message):
            build(ID, params)
    batch = started()
    records = batch.records.copy()
    records["turn"] = 20
    with pytest.raises(SnapshotError, match="all rounds have been played"):
        batch.world.admit(records)


def test_text_and_picture():
    batch = kit.act(started(seed=4), "ask source_3")
    world, s = batch.world, batch.record()
    text, scene = world.text(s, 0), world.scene(s, 0).shapes
    assert "- source_3, persona 3: 0 true and 0 false statements. It states" in text
    assert "Round 1 of 20. The claim:" in text
    s.rates[3] = 0.123  # the agent does not know it
    assert world.text(s, 0) == text and world.scene(s, 0).shapes == scene and world.scene(s).shapes != scene
    assert kit.clicks(batch, 0, 0.5, 0.5) - {None} == set(range(8))
    assert "Your check shows that it is" in world.text(kit.act(batch, "check").record(), 0)
    over = started(rounds=1)
    assert "It is over" in world.text(kit.act(over, "answer true").record(), 0)
    assert len(world.scene(over.record(), 0).shapes) > 30
