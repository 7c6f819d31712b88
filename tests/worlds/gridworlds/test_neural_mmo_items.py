"""NeuralMMO with items, professions, exchange, tokens and fog: recorded steps of nmmo 2.1.1, and each rule alone."""

import kit
import neural_mmo_play
import numpy as np
import pytest
from neural_mmo_play import EDGE, ID, drawn, meadow, refresh, row

from envsuite.core.batch import Batch
from envsuite.gridworlds.neural_mmo import items, market, rules
from envsuite.registry import build

RECORDED = np.load(kit.DATA / "NeuralMMO" / "neural_mmo_items.npz")
CHOICE = "move target style deed owner kind grade amount worn asked partner price token".split()
SYSTEMS = {
    "items": {},
    "crafts": dict(professions=True),
    "market": dict(professions=True, exchange=True, tokens=127),
    "bare": dict(professions=True, exchange=True),
}


def begun(level=None, seed=0, compiled=False, **params):
    return neural_mmo_play.begun(1, seed, level, compiled, **dict(items=True, order="number") | params)


# Recorded steps of nmmo.


def asked(s, a, k):
    return s.asked[a, k] if hasattr(s, "asked") else 0


def held(s, a, k):
    """What the recording has of an item."""
    return [s.item[a, k], s.grade[a, k], s.amount[a, k], s.worn[a, k], asked(s, a, k)]


def bag(s, a):
    return sorted(held(s, a, k) for k in range(items.BAG))


def more(s, e):
    """What the recording has of gold, professions, equipment, fights and tokens."""
    gold = s.gold[e] if hasattr(s, "gold") else 0
    if s.health[e] == 0 or e >= len(s.food):
        return [gold if s.health[e] else 0] + [0] * 16
    crafts = [*s.craft[e], *s.craft_skill[e]] if hasattr(s, "craft") else [0] * 5 + [int(s.params.progression)] * 5
    attack = [items.worn_attack(s, e, style) for style in range(3)]
    return [gold, *crafts, *attack, items.worn_defense(s, e), s.engaged[e], s.word[e] if hasattr(s, "word") else 0]


def set_choice(s, a, chosen):
    """Write a recorded choice of a player into the record."""
    choice = dict(zip(CHOICE, chosen.tolist()))
    s.move[a], s.aim[a], s.style[a] = choice["move"], choice["target"], choice["style"]
    s.deed[a], s.partner[a], s.price[a] = choice["deed"], choice["partner"], choice["price"]
    if choice["token"]:
        s.word[a] = choice["token"]
    if choice["kind"]:
        b = choice["owner"] - 1
        wanted = [choice[name] for name in ("kind", "grade", "amount", "worn", "asked")]
        k = next(k for k in range(items.BAG) if held(s, b, k) == wanted)
        s.place[a] = k
        s.offer[a] = b * items.BAG + k + 1


def as_recorded(name, monkeypatch):
    """A world as at the start of a recording, and a dict whose entry "t" is the step that chance is taken from."""
    part = {key: RECORDED[f"{name}_{key}"] for key in ("rows", "bags", "more", "kinds", "powers", "drops", "rules")}
    players, (immunity, equipped, fog) = int((part["kinds"] == 1).sum()), part["rules"].tolist()
    cells = RECORDED["map"] if name != "items" else np.where(RECORDED["map"] > 5, 2, RECORDED["map"])
    batch = begun(
        drawn(cells), size=33, players=players,
        creatures=len(part["kinds"]) - players, regrowth=0.0, immunity=immunity, equipped=bool(equipped),
        progression=bool(equipped), fog=fog, fog_core=4, tasks=40, **SYSTEMS[name],
    )  # fmt: skip
    s, now, weapons = batch.record(), {"t": 0}, iter(RECORDED[f"{name}_weapons"].tolist())

    def queue(s):
        order = [a for a in RECORDED[f"{name}_buyers"][now["t"]].tolist() if a >= 0]
        s.buyers[:] = order + [a for a in range(players) if a not in order]

    def mix_loot(s, e):
        s.loot[:] = sorted(range(items.BAG), key=lambda k: (s.item[e, k], s.grade[e, k]))

    def grow(s):
        for t, x, y in RECORDED[f"{name}_grown"].tolist():
            if t == now["t"]:
                spent, count = (s.scrub, "scrub_count") if s.ground[y + EDGE, x + EDGE] == 3 else (s.used, "used_count")
                s.ground[y + EDGE, x + EDGE] += 1
                left = getattr(s, count) - 1
                cell = (y + EDGE) * len(s.ground) + x + EDGE
                spent[spent[: left + 1].tolist().index(cell)] = spent[left]
                setattr(s, count, left)

    def from_edge(s, y, x):  # the array of cells is odd there, so the fog comes sooner from south and east
        y, x = y - EDGE, x - EDGE
        return min(y, x, 31 - y, 31 - x)

    monkeypatch.setattr(items, "finds_weapon", lambda s: next(weapons))
    for module, function in ((market, queue), (items, mix_loot), (rules, grow), (rules, from_edge)):
        monkeypatch.setattr(module, function.__name__, function)
    monkeypatch.setattr(rules, "refill", lambda s: None)
    rows, bags, first = part["rows"][0], part["bags"][0], part["more"][0]
    s.kind[:], s.drops[:] = part["kinds"], part["drops"]
    s.style[:], s.power[:] = part["powers"].T
    s.x[:], s.y[:], s.health[:] = rows[:, 1] + EDGE, rows[:, 2] + EDGE, rows[:, 3]
    s.experience[:], s.skill[:] = rows[:, 6:9], rows[:, 9:12]
    s.item[:], s.grade[:], s.amount[:] = bags[:, :, 0], bags[:, :, 1], bags[:, :, 2]
    s.task[:], s.times[:] = RECORDED[f"{name}_tasks"].T
    s.farthest[:] = [rules.depth(s, s.y[a], s.x[a]) for a in range(players)]
    if hasattr(s, "craft"):
        s.craft[:], s.craft_skill[:] = first[:players, 1:6], first[:players, 6:11]
    if hasattr(s, "gold"):
        s.gold[:] = first[:, 0]
    return batch, s, now, players


@pytest.mark.parametrize(
    "name, steps", [("market", 25), ("items", 15), *(pytest.param(n, 999, marks=pytest.mark.slow) for n in SYSTEMS)]
)
def test_steps_are_those_of_the_reference(name, steps, monkeypatch):
    batch, s, now, players = as_recorded(name, monkeypatch)
    rows, bags, others, choices, depleted = (
        RECORDED[f"{name}_{part}"] for part in ("rows", "bags", "more", "choices", "depleted")
    )
    everyone = rows.shape[1]
    for t, chosen in enumerate(choices[:steps]):
        now["t"], s.t = t, t + 1
        for a in range(players):
            if s.health[a] > 0:
                set_choice(s, a, chosen[a])
            else:
                s.move[a], s.aim[a], s.deed[a] = 4, 0, 0
        for e in range(players, everyone):
            s.move[e], s.aim[e] = chosen[e, :2]
        rules.advance(s)
        ours = np.array([row(s, e) for e in range(everyone)])
        np.testing.assert_array_equal(ours, rows[t + 1], err_msg=f"after step {t}")
        np.testing.assert_array_equal([bag(s, a) for a in range(players)], bags[t + 1], err_msg=f"after step {t}")
        np.testing.assert_array_equal([more(s, e) for e in range(everyone)], others[t + 1], err_msg=f"after step {t}")
        done = [min(s.count[a], s.times[a]) for a in range(players) if s.health[a]]
        assert done == [RECORDED[f"{name}_done"][t, a] for a in range(players) if s.health[a]], t
        used = s.used_count if hasattr(s, "used") else 0
        assert s.scrub_count + used == depleted[t], t
        assert batch.world.contradiction(s) in (None, "a living player is terminated, or a dead one is not")


def test_the_recordings_have_everything():
    counts = np.zeros(7, int)
    for name in SYSTEMS:
        chosen, bags, gold = (RECORDED[f"{name}_{part}"] for part in ("choices", "bags", "more"))
        counts += np.bincount(chosen[:, :, CHOICE.index("deed")].ravel(), minlength=7)
        players = bags.shape[1]
        alive = RECORDED[f"{name}_rows"][:, :, 0]
        assert (alive[-1, players:] < alive[0, players:]).any()  # creatures that fell
        if name == "market":
            assert (bags[:, :, :, 4] > 0).sum() > 100 and (np.diff(gold[:, :players, 0], axis=0) > 0).sum() > 30
            assert gold[:, :players, 16].any() and not alive[-1, :players].any()  # the fog took all
    assert (counts[1:] > [500, 50, 100, 100, 100, 100]).all()
    assert RECORDED["crafts_weapons"].sum() > 10
    tasks = np.concatenate([RECORDED[f"{name}_tasks"][:, 0] for name in SYSTEMS])
    done = np.concatenate([RECORDED[f"{name}_done"].max(axis=0) for name in SYSTEMS])
    assert len(set(tasks[done > 0].tolist())) >= 17


# Each rule alone.


def placed(places, level=None, bags=(), **params):
    """One world with players at these (column, row), and in their bags these (kind, grade, amount, worn)."""
    batch = neural_mmo_play.placed(places, level, **dict(items=True, resource=False) | params)
    for a, entries in enumerate(bags):
        fill(batch.record(), a, *entries)
    refresh(batch)
    return batch


def fill(s, a, *entries):
    for k, entry in enumerate(entries):
        kind, grade, amount, worn = (*entry, *(1, 1, 0)[len(entry) - 1 :])
        s.item[a, k], s.grade[a, k], s.amount[a, k], s.worn[a, k] = items.KINDS.index(kind), grade, amount, worn


def played(batch, *names):
    """One step: each player's action by name, all others stay; an action that is illegal fails."""
    for a, name in enumerate(names):
        assert name in kit.legal(batch, a) or batch.terminations[0, a], f"{name} is illegal"
    s = neural_mmo_play.played(batch, *names)
    assert batch.world.contradiction(s) is None
    return s


def kinds(s, a=0):
    """A bag as {kind: amount}."""
    return {items.KINDS[s.item[a, k]]: int(s.amount[a, k]) for k in range(items.BAG) if s.item[a, k]}


FULL = [("hat", 1)] * 12
AMMUNITION = ("whetstone", "arrow", "runes")


@pytest.mark.parametrize("grade", [0, 4])
@pytest.mark.parametrize("kind", items.KINDS[1:-2])
def test_what_items_add_in_a_fight(kind, grade):
    batch = placed([(8, 8), (9, 8)], bags=([(kind, grade, 2 if kind in AMMUNITION else 1)],), professions=True)
    s = batch.record()
    s.skill[0] = s.craft_skill[0] = 4
    refresh(batch)
    s = played(batch, "use 1")
    assert s.worn[0, 0] == 1
    gear = batch.observations[0, 0]["gear"].tolist()
    style = {"spear": 0, "bow": 1, "wand": 2, "whetstone": 0, "arrow": 1, "runes": 2}.get(kind)
    attack = 0 if style is None else 5 + (5 if kind in ("spear", "bow", "wand") else 10) * grade
    defense = 3 * grade if kind in ("hat", "top", "bottom") else 15 if style is None else 0
    assert gear == [attack * (k == style) for k in range(3)] + [defense, 0]
    style = ("melee", "range", "mage")[style or 0]
    s = played(batch, f"{style} 1", "mage 1")
    # Both are without experience; the levels of the first are 4 and the second's 1.
    assert s.health[1] == 100 - (30 + attack - 5) and s.health[0] == 100 - max(15 - 20 - defense, 3)
    assert kinds(s) == {kind: 1}
    s.health[:] = 100
    if kind in AMMUNITION:
        s = played(batch, f"{style} 1")
        assert kinds(s) == {}


def test_equipment_counts_for_nothing_if_it_is_off():
    batch = placed([(8, 8), (9, 8)], bags=([("spear", 1, 1, 1), ("whetstone", 1, 2, 1)],), equipped=False)
    s = played(batch, "melee 1")
    assert s.health[1] == 90 and kinds(s)["whetstone"] == 2


def test_use_needs_the_level_and_replaces_what_is_worn():
    bags = [("spear", 2), ("hat", 1), ("hat", 1), ("bow", 1), ("pickaxe", 2), ("rod", 1)]
    batch = placed([(8, 8)], bags=(bags,), professions=True)
    s = batch.record()
    assert {name for name in kit.legal(batch, 0) if name.startswith("use")} == {f"use {k}" for k in (2, 3, 4, 6)}
    for action, worn in (("use 2", [1]), ("use 3", [2]), ("use 4", [2, 3]), ("use 6", [2, 5]), ("use 6", [2])):
        assert np.flatnonzero(played(batch, action).worn[0]).tolist() == worn
    s.skill[0, 1] = 2  # a level in range is none in melee
    s.craft_skill[0, 2] = 2
    refresh(batch)
    assert "use 1" not in kit.legal(batch, 0) and "use 5" in kit.legal(batch, 0)
    s.grade[0, 1] = 2  # for armour, the best level of all counts
    refresh(batch)
    assert "use 2" in kit.legal(batch, 0)


def test_rations_and_potions():
    batch = placed([(8, 8)], bags=([("ration", 1), ("potion", 2)],), professions=True)
    s = batch.record()
    s.skill[0] = 2
    s.food[0], s.water[0], s.health[0] = 10, 90, 15
    refresh(batch)
    s = played(batch, "use 1")
    assert (s.food[0], s.water[0], kinds(s)) == (65, 100, {"potion": 1})
    assert played(batch, "use 2").health[0] == 75 and not kinds(s)


def test_a_fight_keeps_from_items_for_three_steps():
    batch = placed([(8, 8), (9, 8)], bags=([("hat",)], [("hat",)]), exchange=True)
    deals = ("use", "destroy", "give", "sell", "buy", "pay")

    def free(a):
        return any(name.split()[0] in deals for name in kit.legal(batch, a))

    s = played(batch, "melee 1", "sell 1 for 3")
    assert not s.asked.any()  # the sale comes after the attack
    for _ in range(3):
        assert not free(0) and not free(1)
        played(batch)
    assert free(0) and free(1)


def test_gifts_are_for_players_in_view_with_room():
    bags = ([("arrow", 1, 3), ("hat", 1, 1, 1), ("top",)], FULL[:11] + [("arrow", 1, 2)], FULL)
    batch = placed([(1, 1), (8, 8), (8, 1)], bags=bags)
    assert not any(name.startswith("give 2") for name in kit.legal(batch, 0))  # worn
    near = [batch.world.agents[e - 1] for e in batch.record().near[0].tolist() if e]
    assert near == ["player_2", "player_1"]
    s = played(batch, "give 3 to 1")
    assert kinds(s) == {"arrow": 3, "hat": 1, "top": 1}  # no room
    s = played(batch, "give 1 to 2")
    assert kinds(s) == {"hat": 1, "top": 1} and s.amount[1, 11] == 5
    s.x[1] += 1
    refresh(batch)
    assert not any(name.endswith("to 2") for name in kit.legal(batch, 0))


def test_a_harvest_has_the_grade_of_the_tool():
    level = meadow(x8y8="o", x5y5="h", x3y3="%", x3y5="%", x2y4="%")
    bags = ([("pickaxe", 2, 1, 1)], [("gloves", 1, 1, 0)], [])
    batch = placed([(8, 8), (5, 5), (3, 4)], level, bags, professions=True)
    s = batch.record()
    s.craft_skill[0, 2] = s.craft_skill[1, 1] = 2
    s = played(batch)
    assert [s.grade[0, 1], s.grade[1, 1], s.grade[2, 0]] == [3, 1, 1]
    assert [list(kinds(s, a))[-1] for a in range(3)] == ["whetstone", "potion", "ration"]
    assert s.craft.tolist() == [[0, 0, 15, 0, 0], [0, 30, 0, 0, 0], [30, 0, 0, 0, 0]]
    # Fish are gone on all sides, for one ration.
    codes = s.ground[
        [8 + EDGE, 5 + EDGE, 3 + EDGE, 5 + EDGE, 4 + EDGE], [8 + EDGE, 5 + EDGE, 3 + EDGE, 3 + EDGE, 2 + EDGE]
    ]
    assert codes.tolist() == [6, 12, 14, 14, 14] and s.used_count == 5


def test_a_full_bag_gets_nothing_but_the_experience():
    batch = placed([(8, 8)], meadow(x8y8="t"), (FULL[:11] + [("arrow", 1, 1)],), professions=True)
    s = played(batch)
    assert s.craft[0, 3] == 15 and s.amount[0].tolist() == [1] * 12 and s.used_count == 1


def test_used_ground_returns_with_its_probability():
    level = {"map": ["." * 64, *(["." + "htoc" * 15 + "hh."] * 62), "." * 64]}
    batch = begun(level, players=1, creatures=0, size=64, professions=True, regrowth=0.0)
    s = batch.record()
    ys, xs = np.nonzero(s.ground > 5)
    s.used[: len(ys)], s.used_count = ys * s.ground.shape[0] + xs, len(ys)
    first = np.asarray(s.ground)[ys, xs].copy()
    s.ground[ys, xs] -= 1
    rules.grow(s)
    back = np.asarray(s.ground)[ys, xs] == first
    for code, chance in ((13, 0.02), (9, 0.105), (7, 0.1), (11, 0.1)):
        share, n = back[first == code].mean(), (first == code).sum()
        assert abs(share - chance) < 4 * (chance / n) ** 0.5
    assert s.used_count == (~back).sum() and batch.world.contradiction(s) is None


def test_weapons_are_found_with_their_probability():
    batch = begun(players=1, creatures=0, size=16, professions=True)
    s = batch.record()
    assert abs(sum(items.finds_weapon(s) for _ in range(2000)) - 50) < 30


@pytest.mark.parametrize("seed", range(3))
def test_the_killer_gets_everything_that_fits(seed):
    bags = (
        FULL[:9] + [("arrow", 1, 2)],
        [("arrow", 1, 5, 1), ("wand", 2), ("rod", 3), ("top", 1, 1, 1), ("ration", 1)],
    )
    batch = placed([(8, 8), (9, 8)], bags=bags, exchange=True)
    s = batch.record()
    s.rng, s.health[1], s.gold[1] = seed, 5, 7
    s = played(batch, "melee 1")
    assert s.health[1] == 0 and s.gold.tolist() == [8, 0] and not kinds(s, 1)
    assert s.amount[0].sum() == 9 + 7 + 2 and (s.item[0] > 0).all() and not s.worn.any()  # two of three others fit


def test_loot_of_creatures_and_what_they_take():
    batch = placed([(8, 8), (8, 9)], bags=((), [("rod",)]), creatures=2, exchange=True, professions=True)
    s = batch.record()
    for e, health in ((2, 3), (3, 100)):
        s.kind[e], s.health[e], s.power[e], s.gold[e], s.drops[e] = 2, health, 90 * (e == 3), 6, (2, 8)
        s.x[e], s.y[e], s.skill[e] = 9 + EDGE, 8 + EDGE, (0, 4, 0)
    s.health[1] = 3
    s.depth[2:] = -1
    s.gold[1] = 5
    s.aim[:], s.style[:], s.deed[:], s.move[:] = (3, 0, 0, 2), 0, 0, 4
    items_before = s.item[1].any()
    rules.strike(s, 0)
    rules.strike(s, 3)
    assert items_before and not s.item[1].any() and s.gold.tolist() == [7, 0, 0, 11]
    assert kinds(s) == {"top": 1, "gloves": 1} and s.grade[0, :2].tolist() == [4, 4]


# The market.


def test_an_offer_stays_for_three_steps():
    for wait in range(5):
        batch = placed([(2, 2), (13, 13)], bags=([("arrow", 1, 4)],), exchange=True)
        s = batch.record()
        s.gold[1] = 10
        s = played(batch, "sell 1 for 10")
        assert kinds(s) == {"arrow": 4} and "sell 1 for 1" not in kit.legal(batch, 0)
        for left in range(3, 3 - min(wait, 3), -1):
            assert batch.observations[0, 1]["market"][24].tolist() == [1, 4, 10, 1, left]
            assert batch.observations[0, 0]["bag"][0].tolist() == [13, 1, 4, 0, 10, left]
            played(batch)
        if wait < 3:
            s = played(batch, "stay", "buy fine arrow")
            assert s.gold.tolist() == [11, 0] and kinds(s) == {} and kinds(s, 1) == {"arrow": 4}
            assert batch.rewards[0].round(9).tolist() == [0.01, -0.01]
        else:
            assert "buy fine arrow" not in kit.legal(batch, 1) and "sell 1 for 1" in kit.legal(batch, 0)


def test_the_market_has_the_cheapest_and_the_finest():
    bags = ([("hat", 2), ("hat", 1), ("hat", 2)], [("hat", 2)], [("hat", 3)])
    batch = placed([(2, 2), (5, 5), (9, 9)], bags=bags, exchange=True)
    s = batch.record()
    s.asked[0, :3], s.left[0, :3] = (3, 1, 10), 3
    s.asked[1, 0], s.asked[2, 0], s.left[1, 0], s.left[2, 0] = 1, 99, 3, 3
    market.lapse(s)
    assert [(offer - 1) // 12 for offer in s.offers[:2]] == [1, 2] and not s.offers[2:].any()


def test_buyers_come_in_a_random_order_and_need_gold_and_room():
    won, batch = 0, placed([(2, 2), (5, 5), (9, 9)], exchange=True)
    s = batch.record()
    for seed in range(60):
        s.rng, s.item[:], s.amount[:], s.gold[:], s.asked[:], s.left[:] = 977 * seed, 0, 0, 1, 0, 0
        s.item[0, 0] = s.amount[0, 0] = s.asked[0, 0] = s.left[0, 0] = 1
        s.deed[:], s.offer[:] = (items.REST, items.BUY, items.BUY), 1
        market.trade(s)
        assert sorted(s.gold.tolist()) == [0, 1, 2] and s.amount.sum() == 1
        won += bool(kinds(s, 1))
    assert 12 < won < 48
    batch = placed([(2, 2), (5, 5), (9, 9)], bags=([("arrow",)], FULL, FULL[1:] + [("arrow", 1, 2)]), exchange=True)
    played(batch, "sell 1 for 1")
    assert "buy cheap arrow" not in kit.legal(batch, 1) and "buy cheap arrow" in kit.legal(batch, 2)
    batch.record().gold[2] = 0
    refresh(batch)
    assert "buy cheap arrow" not in kit.legal(batch, 2)


def test_the_offer_of_a_player_that_starves_is_still_sold():
    batch = placed([(2, 2), (5, 5)], bags=([("hat",), ("top",)],), exchange=True, resource=True)
    played(batch, "sell 1 for 1")
    s = batch.record()
    s.health[0], s.food[0], s.water[0] = 10, 0, 0
    s = played(batch, "sell 2 for 1", "buy cheap hat")
    assert s.terminated[0] and not kinds(s, 0) and kinds(s, 1) == {"hat": 1} and s.gold.tolist() == [0, 0]


def test_an_item_that_was_sold_cannot_be_destroyed_too():
    batch = placed([(2, 2), (3, 2), (4, 2)], bags=([("hat",)], (), [("top",)]), exchange=True)
    played(batch, "sell 1 for 1")
    s = played(batch, "destroy 1", "buy cheap hat", "give 1 to 2")
    assert kinds(s, 1) == {"hat": 1} and kinds(s, 0) == {"top": 1}


def test_gold_can_be_given():
    batch = placed([(2, 2), (3, 2)], exchange=True)
    s = batch.record()
    s.gold[0] = 5
    refresh(batch)
    assert {n for n in kit.legal(batch, 0) if n.startswith("pay")} == {"pay 1 to 1", "pay 3 to 1"}
    assert played(batch, "pay 3 to 1").gold.tolist() == [2, 4]


# Tokens and fog.


def test_tokens_are_seen_until_the_next_one():
    batch = placed([(2, 2), (3, 2), (13, 13)], items=False, tokens=7)
    played(batch, "say 7")
    played(batch, "east")
    assert [batch.observations[0, a]["words"].tolist() for a in range(3)] == [[0] * 15, [7] + [0] * 14, [0] * 15]
    played(batch, "say 2")
    assert batch.observations[0, 1]["words"][0] == 2


def test_fog_comes_one_cell_further_in_each_step():
    places = [(0, 8), (2, 8), (5, 5), (6, 7)]
    batch = placed(places, items=False, fog=3, fog_core=2)
    health = [100] * 4
    for t in range(1, 16):
        ahead = [int(batch.observations[0, a]["fog"][0]) for a in range(4)]
        s = played(batch)
        for a, away in enumerate((0, 2, 5, 6)):
            strength = t - 3 - away
            if health[a] > 0 and a < 2 + (7 - 5 > 2):
                assert ahead[a] == strength
            if a < 2:  # the others are at most two cells from the middle
                health[a] = max(health[a] - max(strength, 0), 0)
        assert s.health.tolist() == health
    assert ahead[2:] == [-rules.LONGEST] * 2 and health[0] == 100 - sum(range(13)) and health[1] < 100


# Tasks.


def test_a_task_pays_its_shares():
    batch = placed([(2, 2), (3, 2)], bags=([("hat",), ("top",)],), tasks=9, weights=(0.0, 0.0, 0.0, 0.0, 1.0))
    s, paid = batch.record(), []
    s.task[:], s.times[:] = items.tasks.EQUIP, 3
    for action in ("use 1", "use 1", "use 1", "use 2", "use 2", "use 2"):
        played(batch, action)
        paid.append(batch.rewards[0].tolist())
        assert batch.observations[0, 0]["task"].tolist() == [10, 3, min(s.count[0], 3)]
    assert np.allclose(paid, [[1 / 3, 0], [0, 0], [1 / 3, 0], [1 / 3, 0], [0, 0], [0, 0]])


def test_tasks_are_those_that_the_systems_allow():
    for params, count in (
        (dict(items=False, resource=False, progression=False), 3),
        (dict(items=False), 6),
        (dict(), 11),
        (dict(equipped=False), 10),
        (dict(exchange=True), 16),
        (dict(exchange=True, professions=True), 18),
    ):
        s = begun(players=9, creatures=0, size=16, tasks=5, **params).record()
        systems = rules.deeds_with_items(s), rules.has_crafts(s), rules.deeds_with_gold(s)
        found = [event for event in range(18) if items.tasks.possible(s, event, *systems)]
        assert len(found) == count and set(s.task.tolist()) <= set(found)
        assert s.times.min() > 0 and s.times.max() <= 5 and not s.count.any()


# Masks, conservation, records.


def test_masks_say_what_has_an_effect():
    """Any item action that is legal changes something, and any that is not changes nothing."""
    batch = begun(players=5, creatures=4, size=16, professions=True, exchange=True, immunity=2, seed=3, resource=False)
    rng, s = np.random.default_rng(3), batch.record()
    for a in range(5):
        for k in range(8):
            kind = int(rng.integers(1, 17))
            s.item[a, k], s.grade[a, k] = kind, rng.integers(0, 3)
            s.amount[a, k] = rng.integers(1, 4) if items.stacks(kind) else 1
        s.gold[a] = 20
    refresh(batch)
    first, tried = rules.first_deed(s), np.zeros(2, int)
    for _ in range(20):
        a = int(rng.integers(5))
        for action in rng.integers(first, first + len(items.ACTIONS) + len(market.ACTIONS), 12).tolist():
            before = batch.records.copy()
            s.aim[:], s.move[:], s.deed[:] = 0, 4, 0
            items.plan(s, a, action - first)
            market.plan(s, a, action - first)
            rules.deal(s)
            market.sell(s, a)
            changed = any(
                (batch.records[name] != before[name]).any() for name in ("item", "amount", "worn", "asked", "gold")
            )
            legal = bool(batch.masks[0, a, action])
            full = s.deed[a] == items.GIVE or (s.deed[a] == items.REST and not changed)
            assert changed == legal or (legal and full), batch.world.action_names[a][action]
            tried[int(legal)] += 1
            batch.records[:] = before
        for a in range(5):
            legal = np.flatnonzero(batch.masks[0, a])
            batch.actions[0, a] = rng.choice(legal) if len(legal) else 0
        batch.step(where=[True])
        s = batch.record()
    assert (tried > 20).all()


def totals(records):
    """Pieces of each kind and grade in the bags of each world."""
    number = records["item"].astype(int) * 16 + records["grade"]
    found = np.zeros((len(records), 17 * 16), int)
    np.add.at(found, (np.arange(len(records))[:, None, None], number), records["amount"])
    return found


def conserved(num, steps, compiled, fights, **params):
    """Random actions: gold only comes with creatures; pieces are constant, too, without fights and use."""
    world = build(ID, dict(items=True, exchange=True, players=6, size=16, resource=False, horizon=32000) | params)
    batch, rng = Batch(world, num, compiled=compiled), np.random.default_rng(0)
    batch.start(0)
    kinds = rng.integers(1, 17, batch.records["item"].shape)
    stacks = (kinds >= items.WHETSTONE) & (kinds <= items.RUNES)
    batch.records["item"], batch.records["grade"] = kinds, rng.integers(0, 3, kinds.shape)
    batch.records["amount"] = np.where(stacks, 3, 1)
    batch.records["item"][:, :, 6:] = batch.records["grade"][:, :, 6:] = batch.records["amount"][:, :, 6:] = 0
    batch.records["gold"][:, :6] = 10
    batch.observe()
    names = world.action_names[0]
    apart = [not fights and name.split()[0] in ("melee", "range", "mage", "use", "destroy") for name in names]
    moved = np.zeros(2, int)
    for _ in range(steps):
        chance = rng.random(batch.masks.shape) * batch.masks * ~np.array(apart)
        batch.actions[:] = chance.argmax(axis=2)
        before, pieces = batch.records.copy(), totals(batch.records)
        batch.step(where=np.ones(num, bool))
        after = batch.records
        new = (after["health"] > 0) & (after["age"] == 0) & (after["kind"] > 1)
        coming = (after["skill"].max(axis=2) * new).sum(axis=1)
        np.testing.assert_array_equal(after["gold"].sum(axis=1), before["gold"].sum(axis=1) + coming)
        if not fights:
            np.testing.assert_array_equal(totals(after), pieces)
        moved += [(after["gold"] != before["gold"]).sum(), (after["item"] != before["item"]).sum()]
    return moved


@pytest.mark.parametrize("creatures", [0, 5])
def test_items_and_gold_are_conserved(creatures):
    assert (conserved(2, 6, False, creatures > 0, creatures=creatures) > 2).all()


@pytest.mark.slow
def test_items_and_gold_are_conserved_for_long():
    for fights in (False, True):
        assert (conserved(250, 40, True, fights, creatures=0) > 2_000).all()


def test_records_that_contradict_themselves_are_refused():
    for change, message in (
        (lambda s: s.amount.__setitem__((0, 0), 0), "holds something, or a full one nothing"),
        (lambda s: s.grade.__setitem__((0, 5), 2), "holds something"),
        (lambda s: s.worn.__setitem__((0, 1), 1), "cannot be worn"),
        (lambda s: s.asked.__setitem__((0, 1), 3), "on the market that cannot be"),
        (lambda s: s.__setattr__("used_count", 1), "used does not list"),
    ):
        batch = placed([(3, 2)], meadow(x2y2="h"), ([("hat",), ("ration",)],), exchange=True, professions=True)
        change(batch.record())
        assert message in batch.world.contradiction(batch.record())


def test_systems_that_are_off_are_nowhere():
    world = build(ID, {})
    on = build(ID, dict(items=True, professions=True, exchange=True, tokens=3, fog=9, tasks=2))
    assert not {"item", "craft", "gold", "word", "task"} & set(world.record.names) and len(world.action_names[0]) == 50
    assert not {"fog"} & set(world.record["params"].names) and set(world.observation_spaces[0]) == {
        "ground",
        "others",
        "own",
    }
    assert len(on.action_names[0]) == 50 + 72 + 96 + 3 and "crafts" in on.observation_spaces[0].keys()
    kit.refuses(build(ID, dict(size=16)), (meadow(x2y2="h"), "letter 'h'"))
    for params, message in (
        (dict(professions=True), "needs items"),
        (dict(exchange=True), "needs items"),
        (dict(items=True, combat=False, creatures=0), "needs combat"),
    ):
        with pytest.raises(Exception, match=message):
            build(ID, params)


def test_maps_with_resources():
    batch = begun(players=1, creatures=0, size=64, professions=True, seed=4)
    cells = np.asarray(batch.record().level.map)
    shares = [int((cells == code).sum()) for code in (7, 9, 11, 13, 15)]
    assert all(16 <= n <= 80 for n in shares[:3]) and shares[3] == 64 and 50 < shares[4] <= 64
    for y, x in np.argwhere(cells == 15):
        assert (cells[[y - 1, y + 1, y, y], [x, x, x - 1, x + 1]] == 2).any() or cells[y, x] == 15
    assert not (cells[[0, -1]] > 5).any() and not (cells[:, [0, -1]] > 5).any()
