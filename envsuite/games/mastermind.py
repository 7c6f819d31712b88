"""Mastermind: find a secret code by guesses, each of which is answered by how much of it is right.

**Rules.** The secret code has `pegs` digits, each one of `colors`; digits can be repeated. The agent enters a guess
digit by digit. A complete guess is answered by two numbers: how many of its digits are right and in the right place,
and how many of the others are in the code at another place. The second is the number of digits that code and guess have
in common, each as often as it is in both, less the first.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| guesses | Box (turns, pegs) int8 | the guesses, the one that is being entered included; -1 for what is not there |
| answers | Box (turns, 2) int8 | digits in the right place, and at another place; -1 if not complete |

**Actions.** Discrete (colors), all of them always legal.

| action | name |
|---|---|
| k | the digit `k` |

**Window.** The number keys enter digits.

**Rewards.** 1 for the right code, 0 otherwise.

**Ends.** Terminates with the right code, or after `turns` complete guesses.

**Uncertainty.** With `Uncertainty(env)`, infos say how many codes all answers allow. They are equally likely.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `pegs` | 4 | digits of the code, from 1 to 4 |
| `colors` | 6 | different digits, from 2 to 10 |
| `turns` | 10 | guesses, from 1 to 20 |

**Level.** ``{"code": [3, 0, 0, 5]}``: the secret code.

**Known values.** Mean numbers of guesses over all codes of 4 digits, those of a random code without limit:

| play | 6 colors | 10 colors |
|---|---|---|
| the smallest code that all answers allow, always | 5.765 | |
| a random one of these codes | 4.624 +- 0.025 | 6.160 +- 0.058 |
| the least possible (Koyama and Lai) | 5625 / 1296 = 4.340 | |

**Differences.** From the board game:

- The agent enters one digit a step, so that there are few actions.

**Source.** Meirowitz, 1970; Knuth, "The Computer as Master Mind", 1976; Shapiro, "Playing Mastermind Logically", 1983;
Koyama and Lai, "An optimal Mastermind strategy", 1993. Tajwar et al., "PAPRIKA", 2025, lets language models play it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page, counted
from envsuite.core.random import randint
from envsuite.core.ranges import below, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit.information import alike, counted_by
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene, footer
from envsuite.render.theme import text_on

#: What is not there yet.
NONE = -1

#: The color of each digit.
COLORS = "blue orange green yellow purple red sky brown pink gold".split()


def fields(pegs: int, colors: int, turns: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("code", below(np.int64, colors), (pegs,)),  # the level
        ("guesses", within(np.int8, NONE, colors - 1), (turns, pegs)),
        ("answers", within(np.int8, NONE, pegs), (turns, 2)),
        ("turn", within(np.int64, 0, turns)),  # complete guesses
        ("peg", below(np.int64, pegs)),  # digits of the guess that is being entered
    ]


@kernel
def reset(s):
    turns, pegs = s.guesses.shape
    if s.level_given == 0:
        for k in range(pegs):
            s.code[k] = randint(s, s.params.colors)
    s.turn = 0
    s.peg = 0
    for k in range(turns):
        s.answers[k, 0] = s.answers[k, 1] = NONE
        for j in range(pegs):
            s.guesses[k, j] = NONE


@kernel
def matches(code, guess):
    """The digits of a guess in the right place, plus 10 times those at another place."""
    right, common = 0, 0
    for k in range(code.shape[0]):
        right += code[k] == guess[k]
        before, there, here = 0, 0, 0  # how often the digit is before k in the guess; in the code; in the guess
        for j in range(code.shape[0]):
            before += j < k and guess[j] == guess[k]
            there += code[j] == guess[k]
            here += guess[j] == guess[k]
        if before == 0:
            common += min(there, here)
    return right + 10 * (common - right)


@kernel
def step(s, actions, rewards):
    turns, pegs = s.guesses.shape
    s.guesses[s.turn, s.peg] = actions[0]
    s.peg += 1
    if s.peg == pegs:
        found = matches(s.code, s.guesses[s.turn])
        s.answers[s.turn, 0], s.answers[s.turn, 1] = found % 10, found // 10
        s.peg = 0
        s.turn += 1
        rewards[0] = 1.0 if found == pegs else 0.0
        s.terminated[0] = found == pegs or s.turn == turns


@kernel
def observe(s, agent, out):
    for k in range(s.guesses.size):
        out.guesses.flat[k] = s.guesses.flat[k]
    for k in range(s.answers.size):
        out.answers.flat[k] = s.answers.flat[k]


@kernel
def how_many(colors, pegs):
    """The number of codes."""
    number = 1
    for _ in range(pegs):
        number *= colors
    return number


@kernel
def spell(code, number, colors):
    """Write the digits of a number in base `colors`, the highest first."""
    for k in range(code.shape[0] - 1, -1, -1):
        code[k] = number % colors
        number //= colors


@kernel
def allowed(s):
    """Whether all answers are those that this code gives."""
    for turn in range(s.turn):
        if matches(s.code, s.guesses[turn]) != s.answers[turn, 0] + 10 * s.answers[turn, 1]:
            return False
    return True


@kernel
def left(s):
    """How many codes all answers allow."""
    count = 0
    for number in range(how_many(s.params.colors, s.code.shape[0])):
        spell(s.code, number, s.params.colors)
        count += allowed(s)
    return alike(count)


@kernel
def guess(s, agent):
    """A random one of the codes that all answers allow."""
    found, count = 0, 0
    for number in range(how_many(s.params.colors, s.code.shape[0])):
        spell(s.code, number, s.params.colors)
        if allowed(s):
            count += 1
            if randint(s, count) == 0:
                found = number
    spell(s.code, found, s.params.colors)


PAGE = Page(
    role="You look for a secret code.",
    goal="You are paid 1 if you find it, otherwise 0.",
    rules=(
        (
            Case(
                "pegs",
                {1: "The code is a single digit, from 0 to {last}."},
                "The code has {pegs:digit}, from 0 to {last}; the same digit can stand in it several times.",
            ),
            "All codes are equally likely. You enter a guess digit by digit. A complete guess is answered by two "
            "numbers: how many of its digits are right and in the right place, and how many of its other digits are in "
            "the code at another place. A digit counts no more often than it stands in the code.",
        ),
    ),
    sees="You see all your guesses and their answers.",
    acts={"{DIGIT}": "enter this digit in the next place of your guess"},
    ends="It is over when a guess is the code, or after {turns:guess/guesses}.",
    unsaid={"colors": "told as the highest digit"},
    constants={
        "1": "the reward of the code",
        "0": "the lowest digit, and the reward without the code",
        "two": "numbers of an answer",
    },
)


class Mastermind(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    guess = guess
    counted = "codes that can be the secret one"
    uncertainty = counted_by(left)
    masked = False
    paid_at_end = True
    kind = ("puzzles",)
    verified = "a second implementation over all pairs of codes; published means over all codes"
    variants = (dict(pegs=3, colors=4, turns=3),)
    shown = "consistent"
    clickable = "(?!)"
    keys = {str(k): str(k) for k in range(10)}
    level_fields = ("code",)
    player_page = PAGE

    def __init__(
        self,
        pegs: Annotated[int, Between(1, 4)] = 4,
        colors: Annotated[int, Between(2, 10)] = 6,
        turns: Annotated[int, Between(1, 20)] = 10,
    ):
        self.define(
            agents=["agent"],
            actions=[str(k) for k in range(colors)],
            observation=Dict(
                {
                    "guesses": Box(NONE, colors - 1, (turns, pegs), np.int8),
                    "answers": Box(NONE, pegs, (turns, 2), np.int8),
                }
            ),
            fields=fields(pegs, colors, turns),
            params={"colors": colors},
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        turns, pegs = s.guesses.shape
        entered = (np.arange(turns * pegs) < pegs * s.turn + s.peg).reshape(turns, pegs)
        if ((s.guesses != NONE) != entered).any():
            return "guesses are not those of the turns"
        for turn in range(turns):
            found = matches(s.code, s.guesses[turn]) if turn < s.turn else None
            if s.answers[turn].tolist() != ([NONE, NONE] if found is None else [found % 10, found // 10]):
                return "an answer is not that of its guess"
        over = s.turn == turns or (s.turn > 0 and s.answers[s.turn - 1, 0] == pegs)
        return "the game is over" if over and not s.terminated[0] else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"last": s.params.colors - 1}

    def text(self, s: Any, agent: int) -> str:
        turns, pegs = s.guesses.shape
        lines = ["Your guesses so far:"]
        for turn in range(int(s.turn)):
            digits = " ".join(map(str, s.guesses[turn].tolist()))
            right, elsewhere = s.answers[turn].tolist()
            lines.append(f"{turn + 1}. {digits}: {right} in the right place, {elsewhere} at another place")
        if s.turn == 0:
            lines.append("none")
        if s.terminated[0]:
            lines.append("That is the code." if s.answers[s.turn - 1, 0] == pegs else "There are no guesses left.")
        else:
            entered = " ".join(map(str, s.guesses[s.turn, : s.peg].tolist())) or "nothing"
            left = pegs - s.peg
            lines.append(f"Guess {s.turn + 1} of {turns}: {entered} entered, {counted(left, 'digit')} to go.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        turns, pegs = s.guesses.shape
        scene = Scene(pegs + 3.4, turns + 0.4)
        scene.add(Rect(0, 0, pegs + 3.4, turns + 0.4, "panel", radius=0.3))
        for turn in range(turns):
            y = turn + 0.7
            scene.add(Label(0.5, y, str(turn + 1), 0.32, "muted"))
            for k in range(pegs):
                digit, x = int(s.guesses[turn, k]), 1.4 + k
                if digit == NONE:
                    scene.add(Circle(x, y, 0.12, "line", glyph="."))
                else:
                    scene.add(
                        Circle(x, y, 0.4, COLORS[digit], glyph=str(digit)),
                        Label(x, y, str(digit), 0.42, text_on(COLORS[digit])),
                    )
            right, elsewhere = s.answers[turn].tolist()
            for k in range(max(right, 0) + max(elsewhere, 0)):
                fill = "ink" if k < right else None
                scene.add(Circle(pegs + 1.25 + 0.42 * k, y, 0.15, fill, "ink", 0.05, "x" if k < right else "o"))
        solved = s.turn > 0 and s.answers[s.turn - 1, 0] == pegs
        footer(scene, "solved" if solved else "over" if s.terminated[0] else "", "filled: place, ring: digit")
        return scene


env, raw_env, parallel_env = pettingzoo_forms(Mastermind)
