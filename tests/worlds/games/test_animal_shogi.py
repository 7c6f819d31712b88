"""AnimalShogi: Pgx's games in lock-step, a second implementation, counts of sequences, each rule, levels, baselines."""

import gzip
import json
from collections import Counter

import kit
import numpy as np
import pytest
from expansion import perft

from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games import animal_shogi as rules
from envsuite.games.animal_shogi import CHECKMATE, LIMIT, MOST, REPETITION, STALEMATE, TRY, AnimalShogi
from envsuite.registry import build
from envsuite.solvers.alpha_beta import AlphaBeta

ID = "envsuite/AnimalShogi-v0"
RECORDED = json.loads(gzip.decompress((kit.DATA / "AnimalShogi" / "animal_shogi.json.gz").read_bytes()))


# Pgx numbers squares file by file from the mover's right, each from the last rank down; 8 ways, then 3 kinds of drops.
WAYS = [(1, 1), (1, 0), (1, -1), (0, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1)]


def ours(label):
    """Our action for Pgx's, None if it leaves the board."""
    way, place = divmod(label, 12)
    x, y = 2 - place // 4, 3 - place % 4
    if way >= 8:
        return 58 + 12 * (way - 8) + 3 * y + x
    to = x + WAYS[way][0], y + WAYS[way][1]
    if not (0 <= to[0] < 3 and 0 <= to[1] < 4):
        return None
    pairs = [
        (3 * b + a, 3 * d + c) for b in range(4) for a in range(3) for d in range(4) for c in range(3)
        if (a, b) != (c, d) and abs(a - c) <= 1 and abs(b - d) <= 1
    ]  # fmt: skip
    return pairs.index((3 * y + x, 3 * to[1] + to[0]))


ACTIONS = [ours(label) for label in range(132)]
INSIDE = np.array([action is not None for action in ACTIONS])


def checksum(batch, i):
    """The recorder's sum of what the player to move sees."""
    player, mask = batch.records["player"][i], np.zeros(132, np.uint8)
    mask[INSIDE] = batch.masks[i, player][[action for action in ACTIONS if action is not None]]
    seen = batch.observations[i, player]
    parts = mask, seen["board"].astype(np.uint8), seen["hand"].astype(np.uint8)
    return kit.checksum(np.concatenate([part.ravel() for part in parts]))


@pytest.mark.mostly_slow
@pytest.mark.parametrize("every", [20, 1])
def test_pgx(every):
    """284 games: masks, boards and hands as the mover sees them, repetitions, rewards and ends at every move.

    Pgx miscounts repetitions after some captures and drops; in 7 games the recording stops there.
    """
    games = RECORDED["games"][::every]
    moves = [bytes.fromhex(game["moves"]) for game in games]
    batch, endings = kit.started(ID, len(games)), set()
    for ply in range(MOST + 1):
        running = np.array([len(each) > ply for each in moves])
        for i in np.flatnonzero([len(each) >= ply for each in moves]):
            game, last = games[i], len(moves[i]) == ply
            if wanted := game["sums"][4 * ply : 4 * ply + 4]:
                assert checksum(batch, i) == wanted
            if ply and not (last and game["found"] == "less"):
                assert batch.records["repeats"][i] == int(game["repeats"][ply - 1])
            assert batch.over()[i] == (last and game["found"] == "as Pgx")
            if last:
                assert batch.rewards[i].tolist() == game["rewards"]
                endings.add(int(batch.records["ending"][i]))
            else:
                batch.actions[i] = ACTIONS[moves[i][ply]]
        if running.any():
            batch.step(where=running)
    assert endings >= {TRY, CHECKMATE, REPETITION, STALEMATE} and (every > 1 or LIMIT in endings)


class Position:
    """A second implementation, of the printed rules: a lion may be left where it can be captured."""

    def __init__(self, rows, hands=("", ""), mover=0):
        self.at = {(x, 3 - y): letter for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != "."}
        self.hands, self.mover = [Counter(hand) for hand in hands], mover

    def mine(self, letter, player):
        return letter.isupper() == (player == 0)

    def ways(self, letter):
        straight, diagonal = [(0, 1), (0, -1), (1, 0), (-1, 0)], [(1, 1), (-1, 1), (1, -1), (-1, -1)]
        ways = {"C": [(0, 1)], "E": diagonal, "G": straight, "L": straight + diagonal, "H": straight + diagonal[:2]}
        forward = 1 if letter.isupper() else -1
        return [(x, forward * y) for x, y in ways[letter.upper()]]

    def over(self):
        """Whether a lion has been captured, or stands on its last rank where nothing can capture it."""
        lions = {letter: square for square, letter in self.at.items() if letter in "Ll"}
        goals = [k for k in range(2) if "Ll"[k] in lions and lions["Ll"[k]][1] == (3, 0)[k]]
        return len(lions) < 2 or any(not self.attacked(k) for k in goals)

    def attacked(self, player):
        """Whether the other player could capture this player's lion if it were to move."""
        other = Position((), self.hands, 1 - player)
        other.at = self.at
        return any(self.at.get(to) == "Ll"[player] for _, to in other.moves())

    def moves(self):
        """Pairs of squares, and pairs of a letter and a square, which drop a piece."""
        squares = [(x, y) for x in range(3) for y in range(4)]
        for start, letter in list(self.at.items()):
            if self.mine(letter, self.mover):
                for x, y in self.ways(letter):
                    to = start[0] + x, start[1] + y
                    if to in squares and not (to in self.at and self.mine(self.at[to], self.mover)):
                        yield start, to
        for letter in "CEG":
            if self.hands[self.mover][letter]:
                yield from ((letter, to) for to in squares if to not in self.at)

    def after(self, start, to):
        new = Position((), self.hands, 1 - self.mover)
        new.at = dict(self.at)
        if isinstance(start, str):
            new.hands[self.mover][start] -= 1
            new.at[to] = start if self.mover == 0 else start.lower()
        else:
            letter = new.at.pop(start)
            if to in new.at:
                new.hands[self.mover][new.at[to].upper().replace("H", "C")] += 1
            if letter in "Cc" and to[1] == (3, 0)[self.mover]:
                letter = "H" if letter == "C" else "h"
            new.at[to] = letter
        return new

    def legal(self):
        """The moves after which the lion cannot be captured, by name."""
        names = {}
        for start, to in self.moves():
            new = self.after(start, to)
            if not new.attacked(self.mover):
                words = {"C": "drop chick ", "E": "drop elephant ", "G": "drop giraffe "}
                first = words[start] if isinstance(start, str) else "abc"[start[0]] + str(start[1] + 1)
                names[first + "abc"[to[0]] + str(to[1] + 1)] = new
        return names


def sequences(position, depth):
    """The number of sequences of this many moves by the printed rules."""
    if position.over():
        return 0
    moves = list(position.moves())
    return len(moves) if depth == 1 else sum(sequences(position.after(*move), depth - 1) for move in moves)


START = ["gle", ".c.", ".C.", "ELG"]


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("rows", "depth", "count"), [(["g.e", ".cL", "lC.", "E.G"], 4, 2290), (START, 4, 976), (START, 6, 71_677)]
)
def test_second_implementation(rows, depth, count):
    """The second implementation has the numbers of sequences that Fairy-Stockfish tests, by the printed rules."""
    assert sequences(Position(rows), depth) == count


def test_sequences():
    """Pgx's numbers of sequences of moves."""
    assert perft(AnimalShogi(), 5) == tuple(RECORDED["perft"]) == (4, 13, 67, 398, 2179)


def letters(board):
    return ["".join(".CEGLHceglh"[piece] for piece in board[3 * row : 3 * row + 3]) for row in range(3, -1, -1)]


def test_equals_second_implementation():
    """Random games with fresh seeds: legal moves, boards and hands at every move, and why games end."""
    batch, rng = kit.started(ID, 5), np.random.default_rng()
    positions = [Position(START) for _ in range(batch.num)]
    while not batch.over().all():
        running, chosen = ~batch.over(), {}
        for i in np.flatnonzero(running):
            player = batch.records["player"][i]
            names = batch.world.action_names[player]
            successors = positions[i].legal()
            assert {names[k] for k in np.flatnonzero(batch.masks[i, player])} == set(successors)
            chosen[i] = rng.choice(sorted(successors))
            positions[i] = successors[chosen[i]]
            batch.actions[i] = names.index(chosen[i])
        batch.step(where=running)
        for i in chosen:
            position, s = positions[i], batch.record(i)
            rows = ["".join(position.at.get((x, y), ".") for x in range(3)) for y in range(3, -1, -1)]
            assert letters(s.board) == rows and s.player == position.mover
            assert s.hand.tolist() == [[hand[letter] for letter in "CEG"] for hand in position.hands]
            stuck = {True: CHECKMATE, False: STALEMATE}[position.attacked(position.mover)]
            won = TRY if position.over() else 0 if position.legal() else stuck
            assert s.ending == won or (not won and s.ending in (REPETITION, LIMIT))


def placed(rows, hands=("", ""), player=0, moves=0):
    """A batch of one game in a position of letters after some moves."""
    batch = kit.started(ID)
    s = batch.record()
    s.board[:] = [".CEGLHceglh".index(letter) for row in reversed(rows) for letter in row]
    s.hand[:] = [[hand.count(letter) for letter in "CEG"] for hand in hands]
    s.player, s.moves = player, moves + (moves + player) % 2
    s.positions[:] = 0
    s.positions[s.moves] = rules.key_of(s)
    batch.world.admit(batch.records)
    batch.observe()
    return batch


def rows_of(batch):
    return letters(batch.records["board"][0])


def ended(batch):
    """The reason for the end, and the rewards."""
    return int(batch.records["ending"][0]), batch.rewards[0].tolist()


@pytest.mark.parametrize(
    ("rows", "hand", "targets"),
    [
        ([".l.", "...", ".C.", "L.."], "CEEGG", "b3"),
        ([".l.", "...", ".E.", ".L."], "CCEGG", "a1 a3 c1 c3"),
        ([".l.", "...", ".G.", "L.."], "CCEEG", "a2 b1 b3 c2"),
        ([".l.", "...", ".H.", "L.."], "CEEGG", "a2 a3 b1 b3 c2 c3"),
        (["..l", "...", ".L.", "..."], "CCEEGG", "a1 a2 a3 b1 c1 c2"),  # b3 and c3 are the other lion's
    ],
)
def test_pieces(rows, hand, targets):
    """How each piece moves from b2; and for the other player from b3, turned."""
    batch = placed(rows, ("", hand))
    assert {name[2:] for name in kit.legal(batch) if name.startswith("b2")} == set(targets.split())
    batch = placed([row[::-1].swapcase() for row in reversed(rows)], (hand, ""), 1)
    turned = {f"{'cba'['abc'.index(name[0])]}{5 - int(name[1])}" for name in targets.split()}
    assert {name[2:] for name in kit.legal(batch) if name.startswith("b3")} == turned


def test_promotion():
    """A chick that moves to the last rank becomes a hen; one that is dropped there does not, and stays."""
    rows = ["g.l", "C..", "...", "..L"]
    assert rows_of(kit.act(placed(rows, ("C", "EEG")), "a3a4"))[0] == "H.l"  # also when it captures
    batch = kit.act(placed(["g.l", "C..", "...", "L.."], ("C", "EEG")), "drop chick b4")
    assert rows_of(batch)[0] == "gCl" and batch.records["hand"][0, 0].tolist() == [0, 0, 0]
    batch = placed(["C.l", "...", "...", "L.."], ("", "CEEGG"))
    assert {name[:2] for name in kit.legal(batch)} == {"a1"}
    assert rows_of(kit.act(placed([".l.", ".E.", "...", "L.."], ("C", "CEGG")), "b3a4"))[0] == "El."


def test_captures():
    """A captured piece changes sides, a hen as a chick; own pieces cannot be captured."""
    batch = kit.act(placed(["..l", "h..", "G..", "L.."], ("C", "EEG")), "a2a3")
    assert batch.records["hand"][0].tolist() == [[2, 0, 0], [0, 2, 1]] and rows_of(batch)[1] == "G.."
    batch = kit.act(placed(["..l", "e..", "G..", "L.."], ("C", "CEG")), "a2a3")
    assert batch.records["hand"][0].tolist() == [[1, 1, 0], [1, 1, 1]]
    assert not {"a1a2", "a2a1"} & kit.legal(placed(["..l", "...", "G..", "L.."], ("", "CCEEG")))


def test_drops():
    """On any empty square, beside another chick too; pieces in the other's hand cannot be dropped."""
    batch = placed(["..l", "...", "C..", "L.."], ("CE", "EGG"))
    empty = {"b1", "c1", "b2", "c2", "a3", "b3", "c3", "a4", "b4"}
    drops = {name for name in kit.legal(batch) if name.startswith("drop")}
    assert drops == {f"drop {kind} {square}" for kind in ("chick", "elephant") for square in empty}


def test_check():
    """Only the lion's moves and captures answer a check by one piece; only the lion's moves a check by two."""
    batch = placed(["..l", "...", "g.G", "L.."], ("CE", "CE"))
    assert kit.legal(batch) == {"a1a2", "a1b1"}  # b2 is attacked by the giraffe
    batch = placed(["..l", "...", "gG.", "L.."], ("CE", "CE"))
    assert kit.legal(batch) == {"a1a2", "a1b1", "b2a2"}
    batch = placed(["..l", "...", "ge.", "LG."], ("C", "CE"))
    assert kit.legal(batch) == {"a1a2"}  # the giraffe guards the elephant


def test_try():
    """A lion that reaches the last rank wins; it cannot go there where it would be captured."""
    batch = placed(["l..", "..L", "...", "..."], ("CE", "CEGG"))
    assert "c3c4" in kit.legal(batch) and "c3b4" not in kit.legal(batch)
    assert ended(kit.act(batch, "c3c4")) == (TRY, [1, -1])
    batch = placed(["...", "...", "l..", "..L"], ("CE", "CEGG"), 1)
    assert "a2b1" not in kit.legal(batch)
    assert ended(kit.act(batch, "a2a1")) == (TRY, [-1, 1])


def test_checkmate():
    """A dropped chick may give checkmate."""
    batch = kit.act(placed([".l.", "...", ".G.", "L.."], ("CG", "CEE")), "drop giraffe b3")
    assert not batch.over()[0] and kit.legal(batch) == {"b4a4", "b4c4"}
    batch = kit.act(placed(["gle", "...", ".G.", "L.."], ("C", "CE")), "drop chick b3")
    assert ended(batch)[0] == 0 and kit.legal(batch) == {"c4b3", "b4a3", "b4c3"}
    batch = kit.act(placed(["l..", "..H", ".E.", "L.."], ("C", "EGG")), "drop chick a3")
    assert ended(batch) == (CHECKMATE, [1, -1])


def test_no_move():
    """A player without a legal move loses, in check or not."""
    batch = kit.act(placed(["l..", "...", "GG.", "L.."], ("CCEE", "")), "b2b3")
    assert ended(batch) == (0, [0, 0]) and kit.legal(batch) == {"a4b3"}
    batch = kit.act(placed(["l..", "..H", "GG.", "L.."], ("CEE", "")), "b2b3")
    assert ended(batch) == (STALEMATE, [1, -1])
    batch = kit.act(placed(["l..", "..H", "GG.", "L.."], ("EE", "C")), "b2b3")
    assert ended(batch)[0] == 0  # a piece in hand can be dropped


BACK_AND_FORTH = ["c1c2", "a4a3", "c2c1", "a3a4"]


def test_repetition():
    """The third time of a position is a draw; the start counts."""
    batch = kit.act(kit.started(ID), *BACK_AND_FORTH)
    assert batch.records["repeats"][0] == 1 and batch.observations[0, 0]["repeats"] == 1
    assert "occurred before" in batch.world.text(batch.record(), 0)
    kit.act(batch, *BACK_AND_FORTH[:3])
    assert ended(batch) == (0, [0, 0])
    assert ended(kit.act(batch, BACK_AND_FORTH[3])) == (REPETITION, [0, 0])
    assert "It is a draw: repetition." in batch.world.text(batch.record(), 1)


def test_positions_differ_by_hands():
    """The same board and player with other hands is another position."""
    batch = kit.started(ID)
    s = batch.record()
    keys = {rules.key_of(s)}
    for player in range(2):
        for k in range(3):
            s.hand[player, k] = 1
            keys.add(rules.key_of(s))
            s.hand[player, k] = 2
            keys.add(rules.key_of(s))
    s.player = 1
    assert len(keys | {rules.key_of(s)}) == 14


def test_limit():
    """The game is a draw after 256 moves; a win by the last move counts."""
    rows, hands = ["l..", "...", "..L", "..."], ("CE", "CEGG")
    assert ended(kit.act(placed(rows, hands, moves=MOST - 2), "c2c1"))[0] == 0
    mirrored = [row[::-1].swapcase() for row in reversed(rows)]
    batch = placed(mirrored, hands[::-1], 1, MOST - 1)
    assert batch.records["moves"][0] == MOST - 1
    assert ended(kit.act(batch, "a3a4")) == (LIMIT, [0, 0])
    assert "It is a draw: 256 moves." in batch.world.text(batch.record(), 0)
    batch = placed(["...", "...", "l..", "..L"], hands, 1, MOST - 1)
    assert ended(kit.act(batch, "a2a1")) == (TRY, [-1, 1])


def test_levels():
    """Levels count as moves of the game, with names of both players' moves; some are refused."""
    batch = kit.opened(ID, "b2b3", "b4b3", *["c1c2", "a4a3", "c2c1", "a3a4"])
    world, s = batch.world, batch.record()
    assert s.moves == 6 and s.repeats == 1 and rows_of(batch) == ["g.e", ".l.", "...", "ELG"]
    assert world.get_level(s)["moves"][:2] == ["b2b3", "b4b3"]
    assert (batch.observations[0, 0]["moves"], batch.observations[0, 0]["hand"].tolist()) == (6, [1, 0, 0, 1, 0, 0])
    batch.start()
    assert world.get_level(s) == {"moves": []} and rows_of(batch) == START
    kit.refuses(
        world,
        ({"moves": ["b2b3", "b2b3"]}, "move 1 of the level, 'b2b3', is illegal"),
        ({"moves": ["b2b4"]}, "'b2b4', is not a move of this game"),
        ({"moves": BACK_AND_FORTH * 2}, "the level's game is over after 8 moves"),
        ({"moves": BACK_AND_FORTH * 64}, "256 moves; at most 255 are allowed"),
        ({"moves": 5}, "cannot be read"),
        ({}, "lacks 'moves'"),
    )


@pytest.mark.parametrize(
    ("field", "at", "value", "message"),
    [
        ("board", 1, 0, "has no lion"),
        ("board", 3, 1, "there are not two chicks"),
        ("board", 4, 2, "there are not two chicks"),
        ("hand", (0, 2), 1, "there are not two chicks"),
        ("player", (), 1, "the number of moves is that of the other"),
        ("positions", 0, 7, "positions does not go"),
        ("positions", 5, 7, "positions does not go"),
        ("repeats", (), 1, "repeats does not go"),
        ("ending", (), 2, "ending is not"),
    ],
)
def test_records(field, at, value, message):
    batch = kit.started(ID)
    batch.records[field][(0, *np.atleast_1d(at).astype(int))] = value
    with pytest.raises(SnapshotError, match=message):
        batch.world.admit(batch.records)


@pytest.mark.parametrize(
    ("rows", "message"),
    [([".l.", "..L", "...", "..."], "can capture the lion"), (["l.L", "...", "...", "..."], "reached the last rank")],
)
def test_lions_of_records(rows, message):
    with pytest.raises(SnapshotError, match=message):
        placed(rows, ("CEE", "CGG"))


def middle(world, agent, square):
    """The middle of a square in an agent's picture."""
    column, row = "abc".index(square[0]), int(square[1])
    return (2.6 + column, 5.5 - row) if agent == 0 else (4.6 - column, 0.5 + row)


def test_drags():
    """Each agent sees its own side at the bottom and its hand at the right."""
    batch = kit.opened(ID, "b2b3", "b4b3")
    world, s = batch.world, batch.record()
    for agent in range(2):
        for start, end in (("a1", "b2"), ("c4", "b3")):
            action = world.drag(s, agent, middle(world, agent, start), middle(world, agent, end))
            assert world.action_names[agent][action] == start + end
        for k, kind in enumerate(("chick", "elephant", "giraffe")):
            action = world.drag(s, agent, (6.0, 2.4 + k), middle(world, agent, "b2"))
            assert world.action_names[agent][action] == f"drop {kind} b2"
        assert world.drag(s, agent, (0.8, 1.5), middle(world, agent, "b2")) is None
        assert world.drag(s, agent, middle(world, agent, "a1"), (0.1, 0.1)) is None
        assert world.drag(s, agent, middle(world, agent, "a1"), middle(world, agent, "c4")) is None


def test_text():
    batch = kit.opened(ID, "b2b3", "b4b3", "drop chick b2")
    assert batch.world.text(batch.record(), 1).splitlines() == [
        "4 g . e",
        "3 . l .",
        "2 . C .",
        "1 E L G",
        "  a b c",
        "Your pieces are the lowercase letters and move down: C chick, E elephant, G giraffe, L lion, H hen.",
        "You have 1 chick in hand; the other player has nothing.",
        "Moves so far: 3 of 256. It is your turn.",
    ]


@pytest.mark.parametrize(
    ("rows", "hands", "policy", "moves"),
    [
        (["l..", "..L", "...", "..."], ("CE", "CEGG"), "greedy", {"c3c4"}),  # a try
        (["..l", "e.c", "G.G", "L.."], ("CE", ""), "greedy", {"a2a3"}),  # an elephant is worth more than a chick
        ([".l.", "C..", "...", "..L"], ("", "CEEGG"), "greedy", {"a3a4"}),  # a new hen
        (["..l", ".c.", ".G.", "L.."], ("", "CEEG"), "greedy", {"b2b3"}),
        (["..l", ".c.", ".G.", "L.."], ("", "CEEG"), "cautious", {"b2a2", "b2c2"}),  # the lion guards the chick
    ],
)
def test_choices(rows, hands, policy, moves):
    assert kit.choices(policy, placed(rows, hands), seeds=5) == moves


def test_greedy_ends_the_game():
    position = ["l..", "..H", "GG.", "L.."], ("CEE", "")
    for choice in kit.choices("greedy", placed(*position), seeds=5):
        assert ended(kit.act(placed(*position), choice))[1] == [1, -1]


@pytest.mark.slow
def test_baselines():
    """Each beats the one before it, from both seats."""
    for seat in range(2):
        assert kit.wins(ID, "greedy", seat, 400) > 0.75
        assert kit.played(ID, "cautious", seat, 400, "greedy")[:, seat].mean() > 0.4


@pytest.mark.slow
def test_alpha_beta_beats_greedy():
    """A search of 3,000 positions without an evaluation, from both seats."""
    world, won = build(ID), 0.0
    for seat in range(2):
        players = ["greedy", "greedy"]
        players[seat] = AlphaBeta(world, nodes=3000, table=2**12)
        won += (play(world, players, 16).returns[:, seat] > 0).mean() / 2
    assert won > 0.6
