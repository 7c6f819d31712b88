"""TurnOnLights: lockstep with OdysseyArena, its laws' verdicts and statistics, solutions, levels, the baseline."""

import json
import re
import zlib
from collections import Counter
from functools import cache

import kit
import numpy as np
import pytest
from kit import DATA
from scipy import stats

from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError, ParameterError
from envsuite.evaluation.matches import play
from envsuite.registry import build
from envsuite.render.frames import draw

ID = "envsuite/TurnOnLights-v0"
REFERENCE = json.loads((DATA / "TurnOnLights" / "odyssey_lights.json").read_text())
SIZES = range(5, 11)


def tasks(bulbs):
    """Recorded tasks of this size: laws, crc of verdicts, depth, shortest, actions, changed, states."""
    found = [task for task in REFERENCE["tasks"] if len(task[0]) == bulbs]
    assert len(found) == 20
    return found


def begun(bulbs):
    """A batch of the recorded tasks of this size, at their start."""
    batch = kit.started(build(ID, dict(bulbs=bulbs)), 20, level=[{"laws": laws} for laws, *_ in tasks(bulbs)])
    return batch


@pytest.mark.parametrize("bulbs", SIZES)
def test_lock_step(bulbs):
    """Laws read and written; after every action, the bulbs, `changed`, rewards, ends, observations."""
    batch, played = begun(bulbs), tasks(bulbs)
    for i, (laws, *_) in enumerate(played):
        assert batch.world.get_level(batch.record(i)) == {"laws": laws}
    assert not batch.observations["bulbs"].any() and not batch.observations["last"].any()
    for k in range(max(len(task[4]) for task in played)):
        running = np.array([k < len(task[4]) for task in played])
        assert np.array_equal(batch.masks[:, 0].all(1), running)
        batch.step([[int(task[4][k]) if k < len(task[4]) else 0] for task in played], running)
        for i in np.flatnonzero(running):
            _, _, _, _, actions, changed, states = played[i]
            done = k == len(actions) - 1
            seen = batch.observations[i, 0]
            assert seen["bulbs"].tolist() == [states[k] >> j & 1 for j in range(bulbs)]
            assert (seen["last"], seen["changed"]) == (int(actions[k]) + 1, int(changed[k]))
            assert (batch.rewards[i, 0], batch.terminations[i, 0], batch.truncations[i, 0]) == (done, done, False)
    assert batch.over().all()


@pytest.mark.parametrize("bulbs", SIZES)
@pytest.mark.mostly_slow
def test_verdicts(bulbs):
    """Every law in every state."""
    levels = begun(bulbs).records["laws"]
    states = np.arange(2**bulbs)
    batch = Batch(build(ID, dict(bulbs=bulbs)), len(states))
    batch.start()
    for i, (_, crc, *_) in enumerate(tasks(bulbs)):
        verdicts = np.zeros((len(states), bulbs), np.uint8)
        for bulb in range(bulbs):
            batch.records["laws"], batch.records["on"] = levels[i], states
            batch.records["terminated"] = batch.records["t"] = 0
            batch.observe()
            batch.step(bulb)
            verdicts[:, bulb] = batch.observations["changed"][:, 0]
            assert np.array_equal(batch.records["on"], states ^ verdicts[:, bulb].astype(int) << bulb)
        assert zlib.crc32(verdicts.tobytes()) == crc


@cache
def lit(bulbs):
    """The set of states in which each bulb is on, then the set of all states; a set of states is one integer."""
    every = (1 << 2**bulbs) - 1
    return [sum(1 << state for state in range(2**bulbs) if state >> k & 1) for k in range(bulbs)], every


def solution_length(allowed):
    """The length of a shortest solution, and whether all states can be reached, by where each law holds."""
    bulbs = len(allowed)
    on, every = lit(bulbs)
    reached = frontier = 1
    length, steps = None, 0
    while frontier:
        if frontier >> 2**bulbs - 1:
            length = steps
        grown = 0
        for k in range(bulbs):
            works = frontier & allowed[k]
            grown |= (works & on[k]) >> (1 << k) | (works & ~on[k]) << (1 << k)
        frontier = grown & ~reached
        reached |= frontier
        steps += 1
    return length, reached == every


def drawn(num, seed=0, **params):
    """The laws of `num` new episodes, structured, and the states in which each holds."""
    batch = kit.started(build(ID, params), num, seed=seed)
    laws = batch.records["laws"].copy()
    on, every = lit(laws["terms"].shape[1])
    allowed = []
    for rows in zip(*(laws[part].tolist() for part in ("terms", "bulb", "negated", "either"))):
        allowed.append([])
        for terms, bulb, negated, either in zip(*rows):
            states = every
            for k in range(terms):
                term = on[bulb[k]] ^ every * negated[k]
                states = states | term if either[k] else states & term
            allowed[-1].append(states)
    return laws, allowed


def test_recorded_lengths():
    """Our search, and the path that OdysseyArena's filter finds, which is rarely a shortest one."""
    longer = 0
    for laws, _, depth, shortest, *_ in REFERENCE["tasks"]:
        on, every = lit(len(laws))
        names = {"every": every, **{f"B{k}": states for k, states in enumerate(on)}}
        allowed = []
        for k in range(len(laws)):
            law = re.sub(r"not (B\d)", r"(every ^ \1)", laws[f"B{k}"]).replace("True", "every")
            allowed.append(eval(law.replace(" and ", " & ").replace(" or ", " | "), {"__builtins__": {}, **names}))
        assert solution_length(allowed) == (shortest, True)
        assert depth >= shortest and (depth - shortest) % 2 == 0
        assert len(laws) < 7 or depth >= 10  # its generator's value of 10 accepts everything
        longer += depth > shortest
    assert longer > 100


@pytest.mark.slow
def test_all_tasks_are_solvable():
    """10,000 of them; a shortest solution toggles every bulb an odd number of times."""
    for bulbs in range(6, 11):
        for allowed in drawn(2000, seed=bulbs * 10_000, bulbs=bulbs)[1]:
            length, connected = solution_length(allowed)
            assert connected and length >= bulbs and (length - bulbs) % 2 == 0


@pytest.mark.slow
@pytest.mark.parametrize("bulbs, min_steps", [(5, 11), (8, 12), (8, 13), (10, 16)])
def test_long_solutions(bulbs, min_steps):
    lengths = [solution_length(allowed)[0] for allowed in drawn(400, bulbs=bulbs, min_steps=min_steps)[1]]
    assert min(lengths) == min_steps + (min_steps - bulbs) % 2
    assert min(lengths) < max(lengths)


def histograms(laws, allowed):
    """Counts over OdysseyArena's laws, or over ours."""
    terms = laws["terms"]
    used = np.arange(8) < terms[:, :, None]
    several = terms > 1
    last = np.take_along_axis(laws["either"], np.maximum(terms, 1)[:, :, None].astype(int) - 1, 2)[:, :, 0]
    free = np.argmax(terms == 0, 1)
    assert ((terms == 0).sum(1) == 1).all()
    counted = {
        "terms": terms,
        "total": terms.sum(1),
        "negated": (laws["negated"] & used).sum((1, 2)),
        "or": (laws["either"] & used).sum((1, 2)),
        "free": [f"B{k}" for k in free],
        "shortest": [solution_length(sets)[0] for sets in allowed],
        "first_negated": laws["negated"][:, :, 0][several] > 0,
        "last_or": last[several] > 0,
    }
    return {name: dict(Counter(map(str, np.ravel(values).tolist()))) for name, values in counted.items()}


def homogeneous(ours, theirs):
    """The p-value of two histograms having one distribution; rare keys are pooled."""
    keys = sorted({*ours, *theirs}, key=lambda key: (len(key), key))
    table, rest = [], np.zeros(2)
    for key in keys:
        pair = np.array([ours.get(key, 0), theirs.get(key, 0)])
        if pair.sum() >= 40:
            table.append(pair)
        else:
            rest += pair
    if rest.sum() >= 10:
        table.append(rest)
    return stats.chi2_contingency(np.array(table)).pvalue


@pytest.mark.parametrize("bulbs", [8, 10])
@pytest.mark.slow
def test_laws_have_the_distribution_of_the_source(bulbs):
    """Terms per law, in all, negations, "or"s, the free bulb, lengths of shortest solutions, ends of a law."""
    theirs = REFERENCE["counts"][str(bulbs)]
    ours = histograms(*drawn(6000, bulbs=bulbs))
    assert ours.keys() == theirs.keys()
    for name in theirs:
        assert homogeneous(ours[name], theirs[name]) > 1e-4, name


def test_terms_of_a_law():
    """Bulb number i: 1 to min(8, i) terms with equal probability, any set of earlier bulbs, in any order."""
    num = 20_000
    batch = kit.started(build(ID, dict(bulbs=10)), num)
    laws = batch.records["laws"]
    rows, place = np.arange(num), np.empty((num, 10), int)
    for i in range(10):
        place[rows, laws["order"][:, i]] = i  # the order's inverse
    pvalues = []
    for i in range(10):
        bulb = laws["order"][:, i]
        pvalues.append(stats.chisquare(np.bincount(bulb, minlength=10)).pvalue)
        terms = laws["terms"][rows, bulb]
        assert terms.max() == min(8, i)
        if i > 1:
            pvalues.append(stats.chisquare(np.bincount(terms)[1:]).pvalue)
            for k in range(min(8, i)):
                has = terms > k
                operand = place[rows, laws["bulb"][rows, bulb, k]][has]
                assert operand.max() < i
                pvalues.append(stats.chisquare(np.bincount(operand, minlength=i)).pvalue)
                negated = laws["negated"][rows, bulb, k][has]
                pvalues.append(stats.chisquare(np.bincount(negated, minlength=2)).pvalue)
                either = laws["either"][rows, bulb, k][has]
                assert k > 0 or not either.any()
                if k:
                    pvalues.append(stats.chisquare(np.bincount(either, minlength=2)).pvalue)
    assert min(pvalues) > 1e-3 / len(pvalues)
    # All sets and orders of two of the three bulbs before the fourth.
    fourth = laws["order"][:, 3]
    two = laws["terms"][rows, fourth] == 2
    pairs = place[rows[:, None], laws["bulb"][rows, fourth][:, :2]][two] @ [4, 1]
    counts = np.unique(pairs, return_counts=True)[1]
    assert len(counts) == 6 and stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.slow
def test_prober():
    """It solves tasks in which bulbs must be switched off again; turning on every bulb that works does not."""
    returns, lengths = play(ID, ["prober"], 400)
    random, _ = play(ID, ["random"], 400)
    assert returns.mean() > 0.95 and np.median(lengths) < 45
    assert random.mean() < 0.3
    careless, _ = play(ID, ["prober:caution=0"], 400)
    assert 0.8 < careless.mean() < returns.mean()
    smallest, lengths = play(build(ID, {"bulbs": 5, "min_steps": 11}), ["prober"], 400)
    assert (smallest == 1).all() and lengths.min() >= 11


def test_horizon():
    batch = kit.started(build(ID, dict(horizon=3)), level={"laws": dict.fromkeys((f"B{k}" for k in range(8)), "True")})
    for k in range(3):
        batch.step(0)
        assert batch.truncations[0, 0] == (k == 2) and not batch.terminations[0, 0]


GOOD = {"B0": "True", "B1": "B0", "B2": "not B1", "B3": "B2 and not B0", "B4": "((B0 or not B3) and B1)"}


@pytest.mark.parametrize(
    "change, message",
    [
        ({"B1": "B1"}, "in a circle, among B1, B2, B3, B4"),
        ({"B0": "not B4"}, "in a circle, among B0, B1, B2, B3, B4"),
        ({"B1": "B7"}, "about 'B7', which is no bulb"),
        ({"B4": "B0 and not B0"}, "none of them twice"),
        ({"B3": "B2 and (B0 or B1)"}, "must be 'True' or of the form"),
        ({"B3": "B0 or B1 and B2"}, "must be 'True' or of the form"),
        ({"B3": "B0 +"}, "must be 'True' or of the form"),
        ({"B3": "False"}, "must be 'True' or of the form"),
        ({"B3": "not not B1"}, "must be 'True' or of the form"),
        ({"B3": ["B0"]}, "must be 'True' or of the form"),
        ({"B5": "B0"}, "must be those of the bulbs B0, B1, B2, B3, B4"),
    ],
    ids=str,
)
def test_broken_levels(change, message):
    batch = Batch(build(ID, dict(bulbs=5)), 1)
    with pytest.raises(LevelError, match=message):
        batch.set_level(0, {"laws": {**GOOD, **change}})


def test_parameters():
    with pytest.raises(ParameterError, match="bulbs . 6 = 11"):
        build(ID, dict(bulbs=5, min_steps=12))


def test_views():
    world = build(ID, dict(bulbs=5))
    batch = kit.started(world, level={"laws": GOOD})
    assert world.get_level(batch.record()) == {"laws": {**GOOD, "B3": "(B2 and not B0)"}}
    for action, words in ((1, "B1 could not be toggled."), (0, "B0 was toggled: it is on now.")):
        batch.step(action)
        assert words in world.text(batch.record(), 0)
    s = batch.record()
    assert "B0 on, B1 off, B2 off, B3 off, B4 off" in world.text(s, 0) and "2 of 200" in world.text(s, 0)
    whole, own = world.scene(s), world.scene(s, 0)
    assert not any("not" in getattr(shape, "text", "") for shape in own.shapes)  # the laws stay hidden
    assert any(getattr(shape, "text", "") == "not B3" for shape in whole.shapes)
    assert draw(whole).shape[2] == 3
    for name, shape in ((shape.text, shape) for shape in own.shapes if getattr(shape, "text", "") in GOOD):
        assert world.action_names[0][world.click(s, 0, shape.x, shape.y)] == name
    assert world.click(s, 0, 0.1, 1.0) is None
