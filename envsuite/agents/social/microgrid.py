"""Baselines of Microgrid: fixed habits, a rule for prices, and an exact plan. As the attacker, habits wait."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.social.microgrid import ATTACK, HOURS, MORE, WAIT

ID = "envsuite/Microgrid-v0"

#: An hour of the day.
HOUR = Between(0, HOURS - 1)


@kernel
def attacks(observation):
    """Whether the agent is the attacker."""
    return observation.attacks[0] >= 0


@kernel
def toward(observation, level):
    """The legal level nearest to this one."""
    now, reach = np.int64(observation.level[0]), np.int64(observation.rules[2])
    return min(max(level, now - reach), now + reach)


@policy(ID, "idle")
def idle(memory, observation, mask):
    """Leaves its battery as it is."""
    return WAIT if attacks(observation) else np.int64(observation.level[0])


@policy(ID, "night", start=HOUR.at(1), end=HOUR.at(5), release=HOUR.at(17))
def night(memory, observation, mask):
    """Charges from hour `start` to hour `end`, and discharges from hour `release` on."""
    if attacks(observation):
        return WAIT
    hour = np.int64(observation.hour[0])
    if memory.start <= hour <= memory.end:
        return toward(observation, np.int64(observation.rules[1]))
    return toward(observation, 0) if hour >= memory.release else np.int64(observation.level[0])


@policy(ID, "solar")
def solar(memory, observation, mask):
    """Charges what fits into its surplus of solar power, and discharges what its load takes."""
    if attacks(observation):
        return WAIT
    now, each = np.int64(observation.level[0]), observation.rules[0] / observation.rules[1]
    surplus = observation.generation[0] - observation.load[0]
    change = surplus * observation.rules[3] if surplus > 0.0 else surplus / observation.rules[3]
    steps = np.int64(abs(change) / each)
    level = now + steps if surplus > 0.0 else now - steps
    return toward(observation, min(max(level, 0), np.int64(observation.rules[1])))


@kernel
def cost(observation, k, change, smooth):
    """The cost of an hour to a building with a meter of its own, if its level changes by `change` steps."""
    stored = change * observation.rules[0] / observation.rules[1]
    drawn = observation.load[k] - observation.generation[k]
    drawn += stored / observation.rules[3] if stored > 0.0 else stored * observation.rules[3]
    smoothed = smooth * drawn * drawn
    if drawn > 0.0:
        rate = observation.rules[5] * observation.price[k] + observation.rules[8] * observation.carbon[k]
        return rate * drawn + smoothed
    return observation.rules[5] * observation.rules[4] * observation.price[k] * drawn + smoothed


@kernel
def plan(memory, observation):
    """The next level of a cheapest plan for the hours whose load is known, by dynamic programming."""
    steps, reach = np.int64(observation.rules[1]), np.int64(observation.rules[2])
    hours = 0
    while hours < observation.load.shape[0] and observation.load[hours] >= 0.0:
        hours += 1
    for level in range(steps + 1):
        memory.worth[hours, level] = 0.0
    chosen, now = np.int64(observation.level[0]), np.int64(observation.level[0])
    for k in range(hours - 1, -1, -1):
        for level in range(steps + 1):
            least = 1e300
            for then in range(max(0, level - reach), min(steps, level + reach) + 1):
                value = cost(observation, k, then - level, memory.smooth) + memory.worth[k + 1, then]
                if value < least:
                    least = value
                    if k == 0 and level == now:
                        chosen = then
            memory.worth[k, level] = least
    return chosen


@kernel
def gain(observation, k):
    """What a delay of a kWh in this hour costs the buildings more: by prices, and by the load that it meets."""
    price = observation.rules[5] * (observation.price[k + 1] - observation.price[k])
    net = observation.load[k + 1] - observation.generation[k + 1] - observation.load[k] + observation.generation[k]
    return observation.load[k] * (price + observation.rules[6] * net / (1.0 + abs(net)))


@kernel
def surplus_after(observation, k):
    """The number of known hours from hour `k` on in which the sun gives more than all loads take."""
    hours = 0
    for h in range(k, observation.load.shape[0]):
        hours += observation.generation[h] > observation.load[h]
    return hours


@policy(
    ID, "planner", variables={"worth": scratch((HOURS + 1, 21), np.float64)}, smooth=Between(0, 10).at(0.04)
)  # fmt: skip
def planner(memory, observation, mask):
    """Follows a cheapest plan for the known hours, for its own load, price and carbon, plus `smooth` times the squares
    of what it draws against peaks and ramps. The attacker strikes in the hours in which a delay costs most. If its
    attacks are false reports, it reports more in the last hours of a surplus, so that nobody stores it."""
    if not attacks(observation):
        return plan(memory, observation)
    if mask[ATTACK] == 0:
        return WAIT
    hours = observation.load.shape[0]
    if mask.shape[0] > MORE and mask[MORE] != 0:
        left = surplus_after(observation, 1)
        return MORE if left > surplus_after(observation, 2) and left <= observation.attacks[0] else WAIT
    better, now = 0, gain(observation, 0) if hours > 1 else 1.0
    for k in range(1, hours - 1):
        if observation.load[k + 1] >= 0.0 and gain(observation, k) > now:
            better += 1
    return ATTACK if now > 0.0 and better < observation.attacks[0] else WAIT
