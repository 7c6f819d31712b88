"""Secrets that agree with what an agent has seen: games with all secrets, closed forms, identities."""

import math
from collections import Counter
from itertools import combinations, product

import kit
import numpy as np
import pytest

from envsuite.games.minesweeper import HIDDEN, MINE
from envsuite.kit.information import ways
from envsuite.registry import build
from envsuite.testing import random_actions

SHIPS = (5, 4, 2)


def secrets_of(id, **params):
    """A world and the levels of all its secrets."""
    world = build(f"envsuite/{id}-v0", params)
    if id == "Mastermind":
        colors = range(params["colors"])
        return world, [{"code": list(code)} for code in product(colors, repeat=params["pegs"])]
    if id == "Wordle":
        return world, [{"word": word} for word in world.action_names[0]]
    if id == "TwentyQuestions":
        table = world.get_level(kit.started(world, seed=5).record())["table"]
        return world, [{"table": table, "thing": k} for k in range(len(table))]
    if id == "Minesweeper":
        cells = [list(cell) for cell in np.ndindex(params["rows"], params["columns"])]
        return world, [{"mines": list(mines)} for mines in combinations(cells, params["mines"])]
    return world, [{"ships": [[*ends] for ends in ships]} for ships in fleets(world)]


def fleets(world):
    """The ends of the ships in all placements."""
    size, names = world.parameters["size"], world.action_names[0]
    lines = [[row * size + column for column in range(size)] for row in range(size)]
    lines += [list(line) for line in zip(*lines)]
    places = [[line[k : k + n] for line in lines for k in range(size - n + 1)] for n in SHIPS]
    for ships in product(*places):
        if len({cell for ship in ships for cell in ship}) == sum(SHIPS):
            yield [(names[ship[0]], names[ship[-1]]) for ship in ships]


GAMES = [
    ("Mastermind", dict(pegs=3, colors=4, turns=6)),
    ("Mastermind", dict(pegs=2, colors=5, turns=4)),
    ("Wordle", dict(words=60, turns=4)),
    ("Wordle", dict(words=60, letters=4, turns=4, repeats="ignored")),
    ("TwentyQuestions", dict(things=16, attributes=6)),
    ("Minesweeper", dict(rows=3, columns=4, mines=3)),
    ("Minesweeper", dict(rows=2, columns=5, mines=5)),
    ("Minesweeper", dict(rows=4, columns=4, mines=2, dense=True)),
    ("Battleship", dict(size=5)),
]


def looks(batch):
    """What the agent gets in each row, as bytes."""
    parts = [
        batch.observations.reshape(batch.num, -1).view(np.uint8),
        batch.rewards.view(np.uint8),
        batch.ends[0, :, :],
    ]
    return [row.tobytes() for row in np.concatenate([part.reshape(batch.num, -1) for part in parts], axis=1)]


def bits(counts):
    """The entropy of a distribution given by counts."""
    shares = np.array(list(counts)) / sum(counts)
    return float(-(shares * np.log2(shares)).sum())


@pytest.mark.parametrize(("id", "params"), GAMES, ids=str)
def test_all_secrets(id, params):
    """Random games are played with all secrets at once: those with the history of the true one are what is counted.

    On average, an answer takes as many bits as the entropy of the answers has.
    """
    world, levels = secrets_of(id, **params)
    rng, ends = np.random.default_rng(len(levels)), Counter()
    for game in range(6):
        batch = kit.started(world, len(levels), level=levels)
        true, left = int(rng.integers(len(levels))), np.ones(len(levels), bool)
        while True:
            prior = world.uncertainty(batch.record(true), 0)
            assert prior == (left.sum(), pytest.approx(math.log2(left.sum()), abs=1e-12))
            ends[prior[0] == 1] += 1
            if batch.over()[true]:
                break
            action = random_actions(batch.masks[true, 0], rng)
            if game % 2 and rng.random() < 0.7:  # more of what is likely to be right
                action = good_action(world, batch, int(rng.choice(np.flatnonzero(left))), action)
            batch.step(np.full((len(levels), 1), action), left)
            seen = looks(batch)
            groups = Counter(seen[k] for k in np.flatnonzero(left))
            if game < 2:
                first = {look: next(k for k in np.flatnonzero(left) if seen[k] == look) for look in groups}
                after = {look: world.uncertainty(batch.record(int(k)), 0) for look, k in first.items()}
                assert {look: count for look, (count, _) in after.items()} == groups
                mean = sum(groups[look] * entropy for look, (_, entropy) in after.items()) / left.sum()
                assert prior[1] - mean == pytest.approx(bits(groups.values()), abs=1e-9)
            left &= np.array([look == seen[true] for look in seen])
    assert ends[False] > 5 and (ends[True] or id == "Mastermind")


def good_action(world, batch, k, other):
    """An action that a player who takes secret k for the true one could choose."""
    s = batch.record(k)
    if world.id.startswith("envsuite/Mastermind"):
        return int(s.code[s.peg])
    if world.id.startswith("envsuite/Wordle"):
        return int(s.word)
    if world.id.startswith("envsuite/Mine"):
        wanted = np.flatnonzero((s.mine == 0) & (s.seen == HIDDEN))
    elif world.id.startswith("envsuite/Battle"):
        wanted = np.flatnonzero((s.ship != 0) & (s.seen == 0))
    else:
        return other
    return int(wanted[0]) if len(wanted) else other


def test_mastermind_by_enumeration():
    """All codes of four digits out of six and ten, in random games, with the answers by multisets."""
    rng = np.random.default_rng(3)
    for colors in (6, 10):
        world = build("envsuite/Mastermind-v0", dict(colors=colors))
        batch = kit.started(world, seed=colors)
        code, left = batch.records["code"][0].tolist(), list(product(range(colors), repeat=4))

        def said(code, guess):
            return sum(a == b for a, b in zip(code, guess)), (Counter(code) & Counter(guess)).total()

        for _ in range(5):
            assert world.uncertainty(batch.record(), 0)[0] == len(left)
            guess = rng.integers(colors, size=4).tolist()
            kit.act(batch, *guess[:3])
            assert world.uncertainty(batch.record(), 0)[0] == len(left)  # digits that are not answered tell nothing
            kit.act(batch, guess[3])
            left = [one for one in left if said(one, guess) == said(code, guess)]


def test_battleship_placements():
    """2,216,256 placements on 10 x 10 cells; after shots as many as a loop over all places finds."""
    world = build("envsuite/Battleship-v0")
    level = {"ships": [["a1", "e1"], ["c2", "c5"], ["d3", "d4"]]}
    batch = kit.started(world, level=level)
    assert world.uncertainty(batch.record(), 0) == (2216256, pytest.approx(math.log2(2216256)))
    kit.act(batch, "c1", "c2", "d3", "e4", "d4", "a1", "f1")  # the ship of two cells sinks

    def places(length, hits):
        """Those of cells that were not shot at, and of hits that are not on the sunk ship."""
        lines = [[(r, c) for c in range(10)] for r in range(10)] + [[(r, c) for r in range(10)] for c in range(10)]
        for line, k in product(lines, range(11 - length)):
            ship = set(line[k : k + length])
            if not ship & {(3, 4), (0, 5), (2, 3), (3, 3)} and ship - hits:
                yield ship

    hits = {(0, 2), (1, 2), (0, 0)}
    fitting = sum(not a & b and hits <= a | b for a, b in product(places(5, hits), places(4, hits)))
    assert world.uncertainty(batch.record(), 0) == (fitting, pytest.approx(math.log2(fitting)))
    assert 1 < fitting < 500


def test_battleship_of_five_ships_is_not_counted():
    world = build("envsuite/Battleship-v0", dict(fleet="five"))
    with pytest.raises(NotImplementedError, match="does not count"):
        world.uncertainty(kit.started(world).record(), 0)


def test_minesweeper_in_closed_form():
    """C(64, 10) placements before the first choice; 3 C(60, 9) after a 1 in a corner; C(900, 450) does not overflow."""
    world = build("envsuite/Minesweeper-v0")
    batch = kit.started(world)
    assert world.uncertainty(batch.record(), 0)[0] == math.comb(64, 10)
    batch = kit.started(world, level={"mines": [[0, 1]] + [[7, k] for k in range(8)] + [[6, 0]]})
    kit.act(batch, "0 0")
    assert world.uncertainty(batch.record(), 0)[0] == 3 * math.comb(60, 9)
    large = build("envsuite/Minesweeper-v0", dict(rows=30, columns=30, mines=450))
    count, entropy = large.uncertainty(kit.started(large).record(), 0)
    assert count == math.comb(900, 450) and entropy == pytest.approx(900 - math.log2(math.pi * 450) / 2, abs=1e-3)


@pytest.mark.slow
def test_minesweeper_by_brute_force():
    """All 177,100 placements of six mines on 5 x 5 cells, after each choice of ten games, some lost."""
    masks = np.zeros((math.comb(25, 6), 25), np.int8)
    masks[np.arange(len(masks))[:, None], np.array(list(combinations(range(25), 6)))] = 1
    near = np.array([[max(abs(a // 5 - b // 5), abs(a % 5 - b % 5)) <= 1 for b in range(25)] for a in range(25)])
    around = masks @ near.astype(np.int8)
    world, rng, lost = build("envsuite/Minesweeper-v0", dict(rows=5, columns=5, mines=6)), np.random.default_rng(1), 0
    for seed in range(10):
        batch = kit.started(world, seed=seed)
        while not batch.over()[0]:
            batch.step(random_actions(batch.masks, rng))
            seen = batch.records["seen"][0]
            shown = (seen != HIDDEN) & (seen != MINE)
            fits = (masks[:, shown] == 0).all(axis=1) & (around[:, shown] == seen[shown]).all(axis=1)
            fits &= (masks[:, seen == MINE] == 1).all(axis=1)
            assert world.uncertainty(batch.record(), 0)[0] == fits.sum()
        lost += (seen == MINE).any()
    assert lost > 2


def test_sums_by_brute_force():
    """Up to seven sums over twelve cells, some without solution: all 4,096 ways to mark the cells."""
    rng = np.random.default_rng(0)
    marks = np.array(list(product((0, 1), repeat=12)))
    solved = 0
    for _ in range(200):
        counts = rng.random((rng.integers(1, 8), 12)) < rng.choice([0.15, 0.4])
        counts = counts[counts.any(axis=1)]
        sums = (marks[rng.integers(4096)] * counts).sum(axis=1) + (rng.random(len(counts)) < 0.03)
        groups = Counter(frozenset(np.flatnonzero(column).tolist()) for column in counts.T)
        free = groups.pop(frozenset(), 0)
        used = counts.any(axis=0)
        right = ((marks @ counts.T.astype(int)) == sums).all(axis=1) & (marks[:, ~used] == 0).all(axis=1)
        assert free == 12 - used.sum()
        assert ways(groups, dict(enumerate(sums.tolist()))) == Counter(marks[right].sum(axis=1).tolist())
        solved += right.any()
    assert 100 < solved < 200


@pytest.mark.parametrize("noise", [0.1, 0.3, 0.5])
def test_wrong_answers(noise):
    """The entropy of the posterior in logarithms; a question takes H(answer) - H(noise) bits of it on average."""
    world = build("envsuite/TwentyQuestions-v0", dict(things=12, attributes=8, noise=noise, horizon=30))
    batch, rng = kit.started(world, seed=2), np.random.default_rng(7)
    table, asked = batch.records["table"][0], np.zeros((8, 2), int)
    guessed = np.zeros(12, bool)

    def posterior(asked):
        logs = [
            sum(asked[j, told] * math.log(1 - noise if row[j] == told else noise) for j in range(8) for told in (0, 1))
            for row in table
        ]
        weights = np.exp(np.array(logs) - max(logs)) * ~guessed
        return weights / weights.sum()

    for turn in range(20):
        shares = posterior(asked)
        held = shares[shares > 0]
        count, entropy = world.uncertainty(batch.record(), 0)
        assert count == 12 - guessed.sum() and entropy == pytest.approx(-(held * np.log2(held)).sum(), abs=1e-9)
        action = int(rng.integers(8))
        if turn % 7 == 5:
            action = next(k for k in range(12) if not guessed[k] and k != batch.records["thing"][0])
            guessed[action] = True
            batch.step(8 + action)
            continue
        yes = ((1 - noise) * shares[table[:, action] == 1].sum()) + noise * shares[table[:, action] == 0].sum()
        mean, s = 0.0, batch.record()
        for told, chance in ((1, yes), (0, 1 - yes)):
            s.answers[action, told] += 1
            mean += chance * world.uncertainty(s, 0)[1]
            s.answers[action, told] -= 1
        assert entropy - mean == pytest.approx(bits([yes, 1 - yes]) - bits([noise, 1 - noise]), abs=1e-9)
        batch.step(action)
        asked = batch.records["answers"][0].astype(int)
    batch.step(8 + int(batch.records["thing"][0]))
    assert batch.over()[0] and world.uncertainty(batch.record(), 0) == (1, 0.0)
