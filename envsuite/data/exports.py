"""Exports of a data set: Parquet, JSON lines, Minari, and Parquet with the names of RLDS.

    export("door", "door/parquet", "parquet", ["observation", "mask", "text", "return_to_go"])

- **parquet**: ``train/part-00000.parquet`` and so on, ``test/``, ``episodes.parquet``, ``dataset.json`` with the types
  of all columns, ``README.md``. Observations, states and masks are binary values of a fixed size; the metadata of their
  columns holds dtype and shape, and a mask is a row of bits, the first one lowest. The row at an episode's end has no
  action (null).
- **jsonl**: ``train.jsonl``, ``test.jsonl``, ``episodes.jsonl``: a row on each line, arrays as lists.
- **rlds**: as Parquet, with `is_first`, `is_last`, `is_terminal`, `observation`, `action`, `reward` and `discount`.
  Rows are in the order of episodes, agents and steps.
- **minari**: data sets ``NAME/train-v0`` and ``NAME/test-v0``, for `minari.load_dataset` with the folder as
  MINARI_DATASETS_PATH. Minari has no agents: where a world has several, observations and actions are Dicts by agent,
  rewards have shape (T, A), and an agent that does not act has action 0. Masks are the info "action_mask".
"""

from __future__ import annotations

import copy
import json
import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from gymnasium import spaces

from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.core.errors import DataError, ParameterError
from envsuite.core.files import drafted, is_aside, replace
from envsuite.core.record import as_views
from envsuite.core.world import World
from envsuite.data.card import card
from envsuite.data.columns import BASE, Column, Plan, described, notes_of
from envsuite.data.recorded import Recorded, Split
from envsuite.data.replayed import opened

#: Rows of a Parquet file, at least, before the next one begins.
_ROWS = 1_000_000

#: The level of zstd: files are a quarter smaller than with its default, 1. That costs 3 microseconds a row of Harvest,
#: less than playing it again.
_LEVEL = 9

#: Episodes whose levels are made at once.
_LEVELS = 256

FORMATS = ("parquet", "jsonl", "rlds", "minari")

#: The columns of an export by default, besides `BASE`.
DEFAULT = ("observation", "mask")

_SPLITS: tuple[Split, ...] = ("train", "test")


def export(
    data: Recorded | str | os.PathLike[str],
    path: str | os.PathLike[str],
    to: Literal["parquet", "jsonl", "rlds", "minari"] = "parquet",
    columns: Sequence[str] = DEFAULT,
    *,
    solver: str = "auto",
    idle: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Path:
    """Write a data set in another format.

    Args:
        data: the data set, or its folder, or one of replays.
        path: the folder to write; new or empty.
        to: the format, one of `FORMATS`.
        columns: besides those of `BASE`, as in `Recorded.batches`. Minari has observations and masks, whatever is
            asked for.
        solver: see `envsuite.data.solved`.
        idle: whether agents also have rows at steps where they do not act; for parquet and jsonl. Minari's data sets
            always have them.
        progress: called with the number of rows, or of Minari's episodes, that have just been written.

    Raises:
        DataError: the data set is bad, or a library that writes the format is missing.
    """
    if to not in FORMATS:
        raise ParameterError(f"to={to!r} must be one of {', '.join(FORMATS)}")
    data = data if isinstance(data, Recorded) else opened(data)
    advance = progress or (lambda count: None)
    if to == "minari":
        _libraries("minari", "h5py")
        _minari(data, _empty(path), advance)
        return Path(path)
    if to != "jsonl":
        _libraries("pyarrow")
    plan = data.plan([*BASE, *columns], solver)
    folder = _empty(path)
    {"parquet": _parquet, "jsonl": _json_lines, "rlds": _rlds}[to](data, folder, plan, idle, advance)
    about = {**data.about, "columns": described(plan.columns), "format_of_rows": to}
    replace(folder / "README.md", _card(about, to))
    replace(folder / "dataset.json", json.dumps(about, indent=1) + "\n")
    return folder


def _libraries(*names: str) -> None:
    import importlib

    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            raise DataError(f'this format needs {name}: pip install "envsuite[data]"') from None


def _empty(path: str | os.PathLike[str]) -> Path:
    folder = Path(path)
    try:
        folder.mkdir(exist_ok=True)
        if not all(map(is_aside, folder.iterdir())):
            raise ParameterError(f"{folder} is not empty: choose another folder")
    except OSError as problem:
        raise ParameterError(f"{folder} cannot be a folder to write to: {problem.strerror}") from None
    return folder


def _card(about: Mapping[str, Any], to: str) -> str:
    """The card of the data set, with the places of its rows for sites that show data sets, and its columns."""
    ending = "jsonl" if to == "jsonl" else "parquet"
    files = "\n".join(
        f"  - split: {split}\n    path: {split}{'.jsonl' if to == 'jsonl' else f'/*.{ending}'}" for split in _SPLITS
    )
    rows = "\n".join(
        f"| {name} | {one['dtype']} | {' x '.join(map(str, one['shape']))} | {one.get('solver', '')} |"
        for name, one in about["columns"].items()
    )
    return (
        f"---\nconfigs:\n- config_name: default\n  data_files:\n{files}\n---\n\n{card(about)}\n"
        f"| column | type | shape | solver |\n|---|---|---|---|\n{rows}\n"
    )


# Episodes.


def _episodes(data: Recorded) -> Iterator[dict[str, Any]]:
    """A row for each episode."""
    scores = {row["grade"]: row["score"] for row in data.about["scores"] or ()}
    levels = _levels(data)
    for episode in data.episodes():
        yield {
            "episode": episode.number,
            "split": episode.split,
            "seed": episode.seed,
            "level": next(levels),
            "policies": list(episode.policies),
            "grade": episode.grade,
            "score": scores.get(episode.grade),
            "returns": episode.returns.tolist(),
            "length": len(episode.actions),
        }


def _levels(data: Recorded) -> Iterator[str | None]:
    """The level of each episode as JSON; None where levels do not differ."""
    if data.about["made_from"]["split"] != "level" and data.starts.levels is None:
        yield from [None] * len(data)
        return
    for first in range(0, len(data), _LEVELS):
        batch = Batch(data.world, min(_LEVELS, len(data) - first))
        data.starts.start(batch, first)
        for s in as_views(batch.records):
            yield json.dumps(data.world.get_level(s))


# Parquet.


def _parquet(data: Recorded, folder: Path, plan: Plan, idle: bool, advance: Callable[[int], None]) -> None:
    for split in _SPLITS:
        _parts(folder / split, plan.columns, data.chunks(plan, split, True, idle), advance)
    _episode_table(data, folder)


def _parts(
    folder: Path, columns: Mapping[str, Column], chunks: Iterator[dict[str, np.ndarray]], advance: Callable[[int], None]
) -> None:
    """Write rows as files of about `_ROWS` rows; one file at least, which has the types of the columns."""
    import pyarrow
    from pyarrow import parquet

    folder.mkdir()
    schema = pyarrow.schema([_field(name, column) for name, column in columns.items()])
    counted = {name: "DELTA_BINARY_PACKED" for name in ("episode", "step") if name in columns}
    repeated = [name for name in ("agent", "policy", "action", "mask", "action_name") if name in columns]
    writer, rows, number = None, _ROWS, 0
    try:
        for chunk in chunks:
            if rows >= _ROWS:
                if writer is not None:
                    writer.close()
                file = folder / f"part-{number:05}.parquet"
                writer = parquet.ParquetWriter(
                    file, schema, compression="zstd", compression_level=_LEVEL, use_dictionary=repeated,
                    column_encoding=counted,
                )  # fmt: skip
                rows, number = 0, number + 1
            arrays = [_arrow(chunk, name, field) for name, field in zip(columns, schema)]
            assert writer is not None
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
            rows += len(arrays[0])
            advance(len(arrays[0]))
    finally:
        if writer is not None:
            writer.close()


def _field(name: str, column: Column) -> Any:
    """The Arrow field of a column."""
    import pyarrow

    notes = notes_of(column)
    if name == "mask":
        kind = pyarrow.binary(-(-column.shape[0] // 8))
        notes["bits"] = "little"
    elif column.dtype == object:
        kind = pyarrow.string()
    elif column.shape and name == "vector_reward":
        kind = pyarrow.list_(pyarrow.float32(), column.shape[0])
    elif column.shape:
        kind = pyarrow.binary(column.dtype.itemsize * int(np.prod(column.shape)))
    else:
        kind = pyarrow.from_numpy_dtype(column.dtype)
    return pyarrow.field(name, kind, metadata=notes)


def _arrow(chunk: Mapping[str, np.ndarray], name: str, field: Any) -> Any:
    """A column of rows as an Arrow array; null where an action is missing."""
    import pyarrow

    column = chunk[name]
    if name == "action":
        return pyarrow.array(column, field.type, mask=column < 0)
    if name in _OF_DECISIONS or name.startswith("label."):
        return pyarrow.array(column, field.type, mask=~chunk["acting"])
    if name == "mask":
        column = np.packbits(column != 0, axis=1, bitorder="little")
    if pyarrow.types.is_fixed_size_list(field.type):
        return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(column.ravel()), type=field.type)
    if pyarrow.types.is_fixed_size_binary(field.type):
        data = pyarrow.py_buffer(np.ascontiguousarray(column))
        return pyarrow.FixedSizeBinaryArray.from_buffers(field.type, len(column), [None, data])
    return pyarrow.array(column, field.type)


#: Columns that mean nothing in the row at an episode's end.
_OF_DECISIONS = ("value", "best_action", "best", "regret", "action_name", "message")


def _episode_table(data: Recorded, folder: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([
        ("episode", pyarrow.int64()), ("split", pyarrow.string()), ("seed", pyarrow.uint64()),
        ("level", pyarrow.string()), ("policies", pyarrow.list_(pyarrow.string())), ("grade", pyarrow.float32()),
        ("score", pyarrow.float32()), ("returns", pyarrow.list_(pyarrow.float64())), ("length", pyarrow.int64()),
    ])  # fmt: skip
    rows = list(_episodes(data))
    with drafted(folder / "episodes.parquet") as draft:
        parquet.write_table(pyarrow.Table.from_pylist(rows, schema), draft, compression="zstd")


# RLDS.


def _rlds(data: Recorded, folder: Path, plan: Plan, idle: bool, advance: Callable[[int], None]) -> None:
    if idle:
        raise ParameterError("all steps of RLDS have actions: idle rows are for parquet and jsonl")
    added = {name: Column(np.dtype(bool)) for name in ("is_first", "is_last", "is_terminal")}
    columns = {
        **{name: column for name, column in plan.columns.items() if name not in ("terminated", "truncated", "acting")},
        **added, "discount": Column(np.dtype(np.float32)),
    }  # fmt: skip
    for split in _SPLITS:
        _parts(folder / split, columns, map(_with_rlds_names, data.chunks(plan, split, True)), advance)
    _episode_table(data, folder)


def _with_rlds_names(chunk: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Rows by episode and agent, with RLDS's flags; a step's discount is 0 where the episode terminates after it."""
    order = np.lexsort((chunk["agent"], chunk["episode"]))
    rows = {name: column[order] for name, column in chunk.items()}
    last = ~rows["acting"]
    first = np.ones(len(last), bool)
    first[1:] = last[:-1]
    terminal = rows["terminated"]
    found = {"is_first": first, "is_last": last, "is_terminal": last & terminal}
    return {**rows, **found, "discount": np.where(terminal, 0, 1).astype(np.float32)}


# JSON lines.


def _json_lines(data: Recorded, folder: Path, plan: Plan, idle: bool, advance: Callable[[int], None]) -> None:
    for split in _SPLITS:
        with drafted(folder / f"{split}.jsonl") as draft, open(draft, "w", encoding="utf-8") as file:
            for chunk in data.chunks(plan, split, True, idle):
                ended = ~chunk["acting"]
                lists = {name: _listed(name, column, ended) for name, column in chunk.items()}
                file.writelines(json.dumps(dict(zip(lists, row))) + "\n" for row in zip(*lists.values()))
                advance(len(ended))
    with drafted(folder / "episodes.jsonl") as draft, open(draft, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in _episodes(data))


def _listed(name: str, column: np.ndarray, ended: np.ndarray) -> list[Any]:
    """A column as plain data; None where an entry means nothing, or is not a number."""
    missing = np.zeros(len(column), bool)
    if name == "action" or name in _OF_DECISIONS or name.startswith("label."):
        missing = ended
    if column.dtype.kind == "f" and column.ndim == 1:
        missing = missing | np.isnan(column)
    return [None if no else value for no, value in zip(missing, column.tolist())]


# Minari.


def _minari(data: Recorded, folder: Path, advance: Callable[[int], None]) -> None:
    import minari

    world = data.world
    several = len(world.agents) > 1
    discrete = [spaces.Discrete(len(names)) for names in world.action_names]
    action_spaces: dict[str, spaces.Space] = dict(zip(world.agents, discrete))
    observation_spaces = dict(zip(world.agents, world.observation_spaces))
    alone = world.agents[0]
    about: dict[str, Any] = {
        "observation_space": spaces.Dict(observation_spaces) if several else observation_spaces[alone],
        "action_space": spaces.Dict(action_spaces) if several else action_spaces[alone],
        "algorithm_name": ", ".join(dict.fromkeys(data.policies)),
        "description": card(data.about),
        "requirements": [f"envsuite=={data.about['made_from']['envsuite']}"],
        "jpeg_encoding": False,
        "env": _env_spec(data),
    }
    name = re.sub(r"[^a-z0-9]+", "-", world.id.rpartition("/")[2].rpartition("-v")[0].lower() or world.id.lower())
    held = os.environ.get("MINARI_DATASETS_PATH")
    os.environ["MINARI_DATASETS_PATH"] = str(folder.resolve())
    try:
        for split in _SPLITS:
            made = None
            for buffers in _buffers(data, split):
                if made is None:
                    with warnings.catch_warnings():  # of facts that are for its public server
                        warnings.simplefilter("ignore", UserWarning)
                        made = minari.create_dataset_from_buffers(f"{name}/{split}-v0", buffers, **about)
                else:
                    made.update_dataset_from_buffer(buffers)
                advance(len(buffers))
    finally:
        if held is None:
            del os.environ["MINARI_DATASETS_PATH"]
        else:
            os.environ["MINARI_DATASETS_PATH"] = held


def _env_spec(data: Recorded) -> Any:
    """What Gymnasium makes the environment from; None for several agents and for worlds that are not registered."""
    import gymnasium

    if len(data.world.agents) > 1 or data.world.id not in registry.ids():
        return None
    spec = copy.deepcopy(gymnasium.spec(data.world.id))
    spec.kwargs |= data.about["made_from"]["parameters"]
    return spec


def _buffers(data: Recorded, split: Split) -> Iterator[list[Any]]:
    """Minari's buffers of the episodes of a split, some at a time."""
    from minari.data_collector import EpisodeBuffer

    world = data.world
    plan = data.plan(["episode", "observation", "mask", "action", "reward", "terminated", "truncated"])
    agents = len(world.agents)
    for chunk in data.chunks(plan, split, True, idle=True):
        dense = {name: column.reshape(-1, agents, *column.shape[1:]) for name, column in chunk.items()}
        numbers, starts = np.unique(dense["episode"][:, 0], return_index=True)
        buffers = []
        for number, start, stop in zip(numbers.tolist(), starts, [*starts[1:], len(dense["episode"])]):
            part = {name: column[start:stop] for name, column in dense.items()}
            ends = {name: part[name][:-1].all(axis=1) for name in ("terminated", "truncated")}
            seen = {agent: _seen(world, part, a) for a, agent in enumerate(world.agents)}
            done = {agent: np.maximum(part["action"][:-1, a], 0) for a, agent in enumerate(world.agents)}
            alone = world.agents[0] if agents == 1 else None
            buffers.append(EpisodeBuffer(
                seed=int(data.starts.seeds(number, 1)[0]),
                observations=seen[alone] if alone else seen,
                actions=done[alone] if alone else done,
                rewards=part["reward"][:-1, 0] if alone else part["reward"][:-1],
                terminations=ends["terminated"],
                truncations=ends["truncated"],
                infos={"action_mask": part["mask"][:, 0] if alone else part["mask"]},
            ))  # fmt: skip
        if buffers:
            yield buffers


def _seen(world: World, part: Mapping[str, np.ndarray], a: int) -> Any:
    """What an agent observes in an episode, as its space has it."""
    space = world.observation_spaces[a]
    if isinstance(space, spaces.Dict):
        return {name: part[f"observation.{name}"][:, a] for name in space}
    return part["observation"][:, a]
