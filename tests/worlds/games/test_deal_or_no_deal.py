"""DealOrNoDeal: OpenSpiel in lock-step, all instances, guesses, levels, baselines."""

from itertools import product

import kit
import numpy as np
import pytest

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.games.deal_or_no_deal import INSTANCES, OFFERS, DealOrNoDeal
from envsuite.talk.table import Talk
from envsuite.talk.voice import sentences

ID = "envsuite/DealOrNoDeal-v0"


def numbers(state):
    """Pool and values of one of OpenSpiel's states."""
    lines = str(state).splitlines()[:3]
    return [[int(part.split()[-1]) for part in line.split(":", 1)[1].split(",")] for line in lines]


@pytest.mark.parametrize(
    "params", [{}, dict(horizon=3, discount=0.5), dict(horizon=6, discount=0.9)], ids=["plain", "short", "discount"]
)
def test_openspiel(params):
    """Random games: movers, legal offers, rewards and ends."""
    import pyspiel

    num, rng = 100, np.random.default_rng(4)
    given = f"max_turns={params.get('horizon', 10)},discount={params.get('discount', 1.0)}"
    game = pyspiel.load_game(f"bargaining({given})")
    states, levels = [game.new_initial_state() for _ in range(num)], []
    for state in states:
        state.apply_action(int(rng.choice(state.legal_actions())))
        pool, *values = numbers(state)
        levels.append({"pool": pool, "values": values})

    def choose(i, state, actions):
        return actions[-1] if len(state.history()) > 1 and rng.random() < 0.2 else rng.choice(actions)

    agreed = 0
    for _, state, _ in kit.lock_step(kit.started(ID, num, level=levels, **params), states, rng, choose):
        agreed += state.is_terminal() and max(state.returns()) > 0
    assert agreed > num // 4


def test_instances():
    """Their number, the best welfare and the best product, by all divisions."""
    assert len(INSTANCES) == 5793 and len(np.unique(INSTANCES, axis=0)) == 5793
    welfare, nash = [], []
    for pool, one, two in INSTANCES.reshape(-1, 3, 3).astype(int):
        shares = np.array(list(product(*(range(k + 1) for k in pool))))
        first, second = shares @ one, (pool - shares) @ two
        welfare.append((first + second).max())
        nash.append((first * second).max())
    assert (min(welfare), max(welfare)) == (10, 19)
    assert np.mean(welfare) == pytest.approx(15.0637, abs=5e-5) and np.mean(nash) == pytest.approx(55.660, abs=5e-4)
    assert len(OFFERS) == 120


def test_two_offers():
    """Uniform play earns 0.2 each in OpenSpiel's first instance: one of 24 offers, agreed to by 1 in 25."""
    level = {"pool": [1, 2, 3], "values": [[8, 1, 0], [4, 0, 2]]}
    batch = kit.started(ID, 24, level=level, horizon=2)
    batch.actions[:, 0] = np.flatnonzero(batch.masks[0, 0])
    batch.step()
    assert (batch.masks[:, 1].sum(axis=1) == 25).all()
    batch.step(len(OFFERS))
    assert batch.over().all() and batch.rewards.mean(axis=0) / 25 == pytest.approx([0.2, 0.2])


FIRST = {"pool": [1, 2, 3], "values": [[8, 1, 0], [4, 0, 2]]}


def test_a_deal_by_hand():
    """What is left of the pool goes to the other; from the third action on, everything is worth half as much."""
    batch = kit.started(ID, level=FIRST, horizon=5, discount=0.5)
    assert len(kit.legal(batch)) == 24 and "agree" not in kit.legal(batch) and not batch.masks[0, 1].any()
    names = batch.world.action_names[0]
    batch.step([names.index("keep 1 1 0"), 0])
    batch.step([0, names.index("keep 0 1 3")])
    for agent, values in enumerate(FIRST["values"]):
        seen = {part: batch.observations[part][0, agent].tolist() for part in ("pool", "values", "offers")}
        assert seen == {"pool": [1, 2, 3], "values": values, "offers": [[1, 1, 0], [0, 1, 3], *[[-1] * 3] * 3]}
    assert len(kit.legal(batch)) == 25 and kit.mover(batch) == 0
    kit.act(batch, "agree")
    assert batch.rewards[0].tolist() == [0.5 * (8 + 1), 0.5 * 3 * 2] and batch.terminations.all()
    kit.act(batch := kit.started(ID, level=FIRST, discount=0.5), "keep 1 1 0", "agree")
    assert batch.rewards[0].tolist() == [8 + 1, 3 * 2]
    kit.act(batch := kit.started(ID, level=FIRST, discount=0.5), *["keep 1 1 0"] * 3, "agree")
    assert batch.rewards[0].tolist() == [0.25 * (8 + 1), 0.25 * 3 * 2]


def test_the_last_offer_ends_the_game():
    """So does the second one if chance always ends it; nobody gets anything."""
    for params, offers in ((dict(horizon=3), 3), (dict(end_probability=1.0), 2), (dict(end_probability=1e-9), 10)):
        batch = kit.started(ID, level=FIRST, **params)
        for k in range(1, offers + 1):
            kit.act(batch, "keep 1 2 3")
            assert batch.terminations[0].tolist() == [k == offers] * 2 and not batch.rewards.any()


def test_chance_ends_the_game():
    """After an offer from the second on, with this probability."""
    num = 4000
    batch = kit.started(ID, num, end_probability=0.3)
    batch.step(0)
    assert not batch.over().any()
    batch.step(0)
    assert abs(batch.over().mean() - 0.3) < 4 * (0.21 / num) ** 0.5 and not batch.rewards.any()


def test_guesses():
    """The other's values are from all instances that fit, equally often."""
    level = {"pool": [1, 2, 3], "values": [[8, 1, 0], [4, 0, 2]]}
    fits = {tuple(row[6:]) for row in INSTANCES.tolist() if row[:6] == [1, 2, 3, 8, 1, 0]}
    batch, found = kit.started(ID, level=level), []
    rng = batch.records["rng"].copy()
    with np.errstate(over="ignore"):
        for seed in range(60):
            batch.records["rng"] = rng + np.uint64(seed)
            type(batch.world).guess(batch.record(), 0)
            found.append(tuple(batch.records["values"][0, 1].tolist()))
    assert len(fits) > 4 and set(found) <= fits and len(set(found)) > len(fits) // 2
    assert batch.records["values"][0, 0].tolist() == [8, 1, 0]


def test_a_few_guesses():
    """Of either player, about values of the other one that fit the pool and its own values."""
    for agent, count in ((0, 2), (1, 1)):
        own = slice(3 + 3 * agent, 6 + 3 * agent)
        fits = (INSTANCES[:, :3] == FIRST["pool"]).all(axis=1) & (INSTANCES[:, own] == FIRST["values"][agent]).all(
            axis=1
        )
        other = {tuple(row[6 - 3 * agent :][:3]) for row in INSTANCES[fits].tolist()}
        batch, found = kit.started(ID, level=FIRST), set()
        for _ in range(count):
            type(batch.world).guess(batch.record(), agent)
            found.add(tuple(batch.records["values"][0, 1 - agent].tolist()))
            assert batch.records["values"][0, agent].tolist() == FIRST["values"][agent]
        assert len(found) == count and found <= other


def test_levels_and_records():
    kit.refuses(
        DealOrNoDeal(),
        ({"pool": [1, 2, 3], "values": [[8, 1, 0], [8, 1, 0]]}, "none of the 5793"),
        ({"pool": [1, 2, 3]}, "a level has 'pool' and 'values', not 'pool'"),
    )
    batch = kit.started(ID)
    batch.records["values"] = 0
    with pytest.raises(SnapshotError, match="none of the instances"):
        batch.world.admit(batch.records)


def test_baselines():
    """ "conceder" agrees with itself on more than 5.5 each, "stubborn" with itself on less; both beat random play."""
    both = kit.played(ID, "conceder", 0, 500, "conceder").mean(axis=0)
    assert both.min() > 5.5 and both.sum() > 11.5
    assert kit.played(ID, "stubborn", 0, 500, "stubborn").mean() < both.mean() - 1
    own = [kit.played(ID, name, 0, 500)[:, 0].mean() for name in ("conceder", "stubborn", "random")]
    assert own[0] > own[2] + 2 and own[1] > own[2] + 1


def test_who_hears_an_offer():
    """Both hear offers and the agreement of the one who moves; all of them bind, so words cannot replace them."""
    batch = kit.started(ID, level=FIRST)
    world, s = batch.world, batch.record()
    for player, moves in ((0, ["keep 1 1 1"]), (1, ["keep 0 0 3", "agree"]), (0, ["agree"])):
        for move in moves:
            assert list(world.speech(s, player, world.action_names[player].index(move))) == [0, 1]
            assert world.speech(s, 1 - player, 0) is None
        kit.act(batch, moves[0])
    assert "1 of the books, 0 of the hats and 3 of the balls" in sentences(world, "keep 1 0 3")[0]
    with pytest.raises(ParameterError, match="every act of speech binds"):
        Talk("free").demand(world)
    Talk("beside").demand(world)
