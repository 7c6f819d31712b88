"""Levels that are lists of moves: the rules play them and find illegal moves.

The record has a field `level` with `length` and `moves`, the actions that `reset` plays if a level is given, and
everything else that a level sets. `params` are those of the episode.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError
from envsuite.core.ranges import within
from envsuite.core.record import array_of, as_views
from envsuite.core.world import World


def level_field(most: int, move: np.dtype) -> tuple:
    """The field `level` for at most this number of moves, which have this type."""
    return ("level", np.dtype([("length", within(np.int64, 0, most)), ("moves", move, (most,))]))


def started(world: Any, s: Any) -> Batch:
    """A batch with one game that starts from the level of a record, before the level's moves."""
    batch = Batch(world, 1)
    batch.records["params"] = array_of(s.params)
    batch.records["level"] = array_of(s.level)
    batch.records["level"]["length"] = 0
    batch.records["level_given"] = 1
    batch.start()
    return batch


def play_level(
    world: Any,
    s: Any,
    moves: Iterable[Any],
    read: Callable[[Any, Any], int | None] | None = None,
    place: Callable[[Any], str] = lambda now: "",
) -> None:
    """Store moves in a record's level, or raise `LevelError` if a move is illegal or the game is over.

    Args:
        world: the world.
        s: the record, which holds the rest of the level.
        moves: the moves as in a level.
        read: the action of a move in a record, or None if it is no move; its `ValueError` explains what is wrong. By
            default, moves are names of actions.
        place: the text that an error adds about the record in which a move is illegal or the game is over.
    """
    moves, batch = list(moves), started(world, s)
    now = batch.record()
    for k, move in enumerate(moves):
        if batch.finished[0]:
            break
        player = int(batch.acting[0].argmax())
        names = world.action_names[player]
        try:
            action = (names.index(move) if move in names else None) if read is None else read(now, move)
        except ValueError as wrong:
            raise LevelError(f"{world.id}: move {k} of the level, {move!r}, {wrong}{place(now)}") from None
        if action is None or not batch.masks[0, player, action]:
            problem = "is not a move of this game" if action is None else "is illegal"
            raise LevelError(f"{world.id}: move {k} of the level, {move!r}, {problem}{place(now)}")
        s.level.moves[k] = action
        batch.step(action)
    if batch.finished[0]:
        raise LevelError(f"{world.id}: the level's game is over after {now.t} moves{place(now)}")
    s.level.length = len(moves)


def read_position(
    world: Any, s: Any, level: Mapping[str, Any], read: Callable[[str, Any], None], wait: Callable[[Any], None]
) -> Sequence[str]:
    """Store the position of ``{"fen": ..., "moves": [...]}`` in a record's level, and return the moves.

    Args:
        world: the world, whose records have `check` and `ending`.
        s: the record.
        level: the level as plain data.
        read: fills the record's level from a FEN; its `ValueError` explains what is wrong.
        wait: gives the turn in the record's level to the other side.
    """
    fen, moves, most = level["fen"], level.get("moves", []), len(s.level.moves)
    if unknown := set(level) - {"fen", "moves"}:
        raise LevelError(f"{world.id}: a level has a fen and moves, not {', '.join(map(repr, unknown))}")
    texts = isinstance(moves, (list, tuple)) and all(isinstance(move, str) for move in moves)
    if not isinstance(fen, str) or not texts:
        raise LevelError(f"{world.id}: the fen must be text, and the moves must be a list of texts")
    if len(moves) > most:
        raise LevelError(f"{world.id}: {len(moves)} moves; at most {most}: give a later position")
    try:
        read(fen, s.level)
    except ValueError as problem:
        raise LevelError(f"{world.id}: the FEN {fen!r:.100}: {problem}") from None
    kept = array_of(s.level).copy()
    wait(s.level)  # the rules find whether that side is in check, as if it were to move
    if started(world, s).record().check:
        waiting = "Black" if fen.split()[1] == "w" else "White"
        raise LevelError(f"{world.id}: the FEN {fen!r}: {waiting} is in check, but not to move")
    array_of(s.level)[...] = kept
    start = started(world, s).record()
    if start.ending:
        raise LevelError(f"{world.id}: the FEN {fen!r}: the game is over: {world.status(start)}")
    return moves


def unlike_start(world: Any, s: Any, moves: Iterable[int] = (), but: Collection[str] = (), **start: Any) -> str | None:
    """The first field, in words, that differs from the rules' result for a start and some moves; None if all agree.

    Args:
        world: the world.
        s: the record, with what a level sets.
        moves: the actions since the start.
        but: fields that may differ.
        start: fields of `s.start`.
    """
    given = array_of(s)
    fresh = given.copy()
    for name in ("t", "terminated", "truncated"):
        fresh[name] = 0
    for name, value in start.items():
        fresh["start"][name] = value
    fresh["level_given"] = 1
    now, rewards = as_views(fresh), np.zeros(len(world.agents))
    world.kernels.reset(now)
    for move in moves:
        if not any(move in world.legal_actions(now, agent) for agent in range(len(world.agents))):
            return "its moves are not legal"
        world.kernels.step(now, as_views(np.full(len(world.agents), move)), rewards)
    for name in fresh.dtype.names or ():
        if (
            name not in {"t", "level_given", "start", "level", "params", *but}
            and fresh[name].tobytes() != given[name].tobytes()
        ):
            return f"{name} does not go with the other fields"
    return None


def named_moves(world: Any, s: Any) -> list[str]:
    """The names of the moves of a record's level; both players' actions must have the same names."""
    return [world.action_names[0][move] for move in s.level.moves[: s.level.length]]


class Openings(World):
    """A world whose levels are lists of moves by name, ``{"moves": [...]}``, and nothing else."""

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        play_level(self, s, level["moves"])

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"moves": named_moves(self, s)}
