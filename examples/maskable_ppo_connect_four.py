"""sb3-contrib's MaskablePPO learns ConnectFour, against random play, then its older selves. Prints its scores.

Needs ``pip install "envsuite[sb3]"``. Each row of the table is a generation, which learns both seats; all together take
about three minutes on one core.
"""

import random
import tempfile
import time
from pathlib import Path

import gymnasium
import numpy as np
from rich.live import Live
from rich.table import Table

from envsuite import MCTS, Policy, build, rotated

try:
    import torch
    from sb3_contrib import MaskablePPO
except ImportError:
    raise SystemExit('This example needs sb3-contrib: pip install "envsuite[sb3]"') from None
from envsuite.interfaces.sb3 import SB3Vector

ID = "envsuite/ConnectFour-v0"


class Learned(Policy):
    """Plays the actions of a network: all that a model needs for matches, for tournaments, and as an opponent."""

    name = "learned"

    def __init__(self, network, best=False):
        self.network, self.best = network, best

    def act_batch(self, observations, masks, agents):
        actions, acts = np.zeros(masks.shape[:2], int), masks.any(axis=2)
        if acts.any():
            seen, legal = observations[acts], masks[acts]
            actions[acts] = self.network.predict(seen, action_masks=legal, deterministic=self.best)[0]
        return actions


def seat(agent, opponent):
    """64 games in which a model learns to play one agent."""
    return SB3Vector(gymnasium.make_vec(ID, 64, agent=agent, opponents=opponent, autoreset="same_step"))


def main(generations=24, moves=32768, games=200, seed=0, folder=None):
    """Learn for `generations` of `moves` each; the network's shares of games won, by opponent."""
    torch.set_num_threads(1)  # so small a network gains nothing by more
    model = MaskablePPO("MlpPolicy", seat("player_0", "random"), n_steps=128, batch_size=256, n_epochs=4, gamma=0.99,
                        learning_rate=5e-4, ent_coef=0.01, policy_kwargs={"net_arch": [256, 256]}, seed=seed,
                        device="cpu")  # fmt: skip
    rivals = {"random": "random", "MCTS of 30 simulations": MCTS(build(ID), simulations=30)}
    table = Table("generation", "learns against", "moves", "CPU s", *(f"beats {name}" for name in rivals), title=ID)
    folder = Path(folder or tempfile.mkdtemp())
    model.save(folder / "0")
    older = MaskablePPO.load(folder / "0", device="cpu")
    chance, start, won = random.Random(seed), time.process_time(), {}
    with Live(table, refresh_per_second=1):
        for generation in range(1, generations + 1):
            opponent = "random"
            if generation > 4 and chance.random() < 0.7:
                older.set_parameters(folder / str(chance.randrange(generation)), device="cpu")
                opponent = Learned(older)
            for agent in ("player_0", "player_1"):
                model.set_env(seat(agent, opponent))
                model.learn(moves // 2, reset_num_timesteps=False)
            model.save(folder / str(generation))
            newest = Learned(model, best=True)
            for name, rival in rivals.items():
                won[name] = (rotated(ID, [newest, rival], games // 2).returns[:, 0] > 0).mean()
            numbers = (f"{model.num_timesteps:,}", f"{time.process_time() - start:.0f}")
            against = "random" if opponent == "random" else "an older self"
            table.add_row(str(generation), against, *numbers, *(f"{share:.1%}" for share in won.values()))
    print(f"The network of every generation: {folder}")
    return won


if __name__ == "__main__":
    main()
