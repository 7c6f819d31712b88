"""Uncertainty: the same numbers in the infos of all interfaces, in and out of them, and clear refusals."""

import math

import gymnasium
import numpy as np
import pytest

import envsuite
from envsuite.core.errors import ParameterError
from envsuite.episodes.oversight import Oversight
from envsuite.episodes.uncertainty import Uncertainty
from envsuite.interfaces.vector import SeatVector
from envsuite.registry import build

ID = "envsuite/Mastermind-v0"
#: A game that ends with its second guess, and what is known after each digit.
PARAMS, LEVEL, MOVES = dict(pegs=2, colors=3), {"code": [2, 0]}, (0, 1, 2, 0)
COUNTS = (9, 9, 2, 2, 1)  # the answer to 0 1 leaves 2 0 and 1 2


def rows():
    """The numbers of every interface in this game, one after the other."""
    options = {"level": LEVEL}
    aec = envsuite.make_aec(ID, **PARAMS)
    with Uncertainty(aec):
        aec.reset(seed=0, options=options)
        found = [aec.last()[4]]
        for move in MOVES:
            aec.step(move)
            found.append(aec.infos["agent"])
    yield found
    parallel = envsuite.make_parallel(ID, **PARAMS)
    with Uncertainty(parallel):
        found = [parallel.reset(seed=0, options=options)[1]["agent"]]
        found += [parallel.step({"agent": move})[4]["agent"] for move in MOVES]
    yield found
    seat = gymnasium.make(ID, **PARAMS)
    with Uncertainty(seat):
        found = [seat.reset(seed=0, options=options)[1], *(seat.step(move)[4] for move in MOVES)]
    yield found
    for vector in (envsuite.make_vec(ID, 2, **PARAMS), SeatVector(build(ID, PARAMS), 2)):
        with Uncertainty(vector):
            found = [vector.reset(seed=0, options=options)[1]]
            for move in MOVES:
                found.append(vector.step(np.full(vector.action_space.shape, move))[4])
            assert found[0]["_entropy"].all() and found[0]["entropy"].shape == vector.action_space.shape
        yield [{name: info[name].reshape(-1)[1].item() for name in ("consistent", "entropy")} for info in found]


def test_all_interfaces():
    for found in rows():
        assert [info["consistent"] for info in found] == list(COUNTS)
        assert [info["entropy"] for info in found] == pytest.approx([math.log2(count) for count in COUNTS])
        assert all(type(info[name]) is float for info in found for name in ("consistent", "entropy"))


def test_same_step():
    """The final info is that of the game that ended; the info is that of the next one."""
    envs = envsuite.make_vec(ID, 2, autoreset="same_step", **PARAMS)
    with Uncertainty(envs):
        envs.reset(seed=0, options={"level": LEVEL})
        for move in MOVES:
            *_, infos = envs.step(np.full((2, 1), move))
    assert infos["final_info"]["consistent"].tolist() == [[1.0], [1.0]]
    assert infos["consistent"].tolist() == [[9.0], [9.0]]


def test_only_while_it_is_asked_for():
    env = envsuite.make_parallel(ID, **PARAMS)
    uncertainty = Uncertainty(env)
    with Oversight(env, "consistent"):
        _, infos = env.reset(seed=0)
        assert {"consistent", "entropy", "overseer_acted"} <= infos["agent"].keys()
        uncertainty.close()
        _, infos = env.reset(seed=0)
        assert "consistent" not in infos["agent"] and "overseer_acted" in infos["agent"]
    assert env.batch.reporters == ()


def test_refusals():
    for env in (
        envsuite.make_parallel("envsuite/ConnectFour-v0"),
        gymnasium.make("envsuite/Battleship-v0", fleet="five"),
    ):
        with pytest.raises(ParameterError, match="counts no secrets"):
            Uncertainty(env)
    with pytest.raises(ParameterError, match="no environment of envsuite"):
        Uncertainty(3)
