"""Policies for mini-games: all marines to the nearest thing, fire on the weakest, and what a skilled player does."""

from __future__ import annotations

from typing import Any

from envsuite.agents.games.mini_games_economy import manage, share_out
from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.games.mini_games import fights

_ID = "envsuite/MiniGames-v0"


@kernel
def cell_at(x, y):
    """The cell of a place; the nearest one for places beyond the edge."""
    x, y = min(max(x, 0.0), fights.SIZE - 0.001), min(max(y, 0.0), fights.SIZE - 0.001)
    return int(y / fights.CELL) * fights.CELLS + int(x / fights.CELL)


@kernel
def apart(observation, marine, other):
    """The square of the distance of a marine and another thing."""
    x = float(observation.marines[marine, 0] - observation.others[other, 1])
    y = float(observation.marines[marine, 1] - observation.others[other, 2])
    return x * x + y * y


@kernel
def there(observation, other):
    """Whether there is another thing of this number."""
    return observation.others[other, 0] > 0.0


@large_kernel
def nearest_to(observation, marine):
    """The thing that is nearest to a marine; -1 if there is none."""
    found, best = -1, 1e9
    for other in range(observation.others.shape[0]):
        if there(observation, other) and apart(observation, marine, other) < best:
            found, best = other, apart(observation, marine, other)
    return found


@kernel
def first_marine(observation):
    """The living marine with the least number; -1 if none."""
    for marine in range(observation.marines.shape[0]):
        if observation.marines[marine, 2] > 0.0:
            return marine
    return -1


@kernel
def all_selected(observation):
    """Whether all living marines are selected."""
    for marine in range(observation.marines.shape[0]):
        if observation.marines[marine, 2] > 0.0 and observation.marines[marine, 4] == 0.0:
            return False
    return True


@kernel
def onto(observation, other):
    """The attack on a fighter, or the move to another thing."""
    cell = cell_at(float(observation.others[other, 1]), float(observation.others[other, 2]))
    return (fights.MOVE if observation.others[other, 0] >= fights.SHARD else fights.ATTACK) + cell


def _sweep(observation):
    """Go around the field with fog, from one of 4 x 4 places to the next; marines fight what they see on their way."""
    marine = first_marine(observation)
    if not all_selected(observation):
        return fights.ALL
    if marine < 0 or observation.marines[marine, 5] != fights.IDLE:
        return fights.NOOP
    for other in range(observation.others.shape[0]):
        if there(observation, other):
            return fights.NOOP
    x, y = float(observation.marines[marine, 0]), float(observation.marines[marine, 1])
    stop = after(nearest_stop(x, y)) if gap_to_stop(nearest_stop(x, y), x, y) < 9.0 else nearest_stop(x, y)
    column, row = 4 + 8 * (stop % 4) - observation.numbers[2], 4 + 8 * (stop // 4) - observation.numbers[3]
    if 0 <= column < fights.CELLS and 0 <= row < fights.CELLS:
        return fights.ATTACK + fights.CELLS * row + column
    half = fights.WIDE // fights.COARSE // 4
    return fights.CAMERA + fights.CELLS * (half // 2 + half * (stop // 4)) + half // 2 + half * (stop % 4)


@kernel
def gap_to_stop(stop, x, y):
    """The square of the distance of a place from a stop of the tour."""
    x, y = x - fights.CELL * (4.5 + 8.0 * (stop % 4)), y - fights.CELL * (4.5 + 8.0 * (stop // 4))
    return x * x + y * y


@kernel
def nearest_stop(x, y):
    """The stop of the tour that is nearest to a place."""
    found = 0
    for stop in range(1, 16):
        if gap_to_stop(stop, x, y) < gap_to_stop(found, x, y):
            found = stop
    return found


@kernel
def after(stop):
    """The next stop of the tour: up and down the columns, and back along the first row."""
    column, row = stop % 4, stop // 4
    if row == 0:
        return stop - 1 if column > 0 else 4
    down = column % 2 == 0
    if down and row < 3:
        return stop + 4
    if not down and (row > 1 or column == 3):
        return stop - 4
    return stop + 1


@large_kernel
def _approach(observation):
    """Selects all marines and sends them to what is nearest to the first of them."""
    if not all_selected(observation):
        return fights.ALL
    marine = first_marine(observation)
    other = nearest_to(observation, marine) if marine >= 0 else -1
    return onto(observation, other) if other >= 0 else fights.NOOP


@large_kernel
def mean_gap(observation, other):
    """The mean square of the distance of living marines to another thing."""
    total, count = 0.0, 0
    for marine in range(observation.marines.shape[0]):
        if observation.marines[marine, 2] > 0.0:
            total += apart(observation, marine, other)
            count += 1
    return total / max(count, 1)


@large_kernel
def victim(observation):
    """The enemy with the least health plus 4 for each unit of distance squared, banelings first; -1 if none."""
    found, best = -1, 1e9
    for other in range(observation.others.shape[0]):
        if there(observation, other):
            worth = float(observation.others[other, 3]) + 4.0 * mean_gap(observation, other)
            if observation.others[other, 0] == fights.BANELING:
                worth -= 200.0
            if worth < best:
                found, best = other, worth
    return found


@large_kernel
def _fire(observation):
    """All marines fire on one roach that is near and weak; in other fights, as `_approach`."""
    if not all_selected(observation):
        return fights.ALL
    marine = first_marine(observation)
    if marine < 0:
        return fights.NOOP
    if observation.others.shape[0] == 4:
        other = victim(observation)
    else:
        other = nearest_to(observation, marine)
    return onto(observation, other) if other >= 0 else fights.NOOP


@large_kernel
def own_share(observation, marine):
    """The nearest shard to a marine among those that are nearer to it than to the other one, or else the nearest."""
    found, best = -1, 1e9
    for other in range(observation.others.shape[0]):
        if there(observation, other):
            far = apart(observation, marine, other)
            if far < best and far <= apart(observation, 1 - marine, other):
                found, best = other, far
    return found if found >= 0 else nearest_to(observation, marine)


@large_kernel
def split(observation):
    """Each marine takes its own half of the shards; one gets an order in every step if it is selected alone."""
    for marine in range(2):
        if observation.marines[marine, 4] != 0.0 and observation.marines[1 - marine, 4] == 0.0:
            other = own_share(observation, marine)
            if other >= 0 and observation.marines[marine, 5] == fights.IDLE:
                return onto(observation, other)
            if observation.marines[1 - marine, 5] != fights.IDLE:
                return fights.NOOP
    return fights.NEXT


@large_kernel
def danger(observation):
    """The least square of the distance of a marine and an enemy, and the vector from the enemy to the marine."""
    best, x, y = 1e9, 0.0, 0.0
    for marine in range(observation.marines.shape[0]):
        if observation.marines[marine, 2] > 0.0:
            other = nearest_to(observation, marine)
            if other >= 0 and apart(observation, marine, other) < best:
                best = apart(observation, marine, other)
                x = float(observation.marines[marine, 0] - observation.others[other, 1])
                y = float(observation.marines[marine, 1] - observation.others[other, 2])
    return best, x, y


@large_kernel
def cooling(observation):
    """The share of living marines whose weapon needs at least four more ticks."""
    hot, count = 0, 0
    for marine in range(observation.marines.shape[0]):
        if observation.marines[marine, 2] > 0.0:
            count += 1
            hot += observation.marines[marine, 3] >= 4.0
    return hot / max(count, 1)


@large_kernel
def stutter(observation):
    """Fire on one enemy while weapons are ready, and step back from the nearest enemy while they cool down."""
    marine = first_marine(observation)
    other = victim(observation)
    if marine < 0 or other < 0:
        return fights.NOOP
    gap, x, y = danger(observation)
    near = 5.5 if observation.others.shape[0] == 4 else 4.0
    if gap < near * near and cooling(observation) > 0.5:
        side = 0.0
        for k in range(observation.marines.shape[0]):
            if observation.marines[k, 2] > 0.0:
                side += float(observation.marines[k, 0]) - float(observation.others[other, 1])
        away = 6.0 if side > 0.0 else -6.0
        return fights.MOVE + cell_at(
            float(observation.marines[marine, 0]) + away, float(observation.marines[marine, 1])
        )
    return onto(observation, other)


@large_kernel
def _play(observation):
    """Split the marines for shards; in fights, step back while weapons cool down; for beacons, as `_approach`."""
    if observation.others.shape[0] == 20:
        return split(observation)
    if not all_selected(observation):
        return fights.ALL
    if observation.others.shape[0] == 1:
        return onto(observation, 0) if there(observation, 0) else fights.NOOP
    return stutter(observation)


# What each map needs; the parts of the observation decide.


def _approach_or_sweep(observation, mask):
    return _nearest_in(observation)


def _fire_or_sweep(observation, mask):
    return _focus_in(observation)


def _play_or_sweep(observation, mask):
    return _skilled_in(observation)


def _keep(observation, mask):
    return manage(observation, mask, False)


def _grow(observation, mask):
    return manage(observation, mask, True)


def _clear(names: Any) -> bool:
    return "minimap" not in names


def _gathers(names: Any) -> bool:
    return "sources" in names


_nearest_in = by_fields(_clear, _approach, _sweep)
_focus_in = by_fields(_clear, _fire, _sweep)
_skilled_in = by_fields(_clear, _play, _sweep)
_nearest = by_fields(_gathers, share_out, _approach_or_sweep)
_focus = by_fields(_gathers, _keep, _fire_or_sweep)
_skilled = by_fields(_gathers, _grow, _play_or_sweep)


@policy(_ID, "nearest")
def nearest(memory, observation, mask):
    """Sends all marines to what is nearest to the first of them, or around the field with fog.

    In an economy, all workers gather minerals, and nothing is built or trained.
    """
    return _nearest(observation, mask)


@policy(_ID, "focus")
def focus(memory, observation, mask):
    """All marines fire on one roach that is near and weak; in the other maps with marines, as `nearest`.

    In an economy, it keeps the fields and geysers around one center at their full rate; for marines, it has one
    barracks.
    """
    return _focus(observation, mask)


@policy(_ID, "skilled")
def skilled(memory, observation, mask):
    """Splits the marines for shards; in fights, steps back while weapons cool down; elsewhere, as `nearest`.

    In an economy, it builds a second center, or many barracks, and depots in time, and trains all the while.
    """
    return _skilled(observation, mask)
