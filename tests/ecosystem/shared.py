"""What the tests of all libraries share: the examples, and a watch on masks."""

import importlib.util
import warnings
from contextlib import contextmanager

import numpy as np
from kit import ROOT

from envsuite.core.batch import STEP, Batch


def example(name):
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def watched():
    """Count the actions of agents that act, in all worlds that are stepped in this process, and those not legal.

    An illegal action is an error anyway; the count shows that there were actions at all, and more than one kind.
    """
    counts, run = {"actions": 0, "illegal": 0, "kinds": set()}, Batch.run

    def counting(batch):
        moving = (batch.commands == STEP)[:, None] & (batch.acting != 0)
        chosen = batch.actions[moving]
        legal = np.take_along_axis(batch.masks[moving], chosen[:, None].clip(0, batch.shape[1] - 1), axis=1)[:, 0]
        counts["actions"] += len(chosen)
        counts["illegal"] += int((legal == 0).sum())
        counts["kinds"] |= set(chosen.tolist())
        run(batch)

    Batch.run = counting
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield counts
    finally:
        Batch.run = run


def obeyed(counts, actions):
    """Whether at least this number of actions was played, all legal, and not always the same."""
    return counts["actions"] >= actions and counts["illegal"] == 0 and len(counts["kinds"]) > 1
