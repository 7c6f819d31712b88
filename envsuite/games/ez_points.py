"""EZPoints: make 12 of two cards with a sum or a product.

**Rules.** The first card has a rank from 2 to king; jack, queen and king count 10. The second card completes it to 12:
if the first number divides 12, it is the other factor or the other summand with equal chances, otherwise it is the
other summand. The cards are exchanged with probability 1/2. The agent enters a formula token by token and ends it.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| cards | Box (2,) int8 | the numbers of the cards |
| formula | Box (5,) int8 | the actions that entered the tokens so far; -1 for what is not there |

**Actions.** Discrete (13).

| action | name | legal |
|---|---|---|
| 0-9 | the numbers `1` to `10` | at the beginning and after an operator, if a card with it is left |
| 10, 11 | `plus`, `times` | after the first number |
| 12 | `equals` | after the second number |

**Window.** A click on a card enters its number.

**Rewards.** 10 for a formula of the right value, -1 for another, 0 otherwise.

**Ends.** Terminates with `equals`.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `target` | 12 | the value to reach, from 1 to 1000; the cards are still drawn for 12 |

**Level.** ``{"cards": [3, 4]}``: the ranks, from 1 (ace) to 13 (king).

**Known values.** Random play has a mean return of 4.5, because one of the two operators is right.

**Differences.** From Gym-Cards:

- Only tokens that continue a formula are legal. There, all operators are always legal, and a number that no card has
  costs 1 and enters a blank; a formula that cannot be read costs 1 at the end.
- There is no power (`**`) and no number of two neighboring tokens.
- The observation has numbers instead of pixels.

**Source.** Zhai et al., "Fine-tuning large vision-language models as decision-making agents via reinforcement
learning", 2024, whose environments are Gym-Cards.
"""

from __future__ import annotations

from typing import Annotated

from envsuite.core.kernel import kernel
from envsuite.core.random import bernoulli, randint
from envsuite.core.world import Between, Kernels
from envsuite.kit import points
from envsuite.registry import pettingzoo_forms


@kernel
def reset(s):
    if s.level_given == 0:
        draw_pair(s)
    points.clear(s)


@kernel
def draw_pair(s):
    """Two cards that make 12."""
    s.ranks[0] = 2 + randint(s, points.KING - 1)
    number = points.worth(s, s.ranks[0])
    product = 12 % number == 0 and bernoulli(s, 0.5)
    s.ranks[1] = 12 // number if product else 12 - number
    if bernoulli(s, 0.5):
        s.ranks[0], s.ranks[1] = s.ranks[1], s.ranks[0]


class EZPoints(points.Points):
    __doc__ = __doc__
    kernels = Kernels(reset, points.step, points.observe, points.legal)
    kind = ("puzzles", "cards")
    verified = "Python's own arithmetic over all hands; Gym-Cards' distribution of hands"

    def __init__(self, target: Annotated[int, Between(1, 1000)] = 12):
        self.start(2, 5, 10, target, simple=True)


env, raw_env, parallel_env = pettingzoo_forms(EZPoints)
