"""A commons: seven agents share apples that grow back only near others. Prints metrics, draws the dilemma."""

import numpy as np
from rich import print
from rich.progress import track
from rich.table import Table

import envsuite
from envsuite import draw, metrics, save_png, schelling

ID = "envsuite/Harvest-v0"

#: The policies of the seven seats.
POPULATIONS = {
    "7 random": ["random"] * 7,
    "7 greedy": ["greedy"] * 7,
    "7 sustainable": ["sustainable"] * 7,
    "6 sustainable, 1 greedy": ["sustainable"] * 6 + ["greedy"],
    "6 guards, 1 greedy": ["guard"] * 6 + ["greedy"],
}


def play(names, episodes, steps, seed):
    """Rewards (episodes, steps, 7), and the agents that others have sent off (episodes, steps, 7)."""
    envs = envsuite.make_vec(ID, episodes, horizon=steps, copy=False)
    policies = {name: envsuite.make_policy(name, envs) for name in set(names)}
    seats = {name: [a for a, other in enumerate(names) if other == name] for name in policies}
    envs.reset(seed=seed)
    for policy in policies.values():
        policy.reset(seed, episodes)
    actions, rewards, away = np.zeros((episodes, 7), int), [], []
    for _ in range(steps):
        for name, policy in policies.items():
            actions[:, seats[name]] = policy.act_in(envs.batch, seats[name])
        away.append(envs.batch.records["away"] > 0)
        rewards.append(envs.step(actions)[1].copy())
    return np.stack(rewards, axis=1), np.stack(away, axis=1)


def main(episodes=16, steps=1000, seed=0, path=None):
    """Mean metrics of each population; the Schelling diagram of the sustainable and the greedy goes to `path`."""
    table = Table("population", "return", "equality", "sustainability", "peace", title=f"{ID}, {steps} steps")
    found = {}
    for population, names in track(POPULATIONS.items(), "playing", transient=True):
        rewards, away = play(names, episodes, steps, seed)
        returns = rewards.sum(axis=1)
        found[population] = {
            "return": metrics.gain(returns).mean(),  # of one agent
            "equality": metrics.equality(returns).mean(),  # 1 less the Gini coefficient
            "sustainability": np.nanmean(metrics.sustainability(rewards)),  # the mean step at which apples are eaten
            "peace": metrics.peace(away).mean(),  # the share of time in which no agent has been sent off
        }
        table.add_row(population, *(f"{value:.3g}" for value in found[population].values()))
    print(table)
    diagram = schelling(ID, "sustainable", "greedy", steps=steps, num_envs=episodes, seed=seed)
    print(f"What being greedy brings, by how many others are sustainable: {np.round(diagram.temptation, 1)}")
    print(f"A dilemma: {diagram.is_dilemma}")
    if path is not None:
        save_png(draw(diagram.scene(("sustainer", "defector"))), path)
    return found, diagram


if __name__ == "__main__":
    main(path="commons.png")
