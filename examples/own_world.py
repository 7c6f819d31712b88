"""A world of your own in one file, the dice game Pig: rules, baseline, registered, checked. Prints shares of wins.

docs/adding_a_world.md explains each part.
"""

from typing import Annotated

import numpy as np
from gymnasium.spaces import Box
from rich import print
from rich.table import Table

import envsuite
from envsuite import Between, Kernels, Page, World, check_world, kernel, play, policy, random
from envsuite.core.ranges import below, within
from envsuite.render.scene import Label, Rect, Scene

ROLL, HOLD = range(2)


def fields():
    """The record; at most 5 points more than the largest target."""
    return [
        ("player", below(np.int64, 2)),  # the number of the player to move
        ("turn", within(np.int64, 0, 1005)),  # points of this turn
        ("banked", within(np.int64, 0, 1005), (2,)),  # points of each player
    ]


@kernel
def reset(s):
    """Begin an episode."""
    s.player = 0
    s.turn = 0
    s.banked[0] = 0
    s.banked[1] = 0


@kernel
def step(s, actions, rewards):
    """One move, which has been checked."""
    player = s.player
    die = 1 + random.randint(s, 6) if actions[player] == ROLL else 0
    if die > 1:
        s.turn += die
    else:
        s.banked[player] += s.turn if die == 0 else 0
        s.turn = 0
        s.player = 1 - player
    if s.banked[player] >= s.params.target:
        rewards[player] = 1.0
        rewards[1 - player] = -1.0
        s.terminated[:] = 1
    elif s.t >= s.params.horizon:
        s.truncated[:] = 1


@kernel
def observe(s, agent, out):
    """Write the observation of an agent."""
    out[0] = s.banked[agent]
    out[1] = s.banked[1 - agent]
    out[2] = s.turn


@kernel
def legal(s, agent, mask):
    """Mark the legal actions of an agent; none if it is not its turn."""
    if s.player == agent:
        mask[ROLL] = s.banked[agent] + s.turn < s.params.target
        mask[HOLD] = s.turn > 0


PAGE = Page(
    role="You play dice against {others}.",
    goal="The first with {target} points wins and gets +1; the other player gets -1.",
    rules=(
        "You take turns, and player_0 begins. In your turn you roll a die as often as you like. A 1 ends your turn, "
        "and its points are lost. Any other number is added to the points of your turn, until you bank them.",
    ),
    sees="You both see all points.",
    acts={"roll": "roll the die, unless you have enough to win", "hold": "bank the points of your turn and end it"},
    ends="It is over when a player has won, or without a winner after {horizon:action}.",
    constants={"1": "the number that ends a turn, and the reward of a win"},
)


class Pig(World):
    """Pig: roll as often as you dare.

    **Rules.** Two players take turns to reach `target` points. The player to move rolls a die as often as it likes: a 1
    ends the turn with nothing, other numbers add up until `hold` banks them.

    **Agents.** `player_0` moves first, then `player_1`.

    **Observation.** Box (3,) int32.

    | entry | content |
    |---|---|
    | 0 | the agent's points |
    | 1 | the other player's points |
    | 2 | the points of this turn |

    **Actions.** Discrete (2).

    | action | name | legal |
    |---|---|---|
    | 0 | `roll` | until the turn wins |
    | 1 | `hold` | once the turn has brought points |

    **Rewards.** +1 to the winner and -1 to the loser at the end, 0 otherwise.

    **Ends.** Terminates at the target; truncated after `horizon` actions.

    **Parameters.**

    | name | default | meaning |
    |---|---|---|
    | `target` | 100 | points that win, from 10 to 1000 |
    | `horizon` | 10,000 | maximum actions of an episode |

    **Known values.** With perfect play to 100 points the first player wins 53.06 % (Neller and Presser, 2004).

    **Differences.** None.

    **Source.** Neller and Presser, "Optimal Play of the Dice Game Pig", The UMAP Journal, 2004.
    """

    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    information = "perfect"
    utility = "zero-sum"
    keys = {"r": "roll", "h": "hold"}
    player_page = PAGE

    def __init__(
        self, target: Annotated[int, Between(10, 1000)] = 100, horizon: Annotated[int, Between(1, 10**9)] = 10_000
    ):
        self.define(
            agents=["player_0", "player_1"],
            actions=["roll", "hold"],
            observation=Box(0, target + 5, (3,), np.int32),
            fields=fields(),
            params={"target": target, "horizon": horizon},
            reward_range=(-1.0, 1.0),
        )

    def text(self, s, agent):
        whose = "It is your turn" if s.player == agent else "It is the other's turn"
        return f"You have {s.banked[agent]}, the other {s.banked[1 - agent]}. {whose}, with {s.turn} so far."

    def scene(self, s, agent=None):
        scene, target = Scene(12, 5), int(s.params.target)
        for a, color in enumerate(("blue", "orange")):
            turn = s.turn if s.player == a else 0
            for points, shade in ((target, "panel"), (s.banked[a] + turn, "grey"), (s.banked[a], color)):
                scene.add(Rect(1, 1 + 2 * a, 10 * min(float(points / target), 1.0), 1, shade))
            scene.add(Label(1.2, 1.5 + 2 * a, f"{s.banked[a]} + {turn}", align="left"))
        return scene


@policy("lab/Pig-v0", "hold_at", points=Between(1, 1000).at(20), target=Between(1, 1000).at(100))
def hold_at(memory, observation, mask):
    """Rolls until the turn has brought that many points, or enough to win."""
    enough = observation[2] >= memory.points or observation[0] + observation[2] >= memory.target
    return HOLD if enough else ROLL


envsuite.register("lab/Pig-v0", f"{__name__}:Pig", policies=__name__)


def main(points=(10, 15, 20, 25, 30), games=10_000, seed=0):
    """Check the world, then play; the first player's share of wins, by the points at which each of the two holds."""
    print(str(check_world("lab/Pig-v0")))
    table = Table("holds at", *(f"against {other}" for other in points), title="Games that the first player wins")
    won = {}
    for one in points:
        for other in points:
            result = play("lab/Pig-v0", [f"hold_at:points={one}", f"hold_at:points={other}"], games, seed)
            won[one, other] = result.outcomes()[0, 0]
        table.add_row(str(one), *(f"{won[one, other]:.1%}" for other in points))
    print(table)
    return won


if __name__ == "__main__":
    main()
