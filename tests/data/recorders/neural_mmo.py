"""Makes neural_mmo_reference.npz and neural_mmo_items.npz: steps of Neural MMO 2.1.1 on maps of ours.

Needs Python 3.11 with numpy 1.23.3 and nmmo 2.1.1; nothing of envsuite is imported:

    pip install "setuptools<70" wheel cython numpy==1.23.3
    CFLAGS="-D_COMPLEX_H=1 -fgnu89-inline" pip install --no-build-isolation vec-noise
    pip install nmmo==2.1.1
    python tests/data/recorders/neural_mmo.py

Players, numbered from 0, and creatures after them are put on the map by hand. Each step has one action for each player,
which may be one that the rules refuse. What creatures chose is recorded too, because ties between their ways are broken
differently. In the first file, foliage never grows. In the second, which has items and the systems that go with them,
chance is recorded where it decides something: the order of buyers, the weapons that harvests yield, and the cells that
grow again. Loot is taken in the order of kinds.
"""

import random
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import nmmo
import numpy as np
from nmmo.core import action, config
from nmmo.core.realm import Realm
from nmmo.entity.npc import Aggressive, Equipment, Passive, PassiveAggressive
from nmmo.entity.player import Player
from nmmo.lib import material, seeding
from nmmo.systems import droptable, item
from nmmo.task import base_predicates
from nmmo.task.game_state import GameStateGenerator
from nmmo.task.task_api import make_same_task

SIZE, BORDER = 33, 16
MOVES = (action.North, action.South, action.East, action.West, action.Stay)
STYLES = (action.Melee, action.Range, action.Mage)
DELTA = ((-1, 0), (1, 0), (0, 1), (0, -1), (0, 0))
KINDS = (None, None, Passive, PassiveAggressive, Aggressive)
WATER, GRASS, SCRUB, FOLIAGE, STONE = 1, 2, 3, 4, 5

RUNS = {
    # name: systems, players, creatures, immunity, steps, equipped
    "plain": ((config.Terrain, config.Resource, config.Combat), 24, 0, 20, 150, False),
    "bare_hands": (
        (config.Terrain, config.Resource, config.Combat, config.Progression, config.NPC), 20, 24, 3, 250, False,
    ),
    "equipped": (
        (config.Terrain, config.Resource, config.Combat, config.Progression, config.NPC, config.Item, config.Equipment),
        20, 24, 20, 250, True,
    ),
}  # fmt: skip
#: Columns of a recorded row.
ROW = "alive x y health food water melee range mage level_melee level_range level_mage hurt attacker age".split()


def make_map(rng):
    """Patches of ground; the outermost cells are grass, and those within are neither water nor stone."""
    cells = np.full((SIZE, SIZE), GRASS)
    for _ in range(70):
        code = rng.choice((WATER, WATER, FOLIAGE, FOLIAGE, STONE))
        y, x, r = rng.randrange(SIZE), rng.randrange(SIZE), rng.randrange(1, 4)
        cells[max(0, y - r) : y + r, max(0, x - r) : x + r] = code
    ring = np.maximum(abs(np.arange(SIZE)[:, None] - SIZE // 2), abs(np.arange(SIZE)[None] - SIZE // 2))
    cells[(ring == SIZE // 2 - 1) & np.isin(cells, (WATER, STONE))] = FOLIAGE
    cells[ring == SIZE // 2] = GRASS
    return cells


def started(settings, numbers, cells):
    """A realm with this map, on which nobody is."""
    realm = Realm(settings, numbers)
    padded = np.zeros((settings.MAP_SIZE, settings.MAP_SIZE), int)
    padded[BORDER : BORDER + SIZE, BORDER : BORDER + SIZE] = cells
    realm.reset(numbers, {"map": padded}, custom_spawn=True)
    return realm


def noted(decide, chosen, number, players):
    """The choices of creatures, which are also written to `chosen`."""

    def recorded():
        made = decide()
        for npc, does in made.items():
            k = players - 1 - npc
            if action.Move in does:
                chosen[k, 0] = MOVES.index(does[action.Move][action.Direction])
            if action.Attack in does:
                chosen[k, 1] = number[id(does[action.Attack][action.Target])] + 1
                chosen[k, 2] = STYLES.index(does[action.Attack][action.Style])
        return made

    return recorded


def make_realm(name, cells, rng):
    systems, players, creatures, immunity, _, equipped = RUNS[name]

    class Config(config.Config, *systems):
        PLAYER_N, NPC_N, MAP_SIZE, MAP_CENTER = players, creatures, 2 * BORDER + SIZE - 1, SIZE - 1
        COMBAT_SPAWN_IMMUNITY, RESOURCE_FOILAGE_RESPAWN, MAP_RESET_FROM_FRACTAL = immunity, 0.0, False
        HORIZON = 1000

    settings = Config()
    numbers = seeding.np_random(7)[0]
    realm = started(settings, numbers, cells)
    for (r, c), code in np.ndenumerate(cells):
        assert realm.map.tiles[r + BORDER, c + BORDER].material.index == code
    free = [(int(r) + BORDER, int(c) + BORDER) for r, c in np.argwhere(np.isin(cells, (GRASS, FOLIAGE)))]
    everyone, kinds, powers = [], [], []
    for k in range(players):
        player = Player(realm, rng.choice(free), SimpleNamespace(iden=k + 1, policy="p"))
        realm.players.spawn_entity(player)
        if name != "plain" and k % 3 == 0:
            style = (player.skills.melee, player.skills.range, player.skills.mage)[k // 3 % 3]
            style.add_xp(rng.choice((84, 205, 360, 700)))
        everyone.append(player)
        kinds.append(1)
        powers.append((0, 0))
    for k in range(creatures):
        kind, style, level = 2 + k % 3, rng.randrange(3), rng.randrange(1, 6)
        npc = KINDS[kind](realm, rng.choice(free), -1 - k)
        npc.skills.style = STYLES[style]
        (npc.skills.melee, npc.skills.range, npc.skills.mage)[style].set_experience_by_level(level)
        power = int(8 * (level - rng.random()))
        npc.equipment = Equipment(0, power, power, power, power, power, power)
        realm.npcs.spawn_entity(npc)
        everyone.append(npc)
        kinds.append(kind)
        powers.append((style, power if equipped else 0))
    return realm, everyone, kinds, powers


def row(entity, players):
    if not entity.alive:
        return [0] * len(ROW)
    number = entity.attacker_id.val
    attacker = 0 if number == 0 else number if number > 0 else players - number
    skills = [entity.skills.melee, entity.skills.range, entity.skills.mage]
    return [
        *(1, entity.pos[1] - BORDER, entity.pos[0] - BORDER),
        *(entity.resources.health.val, entity.resources.food.val, entity.resources.water.val),
        *(skill.exp.val for skill in skills),
        *(skill.level.val for skill in skills),
        *(entity.history.damage.val, attacker, entity.history.time_alive.val),
    ]


def way(realm, start, fits):
    """The first move of a shortest way to a tile that fits, or a random one."""
    front, came = [start], {start: None}
    for r, c in front:
        if fits(r, c):
            cell = (r, c)
            while came[cell] is not None and came[cell][0] != start:
                cell = came[cell][0]
            return 4 if came[cell] is None else came[cell][1]
        for k, (dr, dc) in enumerate(DELTA[:4]):
            near = r + dr, c + dc
            if near not in came and realm.map.habitable_tiles[near]:
                came[near] = (r, c), k
                front.append(near)
    return random.randrange(5)


def choose(realm, player, everyone, rng):
    """(move, target, style): a move by need, an attack, or something random; one of the two is empty."""
    if rng.random() < 0.45:
        near = [e for e in everyone if e.alive and e is not player]
        near = [e for e in near if max(abs(e.pos[0] - player.pos[0]), abs(e.pos[1] - player.pos[1])) <= 4]
        if near:
            return 4, rng.choice(near), rng.randrange(3)
    if rng.random() < 0.15:
        return rng.randrange(5), None, 0
    tiles = realm.map.tiles
    if player.resources.water.val < player.resources.food.val:
        wet = lambda r, c: any(tiles[r + dr, c + dc].state.index == WATER for dr, dc in DELTA[:4])  # noqa: E731
        return way(realm, player.pos, wet), None, 0
    return way(realm, player.pos, lambda r, c: tiles[r, c].state.index == FOLIAGE), None, 0


def play(name, cells):
    rng = random.Random(name)
    random.seed(name)
    realm, everyone, kinds, powers = make_realm(name, cells, rng)
    _, players, _, _, steps, _ = RUNS[name]
    number = {id(e): k for k, e in enumerate(everyone)}
    rows, choices, scrub, spent = [[row(e, players) for e in everyone]], [], [], 0.0
    decide = realm.npcs.actions
    for _ in range(steps):
        chosen = np.zeros((len(everyone), 3), np.int16)  # move, target plus 1, style
        chosen[:, 0] = 4
        actions = {}
        for k, player in enumerate(everyone[:players]):
            if player.alive:
                move, target, style = choose(realm, player, everyone, rng)
                chosen[k] = move, 0 if target is None else number[id(target)] + 1, style
                actions[k + 1] = {action.Move: {action.Direction: MOVES[move]}}
                if target is not None:
                    actions[k + 1] = {action.Attack: {action.Style: STYLES[style], action.Target: target}}

        realm.npcs.actions = noted(decide, chosen, number, players)
        began = time.perf_counter()
        realm.step(actions)
        spent += time.perf_counter() - began
        rows.append([row(e, players) for e in everyone])
        choices.append(chosen)
        scrub.append(sum(t.state.index == SCRUB for t in realm.map.tiles.reshape(-1)))
    alive = sum(e.alive for e in everyone[:players])
    print(f"{name}: {alive} of {players} players live; {steps / spent:.0f} steps/s without observations")
    return {
        f"{name}_rows": np.array(rows, np.int16),
        f"{name}_choices": np.array(choices, np.int16),
        f"{name}_scrub": np.array(scrub, np.int16),
        f"{name}_kinds": np.array(kinds, np.int16),
        f"{name}_powers": np.array(powers, np.int16),
        f"{name}_immunity": np.array(RUNS[name][3]),
    }


# With items and the systems that go with them.

BASE = (config.Terrain, config.Resource, config.Combat, config.NPC, config.Item)
ITEM_RUNS = {
    # name: systems, players, creatures, immunity, steps, equipped, onset of the fog
    "items": ((*BASE, config.Progression, config.Equipment), 20, 24, 40, 200, True, None),
    "crafts": ((*BASE, config.Progression, config.Equipment, config.Profession), 20, 16, 60, 260, True, None),
    "market": (
        (*BASE, config.Progression, config.Equipment, config.Profession, config.Exchange, config.Communication),
        24, 16, 60, 260, True, 190,
    ),
    "bare": (
        (*BASE, config.Progression, config.Equipment, config.Profession, config.Exchange), 16, 8, 10, 120, False, None,
    ),
}  # fmt: skip
CRAFTS = ("fishing", "herbalism", "prospecting", "carving", "alchemy")
RESOURCES = (7, 9, 11, 13, 15)
DEEDS = (None, action.Use, action.Destroy, action.Give, action.Sell, action.Buy, action.GiveGold)
EVENTS = (
    "EAT_FOOD", "DRINK_WATER", "GO_FARTHEST", "SCORE_HIT", "PLAYER_KILL", "FIRE_AMMO", "CONSUME_ITEM", "GIVE_ITEM",
    "DESTROY_ITEM", "HARVEST_ITEM", "EQUIP_ITEM", "LOOT_ITEM", "GIVE_GOLD", "LIST_ITEM", "EARN_GOLD", "BUY_ITEM",
    "LOOT_GOLD", "LEVEL_UP",
)  # fmt: skip
RARE = [EVENTS.index(name) for name in ("DESTROY_ITEM", "LOOT_ITEM", "EARN_GOLD", "PLAYER_KILL", "LEVEL_UP")]
REST, USE, DESTROY, GIVE, SELL, BUY, PAY = range(7)
#: Columns of a choice.
CHOICE = "move target style deed owner kind grade amount worn asked partner price token".split()


class Noted:
    """A generator of random numbers that notes the order of buyers, and sorts loot."""

    def __init__(self, numbers):
        self.numbers, self.buyers = numbers, []

    def __getattr__(self, name):
        return getattr(self.numbers, name)

    def shuffle(self, entries):
        if entries and isinstance(entries[0], item.Item):
            entries.sort(key=lambda one: (one.ITEM_TYPE_ID, one.level.val))
        elif entries:
            self.numbers.shuffle(entries)
            self.buyers = [number - 1 for number, _ in entries]


def add_resources(cells, rng):
    cells = cells.copy()
    for code in RESOURCES[:4] * 12:
        y, x = rng.randrange(3, SIZE - 3), rng.randrange(3, SIZE - 3)
        for dy, dx in ((0, 0), *DELTA[:4]):
            if cells[y + dy, x + dx] == 2:
                cells[y + dy, x + dx] = code
    water = [(y, x) for y in range(3, SIZE - 3) for x in range(3, SIZE - 3) if cells[y, x] == 1]
    for y, x in rng.sample(water, 40):
        cells[y, x] = 15
    return cells


def make_item_realm(name, cells, rng):
    systems, players, creatures, immunity, _, equipped, onset = ITEM_RUNS[name]

    class Config(config.Config, *systems):
        PLAYER_N, NPC_N, MAP_SIZE, MAP_CENTER = players, creatures, 2 * BORDER + SIZE - 1, SIZE - 1
        COMBAT_SPAWN_IMMUNITY, MAP_RESET_FROM_FRACTAL, HORIZON = immunity, False, 1000
        EQUIPMENT_SYSTEM_ENABLED = PROGRESSION_SYSTEM_ENABLED = equipped
        DEATH_FOG_ONSET, DEATH_FOG_FINAL_SIZE, WEAPON_DROP_PROB = onset, 4, 0.2

    settings = Config()
    for kind in (material.Ore, material.Tree, material.Crystal):
        kind.table = None  # made for the first configuration of a process
    numbers = Noted(seeding.np_random(7)[0])
    realm = started(settings, numbers, cells)
    free = [(int(r) + BORDER, int(c) + BORDER) for r, c in np.argwhere(np.isin(cells, (2, 4, 7, 9, 11, 13)))]
    everyone, kinds, powers, drops = [], [], [], []
    for k in range(players):
        player = Player(realm, rng.choice(free), SimpleNamespace(iden=k + 1, policy="p"))
        realm.players.spawn_entity(player)
        if settings.PROGRESSION_SYSTEM_ENABLED:
            for skill in player.skills.skills:
                known = 4 if not settings.PROFESSION_SYSTEM_ENABLED else 9
                if getattr(skill, "SKILL_ID", known) < known and rng.random() < 0.3:
                    skill.add_xp(rng.choice((84, 205, 360, 700)))
        for _ in range(rng.randrange(6)):
            player.inventory.receive(rng.choice(item.ALL_ITEM)(realm, rng.randrange(4)))
        if settings.EXCHANGE_SYSTEM_ENABLED:
            player.gold.update(rng.randrange(40))
        everyone.append(player)
        kinds.append(1)
        powers.append((0, 0))
        drops.append((0, 0))
    for k in range(creatures):
        kind, style, level = 2 + k % 3, rng.randrange(3), rng.choice((1, 1, 1, 2, 3, 5))
        npc = KINDS[kind](realm, rng.choice(free), -1 - k)
        npc.skills.style = STYLES[style]
        if settings.PROGRESSION_SYSTEM_ENABLED:
            (npc.skills.melee, npc.skills.range, npc.skills.mage)[style].set_experience_by_level(level)
        power = int(8 * (level - rng.random()))
        npc.resources.health.update(rng.choice((4, 8, 30, 100)))
        npc.equipment = Equipment(0, power, power, power, power, power, power)
        npc.droptable = droptable.Standard()
        loot = [rng.choice(item.ARMOR) if equipped else None]
        loot += [rng.choice(item.TOOL) if settings.PROFESSION_SYSTEM_ENABLED else None]
        for one in loot:
            if one is not None:
                npc.droptable.add(one)
        if settings.EXCHANGE_SYSTEM_ENABLED:
            npc.gold.update(level)
        realm.npcs.spawn_entity(npc)
        everyone.append(npc)
        kinds.append(kind)
        powers.append((style, power if equipped else 0))
        drops.append(tuple(0 if one is None else one.ITEM_TYPE_ID - 1 for one in loot))
    return realm, everyone, kinds, powers, drops, numbers


def entry(one):
    """What is recorded of an item."""
    return [one.ITEM_TYPE_ID - 1, one.level.val, one.quantity.val, one.equipped.val, one.listed_price.val]


def bag(player):
    """The items of a player in order, with empty places first."""
    found = sorted(entry(one) for one in player.inventory.items) if player.alive else []
    return [[0] * 5] * (12 - len(found)) + found


def more(realm, entity):
    """Gold, experience and levels of professions, equipment's offence and defence, steps of combat, the last token."""
    if not entity.alive:
        return [0] * 17
    found = [entity.gold.val]
    if entity.is_npc:
        return found + [0] * 16
    skills = [getattr(entity.skills, name) for name in CRAFTS]
    worn = entity.inventory.equipment
    latest = entity.latest_combat_tick.val
    return [
        *found,
        *(skill.exp.val for skill in skills),
        *(skill.level.val for skill in skills),
        *(worn.melee_attack, worn.range_attack, worn.mage_attack, worn.melee_defense),
        max(0, 3 - realm.tick + latest) if latest else 0,
        entity.message.val,
    ]


def near_players(player, players, reach):
    return [p for p in players if p.alive and p is not player and max(
        abs(p.pos[0] - player.pos[0]), abs(p.pos[1] - player.pos[1])) <= reach]  # fmt: skip


def choose_with_items(realm, player, everyone, players, rng):
    """(move, target, style, deed, item, partner, price, token): most are empty."""

    def done(move=4, target=None, style=0, deed=REST, one=None, partner=None, price=0, token=0):
        return move, target, style, deed, one, partner, price, token

    settings, mine = realm.config, list(player.inventory.items)
    luck = rng.random() * (1.0 if min(player.resources.food.val, player.resources.water.val) > 30 else 2.0)
    if luck < 0.07:
        near = [e for e in everyone if e.alive and e is not player]
        near = [e for e in near if max(abs(e.pos[0] - player.pos[0]), abs(e.pos[1] - player.pos[1])) <= 4]
        if near:
            best = max(range(3), key=lambda k: player.inventory.equipment.total(
                (lambda e: e.melee_attack, lambda e: e.range_attack, lambda e: e.mage_attack)[k]))  # fmt: skip
            creatures = [e for e in near if e.is_npc]
            return done(
                target=rng.choice(creatures if creatures and rng.random() < 0.7 else near),
                style=best if rng.random() < 0.7 else rng.randrange(3),
            )
    elif luck < 0.2 and mine:
        ready = [one for one in mine if not one.equipped.val and not one.level_gt(player)]
        if len(mine) < 12 or rng.random() < 0.5:
            return done(deed=USE, one=rng.choice(ready if ready and rng.random() < 0.8 else mine))
        return done(deed=DESTROY, one=rng.choice(mine))
    elif luck < 0.24 and mine:
        return done(deed=rng.choice((DESTROY, GIVE, GIVE, GIVE)), one=rng.choice(mine),
                    partner=rng.choice(near_players(player, players, 9) or [player]))  # fmt: skip
    elif luck < 0.42 and settings.EXCHANGE_SYSTEM_ENABLED:
        listings = [listing.item for listing in realm.exchange._item_listings.values()]
        kind = rng.randrange(5)
        if kind < 2 and mine:
            return done(deed=SELL, one=rng.choice(mine), price=rng.choice((1, 1, 2, 3, 3, 10, 30, 99)))
        if kind == 2:
            return done(deed=PAY, partner=rng.choice(near_players(player, players, 9) or [player]),
                        price=rng.choice((1, 1, 3, 10)))  # fmt: skip
        if listings:
            return done(deed=BUY, one=rng.choice(listings))
    elif luck < 0.44 and settings.COMMUNICATION_SYSTEM_ENABLED:
        return done(token=rng.randrange(1, 128))
    elif luck < 0.47:
        return done(rng.randrange(5))
    tiles = realm.map.tiles

    def beside(code):
        return lambda r, c: any(tiles[r + dr, c + dc].state.index == code for dr, dc in DELTA[:4])

    if player.resources.food.val > 65 and player.resources.water.val > 65 and settings.PROFESSION_SYSTEM_ENABLED:
        wanted = RESOURCES[(player.ent_id + realm.tick // 20) % 5]
        if wanted == 15:
            return done(way(realm, player.pos, beside(15)))
        return done(way(realm, player.pos, lambda r, c: tiles[r, c].state.index == wanted))
    if player.resources.water.val < player.resources.food.val:
        return done(way(realm, player.pos, beside(1)))
    return done(way(realm, player.pos, lambda r, c: tiles[r, c].state.index == 4))


def as_action(move, target, style, deed, one, partner, price, token):
    """The same for nmmo."""
    if target is not None:
        return {action.Attack: {action.Style: STYLES[style], action.Target: target}}
    if token:
        return {action.Comm: {action.Token: SimpleNamespace(val=token)}}
    if deed == REST:
        return {action.Move: {action.Direction: MOVES[move]}}
    given = {}
    if deed in (USE, DESTROY, GIVE, SELL):
        given[action.InventoryItem] = one
    if deed == BUY:
        given[action.MarketItem] = one
    if deed in (SELL, PAY):
        given[action.Price] = price
    if deed in (GIVE, PAY):
        given[action.Target] = partner
    return {DEEDS[deed]: given}


def play_items(name, cells):
    rng = random.Random(name)
    random.seed(name)
    realm, everyone, kinds, powers, drops, numbers = make_item_realm(name, cells, rng)
    _, count, _, _, steps, _, onset = ITEM_RUNS[name]
    players = everyone[:count]
    number = {id(e): k for k, e in enumerate(everyone)}
    for player in players:
        middle = realm.map.center_coord
        away = max(abs(player.pos[0] - middle[0]), abs(player.pos[1] - middle[1]))
        player.history.exploration = realm.map.dist_border_center - away
    realm.event_log.reset()
    states, given, done = GameStateGenerator(realm, realm.config), [], []
    for k in range(count):
        event = RARE[k % len(RARE)] if k >= 9 else (k + 5 * list(ITEM_RUNS).index(name)) % len(EVENTS)
        given.append((event, rng.choice((1, 3, 10, 40))))
    goals = [
        make_same_task(base_predicates.CountEvent, [k + 1], {"event": EVENTS[event], "N": times})[0]
        for k, (event, times) in enumerate(given)
    ]
    weapons, grown, spent = [], [], 0.0
    roll, step = droptable.Drop.roll, nmmo.core.tile.Tile.step

    def noted_roll(self, realm, level):
        found = roll(self, realm, level)
        if self.prob < 1:
            weapons.append(found is not None)
        return found

    def noted_step(self):
        before = self.depleted
        step(self)
        if before and not self.depleted:
            grown.append((realm.tick - 1, self.col.val - BORDER, self.row.val - BORDER))

    droptable.Drop.roll, nmmo.core.tile.Tile.step = noted_roll, noted_step
    rows, bags, others = [[row(e, count) for e in everyone]], [[bag(p) for p in players]], []
    others.append([more(realm, e) for e in everyone])
    choices, buyers, depleted, decide = [], [], [], realm.npcs.actions
    for _ in range(steps):
        chosen = np.zeros((len(everyone), len(CHOICE)), np.int16)
        chosen[:, 0] = 4
        actions = {}
        for k, player in enumerate(players):
            if player.alive:
                move, target, style, deed, one, partner, price, token = choose_with_items(
                    realm, player, everyone, players, rng
                )
                actions[k + 1] = as_action(move, target, style, deed, one, partner, price, token)
                owner = 0 if one is None else one.owner_id.val
                chosen[k] = [
                    *(move, 0 if target is None else number[id(target)] + 1, style, deed, owner),
                    *([0] * 5 if one is None else entry(one)),
                    *(0 if partner is None else number[id(partner)] + 1, price, token),
                ]

        realm.npcs.actions = noted(decide, chosen, number, count)
        numbers.buyers = []
        began = time.perf_counter()
        realm.step(actions)
        spent += time.perf_counter() - began
        state = states.generate(realm, {})
        for k, player in enumerate(players):
            if player.alive:
                goals[k].compute_rewards(state)
        done.append([round(goal.progress * times) for goal, (_, times) in zip(goals, given)])
        rows.append([row(e, count) for e in everyone])
        bags.append([bag(p) for p in players])
        others.append([more(realm, e) for e in everyone])
        choices.append(chosen)
        buyers.append(numbers.buyers + [-1] * (count - len(numbers.buyers)))
        depleted.append(sum(t.depleted for t in realm.map.tiles.reshape(-1)))
    droptable.Drop.roll, nmmo.core.tile.Tile.step = roll, step
    alive = sum(e.alive for e in players)
    print(f"{name}: {alive} of {count} players live; {steps / spent:.0f} steps/s; {sum(weapons)} weapons")
    return {
        f"{name}_rows": np.array(rows, np.int16),
        f"{name}_bags": np.array(bags, np.int16),
        f"{name}_more": np.array(others, np.int16),
        f"{name}_choices": np.array(choices, np.int16),
        f"{name}_buyers": np.array(buyers, np.int16),
        f"{name}_weapons": np.array(weapons, np.uint8),
        f"{name}_grown": np.array(grown, np.int16).reshape(-1, 3),
        f"{name}_tasks": np.array(given, np.int16),
        f"{name}_done": np.array(done, np.int16),
        f"{name}_depleted": np.array(depleted, np.int16),
        f"{name}_kinds": np.array(kinds, np.int16),
        f"{name}_powers": np.array(powers, np.int16),
        f"{name}_drops": np.array(drops, np.int16),
        f"{name}_rules": np.array([ITEM_RUNS[name][3], ITEM_RUNS[name][5], onset or 0]),
    }


def save(name, found):
    path = Path(__file__).parents[1] / "NeuralMMO" / name
    np.savez_compressed(path, **found)
    print(f"nmmo {nmmo.__version__}, Python {sys.version.split()[0]}: {path.stat().st_size} bytes")


def main():
    cells = make_map(random.Random(1))
    found = {"map": cells.astype(np.uint8)}
    for name in RUNS:
        found |= play(name, cells)
    save("neural_mmo_reference.npz", found)
    rng = random.Random(1)
    cells = add_resources(make_map(rng), rng)
    found = {"map": cells.astype(np.uint8)}
    for name in ITEM_RUNS:
        found |= play_items(name, cells if name != "items" else np.where(cells > 5, 2, cells))
    save("neural_mmo_items.npz", found)


if __name__ == "__main__":
    main()
