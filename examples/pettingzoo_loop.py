"""PettingZoo's two loops: ConnectFour one agent at a time, Harvest all at once. Prints the games, draws their ends."""

from pathlib import Path

import numpy as np
from rich.progress import track

import envsuite
from envsuite import draw, save_png


def one_at_a_time(seed):
    """A baseline against random moves; returns by agent, and the picture of the end."""
    env = envsuite.make_aec("envsuite/ConnectFour-v0", render_mode="ansi")
    tactical = envsuite.make_policy("tactical", env)
    random = np.random.default_rng(seed)
    env.reset(seed=seed)
    tactical.reset(seed=seed)
    returns = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        returns[agent] += reward
        if terminated or truncated:
            action = None
        elif agent == "player_0":
            action = tactical.act(observation, info["action_mask"], env.number(agent))
        else:  # your agent goes here: it has the observation, and the mask of legal actions
            action = int(random.choice(np.flatnonzero(info["action_mask"])))
        env.step(action)
    print(env.render())
    return returns, draw(env.scene())


def all_at_once(seed, horizon):
    """A policy in all seats of a commons; returns by agent, and the picture of the end."""
    env = envsuite.make_parallel("envsuite/Harvest-v0", horizon=horizon)
    policy = envsuite.make_policy("sustainable", env)
    observations, infos = env.reset(seed=seed)
    policy.reset(seed=seed)
    returns = dict.fromkeys(env.agents, 0.0)
    for _ in track(range(horizon), "Harvest", transient=True):
        actions = {
            agent: policy.act(observations[agent], infos[agent]["action_mask"], env.number(agent))
            for agent in env.agents
        }
        observations, rewards, terminations, truncations, infos = env.step(actions)
        for agent, reward in rewards.items():
            returns[agent] += reward
    return returns, draw(env.scene())


def main(seed=0, horizon=1000, folder=None):
    """Play both; their returns by agent. Pictures go to a folder, if one is given."""
    games = {"ConnectFour": one_at_a_time(seed), "Harvest": all_at_once(seed, horizon)}
    for name, (returns, picture) in games.items():
        print(f"{name}: " + ", ".join(f"{agent} {value:g}" for agent, value in returns.items()))
        if folder is not None:
            save_png(picture, Path(folder) / f"{name}.png")
    return {name: returns for name, (returns, _) in games.items()}


if __name__ == "__main__":
    main(folder=".")
