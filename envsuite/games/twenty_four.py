"""TwentyFour: make 24 of four cards with sums, differences, products, quotients and parentheses.

**Rules.** Four cards have independent ranks from ace to king. An ace counts 1; jack, queen and king count 10 each, or
11, 12 and 13. The agent enters a formula token by token and ends it. The formula must use each card once. Its value
is computed exactly, as a fraction.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| cards | Box (cards,) int8 | the numbers of the cards |
| formula | Box (20,) int8 | the actions that entered the tokens so far; -1 for what is not there |

**Actions.** Discrete (17), or Discrete (20) with `faces="distinct"`.

| action | name | legal |
|---|---|---|
| 0-9 or 0-12 | the numbers from `1` | at the beginning, after an operator or `(`, if a card with it is left |
| the next four | `plus`, `times`, `minus`, `over` | after a number or `)`, if a card is left |
| the next | `open`: a parenthesis, `(` | where a number is legal |
| the next | `close`: `)` | after a number or `)`, if a parenthesis is open |
| the last | `equals`: the end | after a number or `)`, if all cards are used and no parenthesis is open |

**Window.** A click on a card enters its number.

**Rewards.** 10 for a formula of the right value, -1 for another or one that is too long, 0 otherwise.

**Ends.** Terminates with `equals`. Truncated after 20 other tokens.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `cards` | 4 | cards, from 1 to 4 |
| `target` | 24 | the value to reach, from 1 to 1000 |
| `faces` | "ten" | numbers of jack, queen and king: "ten", or "distinct" for 11, 12 and 13 |

**Level.** ``{"cards": [3, 8, 3, 8]}``: the ranks, from 1 (ace) to 13 (king).

**Known values.** Of the 1,820 hands of numbers from 1 to 13, 1,362 can make 24; of the 715 hands from 1 to 10, 566.
With independent ranks and faces of 10, 0.7309 of the hands can.

**Differences.** From Gym-Cards' Points24:

- Only tokens that continue a formula are legal. There, all operators are always legal, and a number that no card has
  costs 1 and enters a blank; a formula that cannot be read costs 1 at the end.
- There is no sign before a number, no power (`**`), no whole quotient (`//`), and no number of two neighboring tokens.
- Values are fractions. There, 8/(3-8/3) is not 24, by rounding.
- `times` comes before `minus` in the order of actions. The observation has numbers instead of pixels.

**Source.** Zhai et al., "Fine-tuning large vision-language models as decision-making agents via reinforcement
learning", 2024, whose environments are Gym-Cards.
"""

from __future__ import annotations

from typing import Annotated, Literal

from envsuite.core.kernel import kernel
from envsuite.core.world import Between, Kernels
from envsuite.kit import points
from envsuite.registry import pettingzoo_forms

#: The most tokens before the last.
TOKENS = 20


@kernel
def reset(s):
    if s.level_given == 0:
        points.draw_cards(s, points.ACE)
    points.clear(s)


class TwentyFour(points.Points):
    __doc__ = __doc__
    kernels = Kernels(reset, points.step, points.observe, points.legal)
    kind = ("puzzles", "cards")
    verified = "Python's own fractions; counts of solvable hands"
    variants = (dict(cards=3, target=12, faces="distinct"),)

    def __init__(
        self,
        cards: Annotated[int, Between(1, 4)] = 4,
        target: Annotated[int, Between(1, 1000)] = 24,
        faces: Literal["ten", "distinct"] = "ten",
    ):
        self.start(cards, TOKENS, 10 if faces == "ten" else 13, target, simple=False)


env, raw_env, parallel_env = pettingzoo_forms(TwentyFour)
