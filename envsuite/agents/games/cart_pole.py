"""Baselines of CartPole: one holds cart and pole, one looks at the pole's lean only."""

from __future__ import annotations

from envsuite.core.policy import policy

ID = "envsuite/CartPole-v0"

LEFT, RIGHT = range(2)


@policy(ID, "balance")
def balance(memory, observation, mask):
    """Pushes to the side to which the pole leans and turns; a little also to that on which the cart is and to which it
    moves, since a pole that leans back to the middle takes the cart there."""
    lean = observation[2] + 0.25 * observation[3] + 0.02 * observation[0] + 0.05 * observation[1]
    return RIGHT if lean > 0.0 else LEFT


@policy(ID, "lean")
def lean(memory, observation, mask):
    """Pushes to the side to which the pole leans."""
    return RIGHT if observation[2] > 0.0 else LEFT
