"""Shogi: OpenSpiel and Pgx in lock-step, cshogi's legal moves and counts, each rule, levels, records, baselines."""

import gzip
import json
import zlib
from functools import cache

import kit
import numpy as np
import pytest
from expansion import parts, successors

from envsuite.core.chance import Explorer
from envsuite.core.errors import SnapshotError
from envsuite.games import shogi as rules
from envsuite.games.shogi import (
    CHECKMATE,
    DECLARED,
    IMPASSE,
    LIMIT,
    MOST,
    NAMES,
    NUM_ACTIONS,
    NUM_MOVES,
    NUM_PAIRS,
    PERPETUAL,
    POINTS,
    REPETITION,
    STALEMATE,
    WIN,
)
from envsuite.games.shogi.view import LEFT, TOP, sign
from envsuite.registry import build

ID = "envsuite/Shogi-v0"
START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"


@cache
def recorded(name):
    """Positions of cshogi, or games of Pgx, see their recorder."""
    return json.loads(gzip.decompress((kit.DATA / "Shogi" / f"shogi_{name}.json.gz").read_bytes()))


class Limited:
    """A game of OpenSpiel that is a draw after `MOST` moves."""

    def __init__(self):
        import pyspiel

        self.state, self.moves = pyspiel.load_game("shogi").new_initial_state(), []

    def is_terminal(self):
        return len(self.moves) == MOST or self.state.is_terminal()

    def apply_action(self, action):
        self.moves.append(action)
        self.state.apply_action(action)

    def __getattr__(self, name):
        return getattr(self.state, name)


@cache
def numbers():
    """Our number of each of OpenSpiel's actions: squares are numbered as ours are, from the side of `player_0`."""
    found = ({}, {})
    for player in range(2):
        for action in range(WIN):
            if action >= NUM_MOVES:
                kind, square = divmod(action - NUM_MOVES, 81)
                # Theirs are in the order P L N S G B R.
                label = 2 * 81**2 + 81 * (0, 1, 2, 3, 5, 6, 4)[kind] + rules.turned(square, player)
            else:
                origin, target = (rules.turned(int(square), player) for square in rules.MOVES[action])
                label = 2 * (81 * origin + target) + (action >= NUM_PAIRS)
            found[player][label] = action
    return found


def ours(i, state):
    table = numbers()[state.current_player()]
    return {action: table[action] for action in state.legal_actions()}


def back(rng):
    """A choice that often takes the player's last move back, so that positions repeat."""

    def choose(i, state, actions):
        if len(state.moves) > 1 and state.moves[-2] < 2 * 81**2 and rng.random() < 0.7:
            pair = state.moves[-2] // 2
            last = 2 * (81 * (pair % 81) + pair // 81)
            if last in actions:
                return last
        return actions[rng.integers(len(actions))]

    return choose


@pytest.mark.mostly_slow
@pytest.mark.parametrize(("games", "repeating"), [(2, 2), (150, 60)])
def test_openspiel(games, repeating):
    """Random games with fresh seeds: movers, legal moves, rewards and ends at every move, and some positions."""
    rng = np.random.default_rng()
    for num, choose in ((games, None), (repeating, back(rng))):
        batch, states = kit.started(ID, num, impasse="automatic"), [Limited() for _ in range(num)]
        for i, state, _ in kit.lock_step(batch, states, rng, choose, ours):
            if rng.random() < 0.05:
                theirs, mine = state.to_string().split(), batch.world.sfen(batch.record(i)).split()
                assert theirs[:2] == mine[:2]
            assert batch.records["check"][i] == state.in_check()
        assert choose is None or REPETITION in batch.records["ending"]


def names_of(batch):
    return sorted(kit.legal(batch) - {"win"})


@pytest.mark.mostly_slow
@pytest.mark.parametrize("every", [8, 1])
def test_cshogi(every):
    """Legal moves, checks, and whether a win may be declared, in 1,015 positions, 31 with a pawn that may not mate."""
    batch, flags = kit.started(ID), set()
    for sfen, count, wanted, flag in recorded("positions")["positions"][::every]:
        batch.start(0, {"sfen": sfen})
        names, s = names_of(batch), batch.record()
        assert batch.world.sfen(s) == sfen
        assert (len(names), f"{zlib.crc32(' '.join(names).encode()) & 0xFFFF:04x}") == (count, wanted), sfen
        assert flag == "c" * int(s.check) + "w" * ("win" in kit.legal(batch)), sfen
        flags.add(flag)
    assert flags == {"", "c", "w"}


def perft(sfen, depth):
    """Numbers of sequences of 1 to `depth` moves; the last moves are only counted."""
    explorer = Explorer(build(ID), 4096)
    level, counts = next(iter(explorer.begin({"sfen": sfen}))).records, []
    view = explorer.view(level)
    counts.append(int(view.masks.sum()))
    for k in range(depth - 1):
        if k < depth - 2:
            level, _, over = successors(explorer, level)
            counts.append(int(explorer.view(level[~over]).masks.sum(dtype=int)))
        else:
            counts.append(sum(int(view.masks.sum(dtype=int)) for _, _, view in parts(explorer, level)))
    return counts


@pytest.mark.mostly_slow
@pytest.mark.parametrize("fast", [True, False])
def test_perft(fast):
    """cshogi's numbers of sequences of moves from the start and other positions, one with 593 moves."""
    for sfen, counts in recorded("positions")["perft"].items():
        counts = counts[: 2 if counts[0] > 200 else 3] if fast else counts
        counts = counts[:1] if fast and counts[0] > 100 else counts
        assert perft(sfen, len(counts)) == counts


# Pgx's directions: steps (to the right as the mover sees it, forward) from the first square to the second.
DIRECTIONS = [(0, 1), (-1, 1), (1, 1), (-1, 0), (1, 0), (0, -1), (-1, -1), (1, -1), (-1, 2), (1, 2)]


@cache
def labels():
    """(3849,): Pgx's label of each action. It numbers squares file by file from the mover's right, from the top."""
    found = []
    for action in range(WIN):
        if action >= NUM_MOVES:
            kind, target = divmod(action - NUM_MOVES, 81)
            direction = 20 + kind
        else:
            (a, b), target = rules.MOVES[action], rules.MOVES[action][1]
            step = b % 9 - a % 9, b // 9 - a // 9
            if step not in DIRECTIONS[8:]:
                step = tuple(np.sign(step).tolist())
            direction = DIRECTIONS.index(step) + 10 * (action >= NUM_PAIRS)
        found.append(81 * direction + 9 * (8 - target % 9) + 8 - target // 9)
    return np.array(found)


@pytest.mark.mostly_slow
@pytest.mark.parametrize("every", [6, 1])
def test_pgx(every):
    """12 games of Pgx: legal moves at every move, rewards and ends."""
    games = recorded("pgx")["games"][::every]
    moves = [[int(game["moves"][k : k + 3], 16) for k in range(0, len(game["moves"]), 3)] for game in games]
    batch = kit.started(ID, len(games), impasse="none")
    for ply in range(MOST + 1):
        running = np.array([len(each) > ply for each in moves])
        for i in np.flatnonzero([len(each) >= ply for each in moves]):
            last = len(moves[i]) == ply
            assert batch.over()[i] == last
            if last:
                assert batch.rewards[i].tolist() == games[i]["rewards"]
                continue
            legal = np.flatnonzero(batch.masks[i, batch.records["player"][i]])
            mask = np.zeros(27 * 81, np.uint8)
            mask[labels()[legal]] = 1
            assert kit.checksum(mask) == games[i]["sums"][4 * ply : 4 * ply + 4] and mask.sum() == len(legal)
            batch.actions[i] = legal[labels()[legal] == moves[i][ply]][0]
        if running.any():
            batch.step(where=running)


def test_actions():
    """Pairs of squares are sorted, then pairs that promote, then drops; both players' numbers are from their side."""
    squares = [f"{9 - k % 9}{'ihgfedcba'[k // 9]}" for k in range(81)]
    pairs = [(squares.index(name[:2]), squares.index(name[2:4])) for name in NAMES[0][:NUM_MOVES]]
    assert pairs[:NUM_PAIRS] == sorted(set(pairs)) and len(NAMES[0]) == NUM_ACTIONS == 3850
    assert [f"{squares[a]}{squares[b]}+" for a, b in pairs[:NUM_PAIRS] if max(a, b) >= 54] == list(
        NAMES[0][NUM_PAIRS:NUM_MOVES]
    )
    drops = [f"{letter}*{square}" for letter in "PLNSBRG" for square in squares]
    assert list(NAMES[0][NUM_MOVES:]) == [*drops, "win"]
    turned = dict(zip(squares, squares[::-1]))
    for first, second in zip(*NAMES):
        if "*" in first:
            assert second == first[:2] + turned[first[2:]]
        elif first != "win":
            assert second == turned[first[:2]] + turned[first[2:4]] + first[4:]


def at(sfen, *moves, **params):
    """A batch of one game in a position."""
    return kit.started(ID, level={"sfen": sfen, "moves": list(moves)}, **params)


def flipped(sfen):
    """The position from the other side, with the other player to move."""
    placed, side, hands, number = sfen.split()
    ranks = []
    for rank in placed.split("/")[::-1]:
        signs, promoted = [], ""
        for letter in rank:
            if letter == "+":
                promoted = "+"
            else:
                signs.append(promoted + letter.swapcase())
                promoted = ""
        ranks.append("".join(reversed(signs)))
    return f"{'/'.join(ranks)} {'wb'[side == 'w']} {hands.swapcase()} {number}"


def moves_from(batch, start):
    """Where a piece on a square or in hand, such as "P*", can go, and whether it promotes."""
    return {name[2:] for name in kit.legal(batch) if name[:2] == start}


def turned_name(name):
    return NAMES[1][NAMES[0].index(name)]


@pytest.mark.parametrize(
    ("piece", "targets"),
    [
        ("P", "5d"),
        ("L", "5d 5c 5c+ 5b 5b+ 5a+"),
        ("N", "4c 4c+ 6c 6c+"),
        ("S", "4d 5d 6d 4f 6f"),
        ("G", "4d 5d 6d 4e 6e 5f"),
        ("K", "4d 5d 6d 4e 6e 4f 5f 6f"),
        ("B", "4d 3c 3c+ 2b 2b+ 1a 1a+ 6d 7c 7c+ 8b 8b+ 9a 9a+ 4f 3g 2h 1i 6f 7g 8h 9i"),
        ("R", "5d 5c 5c+ 5b 5b+ 5a 5a+ 5f 5g 5h 5i 4e 3e 2e 1e 6e 7e 8e 9e"),
        ("+P", "4d 5d 6d 4e 6e 5f"),
        ("+L", "4d 5d 6d 4e 6e 5f"),
        ("+N", "4d 5d 6d 4e 6e 5f"),
        ("+S", "4d 5d 6d 4e 6e 5f"),
        ("+B", "4d 3c 2b 1a 6d 7c 8b 9a 4f 3g 2h 1i 6f 7g 8h 9i 5d 4e 6e 5f"),
        ("+R", "5d 5c 5b 5a 5f 5g 5h 5i 4e 3e 2e 1e 6e 7e 8e 9e 4d 6d 4f 6f"),
    ],
)
def test_pieces(piece, targets):
    """How each piece moves from the middle; for the other player, turned."""
    sfen = f"1k7/9/9/9/4{piece}4/9/9/9/{'9' if piece == 'K' else '7K1'} b - 1"
    batch = at(sfen)
    assert moves_from(batch, "5e") == set(targets.split())
    mirrored = at(flipped(sfen))
    assert kit.legal(mirrored) == {turned_name(name) for name in kit.legal(batch)}


def test_promotion():
    """Into the last three ranks, within them and out of them; where a piece could not move again it must promote."""
    batch = at("k8/1P7/2L1N4/3S5/9/9/9/9/K8 b - 1")
    assert moves_from(batch, "8b") == {"8a+"}
    assert moves_from(batch, "7c") == {"7b", "7b+", "7a+"}
    assert moves_from(batch, "5c") == {"4a+", "6a+"}
    assert moves_from(batch, "6d") == {"6c", "6c+", "5e", "7e"}
    batch = at("k8/9/3S1G3/4N4/9/9/9/9/K8 b - 1")
    assert moves_from(batch, "6c") == {"5b", "5b+", "6b", "6b+", "7b", "7b+", "7d", "7d+"}
    assert moves_from(batch, "5d") == {"4b+", "6b+"}
    assert moves_from(batch, "4c") == {"3b", "4b", "5b", "3c", "5c", "4d"}
    kit.act(batch, "6c7d+")
    assert "Last move: 6c7d+." in batch.world.text(batch.record(), 0)
    assert batch.world.sfen(batch.record()).startswith("k8/9/5G3/2+S1N4/")
    assert moves_from(at("k8/9/3+S5/9/9/9/9/9/K8 b - 1"), "6c") == {"5b", "6b", "7b", "5c", "7c", "6d"}


def test_drops():
    """On empty squares only, where the piece can move; nothing of the other's hand."""
    batch = at("k8/9/9/9/9/9/9/9/K8 b PLNGp 1")
    for letter, ranks in (("P", "bcdefghi"), ("L", "bcdefghi"), ("N", "cdefghi"), ("G", "abcdefghi")):
        wanted = {f"{file}{rank}" for file in range(1, 10) for rank in ranks} - {"9a", "9i"}
        assert moves_from(batch, f"{letter}*") == wanted
    assert {name[0] for name in kit.legal(batch) if "*" in name} == set("PLNG")
    kit.act(batch, "G*5e")
    assert batch.world.sfen(batch.record()) == "k8/9/9/9/4G4/9/9/9/K8 w NLPp 2"


def test_pawns_on_a_file():
    """No second pawn on a file, unless the first is promoted or the other player's."""
    files = {name[2] for name in kit.legal(at("k8/9/4P4/3+P5/9/2p6/9/9/K8 b P 1")) if name.startswith("P*")}
    assert files == set("12346789")


def test_mate_by_a_pawn():
    """A dropped pawn may not mate; it may check, and a pawn on the board and other drops may mate."""
    corner = "7nk/7p1/7S1/9/9/9/9/9/K8 b {} 1"
    assert "P*1b" not in kit.legal(at(corner.format("P")))
    assert turned_name("P*1b") not in kit.legal(at(flipped(corner.format("P"))))
    assert ended(kit.act(at(corner.format("L")), "L*1b")) == (CHECKMATE, [1, -1])
    assert ended(kit.act(at("7nk/7p1/7SP/9/9/9/9/9/K8 b - 1"), "1c1b")) == (CHECKMATE, [1, -1])
    assert "P*1b" in kit.legal(at("7nk/7p1/9/9/9/9/9/9/K8 b P 1"))  # the king takes
    assert "P*1c" in kit.legal(at("7n1/7pk/9/7S1/9/9/9/9/K8 b P 1"))  # the king flees
    assert "P*1b" in kit.legal(at("7sk/7p1/7S1/9/9/9/9/9/K8 b P 1"))  # the silver takes
    # A silver that is pinned cannot take.
    assert "P*1b" not in kit.legal(at("4R2sk/7p1/7S1/9/9/9/9/9/K8 b P 1"))


def test_captures():
    """A captured piece goes to the hand without its promotion."""
    batch = at("k8/9/9/9/3+p+r4/3LG4/9/9/K8 b - 1", "6f6e", "9a9b", "5f5e")
    assert batch.world.sfen(batch.record()) == "9/k8/9/9/3LG4/9/9/9/K8 w RP 4"
    assert not {"6e5e", "5e6e"} & kit.legal(at("k8/9/9/9/3LG4/9/9/9/K8 b - 1"))


def test_check():
    """A check is answered by the king, by a capture or by a piece between; a pinned piece stays on its line."""
    legal = kit.legal(at("4r4/9/9/9/9/k8/5P3/3G5/4K4 b P 1"))
    assert {name for name in legal if "*" in name} == {f"P*5{rank}" for rank in "bcdefgh"}
    assert {name for name in legal if "*" not in name} == {"5i4h", "5i4i", "5i6i", "6h5g", "6h5h"}
    on_file = {f"5{rank}" for rank in "abcdefg"} | {"5a+", "5b+", "5c+"}
    assert moves_from(at("k3r4/9/9/9/9/9/9/4R4/4K4 b - 1"), "5h") == on_file
    assert not moves_from(at("k3r4/9/9/9/9/9/9/4N4/4K4 b - 1"), "5h")
    legal = kit.legal(at("k8/9/9/9/9/9/3n5/4G4/4K4 b P 1"))  # nothing comes between a knight and the king
    assert not {name for name in legal if "*" in name} and "5h6g" in legal
    legal = kit.legal(at("k3r4/9/9/9/9/9/3n5/9/3GK4 b G 1"))  # two checkers
    assert legal == {"5i4h", "5i4i", "5i6h"}


def ended(batch):
    """The reason for the end, and the rewards."""
    return int(batch.records["ending"][0]), batch.rewards[0].tolist()


def test_no_move():
    """A player without a legal move loses, in check or not."""
    mate, stuck = "8k/9/6SG1/9/9/9/9/9/K8 b - 1", "8k/9/6GS1/9/9/9/9/9/K8 b {} 1"
    assert ended(kit.act(at(mate), "2c2b")) == (CHECKMATE, [1, -1])
    assert ended(kit.act(at(flipped(mate)), turned_name("2c2b"))) == (CHECKMATE, [-1, 1])
    assert ended(kit.act(at(stuck.format("-")), "3c3b")) == (STALEMATE, [1, -1])
    assert ended(kit.act(at(stuck.format("p")), "3c3b")) == (0, [0, 0])  # a piece in hand can be dropped
    assert ended(kit.act(at(stuck.format("-")), "2c2b"))[0] == 0


BACK_AND_FORTH = ["2h3h", "8b7b", "3h2h", "7b8b"]


def test_repetition():
    """The fourth time of a position is a draw; the start counts."""
    batch = kit.act(at(START), *BACK_AND_FORTH)
    assert batch.records["repeats"][0] == 1 and batch.observations[0, 0]["repeats"] == 1
    assert "occurred once before" in batch.world.text(batch.record(), 0)
    kit.act(batch, *BACK_AND_FORTH, *BACK_AND_FORTH[:3])
    assert ended(batch) == (0, [0, 0]) and batch.records["repeats"][0] == 2
    assert ended(kit.act(batch, BACK_AND_FORTH[3])) == (REPETITION, [0, 0])
    assert "It is a draw: repetition." in batch.world.text(batch.record(), 1)


def test_positions_differ_by_hands():
    """The same board with other hands is another position."""
    batch = kit.started(ID)
    s = batch.record()
    keys = {int(rules.key_of(s.board, s.hand))}
    for player in range(2):
        for kind in range(7):
            for count in (1, 2):
                s.hand[player, kind] = count
                keys.add(int(rules.key_of(s.board, s.hand)))
    assert len(keys) == 29


CHASE = "4k4/9/9/9/5R3/9/9/9/K8 b - 1"
CHECKS = ["4e5e", "5a4a", "5e4e", "4a5a"]


@pytest.mark.parametrize("first", [True, False])
def test_perpetual_check(first):
    """A player that has given check by all moves since the first time of the position loses; otherwise a draw."""
    sfen, moves = (CHASE, CHECKS) if first else (flipped(CHASE), [*map(turned_name, CHECKS)])
    won = [-1, 1] if first else [1, -1]
    batch = kit.act(at(sfen), *moves * 3)
    assert ended(batch) == (PERPETUAL, won) and pyspiel_returns(sfen, moves * 3) == won
    # The checking player itself may complete the fourth time.
    early = "4k4/9/9/9/6R2/9/9/9/K8 b - 1" if first else flipped("4k4/9/9/9/6R2/9/9/9/K8 b - 1")
    start = "3e5e" if first else turned_name("3e5e")
    line = [start, *(moves[1:] + moves[:1]) * 3]
    assert ended(kit.act(at(early), *line)) == (PERPETUAL, won) and pyspiel_returns(early, line) == won
    quiet = ["4e3e", "5a4a", "3e4e", "4a5a"]
    quiet = quiet if first else [*map(turned_name, quiet)]
    for line in (quiet * 3, [*quiet, *moves * 2], [*moves * 2, *quiet]):
        assert ended(kit.act(at(sfen), *line)) == (REPETITION, [0, 0]) and pyspiel_returns(sfen, line) == [0, 0]


def pyspiel_returns(sfen, moves):
    """OpenSpiel's returns after these moves; the game must be over then."""
    import pyspiel

    state = pyspiel.load_game("shogi").new_initial_state(sfen)
    for move in moves:
        assert not state.is_terminal()
        state.apply_action(state.parse_move_to_action(move))
    assert state.is_terminal()
    return state.returns()


def test_perpetual_check_differs_from_openspiel():
    """OpenSpiel looks at the last six moves only; here, moves without check after the first time count too."""
    sfen = "4k4/9/9/9/3R5/9/9/9/K8 b - 1"
    quiet = ["5a4a", "5e6e", "4a5a", "6e5e"]
    walk = ["5a4a", "5e4e", "4a5b", "4e5e", "5b4b", "5e4e", "4b5a", "4e5e"]
    line = ["6e5e", *quiet, *walk, *walk]
    assert ended(kit.act(at(sfen), *line)) == (REPETITION, [0, 0])
    assert pyspiel_returns(sfen, line) == [-1, 1]


CAMP = "K1+P+P+P+P3/1+P+P+P+P4/3+R+B4/9/9/9/9/9/8k b R{}P 1"


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("sfen", "wanted"),
    [
        (CAMP.format(5), 28),
        (CAMP.format(4), 27),
        (CAMP.format(3), 26),
        ("K1+P+P+P+P3/1+P+P+P+P4/3+R5/4+B4/9/9/9/9/8k b R10P 1", 0),  # nine pieces
        ("K1+P+P+P+P3/1+P+P+P+P4/3SG4/4R4/9/9/9/9/8k b 2B7P 1", 27),  # the rook is outside
        ("9/1+P+P+P+P4/1+P+P+P+P1+R+B1/K8/9/9/9/9/8k b R5P 1", 0),  # the king is outside
        ("K1+P+P+P+P3/1+P+P+P+P4/3RB4/9/9/9/9/9/8k b R5Pg 1", 28),
    ],
)
def test_declaration(sfen, wanted, first):
    """28 points as `player_0` or 27 as `player_1`, ten pieces and the king on the last three ranks."""
    sfen = sfen if first else flipped(sfen)
    batch = at(sfen)
    allowed = wanted >= (28 if first else 27)
    assert ("win" in kit.legal(batch)) == allowed
    words = [batch.world.text(batch.record(), agent) for agent in range(2)]
    assert ["declare a win" in text for text in words] == [allowed and first, allowed and not first]
    assert "win" not in kit.legal(at(sfen, impasse="none"))
    if allowed:
        assert ended(kit.act(batch, "win")) == (DECLARED, [1, -1] if first else [-1, 1])
        assert "declaration" in batch.world.text(batch.record(), 0)


def test_no_declaration_in_check():
    sfen = "K1+P+P+P+P3/1+P+P+P+P4/3+R+B4/9/{}8/9/9/9/8k b B5P 1"
    assert "win" in kit.legal(at(sfen.format("g"))) and "win" not in kit.legal(at(sfen.format("r")))


def test_automatic_impasse():
    """28 points win at once for the player that moved; two kings that have entered are a draw otherwise."""
    sfen = "9/1+P+P+P+P4/3+R+B4/K8/8k/9/9/9/9 b R{}P 1"
    for points, ending in ((9, POINTS), (8, 0)):
        batch = kit.act(at(sfen.format(points), impasse="automatic"), "9d9c")
        assert ended(batch) == (ending, [1, -1] if ending else [0, 0])
        batch = kit.act(at(flipped(sfen.format(points)), impasse="automatic"), turned_name("9d9c"))
        assert ended(batch) == (ending, [-1, 1] if ending else [0, 0])
    both = "9/9/9/K8/9/9/k8/9/9 b - 1"
    assert ended(kit.act(at(both, impasse="automatic"), "9d9c")) == (IMPASSE, [0, 0])
    assert ended(kit.act(at(both), "9d9c")) == (0, [0, 0])


def test_limit():
    """The game is a draw after `max_moves` moves; a win by the last move counts."""
    batch = kit.act(kit.started(ID, max_moves=2), "7g7f", "3c3d")
    assert ended(batch) == (LIMIT, [0, 0]) and batch.terminations[0].all()
    assert "It is a draw: number of moves." in batch.world.text(batch.record(), 0)
    assert ended(kit.act(at("8k/9/6SG1/9/9/9/9/9/K8 b - 1", max_moves=1), "2c2b")) == (CHECKMATE, [1, -1])
    assert ended(kit.act(kit.started(ID, max_moves=3), "7g7f", "3c3d"))[0] == 0


def test_observation():
    """Each agent sees the board from its own side, with its own pieces first."""
    batch = at("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "7g7f", "3c3d", "8h2b+")
    s = batch.record()
    for agent in range(2):
        seen = batch.observations[0, agent]
        board = np.full((9, 9), ".", dtype="<U2")
        for row, column, plane in np.argwhere(seen["board"]):
            board[row, column] = sign(int(1 + plane + 14 * agent if plane < 14 else plane - 13 + 14 * (1 - agent)))
        board = board if agent == 0 else board[::-1, ::-1]
        assert board.ravel().tolist() == [sign(int(piece)) for piece in s.board]
        assert (seen["first"], seen["check"], seen["moves"]) == (1 - agent, 0, 3)
    assert batch.observations[0, 0]["hand"].tolist() == [0, 0, 0, 0, 1, 0, 0] + [0] * 7
    assert batch.observations[0, 1]["hand"].tolist() == [0] * 7 + [0, 0, 0, 0, 1, 0, 0]
    assert batch.observations[0, 0]["board"][7, 7, 8 + rules.BISHOP] and s.check == 0


def test_levels():
    """Levels are positions and moves; some are refused."""
    batch = at("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 7", "7g7f", "3c3d")
    world, s = batch.world, batch.record()
    assert (s.moves, s.player) == (2, 0) and world.sfen(s).endswith("b - 9")
    assert world.get_level(s) == {"sfen": START[:-1] + "7", "moves": ["7g7f", "3c3d"]}
    batch.start()
    assert world.get_level(s) == {"sfen": START, "moves": []}
    handicap = at("lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1")
    assert handicap.records["player"][0] == 1 and "2b1a" in kit.legal(handicap)
    board, rest = START.split()[0], " b - 1"
    kings = "4k4/9/9/9/{}/9/9/9/4K4 b {} 1"
    kit.refuses(
        world,
        ({}, "lacks 'sfen'"),
        ({"sfen": 5}, "the sfen must be text"),
        ({"sfen": START, "moves": 5}, "the moves must be a list"),
        ({"sfen": START, "hand": 5}, "not 'hand'"),
        ({"sfen": board}, "it has 1 fields, not 4"),
        ({"sfen": board + "/9" + rest}, "10 ranks, not 9"),
        ({"sfen": board.replace("1r5b1", "1r6b1") + rest}, "rank b, '1r6b1', is not 9 squares"),
        ({"sfen": board.replace("1r5b1", "1r5+g1") + rest}, "rank b, .* is not 9 squares"),
        ({"sfen": board.replace("1r5b1", "1r5x1") + rest}, "rank b, .* is not 9 squares"),
        ({"sfen": board.replace("/9/", "/45/", 1) + rest}, "rank d, '45', is not 9 squares"),
        ({"sfen": board + " x - 1"}, "the side to move is 'x'"),
        ({"sfen": board + " b 2K 1"}, "the hands '2K'"),
        ({"sfen": board + " b +P 1"}, "the hands"),
        ({"sfen": board + " b 0P 1"}, "not a number from 1 to 18"),
        ({"sfen": board + " b - 0"}, "not a number from 1 to 9999"),
        ({"sfen": board + " b P 1"}, "there are 19 pawns, and a game has 18"),
        ({"sfen": "4k4/9/9/9/9/9/9/9/9" + rest}, "player_0 has 0 kings"),
        ({"sfen": kings.format("4k4", "-")}, "player_1 has 2 kings"),
        ({"sfen": kings.format("4P4", "-").replace("4k4", "3Pk4")}, "player_0 has a pawn that can never move"),
        ({"sfen": kings.format("9", "-").replace("4k4/9", "4k4/N8")}, "player_0 has a knight that can never"),
        ({"sfen": kings.format("9", "-").replace("4K4", "3lK4")}, "player_1 has a lance that can never"),
        ({"sfen": kings.format("4p4", "-").replace("/9/4p4", "/4p4/4p4")}, "player_1 has two pawns on a file"),
        ({"sfen": kings.format("4R4", "-")}, "player_1 is in check, but not to move"),
        ({"sfen": "8k/7G1/7P1/9/9/9/9/9/K8 w - 1"}, "the game is over: player 0 wins: checkmate"),
        ({"sfen": START, "moves": ["7g7e"]}, "move 0 of the level, '7g7e', is illegal in lnsgk"),
        ({"sfen": START, "moves": ["7g"]}, "is not a move of this game"),
        ({"sfen": START, "moves": BACK_AND_FORTH * 3}, "the level's game is over after 12 moves"),
        ({"sfen": START, "moves": BACK_AND_FORTH * 128}, "512 moves; at most 511"),
    )


@pytest.mark.parametrize(
    ("field", "index", "value", "message"),
    [
        ("board", 4, 0, "player_0 has 0 kings"),
        ("board", 40, 1, "two pawns"),
        ("hand", (0, 5), 1, "there are 3 rooks"),
        ("player", (), 1, "the number of moves is that of the other"),
        ("keys", 0, 7, "keys does not go"),
        ("keys", 9, 7, "keys does not go"),
        ("repeats", (), 1, "repeats is not"),
        ("check", (), 1, "check is not"),
        ("count", (), 29, "the moves are not"),
        ("legal", 3, 5, "the moves are not"),
        ("ending", (), CHECKMATE, "ending is not"),
        ("ending", (), DECLARED, "ending is not"),
        ("winner", (), 0, "winner is not"),
    ],
)
def test_records(field, index, value, message):
    batch = kit.started(ID)
    batch.records[field][(0, *np.atleast_1d(index).astype(int))] = value
    with pytest.raises(SnapshotError, match=message):
        batch.world.admit(batch.records)


def middle(square, upper=False):
    """A point of a square in the picture of `player_0`, in the square's upper or lower half."""
    column, row = "987654321".index(square[0]), "abcdefghi".index(square[1])
    return LEFT + column + 0.5, TOP + row + (0.25 if upper else 0.75)


@pytest.mark.parametrize("agent", [0, 1])
def test_drags(agent):
    """Each agent sees its own side below. The upper half of a square promotes where there is a choice."""
    sfen = "4k4/9/1P7/3S2P2/9/9/9/9/4K4 b LGrb 1"
    batch = at(sfen if agent == 0 else flipped(sfen))
    world, s, hand = batch.world, batch.record(), (LEFT + 10, TOP + 2)

    def dragged(start, end, upper=False):
        action = world.drag(s, agent, middle(start) if isinstance(start, str) else start, middle(end, upper))
        return None if action is None else NAMES[0][action]

    assert dragged("6d", "6c", True) == "6d6c+" and dragged("6d", "6c") == "6d6c"
    assert dragged("8c", "8b", True) == "8c8b+" and dragged("8c", "8b") == "8c8b"
    assert dragged("5i", "5h", True) == dragged("5i", "5h") == "5i5h"
    assert dragged("5i", "5e") is None and dragged("6d", "6d") is None
    assert dragged((hand[0], hand[1] + 1.5), "5e", True) == "L*5e"
    assert dragged((hand[0], hand[1] + 6.5), "5e") == "G*5e"
    assert dragged((hand[0], hand[1] + 0.5), "5e") is None  # no pawn in hand
    assert dragged((LEFT - 0.8, TOP + 4.5), "5e") is None  # the other's hand
    assert world.drag(s, agent, middle("5i"), (0.1, 0.1)) is None
    assert world.drag(s, 1 - agent, middle("5i"), middle("5h")) is None


def test_text():
    batch = kit.act(at("4k4/9/4+P4/9/9/9/9/9/4K4 b 2PRg 1"), "R*5b")
    assert batch.world.text(batch.record(), 1).splitlines() == [
        " 9  8  7  6  5  4  3  2  1",
        " .  .  .  .  k  .  .  .  . a",
        " .  .  .  .  R  .  .  .  . b",
        " .  .  .  . +P  .  .  .  . c",
        *(f" .  .  .  .  .  .  .  .  . {rank}" for rank in "defgh"),
        " .  .  .  .  K  .  .  .  . i",
        "Your pieces are the lowercase letters and move down: P pawn, L lance, N knight, S silver, G gold, B bishop, "
        "R rook, K king; + promoted.",
        "You have 1 gold in hand; the other player has 2 pawns.",
        "Last move: R*5b.",
        "Moves so far: 1 of 512. It is your turn. You are in check.",
    ]


def test_take_back():
    """Each legal move can be undone."""
    for sfen, *_ in recorded("positions")["positions"][:300:60]:
        s = at(sfen).record()
        board, hand = np.array(s.board), np.array(s.hand)
        for action in s.legal[: s.count].tolist():
            captured = rules.place(board, hand, s.player, action)
            assert (board != s.board).any()
            rules.take_back(board, hand, s.player, action, captured)
            assert (board == s.board).all() and (hand == s.hand).all()


@pytest.mark.parametrize(
    ("sfen", "policy", "moves"),
    [
        ("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "greedy", {"G*5b"}),  # checkmate
        ("k8/9/9/3r1p3/4G4/9/9/9/K8 b - 1", "greedy", {"5e6d"}),  # a rook is worth more than a pawn
        ("k8/9/9/2gp5/9/9/9/3R5/8K b - 1", "greedy", {"6h6d"}),
        (CAMP.format(5), "greedy", {"win"}),
    ],
)
def test_choices(sfen, policy, moves):
    assert kit.choices(policy, at(sfen), seeds=5) == moves


def test_careful():
    """It does not take what is guarded by less, saves a piece from a capture, and does not let itself be mated."""
    assert "6h6d" not in kit.choices("careful", at("k8/9/9/2gp5/9/9/9/3R5/8K b - 1"), seeds=5)
    batch = at("k8/9/9/4l4/9/4R4/9/9/8K b - 1")
    assert {name[:2] for name in kit.choices("careful", batch, seeds=5)} == {"5f"}
    threatened = "4k4/9/9/9/9/9/4p4/9/3LKL3 b 2Pg 1"  # G*5h would be mate
    for move in kit.choices("careful", at(threatened), seeds=2):
        batch = kit.act(at(threatened), move)
        assert "G*5h" not in kit.legal(batch) or not ended(kit.act(batch, "G*5h"))[0]
    batch = kit.act(at(threatened), "P*1b")
    assert ended(kit.act(batch, "G*5h"))[0] == CHECKMATE


@pytest.mark.slow
def test_baselines():
    """Each beats the one before it, from both seats."""
    for seat in range(2):
        assert kit.wins(ID, "greedy", seat, 40) > 0.9
        assert kit.played(ID, "careful", seat, 40, "greedy")[:, seat].mean() > 0.8
