"""`Replayed`: replays of a world as a data set, with what was said in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from envsuite import registry
from envsuite.core import snapshot
from envsuite.core.errors import DataError
from envsuite.core.parameters import to_json
from envsuite.core.world import World
from envsuite.data.columns import Plan
from envsuite.data.recorded import Recorded
from envsuite.data.store import ABOUT, Block, Starts
from envsuite.episodes.replay import Replay

#: Episodes of a block.
_BLOCK = 1024


@dataclass(frozen=True)
class _Starts(Starts):
    """The starts of replays: each has a seed of its own, and a level or None."""

    each: Sequence[int] = ()

    def seeds(self, first: int, count: int) -> np.ndarray:
        return np.array(self.each[first : first + count], np.uint64)

    def level(self, episode: int) -> Mapping[str, Any] | None:
        return None if self.levels is None else self.levels[episode]


class Replayed(Recorded):
    """Replays of one world, read as a data set; "said" and "heard" are columns for words of agents' own.

    Args:
        path: a replay, or a folder whose ``.replay`` files are taken in the order of their names.
        world: the world, where it is not registered.

    Raises:
        DataError: there is no replay, they are of different worlds, or one is no whole episode from a seed.
        ReplayError: a file cannot be played here.
    """

    def __init__(self, path: str | PathLike[str], world: World | None = None):
        self.path = Path(path)
        self._replays = [_whole(Replay.load(file, world)) for file in _files(self.path)]
        self.world = first = self._replays[0].world
        own = snapshot.identity(first, "data")
        for replay in self._replays:
            if snapshot.identity(replay.world, "data") != own:
                raise DataError(f"{replay.path} is of {replay.world!r}, and {self._replays[0].path} of {first!r}")
        starts = [replay.start for replay in self._replays]
        levels: list[Any] = [start.level for start in starts]
        self.starts = _Starts(0, levels if any(levels) else None, each=[start.seed or 0 for start in starts])
        self.labels = [tuple(replay.players.get(name, "") for name in first.agents) for replay in self._replays]
        self.policies = tuple(dict.fromkeys(name for players in self.labels for name in players if name))
        self.about = self._described()
        self._grades, self._size, self._tensors = np.ones(1), len(self._replays), False

    @property
    def _file(self) -> Path:
        return self.path

    def _described(self) -> dict[str, Any]:
        """As `dataset.json` describes a data set that was recorded."""
        world = self.world
        return {
            "episodes": len(self._replays),
            "scores": None,
            "made_from": {
                "envsuite": registry.__version__, "world": world.id, "parameters": to_json(world.parameters),
                "agents": list(world.agents), "policies": list(self.policies), "grades": [1.0], "split": "seed",
                "replays": self.path.name,
            },
        }  # fmt: skip

    def blocks(self) -> Iterator[Block]:
        for first in range(0, len(self), _BLOCK):
            part = self._replays[first : first + _BLOCK]
            yield Block(
                first, np.array([len(replay) for replay in part]), np.array([replay.returns for replay in part]),
                np.zeros(len(part), bool), b"", np.concatenate([replay.actions for replay in part]),
                [replay.checksums[-1] for replay in part],
            )  # fmt: skip

    def plan(self, columns: Sequence[str], solver: str = "auto") -> Plan:
        plan = super().plan(columns, solver)
        plan.words = [replay.words for replay in self._replays]
        return plan


def opened(path: str | PathLike[str], *, partial: bool = False) -> Recorded:
    """The data set that `record` made in a folder, or the replays there."""
    folder = Path(path)
    made = (folder / ABOUT).exists() or not (folder.is_file() or [*folder.glob("*.replay")])
    return Recorded(path, partial=partial) if made else Replayed(path)


def _files(path: Path) -> list[Path]:
    """The replays in a folder, or the one that is named."""
    found = [path] if path.is_file() else sorted(path.glob("*.replay"))
    if not found:
        raise DataError(f"{path} has no replays, files that end in .replay")
    return found


def _whole(replay: Replay) -> Replay:
    """A replay, if it is a whole episode from a seed; `DataError` says what it is instead."""
    world = replay.world
    world.require_actions("a data set")
    if replay.start.seed is None or replay.start.tuned:
        raise DataError(f"{replay.path} starts from a state or from tuned numbers, and not from a seed")
    if not replay.over:
        raise DataError(f"{replay.path} ends before the episode does")
    if (replay.actions < 0).any():
        raise DataError(f"{replay.path}: an agent forfeits, which a data set cannot hold")
    return replay
