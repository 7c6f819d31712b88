"""RecurringGrid: exact values by dynamic programming and linear systems, closed forms of searches, laws, levels."""

from functools import cache
from types import SimpleNamespace

import kit
import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.agents.gridworlds import recurring_grid as baselines
from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.gridworlds.recurring_grid import LISTED
from envsuite.registry import build

ID = "envsuite/RecurringGrid-v0"

#: Up, right, down, left.
MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))


def moved(cell, move, size):
    """The cell (row, column) after a move."""
    y, x = cell[0] + MOVES[move][0], cell[1] + MOVES[move][1]
    return (y, x) if 0 <= y < size and 0 <= x < size else cell


def cells_of(size):
    return [(y, x) for y in range(size) for x in range(size)]


def best_value(size, block, announced, horizon):
    """The exact mean return of the best play, with the probabilities of goals given all that was observed."""
    cells, goes_on = cells_of(size), 1 - 1 / block

    @cache
    def prior(last):
        """How likely each cell is the goal in a try after a find in `last`, or if nothing is known (None)."""
        if last is None:
            return dict.fromkeys(cells, 1 / len(cells))
        stays = 1.0 if announced else goes_on
        return {cell: (1 - stays) / len(cells) + stays * (cell == last) for cell in cells}

    @cache
    def begin(left, last):
        """The value before the agent is put on a cell that is not the goal."""
        chances = prior(last)
        starts = {cell: (1 - chances[cell]) / (len(cells) - 1) for cell in cells}
        return sum(p * value(left, cell, frozenset([cell]), last) for cell, p in starts.items() if p > 0)

    @cache
    def found(left, goal):
        if not announced:
            return begin(left, goal)
        return goes_on * begin(left, goal) + (1 - goes_on) * begin(left, None)

    @cache
    def value(left, cell, tried, last):
        if left == 0:
            return 0.0
        chances, best = prior(last), 0.0
        total = sum(p for goal, p in chances.items() if goal not in tried)
        for move in range(4):
            to = moved(cell, move, size)
            p = 0.0 if to in tried else chances[to] / total
            gain = p * (1 + found(left - 1, to)) if p > 0 else 0.0
            if p < 1:
                gain += (1 - p) * value(left - 1, to, tried if chances[to] == 0 else tried | {to}, last)
            best = max(best, gain)
        return best

    return begin(horizon, None)


def random_values(size, block, horizon):
    """For random play: its exact mean return, and the exact mean number of moves to the first find."""
    cells = cells_of(size)
    states = [(goal, cell) for goal in cells for cell in cells if goal != cell]
    number = {state: k for k, state in enumerate(states)}
    walk, find = np.zeros((len(states), len(states))), np.zeros(len(states))
    ends = np.zeros((len(states), len(states)))
    for (goal, cell), k in number.items():
        for move in range(4):
            to = moved(cell, move, size)
            if to != goal:
                walk[k, number[goal, to]] += 1 / 4
                continue
            find[k] += 1 / 4
            for after in cells:
                p = (1 - 1 / block) * (after == goal) + 1 / block / len(cells)
                for start in cells:
                    if start != after:
                        ends[k, number[after, start]] += p / 4 / (len(cells) - 1)
    value = np.zeros(len(states))
    for _ in range(horizon):
        value = find + (walk + ends) @ value
    return value.mean(), np.linalg.solve(np.eye(len(states)) - walk, np.ones(len(states))).mean()


def fewest(size, weights):
    """The least mean moves of a search, times its probability, for each set of tried cells and cell in it."""
    cells = cells_of(size)
    costs = np.zeros((1 << len(cells), len(cells)))
    for tried in range((1 << len(cells)) - 2, 0, -1):
        inside = [k for k in range(len(cells)) if tried >> k & 1]
        left = sum(weights[k] for k in range(len(cells)) if k not in inside)
        cost = dict.fromkeys(inside, np.inf)
        for _ in range(2 * size):  # a way through tried cells is no longer
            for k in inside:
                for move in range(4):
                    to = cells.index(moved(cells[k], move, size))
                    cost[k] = min(cost[k], left + (cost[to] if to in cost else costs[tried | 1 << to, to]))
        for k in inside:
            costs[tried, k] = cost[k] if left > 0 else 0
    return costs


def near(sample, mean, errors=4.5):
    """Whether the mean of a sample is this one, up to some standard errors."""
    sample = np.asarray(sample, float)
    return abs(sample.mean() - mean) <= errors * max(sample.std(), 0.01) / len(sample) ** 0.5


def uniform(sample, count):
    """Whether a chi-square test takes a sample for uniform on 0 .. count - 1, or on these values."""
    values = np.arange(count) if np.ndim(count) == 0 else np.asarray(count)
    found = np.array([(sample == k).sum() for k in values])
    mean, degrees = len(sample) / len(values), len(values) - 1
    assert found.sum() == len(sample)
    return ((found - mean) ** 2 / mean).sum() < degrees + 5 * (2 * degrees) ** 0.5 + 10


def put(batch, goal, cell):
    """Set the goals and the agents' cells."""
    batch.records["goal"], batch.records["cell"] = goal, cell
    batch.observe()


def steps_to_find(policy, size, pairs, **params):
    """The moves of a policy to the first find, for each pair (goal, cell)."""
    batch = kit.started(ID, len(pairs), size=size, block=1e6, **params)
    put(batch, [goal for goal, _ in pairs], [cell for _, cell in pairs])
    player = make_policy(policy, batch.world)
    player.reset(0, len(pairs))
    found = np.zeros(len(pairs), int)
    while not found.all():
        batch.step(player.act_batch(batch.observations, batch.masks, [0]))
        found[(found == 0) & (batch.rewards[:, 0] == 1)] = batch.records["t"][0]
    return found


def all_pairs(size):
    return [(goal, cell) for goal in range(size**2) for cell in range(size**2) if goal != cell]


#: Sizes, blocks, whether they are announced, and horizons, for which the best play is computed.
BEST = [(2, 4.0, True, 12), (2, 4.0, False, 12), (3, 5.0, True, 14)]


@pytest.mark.parametrize("size, block, announced, horizon", BEST)
@pytest.mark.mostly_slow
def test_best_play(size, block, announced, horizon):
    """The planner earns the exact value of the best play, almost; "sweep" and random play do not earn more."""
    params = dict(size=size, block=block, announced=announced, horizon=horizon)
    most = best_value(**params)
    stays = 1 if announced else 1 - 1 / block
    found = play(build(ID, params), f"planner:stays={stays}", 3000).returns[:, 0]
    error = 4.5 * found.std() / 3000**0.5
    assert 0.995 * most - error < found.mean() < most + error
    swept = play(build(ID, params), "sweep", 1000).returns[:, 0]
    assert horizon / 2 / size**2 < swept.mean() < most + 4.5 * swept.std() / 1000**0.5


@pytest.mark.slow
@pytest.mark.parametrize("block", [1.5, 4.0, 20.0])
def test_best_play_of_hidden_blocks(block):
    """The same where blocks are not announced, on 3 x 3 cells."""
    params = dict(size=3, block=block, announced=False, horizon=11)
    found = play(build(ID, params), f"planner:stays={1 - 1 / block}", 20_000).returns[:, 0]
    error, most = 4.5 * found.std() / 20_000**0.5, best_value(**params)
    assert 0.99 * most - error < found.mean() < most + error


@pytest.mark.parametrize("goal, stays", [(-1, 1.0), (4, 0.5), (2, 0.9), (1, 0.1), (0, 0.0)])
def test_searches_by_another_program(goal, stays):
    """The planner's mean moves for all sets of tried cells, against single moves and their shortest ways."""
    weights = [1 / 9 if goal < 0 else (1 - stays) / 9 + stays * (k == goal) for k in range(9)]
    memory = SimpleNamespace(goal=goal, stays=stays, weights=np.zeros(9))
    memory.moves, memory.next = np.zeros((2, baselines.SETS * 9))
    baselines.compare(memory, 3)
    costs = fewest(3, weights)
    assert np.allclose(memory.moves.reshape(512, 9), costs, atol=1e-12)
    if goal < 0:
        assert np.allclose([costs[1 << k, k] * 9 / 8 for k in range(9)], [4.5, 4.625] * 4 + [4.5])


@pytest.mark.parametrize("size", range(2, 17))
def test_round_trip(size):
    """It is closed and enters all cells, each once if `size` is even and one of them twice if not."""
    cell, before, way = 0, -1, []
    for _ in range(size**2 + size % 2):
        to = moved(divmod(cell, size), baselines.round_trip(cell, before, size), size)
        before, cell = cell, to[0] * size + to[1]
        assert cell != before
        way.append(cell)
    assert cell == 0 and set(way) == set(range(size**2))


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_searches(size):
    """From all cells to all goals: the planner needs N / 2 moves on average if `size` is even."""
    pairs, cells = all_pairs(size), size**2
    planned = steps_to_find("planner", size, pairs).mean()
    if size == 3:
        assert np.isclose(planned, (5 * 4.5 + 4 * 4.625) / 9)
    elif size == 5:  # the round trip enters a cell twice: summed over its places
        total = (cells - 1) * cells * (cells + 1) // 2 - (cells - 2) * (cells + 3) // 2 - 2
        total += cells * (cells - 1) // 2
        assert np.isclose(planned, total / len(pairs))
    else:
        assert planned == cells / 2
    swept = steps_to_find("sweep", size, pairs)
    assert cells / 2 <= swept.mean() < 0.7 * cells and swept.max() < 2 * cells


@pytest.mark.parametrize("size", [4, 5])
def test_ways_to_known_goals(size):
    """A way has 2 size / 3 moves on average, which all baselines need after the first find."""
    for policy in ("sweep", "planner"):
        pairs = all_pairs(size)
        batch = kit.started(ID, len(pairs), size=size, block=1e6, level={"goals": [[0, 0]]})
        put(batch, [goal for goal, _ in pairs], [cell for _, cell in pairs])
        player = make_policy(policy, batch.world)
        player.reset(0, len(pairs))
        finds, first, last = np.zeros(len(pairs), int), np.zeros(len(pairs), int), np.zeros(len(pairs), int)
        for t in range(1, 100):
            batch.step(player.act_batch(batch.observations, batch.masks, [0]))
            paid = batch.rewards[:, 0] == 1
            first[paid & (finds == 0)] = t
            last[paid] = t
            finds += paid
        goals = np.array([goal for goal, _ in pairs])
        mean = [np.mean([near_by(goal, cell, size) for g, cell in pairs if g == goal]) for goal in range(size**2)]
        assert np.isclose(np.mean(mean), 2 * size / 3)
        assert near((last - first) - (finds - 1) * np.array(mean)[goals], 0)


def near_by(goal, cell, size):
    """The moves between two cells."""
    return abs(goal // size - cell // size) + abs(goal % size - cell % size)


@pytest.mark.parametrize("policy", ["sweep", "planner:stays=0.5"])
def test_goals_that_moved(policy):
    """Where blocks are not announced, baselines return to the last find and search on from there."""
    batch = kit.started(ID, 50, size=4, block=1.0, announced=False, level={"goals": [[0, 0], [3, 3]]})
    player, first, second = make_policy(policy, batch.world), np.zeros(50, int), np.zeros(50, int)
    player.reset(0, 50)
    for t in range(1, 60):
        batch.step(player.act_batch(batch.observations, batch.masks, [0]))
        paid = batch.rewards[:, 0] == 1
        second[paid & (first > 0) & (second == 0)] = t
        first[paid & (first == 0)] = t
    assert (first > 0).all() and (second > first).all() and (second - first).max() <= 6 + 2 * 16


@pytest.mark.parametrize("announced", [True, False])
def test_nothing_to_learn(announced):
    """With `block` = 1 finds are a renewal process: each search needs 1, .., N - 1 moves with equal probability."""
    params = dict(size=2, block=1.0, announced=announced, horizon=15)

    @cache
    def value(left):
        return sum(1 + value(left - k) for k in (1, 2, 3) if k <= left) / 3

    assert np.isclose(best_value(**params), value(15))
    assert near(play(build(ID, params), f"planner:stays={float(announced)}", 2000).returns[:, 0], value(15))


@pytest.mark.parametrize("size, block", [(2, 2.0), (3, 5.0)])
def test_random_play(size, block):
    """Random play earns its exact value, and needs its exact number of moves to the first find."""
    exact, moves = random_values(size, block, 20)
    assert near(play(build(ID, dict(size=size, block=block, horizon=20)), "random", 4000).returns[:, 0], exact)
    pairs = all_pairs(size) * (2000 // len(all_pairs(size)))
    assert near(steps_to_find("random", size, pairs), moves)


def test_numbers_of_the_page():
    """The page's numbers of random play."""
    assert np.allclose(random_values(2, 10.0, 200)[1], 20 / 3) and np.allclose(random_values(3, 10.0, 200)[1], 17.25)


@pytest.mark.slow
def test_default_of_the_page():
    """The page's numbers of random play with the default parameters."""
    assert np.allclose(random_values(6, 10.0, 200), (2.5865, 85.5354), atol=1e-4)


@pytest.mark.parametrize("memory", [0, 1, 4])
@pytest.mark.parametrize("announced", [True, False])
def test_moves_and_window(memory, announced):
    """Random moves against the rules written again: places, rewards, the window, and the ends."""
    size, num = 3, 40
    batch = kit.started(ID, num, size=size, block=2.0, memory=memory, announced=announced, horizon=60)
    rng, past, emptied = np.random.default_rng(memory), [[] for _ in range(num)], 0
    for t in range(1, 61):
        before, chosen = batch.records.copy(), rng.integers(4, size=(num, 1))
        batch.step(chosen)
        assert (batch.truncations == (t == 60)).all() and not batch.terminations.any()
        for i, s in enumerate(batch.records):
            to = moved(divmod(int(before["cell"][i]), size), chosen[i, 0], size)
            cell, goal = to[0] * size + to[1], before["goal"][i]
            assert batch.rewards[i, 0] == (cell == goal)
            past[i].insert(0, (chosen[i, 0] + 1, *to, cell == goal))
            if cell != goal:
                assert (s["cell"], s["goal"], s["block"]) == (cell, goal, before["block"][i])
            else:
                assert s["cell"] != s["goal"] and before["block"][i] <= s["block"] <= before["block"][i] + 1
                assert s["goal"] == goal or s["block"] > before["block"][i]
                if announced and s["block"] > before["block"][i]:
                    past[i], emptied = [], emptied + 1
            rows = np.zeros((max(memory, 1), 4))
            for k, row in enumerate(past[i][:memory]):
                rows[k] = row
            seen = batch.observations[i, 0]
            assert (seen["window"] == rows).all()
            assert (seen["position"] == np.eye(size)[list(divmod(int(s["cell"]), size))]).all()
    assert (emptied > 30) == announced


@pytest.mark.parametrize("size", [2, 3])
def test_laws(size):
    """Goals are uniform, starts uniform among the other cells, and blocks end with probability 1 / `block`."""
    num, cells = 6000, size**2
    batch = kit.started(ID, num, size=size, block=3.0)
    for ended in (None, True, False):
        if ended is not None:  # a find by each agent
            put(batch, 0, 1)
            batch.step(np.full((num, 1), 3))
            assert near(batch.records["block"] == 1, 1 / 3) and (batch.rewards == 1).all()
        of = slice(None) if ended is None else (batch.records["block"] == 1) == ended
        goals, starts = batch.records["goal"][of], batch.records["cell"][of]
        assert uniform(goals, cells) if ended is not False else (goals == 0).all()
        assert uniform((starts - goals) % cells, range(1, cells))
        if ended:
            batch = kit.started(ID, num, seed=num, size=size, block=3.0)


def test_lengths_of_blocks():
    """A block lasts longer than k finds with probability (1 - 1 / block) ** k."""
    batch = kit.started(ID, 3000, size=2, block=2.5)
    for k in range(1, 5):
        put(batch, 0, 1)
        batch.step(np.full((3000, 1), 3))
        assert near(batch.records["block"] == 0, 0.6**k)


def test_levels():
    """Listed goals come in order, then drawn ones; all else is refused."""
    batch = kit.started(ID, 60, size=3, block=1.0, level={"goals": [[0, 1], [2, 0]]})
    for goal in (1, 6):
        assert (batch.records["goal"] == goal).all()
        batch.records["cell"] = 3 if goal == 6 else 0
        batch.step(np.full((60, 1), 2 if goal == 6 else 1))
    assert len(set(batch.records["goal"].tolist())) == 9
    parts, goals = "'goals'", f"list of 1 to {LISTED} entries"
    kit.refuses(
        build(ID),
        ({}, parts),
        ({"goals": [[0, 0]], "block": 3}, parts),
        ({"goals": []}, goals),
        ({"goals": 3}, goals),
        ({"goals": [[0, 0]] * (LISTED + 1)}, goals),
        ({"goals": [[0, 0], [1]]}, "goals must be 2 lists of 2 integers from 0 to 5"),
        ({"goals": [[0, 6]]}, r"goals\[0\]\[1\]=6 must be an integer from 0 to 5"),
        ({"goals": [[-1, 0]]}, r"goals\[0\]\[0\]=-1 must be an integer from 0 to 5"),
        ({"goals": [[0, True]]}, r"goals\[0\]\[1\]=True must be an integer from 0 to 5"),
        ({"goals": [[0, 1.5]]}, r"goals\[0\]\[1\]=1.5 must be an integer from 0 to 5"),
    )


@pytest.mark.parametrize(
    "name, value, fault", [("held", 5, "window holds"), ("t", 200, "horizon"), ("cell", 7, "on the")]
)
def test_contradictions(name, value, fault):
    batch = kit.started(ID, 1, level={"goals": [[1, 1]]})
    batch.step(np.zeros((1, 1), int))
    batch.records[name] = value
    with pytest.raises(SnapshotError, match=fault):
        batch.world.admit(batch.records)


def test_pictures_and_texts():
    """Clicks move the agent; spectators alone see the goal; texts list the window."""
    batch = kit.started(ID, 1, size=3, block=1e6)
    put(batch, 8, 4)
    assert kit.clicks(batch, 0) == {0, 1, 2, 3, None}
    for move in (1, 3):
        batch.step(np.full((1, 1), move))
    s, world = batch.record(), batch.world
    assert "latest first: left to row 2, column 2, paid 0; right to row 2, column 3, paid 0." in world.text(s, 0)
    shown = world.scene(s, 0).svg()
    s.goal = 0
    assert world.scene(s, 0).svg() == shown != world.scene(s).svg()
    assert len(world.scene(s).svg()) > len(shown)
