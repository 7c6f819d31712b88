"""Population-based training: trainers side by side, of which the worst now and then copy the best.

    population = Population("DoorKey", {"size": 5}, steps=200_000, members=4, ready=20_000)
    population.train(workers=2)
    matches.play(population.world, population.policy(), 1000)

All members train alone until they are *ready*. Then the worst of them take over what the best have learned
(*exploit*), with slightly changed rates (*explore*), and all train again. So a run finds a schedule of rates as it
learns (Jaderberg et al., "Population based training of neural networks", 2017).

Members share nothing while they train, so they train in any number of processes, with the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch

from envsuite.compile.cache import source_hash
from envsuite.core.batch import compiled_run
from envsuite.core.errors import EnvsuiteError, ParameterError
from envsuite.core.parameters import Between, Checked, check, signature, to_json
from envsuite.core.world import World
from envsuite.interfaces.single import as_world
from envsuite.learn import checkpoint
from envsuite.learn.checkpoint import CheckpointError
from envsuite.learn.curve import Curve, mean_return
from envsuite.learn.learned import Learned, Network, network_of
from envsuite.learn.ppo import Count, Trainer
from envsuite.learn.resume import OBJECTS, contents, resumed
from envsuite.registry import build_stored
from envsuite.scale import Executor, Job, Part, executor, run

#: What a population can explore: parameters of a trainer. The last value of one that moves is its first one here: the
#: population makes the schedule.
EXPLORED = {"rate": "final_rate", "entropy": "final_entropy", "magnet": "magnet", "clip": "clip"}

#: A value that is explored is divided by this, or multiplied with it.
STEP = 1.25

#: The arrays of a checkpoint that were learned; the others belong to the worlds and draws of the member.
_LEARNED = ("net/", "adam/", "magnet/")


class Population(metaclass=Checked):
    """Trainers of one world whose rates differ.

    Args:
        world: an id, a `World` class, or a `World`.
        params: the world's parameters.
        steps: transitions of worlds in all, for each member.
        seed: of all members and of what they copy.
        members: their number.
        ready: transitions of a member from one exchange to the next.
        ranges: the lowest and the highest value of each parameter that is explored: rate, entropy, magnet or clip. At
            first the members divide each range evenly, on a logarithmic scale.
        replaced: the share of members that copy others in an exchange, one at least; with 0, all train alone.
        options: parameters of all trainers.

    Attributes:
        done: transitions of each member so far.
        members: the checkpoints of all trainers.
        rounds: plain data for each stretch from one exchange to the next: "steps" at its end, and lists with an entry
            for each member: "stages" of a curriculum, mean "returns", the "values" of what is explored by name, and
            "parents", the members that had the weights before.
    """

    parameters: dict[str, Any]

    def __init__(
        self,
        world: Any,
        params: Mapping[str, Any] | None = None,
        steps: Count = 1_000_000,
        seed: Annotated[int, Between(0, 2**63 - 1)] = 0,
        members: Annotated[int, Between(2, 1000)] = 8,
        ready: Count = 50_000,
        ranges: Mapping[str, tuple[float, float]] = {"rate": (1e-4, 1e-2), "entropy": (1e-3, 1e-1)},
        replaced: Annotated[float, Between(0, 0.5)] = 0.25,
        options: Mapping[str, Any] | None = None,
    ):
        self.world, options = as_world(world, dict(params or {})), dict(options or {})
        for name, (low, high) in ranges.items():
            if name not in EXPLORED or not 0 < low <= high or {name, EXPLORED[name]} & options.keys():
                raise ParameterError(
                    f"ranges: {name} from {low:g} to {high:g}; positive ranges of {', '.join(EXPLORED)} can be "
                    "explored, where the options do not set them"
                )
        self.done, self.rounds = 0, list[dict[str, Any]]()
        rng = np.random.default_rng([seed, 2])
        seeds = rng.integers(2**62, size=members).tolist()
        spread = {name: rng.permutation(np.geomspace(*ends, members)).tolist() for name, ends in ranges.items()}
        self.members = [
            self._first(seeds[k], {**options, **_set({name: spread[name][k] for name in spread})}, steps)
            for k in range(members)
        ]

    def _first(self, seed: int, options: Mapping[str, Any], steps: int) -> bytes:
        """The checkpoint of a new member."""
        trainer = Trainer(self.world, steps=steps, seed=seed, **options)
        policies = () if trainer.opponents is None else trainer.opponents.policies
        if trainer.schedule is not None or not all(isinstance(one, str) for one in policies):
            raise ParameterError("the members of a population have opponents by name and no schedule")
        if self.world.utility == "zero-sum" and not policies:
            raise ParameterError(
                f"{self.world.id}: members are compared by their returns, which are 0 in self-play: give opponents"
            )
        return checkpoint.pack(*contents(trainer))

    @classmethod
    def load(cls, path: str | Path, world: Any = None) -> Population:
        """The population of a file that `save` wrote, which continues exactly there.

        Args:
            path: the file.
            world: a world that is not registered; by default the file's world with its parameters.

        Raises:
            CheckpointError: the file is damaged, or holds no population.
        """
        data, arrays = checkpoint.read(path)
        if "population" not in data:
            raise CheckpointError(f"{path} holds no population")
        made, own = cls.__new__(cls), data["population"]
        try:
            if world is None:
                made.world = build_stored(data["world"], data["parameters"])
            else:
                made.world = as_world(world, {})
            stored = {**own["parameters"], "world": made.world, "params": None}
            made.parameters = check("Population", signature(cls), stored)
            made.done, made.rounds = int(own["done"]), list(own["rounds"])
            made.members = [arrays[f"member/{k}"].tobytes() for k in range(made.parameters["members"])]
            made.network()  # the parts of the file fit each other
        except (EnvsuiteError, LookupError, TypeError, ValueError) as problem:
            raise CheckpointError(f"{path}: the population cannot be resumed: {problem}") from None
        return made

    def save(self, path: str | Path) -> None:
        """Write a file that `load` continues from exactly, and that plays as the policy of the best member."""
        own = {name: value for name, value in self.parameters.items() if name not in ("world", "params")}
        own["options"] = {name: value for name, value in (own["options"] or {}).items() if name not in OBJECTS}
        best = self.network()
        members = {f"member/{k}": np.frombuffer(member, np.uint8) for k, member in enumerate(self.members)}
        checkpoint.write(
            path,
            {
                **best.data(self.world),
                "population": {"parameters": to_json(own), "done": self.done, "rounds": self.rounds},
            },
            {**best.arrays(), **members},
        )

    def settings(self) -> dict[str, Any]:
        """The parameters of the population, and those that its trainers have in common or started with."""
        return {**checkpoint.unpack(self.members[0], "a member")[0]["trainer"], **self.parameters}

    def network(self) -> Network:
        """The weights of the member whose mean return was best in the last round."""
        return network_of(self.world, *checkpoint.unpack(self.members[self.best], "the best member"), "the best member")

    def policy(self, greedy: bool = False) -> Learned:
        """The policy that plays `network()`."""
        return Learned.of(self.world, self.network(), greedy)

    def curve(self) -> Curve:
        """The curve of the best member, with the past of the weights that it has."""
        return Curve(self.world.id, checkpoint.unpack(self.members[self.best], "the best member")[0]["curve"])

    @property
    def best(self) -> int:
        """The number of the best member in the last round."""
        return self._order()[-1] if self.rounds else 0

    def train(
        self,
        workers: int | str | Executor = 1,
        progress: Callable[[int], None] | None = None,
        after: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        """Train all members to the end.

        Args:
            workers: the number of processes that train members, "ray" or "ray://host:port"; see `envsuite.scale.run`.
            progress: called with the number of transitions that a member has just finished.
            after: called with each new round; the population can be saved then.
        """
        own = self.parameters
        with executor(workers) as pool:
            while self.done < own["steps"]:
                members, parents = self._exchanged() if self.rounds else (self.members, list(range(own["members"])))
                until = min(own["steps"], self.done + own["ready"])
                stretch = Stretch(self.world, members, self.done, until)
                self.members = run(stretch, pool, progress=progress)
                found = [checkpoint.unpack(member, "a member")[0] for member in self.members]
                self.rounds.append(
                    {
                        "steps": until,
                        "stages": [data["stage"] for data in found],
                        "returns": [_score(data["curve"], self.done) for data in found],
                        "values": {name: [data["trainer"][name] for data in found] for name in own["ranges"]},
                        "parents": parents,
                    }
                )
                self.done = until
                if after is not None:
                    after(self.rounds[-1])

    def _order(self) -> list[int]:
        """The members, the worst of the last round first; one in a later stage of a curriculum is better."""
        last = self.rounds[-1]
        keys = [(stage, -math.inf if mean is None else mean) for stage, mean in zip(last["stages"], last["returns"])]
        return sorted(range(len(keys)), key=keys.__getitem__)

    def _exchanged(self) -> tuple[list[bytes], list[int]]:
        """The members after the worst have copied the best, and from which each has its weights."""
        own, members, order = self.parameters, list(self.members), self._order()
        rng = np.random.default_rng([own["seed"], 3, self.done])
        count = max(1, int(own["replaced"] * len(members))) if own["replaced"] else 0
        parents = list(range(len(members)))
        for k in order[:count]:
            parents[k] = int(rng.choice(order[len(order) - count :]))
            data, arrays = checkpoint.unpack(members[k], "a member")
            parent, learned = checkpoint.unpack(self.members[parents[k]], "a member")
            values = {
                name: float(np.clip(parent["trainer"][name] * STEP ** rng.choice((-1, 1)), low, high))
                for name, (low, high) in own["ranges"].items()
            }
            data["trainer"] |= _set(values)
            data |= {"scale": parent["scale"], "curve": parent["curve"]}
            arrays |= {name: array for name, array in learned.items() if name.startswith(_LEARNED)}
            members[k] = checkpoint.pack(data, arrays)
        return members, parents


def _set(values: Mapping[str, float]) -> dict[str, float]:
    """Parameters of a trainer that keep these values from the first to the last transition."""
    return {**values, **{EXPLORED[name]: value for name, value in values.items()}}


def _score(rows: Sequence[Mapping[str, Any]], since: int) -> float | None:
    """The mean return of a curve after some transitions; None if no episode has ended."""
    mean = mean_return([row for row in rows if row["steps"] > since])
    return None if math.isnan(mean) else mean


@dataclass
class Stretch(Job):
    """The training of all members from one exchange to the next, a block for each; the result is their checkpoints."""

    world: World
    members: Sequence[bytes]
    since: int
    until: int

    kind = "train"

    def __post_init__(self) -> None:
        self.blocks = len(self.members)

    def key(self, k: int) -> dict[str, Any]:
        return {"member": k, "steps": self.since}

    def code(self) -> str:
        world = compiled_run(self.world)
        files = (source_hash(f"learn/{name}.py") for name in ("ppo", "network", "rows", "encoder", "pool", "resume"))
        return "-".join([world.rules[:12], *(file[:12] for file in files), torch.__version__])

    def units(self, k: int) -> int:
        return self.until - self.since

    def work(self, k: int, progress: Callable[[int], None] | None = None) -> Part:
        label = f"member {k}"
        trainer = resumed(*checkpoint.unpack(self.members[k], label), label, self.world)
        trainer.train(self.until)
        if progress is not None:
            progress(self.units(k))
        return {"checkpoint": np.frombuffer(checkpoint.pack(*contents(trainer)), np.uint8)}

    def reduce(self, parts: Sequence[Part]) -> list[bytes]:
        return [part["checkpoint"].tobytes() for part in parts]
