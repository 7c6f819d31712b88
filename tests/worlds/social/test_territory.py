"""Territory: its maps, each rule by a probe, its chances by their frequencies, and what fighting costs."""

import numpy as np
import pytest
from avatar_play import cell, hall, lit, put, random_play, started, where
from scipy import stats

import envsuite
from envsuite.core.errors import LevelError, ParameterError
from envsuite.evaluation.schelling import schelling
from envsuite.generators import describe, generate, generate_many, mutate, picture
from envsuite.kit.avatars import FLOOR, LIT, PLAYER
from envsuite.social.territory import BROKEN, CLAIMED, DAMAGED, DRY, MINE, RESOURCE, Territory, levels
from envsuite.social.territory.levels import part

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, ZAP, CLAIM = range(9)
EAST, SOUTH, WEST, NORTH = range(4)
SIZE = 23


def meadow(**things):
    """A level of one bare hall; starts are in its lowest row."""
    return hall(SIZE, SIZE, "s" * (SIZE - 2), **things)


def bare(*agents, num=1, resources=(), wall=(), **parameters):
    """A hall with these agents, each (x, y, facing), and this many resources; the others of five stand aside.

    Nothing pays or mends, unless parameters say otherwise.
    """
    parameters = {"payout": 0.0, "mending": 0.0, "end_probability": 0.0, **parameters}
    batch = started(Territory("inside_out", **parameters), num, meadow(r=resources, wall=wall))
    for a in range(5):
        put(batch, a, *(agents[a] if a < len(agents) else (3 + 2 * a, SIZE - 2, SOUTH)))
    return batch


def act(batch, *actions):
    batch.step([*actions, *(NOOP,) * (5 - len(actions))])


def code(batch, x, y, i=0):
    return int(batch.records["cells"][i, cell(batch, x, y)]) & (LIT - 1)


def own(batch, agent, x, y, look=0):
    """Give a resource in every world to an agent; it came to it long ago."""
    batch.records["cells"][:, cell(batch, x, y)] = CLAIMED + 4 * agent + look
    batch.records["painted"][:, cell(batch, x, y)] = -1000


def reached(rows, free, start):
    seen, front = {start}, [start]
    for x, y in front:
        for near in ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)):
            if near not in seen and rows[near[1]][near[0]] in free:
                seen.add(near)
                front.append(near)
    return seen


# Maps.


forms = pytest.mark.parametrize(
    ("form", "size", "resources", "walls", "begun"),
    [
        # Melting Pot, configs of territory__*: sizes, cells of resources and walls. Its maze draws 48 cells with
        # probability 2/3 and 64 with 1/4 beside 88 sure ones, 136 on average; its starts are 18, 10.3 and 9.
        ("open", [23, 39], 88, 120, 18),
        ("inside_out", [23, 23], 137, 88, 10),
        ("rooms", [21, 21], 180, 36, 9),
    ],
)


def check(level, form, size, resources, walls, begun):
    rows, facts = level["map"], describe(level)
    assert facts["size"] == size and facts["solvable"]
    assert (facts["resources"], facts["starts"]) == (resources, begun)
    assert sum(row.count("#") for row in rows) == walls
    cells = {(x, y): letter for y, row in enumerate(rows) for x, letter in enumerate(row)}
    floor = {at for at, letter in cells.items() if letter in ".s"}
    starts = [at for at, letter in cells.items() if letter == "s"]
    if form == "rooms":
        found = [reached(rows, ".s", start) for start in starts]
        assert len(set().union(*found)) == sum(map(len, found)) == len(floor) == 225
        for room in found:
            wide, high = ({at[k] for at in room} for k in (0, 1))
            assert len(wide) * len(high) == len(room) and {len(wide), len(high)} <= {4, 5, 6}
    else:
        assert reached(rows, ".s", starts[0]) == floor
    if form == "inside_out":
        assert {cells[x, y] for x in range(2, 21, 3) for y in range(2, 21, 3)} == {"r"}
        assert all(min(x, y) == 1 or max(x, y) == SIZE - 2 for x, y in starts)
    if form == "open":
        assert max(y for (x, y), letter in cells.items() if letter == "r") <= 14 and min(y for _, y in starts) >= 17
        assert np.ptp([x for x, _ in starts]) < 18
        left = {at for at, letter in cells.items() if letter == "r"}
        while left:  # pieces are straight, and touch no other even with a corner
            piece = touching(left, min(left))
            wide, high = (len({at[k] for at in piece}) for k in (0, 1))
            assert wide * high == len(piece) and min(wide, high) <= 2 and max(wide, high) <= 6
            left -= piece


def touching(cells, start):
    """The cells that a piece holds, neighbors at corners included."""
    seen, front = {start}, [start]
    for x, y in front:
        near = {(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} & cells - seen
        seen |= near
        front += near
    return seen


@forms
def test_a_map(form, size, resources, walls, begun):
    for level in generate_many("territory", 2, seed=0, form=form):
        check(level, form, size, resources, walls, begun)
    moves = []
    for seed in range(4):
        other = mutate(level, seed=seed)
        differ = [
            (x, y, new)
            for y, rows in enumerate(zip(level["map"], other["map"]))
            for x, (old, new) in enumerate(zip(*rows))
            if old != new
        ]
        assert sorted(letter for *_, letter in differ) == [".", "s"]
        (x, y), (new_x, new_y) = [at for *at, _ in sorted(differ, key=lambda one: one[2])]
        moves.append((new_x - x, new_y - y))
    assert min(y for _, y in moves) < 0 < max(y for _, y in moves)  # a start moves up or down


def test_sizes_of_rooms():
    """Three rooms of 6 to 8 cells fill a line of 21."""
    s = started(Territory("rooms"), 1).record()
    with np.errstate(over="ignore"):  # words wrap around, as in machine code
        found = {part(s) for _ in range(100)}
    assert found == {(6, 7), (6, 8), (7, 6), (7, 7), (7, 8), (8, 6), (8, 7)}


def test_a_map_without_starts_stays():
    """A change moves a start, so that there is nothing to change."""
    rows = ["#" * 23, *["#" + "." * 21 + "#"] * 21, "#" * 23]
    assert mutate({"kind": "territory", "map": rows}, seed=0)["map"] == rows


def test_a_piece(monkeypatch):
    """Two to six cells long, one of four pieces two cells thick, along and across equally often."""
    s, lengths, thick, across, along = started(Territory("rooms"), 1).record(), np.zeros(5), 0, 0, 0
    monkeypatch.setattr(levels, "_TRIES", 1)
    with np.errstate(over="ignore"):  # words wrap around, as in machine code
        for _ in range(300):
            map = np.full((23, 39), levels.FLOOR)
            left = levels.lay_pieces(s, map)
            wide, high = (int(np.ptp(places)) + 1 for places in np.nonzero(map == levels.RESOURCE))
            assert left == 88 - wide * high
            lengths[max(wide, high) - 2] += 1
            thick += min(wide, high) == 2
            across, along = across + (wide > high), along + (wide < high)
    assert stats.chisquare(lengths).pvalue > 1e-4
    assert stats.binomtest(thick, 300, 1 / 4).pvalue > 1e-4
    assert stats.binomtest(across, across + along).pvalue > 1e-4


def test_pieces_are_near_one_side(monkeypatch):
    """Those of a map are near the same side, which is either: their places from left to right have a correlation."""
    s, places = started(Territory("rooms"), 1).record(), []
    monkeypatch.setattr(levels, "_TRIES", 2)
    with np.errstate(over="ignore"):  # words wrap around, as in machine code
        for _ in range(300):
            map = np.full((23, 39), levels.FLOOR)
            levels.lay_pieces(s, map)
            cells = {(int(x), int(y)) for y, x in np.argwhere(map == levels.RESOURCE)}
            one = touching(cells, min(cells, key=lambda at: (at[1], at[0])))
            if len(one) < len(cells):
                places.append([np.mean([x for x, _ in piece]) for piece in (one, cells - one)])
    first, second = np.array(places).T
    assert np.corrcoef(first, second)[0, 1] > 0.15 and abs(np.mean(places) - 19) < 1.5


@pytest.mark.slow
@forms
def test_maps(form, size, resources, walls, begun):
    made = generate_many("territory", 200, seed=0, form=form)
    assert len({tuple(level["map"]) for level in made}) == 200
    for level in made:
        check(level, form, size, resources, walls, begun)
    level = generate("territory", seed=1, form=form)
    changed = [mutate(level, seed=k) for k in range(20)]
    for other in changed:
        assert describe(other) | {"difficulty": 0} == describe(level) | {"difficulty": 0}
        assert sum(a != b for old, new in zip(level["map"], other["map"]) for a, b in zip(old, new)) == 2
    assert len(picture(level).shapes) > resources


# Paint.


def test_brush():
    """A resource in front of an agent takes its paint, and each sees it as its own or another's."""
    batch = bare((5, 5, EAST), (10, 5, WEST), resources=[(6, 5), (5, 4), (7, 5)])
    act(batch, NOOP)
    assert [code(batch, *at) for at in ((6, 5), (5, 4), (7, 5))] == [CLAIMED, RESOURCE, RESOURCE]
    assert batch.observations["view"][0, 0, 8, 5] == MINE and batch.observations["view"][0, 1, 5, 5] == CLAIMED
    act(batch, TURN_LEFT)
    assert code(batch, 5, 4) == CLAIMED
    act(batch, NOOP, FORWARD)
    act(batch, NOOP, FORWARD)
    assert where(batch, 1) == (8, 5) and code(batch, 7, 5) == CLAIMED + 4
    act(batch, NOOP, FORWARD)
    assert where(batch, 1) == (8, 5)  # a resource is in the way
    put(batch, 1, 6, 4, SOUTH)
    act(batch, NOOP)
    assert code(batch, 6, 5) == CLAIMED + 4  # painted over


def test_claim():
    """Two cells straight ahead, through resources and agents but not walls, at every step; agents keep unharmed."""
    beside = [(5, 4), (6, 4), (6, 6), (4, 5), (8, 5)]
    batch = bare((5, 5, EAST), resources=[(6, 5), (7, 5), *beside])
    act(batch, CLAIM)
    assert [code(batch, *at) for at in ((6, 5), (7, 5))] == [CLAIMED, CLAIMED] and lit(batch) == set()
    assert all(code(batch, *at) == RESOURCE for at in beside)
    batch = bare((5, 5, EAST), (6, 5, NORTH), resources=[(7, 5), (15, 5)], wall=[(14, 5)])
    act(batch, CLAIM)
    assert code(batch, 7, 5) == CLAIMED and lit(batch) == {(6, 5)} and not batch.records["marked"].any()
    put(batch, 0, 13, 5, EAST)
    act(batch, CLAIM)
    assert code(batch, 15, 5) == RESOURCE and lit(batch) == set()
    put(batch, 0, 17, 5, WEST)
    act(batch, CLAIM)
    assert code(batch, 15, 5) == CLAIMED and lit(batch) == {(16, 5)}


@pytest.mark.slow
def test_the_last_to_paint_owns():
    """Of two who touch the same resource in a step either may get it; a resource has a new owner's wet paint."""
    batch = bare((5, 5, EAST), (7, 5, WEST), num=4000, resources=[(6, 5)])
    act(batch, NOOP)
    owners = batch.records["cells"][:, cell(batch, 6, 5)]
    assert set(owners) == {CLAIMED, CLAIMED + 4}
    assert stats.binomtest(int((owners == CLAIMED).sum()), 4000).pvalue > 1e-4
    batch = bare((5, 5, EAST), resources=[(6, 5), (7, 5)])
    own(batch, 1, 6, 5, DRY | DAMAGED)
    own(batch, 0, 7, 5, DRY)
    act(batch, CLAIM)
    assert code(batch, 6, 5) == CLAIMED + DAMAGED and code(batch, 7, 5) == CLAIMED + DRY
    assert batch.records["painted"][0, cell(batch, 6, 5)] == 1 and batch.records["painted"][0, cell(batch, 7, 5)] < 0


def test_when_it_pays():
    """From the 26th step after the claim on, counted in Melting Pot with a payout of 1; it shows when it is dry."""
    batch = bare((5, 5, EAST), (10, 5, EAST), resources=[(6, 5)], payout=1.0)
    act(batch, NOOP)
    act(batch, TURN_LEFT)
    for _ in range(24):
        assert not batch.rewards.any()
        act(batch, NOOP)
    assert not batch.rewards.any() and code(batch, 6, 5) == CLAIMED
    act(batch, NOOP)
    assert batch.rewards[0].tolist() == [1, 0, 0, 0, 0] and code(batch, 6, 5) == CLAIMED + DRY
    assert batch.observations["view"][0, 0, 9, 6] == MINE + DRY  # it faces north now, with the resource to its right
    put(batch, 1, 7, 5, WEST)
    act(batch, NOOP)
    assert batch.rewards[0].tolist() == [1, 0, 0, 0, 0] and code(batch, 6, 5) == CLAIMED + 4  # paid, then painted over
    for _ in range(25):
        act(batch, NOOP)
        assert not batch.rewards.any()
    act(batch, NOOP)
    assert batch.rewards[0].tolist() == [0, 1, 0, 0, 0]


def test_payout():
    """A dry resource pays with probability 0.01 a step, each as often as the others; others pay nothing."""
    places = [(x, y) for x in range(2, 12) for y in range(2, 8)]
    batch = bare(num=100, resources=places, payout=0.01)
    for k, at in enumerate(places[:40]):
        own(batch, k // 20, *at)
    total = np.zeros(5)
    for _ in range(30):
        act(batch, NOOP)
        total += batch.rewards.sum(axis=0)
    assert not total[2:].any()
    for agent in range(2):
        assert stats.binomtest(int(total[agent]), 100 * 30 * 20, 0.01).pvalue > 1e-4
    looks = np.array([(batch.records["cells"][:, cell(batch, *at)] & DRY > 0).sum() for at in places[:40]])
    chance = 1 - 0.99**30
    assert (np.abs(looks - 100 * chance) < 5 * np.sqrt(100 * chance * (1 - chance))).all()
    assert all((batch.records["cells"][:, cell(batch, *at)] == RESOURCE).all() for at in places[40:])


# Zaps.


def test_zap_damages_and_destroys():
    """Two cells ahead and on both sides; whole resources stop it, damaged ones are destroyed and let it through."""
    places = [(6, 5), (7, 5), (5, 4), (6, 4), (6, 6), (8, 5), (4, 5), (5, 7), (7, 6)]
    batch = bare((5, 5, EAST), resources=places)
    act(batch, NOOP)
    act(batch, ZAP)
    damaged = {(6, 5), (5, 4), (6, 6)}
    assert code(batch, 6, 5) == CLAIMED + DAMAGED and code(batch, 5, 4) == code(batch, 6, 6) == BROKEN
    assert all(code(batch, *at) == RESOURCE for at in places if at not in damaged)
    assert lit(batch) == {(5, 6)}
    assert batch.observations["view"][0, 0, 8, 5] == MINE + DAMAGED
    for k in range(1, 5):
        act(batch, ZAP)  # it cools down
        assert batch.observations["ready"][0, 0, 0] == pytest.approx(k / 4) and code(batch, 5, 4) == BROKEN
    act(batch, ZAP)
    assert [code(batch, *at) for at in damaged] == [FLOOR] * 3
    assert code(batch, 7, 5) == code(batch, 6, 4) == BROKEN and code(batch, 7, 6) == code(batch, 8, 5) == RESOURCE
    assert lit(batch) == damaged | {(5, 6)} and batch.records["broken_count"][0] == 2
    act(batch, FORWARD)
    assert where(batch, 0) == (6, 5) and batch.records["under"][0, 0] == FLOOR
    for _ in range(200):
        act(batch, NOOP)
    assert code(batch, 5, 4) == code(batch, 6, 6) == FLOOR


def test_the_order_of_a_step():
    """All move, then zaps go off, then brushes, then claims: what comes later counts."""
    batch = bare((5, 5, EAST), (8, 5, WEST), num=3, resources=[(6, 5)])
    act(batch, NOOP, CLAIM)  # the brush of one, and then the claim of the other
    assert (batch.records["cells"][:, cell(batch, 6, 5)] == CLAIMED + 4).all()
    batch = bare((5, 5, EAST), (6, 6, NORTH), num=3, resources=[(6, 5)])
    own(batch, 2, 6, 5)
    act(batch, NOOP, ZAP)  # both brushes touch what the zap has damaged
    assert set(batch.records["cells"][:, cell(batch, 6, 5)]) <= {CLAIMED + DAMAGED, CLAIMED + 4 + DAMAGED}
    for place, hit in (((7, 5, EAST), 0), ((8, 5, WEST), 1)):  # two cells ahead, it walks out of the beam or into it
        batch = bare((5, 5, EAST), place, num=3)
        act(batch, ZAP, FORWARD)
        assert ((batch.records["marked"][:, 1] > 0) == hit).all()


def test_destroyed_resources_pay_no_more():
    batch = bare((5, 5, EAST), (20, 15, EAST), resources=[(6, 5)], payout=1.0)
    own(batch, 1, 6, 5, DAMAGED)
    act(batch, TURN_LEFT)
    own(batch, 1, 6, 5, DAMAGED)
    put(batch, 0, 5, 6, NORTH)
    act(batch, ZAP)
    assert batch.rewards[0].tolist() == [0, 1, 0, 0, 0] and code(batch, 6, 5) == FLOOR  # it paid before
    act(batch, NOOP, CLAIM)
    assert not batch.rewards.any()
    put(batch, 0, 5, 5, EAST)
    act(batch, CLAIM)
    assert code(batch, 6, 5) == FLOOR


def test_mending():
    """From the 16th step after the hit on, with probability 0.1 a step; counted in Melting Pot with one of 1."""
    batch = bare((5, 5, EAST), num=4000, resources=[(6, 5)], mending=0.1)
    act(batch, ZAP)
    batch.records["cells"][:, cell(batch, 6, 5)] = CLAIMED + 4 + DRY + DAMAGED
    put(batch, 0, 15, 15, EAST)
    whole = [0]
    for _ in range(40):
        act(batch, NOOP)
        codes = batch.records["cells"][:, cell(batch, 6, 5)]
        assert set(codes) <= {CLAIMED + 4 + DRY, CLAIMED + 4 + DRY + DAMAGED}
        whole.append(int((codes == CLAIMED + 4 + DRY).sum()))
    assert whole[15] == 0 < whole[16]
    mended, damaged = whole[40], sum(4000 - count for count in whole[15:40])
    assert stats.binomtest(mended, damaged, 0.1).pvalue > 1e-4
    assert stats.binomtest(whole[16], 4000, 0.1).pvalue > 1e-4
    left = batch.records["broken_count"]
    assert ((left == 0) == (batch.records["cells"][:, cell(batch, 6, 5)] == CLAIMED + 4 + DRY)).all()


def test_marks_and_removal():
    """One hit freezes for 24 steps and marks for 50, a second one in that time takes out for good."""
    batch = bare((5, 5, EAST), (6, 5, NORTH), resources=[(6, 3), (6, 4)])
    act(batch, ZAP)
    assert batch.observations["marks"][0].tolist() == [[0, 1, 0, 0, 0], [0, 1, 0, 0, 0], *[[0] * 5] * 3]
    put(batch, 0, 2, 12, WEST)
    for k in range(1, 25):
        act(batch, NOOP, STEP_RIGHT if k % 2 else CLAIM)
        assert where(batch, 1) == (6, 5) and batch.observations["ready"][0, 1, 0] == 0
    assert code(batch, 6, 3) == CLAIMED + 4  # those who are frozen can claim
    act(batch, NOOP, STEP_RIGHT)
    assert where(batch, 1) == (7, 5)
    for k in range(26, 50):
        act(batch, NOOP)
        assert batch.observations["marks"][0, 1, 1] == (k < 49)
    put(batch, 0, 5, 5, EAST)
    put(batch, 1, 6, 5, EAST)
    act(batch, ZAP)  # 50 steps after the first
    assert batch.records["marked"][0, 1] > 0 and batch.records["away"][0, 1] == 0
    for _ in range(5):
        act(batch, ZAP)
    assert batch.observations["view"][0, 0, 8, 5] == PLAYER + 4  # it is still there, and faces alike
    assert not batch.terminations.any()
    act(batch, FORWARD, BACKWARD)
    assert where(batch, 0) == (6, 5) and batch.terminations[0].tolist() == [False, True, False, False, False]
    assert not batch.observations["view"][0, 1].any() and not batch.masks[0, 1].any() and not batch.finished[0]
    assert not batch.observations["marks"].any()


def test_two_hits_in_one_step_take_out():
    batch = bare((5, 5, EAST), (6, 5, NORTH), (7, 5, WEST))
    act(batch, ZAP, NOOP, ZAP)
    assert not batch.terminations.any()
    act(batch, NOOP)
    assert batch.terminations[0].tolist() == [False, True, False, False, False]


def test_paint_of_who_is_out_lapses():
    """As counted in Melting Pot, with the second hit at T: it pays until T + 1 and is off from T + 2, or T + 6."""
    batch = bare((4, 5, EAST), (5, 5, EAST), resources=[(6, 5), (7, 5), (12, 12)], payout=1.0, drying=0)
    own(batch, 1, 12, 12, DAMAGED)
    act(batch, ZAP, NOOP)
    for _ in range(4):
        act(batch, NOOP)
    act(batch, ZAP, CLAIM)
    assert batch.rewards[0, 1] == 2 and code(batch, 7, 5) == CLAIMED + 4
    put(batch, 0, 4, 12, EAST)
    act(batch, NOOP)
    assert batch.rewards[0, 1] == 3 and batch.terminations[0, 1]
    for k in range(2, 8):
        act(batch, NOOP)
        assert not batch.rewards.any()
        assert code(batch, 12, 12) == BROKEN and code(batch, 6, 5) == RESOURCE
        assert code(batch, 7, 5) == (CLAIMED + 4 + DRY if k < 6 else RESOURCE)


def test_torus():
    """In `rooms` steps, views and beams go on at the other side."""
    rows = [["." for _ in range(21)] for _ in range(21)]
    for k in range(9):
        rows[20][2 * k + 1] = "s"
    rows[5][20] = rows[5][1] = "r"
    batch = started(Territory("rooms", payout=0.0, end_probability=0.0), 1, ["".join(row) for row in rows])
    for a in range(9):
        put(batch, a, 2 * a + 1, 15, NORTH)
    put(batch, 0, 0, 5, WEST)
    put(batch, 1, 0, 18, NORTH)
    put(batch, 2, 19, 18, WEST)
    put(batch, 3, 0, 19, EAST)
    batch.step([*(NOOP,) * 9])
    assert code(batch, 20, 5) == CLAIMED
    view = batch.observations["view"][0, 0]
    assert view[8, 5] == MINE and view[10, 5] == RESOURCE
    assert (view > 0).all()
    assert batch.observations["view"][0, 2][9, 6] == FLOOR
    put(batch, 0, 0, 6, WEST)
    batch.step([FORWARD, NOOP, ZAP, *(NOOP,) * 6])
    assert where(batch, 0) == (20, 6) and not batch.records["marked"].any()
    put(batch, 2, 20, 18, EAST)
    for _ in range(4):
        batch.step([*(NOOP,) * 9])
    batch.step([NOOP, NOOP, ZAP, *(NOOP,) * 6])
    assert np.flatnonzero(batch.records["marked"][0]).tolist() == [1, 3]  # ahead, and to the right ahead
    assert batch.observations["marks"][0, 2].tolist() == [0, 1, 0, 1, *[0] * 5]


# All together.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "reference", "error", "here"),
    [
        # Melting Pot's, `rooms` as specified, of 8 episodes, the others of 24; and this world's of 512.
        ("rooms", 524.4, 19.2, 535.3),
        ("inside_out", 249.1, 13.6, 247.2),
        ("open", 109.5, 6.9, 105.3),
    ],
)
def test_random_play(form, reference, error, here):
    mean, own_error = random_play("Territory", 64, form=form, end_probability=0.0)
    assert abs(mean - reference) < 3 * np.hypot(error, own_error)
    assert abs(mean - here) < 4 * own_error + 2


@pytest.mark.slow
def test_what_fighting_costs():
    """All do well side by side in their rooms; one who fights gets more, but where all fight little is left."""
    diagram = schelling("Territory", "peaceful", "aggressor", num_envs=1, steps=500, form="rooms", end_probability=0.0)
    assert diagram.is_dilemma and diagram.temptation[-1] > 100
    assert diagram.cooperator[-1] > 60 and diagram.cooperator[-1] > 1.5 * diagram.defector[0]


@pytest.mark.slow
def test_policies():
    """Guards hold off who fights; those who claim too much take from those who do not, and from each other."""
    envs = envsuite.make_vec("Territory", 8, form="rooms", end_probability=0.0, horizon=1000)

    def returns(others, first=None):
        envs.reset(seed=0)
        seats = {f"player_{a}": others for a in range(9)} | ({"player_0": first} if first else {})
        return envs.rollout(seats, 1000, seed=0).returns

    peace = returns("peaceful")
    assert peace.min() > 2 * returns("random").mean()
    assert returns("peaceful", "aggressor")[0] > 3 * peace[0] and returns("guard", "aggressor")[0] < 0.7 * peace[0]
    greedy = returns("peaceful", "overclaimer")
    assert greedy[0] > 1.5 * peace[0] and greedy[1:].mean() < 0.95 * peace[1:].mean()
    assert returns("overclaimer").mean() < peace.mean()
    assert np.array_equal(returns("avenger"), peace)  # nobody zaps


def test_levels_and_parameters():
    for form in ("open", "inside_out", "rooms"):
        level = generate("territory", seed=2, form=form)
        world = Territory(form)
        batch = started(world, 1, level["map"], seed=9)
        assert world.get_level(batch.record()) == {"map": level["map"]}
        at = {where(batch, a) for a in range(len(world.agents))}
        assert len(at) == len(world.agents) and all(level["map"][y][x] == "s" for x, y in at)
    env = envsuite.make_parallel("Territory", form="inside_out")
    for rows, message in (
        ([row.replace("s", ".") for row in meadow()], "0 starts"),
        (meadow()[:-1], "23 texts of 23"),
        (["." + row[1:] for row in meadow()], "walls"),
    ):
        with pytest.raises(LevelError, match=message):
            env.reset(seed=0, options={"level": {"map": rows}})
    with pytest.raises(LevelError, match="no form has a map of 2 rows"):
        describe({"kind": "territory", "map": ["..", ".."]})
    with pytest.raises(ParameterError, match="9 places to start"):
        Territory("rooms", players=10)


def test_text_and_picture():
    env = envsuite.make_aec("Territory", form="inside_out")
    env.reset(seed=0, options={"level": {"map": meadow(r=[(x, 20) for x in range(1, 22)])}})
    put(env.batch, 0, 5, 19, SOUTH)
    put(env.batch, 1, 6, 19, SOUTH)
    for action in (NOOP, ZAP, NOOP, NOOP, NOOP):
        env.step(action)
    text = env.text("player_0")
    assert "Resources of yours: 1 ahead." in text and "Resources of player_1's, damaged: 1 ahead 1 left." in text
    assert "Resources of nobody's, damaged: 1 ahead 2 left." in text and "Resources of player_2's" not in text
    assert "Resources of yours: none in view." in env.text("player_4") or "player_4" not in env.agents
    assert len(env.scene().shapes) > 100


@pytest.mark.parametrize("freeze, recovery, cooldown, delay", [(3, 6, 2, 0), (5, 9, 4, 7)])
def test_spans_are_parameters(freeze, recovery, cooldown, delay):
    """The first hit freezes and marks for these numbers of steps, the hit included; that many pass between beams."""
    spans = dict(freeze=freeze, recovery=recovery, zap_cooldown=cooldown, mending_delay=delay)
    batch = bare((5, 5, EAST), (6, 5, NORTH), resources=[(6, 3)], mending=1.0, **spans)
    batch.records["cells"][:, cell(batch, 6, 3)] = CLAIMED + DRY
    fired = []
    for _ in range(3 * cooldown):
        act(batch, ZAP)
        fired.append(bool(lit(batch)))
    assert np.flatnonzero(fired)[:2].tolist() == [0, cooldown + 1]
    batch = bare((5, 5, EAST), (6, 5, NORTH), **spans)
    act(batch, ZAP)
    for k in range(1, recovery + 1):
        assert batch.observations["marks"][0, 1, 1] == (k < recovery)
        act(batch, NOOP, STEP_RIGHT)
        assert (where(batch, 1) == (6, 5)) == (k < freeze)
    batch = bare((5, 5, EAST), resources=[(6, 5)], mending=1.0, **spans)
    act(batch, ZAP)
    damaged = 0
    while code(batch, 6, 5) == CLAIMED + DAMAGED:
        damaged += 1
        act(batch, NOOP)
    assert damaged == delay + 1
