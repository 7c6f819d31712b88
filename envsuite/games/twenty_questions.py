"""TwentyQuestions: find out which of many things is meant by asking for attributes; answers may be wrong.

**Rules.** There are `things` things with `attributes` attributes each, yes or no. No two things have the same
attributes; otherwise each attribute of each thing is drawn with probability 1/2. One thing is meant. The agent asks for
an attribute of it, and the answer is wrong with probability `noise`, independently each time; or it guesses a thing. A
right guess wins; a wrong one costs a turn.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| table | Box (things, attributes) int8 | the attributes of each thing, 0 or 1 |
| answers | Box (attributes, 2) int16 | how often the answer for each attribute was no, and yes |
| guessed | Box (things,) int8 | 1 for things that were guessed |

**Actions.** Discrete (attributes + things).

| action | name | legal |
|---|---|---|
| k | `ask 0`, `ask 1`, ...: for this attribute | always |
| attributes + k | `guess 0`, `guess 1`, ...: this thing | once |

**Rewards.** 1 for the right guess.

**Ends.** Terminates with the right guess or after `horizon` turns.

**Uncertainty.** With `Uncertainty(env)`, infos say how many things can be meant, and the entropy of their probabilities
after all answers.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `things` | 32 | things, from 2 to 64 |
| `attributes` | 12 | attributes, from 6 to 24 |
| `noise` | 0.0 | the probability of a wrong answer, from 0 to 0.5 |
| `horizon` | 20 | the most turns, from 1 to 100 |

**Level.** ``{"table": [[0, 1, ...], ...], "thing": 3}``.

**Known values.** Without noise, no way of asking finds one of N things in less than log2(N) questions on average. With
only noise (0.5) answers tell nothing, and guesses in any order win horizon / things.

**Differences.** From the game of PAPRIKA:

- There, questions and answers are free text, judged by a language model. Here, a table of attributes takes the place of
  what the model knows, so all information can be computed.

**Source.** Tajwar et al., "Training a generally curious agent", 2025 (PAPRIKA).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.elementary import log2
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.kit.information import alike, counted_by
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene, footer

MOST = 100


def fields(things: int, attributes: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("table", flag(np.int8), (things, attributes)),  # the level, with `thing`
        ("thing", below(np.int64, things)),  # what is meant
        ("answers", within(np.int16, 0, MOST), (attributes, 2)),  # no and yes for each attribute
        ("guessed", flag(np.int8), (things,)),
        ("turns", within(np.int64, 0, MOST)),
    ]


@kernel
def reset(s):
    things, attributes = s.table.shape
    if s.level_given == 0:
        for k in range(things):
            draw(s, k)
        s.thing = randint(s, things)
    fill(s.answers, 0)
    fill(s.guessed, 0)
    s.turns = 0


@kernel
def draw(s, thing):
    """Draw attributes until no earlier thing has them; after 1,000 draws, count on from the last."""
    things, attributes = s.table.shape
    for attempt in range(1000 + things):
        carry = 1
        for j in range(attributes):
            if attempt < 1000:
                s.table[thing, j] = randint(s, 2)
            elif carry:
                carry = np.int64(s.table[thing, j])
                s.table[thing, j] = 1 - s.table[thing, j]
        new = True
        for k in range(thing):
            same = True
            for j in range(attributes):
                same = same and s.table[k, j] == s.table[thing, j]
            new = new and not same
        if new:
            return


@kernel
def step(s, actions, rewards):
    attributes = s.answers.shape[0]
    action = actions[0]
    s.turns += 1
    found = False
    if action < attributes:
        told = np.int64(s.table[s.thing, action])
        if s.params.noise > 0.0 and bernoulli(s, s.params.noise):
            told = 1 - told
        s.answers[action, told] += 1
    else:
        s.guessed[action - attributes] = 1
        found = action - attributes == s.thing
    rewards[0] = 1.0 if found else 0.0
    s.terminated[0] = found or s.turns == s.params.horizon


@kernel
def observe(s, agent, out):
    for k in range(s.table.size):
        out.table.flat[k] = s.table.flat[k]
    for k in range(s.answers.size):
        out.answers.flat[k] = s.answers.flat[k]
    for k in range(s.guessed.shape[0]):
        out.guessed[k] = s.guessed[k]


@kernel
def legal(s, agent, mask):
    attributes = s.answers.shape[0]
    for k in range(mask.shape[0]):
        mask[k] = k < attributes or s.guessed[k - attributes] == 0


@kernel
def likelihood(answers, guessed, row, noise):
    """The probability of all answers if a thing with these attributes is meant, up to a factor; 0 after its guess."""
    value = 0.0 if guessed else 1.0
    for j in range(row.shape[0]):
        for told in range(2):
            for _ in range(answers[j, told]):
                value *= (1.0 - noise if row[j] == told else noise) * 2.0
    return value


@kernel
def guess(s, agent):
    """Draw what is meant again, by the probabilities that the answers leave."""
    things = s.guessed.shape[0]
    total, chosen = 0.0, s.thing
    for k in range(things):
        weight = likelihood(s.answers, s.guessed[k], s.table[k], s.params.noise)
        total += weight
        if weight > 0.0 and bernoulli(s, weight / total):
            chosen = k
    s.thing = chosen


@kernel
def left(s):
    """How many things can be meant, and the entropy of their probabilities."""
    things, noise = s.guessed.shape[0], s.params.noise
    best = 0.0
    for k in range(things):
        best = max(best, likelihood(s.answers, s.guessed[k], s.table[k], noise))
    count, total, logs = 0, 0.0, 0.0
    for k in range(things):
        weight = likelihood(s.answers, s.guessed[k], s.table[k], noise)
        if weight > 0.0:
            weight /= best  # so that equal ones are exactly 1
            count += 1
            total += weight
            logs += weight * log2(weight)
    if s.guessed[s.thing] or count == 0:  # the reward has shown that this guess was right
        return alike(1)
    return float(count), max(0.0, log2(total) - logs / total)


PAGE = Page(
    role="You are to find out which one of {things} things is meant.",
    goal="You are paid 1 if you guess it, otherwise 0.",
    rules=(
        "Each thing has or does not have each of {attributes} attributes, which you can all see; no two things are "
        "alike. Each thing is equally likely to be the one that is meant. In each turn you either ask whether it has "
        "an attribute, or guess a thing. A wrong guess costs you the turn.",
        When(
            "noise",
            "Each answer is wrong with a probability of {noise}, also if you ask for the same attribute again.",
            "All answers are true.",
        ),
    ),
    sees="You see the attributes of all things, 1 for yes and 0 for no, and all answers and guesses so far.",
    acts={
        "ask {N}": "ask whether it has attribute N, counted from 0",
        "guess {N}": "guess thing N, counted from 0; each thing once",
    },
    ends="It is over after the right guess, or after {horizon:turn}.",
    constants={
        "1": "the reward of the right guess, and a yes",
        "0": "the reward without it, a no, and the first number",
        "two": "things that differ",
    },
)


class TwentyQuestions(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    counted = "things that can be meant"
    uncertainty = counted_by(left)
    paid_at_end = True
    kind = ("puzzles",)
    verified = (
        "the number of questions on complete tables; the rate of wrong answers; all posteriors by a second formula"
    )
    variants = (dict(things=8, attributes=6, noise=0.1, horizon=12),)
    shown = "informed"
    clickable = "(?!)"
    level_fields = ("table", "thing")
    player_page = PAGE

    def __init__(
        self,
        things: Annotated[int, Between(2, 64)] = 32,
        attributes: Annotated[int, Between(6, 24)] = 12,
        noise: Annotated[float, Between(0, 0.5)] = 0.0,
        horizon: Annotated[int, Horizon(1, MOST)] = 20,
    ):
        self.define(
            agents=["agent"],
            actions=[*(f"ask {k}" for k in range(attributes)), *(f"guess {k}" for k in range(things))],
            observation=Dict(
                {
                    "table": Box(0, 1, (things, attributes), np.int8),
                    "answers": Box(0, MOST, (attributes, 2), np.int16),
                    "guessed": Box(0, 1, (things,), np.int8),
                }
            ),
            fields=fields(things, attributes),
            params={"noise": noise, "horizon": horizon},
            reward_range=(0.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        if len(np.unique(s.table, axis=0)) < len(s.table):
            raise LevelError(f"{self.id}: two things have the same attributes")

    def contradiction(self, s: Any) -> str | None:
        if int(s.answers.sum()) + int(s.guessed.sum()) != s.turns:
            return "turns is not the number of answers and guesses"
        return "the game is over" if s.guessed[s.thing] and not s.terminated[0] else None

    def text(self, s: Any, agent: int) -> str:
        things, attributes = s.table.shape
        lines = ["The things and their attributes, from 0 on:"]
        lines += [f"{k:2}: {''.join(map(str, row))}{' (guessed)' * int(s.guessed[k])}" for k, row in enumerate(s.table)]
        told = [f"{j}: {no} no, {yes} yes" for j, (no, yes) in enumerate(s.answers) if no or yes]
        lines.append(f"Answers: {'; '.join(told) or 'none'}.")
        if s.guessed[s.thing] and s.terminated[0]:
            lines.append("That was right.")
        else:
            over = " It is over." if s.terminated[0] else ""
            lines.append(f"Turns so far: {s.turns} of {s.params.horizon}.{over}")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        things, attributes = s.table.shape
        scene = Scene(max(attributes * 0.6 + 2.6, 8.0), things * 0.4 + 3.2)
        for j in range(attributes):
            x, (no, yes) = 1.8 + 0.6 * j, s.answers[j].tolist()
            scene.add(Label(x, 0.5, str(j), 0.26, "muted"))
            scene.add(Label(x, 0.95, str(no) if no else "", 0.3, "red", bold=True))
            scene.add(Label(x, 1.35, str(yes) if yes else "", 0.3, "blue", bold=True))
        scene.add(Label(0.3, 0.95, "no", 0.26, "muted", "left"), Label(0.3, 1.35, "yes", 0.26, "muted", "left"))
        over = bool(s.terminated[0])
        for k in range(things):
            y = 1.9 + 0.4 * k
            if k == s.thing and (agent is None or over):
                scene.add(Rect(0.2, y - 0.19, scene.width - 0.4, 0.38, None, "gold", 0.05, radius=0.1))
            fits = likelihood(s.answers, s.guessed[k], s.table[k], float(s.params.noise)) > 0
            scene.add(Label(0.6, y, str(k), 0.26, "ink" if fits else "muted", bold=bool(fits)))
            if s.guessed[k]:
                scene.add(Label(1.15, y, "x", 0.28, "red", bold=True))
            for j in range(attributes):
                x = 1.8 + 0.6 * j
                color, signs = ("ink", "01") if fits else ("muted@0.5", ".:")
                if s.table[k, j]:
                    scene.add(Circle(x, y, 0.12, color, glyph=signs[1]))
                else:
                    scene.add(Circle(x, y, 0.1, None, color, 0.03, glyph=signs[0]))
        footer(scene, "filled: yes", "over" if over else f"turn {s.turns} of {s.params.horizon}")
        return scene


env, raw_env, parallel_env = pettingzoo_forms(TwentyQuestions)
