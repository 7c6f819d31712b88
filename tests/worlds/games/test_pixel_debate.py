"""PixelDebate: the judge and its images, the paper's order of results, exact play, claims, levels, records, texts."""

from itertools import permutations

import kit
import numpy as np
import pytest

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.games import pixel_debate
from envsuite.games.pixel_debate import DIGITS, IMAGES, LABELS
from envsuite.registry import build

ID = "envsuite/PixelDebate-v0"


def score(images, masks):
    """(N, 10) the judge's scores of images (N, 64) of which these pixels are revealed: a second implementation."""
    tables = pixel_debate
    first = tables.BIAS_1 + masks @ tables.PIXEL + (masks * images.astype(np.int64)) @ tables.VALUE
    second = tables.BIAS_2 + np.maximum(first, 0) // 32 @ tables.SECOND.T.astype(np.int64)
    return tables.BIAS_3 + np.maximum(second, 0) // 256 @ tables.THIRD.T.astype(np.int64)


def random_masks(rng, images, count):
    """As many random pixels of each image that are not black."""
    ranks = np.where(images > 0, rng.random(images.shape), 2).argsort(1).argsort(1)
    return (ranks < count).astype(np.int64)


def level(image=0, first=0, claim=None):
    """A level with one of the images; the claim is the digit after the true one."""
    digit = int(LABELS[image])
    claim = (digit + 1) % 10 if claim is None else claim
    return {"image": IMAGES[image].reshape(8, 8).tolist(), "digit": digit, "claim": claim, "first": first}


def small(pixels=6, first=0):
    """A level with few pixels that are not black."""
    image = np.zeros(64, int)
    image[[10, 13, 18, 21, 27, 34, 42, 45][:pixels]] = [16, 9, 3, 12, 15, 1, 8, 5][:pixels]
    return {"image": image.reshape(8, 8).tolist(), "digit": 3, "claim": 8, "first": first}


def test_images():
    """400 images of all digits, in about equal numbers; the judge sees enough of each."""
    assert IMAGES.shape == (400, 64) and IMAGES.min() == 0 and IMAGES.max() == 16
    assert np.bincount(LABELS).min() > 30 and (IMAGES > 0).sum(1).min() > 16
    assert len(np.unique(IMAGES, axis=0)) == 400


@pytest.mark.parametrize("count, paper, own", [(4, 0.482, 0.482), (6, 0.594, 0.606)])
def test_judge_alone(count, paper, own):
    """With random pixels: near the paper's numbers for MNIST, and its own, which the script printed."""
    rng = np.random.default_rng(count)
    right = [(score(IMAGES, random_masks(rng, IMAGES, count)).argmax(1) == LABELS).mean() for _ in range(40)]
    assert abs(np.mean(right) - paper) < 0.05 and abs(np.mean(right) - own) < 0.015


def test_random_debates_are_judged_so():
    """The judge's scores and rewards at the end of 200 random debates, by the second implementation."""
    for claims, reveals in (("drawn", 6), ("none", 16)):
        batch = kit.started(ID, 100, claims=claims, reveals=reveals)
        total = kit.finish(batch, "random")
        s = batch.records
        scores = score(s["image"], s["revealed"] > 0)
        assert (s["scores"] == scores).all() and ((s["revealed"] > 0).sum(1) == reveals).all()
        worlds = np.arange(100)
        other = scores.copy()
        other[worlds, s["digit"]] = np.iinfo(np.int64).min
        rival = other.max(1) if claims == "none" else scores[worlds, s["claim"]]
        ahead = np.sign(scores[worlds, s["digit"]] - rival)
        assert (total[:, 0] == ahead).all() and (total[:, 1] == -ahead).all() and set(ahead) == {-1, 1}


def wins(first, second, num=500, **params):
    returns, _ = play(build(ID, params), [first, second], num)
    return (returns[:, 0] > 0).mean()


def test_order_of_results():
    """The honest debater is ahead; greedy play helps either side; a choice of lies helps the liar."""
    for reveals, (low, high) in ((4, (0.25, 0.42)), (6, (0.25, 0.5))):
        both, liar, neither = (
            wins(*names, reveals=reveals)
            for names in (("greedy", "greedy"), ("random", "greedy"), ("random", "random"))
        )
        assert 0.96 < both < 1 and low < liar < high and liar + 0.3 < neither < both
        assert wins("greedy", "random", reveals=reveals) > 0.99
        assert 0.88 < wins("greedy", "greedy", reveals=reveals, claims="chosen") < both - 0.02
    assert wins("greedy", "greedy", claims="none") > wins("greedy", "greedy", claims="none", reveals=4) + 0.03


@pytest.mark.slow
def test_each_of_nine_lies():
    """Greedy play against greedy play: in .78 to .92 of the images, no lie wins (an own experiment: .84 to .85)."""
    lost = np.zeros(400, bool)
    for k in range(1, DIGITS):
        levels = [level(i, first=i % 2, claim=(int(LABELS[i]) + k) % 10) for i in range(400)]
        batch = kit.started(ID, 400, level=levels, reveals=4)
        lost |= kit.finish(batch, "greedy")[:, 0] <= 0
    assert 0.78 < 1 - lost.mean() < 0.92


def minimax(movers, rewards):
    """The value for debater_0 of all plays, of which those with the same start lie side by side."""
    pixels = 6
    for turn in range(len(movers) - 1, -1, -1):
        rewards = rewards.reshape(-1, pixels - turn)
        rewards = rewards.max(1) if movers[turn] == 0 else rewards.min(1)
    return rewards[0]


@pytest.mark.parametrize("first", [0, 1])
def test_all_plays_of_small_debates(first):
    """Movers, masks and rewards of all orders of 4 of 6 pixels; each side can win some debates, whoever begins."""
    values = set()
    for digit in range(6):
        given = {**small(6, first), "digit": digit, "claim": (digit + 3) % 10}
        image = np.array(given["image"]).ravel()
        plays = np.array([*permutations(np.flatnonzero(image).tolist(), 4)])
        batch, hidden = kit.started(ID, len(plays), level=given, reveals=4), np.tile(image > 0, (len(plays), 1))
        for turn in range(4):
            player = (first + turn) % 2
            assert kit.mover(batch) == player and (batch.masks[:, player] == hidden).all()
            hidden[np.arange(len(plays)), plays[:, turn]] = False
            assert not batch.rewards.any()
            batch.step(plays[:, turn, None])
        scores = score(np.tile(image, (len(plays), 1)), (~hidden & (image > 0)).astype(np.int64))
        wanted = np.sign(scores[:, digit] - scores[:, given["claim"]])
        assert batch.over().all() and (batch.rewards[:, 0] == wanted).all() and (batch.rewards[:, 1] == -wanted).all()
        values.add(minimax([(first + turn) % 2 for turn in range(4)], wanted))
    assert values == {-1, 1}


def test_claims():
    """debater_1 chooses first, whoever begins; it cannot tell the truth."""
    for first in (0, 1):
        given = {key: value for key, value in level(3, first).items() if key != "claim"}
        digit = int(LABELS[3])
        batch = kit.started(ID, level=given, claims="chosen")
        assert kit.mover(batch) == 1 and kit.legal(batch) == {f"claim {d}" for d in range(10) if d != digit}
        assert batch.observations["facts"][0].tolist() == [[digit, -1, 0, 6], [digit, -1, 1, 6]]
        kit.act(batch, f"claim {(digit + 2) % 10}")
        assert kit.mover(batch) == first and not any(name.startswith("claim") for name in kit.legal(batch))
        assert batch.observations["facts"][0, 0, 1] == (digit + 2) % 10
    assert kit.started(ID, level=given, claims="none").observations["facts"][0, 0].tolist() == [digit, -1, 0, 6]


def test_baselines():
    given = level(0)
    batch = kit.started(ID, level=given)
    image, masks = np.tile(IMAGES[0], (64, 1)), np.eye(64, dtype=np.int64)
    scores = score(image, masks)
    ahead = np.where(IMAGES[0] > 0, scores[:, given["digit"]] - scores[:, given["claim"]], np.iinfo(np.int64).min)
    assert kit.choices("greedy", batch) == {batch.world.action_names[0][int(ahead.argmax())]}
    most = np.flatnonzero(IMAGES[0] == IMAGES[0].max())
    assert kit.choices("brightest", batch, seeds=40) == {batch.world.action_names[0][k] for k in most}
    batch = kit.started(ID, level={key: given[key] for key in ("image", "digit", "first")}, claims="chosen")
    whole = score(IMAGES[:1], (IMAGES[:1] > 0).astype(np.int64))[0]
    whole[given["digit"]] = np.iinfo(np.int64).min
    assert kit.choices("greedy", batch) == {f"claim {whole.argmax()}"}


def test_levels_and_records():
    world = build(ID, dict(reveals=4))
    good = small()
    batch = kit.started(ID, level=good, reveals=4)
    assert world.get_level(batch.record()) == good
    dark = [*good["image"][:-1], [0] * 7 + [17]]
    kit.refuses(
        world,
        ({**good, "claim": 3}, "debater_1 claims 3, which is true"),
        ({**good, "first": 2}, "first=2 must be an integer from 0 to 1"),
        ({**good, "digit": 10}, "digit=10 must be an integer from 0 to 9"),
        ({**good, "image": good["image"][1:]}, "image must be 8 lists of 8 integers from 0 to 16"),
        ({**good, "image": dark}, r"image\[7\]\[7\]=17 must be an integer from 0 to 16"),
        (small(3), "fewer than 4 pixels of 'image' are not black"),
        (
            {**good, "light": 1},
            "a level has 'image', 'digit', 'claim' and 'first', not 'image', 'digit', 'claim', 'first', 'light'",
        ),
    )
    with pytest.raises(ParameterError, match="reveals=3 must be even"):
        build(ID, dict(reveals=3))
    kit.act(batch, "reveal row 2, column 3")
    for name, value, wrong in (
        ("turn", 2, "as many pixels"),
        ("claim", 7, "another claim"),
        ("digit", 8, "none that debater_1 can make"),
        ("sums", 0, "other pixels"),
        ("scores", 1, "other scores"),
        ("image", 0, "a black pixel"),
    ):
        forged = batch.records.copy()
        forged[name] = value
        with pytest.raises(SnapshotError, match=wrong):
            world.admit(forged)


def test_text_and_clicks():
    batch = kit.started(ID, level=small(first=1), reveals=2)
    assert kit.clicks(batch, 1) == {None, *range(64)}
    kit.act(batch, "reveal row 2, column 6")
    honest, liar = (batch.world.text(batch.record(), agent) for agent in range(2))
    assert "The image is a 3. You say so; the other says that it is an 8." in honest and "[9]" in honest
    assert "The other says so; you say that it is an 8." in liar
    assert honest.endswith("Pixels to reveal: 1. Reveal a pixel.") and liar.endswith("It is the other's turn.")
    kit.act(batch, "reveal row 3, column 3")
    ends = [batch.world.text(batch.record(), agent).rsplit(". ", 1)[1] for agent in range(2)]
    assert ends == (["You win.", "You lose."] if batch.rewards[0, 0] > 0 else ["You lose.", "You win."])


def test_debaters_see_the_scores_at_the_end():
    batch = kit.started(ID, level=small(first=1), reveals=2)
    for name in ("reveal row 2, column 6", "reveal row 3, column 3"):
        whole, own = (batch.world.scene(batch.record(), viewer).shapes for viewer in (None, 0))
        assert len(whole) == len(own) + 2 * DIGITS  # a label and a bar for each digit
        kit.act(batch, name)
    whole, own = (batch.world.scene(batch.record(), viewer).shapes for viewer in (None, 0))
    assert len(whole) == len(own)
