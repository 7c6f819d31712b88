"""TwentyFour and EZPoints: values by Python's fractions, solvable hands, which tokens are legal, levels, baselines."""

import ast
import itertools
from fractions import Fraction

import kit
import numpy as np
import pytest

from envsuite import registry
from envsuite.core.errors import SnapshotError
from envsuite.core.record import as_views
from envsuite.kit.points import SIGNS, WORDS

FULL, SIMPLE = "envsuite/TwentyFour-v0", "envsuite/EZPoints-v0"


def enter(batch, formula):
    """Enter a formula of signs and of numbers with one digit."""
    kit.act(batch, *(dict(zip(SIGNS, WORDS)).get(token, token) for token in formula))


def legal(batch):
    """The legal tokens as signs and numbers."""
    return {dict(zip(WORDS, SIGNS)).get(name, name) for name in kit.legal(batch, 0)}


def value(formula):
    """The value of a formula by Python's parser and fractions; None after a division by 0."""

    def of(node):
        if isinstance(node, ast.Constant):
            return Fraction(node.value)
        left, right = of(node.left), of(node.right)
        return {ast.Add: left.__add__, ast.Sub: left.__sub__, ast.Mult: left.__mul__, ast.Div: left.__truediv__}[
            type(node.op)
        ](right)

    try:
        return of(ast.parse(formula, mode="eval").body)
    except ZeroDivisionError:
        return None


@pytest.mark.parametrize("world, params", [(FULL, {}), (FULL, dict(faces="distinct", cards=3)), (SIMPLE, {})])
@pytest.mark.mostly_slow
def test_random_formulas(world, params):
    """Every formula that can be entered is one for Python too, and pays by its exact value."""
    batch, rng, hits, ended = kit.started(world, 64, seed=5, **params), np.random.default_rng(1), 0, 0
    words = batch.world.tokens
    for _ in range(300):
        masks, s = batch.masks[:, 0], as_views(batch.records)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        texts = [batch.world.written(s[i]).replace(" ", "") for i in range(64)]
        targets = batch.records["params"]["target"]
        batch.step(actions[:, None])
        for i, action in enumerate(actions.tolist()):
            if words[action] == "=":
                wanted = 10.0 if value(texts[i]) == targets[i] else -1.0
                numbers = sorted(int(part) for part in "".join(c if c.isdigit() else " " for c in texts[i]).split())
                assert numbers == sorted(batch.observations["cards"][i, 0].tolist())
                assert batch.rewards[i, 0] == wanted and batch.terminations[i, 0], texts[i]
                ended, hits = ended + 1, hits + (wanted > 0)
            else:
                full = len(texts[i]) and batch.records["length"][i] == batch.records["formula"].shape[1]
                assert batch.rewards[i, 0] == (-1.0 if full else 0.0) and batch.truncations[i, 0] == bool(full)
        batch.start(where=batch.over())
    assert ended > 200 and (hits > 20 or world == FULL)


@pytest.mark.parametrize(
    "formula, right",
    [("8/(3-8/3)=", True), ("(8-8)*3*3=", False), ("(3/3)*8*8=", False), ("8-3-(3-8)=", False), ("8+8+3+3=", False)],
)
def test_formulas(formula, right):
    """Quotients are exact."""
    batch = kit.started(FULL, level={"cards": [3, 8, 3, 8]})
    enter(batch, formula)
    assert batch.rewards[0, 0] == (10.0 if right else -1.0)


def test_division_by_zero():
    batch = kit.started(FULL, level={"cards": [3, 8, 8, 3]}, target=1)
    enter(batch, "3/(8-8)")
    assert legal(batch) == {"+", "-", "*", "/"}
    enter(batch, "*3=")
    assert batch.terminations[0, 0] and batch.rewards[0, 0] == -1.0


def test_legal_tokens():
    """By a grammar of its own: the text so far, with the token, must be the beginning of a formula with these cards."""
    batch, rng = kit.started(FULL, seed=3), np.random.default_rng(0)
    for _ in range(400):
        numbers, seen = [], batch.observations["formula"][0, 0].tolist()
        words = [batch.world.tokens[k] for k in seen if k >= 0]
        left = batch.observations["cards"][0, 0].tolist()
        for word in words:
            if word.isdigit():
                left.remove(int(word))
                numbers.append(word)
        closed = bool(words) and (words[-1].isdigit() or words[-1] == ")")
        nested = words.count("(") - words.count(")")
        wanted = {str(n) for n in left} | {"("} if not closed else set("+-*/" if left else "")
        wanted |= {")"} if closed and nested else set()
        wanted |= {"="} if closed and not nested and not left else set()
        assert legal(batch) == wanted
        batch.step(batch.world.tokens.index(str(rng.choice(sorted(wanted)))))
        batch.start(where=batch.over())


def solved(world, hands, **params):
    batch = kit.started(world, len(hands), level=[{"cards": list(hand)} for hand in hands], **params)
    return kit.finish(batch, "solver") > 0


def makes(hand, target):
    """Whether some formula of these numbers has a value, by exhausting pairs."""
    if len(hand) == 1:
        return hand[0] == target
    for i, j in itertools.permutations(range(len(hand)), 2):
        rest = [hand[k] for k in range(len(hand)) if k not in (i, j)]
        a, b = hand[i], hand[j]
        found = [a + b, a - b, a * b] + ([a / b] if b else [])
        if any(makes((*rest, one), target) for one in found):
            return True
    return False


def test_solvable_hands():
    """566 of the 715 hands of four numbers from 1 to 10; for every 23rd, a second search agrees."""
    hands = list(itertools.combinations_with_replacement(range(1, 11), 4))
    found = solved(FULL, hands)
    assert len(hands) == 715 and found.sum() == 566
    for hand, right in list(zip(hands, found))[::23]:
        assert makes(tuple(map(Fraction, hand)), 24) == right


@pytest.mark.slow
def test_all_solvable_hands():
    """1,362 of the 1,820 hands from 1 to 13, and 0.7309 of the deals where faces count 10."""
    hands = list(itertools.combinations_with_replacement(range(1, 14), 4))
    assert len(hands) == 1820 and solved(FULL, hands, faces="distinct").sum() == 1362
    right = dict(
        zip(
            itertools.combinations_with_replacement(range(1, 11), 4),
            solved(FULL, list(itertools.combinations_with_replacement(range(1, 11), 4))),
        )
    )
    share = np.mean(
        [right[tuple(sorted(min(k, 10) for k in hand))] for hand in itertools.product(range(1, 14), repeat=4)]
    )
    assert round(float(share), 4) == 0.7309


def test_deals():
    """EZPoints' pairs all make 12, with the chances of Gym-Cards; TwentyFour's ranks are independent."""
    cards = np.sort(kit.started(SIMPLE, 20_000).observations["cards"][:, 0], axis=1)
    assert ((cards.sum(axis=1) == 12) | (cards.prod(axis=1) == 12)).all()
    chances = {}
    for rank in range(2, 14):
        number = min(rank, 10)
        for other, chance in ((12 - number, 0.5), (12 // number, 0.5)) if 12 % number == 0 else ((12 - number, 1.0),):
            pair = tuple(sorted((number, other)))
            chances[pair] = chances.get(pair, 0) + chance / 12
    for pair, chance in chances.items():
        count = (cards == pair).all(axis=1).sum()
        assert abs(count - 20_000 * chance) < 5 * (20_000 * chance) ** 0.5, pair
    ranks = kit.started(FULL, 20_000).records["ranks"]
    assert abs(np.bincount(ranks.reshape(-1), minlength=14)[1:] - 80_000 / 13).max() < 5 * (80_000 / 13) ** 0.5


def test_levels_and_records():
    world = registry.build(FULL)
    listed, entry = "must be a list of 4 integers from 1 to 13", r"cards\[3\]=14 must be an integer from 1 to 13"
    kit.refuses(world, ({}, "'cards'"), ({"cards": [1, 2, 3]}, listed), ({"cards": [1, 2, 3, 14]}, entry))
    batch = kit.started(world, level={"cards": [3, 8, 3, 8]})
    enter(batch, "(3+")
    for name, value in (("length", 2), ("nested", 0)):
        records = batch.records.copy()
        records[name] = value
        with pytest.raises(SnapshotError, match="one formula"):
            batch.world.admit(records)
    records = batch.records.copy()
    records["formula"][0, 1] = 8
    with pytest.raises(SnapshotError, match="cannot be entered"):
        batch.world.admit(records)


def test_baselines():
    """The solver makes all that can be made; one of two operators is right in EZPoints."""
    assert kit.finish(kit.started(SIMPLE, 300), "solver").mean() == 10
    assert abs(kit.finish(kit.started(SIMPLE, 2000), "random").mean() - 4.5) < 5 * 5.5 / 2000**0.5
    scores = {name: kit.finish(kit.started(FULL, 400), name).mean() for name in ("solver", "adder", "random")}
    assert scores["solver"] > 5.9 > 0 > scores["adder"] and scores["random"] < -0.5
