"""Runs in a separate environment with `pogema`; test_path_finding.py starts it.

``pathfinding_reference.py IN.npz OUT.npz`` plays recorded actions on given maps. It writes every place, reward, end,
observation and metric. Of each game, KEY is ``ON_TARGET/COLLISION/NAME``; arrays are KEY/maps (N, H, W), KEY/starts (N,
A, 2), KEY/goals (N, A, G, 2), KEY/actions (N, T, A), and KEY/radius.
"""

import sys
import warnings

import numpy as np
from pogema import GridConfig, pogema_v0


def play(key, maps, starts, goals, actions, radius):
    on_target, collision, _ = key.split("/")
    num, horizon, agents = actions.shape
    side = 2 * radius + 1
    out = {
        "places": np.zeros((num, horizon + 1, agents, 2), np.int16),
        "targets": np.zeros((num, horizon + 1, agents, 2), np.int16),
        "observations": np.zeros((num, horizon + 1, agents, 3, side, side), np.uint8),
        "rewards": np.zeros((num, horizon, agents)),
        "terminated": np.zeros((num, horizon, agents), bool),
        "truncated": np.zeros((num, horizon, agents), bool),
        "metrics": np.full((num, 3), np.nan),  # ISR, CSR, throughput
    }
    for i in range(num):
        targets = goals[i].tolist() if on_target == "restart" else goals[i, :, 0].tolist()
        config = GridConfig(
            map=maps[i].tolist(), agents_xy=starts[i].tolist(), targets_xy=targets, num_agents=agents,
            obs_radius=radius, on_target=on_target, collision_system=collision.replace(" ", "_"),
            max_episode_steps=horizon,
        )  # fmt: skip
        env = pogema_v0(config)
        seen, _ = env.reset()
        for t in range(horizon + 1):
            out["places"][i, t] = np.array(env.get_agents_xy()) - radius
            out["targets"][i, t] = np.array(env.get_targets_xy()) - radius
            out["observations"][i, t] = seen
            if t < horizon:
                seen, rewards, terminated, truncated, infos = env.step(actions[i, t].tolist())
                out["rewards"][i, t], out["terminated"][i, t], out["truncated"][i, t] = rewards, terminated, truncated
                if "metrics" in infos[0] and np.isnan(out["metrics"][i]).all():
                    names = ("ISR", "CSR", "avg_throughput")
                    out["metrics"][i] = [infos[0]["metrics"].get(name, np.nan) for name in names]
    return out


def main():
    warnings.simplefilter("ignore")  # about lists of targets that start again
    given, results = np.load(sys.argv[1]), {}
    for key in [key[: -len("/actions")] for key in given.files if key.endswith("/actions")]:
        parts = [given[f"{key}/{part}"] for part in ("maps", "starts", "goals", "actions")]
        played = play(key, *parts, int(given[f"{key}/radius"]))
        results.update({f"{key}/{part}": array for part, array in played.items()})
    np.savez(sys.argv[2], **results)


if __name__ == "__main__":
    main()
