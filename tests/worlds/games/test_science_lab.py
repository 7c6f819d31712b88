"""ScienceLab: a second implementation in lock-step, closed forms, networkx, exhaustive search, levels, words."""

import json

import kit
import networkx as nx
import numpy as np
import pytest
from kit import act, legal
from science_reference import COLORS, CONTACTS, DEVICES, LIDS, PAINTS, POINTS, VESSELS, WIRES, House

from envsuite.agents import make_policy
from envsuite.core.errors import ActionError, ParameterError
from envsuite.core.record import as_views
from envsuite.evaluation.matches import play
from envsuite.games import science_lab as world_file
from envsuite.games.science_lab import rules
from envsuite.games.science_lab.terms import FIRST_MELTABLE, FIRST_WIRE, NAMES, ROOMS, TASKS
from envsuite.generators import describe, generate_many, split_of
from envsuite.kit.things import GONE, HELD, ON, OPEN, ROOM
from envsuite.registry import build

ID = "envsuite/ScienceLab-v0"


def world(*tasks, **params):
    return build(ID, dict(tasks=tasks or TASKS, **params))


# The second implementation.


def place_name(place):
    return {HELD: "agent", GONE: None}.get(place) if place in (HELD, GONE) else [*NAMES, *ROOMS][
        place if place < HELD else place - ROOM + len(NAMES)]  # fmt: skip


def check_equal(s, house):
    """Everything that both know."""
    assert ROOMS[s.room] == house.room and int(rules.score(s)) == house.score
    for k, name in enumerate(NAMES):
        assert place_name(int(s.places[k])) == house.place.get(name), name
        if name in LIDS:
            assert bool(s.states[k] & OPEN) == (name in house.open)
        if name in DEVICES:
            assert bool(s.states[k] & ON) == (name in house.on)
    for k, (name, heat) in enumerate((name, house.heat[name]) for name in NAMES if name in POINTS):
        assert s.heat[k] == pytest.approx(heat, abs=1e-9)
        states = int(s.states[FIRST_MELTABLE + k])
        assert {0: "solid", 256: "liquid", 512: "gas"}[states] == house.phase(name)
    for k in range(4):
        assert sorted(NAMES[end] for end in s.ends[k] if end >= 0) == sorted(house.ends[NAMES[FIRST_WIRE + k]])
    assert {name for name in ("bulb", "motor", "buzzer") if s.states[NAMES.index(name)] & ON} == house.running()
    assert s.wet == house.wet and bool(s.states[NAMES.index("flower pot")] & 1024) == (house.wet > 0)
    for k, seed in enumerate(("bean", "pea")):
        age = min(house.age[seed], 16)
        assert s.age[k] == age
        assert int(s.states[NAMES.index(seed)]) == 2048 * (age >= 4) + 4096 * (age >= 12) + 8192 * (age >= 16)
    assert (NAMES[s.focus] if s.focus >= 0 else None) == house.focus
    assert (NAMES[s.reading[0]] if s.reading[0] >= 0 else None) == (house.reading or [None])[0]


def lock_step(own, levels, seed, steps, policy="tinkerer"):
    """Play these levels in both, a third of the commands at random (few of them a focus); the verbs that were used."""
    rng, used, scores = np.random.default_rng(seed), set(), []
    for number, level in enumerate(levels):
        batch, house = kit.started(own, level=level), House(level)
        player, s = make_policy(policy, own), batch.record()
        player.reset(seed + number, 1)
        check_equal(s, house)
        for _ in range(steps):
            assert legal(batch) == house.commands()
            action = int(player.act_batch(batch.observations, batch.masks, [0])[0, 0])
            if rng.random() < 0.3:
                names = [name for name in sorted(legal(batch)) if not name.startswith("focus") or rng.random() < 0.02]
                action = own.action_names[0].index(names[rng.integers(len(names))])
            name = own.action_names[0][action]
            before = house.score
            house.do(name)
            act(batch, action)
            used.add(name.split()[0])
            check_equal(s, house)
            assert batch.rewards[0, 0] == pytest.approx((house.score - before) / 100)
            assert bool(batch.terminations[0, 0]) == house.over
            if house.over:
                break
        scores.append(house.score)
    return used, scores


@pytest.mark.parametrize("task", TASKS)
def test_in_lock_step(task):
    levels = generate_many("experiments", 1, seed=40, tasks=(task,), difficulty=3)
    lock_step(world(horizon=10_000), levels, 1, 25)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_long_lock_step(task):
    """Episodes of all difficulties, some of them at random; many verbs are used, and the scores vary."""
    levels = [
        level for d in (1, 2, 3) for level in generate_many("experiments", 3, seed=7 * d, tasks=(task,), difficulty=d)
    ]
    used, scores = lock_step(world(horizon=10_000), levels, 5, 160)
    _, others = lock_step(world(horizon=10_000), levels, 6, 80, "random")
    assert len(used) >= 10 and max(scores) == 100 and len({*scores, *others}) >= 2


BENCH = {
    "task": "boil", "target": "alcohol", "start": "kitchen", "melts": 100, "conducts": ["gray rod"],
    "rooms": [["kitchen", "garden"], ["kitchen", "laboratory"], ["kitchen", "greenhouse"], ["kitchen", "workshop"]],
    "things": {"pan": "counter", "alcohol": "pan", "jar": "counter", "orange juice": "jar", "cup": "counter",
               "flower pot": "garden table", "bean": "flower pot", "soil": "flower pot", "battery": "counter",
               "switch": "counter", "bulb": "counter", "red wire": "counter", "blue wire": "counter",
               "green wire": "counter", "black wire": "counter", "gray rod": "agent", "thermometer": "agent"},
}  # fmt: skip
WATERED = ("turn on sink", "pour water into cup", "take cup", "go to garden", "pour water into flower pot")


@pytest.mark.parametrize(
    "moves",
    [
        ("take pan", "put pan on stove", "turn on stove", "wait", "pour alcohol into cup", "pour alcohol into pan",
         *["wait"] * 3, "take pan", *["wait"] * 4, "measure alcohol", "pour alcohol into cup"),
        ("take jar", "open freezer", "put jar in freezer", "wait", "wait", "close freezer", *["wait"] * 6,
         "open freezer", "measure orange juice", "pour orange juice into cup", *["wait"] * 3),
        (*WATERED, *["wait"] * 3, "take bean", "wait", "take flower pot", "plant bean in flower pot", "wait",
         "go to kitchen", *["wait"] * 4, "go to garden", *["wait"] * 3),
        (*WATERED, *["wait"] * 5, "take flower pot", "pour soil into cup", "go to kitchen"),
        ("connect red wire to battery", "connect red wire to switch", "connect blue wire to switch",
         "connect blue wire to bulb", "connect green wire to bulb", "connect green wire to battery", "turn on switch",
         "wait", "turn off switch", "turn on switch", "disconnect blue wire", "put gray rod on counter",
         "connect blue wire to gray rod", "connect black wire to gray rod", "connect blue wire to switch",
         "connect black wire to bulb", "disconnect red wire", "take switch"),
        ("connect red wire to battery", "connect blue wire to battery", "connect red wire to bulb",
         "connect blue wire to bulb", "take black wire", "disconnect blue wire", "take blue wire"),
    ],
)  # fmt: skip
def test_experiments_in_lock_step(moves):
    """Episodes made for rules that random ones seldom meet; a command that neither allows is left out in both."""
    batch, house = kit.started(ID, level=BENCH), House(BENCH)
    played = 0
    for move in moves:
        assert legal(batch) == house.commands()
        if move in house.commands():
            played += 1
            house.do(move)
            act(batch, move)
            check_equal(batch.record(), house)
    assert legal(batch) == house.commands() and played >= len(moves) - 4


# Closed forms.


HEATED = {
    "task": "melt", "target": "wax", "start": "kitchen", "rooms": [["kitchen", "hall"], ["hall", "workshop"]],
    "things": {"pan": "agent", "jar": "agent", "tin": "pan", "wax": "jar", "thermometer": "agent"},
}  # fmt: skip


@pytest.mark.parametrize(
    "substance, device, heat, start, until, count",
    [("wax", "stove", 300, 20, 62, 2), ("tin", "stove", 300, 20, 232, 11), ("lead", "furnace", 700, 20, 327, 5),
     ("water", "stove", 300, 15, 100, 3), ("orange juice", "freezer", -20, 20, -2, 6)],
)  # fmt: skip
def test_times_of_heating(substance, device, heat, start, until, count):
    """A substance reaches a temperature after ln(difference after / before) / ln(7/8) steps."""
    assert count == int(np.ceil(np.log((heat - until) / (heat - start)) / np.log(7 / 8)))
    level = {**HEATED, "target": "tin", "things": {"pan": device, substance: "pan", "tin": "pan"}}
    batch = kit.started(ID, level=level, horizon=1000)
    s, k = batch.record(), NAMES.index(substance) - FIRST_MELTABLE
    s.heat[k] = start
    if device != "freezer":
        s.states[NAMES.index(device)] |= ON
    for n in range(1, count + 1):
        assert not (s.heat[k] - until) * (heat - until) > 0
        act(batch, "wait")
        assert s.heat[k] == pytest.approx(heat + (start - heat) * (7 / 8) ** n)
    assert (s.heat[k] - until) * (heat - until) >= 0


def test_growth_in_steps():
    """Age is the number of steps in which the pot was wet, with soil, seed and daylight."""
    things = {"flower pot": "potting table", "bean": "flower pot", "soil": "flower pot", "jar": "potting table"}
    level = {"task": "grow", "target": "bean", "start": "greenhouse", "things": things,
             "rooms": [["greenhouse", "kitchen"], ["greenhouse", "hall"]]}  # fmt: skip
    batch = kit.started(ID, level=level, horizon=1000)
    s, bean = batch.record(), NAMES.index("bean")
    for time in range(1, 45):
        if time in (3, 25):
            s.places[NAMES.index("water")] = NAMES.index("jar")
            world_file.see(s)
            batch.observe()
            act(batch, "pour water into flower pot")
        else:
            act(batch, "wait")
        wet = max(min(time, 12) - 2, 0) + max(min(time, 34) - 24, 0)
        assert s.age[0] == min(wet, 16)
        assert int(s.states[bean]) == 2048 * (wet >= 4) + 4096 * (wet >= 12) + 8192 * (wet >= 16)
    assert not batch.terminations.any()  # without the focus


# Circuits, against networkx.


@pytest.mark.parametrize("seed", range(2))
def test_circuits(seed):
    """Random wirings: what runs is on a simple cycle with the battery from which all that insulates was taken out."""
    rng, contacts = np.random.default_rng(seed), sorted(CONTACTS, key=NAMES.index)
    batch, ran = kit.started(ID, level=HEATED), 0
    s = batch.record()
    for _ in range(40):
        few = ["battery", *rng.choice(contacts, 3, replace=False)]
        free = dict.fromkeys(few, 2)
        house = House({**HEATED, "conducts": [], "melts": 100})
        for name in WIRES:
            count = rng.choice([0, 1, 2, 2, 2, 2])
            left = [thing for thing in free if free[thing]]
            house.ends[name] = list(rng.choice(left, min(count, len(left)), replace=False))
            for thing in house.ends[name]:
                free[thing] -= 1
        house.on = {"switch"} if rng.random() < 0.5 else set()
        s.states[NAMES.index("switch")] = ON * len(house.on)
        s.level.conducts[0] = s.level.conducts[1] = rng.integers(2)
        house.level["conducts"] = ["gray rod", "black stone"] if s.level.conducts[0] else []
        for k in range(4):
            ends = house.ends[NAMES[FIRST_WIRE + k]]
            s.ends[k] = [*(NAMES.index(end) for end in ends), -1, -1][:2]
        rules.flow(s)
        running = {name for name in ("bulb", "motor", "buzzer") if s.states[NAMES.index(name)] & ON}
        assert running == house.running()
        ran += bool(running)
        for name in contacts:
            thing, graph = NAMES.index(name), house.graph()
            assert name == "battery" or rules.at_battery(s, thing) == nx.has_path(graph, "battery", name)
            assert bool(rules.ring(s) >> thing & 1) == (name in house.ring(graph))
    assert ran > 1


# Paints.


def test_all_mixtures():
    """All sets of two or three paints in a vessel, stirred until nothing changes."""
    level = {"task": "mix", "target": "brown paint", "start": "hall", "rooms": [],
             "things": {"pan": "agent", **{f"{color} paint": "pan" for color in COLORS[:3]}}}  # fmt: skip
    pan, paints = NAMES.index("pan"), [NAMES.index(f"{color} paint") for color in COLORS]
    s = kit.started(ID, level=level).record()
    for bits in range(1 << len(COLORS)):
        for k, paint in enumerate(paints):
            s.places[paint] = pan if bits >> k & 1 else GONE
        inside = {color for k, color in enumerate(COLORS) if bits >> k & 1}
        for _ in range(3):
            rules.mix(s, pan)
            for pair, made in PAINTS.items():
                if pair <= inside and made not in inside:
                    inside = inside - pair | {made}
                    break
            assert {color for color, paint in zip(COLORS, paints) if s.places[paint] == pan} == inside


# Exact values of random play.

TINY = {"task": "find", "target": "animal", "start": "hall", "rooms": [], "box": "red box",
        "things": {"snail": "agent", "red box": "hall"}}  # fmt: skip


def chain_value(batch):
    """The expected return of random play in a small level, from the world's own states as linear equations."""
    names = ("places", "focus", "done")
    records = [batch.records.copy()]
    index = {tuple(records[0][name].tobytes() for name in names): 0}
    rows, gains = [], []
    while len(rows) < len(records):
        record = records[len(rows)]
        actions = batch.world.legal_actions(as_views(record)[0], 0)
        row, gain = {}, 0.0
        for action in actions:
            new, reward = record.copy(), np.zeros(1)
            new["t"] += 1
            world_file.step(as_views(new)[0], [action], reward)
            new["t"] = 0
            gain += reward[0] / len(actions)
            if not new["terminated"].any():
                key = tuple(new[name].tobytes() for name in names)
                if key not in index:
                    index[key] = len(records)
                    records.append(new)
                row[index[key]] = row.get(index[key], 0) + 1 / len(actions)
        rows.append(row)
        gains.append(gain)
    matrix = np.eye(len(rows))
    for k, row in enumerate(rows):
        for other, chance in row.items():
            matrix[k, other] -= chance
    return np.linalg.solve(matrix, gains)[0]


def test_random_play_exactly():
    """By hand. Carried, without focus: look, inventory, wait, put, focus on the snail or the box (7 with the box)."""
    # Held: 3 idle, put in box, focus snail (ends with box: wrong). In the box: 3 idle, take, focus snail, focus box.
    # f: value when the snail is in the focus and carried (20 and 30 reached): 3 idle, put (50, end), 2 focuses, where
    # the box is wrong and the snail changes nothing: f = (4 f + 0.5) / 6.
    f = 0.5 / 2
    # a: carried, no focus; b: in the box, no focus. Focus on the snail: from a 0.2 + 0.3 + f, from b 0.2 + 0.5 (end).
    matrix = np.array([[6 - 3, -1], [-1, 6 - 3]])
    a, _ = np.linalg.solve(matrix, [0.5 + f, 0.7])
    assert chain_value(kit.started(ID, level=TINY, horizon=10_000)) == pytest.approx(a, abs=1e-12)


# Exhaustive search.


def useful(level):
    """Words of the commands that could serve the task of a level, in which other commands need not be tried."""
    house, target = House(level), level["target"]
    task, vessel = level["task"], house.place.get(target)
    held = sorted(name for name in house.place if name in VESSELS)
    if target == "water":
        vessel = held[0]
    water = [f"take {vessel}", "turn on sink", f"pour water into {vessel}", "wait"]
    if task in ("boil", "melt", "freeze"):
        heat = [f"put {vessel} on stove", f"put {vessel} in furnace", "turn on stove", "turn on furnace"]
        cool = ["open", f"put {vessel} in freezer", "close freezer"]
        return ["go", f"focus on {target}", "open cupboard", *water, *(cool if task == "freeze" else heat)]
    if task == "measure":
        powder = [f"take {vessel}", f"put {vessel} on stove", "turn on stove", "take thermometer"]
        return ["go", "open cupboard", "measure", "wait", f"focus on {house.box()}", *powder]
    if task == "mix":
        paints = [f"{color} paint" for color in COLORS]
        vessels = sorted({house.place[paint] for paint in paints[:3] if target == "brown paint" or any(
            paint in (f"{color} paint" for color in pair) for pair, made in PAINTS.items() if target == f"{made} paint"
        )})  # fmt: skip
        pours = [f"pour {paint} into {vessel}" for paint in paints for vessel in vessels]
        stirs = [f"{verb} {vessel}" for verb in ("take", "mix") for vessel in vessels]
        return ["go", "open cupboard", *pours, *stirs, f"focus on {target}"]
    if task == "find":
        fits = [name for name in level["things"] if house.fits(name)]
        return ["go", "open", *(f"{word} {name}" for name in fits for word in ("focus on", "take", "put"))]
    if task == "grow":
        vessel = house.place["soil"]
        carried = [f"take {target}", "take flower pot", "put flower pot on potting table", f"plant {target}"]
        water = [f"take {vessel}", "turn on sink", f"pour water into {vessel}", "wait"]
        pours = ["pour soil into flower pot", "pour water into flower pot"]
        return ["go", "open cupboard", f"focus on {target}", *carried, *water, *pours]
    third = [name for name in level["things"] if name in ("bulb", "motor", "buzzer")][:1]
    things = ["battery", target, *third] if task == "conduct" else ["battery", target]
    wires = sorted(name for name in level["things"] if name in WIRES)[: len(things)]
    ring = [f"connect {wire} to {thing}" for k, wire in enumerate(wires) for thing in (things[k - 1], things[k])]
    carried = [f"{word}" for thing in things for word in (f"take {thing}", f"put {thing} on workbench")]
    found = ["go", "open cupboard", f"focus on {target}", *(f"take {wire}" for wire in wires), *ring, *carried]
    if task == "conduct":
        found.remove(f"focus on {target}")
        found += [f"put {target} in {house.box()}", *(f"disconnect {wire}" for wire in wires)]
    return found


CHUNK = 1024
FIELDS = ("room", "places", "states", "heat", "ends", "wet", "age", "focus", "done")


def after(batch, records, allowed):
    """All records that follow from these by an allowed command."""
    found = []
    for first in range(0, len(records), CHUNK):
        part = records[first : first + CHUNK]
        batch.records[: len(part)] = part
        batch.observe()
        origin, choice = np.nonzero(batch.masks[: len(part), 0] & allowed)
        for start in range(0, len(origin), CHUNK):
            rows = part[origin[start : start + CHUNK]]
            batch.records[: len(rows)] = rows
            batch.observe()
            batch.actions[: len(rows), 0] = choice[start : start + CHUNK]
            batch.step(where=np.arange(CHUNK) < len(rows))
            found.append(batch.records[: len(rows)].copy())
    return np.concatenate(found)


def shortest(batch, level, most=50):
    """The least number of useful commands to 100 points, by breadth-first search through the world itself."""
    words = useful(level)
    allowed = np.array(
        [any(f"{name} ".startswith(f"{word} ") for word in words) for name in batch.world.action_names[0]]
    )
    front, seen = kit.started(batch.world, level=level).records.copy(), set()
    for depth in range(1, most + 1):
        new = after(batch, front, allowed)
        if new["done"].all(1).any():
            return depth
        new = new[new["terminated"][:, 0] == 0]
        keys = np.concatenate([np.ascontiguousarray(new[f]).reshape(len(new), -1).view(np.uint8) for f in FIELDS], 1)
        fresh = [k for k, key in enumerate(keys) if not (key.tobytes() in seen or seen.add(key.tobytes()))]
        front = new[fresh]
    return None


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_every_level_can_be_solved(task):
    """Breadth-first search finds a way to 100 points, and `scientist`, who has to explore, needs no fewer commands."""
    own = world(task, horizon=10_000)
    batch, count = kit.started(own, CHUNK), 1 if task in ("grow", "mix") else 2
    for difficulty in (1, 2) if task in ("grow", "conduct") else (1, 2, 3):
        for level in generate_many("experiments", count, seed=3, tasks=(task,), difficulty=difficulty):
            least = shortest(batch, level)
            found = play(own, ["scientist"], 1, levels=[level])
            assert least is not None and found.returns[0, 0] == pytest.approx(1)
            assert least <= found.lengths[0]
            if difficulty == 1 and task in ("find", "power", "conduct"):
                assert least == {"find": 3, "power": 5, "conduct": 10}[task]


def test_shortest_in_one_room():
    """Where all is on one piece of furniture, `scientist` is as quick as breadth-first search; counted by hand too."""
    for task, count in (("find", 3), ("power", 5), ("conduct", 10)):
        result = play(world(task, difficulty=1), ["scientist"], 8, seed=1)
        # focus, take, put; focus and 4 ends of wires; 6 ends, 2 wires off, take, put
        assert (result.lengths == count).all() and np.allclose(result.returns, 1)


# Subgoals and answers.


LAB = {
    "task": "measure", "target": "gray powder", "start": "kitchen", "limit": 100, "melts": 200,
    "rooms": [["kitchen", "laboratory"]],
    "things": {"pan": "counter", "gray powder": "pan", "thermometer": "counter", "red box": "kitchen",
               "blue box": "laboratory", "iron nail": "counter", "gray rod": "agent", "battery": "counter",
               "bulb": "counter", "red wire": "counter", "blue wire": "counter", "green wire": "agent",
               "beaker": "counter", "wax": "beaker", "snail": "counter"},
}  # fmt: skip
TEST = ("put gray rod on counter", "connect red wire to battery", "connect red wire to gray rod",
        "connect blue wire to gray rod", "connect blue wire to bulb", "connect green wire to bulb",
        "connect green wire to battery", "disconnect red wire", "disconnect blue wire", "take gray rod")  # fmt: skip


@pytest.mark.parametrize(
    "change, moves, rewards",
    [
        ({}, ["take thermometer", "measure gray powder", "focus on red box"], [0, 20, 50]),
        ({}, ["go to laboratory", "focus on blue box"], [0, 0]),
        ({"melts": 60}, ["focus on red box"], [0]),
        ({"melts": 60}, ["take pan", "put pan on stove", "turn on stove", "focus on red box"], [0, 0, 0, 0]),
        ({}, ["focus on gray powder"], [0]),
        (dict(task="conduct", target="gray rod", conducts=["gray rod"]), [*TEST, "put gray rod in red box"],
         [0, 0, 20, 0, 0, 0, 30, 0, 0, 0, 50]),
        (dict(task="conduct", target="gray rod"), [*TEST, "put gray rod in red box"],
         [0, 0, 20, 0, 0, 0, 30, 0, 0, 0, 0]),
        (dict(task="conduct", target="iron nail"), ["take iron nail", "put iron nail in red box"], [0, 50]),
        (dict(task="melt", target="wax"), ["take beaker", "put beaker on stove", "turn on stove", "wait",
                                           "focus on wax"], [0, 0, 30, 0, 70]),
        (dict(task="melt", target="wax"), ["focus on wax", "focus on snail"], [20, 0]),
        (dict(task="find", target="animal", box="red box"), ["focus on snail", "focus on wax"], [20, 0]),
        (dict(task="find", target="non-living thing", box="red box"),
         ["focus on wax", "take iron nail", "focus on iron nail", "put iron nail in red box"], [20, 0, 30, 50]),
        (dict(task="find", target="living thing", box="red box"), ["take snail", "put snail in red box",
                                                                   "focus on snail"], [0, 0, 70]),
    ],
)  # fmt: skip
def test_points(change, moves, rewards):
    """The points of each command; the last one ends the episode."""
    batch = kit.started(ID, level={**LAB, **change})
    for move, points in zip(moves, rewards):
        assert not batch.terminations.any()
        act(batch, move)
        assert batch.rewards[0, 0] == pytest.approx(points / 100)
    assert batch.terminations.all()


def test_the_end_of_time():
    batch = kit.started(ID, level=LAB, horizon=2)
    act(batch, "look", "wait")
    assert batch.truncations.all() and not batch.terminations.any()


def test_hidden_answers_are_not_observed():
    """Levels that differ in what is to be found out look the same."""
    for change in (dict(melts=60), dict(conducts=["gray rod"])):
        one, other = (kit.started(ID, level=level) for level in (LAB, {**LAB, **change}))
        assert one.observations.tobytes() == other.observations.tobytes()
        assert one.world.text(one.record(), 0) == other.world.text(other.record(), 0)


# Baselines.


@pytest.mark.slow
def test_baselines():
    """`scientist` solves what is drawn; difficulty makes it slower, and random play worse."""
    lengths, random = [], []
    for difficulty in (1, 2, 3):
        own = world(difficulty=difficulty)
        result = play(own, ["scientist"], 300, seed=2)
        assert result.returns.mean() > 0.99
        lengths.append(result.lengths.mean())
        random.append(play(own, ["random"], 1000, seed=2).returns.mean())
        tinkerer = play(own, ["tinkerer"], 200, seed=2)
        assert 0.8 < tinkerer.returns.mean() < 1 and tinkerer.lengths.mean() > 1.5 * lengths[-1]
    assert lengths == sorted(lengths) and random == sorted(random, reverse=True) and random[0] < 0.1


# Levels.


@pytest.mark.parametrize("difficulty", (1, 2, 3))
def test_levels(difficulty):
    levels = generate_many("experiments", 30, seed=3, difficulty=difficulty)
    batch = kit.started(world(difficulty=difficulty), 30, level=levels)  # refuses what cannot be done
    own = batch.world
    assert [{"kind": "experiments", **own.get_level(batch.record(k))} for k in range(30)] == levels
    assert {level["task"] for level in levels} >= set(TASKS) - {"melt", "mix"}
    least, most = {1: (3, 9), 2: (5, 20), 3: (10, 32)}[difficulty]
    assert all(least <= describe(level)["difficulty"] <= most for level in levels)
    for level in levels:
        assert (len(level["rooms"]), level["task"] == "measure") == (5, "limit" in level)
        assert level["task"] != "measure" or abs(level["melts"] - level["limit"]) >= 40
        assert (House(level).near["hall"] == {*House(level).near} - {"hall"}) is False


def test_answers_are_drawn():
    """The gray powder melts above and below the limit, and the strange things conduct or do not."""
    levels = generate_many("experiments", 16, seed=1, tasks=("measure",))
    assert {level["melts"] > level["limit"] for level in levels} == {True, False}
    assert {len(level["conducts"]) for level in levels} == {0, 1, 2}


def test_splits_and_pictures():
    for split in ("train", "test"):
        levels = generate_many("experiments", 6, split=split)
        assert {split_of(level) for level in levels} == {split} and json.loads(json.dumps(levels)) == levels
    assert "snail" in levels[0]._repr_svg_() or "hall" in levels[0]._repr_svg_()


def test_broken_levels():
    things = LAB["things"]

    def without(*names, **more):
        return {**LAB, **more, "things": {k: v for k, v in things.items() if k not in names}}

    kit.refuses(
        world(),
        ({"task": "boil"}, "a level has 'task', 'target'"),
        ({**LAB, "task": "burn"}, "the task='burn' is unknown; known: boil"),
        ({**LAB, "target": "wax"}, "the target='wax' is unknown; known: gray powder"),
        ({**LAB, "task": "find"}, "the target='gray powder' is unknown; known: living thing"),
        ({**LAB, "limit": 500}, "limit=500 must be an integer from 100 to 200"),
        ({**LAB, "melts": 10.5}, "melts=10.5 must be an integer from 60 to 250"),
        ({**LAB, "conducts": ["iron nail"]}, "the thing that conducts='iron nail' is unknown"),
        ({**LAB, "rooms": [["kitchen", "attic"]]}, "the room='attic' is unknown"),
        ({**LAB, "rooms": [["kitchen", "kitchen"]]}, "kitchen and kitchen cannot be joined"),
        ({**LAB, "rooms": [["kitchen"]]}, "a list of pairs of rooms"),
        ({**LAB, "rooms": [["kitchen", other] for other in ROOMS if other != "kitchen"]}, "more than four"),
        ({**LAB, "things": []}, "'things' must be a mapping"),
        ({**LAB, "things": {**things, "lamp": "counter"}}, "the thing='lamp' is unknown"),
        ({**LAB, "things": {**things, "wax": "counter"}}, "the wax cannot be there"),
        ({**LAB, "things": {**things, "snail": "pan"}}, "the snail cannot be there"),
        ({**LAB, "things": {**things, "jar": "workbench"}}, "the jar cannot be there"),
        ({**LAB, "things": {**things, "red box": "counter"}}, "the room of the red box='counter' is unknown"),
        (without("thermometer"), "the thermometer cannot be reached"),
        (without("gray powder"), "the gray powder cannot be reached"),
        (without("blue box"), "the blue box cannot be reached"),
        (without("bulb", task="conduct", target="gray rod"), "no bulb, motor or buzzer can be reached"),
        (without("red wire", task="conduct", target="gray rod"), "and 3 wires cannot all be reached"),
        (without(task="melt", target="lead"), "the lead cannot be reached"),
        (without(task="mix", target="brown paint"), "the red paint cannot be reached"),
        (without(task="grow", target="pea"), "the flower pot, soil, a vessel"),
        (without(task="find", target="plant"), "no plant can be reached"),
        (without(task="power", target="motor"), "the motor, the battery and 2 wires"),
    )
    with pytest.raises(ParameterError, match="at least one of boil"):
        world_file.ScienceLab(tasks=())


def test_contradictions():
    for field, value, problem in (
        ("ends", NAMES.index("snail"), "no free contact"), ("ends", NAMES.index("bulb"), "no free contact"),
        ("focus", 0, "the focus is on furniture"),
    ):  # fmt: skip
        batch = kit.started(world(), level=LAB)
        batch.records[field][...] = value
        assert problem in batch.world.contradiction(batch.record())
    batch = kit.started(world(), level=LAB)
    assert batch.world.contradiction(batch.record()) is None
    batch.records["level"]["target"] = 3
    assert "has no target 3" in batch.world.contradiction(batch.record())


# Words.


def test_words():
    batch = kit.started(ID, level={**LAB, "task": "melt", "target": "wax"})
    own, s = batch.world, batch.record()
    assert own.reply(s, 0) == (
        "You are in the kitchen. There are a stove, a closed freezer, a sink, a counter and a red box here. On the "
        "counter are a pan, a beaker, a thermometer, a red wire, a blue wire, a battery, a bulb, an iron nail and a "
        "snail. In the pan is some gray powder. In the beaker is some wax. You can go to the laboratory. You carry a "
        "green wire and a gray rod. Your task: Focus on the wax, and melt it."
    )
    prompt = own.prompt(s, 0)
    assert "Your task: Focus on the wax, and melt it. Doing it is worth 50 points. Two steps toward it" in prompt
    for move, told in (
        ("go to laboratory", "You go to the laboratory. There are a closed cupboard, a lab bench and a blue box here. "
         "You can go to the kitchen."),
        ("open cupboard", "You open the cupboard. The cupboard is empty."),
        ("go to kitchen", None),
        ("connect red wire to battery", "You connect the red wire to the battery."),
        ("connect red wire to bulb", "You connect the red wire to the bulb."),
        ("connect blue wire to bulb", "You connect the blue wire to the bulb."),
        ("connect blue wire to battery", "You connect the blue wire to the battery. The bulb is glowing now."),
        ("disconnect blue wire", "You take both ends of the blue wire off. The bulb stops."),
        ("turn on sink", "You turn on the sink. Water runs into the sink."),
        ("pour water into pan", "You pour the water into the pan."),
        ("take thermometer", "You take the thermometer."),
        ("measure water", "The thermometer in the water shows 17 degrees."),
        ("take beaker", "You take the beaker."),
        ("put beaker on stove", "You put the beaker on the stove."),
        ("turn on stove", "You turn on the stove. You get 30 points."),
        ("wait", "You wait. The wax is liquid now."),
        ("inventory", "You carry a thermometer, a green wire and a gray rod."),
        ("focus on wax", "You focus on the melted wax. You get 70 points. The task is done."),
    ):  # fmt: skip
        act(batch, move)
        assert told is None or own.reply(s, 0) == told
    assert "The red wire is connected to the battery and the bulb." in own.text(s, 0)


def test_words_of_plants_and_paints():
    level = {"task": "grow", "target": "bean", "start": "greenhouse", "rooms": [["greenhouse", "kitchen"]],
             "things": {"flower pot": "potting table", "bean": "agent", "soil": "jar", "jar": "agent", "pan": "agent",
                        "paint chart": "agent"}}  # fmt: skip
    batch = kit.started(ID, level=level)
    own, s = batch.world, batch.record()
    for move, told in (
        ("read paint chart", "The paint chart says: red and yellow make orange; yellow and blue make green;"),
        ("pour soil into flower pot", "You pour the soil into the flower pot."),
        ("plant bean in flower pot", "You plant the bean seed in the flower pot. You get 20 points."),
        ("go to kitchen", "You go to the kitchen."), ("turn on sink", "You turn on the sink. Water runs"),
        ("pour water into jar", "You pour the water into the jar."), ("wait", "You wait."),
        ("pour water into pan", None), ("go to greenhouse", None),
        ("pour water into flower pot", "You water the flower pot."), ("wait", "You wait."), ("wait", "You wait."),
        ("wait", "You wait. The bean has grown: it is a bean sprout now. You get 30 points."),
    ):  # fmt: skip
        if move in own.legal_actions(s, 0) or move in legal(batch):
            act(batch, move)
            assert told is None or own.reply(s, 0).startswith(told)
    assert "a wet flower pot. In the flower pot are a bean sprout and some soil." in own.text(s, 0)


@pytest.mark.parametrize(
    "answer, action",
    [
        ("I will pick up the thermometer.", "take thermometer"),
        ("> tip the wax into the pan", "pour wax into pan"),
        ("Action: switch on the stove", "turn on stove"),
        ("walk to the laboratory", "go to laboratory"),
        ("put the gray rod into the red box", "put gray rod in red box"),
        ("attach the green wire to the battery", "connect green wire to battery"),
    ],
)
def test_free_wording(answer, action):
    batch = kit.started(ID, level=LAB)
    assert batch.world.action_names[0][kit.read_answer(batch.world, 0, batch.masks[0, 0], answer)] == action


def test_wrong_wording_is_refused():
    batch = kit.started(ID, level=LAB)
    for answer in ("measure wax", "go to garden", "put gray rod in blue box", "focus on lead"):
        with pytest.raises(ActionError):
            kit.read_answer(batch.world, 0, batch.masks[0, 0], answer)


def test_pictures_show_what_is_seen():
    """Levels that differ in what is in another room look the same to the agent, and not to spectators."""
    other = {**LAB, "things": {**LAB["things"], "frog": "lab bench"}}
    scenes = [[b.world.scene(b.record(), agent).svg() for agent in (0, None)] for b in
              (kit.started(ID, level=level) for level in (LAB, other))]  # fmt: skip
    assert scenes[0][0] == scenes[1][0] and scenes[0][1] != scenes[1][1]
    batch = kit.started(ID, level=LAB)
    assert kit.clicks(batch, 0, 3.0, 0.4) >= {None, *batch.world.legal_actions(batch.record(), 0)}
