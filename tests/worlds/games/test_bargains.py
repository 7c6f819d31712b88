"""TradeComm, SealedBid and Sheriff: OpenSpiel in lock-step and by its trees, levels, records, baselines."""

from itertools import product

import kit
import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.registry import build
from envsuite.solvers.game_tree import Tree
from envsuite.talk.table import Talk

TRADE, BID, SHERIFF = "envsuite/TradeComm-v0", "envsuite/SealedBid-v0", "envsuite/Sheriff-v0"


def tree(world, **params):
    """The numbers of information sets, the values of uniform play and their NashConv."""
    found = Tree(build(world, params))
    uniform = found.uniform()
    return found.information_sets, found.values(uniform), found.nash_conv(uniform)


@pytest.mark.parametrize("items", [2, 3, 10])
def test_trades_of_openspiel(items):
    import pyspiel

    num, rng = 100, np.random.default_rng(items)
    game = pyspiel.load_game(f"trade_comm(num_items={items})")
    states, levels = [game.new_initial_state() for _ in range(num)], []
    for state in states:
        deal = int(rng.choice(state.legal_actions()))
        levels.append({"items": list(divmod(deal, items))})
        state.apply_action(deal)

    def choose(i, state, actions):
        """In half of the games honest players, whose trades match."""
        own, other = levels[i]["items"][:: 1 - 2 * state.current_player()]
        done = len(state.history())
        return rng.choice(actions) if i % 2 else own if done < 3 else items + items * own + other

    paid = 0
    for _, state, _ in kit.lock_step(kit.started(TRADE, num, level=levels, items=items), states, rng, choose):
        paid += state.is_terminal() and state.returns()[0]
    assert paid >= num // 2


@pytest.mark.parametrize("items, sets", [(2, [10, 12]), (3, [30, 36])])
def test_tree_of_trades(items, sets):
    import pyspiel
    from open_spiel.python import policy as openspiel_policy
    from open_spiel.python.algorithms import exploitability

    numbers, values, conv = tree(TRADE, items=items)
    assert list(numbers) == sets and values == pytest.approx([items**-4] * 2)
    if items == 2:
        game = pyspiel.load_game("trade_comm(num_items=2)")
        assert conv == pytest.approx(exploitability.nash_conv(game, openspiel_policy.UniformRandomPolicy(game)))


def test_uniform_auctions():
    """OpenSpiel's values and NashConv."""
    for params, value, conv in [
        (dict(values=3), 0.702160, 0.299383),
        (dict(values=4), 0.815538, 0.467882),
        (dict(values=3, players=3), 0.444959, None),
    ]:
        _, values, found = tree(BID, **params)
        assert values == pytest.approx([value] * params.get("players", 2), abs=1e-6)
        assert conv is None or found == pytest.approx(conv, abs=1e-6)


@pytest.mark.parametrize("players", [2, 3])
def test_truth_is_best_with_the_second_price(players):
    """Against random bids, truth earns what the best reply earns; with the first price it does not."""
    for rule in ("second", "first"):
        found = Tree(build(BID, dict(players=players, values=3, rule=rule)))
        profile = found.uniform()
        best, _ = found.best_response(0, profile)
        own = found.owned(0)
        profile[own] = found.tabulated(make_policy("truthful", found.world), [0])[own]
        earned = found.values(profile)[0]
        assert (earned == pytest.approx(best, abs=1e-12)) == (rule == "second")


@pytest.mark.parametrize("rule", ["first", "second", "all_pay"])
def test_all_bids(rule):
    """Every pair of values and bids against the rule in plain words, with the mean of both outcomes of a tie."""
    values, count = 4, 400
    cases = [(u, v, a, b) for u, v, a, b in product(range(1, 5), range(1, 5), range(5), range(5))]
    cases = [c for c in cases if c[2] < c[0] + (rule == "second") and c[3] < c[1] + (rule == "second")]
    for u, v, a, b in cases:
        num = count if a == b else 1
        batch = kit.started(BID, num, level={"values": [u, v]}, values=values, rule=rule)
        batch.actions[:] = [a, b]
        batch.step()
        prize = [(u if a > b else 0.0), (v if b > a else 0.0)] if a != b else [u / 2, v / 2]
        if rule == "all_pay":
            paid = [a, b]
        else:
            price = max(a, b) if rule == "first" else min(a, b)
            paid = [price * (a > b), price * (b > a)] if a != b else [a / 2, b / 2]
        wanted = np.array(prize) - paid
        assert np.abs(batch.rewards.mean(axis=0) - wanted).max() < (0.0001 if a != b else 0.5)
        assert batch.terminations.all()


GABRIELE = dict(items=10, bribes=2, rounds=2, item_value=5.0, item_penalty=1.0, sheriff_penalty=1.0)


def named(params):
    names = dict(items="max_items", bribes="max_bribe", rounds="num_rounds")
    return {names.get(key, key): value for key, value in params.items()}


@pytest.mark.parametrize("params", [{}, dict(rounds=1, items=1), GABRIELE], ids=["default", "short", "gabriele"])
def test_sheriff_of_openspiel(params):
    import pyspiel

    num, rng = 100, np.random.default_rng(0)
    game = pyspiel.load_game("sheriff", named(params))
    batch = kit.started(SHERIFF, num, **params)

    def ours(i, state):
        """There, the sheriff's two actions come first."""
        return {a: a if state.current_player() == 1 else a - 2 for a in state.legal_actions()}

    for _ in kit.lock_step(batch, [game.new_initial_state() for _ in range(num)], rng, ours=ours):
        pass


@pytest.mark.parametrize(
    "params, sets, values, conv",
    [
        (dict(rounds=1), [5, 4], [-1.125, 1.875], 3.1875),
        (dict(rounds=2), [37, 36], [-1.125, 1.875], 3.1875),
        (GABRIELE, [78, 21], [9.545455, 2.954545], 12.409091),
    ],
    ids=["1", "2", "gabriele"],
)
def test_trees_of_sheriff(params, sets, values, conv):
    numbers, found, nash = tree(SHERIFF, **params)
    assert list(numbers) == sets and found == pytest.approx(values, abs=1e-6) and nash == pytest.approx(conv, abs=1e-6)


@pytest.mark.parametrize(
    "moves, paid",
    [
        (("load 2", "bribe 3", "inspect", "bribe 1", "pass"), (2 * 5 - 1, 1)),
        (("load 2", "bribe 0", "pass", "bribe 3", "inspect"), (-2 * 2, 2 * 2)),
        (("load 1", "bribe 0", "pass", "bribe 3", "inspect"), (-2, 2)),
        (("load 0", "bribe 3", "pass", "bribe 0", "inspect"), (7, -7)),
        (("load 0", "bribe 3", "inspect", "bribe 3", "pass"), (-3, 3)),
    ],
)
def test_smuggling_by_hand(moves, paid):
    """Two rounds: only the last one pays, what is legal, and what each of them sees."""
    batch = kit.started(SHERIFF, rounds=2, item_value=5.0, sheriff_penalty=7.0)
    loads, bribes = ({f"{verb} {k}" for k in range(4)} for verb in ("load", "bribe"))
    for k, (agent, names) in enumerate(zip((0, 0, 1, 0, 1), (loads, bribes, {"pass", "inspect"}, bribes))):
        assert kit.legal(batch, agent) == names and not batch.masks[0, 1 - agent].any() and not batch.over()[0]
        batch.step([batch.world.action_names[seat].index(moves[k]) if seat == agent else 0 for seat in range(2)])
        assert not batch.rewards.any()
    kit.act(batch, moves[4])
    assert batch.rewards[0].tolist() == list(paid) and batch.terminations.all() and not batch.masks.any()
    seen = {part: batch.observations[part][0].tolist() for part in ("cargo", "offers", "answers")}
    offers = [int(move[-1]) for move in moves[1::2]]
    answers = [int(move == "inspect") for move in moves[2::2]]
    assert seen == {"cargo": [[int(moves[0][-1])], [-1]], "offers": [offers] * 2, "answers": [answers] * 2}


def test_the_sheriff_guesses_any_cargo():
    """From none to all three, once something is loaded; the smuggler knows it."""
    batch = kit.started(SHERIFF)
    guess, s = type(batch.world).guess, batch.record()
    guess(s, 1)
    assert s.cargo == -1 and batch.observations["offers"][0, 0].tolist() == [-1] * 4
    kit.act(batch, "load 2")
    guess(s, 0)
    assert s.cargo == 2
    found = set()
    for _ in range(30):
        guess(s, 1)
        found.add(int(s.cargo))
    assert found == {0, 1, 2, 3}


def test_levels_and_records():
    kit.refuses(build(TRADE), ({"items": [0, 10]}, "must be an integer from 0 to 9"), ({}, "has 'items', not nothing"))
    kit.refuses(build(BID), ({"values": [0, 1]}, "from 1 to 10"), ({"values": [1]}, "a list of 2 integers"))
    for world, field, message in [(TRADE, "turn", "turn"), (SHERIFF, "turn", "turn"), (BID, "winner", "bids")]:
        batch = kit.started(world)
        batch.records[field] = 1
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(batch.records)


def test_guesses():
    """What the other holds may be anything; what the agent knows stays."""
    for world, agent, field, count in [(TRADE, 0, "items", 10), (BID, 1, "values", 10), (SHERIFF, 1, "cargo", 4)]:
        batch = kit.started(world)
        if world == SHERIFF:
            kit.act(batch, "load 2", "bribe 1")
        found, own = set(), set()
        for seed in range(200):
            before = batch.records.copy()
            batch.records["rng"] = np.uint64(seed * 977 + 1)
            with np.errstate(over="ignore"):
                type(batch.world).guess(batch.record(), agent)
            there = np.atleast_1d(batch.records[field][0])
            found.add(int(there[0 if world == SHERIFF else 1 - agent]))
            own.add(int(there[agent]) if world != SHERIFF else 0)
            batch.records[:] = before
        assert len(found) == count and len(own) == 1


def test_baselines():
    """Conventions are perfect with themselves only; bids below the value earn, and bribes pay for both."""
    assert kit.played(TRADE, "honest", 0, 50, "honest").mean() == 1
    assert kit.played(TRADE, "shifted", 0, 50, "shifted").mean() == 1
    assert kit.played(TRADE, "shifted", 0, 50, "honest").mean() == 0
    earned = [kit.played(BID, name, 0, 2000)[:, 0].mean() for name in ("equilibrium", "truthful", "random")]
    assert earned[0] > earned[2] + 0.3 and earned[0] > earned[1] + 0.3
    assert kit.played(SHERIFF, "briber", 0, 10, "briber").mean(axis=0).tolist() == [2, 1]
    assert kit.played(SHERIFF, "honest", 0, 10, "honest").mean(axis=0).tolist() == [0, 0]
    assert kit.played(SHERIFF, "briber", 1, 500)[:, 1].mean() > 0


def test_who_hears_a_bribe():
    """Nobody hears what is loaded; both hear bribes and answers, and free talk is refused, as the last ones bind."""
    batch = kit.started(SHERIFF, rounds=2)
    world, s = batch.world, batch.record()
    assert world.speech(s, 0, 2) is None
    kit.act(batch, "load 2")
    for player, move in ((0, "bribe 1"), (1, "inspect"), (0, "bribe 3"), (1, "pass")):
        assert list(world.speech(s, player, world.action_names[player].index(move))) == [0, 1]
        assert world.speech(s, 1 - player, 0) is None
        kit.act(batch, move)
    assert batch.over()[0]
    assert not any("load" in form for form in world.phrases)
    with pytest.raises(ParameterError, match="every act of speech binds"):
        Talk("free").demand(world)
    Talk("beside").demand(world)
