"""Record GNU Backgammon's turns and chances.

    python tests/data/recorders/backgammon.py tests/data/Backgammon/backgammon.json.gz

gnubg-nn 1.1.0a11 must be installed. Checkers are written as 26 letters by place, off, points 1 to 24 and bar: a for
none, b for one, ... The file holds

- turns: of random games between players that take any legal turn, and of games with three and with eight checkers:
  the checkers of the player to move and of the other, the two numbers, how many positions there can be after the turn,
  and a checksum of these, sorted, each written as both players' letters.
- chances: for positions with both players' last checkers in their homes, the chance that the player to move wins.
- bear_off: for a player's last checkers in its home, the chances that 1, 2, 3, ... turns bear them off.
"""

import gzip
import json
import pathlib
import random
import sys
import zlib

import gnubg_nn

START = {24: 2, 13: 5, 8: 3, 6: 5}
GAMES = {15: 12, 8: 10, 3: 10}


def row_of(places):
    row = [0] * 25
    for place in places:
        row[place - 1] += 1
    return row


def letters(row, most):
    return "".join(chr(97 + count) for count in (most - sum(row), *row))


def record_game(most, rng):
    """The turns of a game; with few checkers, from random places without contact or with it."""
    start = [place for place, count in START.items() for _ in range(count)]
    rows = [row_of(rng.sample(start, most)) for _ in range(2)]
    turns = []
    while all(map(sum, rows)):
        numbers = rng.randint(1, 6), rng.randint(1, 6)
        after = [gnubg_nn.board_from_position_key(key) for key in gnubg_nn.moves(rows[::-1], *numbers)]
        after = [(list(own), list(other)) for other, own in after] or [tuple(rows)]
        found = sorted(letters(own, most) + letters(other, most) for own, other in after)
        assert len(set(found)) == len(found)
        text = letters(rows[0], most) + letters(rows[1], most)
        turns.append([text, *numbers, len(found), f"{zlib.crc32(''.join(found).encode()) & 0xFFFF:04x}"])
        own, other = rng.choice(after)
        rows = [other, own]
    return turns


def record(seed=1):
    rng, turns = random.Random(seed), []
    for most, games in GAMES.items():
        for _ in range(games):
            turns += record_game(most, rng)
    homes = [row for a in range(1, 7) for b in range(7) for row in [row_of([a] + [b] * (b > 0))] if b <= a]
    chances = []
    for _ in range(60):
        own, other = rng.sample(homes, 2)
        chance = gnubg_nn.probabilities([other, own], gnubg_nn.p_bearoff)[0]
        chances.append([letters(own, 2), letters(other, 2), round(chance, 6)])
    bear_off = []
    for row in homes:
        found = gnubg_nn.bearoff_probabilities(tuple(row[:6]))
        bear_off.append([letters(row, 2), [round(chance, 6) for chance in found]])
    return {"source": "gnubg-nn 1.1.0a11", "turns": turns, "chances": chances, "bear_off": bear_off}


if __name__ == "__main__":
    data = record()
    print(len(data["turns"]), data["turns"][:2], data["turns"][-1], data["chances"][:3], data["bear_off"][-1])
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode(), 9, mtime=0)
    pathlib.Path(sys.argv[1]).write_bytes(packed)
