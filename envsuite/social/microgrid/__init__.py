"""Microgrid: buildings with solar panels and batteries share a meter, for bill, peak, ramps and carbon.

**Rules.** `buildings` buildings share one connection to the grid for `days` days of 24 hours. Each has a load and a
generation of solar power in each hour, in kWh, and a battery of `capacity` kWh, which is empty at first. In each hour,
all buildings choose at once to which level they charge or discharge their battery.

1. *Attack*, with `attacker` only. If `attack` is "loads", the share `share` of all loads of this hour is moved to the
   next hour. If it is "reports", all loads that the buildings see in the next hour are too low or too high by this
   share; the loads themselves stay.
2. *Batteries.* A battery that is charged by x takes x / `efficiency` from the building, and one that is discharged by x
   gives x times `efficiency`. A level changes by at most `reach` steps in an hour.
3. *Import.* A building draws its load, less its generation, plus what its battery takes. The import is the sum over all
   buildings; below 0, it is fed into the grid.
4. *Costs*, see below.

*Data.* Loads, solar power, prices and carbon are those of the generator `energy`. Loads have a morning and an evening
peak, energy is dear from 17 to 20, and all buildings have the same sky. See `envsuite.social.microgrid.levels`.

**Agents.** `building_0` ... `building_{buildings-1}`, and with `attacker` the agent `attacker`.

**Observation.** Dict. Arrays of hours begin with the present one and have `foresight` + 1 entries, -1 after the last
hour. The attacker sees the sums of the true loads and of the generations.

| part | space | content |
|---|---|---|
| hour | Box (1,) int8 | hour of the day |
| left | Box (1,) int16 | hours left, the present one included |
| level | Box (1,) int8 | the building's level of charge, in steps; 0 for the attacker |
| load | Box (foresight + 1,) float64 | loads; what was delayed into this hour is included; possibly false, see Rules |
| generation | Box (foresight + 1,) float64 | solar power |
| price, carbon | Box (foresight + 1,) float64 | price and carbon of a kWh |
| drawn | Box (1,) float64 | what the building drew in the last hour; 0 for the attacker |
| imported | Box (1,) float64 | import in the last hour |
| peak | Box (1,) float64 | largest import so far, at least 0 |
| attacks | Box (1,) int16 | attacks left; -1 for buildings |
| rules | Box (10,) float64 | see below |

The rules are `capacity`, the steps of charge (`levels` - 1), `reach`, `efficiency`, `feed_in`, the four `weights` and
the number of buildings.

**Actions.** Discrete.

| action | name | legal |
|---|---|---|
| k | `charge 0%` ... `charge 100%`: to the level k of `levels` | if k is at most `reach` steps from the level |

The attacker:

| action | name | legal |
|---|---|---|
| 0 | `wait` | always |
| 1 | `delay loads`; with `attack="reports"` `report less` | with attacks left, except in the last hour |
| 2 | with `attack="reports"` `report more` | as action 1 |

**Window.** The keys 0 to 9 charge to that step, if there are at most ten. For the attacker, w waits, d
delays, and - and + report less and more.

**Rewards.** The sum of four objectives, weighted by `weights`. Each is minus a cost.

| objective | in one transition |
|---|---|
| `bill` | minus the price times the import; energy fed in is paid the share `feed_in` of the price |
| `peak` | minus the kWh by which the import exceeds the largest one so far |
| `ramp` | minus the size of the change of the import; 0 in the first hour |
| `carbon` | minus the carbon of the import, if it is above 0 |

With `team`, every building gets the costs of all. Otherwise a building pays its own part: of `bill` and `carbon` what
it draws at the rates of the import, so a building that feeds in while others import is paid the full price; of `peak`
and `ramp` an equal share. The attacker gets minus the costs of all.

**Ends.** Terminates after the last hour.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `buildings` | 2 | number of buildings, from 1 to 16 |
| `days` | 1 | days, from 1 to 31 |
| `capacity` | 10.0 | of a battery in kWh, from 0.1 to 100 |
| `levels` | 5 | levels of charge, from 2 to 21 |
| `reach` | 1 | largest change of the level in an hour in steps, from 1 to 20 |
| `efficiency` | 0.95 | part of energy that is kept, each in charging and in discharging, from 0.5 to 1 |
| `panels` | 5.0 | largest solar panels in kW, from 0 to 50 |
| `feed_in` | 0.3 | price of energy fed in, as a part of the price, from 0 to 1 |
| `foresight` | 11 | hours after the present one that agents know, from 0 to 23 |
| `team` | True | whether buildings get the costs of all, or their own |
| `attacker` | False | whether there is an attacker |
| `attack` | "loads" | what an attack changes: "loads" or "reports" |
| `budget` | 4 | number of attacks, from 0 to 100 |
| `share` | 0.5 | part of the loads that an attack delays, or by which reports are false, from 0 to 1 |
| `weights` | (1, 0.5, 0.05, 0.1) | weights of the four objectives, from -1,000,000 to 1,000,000 |

**Level.** ``{"load": [[0.5, ...], ...], "generation": [[0.0, ...], ...]}``: kWh of each building (rows) in each hour,
from 0 to 100. Optional parts are `price` (0 to 10) and `carbon` (0 to 5), a list of the hours each. Levels of
`envsuite generate energy` fit.

**Known values.** For one building and the objectives `bill` and `carbon`, a linear program over all charges gives a
bound of the return. If `feed_in` is 1 and `carbon` has no weight, or if the building never feeds in, a best charge has
whole steps in every hour, so the bound is reached. A program for `bill` and `peak` gives a bound in the same way.

**Differences.** The world is our own; its parts are those of these sources.

- From CityLearn: a battery is charged to one of a few levels instead of by any amount, so that plans can be computed
  exactly. Data are drawn instead of measured. There are neither heating nor cooling.
- From work on load-altering attacks: the attacker delays loads, without a model of frequency or voltage.
- False reports are one factor for all loads, instead of a change of each number within a bound, so that the attacker
  has three actions.

**Source.** Vázquez-Canteli et al., "CityLearn", 2020; Amini, Pasqualetti and Mohsenian-Rad, "Dynamic Load Altering
Attacks Against Power System Stability: Attack Models and Protection Schemes", IEEE Transactions on Smart Grid 2018.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.ranges import below, fixed, flag, limited, within
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.social.microgrid import pages, view
from envsuite.social.microgrid.levels import (
    BUILDINGS,
    DAYS,
    ENERGY,
    HOURS,
    PANELS,
    PRICE,
    SOOT,
    Energy,
    make,
    read_energy,
    write_energy,
)

BILL, PEAK, RAMP, CARBON = range(4)
OBJECTIVES = ("bill", "peak", "ramp", "carbon")

#: What the attacker does: each attack is `ATTACK` or a later action.
WAIT, ATTACK, MORE = range(3)


def fields(data: Energy, buildings: int, hours: int, levels: int, budget: int, most: float) -> list[tuple]:
    """The record's own fields; `most` bounds what all buildings draw in an hour."""
    flow = within(np.float64, -most, most)
    return [
        *data.fields,  # level: load, generation, price and carbon of each hour
        ("hour", within(np.int64, 0, hours)),  # number of hours that have ended
        ("charged", below(np.int64, levels), (buildings,)),  # level of charge of each battery
        ("delayed", within(np.float64, 0, most), (buildings,)),  # load moved into this hour
        ("attacks", within(np.int64, 0, budget)),  # that are left
        ("lie", within(np.float64, -1, 1)),  # by which part the loads that buildings see are too high
        ("peak", within(np.float64, 0, most)),  # largest import so far
        ("imported", flow),  # in the last hour
        # For pictures: loads after attacks, what each drew, levels before each hour and after the last, attacks.
        ("used", within(np.float64, 0, most), (buildings, hours)),
        ("drawn", flow, (buildings, hours)),
        ("charges", below(np.int8, levels), (buildings, hours + 1)),
        ("attacked", flag(), (hours,)),
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        make(s)
    s.hour = 0
    s.attacks = s.params.budget
    s.lie = 0.0
    s.peak = 0.0
    s.imported = 0.0
    for i in range(s.charged.shape[0]):
        s.charged[i] = 0
        s.delayed[i] = 0.0
        for h in range(s.level.price.shape[0]):
            s.used[i, h] = 0.0
            s.drawn[i, h] = 0.0
            s.charges[i, h] = 0
        s.charges[i, s.level.price.shape[0]] = 0
    fill(s.attacked, 0)


@kernel
def step(s, actions, rewards):
    buildings, h = s.charged.shape[0], s.hour
    delay = 0.0
    s.lie = 0.0
    if actions.shape[0] > buildings and actions[buildings] != WAIT:
        s.attacks -= 1
        s.attacked[h] = 1
        if s.params.reports != 0:
            s.lie = s.params.share if actions[buildings] == MORE else -s.params.share
        else:
            delay = s.params.share
    total = 0.0
    for i in range(buildings):
        load = s.level.load[i, h] + s.delayed[i]
        s.delayed[i] = delay * load
        s.used[i, h] = load - s.delayed[i]
        s.drawn[i, h] = s.used[i, h] - s.level.generation[i, h] + charge(s, i, actions[i])
        s.charges[i, h + 1] = s.charged[i]
        total += s.drawn[i, h]
    pay(s, total)
    s.peak = max(s.peak, total)
    s.imported = total
    s.hour += 1
    for k in range(s.terminated.shape[0]):
        s.terminated[k] = s.hour == s.level.price.shape[0]


@kernel
def charge(s, i, level):
    """Charge or discharge a battery to a level; what it takes from the building."""
    stored = (level - s.charged[i]) * s.params.capacity / s.params.steps
    s.charged[i] = level
    return stored / s.params.efficiency if stored > 0.0 else stored * s.params.efficiency


@kernel
def pay(s, total):
    """The objectives of this hour, by its import."""
    buildings, agents, h = s.charged.shape[0], s.terminated.shape[0], s.hour
    rate = s.level.price[h] if total > 0.0 else s.params.feed_in * s.level.price[h]
    soot = s.level.carbon[h] if total > 0.0 else 0.0
    peak = max(total - s.peak, 0.0)
    ramp = abs(total - s.imported) if h > 0 else 0.0
    for k in range(agents):
        mine, part = total, 1.0
        if k == buildings:
            part = -1.0
            mine = -total
        elif s.params.team == 0:
            mine = s.drawn[k, h]
            part = 1.0 / buildings
        s.objectives[k, BILL] = -rate * mine
        s.objectives[k, PEAK] = -peak * part
        s.objectives[k, RAMP] = -ramp * part
        s.objectives[k, CARBON] = -soot * mine


@kernel
def observe(s, agent, out):
    buildings, hours = s.charged.shape[0], s.level.price.shape[0]
    attacks = agent == buildings
    out.hour[0] = s.hour % HOURS
    out.left[0] = hours - s.hour
    out.level[0] = 0 if attacks else s.charged[agent]
    first, last = (0, buildings) if attacks else (agent, agent + 1)
    for k in range(out.load.shape[0]):
        h, load, generation = s.hour + k, -1.0, -1.0
        if h < hours:
            load, generation = 0.0, 0.0
            for i in range(first, last):
                load += s.level.load[i, h]
                generation += s.level.generation[i, h]
                if k == 0:
                    load += s.delayed[i]
            if not attacks:
                load *= 1.0 + s.lie
        out.load[k] = load
        out.generation[k] = generation
        out.price[k] = s.level.price[h] if h < hours else -1.0
        out.carbon[k] = s.level.carbon[h] if h < hours else -1.0
    out.drawn[0] = 0.0 if attacks or s.hour == 0 else s.drawn[agent, s.hour - 1]
    out.imported[0] = s.imported
    out.peak[0] = s.peak
    out.attacks[0] = s.attacks if attacks else -1
    out.rules[0] = s.params.capacity
    out.rules[1] = s.params.steps
    out.rules[2] = s.params.reach
    out.rules[3] = s.params.efficiency
    out.rules[4] = s.params.feed_in
    for part in range(4):
        out.rules[5 + part] = s.params.weights[part]
    out.rules[9] = buildings


@kernel
def legal(s, agent, mask):
    if agent == s.charged.shape[0]:
        mask[WAIT] = 1
        for action in range(ATTACK, ATTACK + 1 + s.params.reports):
            mask[action] = s.attacks > 0 and s.hour + 1 < s.level.price.shape[0]
    else:
        low = max(0, s.charged[agent] - s.params.reach)
        for k in range(low, min(s.params.steps, s.charged[agent] + s.params.reach) + 1):
            mask[k] = 1


class Microgrid(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGES
    page_slots = pages.page_slots

    kind = ("markets", "operations")
    verified = "linear programs of one building; dynamic programs; the costs in NumPy"
    variants = (
        dict(buildings=1, team=False, attacker=True, levels=3, capacity=4.0, foresight=3),
        dict(team=False, days=2, levels=3, foresight=1),
        dict(attacker=True, attack="reports", levels=3),
    )
    shown = "planner"
    clickable = "(?!)"
    text = view.text
    scene = view.scene

    def __init__(
        self,
        buildings: Annotated[int, Between(1, BUILDINGS)] = 2,
        days: Annotated[int, Between(1, DAYS)] = 1,
        capacity: Annotated[float, Between(0.1, 100)] = 10.0,
        levels: Annotated[int, Between(2, 21)] = 5,
        reach: Annotated[int, Between(1, 20)] = 1,
        efficiency: Annotated[float, Between(0.5, 1)] = 0.95,
        panels: Annotated[float, Between(0, PANELS)] = 5.0,
        feed_in: Annotated[float, Between(0, 1)] = 0.3,
        foresight: Annotated[int, Between(0, 23)] = 11,
        team: bool = True,
        attacker: bool = False,
        attack: Literal["loads", "reports"] = "loads",
        budget: Annotated[int, Between(0, 100)] = 4,
        share: Annotated[float, Between(0, 1)] = 0.5,
        weights: tuple[Annotated[float, Between(-1_000_000, 1_000_000)], ...] = (1.0, 0.5, 0.05, 0.1),
    ):
        if reach >= levels:
            raise ParameterError(f"Microgrid: reach={reach} must be below levels={levels}")
        data, hours = Energy(buildings, days, panels), HOURS * days
        percents = [round(100 * k / (levels - 1)) for k in range(levels)]
        battery = (Tool("charge", "charge {percent}%", "Charge or discharge your battery.", {"percent": percents}),)
        wait = Tool("wait", "wait", "Do nothing in this hour.")
        delay = (wait, Tool("delay_loads", "delay loads", "Move a share of all loads to the next hour."))
        lies = "Let all buildings see false loads in the next hour."
        report = (wait, Tool("report", "report {direction}", lies, {"direction": ["less", "more"]}))
        self.tools = (battery,) * buildings + ((delay if attack == "loads" else report,) if attacker else ())
        self.keys = {str(k): f"charge {percent}%" for k, percent in enumerate(percents) if levels <= 10}
        if attacker:
            other = {"d": "delay loads"} if attack == "loads" else {"-": "report less", "+": "report more"}
            self.keys |= {"w": "wait"} | other
        alone = buildings == 1 or not team
        self.utility = "general" if attacker or not team else "identical"
        if attacker and alone:
            self.utility = "zero-sum"
        names = [f"building_{k}" for k in range(buildings)] + ["attacker"] * attacker
        # Loads may pile up for all hours; a battery takes at most its capacity / 0.5.
        most = buildings * (ENERGY * hours + 2 * 100.0)
        one = Box(0, most, (1,), np.float64)
        self.define(
            agents=names,
            actions={name: list(names_of(tools)) for name, tools in zip(names, self.tools)},
            observation=Dict(
                hour=Box(0, HOURS - 1, (1,), np.int8),
                left=Box(0, hours, (1,), np.int16),
                level=Box(0, levels - 1, (1,), np.int8),
                load=Box(-1, most, (foresight + 1,), np.float64),
                generation=Box(-1, most, (foresight + 1,), np.float64),
                price=Box(-1, PRICE, (foresight + 1,), np.float64),
                carbon=Box(-1, SOOT, (foresight + 1,), np.float64),
                drawn=Box(-most, most, (1,), np.float64),
                imported=Box(-most, most, (1,), np.float64),
                peak=one,
                attacks=Box(-1, 100, (1,), np.int16),
                rules=Box(-1_000_000, 1_000_000, (10,), np.float64),
            ),
            fields=fields(data, buildings, hours, levels, 100, most),
            params={
                **data.values,
                "capacity": float(capacity),
                "steps": fixed(levels - 1),
                "reach": limited(reach, 1, levels - 1),
                "efficiency": float(efficiency),
                "feed_in": float(feed_in),
                "team": limited(int(team), 0, 1),
                "reports": fixed(int(attacker and attack == "reports")),
                "budget": budget,
                "share": float(share),
                "weights": weights,
            },
            objectives={
                "bill": (-PRICE * most, PRICE * most),
                "peak": (-most, most),
                "ramp": (-2 * most, 2 * most),
                "carbon": (-SOOT * most, SOOT * most),
            },
        )

    def contradiction(self, s: Any) -> str | None:
        return "all hours are over" if s.hour == len(s.level.price) and not s.terminated[0] else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        read_energy(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return write_energy(s.level)


env, raw_env, parallel_env = pettingzoo_forms(Microgrid)
