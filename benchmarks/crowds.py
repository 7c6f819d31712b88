"""The cost of an agent's step against the number of agents, at random play with observations, on one core.

    python benchmarks/crowds.py [PICTURE]

Prints nanoseconds per agent and step, and draws them. Every vector has about 4,096 agents in all, and every world as
many cells per agent as the others of its kind, so a cost that is flat depends on nothing but the agents.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

from measure import vector_rate  # which puts this process on one core, before envsuite is imported

import envsuite
from envsuite.render.frames import save
from envsuite.render.scene import Label, Line, Rect, Scene
from envsuite.render.theme import agent_color

COUNTS = (4, 16, 64, 256, 1024)

AGENTS = 4096

#: Each cost is the least of this number of measurements.
ROUNDS = 7

#: Foraging with a small grid around the player instead of a list of all players and all food.
GRID = "Foraging, grid"


def settings(name: str, agents: int) -> dict[str, object]:
    """The parameters of a world for about this number of agents."""
    side = round(math.sqrt(16 * agents))  # 16 cells per agent
    if name == "Warehouse":
        rows = max(1, round(agents / 64))
        return {"players": agents, "rows": min(rows, 6), "columns": 21 if agents > 64 else 9, "requests": agents // 2}
    if name == "Battle":
        return {"size": min(max(12, round(math.sqrt(25 * agents / 2))), 99)}
    if name == "NeuralMMO":
        return {"players": agents, "creatures": 0, "size": max(side, 16), "horizon": 1000}
    if name.startswith("Foraging"):
        form = "grid" if name == GRID else "vector"
        size = min(max(side, 5), 64)
        return {"players": agents, "size": size, "food": max(agents // 4, 1), "sight": 3, "observation": form}
    return {"players": agents, "height": side, "width": side}


def measured(name: str, agents: int) -> tuple[int, Callable]:
    """The number of agents, and what measures nanoseconds per agent and step."""
    made, world = settings(name, agents), name.split(",")[0]
    count = len(envsuite.make_parallel(world, **made).possible_agents)
    rate = vector_rate(world, max(AGENTS // count, 1), steps=100, **made)
    return count, lambda: 1e9 / (count * rate())


def picture(costs: dict[str, list[tuple[int, float]]]) -> Scene:
    """Cost by number of agents; both axes are logarithmic."""
    scene = Scene(20.5, 12.5)
    scene.add(Rect(2, 1, 14, 10, "panel"), Label(9, 0.5, "nanoseconds per agent and step", 0.5))
    top = max(ns for row in costs.values() for _, ns in row)
    across, down = 14 / math.log2(1024), 10 / math.log2(2 * top / 16)

    def at(agents: int, ns: float) -> tuple[float, float]:
        return 2 + across * math.log2(max(agents, 1)), 11 - down * math.log2(max(ns, 16) / 16)

    for agents in (1, *COUNTS):
        scene.add(Label(at(agents, 16)[0], 11.5, str(agents), 0.42, "muted"))
    for k in range(4, int(math.log2(2 * top)) + 1):
        scene.add(Label(1.6, at(1, 2**k)[1], str(2**k), 0.42, "muted", "right"))
        scene.add(Line([at(1, 2**k), at(1024, 2**k)], "line", 0.02))
    for k, row in enumerate(costs.values()):
        scene.add(Line([at(*one) for one in row], agent_color(k), 0.09))
    below = 0.0
    for y, k, name in sorted((at(*row[-1])[1], k, name) for k, (name, row) in enumerate(costs.items())):
        below = max(y, below + 0.6)  # names keep apart
        scene.add(Label(16.3, below, name, 0.45, agent_color(k), "left"))
    scene.add(Label(9, 12.2, "agents", 0.45, "muted"))
    return scene


def main() -> None:
    names = ("Warehouse", "Battle", "NeuralMMO", "Foraging", GRID, "PathFinding")
    made = {name: dict(measured(name, agents) for agents in COUNTS) for name in names}  # Battle has no 4 and 16
    costs = {name: [(count, math.inf) for count in row] for name, row in made.items()}
    for _ in range(ROUNDS):  # in turn, so that a machine whose speed drifts treats all alike
        for name, row in made.items():
            costs[name] = [(count, min(least, row[count]())) for count, least in costs[name]]
    for name, found in costs.items():
        print(f"{name:14}", "  ".join(f"{count}: {ns:,.0f} ns" for count, ns in found))
    file = sys.argv[1] if len(sys.argv) > 1 else "crowds.png"
    save(picture(costs), file, 900)
    print(file)


if __name__ == "__main__":
    main()
