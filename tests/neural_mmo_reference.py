"""Makes tests/data/neural_mmo_reference.npz: steps of Neural MMO 2.1.1 on a map of ours, with foliage that never grows.

Needs Python 3.11 with numpy 1.23.3 and nmmo 2.1.1; nothing of envsuite is imported:

    pip install "setuptools<70" wheel cython numpy==1.23.3
    CFLAGS="-D_COMPLEX_H=1 -fgnu89-inline" pip install --no-build-isolation vec-noise
    pip install nmmo==2.1.1
    python tests/neural_mmo_reference.py

Players, numbered from 0, and creatures after them are put on the map by hand. Each step has one action for each player.
What creatures chose is recorded too, because ties between their ways are broken differently.
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
from nmmo.lib import seeding

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


def make_realm(name, cells, rng):
    systems, players, creatures, immunity, _, equipped = RUNS[name]

    class Config(config.Config, *systems):
        PLAYER_N, NPC_N, MAP_SIZE, MAP_CENTER = players, creatures, 2 * BORDER + SIZE - 1, SIZE - 1
        COMBAT_SPAWN_IMMUNITY, RESOURCE_FOILAGE_RESPAWN, MAP_RESET_FROM_FRACTAL = immunity, 0.0, False
        HORIZON = 1000

    settings = Config()
    numbers = seeding.np_random(7)[0]
    realm = Realm(settings, numbers)
    padded = np.zeros((settings.MAP_SIZE, settings.MAP_SIZE), int)
    padded[BORDER : BORDER + SIZE, BORDER : BORDER + SIZE] = cells
    realm.reset(numbers, {"map": padded}, custom_spawn=True)
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

        def recorded(chosen=chosen):
            made = decide()
            for npc, does in made.items():
                k = players - 1 - npc
                if action.Move in does:
                    chosen[k, 0] = MOVES.index(does[action.Move][action.Direction])
                if action.Attack in does:
                    chosen[k, 1] = number[id(does[action.Attack][action.Target])] + 1
                    chosen[k, 2] = STYLES.index(does[action.Attack][action.Style])
            return made

        realm.npcs.actions = recorded
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


def main():
    cells = make_map(random.Random(1))
    found = {"map": cells.astype(np.uint8)}
    for name in RUNS:
        found |= play(name, cells)
    path = Path(__file__).parent / "data" / "neural_mmo_reference.npz"
    np.savez_compressed(path, **found)
    print(f"nmmo {nmmo.__version__}, Python {sys.version.split()[0]}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
