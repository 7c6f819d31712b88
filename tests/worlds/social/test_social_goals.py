"""SocialGoals: a second implementation in lock-step, all agreements of situations, exact means, honest talk, views."""

import itertools
from fractions import Fraction
from functools import partial

import kit
import numpy as np
import pytest

from envsuite.core.errors import ActionError, ParameterError, SnapshotError
from envsuite.core.record import as_views
from envsuite.evaluation.matches import play
from envsuite.generators.base import generate, generator
from envsuite.registry import build
from envsuite.talk import table
from envsuite.talk.voice import sentences
from envsuite.testing import random_actions

ID = "envsuite/SocialGoals-v0"

started = partial(kit.started, ID)

#: The numbers of issues.
ISSUES = {"sell": 3, "share": 3, "meet": 3, "borrow": 2, "secret": 1}

#: What the options a, b, c, d of the first issue pay to player_0.
PAY = {"sell": (-5, -2, 2, 5), "share": (5, 2, -2, -5), "borrow": (-5, -2, 2, 5)}

SCORES = ("believability", "relationship", "knowledge", "secret", "social rules", "financial", "goal")


def level(situation="borrow", relation=0, worth=(((1, 2, 3, 4), (9, 6, 3, 0)), ((3, 2, 1, 0), (0, 4, 8, 12))), **other):
    return {
        "situation": situation,
        "relation": relation,
        "worth": [[list(options) for options in rows] for rows in worth],
        "facts": [0, 3],
        "secret": [False, True],
        **other,
    }


def scores(batch, i=0):
    return batch.records["objectives"][i].tolist()


class Talk:
    """The rules again, over words."""

    def __init__(self, level, turns):
        self.level, self.left, self.said = level, turns, []
        self.relation, self.deal, self.offer = level["relation"], {}, None
        self.revealed, self.breaches, self.talked = (set(), set()), [0, 0], set()
        self.topics = [str(k + 1) for k in range(ISSUES[level["situation"]])]

    def allowed(self):
        me = len(self.said) % 2
        heard = self.said[-1] if self.said else ""
        words = {"complain", "threaten", "small talk", "leave"}
        words |= {f"propose {k} {j}" for k in self.topics if k not in self.deal for j in "abcd"}
        words |= {f"ask {k}" for k in [*self.topics, "fact"] if k not in self.revealed[1 - me]}
        words |= {f"reveal {k}" for k in [*self.topics, "fact"] if k not in self.revealed[me]}
        if self.offer and self.offer[0] != me:
            words |= {"accept", "reject"}
        if heard.split(" ")[0] in ("accept", "reveal"):
            words.add("thank")
        return words

    def say(self, words):
        """Whether it is over then."""
        me, heard = len(self.said) % 2, self.said[-1].split(" ")[0] if self.said else ""
        first, *rest = words.split(" ")
        change = {"accept": 1, "thank": 1, "complain": -1, "threaten": -3}.get(first, 0)
        if first == "propose":
            self.offer = (me, *rest)
        if first == "accept":
            self.deal[self.offer[1]] = "abcd".index(self.offer[2])
        if first in ("accept", "reject"):
            self.offer = None
        if first == "reveal":
            self.revealed[me].add(rest[0])
        if first == "small" and me not in self.talked:
            self.talked.add(me)
            change = 1
        causeless = first == "complain" and heard not in ("reject", "complain", "threaten")
        rude = first == "leave" and heard in ("propose", "ask")
        self.breaches[me] += 5 * (first == "threaten") + 2 * causeless + 2 * rude
        self.relation = int(np.clip(self.relation + change, -5, 5))
        self.said.append(words)
        return first == "leave" or len(self.said) == self.left

    def scores(self, me):
        n, worth = len(self.topics), self.level["worth"][me]
        money = PAY.get(self.level["situation"])
        paid = money[self.deal["1"]] if money and "1" in self.deal else 0
        got = sum(worth[int(k) - 1][j] for k, j in self.deal.items())
        return [
            10,
            int(np.clip(self.relation - self.level["relation"], -5, 5)),
            10 * len(self.revealed[1 - me]) / (n + 1),
            -10 * ("fact" in self.revealed[me] and self.level["secret"][me]),
            -min(self.breaches[me], 10),
            -paid if me else paid,
            10 * got / sum(map(max, worth)),
        ]


@pytest.mark.parametrize(
    "situation, turns, num, seed", [("any", 20, 16, 7), ("borrow", 3, 10, 70), ("secret", 60, 8, 5)]
)
def test_lock_step(situation, turns, num, seed):
    """Masks, relations, ends and scores of a second implementation, in random talk in which many agree."""
    batch = started(num, seed, situation=situation, turns=turns, weights=(0, 1, 2, 0.5, 3, -1, 1))
    names, rng = batch.world.action_names[0], np.random.default_rng(seed)
    talks = [Talk(batch.world.get_level(batch.record(i)), turns) for i in range(num)]
    ends = 0
    while not batch.over().all():
        masks = batch.masks.copy()
        for i, talk in enumerate(talks):
            if not batch.over()[i]:
                me = len(talk.said) % 2
                assert {names[k] for k in np.flatnonzero(masks[i, me])} == talk.allowed()
                assert not masks[i, 1 - me].any()
                assert batch.observations["relation"][i, me].tolist() == [talk.level["relation"], talk.relation]
        masks[:, :, names.index("leave")] *= rng.random((num, 1)) < 0.3
        agreed = masks[:, :, names.index("accept")] * (rng.random((num, 1)) < 0.5) == 1
        masks[agreed] = np.arange(len(names)) == names.index("accept")
        actions, before = random_actions(masks, rng), batch.over().copy()
        batch.step(actions, ~before)
        for i in np.flatnonzero(~before):
            me = len(talks[i].said) % 2
            over = talks[i].say(names[actions[i, me]])
            assert batch.over()[i] == over
            if over:
                expected = [talks[i].scores(a) for a in range(2)]
                assert np.allclose(scores(batch, i), expected, atol=1e-12)
                assert np.allclose(batch.rewards[i], np.array(expected) @ [0, 1, 2, 0.5, 3, -1, 1])
                ends += 1
            else:
                assert not batch.rewards[i].any()
    assert ends == num


def joint(worth):
    """The largest sum of both goals, by trying all agreements; and all pairs of goals."""
    best = [sum(map(max, rows)) for rows in worth]
    pairs = [
        tuple(Fraction(10 * sum(rows[k][j] for k, j in enumerate(deal)), most) for rows, most in zip(worth, best))
        for deal in itertools.product(range(4), repeat=len(worth[0]))
    ]
    return max(map(sum, pairs)), pairs


def test_honest_talk():
    """Two sharers reach the best joint goal, on the Pareto front; their other scores are closed forms."""
    num = 20
    batch = started(num, 100)
    given = [batch.world.get_level(batch.record(i)) for i in range(num)]
    kit.finish(batch, "sharer")
    assert (batch.records["t"] <= 18).all()
    for i, one in enumerate(given):
        found, n = np.array(scores(batch, i)), ISSUES[one["situation"]]
        best, pairs = joint(one["worth"])
        goals = found[:, 6]
        assert goals.sum() == pytest.approx(float(best))
        assert not any(a > goals[0] + 1e-9 and b > goals[1] + 1e-9 for a, b in pairs)
        assert (found[:, 1] == min(5, n + 3, 5 - one["relation"])).all()
        assert found[:, 2] == pytest.approx([10 * n / (n + 1) if one["secret"][1 - a] else 10 for a in range(2)])
        assert not found[:, [3, 4]].any() and found[:, 5].sum() == 0
    assert {one["situation"] for one in given} == set(ISSUES)


#: The orders of options of both players: +1 from the first, -1 from the last, 0 drawn.
ORDERS = {
    "sell": ((1, -1), (0, 0), (-1, 1)),
    "share": ((-1, 1), (0, 0), (-1, 1)),
    "meet": ((0, 0),) * 3,
    "borrow": ((1, -1), (-1, 1)),
    "secret": ((0, 0),),
}


def mean_joint(situation):
    """The exact mean of half the largest sum of goals, over all cares, and all orders where these are drawn."""
    n = ISSUES[situation]
    total, count = 0.0, 0
    cares = np.array(list(itertools.product(range(1, 6), repeat=n)))
    for mine in cares:
        part = mine / (3 * mine.sum())
        parts = cares / (3 * cares.sum(axis=1, keepdims=True))
        best = np.zeros(len(cares))
        for k, pair in enumerate(ORDERS[situation]):
            orders = list(itertools.permutations(range(4))) if pair == (0, 0) else [(3, 2, 1, 0)]
            values = [part[k] * np.arange(4) + parts[:, [k]] * np.array(order) for order in orders]
            best += np.mean([value.max(axis=1) for value in values], axis=0)
        total, count = total + best.sum(), count + len(cares)
    return 5 * total / count


MEANS = {"sell": 6.9082, "share": 6.9082, "meet": 8.3725, "borrow": 6.0196, "secret": 8.125}


@pytest.mark.parametrize(
    "situation", [pytest.param(name, marks=[pytest.mark.slow] if n == 3 else []) for name, n in ISSUES.items()]
)
def test_situations(situation):
    """The exact mean of the page, which drawn situations have too; and their other parts."""
    assert mean_joint(situation) == pytest.approx(MEANS[situation], abs=5e-4)
    made, num = generator("situations", situation=situation), 200
    drawn = [generate("situations", seed, situation=situation) for seed in range(num)]
    found = 5 * np.array([made.describe(one)["joint"] for one in drawn])
    assert abs(found.mean() - MEANS[situation]) < 4 * found.std() / num**0.5
    assert found[:20] == pytest.approx([float(joint(one["worth"])[0]) / 2 for one in drawn[:20]])
    secrets = np.array([one["secret"] for one in drawn])
    assert secrets.all() if situation == "secret" else abs(secrets.mean() - 0.25) < 0.08
    assert {one["relation"] for one in drawn} == set(range(-5, 6))
    assert {fact for one in drawn for fact in one["facts"]} == set(range(4))
    for k, orders in enumerate(ORDERS[situation]):
        for a, order in enumerate(orders):
            rows = np.array([one["worth"][a][k] for one in drawn])
            care = rows.max(axis=1) // 3
            assert set(care) == set(range(1, 6)) and (np.sort(rows) == care[:, None] * np.arange(4)).all()
            steps = np.diff(rows) * order
            assert (steps > 0).all() if order else len({tuple(row) for row in rows // care[:, None]}) == 24


def test_what_players_see():
    batch = started(level=level())
    seen = batch.observations
    assert seen["worth"][0, 0].tolist() == [[1, 2, 3, 4], [9, 6, 3, 0], [-1] * 4]
    assert (seen["other"] == -1).all() and seen["facts"][0].tolist() == [[0, -1], [3, -1]]
    assert seen["secret"][0, :, 0].tolist() == [0, 1]
    kit.act(batch, "reveal 2", "reveal fact", "propose 1 c")
    seen = batch.observations
    assert seen["other"][0, 1].tolist() == [[-1] * 4, [9, 6, 3, 0], [-1] * 4]
    assert (seen["other"][0, 0] == -1).all()
    assert seen["facts"][0].tolist() == [[0, 3], [3, -1]]
    assert seen["revealed"][0].tolist() == [[0, 1, 0, 0], [0, 0, 0, 1]]
    assert seen["proposal"][0].tolist() == [[1, 0, 2], [2, 0, 2]]
    assert seen["last"][0].tolist() == [[2, 21], [21, 2]]
    kit.act(batch, "accept", "leave")
    assert batch.observations["settled"][0, 0].tolist() == [2, -1, -1]
    goals = 10 * 3 / 13, 10 * 1 / 15
    assert scores(batch) == [[10, 1, 10 / 3, 0, 0, 2, goals[0]], [10, 1, 10 / 3, -10, 0, -2, goals[1]]]


@pytest.mark.parametrize("situation", ISSUES)
def test_money(situation):
    """The price, rent or fee is paid by one to the other; nothing else is."""
    worth = [[[1, 2, 3, 4]] * ISSUES[situation]] * 2
    for j, option in enumerate("abcd"):
        batch = kit.act(started(level=level(situation, worth=worth)), f"propose 1 {option}", "accept", "leave")
        paid = PAY.get(situation, [0] * 4)[j]
        assert batch.records["objectives"][0, :, SCORES.index("financial")].tolist() == [paid, -paid]


def test_no_reading_of_what_is_hidden():
    """Other goals, fact and secret of the other change nothing that a player sees before they are revealed."""
    one = level()
    other = level(worth=(one["worth"][0], [[7, 7, 7, 7], [0, 1, 0, 1]]), facts=[0, 1], secret=[False, False])
    views = []
    for given in (one, other):
        batch = kit.act(started(level=given), "reveal 1", "ask 2", "propose 2 a", "threaten")
        world, s = batch.world, batch.record()
        views.append(
            (batch.observations[0, 0].tobytes(), world.text(s, 0), world.scene(s, 0).shapes, world.prompt(s, 0))
        )
    assert views[0] == views[1]


def test_guesses():
    """A guess does not read what the other has not revealed, and leaves what the agent sees as it was."""
    num = 150
    batch = kit.act(started(num, 9, situation="sell"), "reveal 1", "reveal 2")
    world, seen = batch.world, batch.observations[:, 0].copy()
    hidden = batch.records.copy()
    hidden["level"]["worth"][:, 1, [0, 2]], hidden["level"]["facts"][:, 1], hidden["level"]["secret"][:, 1] = 1, 0, 1
    with np.errstate(over="ignore"):  # words wrap around, as in machine code
        for s in (*as_views(batch.records), *as_views(hidden)):
            type(world).guess(s, 0)
    assert (hidden["level"] == batch.records["level"]).all()
    batch.observe()
    assert (batch.observations[:, 0] == seen).all()
    drawn = batch.records["level"]
    assert (np.diff(drawn["worth"][:, 1, 0]) < 0).all() and (np.diff(drawn["worth"][:, 1, 2]) > 0).all()
    assert set(drawn["worth"][:, 1, 0, 0]) == {3, 6, 9, 12, 15} and set(drawn["facts"][:, 1]) == set(range(4))
    assert 0.13 < drawn["secret"][:, 1].mean() < 0.37


def mean(*names):
    return play(build(ID, {}), names, 10).returns.mean(axis=0)


@pytest.mark.slow
def test_policies():
    """Honest sharers do best together; each baseline beats random play; a listener gains from a sharer's openness."""
    honest = mean("sharer", "sharer")
    assert (honest > mean("haggler", "haggler") + 5).all() and (honest > mean("listener", "listener") + 5).all()
    chance = mean("random", "random").mean()
    assert all(mean(name, "random")[0] > chance + 4 for name in ("sharer", "haggler", "listener"))
    used = mean("sharer", "listener")
    assert used[1] > used[0] + 2


def test_illegal_acts():
    batch = started(level=level())
    before = batch.records.tobytes()
    for words in ("accept", "reject", "thank", "propose 3 a", "ask 3", "reveal 3"):
        with pytest.raises(ActionError, match="player_0"):
            kit.act(batch, words)
        assert batch.records.tobytes() == before
    kit.act(batch, "propose 1 a")
    kit.act(batch, "accept")
    with pytest.raises(ActionError, match="player_0"):
        kit.act(batch, "propose 1 b")


def test_who_hears_an_act():
    """Both hear every act of the one whose turn it is; each has a consequence, so words cannot replace it."""
    batch = started(level=level())
    world, s = batch.world, batch.record()
    for player, words in enumerate(("propose 1 a", "accept", "reveal fact", "small talk", "leave")):
        heard = [world.speech(s, a, world.action_names[a].index(words)) for a in range(2)]
        assert heard[player % 2] == range(2) and heard[1 - player % 2] is None
        kit.act(batch, words)
    assert sentences(world, "propose 2 c")[0] == "For issue 2, how about option c?"
    assert set(sentences(world, "ask fact")).isdisjoint(sentences(world, "ask 1"))
    assert set(sentences(world, "reveal fact")).isdisjoint(sentences(world, "reveal 1"))
    with pytest.raises(ParameterError, match="say=True"):
        table.Talk("free").demand(world)
    table.Talk("beside").demand(world)


def test_say_changes_nothing_but_whose_turn_it_is():
    world = build(ID, {"say": True})
    assert world.action_names[0] == (*build(ID, {}).action_names[0], "say")
    table.Talk("free").demand(world)
    batch = started(level=level(), say=True)
    before = batch.records.copy()
    kit.act(batch, "say")
    changed = [name for name in before.dtype.names if (batch.records[name] != before[name]).any()]
    assert changed == ["t", "player", "log"]
    assert "Last, player_0: says something." in world.text(batch.record(), 1)
    kit.act(batch, "complain")
    assert batch.record().conduct.tolist() == [0, -2]
    assert sentences(world, "say") == ()


def test_in_free_talk_questions_are_not_shown():
    batch = started(level=level(), say=True)
    world, texts = batch.world, []
    for words in ("ask 1", "ask fact", "say"):
        other = started(level=level(), say=True)
        kit.act(other, words)
        texts.append(world.text(world.unspoken(other.record()), 1))
    assert len(set(texts)) == 1 and "asks" not in texts[0]
    kit.act(batch, "reveal 1")
    assert world.text(world.unspoken(batch.record()), 1) == world.text(batch.record(), 1)


def test_levels():
    one = level()
    assert kit.started(ID, level=one).world.get_level(kit.started(ID, level=one).record()) == one
    kit.refuses(
        build(ID, {}),
        ({**one, "extra": 1}, "a level has"),
        (level(situation="sale"), "situation='sale' is unknown"),
        (level(relation=6), "relation=6 must be an integer from -5 to 5"),
        (level(facts=[0, 4]), r"facts\[1\]=4 must be an integer from 0 to 3"),
        (level(secret=[0, 1]), "'secret' must be two flags"),
        (level(worth=one["worth"][:1]), "worth must be 2 lists of 2 lists of 4 integers"),
        (level(worth=[[[0, 0, 0, 16]] * 2, [[1] * 4] * 2]), r"worth\[0\]\[0\]\[3\]=16 must be an integer from 0 to 15"),
        (level(worth=[[[1] * 4] * 2, [[0] * 4] * 2]), "all 0 for player_1"),
    )
    train = {str(generate("situations", seed, "train", situation="secret")) for seed in range(15)}
    assert not train & {str(generate("situations", seed, "test", situation="secret")) for seed in range(15)}


@pytest.mark.parametrize(
    "params, message",
    [
        ({"turns": 0}, "turns=0"),
        ({"situation": "sale"}, "situation"),
        ({"weights": (1, 2)}, "2 weights are given for 7"),
    ],
)
def test_wrong_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        build(ID, params)


def test_wrong_states():
    batch = kit.act(started(level=level(), turns=6), "propose 1 a", "reveal 1")
    for field, place, value, message in (
        ("t", 0, 6, "all acts have been made"),
        ("player", 0, 1, "the other's turn"),
        ("issue", 0, 2, "standing proposal"),
        ("option", 0, -1, "standing proposal"),
        ("log", (0, 1), -1, "an act is missing"),
    ):
        records = batch.records.copy()
        records[field][place] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


def test_text_and_clicks():
    batch = started(level=level())
    world, s = batch.world, batch.record()
    assert {None, *range(8)} == kit.clicks(batch, 0)
    kit.act(batch, "propose 1 d", "reveal 2")
    text = world.text(s, 0)
    assert "1. fee, worth to you: a: $0 = 1, b: $6 = 2, c: $14 = 3, d: $20 = 4." in text
    assert "To player_1: 0, 4, 8, 12." in text and "Your proposal stands: 1 d." in text
    assert world.messages(s) == [(0, "proposes fee: $20"), (1, "reveals time: 0 4 8 12")]
    kit.act(batch, "leave")
    assert "Your scores: believability 10, relationship 0, knowledge 3.33" in world.text(s, 0)
