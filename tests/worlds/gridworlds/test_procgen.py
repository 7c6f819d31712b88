"""Worlds after Procgen: its levels cell for cell from its random words, its games step by step, rules by example."""

import gzip
import json

import kit
import numpy as np
import pytest

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.generators import describe, generate, generate_many, grids, mazes, mutate
from envsuite.gridworlds import chaser, heist, miner
from envsuite.kit import procgen
from envsuite.kit.procgen import DOWN, LEFT, NOOP, RIGHT, UP

RECORDED = json.loads(gzip.decompress((kit.DATA / "procgen.json.gz").read_bytes()))
SIZES = {
    "miner": {"easy": 10, "hard": 20, "memory": 35},
    "heist": {"easy": 9, "hard": 13, "memory": 23},
    "chaser": {"easy": 11, "hard": 13, "extreme": 19},
    "maze": {"easy": 17, "hard": 27, "memory": 33},
}

#: Our move for each of Procgen's, in which the horizontal part comes first.
MOVES = [LEFT, LEFT, LEFT, DOWN, NOOP, UP, RIGHT, RIGHT, RIGHT]


class Words:
    """Procgen's random numbers: the words of a Mersenne twister, less those that a reset draws for its pictures."""

    def __init__(self, seed, drawn):
        self.twister = np.random.RandomState(seed)._bit_generator
        self.twister.random_raw(drawn)

    def randint(self, s, size):
        return int(self.twister.random_raw()) % size


def codes(rows):
    """The codes of a recorded map."""
    return np.array([[int(letter, 36) for letter in row] for row in rows], np.uint8)


def levels(game):
    """The recorded levels of a game, each with its mode and the side of its map."""
    return [(mode, SIZES[game][mode], level) for mode, some in RECORDED[game]["levels"].items() for level in some]


def lock_step(batch, episodes, moves):
    """Play recorded games, all at once; rewards and ends are compared, and yields (k, t, checksum) of states."""
    for t in range(max(len(episode["actions"]) for episode in episodes)):
        going = np.array([t < len(episode["actions"]) for episode in episodes])
        chosen = [moves[int(episode["actions"][t])] if go else 0 for episode, go in zip(episodes, going)]
        batch.step(np.array(chosen)[:, None], going)
        for k in np.flatnonzero(going):
            over = t == len(episodes[k]["actions"]) - 1 and episodes[k]["over"]
            assert batch.rewards[k, 0] == pytest.approx(episodes[k]["rewards"][t], abs=1e-4), (k, t)
            assert batch.over()[k] == over, (k, t)
            if not over:
                yield k, t, episodes[k]["states"][t]


def random_returns(name, moves, num, **params):
    """The returns of random play over Procgen's 15 actions, of which six do nothing."""
    batch, rng = kit.started(f"envsuite/{name}-v0", num, **params), np.random.default_rng(0)
    returns, moves = np.zeros(num), np.array([*moves, *[NOOP] * 6])
    while not batch.over().all():
        going = ~batch.over()
        batch.step(moves[rng.integers(15, size=(num, 1))], going)
        returns += batch.rewards[:, 0] * going
    return returns


@pytest.mark.parametrize("name", ["Miner", "Heist", "Chaser"])
def test_splits(name):
    """No level is in both splits, and a level starts an episode."""
    train, test = (generate_many(name, 6, split=split) for split in ("train", "test"))
    assert not any(level in test for level in train)
    batch = kit.started(f"envsuite/{name}-v0", level=test[0])
    assert batch.world.get_level(batch.record()) == test[0]


# Miner.


def mined(*rows, **params):
    """A game of Miner on a map of one's own, with diamonds left so that the exit is closed."""
    return kit.started("envsuite/Miner-v0", level={"map": list(rows)}, size=len(rows), **params)


def rows_of(batch):
    """The letters of the mine."""
    lines = batch.world.text(batch.record(), 0).splitlines()
    return [line.replace(" ", "") for line in lines[1:] if line.startswith("  ")]


def test_miner_levels(monkeypatch):
    """Procgen's random words give Procgen's levels."""
    records = {size: kit.started("envsuite/Miner-v0", size=size).record() for size in SIZES["miner"].values()}
    for _, size, level in levels("miner"):
        monkeypatch.setattr(miner, "randint", Words(level["seed"], 4).randint)
        miner.make(records[size])
        assert (records[size].map == codes(level["map"])).all(), (size, level["seed"])


@pytest.mark.parametrize("mode, first, last", [
    ("easy", 0, 12),
    pytest.param("easy", 12, None, marks=pytest.mark.slow),
    pytest.param("hard", 0, None, marks=pytest.mark.slow),
])  # fmt: skip
def test_miner_games(mode, first, last):
    """Procgen's games, from its levels on. There, the count of diamonds is 0 before the first step."""
    episodes = [episode for episode in RECORDED["miner"]["games"] if episode["mode"] == mode][first:last]
    maps = {level["seed"]: codes(level["map"]) for level in RECORDED["miner"]["levels"][mode]}
    legend = dict(zip(miner.CODES.tolist(), miner.LEGEND))
    starts = [{"map": ["".join(legend[code] for code in row) for row in maps[e["seed"]].tolist()]} for e in episodes]
    batch = kit.started("envsuite/Miner-v0", len(episodes), level=starts, size=SIZES["miner"][mode])
    diamonds = batch.records["left"].copy()
    batch.records["left"] = 0
    for k, t, state in lock_step(batch, episodes, MOVES):
        if t == 0:
            batch.records["left"][k] += diamonds[k]
        assert kit.checksum(batch.observations[k, 0]) == state, (k, t)
    won = sum(10.0 in episode["rewards"] for episode in episodes)
    ended = [episode for episode in episodes if episode["over"] and len(episode["actions"]) < 1000]
    dead = sum(episode["rewards"][-1] < 10 for episode in ended)
    assert won > 0 and dead > 0


def test_miner_exit():
    """The exit is open in the step after the last diamond was taken, and from the start only without diamonds."""
    batch = mined(".....", ".....", ".....", ".....", ".@E*.")
    for move, reward in ((RIGHT, 0), (RIGHT, 1), (LEFT, 10)):
        assert not batch.over()[0]
        batch.step(move)
        assert batch.rewards[0, 0] == reward
    assert batch.over()[0] and "You have left the mine" in batch.world.text(batch.record(), 0)
    batch = mined(".....", ".....", ".....", "&....", ".....")
    batch.step(NOOP)
    assert batch.rewards[0, 0] == 10 and batch.over()[0]
    batch = mined(".....", ".....", ".....", "..o..", ".@E..")  # to follow a boulder to the exit is no move yet
    kit.act(batch, "noop", "noop", "right")
    assert rows_of(batch)[4] == "..@o." and not batch.over()[0]
    batch.step(NOOP)
    assert batch.rewards[0, 0] == 10


def test_miner_falls():
    """A boulder at rest waits on the agent's head, follows it downwards, and kills it if it stops."""
    batch = mined("..o..", "..@..", "..:..", "..:.E", "*.:..")
    kit.act(batch, "noop", "noop", "down")
    assert rows_of(batch)[:3] == [".....", "..O..", "..@.."] and not batch.over()[0]
    batch.step(DOWN)
    assert rows_of(batch)[2:4] == ["..O..", "..@.E"] and not batch.over()[0]
    batch.step(NOOP)
    assert batch.over()[0] and batch.rewards[0, 0] == 0 and "dead" in batch.world.text(batch.record(), 0)
    batch = mined(".*...", ".....", ".....", ".@...", ".:.E.")  # a falling diamond is passed through, not taken
    kit.act(batch, "noop", "up")
    assert batch.over()[0]
    batch = mined(".*...", ".@...", ".....", ".....", ".:.E.")
    kit.act(batch, "right", "left")
    assert batch.records["left"][0] == 1 and not batch.over()[0]


def test_miner_rolls():
    """On another boulder a boulder rolls to the left first, then to the right, where it may fall at once."""
    batch = mined(".....", "..o..", "..o..", "E...@", ".....")
    batch.step(NOOP)  # the lower one falls first, so both do
    assert rows_of(batch)[1:4] == [".....", "..O..", "E.O.@"]
    batch = mined(".....", "..o..", "..o..", "::::@", "E::::")
    batch.step(NOOP)
    assert rows_of(batch)[1:3] == [".o...", "..o.."]
    batch = mined(".....", ".:o..", ".:o..", "::::@", "E::::")
    batch.step(NOOP)
    assert rows_of(batch)[1:3] == [".:...", ".:oO."]


def test_miner_pushes():
    """A resting boulder is pushed sideways into an empty cell, not into dirt, the rock, or upwards."""
    batch = mined(".....", ".....", ".@o..", ":::::", "E::::")
    batch.step(RIGHT)
    assert rows_of(batch)[2] == "..@o."
    kit.act(batch, "right", "right")
    assert rows_of(batch)[2] == "...@o"
    for row, after in ((".@o:.", ".@o:."), (".o@..", "o@..."), ("o@...", "o@..."), (".oo@.", ".oo@.")):
        batch = mined(".....", ".....", row, ":::::", "E::::")
        batch.step(LEFT if row.index("o") < row.index("@") else RIGHT)
        assert rows_of(batch)[2] == after
    batch = mined(".....", "..o..", "..@..", ":::::", "E::::")
    batch.step(UP)
    assert rows_of(batch)[1:3] == ["..o..", "..@.."]


def test_miner_view():
    """A view shows the cells around the agent, with rock outside of the mine."""
    batch = mined("@::::", "o::::", ":::::", "::::E", "*::::", view=3)
    assert batch.observations[0, 0].tolist() == [[6, 6, 6], [6, 16, 1], [6, 2, 1]]
    text = batch.world.text(batch.record(), 0)
    assert "# @ :" in text and "Diamonds left" not in text
    assert kit.clicks(batch, 0) == {None, *range(5)}
    with pytest.raises(ParameterError, match="view=4"):
        mined("@::::", "o::::", ":::::", "::::E", "*::::", view=4)


def test_miner_refuses():
    """Maps of another size, with other letters, without an exit or with two agents."""
    good = ["@::::", "o::::", ":::::", "::::E", "*::::"]
    world = kit.started("envsuite/Miner-v0", size=5).world
    kit.refuses(
        world,
        ({"map": good[1:]}, "must be 5 texts of 5 letters"),
        ({"map": [*good[:4], "?::::"]}, "has the letter '\\?'"),
        ({"map": [*good[:4], "*:::@"]}, "one agent, not 2"),
        ({"map": [*good[:3], ":::::", "*::::"]}, "one exit, not 0"),
        ({"map": good, "seed": 1}, "a level has 'map', not 'map', 'seed'"),
    )


def test_miner_statistics():
    """Counts of a generated mine."""
    for size in (5, 12, 35):
        for seed in range(5):
            rows = "".join(generate("Miner", seed, size=size)["map"])
            assert rows.count("*") == size * size * 3 // 100
            assert size * size // 5 - 8 <= rows.count("o") <= size * size // 5


@pytest.mark.slow
def test_miner_baselines():
    """Random play earns what it earns in Procgen, up to four standard errors of both; the baselines far more."""
    for size, mean, error in ((10, 1.25, 0.11), (20, 1.11, 0.06)):
        returns = random_returns("Miner", MOVES, 600, size=size)
        assert abs(returns.mean() - mean) < 4 * np.hypot(error, returns.std() / 600**0.5)
    greedy, careful = (play("envsuite/Miner-v0", name, 200).returns.mean() for name in ("greedy", "careful"))
    assert greedy > 9 and careful > 10


# Heist.


def way_of(rows):
    """The number of moves of a shortest way to the gem, or None; keys and doors are sets of letters."""
    letters = {(y, x): letter for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != "#"}
    start = next(place for place, letter in letters.items() if letter == "@")
    front, seen, moves = {(start, frozenset())}, set(), 0
    while front:
        if any(letters[place] == "G" for place, _ in front):
            return moves
        seen |= front
        reached = set()
        for (y, x), keys in front:
            for place in ((y, x - 1), (y, x + 1), (y - 1, x), (y + 1, x)):
                letter = letters.get(place, "#")
                if letter != "#" and (letter not in "ABC" or letter.lower() in keys):
                    reached.add((place, keys | {letter} if letter in "abc" else keys))
        front, moves = reached - seen, moves + 1
    return None


@pytest.mark.parametrize("mode, first, last", [
    ("easy", 0, 12),
    pytest.param("easy", 12, None, marks=pytest.mark.slow),
    pytest.param("hard", 0, None, marks=pytest.mark.slow),
    pytest.param("memory", 0, None, marks=pytest.mark.slow),
])  # fmt: skip
def test_heist_levels(mode, first, last, monkeypatch):
    """Procgen's random words give Procgen's levels."""
    doors, size = set(), SIZES["heist"][mode]
    s = kit.started("envsuite/Heist-v0", size=size, doors="any" if mode == "memory" else "graded").record()
    for level in RECORDED["heist"]["levels"][mode][first:last]:
        words = Words(level["seed"], 4)
        monkeypatch.setattr(heist, "randint", words.randint)
        monkeypatch.setattr(procgen, "randint", words.randint)
        heist.make(s)
        assert (s.map == codes(level["map"])).all(), level["seed"]
        assert not s.parent.any() and not s.queue.any()
        doors.add(sum(row.count(door) for row in level["map"] for door in "234"))
    assert len(doors) >= 3


def stolen(*rows, **params):
    """A game of Heist on a map of one's own."""
    return kit.started("envsuite/Heist-v0", level={"map": list(rows)}, size=len(rows), **params)


def test_heist_rules():
    """A door blocks without the key of its color, and opens when it is entered; walls and the edge block."""
    batch = stolen("@.A.G", "ab##.", "##B..", "#####", "#####")
    kit.act(batch, "left", "up", "right", "right")
    assert (batch.records["x"][0], batch.records["y"][0]) == (2, 1)  # before door A, with a border of one
    kit.act(batch, "down", "right", "down", "up")  # key b, a wall, a wall, back
    assert batch.observations["keys"][0, 0].tolist() == [0, 1, 0]
    batch.step(RIGHT)
    assert batch.records["x"][0] == 2
    kit.act(batch, "left", "down")
    assert batch.observations["keys"][0, 0].tolist() == [1, 1, 0]
    assert batch.world.text(batch.record(), 0).splitlines()[1:3] == ["  . . A . G", "  @ . # # ."]
    kit.act(batch, "up", "right", "right", "right")
    assert batch.observations["map"][0, 0, 0].tolist() == [1, 1, 1, 9, 8] and not batch.over()[0]
    assert batch.rewards[0, 0] == 0
    batch.step(RIGHT)
    assert batch.rewards[0, 0] == 10 and batch.records["terminated"][0, 0] == 1
    batch = stolen("@bBAG", "#####", "#####", "#####", "#####")
    kit.act(batch, "right", "right", "right")
    assert batch.observations["map"][0, 0, 0].tolist() == [1, 1, 9, 2, 8]
    batch = stolen("@....", "....G", ".....", ".....", ".....", horizon=3)
    kit.act(batch, "noop", "noop", "down")
    assert batch.records["truncated"][0, 0] == 1


def test_heist_view():
    """A view shows walls outside of the square; clicks mean moves to cells beside the agent."""
    batch = stolen("@.A.G", "a####", "#####", "#####", "#####", view=3)
    assert batch.observations["map"][0, 0].tolist() == [[0, 0, 0], [0, 9, 1], [0, 5, 0]]
    assert kit.clicks(batch, 0) == {None, *range(5)}
    with pytest.raises(ParameterError, match="size=8 must be odd"):
        kit.started("envsuite/Heist-v0", size=8)


def test_heist_refuses():
    good = ["@.A.G", "a####", "#####", "#####", "#####"]
    kit.refuses(
        kit.started("envsuite/Heist-v0", size=5).world,
        ({"map": good[1:]}, "must be 5 texts of 5 letters"),
        ({"map": [*good[:4], "?####"]}, "has the letter '\\?'"),
        ({"map": [*good[:4], "@####"]}, "one agent, not 2"),
        ({"map": ["@.A..", *good[1:]]}, "one gem, not 0"),
        ({"map": [*good[:4], "a####"]}, "more than one key 'a'"),
        ({"map": good, "doors": 1}, "a level has 'map', not 'map', 'doors'"),
    )


@pytest.mark.slow
@pytest.mark.parametrize("size, shares, mean", [(9, (176, 300, 362, 162), 19.09), (13, (101, 215, 198, 486), 32.24)])
def test_heist_statistics(size, shares, mean):
    """Numbers of doors and shortest ways are distributed as in 1,000 levels of Procgen; all levels can be solved."""
    some = [level["map"] for level in generate_many("Heist", 1000, size=size)]
    counts = np.bincount([sum(row.count(door) for row in rows for door in "ABC") for rows in some], minlength=4)
    ways = np.array([way_of(rows) for rows in some], float)
    chi = ((counts - shares) ** 2 / np.array(shares)).sum()
    assert chi < 2 * 16.3  # 0.1 % of its distribution with 3 degrees of freedom; two samples
    assert abs(ways.mean() - mean) < 4 * ways.std() * (2 / len(some)) ** 0.5


@pytest.mark.slow
def test_heist_baselines():
    """The thief takes shortest ways, also as it maps a maze; random play earns far less than the wanderer."""
    some = generate_many("Heist", 40, size=13)
    batch = kit.started("envsuite/Heist-v0", 40, level=some, size=13)
    assert (kit.finish(batch, "thief") == 10).all()
    assert batch.records["t"].tolist() == [way_of(level["map"]) for level in some]
    assert kit.played("envsuite/Heist-v0", "thief", 0, 40, size=23, view=5).mean() > 9.7
    random, wanderer = (play("envsuite/Heist-v0", name, 100).returns.mean() for name in ("random", "wanderer"))
    assert random < 7 < 9 < wanderer


# Chaser.

#: Our action for each of Procgen's, and the parameters of its modes.
STEERED = [chaser.NAMES.index(name) for name in (
    "left down", "left", "left up", "down", "noop", "up", "right down", "right", "right up",
)]  # fmt: skip
CHASES = {"easy": {"size": 11}, "hard": {"size": 13, "extra": -1}, "extreme": {"size": 19, "enemies": 5, "extra": 1}}


@pytest.mark.parametrize("mode", [*CHASES])
def test_chaser_levels(mode, monkeypatch):
    """Procgen's random words give Procgen's levels."""
    s = kit.started("envsuite/Chaser-v0", **CHASES[mode]).record()
    for level in RECORDED["chaser"]["levels"][mode]:
        words = Words(level["seed"], 4)
        monkeypatch.setattr(chaser, "randint", words.randint)
        monkeypatch.setattr(procgen, "randint", words.randint)
        chaser.make(s)
        assert (s.map == codes(level["map"])).all(), level["seed"]
        assert not s.parent.any() and not s.queue.any()


def chase_seen(s):
    """A checksum of cells, the agent, eggs and enemies in order, and edible steps, as the recorder makes it."""
    rows = sorted(row for row in np.asarray(s.enemies).tolist() if row[0])
    numbers = np.array([s.x, s.y, s.right, s.down, *sum(rows, []), s.edible], np.int16)
    return kit.checksum(np.concatenate([np.asarray(s.cells).ravel(), numbers.view(np.uint8)]))


@pytest.mark.parametrize("mode, first, last", [
    ("easy", 0, 4),
    pytest.param("easy", 4, None, marks=pytest.mark.slow),
    pytest.param("hard", 0, None, marks=pytest.mark.slow),
    pytest.param("extreme", 0, None, marks=pytest.mark.slow),
])  # fmt: skip
def test_chaser_games(mode, first, last, monkeypatch):
    """Procgen's games with its random words."""
    batch, ends = kit.started("envsuite/Chaser-v0", **CHASES[mode]), set()
    for episode in [episode for episode in RECORDED["chaser"]["games"] if episode["mode"] == mode][first:last]:
        batch.start(0)
        s, words = batch.record(), Words(episode["seed"], 4)
        with monkeypatch.context() as patch:
            patch.setattr(chaser, "randint", words.randint)
            patch.setattr(procgen, "randint", words.randint)
            chaser.reset(s)
            for t, action in enumerate(episode["actions"]):
                rewards, s.t = np.zeros(1), t + 1
                chaser.step(s, [STEERED[int(action)]], rewards)
                assert rewards[0] == pytest.approx(episode["rewards"][t], abs=1e-4), t
                over = episode["over"] and t == len(episode["actions"]) - 1
                assert s.terminated[0] == over, t
                assert over or chase_seen(s) == episode["states"][t], t
        ends.add((over, bool(over and s.left == 0)))
    assert (True, False) in ends and (mode != "easy" or last or (True, True) in ends)


def chased(*rows, **params):
    """A game of Chaser on a map of one's own."""
    return kit.started("envsuite/Chaser-v0", level={"map": list(rows)}, size=len(rows), **params)


def agent_of(batch):
    return batch.observations["agent"][0, 0].tolist()


def test_chaser_moves():
    """The agent keeps its speed, turns where there is room, and stops at walls and the edge."""
    batch = chased("@....", ".#.#.", ".....", ".#.#.", ".....")
    kit.act(batch, "right", "noop")
    assert agent_of(batch) == [24, 8, 1, 0]
    kit.act(batch, "down")  # below is a wall: it goes on to the right
    assert agent_of(batch) == [32, 8, 1, 0] and batch.rewards[0, 0] == pytest.approx(0.04)
    kit.act(batch, "right", "down")
    assert agent_of(batch) == [40, 16, 0, 1]
    batch = chased("@....", ".#.#.", ".....", ".#.#.", ".....")
    kit.act(batch, "left up")
    assert agent_of(batch) == [8, 8, 0, 0]


def test_chaser_power():
    """A power orb is eaten at 14 sixteenths and makes enemies edible for 75 steps; they come back as eggs."""
    batch = chased("@.o..", ".#.#.", ".....", ".#.#.", "....e", enemies=1)
    kit.act(batch, "right", "noop")
    assert batch.observations["edible"][0, 0, 0] == 0
    batch.step(NOOP)  # 8 sixteenths before the middle of the power orb, 16 in the step before
    assert batch.observations["edible"][0, 0, 0] == 75 and batch.rewards[0, 0] == pytest.approx(0.04)
    batch.records["enemies"][0, 0] = [chaser.ENEMY, 40, 8, 0, 0, 0]
    batch.step(NOOP)
    kind, x, y, *_, timer = batch.records["enemies"][0, 0].tolist()
    assert kind == chaser.EGG and timer == 50 and not batch.over()[0] and batch.records["edible"][0] == 74
    assert not chaser.is_wall(batch.record(), x >> 4, y >> 4)
    batch.records["edible"][0] = 1
    batch.records["enemies"][0, 0] = [chaser.ENEMY, *agent_of(batch)[:2], 0, 0, 0]
    batch.step(NOOP)
    assert batch.over()[0] and "caught" in batch.world.text(batch.record(), 0)
    batch = chased("@.o..", ".#.#.", ".....", ".#.#.", "....e", enemies=1)  # caught in the step of a power orb
    kit.act(batch, "right", "noop")
    batch.records["enemies"][0, 0] = [chaser.ENEMY, 40, 8, 0, 0, 0]
    batch.step(NOOP)
    assert batch.over()[0] and batch.rewards[0, 0] == pytest.approx(0.04)


def test_chaser_dead_end():
    """An enemy turns back in a dead end."""
    batch = chased("@.#..", "..#..", "#####", "_____", "#####", enemies=1)
    batch.records["enemies"][0, 0] = [chaser.ENEMY, 64, 56, chaser.SPEED, 0, 0]
    batch.step(NOOP)
    assert batch.records["enemies"][0, 0].tolist() == [chaser.ENEMY, 72, 56, -chaser.SPEED, 0, 0]


def test_chaser_end():
    """The last orb pays 10; a level without orbs but the agent's own is won at once."""
    batch = chased("@_o__", "_#_#_", "_____", "_#_#_", "_____")
    batch.step(NOOP)
    assert batch.rewards[0, 0] == pytest.approx(10.04) and batch.records["terminated"][0, 0] == 1
    batch = chased("@_.__", "_#_#_", "_____", "_#_#_", "_____", horizon=1)
    batch.step(NOOP)
    assert batch.records["truncated"][0, 0] == 1 and batch.records["terminated"][0, 0] == 0


def test_chaser_refuses():
    good = ["@....", ".#.#.", "..o..", ".#.#.", "e..._"]
    world = kit.started("envsuite/Chaser-v0", size=5, enemies=1).world
    kit.refuses(
        world,
        ({"map": good[1:]}, "must be 5 texts of 5 letters"),
        ({"map": [*good[:4], "M...."]}, "has the letter 'M'"),
        ({"map": [*good[:4], "@...."]}, "one agent, not 2"),
        ({"map": [*good[:4], "e...e"]}, "2 eggs; `enemies` allows 1"),
        ({"map": good, "time": 1}, "a level has 'map', not 'map', 'time'"),
    )
    with pytest.raises(ParameterError, match="size=6 must be odd"):
        kit.started("envsuite/Chaser-v0", size=6)
    for row in ([2, 41, 40, 8, 0, 0], [2, 40, 40, 8, 8, 0], [1, 40, 40, 4, 0, 5], [2, 24, 24, 0, 0, 0]):
        batch = chased(*good, enemies=1)
        batch.records["enemies"][0, 0] = row
        with pytest.raises(SnapshotError, match="an enemy is not"):
            world.admit(batch.records)


@pytest.mark.slow
def test_chaser_baselines():
    """Random play earns what it earns in Procgen, up to four standard errors of both; the baselines far more."""
    for mode, mean in (("easy", 0.67), ("hard", 0.64)):
        returns = random_returns("Chaser", STEERED, 600, **CHASES[mode])
        assert abs(returns.mean() - mean) < 4 * np.hypot(0.01, returns.std() / 600**0.5)
    greedy, collector = (play("envsuite/Chaser-v0", name, 200).returns.mean() for name in ("greedy", "collector"))
    assert greedy > 9 and collector > 10.5


# Maze with Procgen's algorithm.

#: Maze's move for each of Procgen's.
STEPS = [2, 2, 2, 1, None, 3, 0, 0, 0]


def test_maze_levels(monkeypatch):
    """Procgen's random words give Procgen's levels; a reset draws two words less than in the other games."""
    sizes = {mode: {"height": size, "width": size} for mode, size in SIZES["maze"].items()}
    records = {mode: kit.started("envsuite/Maze-v0", algorithm="procgen", **sizes[mode]).record() for mode in sizes}
    for mode, _, level in levels("maze"):
        s, words = records[mode], Words(level["seed"], 2)
        monkeypatch.setattr(mazes, "randint", words.randint)
        monkeypatch.setattr(procgen, "randint", words.randint)
        mazes.make(s)
        letters = str.maketrans("0123", "#.GS")
        assert grids.write_map(s.level) == [row.translate(letters) for row in level["map"]], (mode, level["seed"])
        assert not s.scratch.marks.any() and not s.scratch.queue.any()


@pytest.mark.parametrize("mode", [pytest.param("easy", marks=pytest.mark.slow), "hard"])
def test_maze_games(mode):
    """Procgen's games, from its levels on."""
    episodes = [episode for episode in RECORDED["maze"]["games"] if episode["mode"] == mode]
    maps = {level["seed"]: level["map"] for level in RECORDED["maze"]["levels"][mode]}
    starts = [{"map": [row.translate(str.maketrans("0123", "#.GS")) for row in maps[e["seed"]]]} for e in episodes]
    size = SIZES["maze"][mode]
    params = dict(height=size, width=size, horizon=500, decay=0.0)
    batch = kit.started("envsuite/Maze-v0", len(episodes), level=starts, **params)
    for episode in episodes:
        episode["rewards"] = [reward / 10 for reward in episode["rewards"]]
    for k, t, seen in lock_step(batch, episodes, STEPS):
        assert kit.checksum(batch.observations[k, 0]) == seen, (k, t)
    assert sum(1.0 in episode["rewards"] for episode in episodes) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("size, mean", [(17, 12.99), (27, 22.31)])
def test_maze_statistics(size, mean):
    """Shortest ways are as long on average as in 1,000 levels of Procgen."""
    made = generate_many("maze", 2000, height=size, width=size, algorithm="procgen")
    ways = np.array([describe(level)["path"] for level in made])
    assert abs(ways.mean() - mean) < 4 * ways.std() * (1 / 1000 + 1 / 2000) ** 0.5


def test_maze_changes():
    """A changed level is another level of the kind; braids are refused."""
    level = generate("maze", 1, height=13, width=17, algorithm="procgen")
    for seed in range(20):
        changed = mutate(level, seed)
        one, other = describe(level), describe(changed)
        assert changed != level and other["solvable"] and other["free"] == one["free"]
        level = changed
    with pytest.raises(ParameterError, match="braid=0.5 must be 0"):
        generate("maze", algorithm="procgen", braid=0.5)
