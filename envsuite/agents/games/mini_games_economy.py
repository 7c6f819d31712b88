"""What policies for the economy of MiniGames do: gather, train, and build in time."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.games.mini_games import economy

#: How near fields and geysers are to the center that they belong to.
_BASE = 12.0

#: How many barracks to build.
_BARRACKS = 6


@kernel
def builds_marines(observation):
    """Whether the map is BuildMarines."""
    return observation.sources.shape[0] == 8


@kernel
def first(observation):
    """The number of the action `gather 0 0`."""
    return 12 if builds_marines(observation) else 10


@kernel
def squared(x, y):
    """The square of the length of a vector."""
    return x * x + y * y


@large_kernel
def workers_at(observation, source):
    """How many workers gather at a source."""
    count = 0
    for worker in range(observation.workers.shape[0]):
        count += observation.workers[worker, 4] == source + 1
    return count


@large_kernel
def spare_source(observation, worker):
    """The nearest source to a worker that has fewer workers than it can use; otherwise the one with the fewest."""
    found, best = -1, 1e9
    for k in range(observation.sources.shape[0]):
        if observation.sources[k, 3] > 0.0:
            x = float(observation.sources[k, 1] - observation.workers[worker, 0])
            y = float(observation.sources[k, 2] - observation.workers[worker, 1])
            workers, room = workers_at(observation, k), 2 if observation.sources[k, 0] == economy.FIELD else 3
            worth = squared(x, y) + (0.0 if is_served(observation, k) else 1e4) + 1e5 * max(workers - room + 1, 0)
            if worth < best:
                found, best = k, worth
    return found


@large_kernel
def is_served(observation, source):
    """Whether a finished center is near to a field or geyser."""
    for k in range(observation.buildings.shape[0]):
        if observation.buildings[k, 0] == economy.CENTER and observation.buildings[k, 3] == 0.0:
            x = float(observation.buildings[k, 1] - observation.sources[source, 1])
            y = float(observation.buildings[k, 2] - observation.sources[source, 2])
            if squared(x, y) < _BASE * _BASE:
                return True
    return False


@large_kernel
def selected_worker(observation):
    """The one selected worker if it takes orders and is not on its way to a site; -1 if none, or if there are more."""
    found = -1
    for worker in range(observation.workers.shape[0]):
        if observation.workers[worker, 6] > 0.0:
            if found >= 0 or observation.workers[worker, 2] in (economy.LEAVING, economy.BUILDING):
                return -1
            found = worker
    return found


@large_kernel
def tasks(observation, task):
    """How many workers have a task; all of them for NONE."""
    count = 0
    for worker in range(observation.workers.shape[0]):
        here = observation.workers[worker, 2]
        count += here != economy.NONE if task == economy.NONE else here == task
    return count


@large_kernel
def buildings(observation, kind, finished):
    """How many buildings of a kind there are; with those that are planned if they need not be finished."""
    count = 0
    for k in range(observation.buildings.shape[0]):
        count += observation.buildings[k, 0] == kind and not (finished and observation.buildings[k, 3] > 0.0)
    for worker in range(observation.workers.shape[0]):
        count += not finished and observation.workers[worker, 5] == kind
    return count


@large_kernel
def shortest_queue(observation, kind):
    """The length of the shortest queue of finished buildings of a kind; 99 if there are none."""
    least = 99
    for k in range(observation.buildings.shape[0]):
        if observation.buildings[k, 0] == kind and observation.buildings[k, 3] == 0.0:
            least = min(least, np.int64(observation.buildings[k, 4]))
    return least


@large_kernel
def is_chosen(observation, kind):
    """Whether all finished buildings of a kind are selected."""
    for k in range(observation.buildings.shape[0]):
        if observation.buildings[k, 0] == kind and observation.buildings[k, 3] == 0.0:
            if observation.buildings[k, 6] == 0.0:
                return False
    return True


@large_kernel
def wanted_workers(observation):
    """How many workers the fields and refineries near to finished centers can use."""
    count = 0
    for k in range(observation.sources.shape[0]):
        if observation.sources[k, 3] > 0.0 and is_served(observation, k):
            count += 2 if observation.sources[k, 0] == economy.FIELD else 3
    return count


@large_kernel
def queued(observation):
    """How many workers are being trained."""
    count = 0
    for k in range(observation.buildings.shape[0]):
        if observation.buildings[k, 0] == economy.CENTER:
            count += np.int64(observation.buildings[k, 4])
    return count


@large_kernel
def site(observation, mask, kind, start):
    """The best legal cell for a building; -1 if none.

    A second center is built where the fields that no center serves are near, refineries where a center is, and the
    others near to the first center, but not where the second one may be.
    """
    found, best = -1, 1e9
    x0, y0 = float(observation.buildings[0, 1]), float(observation.buildings[0, 2])
    for cell in range(economy.CELLS * economy.CELLS):
        if mask[start + cell] == 0:
            continue
        x, y = economy.CELL * (cell % economy.CELLS + 0.5), economy.CELL * (cell // economy.CELLS + 0.5)
        worth = squared(x - x0, y - y0)
        if kind == economy.CENTER:
            worth = 0.0
            for k in range(observation.sources.shape[0]):
                if observation.sources[k, 0] == economy.FIELD and not is_served(observation, k):
                    gap = squared(x - float(observation.sources[k, 1]), y - float(observation.sources[k, 2]))
                    worth += gap
        elif kind != economy.REFINERY:
            size = economy.CELL * economy.CELLS
            if max(abs(size - x0 - x), abs(size - y0 - y)) < 5.5:
                worth += 1e4
        if worth < best:
            found, best = cell, worth
    return found


@kernel
def build(observation, mask, number, kind):
    """Build: select a worker, then choose a site; `number` is that of the building among those of the map."""
    if selected_worker(observation) < 0:
        return economy.NEXT
    start = first(observation) + economy.CELLS * economy.CELLS * number
    cell = site(observation, mask, kind, start)
    return start + cell if cell >= 0 else economy.NOOP


@large_kernel
def open_geysers(observation):
    """How many geysers near to a finished center have no refinery."""
    count = 0
    for k in range(observation.sources.shape[0]):
        count += (
            observation.sources[k, 0] == economy.GEYSER
            and observation.sources[k, 3] == 0.0
            and is_served(observation, k)
        )
    return count - buildings(observation, economy.REFINERY, False) + buildings(observation, economy.REFINERY, True)


@large_kernel
def assign(observation):
    """Send an idle worker to a source: select it, then choose."""
    worker = selected_worker(observation)
    if worker < 0 or observation.workers[worker, 2] != economy.IDLE:
        return economy.SPARE
    source = spare_source(observation, worker)
    column = np.int64(observation.sources[source, 1] / economy.CELL)
    row = np.int64(observation.sources[source, 2] / economy.CELL)
    return first(observation) + economy.CELLS * row + column


@kernel
def train(observation, mask, kind, action):
    """Train: select the buildings, then train."""
    if not is_chosen(observation, kind):
        return economy.CENTERS if kind == economy.CENTER else economy.HALLS
    return action if mask[action] != 0 else economy.NOOP


@large_kernel
def manage(observation, mask, grow):
    """The most urgent task of a player, step by step; to `grow` is to have a second center, or many barracks."""
    minerals, used, cap = observation.numbers[1], observation.numbers[3], observation.numbers[4]
    marines, left = builds_marines(observation), observation.numbers[0]
    if tasks(observation, economy.IDLE) > 0:
        return assign(observation)
    trainers = buildings(observation, economy.BARRACKS if marines else economy.CENTER, False)
    pending = buildings(observation, economy.DEPOT, False) - buildings(observation, economy.DEPOT, True)
    tight = cap - used <= 2 + trainers and cap < 200 and left > 60 * economy.STEPS
    if tight and pending <= trainers // 4 and (minerals >= economy.COST[economy.DEPOT] or cap == used):
        return build(observation, mask, 1, economy.DEPOT) if minerals >= economy.COST[economy.DEPOT] else economy.NOOP
    workers = tasks(observation, economy.NONE) + queued(observation)
    wanted = wanted_workers(observation) + (6 if grow and not marines and left > 100 * economy.STEPS else 0)
    if workers < wanted and shortest_queue(observation, economy.CENTER) < 1 and minerals >= 50 and used < cap:
        return train(observation, mask, economy.CENTER, economy.TRAIN)
    if marines:
        known = buildings(observation, economy.DEPOT, True) > 0
        if (
            known
            and minerals >= economy.COST[economy.BARRACKS]
            and trainers < (_BARRACKS if grow else 1)
            and left > 90 * economy.STEPS
        ):
            return build(observation, mask, 2, economy.BARRACKS)
        if minerals >= 50 and used < cap and shortest_queue(observation, economy.BARRACKS) < 2:
            return train(observation, mask, economy.BARRACKS, economy.RECRUIT)
        return economy.NOOP
    expands = grow and trainers < 2 and left > 120 * economy.STEPS and workers >= 14
    if expands:
        return build(observation, mask, 3, economy.CENTER) if minerals >= economy.COST[economy.CENTER] else economy.NOOP
    if (
        open_geysers(observation) > 0
        and workers >= 14
        and minerals >= economy.COST[economy.REFINERY]
        and left > 60 * economy.STEPS
    ):
        return build(observation, mask, 2, economy.REFINERY)
    return economy.NOOP


@large_kernel
def share_out(observation, mask):
    """All workers gather at the field that is nearest to the first one, and share the fields around it."""
    if tasks(observation, economy.IDLE) == 0:
        return economy.NOOP
    if not all_workers(observation):
        return economy.ALL
    return first(observation) + nearest_field(observation)


@large_kernel
def all_workers(observation):
    """Whether all workers are selected."""
    for worker in range(observation.workers.shape[0]):
        if observation.workers[worker, 2] != economy.NONE and observation.workers[worker, 6] == 0.0:
            return False
    return True


@large_kernel
def nearest_field(observation):
    """The cell of the field that is nearest to the first worker."""
    found, best = 0, 1e9
    for k in range(observation.sources.shape[0]):
        x, y = float(observation.sources[k, 1]), float(observation.sources[k, 2])
        gap = squared(x - float(observation.workers[0, 0]), y - float(observation.workers[0, 1]))
        if observation.sources[k, 0] == economy.FIELD and gap < best:
            found, best = np.int64(y / economy.CELL) * economy.CELLS + np.int64(x / economy.CELL), gap
    return found
