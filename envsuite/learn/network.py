"""Networks as dictionaries of arrays: their first weights, and one forward pass that NumPy and torch both run.

The first layer adds, for each code of an observation, a row of a large table, and the plain numbers times a matrix. The
large table is never stored: its rows are products of a small vector of the code, which the entries of a class share,
and a matrix of the entry. So a view of 121 cells with 164 codes takes 63 thousand numbers, not 1.3 million.
Dense layers follow, on request a GRU, and a linear layer for each output.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from envsuite.learn.encoder import Encoder

#: The length of a code's learned vector.
WIDTH = 8


def shapes(
    encoder: Encoder, outputs: Mapping[str, int], hidden: int, layers: int, memory: bool
) -> dict[str, tuple[int, ...]]:
    """The shape of each array of a network.

    Args:
        encoder: of the inputs.
        outputs: the length of each output by name.
        hidden: the width of all layers.
        layers: the number of layers before the outputs, the first included.
        memory: whether a GRU follows them.
    """
    found: dict[str, tuple[int, ...]] = {}
    for c, (entries, values) in enumerate(encoder.classes):
        found |= {f"codes{c}": (values, WIDTH), f"cells{c}": (entries, WIDTH, hidden)}
    found |= {"plain": (encoder.plain, hidden), "bias0": (hidden,)}
    for k in range(1, layers):
        found |= {f"dense{k}": (hidden, hidden), f"bias{k}": (hidden,)}
    for gate in ("reset", "update", "new") if memory else ():
        for side in ("in", "past"):
            found |= {f"{gate}_{side}": (hidden, hidden), f"{gate}_{side}_bias": (hidden,)}
    for name, length in outputs.items():
        found |= {name: (hidden, length), f"{name}_bias": (length,)}
    return found


def first_weights(
    encoder: Encoder, outputs: Mapping[str, int], hidden: int, layers: int, memory: bool, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """New weights, float32, for what `shapes` takes; `rng` draws them."""
    found: dict[str, np.ndarray] = {}
    inputs = encoder.codes + encoder.plain
    for name, shape in shapes(encoder, outputs, hidden, layers, memory).items():
        if len(shape) == 1:
            value = np.zeros(shape)
        elif name.startswith("codes"):
            value = rng.normal(size=shape)
        elif name.startswith("cells"):
            value = rng.normal(size=shape) / np.sqrt(inputs * WIDTH)
        elif name == "plain":
            value = rng.normal(size=shape) * np.sqrt(2 / max(inputs, 1))
        else:
            gain = 2**0.5 if name.startswith("dense") else 0.01 if name == "policy" else 1.0
            value = _orthogonal(shape[0], shape[1], gain, rng)
        found[name] = np.ascontiguousarray(value, np.float32)
    return found


def _orthogonal(rows: int, columns: int, gain: float, rng: np.random.Generator) -> np.ndarray:
    """Orthogonal weights (Saxe et al., 2014), the usual start of PPO's layers."""
    q, r = np.linalg.qr(rng.normal(size=(max(rows, columns), min(rows, columns))))
    q = q * np.sign(np.diag(r))
    return gain * (q if rows >= columns else q.T)


def table(xp: Any, weights: Mapping[str, Any], encoder: Encoder) -> Any:
    """The large table of the first layer, (rows, hidden); None without codes. `xp` is numpy or torch."""
    parts = []
    for c, (entries, values) in enumerate(encoder.classes):
        vectors = xp.broadcast_to(weights[f"codes{c}"], (entries, values, WIDTH))  # torch needs a third of the time
        parts.append((vectors @ weights[f"cells{c}"]).reshape(-1, weights["bias0"].shape[0]))
    return xp.concatenate(parts) if parts else None


def bag(codes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The sums of some rows of a table, for each observation: codes (M, n), rows (R, hidden) -> (M, hidden)."""
    return marks(codes, len(rows), rows.dtype) @ rows


def marks(codes: np.ndarray, rows: int, dtype: Any) -> csr_array:
    """The sparse matrix (M, rows) with a 1 for each code of an observation, (M, n)."""
    count, length = codes.shape
    where = np.arange(count + 1, dtype=np.int32) * length
    return csr_array((np.ones(count * length, dtype), codes.reshape(-1), where), shape=(count, rows))


def trunk(weights: Mapping[str, Any], summed: Any, plain: Any) -> Any:
    """The layers before the outputs: sums of the table's rows (M, hidden) or None, and plain (M, m) -> (M, hidden)."""
    x = plain @ weights["plain"] + weights["bias0"]
    x = (x if summed is None else x + summed).clip(0)
    k = 1
    while f"dense{k}" in weights:
        x = (x @ weights[f"dense{k}"] + weights[f"bias{k}"]).clip(0)
        k += 1
    return x


def remember(xp: Any, weights: Mapping[str, Any], x: Any, past: Any) -> Any:
    """A step of a GRU (Cho et al., 2014): inputs and past (M, hidden) -> what is remembered now."""

    def side(gate: str, name: str, value: Any) -> Any:
        return value @ weights[f"{gate}_{name}"] + weights[f"{gate}_{name}_bias"]

    def sigmoid(value: Any) -> Any:
        return 0.5 * xp.tanh(0.5 * value) + 0.5

    reset = sigmoid(side("reset", "in", x) + side("reset", "past", past))
    update = sigmoid(side("update", "in", x) + side("update", "past", past))
    new = xp.tanh(side("new", "in", x) + reset * side("new", "past", past))
    return (1 - update) * new + update * past


def output(weights: Mapping[str, Any], name: str, x: Any) -> Any:
    """One output: (M, hidden) -> (M, length)."""
    return x @ weights[name] + weights[f"{name}_bias"]
