"""Baselines of repeated games: strategies of the Axelrod library, under its names, and two that talk.

An agent cooperates with its first action and defects with its second. The others cooperate in a round if all of them
take their first action; with one opponent and two actions, this is the usual prisoner's dilemma. With talk, a strategy
says what it is going to do, unless its summary says otherwise.
"""

from __future__ import annotations

from typing import Any

from envsuite.core import random
from envsuite.core.elementary import power
from envsuite.core.kernel import kernel
from envsuite.core.parameters import Between
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import limited
from envsuite.games.repeated_game import LONGEST

ID = "envsuite/RepeatedGame-v0"

COOPERATE, DEFECT = range(2)
NONE = -1


def remembered(**variables: Any) -> dict[str, Any]:
    """Variables of a strategy: the rounds left when it last decided, its choice, and its own variables."""
    return {"round": limited(-1, -1, LONGEST), "choice": limited(COOPERATE, COOPERATE, DEFECT), **variables}


@kernel
def new_round(memory, observation):
    """Whether the choice for this round is still to be made: before its first message, if there is talk."""
    left = observation.rounds_left[0]
    if left == memory.round:
        return False
    memory.round = left
    return True


@kernel
def first_round(observation):
    """Whether nothing has been played yet."""
    return observation.history[observation.history.shape[0] - 1, 0] == NONE


@kernel
def own_last(observation):
    """The agent's action in the last round, if there was one."""
    return DEFECT if observation.history[observation.history.shape[0] - 1, 0] > 0 else COOPERATE


@kernel
def others_last(observation):
    """The others' action in the last round: defect if one of them did; cooperate before the first round."""
    last = observation.history.shape[0] - 1
    for k in range(1, observation.history.shape[1]):
        if observation.history[last, k] > 0:
            return DEFECT
    return COOPERATE


@kernel
def first_legal(mask):
    """The number of the first legal action."""
    action = 0
    while mask[action] == 0:
        action += 1
    return action


@kernel
def take(choice, mask):
    """The first legal action; to defect, the second, if there is one. The mask decides whether to say or to play it."""
    action = first_legal(mask)
    if choice == DEFECT and action + 1 < mask.shape[0] and mask[action + 1] != 0:
        return action + 1
    return action


# Strategies with a memory of one round: probabilities of cooperating in the first round, and after each pair of own and
# others' action (cc: both cooperated, and so on).


@kernel
def react(memory, observation, mask):
    """Cooperate with the probability for the last round's outcome."""
    if new_round(memory, observation):
        if first_round(observation):
            chance = memory.first
        elif own_last(observation) == COOPERATE:
            chance = memory.cc if others_last(observation) == COOPERATE else memory.cd
        else:
            chance = memory.dc if others_last(observation) == COOPERATE else memory.dd
        memory.choice = COOPERATE if random.bernoulli(memory, chance) else DEFECT
    return take(memory.choice, mask)


def reactive(name: str, first: float, cc: float, cd: float, dc: float, dd: float, summary: str) -> None:
    """Declare such a strategy; users may choose other probabilities."""
    chances = {"first": first, "cc": cc, "cd": cd, "dc": dc, "dd": dd}
    parameters: dict[str, Any] = {key: CHANCE.at(chance) for key, chance in chances.items()}

    @kernel
    def strategy(memory, observation, mask):
        return react(memory, observation, mask)

    strategy.__doc__ = summary
    policy(ID, name, remembered(), **parameters)(strategy)


reactive(
    "memory_one", 1.0, 1.0, 0.0, 1.0, 0.0,
    "Cooperates with a probability for each outcome of the last round; the default is tit for tat.",
)  # fmt: skip
reactive("cooperator", 1.0, 1.0, 1.0, 1.0, 1.0, "Always cooperates.")
reactive("defector", 0.0, 0.0, 0.0, 0.0, 0.0, "Always defects.")
reactive("tit_for_tat", 1.0, 1.0, 0.0, 1.0, 0.0, "Cooperates first, then does what the others did last.")
reactive("suspicious_tit_for_tat", 0.0, 1.0, 0.0, 1.0, 0.0, "Defects first, then does what the others did last.")
reactive(
    "anti_tit_for_tat", 1.0, 0.0, 1.0, 0.0, 1.0,
    "Cooperates first, then does the opposite of what the others did last.",
)  # fmt: skip
reactive("bully", 0.0, 0.0, 1.0, 0.0, 1.0, "Defects first, then does the opposite of what the others did last.")
reactive("alternator", 1.0, 0.0, 0.0, 1.0, 1.0, "Cooperates and defects in turn.")
reactive(
    "win_stay_lose_shift", 1.0, 1.0, 0.0, 0.0, 1.0,
    "Repeats its last action if the others cooperated, otherwise changes it.",
)  # fmt: skip
reactive("gtft", 1.0, 1.0, 1 / 3, 1.0, 1 / 3, "Generous tit for tat: forgives one defection in three.")
reactive(
    "extort_2", 1.0, 8 / 9, 1 / 2, 1 / 3, 0.0,
    "Extorts twice the other's gain over mutual defection, at the payoffs 3, 0, 5, 1 (Press and Dyson, 2012).",
)  # fmt: skip


# Strategies that remember more than an observation may contain.


@kernel
def recent(memory, observation):
    """The others' last defections as bits, the last round in the lowest bit. Call it once per round."""
    memory.recent = 2 * memory.recent % 8 + others_last(observation)
    return memory.recent


@policy(ID, "tit_for_2_tats", remembered(recent=limited(0, 0, 7)))
def tit_for_2_tats(memory, observation, mask):
    """Defects after two defections in a row."""
    if new_round(memory, observation):
        memory.choice = DEFECT if recent(memory, observation) % 4 == 3 else COOPERATE
    return take(memory.choice, mask)


@policy(ID, "two_tits_for_tat", remembered(recent=limited(0, 0, 7)))
def two_tits_for_tat(memory, observation, mask):
    """Defects if there was a defection in the last two rounds."""
    if new_round(memory, observation):
        memory.choice = DEFECT if recent(memory, observation) % 4 > 0 else COOPERATE
    return take(memory.choice, mask)


@policy(ID, "hard_tit_for_tat", remembered(recent=limited(0, 0, 7)))
def hard_tit_for_tat(memory, observation, mask):
    """Defects if there was a defection in the last three rounds."""
    if new_round(memory, observation):
        memory.choice = DEFECT if recent(memory, observation) > 0 else COOPERATE
    return take(memory.choice, mask)


@policy(ID, "grudger", remembered())
def grudger(memory, observation, mask):
    """Cooperates until another player defects, and defects from then on."""
    if new_round(memory, observation) and others_last(observation) == DEFECT:
        memory.choice = DEFECT
    return take(memory.choice, mask)


LEVEL = Between(-100_000, 100_000)


@policy(ID, "grumpy", remembered(grumpiness=limited(0, -LONGEST, LONGEST)), nice=LEVEL.at(-10), grumpy=LEVEL.at(10))
def grumpy(memory, observation, mask):
    """Starts to defect when defections outnumber cooperations by more than `grumpy`, and stops below `nice`."""
    if new_round(memory, observation) and not first_round(observation):
        memory.grumpiness += 1 if others_last(observation) == DEFECT else -1
        if memory.grumpiness > memory.grumpy:
            memory.choice = DEFECT
        elif memory.grumpiness < memory.nice:
            memory.choice = COOPERATE
    return take(memory.choice, mask)


@policy(ID, "soft_go_by_majority", remembered(balance=limited(0, -LONGEST, LONGEST)))
def soft_go_by_majority(memory, observation, mask):
    """Cooperates unless there was more defection than cooperation."""
    if new_round(memory, observation) and not first_round(observation):
        memory.balance += 1 if others_last(observation) == COOPERATE else -1
        memory.choice = COOPERATE if memory.balance >= 0 else DEFECT
    return take(memory.choice, mask)


@policy(ID, "punisher", remembered(**dict.fromkeys(("rounds", "defections", "sentence"), limited(0, 0, LONGEST))))
def punisher(memory, observation, mask):
    """Answers a defection with 1 to 20 defections, in proportion to the share of defections so far."""
    if new_round(memory, observation) and not first_round(observation):
        memory.rounds += 1
        memory.defections += others_last(observation)
        if memory.sentence > 0:
            memory.sentence -= 1
        elif others_last(observation) == DEFECT:
            memory.sentence = 20 * memory.defections // memory.rounds
            memory.choice = DEFECT
        else:
            memory.choice = COOPERATE
    return take(memory.choice, mask)


@policy(ID, "cycler_ccd", remembered(place=limited(-1, -1, 2)))
def cycler_ccd(memory, observation, mask):
    """Cooperates twice, defects once, and so on."""
    if new_round(memory, observation):
        memory.place = (memory.place + 1) % 3
        memory.choice = DEFECT if memory.place == 2 else COOPERATE
    return take(memory.choice, mask)


# Strategies that talk.


@policy(ID, "deceiver")
def deceiver(memory, observation, mask):
    """Says that it will cooperate, and defects."""
    return take(COOPERATE if observation.exchanges_left[0] > 0 else DEFECT, mask)


@policy(ID, "believer")
def believer(memory, observation, mask):
    """Says its part in the cell that is best for all together, and plays the best reply to the others' last messages.

    Without messages of all others it plays that part. It also does so among three or more players with different
    numbers of actions, because it cannot know which cell they mean.
    """
    own = 0
    for action in range(mask.shape[0]):
        own += mask[action] != 0
    if observation.exchanges_left[0] > 0 and mask.shape[0] % 2 == 1:  # to say nothing is no part in a cell
        own -= 1
    players, cells = observation.payoffs.shape
    others = cells // own
    last = observation.messages.shape[0] - 1
    message = 0  # the others' messages, as a column of the own table
    for k in range(1, players):
        message = message * own + observation.messages[last, k]
    alike = players == 2 or power(own, players - 1) == others
    heard = alike and observation.exchanges_left[0] == 0
    for k in range(1, players):
        heard = heard and observation.messages[last, k] != NONE
    best, found = 0, 0.0
    if heard:
        for action in range(own):
            if action == 0 or observation.payoffs[0, action * others + message] > found:
                best, found = action, observation.payoffs[0, action * others + message]
    else:
        for cell in range(cells):
            total = 0.0
            for k in range(players):
                total += observation.payoffs[k, cell]
            if cell == 0 or total > found:
                best, found = cell, total
        best //= others
    return first_legal(mask) + best
