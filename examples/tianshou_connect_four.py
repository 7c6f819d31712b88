"""Tianshou's DQN learns both players of ConnectFour, whose masks it obeys. Prints the progress.

Needs ``pip install tianshou``.
"""

try:
    import torch
    from tianshou.algorithm import DQN
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv
    from tianshou.trainer import OffPolicyTrainerParams
    from tianshou.utils.net.common import Net
except ImportError:
    raise SystemExit("This example needs Tianshou: pip install tianshou") from None
import envsuite


def main(world="ConnectFour", epochs=10, moves=5000, num_envs=8):
    """Learn for `epochs` of `moves` each; Tianshou's statistics."""
    torch.set_num_threads(1)  # so small a network gains nothing by more
    envs = DummyVectorEnv([lambda: PettingZooEnv(envsuite.make_aec(world, flat="scaled")) for _ in range(num_envs)])
    env = PettingZooEnv(envsuite.make_aec(world, flat="scaled"))
    shape, actions = env.env.views.spaces[0].shape, env.action_space

    def learner():
        policy = DiscreteQLearningPolicy(model=Net(state_shape=shape, action_shape=actions.n, hidden_sizes=[128, 128]),
                                         action_space=actions, eps_training=0.1)  # fmt: skip
        return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=320)

    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[learner() for _ in env.agents], env=env)
    collector = Collector(algorithm, envs, VectorReplayBuffer(20_000, num_envs), exploration_noise=True)
    collector.reset()
    collector.collect(n_step=64 * num_envs)
    params = OffPolicyTrainerParams(training_collector=collector, max_epochs=epochs, epoch_num_steps=moves,
                                    collection_step_num_env_steps=num_envs * 8, batch_size=64, test_step_num_episodes=0,
                                    update_step_num_gradient_steps_per_sample=0.1)  # fmt: skip
    return algorithm.run_training(params)


if __name__ == "__main__":
    print(main())
