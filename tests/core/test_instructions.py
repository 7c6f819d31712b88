"""Common operations are compiled in fewer instructions; what kernels compute with them stays the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from envsuite.compile.bound import bind
from envsuite.core.errors import KernelError
from envsuite.core.kernel import kernel, large_kernel

pytestmark = pytest.mark.machine

PART = np.dtype([("cells", np.int32, (2, 3)), ("one", np.uint8, (1,))], align=True)
RECORD = np.dtype(
    [
        ("row", np.int64, (4,)),
        ("small", np.int8, (3,)),
        ("real", np.float32, (2, 2)),
        ("box", np.int16, (2, 3, 4)),
        ("parts", PART, (3,)),
        ("out", np.int64, (200,)),
        ("used", np.int64),
    ],
    align=True,
)
READ_ONLY = np.arange(24).reshape(2, 3, 4)
MASK = np.array([True, False, True, True])
REALS = np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2)
TURNED = np.arange(6, dtype=np.int16).reshape(2, 3).T  # not contiguous
NAMES = ("north", "east", "south", "west")
PAIRS = (("a", "b"), ("c", "d"), ("e", "f"))
MIXED = ("heavy", 7, 2.5)
SIZES = (3, 0, 8)


@kernel
def put(s, value):
    s.out[s.used] = value
    s.used += 1


@kernel
def row_sum(row):
    total = 0
    for i in range(len(row)):
        total += row[i] * (i + 1)
    return total


@kernel
def counted(numbers):
    total = 1
    for i in numbers:
        total = (3 * total + i) & 0xFFFF
    return total


@kernel
def cells(s, i, j, k):
    """Numbers from either end, of several types, and arrays within arrays."""
    put(s, s.row[i])
    put(s, s.row[-1])
    put(s, s.row[np.uint8(j)])
    put(s, s.row[np.int32(i)])
    put(s, s.small[j])
    put(s, s.box[j, k - 2, i])
    put(s, s.box[-1, 1, np.int8(i)])
    put(s, row_sum(s.box[j, k]))
    put(s, row_sum(s.box[1][k]))
    put(s, s.box[j][k][i])
    put(s, s.parts[k].cells[j, k])
    put(s, row_sum(s.parts[-k].cells[j]))
    put(s, s.parts[0].one[0])
    put(s, READ_ONLY[j, k, i])
    put(s, row_sum(READ_ONLY[1, k]))
    put(s, s.row[1:3][j])
    put(s, row_sum(s.box[:, k, i]))
    s.row[i] = s.small[k]
    s.row[-2] = 7
    s.box[j, k, i] = s.row[0] + 300
    s.box[j][-k, -1] = -4
    s.parts[k].cells[j, -1] = 2.9
    s.real[j, -1] = s.row[1] / 3
    s.real[0][j] = s.real[1, 1]


@kernel
def loops(s, first, last, step):
    """Of all forms, to no end, left early, in one another, and over ranges from elsewhere."""
    total = 0
    for i in range(last):
        total = (3 * total + i) & 0xFFFF
    put(s, total)
    for i in range(first, last):
        total = (3 * total + i) & 0xFFFF
        if i == 2:
            continue
        if i > 4:
            break
        for j in range(i):
            total += j
    put(s, total)
    for i in range(last, first, -1):
        total = (3 * total + i) & 0xFFFF
    for i in range(first, last, step):
        total = (3 * total + i) & 0xFFFF
    for i in range(6, -3, -2):
        total = (3 * total + i) & 0xFFFF
    for i in range(5):
        total += s.row[i % 4]
    put(s, total)
    for i in range(np.int32(last)):
        total += i
    for i in range(np.uint8(3)):
        total -= i
    numbers = range(first, last) if first > 0 else range(last, 0, step)
    for i in numbers:
        total += i
    put(s, total + counted(range(last)) + counted(range(first, last)) + counted(range(first, last, step)))
    put(s, len(range(first, last)))
    for i in range(3, 3):
        total = i
    put(s, total)


@kernel
def constants(s, i, j, k):
    """Global arrays and tuples."""
    put(s, MASK[i] + 2 * MASK[-1])
    put(s, READ_ONLY[j, k, i] + READ_ONLY[-1, -1, -1])
    put(s, np.int64(1000 * REALS[k, j]))
    put(s, TURNED[k, j])
    put(s, row_sum(READ_ONLY[j, k]))
    put(s, len(NAMES) + 10 * len(PAIRS) + 100 * len(MIXED))
    put(s, MIXED[1] + np.int64(MIXED[2] * 2))
    put(s, SIZES[0] + SIZES[1] + SIZES[2] + SIZES[k])


@kernel
def divisions(s, a, b):
    """By constants of either sign and by numbers, of several types."""
    for number in (a, b, a * b, -a * b * b):
        put(s, number // 3)
        put(s, number % 3)
        put(s, number // 8)
        put(s, number % 8)
        put(s, number // -5)
        put(s, number % -5)
        put(s, number // 1)
        put(s, number % len(NAMES))
    put(s, s.row[0] // SIZES[2] + s.small[1] % 3 + s.small[1] // 3)
    put(s, np.uint8(a & 0xFF) % 7)
    put(s, np.int64(s.row[0] // (b * b + 1)) + s.row[1] % (b * b + 1))
    number = a
    number //= 4
    number %= 6
    put(s, number)


@kernel
def early(s, a):
    """Of calls within calls the first that returns."""
    if a < 0:
        return deeper(s, -a) - 1
    put(s, a)
    return deeper(s, a)


@large_kernel
def deeper(s, a):
    put(s, -a)
    return a * 2


def _entry(records, numbers):
    for i in range(len(records)):
        constants(records[i], numbers[0], numbers[1], numbers[2])
        divisions(records[i], numbers[3], numbers[4])
        put(records[i], early(records[i], numbers[3]))
        cells(records[i], numbers[0], numbers[1], numbers[2])
        loops(records[i], numbers[3], numbers[4], numbers[5])
    return records[-1].used


ENTRY = bind(_entry, "test_instructions.entry")


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(
    some.tuples(
        some.integers(0, 3), some.integers(0, 1), some.integers(0, 2), some.integers(-9, 9), some.integers(-9, 9),
        some.integers(1, 5),
    ),
    some.integers(0, 2**32),
)  # fmt: skip
def test_compiled_kernels_compute_what_python_does(numbers, seed):
    records = np.zeros(2, RECORD)
    rng = np.random.default_rng(seed)
    for name in ("row", "small", "real", "box"):
        records[name] = rng.integers(0, 20, records[name].shape)
    records["parts"]["cells"] = rng.integers(-9, 9, records["parts"]["cells"].shape)
    alike, numbers = records.copy(), np.array(numbers)
    assert ENTRY.entry(records, numbers)(records, numbers) == ENTRY.interpreted(alike, numbers) > 20
    assert all(np.array_equal(records[name], alike[name]) for name in RECORD.names)


@large_kernel
def refused(a):
    if a > 2:
        raise ValueError("too many")
    return a


@kernel
def asks(a):
    return refused(a) + 1


def _asking(a):
    return asks(a) * 10


@pytest.mark.slow
def test_an_error_reaches_the_caller():
    ask = bind(_asking, "test_instructions.asking").entry(2)
    assert ask(2) == 30
    with pytest.raises(ValueError, match="too many"):
        ask(3)


def _named(k):
    return NAMES[k] == "west"


@pytest.mark.slow
def test_compiled_code_has_no_text():
    with pytest.raises(KernelError, match="no text"):
        bind(_named, "test_instructions.named").entry(1)
