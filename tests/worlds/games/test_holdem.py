"""HoldEm: lock-step with OpenSpiel and pokerkit, exact counts of hands and odds, Leduc poker's value, its baselines."""

import gzip
import json
import re

import kit
import numpy as np
import pyspiel
import pytest

from envsuite.games.holdem import CALL, CHIPS, DUE, FOLD, LEAST, LIMIT, MENU, RAISE, ROUND, HoldEm

ID = "envsuite/HoldEm-v0"

LEDUC = dict(
    ranks=3, suits=2, hole=1, board=(0, 1), small_blind=1, big_blind=1, raise_sizes=(2, 4), max_raises=(2, 2),
    first=(0, 0),
)  # fmt: skip


def in_openspiel(world):
    """The same game there; blinds and first seats are listed by seat, the latter from 1."""
    record = kit.started(world).records["params"][0]
    players, button = len(world.agents), int(record["button"])
    blinds = [0] * players
    small = button if players == 2 else (button + 1) % players
    blinds[small], blinds[(small + 1) % players] = int(record["small_blind"]), int(record["big_blind"])
    listed = {
        "betting": world.parameters["betting"],
        "bettingAbstraction": "fullgame" if record["kind"] in (MENU, CHIPS) else "fcpa",
        "numPlayers": players,
        "numRounds": len(record["board"]),
        "blind": blinds,
        "firstPlayer": [(button + int(k)) % players + 1 for k in record["first"]],
        "numSuits": record["suits"],
        "numRanks": record["ranks"],
        "numHoleCards": world.parameters["hole"],
        "numBoardCards": record["board"],
        "stack": record["stacks"],
    }
    if record["kind"] == LIMIT:
        listed |= {"raiseSize": record["raise_sizes"], "maxRaises": record["max_raises"]}
    texts = {
        key: value if isinstance(value, str) else " ".join(map(str, np.ravel(value))) for key, value in listed.items()
    }
    return pyspiel.load_game(f"universal_poker({','.join(f'{key}={value}' for key, value in texts.items())})")


def deal(record, state, dealt):
    """Deal the cards of a record there: all hands, seat by seat, and the common cards as they are turned up."""
    cards = [*record["hole"].ravel().tolist(), *record["board"].tolist()]
    while state.is_chance_node():
        state.apply_action(cards[dealt])
        dealt += 1
    return dealt


def spent(state):
    """What each player has paid there."""
    return [int(word) for word in str(state).split("Spent: [")[1].split("]")[0].split()[1::2]]


def wanted_actions(world, state):
    """Our number for each of OpenSpiel's legal actions that should be legal here."""
    legal = state.legal_actions()
    if world.parameters["betting"] == "limit" or world.parameters["menu"] != "menu":
        return {action: action for action in legal}
    found = {action: action for action in legal if action < RAISE}
    raises = [action for action in legal if action >= RAISE]
    if raises:
        paid, player = spent(state), state.current_player()
        pot = sum(paid) + max(paid) - paid[player]
        betting = str(state).split("STATE:0:")[1].split(":")[0].split("/")
        steps = [int(word) for word in re.findall(r"r(\d+)", betting[-1])]
        blind, before = (
            world.parameters["big_blind"],
            [int(word) for word in re.findall(r"r(\d+)", "".join(betting[:-1]))],
        )
        rises = np.diff([max([blind, *before]), *steps])
        least = max(paid) + max([blind, *rises])
        totals = (least, max(paid) + pot // 2, max(paid) + pot, max(paid) + 2 * pot, raises[-1])
        for number, total in enumerate(totals):
            if total in raises:
                found.setdefault(total, RAISE + number)
    return found


def information(world, seen, seat, game):
    """OpenSpiel's information state, made of our observation."""
    players, suits, kind = len(world.agents), world.parameters["suits"], world.parameters
    hand, board = (seen[part].T.ravel() for part in ("hand", "board"))  # rank by rank, as cards are numbered
    length = game.max_game_length()
    marks, sizes = np.zeros((length, 2)), np.zeros(length)
    place = players * kind["hole"]
    deal = kind["board"]
    last = int(seen["table"][ROUND])
    for number in range(last + 1):
        if (board == number + 1).sum() == deal[number]:
            place += deal[number]
        for code in seen["moves"][number][seen["moves"][number] > 0].tolist():
            if code - 1 == CALL:
                marks[place] = 1, 0
            elif code - 1 != FOLD:
                all_in = kind["betting"] == "nolimit" and kind["menu"] == "pot" and code - 1 == RAISE + 1
                marks[place] = (1, 1) if all_in else (0, 1)
                sizes[place] = code - 1 if kind["menu"] == "chips" and kind["betting"] == "nolimit" else 0
            place += 1
    assert suits * kind["ranks"] == len(hand)
    return np.concatenate([np.arange(players) == seat, hand, board > 0, marks.ravel()]), sizes


def play(world, games, rng, short=True, seen=None):
    """Random games in both: movers, legal actions, ends, rewards; with `seen`, also what all players know."""
    game, batch = in_openspiel(world), kit.started(world, games, seed=int(rng.integers(1000)))
    states = [game.new_initial_state() for _ in range(games)]
    # The common cards are drawn late here; a twin that knows them all is not needed, since states follow.
    dealt = [deal(batch.records[i], state, 0) for i, state in enumerate(states)]
    running, counts = np.ones(games, bool), np.zeros(3, int)
    blind = world.parameters["big_blind"]
    while running.any():
        for i in np.flatnonzero(running):
            state, player = states[i], states[i].current_player()
            numbers = wanted_actions(world, state)
            for k in range(len(world.agents)):
                wanted = sorted(numbers.values()) if k == player else []
                assert np.flatnonzero(batch.masks[i, k]).tolist() == wanted, (i, state, k)
                if seen is not None and state.move_number() < game.max_game_length():
                    tensor, sizes = information(world, batch.observations[i, k], k, game)
                    found = np.array(state.information_state_tensor(k))
                    assert (found[: len(tensor)] == tensor).all()
                    assert not sizes.any() or (found[len(tensor) :] == sizes).all()
                    counts[2] += 1
            options = list(numbers)
            if not short:  # no all-in that is less than a full raise: there the rules differ
                least = int(batch.observations[i, player]["table"][LEAST])
                totals = {a: a if a > CALL else least for a in options}
                options = [a for a in options if totals[a] >= least]
            weights = np.array([0.3 if a == FOLD else 1.0 + 0.3 * (len(options) - 2) * (a == CALL) for a in options])
            action = int(rng.choice(options, p=weights / weights.sum()))
            batch.actions[i] = numbers[action]
            state.apply_action(action)
        batch.step(where=running)
        for i in np.flatnonzero(running):
            dealt[i] = deal(batch.records[i], states[i], dealt[i])
            over = states[i].is_terminal()
            assert batch.terminations[i].tolist() == [over] * len(world.agents)
            if over:
                gained, rewards = batch.rewards[i] * blind, np.array(states[i].rewards())
                apart = np.abs(gained - rewards)
                split = apart > 1e-9  # odd chips of a pot that is shared
                assert not split.any() or (
                    split.sum() > 1 and apart.max() < 2 and not batch.records[i]["won"][split].min() == 0
                )
                assert gained.sum() == pytest.approx(0, abs=1e-9)
                counts += 1, split.any(), 0
            running[i] = not over
    return counts


@pytest.fixture(scope="module")
def recorded():
    with gzip.open(kit.DATA / "holdem.json.gz") as file:
        return json.load(file)


def cards(text):
    return [text[k : k + 2] for k in range(0, len(text), 2)]


def replayed(hand):
    """Play a hand of pokerkit: its movers, legal actions, amounts and gains."""
    players, (small, big), limit = len(hand["stacks"]), hand["blinds"], hand["betting"] == "limit"
    world = HoldEm(
        players=players, betting=hand["betting"], menu="chips", stacks=hand["stacks"], small_blind=small,
        big_blind=big, ante=hand["ante"], button=players - 1, max_raises=(4, 4, 4, 4) if limit else None,
    )  # fmt: skip
    level = {"hole": [cards(two) for two in hand["hole"]], "board": cards(hand["board"])}
    batch = kit.started(world, level=level)
    for player, fold, due, least, most, done in hand["moves"]:
        record, mask = batch.records[0], batch.masks[0, player]
        assert batch.acting[0].argmax() == player and batch.acting[0].sum() == 1
        before = int(record["earlier"][player])
        assert (mask[FOLD], mask[CALL], batch.observations[0, player]["table"][DUE]) == (fold, 1, due)
        raises = np.flatnonzero(mask[RAISE:]) + RAISE
        others = (record["folded"] == 0) & (np.arange(players) != player)
        if (record["stacks"][others] <= record["stakes"]).all():  # nobody can match a raise: pokerkit refuses it
            assert most == 0
            raises = raises[:0]
        if limit:
            assert len(raises) == (most > 0)
            action = RAISE
        else:
            wanted = np.arange(least, most + 1) + before if most else np.zeros(0)
            assert raises.tolist() == wanted.tolist()
            action = done if isinstance(done, str) else done + before
        kit.act(batch, {"f": FOLD, "c": CALL}.get(done, action))
        if limit and most and done not in ("f", "c"):
            assert batch.records[0]["paid"][player] == before + done
    assert batch.over()[0]
    np.testing.assert_allclose(batch.rewards[0] * big, hand["gains"], atol=1e-9)
