"""ScreenGraph: Markov chains of random clicks, shortest ways by networkx, trees, fixed layouts, levels, texts."""

import kit
import networkx
import numpy as np
import pytest

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.games.screen_graph import CELLS, COMPLETE, NAMES, SCREENS, distances
from envsuite.registry import build

ID = "envsuite/ScreenGraph-v0"

#: An app of three screens, one below the other.
SMALL = dict(depth=2, branching=1, links=0)
FIRST, SECOND, THIRD = build(ID, SMALL).names


def graph_of(record):
    """The screens and the icons of a record as a directed graph."""
    icons, graph = record["level"]["icons"], networkx.DiGraph()
    graph.add_nodes_from(range(len(icons)))
    graph.add_edges_from((k, int(goal)) for k, row in enumerate(icons) for goal in row if goal >= 0)
    return graph


def chain(icons):
    """(N, N) where uniformly random actions that do not end the episode lead, with their probabilities."""
    moves = np.zeros((len(icons), len(icons)))
    for k, row in enumerate(icons):
        for goal in row:
            moves[k, goal if goal >= 0 else k] += 1 / (CELLS + 1)
    return moves


def level(target=THIRD, **changes):
    """A level of the small app, with other parts of its second screen."""
    screens = [{"name": FIRST, "icons": {"7": SECOND}}, {"name": SECOND, "icons": {"0": FIRST, "24": THIRD}}]
    screens[1] |= changes
    return {"screens": [*screens, {"name": THIRD, "icons": {}}], "target": target}


def test_names():
    assert len(NAMES) == len(set(NAMES)) == SCREENS and list(NAMES) == sorted(NAMES)


@pytest.mark.parametrize("depth, branching", [(1, 6), (2, 3), (4, 1), (3, 4)])
def test_trees(depth, branching):
    """Without links, every screen has icons for the first one, the one above and those below."""
    batch = kit.started(ID, 5, depth=depth, branching=branching, links=0)
    for record in batch.records:
        graph = graph_of(record)
        count = len(graph)
        assert count == sum(branching**k for k in range(depth + 1))
        for k in range(count):
            above = {(k - 1) // branching, 0} if k else set()
            below = {branching * k + 1 + i for i in range(branching)} & set(range(count))
            assert set(graph[k]) == (above | below) - {k}
        assert max(networkx.single_source_shortest_path_length(graph, 0).values()) == depth
        assert sorted(record["level"]["names"].tolist()) == [*range(count)] and 0 < record["level"]["target"] < count


def test_links():
    """Each link is to another screen, or in vain where there is an icon for it; icons are in all cells alike."""
    batch = kit.started(ID, 50, links=4)
    icons = batch.records["level"]["icons"]
    extra = (icons >= 0).sum((1, 2)) - (kit.started(ID, links=0).records["level"]["icons"] >= 0).sum()
    assert (extra <= 4 * 40).all() and 3.2 < extra.mean() / 40 < 4
    for row in icons.reshape(-1, CELLS):
        assert len(set(row[row >= 0].tolist())) == (row >= 0).sum()
    assert np.ptp((icons >= 0).mean((0, 1))) < 0.1


def test_fixed_layouts():
    """Without `rewire` and `rename`, only the wanted screen differs between episodes and seeds."""
    for rewire, rename in ((False, False), (False, True), (True, False), (True, True)):
        both = np.concatenate([kit.started(ID, 20, k, rewire=rewire, rename=rename).records["level"] for k in (0, 50)])
        assert len(np.unique(both["icons"], axis=0)) == (40 if rewire else 1)
        assert len(np.unique(both["names"], axis=0)) == (40 if rename else 1)
        assert len(np.unique(both["target"])) > 15


def test_random_clicks():
    """Success within the limit, and the mean length of an episode, by the Markov chains of three levels."""
    params = dict(depth=1, branching=3, links=1, max_steps=40)
    for seed in range(3):
        one = kit.started(ID, 1, seed, **params)
        given, record = one.world.get_level(one.record()), one.records["level"][0]
        moves, at, wins, length = chain(record["icons"]), np.eye(4)[0], 0.0, 0.0
        for _ in range(40):
            length += at.sum()
            wins += at[record["target"]] / (CELLS + 1)
            at = at @ moves
        batch = kit.started(ID, 4000, seed, level=given, **params)
        returns = kit.finish(batch, "random")[:, 0]
        assert abs(returns.mean() - wins) < 4 * (wins / 4000) ** 0.5
        assert abs(batch.records["clicks"].mean() - length) < 4 * batch.records["clicks"].std() / 4000**0.5


def test_walker():
    """Its mean length is a hitting time, by linear equations."""
    params = dict(depth=2, branching=2, max_steps=10_000)
    one = kit.started(ID, **params)
    given, record = one.world.get_level(one.record()), one.records["level"][0]
    icons = record["icons"]
    moves = np.array([[(row == goal).sum() / (row >= 0).sum() for goal in range(len(icons))] for row in icons])
    others = [k for k in range(len(icons)) if k != record["target"]]
    hitting = np.linalg.solve(np.eye(len(others)) - moves[np.ix_(others, others)], np.ones(len(others)))[0]
    batch = kit.started(ID, 3000, level=given, **params)
    assert (kit.finish(batch, "walker") == 1).all()
    clicks = batch.records["clicks"]
    assert abs(clicks.mean() - 1 - hitting) < 4 * clicks.std() / 3000**0.5


@pytest.mark.slow
def test_explorer():
    """With the graph it takes a shortest way; without, it always arrives, in a third of the walker's time."""
    batch = kit.started(ID, 200, view="graph")
    wanted = [networkx.shortest_path_length(graph_of(r), 0, int(r["level"]["target"])) for r in batch.records]
    for record, length in zip(batch.records[:20], wanted):
        assert distances(record["level"]["icons"], int(record["level"]["target"]))[0] == length
    assert (kit.finish(batch, "explorer") == 1).all() and (batch.records["clicks"] == np.add(wanted, 1)).all()
    tree = dict(links=0, depth=5, branching=2, max_steps=10_000)
    batch, other = kit.started(ID, 300, **tree), kit.started(ID, 300, **tree)
    assert (kit.finish(batch, "explorer") == 1).all() and batch.records["clicks"].max() <= 2 * 63
    kit.finish(other, "walker")
    assert batch.records["clicks"].mean() < other.records["clicks"].mean() / 3


def test_steps():
    """Icons lead, other cells do nothing, `complete` ends; observations have names and icons; steps are counted."""
    batch = kit.started(ID, level=level(), max_steps=4, view="graph", **SMALL)
    assert batch.world.get_level(batch.record()) == level()
    seen = batch.observations[0, 0]
    assert seen["facts"].tolist() == [0, 2, 4] and np.flatnonzero(seen["icons"]).tolist() == [7]
    assert seen["graph"][1].tolist() == [1, *[0] * 23, 3] and not seen["graph"][2].any()
    for action, here in (("click row 1, column 1", 0), ("click row 2, column 3", 1), ("click row 5, column 5", 2)):
        kit.act(batch, action)
        assert batch.observations[0, 0]["facts"][0] == here and not batch.rewards.any() and not batch.over()[0]
    kit.act(batch, "complete")
    assert batch.rewards[0, 0] == 1 and batch.terminations[0, 0] and not batch.truncations[0, 0]
    late = kit.act(kit.started(ID, level=level(), max_steps=1, **SMALL), "click row 1, column 1")
    assert late.truncations[0, 0] and not late.terminations[0, 0]
    early = kit.act(kit.started(ID, level=level(), **SMALL), "complete")
    assert early.rewards[0, 0] == 0 and early.terminations[0, 0]
    assert "That is another screen." in early.world.text(early.record(), 0)


def test_levels_and_records():
    world = build(ID, SMALL)
    kit.refuses(
        world,
        ({"screens": level()["screens"]}, "'screens' and 'target'"),
        ({**level(), "screens": level()["screens"][1:]}, "a list of 3"),
        (level(target=FIRST), "none of the other screens"),
        (level(icons={}), f"{THIRD} cannot be reached"),
        (level(icons={"25": THIRD}), "the cell '25'"),
        (level(icons={"3": SECOND}), "no other screen"),
        (level(icons=[THIRD]), "no mapping"),
        (level(name="Nothing"), "'Nothing' is none of the app's names"),
        (level(name=FIRST), "there twice"),
        (level(size=3), "no screen with 'name' and 'icons'"),
    )
    with pytest.raises(ParameterError, match="156 screens are too many"):
        build(ID, dict(depth=3, branching=5))
    batch = kit.started(ID, level=level(), **SMALL)
    for part, field, value, wrong in ((..., "clicks", 100, "is over"), ("level", "names", 0, "one name")):
        forged = batch.records.copy()
        forged[part][field] = value
        with pytest.raises(SnapshotError, match=wrong):
            world.admit(forged)


def test_text_and_clicks():
    batch = kit.started(ID, level=level(target=SECOND), **SMALL)
    text = batch.world.text(batch.record(), 0)
    assert f"Find the screen {SECOND}. You are at {FIRST}. Steps left: 100." in text
    assert text.endswith(f"- row 2, column 3: {SECOND}")
    assert kit.clicks(batch, 0) == {None, *range(COMPLETE)}
    graph = kit.started(ID, level=level(), view="graph", **SMALL)
    assert f"- {SECOND}: {FIRST} (row 1, column 1), {THIRD} (row 5, column 5)" in graph.world.text(graph.record(), 0)
