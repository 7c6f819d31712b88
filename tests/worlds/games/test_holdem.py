"""HoldEm: lock-step with OpenSpiel and pokerkit, exact counts of hands and odds, Leduc poker's value, its baselines."""

import gzip
import json
import re
from itertools import combinations

import kit
import numpy as np
import pytest
from scipy.stats import chisquare

from envsuite.compile.bound import bind
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.core.record import as_views
from envsuite.evaluation import matches
from envsuite.games.holdem import CALL, CHIPS, DUE, FOLD, LEAST, LIMIT, MENU, RAISE, ROUND, HoldEm
from envsuite.games.holdem import hands as poker
from envsuite.solvers.cfr import CFRPlus, ExternalSampling
from envsuite.solvers.equilibria import zero_sum_nash
from envsuite.solvers.game_tree import Tree
from envsuite.solvers.mcts import MCTS

ID = "envsuite/HoldEm-v0"

LEDUC = dict(
    ranks=3, suits=2, hole=1, board=(0, 1), small_blind=1, big_blind=1, raise_sizes=(2, 4), max_raises=(2, 2),
    first=(0, 0),
)  # fmt: skip


def in_openspiel(world):
    """The same game there; blinds and first seats are listed by seat, the latter from 1."""
    import pyspiel

    record = kit.started(world).records["params"][0]
    players, button = len(world.agents), int(record["button"])
    blinds = [0] * players
    small = button if players == 2 else (button + 1) % players
    blinds[small], blinds[(small + 1) % players] = int(record["small_blind"]), int(record["big_blind"])
    listed = {
        "betting": world.parameters["betting"],
        "bettingAbstraction": "fullgame" if record["kind"] in (MENU, CHIPS) else "fcpa",
        "numPlayers": players,
        "numRounds": len(record["board"]),
        "blind": blinds,
        "firstPlayer": [(button + int(k)) % players + 1 for k in record["first"]],
        "numSuits": record["suits"],
        "numRanks": record["ranks"],
        "numHoleCards": world.parameters["hole"],
        "numBoardCards": record["board"],
        "stack": record["stacks"],
    }
    if record["kind"] == LIMIT:
        listed |= {"raiseSize": record["raise_sizes"], "maxRaises": record["max_raises"]}
    texts = {
        key: value if isinstance(value, str) else " ".join(map(str, np.ravel(value))) for key, value in listed.items()
    }
    return pyspiel.load_game(f"universal_poker({','.join(f'{key}={value}' for key, value in texts.items())})")


def deal(record, state, dealt):
    """Deal the cards of a record there: all hands, seat by seat, and the common cards as they are turned up."""
    cards = [*record["hole"].ravel().tolist(), *record["board"].tolist()]
    while state.is_chance_node():
        state.apply_action(cards[dealt])
        dealt += 1
    return dealt


def spent(state):
    """What each player has paid there."""
    return [int(word) for word in str(state).split("Spent: [")[1].split("]")[0].split()[1::2]]


def wanted_actions(world, state):
    """Our number for each of OpenSpiel's legal actions that should be legal here."""
    legal = state.legal_actions()
    if world.parameters["betting"] == "limit" or world.parameters["menu"] != "menu":
        return {action: action for action in legal}
    found = {action: action for action in legal if action < RAISE}
    raises = [action for action in legal if action >= RAISE]
    if raises:
        paid, player = spent(state), state.current_player()
        pot = sum(paid) + max(paid) - paid[player]
        betting = str(state).split("STATE:0:")[1].split(":")[0].split("/")
        steps = [int(word) for word in re.findall(r"r(\d+)", betting[-1])]
        blind, before = (
            world.parameters["big_blind"],
            [int(word) for word in re.findall(r"r(\d+)", "".join(betting[:-1]))],
        )
        rises = np.diff([max([blind, *before]), *steps])
        least = max(paid) + max([blind, *rises])
        totals = (least, max(paid) + pot // 2, max(paid) + pot, max(paid) + 2 * pot, raises[-1])
        for number, total in enumerate(totals):
            if total in raises:
                found.setdefault(total, RAISE + number)
    return found


def information(world, seen, seat, game):
    """OpenSpiel's information state, made of our observation."""
    players, suits, kind = len(world.agents), world.parameters["suits"], world.parameters
    hand, board = (seen[part].T.ravel() for part in ("hand", "board"))  # rank by rank, as cards are numbered
    length, board_sizes = game.max_game_length(), kind["board"]
    marks, sizes = np.zeros((length, 2)), np.zeros(length)
    place = players * kind["hole"]
    for number in range(int(seen["table"][ROUND]) + 1):
        if (board == number + 1).sum() == board_sizes[number]:
            place += board_sizes[number]
        for code in seen["moves"][number][seen["moves"][number] > 0].tolist():
            if code - 1 == CALL:
                marks[place] = 1, 0
            elif code - 1 != FOLD:
                all_in = kind["betting"] == "nolimit" and kind["menu"] == "pot" and code - 1 == RAISE + 1
                marks[place] = (1, 1) if all_in else (0, 1)
                sizes[place] = code - 1 if kind["menu"] == "chips" and kind["betting"] == "nolimit" else 0
            place += 1
    assert suits * kind["ranks"] == len(hand)
    return np.concatenate([np.arange(players) == seat, hand, board > 0, marks.ravel()]), sizes


def play(world, games, seed):
    """Random games in both: movers, legal actions, what a player knows, ends and rewards at every move.

    With more than two players, no all-in is less than a full raise, since the rules differ there.
    Returns the numbers of games, of games with odd chips of a shared pot, and of compared information states.
    """
    rng = np.random.default_rng(seed)
    game, batch = in_openspiel(world), Batch(world, games, compiled=False)
    batch.start(seed)
    states = [game.new_initial_state() for _ in range(games)]
    dealt = [deal(batch.records[i], state, 0) for i, state in enumerate(states)]
    running, counts = np.ones(games, bool), np.zeros(3, int)
    blind = world.parameters["big_blind"]
    while running.any():
        for i in np.flatnonzero(running):
            state, player = states[i], states[i].current_player()
            numbers = wanted_actions(world, state)
            for k in range(len(world.agents)):
                wanted = sorted(numbers.values()) if k == player else []
                assert np.flatnonzero(batch.masks[i, k]).tolist() == wanted, (i, state, k)
            seat = int(rng.integers(len(world.agents)))
            if state.move_number() < game.max_game_length():  # longer games end the process there
                tensor, sizes = information(world, batch.observations[i, seat], seat, game)
                found = np.array(state.information_state_tensor(seat))
                assert (found[: len(tensor)] == tensor).all()
                assert not sizes.any() or (found[len(tensor) :] == sizes).all()
                counts[2] += 1
            options = list(numbers)
            if len(world.agents) > 2:
                least = int(batch.observations[i, player]["table"][LEAST])
                totals = {a: a if a > CALL else least for a in options}
                options = [a for a in options if totals[a] >= least]
            weights = np.array([0.3 if a == FOLD else 1.0 + 0.3 * (len(options) - 2) * (a == CALL) for a in options])
            action = int(rng.choice(options, p=weights / weights.sum()))
            batch.actions[i] = numbers[action]
            state.apply_action(action)
        batch.step(where=running)
        for i in np.flatnonzero(running):
            dealt[i] = deal(batch.records[i], states[i], dealt[i])
            over = states[i].is_terminal()
            assert batch.terminations[i].tolist() == [over] * len(world.agents)
            if over:
                gained, rewards = batch.rewards[i] * blind, np.array(states[i].rewards())
                apart = np.abs(gained - rewards)
                split = apart > 1e-9
                assert apart.max() < 2 and batch.records[i]["won"][split].all()
                assert gained.sum() == pytest.approx(0, abs=1e-9) and split.sum() != 1
                counts += 1, split.any(), 0
            running[i] = not over
    return counts


NO_LIMIT = dict(betting="nolimit")


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("params", "games"),
    [
        (dict(), 40),
        (dict(button=1), 200),
        (dict(players=3), 80),
        (dict(players=4, button=3), 40),  # OpenSpiel cannot load limit games of more
        (LEDUC, 300),
        (dict(**NO_LIMIT, stacks=100), 100),
        (dict(**NO_LIMIT, menu="pot", stacks=60, button=1), 100),
        (dict(**NO_LIMIT, menu="chips", stacks=(20, 33)), 100),
        (dict(**NO_LIMIT, menu="chips", stacks=(30, 45, 60), players=3, button=2), 60),
        (dict(**NO_LIMIT, menu="chips", stacks=(30, 45, 60, 20, 31), players=5, button=2), 25),
        (dict(**NO_LIMIT, stacks=(30, 45, 60, 20, 31, 99, 70, 50, 9, 90), players=10, button=7), 8),
        (dict(**NO_LIMIT, stacks=(30, 45, 33), players=3, ranks=5), 50),
    ],
)
def test_equals_openspiel(params, games):
    counts = play(HoldEm(**params), games, len(str(params)))
    assert counts[0] == games and counts[2] > games


@pytest.fixture(scope="module")
def recorded():
    with gzip.open(kit.DATA / "HoldEm" / "holdem.json.gz") as file:
        return json.load(file)


def cards(text):
    return [text[k : k + 2] for k in range(0, len(text), 2)]


def replayed(hands):
    """Play hands of pokerkit: movers, legal actions and amounts. Yields what players gain, here and there."""
    players, limit = len(hands[0]["stacks"]), hands[0]["betting"] == "limit"
    world = HoldEm(
        players=players, betting=hands[0]["betting"], menu="chips", big_blind=10, button=players - 1, stacks=300,
        max_raises=(4, 4, 4, 4) if limit else None, ante=hands[0]["ante"],
    )  # fmt: skip
    batch = Batch(world, 1, compiled=False)
    for hand in hands:
        hole, board = [cards(two) for two in hand["hole"]], cards(hand["board"])
        level = {"stacks": hand["stacks"], "hole": hole, "board": board}
        batch.start(0, level, params={"small_blind": hand["small"]})
        for player, fold, due, least, most, done in hand["moves"]:
            record, mask = batch.records[0], batch.masks[0, player]
            assert batch.acting[0].argmax() == player and batch.acting[0].sum() == 1
            before = int(record["earlier"][player])
            assert (mask[FOLD], mask[CALL], batch.observations[0, player]["table"][DUE]) == (fold, 1, due)
            raises = np.flatnonzero(mask[RAISE:]) + RAISE
            others = (record["folded"] == 0) & (np.arange(players) != player)
            useless = (record["stacks"][others] <= record["stakes"]).all()
            again = record["acted"][player] and record["stakes"] - record["paid"][player] >= record["step"]
            if most == 0 and (useless or again):
                raises = raises[:0]
            wanted = np.arange(least, most + 1) + before if most else np.zeros(0)
            assert len(raises) == (most > 0) if limit else raises.tolist() == wanted.tolist()
            action = RAISE if limit or isinstance(done, str) else done + before
            kit.act(batch, {"f": FOLD, "c": CALL}.get(done, action))
            assert isinstance(done, str) or batch.records[0]["paid"][player] == before + done
        assert batch.over()[0]
        yield batch.rewards[0] * 10, np.array(hand["gains"])


@pytest.mark.mostly_slow
@pytest.mark.parametrize("number", [12, 60])
def test_equals_pokerkit(recorded, number):
    """Limit and no-limit hands with antes and unequal stacks.

    pokerkit refuses raises that nobody can match, and second raises if somebody has called between the short all-ins
    that make a full raise together; card rooms allow these. It joins pots that differ in players who have lost before
    it splits odd chips; here, each pot is split.
    """
    odd, groups = 0, {}
    for hand in recorded["hands"][:number]:
        groups.setdefault((len(hand["stacks"]), hand["betting"], hand["ante"]), []).append(hand)
    for hands in groups.values():
        for ours, wanted in replayed(hands):
            apart = np.abs(ours - wanted)
            assert apart.max() < 1 + 1e-9 and ours.sum() == pytest.approx(0, abs=1e-9)
            odd += apart.max() > 1e-9
    assert odd <= 1


@pytest.mark.slow
def test_short_blinds_equal_pokerkits(recorded):
    """Hands of pokerkit 0.7.7 in which a blind, or the ante, takes all chips of a player."""
    for hand in recorded["short"]:
        ((ours, wanted),) = replayed([hand])
        assert ours == pytest.approx(wanted)


@pytest.mark.parametrize(
    "stacks, button, asked",
    [((1, 40), 0, False), ((1, 40), 1, False), ((2, 40), 0, True), ((3, 40), 0, True), ((40, 1), 0, False),
     ((40, 3), 0, True), ((1, 1, 40), 2, True), ((1, 40, 1), 2, True), ((40, 40, 1), 1, True)],
)  # fmt: skip
def test_a_hand_needs_a_choice(stacks, button, asked):
    """With blinds of 1 and 2 chips, a player with one chip that pays a blind has nothing left."""
    params = dict(players=len(stacks), betting="nolimit", stacks=stacks, button=button)
    if asked:
        assert kit.started(HoldEm(**params)).acting[0].sum() == 1
    else:
        with pytest.raises(ParameterError, match="after antes and blinds nobody would have a choice"):
            HoldEm(**params)


# Hands.


def hand_of(text):
    """A hand as `kit.poker` has it."""
    return sum(int(poker.bit(poker.number(card, 4, 13), 4, 13)) for card in cards(text))


def test_order_of_hands(recorded):
    """Random hands of 5 to 7 cards stand in phevaluator's order, with the same ties."""
    by_rank = {}
    for text, rank in recorded["order"]:
        by_rank.setdefault(rank, set()).add(int(poker.strength(hand_of(text))))
    assert all(len(strengths) == 1 for strengths in by_rank.values())
    ordered = [min(by_rank[rank]) for rank in sorted(by_rank)]
    assert ordered == sorted(set(ordered), reverse=True) and len(ordered) > 500


@pytest.mark.parametrize("more", ["", "2c3h"])
def test_kinds_of_hands(more):
    """One below the other, by the rules of poker; two cards that help nobody change nothing where all have seven."""
    ranked = [
        ("AdKdQdJdTd", "a straight flush"), ("6s5s4s3s2s", "a straight flush"), ("As5s4s3s2s", "a straight flush"),
        ("AsAhAdAcKs", "four of a kind"), ("AsAhAdAcQs", "four of a kind"), ("4s4h4d4cAs", "four of a kind"),
        ("AsAhAdKsKh", "a full house"), ("AsAhAdQsQh", "a full house"), ("KsKhKdAsAh", "a full house"),
        ("AdKdQdJd9d", "a flush"), ("AdKdQdJd8d", "a flush"), ("9d8d7d6d4d", "a flush"),
        ("AdKsQdJdTd", "a straight"), ("6d5s4s7c8s", "a straight"),
        ("AsAhAdKsQh", "three of a kind"), ("AsAhAdKsJh", "three of a kind"), ("QsQhQdAsKh", "three of a kind"),
        ("AsAhKdKsQh", "two pairs"), ("AsAhKdKsJh", "two pairs"), ("AsAhQdQsKh", "two pairs"),
        ("KsKhQdQsAh", "two pairs"),
        ("AsAhKdQsJh", "a pair"), ("AsAhKdQsTh", "a pair"), ("AsAhKdJsTh", "a pair"), ("AsAhQdJsTh", "a pair"),
        ("KsKhAdQsJh", "a pair"),
        ("AsKhQdJs9h", "high card"), ("AsKhQdJs8h", "high card"), ("AsKhQdTs9h", "high card"),
        ("AsKhJdTs9h", "high card"), ("AsQhJdTs8h", "high card"), ("KsQhJdTs8h", "high card"),
    ]  # fmt: skip
    found = []
    for text, kind in ranked:
        if not set(cards(more)) & set(cards(text)):
            found.append(int(poker.strength(hand_of(text + more))))
            assert poker.CATEGORIES[found[-1] >> 20] == kind
    assert found == sorted(set(found), reverse=True) and len(found) > 28
    assert poker.strength(hand_of("KsKhQdQsJhJc2d")) == poker.strength(
        hand_of("KsKhQdQsJh")
    )  # the third pair is a card
    assert poker.strength(hand_of("KsKhKdQsQhQc2d")) == poker.strength(hand_of("KsKhKdQsQh"))


def _count(found, values, bits, table, left, first):
    """Count the kinds of all hands of five or seven cards, or who wins with two hands on all boards."""
    n = bits.shape[0]
    for a in range(n):
        for b in range(a):
            for c in range(b):
                three = table | bits[a] | bits[b] | bits[c]
                for d in range(c):
                    for e in range(d):
                        five = three | bits[d] | bits[e]
                        if left == 5:
                            value = strength(five)
                            found[value >> 20] += 1
                            values[value] = 1
                        elif left == 2:
                            one, other = strength(five | first[0]), strength(five | first[1])
                            found[0 if one > other else 1 if one == other else 2] += 1
                        else:
                            for f in range(e):
                                for g in range(f):
                                    found[strength(five | bits[f] | bits[g]) >> 20] += 1


strength = None


def counted(left, bits, first=(0, 0)):
    run = bind(_count, "test_holdem.count", strength=poker.strength)
    found, values = np.zeros(9, np.int64), np.zeros(9 << 20 if left == 5 else 1, np.int8)
    run(found, values, np.array(bits, np.int64), 0, left, np.array(first, np.int64))
    return found.tolist(), np.bincount(np.flatnonzero(values) >> 20, minlength=9).tolist()


BITS = [int(poker.bit(card, 4, 13)) for card in range(52)]


@pytest.mark.slow
def test_counts_of_hands():
    """All hands of 5 and of 7 cards, from a high card to a straight flush: combinatorics, with 7,462 classes of 5."""
    five, classes = counted(5, BITS)
    assert five == [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]
    assert classes == [1277, 2860, 858, 858, 10, 1277, 156, 156, 10]
    seven, _ = counted(7, BITS)
    assert seven == [23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other", "wins", "ties"),
    [
        ("AsAh", "KsKh", 1410336, 9308),
        ("AsAh", "KdKc", 1388072, 6538),
        ("AsKs", "QhQd", 787966, 6732),
        ("AsKh", "2c2d", 799119, 9946),
        ("JsTs", "2c2d", 912248, 24087),
        ("7c2d", "AsAh", 212248, 6236),
    ],
)
def test_equities(one, other, wins, ties):
    """All 1,712,304 boards; the published counts of well-known pairs of hands."""
    first = hand_of(one), hand_of(other)
    found, _ = counted(2, [bit for bit in BITS if not bit & (first[0] | first[1])], first)
    assert found[:2] == [wins, ties] and sum(found) == 1712304


def enumerated(own, board, deck, coming):
    """How often a hand wins and ties against one random hand of two cards, by enumeration."""
    rest, results = [card for card in deck if not card & (own | board)], []
    for table in combinations(rest, coming):
        full = board + sum(table)
        left = [card for card in rest if card not in table]
        mine = poker.strength(own | full)
        for two in combinations(left, 2):
            its = poker.strength(full + sum(two))
            results.append((mine > its, mine == its))
    return np.mean(results, axis=0)


@pytest.mark.parametrize(("board", "coming"), [("2c7hJdQs4c", 0), ("TsJhQd9c", 1)])
def test_odds(board, coming):
    """Exact odds are those of an enumeration, and sampled ones near them."""
    ranks = 13 if coming == 0 else 6  # 24 cards: nine to ace
    bits = [int(poker.bit(card, 4, ranks)) for card in range(4 * ranks)]
    own = sum(int(poker.bit(poker.number(card, 4, ranks), 4, ranks)) for card in ("Ad", "Js"))
    table = sum(int(poker.bit(poker.number(card, 4, ranks), 4, ranks)) for card in cards(board))
    wanted = enumerated(own, table, bits, coming)
    np.testing.assert_allclose(poker.exact_odds(own, table, 2, coming, 4, ranks), wanted, atol=1e-12)
    np.testing.assert_allclose(poker.odds(None, own, table, 1, 2, coming, 4, ranks, 1), wanted, atol=1e-12)
    with np.errstate(over="ignore"):
        found = poker.sampled_odds(
            as_views(np.ones(1, [("rng", np.uint64)]))[0], own, table, 1, 2, coming, 4, ranks, 1000
        )
    np.testing.assert_allclose(found, wanted, atol=4 * 0.5 / 1000**0.5)


@pytest.mark.parametrize(
    ("own", "others", "wins"),
    [("A", 1, 1), ("A", 2, 1), ("J", 1, 0), ("J", 3, 0), ("K", 1, 2 / 3), ("K", 2, 1 / 3), ("Q", 1, 1 / 3)],
)
def test_odds_of_one_card(own, others, wins):
    """One card each of jack to ace in one suit: the shares of the deals in which nobody has a higher one."""
    hand = poker.bit(poker.number(f"{own}s", 1, 4), 1, 4)
    stream = as_views(np.ones(1, [("rng", np.uint64)]))[0]
    with np.errstate(over="ignore"):
        found = poker.sampled_odds(stream, hand, np.int64(0), others, 1, 0, 1, 4, 150)
    assert found[1] == 0
    assert found[0] == wins if wins in (0, 1) else abs(found[0] - wins) < 4 * (wins * (1 - wins) / 150) ** 0.5
    if others == 1:
        assert poker.odds(None, hand, np.int64(0), 1, 1, 0, 1, 4, 1) == pytest.approx((wins, 0))


def test_odds_when_all_tie():
    board = hand_of("AsKsQsJsTs")
    stream = as_views(np.ones(1, [("rng", np.uint64)]))[0]
    with np.errstate(over="ignore"):
        assert poker.sampled_odds(stream, hand_of("2c3d"), board, 3, 2, 0, 4, 13, 3) == (0, 1)


def test_odds_count_the_players_that_were_dealt_cards():
    """Ten to ace in one suit: a king loses to the ace alone, which one of two others has in half of the deals.

    A fold changes the odds when the next card is dealt: then one other player has one of three cards.
    """
    small = dict(players=3, ranks=5, suits=1, hole=1, board=(0, 1), equity="exact", samples=150)
    batch = opened({"hole": [["Qs"], ["Ks"], ["Ts"]], "board": ["Js"]}, **small)
    before = batch.observations[0, 1]["odds"].copy()
    assert abs(before[0] - 1 / 2) < 4 * (1 / 4 / 150) ** 0.5 and before[1] == 0
    kit.act(batch, "fold")
    assert (batch.observations[0, 1]["odds"] == before).all()
    kit.act(batch, "call", "call")
    assert batch.observations[0, 1]["odds"] == pytest.approx([2 / 3, 0])
    assert batch.observations[0, 2]["odds"] == pytest.approx([0, 0])


# Rules.


def opened(level, **params):
    return kit.started(ID, level=level, **params)


def test_side_pots():
    """Four players are all in with 20, 50, 100 and 100, the best hand with the least: pots of 80, 90 and 100."""
    level = {
        "hole": [cards("AsAh"), cards("KsKh"), cards("QsQh"), cards("JsJh")], "board": cards("2c3d7h8c9d"),
        "stacks": [20, 50, 100, 100],
    }  # fmt: skip
    batch = opened(level, players=4, betting="nolimit", stacks=100)
    kit.act(batch, "all in", "call", "call", "call")
    assert batch.over()[0]
    assert batch.records["won"][0].tolist() == [80, 90, 100, 0]
    assert (batch.rewards[0] * 2).tolist() == [60, 40, 0, -100]
    assert "player_0 shows As Ah: a pair." in batch.world.text(batch.record(), 3)


@pytest.mark.parametrize(("button", "won"), [(0, [0, 10, 9]), (1, [0, 9, 10])])
def test_odd_chips(button, won):
    """Two equal hands share 19 chips: the first of them after the button gets the odd one."""
    hands = [cards("2s3h"), cards("AsKh"), cards("AhKs")]
    batch = opened({"hole": hands, "board": cards("4c9d9hTcTd"), "button": button}, players=3, **CHIPS_TO_20)
    kit.act(batch, "raise to 5", "call", "call", "raise to 7")
    while not batch.over()[0]:
        kit.act(batch, "fold" if kit.mover(batch) == 0 else "call")
    assert batch.records["won"][0].tolist() == won and batch.rewards[0].sum() == 0


def test_three_equal_hands():
    """A royal flush on the board: three share 14 chips, and the two odd ones go to the first after the button."""
    level = {"hole": [cards("2s3s"), cards("2h3h"), cards("2d3d"), cards("2c3c")], "board": cards("AsKsQsJsTs")}
    batch = kit.act(opened(level, players=4), *["call"] * 4, "raise", "fold", *["call"] * 8)
    assert batch.over()[0] and batch.records["won"][0].tolist() == [4, 5, 0, 5]
    assert batch.rewards[0].tolist() == [0, 0.5, -1, 0.5]


def test_what_players_see():
    """Seats from the observer on: chips left, paid now and in all, folded, all in. The blinds are paid after seat 1."""
    batch = opened({"hole": [cards("2s3h"), cards("AsKh"), cards("AhKs")]}, players=3, button=1, stacks=(40, 30, 20))
    seen = batch.observations
    seats = [[38, 2, 2, 0, 0], [30, 0, 0, 0, 0], [19, 1, 1, 0, 0]]
    for a in range(3):
        assert seen["seats"][0, a].tolist() == seats[a:] + seats[:a]
        assert seen["table"][0, a].tolist() == [(1 - a) % 3, 0, 5, [0, 2, 1][a], 4, 2]
        assert seen["hand"][0, a].sum() == 2 and not seen["board"][0, a].any() and not seen["moves"][0, a].any()
    assert seen["hand"][0, 0, 0, 0] == seen["hand"][0, 0, 1, 1] == 1  # the two of spades, the three of hearts


def test_most_raises():
    """Three in the first round, with limit, and four in the second."""
    batch = kit.act(kit.started(HoldEm()), *["raise"] * 3)
    assert kit.legal(batch) == {"fold", "call"}
    kit.act(batch, "call")
    assert kit.legal(batch) == {"call", "raise"} and kit.mover(batch) == 1
    kit.act(batch, *["raise"] * 4)
    assert kit.legal(batch) == {"fold", "call"}


CHIPS_TO_20 = dict(betting="nolimit", menu="chips", stacks=20)


def test_short_all_in():
    """Who has acted may raise again if the stakes have grown by a full raise since, by one all-in or by several."""
    stacks = [60, 60, 9, 13, 60]
    batch = opened({"stacks": stacks}, players=5, betting="nolimit", menu="chips", stacks=60)
    kit.act(batch, "call", "call", "raise to 6")  # seats 3, 4 and 0; the raise is by 4
    assert kit.legal(batch) >= {"fold", "call", "raise to 10", "raise to 60"} and "raise to 9" not in kit.legal(batch)
    kit.act(batch, "call", "raise to 9")  # seats 1 and 2, all in by 3
    kit.act(batch, "call")  # seat 3, which faces more than a full raise
    assert "raise to 13" in kit.legal(batch)  # seat 4 too
    kit.act(batch, "call")
    assert kit.legal(batch) == {"fold", "call"}  # seat 0 raised, and faces 3
    again = opened({"stacks": stacks}, players=5, betting="nolimit", menu="chips", stacks=60)
    kit.act(again, "call", "call", "raise to 6", "call", "raise to 9", "raise to 13", "fold")
    assert "raise to 17" in kit.legal(again) and "raise to 16" not in kit.legal(again)  # seat 0 faces 7


def test_nobody_to_bet_with():
    """All chips in before the flop: the common cards are turned up at once. Nobody raises a player that is all in."""
    batch = kit.act(kit.started(HoldEm(betting="nolimit", stacks=(9, 30))), "all in")
    assert kit.legal(batch) == {"fold", "call"}
    kit.act(batch, "call")
    assert batch.over()[0] and batch.records["turned"][0] == 5 and batch.records["round"][0] == 3


def test_menu():
    """Totals of the menu after a raise to 6 with blinds of 1 and 2, and names of one total only once."""
    batch = kit.act(kit.started(HoldEm(betting="nolimit", stacks=26)), "minimum raise", "call")
    assert batch.records["paid"][0].tolist() == [4, 4] and batch.records["round"][0] == 1
    text = batch.world.text(batch.record(), 1)
    assert (
        "minimum raise (to 6)" in text
        and "raise by half the pot (to 8), raise by the pot (to 12)" in text
        and "all in (to 26)" in text
    )
    assert kit.legal(batch) == {
        "call", "minimum raise", "raise by half the pot", "raise by the pot", "raise by twice the pot", "all in",
    }  # fmt: skip
    kit.act(batch, "raise by twice the pot")
    assert batch.records["paid"][0].tolist() == [4, 20]
    assert kit.legal(batch) == {"fold", "call", "all in"}
    batch = kit.act(kit.started(HoldEm(betting="nolimit")), "minimum raise", "call", "raise by the pot")
    text = batch.world.text(batch.record(), 0)  # the pot is 16, and 24 after the call
    assert "raise by half the pot (to 24), raise by the pot (to 36)" in text
    batch = kit.act(kit.started(HoldEm(betting="nolimit", stacks=6)), "call")
    assert kit.legal(batch) == {"call", "minimum raise", "raise by the pot"}  # to 4 and to 6, which is all in


def test_limit_raises():
    """Three raises of 2 before the flop and four of 4 on the turn; a check by the big blind ends the first round."""
    batch = kit.act(kit.started(HoldEm()), "raise", "raise", "raise")
    assert kit.legal(batch) == {"fold", "call"} and batch.records["stakes"][0] == 8
    kit.act(batch, "call", "call", "call")
    assert batch.records["round"][0] == 2 and kit.mover(batch) == 1
    kit.act(batch, "raise", "raise", "raise", "raise")
    assert kit.legal(batch) == {"fold", "call"} and batch.records["stakes"][0] == 24
    batch = kit.act(kit.started(HoldEm()), "call")
    assert kit.legal(batch) == {"call", "raise"}
    assert kit.act(batch, "call").records["round"][0] == 1


def test_antes_and_seats():
    """Six players with antes: the third after the button is first, later the first after it that is still there."""
    batch = kit.started(HoldEm(players=6, betting="nolimit", ante=3, button=4))
    assert batch.records["paid"][0].tolist() == [5, 3, 3, 3, 3, 4] and kit.mover(batch) == 1
    kit.act(batch, "call", "call", "call", "call", "fold", "call")
    assert batch.records["round"][0] == 1 and kit.mover(batch) == 0 and batch.records["paid"][0].sum() == 29


def test_longest_round():
    """As in the ACPC, raises end when 64 moves would not be enough for all players to act again."""
    batch = kit.started(HoldEm(betting="nolimit", stacks=100_000, small_blind=0, big_blind=1))
    while "minimum raise" in kit.legal(batch):
        kit.act(batch, "minimum raise")
    assert batch.records["lengths"][0, 0] == 63 and kit.legal(batch) == {"fold", "call"}


@pytest.mark.slow
def test_leduc():
    """With Leduc poker's parameters: OpenSpiel's counts, uniform values and NashConv."""
    tree = Tree(HoldEm(**LEDUC))
    assert (tree.decisions, tree.terminals) == (3780, 5520) and tree.information_sets == [468, 468]
    np.testing.assert_allclose(tree.values(tree.uniform()), [-5 / 64, 5 / 64], atol=1e-12)
    assert tree.nash_conv(tree.uniform()) == pytest.approx(4.747222222222222, abs=1e-9)


@pytest.mark.parametrize("bet", [1, 2, 4])
def test_polarised_river(bet):
    """The best or the worst hand bets into a pot of 2, against one between: bluffs, calls and value in closed form.

    The player that may have the worst hand bets it as often as lets the other one gain nothing by a call, which calls
    as often as lets that bet gain nothing.
    """
    river = dict(ranks=4, suits=1, hole=1, board=(1,), small_blind=1, big_blind=1, max_raises=(1,))
    tree = Tree(HoldEm(**river, raise_sizes=(bet,)), level={"hole": [None, ["Ks"]], "board": ["Js"]})
    solver = CFRPlus(tree)
    solver.run(2000)
    rank = tree.observations["hand"][:, 0].argmax(axis=1)
    bluff, call = (rank == 1) & tree.masks[:, RAISE], (rank == 2) & tree.masks[:, FOLD]
    assert solver.average[bluff, RAISE] == pytest.approx(bet / (2 + bet), abs=0.01)
    assert solver.average[call, CALL] == pytest.approx(2 / (2 + bet), abs=0.01)
    assert tree.values(solver.average)[0] == pytest.approx(1 + bet / (2 + bet) - 1, abs=1e-4)


@pytest.mark.slow
def test_external_sampling():
    """Two cards each of 8, one on the board, two rounds of limit: CFR by samples comes near the value by a program."""
    small = dict(ranks=4, suits=2, board=(0, 1), small_blind=1, big_blind=1, raise_sizes=(2, 4), max_raises=(1, 1))
    tree = Tree(HoldEm(**small))
    value, _ = zero_sum_nash(tree)
    solver, gap = ExternalSampling(tree), tree.nash_conv(tree.uniform())
    for iterations in (1000, 10_000, 100_000):
        solver.run(iterations - solver.iterations)
        assert tree.nash_conv(solver.average) < gap
        gap = tree.nash_conv(solver.average)
        assert abs(tree.values(solver.average)[0] - value) <= gap
    assert gap < 0.3


@pytest.mark.slow
def test_random_play():
    """OpenSpiel's 200,000 hands of limit for two: 0.229 big blinds for the big blind, standard error 0.007."""
    won = kit.played(ID, "random", 0, 60_000)[:, 1]
    assert abs(won.mean() - 0.229) < 3 * 0.015


# What players know.


def test_guess():
    """A guess keeps what the agent knows, does not read the rest, and makes all hands that are left equally often."""
    batch = kit.act(kit.started(HoldEm(**LEDUC, equity="exact"), seed=3), "call", "raise", "call")
    world, one = batch.world, batch.records[:1].copy()
    count = 600
    found = np.zeros(6, int)
    for agent in (0, 1):
        own, board = int(one["hole"][0, agent, 0]), int(one["board"][0, 0])
        other = next(card for card in range(6) if card not in (own, board, int(one["hole"][0, 1 - agent, 0])))
        for k in range(count):
            pair = np.repeat(one, 2)
            pair["rng"] = 1000 * agent + k
            pair["hole"][1, 1 - agent] = other
            for s in as_views(pair):
                type(world).guess(s, agent)
            assert pair[0].tobytes() == pair[1].tobytes()
            found[pair["hole"][0, 1 - agent, 0]] += 1
        assert found[own] == found[board] == 0
        assert chisquare(found[[k for k in range(6) if k not in (own, board)]]).pvalue > 1e-4
        found[:] = 0
        made = as_views(pair)[0]
        for name in world.slot.names:
            seen = world.observation(made, agent)[name] if name in world.slot.names else None
            assert np.asarray(seen).tolist() == np.asarray(batch.observations[0, agent][name]).tolist()
        assert world.text(made, agent) == world.text(batch.record(), agent)


def test_equity_changes_nothing():
    """The same seeds give the same hands and common cards with and without odds, which do not depend on the other."""
    params = dict(ranks=6, betting="nolimit", stacks=20)
    batches = []
    for equity in ("none", "sampled", "exact"):
        batches.append(Batch(HoldEm(**params, equity=equity, samples=20), 5, compiled=False))
        batches[-1].start(5)
    for batch in batches:
        for _ in range(6):
            batch.step(np.full((5, 2), CALL), where=~batch.over())
    for name in ("hole", "board", "won", "rng"):
        assert (batches[0].records[name] == batches[1].records[name]).all()
        assert (batches[0].records[name] == batches[2].records[name]).all()
    s = batches[2].record()
    assert s.round == 3
    for player in range(2):
        bits = [int(poker.bit(card, 4, 6)) for card in range(24)]
        own, board = (sum(bits[card] for card in row.tolist()) for row in (s.hole[player], s.board))
        np.testing.assert_allclose(
            batches[2].observations[0, player]["odds"], enumerated(own, board, bits, 0), atol=1e-6
        )


def test_text_and_scene_hide_other_cards():
    """Hands that differ in the other's and in later cards look the same until they are shown; folded ones never are."""
    texts, scenes = [], []
    for other, last in (("2c3d", "4h"), ("KdKh", "5h")):
        level = {"hole": [cards("AsAd"), cards(other)], "board": [*cards("7c8d9hJs"), last]}
        batch = kit.act(opened(level), "raise", "call", "call", "call", "call")
        world, s = batch.world, batch.record()
        texts.append(world.text(s, 0))
        scenes.append(world.scene(s, 0).shapes)
        assert world.scene(s).shapes != scenes[-1]
        kit.act(batch, "raise", "call", "call", "call")
        assert f"player_1 shows {' '.join(sorted(cards(other), reverse=True))}" in world.text(batch.record(), 0)
        folded = kit.act(opened(level), "raise", "fold")
        assert "shows" not in folded.world.text(folded.record(), 0)
        assert other[2] not in {getattr(shape, "text", "") for shape in folded.world.scene(folded.record(), 0).shapes}
    assert texts[0] == texts[1] and scenes[0] == scenes[1]
    assert "Your cards: As Ad.\nThe common cards: 9h 8d 7c Js. You have a pair." in texts[0]
    assert (
        "Before the flop: player_0 raises to 4, player_1 calls to 4.\nFlop: player_1 checks, player_0 checks."
        in texts[0]
    )
    assert texts[0].endswith("It is your turn: call (nothing to pay) or raise (to 8).")


# Levels and parameters.


def test_levels():
    """Given cards are dealt and others drawn; moves are played; the next episode is drawn again."""
    level = {
        "hole": [None, cards("AsAh")],
        "board": cards("2c3c4c"),
        "button": 1,
        "stacks": [50, 40],
        "moves": ["raise", "call"],
    }
    batch = kit.started(HoldEm(stacks=50), 40, level=level)
    records = batch.records
    assert {tuple(batch.world.names(row)) for row in records["hole"][:, 1].tolist()} == {("As", "Ah")}
    assert len(np.unique(records["hole"][:, 0], axis=0)) > 35 and (records["turned"] == 3).all()
    assert (records["button"] == 1).all() and (records["stacks"] == [50, 40]).all() and (records["paid"] == 4).all()
    found = batch.world.get_level(batch.record())
    assert found["hole"][1] == ["As", "Ah"] and found["board"] == ["2c", "3c", "4c"] and len(found["hole"][0]) == 2
    assert found["moves"] == ["raise", "call"] and found["button"] == 1 and found["stacks"] == [50, 40]
    kit.act(batch, *["call"] * 6)
    assert len(np.unique(records["board"][:, 4])) > 12
    batch.start()
    assert (batch.records["button"] == 0).all() and len(np.unique(batch.records["hole"][:, 1], axis=0)) > 35


def test_no_card_is_dealt_twice():
    batch = kit.started(HoldEm(players=3, ranks=4), 5, level={"hole": [["Ks", "Qh"], None, None]})
    for hands in batch.records["hole"].reshape(5, 6):
        assert len(set(hands.tolist())) == 6
    assert len(np.unique(batch.records["hole"], axis=0)) > 1


def test_given_common_cards_are_not_dealt():
    batch = kit.started(HoldEm(**LEDUC), 40, level={"board": ["As"]})
    assert set(batch.records["hole"].ravel().tolist()) == {0, 1, 2, 3, 5}  # the ace of spades is 4


def test_wrong_levels():
    kit.refuses(
        HoldEm(),
        ({}, "a level has some of hole, board, button, stacks, moves, not nothing"),
        ({"cards": []}, "not 'cards'"),
        ({"hole": [["As", "Ah"]]}, "hole must be a list of 2 entries"),
        ({"hole": [["As"], None]}, "hand 0 of the level, \\['As'\\], must be 2 cards or null"),
        (
            {"hole": [["As", "1h"], None]},
            "'1h' is no card of this deck; a card is a rank of 23456789TJQKA and a suit of shdc",
        ),
        ({"hole": [["As", "Ah"], ["As", "Kd"]]}, "a card twice"),
        ({"hole": [["As", "Ah"], None], "board": ["As"]}, "a card twice"),
        ({"board": ["As"] * 6}, "board must be a list of at most 5 entries"),
        ({"button": 2}, "button=2 must be an integer from 0 to 1"),
        ({"stacks": [400]}, "stacks must be a list of 2 integers from 1 to 400"),
        ({"stacks": [0, 400]}, r"stacks\[0\]=0 must be an integer from 1 to 400"),
        ({"stacks": [1, 400]}, "nobody would have a choice"),
        ({"moves": ["fold", "call"]}, "game is over after 1 moves"),
        ({"moves": ["jump"]}, "move 0 of the level, 'jump', is not a move of this game"),
        ({"moves": ["call", "fold"]}, "move 1 of the level, 'fold', is illegal"),
        ({"moves": 3}, "cannot be read"),
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (dict(players=10, hole=5), "10 players with 5 cards each and 5 common cards need more than 52"),
        (dict(stacks=(10,)), "there are 2 players"),
        (dict(stacks=(0, 40)), "each must be from 1"),
        (dict(stacks=1), "nobody would have a choice"),
        (dict(button=2), "button=2: there are 2 players"),
        (dict(small_blind=3), "at most the big blind"),
        (dict(board=(0, 3, 1, 1, 1)), "one to four rounds"),
        (dict(board=(0, 0)), "one to seven cards in all"),
        (dict(raise_sizes=(2, 4)), "raise_sizes=\\(2, 4\\) must be 4 numbers from 1"),
        (dict(first=(0, 1, 1, 2)), "must be 4 numbers from 0 to 1"),
        (dict(betting="nolimit", menu="chips", stacks=1001), "takes stacks of 8 to 1000"),
    ],
)
def test_wrong_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        HoldEm(**params)


# Baselines.


@pytest.mark.parametrize(
    ("policy", "hole", "board", "moves", "answer"),
    [
        ("odds", "AsAd", "", [], "raise by the pot"),
        ("odds", "2s7d", "AcKcQhJh9d", ["call"] * 6 + ["all in"], "fold"),
        ("odds", "AsTd", "AcKcQhJh9d", ["call"] * 6 + ["raise by the pot"], "raise by the pot"),
        ("odds", "9s2d", "AcKcQhJh9d", ["call"] * 6 + ["minimum raise"], "call"),
        ("tight", "2s7d", "", [], "fold"),
        ("tight", "2s2d", "", [], "raise by the pot"),
        ("tight", "QsJd", "", [], "call"),
        ("tight", "KsJd", "", ["call", "all in"], "call"),
        ("tight", "AsKd", "2c3d7h", ["call", "call", "minimum raise"], "fold"),
        ("tight", "As7d", "2c3d7h", ["call", "call", "minimum raise"], "call"),
        ("tight", "3s7d", "2c3d7h", ["call", "call", "minimum raise"], "raise by the pot"),
        ("caller", "2s7d", "", [], "call"),
    ],
)
def test_choices(policy, hole, board, moves, answer):
    """`odds` counts on the river; player_0 has the button, acts first before the flop and last after it."""
    level = {"hole": [cards(hole), None], "board": cards(board), "moves": moves}
    assert kit.choices(policy, opened(level, betting="nolimit"), 0) == {answer}


def test_loose_choices():
    batch = kit.act(kit.started(ID), "raise")
    assert kit.choices("loose", batch, seeds=30) == {"call", "raise"}
    assert kit.choices("loose", batch, seeds=30, raises=0.0) == {"call"}


@pytest.mark.slow
@pytest.mark.parametrize(("params", "least"), [(dict(betting="nolimit"), (6.0, 8.0))])
def test_odds_wins(params, least):
    """Over both seats, it wins at least this many big blinds a hand of `random` and of `loose`."""
    for against, low in zip(("random", "loose"), least):
        policy = "odds:samples=40"
        won = np.mean([kit.played(ID, policy, seat, 600, against, **params)[:, seat] for seat in range(2)], axis=0)
        assert won.mean() - 2 * won.std() / 600**0.5 > low, against


@pytest.mark.slow
def test_search():
    """MCTS, which guesses the other's cards, wins of random play in Leduc poker's form of the game."""
    world = HoldEm(**LEDUC)
    returns = [
        matches.play(world, pair, 40).returns for pair in ([MCTS(world, 100), "random"], ["random", MCTS(world, 100)])
    ]
    assert np.concatenate([returns[0][:, 0], returns[1][:, 1]]).mean() > 0.5
