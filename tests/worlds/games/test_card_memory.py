"""CardMemory: POPGym's 27 games in lock-step, exact values of random play, draws, baselines, levels, texts, clicks."""

from collections import Counter
from functools import cache

import kit
import numpy as np
import pytest

from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.card_memory.rules import DECK, DIFFICULTIES, GAMES, NONE, SHIPS, place_ship
from envsuite.registry import build

ID = "envsuite/CardMemory-v0"


@cache
def recorded():
    """Episodes of popgym 1.0.7: (game, difficulty, number) -> parts."""
    episodes = {}
    with np.load(kit.DATA / "CardMemory" / "card_memory.npz") as held:
        for name, values in held.items():
            game, difficulty, number, part = name.split("-")
            episodes.setdefault((game, difficulty, int(number)), {})[part] = values
    return episodes


def level_of(episode):
    level = {part: episode[part].tolist() for part in ("cards", "queries", "means") if part in episode}
    if "board" in episode:
        level["board"] = ["".join(".#"[cell] for cell in row) for row in episode["board"]]
    return level


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "difficulty", ["easy", *(pytest.param(name, marks=pytest.mark.slow) for name in ("medium", "hard"))]
)
def test_popgym(game, difficulty):
    """Observations, rewards and ends of whole episodes. A bandit's chance is fed from the recording."""
    for number in range(3 if game == "MineSweeper" else 1):
        episode = recorded()[game, difficulty, number]
        batch = kit.started(ID, level=level_of(episode), game=game, difficulty=difficulty)
        assert batch.observations["seen"][0, 0].tolist() == episode["seen"][0].tolist()
        for t, action in enumerate(episode["actions"].tolist()):
            assert not batch.over()[0]
            if game == "MultiarmedBandit":
                batch.records["means"][0, action] = episode["seen"][t + 1, 0]
            batch.step(action)
            assert batch.observations["seen"][0, 0].tolist() == episode["seen"][t + 1].tolist(), t
            assert abs(batch.rewards[0, 0] - episode["rewards"][t]) < 1e-12, t
            assert (batch.terminations[0, 0], batch.truncations[0, 0]) == tuple(episode["ends"][:, t]), t
            assert batch.observations["last"][0, 0, 0] == (action if game in GAMES[5:] else NONE)
        assert batch.over()[0]


def test_the_recording_is_of_all_games():
    assert {key[:2] for key in recorded()} == {(game, name) for game in GAMES for name in DIFFICULTIES}
    seen = {game: np.concatenate([e["rewards"] for k, e in recorded().items() if k[0] == game]) for game in GAMES}
    assert all((rewards > 0).any() and (rewards < 0).any() for rewards in seen.values())


# Exact values of random play, by dynamic programming over what is left.


def random_mines(side, mines):
    """The mean return of uniform shots at cells, repeats included, and of those without repeats."""
    cells, steps = side * side, side * side - mines

    def mean(repeats):
        value = np.zeros(steps + 1)  # with k cells revealed
        for t in range(steps):
            for k in range(steps) if repeats else [steps - 1 - t]:
                rest = cells - (0 if repeats else k)
                again = k / cells if repeats else 0.0
                new = (steps - k) / rest
                value_new, value_same = value[k + 1], value[k]
                fail = mines / rest * (-0.5 - 1 / steps)
                value[k] = new * (1 / steps + value_new) + fail + again * (-0.5 / (steps - 2) + value_same)
        return value[0]

    return mean(True)


def random_shots(side, hits=12):
    """The same of Battleship."""
    cells = side * side
    value = np.zeros(hits + 1)
    for _ in range(cells):
        new = (hits - np.arange(hits)) / cells
        value[:-1] = new * (1 / hits + value[1:]) + (1 - new) * (-1 / (cells - hits) + value[:-1])
    return value[0]


def random_pairs(cards, kinds, steps):
    """The same of Concentration: states are the numbers of cards face down of each value, sorted."""

    @cache
    def follow(down):
        """Ways of turning one more card: (weight, the state after a pair) of each value."""
        return [(n, tuple(sorted((*down[:k], n - 2, *down[k + 1 :])))) for k, n in enumerate(down) if n]

    states, todo = set(), [tuple([cards // kinds] * kinds)]
    while todo:
        down = todo.pop()
        if down not in states:
            states.add(down)
            todo += [after for _, after in follow(down)]
    first = dict.fromkeys(states, 0.0)  # no card waits
    second = {(down, n): 0.0 for down in states for n, _ in follow(down)}  # one of n equal cards waits
    fail = -1 / steps
    for _ in range(steps):
        held, waiting = dict(first), dict(second)
        for down in states:
            up = 1 - sum(down) / cards
            if up < 1:
                ways = [n / cards * waiting[down, n] for n, _ in follow(down)]
                first[down] = up * (fail + held[down]) + sum(ways)
            for n, after in follow(down):
                pair = (n - 1) / cards
                second[down, n] = pair * (2 / cards + held[after]) + (1 - pair) * (2 * fail + held[down])
    return first[tuple([cards // kinds] * kinds)]


@pytest.mark.slow
@pytest.mark.parametrize("game, difficulty, episodes, exact", [
    ("RepeatFirst", "easy", 40, lambda: -0.5),
    ("RepeatPrevious", "easy", 40, lambda: -0.5),
    ("Autoencode", "easy", 40, lambda: -0.5),
    ("CountRecall", "easy", 40, lambda: 2 / 27 - 1),
    ("CountRecall", "hard", 15, lambda: 2 / 17 - 1),
    ("HigherLower", "easy", 40, lambda: 0.0),
    ("MultiarmedBandit", "easy", 30, lambda: 0.0),
    ("MineSweeper", "easy", 300, lambda: random_mines(4, 2)),
    ("MineSweeper", "hard", 100, lambda: random_mines(8, 10)),
    ("Battleship", "easy", 50, lambda: random_shots(8)),
    ("Concentration", "easy", 30, lambda: random_pairs(52, 2, 104)),
    ("Concentration", "hard", 30, lambda: random_pairs(52, 13, 104)),
], ids=lambda value: "" if callable(value) else str(value))  # fmt: skip
def test_random_play(game, difficulty, episodes, exact):
    returns = play(build(ID, dict(game=game, difficulty=difficulty)), "random", episodes, seed=1).returns[:, 0]
    assert abs(returns.mean() - exact()) < 4.5 * returns.std() / episodes**0.5 + 1e-9


def test_exact_values_as_in_popgym():
    """The programs agree with means of random play in popgym 1.0.7 itself."""
    assert abs(random_mines(4, 2) + 0.228) < 0.02 and abs(random_mines(8, 10) + 0.428) < 0.02
    assert abs(random_pairs(52, 2, 104) + 0.191) < 0.02 and abs(random_shots(8) + 0.436) < 0.02


def test_a_cell_that_was_hit_is_a_miss():
    batch = kit.started(ID, level={"board": ["#" * 6 + ".."] * 2 + ["." * 8] * 6}, game="Battleship")
    paid = [batch.step(action) or batch.rewards[0, 0] for action in (3, 3, 7)]
    assert np.allclose(paid, [1 / 12, -1 / 52, -1 / 52]) and batch.observations["seen"][0, 0, 0] == 0


def test_a_cleared_field_terminates():
    board = ["#...", "....", "....", "..#."]
    batch = kit.started(ID, level={"board": board}, game="MineSweeper")
    for action in (k for k in range(16) if "".join(board)[k] == "."):
        batch.step(action)
    assert batch.terminations[0, 0] and not batch.truncations[0, 0]


# Draws.


def test_decks_are_shuffled():
    for game, difficulty, decks in (("CountRecall", "easy", 1), ("RepeatPrevious", "medium", 2)):
        records = kit.started(ID, 300, game=game, difficulty=difficulty).records
        cards = records["cards"]
        assert all((np.bincount(deck, minlength=DECK) == decks).all() for deck in cards)
        means = cards.mean(axis=0)
        assert abs(means - 25.5).max() < 5 * 15.1 / 300**0.5
    records = kit.started(ID, 300, game="CountRecall").records
    assert abs(records["queries"].mean(axis=0) - 25.5).max() < 5 * 15.1 / 300**0.5
    assert abs((records["queries"] == records["cards"]).mean() - 1 / DECK) < 0.006


def test_ships_lie_as_drawn():
    """A ship on an empty board: cells and directions that fit are equally likely, both ways of a place together."""
    s = kit.started(ID, game="Battleship").record()
    for length in SHIPS[::3]:
        places = Counter()
        for _ in range(1500):
            s.marked[:] = 0
            with np.errstate(over="ignore"):  # words wrap around, as in machine code
                place_ship(s, length)
            places[tuple(np.flatnonzero(s.marked).tolist())] += 1
        wanted = set()
        for apart, wide, high in ((1, 9 - length, 8), (8, 8, 9 - length)):
            for y, x in np.ndindex(high, wide):
                wanted.add(tuple(8 * y + x + k * apart for k in range(length)))
        assert set(places) <= wanted and len(places) > 0.95 * len(wanted)
        assert max(places.values()) < 1500 / len(wanted) + 6 * (1500 / len(wanted)) ** 0.5
    boards = kit.started(ID, 50, game="Battleship", difficulty="hard").records["marked"]
    assert (boards.sum(axis=1) == 12).all()


def test_boards_as_in_popgym():
    """How often cells are part of a ship, in 16,000 boards of popgym: by their distances to the two nearest edges."""
    shares = {(0, 0): 0.0950, (0, 1): 0.1341, (0, 2): 0.1679, (0, 3): 0.1807, (1, 1): 0.1698}
    shares |= {(1, 2): 0.2007, (1, 3): 0.2123, (2, 2): 0.2254, (2, 3): 0.2360, (3, 3): 0.2466}
    boards = kit.started(ID, 300, game="Battleship").records["marked"].reshape(-1, 8, 8)
    for (near, far), share in shares.items():
        cells = {(y, x) for a, b in ((near, far), (far, near)) for y in (a, 7 - a) for x in (b, 7 - b)}
        found = boards[:, [y for y, _ in cells], [x for _, x in cells]].mean(axis=1)
        assert abs(found.mean() - share) < 4.5 * found.std() / 300**0.5 + 0.003, (near, far)


def test_mines_and_means():
    boards = kit.started(ID, 800, game="MineSweeper").records["marked"]
    assert (boards.sum(axis=1) == 2).all() and abs(boards.mean(axis=0) - 1 / 8).max() < 0.05
    means = kit.started(ID, 200, game="MultiarmedBandit").records["means"]
    assert abs(means.mean() - 0.5) < 0.03 and abs(means.var() - 1 / 12) < 0.006


# Baselines.


def returns(policy, num, **params):
    return play(build(ID, params), policy, num, seed=1).returns[:, 0]


@pytest.mark.parametrize("game", GAMES[:4])
def test_memory_is_perfect(game):
    assert np.allclose(returns("memory", 3, game=game), 1)


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", DIFFICULTIES[1:])
@pytest.mark.parametrize("game", GAMES[:4])
def test_memory_is_perfect_with_more_decks(game, difficulty):
    assert np.allclose(returns("memory", 2, game=game, difficulty=difficulty), 1)


@pytest.mark.slow
@pytest.mark.parametrize("game, episodes, best", [
    ("HigherLower", 150, 0.526),
    ("Concentration", 20, None),
    ("Battleship", 15, None),
    ("MineSweeper", 150, None),
    ("MultiarmedBandit", 25, 0.704),
])  # fmt: skip
def test_who_fares_how(game, episodes, best):
    """Memory wins. Counting cards, and each arm once and then the best one: means of simulations outside the world."""
    found, less = (returns(policy, episodes, game=game) for policy in ("memory", "random"))
    assert found.mean() > less.mean() + 0.1
    assert best is None or abs(found.mean() - best) < 4.5 * found.std() / episodes**0.5


def test_betting_without_memory():
    found = returns("memoryless", 60, game="HigherLower")
    assert abs(found.mean() - bet()) < 4.5 * found.std() / 60**0.5
    assert round(bet(), 4) == round(bet(3), 4) == 0.497  # the page's number


def bet(decks=1):
    """The mean return of HigherLower if one bets on the larger part of a full deck: 51 pairs of two different cards."""
    of, total = 4 * decks, 0
    for here in range(13):
        higher, lower = (12 - here) * of, here * of
        total += of * abs(higher - lower)
    n = 13 * of
    return (n - 1) * total / (n * (n - 1)) / n


# Levels, texts, clicks.


def test_levels():
    deck = list(range(DECK))
    kit.refuses(
        build(ID),
        ({}, "has 'cards', not nothing"),
        ({"cards": deck, "board": []}, "'cards', not"),
        ({"cards": deck[:-1]}, "cards must be a list of 52 integers from 0 to 51"),
        ({"cards": deck[:-1] + [0]}, "each of the 52 cards"),
        ({"cards": [*deck[:-1], 52]}, r"cards\[51\]=52 must be an integer from 0 to 51"),
        ({"cards": 3}, "cards must be a list of 52 integers from 0 to 51"),
    )
    kit.refuses(build(ID, dict(game="CountRecall")), ({"cards": deck}, "'cards' and 'queries'"))
    board = ["#...", "....", "....", "..#."]
    kit.refuses(
        build(ID, dict(game="MineSweeper")),
        ({"board": board[:3]}, "board must be 4 texts of 4 letters"),
        ({"board": ["#..x", *board[1:]]}, "board has the letter 'x'; known: . #"),
        ({"board": ["##..", *board[1:]]}, "has 3 #, not 2"),
    )
    kit.refuses(
        build(ID, dict(game="MultiarmedBandit")), ({"means": [2] * 10}, r"means\[0\]=2 must be a number from 0 to 1")
    )
    for game in GAMES:
        batch = kit.started(ID, game=game)
        level = batch.world.get_level(batch.record())
        again = kit.started(ID, seed=9, level=level, game=game)
        assert batch.world.get_level(again.record()) == level
    records = batch.records.copy()
    records["t"] = 200
    with pytest.raises(SnapshotError, match="longer"):
        batch.world.admit(records)


@pytest.mark.parametrize("game, action, says", [
    ("RepeatFirst", 2, ["suit of the first card", "of diamonds"]),
    ("RepeatPrevious", 2, ["The card is of", "Nothing is asked yet"]),
    ("Autoencode", 2, ["More cards follow"]),
    ("CountRecall", 2, ["How many cards that are black have been dealt?"]),
    ("HigherLower", 0, ["The card is A.", "Is the next card higher or lower?"]),
    ("Concentration", 1, [". r . ", "Turn a card over"]),
    ("Battleship", 9, ["The shot at b2 hit"]),
    ("MineSweeper", 2, ["The cells around c1, its own included, have 1 mine."]),
    ("MultiarmedBandit", 4, ["Arm 5 paid.", "Pull an arm."]),
])  # fmt: skip
def test_texts(game, action, says):
    """After one action on a deck in order."""
    deck = list(range(DECK))
    board = {4: [".#..", "....", "....", "...#"], 8: ["#" * 6 + ".."] * 2 + ["." * 8] * 6}
    level = {"cards": deck, "queries": deck[::2] + deck[1::2], "means": [1.0] * 10}
    level["board"] = board[4 if game == "MineSweeper" else 8]
    world = build(ID, dict(game=game))
    batch = kit.started(world, level={part: level[part] for part in world.get_level(kit.started(world).record())})
    batch.step(action)
    told = world.text(batch.record(), 0)
    assert all(part in told for part in says), told
    assert "Steps so far: 1 of" in told


def test_clicks():
    for game in GAMES:
        batch = kit.started(ID, game=game)
        assert kit.clicks(batch, 0, 0.2, 0.2) == {None, *range(len(batch.world.action_names[0]))}
