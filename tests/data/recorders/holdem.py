"""Records random hands of pokerkit for tests/worlds/games/test_holdem.py, and phevaluator's order of random hands.

Run it in an environment with `pip install pokerkit==0.7.7 phevaluator==0.6.0`: ``python holdem.py ../holdem.json.gz``.

A hand is a dict: `betting`, `stacks`, `ante`, `small` (the big blind is 10), `hole` and `board` (all cards that
can be dealt), `moves` and `gains`. The last player has the button. A move is [player, whether a fold is
legal, chips to call, least and most total of a raise in this round or 0 and 0, what was done]: "f", "c", or that total.
The first raise of a round is never an all-in below the minimum: pokerkit takes it for a full raise.
"""

import gzip
import json
import random
import sys
import warnings

from phevaluator import evaluate_cards
from pokerkit import Automation, FixedLimitTexasHoldem, NoLimitTexasHoldem

AUTOMATIONS = (
    Automation.ANTE_POSTING, Automation.BET_COLLECTION, Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING, Automation.HAND_KILLING, Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING, Automation.RUNOUT_COUNT_SELECTION,
)  # fmt: skip
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]


def hand(rng, limit):
    players = rng.randint(2, 10) if rng.random() < 0.7 else 3
    big, small, ante = 10, rng.randint(1, 9), rng.choice([0, 0, 0, 1, 3])
    deep = rng.choice([2, 4, 10, 20])
    stacks = [ante + big + 1 + rng.randrange(big * deep) for _ in range(players)]
    if limit:
        state = FixedLimitTexasHoldem.create_state(
            AUTOMATIONS, True, ante, (small, big), big, 2 * big, tuple(stacks), players
        )
    else:
        state = NoLimitTexasHoldem.create_state(AUTOMATIONS, True, ante, (small, big), big, tuple(stacks), players)
    cards = rng.sample(DECK, 2 * players + 5)
    hole, board = [cards[2 * k : 2 * k + 2] for k in range(players)], cards[2 * players :]
    moves, shown, dealt = [], 0, 0
    while state.status:
        if state.can_deal_hole():
            # One card after the other, seat by seat: the k-th card of each player.
            state.deal_hole(hole[dealt % players][dealt // players])
            dealt += 1
        elif state.can_burn_card("??"):
            state.burn_card("??")
        elif state.can_deal_board():
            count = 3 if shown == 0 else 1
            state.deal_board("".join(board[shown : shown + count]))
            shown += count
        else:
            moves.append(act(rng, state))
    return {
        "betting": "limit" if limit else "nolimit", "stacks": stacks, "ante": ante, "small": small,
        "hole": ["".join(two) for two in hole], "board": "".join(board), "moves": moves, "gains": list(state.payoffs),
    }  # fmt: skip


def act(rng, state):
    player, fold = state.actor_index, state.can_fold()
    due = state.checking_or_calling_amount
    can = state.can_complete_bet_or_raise_to()
    least = state.min_completion_betting_or_raising_to_amount if can else 0
    most = state.max_completion_betting_or_raising_to_amount if can else 0
    done = rng.choice("fccc" if fold else "cc")
    if can and state.completion_betting_or_raising_amount == 0:
        can = most >= max(state.bets) + state.street.min_completion_betting_or_raising_amount
    if can and rng.random() < 0.45:
        done = rng.choice([least, most, rng.randint(least, most), min(most, least + rng.randint(0, 20))])
    if done == "f":
        state.fold()
    elif done == "c":
        state.check_or_call()
    else:
        state.complete_bet_or_raise_to(done)
    return [player, int(fold), due, least, most, done]


def main(path):
    rng = random.Random(7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hands = [hand(rng, limit=k % 3 == 0) for k in range(400)]
    order = []
    for _ in range(1000):
        count = rng.choice([5, 6, 7])
        cards = rng.sample(DECK, count)
        order.append(["".join(cards), evaluate_cards(*cards)])
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(json.dumps({"hands": hands, "order": order}, separators=(",", ":")).encode())


main(sys.argv[1])
