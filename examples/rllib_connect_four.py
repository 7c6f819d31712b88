"""RLlib's PPO learns ConnectFour by playing itself, in two ways: one world as PettingZoo's, or a vector of 64 worlds.

Needs ``pip install "ray[rllib]"``. Prints the number of moves and the mean length of games.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # so small a network gains nothing by more

try:
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.tune.registry import register_env
except ImportError:
    raise SystemExit('This example needs RLlib: pip install "ray[rllib]"') from None
import envsuite
from envsuite.interfaces.rllib import MaskedModule, WorldRunner


def main(world="ConnectFour", vector=True, iterations=10, moves=4096, num_envs=64):
    """Learn for `iterations` of `moves` each; RLlib's results of the last one."""
    register_env("envsuite", lambda config: PettingZooEnv(envsuite.make_aec(config["world"], flat="scaled")))
    runner = {"env_runner_cls": WorldRunner, "num_envs_per_env_runner": num_envs} if vector else {}
    config = (
        PPOConfig()
        .environment("envsuite", env_config={"world": world})
        .env_runners(num_env_runners=0, **runner)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **kwargs: "shared")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule))
        .training(train_batch_size_per_learner=moves, minibatch_size=256, num_epochs=4, lr=1e-3)
    )
    algorithm = config.build_algo()
    for _ in range(iterations):
        results = algorithm.train()
        runners = results["env_runners"]
        length = runners.get("episode_len_mean", float("nan"))  # none where no game has ended yet
        print(f"{runners['num_env_steps_sampled_lifetime']:,.0f} moves, games of {length:.1f}")
    algorithm.stop()
    return results


if __name__ == "__main__":
    main()
