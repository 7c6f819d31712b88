"""BridgeBidding: OpenSpiel's auctions, scores of all contracts, DDS's par scores, stored deals, levels, baselines."""

import gzip
import json
import zlib
from functools import cache
from itertools import product

import kit
import numpy as np
import pytest

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.core.record import as_views
from envsuite.evaluation.matches import play
from envsuite.games import bridge_bidding as bridge
from envsuite.games.bridge_bidding import CALLS, FIRST_BID, PASS, SEATS, VULNERABLE, BridgeBidding
from envsuite.games.bridge_bidding.view import hands_of, pbn
from envsuite.generators.base import draw_levels
from envsuite.registry import build

ID = "envsuite/BridgeBidding-v0"

#: A deal whose first hand is west's, of the examples that come with DDS, and its published tricks.
DEAL = "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3"
TRICKS = {"north": [7, 5, 6, 5, 6], "east": [5, 7, 6, 8, 6], "south": [7, 5, 6, 5, 6], "west": [5, 7, 6, 8, 6]}
LEVEL = {"deal": DEAL, "tricks": TRICKS, "dealer": "north", "vulnerable": "none"}


@cache
def recorded():
    """OpenSpiel's auctions and DDS's deals; see the file's recorder."""
    return json.loads(gzip.decompress((kit.DATA / "BridgeBidding" / "bridge_bidding.json.gz").read_bytes()))


def level_of(game):
    return {name: game[name] for name in ("deal", "dealer", "vulnerable")}


# Against OpenSpiel.


def tensor(seen, first):
    """OpenSpiel's 480 entries, made of our observation. It counts players as if north were the first to call."""
    hand, bids, (dealer, we, they, before, _) = seen["hand"], seen["bids"].astype(int), seen["facts"].tolist()
    own, others, calls = np.eye(2)[we], np.eye(2)[they], np.zeros(4 + 35 * 12)
    for k in range(before):
        calls[(dealer + k - first) % 4] = 1
    for bid, mark in product(range(35), range(3)):
        if bids[bid, mark]:
            calls[4 + 12 * bid + 4 * mark + (bids[bid, mark] - 1 - first) % 4] = 1
    return np.concatenate([own, others, calls, hand.T.ravel()]).astype(np.uint8)


def replay(games):
    """Play recorded auctions: movers, legal calls, observations, ends and rewards at every call."""
    # The recording names no tricks: they are found, or drawn, as the deals are stored ones with other suits and seats.
    batch = kit.started(ID, len(games), level=[level_of(game) for game in games])
    for t in range(max(len(game["calls"]) for game in games)):
        running = np.array([t < len(game["calls"]) for game in games])
        for i in np.flatnonzero(running):
            game = games[i]
            player = (SEATS.index(game["dealer"]) + t) % 4
            for k in range(4):
                found = sum(1 << int(action) for action in np.flatnonzero(batch.masks[i, k]))
                assert found == (int(game["legal"][t], 16) if k == player else 0)
            seen = {name: batch.observations[name][i, player] for name in ("hand", "bids", "facts")}
            assert f"{zlib.crc32(tensor(seen, SEATS.index(game['dealer'])).tobytes()):08x}" == game["seen"][t]
            batch.actions[i] = game["calls"][t]
        batch.step(where=running)
        for i in np.flatnonzero(running):
            over = t == len(games[i]["calls"]) - 1
            assert batch.terminations[i].tolist() == [over] * 4 and not batch.truncations[i].any()
            assert batch.rewards[i].tolist() == (games[i]["returns"] if over else [0] * 4)


@pytest.mark.mostly_slow
@pytest.mark.parametrize("part", [slice(0, None, 8), slice(None)])
def test_openspiel_auctions(part):
    """240 auctions of OpenSpiel, which solved each deal itself; among them redoubled contracts and slams."""
    replay(recorded()["games"][part])


def test_recorded_auctions_are_varied():
    games = recorded()["games"]
    ends = {(max(game["calls"]), game["vulnerable"]) for game in games}
    assert len(games) == 240 and len(ends) > 80 and any(set(game["calls"]) == {PASS} for game in games)
    assert sum(2 in game["calls"] for game in games) > 20 and {game["dealer"] for game in games} == set(SEATS)


@pytest.mark.slow
def test_openspiel_live():
    """Fresh auctions in both at once."""
    rng = np.random.default_rng()
    levels = draw_levels(build(ID), rng.integers(2**32, size=6).tolist())
    states = [in_openspiel(given) for given in levels]
    batch = kit.started(ID, len(levels), level=levels)

    def ours(i, state):
        return {action: action - 52 for action in state.legal_actions()}

    def choose(i, state, actions):
        return actions[0] if rng.random() < 0.5 else actions[min(int(rng.exponential(4)), len(actions) - 1)]

    for _ in kit.lock_step(batch, states, rng, choose, ours):
        pass


def in_openspiel(given):
    """A game with this deal there."""
    import pyspiel

    dealer, sides = SEATS.index(given["dealer"]), VULNERABLE.index(given["vulnerable"])
    first, second = (bool(sides >> (dealer + k) % 2 & 1) for k in range(2))
    game = pyspiel.load_game(f"bridge(dealer={dealer},dealer_vul={first},non_dealer_vul={second})")
    state, owners = game.new_initial_state(), hands_of(given["deal"]).T.ravel()
    for cards in zip(*(np.flatnonzero(owners == seat).tolist() for seat in range(4))):
        for card in cards:
            state.apply_action(card)
    return state


# Scores.

#: The points of a contract that fails by 1 to 13 tricks, undoubled and doubled, as the laws list them.
DOWN = {
    (0, 0): [50 * k for k in range(1, 14)],
    (1, 0): [100 * k for k in range(1, 14)],
    (0, 1): [100, 300, 500, 800, 1100, 1400, 1700, 2000, 2300, 2600, 2900, 3200, 3500],
    (1, 1): [200, 500, 800, 1100, 1400, 1700, 2000, 2300, 2600, 2900, 3200, 3500, 3800],
}


def score_by_law(number, strain, stake, vulnerable, tricks):
    """The points of a contract, by the tables of law 77."""
    more = tricks - 6 - number
    if more < 0:
        return -DOWN[vulnerable, min(stake, 1)][-more - 1] * (2 if stake == 2 else 1)
    below = [20 * number, 20 * number, 30 * number, 30 * number, 30 * number + 10][strain] * [1, 2, 4][stake]
    extra = [[20, 20, 30, 30, 30][strain], [100, 200][vulnerable], [200, 400][vulnerable]][stake]
    bonus = [50, [300, 500][vulnerable]][below >= 100]
    slam = {6: [500, 750], 7: [1000, 1500]}.get(number, [0, 0])[vulnerable]
    return below + more * extra + bonus + slam + [0, 50, 100][stake]


def test_scores_of_all_contracts():
    """35 bids, three stakes, both vulnerabilities and 14 numbers of tricks: 2,940 scores."""
    count = 0
    for bid, stake, vulnerable, tricks in product(range(35), range(3), range(2), range(14)):
        found = bridge.points(bid, stake, vulnerable, tricks)
        assert found == score_by_law(1 + bid // 5, bid % 5, stake, vulnerable, tricks), (bid, stake, vulnerable, tricks)
        count += 1
    assert count == 2940


@pytest.mark.slow
@pytest.mark.parametrize("vulnerable", ["none", "ns"])
def test_scores_of_openspiel(vulnerable):
    """All 420 contracts of all declarers, with the tricks of one deal each."""
    for seed in range(2):
        given = {**draw_levels(build(ID), [seed])[0], "dealer": "north", "vulnerable": vulnerable}
        state = in_openspiel(given)
        wanted = state.score_by_contract()  # of north and south; by bid, declarer and stakes after passing out
        found = [0]
        for bid, seat, stake in product(range(35), range(4), range(3)):
            sides = vulnerable == "ns" and seat % 2 == 0
            points = bridge.points(bid, stake, int(sides), given["tricks"][SEATS[seat]][bid % 5])
            found.append(points if seat % 2 == 0 else -points)
        assert sorted(wanted) == sorted(found) and len(wanted) == 421


def test_examples_of_scores():
    """Contracts that books list: a part score, games, slams, overtricks, and the worst of all."""
    known = [
        ("2H", 0, 0, 8, 110), ("3NT", 0, 1, 9, 600), ("3NT", 0, 0, 10, 430), ("4S", 0, 1, 10, 620),
        ("5C", 0, 0, 11, 400), ("6S", 0, 1, 12, 1430), ("7NT", 0, 1, 13, 2220), ("1NT", 0, 0, 7, 90),
        ("2S", 1, 0, 8, 470), ("1C", 2, 1, 9, 1030), ("7NT", 2, 1, 13, 2980), ("4H", 1, 1, 7, -800),
        ("7NT", 2, 1, 0, -7600),
    ]  # fmt: skip
    for name, stake, vulnerable, tricks, points in known:
        assert bridge.points(CALLS.index(name) - FIRST_BID, stake, vulnerable, tricks) == points


# Par: the result of the best bidding by all, with all hands seen.


def par(tricks, vulnerable, first):
    """The points of north and south if both sides see all hands and pair `first` bids first, by search backward."""
    best = max, min

    def result(bid, side):
        number = max(tricks[SEATS[side]][bid % 5], tricks[SEATS[side + 2]][bid % 5])
        flag = int(vulnerable in (("ns", "both"), ("ew", "both"))[side])
        points = bridge.points(bid, int(number < 7 + bid // 5), flag, number)
        return points if side == 0 else -points

    higher = [-np.inf, np.inf]  # what each pair gets by the best of its higher bids
    for bid in range(34, -1, -1):
        values = [best[1 - side](result(bid, side), higher[1 - side]) for side in range(2)]
        higher = [best[side](higher[side], values[side]) for side in range(2)]
    passed = best[1 - first](0, higher[1 - first])
    return best[first](passed, higher[first])


def test_par_scores_of_dds():
    """The par scores of 100 published deals, if north and south bid first and if the others do."""
    deals = recorded()["dds"]
    assert len(deals) == 100 and deals[0]["tricks"] == TRICKS
    for found in deals:
        pars = [par(found["tricks"], found["vulnerable"], first) for first in range(2)]
        assert pars == found["par"]


# The auction.


def by_law(calls, dealer):
    """The legal calls after some, None if the auction is over, and the contract, written apart from the rules.

    A contract is its declarer, its name and how often it is doubled; None if there is none.
    """
    bids = [k for k, call in enumerate(calls) if call not in CALLS[:3]]
    if not bids:
        return (None if calls == ["pass"] * 4 else {"pass", *CALLS[3:]}), None
    last = bids[-1]
    after = [(k, call) for k, call in enumerate(calls[last + 1 :], last + 1) if call != "pass"]
    strain = calls[last][1:]
    first = next(k for k in bids if calls[k][1:] == strain and (last - k) % 2 == 0)
    contract = (SEATS[(dealer + first) % 4], calls[last], len(after))
    if len(calls) - 1 - (after[-1][0] if after else last) == 3:
        return None, contract
    legal = {"pass", *CALLS[CALLS.index(calls[last]) + 1 :]}
    ours = (len(calls) - last) % 2 == 0
    if not after and not ours:
        legal.add("double")
    if len(after) == 1 and ours:
        legal.add("redouble")
    return legal, contract


def contract_of(world, s):
    if s.last < 0:
        return None
    seat, _, name = world.contract(s)
    bid, *raised = name.split(" ")
    return SEATS[seat], bid, ["", "doubled", "redoubled"].index("".join(raised))


def test_all_short_auctions():
    """All auctions of up to six of some calls: who moves, what is legal, when they end, and the contract."""
    world, some, count = BridgeBidding(), ("pass", "double", "redouble", "1C", "2C", "2H"), 0
    batch = kit.started(world, level={**LEVEL, "dealer": "west"})
    todo = [([], batch.records[:1])]
    while todo:
        calls, record = todo.pop()
        legal, contract = by_law(calls, 3)
        s = as_views(record)[0]
        found = [{CALLS[action] for action in world.legal_actions(s, agent)} for agent in range(4)]
        mover = (3 + len(calls)) % 4
        assert found == [(legal or set()) if k == mover else set() for k in range(4)]
        assert bool(s.terminated.all()) == (legal is None) and contract_of(world, s) == contract
        assert [CALLS[action] for _, action in world.calls(s)] == calls
        count += 1
        for call in (name for name in some if legal and name in legal and len(calls) < 6):
            after, rewards = record.copy(), np.zeros(4)
            world.kernels.step(as_views(after)[0], np.full(4, CALLS.index(call)), rewards)
            todo.append(([*calls, call], after))
    assert count > 600


@pytest.mark.parametrize("opponents", ["bidding", "silent"])
def test_random_auctions_by_law(opponents):
    """Whole random auctions: the rules agree with the laws at every call, and rewards with the contract's points."""
    world, rng = BridgeBidding(bidding_opponents=opponents), np.random.default_rng()
    for seed in rng.integers(2**32, size=6).tolist():
        batch = kit.started(world, seed=seed)
        given = world.get_level(batch.record())
        dealer, calls = SEATS.index(given["dealer"]), []
        while not batch.over()[0]:
            legal = kit.legal(batch)
            while SEATS[(dealer + len(calls)) % 4] not in world.agents:
                calls.append("pass")
            assert legal == by_law(calls, dealer)[0]
            names = sorted(legal, key=CALLS.index)
            calls.append(names[0] if rng.random() < 0.4 else names[min(int(rng.exponential(4)), len(names) - 1)])
            kit.act(batch, calls[-1])
        while by_law(calls, dealer)[0] is not None:
            calls.append("pass")
        s, contract = batch.record(), by_law(calls, dealer)[1]
        assert contract_of(world, s) == contract and [CALLS[action] for _, action in world.calls(s)] == calls
        points = 0
        if contract:
            seat, name, stake = contract
            bid, side = CALLS.index(name) - FIRST_BID, SEATS.index(seat) % 2
            flag = int(given["vulnerable"] in (("ns", "both"), ("ew", "both"))[side])
            points = score_by_law(1 + bid // 5, bid % 5, stake, flag, given["tricks"][seat][bid % 5]) * (1 - 2 * side)
        assert batch.rewards[0].tolist() == ([points, -points] * 2 if opponents == "bidding" else [points] * 2)


def test_longest_auction():
    """The longest auction has 319 calls; a level may have all but the last of it."""
    calls = ["pass"] * 3
    for name in CALLS[3:]:
        calls += [name, "pass", "pass", "double", "pass", "pass", "redouble", "pass", "pass"]
    assert len(calls) + 1 == bridge.LONGEST == 319
    batch = kit.started(ID, level={**LEVEL, "calls": calls})
    assert kit.legal(batch) == {"pass"} and not batch.over()[0]
    kit.act(batch, "pass")
    assert batch.over()[0] and [CALLS[action] for _, action in batch.world.calls(batch.record())] == [*calls, "pass"]
    # East has bid seven no trump, but west was the first of its pair to bid no trump. It takes 6 tricks.
    assert batch.rewards[0].tolist() == [3400, -3400, 3400, -3400] and batch.world.contract(batch.record())[0] == 3


def test_silent_opponents_pass():
    """The same results as four players of which two always pass."""
    returns, _ = play(build(ID), ["natural", "pass", "natural", "pass"], 30)
    silent, _ = play(build(ID, dict(bidding_opponents="silent")), ["natural"] * 2, 30)
    assert (returns[:, ::2] == silent).all() and np.abs(returns).max() > 300


# Stored deals and levels.


def test_stored_deals():
    """Each has 13 cards a hand; the tables are plausible, and both partners nearly always take as many tricks."""
    count = len(bridge.OWNERS)
    assert count > 900 and len(np.unique(bridge.OWNERS, axis=0)) == count
    deals, tables = map(np.array, zip(*(bridge.stored(number) for number in range(count))))
    assert (np.stack([(deals == seat).sum((1, 2)) for seat in range(4)]) == 13).all()
    assert tables.min() >= 0 and tables.max() <= 13
    # What declarers of both pairs take is 13 in all if the lead does not matter.
    both = (tables[:, 0] + tables[:, 1]).ravel()
    assert 12.4 < both.mean() < 12.6 and (both == 13).mean() > 0.5
    assert (tables[:, 0] == tables[:, 2]).mean() > 0.85
    high = ((deals[:, :, 9:] % 2 == 0) * np.arange(1, 5)).sum((1, 2))  # high-card points of north and south
    assert abs(high.mean() - 20) < 5 * high.std() / count**0.5 and np.corrcoef(high, tables[:, 0, 4])[0, 1] > 0.85


def test_permuted_deals_keep_their_tables():
    """A drawn deal is a stored one with other suits and seats, and its tricks are found again."""
    world = build(ID)
    levels = draw_levels(world, range(60))
    kinds = set()
    for given in levels:
        owners = hands_of(given["deal"])
        assert pbn(owners) == given["deal"]
        table = bridge.table_of(owners)
        assert table.tolist() == [given["tricks"][seat] for seat in SEATS]
        kinds.add((given["dealer"], given["vulnerable"]))
    assert len(kinds) > 12
    owners, tricks = bridge.stored(3)
    order, turn = [2, 0, 3, 1], 1  # clubs become diamonds, and so on; west's hand moves to north
    moved = np.empty_like(owners)
    moved[order] = (owners + turn) % 4
    found = bridge.table_of(moved)
    assert all(
        found[(seat + turn) % 4, to].tolist() == tricks[seat, strain]
        for seat in range(4)
        for strain, to in enumerate([*order, 4])
    )


def test_splits_share_no_deal():
    """Training and test deals are different stored deals, and `all` has both."""
    numbers = {}
    for split in ("train", "test", "all"):
        owners = [hands_of(given["deal"]) for given in draw_levels(build(ID, dict(split=split)), range(60))]
        numbers[split] = {forms().index(form(one)) < bridge.TRAINING for one in owners}
    assert numbers == {"train": {True}, "test": {False}, "all": {True, False}}
    assert bridge.TRAINING == len(bridge.OWNERS) * 4 // 5


def form(owners):
    """What no order of suits and no turn of seats changes."""
    return min(tuple(sorted(((row - turn) % 4).tobytes() for row in owners)) for turn in range(4))


@cache
def forms():
    return [form(bridge.stored(number)[0]) for number in range(len(bridge.OWNERS))]


def test_parameters():
    """Fixed and drawn dealers and vulnerabilities."""
    for params, count in (
        ({}, 16),
        (dict(dealer="east"), 4),
        (dict(vulnerable="ew"), 4),
        (dict(bidding_opponents="silent"), 16),
    ):
        levels = draw_levels(build(ID, params), range(120))
        found = {(given["dealer"], given["vulnerable"]) for given in levels}
        assert len(found) == count
        assert all(given["dealer"] == params.get("dealer", given["dealer"]) for given in levels)
        assert all(given["vulnerable"] == params.get("vulnerable", given["vulnerable"]) for given in levels)


def test_levels():
    batch = kit.started(ID, level={**LEVEL, "vulnerable": "ew", "calls": ["1C", "1H"]})
    given = batch.world.get_level(batch.record())
    assert given == {**LEVEL, "vulnerable": "ew", "calls": ["1C", "1H"]}
    assert kit.mover(batch) == 2 and kit.legal(batch) >= {"double", "1S"} and "1D" not in kit.legal(batch)
    kit.act(batch, "pass", "pass", "pass")
    assert batch.rewards[0].tolist() == [100, -100, 100, -100]  # east takes 6 tricks with hearts
    first, *others = DEAL[2:].split()
    batch = kit.started(ID, level={**LEVEL, "deal": f"E:{' '.join(others)} {first}"})
    assert batch.world.get_level(batch.record()) == {**LEVEL, "calls": []}


def test_refused_levels():
    short = DEAL.replace("QJ6", "QJ")
    kit.refuses(
        build(ID),
        ({}, "a deal and some of"),
        ({**LEVEL, "hands": 1}, "a deal and some of"),
        ({"deal": DEAL}, "not stored, so the level must say"),
        ({**LEVEL, "deal": 5}, "a seat of NESW"),
        ({**LEVEL, "deal": "N:" + DEAL[2:].split()[0]}, "four hands"),
        ({**LEVEL, "deal": DEAL.replace("QJ6.", "QJ6")}, "three dots"),
        ({**LEVEL, "deal": DEAL.replace("QJ6", "QJ1")}, "has a card '1'"),
        ({**LEVEL, "deal": DEAL.replace("QJ6", "QJA")}, "the card SA twice"),
        ({**LEVEL, "deal": short}, r"\[12, 13, 13, 13\] cards"),
        ({**LEVEL, "tricks": [1]}, "a list for each of north"),
        ({**LEVEL, "tricks": {**TRICKS, "west": [1, 2, 3, 4, 14]}}, "tricks of west"),
        ({**LEVEL, "tricks": {**TRICKS, "west": [1, 2, 3, 4]}}, "tricks of west"),
        ({**LEVEL, "tricks": {**TRICKS, "west": [1, 2, 3, 4, True]}}, "tricks of west"),
        ({**LEVEL, "dealer": "N"}, "must be one of north, east"),
        ({**LEVEL, "vulnerable": ["ns"]}, "must be one of none, ns"),
        ({**LEVEL, "calls": "1C"}, "a list of at most 319"),
        ({**LEVEL, "calls": ["1C", "1C"]}, "'1C', is illegal"),
        ({**LEVEL, "calls": ["8C"]}, "not a move"),
        ({**LEVEL, "calls": ["pass"] * 4}, "over"),
    )


def test_forged_records():
    """Records that no auction leads to are refused."""

    def refused(value, *path):
        batch = kit.started(ID, level=LEVEL)
        kit.act(batch, "1C", "1H", "double", "redouble", "pass")
        batch.world.admit(batch.records)
        field = batch.records
        for name in [part for part in path if isinstance(part, str)]:
            field = field[name]
        field[(0, *(part for part in path if not isinstance(part, str)))] = value
        with pytest.raises(SnapshotError):
            batch.world.admit(batch.records)

    refused(7, "last")
    refused(0, "seat")
    refused(0, "since")
    refused(1, "before")
    refused(3, "bids", 0, 0)  # clubs by south
    refused(2, "bids", 2, 1)  # a double by the bidder
    refused(1, "bids", 0, 1)  # of an own bid
    refused(3, "bids", 7, 2)  # a redouble of nothing
    refused(1, "level", "owners", 0, 0)
    refused(2, "level", "dealer")
    refused(3, "level", "moves", 5)


# Texts, pictures and baselines.


def test_text():
    batch = kit.started(ID, level={**LEVEL, "vulnerable": "ew"})
    kit.act(batch, "pass", "1C")
    text = batch.world.text(batch.record(), 2)
    assert "You are south; your partner is north, and west is on your left." in text
    assert "spades K 5, hearts T 8 3, diamonds K Q 9, clubs A 7 6 5 2 (12 high-card points)" in text
    assert "north pass, east 1C" in text and "It is your turn." in text
    assert "Vulnerable: east and west." in text and "A T 9 4 2" not in text
    kit.act(batch, "double", "pass", "pass", "redouble", "pass", "pass", "pass")
    text = batch.world.text(batch.record(), 2)
    assert "The contract is 1C redoubled by east, who takes 5 tricks: 1000 points for north and south." in text
    assert "West has spades A T 9 4 2" in text


def test_bidding_box():
    """Each call has a place in the bidding box, and nothing else means one."""
    batch = kit.started(ID, level=LEVEL)
    assert kit.clicks(batch, 0) == {None, *range(38)}


def test_pictures_hide_hands():
    """A player sees its own hand only, until the auction is over."""
    batch = kit.started(ID, level=LEVEL)

    def shown(agent):
        labels = [shape.text for shape in batch.world.scene(batch.record(), agent).shapes if hasattr(shape, "text")]
        return {hand for hand in ("Q J 6", "8 7 3", "K 5", "A 10 9 4 2") if hand in labels}

    assert [len(shown(agent)) for agent in (None, 0, 1, 2, 3)] == [4, 1, 1, 1, 1] and shown(3) == {"A 10 9 4 2"}
    kit.act(batch, *["pass"] * 4)
    assert len(shown(0)) == 4


#: The least differences of points for 1 IMP, 2 IMPs and so on.
IMPS = (
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600, 750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000,
    3500, 4000,
)  # fmt: skip


def match(one, other, num):
    """A team match: the mean points and IMPs per deal that `one` wins, and the error of the latter."""
    world = build(ID)
    first, _ = play(world, [one, other, one, other], num)
    second, _ = play(world, [other, one, other, one], num)
    won = first[:, 0] - second[:, 0]
    imps = np.sign(won) * np.searchsorted(IMPS, np.abs(won), "right")
    return won.mean() / 2, imps.mean(), imps.std() / num**0.5


@pytest.mark.slow
def test_baselines():
    """Each beats the next by far, on the same deals at both tables."""
    for one, other, points, imps in (
        ("natural", "points", 20, 0.7),
        ("points", "random", 200, 3),
        ("natural", "pass", 50, 1),
    ):
        won, found, error = match(one, other, 1500)
        assert won > points and found - 4 * error > 0 and found > imps


@pytest.mark.parametrize(
    "calls, hand, wanted",
    [
        ([], "AJ3.KQ4.QJ52.K64", "1NT"),
        ([], "AKQ62.K43.52.764", "1S"),
        ([], "AKQ6.AKQ4.AQ2.K4", "2C"),
        ([], "42.KQJ962.52.764", "2H"),
        ([], "Q42.J962.K52.764", "pass"),
        (["1H", "pass"], "42.KQ62.952.7643", "2H"),
        (["1H", "pass"], "A2.KQ62.A952.764", "4H"),
        (["1C", "pass"], "KQ62.92.A95.7642", "1S"),
        (["1NT", "pass"], "KJ62.92.A952.764", "2C"),
        (["1NT", "pass"], "J2.Q92.AK95.Q643", "3NT"),
        (["1H"], "AQJ62.92.A952.76", "1S"),
        (["1H"], "AQ62.2.A952.KJ76", "double"),
        (["1H", "double", "pass"], "Q842.732.K65.942", "1S"),
        (["1S", "2S", "3S", "7NT"], "AKJ2.K92.A95.743", "double"),
    ],
)
def test_natural(calls, hand, wanted):
    """Calls that any book would make with these hands."""
    batch = kit.started(ID, level={**LEVEL, "deal": dealt(hand, len(calls) % 4), "calls": calls})
    assert kit.choices("natural", batch) == {wanted}


def dealt(hand, seat):
    """A deal in which a seat has this hand, and the others what is left, in order."""
    owners = np.full((4, 13), -1, np.int8)
    for suit, ranks in zip((3, 2, 1, 0), hand.split(".")):
        owners[suit, ["23456789TJQKA".index(rank) for rank in ranks]] = seat
    owners[owners < 0] = np.repeat([other for other in range(4) if other != seat], 13)
    return pbn(owners)


def test_the_former_name_of_a_parameter_warns():
    with pytest.warns(FutureWarning, match="'opponents' is now called 'bidding_opponents'"):
        world = build(ID, dict(opponents="silent"))
    assert world.parameters == build(ID, dict(bidding_opponents="silent")).parameters
    with (
        pytest.warns(FutureWarning),
        pytest.raises(ParameterError, match="got the parameter 'bidding_opponents' twice"),
    ):
        build(ID, dict(opponents="silent", bidding_opponents="silent"))
