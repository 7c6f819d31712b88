"""Makes tests/data/RTS/rts_reference.npz: matches of microRTS's own bots, for tests/worlds/games/test_rts.py.

    pip download --no-binary gym-microrts --no-deps gym-microrts==0.4.3
    tar xzf gym-microrts-0.4.3.tar.gz
    python tests/rts_reference.py gym-microrts-0.4.3/gym_microrts/microrts

It needs `JPype1` 1.7.1 and a Java runtime, 17 or later. Of each match are stored

- the units at the start, and all orders (cycle, cell of the unit, action of ours, duration of a wait),
- a digest of all units and purses after each cycle, and another of what each player sees in its partial view,
- the totals of six reward functions for each player,
- the width of the map, the winner, the last cycle, the number of orders that conflicts made waits, the table of units.

The biased random bot draws from an unseeded generator, so its matches differ from run to run.
"""

import sys
from pathlib import Path

import jpype
import numpy as np

FILE = Path(__file__).parent / "data" / "RTS" / "rts_reference.npz"
SMALL, LARGE = "8x8/basesWorkers8x8", "16x16/basesWorkers16x16"
#: Map, bots, most cycles, table: 1 original, 2 finetuned.
MATCHES = (
    (SMALL, "RandomBiased", "RandomBiased", 700, 1),
    (SMALL, "RandomBiased", "RandomBiased", 700, 2),
    (SMALL, "WorkerRush", "LightRush", 700, 1),
    (SMALL, "WorkerRush", "WorkerRush", 500, 1),
    (SMALL, "LightRush", "HeavyRush", 900, 1),
    (SMALL, "LightRush", "LightRush", 900, 1),
    (SMALL, "LightRush", "RangedRush", 900, 1),
    (SMALL, "RangedRush", "HeavyRush", 900, 1),
    (SMALL, "HeavyRush", "WorkerRush", 400, 1),
    (SMALL, "HeavyRush", "LightRush", 900, 2),
    (LARGE, "WorkerRush", "RandomBiased", 700, 1),
    (LARGE, "WorkerRush", "LightRush", 500, 1),
    (LARGE, "RangedRush", "LightRush", 700, 1),
    (LARGE, "RandomBiased", "RandomBiased", 900, 1),
)
KINDS = ("Resource", "Base", "Barracks", "Worker", "Light", "Heavy", "Ranged")
#: The first of our actions for moves, harvests, returns and builds, by the type of theirs.
FIRST = {1: 1, 2: 5, 3: 9, 4: 13}
#: Its functions, in the order of our objectives.
REWARDS = ("WinLoss", "ResourceGather", "ProduceWorker", "ProduceBuilding", "Attack", "ProduceCombatUnit")
HITS = [(i, j) for i in range(-3, 4) for j in range(-3, 4) if 0 < i * i + j * j <= 9]


def rows(game):
    """Cell, kind, owner, health and resources of all units in order of their cells; and the purses."""
    field = game.getPhysicalGameState()
    wide = int(field.getWidth())
    found = sorted(
        (
            int(unit.getY()) * wide + int(unit.getX()),
            KINDS.index(str(unit.getType().name)) + 1,
            int(unit.getPlayer()) + 1,
            int(unit.getHitPoints()),
            int(unit.getResources()),
        )
        for unit in field.getUnits()
    )
    return found, tuple(int(field.getPlayer(k).getResources()) for k in (0, 1))


def digest(units, purses):
    total = 0
    for row in (*units, purses):
        for number in row:
            total = (31 * total + number + 7) % 2147483647
    return total


def order(unit, action, game):
    """One order: cycle, cell, our action, duration of a wait."""
    x, y, wide = int(unit.getX()), int(unit.getY()), int(game.getPhysicalGameState().getWidth())
    type_ = int(action.getType())
    if type_ == 0:
        ours = 0
    elif type_ == 5:
        ours = 37 + HITS.index((int(action.getLocationY()) - y, int(action.getLocationX()) - x))
    else:
        ours = FIRST[type_] + int(action.getDirection())
        if type_ == 4:
            ours += 4 * (KINDS.index(str(action.getUnitType().name)) - 1)
    return int(game.getTime()), y * wide + x, ours, int(action.ETA(unit)) if type_ == 0 else 0


def play(folder, map_, first, second, cycles, version):
    table = jpype.JClass("rts.units.UnitTypeTable")(version)
    field = jpype.JClass("rts.PhysicalGameState").load(f"{folder}/maps/{map_}.xml", table)
    game = jpype.JClass("rts.GameState")(field, table)
    assert str(table.getUnitType("Heavy").hp) == {1: "4", 2: "8"}[version]
    bots = [
        jpype.JClass("ai.RandomBiasedAI")() if name == "RandomBiased" else jpype.JClass(f"ai.abstraction.{name}")(table)
        for name in (first, second)
    ]
    start, orders, digests, views, conflicts = rows(game)[0], [], [], [], 0
    partial, trace = jpype.JClass("rts.PartiallyObservableGameState"), jpype.JClass("rts.TraceEntry")
    functions = [jpype.JClass(f"ai.rewardfunction.{name}RewardFunction")() for name in REWARDS]
    rewards = np.zeros((2, len(functions)))
    while int(game.getTime()) < cycles and not game.gameover():
        chosen = [bot.getAction(k, game) for k, bot in enumerate(bots)]
        for actions in chosen:
            game.issueSafe(actions)
        for actions in chosen:
            for pair in actions.getActions():
                unit, action = pair.m_a, pair.m_b
                conflicts += int(game.getUnitAction(unit).getType()) != int(action.getType())
                orders.append(order(unit, action, game))
        entry = trace(game.getPhysicalGameState().clone(), game.getTime())
        for actions in chosen:
            entry.addPlayerAction(actions.clone())
        game.cycle()
        for k in range(2):
            for j, function in enumerate(functions):
                function.computeReward(k, 1 - k, entry, game)
                rewards[k, j] += float(function.getReward())
        digests.append(digest(*rows(game)))
        views.append([digest(rows(partial(game, k))[0], ()) for k in range(2)])
    about = [int(field.getWidth()), int(game.winner()), int(game.getTime()), conflicts, version - 1]
    print(map_, first, second, about, len(orders))
    return {
        "start": np.array(start, np.int16),
        "orders": np.array(orders, np.int16),
        "digests": np.array(digests, np.int32),
        "views": np.array(views, np.int32),
        "rewards": rewards,
        "about": np.array(about),
        "bots": np.array([first, second]),
    }


if __name__ == "__main__":
    folder = sys.argv[1]
    jpype.startJVM(classpath=[f"{folder}/microrts.jar", *map(str, Path(folder, "lib").glob("*.jar"))])
    found = {f"{k}/{part}": value for k, match in enumerate(MATCHES) for part, value in play(folder, *match).items()}
    np.savez_compressed(FILE, **found)
