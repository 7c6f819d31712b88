"""Record auctions of OpenSpiel 2.0.2, and the deals that come with DDS, Haglund and Hein's double-dummy solver:

python tests/data/recorders/bridge_bidding.py 240 DDS/hands/list100.txt tests/data/BridgeBidding/bridge_bidding.json.gz

Random calls are played in OpenSpiel's `bridge`, which solves each deal itself. Of every game the file has the deal,
dealer and vulnerability, the calls, the legal calls before each as a hexadecimal number, a checksum of the observation
of the player to move (OpenSpiel's 480 entries), and the returns. Of DDS (commit d2bc4c2) it has each deal, who is
vulnerable, the tricks by strain and declarer, and the two par scores of north and south: if they bid first, and if the
others do.
"""

import gzip
import json
import random
import sys
import zlib

import numpy as np
import pyspiel

from envsuite.generators.base import draw_levels
from envsuite.registry import build

RANKS, SUITS, SEATS = "23456789TJQKA", "CDHS", ("north", "east", "south", "west")
VULNERABLE = ("none", "ns", "ew", "both")


def cards_of(deal: str) -> list[list[int]]:
    """The cards of each hand, numbered as there."""
    hands = deal.partition(":")[2].split()
    return [
        [4 * RANKS.index(rank) + suit for suit, ranks in zip((3, 2, 1, 0), hand.split(".")) for rank in ranks]
        for hand in hands
    ]


def started(deal: str, dealer: int, vulnerable: int) -> pyspiel.State:
    """A game with this deal there."""
    pairs = [bool(vulnerable >> (dealer + k) % 2 & 1) for k in range(2)]
    settings = f"dealer={dealer},dealer_vul={pairs[0]},non_dealer_vul={pairs[1]}"
    state = pyspiel.load_game(f"bridge(use_double_dummy_result=true,{settings})").new_initial_state()
    for cards in zip(*cards_of(deal)):
        for card in cards:
            state.apply_action(card)
    return state


def ours(action: int) -> int:
    """Our number of a call there: 52 is a pass, then double, redouble and the bids."""
    return action - 52


def chosen(rng: random.Random, legal: list[int], calls: int) -> int:
    """A random call; passes become more likely, so that auctions end at all levels."""
    doubles = [action for action in legal if action in (53, 54)]
    if doubles and rng.random() < 0.3:
        return doubles[0]
    if rng.random() < 0.3 + 0.03 * calls or legal[-1] < 55:
        return 52
    bids = [action for action in legal if action > 54]
    return bids[min(int(rng.expovariate(0.3)), len(bids) - 1)]


def game(rng: random.Random, level: dict) -> dict:
    """A random game there."""
    dealer, vulnerable = rng.randrange(4), rng.randrange(4)
    state, calls, legal, seen = started(level["deal"], dealer, vulnerable), [], [], []
    while not state.is_terminal():
        actions = state.legal_actions()
        legal.append(f"{sum(1 << ours(action) for action in actions):x}")
        tensor = np.array(state.observation_tensor(state.current_player())[4:484], np.uint8)
        seen.append(f"{zlib.crc32(tensor.tobytes()):08x}")
        action = chosen(rng, actions, len(calls))
        calls.append(ours(action))
        state.apply_action(action)
    return {
        "deal": level["deal"], "dealer": SEATS[dealer], "vulnerable": VULNERABLE[vulnerable], "calls": calls,
        "legal": legal, "seen": seen, "returns": [int(found) for found in state.returns()],
    }  # fmt: skip


def published(lines: list[str]) -> list[dict]:
    """The deals of a list of DDS: lines of PBN, TABLE and PAR2 alternate with others."""
    found = []
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == "PBN":
            words, text, _ = rest.split('"')
            # Dealer, who is vulnerable (none, both, north and south, east and west), and more.
            found.append({"deal": text, "vulnerable": ("none", "both", "ns", "ew")[int(words.split()[1])]})
        elif kind == "TABLE":  # spades, hearts, diamonds, clubs, no trump, each for north, east, south and west
            table = np.array(rest.split(), int).reshape(5, 4)
            found[-1]["tricks"] = dict(zip(SEATS, table[[3, 2, 1, 0, 4]].T.tolist()))
        elif kind == "PAR":
            first, second = rest.split('"')[1:4:2]
            found[-1]["par"] = [int(first.split()[1]), -int(second.split()[1])]
    return found


def main() -> None:
    count, name, out = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    rng, world = random.Random(0), build("BridgeBidding")
    games = [game(rng, level) for level in draw_levels(world, range(count))]
    with open(name) as file:
        found = {"games": games, "dds": published(file.read().splitlines())}
    with gzip.GzipFile(out, "wb", mtime=0) as packed:
        packed.write(json.dumps(found, separators=(",", ":")).encode())


if __name__ == "__main__":
    main()
