"""Monte Carlo tree search plays ConnectFour. Prints its score by the number of simulations, and its analysis."""

import time

import numpy as np
from rich import print
from rich.progress import track
from rich.table import Table

import envsuite
from envsuite import MCTS, build, draw, rotated, save_png


def main(simulations=(10, 100, 1000), games=40, path=None):
    """Shares of games won against baselines by number of simulations; a position is drawn to `path`, if given."""
    world = build("envsuite/ConnectFour-v0")
    table = Table("simulations", "beats random", "beats tactical", title=f"MCTS, {games} games each")
    shares = {}
    for count in track(simulations, "playing", transient=True):
        won = [
            (rotated(world, [MCTS(world, count), name], games // 2).returns[:, 0] > 0).mean()
            for name in ("random", "tactical")
        ]
        shares[count] = won
        table.add_row(str(count), *(f"{share:.0%}" for share in won))
    print(table)

    # One position in detail: a player with three in a row, open on both sides, has won.
    env = envsuite.make_aec("envsuite/ConnectFour-v0", render_mode="ansi")
    env.reset(seed=0, options={"level": {"moves": [3, 3, 2, 2]}})
    planner = MCTS(world, simulations=100_000)
    start = time.perf_counter()
    found = planner.search(env.batch.records, 0)
    rate = planner.simulations / (time.perf_counter() - start)
    print(env.render())
    table = Table("column", "visits", "mean return", title=f"{rate:,.0f} simulations a second")
    for column in np.flatnonzero(found.visits[0]):
        table.add_row(str(column + 1), f"{found.visits[0, column]:,}", f"{found.values[0, column]:+.3f}")
    print(table)
    env.step(planner.move(env))
    if path is not None:
        save_png(draw(env.scene()), path)
    return shares, int(found.actions[0])


if __name__ == "__main__":
    main(path="mcts.png")
