"""Learning: masked PPO for any world, self-play, checkpoints, and trained networks as policies.

`Trainer` and `Pool` need torch (``pip install "envsuite[learn]"``); a trained network, `Learned`, plays without it.
"""
