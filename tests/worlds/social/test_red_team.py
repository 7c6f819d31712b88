"""Red team: the source's payoffs, the Bayes-optimal threshold, a linear program, drift and signs, policies, views."""

import itertools
from functools import partial
from math import comb, log

import kit
import numpy as np
import pytest
from scipy import optimize

from envsuite.agents import make_policy
from envsuite.core.chance import Explorer
from envsuite.core.errors import ActionError, ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.registry import build
from envsuite.solvers.equilibria import zero_sum_nash
from envsuite.solvers.game_tree import Tree
from envsuite.talk.table import Talk
from envsuite.talk.voice import sentences

ID = "envsuite/RedTeam-v0"

started = partial(kit.started, ID)

#: By payoff: the pay of attacker and defender by seed and prompt (1 harmful) and answer (1 refused). The first two are
#: what `get_redteaming_game_reward_general_sum` of mickelliu/selfplay-redteaming at 3ecba20 returns.
PAYS = {
    "general_sum": {
        (1, 1, 0): (2, -2), (1, 1, 1): (-1, 2), (1, 0, 0): (-2, 2), (1, 0, 1): (-1, 0),
        (0, 0, 0): (-1, 2), (0, 0, 1): (0, 0), (0, 1, 0): (1, -2), (0, 1, 1): (-2, 2),
    },
    "all_one": {
        (1, 1, 0): (3, -2), (1, 1, 1): (-1, 2), (1, 0, 0): (-3, 2), (1, 0, 1): (-1, 0),
        (0, 0, 0): (-1, 2), (0, 0, 1): (1, 0), (0, 1, 0): (1, -2), (0, 1, 1): (-3, 2),
    },
}  # fmt: skip
PAYS["zero_sum"] = {case: (-defender, defender) for case, (_, defender) in PAYS["general_sum"].items()}


@pytest.mark.parametrize("payoff", PAYS)
def test_payoffs(payoff):
    for (seed, truth, answer), pays in PAYS[payoff].items():
        batch = started(payoff=payoff, rounds=1, level={"seeds": [seed]})
        kit.act(batch, ("benign plain", "harmful plain")[truth])
        assert batch.rewards[0].tolist() == [0, 0] and not batch.over()[0]
        seen = batch.observations[0]
        assert seen["pays"][:, seed, truth, answer].tolist() == list(pays)
        kit.act(batch, ("comply", "refuse")[answer])
        assert batch.rewards[0].tolist() == list(pays) and batch.terminations.all()
        assert batch.observations[0]["earned"][:, 0].tolist() == list(pays)


#: Drift and hidden part of the signs at full effort, as on the page.
TACTICS = {"plain": (0, 0), "role play": (0.1, 0.5), "fiction": (0.2, 0.75), "cipher": (0.4, 1)}


def prompts(levels=3, noise=0.2):
    """Of each of the attacker's actions: its name, whether it is meant to be harmful, tactic, drift and error."""
    for meant, (number, (tactic, (drift, hides))) in itertools.product((0, 1), enumerate(TACTICS.items())):
        for effort in range(1, levels + 1) if number else (0,):
            name = f"{('benign', 'harmful')[meant]} {tactic}" + f" {effort}" * bool(number)
            f = effort / levels
            yield name, meant, number, drift * f, noise + hides * f * (0.5 - noise)


def chances(meant, drift, error, signs):
    """The probabilities of each truth and number of signs, (2, signs + 1)."""
    p = np.array([error, 1 - error])[:, None]
    k = np.arange(signs + 1)
    ways = np.array([comb(signs, n) for n in k])
    return np.where(np.arange(2) == meant, 1 - drift, drift)[:, None] * ways * p**k * (1 - p) ** (signs - k)


@pytest.mark.parametrize("levels, noise, signs", [(3, 0.2, 4), (1, 0.35, 2)])
def test_drift_and_signs(levels, noise, signs):
    """Truths and signs of every prompt have exactly the probabilities of the page."""
    world = build(ID, dict(rounds=1, levels=levels, noise=noise, signs=signs))
    explorer, known = Explorer(world), list(prompts(levels, noise))
    assert list(world.action_names[0]) == [name for name, *_ in known]
    start = explorer.starts()[0].record
    for action, (_, meant, number, drift, error) in enumerate(known):
        found = np.zeros((2, signs + 1))
        for outcome in explorer.successors(start, [action, 0]):
            record = outcome.record
            assert record["tactics"][0] == number and record["meant"][0] == meant
            found[record["truths"][0], record["shown"][0]] += outcome.probability
        np.testing.assert_allclose(found, chances(meant, drift, error, signs), atol=1e-12)


def test_seeds():
    for harmful in (0.0, 0.3, 1.0):
        explorer = Explorer(build(ID, dict(rounds=2, harmful=harmful)))
        found = {tuple(start.record["seeds"].tolist()): start.probability for start in explorer.starts()}
        for seeds in itertools.product((0, 1), repeat=2):
            expected = harmful ** sum(seeds) * (1 - harmful) ** (2 - sum(seeds))
            assert found.get(seeds, 0) == pytest.approx(expected)


def value_of(tree, behaviour):
    """The defender's mean pay in a tree against the uniform attacker."""
    profile = tree.uniform()
    own = tree.owned(1)
    profile[own] = behaviour[own]
    return tree.values(profile)[1]


@pytest.mark.parametrize("params", [dict(levels=1, signs=3), dict(levels=2, signs=1, noise=0.1)])
def test_bayes_is_the_best_defender(params):
    """Against a uniform attacker: the tree's best response, the best of all answers by enumeration, and `bayes`."""
    levels, signs, noise = params["levels"], params["signs"], params.get("noise", 0.2)
    tree = Tree(build(ID, dict(params, rounds=1)))
    best, _ = tree.best_response(1, tree.uniform())
    bayes = tree.tabulated(make_policy("bayes", tree.world), {1})
    known = list(prompts(levels, noise))
    total = 0.0
    for number in range(4):
        parts = [chances(meant, d, e, signs) for _, meant, tactic, d, e in known if tactic == number]
        joint = sum(parts) / len(known)
        values = []
        for answers in itertools.product((0, 1), repeat=signs + 1):  # all answers to all numbers of signs
            pays = np.array([[PAYS["general_sum"][t, t, a][1] for a in answers] for t in (0, 1)])
            values.append((joint * pays).sum())
        total += max(values)
    assert best == pytest.approx(total) and value_of(tree, bayes) == pytest.approx(total)


def answer(batch, policy, agent, **params):
    """The actions (N,) of an agent by a policy, in all worlds of a batch."""
    player = make_policy(policy, batch.world, **params)
    player.reset(0, batch.num)
    return player.act_batch(batch.observations[:, [agent]], batch.masks[:, [agent]], [agent])[:, 0]


@pytest.mark.parametrize("signs, noise, prior", list(itertools.product((4, 5, 9), (0.1, 0.3), (0.2, 0.5, 0.8))))
def test_threshold_in_closed_form(signs, noise, prior):
    """Of plain prompts, a part `prior` harmful, the defender refuses from the page's number of signs on."""
    batch = started(signs + 1, rounds=1, signs=signs, noise=noise)
    kit.act(batch, "harmful plain")
    batch.records["shown"][:, 0] = np.arange(signs + 1)
    batch.observe()
    threshold = signs / 2 + log((1 - prior) / (2 * prior)) / (2 * log((1 - noise) / noise))
    assert abs(threshold - round(threshold)) > 1e-9 or (1 - prior) == 2 * prior
    assert answer(batch, "bayes", 1, prior=prior).tolist() == [k > threshold for k in range(signs + 1)]


def linear_program(signs=5, levels=3, noise=0.2):
    """What the defender earns at least in one round of the zero-sum game: the least over prompts, made largest."""
    width, rows, limits = 4 * (signs + 1), [], []
    pays = PAYS["zero_sum"]
    for _, meant, number, drift, error in prompts(levels, noise):
        joint = chances(meant, drift, error, signs)
        comply, refuse = (np.array([pays[t, t, answer][1] for t in (0, 1)])[:, None] for answer in (0, 1))
        row = np.zeros(width + 1)
        row[number * (signs + 1) : (number + 1) * (signs + 1)] = (joint * (comply - refuse)).sum(axis=0)
        row[-1] = 1
        rows.append(row)
        limits.append((joint * comply).sum())
    bounds = [(0, 1)] * width + [(None, None)]
    return -optimize.linprog([0] * width + [-1], rows, limits, bounds=bounds).fun


def test_zero_sum_value():
    assert linear_program() == pytest.approx(0.7613314, abs=1e-6)  # as on the page
    assert linear_program(noise=0.5) == pytest.approx(2 / 3)
    params = dict(signs=2, levels=1, noise=0.1)
    tree = Tree(build(ID, dict(params, payoff="zero_sum", rounds=1)))
    assert -zero_sum_nash(tree)[0] == pytest.approx(linear_program(**params), abs=1e-6)


def test_what_agents_see():
    batch = started(seed=2, level={"seeds": [1, 0] * 5})
    attacker, defender = batch.observations[0]
    assert attacker["seed_kind"][0] == 1 and defender["seed_kind"][0] == -1
    kit.act(batch, "harmful role play 2")
    attacker, defender = batch.observations[0]
    assert attacker["phase"][0] == defender["phase"][0] == 1 and attacker["signs"][0] == -1
    assert attacker["tactic"][0] == defender["tactic"][0] == 1
    shown, truth = int(batch.record().shown[0]), int(batch.record().truths[0])
    assert defender["signs"][0] == shown and (defender["past"] == -1).all()
    kit.act(batch, "refuse")
    attacker, defender = batch.observations[0]
    assert attacker["past"][0].tolist() == [1, 1, shown, truth, 1] and attacker["seed_kind"][0] == 0
    assert defender["past"][0].tolist() == [-1, 1, shown, truth, 1] and defender["left"][0] == 9
    assert (attacker["past"][1:] == -1).all() and attacker["rules"].tolist() == [0.5, 0.2, 3, 5]


def test_the_defender_learns_nothing_of_effort_and_seed():
    """A record with another seed, effort and intention looks the same to the defender, in words and picture too."""
    batch = started(seed=1)
    kit.act(batch, "harmful cipher 3", "comply", "harmful cipher 1")
    world, s = batch.world, batch.record()
    seen = world.observation(s, 1)["past"].tolist(), world.text(s, 1), world.prompt(s, 1), world.scene(s, 1).shapes
    mine = world.text(s, 0), world.scene(s, 0).shapes
    s.efforts[0], s.efforts[1], s.meant[1], s.truths[1] = 1, 2, 0, 1 - s.truths[1]
    s.seeds[1] = 1 - s.seeds[1]
    assert seen == (
        world.observation(s, 1)["past"].tolist(), world.text(s, 1), world.prompt(s, 1), world.scene(s, 1).shapes
    )  # fmt: skip
    assert mine != (world.text(s, 0), world.scene(s, 0).shapes)


def mean(attacker, defender, num=60, **params):
    return play(build(ID, params), [attacker, defender], num).returns.mean(axis=0)


def test_naive_agents():
    assert mean("naive", "naive:signs=6", harmful=1.0, num=2).tolist() == [20, -20]
    assert mean("naive", "naive", noise=0.0, num=2)[1] == 20
    assert mean("naive", "naive:signs=0", harmful=0.0, num=2).tolist() == [0, 0]


@pytest.mark.slow
def test_who_earns_what():
    against_random = mean("random", "bayes")[1]
    assert against_random > mean("random", "random")[1] + 4 and against_random > mean("random", "naive:signs=0")[1] + 1
    assert mean("bayes", "bayes")[0] > mean("naive", "bayes")[0] + 2 > mean("random", "bayes")[0] + 2
    careless = mean("adaptive", "naive:signs=6", rounds=20)[0]  # it learns that nothing is refused
    assert careless > mean("bayes", "naive:signs=6", rounds=20)[0]
    assert mean("bayes", "adaptive")[1] > mean("bayes", "bayes")[1] + 0.5


@pytest.mark.parametrize("seed, payoff", list(itertools.product((0, 1), PAYS)))
def test_the_attacker_writes_the_best_prompt(seed, payoff):
    """No prompt earns more against the defender `bayes` than the one that the attacker `bayes` writes."""
    level = {"seeds": [seed] * 10}
    batch = started(24, payoff=payoff, level=level)
    kit.act(batch, "harmful plain")
    batch.records["tactics"][:, 0], batch.records["shown"][:, 0] = np.divmod(np.arange(24), 6)
    batch.observe()
    answers = answer(batch, "bayes", 1).reshape(4, 6)
    means = []
    for _, meant, number, drift, error in prompts():
        pays = np.array([[PAYS[payoff][seed, truth, a][0] for a in answers[number]] for truth in (0, 1)])
        means.append((chances(meant, drift, error, 5) * pays).sum())
    batch.start(0, level)
    assert means[answer(batch, "bayes", 0)[0]] == pytest.approx(max(means))


def test_levels():
    level = {"seeds": [1, 0, 0]}
    batch = started(rounds=3, level=level)
    assert batch.world.get_level(batch.record()) == level
    kit.refuses(
        batch.world,
        ({}, "not nothing"),
        ({"seed": [0] * 3}, "not 'seed'"),
        ({"seeds": [0] * 2}, "seeds must be a list of 3 integers from 0 to 1"),
        ({"seeds": "010"}, "seeds must be a list of 3 integers from 0 to 1"),
        ({"seeds": [0, 2, 0]}, r"seeds\[1\]=2 must be an integer from 0 to 1"),
        ({"seeds": [0, 0, True]}, r"seeds\[2\]=True must be an integer from 0 to 1"),
    )


def test_wrong_parameters_states_and_actions():
    for params in ({"rounds": 0}, {"payoff": "fair"}, {"noise": 0.6}, {"levels": 6}, {"signs": 17}, {"harmful": 1.1}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            build(ID, params)
    batch = kit.act(started(), "harmful fiction 1")
    for field, place, value, message in (
        ("turn", 0, 10, "all rounds have been played"),
        ("phase", 0, 0, "prompts do not go with the turn"),
        ("truths", (0, 4), 1, "prompts do not go with the turn"),
        ("answers", (0, 0), 1, "answers do not go with the turn"),
        ("tactics", (0, 0), 4, "tactics"),
    ):
        records = batch.records.copy()
        records[field][place] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)
    before = batch.records.tobytes()
    with pytest.raises(ActionError, match="defender"):
        batch.actions[0, 1] = 2
        batch.step()
    assert batch.records.tobytes() == before


def test_text_and_picture():
    batch = started(seed=3, rounds=2, level={"seeds": [1, 0]})
    world = batch.world
    assert "Your seed is harmful." in world.text(batch.record(), 0)
    page = world.prompt(batch.record(), 0)
    assert "A harmful prompt from a harmful seed pays 2 if it is answered and -1 if refused." in page
    assert "from a benign seed" in page and "from a benign seed" not in world.prompt(batch.record(), 1)
    kit.act(batch, "harmful plain")
    shown = batch.record().shown[0]
    assert f"the tactic plain shows {shown} of 5 warning signs." in world.text(batch.record(), 1)
    kit.act(batch, "refuse", "benign plain", "comply")
    text = world.text(batch.record(), 0)
    assert f"- Round 1: harmful seed, harmful prompt (plain, {shown} of 5 signs), refused." in text
    assert "You have earned -2." in text and "It is over." in text
    for agent in (None, 0, 1):
        assert len(world.scene(batch.record(), agent).shapes) > 30


def test_who_hears_a_prompt():
    """Both hear the prompt and the answer of the one whose turn it is; both bind."""
    batch = started(rounds=2)
    world, s = batch.world, batch.record()
    for player, move in ((0, "harmful cipher 2"), (1, "refuse"), (0, "benign plain"), (1, "comply")):
        assert list(world.speech(s, player, world.action_names[player].index(move))) == [0, 1]
        assert world.speech(s, 1 - player, 0) is None
        kit.act(batch, move)
    with pytest.raises(ParameterError, match="every act of speech binds"):
        Talk("free").demand(world)
    Talk("beside").demand(world)


def test_sentences_tell_no_more_of_a_prompt_than_its_tactic():
    """The defender sees neither what a prompt was meant to be nor its effort."""
    world, told = build(ID), {}
    for name in world.action_names[0]:
        tactic = name.partition(" ")[2].rstrip(" 123")
        told.setdefault(tactic, set()).add(tuple(sentences(world, name)))
    assert set(told) == {"plain", "role play", "fiction", "cipher"}
    assert all(len(found) == 1 for found in told.values()) and len(set.union(*told.values())) == 4
