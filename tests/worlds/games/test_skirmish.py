"""Skirmish: step by step against SMAX, each rule alone, levels, and baselines."""

import cmath
from collections import Counter
from itertools import combinations, product

import kit
import numpy as np
import pytest

from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError, SnapshotError
from envsuite.games.skirmish import attack, choose_move, draw, give_orders
from envsuite.games.skirmish import levels as skirmishes
from envsuite.games.skirmish import units as skirmish_units
from envsuite.games.skirmish.units import COOLDOWN, EAST, HEALTH, KINDS, NORTH, SCENARIOS, SIGHT, STOP, sector_of
from envsuite.generators import describe, generate_many, mutate
from envsuite.registry import build

ID = "envsuite/Skirmish-v0"

#: Made by tests/skirmish_reference.py.
REFERENCE = np.load(kit.DATA / "Skirmish" / "skirmish_reference.npz")


# SMAX.


def episode(name):
    """The arrays of an episode, ``map/number``, and its numbers of allies and enemies."""
    found = {key.split("/")[-1]: REFERENCE[key] for key in REFERENCE.files if key.startswith(f"{name}/")}
    return found, *map(len, SCENARIOS[name.split("/")[0]])


def turned(actions, allies):
    """Actions of SMAX in our numbers: its enemies count allies backwards."""
    actions = np.array(actions, np.int64)
    enemies = actions[..., allies:]
    enemies[...] = np.where(enemies > STOP, 5 + allies - 1 - (enemies - 5), enemies)
    return actions


def at_each_state(name, sides="both", **params):
    """A batch with a world for each state of an episode of SMAX but the last; it runs as Python."""
    theirs, allies, enemies = episode(name)
    world = build(ID, dict(scenario=name.split("/")[0], sides=sides, jitter=0.0, horizon=200, **params))
    batch = Batch(world, len(theirs["actions"]), compiled=False)
    batch.start(0)
    records = batch.records
    records["kinds"] = theirs["types"][:-1]
    records["position"] = theirs["position"][:-1]
    records["home"] = theirs["position"][0]
    records["health"] = theirs["health"][:-1]
    records["cooldown"] = theirs["cooldown"][:-1].clip(0.0)
    before = np.concatenate([np.full((1, allies + enemies), STOP), theirs["actions"][:-1]])
    records["orders"] = turned(before, allies)
    target = theirs["target"][:-1, allies:].astype(np.int64)
    records["target"] = np.where(target < 0, -1, allies - 1 - target)
    batch.observe()
    return batch, theirs, turned(theirs["actions"], allies)


def in_their_order(batch, i, a, allies, enemies):
    """An agent's observation as SMAX has it."""
    seen = batch.observations[i, a]
    own, other = (allies, enemies) if a < allies else (enemies, allies)
    friends, foes = seen["friends"][: own - 1].copy(), seen["foes"][:other].copy()
    enemies_seen = friends if a >= allies else foes
    index = np.rint(enemies_seen[:, 5] * (4 + allies)) - 5
    enemies_seen[:, 5] = np.where(index >= 0, (5 + allies - 1 - index) / (4 + allies), 0)
    if a >= allies:
        friends, foes = friends[::-1], foes[::-1]
    return np.concatenate([friends.ravel(), foes.ravel(), seen["own"]])


def compare(name):
    """All steps of an episode of SMAX, each from its own state: states, rewards, ends, legal actions, observations."""
    batch, theirs, actions = at_each_state(name)
    allies, enemies = map(len, SCENARIOS[name.split("/")[0]])
    masks = theirs["mask"].copy()
    masks[:, allies:, 5 : 5 + allies] = masks[:, allies:, 5 : 5 + allies][:, :, ::-1]
    assert (batch.masks == masks[:-1]).all()
    for k, seen in enumerate(theirs["seen"]):
        ours = [in_their_order(batch, 4 * k, a, allies, enemies) for a in range(allies + enemies)]
        assert np.abs(np.stack(ours) - seen).max() < 1e-6
    batch.step(actions)
    for field in ("position", "health"):
        assert np.abs(batch.records[field] - theirs[field][1:]).max() < 1e-12, field
    assert np.abs(batch.records["cooldown"] - theirs["cooldown"][1:].clip(0.0)).max() < 1e-12
    rewards = theirs["rewards"].repeat([allies, enemies], axis=1)
    assert np.abs(batch.rewards - rewards).max() < 1e-12
    alive = np.split(theirs["health"][1:] > 0, [allies], axis=1)
    over = ~(alive[0].any(axis=1) & alive[1].any(axis=1))
    assert (batch.terminations.all(axis=1) == over).all() and over[-1] and not over[:-1].any()


def compare_choices(name):
    """The enemies' orders in each state: equal attacks, and walks in one of the directions that chance allows."""
    batch, theirs, _ = at_each_state(name, "allies")
    allies, seen = len(SCENARIOS[name.split("/")[0]][0]), Counter()
    chosen, after = turned(theirs["chosen"], allies)[:, allies:], theirs["target"][1:, allies:].astype(int)
    assert np.abs(32 - theirs["goal"][1:] - theirs["position"][0]).max() < 1e-12
    for t in range(batch.num):
        s, drawn = batch.record(t), []
        kept = s.target.copy()
        for _ in range(16):
            s.target[:] = kept
            give_orders(s, np.full(allies, STOP))
            drawn.append(s.orders[allies:].copy())
        for e in np.flatnonzero(theirs["health"][t, allies:] > 0).tolist():
            ours = {int(orders[e]) for orders in drawn}
            assert chosen[t, e] in ours and (len(ours) == 1 or max(ours) < STOP), (t, e)
            assert s.target[e] == (allies - 1 - after[t, e] if after[t, e] >= 0 else -1)
            seen["attacks" if min(ours) > STOP else "walks"] += 1
    return seen


def test_smax_step_by_step():
    compare("3m/0")


def test_choices_of_smax():
    seen = compare_choices("3m/1")
    assert seen["attacks"] > 5 and seen["walks"] > 5


EPISODES = sorted({name.rpartition("/")[0] for name in REFERENCE.files})


@pytest.mark.slow
@pytest.mark.parametrize("name", EPISODES)
def test_smax_at_length(name):
    compare(name)
    compare_choices(name)


@pytest.mark.slow
def test_all_sectors_of_smax():
    counts = sum(map(compare_sectors, EPISODES), Counter())
    assert counts["shown"] > 1000 and counts["theirs"] > 1000 and counts["full"] > 10


# Observations by sectors.

#: Made by tests/skirmish_reference.py: conic observations of SMAX in every 6th state.
CONIC = np.load(kit.DATA / "Skirmish" / "skirmish_conic.npz")


@pytest.mark.parametrize(
    "x, y, sector", [(-1, 0, 31), (0, -1, 8), (1, 0, 16), (0, 1, 24), (-1, -1e-9, 0), (-1, 1e-9, 31)]
)
def test_a_direction_between_two_sectors_is_in_the_one_that_follows(x, y, sector):
    """But the west, between the last one and the first, is in the last one."""
    assert sector_of(float(x), float(y)) == sector


def sectors(record, a, as_smax):
    """The units in each sector around unit a, by the angles of complex numbers: all of them, at most two are shown.

    As in SMAX, the dead are among them; unit 0 and units exactly between two sectors are not.
    """
    places = (record["position"] @ [1, 1j] - record["position"][a] @ [1, 1j]) / SIGHT[record["kinds"][a]]
    found = [[] for _ in range(32)]
    for b, place in enumerate(places):
        there = b > 0 if as_smax else record["health"][b] > 0
        at = (cmath.phase(place) + cmath.pi) / (2 * cmath.pi) * 32
        if there and b != a and abs(place) < 1 and not (as_smax and at == int(at)):
            found[min(int(at), 31)].append(b)
    return found


def row(record, a, b, allies, as_smax):
    """What unit a observes of unit b."""
    kind, order = record["kinds"][b], record["orders"][b]
    others = len(record["kinds"]) - allies if b < allies else allies
    if as_smax and b >= allies and order > STOP:
        order = 5 + allies - 1 - (order - 5)
    moves = [EAST[order], NORTH[order]] if order < STOP else [0, 0]
    return [
        record["health"][b] / HEALTH[kind],
        *(record["position"][b] - record["position"][a]) / SIGHT[record["kinds"][a]],
        *moves,
        order / (4 + others) if order > STOP else 0,
        min(record["cooldown"][b] / COOLDOWN[kind], 1),
        *np.eye(6)[kind],
    ]


def by_sector(record, a, allies, as_smax):
    """The conic observation of unit a without its own part."""
    found = np.zeros((32, 2, 13))
    if record["health"][a] > 0:
        for sector, units in enumerate(sectors(record, a, as_smax)):
            for k, b in enumerate(units[:2]):
                found[sector, k] = row(record, a, b, allies, as_smax)
    return found


def compare_sectors(name):
    """Ours and SMAX's against a second implementation; how many units each shows, and how many sectors are full."""
    batch, _, _ = at_each_state(name, observation="conic")
    allies, counts = len(SCENARIOS[name.split("/")[0]][0]), Counter()
    for i, theirs in zip(range(0, batch.num, 6), CONIC[name]):
        record = batch.records[i]
        for a, view in enumerate(theirs):
            ours = batch.observations[i, a]
            assert np.abs(ours["sectors"] - by_sector(record, a, allies, False)).max() < 1e-6
            expected = by_sector(record, a, allies, True)
            assert np.abs(view[:-10].reshape(32, 2, 13) - expected).max() < 1e-5, (i, a)
            assert np.abs(view[-10:] - ours["own"]).max() < 1e-5
            counts["shown"] += (ours["sectors"][:, :, 0] > 0).sum()
            counts["theirs"] += expected.any(axis=2).sum()
            counts["full"] += sum(len(units) > 2 for units in sectors(record, a, False))
    return counts


def test_sectors_of_smax():
    counts = compare_sectors("3m/1")
    assert counts["shown"] > 5 and counts["theirs"] > 5


def test_sectors_begin_in_the_west():
    """Sector k of 32 is all directions from k to k + 1 parts of a turn, counterclockwise from the west."""
    for k, part, far in product(range(32), (0.001, 0.5, 0.999), (0.01, 1.0, 9.0)):
        place = -cmath.rect(far, (k + part) / 32 * 2 * cmath.pi)
        assert sector_of(place.real, place.imag) == k, (k, part, far)
    # A direction between two sectors is in the second one; west itself, at an angle of pi, is the end of the last.
    for k, x, y in ((31, -1, 0), (4, -1, -1), (8, 0, -1), (12, 1, -1), (16, 1, 0), (20, 1, 1), (24, 0, 1), (28, -1, 1)):
        assert sector_of(0.5 * x, 0.5 * y) == k


# Rules, one by one.


def fight(allies, enemies, scenario="3m", sides="both", jitter=0.0, **params):
    """A batch of one fight; a unit is a (kind, x, y)."""
    level = {"allies": [list(unit) for unit in allies], "enemies": [list(unit) for unit in enemies]}
    batch = kit.started(ID, scenario=scenario, sides=sides, jitter=jitter, level=level, **params)
    return batch


def act(batch, **orders):
    """One step; agents that are not named stop. Rewards by agent."""
    world = batch.world
    names = [world.action_names[a].index(orders.get(agent, "stop")) for a, agent in enumerate(world.agents)]
    batch.step(np.array([names]))
    return dict(zip(world.agents, batch.rewards[0].tolist()))


def marines(ally, enemy, kind="marine"):
    """Three units a side; the first ones are at these places, the others far away."""
    return (
        [(kind, *ally), ("marine", 2, 2), ("marine", 2, 4)],
        [("marine", *enemy), ("marine", 30, 28), ("marine", 30, 30)],
    )


def test_two_marines_kill_each_other():
    """Cooldowns of 0.61 s are 10 ticks and a hit: hits at ticks 1, 12, 23, 34 and 45, so both die in step 6."""
    batch = fight(*marines((10, 16), (14, 16)))
    health = []
    for _ in range(6):
        act(batch, ally_0="attack 0", enemy_0="attack 0")
        health.append(batch.records["health"][0, [0, 3]].tolist())
    assert health == [[36.0] * 2, [27.0] * 2, [18.0] * 2, [18.0] * 2, [9.0] * 2, [0.0] * 2]
    assert not batch.terminations.any()
    assert [set(np.flatnonzero(batch.masks[0, a])) for a in (0, 3)] == [{STOP}] * 2


def test_a_draw_pays_no_bonus():
    batch = fight(*marines((10, 16), (14, 16)))
    batch.records["health"][0] = [9, 0, 0, 9, 0, 0]
    batch.observe()
    rewards = act(batch, ally_0="attack 0", enemy_0="attack 0")
    assert batch.terminations.all() and [*rewards.values()] == pytest.approx([0.2 / 3] * 6)


@pytest.mark.parametrize("rewards", ["damage", "win"])
def test_victory(rewards):
    batch = fight(*marines((10, 16), (14, 16)), rewards=rewards)
    batch.records["health"][0, 3:] = [9, 0, 0]
    batch.observe()
    paid = act(batch, ally_0="attack 0")
    expected = (1 + 0.2 / 3, 0.0) if rewards == "damage" else (1.0, -1.0)
    assert batch.terminations.all() and [paid[f"{side}_1"] for side in ("ally", "enemy")] == pytest.approx(expected)


def test_damage_and_cooldowns_of_all_kinds():
    for kind, (health, name) in enumerate(zip(HEALTH, KINDS)):
        batch = fight(*marines((14.5, 16), (16, 16), name))
        act(batch, ally_0="attack 0", enemy_0="stop")
        hits = 1 + int(COOLDOWN[kind] <= 0.5 - 1 / 16)
        assert batch.records["health"][0, 0] == health
        assert batch.records["health"][0, 3] == 45 - hits * (9, 10, 13, 8, 5, 12)[kind]
        assert batch.records["cooldown"][0, 0] == pytest.approx(max(COOLDOWN[kind] - 7 / 16, 0), abs=1e-12)


def test_jitter_of_cooldowns():
    """Uniform from -1/16 to 2/16 s."""
    s, extra = fight(*marines((10, 16), (14, 16)), jitter=1.0).record(), []
    s.orders[0] = 5
    for _ in range(400):
        s.cooldown[0] = 0.0
        attack(s)
        extra.append(s.cooldown[0] - COOLDOWN[0])
    assert -1 / 16 <= min(extra) < -0.06 and 0.12 < max(extra) < 2 / 16 and abs(np.mean(extra) - 1 / 32) < 0.01


def test_range_and_sight():
    batch = fight(*marines((10, 16), (14.99, 16)))
    assert batch.masks[0, 0, 5:].tolist() == [1, 0, 0]
    batch = fight(*marines((10, 16), (15, 16)))
    assert batch.masks[0, 0, 5:].tolist() == [0, 0, 0] and batch.observations[0, 0]["foes"][0, 0] == 1
    batch = fight(*marines((10, 16), (19, 16)))
    assert not batch.observations[0, 0]["foes"].any()


def test_rows_of_sides_of_different_sizes():
    """The other units of both sides in the order of their numbers; rows that are too many are zero."""
    allies = [("marine", 14, y) for y in range(14, 19)]
    enemies = [("marine", 18, y) for y in range(13, 19)]
    batch = fight(allies, enemies, "5m_vs_6m")
    units = np.array([unit[1:] for unit in (*allies, *enemies)])
    for a, place in enumerate(units):
        friends, foes = (slice(0, 5), slice(5, 11))[:: 1 if a < 5 else -1]
        others = [units[b] for b in range(friends.start, friends.stop) if b != a]
        for part, wanted, rows in (("friends", others, 5), ("foes", units[foes], 6)):
            seen = batch.observations[0, a][part]
            assert seen.shape[0] == rows and not seen[len(wanted) :].any()
            assert seen[: len(wanted), 1:3] == pytest.approx((np.array(wanted) - place) / 9)
            assert (seen[: len(wanted), [0, 7]] == 1).all()


def test_moves_and_walls():
    for deadly in (True, False):
        batch = fight(*marines((16, 31), (10, 3)), deadly_walls=deadly)
        act(batch, ally_0="north", enemy_0="east", ally_1="south")
        place, health = batch.records["position"][0], batch.records["health"][0]
        assert place[3].tolist() == pytest.approx([10 + 3.15 / 2, 3])
        assert place[0].tolist() == [16, 32] and (health[0] == 0) == deadly
        assert place[1].tolist() == pytest.approx([2, 2 - 3.15 / 2]) and health[1] == 45


@pytest.mark.parametrize("deadly", [True, False])
def test_units_on_any_edge_die(deadly):
    on = [(0, 16), (32, 16), (16, 0), (16, 32), (-1, 16), (16, 33)]
    inside = [(0.1, 16), (31.9, 16), (16, 0.1), (16, 31.9)]
    for place in [*on, *inside]:
        batch = fight(*marines(place, (10, 10)), deadly_walls=deadly)
        act(batch)
        assert batch.records["health"][0].tolist() == [0 if deadly and place in on else 45, *[45] * 5]
        assert batch.records["position"][0, 0].tolist() == np.clip(place, 0, 32).tolist()


def test_enemies_walk_towards_a_random_ally():
    """Of three allies in sight, in three directions, each is chosen in a third of 600 draws, within 4 deviations."""
    enemies = [("marine", 16, 16), ("marine", 16, 30), ("marine", 28, 30)]
    s = fight([("marine", 16, 22), ("marine", 22, 16), ("marine", 16, 10)], enemies, sides="allies").record()
    found = Counter(choose_move(s, 3) for _ in range(600))
    assert set(found) == {0, 1, 2} and all(abs(count - 200) < 4 * (600 * 2 / 9) ** 0.5 for count in found.values())


def test_push():
    """Two units of radius 0.375 at distance 0.5 push each other half of (0.75 / 0.5 - 1) times their vector."""
    allies, enemies = marines((10, 16), (20, 16))
    allies[1] = ("marine", 10.5, 16)
    batch = fight(allies, enemies)
    assert batch.records["position"][0, :2, 0].tolist() == pytest.approx([9.875, 10.625], abs=1e-5)
    batch.records["position"][0, :2] = [[10, 16], [10.5, 16]]
    batch.records["health"][0, 1] = 0
    act(batch)
    assert batch.records["position"][0, :2, 0].tolist() == [10, 10.5]  # the dead are not pushed, and do not push


def test_truncation():
    batch = fight(*marines((5, 16), (27, 16)), horizon=3)
    for t in range(3):
        assert not batch.truncations.any(), t
        act(batch)
    assert batch.truncations.all() and not batch.terminations.any()


def drawn(scenario, num):
    """Kinds (N, units) and places at the start (N, units, 2) of many fights."""
    s, found = kit.started(ID, scenario=scenario).record(), []
    for _ in range(num):
        draw(s)
        found.append((np.array(s.kinds), np.array(s.started)))
    return (np.stack(part) for part in zip(*found))


def test_starts():
    _, started = drawn("3m", 150)
    for units, x in ((slice(0, 3), 8), (slice(3, 6), 24)):
        apart = started[:, units] - [x, 16]
        assert 1.95 < np.abs(apart).max() <= 2 and np.abs(apart.mean(axis=(0, 1))).max() < 0.25
    kinds, started = drawn("smacv2_5_units", 300)
    assert (kinds[:, :5] == kinds[:, 5:]).all()
    drawn_kinds = np.stack([(kinds == kind).mean(axis=0) for kind in range(6)])  # of each unit, within 5 errors
    assert (abs(drawn_kinds - 1 / 6) < 5 * (5 / 36 / 300) ** 0.5).all()
    mirrored = np.abs(started[:, :5] * [-1, 1] + [32, 0] - started[:, 5:]).max(axis=(1, 2)) == 0
    middle = [np.abs(started[:, side] - 16).max(axis=(1, 2)) <= 2 for side in (slice(0, 5), slice(5, 10))]
    assert (mirrored.astype(int) + middle[0] + middle[1] == 1).all()
    assert abs(mirrored.mean() - 0.5) < 0.12 and abs(middle[0].mean() - 0.25) < 0.11
    west = started[mirrored, :5].reshape(-1, 2)  # anywhere in the western half: uniform, within 4 standard errors
    assert ((west >= 0) & (west <= [16, 32])).all() and (np.ptp(west, axis=0) > [15, 30]).all()
    assert (abs(west.mean(axis=0) - [8, 16]) < 4 * np.array([16, 32]) / (12 * len(west)) ** 0.5).all()
    outside = started[middle[0], 5:].reshape(-1, 2)
    assert np.minimum(abs(outside[:, 0] - outside[:, 1]), abs(outside.sum(axis=1) - 32)).max() <= 4
    quarters = np.bincount((outside > 16) @ [1, 2], minlength=4) / len(outside)
    assert (abs(quarters - 0.25) < 0.1).all()
    # Groups keep together, up to 2 from their middle, and any two of them may be at different distances.
    outside = started[middle[0], 5:]
    quarter, depth = (outside > 16) @ [1, 2], 16 - abs(outside - 16)
    quarter[depth.max(axis=2) > 14] = -1  # a unit near the middle may be in the quarter of another group
    apart = abs(depth[:, :, None, 0] - depth[:, None, :, 0])
    for a, b in [*combinations(range(4), 2), *((k, k) for k in range(4))]:
        assert (apart[(quarter[:, :, None] == a) & (quarter[:, None, :] == b)].max() > 4) == (a != b)


# Levels, states, words and clicks.


def test_levels():
    level = kit.started(ID, scenario="2s3z").world.get_level(kit.started(ID, scenario="2s3z").record())
    again = kit.started(ID, scenario="2s3z", level=level)
    assert again.world.get_level(again.record()) == level
    level = {"allies": [["marine", 8, y] for y in (14, 16, 18)], "enemies": [["zealot", 24, y] for y in (14, 16, 18)]}
    kit.refuses(
        build(ID),
        (level | {"walls": []}, "unknown part 'walls'"),
        (level | {"allies": level["allies"][:2]}, "'allies' must be a list of 3 units"),
        (level | {"enemies": "zzz"}, "'enemies' must be a list of 3 units"),
        (level | {"enemies": [*level["enemies"][:2], ["archon", 1, 1]]}, "enemies 2 is .*kinds: marine, marauder"),
        (level | {"allies": [["marine", 35, 1], *level["allies"][:2]]}, "coordinates are numbers from -2 to 34"),
        (level | {"allies": [["marine", float("nan"), 1], *level["allies"][:2]]}, "coordinates are numbers"),
    )
    with pytest.raises(LevelError, match="allies 0 is"):
        kit.started(ID, level=level | {"allies": [["marine", 1]] * 3})


SIDES = ("allies", "enemies")


def places(level):
    """(units, 2): the places of all units of a level."""
    return np.array([unit[1:] for side in SIDES for unit in level[side]])


def test_generated_fights():
    """Fights of the test split are none of the train split; a larger difficulty is a larger share of the enemies."""
    assert (skirmishes.HEALTH == skirmish_units.HEALTH).all()
    assert (skirmishes.RATE == skirmish_units.DAMAGE / COOLDOWN).all()
    for allies, enemies, scenario in ((5, 6, "5m_vs_6m"), (3, 5, "3s_vs_5z")):
        fights = {
            split: generate_many("skirmishes", 20, 7, split, allies=allies, enemies=enemies)
            for split in ("train", "test")
        }
        assert not {str(level) for level in fights["train"]} & {str(level) for level in fights["test"]}
        for level in fights["test"]:
            changed = mutate(level)
            assert changed != level and describe(changed)["difficulty"] == describe(level)["difficulty"]
            batch = kit.started(ID, level=changed, scenario=scenario)
            assert {"kind": "skirmishes", **batch.world.get_level(batch.record())} == changed
            assert all(x < 16 for _, x, _ in level["allies"]) and all(x > 16 for _, x, _ in level["enemies"])
    means = [
        np.mean([describe(level)["difficulty"] for level in generate_many("skirmishes", 100, difficulty=difficulty)])
        for difficulty in (0, 0.25, 0.5, 0.75, 1)
    ]
    assert means == sorted(means) and means[0] < 0.36 and means[-1] > 0.64 and abs(means[2] - 0.5) < 0.05
    kit.refuses(build(ID), ({"kind": "skirmishes", "allies": [], "enemies": []}, "3 units"))


def test_units_of_generated_fights():
    """Groups, and kinds: of three random kinds the strongest, or the weakest one; within 4 standard errors."""
    levels = {difficulty: generate_many("skirmishes", 70, difficulty=difficulty) for difficulty in (0, 1)}
    # A group is up to 3 from its middle, in its half of the field; the middles are around (8, 16) and (24, 16).
    groups = np.array([places(level).reshape(2, 5, 2) for found in levels.values() for level in found])
    assert 5.5 < np.ptp(groups, axis=2).max() <= 6 and groups.min() >= 2 and groups.max() <= 30
    assert (abs(groups.mean(axis=(0, 2)) - [[8, 16], [24, 16]]) < [0.6, 2.2]).all()
    # 91 of the 216 draws of three kinds have a hydralisk, the strongest kind, and as many a zergling, the weakest.
    for name, side in (("hydralisk", 1), ("zergling", 0)):
        kinds = [unit[0] for k in range(2) for level in levels[k] for unit in level[SIDES[k == side]]]
        assert len(kinds) == 700 and abs(kinds.count(name) / 700 - 91 / 216) < 4 * 0.0187


def test_a_change_of_a_fight_moves_one_unit():
    """By up to 1 in both coordinates, and not from the field: units stay 0.5 from its edge."""
    level = generate_many("skirmishes", 1, allies=2, enemies=1)[0]
    level["allies"][0][1:], level["enemies"][0][1:] = [0.5, 31.5], [31.5, 0.5]
    changes = []
    for seed in range(40):
        found = places(mutate(level, seed))
        assert found.min() >= 0.5 and found.max() <= 31.5
        changes.append(np.abs(found - places(level)))
    assert {int((change.max(axis=1) > 0).sum()) for change in changes} <= {0, 1}
    assert 0.8 < np.max(changes) <= 1 and (np.max(changes, axis=(0, 2)) > 0).all()


@pytest.mark.slow
def test_harder_fights_are_lost():
    won = []
    for difficulty in (0.1, 0.5, 0.9):
        levels = generate_many("skirmishes", 60, 1, "test", difficulty=difficulty)
        batch = kit.started(ID, 60, level=levels, scenario="smacv2_5_units")
        kit.finish(batch, "focus")
        won.append((batch.records["health"][:, 5:] == 0).all(axis=1).mean())
    assert won[0] > won[1] + 0.1 > won[2] + 0.2, won


def test_contradictions():
    batch = kit.started(ID)
    for field, value, problem in (("health", 100.0, "more health"), ("terminated", 1, "ends")):
        records = batch.records.copy()
        records[field][0] = value
        with pytest.raises(SnapshotError, match=problem):
            batch.world.admit(records)


def test_words_and_clicks():
    batch = fight(*marines((10, 16), (14, 16)))
    world, s = batch.world, batch.record()
    assert "Enemy enemy_0, marine, health 45, 4.0 east, distance 4.0: attack 0." in world.text(s, 0)
    assert "Enemy ally_0, marine, health 45, 4.0 west, distance 4.0: attack 0." in world.text(s, 3)
    assert {world.action_names[0][k] for k in kit.clicks(batch, 0, 0.5, 0.5)} == {
        "north", "east", "south", "west", "stop", "attack 0",
    }  # fmt: skip
    assert [world.click(s, 0, 14.2, 10), world.click(s, 3, 5.8, 10), world.click(s, 0, 10, 10)] == [5, 5, STOP]


# Baselines.


def scores(scenario, policy, num):
    """Mean return and share of wins of the allies."""
    batch = kit.started(ID, num, scenario=scenario)
    returns = kit.finish(batch, policy)[:, 0]
    allies = len(SCENARIOS[scenario][0])
    ours, theirs = (part.any(axis=1) for part in np.split(batch.records["health"] > 0, [allies], axis=1))
    return returns.mean(), returns.std() / num**0.5, (ours & ~theirs).mean()


def test_baselines():
    """Against the scripted enemies on 3m: random play hardly hits, fire on the weakest beats SMAX's own heuristic."""
    found = [scores("3m", name, 60)[0] for name in ("random", "heuristic", "focus")]
    assert found[0] < 0.4 < 1.0 < found[1] + 0.2 < found[2], found


#: Mean return, its standard error and share of wins of 1,000 episodes of SMAX, printed by tests/skirmish_reference.py:
#: for random legal actions, and for its heuristic. The page has more maps.
RATES = {
    "3m": ((0.1753, 0.0031, 0.0), (1.4044, 0.0189, 0.498)),
    "smacv2_5_units": ((0.2535, 0.0052, 0.0), (1.3682, 0.0204, 0.5)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RATES)
def test_returns_of_smax(name):
    for policy, (mean, error, wins) in zip(("random", "heuristic"), RATES[name]):
        ours, our_error, our_wins = scores(name, policy, 500)
        assert abs(ours - mean) < 4 * np.hypot(error, our_error), (name, policy, ours, mean)
        assert abs(our_wins - wins) < 4 * (0.25 / 500 + 0.25 / 1000) ** 0.5


@pytest.mark.slow
def test_kite_beats_zealots():
    """Stalkers outrange and outrun zealots: stepping back wins fights that firing on the weakest never does."""
    assert scores("3s_vs_5z", "focus", 100)[2] < 0.1 and scores("3s_vs_5z", "kite", 100)[2] > 0.5
