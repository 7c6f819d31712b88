"""The table of reference scores: complete, and what a sample of it is measured to be now."""

import math

import numpy as np
import pytest

import envsuite
from envsuite import registry
from envsuite.core.errors import ParameterError
from envsuite.core.parameters import to_json
from envsuite.evaluation import reference, stored
from envsuite.evaluation.matches import play
from envsuite.evaluation.reference import measure, reference_scores, wanted_rows
from envsuite.registry import build

KUHN = "envsuite/KuhnPoker-v0"

#: Worlds of the sample: quick, and compiled by other tests as they are.
SAMPLE = [KUHN, *(f"envsuite/{name}-v0" for name in ("ConnectFour", "FrozenLake", "OffSwitch", "PublicGoods"))]


@pytest.mark.parametrize("id", envsuite.ids())
def test_every_policy_of_every_world_has_its_rows(id):
    world = build(id)
    rows = {(row.policy, row.others): row for row in reference.scores_of(id)}
    missing = set(wanted_rows(world)) ^ set(rows)
    assert not missing, f"{missing}: python -m envsuite.evaluation.reference brings the table up to date"
    assert {name for name, _ in rows} == set(envsuite.policies(id))
    count = len(world.agents)
    assert {others for _, others in rows} == ({None} if count == 1 else {None, reference.usual_others(world)})
    for row in rows.values():
        assert row.params == to_json(world.parameters, str)
        assert len(row.returns) == len(row.errors) == count and row.episodes >= 2 and row.seed == reference.SEED
        assert row.mean == pytest.approx(np.mean(row.returns)) and row.length >= 1
        assert all(math.isfinite(value) and value >= 0 for value in (row.error, *row.errors))
        low, high = world.reward_range
        # A transition is a reward for each agent, so no return is beyond the largest of them in all transitions.
        assert all(math.isfinite(value) for value in row.returns)
        if np.isfinite(high - low) and count == 1:
            assert low * row.length - 1e-9 <= row.mean <= high * row.length + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("id", SAMPLE)
def test_the_table_has_not_drifted(id):
    """Measured again with the same seeds. Where this fails the rules or a policy have changed, or chance is used
    differently: if that is wanted, python -m envsuite.evaluation.reference measures anew."""
    for row in reference_scores(id) + reference_scores(id, reference.usual_others(build(id))):
        again = measure(id, row.policy, row.others, row.episodes, row.seed)
        for name in ("mean", "error", "returns", "errors", "length"):
            assert getattr(again, name) == pytest.approx(getattr(row, name), rel=1e-9, abs=1e-9), (row.policy, name)
        assert (again.params, again.world) == (row.params, row.world)


def test_known_scores():
    """Kuhn poker's equilibrium is worth -1/18 to the first player (Kuhn, 1950)."""
    row = next(row for row in reference_scores(KUHN) if row.policy == "equilibrium")
    assert abs(row.returns[0] + 1 / 18) < 4 * row.errors[0] < 0.1
    assert [row.policy for row in reference_scores("envsuite/FrozenLake-v0")] == ["planner", "random"]


def test_measured_in_one_seat_after_the_other():
    row = measure(KUHN, "random", "equilibrium", 500, 7)
    first, second = (
        play(KUHN, seats, 500, 7).returns for seats in (["random", "equilibrium"], ["equilibrium", "random"])
    )
    both = (first[:, 0] + second[:, 1]) / 2
    assert row.returns == pytest.approx((first[:, 0].mean(), second[:, 1].mean()))
    assert row.mean == pytest.approx(both.mean()) and row.error == pytest.approx(both.std(ddof=1) / 500**0.5)
    assert row.interval().low < row.mean < row.interval().high
    with pytest.raises(ParameterError, match="there are no others"):
        measure("envsuite/FrozenLake-v0", "random", "random", 5)


def test_usual_episodes(monkeypatch):
    """As many as the budget allows: 1, 2 or 5 times a power of ten."""
    assert reference.usual_episodes(build("envsuite/RepeatedGame-v0"), "random") == 1000  # 500_000 / (200 * 2)
    assert reference.usual_episodes(build("envsuite/RepeatedGame-v0"), "random", True) == 500
    assert reference.usual_episodes(build(KUHN), "random") == 10_000
    monkeypatch.setattr(reference, "BUDGET", 10)
    assert reference.usual_episodes(build(KUHN), "random") == 20


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A folder for tables of two worlds, quickly measured."""
    ids = ["envsuite/FrozenLake-v0", KUHN]
    monkeypatch.setattr(registry, "ids", lambda: ids)
    monkeypatch.setattr(reference, "EPISODES", (4, 4))
    return tmp_path / "scores"


def test_only_what_has_changed_is_measured(small):
    steps = []
    first = reference.update(small, progress=lambda *a: steps.append(a))
    assert [(row.world, row.policy, row.others) for row in first] == [
        ("envsuite/FrozenLake-v0", "random", None),
        ("envsuite/FrozenLake-v0", "planner", None),
        (KUHN, "random", None),
        (KUHN, "equilibrium", None),
        (KUHN, "random", "equilibrium"),
        (KUHN, "equilibrium", "equilibrium"),
    ]
    assert steps == [(k, 6) for k in range(1, 7)]
    text = texts(small)
    assert [len(one.splitlines()) for one in text.values()] == [6, 8]  # a row on each line, and two for each bracket
    assert reference.update(small) == [] and texts(small) == text
    rows = stored.rows(KUHN, "reference", small)
    rows[1]["code"] = "0"
    rows[2]["params"] = {"players": 3}
    expected = {(row["policy"], row["others"]) for row in rows[1:]}
    del rows[3]
    rows.append({**rows[0], "policy": "no more"})
    stored.write(KUHN, "reference", rows, small)
    stored.write("Gone", "reference", rows, small)
    again = {(row.policy, row.others) for row in reference.update(small)}
    assert again == expected and texts(small) == text


def texts(folder):
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def test_an_interrupt_keeps_rows_that_are_done(small):
    def interrupt(done, total):
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reference.update(small, progress=interrupt)
    assert len(stored.all_rows("reference", small)) == 4
    assert len(reference.update(small, ids=[KUHN])) == 2
    assert reference.update(small) == []


def test_other_parameters_have_no_reference():
    assert reference_scores(KUHN) and not reference_scores(build(KUHN, {"players": 3}))
    assert [row.mean for row in reference_scores(KUHN)] == sorted(
        (r.mean for r in reference_scores(KUHN)), reverse=True
    )
