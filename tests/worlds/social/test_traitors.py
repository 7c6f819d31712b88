"""Traitors: exact values of random play, ties as in the source, a day step by step, knowledge, baselines, metrics."""

from functools import cache

import kit
import numpy as np
import pytest
from deduction_play import finish, step

from envsuite.agents import make_policy
from envsuite.core.errors import ActionError, LevelError, ParameterError
from envsuite.evaluation import metrics
from envsuite.registry import build
from envsuite.social.traitors import (
    ACCUSE,
    CONFERENCE,
    DEFEND,
    DISCUSSION,
    MURDER,
    REACTION,
    SILENT,
    VOTE,
    Traitors,
)  # fmt: skip
from envsuite.testing import random_actions

ID = "envsuite/Traitors-v0"
QUIET = dict(discussion=0, reaction=0, confer=0)

# Faithful win probability if all removals are random, [calc] in our notes on pedrocurvo/TheTraitors: 4 pairs.
VALUES = {(10, 3): 0.06875, (8, 2): 0.15625, (12, 3): 0.10547, (5, 1): 0.46667}


@cache
def faithful_win(faithful, traitors):
    """At the start of a day, by the rules as they are stated: a vote, a night, the test."""
    total = 0.0
    for out, chance in (("traitor", traitors), ("faithful", faithful)):
        f, t = (faithful, traitors - 1) if out == "traitor" else (faithful - 1, traitors)
        if t == 0:
            value = 1.0
        else:
            f -= 1  # the night
            value = 0.0 if t >= f else faithful_win(f, t)
        total += chance / (faithful + traitors) * value
    return total


def started(num=1, seed=0, roles=None, **params):
    level = None if roles is None else {"roles": ["traitor" if letter == "t" else "faithful" for letter in roles]}
    return kit.started(ID, num, seed, level, **params)


@pytest.mark.slow
@pytest.mark.parametrize("players, traitors", VALUES)
def test_random_play_has_the_exact_values(players, traitors):
    exact = faithful_win(players - traitors, traitors)
    assert exact == pytest.approx(VALUES[players, traitors], abs=5e-6)
    games = 20_000
    if (players, traitors) in ((10, 3), (5, 1)):  # with all talk, by the compiled policy
        wins = finish(started(games, seed=1, players=players, traitors=traitors))
    else:
        batch, rng = started(games, seed=1, players=players, traitors=traitors, **QUIET), np.random.default_rng(2)
        while not batch.over().all():
            batch.step(random_actions(batch.masks, rng), ~batch.finished)
        wins = (batch.records["alive"] * (batch.records["roles"] == 1)).sum(axis=1) == 0
    assert abs(wins.mean() - exact) < 4 * (exact * (1 - exact) / games) ** 0.5


@pytest.mark.parametrize("ties", ["first", "random"])
def test_plurality_and_ties(ties):
    """Against the source's rule, max over a dict of counts: of the tied the one who was named first."""
    games = 4000
    batch, rng = started(games, ties=ties, players=8, traitors=2, **QUIET), np.random.default_rng(0)
    votes = random_actions(batch.masks, rng)
    batch.step(votes)
    names = batch.world.action_names[0]
    first, tied_games = [], 0
    for i in range(games):
        counts = {}
        for a in range(8):
            target = int(names[votes[i, a]].removeprefix("vote for player_"))
            counts[target] = counts.get(target, 0) + 1
            assert batch.records["votes"][i, 0, a] == target
        removed, tied = batch.records["removed"][i, 0], [k for k in counts if counts[k] == max(counts.values())]
        assert removed in tied
        if ties == "first":
            assert removed == max(counts, key=counts.get)
        elif len(tied) == 2:
            tied_games += 1
            first.append(removed == tied[0])
    if ties == "random":
        assert tied_games > 500 and abs(np.mean(first) - 0.5) < 4 * 0.5 / tied_games**0.5


def test_a_day():
    batch = started(roles="tfftf", players=5, traitors=2, discussion=2, reaction=1, confer=2)
    s = batch.record()
    order = s.order.tolist()
    assert sorted(order) == [0, 1, 2, 3, 4] and s.phase == DISCUSSION
    for k, speaker in enumerate(order * 2):  # twice round, in the same order
        assert np.flatnonzero(batch.acting[0]).tolist() == [speaker] == [s.speaker]
        other = (speaker + 1) % 5
        step(batch, f"accuse player_{other}" if k < 5 else f"defend player_{other}" if k < 9 else "silent")
        assert s.messages[k].tolist() == (
            [speaker, [ACCUSE, DEFEND][k >= 5], other] if k < 9 else [speaker, SILENT, -1]
        )
    stances = [int(s.stances[a, (a + 1) % 5]) for a in order]
    assert stances == [2, 2, 2, 2, 1] and s.stances.sum() == 9
    # The vote: all at once. 3 and 1 have two votes each, and player_0 named 3 before player_2 named 1.
    assert s.phase == VOTE and batch.acting[0].all()
    step(batch, *(f"vote for player_{k}" for k in (3, 3, 1, 1, 0)))
    assert (
        s.votes[0].tolist() == [3, 3, 1, 1, 0] and s.removed.tolist() == [3, -1] and s.alive.tolist() == [1, 1, 1, 0, 1]
    )
    assert (batch.observations["roles"][0, :, 3] == 1).all()  # shown to all
    # Reactions, of the living.
    assert s.phase == REACTION
    for _ in range(4):
        assert s.speaker != 3 and not batch.masks[0, 3].any()
        step(batch, "claim traitor" if s.speaker == 0 else "claim faithful")
    assert s.claims.tolist() == [1, 0, 0, -1, 0] and s.said == 14
    # The night: the one traitor left names faithful only, twice in conference and then for good.
    for phase, victim in ((CONFERENCE, 1), (CONFERENCE, 2), (MURDER, 4)):
        assert s.phase == phase and np.flatnonzero(batch.acting[0]).tolist() == [0]
        legal = kit.legal(batch, 0)
        assert legal == {"murder player_1", "murder player_2", "murder player_4"}
        assert s.alive.sum() == 4
        step(batch, f"murder player_{victim}")
        assert s.plans.tolist() == [victim, -1, -1, -1, -1]
        plans = batch.observations["plans"][0]
        assert plans[3].tolist() == plans[0].tolist() == s.plans.tolist() and (plans[[1, 2, 4]] == -1).all()
    assert s.killed.tolist() == [4, -1] and (batch.observations["roles"][0, :, 4] == 0).all()
    # The next day is a clean sheet, but claims and votes stay.
    assert s.day == 2 and s.phase == DISCUSSION and s.said == 0 and not s.stances.any() and (s.messages == -1).all()
    assert s.claims.tolist() == [1, 0, 0, -1, 0] and s.votes[0].tolist() == [3, 3, 1, 1, 0] and not s.terminated.any()
    for _ in range(6):
        step(batch, "silent")
    # The last traitor goes: no night, and the dead win with the others.
    step(batch, "vote for player_1", "vote for player_0", "vote for player_0")
    assert batch.over()[0] and batch.rewards[0].tolist() == [-1, 1, 1, -1, 1]
    assert (batch.observations["roles"][0] == [1, 0, 0, 1, 0]).all()


def test_what_can_be_said_and_named():
    """The table of actions: of another living player by day, of a living faithful by night."""
    batch = started(roles="tfftfff", players=7, traitors=2, discussion=1, reaction=1, confer=1)
    s, plain = batch.record(), {"silent", "claim faithful", "claim traitor"}
    for phase, living in ((DISCUSSION, range(7)), (REACTION, (0, 1, 2, 3, 4, 6))):
        for _ in living:
            assert s.phase == phase and s.speaker in living
            others = [k for k in living if k != s.speaker]
            assert kit.legal(batch) == plain | {f"{act} player_{k}" for act in ("accuse", "defend") for k in others}
            step(batch, "silent")
        if phase == DISCUSSION:
            for a in living:
                assert kit.legal(batch, a) == {f"vote for player_{k}" for k in living if k != a}
            step(batch, *["vote for player_5"] * 5, "vote for player_0", "vote for player_5")
    for phase in (CONFERENCE, MURDER):
        assert s.phase == phase and np.flatnonzero(batch.acting[0]).tolist() == [0, 3]
        assert all(kit.legal(batch, a) == {f"murder player_{k}" for k in (1, 2, 4, 6)} for a in (0, 3))
        step(batch, "murder player_1", "murder player_1")
    assert s.day == 2 and s.phase == DISCUSSION and s.killed[0] == 1 and s.removed[0] == 5


def test_the_game_is_decided_after_the_night():
    batch = started(roles="ttfff", players=5, traitors=2, discussion=1, reaction=2, confer=0)
    s = batch.record()
    for _ in range(5):
        step(batch, "silent")
    step(batch, "vote for player_4", *["vote for player_4"] * 3, "vote for player_0")
    for _ in range(8):
        step(batch, "silent")
    # Two traitors against two faithful: the night comes all the same.
    assert s.phase == MURDER and not batch.over()[0] and not batch.rewards.any()
    # They disagree; the wish of the first counts.
    step(batch, "murder player_3", "murder player_2")
    assert batch.over()[0] and s.killed[0] == 3 and batch.rewards[0].tolist() == [1, 1, -1, -1, -1]


def test_who_knows_what():
    """What a faithful sees, reads and may do is the same whoever the traitors are, until roles are shown."""
    batches = [started(roles=roles, seed=5) for roles in ("ftttffffff", "fffffffttt")]
    policy = make_policy("random", batches[0].world)
    policy.reset(3, 1)
    while batches[0].record().phase in (DISCUSSION, VOTE):
        seen = [batch.observations[0, [0, 4, 5]].tobytes() for batch in batches]
        words = [[batch.world.text(batch.record(), a) for a in (0, 4, 5)] for batch in batches]
        assert seen[0] == seen[1] and words[0] == words[1]
        assert batches[0].observations["roles"][0, 1].tolist() == [-1, 1, 1, 1, -1, -1, -1, -1, -1, -1]
        assert (batches[0].masks == batches[1].masks).all()
        actions = policy.act_batch(batches[0].observations, batches[0].masks, range(10))
        for batch in batches:
            batch.step(actions)
    # And no plan of the traitors ever shows in what a faithful sees.
    one, other = started(roles="tffff", players=5, traitors=1), started(roles="tffff", players=5, traitors=1)
    for batch, victim in ((one, 2), (other, 3)):
        for _ in range(10):
            step(batch, "silent")
        step(batch, "vote for player_4", *["vote for player_4"] * 3, "vote for player_1")
        for _ in range(4):
            step(batch, "silent")
        assert batch.record().phase == CONFERENCE
        step(batch, f"murder player_{victim}")
    for a in range(1, 5):
        assert one.observations[0, a].tobytes() == other.observations[0, a].tobytes()
        assert one.world.text(one.record(), a) == other.world.text(other.record(), a)
    assert one.world.text(one.record(), 0) != other.world.text(other.record(), 0)


def test_random_games_keep_the_rules():
    batch, policy = started(32, seed=9), make_policy("random", build(ID))
    policy.reset(1, 32)
    spaces = batch.world.observation_spaces
    ends = 0
    while ends < 64:
        before = batch.records.copy()
        batch.step(policy.act_batch(batch.observations, batch.masks, range(10)))
        for i in range(32):
            old, new = before[i], batch.records[i]
            dead = old["alive"] == 0
            assert not batch.acting[i][new["alive"] == 0].any() and not (new["alive"][dead]).any()
            lost = np.flatnonzero(old["alive"] != new["alive"])
            assert len(lost) == (old["phase"] in (VOTE, MURDER))
            if old["phase"] == MURDER:
                assert new["roles"][lost[0]] == 0
            for a in range(10):
                known = batch.observations["roles"][i, a]
                shown = (new["alive"] == 0) | (np.arange(10) == a) | ((new["roles"][a] == 1) & (new["roles"] == 1))
                assert (known == np.where(shown | batch.over()[i], new["roles"], -1)).all()
            traitors = (new["alive"] * (new["roles"] == 1)).sum()
            if batch.over()[i]:
                winners = new["roles"] == (traitors > 0)
                assert batch.rewards[i].tolist() == np.where(winners, 1, -1).tolist()
                assert traitors == 0 or 2 * traitors >= new["alive"].sum()
                ends += 1
            elif new["phase"] == DISCUSSION:
                assert 0 < 2 * traitors < new["alive"].sum() and not batch.rewards[i].any()
        for a in range(10):
            assert spaces[a].contains({name: batch.observations[0, a][name] for name in spaces[a]})
        batch.start(where=batch.over())


def test_illegal_acts():
    batch = started(roles="tfftffff", players=8, traitors=2, **QUIET)
    before = batch.records.tobytes()
    for wrong in ("vote for player_0", "silent", "accuse player_1", "murder player_1"):  # not itself, and only votes
        with pytest.raises(ActionError, match=f"{wrong}.* of player_0"):
            step(batch, wrong, *["vote for player_0"] * 7)
        assert batch.records.tobytes() == before
    step(batch, "vote for player_1", "vote for player_0", *["vote for player_1"] * 6)
    with pytest.raises(ActionError, match="murder player_3.* of player_0"):
        step(batch, "murder player_3", "murder player_2")  # a fellow
    with pytest.raises(ActionError, match="murder player_1.* of player_3"):
        step(batch, "murder player_2", "murder player_1")  # dead


def test_levels_and_parameters():
    batch = started(roles="fffftftfff", traitors=2)
    assert batch.record().roles.tolist() == [0, 0, 0, 0, 1, 0, 1, 0, 0, 0]
    level = batch.world.get_level(batch.record())
    assert level["roles"][4:7] == ["traitor", "faithful", "traitor"]
    for wrong, message in (
        ({"roles": ["traitor"] * 10}, "8 x faithful and 2 x traitor"),
        ({"roles": ["wizard"] * 10}, "'wizard' is no role; there are faithful and traitor"),
        ({"roles": ["faithful"]}, "8 x faithful"),
        ({"seats": []}, "a level has 'roles', not 'seats'"),
    ):
        with pytest.raises(LevelError, match=message):
            batch.set_level(0, wrong)
    roles = started(2000, traitors=2).records["roles"]
    assert (roles.sum(axis=1) == 2).all() and np.abs(roles.mean(axis=0) - 0.2).max() < 4 * (0.16 / 2000) ** 0.5
    with pytest.raises(ParameterError, match="traitors=5 must be fewer than half of players=10"):
        Traitors(traitors=5)
    with pytest.raises(ParameterError, match="ties='nobody'"):
        Traitors(ties="nobody")


@pytest.mark.slow
def test_baselines():
    games = 1500
    pairs = [(many, "bloc") for many in ("random", "bandwagon", "bayesian")] + [("random",) * 2, ("bayesian",) * 2]
    win = {pair: finish(started(games, seed=7), pair).mean() for pair in pairs}
    # Standard errors are 0.013 at most. A bloc of three decides the votes of seven who do not agree.
    assert win["random", "random"] > 0.045 > 0.02 > win["random", "bloc"]
    # Following the crowd helps a little; remembering who did not follow it helps much.
    assert win["random", "bloc"] < win["bandwagon", "bloc"] < 0.1
    assert win["bayesian", "bloc"] > 0.35 and win["bayesian", "bayesian"] > 0.35


def test_text_and_picture():
    batch = started(roles="tfftf", players=5, traitors=2, discussion=2, reaction=1, confer=2)
    world, s = batch.world, batch.record()
    assert "Your team: player_3." in world.text(s, 0) and "Your team" not in world.text(s, 1)
    first = int(s.speaker)
    text = world.text(s, first)
    assert text.endswith("You speak.")
    other = next(a for a in range(5) if a != first)
    assert f"player_{first} speaks." in world.text(s, other)
    step(batch, f"accuse player_{other}")
    assert f"- player_{first} accuses player_{other}." in world.text(s, other)
    for _ in range(9):
        step(batch, "silent")
    step(batch, *(f"vote for player_{k}" for k in (3, 3, 1, 1, 0)))
    text = world.text(s, 3)
    for part in ("player_3 was voted out on day 1, a traitor.", "You are out", "player_0 for player_3, player_1 for"):
        assert part in text
    for agent in (None, *range(5)):
        before = batch.records.tobytes()
        scene = world.scene(s, agent)
        assert batch.records.tobytes() == before
        labels = [shape.text for shape in scene.shapes if hasattr(shape, "text")]
        # Roles under the seats: a spectator sees all, a faithful itself and who has gone, a traitor its fellow too.
        assert labels.count("traitor") == (1 if agent in (1, 2, 4) else 2)
        assert labels.count("?") == {None: 0, 0: 3, 3: 3}.get(agent, 3)
    # A click on a seat is the act of the phase against who sits there.
    for _ in range(4):
        step(batch, "silent")
    seats = {shape.text: (shape.x, shape.y) for shape in world.scene(s).shapes if getattr(shape, "size", 0) == 0.62}
    assert world.action_names[0][world.click(s, 0, *seats["2"])] == "murder player_2"
    assert world.click(s, 0, *seats["3"]) is None and world.click(s, 1, *seats["2"]) is None
    assert world.click(s, 0, 6.5, 7.0) is None


def test_metrics():
    """Hand-computed: five players, 3 and 4 deceivers; two votes, player_4 gone after the first."""
    deceivers = [0, 0, 0, 1, 1]
    votes = [[4, 3, 0, 4, 0], [3, 2, 1, 1, -1]]
    removed = [4, 1]
    # Votes of 0, 1, 2: 4 yes, 3 yes, 0 no; 3 yes, 2 no, 1 no.
    assert metrics.vote_correctness(votes, deceivers) == 3 / 6
    assert metrics.identification_rate(removed, deceivers) == 1 / 2
    # In the second vote the deceiver left named who went, a faithful; in the first they lost one of theirs.
    assert metrics.deception_efficacy(votes, removed, deceivers) == 1 / 2
    # Not agreeing is no success, nor is a vote that nobody lost; votes without deceivers do not count.
    assert metrics.deception_efficacy([[1, 0, 1, 1, 0]], [1], deceivers) == 0
    assert metrics.deception_efficacy([[1, 0, 1, 1, 1], [1, 0, 1, -1, -1]], [-1, 1], deceivers) == 0
    assert metrics.vote_correctness(np.full((2, 5), -1), deceivers) == 0 == metrics.identification_rate([-1], deceivers)
    batch = started(200, seed=3)
    wins = finish(batch, ("bayesian", "bloc"))
    s = batch.records
    liars = s["roles"] == 1
    rates = metrics.identification_rate(s["removed"], liars)
    assert rates.shape == (200,) and (rates[wins] >= 3 / 4).all()  # three traitors gone in at most four votes
    for i in range(10):
        right = [liars[i, v] for row in s["votes"][i] for a, v in enumerate(row) if v >= 0 and not liars[i, a]]
        assert metrics.vote_correctness(s["votes"], liars)[i] == np.mean(right)
