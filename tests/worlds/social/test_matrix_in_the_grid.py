"""MatrixInTheGrid: its maps, each rule by a probe, its chances by their frequencies, its games and who plays them."""

import itertools

import melting_pot_play
import numpy as np
import pytest
from avatar_play import cell, hall, put, random_play, started, where
from melting_pot_play import Follower, Rules
from scipy import ndimage, stats

import envsuite
from envsuite.core.errors import LevelError, ParameterError
from envsuite.evaluation.schelling import schelling
from envsuite.generators import describe, generate_many, mutate
from envsuite.generators.payoffs import equilibria
from envsuite.kit.avatars import FLOOR, LIT, OWN, PLAYER, WALL
from envsuite.social.matrix_in_the_grid import GAMES, HITS, READY, UNREADY, MatrixInTheGrid, levels
from envsuite.social.matrix_in_the_grid.levels import SIZES

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, INTERACT = range(8)
EAST, SOUTH, WEST, NORTH = range(4)


def plain(form="repeated"):
    """A level without inner walls and without resources; starts are in the lowest row."""
    height, width = SIZES[form]
    return hall(width, height, "s" * (width - 2))


def bare(num=1, form="repeated", **parameters):
    """Worlds that are such a hall."""
    return started(MatrixInTheGrid(form=form, end_probability=0.0, **parameters), num, plain(form))


def lay(batch, x, y, kind, damage=0):
    """Put a resource on a cell of every world."""
    batch.records["cells"][:, cell(batch, x, y)] = batch.records["ground"][:, cell(batch, x, y)] = (
        OWN + HITS * kind + damage
    )


def lies(batch, x, y):
    """The class and the damage of the resource on a cell, or nothing."""
    code = int(batch.records["cells"][0, cell(batch, x, y)]) & (LIT - 1)
    return divmod(code - OWN, HITS) if code >= OWN else None


def face(batch, *inventories):
    """Two agents face each other, three cells apart, and are ready."""
    put(batch, 0, 5, 5, EAST)
    put(batch, 1, 8, 5, WEST)
    for a, inventory in enumerate(inventories):
        batch.records["inventory"][:, a] = inventory
        batch.records["status"][:, a] = READY


def paid(batch, *actions, steps=18):
    """The rewards of an interaction that begins with these actions, and the step at which they came."""
    others = [NOOP] * (len(batch.world.agents) - len(actions))
    for t in range(steps):
        batch.step([*(actions if t == 0 else [NOOP] * len(actions)), *others])
        if batch.rewards.any():
            return batch.rewards[0].tolist(), t
    return [0.0] * len(batch.world.agents), None


# Melting Pot.


def insert(s, at, letter):
    """Let a resource come back on the map of a record; an agent that has come to stand there takes it."""
    waiting, count, kind = s["waiting"], int(s["waiting_count"]), int(letter) - 1
    (found,) = np.flatnonzero(waiting[:count] == at) if at in waiting[:count] else (-1,)
    if found < 0 or s["t"] < s["due"][found] or at in s["stood"] or (int(s["ground"][at]) - OWN) // HITS != kind:
        return False
    there = int(s["cells"][at]) & LIT - 1
    if there >= PLAYER:
        a = (there - PLAYER) >> 2
        s["inventory"][a, kind] += 1
        s["status"][a] = max(s["status"][a], READY)
        s["due"][found] = s["t"] + s["params"]["delay"] + 1
        return True
    s["cells"][at] += s["ground"][at] - FLOOR
    s["waiting_count"] = count - 1
    for name in ("waiting", "due"):
        s[name][found] = s[name][count - 1]
    return there == FLOOR


def taken_unseen(follower, before, frame):
    """Resources that may have come back where agents came to stand, which took them."""
    ways = zip(before["g"], frame["g"])
    walked = [tuple(new[:2]) for old, new in ways if old and new and old[:2] != new[:2]]
    sites = [(x, y) for x, y in walked if follower.rows[y][x] in "12"]
    for count in range(1, len(sites) + 1):
        for chosen in itertools.combinations(sites, count):
            yield [(len(follower.rows[0]) * y + x, follower.rows[y][x]) for x, y in chosen]


def whole(follower, i, frame):
    """Damage is not compared, since it differs in what the page says, and shows late: all resources are whole."""
    s = follower.batch.records[i]
    for name in ("cells", "ground"):
        sites = s[name] >= OWN
        s[name][sites] -= ((s[name] & LIT - 1) - OWN)[sites] % HITS


def remember(follower, i, frame):
    follower.now = frame


def inventory(follower, i):
    """In Melting Pot, one of two agents that interact loses its inventory at once: see the page."""
    s = follower.batch.records[i]
    return np.where(s["frozen"][:, None] > 0, follower.now["o"]["inventory"], s["inventory"])


RULES = Rules(
    letters={WALL: "#", **{OWN + HITS * kind + damage: str(kind + 1) for kind in range(2) for damage in range(HITS)}},
    insert=insert,
    grows="12",
    late=True,
    hidden=taken_unseen,
    prepare=whole,
    settle=remember,
    observed={
        "ready": lambda follower, i: 1 - follower.batch.records["cooldown"][i] / 2,
        "interaction": lambda follower, i: follower.batch.records["interaction"][i] if follower.t else None,
        "inventory": lambda follower, i: inventory(follower, i) if follower.t else None,
    },
)


def follow(episode):
    """Follow an episode of Melting Pot; how many resources came back, and how many agents."""
    world = MatrixInTheGrid(form="repeated", growth=0.0, end_probability=0.0, horizon=10_000, **episode["params"])
    follower = Follower(world, episode, RULES)
    return sum(len(grown) for _, grown, *_ in follower.steps()), len(follower.returns)


@pytest.mark.long  # its starts differ from run to run, and rarely meet what the page says is different there
def test_episodes_that_melting_pot_plays_now(tmp_path):
    """Places, facings, resources, beams, payments, inventories, readiness and who is away, in every frame.

    Its resources have been made too hard to destroy.
    """
    episodes = melting_pot_play.played("MatrixInTheGrid", tmp_path, 600)
    grown, back = (sum(found) for found in zip(*map(follow, episodes)))
    assert grown > 3 and back > 1 and sum(len(episode["frames"]) for episode in episodes) > 300


# Maps.


# Melting Pot's census: of a random class, of each class; stag hunts with 3 starts less in each corner and at the rim.
CENSUS = [
    (dict(), [10, 13, 13]),
    (dict(classes=3), [8, 12, 12, 12]),
    (dict(hunt=True), [12, 23, 40]),
    (dict(form="repeated"), [12, 12, 12]),
    (dict(form="repeated", classes=3), [15, 6, 6, 6]),
    (dict(form="repeated", hunt=True), [12, 10, 25]),
]


@pytest.mark.parametrize("parameters, sites", CENSUS)
@pytest.mark.mostly_slow
def test_maps(parameters, sites):
    levels = generate_many("arena", 50, seed=0, **parameters)
    assert len({tuple(level["map"]) for level in levels}) == 50
    repeated = "form" in parameters
    for level in levels:
        facts = describe(level)
        assert facts["solvable"] and facts["size"] == ([15, 23] if repeated else [24, 25])
        assert facts["sites"] == sites + [0] * (9 - len(sites))
        assert (facts["walls"], facts["starts"]) == ((42, 13) if repeated else (26, 64))
        turned = [row[::-1] for row in level["map"][::-1]]
        for letter in "#s":  # the same from the other side
            assert [row.replace(letter, "!") == row for row in turned] == [
                row.replace(letter, "!") == row for row in level["map"]
            ]
        changed = mutate(level, seed=1)
        assert changed != level and describe(changed) == facts
    with pytest.raises(ParameterError, match="2 classes"):
        generate_many("arena", 1, classes=3, hunt=True)


@pytest.mark.parametrize("form", SIZES)
def test_parts_of_a_map(form):
    """Blocks of a class that touch no others and no starts, pieces of wall that touch no wall; all on both sides."""
    maps = [np.array([*map(list, level["map"])]) for level in generate_many("arena", 5, seed=3, form=form)]
    lengths, whole = set(), np.ones((3, 3))  # parts that touch at a corner are one
    for rows in maps:
        height, width = rows.shape
        walls = rows == "#"
        assert walls[[0, -1]].all() and walls[:, [0, -1]].all()
        walls[[0, -1]] = walls[:, [0, -1]] = False
        pieces = ndimage.find_objects(ndimage.label(walls, whole)[0])
        for high, wide in pieces:
            assert walls[high, wide].all() and min(walls[high, wide].shape) == 1
            assert 2 <= high.start and high.stop <= height - 2 and 2 <= wide.start and wide.stop <= width - 2
            lengths.add(walls[high, wide].size)
        blocks, count = ndimage.label(~np.isin(rows, ["#", "."]), whole)
        for k in range(1, count + 1):
            letters = rows[blocks == k]
            assert len(set(letters)) == 1 and (letters[0] == "s" or len(letters) <= 7)
        for letter in "?12":
            alone = (rows == letter) & (rows[::-1, ::-1] != letter)
            assert alone.sum() == (rows == letter).sum() % 2
        starts = rows == "s"
        if form == "arena":
            assert all(corner.all() for corner in (starts[1:5, 1:5], starts[1:5, -5:-1], starts[-5:-1, 1:5]))
        else:
            assert starts[height // 2, width // 2] and starts.sum() - starts[2:-2, 2:-2].sum() == 12
    assert lengths == {1, 2, 3, 4}


def test_room_for_blocks_and_for_pieces_of_wall():
    """Both against sets of cells, on small maps with other things, at any place, of any shape."""
    rng, whole = np.random.default_rng(0), np.ones((3, 3))
    found = []
    for _ in range(200):
        rows = np.pad(np.full((8, 10), levels.FLOOR), 1, constant_values=levels.WALL)
        for _ in range(rng.integers(3)):
            rows[rng.integers(1, 9), rng.integers(1, 11)] = rng.choice([levels.WALL, levels.START, levels.RANDOM])
        columns, high = rng.integers(1, 4, 2)
        x, y = rng.integers(1, 12 - columns), rng.integers(1, 10 - high)
        free = np.isin(rows[y - 1 : y + high + 1, x - 1 : x + columns + 1], [levels.FLOOR, levels.WALL]).all()
        assert levels.bare(rows, x, y, columns, high) == free
        length, down = rng.integers(1, 5), rng.integers(2)
        x, y = rng.integers(1, 12 - (1 if down else length)), rng.integers(1, 10 - (length if down else 1))
        piece = np.zeros(rows.shape, bool)
        piece[y : y + (length if down else 1), x : x + (1 if down else length)] = True
        copy, near = piece[::-1, ::-1], ndimage.binary_dilation(piece, whole)
        room = not (near & copy).any() and (rows[piece | copy] == levels.FLOOR).all()
        room &= (rows[near | near[::-1, ::-1]] != levels.WALL).all()
        assert levels.alone(rows, x, y, length, down) == room
        found.append((free, room))
    assert (np.abs(np.mean(found, axis=0) - 0.5) < 0.45).all()


# What both get if all shares are equal: the means of the tables.
EQUAL_SHARES = [
    ("prisoners_dilemma", 2.25),
    ("stag_hunt", 2),
    ("chicken", 2.5),
    ("battle_of_the_sexes", 1.25),
    ("pure_coordination", 1 / 3),
    ("rationalizable_coordination", 2 / 3),
    ("running_with_scissors", 0),
]


@pytest.mark.parametrize("game, value", EQUAL_SHARES)
def test_payments(game, value):
    """Equal shares; then shares of (k + 1) / (k + K) after k of one class and none else."""
    classes = len(GAMES[game].actions)
    batch = bare(game=game)
    face(batch, [3] * classes, [2] * classes)
    rewards, _ = paid(batch, INTERACT, NOOP)
    assert rewards == pytest.approx([value, value], abs=1e-12)
    table = GAMES[game].payoffs
    for one, other in ((0, 1), (1, 1), (0, 0)):
        batch = bare(game=game)
        shares = np.full((2, classes), 1 / (4 + classes))
        inventories = np.ones((2, classes), int)
        for a, kind in enumerate((one, other)):
            inventories[a, kind] += 4
            shares[a, kind] = 5 / (4 + classes)
        face(batch, *inventories)
        rewards, _ = paid(batch, NOOP, INTERACT)
        assert rewards == pytest.approx([shares[0] @ table[k] @ shares[1] for k in range(2)])


def test_named_games_are_those_of_the_reference():
    """Melting Pot's configurations."""
    rows = {
        "prisoners_dilemma": [[3, 0], [5, 1]],
        "stag_hunt": [[4, 0], [2, 2]],
        "chicken": [[3, 2], [5, 0]],
        "battle_of_the_sexes": [[3, 0], [0, 2]],
        "pure_coordination": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "rationalizable_coordination": [[1, 0, 0], [0, 2, 0], [0, 0, 3]],
        "running_with_scissors": [[0, -10, 10], [10, 0, -10], [-10, 10, 0]],
    }
    assert {name: table.payoffs[0].tolist() for name, table in GAMES.items()} == rows
    for name, table in GAMES.items():
        column = [[2, 0], [0, 3]] if name == "battle_of_the_sexes" else np.transpose(rows[name]).tolist()
        assert table.payoffs[1].tolist() == column
    ends = {"prisoners_dilemma": (0.15, 0.1), "stag_hunt": (0.1, 0.1), "running_with_scissors": (0.2, 0.2)}
    for name in GAMES:
        for form, end in zip(("arena", "repeated"), ends.get(name, (0.2, 0.1))):
            params = MatrixInTheGrid(game=name, form=form)._params
            assert params["end_probability"] == end
            assert params["delay"] == (15 if (name, form) == ("running_with_scissors", "repeated") else 10)
            assert params["horizon"] == (2500 if (name, form) == ("stag_hunt", "repeated") else 5000)


def test_equilibria_of_the_page():
    assert equilibria(GAMES["prisoners_dilemma"].payoffs) == [(1, 1)]
    assert equilibria(GAMES["stag_hunt"].payoffs) == [(0, 0), (1, 1)]
    assert equilibria(GAMES["chicken"].payoffs) == [(0, 1), (1, 0)]
    assert equilibria(GAMES["battle_of_the_sexes"].payoffs) == [(0, 0), (1, 1)]
    assert equilibria(GAMES["rationalizable_coordination"].payoffs) == [(0, 0), (1, 1), (2, 2)]
    assert equilibria(GAMES["running_with_scissors"].payoffs) == []
    mixed = {  # what the row and the column player mix, and the value for both
        "stag_hunt": ([1 / 2, 1 / 2], [1 / 2, 1 / 2], 2),
        "chicken": ([1 / 2, 1 / 2], [1 / 2, 1 / 2], 5 / 2),
        "battle_of_the_sexes": ([3 / 5, 2 / 5], [2 / 5, 3 / 5], 6 / 5),
        "pure_coordination": ([1 / 3] * 3, [1 / 3] * 3, 1 / 3),
        "rationalizable_coordination": ([6 / 11, 3 / 11, 2 / 11], [6 / 11, 3 / 11, 2 / 11], 6 / 11),
        "running_with_scissors": ([1 / 3] * 3, [1 / 3] * 3, 0),
    }
    for name, (row, column, value) in mixed.items():  # all that is mixed is worth the same
        table = GAMES[name].payoffs
        assert np.allclose(table[0] @ column, value) and np.allclose(row @ table[1], value)


CUSTOM = [[[0, 1], [2, 3]], [[10, 20], [30, 40]]]


@pytest.mark.parametrize("first, actions", [(0, (INTERACT, NOOP)), (1, (NOOP, INTERACT))])
def test_who_fires_is_the_row_player(first, actions):
    batch = bare(game="custom", payoffs=CUSTOM)
    face(batch, [3, 1], [1, 1])
    rewards, _ = paid(batch, *actions)
    shares = [[0.75, 0.25], [0.5, 0.5]]
    row, column = np.array(shares[first]), np.array(shares[1 - first])
    wanted = [row @ np.array(table) @ column for table in CUSTOM]
    assert rewards == pytest.approx(wanted if first == 0 else wanted[::-1])


def test_roles():
    """With roles the first half are row players, whoever fires, and only unlike ones interact."""
    for actions in ((INTERACT, NOOP), (NOOP, INTERACT)):
        batch = bare(game="battle_of_the_sexes")
        assert batch.observations["role"][0].tolist() == [1, 2]
        face(batch, [99, 1], [99, 1])
        rewards, _ = paid(batch, *actions)
        assert rewards == pytest.approx([0.99**2 * 3 + 0.01**2 * 2, 0.99**2 * 2 + 0.01**2 * 3])
    for other, meet in ((3, False), (4, True)):
        batch = bare(form="arena", game="battle_of_the_sexes")
        put(batch, 0, 5, 5, EAST)
        put(batch, other, 7, 5, WEST)
        batch.records["status"][:] = READY
        batch.step([INTERACT, *[NOOP] * 7])
        assert (batch.observations["interaction"][0, 0, 0, 0] >= 0) == meet
    assert bare(form="arena").observations["role"].max() == 0


def test_an_interaction_from_beginning_to_end():
    """Steps as in a run of Melting Pot under dmlab2d 1.0.2: paid 17 steps later, back 6 after that, then free."""
    batch = bare()
    face(batch, [3, 1], [1, 4])
    batch.step([INTERACT, NOOP])
    seen = batch.observations
    assert seen["interaction"][0].tolist() == [[[3, 1], [1, 4]], [[1, 4], [3, 1]]]
    assert seen["status"][0].tolist() == [[3, 6], [3, 6]]  # they get 0.9 and 3.65, of 0 to 5
    places = [where(batch, a) for a in range(2)]
    for t in range(1, 17):
        batch.step([[FORWARD, TURN_LEFT, INTERACT][t % 3], STEP_LEFT])
        assert not batch.rewards.any() and (batch.observations["interaction"] == -1).all()
        assert [where(batch, a) for a in range(2)] == places and batch.records["facing"][0].tolist() == [EAST, WEST]
        assert batch.observations["ready"][0, :, 0].tolist() == [0, 1]  # nothing cools down
        assert batch.observations["inventory"][0].tolist() == [[3, 1], [1, 4]]
    batch.step([NOOP, NOOP])
    # 3/4 and 1/5 cooperate: 3 * 3/20 + 5 * 1/20 + 4/20, and 3 * 3/20 + 5 * 12/20 + 4/20
    assert batch.rewards[0] == pytest.approx([0.9, 3.65])
    assert (batch.observations["inventory"] == 1).all()
    for _ in range(6):
        assert batch.records["away"].all() and not batch.observations["view"].any()
        assert not batch.observations["status"].any()
        batch.step([FORWARD, FORWARD])
    assert not batch.records["away"].any() and where(batch, 0)[1] == where(batch, 1)[1] == 13
    batch.step([INTERACT, INTERACT])
    assert batch.observations["ready"][0, :, 0].tolist() == [0.5, 0]


def test_away_in_the_arena():
    batch = bare(form="arena")
    face(batch, [2, 1], [1, 4])
    assert paid(batch, INTERACT)[1] == 17
    away = 0
    while batch.records["away"][0, :2].any():
        away += 1
        batch.step([*[NOOP] * 8])
    assert away == 51 and where(batch, 0)[1] == 22


def test_both_must_be_ready():
    batch = bare()
    put(batch, 0, 5, 5, EAST)
    put(batch, 1, 9, 5, WEST)
    assert batch.observations["inventory"].tolist() == [[[1, 1], [1, 1]]]
    lay(batch, 6, 5, 1)
    batch.step([FORWARD, NOOP])
    assert batch.observations["inventory"][0].tolist() == [[1, 2], [1, 1]] and lies(batch, 6, 5) is None
    assert batch.observations["status"][0].tolist() == [[READY, UNREADY], [READY, UNREADY]]
    put(batch, 1, 10, 5, WEST)
    assert batch.observations["status"][0].tolist() == [[READY, 0], [0, UNREADY]]  # four cells apart, out of view
    put(batch, 1, 9, 5, WEST)
    batch.step([INTERACT, NOOP])
    assert (batch.observations["interaction"] == -1).all() and not batch.records["frozen"].any()
    lay(batch, 8, 5, 0)
    batch.step([NOOP, FORWARD])
    assert batch.observations["status"][0].tolist() == [[READY, READY], [READY, READY]]
    batch.step([NOOP, INTERACT])
    assert batch.records["frozen"].all()


def test_the_beam():
    """Three cells ahead, and three from beside the agent on; nothing behind what stops it."""
    for dx, dy, reached in [(3, 0, 1), (4, 0, 0), (0, 1, 1), (2, -1, 1), (3, 1, 0), (1, 2, 0), (-1, 0, 0), (-1, 1, 0)]:
        batch = bare()
        put(batch, 0, 10, 6, EAST)
        put(batch, 1, 10 + dx, 6 + dy, NORTH)
        batch.records["status"][:] = READY
        batch.step([INTERACT, NOOP])
        assert bool(batch.records["frozen"].any()) == bool(reached), (dx, dy)
    batch = bare()
    face(batch, [2, 1], [1, 2])
    lay(batch, 7, 5, 0)
    batch.step([INTERACT, NOOP])
    assert not batch.records["frozen"].any() and lies(batch, 7, 5) == (0, 1)
    fired = []
    for _ in range(7):
        batch.step([INTERACT, NOOP])
        fired.append(bool(batch.records["fires"][0, 0]))
    assert fired == [False, False, True] * 2 + [False]  # cooldown 2


def test_three_hits_destroy_a_resource():
    batch = bare(cooldown=1, growth=1.0)
    face(batch, [2, 1], [1, 2])
    lay(batch, 7, 5, 1)
    lay(batch, 6, 4, 0)
    for hits in (1, 2):
        batch.step([INTERACT, NOOP])
        assert lies(batch, 7, 5) == (1, hits) and lies(batch, 6, 4) == (0, hits) and not batch.records["frozen"].any()
        seen = batch.observations["view"][0, 0]
        assert seen[1, 2] == OWN + 1 and seen[2, 1] == OWN  # damage is not seen
        batch.step([NOOP, NOOP])
    batch.step([INTERACT, NOOP])
    assert lies(batch, 7, 5) is None and lies(batch, 6, 4) is None
    assert batch.records["frozen"].all()  # the third beam goes on
    for _ in range(10):
        batch.step([NOOP, NOOP])
        assert lies(batch, 7, 5) is None
    batch.step([NOOP, NOOP])
    assert lies(batch, 7, 5) == (1, 0)


def test_damage_lasts():
    batch = bare(growth=1.0, cooldown=1)
    put(batch, 0, 5, 5, EAST)
    put(batch, 1, 15, 10, EAST)
    lay(batch, 6, 5, 1)
    batch.step([INTERACT, NOOP])
    batch.step([FORWARD, NOOP])
    batch.step([BACKWARD, NOOP])
    for _ in range(9):
        batch.step([NOOP, NOOP])
        assert lies(batch, 6, 5) is None
    batch.step([NOOP, NOOP])
    assert lies(batch, 6, 5) == (1, 1)


@pytest.mark.slow
def test_nobody_meets_twice_in_a_step():
    """Several fire at once: one pair interacts, or two that have nobody in common; one of two who fire is first."""
    batch = bare(300, form="arena")
    for a, (x, facing) in enumerate([(5, EAST), (6, EAST), (8, WEST)]):  # 0 at 1; 1 and 2 at each other
        put(batch, a, x, 5, facing)
    batch.records["status"][:] = READY
    batch.step([INTERACT, INTERACT, INTERACT, *[NOOP] * 5])
    frozen = batch.records["frozen"][:, :3] > 0
    kinds = {tuple(row) for row in frozen.tolist()}
    assert kinds == {(True, True, False), (False, True, True)}
    assert stats.binomtest(int(frozen[:, 0].sum()), 300, 1 / 3).pvalue > 1e-4  # 0 fires first of three

    batch = bare(400, game="custom", payoffs=[[[1, 1], [1, 1]], [[2, 2], [2, 2]]])
    face(batch, [2, 1], [2, 1])
    batch.step([INTERACT, INTERACT])
    payment = batch.records["payment"]
    assert (batch.records["cooldown"] == 2).all() and (payment.sum(axis=1) == 3).all()
    assert stats.binomtest(int((payment[:, 0] == 1).sum()), 400, 0.5).pvalue > 1e-4  # the row player is the first


def test_who_is_hit_but_not_ready_meets_nobody_else_either():
    batch = bare(300, form="arena")
    put(batch, 0, 5, 5, EAST)
    put(batch, 1, 6, 5, EAST)  # not ready
    put(batch, 2, 7, 5, EAST)
    batch.records["status"][:, [0, 2]] = READY
    batch.step([INTERACT, NOOP, NOOP, *[NOOP] * 5])
    assert batch.records["met"][:, :2].all() and not batch.records["frozen"].any()


def test_who_is_seen_has_a_status():
    """The agents in the view and the agent itself, and no others; none while it is away."""
    batch = started(MatrixInTheGrid(end_probability=0.0, respawn=5), 32)
    chance = np.random.default_rng(0)
    for _ in range(200):
        batch.step(chance.integers(0, 8, batch.actions.shape))
        codes = batch.observations["view"].reshape(32, 8, -1) & (LIT - 1)
        seen = np.stack([(codes >= PLAYER + 4 * a) & (codes < PLAYER + 4 * a + 4) for a in range(8)], -1).any(axis=2)
        seen |= np.eye(8, dtype=bool) & (batch.records["away"] == 0)[:, :, None]
        status = batch.observations["status"]
        assert ((status > 0) == seen).all()
        assert (status == np.where(seen, batch.records["status"][:, None], 0)).all()


@pytest.mark.parametrize("facing", range(4))
def test_the_status_of_an_agent_at_any_place(facing):
    """Seen up to three cells ahead, one behind and two to each side."""
    batch = bare()
    ahead, right = [((1, 0), (0, 1), (-1, 0), (0, -1))[(facing + turn) % 4] for turn in (0, 1)]
    put(batch, 0, 11, 7, facing)
    for far, side in ((3, 0), (4, 0), (-1, 2), (-2, 0), (3, -2), (1, 3), (1, -3), (0, 2), (0, -2), (-1, 4), (2, -4)):
        put(batch, 1, 11 + far * ahead[0] + side * right[0], 7 + far * ahead[1] + side * right[1], NORTH)
        seen = -1 <= far <= 3 and abs(side) <= 2
        assert batch.observations["status"][0, 0].tolist() == [UNREADY, UNREADY if seen else 0], (far, side)
        assert (batch.observations["view"][0, 0] >= PLAYER + 4).any() == seen


@pytest.mark.parametrize("form, rate", [("repeated", 0.02), ("arena", 0.04)])
def test_growth(form, rate):
    """Not for ten steps, then with this probability a step; not where somebody stands."""
    batch = bare(400, form=form)
    others = [NOOP] * (len(batch.world.agents) - 1)
    put(batch, 0, 2, 5, EAST)
    for x in range(3, 9):
        lay(batch, x, 5, 0)
    for _ in range(6):
        batch.step([FORWARD, *others])
    assert (batch.observations["inventory"][:, 0] == [7, 1]).all()
    cells = [cell(batch, x, 5) for x in range(3, 9)]
    grown = np.zeros(6, int)
    empty = np.zeros(6, int)
    for t in range(7, 60):  # the site at x was emptied in step x - 2
        before = batch.records["cells"][:, cells] >= OWN
        batch.step([NOOP, *others])
        after = batch.records["cells"][:, cells] >= OWN
        for k in range(5):
            if t <= k + 1 + 10:
                assert not after[:, k].any()
            else:
                grown[k] += (after & ~before)[:, k].sum()
                empty[k] += (~before)[:, k].sum()
    assert stats.binomtest(int(grown.sum()), int(empty.sum()), rate).pvalue > 1e-4
    assert (batch.observations["inventory"][:, 0] == [7, 1]).all()  # nothing came back where the agent stands


def test_who_walks_onto_a_site_when_it_comes_back_takes_it():
    """As in Melting Pot, where all of a step is decided by where agents were before it."""
    for early in (0, 1):
        batch = bare(growth=1.0)
        put(batch, 0, 5, 5, EAST)
        lay(batch, 6, 5, 1)
        batch.step([FORWARD, NOOP])
        batch.step([BACKWARD, NOOP])
        for _ in range(9 - early):
            batch.step([NOOP, NOOP])
        batch.step([FORWARD, NOOP])
        taken = 2 if early else 3
        assert batch.observations["inventory"][0, 0].tolist() == [1, taken]
        batch.step([NOOP, NOOP])
        assert batch.observations["inventory"][0, 0].tolist() == [1, taken]


def test_all_comes_back_when_all_are_away():
    """In the repeated form, one step after the payment."""
    for form in ("repeated", "arena"):
        batch = started(MatrixInTheGrid(form=form, growth=0.0, end_probability=0.0), 1)
        grid = batch.records["ground"][0] >= OWN
        here = cell(batch, *next((x, y) for y, x in np.argwhere(batch.records["map"][0] >= 3)))
        batch.records["cells"][0, here] = FLOOR
        batch.records["waiting"][0, 0], batch.records["due"][0, 0], batch.records["waiting_count"][0] = here, 0, 1
        batch.records["status"][:] = READY
        batch.records["frozen"][:] = 1
        batch.step([*[NOOP] * len(batch.world.agents)])
        assert batch.records["away"].all() and batch.records["cells"][0, here] == FLOOR
        batch.step([*[NOOP] * len(batch.world.agents)])
        everything = (batch.records["cells"][0] >= OWN)[grid].all()
        assert everything == (form == "repeated")


@pytest.mark.slow
def test_random_sites():
    """Sites of a random class are drawn anew in each episode, uniformly; the others never."""
    level = plain()
    level[3] = "#" + "?" * 10 + "123" + "." * 8 + "#"
    batch = started(MatrixInTheGrid(form="repeated", game="pure_coordination"), 200, level)
    row = batch.records["cells"][:, [cell(batch, x, 3) for x in range(1, 14)]].astype(int) - OWN
    assert (row[:, 10:] == [0, HITS, 2 * HITS]).all() and not (row[:, :10] % HITS).any()
    counts = np.bincount(row[:, :10].ravel() // HITS, minlength=3)
    assert len(counts) == 3 and stats.chisquare(counts).pvalue > 1e-4


# Melting Pot's random play [mean, standard error] of 8 episodes of 1000 steps (12 of the battle of the sexes), on its
# own map, and what is measured here on maps of our own.
RANDOM_PLAY = [
    ("prisoners_dilemma", "repeated", 2.55, 1.13),
    ("prisoners_dilemma", "arena", 22.2, 1.36),
    ("stag_hunt", "repeated", 5.30, 1.19),
    ("chicken", "repeated", 3.76, 0.91),
    ("pure_coordination", "repeated", 0.42, 0.17),
    ("battle_of_the_sexes", "arena", 9.56, 1.03),
]


@pytest.mark.slow
@pytest.mark.parametrize("game, form, mean, error", RANDOM_PLAY)
def test_random_play(game, form, mean, error):
    ours, spread = random_play("MatrixInTheGrid", 96, game=game, form=form, end_probability=0.0)
    assert abs(ours - mean) < 3 * np.hypot(error, spread)


@pytest.mark.slow
@pytest.mark.parametrize("game, greed, fear", [("prisoners_dilemma", 1, 1), ("stag_hunt", -1, 1), ("chicken", 1, -1)])
def test_dilemmas(game, greed, fear):
    """Prisoner's dilemmas have greed and fear, stag hunts only fear, chicken only greed."""
    diagram = schelling(
        "MatrixInTheGrid", "first", "second", num_envs=256, game=game, form="repeated", end_probability=0
    )
    assert diagram.is_dilemma
    assert greed * diagram.temptation[-1] > 0 and fear * diagram.temptation[0] > 0


@pytest.mark.slow
def test_background_populations():
    """Tit for tat and grim keep cooperating with each other and not with a defector; to counter wins from rock."""
    envs = envsuite.make_vec("MatrixInTheGrid", 32, form="repeated", end_probability=0.0, horizon=1000)
    returns = {}
    for pair in (("first", "second"), ("tit_for_tat", "grim"), ("tit_for_tat", "second"), ("generous", "second"),
                 ("grim", "second"), ("second", "second"), ("random", "random"), ("alternator", "first")):  # fmt: skip
        envs.reset(seed=0)
        returns[pair] = envs.rollout(dict(zip(("player_0", "player_1"), pair)), 1000, seed=0).returns
    assert returns["tit_for_tat", "grim"].min() > 1.5 * returns["second", "second"].max()
    assert returns["second", "second"].min() > 2 * returns["random", "random"].max()
    for name in ("tit_for_tat", "grim"):
        assert returns[name, "second"][0] > returns["first", "second"][0]
    assert returns["first", "second"][0] < returns["generous", "second"][0] < returns["tit_for_tat", "second"][0]
    assert returns["alternator", "first"][0] > returns["alternator", "first"][1]
    scissors = envsuite.make_vec("MatrixInTheGrid", 32, form="repeated", game="running_with_scissors", horizon=1000)
    for name in ("first", "second", "third"):
        scissors.reset(seed=0)
        assert scissors.rollout({"player_0": "counter", "player_1": name}, 1000, seed=0).returns[0] > 5


def test_parameters_levels_text_and_picture():
    for problem, parameters in [
        ("needs payoffs", dict(game="custom")),
        ("must be \\(2, K, K\\)", dict(game="custom", payoffs=np.zeros((2, 2, 3)).tolist())),
        ("not \\(2, 3, 3\\)", dict(game="pure_coordination", payoffs=CUSTOM)),
        ("at most 13", dict(form="repeated", players=14)),
    ]:
        with pytest.raises(ParameterError, match=problem):
            MatrixInTheGrid(**parameters)
    batch = started(MatrixInTheGrid(), 1)
    level = batch.world.get_level(batch.record())
    assert batch.world.get_level(started(batch.world, 1, level["map"], seed=9).record()) == level
    env = envsuite.make_aec("MatrixInTheGrid", form="repeated")
    with pytest.raises(LevelError, match="'3'"):
        env.reset(seed=0, options={"level": {"map": [row.replace(".", "3") for row in plain()]}})
    with pytest.raises(LevelError, match="0 starts"):
        env.reset(seed=0, options={"level": {"map": [row.replace("s", ".") for row in plain()]}})

    batch = bare()
    face(batch, [2, 1], [1, 4])
    put(batch, 1, 7, 5, WEST)
    lay(batch, 6, 4, 0)
    text = batch.world.text(batch.record(), 0)
    assert "You hold: cooperate 2, defect 1. You can interact." in text and "Ready to interact: player_1." in text
    assert "Cooperate: 1 ahead 1 left." in text
    batch.step([INTERACT, NOOP])
    text = batch.world.text(batch.record(), 0)
    assert "who holds: cooperate 1, defect 4. You are frozen, 17 more turns, and will get 1." in text
    shapes = batch.world.scene(batch.record()).shapes
    assert len(shapes) > 100
    assert "+1.00" in {getattr(shape, "text", "") for shape in shapes}


@pytest.mark.parametrize("freeze", [0, 5])
def test_freeze_and_roles_are_parameters(freeze):
    """Paid `freeze` + 1 steps after the interaction began."""
    batch = bare(freeze=freeze)
    face(batch, [3, 1], [1, 4])
    assert paid(batch, INTERACT, NOOP)[1] == freeze + 1
    assert bare(roles=True).observations["role"][0].tolist() == [1, 2]
    assert bare(game="battle_of_the_sexes", roles=False).observations["role"][0].tolist() == [0, 0]
