"""NeuralMMO with items, professions, exchange, tokens and fog: recorded steps of nmmo 2.1.1, and each rule alone."""

import kit
import numpy as np
import pytest

from envsuite.core.batch import Batch
from envsuite.gridworlds import neural_mmo_items as items
from envsuite.gridworlds import neural_mmo_market as market
from envsuite.gridworlds import neural_mmo_rules as rules
from envsuite.registry import build

ID = "envsuite/NeuralMMO-v0"
EDGE = rules.SIGHT
RECORDED = np.load(kit.DATA / "neural_mmo_items.npz")
LETTERS = {1: "~", 2: ".", 4: "f", 5: "#", 7: "o", 9: "t", 11: "c", 13: "h", 15: "%"}
CHOICE = "move target style deed owner kind grade amount worn asked partner price token".split()
SYSTEMS = {
    "items": {},
    "crafts": dict(professions=True),
    "market": dict(professions=True, exchange=True, tokens=127),
    "bare": dict(professions=True, exchange=True),
}


def begun(level=None, seed=0, compiled=False, **params):
    batch = Batch(build(ID, dict(items=True, order="number") | params), 1, compiled=compiled)
    batch.start(seed, level)
    return batch


# Recorded steps of nmmo.


def row(s, e):
    """What the recording has of a player or creature."""
    if s.health[e] == 0:
        return [0] * 15
    vitals = [s.food[e], s.water[e]] if e < len(s.food) else [100, 100]
    place = s.x[e] - EDGE, s.y[e] - EDGE
    return [1, *place, s.health[e], *vitals, *s.experience[e], *s.skill[e], s.hurt[e], s.attacker[e], s.age[e]]


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
    return [gold, *crafts, *attack, items.worn_defence(s, e), s.engaged[e], s.word[e] if hasattr(s, "word") else 0]


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
        {"map": ["".join(LETTERS[c] for c in line) for line in cells.tolist()]}, size=33, players=players,
        creatures=len(part["kinds"]) - players, regrowth=0.0, immunity=immunity, equipped=bool(equipped),
        progression=bool(equipped), fog=fog, fog_core=4, **SYSTEMS[name],
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
    if hasattr(s, "craft"):
        s.craft[:], s.craft_skill[:] = first[:players, 1:6], first[:players, 6:11]
    if hasattr(s, "gold"):
        s.gold[:] = first[:, 0]
    return batch, s, now, players


@pytest.mark.parametrize("name", ["bare", *(pytest.param(n, marks=pytest.mark.slow) for n in SYSTEMS if n != "bare")])
def test_steps_are_those_of_the_reference(name, monkeypatch):
    batch, s, now, players = as_recorded(name, monkeypatch)
    rows, bags, others, choices, depleted = (
        RECORDED[f"{name}_{part}"] for part in ("rows", "bags", "more", "choices", "depleted")
    )
    everyone = rows.shape[1]
    for t, chosen in enumerate(choices):
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
        used = s.used_count if hasattr(s, "used") else 0
        assert s.scrub_count + used == depleted[t], t
        assert batch.world.contradiction(s) in (None, "a living player is terminated, or a dead one is not")
