"""Evolution: the donor game's table and invasion, imitation as an exact chain, fixation, resuming, refusals."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from envsuite.core.errors import ParameterError, ResultsError
from envsuite.evaluation.evolution import all_compare, best_stay, evolve, fixation, imitation_chain
from envsuite.evaluation.schelling import Diagram, schelling
from envsuite.registry import build

#: A generation of the donor game in which nothing evolves by the world's own rule.
DONORS = partial(build, "envsuite/DonorGame-v0")

#: The mean balance after 12 rounds, by the fraction that all give: Vallinder and Hughes's game, in closed form.
TABLE = {0.0: 10, 0.1: 18.75, 0.25: 53.49, 0.5: 393.9, 0.75: 3482.7, 0.9: 12996, 1.0: 30720}


@pytest.mark.parametrize("fraction", TABLE)
def test_constant_strategies_of_the_donor_game(fraction):
    world = DONORS({"generations": 1})
    history = evolve(world, [f"constant:fraction={fraction}"] * 12, 1)
    assert history.fitness[0] + 10 == pytest.approx(TABLE[fraction], rel=2e-4)
    assert history.population == (f"constant:fraction={fraction}",) * 12


def test_those_who_never_give_replace_the_others():
    """Three never give, nine give half to all. Without mutation, only those that never give are left."""
    world = DONORS({"generations": 1})
    start = ["constant:fraction=0.0"] * 3 + ["constant:fraction=0.5"] * 9
    history = evolve(world, start, 8, vary={"fraction": (0, 1)})
    assert history.means[0] == pytest.approx(0.375)
    assert (np.diff(history.means[:, 0]) <= 0).all() and history.means[-1] == 0
    assert history.fitness[-1] == 0 and history.population == ("constant:fraction=0.0",) * 12


COLLUSION = {"players": 8, "threshold": 6, "rounds": 1, "rewards": "additive"}


def diagram():
    """Returns by the number of others that choose `collective`."""
    return schelling("envsuite/Collusion-v0", "constant:share=1.0", "constant:share=0.0", num_envs=2, **COLLUSION)


def by_hand(strength, threshold=6):
    """The chain under ATP's payoffs (1.2, 1, 0.8), written again: one agent's choice after another."""
    fails = threshold - 1, threshold  # numbers of others with which a player's `collective` or `independent` fails
    paid = [0.8] * fails[0] + [1.2] * (8 - fails[0]), [1.0] * fails[1] + [1.2] * (8 - fails[1])
    matrix = np.zeros((9, 9))
    for k in range(9):
        # The distribution of a sum of independent choices, one agent at a time.
        now = np.zeros(9)
        now[0] = 1
        for agent in range(8):
            collective = agent < k
            own = paid[0][k - 1] if collective else paid[1][k]
            others = (8 - k if collective else k) / 7
            gain = (paid[1][k] if collective else paid[0][k - 1]) - own if others else 0.0
            change = others / (1 + np.exp(-strength * gain))
            p = 1 - change if collective else change
            now = now * (1 - p) + np.roll(now, 1) * p
        matrix[k] = now
    return matrix


def test_the_chain_of_imitation():
    assert imitation_chain(diagram(), 10.0) == pytest.approx(by_hand(10.0))
    neutral = imitation_chain(diagram(), 0.0) @ np.arange(9)
    assert neutral == pytest.approx(np.arange(9))  # without selection, the mean stays


#: The expected share of `collective` in ATP's game of 8, by threshold and generation: the table of docs/evaluation.md.
DIFFUSION = {
    2: [0.5, 0.497, 0.491, 0.485, 0.479, 0.474],
    4: [0.5, 0.435, 0.381, 0.347, 0.325, 0.311],
    6: [0.5, 0.33, 0.207, 0.139, 0.106, 0.091],
    8: [0.5, 0.31, 0.167, 0.084, 0.042, 0.023],
}


@pytest.mark.parametrize("threshold", DIFFUSION)
def test_diffusion_of_the_page(threshold):
    now, shares = stats.binom.pmf(np.arange(9), 8, 0.5), []
    for _ in DIFFUSION[threshold]:
        shares.append(round(now @ np.arange(9) / 8, 3))
        now = now @ by_hand(10.0, threshold)
    assert shares == DIFFUSION[threshold]


@pytest.mark.slow
def test_imitation_follows_the_chain():
    """The number of agents with `collective` after three generations of 150 populations, against the exact chain."""
    world = build("envsuite/Collusion-v0", COLLUSION)
    start = ["constant:share=1.0"] * 6 + ["constant:share=0.0"] * 2
    rule = dict(selection="imitation", strength=3.0, vary={"share": (0, 1)})
    runs = [evolve(world, start, 4, seed=seed, **rule).means[:, 0] for seed in range(150)]
    found = np.round(8 * np.array(runs)).astype(int)
    now, chain = np.eye(9)[6], imitation_chain(diagram(), 3.0)
    for t in range(4):
        counts = np.bincount(found[:, t], minlength=9)
        keep = 150 * now > 5
        chi = ((counts - 150 * now)[keep] ** 2 / (150 * now)[keep]).sum()
        assert counts[now < 1e-12].sum() == 0 and stats.chi2.sf(chi, keep.sum()) > 1e-4
        now = now @ chain


def absorbed(first, second, strength):
    """The probability that one mutant takes over, by linear equations of the chain in which one copies at a time."""
    n = len(first)
    matrix, ends = np.eye(n + 1), np.zeros(n + 1)
    ends[n] = 1
    for k in range(1, n):
        meet = k * (n - k) / (n * (n - 1))
        gain = strength * (first[k - 1] - second[k])
        up, down = meet / (1 + np.exp(-gain)), meet / (1 + np.exp(gain))
        matrix[k, k - 1 : k + 2] = -down, up + down, -up
    return np.linalg.solve(matrix, ends)[1]


def test_fixation():
    rng = np.random.default_rng(0)
    for agents in (2, 3, 8, 20):
        first, second = rng.normal(size=(2, agents))
        found = Diagram(first, second, first * 0, second * 0)
        for strength in (0.0, 0.3, 2.0):
            assert fixation(found, strength) == pytest.approx(absorbed(first, second, strength))
        assert fixation(found, 0.0) == pytest.approx(1 / agents)
    assert fixation(diagram(), 10.0) < 0.05 < 1 / 8  # a lone colluder loses


def test_best_stay():
    rng = np.random.default_rng(0)
    fitness = np.array([3.0, 1.0, 2.0, 2.0, 5.0, 2.0])
    kept = np.zeros(6)
    for _ in range(600):
        parents = best_stay(fitness, 0.5, rng)
        stay = np.flatnonzero(parents == np.arange(6))
        assert {0, 4} <= set(stay) and len(stay) == 3 and set(parents) <= set(stay)
        kept[stay] += 1
    assert kept[1] == 0 and stats.chisquare(kept[[2, 3, 5]]).pvalue > 1e-4  # ties are drawn


def test_all_compare():
    rng = np.random.default_rng(0)
    counts = np.zeros((3, 3))
    for _ in range(4000):
        counts[np.arange(3), all_compare(np.array([0.0, 1.0, 2.0]), 1.5, rng)] += 1
    p = {gain: 0.5 / (1 + np.exp(-1.5 * gain)) for gain in (-2, -1, 1, 2)}
    expected = [[1 - p[1] - p[2], p[1], p[2]], [p[-1], 1 - p[-1] - p[1], p[1]], [p[-2], p[-1], 1 - p[-2] - p[-1]]]
    assert abs(counts / 4000 - expected).max() < 5 * 0.5 / 4000**0.5


def test_agents_tip_where_violations_pay():
    """ComplyOrViolate: evolution finds violation where it is seldom seen, and compliance where it is often seen."""
    found = {}
    for pattern in ("mostly_unsupervised", "mostly_supervised"):
        world = build("envsuite/ComplyOrViolate-v0", {"pattern": pattern, "rounds": 8})
        history = evolve(world, ["constant"] * 20, 25, vary={"violate": (0, 1)}, mutation=0.1, games=2)
        found[pattern] = history.means[-1, 0]
        assert 0.2 < history.means[0, 0] < 0.8
    assert found["mostly_unsupervised"] > 0.8 and found["mostly_supervised"] < 0.2


def test_policies_and_numbers_of_several_kinds():
    """Numbers belong to their policies; those that are given start there, the others anywhere in the range."""
    world = build("envsuite/TrustGame-v0", {"rounds": 4})
    start = ["constant:trust=0.25"] * 4 + ["reputation"] * 4
    vary = {"trust": (0.0, 0.5), "returns": (0.4, 0.6)}
    history = evolve(world, start, 6, vary=vary, mutation=0.5, seed=3)
    assert history.policies == ("constant", "reputation")
    assert history.varied == ("constant:trust", "constant:returns", "reputation:returns")
    assert history.shares[0].tolist() == [0.5, 0.5] and history.means[0, 0] == 0.25
    assert ((history.means[:, 1:] >= 0.4) & (history.means[:, 1:] <= 0.6) | (history.shares[:, [0, 1]] == 0)).all()
    for name in history.population:
        assert name.startswith(("constant:trust=0.", "reputation:hope=0.5,returns="))
    assert history.last_fitness.mean() == pytest.approx(history.fitness[-1])


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(vars(one).values(), vars(other).values()))


def test_resuming(tmp_path):
    """A run that was interrupted, or asked for more generations, continues as if it had never stopped."""
    world = build("envsuite/TrustGame-v0", {"rounds": 2})
    arguments = dict(vary={"trust": (0, 1), "returns": (0, 1)}, mutation=0.1, seed=5)
    whole = evolve(world, ["constant"] * 8, 6, **arguments)
    path = tmp_path / "run.jsonl"
    evolve(world, ["constant"] * 8, 3, path=path, **arguments)
    played = []
    assert same(whole, evolve(world, ["constant"] * 8, 6, path=path, progress=played.append, **arguments))
    assert len(path.read_text().splitlines()) == 6
    with pytest.raises(ResultsError, match="vary"):
        evolve(world, ["constant"] * 8, 6, path=path, **{**arguments, "vary": {"trust": (0, 1)}})


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(population=["constant"] * 5), "a multiple of 4 agents"),
        (dict(population="constant"), "a list of 2 policies or more"),
        (dict(population=["mcts"] * 4), "'mcts' is no compiled policy of envsuite/TrustGame-v0"),
        (dict(generations=0), "generations=0 must be a positive integer"),
        (dict(games=1.5), "games=1.5 must be a positive integer"),
        (dict(vary={"faith": (0, 1)}), "no policy of the population has a parameter 'faith'"),
        (dict(vary={"trust": (0, 2)}), "does not fit the range 0 .. 1 of 'constant'"),
        (dict(vary={"trust": (0.5, 0.5)}), "does not fit the range"),
        (dict(selection="lottery"), "selection='lottery' must be one of truncation, imitation"),
        (dict(keep=0.1), "keep=0.1"),
        (dict(keep=1.5), "keep=1.5"),
        (dict(mutation=-1), "mutation=-1"),
        (dict(strength=float("nan")), "strength=nan"),
    ],
)
def test_refusals(changes, message):
    arguments = {"population": ["constant"] * 8, "generations": 1, **changes}
    with pytest.raises(ParameterError, match=message):
        evolve("envsuite/TrustGame-v0", **arguments)
