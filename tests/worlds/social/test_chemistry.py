"""Chemistry: in lock-step with recorded episodes of Melting Pot, and each rule by a probe."""

import gzip
import json

import numpy as np
import pytest
from avatar_play import cell, hall, where
from kit import DATA, started
from scipy import stats

import envsuite
from envsuite.core.errors import LevelError
from envsuite.generators import describe, generate_many, mutate, split_of
from envsuite.kit.avatars import BORDER, OWN, PLAYER
from envsuite.social.chemistry import Chemistry
from envsuite.social.chemistry.levels import BUSY, EMPTY, HEIGHT, LEGEND, WIDTH

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, SWAP = range(8)
EAST, SOUTH, WEST, NORTH = range(4)
EPISODES = json.loads(gzip.decompress((DATA / "Chemistry" / "chemistry.json.gz").read_bytes()))
LETTERS = LEGEND + "!"
CELLS = (HEIGHT + 2 * BORDER) * (WIDTH + 2 * BORDER)
#: Copies that play each step of a recorded episode, and attempts of them all, because reactions are random.
COPIES, ATTEMPTS = 128, 400


def framed(rows):
    """These rows in the corner of a map of walls, and a row in which further agents stand."""
    padded = ["#" + row + "#" * (WIDTH - 1 - len(row)) for row in rows]
    solid = ["#" * WIDTH] * (HEIGHT - 3 - len(rows))
    return ["#" * WIDTH, *padded, *solid, "#" * (WIDTH - 5) + "....#", "#" * WIDTH]


def code(letter):
    """The code of a molecule."""
    return OWN + LETTERS.index(letter)


def place(batch, agents):
    """Put agents on (x, y, facing), all at once."""
    s = batch.records
    for a in range(len(agents)):
        s["cells"][np.arange(len(s)), s["at"][:, a]] = s["under"][:, a]
    for a, (x, y, facing) in enumerate(agents):
        s["at"][:, a], s["facing"][:, a] = cell(batch, x, y), facing
        s["cells"][:, cell(batch, x, y)] = PLAYER + 4 * a + facing


class Frames:
    """What an episode shows in each frame: molecules by place, and agents."""

    def __init__(self, batch, episode):
        frames, width = episode["frames"], len(episode["map"][0])
        self.places = [cell(batch, 1 + x, 1 + y) for y in range(len(episode["map"])) for x in range(width)]
        players, self.molecules = len(frames[0]["g"]), []
        grid = np.zeros(len(self.places) + players, int)
        self.places += [CELLS + a for a in range(players)]
        for frame in frames:
            for k, letter in frame["c"]:
                grid[k] = code(letter)
            for a, (*_, letter) in enumerate(frame["g"]):
                grid[len(grid) - players + a] = code(letter)
            self.molecules.append(grid.copy())
        self.molecules += [grid, grid]
        self.agents = [[(1 + x, 1 + y, facing) for x, y, facing, _ in frame["g"]] for frame in frames]
        self.rewards = [np.array(frame.get("r", [0.0] * players)) for frame in frames] + [None] * 2

    def fits(self, batch, t):
        """Which copies are as the episode after step t, what their reactions lead to in the next steps included."""
        s, players = batch.records, len(self.agents[0])
        at = [cell(batch, x, y) for x, y, _ in self.agents[t]]
        good = (s["at"][:, :players] == at).all(1)
        good &= (s["facing"][:, :players] == [facing for *_, facing in self.agents[t]]).all(1)
        good &= np.isclose(batch.rewards[:, :players], self.rewards[t]).all(1)
        molecule, product = s["molecule"][:, self.places], s["product"][:, self.places]
        good &= (molecule == self.molecules[t]).all(1)
        if t + 1 < len(self.agents):
            busy = self.molecules[t] == OWN + BUSY
            good &= ((product + OWN == self.molecules[t + 1]) | ~busy).all(1)
        if t + 2 < len(self.agents):
            paid = np.take_along_axis(s["pays"], s["latest"], 1) * (s["molecule"][:, CELLS:] == OWN + BUSY)
            good &= np.isclose(paid[:, :players], self.rewards[t + 2]).all(1)
        return good


def copy_to_all(s, record):
    """Continue from this record, each copy with its own chance."""
    streams, gaps = s["rng"].copy(), s["gap"].copy()
    s[:] = record
    s["rng"], s["gap"] = streams, gaps


def hurry(s, frames, t, chance):
    """Make what reacts in a step of the episode likely to do so, in half of the copies."""
    before, width = frames.molecules[t - 1], WIDTH + 2 * BORDER
    new = np.flatnonzero((frames.molecules[t] == OWN + BUSY) & (before != OWN + BUSY))
    kinds = before[new] - OWN
    s["rates"][::2, 0, kinds] = np.maximum(s["rates"][::2, 0, kinds], 0.3)
    cells = np.array([frames.places[k] for k in new[kinds == EMPTY] if frames.places[k] < CELLS] + [CELLS])
    s["gap"] = chance.choice((cells // width - BORDER - 1) * (WIDTH - 2) + cells % width - BORDER - 1, len(s))
    s["rates"][:, 0, EMPTY] = 0.003


def opened(episode, num):
    """Copies at the start of an episode, what it shows, and the records."""
    level = {"map": framed(episode["map"]), "reactions": episode["reactions"], "rates": episode["rates"]}
    batch = started(Chemistry(players=4, horizon=100_000), num, 0, level)
    frames = Frames(batch, episode)
    further = [(WIDTH - 2 - a, HEIGHT - 2, EAST) for a in range(4)]
    place(batch, [*frames.agents[0], *further][:4])
    return batch, frames, batch.records


def follow(episode):
    """Play an episode of Melting Pot in lock-step."""
    batch, frames, s = opened(episode, COPIES)
    chance = np.random.default_rng(0)
    for t, frame in enumerate(episode["frames"][1:], 1):
        before = s[0].copy()
        for _ in range(ATTEMPTS):
            batch.step((*frame["a"], NOOP, NOOP, NOOP)[:4])
            good = frames.fits(batch, t)
            if good.any():
                break
            copy_to_all(s, before)
            hurry(s, frames, t, chance)
        else:
            raise AssertionError((t, frame, episode["frames"][t - 1 : t + 3]))
        copy_to_all(s, s[int(good.argmax())].copy())
        s["rates"] = before["rates"]


def test_melting_pot_in_lock_step():
    """Places, facings, molecules, what agents carry, and rewards in every frame."""
    follow(EPISODES[5])


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 6])
def test_all_episodes_of_melting_pot_in_lock_step(number):
    follow(EPISODES[number])


def dish(floor=".", **things):
    """A map of this molecule, with lists of places (x, y) by letter, "wall" or "energy"."""
    names = {"energy": "*", "wall": "#", "food": "1"}
    return hall(WIDTH, HEIGHT, floor=floor, **{names.get(k, k): places for k, places in things.items()})


#: No molecule tries to react, all try in every step.
STILL = {letter: [0, 0] for letter in LEGEND[1:]}
EAGER = {letter: [1, 1] for letter in LEGEND[2:]}


def bare(level, *agents, num=1, rates=STILL, seed=0, **parameters):
    """A dish with these agents, each (x, y, facing), and the molecules that they carry where a fourth entry says so.

    There are four agents in all, so that machine code is made once; the others stand in the lowest row.
    """
    agents += tuple((WIDTH - 2 - a, HEIGHT - 2, EAST) for a in range(4 - len(agents)))
    level = {"map": level, **({"rates": rates} if rates else {})}
    batch = started(Chemistry(players=len(agents), **parameters), num, seed, level)
    place(batch, [agent[:3] for agent in agents])
    for a, agent in enumerate(agents):
        if len(agent) > 3:
            batch.records["molecule"][:, CELLS + a] = code(agent[3])
    batch.observe()
    return batch


def at(batch, x, y, i=0):
    """The letter of a cell."""
    return LETTERS[int(batch.records["molecule"][i, cell(batch, x, y)]) - OWN]


def held(batch, a=0, i=0):
    """The letter of what an agent carries."""
    return LETTERS[int(batch.records["molecule"][i, CELLS + a]) - OWN]


def act(batch, *actions):
    """Play these actions; other agents do nothing."""
    batch.step(actions + (NOOP,) * (batch.world.players - len(actions)))


@pytest.mark.slow
def test_as_many_reactions_as_in_melting_pot():
    """With the same starts and actions, molecules react about as often as in the recorded episodes."""
    scores = []
    for episode in EPISODES:
        batch, frames, s = opened(episode, 64)
        found = np.zeros(64)
        for frame in episode["frames"][1:]:
            batch.step((*frame["a"], NOOP, NOOP, NOOP)[:4])
            found += (s["molecule"][:, frames.places] == OWN + BUSY).sum(1)
        recorded = sum((molecules == OWN + BUSY).sum() for molecules in frames.molecules[1:-2])
        scores.append((recorded - found.mean()) / found.std())
    assert max(map(abs, scores)) < 4 and abs(np.mean(scores)) < 3 / len(scores) ** 0.5, scores


def test_variants():
    """The reactions and rates of the recorded episodes, which are those of Melting Pot's four substrates."""
    for name, number in (("two_distractors", 0), ("three_distractors", 3), ("two", 6)):
        batch = started(Chemistry(name), 1, 0)
        level, recorded = batch.world.get_level(batch.record(0)), EPISODES[number]

        def plain(reactions):
            return sorted((r["from"], r["to"], r.get("reward", 0)) for r in reactions)

        assert plain(level["reactions"]) == plain(recorded["reactions"])
        for letter, rates in recorded["rates"].items():
            assert level["rates"][letter] == rates
    with_and_without = [started(Chemistry(name), 1, 0).record(0) for name in ("three", "three_distractors")]
    assert with_and_without[1].reaction_count == with_and_without[0].reaction_count + 1 == 21


def test_maps():
    """The molecules of each variant, as many as in Melting Pot, and none beside another but energy."""
    for name, groups, distractors in (
        ("two", 4, 0),
        ("two_distractors", 4, 4),
        ("three", 5, 0),
        ("three_distractors", 5, 10),
    ):
        batch = started(Chemistry(name, 4), 8, 0)
        maps = batch.records["map"]
        assert len({m.tobytes() for m in maps}) == 8
        for m in maps:
            counts = np.bincount(m.ravel(), minlength=len(LEGEND))
            found = {letter: int(counts[k]) for k, letter in enumerate(LEGEND)}
            assert [found[k] for k in "abcdef"] == [2] * 6 and [found[k] for k in "ghi"] == [groups - 4] * 3
            assert (found["*"], found["o"]) == (7, distractors) and found["#"] == 2 * (WIDTH + HEIGHT) - 4
            some = (m > EMPTY) & (m != LEGEND.index("*"))
            for y, x in np.argwhere(some):
                assert max(m[y - 1, x], m[y + 1, x], m[y, x - 1], m[y, x + 1]) <= EMPTY


def test_swaps():
    """They exchange molecules, need two steps of rest, and fail in the first step and where a molecule is new."""
    batch = bare(dish(x=[(5, 5)]), (5, 5, EAST), (5, 6, EAST))
    act(batch, SWAP)
    assert at(batch, 5, 5) == "x" and held(batch) == "." and batch.observations["ready"][0, 0, 0] == 0
    for ready in (0.5, 1.0):
        act(batch, SWAP)
        assert held(batch) == "." and batch.observations["ready"][0, 0, 0] == ready
    act(batch, SWAP)
    assert held(batch) == "x" and at(batch, 5, 5) == "."
    assert batch.observations["carried"][0, 0, :2].tolist() == [LETTERS.index("x"), EMPTY]


def test_young_molecules_stay():
    """What was laid down can be taken up in the third step after it, not in the second."""
    for wait, taken in ((1, False), (2, True)):
        batch = bare(dish(), (5, 5, EAST, "x"), (5, 6, NORTH))
        act(batch)
        act(batch, SWAP)
        assert at(batch, 5, 5) == "x"
        place(batch, [(7, 7, EAST), (5, 5, NORTH)])
        for _ in range(wait):
            act(batch)
        act(batch, NOOP, SWAP)
        assert (held(batch, 1) == "x") == taken


def test_a_reaction():
    """Busy for one observation, then products in the order of the list; nothing tries in the step after it came."""
    batch = bare(dish(a=[(5, 5)], b=[(6, 5)]), (10, 10, EAST), rates=EAGER)
    act(batch)
    busy = {(x, y) for x in range(1, 26) for y in range(1, 15) if at(batch, x, y) == "!"}
    assert len(busy) == 3 and {(5, 5), (6, 5)} < busy
    food = (busy - {(5, 5), (6, 5)}).pop()
    act(batch)
    assert (at(batch, 5, 5), at(batch, 6, 5), at(batch, *food)) == ("b", "c", "1")
    act(batch)
    assert at(batch, *food) == "1"
    act(batch)
    assert at(batch, *food) == "!"  # the food is eaten up by nobody
    act(batch)
    assert at(batch, *food) == "."


def test_reach():
    """All reactants are on the cell that tries or beside it: energy at a corner of both is too far away."""
    for x, y, reacts in ((5, 4, True), (6, 6, True), (7, 5, True), (4, 4, False), (7, 4, False), (8, 5, False)):
        batch = bare(dish(b=[(5, 5)], c=[(6, 5)], energy=[(x, y)]), (10, 10, EAST), rates={"b": [1, 0], "c": [1, 0]})
        act(batch)
        assert (at(batch, 5, 5) == "!") == reacts
        if reacts:
            act(batch)
            assert (at(batch, 5, 5), at(batch, 6, 5), at(batch, x, y)) == ("c", "a", "*")


def test_cycles():
    """Ten rounds of a cycle with energy beside it: food, x and v each time, where agents take all of it away."""
    batch = bare(dish(a=[(5, 5)], b=[(6, 5)], energy=[(5, 4)]), (10, 10, EAST), rates=dict.fromkeys("abc", [1, 0]))
    made = ""
    for _ in range(300):
        act(batch)
        for x, y in ((4, 5), (5, 6), (6, 4), (6, 6), (7, 5), (5, 4)):
            if at(batch, x, y) in "1xv":
                made += at(batch, x, y)
                batch.records["molecule"][:, cell(batch, x, y)] = code(".")
    assert made.count("1") >= 30 and abs(made.count("1") - made.count("x")) <= 1 and made.count("x") == made.count("v")
    assert at(batch, 5, 4) in "*!"


def test_pay():
    """An agent is paid for its own molecule's part, in the step after it shows the product; both agents of a pair."""
    for where_x, where_y, pays in (
        ("hand", "hand", [10, 10]),
        ("hand", "ground", [10, 0]),
        ("ground", "ground", [0, 0]),
    ):
        things = {letter: [p] for letter, p, w in (("x", (5, 5), where_x), ("y", (6, 5), where_y)) if w == "ground"}
        hands = [letter if w == "hand" else "." for letter, w in (("x", where_x), ("y", where_y))]
        batch = bare(dish(**things), (5, 5, EAST, hands[0]), (6, 5, WEST, hands[1]), rates={"x": [1, 1], "y": [1, 1]})
        shown = []
        for _ in range(4):
            act(batch)
            shown.append((held(batch, 0), held(batch, 1), batch.rewards[0, :2].tolist()))
        hand = [("!" if w == "hand" else ".", "*" if w == "hand" else ".") for w in (where_x, where_y)]
        assert shown[0] == (hand[0][0], hand[1][0], [0, 0]) and shown[1] == (hand[0][1], hand[1][1], [0, 0])
        assert shown[2][2] == pays and shown[3][2] == [0, 0]


def test_food_and_distractors():
    """A carried food pays 1 and is gone; a distractor pays 0.1 each time and stays."""
    batch = bare(dish(), (5, 5, EAST, "1"), (8, 8, EAST, "o"), reactions="two_distractors", rates=None)
    totals = np.zeros(4)
    for _ in range(300):
        act(batch)
        totals += batch.rewards[0]
    assert totals[0] == 1 and held(batch, 0) == "." and totals[1] > 2 and held(batch, 1) in "o!"


def test_busy_agents_stay():
    """While its molecule looks busy, an agent neither walks nor turns nor swaps, and need not rest for that."""
    for action in (FORWARD, TURN_LEFT, SWAP):
        batch = bare(dish(x=[(5, 5)]), (5, 5, EAST, "1"), rates={"1": [0, 1]})
        act(batch, NOOP)
        batch.records["born"][:, :CELLS] = -9
        assert held(batch) == "!"
        act(batch, action)
        assert held(batch) == "." and where(batch, 0) == (5, 5) and batch.records["facing"][0, 0] == EAST
        assert at(batch, 5, 5) == "x" and batch.records["cooldown"][0, 0] == 0
        act(batch, action)
        moved = where(batch, 0) != (5, 5), batch.records["facing"][0, 0] != EAST, held(batch) == "x"
        assert moved == (action == FORWARD, action == TURN_LEFT, action == SWAP)


def test_agents_can_walk_as_a_reaction_begins():
    """In the step in which its molecule begins to react an agent can still walk, but its swap fails."""
    batch = bare(dish(x=[(5, 5)]), (5, 5, EAST, "1"), rates={"1": [0, 1]})
    act(batch, FORWARD)
    assert where(batch, 0) == (6, 5) and held(batch) == "!"
    batch = bare(dish(x=[(5, 5)]), (5, 5, EAST, "1"), rates={"1": [0, 1]})
    batch.records["born"][:, :CELLS] = -9
    act(batch, SWAP)
    assert held(batch) == "!" and at(batch, 5, 5) == "x" and batch.records["cooldown"][0, 0] == 2


def test_reacting_molecules_cannot_be_taken():
    """A swap fails in the step in which the molecule of the cell begins to react, and while it looks busy."""
    for wait in (False, True):
        batch = bare(dish(food=[(5, 5)]), (5, 5, EAST), rates={"1": [1, 0]})
        batch.records["born"][:, :CELLS] = -9
        if wait:
            act(batch)
        act(batch, SWAP)
        assert at(batch, 5, 5) == (".!"[not wait]) and held(batch) == "."
        act(batch)
        assert at(batch, 5, 5) == "." and batch.records["cooldown"][0, 0] == 1


def test_one_reaction_for_each_molecule():
    """Of a cross of five u, the middle one is in one pair; what reacts can still make others of its kind react."""
    places = [(5, 5), (6, 5), (4, 5), (5, 4), (5, 6)]
    batch = bare(dish(u=places), (10, 10, EAST), num=64, rates={"u": [1, 1]})
    act(batch)
    left = [sum(at(batch, x, y, i) == "u" for x, y in places) for i in range(64)]
    assert set(left) == {1, 3}
    # Three are left only if the middle one is the first to try, 1 in 5, and takes part itself, 4 pairs of 10.
    assert stats.binomtest(left.count(3), 64, 0.08).pvalue > 1e-3
    assert {p for i in range(64) for p in places if at(batch, *p, i) == "u"} >= set(places[1:])


def test_random_choices():
    """Which reaction, and which of several molecules of a kind takes part, is uniform."""
    batch = bare(
        dish(x=[(5, 5)], y=[(5, 4), (6, 5), (4, 5)], u=[(5, 6)]), (10, 10, EAST), num=4096, rates={"x": [1, 0]}
    )
    act(batch)
    places = [(5, 4), (6, 5), (4, 5), (5, 6)]
    counts = [int((batch.records["molecule"][:, cell(batch, x, y)] == code("!")).sum()) for x, y in places]
    assert stats.chisquare(counts, [4096 / 6] * 3 + [2048]).pvalue > 1e-3


def test_rates():
    """The time until a food on the ground and a carried one react is geometric, with the rates of Melting Pot."""
    spots = [(x, y) for x in range(1, 26, 2) for y in range(1, 15, 2)]
    batch = bare(dish(food=spots), *[(2 * a + 2, 14, EAST, "1") for a in range(4)], num=120, rates=None)
    cells, steps, left = [cell(batch, x, y) for x, y in spots], 60, []
    for _ in range(steps):
        act(batch)
        left.append(
            [int((batch.records["molecule"][:, part] == code("1")).sum()) for part in (cells, slice(CELLS, None))]
        )
    ground = stats.binomtest(120 * len(spots) - left[-1][0], 120 * len(spots), 1 - 0.999**steps)
    assert ground.pvalue > 1e-3
    for t in (1, 4, 8):
        assert stats.binomtest(left[t - 1][1], 480, 0.75**t).pvalue > 1e-3


def test_empty_molecules_start_reactions():
    """Food appears from nothing on the ground, with the rate of the empty molecule, half of it of each kind."""
    batch = bare(dish(), (1, 1, EAST), num=64, rates={".": [0.001, 0]})
    act(batch)
    act(batch)
    grid = batch.records["molecule"][:, :CELLS]
    ones, twos = (int((grid == code(letter)).sum()) for letter in "12")
    assert stats.binomtest(ones, ones + twos, 0.5).pvalue > 1e-3
    assert stats.binomtest(ones + twos, 64 * 350, 0.001).pvalue > 1e-3
    batch = bare(dish(), (1, 1, EAST), rates={".": [1, 0]})
    act(batch)
    assert (batch.records["molecule"][0, :CELLS] == code("!")).sum() > 280


@pytest.mark.slow
def test_rates_of_all_classes():
    """Energy decays with 0.005 on the ground and 0.0025 carried; x and y react with 0.001 each, or 0.25 in a hand."""
    spots = [(x, y) for x in range(1, 24, 3) for y in range(1, 12, 3)]
    beside = [(x + 1, y) for x, y in spots]
    for letter, other, steps, chance in (("*", None, 100, 0.005), ("x", "y", 60, 1 - 0.999**2)):
        things = {letter: spots, **({other: beside} if other else {})}
        batch = bare(hall(WIDTH, HEIGHT, floor=".", **things), (1, 14, EAST, "*"), num=100, rates=None, seed=9)
        cells = [cell(batch, x, y) for x, y in spots]
        for _ in range(steps):
            act(batch)
        left = int((batch.records["molecule"][:, cells] == code(letter)).sum())
        assert stats.binomtest(left, 100 * len(spots), (1 - chance) ** steps).pvalue > 1e-3
    batch = bare(dish(), *[(1 + 3 * a, 14, EAST, "*") for a in range(4)], num=400, rates=None)
    for _ in range(150):
        act(batch)
    left = int((batch.records["molecule"][:, CELLS:] == code("*")).sum())
    assert stats.binomtest(left, 1600, 0.9975**150).pvalue > 1e-3
    batch = bare(dish(y=[(5, 5)]), (6, 5, EAST, "x"), num=1000, rates=None)
    for _ in range(4):
        act(batch)
    left = int((batch.records["molecule"][:, CELLS] == code("x")).sum())
    assert stats.binomtest(left, 1000, (0.75 * 0.999) ** 4).pvalue > 1e-3


def test_what_is_seen():
    """Molecules turned as the view is, under agents too; what others carry only while they are in view."""
    batch = bare(dish(x=[(10, 4)], y=[(12, 5)]), (10, 6, NORTH, "u"), (10, 4, EAST, "v"), (24, 12, EAST, "3"))
    seen = batch.observations
    assert LETTERS[seen["molecules"][0, 0, 7, 5]] == "x" and LETTERS[seen["molecules"][0, 0, 8, 7]] == "y"
    assert seen["view"][0, 0, 7, 5] == PLAYER + 4 + 1 and seen["molecules"][0, 0, 0, 0] == 0
    assert "".join(LETTERS[k] for k in seen["carried"][0, 0]) == "uv##"
    for turn, i, j in ((TURN_LEFT, 9, 7), (TURN_LEFT, 11, 5), (TURN_LEFT, 9, 3)):
        act(batch, turn)
        if i < 11:
            assert LETTERS[seen["molecules"][0, 0, i, j]] == "x"
    batch = started(Chemistry("three"), 1, 0)
    assert np.count_nonzero(batch.observations["reactants"][0, 0, :, 0]) == 20
    assert batch.observations["pays"][0, 0].sum() == 22


def test_levels():
    """Levels that cannot be played are refused; others come back as they were."""
    rows = dish(x=[(3, 3)])
    env = envsuite.make_parallel("Chemistry", players=2)
    reaction = {"from": "xy", "to": "**", "reward": 10}
    for level, message in (
        ({"map": rows[:-1]}, "map must be 16 texts of 27 letters"),
        ({"map": ["#" * WIDTH] * HEIGHT}, "0 cells without walls for 2 agents"),
        ({"map": rows, "food": 3}, "unknown part 'food'"),
        ({"map": rows, "reactions": [reaction] * 25}, "at most 24"),
        ({"map": rows, "reactions": [{"from": "x"}]}, "must have the parts"),
        ({"map": rows, "reactions": [{"from": "xyxyx", "to": "....."}]}, "1 to 4 letters"),
        ({"map": rows, "reactions": [{"from": "x", "to": "xx"}]}, "makes 2 molecules from 1"),
        ({"map": rows, "reactions": [{"from": "#", "to": "x"}]}, "has the letter '#'"),
        ({"map": rows, "reactions": [{**reaction, "reward": 11}]}, "from 0 to 10"),
        ({"map": rows, "rates": {"x": [0.5, 2]}}, "from 0 to 1"),
        ({"map": rows, "rates": {"x": 0.5}}, "2 numbers"),
        ({"map": rows, "rates": {"!": [0, 0]}}, "keys among"),
    ):
        with pytest.raises(LevelError, match=message):
            env.reset(seed=0, options={"level": level})
    level = {"map": rows, "reactions": [reaction], "rates": {"x": [0.5, 0.25]}}
    batch = started(Chemistry(players=2), 1, 0, level)
    assert batch.world.get_level(batch.record(0)) == level


def test_generator():
    """All graphs lead to a reward; varied ones differ in their reactions; parts of the split do not overlap."""
    levels = generate_many("reaction_graphs", 30, seed=0, cycles=3, distractors=4)
    assert all(describe(level)["solvable"] for level in levels)
    assert all(describe(level)["molecules"] == 26 for level in levels)
    assert len({str(level["reactions"]) for level in levels}) == 30
    assert mutate(levels[0], seed=1) != levels[0]
    for part in ("train", "test"):
        assert {split_of(level) for level in generate_many("reaction_graphs", 10, split=part)} == {part}
    plain = generate_many("reaction_graphs", 4, seed=3, vary=False)
    assert all(level["reactions"] == plain[0]["reactions"] for level in plain)
    batch = started(Chemistry(), 4, 3)
    assert batch.world.get_level(batch.record(0))["reactions"] == plain[0]["reactions"]


@pytest.mark.slow
def test_policies():
    """Carriers keep the cycles running, also on graphs that they have not seen; grazers eat what there is."""

    def play(policy, **parameters):
        envs = envsuite.make_vec("Chemistry", 8, **parameters)
        envs.reset(seed=0)
        return envs.rollout(policy, 1000, seed=0).returns.mean()

    assert play("carrier") > 20 > 1 > play("random")
    assert play("grazer", reactions="two_distractors") > 5 * play("random", reactions="two_distractors")
    envs = envsuite.make_vec("Chemistry", 16)
    envs.reset(seed=0, options={"level": generate_many("reaction_graphs", 16, seed=5)})
    assert envs.rollout("carrier", 1000, seed=0).returns.mean() > 10


def test_text_and_pictures():
    """Words for what is carried, and a picture that shows as much."""
    env = envsuite.make_parallel("Chemistry", players=2)
    env.reset(seed=0, options={"level": {"map": dish(x=[(5, 5)]), "rates": STILL}})
    place(env.batch, [(5, 5, EAST), (7, 5, WEST)])
    env.batch.records["molecule"][:, CELLS + 1] = code("3")
    env.batch.observe()
    text = env.text("player_0")
    assert "On your cell: x." in text and "player_1 3" in text and "xy -> ** (pays 10)" in text
    assert len(env.scene().shapes) > 10
