"""How reliably a help desk solves problems with a customer's phone. Prints and draws pass^k and the cost of talking.

The assistant here is a baseline that errs now and then; yours goes in its place, a language model too (LanguageAgent).
"""

import numpy as np
from rich import print
from rich.progress import Progress

from envsuite import Policy, build, draw, make_policy, report, save_png


class Careless(Policy):
    """Acts like the baseline, but takes a random legal action at a given rate."""

    name = "careless"

    def __init__(self, world, rate):
        self.right, self.wrong, self.rate = make_policy("workflow", world), make_policy("random", world), rate

    def reset(self, seed=None, num=1):
        self.random = np.random.default_rng(seed)
        self.right.reset(seed, num)
        self.wrong.reset(seed, num)

    def act_batch(self, observations, masks, agents):
        errs = self.random.random(masks.shape[:2]) < self.rate
        right, wrong = (one.act_batch(observations, masks, agents) for one in (self.right, self.wrong))
        return np.where(errs, wrong, right)


def main(rate=0.02, trials=4, split="base", seed=0, path=None):
    """Play every task so often, by the careless assistant and by others; the report. Its picture goes to `path`."""
    world = build("envsuite/Telecom-v0", {"split": split})
    with Progress(transient=True) as bar:
        task = bar.add_task("playing")
        found = report(
            world,
            {"assistant": Careless(world, rate), "customer": "persona"},
            trials,
            seed,
            lambda ended, whole: bar.update(task, completed=ended, total=whole),
        )
    for table in found.tables()[:2]:  # the others are by fault, family, persona and length of the plan
        print(table)
    if path is not None:
        save_png(draw(found.scene()), path)
    return found


if __name__ == "__main__":
    main(path="telecom.png")
