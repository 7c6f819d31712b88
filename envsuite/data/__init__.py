"""Data sets: recorded episodes of a world as replays, and what is made from them.

    record("DoorKey", None, 1000, "door", grades=(0, 0.5, 1))      # a folder of replays, a few bytes an episode
    data = Recorded("door")
    for batch in data.batches(4096, ["observation", "mask", "return_to_go"], split="train"):
        ...                                                         # a dict of arrays
    export(data, "door/parquet", "parquet", ["text", "mask"])

The folder holds where each episode started and the actions of all agents. Observations, masks, texts and labels are
made from them by playing the episodes again, many at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from envsuite.data.exports import export
    from envsuite.data.recorded import Recorded
    from envsuite.data.recording import record
    from envsuite.data.replayed import Replayed

__all__ = ["Recorded", "Replayed", "export", "record"]

_PLACES = {"Recorded": "recorded", "Replayed": "replayed", "export": "exports", "record": "recording"}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        import importlib

        return getattr(importlib.import_module(f"envsuite.data.{_PLACES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
