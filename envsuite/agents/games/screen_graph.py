"""Baselines of ScreenGraph: one opens new screens and goes back the way it came, one clicks on any icon."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import limited, scratch
from envsuite.games.screen_graph import CELLS, COMPLETE, SCREENS

ID = "envsuite/ScreenGraph-v0"


@kernel
def find_icon(icons, screen):
    """The cell of an icon that leads to a screen, or -1."""
    for cell in range(CELLS):
        if icons[cell] == 1 + screen:
            return np.int64(cell)
    return np.int64(-1)


@kernel
def any_icon(memory, icons, fresh):
    """A random icon, of those that lead to screens not yet seen if `fresh`; -1 if there is none."""
    found, count = np.int64(-1), 0
    for cell in range(CELLS):
        if icons[cell] > 0 and not (fresh and memory.seen[icons[cell] - 1]):
            count += 1
            if random.randint(memory, count) == 0:
                found = np.int64(cell)
    return found


@large_kernel
def measure(memory, graph, wanted):
    """Write how many clicks each screen is from the wanted one."""
    screens = graph.shape[0]
    for screen in range(screens):
        memory.far[screen] = screens
    memory.far[wanted] = 0
    for length in range(screens):
        for screen in range(screens):
            for cell in range(CELLS):
                goal = np.int64(graph[screen, cell]) - 1
                if goal >= 0 and memory.far[goal] == length and memory.far[screen] > length + 1:
                    memory.far[screen] = length + 1


def _navigate(observation, memory):
    """The click on a shortest way by the graph, or -1."""
    measure(memory, observation.graph, observation.facts[1])
    for cell in range(CELLS):
        goal = np.int64(observation.icons[cell]) - 1
        if goal >= 0 and memory.far[goal] < memory.far[observation.facts[0]]:
            return np.int64(cell)
    return np.int64(-1)


def _explore(observation, memory):
    """The click on the icon of the wanted screen, of a new one, or of the one before; else -1."""
    here = np.int64(observation.facts[0])
    if memory.seen[here] == 0:
        memory.seen[here] = 1
        memory.way[here] = memory.before
    memory.before = here
    choice = find_icon(observation.icons, np.int64(observation.facts[1]))
    if choice < 0:
        choice = any_icon(memory, observation.icons, True)
    if choice < 0 and memory.way[here] >= 0:
        choice = find_icon(observation.icons, np.int64(memory.way[here]))
    return choice


_search = by_fields(lambda names: "graph" in names, _navigate, _explore)


@policy(
    ID,
    "explorer",
    variables={
        "seen": limited(np.zeros(SCREENS, np.uint8), 0, 1),
        "way": limited(np.full(SCREENS, -1), -1, SCREENS - 1),
        "before": limited(-1, -1, SCREENS - 1),
        "far": scratch(SCREENS),
    },
)
def explorer(memory, observation, mask):
    """Opens screens that it has not seen, else goes back the way it came; by a shortest way if it sees the graph."""
    if observation.facts[0] == observation.facts[1]:
        return np.int64(COMPLETE)
    choice = _search(observation, memory)
    if choice < 0:
        choice = any_icon(memory, observation.icons, False)
    return choice if choice >= 0 else np.int64(COMPLETE)


@policy(ID, "walker", variables={"seen": scratch(SCREENS, np.uint8)})
def walker(memory, observation, mask):
    """Clicks on a random icon, and says when it sees the screen."""
    if observation.facts[0] == observation.facts[1]:
        return np.int64(COMPLETE)
    choice = any_icon(memory, observation.icons, False)
    return choice if choice >= 0 else np.int64(COMPLETE)
