"""Trust game: closed forms of one round, the equilibrium by enumeration, meetings, reputation, policies, views."""

import itertools
from functools import partial

import kit
import numpy as np
import pytest

from envsuite.core.errors import ActionError, ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.registry import build

ID = "envsuite/TrustGame-v0"

started = partial(kit.started, ID)


def move(batch, **names):
    """One transition of the first world: the names of actions by player, p0, p1 and so on; the others do not act."""
    for k, known in enumerate(batch.world.action_names):
        batch.actions[0, k] = known.index(names[f"p{k}"]) if f"p{k}" in names else 0
    batch.step()
    return batch.rewards[0].tolist()


@pytest.mark.parametrize("multiplier, steps, endowment", [(3.0, 12, 10), (2.0, 4, 5), (1.5, 7, 3), (0.5, 2, 4)])
def test_one_round_of_a_pair(multiplier, steps, endowment):
    """All plans of one round: payoffs in closed form, and nothing sent or returned in the only perfect equilibrium."""
    params = dict(players=2, rounds=1, multiplier=multiplier, steps=steps, endowment=endowment)
    value = {}
    for x, k in itertools.product(range(endowment + 1), range(steps + 1)):
        batch = started(**params)
        total = np.array(move(batch, p0=f"send {x}"))
        assert batch.over()[0] == (x == 0)
        if x:
            total += move(batch, p1=f"return {k}/{steps}")
        r = k / steps
        value[x, k] = total.tolist()
        expected = [endowment - x + r * multiplier * x, (1 - r) * multiplier * x]
        assert total.tolist() == pytest.approx(expected) and batch.over()[0]
        assert (r * multiplier > 1) == (total[0] > endowment + 1e-9 or (x == 0 and r * multiplier > 1))
    answers = {x: max(range(steps + 1), key=lambda k: value[x, k][1]) for x in range(1, endowment + 1)}
    assert set(answers.values()) == {0}
    assert max(range(endowment + 1), key=lambda x: value[x, answers.get(x, 0)][0]) == 0
    largest = max(sum(pay) for pay in value.values())
    assert largest == pytest.approx(endowment * max(1, multiplier))


@pytest.mark.parametrize("trust, returns", [(0.0, 0.0), (1.0, 0.5), (0.3, 0.25), (1.0, 0.0), (0.5, 1.0)])
@pytest.mark.parametrize("partners, players", [("random", 4), ("fixed", 6), ("choice", 6)])
def test_constant_players(trust, returns, partners, players):
    """A player is an investor in half of the rounds, and all sums are closed forms; by choice, gifts may pile up."""
    world = build(ID, dict(partners=partners, players=players))
    found = play(world, [f"constant:trust={trust},returns={returns}"] * players, 3).returns
    investor, trustee = 10 * (1 - trust) + 30 * trust * returns, 30 * trust * (1 - returns)
    assert found.sum(axis=1) == pytest.approx([players * 5 * (investor + trustee)] * 3)
    if partners != "choice":
        assert found == pytest.approx(np.full((3, players), 5 * (investor + trustee)))


def test_roles_alternate_and_partners_meet():
    batch = started(80, players=8, rounds=4)
    for t in range(4):
        seen = batch.observations
        invests = seen["invests"][:, :, 0] == 1
        assert (invests == ((np.arange(8) < 4) == (t % 2 == 0))).all()
        partner = seen["partner"][:, :, 0]
        assert (partner[~invests] == -1).all()
        low = 4 if t % 2 == 0 else 0
        assert (np.sort(partner[invests].reshape(80, 4)) == low + np.arange(4)).all()
        first = partner[invests].reshape(80, 4)[:, 0]
        assert abs(np.bincount(first - low, minlength=4) - 20).max() < 20
        batch.step(0)
    assert batch.over().all()
    same = started(players=4, partners="fixed")
    assert same.observations["partner"][0, :, 0].tolist() == [2, 3, -1, -1]
    same.step(0)
    assert same.observations["partner"][0, :, 0].tolist() == [-1, -1, 0, 1]


def test_several_investors_of_one_trustee():
    batch = started(players=6, partners="choice", rounds=2)
    assert batch.world.action_names[4][11] == "send 1 to player_1"
    assert batch.observations["partner"][0, :, 0].tolist() == [-1] * 6
    paid = move(batch, p0="send 10 to player_4", p1="send 5 to player_4", p2="send 1 to player_3")
    assert paid == [0, 5, 9, 0, 0, 0]
    assert batch.observations["received"][0, :, 0].tolist() == [0, 0, 0, 3, 45, 0]
    assert batch.observations["sent"][0, 4].tolist() == [10, 5, 0, 0, 0, 0]
    assert batch.masks[0].any(axis=1).tolist() == [False, False, False, True, True, False]
    assert move(batch, p3="return 12/12", p4="return 4/12") == pytest.approx([10, 5, 3, 0, 30, 0])
    assert batch.observations["turn"][0, 0, 0] == 1 and batch.observations["invests"][0, 4, 0] == 1


def test_reputation():
    batch = started(players=2, rounds=7, depth=2)
    for share in (6, 12, 3):  # player_1 is the trustee in rounds 0, 2, 4
        move(batch, p0="send 2")
        move(batch, p1=f"return {share}/12")
        move(batch, p1="send 0")
    seen = batch.observations[0, 0]
    assert seen["shares"].tolist() == [[-1, -1], [3, 12]] and seen["amounts"].tolist() == [[0, 0], [6, 6]]
    assert started(depth=0).observations["shares"].shape == (1, 4, 4, 1)
    hidden = started(players=2, depth=0)
    move(hidden, p0="send 2")
    move(hidden, p1="return 6/12")
    assert (hidden.observations["shares"] == -1).all()


def test_what_is_seen_of_a_round():
    """The rules; gifts while trustees act, and only by them; what is earned, when the round has ended; then the end."""
    batch = started(players=4, rounds=2, endowment=6, multiplier=2.5, steps=4, partners="fixed")

    def seen(part):
        return batch.observations[part][0, :, 0].tolist()

    assert batch.observations["agent"][0, :, 0].tolist() == [0, 1, 2, 3]
    assert batch.observations["rules"][0].tolist() == [[6, 2.5, 4]] * 4
    assert (seen("turn"), seen("left"), seen("phase")) == ([0] * 4, [2] * 4, [0] * 4)
    move(batch, p0="send 4", p1="send 0")
    assert seen("phase") == [1] * 4 and seen("invests") == [1, 1, 0, 0] and seen("partner") == [2, 3, -1, -1]
    assert seen("received") == [0, 0, 10, 0] and seen("earned") == [0] * 4
    assert batch.observations["sent"][0].tolist() == [[0] * 4, [0] * 4, [4, 0, 0, 0], [0] * 4]
    move(batch, p2="return 3/4")
    assert (seen("turn"), seen("left"), seen("phase")) == ([1] * 4, [1] * 4, [0] * 4)
    assert seen("earned") == [9.5, 6, 2.5, 0] and seen("received") == [0] * 4 and seen("invests") == [0, 0, 1, 1]
    assert not batch.observations["sent"].any() and batch.record().sums.tolist() == [18, 0]
    move(batch, p2="send 0", p3="send 1")
    assert batch.observations["sent"][0].tolist() == [[0] * 4, [0, 0, 0, 1], [0] * 4, [0] * 4]
    move(batch, p1="return 0/4")
    assert batch.over()[0] and batch.record().sums.tolist() == [18, 13.5] and seen("earned") == [9.5, 8.5, 8.5, 5]
    assert (seen("turn"), seen("left"), seen("phase"), seen("invests")) == ([2] * 4, [0] * 4, [0] * 4, [0] * 4)
    assert seen("partner") == [-1] * 4 and not batch.observations["sent"].any() and not batch.masks.any()
    assert batch.observations["shares"][0, 0].tolist() == [[-1] * 3, [0, -1, -1], [3, -1, -1], [-1] * 3]
    assert batch.observations["amounts"][0, 0].tolist() == [[0] * 3, [2.5, 0, 0], [10, 0, 0], [0] * 3]
    batch.start()
    assert batch.record().sums.tolist() == [0, 0] and seen("earned") == [0] * 4
    assert (batch.observations["shares"] == -1).all()


@pytest.mark.parametrize("partners", ["fixed", "choice"])
def test_who_may_do_what(partners):
    """In both rounds: investors send up to all, and then trustees that have received something return any share."""
    batch = started(players=4, rounds=2, endowment=2, steps=3, partners=partners)
    returns = {f"return {k}/3" for k in range(4)}
    for investors, trustees in (((0, 1), (2, 3)), ((2, 3), (0, 1))):
        to = [f" to player_{k}" for k in trustees] if partners == "choice" else [""]
        sends = {"send 0", *(f"send {n}{one}" for n in (1, 2) for one in to)}
        assert all(kit.legal(batch, k) == sends for k in investors)
        assert not any(kit.legal(batch, k) for k in trustees)
        move(batch, **{f"p{investors[1]}": f"send 2{to[-1]}"})
        assert [kit.legal(batch, k) for k in (*investors, *trustees)] == [set(), set(), set(), returns]
        assert batch.observations["sent"][0, trustees[1], investors[1]] == 2
        move(batch, **{f"p{trustees[1]}": "return 1/3"})


def test_illegal_actions():
    batch = started(players=2)
    before = batch.records.tobytes()
    with pytest.raises(ActionError, match="player_0"):
        move(batch, p0="return 3/12")
    assert batch.records.tobytes() == before
    move(batch, p0="send 4")
    with pytest.raises(ActionError, match="player_1"):
        move(batch, p1="send 3")


def mean(names, num=2, **params):
    return play(build(ID, params), names, num).returns.mean(axis=0)


@pytest.mark.slow
def test_who_fares_how():
    honest = mean(["reputation"] * 4)
    assert honest == pytest.approx([150] * 4)  # all is sent, half is returned: the largest sum
    mixed = mean(["reputation", "reputation:returns=0.0"] * 2)
    assert mixed[0] > mixed[1]  # one exploit each, then nothing is sent to them
    assert mean(["constant:trust=1.0", "constant:trust=1.0,returns=0.0"] * 2)[1] > 150  # blind trust is exploited
    picked = mean(["reputation", "reputation:returns=0.0"] * 2, 6, partners="choice")
    assert picked[0] > picked[1] + 20
    clever = mean(["calculating"] + ["reputation"] * 3)
    assert clever[0] > 150 + 5  # it keeps 7/12 instead of 1/2, and all at the end
    assert mean(["random"] * 4, 40).sum() == pytest.approx(400, rel=0.08)  # half is sent: 20 a pair and round


@pytest.mark.parametrize(
    "params, message",
    [({"players": 3}, "players=3 must be even"), ({"depth": 6}, "depth=6"), ({"steps": 0}, "steps=0")],
)
def test_wrong_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        build(ID, params)


def test_wrong_states():
    batch = started(partners="fixed")
    for field, place, value, message in (
        ("partner", (0, 0), 1, "not an investor and a trustee"),
        ("partner", (0, 0), -1, "no trustee"),
        ("phase", 0, 1, "no trustee is to act"),
        ("turn", 0, 10, "all rounds have been played"),
    ):
        records = batch.records.copy()
        records[field][place] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


def test_text_and_picture():
    batch = started(players=4, partners="fixed")
    world = batch.world
    assert "How many units do you send to player_2?" in world.text(batch.record(), 0)
    move(batch, p0="send 4", p1="send 0")
    text = world.text(batch.record(), 2)
    assert "player_0 sent 4; you received 12. What share of it do you return?" in text
    scene = world.scene(batch.record(), 3).shapes
    batch.record().sent[0] = 9  # player_3 does not know it
    assert world.scene(batch.record(), 3).shapes == scene
    move(batch, p2="return 6/12")
    assert "- player_2 returned 6/12 of 12 (newest first)." in world.text(batch.record(), 1)
    for agent in (None, 0, 3):
        assert len(world.scene(batch.record(), agent).shapes) > 30
