"""Leduc poker: in lock step with OpenSpiel, its tree and its value, its baseline."""

import numpy as np
import pyspiel
import pytest

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.chance import Explorer
from envsuite.core.errors import LevelError, ParameterError
from envsuite.evaluation import matches
from envsuite.games.leduc_poker import CALL, FOLD, RAISE, LeducPoker
from envsuite.registry import build
from envsuite.solvers.equilibria import zero_sum_nash
from envsuite.solvers.game_tree import Tree

ID = "envsuite/LeducPoker-v0"
GAMES = 1000


@pytest.mark.mostly_slow
@pytest.mark.parametrize("players", [2, 3, 5])
def test_equals_openspiel(players):
    """Random games of the same cards: movers, legal actions, tensors of all players, rewards and ends at every move."""
    rng = np.random.default_rng(players)
    game = pyspiel.load_game(f"leduc_poker(players={players})")
    batch = Batch(LeducPoker(players=players), GAMES)
    states = [game.new_initial_state() for _ in range(GAMES)]
    # Half of the deals are given, with the public card, the others are drawn.
    deals = [{"cards": rng.permutation(2 * players + 2)[: players + 1].tolist()} for _ in range(GAMES // 2)]
    batch.start(0, deals + [None] * (GAMES - len(deals)))
    for i, state in enumerate(states):
        for card in batch.records["deck"][i, :players]:
            state.apply_action(int(card))
    running = np.ones(GAMES, bool)
    shared = folds = 0
    while running.any():
        for i in np.flatnonzero(running):
            mover = states[i].current_player()
            for k in range(players):
                assert batch.observations[i, k].tolist() == states[i].information_state_tensor(k)
                wanted = states[i].legal_actions() if k == mover else []
                assert np.flatnonzero(batch.masks[i, k]).tolist() == wanted
            move = int(rng.choice(states[i].legal_actions()))
            folds += move == FOLD
            batch.actions[i] = move
            states[i].apply_action(move)
        batch.step(where=running)
        for i in np.flatnonzero(running):
            if states[i].is_chance_node():
                states[i].apply_action(int(batch.records["public"][i]))
            over = states[i].is_terminal()
            assert batch.terminations[i].tolist() == [over] * players and not batch.truncations[i].any()
            assert batch.rewards[i].tolist() == states[i].rewards()
            if over:
                shared += batch.records["won"][i].sum() > 1
                assert not batch.masks[i].any()
                for k in range(players):
                    assert batch.observations[i, k].tolist() == states[i].information_state_tensor(k)
            running[i] = not over
    assert shared > 10 and folds > 100


def test_tree():
    """OpenSpiel 2.0.2's counts, uniform values and NashConv; the value from von Stengel's linear program."""
    tree = Tree(LeducPoker())
    assert (tree.decisions, tree.terminals) == (3780, 5520) and tree.information_sets == [468, 468]
    np.testing.assert_allclose(tree.values(tree.uniform()), [-5 / 64, 5 / 64], atol=1e-12)
    assert tree.nash_conv(tree.uniform()) == pytest.approx(4.747222222222222, abs=1e-9)
    assert zero_sum_nash(tree)[0] == pytest.approx(-0.085606424078, abs=1e-9)


def test_chance():
    """All 30 deals of two cards, and after them all 4 public cards, equally likely."""
    explorer = Explorer(LeducPoker())
    starts = explorer.starts()
    assert len({tuple(start.record["deck"][:2]) for start in starts}) == len(starts) == 30
    np.testing.assert_allclose([start.probability for start in starts], 1 / 30)
    for start in starts[:3]:
        (checked,) = explorer.successors(start.record, [CALL, CALL])
        turned = explorer.successors(checked.record, [CALL, CALL])
        dealt = set(start.record["deck"][:2].tolist())
        assert {int(outcome.record["public"]) for outcome in turned} == set(range(6)) - dealt
        np.testing.assert_allclose([outcome.probability for outcome in turned], 1 / 4)


def play(policies, num, players=2, seed=0):
    """Mean and standard error of each seat's reward over `num` games, one policy name per seat."""
    returns, _ = matches.play(build(ID, {"players": players}), policies, num, seed)
    np.testing.assert_allclose(returns.sum(axis=1), 0, atol=1e-9)
    return returns.mean(axis=0), returns.std(axis=0) / num**0.5


@pytest.mark.parametrize("players", [2, 3, 5])
def test_tight_beats_random(players):
    """More than half a chip a game, in every seat."""
    for seat in range(players):
        names = ["tight" if k == seat else "random" for k in range(players)]
        mean, error = play(names, 20_000, players)
        assert mean[seat] - 4 * error[seat] > 0.5


@pytest.mark.parametrize(
    ("cards", "moves", "answer"),
    [
        ([5, 0], [], RAISE),  # a king
        ([3, 0], [], CALL),  # a queen
        ([0, 5], [], CALL),  # a jack, which may check
        ([0, 5], [CALL, RAISE], FOLD),
        ([3, 0], [CALL, RAISE], CALL),
        ([5, 0], [RAISE, RAISE], CALL),  # two raises are all there are
        ([0, 5, 1], [CALL, CALL], RAISE),  # a pair
        ([2, 0, 1], [CALL, CALL, CALL, RAISE], FOLD),  # neither a pair nor the highest rank
        ([2, 0, 5], [CALL, CALL, CALL, RAISE], CALL),  # a queen is the best without a pair
    ],
)
def test_tight_choices(cards, moves, answer):
    world = build(ID)
    batch = Batch(world, 1)
    batch.start(levels={"cards": cards})
    for move in moves:
        batch.step(move)
    mover = int(batch.records["mover"][0])
    assert mover == 0
    assert make_policy("tight", world).act(batch.observations[0, mover], batch.masks[0, mover], mover) == answer


def test_level_round_trip():
    """The next episode draws again; a level without a public card leaves that to chance."""
    world = LeducPoker()
    batch = Batch(world, 200)
    batch.start(0, [{"cards": [4, 1] if i else [4, 1, 5]} for i in range(200)])
    assert world.get_level(batch.record()) == {"cards": [4, 1, 5]}
    assert world.get_level(batch.record(1)) == {"cards": [4, 1]}
    for _ in range(2):
        batch.step(CALL)
    assert batch.records["public"][0] == 5 and set(batch.records["public"][1:]) == {0, 2, 3, 5}
    batch.start()
    assert all(len(world.get_level(batch.record(i))["cards"]) == 2 for i in range(200))
    assert len(np.unique(batch.records["deck"][:, :2], axis=0)) == 30


@pytest.mark.parametrize(
    ("level", "message"),
    [
        ({"cards": [0]}, "1 cards; 2 players need 2, or one more"),
        ({"cards": [0, 1, 2, 3]}, "4 cards"),
        ({"cards": [0, 6]}, "card 1 of the level, 6, must be an integer from 0 to 5"),
        ({"cards": [0.5, 1]}, "card 0 of the level, 0.5"),
        ({"cards": [True, 2]}, "card 0 of the level, True"),
        ({"cards": [1, 2, 1]}, "has a card twice"),
        ({"cards": "no"}, "cannot be read"),
        ({"deal": [0, 1]}, "lacks 'cards'"),
    ],
)
def test_wrong_levels(level, message):
    with pytest.raises(LevelError, match=message):
        Batch(LeducPoker(), 1).set_level(0, level)


def test_players_are_checked():
    for players in (1, 6, "2", 2.0, True):
        with pytest.raises(ParameterError, match="players"):
            LeducPoker(players=players)


def test_text_and_scene_hide_other_cards():
    """Deals that differ only in the other's card and the card to come look the same until they are shown."""
    world = LeducPoker()
    texts, scenes = [], []
    for cards in ([2, 0, 5], [2, 4, 1]):
        batch = Batch(world, 1)
        batch.start(levels={"cards": cards})
        for move in (CALL, RAISE):
            batch.step(move)
        texts.append(world.text(batch.record(), 0))
        scenes.append(world.scene(batch.record(), 0).shapes)
        assert world.scene(batch.record()).shapes != scenes[-1]
        batch.step(CALL)
        public = "K of hearts" if cards[2] == 5 else "J of hearts"
        assert f"The {public} is turned up.\nIt is your turn: call (nothing to pay) or raise by 4" in world.text(
            batch.record(), 0
        )
        for _ in range(2):
            batch.step()
        shown = {getattr(shape, "text", "") for shape in world.scene(batch.record(), 0).shapes}
        assert shown >= {"Q", "K", "J"} if cards[2] == 5 else shown >= {"Q", "K", "J", "takes the pot"}
    assert texts[0] == texts[1] and scenes[0] == scenes[1]
    assert "Your card is the Q of spades" in texts[0] and "player_1 raises" in texts[0]
    assert "fold, call 2 or raise by 2 (pay 4)" in texts[0]


def test_pot_is_shared():
    """Two kings of two suits win half of the pot each."""
    world = LeducPoker()
    batch = Batch(world, 1)
    batch.start(levels={"cards": [4, 5, 0]})
    for move in (RAISE, CALL, CALL, CALL):
        batch.step(move)
    assert batch.over()[0] and batch.rewards[0].tolist() == [0, 0]
    assert "player_0 and player_1 share it" in world.text(batch.record(), 0)
