"""HideAndSeek: rules against a second implementation in lock-step and in all states of a room, closed cases, probes."""

from fractions import Fraction
from itertools import permutations, product

import kit
import networkx
import numpy as np
import pytest

from envsuite.core.errors import ParameterError
from envsuite.generators import generate, generate_many, mutate
from envsuite.gridworlds.hide_and_seek import ACTIONS, INTERACT, LOCKED, LOOSE, STAY, HideAndSeek
from envsuite.registry import build

ID = "envsuite/HideAndSeek-v0"
EAST, SOUTH, WEST, NORTH = range(4)
STEPS = {EAST: (1, 0), SOUTH: (0, 1), WEST: (-1, 0), NORTH: (0, -1)}

ROOM = ["#########", "#S.....G#", "#.......#", "#.......#", "#########"]
SHED = ["#########", "#S..#...#", "#....BG.#", "#...#...#", "#########"]


# A second implementation.


class Reference:
    """The rules with names and cells, written for this test; the order of actions is given."""

    def __init__(self, rows, hiders, seekers, sight=8, preparation=30):
        letters = {(x, y): letter for y, row in enumerate(rows) for x, letter in enumerate(row)}
        self.walls = {cell for cell, letter in letters.items() if letter == "#"}
        self.boxes = {cell: None for cell, letter in letters.items() if letter == "B"}  # None or the team of the lock
        ends = {letter: cell for cell, letter in letters.items() if letter in "SG"}
        self.names = [("hider", k) for k in range(hiders)] + [("seeker", k) for k in range(seekers)]
        self.sight, self.preparation, self.t = sight, preparation, 0
        self.at = {}
        for side, first, count in (("hider", "G", hiders), ("seeker", "S", seekers)):
            reached = [ends[first]]
            for cell in reached:
                reached += [near for near in self.near(cell) if self.clear(near) and near not in reached]
            self.at |= {(side, k): reached[k % len(reached)] for k in range(count)}
        self.found = set()

    @staticmethod
    def near(cell):
        return [(cell[0] + dx, cell[1] + dy) for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))]

    def clear(self, cell):
        return cell not in self.walls and cell not in self.boxes

    def waits(self, name):
        return name[0] == "seeker" and self.t < self.preparation

    def handled(self, name):
        """The boxes that an agent would lock, or else unlock."""
        around = [cell for cell in self.near(self.at[name]) if cell in self.boxes]
        loose = [cell for cell in around if self.boxes[cell] is None]
        return loose or [cell for cell in around if self.boxes[cell] == name[0]]

    def legal(self, name):
        if self.waits(name):
            return {STAY}
        return {*range(5)} | ({INTERACT} if self.handled(name) else set())

    def step(self, actions, order):
        for name in (self.names[k] for k in order):
            action = actions[self.names.index(name)]
            if self.waits(name):
                continue
            if action in STEPS:
                to, beyond = (tuple(c + k * d for c, d in zip(self.at[name], STEPS[action])) for k in (1, 2))
                pushes = to in self.boxes and self.boxes[to] is None and self.clear(beyond)
                if pushes and beyond not in self.at.values():
                    self.boxes[beyond] = self.boxes.pop(to)
                if self.clear(to):
                    self.at[name] = to
            elif action == INTERACT:
                for cell in self.handled(name):
                    self.boxes[cell] = name[0] if self.boxes[cell] is None else None
        paid = self.t >= self.preparation
        self.t += 1
        seekers = [self.at[name] for name in self.names if name[0] == "seeker"]
        hiders = [name for name in self.names if name[0] == "hider"]
        self.found = {name for name in hiders if paid and any(self.visible(c, self.at[name]) for c in seekers)}
        sign = 0 if not paid else 1 if self.found else -1
        return [sign if name[0] == "seeker" else -sign for name in self.names]

    def visible(self, one, other):
        """By exact fractions: on each line of cells between two, the nearest cells to the straight line."""
        gaps = [b - a for a, b in zip(one, other)]
        count = max(map(abs, gaps))
        if count > self.sight:
            return False
        for k in range(1, count):
            places = [Fraction(a) + Fraction(gap * k, count) for a, gap in zip(one, gaps)]
            nearest = [[int(p // 1)] if p % 1 < Fraction(1, 2) else [int(p // 1) + 1] for p in places]
            nearest = [
                [int(p // 1), int(p // 1) + 1] if p % 1 == Fraction(1, 2) else n for p, n in zip(places, nearest)
            ]
            if not any(self.clear(cell) for cell in product(*nearest)):
                return False
        return True

    def view(self, name):
        """The three planes that an agent sees, as a nested list."""
        x, y = self.at[name]
        around = range(-self.sight, self.sight + 1)
        planes = [[[0] * len(around) for _ in around] for _ in range(3)]
        for dy, dx in product(around, repeat=2):
            cell = x + dx, y + dy
            inside = 0 <= cell[0] <= max(self.walls)[0] and 0 <= cell[1] <= max(c[1] for c in self.walls)
            if inside and not self.waits(name) and self.visible((x, y), cell):
                code = 1 if cell in self.walls else 2
                if cell in self.boxes:
                    code = 3 if self.boxes[cell] is None else 4 if self.boxes[cell] == name[0] else 5
                counts = [sum(self.at[n] == cell for n in self.names if n[0] == side) for side in ("hider", "seeker")]
                for plane, value in zip(planes, (code, *counts)):
                    plane[dy + self.sight][dx + self.sight] = value
        return planes

    def lock_codes(self):
        return {cell: LOOSE if side is None else LOCKED + (side == "seeker") for cell, side in self.boxes.items()}


def compare(s, other, masks=None):
    """Demand that the record, and the masks if there are any, are those of the reference."""
    assert [*zip(s.x.tolist(), s.y.tolist())] == [*other.at.values()]
    assert {(x, y): int(s.boxes[y, x]) for y, x in np.argwhere(s.boxes).tolist()} == other.lock_codes()
    assert {(x, y) for y, x in np.argwhere(s.open == 0).tolist()} == other.walls | set(other.boxes)
    assert [other.names[a] for a in np.flatnonzero(s.found)] == sorted(other.found)
    if masks is not None:
        assert [set(np.flatnonzero(mask).tolist()) for mask in masks] == [other.legal(name) for name in other.names]


CASES = [
    dict(hiders=1, seekers=1, height=5, width=6, rooms=1, boxes=1, sight=8, preparation=0),
    dict(hiders=2, seekers=2, height=9, width=9, rooms=3, boxes=4, sight=3, preparation=6),
    dict(hiders=3, seekers=2, height=7, width=12, rooms=2, boxes=6, sight=5, preparation=2),
]


def lock_step(seed, params, horizon=40):
    """Play a game in both; counts pushes, locks, unlocks, sights and steps without."""
    rng = np.random.default_rng(seed)
    batch = kit.started(ID, seed=seed, horizon=horizon, **params)
    rules = {name: params[name] for name in ("hiders", "seekers", "sight", "preparation")}
    other = Reference(batch.world.get_level(batch.record())["map"], **rules)
    counts = dict.fromkeys(("pushes", "locks", "unlocks", "found", "hidden"), 0)
    while True:
        s = batch.record()
        compare(s, other, None if batch.over()[0] else batch.masks[0])
        k = int(rng.integers(len(other.names)))
        assert batch.observations[0, k]["around"].tolist() == other.view(other.names[k])
        assert batch.truncations[0].tolist() == [other.t == horizon] * len(other.names)
        if batch.over()[0]:
            assert s.hidden == counts["hidden"] and not batch.terminations.any()
            return counts
        actions = [
            INTERACT
            if INTERACT in other.legal(name) and rng.random() < 0.3
            else int(rng.choice(sorted(other.legal(name))))
            for name in other.names
        ]
        before = dict(other.boxes)
        batch.step([actions])
        paid = other.step(actions, batch.record().order.tolist())
        assert batch.rewards[0].tolist() == paid
        locked = [sum(side is not None for side in boxes.values()) for boxes in (before, other.boxes)]
        counts["pushes"] += before.keys() != other.boxes.keys()
        counts["locks"] += locked[1] > locked[0]
        counts["unlocks"] += locked[1] < locked[0]
        counts["found"] += paid[-1] > 0
        counts["hidden"] += paid[-1] < 0


@pytest.mark.parametrize("params", CASES)
def test_in_lock_step(params):
    games = [lock_step(seed, params) for seed in range(2)]
    for name in ("pushes", "locks", "hidden"):
        assert sum(game[name] for game in games) > 0, name


@pytest.mark.slow
@pytest.mark.parametrize("params", CASES)
def test_in_lock_step_for_long(params):
    games = [lock_step(seed, params) for seed in range(100, 116)]
    for name in ("pushes", "locks", "unlocks", "found", "hidden")[: 4 + (params["rooms"] > 1)]:
        assert sum(game[name] for game in games) > 2, name


# All states of a small room.

SMALL = ["#####", "#S.G#", "#...#", "#..B#", "#####"]


def every_state(stride):
    """Each joint choice of legal actions in each `stride`-th state of one hider, one seeker and one box, in both."""
    rules = dict(hiders=1, seekers=1, preparation=0)
    cells = [*product((1, 2, 3), repeat=2)]
    states = [
        (hider, seeker, box, side)
        for hider, seeker, box in product(cells, repeat=3)
        if box not in (hider, seeker)
        for side in (None, "hider", "seeker")
    ][::stride]
    batch = kit.started(ID, level={"map": SMALL}, num=len(states), height=5, width=5, **rules)

    def model(state):
        made = Reference(SMALL, **rules)
        made.at = {("hider", 0): state[0], ("seeker", 0): state[1]}
        made.boxes = {state[2]: state[3]}
        return made

    models = [model(state) for state in states]
    for i, made in enumerate(models):
        s = batch.record(i)
        s.x[:], s.y[:] = zip(*made.at.values())
        s.from_x[:], s.from_y[:] = s.x, s.y
        s.boxes[:] = 0
        s.open[1:-1, 1:-1] = 1
        for (x, y), code in made.lock_codes().items():
            s.boxes[y, x], s.open[y, x] = code, 0
        assert batch.world.contradiction(s) is None
    batch.observe()
    fresh, masks, count, orders = batch.records.copy(), batch.masks.copy(), 0, set()
    for pair in product(range(6), repeat=2):
        where = masks[:, 0, pair[0]] * masks[:, 1, pair[1]] == 1
        rng = batch.records["rng"].copy()
        batch.records[:] = fresh
        batch.records["rng"] = rng  # so that orders differ
        batch.observe()
        batch.step(np.tile(pair, (len(states), 1)) * where[:, None] + STAY * ~where[:, None])
        for i in np.flatnonzero(where).tolist():
            other, s = model(states[i]), batch.record(i)
            assert [pair[k] in models[i].legal(name) for k, name in enumerate(other.names)] == [True, True]
            orders.add(tuple(s.order.tolist()))
            assert batch.rewards[i].tolist() == other.step(pair, s.order.tolist())
            compare(s, other, batch.masks[i])
            count += 1
    assert len(orders) == 2
    return count


def test_some_states_of_a_small_room():
    assert every_state(37) > 1000


@pytest.mark.slow
def test_every_second_state_of_a_small_room():
    assert every_state(2) > 20_000


# Probes.


def opened(hiders, seekers, rows=ROOM, boxes=(), **params):
    """A game with agents on these cells (x, y), and boxes on others, by their codes."""
    size = dict(height=len(rows), width=len(rows[0]), hiders=len(hiders), seekers=len(seekers))
    batch = kit.started(ID, level={"map": list(rows)}, **size, **{"preparation": 0, "sight": 8, **params})
    s = batch.record()
    s.x[:], s.y[:] = zip(*hiders, *seekers)
    for x, y, code in boxes:
        s.boxes[y, x], s.open[y, x] = code, 0
    batch.observe()
    return batch


def test_seekers_are_blind_and_wait():
    batch = kit.started(ID, level={"map": ROOM}, height=5, width=9, hiders=1, seekers=1, preparation=2, sight=8)
    for left in (2, 1):
        seen = batch.observations[0, 1]
        assert not seen["around"].any() and seen["status"].tolist() == [1, 1, 9, 5, 1, 0, left, 0]
        assert kit.legal(batch, 1) == {"stay"} and "west" in kit.legal(batch, 0)
        assert batch.observations[0, 0]["around"][2].any()  # the hider sees
        batch.step([[WEST, STAY]])
        assert not batch.rewards.any()
    assert batch.observations[0, 1]["around"].any() and "east" in kit.legal(batch, 1)
    assert batch.record().x.tolist() == [5, 1]
    batch.step([[STAY, STAY]])
    assert batch.rewards[0].tolist() == [-1, 1] and batch.observations[0, 0]["status"][7] == 1


@pytest.mark.parametrize(
    ("boxes", "others", "moved"),
    [
        ([(3, 2, LOOSE)], [], True),
        ([(3, 2, LOCKED)], [], False),
        ([(3, 2, LOCKED + 1)], [], False),
        ([(3, 2, LOOSE), (4, 2, LOOSE)], [], False),
        ([(3, 2, LOOSE)], [(4, 2)], False),
    ],
)
def test_pushes(boxes, others, moved):
    batch = opened([(2, 2), *others], [(7, 3)], boxes=boxes)
    s = batch.record()
    batch.step([[EAST, *[STAY] * (1 + len(others))]])
    assert s.x[0] == 2 + moved and s.boxes[2, 4 if moved else 3] == boxes[0][2]
    assert np.count_nonzero(s.boxes) == len(boxes)


def test_box_at_a_wall_stays():
    batch = opened([(2, 2)], [(7, 3)], boxes=[(2, 1, LOOSE)])
    batch.step([[NORTH, STAY]])
    assert batch.record().y[0] == 2 and batch.record().boxes[1, 2] == LOOSE


def test_lock_and_unlock_by_team():
    batch = opened([(2, 2)], [(4, 2)], boxes=[(3, 2, LOOSE), (2, 3, LOOSE), (4, 3, LOCKED)])
    s = batch.record()
    batch.step([[INTERACT, STAY]])
    assert (s.boxes[2, 3], s.boxes[3, 2], s.boxes[3, 4]) == (LOCKED, LOCKED, LOCKED)
    assert "interact" not in kit.legal(batch, 1)  # the locks are not its own
    batch.step([[INTERACT, STAY]])
    assert (s.boxes[2, 3], s.boxes[3, 2], s.boxes[3, 4]) == (LOOSE, LOOSE, LOCKED)
    batch.step([[STAY, INTERACT]])
    assert (s.boxes[2, 3], s.boxes[3, 2]) == (LOCKED + 1, LOOSE)
    assert batch.observations[0, 0]["around"][0, 8, 9] == 5 and batch.observations[0, 1]["around"][0, 8, 7] == 4


def test_each_order_is_as_likely():
    """Of two agents that push one box from two sides, each comes first in half of 1500 games; and all orders occur."""
    size = dict(height=5, width=9, hiders=2, seekers=1, preparation=0)
    batch = kit.started(ID, level={"map": ROOM}, num=1500, **size)
    batch.records["x"], batch.records["y"] = (3, 4, 1), (2, 1, 1)
    batch.records["boxes"][:, 2, 4], batch.records["open"][:, 2, 4] = LOOSE, 0
    batch.observe()
    batch.step(np.tile([EAST, SOUTH, STAY], (1500, 1)))
    first = (batch.records["boxes"][:, 2, 5] == LOOSE).mean()
    assert abs(first - 0.5) < 4 * 0.5 / 1500**0.5
    assert ((batch.records["boxes"][:, 3, 4] == LOOSE) == (batch.records["boxes"][:, 2, 5] != LOOSE)).all()
    orders = [tuple(order) for order in batch.records["order"].tolist()]
    for order in permutations(range(3)):
        assert abs(orders.count(order) / 1500 - 1 / 6) < 0.04


def test_box_hides():
    for boxes, found in (([], 1), ([(4, 1, LOOSE)], -1)):
        batch = opened([(6, 1)], [(2, 1)], boxes=boxes)
        batch.step([[STAY, STAY]])
        assert batch.rewards[0].tolist() == [-found, found]


def test_one_sight_pays_both_teams():
    rows = ["#########", "#S..#..G#", "#...#...#", "#.......#", "#########"]
    batch = opened([(7, 1), (5, 3)], [(1, 1), (1, 3)], rows)
    batch.step([[STAY] * 4])
    assert batch.rewards[0].tolist() == [-1, -1, 1, 1] and batch.record().found.tolist() == [0, 1, 0, 0]


# Closed cases.


@pytest.mark.parametrize("seekers", ["random", "sweeper"])
@pytest.mark.mostly_slow
def test_never_seen_in_a_shut_room(seekers):
    """The hider locks the box in the only door: every seeker gets -1 in every step after the preparation."""
    batch = kit.started(ID, level={"map": SHED}, num=8, height=5, width=9, hiders=1, seekers=3, sight=8, horizon=80)
    s = batch.record()
    for action in (NORTH, SOUTH, WEST, INTERACT):  # the box is pushed into the door from (5, 2) to (4, 2)
        batch.step(np.tile([action, STAY, STAY, STAY], (8, 1)))
    assert s.boxes[2, 4] == LOCKED and (s.x[0], s.y[0]) == (5, 2)
    mine = np.arange(4)[None] >= 1
    total = kit.finish(batch, "builder", seekers, second=lambda: np.tile(mine, (8, 1)))
    assert (total == np.array([50, -50, -50, -50])).all() and (batch.records["hidden"] == 50).all()


def test_always_seen_in_an_empty_room():
    size = dict(height=5, width=9, hiders=1, seekers=3, rooms=1, boxes=0, sight=8)
    batch = kit.started(ID, num=4, preparation=3, horizon=20, **size)
    total = kit.finish(batch, "random")
    assert (total == np.array([-17, 17, 17, 17])).all()


# Levels and words.


def graph_of(rows):
    """The cells (x, y) without walls."""
    free = {(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != "#"}
    graph = networkx.Graph()
    graph.add_nodes_from(free)
    graph.add_edges_from(((x, y), to) for x, y in free for to in ((x + 1, y), (x, y + 1)) if to in free)
    return graph


@pytest.mark.parametrize("params", [dict(), dict(height=9, width=31, rooms=9, boxes=12), dict(rooms=100, least=1)])
def test_generated_levels(params):
    for split in ("train", "test"):
        for level in generate_many("hideouts", 6, 3, split, **params):
            rows = level["map"]
            assert networkx.is_connected(graph_of(rows))
            boxes = [(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter == "B"]
            assert len(boxes) <= params.get("boxes", 5)
            for x, y in boxes:  # free all around, so it can be pushed in all directions
                around = [rows[y + j][x + i] for i, j in product((-1, 0, 1), repeat=2) if i or j]
                assert set(around) <= set(".SG")


def test_doors_are_the_only_ways():
    """With w walls across, there are w + 1 rooms: without its doors, the map falls apart into that many."""
    for seed in range(8):
        rows = generate("hideouts", seed, boxes=0, rooms=5)["map"]
        graph = graph_of(rows)
        doors = [
            (x, y)
            for x, y in graph
            if {rows[y][x - 1], rows[y][x + 1]} == {"#"} or {rows[y - 1][x], rows[y + 1][x]} == {"#"}
        ]
        graph.remove_nodes_from(doors)
        assert networkx.number_connected_components(graph) == len(doors) + 1 >= 4


def test_changed_levels():
    level = generate("hideouts", 0)
    for seed in range(20):
        changed = mutate(level, seed)
        assert sum(row.count("B") for row in changed["map"]) == 5
        assert networkx.is_connected(graph_of(changed["map"]))


def test_levels():
    world = build(ID, dict(height=5, width=9))
    assert world.get_level(kit.started(world, level={"map": SHED}).record()) == {"map": SHED}
    kit.refuses(
        world,
        ({"map": SHED[:4]}, "5 texts of 9 letters"),
        ({"map": [*SHED[:2], "#...x...#", *SHED[3:]]}, "letter 'x'; known: # . B S G"),
        ({"map": [*SHED[:1], "#...#...#", *SHED[2:]]}, "one start"),
        ({"map": SHED, "agents": 3}, "unknown part 'agents'"),
    )


def test_contradictions():
    def changed(**values):
        batch = opened([(2, 2)], [(7, 3)], boxes=[(3, 2, LOOSE)])
        s = batch.record()
        for name, (place, value) in values.items():
            getattr(s, name)[place] = value
        return batch.world.contradiction(s)

    assert changed() is None
    assert "blocked" in changed(open=((2, 3), 1)) and "blocked" in changed(boxes=((1, 1), LOOSE))
    assert "in a wall or a box" in changed(x=(0, 3)) and "seeker is noted" in changed(found=(1, 1))


def test_parameters():
    for wrong in (dict(hiders=0), dict(seekers=9), dict(preparation=-1), dict(width=4), dict(sight=9), dict(boxes=33)):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            HideAndSeek(**wrong)


def test_text_and_clicks():
    batch = opened([(2, 2), (2, 2)], [(3, 1)], boxes=[(3, 2, LOOSE)])
    text = batch.world.text(batch.record(), 0)
    assert "Hiders: in your cell." in text and "Seekers: 1 north 1 east." in text and "can lock the boxes" in text
    assert kit.clicks(batch, 0) == {None, *range(len(ACTIONS) - 1)}
    assert batch.world.click(batch.record(), 0, 9.5, 8.5) == EAST
    batch.step([[INTERACT, STAY, STAY]])
    assert "can unlock the boxes" in batch.world.text(batch.record(), 1)
    assert "can unlock" not in batch.world.text(batch.record(), 2)


# Baselines.


def test_builder_shuts_the_door():
    """Both hiders end in the room behind a locked box, and are never seen."""
    rows = ["##########", "#S..#....#", "#.....B..#", "#...#...G#", "##########"]
    batch = kit.started(ID, level={"map": rows}, num=4, height=5, width=10, horizon=60)
    mine = np.arange(4)[None] >= 2
    total = kit.finish(batch, "builder", "sweeper", second=lambda: np.tile(mine, (4, 1)))
    assert (total[:, 0] == 30).all() and (batch.records["boxes"][:, 2, 4] == LOCKED).all()


def test_sweeper_chases():
    batch = opened([(6, 2)], [(2, 2)])
    assert kit.choices("sweeper", batch, 1, seeds=4, error=0.0) == {"east"}


@pytest.mark.slow
def test_baselines_score():
    """Mean returns of hiders in 96 games; a game pays from -210 to 210."""

    def mean(hiders, seekers):
        batch = kit.started(ID, 96)
        mine = np.arange(4)[None] >= 2
        return kit.finish(batch, hiders, seekers, second=lambda: np.tile(mine, (96, 1)))[:, 0].mean()

    assert mean("random", "sweeper") < -120 and mean("sweeper", "random") > 180
    assert mean("builder", "sweeper") > 80
