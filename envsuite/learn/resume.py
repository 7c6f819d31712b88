"""Checkpoints of a running training: everything that its future depends on. Resumed, it continues bit for bit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from envsuite import registry
from envsuite.core.errors import EnvsuiteError, SnapshotError
from envsuite.core.parameters import to_json
from envsuite.learn import checkpoint
from envsuite.learn.checkpoint import CheckpointError
from envsuite.learn.curve import Curve
from envsuite.learn.learned import Learned, network_of
from envsuite.learn.pool import Pool
from envsuite.learn.ppo import Trainer

#: Parameters of a trainer that are objects; the caller gives them again at a resume.
OBJECTS = ("world", "params", "opponents", "schedule")


def save(trainer: Trainer, path: str | Path) -> None:
    """Write a checkpoint that `resume` continues from exactly, and that plays as a policy."""
    checkpoint.write(path, *contents(trainer))


def contents(trainer: Trainer) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The data and arrays of the checkpoint of a trainer, which later training does not change."""
    own, pool = trainer.parameters, trainer.opponents
    arrays = {**trainer.network().arrays(), **_copies(_arrays(trainer))}
    data: dict[str, Any] = {
        **trainer.network().data(trainer.world),
        "trainer": to_json({name: value for name, value in own.items() if name not in OBJECTS}),
        "done": trainer.done,
        "stage": trainer.stage,
        "scale": trainer.scale,
        "draws": trainer.rng.bit_generator.state,
        "ended": list(trainer.ended),
        "lengths": list(trainer.lengths),
        "curve": list(trainer.curve.rows),
        "scheduled": trainer.schedule is not None,
    }
    if pool is not None:
        plain = all(isinstance(one, str) for one in pool.policies)
        data["pool"] = {"parameters": to_json(pool.parameters) if plain else None, "added": pool.added}
        arrays["pool/wins"] = pool.wins.copy()
        for k, member in enumerate(pool.members):
            arrays[f"pool/{k}/state"] = np.frombuffer(member.get_state(), np.uint8)
            if k >= pool.fixed:
                assert isinstance(member, Learned)
                arrays |= {f"pool/{k}/{name}": array for name, array in member.network.arrays().items()}
    return data, arrays


def _arrays(trainer: Trainer) -> Iterator[tuple[str, np.ndarray]]:
    """The arrays of a trainer's state by name, each the one that it uses."""
    for i, (net, optimizer) in enumerate(zip(trainer.nets, trainer.optimizers)):
        for name, value in net.items():
            yield f"net/{i}/{name}", value.detach().numpy()
            held = optimizer.state[value]
            if not held:  # before the first step
                held |= {
                    "step": torch.zeros(()),
                    "exp_avg": torch.zeros_like(value),
                    "exp_avg_sq": torch.zeros_like(value),
                }
            for key in ("step", "exp_avg", "exp_avg_sq"):
                yield f"adam/{i}/{name}/{key}", held[key].numpy()
    for i, magnet in enumerate(trainer.magnets or ()):
        for name, value in magnet.items():
            yield f"magnet/{i}/{name}", value.numpy()
    yield from trainer.playing().items()


def _copies(arrays: Iterator[tuple[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: array.copy() for name, array in arrays}


def resume(path: str | Path, world: Any = None, opponents: Any = None, schedule: Any = None) -> Trainer:
    """The trainer of a checkpoint, which continues exactly where `save` was called.

    Args:
        path: the file.
        world: a world that is not registered; by default the file's world with its parameters.
        opponents: the trainer's, where they were not policies by name.
        schedule: the trainer's, if it had one.

    Raises:
        CheckpointError: the file is damaged, holds no training, or belongs to another version of the world.
    """
    return resumed(*checkpoint.read(path), str(path), world, opponents, schedule)


def resumed(
    data: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    label: str,
    world: Any = None,
    opponents: Any = None,
    schedule: Any = None,
) -> Trainer:
    """The trainer of the contents of a checkpoint; `label` begins the errors, the other arguments are as above."""
    if "trainer" not in data:
        raise CheckpointError(
            f"{label} holds weights without the state of their training: it plays, and can be a start"
        )
    try:
        if world is None:
            world = registry.build_stored(data["world"], data["parameters"])
        if data["scheduled"] and schedule is None:
            raise CheckpointError(f"{label}: this training has a schedule, which must be given again")
        if opponents is None and "pool" in data:
            if data["pool"]["parameters"] is None:
                raise CheckpointError(f"{label}: the opponents of this training must be given again")
            opponents = Pool(**data["pool"]["parameters"])
        trainer = Trainer(world, opponents=opponents, schedule=schedule, **data["trainer"])
        network_of(trainer.world, data, arrays, label)
        _restore(trainer, data, arrays)
    except CheckpointError:
        raise
    except (EnvsuiteError, LookupError, TypeError, ValueError, AttributeError, OverflowError) as problem:
        raise CheckpointError(f"{label}: the training cannot be resumed: {problem}") from None
    return trainer


def _restore(trainer: Trainer, data: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    stage = int(data["stage"])
    if not 0 <= stage <= len(trainer.parameters["stages"]):
        raise ValueError(f"it has no stage {stage}")
    if stage:
        trainer.enter(stage)
    for name, array in _arrays(trainer):
        given = arrays[name]
        if given.shape != array.shape or given.dtype != array.dtype or not np.isfinite(given).all():
            raise ValueError(f"the array {name!r} is not finite {array.dtype} of shape {array.shape}")
        if array.flags.writeable:
            array[...] = given
    with trainer.batch.restored(arrays["records"].tobytes()):
        pass
    trainer.generator.set_state(torch.from_numpy(arrays["generator"]))
    trainer.rng.bit_generator.state = data["draws"]
    trainer.done, trainer.scale = int(data["done"]), float(data["scale"])
    trainer.ended, trainer.lengths = list(data["ended"]), list(data["lengths"])
    trainer.curve = Curve(trainer.world.id, data["curve"])
    pool = trainer.opponents
    if pool is not None:
        pool.added = int(data["pool"]["added"])
        for k in range(pool.fixed, pool.fixed + min(pool.added, pool.selves)):
            prefix = f"pool/{k}/"
            inside = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
            pool.members.append(Learned.of(trainer.world, network_of(trainer.world, data, inside, f"opponent {k}")))
        for k, member in enumerate(pool.members):
            try:
                member.set_state(arrays[f"pool/{k}/state"].tobytes())
            except SnapshotError as problem:
                raise ValueError(f"opponent {k}: {problem}") from None
        pool.wins = arrays["pool/wins"]
