"""Baselines of TwentyFour and EZPoints: a search for a formula, and the sum of all cards."""

from __future__ import annotations

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.ranges import limited, scratch
from envsuite.kit.points import CLOSE, MINUS, NONE, OPEN, PLUS, TIMES

FULL, SIMPLE = "envsuite/TwentyFour-v0", "envsuite/EZPoints-v0"

#: Their operators and parentheses.
FULL_SIGNS, SIMPLE_SIGNS = 7, 3

#: The most cards, and the most tokens of a formula without `=`.
CARDS, TOKENS = 4, 20

#: The formula that was found, and its length, 0 if there is none; whether a search has been made.
VARIABLES = {
    "plan": limited(np.zeros(TOKENS, np.int64), 0, 19),
    "planned": limited(0, 0, TOKENS),
    "searched": limited(0, 0, 1),
    "hand": scratch(CARDS),
    "above": scratch(CARDS),
    "below": scratch(CARDS),
    "left": scratch(CARDS),
    "right": scratch(CARDS),
    "opened": scratch(CARDS),
    "closed": scratch(CARDS),
    "signs": scratch(CARDS),
    "order": scratch(CARDS),
}


@kernel
def entered(observation):
    """How many tokens the formula has."""
    count = 0
    for k in range(observation.formula.shape[0]):
        count += observation.formula[k] != NONE
    return count


@kernel
def arrange(numbers, count, code, size):
    """Write arrangement `code` of the numbers 0 to `size` - 1 into `numbers`, the first `count` of them."""
    taken = 0
    for k in range(count):
        pick = code % (size - k)
        code //= size - k
        for number in range(size):
            if (taken >> number) & 1 == 0:
                if pick == 0:
                    numbers[k] = number
                    taken |= 1 << number
                    break
                pick -= 1


@kernel
def unite(memory, at, operator):
    """The value that ends at `at` and the one that begins behind it become one."""
    l, r = memory.left[at], memory.right[at + 1]
    a, b, c, d = memory.above[l], memory.below[l], memory.above[at + 1], memory.below[at + 1]
    if operator == PLUS or operator == MINUS:
        memory.above[l] = a * d + c * b if operator == PLUS else a * d - c * b
        memory.below[l] = b * d
    elif operator == TIMES:
        memory.above[l] = a * c
        memory.below[l] = b * d
    else:
        memory.above[l] = a * d
        memory.below[l] = b * c * (d != 0)
    memory.right[l] = r
    memory.left[r] = l


@kernel
def write(memory, cards, numbers):
    """The formula that has been evaluated, as tokens."""
    count = 0
    for k in range(cards):
        for _ in range(memory.opened[k]):
            memory.plan[count] = numbers + OPEN
            count += 1
        memory.plan[count] = memory.hand[k] - 1
        count += 1
        for _ in range(memory.closed[k]):
            memory.plan[count] = numbers + CLOSE
            count += 1
        if k < cards - 1:
            memory.plan[count] = numbers + memory.signs[k]
            count += 1
    memory.planned = count


@large_kernel
def attempt(memory, cards):
    """The value of the hand with its signs, carried out in an order; the parentheses that it needs."""
    for k in range(cards):
        memory.above[k] = memory.hand[k]
        memory.below[k] = 1
        memory.left[k] = memory.right[k] = k
        memory.opened[k] = memory.closed[k] = 0
    for j in range(cards - 1):
        at = memory.order[j]
        unite(memory, at, memory.signs[at])
        if j < cards - 2:
            l = memory.left[at]
            memory.opened[l] += 1
            memory.closed[memory.right[l]] += 1


@large_kernel
def search(memory, observation, numbers, target, kinds):
    """Try all orders of the cards, operators and orders of these."""
    cards = observation.cards.shape[0]
    orders, hands, signs = 1, 1, 1
    for k in range(cards):
        hands *= k + 1
        if k < cards - 1:
            orders *= k + 1
            signs *= kinds
    memory.searched = 1
    for hand in range(hands):
        for code in range(signs):
            for order in range(orders):
                arrange(memory.hand, cards, hand, cards)
                arrange(memory.order, cards - 1, order, cards - 1)
                for k in range(cards):
                    memory.hand[k] = observation.cards[memory.hand[k]]
                rest = code
                for k in range(cards - 1):
                    memory.signs[k] = rest % kinds
                    rest //= kinds
                attempt(memory, cards)
                if memory.below[0] != 0 and memory.above[0] == target * memory.below[0]:
                    write(memory, cards, numbers)
                    return


@policy(FULL, "solver", VARIABLES, target=Between(1, 1000).at(24))
def solver(memory, observation, mask):
    """Searches all formulas; if none has the value `target`, it adds the cards."""
    return solve(memory, observation, mask, mask.shape[0] - FULL_SIGNS, 4)


@policy(SIMPLE, "solver", VARIABLES, target=Between(1, 1000).at(12))
def simple_solver(memory, observation, mask):
    """Searches all formulas; if none has the value `target`, it adds the cards."""
    return solve(memory, observation, mask, mask.shape[0] - SIMPLE_SIGNS, 2)


@kernel
def solve(memory, observation, mask, numbers, kinds):
    """The next token of a formula of the right value, or of a sum."""
    if memory.searched == 0:
        search(memory, observation, numbers, memory.target, kinds)
    count = entered(observation)
    if count < memory.planned and memory.plan[count] < mask.shape[0] and mask[memory.plan[count]]:
        return memory.plan[count]
    return mask.shape[0] - 1 if mask[mask.shape[0] - 1] else total(mask, numbers)


@kernel
def total(mask, numbers):
    """The next token of the sum of all cards."""
    for action in range(numbers + 1):
        if mask[action]:
            return action
    return mask.shape[0] - 1


@policy(FULL, "adder")
def adder(memory, observation, mask):
    """Adds all cards."""
    return total(mask, mask.shape[0] - FULL_SIGNS)


@policy(SIMPLE, "adder")
def simple_adder(memory, observation, mask):
    """Adds the cards."""
    return total(mask, mask.shape[0] - SIMPLE_SIGNS)
