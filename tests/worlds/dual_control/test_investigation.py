"""Investigation: partial rewards, a second implementation in lock-step, shortest chains, searches, levels."""

from functools import partial

import kit
import numpy as np
import pytest
from scipy import stats
from scipy.sparse.csgraph import shortest_path

from envsuite.core.errors import ParameterError
from envsuite.evaluation.matches import play
from envsuite.generators import describe, generate, generate_many, split_of
from envsuite.registry import build

ID = "envsuite/Investigation-v0"

started = partial(kit.started, ID)

#: The sizes of another world that checks compile too.
SMALL = dict(alerts=5, tables=2, pool=2, length=2, steps=12)
TABLES, TYPES = ("endpoint", "identity", "mail", "network"), ("host", "account", "address", "file")


def name(entity, pool):
    return f"{TYPES[entity // pool]} {entity % pool + 1}"


def has(level, alert):
    """The entities of an alert."""
    return {k * level["pool"] + e for k, e in enumerate(level["alerts"][alert][2:]) if e >= 0}


def chain(length, pool=8):
    """A level of 20 alerts in a chain of this length; the last alert has an account beside the answer."""
    alerts = [[k % 2, k % 7, -1, -1, -1, -1] for k in range(20)]
    links = [k // 2 + 8 * (k % 2) for k in range(length)]  # hosts and accounts in turn
    for k, link in enumerate(links):
        for alert in (k, k + 1) if k + 1 < length else (k,):
            alerts[alert][2 + link // pool] = link % pool
    alerts[0][4] = 0
    alerts[length - 1][1], alerts[length - 1][5] = 7, 3
    for k in range(length, 20):
        alerts[k][2:4] = [7, 7]
    path = list(range(length))
    return {"tables": 2, "pool": pool, "alerts": alerts, "start": 16, "path": path, "links": links}


def solution(level):
    """The moves of somebody who knows the chain."""
    key = level["start"]
    for alert, link in zip(level["path"], level["links"]):
        yield f"query {TABLES[level['alerts'][alert][0]]} {name(key, level['pool'])}"
        yield f"open {alert + 1}"
        key = link


@pytest.mark.parametrize("length, pay", [(1, 0), (2, 0.4), (3, 0.56), (4, 0.624), (5, 0.6496)])
def test_all_but_the_answer(length, pay):
    """The rewards of the specification, and those of each shorter report."""
    level = chain(length)
    for known in range(length + 1):
        batch = started(level=level, alerts=20, tables=2, pool=8, length=length)
        moves = list(solution(level))[: 2 * known]
        kit.act(batch, *moves)
        links = [level["start"], *level["links"]]
        last = links[known] if known < length else 27  # the file of the last alert, which is not the answer
        kit.act(batch, f"submit {name(last, 8)}")
        expected = sum(0.4 ** (length - 1 - k) for k in range(min(known, length - 1)))
        assert batch.rewards[0, 0] == pytest.approx(expected) and batch.terminations.all()
    assert expected == pytest.approx(pay)
    batch = kit.act(started(level=level, alerts=20, tables=2, pool=8, length=length), *solution(level))
    assert not batch.over()[0]
    kit.act(batch, f"submit {name(level['links'][-1], 8)}")
    assert batch.rewards[0, 0] == 1 and batch.records["t"][0] == 2 * length + 1


class Reference:
    """The rules as sets and dictionaries: what is known, and the report of each entity as a list."""

    def __init__(self, level):
        self.level, self.reports = level, {level["start"]: [level["start"]]}
        self.via, self.opened, self.asked = {}, set(), set()

    def move(self, words):
        """One move in words; its reward, or None if the episode continues."""
        verb, *rest = words.split()
        entity = TYPES.index(rest[-2]) * self.level["pool"] + int(rest[-1]) - 1 if verb != "open" else None
        if verb == "query":
            self.asked.add((TABLES.index(rest[0]), entity))
            for alert, row in enumerate(self.level["alerts"]):
                if TABLES[row[0]] == rest[0] and entity in has(self.level, alert):
                    self.via.setdefault(alert, self.reports[entity])
        elif verb == "open":
            alert = int(rest[0]) - 1
            self.opened.add(alert)
            for entity in has(self.level, alert):
                self.reports.setdefault(entity, [*self.via[alert], entity])
        elif entity == self.level["links"][-1]:
            return 1.0
        else:
            solution = self.level["links"][:-1][::-1]
            return sum(0.4 ** (k + 1) for k, link in enumerate(solution) if link in self.reports[entity])
        return None

    def legal(self):
        pool = self.level["pool"]
        queries = {(t, e) for t in range(self.level["tables"]) for e in self.reports} - self.asked
        return (
            {f"query {TABLES[t]} {name(e, pool)}" for t, e in queries}
            | {f"open {alert + 1}" for alert in self.via.keys() - self.opened}
            | {f"submit {name(e, pool)}" for e in self.reports}
        )


@pytest.mark.parametrize("params, wanted", [(SMALL, {0, 0.4}), (dict(steps=60), {0, 0.16, 0.56})])
def test_another_implementation_in_lock_step(params, wanted):
    num, rng, pays = 40, np.random.default_rng(1), set()
    batch = started(num, seed=7, **params)
    world = batch.world
    names = world.action_names[0]
    games = [Reference(world.get_level(batch.record(i))) for i in range(num)]
    while not batch.over().all():
        for i in np.flatnonzero(~batch.over()):
            game, seen = games[i], batch.observations[i, 0]
            legal = [names[k] for k in np.flatnonzero(batch.masks[i, 0])]
            assert set(legal) == game.legal()
            assert set(np.flatnonzero(seen["known"])) == game.reports.keys()
            assert set(np.flatnonzero(seen["tables"] >= 0)) == game.via.keys()
            assert set(np.flatnonzero(seen["titles"] >= 0)) == game.opened
            for alert, row in enumerate(game.level["alerts"]):
                assert seen["tables"][alert] == (row[0] if alert in game.via else -1)
                assert seen["entities"][alert].tolist() == (row[2:] if alert in game.opened else [-2] * 4)
            quiet = [move for move in legal if not move.startswith("submit") or rng.random() < 0.03] or legal
            batch.actions[i, 0] = names.index(quiet[rng.integers(len(quiet))])
        running = ~batch.over()
        batch.step(where=running)
        for i in np.flatnonzero(running):
            reward = games[i].move(names[batch.actions[i, 0]])
            assert batch.terminations[i, 0] == (reward is not None)
            assert batch.rewards[i, 0] == pytest.approx(reward or 0)
            pays.add(round(batch.rewards[i, 0], 6))
    assert pays >= wanted, pays


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_chains_are_shortest(length):
    """In the graph of alerts and entities, the key and the answer are 2 L edges apart, by SciPy."""
    shorter = 0
    for level in generate_many("incidents", 40, length=length):
        pool, count = level["pool"], len(level["alerts"])
        joined = np.zeros((count + 4 * pool,) * 2)
        for alert in range(count):
            assert len(has(level, alert)) >= 2
            joined[alert, [count + e for e in has(level, alert)]] = 1
        far = shortest_path(joined, directed=False, unweighted=True)
        chained = len(level["path"])
        shorter += chained < length
        assert far[count + level["start"], count + level["links"][-1]] == 2 * chained
        assert far[level["path"][0], level["path"][-1]] == 2 * (chained - 1)
        for k, (alert, link) in enumerate(zip(level["path"], level["links"])):
            assert link in has(level, alert) and (k + 1 == chained or link in has(level, level["path"][k + 1]))
        titles = [alert[1] for alert in level["alerts"]]
        assert titles.count(titles[level["path"][-1]]) == 1
    assert shorter == 0


def test_graphs_are_drawn_as_described():
    level = started(1500, **SMALL | dict(length=1)).records["level"]
    assert stats.chisquare(np.bincount(level["tables"].ravel())).pvalue > 1e-4
    present = (level["entities"] >= 0).sum(axis=2).ravel()
    # With a fair coin for each type: 6, 4 and 1 of 11 sets of at least two types.
    assert stats.chisquare(np.bincount(present)[2:], len(present) * np.array([6, 4, 1]) / 11).pvalue > 1e-4
    assert stats.chisquare(np.bincount(level["path"][:, 0])).pvalue > 1e-4
    assert (level["sizes"].sum(axis=1) == 5).all()


@pytest.mark.parametrize("length", [1, 3, 5])
@pytest.mark.mostly_slow
def test_searches_find_every_answer(length):
    """With a step for each query and alert, and one for the answer; in fewer steps, the frugal one finds more."""
    budget = 3 * 24 + 12 + 1
    for policy in ("breadth", "frugal"):
        found = play(build(ID, dict(length=length, steps=budget)), [policy], 150).returns
        assert (found == 1).all()


def test_baselines_in_order():
    means = [play(build(ID), [policy], 600).returns.mean() for policy in ("random", "guess", "breadth", "frugal")]
    assert means == sorted(means) and means[2] > means[1] + 0.3
    assert max(play(build(ID, dict(steps=6)), ["frugal"], 300).returns) < 1  # the answer takes 7 steps


def test_generator_and_levels():
    level = generate("incidents", alerts=5, tables=2, pool=2, length=2)
    batch = started(**SMALL, level=level)
    batch.step([[int(batch.masks[0, 0].argmax())]])
    assert batch.world.get_level(batch.record()) | {"kind": "incidents"} == level
    assert describe(level)["difficulty"] == len(level["path"]) == 2
    assert {split_of(one) for one in generate_many("incidents", 20, split="test")} == {"test"}
    good = chain(2)
    world = build(ID, dict(alerts=20, tables=2, pool=8, length=2))
    alerts = good["alerts"]
    kit.refuses(
        world,
        ({}, "a level has 'tables', 'pool', 'alerts', 'start', 'path' and 'links', not nothing"),
        (good | {"pool": 7}, "tables=2 and pool=7, not 2 and 8"),
        (good | {"alerts": alerts[:-1]}, "alerts must be 20 lists of 6 integers"),
        (good | {"alerts": [*alerts[:-1], [2, 0, 0, 0, 0, 0]]}, r"alerts\[19\]\[0\]=2 must be an integer from 0 to 1"),
        (good | {"path": [0, 20]}, r"path\[1\]=20 must be an integer from 0 to 19"),
        (good | {"path": 5}, "path must be a list of 1 to 5 entries"),
        (good | {"start": 32}, "start=32 must be an integer from 0 to 31"),
        (good | {"links": [0]}, "links must be a list of 2 integers from 0 to 31"),
        (good | {"links": [1, 8]}, "link 0 is no entity"),
        (good | {"start": 8}, "'start' must be an entity of the first alert"),
        (good | {"start": 0}, "there is a shorter chain"),
        (good | {"alerts": [*alerts[:-1], [0, 7, 7, 7, -1, -1]]}, "another alert has the title"),
    )
    for params, word in (({"alerts": 2}, "length=3"), ({"pool": 9}, "pool"), ({"length": 6}, "length")):
        with pytest.raises(ParameterError, match=f"Investigation: .*{word}|{word}"):
            build(ID, params)


def test_text_pictures_and_clicks():
    level = chain(2)
    batch = started(alerts=20, tables=2, pool=8, length=2, level=level)
    kit.act(batch, "query endpoint address 1", "open 1")
    world, s = batch.world, batch.record()
    text, shapes = world.text(s, 0), world.scene(s, 0).shapes
    assert "which account does the alert with the title `beacon` have?" in text
    assert "- Alert 1 in endpoint: malware; host 1, address 1." in text
    assert "- address 1: queried in endpoint." in text and "- host 1: queried in no table." in text
    assert shapes != world.scene(s).shapes
    s.level.entities[5:] = 0
    s.level.titles[5:] = 2
    assert world.text(s, 0) == text and world.scene(s, 0).shapes == shapes
    assert kit.clicks(batch, 0, 0.2, 0.2) == {None, *range(len(world.action_names[0]))}
    assert kit.clicks(started(), 0, 0.2, 0.2) == {None, *range(72 + 12 + 24)}
    kit.act(batch, "submit host 1")
    assert "You submitted host 1. It paid 0.4." in world.text(batch.record(), 0)
