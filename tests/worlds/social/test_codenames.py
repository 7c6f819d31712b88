"""Codenames: closed forms, a second implementation in lock-step and over all courses, secrets, levels, policies."""

import itertools
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache, partial
from math import comb, exp, log

import kit
import numpy as np
import pytest
import random_play
from scipy.stats import chisquare

from envsuite.agents import make_policy
from envsuite.compile.bound import bind
from envsuite.core.errors import LevelError, ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.registry import build
from envsuite.social.codenames import Codenames
from envsuite.social.codenames.nouns import NOUNS, TOPIC
from envsuite.talk.table import Talk
from envsuite.talk.voice import sentences
from envsuite.testing import random_actions

ID = "envsuite/Codenames-v0"

started = partial(kit.started, ID)

WORDS = ["round", "square", "triangle", "gold", "green", "purple", "empty", "striped", "solid", "single", "double",
         "triple"]  # fmt: skip

#: Four cards, one of each kind, and the values round, square, gold, green.
TINY = dict(own=1, other=1, neutral=1, assassins=1, attributes=2, values=2, largest=1)
TABLE = ["round gold", "round green", "square gold", "square green"]


class Game:
    """The rules a second time, with words and sets: `cards` are sets of words, `key` a string of letters."""

    def __init__(self, cards, key, teams=2):
        self.cards, self.key, self.teams = [frozenset(card.split()) for card in cards], key, teams
        self.hidden, self.turns, self.winner, self.clue, self.hits = set(range(len(key))), [], None, None, 0

    @property
    def side(self):
        return "rb"[len(self.turns) % 2]

    def mover(self):
        return self.side, "guesser" if self.clue else "spymaster"

    def moves(self):
        """What the guesser may point at; None is to stop."""
        return {*self.hidden, None} if self.hits else set(self.hidden)

    def show(self, card):
        self.hidden.discard(card)
        self.found = [*self.found, card]
        for side in "rb":
            if not any(self.key[i] == side for i in self.hidden):
                self.winner = side
            if self.key[card] == "a" and side != self.side:
                self.winner = side

    def give(self, word, number):
        self.clue, self.hits, self.found = (word, number), 0, []

    def point(self, card, chance=None):
        """Point at a card, or stop; `chance` is the card of blue that is found if red plays alone."""
        if card is not None:
            self.show(card)
            self.hits += 1
            if self.winner or (self.key[card] == self.side and self.hits <= self.clue[1]):
                return
        self.turns.append((self.clue, self.found))
        self.clue, self.hits, self.found = None, 0, []
        if self.teams == 1:
            self.show(chance)
            self.turns.append((None, self.found))

    def over(self):
        """All turns, the present one included."""
        return [*self.turns, (self.clue, self.found)] if self.clue else self.turns

    def seen(self, side, role):
        """What an agent observes, apart from the rules."""
        own = side + "br"["rb".index(side)] + "na"
        n = len(self.key)
        found, clues = [-1] * n, [(-1, -1)] * n
        for t, (clue, cards) in enumerate(self.over()):
            clues[t] = clue or (-1, -1)
            for card in cards:
                found[card] = t
        knows = role == "spymaster" or self.winner
        going = self.clue and not self.winner
        lost = self.winner and not self.clue  # red alone has lost after its turn: it is still blue's
        return dict(
            key=[own.index(letter) if knows or found[i] >= 0 else 4 for i, letter in enumerate(self.key)],
            found=found,
            clues=clues,
            turn=[len(self.turns) - bool(lost)],
            team=["rb".index(side)],
            guesses=[self.hits, self.clue[1] + 1 - self.hits if going else 0],
            phase=[int(bool(self.clue))],
            left=[sum(self.key[i] == letter for i in self.hidden) for letter in own],
        )


def game_of(batch, i=0):
    level = batch.world.get_level(batch.record(i))
    return Game(level["cards"], level["key"], len(batch.world.agents) // 2)


AGENTS = [(side, role) for side in "rb" for role in ("spymaster", "guesser")]


def compare(batch, i, game):
    """Movers, masks and observations of all agents."""
    values, largest = batch.observations[i, 0]["rules"]
    for a, (side, role) in enumerate(AGENTS[: 2 * game.teams]):
        expected = game.seen(side, role)
        seen = batch.observations[i, a]
        expected["clues"] = [
            (-1, -1) if word == -1 else (name_number(word, values), number) for word, number in expected["clues"]
        ]
        for part, value in expected.items():
            assert seen[part].tolist() == [list(v) if isinstance(v, tuple) else v for v in value], (part, side, role)
        legal = np.flatnonzero(batch.masks[i, a]).tolist()
        if game.winner or game.mover() != (side, role):
            assert legal == []
        elif role == "guesser":
            assert {None if k == len(game.key) else k for k in legal} == game.moves()
        else:
            taken = {word for i in game.hidden for word in game.cards[i]} if values > 3 else ()
            words = [word for word in batch.world.words for _ in range(largest + 1)]
            assert legal == [k for k, word in enumerate(words) if word not in taken]


def name_number(word, values):
    """The number of a value, if attributes have this number of values; with more, of a noun."""
    if values > 3:
        return NOUNS.index(word)
    return WORDS.index(word) // 3 * values + WORDS.index(word) % 3


def tell(game, name, chance=None):
    """Make a move by its name."""
    word, _, number = name.partition(" ")
    if name == "stop":
        game.point(None, chance)
    elif word == "card":
        game.point(int(number) - 1, chance)
    else:
        game.give(word, int(number))


@pytest.mark.parametrize(
    "params",
    [
        dict(),
        dict(teams=1),
        dict(TINY, assassins=0, neutral=2),
        dict(teams=1, own=3, other=2, neutral=1, assassins=2, attributes=3, values=2, largest=2),
        dict(own=16, other=16, neutral=16, assassins=4, largest=0),
        dict(words=True, own=2, other=1, neutral=0, largest=0),
        pytest.param(dict(words=True, own=4, other=3, largest=2), marks=pytest.mark.slow),
    ],
)
def test_lock_step(params):
    """Random games; guessers stop seldom, and small numbers are as frequent as large ones."""
    batch = started(8, seed=1, **params)
    games, rng, ends = [game_of(batch, i) for i in range(8)], np.random.default_rng(len(params)), Counter()
    while not batch.over().all():
        going = ~batch.over()
        actions = random_actions(batch.masks, rng)
        before = batch.records["found"].copy()
        batch.step(actions, going)
        rewards = batch.rewards.copy()
        batch.observe()
        for i in np.flatnonzero(going):
            game = games[i]
            a = AGENTS.index(game.mover())
            fresh = set(np.flatnonzero(batch.records["found"][i] != before[i])) - {actions[i, a]}
            tell(game, batch.world.action_names[a][actions[i, a]], *fresh)
            compare(batch, i, game)
            assert bool(game.winner) == batch.over()[i] == bool(batch.terminations[i].all())
            pay = [0.0 if not game.winner else 1.0 if game.winner == side else -1.0 for side, _ in AGENTS]
            assert rewards[i].tolist() == pay[: 2 * game.teams]
            ends[game.winner] += 1
            if not game.winner:
                batch.world.admit(batch.records[[i]].copy())
    assert ends["r"] + ends["b"] == 8


def test_nouns():
    """400 different ones, ten a topic, in the order of the alphabet."""
    assert len(set(NOUNS)) == len(NOUNS) == 400 and list(NOUNS) == sorted(NOUNS)
    assert all(noun.isalpha() and noun.islower() and 2 < len(noun) < 13 for noun in NOUNS)
    assert Counter(TOPIC.tolist()) == dict.fromkeys(range(40), 10)


#: Red has two nouns of the sea and one of the sky, blue one of the sea.
SEA = {"cards": ["boat", "anchor", "moon", "tide", "rain"], "key": "rrrba"}


def words(level=SEA):
    return started(level=level, words=True, own=3, other=1, neutral=0)


def test_a_noun_on_the_table_is_no_clue():
    batch = words()
    text = batch.world.text(batch.record(), 0)
    assert "card 1: boat (red)" in text and "Give a clue: a word and a number." in text
    assert not {"boat 2", "rain 0"} & kit.legal(batch) and {"wave 2", "star 0"} <= kit.legal(batch)
    kit.act(batch, "wave 2", "card 1", "stop", "star 1", "card 2")  # blue finds a card of red
    assert "boat 1" in kit.legal(batch) and "anchor 1" in kit.legal(batch) and "moon 1" not in kit.legal(batch)


def test_scripted_teams_speak_of_topics():
    """Two cards of red and one of blue are of the sea; the guesser points at one of these for a clue of the sea."""
    batch, policy = words(), make_policy("literal", words().world)
    policy.reset(0)
    clue, number = batch.world.action_names[0][policy.act_in(batch, [0])[0, 0]].split()
    assert (TOPIC[NOUNS.index(clue)], number) in {(TOPIC[NOUNS.index("wave")], "2"), (TOPIC[NOUNS.index("star")], "1")}
    kit.act(batch, "wave 2")
    assert batch.world.action_names[1][policy.act_in(batch, [1])[0, 0]] in ("card 1", "card 2", "card 4")


def test_words_are_shown():
    batch = words()
    for agent in (0, 1, None):
        scene = batch.world.scene(batch.record(), agent)
        shown = {shape.text for shape in scene.shapes if hasattr(shape, "text")}
        assert {"boat", "anchor", "moon", "tide", "rain"} <= shown
    assert batch.world.click(batch.record(), 0, 20.0, 5.0) is None
    with pytest.raises(LevelError, match="card 0 is 'round gold empty single', not a value"):
        words({**SEA, "cards": ["round gold empty single", *SEA["cards"][1:]]})


# All courses of small games.


def courses(game, largest, words, depth):
    """The probabilities of the winners after `depth` uniform moves, by the second implementation."""
    found = defaultdict(Fraction)

    def visit(game, share, depth):
        if game.winner or depth == 0:
            found[game.winner] += share
            return
        if not game.clue:
            nexts = [(("give", w, n), None) for w in words for n in range(largest + 1)]
        else:
            nexts = [(("point", card), None) for card in game.moves()]
        for (kind, *what), _ in nexts:
            part = share / len(nexts)
            after = copied(game)
            if kind == "give":
                after.give(*what)
                visit(after, part, depth - 1)
                continue
            blues = [i for i in after.hidden if game.key[i] == "b" and i != what[0]] if game.teams == 1 else [None]
            for chance in blues or [None]:
                after = copied(game)
                after.point(*what, chance)
                visit(after, part / max(1, len(blues)), depth - 1)

    visit(game, Fraction(1), depth)
    return found


def copied(game):
    other = Game([], game.key, game.teams)
    other.__dict__.update(game.__dict__, hidden=set(game.hidden), turns=list(game.turns))
    return other


def explored(world, level, depth):
    """The same by the world, with all outcomes of its chance."""
    found = defaultdict(float)
    for share, record in random_play.explored(world, level, depth):
        winner = int(record["winner"])
        found[None if winner < 0 else "rb"[winner]] += share
    return found


@pytest.mark.parametrize("teams, key, depth", [(2, "rbna", 4), (1, "rrbb", 4), (1, "bran", 4)])
def test_all_courses(teams, key, depth):
    params = dict(TINY, teams=teams, largest=0 if teams == 2 else 1)
    for letter, name in zip("rbna", ("own", "other", "neutral", "assassins")):
        params[name] = key.count(letter)
    found = explored(build(ID, params), {"cards": TABLE, "key": key}, depth)
    words = ["round", "square", "gold", "green"]
    expected = courses(Game(TABLE, key, teams), params["largest"], words, depth)
    assert found.keys() == expected.keys()
    for winner, share in expected.items():
        assert found[winner] == pytest.approx(float(share), abs=1e-12)


# Closed forms: cards are pointed at in random order, whoever points.


@cache
def completes(red, blue, assassins):
    """The probability that all red cards are found before all blue ones and before an assassin."""
    if red == 0 or blue == 0:
        return Fraction(int(red == 0))
    total = red + blue + assassins
    return (red * completes(red - 1, blue, assassins) + blue * completes(red, blue - 1, assassins)) / total


def pointed(num, **params):
    """Games whose guessers point at card 1, 2 and so on after the largest clue: by the random key, in random order."""
    batch = started(num, seed=7, **params)
    largest = batch.world.action_names[0].index(f"round {params.get('largest', 9)}")
    card = np.zeros(num, int)
    while not batch.over().all():
        guessing = batch.records["phase"] == 1
        batch.step(np.where(guessing, card, largest)[:, None].repeat(len(batch.world.agents), 1), ~batch.over())
        card += guessing
    return batch


def close(count, num, p, errors=4.0):
    p = float(p)
    assert abs(count - num * p) < errors * (num * p * (1 - p)) ** 0.5 + 1e-9


@pytest.mark.parametrize("own, other, assassins", [(9, 1, 0), (9, 1, 1), (4, 1, 3), (9, 8, 1), (3, 5, 2)])
@pytest.mark.mostly_slow
def test_random_guessing(own, other, assassins):
    """With one blue card, red's last card comes before it and the assassins with the probability 1 / C(own + k, k)."""
    p = completes(own, other, assassins)
    if other == 1:
        assert p == Fraction(1, comb(own + 1 + assassins, 1 + assassins))
    batch = pointed(3000, own=own, other=other, assassins=assassins)
    found = (batch.records["left"] == 0).sum(axis=0)
    close(found[0], 3000, p)
    close(found[1], 3000, completes(other, own, assassins))


def test_first_runs_are_hypergeometric():
    """The number of own cards that a guesser finds in its first turn before another one, up to the number plus one."""
    num, largest = 4000, 4
    batch = started(num, seed=3, largest=largest)
    kit.act(batch, f"gold {largest}")
    run, card = np.zeros(num, int), 0
    while (going := (batch.records["turn"] == 0) & ~batch.over()).any():
        batch.step(np.full((num, 4), card), going)
        run += going & (batch.records["key"][:, card] == 0)
        card += 1
    expected = [num * comb(24 - k, 9 - k) / comb(25, 9) for k in range(largest + 1)]  # k own ones, then another
    expected.append(num - sum(expected))
    assert chisquare(np.bincount(run, minlength=largest + 2), expected).pvalue > 1e-4


def test_deals_are_uniform():
    """Each order of cards and each key of the smallest game is as frequent as any other."""
    batch = started(6000, seed=5, **TINY)
    keys = Counter(tuple(key) for key in batch.records["key"].tolist())
    cards = Counter(tuple(2 * a + b for a, b in table) for table in batch.records["cards"].tolist())
    for found in (keys, cards):
        assert len(found) == 24 and chisquare(list(found.values())).pvalue > 1e-4
    larger = started(500)
    assert all(len({tuple(card) for card in table}) == 25 for table in larger.records["cards"].tolist())
    counts = larger.records["cards"].reshape(-1, 4)
    assert all(abs(np.bincount(counts[:, a]) / len(counts) - 1 / 3).max() < 0.015 for a in range(4))


# Rules, one by one.

LEVEL = {"cards": ["round gold", "round green", "round purple", "square gold", "square green", "square purple",
                   "triangle gold", "triangle green"], "key": "rrrbbnna"}  # fmt: skip
SMALL = dict(own=3, other=2, neutral=2, assassins=1, attributes=2, level=LEVEL)


def test_a_turn():
    batch = started(**SMALL)
    assert batch.world.agents[kit.mover(batch)] == "red_spymaster"
    kit.act(batch, "round 1")
    assert kit.legal(batch) == {f"card {i}" for i in range(1, 9)}  # it cannot stop before it has guessed
    kit.act(batch, "card 1")
    assert kit.legal(batch) == {"stop", *(f"card {i}" for i in range(2, 9))}
    kit.act(batch, "card 2")  # the number plus one
    assert batch.world.agents[kit.mover(batch)] == "blue_spymaster"
    kit.act(batch, "square 0", "card 4")
    assert batch.world.agents[kit.mover(batch)] == "red_spymaster"
    kit.act(batch, "round 9", "card 6")  # neutral
    kit.act(batch, "square 9", "card 3")  # blue finds red's last card
    assert batch.rewards[0].tolist() == [1, 1, -1, -1] and batch.terminations.all()


def test_stop_and_assassin():
    batch = kit.act(started(**SMALL), "round 5", "card 1", "stop")
    assert batch.world.agents[kit.mover(batch)] == "blue_spymaster"
    kit.act(batch, "square 2", "card 8")
    assert batch.rewards[0].tolist() == [1, 1, -1, -1] and batch.record().winner == 0
    assert (batch.observations[0]["key"][1] < 4).all()  # at the end, guessers see the key


def test_who_hears_a_clue():
    """Both teams hear a clue; guessers point without a word, and the other spymaster waits."""
    batch = started(**SMALL)
    world, s = batch.world, batch.record()
    assert [world.speech(s, a, 0) for a in range(4)] == [range(4), None, None, None]
    kit.act(batch, "round 1")
    assert [world.speech(s, a, 0) for a in range(4)] == [None] * 4
    kit.act(batch, "card 1", "stop")
    assert [world.speech(s, a, 0) for a in range(4)] == [None, None, range(4), None]
    assert sentences(world, "square 0")[0] == "My clue is square, 0."
    with pytest.raises(ParameterError, match="every act of speech binds"):
        Talk("free").demand(world)
    Talk("beside").demand(world)


def test_red_alone():
    batch = kit.act(started(teams=1, **SMALL), "round 5", "card 1", "stop")
    assert batch.world.agents[kit.mover(batch)] == "red_spymaster"
    assert batch.record().left.tolist() == [2, 1, 2, 1] and batch.record().turn == 2
    assert "2. blue; found card" in batch.world.text(batch.record(), 1)
    kit.act(batch, "round 5", "card 6")
    assert batch.rewards[0].tolist() == [-1, -1] and batch.terminations.all()
    batch = kit.act(started(1000, teams=1, **SMALL), "round 5", "card 6")  # either blue card is found as often
    found = (batch.records["found"] == 1).sum(axis=0)
    assert found[3] + found[4] == 1000 and abs(found[3] - 500) < 64
    batch = kit.act(started(teams=1, **SMALL), "round 2", "card 1", "card 2", "card 3")
    assert batch.rewards[0].tolist() == [1, 1]


# Secrets.


def positions(moves, num=30, seed=0, **params):
    batch, rng = started(num, seed=seed, **params), np.random.default_rng(seed)
    for _ in range(moves):
        before = batch.records.copy()
        batch.step(random_actions(batch.masks, rng))
        batch.records[batch.over()] = before[batch.over()]
    batch.observe()
    return batch


def test_guessers_do_not_see_the_key():
    """With the kinds of all hidden cards in another order, guessers get the same as before, and spymasters do not."""
    for moves, params in ((0, {}), (9, {}), (7, dict(teams=1))):
        batch = positions(moves, **params)
        world, agents = batch.world, range(len(batch.world.agents))
        shown = [[everything(world, batch, i, a) for a in agents] for i in range(5)]
        for key, found in zip(batch.records["key"], batch.records["found"]):
            key[found == -1] = key[found == -1][::-1]
        batch.observe()
        for i, a in itertools.product(range(5), agents):
            assert (everything(world, batch, i, a) == shown[i][a]) == (a % 2 == 1)


def everything(world, batch, i, a):
    s = batch.record(i)
    return batch.observations[i, a].tobytes(), world.text(s, a), world.prompt(s, a), world.scene(s, a).shapes


def _guess(records, agent):
    for i in range(records.shape[0]):
        guess(records[i], agent)


guess = None


def test_guess():
    """`guess` draws every key that fits with the same probability, without a look at the true one."""
    once = bind(_guess, "test_codenames", guess=Codenames.guess)
    level = {"cards": [*TABLE, "triangle gold", "triangle green"], "key": "rrbnna"}
    params = dict(own=2, other=1, neutral=2, assassins=1, attributes=2, level=level)
    batch = kit.act(started(6000, **params), "round 2", "card 2")
    seen, true = batch.observations.copy(), batch.records.copy()
    once(batch.records, 0)
    assert (batch.records == true).all()  # a spymaster knows everything
    once(batch.records, 1)
    batch.observe()
    assert (batch.observations[:, 1] == seen[:, 1]).all() and (batch.records["key"][:, 1] == 0).all()
    found = Counter(map(tuple, batch.records["key"].tolist()))
    assert len(found) == 60 and chisquare(list(found.values())).pvalue > 1e-4
    drawn = batch.records.copy()
    batch.records[:] = true
    batch.records["key"][:] = 0
    once(batch.records, 1)
    assert (batch.records["key"] == drawn["key"]).all()


# Levels, parameters, snapshots.


def test_levels():
    batch = started(**SMALL)
    assert batch.world.get_level(batch.record()) == LEVEL
    cards, key = LEVEL["cards"], LEVEL["key"]
    kit.refuses(
        batch.world,
        ({}, "not nothing"),
        ({"cards": cards}, "a level has 'cards' and 'key', not 'cards'"),
        ({"cards": cards[1:], "key": key}, "cards must be a list of 8 entries"),
        ({"cards": [*cards[:7], "gold round"], "key": key}, "card 7 is 'gold round', not a value of each attribute"),
        ({"cards": [*cards[:7], "round gold empty"], "key": key}, "card 7 is 'round gold empty'"),
        ({"cards": [*cards[:7], 5], "key": key}, "card 7 is 5"),
        ({"cards": [*cards[:7], "round  gold"], "key": key}, "card 7, 'round  gold', is there twice"),
        ({"cards": cards, "key": "rrrbbnnn"}, "must have the letters 'rrrbbnna'"),
        ({"cards": cards, "key": list(key)}, "must have the letters"),
    )


def test_wrong_parameters_and_states():
    for params in ({"teams": 3}, {"own": 0}, {"other": 0}, {"assassins": 5}, {"values": 4}, {"largest": 10}):
        with pytest.raises(ParameterError, match=next(iter(params))):
            build(ID, params)
    with pytest.raises(ParameterError, match="make 25 cards, but attributes=2 with values=3 make only 9 different"):
        build(ID, dict(attributes=2))
    batch = kit.act(started(**SMALL), "round 1", "card 1", "stop", "square 1", "card 4")
    for field, place, value, message in (
        ("cards", (0, 1), [0, 0], "two cards are the same"),
        ("deck", (0, 0), 1, "the deck does not have every card once"),
        ("key", (0, 0), 1, "the key has other numbers"),
        ("left", (0, 0), 1, "left does not count"),
        ("turn", 0, 2, "cards were not found in the turns"),
        ("clues", (0, 1), -1, "clues do not go with the turn"),
        ("numbers", (0, 2), 3, "clues do not go with the turn"),
        ("made", 0, 2, "the turn is over"),
        ("numbers", (0, 1), 0, "the turn is over"),
        ("winner", 0, 1, "the game is over"),
        ("found", (0, 0), 9, "found"),
    ):
        records = batch.records.copy()
        records[field][place] = value
        with pytest.raises(SnapshotError, match=message):
            batch.world.admit(records)


# Words, picture, clicks.


def test_text_picture_and_clicks():
    batch = started(**SMALL)
    world = batch.world
    assert "card 8: triangle green (assassin)" in world.text(batch.record(), 0)
    assert "assassin)" not in world.text(batch.record(), 1)
    assert kit.clicks(batch, 0) == {None, *range(len(world.action_names[0]))}
    kit.act(batch, "round 2", "card 1")
    assert kit.clicks(batch, 1) == {None, *range(9)}
    text = world.text(batch.record(), 1)
    assert "The clue is round 2. You may guess 2 more cards or stop." in text
    assert "card 1: round gold (red, found)" in text
    assert world.messages(batch.record()) == [(0, "round 2")]
    kit.act(batch, "card 6")
    assert "1. red: round 2; found card 1 (red), card 6 (neutral)" in world.text(batch.record(), 3)
    kit.act(batch, "gold 0", "card 8")
    assert world.text(batch.record(), 3).endswith("It is over: red wins.")
    for agent in (None, 0, 1, 2, 3):
        assert len(world.scene(batch.record(), agent).shapes) > 30


# Policies.

WEIGHTS = {"r": 1.0, "b": -1.0, "n": -0.5, "a": -2.0}


def margins(game, side, hidden, key, words):
    """The margin of each word, and how many of the team's cards have it."""
    kinds = {i: key[i] if side == "r" else key[i].translate(str.maketrans("rb", "br")) for i in hidden}
    return {
        word: (sum(WEIGHTS[k] for i, k in kinds.items() if word in game.cards[i]),
               sum(k == "r" for i, k in kinds.items() if word in game.cards[i]))
        for word in words
    }  # fmt: skip


def test_the_best_clue():
    """No word has a larger margin than that of `literal`, and its number is that of the team's cards that have it."""
    for moves in (0, 8, 20):
        batch = positions(moves, num=20, seed=moves)
        player = make_policy("literal", batch.world)
        player.reset(0, 20)
        for i in range(20):
            s = batch.record(i)
            if s.phase == 1:
                continue
            a = int(batch.acting[i].argmax())
            word, number = batch.world.action_names[a][
                player.act_batch(batch.observations[[i]][:, [a]], batch.masks[[i]][:, [a]], [a])[0, 0]
            ].split()
            game = game_of(batch, i)
            hidden = np.flatnonzero(s.found == -1)
            known = margins(game, "rb"[a // 2], hidden, game.key, WORDS)
            assert known[word][0] == max(m for m, own in known.values() if own) and known[word][1] == int(number)


def test_the_literal_guesser():
    batch = kit.act(started(**SMALL), "square 2")
    assert kit.choices("literal", batch, seeds=60) == {"card 4", "card 5", "card 6"}
    batch = kit.act(started(**SMALL), "round 1", "card 3")
    assert kit.choices("literal", batch, seeds=5) == {"stop"}
    batch = kit.act(started(**SMALL), "gold 3", "card 1")
    assert kit.choices("literal", batch, seeds=60) == {"card 4", "card 7"}
    batch = kit.act(started(**SMALL), "purple 2", "card 3", "card 6", "gold 0", "card 5", "purple 1")
    assert kit.choices("literal", batch, seeds=200) == {f"card {i}" for i in (1, 2, 4, 7, 8)}  # nothing fits


def posterior(game, sharpness):
    """For the guesser to move: the probability of each kind for each card, over all keys, by the spymasters' model."""
    words = sorted(set().union(*game.cards))
    total = defaultdict(float)
    for kinds in set(itertools.permutations(game.key[i] for i in sorted(game.hidden))):
        key = list(game.key)
        for i, kind in zip(sorted(game.hidden), kinds):
            key[i] = kind
        weight, hidden = 0.0, set(range(len(key)))
        for t, (clue, cards) in enumerate(game.over()):
            known = margins(game, "rb"[t % 2], hidden, key, words)
            hidden -= set(cards)
            if clue is None:
                continue
            word, number = clue
            weight += sharpness * known[word][0] - log(sum(exp(sharpness * m) for m, _ in known.values()))
            weight -= 2 * abs(known[word][1] - number)
        for i in game.hidden:
            total[i, key[i]] += exp(weight)
    return total


@pytest.mark.slow
@pytest.mark.parametrize("sharpness, teams", [(0.7, 2), (3.0, 2), (0.7, 1)])
def test_the_pragmatic_guesser(sharpness, teams):
    """With many samples, it points at the best card, or stops, as the sum over all keys says."""
    rng, tested = np.random.default_rng(4), 0
    for seed in range(12):
        batch = started(seed=seed, teams=teams, own=3, other=3, neutral=1, assassins=1, attributes=2)
        game = game_of(batch)
        player = make_policy("literal", batch.world)
        player.reset(seed, 1)
        for _ in range(rng.integers(1, 7)):
            before = batch.records.copy()
            a = kit.mover(batch)
            action = int(player.act_batch(batch.observations, batch.masks, range(2 * teams))[0, a])
            found = batch.records["found"][0].copy()
            batch.step(action)
            if batch.over()[0]:
                batch.records[:] = before
                break
            fresh = set(np.flatnonzero(batch.records["found"][0] != found)) - {action if a % 2 else -1}
            tell(game, batch.world.action_names[a][action], *fresh)
        batch.observe()
        if batch.record().phase == 0:
            continue
        a, side = kit.mover(batch), game.side
        share, foe = posterior(game, sharpness), "br"["rb".index(side)]
        whole = sum(share[min(game.hidden), kind] for kind in "rbna")
        worth = {i: (share[i, side] - share[i, foe] - 5 * share[i, "a"]) / whole for i in game.hidden}
        ranked = sorted(worth.values())
        chosen = kit.choices("pragmatic", batch, samples=20_000, sharpness=sharpness)
        if batch.record().made and abs(ranked[-1]) > 0.1 and ranked[-1] < 0:
            assert chosen == {"stop"}
        elif not batch.record().made or ranked[-1] > 0.1:
            assert chosen <= {f"card {i + 1}" for i in worth if worth[i] > ranked[-1] - 0.1}
            tested += ranked[-1] > ranked[-2] + 0.1
    assert tested > 2


def share_won(red, blue, num=300, **params):
    world = build(ID, params)
    seats = [red, red, blue, blue][: len(world.agents)]
    return (play(world, seats, num).returns[:, 0] > 0).mean()


def test_who_wins():
    assert share_won("literal", "random") > 0.8 > 0.2 > share_won("random", "literal")
    assert share_won("literal", "", teams=1) > 0.15 > share_won("random", "", teams=1)


@pytest.mark.slow
def test_pragmatic_guessers_win():
    assert share_won("pragmatic", "literal", 60) > 0.55 and share_won("literal", "pragmatic", 60) < 0.45
    assert share_won("pragmatic", "", 60, teams=1) > share_won("literal", "", 200, teams=1) + 0.1
