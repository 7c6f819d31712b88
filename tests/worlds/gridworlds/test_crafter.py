"""Crafter: lockstep with `crafter`, its statistics, its terrain, and the features of this world."""

import json
from collections import Counter
from functools import partial

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.agents import make_policy
from envsuite.compile.bound import bind
from envsuite.core.batch import Batch, stream_starts
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.record import as_views
from envsuite.generators import describe, generate, generate_many, mutate, picture, terrain
from envsuite.generators.terrain import LEGEND, MATERIALS
from envsuite.gridworlds.crafter import Crafter
from envsuite.gridworlds.crafter.rules import (
    ACHIEVEMENTS,
    ACTIONS,
    DAYLIGHT,
    ITEMS,
    KINDS,
    PLANT,
    RIPE,
    new_player,
    populate,
)

MASK = 2**64 - 1
FACINGS = [(1, 0), (0, 1), (-1, 0), (0, -1)]
NAMES = {kind: name for name, kind in KINDS.items()}
TIMERS = {"zombie": "cooldown", "skeleton": "reload", "plant": "grown"}


started = partial(kit.started, Crafter)


def litter(rng, size, creatures=True):
    """A map with all materials, creatures, nearly ripe plants, and a player with a random inventory."""
    letters = list(LEGEND[1:])
    chances = np.array([4, 40, 6, 16, 8, 5, 0.7, 3, 4, 3, 4, 4])
    rows = rng.choice(letters, (size, size), p=chances / chances.sum())
    middle = size // 2
    rows[middle, middle] = "."
    if rng.random() < 0.5:
        rows[middle - 1, middle], rows[middle, middle - 1] = "t", "f"
    taken, things = {(middle, middle)}, []
    kinds = ["cow", "zombie", "skeleton", "plant", "arrow"] if creatures else ["plant"]
    for _ in range(size * size // 24 if creatures else size):
        kind, x, y = str(rng.choice(kinds)), int(rng.integers(size)), int(rng.integers(size))
        allowed = "." if kind == "plant" else "._:~%" if kind == "arrow" else "._:"
        if (x, y) in taken or rows[y, x] not in allowed:
            continue
        taken.add((x, y))
        symbol = {"type": kind, "x": x, "y": y, "health": int(rng.integers(6)) if kind != "arrow" else 0}
        if kind == "arrow":
            symbol["facing"] = int(rng.integers(4))
        elif kind in TIMERS:
            symbol[TIMERS[kind]] = int(rng.integers(270, 310) if kind == "plant" else rng.integers(5))
        things.append(symbol)
    player = {
        "x": middle,
        "y": middle,
        "facing": int(rng.integers(4)),
        "sleeping": bool(rng.random() < 0.1),
        "inventory": {
            item: int(rng.integers(1, 10) if k < 4 else rng.integers(10) * (rng.random() < 0.7))
            for k, item in enumerate(ITEMS)
        },
        "achievements": {name: int(rng.random() < 0.1) for name in ACHIEVEMENTS},
        "hunger": int(rng.integers(52)) / 2,
        "thirst": int(rng.integers(42)) / 2,
        "fatigue": int(rng.integers(-10, 31)),
        "recovery": int(rng.integers(-30, 51)) / 2,
    }
    player["health_before"] = player["inventory"]["health"]
    map = ["".join(row) for row in rows]
    return {"map": map, "clock": int(rng.integers(300)), "players": [player], "objects": things}


def difference(ours, theirs):
    """The difference of two states, for the message of a failure."""
    pairs = {name: (part, theirs[name]) for name, part in ours.items() if part != theirs[name]}
    return {
        name: [(a, b) for a, b in zip(*both) if a != b] if isinstance(both[0], list) else both
        for name, both in pairs.items()
    }


def play_both(batch, levels, choose, steps, balanced=True, seed=None):
    """Play both until the end, compare the whole state at every step, and count the achievements."""
    from crafter_reference import Reference

    world, length = batch.world, batch.world.parameters["length"]
    batch.start(seed, levels)
    words = batch.records["rng"]
    envs = [Reference(level, words[i], balanced=balanced, length=None) for i, level in enumerate(levels)]
    counts = Counter()
    for t in range(1, steps + 1):
        playing = ~batch.over()
        if not playing.any():
            break
        batch.step(choose(batch)[:, None], playing)
        for i in np.flatnonzero(playing):
            _, reward, done, info = envs[i].step(int(batch.actions[i, 0]))
            ours, theirs = world.symbols(batch.record(i)), envs[i].symbols()
            assert ours == theirs, (i, t, ACTIONS[batch.actions[i, 0]], difference(ours, theirs))
            assert abs(batch.rewards[i, 0] - reward) < 1e-12
            done = bool(done)
            assert batch.terminations[i, 0] == (info["discount"] == 0) == done
            assert batch.truncations[i, 0] == (t >= length and not done)
            assert batch.records["rng"][i] == envs[i]._world.random.word
            assert abs(batch.observations["daylight"][i, 0, 0] - envs[i]._world.daylight) < 1e-6
            counts["died"] += done
    for level, env in zip(levels, envs):
        for name, count in env._player.achievements.items():
            counts[name] += count > level["players"][0]["achievements"][name]
    return counts


def likely_actions(rng):
    """Random actions with effects: hit and collect what is in front, else walk, build and make."""
    walk, build = ACTIONS.index("move_left"), ACTIONS.index("sleep")

    def choose(batch):
        seen = batch.observations[:, 0]
        dx, dy = np.array(FACINGS)[seen["facing"]].T
        rows = np.arange(batch.num)
        thing, ground = (seen[part][rows, 3 + dy, 4 + dx] for part in ("objects", "materials"))
        useful = np.where(thing > 0, thing <= 5, ~np.isin(ground, [0, 2, 4, 5, 7, 11, 12]))
        wish = rng.random(batch.num)
        other = np.where(wish < 0.7, rng.integers(walk, walk + 4, batch.num), rng.integers(build, 17, batch.num))
        return np.where((wish < 0.7) & useful | (wish > np.where(ground == 2, 0.85, 0.95)), ACTIONS.index("do"), other)

    return choose


@pytest.mark.slow
@pytest.mark.parametrize("creatures", [True, False])
def test_plays_like_the_reference_among_litter(creatures):
    rng = np.random.default_rng(int(creatures))
    batch = Batch(Crafter(size=24, creatures=creatures), 80)
    levels = [litter(rng, 24, creatures) for _ in range(80)]
    counts = play_both(batch, levels, likely_actions(rng), 170, balanced=creatures, seed=0)
    rare = () if creatures else ("defeat_zombie", "defeat_skeleton", "eat_cow")
    assert all(counts[name] for name in ACHIEVEMENTS if name not in rare), counts
    assert counts["died"] >= 5


@pytest.mark.slow
def test_plays_like_the_reference_on_new_maps():
    """Scripted play of whole days on the world's own maps, which gets far; at every time of the day."""
    batch = started(8, seed=100)
    levels = [batch.world.get_level(batch.record(i)) for i in range(8)]
    for k, level in enumerate(levels):
        level["clock"] = 37 * k
    settler = make_policy("settler", "envsuite/Crafter-v0")
    settler.reset(0, 8)
    counts = play_both(batch, levels, lambda b: settler.act_batch(b.observations, b.masks, [0])[:, 0], 400)
    unlocked = ("make_stone_pickaxe", "place_furnace", "collect_coal", "defeat_zombie", "eat_cow", "wake_up")
    assert all(counts[name] for name in unlocked), counts


def test_length_truncates():
    batch = started(size=24, length=5)
    for t in range(1, 6):
        batch.step()
        assert batch.truncations[0, 0] == (t == 5) and not batch.terminations[0, 0]


def test_daylight_is_the_references():
    from crafter_reference import Reference

    env = Reference(started(size=24).world.get_level(started(size=24).record()), 0)
    for env._step in range(300):
        env._update_time()
        assert DAYLIGHT[env._step] == pytest.approx(env._world.daylight, abs=1e-12)


# Terrain.


def noise_at(table, x, y, layer):
    return terrain.noise(table, x, y, np.int64(layer))


noise_at = bind(noise_at, "tests.crafter.noise_at")


def noise_columns(table, x, step, layer, other_layer, columns):
    layers = np.int64(layer), np.int64(other_layer)
    terrain.add_columns(table, x, step, layers[0], 1.0, columns[0], layers[1], 0.3, columns[1])


noise_columns = bind(noise_columns, "tests.crafter.noise_columns")


@pytest.mark.parametrize("seed", range(4))
def test_generator_has_the_references_rules(seed, monkeypatch):
    """With our noise and draws, the reference's generator makes the same map with the same creatures."""
    from crafter import constants, objects, worldgen
    from crafter_reference import Numbered, Stream

    batch = Batch(Crafter(), 1)
    word = int(stream_starts([seed])[0])
    batch.start(seed)
    table = batch.records["table"][0]

    class Noise:
        def __init__(self, seed):
            pass

        def noise3(self, x, y, z):
            return noise_at(table, float(x), float(y), z)

    monkeypatch.setattr(worldgen.opensimplex, "OpenSimplex", Noise)
    world = Numbered((64, 64), constants.materials, (12, 12))
    player = objects.Player(world, (32, 32))
    world.add(player)
    # It draws a seed; we have drawn a permutation, which takes 255 words.
    world.random = Stream(word + 254 * 0x9E3779B97F4A7C15 & MASK)
    worldgen.generate_world(world, player)
    level = batch.world.get_level(batch.record())
    assert np.array_equal(batch.records["level"]["map"][0], world._mat_map.T)
    made = [(type(thing).__name__.lower(), *thing.pos) for thing in world.objects[1:]]
    assert [(symbol["type"], symbol["x"], symbol["y"]) for symbol in level["objects"]] == made
    assert len({kind for kind, *_ in made}) == 3
    assert batch.records["rng"][0] == world.random.word


def test_columns_are_the_noise():
    rng = np.random.default_rng(0)
    for layer, step in ((0, 1 / 15), (3, 1 / 5), (8, 1 / 3), (5, 0.7)):
        table, x, columns = rng.permutation(256).astype(np.uint8), rng.uniform(0, 60), np.zeros((2, 100))
        noise_columns(table, x, step, layer, 6, columns)
        expected = [[w * noise_at(table, x, k * step, z) for k in range(100)] for w, z in ((1.0, layer), (0.3, 6))]
        assert np.abs(columns - expected).max() < 1e-12 < np.abs(columns).max(axis=1).min()


def test_noise_is_like_opensimplex():
    """Spread, exceedance and correlation of OpenSimplex noise in planes 0, 3 and 5, 40 seeds (opensimplex 0.4.5)."""
    rng = np.random.default_rng(0)
    fields = np.zeros((60, 100, 100))
    for field in fields:
        table = rng.permutation(256).astype(np.uint8)
        for k, column in enumerate(field):
            columns = np.zeros((2, 100))
            noise_columns(table, k / 8, 1 / 8, 0, 1, columns)
            column[:] = columns[0]
    assert fields.std() == pytest.approx(0.314, abs=0.015)
    for level, share in ((-0.2, 0.709), (0.0, 0.498), (0.15, 0.338), (0.35, 0.153), (0.4, 0.115)):
        assert (fields > level).mean() == pytest.approx(share, abs=0.025)
    for lag, correlation in ((2, 0.855), (4, 0.513), (6, 0.174), (10, -0.067)):
        along_x = (fields[:, lag:] * fields[:, :-lag]).mean() / fields.var()
        along_y = (fields[:, :, lag:] * fields[:, :, :-lag]).mean() / fields.var()
        assert (along_x, along_y) == pytest.approx((correlation, correlation), abs=0.06)


def test_maps_are_like_the_references():
    """Percent of the ground and numbers of creatures against 1,600 maps of crafter 1.8.3."""
    known = json.loads((DATA / "Crafter" / "crafter_reference.json").read_text())["maps"]
    batch = started(2048)
    maps = batch.records["level"]["map"]
    for name, percent in known["percent"].items():
        ours = 100 * (maps == MATERIALS.index(name)).mean(axis=(1, 2))
        assert ours.mean() == pytest.approx(percent, rel=0.1), name
        assert ours.std() == pytest.approx(known["standard_deviation"][name], rel=0.25), name
    kinds = batch.records["objects"]["kind"]
    counted = np.arange(kinds.shape[1]) < batch.records["count"][:, None]
    for name, count in known["creatures"].items():
        ours = ((kinds == KINDS[name]) & counted).sum(axis=1).mean()
        assert ours == pytest.approx(count, rel=0.1), name


def test_terrain_is_a_kind_of_level():
    level = generate("terrain", seed=3)
    assert json.loads(json.dumps(level)) == level == generate("terrain", seed=3) != generate("terrain", seed=4)
    batch = started()
    batch.start(levels=level)
    assert batch.world.get_level(batch.record())["map"] == level["map"]
    changed = mutate(level, seed=1)
    assert sum(a != b for a, b in zip("".join(changed["map"]), "".join(level["map"]))) == 1
    train, test = ({"".join(m["map"]) for m in generate_many("terrain", 40, split=s)} for s in ("train", "test"))
    assert len(train) == len(test) == 40 and not train & test
    scene = picture(level)
    assert (scene.width, scene.height) == (64, 64) and len(scene.shapes) > 500


def test_terrain_is_described():
    rows = ["." * 17 for _ in range(17)]
    rows[8] = "~T" + "." * 11 + "#cid"
    told = describe({"kind": "terrain", "map": rows})
    assert told["size"] == [17, 17] and told["solvable"] and told["difficulty"] == 10
    # A tree cannot be walked through: the water behind it is two steps farther away.
    assert told["nearest"] == {"water": 10, "tree": 7, "stone": 5, "coal": 6, "iron": 7, "diamond": 8}
    rows[8] = rows[8].replace("d", ".")
    assert describe({"kind": "terrain", "map": rows})["solvable"] is False


# Play.


def play_out(batch, policy, agents=(0,), steps=10_000):
    """Play all episodes to their end; the returns of the first player."""
    policy.reset(7, batch.num)
    returns = np.zeros(batch.num)
    for _ in range(steps):
        over = batch.over()
        if over.all():
            break
        batch.step(policy.act_batch(batch.observations, batch.masks, list(agents)), ~over)
        returns += np.where(over, 0.0, batch.rewards[:, 0])
    return returns


def percents(batch):
    return dict(zip(ACHIEVEMENTS, 100 * (batch.records["players"]["achievements"][:, 0] > 0).mean(axis=0)))


def score(rates):
    """The benchmark's: the geometric mean of success rates in percent, of which each has 1 added."""
    return np.exp(np.mean(np.log1p(list(rates.values())))) - 1


@pytest.mark.slow
def test_random_play_is_as_published():
    known = json.loads((DATA / "Crafter" / "crafter_reference.json").read_text())["random_play"]
    batch = started(4096, seed=1)
    returns = play_out(batch, make_policy("random", batch.world))
    rates = percents(batch)
    for name, percent in known["percent"].items():
        error = 100 * np.sqrt(max(percent, 0.05) / 100 * (1 - percent / 100) / batch.num)
        assert abs(rates[name] - percent) < 4 * error + 0.02 * percent, name
    assert score(rates) == pytest.approx(1.55, abs=0.12)  # the paper has 1.6, from the same runs
    assert batch.records["t"].mean() == pytest.approx(known["mean_length"], rel=0.02)
    assert returns.mean() == pytest.approx(known["mean_reward"], abs=0.06)


def test_settler_gets_far():
    batch = started(96, seed=5)
    returns = play_out(batch, make_policy("settler", "envsuite/Crafter-v0"), steps=600)
    rates = percents(batch)
    assert score(rates) > 45, rates
    assert rates["make_iron_pickaxe"] > 15 and rates["collect_diamond"] > 5 and returns.mean() > 13


# Levels and symbols.


def meadow(size=16, **parts):
    """A level of grass."""
    return {"map": ["." * size] * size, **parts}


def begun(level, **parameters):
    batch = started(size=len(level["map"]), **parameters)
    batch.start(levels=level)
    return batch


def play(batch, *names):
    """Steps of a world: for each, the name of an action, or one name for each player."""
    for step in names:
        batch.step([ACTIONS.index(name) for name in ([step] if isinstance(step, str) else step)])
    return batch.world.symbols(batch.record())


def test_symbols_can_be_written_at_any_time():
    """A state that is read in mid-episode and written into another world continues in the same way."""
    rng = np.random.default_rng(2)
    one, other = Batch(Crafter(size=16, players=2), 6), Batch(Crafter(size=16, players=2), 6)
    for batch in (one, other):
        batch.start(0)
    for _ in range(150):
        one.step(rng.integers(17, size=one.actions.shape))
    alive = ~one.over()
    for i in range(6):
        symbols = json.loads(json.dumps(one.world.symbols(one.record(i))))
        one.world.set_symbols(one.record(i), symbols)
        other.world.set_symbols(other.record(i), symbols)
        assert other.world.symbols(other.record(i)) == symbols == one.world.symbols(one.record(i))
    other.records["rng"] = one.records["rng"]
    one.observe()
    other.observe()
    for _ in range(60):
        for part in one.observations.dtype.names:
            assert np.array_equal(one.observations[part], other.observations[part])
        live = np.flatnonzero(alive & ~one.over())
        for batch in (one, other):
            batch.step(rng.integers(17, size=batch.actions.shape) if batch is one else one.actions, ~batch.finished)
        assert live.size and np.array_equal(one.rewards, other.rewards)
        # The step count differs, and so does the clock at which creatures are balanced, if it is not part of symbols.
        assert [one.world.symbols(one.record(i)) for i in live] == [other.world.symbols(other.record(i)) for i in live]


def test_a_level_stays_the_episodes_start():
    batch = started(2)
    level = batch.world.get_level(batch.record(0))
    rng = np.random.default_rng(1)
    for _ in range(50):
        batch.step(rng.integers(17, size=(2, 1)))
    assert batch.world.get_level(batch.record(0)) == level != batch.world.symbols(batch.record(0))
    batch.set_level(1, json.loads(json.dumps(level)))
    batch.start()
    assert batch.world.symbols(batch.record(1)) == level


def test_bad_levels_say_what_is_wrong():
    batch = started(size=16, players=2)
    grass = meadow()
    pond = meadow()["map"][:15] + ["~" * 16]
    bad = {
        "lacks 'map'": {},
        "unknown part 'grid'": {**grass, "grid": []},
        "16 texts of 16": meadow(15),
        "letter 'x'; known: ~": {"map": ["x" * 16] * 16},
        "of the kind 'maze', not 'terrain'": meadow(kind="maze"),
        "clock must be a whole number from 0 to 299": meadow(clock=300),
        "has 1 players, not 2": meadow(players=[{}]),
        "player_1: x must be": meadow(players=[{}, {"x": 16}]),
        "player_0: facing": meadow(players=[{"facing": 4}, {}]),
        "unknown attribute 'mana'": meadow(players=[{"mana": 1}, {}]),
        "inventory has an unknown attribute 'gold'": meadow(players=[{"inventory": {"gold": 1}}, {}]),
        "wood must be a whole number from 0 to 9": meadow(players=[{"inventory": {"wood": 10}}, {}]),
        "hunger counts half steps": meadow(players=[{"hunger": 0.3}, {}]),
        "player_0 has no health": meadow(players=[{"inventory": {"health": 0}}, {}]),
        "sleeping must be true or false": meadow(players=[{"sleeping": 1}, {}]),
        "must be a mapping": meadow(players=["me", {}]),
        "object 0 must have a type": meadow(objects=[{"type": "dog", "x": 1, "y": 1}]),
        "lacks 'x'": meadow(objects=[{"type": "cow", "y": 1}]),
        "lacks 'facing'": meadow(objects=[{"type": "arrow", "x": 1, "y": 1}]),
        "object 0 has an unknown attribute 'cooldown'": meadow(
            objects=[{"type": "cow", "x": 1, "y": 1, "cooldown": 1}]
        ),
        r"object 1 \(cow\) and object 0 \(plant\) are both at x=1, y=1": meadow(
            objects=[{"type": "plant", "x": 1, "y": 1}, {"type": "cow", "x": 1, "y": 1}]
        ),
        "cannot be on water, at x=3, y=15": {"map": pond, "objects": [{"type": "cow", "x": 3, "y": 15}]},
        "at most 16 fit": meadow(objects=[{"type": "plant", "x": x, "y": 0} for x in range(16)] * 2),
    }
    before = batch.records.copy()
    for message, wrong in bad.items():
        with pytest.raises(LevelError, match=message):
            batch.set_level(0, wrong)
        if "no health" not in message:  # a running state may have dead players
            with pytest.raises(LevelError, match=message):
                batch.world.set_symbols(batch.record(), wrong)
        assert np.array_equal(batch.records, before), message


def test_bad_parameters_are_refused():
    for parameters in ({"size": 15}, {"players": 9}, {"sapling": 2.0}, {"spawn": (1, 2, 3)}, {"despawn": (0.1,)}):
        with pytest.raises(ParameterError, match=next(iter(parameters))):
            Crafter(**parameters)


# Rules by hand.


def opened(level, **parameters):
    """An episode on a level of 16 x 16 cells; no map is made."""
    return kit.started(Crafter, level=level, size=16, **parameters)


def after(player, *actions, rows=None, objects=(), **parameters):
    """The state after steps of a player at x=5, y=5 that faces east, on a map of grass or of these rows."""
    parameters = {"spawn": (0, 0, 0), "despawn": (0, 0, 0), **parameters}
    level = meadow(players=[{"x": 5, "y": 5, "facing": 0, **player}], objects=list(objects))
    return play(opened(level | ({"map": rows} if rows else {}), **parameters), *actions or ["noop"])


def ground(**letters):
    """Rows of grass with these letters at row 5: `ground(x6="t")`."""
    row = "".join(letters.get(f"x{x}", ".") for x in range(16))
    return [row if y == 5 else "." * 16 for y in range(16)]


def bag(symbols):
    """What the player carries."""
    return {name: n for name, n in symbols["players"][0]["inventory"].items() if n and name not in ITEMS[:4]}


TOOLS = {"wood": {"wood": 1}, "stone": {"wood": 1, "stone": 1}, "iron": {"wood": 1, "coal": 1, "iron": 1}}


def test_tools_need_and_use_things():
    """With exactly the things, with one of them missing, and away from the furnace or from both."""
    rows = ["." * 16] * 16
    rows[4], rows[6] = "......t.........", "....f..........."  # both are diagonally beside x=5, y=5
    batch = opened(meadow(map=rows, players=[{"x": 5, "y": 5}]), creatures=False)
    inventory = batch.records["players"]["inventory"][0, 0]
    for tier, needs in TOOLS.items():
        for tool in (f"{tier}_pickaxe", f"{tier}_sword"):
            for missing, x in ((None, 5), *((name, 5) for name in needs), (None, 7), (None, 8)):
                given = {name: n - (name == missing) for name, n in needs.items()}
                inventory[:] = [9] * 4 + [given.get(name, 0) for name in ITEMS[4:]]
                batch.records["players"]["x"] = x
                found = bag(play(batch, f"make_{tool}"))
                made = not missing and (x == 5 or (x == 7 and tier != "iron"))
                assert found == ({tool: 1} if made else {name: n for name, n in given.items() if n}), (tool, missing, x)


def test_what_is_collected_and_what_it_needs():
    for letter, item, tool, left in (
        ("~", "drink", None, "~"),
        ("T", "wood", None, "."),
        ("#", "stone", "wood_pickaxe", "_"),
        ("c", "coal", "wood_pickaxe", "_"),
        ("i", "iron", "stone_pickaxe", "_"),
        ("d", "diamond", "iron_pickaxe", "_"),
    ):
        for given in {tool: 1} if tool else {}, {}:
            found = after({"inventory": {"drink": 3, **given}, "thirst": 9}, "do", rows=ground(x6=letter))
            got = bool(given) or tool is None
            assert found["players"][0]["inventory"][item] == got + 3 * (item == "drink"), letter
            assert found["map"][5][6] == (left if got else letter), (letter, given)
            assert found["players"][0]["thirst"] == (1 if letter == "~" else 10)
            assert sum(found["players"][0]["achievements"].values()) == got


def test_what_is_placed_and_what_it_costs():
    for name, letter, item, price, grounds, others in (
        ("stone", "#", "stone", 1, "~%", "T"),
        ("table", "t", "wood", 2, ":", "~"),
        ("furnace", "f", "stone", 4, "_", "%"),
    ):
        for old in grounds + others:
            found = after({"inventory": {item: price}}, f"place_{name}", rows=ground(x6=old), creatures=False)
            assert found["map"][5][6] == (letter if old in grounds else old)
            assert bag(found) == ({} if old in grounds else {item: price})
        found = after({"inventory": {item: price - 1}}, f"place_{name}", creatures=False)
        assert found["map"][5][6] == "." and found["players"][0]["achievements"][f"place_{name}"] == 0


def test_where_plants_are_placed():
    for letter in ".:_~#T%":
        found = after({"inventory": {"sapling": 2}}, "place_plant", rows=ground(x6=letter), creatures=False)
        placed = letter == "."
        assert [(o["type"], o["x"], o["y"]) for o in found["objects"]] == [("plant", 6, 5)] * placed
        assert bag(found) == {"sapling": 2 - placed} and found["players"][0]["achievements"]["place_plant"] == placed


def test_a_player_turns_and_walks_on_open_ground():
    """Not onto water, stone, a tree or a plant; lava kills it."""
    for letter in ".:_~#Tctf%P":
        things = [{"type": "plant", "x": 6, "y": 5}] if letter == "P" else []
        rows = ground(x6=letter.replace("P", "."))
        player = after({"facing": 1}, "move_right", rows=rows, objects=things, creatures=False)["players"][0]
        assert (player["x"], player["y"], player["facing"]) == (5 + (letter in ".:_%"), 5, 0)
        assert player["inventory"]["health"] == (0 if letter == "%" else 9)
    for action, facing in zip(("move_right", "move_down", "move_left", "move_up"), range(4)):
        player = after({}, action, creatures=False)["players"][0]
        assert (player["x"] - 5, player["y"] - 5, player["facing"]) == (*FACINGS[facing], facing)


def test_death_in_lava():
    batch = opened(meadow(map=ground(x6="%"), players=[{"x": 5, "y": 5}]), creatures=False)
    play(batch, "move_right")
    assert batch.terminations[0, 0] and not batch.truncations[0, 0] and batch.rewards[0, 0] == pytest.approx(-0.9)
    assert not batch.masks[0].any() and not batch.records["things"][0].any()


def test_sleep():
    """Not with full energy; while asleep nothing else is done; a hit wakes, and so does full energy."""
    assert not after({}, "sleep", creatures=False)["players"][0]["sleeping"]
    tired = {"inventory": {"energy": 3, "wood": 1}}
    player = after(tired, "sleep", "move_left", "do", "place_table", creatures=False)["players"][0]
    assert player["sleeping"] and (player["x"], player["facing"]) == (5, 0)
    zombie = {"type": "zombie", "x": 4, "y": 5}
    player = after(tired, "sleep", "noop", objects=[zombie])["players"][0]
    assert not player["sleeping"] and player["inventory"]["health"] == 2 and player["achievements"]["wake_up"] == 0


def test_an_achievement_pays_once():
    """Each point of health that is gained pays 0.1, and each that is lost costs as much."""
    rows = ground(x6="T")
    rows[4] = rows[4][:5] + "~" + rows[4][6:]
    level = meadow(map=rows, players=[{"x": 5, "y": 5, "facing": 0, "recovery": 24, "inventory": {"health": 5}}])
    batch, found = opened(level, creatures=False), []
    for action in ("do", "do", "noop", "move_up", "do", "do"):
        play(batch, action)
        found.append(batch.rewards[0, 0])
    assert found == pytest.approx([1, 0.1, 0, 0, 1, 0])  # the second piece of wood comes with a point of health
    batch.records["players"]["recovery"][:] = -30
    batch.records["players"]["inventory"][0, 0, ITEMS.index("food")] = 0
    play(batch, "noop")
    assert batch.rewards[0, 0] == pytest.approx(-0.1)


SLEPT = {"sleeping": True, "inventory": {"energy": 5, "health": 5}}
STARVED, TIRED = ({"inventory": {name: 0, "health": 5}} for name in ("food", "energy"))
NEEDS = [
    ({"hunger": 24}, {"hunger": 25, "food": 9}),
    ({"hunger": 25}, {"hunger": 0, "food": 8}),
    ({"thirst": 19}, {"thirst": 20, "drink": 9}),
    ({"thirst": 20}, {"thirst": 0, "drink": 8}),
    ({"fatigue": 29}, {"fatigue": 30, "energy": 9}),
    ({"fatigue": 30}, {"fatigue": 0, "energy": 8}),
    (SLEPT | {"hunger": 24, "thirst": 2}, {"hunger": 24.5, "thirst": 2.5, "sleeping": True}),
    (SLEPT | {"fatigue": 7}, {"fatigue": 0, "energy": 5}),
    (SLEPT | {"fatigue": -10}, {"fatigue": 0, "energy": 6}),
    (SLEPT | {"recovery": 3}, {"recovery": 5}),
    ({"recovery": 24, "inventory": {"health": 5}}, {"recovery": 25, "health": 5}),
    ({"recovery": 25, "inventory": {"health": 5}}, {"recovery": 0, "health": 6}),
    (STARVED | {"recovery": -14}, {"recovery": -15, "health": 5}),
    (STARVED | {"recovery": -15}, {"recovery": 0, "health": 4}),
    (TIRED | {"recovery": 3}, {"recovery": 2}),
    (TIRED | {"recovery": 3, "sleeping": True}, {"recovery": 5}),
    (STARVED | {"recovery": 3, "sleeping": True, "inventory": {"food": 0, "energy": 5}}, {"recovery": 2.5}),
    (SLEPT | {"inventory": {"energy": 9}}, {"sleeping": False}),
]


@pytest.mark.parametrize("player, changed", NEEDS)
def test_needs_of_the_body(player, changed):
    """A need grows by 1 in a step awake, by 1/2 asleep; beyond its limit it starts again and costs a point."""
    found = after(player, creatures=False)["players"][0]
    assert {name: {**found, **found["inventory"]}[name] for name in changed} == changed
    assert found["achievements"]["wake_up"] == (changed == {"sleeping": False})


def test_swords():
    for sword, left in ((None, 4), ("wood_sword", 3), ("stone_sword", 2), ("iron_sword", 0)):
        cow = {"type": "cow", "x": 6, "y": 5, "health": 5}
        found = after({"inventory": {"food": 1, **({sword: 1} if sword else {})}}, "do", objects=[cow])
        assert [thing["health"] for thing in found["objects"]] == ([left] if left else [])
        player = found["players"][0]
        assert (player["achievements"]["eat_cow"], player["inventory"]["food"]) == ((0, 1) if left else (1, 7))


def test_arrows_zombies_and_plants():
    arrow = {"type": "arrow", "x": 4, "y": 5, "facing": 0}
    assert after({}, objects=[arrow])["players"][0]["inventory"]["health"] == 7
    for letter in "tf":
        found = after({"x": 1}, objects=[arrow], rows=ground(x5=letter))
        assert found["map"][5][5] == "_" and not found["objects"]
    zombie = {"type": "zombie", "x": 4, "y": 5}
    player = after({"sleeping": True, "inventory": {"energy": 3}}, objects=[zombie])["players"][0]
    assert player["inventory"]["health"] == 2
    eaten = after({}, objects=[{"type": "plant", "x": 9, "y": 5, "health": 1}, {"type": "cow", "x": 10, "y": 5}])
    assert [thing["type"] for thing in eaten["objects"]] == ["cow"]


def test_skeletons_shoot_up_to_a_distance_of_5():
    """Over water, so that they cannot walk; an arrow flies towards the player, and the next one takes 4 steps."""
    for x, shoots in ((10, True), (12, False)):
        rows = ground(**{f"x{k}": "~" for k in range(6, x)}, x5="_")
        rows[4] = rows[6] = "." * 4 + "###" + "." * 9
        rows[5] = rows[5][:4] + "#" + rows[5][5:]
        skeleton = {"type": "skeleton", "x": 5, "y": 5}
        batch = opened(meadow(map=rows, players=[{"x": x, "y": 5}], objects=[skeleton]), spawn=(0, 0, 0))
        for _ in range(12):
            things = play(batch, "noop")["objects"]
            if len(things) > 1:
                break
        assert (len(things) == 2) == shoots and (things[0]["x"], things[0]["reload"]) == (5, 4 * shoots)
        assert not shoots or {name: things[1][name] for name in "xy"} | {"to": things[1]["facing"]} == dict(
            x=6, y=5, to=0
        )


def test_cows_appear_where_grass_is():
    """In the 10th step; of the chunks of 16 x 16 cells, three have at least 30 cells of grass and one has 16."""
    batch = opened(meadow(players=[{"x": 0, "y": 0}]), spawn=(1, 1, 1))
    for t in range(10):
        things = play(batch, "noop")["objects"]
        assert bool(things) == (t == 9)
    assert sorted((thing["type"], thing["x"] // 12, thing["y"] // 12) for thing in things) == [
        ("cow", 0, 0), ("cow", 0, 1), ("cow", 1, 0),
    ]  # fmt: skip
    assert batch.records["space"][0].tolist() == [[144, 0], [48, 0], [48, 0], [16, 0]]
    batch.records["players"]["inventory"][0, 0, ITEMS.index("stone")] = 1
    batch.records["players"]["inventory"][0, 0, ITEMS.index("wood_pickaxe")] = 1
    play(batch, "place_stone")
    assert batch.records["space"][0, 0].tolist() == [143, 0]
    play(batch, "do")
    assert batch.records["space"][0, 0].tolist() == [143, 1]


#: Cells of a new map of 16 x 16 cells, whose middle is (8, 8): x, y, the ground, what may stand there, its probability.
#: Cows from a distance above 3 on, zombies above 10, skeletons only in tunnels. (From the reference's `_set_object`.)
POPULATED = [
    (11, 8, terrain.GRASS, None, 0.0),
    (11, 9, terrain.GRASS, "cow", 0.015),
    (0, 2, terrain.SAND, None, 0.0),
    (0, 1, terrain.SAND, "zombie", 0.007),
    (8, 8, terrain.TUNNEL, "skeleton", 0.05),
    (0, 2, terrain.TUNNEL, "skeleton", 0.05),
]


@pytest.mark.parametrize("x, y, material, kind, chance", POPULATED)
def test_creatures_of_a_new_map(x, y, material, kind, chance):
    """Of many draws for one cell; the list of creatures ends at 16."""
    batch = opened(meadow(), creatures=False)
    s, expected = batch.record(), 10 if chance else 4
    draws = round(expected / (chance or 0.015))
    with np.errstate(over="ignore"):
        s.level.count = 0
        for _ in range(draws):
            populate(s, x, y, np.int64(material))
        assert abs(s.level.count - draws * chance) < min(4 * np.sqrt(expected), expected)
        for o in s.level.objects[: s.level.count]:
            assert (NAMES[o.kind], o.x, o.y, o.timer) == (kind, x, y, 0)
            assert o.health == {"cow": 3, "zombie": 5, "skeleton": 3}[kind]
        s.level.count = 16
        for _ in range(draws):
            populate(s, x, y, np.int64(material))
        assert s.level.count == 16


def test_cows_wander_on_land():
    """In half of the steps, by one cell in any direction, unless water, a tree or another thing is there."""
    rows = ["~" * 16] * 16
    rows[4], rows[5], rows[6] = "~~~~._~~~~~~~~~~", "~~~.:.T~~~~~~~~~", "~~~~~.~~~~~~~~~~"
    land = {(4, 4), (5, 4), (3, 5), (4, 5), (5, 5), (5, 6)}
    cow = {"type": "cow", "x": 4, "y": 5}
    batch = opened(meadow(map=rows, players=[{"x": 3, "y": 5}], objects=[cow]), spawn=(0, 0, 0), despawn=(0, 0, 0))
    place, visited, moved, tried = (4, 5), Counter(), 0, 0
    for _ in range(100):
        (now,) = play(batch, "noop")["objects"]
        x, y = now["x"], now["y"]
        open_cells = {(place[0] + dx, place[1] + dy) for dx, dy in FACINGS} & land - {(3, 5)}
        moved += (x, y) != place
        tried += len(open_cells) / 8
        assert (x, y) == place or (x, y) in open_cells
        assert np.argwhere(batch.observations["objects"][0, 0] == KINDS["cow"]).tolist() == [[3 + y - 5, 4 + x - 3]]
        place = x, y
        visited[place] += 1
    assert set(visited) == land - {(3, 5)} and abs(moved - tried) < 4 * np.sqrt(tried)


def test_zombies_walk_to_a_player_and_hit_it():
    """From six cells away; it takes five steps at least, and each hit takes 2 health, 6 steps after the last one."""
    zombie = {"type": "zombie", "x": 11, "y": 5}
    batch = opened(meadow(players=[{"x": 5, "y": 5}], objects=[zombie]), spawn=(0, 0, 0), despawn=(0, 0, 0), length=99)
    hits, distances = [], []
    for t in range(1, 60):
        now = play(batch, "noop")
        (thing,) = now["objects"]
        distances.append(abs(thing["x"] - 5) + abs(thing["y"] - 5))
        if batch.rewards[0, 0] < 0:
            hits.append(t)
            assert distances[-1] == 1 and thing["cooldown"] == 5
            assert batch.rewards[0, 0] == pytest.approx(-0.2)
        if len(hits) == 3:
            break
    assert len(hits) == 3 and hits[0] >= 5 and min(np.diff(hits)) >= 6 and min(distances) == 1


def test_new_players_stand_in_the_middle():
    batch = opened(meadow(), players=8, creatures=False)
    places = [(player["x"], player["y"]) for player in batch.world.symbols(batch.record())["players"]]
    assert places[0] == (8, 8) and len(set(places)) == 8 and {at for place in places for at in place} == {7, 8, 9}


# Several players, and limits.


def test_players_block_each_other_and_share_nothing():
    players = [{"x": 5, "y": 5, "inventory": {"wood": 3}}, {"x": 6, "y": 5}]
    batch = begun(meadow(players=players), players=2, creatures=False)
    after = play(batch, ("move_right", "noop"), ("do", "move_left"))["players"]
    assert [(p["x"], p["y"], p["facing"]) for p in after] == [(5, 5, 0), (6, 5, 2)]
    assert after[1]["inventory"]["health"] == 9  # no blow reaches a player
    after = play(batch, ("noop", "move_down"), ("place_table", "noop"))
    assert after["map"][5] == "......t........."
    assert [p["achievements"]["place_table"] for p in after["players"]] == [1, 0]
    assert batch.observations[0, 1]["objects"][2, 3] == 11 + 0  # player_0, facing east, to the north-west


def test_order_of_moves_is_random():
    players = [{"x": 4, "y": 5, "facing": 0}, {"x": 6, "y": 5}]
    batch = kit.started(Crafter(size=16, players=2, creatures=False), 400, level=meadow(players=players))
    batch.step([ACTIONS.index("move_right"), ACTIONS.index("move_left")])
    x = batch.records["players"]["x"]
    won = (x[:, 0] == 5).sum()
    assert ((x[:, 0] == 5) != (x[:, 1] == 5)).all()
    assert abs(won - 200) < 4 * 10  # binomial, standard deviation 10


def test_creatures_follow_the_nearest_living_player():
    """A zombie hurts the player beside it. When that player has died and left the map, it follows the other."""
    players = [{"x": 5, "y": 5, "inventory": {"health": 2}}, {"x": 10, "y": 5}]
    zombie = {"type": "zombie", "x": 4, "y": 5}
    batch = begun(meadow(players=players, objects=[zombie]), players=2, spawn=[0, 0, 0], despawn=[0, 0, 0])
    symbols = play(batch, ("noop", "noop"))
    assert symbols["players"][0]["inventory"]["health"] == 0 and symbols["objects"][0]["cooldown"] == 5
    assert batch.terminations[0].tolist() == [True, False] and batch.rewards[0].tolist() == [-0.2, 0.0]
    assert batch.masks[0].any(axis=1).tolist() == [False, True]
    assert batch.records["things"][0, 5 + 4, 5 + 4] == 0
    for _ in range(20):  # it is not dead yet
        symbols = play(batch, ("noop", "noop"))
    assert symbols["players"][1]["inventory"]["health"] < 9


def test_eight_players_start_on_grass():
    """They start in the nine cells in the middle, which are grass on every map."""
    players = as_views(np.zeros(8, Crafter(players=8).record["players"].base))
    for a in range(8):
        new_player(players[a], a, 64)
    places = {(p.x, p.y) for p in players}
    assert len(places) == 8 and (players[0].x, players[0].y) == (32, 32)
    maps = started(2048).records["level"]["map"]
    assert all((maps[:, y, x] == MATERIALS.index("grass")).all() for x, y in places)


def test_no_object_is_added_to_a_full_list():
    plants = [{"type": "plant", "x": x, "y": 0} for x in range(16)]
    players = [{"inventory": {"sapling": 1}}, {}]
    batch = begun(meadow(objects=plants, players=players), players=2, creatures=False)
    after = play(batch, ("place_plant", "noop"))
    assert after["players"][0]["inventory"]["sapling"] == 1 and len(after["objects"]) == 16
    batch = begun(meadow(objects=plants[1:], players=players), players=2, creatures=False)
    after = play(batch, ("place_plant", "noop"))
    assert after["players"][0]["inventory"]["sapling"] == 0 and len(after["objects"]) == 16


def test_creatures_and_night_can_be_left_out():
    batch = started(64, creatures=False, night=False)
    assert not batch.records["count"].any()
    for _ in range(200):
        batch.step(where=~batch.finished)
    assert not batch.records["count"].any() and (batch.observations["daylight"] == 1).all()


# Text and pictures.


def test_text_and_pictures():
    level = meadow(
        24,
        clock=230,
        players=[{"x": 8, "y": 8, "facing": 0, "inventory": {"wood": 2}}],
        objects=[{"type": "zombie", "x": 9, "y": 8}, {"type": "plant", "x": 6, "y": 8, "grown": 400}],
    )
    batch = begun(level)
    s, world = batch.record(), batch.world
    text = world.text(s, 0)
    for part in (
        "In front of you: zombie.",
        "zombie 1 east",
        "ripe plant 2 west",
        "wood 2",
        "It is night.",
        "health 9",
    ):
        assert part in text
    for agent in (None, 0):
        scene = world.scene(s, agent)
        assert 50 < len(scene.shapes) < 1000
    seen = batch.observations[0, 0]
    assert seen["objects"][3, 5] == KINDS["zombie"] and seen["objects"][3, 2] == 5 and seen["objects"][3, 4] == 10
    assert len(world.scene(s).shapes) > len(world.scene(s, 0).shapes)


@pytest.mark.parametrize("ripening", [0, 4])
def test_ripening_is_a_parameter(ripening):
    """A plant is ripe in the step after `ripening` steps."""
    batch = begun(meadow(), creatures=False, night=False, sapling=1.0, ripening=ripening)
    play(batch, "do", "place_plant")
    steps = 0
    while not (batch.observations["objects"] == RIPE).any():
        assert (batch.observations["objects"] == PLANT).sum() == 1
        play(batch, "noop")
        steps += 1
    assert steps == ripening + 1
