"""Baselines of Intersection: two that look at nothing, gaps between cars, and reservations of the crossing."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.core.world import Between
from envsuite.gridworlds.intersection import FASTER, IDLE, LAG, SLOWER, TICK, TICKS, choose
from envsuite.gridworlds.intersection.roads import ARM, lane_at, place_on, spot
from envsuite.kit.driving import LENGTH, overlap

_ID = "envsuite/Intersection-v0"

#: The part of their distance at which two cars are compared, so that near misses count as collisions.
_NEARER = 0.97

#: The distance of centers, on both axes together, from which cars are compared.
_NEAR = 12.0

#: Meters before the crossing where a car can still stop, with its front before the line.
_LINE = ARM - 0.5 * LENGTH - 0.5

#: Seconds for which two reservations are compared.
_PLAN = 10


@policy(_ID, "slower")
def slower(memory, observation, mask):
    """Always slower: it stops before the crossing."""
    return SLOWER


@policy(_ID, "idle")
def idle(memory, observation, mask):
    """Keeps its wanted speed of 9 m/s."""
    return IDLE


@kernel
def _ticked(way, speed, wanted):
    """The place on the path and the speed of an agent a tick later."""
    return way + speed * TICK, speed + (wanted - speed) / LAG * TICK


@kernel
def _on_path(car, way):
    """Where an agent is that has come that far, and its direction."""
    section, along = place_on(car[0], car[1], way)
    kind, arm = lane_at(car[0], car[1], section)
    return spot(kind, arm, along)


@kernel
def _touch(x, y, cosine, sine, its_cosine, its_sine, speed, its_speed):
    """Whether two cars touch, or nearly do, within a tick; (x, y) is the way from the first to the other."""
    if abs(x) + abs(y) > _NEAR:
        return False
    shift_x, shift_y = speed * cosine - its_speed * its_cosine, speed * sine - its_speed * its_sine
    x, y = _NEARER * x, _NEARER * y
    now, soon = overlap(x, y, cosine, sine, its_cosine, its_sine, shift_x * TICK, shift_y * TICK)
    return now or soon


@large_kernel
def _can_stop(car):
    """Whether an agent that is slower in each step stops before the crossing."""
    way, speed, wanted = np.float64(car[2]), np.float64(car[3]), np.float64(car[4])
    for _step in range(4):
        wanted = choose(speed, wanted, SLOWER)
        for _ in range(TICKS):
            way, speed = _ticked(way, speed, wanted)
    return way <= _LINE


@large_kernel
def _collide(one, other):
    """Whether two agents that are faster in each step collide."""
    way, speed, wanted = np.float64(one[2]), np.float64(one[3]), np.float64(one[4])
    its_way, its_speed, its_wanted = np.float64(other[2]), np.float64(other[3]), np.float64(other[4])
    for number in range(_PLAN * TICKS):
        if number % TICKS == 0:
            wanted, its_wanted = choose(speed, wanted, FASTER), choose(its_speed, its_wanted, FASTER)
        x, y, cosine, sine = _on_path(one, way)
        its_x, its_y, its_cosine, its_sine = _on_path(other, its_way)
        if _touch(its_x - x, its_y - y, cosine, sine, its_cosine, its_sine, speed, its_speed):
            return True
        way, speed = _ticked(way, speed, wanted)
        its_way, its_speed = _ticked(its_way, its_speed, its_wanted)
    return False


@kernel
def _is_agent(observation, row):
    """Whether a row of the cars is that of an agent."""
    for k in range(observation.agents.shape[0]):
        x, y, _, _ = _on_path(observation.agents[k], np.float64(observation.agents[k, 2]))
        if abs(x - 100.0 * observation.cars[row, 1]) + abs(y - 100.0 * observation.cars[row, 2]) < 0.5:
            return True
    return False


@large_kernel
def _is_free(observation, row, action, seconds):
    """Whether no collision with a car follows from the same action in each step, if that car keeps its velocity."""
    own = observation.agents[0]
    car = observation.cars[row]
    way, speed, wanted = np.float64(own[2]), np.float64(own[3]), np.float64(own[4])
    its_x, its_y = 100.0 * np.float64(car[1]), 100.0 * np.float64(car[2])
    its_cosine, its_sine = np.float64(car[5]), np.float64(car[6])
    its_speed = 20.0 * (np.float64(car[3]) * its_cosine + np.float64(car[4]) * its_sine)
    x, y, cosine, sine = _on_path(own, way)
    if (its_x - x) * cosine + (its_y - y) * sine < 0.0 and cosine * its_cosine + sine * its_sine > 0.5:
        return True  # it is behind
    for number in range(int(seconds * TICKS)):
        if number % TICKS == 0:
            wanted = choose(speed, wanted, action)
        x, y, cosine, sine = _on_path(own, way)
        if _touch(its_x - x, its_y - y, cosine, sine, its_cosine, its_sine, speed, its_speed):
            return False
        way, speed = _ticked(way, speed, wanted)
        its_x, its_y = its_x + its_speed * its_cosine * TICK, its_y + its_speed * its_sine * TICK
    return True


@large_kernel
def _all_free(observation, action, seconds, agents):
    """The same for all cars, or for all but the agents."""
    for row in range(1, observation.cars.shape[0]):
        if observation.cars[row, 0] > 0.0 and (agents or not _is_agent(observation, row)):
            if not _is_free(observation, row, action, seconds):
                return False
    return True


@kernel
def _go(observation, seconds, agents):
    """Faster if all is free; otherwise slower, unless that is too late and no better."""
    if _all_free(observation, FASTER, seconds, agents):
        return FASTER
    if _can_stop(observation.agents[0]) or _all_free(observation, SLOWER, seconds, agents):
        return SLOWER
    return FASTER


@policy(_ID, "gap", seconds=Between(0.5, 10.0).at(3.0))
def gap(memory, observation, mask):
    """Accepts a gap: faster if no collision follows in the next `seconds`, provided that all cars keep their velocity.

    Otherwise it is slower. If it cannot stop before the crossing, it is slower only if that avoids collisions.
    """
    return _go(observation, memory.seconds, True)


@policy(_ID, "reservation", variables={"granted": scratch(4)}, seconds=Between(0.5, 10.0).at(3.0))
def reservation(memory, observation, mask):
    """Reserves its way through the crossing in the order of distance, as all agents do, and looks at others like `gap`.

    Agents that can no longer stop keep their reservation. The next ones get theirs if they collide with none of these
    on the way. Agents without a reservation stop. So agents that all play this never collide with each other, if all
    can stop at the start and no other cars are near.
    """
    agents, granted = observation.agents, memory.granted
    players = agents.shape[0]
    for a in range(players):
        granted[a] = 0 if _can_stop(agents[a]) else 1
    while granted[0] == 0:
        best = -1
        for a in range(players):
            later = best >= 0 and (
                agents[a, 2] < agents[best, 2] or (agents[a, 2] == agents[best, 2] and agents[a, 0] > agents[best, 0])
            )
            if granted[a] == 0 and not later:
                best = a
        granted[best] = 1
        for a in range(players):
            if a != best and granted[a] == 1 and _collide(agents[best], agents[a]):
                granted[best] = 2
    if granted[0] == 2:
        return SLOWER
    return _go(observation, memory.seconds, False)
