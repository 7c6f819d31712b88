"""Populations: the worst members copy the best, any number of workers gives the same bits, and resuming is exact."""

import numpy as np
import pytest

from envsuite import registry
from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError
from envsuite.learn import checkpoint
from envsuite.learn.checkpoint import CheckpointError
from envsuite.learn.population import EXPLORED, STEP, Population
from envsuite.learn.resume import resume

SMALL = {"num_envs": 8, "horizon": 16, "hidden": 8}


def small(**changes):
    given = {"world": "Empty", "params": {"size": 5}, "steps": 512, "members": 3, "ready": 256, "options": SMALL}
    return Population(**{**given, **changes})


def weights(population):
    parts = [checkpoint.unpack(member, "a member")[1] for member in population.members]
    return [{name: part[name].tobytes() for name in part} for part in parts]


def test_a_bad_rate_is_replaced():
    def trained(replaced):
        population = Population(
            "KuhnPoker", steps=16_000, members=2, ready=8000, ranges={"rate": (1e-6, 1e-2)}, replaced=replaced,
            options={"num_envs": 64, "horizon": 16, "hidden": 16, "agents": ["player_0"], "opponents": "random"},
        )  # fmt: skip
        population.train()
        return population

    alone, together = trained(0), trained(0.5)
    assert alone.rounds[0] == together.rounds[0]
    last, best = together.rounds[1], alone.best
    assert alone.rounds[1]["parents"] == [0, 1] and last["parents"] == [best, best]
    # At most 0.5 against random play, 0.125 by random play; thousands of games of standard deviation below 2.
    bad, good = alone.rounds[1]["returns"][1 - best], alone.rounds[1]["returns"][best]
    assert bad < 0.25 and good > 0.4 and min(last["returns"]) > 0.4
    assert last["returns"][best] == good and last["values"]["rate"][1 - best] in (1e-2 / STEP, 1e-2)


def test_the_worst_copy_the_best():
    population = small(members=4, ranges={"rate": (1e-4, 1e-2), "entropy": (1e-3, 1e-1)})
    first = {name: sorted(found.tolist()) for name, found in _values(population).items()}
    assert np.allclose(first["rate"], np.geomspace(1e-4, 1e-2, 4)) and first["entropy"][-1] == pytest.approx(0.1)
    population.train()
    population.rounds[-1]["returns"] = [0.5, None, 0.25, 0.125]
    before, (members, parents) = weights(population), population._exchanged()
    assert parents == [0, 0, 2, 3] and population.best == 0
    population.members = members
    after, values = weights(population), _values(population)
    assert [after[k] == before[k] for k in range(4)] == [True, False, True, True]
    for name, array in after[1].items():
        kept = not name.startswith(("net/", "adam/", "magnet/"))
        assert array == (before[1] if kept else before[0])[name], name
    for name, found in values.items():
        low, high = population.parameters["ranges"][name]
        assert any(np.isclose(found[1], np.clip(found[0] * STEP**k, low, high)) for k in (-1, 1))
    # A later stage of a curriculum is better than any return in an earlier one.
    population.rounds[-1] |= {"stages": [0, 1, 0, 0]}
    assert population.best == 1


def _values(population):
    own = [checkpoint.unpack(member, "a member")[0]["trainer"] for member in population.members]
    assert all(one[last] == one[name] for one in own for name, last in EXPLORED.items() if name != "magnet")
    return {name: np.array([one[name] for one in own]) for name in population.parameters["ranges"]}


def test_resume_is_exact(tmp_path):
    path, whole, stopped = tmp_path / "population", small(steps=768), small(steps=768)
    whole.train()

    class Stop(Exception):
        pass

    def stop(found):
        stopped.save(path)
        raise Stop

    with pytest.raises(Stop):
        stopped.train(after=stop)
    again = Population.load(path)
    assert again.done == 256
    again.train()
    assert weights(again) == weights(whole) and again.rounds == whole.rounds
    policy = make_policy(f"learned:{path}", registry.build("Empty", {"size": 5}))  # the best member of the first round
    assert (policy.network.weights[0]["policy"] == stopped.network().weights[0]["policy"]).all()


@pytest.mark.slow
def test_same_bits_for_any_number_of_workers():
    one, two = small(), small()
    one.train()
    two.train(workers=2)
    assert weights(one) == weights(two) and one.rounds == two.rounds


def test_refused(tmp_path):
    for wrong, words in (
        ({"ranges": {"hidden": (1, 2)}}, "ranges: hidden from 1 to 2"),
        ({"ranges": {"rate": (0, 2)}}, "positive ranges of rate"),
        ({"options": {"rate": 1e-3}}, "where the options do not set them"),
        ({"options": {"hiden": 8}}, "did you mean 'hidden'"),
        ({"options": {"schedule": lambda share: {}}}, "no schedule"),
        ({"world": "KuhnPoker", "params": None}, "are 0 in self-play: give opponents"),
        ({"world": "KuhnPoker", "params": None, "options": {"opponents": lambda o, m: 0}}, "opponents by name"),
    ):
        with pytest.raises(ParameterError, match=words):
            small(**wrong)
    path, made = tmp_path / "net", small(steps=128, ready=128)
    made.train()
    made.save(path)
    with pytest.raises(CheckpointError, match="without the state of their training"):
        resume(path)
    data, arrays = checkpoint.read(path)
    own = data["population"]
    for wrong in ({**own, "rounds": [{}]}, {**own, "parameters": {"mines": 1}}, {**own, "done": "x"}, {}, None):
        checkpoint.write(path, {**data, "population": wrong}, arrays)
        with pytest.raises(CheckpointError, match="cannot be resumed"):
            Population.load(path)
    best = f"member/{made.best}"
    checkpoint.write(path, data, {**arrays, best: arrays[best][:-1]})
    with pytest.raises(CheckpointError, match="the best member is no checkpoint"):
        Population.load(path)
    checkpoint.write(path, {name: value for name, value in data.items() if name != "population"}, arrays)
    with pytest.raises(CheckpointError, match="holds no population"):
        Population.load(path)
