"""Finds mazes that an agent is bad at: random ones, replay of the worst, and editing them (ACCEL). Prints its regret.

The agent here keeps a hand on the wall and learns nothing; the loop is the same for one that learns.
"""

import numpy as np
from rich import print
from rich.progress import track
from rich.table import Table

from envsuite import Accel, Curriculum, PrioritisedReplay, build, describe, draw, picture, play, save_png


def main(rounds=24, num_envs=64, seed=0, path=None):
    """Play `rounds` rounds of each curriculum; the mean regret in each round. The worst maze goes to `path`."""
    world = build("envsuite/Maze-v0")
    everywhere = np.ones(num_envs, bool)
    options = dict(num_envs=num_envs, seed=seed, height=15, width=15, braid=0.5)
    replay = dict(capacity=4 * num_envs, replay=0.8, warm=0.5)
    curricula = {
        "uniform": Curriculum("maze", **options),
        "prioritised replay": PrioritisedReplay("maze", **options, **replay),
        "ACCEL": Accel("maze", **options, **replay, edits=3),
    }
    regrets = {}
    for name, curriculum in curricula.items():
        regrets[name] = []
        for k in track(range(rounds), name, transient=True):
            levels = curriculum.sample(everywhere)
            returns = play(world, "wall_follower", num_envs, seed + k * num_envs, levels=levels).returns[:, 0]
            # The return of the shortest path minus the agent's return.
            best = [1 - 0.9 * describe(level)["path"] / 15**2 for level in levels]
            regret = np.array(best) - returns
            curriculum.update(everywhere, regret)
            # An agent that learns does it here, from the episodes where `curriculum.trains` says so.
            regrets[name].append(regret.mean())

    shown = np.linspace(0, rounds - 1, 5).astype(int)
    table = Table("curriculum", *(f"round {k + 1}" for k in shown), title="Mean regret of a hand on the wall")
    for name, found in regrets.items():
        table.add_row(name, *(f"{found[k]:.3f}" for k in shown))
    print(table)
    worst = curriculum.buffer[int(curriculum.scores[: len(curriculum.buffer)].argmax())]
    print(f"The worst maze, where {describe(worst)['path']} steps would do:")
    print("\n".join(worst["map"]))
    if path is not None:
        save_png(draw(picture(worst)), path)
    return regrets


if __name__ == "__main__":
    main(path="worst_maze.png")
