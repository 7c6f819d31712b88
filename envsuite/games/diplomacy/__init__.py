"""Diplomacy: seven powers of Europe in 1901 order their units in secret, and all orders are resolved at once.

**Rules.** Armies and fleets stand in provinces, at most one unit in each. Armies move on land, fleets at sea and along
coasts. Some provinces are supply centers. A year has these phases; a phase in which nobody has a choice is skipped.

1. Spring moves. Every unit gets an order: see below.
2. Spring retreats. A dislodged unit retreats to a province that it reaches, or is disbanded. It cannot go to a province
   with a unit, to the one that its attacker came from (unless by convoy), or where units kept one another out. Units
   that retreat to the same province are disbanded.
3. Autumn moves, in the same way.
4. Autumn retreats. Then units take the centers that they stand on.
5. Winter. A power with more centers than units builds units in its home centers that it owns and that are empty. A
   power with more units than centers disbands units.

| order | in texts | what the unit does |
|---|---|---|
| hold | `A PAR H` | stays |
| move | `A PAR - BUR` | moves to a neighboring province with strength 1, and 1 more for each support |
| move by convoy | `A LON - NWY by convoy` | an army crosses seas in which fleets convoy it |
| support | `A PAR S A MAR - BUR`, `A PAR S A BUR` | supports a move, or a unit that does not move |
| convoy | `F NTH C A LON - NWY` | a fleet at sea carries an army |

- A move succeeds if it is stronger than the unit that stays in the province and than every other move there. Units
  cannot swap places, except by convoy. Three or more can move in a circle.
- An attack by another power cuts a support, unless it comes from the province against which the support is given.
  Dislodged units do not support or convoy.
- A power does not dislodge its own units, and does not help others to do so.
- An army that is ordered to go by convoy to a neighboring province goes by land if no fleets are ordered to convoy it.
- Where the success of a convoy depends on itself (a paradox), it fails.

The support of a move to a province with two coasts counts for either coast. A power can support and convoy the units of
others. A power without centers and units is out.

| `map` | powers | provinces | centers | centers that win |
|---|---|---|---|---|
| `standard` | all seven, 22 units | 75 | 34 | 18 |
| `france_austria`, `germany_italy` | two of them, on the same map | 75 | 34 | 18 |
| `pure` | all seven, with an army each | 7 capitals, all neighbors | 7 | 4 |
| `triangle` | three, with two units each | 9 around a sea | 6 | 4 |

**Press.** With `press`, powers write messages before the moves of spring and autumn, in this number of rounds. In a
round each power writes at most one message to each other power. A message is seen by its sender at once, by its
recipient when all powers have finished the round, and by nobody else. Nothing that is said binds anybody.

| message | promised if it is accepted |
|---|---|
| propose peace | both: no order against a unit or a center of the other |
| ally against a third power | both: the same, and no support or convoy for units of the third power |
| ask to demilitarize a province | both: no move into it, and no help for one; it is empty, and units of both reach it |
| ask to move | the recipient: its unit goes where it is asked to, or stays |
| ask to support | the recipient: supports this unit of the sender; the sender: its unit goes there, or stays |
| accept, reject | answers the recipient's newest open proposal of an earlier round |
| warn | nothing |

- An order against a power is a move to a province with its unit or with its center, or a support or convoy of such a
  move. Support and convoy for the other's own unit are not against it.
- If two powers send each other the same proposal of one of the first three kinds, they have agreed on it.
- Proposals and promises are about the next moves only. What two powers agree on twice is one promise.
- The hidden performance counts the promises that the agent has kept, less those that it has broken.

**Agents.** The powers: `austria`, `england`, `france`, `germany`, `italy`, `russia` and `turkey`; on the triangle
`north`, `east` and `west`. In each phase the powers give their orders at the same time, each one unit after another in
alphabetical order of the provinces. A support or a convoy takes two actions: the unit, and then what that unit does.
Nobody sees orders of others before all are resolved.

**Observation.** Dict. The map has P provinces and N powers. Locations are provinces, in alphabetical order, then the
coasts of those that have two. -1 stands for "none".

| part | space | content |
|---|---|---|
| board | Box (9, P) int8 | a row for each fact below, a column for each province |
| last | Box (6, P) int8 | before the last moves: rows for unit, owner, order, helped, target and result |
| orders | Box (3, P) int8 | the agent's own orders in this phase: rows for order, helped and target |
| centers | Box (N,) int8 | the number of centers of each power |
| turn | Box (7,) int16 | own power, year, phase, province of the unit to order, `picked`, `picked_unit`, units due |
| rules | Box (3,) int16 | numbers of `map` and `reward`, and `last_year` |
| heard | Box (R, N, 4) int8 | only with `press`: messages before these moves from each power, in each of R rounds |
| sent | Box (R, N, 4) int8 | only with `press`: messages to each power, in each round |
| talk | Box (4,) int8 | only with `press`: the round, -1 if nobody talks; kind, recipient and unit of the own draft |
| word | Box (2, N) int16 | only with `press`: promises to the agent that each power has kept, and has broken |

- `board`: unit (0 none, 1 army, 2 fleet), owner, location; owner of the center (-2: no center); dislodged unit, its
  owner, its location, the province of its attacker (-1: by convoy); 1 if units kept one another out.
- Orders: 1 hold, 2 move, 3 move by convoy, 4 support, 5 convoy, 6 disband, 7 build an army, 8 build a fleet. `helped`
  is the province of the supported or convoyed unit, and the target a location.
- Results: 1 success, 2 failure, 3 dislodged.
- Phases count from 0. After the first half of a support or convoy, `picked` is 4 or 5 and `picked_unit` is the province
  of its unit. Units due are builds, or disbands if negative.
- A message has its kind, its province or the enemy of an alliance, its target, and the answer. Kinds: 0 none, 1 propose
  peace, 2 demilitarize, 3 move, 4 support, 5 accept, 6 reject, 7 warn, 8 ally. The target is the unit's own province if
  it stays. Answers: 0 open, 1 agreed, 2 rejected.

**Actions.** Discrete (356) on the standard map. Names have the codes of provinces, such as `PAR`, and of coasts, such
as `STP/NC`.

| action | name | legal |
|---|---|---|
| 0 | `hold` | for a unit; after `support PAR`: the supported unit stays |
| 1 ... | `to PAR`, `to STP/NC` | where the unit can move or retreat; after `support PAR`: where that unit goes |
| then | `to PAR by convoy` | if fleets at sea connect both coasts |
| then | `support PAR` | if the unit there can stay or go where this one can support it |
| then | `convoy PAR` | for a fleet at sea that fleets connect with the army there |
| then | `disband PAR` | for a dislodged unit, and in winter |
| then | `build army PAR` | at home |
| then | `build fleet STP/NC` | at home |
| last | `waive` | in winter: builds nothing for one unit due, or leaves all disbands to the rules |

With `press` there are further actions, 167 on the standard map. A request to demilitarize takes two actions, and a
request to move or support three: after `name MUN`, `to BUR` or `hold` say what that unit does. Only powers that are not
out can be written to.

| action | name | legal |
|---|---|---|
| next | `say no more` | ends the agent's round; it also ends when the agent has written to all |
| then | `propose peace to France`, `warn France` | always |
| | `ask France to demilitarize` | if there is such a province |
| | `ask France to move` | if France has a unit |
| | `ask France to support` | if a unit of France reaches one of the agent's, or where one can go without convoy |
| | `accept proposal of France`, `reject ...` | if one of an earlier round is open |
| | `ally with France against Italy` | if Italy is not out |
| last | `name PAR` | the province, or that of the unit, after `ask ...` |

The rules disband the units that are farthest from home, of equally far ones fleets, then in alphabetical order.

**Window.** Click a province to move or retreat there. Click the unit itself to hold, and a unit or a home to disband or
to build an army. The keys H and W mean `hold` and `waive`. Other orders can be chosen by name. In press, click a power
in the list to accept its proposal or else to propose peace, and a province to name it. N means `say no more`.

**Rewards.** By `reward`:

- `centers`: whenever centers change hands, the change in the number of the power's centers.
- `squares`: at the end c²/S, where c is the number of the power's centers and S the sum of all c². A power that wins
  gets 1, the others 0.
- `winner`: at the end 1 for the power that wins; if none does, all powers with centers share 1 equally.

**Ends.** Terminates in the autumn in which a power has enough centers to win, and in that of `last_year`. A power
that is out terminates earlier.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `map` | "standard" | "standard", "pure", "france_austria", "germany_italy" or "triangle" |
| `reward` | "centers" | "centers", "squares" or "winner" |
| `last_year` | 1910 | the last year, from 1901 to 2000 |
| `press` | 0 | rounds of press before moves, from 0 to 3 |

**Level.** ``{"year": 1905, "season": "autumn", "units": {"france": ["A PAR"]}, "centers": {"france": ["PAR"]}}``: the
season is "spring", "autumn" or "winter". Centers that are not listed have no owner.

**Known values.** In the first spring, 22 units have 238 orders: MUN 19, VEN 18, WAR 16, ..., STP/SC 6 (`diplomacy`).
With press, the powers in the order above can write 157, 145, 150, 152, 150, 149 and 150 messages then.

Mean returns of a power on the standard map with ``press=2``, in each of the seven seats for 30 games:

| the power | the six others | return | its promises kept, less broken |
|---|---|---|---|
| `honest` | `honest` | 1.35 ± 0.01 | 120 |
| `liar` | `honest` | 1.40 ± 0.16 | 62 |
| `siege`, silent | `honest` | -0.48 ± 0.15 | 0 |
| `honest` | `liar` | 0.66 ± 0.18 | 70 |
| `liar` | `honest` that stays trusting | 11.35 ± 0.43 | 36 |
| `honest` that stays trusting | `liar` | -2.08 ± 0.09 | 104 |
| `liar` | `liar` | 1.54 ± 0.01 | 50 |

So honesty costs 0.9 centers among liars. A lie pays only against powers that forgive it, and silence among honest
powers costs more than either. Among silent powers, all three play as `siege` does: 1.58 ± 0.02.

**Differences.** From the package `diplomacy`, whose results are otherwise equal in 5,688 of 5,700 random positions:

- In eleven of the others, it stops a convoy because of an attack on its fleet that would succeed only with the power of
  the fleet's own country. In one, a unit wins a battle head to head against a stronger move, whose strength comes from
  supports of the winner's own power.
- Orders are chosen one by one among legal ones, so there are no missing or void orders.
- An army that moves to a neighboring province goes by land unless its order says "by convoy". There, a convoy by a
  fleet of its own power is enough.
- Supports have no coasts; there, orders with and without a coast differ but mean the same.
- A convoy order is legal for each fleet that is connected with both coasts, also if no shortest way leads through it.
- A unit that a convoyed army dislodges cannot retreat to where others bounced. There, it can.
- Supports by the power of the unit that would be dislodged never count. There, they count if the attack comes by
  convoy, which the rules do not allow.
- A dislodged unit without a retreat is disbanded at once. There, its power must say so.
- The game ends in `last_year`; there, after 100 years in a draw.
- Messages are typed. There, press is text without rules, and promises are not counted.
- Requests name no convoys, and supports only for the sender's own units, to keep the number of actions small.
- `triangle` is an addition.

**Source.** Calhamer, "Diplomacy", 1959. Kruijswijk, "The Math of Adjudication", 2009, and "Diplomacy Adjudicator Test
Cases" (DATC). Paquette et al., "No-Press Diplomacy: Modeling Multi-Agent Gameplay", 2019, for `diplomacy` 1.1.2.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import below, fixed, within
from envsuite.core.world import Between, Kernels, World
from envsuite.games.diplomacy import levels, orders, pages, reading, view
from envsuite.games.diplomacy.actions import (
    ACTION,
    AUTUMN,
    AUTUMN_RETREATS,
    AWAY,
    CENTER,
    HOME,
    PLACE,
    SPOT,
    SPRING,
    SPRING_RETREATS,
    START,
    TABLES,
    WAIVE,
    WINTER,
    allow_orders,
    can_build,
    can_retreat,
    observe_orders,
)
from envsuite.games.diplomacy.levels import FIRST, LAST
from envsuite.games.diplomacy.map import MAPS
from envsuite.games.diplomacy.orders import HOLD
from envsuite.games.diplomacy.press import (
    allow_press,
    begin,
    judge,
    observe_press,
    open_press,
    press_fault,
    press_fields,
    press_names,
    press_parts,
    press_synonyms,
    talk,
    talking,
)
from envsuite.registry import pettingzoo_forms

REWARDS = ("centers", "squares", "winner")

#: (maps,): the number of centers that wins.
WIN = np.array([land.win for land in MAPS.values()])


def fields(provinces: int, powers: int, locations: int) -> list[tuple]:
    """The record."""
    unit, owner = within(np.int8, 0, orders.FLEET), within(np.int8, -1, powers - 1)
    maybe, spot = within(np.int8, -1, provinces - 1), below(np.int8, locations)
    center, target = within(np.int8, -2, powers - 1), within(np.int8, -1, locations - 1)
    year, phase, every = within(np.int64, FIRST, LAST + 1), below(np.int64, 5), (provinces,)
    last = [
        ("unit", unit, every),
        ("owner", owner, every),
        ("order", within(np.int8, orders.NONE, orders.BUILD_FLEET), every),
        ("helped", maybe, every),
        ("target", target, every),
        ("result", within(np.int8, 0, orders.DISLODGED), every),
    ]
    level = [("unit", unit, every), ("owner", owner, every), ("spot", spot, every), ("center", center, every),
             ("year", year), ("phase", phase)]  # fmt: skip
    return [
        *orders.order_fields(provinces, powers, locations),
        ("center", center, every),  # the owner of each center, -1 if it has none; -2 where there is no center
        ("beaten", unit, every),  # the unit that was dislodged in each province, as above
        ("beaten_owner", owner, every),
        ("beaten_spot", spot, every),
        ("beaten_from", maybe, every),  # the province that its attacker came from, -1 if by convoy
        ("phase", phase),
        ("year", year),
        ("cursor", maybe, (powers,)),  # the province whose unit each power orders now, or -1
        # SUPPORT or CONVOY if it has named the unit only
        ("picked", within(np.int8, orders.NONE, orders.CONVOY), (powers,)),
        ("picked_unit", maybe, (powers,)),  # and its province, or -1
        # units that each has yet to build, or to disband if < 0
        ("due", within(np.int64, -orders.UNITS, orders.UNITS), (powers,)),
        ("last", np.dtype(last)),  # the units and orders of the last moves, and their results
        ("level", np.dtype(level)),  # how the episode started
    ]


@large_kernel
def reset(s):
    m = s.params.map
    if not s.level_given:
        s.level.year = FIRST
        s.level.phase = SPRING
    for k in range(s.unit.shape[0]):
        if not s.level_given:
            s.level.unit[k] = START[m, k]
            s.level.owner[k] = HOME[m, k]
            s.level.spot[k] = SPOT[m, k]
            s.level.center[k] = CENTER[m, k]
        s.unit[k] = s.level.unit[k]
        s.owner[k] = s.level.owner[k]
        s.spot[k] = s.level.spot[k]
        s.center[k] = s.level.center[k]
        s.last.unit[k] = 0
        s.last.owner[k] = -1
        s.last.order[k] = orders.NONE
        s.last.helped[k] = -1
        s.last.target[k] = -1
        s.last.result[k] = 0
    s.year = s.level.year
    s.phase = s.level.phase
    clear_beaten(s)
    clear_scratch(s)
    begin(s)
    open_press(s, open_phase(s))


@kernel
def clear_scratch(s):
    """Set everything to zero that is used only while orders are resolved."""
    s.count = 0
    s.depends = 0
    s.need = -1
    fill(s.goal, -1)
    fill(s.fate, 0)
    fill(s.state, 0)
    for i in range(orders.UNITS + 1):
        s.stack[i] = 0
        s.base[i] = 0
        s.trial[i] = 0
        s.first[i] = 0
    for i in range(orders.UNITS):
        s.units[i] = 0
        s.deps[i] = 0


@kernel
def clear_beaten(s):
    """No unit is dislodged, and no province contested."""
    for k in range(s.unit.shape[0]):
        s.beaten[k] = 0
        s.beaten_owner[k] = -1
        s.beaten_spot[k] = k
        s.beaten_from[k] = -1
        s.standoff[k] = 0


@kernel
def put(s, k, unit, owner, spot):
    """Put a unit into a province, or none (0, -1, k)."""
    s.unit[k] = unit
    s.owner[k] = owner
    s.spot[k] = spot


# Phases.


@kernel
def open_phase(s):
    """Begin a phase; returns the number of powers that have something to order."""
    fill(s.order, orders.NONE)
    fill(s.helped, -1)
    fill(s.target, -1)
    busy = 0
    for power in range(s.due.shape[0]):
        s.picked[power] = orders.NONE
        s.picked_unit[power] = -1
        s.cursor[power] = -1 if s.phase == WINTER else next_unit(s, power, 0)
        s.due[power] = surplus(s, power) if s.phase == WINTER else 0
        busy += s.cursor[power] >= 0 or s.due[power] != 0
    return busy


@kernel
def next_unit(s, power, k):
    """The first province from the k-th on with a unit that this power has to order, or -1."""
    retreats = s.phase == SPRING_RETREATS or s.phase == AUTUMN_RETREATS
    for place in range(k, s.unit.shape[0]):
        if not retreats and s.unit[place] != 0 and s.owner[place] == power:
            return place
        if retreats and s.beaten[place] != 0 and s.beaten_owner[place] == power and can_retreat(s, place):
            return place
    return -1


@kernel
def surplus(s, power):
    """The number of units that a power builds, or disbands if it is negative."""
    due, free = np.int64(0), 0
    for k in range(s.unit.shape[0]):
        due += (s.center[k] == power) - (s.unit[k] != 0 and s.owner[k] == power)
        free += can_build(s, power, k)
    return min(due, free)


@kernel
def farthest(s, power):
    """The unit of a power that the rules disband: the farthest from home, of these a fleet, of these the first."""
    found, most = -1, -1
    for k in range(s.unit.shape[0]):
        if s.unit[k] != 0 and s.owner[k] == power and s.order[k] == orders.NONE:
            away = 2 * AWAY[s.params.map, power, s.unit[k], s.spot[k]] + (s.unit[k] == orders.FLEET)
            if away > most:
                found, most = k, away
    return found


# Orders.


@kernel
def adjust(s, power, kind, place):
    """A power builds or disbands a unit, or waives builds; or it leaves all disbands to the rules."""
    if kind == WAIVE and s.due[power] < 0:
        while s.due[power] < 0:
            s.order[farthest(s, power)] = orders.DISBAND
            s.due[power] += 1
    elif kind == orders.DISBAND:
        s.order[place] = orders.DISBAND
        s.due[power] += 1
    else:
        s.due[power] -= 1
        if kind != WAIVE:
            k = orders.PROVINCE[s.params.map, place]
            s.order[k] = kind
            s.target[k] = place


@kernel
def enter(s, power, action):
    """A power gives an order, or the first half of one."""
    m = s.params.map
    kind, place = ACTION[m, action], PLACE[m, action]
    if s.phase == WINTER:
        adjust(s, power, kind, place)
        return
    if kind == orders.SUPPORT or kind == orders.CONVOY:
        s.picked[power] = kind
        s.picked_unit[power] = place
        return
    k = np.int64(s.cursor[power])
    s.order[k] = kind
    if s.picked[power] != orders.NONE:
        s.order[k] = s.picked[power]
        s.helped[k] = s.picked_unit[power]
        s.target[k] = s.picked_unit[power] if kind == HOLD else place
        s.picked[power] = orders.NONE
        s.picked_unit[power] = -1
    elif kind == orders.MOVE or kind == orders.VIA:
        s.target[k] = place
    s.cursor[power] = next_unit(s, power, k + 1)


@large_kernel
def step(s, actions, rewards):
    if talking(s):
        if talk(s, actions):
            open_phase(s)
        return
    busy = 0
    for power in range(s.due.shape[0]):
        if s.cursor[power] >= 0 or s.due[power] != 0:
            enter(s, power, actions[power])
            busy += s.cursor[power] >= 0 or s.due[power] != 0
    while busy == 0:
        close_phase(s, rewards)
        busy = open_phase(s)
        open_press(s, busy)
        over = 1
        for power in range(s.due.shape[0]):
            over &= np.int64(s.terminated[power])
        if over:
            return


@kernel
def close_phase(s, rewards):
    """Carry out the orders of a phase, and turn to the next."""
    if s.phase == WINTER:
        carry_out_builds(s)
        s.year += 1
        s.phase = SPRING
        return
    if s.phase == SPRING or s.phase == AUTUMN:
        judge(s)
        orders.resolve(s)
        carry_out_moves(s)
        clear_scratch(s)
    else:
        carry_out_retreats(s)
    if s.phase == AUTUMN_RETREATS:
        end_year(s, rewards)
    s.phase += 1


@kernel
def keep_orders(s):
    """Keep the orders and their results, for observations."""
    for k in range(s.unit.shape[0]):
        s.last.unit[k] = s.unit[k]
        s.last.owner[k] = s.owner[k]
        s.last.order[k] = s.order[k]
        s.last.helped[k] = s.helped[k]
        s.last.target[k] = s.target[k]
        s.last.result[k] = (orders.DONE if s.fate[k] else orders.FAILED) if s.unit[k] != 0 else 0


@kernel
def note_standoffs(s):
    """Note the empty provinces that units kept one another out of."""
    for k in range(s.unit.shape[0]):
        if s.goal[k] >= 0 and s.fate[k] == 0 and s.unit[s.goal[k]] == 0 and orders.prevention(s, k) > 0:
            s.standoff[s.goal[k]] = 1


@large_kernel
def carry_out_moves(s):
    """Move the units whose moves succeed, all at once; units in their way are dislodged."""
    keep_orders(s)
    for k in range(s.unit.shape[0]):
        if s.goal[k] >= 0 and s.fate[k]:
            place = np.int64(s.goal[k])
            if s.unit[place] != 0 and not (s.goal[place] >= 0 and s.fate[place]):
                s.last.result[place] = orders.DISLODGED
                s.beaten[place] = s.unit[place]
                s.beaten_owner[place] = s.owner[place]
                s.beaten_spot[place] = s.spot[place]
                s.beaten_from[place] = k if s.order[k] == orders.MOVE else -1
    for k in range(s.unit.shape[0]):
        if s.beaten[k] != 0 or (s.goal[k] >= 0 and s.fate[k]):
            put(s, k, 0, -1, k)
    for k in range(s.unit.shape[0]):
        if s.goal[k] >= 0 and s.fate[k]:
            put(s, np.int64(s.goal[k]), s.last.unit[k], s.last.owner[k], s.target[k])
    note_standoffs(s)


@kernel
def rivals(s, k):
    """The number of dislodged units that retreat to the same province as this one."""
    found = 0
    for other in range(s.unit.shape[0]):
        if s.beaten[other] != 0 and s.order[other] == orders.MOVE:
            there = orders.PROVINCE[s.params.map, s.target[other]]
            found += there == orders.PROVINCE[s.params.map, s.target[k]]
    return found


@kernel
def carry_out_retreats(s):
    """Dislodged units retreat, except those that meet; all others are disbanded."""
    for k in range(s.unit.shape[0]):
        if s.beaten[k] != 0 and s.order[k] == orders.MOVE and rivals(s, k) == 1:
            place = orders.PROVINCE[s.params.map, s.target[k]]
            put(s, place, s.beaten[k], s.beaten_owner[k], s.target[k])
    clear_beaten(s)


@kernel
def carry_out_builds(s):
    """Build and disband units."""
    for k in range(s.unit.shape[0]):
        if s.order[k] == orders.DISBAND:
            put(s, k, 0, -1, k)
        elif s.order[k] == orders.BUILD_ARMY or s.order[k] == orders.BUILD_FLEET:
            unit = orders.ARMY if s.order[k] == orders.BUILD_ARMY else orders.FLEET
            put(s, k, unit, HOME[s.params.map, k], s.target[k])


# The end of a year.


@kernel
def holdings(s, power):
    """The number of centers that a power owns."""
    found = 0
    for k in range(s.center.shape[0]):
        found += s.center[k] == power
    return found


@kernel
def has_units(s, power):
    """Whether a power has any unit."""
    for k in range(s.unit.shape[0]):
        if s.unit[k] != 0 and s.owner[k] == power:
            return True
    return False


@kernel
def winner(s):
    """The power that has enough centers to win, or -1: they are more than half of all."""
    for power in range(s.due.shape[0]):
        if holdings(s, power) >= WIN[s.params.map]:
            return power
    return -1


@kernel
def take_centers(s, rewards):
    """Units take the centers that they stand on."""
    for k in range(s.unit.shape[0]):
        if s.center[k] > -2 and s.unit[k] != 0 and s.center[k] != s.owner[k]:
            if s.params.reward == 0:
                rewards[s.owner[k]] += 1
                if s.center[k] >= 0:
                    rewards[s.center[k]] -= 1
            s.center[k] = s.owner[k]


@kernel
def pay(s, champion, rewards):
    """Rewards at the end of the game."""
    squares, left = 0, 0
    for power in range(s.due.shape[0]):
        count = holdings(s, power)
        squares += count * count
        left += count > 0
    for power in range(s.due.shape[0]):
        count = holdings(s, power)
        if champion >= 0:
            rewards[power] = 1.0 if power == champion else 0.0
        elif s.params.reward == 1:
            rewards[power] = count * count / max(squares, 1)
        else:
            rewards[power] = 1.0 / left if count > 0 else 0.0


@kernel
def end_year(s, rewards):
    """Centers change hands; powers without centers and units are out; the game may end."""
    take_centers(s, rewards)
    champion = winner(s)
    over = champion >= 0 or s.year >= s.params.last_year
    if over and s.params.reward > 0:
        pay(s, champion, rewards)
    for power in range(s.due.shape[0]):
        if over or (holdings(s, power) == 0 and not has_units(s, power)):
            s.terminated[power] = 1


# Observations.


@kernel
def copy(row, values):
    for k in range(row.shape[0]):
        row[k] = values[k]


@large_kernel
def observe(s, agent, out):
    copy(out.board[0], s.unit)
    copy(out.board[1], s.owner)
    copy(out.board[2], s.spot)
    copy(out.board[3], s.center)
    copy(out.board[4], s.beaten)
    copy(out.board[5], s.beaten_owner)
    copy(out.board[6], s.beaten_spot)
    copy(out.board[7], s.beaten_from)
    copy(out.board[8], s.standoff)
    copy(out.last[0], s.last.unit)
    copy(out.last[1], s.last.owner)
    copy(out.last[2], s.last.order)
    copy(out.last[3], s.last.helped)
    copy(out.last[4], s.last.target)
    copy(out.last[5], s.last.result)
    observe_orders(s, agent, out)
    for power in range(s.due.shape[0]):
        out.centers[power] = 0
    for k in range(s.center.shape[0]):
        if s.center[k] >= 0:
            out.centers[s.center[k]] += 1
    out.turn[0] = agent
    out.turn[1] = s.year
    out.turn[2] = s.phase
    out.turn[3] = s.cursor[agent]
    out.turn[4] = s.picked[agent]
    out.turn[5] = s.picked_unit[agent]
    out.turn[6] = s.due[agent]
    out.rules[0] = s.params.map
    out.rules[1] = s.params.reward
    out.rules[2] = s.params.last_year
    observe_press(s, agent, out)


@large_kernel
def legal(s, agent, mask):
    if talking(s):
        allow_press(s, agent, mask)
    else:
        allow_orders(s, agent, mask)


class Diplomacy(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    optimization = 1  # 3 takes twice as long here and makes nothing faster
    turns = "mixed"
    chance = False
    leaving = True
    kind = ("teams", "boards", "bargaining")
    verified = "the 160 cases of DATC; `diplomacy` in lock-step; enumeration of all outcomes of small positions"
    variants = (
        dict(map="triangle", reward="squares", last_year=1904, press=2),
        dict(map="pure", reward="winner", last_year=1906),
        dict(map="france_austria", last_year=1903),
    )
    shown = "siege"
    cost = 10
    understand = reading.understand
    batch_form = reading.batch_form
    clickable = "hold|to [A-Z]{3}(/[A-Z]{2})?|disband .*|build army .*"
    keys = {"h": "hold", "w": "waive"}
    player_page = pages.PAGE
    page_slots = pages.page_slots
    text = view.text
    messages = view.messages
    speech = view.hearers
    hearing = view.hearing
    talk_times = view.talk_times
    scene = view.scene
    click = view.click
    set_level = levels.set_level
    get_level = levels.get_level

    def __init__(
        self,
        map: Literal["standard", "pure", "france_austria", "germany_italy", "triangle"] = "standard",
        reward: Literal["centers", "squares", "winner"] = "centers",
        last_year: Annotated[int, Between(FIRST, LAST)] = 1910,
        press: Annotated[int, Between(0, 3)] = 0,
    ):
        #: The map, with its names, and the number of rounds of press.
        land = self.land = MAPS[map]
        self.press = press
        number = list(MAPS).index(map)
        names, _ = TABLES[number]
        provinces, powers, locations = len(land.provinces), len(land.start), len(land.codes)
        maybe, unit, owner = provinces - 1, orders.FLEET, powers - 1
        board = np.array([unit, owner, locations - 1, owner, unit, owner, locations - 1, maybe, 1], np.int8)
        last = np.array([unit, owner, orders.BUILD_FLEET, maybe, locations - 1, orders.DISLODGED], np.int8)
        turn = np.array([owner, LAST + 1, WINTER, maybe, orders.CONVOY, maybe, orders.UNITS], np.int16)
        if press:
            self.performance = "promises kept, less promises broken"
            self.synonyms = press_synonyms(land)
            self.clickable = f"{self.clickable}|name .*|propose peace .*|accept .*"
            self.keys = {**self.keys, "n": "say no more"}
            self.phrases = pages.PHRASES
            names = names + press_names(land)
        self.define(
            agents=list(land.start),
            actions=names,
            observation=Dict(
                board=Box(np.int8(-2), np.repeat(board[:, None], provinces, 1), dtype=np.int8),
                last=Box(np.int8(-1), np.repeat(last[:, None], provinces, 1), dtype=np.int8),
                orders=Box(np.int8(-1), np.repeat(last[2:5, None], provinces, 1), dtype=np.int8),
                centers=Box(0, len(land.centers), (powers,), np.int8),
                turn=Box(np.array([0, FIRST, 0, -1, 0, -1, -orders.UNITS], np.int16), turn, dtype=np.int16),
                rules=Box(0, np.array([len(MAPS) - 1, 2, LAST], np.int16), (3,), np.int16),
                **press_parts(press, provinces, powers),
            ),
            fields=fields(provinces, powers, locations) + press_fields(press, provinces, powers),
            params={"map": fixed(number), "reward": REWARDS.index(reward), "last_year": last_year},
            reward_range=(-float(orders.UNITS), float(orders.UNITS)),
        )

    def contradiction(self, s: Any) -> str | None:
        land, m, provinces = self.land, int(s.params.map), range(len(s.unit))
        if (s.center > -2).tolist() != (CENTER[m, : len(provinces)] > -2).tolist():
            return "the centers are not those of the map"
        for unit, owner, spot in ((s.unit, s.owner, s.spot), (s.beaten, s.beaten_owner, s.beaten_spot)):
            if ((unit != 0) != (owner >= 0)).any():
                return "a unit without an owner, or an owner without a unit"
            if any(not land.can_stand(int(unit[k]), k, int(spot[k])) for k in provinces):
                return "a unit is where it cannot be"
        if (s.unit != 0).sum() > orders.UNITS:
            return f"more than {orders.UNITS} units"
        if any(self._misplaced(s, k) for k in np.flatnonzero(s.order).tolist()):
            return "an order does not fit its unit"
        for power in range(len(s.due)):
            if s.due[power]:
                mine = np.flatnonzero((s.owner == power) & (s.order == orders.NONE))
                free = sum(can_build(s, power, k) for k in provinces)
                if s.phase != WINTER or not -len(mine) <= s.due[power] <= free:
                    return "other numbers of units are due"
            k = int(s.cursor[power])
            if k >= 0 and (s.phase == WINTER or next_unit(s, power, k) != k):
                return "a power orders a unit that is not there"
            if s.picked[power] != orders.NONE and (
                k < 0
                or s.picked[power] not in (orders.SUPPORT, orders.CONVOY)
                or s.phase not in (SPRING, AUTUMN)
                or s.picked_unit[power] < 0
                or s.unit[s.picked_unit[power]] == 0
            ):
                return "half an order does not fit its unit"
        return press_fault(s) if self.press else None

    def _misplaced(self, s: Any, k: int) -> bool:
        """Whether the order of a province is none of its unit."""
        order, target, m = int(s.order[k]), int(s.target[k]), int(s.params.map)
        if s.phase == WINTER and order in (orders.BUILD_ARMY, orders.BUILD_FLEET):
            kind = orders.ARMY if order == orders.BUILD_ARMY else orders.FLEET
            return s.unit[k] != 0 or HOME[m, k] < 0 or target < 0 or not self.land.can_stand(kind, k, target)
        if s.phase == WINTER:
            return order != orders.DISBAND or s.unit[k] == 0
        if s.phase in (SPRING_RETREATS, AUTUMN_RETREATS):
            if order == orders.MOVE and target >= 0:
                place = orders.PROVINCE[m, target]
                return s.unit[place] != 0 or not self.land.can_stand(int(s.beaten[k]), place, target)
            return order != orders.DISBAND or s.beaten[k] == 0
        if (
            s.unit[k] == 0
            or order > orders.CONVOY
            or (order > HOLD and target < 0)
            or (order > orders.VIA and s.helped[k] < 0)
        ):
            return True
        if order in (orders.MOVE, orders.VIA):
            place = orders.PROVINCE[m, target]
            return place == k or not self.land.can_stand(int(s.unit[k]), place, target)
        return False


env, raw_env, parallel_env = pettingzoo_forms(Diplomacy)
