"""Tag: rules against sets of cells; cops and robbers by a retrograde sweep; baselines."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import kit
import networkx
import numpy as np
import pytest

from envsuite.core.errors import ParameterError
from envsuite.generators import generate
from envsuite.gridworlds.tag import ACTIONS, CHASER, FROZEN, RUNNER, STAY, Tag
from envsuite.kit.grid import DX, DY
from envsuite.registry import build

ID = "envsuite/Tag-v0"
EAST, SOUTH, WEST, NORTH = range(4)
STEPS = [(1, 0), (0, 1), (-1, 0), (0, -1), (0, 0)]
ROOM = ["#######", "#S...G#", "#.....#", "#.....#", "#######"]
RING = ["#####", "#S..#", "#.#.#", "#..G#", "#####"]


# Rules.


class Reference:
    """The rules as sets and paths, written for this test."""

    def __init__(self, rows, chasers, runners, caught, turns):
        self.free = {(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != "#"}
        ends = {row[x]: (x, y) for y, row in enumerate(rows) for x in range(len(row)) if row[x] in "SG"}
        self.at = self.start(ends["S"], chasers) + self.start(ends["G"], runners)
        self.role = ["chaser"] * chasers + ["runner"] * runners
        self.infect, self.turns, self.side = caught == "infect", turns, "chaser"

    def start(self, source, count):
        reached = [source]
        for x, y in reached:
            near = [(x + dx, y + dy) for dx, dy in STEPS[:4]]
            reached += [cell for cell in near if cell in self.free and cell not in reached]
        return [reached[k % len(reached)] for k in range(count)]

    def moves(self, a):
        """How many actions are legal."""
        if self.turns and (self.side == "chaser") != (self.role[a] == "chaser"):
            return 0
        return 1 if self.role[a] == "frozen" else 5

    def step(self, actions):
        before, role, players = list(self.at), list(self.role), range(len(self.at))
        for a in players:
            to = tuple(np.add(before[a], STEPS[actions[a]]).tolist())
            if self.moves(a) == 5 and to in self.free:
                self.at[a] = to
        paid = [Fraction(0)] * len(self.at)
        meets = {a: [b for b in players if self.at[b] == self.at[a]] for a in players}
        for a in (a for a in players if role[a] == "runner"):
            swaps = [b for b in players if self.at[b] == before[a] and self.at[a] == before[b]]
            by = {b for b in meets[a] + swaps if role[b] == "chaser"}
            for b in by:
                paid[b] += Fraction(1, len(by))
            if by:
                paid[a] -= 1
                self.role[a] = "chaser" if self.infect else "frozen"
        for a in (a for a in players if role[a] == "frozen"):
            if any(role[b] == self.role[b] == "runner" for b in meets[a]):
                self.role[a] = "runner"
        self.side = "runner" if self.side == "chaser" else "chaser"
        return paid


NUMBER = {"chaser": CHASER, "runner": RUNNER, "frozen": FROZEN}
CASES = [
    dict(chasers=1, runners=3, height=6, width=7, walls=0.3),
    dict(chasers=3, runners=5, height=7, width=6, walls=0.3, caught="infect"),
    dict(chasers=2, runners=3, height=6, width=6, walls=0.0, order="turns"),
    dict(chasers=2, runners=4, height=8, width=7, order="turns", caught="infect"),
]


def lock_step(seed, params):
    """Play a game in both; returns the numbers of catches and of thaws."""
    rng = np.random.default_rng(seed)
    batch = kit.started(ID, seed=seed, horizon=60, **params)
    rows = batch.world.get_level(batch.record())["map"]
    turns = params.get("order") == "turns"
    other = Reference(rows, params["chasers"], params["runners"], params.get("caught", "freeze"), turns)
    catches = thaws = 0
    while True:
        s = batch.record()
        assert [*zip(s.x.tolist(), s.y.tolist())] == other.at
        assert s.role.tolist() == [NUMBER[role] for role in other.role]
        over = "runner" not in other.role
        assert batch.terminations[0].all() == batch.terminations[0].any() == over
        assert batch.truncations[0].any() == (s.t == 60 and not over)
        if batch.over()[0]:
            return catches, thaws
        moves = [other.moves(a) for a in range(len(other.at))]
        assert batch.masks[0].sum(axis=1).tolist() == moves
        actions = [int(rng.integers(5)) if k == 5 else STAY for k in moves]
        before = list(other.role)
        paid = other.step(actions)
        batch.step([actions])
        assert batch.rewards[0].tolist() == pytest.approx([float(k) for k in paid])
        catches += sum(k == -1 for k in paid)
        thaws += sum(was == "frozen" and now == "runner" for was, now in zip(before, other.role))


@pytest.mark.parametrize("params", CASES)
def test_in_lock_step_with_sets(params):
    games = [lock_step(seed, params) for seed in range(3)]
    assert sum(catches for catches, _ in games) > 0


@pytest.mark.slow
@pytest.mark.parametrize("params", CASES)
def test_in_lock_step_for_long(params):
    games = [lock_step(seed, params) for seed in range(100, 108)]
    assert sum(catches for catches, _ in games) > 8
    assert "caught" in params or sum(thaws for _, thaws in games) > 0


def opened(chasers, runners, rows=ROOM, **params):
    """A game with agents on these cells (x, y)."""
    size = dict(height=len(rows), width=len(rows[0]), chasers=len(chasers), runners=len(runners))
    batch = kit.started(ID, level={"map": list(rows)}, **size, **params)
    s = batch.record()
    s.x[:], s.y[:] = zip(*chasers, *runners)
    batch.observe()
    return batch


def test_swap_is_a_touch_and_its_runner_stays_frozen():
    """The second runner comes to the cell where the first is caught by a swap, and thaws it only in the next step."""
    batch = opened([(2, 1)], [(3, 1), (2, 2)])
    batch.step([[EAST, WEST, NORTH]])
    assert batch.record().role.tolist() == [CHASER, FROZEN, RUNNER]
    assert batch.rewards[0].tolist() == [1, -1, 0]
    batch.step([[EAST, STAY, STAY]])
    assert batch.record().role.tolist() == [CHASER, RUNNER, RUNNER]


def test_guard_catches_the_rescuer():
    batch = opened([(2, 1)], [(3, 1), (4, 1)])
    batch.step([[EAST, STAY, STAY]])
    assert batch.masks[0].tolist() == [[1] * 5, [0, 0, 0, 0, 1], [1] * 5]
    batch.step([[STAY, STAY, WEST]])
    assert batch.terminations.all() and batch.rewards[0].tolist() == [1, 0, -1]


def test_shared_touch():
    batch = opened([(2, 1), (4, 1)], [(3, 1), (1, 3)], caught="infect")
    batch.step([[EAST, WEST, STAY, STAY]])
    assert batch.rewards[0].tolist() == [0.5, 0.5, -1, 0]
    assert batch.record().role.tolist() == [CHASER, CHASER, CHASER, RUNNER]
    assert not batch.over().any()


def test_passing_behind_is_no_touch():
    """A chaser that enters the cell that a runner leaves elsewhere does not touch it."""
    batch = opened([(2, 1)], [(3, 1)])
    batch.step([[EAST, SOUTH]])
    assert not batch.rewards.any() and batch.record().role.tolist() == [CHASER, RUNNER]


# Cops and robbers.


def sweep(graph, cops):
    """For each position (cops, robber, whether the robber moves), the number of moves to capture; none without one.

    Backward from captures: the cops need one move that wins, the robber has none that does not lose.
    """
    near = {v: [v, *graph[v]] for v in graph}
    teams = [*combinations_with_replacement(sorted(graph), cops)]
    follow = {team: {tuple(sorted(to)) for to in product(*(near[v] for v in team))} for team in teams}
    value = {(team, v, side): 0 for team in teams for v in team for side in (0, 1)}
    left = {(team, v): len(near[v]) for team in teams for v in graph if v not in team}
    front = list(value)
    for team, robber, side in front:  # the list grows during the loop
        if side == 1:  # the cops moved to here
            before = [(other, robber, 0) for other in follow[team]]
        else:
            before = []
            for other in near[robber]:
                if (team, other) in left:
                    left[team, other] -= 1
                    before += [(team, other, 1)] * (left[team, other] == 0)
        for position in before:
            if position not in value:
                value[position] = value[team, robber, side] + 1
                front.append(position)
    return value


def wins(graph, cops):
    """Whether these cops catch the robber, whatever its place: from some start, and then from all."""
    value, teams = sweep(graph, cops), [*combinations_with_replacement(sorted(graph), cops)]
    sure = [all((team, v, 0) in value for v in graph) for team in teams]
    assert all(sure) == any(sure)
    return all(sure)


@pytest.mark.parametrize(
    "graph, number",
    [
        (networkx.random_labeled_tree(12, seed=1), 1),
        (networkx.cycle_graph(3), 1),
        (networkx.cycle_graph(4), 2),
        (networkx.cycle_graph(9), 2),
        (networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(2, 2)), 2),
        (networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(3, 4)), 2),
        (networkx.petersen_graph(), 3),
        pytest.param(networkx.dodecahedral_graph(), 3, marks=pytest.mark.slow),
    ],
    ids=["tree", "triangle", "square", "circle", "2 x 2", "3 x 4", "Petersen", "dodecahedron"],
)
def test_sweep_finds_cop_numbers(graph, number):
    """Published cop numbers (Aigner and Fromme, 1984, and the world's page) verify the sweep."""
    assert [wins(graph, cops) for cops in range(1, number + 1)] == [False] * (number - 1) + [True]


def graph_of(rows):
    """The free cells (x, y) of a map."""
    graph = networkx.Graph()
    free = {(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != "#"}
    graph.add_nodes_from(free)
    graph.add_edges_from((one, (one[0] + dx, one[1] + dy)) for one in free for dx, dy in STEPS[:2])
    graph.remove_nodes_from([v for v in graph if v not in free])
    return graph


def play_out(batch, graph, value, cops):
    """Both sides play by the sweep until the end; returns the moves."""
    while not batch.over()[0]:
        s = batch.record()
        at = [*zip(s.x.tolist(), s.y.tolist())]
        team, robber, side = tuple(sorted(at[:cops])), at[cops], int(s.runner_moves)
        actions = [STAY] * (cops + 1)
        if side == 0:
            choices = product(*((v, *graph[v]) for v in at[:cops]))
            best = min(choices, key=lambda to: value.get((tuple(sorted(to)), robber, 1), 1000))
            moves = enumerate(best)
        else:
            moves = [(cops, max((robber, *graph[robber]), key=lambda to: value.get((team, to, 0), 1000)))]
        for a, to in moves:
            actions[a] = STEPS.index((to[0] - at[a][0], to[1] - at[a][1]))
        batch.step([actions])
    return int(batch.record().t)


MAPS = {
    "tree": (["#######", "#S..#.#", "#.#.#.#", "#.#...#", "#.###.#", "#..G#.#", "#######"], 1, True),
    "ring": (RING, 1, False),
    "ring, two": (RING, 2, True),
    "room": (["#####", "#S..#", "#...#", "#..G#", "#####"], 1, False),
    "room, two": (["#####", "#S..#", "#...#", "#..G#", "#####"], 2, True),
}


def perfect_play(name, every):
    """Perfect games from each `every`-th start, of one chaser, or of two in one cell, and one runner."""
    rows, cops, caught = MAPS[name]
    graph = graph_of(rows)
    value = sweep(graph, cops)
    assert wins(graph, cops) == caught
    size = dict(height=len(rows), width=len(rows[0]), chasers=cops, runners=1)
    batch = kit.started(ID, level={"map": rows}, order="turns", horizon=40, **size)
    for one, other in [*product(sorted(graph), repeat=2)][1::every]:
        if one != other:
            batch.start(0, {"map": rows})
            s = batch.record()
            s.x[:], s.y[:] = zip(*[one] * cops, other)
            position = (one,) * cops, other, 0
            assert play_out(batch, graph, value, cops) == value.get(position, 40)
            assert batch.terminations.all() == (position in value)


@pytest.mark.parametrize("name", MAPS)
def test_perfect_play_takes_the_moves_of_the_sweep(name):
    perfect_play(name, 17)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAPS)
def test_perfect_play_from_many_starts(name):
    perfect_play(name, 2)


# Levels and words.


def test_levels():
    world = build(ID, dict(height=5, width=7))
    assert world.get_level(kit.started(world, level={"map": ROOM}).record()) == {"map": ROOM}
    kit.refuses(
        world,
        ({"map": ROOM[:4]}, "5 texts of 7 letters"),
        ({"map": ["#######", "#S...G#", "#..x..#", "#.....#", "#######"]}, "letter 'x'"),
        ({"map": ["#######", "#S.S.G#", "#.....#", "#.....#", "#######"]}, "one start 'S'"),
        ({"map": ["##.####", "#S...G#", "#.....#", "#.....#", "#######"]}, "walls .* all around"),
        ({"map": ROOM, "agents": 3}, "unknown part 'agents'"),
    )


@pytest.mark.parametrize("kind", ["caves", "maze", "obstacles"])
def test_generated_levels(kind):
    train, test = (generate(kind, 3, split, height=9, width=11) for split in ("train", "test"))
    assert train["map"] != test["map"]
    for level in (train, test):
        batch = kit.started(ID, level=level, height=9, width=11)
        assert batch.world.get_level(batch.record())["map"] == level["map"]


def test_starts():
    batch = opened([(1, 1)] * 3, [(1, 1)] * 2)
    batch.start(0, {"map": ROOM})
    s = batch.record()
    assert [*zip(s.x.tolist(), s.y.tolist())] == [(1, 1), (2, 1), (1, 2), (5, 1), (5, 2)]


def test_parameters():
    for wrong in (dict(chasers=0), dict(runners=33), dict(height=4), dict(sight=9), dict(caught="out")):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            Tag(**wrong)


def test_view_text_and_clicks():
    rows = ["#######", "#S.#.G#", "#..#..#", "#.....#", "#######"]
    batch = opened([(2, 1), (2, 1)], [(4, 1), (2, 3)], rows, sight=3)
    planes = batch.observations[0, 0]
    assert planes[0, 3].tolist() == [0, 1, 2, 3, 1, 0, 0]  # nothing behind the wall
    assert planes[1, 3, 3] == 2 and planes[2].sum() == 1 and planes[2, 5, 3] == 1
    text = batch.world.text(batch.record(), 0)
    assert "Chasers: in your cell." in text and "Runners: 2 south." in text
    assert kit.clicks(batch, 0) == {None, *range(len(ACTIONS))}
    assert batch.world.click(batch.record(), 0, 4.5, 3.5) == EAST
    assert (DX[EAST], DY[EAST]) == STEPS[EAST]


# Baselines.


def test_baselines_choose():
    rows = ["#######", "#S.#..#", "#..#..#", "#....G#", "#######"]
    open_ = opened([(1, 1)], [(3, 1)])
    for name in ("planner", "greedy"):
        assert kit.choices(name, open_, 0, **({"error": 0.0} if name == "greedy" else {})) == {"east"}
    around = opened([(2, 2)], [(4, 3)], rows)  # past the wall there is one shortest way
    assert kit.choices("planner", around, 0, seeds=4) == {"south"}
    assert "west" not in kit.choices("planner", around, 1, seeds=4)
    rescue = opened([(1, 3)], [(5, 1), (3, 1)])
    rescue.record().role[1] = FROZEN
    rescue.observe()
    assert kit.choices("planner", rescue, 2, seeds=4) == {"east"}
    assert kit.choices("planner", rescue, 1) == {"stay"}


@pytest.mark.slow
def test_baselines_score():
    """Catches of both chasers in 128 games, against the same runners."""

    def catches(chaser, runner):
        batch = kit.started(ID, 128)
        return kit.finish(batch, chaser, runner, second=lambda: batch.records["role"] != CHASER)[:, :2].sum(axis=1)

    planned, random = catches("planner", "random"), catches("random", "random")
    assert planned.mean() > random.mean() + 1
    assert catches("planner", "planner").mean() < catches("planner", "greedy").mean() - 0.5
    assert catches("random", "planner").mean() < 0.2
