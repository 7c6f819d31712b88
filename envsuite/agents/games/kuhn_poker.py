"""Baselines of Kuhn poker."""

from __future__ import annotations

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.games.kuhn_poker import BET, PASS


@kernel
def opening(memory, players, card, moves):
    """The probability of the first bet."""
    if players == 2:
        highest, second, lowest = (3.0 * memory.alpha, 0.0, memory.alpha) if moves == 0 else (1.0, 0.0, 1.0 / 3.0)
    else:
        highest, second, lowest = 1.0, 0.5, 1.0 / (players + 1) if moves == players - 1 else 0.0
    if card == players:
        return highest
    if card == players - 1:
        return second
    return lowest if card == 0 else 0.0


@policy("envsuite/KuhnPoker-v0", "equilibrium", alpha=Between(0, 1 / 3).at(1 / 3))
def equilibrium(memory, observation, mask):
    """Plays a Nash equilibrium for two players, and a strategy of the same shape for more.

    `alpha` from 0 to 1/3 chooses one of Kuhn's equilibria. The first player bets the lowest card with probability
    `alpha`, bets the highest with 3 `alpha`, and calls with the middle card with `alpha` + 1/3.

    With more than two players, no equilibrium is claimed. The highest card bets and calls. The second opens half the
    time, and calls if nobody has called yet. If all others have passed, the lowest card bluffs with a
    probability of 1 / (players + 1).
    """
    players = (observation.shape[0] + 1) // 6
    card = 0
    for k in range(players + 1):
        if observation[players + k] != 0:
            card = k
    moves = 0
    bets = 0
    for k in range(2 * players - 1):
        moves += observation[2 * players + 1 + 2 * k] + observation[2 * players + 2 + 2 * k]
        bets += observation[2 * players + 2 + 2 * k]
    if bets == 0:
        chance = opening(memory, players, card, moves)
    elif card == players:
        chance = 1.0
    elif card < players - 1:
        chance = 0.0
    elif players == 2:
        chance = 1.0 / 3.0 + (memory.alpha if moves == 2 else 0.0)
    else:
        chance = 1.0 if bets == 1 else 0.0
    return BET if random.bernoulli(memory, chance) else PASS
