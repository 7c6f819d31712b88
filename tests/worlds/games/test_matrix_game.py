"""Matrix games: lockstep with OpenSpiel's, equilibria in closed form, tables of any shape, baselines."""

import itertools
import json

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError, ParameterError
from envsuite.evaluation import matches
from envsuite.games.matrix_game import MatrixGame
from envsuite.generators.payoffs import as_payoffs, named
from envsuite.registry import build

ID = "envsuite/MatrixGame-v0"

#: Reference numbers; each entry names its source.
ORACLES = json.loads((DATA / "iterated_games.json").read_text())

#: OpenSpiel's matrix games that equal ours under another name, cell by cell.
SAME = {
    "stag_hunt": "matrix_sh",
    "battle_of_the_sexes": "matrix_bos",
    "coordination": "matrix_coordination",
    "matching_pennies": "matrix_mp",
    "rock_paper_scissors": "matrix_rps",
    "biased_rock_paper_scissors": "matrix_brps",
    "shapley": "matrix_shapleys_game",
}
SPIEL = {2: ["pd", "sh", "cd", "bos", "coordination", "mp"], 3: ["rps", "brps", "shapleys_game"], 4: ["rpsw"]}

TWO_BY_TWO = [
    "prisoners_dilemma", "stag_hunt", "chicken", "battle_of_the_sexes", "coordination", "matching_pennies",
    "trust_dilemma", "overtaking",
]  # fmt: skip


def played(world, profiles):
    """The rewards of these action profiles, one world for each."""
    batch = Batch(world, len(profiles))
    batch.start()
    batch.step(profiles)
    assert batch.terminations.all() and not batch.truncations.any() and not batch.masks.any()
    return batch.rewards.copy()


def table_of(game, **params):
    """The payoff table (players, actions ...) of a named game, found by playing all its cells."""
    world = build(ID, {"game": game, **params})
    sizes = [len(names) for names in world.action_names]
    rewards = played(world, list(itertools.product(*map(range, sizes))))
    return rewards.T.reshape(-1, *sizes)


def spiel_table(name):
    import pyspiel

    game = pyspiel.load_matrix_game(name)
    return np.array([game.row_utilities(), game.col_utilities()])


@pytest.mark.parametrize("size", SPIEL)
def test_equals_openspiel(size):
    """1,000 random plays of OpenSpiel's games, whose payoffs are levels of one batch: legal actions, rewards, ends."""
    import pyspiel

    rng = np.random.default_rng(size)
    games = [pyspiel.load_game(f"matrix_{name}") for name in SPIEL[size]]
    batch = Batch(MatrixGame("custom", payoffs=np.zeros((2, size, size)).tolist()), 1000)
    states = []
    for i in range(batch.num):
        game = games[i % len(games)]
        batch.set_level(i, {"payoffs": spiel_table(game.get_type().short_name).tolist()})
        states.append(game.new_initial_state())
    batch.start()
    for i, state in enumerate(states):
        for k in range(2):
            assert np.flatnonzero(batch.masks[i, k]).tolist() == state.legal_actions(k)
    batch.step(rng.integers(size, size=(batch.num, 2)))
    for i, state in enumerate(states):
        state.apply_actions(batch.actions[i].tolist())
        assert state.is_terminal() and batch.terminations[i].all() and not batch.masks[i].any()
        assert batch.rewards[i].tolist() == state.rewards()


def test_named_games_equal_openspiel():
    import pyspiel

    for ours, theirs in SAME.items():
        assert (table_of(ours) == spiel_table(theirs)).all(), ours
        names = build(ID, {"game": ours}).action_names
        game = pyspiel.load_matrix_game(theirs)
        assert names[0] == tuple(game.row_action_name(k).lower() for k in range(game.num_rows()))
        assert names[1] == tuple(game.col_action_name(k).lower() for k in range(game.num_cols()))
    assert (table_of("chicken")[:, ::-1, ::-1] == spiel_table("matrix_cd")).all()  # the actions in the other order
    # OpenSpiel's prisoner's dilemma has 5, 0, 10, 1; ours is Axelrod's, with 3, 0, 5, 1.
    assert (table_of("prisoners_dilemma", payoffs=spiel_table("matrix_pd").tolist()) == spiel_table("matrix_pd")).all()
    assert table_of("prisoners_dilemma").tolist() == [[[3, 0], [5, 1]], [[3, 5], [0, 1]]]
    # Tang et al., staghuntrpg/RPG, GridWorld/envs/mg/MG.py: [[0.4, -5.0], [0.3, 0.1]], here times ten.
    np.testing.assert_allclose(table_of("trust_dilemma")[0], 10 * np.array([[0.4, -5.0], [0.3, 0.1]]))


def values(table, strategies):
    """The payoff of each player for each of its actions against the mixed strategies of the others."""
    players = len(strategies)
    found = []
    for k in range(players):
        rest = table[k]
        for j in reversed(range(players)):
            if j != k:
                rest = np.tensordot(rest, strategies[j], axes=(j, 0))
        found.append(rest)
    return found


def residual(table, strategies):
    """The most that a player can gain by another action: 0 in a Nash equilibrium."""
    found = values(table, strategies)
    return max(np.max(v) - v @ s for v, s in zip(found, strategies))


def equilibria(table):
    """All equilibria of a game of two by two without ties: the pure equilibria and the one with full support."""
    (a, b) = table
    assert (a[0] != a[1]).all() and (b[:, 0] != b[:, 1]).all()  # so no equilibrium mixes on one side only
    pure = [np.eye(2)[list(cell)] for cell in itertools.product(range(2), repeat=2)]
    found = [pair for pair in pure if residual(table, pair) == 0]
    p = (b[1, 1] - b[1, 0]) / (b[0, 0] - b[0, 1] + b[1, 1] - b[1, 0]) if b[0, 0] - b[0, 1] + b[1, 1] - b[1, 0] else -1
    q = (a[1, 1] - a[0, 1]) / (a[0, 0] - a[1, 0] + a[1, 1] - a[0, 1]) if a[0, 0] - a[1, 0] + a[1, 1] - a[0, 1] else -1
    if 0 < p < 1 and 0 < q < 1:
        found.append(np.array([[p, 1 - p], [q, 1 - q]]))
    return found


#: The page's table: each player's probability of the first action, and each player's payoff.
STATED = {
    "prisoners_dilemma": [(0, 0, 1, 1)],
    "stag_hunt": [(1, 1, 2, 2), (0, 0, 1, 1), (1 / 2, 1 / 2, 1, 1)],
    "chicken": [(1, 0, 1, 4), (0, 1, 4, 1), (1 / 2, 1 / 2, 2, 2)],
    "battle_of_the_sexes": [(1, 1, 3, 2), (0, 0, 2, 3), (3 / 5, 2 / 5, 6 / 5, 6 / 5)],
    "coordination": [(1, 1, 1, 1), (0, 0, 1, 1), (1 / 2, 1 / 2, 1 / 2, 1 / 2)],
    "matching_pennies": [(1 / 2, 1 / 2, 0, 0)],
    "trust_dilemma": [(1, 1, 4, 4), (0, 0, 1, 1), (51 / 52, 51 / 52, 77 / 26, 77 / 26)],
    "overtaking": [(1, 0, 0, 5), (0, 1, 5, 0), (100 / 103, 100 / 103, 200 / 103, 200 / 103)],
}


@pytest.mark.parametrize("game", TWO_BY_TWO)
def test_equilibria_of_two_by_two(game):
    """The page's equilibria are equilibria, and there are no others."""
    table = table_of(game)
    stated = STATED[game]
    for p, q, first, second in stated:
        strategies = np.array([[p, 1 - p], [q, 1 - q]])
        assert residual(table, strategies) < 1e-12
        np.testing.assert_allclose([v @ s for v, s in zip(values(table, strategies), strategies)], [first, second])
    found = sorted((s[0][0], s[1][0]) for s in equilibria(table))
    np.testing.assert_allclose(found, sorted((p, q) for p, q, *_ in stated), atol=1e-12)


def test_trust_dilemma_is_risk_dominated():
    """Both hare is risk-dominant (Harsanyi and Selten, 1988): the product of losses by deviating alone is larger."""
    a, b = table_of("trust_dilemma")
    stag = (a[0, 0] - a[1, 0]) * (b[0, 0] - b[0, 1])
    hare = (a[1, 1] - a[0, 1]) * (b[1, 1] - b[1, 0])
    assert hare == 51**2 and stag == 1


@pytest.mark.parametrize("ours", SAME)
def test_equilibria_are_those_of_nashpy(ours):
    """All equilibria that nashpy's support enumeration found have no residual in the world's own table."""
    entry = ORACLES[f"matrix/{SAME[ours]}"]["value"]
    table = table_of(ours)
    assert (table == [entry["A"], entry["B"]]).all()
    for strategies in entry["nash"]:
        assert residual(table, np.array(strategies)) < 5e-5  # the oracle has six digits; payoffs are up to 50
    if table[0].size == 4:
        assert len(equilibria(table)) == len(entry["nash"])


def test_equilibria_of_three_by_three():
    third = np.full(3, 1 / 3)
    for game, strategy, value in (
        ("rock_paper_scissors", third, 0),
        ("shapley", third, 1 / 3),
        ("biased_rock_paper_scissors", np.array([1 / 16, 5 / 8, 5 / 16]), 0),
    ):
        table = table_of(game)
        assert residual(table, [strategy, strategy]) < 1e-12
        np.testing.assert_allclose(values(table, [strategy, strategy])[0], value, atol=1e-12)


def test_public_goods():
    """Keeping is dominant and gives 20, all contributing 32 (formula/public_goods: n = 4, e = 20, r = 1.6)."""
    assert "Nash payoff 20, optimum 32" in ORACLES["formula/public_goods"]["value"]
    table = table_of("public_goods", players=4)
    assert (table[0, 1] > table[0, 0]).all()
    np.testing.assert_allclose(table[:, 1, 1, 1, 1], 20)
    np.testing.assert_allclose(table[:, 0, 0, 0, 0], 32)
    for profile in itertools.product((20.0, 0.0), repeat=4):  # u = e - g + (r / n) sum of all g
        cell = tuple(int(g == 0) for g in profile)
        np.testing.assert_allclose(table[(slice(None), *cell)], [20 - g + 1.6 / 4 * sum(profile) for g in profile])


@pytest.mark.parametrize("players", [2, 3, 5])
def test_volunteers_dilemma(players):
    """The mixed equilibrium for the cost 0.5, from the oracle; every player gets 1 - c in it."""
    p = ORACLES["formula/volunteers_dilemma_mixed_p_volunteer (b=1)"]["value"][f"n={players},c=0.5"]
    table = table_of("volunteers_dilemma", players=players)
    strategies = [np.array([p, 1 - p])] * players
    assert residual(table, strategies) < 1e-12
    np.testing.assert_allclose(values(table, strategies), 0.5)


def test_majority():
    """Of three players, those in the majority get 1; the only pure equilibria have all players on one side."""
    table = table_of("majority", players=3)
    assert table[:, 0, 0, 1].tolist() == [1, 1, 0] and table[:, 1, 1, 1].tolist() == [1, 1, 1]
    pure = [np.eye(2)[list(cell)] for cell in itertools.product(range(2), repeat=3)]
    assert [s[:, 0].tolist() for s in pure if residual(table, s) == 0] == [[1, 1, 1], [0, 0, 0]]
    assert (table_of("majority", players=4)[:, 0, 0, 1, 1] == 0).all()  # a tie


SHAPE = (3, 2, 3, 4)  # three players with two, three and four actions


def test_tables_of_any_shape():
    """Every cell has the payoffs of the table; each agent sees itself first, and its own order of cells."""
    table = np.random.default_rng(1).normal(size=SHAPE)
    world = build(ID, {"game": "custom", "payoffs": table.tolist()})
    assert [len(names) for names in world.action_names] == [2, 3, 4]
    assert world.action_names[1] == ("action 0", "action 1", "action 2")
    cells = list(itertools.product(range(2), range(3), range(4)))
    assert (played(world, cells) == [table[(slice(None), *cell)] for cell in cells]).all()
    batch = kit.started(world)
    assert batch.masks[0].sum(axis=1).tolist() == [2, 3, 4]
    for agent in range(3):
        order = [(agent + k) % 3 for k in range(3)]
        seen = np.transpose(table[order], (0, *(1 + k for k in order)))
        assert (batch.observations[0, agent] == seen.reshape(3, -1)).all()


def test_payoffs_differ_within_a_batch():
    batch = Batch(build(ID, {}), 3)
    other = [[[7, -2.5], [1e9, 0]], [[1, 2], [3, 4]]]
    batch.set_level(1, {"payoffs": other})
    batch.start()
    assert batch.world.get_level(batch.record(1)) == {"payoffs": other}
    assert batch.observations[1, 0].tolist() == [[7, -2.5, 1e9, 0], [1, 2, 3, 4]]
    assert batch.observations[1, 1].tolist() == [[1, 3, 2, 4], [7, 1e9, -2.5, 0]]
    batch.step([[0, 1]] * 3)
    assert batch.rewards.tolist() == [[0, 5], [-2.5, 2], [0, 5]]
    batch.start()
    assert (batch.rewards == 0).all() and (batch.observations[1] == batch.observations[0]).all()


@pytest.mark.parametrize(
    ("payoffs", "message"),
    [
        ([[[3, 0], [5, 1]]], r"shape \(1, 2, 2\), not \(2, 2, 2\)"),
        ([[[3, 0], [5, 1]], [[3, 5], [0]]], "unequal lengths"),
        ([[[3, 0], [5, 1]], [[3, 5], [0, "x"]]], "lists of numbers"),
        ([[[3, 0], [5, 1]], [[3, 5], [0, float("nan")]]], "not finite"),
        ([[[True, False], [True, True]], [[True, True], [True, True]]], "lists of numbers"),
        (None, "lists of numbers"),
    ],
)
def test_wrong_payoffs(payoffs, message):
    batch = Batch(build(ID, {}), 1)
    with pytest.raises(LevelError, match=message):
        batch.set_level(0, {"payoffs": payoffs})
    if payoffs is not None:
        with pytest.raises(ParameterError, match=message):
            MatrixGame(payoffs=payoffs)


def test_wrong_parameters():
    with pytest.raises(LevelError, match="lacks 'payoffs'"):
        Batch(build(ID, {}), 1).set_level(0, {})
    for params, message in (
        ({"game": "chess"}, "must be one of"),
        ({"game": "custom"}, "needs payoffs"),
        ({"game": "chicken", "players": 3}, "a game of 2 players, not of 3"),
        ({"players": 7}, "from 2 to 6"),
        ({"payoffs": np.zeros((2, 3, 3)).tolist()}, r"not \(2, 2, 2\) \('prisoners_dilemma'; other games"),
        ({"game": "custom", "payoffs": [[1, 2]]}, "at least 2"),
        ({"game": "custom", "payoffs": np.zeros((2, 2)).tolist()}, r"n \+ 1 sizes"),
        ({"game": "custom", "players": 4, "payoffs": np.zeros((2, 2, 2)).tolist()}, "those of 2"),
    ):
        with pytest.raises(ParameterError, match=message):
            MatrixGame(**params)
    assert (as_payoffs([[[1, 2]], [[3, 4]]]) == [[[1, 2]], [[3, 4]]]).all()


def choices(policy, game, num=1, **params):
    """The share of each player's choices that are its first action."""
    world = build(ID, {"game": game, **params.pop("world", {})})
    batch = kit.started(world, num)
    player = make_policy(policy, world, **params)
    player.reset(1, num)
    return (player.act_batch(batch.observations, batch.masks, range(len(world.agents))) == 0).mean(axis=0)


def test_pure_baselines():
    """Choices found by hand from the tables; 1 is the first action."""
    for policy, game, expected in (
        ("maximin", "stag_hunt", [0, 0]),  # hare guarantees 1
        ("maximin", "chicken", [1, 1]),  # swerving guarantees 1
        ("maximin", "prisoners_dilemma", [0, 0]),
        ("maximin", "public_goods", [0, 0]),
        ("risk_dominant", "trust_dilemma", [0, 0]),
        ("risk_dominant", "battle_of_the_sexes", [1, 0]),  # each player its favorite
        ("utilitarian", "trust_dilemma", [1, 1]),
        ("utilitarian", "prisoners_dilemma", [1, 1]),
        ("risk_averse", "overtaking", [1, 1]),
    ):
        assert choices(policy, game).tolist() == expected, (policy, game)
    assert choices("maximin", "volunteers_dilemma", world={"players": 3}).tolist() == [1, 1, 1]
    assert choices("utilitarian", "public_goods", world={"players": 3}).tolist() == [1, 1, 1]
    # A mean of 2.5 and a variance of 6.25 against a sure 2: 2.5 - 6.25 a < 2 for a > 0.08.
    risky = {"game": "custom", "payoffs": [[[5, 0], [2, 2]], [[5, 2], [0, 2]]]}
    assert choices("risk_averse", "custom", world=risky, aversion=0.07).tolist() == [1, 1]
    assert choices("risk_averse", "custom", world=risky, aversion=0.09).tolist() == [0, 0]


@pytest.mark.parametrize("game", TWO_BY_TWO)
def test_equilibrium_policy(game):
    """Its frequencies are those of an equilibrium: the mixed equilibrium if no action is dominant."""
    num = 40_000
    rates = choices("equilibrium", game, num)
    p, q, *_ = STATED[game][-1]
    error = np.sqrt([p * (1 - p) / num, q * (1 - q) / num])
    assert (abs(rates - [p, q]) <= 5 * error).all()


def test_security_beats_random():
    """In the trust dilemma against a random player, hare gets 2 on average and a random player -10.5."""
    world = build(ID, {"game": "trust_dilemma"})
    means = {
        name: matches.play(world, [name, "random"], 4000).returns[:, 0].mean()
        for name in ("maximin", "risk_dominant", "risk_averse", "random")
    }
    assert all(abs(means[name] - 2) < 0.1 for name in means if name != "random")
    assert abs(means["random"] + 10.5) < 2


def test_text_and_scene():
    world = MatrixGame("battle_of_the_sexes")
    batch = kit.started(world)
    text = world.text(batch.record(), 1)
    assert "You are player_1 of 2" in text and "- you bach, player_0 stravinsky: 0, 0" in text
    assert "- you bach, player_0 bach: 2, 3" in text
    lit = [shape for shape in world.scene(batch.record()).shapes if getattr(shape, "fill", "") == "highlight@0.55"]
    assert not lit
    batch.step([[1, 1]])
    assert world.text(batch.record(), 0).endswith(
        "You chose stravinsky and got 2.\nplayer_1 chose stravinsky and got 3."
    )
    scene = world.scene(batch.record())
    assert len([shape for shape in scene.shapes if getattr(shape, "fill", "") == "highlight@0.55"]) == 1
    bold = {shape.text for shape in scene.shapes if getattr(shape, "bold", False)}
    assert "stravinsky" in bold and "bach" not in bold


@pytest.mark.parametrize(("game", "players"), [("public_goods", 3), ("volunteers_dilemma", 4), ("majority", 6)])
def test_scenes_of_many(game, players):
    """Three players: a table for each action of the third, with one cell marked. Six players: a list of all choices."""
    world = MatrixGame(game, players)
    batch = kit.started(world)
    before = world.scene(batch.record())
    batch.step(0)
    after = world.scene(batch.record())
    assert (before.width, before.height) == (after.width, after.height)
    lit = [shape for shape in after.shapes if getattr(shape, "fill", "") == "highlight@0.55"]
    assert len(lit) == (1 if players < 5 else 0)
    numbers = [shape.text for shape in after.shapes if getattr(shape, "text", "").replace(".", "").isdigit()]
    cells = named(game, players).payoffs.size if players < 5 else players
    assert len(numbers) == cells
