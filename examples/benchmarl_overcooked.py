"""BenchMARL's MAPPO in Overcooked: two cooks with one network, and a critic that sees all. Prints the mean returns.

Needs ``pip install benchmarl``.
"""

import tempfile

try:
    from benchmarl.algorithms import MappoConfig
    from benchmarl.experiment import Experiment, ExperimentConfig
    from benchmarl.models.mlp import MlpConfig
except ImportError:
    raise SystemExit("This example needs BenchMARL: pip install benchmarl") from None
from envsuite.interfaces.benchmarl import WorldTask


def main(world="Overcooked", iterations=20, frames=4000, **params):
    """Learn for `iterations` of `frames` steps each; the experiment."""
    config = ExperimentConfig.get_from_yaml()
    config.loggers, config.save_folder, config.evaluation = [], tempfile.mkdtemp(), False
    config.max_n_iters, config.max_n_frames = iterations, None
    config.on_policy_collected_frames_per_batch, config.on_policy_n_envs_per_worker = frames, 4
    config.on_policy_minibatch_size, config.on_policy_n_minibatch_iters = frames // 4, 4
    experiment = Experiment(WorldTask(world, params), MappoConfig.get_from_yaml(), MlpConfig.get_from_yaml(), seed=0,
                            config=config, critic_model_config=MlpConfig.get_from_yaml())  # fmt: skip
    experiment.run()
    print(f"mean return: {experiment.mean_return:.2f}")
    return experiment


if __name__ == "__main__":
    main()
