"""Crafter: survive in an open world, gather, craft tools, and unlock 22 achievements.

**Rules.** Every episode has a new map of grassland, lakes, beaches, mountains, caves and tunnels. A player walks on
grass, sand and paths. It faces the direction in which it walked or tried to walk, and acts on the cell that it faces:

- It cuts trees, mines stone and ores with the right pickaxe, and drinks water.
- It digs for saplings in grass, places what it carries, and hits creatures.
- It makes tools beside a table; tools of iron also need a furnace beside it.

Food, drink and energy run down. While one of them is at 0, health falls; otherwise it recovers. A sleeping player
regains energy. It sleeps until its energy is full or it is hurt. Lava kills.

Cows wander. Zombies appear in the grass, most of them at night. They hit players that are near, and hit sleeping
players harder. Skeletons live in tunnels and shoot arrows, which also destroy tables and furnaces. Creatures appear and
vanish slowly in each chunk of 12 x 12 cells, depending on light and ground. A plant ripens if no creature is beside it.

| | needs | uses |
|---|---|---|
| collect wood, drink, sapling | | a sapling is found with probability `sapling` |
| collect stone, coal | wood pickaxe | |
| collect iron | stone pickaxe | |
| collect diamond | iron pickaxe | |
| place stone, on grass, sand, path, water or lava | | 1 stone |
| place table, on grass, sand or path | | 2 wood |
| place furnace, on grass, sand or path | | 4 stone |
| place plant, on grass | | 1 sapling |
| make wood pickaxe, wood sword | table | 1 wood |
| make stone pickaxe, stone sword | table | 1 wood, 1 stone |
| make iron pickaxe, iron sword | table, furnace | 1 wood, 1 coal, 1 iron |

A hit takes 1 health; with a sword of wood 2, of stone 3, of iron 5. A cow has 3 health, a zombie 5, a skeleton 3. A cow
gives 6 food, and a ripe plant 4.

**Agents.** `player_0`, or 1 to 8 players. Several players start side by side and move in an order that is drawn at
every step. They block each other. Each has its own inventory and achievements. They cannot hurt each other except by
luring arrows. Creatures follow the nearest player. If a creature falls in a step, every player that hits it in that
step has defeated or eaten it.

**Observation.** Dict, with symbols instead of pixels.

| part | space | content |
|---|---|---|
| materials | Box (7, 9) uint8 | the ground around the player, which is at row 3, column 4; north is up |
| objects | Box (7, 9) uint8 | what stands on the ground |
| inventory | Box (16,) uint8 | counts up to 9, see below |
| facing | Discrete (4) | 0 east, 1 south, 2 west, 3 north |
| sleeping | Discrete (2) | 1 while asleep |
| daylight | Box (1,) float32 | 1 at noon, 0 in the darkest part of the night |

The inventory lists health, food, drink, energy, sapling, wood, stone, coal, iron and diamond, then pickaxes and swords
of wood, stone and iron.

| material | code | object | code |
|---|---|---|---|
| outside of the map | 0 | none | 0 |
| water | 1 | cow | 1 |
| grass | 2 | zombie | 2 |
| stone | 3 | skeleton | 3 |
| path | 4 | plant | 4 |
| sand | 5 | ripe plant | 5 |
| tree | 6 | arrow that flies in direction f | 6 + f |
| lava | 7 | the player itself | 10 |
| coal | 8 | `player_k` facing f; f is 4 if it sleeps | 11 + 5 k + f |
| iron | 9 | | |
| diamond | 10 | | |
| table | 11 | | |
| furnace | 12 | | |

**Actions.** Discrete (17), all of them always legal. While a player sleeps, they have no effect.

| action | name | effect |
|---|---|---|
| 0 | `noop` | |
| 1-4 | `move_left`, `move_right`, `move_up`, `move_down` | turns there, and walks if the cell is free |
| 5 | `do` | collects, hits, eats or drinks what is in front |
| 6 | `sleep` | falls asleep, unless energy is full |
| 7-10 | `place_stone`, `place_table`, `place_furnace`, `place_plant` | in front |
| 11-13 | `make_wood_pickaxe`, `make_stone_pickaxe`, `make_iron_pickaxe` | |
| 14-16 | `make_wood_sword`, `make_stone_sword`, `make_iron_sword` | |

**Window.** The arrow keys move the player, space is `do`, tab sleeps, and the key . does nothing. The keys r, t, f and
p place stone, table, furnace and plant. The keys 1 to 3 make pickaxes of wood, stone and iron; 4 to 6 make swords.

**Rewards.** +1 in a step that unlocks achievements; each achievement is unlocked once per episode. +0.1 for each point
of health gained, -0.1 for each lost.

**Ends.** A player whose health is 0 is terminated and leaves the map. Truncated after `length` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 1 | number of players, from 1 to 8 |
| `size` | 64 | cells on a side of the map, from 16 to 128 |
| `length` | 10000 | steps until truncation, from 1 to 1,000,000 |
| `creatures` | True | whether there are creatures |
| `night` | True | whether there is night; without it, it is always noon |
| `sapling` | 0.1 | probability of finding a sapling, from 0 to 1 |
| `ripening` | 300 | a plant is ripe after `ripening` + 1 steps, from 0 to 1,000,000 |
| `hunger` | 25 | food falls by one after `hunger` + 1 steps awake, from 1 to 1,000,000 |
| `thirst` | 20 | drink falls by one after `thirst` + 1 steps awake, from 1 to 1,000,000 |
| `fatigue` | 30 | energy falls by one after `fatigue` + 1 steps awake, from 1 to 1,000,000 |
| `spawn` | (0.3, 0.1, 0.01) | probabilities from 0 to 1 that zombies, skeletons and cows appear, see below |
| `despawn` | (0.4, 0.1, 0.1) | probabilities from 0 to 1 that they vanish, see below |

Every 10 steps, creatures appear in chunks with too few of their kind, and vanish in chunks with too many.

**Level.** The whole state as data: ``{"map": [rows of letters], "clock": 0, "players": [...], "objects": [...]}``. All
parts except the map may be left out, as in levels of the generator `terrain`: then players are new, in the middle of
the map. The clock is the step of the day, which has 300 steps.

| letter | ground | letter | ground |
|---|---|---|---|
| ``~`` | water | ``%`` | lava |
| ``.`` | grass | ``c`` | coal |
| ``#`` | stone | ``i`` | iron |
| ``_`` | path | ``d`` | diamond |
| ``:`` | sand | ``t`` | table |
| ``T`` | tree | ``f`` | furnace |

A player has "x", "y", "facing", "sleeping", "inventory" and "achievements" (counts by name), "hunger", "thirst",
"fatigue", "recovery" and "health_before". An object has "type" (cow, zombie, skeleton, plant or arrow), "x", "y" and
"health". A zombie also has "cooldown", a skeleton "reload", a plant "grown" and an arrow "facing". Parts that are left
out are as in a new player or object.

`symbols(record)` returns the running state in this form, and `set_symbols(record, symbols)` writes it. A model of the
world can thus be compared with it, and any situation can be set up.

**Known values.** Random play, in percent of episodes that unlock an achievement:

| | published, 29,784 episodes | here, 8,000 |
|---|---|---|
| wake up | 93.6 | 93.9 |
| collect sapling, place plant | 50.2, 44.6 | 51.4, 45.8 |
| collect wood, place table | 24.4, 4.4 | 23.9, 4.6 |
| collect drink | 9.3 | 8.9 |
| eat cow, defeat zombie | 0.38, 0.14 | 0.40, 0.09 |
| wood pickaxe, wood sword | 0.32, 0.32 | 0.27, 0.30 |
| score, exp(mean log(1 + rate)) - 1 | 1.55 | 1.54 |
| steps, return | 167.9, 1.38 | 168.4, 1.38 |

Percent of the cells of 6,000 maps, and of the reference's 1,600:

| | here | reference |
|---|---|---|
| grass | 42.7 | 43.2 |
| water | 21.6 | 21.3 |
| stone | 14.2 | 14.2 |
| path | 8.8 | 8.5 |
| sand | 5.5 | 5.7 |
| tree | 4.6 | 4.7 |
| coal | 1.26 | 1.24 |
| lava | 0.81 | 0.76 |
| iron | 0.47 | 0.44 |
| diamond | 0.08 | 0.08 |

**Differences.** From `crafter` 1.8.3. With the same level, actions and random draws, the whole state is the same at
every step, creatures included, except as listed.

- Creatures are balanced in every chunk; there only in chunks that an object has been in.
- Symbols replace pixels, and the night hides nothing.
- Maps follow its rules, with a different noise of the same spread and correlation.
- There are never more than `size`^2 / 16 objects. At that number, none is added, and a sapling stays in the hand.
- Quirks are kept. Nothing can be made in the westernmost column and the northernmost row. A creature without health
  acts once more before it leaves. Two achievements in one step give +1.

**Source.** Hafner, "Benchmarking the Spectrum of Agent Capabilities", ICLR 2022; `crafter` 1.8.3. Symbolic objects as
in Crafter-OO (Khan et al., "One Life to Learn", 2025).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import large_kernel
from envsuite.core.random import shuffle
from envsuite.core.ranges import below, flag, limited, within
from envsuite.core.record import as_views
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.generators import terrain
from envsuite.gridworlds.crafter import pages, rules, view
from envsuite.gridworlds.crafter.reading import TYPES, read_state, write_state
from envsuite.registry import pettingzoo_forms

_MOST_PLAYERS = 8

#: More than a count of steps or of achievements gets to.
_MANY = 2**30


def fields(size: int, players: int) -> list[tuple]:
    """The record of a map of `size` x `size` cells."""
    half_steps, vital = within(np.int64, -_MANY, _MANY), below(np.int64, rules.MOST + 1)
    an_object = np.dtype(
        [
            ("kind", below(np.uint8, rules.ARROW + 1)),  # GONE, COW, ZOMBIE, SKELETON, PLANT or ARROW
            ("facing", below(np.uint8, 4)),  # an arrow's
            ("x", below(np.int16, size)),
            ("y", below(np.int16, size)),
            ("health", within(np.int16, -1, rules.STRONGEST)),
            ("timer", within(np.int32, 0, _MANY)),  # steps: see `rules.TIMERS`
        ],
        align=True,
    )
    player = np.dtype(
        [
            ("x", below(np.int64, size)),
            ("y", below(np.int64, size)),
            ("facing", below(np.int64, 4)),
            ("hunger", half_steps),  # this and the next three: half steps, so that they are whole
            ("thirst", half_steps),
            ("fatigue", half_steps),
            ("recovery", half_steps),
            ("health_before", vital),  # after its last move: what has hurt it since wakes it up
            ("health_rewarded", vital),  # at the end of the last step
            ("sleeping", flag()),  # whether it is
            ("unlocked", flag()),  # whether it unlocked an achievement in this step
            ("inventory", below(np.int8, rules.MOST + 1), (len(rules.ITEMS),)),
            ("achievements", within(np.int32, 0, _MANY), (len(rules.ACHIEVEMENTS),)),  # how often
        ],
        align=True,
    )
    most = size * size // 16
    wide = size + 2 * rules.MARGIN
    chunks = (-(-size // rules.CHUNK)) ** 2
    count, cells = within(np.int64, 0, most), within(np.int16, 0, rules.CHUNK**2)
    ground, things = (
        within(
            np.uint8,
            np.pad(np.full((size, size), low), rules.MARGIN),
            np.pad(np.full((size, size), high), rules.MARGIN),
        )
        for low, high in ((terrain.WATER, terrain.FURNACE), (0, rules.PLAYER + 5 * players - 1))
    )
    level = [
        ("map", within(np.uint8, terrain.WATER, terrain.FURNACE), (size, size)),  # materials
        ("clock", below(np.int64, rules.DAY)),  # the step of the day at the start
        ("count", count),  # objects
        ("objects", an_object, (most,)),
        ("players", player, (players,)),
    ]
    return [
        ("players", player, (players,)),
        ("order", below(np.int64, players), (players,)),  # in which they act in this step
        ("clock", below(np.int64, rules.DAY)),
        ("count", count),
        ("gone", below(np.int64, 1)),  # objects removed in this step
        ("objects", an_object, (most,)),  # the oldest first
        ("ground", ground, (wide, wide)),  # materials, with a margin as wide as a view reaches
        ("things", things, (wide, wide)),  # what stands there, as codes of the view
        ("space", cells, (chunks, 2)),  # cells of grass and path
        ("census", cells, (chunks, 4)),  # creatures by kind; used in `balance`
        ("table", within(np.uint8, 0, 255), (256,)),  # this and the columns are room for the generator to work in
        ("columns", within(np.float64, -_MANY, _MANY), (4, size)),
        ("level", np.dtype(level, align=True)),
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        rules.generate(s)
    rules.lay(s, s.level.map)
    s.clock = s.level.clock
    s.gone = 0
    s.count = s.level.count
    for k in range(s.count):
        s.objects[k] = s.level.objects[k]
        rules.show(s, s.objects[k])
    for a in range(s.players.shape[0]):
        s.players[a] = s.level.players[a]
        s.players[a].unlocked = 0
        s.players[a].health_rewarded = s.players[a].inventory[rules.HEALTH]
        rules.show_player(s, a)


@large_kernel
def step(s, actions, rewards):
    players = s.players.shape[0]
    before = s.count
    for a in range(players):
        s.order[a] = a
    shuffle(s, s.order, players)
    for k in range(players):
        a = s.order[k]
        if s.terminated[a] == 0:
            rules.act(s, a, actions[a])
    rules.live(s, before)
    if s.gone:
        rules.tidy(s)
    if s.params.creatures and (s.clock + s.t) % 10 == 0:
        rules.balance(s)
        if s.gone:
            rules.tidy(s)
    for a in range(players):
        p = s.players[a]
        if s.terminated[a]:
            continue
        health = np.int64(p.inventory[rules.HEALTH])
        rewards[a] = (health - p.health_rewarded) / 10 + (1.0 if p.unlocked else 0.0)
        p.health_rewarded = health
        p.unlocked = 0
        if health <= 0:
            s.terminated[a] = 1
            rules.put_thing(s, p.x, p.y, 0)
        elif s.t >= s.params.length:
            s.truncated[a] = 1


@large_kernel
def observe(s, agent, out):
    p = s.players[agent]
    top, left = np.uint64(p.y + rules.MARGIN - rules.UP), np.uint64(p.x + rules.MARGIN - rules.LEFT)
    for i in range(np.uint64(rules.ROWS)):
        for j in range(np.uint64(rules.COLUMNS)):
            out.materials[i, j] = s.ground[top + i, left + j]
            out.objects[i, j] = s.things[top + i, left + j]
    out.objects[rules.UP, rules.LEFT] = rules.SELF
    for k in range(len(rules.ITEMS)):
        out.inventory[k] = p.inventory[k]
    out.facing = p.facing
    out.sleeping = p.sleeping
    out.daylight[0] = rules.daylight(s)


class Crafter(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    leaving = True
    masked = False
    kind = ("open worlds",)
    verified = "`crafter`, step by step; its published random score"
    variants = (dict(players=2, size=16),)
    keys = {
        "left": "move_left",
        "right": "move_right",
        "up": "move_up",
        "down": "move_down",
        "space": "do",
        "tab": "sleep",
        "r": "place_stone",
        "t": "place_table",
        "f": "place_furnace",
        "p": "place_plant",
        "1": "make_wood_pickaxe",
        "2": "make_stone_pickaxe",
        "3": "make_iron_pickaxe",
        "4": "make_wood_sword",
        "5": "make_stone_sword",
        "6": "make_iron_sword",
        ".": "noop",
    }
    player_page = pages.PAGE
    page_slots = pages.page_slots
    text = view.text
    scene = view.scene

    def __init__(
        self,
        players: Annotated[int, Between(1, _MOST_PLAYERS)] = 1,
        size: Annotated[int, Between(16, 128)] = 64,
        length: Annotated[int, Horizon(1, 1_000_000)] = 10_000,
        creatures: bool = True,
        night: bool = True,
        sapling: Annotated[float, Between(0, 1)] = 0.1,
        ripening: Annotated[int, Between(0, 1_000_000)] = 300,
        hunger: Annotated[int, Between(1, 1_000_000)] = 25,
        thirst: Annotated[int, Between(1, 1_000_000)] = 20,
        fatigue: Annotated[int, Between(1, 1_000_000)] = 30,
        spawn: Sequence[float] = (0.3, 0.1, 0.01),
        despawn: Sequence[float] = (0.4, 0.1, 0.1),
    ):
        for name, rates in (("spawn", spawn), ("despawn", despawn)):
            if len(rates) != 3 or not all(isinstance(p, (int, float)) and 0 <= p <= 1 for p in rates):
                raise ParameterError(f"Crafter: {name}={rates!r} must be three probabilities: zombies, skeletons, cows")
        codes = rules.PLAYER + 5 * players - 1 if players > 1 else rules.SELF
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=rules.ACTIONS,
            observation=Dict(
                {
                    "materials": Box(0, terrain.FURNACE, (rules.ROWS, rules.COLUMNS), np.uint8),
                    "objects": Box(0, codes, (rules.ROWS, rules.COLUMNS), np.uint8),
                    "inventory": Box(0, rules.MOST, (len(rules.ITEMS),), np.uint8),
                    "facing": Discrete(4),
                    "sleeping": Discrete(2),
                    "daylight": Box(0.0, 1.0, (1,), np.float32),
                }
            ),
            fields=fields(size, players),
            params={
                "length": length,
                "creatures": creatures,
                "night": night,
                "sapling": float(sapling),
                "ripening": ripening,
                "hunger": hunger,
                "thirst": thirst,
                "fatigue": fatigue,
                "spawn": limited([float(p) for p in spawn], 0, 1),
                "despawn": limited([float(p) for p in despawn], 0, 1),
            },
            reward_range=(-0.9, 1.1),
        )

    def contradiction(self, s: Any) -> str | None:
        alive, objects = np.flatnonzero(s.terminated == 0), s.objects[: s.count]
        if not all(np.isin(part["kind"], list(TYPES)).all() for part in (objects, s.level.objects[: s.level.count])):
            return "there is an object of no kind"
        codes = objects["kind"] + np.where(objects["kind"] == rules.ARROW, objects["facing"], 0)
        codes[(objects["kind"] == rules.PLANT) & (objects["timer"] > s.params.ripening)] = rules.RIPE
        players = s.players[alive]
        facing = np.where(players["sleeping"], rules.ASLEEP, players["facing"])
        things = np.zeros_like(s.things)
        things[objects["y"] + rules.MARGIN, objects["x"] + rules.MARGIN] = codes
        things[players["y"] + rules.MARGIN, players["x"] + rules.MARGIN] = rules.PLAYER + 5 * alive + facing
        if (things != s.things).any() or np.count_nonzero(things) != len(objects) + len(players):
            return "things are not the objects and players, one on a cell"
        return None

    # Levels, and the state as symbols.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        state = read_state(self, s, level)
        for agent, player in zip(self.agents, state["players"]):
            if player["inventory"][rules.HEALTH] == 0:
                raise LevelError(f"{self.id}: {agent} has no health; a level's players are alive")
        objects = state["objects"]
        s.level.map[:] = state["map"]
        s.level.clock, s.level.count = state["clock"], len(objects)
        s.level.objects[: len(objects)] = objects
        s.level.players[:] = state["players"]

    def get_level(self, s: Any) -> dict[str, Any]:
        level = s.level
        return write_state(level.map, int(level.clock), level.players, level.objects[: level.count])

    def symbols(self, s: Any) -> dict[str, Any]:
        """The running state as plain data, in the form of a level; players without health are dead."""
        ground = s.ground[rules.MARGIN : -rules.MARGIN, rules.MARGIN : -rules.MARGIN]
        return write_state(ground, int((s.clock + s.t) % rules.DAY), s.players, s.objects[: s.count])

    def set_symbols(self, s: Any, symbols: Mapping[str, Any]) -> None:
        """Write a state in the form of a level into a running record, or raise `LevelError` and change nothing.

        `Batch.observe` then fills the observations again. The number of steps so far does not change.
        """
        try:
            state = read_state(self, s, symbols)
        except KeyError as missing:
            raise LevelError(f"{self.id}: the state lacks {missing}") from None
        except LevelError:
            raise
        except (TypeError, ValueError, IndexError, OverflowError, AttributeError) as problem:
            raise LevelError(f"{self.id}: the state cannot be read: {problem}") from None
        ground, objects, players = state["map"], state["objects"], state["players"]
        s.clock = (state["clock"] - s.t) % rules.DAY
        s.count, s.gone = len(objects), 0
        s.objects[: len(objects)] = objects
        s.players[:] = players
        s.terminated[:] = players["inventory"][:, rules.HEALTH] == 0
        rules.lay(s, as_views(ground))
        for k in range(s.count):
            rules.show(s, s.objects[k])
        for a in range(len(players)):
            if not s.terminated[a]:
                rules.show_player(s, a)

    # Observations.

    def state_space(self) -> Dict:
        """The whole map, with codes as in the observation, all inventories, and daylight."""
        size, players = self.parameters["size"], len(self.agents)
        return Dict(
            {
                "materials": Box(0, terrain.FURNACE, (size, size), np.uint8),
                "objects": Box(0, rules.PLAYER + 5 * players - 1, (size, size), np.uint8),
                "inventory": Box(0, rules.MOST, (players, len(rules.ITEMS)), np.uint8),
                "daylight": Box(0.0, 1.0, (1,), np.float32),
            }
        )

    def state(self, records: np.ndarray, observations: np.ndarray) -> dict[str, np.ndarray]:
        inside = slice(rules.MARGIN, -rules.MARGIN)
        return {
            "materials": records["ground"][:, inside, inside].copy(),
            "objects": records["things"][:, inside, inside].copy(),
            "inventory": records["players"]["inventory"].astype(np.uint8),
            "daylight": observations["daylight"][:, 0].copy(),
        }


env, raw_env, parallel_env = pettingzoo_forms(Crafter)
