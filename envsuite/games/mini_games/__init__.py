"""MiniGames: a player commands marines, or workers and what they build, in the seven mini-games of StarCraft II.

**Rules.** In five maps, a player commands marines. The field is 24 x 24; x grows to the east and y to the south. The
player sees it as a screen of 16 x 16 cells of 1.5 x 1.5. It selects marines and gives orders to all selected ones. A
step is 1/8 s: an action, then two ticks. [The other two maps](#economy) are about workers.

| `map` | start | reward | renewal |
|---|---|---|---|
| MoveToBeacon | 1 marine, a beacon at least 4 away | +1 when the marine reaches it | at least 5 from the marine |
| CollectMineralShards | 2 marines, 20 shards at least 2 from them | +1 for each | 20 new ones when all are collected |
| DefeatRoaches | 9 marines, 4 roaches | +10 for a roach, -1 for a marine | 4 roaches and 5 more marines |
| DefeatZerglingsAndBanelings | 9 marines, 6 zerglings, 4 banelings | +5 each, -1 for a marine | the same, 4 marines |
| FindAndDefeatZerglings | 3 marines, 25 zerglings | +1 for a zergling, -1 for a marine | 25 zerglings |

In DefeatRoaches and DefeatZerglingsAndBanelings, marines stand in a line on x = 4 or x = 20, and enemies on the other
side; a fair coin decides. The line of marines is centered, with gaps of 1, or of 22 / (n - 1) if n marines then need
more than 22. Roaches stand in a line with gaps of 2. The others stand in two columns with gaps of 1.5, zerglings first.
All are put there again in each renewal, which comes in the tick in which the last enemy dies, if a marine lives.
Marines keep their health and cooldown and lose their orders; new ones have full health and are not selected. At most 40
marines live; further ones do not come. In the three maps with enemies, the first marines are selected at the start.

In FindAndDefeatZerglings, the field is 48 x 48, or 32 x 32 cells, and the screen shows a part of it. A minimap of 16 x
16 cells shows the whole field; each of its cells is 2 x 2 cells of the field. With `camera c r`, the middle of the
screen goes to a cell of the minimap, or as near to it as the edge allows. The marines start in the middle. Two
zerglings start 7.5 to 9.5 from the middle, and the others at least 10.5 from it. New zerglings are at least 9 from all
marines. All are at least 5 from each other. After 1,000 tries without such a place, a zergling may be anywhere. There
is fog: the player sees an enemy if its center is within 9 of a marine's, and a cell if its middle is.

| kind | letter | health | armor | damage | range | speed | cooldown (ticks) | sight | radius |
|---|---|---|---|---|---|---|---|---|---|
| marine | m | 45 | 0 | 6 | 5 | 3.15 | 10 | 9 | 0.375 |
| roach | r | 145 | 1 | 16 | 4 | 3.15 | 23 | 9 | 0.625 |
| zergling | z | 35 | 0 | 5 | 0.1 | 4.13 | 8 | 8 | 0.375 |
| baneling | b | 30 | 0 | 35 | 0.25 | 3.5 | | 8 | 0.375 |

In each tick of 1/16 s, all at once:

1. Weapons cool down by one tick. Each unit that may fight keeps its target while that lives and is in range. Otherwise
   it takes the nearest enemy in range, and if there is none and it does not hold, the nearest in sight. The first in
   number is taken of several. A unit hits a target in range if its weapon is cool: the target loses the damage less its
   armor. Range is measured between the edges of the two discs, and sight between their centers. A baneling that hits
   dies instead.
2. A unit with a target in range stands still; one whose target is out of range walks to it. Other units walk to the
   point of their order. A unit goes 1/16 of its speed, in a straight line.
3. Units without health are dead. A baneling explodes when it dies, however it dies. It takes 35 from each marine whose
   center is within 2.2 of its own.
4. Living units that overlap push each other apart, as in Skirmish. Then they are put back on the field.
5. A marine that is within 1.125 of a shard collects it, and within 1.5 of the beacon it has reached it.

Idle units, and all enemies, fight what they see. With the order `move`, a marine does not fight. With `attack` on a
cell with an enemy that the player sees, it fights only the one that is nearest to the cell's center, until one of the
two is dead. With `attack` on another cell, it walks there and fights what it sees on its way. An order to walk ends
within 0.5 * sqrt(n - 1) of the cell's center, for n selected marines. With `hold`, a marine fights what is in range and
stands still.

<a id="economy"></a>In two maps, a player commands workers on a field of 32 x 32, all of it on a screen of 16 x 16 cells
of 2 x 2. A step is an action and two ticks, too. There are 50 minerals and 12 idle workers at the start.

| `map` | start | reward |
|---|---|---|
| CollectMineralsAndGas | a center; 16 fields and 4 geysers, half of them around it | minerals and gas brought in |
| BuildMarines | a center with 8 fields | +1 for each marine |

| thing | minerals | time | supply | cells | nearness |
|---|---|---|---|---|---|
| worker | 50 | 12 s | -1 | | |
| marine | 50 | 18 s | -1 | | |
| field | | | | 1 | 1.25 |
| geyser, refinery | 75 | 21 s | | 1 | 1.5 |
| center | 400 | 71 s | +15 | 3 x 3 | 2.75 |
| depot | 100 | 21 s | +8 | 1 | 1.25 |
| barracks | 150 | 46 s | | 2 x 2 | 2.25 |

- **Gathering.** A worker goes to its field or refinery, gathers there, goes to the nearest finished center, hands in 5
  minerals or 4 gas, and goes back. It gathers minerals for 36 ticks and gas for 20. One worker at a time gathers at a
  place; the others wait, and the first in number is next. So two workers on a field, and three at a refinery, never
  wait for long, and more bring little. Fields and geysers are never exhausted. With more than one worker selected, the
  first one takes the field that was chosen. Each of the others takes a field within 6 cells of that: the one with the
  fewest workers, then the nearest. At a refinery, all take it.
- **Walking.** Workers go 3.94 / 16 in a tick, straight towards the middle of a thing, and stop when they are as near to
  it as the table says. Nothing is in their way.
- **Building.** The nearest selected worker goes to the site. There it pays and builds, and takes no orders. If the site
  is taken or the minerals do not suffice by then, it is idle, as after its work. A refinery is built on a geyser; the
  others on free cells. A barracks needs a finished depot. A center is at least sqrt(20) cells from all fields and
  geysers. The cell of a center is its middle one, that of a barracks the one in the north west. There are at most 48
  buildings.
- **Training.** A center trains workers and a barracks marines, one after the other, up to 5 at a time. The selected one
  with the shortest queue takes the order, and it is paid at once. A new worker is idle 2 south of the center's middle.
  There are at most 60 workers. Marines leave the field, but need supply.
- **Supply.** Workers, marines and those in training use 1 each. There are at most 200.

In each tick, workers that gather or bring something walk; those at work gather or build; queues advance; then those
that wait begin to gather, and those on their way to a site walk and begin to build, all in the order of their numbers.

**Agents.** `agent`.

**Observation.** A Dict. In the maps with marines, M is 1, 2, 40, 40 and 3 in the order of the table, and E is 1, 20, 4,
10 and 25. Parts with two forms have the second one in FindAndDefeatZerglings.

| part | space | content |
|---|---|---|
| screen | Box (16, 16, 5 or 6) uint8 | rows from the north; a row of codes for each cell |
| marines | Box (M, 6) float32 | x, y, health, cooldown in ticks, selected, order; zeros for none |
| others | Box (E, 4) float32 | kind, x, y, health of those that are seen and on the screen; zeros for none |
| numbers | Box (2 or 4,) int32 | steps left, renewals; column and row of the field in the corner of the screen |
| minimap | Box (16, 16, 3) uint8 | with fog only: the largest code of fog of four cells; marines; zerglings seen |

| code of a cell | content |
|---|---|
| 0 | kind: 0 nothing, 1 marine, 2 roach, 3 zergling, 4 baneling, 5 shard, 6 beacon; marines come first |
| 1 | 0 nobody's, 1 own, 2 an enemy's |
| 2 | number of things in the cell |
| 3 | sum of their health, at most 255 |
| 4 | number of selected marines |
| 5 | fog: 0 never seen, 1 seen before, 2 seen now |

Orders are 0 idle, 1 move, 2 attack and walk, 3 attack an enemy, 4 hold.

In the maps with an economy, S is 20 and 8:

| part | space | content |
|---|---|---|
| screen | Box (16, 16, 5) uint8 | kind; 1 finished, 2 unfinished; workers; selected workers; selected building |
| workers | Box (60, 7) float32 | x, y, task, cargo, number of its field or geyser + 1, kind that it builds, selected |
| buildings | Box (48, 7) float32 | kind, x, y, ticks of work left, queue, ticks until the first is trained, selected |
| sources | Box (S, 5) float32 | fields and geysers: kind, x, y, whether workers can gather there, whether one does |
| numbers | Box (8,) int32 | steps left, minerals, gas, supply used, supply, marines, trips with minerals, with gas |

Kinds are 1 field, 2 geyser, 3 center, 4 depot, 5 barracks, 6 refinery. Tasks are 1 idle, 2 goes to gather, 3 waits, 4
gathers, 5 returns, 6 goes to build, 7 builds; 0 is for no worker. Cargo is 1 minerals, 2 gas.

**Actions.** Discrete (520), or Discrete (776) in FindAndDefeatZerglings. Columns c and rows r are from 0 to 15, from
the north west.

| action | name | legal |
|---|---|---|
| 0 | `noop` | always |
| 1 | `select all` | always |
| 2 | `select next`: only the living marine after the last selected one, or the first | always |
| 3-6 | `select north west`, `select north east`, `select south west`, `select south east` | if a marine is there |
| 7 | `hold` | while a marine is selected |
| 8 + 16r + c | `move c r` | while a marine is selected |
| 264 + 16r + c | `attack c r` | while a marine is selected |
| 520 + 16r + c | `camera c r` | always |

In CollectMineralsAndGas, Discrete (1034); in BuildMarines, Discrete (780), with two more actions before those with
cells. Selections are of workers or of buildings. A worker that builds takes no orders.

| action | name | legal |
|---|---|---|
| 0-2 | `noop`, `select all`, `select next`: workers | always |
| 3-6 | `select north west`, ... | if a worker is there |
| 7 | `select idle`: the first idle worker | if there is one |
| 8 | `select centers`: all that are finished | always |
| 9 | `train worker` | if a selected center can train it |
| 10, 11 | `select barracks`, `train marine` | if there is a finished one; if a selected one can train it |
| 256 | `gather c r` | while a worker is selected, on a field or finished refinery |
| 256 each | `build depot c r`; `build refinery c r`, `build center c r`, or `build barracks c r` | as below |

Building is legal while a worker is selected, the building can be paid, and there is room for it in the cell.

**Window.** The space bar waits, `a` selects all, `n` the next one, 1 to 4 the quarters, and `h` holds. A click on
a cell attacks an enemy there; any other click moves there. If no marine is selected, a click selects all. Pictures show
selected marines with a capital letter in a ring. A click on the minimap moves the screen there. With workers, `i`
selects an idle one, `c` the centers, `b` the barracks; `t` trains a worker and `m` a marine. A click selects centers,
barracks or, if no worker is selected, all workers. Other clicks gather, build a refinery on a geyser, or build on a
free cell: on its left half a depot, on its right half a center or barracks.

**Rewards.** As in the tables of the maps. A baneling that has exploded counts as defeated.

**Ends.** Terminates when no marine lives. Truncated after `seconds`.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `map` | "MoveToBeacon" | one of the tables |
| `seconds` | 120 | seconds until truncation, from 1 to 900; a second has 8 steps |

The original games last 120 s, FindAndDefeatZerglings 180 s, CollectMineralsAndGas 300 s and BuildMarines 900 s.

**Level.** ``{"marines": [[4, 12]], "others": [["beacon", 20, 12]]}``: places of the marines, at most as many as at the
start of the map, and kinds and places of other things, which must be of the map and at most as many. Coordinates are
from 0 to 24, or 48. Renewals are those of the map. In an economy: ``{"minerals": 50, "workers": [[14, 15]], "centers":
[[5, 7]], "fields": [[0, 7]], "geysers": []}``, with places of workers, up to 15 for each center, and cells of the
others, as many fields and geysers as the map has at most. Generators: kind "bases", with two bases for
CollectMineralsAndGas and one for BuildMarines.

**Known values.** None for these rules. Mean scores in the original engine, quoted from memory of Vinyals et al., table
1; they compare in shape only:

| map | random policy | FullyConv | grandmaster |
|---|---|---|---|
| MoveToBeacon | 1 | 26 | 28 |
| CollectMineralShards | 17 | 103 | 177 |
| DefeatRoaches | 1 | 100 | 215 |
| DefeatZerglingsAndBanelings | 23 | 62 | 727 |
| FindAndDefeatZerglings | 4 | 45 | 61 |
| CollectMineralsAndGas | 12 | 3978 | 7566 |
| BuildMarines | <1 | 3 | 133 |

**Differences.** The rules of the games are those of the documentation of `pysc2`; the engine is not open. Hence:

- The mechanics of walking, aiming and pushing, the size of the field, sight and orders are our own, as is the time of a
  step: there 1/2.8 s by default. Scores can be compared in shape only.
- Zerglings that are to be found stand still until they see a marine; then they fight, as all enemies here do. The
  documentation does not give the size of the field; ours has no walls. Orders are given on the screen only, not on the
  minimap.
- The layout of the economy is our own, as are the times at fields and refineries, paths without obstacles, the limits
  of workers and buildings, how a group shares fields, and cells of 2 x 2 for what is built. Costs, times and supply
  are from memory, for version 4 of the game. Buildings cannot be attacked, canceled, lifted or extended.
- Workers cannot be sent to a place without work. Masks allow only sites and targets that are possible; `pysc2` accepts
  others and reports an error. CollectMineralsAndGas has no barracks. Marines that are trained leave the field.
- Fields hold at most 1,800 minerals there, and geysers have an end too. Here they hold any amount.
- Numbers of marines and zerglings are those of Skirmish, except for damage and range. A radius of 2.2 and a range of
  0.25 of the baneling, and that it explodes when it is killed, were found in descriptions of the game. The other
  numbers are from memory, for version 4 of the game; banelings deal 35 to light units, and all marines are light.
- Cooldowns are rounded to ticks (0.61 s to 10, 1.43 s to 23), and hits need no time of flight.
- The documentation does not say where lines stand, how near is "reached", or whether an exploded baneling counts.
- The documentation has no bound for the number of marines. Here it is 40, so that a record has a fixed size.
- Marines are selected by quarters of the screen instead of any rectangle. Nothing is queued.
- The layers are 16 x 16 instead of 64 x 64 or more; rows of units are added.

**Source.** Vinyals et al., "StarCraft II: A new challenge for reinforcement learning", 2017; `docs/mini_games.md` of
`pysc2`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError
from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.levels import known_parts
from envsuite.core.ranges import fixed
from envsuite.core.world import Between, Kernels, World
from envsuite.games.mini_games import economy as economic
from envsuite.games.mini_games import fights, pages, view
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Scene


def has_economy(names: Any) -> bool:
    return "minerals" in names


# The maps with an economy have rules of their own.


def _gather_reset(s):
    economic.reset(s)


def _fight_reset(s):
    fights.reset(s)


def _gather_step(s, actions, rewards):
    economic.step(s, actions, rewards)


def _fight_step(s, actions, rewards):
    fights.step(s, actions, rewards)


def _gather_observe(s, agent, out):
    economic.observe(s, agent, out)


def _fight_observe(s, agent, out):
    fights.observe(s, agent, out)


def _gather_legal(s, agent, mask):
    economic.legal(s, agent, mask)


def _fight_legal(s, agent, mask):
    fights.legal(s, agent, mask)


_reset = by_fields(has_economy, _gather_reset, _fight_reset)
_step = by_fields(has_economy, _gather_step, _fight_step)
_observe = by_fields(has_economy, _gather_observe, _fight_observe)
_legal = by_fields(has_economy, _gather_legal, _fight_legal)


@kernel
def reset(s):
    _reset(s)


@kernel
def step(s, actions, rewards):
    _step(s, actions, rewards)


@large_kernel
def observe(s, agent, out):
    _observe(s, agent, out)


@kernel
def legal(s, agent, mask):
    _legal(s, agent, mask)


class MiniGames(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    kind = ("teams",)
    verified = "closed forms, a table of ticks by hand, and a second implementation in lock-step"
    variants = (
        dict(map="CollectMineralShards", seconds=10),
        dict(map="DefeatRoaches", seconds=30),
        dict(map="DefeatZerglingsAndBanelings"),
        dict(map="FindAndDefeatZerglings", seconds=30),
        dict(map="CollectMineralsAndGas", seconds=30),
        dict(map="BuildMarines", seconds=60),
    )
    shown = "skilled"
    clickable = "move .*"
    keys = {"space": "noop", "a": "select all", "n": "select next"} | {
        str(k + 1): f"select {name}" for k, name in enumerate(fights.QUARTERS)
    }
    text = view.text
    click = view.click
    scene = view.scene
    player_page = pages.PAGES
    page_role = pages.page_role
    page_slots = pages.page_slots

    def __init__(
        self,
        map: Literal[
            "MoveToBeacon", "CollectMineralShards", "DefeatRoaches", "DefeatZerglingsAndBanelings",
            "FindAndDefeatZerglings", "CollectMineralsAndGas", "BuildMarines",
        ] = "MoveToBeacon",
        seconds: Annotated[int, Between(1, 900)] = 120,
    ):  # fmt: skip
        self.economy = economic.ECONOMIES.get(map)
        if self.economy:
            self._define_economy(self.economy, seconds)
        else:
            self._define_fights(fights.MAPS.index(map), seconds)

    def _define_fights(self, number: int, seconds: int) -> None:
        self.places, self.others, self.first = fights.PLACES[number], fights.OTHERS[number], int(fights.FIRST[number])
        fog = number == fights.FIND
        self.side = fights.CELL * fights.WIDE if fog else fights.SIZE
        self.keys = {**self.keys, "h": "hold"}
        if number >= fights.ROACHES:  # a click moves or attacks, as the cell demands
            self.clickable = "camera .*" if fog else "(?!)"
        units = self.places + len(self.others)
        marines = [self.side, self.side, fights.HEALTH.max(), fights.COOLDOWN.max(), 1, fights.HOLDING]
        others = [fights.BEACON, self.side, self.side, fights.HEALTH.max()]
        screen = [fights.BEACON, 2, units, 255, self.places]
        most = len(self.others) * fights.TICKS * float(fights.WORTH[list(self.others)].max())
        parts: dict[str, Space] = {
            "screen": _layers([*screen, fights.LIT] if fog else screen),
            "marines": _rows(marines, self.places),
            "others": _rows(others, len(self.others)),
            "numbers": Box(0, 100_000, (4 if fog else 2,), np.int32),
        }
        if fog:
            parts["minimap"] = _layers([fights.LIT, self.places, len(self.others)])
        self.define(
            agents=["agent"],
            actions=list(fights.NAMES) if fog else list(fights.NAMES[: fights.CAMERA]),
            observation=Dict(**parts),  # type: ignore[arg-type]
            fields=fights.fields(self.places, len(self.others), fog),
            params={
                "map": fixed(number),
                "places": fixed(self.places),
                "others": fixed(list(self.others)),
                "seconds": seconds,
            },
            reward_range=(
                -float(self.places) if number >= fights.ROACHES else 0.0,
                1.0 if number == fights.BEACONS else most,
            ),
        )

    def _define_economy(self, economy: economic.Economy, seconds: int) -> None:
        self.chance = False
        self.clickable = "(?!)"  # a click means what the cell and the selection demand
        keys = {"i": "select idle", "c": "select centers", "t": "train worker"}
        if economic.BARRACKS in economy.plans:
            keys |= {"b": "select barracks", "m": "train marine"}
        self.keys = {**self.keys, **keys}
        sources = len(economy.fields) + len(economy.geysers)
        size = economic.CELL * fights.CELLS
        workers = [size, size, economic.BUILDING, economic.VESPENE, sources, economic.REFINERY, 1]
        buildings = [economic.REFINERY, size, size, economic.TIME.max(), economic.QUEUE, economic.MARINE_TIME, 1]
        cells = [row * fights.CELLS + column for column, row in economy.fields + economy.geysers]
        most = economic.BUILDINGS if economic.BARRACKS in economy.plans else economic.MINERALS * economic.WORKERS
        self.define(
            agents=["agent"],
            actions=economy.actions,
            observation=Dict(
                screen=_layers([economic.REFINERY, 2, economic.WORKERS, economic.WORKERS, 1]),
                workers=_rows(workers, economic.WORKERS),
                buildings=_rows(buildings, economic.BUILDINGS),
                sources=_rows([economic.GEYSER, size, size, 1, 1], sources),
                numbers=Box(0, economic.MANY, (8,), np.int32),
            ),
            fields=economic.fields(sources),
            params={
                "plans": fixed(list(economy.plans)),
                "first": fixed(len(economy.actions) - fights.CELLS * fights.CELLS * (1 + len(economy.plans))),
                "rich": fixed(len(economy.fields)),
                "cells": fixed(cells),
                "seconds": seconds,
            },
            reward_range=(0.0, float(fights.TICKS * most)),
        )

    def contradiction(self, s: Any) -> str | None:
        return economic.contradiction(s) if self.economy else self._fight_contradiction(s)

    def _fight_contradiction(self, s: Any) -> str | None:
        kinds, places = np.asarray(s.kind), self.places
        if not np.isin(kinds[:places], (fights.NOTHING, fights.MARINE)).all():
            return "a place for a marine has something else"
        if not np.isin(kinds[places:], (fights.NOTHING, *self.others)).all():
            return "the map does not have things of this kind"
        if (np.asarray(s.health) > fights.HEALTH[kinds]).any() or (
            (fights.HEALTH[kinds] > 0) & (np.asarray(s.health) == 0)
        ).any():
            return "the health of a unit is not one of its kind"
        if bool(s.terminated[0]) == bool((kinds[:places] == fights.MARINE).any()):
            return "the end is not that of the last marine"
        return None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        if self.economy:
            economic.set_level(self.id, self.economy, s, level)
        else:
            self._set_fight(s, level)

    def _set_fight(self, s: Any, level: Mapping[str, Any]) -> None:
        known_parts(self.id, level, {"marines", "others"})
        marines, others = level["marines"], level["others"]
        for name, things, most in (("marines", marines, self.first), ("others", others, len(self.others))):
            if not isinstance(things, list | tuple) or not 1 <= len(things) <= most:
                raise LevelError(f"{self.id}: {name!r} must be a list of 1 to {most} things")
        s.started[...] = fights.NOTHING
        s.started_at[...] = 0.0
        names = sorted({fights.KINDS[kind] for kind in self.others})
        rows = [("marine", *_listed(place)) for place in marines] + [_listed(thing) for thing in others]
        for k, row in enumerate(rows):
            own = k < len(marines)
            if len(row) != 3 or row[0] not in (["marine"] if own else names):
                form = "[x, y]" if own else f"[kind, x, y] with one of the kinds {', '.join(names)}"
                raise LevelError(f"{self.id}: a thing of the level is {row!r:.60}, not {form}")
            if not all(type(x) in (int, float) and 0 <= x <= self.side for x in row[1:]):
                raise LevelError(
                    f"{self.id}: a {row[0]} is at {row[1:]!r:.60}; coordinates are numbers from 0 to {self.side:.0f}"
                )
            unit = k if own else self.places + k - len(marines)
            s.started[unit] = fights.KINDS.index(row[0])
            s.started_at[unit] = row[1:]

    def get_level(self, s: Any) -> dict[str, Any]:
        if self.economy:
            return economic.get_level(s)
        kinds, places = np.asarray(s.started).tolist(), np.asarray(s.started_at).tolist()
        things = [(fights.KINDS[kind], *place) for kind, place in zip(kinds, places) if kind != fights.NOTHING]
        return {
            "marines": [[x, y] for kind, x, y in things if kind == "marine"],
            "others": [[kind, x, y] for kind, x, y in things if kind != "marine"],
        }

    # Text and picture: both are made of the observation.

    def layout(self, level: Mapping[str, Any]) -> Scene:
        """The picture of a level."""
        batch = Batch(self, 1)
        batch.start(0, level)
        return self.scene(batch.record())


def _layers(top: Sequence[float]) -> Box:
    """A space of codes for each cell."""
    high = np.tile(np.array(top, np.uint8), (fights.CELLS, fights.CELLS, 1))
    return Box(np.zeros_like(high), high, dtype=np.uint8)


def _rows(top: Sequence[float], rows: int) -> Box:
    """A space of rows of numbers from 0 on."""
    high = np.tile(np.array(top, np.float32), (rows, 1))
    return Box(np.zeros_like(high), high, dtype=np.float32)


def _listed(row: Any) -> tuple:
    return tuple(row) if isinstance(row, list | tuple) else (row,)


env, raw_env, parallel_env = pettingzoo_forms(MiniGames)
