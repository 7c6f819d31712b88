"""`Learned`: a trained network as a policy, which plays wherever policies play. It needs NumPy alone.

make_policy("learned:net.ckpt", world)          # a file that `envsuite train` or `Trainer.save` wrote
make_policy("learned", "DoorKey")               # a network that comes with the package
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from envsuite import registry
from envsuite.core.batch import stream_starts
from envsuite.core.errors import ParameterError, SnapshotError, suggest
from envsuite.core.parameters import to_json
from envsuite.core.policy import Policy, single, slots
from envsuite.core.random import mix
from envsuite.core.world import World
from envsuite.learn import checkpoint, network
from envsuite.learn.checkpoint import CheckpointError
from envsuite.learn.encoder import Encoder

#: The networks that come with the package, each in a file that begins with the name of its world.
BUNDLED = Path(__file__).with_name("checkpoints")


@dataclass(frozen=True)
class Network:
    """The weights that play a world's seats, and the shape that they have.

    Attributes:
        hidden, layers, memory: see `network.first_weights`.
        groups: the numbers of the agents that share weights, a tuple for each set of weights.
        weights: these sets, float32 arrays by name.
    """

    hidden: int
    layers: int
    memory: bool
    groups: tuple[tuple[int, ...], ...]
    weights: tuple[Mapping[str, np.ndarray], ...] = field(repr=False)

    def data(self, world: World) -> dict[str, Any]:
        """What a checkpoint says of the network, as plain data."""
        return {
            "world": world.id,
            "parameters": to_json(world.parameters, str),
            "encoder": encoder_of(world).stamp,
            "actions": world.num_actions,
            "agents": len(world.agents),
            "hidden": self.hidden,
            "layers": self.layers,
            "memory": self.memory,
            "groups": self.groups,
        }

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights as a checkpoint names them."""
        return {f"{g}/{name}": array for g, found in enumerate(self.weights) for name, array in found.items()}

    def save(self, world: World, path: str | Path) -> None:
        """Write a small checkpoint, its weights rounded to 16 bits, that plays and cannot be resumed."""
        checkpoint.write(path, self.data(world), {n: a.astype(np.float16) for n, a in self.arrays().items()})


def encoder_of(world: World) -> Encoder:
    """The encoder of the agents' observations in a world."""
    return Encoder(world.observation_spaces, len(world.agents))


def network_of(world: World, data: Mapping[str, Any], arrays: Mapping[str, np.ndarray], label: str) -> Network:
    """The network of a checkpoint that was read, or `CheckpointError` if it does not fit a world."""
    try:
        groups = tuple(tuple(int(a) for a in group) for group in data["groups"])
        shape = int(data["hidden"]), int(data["layers"]), bool(data["memory"])
        stamp, trained, counts = data["encoder"], data["world"], (data["agents"], data["actions"])
    except (LookupError, TypeError, ValueError, OverflowError) as problem:
        raise CheckpointError(f"{label}: the checkpoint lacks {problem}") from None
    encoder = encoder_of(world)
    if stamp != encoder.stamp or counts != (len(world.agents), world.num_actions):
        raise CheckpointError(
            f"{label} was trained in {trained} with {data.get('parameters')!r:.300}; "
            f"it does not fit the observations, actions and agents of {world!r:.200}"
        )
    outputs = {"policy": world.num_actions, **({"value": 1} if "0/value" in arrays else {})}
    if shape[1] > len(arrays):  # each layer has arrays
        raise CheckpointError(f"{label}: the weights of {shape[1]} layers are not there")
    wanted = network.shapes(encoder, outputs, *shape)
    weights = []
    for g in range(len(groups)):
        found = {name: arrays.get(f"{g}/{name}", np.zeros(0)) for name in wanted}
        for name, array in found.items():
            if array.shape != wanted[name] or array.dtype.kind != "f" or not np.isfinite(array).all():
                raise CheckpointError(f"{label}: the weights {name!r} are not finite numbers of shape {wanted[name]}")
        weights.append({name: array.astype(np.float32) for name, array in found.items()})
    return Network(*shape, groups, tuple(weights))


def bundled(world: World) -> list[Path]:
    """The files of the networks that come with the package for a world's id."""
    short = registry.short_name(world.id)
    return sorted(path for path in BUNDLED.glob("*.ckpt") if path.stem.partition("-")[0] == short)


def load(world: World, file: str | None) -> Network:
    """The network of a file, of a bundled network by its name, or without a name a bundled one that fits.

    One that was trained with the world's parameters comes before others with the same observations and actions.
    """
    if file is None:
        own = to_json(world.parameters, str)
        found = [(path.stem, *checkpoint.read(path)) for path in bundled(world)]
        for name, data, arrays in sorted(found, key=lambda one: one[1].get("parameters") != own):
            with suppress(CheckpointError):
                return network_of(world, data, arrays, name)
        known = ", ".join(path.stem for path in bundled(world)) or "none"
        raise ParameterError(
            f"no learned network comes with envsuite for {world!r:.200} (for other parameters: {known}); "
            "'learned:FILE' plays one that `envsuite train` wrote"
        )
    path = Path(file)
    if not path.exists() and not path.suffix:
        path = BUNDLED / f"{file}.ckpt"
        if not path.exists():
            near = suggest(file, [one.stem for one in bundled(world)])
            raise ParameterError(f"{file!r} is no file and no network that comes with envsuite{near}")
    return network_of(world, *checkpoint.read(path), file)


class Learned(Policy):
    """Plays a trained network: draws an action by its probabilities, or takes the likeliest one.

    Probabilities are float64, so that the actions do not depend on how many copies of the world are played at once.

    Args:
        world: the world that it plays.
        file: a checkpoint, or the name of a network that comes with the package; None: the package's for this world.
        greedy: whether to take the likeliest action.
    """

    name = "learned"

    def __init__(self, world: World, file: str | None = None, greedy: bool = False):
        self._start(world, load(world, file), greedy)

    @classmethod
    def of(cls, world: World, played: Network, greedy: bool = False) -> Learned:
        """The policy that plays a network in memory."""
        made = cls.__new__(cls)
        made._start(world, played, greedy)
        return made

    def _start(self, world: World, played: Network, greedy: bool) -> None:
        self.world, self.network, self.greedy = world, played, greedy
        self.encoder = encoder_of(world)
        self._weights = [{n: a.astype(np.float64) for n, a in found.items()} for found in played.weights]
        self._tables = [network.table(np, found, self.encoder) for found in self._weights]
        self._group = {a: g for g, group in enumerate(played.groups) for a in group}
        self.reset()

    def reset(self, seed: int | None = None, num: int = 1) -> None:
        self._seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else int(seed)
        streams = stream_starts([(self._seed + k) % 2**64 for k in range(num)])
        shifts = np.uint64(0xA5A5) + np.arange(len(self.world.agents), dtype=np.uint64)
        self._streams = stream_starts(streams[:, None] ^ shifts)
        self._memory = np.zeros((*self._streams.shape, self.network.hidden * self.network.memory))

    def refresh(self, where: np.ndarray) -> None:
        self._memory[where] = 0.0

    def act(self, observation: Any, mask: np.ndarray, agent: int = 0) -> int:
        return int(self.act_batch(*single(self.world, observation, mask, agent), [agent])[0, 0])

    def act_batch(self, observations: Any, masks: np.ndarray, agents: Sequence[int]) -> np.ndarray:
        if len(self._streams) != len(masks):
            self.reset(self._seed, len(masks))
        copies, seats = np.nonzero(masks.any(axis=2))
        players = np.asarray(agents)[seats]
        chances, memory = self._forward(observations, masks, agents)
        self._memory[copies, players] = memory
        actions = np.zeros(masks.shape[:2], np.int64)
        if self.greedy:
            actions[copies, seats] = chances.argmax(axis=1)
            return actions
        self._streams[copies, players] += np.uint64(0x9E3779B97F4A7C15)
        draws = (mix(self._streams[copies, players]) >> np.uint64(11)) * 2.0**-53
        cumulative = chances.cumsum(axis=1)
        chosen = (cumulative <= draws[:, None] * cumulative[:, -1:]).sum(axis=1)
        last = chances.shape[1] - 1 - (chances[:, ::-1] > 0).argmax(axis=1)  # where rounding leads past the end
        actions[copies, seats] = np.minimum(chosen, last)
        return actions

    def probabilities(self, observations: Any, masks: np.ndarray, agents: Sequence[int]) -> np.ndarray:
        """The probability of each action, (N, S, K) float64, for what `act_batch` takes; 0 where an agent is idle.

        If the policy is greedy, it is 1 for the likeliest action.
        """
        if len(self._streams) != len(masks):
            self.reset(self._seed, len(masks))
        copies, seats = np.nonzero(masks.any(axis=2))
        found = np.zeros(masks.shape)
        chances, memory = self._forward(observations, masks, agents)
        found[copies, seats] = chances if not self.greedy else np.eye(chances.shape[1])[chances.argmax(axis=1)]
        self._memory[copies, np.asarray(agents)[seats]] = memory
        return found

    def _forward(self, observations: Any, masks: np.ndarray, agents: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """The probabilities (M, K) of the M agents that act, and what they remember afterwards, (M, hidden)."""
        masks = np.asarray(masks)
        copies, seats = np.nonzero(masks.any(axis=2))
        players = np.asarray(agents)[seats]
        strangers = set(players.tolist()) - set(self._group)
        if strangers:
            names = ", ".join(self.world.agents[a] for a in sorted(strangers))
            raise ParameterError(f"policy {self.name!r}: this network was not trained for {names} of {self.world.id}")
        rows = slots(self.world, observations, (len(masks), len(agents)))[copies, seats]
        codes, plain = self.encoder.encode(rows, (len(rows),), players.tolist())
        legal = masks[copies, seats] != 0
        logits = np.empty(legal.shape)
        memory = self._memory[copies, players]
        groups = np.array([self._group[a] for a in players.tolist()], np.int64)
        for g in set(groups.tolist()):
            of, weights, rows_of = groups == g, self._weights[g], self._tables[g]
            summed = None if rows_of is None else network.bag(codes[of], rows_of)
            x = network.trunk(weights, summed, plain[of].astype(np.float64))
            if self.network.memory:
                x = memory[of] = network.remember(np, weights, x, memory[of])
            logits[of] = network.output(weights, "policy", x)
        logits[~legal] = -np.inf
        chances = np.exp(logits - logits.max(axis=1, keepdims=True, initial=-1e300))
        return chances / chances.sum(axis=1, keepdims=True), memory

    def get_state(self) -> bytes:
        return self._streams.tobytes() + self._memory.tobytes()

    def set_state(self, state: bytes) -> None:
        agents = len(self.world.agents)
        size = agents * 8 * (1 + self.network.hidden * self.network.memory)
        if len(state) % size:
            raise SnapshotError(f"policy {self.name!r}: {len(state)} bytes are not its state")
        count = len(state) // size
        streams = np.frombuffer(state[: count * agents * 8], np.uint64).reshape(count, agents)
        memory = np.frombuffer(state[count * agents * 8 :], np.float64).reshape(count, agents, -1)
        if not (np.abs(memory) <= 1).all():
            raise SnapshotError(f"policy {self.name!r}: its memory cannot be")
        self._streams, self._memory = streams.copy(), memory.copy()
