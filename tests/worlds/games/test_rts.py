"""RTS: recorded matches of microRTS cycle by cycle, with views and rewards, each rule alone, levels, and baselines."""

import kit
import numpy as np
import pytest
from scipy import ndimage

from envsuite.agents import make_policy
from envsuite.core.record import as_views
from envsuite.games import rts
from envsuite.games.rts import ACTIONS, LETTERS, WAIT
from envsuite.generators import describe, generate, generate_many, mutate, split_of

ID = "envsuite/RTS-v0"
MATCHES = np.load(kit.DATA / "RTS" / "rts_reference.npz")  # made by tests/rts_reference.py
ORDER = {name: k for k, name in enumerate(ACTIONS)}


def started(rows, purse=5, stock=20, **params):
    """A game on a map, and its record as kernels see it."""
    batch = kit.started(ID, size=len(rows), level={"map": rows, "stock": stock, "purse": purse}, **params)
    return batch, as_views(batch.records)[0]


def digest(s, seen=None):
    """As in tests/rts_reference.py; where some cells are `seen`, of what is on them alone."""
    cells = np.flatnonzero(s.kind if seen is None else (s.kind > 0) & seen)
    rows = [(c, *(int(part[c]) for part in (s.kind, s.owner, s.health, s.load))) for c in cells]
    total = 0
    for row in (*rows, s.purse.tolist() if seen is None else ()):
        for number in row:
            total = (31 * total + int(number) + 7) % 2147483647
    return total


def replay(k):
    """A recorded match through `issue` and `carry_out`: units, purses, partial views, rewards and its facts."""
    size, winner, last, conflicts, table = MATCHES[f"{k}/about"].tolist()
    cells, stock = ["."] * size * size, 0
    for cell, kind, owner, _, load in MATCHES[f"{k}/start"].tolist():
        cells[cell] = LETTERS[kind].lower() if owner == 2 else LETTERS[kind]
        stock = load if kind == rts.DEPOSIT else stock
    rows = ["".join(cells[row * size : (row + 1) * size]) for row in range(size)]
    batch, s = started(rows, stock=stock, table=rts.TABLES[table], fog=True)
    orders, at, waits = MATCHES[f"{k}/orders"].tolist(), 0, 0
    s.objectives[:] = 0.0
    for time, expected in enumerate(MATCHES[f"{k}/digests"].tolist()):
        s.time, begun = time, []
        while at < len(orders) and orders[at][0] == time:
            _, cell, order, wait = orders[at]
            s.order[cell], s.began[cell] = order, time
            s.ends[cell] = time + (wait if order == WAIT else rts.duration(s, cell, order))
            rts.count_order(s, s.owner[cell] - 1, cell)
            rts.issue(s, cell)
            begun.append((cell, order))
            at += 1
        waits += sum(s.order[cell] != order for cell, order in begun)
        s.time = time + 1
        rts.carry_out(s)
        assert digest(s) == expected, f"match {k}, cycle {time}"
        if time % 10 == 0:
            views = [batch.world.observation(s, player).cells[:, :, 0].reshape(-1) != rts.UNSEEN for player in range(2)]
            assert [digest(s, seen) for seen in views] == MATCHES[f"{k}/views"][time].tolist()
    rts.finish(s)
    assert s.objectives.tolist() == MATCHES[f"{k}/rewards"].tolist()
    assert waits == conflicts and at == len(orders)
    assert s.time == last
    alive = [int((s.owner == player + 1).sum()) for player in range(2)]
    assert winner == (-1 if all(alive) else int(alive[1] > 0))
    return conflicts


@pytest.mark.parametrize("k", [0, 1, 3, 11])
def test_matches_of_microrts_play_again(k):
    replay(k)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 4, 5, 6, 7, 8, 9, 10, 12, 13])
def test_more_matches_of_microrts_play_again(k):
    replay(k)


def test_the_matches_have_conflicts_and_known_ends():
    about = np.array([MATCHES[f"{k}/about"] for k in range(14)])
    assert about[:, 3].sum() >= 20
    assert about[[2, 8, 11], 2].tolist() == [205, 185, 355] and about[[2, 8, 11], 1].tolist() == [0, 1, 0]


def test_the_standard_map_is_that_of_microrts():
    for k, size in ((2, 8), (11, 16)):
        batch = kit.started(ID, size=size)
        s = as_views(batch.records)[0]
        found = [[c, *(int(part[c]) for part in (s.kind, s.owner, s.health, s.load))] for c in np.flatnonzero(s.kind)]
        assert found == MATCHES[f"{k}/start"].tolist() and s.purse.tolist() == [5, 5]


# Rules, through the interface.


def give(batch, first, second="wait"):
    """One order of each player."""
    batch.step(np.array([[ORDER[first], ORDER[second]]]))


EMPTY = ["......"] * 6


def field(**rows):
    """Six rows, of which some are given: r0 to r5."""
    return [rows.get(f"r{k}", row) for k, row in enumerate(EMPTY)]


def test_units_for_the_same_cell_wait_for_the_shorter_time():
    batch, s = started(field(r2=".L.w.."))
    give(batch, "move east", "move west")
    assert s.kind[13] == rts.LIGHT and s.kind[15] == rts.WORKER and s.kind[14] == 0
    assert s.time == 8 and s.asked.tolist() == [13, 15]


def test_an_attack_can_be_dodged_and_hits_who_stands_there():
    batch, s = started(field(r2=".AL.w."))
    give(batch, "attack 3 east", "wait")
    give(batch, "wait", "wait")
    assert s.time == 5 and s.owner[16] == 0 and batch.terminations[0].all()
    assert batch.rewards[0].tolist() == [1.0, -1.0]
    batch, s = started(field(r2=".A..w."), wait=6)
    give(batch, "wait", "move east")  # done in cycle 10
    give(batch, "attack 3 east")  # hits in cycle 11
    while s.time < 11:
        give(batch, "wait")
    assert s.owner[17] == 2 and s.owner[16] == 0 and not batch.terminations.any()


def test_the_dead_still_strike_in_the_same_cycle():
    batch, s = started(field(r2="..Ww.."))
    give(batch, "attack 1 east", "attack 1 west")
    assert s.time == 5 and not s.kind.any() and batch.rewards[0].tolist() == [0.0, 0.0]
    assert batch.terminations[0].all()


def test_a_harvest_takes_20_cycles_and_a_return_10():
    batch, s = started(field(r0="*WB...", r5=".....b"), stock=1, purse=0, wait=20)
    give(batch, "harvest west")
    give(batch, "wait")
    assert s.time == 20 and s.load[1] == 1 and s.kind[0] == rts.NOTHING
    while s.purse[0] == 0:
        choice = "return east" if s.asked[0] == 1 else "wait"
        give(batch, choice)
    assert s.purse.tolist() == [1, 0] and s.time == 30 and s.load[1] == 0


def test_builds_reserve_their_cost_and_pay_at_the_end():
    batch, s = started(field(r2="B..B..", r5=".....b"), purse=1, wait=50)
    assert {"build worker north", "build worker east", "build worker south"} <= kit.legal(batch, 0)
    give(batch, "build worker east")
    assert kit.legal(batch, 0) == {"wait"} and s.purse[0] == 1
    give(batch, "wait")
    assert s.time == 50 and s.purse[0] == 0 and s.kind[13] == rts.WORKER


def test_moves_reserve_their_cell_for_their_own_player():
    batch, _ = started(field(r2=".W.W..", r5=".....b"), purse=0)
    give(batch, "move east")
    assert kit.legal(batch, 0) == {"wait", "move north", "move east", "move south"}


def test_orders_of_this_cycle_are_hidden_from_the_other_player():
    batch, _ = started(field(r1="L.....", r2=".W.W..", r5="b...b."))
    give(batch, "move east", "wait")
    cells = batch.observations["cells"][0]
    assert cells[0, 1, 0, 4] == 1 + ORDER["move east"] and cells[1, 1, 0, 4] == 0


def test_draw_at_the_last_cycle():
    batch, s = started(field(r0="W....w"), cycles=25)
    for _ in range(3):
        give(batch, "wait")
    assert s.time == 25 and batch.truncations[0].all() and not batch.rewards.any()


@pytest.mark.parametrize("seed", [0, 1])
def test_a_player_in_fog_sees_what_its_units_see(seed):
    """Cell by cell with the table of sights of microRTS; the masks are those of a player that sees everything."""
    sights = {rts.BASE: 5, rts.BARRACKS: 3, rts.WORKER: 3, rts.LIGHT: 2, rts.HEAVY: 2, rts.RANGED: 3}
    rows, size = ["*WB......#", "...K......", "L.........", ".......H..", "##........", "..........", "...A...#.."], 10
    rows += ["w.l......a", "..........", "*...b..k.h"]
    level = {"map": rows, "stock": 5, "purse": 20}
    foggy, clear = (kit.started(ID, size=size, level=level, cycles=1500, fog=fog) for fog in (True, False))
    rng, place = np.random.default_rng(seed), np.indices((size, size)).reshape(2, -1).T
    s = as_views(foggy.records)[0]
    for _ in range(120):
        for player in range(2):
            own = np.flatnonzero(s.owner == player + 1)
            far = np.array([sights[k] for k in s.kind[own].tolist()])
            squared = ((place[:, None] - place[own]) ** 2).sum(axis=2)
            seen = (squared <= far**2).any(axis=1).reshape(size, size)
            shown, all_of_it = (batch.observations["cells"][0, player] for batch in (foggy, clear))
            assert (shown[seen] == all_of_it[seen]).all()
            walls = s.walls.reshape(size, size)[~seen] > 0
            assert (shown[~seen][:, 0] == np.where(walls, rts.WALL, rts.UNSEEN)).all() and not shown[~seen][:, 1:].any()
        assert (foggy.masks == clear.masks).all()
        if foggy.over()[0]:
            break
        actions = np.array([[rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in foggy.masks[0]]])
        foggy.step(actions)
        clear.step(actions)


def test_rushes_find_an_enemy_in_fog():
    for name in ("worker_rush",):
        assert match(name, "random", size=12, fog=True)[0] == 1.0


def test_objectives_count_orders_that_begin():
    """Row by row; the orders of a cycle begin, and count, when the last of them is given."""
    rows = field(r0="*W....", r1="B.....", r2="..Lw..", r4="W.K..b")
    batch, s = started(rows, purse=20, weights=(10, 1, 2, 3, 4, 5))
    for order in ("harvest west", "build worker south", "attack 1 east", "build barracks north"):
        give(batch, order, "wait")
        assert not batch.rewards.any() and not batch.vector_rewards.any()
    give(batch, "build heavy south", "wait")
    assert batch.vector_rewards[0].tolist() == [[0, 1, 1, 1, 1, 1], [0] * 6]
    assert batch.rewards[0].tolist() == [1 + 2 + 3 + 4 + 5, 0]
    assert not batch.world.paid_at_end


def test_levels_are_refused():
    good = {"map": field(r0="W....w"), "stock": 1, "purse": 0}
    kit.refuses(
        kit.started(ID, size=6).world,
        (good | {"map": field(r0="W.....")}, "player_1 has no unit"),
        (good | {"map": field(r0="W....x")}, "the letter 'x'"),
        (good | {"map": EMPTY[1:]}, "6 texts of 6 letters"),
        (good | {"stock": 0}, "stock=0 must be an integer from 1 to 255"),
        (good | {"purse": 1001}, "purse=1001 must be an integer from 0 to 1000"),
        (good | {"fog": 1}, "unknown part 'fog'"),
    )


# Baselines.


def match(first, second, **params):
    """Reward of player 0, and the cycle at the end."""
    batch = kit.started(ID, **params)
    players = [make_policy(name, batch.world) for name in (first, second)]
    for player in players:
        player.reset(0, 1)
    while not (batch.terminations | batch.truncations)[0].any():
        chosen = [
            player.act_batch(batch.observations[:, [k]], batch.masks[:, [k]], [k])[:, 0]
            for k, player in enumerate(players)
        ]
        batch.step(np.stack(chosen, axis=1) * batch.acting)
    return float(batch.rewards[0, 0]), int(batch.records["time"][0])


@pytest.mark.parametrize(
    "first, second, result",
    [
        ("worker_rush", "light_rush", 1),
        ("worker_rush", "heavy_rush", 1),
        ("worker_rush", "ranged_rush", 1),
        ("light_rush", "worker_rush", -1),
        ("light_rush", "heavy_rush", -1),
        ("light_rush", "ranged_rush", 1),
        ("ranged_rush", "heavy_rush", -1),
        ("worker_rush", "worker_rush", 0),
    ],
)
def test_who_wins_is_as_in_microrts(first, second, result):
    """On 8 x 8 cells; most pairs are among the recorded matches, in one order or the other."""
    assert match(first, second)[0] == result


@pytest.mark.parametrize("name", ["worker_rush", "light_rush", "heavy_rush", "ranged_rush"])
def test_rushes_beat_random_play(name):
    assert match(name, "random")[0] == 1.0 and match("random", name)[0] == -1.0


# Generated maps.


def reachable(rows):
    """The cells that a unit can walk to from the first open cell, and all open cells, by SciPy."""
    free = np.array([[letter not in "#*" for letter in row] for row in rows])
    parts, count = ndimage.label(free)
    return count == 1, free


def test_generated_maps_are_fair_and_connected():
    cases = (dict(), dict(size=6, deposits=3, walls=0.5), dict(size=9, walls=0.4, deposits=2), dict(size=13, walls=0.0))
    for params in cases:
        for split in ("train", "test"):
            for level in generate_many("battlegrounds", 6, 2, split, **params):
                rows, size = level["map"], params.get("size", 8)
                assert [row.swapcase()[::-1] for row in rows][::-1] == rows
                connected, free = reachable(rows)
                assert connected and split_of(level) == split
                wide = ndimage.binary_dilation(free)
                letters = np.array([list(row) for row in rows])
                assert wide[letters == "*"].all()
                counts = [int((letters == letter).sum()) for letter in "BbWw*"]
                assert counts == [1, 1, 1, 1, 2 * params.get("deposits", 1)]
                assert (letters == "#").sum() <= 2 * round(params.get("walls", 0.15) * (size * size // 2) + 0.01)
                batch = kit.started(ID, size=size, level=level)
                assert batch.world.get_level(batch.record()) == {k: level[k] for k in ("map", "stock", "purse")}


def test_more_walls_and_larger_maps_are_longer_ways():
    def ways(**params):
        return np.mean([describe(level)["difficulty"] for level in generate_many("battlegrounds", 40, **params)])

    by_walls = [ways(size=10, walls=share) for share in (0.0, 0.2, 0.4)]
    by_size = [ways(size=size) for size in (6, 8, 12)]
    assert by_walls == sorted(by_walls) and by_walls[2] > by_walls[0] + 1
    assert by_size == sorted(by_size) and by_size[2] > by_size[0] + 4


def test_rushes_work_on_generated_maps():
    for level in generate_many("battlegrounds", 3, 5, "test"):
        assert match("worker_rush", "random", level=level)[0] == 1.0


def test_changes_keep_a_map_sound():
    level = generate("battlegrounds", 3, size=9)
    for seed in range(20):
        changed = mutate(level, seed)
        assert changed != level and reachable(changed["map"])[0]
        level = changed
