"""`crafter`'s own game, driven by our random stream, without pixels."""

from collections import defaultdict

import crafter
import pytest
from crafter import constants, engine, objects

from envsuite.generators.terrain import LEGEND

MASK = 2**64 - 1
FACINGS = [(1, 0), (0, 1), (-1, 0), (0, -1)]
TIMERS = {"zombie": "cooldown", "skeleton": "reload", "plant": "grown"}


class Stream:
    """The stream of `envsuite.core.random`, with the two NumPy methods that the reference calls."""

    def __init__(self, word):
        self.word = int(word)

    def bits(self):
        self.word = (self.word + 0x9E3779B97F4A7C15) & MASK
        word = self.word
        word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & MASK
        word = ((word ^ word >> 27) * 0x94D049BB133111EB) & MASK
        return word ^ word >> 31

    def uniform(self):
        return (self.bits() >> 11) * 2.0**-53

    def randint(self, low, high):
        return low + ((self.bits() >> 32) * (high - low) >> 32)


class Ordered(set):
    """A chunk's objects, which the reference keeps in a set, in the order in which they were added to the world."""

    def __iter__(self):
        return iter(sorted(super().__iter__(), key=lambda thing: thing.serial))


class Numbered(engine.World):
    """The reference's world; every chunk exists from the start, and objects in chunks have an order."""

    def reset(self, seed=None):
        super().reset(seed)
        self._chunks = defaultdict(Ordered)
        for x in range(0, self.area[0], 12):
            for y in range(0, self.area[1], 12):
                self._chunks[self.chunk_key((x, y))] = Ordered()

    def add(self, thing):
        thing.serial = len(self._objects)
        super().add(thing)


class NoTextures:
    """Replaces the reference's textures, which take longer to load than an episode."""

    def __init__(self, directory):
        pass


class Reference(crafter.Env):
    """`crafter.Env` without pixels; it starts from a state in symbols and returns one."""

    def __init__(self, level, word, length=10_000, balanced=True):
        size = len(level["map"])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(engine, "Textures", NoTextures)
            super().__init__(area=(size, size), length=length, seed=0)
        self._world = world = Numbered((size, size), constants.materials, (12, 12))
        self._balanced = balanced
        world.random = Stream(word)
        world._mat_map[:] = [[LEGEND.index(row[x]) for row in level["map"]] for x in range(size)]
        self._step = level["clock"]
        self._update_time()
        symbol = level["players"][0]
        self._player = player = objects.Player(world, (symbol["x"], symbol["y"]))
        player.facing, player.sleeping = FACINGS[symbol["facing"]], symbol["sleeping"]
        player.inventory, player.achievements = dict(symbol["inventory"]), dict(symbol["achievements"])
        player._hunger, player._thirst, player._fatigue, player._recover, player._last_health = (
            symbol[name] for name in ("hunger", "thirst", "fatigue", "recovery", "health_before")
        )
        self._last_health = player.health
        self._unlocked = {name for name, count in player.achievements.items() if count}
        world.add(player)
        for symbol in level["objects"]:
            kind, at = symbol["type"], (symbol["x"], symbol["y"])
            if kind == "arrow":
                thing = objects.Arrow(world, at, FACINGS[symbol["facing"]])
            else:
                made = getattr(objects, kind.capitalize())
                thing = made(world, at, player) if kind in ("zombie", "skeleton") else made(world, at)
                if kind in TIMERS:
                    setattr(thing, TIMERS[kind], symbol[TIMERS[kind]])
            thing.health = symbol["health"]
            world.add(thing)

    def _obs(self):
        self._sem_view = lambda: None

    def _balance_chunk(self, chunk, things):
        if self._balanced:
            super()._balance_chunk(chunk, things)

    def symbols(self):
        player, world = self._player, self._world
        listed = []
        for thing in world.objects[1:]:
            kind = type(thing).__name__.lower()
            symbol = {"type": kind, "x": int(thing.pos[0]), "y": int(thing.pos[1]), "health": thing.health}
            if kind == "arrow":
                symbol["facing"] = FACINGS.index(tuple(thing.facing))
            elif kind in TIMERS:
                symbol[TIMERS[kind]] = getattr(thing, TIMERS[kind])
            listed.append(symbol)
        return {
            "map": ["".join(LEGEND[code] for code in row) for row in world._mat_map.T],
            "clock": self._step % 300,
            "players": [
                {
                    "x": int(player.pos[0]),
                    "y": int(player.pos[1]),
                    "facing": FACINGS.index(tuple(player.facing)),
                    "sleeping": player.sleeping,
                    "inventory": player.inventory,
                    "achievements": player.achievements,
                    "hunger": player._hunger,
                    "thirst": player._thirst,
                    "fatigue": player._fatigue,
                    "recovery": player._recover,
                    "health_before": player._last_health,
                }
            ],
            "objects": listed,
        }
