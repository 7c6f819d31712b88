"""EnergyDispatch: an operator meets a demand day by day from sources whose efficiency follows hidden periods.

**Rules.** A grid has thermal, wind and solar power and a battery. On each of `days` days the operator knows the demand
and gives four commands. The commands of thermal, wind and solar power are at most 600, 350 and 250. The command of the
battery is from -80 to 80: it discharges above 0 and charges below 0. Then:

1. *Output.* Each source gives its command times its efficiency of the day. The battery gives or takes its command, as
   far as its charge reaches and its capacity of 80 has room. It is empty at first and loses nothing.
2. *Supply* is the sum of the four outputs, at least 0.000001. The demand is violated if the supply is below it.
3. *Cost* is 3, 5 and 6 for a unit of the commands of thermal, wind and solar power, and 0.1 for a unit that the battery
   gives or takes. The budget is `budget` times the demand. It is violated if the cost is above it.
4. *Stability* of the day is 1 - 0.5 min(1, r / 1280), less 0.5 for a violated demand and 0.5 for a violated budget, at
   least 0. Here r is the sum of the changes of all four commands since the day before.

The operator succeeds if three conditions hold after the last day: the mean stability is above its target, the *thermal
share*, all thermal output over all supply, is below its target, and no three days in a row had violations.

*Data.* Efficiencies are hidden. Those of wind and solar power repeat with periods of 15 to 25 days and some noise;
thermal efficiency is about 1. The demand has a period of 30 days. See `envsuite.games.energy_dispatch.levels`.

**Agents.** One, `operator`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| day | Box (1,) int16 | number of days that have passed |
| demand, budget | Box (1,) float64 | of this day; after the last day, of that day |
| commands | Box (4,) float64 | of the day before: thermal, wind, solar power, battery |
| output | Box (4,) float64 | of the day before, in the same order; 0 at first |
| charge | Box (1,) float64 | charge of the battery |
| violated | Box (2,) int8 | 1 if demand, budget were violated on the day before |
| row | Box (1,) int8 | number of days with violations in a row |
| scores | Box (2,) float64 | the mean stability so far, at first 1; the thermal share so far, at first 0 |
| targets | Box (2,) float64 | of the mean stability and of the thermal share |

**Actions.** Discrete (1320), all of them always legal.

| action | name |
|---|---|
| k | `thermal 65%, wind 20%, solar 10%, hold`: the commands in parts of the demand of the day, and the battery |

Thermal power is one of 0, 40, 50, 55, 60, 65, 70, 75, 80, 90, 100 %, wind one of 0, 10, 15, 20, 25, 30, 40, 50 %,
solar one of 0, 5, 10, 20, 30 %. The battery is `hold`, `charge` or `discharge`, commands of 0, -20 and 20. The last
number changes fastest. A command is at most the source's capacity.

With `controls` "continuous": Box (4,) float32, the commands `thermal`, `wind`, `solar` and `battery`.

**Window.** With actions that have names, the keys 6, 7, 8, 9 and 0 command 60, 70, 80, 90 and 100 % of thermal power
with a mix of wind and solar power within the budget; the battery holds.

**Rewards.** 1 at the end if the operator succeeds, otherwise 0.

**Ends.** Terminates after the last day, or after the third day in a row with violations.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `controls` | "discrete" | "discrete" or "continuous", see above |
| `days` | 120 | number of days, from 2 to 365 |
| `budget` | 4.2 | budget for a unit of demand, from 0.1 to 20 |

**Level.** ``{"demand": [350.5, ...], "thermal": [1.0, ...], "wind": [0.8, ...], "solar": [0.9, ...], "first": [240, 90,
70], "targets": [0.96, 0.7]}``: demands (1 to 1000) and efficiencies (0 to 1.5) of all days, the commands of the day
before the first, and the targets of stability and thermal share. Levels of `envsuite generate power` fit.

**Known values.** On the 30 levels of OdysseyArena's Lite set, commands of 0, random ones, a fixed mix and thermal power
alone never succeed. Published success there: people 25 %, the best language model 30 %.

**Differences.** From OdysseyArena's environment:

- Its commands are any numbers, which it limits to their ranges. Here they are 32-bit numbers in these ranges, or one of
  1320 choices, so that agents with discrete actions can play.
- Its mean stability is NumPy's, which sums in another order. It is equal to 1e-11.
- Its levels come from NumPy's generators, some of which share a seed, so that some of its numbers are correlated. Here
  all draws are independent, from the stream of the world.
- Its levels list the budget of each day. Here it is `budget` times the demand, as its own generator makes it.
- Its observation has a flag for a day whose stability is not above the target. Here it is left out, because commands
  and violations decide it.

**Source.** OdysseyArena (arXiv 2602.05843), code at github.com/xufangzhi/Odyssey-Arena, commit b9eb63d,
`DynamicEnergyGrid`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.kernel import kernel
from envsuite.core.page import listed
from envsuite.core.ranges import flag, within
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Kernels, World
from envsuite.games.energy_dispatch import levels, pages, view
from envsuite.registry import pettingzoo_forms

THERMAL, WIND, SOLAR, BATTERY = range(4)

#: The capacity of the battery, what it costs to move a unit, and the sum of all capacities.
STORE, WEAR, ALL = 80.0, 0.1, 1280.0

#: The least supply of a day, and more than the largest share of thermal energy.
LEAST, MOST_SHARE = 1e-6, 1e9

#: Days in a row with violations that end an episode.
PATIENCE = 3

#: The choices with names: percentages of the demand, and commands of the battery.
PERCENTS = (
    (0, 40, 50, 55, 60, 65, 70, 75, 80, 90, 100),
    (0, 10, 15, 20, 25, 30, 40, 50),
    (0, 5, 10, 20, 30),
)
FLOWS = {"hold": 0.0, "charge": -20.0, "discharge": 20.0}
LEVELS = (*(np.array(part, np.float64) / 100 for part in PERCENTS), np.array(list(FLOWS.values())))
THERMAL_PARTS, WIND_PARTS, SOLAR_PARTS, BATTERY_FLOWS = LEVELS

#: Mixes within the default budget, by key.
KEYS = {
    "6": "thermal 60%, wind 40%, solar 5%, hold",
    "7": "thermal 70%, wind 30%, solar 5%, hold",
    "8": "thermal 80%, wind 20%, solar 10%, hold",
    "9": "thermal 90%, wind 15%, solar 5%, hold",
    "0": "thermal 100%, wind 10%, solar 0%, hold",
}

LOW = np.array([0.0, 0.0, 0.0, -STORE])
TOP = np.array([*levels.CAPACITY, STORE])

#: The largest outputs.
GIVES = np.array([*(levels.CAPACITY * levels.BEST), STORE])


def fields(data: levels.Power, days: int) -> list[tuple]:
    """The record's own fields."""
    commands, outputs = within(np.float64, LOW, TOP), within(np.float64, [0.0, 0.0, 0.0, -STORE], GIVES)
    most = float(GIVES.sum())
    return [
        *data.fields,  # level: demand, efficiencies, the commands before the first day, targets
        ("day", within(np.int64, 0, days)),  # number of days that have ended
        ("commands", commands, (4,)),  # of the last day
        ("output", outputs, (4,)),  # of the last day
        ("charge", within(np.float64, 0, STORE)),  # of the battery
        ("violated", flag(), (2,)),  # whether demand and budget were on the last day
        ("row", within(np.int64, 0, PATIENCE)),  # of days with violations until now
        ("stability", within(np.float64, 0, days)),  # the sum of all days
        ("burnt", within(np.float64, 0, days * GIVES[THERMAL])),  # thermal output of all days
        ("supplied", within(np.float64, 0, days * most)),  # supply of all days
        ("given", commands, (days, 4)),  # the commands of all days, for pictures
        ("made", outputs, (days, 4)),  # the outputs of all days, for pictures
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        levels.make(s)
    s.day = 0
    s.charge = 0.0
    s.row = 0
    s.stability = 0.0
    s.burnt = 0.0
    s.supplied = 0.0
    s.violated[0] = 0
    s.violated[1] = 0
    for k in range(4):
        s.commands[k] = s.level.first[k] if k < BATTERY else 0.0
        s.output[k] = 0.0
        for d in range(s.given.shape[0]):
            s.given[d, k] = 0.0
            s.made[d, k] = 0.0


@kernel
def step(s, actions, rewards):
    demand, rest = s.level.demand[s.day], np.int64(actions[0])
    flow = BATTERY_FLOWS[rest % BATTERY_FLOWS.shape[0]]
    rest //= BATTERY_FLOWS.shape[0]
    solar = SOLAR_PARTS[rest % SOLAR_PARTS.shape[0]] * demand
    rest //= SOLAR_PARTS.shape[0]
    wind = WIND_PARTS[rest % WIND_PARTS.shape[0]] * demand
    thermal = THERMAL_PARTS[rest // WIND_PARTS.shape[0]] * demand
    dispatch(
        s,
        rewards,
        min(thermal, levels.CAPACITY[THERMAL]),
        min(wind, levels.CAPACITY[WIND]),
        min(solar, levels.CAPACITY[SOLAR]),
        flow,
    )


@kernel
def steer(s, controls, rewards):
    dispatch(
        s, rewards, np.float64(controls[0, THERMAL]), np.float64(controls[0, WIND]), np.float64(controls[0, SOLAR]),
        np.float64(controls[0, BATTERY]),
    )  # fmt: skip


@kernel
def dispatch(s, rewards, thermal, wind, solar, battery):
    """A day with these commands."""
    d = s.day
    ramp = abs(thermal - s.commands[THERMAL]) + abs(wind - s.commands[WIND])
    ramp += abs(solar - s.commands[SOLAR]) + abs(battery - s.commands[BATTERY])
    s.commands[THERMAL], s.commands[WIND], s.commands[SOLAR], s.commands[BATTERY] = thermal, wind, solar, battery
    flow = min(battery, s.charge) if battery >= 0.0 else -min(-battery, STORE - s.charge)
    s.charge -= flow
    s.output[THERMAL] = thermal * s.level.thermal[d]
    s.output[WIND] = wind * s.level.wind[d]
    s.output[SOLAR] = solar * s.level.solar[d]
    s.output[BATTERY] = flow
    supply = max(LEAST, s.output[THERMAL] + s.output[WIND] + s.output[SOLAR] + flow)
    cost = (
        thermal * levels.PRICES[THERMAL] + wind * levels.PRICES[WIND] + solar * levels.PRICES[SOLAR] + abs(flow) * WEAR
    )
    s.violated[0] = supply < s.level.demand[d]
    s.violated[1] = cost > s.params.budget * s.level.demand[d]
    s.supplied += supply
    s.burnt += s.output[THERMAL]
    s.stability += max(0.0, 1.0 - 0.5 * min(1.0, ramp / ALL) - 0.5 * s.violated[1] - 0.5 * s.violated[0])
    s.row = s.row + 1 if s.violated[0] + s.violated[1] > 0 else 0
    for k in range(4):
        s.given[d, k] = s.commands[k]
        s.made[d, k] = s.output[k]
    s.day += 1
    s.terminated[0] = s.day == s.level.demand.shape[0] or s.row == PATIENCE
    rewards[0] = 1.0 if s.terminated[0] and succeeded(s) else 0.0


@kernel
def succeeded(s):
    """Whether the targets are reached, after the last day."""
    stable = s.stability / s.day > s.level.targets[0]
    return stable and s.row < PATIENCE and s.burnt / s.supplied < s.level.targets[1]


@kernel
def observe(s, agent, out):
    d = min(s.day, s.level.demand.shape[0] - 1)
    out.day[0] = s.day
    out.demand[0] = s.level.demand[d]
    out.budget[0] = s.params.budget * s.level.demand[d]
    for k in range(4):
        out.commands[k] = s.commands[k]
        out.output[k] = s.output[k]
    out.charge[0] = s.charge
    out.row[0] = s.row
    out.scores[0] = s.stability / s.day if s.day > 0 else 1.0
    out.scores[1] = s.burnt / s.supplied if s.supplied > 0.0 else 0.0
    for k in range(2):
        out.violated[k] = s.violated[k]
        out.targets[k] = s.level.targets[k]


class EnergyDispatch(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    steer = steer
    paid_at_end = True
    masked = False
    kind = ("operations",)
    verified = "OdysseyArena's DynamicEnergyGrid in lock-step"
    variants = (dict(days=10, budget=4.6), dict(controls="continuous", days=40))
    shown = "dispatcher"
    clickable = "(?!)"
    text = view.text
    scene = view.scene
    player_page = pages.PAGE

    def __init__(
        self,
        controls: Literal["discrete", "continuous"] = "discrete",
        days: Annotated[int, Between(2, levels.DAYS)] = 120,
        budget: Annotated[float, Between(0.1, 20)] = levels.BUDGET,
    ):
        data, numbers = levels.Power(days), controls == "continuous"
        if not numbers:
            percents = dict(zip(("thermal", "wind", "solar"), PERCENTS))
            values: dict[str, Sequence[int | str]] = {**percents, "battery": list(FLOWS)}
            label = "thermal {thermal}%, wind {wind}%, solar {solar}%, {battery}"
            what = "Command the sources, in percent of this day's demand, and the battery."
            self.keys = KEYS
            self.tools = ((Tool("dispatch", label, what, values),),)
        self.define(
            agents=["operator"],
            actions=["thermal", "wind", "solar", "battery"] if numbers else list(names_of(self.tools[0])),
            observation=Dict(
                day=Box(0, levels.DAYS, (1,), np.int16),
                demand=Box(0, levels.HIGH, (1,), np.float64),
                budget=Box(0, 20 * levels.HIGH, (1,), np.float64),
                commands=Box(LOW, TOP, (4,), np.float64),
                output=Box(np.array([0.0, 0.0, 0.0, -STORE]), GIVES, (4,), np.float64),
                charge=Box(0, STORE, (1,), np.float64),
                violated=Box(0, 1, (2,), np.int8),
                row=Box(0, PATIENCE, (1,), np.int8),
                scores=Box(0, MOST_SHARE, (2,), np.float64),
                targets=Box(0, 1, (2,), np.float64),
            ),
            fields=fields(data, days),
            params={**data.values, "budget": float(budget)},
            reward_range=(0.0, 1.0),
            controls=Box(LOW.astype(np.float32), TOP.astype(np.float32), (4,), np.float32) if numbers else None,
        )

    def contradiction(self, s: Any) -> str | None:
        if not s.terminated[0] and (s.day == len(s.level.demand) or s.row == PATIENCE):
            return "the episode is over, but it is not terminated"
        if s.day and s.supplied < LEAST * s.day:
            return f"the supply of {s.day} days is {s.supplied:g}"
        return None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        levels.read_power(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return levels.write_power(s.level)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        percents = {name: listed(values, "or") for name, values in zip(("thermal", "wind", "solar"), PERCENTS)}
        return {
            **percents,
            "named": not self.control_spaces,
            "most": levels.CAPACITY.tolist(),
            "prices": levels.PRICES.tolist(),
            "store": STORE,
            "wear": WEAR,
            "all": ALL,
            "half": 0.5,
            "flow": FLOWS["discharge"],
            "patience": PATIENCE,
        }


env, raw_env, parallel_env = pettingzoo_forms(EnergyDispatch)
