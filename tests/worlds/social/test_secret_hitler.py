"""Secret Hitler: random play, the rules a second time in lock-step, all deals, rules one by one, policies."""

import itertools
from collections import Counter, defaultdict
from functools import partial
from math import comb

import kit
import numpy as np
import pytest
from deduction_play import step
from scipy.stats import chisquare

from envsuite.agents import make_policy
from envsuite.core.errors import ActionError, ParameterError, SnapshotError
from envsuite.registry import build
from envsuite.testing import random_actions

ID = "envsuite/SecretHitler-v0"

started = partial(kit.started, ID)

#: Fascists besides Hitler, and powers by the number of fascist policies, as in the board game.
FASCISTS = {5: 1, 6: 1, 7: 2, 8: 2, 9: 3, 10: 3}
POWERS = {5: ["", "", "peek", "execute", "execute"], 7: ["", "investigate", "elect", "execute", "execute"],
          9: ["investigate", "investigate", "elect", "execute", "execute"]}  # fmt: skip

# Random play.

# Share of games that liberals win, of 20,000, in our notes: an implementation of its own, without veto.
SHARES = {5: 0.239, 6: 0.245, 7: 0.233, 8: 0.233, 9: 0.235, 10: 0.226}
ENDS = [0.540, 0.172, 0.067, 0.221]  # with 5 players: Hitler elected, executed, liberal policies, fascist policies


def by_card(batch, actions, rng):
    """Who discards, discards any card that it holds."""
    s = batch.records
    held = np.maximum(1, s["hand"].sum(axis=1))
    card = np.where(rng.random(batch.num) * held < s["hand"][:, 0], 3, 4)
    sessions = (s["phase"] == 3) | (s["phase"] == 4)
    actions[sessions] = card[sessions][:, None]
    return actions


def random_games(num, seed=1, stop=None, **params):
    """Games of random players that discard any card."""
    batch = started(num, seed, discussion=0, reports=False, veto=False, **params)
    player, rng = make_policy("random", batch.world), np.random.default_rng(seed)
    player.reset(seed, num)
    while not batch.over().all() and (stop is None or not stop(batch).all()):
        actions = player.act_batch(batch.observations, batch.masks, range(len(batch.world.agents)))
        batch.step(by_card(batch, actions, rng), ~batch.finished)
    return batch.records


def test_first_policies_are_a_random_sample():
    """Of the first three, by governments or from the top, the fascist ones are hypergeometric."""
    num = 1500
    s = random_games(num, players=6, stop=lambda batch: batch.records["enacted"].sum(axis=1) >= 3)
    counts = np.zeros(4)
    for row in s["policies"]:
        counts[(row[row >= 0][:3] == 1).sum()] += 1
    expected = [num * comb(11, k) * comb(6, 3 - k) / comb(17, 3) for k in range(4)]
    assert chisquare(counts, expected).pvalue > 1e-4


@pytest.mark.parametrize("players", [5, *(pytest.param(k, marks=pytest.mark.slow) for k in range(6, 11))])
def test_another_simulation(players):
    num = 1500 if players == 5 else 5000
    s = random_games(num, seed=players, players=players)

    def close(found, p):
        assert abs(found.mean() - p) < 4 * (p * (1 - p) * (1 / num + 1 / 20_000)) ** 0.5

    won, liberal, fascist = s["winner"] == 0, s["enacted"][:, 0] == 5, s["enacted"][:, 1] == 6
    close(won, SHARES[players])
    if players == 5:
        for found, p in zip((~won & ~fascist, won & ~liberal, liberal, fascist), ENDS):
            close(found, p)


# The rules a second time, as a course of questions.


class Table:
    def __init__(self, level, params):
        self.roles, self.deck, self.first = level["roles"], list(level["deck"]), level["first"]
        self.n = len(self.roles)
        self.alive, self.enacted, self.failed = [True] * self.n, {"L": 0, "F": 0}, 0
        self.last, self.rows, self.told, self.seen = (None, None), [], {}, defaultdict(dict)
        self.talk, self.peeked, self.hand, self.holder, self.winner = [], None, [], None, None
        self.discussion, self.reports = params.get("discussion", 1), params.get("reports", True)
        self.veto = params.get("veto", True)

    def others(self, a):
        """The other living players, from the next seat on."""
        return [b % self.n for b in range(a + 1, a + self.n) if self.alive[b % self.n]]

    def party(self, a):
        return "L" if self.roles[a] == "liberal" else "F"

    def named(self, a):
        """Whom the candidate may name."""
        banned = {self.last[1]} | ({self.last[0]} if sum(self.alive) > 5 else set())
        return [b for b in self.others(a) if b not in banned]


def one(a, *choices):
    """Ask one player."""
    answers = yield {a: set(choices)}
    return answers[a]


def aim(verb, players):
    return [f"{verb} player_{a}" for a in players]


def whom(answer):
    return int(answer.rpartition("_")[2])


def top_up(table):
    """Shuffle what was not enacted, if fewer than three policies are left."""
    if len(table.deck) < 3:
        rest = Counter(L=6 - table.enacted["L"], F=11 - table.enacted["F"])
        table.deck = yield rest


def enact(table, policy):
    table.enacted[policy] += 1
    table.rows[-1]["policy"] = policy
    table.failed = 0
    if table.enacted["L"] == 5 or table.enacted["F"] == 6:
        table.winner = policy


def without_policy(table):
    """A round without a policy; the third one in a row enacts the top one."""
    table.failed += 1
    if table.failed == 3:
        enact(table, table.deck.pop(0))
        table.last = (None, None)
        if not table.winner:
            yield from top_up(table)


def session(table, president, chancellor):
    """Draw, discard and enact; false if it was vetoed."""
    table.hand, table.deck = table.deck[:3], table.deck[3:]
    names = {"L": "discard liberal", "F": "discard fascist"}
    table.saw, table.holder = {president: table.hand.count("F")}, president
    refused = False
    for holder in (president, chancellor):
        table.holder = holder
        if holder == chancellor:
            table.saw[chancellor] = table.hand.count("F")
        while True:
            extra = (
                {"veto"} if table.veto and holder == chancellor and table.enacted["F"] == 5 and not refused else set()
            )
            answer = yield from one(holder, *{names[card] for card in table.hand}, *extra)
            if answer != "veto":
                break
            table.holder = None
            if (yield from one(president, "accept veto", "refuse veto")) == "accept veto":
                table.hand = []
                table.rows[-1]["result"] = "vetoed"
                yield from top_up(table)
                yield from without_policy(table)
                return False
            refused, table.holder = True, chancellor
        table.hand.remove("L" if answer.endswith("liberal") else "F")
    enact(table, table.hand.pop())
    if not table.winner:
        yield from top_up(table)
        if table.reports:
            for k, a in enumerate((president, chancellor)):
                answer = yield from one(a, *(f"report {n} fascist" for n in range(4 - k)))
                table.rows[-1][("first", "second")[k]] = int(answer.split()[1])
    return True


def power(table, president):
    """The president's power; returns the next candidate if it elects one."""
    key = max(size for size in POWERS if size <= table.n)
    name = POWERS[key][table.enacted["F"] - 1]
    if name == "peek":
        table.peeked = (president, table.deck[:3])
    elif name == "investigate":
        new = [b for b in table.others(president) if b not in table.told]
        if new:
            target = whom((yield from one(president, *aim("investigate", new))))
            table.told[target] = [president, None]
            table.seen[president][target] = table.party(target)
            if table.reports:
                answer = yield from one(president, "report liberal", "report fascist")
                table.told[target][1] = answer[7].upper()
    elif name == "elect":
        return whom((yield from one(president, *aim("elect", table.others(president)))))
    elif name == "execute":
        target = whom((yield from one(president, *aim("execute", table.others(president)))))
        table.alive[target] = False
        if table.roles[target] == "Hitler":
            table.winner = "L"
    return None


def course(table):
    """The questions of a game: who may choose what, or a Counter of policies to be shuffled."""
    turn = candidate = table.first
    while True:
        row = dict(president=candidate, chancellor=None, votes={}, result=None, policy=None, first=None, second=None)
        table.rows.append(row)
        table.saw = {}
        chancellor = whom((yield from one(candidate, *aim("nominate", table.named(candidate)))))
        row["chancellor"], table.talk = chancellor, []
        for _ in range(table.discussion):
            for a in [candidate, *table.others(candidate)]:
                answer = yield from one(a, "silent", *aim("accuse", table.others(a)), *aim("defend", table.others(a)))
                table.talk.append((a, answer))
        voters = [a for a in range(table.n) if table.alive[a]]
        answers = yield {a: {"yes", "no"} for a in voters}
        row["votes"] = answers
        upcoming = None
        if sum(answer == "yes" for answer in answers.values()) * 2 > len(voters):
            row["result"] = "elected"
            if table.roles[chancellor] == "Hitler" and table.enacted["F"] >= 3:
                table.winner = "F"
            else:
                table.last = (candidate, chancellor)
                done = yield from session(table, candidate, chancellor)
                if done and not table.winner and row["policy"] == "F":
                    upcoming = yield from power(table, candidate)
        else:
            row["result"] = "rejected"
            yield from without_policy(table)
        if table.winner:
            return
        if upcoming is None:
            turn = table.others(turn)[0]
            upcoming = turn
        candidate = upcoming


class Run:
    def __init__(self, level, params):
        self.table = Table(level, params)
        self.course = course(self.table)
        self.question = next(self.course)

    def answer(self, answers):
        try:
            self.question = self.course.send(answers)
        except StopIteration:
            self.question = None


NUMBER = {"liberal": 0, "fascist": 1, "Hitler": 2, "L": 0, "F": 1, None: -1}
RESULT = {None: -1, "rejected": 0, "elected": 1, "vetoed": 2}


def known(table, a, b):
    """What a player knows of another one's role."""
    mine, role = table.roles[a], table.roles[b]
    if table.winner or a == b or mine == "fascist" or (mine == "Hitler" and table.n < 7):
        return NUMBER[role]
    return {"L": 0, "F": 3, None: -1}[table.seen[a].get(b)]


def seen(table, a, rounds=30):
    """What a player observes."""
    rows, n = table.rows, table.n
    blank = [-1] * (rounds - len(rows))

    def column(name, code=None):
        return [row[name] if code is None else code[row[name]] for row in rows] + blank

    votes = np.full((rounds, n), -1)
    reports = np.full((rounds, 2), -1)
    for r, row in enumerate(rows):
        for b, answer in row["votes"].items():
            votes[r, b] = answer == "yes"
        for k, name in enumerate(("first", "second")):
            if row[name] is not None:
                reports[r, k] = row[name]
    messages = np.full((max(1, table.discussion * n), 3), -1)
    stances = np.zeros((n, n), int)
    for k, (b, said) in enumerate(table.talk):
        verb = said.split()[0]
        messages[k] = b, {"silent": 0, "accuse": 14, "defend": 15}[verb], -1 if verb == "silent" else whom(said)
        if verb != "silent":
            stances[b, whom(said)] = 1 if verb == "accuse" else 2
    mine = table.hand if table.holder == a and not table.winner else []
    peeked = table.peeked[1] if table.peeked and table.peeked[0] == a else []
    return dict(
        round=[len(rows) - 1],
        president=[rows[-1]["president"]],
        chancellor=[-1 if rows[-1]["chancellor"] is None else rows[-1]["chancellor"]],
        excluded=[-1 if b is None else b for b in table.last],
        failed=[table.failed],
        enacted=[table.enacted["L"], table.enacted["F"]],
        left=[len(table.deck)],
        alive=[int(alive) for alive in table.alive],
        roles=[known(table, a, b) for b in range(n)],
        hand=[mine.count("L"), mine.count("F")],
        saw=[getattr(table, "saw", {}).get(a, -1)],
        peek=[NUMBER[card] for card in peeked] or [-1] * 3,
        presidents=column("president"),
        chancellors=[-1 if b is None else b for b in column("chancellor")],
        votes=votes.tolist(),
        results=column("result", RESULT),
        policies=column("policy", NUMBER),
        reports=reports.tolist(),
        inspectors=[table.told[b][0] if b in table.told else -1 for b in range(n)],
        verdicts=[NUMBER[table.told[b][1]] if b in table.told else -1 for b in range(n)],
        stances=stances.tolist(),
        messages=messages.tolist(),
    )


def follow(params, num):
    """Random games; in every second one, fascist cards are kept and votes are mostly yes, so that all powers come."""
    batch, rng = started(num, seed=params["players"], **params), np.random.default_rng(8)
    world, names = batch.world, batch.world.action_names[0]
    runs = [Run(world.get_level(batch.record(i)), params) for i in range(num)]
    while not batch.over().all():
        going = ~batch.over()
        for i in np.flatnonzero(going):
            question, table = runs[i].question, runs[i].table
            assert np.flatnonzero(batch.acting[i]).tolist() == sorted(question)
            assert (batch.observations[i]["mover"] == (-1 if len(question) > 1 else min(question))).all()
            for a in range(table.n):
                if a in question:
                    assert {names[k] for k in np.flatnonzero(batch.masks[i, a])} == question[a]
                for part, value in seen(table, a).items():
                    assert batch.observations[i, a][part].tolist() == value, part
        actions = random_actions(batch.masks, rng)
        odd = (np.arange(num) % 2 == 1)[:, None]
        actions[odd & (batch.masks[:, :, 3] != 0) & (batch.masks[:, :, 5] == 0)] = 3
        actions[odd & (batch.masks[:, :, 1] != 0) & (rng.random(batch.masks.shape[:2]) < 0.6)] = 1
        before = batch.acting.copy()
        batch.step(actions, going)
        rewards = batch.rewards.copy()
        batch.observe()
        for i in np.flatnonzero(going):
            run, s = runs[i], batch.record(i)
            run.answer({a: names[actions[i, a]] for a in np.flatnonzero(before[i])})
            if isinstance(run.question, Counter):
                deck = ["LF"[card] for card in reversed(s.deck[: s.left].tolist())]
                extra = run.question - Counter(deck)
                assert not Counter(deck) - run.question and len(deck) >= run.question.total() - 1
                run.answer([*extra.elements(), *deck])  # a policy from the top may be drawn already: it comes first
            table = run.table
            assert bool(table.winner) == batch.over()[i]
            pay = [0.0 if not table.winner else 1.0 if table.party(a) == table.winner else -1.0 for a in range(table.n)]
            assert rewards[i].tolist() == pay
            world.admit(batch.records[[i]].copy())


@pytest.mark.parametrize(
    "params",
    [dict(players=5, discussion=0), dict(players=7),
     *(pytest.param(params, marks=pytest.mark.slow) for params in (
         dict(players=6, reports=False, discussion=2), dict(players=8, veto=False, discussion=0),
         dict(players=9, discussion=0, reports=False), dict(players=10)))],
)  # fmt: skip
def test_lock_step(params):
    follow(params, 6)


def test_two_games():
    follow(dict(players=5, discussion=0), 2)


# Rules, one by one.

ROLES = ["liberal", "liberal", "liberal", "fascist", "Hitler"]
SEVEN = [*ROLES, "liberal", "fascist"]


def level(deck, roles=ROLES, first=0):
    """A level whose deck begins with these policies."""
    rest = Counter(L=6, F=11) - Counter(deck)
    return {"roles": list(roles), "deck": deck + "".join(sorted(rest.elements())), "first": first}


def govern(batch, chancellor, *discards):
    """The candidate names a chancellor, all vote yes, and both discard."""
    step(batch, f"nominate player_{chancellor}")
    step(batch, "yes")
    for card in discards:
        step(batch, f"discard {'liberal' if card == 'L' else 'fascist'}")


QUIET = dict(discussion=0, reports=False)


def test_a_round():
    batch = started(players=5, level=level("FLF"))
    s = batch.record()
    assert kit.mover(batch) == 0 and kit.legal(batch) == {f"nominate player_{a}" for a in range(1, 5)}
    assert (batch.observations["phase"] == 0).all() and batch.observations["agent"][0, :, 0].tolist() == [*range(5)]
    assert (batch.observations["counts"] == [3, 1, 1]).all()
    step(batch, "nominate player_2")
    for a in range(5):
        assert kit.mover(batch) == s.speaker == a and (batch.observations["phase"] == 1).all()
        step(batch, "silent" if a else "accuse player_4")
    assert s.stances[0, 4] == 1 and batch.acting.all()
    step(batch, "yes", "yes", "yes", "no", "no")
    assert kit.legal(batch, 0) == {"discard liberal", "discard fascist"} and s.left == 14
    assert batch.observations[0]["hand"].tolist() == [[1, 2], *[[0, 0]] * 4]
    step(batch, "discard fascist")
    assert batch.observations[0]["hand"].tolist() == [[0, 0], [0, 0], [1, 1], [0, 0], [0, 0]]
    assert batch.observations[0]["saw"].tolist() == [[2], [-1], [1], [-1], [-1]]
    step(batch, "discard liberal")
    assert s.enacted.tolist() == [0, 1] and kit.legal(batch, 0) == {f"report {k} fascist" for k in range(4)}
    step(batch, "report 3 fascist")
    assert kit.legal(batch, 2) == {f"report {k} fascist" for k in range(3)}
    step(batch, "report 2 fascist")
    assert kit.mover(batch) == 1 and s.reports[0].tolist() == [3, 2]
    assert kit.legal(batch) == {"nominate player_0", "nominate player_3", "nominate player_4"}  # of five, not player_2


def test_exclusion_of_more_than_five():
    batch = started(players=7, level=level("LLL", SEVEN), **QUIET)
    govern(batch, 2, "L", "L")
    assert kit.mover(batch) == 1 and kit.legal(batch) == {f"nominate player_{a}" for a in (3, 4, 5, 6)}
    assert "Excluded: player_0 and player_2." in batch.world.text(batch.record(), 1)


def test_three_rounds_without_a_policy():
    batch = started(players=5, level=level("LFF"), **QUIET)
    s = batch.record()
    govern(batch, 1, "F", "F")  # L
    for candidate in (1, 2):
        step(batch, f"nominate player_{candidate + 2}")
        step(batch, "yes", "yes", "no", "no", "no")
        assert s.failed == candidate and s.excluded.tolist() == [0, 1]
    s.deck[s.left - 1] = 1
    step(batch, "nominate player_0")
    step(batch, "no")
    assert s.enacted.tolist() == [1, 1] and s.failed == 0 and s.excluded.tolist() == [-1, -1] and s.left == 13
    assert s.phase == 0 and kit.mover(batch) == 4 and len(kit.legal(batch)) == 4


def test_the_deck_is_shuffled():
    batch = started(4000, seed=2, players=6, level=level("LLLLLLFFFFFFFF", [*ROLES, "liberal"]), **QUIET)
    names = batch.world.action_names[0]
    for chancellor in (1, 2, 3, 4):  # four sessions: 12 of 17 are drawn
        batch.step(names.index(f"nominate player_{chancellor}"))
        batch.step(1)
        for _ in range(2):
            batch.step(np.where(batch.masks[:, :, 3] != 0, 3, 4))
        if batch.records["phase"][0] == 11:
            batch.step(names.index("execute player_5"))
    s = batch.records
    assert (s["enacted"] == [2, 2]).all() and (s["left"] == 5).all()
    batch.step(names.index("nominate player_0"))
    batch.step(1)
    for _ in range(2):
        batch.step(np.where(batch.masks[:, :, 3] != 0, 3, 4))
    assert (s["enacted"] == [2, 3]).all() and (s["left"] == 12).all()  # 4 liberal and 8 fascist policies
    tops = s["deck"][:, 11] + 2 * s["deck"][:, 0]
    pairs = [4 * 3, 4 * 8, 4 * 8, 8 * 7]
    assert chisquare(np.bincount(tops, minlength=4), np.array(pairs) * 4000 / 132).pvalue > 1e-4


def test_peek():
    batch = started(players=5, level=level("FFFFFFFFFLFL"), **QUIET)
    for chancellor in (1, 2, 3):
        govern(batch, chancellor, "F", "F")
    peeks = batch.observations[0]["peek"].tolist()
    assert peeks[2] == [0, 1, 0] and peeks[0] == peeks[4] == [-1, -1, -1]
    assert kit.mover(batch) == 3


def test_investigation_and_election():
    batch = started(players=7, discussion=0, level=level("FFFFFFFFF", SEVEN))
    s = batch.record()
    govern(batch, 1, "F", "F")
    for a in (3, 2):
        step(batch, f"report {a} fascist")
    govern(batch, 2, "F", "F")
    step(batch, "report 0 fascist")
    step(batch, "report 0 fascist")
    assert kit.mover(batch) == 1 and "investigate player_4" in kit.legal(batch)
    step(batch, "investigate player_4")
    assert batch.observations[0, 1]["roles"].tolist() == [-1, 0, -1, -1, 3, -1, -1]  # the party, not the role
    step(batch, "report liberal")
    assert s.verdicts.tolist() == [-1, -1, -1, -1, 0, -1, -1]
    govern(batch, 3, "F", "F")
    step(batch, "report 0 fascist")
    step(batch, "report 0 fascist")
    assert kit.mover(batch) == 2 and kit.legal(batch) == {f"elect player_{a}" for a in (0, 1, 3, 4, 5, 6)}
    step(batch, "elect player_6")
    assert kit.mover(batch) == s.president == 6
    step(batch, "nominate player_0")
    step(batch, "no")
    assert kit.mover(batch) == 3  # after player_2, as if nothing had been


FIVE = "FFL" * 5  # five sessions that can enact either policy


def test_execution_and_the_end():
    batch = started(players=5, level=level(FIVE), **QUIET)
    s = batch.record()
    for chancellor in (1, 2, 3, 1):
        govern(batch, chancellor, "L", "F")
    assert kit.mover(batch) == 3 and kit.legal(batch) == {f"execute player_{a}" for a in (0, 1, 2, 4)}
    twin = batch.records.copy()
    step(batch, "execute player_0")
    assert s.alive.tolist() == [0, 1, 1, 1, 1]
    assert batch.observations[0, 1]["roles"][0] == -1  # its role stays secret
    assert kit.mover(batch) == 4
    between = batch.records.copy()
    govern(batch, 2, "L", "F")
    step(batch, "execute player_1")
    assert kit.mover(batch) == 2 and s.enacted[1] == 5  # player_0 and player_1 are skipped
    s.deck[: s.left] = 1
    govern(batch, 3, "F", "F")
    assert batch.rewards[0].tolist() == [-1, -1, -1, 1, 1]
    batch.records[:] = between
    batch.observe()
    for candidate, chancellor, answer in ((4, 2, "no"), (1, 4, "yes")):
        assert kit.mover(batch) == candidate
        step(batch, f"nominate player_{chancellor}")
        step(batch, answer)
    assert batch.over()[0] and batch.rewards[0].tolist() == [-1, -1, -1, 1, 1]  # Hitler is elected
    batch.records[:] = twin
    batch.observe()
    step(batch, "execute player_4")
    assert batch.rewards[0].tolist() == [1, 1, 1, -1, -1]


def vetoed(**params):
    """A game with five fascist policies, in which player_2 and player_3 are elected."""
    batch = started(players=5, level=level(FIVE), **QUIET, **params)
    for chancellor in (1, 2, 3, 1):
        govern(batch, chancellor, "L", "F")
    step(batch, "execute player_0")
    govern(batch, 2, "L", "F")
    step(batch, "execute player_1")
    s = batch.record()
    s.deck[s.left - 3 : s.left] = [1, 0, 0]
    govern(batch, 3)
    return batch


def test_veto():
    batch = vetoed()
    s = batch.record()
    step(batch, "discard liberal")
    assert kit.mover(batch) == 3 and "veto" in kit.legal(batch)
    step(batch, "veto")
    assert kit.mover(batch) == 2 and kit.legal(batch) == {"accept veto", "refuse veto"}
    step(batch, "refuse veto")
    assert kit.mover(batch) == 3 and "veto" not in kit.legal(batch)
    step(batch, "discard fascist")
    assert s.enacted.tolist() == [1, 5]
    batch = vetoed()
    s = batch.record()
    step(batch, "discard liberal")
    step(batch, "veto")
    step(batch, "accept veto")
    assert s.enacted.tolist() == [0, 5] and s.failed == 1 and s.results[5] == 2 and kit.mover(batch) == 3
    batch = vetoed()
    s = batch.record()
    s.left = 2
    step(batch, "discard liberal")
    step(batch, "veto")
    step(batch, "accept veto")
    assert s.left == 12  # all policies but those that are enacted
    batch = vetoed(veto=False)
    step(batch, "discard liberal")
    assert kit.legal(batch) <= {"discard liberal", "discard fascist"}


def test_liberals_win_with_policies():
    batch = started(players=5, level=level("FFLFFLFFLFFLFFL"), **QUIET)
    for chancellor in (1, 2, 3, 4, 1):
        govern(batch, chancellor, "F", "F")
    assert batch.rewards[0].tolist() == [1, 1, 1, -1, -1]
    with pytest.raises(ActionError):
        step(started(players=5, level=level("F")), "nominate player_0")


# Who knows what.


def test_deals_are_uniform():
    batch = started(6000, seed=3, players=5)
    deals = Counter(map(tuple, batch.records["roles"].tolist()))
    assert len(deals) == 20 and chisquare(list(deals.values())).pvalue > 1e-4
    ends = Counter(map(tuple, batch.records["cards"][:, [0, 16]].tolist()))
    expected = {(0, 0): 30, (0, 1): 66, (1, 0): 66, (1, 1): 110}
    assert chisquare([ends[key] for key in expected], [n * 6000 / 272 for n in expected.values()]).pvalue > 1e-4
    assert chisquare(np.bincount(batch.records["first"])).pvalue > 1e-4


@pytest.mark.parametrize("players", [5, pytest.param(7, marks=pytest.mark.slow)])
def test_no_agent_learns_more_than_it_is_shown(players):
    """All deals, in one course of play: the classes of deals that an agent can tell apart are those that the rules
    allow, until Hitler matters. Texts and pictures are the same within a class."""
    roles = [*["liberal"] * (players - 1 - FASCISTS[players]), *["fascist"] * FASCISTS[players], "Hitler"]
    deals = sorted(set(itertools.permutations(roles)))
    deck = "FFFFFFLLLFFFFFLLL"
    params = dict(players=players)
    batch = started(len(deals), level=[{"roles": list(deal), "deck": deck, "first": 1} for deal in deals], **params)
    world, rng = batch.world, np.random.default_rng(1)
    tables = [Table({"roles": deal, "deck": deck, "first": 1}, params) for deal in deals]
    names = world.action_names[0]
    moment = 0
    while batch.records["enacted"][0, 1] < 3:
        for a in range(players):
            groups = defaultdict(set)
            for i, (deal, table) in enumerate(zip(deals, tables)):
                key = (deal[a], *(known(table, a, b) for b in range(players)))
                seen = batch.observations[i, a].tobytes() + batch.masks[i, a].tobytes()
                if moment % 20 == 7:
                    s = batch.record(i)
                    seen += (world.text(s, a) + world.prompt(s, a)).encode()
                    seen += str(world.scene(s, a).shapes).encode() if i % 4 == 0 else b""
                groups[key].add(seen if moment % 20 != 7 or i % 4 == 0 else None)
            assert all(len(group - {None}) <= 1 for group in groups.values())
            assert len(set.union(*groups.values()) - {None}) == len([g for g in groups.values() if g - {None}])
        actions = random_actions(batch.masks[0], rng)
        actions[batch.masks[0, :, 1] != 0] = 1
        mover = int(batch.records["mover"][0])
        if batch.records["phase"][0] == 8:
            for table in tables:
                target = whom(names[actions[mover]])
                table.seen[mover][target] = table.party(target)
        batch.step(np.tile(actions, (batch.num, 1)))
        moment += 1
    assert moment > 20


@pytest.mark.parametrize("phase", [3, 4])
def test_policies_are_secret(phase):
    """Only a player that holds policies sees which, and nobody sees the deck."""
    batch = started(players=5, level=level("FLF"), **QUIET)
    govern(batch, 2, *"F"[: phase - 3])
    world, s = batch.world, batch.record()
    holder = 0 if phase == 3 else 2

    def views(a):
        return batch.observations[0, a].tobytes(), world.text(s, a), str(world.scene(s, a).shapes)

    before = [views(a) for a in range(5)]
    s.hand[:] = [0, s.hand.sum()]
    s.saw[0 if phase == 3 else 1] = s.hand[1]
    s.deck[:] = 1 - s.deck
    batch.observe()
    assert [views(a) == before[a] for a in range(5)] == [a != holder for a in range(5)]


# Levels, parameters, snapshots.


def test_levels():
    made = level("LFLFF")
    batch = started(players=5, level=made)
    assert batch.world.get_level(batch.record()) == made
    kit.refuses(
        batch.world,
        ({}, "not nothing"),
        ({**made, "roles": "liberal"}, "'roles' must be a list"),
        ({**made, "roles": [*ROLES[:4], "king"]}, "list of liberal, fascist and Hitler"),
        ({**made, "roles": [*ROLES[:4], "fascist"]}, "3 x liberal, 1 x fascist and 1 x Hitler"),
        ({**made, "deck": "LF"}, "6 x L and 11 x F"),
        ({**made, "first": 5}, "first=5 must be an integer from 0 to 4"),
    )


def test_wrong_parameters_and_states():
    for params in ({"players": 4}, {"players": 11}, {"discussion": 5}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            build(ID, params)
    batch = started(players=5, level=level("FFFFFF"))
    step(batch, "nominate player_1")
    for _ in range(5):
        step(batch, "silent")
    step(batch, "yes")
    step(batch, "discard fascist")
    for field, place, value, message in (
        ("roles", (0, 0), 1, "the roles are not those"),
        ("cards", (0, 0), 0, "the level has other policies"),
        ("winner", 0, 1, "the game ends for all"),
        ("round", 0, 29, "the result of round 0"),
        ("results", (0, 0), -1, "result of the round"),
        ("policies", (0, 0), 1, "result of the round"),
        ("results", (0, 4), 1, "rounds to come"),
        ("failed", 0, 1, "miscounted"),
        ("enacted", (0, 1), 1, "miscounted"),
        ("alive", (0, 2), 0, "too many players are out"),
        ("hand", (0, 1), 3, "too many or too few policies"),
        ("deck", (0, slice(0, 14)), 1, "too many policies of a kind"),
        ("mover", 0, 0, "another player is to move"),
        ("speaker", 0, 0, "another player is to move"),
        ("presidents", (0, 0), 3, "a government"),
        ("chancellor", 0, -1, "another player is to move"),
        ("phase", 0, 8, "result of the round"),
    ):
        records = batch.records.copy()
        records[field][place] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


# Words, picture, clicks.


def test_text_picture_and_clicks():
    batch = started(players=7, level=level("FLF", SEVEN))
    world, s = batch.world, batch.record()
    assert kit.clicks(batch, 0, 0.5, 0.5) - {None} == set(np.flatnonzero(batch.masks[0, 0]).tolist())
    step(batch, "nominate player_3")
    step(batch, "accuse player_1")
    assert world.messages(s) == [(0, "player_0 accuses player_1.")]
    for _ in range(6):
        step(batch, "silent")
    step(batch, "yes")
    assert "You hold 1 liberal and 2 fascist policies." in world.text(s, 0) and "hold" not in world.text(s, 3)
    step(batch, "discard fascist")
    assert "You got 3 policies in this session, 2 of them fascist." in world.text(s, 0)
    step(batch, "discard liberal")
    step(batch, "report 3 fascist")
    step(batch, "report 2 fascist")
    text = world.text(s, 5)
    assert (
        "elected; fascist policy; the president reported 3 fascist of 3; the chancellor reported 2 fascist of 2" in text
    )
    assert "You know: player_3 and player_6 are fascist." not in text
    assert "You know: player_6 is fascist.\nYou know: player_4 is Hitler." in world.text(s, 3)
    for agent, unknown in ((None, 0), (0, 6), (3, 0), (4, 6)):
        words = [shape.text for shape in world.scene(s, agent).shapes if hasattr(shape, "text")]
        assert words.count("?") == unknown


# Policies.


def sessions(president, chancellor, zeal):
    """The probability of (policy, reports) of a session by two players that are liberal or not."""
    found = Counter()
    for drawn in range(4):
        share = comb(11, drawn) * comb(6, 3 - drawn) / comb(17, 3)
        if not president:
            passes = {max(0, drawn - 1): 1.0}
        else:
            passes = {0: 1.0} if drawn == 0 else {2: 1.0} if drawn == 3 else {drawn: zeal, drawn - 1: 1 - zeal}
        for given, p in passes.items():
            for first in range(4):
                truth = 0.25 if president else 1.0 if first == drawn else 1e-4
                for second in range(3):
                    said = 1 / 3 if chancellor else 1.0 if second == given else 1e-4
                    bad = 1.0 if given == 2 else zeal if chancellor and given == 1 else 0.0
                    found["F", first, second] += share * p * truth * said * bad
                    found["L", first, second] += share * p * truth * said * (1 - bad)
    return found


def posterior(table, own):
    """The probabilities of being of the party, and Hitler, by definition, for a liberal."""
    zeal, loyalty = 0.01 + 0.98 * 0.8, 0.01 + 0.98 * 0.6
    guilt, menace, total = np.zeros(table.n), np.zeros(table.n), 0.0
    known = table.seen[own]
    for team in itertools.combinations([a for a in range(table.n) if a != own], FASCISTS[table.n] + 1):
        if any((party == "F") != (a in team) for a, party in known.items()):
            continue
        value, policies, free = 1.0, 0, {a for a in range(table.n) if not table.alive[a]}
        for row in table.rows:
            p, c = row["president"], row["chancellor"]
            if row["result"] is None:
                continue
            if row["result"] != "rejected" and policies >= 3:
                free.add(c)
            if row["result"] == "elected" and row["policy"]:
                value *= sessions(p in team, c in team, zeal)[row["policy"], row["first"], row["second"]]
            for a in team:
                if a in row["votes"]:
                    agrees = (row["votes"][a] == "yes") == (p in team or c in team)
                    value *= 2 * (loyalty if agrees else 1 - loyalty)
            policies += row["policy"] == "F"
        for a, (by, verdict) in table.told.items():
            if verdict:
                value *= 0.5 if by in team else 1.0 if (verdict == "F") == (a in team) else 1e-4
        suspects = [a for a in team if a not in free]
        if suspects:
            total += value
            guilt[list(team)] += value
            menace[suspects] += value / len(suspects)
    return guilt / total, menace / total


@pytest.mark.parametrize("players", [5, pytest.param(8, marks=pytest.mark.slow)])
def test_the_bayesian_liberal(players):
    """It names, investigates, accuses and executes by these probabilities."""
    params, tested = dict(players=players), Counter()
    names = build(ID, params).action_names[0]
    for seed in range(8):
        batch = started(seed=seed, **params)
        run = Run(batch.world.get_level(batch.record()), params)
        table, s = run.table, batch.record()
        rng = np.random.default_rng(seed)
        while run.question:
            a = min(run.question)
            if table.roles[a] == "liberal" and s.phase in (0, 1, 8, 11) and tested[int(s.phase)] < 12:
                guilt, menace = posterior(table, a)
                chosen = kit.choices("bayesian", batch, a, seeds=2)
                if s.phase == 1:
                    if max(guilt) > 0.71:
                        worst = {b for b in range(players) if guilt[b] > max(guilt) - 1e-9}
                        assert {whom(name) for name in chosen} <= worst or not all(table.alive[b] for b in worst)
                    elif max(guilt) < 0.69:
                        assert chosen == {"silent"}
                else:
                    score = {0: -guilt - 3 * menace * (table.enacted["F"] >= 3), 8: guilt, 11: menace}[int(s.phase)]
                    open_to = {whom(name) for name in run.question[a]}
                    open_to -= set(table.seen[a]) if s.phase == 8 else set()
                    best = max(score[b] for b in open_to)
                    assert all(score[whom(name)] > best - 1e-7 for name in chosen)
                tested[int(s.phase)] += 1
            actions = random_actions(batch.masks[0], rng)
            actions[batch.masks[0, :, 1] != 0] = 1 + (rng.random((batch.masks[0, :, 1] != 0).sum()) < 0.3)
            answers = {b: names[actions[b]] for b in run.question}
            batch.step(actions)
            batch.observe()
            run.answer(answers)
            if isinstance(run.question, Counter):
                deck = ["LF"[card] for card in reversed(s.deck[: s.left].tolist())]
                run.answer([*(run.question - Counter(deck)).elements(), *deck])
    assert tested[0] > 5 and tested[1] > 5 and tested[11 if players == 5 else 8] > 1


def share_won(liberals, fascists, num=300, **params):
    batch = started(num, seed=11, **params)
    kit.finish(batch, liberals, fascists, second=lambda: batch.records["roles"] >= 1)
    return (batch.records["winner"] == 0).mean()


@pytest.mark.slow
def test_who_wins():
    params = dict(players=7)
    assert share_won("random", "honest", **params) < 0.2 < share_won("honest", "honest", **params)
    assert share_won("honest", "honest", **params) + 0.1 < share_won("bayesian", "honest", **params)
    assert share_won("bayesian", "deceptive", **params) < share_won("bayesian", "honest", **params) - 0.1


@pytest.mark.slow
def test_who_wins_with_ten():
    assert share_won("honest", "deceptive", players=10) + 0.05 < share_won("bayesian", "deceptive", players=10)


def test_liars():
    """A president of a fascist policy: a liberal reports what it drew, a fascist three of them."""
    for seat, policy, expected in ((0, "deceptive", 2), (3, "deceptive", 3), (3, "honest", 2), (4, "deceptive", 2)):
        batch = started(players=5, discussion=0, level=level("FLF", first=seat))
        govern(batch, 1, "F", "L")
        assert kit.choices(policy, batch, seat) == {f"report {expected} fascist"}
