"""Blackjack: Gymnasium's in lock-step, exact values by dynamic programming, the deck, hands, levels."""

from functools import cache

import gymnasium
import kit
import numpy as np
import pytest
from gymnasium.envs.toy_text import blackjack as source

from envsuite.agents import make_policy
from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.blackjack import DRAW, STAND
from envsuite.registry import build

ID = "envsuite/Blackjack-v0"

SETTINGS = {name: {"natural": name == "bonus", "sab": name == "first"} for name in ("plain", "bonus", "first")}


@pytest.mark.parametrize("naturals", SETTINGS)
def test_gymnasium(naturals, monkeypatch):
    """Random play and the best play with the same cards: observations, rewards and ends of 600 episodes."""
    cards = []
    monkeypatch.setattr(source, "draw_card", lambda rng: cards.pop(0))
    theirs, rng = gymnasium.make("Blackjack-v1", **SETTINGS[naturals]), np.random.default_rng(0)
    batch, paid = kit.started(ID, naturals=naturals), set()
    for seed in range(600):
        # Every tenth hand is a natural, against a dealer that often comes to 21 with three cards.
        level = {"player": [10, 1], "dealer": [[1, 10], [6, 5], [9, 2]][seed % 3]} if seed % 10 == 0 else None
        batch.start([seed], level)
        s = batch.record()
        cards[:] = [*s.dealer[:2].tolist(), *s.player[:2].tolist()]
        seen, _ = theirs.reset(seed=seed)
        done = False
        while not done:
            assert batch.observations[0, 0]["hand"].tolist() == [*map(int, seen)]
            action = int(rng.random() < 0.4 if seen[0] > 11 else DRAW)
            batch.step(action)
            s = batch.record()
            cards[:] = [int(s.player[s.drawn - 1])] if action == DRAW else s.dealer[2 : s.dealt].tolist()
            seen, reward, done, _, _ = theirs.step(action)
            assert not cards and reward == batch.rewards[0, 0] and done == batch.over()[0]
        paid.add(float(reward))
    assert paid == {-1.0, 0.0, 1.0} | ({1.5} if naturals == "bonus" else set())


# Dynamic programming.

CARDS = [(card, (4 if card == 10 else 1) / 13) for card in range(1, 11)]


def counted(total, aces):
    return total + 10 if aces and total + 10 <= 21 else total


@cache
def dealers(total, aces, count):
    """Final hands of a dealer with their probabilities: (hand, whether it is a natural)."""
    hand = counted(total, aces)
    if hand >= 17:
        return {(hand, count == 2 and hand == 21): 1.0}
    found = {}
    for card, chance in CARDS:
        for end, more in dealers(total + card, aces or card == 1, count + 1).items():
            found[end] = found.get(end, 0.0) + chance * more
    return found


def expected(naturals, act):
    """The mean return of a play: `act` gets a hand, the dealer's card, whether an ace is usable, and both values."""

    def stands(hand, natural, shown):
        total = 0.0
        for card, chance in CARDS:
            for (other, its), more in dealers(shown + card, 1 in (shown, card), 2).items():
                pay = 1.0 if other > 21 or hand > other else 0.0 if hand == other else -1.0
                if natural and naturals == "first" and not its:
                    pay = 1.0
                elif natural and naturals == "bonus" and pay == 1.0:
                    pay = 1.5
                total += chance * more * pay
        return total

    @cache
    def value(total, aces, natural, shown):
        hand = counted(total, aces)
        if hand > 21:
            return -1.0
        draws = sum(chance * value(total + card, aces or card == 1, False, shown) for card, chance in CARDS)
        return act(hand, shown, aces and hand > total, stands(hand, natural, shown), draws)

    total = 0.0
    for shown, a in CARDS:
        for one, b in CARDS:
            for two, c in CARDS:
                total += a * b * c * value(one + two, 1 in (one, two), {one, two} == {1, 10}, shown)
    return total


def test_exact_values():
    """The page's values."""
    for naturals, best in (("plain", -0.04656), ("bonus", -0.02573), ("first", -0.04311)):
        assert abs(expected(naturals, lambda *args: max(args[3:])) - best) < 6e-6
    assert abs(expected("plain", lambda *args: sum(args[3:]) / 2) - -0.39590) < 6e-6
    for least, mean in ((17, -0.07929), (20, -0.35355)):
        assert abs(expected("plain", lambda hand, *args, least=least: args[2 if hand >= least else 3]) - mean) < 6e-6


def test_baselines():
    """The baseline "basic" is the best play, in every hand; returns are those of the table."""
    seen = []

    def note(hand, shown, ace, stands, draws):
        seen.append((hand, shown, ace, stands, draws))
        return max(stands, draws)

    expected("plain", note)
    world = build(ID)
    rows = np.zeros((len(seen), 1), kit.started(world).observations.dtype)
    rows["hand"][:, 0] = [[hand, shown, ace] for hand, shown, ace, *_ in seen]
    player = make_policy("basic", world)
    player.reset(0, len(rows))
    acts = player.act_batch(rows, np.ones((len(rows), 1, 2), np.int8), [0])[:, 0]
    for act, (*_, stands, draws) in zip(acts, seen):
        assert (stands if act == STAND else draws) == max(stands, draws)
    for name, mean in (("basic", -0.04656), ("dealer", -0.07929), ("random", -0.39590)):
        returns = play(world, name, 20_000).returns
        assert abs(returns.mean() - mean) < 4.5 * returns.std() / 20_000**0.5


def test_the_deck():
    cards = kit.started(ID, 4000).records["begin"].ravel()
    counts = np.bincount(cards, minlength=11)[1:]
    means = np.array([1] * 9 + [4]) / 13 * 16_000
    assert (abs(counts - means) < 5 * means**0.5).all()


def test_levels_and_texts():
    kit.refuses(
        build(ID),
        ({"player": [1, 2]}, "'player' and 'dealer'"),
        ({"player": [1, 2], "dealer": [11, 3]}, r"dealer\[0\]=11 must be an integer from 1 to 10"),
        ({"player": [1], "dealer": [1, 3]}, "player must be a list of 2 integers from 1 to 10"),
    )
    batch = kit.started(ID, level={"player": [10, 6], "dealer": [1, 7]})
    assert batch.world.get_level(batch.record()) == {"player": [10, 6], "dealer": [1, 7]}
    text = batch.world.text(batch.record(), 0)
    assert text == "Your cards: 10, 6. They count 16.\nThe dealer shows A."
    batch.step(STAND)
    assert batch.rewards[0, 0] == -1.0 and "The dealer's cards: A, 7. They count 18." in batch.world.text(
        batch.record(), 0
    )
    records = kit.started(ID).records.copy()
    records["player"][0, 2] = 5
    with pytest.raises(SnapshotError, match="number of cards differ"):
        batch.world.admit(records)
