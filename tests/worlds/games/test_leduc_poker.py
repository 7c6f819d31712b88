"""Leduc poker: lockstep with OpenSpiel, its tree and its value, its baseline."""

import kit
import numpy as np
import pytest

from envsuite.core.chance import Explorer
from envsuite.games.leduc_poker import CALL, FOLD, RAISE, LeducPoker
from envsuite.solvers.equilibria import zero_sum_nash
from envsuite.solvers.game_tree import Tree

ID = "envsuite/LeducPoker-v0"
GAMES = 1000


@pytest.mark.mostly_slow
@pytest.mark.parametrize("players", [2, 3, 5])
def test_equals_openspiel(players):
    """Random games with the same cards: movers, legal actions, tensors of all, rewards and ends at every move."""
    import pyspiel

    rng = np.random.default_rng(players)
    game = pyspiel.load_game(f"leduc_poker(players={players})")
    states = [game.new_initial_state() for _ in range(GAMES)]
    # Half of the deals are given, including the public card; the others are drawn.
    deals = [{"cards": rng.permutation(2 * players + 2)[: players + 1].tolist()} for _ in range(GAMES // 2)]
    batch = kit.started(LeducPoker, GAMES, level=deals + [None] * (GAMES - len(deals)), players=players)
    for i, state in enumerate(states):
        for card in batch.records["deck"][i, :players]:
            state.apply_action(int(card))

    def deal(i, state):
        if state.is_chance_node():  # the public card
            state.apply_action(int(batch.records["deck"][i, players]))

    shared = folds = 0
    for i, state, action in kit.lock_step(batch, states, rng, deal=deal):
        folds += action == FOLD
        for k in range(players):
            assert batch.observations[i, k].tolist() == state.information_state_tensor(k)
        if state.is_terminal():
            shared += batch.records["won"][i].sum() > 1
    assert shared > 10 and folds > 100


def test_tree():
    """OpenSpiel 2.0.2's counts, uniform values and NashConv; the value from von Stengel's linear program."""
    tree = Tree(LeducPoker())
    assert (tree.decisions, tree.terminals) == (3780, 5520) and tree.information_sets == [468, 468]
    np.testing.assert_allclose(tree.values(tree.uniform()), [-5 / 64, 5 / 64], atol=1e-12)
    assert tree.nash_conv(tree.uniform()) == pytest.approx(4.747222222222222, abs=1e-9)
    assert zero_sum_nash(tree)[0] == pytest.approx(-0.085606424078, abs=1e-9)


@pytest.mark.parametrize(
    ("cards", "moves", "movers", "rewards"),
    [
        ([4, 0, 2], [CALL, CALL, CALL, CALL], [0, 1, 0, 1], [1, -1]),  # a king beats a jack
        ([4, 0, 1], [CALL, CALL, CALL, CALL], [0, 1, 0, 1], [-1, 1]),  # a pair of jacks beats a king
        ([4, 0], [RAISE, FOLD], [0, 1], [1, -1]),
        ([4, 0], [RAISE, RAISE, FOLD], [0, 1, 0], [-3, 3]),
        ([4, 0, 2], [RAISE, RAISE, CALL, RAISE, RAISE, CALL], [0, 1, 0, 0, 1, 0], [13, -13]),
        ([0, 2, 4, 6], [RAISE, FOLD, CALL, CALL, CALL], [0, 1, 2, 0, 2], [-3, -1, 4]),
        ([0, 2, 4, 6], [CALL, RAISE, FOLD, CALL, CALL, CALL], [0, 1, 2, 0, 0, 1], [-3, 4, -1]),
        ([0, 2, 4, 6], [CALL, RAISE, CALL, FOLD, CALL, CALL], [0, 1, 2, 0, 1, 2], [-1, -3, 4]),
    ],
)
def test_who_moves_and_wins(cards, moves, movers, rewards):
    batch, found = kit.started(LeducPoker, level={"cards": cards}, players=len(rewards)), []
    for move in moves:
        found.append(kit.mover(batch))
        kit.act(batch, move)
    assert found == movers and batch.over()[0] and batch.rewards[0].tolist() == rewards


def test_legal_moves():
    batch = kit.started(LeducPoker, level={"cards": [4, 0]})
    assert kit.legal(batch) == {"call", "raise"}
    kit.act(batch, RAISE)
    assert kit.legal(batch) == {"fold", "call", "raise"}
    kit.act(batch, RAISE)
    assert kit.legal(batch) == {"fold", "call"}


def test_what_players_see():
    batch = kit.started(LeducPoker, level={"cards": [4, 0, 3]})
    for _ in range(2):  # the second episode is seen as the first
        kit.act(batch, CALL, RAISE, CALL, RAISE)
        public = [0, 0, 0, 1, 0, 0]
        rounds = [1, 0, 0, 1, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0]  # call, raise, call; raise
        assert batch.observations[0, 0].tolist() == [1, 0, 0, 0, 0, 0, 1, 0, *public, *rounds[0], *rounds[1]]
        assert batch.observations[0, 1].tolist() == [0, 1, 1, 0, 0, 0, 0, 0, *public, *rounds[0], *rounds[1]]
        batch.start(0, {"cards": [4, 0, 3]})


def test_guess():
    """The other's card is any but the own and the public one."""
    batch = kit.act(kit.started(LeducPoker, level={"cards": [4, 0, 3]}), CALL, CALL)
    guessed = set()
    for _ in range(40):
        with np.errstate(over="ignore"):  # words wrap around, as in machine code
            LeducPoker.guess(batch.record(), 0)
        deck = batch.records["deck"][0].tolist()
        assert sorted(deck) == [0, 1, 2, 3, 4, 5] and (deck[0], deck[2]) == (4, 3)
        guessed.add(deck[1])
    assert guessed == {0, 1, 2, 5}


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


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.mostly_slow
def test_tight_beats_random(players):
    """It wins more than half a chip per game in every seat."""
    for seat in range(players):
        won = kit.played(ID, "tight", seat, 20_000, players=players)
        np.testing.assert_allclose(won.sum(axis=1), 0, atol=1e-9)
        assert won[:, seat].mean() - 4 * won[:, seat].std() / 20_000**0.5 > 0.5


@pytest.mark.parametrize(
    ("cards", "moves", "answer"),
    [
        ([5, 0], [], RAISE),  # a king
        ([3, 0], [], CALL),  # a queen
        ([0, 5], [], CALL),  # a jack, which can check
        ([0, 5], [CALL, RAISE], FOLD),
        ([3, 0], [CALL, RAISE], CALL),
        ([5, 0], [RAISE, RAISE], CALL),  # two raises are the most
        ([0, 5, 1], [CALL, CALL], RAISE),  # a pair
        ([2, 0, 1], [CALL, CALL, CALL, RAISE], FOLD),  # neither a pair nor the highest rank
        ([2, 0, 5], [CALL, CALL, CALL, RAISE], CALL),  # a queen is the best without a pair
    ],
)
def test_tight_choices(cards, moves, answer):
    batch = kit.act(kit.started(ID, level={"cards": cards}), *moves)
    assert kit.choices("tight", batch, 0) == {batch.world.action_names[0][answer]}


def test_level_round_trip():
    """The next episode draws again; in a level without a public card, that card is drawn."""
    batch = kit.started(LeducPoker, 200, level=[{"cards": [4, 1] if i else [4, 1, 5]} for i in range(200)])
    world = batch.world
    assert world.get_level(batch.record()) == {"cards": [4, 1, 5]}
    assert world.get_level(batch.record(1)) == {"cards": [4, 1]}
    kit.act(batch, CALL, CALL)
    assert batch.records["public"][0] == 5 and set(batch.records["public"][1:]) == {0, 2, 3, 5}
    batch.start()
    assert all(len(world.get_level(batch.record(i))["cards"]) == 2 for i in range(200))
    assert len(np.unique(batch.records["deck"][:, :2], axis=0)) == 30


def test_wrong_levels():
    kit.refuses(
        LeducPoker(),
        ({"cards": [0]}, "cards must be a list of 2 to 3 entries"),
        ({"cards": [0, 1, 2, 3]}, "cards must be a list of 2 to 3 entries"),
        ({"cards": [0, 6]}, r"cards\[1\]=6 must be an integer from 0 to 5"),
        ({"cards": [0.5, 1]}, r"cards\[0\]=0.5 must be an integer from 0 to 5"),
        ({"cards": [True, 2]}, r"cards\[0\]=True must be an integer from 0 to 5"),
        ({"cards": [1, 2, 1]}, "cards have 1 twice"),
        ({"cards": "no"}, "cards must be a list of 2 to 3 entries"),
        ({"deal": [0, 1]}, "lacks 'cards'"),
    )


def test_text_and_scene_hide_other_cards():
    """Deals that differ only in the other's card and the public card look the same until the cards are shown."""
    texts, scenes = [], []
    for cards in ([2, 0, 5], [2, 4, 1]):
        batch = kit.act(kit.started(LeducPoker, level={"cards": cards}), CALL, RAISE)
        world, s = batch.world, batch.record()
        texts.append(world.text(s, 0))
        scenes.append(world.scene(s, 0).shapes)
        assert world.scene(s).shapes != scenes[-1]
        kit.act(batch, CALL)
        public = "K of hearts" if cards[2] == 5 else "J of hearts"
        turned = f"The {public} is turned up.\nIt is your turn: call (nothing to pay) or raise by 4"
        assert turned in world.text(s, 0)
        for _ in range(2):
            batch.step()
        shown = {getattr(shape, "text", "") for shape in world.scene(s, 0).shapes}
        assert shown >= {"Q", "K", "J"} if cards[2] == 5 else shown >= {"Q", "K", "J", "takes the pot"}
    assert texts[0] == texts[1] and scenes[0] == scenes[1]
    assert "Your card is the Q of spades" in texts[0] and "player_1 raises" in texts[0]
    assert "fold, call 2 or raise by 2 (pay 4)" in texts[0]


def test_pot_is_shared():
    """Two kings of different suits win half of the pot each."""
    batch = kit.act(kit.started(LeducPoker, level={"cards": [4, 5, 0]}), RAISE, CALL, CALL, CALL)
    assert batch.over()[0] and batch.rewards[0].tolist() == [0, 0]
    assert "player_0 and player_1 share it" in batch.world.text(batch.record(), 0)
