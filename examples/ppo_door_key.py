"""Stable-Baselines3's PPO learns DoorKey-5x5: find the key, unlock the door, reach the goal. Prints the learning curve.

Needs ``pip install "envsuite[sb3]"``; takes less than a minute on one core.
"""

import time

import gymnasium
from rich.live import Live
from rich.table import Table

try:
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy
except ImportError:
    raise SystemExit('This example needs Stable-Baselines3: pip install "envsuite[sb3]"') from None
from envsuite.interfaces.sb3 import SB3Vector


def main(rounds=12, actions=32768, episodes=200, seed=0, path=None):
    """Learn for `rounds` of `actions` each; the mean return after each round. The network is written to `path`."""
    torch.set_num_threads(1)  # so small a network gains nothing by more
    envs, tests = (
        SB3Vector(gymnasium.make_vec("envsuite/DoorKey-v0", num_envs=64, size=5, autoreset="same_step"))
        for _ in range(2)
    )
    model = PPO("MultiInputPolicy", envs, n_steps=128, batch_size=1024, n_epochs=4, learning_rate=1e-3, ent_coef=0.01,
                policy_kwargs={"net_arch": [128, 128]}, seed=seed, device="cpu")  # fmt: skip
    table = Table("actions", "CPU s", "mean return", title="PPO in DoorKey-5x5; perfect play gets 0.965")
    curve, start = [], time.process_time()
    with Live(table, refresh_per_second=1):
        for _ in range(rounds):
            model.learn(actions, reset_num_timesteps=False)
            tests.seed(seed + 1)
            curve.append(evaluate_policy(model, tests, episodes, deterministic=False, warn=False)[0])
            seconds = time.process_time() - start
            table.add_row(f"{model.num_timesteps:,}", f"{seconds:.0f}", f"{curve[-1]:.3f}")
    if path is not None:
        model.save(path)
    return curve


if __name__ == "__main__":
    main()
