"""DarkHex and PhantomTicTacToe: OpenSpiel in lock-step, guesses, random play, levels, records, baselines."""

from collections import Counter

import kit
import numpy as np
import pytest
from scipy.stats import chisquare

from envsuite.compile.bound import bind
from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.kit import dark
from envsuite.registry import build

HEX, PHANTOM = "envsuite/DarkHex-v0", "envsuite/PhantomTicTacToe-v0"

#: World, parameters, and OpenSpiel's name for them.
GAMES = [
    (HEX, dict(size=3), "dark_hex(gameversion=cdh)"),
    (HEX, dict(size=4, abrupt=True), "dark_hex(board_size=4,gameversion=adh)"),
    (PHANTOM, {}, "phantom_ttt(gameversion=classical)"),
    (PHANTOM, dict(abrupt=True), "phantom_ttt(gameversion=abrupt)"),
]
EACH = pytest.mark.parametrize("world, params, name", GAMES, ids=["hex", "hex 4 abrupt", "phantom", "phantom abrupt"])


@EACH
def test_openspiel(world, params, name):
    """Random games: movers, legal cells, what each player sees and has tried, rewards and ends."""
    import pyspiel

    num = 60
    states, rng = [pyspiel.load_game(name).new_initial_state() for _ in range(num)], np.random.default_rng(1)
    batch = kit.started(world, num, **params)
    failed = 0
    for i, state, _ in kit.lock_step(batch, states, rng):
        for agent in range(2):
            tries = state.information_state_string(agent).split("\n")[-1]
            signs = state.observation_string(agent).replace("\n", "")
            seen = batch.world.observation(batch.record(i), agent)
            own, found = seen["board"][..., 0].reshape(-1), seen["board"][..., 1].reshape(-1)
            for sign, mine, theirs in zip(signs.lower(), own, found):
                # In Hex, OpenSpiel marks stones that touch a side with letters of their own.
                owner = 0 if sign == "." else 1 if sign in "xyzp"[: 4 if world == HEX else 1] else 2
                assert (owner > 0) == bool(mine or theirs)
            order = seen["order"].reshape(-1)
            wanted = [int(word.split(",")[1]) for word in tries.split()]
            assert [int(np.flatnonzero(order == k + 1)[0]) for k in range(order.max())] == wanted
            failed += found.sum()
    assert failed > 100


@EACH
def test_guesses(world, params, name):
    """They leave what the agent sees, are positions of a game that is not over, and do not depend on what is hidden."""
    rng = np.random.default_rng(2)
    num = 200
    batch = kit.started(world, num, 3, **params)
    going = np.ones(num, bool)
    for _ in range(6):
        before = batch.records.copy()
        chance = batch.masks.max(axis=1) * rng.random(batch.masks.shape[::2])
        batch.actions[:] = chance.argmax(axis=1)[:, None]
        batch.step(where=going)
        batch.records[batch.over()] = before[batch.over()]
        going &= ~batch.over() & (rng.random(num) < 0.9)
    guess = bind(_guess, f"test_dark.{name}", guess=type(batch.world).guess)
    different = 0
    for agent in range(2):
        true = batch.records.copy()
        first, second = true.copy(), true.copy()
        guess(first, agent)
        other = first.copy()
        other["rng"] = second["rng"]
        for records in (second, other):
            guess(records, agent)
        for field in true.dtype.names:
            if field not in ("level", "params"):
                assert first[field].tobytes() == second[field].tobytes() == other[field].tobytes()
        different += (first["seen"] != true["seen"]).any(axis=(1, 2, 3, 4)).sum()
        batch.world.admit(first)
        batch.records[:] = first
        batch.observe()
        after = {name: batch.observations[name][:, agent].copy() for name in ("board", "order")}
        batch.records[:] = true
        batch.observe()
        assert all((after[name] == batch.observations[name][:, agent]).all() for name in after)
    assert different > 50


def _guess(records, agent):
    for i in range(records.shape[0]):
        guess(records[i], agent)


guess = None


def test_guesses_are_fair():
    """The other's first stone is on each of eight cells equally often; a found one stays where it was found."""
    batch = kit.started(PHANTOM, 4000)
    s = batch.world.action_names[0]
    for name in ("a1", "b1", "b1", "c1", "c2"):
        batch.step(s.index(name))
    once = bind(_guess, "test_dark.fair", guess=type(batch.world).guess)
    records = batch.records.copy()
    records["rng"] = np.random.default_rng(5).integers(2**63, size=len(records))
    once(records, 0)
    found = Counter()
    for record in records:
        stones = np.flatnonzero(record["seen"][1, ..., 0].reshape(-1)).tolist()
        assert 1 in stones and len(stones) == 2
        found[stones[1] if stones[0] == 1 else stones[0]] += 1
    assert found.keys() == set(range(3, 9)) and chisquare(list(found.values())).pvalue > 1e-4


# OpenSpiel's random games: the first player's mean reward, its standard error, and the number of tries.
RANDOM_PLAY = {HEX: (0.347, 0.009, 10.52), PHANTOM: (0.313, 0.009, 10.53)}


@pytest.mark.slow
@pytest.mark.parametrize("world", RANDOM_PLAY)
def test_random_play(world):
    mean, error, tries = RANDOM_PLAY[world]
    result, lengths = play(build(world), ["random", "random"], 20000)
    assert abs(result[:, 0].mean() - mean) < 4 * (error**2 + result[:, 0].var() / 20000) ** 0.5
    assert abs(lengths.mean() - tries) < 0.1


def test_sequences():
    """OpenSpiel's numbers of sequences of tries."""
    batch = kit.started(PHANTOM)
    level, counts = [()], []
    for _ in range(3):
        after = []
        for moves in level:
            batch.start(0)
            kit.act(batch, *moves)
            after += [(*moves, int(k)) for k in np.flatnonzero(batch.masks[0].max(axis=0))]
        level = after
        counts.append(len(level))
    assert counts == [9, 81, 648]


def test_by_hand():
    """A try that fails tells its player only; with `abrupt` it costs the turn."""
    for abrupt in (False, True):
        batch = kit.started(PHANTOM, level={"moves": ["b2"]}, abrupt=abrupt)
        kit.act(batch, "b2")
        assert kit.mover(batch) == (0 if abrupt else 1)
        assert batch.observations["board"][0, 1, 1, 1].tolist() == [0, 1]
        assert batch.observations["order"][0, :, 1, 1].tolist() == [1, 1]
        text = batch.world.text(batch.record(), 1)
        assert "Your last try, b2, holds a mark of the other player." in text and "X" in text
        assert dark.unmet(batch.record()).sum() == 0
    batch = kit.opened(PHANTOM, "b2")
    assert "X" not in batch.world.text(batch.record(), 1).splitlines()[1] and dark.unmet(batch.record())[1, 1]
    batch = kit.opened(HEX, "a1", "b1", "a2", "b2")
    kit.act(batch, "a3")
    assert batch.rewards[0].tolist() == [1, -1] and "You have won." in batch.world.text(batch.record(), 0)


@pytest.mark.parametrize("world", [HEX, PHANTOM])
def test_levels_and_records(world):
    batch = kit.opened(world, "a1", "a1", "b1")
    kit.refuses(
        batch.world,
        ({"moves": ["a9"]}, "'a9', is not a move"),
        ({"moves": ["a1", "b1", "a1"]}, "'a1', is illegal"),
        ({"moves": None}, "cannot be read"),
    )
    assert batch.world.get_level(batch.record()) == {"moves": ["a1", "a1", "b1"]}
    kit.act(batch, "c3")
    batch.world.admit(batch.records)
    batch.records["seen"][0, 0, 1, 1, 0] ^= 1
    with pytest.raises(SnapshotError, match="does not go with|not legal"):
        batch.world.admit(batch.records)


def test_chains_have_roots():
    batch = kit.opened(HEX, "a1", "b1", "a2")
    batch.records["parent"][0, batch.records["board"][0] == 1] = 0
    with pytest.raises(SnapshotError, match="roots"):
        batch.world.admit(batch.records)


@pytest.mark.parametrize("world", [HEX, PHANTOM])
def test_clicks(world):
    assert kit.clicks(kit.started(world), 0) == {None, *range(9)}


@pytest.mark.parametrize(
    "world, best, second, more, params",
    [(HEX, "shortest", "straight", 0.55, dict(size=5)), (PHANTOM, "lines", "builder", 0.5, {})],
)
@pytest.mark.mostly_slow
def test_baselines(world, best, second, more, params):
    """The better baseline beats the other over both seats, and that one random play."""
    num = 400
    assert np.mean([kit.wins(world, best, seat, num, second, **params) for seat in range(2)]) > more
    assert np.mean([kit.wins(world, second, seat, num, **params) for seat in range(2)]) > 0.65


def test_connect_is_a_parameter():
    """Two marks in a row win with ``connect=2``."""
    batch = kit.started("envsuite/PhantomTicTacToe-v0", connect=2)
    for action in (0, 8, 1):
        batch.step([[action, action]])
    assert batch.terminations.all() and batch.rewards[0].tolist() == [1, -1]
