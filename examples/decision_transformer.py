"""A tiny decision transformer on graded data of DoorKey and ConnectFour: asked for a return, it plays for that return.

Source: Chen et al., "Decision Transformer", 2021; here each step is one token: what is seen, the action before it, and
the return from there on. Scores are 0 for random play and 1 for the best baseline. Needs torch; a minute on one core.
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

#: Worlds with the returns that are asked for. Both pay at the end of an episode only, so they stay what they are.
WORLDS = {"DoorKey": ({"size": 6}, (0.0, 0.97)), "ConnectFour": ({}, (-1.0, 1.0))}
#: Observations are integers from 0 to CODES - 1; a sequence has LENGTH decisions of one agent.
CODES, LENGTH = 16, 8


def codes(rows, axes):
    """Observations with these leading axes as rows of small integers: (..., P) uint8."""
    parts = [column.reshape(*column.shape[:axes], int(np.prod(column.shape[axes:])))
             for name, column in rows.items() if name.startswith("observation")]  # fmt: skip
    return torch.cat([torch.as_tensor(part).to(torch.uint8) for part in parts], dim=axes)


class Transformer(nn.Module, Policy):
    """The network, and the policy that plays for the return `target`. It forgets after every `LENGTH` decisions."""

    name = "decision transformer"

    def __init__(self, world, width, hidden=64):
        super().__init__()
        self.world, self.width, self.target = world, width, 0.0
        self.register_buffer("places", torch.arange(width) * CODES)
        self.look = nn.EmbeddingBag(width * CODES, hidden, mode="sum")
        self.before = nn.Embedding(world.num_actions + 1, hidden)  # the last entry: none
        self.wanted, self.time = nn.Linear(1, hidden), nn.Parameter(torch.zeros(LENGTH, hidden))
        layer = nn.TransformerEncoderLayer(hidden, 4, 2 * hidden, 0.0, batch_first=True, norm_first=True)
        self.think = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.choose = nn.Linear(hidden, world.num_actions)

    def forward(self, seen, before, wanted):
        """Scores (N, L, K) of actions, from codes (N, L, P), actions before (N, L) and returns (N, L)."""
        count, length, _ = seen.shape
        tokens = self.look((seen.long() + self.places).flatten(0, 1)).view(count, length, -1)
        tokens = tokens + self.before(before) + self.wanted(wanted[..., None]) + self.time[:length]
        future = nn.Transformer.generate_square_subsequent_mask(length)
        return self.choose(self.think(tokens, future, is_causal=True))

    def reset(self, seed=None, num=1):
        self.generator = torch.Generator().manual_seed(0 if seed is None else seed)
        shape = (num, len(self.world.agents), LENGTH)
        self.seen = torch.zeros(*shape, self.width, dtype=torch.uint8)
        self.taken = torch.full(shape, self.world.num_actions)  # before each decision
        self.count = np.zeros(shape[:2], np.int64)

    def act_batch(self, observations, masks, agents):
        actions = np.zeros(masks.shape[:2], np.int64)
        copies, seats = np.nonzero(masks.any(axis=2))
        if not len(copies):
            return actions
        at, slots = (copies, np.asarray(agents)[seats]), observations[copies, seats]
        names = self.world.slot.names
        parts = {f"observation.{name}": slots[name] for name in names} if names else {"observation": slots}
        place = self.count[at] % LENGTH
        self.seen[*at, place] = codes(parts, 1)
        with torch.no_grad():
            wanted = torch.full((len(copies), LENGTH), self.target)
            scores = self(self.seen[at], self.taken[at], wanted)[torch.arange(len(copies)), place]
        scores[torch.as_tensor(masks[copies, seats] == 0)] = -1e9
        chosen = torch.multinomial(scores.softmax(dim=1), 1, generator=self.generator)[:, 0]
        self.taken[*at, (place + 1) % LENGTH] = chosen
        self.taken[*at, 0] = self.world.num_actions
        self.count[at] += 1
        actions[copies, seats] = chosen.numpy()
        return actions


def train(data, updates, seed=0):
    """A transformer that predicts the actions of all grades from the returns that they led to."""
    torch.manual_seed(seed)
    columns = ["observation", "mask", "action", "return_to_go"]
    rows = next(data.torch().sequences(LENGTH, columns, "train", rows=2**20))
    seen, actions = codes(rows, 2), rows["action"].long()
    before = torch.cat([torch.full_like(actions[:, :1], data.world.num_actions), actions[:, :-1]], dim=1)
    network = Transformer(data.world, seen.shape[2])
    optimizer = torch.optim.Adam(network.parameters(), 2e-3)
    for _ in range(updates):
        chosen = torch.randint(len(seen), (48,))
        scores = network(seen[chosen], before[chosen], rows["return_to_go"][chosen])
        scores = scores.masked_fill(rows["mask"][chosen] == 0, -1e9)
        valid = rows["valid"][chosen]
        loss = nn.functional.cross_entropy(scores[valid], actions[chosen][valid])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network.eval()


def main(episodes=1500, updates=1200, tests=100, seed=0):
    """Train on each world's data, and ask for returns: the scores, by world and return."""
    torch.set_num_threads(1)
    scores = {}
    table = Table("world", "return asked for", "score", title="0 is random play, 1 the best baseline")
    for name, (parameters, targets) in WORLDS.items():
        with tempfile.TemporaryDirectory() as folder:
            data = record(build(name, parameters), None, episodes, folder, seed, grades=(0.0, 0.5, 1.0))
            ends, network = data.about["scores"][0], train(data, updates, seed)
        for network.target in targets:
            got = measure(data.world, network, ends["others"], tests, seed + 10**6)
            scores[name, network.target] = float(normalised(got.mean, ends["random"], ends["reference"]))
            table.add_row(name, f"{network.target:g}", f"{scores[name, network.target]:.3f}")
    print(table)
    return scores


if __name__ == "__main__":
    main()
