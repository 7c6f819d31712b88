"""pass^k, what a call is counted by, and the report on a help desk."""

from math import comb

import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError
from envsuite.dual_control.telecom import Telecom
from envsuite.dual_control.telecom.levels import tasks
from envsuite.evaluation.reports import Report, levels_of, play, report, settings
from envsuite.evaluation.statistics import pass_hat_k
from envsuite.registry import build
from envsuite.render.scene import Circle, Label, Line, Rect

ID = "envsuite/Telecom-v0"


# pass^k.


def test_pass_hat_k_by_hand():
    # Of 4 trials 4, 2, 1 and 0 succeed: 1 + 1/2 + 1/4 for k = 1, 1 + 1/6 for k = 2, 1 for k = 3 and 4, over 4 tasks.
    successes = [4, 2, 1, 0]
    assert pass_hat_k(successes, 4, 1) == pytest.approx(7 / 16)
    assert pass_hat_k(successes, 4, 2) == pytest.approx(7 / 24)
    assert pass_hat_k(successes, 4, 3) == pass_hat_k(successes, 4, 4) == 0.25


def test_pass_hat_k_is_a_ratio_of_binomial_coefficients():
    for n in range(1, 9):
        for k in range(1, n + 1):
            for c in range(n + 1):
                assert pass_hat_k([c], n, k) == pytest.approx(comb(c, k) / comb(n, k))


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_pass_hat_k_is_unbiased(p):
    """Its mean over binomial numbers of successes is p**k, exactly."""
    n = 6
    for k in range(1, n + 1):
        mean = sum(comb(n, c) * p**c * (1 - p) ** (n - c) * pass_hat_k([c], n, k) for c in range(n + 1))
        assert mean == pytest.approx(p**k)


@pytest.mark.parametrize("successes, n, k", [([1], 4, 0), ([1], 4, 5), ([5], 4, 1), ([-1], 4, 1), ([], 4, 1)])
def test_pass_hat_k_refuses(successes, n, k):
    with pytest.raises(ParameterError):
        pass_hat_k(successes, n, k)


# What is counted.


def played(faults, trials=1, assistant="workflow", customer="hard", family="service", **params):
    world = build(ID, params)
    levels = [{"family": family, "faults": names.split()} for names in faults]
    return play(world, {"assistant": assistant, "customer": customer}, levels, trials)


def test_counts_by_hand():
    # The customer says the problem, and on request name and number; the desk finds it. Asked for the network it looks
    # and reports that airplane mode is on. On request it turns it off, says so, looks and reports again; goodbye.
    found = played(["airplane"])
    assert found.success.all() and not found.violations.any() and not found.errors.any() and not found.transferred.any()
    assert found.steps == 14 and found.turns == 10
    assert found.reads[0, 0].tolist() == [1, 2] and found.writes[0, 0].tolist() == [0, 1]
    # With a bill: line and bills are read, twice; request and resume; the customer pays and reboots.
    found = played(["bill_overdue"])
    assert found.success.all() and found.writes[0, 0].tolist() == [2, 2] and found.reads[0, 0, 0] == 4
    found = played(["sim_locked"])
    assert found.success.all() and found.transferred.all() and found.writes[0, 0].tolist() == [1, 0]


@pytest.mark.slow
def test_every_step_is_counted_once():
    for name in ("hard", "clumsy:rate=0.5", "reluctant", "random"):
        found = play(build(ID), {"assistant": name, "customer": name}, levels_of(build(ID, {"split": "base"})), 2)
        np.testing.assert_array_equal(found.steps, found.turns + (found.reads + found.writes).sum(axis=2))


# A customer who refuses at a rate r is asked again, at 2 steps a time, until the steps run out. So a call that takes b
# steps without refusals, one of them for each of i instructions, ends in time if there are at most (M - b) / 2 refusals
# in all, whose number has a negative binomial distribution.
@pytest.mark.parametrize("rate", [0.3, 0.6])
@pytest.mark.slow
def test_pass_k_with_a_reluctant_customer_has_a_closed_form(rate):
    trials, spare = 4000, 2
    for faults, instructions in (("airplane", 1), ("airplane sim_out", 2)):
        least = int(played([faults]).steps[0, 0])
        found = played([faults], trials, customer=f"reluctant:rate={rate}", max_steps=least + 2 * spare)
        p = sum(comb(j + instructions - 1, j) * rate**j for j in range(spare + 1)) * (1 - rate) ** instructions
        error = np.sqrt(p * (1 - p) / trials)
        for k in (1, 2, 4):
            assert abs(found.pass_k(k) - p**k) < 3.5 * k * p ** (k - 1) * error
        assert set(np.unique(found.steps)) <= set(range(least, least + 2 * spare + 1))


def test_a_clumsy_customer_by_enumeration():
    """Given the plan "toggle airplane mode" the assistant closes whatever came of it.

    The customer draws with chance q from the 25 tools that change something, of which no other turns airplane mode off.
    """
    trials, q = 4000, 0.5
    world = build(ID, {"mode": "oracle_plan"})
    level = {"family": "service", "faults": ["airplane"]}
    found = play(world, {"assistant": "plan", "customer": f"clumsy:rate={q}"}, [level], trials)
    p = 1 - q + q / 25
    for k in (1, 3):
        assert abs(found.pass_k(k) - p**k) < 3.5 * k * p ** (k - 1) * np.sqrt(p * (1 - p) / trials)


def test_trials_do_not_depend_on_what_else_is_played():
    listed = ["airplane", "sim_out", "apn_broken"]
    whole = played(listed, 3, customer="clumsy:rate=0.5", max_steps=60)
    world = build(ID, {"max_steps": 60})
    for i, names in enumerate(listed):
        level = {"family": "service", "faults": [names]}
        alone = play(world, {"assistant": "workflow", "customer": "clumsy:rate=0.5"}, [level], 3, seed=3 * i)
        np.testing.assert_array_equal(alone.steps[0], whole.steps[i])
        np.testing.assert_array_equal(alone.success[0], whole.success[i])


# The report.


@pytest.fixture(scope="module")
def found() -> Report:
    seen = []
    made = report(
        build(ID, {"split": "single", "max_steps": 24}), {"customer": "clumsy"}, 4, progress=lambda *of: seen.append(of)
    )
    assert seen[-1] == (20 * 4 * 8, 20 * 4 * 8) and seen == sorted(seen)
    return made


def whole(found, setting):
    return next(row for row in found.rows if row["setting"] == setting and row["group"] == "all")


def test_settings():
    names = [setting.name for setting in settings(build(ID), {})]
    assert names[:3] == ["alone", "given the plan", "with persona"]
    assert names[3:] == [f"with {kind}" for kind in ("easy", "hard", "clumsy", "reluctant")] + [
        "without questions",
        "without instructions",
    ]
    assert [setting.name for setting in settings(build(ID), {"assistant": "random", "customer": "hard"})][2:] == [
        "with hard", "with easy", "with clumsy", "with reluctant",
    ]  # fmt: skip
    own = make_policy("hard", build(ID))
    first, _, both, *_ = settings(build(ID), {"assistant": own, "customer": own})
    assert first.policies["assistant"] == "workflow" and both.name == "with hard" and both.policies["assistant"] is own
    with pytest.raises(ParameterError, match="no agent 'desk'; known: assistant, customer"):
        settings(build(ID), {"desk": "workflow"})
    with pytest.raises(ParameterError, match="trials"):
        report(build(ID), {}, 0)


def test_the_gap(found):
    alone = whole(found, "alone")
    assert alone["pass^1"] == alone["pass^4"] == 1.0 and alone["gap"] == 0.0 and alone["customer"] == ""
    easy, hard, clumsy = (whole(found, f"with {kind}") for kind in ("easy", "hard", "clumsy"))
    assert 0 < easy["gap"] < hard["gap"] < clumsy["gap"] == 1 - clumsy["pass^1"]
    assert clumsy["pass^4"] < clumsy["pass^2"] < clumsy["pass^1"] and hard["pass^4"] == hard["pass^1"]
    # Of the 20 single faults two are beyond repair. All else is handed over needlessly by who cannot ask.
    silent = whole(found, "without questions")
    assert silent["pass^1"] == pytest.approx(0.1) and silent["transfers"] == 1.0
    assert silent["violations"] == pytest.approx(0.9)


def test_what_the_desk_can_do_without_the_customer():
    """Besides what is beyond repair, only a line without roaming and a month's data that is used up."""
    listed = tasks("single")
    world = build(ID, {"split": "single"})
    found = play(world, {"assistant": "workflow:instructs=0", "customer": "persona"}, levels_of(world), 1)
    solved = {listed[i].faults[0] for i in np.flatnonzero(found.success)}
    assert solved == {"contract_ended", "sim_locked", "roaming_line", "quota_used"}


def test_groups_are_parts_of_the_whole(found):
    assert found.ks == [1, 2, 4] and found.tried == 4
    for setting in found.settings:
        rows = [row for row in found.rows if row["setting"] == setting.name]
        total = rows[0]
        assert total["group"] == "all" and total["tasks"] == 20
        for group in ("family", "persona", "plan length", "faults", "fault"):  # single faults, so these too
            parts = [row for row in rows if row["group"] == group]
            assert sum(row["tasks"] for row in parts) == 20
            for name in ("pass^1", "pass^4", "gap", "steps", "phone writes", "transfers"):
                assert sum(row["tasks"] * row[name] for row in parts) / 20 == pytest.approx(total[name])
    lengths = [row["value"] for row in rows if row["group"] == "plan length"]
    assert lengths == ["transfer", "1", "2", "4"]


def test_tables(found):
    success, effort, *others = found.tables()
    assert success.row_count == effort.row_count == len(found.settings) == 8
    assert [table.row_count for table in others] == [19, 3, 3, 4, 1]  # one fault of the 20 is in two families
    cells = [list(column.cells) for column in success.columns]
    assert cells[0][:3] == ["alone", "given the plan", "with clumsy"] and cells[1][0] == "1.000"
    row = whole(found, "with clumsy")
    assert cells[1][2] == f"{row['pass^1']:.3f}" and cells[4][2] == f"{row['gap']:.3f}"
    (reads,) = (list(column.cells) for column in effort.columns if column.header == "reads")
    assert reads[2] == f"{row['desk reads']:.1f} + {row['phone reads']:.1f}"


def test_the_picture_stays_in_its_frame(found):
    scene = found.scene()
    labels = [shape.text for shape in scene.shapes if isinstance(shape, Label)]
    assert {"pass^k", "communication gap", "alone", "with clumsy", "with reluctant"} <= set(labels)
    for shape in scene.shapes:
        if isinstance(shape, Rect):
            assert 0 <= shape.x and shape.x + shape.width <= scene.width and shape.height > 0
            assert 0 <= shape.y and shape.y + shape.height <= scene.height
        points = shape.points if isinstance(shape, Line) else [(shape.x, shape.y)]
        assert all(0 <= x <= scene.width and 0 <= y <= scene.height for x, y in points)
    assert sum(isinstance(shape, Circle) for shape in scene.shapes) == 5 * (4 + 1)  # a legend and four k for each


def test_which_tasks():
    assert len(levels_of(Telecom())) == len(tasks("released")) == 2285
    listed = levels_of(Telecom(split="current", family="service"))
    assert len(listed) == 47 and {level["family"] for level in listed} == {"service"}
    composed = levels_of(build(ID, {"split": "composed"}), seed=7)
    assert len(composed) == 500 and composed == levels_of(build(ID, {"split": "composed"}), seed=7)
    assert len({str(level) for level in composed}) > 450 and composed != levels_of(build(ID, {"split": "composed"}))
