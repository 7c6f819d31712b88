"""EvidenceDebate: all plays of small debates, the closed form of best play, baselines, levels, records."""

from itertools import permutations

import kit
import numpy as np
import pytest

from envsuite.core.chance import Explorer
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.registry import build

ID = "envsuite/EvidenceDebate-v0"


def level(contributions, first=0):
    return {"contributions": [int(k) for k in contributions], "first": first}


def best_play(contributions, reveals):
    """The sign of the sum of as many of the largest as of the smallest contributions: for debater_0."""
    ranked, half = np.sort(contributions), reveals // 2
    return float(np.sign(ranked[:half].sum() + ranked[-half:].sum()))


def plays(contributions, first, reveals, **params):
    """The movers and the rewards of debater_0 in all plays, as the world says: moves (N, reveals) and rewards (N,)."""
    moves = np.array(list(permutations(range(len(contributions)), reveals)))
    given = level(contributions, first)
    batch = kit.started(ID, len(moves), level=given, features=len(contributions), reveals=reveals, **params)
    movers = []
    for turn in range(reveals):
        assert not batch.over().any() and not batch.rewards.any()
        player = kit.mover(batch)
        movers.append(player)
        hidden = np.ones((len(moves), len(contributions)), bool)
        np.put_along_axis(hidden, moves[:, :turn], False, axis=1)
        assert (batch.masks[:, player] == hidden).all() and not batch.masks[:, 1 - player].any()
        assert batch.observations["left"][:, player, 0].tolist() == [reveals // 2 - movers[:-1].count(player)] * len(
            moves
        )
        batch.step(moves[:, turn, None])
    assert batch.over().all() and batch.terminations.all() and not batch.masks.any()
    assert (batch.rewards[:, 0] == -batch.rewards[:, 1]).all()
    return movers, moves, batch.rewards[:, 0].copy()


def minimax(movers, moves, rewards):
    """The value for debater_0 if it maximises and the other minimises: plays with the same start lie side by side."""
    features = moves.max() + 1
    for turn in range(len(movers) - 1, -1, -1):
        rewards = rewards.reshape(-1, features - turn)
        rewards = rewards.max(1) if movers[turn] == 0 else rewards.min(1)
    return rewards[0]


@pytest.mark.parametrize("upfront", [False, True])
@pytest.mark.parametrize("features, reveals", [(4, 2), (5, 4), (4, 4)])
def test_best_play_by_all_plays(features, reveals, upfront):
    rng, seen = np.random.default_rng(features + reveals), set()
    for k in range(7):
        contributions, first = rng.integers(-3, 4, features), k % 2
        movers, moves, rewards = plays(contributions, first, reveals, strength=3, upfront=upfront)
        half = reveals // 2
        wanted = [0] * half + [1] * half if upfront else [0, 1] * half
        assert movers == [abs(first - k) for k in wanted]
        assert rewards.tolist() == np.sign(contributions[moves].sum(1)).tolist()
        assert minimax(movers, moves, rewards) == best_play(contributions, reveals)
        seen.add(best_play(contributions, reveals))
    assert {-1.0, 1.0} <= seen


def test_starts():
    """All contributions and both debaters that begin have the same probability."""
    starts = list(Explorer(build(ID, dict(features=3, reveals=2, strength=1))).starts())
    found = {(*outcome.record["contributions"].tolist(), int(outcome.record["first"])) for outcome in starts}
    assert len(starts) == len(found) == 3**3 * 2
    assert [outcome.probability for outcome in starts] == pytest.approx([1 / 54] * 54)


@pytest.mark.parametrize("upfront", [False, True])
def test_strongest_earns_what_best_play_earns(upfront):
    """Against itself exactly, against others at least, against a random player far more."""
    num = 60
    for other in ("strongest", "candid", "random"):
        for seat in (0, 1):
            batch = kit.started(ID, num, seed=seat, features=12, strength=5, upfront=upfront)
            best = np.array([best_play(k, 6) for k in batch.records["contributions"]]) * (1, -1)[seat]
            total = kit.finish(batch, "strongest", other, second=lambda seat=seat: np.arange(2)[None] != seat)[:, seat]
            assert (total >= best).all() and (other != "strongest" or (total == best).all())
            assert other != "random" or total.mean() > 0.3 + best.mean()


def test_baselines():
    batch = kit.started(ID, level=level([4, -5, 4, 0]), features=4, reveals=4)
    assert kit.choices("strongest", batch, seeds=12) == {"reveal 1", "reveal 3"}
    assert kit.choices("candid", batch) == {"reveal 2"}
    kit.act(batch, "reveal 1")
    assert kit.mover(batch) == 1
    assert kit.choices("strongest", batch) == kit.choices("candid", batch) == {"reveal 2"}
    kit.act(batch, "reveal 2")
    assert kit.choices("candid", batch) == {"reveal 3"}


def test_observations():
    batch = kit.act(kit.started(ID, level=level([3, -2, 1], 1), features=3, reveals=2), "reveal 2")
    seen = batch.observations[0]
    assert seen["contributions"].tolist() == [[3, -2, 1], [-3, 2, -1]]
    assert seen["revealed"].tolist() == [[0, 2, 0], [0, 1, 0]]
    assert seen["left"].tolist() == [[1, 0], [0, 1]]


def test_levels_and_records():
    batch = kit.started(ID, level=level([3, -2, 1, 0], 1), features=4, reveals=4)
    world = batch.world
    assert world.get_level(batch.record()) == level([3, -2, 1, 0], 1)
    kit.refuses(
        world,
        ({"contributions": [0, 0, 0, 0]}, "'contributions' and 'first', not 'contributions'"),
        (level([1, 2, 3]), "contributions must be a list of 4 integers from -100 to 100"),
        (level([1, 2, 3, 10]), r"contributions\[3\]=10 must be an integer from -9 to 9"),
        ({"contributions": [0, 0, 0, 0.5], "first": 0}, r"contributions\[3\]=0.5 must be an integer from -100 to 100"),
        (level([1, 2, 3, 4], 2), "first=2 must be an integer from 0 to 1"),
    )
    for wrong in (dict(reveals=3), dict(features=4)):
        with pytest.raises(ParameterError, match="must be even and at most features"):
            build(ID, wrong)
    kit.act(batch, "reveal 1")
    for name, value, wrong in (("turn", 2, "as many features"), ("first", 0, "as many"), ("revealed", 0, "as many")):
        forged = batch.records.copy()
        forged[name] = value
        with pytest.raises(SnapshotError, match=wrong):
            world.admit(forged)


def test_text_and_clicks():
    batch = kit.started(ID, level=level([3, -2, 1, 0], 1), features=4, reveals=2)
    assert "Hidden: 1 (-3), 2 (+2), 3 (-1), 4 (+0)" in batch.world.text(batch.record(), 1)
    assert "It is the other's turn." in batch.world.text(batch.record(), 0)
    assert kit.clicks(batch, 1) == {0, 1, 2, 3, None}
    kit.act(batch, "reveal 2")
    text = batch.world.text(batch.record(), 0)
    assert "Revealed by the other: 2 (-2)" in text and "Hidden: 1 (+3), 3 (+1), 4 (+0)" in text
    assert "The sum so far is -2. Features to reveal: 1. Reveal a feature." in text
    kit.act(batch, "reveal 1")
    assert "The sum is +1. You win." in batch.world.text(batch.record(), 0)
    assert "The sum is -1. You lose." in batch.world.text(batch.record(), 1)
    batch = kit.act(kit.started(ID, level=level([3, -3]), features=2, reveals=2), "reveal 1", "reveal 2")
    assert not batch.rewards.any() and "Nobody wins." in batch.world.text(batch.record(), 1)
