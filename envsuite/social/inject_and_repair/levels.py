"""Boolean circuits with tests.

The signals of a circuit are its inputs and then its gates, in order. A gate has two different earlier signals as its
sources: the first is drawn among those that no gate has used yet, while there are any, the second among all others.
The last `outputs` gates are the outputs. A test is an assignment of the inputs; all tests differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_integer, read_list
from envsuite.core.parameters import is_integer
from envsuite.core.random import randint, shuffle
from envsuite.core.ranges import below, fixed, flag, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator
from envsuite.render.scene import Label, Line, Rect, Scene
from envsuite.render.theme import text_on

#: The kinds of gates.
KINDS = ("and", "or", "xor", "nand", "nor", "xnor")
AND, OR, XOR, NAND, NOR, XNOR = range(6)

#: By column of a picture: how much its gates are moved down, so that fewer wires pass behind them.
SHIFTS = (-0.15, 0.15, -0.05, 0.2)

MOST_INPUTS, MOST_GATES, MOST_OUTPUTS, MOST_TESTS = 5, 12, 3, 32


@large_kernel
def make(s):
    """A random circuit with random tests."""
    gates, inputs = s.level.kinds.shape[0], s.level.tests.shape[1]
    for signal in range(inputs + gates):
        s.scratch.used[signal] = 0
    for k in range(gates):
        s.level.kinds[k] = randint(s, 6)
        unused = 0
        for signal in range(inputs + k):
            unused += s.scratch.used[signal] == 0
        rank, first = randint(s, unused if unused > 0 else inputs + k), -1
        while rank >= 0:
            first += 1
            rank -= unused == 0 or s.scratch.used[first] == 0
        second = randint(s, inputs + k - 1)
        second += second >= first
        s.level.sources[k, 0] = first
        s.level.sources[k, 1] = second
        s.scratch.used[first] = 1
        s.scratch.used[second] = 1
    for signal in range(inputs + gates):
        s.scratch.used[signal] = 0
    size = s.scratch.order.shape[0]
    for k in range(size):
        s.scratch.order[k] = k
    shuffle(s, s.scratch.order, size)
    for test in range(s.level.tests.shape[0]):
        for k in range(inputs):
            s.level.tests[test, k] = s.scratch.order[test] >> k & 1
    fill(s.scratch.order, 0)


@kernel
def pack(tests, words):
    """Set the word of each input: a bit for each test."""
    for k in range(tests.shape[1]):
        words[k] = 0
        for test in range(tests.shape[0]):
            words[k] |= np.int64(tests[test, k]) << test


@kernel
def gate(kind, a, b, full):
    """The word of a gate by those of its sources; `full` has a bit for each test."""
    if kind == AND or kind == NAND:
        word = a & b
    elif kind == OR or kind == NOR:
        word = a | b
    else:
        word = a ^ b
    return full ^ word if kind >= NAND else word


@kernel
def evaluate(kinds, sources, inputs, full, words):
    """Set the words of all gates, after those of the inputs."""
    for k in range(kinds.shape[0]):
        words[inputs + k] = gate(kinds[k], words[sources[k, 0]], words[sources[k, 1]], full)


class Circuits(Generator):
    """Boolean circuits with tests.

    Args:
        inputs: number of inputs, from 2 to 5.
        gates: number of gates, from 1 to 12.
        outputs: number of outputs, from 1 to 3, at most `gates`.
        tests: number of tests, at most 2 to the power of `inputs`.
    """

    make = make

    def __init__(
        self,
        inputs: Annotated[int, Between(2, MOST_INPUTS)] = 4,
        gates: Annotated[int, Between(1, MOST_GATES)] = 6,
        outputs: Annotated[int, Between(1, MOST_OUTPUTS)] = 2,
        tests: Annotated[int, Between(1, MOST_TESTS)] = 8,
    ):
        if outputs > gates:
            raise ParameterError(f"circuits: outputs={outputs} must be at most gates={gates}")
        if tests > 2**inputs:
            raise ParameterError(f"circuits: tests={tests} must be at most {2**inputs}: all tests differ")
        earlier = np.arange(inputs, inputs + gates)[:, None] - 1
        self.define(
            level=[
                ("kinds", below(np.int8, len(KINDS)), (gates,)),
                ("sources", within(np.int8, 0, earlier), (gates, 2)),
                ("tests", flag(), (tests, inputs)),
            ],
            params={"outputs": fixed(outputs)},
            scratch=[("used", flag(), (inputs + gates,)), ("order", below(np.int64, 2**inputs), (2**inputs,))],
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        inputs, outputs, kinds, _, tests = read_circuit(level, "circuits")
        return cls(inputs, len(kinds), outputs, len(tests))

    def decode(self, s: Any) -> dict[str, Any]:
        return write_circuit(s, int(s.params.outputs))

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        fill_circuit(s, int(s.params.outputs), level, "circuits")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, the number of single "faults", and how many of them are "detected".

        A fault is another kind of one gate; a test detects it if an output changes. A circuit is solvable if a fault is
        detected. Its difficulty is the mean share of tests that do not detect a fault, over the detected faults.
        """
        inputs, outputs, kinds, sources, tests = read_circuit(level, "circuits")
        right = outputs_of(kinds, sources, tests, outputs)
        failing = []
        for k in range(len(kinds)):
            for kind in range(len(KINDS)):
                if kind != kinds[k]:
                    changed = [*kinds[:k], kind, *kinds[k + 1 :]]
                    failing.append(int((outputs_of(changed, sources, tests, outputs) != right).any(axis=1).sum()))
        detected = [count for count in failing if count]
        return {
            "size": [inputs, len(kinds)],
            "solvable": bool(detected),
            "difficulty": round(1 - sum(detected) / len(detected) / len(tests), 6) if detected else 0.0,
            "faults": len(failing),
            "detected": len(detected),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The circuit."""
        inputs, outputs, kinds, sources, _ = read_circuit(level, "circuits")
        scene = Scene(12, 8)
        draw_circuit(scene, (0.3, 0.3, 11.4, 7.4), inputs, outputs, kinds, sources)
        return scene


def outputs_of(kinds: Any, sources: Any, tests: Any, outputs: int) -> np.ndarray:
    """What a circuit's outputs are in each test, (tests, outputs) of 0 and 1."""
    kinds, sources, tests = np.asarray(kinds), np.asarray(sources), np.asarray(tests)
    words = [0] * (tests.shape[1] + len(kinds))
    pack(tests, words)
    evaluate(kinds, sources, tests.shape[1], (1 << len(tests)) - 1, words)
    return np.array([[word >> test & 1 for word in words[-outputs:]] for test in range(len(tests))])


def signal_name(signal: int, inputs: int) -> str:
    """The name of an input or a gate: a letter, or "g" with a number."""
    return "abcde"[signal] if signal < inputs else f"g{signal - inputs}"


def write_circuit(s: Any, outputs: int) -> dict[str, Any]:
    """A record's circuit as plain data."""
    pairs = zip(s.level.kinds.tolist(), s.level.sources.tolist())
    return {
        "inputs": s.level.tests.shape[1],
        "outputs": outputs,
        "gates": [[KINDS[kind], *sources] for kind, sources in pairs],
        "tests": ["".join(map(str, test)) for test in s.level.tests.tolist()],
    }


def fill_circuit(s: Any, outputs: int, level: Mapping[str, Any], name: str) -> None:
    """Fill a record's circuit from plain data, or a `LevelError` that begins with this name."""
    inputs, given, kinds, sources, tests = read_circuit(level, name)
    for title, found, wanted in (
        ("inputs", inputs, s.level.tests.shape[1]),
        ("outputs", given, outputs),
        ("gates", len(kinds), len(s.level.kinds)),
        ("tests", len(tests), len(s.level.tests)),
    ):
        if found != wanted:
            raise LevelError(f"{name}: the level has {found} {title}; the parameter {title} is {wanted}")
    s.level.kinds[:], s.level.sources[:], s.level.tests[:] = kinds, sources, tests


def read_circuit(level: Mapping[str, Any], name: str) -> tuple[int, int, list[int], list[list[int]], list[list[int]]]:
    """Inputs, outputs, kinds, sources and tests of a level, or a `LevelError` that begins with this name."""
    known_parts(name, level, {"kind", "inputs", "outputs", "gates", "tests"})
    inputs = read_integer(level["inputs"], f"{name}: the level's inputs", 2, MOST_INPUTS)
    gates = read_list(level["gates"], f"{name}: the level's gates", 1, MOST_GATES)
    tests = read_list(level["tests"], f"{name}: the level's tests", 1, MOST_TESTS)
    outputs = read_integer(level["outputs"], f"{name}: the level's outputs", 1, min(MOST_OUTPUTS, len(gates)))
    for k, entry in enumerate(gates):
        if not isinstance(entry, (list, tuple)) or len(entry) != 3 or entry[0] not in KINDS:
            raise LevelError(f"{name}: gate {k} is {entry!r:.40}, not a kind ({', '.join(KINDS)}) and two sources")
        pair = entry[1:]
        if not all(is_integer(x) and 0 <= x < inputs + k for x in pair) or pair[0] == pair[1]:
            raise LevelError(f"{name}: the sources of gate {k} must be two different signals below {inputs + k}")
    for test in tests:
        if not isinstance(test, str) or len(test) != inputs or set(test) - {"0", "1"}:
            raise LevelError(f"{name}: the test {test!r:.40} must be a text of {inputs} digits 0 and 1")
    if len(set(tests)) < len(tests):
        raise LevelError(f"{name}: all tests must differ")
    kinds, sources = [KINDS.index(entry[0]) for entry in gates], [list(entry[1:]) for entry in gates]
    return inputs, outputs, kinds, sources, [[int(bit) for bit in test] for test in tests]


def draw_circuit(
    scene: Scene,
    box: tuple[float, float, float, float],
    inputs: int,
    outputs: int,
    kinds: Sequence[int],
    sources: Sequence[Sequence[int]],
    changed: Sequence[int] = (),
) -> None:
    """Draw a circuit in a panel, inputs on the left, outputs marked; a kind of -1 is a question mark.

    Args:
        box: left, top, width and height of the panel.
        changed: gates with another outline.
    """
    left, top, width, height = box
    scene.add(Rect(left, top, width, height, "panel", radius=0.25))
    depth = [0] * inputs
    for pair in sources:
        depth.append(1 + max(depth[source] for source in pair))
    columns = [[signal for signal, d in enumerate(depth) if d == column] for column in range(max(depth) + 1)]
    size = min(0.85, 0.29 * width / len(columns), 0.42 * height / max(map(len, columns)))
    at = {}
    for column, members in enumerate(columns):
        for row, signal in enumerate(members):
            x = left + width * (column + 0.5) / len(columns)
            shift = SHIFTS[column % len(SHIFTS)] if column else 0.0
            at[signal] = x, top + height * (row + 0.5 + shift) / len(members)
    for k, pair in enumerate(sources):
        for side, source in zip((-1, 1), pair):
            (x0, y0), (x1, y1) = at[source], at[inputs + k]
            end = y1 + 0.4 * side * size
            path = [(x0 + size, y0), (x0 + 1.25 * size, y0), (x1 - 1.25 * size, end), (x1 - size, end)]
            scene.add(Line(path, "muted", 0.06))
    for signal, (x, y) in at.items():
        number = signal - inputs
        color = "line" if number < 0 else "gold" if number >= len(kinds) - outputs else "sky"
        word = "" if number < 0 else "?" if kinds[number] < 0 else KINDS[kinds[number]]
        outline, line = ("bad", 0.2 * size) if number in changed else ("muted", 0.03)
        scene.add(Rect(x - size, y - 0.75 * size, 2 * size, 1.5 * size, color, outline, line, 0.3 * size))
        ink = text_on(color) if word else "ink"
        if word:
            scene.add(Label(x, y - 0.24 * size, word, 0.56 * size, ink, bold=True))
            scene.add(Label(x, y + 0.36 * size, signal_name(signal, inputs), 0.45 * size, ink, terminal=False))
        else:
            scene.add(Label(x, y, signal_name(signal, inputs), 0.75 * size, ink, bold=True))
