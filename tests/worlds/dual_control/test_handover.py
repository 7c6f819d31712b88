"""Handover: in lock step with its rules written once more over names; tasks, plans, baselines, exact chances."""

import copy
import itertools
import json
import math

import kit
import numpy as np
import pytest
from scipy import sparse

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.chance import Explorer
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.record import as_views
from envsuite.dual_control.handover import Handover
from envsuite.dual_control.handover.levels import BOTH, linear_extensions
from envsuite.generators import describe, generate, generate_many, mutate
from envsuite.registry import build
from envsuite.render.page import heard
from envsuite.talk.table import Talk

ID = "envsuite/Handover-v0"
STEPS = {"north": (-1, 0), "south": (1, 0), "east": (0, 1), "west": (0, -1)}
OPERATIONS = ("turn", "press", "pull", "fit")
SPEECH = [*(f"name: {name}" for name in OPERATIONS), "confirm", "ask", "done", "not understood", "point: store"]

#: A hall whose store is the guide's, with parts of the worker, of the guide, and of both.
HALL = {
    "kind": "repair",
    "map": [
        "####1####",
        "#.......#",
        "#...W...2",
        "#.3.....#",
        "#.......S",
        "#..#.G..#",
        "4.......#",
        "#.......#",
        "##5###6##",
    ],
    "touch": ["worker", "guide", "both", "worker", "guide", "worker"],
    "store": "guide",
    "plan": [
        {"part": 2, "operation": "turn", "needs": None},
        {"part": 1, "operation": "fit", "needs": 2},
        {"part": 3, "operation": "press", "needs": 1},
    ],
}


def play(name, num, seed=0, level=None, **params):
    """Whether the machine was repaired (num,), and after how many steps; one policy in all seats."""
    world = build(ID, params)
    batch = kit.started(world, num, seed=seed, level=level)
    kit.finish(batch, name, seed=seed)
    return batch.records["repaired"] == batch.records["goal"], batch.records["t"].copy()


# The rules in plain Python, over levels as plain data and the names of actions.


class Hall:
    """One game, moved by names of actions."""

    def __init__(self, level, agents=("guide", "worker"), max_steps=200, max_errors=3, penalty=0.1, progress=False):
        rows = level["map"]
        self.agents, self.max_steps, self.max_errors = agents, max_steps, max_errors
        self.penalty, self.progress = penalty, progress
        self.place = {letter: (y, x) for y, row in enumerate(rows) for x, letter in enumerate(row)}
        self.floor = {(y, x) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter in ".GW"}
        self.at = {name: self.place[name[0].upper()] for name in agents}
        self.held = dict.fromkeys(agents, False)
        self.plan = {repair["part"]: (repair["operation"], repair["needs"]) for repair in level["plan"]}
        self.rights = {str(k + 1): who for k, who in enumerate(level["touch"])} | {"S": level["store"]}
        self.repaired, self.errors, self.t, self.over = set(), 0, 0, False
        self.word = dict.fromkeys(agents)
        self.pointed, self.named = dict.fromkeys(agents), dict.fromkeys(agents)

    def may(self, agent, letter):
        return len(self.agents) == 1 or self.rights[letter] in (agent, "both")

    def beside(self, agent):
        """The letter of what is beside an agent, or None."""
        y, x = self.at[agent]
        found = [
            c for c in "S12345678" if c in self.place and abs(self.place[c][0] - y) + abs(self.place[c][1] - x) == 1
        ]
        assert len(found) <= 1
        return found[0] if found else None

    def other(self, agent):
        return next((name for name in self.agents if name != agent), None)

    def legal(self, agent):
        names = ["noop", *STEPS]
        thing, other = self.beside(agent), self.other(agent)
        if thing == "S" and self.may(agent, "S") and not self.held[agent]:
            names.append("take")
        if thing not in (None, "S") and self.may(agent, thing) and int(thing) not in self.repaired:
            names += OPERATIONS if self.held[agent] else OPERATIONS[:3]
        if other:
            (y, x), (j, i) = self.at[agent], self.at[other]
            if self.held[agent] and not self.held[other] and abs(y - j) + abs(x - i) == 1:
                names.append("give")
            names += [word for word in SPEECH if word != "point: store" or "S" in self.place]
            names += [f"point: part {k}" for k in self.rights if k != "S"]
        return set(names)

    def step(self, actions):
        """The reward of everybody."""
        self.t += 1
        before, wrong = set(self.repaired), 0
        for agent, name in actions.items():
            self.word[agent] = name if ":" in name or name in SPEECH else None
            if name.startswith("point"):
                self.pointed[agent], self.named[agent] = name.split()[-1], None
            if name.startswith("name"):
                self.named[agent] = name.split()[-1]
            if name in OPERATIONS:
                part = int(self.beside(agent))
                operation, needs = self.plan.get(part, (None, None))
                if operation == name and (needs is None or needs in before):
                    self.repaired.add(part)
                    self.held[agent] = self.held[agent] and name != "fit"
                else:
                    wrong += 1
        for agent, name in actions.items():
            if name == "give":
                self.held[agent], self.held[self.other(agent)] = False, True
        for agent, name in actions.items():
            if name == "take":
                self.held[agent] = True
            if name in STEPS:
                there = (self.at[agent][0] + STEPS[name][0], self.at[agent][1] + STEPS[name][1])
                if there in self.floor and there not in self.at.values():
                    self.at[agent] = there
        self.errors += wrong
        solved = self.repaired == set(self.plan)
        self.over = solved or self.errors >= self.max_errors or self.t >= self.max_steps
        paid = len(self.repaired - before) / len(self.plan) if self.progress else float(solved)
        return paid - self.penalty * wrong

    def observation(self, agent, knows):
        """What an agent sees, as lists."""
        other, parts = self.other(agent), [k for k in self.rights if k != "S"]
        bits = {agent: 1, other: 2, "both": 3, None: 0}

        def rights(letter):
            return bits[self.rights[letter]] if other else int(self.rights[letter] is not None)

        def body(who):
            return [*self.at[who], int(self.held[who])] if who else [0, 0, 0]

        def talk(who):
            if not who:
                return [0, 0, 0]
            words = [*SPEECH, *(f"point: part {k}" for k in parts)]
            pointed, named = self.pointed[who], self.named[who]
            return [
                words.index(self.word[who]) + 1 if self.word[who] else 0,
                0 if pointed is None else 1 if pointed == "store" else 1 + int(pointed),
                OPERATIONS.index(named) + 1 if named else 0,
            ]

        plan = [self.plan.get(int(k), (None, None)) if knows else (None, None) for k in parts]
        return {
            "bodies": [body(agent), body(other)],
            "rights": [rights("S"), *map(rights, parts)],
            "repaired": [int(int(k) in self.repaired) if self.may(agent, k) else 2 for k in parts],
            "talk": [talk(agent), talk(other)],
            "counters": [self.max_steps - self.t, min(self.errors, self.max_errors)],
            "plan": [[OPERATIONS.index(o) + 1 if o else 0, needs or 0] for o, needs in plan],
        }


@pytest.mark.mostly_slow
@pytest.mark.parametrize("mode", ["dual", "solo", "oracle_plan"])
def test_lock_step_with_the_rules(mode):
    """A pair that often acts at random instead; everything that is seen and legal after every step."""
    num, progress, rng = 12, mode == "solo", np.random.default_rng(3)
    world = build(ID, dict(mode=mode, max_steps=120, max_errors=4, reward="progress" if progress else "success"))
    batch = kit.started(world, num)
    names = world.agents
    levels = [world.get_level(s) for s in as_views(batch.records)]
    games = [Hall(level, names, max_steps=120, max_errors=4, progress=progress) for level in levels]
    policy = make_policy("cooperative", world)
    policy.reset(0, num)
    repairs = handed = 0
    for _ in range(120):
        batch.actions[:] = policy.act_batch(batch.observations, batch.masks, range(len(names)))
        for i, game in enumerate(games):
            for a, name in enumerate(names):
                legal = {world.action_names[a][k] for k in np.flatnonzero(batch.masks[i, a])}
                if game.over:
                    assert not legal
                    continue
                assert legal == game.legal(name)
                seen = batch.observations[i, a]
                assert seen["map"].tolist() == [
                    [".#S12345678".index("." if letter in "GW" else letter) for letter in row]
                    for row in levels[i]["map"]
                ]
                for part, value in game.observation(name, name == "guide" or mode == "oracle_plan").items():
                    assert seen[part].tolist() == value, part
                if rng.random() < 0.2:
                    batch.actions[i, a] = rng.choice(np.flatnonzero(batch.masks[i, a]))
        before = [game.over for game in games]
        actions = batch.actions.copy()
        batch.step(where=~np.array(before))
        for i, game in enumerate(games):
            if not before[i]:
                done = len(game.repaired)
                named = {name: world.action_names[a][actions[i, a]] for a, name in enumerate(names)}
                handed += "give" in named.values()
                assert batch.rewards[i] == pytest.approx(game.step(named))
                repairs += len(game.repaired) - done
                assert bool(batch.over()[i]) == game.over
                assert batch.terminations[i].all() == (
                    game.over and (game.errors >= 4 or game.repaired == set(game.plan))
                )
    assert repairs > 2 * num and (handed > 3 or mode == "solo")


# Tasks.


def graph(rows, without=()):
    """The floor of a map as a sparse graph over all cells, and which cells are floor."""
    floor = np.array([[letter in ".GW" for letter in row] for row in rows])
    for cell in without:
        floor[cell] = False
    number = np.arange(floor.size).reshape(floor.shape)
    across, down = floor[:, :-1] & floor[:, 1:], floor[:-1] & floor[1:]
    tails = np.concatenate([number[:, :-1][across], number[:-1][down]])
    heads = np.concatenate([number[:, 1:][across], number[1:][down]])
    return sparse.coo_matrix((np.ones(len(tails)), (tails, heads)), (floor.size,) * 2).tocsr(), floor


@pytest.mark.parametrize("params", [{}, dict(size=6, parts=8, length=6, pillars=9)])
def test_tasks_are_sound(params):
    """No cell cuts the floor, none is beside two parts, both are needed, and a spare must change hands."""
    for level in generate_many("repair", 40, seed=1, **params):
        rows, size = level["map"], len(level["map"])
        _, floor = graph(rows)
        for cell in [(), *np.argwhere(floor)]:
            ways, left = graph(rows, [tuple(cell)] if len(cell) else ())
            _, labels = sparse.csgraph.connected_components(ways, directed=False)
            assert len(set(labels[left.ravel()])) == 1
        objects = [(y, x) for y in range(size) for x in range(size) if rows[y][x] in "S12345678"]
        assert len(objects) == len(level["touch"]) + 1
        for y, x in np.argwhere(floor):
            assert sum(abs(y - j) + abs(x - i) == 1 for j, i in objects) <= 1
        plan, touch = level["plan"], level["touch"]
        assert len(plan) == params.get("length", 4)
        assert {"guide", "worker"} <= {touch[repair["part"] - 1] for repair in plan}
        apart = {"guide": "worker", "worker": "guide"}[level["store"]]
        assert any(repair["operation"] == "fit" and touch[repair["part"] - 1] == apart for repair in plan)


def test_tasks_are_solved_by_their_plan_and_by_nothing_less():
    """As tau2-bench demands of its tasks: in its order a plan is never wrong, and nothing less is enough."""
    world = Handover("solo")
    batch = kit.started(world, 200)
    for i, s in enumerate(as_views(batch.records)):
        level = world.get_level(s)
        game = Hall(level, ("guide",))
        for repair in level["plan"]:
            assert game.repaired != set(game.plan)
            y, x = game.place[str(repair["part"])]
            game.at["guide"] = next((y + j, x + i) for j, i in STEPS.values() if (y + j, x + i) in game.floor)
            game.held["guide"] = True
            game.step({"guide": repair["operation"]})
        assert game.repaired == set(game.plan) and game.errors == 0, i


def test_orders_of_a_plan():
    """The hook length formula for forests against the count of all permutations."""
    found = set()
    for level in generate_many("repair", 60, length=5, ordered=0.7):
        plan = level["plan"]
        place = {repair["part"]: k for k, repair in enumerate(plan)}
        count = sum(
            all(r["needs"] is None or order[place[r["part"]]] > order[place[r["needs"]]] for r in plan)
            for order in itertools.permutations(range(5))
        )
        assert linear_extensions(plan) == count
        found.add(count)
    assert len(found) > 5
    assert linear_extensions([{"part": k, "needs": k - 1 or None} for k in range(1, 7)]) == 1
    assert linear_extensions([{"part": k, "needs": None} for k in range(1, 7)]) == math.factorial(6)


def test_same_task_in_all_modes():
    levels = []
    for mode in ("dual", "solo", "oracle_plan"):
        world = Handover(mode)
        batch = kit.started(world, 4)
        levels.append([world.get_level(s) for s in as_views(batch.records)])
    assert levels[0] == levels[1] == levels[2]


def test_mutated_tasks_are_sound():
    level = generate("repair", seed=4)
    seen = set()
    for seed in range(40):
        level = mutate(level, seed)
        world, batch = Handover(), None
        batch = kit.started(world, level=level)
        assert world.get_level(as_views(batch.records)[0]) == level
        seen.add(json.dumps(level))
    assert len(seen) > 25


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(map=HALL["map"][:-1]), "9 texts of 9"),
        (dict(map=[row.replace("3", "x") for row in HALL["map"]]), "letter 'x'"),
        (dict(map=[row.replace("3", ".") for row in HALL["map"]]), "part '3' once, not 0"),
        (dict(map=[row.replace("G", ".") for row in HALL["map"]]), "the guide's start 'G' once"),
        (dict(map=["####.####", "#...1...#", *HALL["map"][2:]]), "closed around"),
        (
            dict(map=["####1#3##", *HALL["map"][1:3], "####.####", *HALL["map"][4:]]),
            "falls apart when somebody stands in column 4",
        ),
        (dict(map=["#########", "#.1.....#", *HALL["map"][2:]]), "beside both"),
        (dict(map=["1########", *HALL["map"][1:]]), "'1' where no floor is beside it"),
        (dict(touch=["worker"] * 5), "for each of the 6 parts"),
        (dict(touch=["worker"] * 5 + ["nobody"]), "for each of the 6 parts"),
        (dict(store=None), "who may take spares"),
        (dict(store="both", map=[row.replace("S", "#") for row in HALL["map"]]), "must be None"),
        (dict(store=None, map=[row.replace("S", "#") for row in HALL["map"]]), "fit of part 1, but there is no store"),
        (dict(plan=[]), "1 to 6 repairs"),
        (dict(plan=[dict(part=7, operation="turn")]), "part 7; parts are 1 to 6"),
        (dict(plan=[dict(part=1, operation="kick")]), "operation 'kick'"),
        (dict(plan=[dict(part=1, operation="turn")] * 2), "part 1 twice"),
        (dict(plan=[dict(part=1, operation="turn", needs=2)]), "part 1 needs 2"),
        (dict(plan=[dict(part=1, operation="turn", needs=2), dict(part=2, operation="turn", needs=1)]), "in a circle"),
        (dict(plan=[dict(part=1, operation="turn", when=1)]), "must have 'part', 'operation' and 'needs'"),
        (dict(color="red"), "unknown part 'color'"),
    ],
)
def test_bad_levels(change, message):
    batch = Batch(Handover(), 1)
    batch.set_level(0, HALL)
    with pytest.raises(LevelError, match=message):
        batch.set_level(0, {**HALL, **change})


def test_bad_parameters():
    with pytest.raises(ParameterError, match="as many parts"):
        Handover(parts=3, length=4)
    with pytest.raises(ParameterError, match="room for 4 parts"):
        Handover(size=5)


# Baselines.


def fewest(level):
    """Steps that one who may touch everything needs: all orders of repairs and fetches, over scipy's shortest paths."""
    rows = level["map"]
    size = len(rows)
    ways, floor = graph(rows)
    apart = sparse.csgraph.shortest_path(ways, directed=False, unweighted=True)
    place = {letter: (y, x) for y, row in enumerate(rows) for x, letter in enumerate(row)}
    sides = {}
    for letter in "S12345678":
        if letter in place:
            y, x = place[letter]
            near = [(y + j, x + i) for j, i in STEPS.values() if 0 <= y + j < size and 0 <= x + i < size]
            sides[letter] = [j * size + i for j, i in near if floor[j, i]]
    plan = {str(r["part"]): (r["operation"] == "fit", r["needs"] and str(r["needs"])) for r in level["plan"]}
    start = place["G"][0] * size + place["G"][1]
    best = math.inf

    def extend(reached, done, held):
        """`reached`: the fewest steps by which one can have acted at each of some cells."""
        nonlocal best
        if min(reached.values()) + len(plan) - len(done) >= best:
            return
        if len(done) == len(plan):
            best = min(reached.values())
            return
        choices = [
            p for p, (fit, needs) in plan.items() if p not in done and (held or not fit) and needs in (None, *done)
        ]
        for letter in choices + ["S"] * (not held and any(plan[p][0] for p in plan if p not in done)):
            after = {c: 1 + min(steps + apart[b, c] for b, steps in reached.items()) for c in sides[letter]}
            if letter == "S":
                extend(after, done, True)
            else:
                extend(after, (*done, letter), held and not plan[letter][0])

    extend({start: 0}, (), False)
    return int(best)


@pytest.mark.slow
def test_planner_takes_the_fewest_steps():
    num = 150
    solved, steps = play("planner", num, mode="solo")
    assert solved.all()
    world = Handover("solo")
    batch = kit.started(world, num)
    levels = [world.get_level(s) for s in as_views(batch.records)]
    assert steps.tolist() == [fewest(level) for level in levels]
    assert [describe(level)["steps"] for level in levels[:30]] == steps[:30].tolist()


@pytest.mark.slow
def test_cooperative_pair_solves_all_tasks():
    """With talk, thousands of tasks; alone, all of them too, sooner; two who both know the plan are in between."""
    num = 3000
    solved, dual = play("cooperative", num)
    assert solved.all() and dual.max() < 150
    solved, peers = play("peers", num, mode="oracle_plan")
    assert solved.all()
    solved, alone = play("planner", 500, mode="solo")
    assert solved.all()
    solved, careless = play("cooperative", 500, mode="solo")
    assert solved.all() and (careless >= alone).all()
    assert careless.mean() < peers.mean() < dual.mean()  # talk costs, and so does doing without the plan


@pytest.mark.slow
def test_ablations():
    """What talk is for: nobody speaks, the worker mishears, with and without reading back, the guide must be asked."""
    num = 1000
    solved = {name: play(name, num)[0].mean() for name in ("silent", "random")}
    assert solved["random"] < 0.01 and solved["silent"] < 0.12
    noisy, _ = play("cooperative:error=0.2", num)
    careful, longer = play("cooperative:error=0.2,readback=1", num)
    plain, steps = play("cooperative", num)
    lazy, asked = play("cooperative:lazy=1", num)
    assert solved["silent"] < noisy.mean() < 0.95 and careful.mean() > 0.995 and plain.all() and lazy.mean() > 0.995
    assert steps.mean() < asked.mean() < longer.mean()


@pytest.mark.slow
def test_smallest_hall():
    """Where two are always in one another's way."""
    solved, _ = play("cooperative", 300, size=5, parts=4, length=4)
    assert solved.all()


@pytest.mark.slow
@pytest.mark.parametrize("plan", [[(1, None)], [(1, None), (4, None)], [(1, None), (4, 1)]])
def test_chance_to_guess(plan):
    """A worker who guesses blindly, and may not err: e (P - L)! / (P! 3^L) with e orders of L of P parts."""
    repairs = [{"part": p, "operation": "turn", "needs": needs} for p, needs in plan]
    level = {**HALL, "touch": ["worker"] * 6, "plan": repairs}
    num, length = 6000, len(plan)
    chance = linear_extensions(repairs) / (math.perm(6, length) * 3**length)
    solved, _ = play("silent", num, level=level, max_errors=1)
    assert abs(solved.mean() - chance) < 4 * math.sqrt(chance / num)


def test_random_play_exactly():
    """The chance that random play repairs a small machine alone: over the world's records, and by the rules."""
    level = {
        **HALL,
        "map": ["#162#####", "#G..#####", "S...5####", "#..W#####", "#3#4#####", *["#########"] * 4],
        "plan": [{"part": 2, "operation": "turn", "needs": None}, {"part": 1, "operation": "fit", "needs": 2}],
    }
    limits = dict(max_steps=12, max_errors=2)
    explorer = Explorer(Handover("solo", **limits))
    explorer.batch.set_level(0, level)
    explorer.batch.start()
    known = {}

    def of_record(record):
        key = record.tobytes()
        if key not in known:
            view = explorer.look(record)
            if view.over:
                known[key] = float(record["repaired"] == record["goal"])
            else:
                legal = np.flatnonzero(view.masks[0])
                outcomes = [explorer.successors(record, [action]) for action in legal]
                assert all(len(found) == 1 for found in outcomes)  # nothing is left to chance
                known[key] = float(np.mean([of_record(found[0].record) for found in outcomes]))
        return known[key]

    first = np.frombuffer(explorer.batch.records.tobytes(), explorer.batch.records.dtype)[0]
    states = {}

    def of_game(game):
        key = (game.at["guide"], game.held["guide"], frozenset(game.repaired), game.errors, game.t)
        if key not in states:
            if game.over:
                states[key] = float(game.repaired == {1, 2})
            else:
                values = []
                for name in sorted(game.legal("guide")):
                    after = copy.deepcopy(game)
                    after.step({"guide": name})
                    values.append(of_game(after))
                states[key] = float(np.mean(values))
        return states[key]

    chance = of_record(first)
    print("CHANCE", chance)
    assert chance == pytest.approx(6.571377650832263e-06, rel=1e-9)  # as the page says
    assert chance == pytest.approx(of_game(Hall(level, ("guide",), **limits)), rel=1e-12)
    assert fewest(level) == 9 and len(states) > 500


# What is said, and the mouse.


def test_messages_and_clicks():
    world = build(ID)
    batch = kit.started(world, level=HALL)
    told, before, names = [], [], world.action_names[0]
    script = [("ask", "noop"), ("north", "north"), ("point: part 2", "confirm"), ("name: turn", "done")]
    script += [("point: store", "not understood"), ("noop", "ask"), ("point: part 1", "ask"), ("name: fit", "confirm")]
    script += 2 * [("east", "noop")]
    for t, words in enumerate(script):
        batch.step([names.index(word) for word in words])
        now = world.messages(batch.record())
        told += [(t, *message) for message in heard(before, now)]
        before = now
    moves = ("noop", "north", "east")
    spoken = [(t, a, word) for t, words in enumerate(script) for a, word in enumerate(words) if word not in moves]
    assert told == spoken and len(spoken) > 8 == len(before)  # of all that was said, the last eight are still heard
    # The guide is beside the store now, in row 4 and column 7.
    clicked = [world.click(batch.record(), 0, 0.9 + x, 0.9 + y) for x, y in ((7, 3), (6, 4), (8, 4), (8, 2), (7, 4))]
    named = [None if action is None else names[action] for action in clicked]
    assert named == ["north", "west", "point: store", "point: part 2", None]
    assert world.click(batch.record(), 0, 0.9 + 3, 0.9 + 5) is None  # a wall


@pytest.mark.parametrize("common", [0.0, 0.5, 1.0])
def test_common_is_the_share_of_parts_for_both(common):
    """Apart from two parts of the plan: one is the worker's and one the guide's, so that both are needed."""
    rights = kit.started(ID, 400, common=common).records["level"]["rights"][:, 1:]
    shared, free = (rights == BOTH).mean(), (rights.shape[1] - 2) / rights.shape[1]
    assert shared == pytest.approx(common * free, abs=0.0 if common in (0, 1) else 5 * (0.25 / rights.size) ** 0.5)


# Free talk.


def test_the_other_hears_all_words_and_nothing_else():
    world = build(ID, {"say": True})
    s = kit.started(world, level=HALL).record()
    heard_by = {name: world.speech(s, 0, action) for action, name in enumerate(world.action_names[0])}
    assert {name for name, to in heard_by.items() if to == (1,)} == {
        *SPEECH,
        *(f"point: part {k}" for k in range(1, 7)),
        "say",
    }
    assert all(to in ((1,), None) for to in heard_by.values()) and world.speech(s, 1, 15) == (0,)
    assert build(ID, {"mode": "solo"}).speech(s, 0, 10) is None


def test_say_takes_a_step_and_says_nothing():
    batch = kit.started(ID, level=HALL, say=True)
    names = batch.world.action_names[1]
    assert names == (*build(ID).action_names[1], "say") and "say" in kit.legal(batch)
    batch.step([names.index("noop"), names.index("ask")])
    batch.step([names.index("say"), names.index("say")])
    assert batch.record().talk.tolist() == [[0, 0, 0], [0, 0, 0]] and batch.record().t == 2
    assert batch.world.messages(batch.record()) == [(1, "ask")]
    assert "say" not in build(ID, {"mode": "solo", "say": True}).action_names[0]


def test_free_talk_hides_all_words():
    texts = []
    for words in (("point: part 2", "ask"), ("name: fit", "done"), ("say", "say")):
        batch = kit.started(ID, level=HALL, say=True)
        batch.step([batch.world.action_names[a].index(word) for a, word in enumerate(words)])
        quiet = batch.world.unspoken(batch.record())
        texts.append((batch.world.text(quiet, 0), batch.world.text(quiet, 1)))
        assert not quiet.log.any() and batch.world.messages(batch.record()) == [
            (a, word) for a, word in enumerate(words) if word != "say"
        ]
    assert len(set(texts)) == 1


def test_free_talk_needs_say():
    Talk("beside").demand(build(ID))
    Talk("free").demand(build(ID, {"say": True}))
    with pytest.raises(ParameterError, match="say=True"):
        Talk("free").demand(build(ID))
