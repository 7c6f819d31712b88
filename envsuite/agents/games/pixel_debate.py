"""Baselines of PixelDebate: one asks the judge about each pixel, one shows the brightest pixel."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import choose_legal, policy
from envsuite.core.ranges import scratch
from envsuite.games.pixel_debate import BIAS_1, DIGITS, PIXELS, SIDE, add_pixel, clear, judge, margin

ID = "envsuite/PixelDebate-v0"


@kernel
def add_revealed(sums, observation, everything):
    """The judge's first layer after what is revealed so far, or after the whole image."""
    clear(sums)
    for k in range(PIXELS):
        row, column = k // SIDE, k % SIDE
        if observation.image[row, column] > 0 and (everything or observation.revealed[row, column] > 0):
            add_pixel(sums, k, observation.image[row, column])


@large_kernel
def best_lie(memory, observation):
    """The wrong digit with the highest score if the judge saw the whole image."""
    add_revealed(memory.sums, observation, True)
    judge(memory.sums, memory.scores)
    found = (observation.facts[0] + 1) % DIGITS
    for digit in range(DIGITS):
        if digit != observation.facts[0] and memory.scores[digit] > memory.scores[found]:
            found = digit
    return PIXELS + found


@large_kernel
def best_pixel(memory, observation, mask):
    """The pixel after which the judge favors the observer most."""
    add_revealed(memory.sums, observation, False)
    found, most = np.int64(0), np.int64(0)
    sign = 1 - 2 * np.int64(observation.facts[2])
    for k in range(PIXELS):
        if mask[k] != 0:
            for i in range(memory.sums.shape[0]):
                memory.trial[i] = memory.sums[i]
            add_pixel(memory.trial, k, observation.image[k // SIDE, k % SIDE])
            judge(memory.trial, memory.scores)
            ahead = sign * margin(memory.scores, observation.facts[0], observation.facts[1])
            if mask[found] == 0 or ahead > most:
                found, most = np.int64(k), ahead
    return found


@policy(
    ID,
    "greedy",
    variables={
        "sums": scratch(len(BIAS_1), np.int32),
        "trial": scratch(len(BIAS_1), np.int32),
        "scores": scratch(DIGITS),
    },
)
def greedy(memory, observation, mask):
    """Reveals the pixel after which the judge favors it most; lies with the likeliest wrong digit."""
    if mask.shape[0] > PIXELS and mask[np.int64((observation.facts[0] + 1) % DIGITS) + PIXELS] != 0:
        return best_lie(memory, observation)
    return best_pixel(memory, observation, mask)


@policy(ID, "brightest")
def brightest(memory, observation, mask):
    """Reveals the brightest hidden pixel, one of several equal ones; claims a random digit."""
    found, ties, most = np.int64(-1), 0, 0
    for k in range(PIXELS):
        if mask[k] != 0:
            value = np.int64(observation.image[k // SIDE, k % SIDE])
            ties = ties + 1 if value == most else 1
            if value > most or (value == most and random.randint(memory, ties) == 0):
                found, most = np.int64(k), value
    return found if found >= 0 else choose_legal(memory, mask)
