"""Formulas of cards: what TwentyFour and EZPoints share.

A formula is entered token by token. Tokens are the numbers 1 to `numbers`, then operators. The record has

- `ranks` (cards,): the ranks of the cards, from 1, the ace, to 13, the king; the level
- `formula` (tokens,): the tokens so far, and `NONE`
- `length`: how many there are; `nested`: parentheses that are open
- `above`, `below` (cards,): numerators and denominators of values, and `waiting` (tokens,): operators, within a step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Case, Page, When
from envsuite.core.random import randint
from envsuite.core.ranges import fixed, within
from envsuite.core.record import copied
from envsuite.core.world import World
from envsuite.render.scene import Label, Rect, Scene, footer

#: No token.
NONE = -1

ACE, KING = 1, 13

#: Operators after the numbers; EZPoints has only the first two and the last.
PLUS, TIMES, MINUS, OVER, OPEN, CLOSE, EQUALS = range(7)
SIGNS = "+*-/()="
WORDS = ("plus", "times", "minus", "over", "open", "close", "equals")

#: More than any numerator or denominator of four numbers up to 13.
MOST = 13**4 * 8


def fields(cards: int, tokens: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("ranks", within(np.int64, ACE, KING), (cards,)),  # the level
        ("formula", within(np.int8, NONE, 31), (tokens,)),
        ("length", within(np.int64, 0, tokens)),
        ("nested", within(np.int64, 0, tokens)),
        ("above", within(np.int64, -MOST, MOST), (cards,)),  # within a step
        ("below", within(np.int64, -MOST, MOST), (cards,)),  # within a step
        ("waiting", within(np.int64, 0, EQUALS), (tokens,)),  # within a step
    ]


@kernel
def clear(s):
    """No token has been entered."""
    for k in range(s.formula.shape[0]):
        s.formula[k] = NONE
        s.waiting[k] = 0
    for k in range(s.ranks.shape[0]):
        s.above[k] = 0
        s.below[k] = 0
    s.length = 0
    s.nested = 0


@kernel
def worth(s, rank):
    """The number of a card: that of its rank, but face cards may count 10."""
    return min(rank, s.params.numbers)


@kernel
def sign(s, token):
    """The operator of a token: one of `PLUS` to `EQUALS`; negative for a number."""
    k = np.int64(token) - s.params.numbers
    return EQUALS if k == 2 and s.params.simple else k


@kernel
def unused(s, number):
    """How many cards with a number are not in the formula yet."""
    count = 0
    for k in range(s.ranks.shape[0]):
        count += worth(s, s.ranks[k]) == number
    for k in range(s.length):
        count -= s.formula[k] + 1 == number
    return count


@kernel
def numbers_in(s):
    """How many numbers the formula has."""
    count = 0
    for k in range(s.length):
        count += s.formula[k] < s.params.numbers
    return count


@kernel
def after_value(s):
    """Whether the formula ends with a number or a closing parenthesis."""
    return s.length > 0 and (sign(s, s.formula[s.length - 1]) < 0 or sign(s, s.formula[s.length - 1]) == CLOSE)


@kernel
def is_legal(s, token, behind, more):
    """Whether a token may follow, `behind` a value or not, when cards are left (`more`) or not."""
    k = sign(s, token)
    if k < 0:
        return not behind and unused(s, token + 1) > 0
    if k == OPEN:
        return not behind
    if k == CLOSE:
        return behind and s.nested > 0
    if k == EQUALS:
        return behind and s.nested == 0 and not more
    return behind and more


@kernel
def legal(s, agent, mask):
    """Tokens that continue the formula."""
    behind, more = after_value(s), numbers_in(s) < s.ranks.shape[0]
    for token in range(mask.shape[0]):
        mask[token] = is_legal(s, token, behind, more)


@kernel
def combine(s, top, operator):
    """The two highest values of the stack become one; a denominator of 0 stands for no number."""
    a, b, c, d = s.above[top - 1], s.below[top - 1], s.above[top], s.below[top]
    if operator == PLUS or operator == MINUS:
        s.above[top - 1] = a * d + c * b if operator == PLUS else a * d - c * b
        s.below[top - 1] = b * d
    elif operator == TIMES:
        s.above[top - 1] = a * c
        s.below[top - 1] = b * d
    else:
        s.above[top - 1] = a * d
        s.below[top - 1] = b * c * (d != 0)


@kernel
def binds(operator):
    """How strongly an operator binds; an open parenthesis does not."""
    return 2 if operator == TIMES or operator == OVER else 1 if operator == PLUS or operator == MINUS else 0


@large_kernel
def evaluate(s):
    """Write the value of the formula to `above[0] / below[0]`: by two stacks, of values and of operators."""
    values, held = 0, 0
    for k in range(s.length):
        operator = sign(s, s.formula[k])
        if operator < 0:
            if values < s.ranks.shape[0]:
                s.above[values] = s.formula[k] + 1
                s.below[values] = 1
                values += 1
            continue
        if operator != OPEN:
            while held > 0 and values > 1 and s.waiting[held - 1] != OPEN and (
                operator == CLOSE or binds(s.waiting[held - 1]) >= binds(operator)
            ):  # fmt: skip
                combine(s, values - 1, s.waiting[held - 1])
                values -= 1
                held -= 1
        if operator == CLOSE:
            held = max(held - 1, 0)
        else:
            s.waiting[held] = operator
            held += 1
    while held > 0 and values > 1:
        combine(s, values - 1, s.waiting[held - 1])
        values -= 1
        held -= 1


@kernel
def enter(s, token):
    """Another token of the formula."""
    if sign(s, token) == OPEN:
        s.nested += 1
    elif sign(s, token) == CLOSE:
        s.nested -= 1
    s.formula[s.length] = token
    s.length += 1


@kernel
def step(s, actions, rewards):
    """A token, or the end of the formula."""
    token = actions[0]
    if sign(s, token) == EQUALS:
        evaluate(s)
        hit = s.below[0] != 0 and s.above[0] == s.params.target * s.below[0]
        rewards[0] = 10.0 if hit else -1.0
        s.terminated[0] = 1
        return
    enter(s, token)
    if s.length == s.formula.shape[0]:
        rewards[0] = -1.0
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    """The numbers of the cards and the tokens."""
    for k in range(s.ranks.shape[0]):
        out.cards[k] = worth(s, s.ranks[k])
    for k in range(s.formula.shape[0]):
        out.formula[k] = s.formula[k]


@kernel
def draw_cards(s, lowest):
    """Independent ranks from `lowest` to the king."""
    for k in range(s.ranks.shape[0]):
        s.ranks[k] = lowest + randint(s, KING + 1 - lowest)


PAGE = Page(
    role=("You make {target} from the numbers of {cards:card}.", When("sure", "", "That may be impossible.")),
    goal="A formula with the value {target} pays you 10 points. Any other formula costs you 1 point.",
    rules=(
        (
            "You write the formula piece by piece, one in each turn, and end it. The number of each card must stand "
            "in it exactly once.",
            Case("numbers", {10: "Jack, queen and king count 10."}, "Jack, queen and king count 11, 12 and 13."),
            When(
                "simple",
                "You join the two numbers by + or *.",
                "An ace counts 1. Products and quotients come before sums and differences, parentheses before both. "
                "The value is calculated exactly, with fractions; a division by 0 has no value, and the formula is "
                "wrong.",
            ),
        ),
    ),
    sees="You see the numbers, the formula so far, and the numbers that are left.",
    acts={
        "plus": "write +",
        "times": "write *",
        "{minus}": When("simple", "", "write -"),
        "{over}": When("simple", "", "write /"),
        "{open}": When("simple", "", "write an opening parenthesis"),
        "{close}": When("simple", "", "write a closing parenthesis"),
        "equals": "end the formula",
        "{NUMBER}": "write the number of a card that does not stand in the formula yet",
    },
    ends=(
        "It is over when you end the formula.",
        When("simple", "", "After {pieces} pieces without an end it is over too, and counts as wrong."),
    ),
    constants={
        "10": "the reward of a right formula, and the number of faces",
        "1": "the cost of another one, and the number of an ace",
        "11": "the number of a jack",
        "12": "of a queen",
        "13": "of a king",
        "0": "what nothing can be divided by",
        "two": "the cards of EZPoints",
    },
)


class Points(World):
    """Level, texts and pictures of both worlds."""

    turns = "sequential"
    information = "perfect"
    paid_at_end = True
    shown = "solver"
    clickable = r"\d+"
    lowest = ACE
    level_fields = {"cards": "ranks"}
    player_page = PAGE

    def start(self, cards: int, tokens: int, numbers: int, target: int, simple: bool) -> None:
        """Declare the world; what is `simple` has only sums and products."""
        signs = (PLUS, TIMES, EQUALS) if simple else range(len(SIGNS))
        names = [*(str(k + 1) for k in range(numbers)), *(WORDS[k] for k in signs)]
        self.tokens = [*names[:numbers], *(SIGNS[k] for k in signs)]
        self.define(
            agents=["agent"],
            actions=names,
            observation=Dict(
                {
                    "cards": Box(1, numbers, (cards,), np.int8),
                    "formula": Box(NONE, len(names) - 1, (tokens,), np.int8),
                }
            ),
            fields=fields(cards, tokens),
            params={"numbers": fixed(numbers), "target": target, "simple": fixed(int(simple))},
            reward_range=(-1.0, 10.0),
        )

    def contradiction(self, s: Any) -> str | None:
        """Token by token, the formula must be one that can be entered."""
        copy = copied(s)
        clear(copy)
        for token in s.formula[: s.length].tolist():
            allowed = token != NONE and sign(copy, token) != EQUALS
            if not allowed or not is_legal(copy, token, after_value(copy), numbers_in(copy) < len(s.ranks)):
                return "the formula cannot be entered"
            enter(copy, token)
        if (s.formula[s.length :] != NONE).any() or s.nested != copy.nested:
            return "the formula, its length and its parentheses are not of one formula"
        if s.length == len(s.formula) and not s.truncated[0]:
            return "the formula is full, and the episode is not over"
        return None

    def written(self, s: Any) -> str:
        """The formula as a text."""
        return " ".join(self.tokens[k] for k in s.formula[: s.length].tolist())

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        told = {"cards": len(s.ranks), "numbers": int(s.params.numbers), "simple": bool(s.params.simple)}
        signs = {WORDS[sign]: WORDS[sign] for sign in (MINUS, OVER, OPEN, CLOSE)}
        sure = bool(s.params.simple) and s.params.target == 12  # pairs are drawn for 12
        return {**told, **signs, "sure": sure, "pieces": len(s.formula)}

    def text(self, s: Any, agent: int) -> str:
        numbers = [int(worth(s, rank)) for rank in s.ranks.tolist()]
        lines = [
            f"Make {s.params.target} of the numbers {self._joined(numbers)}.",
            f"The formula so far: {self.written(s) or 'empty'}",
        ]
        if s.terminated[0]:
            hit = s.below[0] != 0 and s.above[0] == s.params.target * s.below[0]
            lines.append("That is right." if hit else f"That is not {s.params.target}.")
        elif s.truncated[0]:
            lines.append("The formula is too long.")
        else:
            left = [n for k, n in enumerate(numbers) if numbers[: k + 1].count(n) > self._entered(s).count(n)]
            lines.append(f"Numbers left: {self._joined(left)}." if left else "All numbers are used.")
        return "\n".join(lines)

    def _entered(self, s: Any) -> list[int]:
        return [k + 1 for k in s.formula[: s.length].tolist() if k < s.params.numbers]

    @staticmethod
    def _joined(numbers: Sequence[int]) -> str:
        *most, last = map(str, numbers)
        return f"{', '.join(most)} and {last}" if most else last

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The cards in a row, those used darker, and the formula below."""
        cards = len(s.ranks)
        width = max(2.0 * cards, 6.0)
        scene, entered = Scene(width, 4.6), self._entered(s)
        scene.add(Rect(0, 0, width, 4.6, "felt"))
        for k, rank in enumerate(s.ranks.tolist()):
            x, number = (width - 2.0 * cards) / 2 + 2.0 * k, int(worth(s, rank))
            used = number in entered
            if used:
                entered.remove(number)
            scene.add(
                Rect(x + 0.25, 0.3, 1.5, 2.1, "muted" if used else "white", "line", 0.04, radius=0.15, glyph=""),
                Label(x + 1, 1.35, str(number), 0.9, "black", bold=True),
            )
        scene.add(Label(width / 2, 3.25, self.written(s) or "...", 0.5, "white"))
        footer(scene, f"make {s.params.target}", "")
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        """A card enters its number."""
        cards = len(s.ranks)
        k = int((x - (max(2.0 * cards, 6.0) - 2.0 * cards) / 2) // 2.0)
        return int(worth(s, s.ranks[k])) - 1 if 0 <= k < cards and 0.3 <= y <= 2.4 else None
