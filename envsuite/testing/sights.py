"""The pictures, texts and numbers for an agent reveal no more than its observations do."""

from __future__ import annotations

import contextlib
import copy
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError
from envsuite.core.world import World
from envsuite.testing.case import Case, as_observation, content, demand, random_moves

#: Starts that are tried, agents whose sight is compared, and episodes that run side by side for each of them.
_STARTS, _AGENTS, _ROWS = 16, 2, 8

#: Levels that are altered, and attempts to alter one so that the world takes it.
_LEVELS, _TRIALS = 3, 20


def check_sight(case: Case) -> None:
    """Two states that an agent cannot distinguish have one picture, text, reply, prompt and uncertainty for it.

    It cannot distinguish them if its history is the same in both: its own observation, mask, reward and end at the
    reset and after every transition since, and its own actions. So its earlier observations may be shown, and the
    number of transitions. Actions, draws and rewards of other agents and results of chance may be shown only as far as
    its observations reveal them. The check compares ``scene(agent)``, ``text(agent)``, ``reply(agent)``,
    ``prompt(agent)`` and, where secrets are counted, ``uncertainty(agent)`` until the agent's episode is over; then a
    world may reveal hidden information.

    Both states can be reached by the rules, so a difference is always a leak. They come from other seeds, from levels
    that differ in a place or two, and from episodes continued with other moves of the other agents and other chance.
    """
    for leak in leaks(case):
        demand(not leak, leak)


def leaks(case: Case) -> Iterator[str]:
    """For each pair of states that an agent cannot distinguish: the view that differs, or an empty text."""
    world, rng = case.world, np.random.default_rng(case.seed)
    agents = sorted(rng.permutation(len(world.agents))[:_AGENTS].tolist())
    rows = {a: range(k * _ROWS, (k + 1) * _ROWS) for k, a in enumerate(agents)}  # those that are for its sight
    owner = np.repeat(agents, _ROWS).tolist()
    starts, batch = _starts(world, case.seed, rng), Batch(world, len(owner))
    histories, over = [b""] * len(owner), np.ones(len(owner), np.bool_)
    for _ in range(case.steps + 1):
        fresh = np.zeros(len(owner), np.bool_)
        for a in agents:
            if over[rows[a]].all():
                _begin(starts, batch, histories, rows[a], a, rng)
                fresh[rows[a]] = True
            else:
                fresh[_fill(batch, histories, rows[a], over, rng)] = True
        rewards = batch.rewards.copy()  # which `observe` sets to zero
        batch.observe(fresh)
        batch.rewards[:], over = rewards, batch.over()
        for i, a in enumerate(owner):
            histories[i] = _digest(histories[i] + _seen(batch, i, a))
        yield from _compare(batch, histories, owner)
        actions = random_moves(world, batch.masks, rng)
        for i, a in enumerate(owner):  # the same choice for the same history
            actions[i, a] = random_moves(world, batch.masks[i, a], np.random.default_rng([*histories[i], case.seed]), a)
            histories[i] = _digest(histories[i] + actions[i, a].tobytes())
        batch.step(actions, ~over)


def _digest(history: bytes) -> bytes:
    return hashlib.blake2b(history, digest_size=16).digest()


def _starts(world: World, seed: int, rng: np.random.Generator) -> Batch:
    """Starts of episodes by some seeds, with levels, where there are any, that differ from these seeds' in places."""
    batch, seeds = Batch(world, _STARTS), np.arange(seed, seed + _STARTS)
    batch.start(seeds, where=np.arange(_LEVELS))
    levels: list[Any] = []
    if world.information == "imperfect":  # else all of a level is seen
        with contextlib.suppress(LevelError):
            levels = [world.get_level(batch.record(i)) for i in range(_LEVELS)]
    for i in range(_LEVELS, _STARTS - _LEVELS) if levels else ():
        for _ in range(_TRIALS):
            level = _altered(levels[i % _LEVELS], levels[rng.integers(_LEVELS)], rng)
            if level == levels[i % _LEVELS]:
                continue
            try:
                batch.set_level(i, level)
            except LevelError:
                continue
            seeds[i] = seed + i % _LEVELS
            break
    for i, level in enumerate(levels):
        batch.set_level(i, level)
    batch.start(seeds)
    return batch


def _altered(level: Any, other: Any, rng: np.random.Generator) -> Any:
    """A level in which two unequal entries are exchanged, or one is as an entry is there or in the other level."""
    level, exchange = copy.deepcopy(level), rng.random() < 0.5
    parts = [key for key in level if _paths(level[key]) or level[key] != other[key]]
    if not parts:
        return level
    key = parts[rng.integers(len(parts))]
    source = level[key] if exchange else other[key]
    path = _any(_paths(level[key]), rng)
    entry = _entry(level[key], path)
    unequal = [found for found in _paths(source) if len(found) == len(path) and _entry(source, found) != entry]
    if unequal:
        found = _any(unequal, rng)
        _put(level, (key, *path), copy.deepcopy(_entry(source, found)))
        if exchange:
            _put(level, (key, *found), entry)
    elif not path:
        level[key] = copy.deepcopy(other[key])
    return level


def _any(paths: list[tuple[Any, ...]], rng: np.random.Generator) -> tuple[Any, ...]:
    return paths[rng.integers(len(paths))] if paths else ()


def _paths(value: Any) -> list[tuple[Any, ...]]:
    """The paths of all entries of plain data, at any depth; in a list of texts of one length, also of all letters."""
    entries = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    paths = [path for key, part in entries for path in ((key,), *((key, *rest) for rest in _paths(part)))]
    if len(entries) > 1 and len({len(part) if isinstance(part, str) else 0 for _, part in entries}) == 1:
        paths += [(key, k) for key, part in entries if isinstance(part, str) for k in range(len(part))]
    return paths


def _entry(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _put(value: Any, path: tuple[Any, ...], entry: Any) -> None:
    holder = _entry(value, path[:-1])
    if isinstance(holder, str):
        _put(value, path[:-1], holder[: path[-1]] + str(entry) + holder[path[-1] + 1 :])
    else:
        holder[path[-1]] = entry


def _begin(
    starts: Batch, batch: Batch, histories: list[bytes], rows: Sequence[int], a: int, rng: np.random.Generator
) -> None:
    """Start these rows' episodes with starts that the agent cannot distinguish, if there are several."""
    kinds: dict[bytes, list[int]] = {}
    for i in range(starts.num):
        kinds.setdefault(_seen(starts, i, a), []).append(i)
    common = [kind for kind in kinds.values() if len(kind) > 1] or list(kinds.values())
    chosen = common[rng.integers(len(common))]
    for k, i in enumerate(rows):
        batch.records[i], batch.rewards[i] = starts.records[chosen[k % len(chosen)]], 0.0
        if k >= len(chosen):
            batch.records["rng"][i] = rng.integers(2**63)
        histories[i] = b""


def _fill(
    batch: Batch, histories: list[bytes], rows: Sequence[int], over: np.ndarray, rng: np.random.Generator
) -> list[int]:
    """Rows that are over, or alone with their history, become copies of others, with other chance to come."""
    filled, alike = [], Counter(histories[i] for i in rows if not over[i])
    for i in rows:
        if over[i] or alike[histories[i]] == 1:
            other = rng.choice([j for j in rows if not over[j]])
            batch.records[i], batch.rewards[i] = batch.records[other], batch.rewards[other]
            batch.records["rng"][i] = rng.integers(2**63)
            histories[i] = histories[other]
            filled.append(i)
    return filled


def _seen(batch: Batch, i: int, a: int) -> bytes:
    """The data that an agent gets with a state: observation, mask, reward and ends."""
    seen = as_observation(batch.world.observation_spaces[a], batch.observations[i, a])
    parts = [*(seen.values() if isinstance(seen, dict) else [seen]), batch.masks[i, a], batch.rewards[i, a]]
    return b"".join(content(np.asarray(part)) for part in [*parts, *batch.ends[:, i, a]])


def _compare(batch: Batch, histories: list[bytes], owner: Sequence[int]) -> Iterator[str]:
    world = batch.world
    first: dict[tuple[int, bytes], int] = {}
    shown: dict[int, list[list[str]]] = {}
    for i, a in enumerate(owner):
        if batch.ends[:, i, a].any():
            continue
        j = first.setdefault((a, histories[i]), i)
        hidden = [
            name
            for name in batch.records.dtype.names or ()
            if name != "rng" and content(batch.records[name][i]) != content(batch.records[name][j])
        ]
        if hidden:
            if j not in shown:
                shown[j] = _shown(world, batch.record(j), a)
            for what, (one, other) in zip(_KINDS, zip(shown[j], _shown(world, batch.record(i), a))):
                yield _difference(world, a, what, one, other, hidden, int(batch.records["t"][i]))


_KINDS = "picture", "text", "reply", "prompt", "uncertainty"


def _shown(world: World, s: Any, a: int) -> list[list[str]]:
    """The agent's picture, text, reply, prompt and, where secrets are counted, uncertainty, in lines."""
    scene = world.scene(s, a)
    size = f"{scene.width} x {scene.height}, {scene.background}"
    texts = [world.text(s, a), world.reply(s, a), world.prompt(s, a)]
    counted = [[str(world.uncertainty(s, a))]] if world.counted else []
    return [[size, *map(repr, scene.shapes)], *(text.splitlines() for text in texts), *counted]


def _difference(world: World, a: int, what: str, one: list[str], other: list[str], hidden: list[str], t: int) -> str:
    if one == other:
        return ""
    k = next((k for k, (x, y) in enumerate(zip(one, other)) if x != y), min(len(one), len(other)))
    lines = [lines[k] if k < len(lines) else "nothing" for lines in (one, other)]
    return (
        f"after {t} transitions, the {what} of {world.agents[a]} shows what its observations do not reveal: "
        f"{lines[0]!r} in one state, {lines[1]!r} in another; these states differ in {', '.join(hidden)}"
    )
