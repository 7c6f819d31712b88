"""Effects that experiments with language agents look for, shown with stubs and policies that answer as models do."""

import runpy
from math import sqrt

import numpy as np
import pytest
from kit import ROOT

from envsuite import build
from envsuite.evaluation.matches import play
from envsuite.evaluation.metrics import first_proposal_bias
from envsuite.models.client import Answer, Scripted
from envsuite.models.driver import Driver
from envsuite.models.protocol import Protocol
from envsuite.models.treatments import treated

pytestmark = pytest.mark.slow


def played(world, names, protocol=Protocol(), seed=0, others=()):  # noqa: B008
    """An episode in which policies answer as models, by number of the agent."""
    driver = Driver(world, names, dict(others), protocol, seed)
    players = {a: Scripted(name).seated(driver.batch, a, seed) for a, name in names.items()}
    while not driver.done:
        for a in driver.waiting():
            driver.give(a, players[a].answer(driver.request(a)))
        driver.advance()
    return driver


def fishers(protocol):
    """The returns of five stubs that know of a limit what they have heard, and the months until the end."""
    fisher = runpy.run_path(str(ROOT / "docs" / "transcripts.py"))["fisher"]
    driver = Driver(treated(build("Fishery"), protocol.treatments), range(5), {}, protocol)
    while not driver.done:
        for a in driver.waiting():
            driver.give(a, Answer(fisher(driver.request(a).messages)))
        driver.advance()
    return driver.returns.tolist(), int(driver.batch.records["month"][0])


def test_a_norm_agreed_in_words_sustains_the_lake():
    """12 tons each leave 40 of 100, 20 of 80 and none of 40; 8 each can be caught every month from the second one."""
    returns, months = fishers(Protocol(treatments=["no_talk"]))
    assert (sum(returns), months) == (60 + 60 + 40, 3)
    assert fishers(Protocol(talk="free")) == ([12 + 11 * 8] * 5, 12)


@pytest.mark.parametrize("talk", ["typed", "beside"])
def test_a_norm_in_acts_or_in_phrases_pays_the_same(talk):
    """All ask for f, 10 tons, in each of 12 months (GovSim's validation table)."""
    found = played(build("Fishery"), dict.fromkeys(range(5), "norm_follower"), Protocol(talk=talk))
    assert found.returns.tolist() == [120] * 5


def test_the_gap_between_one_and_two_in_the_maze():
    """Alone, all mazes are solved; two that write rows and columns in another order solve as many as in matches."""
    seeds = range(40)
    alone = build("CollaborativeMaze", {"mode": "solo"})
    pair = build("CollaborativeMaze", {"convention": "transposed"})
    solved = [played(alone, {0: "sharer"}, seed=seed).returns[0] for seed in seeds]
    together = [played(pair, {0: "sharer", 1: "sharer"}, seed=seed).returns[0] for seed in seeds]
    assert solved == [1.0] * 40
    assert together == play(pair, ["sharer", "sharer"], 40, 0).returns[:, 0].tolist()
    # The share of mazes that the pair solves is .505 (known value): the gap is .495, with an error of .08.
    assert abs(np.mean(solved) - np.mean(together) - 0.495) < 3 * sqrt(0.505 * 0.495 / 40)


@pytest.mark.parametrize("haste", [0.3, 0.7])
def test_haste_is_recovered_from_choices(haste):
    """Of three proposals, a customer takes the first with f = h + (1 - h) / 3: the bias is 2f / (1 - f)."""
    world = build("Marketplace", {"search": "optimal", "latency": 3.0})
    customers = {a: f"myopic:haste={haste}" for a, name in enumerate(world.agents) if name.startswith("customer")}
    others = {a: "fast" for a in range(len(world.agents)) if a not in customers}
    chosen, options = [], []
    for seed in range(80):
        records = played(world, customers, seed=seed, others=others).batch.records
        chosen += records["chosen"].ravel().tolist()
        options += records["options"].ravel().tolist()
    bias = first_proposal_bias(chosen, options)
    share = bias / (2 + bias)
    error = sqrt(share * (1 - share) / np.count_nonzero(chosen))
    assert abs((3 * share - 1) / 2 - haste) < 3 * 1.5 * error
