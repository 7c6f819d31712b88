"""Backgammon: OpenSpiel turn by turn, GNU Backgammon's turns and chances, an independent table, probes of the rules."""

import gzip
import json
import zlib
from functools import cache
from itertools import combinations_with_replacement

import kit
import numpy as np
import pyspiel
import pytest

from envsuite.core.batch import Batch
from envsuite.core.chance import Explorer
from envsuite.core.errors import SnapshotError
from envsuite.evaluation.matches import play
from envsuite.registry import build
from envsuite.solvers.model import extract
from envsuite.solvers.planning import value_iteration
from envsuite.games.backgammon import BAR, OFF, PASS

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
    params = {"scoring_type": SCORINGS[scoring], "hyper_backgammon": variant == "hyper", "max_player_turns": max_turns - 1}
    game, rng = pyspiel.load_game("backgammon", params), np.random.default_rng(num)
    batch = kit.started(ID, num, scoring=scoring, variant=variant, max_turns=max_turns)
    scratch, states = Batch(batch.world, 60 * num), [game.new_initial_state() for _ in range(num)]
    running, ends, doubles = set(range(num)), set(), 0
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
            assert batch.terminations[i].tolist() == [state.is_terminal()] * 2
            won = state.returns() if state.is_terminal() else [0, 0]
            if variant == "hyper" and state.is_terminal():  # where it always gives 0
                won = [2.0 * (spiel_checkers(state)[26 * k] == 3) - 1 for k in range(2)]
            assert rewards[i].tolist() == won
            if state.is_terminal():
                running.discard(i)
                ends.add(int(abs(rewards[i, 0])))
    assert doubles and ends >= set(range(max_turns == 500, batch.world.most + 1) if num > 10 else ())


@cache
def recorded():
    """GNU Backgammon's turns and chances, see the file's recorder."""
    return json.loads(gzip.decompress((kit.DATA / "backgammon.json.gz").read_bytes()))


def places(letters):
    """A player's checkers in a recording, as in a level."""
    counts = {name: ord(letter) - 97 for name, letter in zip([*map(str, range(1, 25)), "bar"], letters[1:])}
    return {name: count for name, count in counts.items() if count}


def as_recorded(checkers, player, most):
    """Both players' checkers as in a recording, the letters of the player to move first."""
    rows = [[row[0] - 15 + most, *row[1:]] for row in (checkers[:26], checkers[26:])]
    return "".join(chr(97 + count) for row in (rows[player], rows[1 - player]) for count in row)


@pytest.mark.mostly_slow
@pytest.mark.parametrize("part", [slice(0, None, 12), slice(None)])
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
        assert in_world(home, (1,)) == pytest.approx(rolls / 36)


@pytest.mark.parametrize(
    ("own", "other", "player"),
    [((3, 4), (1, 6), 0), ((6,), (2, 5), 1), pytest.param((2, 3, 6), (1, 4, 5), 0, marks=pytest.mark.slow)],
)
def test_bear_off(own, other, player):
    assert in_world(own, other, player) == pytest.approx(chance(own, other), abs=1e-9)
