"""What each trick of `compile/numba_` saves: the share of compile time, or the growth of LLVM code without it.

``python benchmarks/tricks.py [WORLD ...]`` prints a table over the rules of these worlds. What a trick leaves out, or
does its own way, is timed within a compile, in CPU seconds, as Numba does it and as the trick does it; so a busy
machine changes the shares little. The seconds are scaled by those of LLVM's optimization, which is the same in both.
Tricks that write shorter code are switched off one at a time, and the instructions that LLVM gets are counted.
"""

import gc
import json
import os
import sys
import tempfile
import time
from types import SimpleNamespace

import numpy as np
from numba.core import codegen, lowering

from envsuite import registry
from envsuite.compile import cache
from envsuite.compile.bound import bind
from envsuite.compile.numba_ import linking, short, types
from envsuite.core.batch import Batch

WORLDS = (
    "TicTacToe", "KuhnPoker", "LeducPoker", "ConnectFour", "Goofspiel", "Coins", "DoorKey", "Overcooked", "Hanabi",
    "Harvest", "HiddenRules", "FrozenLake",
)  # fmt: skip

spent: dict[str, float] = {}


def timed(name, function):
    """The function, which adds its seconds to `spent`; calls within calls are counted once."""
    inside = []

    def run(*arguments, **named):
        if inside:
            return function(*arguments, **named)
        inside.append(True)
        start = time.process_time()
        try:
            return function(*arguments, **named)
        finally:
            spent[name] = spent.get(name, 0) + time.process_time() - start
            inside.clear()

    return run


def as_numba_does():
    """Leave out nothing, and time what is left out else."""
    linking._QUICKER[:] = [(owner, name, timed(name, getattr(owner, name))) for owner, name, _ in linking._QUICKER]
    for step in linking._NEEDLESS:
        step.run_pass = timed(step.__name__, step.run_pass)
    linking._NEEDLESS.clear()
    lowering.Lower.delvar = timed("IRLegalization", lowering.Lower.delvar)
    linking.gc = SimpleNamespace(isenabled=lambda: False, disable=lambda: None)
    gc.callbacks.append(collected)


def collected(phase, _):
    spent["gc"] = spent.get("gc", 0) + time.process_time() * (1 if phase == "stop" else -1)


def as_we_do():
    linking._QUICKER[:] = [(owner, name, timed(name, ours)) for owner, name, ours in linking._QUICKER]
    linking._KernelLibrary.finalize = timed("kernels", linking._KernelLibrary.finalize)


def seconds(id, prepare):
    """The seconds of a compile, in all and by what they were spent on."""
    prepare()
    linking._optimize = timed("optimize", linking._optimize)
    bound, arguments = Batch(registry.build(id), 64).loop
    start = time.process_time()
    bound.entry(*arguments)
    return {**spent, "all": time.process_time() - start}


def counted_references():
    for options in (types._ENTRY, types.KERNEL):
        options["_nrt"] = True
    linking._NEEDLESS.discard(linking.typed_passes.IRLegalization)


def without(*names):
    """A function that leaves out methods of `ShortContext`, and operations."""

    def change():
        for name in names:
            if name in short._SHORT:
                del short._SHORT[name]
            else:
                delattr(short.ShortContext, name)

    return change


#: What writes shorter code, and how to do without.
SHORT = {
    "no references are counted": counted_references,
    "kernels are compiled once for all sizes of numbers": lambda: setattr(linking, "for_any_number", lambda one: one),
    "calls": lambda: linking._QUICKER.__delitem__([row[1] for row in linking._QUICKER].index("user_function")),
    "arrays in records": without("get_getattr"),
    "constant tuples": without("get_constant_generic", "cast"),
    "global arrays": without("make_constant_array"),
    "cells of arrays": without(short.operator.getitem, short.operator.setitem),
    "divisions by constants": without(short.operator.floordiv, short.operator.mod),
    "loops over ranges": without(range, "getiter", "iternext"),
    "pairs": without("pair_first", "pair_second"),
}


class DoneError(Exception):
    """All code is written."""


def done(_):
    raise DoneError


def instructions(id, change):
    """The LLVM instructions that Numba writes."""
    change()
    found, add = [], codegen.CPUCodeLibrary.add_ir_module

    def counted(library, module):
        found.extend(len(block.instructions) for function in module.functions for block in function.blocks)
        return add(library, module)

    codegen.CPUCodeLibrary.add_ir_module = counted
    linking._optimize, linking.EntryLibrary._finalize_final_module = lambda _: None, done
    bound, arguments = Batch(registry.build(id), 64).loop
    try:
        bound.entry(*arguments)
    except DoneError:
        return sum(found)


def in_child(run, *arguments):
    """What a function returns in a process of its own, with an empty cache."""
    read, write = os.pipe()
    if os.fork() == 0:
        os.environ["ENVSUITE_CACHE"] = tempfile.mkdtemp()
        cache.cache_folder.cache_clear()
        os.write(write, json.dumps(run(*arguments)).encode())
        os._exit(0)
    os.close(write)
    os.wait()
    with os.fdopen(read) as file:
        return json.load(file)


def first(numbers):
    return numbers[0]


def main():
    worlds = sys.argv[1:] or WORLDS
    os.environ["ENVSUITE_CACHE"] = tempfile.mkdtemp()
    bind(first, "tricks.first")(np.zeros(1))  # which loads most of Numba
    rows: dict[str, list[float]] = {}
    for id in worlds:
        ours, theirs = in_child(seconds, id, as_we_do), in_child(seconds, id, as_numba_does)
        scale = ours["optimize"] / theirs["optimize"]
        for name in theirs.keys() - {"optimize", "all"}:
            rows.setdefault(name, []).append((theirs[name] * scale - ours.get(name, 0)) / ours["all"])
        rows.setdefault("optimization of kernels (left out at level 1)", []).append(ours["kernels"] / ours["all"])
        usual = in_child(instructions, id, lambda: None)
        for name, change in SHORT.items():
            rows.setdefault(f"instructions: {name}", []).append(in_child(instructions, id, change) / usual - 1)
    print("| | least | mean | most |\n|---|---|---|---|")
    for name, found in sorted(rows.items()):
        print(f"| {name} | {min(found):.1%} | {sum(found) / len(found):.1%} | {max(found):.1%} |")


if __name__ == "__main__":
    main()
