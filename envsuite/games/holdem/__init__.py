"""HoldEm: Texas hold'em with limit or no-limit betting for 2 to 10 players, side pots, and decks of any size.

**Rules.** The players sit in a circle, and one of them has the button. The next two players pay the small and the big
blind. With two players, the button pays the small blind. A player with fewer chips pays all of them, and the others
call the most that any player paid. Every player gets two cards that only it sees. There are four rounds of betting.
Three common cards are turned up before the second round, and one before the third and the fourth.

In turn, a player folds, calls what others have paid, or raises it. In the first round, the player after the big blind
acts first; later, the first player after the button. A round ends when all players have called or folded. A player
whose chips are used up stays in the hand and no longer acts. Once at most one player has chips to bet with, the other
common cards are turned up at once.

- **Limit.** A raise is by a fixed number of chips, and a round has a fixed number of raises.
- **No-limit.** A raise is of any size, but not less than the largest raise of the round or the big blind.

A player may always go all in for less. A player that has acted in the round may raise again only if others have raised
the stakes by a full raise since then, together or at once; otherwise it calls or folds.

If all but one player fold, that player takes the pot. Otherwise the best five of a player's own and the common cards
count. The chips that players can match are one pot; what others pay beyond that makes side pots. Equal hands share a
pot. Its odd chips go one each to the first of them after the button.

**Agents.** `player_0`, `player_1` and so on, in the order of the seats. A hand is one episode.

**Observation.** Dict. Seats are counted from the observer; chips are whole numbers.

| part | space | content |
|---|---|---|
| hand | Box (suits, ranks) int8 | 1 for the agent's own cards, lowest rank first |
| board | Box (suits, ranks) int8 | the round, from 1, in which a common card was turned up; 0 for other cards |
| seats | Box (players, 5) int32 | of each seat: chips left, paid in this round, in this hand; 1 if folded, if all in |
| table | Box (6,) int32 | see below |
| moves | Box (rounds, length) int16 | the moves of each round: the action plus 1, 0 after the last |
| odds | Box (2,) float32 | only with `equity`: how often the agent wins and ties, see there |

| entry of `table` | content |
|---|---|
| 0 | the seat with the button |
| 1 | the round, from 0 |
| 2 | common cards to come |
| 3 | chips to call |
| 4 | the least total of a raise |
| 5 | the big blind |

**Actions.** Only the player to move has legal actions. A "total" is what a player has paid in this hand.

| action | name | legal |
|---|---|---|
| 0 | `fold` | if there is something to call |
| 1 | `call` | always; with nothing to call, it is a check |
| 2 | `raise` | limit: by the round's number of chips, or all in |
| 2, 3 | `minimum raise`, `raise by half the pot` | ``menu="menu"`` |
| 4, 5, 6 | `raise by the pot`, `raise by twice the pot`, `all in` | ``menu="menu"`` |
| 2, 3 | `raise by the pot`, `all in` | ``menu="pot"`` |
| a > 1 | `raise to a` | ``menu="chips"``: the total becomes a |

The pot by which a player raises includes its call; half of an odd pot is rounded down. A raise is legal while the round
has raises left, another player has chips to call, and the total is at least the least one or all chips. Of actions with
the same total, only the first is legal.

**Window.** The keys f and c fold and call. The key r plays the first raise of the list, and a is `all in`.

**Rewards.** At the end, the chips that each player has won or lost, in big blinds; 0 before.

**Ends.** Terminates with the hand.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 2 | number of players, from 2 to 10 |
| `betting` | "limit" | "limit" or "nolimit" |
| `menu` | "menu" | raises without limit: "menu", "pot" or "chips", see **Actions** |
| `stacks` | None | chips at the start: a number, or one for each player; 200 big blinds if None. One must be asked. |
| `small_blind` | 1 | chips of the small blind |
| `big_blind` | 2 | chips of the big blind, at least the small blind |
| `ante` | 0 | chips that every player pays before the blinds |
| `button` | 0 | the player with the button |
| `ranks` | 13 | ranks in the deck, the highest ones: 5 are ten to ace |
| `suits` | 4 | suits in the deck, from 1 to 4 |
| `hole` | 2 | cards of each player, from 1 to 5 |
| `board` | (0, 3, 1, 1) | common cards that are turned up before each round; one to four rounds |
| `raise_sizes` | None | limit: the raise of each round; if None, the big blind, and twice that in the second half |
| `max_raises` | None | the most raises of each round; if None, 3, 4, 4, 4 with limit, and 64 without |
| `first` | None | how many seats after the button the first to act sits, by round; if None, see **Rules** |
| `equity` | "none" | "none", "exact" or "sampled", see below |
| `samples` | 200 | deals for a sampled equity |

A round has at most 64 moves, as in the ACPC's games: raises end when all players could not act after them.

With `equity`, `odds` says how often the agent's cards beat, and how often they tie with, the best of the random cards
of all players that had not folded when the last cards were dealt. They are the shares of `samples` random deals, from a
stream that depends on the cards alone. With "exact" they are counted where one other player is left, hands have one or
two cards, and at most one common card is to come.

**Level.** ``{"hole": [["As", "Kd"], null], "board": ["2c"], "button": 1, "stacks": [50, 80], "moves": ["call"]}``.
Parts may be left out; cards that are not given are drawn. The moves are played at the start.

**Known values.** Leduc poker is ``ranks=3, suits=2, hole=1, board=(0, 1), small_blind=1, big_blind=1,
raise_sizes=(2, 4), max_raises=(2, 2), first=(0, 0)``: 936 information sets, 5,520 courses, and -0.085606424078 for the
first player. With limit, two players and uniformly random play, the big blind wins 0.229 big blinds per hand
(OpenSpiel, 200,000 hands, standard error 0.007). In a river where a player has the best or the worst hand and may bet B
into a pot P, against a hand between them, it bets the worst one with probability B / (P + B) and is called with
probability P / (P + B); its share of the pot is (1 + B / (P + B)) / 2.

**Differences.** The rules are those of OpenSpiel's `universal_poker`, which plays the games of the Annual Computer
Poker Competition (ACPC), except for these.

- After an all-in below a full raise, players that have acted cannot raise; in the ACPC they can. The least raise is
  then a full raise more than that all-in. Both are the rules of card rooms. Their rule that half a raise is enough with
  limit is left out.
- Odd chips go one each to the winners after the button; OpenSpiel splits them.
- Limit hands have stacks too; with 200 big blinds they never matter.
- A player that has nothing to call is not asked when nobody else can bet.
- An episode is one hand. Matches of several hands, other menus, and ranges of hands in levels are left out.
- With fewer ranks the order of hands stays that of the full deck, as there; in short-deck games it differs.

**Source.** OpenSpiel `universal_poker`; the ACPC's game definitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import copy, fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.levels import read_integer, read_list, read_numbers
from envsuite.core.parameters import is_integer
from envsuite.core.ranges import below, fixed, flag, free, limited, within
from envsuite.core.record import copied
from envsuite.core.world import Between, Kernels, World
from envsuite.games.holdem import hands as poker
from envsuite.games.holdem import pages, view
from envsuite.kit import openings
from envsuite.registry import pettingzoo_forms

FOLD, CALL, RAISE = range(3)
NONE = -1

#: How raises are chosen.
LIMIT, MENU, POT, CHIPS = range(4)
RAISES = {
    LIMIT: ("raise",),
    MENU: ("minimum raise", "raise by half the pot", "raise by the pot", "raise by twice the pot", "all in"),
    POT: ("raise by the pot", "all in"),
}

#: The most moves of a round, as in the ACPC, and the most chips of a player.
LONGEST, MOST = 64, 1_000_000

#: Bounds of the largest stack if there is an action for each total; with less, policies would take it for a menu.
LEAST_NAMED, MOST_NAMED = 8, 1000

#: What is observed of a seat, and of the table.
LEFT, PAID_NOW, PAID, FOLDED, ALL_IN = range(5)
BUTTON, ROUND, TO_COME, DUE, LEAST, BIG_BLIND = range(6)


def fields(sizes: tuple[int, ...], deck: int, chips: tuple[int, int], actions: int, equity: bool) -> list[tuple]:
    """The record. A card is a number, rank * suits + suit, both from 0.

    Args:
        sizes: the numbers of players, own cards, common cards, rounds, and moves in a round.
        deck: the number of cards.
        chips: the largest stack, and the most that a player can pay.
        actions: the number of actions.
        equity: whether odds are observed.
    """
    (players, hole, board, rounds, length), (deepest, most) = sizes, chips
    seat, paid, card = below(np.int64, players), within(np.int64, 0, most), within(np.int8, NONE, deck - 1)
    stack = within(np.int64, 1, deepest)
    level = np.dtype(
        [
            ("length", within(np.int64, 0, rounds * length)),  # the number of moves
            ("moves", below(np.int16, actions), (rounds * length,)),
            ("hole", card, (players, hole)),  # cards, or NONE for those that are drawn
            ("board", card, (board,)),
            ("button", seat),
            ("stacks", stack, (players,)),
        ]
    )
    odds = [
        ("odds", within(np.float64, 0.0, 1.0), (players, 2)),  # how often each player wins and ties
        ("live", within(np.int64, 1, players)),  # players that had not folded when cards were last dealt
        # For sampling odds, started from the cards. With the stream alone, Numba would take any record for this one.
        ("stream", np.dtype([("cards", free(np.uint64)), ("rng", free(np.uint64))])),
    ]
    return [
        ("hole", card, (players, hole)),  # each player's cards
        ("board", card, (board,)),  # the common cards; NONE for those to come
        ("used", within(np.int64, 0, 2**deck - 1)),  # a bit for each card that cannot be drawn
        ("turned", within(np.int64, 0, board)),  # the number of common cards that are turned up
        ("round", below(np.int64, rounds)),
        ("button", seat),
        ("mover", seat),  # whose turn it is; at the end, the last to move
        ("stacks", stack, (players,)),  # chips at the start
        ("paid", paid, (players,)),  # in this hand
        ("earlier", paid, (players,)),  # of this, in earlier rounds and as ante
        ("folded", flag(), (players,)),
        ("acted", flag(), (players,)),  # 1 for players that have acted in this round
        ("stakes", paid),  # the total that players must have paid to stay in
        ("step", within(np.int64, 1, MOST)),  # the largest raise of this round, or what a first one must be
        ("raises", within(np.int64, 0, LONGEST)),  # raises in this round
        ("lengths", within(np.int64, 0, length), (rounds,)),  # the number of moves in each round
        ("moves", within(np.int16, 0, actions), (rounds, length)),  # the moves plus 1, as observed
        ("won", within(np.int64, 0, players * most), (players,)),  # chips from the pots, at the end
        ("level", level),
        *(odds if equity else []),
    ]


@kernel
def reset(s):
    players, hole = s.hole.shape
    if not s.level_given:
        forget_level(s)
    s.button = s.level.button
    s.used = 0
    s.turned = 0
    for k in range(s.board.shape[0]):
        s.board[k] = NONE
        reserve(s, s.level.board[k])
    for player in range(players):
        for k in range(hole):
            s.hole[player, k] = s.level.hole[player, k]
            reserve(s, s.hole[player, k])
    for player in range(players):
        for k in range(hole):
            if s.hole[player, k] == NONE:
                s.hole[player, k] = draw(s)
    fill(s.moves, 0)
    fill(s.lengths, 0)
    post(s)
    for k in range(s.level.length):
        play(s, np.int64(s.level.moves[k]))
    for k in range(s.turned):
        s.level.board[k] = s.board[k]
    copy(s.level.hole, s.hole)


@kernel
def forget_level(s):
    """No cards are given; button and stacks are those of the parameters."""
    s.level.length = 0
    s.level.button = s.params.button
    fill(s.level.board, NONE)
    fill(s.level.hole, NONE)
    copy(s.level.stacks, s.params.stacks)


@kernel
def reserve(s, card):
    """Take a card out of the deck, if it is one."""
    if card != NONE:
        s.used |= np.int64(1) << np.int64(card)


@kernel
def draw(s):
    """Take a random card out of the deck."""
    cards = s.params.suits * s.params.ranks
    left = 0
    for card in range(cards):
        left += 1 - (s.used >> card & 1)
    place = random.randint(s, max(left, 1))
    for card in range(cards):
        if not s.used >> card & 1:
            if place == 0:
                s.used |= np.int64(1) << card
                return card
            place -= 1
    return 0


@kernel
def post(s):
    """Pay antes and blinds, and find the first player to move."""
    players, ante = s.paid.shape[0], s.params.ante
    copy(s.stacks, s.level.stacks)
    fill(s.folded, 0)
    fill(s.acted, 0)
    fill(s.won, 0)
    small = s.button if players == 2 else (s.button + 1) % players
    s.stakes = 0
    for player in range(players):
        blind = s.params.small_blind if player == small else 0
        if player == (small + 1) % players:
            blind = s.params.big_blind
        s.earlier[player] = min(ante, s.stacks[player])
        s.paid[player] = min(ante + blind, s.stacks[player])
        s.stakes = max(s.stakes, s.paid[player])
    s.raises = 0
    s.round = 0
    s.step = full_raise(s)
    turn_up(s)
    s.mover = max(following(s, first_seat(s) - 1 + players), 0)
    update_odds(s)


@kernel
def first_seat(s):
    """The seat that acts first in this round, if it can act."""
    return (s.button + s.params.first[s.round]) % s.paid.shape[0]


@kernel
def awaited(s, player):
    """Whether a player must still act in this round."""
    if s.folded[player] or s.paid[player] >= s.stacks[player]:
        return False
    return s.paid[player] < s.stakes or (s.acted[player] == 0 and contested(s, player))


@kernel
def contested(s, player):
    """Whether another player has chips to call a raise."""
    for other in range(s.paid.shape[0]):
        if other != player and not s.folded[other] and s.paid[other] < s.stacks[other]:
            return True
    return False


@kernel
def following(s, player):
    """The next player after this seat that must act, or NONE."""
    players = s.paid.shape[0]
    for k in range(1, players + 1):
        if awaited(s, (player + k) % players):
            return (player + k) % players
    return NONE


@kernel
def staying(s):
    """The number of players that have not folded."""
    count = 0
    for player in range(s.folded.shape[0]):
        count += s.folded[player] == 0
    return count


@kernel
def turn_up(s):
    """Turn up this round's common cards."""
    for _ in range(s.params.board[s.round]):
        given = s.level.board[s.turned]
        s.board[s.turned] = draw(s) if given == NONE else given
        s.turned += 1


@large_kernel
def play(s, action):
    """The player to move acts. Finds the next one, in a later round if need be; returns whether the hand is over."""
    player = s.mover
    place = s.lengths[s.round]
    s.moves[s.round, place] = action + 1
    s.lengths[s.round] = place + 1
    if action == FOLD:
        s.folded[player] = 1
        if staying(s) == 1:
            return True
    elif action == CALL:
        s.paid[player] = min(s.stakes, s.stacks[player])
    else:
        lift(s, player, total(s, player, action))
    s.acted[player] = 1
    found, before = following(s, player), s.round
    while found == NONE and s.round < s.lengths.shape[0] - 1:
        s.round += 1
        begin_round(s)
        found = following(s, first_seat(s) - 1 + s.paid.shape[0])
    if found == NONE:
        return True
    s.mover = found
    if s.round != before:
        update_odds(s)
    return False


@kernel
def lift(s, player, amount):
    """Raise the stakes to a total."""
    s.step = max(s.step, amount - s.stakes)
    s.stakes = amount
    s.paid[player] = amount
    s.raises += 1


@kernel
def begin_round(s):
    s.raises = 0
    s.step = full_raise(s)
    copy(s.earlier, s.paid)
    fill(s.acted, 0)
    turn_up(s)


@kernel
def full_raise(s):
    """The chips by which the first raise of a round is a full one."""
    return s.params.raise_sizes[s.round] if s.params.kind == LIMIT else s.params.big_blind


@kernel
def total(s, player, action):
    """What a player has paid in all after this raise, legal or not."""
    kind, choice, stack = s.params.kind, action - RAISE, s.stacks[player]
    if kind == CHIPS:
        return np.int64(action)
    if kind == LIMIT:
        return min(s.stakes + s.step, stack)
    if kind == POT:
        choice = 2 if choice == 0 else 4
    pot = s.stakes - s.paid[player]
    for other in range(s.paid.shape[0]):
        pot += s.paid[other]
    if choice == 0:
        return s.stakes + s.step
    if choice == 1:
        return s.stakes + pot // 2
    return stack if choice == 4 else s.stakes + (choice - 1) * pot


@kernel
def may_raise(s, player):
    """Whether a player may raise, if it has the chips."""
    room = s.lengths[s.round] + s.paid.shape[0] <= s.moves.shape[1]
    open_ = s.acted[player] == 0 or s.stakes - s.paid[player] >= s.step
    return room and open_ and s.raises < s.params.max_raises[s.round] and contested(s, player)


@kernel
def step(s, actions, rewards):
    if play(s, actions[s.mover]):
        pay(s)
        for player in range(s.paid.shape[0]):
            rewards[player] = (s.won[player] - s.paid[player]) / s.params.big_blind
            s.terminated[player] = 1


@kernel
def held(s, player):
    """A player's own cards, as a hand."""
    hand = np.int64(0)
    for k in range(s.hole.shape[1]):
        hand |= poker.bit(np.int64(s.hole[player, k]), s.params.suits, s.params.ranks)
    return hand


@kernel
def common(s):
    """The common cards that are turned up, as a hand."""
    hand = np.int64(0)
    for k in range(s.turned):
        hand |= poker.bit(np.int64(s.board[k]), s.params.suits, s.params.ranks)
    return hand


@large_kernel
def pay(s):
    """Pay out the pots, from the one that all players can win to the highest side pot."""
    players, floor = s.paid.shape[0], 0
    while True:
        level = 0
        for player in range(players):
            if not s.folded[player] and s.paid[player] > floor and (level == 0 or s.paid[player] < level):
                level = s.paid[player]
        if level == 0:
            return
        pot = 0
        for player in range(players):
            pot += max(min(s.paid[player], level) - floor, 0)
        share(s, pot, level)
        floor = level


@kernel
def share(s, pot, level):
    """The best hands of the players that have paid up to a level share a pot."""
    players, board, best, winners = s.paid.shape[0], common(s), -1, 0
    alone = staying(s) == 1
    for player in range(players):
        if not s.folded[player] and s.paid[player] >= level:
            value = 0 if alone else poker.strength(held(s, player) | board)
            winners = 1 if value > best else winners + (value == best)
            best = max(best, value)
    odd = pot % winners
    for k in range(1, players + 1):
        player = (s.button + k) % players
        if s.folded[player] or s.paid[player] < level:
            continue
        if alone or poker.strength(held(s, player) | board) == best:
            s.won[player] += pot // winners + (odd > 0)
            odd -= 1


def _odds(s):
    s.live = staying(s)
    for player in range(s.paid.shape[0]):
        find_odds(s, player)


def _no_odds(s):
    pass


#: Update how often each player wins, where it is observed.
update_odds = by_fields(lambda names: "odds" in names, _odds, _no_odds)


@large_kernel
def find_odds(s, player):
    """A player's odds against the players that had not folded when cards were last dealt."""
    own, board, p = held(s, player), common(s), s.params
    others, hole, coming = max(s.live - 1, 1), s.hole.shape[1], s.board.shape[0] - s.turned
    s.stream.cards = random.mix(np.uint64(own) ^ random.mix(np.uint64(board) ^ random.mix(np.uint64(others))))
    s.stream.rng = s.stream.cards
    if p.exact:
        wins, ties = poker.odds(s.stream, own, board, others, hole, coming, p.suits, p.ranks, p.samples)
    else:
        wins, ties = poker.sampled_odds(s.stream, own, board, others, hole, coming, p.suits, p.ranks, p.samples)
    s.odds[player, 0] = wins
    s.odds[player, 1] = ties


@kernel
def observe(s, agent, out):
    players, suits = s.paid.shape[0], s.params.suits
    for k in range(out.hand.size):
        out.hand.flat[k] = 0
        out.board.flat[k] = 0
    for k in range(s.hole.shape[1]):
        card = np.int64(s.hole[agent, k])
        out.hand[card % suits, card // suits] = 1
    place = 0
    for number in range(s.lengths.shape[0]):
        for _ in range(s.params.board[number]):
            if place < s.turned:
                card = np.int64(s.board[place])
                out.board[card % suits, card // suits] = number + 1
            place += 1
    for k in range(players):
        player = (agent + k) % players
        out.seats[k, LEFT] = s.stacks[player] - s.paid[player]
        out.seats[k, PAID_NOW] = s.paid[player] - s.earlier[player]
        out.seats[k, PAID] = s.paid[player]
        out.seats[k, FOLDED] = s.folded[player]
        out.seats[k, ALL_IN] = s.paid[player] == s.stacks[player]
    out.table[BUTTON] = (s.button - agent + players) % players
    out.table[ROUND] = s.round
    out.table[TO_COME] = s.board.shape[0] - s.turned
    out.table[DUE] = max(min(s.stakes, s.stacks[agent]) - s.paid[agent], 0)
    out.table[LEAST] = s.stakes + s.step
    out.table[BIG_BLIND] = s.params.big_blind
    for k in range(s.moves.size):
        out.moves.flat[k] = s.moves.flat[k]
    show_odds(out, s, agent)


def _show_odds(out, s, agent):
    out.odds[0] = s.odds[agent, 0]
    out.odds[1] = s.odds[agent, 1]


def _show_nothing(out, s, agent):
    pass


show_odds = by_fields(lambda names: "odds" in names, _show_odds, _show_nothing)


@kernel
def legal(s, agent, mask):
    if s.mover != agent:
        return
    mask[FOLD] = s.stakes > s.paid[agent]
    mask[CALL] = 1
    stack = s.stacks[agent]
    if stack <= s.stakes or not may_raise(s, agent):
        return
    least = s.stakes + s.step
    if s.params.kind == CHIPS:
        for amount in range(min(least, stack), min(stack, mask.shape[0] - 1) + 1):
            mask[amount] = 1
        return
    for action in range(RAISE, mask.shape[0]):
        amount = total(s, agent, action)
        fits = amount == stack or least <= amount < stack
        for other in range(RAISE, action):
            fits = fits and (mask[other] == 0 or total(s, agent, other) != amount)
        mask[action] = fits


@large_kernel
def guess(s, agent):
    """Draw the others' cards again; the cards to come are unknown too."""
    players, hole = s.hole.shape
    s.used = 0
    for k in range(s.board.shape[0]):
        reserve(s, s.board[k])
        s.level.board[k] = NONE
    fill(s.level.hole, NONE)
    for k in range(hole):
        reserve(s, s.hole[agent, k])
    for player in range(players):
        if player != agent:
            for k in range(hole):
                s.hole[player, k] = draw(s)
            guess_odds(s, player)


def _guess_odds(s, player):
    find_odds(s, player)


def _guess_nothing(s, player):
    pass


guess_odds = by_fields(lambda names: "odds" in names, _guess_odds, _guess_nothing)


#: Why a hand cannot begin.
NO_CHOICE = "after antes and blinds nobody would have a choice"


def asks(stacks: Sequence[int], button: int, ante: int, small_blind: int, big_blind: int) -> bool:
    """Whether a player has a choice after antes and blinds: chips left, and another with chips left or more paid."""
    players, paid = range(len(stacks)), [min(ante, stack) for stack in stacks]
    small = button if len(stacks) == 2 else (button + 1) % len(stacks)
    for player, blind in ((small, small_blind), ((small + 1) % len(stacks), big_blind)):
        paid[player] = min(paid[player] + blind, stacks[player])
    left = [player for player in players if paid[player] < stacks[player]]
    return len(left) > 1 or any(paid[left[0]] < paid[player] for player in players if left)


class HoldEm(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    turns = "sequential"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("cards",)
    verified = (
        "OpenSpiel's universal_poker and pokerkit, move by move; hands, odds and Leduc poker's tree by enumeration"
    )
    variants = (
        dict(players=6, betting="nolimit", stacks=60, ante=1),
        dict(players=3, betting="nolimit", menu="chips", stacks=(20, 30, 40), button=1),
        dict(ranks=5, betting="nolimit", menu="pot", stacks=50, equity="sampled", samples=10),
    )
    shown = "odds"
    text = view.text
    scene = view.scene
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        players: Annotated[int, Between(2, 10)] = 2,
        betting: Literal["limit", "nolimit"] = "limit",
        menu: Literal["menu", "pot", "chips"] = "menu",
        stacks: Annotated[int, Between(1, MOST)] | Sequence[int] | None = None,
        small_blind: Annotated[int, Between(0, 10_000)] = 1,
        big_blind: Annotated[int, Between(1, 10_000)] = 2,
        ante: Annotated[int, Between(0, 10_000)] = 0,
        button: Annotated[int, Between(0, 9)] = 0,
        ranks: Annotated[int, Between(2, 13)] = 13,
        suits: Annotated[int, Between(1, 4)] = 4,
        hole: Annotated[int, Between(1, 5)] = 2,
        board: Sequence[int] = (0, 3, 1, 1),
        raise_sizes: Sequence[int] | None = None,
        max_raises: Sequence[int] | None = None,
        first: Sequence[int] | None = None,
        equity: Literal["none", "exact", "sampled"] = "none",
        samples: Annotated[int, Between(1, 10_000)] = 200,
    ):
        limit, rounds = betting == "limit", len(board)
        kind = LIMIT if limit else ("limit", "menu", "pot", "chips").index(menu)
        chips = self._stacks(players, 200 * big_blind if stacks is None else stacks)
        self.deepest = deepest = max(chips)
        self._demand(1 <= rounds <= 4, f"board={board} must have one to four rounds")
        self._demand(small_blind <= big_blind, "the small blind is at most the big blind")
        self._demand(button < players, f"button={button}: there are {players} players")
        fits = asks(chips, button, ante, small_blind, big_blind)
        self._demand(fits, f"stacks={stacks}: {NO_CHOICE}")
        fits = kind != CHIPS or LEAST_NAMED <= deepest <= MOST_NAMED
        self._demand(fits, f"menu='chips' takes stacks of {LEAST_NAMED} to {MOST_NAMED} chips at most")
        shown = self._rounds("board", board, rounds, 0, 7)
        self._demand(1 <= sum(shown) <= 7, f"board={board} must have one to seven cards in all")
        self._demand(
            players * hole + sum(shown) <= ranks * suits,
            f"{players} players with {hole} cards each and {sum(shown)} common cards need more than {ranks * suits}",
        )
        usual = [big_blind * (1 + (2 * k >= rounds)) for k in range(rounds)]
        sizes = self._rounds("raise_sizes", usual if raise_sizes is None else raise_sizes, rounds, 1, MOST)
        usual = [3, 4, 4, 4][:rounds] if limit else [LONGEST] * rounds
        raises = self._rounds("max_raises", usual if max_raises is None else max_raises, rounds, 0, LONGEST)
        usual = [0 if players == 2 else 3 % players, 1, 1, 1][:rounds]
        order = self._rounds("first", usual if first is None else first, rounds, 0, players - 1)
        length = min(LONGEST, max(raises) * (players - 1) + players)
        # What a player can pay at most. Environments that run cannot change it, since it bounds observations.
        most = ante + big_blind + sum(size * count for size, count in zip(sizes, raises))
        self.most = most = min(deepest, most) if limit else deepest
        names = ["fold", "call", *(RAISES[kind] if kind != CHIPS else (f"raise to {a}" for a in range(2, deepest + 1)))]
        keys = {"f": "fold", "c": "call", "r": RAISES.get(kind, ("",))[0], "a": "all in"}
        self.keys = {key: name for key, name in keys.items() if name in names}
        self.synonyms = {"bet": "raise"} if limit else {}  # not "check", which may cost chips as a call
        self.define(
            agents=[f"player_{k}" for k in range(players)],
            actions=names,
            observation=self._space(
                (players, suits, ranks, rounds, length, len(names)), (deepest, most, big_blind), equity != "none"
            ),
            fields=fields(
                (players, hole, sum(shown), rounds, length),
                ranks * suits,
                (deepest, most),
                len(names),
                equity != "none",
            ),
            params={
                "kind": fixed(kind),
                "stacks": limited(chips, 1, deepest),
                "small_blind": limited(small_blind, 0, 10_000),
                "big_blind": fixed(big_blind),
                "ante": limited(ante, 0, 10_000),
                "button": limited(button, 0, players - 1),
                "ranks": fixed(ranks),
                "suits": fixed(suits),
                "board": limited(shown, 0, 7),
                "raise_sizes": limited(sizes, 1, MOST),
                "max_raises": limited(raises, 0, LONGEST),
                "first": limited(order, 0, players - 1),
                "exact": limited(int(equity == "exact"), 0, 1),
                "samples": limited(samples, 1, 10_000),
            },
            reward_range=(-most / big_blind, (players - 1) * most / big_blind),
        )

    def _demand(self, holds: bool, problem: str) -> None:
        if not holds:
            raise ParameterError(f"{self.id}: {problem}")

    def _stacks(self, players: int, stacks: Any) -> list[int]:
        """The chips of each player at the start."""
        chips = [stacks] * players if is_integer(stacks) else list(stacks)
        self._demand(len(chips) == players, f"stacks={stacks}: there are {players} players")
        self._demand(all(1 <= stack <= MOST for stack in chips), f"stacks={stacks}: each must be from 1 to {MOST}")
        return chips

    def _rounds(self, name: str, values: Sequence[int], rounds: int, low: int, high: int) -> list[int]:
        """A number for each round, checked."""
        fits = len(values) == rounds and all(low <= value <= high for value in values)
        self._demand(fits, f"{name}={tuple(values)} must be {rounds} numbers from {low} to {high}")
        return list(values)

    @staticmethod
    def _space(sizes: tuple[int, ...], chips: tuple[int, int, int], equity: bool) -> Dict:
        """What is observed; `chips` are the largest stack, the most that a player can pay, and the big blind."""
        (players, suits, ranks, rounds, length, actions), (deepest, most, blind) = sizes, chips
        seat = np.array([deepest, most, most, 1, 1], np.int32)
        table = np.array([players - 1, rounds - 1, 7, most, 2 * MOST, blind], np.int32)
        parts: dict[str, Any] = {
            "hand": Box(0, 1, (suits, ranks), np.int8),
            "board": Box(0, rounds, (suits, ranks), np.int8),
            "seats": Box(np.zeros((players, 5), np.int32), np.tile(seat, (players, 1)), (players, 5), np.int32),
            "table": Box(np.zeros(6, np.int32), table, (6,), np.int32),
            "moves": Box(0, actions, (rounds, length), np.int16),
        }
        if equity:
            parts["odds"] = Box(0, 1, (2,), np.float32)
        return Dict(parts)

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        known = ("hole", "board", "button", "stacks", "moves")
        if not level or set(level) - set(known):
            given = ", ".join(map(repr, level)) or "nothing"
            raise LevelError(f"{self.id}: a level has some of {', '.join(known)}, not {given}")
        players, hole = s.hole.shape
        hands = level.get("hole", [None] * players)
        read_list(hands, f"{self.id}: the level's hole", players)
        for player, hand in enumerate(hands):
            if hand is not None and (not isinstance(hand, (list, tuple)) or len(hand) != hole):
                raise LevelError(f"{self.id}: hand {player} of the level, {hand!r:.60}, must be {hole} cards or null")
            s.level.hole[player] = [NONE] * hole if hand is None else [self._card(card) for card in hand]
        board = read_list(level.get("board", []), f"{self.id}: the level's board", 0, len(s.board))
        s.level.board[:] = [self._card(card) for card in board] + [NONE] * (len(s.board) - len(board))
        dealt = [card for card in (*s.level.hole.flat, *s.level.board) if card != NONE]
        if len(set(dealt)) < len(dealt):
            raise LevelError(f"{self.id}: the level has a card twice")
        button = level.get("button", s.params.button)
        s.level.button = read_integer(button, f"{self.id}: the level's button", 0, players - 1)
        stacks, paid = level.get("stacks", s.params.stacks.tolist()), s.params
        what = f"{self.id}: the level's stacks"
        s.level.stacks[:] = read_numbers(stacks, what, (players,), 1, self.deepest, whole=True)
        if not asks(stacks, button, int(paid.ante), int(paid.small_blind), int(paid.big_blind)):
            raise LevelError(f"{what}={stacks!r:.60}: {NO_CHOICE}")
        openings.play_level(self, s, level.get("moves", []))

    def _card(self, text: Any) -> int:
        ranks, suits = self.parameters["ranks"], self.parameters["suits"]
        found = poker.number(text, suits, ranks)
        if found is None:
            known = f"a rank of {poker.RANKS[-ranks:]} and a suit of {poker.SUITS[:suits]}"
            raise LevelError(f"{self.id}: {text!r:.40} is no card of this deck; a card is {known}, such as 'As'")
        return found

    def get_level(self, s: Any) -> dict[str, Any]:
        hands = [None if NONE in hand else self.names(hand) for hand in s.level.hole.tolist()]
        return {
            "hole": hands,
            "board": self.names(card for card in s.level.board.tolist() if card != NONE),
            "button": int(s.level.button),
            "stacks": s.level.stacks.tolist(),
            "moves": openings.named_moves(self, s),
        }

    def names(self, cards: Any) -> list[str]:
        """Cards in two letters each."""
        return [poker.name(int(card), self.parameters["suits"], self.parameters["ranks"]) for card in cards]

    def known(self, s: Any) -> Any:
        """The record at its start, before any move, as a level in which all dealt cards are given."""
        start = copied(s)
        start.level.length = 0
        start.level.hole[:] = s.hole
        start.level.board[: s.turned] = s.board[: s.turned]
        return start

    def total_of(self, s: Any, agent: int, action: int) -> int:
        return int(total(s, agent, action))

    @staticmethod
    def course(s: Any) -> list[int]:
        """All moves so far."""
        return [int(move) - 1 for moves, count in zip(s.moves, s.lengths) for move in moves[:count]]

    def contradiction(self, s: Any) -> str | None:
        turned = s.board[: s.turned].tolist()
        rest = [card for card in s.level.board[s.turned :].tolist() if card != NONE]
        cards = [*s.hole.flat, *turned, *rest]
        if NONE in cards or len(set(cards)) < len(cards):
            return "a card is missing, or twice there"
        params, least = s.params, s.params.ante + s.params.big_blind
        for stacks, button in ((s.level.stacks, s.level.button), (params.stacks, params.button)):
            paid = int(params.ante), int(params.small_blind), int(params.big_blind)
            if params.small_blind > params.big_blind or not asks(stacks.tolist(), int(button), *paid):
                return "nobody has a choice after the blinds"
        if params.board.sum() != len(s.board):
            return "the rounds do not have all common cards"
        raised = (params.raise_sizes * params.max_raises).sum()
        if params.kind == LIMIT and min(self.deepest, least + raised) > self.most:
            return "raises go beyond the most that a player can pay"
        return openings.unlike_start(self, self.known(s), self.course(s))


env, raw_env, parallel_env = pettingzoo_forms(HoldEm)
