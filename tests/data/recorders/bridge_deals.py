"""Deal random bridge hands and solve them with endplay 0.5.12, which carries Haglund's double-dummy solver:

python tests/data/recorders/bridge_deals.py 3776 envsuite/games/bridge_bidding.npz

The file has the first deals of one stream, a third of a second each, in blocks of 32; the script adds those that are
missing. `owners` (N, 13) uint8 has a byte for each rank, from two to ace, with two bits for each suit, from clubs to
spades: the seat, from north clockwise, that holds the card. `tricks` (N, 10) uint8 has four bits for each declarer and
strain, from clubs to spades and then no trump.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from endplay import dds
from endplay.types import Deal

SEED, BLOCK = 20261127, 32
RANKS = "23456789TJQKA"


def pbn(owner: np.ndarray) -> str:
    """A deal in Portable Bridge Notation; `owner` (13, 4) by rank and suit."""
    hands = (
        ".".join("".join(RANKS[r] for r in range(12, -1, -1) if owner[r, suit] == seat) for suit in (3, 2, 1, 0))
        for seat in range(4)
    )
    return "N:" + " ".join(hands)


def solved(count: int, known: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Blocks of deals (B, 13, 4) and of their tricks (B, 4, 5), without the first blocks, whose deals are known."""
    rng = np.random.default_rng(SEED)
    for first in range(0, count, BLOCK):
        owners = np.array([rng.permutation(52) // 13 for _ in range(BLOCK)], np.uint8).reshape(BLOCK, 13, 4)
        if first < known:
            continue
        tables = dds.calc_all_tables([Deal(pbn(owner)) for owner in owners])
        # A table there has a row for spades, hearts, diamonds, clubs and no trump, and a column for each declarer.
        tricks = np.array([table.to_list() for table in tables], np.uint8)[:, [3, 2, 1, 0, 4]].transpose(0, 2, 1)
        yield owners, tricks


def packed(owners: np.ndarray, tricks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Deals and tricks as the file has them."""
    bits = (owners << (2 * np.arange(4, dtype=np.uint8))).sum(2, dtype=np.uint8)
    pairs = tricks.reshape(-1, 10, 2)
    return bits, pairs[:, :, 0] | pairs[:, :, 1] << 4


def main() -> None:
    count, name = int(sys.argv[1]), Path(sys.argv[2])
    owners, tricks = np.zeros((0, 13), np.uint8), np.zeros((0, 10), np.uint8)
    if name.exists():
        with np.load(name) as made:
            owners, tricks = made["owners"], made["tricks"]
    for block in solved(count, len(owners)):
        some, found = packed(*block)
        owners, tricks = np.concatenate([owners, some]), np.concatenate([tricks, found])
        np.savez_compressed(name, owners=owners, tricks=tricks)


if __name__ == "__main__":
    main()
