"""`fill` and `copy`: as Python and as machine code they write the same bytes as a loop over the cells."""

import numpy as np
import pytest

from envsuite.compile.bound import bind
from envsuite.core.arrays import copy, fill
from envsuite.core.record import as_views

PAIR = np.dtype([("q", np.int16), ("r", np.float64)], align=True)
RECORD = np.dtype(
    [
        ("number", np.float64),
        ("board", np.int8, (3, 4)),
        ("sums", np.float32, (5,)),
        ("before", np.float32, (5,)),
        ("wide", np.int64, (3, 4)),
        ("words", np.uint64, (3,)),
        ("pairs", PAIR, (2,)),
        ("kept", PAIR, (2,)),
        ("flags", np.int8, (2,)),
    ],
    align=True,
)


def over_all(records, masks):
    for i in range(len(records)):
        s = records[i]
        fill(s.board, -3)
        fill(s.board[1], 7)
        copy(s.before, s.sums)
        fill(s.sums, s.number)
        copy(s.wide, s.board)
        copy(s.kept, s.pairs)
        fill(s.words, 5)
        fill(s.flags, s.number > 2)
        fill(masks[i], 1)


def by_loops(records, masks):
    for record, mask in zip(records, masks):
        record["board"][:] = -3
        record["board"][1, :] = 7
        for k in range(5):
            record["before"][k] = record["sums"][k]
            record["sums"][k] = record["number"]
        for k in range(12):
            record["wide"].flat[k] = record["board"].flat[k]
        for k in range(2):
            record["kept"][k] = record["pairs"][k]
            record["flags"][k] = record["number"] > 2
        record["words"][:] = 5
        mask[:] = 1


def made():
    records = np.zeros(2, RECORD)
    records["number"], records["sums"] = (1.5, 2.5), 9
    records["pairs"]["q"], records["pairs"]["r"] = ((1, 2), (3, 4)), 0.5
    return records, np.zeros((2, 6), np.int8)


def test_they_write_what_loops_write():
    given, expected = made(), made()
    by_loops(*expected)
    bind(over_all, "test.arrays")(*given)
    for here, there in zip(given, expected):
        assert here.tobytes() == there.tobytes()


def test_what_does_not_fit_is_an_error():
    s = as_views(np.zeros((), RECORD))
    with pytest.raises(OverflowError):
        fill(s.board, 200)
    with pytest.raises(AssertionError, match=r"\(5,\) is copied to \(3, 4\)"):
        copy(s.board, s.sums)
