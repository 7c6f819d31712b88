"""Ingenious: MOMAland move by move, scores by a second implementation, small boards, the bag, levels, baselines."""

import json
import re
import subprocess
from collections import Counter
from functools import partial

import kit
import numpy as np
import pytest
from reference_environment import interpreter
from scipy.stats import chisquare

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.ingenious import CAP, bag, tile_name
from envsuite.registry import build

ID = "envsuite/Ingenious-v0"

started = partial(kit.started, ID)

#: Made by tests/data/recorders/momaland_ingenious.py.
RECORDED = json.loads((kit.DATA / "Ingenious" / "momaland_ingenious.json").read_text())["games"]

NAMES = "players", "side", "colors", "rack", "mode", "open_racks"


def put_on_top(batch, tiles):
    """Order the bag so that these tiles are drawn next."""
    left = int(batch.records["left"][0])
    rest = Counter(batch.records["bag"][0, :left].tolist())
    rest.subtract(tiles)
    assert min(rest.values()) >= 0
    batch.records["bag"][0, :left] = [*rest.elements(), *reversed(tiles)]


def replay(game):
    """Play a recorded game and compare boards, racks, scores, masks, movers, rewards and ends: the bonus turns."""
    players, rack = game["players"], game["rack"]
    start = np.reshape([tile_name(tile) for tile in game["draws"][0]], (players, rack)).tolist()
    batch = started(level={"racks": start}, **{name: game[name] for name in NAMES})
    bonus, total = 0, np.zeros(batch.vector_rewards.shape[1:])
    for k, (move, mover) in enumerate(zip([*game["moves"], None], game["movers"], strict=True)):
        s = batch.record()
        racks, mask = np.stack(np.divmod(s.racks, 7), axis=2).astype(np.int8), batch.masks[0, mover].astype(np.int8)
        parts = s.board, racks, s.scores, mask, batch.vector_rewards[0, :, :-1].astype(np.int16)
        assert "".join(map(kit.checksum, parts)) == game["sums"][20 * k : 20 * k + 20]
        assert batch.over()[0] == (move is None)
        if move is not None:
            assert kit.mover(batch) == mover and batch.acting[0].sum() == 1
            put_on_top(batch, game["draws"][k + 1])
            batch.step(move)
            total += batch.vector_rewards[0]
            assert (batch.rewards[0] == batch.vector_rewards[0, :, -1]).all()
            bonus += game["movers"][k + 1] == mover and not batch.over()[0]
    assert batch.terminations.all() and not batch.truncations.any()
    scores = batch.records["scores"][0]
    assert (total[:, :-1] == scores).all() and (total[:, -1] == scores.min(axis=1)).all()
    return bonus


def names_of(game):
    return "-".join(str(game[name]) for name in NAMES[:5])


@pytest.mark.parametrize("game", RECORDED[:-1], ids=names_of)
def test_recorded_games_of_momaland(game):
    """Eleven settings: bonus turns, exchanges of racks, teams, boards on which not all first tiles find a corner."""
    replay(game)


def test_what_the_records_contain():
    """Bonus turns, and exchanged racks."""
    again = sum(a == b for game in RECORDED for a, b in zip(game["movers"], game["movers"][1:-1]))
    assert again >= 5 and sum(len(drawn) > 1 for game in RECORDED for drawn in game["draws"][1:]) > 20


@pytest.mark.slow
def test_new_games_of_momaland():
    """A recorded game on a board of side 9, and 24 that MOMAland plays now."""
    recorder = kit.DATA / "recorders" / "momaland_ingenious.py"
    done = subprocess.run([interpreter("momaland"), recorder, "1", "2"], check=True, capture_output=True, text=True)
    games = json.loads(done.stdout)["games"]
    assert len(games) == 24
    for game in [RECORDED[-1], *games]:
        replay(game)


# A second implementation of the scoring, with cube coordinates and sets of cells.


def cells_of(side):
    """The cells of a board by their coordinates."""
    reach = range(-side + 1, side)
    return {(q, r, -q - r): (q + side - 1, r + side - 1) for q in reach for r in reach if abs(q + r) < side}


UNITS = [np.array(unit) for unit in ((1, -1, 0), (-1, 1, 0), (1, 0, -1), (-1, 0, 1), (0, 1, -1), (0, -1, 1))]


def score(colors, here, there, color):
    """The cells of a color in straight lines from `here`, but not through `there`; `colors` by coordinates."""
    total = 0
    for unit in UNITS:
        ray = [tuple((np.array(here) + n * unit).tolist()) for n in range(1, 20)]
        if ray[0] != there:
            same = [colors.get(cell) == color for cell in ray]
            total += same.index(False)
    return total


@pytest.mark.parametrize("side", [3, 4, 6])
def test_scores(side):
    """Random games: each move's points by color, as a second implementation counts them."""
    batch, rng = started(seed=side, side=side, colors=3, rack=2), np.random.default_rng(side)
    at = {cell: place for place, cell in cells_of(side).items()}
    while not batch.over()[0]:
        s = batch.record()
        player, before = kit.mover(batch), s.scores.copy()
        move = rng.choice(np.flatnonzero(batch.masks[0, player]))
        first, second, tile = batch.world.action_names[player][move].split()
        halves = divmod(int(s.racks[player, int(tile) - 1]), 7)
        here, there = (at[int(name[1:]) - 1, ord(name[0]) - 97] for name in (first, second))
        colors = {place: s.board[cell] for cell, place in at.items()}
        colors.update({here: halves[0], there: halves[1]})
        batch.step(move)
        before[player, halves[0] - 1] += score(colors, here, there, halves[0])
        before[player, halves[1] - 1] += score(colors, there, here, halves[1])
        assert (batch.records["scores"][0] == np.minimum(before, CAP)).all()
    free = {place for cell, place in at.items() if batch.records["board"][0][cell] == 0}
    assert not any(tuple((np.array(cell) + unit).tolist()) in free for cell in free for unit in UNITS)


def test_numbers_of_moves():
    """Pairs of neighbors and first tiles, in closed form.

    A hexagon of side n has 3 n (n - 1) + 1 cells and 3 (n - 1) (3 n - 2) borders between cells. Beside each of the
    six corners lie 3 cells. In a first tile, one of them is covered: from each of the two on the sides there are 3
    other cells, from the third one 5, and two pairs are in both counts: 9 pairs a corner on boards of side 6.
    """
    for side in range(3, 11):
        batch = started(side=side, rack=2)
        assert batch.world.num_actions == 2 * 2 * 3 * (side - 1) * (3 * side - 2)
    assert started().world.num_actions == 2880
    batch = started()
    assert batch.masks[0, 0].sum() == 6 * 9 * 2 * 6
    kit.act(batch, "g1 g2 1")
    assert batch.masks[0, 1].sum() == 5 * 9 * 2 * 6
    kit.act(batch, next(name for name in batch.world.action_names[1] if name.startswith("j1 i1")))
    assert kit.mover(batch) == 0 and batch.masks[0, 0].sum() > 1000


def test_first_tiles_without_a_corner():
    """On a board of side 3, three tiles between two corners each take all of them; then any place is legal."""
    batch = started(players=4, side=3, rack=2)
    for move in ("d1 d2 1", "b3 b4 1", "d4 c4 1"):
        assert move in kit.legal(batch)
        kit.act(batch, move)
    free = [cell for cell in cells_of(3).values() if batch.records["board"][0][cell] == 0]
    assert len(free) == 19 - 12 and all(kit.legal(batch)) and len(kit.legal(batch)) > 8


def test_bag():
    """All tiles, as counted by the rules of the game."""
    for colors, count in ((6, 120), (6, 240), (5, 120), (4, 120), (3, 120), (2, 120)):
        tiles = Counter(bag(colors, count))
        assert tiles.total() == count and len(tiles) == colors * (colors + 1) // 2
        doubles = {tiles[8 * color] for color in range(1, colors + 1)}
        others = {tiles[7 * a + b] for a in range(1, colors) for b in range(a + 1, colors + 1)}
        same = {120 // len(tiles)}
        assert (doubles, others) == (({5 * count // 120}, {6 * count // 120}) if colors == 6 else (same, same))
    assert started(side=9).records["bag"].shape == (1, 240) and started(side=8).records["bag"].shape == (1, 120)


@pytest.mark.slow
def test_draws():
    """First racks and later draws are uniform; an exchanged rack goes to random places of the bag."""
    batch = started(2000, side=4, rack=2, colors=2)
    for field, tiles in (("racks", batch.records["racks"]), ("bag", batch.records["bag"][:, 30])):
        assert chisquare(np.unique(tiles, return_counts=True)[1]).pvalue > 1e-4, field
    level = {"racks": [["rg", "rr"], ["bb", "bb"]]}
    batch = started(3000, level=level, side=4, rack=2, colors=3)
    batch.records["scores"][:, 0] = 9, 9, 0
    batch.records["bag"][:, :116] = 16  # all others are gg: draws of them do not end the lack of blue
    batch.step(np.flatnonzero(batch.masks[0, 0])[0])
    assert (batch.records["racks"][:, 0] == 16).all() and (batch.records["left"] == 115).all()
    places = np.argwhere(batch.records["bag"][:, :115] != 16)[:, 1]
    assert len(places) == 3000 and chisquare(np.bincount(places // 5, minlength=23)).pvalue > 1e-4
    batch = started(level=level, side=4, rack=2, colors=3)
    batch.records["scores"][:, 0] = 9, 9, 0
    put_on_top(batch, [10])  # rb has the lowest color: no exchange
    batch.step(np.flatnonzero(batch.masks[0, 0])[0])
    assert batch.records["left"][0] == 115 and 10 in batch.records["racks"][0, 0]


def test_bonus_turns():
    """More than the cap gives another turn, the cap itself does not; at the cap, a color scores no more."""
    for start, move, gained, again in (
        (16, "d6 d5 1", 1, False),
        (16, "d6 e6 1", 2, False),
        (17, "d6 d5 1", 1, False),
        (17, "d6 e6 1", 1, True),
        (18, "d6 e6 1", 0, False),
    ):
        batch = started(level={"racks": [["rr", "rr"], ["gg", "gg"]]}, side=4, rack=2, colors=2)
        batch.records["scores"][0, 0, 0] = start
        kit.act(batch, move)
        assert batch.vector_rewards[0, 0].tolist() == [gained, 0, 0] and kit.mover(batch) == 1 - again


def test_levels():
    level = {"racks": [["rg", "bb"], ["bb", "gg"]]}
    batch = started(2, level=level, rack=2, colors=3)
    assert batch.world.get_level(batch.record()) == level
    tiles = Counter([*batch.records["racks"][0].flat, *batch.records["bag"][0]])
    assert tiles.pop(0) == 4 and tiles == Counter(bag(3, 120))
    kit.refuses(
        batch.world,
        ({}, "a level has 'racks', not nothing"),
        ({**level, "player": 1}, "not 'racks', 'player'"),
        ({"racks": level["racks"][:1]}, "racks must be a list of 2 entries"),
        ({"racks": ["rg", "bb"]}, "racks must be a list of 2 entries"),
        ({"racks": [["rg", 3], ["bb", "gg"]]}, "racks=3 is unknown; known: rr, rg, rb, gg, gb, bb"),
        ({"racks": [["gr", "bb"], ["bb", "gg"]]}, "racks='gr' is unknown"),
    )
    many = {"racks": [["rr"] * 3, ["rr"] * 3]}
    kit.refuses(started(rack=3).world, (many, "6 tiles rr are given; there are 5"))
    with pytest.raises(ParameterError, match="an even number of players, not 3"):
        build(ID, {"mode": "two_teams", "players": 3})


def test_wrong_states():
    batch = kit.act(started(level={"racks": [["rg", "bb"], ["bb", "gg"]]}, side=4, rack=2, colors=3), "e1 e2 1")
    for field, place, value, message in (
        ("board", (0, 0), 1, "a color lies beside the board"),
        ("board", (3, 0), 1, "a corner has not its color"),
        ("board", (3, 3), 1, "the board does not have the colors"),
        ("moves", (), 2, "the board does not have the colors"),
        ("racks", (1, 1), 0, "a rack is not full"),
        ("bag", (0,), 0, "the bag does not hold as many"),
        ("left", (), 110, "the bag does not hold as many"),
        ("bag", slice(None, 60), 8, "more tiles of a kind"),
        ("scores", (0, 0), 19, "above the cap"),
        ("terminated", slice(None), 1, "a tile can be put, but the game is over"),
    ):
        records = batch.records.copy()
        records[field][(0, *place) if isinstance(place, tuple) else (0, place)] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)
    batch.world.admit(batch.records)


def test_text():
    """Rows begin with the letters of their cells; only own tiles are shown."""
    level = {"racks": [["rg", "bb"], ["gb", "gg"]]}
    batch = started(level=level, side=3, rack=2, colors=3)
    text = batch.world.text(batch.record(), 0)
    assert text.splitlines()[:5] == [
        " 1 c-e    o . y", " 2 b-e   . . . .", " 3 a-e  b . . . p", " 4 a-d   . . . .", " 5 a-c    g . r",
    ]  # fmt: skip
    assert "Your tiles: 1 rg, 2 bb." in text and "gb" not in text and "beside a corner" in text
    assert "It is the turn of player 0." in batch.world.text(batch.record(), 1)
    kit.act(batch, "d1 d2 1")
    assert " 1 c-e    o r y" in batch.world.text(batch.record(), 0)
    open_racks = started(level=level, side=3, rack=2, colors=3, open_racks=True)
    assert "Tiles of player 1: 1 gb, 2 gg." in open_racks.world.text(open_racks.record(), 0)


def expanded(words, world):
    """The actions that the words of `legal_in_words` stand for, read by a second implementation."""

    def cells(text):
        found = set()
        for part in text.split(", "):
            first, _, last = part.partition("-")
            columns = range(ord(first[0]), ord((last or first)[0]) + 1)
            found |= {f"{chr(column)}{first[1:]}" for column in columns}
        return found

    form = (
        r"FIRST SECOND TILE with two neighboring cells of (.*?)(?:, at least one of them of (.*))?; and with TILE (.*)"
    )
    every, some, tiles = re.fullmatch(form, words).groups()
    every, some, numbers = cells(every), cells(some or every), re.findall(r"\d+", tiles)
    found = []
    for name in world.action_names[0]:
        first, second, tile = name.split(" ")
        if {first, second} <= every and {first, second} & some and tile in numbers:
            found.append(name)
    return found


@pytest.mark.mostly_slow
@pytest.mark.parametrize("players", [2, 3])
def test_words_stand_for_the_legal_moves(players):
    batch, seen = started(players=players), 0
    rng = np.random.default_rng(0)
    while not batch.finished[0] and (players > 2 or seen < 10):
        mover = int(batch.records["player"][0])
        mask = batch.masks[0, mover]
        words = batch.world.legal_in_words(mover, mask)
        if words:
            seen += 1
            assert len(words) < 600
            assert expanded(words, batch.world) == [batch.world.action_names[mover][k] for k in np.flatnonzero(mask)]
        batch.actions[0, mover] = rng.choice(np.flatnonzero(mask))
        batch.step()
    assert seen >= 10


def test_a_few_moves_and_odd_ones_are_listed():
    batch = started()
    world, mask = batch.world, batch.masks[0, 0].copy()
    assert "at least one of them of" in world.legal_in_words(0, mask)
    mask[np.flatnonzero(mask)[0]] = 0
    assert world.legal_in_words(0, mask) == world.legal_in_words(0, 0 * mask) == ""


def test_pictures_show_own_racks():
    """Each tile of a rack that is shown adds four shapes: two hexagons with letters."""
    batch = started(players=3, side=3)
    shapes = [len(batch.world.scene(batch.record(), agent).shapes) for agent in (None, 0, 1, 2)]
    assert shapes[1] == shapes[2] == shapes[3] == shapes[0] - 2 * 6 * 4


def test_baselines():
    """`greedy` takes the most points; `lowest` takes fewer in a color that is behind."""
    batch = started(level={"racks": [["rr", "gg"], ["gg", "gg"]]}, side=4, rack=2, colors=2)
    batch.records["scores"][0, 0] = 5, 0
    batch.observe()
    assert kit.choices("greedy", batch, seeds=20) >= {"d6 e6 1", "a6 b6 2"}
    assert all(name.endswith(" 2") for name in kit.choices("lowest", batch, seeds=20))


@pytest.mark.slow
def test_baselines_beat_random():
    """The lowest score of `lowest` is far above those of `greedy` and `random`; `greedy` has the most points."""
    means = {name: kit.played(ID, name, 0, 200)[:, 0].mean() for name in ("random", "greedy", "lowest")}
    assert means["lowest"] > means["greedy"] + 2 > means["random"] + 3
    total = {name: kit.played(ID, name, 0, 200, weights=(1,) * 6 + (0,))[:, 0].mean() for name in means}
    assert total["greedy"] > total["lowest"] > 2 * total["random"]


@pytest.mark.slow
def test_random_play():
    """Moves and scores of MOMAland's random play of 30 games."""
    result, lengths = play(build(ID), ["random"] * 2, 2000)
    assert abs(lengths.mean() - 38.0) < 0.5 and (abs(result.mean(axis=0) - 0.32) < 0.25).all()
    result, _ = play(build(ID, {"weights": (1.0,) * 6 + (0.0,)}), ["random"] * 2, 2000)
    assert (abs(result.mean(axis=0) - 14.2) < 2.5).all()
