"""Backgammon: OpenSpiel turn by turn, GNU Backgammon's turns and chances, an independent table, probes of the rules."""

import gzip
import json
import math
import zlib
from functools import cache
from itertools import combinations_with_replacement

import kit
import numpy as np
import pytest

from envsuite.core.batch import Batch
from envsuite.core.chance import Explorer
from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games.backgammon import BAR, OFF, PASS
from envsuite.registry import build
from envsuite.solvers.model import extract
from envsuite.solvers.planning import value_iteration

ID = "envsuite/Backgammon-v0"

#: OpenSpiel's names of scorings.
SCORINGS = {"single": "winloss_scoring", "gammon": "enable_gammons", "backgammon": "full_scoring"}

#: OpenSpiel's rolls by number; in the opening the first die is that of its first player, in disguise.
PAIRS = [(a, b) for a in range(1, 7) for b in range(a + 1, 7)]
ROLLS = [*(pair for a, b in PAIRS for pair in ((a, b), (b, a))), *((k, k) for k in range(1, 7))]


def spiel_checkers(state):
    """Both players' checkers by place, of OpenSpiel: a list of 52 numbers."""
    found = []
    for player in range(2):
        seen = np.array(state.observation_tensor(player), int)
        points = (seen[:96].reshape(24, 4) @ [1, 2, 3, 1] + 3 * (seen[3:96:4] > 0)).tolist()
        found += [int(seen[193]), *(points if player else points[::-1]), int(seen[192])]
    return found


def spiel_moves(action, player, dice):
    """The moves (place, number) of an action of OpenSpiel, numbered from the player's side; a pass is none."""
    order = sorted(dice, reverse=action < 676)
    moves = zip((action % 676 % 26, action % 676 // 26), order)
    return [(BAR if k == 24 else k + 1 if player else 24 - k, number) for k, number in moves if k != 25]


def after(checkers, player, moves):
    """The checkers after some moves, as bytes."""
    found = list(checkers)
    own, other = 26 * player, 26 * (1 - player)
    for place, number in moves:
        target = max(place - number, 0)
        found[own + place] -= 1
        found[own + target] += 1
        if target and found[other + 25 - target]:
            found[other + 25 - target] -= 1
            found[other + 25] += 1
    return bytes(found)


def distinct(owner, records):
    """Owners and records, each position of a turn once."""
    parts = [records["checkers"].reshape(-1, 52), records["uses"], records["turns"][:, None], owner[:, None]]
    _, first = np.unique(np.concatenate(parts, axis=1), axis=0, return_index=True)
    return owner[first], records[first]


def outcomes(scratch, records, most):
    """The checkers, as bytes, after up to `most` actions of the same turn, for each of N records: a list of sets."""
    found, owner = [set() for _ in records], np.arange(len(records))
    for level in range(most):
        where = np.arange(scratch.num) < len(records)
        scratch.records[where] = records
        scratch.observe(where)
        parents, actions = np.nonzero(scratch.masks[where].any(axis=1))
        before, owner = records[parents], owner[parents]
        where = np.arange(scratch.num) < len(before)
        scratch.records[where] = before
        scratch.observe(where)
        scratch.actions[where] = actions[:, None]
        scratch.step(where=where)
        records = scratch.records[where]
        same = (records["turns"] == before["turns"]) & ~scratch.over()[where] & (level < most - 1)
        for i in np.flatnonzero(~same):
            found[owner[i]].add(records["checkers"][i].tobytes())
        owner, records = distinct(owner[same], records[same])
    return found


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("scoring", "variant", "num", "max_turns"),
    [
        ("backgammon", "backgammon", 4, 500),
        ("backgammon", "backgammon", 140, 500),
        ("gammon", "backgammon", 40, 500),
        ("single", "backgammon", 30, 60),
        ("single", "hyper", 200, 500),
    ],
)
def test_equals_openspiel(scoring, variant, num, max_turns):
    """Random games: movers, dice, all positions after a turn, both orders of the dice, rewards and ends."""
    import pyspiel

    params = {
        "scoring_type": SCORINGS[scoring],
        "hyper_backgammon": variant == "hyper",
        "max_player_turns": max_turns - 1,
    }
    game, rng = pyspiel.load_game("backgammon", params), np.random.default_rng(num)
    batch = kit.started(ID, num, scoring=scoring, variant=variant, max_turns=max_turns)
    scratch, states = Batch(batch.world, 60 * num), [game.new_initial_state() for _ in range(num)]
    running, ends, doubles, plies = set(range(num)), set(), 0, np.zeros(num)
    while running:
        todo, wanted = {}, {}
        for i in sorted(running):
            state, s = states[i], batch.records[i]
            dice = s["dice"].tolist()
            if state.is_chance_node():
                opening = state.move_number() == 0
                state.apply_action(ROLLS.index(tuple(sorted(dice, reverse=bool(opening and s["player"])))))
            player = state.current_player()
            assert player == s["player"] == batch.acting[i].argmax() and batch.acting[i].sum() == 1
            checkers = spiel_checkers(state)
            assert checkers == s["checkers"].reshape(-1).tolist()
            actions = state.legal_actions()
            moves = [spiel_moves(action, player, dice) for action in actions]
            wanted[i] = {after(checkers, player, steps) for steps in moves}
            chosen = int(rng.integers(len(actions)))
            todo[i] = moves[chosen] or [None]
            doubles += dice[0] == dice[1]
            plies[i] += 1
            state.apply_action(actions[chosen])
        found = outcomes(scratch, batch.records[list(wanted)], 2)
        assert found == list(wanted.values())
        rewards = np.zeros((num, 2))
        for k in range(2):
            where = np.zeros(num, bool)
            for i, steps in todo.items():
                if k < len(steps):
                    where[i] = True
                    batch.actions[i] = PASS if steps[k] is None else 6 * steps[k][0] + steps[k][1] - 7
            batch.step(where=where)  # refuses illegal actions
            rewards += batch.rewards * where[:, None]
        for i in todo:
            state, s = states[i], batch.records[i]
            if state.is_terminal() and not batch.over()[i]:  # it ends after half of a double, which is its last turn
                assert s["turns"] == max_turns - 1 and s["uses"].sum() == 2 and state.returns() == [0, 0]
                running.discard(i)
                continue
            if not (state.is_terminal() or state.is_chance_node() or state.current_player() == s["player"]):
                (action,) = state.legal_actions()  # a second half of a double in which nothing can be moved
                assert not spiel_moves(action, state.current_player(), (1, 1))
                state.apply_action(action)
                plies[i] += 1
            assert batch.terminations[i].tolist() == [state.is_terminal()] * 2
            won = state.returns() if state.is_terminal() else [0, 0]
            if variant == "hyper" and state.is_terminal():  # where it always gives 0
                won = [2.0 * (spiel_checkers(state)[26 * k] == 3) - 1 for k in range(2)]
            assert rewards[i].tolist() == won
            if state.is_terminal():
                running.discard(i)
                ends.add(int(abs(rewards[i, 0])))
    assert doubles and ends >= set(range(max_turns == 500, batch.world.most + 1) if num > 10 else ())
    if num == 140:  # 113.5 +- 3.5 plies in 200 games
        assert abs(plies.mean() - 113.5) < 4 * (plies.var() / num + 3.5**2) ** 0.5


@cache
def recorded():
    """GNU Backgammon's turns and chances, see the file's recorder."""
    return json.loads(gzip.decompress((kit.DATA / "Backgammon" / "backgammon.json.gz").read_bytes()))


def places(letters):
    """A player's checkers in a recording, as in a level."""
    counts = {name: ord(letter) - 97 for name, letter in zip([*map(str, range(1, 25)), "bar"], letters[1:])}
    return {name: count for name, count in counts.items() if count}


def as_recorded(checkers, player, most):
    """Both players' checkers as in a recording, the letters of the player to move first."""
    rows = [[row[0] - 15 + most, *row[1:]] for row in (checkers[:26], checkers[26:])]
    return "".join(chr(97 + count) for row in (rows[player], rows[1 - player]) for count in row)


@pytest.mark.mostly_slow
@pytest.mark.parametrize("part", [slice(0, None, 25), slice(None)])
def test_turns_of_gnubg(part):
    """All positions after a turn, doubles included, in games with 15, 8 and 3 checkers, for both players."""
    turns = recorded()["turns"][part]
    scratch = Batch(build(ID), 60_000 if len(turns) > 500 else 8000)
    for player in range(2):
        levels = []
        for text, first, second, _, _ in turns:
            sides = places(text[:26]), places(text[26:])
            levels.append({"checkers": sides[:: 1 - 2 * player], "player": player, "dice": [first, second]})
        found = outcomes(scratch, kit.started(ID, len(turns), level=levels).records, 4)
        for (text, _, _, count, checksum), positions in zip(turns, found):
            most = sum(ord(letter) - 97 for letter in text[:26])
            texts = sorted(as_recorded(list(position), player, most) for position in positions)
            assert (len(texts), f"{zlib.crc32(''.join(texts).encode()) & 0xFFFF:04x}") == (count, checksum)


# The chances of the last checkers, by a table that shares nothing with the rules of the world.

#: Rolls with their chances, in 36ths.
CHANCES = [((a, b), 2) for a, b in PAIRS] + [((k,) * 4, 1) for k in range(1, 7)]


def borne(home, numbers):
    """All positions after a turn with some numbers; a position is a sorted tuple of points in the home."""
    found = {home} if not (numbers and home) else set()
    for k, number in enumerate(numbers if home else ()):
        for point in set(home):
            if point >= number or point == max(home):
                rest = list(home)
                rest.remove(point)
                rest += [point - number] * (point > number)
                found |= borne(tuple(sorted(rest)), numbers[:k] + numbers[k + 1 :])
    return found


@cache
def chance(own, other):
    """The chance that the player to move wins."""
    total = 0.0
    for numbers, weight in CHANCES:
        ends = borne(own, numbers)
        total += weight * (1 if () in ends else max(1 - chance(other, home) for home in ends))
    return total / 36


def in_world(own, other, player=0):
    """The same by value iteration on the world's own rules."""
    sides = [{str(point): home.count(point) for point in home} for home in (own, other)][:: 1 - 2 * player]
    model = extract(ID, level={"checkers": sides, "player": player}, ignore=["t", "turns", "last", "mover", "start"])
    return (model.start @ value_iteration(model).values[:, player] + 1) / 2


def test_chances_of_gnubg():
    """GNU Backgammon's two-sided chances, with its 16 bits, by the table."""
    for own, other, wanted in recorded()["chances"]:
        homes = [tuple(int(k) for k, n in places(side).items() for _ in range(n)) for side in (own, other)]
        assert chance(*homes) == pytest.approx(wanted, abs=5e-5)


#: Rolls of 36 that bear off two checkers in one turn, by their points: published tables.
PUBLISHED = {
    (1, 1): 36, (1, 2): 36, (2, 2): 26, (1, 3): 34, (2, 3): 25, (3, 3): 17, (1, 4): 29, (2, 4): 23, (3, 4): 17,
    (4, 4): 11, (1, 5): 23, (2, 5): 19, (3, 5): 14, (4, 5): 10, (5, 5): 6, (1, 6): 15, (2, 6): 13, (3, 6): 10,
    (4, 6): 8, (5, 6): 6, (6, 6): 4,
}  # fmt: skip


def test_one_turn():
    """Chances of bearing off two checkers in one turn, as published: against a player that then bears off its last."""
    assert set(PUBLISHED) == set(combinations_with_replacement(range(1, 7), 2))
    for home, rolls in PUBLISHED.items():
        assert chance(home, (1,)) == pytest.approx(rolls / 36)
    for home in ((1, 3), (5, 6)):
        assert in_world(home, (1,)) == pytest.approx(PUBLISHED[home] / 36)


@pytest.mark.parametrize(
    ("own", "other", "player"),
    [((3, 4), (1, 6), 0), ((6,), (2, 5), 1), pytest.param((2, 3, 4), (1, 5), 0, marks=pytest.mark.slow)],
)
def test_bear_off(own, other, player):
    assert in_world(own, other, player) == pytest.approx(chance(own, other), abs=1e-9)


def test_dice():
    """The opening roll has 30 outcomes and chooses the player; later rolls have 36, in 21 sorted pairs."""
    rolled = {None: {}, 1: {}}
    for player, found in rolled.items():
        level = {"checkers": [{"6": 1}, {"6": 1}]} | ({} if player is None else {"player": player})
        for part in Explorer(build(ID), 64).begin(level):
            for record, probability in zip(part.records, part.probabilities):
                roll = (*record["dice"].tolist(), int(record["player"]))
                found[roll] = found.get(roll, 0.0) + probability
    assert rolled[None] == pytest.approx({(b, a, player): 1 / 30 for a, b in PAIRS for player in range(2)})
    assert rolled[1] == pytest.approx({(b, a, 1): (2 - (a == b)) / 36 for a in range(1, 7) for b in range(a, 7)})


def placed(own, other, dice, player=0, **params):
    """A game in which the player to move has these checkers and dice."""
    sides = [{str(name): count for name, count in side.items()} for side in (own, other)]
    return kit.started(ID, level={"checkers": sides[:: 1 - 2 * player], "player": player, "dice": dice}, **params)


def test_both_numbers():
    """First moves after which the other number cannot be used are illegal; alone, the larger one must be used."""
    # The 6 can be used only by 10/8/2, so 5/3 is illegal.
    batch = placed({10: 1, 5: 1}, {21: 2, 7: 1}, (6, 2))
    assert kit.legal(batch) == {"10/8"}
    assert kit.legal(kit.act(batch, "10/8")) == {"8/2"}
    # Either number, but not both: the larger one.
    batch = placed({14: 1}, {20: 2, 7: 1}, (5, 4))
    assert kit.legal(batch) == {"14/9"}
    assert kit.mover(kit.act(batch, "14/9")) == 1
    # Only the smaller one.
    assert kit.legal(placed({14: 1}, {20: 2, 16: 2, 7: 1}, (5, 4))) == {"14/10"}
    # None.
    batch = placed({14: 1}, {15: 2, 16: 2, 7: 1}, (5, 4))
    assert kit.legal(batch) == {"pass"}
    assert (
        "you must pass" in batch.world.text(batch.record(), 0)
        and batch.world.drag(batch.record(), 0, (1, 1), (2, 2)) == PASS
    )
    assert kit.mover(kit.act(batch, "pass")) == 1 and batch.records["turns"][0] == 1


def test_doubles():
    """Four moves of the same player, fewer only if no more can be made."""
    batch = kit.act(placed({24: 4}, {6: 1}, (1, 1)), *["24/23"] * 3)
    assert kit.legal(batch) == {"24/23", "23/22"} and batch.observations["dice"][0, 0].tolist() == [1, 0, 0, 0, 0, 0]
    assert kit.mover(kit.act(batch, "23/22")) == 1
    batch = kit.act(placed({24: 1, 6: 1}, {13: 2}, (6, 6)), "24/18")  # 18/12 is blocked, and so nothing is borne off
    assert kit.mover(batch) == 1


@pytest.mark.parametrize("player", range(2))
def test_hits_and_the_bar(player):
    """A single checker is hit and must enter first; two are not, and block."""
    batch = kit.act(placed({10: 1, 6: 1}, {17: 1, 12: 2, 20: 1}, (5, 2), player), "10/8")
    assert batch.record().checkers[1 - player, [17, BAR]].tolist() == [0, 1]
    assert batch.observations["bar"][0, [player, 1 - player]].tolist() == [[0, 1], [1, 0]]
    assert kit.legal(batch) == {"8/3", "6/1"}
    batch = placed({"bar": 2, 6: 2}, {6: 2, 13: 1}, (6, 3), player)
    assert kit.legal(batch) == {"bar/22"}  # point 19 is blocked
    assert kit.mover(kit.act(batch, "bar/22")) == 1 - player
    batch = placed({"bar": 1, 6: 2}, {13: 1}, (6, 3), player)
    assert kit.legal(batch) == {"bar/19", "bar/22"}
    assert kit.legal(kit.act(batch, "bar/19")) == {"19/16", "6/3"}


@pytest.mark.parametrize("player", range(2))
def test_what_is_left_of_a_turn(player):
    """Both see the dice that are left, and the turns that are left; the turn ends with its last number."""
    batch = placed({13: 5}, {13: 5}, (6, 2), player, max_turns=9)
    for moves, dice in (((), [0, 1, 0, 0, 0, 1]), (("13/11",), [0, 0, 0, 0, 0, 1])):
        kit.act(batch, *moves)
        assert batch.observations["dice"][0].tolist() == [dice] * 2 and (batch.observations["left"] == 9).all()
        assert batch.observations["turn"][0, [player, 1 - player], 0].tolist() == [1, 0]
    kit.act(batch, "13/7")
    rolled = batch.record().dice.tolist()
    assert (batch.observations["left"] == 8).all() and rolled == sorted(rolled, reverse=True)
    uses = 4 if rolled[0] == rolled[1] else 1
    assert batch.observations["dice"][0].tolist() == [[uses * (k in rolled) for k in range(1, 7)]] * 2
    assert batch.observations["turn"][0, [player, 1 - player], 0].tolist() == [0, 1]


def test_bearing_off():
    """Only with all checkers at home; a larger number takes from the highest point only."""
    home = {13: 1}
    assert kit.legal(placed({5: 1, 3: 2, 7: 1}, home, (5, 2))) == {"7/2", "7/5", "5/3", "3/1"}
    assert kit.legal(placed({5: 1, 3: 2}, home, (6, 3))) == {"5/off with 6", "5/2", "3/off"}
    assert kit.legal(placed({5: 1}, {22: 2}, (2, 1))) == {"5/4"}  # 5/3 is blocked
    for point in range(1, 5):  # a larger number takes from whatever point is the highest
        assert kit.legal(placed({point: 2}, home, (6, 5))) == {f"{point}/off with 6", f"{point}/off with 5"}
    assert kit.legal(placed({6: 2}, home, (6, 5))) == {"6/off", "6/1"}
    batch = kit.act(placed({5: 1, 3: 2}, home, (6, 4)), "5/off with 6")
    assert kit.legal(batch) == {"3/off with 4"} and batch.observations["off"][0].tolist() == [[13, 14], [14, 13]]


@pytest.mark.parametrize(
    ("loser", "values"),
    [({6: 14}, (1, 1, 1)), ({6: 15}, (1, 2, 2)), ({6: 14, 18: 1}, (1, 2, 2)), ({6: 14, 19: 1}, (1, 2, 3)),
     ({6: 14, "bar": 1}, (1, 2, 3)), ({6: 13, "bar": 1}, (1, 1, 1))],
)  # fmt: skip
def test_values_of_wins(loser, values):
    for scoring, value in zip(SCORINGS, values):
        for player in range(2):
            batch = kit.act(placed({1: 1}, loser, (6, 5), player, scoring=scoring), "1/off with 6")
            assert batch.rewards[0, player] == value == -batch.rewards[0, 1 - player] and batch.record().value == value
            assert batch.record().terminated.tolist() == [1, 1]
            assert batch.world.text(batch.record(), player).splitlines()[-1].startswith("You have won.")


def test_limit():
    """A draw after `max_turns` turns, a double counted once; a win in the last turn counts."""
    for dice, moves in (((6, 5), ["13/7", "13/8"]), ((1, 1), ["13/12"] * 4)):
        batch = kit.act(placed({13: 5}, {6: 1}, dice, max_turns=1), *moves)
        assert batch.terminations.all() and batch.rewards[0].tolist() == [0, 0]
        assert "It is a draw." in batch.world.text(batch.record(), 0)
    assert kit.act(placed({1: 1}, {6: 1}, (6, 5), max_turns=1), "1/off with 6").rewards[0].tolist() == [1, -1]


def test_starts_and_observations():
    for variant, own in (
        ("backgammon", {24: 2, 13: 5, 8: 3, 6: 5}),
        ("nackgammon", {24: 2, 23: 2, 13: 4, 8: 3, 6: 4}),
        ("hyper", {24: 1, 23: 1, 22: 1}),
    ):
        batch = kit.started(ID, variant=variant)
        for agent in range(2):
            seen = batch.observations[0, agent]
            points = [own.get(k, 0) - own.get(25 - k, 0) for k in range(1, 25)]
            assert seen["points"].tolist() == points and seen["left"] == 500
            assert seen["turn"][0] == (kit.mover(batch) == agent)


def test_levels():
    level = {"checkers": [{"bar": 1, "6": 2}, {"4": 1}], "player": 1, "dice": [5, 5]}
    batch = kit.started(ID, level=level)
    assert batch.world.get_level(batch.record()) == level and batch.observations["off"][0, 0].tolist() == [12, 14]
    batch.start()
    start = batch.world.get_level(batch.record())
    assert (
        start["checkers"] == [{"24": 2, "13": 5, "8": 3, "6": 5}] * 2
        and start["dice"] == batch.records["dice"][0].tolist()
    )
    own, other = {"6": 2}, {"4": 1}
    kit.refuses(
        batch.world,
        ({"checkers": [own]}, "two mappings"),
        ({"checkers": [own, {"25": 1}]}, "place '25' must be 'bar' or from '1' to '24'"),
        ({"checkers": [own, {"2": 16}]}, r"checkers\[1\]\['2'\]=16 must be an integer from 0 to 15"),
        ({"checkers": [own, {"2": True}]}, r"checkers\[1\]\['2'\]=True must be an integer from 0 to 15"),
        ({"checkers": [own, {"2": 9, "3": 9}]}, "player_1 has 18 checkers on the board, not from 1 to 15"),
        ({"checkers": [{}, other]}, "player_0 has 0 checkers"),
        ({"checkers": [{"21": 1}, other]}, "both players have checkers on point 21 of player_0"),
        ({"checkers": [own, other], "player": 2}, "player=2 must be an integer from 0 to 1"),
        ({"checkers": [own, other], "player": 0, "dice": [0, 1]}, r"dice\[0\]=0 must be an integer from 1 to 6"),
        ({"checkers": [own, other], "player": 0, "dice": [1]}, "dice must be a list of 2 integers from 1 to 6"),
        ({"checkers": [own, other], "dice": [1, 2]}, "has dice and lacks 'player'"),
        ({"checkers": [own, other], "turn": 1}, "the level has an unknown part 'turn'"),
        ({"player": 0}, "lacks 'checkers'"),
    )


@pytest.mark.parametrize(
    ("field", "at", "value", "message"),
    [
        ("checkers", (0, 24), 3, "has not 15 checkers"),
        ("checkers", (0, slice(11, 14)), (0, 1, 0), "both players have checkers on a point"),
        ("checkers", (0, slice(None)), [15] + [0] * 25, "the game is over"),
        ("turns", (), 500, "the game is over"),
        ("uses", (), (0, 0), "uses do not go"),
        ("uses", (), (2, 1), "uses do not go"),
        ("dice", (), (1, 6), "uses do not go"),
        ("sources", 0, 0, "sources do not go"),
        ("dice", (), (2, 2), "uses do not go"),
    ],
)
def test_records(field, at, value, message):
    batch = kit.started(ID, level={"checkers": [{"11": 1, "24": 2, "6": 12}, {"13": 15}], "player": 0, "dice": [6, 5]})
    batch.records[field][(0, *(at if isinstance(at, tuple) else (at,)))] = value
    with pytest.raises(SnapshotError, match=message):
        batch.world.admit(batch.records)


def middle(place, mine=True):
    """A point of the picture of a player's place, as this player sees it."""
    if place in (OFF, BAR):
        return (14.2, 10.0) if place == OFF else (7.0, 2.0)
    column = 12 - place if place <= 12 else place - 13
    return 1.0 + column + (column > 5), 2.0 if place > 12 else 10.0


def test_drags():
    for player in range(2):
        batch = placed({6: 1, 3: 2, 2: 1}, {13: 1}, (6, 5), player)
        world, s = batch.world, batch.record()
        for start, end, name in ((6, OFF, "6/off"), (6, 1, "6/1"), (3, OFF, None), (6, 3, None), (OFF, 6, None)):
            action = world.drag(s, player, middle(start), middle(end))
            assert (None if action is None else world.action_names[player][action]) == name
        assert world.drag(s, 1 - player, middle(6), middle(1)) is None
        assert world.drag(s, player, middle(6), (0.1, 10.0)) is None
        batch = placed({3: 1, 2: 1}, {13: 1}, (6, 5), player)
        assert world.drag(batch.record(), player, middle(3), middle(OFF)) == 6 * 2 + 5 - 1
        batch = placed({"bar": 1}, {13: 1}, (6, 4), player)
        assert world.drag(batch.record(), player, middle(BAR), middle(21)) == 6 * 24 + 4 - 1


def test_text():
    batch = placed({"bar": 1, 6: 2}, {13: 1, 20: 3}, (3, 3), 1)
    assert batch.world.text(batch.record(), 1).splitlines() == [
        "You are black.",
        "Your checkers: 2 on 6; 1 on the bar, 12 off.",
        "The other player's checkers: 1 on 12, 3 on 5; 0 on the bar, 11 off.",
        "Pips left to move: you 37, the other player 73.",
        "You rolled 3 and 3; left to use: 3, 3, 3, 3.",
        "The game is a draw after 500 more turns.",
        "It is your turn.",
    ]
    assert "The other player rolled 3 and 3" in batch.world.text(batch.record(), 0)


def turn_of(policy, batch):
    """The moves of a whole turn of a policy, sorted."""
    made, turns = [], int(batch.records["turns"][0])
    while batch.records["turns"][0] == turns:
        made.append(min(kit.choices(policy, batch)))
        kit.act(batch, made[-1])
    return sorted(made)


def test_openings():
    """The openings on which all books agree."""
    for dice, moves in (
        ((3, 1), ["6/5", "8/5"]),
        ((4, 2), ["6/4", "8/4"]),
        ((5, 3), ["6/3", "8/3"]),
        ((6, 1), ["13/7", "8/7"]),
        ((6, 5), ["18/13", "24/18"]),
    ):
        assert turn_of("positional", placed({24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 5, 8: 3, 6: 5}, dice)) == moves
    batch = placed({10: 1, 6: 3}, {17: 1, 24: 2}, (2, 1), 1)
    assert kit.choices("careful", batch, seeds=5) == {"10/8"}  # a hit


@pytest.mark.slow
def test_baselines():
    """Each beats the one before it, from both seats."""
    for seat in range(2):
        assert kit.wins(ID, "careful", seat, 400) > 0.85
        assert kit.wins(ID, "positional", seat, 300, "careful") > 0.8
        assert kit.wins(ID, "positional", seat, 300) > 0.98


@pytest.mark.slow
def test_races():
    """Chances of races by Kleinman's formula, within 4 standard errors and its own error of .03."""
    home = {6: 4, 5: 4, 4: 3}
    for more in ({8: 2, 9: 2}, {8: 1, 10: 2, 12: 1}):
        level = {"checkers": [], "player": 0}
        pips = []
        for side in (home | {8: 2, 9: 2}, home | more):
            level["checkers"].append({str(place): count for place, count in side.items()})
            pips.append(sum(place * count for place, count in side.items()))
        lead = (pips[1] - pips[0] + 4) / (pips[0] + pips[1] - 4) ** 0.5
        won = (play(build(ID), "positional", 4000, levels=[level]).returns[:, 0] > 0).mean()
        assert abs(won - (1 + math.erf(lead / 2)) / 2) < 0.03 + 4 * 0.5 / 4000**0.5
