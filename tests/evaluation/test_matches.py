"""Matches, tournaments, ratings, populations, held-out levels: against known results, and against single episodes."""

import json
from itertools import combinations

import numpy as np
import pytest
from kit import DATA
from scipy import optimize

import envsuite
from envsuite.agents import Policy, make_policy
from envsuite.core.errors import ActionError, ParameterError, ResultsError, UnknownIdError
from envsuite.evaluation import matches, tournaments
from envsuite.evaluation.matches import focal_scores, held_out, play, rotated
from envsuite.evaluation.ratings import POINTS, elo
from envsuite.evaluation.statistics import wilson_interval
from envsuite.evaluation.tournaments import (
    _File,
    configuration,
    cross_play,
    swiss_round,
    tournament,
)
from envsuite.generators import generate_many
from envsuite.interfaces.aec import AEC
from envsuite.registry import build
from envsuite.render.frames import draw
from envsuite.render.scene import Label
from envsuite.scale.ledger import line

FOUR, KUHN, REPEATED, GOODS = (
    f"envsuite/{name}-v0" for name in ("ConnectFour", "KuhnPoker", "RepeatedGame", "PublicGoods")
)


class Defects(Policy):
    """Always the second action."""

    name = "defects"

    def act(self, observation, mask, agent=0):
        return 1


class Uniform(Policy):
    """Legal actions by its own stream, which goes on from episode to episode."""

    name = "uniform"

    def reset(self, seed=None, num=1):
        self.rng = np.random.default_rng(seed)

    def act(self, observation, mask, agent=0):
        return int(self.rng.choice(np.flatnonzero(mask)))


# Matches.


def single(id, names, seed):
    """One episode through PettingZoo's loop: returns and length."""
    env, returns = AEC(id), np.zeros(len(names))
    env.reset(seed)
    policies = {name: make_policy(name, id) for name in names}
    for policy in policies.values():
        policy.reset(seed)
    while env.agents:
        a = env.number(env.agent_selection)
        seen, reward, ended, cut, info = env.last()
        returns[a] += reward
        env.step(None if ended or cut else policies[names[a]].act(seen, info["action_mask"], a))
    return returns, int(env.batch.records["t"][0])


@pytest.mark.parametrize("id, names", [(KUHN, ["random", "equilibrium"]), (GOODS, ["random"] * 3 + ["conditional"])])
def test_episodes_are_those_of_single_environments(id, names):
    result = play(id, names, 12, seed=40)
    for k in range(12):
        returns, length = single(id, names, 40 + k)
        assert result.returns[k].tolist() == returns.tolist() and result.lengths[k] == length


def test_nothing_depends_on_what_else_is_played(monkeypatch):
    whole = play(FOUR, ["tactical", "random"], 300, seed=3)
    part = play(FOUR, ["tactical", "random"], 50, seed=103)
    assert (whole.returns[100:150] == part.returns).all() and (whole.lengths[100:150] == part.lengths).all()
    monkeypatch.setattr(matches, "BLOCK_EPISODES", (32, 32))
    blocks = play(FOUR, ["tactical", "random"], 300, seed=3)
    assert (whole.returns == blocks.returns).all() and (whole.lengths == blocks.lengths).all()
    # A separate policy for each seat is the same as one for both.
    apart = play(FOUR, [make_policy("random", FOUR), make_policy("random", FOUR)], 100)
    assert (apart.returns == play(FOUR, "random", 100).returns).all()


def test_random_play():
    """ConnectFour, uniform play: 0.5559, 0.4415 and 0.0026 of 5,000,000 games of a bitboard are won, lost and drawn."""
    result = play(FOUR, "random", 40_000)
    won, drawn, lost = result.outcomes()[0]
    for share, known in ((won, 0.5559124), (lost, 0.4414728), (drawn, 0.0026148)):
        found = wilson_interval(round(share * 40_000), 40_000, 0.9999)
        assert found.low < known < found.high and found.high - found.low < 0.02
    mean = result.means(0.9999)[0]
    assert mean.low < 0.5559124 - 0.4414728 < mean.high
    assert (result.outcomes()[1] == [lost, drawn, won]).all()


def test_outcomes_of_several_agents():
    """Who has the most alone wins; who has the most with another draws."""
    returns = np.array([[3, 1, 2], [2, 2, 1], [0, 0, 0], [1, 5, 5]])
    outcomes = matches.Result(returns, np.ones(4)).outcomes()
    assert outcomes.tolist() == [[0.25, 0.5, 0.25], [0, 0.75, 0.25], [0, 0.5, 0.5]]


def test_policies_in_python():
    world = build(REPEATED)
    ours = play(world, [Defects(), "tit_for_tat"], 5)
    compiled = play(world, ["defector", "tit_for_tat"], 5)
    assert (ours.returns == compiled.returns).all() and ours.returns[0].tolist() == [204, 199]
    # In both seats, and beside a compiled one in some episodes.
    assert (play(world, Defects(), 3).returns == 200).all()
    seating = np.array([[0, 1], [1, 0], [0, 0]])
    mixed = play(world, [Defects(), "cooperator"], 3, seating=seating)
    assert mixed.returns.tolist() == [[1000, 0], [0, 1000], [200, 200]]
    share = (play(FOUR, Uniform(), 400, seed=1).returns[:, 0] == 1).mean()
    assert abs(share - 0.5559) < 4 * (0.25 / 400) ** 0.5
    with pytest.raises(ActionError, match="column 1.*legal"):
        play(build(FOUR), type("First", (Policy,), {"act": lambda *_: 0})(), 2)


def test_search_in_a_match():
    """Planners are given clones of the records, only where they play."""
    from envsuite.solvers.mcts import MCTS

    world = build("envsuite/TicTacToe-v0")
    result = play(world, [MCTS(world, simulations=60), "random"], 40, seating=np.tile([[0, 1], [1, 0]], (20, 1)))
    ours = np.where(np.arange(40) % 2 == 0, result.returns[:, 0], result.returns[:, 1])
    assert ours.mean() > 0.6


def test_steps_and_progress():
    ended = []
    result = play(REPEATED, "random", 70, steps=3, progress=ended.append)
    assert (result.lengths == 3).all() and sum(ended) == 70
    ended.clear()
    result = play(KUHN, "random", 70, progress=ended.append)
    assert set(result.lengths) == {2, 3} and sum(ended) == 70 and len(ended) == 2  # those of two moves, those of three


def test_rotation():
    """Returns are by policy: free riders get 20 a round, contributors 8 each for k contributors (m = 1.6, 4 agents)."""
    names = ["constant:share=0.0", "constant", "constant", "constant:share=0.0"]
    result = rotated(GOODS, names, 3)
    assert result.returns.shape == (12, 4)
    assert result.returns == pytest.approx(np.tile([360, 160, 160, 360], (12, 1)))
    once = rotated(FOUR, ["tactical", "random"], 50)
    assert (once.returns[:50] == play(FOUR, ["tactical", "random"], 50).returns).all()
    assert (once.returns[50:, ::-1] == play(FOUR, ["random", "tactical"], 50).returns).all()


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((FOUR, ["random"], 3), "1 policies are given for 2 agents: player_0, player_1"),
        ((FOUR, ["random", 3], 3), "player_1 must be a policy's name, a Policy or a function, not 3"),
        ((FOUR, "random", 0), "episodes=0 must be a positive integer"),
        ((FOUR, [make_policy("random", build(FOUR, {"rows": 5}))] * 2, 3), "made for envsuite/ConnectFour-v0 with"),
    ],
)
def test_mistakes(arguments, message):
    with pytest.raises(ParameterError, match=message):
        play(*arguments)


def test_more_mistakes():
    with pytest.raises(UnknownIdError, match="did you mean 'tactical'"):
        play(FOUR, ["tactica", "random"], 3)
    with pytest.raises(ParameterError, match="numbers below 1"):
        play(FOUR, ["random"], 1, seating=np.array([[0, 1]]))
    with pytest.raises(ParameterError, match="steps=0"):
        play(FOUR, "random", 3, steps=0)
    with pytest.raises(ParameterError, match="seed=-1"):
        play(FOUR, "random", 3, seed=-1)


# Populations and levels.


def test_focal_scores():
    """Public goods: of k contributors in all, those get 80 k in ten rounds, free riders 200 + 80 k."""
    giver, rider = "constant", "constant:share=0.0"
    found = focal_scores(GOODS, [giver, rider], [giver], 5)
    assert found.returns == pytest.approx(np.repeat([[320], [440]], 5, axis=1))
    assert found.background == pytest.approx(np.repeat([[320], [240]], 5, axis=1))
    assert found.normalised() == {giver: 0, rider: 1}
    assert found.means()[rider].value == pytest.approx(440)
    pair = focal_scores(GOODS, [giver, rider, "conditional:first=0.5,bias=0.0"], [rider], 4, seats=2)
    assert pair.returns[:2] == pytest.approx(np.repeat([[160], [200]], 4, axis=1))
    marks = pair.normalised([rider, giver])
    assert marks[giver] == 0 and marks[rider] == 1 and marks["conditional:first=0.5,bias=0.0"] > 0.5
    named = focal_scores(GOODS, [giver], [rider], 2, seats=["player_1", "player_3"])
    assert named.returns == pytest.approx(np.full((1, 2), 160))
    everyone = focal_scores(GOODS, {"ours": giver}, [], 2, seats=4)
    assert everyone.returns == pytest.approx(np.full((1, 2), 320)) and np.isnan(everyone.background).all()


def test_backgrounds_are_drawn_for_every_episode():
    """A free rider among three who are contributors or not, evenly: 200 + 80 k, k binomial; others see the same."""
    found = focal_scores(GOODS, ["constant:share=0.0", "constant"], ["constant", "constant:share=0.0"], 400)
    count = (found.returns[0] - 200) / 80
    assert np.bincount(np.rint(count).astype(int)) / 400 == pytest.approx(np.array([1, 3, 3, 1]) / 8, abs=0.09)
    assert found.returns[1] == pytest.approx(80 * (count + 1))


def test_focal_mistakes():
    with pytest.raises(ParameterError, match="seats=5 must be from 1 to 4"):
        focal_scores(GOODS, ["random"], ["random"], 2, seats=5)
    with pytest.raises(ParameterError, match="the other 3 agents need a background"):
        focal_scores(GOODS, ["random"], [], 2)


@pytest.mark.slow
def test_held_out_levels():
    shape = {"height": 15, "width": 15}
    training, tests = (generate_many("maze", 40, split=split, **shape) for split in ("train", "test"))
    seen, unseen = held_out("envsuite/Maze-v0", "solver", training, tests)
    assert len(seen.returns) == len(unseen.returns) == 40
    # Episodes start from these levels: the solver, which sees the maze, takes the shortest path.
    paths = [envsuite.generators.describe(level)["path"] for level in tests]
    assert unseen.lengths.tolist() == paths
    with pytest.raises(ParameterError, match="2 of the 5 held-out levels or seeds are among those of training"):
        held_out("envsuite/Maze-v0", "solver", training, tests[:3] + training[:2])
    seeds = held_out(KUHN, "random", range(100), range(100, 150))
    assert (seeds[1].returns == play(KUHN, "random", 50, seed=100).returns).all()
    with pytest.raises(ParameterError, match="1 of the 2 held-out"):
        held_out(KUHN, "random", range(100), range(99, 101))
    with pytest.raises(ParameterError, match="consecutive seeds"):
        held_out(KUHN, "random", range(100), range(200, 300, 2))


def test_cross_play():
    """The off-switch game with U from N(0, 1), one round: deferring to a rational human is worth 1 / sqrt(2 pi)."""
    id, count = "envsuite/OffSwitch-v0", 2000
    found = cross_play(id, ["defer", "act", "switch_off"], ["rational", "random"], count)
    assert found.means.shape == (3, 2, 2) and found.seats == ("robot",)
    assert (found.means[:, :, 0] == found.means[:, :, 1]).all()  # one reward for both
    means, errors = found.means[:, :, 0], found.errors[:, :, 0]
    assert abs(means[0, 0] - (2 * np.pi) ** -0.5) < 4 * errors[0, 0] < 0.08
    assert abs(means[0, 1]) < 4 * errors[0, 1] and (means[2] == 0).all()
    assert means[1, 0] == means[1, 1]  # the human is not asked
    texts = [shape.text for shape in found.scene().shapes if isinstance(shape, Label)]
    assert {"defer", "rational", "random"} <= set(texts)
    other = cross_play(id, ["rational"], ["defer"], count, seats=["human"])
    assert other.means[0, 0] == pytest.approx(found.means[0, 0])
    with pytest.raises(ParameterError, match="some agents must be played"):
        cross_play(id, ["random"], seats=["robot", "human"])


# Ratings.


def counts(strengths, nu, games, seed=0):
    """Games won and drawn, drawn at random from Davidson's model."""
    rng, count = np.random.default_rng(seed), len(strengths)
    won, drawn = np.zeros((2, count, count))
    for i, j in combinations(range(count), 2):
        half = (strengths[i] - strengths[j]) / POINTS / 2
        chances = np.array([np.exp(half), nu, np.exp(-half)])
        won[i, j], drawn[i, j], won[j, i] = rng.multinomial(games, chances / chances.sum())
        drawn[j, i] = drawn[i, j]
    return won, drawn


@pytest.mark.parametrize("nu", [0.0, 0.7, 5.0])
def test_ratings_are_recovered(nu):
    true = np.array([-300.0, -100, 0, 150, 250])
    ratings, errors = elo(*counts(true, nu, 20_000))
    assert (np.abs(ratings - true) < 4 * errors).all() and errors.max() < 4


def test_rating_errors():
    """Standard errors are the spread of ratings over samples."""
    true = np.array([-100.0, 0, 100])
    found = [elo(*counts(true, 0.5, 300, seed)) for seed in range(200)]
    spread = np.std([ratings for ratings, _ in found], axis=0)
    assert spread == pytest.approx(np.mean([errors for _, errors in found], axis=0), rel=0.2)


def test_ratings_are_most_likely():
    """Against a numerical optimum of the likelihood of Davidson's model, written out game by game."""
    won, drawn = counts(np.array([-200.0, 50, 150]), 1.0, 30)

    def loss(x):
        total = 0.0
        for i, j in combinations(range(3), 2):
            terms = np.array([np.exp((x[i] - x[j]) / 2), np.exp(x[3]), np.exp((x[j] - x[i]) / 2)])
            total += np.dot([won[i, j], drawn[i, j], won[j, i]], np.log(terms / terms.sum()))
        return -total - sum(0.5 * np.log(1 / (1 + np.exp(-k * x[i]))) for i in range(3) for k in (-1, 1))

    best = optimize.minimize(loss, np.zeros(4), tol=1e-12).x
    assert elo(won, drawn)[0] == pytest.approx(POINTS * (best[:3] - best[:3].mean()), abs=0.01)


def test_published_ratings(monkeypatch):
    """American League 1987: strengths of Agresti, Categorical Data Analysis, table 10.10 (Bradley and Terry's model).

    Rows and columns: Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore.
    """
    won = np.array(
        [
            [0, 7, 9, 7, 7, 9, 11],
            [6, 0, 7, 5, 11, 9, 9],
            [4, 6, 0, 7, 7, 8, 12],
            [6, 8, 6, 0, 6, 7, 10],
            [6, 2, 6, 7, 0, 7, 12],
            [4, 4, 5, 6, 6, 0, 6],
            [2, 4, 1, 3, 1, 7, 0],
        ]
    )
    monkeypatch.setattr("envsuite.evaluation.ratings.PRIOR", 1e-9)
    ratings = elo(won)[0] / POINTS
    assert ratings - ratings[-1] == pytest.approx([1.581, 1.436, 1.294, 1.248, 1.108, 0.684, 0], abs=6e-4)


def test_ratings_of_extremes():
    """One that always wins has a finite rating; where all is drawn, or nothing played, all are equal."""
    ratings, errors = elo(np.array([[0, 200], [0, 0]]))
    assert 500 < ratings[0] == -ratings[1] < 600 and errors[0] > 100
    assert elo(np.zeros((3, 3)), np.full((3, 3), 5))[0] == pytest.approx(np.zeros(3), abs=1e-6)
    assert elo(np.zeros((2, 2)))[0].tolist() == [0, 0]
    with pytest.raises(ParameterError, match="square"):
        elo(np.zeros((2, 3)))


# Tournaments.


@pytest.mark.slow
def test_axelrod(tmp_path):
    """All 256 ordered pairs of 16 deterministic strategies: totals equal those of axelrod 4.14.0 (tests/data)."""
    oracles = json.loads((DATA / "iterated_games.json").read_text())
    pairs = oracles["axelrod/pairs_200_turns_total_score"]["value"]
    ours = {name: name.lower().replace(" ", "_").replace("-", "_") for pair in pairs for name in pair.split("|")}
    found = tournament(REPEATED, list(ours.values()), 2)
    payoffs, errors = found.payoffs()
    assert len(pairs) == 256 == payoffs.size and not errors.any()
    at = {name: found.names.index(our) for name, our in ours.items()}
    for pair, (row, column) in pairs.items():
        first, second = (at[name] for name in pair.split("|"))
        assert (payoffs[first, second], payoffs[second, first]) == (row, column), pair
    standings = found.standings()
    # The mean against the other 15, as the library ranks.
    totals = {ours[name]: np.mean([pairs[f"{name}|{other}"][0] for other in ours if other != name]) for name in ours}
    assert [row.name for row in standings][0] == max(totals, key=totals.get)
    for row in standings:
        assert row.value == pytest.approx((totals[row.name],) * 3) and row.games == 60


def test_a_tournament_is_its_matches():
    names = ["random", "tactical"]
    found = tournament(FOUR, names, 60, seed=9)
    first, second = (play(FOUR, seats, 60, seed=9).returns for seats in (names[::-1], names))
    payoffs, errors = found.payoffs()
    by_seed = (first[:, 0] + second[:, 1]) / 2  # tactical, in both seats
    assert payoffs[1, 0] == by_seed.mean() == -payoffs[0, 1]
    assert errors[1, 0] == pytest.approx(by_seed.std(ddof=1) / 60**0.5)
    top, bottom = found.standings()
    assert top.name == "tactical" and top.games == 120
    won = ((first[:, 0] == 1).sum() + (second[:, 1] == 1).sum()) / 120
    lost = ((first[:, 0] == -1).sum() + (second[:, 1] == -1).sum()) / 120
    assert top.shares == pytest.approx((won, 1 - won - lost, lost)) and bottom.shares == pytest.approx(top.shares[::-1])
    assert top.rating.low < top.rating.value < top.rating.high and top.rating.value == -bottom.rating.value


def test_several_agents():
    """Public goods: a single free rider among contributors gets 440, a single contributor among free riders 80."""
    giver, rider = "constant", "constant:share=0.0"
    found = tournament(GOODS, [giver, rider], 2)
    assert found.payoffs()[0] == pytest.approx(np.array([[320, 80], [440, 200]]))
    assert [one.seatings for one in found.pairings] == [1, 8, 1]
    top, bottom = found.standings()
    # A free rider gets more than each contributor in all eight seatings.
    assert top.name == rider and top.shares == (1, 0, 0) and bottom.shares == (0, 0, 1) and top.games == 16


def test_entrants_in_python():
    found = tournament(REPEATED, {"ours": Defects(), "theirs": "cooperator"}, 2)
    assert found.payoffs()[0].tolist() == [[200, 1000], [0, 600]]


def test_entrants_that_are_one_policy():
    found = tournament(FOUR, {"one": "random", "other": "random"}, 30)
    with_itself, apart, _ = found.pairings
    assert apart.seatings == 2 and (apart.returns[0] == -apart.returns[1]).all() and with_itself.seatings == 1


def test_identical_rewards_are_not_rated():
    found = tournament("envsuite/OffSwitch-v0", ["optimal", "switch_off"], 20)
    assert all(row.rating is None for row in found.standings())


ENTRANTS = ["random", "tit_for_tat", "grudger", "defector", "gtft"]


def test_resumed(tmp_path, monkeypatch):
    """Interrupted within a pairing and within a line, then continued: bit for bit what it would have been."""
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    options = dict(episodes=4, seed=5, steps=20)
    expected = tournament(REPEATED, ENTRANTS, path=whole, **options)
    assert len(whole.read_text().splitlines()) == 15

    def interrupt(done, total):
        assert total == 5 * 4 + 10 * 8
        if done > 50:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tournament(REPEATED, ENTRANTS, path=cut, progress=interrupt, **options)
    kept = cut.read_text()
    assert 2 < len(kept.splitlines()) < 12 and whole.read_text().startswith(kept)
    cut.write_text(kept + whole.read_text()[len(kept) :][:200])
    played, steps = [], []
    inner = tournaments.pairing_job
    monkeypatch.setattr(tournaments, "pairing_job", lambda *a: (played.append(a[1]), inner(*a))[1])
    found = tournament(REPEATED, ENTRANTS, path=cut, progress=lambda *a: steps.append(a), **options)
    assert len(played) == 15 - len(kept.splitlines())
    assert cut.read_text() == whole.read_text()
    assert steps[-1] == (100, 100)
    for name, value in vars(expected).items():
        if name != "pairings":
            assert getattr(found, name) == value
    for ours, theirs in zip(found.pairings, expected.pairings):
        assert ours.plain() == theirs.plain()
    assert repr(found.standings()) == repr(expected.standings())
    # In another order, with more entrants, or by another schedule, what is there is not played again.
    played.clear()
    tournament(REPEATED, [*ENTRANTS[::-1], "bully"], path=cut, **options)
    assert len(played) == 6 and all("bully" in pair for pair in played)
    tournament(REPEATED, ENTRANTS, path=cut, schedule="swiss", **options)
    assert len(played) == 6


def test_files_of_other_configurations(tmp_path):
    file = tmp_path / "games.jsonl"
    world = build(KUHN)
    tournament(world, ["random", "equilibrium"], 3, path=file)
    for options, message in (
        (dict(seed=1), "line 1: its seed is 0, not 1; resume with the same arguments, or choose another file"),
        (dict(episodes=4), "its episodes is 3, not 4"),
        (dict(steps=5), "its steps is null, not 5"),
        (dict(world=build(KUHN, {"players": 3})), 'its params is {"players": 2}, not {"players": 3}'),
        (dict(world=build("envsuite/LeducPoker-v0"), entrants=["random", "tight"]), "its world is "),
    ):
        asked = {"world": world, "entrants": ["random", "equilibrium"], "episodes": 3, **options}
        before = file.read_bytes()
        with pytest.raises(ResultsError) as error:
            tournament(path=file, **asked)
        assert message in str(error.value) and file.read_bytes() == before
    text = file.read_text()
    data = json.loads(text.splitlines()[1])
    del data["digest"]
    file.write_bytes(line({**data, "code": "0"}))
    with pytest.raises(ResultsError, match="equilibrium and random were played before the code"):
        tournament(world, ["random", "equilibrium"], 3, path=file)
    two, strange = {"won": [1, 0], "drawn": [0, 0], "returns": [[1, 1], [1, 1]]}, {"policies": [1, "a"]}
    losing, loud = {"won": [0, 3, 0]}, {"returns": [[1, 2, 1e999]] * 2}
    forged = [(line({**data, **change}), "not a pairing") for change in ({"won": [1]}, strange, losing, loud)]
    forged += [(line({**data, **two}), "2 results are not those of 3 episodes")]
    edited = text.splitlines()[1].replace('"length": ', '"length": 1').encode() + b"\n"
    strangers = [(damaged, "not a pairing") for damaged in (b"{}\n", b"hello\n", b"[]\n", b"hello")]
    for damaged, message in [*strangers, (edited, "its digest '.*' differs"), *forged]:
        file.write_bytes(text.encode() + damaged)
        with pytest.raises(ResultsError, match=f"line 4: .*{message}"):
            tournament(world, ["random", "equilibrium"], 3, path=file)
        assert file.read_bytes() == text.encode() + damaged


def test_every_flipped_bit_of_results_is_found(tmp_path):
    """Refused by the number of a line; but what an interrupt could have left is played again."""
    file = tmp_path / "games.jsonl"
    tournament(KUHN, ["random", "equilibrium"], 2, path=file)
    data, rng, common = file.read_bytes(), np.random.default_rng(0), configuration(build(KUHN), 2, 0, None)
    lines = data.split(b"\n")[:-1]
    for bit in rng.choice(8 * (len(data) - 1), 300, replace=False).tolist():
        broken = bytearray(data)
        broken[bit // 8] ^= 1 << bit % 8
        file.write_bytes(broken)
        number = data.count(b"\n", 0, bit // 8) + 1
        with pytest.raises(ResultsError, match=f"line {number}: "):
            _File(file, common, str)
    file.write_bytes(data[:-1])
    found = _File(file, common, str).found
    assert len(found) == len(lines) - 1 and file.read_bytes() == b"".join(line + b"\n" for line in lines[:-1])


@pytest.mark.parametrize("count", [2, 3, 4, 5, 7, 8])
def test_swiss_rounds(count):
    """As many rounds as there can be: no two meet twice, nobody is left out twice, all but one play in each."""
    names, rng = [f"p{k}" for k in range(count)], np.random.default_rng(count)
    met, out = [], []
    for _ in range((count + 1) // 2):
        pairs = swiss_round(names, {name: rng.random() for name in names}, met)
        playing = [name for pair in pairs for name in pair]
        assert len(set(playing)) == len(playing) == count - count % 2
        out += set(names) - set(playing)
        met += pairs
    assert len({frozenset(pair) for pair in met}) == len(met) and len(set(out)) == len(out)


def test_swiss_pairs_equals():
    names = list("abcdef")
    assert swiss_round(names, dict.fromkeys(names, 0.0), []) == [("a", "b"), ("c", "d"), ("e", "f")]
    merits = {"a": 5.0, "b": 4, "c": 3, "d": 2, "e": 1, "f": 0}
    # a has met b, so it meets c; then b has d, and e has f.
    assert swiss_round(names, merits, [("a", "b")]) == [("a", "c"), ("b", "d"), ("e", "f")]
    # Of five the worst is left out, and in the next round the worst of the others.
    assert swiss_round(names[:5], merits, []) == [("a", "b"), ("c", "d")]
    again = swiss_round(names[:5], merits, [("a", "b"), ("c", "d")])
    assert again == [("a", "c"), ("b", "e")]


def test_swiss():
    entrants = ["cooperator", "defector", "tit_for_tat", "grudger", "alternator", "bully", "punisher"]
    totals = []
    found = tournament(REPEATED, entrants, 2, schedule="swiss", rounds=4, progress=lambda *a: totals.append(a))
    assert totals[-1] == (48, 48) and len(found.pairings) == 12
    met = [frozenset(one.policies) for one in found.pairings]
    assert len(set(met)) == 12 and all(len(pair) == 2 for pair in met)
    payoffs, _ = found.payoffs()
    assert np.isnan(np.diag(payoffs)).all() and (~np.isnan(payoffs)).sum() == 24
    assert len(found.standings()) == 7
    assert draw(found.scene()).shape[2] == 3


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((KUHN, ["random"]), "two entrants or more"),
        (("envsuite/FrozenLake-v0", ["random", "planner"]), "has one agent"),
        ((KUHN, ["random", "equilibrium"], 1), "episodes=1 must be from 2 to 10,000,000"),
        ((KUHN, ["random", "equilibrium"], 2, 0, "knockout"), "schedule='knockout' must be one of round_robin, swiss"),
        ((KUHN, ["random", "equilibrium"], 2, 0, "swiss", 2), "rounds=2 must be from 1 to 1"),
    ],
)
def test_tournament_mistakes(arguments, message):
    world, entrants, *rest = arguments
    keys = dict(zip(("episodes", "seed", "schedule", "rounds"), rest))
    with pytest.raises(ParameterError, match=message):
        tournament(world, entrants, **keys)


def test_pictures_hold_the_numbers():
    found = tournament(REPEATED, ["cooperator", "defector"], 2)
    texts = [shape.text for shape in found.scene().shapes if isinstance(shape, Label)]
    assert {"defector", "cooperator", "1000", "600", "200", "0", "Elo", "mean", REPEATED} <= set(texts)
    assert draw(found.scene()).std() > 10


def test_intervals_of_standings_are_possible_returns():
    """Two episodes of a game of -1, 0 and 1: the interval of Student's distribution alone is wider than that."""
    for row in tournament(FOUR, ["tactical", "random"], 2).standings():
        assert -1 <= row.value.low <= row.value.value <= row.value.high <= 1
