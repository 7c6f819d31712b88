"""CaptureTheFlag: rules against sets of agents, states of a small map, mirrored games, shortest captures."""

from itertools import product

import kit
import networkx
import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError
from envsuite.generators import generate, generate_many
from envsuite.gridworlds.capture_the_flag import ACTIONS, STAY, TAG, CaptureTheFlag
from envsuite.registry import build

ID = "envsuite/CaptureTheFlag-v0"
EAST, SOUTH, WEST, NORTH = range(4)
STEPS = {EAST: (1, 0), SOUTH: (0, 1), WEST: (-1, 0), NORTH: (0, -1), STAY: (0, 0), TAG: (0, 0)}
MIRRORED = [WEST, SOUTH, EAST, NORTH, STAY, TAG]

ROOM = ["#########", "#S.....G#", "#.......#", "#.......#", "#########"]
TINY = ["######", "#S..G#", "#.##.#", "#....#", "######"]


# A second implementation.


class Reference:
    """The rules with names, sets and cells, written for this test."""

    def __init__(self, rows, team, captures=3, penalty=10, rest=10, carriers="half", horizon=300):
        self.free = {(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != "#"}
        ends = {row[x]: (x, y) for y, row in enumerate(rows) for x in range(len(row)) if row[x] in "SG"}
        self.base = {"red": ends["S"], "blue": ends["G"]}
        self.width, self.limit, self.horizon = len(rows[0]), captures, horizon
        self.penalty, self.rest, self.anywhere = penalty, rest, carriers == "anywhere"
        self.names = [(side, k) for side in ("red", "blue") for k in range(team)]
        self.at = {name: cell for side in self.base for name, cell in self.starts(side, team)}
        self.out, self.rests = dict.fromkeys(self.names, 0), dict.fromkeys(self.names, 0)
        self.flag = dict(self.base)  # a cell, or the agent that carries it
        self.score, self.t = {"red": 0, "blue": 0}, 0

    def starts(self, side, team):
        reached = [self.base[side]]
        for x, y in reached:
            near = [(x + dx, y + dy) for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))]
            reached += [cell for cell in near if cell in self.free and cell not in reached]
        return [((side, k), reached[k % len(reached)]) for k in range(team)]

    def half(self, cell):
        middle = (self.width - 1) / 2
        return "red" if cell[0] < middle else "blue" if cell[0] > middle else None

    def prey(self, name):
        """Whom an agent would tag."""
        if self.out[name] or self.rests[name]:
            return None
        found = []
        for other in self.names:
            if other[0] != name[0] and not self.out[other]:
                away = sum(abs(a - b) for a, b in zip(self.at[name], self.at[other]))
                carries = self.flag[name[0]] == other
                if away <= 1 and (self.half(self.at[other]) == name[0] or (self.anywhere and carries)):
                    found.append((not carries, away, other))
        return min(found)[2] if found else None

    def legal(self, name):
        if self.out[name]:
            return {STAY}
        return {*range(5)} | ({TAG} if self.prey(name) else set())

    def over(self):
        return 0 < self.limit <= max(self.score.values())

    def step(self, actions):
        """One step; returns the team that captures, if any."""
        choice, before = dict(zip(self.names, actions)), dict(self.at)
        hits = {name: self.prey(name) for name in self.names if choice[name] == TAG}
        gone = set(hits.values())
        waiting = {name for name in self.names if self.out[name]} | gone
        resting = {name for name in self.names if self.rests[name]}
        for side, holder in self.flag.items():
            if holder in gone:
                self.flag[side] = before[holder]
        for name in self.names:
            self.out[name] = self.penalty if name in gone else max(self.out[name] - 1, 0)
            self.rests[name] = self.rest if name in hits else self.rests[name] - (name in resting)
            self.at[name] = self.base[name[0]] if name in gone else self.at[name]
        playing = [name for name in self.names if name not in waiting]
        for name in playing:
            to = tuple(np.add(self.at[name], STEPS[choice[name]]).tolist())
            self.at[name] = to if to in self.free else self.at[name]
        for side in self.flag:
            there = [name for name in playing if self.at[name] == self.flag[side]]  # empty if it is carried
            if any(name[0] == side for name in there) and self.flag[side] != self.base[side]:
                self.flag[side] = self.base[side]
            there = [name for name in playing if self.at[name] == self.flag[side] and name[0] != side]
            self.flag[side] = min(there) if there else self.flag[side]
        self.t += 1
        for side, other in (("red", "blue"), ("blue", "red")):
            if self.at.get(self.flag[other]) == self.base[side] and self.flag[side] == self.base[side]:
                self.flag[other] = self.base[other]
                self.score[side] += 1
                return side
        return None

    def flag_cell(self, side):
        return self.at.get(self.flag[side], self.flag[side])


def compare(s, other, masks):
    """Demand that the record and the masks are those of the reference."""
    assert [*zip(s.x.tolist(), s.y.tolist())] == [*other.at.values()]
    assert s.out.tolist() == [*other.out.values()] and s.rests.tolist() == [*other.rests.values()]
    assert [*zip(s.flag_x.tolist(), s.flag_y.tolist())] == [other.flag_cell(side) for side in ("red", "blue")]
    holders = [other.names.index(f) if f in other.names else -1 for f in other.flag.values()]
    assert s.carrier.tolist() == holders and s.captures.tolist() == [*other.score.values()]
    if masks.any():
        assert [set(np.flatnonzero(mask).tolist()) for mask in masks] == [other.legal(name) for name in other.names]


CASES = [
    dict(team=1, height=5, width=6, walls=0.1, penalty=2, rest=1),
    dict(team=2, height=5, width=7, walls=0.2, penalty=3, rest=2, carriers="anywhere"),
    dict(team=3, height=6, width=8, walls=0.3, penalty=0, rest=4, captures=0),
    dict(team=4, height=7, width=9, penalty=5, rest=0, carriers="anywhere", captures=1),
    dict(team=2, height=9, width=12),
]


def wish(rng, other, name):
    """Mostly an action that brings something about: a tag, or a step towards a flag or the base; sometimes any."""
    legal = sorted(other.legal(name))
    if TAG in legal and rng.random() < 0.8:
        return TAG
    rival = "blue" if name[0] == "red" else "red"
    aim = (
        other.base[name[0]] if other.flag[rival] == name else other.flag_cell(rival if rng.random() < 0.8 else name[0])
    )
    if rng.random() < 0.3:
        return int(rng.choice(legal))
    away = [sum(abs(a - b) for a, b in zip(np.add(other.at[name], STEPS[k]).tolist(), aim)) for k in legal]
    return legal[int(np.argmin(away))]


def lock_step(seed, params, horizon=150):
    """Play a game in both; counts tags, drops, returns, captures and shared tags."""
    rng = np.random.default_rng(seed)
    batch = kit.started(ID, seed=seed, horizon=horizon, **params)
    rules = {name: value for name, value in params.items() if name not in ("height", "width", "walls")}
    other = Reference(batch.world.get_level(batch.record())["map"], horizon=horizon, **rules)
    counts = dict.fromkeys(("tags", "drops", "returns", "captures", "both"), 0)
    while True:
        s = batch.record()
        compare(s, other, batch.masks[0])
        assert batch.terminations[0].all() == batch.terminations[0].any() == other.over()
        assert batch.truncations[0].all() == batch.truncations[0].any() == (other.t == horizon and not other.over())
        if batch.over()[0]:
            return counts
        actions = [wish(rng, other, name) for name in other.names]
        flags, names = dict(other.flag), other.names
        prey = [other.prey(name) for name, action in zip(names, actions) if action == TAG]
        scorer = other.step(actions)
        batch.step([actions])
        paid = [0 if scorer is None else 1 if name[0] == scorer else -1 for name in names]
        assert batch.rewards[0].tolist() == paid
        counts["tags"] += len(set(prey))
        counts["both"] += len(prey) > len(set(prey))
        counts["captures"] += scorer is not None
        counts["drops"] += any(holder in prey for holder in flags.values())
        for side, holder in flags.items():
            dropped = holder not in names and holder != other.base[side]
            counts["returns"] += dropped and other.flag[side] == other.base[side] and scorer is None


@pytest.mark.parametrize("params", CASES[:3])
def test_in_lock_step_with_names(params):
    counts = lock_step(0, params)
    assert counts["tags"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("params", CASES)
def test_in_lock_step_for_long(params):
    games = [lock_step(seed, params) for seed in range(100, 112)]
    for name in ("tags", "drops", "captures") if params["team"] > 1 else ("tags",):
        assert sum(game[name] for game in games) > 0, name
    assert params["team"] < 3 or sum(game["both"] for game in games) > 0


# All states of a small map.


def states_of(rows, penalty, rest):
    """All states of one agent a side whose parts fit together: places, times and flags, as a mapping each."""
    model = Reference(rows, 1)
    cells, names = sorted(model.free), model.names
    for red, blue in product(cells, repeat=2):
        at = {names[0]: red, names[1]: blue}
        for out_red, out_blue in product({0, penalty}, repeat=2):
            out = {names[0]: out_red, names[1]: out_blue}
            if any(out[name] and at[name] != model.base[name[0]] for name in names):
                continue
            for rests in product({0, rest}, repeat=2):
                places = {
                    side: [model.base[side], model.free_middle(side), *([rival] if not out[rival] else [])]
                    for side, rival in (("red", names[1]), ("blue", names[0]))
                }
                for flags in product(places["red"], places["blue"]):
                    yield at, out, dict(zip(names, rests)), dict(zip(("red", "blue"), flags))


def free_middle(self, side):
    """A free cell in a half for a flag that was dropped."""
    return min(
        (cell for cell in self.free if self.half(cell) == side and cell != self.base[side]), key=lambda c: c[::-1]
    )


Reference.free_middle = free_middle


def every_state(carriers, stride):
    """Each joint choice of legal actions in each `stride`-th state of the map TINY, in both."""
    penalty, rest = 2, 2
    rules = dict(penalty=penalty, rest=rest, carriers=carriers)
    chosen = list(states_of(TINY, penalty, rest))[::stride]
    batch = kit.started(ID, level={"map": TINY}, num=len(chosen), team=1, height=5, width=6, **rules)
    models, records = [], [batch.record(i) for i in range(len(chosen))]
    for s, (at, out, rests, flags) in zip(records, chosen):
        model = Reference(TINY, 1, **rules)
        model.at, model.out, model.rests, model.flag = map(dict, (at, out, rests, flags))
        models.append(model)
        write(s, model)
    batch.observe()
    fresh, masks = batch.records.copy(), batch.masks.copy()
    count = 0
    for pair in product(range(6), repeat=2):
        where = masks[:, 0, pair[0]] * masks[:, 1, pair[1]] == 1
        batch.records[:] = fresh
        batch.observe()
        batch.step(np.tile(pair, (len(chosen), 1)) * where[:, None] + STAY * ~where[:, None])
        for i in np.flatnonzero(where).tolist():
            other = Reference(TINY, 1, **rules)
            other.at, other.out, other.rests, other.flag = (
                dict(getattr(models[i], k)) for k in ("at", "out", "rests", "flag")
            )
            assert [pair[k] in models[i].legal(name) for k, name in enumerate(other.names)] == [True, True]
            scorer = other.step(pair)
            assert batch.rewards[i].tolist() == [
                0 if scorer is None else 1 if side == scorer else -1 for side, _ in other.names
            ]
            compare(batch.record(i), other, batch.masks[i])
            count += 1
    return count


def write(s, model):
    """Put a state of the reference into a record."""
    s.x[:], s.y[:] = zip(*model.at.values())
    s.from_x[:], s.from_y[:] = s.x, s.y
    s.out[:], s.rests[:] = [*model.out.values()], [*model.rests.values()]
    for k, side in enumerate(("red", "blue")):
        s.flag_x[k], s.flag_y[k] = model.flag_cell(side)
        s.carrier[k] = model.names.index(model.flag[side]) if model.flag[side] in model.names else -1


def test_some_states_of_a_small_map():
    assert every_state("half", 41) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("carriers", ["half", "anywhere"])
def test_every_second_state_of_a_small_map(carriers):
    assert every_state(carriers, 2) > 25_000


# Probes.


def opened(red, blue, rows=ROOM, **params):
    """A game with agents on these cells (x, y)."""
    size = dict(height=len(rows), width=len(rows[0]), team=len(red))
    batch = kit.started(ID, level={"map": list(rows)}, **size, **params)
    s = batch.record()
    s.x[:], s.y[:] = zip(*red, *blue)
    batch.observe()
    return batch


def carried(batch, team, agent):
    """Let an agent carry the flag of a team."""
    s = batch.record()
    s.carrier[team], s.flag_x[team], s.flag_y[team] = agent, s.x[agent], s.y[agent]
    batch.observe()
    return batch


def test_tag_sends_home_for_the_penalty():
    batch = opened([(2, 2)], [(3, 2)], penalty=2, rest=3)
    assert batch.masks[0, :, TAG].tolist() == [1, 0]  # the enemy is in red's half; red is not in blue's
    batch.step([[TAG, EAST]])
    s = batch.record()
    assert (s.x[1], s.y[1]) == (7, 1) and s.out.tolist() == [0, 2] and s.rests.tolist() == [3, 0]
    assert not batch.observations[0, 1]["around"].any()  # an agent that is out sees nothing
    for left in (1, 0):
        assert batch.masks[0, 1].tolist() == [0, 0, 0, 0, 1, 0]
        batch.step([[STAY, STAY]])
        assert s.out[1] == left
    assert batch.masks[0, 1, :5].all() and s.rests[0] == 1


def test_middle_is_safe_for_all():
    batch = opened([(3, 2)], [(4, 2)])
    assert not batch.masks[0, :, TAG].any()


def test_both_are_tagged_across_the_middle():
    rows = ["########", "#S....G#", "#......#", "#......#", "########"]
    batch = opened([(4, 2)], [(3, 2)], rows)
    batch.step([[TAG, TAG]])
    assert batch.record().out.tolist() == [10, 10] and batch.record().rests.tolist() == [10, 10]


def test_tag_prefers_the_flag_then_the_nearest():
    """With red 0 at (2, 2), blue's agents are beside it, in its cell, and beside it with the flag."""
    away = (1, 3)
    batch = opened([(2, 2), away, away], [(3, 2), (2, 2), (2, 1)])
    carried(batch, 0, 2 + 3)
    batch.step([[TAG, *[STAY] * 5]])
    assert batch.record().out.tolist() == [0, 0, 0, 0, 0, 10]
    assert batch.record().carrier.tolist() == [-1, -1] and batch.record().flag_y[0] == 1
    batch = opened([(2, 2), away, away], [(3, 2), (2, 2), (2, 1)])
    batch.step([[TAG, *[STAY] * 5]])
    assert batch.record().out.tolist() == [0, 0, 0, 0, 10, 0]
    batch = opened([(2, 2), away, away], [(7, 3), (3, 2), (2, 1)])
    batch.step([[TAG, *[STAY] * 5]])
    assert batch.record().out.tolist() == [0, 0, 0, 0, 10, 0]


def test_own_agent_returns_the_flag_before_an_enemy_takes_it():
    batch = opened([(2, 3)], [(4, 3)])
    s = batch.record()
    s.flag_x[0], s.flag_y[0] = 3, 3
    batch.observe()
    batch.step([[EAST, WEST]])
    assert (s.flag_x[0], s.flag_y[0], s.carrier[0]) == (1, 1, -1)


def test_flag_that_returns_is_taken_at_the_base():
    batch = opened([(2, 3), (6, 3)], [(2, 1), (6, 2)])
    s = batch.record()
    s.flag_x[0], s.flag_y[0] = 3, 3
    batch.observe()
    batch.step([[EAST, STAY, WEST, STAY]])
    assert s.carrier[0] == 2 and (s.flag_x[0], s.flag_y[0]) == (1, 1)


def test_capture_needs_the_own_flag_at_home():
    batch = carried(opened([(2, 1), (3, 2)], [(5, 2), (6, 2)]), 1, 0)
    s = batch.record()
    s.flag_x[0], s.flag_y[0] = 3, 3
    batch.observe()
    batch.step([[WEST, STAY, STAY, STAY]])
    assert not batch.rewards.any() and s.carrier.tolist() == [-1, 0]
    batch.step([[STAY, SOUTH, STAY, STAY]])  # its mate returns the flag, and both happen in one step
    assert batch.rewards[0].tolist() == [1, 1, -1, -1] and s.captures.tolist() == [1, 0]
    assert s.carrier.tolist() == [-1, -1] and s.flag_x.tolist() == [1, 7]


@pytest.mark.parametrize("carriers", ["half", "anywhere"])
def test_where_carriers_are_tagged(carriers):
    batch = carried(opened([(2, 2)], [(1, 2)], carriers=carriers), 1, 0)
    assert batch.masks[0, 1, TAG] == (carriers == "anywhere")
    assert batch.masks[0, 0, TAG] == 1


def test_last_capture_ends_the_game():
    batch = carried(opened([(2, 1)], [(5, 2)], captures=2), 1, 0)
    batch.step([[WEST, STAY]])
    assert not batch.over().any()
    carried(batch, 1, 0)
    batch.step([[STAY, STAY]])
    assert batch.terminations.all() and batch.record().captures.tolist() == [2, 0] and not batch.masks.any()


# Symmetry.


def mirrored_game(seed, **params):
    """A game and its mirror image with the teams exchanged: all states, rewards and views are mirrored."""
    rng = np.random.default_rng(seed)
    one, two = (kit.started(ID, seed=seed, captures=0, horizon=120, **params) for _ in range(2))
    rows = one.world.get_level(one.record())["map"]
    image = [row[::-1].translate(str.maketrans("SG", "GS")) for row in rows]
    assert image == rows  # the generator's maps are mirrored
    team = one.world.team
    swap, width = np.r_[team : 2 * team, :team], len(rows[0])
    # Ends of searches differ in the mirror image, so agents start where they do on the left.
    a, b = one.record(), two.record()
    b.x[:], b.y[:] = width - 1 - a.x[swap], a.y[swap]
    two.observe()
    players = [make_policy("greedy", one.world, error=0.4), make_policy("random", one.world)]
    for player in players:
        player.reset(seed, 1)
    while not one.over()[0]:
        chosen = [player.act_batch(one.observations, one.masks, range(2 * team))[0] for player in players]
        actions = np.where(rng.random(2 * team) < 0.7, *chosen)
        one.step([actions])
        two.step([np.array(MIRRORED)[actions[swap]]])
        assert (b.x == width - 1 - a.x[swap]).all() and (b.y == a.y[swap]).all()
        assert (b.out == a.out[swap]).all() and (b.captures == a.captures[::-1]).all()
        assert (two.rewards[0] == one.rewards[0, swap]).all() and one.rewards.sum() == 0
        for k in range(2 * team):
            seen, other = one.observations[0, swap[k]], two.observations[0, k]
            assert (other["around"] == seen["around"][:, :, ::-1]).all()
            assert (other["status"][8:] == seen["status"][8:]).all()
        assert (two.masks[0] == one.masks[0][swap][:, MIRRORED]).all()
    return int(a.captures.sum()), bool(a.rests.any())


def test_mirrored_game():
    mirrored_game(3, team=2, height=7, width=10)


@pytest.mark.slow
def test_mirrored_games():
    games = [mirrored_game(seed, team=3, height=7, width=9 + seed % 3, penalty=4, rest=5) for seed in range(8)]
    assert sum(captures for captures, _ in games) > 1 and any(rests for _, rests in games)


# Known values.


def graph_of(rows):
    """The free cells (x, y) of a map."""
    free = {(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != "#"}
    graph = networkx.Graph()
    graph.add_nodes_from(free)
    graph.add_edges_from(((x, y), to) for x, y in free for to in ((x + 1, y), (x, y + 1)) if to in free)
    return graph


def shortest_capture(seed, team):
    """Plays the shortest paths of another library against enemies that stay; returns the steps until the capture."""
    rows = generate("camps", seed, height=9, width=13)["map"]
    batch = kit.started(ID, level={"map": rows}, team=team, height=9, width=13)
    graph, s, model = graph_of(rows), batch.record(), Reference(rows, team)
    there, home = model.base["blue"], model.base["red"]
    length = networkx.single_source_shortest_path_length(graph, there)
    runner = min(range(team), key=lambda a: length[int(s.x[a]), int(s.y[a])])
    start = int(s.x[runner]), int(s.y[runner])
    way = networkx.shortest_path(graph, start, there)[1:] + networkx.shortest_path(graph, there, home)[1:]
    at = start
    for k, cell in enumerate(way):
        actions = [STAY] * (2 * team)
        actions[runner] = next(a for a in range(4) if tuple(np.add(at, STEPS[a])) == cell)
        batch.step([actions])
        at = cell
        assert batch.rewards.any() == (k == len(way) - 1)
    assert len(way) == length[start] + length[home]


@pytest.mark.parametrize("team", [1, 3])
def test_shortest_capture(team):
    for seed in range(3):
        shortest_capture(seed, team)


def fewest_steps(rows, carriers):
    """By breadth-first search over the world's own states: the steps until red's first capture if blue stays."""
    batch = kit.started(ID, level={"map": rows}, team=1, height=len(rows), width=len(rows[0]), carriers=carriers)
    front, seen, count = [batch.records[0].copy()], set(), 0
    while front:
        count += 1
        reached = []
        for record in front:
            for action in range(5):
                batch.records[0] = record
                batch.observe()
                batch.step([[action, STAY]])
                if batch.rewards[0, 0] > 0:
                    return count
                s = batch.record()
                key = int(s.x[0]), int(s.y[0]), int(s.carrier[1])
                if key not in seen:
                    seen.add(key)
                    reached.append(batch.records[0].copy())
        front = reached
    return None


def test_no_capture_is_shorter():
    """On the map TINY the bases are 3 steps apart; with a wall between them, 7."""
    assert fewest_steps(TINY, "half") == 6
    assert fewest_steps(["######", "#S#.G#", "#.##.#", "#....#", "######"], "half") == 2 * 7


def guard_holds(rest, penalty, enemies=1):
    """Whether a guard at red's base keeps the flag from enemies that arrive one after the other, on a corridor.

    Searched over the whole tree of what the enemies may do, in the reference, with states that were met before cut off.
    """
    rows = ["#########", "#S.....G#", "#########"]
    rows = [rows[0], rows[1], "#########", "#########", rows[2]]
    first = Reference(rows, enemies, penalty=penalty, rest=rest)
    names = first.names
    rivals = [name for name in names if name[0] == "blue"]
    for name in names:
        first.at[name] = first.base[name[0]]

    def key(model):
        return tuple((*model.at[name], model.out[name], model.rests[name]) for name in (names[0], *rivals))

    seen, front = {key(first)}, [first]
    while front:
        model = front.pop()
        guard = TAG if model.prey(names[0]) else STAY
        for choice in product(*({WEST, EAST, STAY} & model.legal(name) for name in rivals)):
            other = Reference(rows, enemies, penalty=penalty, rest=rest)
            for part in ("at", "out", "rests", "flag"):
                setattr(other, part, dict(getattr(model, part)))
            other.step([guard, *[STAY] * (enemies - 1), *choice])
            if other.flag["red"] in rivals:
                return False
            if key(other) not in seen:
                seen.add(key(other))
                front.append(other)
    return True


def test_guard_keeps_the_flag_from_one_enemy():
    """The bases are 6 steps apart: a guard needs a rest of less than `penalty` + 6."""
    assert [guard_holds(rest, penalty=2) for rest in (0, 7, 8)] == [True, True, False]
    assert [guard_holds(rest, penalty=0) for rest in (5, 6)] == [True, False]


def test_two_enemies_pass_a_guard():
    assert not guard_holds(3, penalty=2, enemies=2) and guard_holds(3, penalty=2)


# Levels and words.


def test_levels():
    world = build(ID, dict(height=5, width=9))
    assert world.get_level(kit.started(world, level={"map": ROOM}).record()) == {"map": ROOM}
    kit.refuses(
        world,
        ({"map": ROOM[:4]}, "5 texts of 9 letters"),
        ({"map": [*ROOM[:2], "#...x...#", *ROOM[3:]]}, "letter 'x'"),
        ({"map": [ROOM[0], "#G.....S#", *ROOM[2:]]}, "left half"),
        ({"map": [ROOM[0], "#S..G...#", *ROOM[2:]]}, "left half"),
        ({"map": ROOM, "agents": 3}, "unknown part 'agents'"),
    )


def test_generated_levels():
    for params in (dict(), dict(ends="random", walls=0.5), dict(ends="corners", height=12, width=18), dict(walls=0.0)):
        for split in ("train", "test"):
            for level in generate_many("camps", 6, 3, split, **params):
                rows = level["map"]
                assert [row.translate(str.maketrans("SG", "GS"))[::-1] for row in rows] == rows
                assert networkx.is_connected(graph_of(rows))
                model = Reference(rows, 1)
                assert (model.half(model.base["red"]), model.half(model.base["blue"])) == ("red", "blue")


def test_bases_are_farthest_from_each_other():
    """Of all mirrored pairs of cells, by shortest paths of another library."""
    for seed in range(6):
        rows = generate("camps", seed, height=9, width=12 + seed % 2)["map"]
        graph, model, width = graph_of(rows), Reference(rows, 1), len(rows[0])
        apart = {
            (x, y): networkx.shortest_path_length(graph, (x, y), (width - 1 - x, y)) for x, y in graph if x < width // 2
        }
        assert apart[model.base["red"]] == max(apart.values())


def test_starts():
    batch = kit.started(ID, level={"map": ROOM}, team=3, height=5, width=9)
    s = batch.record()
    assert [*zip(s.x.tolist(), s.y.tolist())] == [(1, 1), (2, 1), (1, 2), (7, 1), (7, 2), (6, 1)]


def test_parameters():
    for wrong in (dict(team=0), dict(team=9), dict(penalty=-1), dict(width=4), dict(sight=9), dict(carriers="all")):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            CaptureTheFlag(**wrong)


def test_view_text_and_clicks():
    rows = ["#########", "#S..#..G#", "#...#...#", "#.......#", "#########"]
    batch = opened([(2, 1), (2, 1)], [(5, 1), (4, 3)], rows, sight=3)
    seen = batch.observations[0, 0]
    assert seen["around"][0, 3].tolist() == [0, 1, 2, 2, 2, 1, 0]  # nothing behind the wall
    assert seen["around"][1, 3, 3] == 2 and seen["around"][2].sum() == 1 and seen["around"][2, 5, 5] == 1
    assert seen["around"][3, 3, 2] == 1 + 4
    assert seen["status"].tolist() == [2, 1, 1, 1, 7, 1, 9, 5, *[0] * 9, 0, 10, 10, 0]
    text = batch.world.text(batch.record(), 0)
    assert "Team mates: in your cell." in text and "Enemies: 2 south 2 east." in text and "Your base: 1 west." in text
    assert kit.clicks(batch, 0) == {None, *range(len(ACTIONS) - 1)}
    assert batch.world.click(batch.record(), 0, 4.5, 3.5) == EAST


# Baselines.


def test_baselines_choose():
    batch = opened([(2, 2)], [(3, 2)])
    for name in ("planner", "greedy"):
        assert kit.choices(name, batch, 0) == {"tag"}
    home = carried(opened([(5, 1)], [(7, 3)]), 1, 0)
    assert kit.choices("planner", home, 0, seeds=4) == {"west"}
    assert kit.choices("greedy", home, 0, seeds=4, error=0.0) == {"west"}
    guard = opened([(4, 3), (2, 1)], [(3, 3), (6, 3)], sight=8)
    assert "tag" not in kit.legal(guard, 1)
    assert kit.choices("planner", guard, 1, seeds=8) == {"south", "east"}  # to the enemy in its half
    assert kit.choices("planner", guard, 1, seeds=4, guards=0) == {"east"}


@pytest.mark.slow
def test_baselines_score():
    """Captures of red, less those of blue, in 96 games."""

    def margin(red, blue):
        batch = kit.started(ID, 96)
        mine = np.arange(4)[None] >= 2
        total = kit.finish(batch, red, blue, second=lambda: np.broadcast_to(mine, (96, 4)))
        return total[:, 0].mean()

    assert margin("planner", "random") > 2
    assert margin("greedy", "random") > 0.3
    assert margin("planner", "greedy") > 0.7
