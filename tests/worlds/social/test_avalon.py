"""Avalon: exact values, AvalonBench's engine, a second implementation, all deals of five players, policies."""

import itertools
import json
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache, partial
from math import comb

import kit
import numpy as np
import pytest
from deduction_play import step
from scipy.stats import chisquare

from envsuite.core.errors import ActionError, ParameterError, SnapshotError
from envsuite.registry import build
from envsuite.testing import random_actions

ID = "envsuite/Avalon-v0"

started = partial(kit.started, ID)

EVIL = {5: 2, 6: 2, 7: 3, 8: 3, 9: 3, 10: 4}
SIZES = {5: "23233", 6: "23434", 7: "23344", 8: "34455", 9: "34455", 10: "34455"}
NAMES = ["servant", "Merlin", "Percival", "minion", "assassin", "Morgana", "Mordred", "Oberon"]
BAD = NAMES[3:]

# Random play.


@cache
def good_wins(players, fail, accepted=1):
    """If teams are random, evil members fail with a probability, and a quest has a team with the probability `accepted`
    (or evil wins), and the assassin names any good player."""
    evil, fail = EVIL[players], Fraction(fail)

    @cache
    def from_here(won, lost):
        if lost == 3:
            return Fraction(0)
        if won == 3:
            return 1 - Fraction(1, players - evil)
        quest, breaks = won + lost, Fraction(0)
        size, needed = int(SIZES[players][quest]), 2 if players >= 7 and quest == 3 else 1
        for members in range(min(evil, size) + 1):
            share = Fraction(comb(evil, members) * comb(players - evil, size - members), comb(players, size))
            breaks += share * sum(
                comb(members, k) * fail**k * (1 - fail) ** (members - k) for k in range(needed, members + 1)
            )
        return accepted * (breaks * from_here(won, lost + 1) + (1 - breaks) * from_here(won + 1, lost))

    return from_here(0, 0)


def passes(players):
    """The probability that random votes approve a team."""
    return Fraction(sum(comb(players, k) for k in range(players // 2 + 1, players + 1)), 2**players)


def played(num, seed=1, always=False, **params):
    """Random games; with `always`, evil members always fail."""
    batch, rng = started(num, seed, **params), np.random.default_rng(seed)
    while not batch.over().all():
        masks = batch.masks.copy()
        if always:
            masks[:, :, 6] &= 1 - masks[:, :, 7]
        batch.step(random_actions(masks, rng), ~batch.over())
    return batch.records["winner"] == 0


def close(wins, p):
    assert abs(wins.mean() - float(p)) < 4 * (float(p) * (1 - float(p)) / len(wins)) ** 0.5


@pytest.mark.parametrize(
    "players, always, coins",
    [(5, 0.02443, 0.37732), (6, 0.02819, 0.41759), (7, 0.02535, 0.42807), (8, 0.00846, 0.36704),
     (9, 0.03027, 0.46224), (10, 0.00817, 0.34952)],
)  # fmt: skip
def test_page_states_exact_values(players, always, coins):
    assert float(good_wins(players, 1)) == pytest.approx(always, abs=5e-6)
    assert float(good_wins(players, Fraction(1, 2))) == pytest.approx(coins, abs=5e-6)


def test_random_play():
    close(played(1000, discussion=0, players=7, percival=True), good_wins(7, Fraction(1, 2)))


@pytest.mark.slow
@pytest.mark.parametrize("players", range(5, 11))
def test_random_play_of_all_sizes(players):
    close(played(4000, players=players, discussion=0), good_wins(players, Fraction(1, 2)))
    close(played(2000, players=players, discussion=0, always=True), good_wins(players, 1))
    accepted = 1 - (1 - passes(players)) ** 5
    close(played(2000, players=players, discussion=0, fifth="lost"), good_wins(players, Fraction(1, 2), accepted))


# AvalonBench's engine.


def recordings():
    return json.loads((kit.DATA / "Avalon" / "avalon.json").read_text())


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
def test_avalonbench(part):
    """Its phases, leaders, quests, ends and winners, with the same roles, first leader and choices.

    It asks for votes on the fifth team too, passes the leader on with the team, and shows more of the named roles.
    """
    for game in recordings()[part::3]:
        players = game["players"]
        roles = [name if name in NAMES else name.lower() for name in game["roles"]]
        level = {"roles": roles, "first": game["first"]}
        batch = started(players=players, discussion=0, **dict.fromkeys(game["named"], True), level=level)
        s, world = batch.record(), batch.world
        named = {"mordred", "oberon", "percival"} & set(game["named"])
        for a in range(players):
            sides = batch.observations[0, a]["sides"]
            theirs = [{0: 1, 1: 0}.get(side) for side in game["sides"][a]]
            for b in range(players):
                if a == b or (not named and theirs[b] == 1):
                    assert sides[b] == theirs[b]
                assert sides[b] != 1 or theirs[b] == 1
        phase, rejected = 0, 0
        for choice, (after, leader, results, done) in game["choices"]:
            if phase == 0:
                assert kit.mover(batch) == s.leader
                for k, a in enumerate(choice):
                    assert s.phase == 0 and s.teams[s.proposal].sum() == k
                    step(batch, f"pick player_{a}")
                assert leader == (s.leader + 1) % players
            elif phase == 1 and rejected < 4:
                step(batch, *("approve" if vote else "reject" for vote in choice))
            elif phase == 2:
                step(batch, *("succeed" if card else "fail" for card in choice))
            elif phase == 3:
                assert world.action_names[0][kit.mover(batch)] and s.roles[kit.mover(batch)] == 4
                step(batch, f"name player_{choice}")
            rejected = rejected + 1 if phase == 1 and after == 0 else 0 if phase != 0 else rejected
            phase = after
            needed = s.params.needed[: len(results)]
            assert (s.fails[: len(results)] < needed).astype(int).tolist() == results
            assert len(results) == (s.fails >= 0).sum()
            assert bool(done) == batch.over()[0]
            ours = {0: 0, 1: 2, 2: 3, 3: 4}[after]
            if done:
                assert (s.winner == 0) == bool(game["good"])
            elif not (phase == 1 and rejected == 4):  # the forced team is on its way already
                assert s.phase == ours
            else:
                assert s.phase == 3


# A second implementation.


class Game:
    """The rules a second time, with names and lists."""

    def __init__(self, roles, first, params):
        self.roles, self.n, self.params = roles, len(roles), params
        self.leader, self.team, self.proposals, self.quests = first, [], [], []
        self.phase, self.rounds, self.talk, self.claims, self.lost, self.stance = "pick", 0, [], {}, 0, {}
        self.winner = self.named = None

    @property
    def size(self):
        return int(SIZES[self.n][min(len(self.quests), 4)])

    @property
    def forced(self):
        return self.params.get("fifth", "forced") == "forced" and self.lost == 4

    def results(self):
        return [f < (2 if self.n >= 7 and q == 3 else 1) for q, (_, f) in enumerate(self.quests)]

    def movers(self):
        if self.winner:
            return []
        return {
            "pick": [self.leader],
            "talk": [(self.leader + len(self.talk)) % self.n],
            "vote": list(range(self.n)),
            "quest": sorted(self.team),
            "name": [self.roles.index("assassin")],
        }[self.phase]

    def moves(self, a):
        others = [f"player_{b}" for b in range(self.n) if b != a]
        if self.phase == "pick":
            return {f"pick player_{b}" for b in range(self.n) if b not in self.team}
        if self.phase == "talk":
            percival = {"claim Percival"} if "Percival" in self.roles else set()
            return percival | {"silent", "claim servant", "claim Merlin"} | {
                f"{act} {b}" for act in ("accuse", "defend") for b in others
            }  # fmt: skip
        if self.phase == "vote":
            return {"approve", "reject"}
        if self.phase == "quest":
            return {"succeed", "fail"} if self.roles[a] in BAD else {"succeed"}
        return {f"name player_{b}" for b in range(self.n) if b != a and not self.sees_evil(a, b)}

    def sees_evil(self, a, b):
        mine, role = self.roles[a], self.roles[b]
        if mine == "Merlin":
            return role in BAD and role != "Mordred"
        return mine in BAD and role in BAD and "Oberon" not in (mine, role)

    def side(self, a, b):
        if a == b:
            return int(self.roles[a] in BAD)
        if self.roles[a] == "Percival" and self.roles[b] in ("Merlin", "Morgana"):
            return 2
        return 1 if self.sees_evil(a, b) else -1

    def ready(self):
        self.phase = "quest"

    def play(self, chosen):
        """The moves of all that act, by player."""
        if self.phase == "pick":
            self.team.append(int(chosen[self.leader].rpartition("_")[2]))
            if len(self.team) == self.size:
                self.talk, self.stance = [], {}
                rounds = self.params.get("discussion", 1)
                self.phase = "quest" if self.forced else "talk" if rounds else "vote"
                self.votes = {}
        elif self.phase == "talk":
            ((a, said),) = chosen.items()
            self.talk.append((a, said))
            verb, _, whom = said.partition(" ")
            if verb == "claim":
                self.claims[a] = whom
            elif verb != "silent":
                self.stance[a, int(whom[7:])] = 1 if verb == "accuse" else 2
            if len(self.talk) == self.params.get("discussion", 1) * self.n:
                self.phase = "vote"
        elif self.phase == "vote":
            self.votes = {a: move == "approve" for a, move in chosen.items()}
            if sum(self.votes.values()) * 2 > self.n:
                self.phase = "quest"
            elif self.lost == 4:
                self.winner = "evil"
            else:
                self.lost += 1
                self.next()
        elif self.phase == "quest":
            self.quests.append((len(self.proposals), sum(move == "fail" for move in chosen.values())))
            if self.results().count(False) == 3:
                self.winner = "evil"
            elif self.results().count(True) == 3:
                self.phase = "name"
            else:
                self.lost = 0
                self.next()
        else:
            ((_, move),) = chosen.items()
            self.winner = "evil" if self.roles[int(move.rpartition("_")[2])] == "Merlin" else "good"

    def next(self):
        self.proposals.append((self.team, self.votes))
        self.leader, self.team, self.votes, self.phase = (self.leader + 1) % self.n, [], {}, "pick"

    def seen(self, a):
        rows = [*self.proposals, (self.team, getattr(self, "votes", {}))]
        teams, votes = np.zeros((25, self.n), int), np.full((25, self.n), -1)
        for k, (team, ballots) in enumerate(rows):
            teams[k, team] = 1
            for b, vote in ballots.items():
                votes[k, b] = vote
        went, fails = [k for k, _ in self.quests], [f for _, f in self.quests]
        if self.phase == "quest" and len(went) == len(self.results()) and not self.winner:
            went = [*went, len(self.proposals)]
        words = ["silent", "claim servant", "claim Merlin", "claim Percival", *[""] * 4, "accuse", "defend"]
        messages = np.full((max(1, self.params.get("discussion", 1) * self.n), 3), -1)
        for k, (b, said) in enumerate(self.talk):
            aim = said.split("_")
            messages[k] = b, words.index(aim[0].removesuffix(" player")), int(aim[1]) if len(aim) > 1 else -1
        stances = np.zeros((self.n, self.n), int)
        for (b, c), stance in self.stance.items():
            stances[b, c] = stance
        over = bool(self.winner)
        done = over or self.phase == "name"
        return dict(
            agent=[a],
            leader=[self.leader],
            quest=[len(self.quests) - (done and len(self.quests) == len(went) and not self.lost_by_vote())],
            rejected=[self.lost],
            proposal=[len(self.proposals)],
            roles=[NAMES.index(role) if over or a == b else -1 for b, role in enumerate(self.roles)],
            sides=[self.side(a, b) for b in range(self.n)],
            teams=teams.tolist(),
            votes=votes.tolist(),
            went=went + [-1] * (5 - len(went)),
            fails=fails + [-1] * (5 - len(fails)),
            claims=[NAMES.index(self.claims[b]) if b in self.claims else -1 for b in range(self.n)],
            stances=stances.tolist(),
            messages=messages.tolist(),
            speaker=[self.movers()[0] if self.phase == "talk" else -1],
            phase=[["pick", "talk", "vote", "quest", "name"].index(self.phase)],
            needed=[2 if self.n >= 7 and quest == 3 else 1 for quest in range(5)],
            sizes=[int(size) for size in SIZES[self.n]],
            counts=[self.roles.count(name) for name in NAMES],
        )

    def lost_by_vote(self):
        return self.phase == "vote" and self.winner == "evil"


ALL = dict(percival=True, morgana=True)


def follow(params, num):
    """Random games, in which most teams are rejected in every second one."""
    batch, rng = started(num, seed=len(params), **params), np.random.default_rng(3)
    world, names = batch.world, batch.world.action_names[0]
    games = [
        Game(level["roles"], level["first"], params) for level in map(world.get_level, map(batch.record, range(num)))
    ]
    while not batch.over().all():
        going = ~batch.over()
        for i in np.flatnonzero(going):
            game = games[i]
            assert np.flatnonzero(batch.acting[i]).tolist() == game.movers()
            for a in range(game.n):
                expected = game.seen(a)
                seen = batch.observations[i, a]
                for part, value in expected.items():
                    assert seen[part].tolist() == value, part
                if a in game.movers():
                    assert {names[k] for k in np.flatnonzero(batch.masks[i, a])} == game.moves(a)
        actions = random_actions(batch.masks, rng)
        voting = batch.masks[:, :, 4] != 0
        refuse = rng.random(voting.shape) < 0.4
        actions[voting & refuse & (np.arange(num) % 2 == 0)[:, None]] = 5
        before = batch.acting.copy()
        batch.step(actions, going)
        rewards = batch.rewards.copy()
        batch.observe()
        for i in np.flatnonzero(going):
            game = games[i]
            game.play({a: names[actions[i, a]] for a in np.flatnonzero(before[i])})
            pay = [0.0 if not game.winner else 1.0 if (role in BAD) == (game.winner == "evil") else -1.0
                   for role in game.roles]  # fmt: skip
            assert rewards[i].tolist() == pay
            assert bool(game.winner) == batch.over()[i] == bool(batch.terminations[i].all())
            world.admit(batch.records[[i]].copy())
    for i, game in enumerate(games):
        for a in range(game.n):
            assert batch.observations[i, a]["roles"].tolist() == game.seen(a)["roles"]


@pytest.mark.parametrize(
    "params",
    [dict(discussion=2), dict(ALL, players=10, mordred=True, oberon=True, fifth="lost", discussion=0),
     *(pytest.param(params, marks=pytest.mark.slow) for params in (
         dict(ALL, fifth="lost"), dict(players=7, discussion=0, mordred=True, oberon=True)))],
)  # fmt: skip
def test_lock_step(params):
    follow(params, 3)


def test_one_game():
    follow(dict(discussion=0), 1)


# Rules, one by one.

ROLES = ["Merlin", "servant", "servant", "minion", "assassin"]
LEVEL = {"roles": ROLES, "first": 4}


def to_quest(batch, *team):
    """Pick a team, say nothing and approve it."""
    for a in team:
        step(batch, f"pick player_{a}")
    while batch.record().phase == 1:
        step(batch, "silent")
    step(batch, "approve")


def test_a_game():
    batch = started(level=LEVEL)
    s = batch.record()
    assert kit.mover(batch) == 4
    step(batch, "pick player_4")
    assert kit.legal(batch) == {f"pick player_{a}" for a in range(4)}
    step(batch, "pick player_0")
    for speaker in (4, 0, 1, 2, 3):
        assert kit.mover(batch) == s.speaker == speaker
        step(batch, f"accuse player_{(speaker + 1) % 5}" if speaker else "claim Merlin")
    assert s.claims.tolist() == [1, -1, -1, -1, -1] and s.stances.sum() == 4 and s.stances[4, 0] == 1
    step(batch, "approve", "approve", "reject", "reject", "reject")
    assert s.leader == 0 and s.rejected == 1 and s.phase == 0 and s.quest == 0 and s.said == 5
    to_quest(batch, 0, 3)
    assert np.flatnonzero(batch.acting[0]).tolist() == [0, 3]
    with pytest.raises(ActionError, match="fail"):
        step(batch, "fail", "succeed")  # Merlin is good
    step(batch, "succeed", "fail")
    assert s.fails.tolist() == [1, -1, -1, -1, -1] and s.went[0] == 1 and s.rejected == 0 and s.leader == 1
    to_quest(batch, 0, 1, 3)
    step(batch, "succeed")
    to_quest(batch, 0, 1)
    step(batch, "succeed")
    assert not batch.over()[0] and s.quest == 3
    to_quest(batch, 0, 1, 2)
    step(batch, "succeed")
    assert s.phase == 4 and np.flatnonzero(batch.acting[0]).tolist() == [4]
    assert kit.legal(batch, 4) == {f"name player_{a}" for a in range(3)}  # not its fellow
    step(batch, "name player_0")
    assert batch.rewards[0].tolist() == [-1, -1, -1, 1, 1] and batch.terminations.all()


def test_four_quests_with_two_fails():
    batch = started(players=7, discussion=0, level={"roles": [*ROLES, "servant", "minion"], "first": 0})
    s = batch.record()
    to_quest(batch, 0, 1)
    step(batch, "succeed")
    to_quest(batch, 0, 1, 3)
    step(batch, "succeed", "succeed", "fail")
    to_quest(batch, 0, 1, 3)
    step(batch, "succeed", "succeed", "fail")
    to_quest(batch, 0, 1, 2, 3)
    step(batch, "succeed", "succeed", "succeed", "fail")
    assert s.fails.tolist() == [0, 1, 1, 1, -1] and s.quest == 4 and not batch.over()[0]
    to_quest(batch, 0, 1, 2, 3)
    step(batch, "succeed", "succeed", "succeed", "fail")
    assert batch.rewards[0].tolist() == [-1, -1, -1, 1, 1, -1, 1]


@pytest.mark.parametrize("fifth", ["forced", "lost"])
def test_five_teams(fifth):
    batch = started(discussion=0, fifth=fifth, level=LEVEL)
    s = batch.record()
    for k in range(5):
        assert (s.rejected, s.proposal, s.leader) == (k, k, (4 + k) % 5)
        step(batch, "pick player_0")
        step(batch, "pick player_1")
        if k < 4 or fifth == "lost":
            step(batch, "approve", "approve", "reject", "reject", "reject")
    if fifth == "lost":
        assert batch.rewards[0].tolist() == [-1, -1, -1, 1, 1]
    else:
        assert s.phase == 3 and s.went[0] == 4 and (s.votes[4] == -1).all()
        step(batch, "succeed")
        assert s.rejected == 0 and s.quest == 1 and s.leader == 4


# Who knows what.


def test_deals_and_leaders_are_uniform():
    batch = started(6000, seed=2, **ALL)
    deals = Counter(tuple(roles) for roles in batch.records["roles"].tolist())
    assert len(deals) == 120 and chisquare(list(deals.values())).pvalue > 1e-4
    assert chisquare(np.bincount(batch.records["first"])).pvalue > 1e-4


def script(batch, rng):
    """Choices that do not depend on roles: random ones, but no fails; for all worlds the same."""
    masks = batch.masks.min(axis=0, initial=1, where=batch.acting.any(axis=1)[:, None, None])
    actions = random_actions(masks, rng)
    return np.tile(actions, (batch.num, 1))


def test_no_agent_learns_more_than_it_is_shown():
    """All 120 deals of five players, in one course of play: the classes of deals that an agent can tell apart are those
    that the roles allow, until the roles are shown; texts and pictures are the same within a class."""
    deals = list(itertools.permutations(["Merlin", "Percival", "servant", "Morgana", "assassin"]))
    batch = started(len(deals), level=[{"roles": list(deal), "first": 2} for deal in deals], **ALL)
    world, rng = batch.world, np.random.default_rng(4)
    games = [Game(list(deal), 2, ALL) for deal in deals]
    allowed = [[(deal[a], *(game.side(a, b) for b in range(5))) for deal, game in zip(deals, games)] for a in range(5)]
    for moment in range(60):
        if batch.records["phase"][0] == 4:
            break
        for a in range(5):
            groups = defaultdict(set)
            for i, known in enumerate(allowed[a]):
                groups[known].add(batch.observations[i, a].tobytes() + batch.masks[i, a].tobytes())
            assert all(len(group) == 1 for group in groups.values())
            assert len(set.union(*groups.values())) == len(groups)
            if moment % 30 == 9:
                words = defaultdict(set)
                for i in range(0, 120, 5):
                    s = batch.record(i)
                    words[allowed[a][i]].add(
                        (world.text(s, a), world.reply(s, a), str(world.scene(s, a).shapes), world.prompt(s, a))
                    )
                assert all(len(group) == 1 for group in words.values())
        batch.step(script(batch, rng))
    assert batch.records["phase"][0] == 4 and moment > 20


def test_cards_are_secret():
    """Who failed is not seen: only how many did."""
    level = {"roles": ["minion", "assassin", "Merlin", "servant", "servant"], "first": 0}
    batch = started(2, discussion=0, level=level)
    for a in (0, 1):
        batch.step(batch.world.action_names[0].index(f"pick player_{a}"))
    batch.step(4)
    actions = np.zeros((2, 5), int)
    actions[:, :2] = [[6, 7], [7, 6]]
    batch.step(actions)
    one, other = (batch.observations[i].tobytes() for i in range(2))
    assert one == other and batch.observations[0, 3]["fails"][0] == 1


# Levels, parameters, snapshots.


def test_levels():
    batch = started(level=LEVEL)
    assert batch.world.get_level(batch.record()) == LEVEL
    kit.refuses(
        batch.world,
        ({}, "not nothing"),
        ({"roles": ROLES}, "a level has 'roles' and 'first', not 'roles'"),
        ({"roles": "Merlin", "first": 0}, "'roles' must be a list of servant, Merlin"),
        ({"roles": ["wizard", *ROLES[1:]], "first": 0}, "must be a list of"),
        ({"roles": [*ROLES[:4], "minion"], "first": 0}, "2 x servant, 1 x Merlin, 1 x minion and 1 x assassin"),
        ({"roles": ROLES, "first": 5}, "first=5 must be an integer from 0 to 4"),
        ({"roles": ROLES, "first": True}, "first=True must be an integer from 0 to 4"),
    )


def test_wrong_parameters_and_states():
    for params in (dict(players=4), dict(players=11), dict(discussion=5), dict(fifth="good")):
        with pytest.raises(ParameterError, match=next(iter(params))):
            build(ID, params)
    with pytest.raises(ParameterError, match="the assassin and the named ones are 3, but players=5 have 2 evil"):
        build(ID, dict(morgana=True, mordred=True))
    batch = started(level=LEVEL)
    to_quest(batch, 0, 1)
    step(batch, "succeed")
    step(batch, "pick player_0")
    for field, place, value, message in (
        ("roles", (0, 0), 0, "the roles are not those"),
        ("leader", 0, 2, "another player leads"),
        ("winner", 0, 1, "the game ends for all"),
        ("teams", (0, 0, 2), 1, "proposal 0 has too many or too few"),
        ("teams", (0, 1), [1, 1, 1, 0, 0], "proposal 1 has too many or too few"),
        ("teams", (0, 2, 0), 1, "teams or votes to come"),
        ("votes", (0, 0, 2), -1, "votes of proposal 0"),
        ("votes", (0, 1), 1, "votes of proposal 1"),
        ("votes", (0, 0), 0, "miscounted"),
        ("quest", 0, 2, "miscounted"),
        ("went", (0, 0), -1, "miscounted"),
        ("fails", (0, 0), -1, "in their order"),
        ("fails", (0, 0), 1, "more members failed"),
        ("phase", 0, 4, "too many or too few"),
        ("speaker", 0, 1, "another player's turn"),
        ("said", 0, 5, None),
        ("named", 0, 1, "named nobody"),
        ("messages", (0, 0, 0), 9, "messages"),
    ):
        records = batch.records.copy()
        records[field][place] = value
        if message:
            with pytest.raises(SnapshotError, match=message):
                batch.world.admit(records)
        else:
            batch.world.admit(records)


# Words, picture, clicks.


def test_text_picture_and_clicks():
    batch = started(level=LEVEL)
    world, s = batch.world, batch.record()
    assert "You know: player_3 and player_4 are evil." in world.text(s, 0)
    assert "You know" not in world.text(s, 1) and "You know: player_4 is evil." in world.text(s, 3)
    assert kit.clicks(batch, 4, 0.5, 0.5) - {None} == set(np.flatnonzero(batch.masks[0, 4]).tolist())
    for a in (0, 3):
        step(batch, f"pick player_{a}")
    step(batch, "accuse player_3")
    assert world.messages(s) == [(4, "player_4 accuses player_3.")]
    assert world.text(s, 0).endswith("You speak.")
    for _ in range(4):
        step(batch, "silent")
    step(batch, "approve")
    step(batch, "succeed", "fail")
    text = world.text(s, 1)
    assert "Quest 1: 2 members; player_0 and player_3 failed, 1 fail." in text
    assert "Team 1, picked by player_4: player_0 and player_3; approved by player_0, player_1" in text
    for agent in (None, *range(5)):
        words = [shape.text for shape in world.scene(s, agent).shapes if hasattr(shape, "text")]
        assert words.count("assassin") == (agent in (None, 4)) and words.count("evil") == {0: 2, 3: 1, 4: 1}.get(
            agent, 0
        )
        assert words.count("?") == {None: 0, 0: 2, 3: 3, 4: 3}.get(agent, 4)


# Policies.


def posterior(game, own, betrayal=0.8, loyalty=0.6):
    """The weight of each set of evil players for a servant, by its definition."""
    betrayal, loyalty = 0.01 + 0.98 * betrayal, 0.01 + 0.98 * loyalty
    found = {}
    for evil in itertools.combinations([a for a in range(game.n) if a != own], EVIL[game.n]):
        value = 1.0
        rows = [*game.proposals, (game.team, getattr(game, "votes", {}))]
        for k, fails in game.quests:
            count = len(set(evil) & set(rows[k][0]))
            value *= comb(count, fails) * betrayal**fails * (1 - betrayal) ** (count - fails) if fails <= count else 0
        for team, votes in rows:
            for a in set(evil) & set(votes):
                value *= 2 * (loyalty if votes[a] == bool(set(evil) & set(team)) else 1 - loyalty)
        found[evil] = value
    return found


@pytest.mark.parametrize("players", [5, pytest.param(8, marks=pytest.mark.slow)])
def test_the_bayesian_servant(players):
    """It picks the player with which the team most often has no evil member, and accuses the likeliest evil one."""
    rng, tested = np.random.default_rng(players), Counter()
    for seed in range(6):
        batch = started(seed=seed, players=players)
        level = batch.world.get_level(batch.record())
        game, names = Game(level["roles"], level["first"], {}), batch.world.action_names[0]
        while not game.winner and sum(tested.values()) < 60:
            acting = game.movers()
            a = acting[0]
            if game.roles[a] == "servant" and game.phase in ("pick", "talk"):
                cases = posterior(game, a)
                total = sum(cases.values())
                guilt = {b: sum(w for evil, w in cases.items() if b in evil) for b in range(players) if b != a}
                chosen = kit.choices("bayesian", batch, a, seeds=2)
                if game.phase == "pick" and a in game.team:
                    worth = {
                        f"pick player_{b}": sum(w for evil, w in cases.items() if not {*game.team, b} & set(evil))
                        for b in range(players) if b not in game.team
                    }  # fmt: skip
                    assert all(worth[name] >= max(worth.values()) * (1 - 1e-9) - 1e-12 for name in chosen)
                    tested["pick"] += 1
                elif game.phase == "pick":
                    assert chosen == {f"pick player_{a}"}
                elif max(guilt.values()) > 0.61 * total:
                    best = {f"accuse player_{b}" for b in guilt if guilt[b] > max(guilt.values()) * (1 - 1e-9)}
                    assert chosen <= best
                    tested["talk"] += 1
                elif max(guilt.values()) < 0.59 * total:
                    assert chosen == {"silent"}
            actions = random_actions(batch.masks, rng)
            game.play({b: names[actions[0, b]] for b in acting})
            batch.step(actions)
            batch.observe()
    assert tested["pick"] > 4 and tested["talk"] > 4


def share_won(good, evil, num=300, **params):
    """The share of games that good wins."""
    batch = started(num, seed=11, **params)
    kit.finish(batch, good, evil, second=lambda: batch.records["roles"] >= 3)
    return (batch.records["winner"] == 0).mean()


def test_who_wins():
    assert share_won("random", "honest") < 0.05 < share_won("honest", "honest") < share_won("bayesian", "honest")
    assert share_won("bayesian", "bayesian") < share_won("bayesian", "honest")


@pytest.mark.slow
def test_who_wins_in_larger_games():
    for params in (dict(players=8), dict(players=10, percival=True, morgana=True, mordred=True)):
        assert share_won("honest", "deceptive", **params) < 0.1 < share_won("bayesian", "deceptive", **params)


def test_merlin_and_the_assassin():
    """A silent Merlin votes by what it knows; the assassin names the player that votes so."""
    batch = started(level=LEVEL, discussion=0)
    for a in (0, 3):
        step(batch, f"pick player_{a}")
    assert kit.choices("bayesian", batch, 0) == {"reject"}
    for policy in ("honest", "deceptive"):
        assert kit.choices(policy, batch, 0) == {"reject"}
    step(batch, "reject", *["approve"] * 4)
    step(batch, "succeed")
    for team in ((0, 1, 2), (0, 1)):
        to_quest(batch, *team)
        step(batch, "succeed")
    assert batch.record().phase == 4
    assert (
        kit.choices("deceptive", batch, 4, seeds=9) == kit.choices("bayesian", batch, 4, seeds=9) == {"name player_0"}
    )
    assert kit.choices("honest", batch, 4, seeds=40) == {f"name player_{a}" for a in range(3)}
