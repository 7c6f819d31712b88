"""Roguelike: find the stairs of small dungeons with doors, traps, boulders, lava and monsters, in 67 tasks.

**Rules.** A hero looks for stairs on a map. Each `task` has levels of its own kind, see below. A turn is one action of
the hero; then the monsters act.

*Moves.* The hero moves to one of the eight neighbors of its cell. It cannot move diagonally into or out of an open
door. A move into a closed door opens it, but not diagonally. Locked doors open with a key, or break by kicks. A move
into a boulder pushes it one cell further, onto free floor, corridor, doorway or ice; on levels with pits never
diagonally. A boulder that is pushed into water or a pit fills it. It fills lava with probability 0.9, and otherwise
sinks. A move that is impossible takes no time.

*Dangers.* Lava and pits kill. The hero does not enter water. A potion of levitation lasts for 40 turns; the hero then
crosses water, lava, pits and traps, but can push and take nothing. Hidden traps appear when they are entered: darts
take 1 to 4 health, a snare holds for 1 to 5 turns, a teleporter moves the hero to a random free cell of floor. A hero
in a snare can still fight.

*Monsters.* A move into a monster attacks it: that hits with probability 0.8 and takes 1 to 8 health. The hero has 16
health, and regains one every 15 turns. A monster's speed is its energy per turn, and an attack or a step costs it 12.
Monsters see in the dark. One that sees the hero attacks it from a neighboring cell, or else comes nearer. One that has
lost it goes to where it was seen last. Others wander, and so does a bat in one of three of its moves.

| monster | health | speed | hits with | damage, up to |
|---|---|---|---|---|
| rat | 3 | 10 | 0.5 | 3 |
| bat | 4 | 22 | 0.5 | 4 |
| goblin | 5 | 9 | 0.5 | 6 |
| ogre | 20 | 10 | 0.6 | 10 |
| minotaur | 40 | 15 | 0.9 | 20 |

*Sight.* The hero sees the cells beside it, and lit cells in a line of sight. Walls, rock, shut doors, trees, clouds and
boulders hide what is behind them. The hero remembers the ground and the things that it has seen, but no monsters.

| tasks | |
|---|---|
| `Room-5`, `Room-15` | one room, from corner to corner |
| `-Random`, `-Dark`, `-Monster`, `-Trap` after these | random places; also: no light; 1 or 3 monsters; 1 or 15 traps |
| `-Ultimate` after these | all of that |
| `Corridor-R2`, `-R3`, `-R5` | rooms and dark corridors; doors and cells may be hidden, doors may be locked |
| `MazeWalk-9`, `-15`, `-45` | a maze of 9 x 9, 15 x 15 or 19 x 45 cells with its walls |
| `KeyRoom-S5`, `-S15`, and `-Dark` after these | the stairs are in a locked room, and a key is outside of it |
| `River`, `River-Narrow` | five boulders, and three or two columns of water to fill |
| `River-Lava`, `-Monster`, `-MonsterLava` | lava but for two rows; five monsters; both |
| `MultiRoom-N2`, `-N4`, `-N6`, `-N10` | a chain of rooms with closed doors |
| `-Open`, `-Locked`, `-Lava`, `-Monster` after these | other doors; walls of lava; up to 12 monsters |
| `-Extreme` after these | locked doors, walls of lava, and monsters |
| `LavaCross` | a room divided by lava, and a potion or a wand |
| `HideNSeek`, `-Lava`, `-Big` | trees, clouds, and an ogre or a minotaur |
| `ExploreMaze-Easy`, `-Hard` | a maze with four apples |
| `CorridorBattle`, `-Dark` | six rats in a hall behind a corridor |
| `Memento-Short-F2`, `-F2`, `-F4` | things in the first room say which stairs at the end of a corridor are real |
| `Sokoban-1`, `-2`, `-4` | a corridor with that many pits, and one boulder more |
| `Labyrinth-Small`, `Labyrinth` | rings within each other, each with one gap |

In Corridor, each end of a corridor is a doorway with probability 3/8, an open door with 1/4, and a closed, a locked or
a hidden one with 1/8 each. One cell of a corridor is hidden with probability 1/4. In HideNSeek, a cell is a cloud with
probability 0.33, otherwise a tree with 0.25, and otherwise in `-Lava` lava with 0.05. A random way from the hero to the
stairs, and one to the monster, are cleared. Each of their steps comes nearer by a row, by a column or by both, with
probability 1/3 each.

In Memento, a key in the north west corner of the first room means the northern one of two ways, and an apple the
southern one. With four ways, this holds within the northern half of them if there is a key in the south west corner,
and within the southern half if there is an apple.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| `crop` | Box (9, 9) uint8 | codes of the cells around the hero, as it sees or remembers them |
| `stats` | Box (12,) int32 | numbers of the hero, see below |
| `map` | Box (21, 79) uint8 | the same for the whole map; only with ``map=True`` |

| codes | |
|---|---|
| 0-3 | not seen, rock, wall, floor |
| 4-8 | corridor, doorway without a door, open door, closed door, locked door |
| 9-14 | water, ice, lava, stairs, tree, cloud |
| 15-18 | pit, dart trap, snare, teleporter |
| 19-23 | boulder, key, apple, potion of levitation, wand of cold |
| 24 | the hero |
| 25-29 | rat, bat, goblin, ogre, minotaur |

The entries of `stats` are health, turns of levitation, turns in a snare, keys, apples, potions, charges of wands, the
direction that the hero faces (the number of a move), the code of the ground in its cell, the thing there, and its row
and column on the map. The thing is 0 for none, 2 for a key, 3 for an apple, 4 for a potion, and 5 for a wand.

**Actions.** Discrete (15).

| action | name | legal |
|---|---|---|
| 0-7 | `north`, `north east`, `east`, `south east`, `south`, `south west`, `west`, `north west` | always |
| 8 | `search` | in Corridor |
| 9 | `kick` | in Corridor, and in MultiRoom with locked doors |
| 10 | `take` | in KeyRoom and LavaCross, on a thing |
| 11 | `apply` | in KeyRoom, with a key |
| 12 | `eat` | in ExploreMaze, on an apple |
| 13 | `quaff` | in LavaCross, with a potion |
| 14 | `zap` | in LavaCross, with a charged wand |

The hero faces the direction of its last move, also of an impossible one. A search finds each hidden thing in the eight
cells around the hero with probability 1/7. A kick at what the hero faces breaks a shut door with probability 0.35; it
hits a monster with probability 0.6 and takes 1 to 4 health. `apply` opens a locked door beside the hero. A wand has 4
charges. Its ray reaches 8 cells in the direction that the hero faces; it turns water to ice and lava to floor, and
takes 20 health from monsters.

**Window.** The arrow keys and `q`, `e`, `z` and `c` move the hero. The keys s, k, t, a, f, d and x are `search`,
`kick`, `take`, `apply`, `eat`, `quaff` and `zap`. A click moves the hero toward that point.

**Rewards.** 1 for the stairs, 0.5 for an apple that is eaten, 0.1 for a pit that is filled, and -0.01 for an action
that takes no time.

**Ends.** Terminates on stairs, real or not, and with the death of the hero. On levels with pits, stairs count once all
pits are filled. Truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `task` | "MultiRoom-N4-Monster" | one of the tasks above |
| `layout` | "all" | what is new in each episode: "all" the level; "goal" the place of the stairs; "fixed" nothing |
| `map_seed` | 0 | number of the map of the layouts "goal" and "fixed", from 0 to 1,000,000 |
| `mapped` | False | whether the hero knows the map from the start, but for what is hidden |
| `map` | False | whether observations have the whole map |
| `horizon` | None | actions until truncation, from 1 to 1,000,000; None: the task's |

With the layout "goal", the stairs stay in their part of the map, which may be one cell. All tasks have the same spaces:
the worlds of a batch may have different tasks, and a reset may change the task.

The horizon is 20 actions for each cell of the side in Room; 200 in MazeWalk-9, KeyRoom-S5 and HideNSeek; 250 in
LavaCross; 350 in River and CorridorBattle; 40, 120, 240 and 360 in MultiRoom; 500 in ExploreMaze; 500 for each pit in
Sokoban; 400 in KeyRoom-S15, HideNSeek-Big and Labyrinth-Small; and 1,000 in the others.

**Level.** ``{"map": ["#####", "#.+>#", "#####"], "light": ["11111", "11111", "11111"], "hero": [1, 1], "things":
[["key", 1, 1]], "monsters": [["rat", 1, 1]]}``: ground, lit cells, and rows and columns. All but map and hero may be
left out; then there is light everywhere, and nothing else. Any task takes any level of up to 21 x 79 cells.

| letters | ground |
|---|---|
| ``_``, ``#``, ``.``, ``:`` | rock, wall, floor, corridor |
| ``'``, ``/``, ``+``, ``L`` | doorway; door that is open, closed, locked |
| ``~``, ``=``, ``%``, ``T``, ``*`` | water, ice, lava, tree, cloud |
| ``>``, ``<``, ``^`` | stairs, stairs that are not real, pit |
| ``d``, ``n``, ``p`` | dart trap, snare, teleporter |
| ``D``, ``N``, ``P``, ``H``, ``h`` | the same hidden, hidden door, hidden corridor |

**Known values.** Random play finds the stairs of Room-5 with probability 0.615, from powers of its transition matrix.
In MiniHack it did in 31 of 60 episodes. Its other successes there, in 60 episodes or in 30 where noted:

| task | succeed | task | succeed |
|---|---|---|---|
| Room-5-Random, Room-15-Random | 51, 33 | KeyRoom-S5, KeyRoom-S15 | 4, 0 |
| Room-5-Monster, Room-15-Monster | 45, 11 | MultiRoom-N4, -N6, -N10 | 0, 0, 0 |
| Room-5-Trap, Room-15-Trap | 51, 33 | LavaCross, CorridorBattle | 0, 0 |
| MazeWalk-9; MazeWalk-15, of 30 | 29; 8 | HideNSeek, HideNSeek-Big | 0, 1 |

Here it succeeds as often, within chance. All generated levels can be solved, but that boulders may sink in lava.

**Differences.** From MiniHack 1.0.2. NetHack has hundreds of things and monsters, which cannot be copied here. The
shapes of its tasks, their rewards and limits are kept; the rules and the maps are our own.

- Its monsters are any of the level; ours are five kinds, without sleep, armor or levels, and they see in the dark.
  Random play thus survives more often in its Room-15-Ultimate: it succeeds in 23 of 60 episodes.
- Doors open at once; there they may stick. A kick needs no question for a direction, since the hero faces one. Kicks at
  walls do not hurt.
- In Corridor, hero and stairs are in different rooms. In its Corridor-R2 they may share one, and random play
  succeeds in 16 of 30 episodes.
- Water stops the hero. There a hero that falls into water can crawl out, also on the other bank: random play crosses
  its River in 3 of 60 episodes.
- The stairs of ExploreMaze end the episode; there they pay 1 in every step on them.
- Sokoban's levels are one room and a corridor with pits; there they are fixed puzzles, and a step costs 0.001.
- Labyrinth's rings have random gaps; there each is one fixed map.
- In Memento, the cue is a key or an apple, and wrong stairs end the episode. There it is a monster, and a trap ends it.
  The limit is 1,000; there it is 5,000.
- Boulders do not roll onto things, stairs or traps. No boulder of River lies beside another one, or in the two columns
  beside the water. So each level can be solved; there some cannot.
- Its variants are parameters here: ``layout="fixed"`` for its fixed KeyRoom, ``mapped=True`` for its mapped mazes.

**Source.** The rules are our own, after Samvelyan et al., "MiniHack the Planet", NeurIPS 2021. The layouts are after
Henaff, Jiang and Raileanu, "A Study of Global and Episodic Bonuses for Exploration in Contextual MDPs", ICML 2023.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from envsuite.core.errors import LevelError
from envsuite.core.kernel import by_fields, kernel
from envsuite.core.parameters import is_integer
from envsuite.core.ranges import among as choice
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.gridworlds.roguelike import levels, pages, rules, view
from envsuite.gridworlds.roguelike.rules import act
from envsuite.kit.avatars import write_map
from envsuite.kit.figures import MOVE_KEYS
from envsuite.registry import pettingzoo_forms

#: What stairs, an apple and a pit pay, and an action that takes no time.
STAIRS_PAY, APPLE_PAY, PIT_PAY, IDLE = 1.0, 0.5, 0.1, -0.01

_MANY = 2**20


@kernel
def reset(s):
    if not s.level_given:
        levels.make(s)
    rules.begin(s)
    if s.params.mapped:
        rules.show_map(s)
    rules.look(s)


@kernel
def step(s, actions, rewards):
    pits = s.pits
    spent = act(s, actions[0])
    if actions[0] == rules.EAT:
        rewards[0] += APPLE_PAY
    rewards[0] += PIT_PAY * (pits - s.pits)
    ground = rules.at(s.ground, s.y, s.x)
    if s.health > 0 and ground == rules.STAIRS and s.pits == 0:
        rewards[0] += STAIRS_PAY
        s.terminated[0] = 1
    elif ground == rules.DECOY:
        s.terminated[0] = 1
    elif spent:
        rules.pass_turn(s)
    else:
        rewards[0] += IDLE
    if s.health == 0:
        s.terminated[0] = 1
    if s.t >= s.params.horizon and s.terminated[0] == 0:
        s.truncated[0] = 1
    if spent:
        rules.look(s)


@kernel
def shown_at(s, y, x):
    """The code of a cell, which may be outside of the map, without monsters."""
    return rules.at(s.seen, y, x) if 0 <= y < rules.HEIGHT and 0 <= x < rules.WIDTH else rules.UNSEEN


@kernel
def show_living(s, grid, top, left):
    """Add the hero and the monsters that it sees to codes whose first cell is this one of the map."""
    for k in range(rules.MOST):
        m = s.monsters[k]
        y, x = m.y - top, m.x - left
        if m.shown and m.kind != rules.NONE and 0 <= y < grid.shape[0] and 0 <= x < grid.shape[1]:
            grid[np.uint64(y), np.uint64(x)] = rules.MONSTER_GLYPH + m.kind
    grid[np.uint64(s.y - top), np.uint64(s.x - left)] = rules.HERO


@kernel
def observe_near(s, agent, out):
    """The view and the statistics."""
    top, left = s.y - rules.REACH, s.x - rules.REACH
    for y in range(2 * rules.REACH + 1):
        for x in range(2 * rules.REACH + 1):
            out.crop[y, x] = shown_at(s, top + y, left + x)
    show_living(s, out.crop, top, left)
    stats = out.stats
    stats[0], stats[1], stats[2], stats[3] = s.health, s.levitation, s.stuck, s.keys
    stats[4], stats[5], stats[6], stats[7] = s.apples, s.potions, s.charges, s.facing
    stats[8], stats[9] = rules.LOOK[rules.at(s.ground, s.y, s.x)], rules.at(s.things, s.y, s.x)
    stats[10], stats[11] = s.y, s.x


@kernel
def show_whole(out, s):
    """The whole map."""
    for y in range(rules.HEIGHT):
        for x in range(rules.WIDTH):
            out.map[y, x] = s.seen[y, x]
    show_living(s, out.map, 0, 0)


@kernel
def show_none(out, s):
    """No map."""


show_map_too = by_fields(lambda names: "map" in names, show_whole, show_none)


@kernel
def observe(s, agent, out):
    observe_near(s, agent, out)
    show_map_too(out, s)


@kernel
def legal(s, agent, mask):
    for action in range(rules.SEARCH):
        mask[action] = 1
    thing = rules.at(s.things, s.y, s.x)
    acts = levels.task(s, levels.ACTS)
    mask[rules.SEARCH] = 1
    mask[rules.KICK] = 1
    mask[rules.TAKE] = thing > rules.BOULDER and s.levitation == 0
    mask[rules.APPLY] = s.keys > 0
    mask[rules.EAT] = (thing == rules.APPLE and s.levitation == 0) or s.apples > 0
    mask[rules.QUAFF] = s.potions > 0
    mask[rules.ZAP] = s.charges > 0
    for action in range(rules.SEARCH, rules.ZAP + 1):
        mask[action] &= acts >> (action - rules.SEARCH) & 1


class Roguelike(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    optimization = 1  # 3 takes a third longer here and makes nothing faster
    kind = ("open worlds", "rooms")
    verified = "exact random play, random play of MiniHack by task, rules by example, solutions of all kinds of levels"
    variants = (
        dict(task="LavaCross", layout="goal", map=True),
        dict(task="KeyRoom-S5-Dark", layout="fixed", mapped=True, horizon=60),
    )
    keys = {
        **MOVE_KEYS, "s": "search", "k": "kick", "t": "take", "a": "apply", "f": "eat", "d": "quaff", "x": "zap",
    }  # fmt: skip
    click = view.click
    text = view.text
    scene = view.scene
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        task: Literal[levels.NAMES] = "MultiRoom-N4-Monster",  # type: ignore[valid-type]
        layout: Literal["fixed", "goal", "all"] = "all",
        map_seed: Annotated[int, Between(0, 1_000_000)] = 0,
        mapped: bool = False,
        map: bool = False,
        horizon: Annotated[int | None, Horizon(1, 1_000_000)] = None,
    ):
        count = rules.HEIGHT * rules.WIDTH
        most = (
            rules.HERO_HEALTH,
            _MANY,
            rules.SNARED,
            *[count] * 3,
            rules.CHARGES * count,
            7,
            rules.TELEPORT,
            rules.WAND,
            rules.HEIGHT - 2,
            rules.WIDTH - 2,
        )
        self.whole = map
        parts: dict[str, Space] = {
            "crop": Box(0, rules.GLYPHS - 1, (2 * rules.REACH + 1, 2 * rules.REACH + 1), np.uint8),
            "stats": Box(np.zeros(len(rules.STATS), np.int32), np.array(most, np.int32), dtype=np.int32),
        }
        if map:
            parts["map"] = Box(0, rules.GLYPHS - 1, (rules.HEIGHT, rules.WIDTH), np.uint8)
        self.define(
            agents=["agent"],
            actions=rules.ACTIONS,
            observation=Dict(parts),
            fields=[*rules.fields(), *levels.scratch_fields()],
            params={
                "task": choice(levels.NAMES, task),
                "layout": choice(levels.LAYOUTS, layout),
                "map_seed": map_seed,
                "mapped": mapped,
                "horizon": horizon or int(levels.TASKS[levels.NAMES.index(task), levels.LIMIT]),
            },
            reward_range=(IDLE, STAIRS_PAY),
        )

    def contradiction(self, s: Any) -> str | None:
        ground, things = np.asarray(s.ground), np.asarray(s.things)
        if s.t >= s.params.horizon and not (s.truncated[0] or s.terminated[0]):
            return "the last step is over"
        if s.turns > s.t:
            return "more turns than actions have passed"
        if (((rules.OPAQUE >> ground.astype(np.int64)) & 1 | (things == rules.BOULDER)) != s.opaque).any():
            return "opaque does not follow from ground and things"
        if s.pits != (ground == rules.PIT).sum() or s.square < (s.pits > 0):
            return "pits does not count the pits"
        carried = (
            ("keys", rules.KEY, 1),
            ("apples", rules.APPLE, 1),
            ("potions", rules.POTION, 1),
            ("charges", rules.WAND, rules.CHARGES),
        )
        for name, thing, each in carried:
            if s[name] + each * int((things == thing).sum()) > each * rules.HEIGHT * rules.WIDTH:
                return f"there are too many {name}"
        if s.levitation + rules.FLIGHT * (int(s.potions) + int((things == rules.POTION).sum())) > _MANY:
            return "the hero levitates too long"
        for m in s.monsters:
            if m.kind != rules.NONE and (m.health == 0 or not rules.SAFE >> int(ground[m.y, m.x]) & 1):
                return "a monster is dead, or where it cannot be"
        if rules.SOLID >> int(ground[s.y, s.x]) & 1:
            return "the hero is in something solid"
        return None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        read_level(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return write_level(s.level)

    # Words and pictures.


def read_level(level: Any, data: Mapping[str, Any], label: str) -> None:
    """Fill a record's level from plain data, or raise `LevelError` that says what is wrong and change nothing."""
    known = ("map", "light", "hero", "things", "monsters")
    if unknown := sorted(set(map(str, data)) - set(known)):
        raise LevelError(f"{label}: the level has an unknown part {unknown[0]!r}; known: {', '.join(known)}")
    ground = _rows(data["map"], rules.LETTERS, "map", label)
    if (ground == rules.UNSEEN).any():
        raise LevelError(f"{label}: the level's map has the letter '?'")
    height, width = ground.shape
    edge = np.ones(ground.shape, np.bool_)
    edge[1:-1, 1:-1] = False
    if (ground[edge] > rules.WALL).any():
        raise LevelError(f"{label}: the level's map must have walls or rock at its edges")
    lit = _rows(data["light"], "01", "light", label) if "light" in data else np.ones(ground.shape, np.uint8)
    if lit.shape != ground.shape:
        raise LevelError(f"{label}: the level's map and light differ in size")
    hero = _place(data["hero"], ground, rules.SAFE, "hero", label)
    things = np.zeros_like(ground)
    for name, y, x in _list(data.get("things", []), rules.THINGS[1:], "things", label):
        place = _place([y, x], ground, rules.SAFE, name, label)
        if things[place]:
            raise LevelError(f"{label}: there are two things in row {y}, column {x}")
        things[place] = rules.THINGS.index(name)
    if things[hero] == rules.BOULDER:
        raise LevelError(f"{label}: the hero is in a boulder")
    beasts = _list(data.get("monsters", []), rules.MONSTERS[1:], "monsters", label)
    places = [_place([y, x], ground, rules.SAFE, name, label) for name, y, x in beasts]
    if len(places) > rules.MOST:
        raise LevelError(f"{label}: there are {len(places)} monsters; {rules.MOST} are allowed")
    if len({*places, hero}) <= len(places) or any(things[place] == rules.BOULDER for place in places):
        raise LevelError(f"{label}: a monster is where the hero, a boulder or another monster is")
    level.ground[:], level.things[:], level.lit[:] = rules.ROCK, rules.NOTHING, 0
    level.ground[:height, :width], level.things[:height, :width], level.lit[:height, :width] = ground, things, lit
    level.height, level.width, (level.y, level.x) = height, width, hero
    for k in range(rules.MOST):
        m, there = level.monsters[k], k < len(beasts)
        m.kind = rules.MONSTERS.index(beasts[k][0]) if there else rules.NONE
        m.y, m.x = places[k] if there else (0, 0)


def _rows(rows: Any, legend: str, what: str, label: str) -> np.ndarray:
    """The numbers of letters of rows, or `LevelError`."""
    fits = isinstance(rows, (list, tuple)) and all(isinstance(row, str) and len(row) == len(rows[0]) for row in rows)
    if not fits or not (3 <= len(rows) <= rules.HEIGHT and 3 <= len(rows[0]) <= rules.WIDTH):
        raise LevelError(
            f"{label}: the level's {what} must be 3 to {rules.HEIGHT} rows of 3 to {rules.WIDTH} letters, equally long"
        )
    if wrong := sorted(set("".join(rows)) - set(legend)):
        raise LevelError(f"{label}: the level's {what} has the letter {wrong[0]!r}; known: {' '.join(legend)}")
    return np.array([[legend.index(letter) for letter in row] for row in rows], np.uint8)


def _list(rows: Any, names: tuple[str, ...], what: str, label: str) -> list[Any]:
    """Entries of a name, a row and a column, or `LevelError`."""
    if not isinstance(rows, (list, tuple)):
        raise LevelError(f"{label}: the level's {what} must be a list")
    for row in rows:
        if not (isinstance(row, (list, tuple)) and len(row) == 3 and row[0] in names):
            wanted = f"a name ({', '.join(names)}), a row and a column"
            raise LevelError(f"{label}: {row!r:.60} in {what} must be {wanted}")
    return list(rows)


def _place(place: Any, ground: np.ndarray, codes: Any, what: str, label: str) -> tuple[int, int]:
    """A cell with one of these grounds, or `LevelError`."""
    height, width = ground.shape
    pair = isinstance(place, (list, tuple)) and len(place) == 2 and all(map(is_integer, place))
    if not pair or not (0 <= place[0] < height and 0 <= place[1] < width):
        raise LevelError(f"{label}: {what} at {place!r:.40} must be at a row and a column of the map")
    if not codes >> int(ground[tuple(place)]) & 1:
        raise LevelError(f"{label}: {what} cannot be in row {place[0]}, column {place[1]}")
    return int(place[0]), int(place[1])


def write_level(level: Any) -> dict[str, Any]:
    """A record's level as plain data, as `read_level` takes it."""
    height, width = int(level.height), int(level.width)
    part = slice(0, height), slice(0, width)
    things = np.asarray(level.things)
    return {
        "map": write_map(np.asarray(level.ground)[part], rules.LETTERS),
        "light": write_map(np.asarray(level.lit)[part], "01"),
        "hero": [int(level.y), int(level.x)],
        "things": [[rules.THINGS[things[y, x]], y, x] for y, x in np.argwhere(things).tolist()],
        "monsters": [[rules.MONSTERS[m.kind], int(m.y), int(m.x)] for m in level.monsters if m.kind != rules.NONE],
    }


env, raw_env, parallel_env = pettingzoo_forms(Roguelike)
