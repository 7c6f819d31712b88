"""Codenames: spymasters name a feature and a number, and guessers look for their team's cards among all cards.

**Rules.** On the table lie different cards, each with a value of each attribute. A secret key says which cards belong
to red, which to blue, which are neutral, and which are assassins. Only the spymasters know the key. Red begins, and the
teams take turns.

1. The team's spymaster gives a clue: a value, such as `gold`, and a number from 0 to `largest`. Any clue is legal.
2. The guesser points at cards, one by one, at least once. All see what the key says about each of them. After a card
   of another kind than the team's, the turn ends. Otherwise, the guesser may stop, or guess again, but it never makes
   more guesses than the number plus one.

A team wins when all its cards are found, no matter by which team. A team whose guesser points at an assassin loses.

With ``teams=1``, red plays alone. After each of its turns, a random card of blue is found. Red loses when all of
blue's cards are found.

**Agents.** `red_spymaster`, `red_guesser`, `blue_spymaster`, `blue_guesser`; with ``teams=1`` the first two.

**Observation.** Dict, the same parts for all. There are n cards.

| part | space | content |
|---|---|---|
| cards | Box (n, attributes) int8 | the values of each card, from 0, in the order of the tables below |
| key | Box (n,) int8 | 0 the own team's, 1 the other team's, 2 neutral, 3 assassin, 4 unknown |
| found | Box (n,) int8 | the turn in which the card was pointed at, or -1 |
| clues | Box (n, 2) int8 | of each turn: the value and the number of the clue, or -1 |
| turn | Box (1,) int8 | number of turns that have ended; red has the even turns and blue the odd ones |
| team | Box (1,) int8 | the own team: 0 red, 1 blue |
| phase | Box (1,) int8 | 0 a clue is to be given, 1 a guess is to be made |
| guesses | Box (2,) int8 | guesses made in this turn, and guesses left |
| left | Box (4,) int8 | cards not yet found of each kind, the kinds as in the key |
| rules | Box (2,) int8 | `values` and `largest` |

Values are counted over all attributes: value v of attribute a is a `values` + v. At the end, the key is shown to all.

| attribute | values |
|---|---|
| shape | `round`, `square`, `triangle` |
| color | `gold`, `green`, `purple` |
| fill | `empty`, `striped`, `solid` |
| count | `single`, `double`, `triple` |

**Actions.** Discrete. Spymasters and guessers have different actions.

| agent | action | name | legal |
|---|---|---|---|
| spymaster | (`largest` + 1) value + number | `round 0`, `round 1` ... `triple 9` | while its team has no clue |
| guesser | i < n | `card 1`, `card 2` and so on | after the clue, if the card is not yet found |
| guesser | n | `stop` | after the first guess of the turn |

**Window.** A guesser clicks a card to point at it, and the button below the cards to stop; the key s stops too. A
spymaster clicks a cell of the table of clues.

**Rewards.** At the end: +1 to both agents of the team that wins, -1 to those of the team that loses.

**Ends.** Terminates when a team wins or loses.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `teams` | 2 | number of teams that play, 1 or 2 |
| `own` | 9 | cards of red, from 1 to 16 |
| `other` | 8 | cards of blue, from 1 to 16 |
| `neutral` | 7 | neutral cards, from 0 to 16 |
| `assassins` | 1 | cards with assassins, from 0 to 4 |
| `attributes` | 4 | number of attributes of a card, from 1 to 4, in the order of the table |
| `values` | 3 | number of values of each attribute, 2 or 3 |
| `largest` | 9 | the largest number of a clue, from 0 to 9 |
| `words` | False | cards and clues are nouns; `attributes` and `values` then mean nothing |

There must be enough different cards: at most `values` to the power `attributes`.

**Words.** With `words`, each card is one of 400 nouns, and a clue is one of these nouns and a number. As in the board
game, a noun is no clue while it lies on the table and is not found. The rules know no meaning: what a noun has to do
with another one is for the players. Observations and records then have int16 where they have values: `cards`, `clues`
and `rules`; nouns count from 0, in the order of the clues' names. The baselines know a topic for each noun, ten nouns a
topic, and take a clue to fit the cards of its topic.

**Level.** ``{"cards": ["round gold empty single", ...], "key": "rbna..."}``: the values of each card, or its noun, and
a letter for each card: ``r`` red, ``b`` blue, ``n`` neutral, ``a`` assassin. `own`, `other`, `neutral` and `assassins`
set how many there are.

**Known values.** Random guesses that no turn ends find all `own` cards before the first of k assassins with the
probability 1 / C(`own` + k, k), which is 1/10 by default.

The part of games that red wins, of 1,000 each, with a standard error of at most 0.016; with ``teams=1`` in the last
column:

| red | against `random` | against `literal` | against `pragmatic` | alone |
|---|---|---|---|---|
| `random` | 0.469 | 0.096 | 0.141 | 0.001 |
| `literal` | 0.890 | 0.457 | 0.272 | 0.234 |
| `pragmatic` | 0.831 | 0.720 | 0.454 | 0.511 |

Against random clues, `pragmatic` is the weaker one: it looks for a meaning in the clues of both teams.

**Differences.** From the board game:

- Without `words`, cards have features, and a clue is a feature. So a clue fits a card or does not, and no language is
  needed. All clues are legal, also those that fit no card.
- With `words`, a clue is one of 400 nouns. There, it is any word that is no part of a word on the table.
- The clue 0 allows one guess, like any number allows one more. There, it allows any number of guesses, and so does the
  clue "unlimited", which is left out.
- Red always begins. There, a random team begins and has one card more.
- With ``teams=1``, the card of blue is random. There, the spymaster chooses it, and the team counts how many of blue's
  cards are left; here, it wins or loses.
- Free talk (`envsuite.talk`) allows words beside clues. They are not part of the game, in which a clue tells all.

**Source.** Chvatil, "Codenames", 2015. Frank and Goodman, "Predicting pragmatic reasoning in language games", 2012, for
the pragmatic guesser.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_list
from envsuite.core.random import randint
from envsuite.core.ranges import below, fixed, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.social.codenames import pages, view
from envsuite.social.codenames.nouns import NOUNS
from envsuite.social.codenames.view import ASSASSIN, CLUE, NONE

#: In observations: cards of the own team, and of the other one, in place of RED and BLUE.
OWN, OTHER = 0, 1


def fields(cards: int, attributes: int, values: int, largest: int, small: Any) -> list[tuple]:
    """The record's own fields; `small` is the type of values."""
    kinds = values**attributes
    return [
        ("cards", below(small, values), (cards, attributes)),  # the values of each card: the level
        ("key", below(np.int8, 4), (cards,)),  # the kind of each card: the level
        ("deck", below(small, kinds), (kinds,)),  # while cards are drawn: all different cards
        ("turn", below(np.int64, cards)),  # turns that have ended; its last bit is the team
        ("phase", below(np.int64, 2)),  # CLUE or GUESS
        ("clues", within(small, NONE, attributes * values - 1), (cards,)),  # the value of each turn's clue
        ("numbers", within(np.int8, NONE, largest), (cards,)),  # the number of each turn's clue
        ("found", within(np.int8, NONE, cards - 1), (cards,)),  # the turn in which a card was pointed at
        ("made", within(np.int64, 0, largest + 1)),  # guesses of this turn
        ("left", within(np.int64, 0, cards), (4,)),  # cards not yet found, by kind
        ("undrawn", within(np.int64, 0, cards), (4,)),  # while the key is drawn: cards still to be placed, by kind
        ("winner", within(np.int64, NONE, view.BLUE)),  # the team that has won
    ]


@kernel
def reset(s):
    s.turn = 0
    s.phase = CLUE
    s.made = 0
    s.winner = NONE
    fill(s.clues, NONE)
    fill(s.numbers, NONE)
    fill(s.found, NONE)
    for kind in range(4):
        s.left[kind] = s.params.counts[kind]
        s.undrawn[kind] = 0
    for k in range(s.deck.shape[0]):
        s.deck[k] = k
    if not s.level_given:
        deal(s)


@kernel
def deal(s):
    """Draw different cards, and a key: red's cards and so on are a random part of them."""
    cards, attributes = s.cards.shape
    for i in range(cards):
        k = i + randint(s, s.deck.shape[0] - i)
        card = np.int64(s.deck[k])
        s.deck[k] = s.deck[i]
        s.deck[i] = card
        for a in range(attributes):
            s.cards[i, a] = card % s.params.values
            card //= s.params.values
    draw_key(s)


@kernel
def draw_key(s):
    """Draw the kinds of all cards that are not found yet."""
    rest = 0
    for kind in range(4):
        s.undrawn[kind] = s.left[kind]
        rest += s.left[kind]
    for i in range(s.key.shape[0]):
        if s.found[i] == NONE:
            k, kind = randint(s, rest), 0
            while k >= s.undrawn[kind]:
                k -= s.undrawn[kind]
                kind += 1
            s.key[i] = kind
            s.undrawn[kind] -= 1
            rest -= 1


@kernel
def step(s, actions, rewards):
    team = s.turn % 2
    if s.phase == CLUE:
        clue = actions[2 * team]
        s.clues[s.turn] = clue // (s.params.largest + 1)
        s.numbers[s.turn] = clue % (s.params.largest + 1)
        s.phase = view.GUESS
        return
    card = actions[2 * team + 1]
    if card == s.key.shape[0]:
        end_turn(s)
    else:
        s.made += 1
        kind = point_at(s, card)
        if s.winner == NONE and (kind != team or s.made > s.numbers[s.turn]):
            end_turn(s)
    if s.winner != NONE:
        for a in range(s.terminated.shape[0]):
            rewards[a] = 1.0 if a // 2 == s.winner else -1.0
            s.terminated[a] = 1


@kernel
def point_at(s, card):
    """The team to move points at a card: show its kind and return it. This may end the game."""
    kind = np.int64(s.key[card])
    s.found[card] = s.turn
    s.left[kind] -= 1
    if kind == ASSASSIN:
        s.winner = 1 - s.turn % 2
    elif kind != view.NEUTRAL and s.left[kind] == 0:
        s.winner = kind
    return kind


@kernel
def end_turn(s):
    """The other team has the turn; if it does not play, one of its cards is found, and the turn returns."""
    s.turn += 1
    s.phase = CLUE
    s.made = 0
    if s.terminated.shape[0] == 2:
        k = randint(s, s.left[view.BLUE])
        card = 0
        while k > 0 or s.key[card] != view.BLUE or s.found[card] != NONE:
            k -= s.key[card] == view.BLUE and s.found[card] == NONE
            card += 1
        point_at(s, card)
        if s.winner == NONE:
            s.turn += 1


@kernel
def seen_as(kind, team):
    """A kind of card as a team sees it, or the kind that a team sees as this one."""
    return 1 - kind if team == view.BLUE and kind <= view.BLUE else kind


@kernel
def observe(s, agent, out):
    cards, attributes = s.cards.shape
    team, knows = agent // 2, agent % 2 == 0 or s.winner != NONE
    for i in range(cards):
        for a in range(attributes):
            out.cards[i, a] = s.cards[i, a]
        out.key[i] = seen_as(np.int64(s.key[i]), team) if knows or s.found[i] != NONE else view.UNKNOWN
        out.found[i] = s.found[i]
        out.clues[i, 0] = s.clues[i]
        out.clues[i, 1] = s.numbers[i]
    out.turn[0] = s.turn
    out.team[0] = team
    out.phase[0] = s.phase
    out.guesses[0] = s.made
    out.guesses[1] = s.numbers[s.turn] + 1 - s.made if s.phase == view.GUESS and s.winner == NONE else 0
    out.rules[0] = s.params.values
    out.rules[1] = s.params.largest
    for kind in range(4):
        out.left[seen_as(kind, team)] = s.left[kind]


@kernel
def legal(s, agent, mask):
    if s.winner != NONE or agent != 2 * (s.turn % 2) + (s.phase == view.GUESS):
        return
    if s.phase == CLUE:
        for clue in range(s.cards.shape[1] * s.params.values * (s.params.largest + 1)):
            mask[clue] = 1
        if s.params.values > view.MOST_VALUES:
            forbid_cards(s, mask)
    else:
        for i in range(s.key.shape[0]):
            mask[i] = s.found[i] == NONE
        mask[s.key.shape[0]] = s.made > 0


@kernel
def forbid_cards(s, mask):
    """A noun that lies on the table and is not found is no clue."""
    for i in range(s.cards.shape[0]):
        if s.found[i] == NONE:
            for number in range(s.params.largest + 1):
                mask[s.cards[i, 0] * (s.params.largest + 1) + number] = 0


@kernel
def guess(s, agent):
    """Draw the kinds of the cards that are not found yet, if the agent is a guesser."""
    if agent % 2 == 1:
        draw_key(s)


class Codenames(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGES
    page_slots = pages.page_slots
    guess = guess
    turns = "sequential"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("deduction", "teams", "cards")
    talk_forbidden = "players may not tell their team anything but by clues"
    verified = "closed forms of random guessing, enumeration of small games, a second implementation in lock-step"
    variants = (
        dict(teams=1),
        dict(own=2, other=1, neutral=1, attributes=2, values=2, assassins=0, largest=1),
        dict(teams=1, own=2, other=2, neutral=0, assassins=2, attributes=3, values=2, largest=2),
        dict(words=True, own=3, other=2, neutral=2, largest=3),
    )
    shown = "literal"
    cost = 10
    keys = {"s": "stop"}
    phrases = pages.PHRASES
    features = view.features
    speech = view.hearers
    messages = view.messages

    def page_role(self, s: Any, agent: int) -> str:
        return ("spymaster", "guesser")[agent % 2]

    text = view.text
    scene = view.scene
    click = view.click

    def __init__(
        self,
        teams: Annotated[int, Between(1, 2)] = 2,
        own: Annotated[int, Between(1, 16)] = 9,
        other: Annotated[int, Between(1, 16)] = 8,
        neutral: Annotated[int, Between(0, 16)] = 7,
        assassins: Annotated[int, Between(0, 4)] = 1,
        attributes: Annotated[int, Between(1, 4)] = 4,
        values: Annotated[int, Between(2, 3)] = 3,
        largest: Annotated[int, Between(0, 9)] = 9,
        words: bool = False,
    ):
        counts = [own, other, neutral, assassins]
        #: The words for the values of each attribute.
        self.values = (NOUNS,) if words else tuple(row[:values] for row in view.VALUES[:attributes])
        attributes, values, small = len(self.values), len(self.values[0]), np.int16 if words else np.int8
        cards = sum(counts)
        if cards > values**attributes:
            raise ParameterError(
                f"{self.id}: own={own}, other={other}, neutral={neutral} and assassins={assassins} make {cards} cards, "
                f"but attributes={attributes} with values={values} make only {values**attributes} different ones"
            )
        self.utility = "zero-sum" if teams == 2 else "identical"  # type: ignore[assignment]
        #: The words for all values, numbered over all attributes.
        self.words = [word for row in self.values for word in row]
        clues = [f"{word} {number}" for word in self.words for number in range(largest + 1)]
        guesses = [*(f"card {i + 1}" for i in range(cards)), "stop"]
        agents = [f"{color}_{role}" for color in view.KINDS[:teams] for role in ("spymaster", "guesser")]
        self.define(
            agents=agents,
            actions={agent: guesses if k % 2 else clues for k, agent in enumerate(agents)},
            observation=Dict(
                cards=Box(0, values - 1, (cards, attributes), small),
                key=Box(0, view.UNKNOWN, (cards,), np.int8),
                found=Box(NONE, cards - 1, (cards,), np.int8),
                clues=Box(small(NONE), np.tile(np.array([len(self.words) - 1, largest], small), (cards, 1)),
                          dtype=small),
                turn=Box(0, cards - 1, (1,), np.int8),
                team=Box(view.RED, view.BLUE, (1,), np.int8),
                phase=Box(CLUE, view.GUESS, (1,), np.int8),
                guesses=Box(0, largest + 1, (2,), np.int8),
                left=Box(0, max(counts), (4,), np.int8),
                rules=Box(0, np.array([values, largest], small), (2,), small),
            ),
            fields=fields(cards, attributes, values, largest, small),
            params={"counts": fixed(counts), "values": fixed(values), "largest": fixed(largest)},
            reward_range=(-1.0, 1.0),
        )  # fmt: skip

    def contradiction(self, s: Any) -> str | None:
        cards, counts, found = len(s.key), s.params.counts, s.found != NONE
        if len({tuple(card) for card in s.cards.tolist()}) < cards:
            return "two cards are the same"
        if sorted(s.deck.tolist()) != list(range(len(s.deck))):
            return "the deck does not have every card once"
        if np.bincount(s.key, minlength=4).tolist() != counts.tolist():
            return "the key has other numbers of cards"
        if np.bincount(s.key[~found], minlength=4).tolist() != s.left.tolist():
            return "left does not count the cards that are not found"
        latest = s.turn + (s.made > 0 or bool(s.terminated[0]))
        if set(s.found[found].tolist()) != set(range(latest)):
            return "cards were not found in the turns that have ended"
        given = (np.arange(cards) < s.turn + (s.phase == view.GUESS)) & (np.arange(cards) % 2 < len(self.agents) // 2)
        if ((s.clues != NONE) != given).any() or ((s.numbers != NONE) != given).any():
            return "clues do not go with the turn"
        now = s.found == s.turn
        if s.terminated[0]:
            return None if s.winner != NONE else "nobody has won"
        if s.winner != NONE or s.left[view.RED] == 0 or s.left[view.BLUE] == 0 or s.left[ASSASSIN] < counts[ASSASSIN]:
            return "the game is over"
        if len(self.agents) == 2 and s.turn % 2:
            return "a team has the turn that does not play"
        if s.made != now.sum() or (s.key[now] != s.turn % 2).any() or s.made > max(0, s.numbers[s.turn]):
            return "the turn is over"
        return None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        exact_parts(self.id, level, "cards", "key")
        count, attributes = s.cards.shape
        cards, key = read_list(level["cards"], f"{self.id}: the level's cards", count), level["key"]
        for i, card in enumerate(cards):
            words = card.split() if isinstance(card, str) else []
            known = self.values
            if len(words) != attributes or any(word not in known[a] for a, word in enumerate(words)):
                example = " ".join(row[0] for row in known)
                raise LevelError(
                    f"{self.id}: card {i} is {card!r:.60}, not a value of each attribute, like {example!r}"
                )
            if card.split() in [other.split() for other in cards[:i]]:
                raise LevelError(f"{self.id}: card {i}, {card!r}, is there twice")
            s.cards[i] = [known[a].index(word) for a, word in enumerate(words)]
        wanted = "".join(letter * int(n) for letter, n in zip(view.LETTERS, s.params.counts))
        if not isinstance(key, str) or sorted(key) != sorted(wanted):
            raise LevelError(f"{self.id}: 'key' is {key!r:.60}, but must have the letters {wanted!r} in some order")
        s.key[:] = [view.LETTERS.index(letter) for letter in key]

    def get_level(self, s: Any) -> dict[str, Any]:
        return {
            "cards": [" ".join(self.features(s, i)) for i in range(len(s.key))],
            "key": "".join(view.LETTERS[kind] for kind in s.key),
        }


env, raw_env, parallel_env = pettingzoo_forms(Codenames)
