"""Inject and repair: all single faults by an independent evaluator, a second game in lock-step, rewards, policies."""

import itertools
from fractions import Fraction
from functools import partial

import kit
import numpy as np
import pytest

from envsuite.core.errors import ActionError, ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.generators import describe, generate, generate_many
from envsuite.registry import build

ID = "envsuite/InjectAndRepair-v0"

started = partial(kit.started, ID)

#: The kinds in the order of the page, as functions of two bits.
GATES = {
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "xor": lambda a, b: a != b,
    "nand": lambda a, b: not (a and b),
    "nor": lambda a, b: not (a or b),
    "xnor": lambda a, b: a == b,
}
KINDS = list(GATES)


def outputs(level, kinds=None):
    """The outputs in each test, by the signals one after the other."""
    found = []
    for test in level["tests"]:
        signals = [digit == "1" for digit in test]
        for (kind, a, b), other in zip(level["gates"], kinds or [None] * len(level["gates"])):
            signals.append(bool(GATES[other or kind](signals[a], signals[b])))
        found.append(signals[-level["outputs"] :])
    return found


def failing(level, kinds):
    """The numbers of the tests that a circuit of these kinds fails."""
    pairs = zip(outputs(level), outputs(level, kinds))
    return [k for k, (right, found) in enumerate(pairs) if right != found]


def faults(level):
    """All circuits with one gate of another kind: the action that makes each, and its kinds."""
    kinds = [gate[0] for gate in level["gates"]]
    for k, (number, kind) in itertools.product(range(len(kinds)), enumerate(KINDS)):
        if kind != kinds[k]:
            yield 6 * k + number, [*kinds[:k], kind, *kinds[k + 1 :]]


SIZES = [dict(), dict(inputs=2, gates=1, outputs=1, tests=4), dict(inputs=5, gates=9, outputs=3, tests=20)]


@pytest.mark.parametrize("size", SIZES)
def test_all_single_faults(size):
    """Every single fault of random circuits is valid if and only if the other evaluator finds a failing test."""
    for level in generate_many("circuits", 2, seed=5, **size):
        known = list(faults(level))
        assert len(known) == 5 * len(level["gates"])
        batch = started(len(known), level=level, edits=1, **size)
        assert batch.world.get_level(batch.record()) == {name: level[name] for name in level if name != "kind"}
        expected = batch.observations["expected"][:, 0]
        assert (expected == np.array(outputs(level))).all()
        batch.actions[:, 0] = [action for action, _ in known]
        batch.step()
        wrong = [failing(level, kinds) for _, kinds in known]
        assert batch.over().tolist() == [not tests for tests in wrong]
        assert batch.rewards[:, 0].tolist() == [0 if tests else -1 for tests in wrong]
        assert not batch.rewards[:, 1:].any()
        assert batch.records["failing"][:, 0].tolist() == [sum(1 << k for k in tests) for tests in wrong]
        figures = describe(level)
        detected = [len(tests) for tests in wrong if tests]
        assert figures["faults"] == len(known) and figures["detected"] == len(detected)
        assert figures["difficulty"] == pytest.approx(1 - np.mean(detected) / len(level["tests"]), abs=1e-6)


class Game:
    """The game in plain Python, from the words of the page."""

    def __init__(self, level, repairers, edits, steps, cost, alpha):
        self.level, self.edits, self.steps, self.cost, self.alpha = level, edits, steps, cost, alpha
        self.kinds = [[gate[0] for gate in level["gates"]]] * (1 + repairers)
        self.runs, self.used, self.done = [set() for _ in range(repairers)], [0] * repairers, [False] * repairers
        self.repair, self.over, self.changes = False, False, 0

    def step(self, names):
        """Actions by name; the rewards of all agents."""
        rewards = [0.0] * len(self.kinds)
        if not self.repair:
            self.change(0, names[0])
            if names[0] == "done" or self.changes == self.edits:
                self.repair, self.kinds = True, [self.kinds[0]] * len(self.kinds)
                if not failing(self.level, self.kinds[0]):
                    self.over, rewards[0] = True, -1.0
            return rewards
        for k, name in enumerate(names[1:]):
            if not self.done[k]:
                self.used[k] += 1
                self.change(k + 1, name)
                if name.startswith("run"):
                    self.runs[k].add(int(name.split()[-1]))
                self.done[k] = name == "submit" or self.used[k] == self.steps
        if all(self.done):
            self.over = True
            solved = [not failing(self.level, kinds) for kinds in self.kinds[1:]]
            rewards[1:] = [(1 if s else -1) - self.cost * len(run) for s, run in zip(solved, self.runs)]
            p = sum(solved) / len(solved)
            rewards[0] = 1 - (1 + self.alpha) * p if 0 < p < 1 else -self.alpha
        return rewards

    def change(self, agent, name):
        if name.startswith("set"):
            _, gate, _, kind = name.split()
            kinds = list(self.kinds[agent])
            kinds[int(gate[1:])] = kind
            self.kinds[agent] = kinds
            self.changes += agent == 0


@pytest.mark.parametrize(
    "params",
    [
        dict(),
        dict(repairers=1, inputs=2, gates=2, outputs=1, tests=3, edits=1, steps=3),
        dict(repairers=5, inputs=3, gates=3, outputs=2, tests=6, edits=4, steps=9, cost=0.1, alpha=0.3),
    ],
)
def test_lock_step(params):
    """Random play, with more submissions than chance gives, in both games."""
    world, num = build(ID, params), 15
    batch = started(num, seed=11, **params)
    rules = {name: world.parameters[name] for name in ("repairers", "edits", "steps", "cost", "alpha")}
    games = [Game(world.get_level(batch.record(i)), **rules) for i in range(num)]
    rng, seen = np.random.default_rng(0), set()
    while not batch.over().all():
        for i, game in enumerate(games):
            for k, names in enumerate(world.action_names):
                legal = np.flatnonzero(batch.masks[i, k])
                wanted = not game.over and (k == 0) != game.repair and not (k and game.done[k - 1])
                assert wanted == bool(len(legal))
                if wanted:
                    changes = {f"set g{j} to {x}" for j, kind in enumerate(game.kinds[k]) for x in KINDS if x != kind}
                    tests = {
                        f"run test {j}" for j in range(len(game.level["tests"])) if k and j not in game.runs[k - 1]
                    }
                    assert {names[j] for j in legal} == changes | tests | {"submit" if k else "done"}
                    batch.actions[i, k] = legal[-1] if rng.random() < 0.1 else rng.choice(legal)
        running = ~batch.over()
        batch.step(where=running)
        for i in np.flatnonzero(running):
            rewards = games[i].step([names[a] for names, a in zip(world.action_names, batch.actions[i])])
            assert batch.rewards[i].tolist() == pytest.approx(rewards) and batch.over()[i] == games[i].over
            seen.add(rewards[0])
            for k, kinds in enumerate(games[i].kinds):
                shown = batch.observations["kinds"][i, k]
                hidden = k and not batch.records["phase"][i]
                assert shown.tolist() == ([-1] * len(kinds) if hidden else [KINDS.index(kind) for kind in kinds])
                if k:
                    right = np.array(outputs(games[i].level)).astype(int)
                    ran = np.isin(np.arange(len(right)), list(games[i].runs[k - 1]))[:, None]
                    assert (batch.observations["expected"][i, k] == np.where(ran, right, -1)).all()
    assert -1 in seen


LEVEL = {"inputs": 2, "outputs": 1, "gates": [["and", 0, 1], ["or", 2, 0]], "tests": ["00", "01", "10"]}
SMALL = dict(inputs=2, gates=2, outputs=1, tests=3)


def test_rewards_for_every_number_of_repairs():
    for repairers in (1, 2, 3, 5):
        for solved in range(repairers + 1):
            batch = started(repairers=repairers, level=LEVEL, edits=1, alpha=0.8, cost=0.25, **SMALL)
            names = batch.world.action_names
            batch.step(names[0].index("set g1 to and"))
            for move in ("set g1 to or", "submit"):
                for k in range(repairers):
                    batch.actions[0, 1 + k] = names[1].index(move if k < solved else "run test 2")
                    if k >= solved and move == "submit":
                        batch.actions[0, 1 + k] = names[1].index(move)
                batch.step()
            p = Fraction(solved, repairers)
            pay = 1 - Fraction(9, 5) * p if 0 < p < 1 else Fraction(-4, 5)
            assert batch.rewards[0].tolist() == pytest.approx(
                [float(pay), *[1] * solved, *[-1.25] * (repairers - solved)]
            )
    assert [float(1 - Fraction(9, 5) * Fraction(k, 3)) for k in (1, 2)] == pytest.approx([0.4, -0.2])  # the page


def test_all_short_repairs():
    """All faults of a small circuit and all repairs of two actions: success exactly where no test fails at the end."""
    level, size = {**LEVEL, "gates": LEVEL["gates"][:1]}, {**SMALL, "gates": 1}
    names = build(ID, size).action_names[1]
    valid = [(fault, kinds) for fault, kinds in faults(level) if failing(level, kinds)]
    moves = [(*fault, pair) for fault in valid for pair in itertools.product(range(len(names)), repeat=2)]
    batch = started(len(moves), level=level, repairers=1, edits=1, steps=2, **size)
    batch.actions[:, 0] = [fault for fault, _, _ in moves]
    batch.step()
    total = np.zeros(len(moves))
    for turn in range(2):
        batch.actions[:, 1] = [pair[turn] for *_, pair in moves]
        legal = batch.masks[np.arange(len(moves)), 1, batch.actions[:, 1]] > 0
        batch.step(where=legal)
        total += np.where(legal, batch.rewards[:, 1], 0)
    solved = set()
    for i in np.flatnonzero(batch.over()):
        _, (kind,), pair = moves[i]
        runs, names_of = 0, [names[action] for action in pair]
        for name in names_of[: 1 + (names_of[0] != "submit")]:
            kind = name.split()[-1] if name.startswith("set") else kind
            runs += name.startswith("run")
        assert total[i] == pytest.approx((-1 if failing(level, [kind]) else 1) - 0.02 * runs)
        solved.add(total[i] > 0)
    assert batch.over().mean() > 0.5 and solved == {True, False}


@pytest.mark.parametrize("seed", range(2))
def test_the_diagnostician_repairs_all_single_faults(seed):
    """With one change and time for all tests, every valid fault is repaired."""
    size = dict(inputs=3, gates=4, outputs=2, tests=6)
    level = generate("circuits", seed=seed, **size)
    valid = [action for action, kinds in faults(level) if failing(level, kinds)]
    batch = started(len(valid), level=level, repairers=1, edits=1, steps=8, cost=0.0, **size)
    batch.actions[:, 0] = valid
    batch.step()
    assert len(valid) > 5 and not batch.over().any()
    returns = kit.finish(batch, "diagnostic")
    assert (returns == [-0.8, 1.0]).all()
    assert (batch.records["failing"][:, 1] == 0).all()


def test_injectors():
    """Both break the circuit; the diagnostician breaks as few tests as any single fault can."""
    for policy in ("climber", "diagnostic:changes=1"):
        batch = started(12, seed=3, edits=1)
        levels = [batch.world.get_level(batch.record(i)) for i in range(12)]
        player = kit.make_policy(policy, batch.world)
        player.reset(0, 12)
        batch.step(player.act_batch(batch.observations, batch.masks, range(4)))
        for level, record in zip(levels, batch.records):
            counts = [len(failing(level, kinds)) for _, kinds in faults(level)]
            least = min((count for count in counts if count), default=0)
            found = int(record["failing"][0]).bit_count()
            assert found in counts and (found > 0 or not least)
            assert policy == "climber" or found == least


@pytest.mark.slow
def test_who_repairs_how_much():
    world = build(ID)

    def repaired(policy):
        return play(world, ["climber"] + [policy] * 3, 200).returns[:, 1:].mean()

    assert repaired("diagnostic") > repaired("climber") + 0.15 > repaired("random") + 0.9
    mixed = play(world, ["diagnostic", "random", "climber", "diagnostic"], 200).returns
    assert mixed[:, 0].mean() > play(world, ["random", "random", "climber", "diagnostic"], 200).returns[:, 0].mean()


def test_levels():
    batch = started(level=LEVEL, **SMALL)
    assert batch.world.get_level(batch.record()) == LEVEL
    assert started(level=generate("circuits", seed=1)).num == 1
    gates = LEVEL["gates"]
    kit.refuses(
        batch.world,
        ({**LEVEL, "depth": 2}, "unknown part 'depth'"),
        ({**LEVEL, "inputs": 6}, "inputs=6 must be an integer from 2 to 5"),
        ({**LEVEL, "inputs": 3, "tests": ["000", "001", "010"]}, "3 inputs; the parameter inputs is 2"),
        ({**LEVEL, "outputs": 2}, "2 outputs; the parameter outputs is 1"),
        ({**LEVEL, "outputs": 3}, "outputs=3 must be an integer from 1 to 2"),
        ({**LEVEL, "gates": gates[:1]}, "1 gates; the parameter gates is 2"),
        ({**LEVEL, "gates": []}, "gates must be a list of 1 to 12 entries"),
        ({**LEVEL, "gates": [["not", 0, 1], gates[1]]}, "gate 0 is .*not a kind"),
        ({**LEVEL, "gates": [gates[0], ["or", 0, 3]]}, "sources of gate 1 must be two different signals below 3"),
        ({**LEVEL, "gates": [["and", 1, 1], gates[1]]}, "sources of gate 0 must be two different signals below 2"),
        ({**LEVEL, "tests": ["00", "01"]}, "2 tests; the parameter tests is 3"),
        ({**LEVEL, "tests": ["00", "01", "12"]}, "the test '12' must be a text of 2 digits"),
        ({**LEVEL, "tests": ["00", "01", "00"]}, "all tests must differ"),
        ({**LEVEL, "tests": "000110"}, "tests must be a list of 1 to 32 entries"),
    )


def test_random_circuits():
    """Kinds and tests are uniform; sources are earlier signals, the first an unused one while there are any."""
    levels = generate_many("circuits", 400, seed=1)
    kinds = np.array([[KINDS.index(gate[0]) for gate in level["gates"]] for level in levels])
    assert abs(np.bincount(kinds.ravel(), minlength=6) - 400).max() < 5 * 20
    shown = np.array([[int(test, 2) for test in level["tests"]] for level in levels])
    assert abs(np.bincount(shown.ravel(), minlength=16) - 200).max() < 5 * 14
    for level in levels:
        used = set()
        for k, (_, first, second) in enumerate(level["gates"]):
            assert max(first, second) < 4 + k and first != second
            assert first not in used or used == set(range(4 + k))
            used |= {first, second}
        assert len(set(level["tests"])) == 8


def test_wrong_parameters_states_and_actions():
    for params, message in (
        ({"outputs": 3, "gates": 2}, "outputs=3 must be at most gates=2"),
        ({"inputs": 2, "tests": 5}, "tests=5 must be at most 4"),
        ({"edits": 0}, "edits"),
        ({"repairers": 9}, "repairers"),
        ({"alpha": 1.5}, "alpha"),
    ):
        with pytest.raises(ParameterError, match=message):
            build(ID, params)
    batch = started(level=LEVEL, edits=1, **SMALL)
    before = batch.records.tobytes()
    batch.actions[0, 0] = 0  # g0 is of the kind `and` already
    with pytest.raises(ActionError, match="injector"):
        batch.step()
    assert batch.records.tobytes() == before
    records = batch.records.copy()
    records["edits"] = 1
    with pytest.raises(SnapshotError, match="no changes left"):
        batch.world.admit(records)
    batch.step(batch.world.action_names[0].index("set g1 to and"))
    for field, value, message in (("ended", 1, "all repairs"), ("used", 6, "no actions"), ("failing", 8, "failing")):
        records = batch.records.copy()
        records[field] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


def test_text_and_picture():
    batch = started(level=LEVEL, edits=1, repairers=2, **SMALL)
    world, names = batch.world, batch.world.action_names
    assert "g1 = or(g0, a)" in world.text(batch.record(), 0) and "g1 = ?(g0, a)" in world.text(batch.record(), 1)
    batch.step(names[0].index("set g1 to and"))
    batch.actions[0, 1:] = names[1].index("run test 2"), names[1].index("submit")
    batch.step()
    text = world.text(batch.record(), 1)
    assert (
        "test 2, inputs 10: your outputs 0, expected 1, fails" in text
        and "test 0, inputs 00: your outputs 0, not run" in text
    )
    assert "Others act." in world.text(batch.record(), 2)
    shapes = [world.scene(batch.record(), agent).shapes for agent in (None, 0, 1, 2)]
    batch.record().level.kinds[0] = 1  # repairers do not know the original
    assert [world.scene(batch.record(), agent).shapes for agent in (1, 2)] == shapes[2:]
    assert world.scene(batch.record(), 0).shapes != shapes[1]
    batch.record().level.kinds[0] = 0
    kit.act(batch, "set g1 to or", "submit")
    assert "1 of 2 repairers succeeded" in world.text(batch.record(), 2) and batch.terminations.all()
    assert batch.rewards[0].tolist() == pytest.approx([0.1, 0.98, -1])
