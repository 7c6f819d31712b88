"""Backgammon: OpenSpiel turn by turn, GNU Backgammon's turns and chances, an independent table, probes of the rules."""

import kit
import numpy as np
import pyspiel
import pytest

from envsuite.core.batch import Batch
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


def outcomes(scratch, records, most):
    """The checkers, as bytes, after up to `most` actions of the same turn, for each of N records: a list of sets."""
    found, owner = [set() for _ in records], np.arange(len(records))
    for level in range(most):
        num = len(records)
        scratch.records[:num] = records
        scratch.observe(np.arange(scratch.num) < num)
        parents, actions = np.nonzero(scratch.masks[:num].any(axis=1))
        before, owner = records[parents], owner[parents]
        num = len(before)
        scratch.records[:num] = before
        scratch.observe(np.arange(scratch.num) < num)
        scratch.actions[:num] = actions[:, None]
        scratch.step(where=np.arange(scratch.num) < num)
        records = scratch.records[:num].copy()
        same = (records["turns"] == before["turns"]) & ~scratch.over()[:num] & (level < most - 1)
        for i in np.flatnonzero(~same):
            found[owner[i]].add(records["checkers"][i].tobytes())
        records, owner = records[same], owner[same]
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
    params = {"scoring_type": SCORINGS[scoring], "hyper_backgammon": variant == "hyper", "max_player_turns": max_turns}
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
            if state.is_chance_node() and s["turns"] == max_turns:
                state.apply_action(0)
            if not (state.is_terminal() or state.is_chance_node() or state.current_player() == s["player"]):
                (action,) = state.legal_actions()  # a second half of a double in which nothing can be moved
                assert not spiel_moves(action, state.current_player(), (1, 1))
                state.apply_action(action)
            assert batch.terminations[i].tolist() == [state.is_terminal()] * 2
            assert rewards[i].tolist() == (state.returns() if state.is_terminal() else [0, 0])
            if state.is_terminal():
                running.discard(i)
                ends.add(int(abs(rewards[i, 0])))
    assert doubles and ends >= set(range(max_turns == 500, min(3, batch.world.most) + 1) if num > 10 else ())
