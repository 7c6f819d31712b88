"""Guesses of what an agent does not know: secrets are not read, all fits, frequencies are exact, and search wins."""

from collections import Counter, defaultdict
from itertools import permutations

import numpy as np
import pytest
from kit import started
from scipy.stats import chisquare, kstest, norm

from envsuite.compile.bound import bind
from envsuite.core.chance import Explorer
from envsuite.core.record import as_views
from envsuite.core.table import as_bytes, data_bytes
from envsuite.dual_control.assistance import Assistance
from envsuite.dual_control.off_switch import HUMAN, ROBOT, OffSwitch
from envsuite.dual_control.off_switch_grid import OffSwitchGrid
from envsuite.evaluation.matches import play
from envsuite.games.goofspiel import Goofspiel
from envsuite.games.hanabi import Hanabi
from envsuite.games.kuhn_poker import KuhnPoker
from envsuite.games.leduc_poker import LeducPoker
from envsuite.games.liars_dice import LiarsDice
from envsuite.games.repeated_game import RepeatedGame
from envsuite.games.simple_negotiation import SimpleNegotiation
from envsuite.games.trust_and_split import TrustAndSplit
from envsuite.registry import build
from envsuite.solvers.mcts import MCTS
from envsuite.testing import random_actions

#: Seeds are fixed, so a test that holds once holds always; of 100 p-values the lowest is below it in 1 case of 100.
LEAST_P = 1e-4


def positions(world, num, longest, seed=0, levels=None):
    """A batch in which random games have gone on for 0 to `longest` transitions, or less if one ended."""
    rng = np.random.default_rng(seed)
    batch = started(world, num, seed, levels)
    lengths = rng.integers(longest + 1, size=num)
    for t in range(longest):
        actions = random_actions(batch.masks, rng)
        # The transition that ends a game is not made.
        before = batch.records.copy()
        going = (t < lengths) & ~batch.over()
        batch.step(actions, going)
        ended = batch.over()
        batch.records[ended] = before[ended]
        lengths[ended] = 0
    batch.observe()
    return batch


def _guess(records, agent):
    for i in range(records.shape[0]):
        guess(records[i], agent)


guess = None


def compiled(world):
    """The world's `guess` for all records of an array."""
    return bind(_guess, f"test_guess.{type(world).__name__}", guess=type(world).guess)


def guesses(world, record, agent):
    """All that `guess` can make of a record, with its probabilities: by turning through all outcomes of its draws."""
    once = compiled(world)
    scratch, given, found, shares = np.zeros(1, world.exact_record), [], [], []
    while True:
        for name in world.record.names:
            scratch[name] = record[name]
        tape = scratch["tape"]
        tape["probability"], tape["cursor"], tape["given"] = 1.0, 0, len(given)
        tape["outcomes"][0, : len(given)] = given
        once(scratch, agent)
        made = np.zeros((), world.record)
        for name in world.record.names:
            made[name] = scratch[name][0]
        found.append(made)
        shares.append(float(tape["probability"][0]))
        used = int(tape["cursor"][0])
        given, sizes = tape["outcomes"][0, :used].tolist(), tape["sizes"][0, :used].tolist()
        while given and given[-1] == sizes[len(given) - 1] - 1:
            given.pop()
        if not given:
            return np.array(found, world.record), np.array(shares)
        given[-1] += 1


@pytest.mark.parametrize("world", [KuhnPoker(), LeducPoker(), LiarsDice(sides=2)], ids=lambda world: world.id)
def test_in_poker_and_dice(world):
    """What all see after a guess has exactly the distribution that chance gives it, given what the agent sees.

    Chance's own comes from all deals and all courses of the first three moves, which are public.
    """
    explorer = Explorer(world, 64)
    known = defaultdict(lambda: defaultdict(float))
    example = {}
    level = [(outcome.probability, outcome.record) for outcome in explorer.starts()]
    for _ in range(3):
        view = explorer.view(np.array([record for _, record in level], world.record))
        after = []
        for i, (probability, record) in enumerate(level):
            if view.over[i]:
                continue
            everything = view.observations[i].tobytes()
            for agent in range(2):
                key = (agent, view.observations[i, agent].tobytes())
                known[key][everything] += probability
                example[key] = record
            mover = int(np.flatnonzero(view.acting[i])[0])
            for action in np.flatnonzero(view.masks[i, mover]):
                after += [(probability * o.probability, o.record) for o in explorer.successors(record, [action] * 2)]
        level = after
    assert len(known) > 12
    for (agent, own), shares in known.items():
        records, probabilities = guesses(world, example[agent, own], agent)
        assert abs(probabilities.sum() - 1.0) < 1e-12
        guessed = defaultdict(float)
        for seen, probability in zip(explorer.view(records).observations, probabilities):
            assert seen[agent].tobytes() == own
            guessed[seen.tobytes()] += probability
        total = sum(shares.values())
        assert guessed.keys() == shares.keys()
        assert all(abs(guessed[key] - shares[key] / total) < 1e-12 for key in guessed)


def test_card_to_come_is_guessed():
    """A public card that the level names is not known before it is turned up: 1 in 5, without the agent's own."""
    world = LeducPoker()
    record = started(world, level=[{"cards": [0, 3, 5]}]).records[0]
    records, probabilities = guesses(world, record, 0)
    shares = [probabilities[records["deck"][:, 2] == card].sum() for card in range(6)]
    assert np.allclose(shares, [0.0, 0.2, 0.2, 0.2, 0.2, 0.2])


# Secrets and consistency, in hundreds of random positions.


def hide_hand(s, agent):
    s["deck"] = s["deck"].max() - s["deck"]
    s["cards"][agent, : s["held"][agent]] = 0
    s["hands"][agent] = 0


def hide_bids(s, agent):
    s["bids"][1 - agent] = s["bids"][1 - agent, ::-1]
    s["hands"][1 - agent] = 1 - s["hands"][1 - agent]


def hide_values(s, agent):
    s["values"][1 - agent] = 40


def hide_other_hand(s, agent):
    s["hands"][1 - agent] = s["hands"][agent]


def hide_utility(s, agent):
    if agent == ROBOT:
        s["utility"] = 77.0


def hide_wanted(s, agent):
    if agent == ROBOT:
        s["wanted"] = (s["wanted"] + 1) % len(s["taken"])


def data(array):
    """The bytes (..., S) of an array, without padding."""
    return as_bytes(np.ascontiguousarray(array))[..., data_bytes(array.dtype, array.dtype.itemsize)]


@pytest.mark.parametrize(
    ("world", "longest", "hide"),
    [
        (Hanabi(), 60, hide_hand),
        (Hanabi(variant="mini"), 12, hide_hand),
        (Goofspiel(hidden_bids=True), 11, hide_bids),
        (Goofspiel(hidden_bids=True, ties="split"), 11, hide_bids),
        (SimpleNegotiation(values="random"), 9, hide_values),
        (TrustAndSplit(), 25, hide_other_hand),
        (OffSwitch(rounds=5), 8, hide_utility),
        (OffSwitchGrid(), 20, hide_utility),
        (Assistance(), 24, hide_wanted),
    ],
    ids=lambda value: getattr(value, "id", ""),
)
def test_secrets_and_consistency(world, longest, hide):
    """A guess does not depend on the secrets, and leaves the agent's observation, mask and text as they were."""
    batch = positions(world, 200, longest)
    true, seen, masks = batch.records.copy(), data(batch.observations).copy(), batch.masks.copy()
    once = compiled(world)
    for agent in range(len(world.agents)):
        hidden = true.copy()
        for s in hidden:
            hide(s, agent)
        batch.records[:] = hidden
        once(batch.records, agent)
        guessed = batch.records.copy()
        batch.records[:] = true
        once(batch.records, agent)
        assert (data(batch.records) == data(guessed)).all()
        batch.observe()
        after = data(batch.observations)
        assert (after[:, agent] == seen[:, agent]).all() and (batch.masks[:, agent] == masks[:, agent]).all()
        # What only the other sees does change, except for the human, who knows everything.
        assert (after != seen).any() == (agent != HUMAN or world.agents[HUMAN] != "human")
        for i in range(0, 200, 10):
            assert world.text(batch.record(i), agent) == world.text(as_views(true)[i], agent)


@pytest.mark.parametrize("ties", ["discard", "carry", "split"])
def test_bids_make_the_same_winners(ties):
    """By the rules, read anew: highest bids take, every card is bid once or in the hand."""
    world = Goofspiel(hidden_bids=True, ties=ties)
    batch = positions(world, 300, 11, seed=1)
    true = batch.records.copy()
    for agent in range(2):
        batch.records[:] = true
        compiled(world)(batch.records, agent)
        assert (batch.records["bids"][:, agent] == true["bids"][:, agent]).all()
        assert (batch.records["bids"][:, 1 - agent] != true["bids"][:, 1 - agent]).any()
        for s in batch.records:
            bids = s["bids"][:, : s["rounds"]]
            best = bids == bids.max(axis=0)
            assert (s["wins"][:, : s["rounds"]] == best * ((best.sum(axis=0) == 1) | (ties == "split"))).all()
            assert not s["bids"][:, s["rounds"] :].any()
            for hand, done in zip(s["hands"], bids):
                assert sorted([*(np.flatnonzero(hand) + 1), *done]) == list(range(1, 14))


# Frequencies, against all courses of events that look the same to the agent.


def seen_by(agent, batch, observations):
    """In which rows of a batch an agent sees what it has among observations (A, ...)."""
    return (data(batch.observations[:, agent]) == data(observations[agent])).reshape(batch.num, -1).all(axis=1)


def alike(batch, history, agent):
    """Which rows of a started batch an agent cannot distinguish from a history until its last transition."""
    same = np.ones(batch.num, bool)
    for seen, mask, actions in history:
        same &= seen_by(agent, batch, seen)
        acting = mask.any(axis=1)
        same &= (batch.masks[:, acting, actions[acting]] != 0).all(axis=1)
        batch.step(actions, same)
    return same


def course(world, level, length, rng, seed=0):
    """A random game of up to `length` transitions, and what went before each of these."""
    batch, history = started(world, 1, seed, [level] if level else None), []
    for _ in range(length):
        before, seen, mask = batch.records.copy(), batch.observations[0].copy(), batch.masks[0].copy()
        actions = random_actions(mask, rng)
        batch.step(actions)
        if batch.over()[0]:
            batch.records[:] = before
            batch.observe()
            break
        history.append((seen, mask, actions))
    return batch, history


def unseen(records, agent, held, drawn):
    """How often an agent's hand and the rest of the deck are which ones."""
    return Counter(map(bytes, np.concatenate([records["cards"][:, agent, :held], records["deck"][:, drawn:]], axis=1)))


@pytest.mark.slow
def test_hanabi_deals():
    """All 1,120 decks of the mini game are played: those that the agent cannot distinguish are guessed equally often.

    8! / (3! 3!) orders; the level gives the deck, so that nothing here is the guess's own reading of hints and counts.
    """
    world, count = Hanabi(variant="mini"), 40_000
    decks = sorted(set(permutations(["R1"] * 3 + ["R2"] + ["Y1"] * 3 + ["Y2"])))
    assert len(decks) == 1120
    rng = np.random.default_rng(5)
    values, sizes = [], []
    for game in range(16):
        length = game % 8
        deck = decks[rng.integers(len(decks))]
        batch, history = course(world, {"deck": deck}, length, rng)
        for agent in range(2):
            others = started(world, len(decks), level=[{"deck": deck} for deck in decks])
            fit = alike(others, history, agent)
            fit &= seen_by(agent, others, batch.observations[0])
            drawn, held = int(batch.records["drawn"][0]), int(batch.records["held"][0, agent])
            expected = unseen(others.records[fit], agent, held, drawn)
            assert set(expected.values()) == {1}
            guessed = np.repeat(batch.records, count)
            guessed["rng"] = rng.integers(2**63, size=count)
            compiled(world)(guessed, agent)
            found = unseen(guessed, agent, held, drawn)
            assert found.keys() == expected.keys()
            sizes.append(len(found))
            values.append(chisquare(list(found.values())).pvalue if len(found) > 1 else 1.0)
    assert min(values) > LEAST_P and max(sizes) >= 20


@pytest.mark.parametrize("ties", ["discard", "carry", "split"])
def test_goofspiel_bids(ties):
    """Of four cards, all orders in which the other can bid are played: what fits has exactly the same probability."""
    world = Goofspiel(cards=4, hidden_bids=True, points_order="ascending", ties=ties)
    rng = np.random.default_rng(3)
    orders = np.array(list(permutations(range(4))))
    sizes = Counter()
    for game in range(16):
        batch, history = course(world, None, game % 3, rng)
        for agent in range(2):
            others = started(world, len(orders))
            for k, (_, _, actions) in enumerate(history):
                bids = np.repeat(actions[None], len(orders), 0)
                bids[:, 1 - agent] = orders[:, k]
                others.step(bids)
            fit = seen_by(agent, others, batch.observations[0])
            expected = set(map(bytes, others.records["bids"][fit, 1 - agent]))
            records, probabilities = guesses(world, batch.records[0], agent)
            shares = defaultdict(float)
            for record, probability in zip(records, probabilities):
                shares[bytes(record["bids"][1 - agent])] += probability
            assert shares.keys() == expected
            assert all(abs(share * len(expected) - 1.0) < 1e-12 for share in shares.values())
            sizes[len(expected)] += 1
    assert len(sizes) > 4


def test_goofspiel_hands_late():
    """Of 13 cards, ten are bid: which three the other holds, with the frequencies of all orders of bids that fit.

    They are counted over all sets of cards, a round after the other.
    """
    world, rounds, count = Goofspiel(hidden_bids=True), 10, 40_000
    rng = np.random.default_rng(7)
    cards = np.arange(1, 14)
    values = []
    for seed in range(4):
        batch, _ = course(world, None, rounds, rng, seed)
        s = batch.records[0]
        ways = Counter({0: 1})
        for k in range(rounds):
            mine, won, lost = int(s["bids"][0, k]), s["wins"][0, k], s["wins"][1, k]
            fit = cards < mine if won > lost else cards > mine if lost > won else cards == mine
            following = Counter()
            for used, number in ways.items():
                for c in np.flatnonzero(fit):
                    if not used >> c & 1:
                        following[used | 1 << int(c)] += number
            ways = following
        guessed = np.repeat(batch.records, count)
        guessed["rng"] = rng.integers(2**63, size=count)
        compiled(world)(guessed, 0)
        found = Counter((guessed["hands"][:, 1] == 0) @ (1 << np.arange(13)))
        assert found.keys() <= ways.keys()
        wanted = np.array(list(ways.values())) / sum(ways.values()) * count
        rare = wanted < 5
        seen = np.array([found[used] for used in ways])
        seen, wanted = np.append(seen[~rare], seen[rare].sum()), np.append(wanted[~rare], wanted[rare].sum())
        values.append(chisquare(seen[wanted > 0], wanted[wanted > 0]).pvalue)
    assert min(values) > LEAST_P


def test_goofspiel_prizes_of_a_level():
    """Random prizes to come are drawn, also if a level fixes them; in a fixed order they are known."""
    for order, wanted in (("random", 2), ("descending", 4)):
        world = Goofspiel(cards=4, points_order=order)
        batch = started(world, level=[{"prizes": [2, 3, 1, 4]}])
        batch.step([[0, 1]])
        once = compiled(world)
        once(batch.records, 0)
        assert batch.records["given"][0] == wanted and batch.records["bids"][0, 1, 0] == 2


def test_values_are_uniform():
    """20 values of wood times 20 of gold; opposed ones are known from the rules."""
    world = SimpleNegotiation(values="random")
    record = started(world).records[0]
    records, probabilities = guesses(world, record, 1)
    assert np.allclose(probabilities, 1 / 400, rtol=1e-12)
    found = {tuple(values) for values in records["values"][:, 0]}
    assert found == {(wood, gold) for wood in range(1, 21) for gold in range(1, 21)}
    assert (records["values"][:, 1] == record["values"][1]).all()
    (record,), _ = guesses(SimpleNegotiation(), started(SimpleNegotiation()).records[0], 0)
    assert record["values"].tolist() == [[5, 15], [15, 5]]


def test_hands_of_the_other():
    """Two hands, equally likely; what a level says of later rounds is forgotten."""
    world = TrustAndSplit()
    for mine in range(3):
        level = {"starter": 0, "hands": [[mine, (mine + 1) % 3], [0, 1]]}
        records, probabilities = guesses(world, started(world, level=[level]).records[0], 0)
        assert probabilities.tolist() == [0.5, 0.5] and (records["level"]["length"] == 1).all()
        assert {int(hand) for hand in records["hands"][:, 1]} == {0, 1, 2} - {mine}


def test_utilities():
    """As the robot is told that they are drawn, which may be wrong."""
    count = 5000
    for kind in (OffSwitch, OffSwitchGrid):
        world = kind(believed_mean=0.5, believed_std=2.0)
        records = np.repeat(started(world).records, count)
        records["rng"] = np.random.default_rng(1).integers(2**63, size=count)
        true = records["utility"][0]
        compiled(world)(records, HUMAN)
        assert (records["utility"] == true).all()
        compiled(world)(records, ROBOT)
        assert kstest(records["utility"], norm(0.5, 2.0).cdf).pvalue > LEAST_P


def test_wanted():
    """By the prior, and the record is then the one to which the same moves lead if that kind is wanted."""
    world = Assistance(prior=[0.5, 0.2, 0.3])
    rng = np.random.default_rng(2)
    rows = ["#########", "#Rcbacba#", "#abcabc.#", "#bcaHbca#", *["#.......#"] * 4, "#########"]
    batch, history = course(world, {"map": rows, "wanted": 1}, 24, rng)
    assert batch.records["taken"].sum() >= 2
    records, probabilities = guesses(world, batch.records[0], ROBOT)
    assert np.allclose(probabilities, [0.5, 0.2, 0.3]) and records["wanted"].tolist() == [0, 1, 2]
    others = started(world, 3, level=[{"map": rows, "wanted": k} for k in range(3)])
    for _, _, actions in history:
        others.step(actions)
    for name in set(world.record.names) - {"rng"}:
        assert (data(records[name]) == data(others.records[name])).all(), name


# Search.


def test_a_world_can_lack_it_with_some_parameters():
    assert Goofspiel(hidden_bids=True).guess is not None and Goofspiel(players=3, hidden_bids=True).guess is None


def test_search_wins():
    """From random play, 7 of 10 games and more: with hidden bids, and with values that the other is not told."""
    for world in (
        build("envsuite/Goofspiel-v0", {"cards": 4, "hidden_bids": True}),
        SimpleNegotiation(values="random"),
    ):
        player = MCTS(world, 300)
        won = play(world, [player, "random"], 100).outcomes()[0] + play(world, ["random", player], 100).outcomes()[1]
        assert won[0] > 0.7 * (won[0] + won[2])


def test_search_in_hanabi():
    """MCTS scores clearly more with itself in the mini game than random play, and knows neither hand nor deck."""
    world = Hanabi(variant="mini")
    random, searched = (play(world, policy, 200).returns[:, 0] for policy in ("random", MCTS(world, 300)))
    error = (random.var() / 200 + searched.var() / 200) ** 0.5
    assert searched.mean() > random.mean() + 5 * error
    deals = ["R1 R2 Y1 R1 Y2 R1 Y1 Y1", "Y1 Y1 R1 R1 Y2 R1 R2 Y1"]
    visits = []
    for deck in deals:
        player = MCTS(world, 300)
        player.reset(0)
        visits.append(player.search(started(world, level=[{"deck": deck.split()}]).records, 0).visits)
    assert (visits[0] == visits[1]).all()


def test_search_in_the_off_switch_game():
    """A robot that takes the human for a rational one defers, which is worth 0.4 more than to act or be off."""
    world = build("envsuite/OffSwitch-v0")
    player = MCTS(world, 1000, rollouts="rational")
    player.reset(0)
    found = player.search(started(world).records, ROBOT)
    assert world.action_names[ROBOT][found.actions[0]] == "defer"
    assert abs(found.values[0, 2] - 0.3989) < 0.1  # phi(0), the page's value


def test_search_in_a_repeated_game():
    """Nothing is to be guessed: the last round of the prisoner's dilemma is defected."""
    world = RepeatedGame(rounds=1)
    player = MCTS(world, 300)
    player.reset(0)
    assert world.action_names[0][player.search(started(world).records, 0).actions[0]] == "defect"
