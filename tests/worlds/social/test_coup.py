"""Coup: TextArena's game in lock-step, the rules a second time, exact courses of endgames, secrets, policies."""

import gzip
import itertools
import json
from collections import Counter, defaultdict
from fractions import Fraction
from functools import partial

import kit
import numpy as np
import pytest
import random_play
from scipy.stats import chisquare

from envsuite.agents import make_policy
from envsuite.core.errors import ActionError, ParameterError, SnapshotError
from envsuite.registry import build
from envsuite.talk.table import Talk
from envsuite.talk.voice import sentences
from envsuite.testing import random_actions

ID = "envsuite/Coup-v0"

started = partial(kit.started, ID)

ROLES = ["Duke", "Assassin", "Captain", "Ambassador", "Contessa"]
LETTERS = dict(zip("DACMN", ROLES))


def level_of(hands, lost=None, coins=None, first=0):
    """A level by letters: hands "DC", "N"; lost cards are chosen if they are not given."""
    hands = [[LETTERS[letter] for letter in hand] for hand in hands]
    if lost is None:
        counts, lost = Counter(itertools.chain(*hands)), []
        for hand in hands:
            lost.append([])
            for _ in range(2 - len(hand)):
                lost[-1].append(next(role for role in reversed(ROLES) if counts[role] < 3))
                counts[lost[-1][-1]] += 1
    else:
        lost = [[LETTERS[letter] for letter in cards] for cards in lost]
    return {"hands": hands, "lost": lost, "coins": coins or [2] * len(hands), "first": first}


# TextArena's game.

PHASES = {
    "play": 0,
    "query_for_block_or_challenge": 1,
    "query_to_challenge_the_blocker": 3,
    "query_which_to_keep": 5,
}


def letters(cards):
    return "".join("DACMN"[card] for card in cards if card >= 0)


def ours(choice):
    """Our name of TextArena's choice."""
    verb, _, rest = choice.partition(" ")
    if verb in ("coup", "assassinate"):
        return f"{verb} player_{rest}"
    if verb == "steal":
        return f"steal from player_{rest}"
    if verb == "block":
        return "block as " + {"foreign aid": "Duke", "assassinate": "Contessa", "steal captain": "Captain",
                              "steal ambassador": "Ambassador"}[rest]  # fmt: skip
    return {"bullshit": "challenge"}.get(choice, choice)


def follow(game):
    """Play a recorded game; cards that are drawn are taken from the recording."""
    moments, players = game["moments"], game["players"]
    _, _, coins, hands, _, *_ = moments[0]
    batch = started(players=players, rules="textarena", level=level_of(hands, coins=coins))
    s = batch.record()
    for (phase, mover, coins, hands, lost, *choice), after in zip(moments, [*moments[1:], None]):
        assert [letters(hand) for hand in s.hand] == hands and [letters(cards) for cards in s.lost] == lost
        if after is None:  # there, the act still takes effect after the last player is out
            assert batch.over()[0] and s.winner == game["winner"]
            break
        assert s.coins.tolist() == coins and s.phase == PHASES[phase] and kit.mover(batch) == mover
        (choice,) = choice
        keeps = choice.startswith("keep")
        if keeps:
            returned = Counter(LETTERS[letter] for letter in hands[mover]) - Counter(choice.split()[1:])
            kit.act(batch, *(f"return {card}" for card in returned.elements()))
        else:
            kit.act(batch, ours(choice))
        exchanges = after[0] == "query_which_to_keep"
        for a in range(players):
            mine, theirs = letters(s.hand[a]), after[3][a]
            if keeps and a == mover:  # of two equal cards, another one may have been returned
                assert sorted(mine) == sorted(theirs)
            else:
                drawn = (choice == "bullshit") + 2 * (exchanges and a == after[1])
                fixed = max(0, len(theirs) - drawn)
                assert len(mine) == len(theirs) and mine[:fixed] == theirs[:fixed]
        take(batch, after[3])
        batch.observe()


def take(batch, hands):
    """Give the players these hands, and the court the rest."""
    s = batch.record()
    counts = Counter("DACMN"[card] for card in s.lost.ravel() if card >= 0)
    for a, hand in enumerate(hands):
        s.hand[a] = [*("DACMN".index(letter) for letter in hand), *[-1] * (4 - len(hand))]
        counts.update(hand)
    s.court[:] = [3 - counts[letter] for letter in "DACMN"]


@pytest.mark.parametrize("players", [2, 3, *(pytest.param(k, marks=pytest.mark.slow) for k in (4, 5, 6))])
def test_textarena(players):
    games = json.loads(gzip.decompress((kit.DATA / "Coup" / "coup.json.gz").read_bytes()))
    games = [game for game in games if game["players"] == players]
    assert len(games) == 8
    for game in games:
        follow(game)


# The rules a second time, as a course of questions.

CLAIMS = {"tax": "Duke", "assassinate": "Assassin", "steal": "Captain", "exchange": "Ambassador"}
BLOCKS = {"foreign aid": ["Duke"], "assassinate": ["Contessa"], "steal": ["Captain", "Ambassador"]}


class Table:
    """Hands, lost cards and coins."""

    def __init__(self, level):
        self.hands = [list(hand) for hand in level["hands"]]
        self.lost = [list(cards) for cards in level["lost"]]
        self.coins, self.turn = list(level["coins"]), level["first"]
        self.players = range(len(self.hands))

    def court(self):
        return Counter(dict.fromkeys(ROLES, 3)) - Counter(itertools.chain(*self.hands, *self.lost))

    def alive(self):
        return [a for a in self.players if self.hands[a]]

    def others(self, a):
        """The other players with influence, from the next seat on."""
        n = len(self.hands)
        return [b % n for b in range(a + 1, a + n) if self.hands[b % n]]


def loses(table, a):
    """A player loses influence."""
    answer = yield a, {f"lose {role}" for role in table.hands[a]}
    table.hands[a].remove(answer[5:])
    table.lost[a].append(answer[5:])
    if not table.hands[a]:
        table.coins[a] = 0


def stands(table, a, role, fee=0):
    """Whether a claim stands, after all others are asked; if it does not, the coins paid for the act come back."""
    for b in table.others(a):
        answer = yield b, {"pass", "challenge"}
        if answer == "challenge":
            if role in table.hands[a]:
                table.hands[a].remove(role)
                table.hands[a].append((yield None, table.court()))
                yield from loses(table, b)
                return True
            table.coins[a] += fee
            yield from loses(table, a)
            return False
    return True


def course(table):
    """The questions of a game: (player, its choices), or (None, the court) to draw a card; returns the winner."""
    while True:
        me = table.turn
        rich, far = table.coins[me] >= 10, table.others(me)
        choices = set() if rich else {"income", "foreign aid", "tax", "exchange"}
        choices |= {f"coup player_{b}" for b in far if table.coins[me] >= 7}
        choices |= {f"assassinate player_{b}" for b in far if table.coins[me] >= 3 and not rich}
        choices |= {f"steal from player_{b}" for b in far if not rich}
        answer = yield me, choices
        act, target = answer, None
        if "player_" in answer:
            act, target = answer.split()[0], int(answer[-1])
        table.coins[me] -= {"coup": 7, "assassinate": 3}.get(act, 0)
        works = True
        if act in CLAIMS:
            works = yield from stands(table, me, CLAIMS[act], 3 if act == "assassinate" else 0)
        if works and act in BLOCKS and len(table.alive()) > 1:
            for b in table.others(me) if target is None else [target]:
                if not table.hands[b]:
                    continue
                answer = yield b, {"pass", *(f"block as {role}" for role in BLOCKS[act])}
                if answer != "pass":
                    works = not (yield from stands(table, b, answer[9:]))
                    break
        if works and len(table.alive()) > 1:
            if act == "income":
                table.coins[me] += 1
            elif act == "foreign aid":
                table.coins[me] += 2
            elif act == "tax":
                table.coins[me] += 3
            elif act == "steal":
                taken = min(2, table.coins[target])
                table.coins[target] -= taken
                table.coins[me] += taken
            elif act == "exchange":
                for _ in range(2):
                    table.hands[me].append((yield None, table.court()))
                for _ in range(2):
                    answer = yield me, {f"return {role}" for role in table.hands[me]}
                    table.hands[me].remove(answer[7:])
            elif table.hands[target]:
                yield from loses(table, target)
        if len(table.alive()) == 1:
            return table.alive()[0]
        table.turn = table.others(me)[0]


class Run:
    """A course that is asked step by step."""

    def __init__(self, level):
        self.table = Table(level)
        self.course, self.winner = course(self.table), None
        self.question = next(self.course)

    def answer(self, choice):
        try:
            self.question = self.course.send(choice)
        except StopIteration as end:
            self.winner, self.question = end.value, None


@pytest.mark.parametrize("players", [2, 3, *(pytest.param(k, marks=pytest.mark.slow) for k in (4, 6))])
def test_lock_step(players):
    num = 6
    batch, rng = started(num, seed=players, players=players), np.random.default_rng(players)
    world, names = batch.world, batch.world.action_names[0]
    runs = [Run(world.get_level(batch.record(i))) for i in range(num)]
    while not batch.over().all():
        going = ~batch.over()
        for i in np.flatnonzero(going):
            mover, choices = runs[i].question
            assert np.flatnonzero(batch.acting[i]).tolist() == [mover]
            assert {names[k] for k in np.flatnonzero(batch.masks[i, mover])} == choices
        actions = random_actions(batch.masks, rng)
        passing = (batch.masks[:, :, 4] != 0) & (rng.random(batch.masks.shape[:2]) < 0.4)
        actions[passing] = 4
        batch.step(actions, going)
        rewards = batch.rewards.copy()
        batch.observe()
        for i in np.flatnonzero(going):
            run, s = runs[i], batch.record(i)
            run.answer(names[actions[i, run.question[0]]])
            while run.question and run.question[0] is None:  # a card is drawn: the world has drawn it
                a = next(a for a in range(players) if len(run.table.hands[a]) < s.held[a])
                card = ROLES[s.hand[a, len(run.table.hands[a])]]
                assert run.question[1][card] > 0
                run.answer(card)
            table = run.table
            assert s.coins.tolist() == table.coins
            assert [[ROLES[card] for card in hand if card >= 0] for hand in s.hand] == table.hands
            assert [[ROLES[card] for card in cards if card >= 0] for cards in s.lost] == table.lost
            assert (run.winner is None) == (not batch.over()[i])
            if run.winner is not None:
                expected = [1.0 if a == run.winner else -1 / (players - 1) for a in range(players)]
                assert rewards[i] == pytest.approx(expected) and batch.terminations[i].all()
            world.admit(batch.records[[i]].copy())


# Exact courses of endgames.


def shares(level, depth):
    """The probabilities of (winner, coins) after `depth` uniform choices, by the course of questions."""
    found = defaultdict(Fraction)

    def visit(answers, share, left):
        run = Run(level)
        for answer in answers:
            run.answer(answer)
        if run.winner is not None or (left == 0 and run.question[0] is not None):
            found[run.winner, tuple(run.table.coins)] += share
            return
        player, choices = run.question
        if player is None:
            for card, count in choices.items():
                visit([*answers, card], share * Fraction(count, choices.total()), left)
        else:
            for choice in choices:
                visit([*answers, choice], share / len(choices), left - 1)

    visit([], Fraction(1), depth)
    return found


def explored(world, level, depth):
    """The same by the world, with all outcomes of its chance."""
    found = defaultdict(float)
    for share, record in random_play.explored(world, level, depth):
        winner = int(record["winner"])
        found[None if winner < 0 else winner, tuple(record["coins"].tolist())] += share
    return found


@pytest.mark.parametrize(
    "hands, coins, depth", [(["D", "N"], [3, 2], 3), (["C", "A"], [7, 9], 3), (["A", "C", "DN"], [10, 3, 1], 2)]
)
def test_courses_of_endgames(hands, coins, depth):
    level = level_of(hands, coins=coins)
    expected = shares(level, depth)
    found = explored(build(ID, dict(players=len(hands))), level, depth)
    assert found.keys() == expected.keys()
    for key, share in expected.items():
        assert found[key] == pytest.approx(float(share), abs=1e-12)


# Chance.


def test_deals():
    """A hand of two cards holds a given role with the probability 13/35; the order of cards is uniform."""
    batch = started(4000, seed=3, players=4)
    hands = batch.records["hand"][:, :, :2]
    holds = (hands == 2).any(axis=2)
    p = 13 / 35
    for a in range(4):
        assert abs(holds[:, a].mean() - p) < 4 * (p * (1 - p) / 4000) ** 0.5
    pairs = Counter(map(tuple, hands[:, 1].tolist()))
    weight = [3 * (2 if a == b else 3) for a, b in sorted(pairs)]
    assert len(pairs) == 25 and chisquare([pairs[key] for key in sorted(pairs)],
                                          np.array(weight) * 4000 / 210).pvalue > 1e-4  # fmt: skip


def test_shown_cards_are_drawn_anew():
    """After a true claim, the new card is any of the court's, and the shown card is one of them."""
    batch = kit.act(started(6000, seed=1, players=2, level=level_of(["DA", "CN"])), "tax", "challenge")
    cards = Counter(batch.records["hand"][:, 0, 1].tolist())
    court = np.array([3, 2, 2, 3, 2])  # the Duke is back
    assert batch.records["hand"][0, 0, 0] == 1 and batch.records["phase"][0] == 4
    assert chisquare([cards[k] for k in range(5)], 6000 * court / 12).pvalue > 1e-4


@pytest.mark.slow
def test_seats_of_random_play():
    """Later seats win more often. Both rules by this world and by the course of questions."""
    num = 3000
    for players in (2, 4):
        batch, rng = started(num, seed=5, players=players), np.random.default_rng(6)
        while not batch.over().all():
            batch.step(random_actions(batch.masks, rng), ~batch.over())
        found = np.bincount(batch.records["winner"], minlength=players) / num
        wins = np.zeros(players)
        deck = [role for role in ROLES for _ in range(3)]
        for _ in range(num // 2):
            cards = rng.permutation(deck).tolist()
            hands = [cards[2 * a : 2 * a + 2] for a in range(players)]
            run = Run({"hands": hands, "lost": [[]] * players, "coins": [2] * players, "first": 0})
            while run.winner is None:
                _, choices = run.question
                pool = sorted(choices.elements() if isinstance(choices, Counter) else choices)
                run.answer(pool[rng.integers(len(pool))])
            wins[run.winner] += 1
        assert np.abs(found - wins / (num // 2)).max() < 4 * (0.25 * 3 / num) ** 0.5
        assert players == 2 or found[3] > found[0]


# Rules, one by one.


def coins(batch):
    return batch.record().coins.tolist()


def test_acts():
    batch = started(players=2)
    kit.act(batch, "income", "foreign aid", "pass", "tax", "pass", "steal from player_0", "pass", "pass")
    assert coins(batch) == [4, 6]
    assert kit.legal(batch) == {
        "income",
        "foreign aid",
        "tax",
        "exchange",
        "assassinate player_1",
        "steal from player_1",
    }
    batch = started(players=3, level=level_of(["DC", "A", "N"], coins=[10, 0, 1]))
    assert kit.legal(batch) == {"coup player_1", "coup player_2"}
    kit.act(batch, "coup player_1", "lose Assassin")
    assert coins(batch) == [3, 0, 1] and kit.mover(batch) == 2  # player_1 is out


def test_challenges():
    level = level_of(["DC", "AM", "NN"])
    batch = kit.act(started(players=3, level=level), "tax", "pass", "challenge")
    assert kit.legal(batch, 2) == {"lose Contessa"}
    kit.act(batch, "lose Contessa")
    assert coins(batch) == [5, 2, 2] and batch.record().phase == 0 and kit.mover(batch) == 1
    kit.act(batch, "tax", "challenge", "lose Ambassador")  # it has no Duke
    assert coins(batch) == [5, 2, 2] and kit.mover(batch) == 2
    assert batch.record().lost[1].tolist() == [3, -1]


def test_blocks():
    level = level_of(["DC", "AM", "NN"])
    batch = kit.act(started(players=3, level=level), "steal from player_1", "pass", "pass")
    assert kit.mover(batch) == 1 and kit.legal(batch) == {"pass", "block as Captain", "block as Ambassador"}
    kit.act(batch, "block as Ambassador", "pass", "challenge", "lose Duke")
    assert coins(batch) == [2, 2, 2] and kit.mover(batch) == 1
    batch = kit.act(
        started(players=3, level=level), "foreign aid", "pass", "block as Duke", "challenge", "lose Contessa"
    )
    assert coins(batch) == [4, 2, 2]  # the block was a bluff


def test_assassination():
    level = level_of(["DC", "AM", "NN"], coins=[3, 3, 3])
    batch = kit.act(started(players=3, level=level), "assassinate player_1", "challenge", "lose Captain")
    assert coins(batch) == [3, 3, 3]  # the coins of an act that fails by a challenge come back, says the rulebook
    kit.act(batch, "assassinate player_2", "pass", "pass", "block as Contessa", "pass", "pass")
    assert coins(batch) == [3, 0, 3] and batch.record().held.tolist() == [1, 2, 2]  # a blocked one stays paid
    level = level_of(["AC", "DM", "NN"], coins=[3, 3, 3])
    batch = kit.act(
        started(players=3, level=level), "assassinate player_1", "challenge", "lose Duke", "pass", "lose Ambassador"
    )
    assert batch.record().held.tolist() == [2, 0, 2] and coins(batch) == [0, 0, 3]  # a wrong challenge costs both cards
    batch = kit.act(started(players=2, level=level_of(["AC", "DM"], coins=[3, 3])), "assassinate player_1", "pass",
                    "block as Contessa", "challenge", "lose Duke", "lose Ambassador")  # fmt: skip
    assert batch.over()[0] and batch.rewards[0].tolist() == [1, -1]


def test_a_target_that_is_out_loses_no_card():
    """Its wrong challenge cost it the last one."""
    level = level_of(["AC", "D", "NN"], coins=[3, 3, 3])
    batch = kit.act(started(players=3, level=level), "assassinate player_1", "challenge", "lose Duke")
    assert batch.record().held.tolist() == [2, 0, 2] and coins(batch) == [0, 0, 3]
    assert kit.mover(batch) == 2 and "income" in kit.legal(batch)


def test_claims_are_counted():
    """A claim that was challenged counts no more."""
    batch = kit.act(started(players=2, level=level_of(["DC", "AM"])), "tax", "pass", "income", "tax")
    assert batch.observations["claims"][0, 0].tolist() == [[2, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    kit.act(batch, "challenge")
    assert not batch.observations["claims"].any()


def test_what_players_see():
    """The act, its target and its block, whoever sees them; the log has all but passes and returned cards."""
    level = level_of(["DC", "AM", "NN"])
    batch = kit.act(started(players=3, level=level), "steal from player_1", "pass", "pass", "block as Ambassador")
    seen = batch.observations[0]
    for part, value in dict(phase=3, mover=2, actor=0, act=6, target=1, blocker=1, block=3).items():
        assert (seen[part] == value).all(), part
    assert seen["agent"][:, 0].tolist() == [0, 1, 2]
    assert seen["hand"].tolist() == [[0, 2, -1, -1], [1, 3, -1, -1], [4, 4, -1, -1]]
    assert (seen["held"] == 2).all() and (seen["lost"] == -1).all() and (seen["coins"] == 2).all()
    kit.act(batch, "challenge", "lose Contessa", "exchange", "pass", "pass")
    kit.act(batch, f"return {ROLES[batch.record().hand[1, 3]]}")
    events = [[0, 22, 1], [1, 8, -1], [2, 5, -1], [1, 26, -1], [2, 14, -1], [1, 3, -1]]
    assert (batch.observations["log"][0] == [[-1, -1, -1]] * 6 + events).all()
    assert batch.observations["held"][0, 0].tolist() == [2, 3, 1]
    batch = kit.act(started(players=2), *["income"] * 13)
    assert batch.observations["log"][0, 1].tolist() == [[k % 2, 0, -1] for k in range(1, 13)]


def test_who_is_asked():
    """All others from the next seat on; with TextArena's rules the target, and then the others by number."""
    for rules, tax, steal in (("official", [3, 0, 1], [3, 0, 1]), ("textarena", [0, 1, 3], [1, 0, 3])):
        for act, order in (("tax", tax), ("steal from player_1", steal)):
            batch, asked = started(players=4, rules=rules, level=level_of(["DC", "A", "NN", "D"], first=2)), []
            kit.act(batch, act)
            for _ in range(3):
                asked.append(kit.mover(batch))
                kit.act(batch, "pass")
            assert asked == order


def test_exchange():
    batch = kit.act(started(players=2, level=level_of(["MD", "A"])), "exchange", "pass")
    s = batch.record()
    assert s.held[0] == 4 and s.court.sum() == 9 and kit.mover(batch) == 0
    kit.act(batch, "return Ambassador", "return Duke")
    assert s.held[0] == 2 and kit.mover(batch) == 1 and s.claims.sum() == 0


def test_the_end():
    batch = started(players=2, horizon=3)
    kit.act(batch, "income", "income", "income")
    assert batch.records["truncated"].tolist() == [[1, 1]]
    assert not batch.terminations.any() and not batch.rewards.any()
    batch = started(players=3, level=level_of(["D", "A", ""], coins=[7, 5, 0]))
    kit.act(batch, "coup player_1", "lose Assassin")
    assert batch.rewards[0].tolist() == [1, -0.5, -0.5]
    with pytest.raises(ActionError):
        kit.act(started(players=2), "coup player_1")


def test_who_hears_acts_and_answers():
    """All hear acts, challenges and blocks; one passes, and loses and returns cards, without a word. Acts bind."""
    level = level_of(["DM", "AM", "NN"], coins=[3, 3, 3])
    batch = started(players=3, level=level)
    world, s = batch.world, batch.record()
    for player, move, spoken in [
        (0, "assassinate player_2", True), (1, "pass", False), (2, "challenge", True), (0, "lose Duke", False),
        (1, "steal from player_2", True), (2, "pass", False), (0, "pass", False), (2, "block as Captain", True),
        (0, "pass", False), (1, "pass", False), (2, "income", True),
        (0, "exchange", True), (1, "pass", False), (2, "pass", False), (0, "return Ambassador", False),
    ]:  # fmt: skip
        heard = [world.speech(s, a, world.action_names[a].index(move)) for a in range(3)]
        assert heard == [range(3) if a == player and spoken else None for a in range(3)], move
        kit.act(batch, move)
    assert sentences(world, "block as Captain")[0] == "I block that. I have the Captain."
    with pytest.raises(ParameterError, match="every act of speech binds"):
        Talk("free").demand(world)
    Talk("beside").demand(world)


# Secrets.


@pytest.mark.parametrize("rules", ["official", "textarena"])
def test_hidden_cards_are_hidden(rules):
    """With other cards in the hands of the others and in the court, an agent gets and may do the same."""
    rng = np.random.default_rng(2)
    batch = started(12, seed=4, players=4, rules=rules)
    world = batch.world
    for moment in range(24):
        if moment % 4 == 1:
            true = batch.records.copy()
            for a in range(4):
                batch.records[:] = true
                batch.observe()
                before = [everything(world, batch, i, a) for i in range(12)]
                for s in batch.records:
                    others = np.flatnonzero(np.arange(4) != a)
                    places = [(b, k) for b in others for k in range(s["held"][b])]
                    pool = [s["hand"][place] for place in places]
                    pool = rng.permutation([*pool, *np.repeat(np.arange(5), s["court"])])
                    for place, card in zip(places, pool):
                        s["hand"][place] = card
                    s["court"] = np.bincount(pool[len(places) :], minlength=5)
                batch.observe()
                for i in range(12):
                    if not batch.over()[i]:
                        assert everything(world, batch, i, a) == before[i]
            batch.records[:] = true
            batch.observe()
        batch.step(random_actions(batch.masks, rng), ~batch.over())


def everything(world, batch, i, a):
    s = batch.record(i)
    views = world.text(s, a), world.prompt(s, a), str(world.scene(s, a).shapes)
    mask = batch.masks[i, a].tobytes()
    return batch.observations[i, a].tobytes(), mask, *views


# Levels, parameters, snapshots.


def test_levels():
    level = level_of(["DC", "A", ""], coins=[3, 12, 0], first=1)
    batch = started(players=3, level=level)
    assert batch.world.get_level(batch.record()) == level and kit.mover(batch) == 1
    assert batch.record().lost.tolist() == [[-1, -1], [4, -1], [4, 4]]  # cards that are face up: Contessas
    kit.refuses(
        batch.world,
        ({}, "not nothing"),
        ({**level, "hands": [["Duke"]]}, "hands must be a list of 3 entries"),
        ({**level, "hands": [["Duke", "King"], ["Duke"], []]}, r"player_0 is \['Duke', 'King'\]"),
        ({**level, "hands": [["Duke"], ["Duke"], []]}, "player_0 must have two cards"),
        ({**level, "lost": [[], ["Duke"], ["Duke", "Duke"]]}, "but 4 of Duke"),
        (level_of(["DC", "", ""]), "at least two players"),
        ({**level, "coins": [13, 0, 0]}, r"coins\[0\]=13 must be an integer from 0 to 12"),
        ({**level, "first": 2}, "a player with cards"),
    )


def test_wrong_parameters_and_states():
    for params in ({"players": 1}, {"players": 7}, {"rules": "house"}, {"horizon": 0}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            build(ID, params)
    batch = kit.act(started(players=3, level=level_of(["DC", "A", "NN"])), "tax", "pass")
    for field, place, value, message in (
        ("hand", (0, 0, 0), -1, "other cards than it should"),
        ("hand", (0, 0, 2), 1, "other cards than it should"),
        ("lost", (0, 1), [-1, 4], "other cards than it should"),
        ("lost", (0, 0, 0), 1, "too many or too few"),
        ("court", (0, 0), 3, "not three cards"),
        ("deal", (0, 0, 0), -1, "the level"),
        ("winner", 0, 1, "the game ends"),
        ("mover", 0, 1, "another player is asked"),
        ("place", 0, 0, "another player is asked"),
        ("queued", 0, 0, "another player is asked"),
        ("queue", (0, 0), 2, "a player that is out is asked"),
        ("act", 0, -1, "does not go with the phase"),
        ("act", 0, 4, "does not go with the phase"),
        ("target", 0, 1, "does not go with the phase"),
        ("phase", 0, 2, "does not go with the phase"),
        ("phase", 0, 3, "block does not go"),
        ("phase", 0, 5, "too many or too few"),
        ("coins", (0, 0), 11, "too many coins"),
        ("blocker", 0, 1, "block does not go"),
    ):
        records = batch.records.copy()
        records[field][place] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


# Words, picture, clicks.


def test_text_picture_and_clicks():
    batch = started(players=3, level=level_of(["DC", "A", "NN"], coins=[7, 2, 2]))
    world, s = batch.world, batch.record()
    verbs = ("coup", "assassinate", "steal from")
    aimed = {world.action_names[0].index(f"{verb} player_{a}") for verb in verbs for a in (1, 2)}
    assert kit.clicks(batch, 0) - {None} == aimed
    assert "player_0: your cards are Duke and Captain, 7 coins." in world.text(s, 0)
    assert "player_0: a hidden card and a hidden card, 7 coins." in world.text(s, 1)
    kit.act(batch, "steal from player_1", "challenge", "lose Assassin")
    text = world.text(s, 2)
    for words in ("- player_0 as Captain steals from player_1.", "- player_1 challenges.", "- player_0 shows Captain",
                  "- player_1 loses Assassin.", "player_1: out, 0 coins"):  # fmt: skip
        assert words in text
    assert world.messages(s)[0] == (0, "as Captain steals from player_1")
    for agent, unknown in ((None, 0), (0, 2), (1, 4), (2, 2)):
        words = [shape.text for shape in world.scene(s, agent).shapes if hasattr(shape, "text")]
        assert words.count("?") == unknown


# Policies.


def test_honest_players_do_not_bluff():
    batch = started(players=2, level=level_of(["AC", "NN"]))
    assert kit.choices("honest", batch, seeds=5) == {"steal from player_1"}
    kit.act(batch, "tax")
    assert kit.choices("honest", batch, seeds=5) == {"pass"}
    batch = kit.act(started(players=2, level=level_of(["AC", "DD"], lost=["", ""])), "tax")
    assert kit.choices("honest", batch) == {"pass"} and kit.choices("deceptive", batch, doubt=1.0) == {"challenge"}
    batch = kit.act(started(players=3, level=level_of(["AC", "DD", "D"])), "tax")
    assert kit.choices("honest", batch) == {"pass"}
    kit.act(batch, "pass")
    batch = kit.act(started(players=3, level=level_of(["AC", "DD", "C"], lost=["", "", "D"])), "tax")
    assert kit.choices("honest", batch) == {"challenge"}  # the third Duke is face up
    batch = kit.act(started(players=2, level=level_of(["AC", "NC"])), "steal from player_1", "pass")
    assert kit.choices("honest", batch) == {"block as Captain"}


def test_deceptive_players_bluff():
    batch = started(players=2, level=level_of(["CC", "NN"]))
    assert kit.choices("deceptive", batch) == {"tax"}
    batch = kit.act(started(players=2, level=level_of(["AC", "DD"], coins=[3, 2])), "assassinate player_1", "pass")
    assert kit.choices("deceptive", batch, doubt=0.0) == {"block as Contessa"}


@pytest.mark.parametrize("claims", [1, 3])
def test_the_bayesian_challenge(claims):
    """It challenges exactly if the claim is true with a probability below its doubt, by all hands that may be."""
    batch = started(players=2, level=level_of(["CM", "DA"]))
    for k in range(claims):
        kit.act(batch, "tax")
        if k + 1 < claims:
            kit.act(batch, "pass", "income")
    deck = Counter(dict.fromkeys(ROLES, 3)) - Counter(["Duke", "Assassin"])
    hands = list(itertools.combinations(deck.elements(), 2))
    some = sum("Duke" in hand for hand in hands) / len(hands)
    p = some / (some + (1 - some) * 0.5**claims)
    for doubt in (p - 0.01, p + 0.01):
        expected = {"challenge"} if doubt > p else {"pass"}
        assert kit.choices("bayesian", batch, 1, doubt=doubt, blocking=0.0) == expected


def test_who_wins():
    world = build(ID, dict(players=3))
    assert np.mean([kit.wins(world, "honest", k, 100) for k in range(3)]) > 0.8
    assert np.mean([kit.wins(world, "bayesian", k, 100) for k in range(3)]) > 0.7


@pytest.mark.slow
def test_who_bluffs_whom():
    world = build(ID, dict(players=2))
    wary = make_policy("bayesian", world, doubt=0.5)
    for one, other, least in (("deceptive", "honest", 0.55), (wary, "deceptive", 0.6), ("honest", wary, 0.55)):
        assert np.mean([kit.wins(world, one, k, 400, other) for k in range(2)]) > least
