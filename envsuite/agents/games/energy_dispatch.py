"""Baselines of EnergyDispatch: a fixed mix, and a dispatcher that learns the periods of wind and solar power."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.games.energy_dispatch import (
    BATTERY,
    BATTERY_FLOWS,
    SOLAR,
    SOLAR_PARTS,
    THERMAL,
    THERMAL_PARTS,
    WIND,
    WIND_PARTS,
)
from envsuite.games.energy_dispatch.levels import CAPACITY, DAYS, LONGEST, PRICES, SHORTEST

ID = "envsuite/EnergyDispatch-v0"

#: A command as a part of the demand.
PART = Between(0, 2)

#: Of `dispatcher`: how far below its target it wants the thermal share, the days in which it makes up for an excess,
#: and how much change of commands an excess of 1 is worth.
RESERVE, RECOVERY, WEIGHT = 0.004, 20.0, 3000.0


@kernel
def nearest(levels, value):
    """The number of the level that is nearest to a value."""
    best = 0
    for k in range(1, levels.shape[0]):
        if abs(levels[k] - value) < abs(levels[best] - value):
            best = k
    return best


@kernel
def numbered(thermal, wind, solar):
    """The action that holds the battery, with the levels of these numbers."""
    place = (thermal * WIND_PARTS.shape[0] + wind) * SOLAR_PARTS.shape[0] + solar
    return place * BATTERY_FLOWS.shape[0]


@kernel
def set_commands(controls, thermal, wind, solar):
    """Write commands within their limits; the battery holds."""
    controls[THERMAL] = min(thermal, CAPACITY[THERMAL])
    controls[WIND] = min(wind, CAPACITY[WIND])
    controls[SOLAR] = min(solar, CAPACITY[SOLAR])
    controls[BATTERY] = 0.0


@kernel
def mix_by_controls(memory, observation, controls):
    """As `mix`, with numbers."""
    demand = observation.demand[0]
    set_commands(controls, memory.thermal * demand, memory.wind * demand, memory.solar * demand)


@policy(
    ID, "mix", thermal=PART.at(0.7), wind=PART.at(0.25), solar=PART.at(0.1), steer=mix_by_controls
)  # fmt: skip
def mix(memory, observation, mask):
    """Commands the same parts of each demand from the sources, and holds the battery."""
    thermal, wind = nearest(THERMAL_PARTS, memory.thermal), nearest(WIND_PARTS, memory.wind)
    return numbered(thermal, wind, nearest(SOLAR_PARTS, memory.solar))


@large_kernel
def distance(series, days, period):
    """The mean difference of the efficiencies of days a period apart."""
    total = 0.0
    for d in range(period, days):
        total += abs(series[d] - series[d - period])
    return total / (days - period)


@large_kernel
def expected(series, days, caution):
    """The efficiency of the next day: by the likeliest period, or with caution from the last day."""
    if days == 0:
        return 0.75
    best, least = 0, 0.04
    for period in range(SHORTEST, LONGEST + 1):
        if days >= period + 4:
            found = distance(series, days, period)
            if found < least:
                best, least = period, found
    if best == 0:
        return series[days - 1] - caution
    total, count, d = 0.0, 0, days - best
    while d >= 0:
        total += series[d]
        count += 1
        d -= best
    return total / count


@kernel
def learn(seen, guess, totals, observation, caution):
    """Remember the efficiencies of the day before, and guess those of this day; sum up thermal output and supply."""
    day = np.int64(observation.day[0])
    if day == 0:
        totals[0], totals[1] = 0.0, 0.0
    else:
        for k in range(2):
            command = observation.commands[WIND + k]
            known = observation.output[WIND + k] / command if command >= 0.5 else guess[k]
            seen[k, day - 1] = min(max(known, 0.1), 1.5)
        totals[0] += observation.output[THERMAL]
        for k in range(4):
            totals[1] += observation.output[k]
    for k in range(2):
        guess[k] = max(0.1, expected(seen[k], day, caution))


@kernel
def badness(guess, totals, observation, margin, thermal, wind, solar):
    """How bad these commands are, by their changes, the thermal share, the budget and the demand."""
    supply = thermal + guess[0] * wind + guess[1] * solar
    cost = PRICES[THERMAL] * thermal + PRICES[WIND] * wind + PRICES[SOLAR] * solar
    demand, budget, target = observation.demand[0], observation.budget[0], observation.targets[1]
    ramp = abs(thermal - observation.commands[THERMAL]) + abs(wind - observation.commands[WIND])
    ramp += abs(solar - observation.commands[SOLAR])
    # What the share is too high until now is to be made up for in some days.
    late = (totals[0] - target * totals[1]) / (RECOVERY * demand)
    excess = max(0.0, thermal / demand - target + RESERVE + late)
    short = max(0.0, (1.0 + margin) * demand - supply) / demand
    over = max(0.0, cost - budget) / budget
    broken = 1280.0 * (over > 0.0) + 1280.0 * (supply < demand) + 20_000.0 * (short + over)
    return ramp + WEIGHT * excess + broken


@large_kernel
def plan(guess, totals, observation, margin, best):
    """Find the commands: thermal power in steps of a hundredth of the demand, wind in fifths of the rest."""
    least, need = 1e300, (1.0 + margin) * observation.demand[0]
    for x in range(40, 101):
        thermal = min(0.01 * x * need, CAPACITY[THERMAL])
        rest = need - thermal
        for y in range(6):
            # At least 1, so that the efficiency shows.
            wind = min(max(0.2 * y * rest / guess[0], 1.0), CAPACITY[WIND])
            solar = min(max((rest - wind * guess[0]) / guess[1], 1.0), CAPACITY[SOLAR])
            found = badness(guess, totals, observation, margin, thermal, wind, solar)
            if found < least:
                least = found
                best[0], best[1], best[2] = thermal, wind, solar


@large_kernel
def choose(guess, totals, observation, margin):
    """Find the action that holds the battery."""
    least, best, demand = 1e300, 0, observation.demand[0]
    for x in range(THERMAL_PARTS.shape[0]):
        thermal = min(THERMAL_PARTS[x] * demand, CAPACITY[THERMAL])
        for y in range(WIND_PARTS.shape[0]):
            wind = min(WIND_PARTS[y] * demand, CAPACITY[WIND])
            for z in range(SOLAR_PARTS.shape[0]):
                solar = min(SOLAR_PARTS[z] * demand, CAPACITY[SOLAR])
                found = badness(guess, totals, observation, margin, thermal, wind, solar)
                if found < least:
                    least, best = found, numbered(x, y, z)
    return best


@kernel
def dispatch_by_controls(memory, observation, controls):
    """As `dispatcher`, with numbers."""
    learn(memory.seen, memory.guess, memory.totals, observation, memory.caution)
    plan(memory.guess, memory.totals, observation, memory.margin, memory.best)
    set_commands(controls, memory.best[0], memory.best[1], memory.best[2])


@policy(
    ID, "dispatcher",
    variables={
        "seen": scratch((2, DAYS), float), "guess": scratch(2, float), "totals": scratch(2, float),
        "best": scratch(3, float),
    },
    margin=Between(0, 1).at(0.022), caution=Between(0, 1).at(0.05), steer=dispatch_by_controls,
)  # fmt: skip
def dispatcher(memory, observation, mask):
    """Estimates the periods of wind and solar power from their efficiencies so far. Of the commands that meet the
    demand by `margin` within the budget, it chooses those with small changes and a thermal share near its target. Until
    a period shows, it expects the efficiency of the day before less `caution`."""
    learn(memory.seen, memory.guess, memory.totals, observation, memory.caution)
    return choose(memory.guess, memory.totals, observation, memory.margin)
