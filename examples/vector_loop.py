"""A thousand games of ConnectFour at once, in two ways; prints the first player's share of wins, and the speed."""

import time

import numpy as np
from rich import print
from rich.progress import track
from rich.table import Table

import envsuite


def main(num_envs=1024, steps=500, threads=1, seed=0):
    """Random legal moves in all games; the first player's share of wins by way."""
    envs = envsuite.make_vec("envsuite/ConnectFour-v0", num_envs, threads=threads, copy=False)
    random = np.random.default_rng(seed)
    table = Table("way", "games", "won by player_0", "moves/s", title=f"{num_envs:,} games at once, random moves")

    # Step by step: arrays (worlds, agents, ...) in and out; a game that is over is reset by the next step.
    observations, infos = envs.reset(seed=seed)
    games = wins = 0
    start = time.perf_counter()
    for _ in track(range(steps), "playing", transient=True):
        masks = infos["action_mask"]  # all 0 for an agent that does not act, whose action is ignored
        actions = (masks * random.random(masks.shape, np.float32)).argmax(axis=2)  # your agents go here
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        over = terminations.all(axis=1) | truncations.all(axis=1)
        games += over.sum()
        wins += (rewards[over, 0] > 0).sum()
    rate = num_envs * steps / (time.perf_counter() - start)
    shares = {"step": wins / games}
    table.add_row("step", f"{games:,}", f"{shares['step']:.2%}", f"{rate:,.0f}")

    # Whole rollouts of baselines: everything is compiled.
    envs.rollout("random", 1, seed=seed)
    start = time.perf_counter()
    totals = envs.rollout("random", 20 * steps)
    rate = totals.steps / (time.perf_counter() - start)
    shares["rollout"] = (1 + totals.returns[0]) / 2
    table.add_row("rollout", f"{totals.episodes:,}", f"{shares['rollout']:.2%}, half of draws too", f"{rate:,.0f}")
    print(table)
    return shares


if __name__ == "__main__":
    main()
