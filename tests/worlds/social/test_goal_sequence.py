"""GoalSequence: episodes of the source in lock-step, largest returns by search, each rule, views, baselines, levels."""

from functools import partial

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.registry import build
from envsuite.social.goal_sequence import FORWARD, GOAL, GUIDE, LEARNER, LETTERS, NONE, OUTSIDE

ID = "envsuite/GoalSequence-v0"

started = partial(kit.started, ID)


def source_view(seen, agent):
    """What the source shows: planes of walls, goals and agents, as numbers; a goal hides who stands on it."""
    code = np.array(seen["image"]).astype(int)
    shown = np.where(code == OUTSIDE, 1, np.where(code >= GOAL, code, 0))
    if agent == GUIDE:
        shown = np.where(code >= GOAL, 2 + (code - GOAL == seen["next"][0]), shown)
    elif seen["other"][0] != NONE and not shown[tuple(seen["other"])]:
        shown[tuple(seen["other"])] = 5
    shown[4, 2] = 5
    return shown


def test_episodes_of_the_source():
    """Cells, facings, pay and views in six episodes with the source's goals, orders, actions and drops."""
    with np.load(DATA / "GoalSequence" / "goal_sequence.npz") as held:
        data = {name: values.astype(int) for name, values in held.items()}
    levels = [
        {"goals": goals.tolist(), "order": "".join(LETTERS[k] for k in order[:53])}
        for goals, order in zip(data["goals"], data["order"])
    ]
    batch = started(6, level=levels)
    lowest = 0
    for t in range(204):
        before = data["first"] if t == 0 else data["views"][:, t - 1]
        for episode, agent in np.ndindex(6, 2):
            seen = batch.observations[episode, agent]
            assert (source_view(seen, agent) == before[episode, agent]).all(), (t, episode, agent)
            if t % 51:
                assert seen["reward"][0] == data["rewards"][episode, t - 1, agent]
        lowest = min(lowest, batch.records["score"].min())
        batch.step(data["actions"][:, t])
        assert (batch.rewards == data["rewards"][:, t]).all()
        if t < 203:
            assert (batch.records["cell"] == data["cells"][:, t]).all()
            assert (batch.records["facing"] == data["facings"][:, t]).all()
            batch.records["visible"] = 1 - data["dropped"][:, t]
            batch.observe()
    assert batch.over().all() and lowest == -1  # below it the source reads the end of its order


def most(level, size=7, steps=51):
    """The largest return of a trial without penalties, by search over cells, facings and places in the order.

    After the first step of a trial, both agents are in the second cell of the middle row and face east.
    """
    cells, order = [y * size + x for x, y in level["goals"]], level["order"]
    front = {(size // 2 * size + 1, 0, 1)}
    for _ in range(steps - 1):
        then = set()
        for cell, facing, place in front:
            x, y = cell % size + (1, 0, -1, 0)[facing], cell // size + (0, 1, 0, -1)[facing]
            ahead = y * size + x if 0 <= x < size and 0 <= y < size else cell
            for to, turned in ((cell, (facing + 3) % 4), (cell, (facing + 1) % 4), (ahead, facing)):
                here = LETTERS[cells.index(to)] if to in cells else ""
                if here == order[place]:
                    then.add((to, turned, place + 1))
                elif not here or turned != facing:
                    then.add((to, turned, place))
        front = then
    return max(place for _, _, place in front) - 1


@pytest.mark.slow
def test_the_largest_returns():
    """The guide "seeker" comes near the largest return of a trial, once it has seen the goals."""
    batch = started(40)
    kit.finish(batch, "seeker")
    best = np.array([most(batch.world.get_level(s)) for s in map(batch.record, range(40))])
    found = batch.records["totals"][:, GUIDE]
    assert (found <= best[:, None]).all()
    assert found[:, 1:].mean() > 0.97 * best.mean()
    assert (best.mean(), found[:, 1:].mean()) == (10.825, 10.625)  # the page's numbers


def at(goals, order, **params):
    """A batch on this level; the order is filled with A."""
    steps = build(ID, params).parameters["steps"]
    return started(level={"goals": goals, "order": order.ljust(steps + 2, "A")}, **params)


def play_on(batch, *moves):
    """Moves of both agents by their names: what each step pays."""
    paid = []
    for move in moves:
        batch.step(np.array([[("left", "right", "forward").index(name) for name in move]]))
        paid.append(batch.rewards[0].tolist())
    return paid


F, L, R = "forward", "left", "right"


def test_the_first_step_is_given():
    batch = at([[0, 0], [6, 6], [0, 6]], "ABC")
    assert play_on(batch, (L, F)) == [[0, 0]]
    assert batch.records["cell"].tolist() == [[22, 22]] and batch.records["facing"].tolist() == [[0, 0]]


def test_pay():
    """Pay after turns, for a goal that follows itself and for steps off the edge; penalties, which set back."""
    batch = at([[2, 1], [2, 0], [0, 2]], "CAAB", size=3, steps=9)
    assert play_on(batch, (F, F), (F, F)) == [[0, 0], [1, 1]]
    assert play_on(batch, (F, L)) == [[1, 1]]  # A again: off the edge, and by a turn
    assert play_on(batch, (F, F)) == [[-1, 1]]  # A is wrong now, if one goes forward; the guide reaches B
    assert batch.records["score"].tolist() == [[1, 3]]
    assert play_on(batch, (L, L)) == [[1, 0]]  # set back, A is right again; B is wrong, but a turn costs nothing
    assert play_on(batch, (R, F)) == [[0, 0]]  # B is next: here is A; the guide has left for (1, 0)
    assert batch.records["cell"].tolist() == [[5, 1]]
    lenient = at([[2, 1], [2, 0], [0, 2]], "CBAA", size=3, steps=9, penalty=0.25)
    assert play_on(lenient, (F, F), (F, L), (L, L), (L, F)) == [[0, 0], [-0.25, 0], [0, 0], [0, 0]]
    assert lenient.records["score"][0, 0] == -0.25 and lenient.observations["next"][0].tolist() == [[NONE], [1]]


def test_trials():
    """A trial begins again on the same goals and order. Scores start at 0 again, and returns are kept."""
    batch = at([[2, 1], [2, 0], [0, 2]], "CAAB", size=3, steps=3, trials=2)
    play_on(batch, (F, F), (F, F), (L, R))
    assert batch.records["totals"].tolist() == [[[2, 0], [2, 0]]] and batch.records["score"].tolist() == [[0, 0]]
    assert batch.records["cell"].tolist() == [[3, 4]] and not batch.over()[0]
    seen = batch.observations[0, LEARNER]
    assert (seen["trial"][0], seen["left"][0], seen["reward"][0]) == (1, 3, 0)
    assert play_on(batch, (F, F), (F, L), (L, R)) == [[0, 0], [1, 0], [1, 0]]
    assert batch.over()[0] and batch.terminations.all()


def test_what_is_seen():
    """The guide's visibility falls from always to never; out of view it is not seen either."""
    batch = started(400, trials=4, steps=5)
    seen = np.zeros((4, 5))
    for k in range(20):
        seen[divmod(k, 5)] = (batch.observations["other"][:, LEARNER, 0] != NONE).mean()
        assert (batch.observations["other"][:, GUIDE] == NONE).all() and (
            batch.observations["next"][:, LEARNER] == NONE
        ).all()
        batch.step(np.tile([0 if k % 5 else FORWARD, 0], (400, 1)))
    assert (seen[:, 0] == 1).all() and (seen[0] == 1).all() and (seen[3, 1:] == 0).all()  # in one cell after a step
    assert abs(seen[1, 1:] - 2 / 3).max() < 0.1 and abs(seen[2, 1:] - 1 / 3).max() < 0.1


def test_draws():
    """All cells but the starts, and all orders, are equally likely; no two goals are in one cell."""
    records = started(2000, size=3, goals=2, steps=4).records
    cells = np.array([[np.flatnonzero(grid.ravel() == GOAL + k) for k in range(2)] for grid in records["level"]["map"]])
    counts = np.bincount(cells.ravel(), minlength=9)
    assert counts[[3, 4]].tolist() == [0, 0] and abs(np.delete(counts, [3, 4]) - 4000 / 7).max() < 5 * (4000 / 7) ** 0.5
    assert (cells[:, 0] != cells[:, 1]).all() and abs(records["level"]["order"].mean() - 0.5) < 0.03


@pytest.mark.slow
def test_who_fares_how():
    def returns(*names, **params):
        return play(build(ID, params), names, 60, seed=1).returns[:, 0].mean()

    assert returns("random", "random") < 1 < 15 < returns("learner", guide=False)
    assert returns("learner", "seeker") > 25
    followed, alone = ([totals.mean() for totals in trials("learner", guide)] for guide in ("seeker", "random"))
    assert followed[0] > alone[0] and min(followed[-1], alone[-1]) > followed[0] + 2


def trials(learner, guide):
    """The learner's returns of each trial, in 200 episodes."""
    batch = started(200)
    is_guide = np.tile([False, True], (200, 1))
    kit.finish(batch, learner, guide, second=lambda: is_guide)
    return batch.records["totals"][:, LEARNER].T


# Levels, parameters, texts.


def test_levels():
    batch = started()
    level = batch.world.get_level(batch.record())
    again = started(5, level=level)
    assert all(batch.world.get_level(again.record(k)) == level for k in range(5))
    order = "A" * 53
    kit.refuses(
        build(ID),
        ({"goals": [[1, 1]]}, "'goals' and 'order'"),
        ({"goals": [[1, 1], [2, 2]], "order": order}, "goals must be 3 lists of 2 integers from 0 to 6"),
        ({"goals": [[1, 1], [2, 2], [7, 0]], "order": order}, r"goals\[2\]\[0\]=7 must be an integer from 0 to 6"),
        ({"goals": [[1, 1], [2, 2], [1, 1]], "order": order}, "different cells"),
        ({"goals": [[1, 1], [2, 2], [1, 3]], "order": order}, "none where an agent starts"),
        ({"goals": [[1, 1], [2, 2], [3, 3]], "order": "AB"}, "order must be a text of 53 letters"),
        ({"goals": [[1, 1], [2, 2], [3, 3]], "order": "D" * 53}, "order has the letter 'D'; known: A B C"),
    )
    with pytest.raises(ParameterError, match="goals=7"):
        build(ID, dict(goals=7))
    records = batch.records.copy()
    records["trial"] = 4
    with pytest.raises(SnapshotError, match="over"):
        batch.world.admit(records)


def test_texts():
    batch = at([[2, 3], [6, 3], [2, 1]], "CABA")
    world, s = batch.world, batch.record()
    assert "The guide is 1 ahead." in world.text(s, LEARNER) and "next goal is A" in world.text(s, GUIDE)
    assert "guide" not in world.text(s, GUIDE) and "Your next goal" not in world.text(s, LEARNER)
    play_on(batch, (F, L), (F, F))
    s = batch.record()
    assert "You stand on goal A" in world.text(s, LEARNER) and "The guide stands in your cell." in world.text(
        s, LEARNER
    )
    assert "Your last action paid 1." in world.text(s, LEARNER) and "You face east" in world.text(s, LEARNER)
    assert "Nobody tells you the order" in world.prompt(s, LEARNER) and "You are the guide" in world.prompt(s, GUIDE)
