"""Kuhn poker: lockstep with OpenSpiel, its information sets, its value, its baseline."""

import itertools

import kit
import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.games.kuhn_poker import BET, PASS, KuhnPoker
from envsuite.registry import build

ID = "envsuite/KuhnPoker-v0"
GAMES = 1000


@pytest.mark.mostly_slow
@pytest.mark.parametrize("players", [2, 3, 4, 10])
def test_equals_openspiel(players):
    """Random games with the same deals: movers, legal actions, tensors of all, rewards and ends at every move."""
    import pyspiel

    rng = np.random.default_rng(players)
    game = pyspiel.load_game(f"kuhn_poker(players={players})")
    deals = [rng.permutation(players + 1)[:players].tolist() for _ in range(GAMES)]
    batch = kit.started(KuhnPoker, GAMES, level=[{"cards": deal} for deal in deals], players=players)
    states = [game.new_initial_state() for _ in range(GAMES)]
    for state, deal in zip(states, deals):
        for card in deal:
            state.apply_action(card)
    for i, state, _ in kit.lock_step(batch, states, rng):
        for k in range(players):
            assert batch.observations[i, k].tolist() == state.information_state_tensor(k)


def courses(deal):
    """Every course of the game with this deal: the information states of the movers, and the final rewards."""
    todo = [()]
    while todo:
        moves = todo.pop()
        batch, seen = kit.started(KuhnPoker, level={"cards": deal}), []
        for move in moves:
            seen.append(batch.observations[0, kit.mover(batch)].tobytes())
            batch.step(move)
        if batch.over()[0]:
            yield seen, batch.rewards[0].tolist()
        else:
            todo += [(*moves, PASS), (*moves, BET)]


def test_information_sets():
    """12 information sets and 30 courses with 2 players (OpenSpiel; Kuhn 1950)."""
    found = [course for deal in itertools.permutations(range(3), 2) for course in courses(deal)]
    assert len(found) == 30
    assert len({state for seen, _ in found for state in seen}) == 12
    assert all(sum(rewards) == 0 for _, rewards in found)
    assert sum(rewards[0] / 2 ** len(seen) for seen, rewards in found) / 6 == 1 / 8  # if all moves are random


def test_what_players_see():
    batch = kit.act(kit.started(KuhnPoker, level={"cards": [2, 0]}), PASS, BET)
    moves = [1, 0, 0, 1, 0, 0]  # passed, bet, and a third one to come
    assert batch.observations[0].tolist() == [[1, 0, 0, 0, 1, *moves], [0, 1, 1, 0, 0, *moves]]


def test_guess():
    """The other card is one of the two that the agent does not hold."""
    batch = kit.started(KuhnPoker, level={"cards": [1, 0]})
    guessed = set()
    for _ in range(20):
        with np.errstate(over="ignore"):  # words wrap around, as in machine code
            KuhnPoker.guess(batch.record(), 0)
        guessed.add(tuple(batch.records["cards"][0].tolist()))
    assert guessed == {(1, 0, 2), (1, 2, 0)}


def test_deals_are_uniform():
    """All (players + 1)! orders of the deck are equally frequent: chi-square within its 1e-6 quantile."""
    batch = kit.started(KuhnPoker(players=3), 48_000)
    counts = np.unique(batch.records["cards"], axis=0, return_counts=True)[1]
    assert len(counts) == 24
    assert ((counts - 2000) ** 2 / 2000).sum() < 73.5  # scipy.stats.chi2.isf(1e-6, 23) = 73.49


def test_value():
    """Two equilibrium players: -1/18 for the first (Kuhn 1950)."""
    won = kit.played(ID, "equilibrium", 0, 200_000, against="equilibrium")
    assert abs(won[:, 0].mean() + 1 / 18) < 4 * won[:, 0].std() / 200_000**0.5 < 4 * 0.004


def kuhn_strategy(alpha):
    """Kuhn's equilibria (1950): the probability of a bet by information state."""
    return {
        **{"0": alpha, "1": 0, "2": 3 * alpha, "0pb": 0, "1pb": alpha + 1 / 3, "2pb": 1},
        **{"0p": 1 / 3, "1p": 0, "2p": 1, "0b": 0, "1b": 1 / 3, "2b": 1},
    }


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_equilibrium(alpha):
    """The baseline bets with Kuhn's probabilities in all 12 states; OpenSpiel finds no better reply, and -1/18."""
    import pyspiel
    from open_spiel.python import policy as spiel_policy
    from open_spiel.python.algorithms import expected_game_score, exploitability

    strategy = kuhn_strategy(alpha)
    game = pyspiel.load_game("kuhn_poker")
    tabular = spiel_policy.TabularPolicy(game)
    for state, chance in strategy.items():
        tabular.policy_for_key(state)[:] = [1 - chance, chance]
    assert exploitability.nash_conv(game, tabular) < 1e-9
    value = expected_game_score.policy_value(game.new_initial_state(), [tabular] * 2)
    np.testing.assert_allclose(value, [-1 / 18, 1 / 18], atol=1e-12)

    num = 20_000
    player = make_policy("equilibrium", build(ID), alpha=alpha)
    player.reset(1, num)
    for state, chance in strategy.items():
        seat = (len(state) - 1) % 2
        spiel_state = game.new_initial_state()
        card = int(state[0])
        for k in range(2):
            spiel_state.apply_action(card if k == seat else (card + 1) % 3)
        for move in state[1:]:
            spiel_state.apply_action("pb".index(move))
        tensor = np.array(spiel_state.information_state_tensor(seat), np.int8)
        observations, masks = np.tile(tensor, (num, 1, 1)), np.ones((num, 1, 2), np.int8)
        rate = player.act_batch(observations, masks, [seat]).mean()
        assert abs(rate - chance) <= 5 * (chance * (1 - chance) / num) ** 0.5, state


@pytest.mark.parametrize("players", [2, 3, 4, 10])
@pytest.mark.mostly_slow
def test_equilibrium_beats_random(players):
    """In every seat it wins against random players, and wins more than a random player, by 4 standard errors."""
    base = kit.played(ID, "random", 0, 40_000, players=players)
    for seat in range(players):
        won = kit.played(ID, "equilibrium", seat, 40_000, players=players)
        assert not won.sum(axis=1).any()
        error, base_error = won[:, seat].std() / 200, base[:, seat].std() / 200
        assert won[:, seat].mean() > 10 * error
        assert won[:, seat].mean() - base[:, seat].mean() > 4 * np.hypot(error, base_error)


def test_wrong_levels():
    kit.refuses(
        KuhnPoker(),
        ({"cards": [0]}, "cards must be a list of 2 entries"),
        ({"cards": [0, 3]}, r"cards\[1\]=3 must be an integer from 0 to 2"),
        ({"cards": [0.5, 1]}, r"cards\[0\]=0.5 must be an integer from 0 to 2"),
        ({"cards": [True, 2]}, r"cards\[0\]=True must be an integer from 0 to 2"),
        ({"cards": [1, 1]}, "cards have 1 twice"),
        ({"cards": "no"}, "cards must be a list of 2 entries"),
        ({"deal": [0, 1]}, "lacks 'cards'"),
    )


def test_text_hides_other_cards():
    """Two deals that differ only in the other's card have the same text; it names the own card and the moves."""
    texts = []
    for cards in ([1, 0], [1, 2]):
        batch = kit.act(kit.started(KuhnPoker, level={"cards": cards}), PASS, BET)
        world, s = batch.world, batch.record()
        assert sorted(s.cards) == [0, 1, 2]
        texts.append(world.text(s, 0))
        shown = {getattr(shape, "text", "") for shape in world.scene(s).shapes}
        assert shown & {"J", "Q", "K"} == {"JQK"[card] for card in cards}
        own = {getattr(shape, "text", "") for shape in world.scene(s, 0).shapes}
        assert own & {"J", "Q", "K"} == {"Q"}
    assert texts[0] == texts[1]
    assert "Your card is Q" in texts[0] and "player_1 bets" in texts[0]
