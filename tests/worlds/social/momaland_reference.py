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


def route_choice(ends, free, slope, routes, owners, tolled, actions):
    """Latencies and tolls, scaled and not (N, A, 4), of one day's choices (N, A), and the scales of both.

    The network has links with ends (L, 2) and latencies (L,), and routes (P, R, K) of links, -1 for none. `owners`
    (N, A) are the pairs of the drivers; `tolled` (L,) are links with random tolls, or empty for marginal cost tolls.
    """
    import json
    import tempfile
    from pathlib import Path

    from momaland.envs.route_choice import route_choice as module

    drivers, names = owners.shape[1], [f"{a}-{b}" for a, b in ends.tolist()]
    links = [
        {
            "source": str(a), "target": str(b), "name": f"{a}-{b}",
            "latency_function": {"expr": "m*f+n", "param": "f", "constants": {"m": rise / drivers, "n": start}},
        }
        for (a, b), start, rise in zip(ends.tolist(), free.tolist(), slope.tolist())
    ]  # fmt: skip
    nodes = [{"id": str(k)} for k in range(ends.max() + 1)]
    ways = {
        str(p): [",".join(names[link] for link in route if link >= 0) for route in pair if route[0] >= 0]
        for p, pair in enumerate(routes.tolist())
    }
    problem = {
        "graph": {"directed": True, "multigraph": False, "graph": {}, "nodes": nodes, "links": links},
        "od": list(ways), "routes": ways,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:  # an absolute path wins over the folder of its own networks
        file = Path(folder) / "network.json"
        file.write_text(json.dumps(problem))
        mode = "random" if len(tolled) else "mct"
        # It draws a number for each link, by the link's start, and gives a toll below the share: these numbers.
        order = np.argsort(ends[:, 0], kind="stable") if len(tolled) else []
        draws = iter([0.0 if tolled[link] else 1.0 for link in order])
        chance, module.random.random = module.random.random, lambda: next(draws)
        env = module.MORouteChoice(str(file), drivers, mode, 0.5)
        module.random.random = chance
    found = np.zeros((*actions.shape, 4))
    for i, chosen in enumerate(actions.tolist()):
        env.reset()
        env.drivers_od = [str(pair) for pair in owners[i].tolist()]
        agents = list(env.agents)
        _, rewards, _, over, infos = env.step(dict(zip(agents, chosen)))  # ends are swapped
        assert all(over.values())
        for k, agent in enumerate(agents):
            found[i, k] = *rewards[agent], infos[agent]["latency"], infos[agent]["cost"]
    return {"found": found, "scales": np.array([env._max_link_latency, env._max_link_cost], float)}


def main():
    world, source, target = sys.argv[1:]
    games = {}
    with np.load(source) as given:
        for key in given:
            game, _, part = key.partition("/")
            games.setdefault(game, {})[part] = given[key]
    play = {"beach": beach, "route_choice": route_choice}[world]
    np.savez(
        target, **{f"{name}/{part}": array for name, game in games.items() for part, array in play(**game).items()}
    )


if __name__ == "__main__":
    main()
