"""`Recorded`: a data set that was recorded, read by episodes, batches of rows and sequences, as arrays or tensors."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from envsuite import registry
from envsuite.core import snapshot
from envsuite.core.batch import Batch, compiled_run
from envsuite.core.errors import DataError, EnvsuiteError, ParameterError
from envsuite.core.parameters import is_integer, to_json
from envsuite.core.world import World
from envsuite.data.columns import Plan, play_again, rows_of
from envsuite.data.store import ABOUT, Block, Starts, Store, digest_of
from envsuite.episodes.recorder import Recorder
from envsuite.episodes.replay import Replay

#: Bytes of rows that are made at once, about.
_BYTES = 2**26

#: The columns that a learner needs.
USUAL = ("observation", "mask", "action", "reward", "terminated", "truncated")

Split = Literal["train", "test"]


def _are(values: Any, kind: Any) -> bool:
    """Whether this is a list of such values."""
    return isinstance(values, list) and all(isinstance(value, kind) for value in values)


#: What `dataset.json` must hold, and whether a value can be.
_FACTS: dict[str, Callable[[Any], bool]] = {
    "episodes": lambda value: type(value) is int and value >= 0,
    "envsuite": lambda value: isinstance(value, str),
    "world": lambda value: isinstance(value, str),
    "parameters": lambda value: isinstance(value, dict),
    "agents": lambda value: _are(value, str),
    "layout": lambda value: isinstance(value, str),
    "policies": lambda value: _are(value, str),
    "code": lambda value: isinstance(value, str),
    "grades": lambda value: _are(value, (int, float)) and len(value) > 0,
    "seed": lambda value: type(value) is int and 0 <= value < 2**64,
    "split": lambda value: value in ("level", "seed"),
    "actions": lambda value: value in ("|i1", "<i2", "<i4"),
}


@dataclass(frozen=True)
class Episode:
    """One recorded episode of A agents.

    Attributes:
        number: its number in the data set.
        seed: the seed of the reset that begins it.
        split: "train" or "test".
        grade: the probability with which agents played their policies.
        level: the level that was given for it, or None for a generated one.
        actions: (T, A) as the world took them: 0 for an agent that did not act.
        returns: (A,) float64.
        rows: the columns that were asked for, with the rows of this episode.
    """

    number: int
    seed: int
    split: Split
    grade: float
    level: Mapping[str, Any] | None = field(repr=False)
    actions: np.ndarray
    returns: np.ndarray
    world: World = field(repr=False)
    policies: tuple[str, ...] = field(repr=False)
    rows: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def replay(self) -> Replay:
        """It as a replay, to watch, save or compare."""
        batch = Batch(self.world, 1, background=True)
        with Recorder(batch, players=dict(zip(self.world.agents, self.policies))) as recorder:
            batch.start(self.seed, self.level)
            for row in self.actions:
                batch.step(row)
        return recorder.replays[0]


class Recorded:
    """A data set in a folder that `record` made.

    Args:
        path: the folder.
        world: its world, where it is not registered.
        partial: whether to read what is there of a recording that was interrupted.

    Raises:
        DataError: it is damaged, unfinished, or of another world, version or code. The message names file and block.

    Attributes:
        world: its world.
        about: the content of `dataset.json`.
        policies: the policy of each agent.
        labels: the policies of the agents in episodes, which take them in turn.
        starts: where its episodes start.
    """

    def __init__(self, path: str | PathLike[str], world: World | None = None, *, partial: bool = False):
        self.store = Store(path)
        self.path = self.store.path
        self.about = self.store.about
        made_from = self._made_from()
        self.world = world or _world_of(made_from, str(self.store.path / ABOUT))
        self._check(made_from)
        self.policies: tuple[str, ...] = tuple(made_from["policies"])
        self.labels = [self.policies]
        self._grades = np.array(made_from["grades"])
        self.starts: Starts = Starts(made_from["seed"], self.store.read_levels(), len(self._grades))
        self._dtype = np.dtype(made_from["actions"])
        self._counts = np.array([len(names) for names in self.world.action_names])
        self._heads = list(self.store.heads())
        self._size = self._heads[-1][1] + self._heads[-1][2] if self._heads else 0
        self._tensors = False
        if self._size != self.about["episodes"] and not partial:
            raise DataError(
                f"{self.store.file} ends in block {len(self._heads)} with {self._size} of {self.about['episodes']} "
                "episodes: repeat the command that records it, or read these with partial=True"
            )

    def _made_from(self) -> dict[str, Any]:
        """What `dataset.json` says that the episodes depend on; `DataError` names what is missing or cannot be."""
        made_from, scores = self.about.get("made_from"), self.about.get("scores")
        facts = {**made_from, "episodes": self.about.get("episodes")} if isinstance(made_from, dict) else {}
        wrong = [name for name, fits in _FACTS.items() if not (name in facts and fits(facts[name]))]
        if not wrong and len(facts["policies"]) != len(facts["agents"]):
            wrong = ["policies"]
        if not (scores is None or _are(scores, dict) and all({"grade", "score"} <= row.keys() for row in scores)):
            wrong.append("scores")
        if wrong:
            raise DataError(f"{self.store.path / ABOUT} lacks {wrong[0]!r}, or has a wrong one")
        return made_from  # type: ignore[return-value]

    def _check(self, made_from: Mapping[str, Any]) -> None:
        """`DataError` unless this world, as it is here, made the episodes."""
        world, file = self.world, self.store.path / ABOUT
        own = {
            "envsuite": registry.__version__,
            "world": world.id,
            "agents": list(world.agents),
            "parameters": to_json(world.parameters),
            "layout": snapshot.identity(world, "data")["layout"],
        }
        for name, value in own.items():
            if made_from[name] != value:
                raise DataError(f"{file}: its {name} is {made_from[name]!r:.200}, here it is {value!r:.200}")
        if made_from["code"].partition("-")[0] != world_code(world):
            raise DataError(f"{file}: the rules of {world.id} have changed since it was recorded")

    @property
    def _file(self) -> Path:
        """The file that errors name."""
        return self.store.file

    def __len__(self) -> int:
        """Episodes."""
        return self._size

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.path}: {len(self)} episodes of {self.world!r} by {', '.join(self.policies)}>"
        )

    # Without playing.

    def blocks(self) -> Iterator[Block]:
        """The blocks of episodes, in order."""
        return (self.store.read(head, self._counts, self._dtype) for head in self._heads)

    @cached_property
    def returns(self) -> np.ndarray:
        """(N, A) float64, the total rewards of all episodes."""
        empty = np.zeros((0, len(self.world.agents)))
        return np.concatenate([empty, *(block.returns for block in self.blocks())])

    @cached_property
    def lengths(self) -> np.ndarray:
        """(N,) int64, the transitions of all episodes."""
        return np.concatenate([np.zeros(0, np.int64), *(block.lengths for block in self.blocks())])

    @cached_property
    def test(self) -> np.ndarray:
        """(N,) bool, which episodes belong to the test split."""
        return np.concatenate([np.zeros(0, bool), *(block.test for block in self.blocks())])

    @property
    def grades(self) -> np.ndarray:
        """(N,) float64, the grades of all episodes."""
        return self._grades[np.arange(len(self)) % len(self._grades)]

    # Playing again.

    def plan(self, columns: Sequence[str], solver: str = "auto") -> Plan:
        """Columns by name, resolved; `ParameterError` for unknown ones."""
        if isinstance(columns, str):
            raise ParameterError(f"columns={columns!r:.60} must be a list of names")
        scores = {row["grade"]: row["score"] for row in self.about["scores"] or ()}
        return Plan(self.world, columns, self.labels, self._grades.tolist(), scores, self.starts, solver)

    def chunks(
        self, plan: Plan, split: Split | None = None, last_rows: bool = False, idle: bool = False
    ) -> Iterator[dict[str, np.ndarray]]:
        """The columns of a plan for all episodes of a split, for some whole episodes at a time.

        Args:
            plan: the columns; see `plan`.
            split: "train", "test", or None for all.
            last_rows: whether to have the rows at the ends of episodes, which have no action.
            idle: whether to have rows where an agent does not act.
        """
        for *_, rows in self._parts(plan, split, last_rows, idle):
            yield rows

    def _parts(
        self, plan: Plan, split: Split | None, last_rows: bool, idle: bool = False
    ) -> Iterator[tuple[Block, np.ndarray, dict[str, np.ndarray]]]:
        """Blocks, the numbers within them of episodes of the split that were played at once, and their rows."""
        budget = max(_BYTES // (plan.row_bytes * len(self.world.agents)), 1)
        for number, block in enumerate(self.blocks()):
            where = f"{self._file}, block {number}"
            end, moments = hashlib.blake2b(digest_size=16), np.cumsum(block.lengths + 1)
            first, found = 0, b""
            chosen = _in_split(block, split)
            while first < len(block):
                before = moments[first - 1] if first else 0
                last = max(int(np.searchsorted(moments, before + budget, side="right")), first + 1)
                played = play_again(plan, block, first, last, where)
                found = digest_of(played.records, end)
                part = chosen[first:last]
                rows = rows_of(plan, block, first, played, part, last_rows, idle)
                yield block, first + np.flatnonzero(part), rows
                first = last
            if block.end and found != block.end:
                raise DataError(f"{where}: its episodes do not end in the states in which they were recorded")

    def verify(self) -> None:
        """Play all episodes again, or raise `DataError` where one differs."""
        for _ in self.chunks(self.plan([])):
            pass

    # Reading.

    def episodes(
        self, columns: Sequence[str] | None = None, split: Split | None = None, *, solver: str = "auto"
    ) -> Iterator[Episode]:
        """The episodes of a split, or all; with columns, for which they are played again.

        Rows are those where an agent acts, and the last one of each agent, which has no action.
        """
        if columns is None:
            for block in self.blocks():
                for k in np.flatnonzero(_in_split(block, split)).tolist():
                    yield self._episode(block, k, {})
            return
        plan = self.plan([*columns, "episode"], solver)
        for block, numbers, rows in self._parts(plan, split, True):
            cuts = np.searchsorted(rows["episode"], block.first + numbers)
            for k, start, stop in zip(numbers, cuts, [*cuts[1:], len(rows["episode"])]):
                part = {name: column[start:stop] for name, column in rows.items()}
                if "episode" not in columns:
                    del part["episode"]
                yield self._episode(block, k, self._converted(part))

    def _episode(self, block: Block, k: int, rows: Mapping[str, Any]) -> Episode:
        number, actions = block.first + int(k), block.actions[block.starts[k] : block.starts[k + 1]]
        return Episode(
            number, int(self.starts.seeds(number, 1)[0]), "test" if block.test[k] else "train",
            float(self._grades[number % len(self._grades)]), self.starts.level(number), actions,
            block.returns[k], self.world, self.labels[number % len(self.labels)], rows,
        )  # fmt: skip

    def batches(
        self, rows: int, columns: Sequence[str] = USUAL, split: Split | None = None, *, solver: str = "auto"
    ) -> Iterator[dict[str, Any]]:
        """The decisions of all agents, in order, in arrays of `rows` rows; the last arrays may be shorter.

        Args:
            rows: the number of rows.
            columns: names; "observation" and "state" stand for all their parts.
            split: "train", "test", or None for all.
            solver: that fills "value", "best", "best_action" and "regret"; see `envsuite.data.solved`.
        """
        plan = self.plan(columns, solver)
        return map(self._converted, _in_pieces(self.chunks(plan, split), rows, "rows"))

    def sequences(
        self,
        length: int,
        columns: Sequence[str] = USUAL,
        split: Split | None = None,
        *,
        rows: int = 1024,
        solver: str = "auto",
    ) -> Iterator[dict[str, Any]]:
        """The decisions of one agent in one episode, cut into sequences of `length`: arrays (rows, length, ...).

        The last sequence of an agent is filled up with zeros; "valid" (rows, length) is false there. The other
        arguments are as in `batches`.
        """
        if not is_integer(length) or length < 1:
            raise ParameterError(f"length={length!r} must be a positive integer")
        plan = self.plan([*columns, "episode", "agent"], solver)
        dropped = {"episode", "agent"} - set(columns)
        cut = (_cut(part, length, dropped) for part in self.chunks(plan, split))
        return map(self._converted, _in_pieces(cut, rows, "rows"))

    def torch(self) -> Recorded:
        """The same data set, whose columns are torch tensors; texts stay arrays."""
        made = copy.copy(self)
        made._tensors = True
        return made

    def _converted(self, part: Mapping[str, np.ndarray]) -> dict[str, Any]:
        if not self._tensors:
            return dict(part)
        try:
            import torch
        except ImportError:
            raise DataError("tensors need torch: pip install torch") from None
        return {
            name: column if column.dtype == object else torch.from_numpy(np.ascontiguousarray(column))
            for name, column in part.items()
        }


def _in_split(block: Block, split: Split | None) -> np.ndarray:
    """(N,) bool, which episodes of a block belong to a split."""
    if split not in (None, "train", "test"):
        raise ParameterError(f"split={split!r} must be 'train', 'test' or None")
    return np.ones(len(block), bool) if split is None else block.test == (split == "test")


def _in_pieces(parts: Iterator[dict[str, np.ndarray]], size: int, name: str) -> Iterator[dict[str, np.ndarray]]:
    """Arrays joined and cut, so that all but the last have `size` rows."""
    if not is_integer(size) or size < 1:
        raise ParameterError(f"{name}={size!r} must be a positive integer")
    held: list[dict[str, np.ndarray]] = []
    count = 0
    for part in parts:
        held.append(part)
        count += len(next(iter(part.values()), ()))
        if count < size:
            continue
        joined = {key: np.concatenate([one[key] for one in held]) for key in part}
        for at in range(0, count - size + 1, size):
            yield {key: column[at : at + size] for key, column in joined.items()}
        held, count = [{key: column[count - count % size :] for key, column in joined.items()}], count % size
    if count:
        yield {key: np.concatenate([one[key] for one in held]) for key in held[0]}


def _cut(part: Mapping[str, np.ndarray], length: int, dropped: Collection[str]) -> dict[str, np.ndarray]:
    """Rows of whole episodes as sequences of one agent each."""
    episodes, agents = part["episode"], part["agent"]
    order = np.lexsort((agents, episodes))  # stable: steps stay in order
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(episodes[order]) != 0) | (np.diff(agents[order]) != 0)
    begins = np.flatnonzero(new)
    inside = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
    row = np.cumsum(inside % length == 0) - 1
    count = int(row[-1]) + 1 if len(row) else 0
    found = {}
    for name, column in [*part.items(), ("valid", np.ones(len(order), bool))]:
        if name not in dropped:
            empty = "" if column.dtype == object else 0
            found[name] = np.full((count, length, *column.shape[1:]), empty, column.dtype)
            found[name][row, inside % length] = column[order] if name != "valid" else True
    return found


def world_code(world: World) -> str:
    """The stamp of a world's rules, with which "code" in `dataset.json` begins."""
    return compiled_run(world).rules[:12]


def _world_of(made_from: Mapping[str, Any], file: str) -> World:
    """The registered world that a data set names."""
    if made_from["world"] not in registry.ids():
        raise DataError(f"{file}: {made_from['world']!r:.80} is not registered here: import its module, or pass world=")
    try:
        return registry.build(made_from["world"], made_from["parameters"])
    except EnvsuiteError as problem:
        raise DataError(f"{file}: its world cannot be made: {problem}") from None
