"""Baselines of CarSoccer: run after the ball, line up and shoot, or guard the goal."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.games.car_soccer import BALL, CAR, CORNER, LONG, WIDE
from envsuite.kit.plane import distance

ID = "envsuite/CarSoccer-v0"

#: What a policy has decided: throttle, left and boost, (3,).
_DECIDED = {"wish": scratch(3, float)}

#: How often a policy steers at random, left or right. Without it, equal policies would press the ball from both sides
#: for ever: kick-offs are symmetric.
_SWERVE = Between(0.0, 1.0).at(0.02)

CHASE, SHOOT, KEEP = range(3)


@kernel
def decide(memory, observation, plan):
    """Want what the plan needs: the place to drive to, and whether to hurry."""
    ball, own, wish = observation.ball, observation.own, memory.wish
    x, y = np.float64(ball[0]), np.float64(ball[1])
    here_x, here_y = np.float64(own[0]), np.float64(own[1])
    far = distance(x - here_x, y - here_y)
    if plan != CHASE:
        # Where the ball will be when the car is there.
        speed = 0.5 * (distance(np.float64(own[2]), np.float64(own[3])) + 18.0)
        ahead = min(far / speed, 2.0)
        x, y = x + ahead * np.float64(ball[2]), y + ahead * np.float64(ball[3])
        x, y = reflected(x, LONG - BALL), reflected(y, WIDE - BALL)
    if plan == CHASE:
        drive_to(own, wish, x, y, True)
    elif plan == KEEP and x > 5.0:
        # Between the ball and the goal, a quarter of the way.
        target_x, target_y = -LONG + 0.25 * (x + LONG), 0.25 * y
        if distance(target_x - here_x, target_y - here_y) > 3.0:
            drive_to(own, wish, target_x, target_y, False)
        else:
            wait(own, wish)
    else:
        shoot_at(ball, own, wish, x, y)
    if random.bernoulli(memory, memory.swerve):
        wish[1] = 1.0 if random.bernoulli(memory, 0.5) else -1.0


@kernel
def reflected(place, wall):
    """A place that is beyond a wall, sent back by it with 0.6 times the speed."""
    if place > wall:
        return wall - 0.6 * (place - wall)
    return -wall - 0.6 * (place + wall) if place < -wall else place


@kernel
def shoot_at(ball, own, wish, x, y):
    """Drive through the ball at (x, y) if it then goes to the goal; else to a place behind it."""
    here_x, here_y = np.float64(own[0]), np.float64(own[1])
    goal_x, goal_y = LONG + 2.0 - x, -y
    length = distance(goal_x, goal_y)
    # The push that makes the ball's velocity one of 25 m/s to the goal.
    goal_x = 25.0 * goal_x / length - np.float64(ball[2])
    goal_y = 25.0 * goal_y / length - np.float64(ball[3])
    length = max(distance(goal_x, goal_y), 1e-9)
    goal_x, goal_y = goal_x / length, goal_y / length
    to_x, to_y = x - here_x, y - here_y
    far = max(distance(to_x, to_y), 1e-9)
    straight = (to_x * goal_x + to_y * goal_y) / far
    if straight > 0.35:
        # To where the car touches the ball opposite to the goal: the impulse is along the line of the centers.
        drive_to(own, wish, x - goal_x * (BALL + 0.7 * CAR), y - goal_y * (BALL + 0.7 * CAR), True)
        return
    back = min(max(0.5 * far, 4.0), 10.0)
    place_x, place_y = x - goal_x * back, y - goal_y * back
    if straight < -0.2:
        # Around the ball, on the nearer side.
        side = 1.0 if to_x * goal_y - to_y * goal_x > 0.0 else -1.0
        place_x, place_y = place_x - side * goal_y * 5.0, place_y + side * goal_x * 5.0
    place_x, place_y = min(max(place_x, -LONG + 2.0), LONG - 2.0), min(max(place_y, -WIDE + 2.0), WIDE - 2.0)
    drive_to(own, wish, place_x, place_y, False)


@kernel
def drive_to(own, wish, x, y, hurry):
    """Want to drive to a place, forward, slowly where it is aside; `hurry` is with boost."""
    across, up = np.float64(own[4]), np.float64(own[5])
    x, y = x - np.float64(own[0]), y - np.float64(own[1])
    length = max(distance(x, y), 1e-9)
    ahead, aside = (x * across + y * up) / length, (y * across - x * up) / length
    speed = np.float64(own[2]) * across + np.float64(own[3]) * up
    if ahead < 0.0:
        aside = 1.0 if aside >= 0.0 else -1.0
    wish[0] = -1.0 if ahead < 0.5 and speed > 9.0 else 1.0
    wish[1] = min(max(3.0 * aside, -1.0), 1.0)
    wish[2] = 1.0 if ahead > 0.95 and (hurry or length > 12.0) and speed < 22.0 else -1.0
    room = 2.5 if speed >= 0.0 else 6.0
    front_x, front_y = abs(np.float64(own[0]) + room * across), abs(np.float64(own[1]) + room * up)
    if ahead < 0.7 and (front_x > LONG or front_y > WIDE or front_x + front_y > LONG + WIDE - CORNER):
        # The wall is in the way: back, and turn to the place.
        wish[0], wish[1], wish[2] = -1.0, -wish[1] if speed < 0.0 else wish[1], -1.0


@kernel
def wait(own, wish):
    """Want to stand still."""
    speed = np.float64(own[2]) * np.float64(own[4]) + np.float64(own[3]) * np.float64(own[5])
    wish[0] = -1.0 if speed > 2.0 else 1.0 if speed < -2.0 else 0.0
    wish[1], wish[2] = 0.0, -1.0


@kernel
def named(wish):
    """The action nearest to the wish."""
    throttle = 1 if wish[0] > 0.5 else 2 if wish[0] < -0.5 else 0
    left = 1 if wish[1] > 0.3 else 2 if wish[1] < -0.3 else 0
    return 9 * (wish[2] > 0.0) + 3 * throttle + left


@kernel
def as_controls(wish, controls):
    """The wish as numbers, without the handbrake."""
    for k in range(controls.shape[0]):
        controls[k] = wish[k] if k < 3 else -1.0


def driver(name: str, plan: int, summary: str) -> None:
    """Declare a policy with a plan."""

    @kernel
    def steer(memory, observation, controls):
        decide(memory, observation, plan)
        as_controls(memory.wish, controls)

    @kernel
    def drive(memory, observation, mask):
        decide(memory, observation, plan)
        return named(memory.wish)

    drive.__doc__ = summary
    policy(ID, name, variables=_DECIDED, swerve=_SWERVE, steer=steer)(drive)


driver("chase", CHASE, "Drives at the ball with boost.")
driver("shoot", SHOOT, "Drives behind the ball, on its line to the goal, and then through it.")
driver(
    "keeper", KEEP, "Shoots while the ball is in its own half, and otherwise waits between the ball and its own goal."
)
