"""NeuralMMO: recorded steps of nmmo 2.1.1, a second implementation in lock-step, probes of each rule, baselines."""

import kit
import numpy as np
import pytest
from neural_mmo_play import EDGE, ID, MEADOW, begun, drawn, meadow, placed, played, refresh, row

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.core.record import as_views
from envsuite.evaluation import matches
from envsuite.generators import generate
from envsuite.generators.base import generator
from envsuite.gridworlds.neural_mmo import NeuralMMO, nearby, rules
from envsuite.registry import build

DELTA = [(0, -1), (0, 1), (1, 0), (-1, 0), (0, 0)]  # x, y of north, south, east, west, stay
STYLES = ("melee", "range", "mage")


# Recorded steps of nmmo.

RECORDED = np.load(kit.DATA / "NeuralMMO" / "neural_mmo_reference.npz")


def walk_from(s, x, y, far=99):
    """Steps on foot from a place to the cells in reach."""
    steps, front = {(x, y): 0}, [(x, y)]
    for x, y in front:
        for dx, dy in DELTA[:4]:
            near = x + dx, y + dy
            if near not in steps and 2 <= s.ground[near[1], near[0]] <= 4 and steps[x, y] < far:
                steps[near] = steps[x, y] + 1
                front.append(near)
    return steps


def length(s, e, move):
    """The steps left to a creature's target after a move."""
    other = int(s.target[e]) - 1
    end = int(s.x[e]) + DELTA[move][0], int(s.y[e]) + DELTA[move][1]
    return walk_from(s, int(s.x[other]), int(s.y[other]), 20).get(end, 99)


def attainable(s, e):
    """Whether a creature's target can be reached without a detour."""
    other = int(s.target[e]) - 1
    return length(s, e, 4) == abs(int(s.x[e] - s.x[other])) + abs(int(s.y[e] - s.y[other]))


@pytest.mark.parametrize("name", ["plain", "equipped", pytest.param("bare_hands", marks=pytest.mark.slow)])
def test_steps_are_those_of_the_reference(name, monkeypatch):
    rows, choices, kinds = (RECORDED[f"{name}_{part}"] for part in ("rows", "choices", "kinds"))
    players = int((kinds == 1).sum())
    batch = begun(
        level=drawn(RECORDED["map"]), size=33, players=players, creatures=len(kinds) - players, order="number",
        regrowth=0.0, immunity=int(RECORDED[f"{name}_immunity"]), progression=name != "plain",
        equipped=name == "equipped",
    )  # fmt: skip
    monkeypatch.setattr(rules, "refill", lambda s: None)
    s = batch.record()
    s.kind[:] = kinds
    s.style[:], s.power[:] = RECORDED[f"{name}_powers"].T
    s.x[:], s.y[:], s.health[:] = rows[0, :, 1] + EDGE, rows[0, :, 2] + EDGE, rows[0, :, 3]
    s.experience[:], s.skill[:] = rows[0, :, 6:9], rows[0, :, 9:12]
    attacks = ways = same = 0
    for t, chosen in enumerate(choices):
        rules.decide(s)
        for e in range(players, len(kinds)):
            if s.health[e] > 0:
                assert s.aim[e] == chosen[e, 1], (t, e)
                attacks += s.aim[e] > 0
                if s.target[e] > 0 and attainable(s, e):
                    ways += 1
                    same += length(s, e, chosen[e, 0]) == length(s, e, s.move[e])
        s.move[:], s.aim[:], s.style[:players] = chosen[:, 0], chosen[:, 1], chosen[:players, 2]
        rules.advance(s)
        ours = np.array([row(s, e) for e in range(len(kinds))])
        np.testing.assert_array_equal(ours, rows[t + 1], err_msg=f"after step {t}")
        assert s.scrub_count == RECORDED[f"{name}_scrub"][t]
    assert rows[-1, :players, 0].sum() < players
    # Creatures attack the same players, on ways as short as theirs.
    assert players == len(kinds) or (attacks > 100 and ways > 200 and same == ways)


# A second implementation.


def blow(style, level, top, experience, power=None, guard=None):
    """Damage by the specification: of a player's level or a creature's power, against a top level or a power."""
    offense = 10 + 5 * level if power is None else power
    defense = 5 * top if guard is None else guard
    strongest = int(np.argmax(experience))
    weak = {0: 2, 1: 0, 2: 1}[strongest] == style and len(set(experience)) > 1
    return int(max((1.5 if weak else 1.0) * offense - defense, offense / 4))


class Twin:
    """The rules with objects in lists, written for this test from the specification; creatures' choices are given."""

    def __init__(self, s, players, equipped, immunity):
        size = len(s.ground)
        self.tiles = {(x, y): int(s.ground[y, x]) for x in range(size) for y in range(size)}
        self.size, self.players, self.equipped, self.immunity = size - 2 * EDGE, players, equipped, immunity
        self.all = [self.being(s, e) for e in range(len(s.x))]

    def being(self, s, e):
        return dict(
            number=e, at=(int(s.x[e]), int(s.y[e])), kind=int(s.kind[e]), health=int(s.health[e]), food=100, water=100,
            exp=s.experience[e].tolist(), level=s.skill[e].tolist(), hurt=0, by=0, age=int(s.age[e]), far=0,
            power=int(s.power[e]), counts=[0, 0, 0],
        )  # fmt: skip

    def depth(self, at):
        return min(at[0] - EDGE, at[1] - EDGE, self.size - 1 - at[0] + EDGE, self.size - 1 - at[1] + EDGE)

    def others(self, one):
        """Those that a player sees, the nearest first."""
        found = []
        for b in self.all:
            gap = [abs(b["at"][k] - one["at"][k]) for k in (0, 1)]
            if b is not one and b["health"] > 0 and max(gap) <= 7:
                found.append((max(gap), sum(gap), b["number"], b))
        return [b for *_, b in sorted(found, key=lambda entry: entry[:3])[:15]]

    def attackable(self, one, b):
        close = max(abs(b["at"][k] - one["at"][k]) for k in (0, 1)) <= 3
        return close and (b["kind"] > 1 or b["age"] + 1 >= self.immunity)

    def step(self, actions, creatures):
        """`actions` of players, and (move, target or None, style) of creatures; returns objectives (players, 4)."""
        paid = np.zeros((self.players, 4))
        plans = []
        for a, action in enumerate(actions):
            seen = self.others(self.all[a])
            if self.all[a]["health"] == 0 or action < 5:
                plans.append((action, None, 0))
            else:
                plans.append((4, seen[(action - 5) % 15], (action - 5) // 15))
        plans += creatures
        alive = [b for b in self.all if b["health"] > 0]
        for b in alive:
            b["by"] = b["by"] if b["hurt"] else 0
            b["hurt"] = 0
            b["age"] += 1
            if b["kind"] == 1:
                self.sustain(b, paid[b["number"]])
            else:
                b["health"] = min(100, b["health"] + 1)
        for b in alive:
            _, target, style = plans[b["number"]]
            if b["health"] > 0 and target is not None and target["health"] > 0:
                self.fight(b, target, style, paid)
        for b in (b for b in alive if b["health"] > 0):
            dx, dy = DELTA[plans[b["number"]][0]]
            to = b["at"][0] + dx, b["at"][1] + dy
            if self.tiles[to] in (2, 3, 4):
                b["at"] = to
            if b["kind"] == 1:
                paid[b["number"], 3] += max(0, self.depth(b["at"]) - b["far"]) / ((self.size - 1) // 2)
                b["far"] = max(b["far"], self.depth(b["at"]))
        for b in alive:
            if b["kind"] == 1 and b["health"] == 0:
                paid[b["number"], 0] = -1
        return paid

    def sustain(self, b, paid):
        if b["food"] > 50 and b["water"] > 50:
            b["health"] = min(100, b["health"] + 10)
        b["health"] = max(0, b["health"] - 10 * [b["food"], b["water"]].count(0))
        b["food"], b["water"] = max(0, b["food"] - 5), max(0, b["water"] - 5)
        if any(self.tiles[b["at"][0] + dx, b["at"][1] + dy] == 1 for dx, dy in DELTA[:4]):
            paid[1] += (100 - b["water"]) / 100
            b["water"] = 100
            b["counts"][2] += 1
        if self.tiles[b["at"]] == 4:
            self.tiles[b["at"]] = 3
            paid[1] += (100 - b["food"]) / 100
            b["food"] = 100
            b["counts"][1] += 1

    def fight(self, b, target, style, paid):
        mine, theirs = b["kind"] == 1, target["kind"] == 1
        if mine and theirs and target["age"] < self.immunity:
            return
        power = None if mine else (b["power"] if self.equipped else 10)
        guard = None if theirs else (target["power"] if self.equipped else 0)
        damage = blow(style, b["level"][style], max(target["level"]), target["exp"], power, guard)
        if mine:
            b["exp"][style] += 6
            thresholds = [sum(round(90 * k**0.5) for k in range(1, n)) for n in range(1, 11)]
            b["level"][style] = sum(b["exp"][style] >= least for least in thresholds)
            paid[b["number"], 2] += min(damage, target["health"]) / 100
            b["counts"][0] += damage >= target["health"]
        target["health"] = max(0, target["health"] - damage)
        target["hurt"], target["by"] = damage, b["number"] + 1

    def seen(self, a):
        """What a living player observes."""
        one = self.all[a]
        x, y = one["at"]
        ground = [[self.tiles[x + i, y + j] for i in range(-7, 8)] for j in range(-7, 8)]
        rows = [
            [
                *(b["kind"], b["number"], b["at"][0] - x, b["at"][1] - y, b["health"]),
                *((b["food"], b["water"]) if b["kind"] == 1 else (0, 0)),
                *(*b["level"], b["hurt"], int(b["kind"] == 1 and b["age"] + 1 < self.immunity)),
            ]
            for b in self.others(one)
        ]
        own = [x - EDGE, y - EDGE, one["health"], one["food"], one["water"], *one["exp"], *one["level"], one["hurt"]]
        return ground, rows + [[0] * 12] * (15 - len(rows)), [*own, one["by"], one["age"], *one["counts"], one["far"]]


def lock_step(seed, steps, players=7, creatures=9, size=16, compiled=False, **params):
    """Play one game in both; returns how many attacks, deaths, replaced creatures and grown cells there were."""
    params = dict(immunity=4, regrowth=0.3, scattered=0.6, equipped=True) | params
    batch = begun(
        seed=seed, players=players, creatures=creatures, size=size, order="number", compiled=compiled, **params
    )
    rng, s = np.random.default_rng(seed), batch.record()
    twin, seen = Twin(s, players, params["equipped"], params["immunity"]), np.zeros(4, int)
    assert len({(b["at"]) for b in twin.all[:players]}) == players
    assert all(twin.depth(b["at"]) == 0 for b in twin.all[:players])
    for _ in range(steps):
        living = [a for a in range(players) if twin.all[a]["health"] > 0]
        for a in living:
            ground, rows, own = twin.seen(a)
            ours = batch.observations[0, a]
            assert ours["ground"].tolist() == ground
            assert ours["others"].tolist() == rows
            assert ours["own"].tolist() == own
            mask, others = batch.masks[0, a], twin.others(twin.all[a])
            wanted = [k < len(others) and twin.attackable(twin.all[a], others[k]) for k in range(15)]
            assert mask.tolist() == [1] * 5 + [int(w) for w in wanted] * 3
            hits = np.flatnonzero(mask[5:]) + 5
            batch.actions[0, a] = rng.choice(hits) if len(hits) and rng.random() < 0.2 else rng.integers(5)
        if not living:
            break
        actions, wounds = batch.actions[0].tolist(), [b["health"] for b in twin.all]
        choosing = as_views(batch.records.copy())[0]
        rules.decide(choosing)
        given = [
            (int(choosing.move[e]), twin.all[choosing.aim[e] - 1] if choosing.aim[e] else None, int(choosing.style[e]))
            for e in range(players, players + creatures)
        ]
        batch.step(where=[True])
        s = batch.record()
        paid = twin.step(actions, given)
        assert np.allclose(batch.records["objectives"][0], paid, rtol=0, atol=1e-12)
        weights = np.array([1, 0.1, 0.1, 0.1])
        assert np.allclose(batch.rewards[0], paid @ weights, rtol=0, atol=1e-12)
        for e in range(players, players + creatures):
            if twin.all[e]["health"] == 0 and s.health[e] > 0:  # replaced
                new = twin.all[e] = twin.being(s, e)
                danger = 2 * twin.depth(new["at"]) / size
                assert new["kind"] == 2 + (danger >= 0.5) + (danger >= 0.8)
                level = int(1 + 9 * danger)
                assert sorted(new["level"]) == [0, 0, level] and sorted(new["exp"]) == [0, 0, 1]
                assert 8 * (level - 1) <= new["power"] <= 8 * level and new["age"] == 0
                seen[2] += 1
        for (x, y), code in twin.tiles.items():
            if code == 3 and s.ground[y, x] == 4:
                twin.tiles[x, y] = 4
                seen[3] += 1
        assert [b["health"] for b in twin.all] == s.health.tolist()
        seen[0] += sum(after["health"] < health for after, health in zip(twin.all, wounds))
        eaten = sum(code == 3 for code in twin.tiles.values())
        assert s.scrub_count == eaten
        assert batch.terminations[0].tolist() == [b["health"] == 0 for b in twin.all[:players]]
    seen[1] = sum(b["health"] == 0 for b in twin.all[:players])
    return seen


@pytest.mark.parametrize("seed", range(3))
def test_a_second_implementation_agrees(seed):
    attacks, deaths, _, grown = lock_step(seed, 60, equipped=seed > 0)
    assert attacks > 10 and deaths > 0 and grown > 3


@pytest.mark.slow
def test_a_second_implementation_agrees_for_long():
    total = sum(
        lock_step(seed, 300, 12, 20, 21, compiled=True, equipped=seed % 3 > 0, immunity=seed % 4 * 5)
        for seed in range(3, 17)
    )
    assert (total > [500, 50, 50, 50]).all()


# Each rule alone.


def vitals(s, a=0):
    return int(s.health[a]), int(s.food[a]), int(s.water[a])


def test_a_player_without_food_and_water_dies_in_step_25():
    batch, seen = placed([(8, 8)]), []
    for _ in range(25):
        seen.append(vitals(played(batch)))
    assert seen[0] == (100, 95, 95) and seen[18] == (100, 5, 5) and seen[19] == (100, 0, 0)
    assert [health for health, *_ in seen[20:]] == [80, 60, 40, 20, 0]
    assert batch.terminations[0, 0] and batch.rewards[0, 0] == -1 and not batch.masks.any()


def test_health_comes_back_above_50_of_both():
    batch = placed([(8, 8)])
    s = batch.record()
    s.health[0], s.food[0], s.water[0] = 40, 51, 100
    assert vitals(played(batch)) == (50, 46, 95)
    assert vitals(played(batch)) == (50, 41, 90)
    s.food[0], s.water[0] = 0, 51
    assert vitals(played(batch)) == (40, 0, 46)


def test_without_resources_and_progression():
    batch = placed([(8, 8), (8, 8)], meadow(x8y8="f"), resource=False, progression=False, weights=(1.0, 1.0, 1.0, 0.0))
    for _ in range(9):
        s = played(batch, "mage 1", "stay")
    assert vitals(s) == (100, 100, 100) and vitals(s, 1) == (10, 100, 100) and not s.scrub_count
    assert not s.experience.any() and not s.skill.any() and batch.rewards[0].tolist() == [0.1, 0.0]
    s = played(batch, "mage 1", "mage 1")
    assert s.health.tolist() == [100, 0] and s.kills.tolist() == [1, 0] and batch.rewards[0].tolist() == [0.1, -1.0]


def test_water_beside_and_foliage_below():
    batch = placed([(8, 8), (8, 8)], meadow(x9y8="~", x8y8="f"), weights=(0.0, 1.0, 0.0, 0.0))
    s = batch.record()
    s.food[:], s.water[:] = 50, 20
    s = played(batch)
    # The first eats; for the second nothing is left.
    assert vitals(s) == (100, 100, 100) and vitals(s, 1) == (100, 45, 100)
    assert batch.rewards[0].tolist() == [0.55 + 0.85, 0.85]
    assert s.ground[8 + EDGE, 8 + EDGE] == 3 and s.scrub_count == 1
    s = played(batch, "east", "north")
    assert (s.x[0], s.y[1]) == (8 + EDGE, 7 + EDGE)  # water cannot be entered


@pytest.mark.parametrize(
    "exp, level, foe_exp, foe_level, style, damage",
    [
        ((0, 0, 0), (1, 1, 1), (0, 0, 0), (1, 1, 1), "melee", 10),
        ((0, 0, 0), (1, 1, 1), (6, 0, 0), (1, 1, 1), "mage", 17),
        ((0, 0, 0), (1, 1, 1), (0, 6, 0), (1, 1, 1), "melee", 17),
        ((0, 0, 0), (1, 1, 1), (0, 0, 6), (1, 1, 1), "range", 17),
        ((0, 0, 0), (1, 1, 1), (0, 0, 6), (1, 1, 1), "melee", 10),
        ((0, 0, 0), (1, 1, 1), (1737, 0, 0), (10, 1, 1), "melee", 3),
        ((1737, 0, 0), (10, 1, 1), (0, 0, 0), (1, 1, 1), "melee", 55),
    ],
)
def test_damage(exp, level, foe_exp, foe_level, style, damage):
    batch = placed([(8, 8), (11, 5)], weights=(1.0, 0.0, 0.1, 0.0))
    s = batch.record()
    s.experience[0], s.skill[0], s.experience[1], s.skill[1] = exp, level, foe_exp, foe_level
    s.food[:] = 50  # no regaining
    s = played(batch, f"{style} 1")
    assert s.health[1] == 100 - damage and s.hurt[1] == damage and s.attacker[1] == 1
    assert batch.rewards[0, 0] == pytest.approx(0.1 * damage / 100)
    assert s.experience[0].sum() == sum(exp) + 6


def test_levels_have_the_thresholds_of_the_source():
    batch, reached = placed([(8, 8), (8, 8)]), {}
    s = batch.record()
    for hits in range(1, 300):
        s.health[1] = 100
        s.aim[:], s.style[:], s.move[:] = (2, 0), 1, 4
        rules.strike(s, 0)
        reached.setdefault(int(s.skill[0, 1]), 6 * hits)
    thresholds = [90, 217, 373, 553, 754, 974, 1212, 1467, 1737]
    assert reached == {1: 6, **{k + 2: -(-least // 6) * 6 for k, least in enumerate(thresholds)}}


def test_reach_and_immunity():
    batch = placed([(4, 8), (7, 8), (8, 8), (4, 12)], immunity=3)
    attacks = [f"{style} 1" for style in STYLES]
    for _ in range(2):
        assert kit.legal(batch, 0) == {"north", "south", "east", "west", "stay"}
        assert batch.observations[0, 0]["others"][:3, [1, 11]].tolist() == [[1, 1], [2, 1], [3, 1]]
        played(batch)
    # Only the second is at most three columns and rows away.
    assert kit.legal(batch, 0) == {"north", "south", "east", "west", "stay", *attacks}
    assert played(batch, "range 1").health[1] < 100


def test_the_first_number_wins_a_duel_and_the_random_order_is_fair():
    won = []
    for order in ("number", "random"):
        batch = placed([(8, 8), (9, 8)], order=order)
        first = 0
        for seed in range(60):
            s = batch.record()
            s.health[:], s.food[:], s.water[:], s.terminated[:] = 5, 50, 50, 0
            s.rng = 977 * seed
            refresh(batch)
            s = played(batch, "melee 1", "melee 1")
            assert (s.health > 0).sum() == 1
            first += s.health[0] > 0
        won.append(first)
    assert won[0] == 60 and 12 < won[1] < 48


def test_scrub_grows_with_its_probability():
    level = {"map": ["." * 64] + ["." + "f" * 62 + "."] * 62 + ["." * 64]}
    batch = begun(level=level, players=1, creatures=0, size=64, regrowth=0.1)
    s = batch.record()
    cells = [y * s.ground.shape[0] + x for y in range(20, 60) for x in range(20, 60)]
    for cell in cells:
        s.ground[cell // s.ground.shape[0], cell % s.ground.shape[0]] = 3
    s.scrub[: len(cells)], s.scrub_count = cells, len(cells)
    counts = []
    for _ in range(10):
        rules.grow(s)
        counts.append(int(s.scrub_count))
        assert s.scrub_count == (s.ground == 3).sum() and (s.ground == 4).sum() == 62 * 62 - s.scrub_count
        listed = np.sort(s.scrub[: s.scrub_count])
        assert (listed == np.flatnonzero(s.ground == 3)).all() and not s.scrub[s.scrub_count :].any()
    expected = [len(cells) * 0.9**k for k in range(1, 11)]
    assert all(abs(n - mean) < 4 * (mean * 0.1 * 10) ** 0.5 for n, mean in zip(counts, expected, strict=True))
    assert batch.world.contradiction(s) is None


def test_neighbours_are_the_nearest_by_brute_force():
    batch = begun(players=120, creatures=30, size=26, seed=2)
    rng, s = np.random.default_rng(0), batch.record()
    cells = np.argwhere((s.ground >= 2) & (s.ground <= 4))
    s.y[:], s.x[:] = cells[rng.integers(len(cells), size=150)].T
    nearby.link(s)
    for a in range(0, 120, 7):
        nearby.look(s, a, 7)
    for a in range(0, 120, 7):
        gaps = np.abs(np.stack([s.x - s.x[a], s.y - s.y[a]]))
        found = [(gaps[:, e].max(), gaps[:, e].sum(), e + 1) for e in range(150) if e != a and s.health[e] > 0]
        wanted = [e for far, _, e in sorted(found)[:15] if far <= 7]
        assert s.near[a].tolist() == wanted + [0] * (15 - len(wanted))


def test_creatures_by_danger_and_their_successors():
    batch = begun(players=1, creatures=200, size=48, seed=3, regrowth=0.0)
    for _ in range(20):
        played(batch)
    s = batch.record()
    depth = s.depth[1:]
    assert (s.health[1:] > 0).all() and (depth >= 0).all()
    kinds = 2 + (depth / 24 >= 0.5) + (depth / 24 >= 0.8)
    assert (s.kind[1:] == kinds).all()
    assert (s.skill[1:].max(axis=1) == (1 + 9 * depth / 24).astype(int)).all()
    s.health[1:] = 0
    rules.refill(s)
    assert 0 < (s.health[1:] > 0).sum() <= 25
    # The first attempt is at the same distance; a later one anywhere.
    again = np.flatnonzero(s.health[1:] > 0)
    assert (s.depth[1:][again] == depth[again]).mean() > 0.3


def test_a_passive_creature_wanders_and_a_neutral_one_strikes_back():
    batch = placed([(8, 8)], creatures=1, equipped=False)
    s = batch.record()
    for kind in (2, 3):
        rules.clear(s, 1)
        s.kind[1], s.x[1], s.y[1], s.health[0] = kind, 10 + EDGE, 8 + EDGE, 100
        refresh(batch)
        s = played(batch)
        assert s.aim[1] == 0 and s.move[1] < 4 and s.health[0] == 100
        s.x[1], s.y[1] = 10 + EDGE, 8 + EDGE
        refresh(batch)
        s = played(batch, "melee 1")
        assert s.attacker[1] == 1
        s = played(batch)
        assert s.aim[1] == (1 if kind == 3 else 0) and (s.health[0] < 100) == (kind == 3)


# Levels, parameters, snapshots.


def test_levels_and_parameters_are_refused_with_reasons():
    world = NeuralMMO(size=16)
    sea = {"map": ["~" * 16] * 16}
    kit.refuses(
        world,
        ({"map": MEADOW[1:]}, "16 strings of 16 letters"),
        (meadow(x3y3="?"), "letter '\\?'"),
        (sea, "nobody can start"),
        ({**meadow(), "players": []}, "unknown part 'players'"),
    )
    with pytest.raises(ParameterError, match="need combat"):
        NeuralMMO(combat=False)
    level = generate("wilds", seed=5, size=16)
    assert kit.started(world, level=level).world.get_level(kit.started(world, level=level).record()) == {
        "map": level["map"]
    }


def test_records_that_contradict_themselves_are_refused():
    for change, message in (
        (lambda s: s.ground.__setitem__((0, 0), 2), "not that of the map"),
        (lambda s: s.ground.__setitem__((9, 9), 3), "does not list"),
        (lambda s: s.health.__setitem__(0, 0), "terminated"),
        (lambda s: s.x.__setitem__(0, EDGE + 3), "water or stone"),
    ):
        batch = placed([(3, 2)], meadow(x2y2="f", x3y3="~"))
        s = batch.record()
        s.x[0], s.y[0] = EDGE + 2, EDGE + 3
        change(s)
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(batch.records)


def test_maps_have_their_shares():
    for seed in range(3):
        shares = generator("wilds").describe(generate("wilds", seed=seed, size=48))["shares"]
        assert abs(shares["water"] - 0.28) < 0.05 and abs(shares["stone"] - 0.14) < 0.04
        assert abs(shares["foliage"] - 0.15) < 0.05


# Baselines.


def test_foragers_live_longer_than_random_players():
    def ages(policy):
        batch = begun(players=4, creatures=0, size=20, horizon=70)
        kit.finish(batch, policy)
        return batch.records["age"].mean()

    assert ages("random") < 50 and ages("forager") > 55


@pytest.mark.slow
def test_fighters_beat_foragers_that_do_better_alone():
    world = build(ID)
    returns = matches.play(world, ["fighter"] * 4 + ["forager"] * 4, 64).returns
    alone = matches.play(world, ["forager"] * 8, 64).returns
    assert returns[:, :4].mean() > returns[:, 4:].mean() + 0.5
    assert alone.mean() > returns[:, :4].mean() + 0.3  # where nobody fights, all are better off


def test_clicks_are_moves_and_attacks():
    batch = placed([(8, 8), (10, 8)])
    assert kit.clicks(batch, 0, 0.5, 0.5) == {0, 1, 2, 3, 4, 5, None}


@pytest.mark.parametrize("level", [1, 15])
def test_creature_level_is_a_parameter(level):
    """A creature has the level 1 + danger * (creature_level - 1), danger being twice its depth over the side."""
    batch = kit.started("envsuite/NeuralMMO-v0", players=1, creatures=20, size=32, creature_level=level)
    s = batch.record(0)
    found = 0
    for e in range(1, 21):
        if s.kind[e]:
            danger = 2.0 * rules.depth(s, s.y[e], s.x[e]) / 32
            assert s.skill[e].max() == int(1 + danger * (level - 1))
            found += 1
    assert found > 5
