"""Runs in a separate environment with `momaland`; test_beach.py and test_route_choice.py start it.

``momaland_reference.py WORLD IN.npz OUT.npz`` plays recorded actions and writes what MOMAland shows of it.
"""

import sys

import numpy as np


def beach(types, starts, actions, settings):
    """Observations (N, T + 1, A, 5), vector rewards (N, T, A, 2), ends (N, T), of types (N, A) and actions (N, T, A).

    The settings are the numbers of sections and types, the capacity and whether the reward is that of the team.
    """
    from momaland.envs.beach.beach import MOBeachDomain

    (num, steps, agents), (sections, kinds, capacity, team) = actions.shape, settings.tolist()
    env = MOBeachDomain(
        num_timesteps=steps, num_agents=agents, reward_mode="team" if team else "individual", sections=sections,
        capacity=capacity, type_distribution=(1 / kinds,) * kinds,
    )  # fmt: skip
    seen = np.zeros((num, steps + 1, agents, 5))
    rewards, ends = np.zeros((num, steps, agents, 2)), np.zeros((num, steps), bool)
    for i in range(num):
        env.reset()
        env._types, env._state = types[i].tolist(), starts[i].tolist()
        seen[i, 0] = env.state().reshape(agents, 5)
        for t in range(steps):
            found, paid, _, over, _ = env.step(dict(zip(env.agents, actions[i, t].tolist())))  # ends are swapped
            seen[i, t + 1], rewards[i, t] = list(found.values()), list(paid.values())
            assert len(set(over.values())) == 1
            ends[i, t] = over["agent_0"]
    return {"seen": seen, "rewards": rewards, "ends": ends}


def main():
    world, source, target = sys.argv[1:]
    games = {}
    with np.load(source) as given:
        for key in given:
            game, _, part = key.partition("/")
            games.setdefault(game, {})[part] = given[key]
    play = {"beach": beach}[world]
    np.savez(
        target, **{f"{name}/{part}": array for name, game in games.items() for part, array in play(**game).items()}
    )


if __name__ == "__main__":
    main()
