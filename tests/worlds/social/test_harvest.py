"""Harvest: in lock-step with Melting Pot, its maps, each rule by a probe, its chances, and random play."""

import itertools
from collections import deque

import kit
import melting_pot_play
import numpy as np
import pytest
from avatar_play import cell, hall, lit, put, started, turned, where
from melting_pot_play import Follower, Rules, Tally

from envsuite.agents import make_policy
from envsuite.core.errors import LevelError, ParameterError
from envsuite.generators.orchard import HEIGHT, LEFTS, LEGEND, ROOM, WIDTH
from envsuite.kit.avatars import BORDER, LIT, PLAYER, WALL
from envsuite.kit.grid import DISC, add_around
from envsuite.render.scene import Label
from envsuite.social.harvest import APPLE, BARE, Harvest

ROWS, STRIDE = HEIGHT + 2 * BORDER, WIDTH + 2 * BORDER
EPISODES = melting_pot_play.episodes("Harvest")

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, ZAP = range(8)
EAST, SOUTH, WEST, NORTH = range(4)
AHEAD = ((1, 0), (0, 1), (-1, 0), (0, -1))


def room(**things):
    """A level of one bare hall; starts and places to return are in its lowest row."""
    return hall(WIDTH, HEIGHT, "ii" + "r" * 8, **things)


def near(frequency, p, count, sigmas=4.0):
    """Whether a frequency lies within that many standard errors of a probability."""
    return abs(frequency - p) <= sigmas * np.sqrt(p * (1 - p) / count) + 1e-12


# Melting Pot.


def insert(s, at, letter):
    """Let an apple grow on the map of a record."""
    if s["cells"][at] & LIT - 1 != BARE:
        return False
    s["cells"][at] = s["cells"][at] & LIT | APPLE
    empty, count = s["empty"], int(s["empty_count"]) - 1
    empty[empty[: count + 1].tolist().index(at)] = empty[count]
    s["empty_count"] = count
    add_around(s["near"], STRIDE, at, 1)
    return True


RULES = Rules(
    letters={WALL: "#", APPLE: "a"},
    insert=insert,
    grows="a",
    late=True,
    eaten="a",
    observed={"ready": lambda follower, i: follower.batch.observations["ready"][i, :, 0]},
)


def apples_near(cells, k):
    """The number of apples within distance 2."""
    return sum(cells[k + dx + WIDTH * dy] == "a" for dx, dy in DISC.tolist())


def follow(episode, steps=None):
    """Follow an episode of Melting Pot: by the number of apples near a site, how many grew and should have."""
    params = {"horizon": 10_000, "end_probability": 0.0, **episode["params"]}
    follower = Follower(Harvest(**{**params, "regrowth": (0.0,) * 4}), episode, RULES)
    chances = params.get("regrowth", (0.0, 0.0025, 0.005, 0.025))
    grown_by, history = [Tally() for _ in range(4)], [follower.cells[:]] * 2
    sites = [k for k, letter in enumerate("".join(follower.rows)) if letter == "a"]
    for _, grown, credits, *_ in itertools.islice(follower.steps(), steps):
        eaters = [where(follower.batch, a) for a in credits]  # there, agents that were hit in this step eat too
        new = {k for k, _ in grown} | {WIDTH * y + x for x, y in eaters}
        # There, a site's number of neighbors is that of two steps before, and it must have been bare since then.
        for k in sites:
            if history[-1][k] == history[-2][k] == ".":
                near = min(apples_near(history[-2], k), 3)
                grown_by[near].add(k in new, chances[near])
        history = [history[-1], follower.cells[:]]
    return grown_by, follower


def test_melting_pot_in_lock_step():
    """Places, facings, apples, beams, rewards, readiness, and who is away, in every frame."""
    follow(EPISODES[0], 25)


@pytest.mark.slow
def test_all_episodes_of_melting_pot_in_lock_step():
    """Apples grow at the rates of Melting Pot, for each number of apples near, and nothing grows without one."""
    grown = [sum(parts, Tally()) for parts in zip(*(follow(episode)[0] for episode in EPISODES))]
    assert grown[0].found == 0 < grown[0].trials and all(tally.fits() for tally in grown[1:])


@pytest.mark.long  # its starts differ from run to run, and rarely meet what the page says is different there
def test_episodes_that_melting_pot_plays_now(tmp_path):
    """As the stored ones, with other starts, growth and orders of moves."""
    for episode in melting_pot_play.played("Harvest", tmp_path, 250):
        assert len(episode["frames"]) > 100
        follow(episode)


# Maps.


def flooded(free, start):
    seen, todo = {start}, deque([start])
    while todo:
        x, y = todo.popleft()
        for dx, dy in AHEAD:
            at = x + dx, y + dy
            if at in free and at not in seen:
                seen.add(at)
                todo.append(at)
    return seen


def groups(cells, reach):
    """Cells joined where their squared distance is `reach` or less."""
    cells, found = set(cells), []
    while cells:
        todo = [cells.pop()]
        group = []
        while todo:
            x, y = todo.pop()
            group.append((x, y))
            close = {(i, j) for i, j in cells if (i - x) ** 2 + (j - y) ** 2 <= reach}
            cells -= close
            todo += close
        found.append(group)
    return found


@pytest.mark.parametrize("kind", ["open", "closed", "partnership"])
def test_maps(kind):
    world = Harvest(map=kind)
    batch = started(world, 200)
    maps = {tuple(world.get_level(batch.record(i))["map"]) for i in range(200)}
    assert len(maps) > 190
    for rows in maps:
        at = {letter: [] for letter in LEGEND}
        for y, row in enumerate(rows):
            for x, letter in enumerate(row):
                at[letter].append((x, y))
        # Melting Pot, configs of commons_harvest__*: 64 apples, 60 spawn points, 2 inside spawn points, 24 x 18.
        assert (len(rows), {len(row) for row in rows}) == (18, {24})
        assert (len(at["a"]), len(at["r"]), len(at["i"])) == (64, 60, 2)
        assert set(rows[0] + rows[-1]) == {row[0] for row in rows} == {row[-1] for row in rows} == {"#"}
        assert min(y for _, y in at["r"]) == 14 and max(y for _, y in at["a"]) <= 10
        # No patch helps another to grow: sites within distance 2 belong to the same one.
        assert sorted(len(patch) for patch in groups(at["a"], 4)) == [6, 6, 13, 13, 13, 13]
        free = {(x, y) for y in range(HEIGHT) for x in range(WIDTH) if rows[y][x] != "#"}
        assert flooded(free, at["r"][0]) == free
        for left, (x, _) in zip(LEFTS, at["i"] if at["i"][0][0] < at["i"][1][0] else at["i"][::-1]):
            inside = {(i, j) for i in range(left, left + ROOM) for j in range(1, ROOM + 1)}
            assert left <= x < left + ROOM and inside <= free
            around = {(i + dx, j + dy) for i, j in inside for dx, dy in AHEAD} & free - inside
            doors = groups(around, 1)
            if kind == "open":
                assert flooded(free - inside, at["r"][0]) and len(around) >= ROOM
            else:
                assert sorted(len(door) for door in doors) == ([1] if kind == "closed" else [1, 7])
                assert flooded(free - around, next(iter(inside))) == inside


def test_levels_round_trip_and_are_used():
    world = Harvest(map="closed")
    first = started(world, 1)
    level = world.get_level(first.record())
    again = started(world, 1, level["map"], seed=7)
    assert world.get_level(again.record()) == level
    assert (again.records["near"] == first.records["near"]).all()
    again.start()
    assert world.get_level(again.record()) != level  # a level is for one episode


def test_bad_levels_say_what_is_wrong():
    cases = [
        (lambda rows: rows[:-1], "18 texts of 24"),
        (lambda rows: [rows[0][:-1], *rows[1:]], "18 texts of 24"),
        (lambda rows: "".join(rows), "18 texts of 24"),
        (lambda rows: [*rows[:5], "#" + "?" * 22 + "#", *rows[6:]], "letter '\\?'"),
        (lambda rows: [*rows[:5], "." + rows[5][1:], *rows[6:]], "walls"),
        (lambda rows: [row.replace("i", ".") for row in rows], "0 starts .* 7 agents need 2"),
        (lambda rows: [row.replace("rrrr", "....") for row in rows], "0 places to return .* 7 agents need 5"),
    ]
    kit.refuses(Harvest(), *(({"map": change(room())}, message) for change, message in cases))


def test_bad_level_parts_and_parameters():
    batch = started(Harvest(), 1)
    with pytest.raises(LevelError, match="apples"):
        batch.set_level(0, {"map": room(), "apples": 3})
    with pytest.raises(LevelError, match="map"):
        batch.set_level(0, {})
    for wrong in (
        {"players": 17},
        {"map": "round"},
        {"zap_length": -1},
        {"end_probability": 1.5},
        {"regrowth": (0, 1)},
    ):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            Harvest(**wrong)


def test_the_first_two_start_inside():
    batch = started(Harvest(), 400)
    firsts = 0
    for i in range(400):
        letters = [LEGEND[batch.records["map"][i][where(batch, a, i)[::-1]]] for a in range(7)]
        assert letters == ["i"] * 2 + ["r"] * 5
        assert len(set(batch.records["at"][i])) == 7
        firsts += where(batch, 0, i)[0] < WIDTH // 2
    assert near(firsts / 400, 0.5, 400)
    for facing in range(4):
        assert near((batch.records["facing"] == facing).mean(), 0.25, 2800)


def test_the_third_starts_below():
    batch = started(Harvest(players=4), 1, hall(WIDTH, HEIGHT, "iii" + "r" * 8))
    assert [where(batch, a)[0] <= 3 for a in range(4)] == [True, True, False, False]


# Moves.


def test_moves_are_relative_to_the_facing():
    batch = started(Harvest(players=2), 1, room())
    put(batch, 1, 20, 10, NORTH)
    for facing in range(4):
        for action, turn in ((FORWARD, 0), (STEP_RIGHT, 1), (BACKWARD, 2), (STEP_LEFT, 3)):
            put(batch, 0, 8, 8, facing)
            batch.step([action, NOOP])
            dx, dy = AHEAD[(facing + turn) % 4]
            assert where(batch, 0) == (8 + dx, 8 + dy) and batch.records["facing"][0, 0] == facing
        put(batch, 0, 8, 8, facing)
        batch.step([TURN_RIGHT, NOOP])
        assert batch.records["facing"][0, 0] == (facing + 1) % 4
        batch.step([TURN_LEFT, NOOP])
        assert batch.records["facing"][0, 0] == facing and where(batch, 0) == (8, 8)


def test_walls_and_agents_block():
    batch = started(Harvest(players=2), 1, room(wall=[(8, 7)]))
    put(batch, 0, 8, 8, NORTH)
    put(batch, 1, 9, 8, NORTH)
    batch.step([FORWARD, NOOP])
    assert where(batch, 0) == (8, 8)
    batch.step([STEP_RIGHT, STEP_LEFT])  # no swap
    assert (where(batch, 0), where(batch, 1)) == ((8, 8), (9, 8))


@pytest.mark.slow
def test_a_random_one_gets_the_cell():
    count = 4000
    batch = started(Harvest(players=2), count, room())
    put(batch, 0, 8, 8, EAST)
    put(batch, 1, 10, 8, WEST)
    batch.step([FORWARD, FORWARD])
    here = batch.records["at"] == cell(batch, 9, 8)
    assert (here.sum(axis=1) == 1).all()
    assert near(here[:, 0].mean(), 0.5, count)
    # Behind one who walks on: there is room if that one moved first.
    batch = started(Harvest(players=2), count, room())
    put(batch, 0, 8, 8, EAST)
    put(batch, 1, 9, 8, EAST)
    batch.step([FORWARD, FORWARD])
    assert (batch.records["at"][:, 1] == cell(batch, 10, 8)).all()
    assert near((batch.records["at"][:, 0] == cell(batch, 9, 8)).mean(), 0.5, count)


# Beams.


def footprint(x, y, facing, length, radius):
    """The cells of a beam in the open: a ray ahead, and shorter ones from beside the shooter on."""
    forward, right = AHEAD[facing], AHEAD[(facing + 1) % 4]
    cells = set()
    for side in range(-radius, radius + 1):
        first = 1 if side == 0 else 0  # side rays start beside the shooter
        last = length if side == 0 else length - abs(side)
        for k in range(first, last + 1):
            cells.add((x + k * forward[0] + side * right[0], y + k * forward[1] + side * right[1]))
    return cells


@pytest.mark.parametrize(("length", "radius"), [(3, 1), (4, 1), (5, 2), (1, 3), (2, 0), (0, 1)])
def test_beam_covers_its_footprint_for_one_step(length, radius):
    batch = started(Harvest(players=2, zap_length=length, zap_radius=radius, zap_cooldown=0), 1, room())
    put(batch, 1, 20, 15, NORTH)
    for facing in range(4):
        put(batch, 0, 10, 8, facing)
        batch.step([ZAP, NOOP])
        assert lit(batch) == footprint(10, 8, facing, length, radius)
        batch.step([NOOP, NOOP])
        assert lit(batch) == set()


def test_walls_and_agents_stop_rays():
    batch = started(Harvest(players=3, zap_length=4, zap_radius=2, zap_cooldown=0), 1, room(wall=[(10, 6), (9, 8)]))
    put(batch, 0, 10, 8, NORTH)
    put(batch, 1, 11, 7, NORTH)
    put(batch, 2, 11, 6, NORTH)
    batch.step([ZAP, NOOP, NOOP])
    # Ahead up to the wall. Left: a wall beside the shooter ends that side. Right: the ray of (11, 8) ends at player_1,
    # who shields player_2; the wider ray of (12, 8) goes on.
    assert lit(batch) == {(10, 7), (11, 8), (12, 8), (12, 7), (12, 6)}
    assert batch.records["away"][0].tolist() == [0, 5, 0]


def test_all_fire_at_once():
    batch = started(Harvest(players=2), 1, room())
    put(batch, 0, 10, 8, EAST)
    put(batch, 1, 12, 8, WEST)
    batch.step([ZAP, ZAP])
    assert (batch.records["away"] > 0).all() and not batch.observations["view"].any()


@pytest.mark.parametrize("cooldown", [0, 1, 2, 5])
def test_cooldown(cooldown):
    """After a shot, firing is ignored for `cooldown` steps (Melting Pot's Zapper; seen in Lab2D 1.0.2 for 1 and 2)."""
    batch = started(Harvest(players=2, zap_cooldown=cooldown), 1, room())
    put(batch, 0, 10, 8, NORTH)
    put(batch, 1, 20, 15, NORTH)
    assert batch.observations["ready"][0, 0, 0] == 1
    for k in range(3 * (cooldown + 1)):
        batch.step([ZAP, NOOP])
        since = k % (cooldown + 1)
        assert bool(lit(batch)) == (since == 0)
        expected = 1 - (cooldown - since) / cooldown if cooldown else 1
        assert batch.observations["ready"][0, 0, 0] == pytest.approx(expected)


@pytest.mark.parametrize("away", [0, 4, 100])
def test_who_is_hit_is_away(away):
    """Lab2D 1.0.2 and the closed map (100): black in 101 observations, seen again and able to act after that."""
    count = 300
    batch = started(Harvest(players=2, zap_away=away), count, room())
    put(batch, 0, 10, 8, NORTH)
    put(batch, 1, 10, 6, NORTH)
    batch.step([ZAP, NOOP])
    for _ in range(away + 1):
        assert not batch.observations["view"][:, 1].any() and not batch.observations["ready"][:, 1].any()
        assert not (batch.observations["view"][:, 0] & (LIT - 1) >= PLAYER).any()
        batch.step([NOOP, FORWARD])
    assert (batch.observations["ready"][:, 1] == 1).all()
    spots = {cell(batch, x, 16) for x in range(3, 11)}
    assert set(batch.records["at"][:, 1]) == spots  # in 300 worlds all 8 were drawn
    for facing in range(4):
        assert near((batch.records["facing"][:, 1] == facing).mean(), 0.25, count)
    batch.step([NOOP, TURN_LEFT])
    assert (batch.records["away"] == 0).all()


# Apples.


def test_eating():
    batch = started(Harvest(players=2), 1, room(a=[(10, 7)]))
    put(batch, 0, 10, 8, NORTH)
    batch.step([FORWARD, NOOP])
    assert batch.rewards.tolist() == [[1, 0]]
    batch.step([FORWARD, NOOP])
    assert batch.rewards.tolist() == [[0, 0]]
    for _ in range(300):  # no apple is near: dead for ever
        batch.step([TURN_LEFT, NOOP])
    assert batch.records["cells"][0, cell(batch, 10, 7)] == BARE


@pytest.mark.parametrize("kind", ["open", "closed"])
def test_regrowth_by_live_neighbours(kind):
    """Melting Pot, configs: regrowth probabilities 0, .0025 or .001, .005, .025 for 0, 1, 2 and more neighbours."""
    expected = (0, 0.0025 if kind == "open" else 0.001, 0.005, 0.025, 0.025)
    # Sites to watch, each with k others at distance 2 or less; (2, 1) off, at distance 2.24, does not count.
    watched = [(3 + 4 * k, 4 + 4 * (k % 2)) for k in range(5)]
    offsets = [(0, -2), (1, 1), (-1, 0), (-1, -1)]
    others = [(x + dx, y + dy) for k, (x, y) in enumerate(watched) for dx, dy in offsets[:k]]
    far = [(watched[0][0] + 2, watched[0][1] + 1)]
    count, steps = 2000, 60
    batch = started(Harvest(players=2, map=kind), count, room(a=[*watched, *others, *far]))
    grown = np.zeros(5)
    sites = [cell(batch, *at) for at in watched]
    for _ in range(steps):
        batch.records["cells"][:, sites] = BARE
        batch.records["empty"][:, :5] = sites
        batch.records["empty_count"] = 5
        for k, (x, y) in enumerate(watched):
            assert batch.records["near"][0, cell(batch, x, y)] == k
        for site in np.flatnonzero(batch.records["cells"][0] == APPLE):
            assert (batch.records["cells"][:, site] == APPLE).all()
        batch.step([NOOP, NOOP])
        apples = batch.records["cells"][:, sites] == APPLE
        grown += apples.sum(axis=0)
        for world, k in np.argwhere(apples):  # take it away again, with its part in the counts
            x, y = watched[k]
            for dx in range(-2, 3):
                for dy in range(-2, 3):
                    if 0 < dx * dx + dy * dy <= 4:
                        batch.records["near"][world, cell(batch, x + dx, y + dy)] -= 1
    for k in range(5):
        assert near(grown[k] / (count * steps), expected[k], count * steps), k


def test_counts_of_neighbours_stay_true():
    batch = started(Harvest(), 8)
    rng = np.random.default_rng(0)
    for _ in range(1000):
        batch.step(rng.integers(0, 8, batch.actions.shape))
    grids = batch.records["cells"].reshape(8, ROWS, STRIDE) & (LIT - 1)
    expected = np.zeros(grids.shape, int)
    for dx in range(-2, 3):
        for dy in range(-2, 3):
            if 0 < dx * dx + dy * dy <= 4:
                expected += np.roll(grids == APPLE, (dy, dx), axis=(1, 2))
    assert (expected == batch.records["near"].reshape(expected.shape)).all()
    assert (batch.records["empty_count"] + (grids == APPLE).sum(axis=(1, 2)) == 64).all()
    assert (batch.records["empty_count"] > 0).all()


def test_an_apple_that_grows_under_an_agent_is_eaten_at_once():
    """In Lab2D, a piece that appears under an agent is entered by that agent, so Edible pays then too."""
    batch = started(Harvest(players=2), 1, room(a=[(10, 7), (11, 7)]))
    batch.records["params"]["regrowth"] = [0, 1, 1, 1]
    put(batch, 1, 10, 8, NORTH)
    batch.step([NOOP, FORWARD])
    for _ in range(3):
        batch.step([NOOP, NOOP])
        assert batch.rewards.tolist() == [[0, 1]]
    assert batch.records["near"][0, cell(batch, 12, 7)] == 1  # the apple that was eaten does not count
    batch.step([NOOP, BACKWARD])
    assert batch.rewards.tolist() == [[0, 0]] and batch.records["cells"][0, cell(batch, 10, 7)] == APPLE
    assert batch.records["near"][0, cell(batch, 12, 7)] == 2


# Ends.


def test_ends_by_chance():
    """Lab2D 1.0.2 with probability 1 ends after 1099 steps: its clock is one ahead; then every 100 (configs: p .15)."""
    count = 3000
    batch = started(Harvest(players=2), count)
    for at in (999, 1000, 1098, 1099, 1100, 1199, 4999):
        batch.start()
        batch.records["t"] = at - 1
        batch.step([NOOP, NOOP])
        assert not batch.truncations.any()
        assert (batch.terminations[:, 0] == batch.terminations[:, 1]).all()
        assert near(batch.terminations[:, 0].mean(), 0.15 if at in (1099, 1199, 4999) else 0.0, count)
    batch.start()
    batch.records["t"] = 4999
    batch.step([NOOP, NOOP])
    assert batch.truncations.all() and not batch.terminations.any()


# What agents see.


def test_view_agrees_with_the_grid_turned_by_numpy():
    world = Harvest(zap_away=20)
    batch = started(world, 8)
    rng = np.random.default_rng(1)
    space = world.observation_spaces[0]
    kinds = set()
    for _ in range(150):
        batch.step(rng.integers(0, 8, batch.actions.shape))
        for i in range(8):
            for a in range(7):
                view = batch.observations["view"][i, a]
                assert (view == turned(world, batch.record(i), a)).all()
                assert space.contains({name: batch.observations[name][i, a] for name in ("view", "ready")})
                kinds |= set(view.flat)
    assert {*range(6), *range(8, 36)} <= kinds and max(kinds) >= LIT  # everything was seen


def test_view_of_another():
    batch = started(Harvest(players=3), 1, room())
    for facing in range(4):
        put(batch, 0, 10, 8, facing)
        (fx, fy), (rx, ry) = AHEAD[facing], AHEAD[(facing + 1) % 4]
        put(batch, 2, 10 + 3 * fx + 2 * rx, 8 + 3 * fy + 2 * ry, (facing + 1) % 4)  # three ahead, two to the right
        put(batch, 1, 10 - fx - 5 * rx, 8 - fy - 5 * ry, (facing + 2) % 4)  # at the corner of the view
        view = batch.observations["view"][0, 0]
        assert view[9, 5] == 5
        assert view[6, 7] == 8 + 4 * 2 + 1
        assert view[10, 0] == 8 + 4 * 1 + 2
        assert ((view >= 8).sum()) == 2
        put(batch, 1, 20, 15, NORTH)
        put(batch, 2, 21, 15, NORTH)


def test_text_and_scene():
    world = Harvest(players=3)
    batch = started(world, 1, room(a=[(10, 6)]))
    put(batch, 0, 10, 8, NORTH)
    put(batch, 1, 12, 8, WEST)
    put(batch, 2, 20, 15, WEST)
    text = world.text(batch.record(), 0)
    assert "Apples: 2 ahead." in text and "player_1 2 right, facing to your left" in text and "beam is ready" in text
    assert "player_2" not in text
    put(batch, 0, 10, 8, EAST)
    batch.step([ZAP, NOOP, NOOP])
    assert "2 more turns" in world.text(batch.record(), 0)
    assert "are away" in world.text(batch.record(), 1)
    shapes = world.scene(batch.record()).shapes
    assert [shape.text for shape in shapes if isinstance(shape, Label)][:3] == ["0", "2", "1 / 5000"]
    assert sum((getattr(shape, "fill", None) or "").startswith("beam") for shape in shapes) == len(lit(batch)) > 0


def test_state_is_the_map():
    world = Harvest(players=2)
    batch = started(world, 3)
    state = world.state(batch.records, batch.observations)
    assert state.shape == (3, 18, 24)
    assert all(world.state_space().contains(one) for one in state)
    x, y = where(batch, 1, 2)
    assert state[2, y, x] == 8 + 4 + batch.records["facing"][2, 1]


# Play.


def returns(kind, policies, count=64, steps=1000):
    """Sums of rewards (N, A) after some steps, each agent playing its policy."""
    world = Harvest(map=kind)
    world.id = "envsuite/Harvest-v0"
    batch = started(world, count)
    players = {name: make_policy(name, world) for name in policies}
    for player in players.values():
        player.reset(0, count)
    total = np.zeros((count, 7))
    for _ in range(steps):
        for name, player in players.items():
            seats = [a for a in range(7) if policies[a] == name]
            batch.actions[:, seats] = player.act_batch(batch.observations[:, seats], batch.masks[:, seats], seats)
        batch.step()
        total += batch.rewards
    return total


@pytest.mark.parametrize(
    ("kind", "mean", "error"),
    # Melting Pot at 81ee2e7, uniformly random actions, 1000 steps, 8 episodes: mean and standard error.
    [("open", 140.6, 13.7), ("closed", 129.9, 7.2), ("partnership", 97.0, 13.9)],
)
def test_random_play_harvests_as_much_as_in_melting_pot(kind, mean, error):
    totals = returns(kind, ["random"] * 7).sum(axis=1)
    ours = totals.std(ddof=1) / np.sqrt(len(totals))
    assert abs(totals.mean() - mean) < 3 * np.hypot(error, ours)


@pytest.mark.slow
def test_baselines():
    def all_play(name):
        return returns("open", [name] * 7, count=16).sum(axis=1).mean()

    everyone_random = all_play("random")
    assert all_play("sustainable") > 3 * everyone_random
    assert all_play("guard") > 2.5 * everyone_random
    # The tragedy of the commons: among others greed pays, but all who are greedy get less than random players.
    assert all_play("greedy") < 0.6 * everyone_random
    among_random = returns("open", ["random"] * 6 + ["greedy"], count=16).mean(axis=0)
    assert among_random[6] > 3 * among_random[:6].max()
    among_sustainable = returns("open", ["sustainable"] * 6 + ["greedy"], count=16).mean(axis=0)
    assert among_sustainable[6] > 2 * among_sustainable[:6].max()
    # Those who repay get as much among themselves, and leave less to greed.
    assert all_play("reciprocator") > 3 * everyone_random
    assert returns("open", ["reciprocator"] * 6 + ["greedy"], count=16).mean(axis=0)[6] < 0.6 * among_sustainable[6]
