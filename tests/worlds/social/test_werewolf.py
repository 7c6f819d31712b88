"""Werewolf: random play against exact values and a reported simulation, nights and days step by step, baselines."""

from functools import cache

import kit
import numpy as np
import pytest
from deduction_play import finish, step
from kit import legal

from envsuite.agents import make_policy
from envsuite.core.errors import ActionError, LevelError, ParameterError
from envsuite.core.record import as_views
from envsuite.social.werewolf import DISCUSSION, DOCTOR, NIGHT, SEER, VILLAGER, VOTE, WEREWOLF, Werewolf
from envsuite.testing import random_actions

ID = "envsuite/Werewolf-v0"
LETTERS = {"v": "villager", "w": "werewolf", "s": "seer", "d": "doctor"}

# Village win of random play, two werewolves, 100,000 games of another simulation [run], two standard errors 0.0026.
REPORTED = {7: 0.1306, 8: 0.2216, 9: 0.2052}


def village_win(players, self_protection=True):
    """Of random play, exactly: over wolves, others, and whether the doctor lives. The seer changes nothing."""

    @cache
    def tested(wolves, others, doctor, then):
        if wolves == 0:
            return 1.0
        return 0.0 if wolves >= others else then(wolves, others, doctor)

    def night(wolves, others, doctor):
        total = 0.0
        for is_doctor in (0, 1):  # the victim, one of the others
            chance = (doctor if is_doctor else others - doctor) / others
            if chance:
                protectable = wolves + others - (not self_protection)
                saved = doctor / protectable if self_protection or not is_doctor else 0.0
                killed = tested(wolves, others - 1, doctor - is_doctor, vote)
                total += chance * (saved * tested(wolves, others, doctor, vote) + (1 - saved) * killed)
        return total

    def vote(wolves, others, doctor):
        alive = wolves + others
        total = wolves / alive * tested(wolves - 1, others, doctor, night)
        total += doctor / alive * tested(wolves, others - 1, 0, night)
        return total + (others - doctor) / alive * tested(wolves, others - 1, doctor, night)

    return night(2, players - 2, 1)


def started(num=1, seed=0, roles=None, **params):
    level = None if roles is None else {"roles": [LETTERS[letter] for letter in roles]}
    return kit.started(ID, num, seed, level, **params)


def votes(*targets):
    return [f"vote for player_{k}" for k in targets]


@pytest.mark.slow
@pytest.mark.parametrize(
    "players, params",
    [(7, {}), (7, dict(self_protection=False)), (8, dict(discussion=0)), (9, dict(discussion=2))],
)
def test_random_play_has_the_exact_values(players, params):
    exact = village_win(players, params.get("self_protection", True))
    if "self_protection" not in params:
        assert exact == pytest.approx(REPORTED[players], abs=0.0026)
    games = 20_000
    wins = finish(started(games, seed=1, players=players, **params))
    assert abs(wins.mean() - exact) < 4 * (exact * (1 - exact) / games) ** 0.5


def test_a_night():
    batch = started(roles="wwsdvvv")
    s = batch.record()
    assert s.phase == NIGHT and np.flatnonzero(batch.acting[0]).tolist() == [0, 1, 2, 3]
    assert legal(batch, 0) == legal(batch, 1) == {f"kill player_{k}" for k in range(2, 7)}
    assert legal(batch, 2) == {f"inspect player_{k}" for k in (0, 1, 3, 4, 5, 6)}
    assert legal(batch, 3) == {f"protect player_{k}" for k in range(7)}
    step(batch, "kill player_2", "kill player_2", "inspect player_1", "protect player_4")
    # The seer dies, and has still seen; all are shown who it was, nobody else whom it saw.
    assert s.alive.tolist() == [1, 1, 0, 1, 1, 1, 1] and s.killed[0] == 2 and s.phase == DISCUSSION
    roles = batch.observations["roles"][0]
    assert (roles[:, 2] == SEER).all() and roles[2].tolist() == [-1, WEREWOLF, SEER, -1, -1, -1, -1]
    assert roles[0].tolist() == [1, 1, 2, -1, -1, -1, -1] and roles[3].tolist() == [-1, -1, 2, 3, -1, -1, -1]
    plans = batch.observations["plans"][0]
    assert plans[0].tolist() == plans[1].tolist() == [2, 2, -1, -1, -1, -1, -1] and (plans[2:] == -1).all()
    for _ in range(6):
        assert s.speaker != 2
        step(batch, "silent")
    assert s.phase == VOTE and not batch.masks[0, 2].any()
    step(batch, *votes(4, 4, 4, 3, 4, 4))
    assert s.removed[0] == 4 and s.phase == NIGHT and s.day == 2 and (batch.observations["plans"] == -1).all()
    # The doctor saves itself, and nobody is told why nobody died.
    step(batch, "kill player_3", "kill player_3", "protect player_3")
    assert s.killed[1] == -1 and s.alive.sum() == 5 and s.phase == DISCUSSION
    assert "In night 2 nobody died." in batch.world.text(s, 5)


@pytest.mark.slow
def test_wolves_that_disagree_draw():
    batch = started(4000, roles="wwsdvvv")
    step(batch, "kill player_4", "kill player_5", "inspect player_1", "protect player_6")
    killed = batch.records["killed"][:, 0]
    assert set(killed) == {4, 5} and abs((killed == 4).mean() - 0.5) < 4 * 0.5 / 4000**0.5


def test_the_village_wins_by_votes():
    batch = started(roles="wwsdvvv")
    for victim, wolf in ((4, 0), (5, 1)):
        step(batch, *[f"kill player_{victim}"] * (2 - wolf), f"inspect player_{wolf}", "protect player_2")
        while batch.record().phase == DISCUSSION:
            step(batch, "silent")
        living = np.flatnonzero(batch.record().alive)
        step(batch, *votes(*(wolf if a != wolf else 2 for a in living)))
    assert batch.over()[0] and batch.rewards[0].tolist() == [-1, -1, 1, 1, 1, 1, 1]
    assert (batch.observations["roles"][0] == [1, 1, 2, 3, 0, 0, 0]).all()


def test_wolves_win_after_a_vote_and_after_a_night():
    won = [1, 1, 1, -1, -1, -1, -1]
    batch = started(roles="wwwsdvv", werewolves=3)
    step(batch, *["kill player_5"] * 3, "inspect player_0", "protect player_3")
    assert batch.over()[0] and batch.rewards[0].tolist() == won
    batch = started(roles="wwwsdvv", werewolves=3)
    step(batch, *["kill player_5"] * 3, "inspect player_0", "protect player_5")
    for _ in range(7):
        assert not batch.over()[0]
        step(batch, "silent")
    step(batch, *votes(5, 5, 5, 0, 5, 0, 5))
    assert batch.over()[0] and batch.rewards[0].tolist() == won and batch.record().day == 1


def test_talk_and_reports():
    batch = started(roles="wwsdvvv")
    s = batch.record()
    step(batch, "kill player_6", "kill player_6", "inspect player_1", "protect player_2")
    speech = {
        0: "claim seer",
        1: "accuse player_3",
        2: "report werewolf player_1",
        3: "claim doctor",
        4: "defend player_2",
        5: "claim villager",
    }
    for _ in range(6):
        step(batch, speech[int(s.speaker)])
    assert s.claims.tolist() == [SEER, -1, SEER, DOCTOR, -1, VILLAGER, -1]
    assert np.argwhere(s.reports).tolist() == [[2, 1]] and s.reports[2, 1] == 1
    assert np.argwhere(s.stances).tolist() == [[1, 3], [4, 2]]
    step(batch, *votes(5, 5, 5, 5, 5, 4))
    step(batch, "kill player_4", "kill player_4", "inspect player_0", "protect player_4")
    # A new talk: stances are gone, claims and reports stay.
    assert not s.stances.any() and s.reports[2, 1] == 1 and s.claims[0] == SEER and (s.messages == -1).all()
    while s.speaker != 2:
        step(batch, "silent")
    step(batch, "report innocent player_1")
    assert s.reports[2, 1] == 2  # the last word counts, true or not
    text = batch.world.text(s, 3)
    assert "player_2 says that player_1 is no werewolf" in text and "player_0 to be the seer" in text
    assert "You have seen: player_0 is a werewolf and player_1 is a werewolf." in batch.world.text(s, 2)


@pytest.mark.parametrize(("players", "werewolves"), [(5, None), (7, 3), (9, 1)])
def test_roles(players, werewolves):
    """The werewolves, one seer, one doctor, and villagers, dealt anew in every game."""
    roles = started(5, players=players, werewolves=werewolves).records["roles"]
    wolves = werewolves or 1
    expected = [VILLAGER] * (players - wolves - 2) + [WEREWOLF] * wolves + [SEER, DOCTOR]
    assert (np.sort(roles, axis=1) == sorted(expected)).all() and len(np.unique(roles, axis=0)) > 1


def test_words_and_votes():
    """A speaker may claim, accuse, defend and report, a voter may name: only others that are alive."""
    batch = started(roles="wwsdvvv")
    step(batch, "kill player_6", "kill player_6", "inspect player_1", "protect player_2")
    for _ in range(6):
        speaker = kit.mover(batch)
        others = [k for k in range(6) if k != speaker]
        aimed = {
            f"{act} player_{k}" for act in ("accuse", "defend", "report werewolf", "report innocent") for k in others
        }
        assert np.flatnonzero(batch.acting[0]).tolist() == [speaker]
        assert legal(batch) == {"silent", "claim villager", "claim seer", "claim doctor"} | aimed
        step(batch, "silent")
    for voter in range(6):
        assert legal(batch, voter) == {f"vote for player_{k}" for k in range(6) if k != voter}
    assert not batch.masks[0, 6].any()


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_rounds_of_talk(rounds):
    """The living speak in the order of the day, this number of times round; without talk the vote comes at once."""
    batch = started(roles="wwsdvvv", discussion=rounds)
    step(batch, "kill player_4", "kill player_4", "inspect player_1", "protect player_2")
    spoke = []
    while batch.record().phase == DISCUSSION:
        spoke.append(int(batch.record().speaker))
        step(batch, "silent")
    assert spoke == spoke[:6] * rounds and sorted(spoke[:6]) == [0, 1, 2, 3, 5, 6][: 6 * rounds]
    assert batch.record().phase == VOTE and batch.acting[0].sum() == 6


@pytest.mark.parametrize(("ties", "removed"), [("first", {5}), ("random", {4, 5})])
def test_ties(ties, removed):
    """A tie goes to the player that was named first, counting from player_0's vote on, or to any of the two."""
    batch = started(10, roles="wwsdvvv", discussion=0, ties=ties)
    step(batch, "kill player_6", "kill player_6", "inspect player_1", "protect player_2")
    step(batch, *votes(5, 4, 5, 4, 5, 4))
    assert set(batch.records["removed"][:, 0].tolist()) == removed


def test_without_reveal():
    batch = started(roles="wwsdvvv", reveal=False, self_protection=False)
    assert "protect player_3" not in legal(batch, 3)
    step(batch, "kill player_4", "kill player_4", "inspect player_0", "protect player_2")
    assert batch.observations["roles"][0, :, 4].tolist() == [-1, -1, -1, -1, VILLAGER, -1, -1]
    while batch.record().phase == DISCUSSION:
        step(batch, "silent")
    step(batch, *votes(3, 3, 3, 2, 3, 3))
    assert batch.observations["roles"][0, :, 3].tolist() == [-1, -1, -1, DOCTOR, -1, -1, -1]
    assert "player_3 was voted out on day 1." in batch.world.text(batch.record(), 5)
    # One more dies, the wolves are as many as the others, and all is shown.
    step(batch, "kill player_5", "kill player_5", "inspect player_1")
    assert batch.over()[0] and (batch.observations["roles"][0] == [1, 1, 2, 3, 0, 0, 0]).all()


def test_who_knows_what():
    """What a villager sees and reads is the same whoever the others are, until roles are shown."""
    batches = [started(roles=roles, seed=5) for roles in ("vwwsdvv", "vdsvvww")]
    for batch, night in zip(
        batches,
        (
            ["kill player_3", "kill player_3", "inspect player_1", "protect player_3"],
            ["protect player_4", "inspect player_3", "kill player_4", "kill player_4"],
        ),
    ):
        step(batch, *night)
    policy = make_policy("random", batches[0].world)
    policy.reset(3, 1)
    while batches[0].record().phase in (DISCUSSION, VOTE):
        seen = [batch.observations[0, 0].tobytes() for batch in batches]
        assert seen[0] == seen[1]
        assert batches[0].world.text(batches[0].record(), 0) == batches[1].world.text(batches[1].record(), 0)
        actions = policy.act_batch(batches[0].observations, batches[0].masks, range(7))
        for batch in batches:
            batch.step(actions)


def test_random_games_keep_the_rules():
    batch, rng = started(32, seed=9), np.random.default_rng(0)
    spaces = batch.world.observation_spaces
    ends = 0
    while ends < 100:
        before = batch.records.copy()
        batch.step(random_actions(batch.masks, rng))
        for i in range(32):
            old, new = before[i], batch.records[i]
            lost = np.flatnonzero(old["alive"] != new["alive"])
            assert len(lost) in {NIGHT: (0, 1), DISCUSSION: (0,), VOTE: (1,)}[int(old["phase"])]
            assert not batch.acting[i][new["alive"] == 0].any() and not new["alive"][old["alive"] == 0].any()
            if old["phase"] == NIGHT:
                assert old["roles"][lost].tolist() != [WEREWOLF]
                wishes = set(new["plans"][new["plans"] >= 0])
                doctor = np.flatnonzero((old["roles"] == DOCTOR) & (old["alive"] == 1))
                saved = {int(batch.actions[i, doctor[0]]) - (4 + 6 * 7)} if len(doctor) else set()
                assert set(lost) <= wishes - saved and (len(lost) == 1 or wishes & saved)
            wolves = (new["alive"] * (new["roles"] == WEREWOLF)).sum()
            decided = wolves == 0 or 2 * wolves >= new["alive"].sum()
            assert batch.over()[i] == decided
            if decided:
                ends += 1
                assert batch.rewards[i].tolist() == np.where((new["roles"] == WEREWOLF) == (wolves > 0), 1, -1).tolist()
            else:
                assert not batch.rewards[i].any()
        for a in range(7):
            assert spaces[a].contains({name: batch.observations[0, a][name] for name in spaces[a]})
        batch.start(where=batch.over())


def test_levels_and_parameters():
    # The share of TextArena's SecretMafia, a quarter of the players, rounded.
    table = {5: 1, 6: 2, 7: 2, 8: 2, 9: 2, 10: 2, 11: 3, 12: 3, 13: 3, 14: 4, 15: 4}
    for players, wolves in table.items():
        world = Werewolf(players=players)
        assert world.retuned({}).role_counts(_dealt(world)) == [players - wolves - 2, wolves, 1, 1]
    batch = started(roles="vwsvdwv")
    assert batch.record().roles.tolist() == [0, 1, 2, 0, 3, 1, 0]
    assert batch.world.get_level(batch.record())["roles"][:3] == ["villager", "werewolf", "seer"]
    with pytest.raises(LevelError, match="3 x villager, 2 x werewolf, 1 x seer and 1 x doctor"):
        batch.set_level(0, {"roles": ["villager"] * 7})
    with pytest.raises(ParameterError, match="werewolves=3 must be fewer than half of players=6"):
        Werewolf(players=6, werewolves=3)
    roles = started(2000).records["roles"]
    for role, count in ((VILLAGER, 3), (WEREWOLF, 2), (SEER, 1), (DOCTOR, 1)):
        held = roles == role
        assert (held.sum(axis=1) == count).all()
        share = count / 7
        assert np.abs(held.mean(axis=0) - share).max() < 4.5 * (share * (1 - share) / 2000) ** 0.5


def _dealt(world):
    records = np.zeros(1, world.record)
    world.fill(records)
    return as_views(records)[0]


def test_illegal_acts():
    batch = started(roles="wwsdvvv")
    before = batch.records.tobytes()
    for wrong in ("kill player_1", "inspect player_4", "protect player_4", "silent"):  # a fellow; others' acts
        with pytest.raises(ActionError, match=wrong):
            step(batch, wrong, "kill player_2", "inspect player_1", "protect player_4")
        assert batch.records.tobytes() == before


@pytest.mark.slow
def test_baselines():
    games = 1500
    win = {
        (many, few): finish(started(games, seed=7), (many, few)).mean()
        for many in ("random", "honest")
        for few in ("random", "quiet", "bluff")
    }
    # Standard errors are 0.013 at most. The village is far better off with a seer who speaks and others who listen.
    assert all(win["honest", few] > win["random", few] + 0.3 for few in ("random", "quiet", "bluff"))
    # Wolves are better off who vote together, and against an honest village those who lie.
    assert win["random", "random"] > win["random", "quiet"] + 0.025
    assert win["honest", "random"] > win["honest", "quiet"] + 0.025 > win["honest", "bluff"] + 0.025


def test_picture():
    batch = started(roles="wwsdvvv")
    world, s = batch.world, batch.record()
    shown = {None: 7, 0: 2, 1: 2, 2: 1, 3: 1, 4: 1}
    for agent, count in shown.items():
        labels = [shape.text for shape in world.scene(s, agent).shapes if hasattr(shape, "text")]
        assert sum(labels.count(role.name) for role in world.roles) == count and labels.count("?") == 7 - count
    seats = {shape.text: (shape.x, shape.y) for shape in world.scene(s).shapes if getattr(shape, "size", 0) == 0.62}
    for a, act in enumerate(("kill", "kill", "inspect", "protect")):
        assert world.action_names[a][world.click(s, a, *seats["5"])] == f"{act} player_5"
    assert world.click(s, 5, *seats["6"]) is None
