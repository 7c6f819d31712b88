"""CollaborativeMaze: lockstep with an independent copy of its rules, exact probabilities, dialogues, baselines."""

from collections import deque
from fractions import Fraction
from itertools import combinations
from math import comb

import kit
import numpy as np
import pytest

from envsuite import generators
from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError, ParameterError
from envsuite.evaluation.matches import play
from envsuite.gridworlds.collaborative_maze import CollaborativeMaze
from envsuite.registry import build
from envsuite.render.frames import draw

ID = "envsuite/CollaborativeMaze-v0"
STEPS = {"east": (0, 1), "south": (1, 0), "west": (0, -1), "north": (-1, 0)}
CONVENTIONS = ("same", "transposed", "shifted", "both")

# The rules in plain Python: cells are (row, column), messages are the names of actions.


class Maze:
    """A level: its free cells, its ends, the halves of the agents, and distances by breadth-first search."""

    def __init__(self, level):
        rows = [row[1:-1] for row in level["map"][1:-1]]
        self.size = len(rows)
        self.cells = [(y, x) for y in range(self.size) for x in range(self.size)]
        self.letter = {(y, x): rows[y][x] for y, x in self.cells}
        self.walls = {cell for cell in self.cells if self.letter[cell] == "#"}
        self.start, self.goal = (next(c for c in self.cells if self.letter[c] == letter) for letter in "SG")
        self.seen = {(y, x): level["seen"][y][x] for y, x in self.cells}
        self.distance = distances(self.goal, self.cells, self.walls)

    def step(self, cell):
        """The direction of a shortest path."""
        y, x = cell
        nearer = self.distance[cell] - 1
        return next(name for name, (dy, dx) in STEPS.items() if self.distance.get((y + dy, x + dx)) == nearer)

    def sees(self, seat, cell):
        return self.seen[cell] in ("*", str(seat))

    def hidden(self, seat):
        return {cell for cell in self.cells if not self.sees(seat, cell)}


def distances(goal, cells, walls):
    """Steps to the goal from every cell with a path to it."""
    inside = set(cells) - set(walls)
    found, queue = {goal: 0}, deque([goal])
    while queue:
        y, x = queue.popleft()
        for dy, dx in STEPS.values():
            near = (y + dy, x + dx)
            if near in inside and near not in found:
                found[near] = found[y, x] + 1
                queue.append(near)
    return found


def written(cell, seat, convention):
    """The two numbers for a row and a column, by the table of the documentation."""
    row, column = cell
    if seat == 1 and convention in ("shifted", "both"):
        row, column = row + 1, column + 1
    return (column, row) if seat == 1 and convention in ("transposed", "both") else (row, column)


def read(numbers, seat, convention):
    """The row and column that two numbers are read as; they may be outside the maze."""
    row, column = numbers[::-1] if seat == 1 and convention in ("transposed", "both") else numbers
    return (row - 1, column - 1) if seat == 1 and convention in ("shifted", "both") else (row, column)


class Game:
    """One run, moved by messages."""

    def __init__(self, level, mode="pair", first=0, handover=0, convention="same", truthful=True, strict=True,
                 penalty=0.1, reward="success", horizon=108):  # fmt: skip
        self.maze, self.mode, self.first, self.handover, self.convention = (
            Maze(level),
            mode,
            first,
            handover,
            convention,
        )
        self.truthful, self.strict, self.penalty, self.reward, self.horizon = truthful, strict, penalty, reward, horizon
        self.alone = mode.startswith("solo")
        self.at, self.log, self.standing, self.over = self.maze.start, [], None, None
        self.claims = [{}, {}]  # by each seat: numbers -> "free" or "wall"

    @property
    def seat(self):
        return 0 if self.alone else (self.first + len(self.log)) % 2

    @property
    def mover(self):
        leads = self.mode == "relay" and self.seat == self.first and len(self.log) < 2 * self.handover
        return 2 if leads else self.seat

    def say(self, name):
        """Send a message; the reward of all agents."""
        seat, reward, words = self.seat, 0.0, name.split()
        before = self.log[-1] if self.log else None
        self.log.append(name)
        if words[0] == "tell":
            self.claims[seat][int(words[1]), int(words[2])] = words[3]
        if words[0] == "propose":
            self.standing = (seat, words[1])
        if name == "reject":
            self.standing = None
        if name == "accept" or (self.alone and words[0] == "propose"):
            dy, dx = STEPS[self.standing[1]]
            near = (self.at[0] + dy, self.at[1] + dx)
            self.standing = None
            if near in self.maze.cells and near not in self.maze.walls:
                self.at = near
                if near == self.maze.goal:
                    self.over = "terminated"
            elif self.strict:
                self.over = "terminated"
            else:
                reward -= self.penalty
        if name == "done" and (before == "done" or self.alone):
            self.over = "terminated"
        if not self.over and len(self.log) == self.horizon:
            self.over = "truncated"
        if self.over:
            d, whole = (self.maze.distance[cell] for cell in (self.at, self.maze.start))
            reward += (d == 0) if self.reward == "success" else 1 - d / whole
        return reward

    def legal(self, names, agent):
        """The names of the actions that are legal now."""
        if self.over or agent != self.mover:
            return set()
        steps = {f"propose {direction}" for direction in STEPS}
        if self.alone:
            return {"done"} | steps
        seat = self.seat
        found = {"pass", "done"} | steps
        if self.standing and self.standing[0] != seat:
            found |= {"accept", "reject"}
        for name in names:
            if name.startswith(("tell", "ask")):
                kind, a, b, *what = name.split()
                cell = read((int(a), int(b)), seat, self.convention)
                known = cell in self.maze.cells and self.maze.sees(seat, cell)
                if not self.truthful:
                    found.add(name)
                elif kind == "ask" and cell in self.maze.cells and not known:
                    found.add(name)
                elif kind == "tell" and known and (what[0] == "wall") == (cell in self.maze.walls):
                    found.add(name)
        return found

    def observation(self, world, agent):
        maze, seat = self.maze, self.first if agent == 2 else agent
        n, m = maze.size, maze.size + (self.convention in ("shifted", "both"))
        view = np.zeros((n, n), int)
        for cell in maze.cells:
            if self.mode == "solo" or maze.sees(seat, cell):
                view[cell] = "?.#SG".index(maze.letter[cell])
        told, said = np.zeros((m, m), int), np.zeros((m, m), int)
        for plane, speaker in ((said, seat), (told, 1 - seat)):
            for numbers, what in self.claims[speaker].items():
                row, column = read(numbers, seat, self.convention)
                plane[row % m, column % m] = 1 + (what == "wall")
        if self.mode == "solo_half":
            for cell in maze.hidden(0):
                told[cell] = 1 + (cell in maze.walls)
        proposal = 0
        if self.standing:
            proposal = 1 + list(STEPS).index(self.standing[1]) + 4 * (self.standing[0] != seat)
        heard = [name for k, name in enumerate(self.log) if (self.first + k) % 2 != seat and not self.alone]
        return {
            "map": view,
            "told": told,
            "said": said,
            "position": self.at[0] * n + self.at[1],
            "proposal": proposal,
            # The list of the reading agent has the same words, at the index of their meaning there.
            "message": 1 + world.action_names[seat].index(heard[-1]) if heard else 0,
            "left": self.horizon - len(self.log),
        }


VARIANTS = {
    "default": {},
    "transposed": dict(convention="transposed", strict=False, reward="graded"),
    "both": dict(convention="both", truthful=False, first="agent_1"),
    "relay": dict(mode="relay", first="agent_1", convention="transposed", truthful=False),
    "solo_half": dict(mode="solo_half", strict=False, reward="graded"),
}


def lock_step(num, seed=0, **params):
    """Random runs: observations, masks, rewards and ends after every message. Count ends, and steps into walls."""
    world = CollaborativeMaze(**params)
    batch = kit.started(world, num)
    rules = {name: value for name, value in params.items() if name not in ("first", "size")}
    rules |= dict(first=1 if params.get("first") == "agent_1" else 0, handover=2)
    games = [Game(world.get_level(batch.record(i)), **rules) for i in range(num)]
    rng = np.random.default_rng(seed)
    ends, hits, checked = {}, 0, np.zeros(num, bool)
    while True:
        for i in np.flatnonzero(~checked):
            game = games[i]
            checked[i] = game.over is not None
            for agent in range(len(world.agents)):
                mask = {name for k, name in enumerate(world.action_names[agent]) if batch.masks[i, agent, k]}
                assert mask == game.legal(world.action_names[agent], agent)
                for part, wanted in game.observation(world, agent).items():
                    assert np.array_equal(batch.observations[part][i, agent], wanted), part
        running = np.array([game.over is None for game in games])
        assert (batch.over() == ~running).all()
        if not running.any():
            return ends, hits
        for i in np.flatnonzero(running):
            agent = games[i].mover
            names = world.action_names[agent]
            by_kind = {}
            for k in np.flatnonzero(batch.masks[i, agent]):
                by_kind.setdefault(names[k].split()[0], []).append(k)
            # Kinds of messages are equally likely, except for a bias that makes all ends occur.
            kinds = [kind for kind in by_kind if kind not in ("done", "pass") or rng.random() < 0.2]
            kind = "accept" if "accept" in kinds and rng.random() < 0.5 else rng.choice(kinds)
            batch.actions[i, agent] = rng.choice(by_kind[kind])
            if kind == "propose" and rng.random() < 0.8:
                batch.actions[i, agent] = names.index(f"propose {games[i].maze.step(games[i].at)}")
        moves = batch.actions.copy()
        batch.step(where=running)
        for i in np.flatnonzero(running):
            game = games[i]
            reward = game.say(world.action_names[game.mover][moves[i, game.mover]])
            assert (batch.rewards[i] == pytest.approx(reward)) and len(set(batch.rewards[i])) == 1
            assert (batch.terminations[i] == (game.over == "terminated")).all()
            assert (batch.truncations[i] == (game.over == "truncated")).all()
            hits += reward == -0.1
            if game.over:
                last = "goal" if game.at == game.maze.goal else game.log[-1].split()[0]
                ends[last] = ends.get(last, 0) + 1


@pytest.mark.slow
@pytest.mark.parametrize("params", VARIANTS.values(), ids=VARIANTS)
def test_in_lock_step(params):
    ends, hits = lock_step(60, **params)
    assert {"goal", "done"} <= set(ends) and (hits > 0) == (params.get("strict") is False)
    assert "accept" in ends or "strict" in params  # into a wall


@pytest.mark.parametrize("params", VARIANTS.values(), ids=VARIANTS)
def test_a_few_small_mazes_in_lock_step(params):
    ends, _ = lock_step(2, size=3, horizon=12, **params)
    assert sum(ends.values()) == 2


def test_halves_of_seven_cells():
    """Each agent sees three or four of them, and both happen; no cell is seen by both."""
    batch = kit.started(CollaborativeMaze(size=3), 12)
    mazes = [Maze(batch.world.get_level(batch.record(i))) for i in range(batch.num)]
    assert all(len(maze.hidden(0)) + len(maze.hidden(1)) == 7 for maze in mazes)
    assert {len(maze.hidden(0)) for maze in mazes} == {3, 4}


# Levels.


@pytest.mark.slow
def test_levels():
    """10,000 default mazes: solvable, not too short, and split into halves, each cell equally often in both."""
    batch = kit.started(CollaborativeMaze(), 10_000)
    ways, walls, seen = [], 0, np.zeros((6, 6))
    for i in range(10_000):
        maze = Maze(batch.world.get_level(batch.record(i)))
        ways.append(maze.distance.get(maze.start, -1))
        walls += len(maze.walls)
        counts = [len(maze.hidden(seat)) for seat in range(2)]
        assert counts == [17, 17] and not maze.hidden(0) & maze.hidden(1)
        assert maze.seen[maze.start] == maze.seen[maze.goal] == "*"
        for cell in maze.cells:
            seen[cell] += maze.seen[cell] == "0"
    assert min(ways) == 6 and max(ways) > 12 and walls / 360_000 == pytest.approx(0.3, abs=0.02)
    owned = (batch.records["owner"] < 2).sum(0)
    assert (np.abs(seen - owned / 2) < 5 * np.sqrt(owned / 4)).all()


@pytest.mark.slow
def test_odd_halves():
    """Each agent sees 11 of 23 cells equally often."""
    batch = kit.started(CollaborativeMaze(size=5), 4000)
    counts = (batch.records["owner"] == 0).sum((1, 2))
    assert set(counts) == {11, 12} and abs((counts == 11).mean() - 0.5) < 5 * 0.5 / np.sqrt(4000)


def played(world, policies, levels):
    """Returns (num,), messages (num,) and the batch after all of these levels have been played."""
    batch = Batch(world, len(levels))
    batch.start(0, levels)
    seats = [make_policy(name, world) for name in policies]
    for k, seat in enumerate(seats):
        seat.reset(k, batch.num)
    returns = np.zeros(batch.num)
    while not batch.over().all():
        for k, seat in enumerate(seats):
            batch.actions[:, k] = seat.act_batch(batch.observations[:, [k]], batch.masks[:, [k]], [k])[:, 0]
        batch.step(where=~batch.finished)
        returns += batch.rewards[:, 0]
    return returns, batch.records["t"].copy(), batch


def drawn(num, seed=0, **params):
    """Levels of a world."""
    batch = kit.started(build(ID, params), num, seed=seed)
    return [batch.world.get_level(batch.record(i)) for i in range(num)]


@pytest.fixture(scope="module")
def levels():
    """Default levels, shared by all tests."""
    return drawn(400)


@pytest.fixture(scope="module")
def mazes(levels):
    return [Maze(level) for level in levels]


@pytest.fixture(scope="module")
def ways(mazes):
    """Lengths of shortest paths."""
    return np.array([maze.distance[maze.start] for maze in mazes])


@pytest.mark.parametrize("mode", ["solo", "solo_half"])
@pytest.mark.mostly_slow
def test_alone_all_is_solved(mode, levels, ways):
    """By a shortest path, step by step."""
    returns, lengths, _ = played(build(ID, dict(mode=mode)), ["sharer"], levels)
    assert (returns == 1).all() and (lengths == ways).all()


@pytest.mark.slow
def test_sharers_solve_all(levels, ways):
    """Sharers need n n - 2 claims and two messages per step.

    Of 23 hidden cells, one is described after a pass if the second agent sees more.
    """
    returns, lengths, _ = played(build(ID), ["sharer", "sharer"], levels)
    assert (returns == 1).all() and (lengths == 34 + 2 * ways).all() and (lengths <= 36 + 2 * ways).all()
    odd = drawn(200, size=5)
    returns, lengths, _ = played(build(ID, dict(size=5)), ["sharer", "sharer"], odd)
    for maze, length in zip(map(Maze, odd), lengths):
        late = len(maze.hidden(1)) == 11  # cells that agent_0 sees
        assert length == 23 + late + 2 * maze.distance[maze.start] <= 25 + 2 * maze.distance[maze.start]
    assert (returns == 1).all()


# The blind proposer, exactly.


def downhill(maze, walls):
    """The path by distances through these walls: the first of east, south, west, north that is nearer to the goal."""
    distance = distances(maze.goal, maze.cells, walls)
    way = [maze.start]
    while way[-1] != maze.goal:
        y, x = way[-1]
        beside = [(y + dy, x + dx) for dy, dx in STEPS.values()]
        way.append(next(cell for cell in beside if distance.get(cell) == distance[y, x] - 1))
    return way


def blind_way(maze, seat):
    """The steps until it arrives or meets a wall, and whether it arrives."""
    way = downhill(maze, maze.walls - maze.hidden(seat))
    for k, cell in enumerate(way):
        if cell in maze.walls:
            return way[:k], False
    return way, True


def blind_probability(maze):
    """The probability that a blind proposer succeeds, over all halves of this maze.

    Walls on its path are considered one by one. If a wall is seen, the path changes. If it is unseen, the path fails if
    it keeps the wall. A wall that is not on the path changes nothing, because a fixed order breaks ties.
    """
    cells = len(maze.cells) - 2

    def chance(seen, unseen):
        way = downhill(maze, seen)
        for cell in way:
            if cell in maze.walls and cell not in unseen:
                return chance(seen | {cell}, unseen) + chance(seen, unseen | {cell})
        if unseen & set(way):
            return Fraction(0)
        others = cells - len(seen) - len(unseen)
        halves = {cells // 2, cells - cells // 2}
        ways = sum(Fraction(comb(others, half - len(seen)), comb(cells, half)) for half in halves if half >= len(seen))
        return ways / len(halves)

    return chance(frozenset(), frozenset())


@pytest.mark.parametrize("order", [("blind", "agreeable"), ("agreeable", "blind")])
def test_blind_proposer_level_by_level(order, levels, mazes):
    """It arrives exactly if its path has no wall, after two messages per step."""
    returns, lengths, batch = played(build(ID), order, levels)
    seat = order.index("blind")
    for i, maze in enumerate(mazes):
        way, arrives = blind_way(maze, seat)
        assert returns[i] == arrives
        assert lengths[i] == seat + 2 * (len(way) - arrives)
        assert batch.world.way(batch.record(i)) == [cell[::-1] for cell in way]
    assert 0.2 < returns.mean() < 0.4


@pytest.mark.mostly_slow
@pytest.mark.parametrize("size", [3, 4])
def test_blind_proposer_over_all_halves(size):
    """All halves of some mazes (70 of 7 cells, or 3,432 of 14) through the kernels: exactly the calculated share."""
    world = build(ID, dict(size=size))
    some = set()
    for level in drawn(3 if size == 4 else 12, size=size):
        maze = Maze(level)
        inner = [cell for cell in maze.cells if cell not in (maze.start, maze.goal)]
        levels = []
        for half in sorted({len(inner) // 2, len(inner) - len(inner) // 2}):
            for mine in combinations(inner, half):
                seen = [["1"] * size for _ in range(size)]
                for y, x in (*mine, maze.start, maze.goal):
                    seen[y][x] = "0" if (y, x) in mine else "*"
                levels.append({"map": level["map"], "seen": ["".join(row) for row in seen]})
        returns, _, _ = played(world, ["blind", "agreeable"], levels)
        assert Fraction(int(returns.sum()), len(levels)) == blind_probability(maze)
        some.add(blind_probability(maze))
    assert len(some) > 1


def test_blind_proposer_at_random_halves(levels):
    """Halves drawn by the world, 2,000 for each of 4 mazes: the share equals the exact one within 4.5 errors."""
    chances = []
    for level in levels[:4]:
        returns, _, batch = played(build(ID), ["blind", "agreeable"], [{"map": level["map"]}] * 2000)
        assert (batch.records["owner"] == batch.records["owner"][0]).all((1, 2)).mean() < 0.01
        chance = float(blind_probability(Maze(level)))
        assert abs(returns.mean() - chance) <= 4.5 * np.sqrt(chance * (1 - chance) / 2000)
        chances.append(chance)
    assert min(chances) < 0.2 and max(chances) > 0.6


# Two sharers, message by message, with every convention.


class Sharer:
    """The policy in plain Python, over a `Game`."""

    def __init__(self, game, seat):
        self.game, self.seat, self.refused, self.proposed = game, seat, set(), None

    def believed(self):
        """Its belief about each cell: True for a wall; unknown cells are left out."""
        game, maze = self.game, self.game.maze
        told = {read(pair, self.seat, game.convention): v == "wall" for pair, v in game.claims[1 - self.seat].items()}
        sight = {cell: cell in maze.walls for cell in maze.cells if maze.sees(self.seat, cell)}
        heard = {cell: wall for cell, wall in told.items() if cell in maze.cells}
        return heard | sight | dict.fromkeys(self.refused, True)

    def say(self):
        game, maze = self.game, self.game.maze
        last = game.log[-1] if game.log else ""
        if last == "reject" and self.proposed:
            self.refused.add(self.proposed)
        believed = self.believed()
        if game.standing and game.standing[0] != self.seat:
            dy, dx = STEPS[game.standing[1]]
            near = (game.at[0] + dy, game.at[1] + dx)
            return "reject" if near not in maze.cells or believed.get(near) else "accept"
        for cell in maze.cells:
            numbers = written(cell, self.seat, game.convention)
            if maze.seen[cell] == str(self.seat) and numbers not in game.claims[self.seat]:
                return f"tell {numbers[0]} {numbers[1]} {'wall' if cell in maze.walls else 'free'}"
        if last.startswith("tell") and len(believed) < len(maze.cells):
            return "pass"
        distance = distances(maze.goal, maze.cells, {cell for cell in believed if believed[cell]} - {maze.goal})
        y, x = game.at
        for name, (dy, dx) in STEPS.items():
            if game.at in distance and distance.get((y + dy, x + dx)) == distance[game.at] - 1:
                self.proposed = (y + dy, x + dx)
                return f"propose {name}"
        return "done"


@pytest.mark.mostly_slow
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_dialogues_of_sharers(convention, levels):
    """400 dialogues, word for word: the convention alone determines where they succeed."""
    world = build(ID, dict(convention=convention))
    returns, lengths, batch = played(world, ["sharer", "sharer"], levels)
    for i, level in enumerate(levels):
        game = Game(level, convention=convention)
        sharers = [Sharer(game, seat) for seat in range(2)]
        while not game.over:
            reward = game.say(sharers[game.seat].say())
        assert [world.action_names[who][k] for who, k in world.dialogue(batch.record(i))] == game.log
        assert returns[i] == reward
    # Our own means of 10,000 mazes, in the documentation; five standard errors.
    documented = {"same": 1, "transposed": 0.505, "shifted": 0.469, "both": 0.551}[convention]
    assert abs(returns.mean() - documented) <= 5 * np.sqrt(documented * (1 - documented) / len(levels))


@pytest.mark.parametrize("convention", CONVENTIONS[1:])
@pytest.mark.mostly_slow
def test_grounding(convention, levels):
    """A translator repairs the misunderstandings of two sharers."""
    world = build(ID, dict(convention=convention, truthful=False))
    assert (played(world, ["sharer", "translator"], levels)[0] == 1).all()
    assert played(world, ["sharer", "sharer"], levels)[0].mean() < 0.7


@pytest.mark.slow
def test_translated_words():
    """With agent_1 transposed and counting from 1, a translator's final statements are true as agent_0 reads them."""
    params = dict(convention="both", truthful=False, strict=False)
    made = drawn(100)
    _, _, batch = played(build(ID, params), ["sharer", "translator"], made)
    complete = 0
    for i, maze in enumerate(map(Maze, made)):
        told = {cell: code for cell, code in np.ndenumerate(batch.records["told"][i, 0]) if code and cell in maze.cells}
        right = [told.get(cell) == 1 + (cell in maze.walls) for cell in maze.hidden(0)]
        complete += all(right)
    assert complete > 90  # in the others, the walker arrived before everything was repeated


# Baselines.


def test_asker_asks_only_on_its_way(levels, mazes, ways):
    """It solves all mazes with far fewer messages than sharers; every question is about a cell on a shortest path."""
    world = build(ID)
    returns, lengths, batch = played(world, ["asker", "asker"], levels)
    assert (returns == 1).all() and lengths.mean() < 0.6 * (34 + 2 * ways).mean()
    for i, maze in enumerate(mazes[:300]):
        known = {cell: cell in maze.walls for cell in maze.cells if maze.sees(0, cell)}
        for name in [world.action_names[who][k] for who, k in world.dialogue(batch.record(i)) if who == 0]:
            if name.startswith("ask"):
                cell = tuple(map(int, name.split()[1:]))
                assert cell not in known and cell in downhill(maze, {c for c in known if known[c]})
                known[cell] = cell in maze.walls
        assert lengths[i] == 2 * ways[i] + 2 * sum(not maze.sees(0, cell) for cell in known)


def test_noise(levels):
    """Without noise, a listener is a sharer; success falls with noise."""
    means = [played(build(ID), ["sharer", f"noisy:noise={noise}"], levels)[0].mean() for noise in (0.0, 0.1, 0.4)]
    assert means[0] == 1 and means[0] - 0.1 > means[1] and means[1] - 0.1 > means[2]


def test_heterogeneity():
    """Pairs of policies and the agent that starts: a table of the means of 600 mazes.

    An agent that rejects steps into walls that it sees is safe with any proposer; an agent that accepts all steps is
    not.
    """
    names = ["sharer", "asker", "blind", "agreeable"]
    table = {(a, b): play(ID, [a, b], 600)[0][:, 0].mean() for a in names for b in names}
    blind_0 = table["blind", "agreeable"]
    blind_1 = table["agreeable", "blind"]
    assert 0.2 < blind_0 < 0.4 and 0.2 < blind_1 < 0.4
    for a, b in table:
        if a == b == "agreeable":
            assert table[a, b] == 0
        elif {a, b} <= {"blind", "agreeable"}:
            assert table[a, b] == (blind_1 if (a, b) == ("agreeable", "blind") else blind_0)
        elif "agreeable" in (a, b):  # the proposer gets no information: it is as blind
            assert table[a, b] == (blind_0 if b == "agreeable" else blind_1)
        else:
            assert table[a, b] == 1
    assert play(ID, ["random", "random"], 600)[0].mean() < 0.02


def test_who_starts(levels):
    """With the halves and the first agent exchanged, the dialogue is the same with the seats exchanged."""
    mirrored = [
        {**level, "seen": [row.translate(str.maketrans("01", "10")) for row in level["seen"]]} for level in levels
    ]
    for a, b in (("blind", "agreeable"), ("sharer", "blind"), ("asker", "sharer")):
        returns, lengths, _ = played(build(ID), [a, b], levels)
        turned, others, _ = played(build(ID, dict(first="agent_1")), [b, a], mirrored)
        assert (returns == turned).all() and (lengths == others).all()
    _, first, _ = played(build(ID), ["sharer", "blind"], levels)
    _, second, _ = played(build(ID, dict(first="agent_1")), ["sharer", "blind"], levels)
    assert (first != second).any()
    batch = kit.started(build(ID, dict(first="random")), 2000)
    assert abs(batch.acting[:, 0].mean() - 0.5) < 5 * 0.5 / np.sqrt(2000) and (batch.acting.sum(1) == 1).all()


@pytest.mark.parametrize("handover", [0, 3, 100])
@pytest.mark.mostly_slow
def test_relay(handover, levels, mazes):
    """A blind leader and two agreeable agents: the leader's messages limit the progress; with enough, it is a pair."""
    params = dict(mode="relay", handover=handover, reward="graded")
    returns, lengths, batch = played(build(ID, params), ["agreeable", "agreeable", "blind"], levels)
    for i, maze in enumerate(mazes):
        way, _ = blind_way(maze, 0)
        reached = way[min(handover, len(way) - 1)]
        assert returns[i] == pytest.approx(1 - maze.distance[reached] / maze.distance[maze.start])
    if handover == 100:
        assert (lengths == played(build(ID), ["blind", "agreeable"], levels)[1]).all()
    second = build(ID, {**params, "first": "agent_1"})
    *_, batch = played(second, ["agreeable", "agreeable", "blind"], levels[:50])
    for i, maze in enumerate(mazes[:50]):
        way, _ = blind_way(maze, 1)
        assert second.way(batch.record(i)) == [cell[::-1] for cell in way[: handover + 1]]
        speakers = [who for who, _ in second.dialogue(batch.record(i))]
        assert speakers[0] == (2 if handover else 1) and speakers[1] == 0


def test_relay_helps(levels):
    """A leader that hears well replaces an agent that does not: the later it hands over, the higher the success."""
    means = []
    for handover in (0, 8, 24):
        world = build(ID, dict(mode="relay", handover=handover))
        means.append(played(world, ["noisy", "noisy", "asker"], levels)[0].mean())
    assert means[0] + 0.05 < means[1] and means[1] + 0.05 < means[2]


# Levels and parameters, text and picture.


def test_levels_of_generators():
    world = CollaborativeMaze(size=5)
    batch = Batch(world, 3)
    made = [generators.generate(kind, 1, height=7, width=7) for kind in ("obstacles", "caves", "maze")]
    for i, level in enumerate(made):
        batch.set_level(i, level)
    batch.start()
    for i, level in enumerate(made):
        assert world.get_level(batch.record(i))["map"] == level["map"]


GIVEN = {
    "map": ["#####", "#S.G#", "#.#.#", "#...#", "#####"],
    "seen": ["*0*", "011", "101"],
}


def test_wrong_levels():
    batch = kit.started(CollaborativeMaze(size=3), level=GIVEN)
    assert batch.world.get_level(batch.record()) == GIVEN
    for change, message in (
        ({"map": ["#####", "#S#G#", "##..#", "#...#", "#####"]}, "no way from S to G"),
        ({"map": GIVEN["map"][:4]}, "5 texts of 5 letters"),
        ({"map": ["#####", "#SSG#", *GIVEN["map"][2:]]}, "one start"),
        ({"seen": ["*0*", "011"]}, "seen must be 3 texts of 3 letters"),
        ({"seen": ["00*", "011", "101"]}, r"'0' in row 0, column 0; right would be '\*'"),
        ({"seen": ["*0*", "0x1", "101"]}, "seen has the letter 'x'; known: 0 1 *"),
        ({"other": 1}, "unknown part 'other'"),
    ):
        with pytest.raises(LevelError, match=message):
            batch.set_level(0, {**GIVEN, **change})


def test_parameters():
    for wrong, message in (
        (dict(size=2), "size"),
        (dict(shortest=11), "at most 2 size - 2 = 10"),
        (dict(handover=3), 'mode="relay"'),
        (dict(mode="solo", convention="both"), "alone"),
        (dict(mode="solo_half", first="random"), "alone"),
        (dict(mode="relay", first="random", convention="both"), "leader"),
        (dict(convention="other"), "convention"),
    ):
        with pytest.raises(ParameterError, match=message):
            CollaborativeMaze(**wrong)
    assert CollaborativeMaze(reward="graded", strict=False).reward_range == (-34.1, 1.0)
    names = CollaborativeMaze(size=3, convention="both").action_names
    assert len(names[0]) == 8 + 3 * 16 and set(names[0]) == set(names[1])
    assert names[0][8 + 4 * 2 + 1] == "tell 2 1 free" and names[1][8 + 4 * 2 + 1] == "tell 2 3 free"


def after(messages, level=GIVEN, **params):
    """A run after some messages."""
    batch = kit.started(CollaborativeMaze(size=len(level["seen"]), **params), level=level)
    for name in messages:
        batch.actions[0] = [names.index(name) if name in names else 0 for names in batch.world.action_names]
        batch.step()
    return batch.world, batch.record()


def test_text(levels):
    world, s = after(["ask 1 1", "tell 1 1 wall", "propose east", "pass"])
    assert world.text(s, 0).splitlines()[1:5] == [
        "       0  1  2",
        "   0   @  .  G",
        "   1   .  w  ?",
        "   2   ?  .  ?",
    ]
    assert "Your proposal to go east stands" in world.text(s, 0) and "It is your turn." in world.text(s, 0)
    assert "agent_1: tell 1 1 wall" in world.text(s, 0) and "you: tell 1 1 wall" in world.text(s, 1)
    assert "Since your last message:\n  agent_1: pass\n\n4 of" in world.reply(s, 0)
    assert "Since your last message" not in world.reply(s, 1)
    world, s = after(["propose east", "accept", "propose south", "accept"])
    assert "went into a wall" in world.text(s, 0) and world.way(s) == [(0, 0), (1, 0)]
    world, s = after(["propose east", "accept", "propose east", "accept"])
    assert all("at the goal" in world.text(s, agent) for agent in range(2))
    assert "given up" in after(["done", "done"])[0].text(after(["done", "done"])[1], 0)
    world, s = after(["pass"] * 27)
    assert "no messages left" in world.text(s, 0)
    world, s = after(["tell 0 1 free", "tell 2 2 wall"], convention="both")
    assert "its column, then its row, both counted from 1" in world.prompt(s, 1)
    assert "its row, then its column, both counted from 0" in world.prompt(s, 0)
    # agent_1 reads column 0, row 1, which is no cell; it writes of row 1, column 1; agent_0 reads row 2, column 2
    assert world.text(s, 1).splitlines()[1:5] == [
        "       1  2  3",
        "   1   @  ?  G",
        "   2   ?  #  .",
        "   3   .  ?  .",
    ]
    assert world.text(s, 0).splitlines()[4] == "   2   ?  .  w"
    world, s = after(["propose south", "propose north"], levels[0], mode="solo_half", strict=False)
    assert "The other half:" in world.text(s, 0) and "2 of 108 steps" in world.text(s, 0)
    world, s = after([], levels[0], mode="relay", handover=1)
    assert "turn of leader" in world.text(s, 0) and "It is your turn" in world.text(s, 2)


CROSS = {"map": ["#####", "#...#", "#.S.#", "#..G#", "#####"], "seen": ["010", "1*0", "01*"]}


@pytest.mark.parametrize("direction", STEPS)
def test_proposals_and_answers(direction):
    """An accepted proposal moves the walker; one that is rejected or replaced does not, and no longer stands."""
    dy, dx = STEPS[direction]
    number = 1 + list(STEPS).index(direction)
    batch = kit.started(CollaborativeMaze(size=3), level=CROSS)
    world = batch.world
    kit.act(batch, f"propose {direction}")
    assert batch.observations["proposal"][0].tolist() == [number, 4 + number]
    assert batch.observations["message"][0].tolist() == [0, 1 + world.action_names[0].index(f"propose {direction}")]
    assert {"accept", "reject"} <= kit.legal(batch, 1) and batch.observations["position"][0].tolist() == [4, 4]
    kit.act(batch, "accept")
    assert batch.observations["position"][0].tolist() == [4 + 3 * dy + dx] * 2 and not batch.over()[0]
    assert not batch.observations["proposal"].any() and not {"accept", "reject"} & kit.legal(batch, 0)
    for answer, then in (("reject", 0), ("pass", number), ("propose east", 5), ("ask 0 2", number)):
        batch.start(0, CROSS)
        kit.act(batch, f"propose {direction}", answer)
        assert batch.observations["proposal"][0, 0] == then and batch.observations["position"][0, 0] == 4
        assert ("accept" in kit.legal(batch, 0)) == (then == 5)
    assert batch.observations["left"][0].tolist() == [25, 25]


def test_done_after_done_ends():
    """Both agents one after the other: any message in between starts again."""
    for messages, over in (
        (["done", "done"], True),
        (["done", "pass", "done"], False),
        (["done", "pass", "done", "done"], True),
        (["done", "propose east", "accept", "done"], False),
    ):
        _, s = after(messages, CROSS)
        assert s.terminated.tolist() == [over] * 2


@pytest.mark.parametrize("reward, value", [("success", 0), ("graded", 1 - 3 / 2)])
def test_what_an_end_pays(reward, value):
    """Graded: 1 - d / D, here from two steps to three; each step into a wall costs `penalty` if not `strict`."""
    world = CollaborativeMaze(size=3, reward=reward, strict=False, penalty=0.25, horizon=6)
    batch = kit.started(world, level=CROSS)
    paid = []
    for name in ("propose north", "accept", "propose north", "accept", "done", "done"):
        kit.act(batch, name)
        paid.append(batch.rewards[0].tolist())
    assert paid == [[0, 0]] * 3 + [[-0.25] * 2, [0, 0], [value] * 2] and batch.terminations.all()
    batch.start(0, CROSS)
    kit.act(batch, "propose north", "accept", "pass", "pass", "pass", "pass")
    assert batch.rewards[0].tolist() == [value] * 2 and batch.truncations.all() and not batch.terminations.any()
    batch.start(0, CROSS)
    kit.act(batch, "propose east", "accept", "propose south", "accept")
    assert batch.rewards[0].tolist() == [1, 1] and batch.terminations.all()


def test_half_of_the_other_is_hidden():
    """Two mazes that differ only where agent_0 does not see: only its text and picture are the same for both."""
    other = {"map": ["#####", "#S.G#", "#...#", "#..##", "#####"], "seen": GIVEN["seen"]}
    for agent, alike in ((0, True), (1, False), (None, False)):
        seen = [after(["ask 1 1", "pass", "tell 0 1 free"], level=level) for level in (GIVEN, other)]
        pictures = [draw(world.scene(s, agent)) for world, s in seen]
        assert np.array_equal(*pictures) == alike
        if agent is not None:
            texts = [world.text(s, agent) for world, s in seen]
            assert (texts[0] == texts[1]) == alike


def test_scene_and_clicks(levels):
    # agent_0 describes row 0, column 1; agent_1 reads row 1, column 0, which it does not see and which is free too
    world, s = after(["tell 0 1 free"], convention="transposed")
    assert not any(getattr(shape, "outline", None) == "bad" for shape in world.scene(s).shapes)
    wall = {**GIVEN, "map": ["#####", "#S.G#", "##..#", "#...#", "#####"]}  # now it is a wall
    world, s = after(["tell 0 1 free"], wall, convention="transposed")
    assert any(getattr(shape, "outline", None) == "bad" for shape in world.scene(s).shapes)
    assert not any(getattr(shape, "outline", None) == "bad" for shape in world.scene(s, 1).shapes)
    world, s = after(["tell 2 1 free"], convention="transposed")
    names = world.action_names
    assert names[0][world.click(s, 0, 1.3 + 1.5, 2.5)] == "propose east"
    assert names[0][world.click(s, 0, 1.3 + 1.5, 4.5)] == "tell 2 1 free"
    assert names[0][world.click(s, 0, 1.3 + 2.5, 3.5)] == "ask 1 2"
    assert names[1][world.click(s, 1, 1.3 + 2.5, 3.5)] == "tell 2 1 free"
    assert world.click(s, 0, 0.2, 0.2) is None
    for params in (dict(mode="solo"), dict(mode="solo_half"), dict(mode="relay")):
        world, s = after(["propose south"], levels[0], strict=False, **params)
        assert draw(world.scene(s)).shape[2] == 3 and draw(world.scene(s, 0)).shape[2] == 3


def test_density_and_ends_are_parameters():
    shares = []
    for density in (0.0, 0.3, 0.6):
        inner = "".join(row[1:-1] for level in drawn(50, density=density) for row in level["map"][1:-1])
        shares.append(inner.count("#") / len(inner))
    assert shares[0] == 0 < shares[1] < shares[2] <= 0.6
    for level in drawn(20, ends="corners"):
        rows = [row[1:-1] for row in level["map"][1:-1]]
        corners = rows[0][0] + rows[0][-1] + rows[-1][0] + rows[-1][-1]
        assert "S" in corners and "G" in corners
