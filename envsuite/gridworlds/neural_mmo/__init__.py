"""NeuralMMO: players forage, fight and grow stronger on a map of up to 1024 x 1024 cells, among computer creatures.

**Rules.** Players start on random outermost cells of a map of grass, foliage, water and stone. Any number of players
and creatures may be in one cell. In each step:

1. Creatures choose what to do.
2. All players, one after the other, and then all creatures: an attacker that did not hit in the last step is forgotten,
   and the agent is one step older. A creature regains 1 health. A player with more than 50 food and more than 50 water
   regains 10 health; it loses 10 if its food is 0, and 10 if its water is 0. Then its water falls by 5, and is 100 if
   one of the four cells beside it is water. Its food falls by 5, and is 100 if it stands on foliage, which it eats.
   A player that starves still eats in this step, but does nothing more.
3. Players attack one after the other, then creatures. Damage counts at once, and the dead do not act.
4. Players and creatures move. Water and stone cannot be entered.
5. The dead leave. Dead creatures are replaced in up to 25 attempts, see below.
6. Eaten foliage, scrub, grows again, each cell with probability `regrowth`.

Food, water and health are from 0 to 100. Players have the same order in 2 and 3: a random one, or by number.

**Combat.** An attack has a style, melee, range or mage, and a target at most 3 rows and 3 columns away. A player whose
age in steps is below `immunity` cannot be attacked by players. The damage is the integer part of
max(m * offense - defense, offense / 4).

| | with progression | without |
|---|---|---|
| offense of a player | 10 + 5 * its level in the style | 10 |
| defense of a player | 5 * its highest level | 0 |
| offense and defense of a creature, if `equipped` | its power | 0 and 0 |
| offense and defense of a creature otherwise | 10 and 0 | 10 and 0 |

The multiplier m is 1.5 if the style beats the style in which the target has most experience, and 1 otherwise. Mage
beats melee, melee beats range, range beats mage. A target with equal experience in all styles has no such style.

An attack gives a player 6 points of experience in its style. The levels 1 to 10 need 0, 90, 217, 373, 553, 754, 974,
1212, 1467 and 1737 points.

**Creatures.** The danger of a cell is its distance to the outermost cells, divided by half of the map's size. A
creature that appears where danger is 0.8 or more is hostile, from 0.5 on neutral, and passive below. Its style is
random, its level is the integer part of 1 + danger * (`creature_level` - 1), and its power is the integer part of
8 * (level - u) with u uniform on [0, 1). It starts with 100 health.

- A passive creature wanders: it tries north, south, west and east from a random one of them on, and takes the first
  that it can.
- A neutral creature wanders, but follows who attacked it last, and attacks.
- A hostile creature follows and attacks the nearest player in view.

It keeps its target while that lives and is at most 7 rows and columns away. It walks on a shortest way within these
rows and columns, and attacks in the same step if the target is in reach. Creatures ignore `immunity`.

The game makes up to 25 attempts to replace dead creatures. An attempt draws a random cell of the map. The first attempt
for a creature draws among the cells that are as far from the border as its first cell was. An attempt fails on water
and on stone. A new map has 25 attempts too.

**Items.** With `items`, a player has a bag with 12 places. An item has a grade.

| items | worn as | effect, if `equipped` | level needed: its grade, in |
|---|---|---|---|
| hat, top, bottom | one of each | defense 3 * grade | anything |
| spear, bow, wand | in the hand | offense 5 + 5 * grade in melee, range, mage | that style |
| rod, gloves, pickaxe, axe, chisel | in the hand | defense 15; better harvests | the profession below |
| whetstone, arrow, runes | ammunition | offense 5 + 10 * grade in melee, range, mage | that style |
| ration | | food and water + 50 + 5 * grade, with `professions` | anything |
| potion | | health + 50 + 5 * grade, with `professions` | anything |

Ammunition of one kind and grade is in one place. An attack uses a piece of worn ammunition of its style. In step 3 of
the rules, players act with items before they attack. First all use items, then they buy, then they give, then they
destroy. What they wear cannot be given, sold or destroyed. A player that attacks or is attacked cannot act with items
or gold in the next three steps. Gifts need a receiver at most 7 rows and columns away with room for them.

A creature that a player kills leaves a hat, top or bottom of its level if `equipped`, and a tool with `professions`. A
player that kills a player gets its items in random order; what does not fit is lost. The items of other dead players
are lost.

**Professions.** With `professions`, the map has ore, trees, crystals, herbs and fish. In step 2 of the rules, a player
uses the resource of its cell and the fish on all four sides.

| ground | profession | tool | harvest | points | grows again, probability per step |
|---|---|---|---|---|---|
| fish | fishing | rod | ration | 30 | 0.02 |
| herb | herbalism | gloves | potion | 30 | 0.02 |
| ore | prospecting | pickaxe | whetstone | 15 | 0.1 |
| tree | carving | axe | arrow | 15 | 0.105 |
| crystal | alchemy | chisel | runes | 15 | 0.1 |

A harvest has grade 1; with the tool in the hand, 1 more than the tool's grade, but not above 10. If `equipped`, ore,
trees and crystals yield a wand, spear or bow of that grade, too, with probability 0.025. Levels of professions need the
points of the other levels, and count for the highest level of a player. Fish cannot be entered.

**Market.** With `exchange`, players start with 1 gold, and creatures with their level; the killer gets the gold. An
item for sale stays in the bag, where it can be destroyed but not used. All players can buy it in the next three steps.
Buyers act in random order. Sellers act after all moves, and fail if they were attacked in the same step.

**Tokens.** With `tokens`, players can say a number. Others see the last one that a player said.

**Fog.** With `fog`, in step t a player whose distance to the outermost cells is d loses t - `fog` - d health if that is
more than 0, before anything else. Cells at most `fog_core` rows and columns from the middle are safe.

**Tasks.** With `tasks`, each player has a random task: to do something 1 to `tasks` times. The numbers of tasks are 0
eat foliage, 1 drink, 2 get farther from the border, 3 hit, 4 kill, 5 fire ammunition, 6 consume an item, 7 give an
item, 8 destroy an item, 9 harvest an item, 10 wear an item, 11 loot an item, 12 give gold, 13 put an item on the
market, 14 sell, 15 buy, 16 loot gold, 17 reach a level. Only what the systems allow is drawn.

**Agents.** `player_0` ... `player_7`, or 1 to 1,024 players.

**Observation.** Dict. Others are the 15 players and creatures nearest to the agent, at most 7 rows and columns away,
in order of the larger of the two distances, then of their sum, then of numbers. Numbers of creatures follow those of
players.

| part | space | content |
|---|---|---|
| ground | Box (15, 15) uint8 | the ground around the agent, which is in the middle; north is up |
| others | Box (15, 12) int16 | a row for each of the others, see below; rows of zeros follow |
| own | Box (18,) int32 | see below |

Grounds are 0 void, 1 water, 2 grass, 3 scrub, 4 foliage, 5 stone. A row of others has:

| entries | content |
|---|---|
| 0, 1 | kind: 1 player, 2 passive, 3 neutral, 4 hostile; number |
| 2, 3 | columns to the east of the agent, rows to the south |
| 4-6 | health; food and water of a player |
| 7-9 | levels of melee, range and mage |
| 10 | damage of the last hit in the last step |
| 11 | 1 if players cannot attack it in the next step |

The part "own" has:

| entries | content |
|---|---|
| 0, 1 | column and row on the map |
| 2-4 | health, food, water |
| 5-7 | experience in melee, range, mage |
| 8-10 | levels |
| 11, 12 | damage of the last hit in the last step, and the attacker's number plus 1, or 0 |
| 13 | age in steps |
| 14-16 | kills, foliage eaten, steps with water to drink |
| 17 | the largest distance to the outermost cells so far |

With `professions`, grounds are also 6 slag, 7 ore, 8 stump, 9 tree, 10 fragments, 11 crystal, 12 weeds, 13 herb, 14
empty water, 15 fish. The systems add parts:

| part | space | with | content |
|---|---|---|---|
| bag | Box (12, 6) int32 | `items` | a row for each place, see below |
| gear | Box (5,) int32 | `items` | see below |
| armed | Box (15,) int32 | `items` | of others: the sum of the grades that a player wears |
| crafts | Box (10,) int32 | `professions` | experience in the five professions, then levels |
| gold | Box (1,) int32 | `exchange` | gold |
| market | Box (32, 5) int32 | `exchange` | for each kind of item the cheapest offer, then the finest, see below |
| task | Box (3,) int32 | `tasks` | its number, times to do it, times done |
| words | Box (15,) int32 | `tokens` | of others: the last token, or 0 |
| fog | Box (1,) int32 | `fog` | t - `fog` - d in the own cell for the next step; -32,000 if safe |

| row | entries |
|---|---|
| of the bag | kind, numbered from 1 in the order of the table of items; grade; pieces; 1 if worn; price; steps left |
| gear | what worn items add to the offense in melee, range, mage, and to the defense; steps without dealing |
| of the market | grade, pieces, price, the seller's number plus 1, steps left |

**Actions.** Discrete (50), or 5 without combat.

| action | name | legal |
|---|---|---|
| 0-4 | `north`, `south`, `east`, `west`, `stay` | always |
| 5-19 | `melee 1` ... `melee 15`: attack this row of others | if it is in reach and not immune |
| 20-34 | `range 1` ... `range 15` | likewise |
| 35-49 | `mage 1` ... `mage 15` | likewise |

The systems add actions in this order. Those with items and gold are illegal after a fight. Prices and payments are 1,
3, 10 and 30 gold.

| actions | with | legal |
|---|---|---|
| `use 1` ... `use 12` | `items` | if the item in this place can be used |
| `destroy 1` ... `destroy 12` | `items` | if there is an item that is not worn |
| `give 1 to 1` ... `give 12 to 4` | `items` | if it is neither worn nor for sale, and this row of others is a player |
| `sell 1 for 1` ... `sell 12 for 30` | `exchange` | if it is neither worn nor for sale |
| `buy cheap hat`, `buy fine hat`, ... | `exchange` | if somebody else offers one, with enough gold and room |
| `pay 1 to 1` ... `pay 30 to 4` | `exchange` | with enough gold, and if this row of others is a player |
| `say 1` ... | `tokens` | always |

**Window.** The arrow keys move and the key . stays. The keys z, x and c attack the nearest other with melee, range and
mage. A click on a cell beside the agent moves there, one on the agent stays, and one on another attacks it with melee.

**Rewards.** The sum of the objectives, weighted by `weights`.

| objective | reward |
|---|---|
| survive | -1 at death |
| forage | food and water gained, divided by 100 |
| fight | health taken from others, divided by 100 |
| explore | 1 / m for each new largest distance to the outermost cells, where m is that of the middle |
| earn | with `exchange`: gold gained or spent, divided by 100, from -1 to 1 |
| task | with `tasks`: the share of the task that was done |

**Ends.** A player whose health is 0 is terminated and leaves. Truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 8 | number of players, from 1 to 1,024 |
| `creatures` | 8 | number of creatures, from 0 to 1,024; 0 without combat |
| `size` | 32 | cells on a side of the map, from 16 to 1,024 |
| `resource` | True | whether players need food and water |
| `combat` | True | whether there are attacks |
| `progression` | True | whether there are experience and levels |
| `equipped` | True | whether creatures fight with the power of their levels |
| `order` | "random" | players in "random" order, or in that of their "number" |
| `regrowth` | 0.025 | probability that scrub becomes foliage, from 0 to 1 |
| `immunity` | 20 | age in steps from which players can attack a player, from 0 to 1,000,000 |
| `creature_level` | 10 | level of a creature at danger 1, from 1 to 15 |
| `scattered` | 0.05 | share of grass that becomes single cells of foliage or water, from 0 to 1 |
| `weights` | (1, 0.1, 0.1, 0.1) | weights of the objectives, from -1,000,000 to 1,000,000; see below |
| `horizon` | 512 | steps until truncation, from 1 to 32,000 |
| `items` | False | whether there are items; needs combat |
| `professions` | False | whether resources can be harvested; needs items |
| `exchange` | False | whether there are gold and a market; needs items |
| `tokens` | 0 | how many tokens players can say, from 0 to 127 |
| `fog` | 0 | the step after which there is fog on the outermost cells, from 1 to 32,000; 0 for no fog |
| `tasks` | 0 | how often a task has to be done at most, from 1 to 1,000; 0 for no tasks |
| `fog_core` | 8 | how far from the middle the fog stops, from 0 to 1,024 cells |

If four weights are given, the fourth is that of "earn" and "task", too.

A new map of more than about 200 cells on a side takes seconds until the rules are compiled; ``compiled=True`` compiles
them first.

**Level.** ``{"map": [rows of letters]}``: ``~`` water, ``.`` grass, ``f`` foliage, ``#`` stone; with `professions`,
``o`` ore, ``t`` tree, ``c`` crystal, ``h`` herb and ``%`` fish. Generator: kind "wilds".

**Known values.** A player without food and water has 0 of both after step 20, 80 health after step 21, and dies in step
25. At level 1, a hit at a player of level 1 takes 10, with the style that beats it 17. With ``order="number"``, 650
recorded steps of `nmmo` 2.1.1 with 20 or 24 players and up to 24 creatures are repeated exactly, given the moves of
creatures. So are 840 steps with items, professions, exchange, tokens, fog and tasks in four sets of systems, given the
order of buyers, the weapons found and the cells that grow again too.

**Differences.** From `nmmo` 2.1.1:

- Left out are resilient players, and tasks other than counts of events: predicates of several agents, of places, of
  items and of time. Reward is a sum of objectives; there, it is the progress of a task, and -1 at death. A map without
  terrain is a level of grass.
- A player does one thing in a step; there, it can move, attack and trade. This gives one action instead of several
  heads.
- A market of 32 rows shows the best offers; there, 384 offers in no order. Prices are 1, 3, 10 and 30, and gifts go to
  the nearest four; there, prices from 1 to 99, and anybody in view.
- Items need combat. Where they are without equipment, there, only rations and potions work.
- Tokens are seen by everybody near; there, by the team, and near as a part of the row of a player.
- The fog comes from all sides in the same step; there, one step earlier from the south and the east.
- Fog of less than one cell per step is left out.
- The order of players is random; there, the one of numbers decides duels. Use ``order="number"`` for that.
- Others are the nearest 15; there, 100 in no order. Rows show what is used here.
- Danger is the same on all four sides. There, it is less by one cell in the south and in the east, where it can be
  negative.
- Maps have noise of two scales everywhere; there, the scales depend on the distance from the middle. There, cells
  beside the outermost ones are neither water nor stone.
- Ways of creatures are shortest within 15 x 15 cells around them, with ties in the order north, west, south, east.
  Without a way they step to where the distance in rows plus columns is shorter. There, A* stops after 100 cells and
  keeps ways in a cache.
- The number of a dead creature is that of its successor; there, numbers are never used again.
- Among nearest players, a hostile creature takes the lowest number; there, the first in the table.
- Without progression, creatures that are `equipped` have the power 0. There, it is from -7 to 0, by rounding.
- Nothing freezes: no rule of the source's systems that are here uses it.

**Source.** Suarez et al., "Neural MMO 2.0", NeurIPS 2023; github.com/NeuralMMO/environment, version 2.1.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import ParameterError
from envsuite.core.ranges import among, fixed
from envsuite.core.world import Between, Kernels, World
from envsuite.gridworlds.neural_mmo import items as bags
from envsuite.gridworlds.neural_mmo import levels as wilds
from envsuite.gridworlds.neural_mmo import market, pages, rules, view
from envsuite.gridworlds.neural_mmo import tasks as goals
from envsuite.gridworlds.neural_mmo.levels import FISH, FOLIAGE, GRASS, LARGEST, SCRUB, SMALLEST, STONE, Wilds
from envsuite.registry import pettingzoo_forms

#: Objectives that every world has, and the bounds of all.
_ALWAYS = 4
_RANGES = {
    **{"survive": (-1.0, 0.0), "forage": (0.0, 2.0), "fight": (0.0, 1.0), "explore": (0.0, 1.0)},
    **{"earn": (-1.0, 1.0), "task": (0.0, 1.0)},
}


class NeuralMMO(World):
    __doc__ = __doc__
    kernels = Kernels(rules.reset, rules.step, rules.observe, rules.legal)
    leaving = True
    kind = ("open worlds", "teams", "markets")
    verified = "recorded steps of nmmo 2.1.1, and an independent implementation in lock-step"
    variants = (
        dict(
            players=5,
            size=16,
            items=True,
            professions=True,
            exchange=True,
            tokens=2,
            fog=40,
            fog_core=4,
            immunity=3,
            tasks=4,
        ),
        dict(players=3, creatures=12, size=16, order="number", regrowth=0.5, immunity=0, horizon=80, equipped=False),
        dict(players=2, creatures=0, size=17, combat=False, progression=False, weights=(1.0, 1.0, 0.0, 1.0)),
    )
    shown = "fighter"
    clickable = "north|south|east|west|stay|melee .*"
    keys = {
        **{"up": "north", "down": "south", "right": "east", "left": "west", ".": "stay"},
        **{"z": "melee 1", "x": "range 1", "c": "mage 1"},
    }
    text = view.text
    scene = view.scene
    click = view.click
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        players: Annotated[int, Between(1, rules.MOST_PLAYERS)] = 8,
        creatures: Annotated[int, Between(0, rules.MOST_PLAYERS)] = 8,
        size: Annotated[int, Between(SMALLEST, LARGEST)] = 32,
        resource: bool = True,
        combat: bool = True,
        progression: bool = True,
        equipped: bool = True,
        order: Literal["random", "number"] = "random",
        regrowth: Annotated[float, Between(0, 1)] = 0.025,
        immunity: Annotated[int, Between(0, 1_000_000)] = 20,
        creature_level: Annotated[int, Between(1, rules.TOP_LEVEL)] = 10,
        scattered: Annotated[float, Between(0, 1)] = 0.05,
        weights: tuple[Annotated[float, Between(-rules.WEIGHT, rules.WEIGHT)], ...] = (1.0, 0.1, 0.1, 0.1),
        horizon: Annotated[int, Between(1, rules.LONGEST)] = 512,
        items: bool = False,
        professions: bool = False,
        exchange: bool = False,
        tokens: Annotated[int, Between(0, rules.MOST_TOKENS)] = 0,
        fog: Annotated[int, Between(0, rules.LONGEST)] = 0,
        fog_core: Annotated[int, Between(0, LARGEST)] = 8,
        tasks: Annotated[int, Between(0, goals.MOST_TIMES)] = 0,
    ):
        if creatures and not combat:
            raise ParameterError(f"{self.id}: creatures={creatures} need combat=True")
        if items and not combat:
            raise ParameterError(f"{self.id}: items=True needs combat=True")
        for name, chosen in (("professions", professions), ("exchange", exchange)):
            if chosen and not items:
                raise ParameterError(f"{self.id}: {name}=True needs items=True")
        maps = Wilds(size, scattered, professions)
        objectives = [name for name in rules.OBJECTIVES if {"earn": exchange, "task": tasks}.get(name, True)]
        if len(weights) == _ALWAYS:
            weights = (*weights, *weights[-1:] * (len(objectives) - _ALWAYS))
        everyone = players + creatures
        others = np.zeros((2, rules.SEEN, 12), np.int16)
        others[0, :, 2:4] = -rules.SIGHT
        others[1] = [
            *(rules.HOSTILE, everyone - 1, rules.SIGHT, rules.SIGHT, rules.MOST, rules.MOST, rules.MOST),
            *(rules.TOP_LEVEL, rules.TOP_LEVEL, rules.TOP_LEVEL, rules.LARGEST_HIT, 1),
        ]
        own = [
            *(
                size - 1,
                size - 1,
                rules.MOST,
                rules.MOST,
                rules.MOST,
                rules.MOST_SHOWN,
                rules.MOST_SHOWN,
                rules.MOST_SHOWN,
            ),
            *(rules.TOP_LEVEL, rules.TOP_LEVEL, rules.TOP_LEVEL, rules.LARGEST_HIT, everyone),
            *(rules.MOST_SHOWN, rules.MOST_SHOWN, rules.MOST_SHOWN, rules.MOST_SHOWN, size // 2),
        ]
        self.define(
            agents=[f"player_{a}" for a in range(players)],
            actions=action_names(combat, items, exchange, tokens),
            observation=Dict(
                {
                    "ground": Box(0, wilds.codes(professions) - 1, (rules.VIEW, rules.VIEW), np.uint8),
                    "others": Box(others[0], others[1], dtype=np.int16),
                    "own": Box(np.zeros(18, np.int32), np.array(own, np.int32), dtype=np.int32),
                    **more_parts(players, size, items, professions, exchange, tokens, fog, tasks),
                }
            ),
            fields=[*rules.fields(players, creatures, size, items, professions, exchange, tokens, tasks), *maps.fields],
            params={
                **maps.values,
                "resource": resource,
                "combat": fixed(int(combat)),
                "progression": progression,
                "equipped": equipped,
                "order": among(rules.ORDERS, order),
                "regrowth": float(regrowth),
                "immunity": immunity,
                "creature_level": creature_level,
                "weights": weights,
                "horizon": horizon,
                **({"fog": fog, "fog_core": fog_core} if fog else {}),
                **({"tasks": fixed(tasks)} if tasks else {}),
            },
            objectives={name: _RANGES[name] for name in objectives},
        )

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        s.level.map[:] = wilds.read_map(level, len(s.level.map), self.id, self.parameters["professions"])

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"map": wilds.write_map(s.level.map)}

    def contradiction(self, s: Any) -> str | None:
        ground, first = np.asarray(s.ground), np.asarray(s.level.map)
        inner = slice(rules.SIGHT, -rules.SIGHT)
        expected = np.zeros_like(ground)
        expected[inner, inner] = first
        eaten = (expected == FOLIAGE) & (ground == SCRUB)
        used = (expected > STONE) & (expected % 2 == 1) & (ground == expected - 1)
        if ((ground != expected) & ~eaten & ~used).any():
            return "the ground is not that of the map"
        if not np.array_equal(np.sort(s.scrub[: s.scrub_count]), np.flatnonzero(eaten)):
            return "scrub does not list the cells with scrub"
        if self.parameters["professions"] and not np.array_equal(np.sort(s.used[: s.used_count]), np.flatnonzero(used)):
            return "used does not list the cells with used ground"
        if self.parameters["items"] and (problem := bag_problem(s, self.parameters["exchange"])):
            return problem
        ring = walkable_cells(first)
        ring[1:-1, 1:-1] = False
        if not ring.any():
            return "no player could start on the map"
        living = np.asarray(s.health) > 0
        if not walkable_cells(ground)[s.y[living], s.x[living]].all():
            return "somebody is in water or stone"
        if ((s.terminated != 0) == living[: len(self.agents)]).any():
            return "a living player is terminated, or a dead one is not"
        return None

    # Text and pictures.


def action_names(combat: bool, items: bool, exchange: bool, tokens: int) -> tuple[str, ...]:
    """The actions of a player."""
    return (
        *(rules.ACTIONS if combat else rules.MOVES),
        *(bags.ACTIONS if items else ()),
        *(market.ACTIONS if exchange else ()),
        *(f"say {token}" for token in range(1, tokens + 1)),
    )


def more_parts(
    players: int, size: int, items: bool, professions: bool, exchange: bool, tokens: int, fog: int, tasks: int
) -> dict[str, Box]:
    """The parts of an observation that the systems add."""
    count, most = len(bags.CRAFTS), bags.MOST_GOLD
    parts = {}
    if items:
        row = [len(bags.KINDS) - 1, bags.TOP_GRADE, most, 1, market.TOP_PRICE, market.LISTED]
        parts["bag"] = _box(np.tile(row, (bags.BAG, 1)))
        parts["gear"] = _box([rules.LARGEST_HIT, rules.LARGEST_HIT, rules.LARGEST_HIT, rules.LARGEST_HIT, bags.ENGAGED])
        parts["armed"] = _box([bags.TOP_GRADE * bags.BAG] * rules.SEEN)
    if professions:
        parts["crafts"] = _box([most] * count + [rules.TOP_LEVEL] * count)
    if exchange:
        parts["gold"] = _box([most])
        parts["market"] = _box(
            np.tile([bags.TOP_GRADE, most, market.TOP_PRICE, players, market.LISTED], (market.OFFERS, 1))
        )
    if tokens:
        parts["words"] = _box([tokens] * rules.SEEN)
    if tasks:
        parts["task"] = _box([len(goals.EVENTS) - 1, tasks, tasks])
    if fog:
        parts["fog"] = Box(-2 * rules.LONGEST - size, 2 * rules.LONGEST, (1,), np.int32)
    return parts


def _box(high: Any) -> Box:
    return Box(np.zeros(np.shape(high), np.int32), np.array(high, np.int32), dtype=np.int32)


def bag_problem(s: Any, exchange: bool) -> str | None:
    """The contradiction in the bags of a record."""
    item, full = np.asarray(s.item), np.asarray(s.item) > 0
    worn = np.asarray(s.worn) > 0
    if ((np.asarray(s.amount) > 0) != full).any() or (~full & (worn | (np.asarray(s.grade) > 0))).any():
        return "an empty place of a bag holds something, or a full one nothing"
    if (worn & (item > bags.RUNES)).any():
        return "an item is worn that cannot be worn"
    if exchange:
        asked = np.asarray(s.asked) > 0
        if (asked != (np.asarray(s.left) > 0)).any() or (asked & (~full | worn)).any():
            return "something is on the market that cannot be"
    return None


def walkable_cells(codes: np.ndarray) -> np.ndarray:
    """Where one can stand."""
    return (codes >= GRASS) & (codes != STONE) & (codes < FISH - 1)


env, raw_env, parallel_env = pettingzoo_forms(NeuralMMO)
