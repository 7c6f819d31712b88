"""Behavior cloning on graded data of DoorKey and ConnectFour: records it, clones it, and prints scores.

A score is 0 for random play and 1 for the best baseline. Needs torch (``pip install torch``); a minute on one core.
"""

import tempfile

import numpy as np
from rich import print
from rich.table import Table

try:
    import torch
    from torch import nn
except ImportError:
    raise SystemExit("This example needs torch: pip install torch") from None
from envsuite import Policy, build, measure, record
from envsuite.evaluation.metrics import normalised

WORLDS = {"DoorKey": {"size": 6}, "ConnectFour": {}}
GRADES = (0.0, 0.5, 1.0)
#: Observations are integers from 0 to CODES - 1.
CODES = 16


def codes(rows):
    """The observations (N, ...) of a batch as one row of small integers each: (N, P) uint8."""
    parts = [column.reshape(len(column), -1) for name, column in rows.items() if name.startswith("observation")]
    return torch.cat([part.to(torch.uint8) for part in parts], dim=1)


class Clone(nn.Module, Policy):
    """A network from codes to actions, and the policy that draws its actions from it."""

    name = "clone"

    def __init__(self, world, width, hidden=64):
        super().__init__()
        self.slot = world.slot
        self.register_buffer("places", torch.arange(width) * CODES)
        # The sum of one vector for each (place, code): a linear layer on one-hot codes, at a fraction of its cost.
        self.look = nn.EmbeddingBag(width * CODES, hidden, mode="sum")
        think = nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, world.num_actions)
        self.think = nn.Sequential(*think)

    def forward(self, seen, masks):
        return self.think(self.look(seen.long() + self.places)).masked_fill(masks == 0, -1e9)

    def reset(self, seed=None, num=1):
        self.generator = torch.Generator().manual_seed(0 if seed is None else seed)

    def act_batch(self, observations, masks, agents):
        actions, acting = np.zeros(masks.shape[:2], np.int64), np.nonzero(masks.any(axis=2))
        if not len(acting[0]):
            return actions
        seen = observations[acting]
        parts = {f"observation.{name}": seen[name] for name in self.slot.names or ()} or {"observation": seen}
        with torch.no_grad():
            rows = codes({name: torch.from_numpy(np.ascontiguousarray(part)) for name, part in parts.items()})
            chances = self(rows, torch.from_numpy(masks[acting])).softmax(dim=1)
        actions[acting] = torch.multinomial(chances, 1, generator=self.generator)[:, 0].numpy()
        return actions


def clone(data, lowest, updates, seed=0):
    """A network that imitates the decisions of grades from `lowest` on."""
    torch.manual_seed(seed)
    rows = next(data.torch().batches(2**22, ["observation", "mask", "action", "grade"], "train"))
    seen, wanted = codes(rows), rows["grade"] >= lowest
    seen, masks, actions = seen[wanted], rows["mask"][wanted], rows["action"][wanted].long()
    network = Clone(data.world, seen.shape[1])
    optimizer = torch.optim.Adam(network.parameters(), 2e-3)
    for _ in range(updates):
        chosen = torch.randint(len(seen), (256,))
        loss = nn.functional.cross_entropy(network(seen[chosen], masks[chosen]), actions[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network


def main(episodes=1500, updates=1500, tests=200, seed=0):
    """Clone the data of each world, all of it and the best third; the scores, by world and data."""
    torch.set_num_threads(1)
    scores = {}
    table = Table("world", "data", "score", title="0 is random play, 1 the best baseline")
    for name, parameters in WORLDS.items():
        with tempfile.TemporaryDirectory() as folder:
            data = record(build(name, parameters), None, episodes, folder, seed, grades=GRADES)
            rows = data.about["scores"]
            found = scores[name] = {f"grade {row['grade']:g}": row["score"] for row in rows}
            for label, lowest in (("clone of all", 0.0), ("clone of grade 1", 1.0)):
                got = measure(data.world, clone(data, lowest, updates), rows[0]["others"], tests, seed + 10**6)
                found[label] = float(normalised(got.mean, rows[0]["random"], rows[0]["reference"]))
        for label, score in found.items():
            table.add_row(name, label, f"{score:.3f}")
    print(table)
    return scores


if __name__ == "__main__":
    main()
