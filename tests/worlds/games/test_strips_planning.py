"""Planning against pyperplan, pddlgym and Fast Downward (see the recorder), and against closed forms."""

import gzip
import json
from collections import Counter
from functools import cache
from itertools import permutations

import kit
import numpy as np
import pytest
from scipy.stats import chisquare

from envsuite.agents import make_policy
from envsuite.core.errors import LevelError, ParameterError, SnapshotError
from envsuite.games.strips_planning import view
from envsuite.games.strips_planning.domains import DOMAINS, SIZES, domain_of, instances_of, task_of
from envsuite.generators import describe, generate, generate_many, picture, split_of
from envsuite.interfaces.vector import Vector
from envsuite.kit import facts, strips
from envsuite.registry import build
from envsuite.render.scene import Label

ID = "envsuite/Planning-v0"


@cache
def recorded():
    return json.loads(gzip.decompress((kit.DATA / "Planning" / "strips_planning.json.gz").read_bytes()))


def of_size(domain, size):
    """The recorded levels of a domain and a size with the lengths of their shortest plans."""
    return [pair for pair in recorded()["lengths"] if (pair[0]["domain"], pair[0]["size"]) == (domain, size)]


def started(domain="blocksworld", size=1, num=1, level=None, seed=0, **params):
    return kit.started(ID, num, seed, level, domain=domain, size=size, **params)


def as_bits(task, texts):
    """The set of these facts as a number."""
    return strips.bits(task.number[strips.read_atom(text, "fact")] for text in texts)


def ends(level):
    """The task of a level, its start and its goal."""
    task = task_of(level["domain"], level["size"])
    return task, as_bits(task, level["init"]), as_bits(task, level["goal"])


def grounded(domain, objects, fixed, *init):
    """A task of any objects, and its start."""
    atoms = [tuple(text.split()) for text in init]
    task = strips.ground(domain_of(domain), objects, (tuple(text.split()) for text in fixed), atoms)
    return task, strips.bits(task.number[atom] for atom in atoms)


# Against other planners.


def replay(walk):
    """Play a recorded walk: actions that are legal, facts that hold, and the goal must be those of pyperplan."""
    level, names, known = walk["level"], walk["names"], walk["facts"]
    batch = started(level["domain"], level["size"], level=level)
    task, state = batch.world.task, set()
    fixed = {strips.written(atom) for atom in task.fixed}
    for action, new, gone, able, reached in walk["steps"]:
        if action >= 0:
            kit.act(batch, names[action])
        state = (state | {known[k] for k in new}) - {known[k] for k in gone}
        found = {strips.written(atom) for atom, one in zip(task.facts, batch.observations["facts"][0, 0]) if one}
        assert found == state - fixed
        assert batch.terminations[0, 0] == (reached or not able) and batch.rewards[0, 0] == reached
        if not batch.terminations[0, 0]:
            assert kit.legal(batch, 0) == {names[k] for k in able}


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_walk(domain):
    replay(next(walk for walk in recorded()["walks"] if walk["level"]["domain"] == domain))


@pytest.mark.slow
def test_all_walks():
    walks = recorded()["walks"]
    assert len(walks) == 64 and sum(walk["pddlgym"] for walk in walks) > 40
    assert sum(len(walk["steps"]) for walk in walks) > 1500
    for walk in walks:
        replay(walk)


def test_recorded_levels_are_the_generators():
    by = Counter((level["domain"], level["size"]) for level, _ in recorded()["lengths"])
    for (domain, size), count in list(by.items())[::5]:
        made = generate_many("problems", count, 200, domain=domain, size=size)
        assert made == [level for level, _ in of_size(domain, size)]


def test_shortest_plans():
    """Breadth-first search on the smallest problems agrees with Fast Downward."""
    checked = 0
    for level, length in recorded()["lengths"]:
        task, init, goal = ends(level)
        if level["size"] == 1 and len(task.operators) < 45:
            assert strips.distances(task, init, goal)[1] == length
            checked += 1
    assert checked > 80


def test_sizes_get_harder():
    """Mean lengths of shortest plans by Fast Downward grow with the size in every domain, where it found them."""
    for domain in DOMAINS:
        means = []
        for size in range(1, SIZES + 1):
            found = [length for _, length in of_size(domain, size)]
            if None not in found:
                means.append(np.mean(found))
        assert len(means) >= 3 and (np.diff(means) > 0).all(), (domain, means)


@pytest.mark.slow
@pytest.mark.parametrize(("domain", "size"), [("blocksworld", 3), ("gripper", 2)])
def test_optimal_plans_are_shortest(domain, size):
    levels, lengths = zip(*of_size(domain, size), strict=True)
    batch = started(domain, size, len(levels), list(levels))
    assert kit.finish(batch, "optimal").all() and batch.records["t"].tolist() == list(lengths)
    batch = started(domain, size, len(levels), list(levels))
    assert kit.finish(batch, "greedy").all() and (batch.records["t"] >= lengths).all()


# Closed forms.


@pytest.mark.parametrize(("blocks", "states"), [(1, 2), (2, 5), (3, 22), (4, 125), (5, 866), (6, 7057)])
def test_states_of_blocksworld(blocks, states):
    """With an empty hand there are 1, 3, 13, 73, ... (OEIS A000262); all are within 2 (n - 1) steps of no tower."""
    names = "abcdef"[:blocks]
    table = [f"on-table {a}" for a in names] + [f"clear {a}" for a in names]
    fixed = [f"different {a} {b}" for a in names for b in names if a != b]
    task, init = grounded("blocksworld", dict.fromkeys(names, "block"), fixed, "hand-empty", *table)
    found, _ = strips.distances(task, init)
    empty = strips.bits([task.number["hand-empty",]])
    assert len(found) == states and sum(state & empty > 0 for state in found) == (1, 3, 13, 73, 501, 4051)[blocks - 1]
    assert max(found.values()) == max(2 * (blocks - 1), 1)


@pytest.mark.parametrize(("balls", "states"), [(1, 8), (2, 28), (3, 88), (4, 256), (5, 704), (6, 1856)])
def test_gripper(balls, states):
    objects = {"east": "room", "west": "room", "left": "gripper", "right": "gripper"}
    names = [f"ball{k}" for k in range(balls)]
    objects |= dict.fromkeys(names, "ball")
    start = ["robot-in east", "free left", "free right", *(f"in {ball} east" for ball in names)]
    task, init = grounded("gripper", objects, ["different east west", "different west east"], *start)
    goal = strips.bits(task.number["in", ball, "west"] for ball in names)
    assert len(strips.distances(task, init)[0]) == states
    assert strips.distances(task, init, goal)[1] == (3 * balls - 1 if balls % 2 == 0 else 3 * balls)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_hanoi(size):
    level, discs = generate("problems", domain="hanoi", size=size), size + 1
    tower = [f"(on d{k} {f'd{k + 1}' if k < discs else 'left'})" for k in range(1, discs + 1)]
    task = task_of("hanoi", size)
    init = as_bits(task, [*tower, "(clear d1)", "(clear middle)", "(clear right)"])
    goal = as_bits(task, [text.replace("left", "right") for text in tower])
    assert len(strips.distances(task, ends(level)[1])[0]) == 3**discs
    assert strips.distances(task, init, goal)[1] == 2**discs - 1 == max(strips.distances(task, init)[0].values())


@pytest.mark.parametrize("discs", [2, 3, 4])
def test_mean_distance_of_hanoi(discs):
    """Between two random orders (Hinz, "The Tower of Hanoi", 1989; Chan, 1989): about 466 / 885 * 2^n."""
    task, init, _ = ends(generate("problems", domain="hanoi", size=discs - 1))
    states = strips.distances(task, init)[0]
    mean = np.mean([sum(strips.distances(task, state)[0].values()) / len(states) for state in states])
    root = 17**0.5
    wanted = 466 / 885 * 2**discs - 1 / 3 - 3 / 5 / 3**discs
    wanted += sum((12 / 59 + sign * 18 / 1003 * root) * ((5 + sign * root) / 18) ** discs for sign in (1, -1))
    assert mean == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(("cars", "states"), [(1, 12), (2, 45), (3, 162), (4, 567)])
def test_ferry(cars, states):
    ports = [f"port{k}" for k in range(3)]
    names = [f"car{k}" for k in range(cars)]
    fixed = [f"different {p} {q}" for p in ports for q in ports if p != q]
    start = ["ferry-at port0", "empty", *(f"at {car} port0" for car in names)]
    task, init = grounded("ferry", dict.fromkeys(ports, "port") | dict.fromkeys(names, "car"), fixed, *start)
    goal = strips.bits(task.number["at", car, "port1"] for car in names)
    assert len(strips.distances(task, init)[0]) == states and strips.distances(task, init, goal)[1] == 4 * cars - 1


@pytest.mark.parametrize(("size", "states", "longest"), [(1, 12, 6), (2, 360, 21)])
def test_tiles(size, states, longest):
    """Half of the orders can be reached, and the generator draws from these only; the longest plans are known."""
    task, _, goal = ends(generate("problems", domain="tiles", size=size))
    last = "empty", f"c{size}-1"
    found, _ = strips.distances(task, goal | strips.bits([task.number[last]]))
    assert len(found) == states and max(found.values()) == longest
    drawn = {ends(level)[1] for level in generate_many("problems", 150, domain="tiles", size=size)}
    assert drawn <= set(found) and (len(drawn) == 11 if size == 1 else len(drawn) > 100)


@pytest.mark.slow
def test_eight_puzzle():
    """9! / 2 states, 31 steps at most, 21.97 in the mean (Reinefeld, 1993)."""
    task, _, goal = ends(generate("problems", domain="tiles", size=3))
    found, _ = strips.distances(task, goal | strips.bits([task.number["empty", "c2-2"]]))
    assert len(found) == 181_440 and max(found.values()) == 31
    assert sum(found.values()) / len(found) == pytest.approx(21.97, abs=0.01)


def test_miconic():
    """Each passenger waits, rides or is served: F * 3^p states."""
    task, init, goal = ends(generate("problems", domain="miconic", size=1))
    assert len(strips.distances(task, init)[0]) == 4 * 3**2


# Rules.


def test_no_way_back():
    """A worker at the gate without a spanner can do nothing: the episode ends without a reward."""
    batch = started("spanner", 1)
    walk = ["shed", "p1", "p2", "p3", "gate"]
    for p, q in zip(walk, walk[1:]):
        assert not batch.over().any()
        kit.act(batch, f"(walk {p} {q})")
    assert batch.terminations.all() and not batch.rewards.any() and not batch.masks.any()
    assert "No action is possible" in batch.world.text(batch.record(), 0)
    batch.records["terminated"] = 0
    with pytest.raises(SnapshotError, match="no action is legal"):
        batch.world.admit(batch.records)


def test_horizon():
    level = {"init": ["(clear a)", "(clear b)", "(clear c)", "(hand-empty)"], "goal": ["(on a b)"]}
    level["init"] += [f"(on-table {a})" for a in "abc"]
    batch = started(level=level, horizon=2)
    kit.act(batch, "(pick-up a)", "(put-down a)")
    assert batch.truncations.all() and not batch.terminations.any()
    batch = started(level=level, horizon=2)
    kit.act(batch, "(pick-up a)", "(stack a b)")
    assert batch.terminations.all() and batch.rewards[0, 0] == 1 and not batch.truncations.any()
    assert "The goal is reached." in batch.world.text(batch.record(), 0)


def test_goals_need_all_their_facts():
    """A goal of three facts in two words of the bit set."""
    task = task_of("keys", 4)
    level = generate("problems", 5, domain="keys", size=4)
    numbers = [task.number[strips.read_atom(text, "goal")] for text in level["goal"]]
    assert len(task.facts) > 64
    words = np.zeros(2, np.uint64)
    goal = np.zeros(2, np.uint64)
    for number in (*numbers, 0, 63, len(task.facts) - 1):
        facts.put(goal, number)
        assert not facts.holds(words, goal)
        facts.put(words, number)
        assert facts.holds(words, goal) and facts.has(words, number)
    facts.drop(words, 63)
    assert not facts.holds(words, goal) and not facts.has(words, 63) and facts.has(words, 0)


# Levels.


@pytest.mark.parametrize("domain", DOMAINS)
def test_problems_have_solutions(domain):
    for level in generate_many("problems", 3, 7, domain=domain, size=1):
        task, init, goal = ends(level)
        assert init & goal != goal and strips.distances(task, init, goal, 50_000)[1] is not None
        assert level["domain"] == domain and level["size"] == 1


@pytest.mark.slow
def test_draws_of_hanoi_are_uniform():
    """Each of 9 orders of 2 discs is equally likely, as is each of the 8 others as goal."""
    levels = generate_many("problems", 3000, domain="hanoi", size=1)
    found = Counter((tuple(level["init"]), tuple(level["goal"])) for level in levels)
    assert len(found) == 72 and chisquare(list(found.values())).pvalue > 1e-4


@pytest.mark.slow
def test_draws_of_towers():
    """Blocks in random order, each on the table or on a top with equal chances; no start that is its goal."""
    chances = Counter()
    for first, second, third in permutations("abc"):
        for towers in [(second, first)], [(first,), (second,)]:
            for k in range(len(towers) + 1):
                stacked = [(third, *tower) if k == j else tower for j, tower in enumerate(towers)]
                stacked += [(third,)] if k == len(towers) else []
                chances[frozenset(stacked)] += 1 / 6 / 2 / (len(towers) + 1)
    assert len(chances) == 13 and sum(chances.values()) == pytest.approx(1)
    wanted = {start: chance * (1 - chance) for start, chance in chances.items()}
    found = Counter()
    for level in generate_many("problems", 3000, domain="blocksworld", size=1):
        below = {text[4]: text[6] for text in level["init"] if text.startswith("(on ")}
        tops = {text[7] for text in level["init"] if text.startswith("(clear")}
        found[frozenset(tuple(climb(top, below)) for top in tops)] += 1
    expected = np.array([wanted[start] for start in chances]) * 3000 / sum(wanted.values())
    assert set(found) == set(chances) and chisquare([found[start] for start in chances], expected).pvalue > 1e-4


def climb(block, below):
    """The blocks of a tower from its top."""
    return [block, *(climb(below[block], below) if block in below else [])]


def test_generator():
    level = generate("problems", 3, domain="ferry", size=2)
    assert level == generate("problems", 3, domain="ferry", size=2) != generate("problems", 4, domain="ferry", size=2)
    figures = describe(level)
    assert figures["solvable"] and figures["difficulty"] == figures["shortest"] > 5 and picture(level).shapes
    for split in ("train", "test"):
        levels = generate_many("problems", 5, split=split, domain="ferry", size=2)
        assert {split_of(one) for one in levels} == {split}
    batch = started("ferry", 2, seed=3)
    assert batch.world.get_level(batch.record()) == {name: level[name] for name in level if name != "kind"}
    unsolvable = {**generate("problems", domain="spanner", size=1), "init": ["(worker-at gate)", "(carries spanner1)",
                  "(usable spanner2)", "(at spanner2 p1)", "(loose nut1)"]}  # fmt: skip
    with pytest.raises(LevelError, match="no action is applicable"):
        describe(unsolvable)
    unsolvable["init"][0] = "(worker-at p2)"
    assert describe(unsolvable)["solvable"] is False and describe(unsolvable)["difficulty"] == -1


@pytest.mark.slow
def test_greedy_figures():
    """Where the search for a shortest plan gives up, a greedy plan is no shorter than Fast Downward's."""
    level, length = of_size("ferry", 4)[0]
    figures = describe(level)
    assert figures["shortest"] is None and figures["difficulty"] >= length


def test_levels():
    world = build(ID, dict(domain="blocksworld", size=1))
    good = {"init": ["(on-table a)", "(clear a)", "(hand-empty)", "(on-table b)", "(clear b)"], "goal": ["(on a b)"]}
    batch = started(level=good)
    assert batch.world.get_level(batch.record())["goal"] == ["(on a b)"]
    kit.refuses(
        world,
        ({**good, "size": 2}, "the level is for size 2, not 1"),
        ({**good, "domain": "ferry"}, "for domain 'ferry'"),
        ({**good, "start": []}, "unknown part 'start'"),
        ({"init": good["init"]}, "'goal' must be a list of facts"),
        ({**good, "goal": "(on a b)"}, "'goal' must be a list"),
        ({**good, "goal": []}, "the goal is empty"),
        ({**good, "goal": ["(on a)"]}, r"goal: \(on a\) is no fact of blocksworld"),
        ({**good, "goal": ["(on a h)"]}, "is no fact of blocksworld of this size"),
        ({**good, "goal": ["(not (on a b))"]}, "must be one fact"),
        ({**good, "goal": ["on a b"]}, "one expression in brackets"),
        ({**good, "goal": [7]}, "must be a text"),
        ({**good, "init": ["(on a b))"]}, "closes that was not opened"),
        ({**good, "goal": ["(clear a)"]}, "the start fulfils the goal"),
        ({**good, "init": ["(clear a)"]}, "no action is applicable"),
        ({**good, "pddl": "x"}, "not both"),
        ({"pddl": 7}, "'pddl' must be a text"),
        ({"pddl": "(define (problem x))"}, "one part :domain"),
        ({"pddl": "(" * 40}, "nested more than 20 deep"),
    )
    for kind, message in (
        (dict(domain="chess"), "'domain' must be one of"),
        (dict(size=9), "'size' must be an integer"),
    ):
        with pytest.raises(LevelError, match=message):
            describe({"kind": "problems", "domain": "ferry", "size": 1, "init": [], "goal": [], **kind})


# PDDL.


@pytest.mark.parametrize("domain", DOMAINS)
def test_pddl_there_and_back(domain):
    """What is written is read as the same, and a problem in PDDL is the same level."""
    world = build(ID, dict(domain=domain, size=2))
    assert strips.read_domain(world.pddl()) == domain_of(domain)
    level = generate("problems", 1, domain=domain, size=2)
    text = world.pddl({name: level[name] for name in level if name != "kind"})
    batch = started(domain, 2, level={"pddl": text})
    assert batch.world.get_level(batch.record()) == {name: level[name] for name in level if name != "kind"}
    wrong = (
        (text.replace(f"(:domain {world.task.domain.name})", "(:domain other)"), "is of domain other"),
        (text.replace("(:objects", "(:objects extra"), "must have the objects"),
        (text.replace("(:goal (and", "(:goal (or"), "is no atom|no fact"),
        (text.replace("(:init", "(:init (not (x))"), "name what is true"),
        (text.replace("(:goal", "(:metric x) (:goal"), "unknown part"),
    )
    kit.refuses(world, *(({"pddl": other}, message) for other, message in wrong))
    if world.task.fixed:
        first = strips.written(world.task.fixed[0])
        kit.refuses(world, ({"pddl": text.replace(f"    {first}\n", "", 1)}, "which always holds here"))


def test_domains_that_are_refused():
    text = strips.write_domain(domain_of("ferry"))
    for old, new, message in (
        ("(ferry-at ?p) (aboard ?c)", "(ferry-at ?p) (not (aboard ?c))", "negative preconditions"),
        ("(ferry-at ?p) (aboard ?c)", "(forall (?x) (aboard ?x))", "only conjunctions"),
        ("(ferry-at ?p) (aboard ?c)", "(aboard ?z)", "does not fit"),
        ("(ferry-at ?p) (aboard ?c)", "(aboard ?c ?p)", "does not fit"),
        (":precondition", ":condition", "must have :parameters"),
        ("(:types", "(:constants a) (:types", "unknown part"),
        ("(define (domain", "(define (problem", "must begin with"),
        ("- port)", "- )", "a type must be one word"),
    ):
        with pytest.raises(LevelError, match=message):
            strips.read_domain(text.replace(old, new, 1))
    with pytest.raises(LevelError, match="are the most"):
        names = [f"p{k}" for k in range(70)]
        grounded("ferry", dict.fromkeys(names, "port"), [f"different {p} {q}" for p, q in permutations(names, 2)],
                 "ferry-at p0")  # fmt: skip


# Sizes, baselines, views.


def test_domains_have_their_limits():
    for domain in DOMAINS:
        counts = [len(task_of(domain, size).operators) for size in range(1, SIZES + 1)]
        assert counts == sorted(counts) and counts[-1] < 1000
        assert all(len(task_of(domain, size).facts) <= 256 for size in range(1, SIZES + 1))
        objects = [set(instances_of(domain, size).objects) for size in (1, SIZES)]
        assert len(objects[0]) < len(objects[1])
    for params, message in ((dict(size=6), "size=6"), (dict(domain="x"), "domain"), (dict(horizon=0), "horizon=0")):
        with pytest.raises(ParameterError, match=message):
            build(ID, params)


@pytest.mark.slow
def test_baselines():
    scores = {
        policy: Vector(build(ID, {}), 64).rollout(policy, steps=101, seed=0).returns.mean()
        for policy in ("random", "greedy", "optimal")
    }
    assert scores["random"] < 0.3 and scores["greedy"] == scores["optimal"] == 1


def test_a_plan_that_does_not_fit_is_made_again():
    """After moves by somebody else the policy plans from the state that it sees; without a way it plays at random."""
    batch = started("gripper", 1, seed=1)
    player = make_policy("greedy", batch.world)
    player.reset(0, 1)
    for step in range(40):
        action = player.act_batch(batch.observations, batch.masks, [0])
        batch.step(action if step != 2 else np.flatnonzero(batch.masks[0, 0])[-1])
        if batch.over().all():
            break
    assert batch.rewards[0, 0] == 1
    hopeless = {"init": ["(worker-at p1)", "(at spanner1 p2)", "(loose nut1)"], "goal": ["(tight nut1)"]}
    assert not kit.finish(started("spanner", 1, level=hopeless), "greedy").any()


def test_pictures_and_clicks():
    left, top, _, _ = view.LEGAL.area
    for domain in DOMAINS:
        batch = started(domain, 2, seed=2)
        world, s = batch.world, batch.record()
        labels = [one for one in world.scene(s, 0).shapes if isinstance(one, Label) and one.x >= left]
        clicked = {one.text: world.click(s, 0, one.x + 0.01, one.y) for one in labels if one.y > top}
        assert {world.action_names[0][action] for action in clicked.values()} == set(clicked) == kit.legal(batch, 0)
        assert world.click(s, 0, 1, top + 0.1) is world.click(s, 0, left + 1, top - 0.1) is None
        text, prompt = world.text(s, 0), world.prompt(s, 0)
        assert f"These facts hold: {strips.written(view.facts_of(world, s.state)[0])}" in text
        shown = [f"- `({action.name}" for action in world.task.domain.actions]
        assert all(line in prompt for line in shown) and "after 100 steps" in prompt


def test_strange_states_have_pictures():
    """Facts that contradict each other: blocks on each other, in the hand and on the table."""
    level = {"init": ["(on a b)", "(on b a)", "(on c b)", "(on c a)", "(holding a)"], "goal": ["(hand-empty)"]}
    batch = started(level=level)
    assert batch.world.scene(batch.record()).shapes and "(on b a)" in batch.world.text(batch.record(), 0)
