"""PixelDebate: two debaters show a judge a few pixels of a digit; one says what it is, the other lies.

**Rules.** Both debaters see the image of a handwritten digit and know what it is. debater_0 claims that digit and
debater_1 another one. One of them, drawn at the start, begins, and they reveal pixels in turn, none of them black,
until `reveals` are revealed. The judge sees these pixels only. It is a small network that gives each of the ten digits
a score. The debater whose claim has the higher score wins.

`claims` says how debater_1 makes its claim:

- "drawn": it is one of the nine wrong digits, with the same probability for each.
- "chosen": debater_1 chooses it before any pixel is revealed.
- "none": it makes none. debater_0 wins if the true digit has the highest score of all ten, and debater_1 otherwise.

**Agents.** `debater_0` is honest, `debater_1` is the liar.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| image | Box (8, 8) int8 | the pixels, from 0 (black) to 16, from the top left |
| revealed | Box (8, 8) int8 | 0 hidden, 1 revealed by the observer, 2 by the other |
| facts | Box (4,) int8 | the true digit, the claim of debater_1 (-1: none), the observer's number, pixels to reveal |

**Actions.** Discrete (64), with `claims="chosen"` Discrete (74). Only the debater to move has legal actions.

| action | name | legal |
|---|---|---|
| 8 r + c | `reveal row r+1, column c+1` | while the pixel is hidden, if it is not black |
| 64 + d | `claim d` | for debater_1 at the start, if d is not the true digit |

**Window.** A click on a pixel reveals it. The keys 0 to 9 claim a digit.

**Rewards.** +1 to the winner and -1 to the other at the end; 0 for both if the two claims have equal scores.

**Ends.** Terminates when `reveals` pixels are revealed.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `reveals` | 6 | pixels that are revealed in all, an even number from 2 to 16 |
| `claims` | "drawn" | "drawn", "chosen" or "none" |

**Level.** ``{"image": [[0, 0, 5, ...], ...], "digit": 3, "claim": 8, "first": 1}``: 8 rows of 8 pixels, at least
`reveals` of them not black; the true digit, the claim of debater_1 if it is drawn, and the number of the debater that
begins. Without a level, the image is one of 400.

**Known values.** Of random pixels that are not black, 4 let the judge name the digit in .48 of the images and 6 in .61
(the paper with MNIST: .48, .59). debater_0 wins with this probability (4,000 games of each, errors below .008):

| debater_0, debater_1 | 4 pixels, drawn | chosen | none | 6 pixels, drawn | chosen | none |
|---|---|---|---|---|---|---|
| `greedy`, `greedy` | .982 | .921 | .542 | .985 | .932 | .708 |
| `greedy`, `random` | 1 | 1.000 | .946 | 1 | 1.000 | .979 |
| `random`, `greedy` | .366 | .198 | .052 | .448 | .234 | .102 |
| `random`, `random` | .864 | .858 | .495 | .904 | .907 | .612 |

**Differences.** The paper has no code; its debates are about MNIST's images.

- The images are the smaller ones that come with scikit-learn: 400 that the judge did not see. The judge was trained on
  the other 1,397, each with 3 to 8 random pixels that are not black. Its weights are whole numbers, so that its scores
  are the same everywhere.
- The judge's network has two hidden layers of 64 and 32 units; the paper's is a convolutional one.

**Source.** Irving, Christiano and Amodei, "AI safety via debate", 2018. Alpaydin and Kaynak, "Optical Recognition of
Handwritten Digits", UCI Machine Learning Repository, 1998 (CC BY 4.0), for the images.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import exact_parts, read_integer, read_numbers
from envsuite.core.page import Case, Page, When
from envsuite.core.random import randint
from envsuite.core.ranges import below, free, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene, footer
from envsuite.render.theme import agent_color

SIDE = 8
PIXELS, DIGITS = SIDE * SIDE, 10

#: How debater_1 makes its claim.
CLAIMS = ("drawn", "chosen", "none")
DRAWN, CHOSEN, NO_CLAIM = range(3)

# Made by tests/data/recorders/digits_judge.py.
with np.load(Path(__file__).with_suffix(".npz"), allow_pickle=False) as _made:
    #: (400, 64) the images, from 0 to 16, and (400,) what they are.
    IMAGES, LABELS = _made["images"], _made["labels"]
    #: (64, units) what a revealed pixel adds to the judge's first layer, and how much more for each unit of brightness.
    PIXEL, VALUE = _made["pixel"].astype(np.int32), _made["value"].astype(np.int32)
    #: (units 2, units 1) and (digits, units 2) the weights of the later layers.
    SECOND, THIRD = _made["second"].astype(np.int32), _made["third"].astype(np.int32)
    BIAS_1, BIAS_2, BIAS_3 = _made["bias_1"], _made["bias_2"], _made["bias_3"]

#: Scores as an output of the network: this many are 1.
SCALE = 128 * 256


def fields(reveals: int) -> list[tuple]:
    """The record."""
    return [
        ("image", within(np.int8, 0, 16), (PIXELS,)),  # the level: this, the true digit, the claim and who begins
        ("digit", below(np.int64, DIGITS)),
        ("drawn", within(np.int64, -1, DIGITS - 1)),  # -1 if it is not drawn
        ("first", below(np.int64, 2)),
        ("claim", within(np.int64, -1, DIGITS - 1)),  # of debater_1, or -1
        ("revealed", within(np.int8, 0, 2), (PIXELS,)),  # 0, or 1 + the debater that revealed it
        ("turn", within(np.int64, 0, reveals)),  # pixels revealed so far
        ("sums", free(np.int32), (len(BIAS_1),)),  # the judge's first layer, before what is negative becomes 0
        ("scores", free(np.int64), (DIGITS,)),  # the judge's at the end, 0 before
    ]  # fmt: skip


@kernel
def reset(s):
    if not s.level_given:
        image = randint(s, IMAGES.shape[0])
        for k in range(PIXELS):
            s.image[k] = IMAGES[image, k]
        s.digit = LABELS[image]
        s.drawn = -1
        if s.params.claims == DRAWN:
            s.drawn = (s.digit + 1 + randint(s, DIGITS - 1)) % DIGITS
        s.first = randint(s, 2)
    s.claim = s.drawn
    s.turn = 0
    fill(s.revealed, 0)
    clear(s.sums)
    fill(s.scores, 0)


# The judge.


@kernel
def clear(sums):
    """Nothing is revealed: the judge's first layer has its biases."""
    for i in range(sums.shape[0]):
        sums[i] = BIAS_1[i]


@kernel
def add_pixel(sums, pixel, brightness):
    """Add a revealed pixel to the judge's first layer."""
    for i in range(sums.shape[0]):
        sums[i] += PIXEL[pixel, i] + VALUE[pixel, i] * brightness


@large_kernel
def judge(sums, scores):
    """Write the scores of all digits, given the first layer."""
    for digit in range(DIGITS):
        scores[digit] = BIAS_3[digit]
    for j in range(SECOND.shape[0]):
        total = BIAS_2[j]
        for i in range(SECOND.shape[1]):
            total += (max(sums[i], np.int32(0)) >> 5) * SECOND[j, i]
        for digit in range(DIGITS):
            scores[digit] += (max(total, np.int32(0)) >> 8) * THIRD[digit, j]


@kernel
def margin(scores, digit, claim):
    """By how much debater_0 is ahead: of the claim, or of all other digits if there is none."""
    if claim >= 0:
        return scores[digit] - scores[claim]
    best = scores[(digit + 1) % DIGITS]
    for other in range(DIGITS):
        if other != digit:
            best = max(best, scores[other])
    return scores[digit] - best


# Moves.


@kernel
def mover(s):
    """The debater to move."""
    return 1 if waits(s) else (s.first + s.turn) % 2


@kernel
def waits(s):
    """Whether debater_1 has to choose its claim."""
    return s.params.claims == CHOSEN and s.claim < 0


@kernel
def step(s, actions, rewards):
    player = mover(s)
    action = actions[player]
    if action >= PIXELS:
        s.claim = action - PIXELS
        return
    s.revealed[action] = 1 + player
    s.turn += 1
    add_pixel(s.sums, action, s.image[action])
    if s.turn == s.params.reveals:
        judge(s.sums, s.scores)
        ahead = margin(s.scores, s.digit, s.claim)
        if ahead != 0 or s.claim < 0:
            rewards[0] = 1.0 if ahead > 0 else -1.0
            rewards[1] = -rewards[0]
        s.terminated[0] = 1
        s.terminated[1] = 1


@kernel
def observe(s, agent, out):
    for k in range(PIXELS):
        out.image.flat[k] = s.image[k]
        out.revealed.flat[k] = 0 if s.revealed[k] == 0 else 1 if s.revealed[k] == 1 + agent else 2
    out.facts[0] = s.digit
    out.facts[1] = s.claim
    out.facts[2] = agent
    out.facts[3] = s.params.reveals - s.turn


@kernel
def legal(s, agent, mask):
    if s.turn == s.params.reveals or mover(s) != agent:
        return
    if waits(s):
        for digit in range(DIGITS):
            mask[PIXELS + digit] = digit != s.digit
    else:
        for k in range(PIXELS):
            mask[k] = s.image[k] > 0 and s.revealed[k] == 0


PAGE = Page(
    role=(
        "You debate against {others} before a judge about the image of a handwritten digit.",
        When(
            "liar",
            (
                "The other debater claims the true digit.",
                Case(
                    "claims",
                    {
                        "drawn": "You claim another one, which was drawn by lot.",
                        "chosen": "You claim another one, which you choose.",
                        "none": "You deny that, and claim no other one.",
                    },
                ),
            ),
            (
                "You claim the true digit.",
                Case(
                    "claims",
                    {
                        "drawn": "The other debater claims another one, which was drawn by lot.",
                        "chosen": "The other debater claims another one, which it chooses.",
                        "none": "The other debater denies that, and claims no other one.",
                    },
                ),
            ),
        ),
    ),
    goal=(
        "A win pays you +1, and a loss -1.",
        Case(
            "claims",
            {
                "none": When(
                    "liar",
                    "You win unless the judge gives the true digit a higher score than all others.",
                    "You win if the judge gives the true digit a higher score than all others.",
                )
            },
            "The debater whose claim gets the higher score from the judge wins. If the scores are equal, both get 0.",
        ),
    ),
    rules=(
        "The image has 8 x 8 pixels, from 0 (black) to 16 (white). Both debaters see it and know the true digit. The "
        "judge is a program. It sees only the pixels that you two reveal, and from them it gives each of the ten "
        "digits a score.",
        (
            When("chosen", "First debater_1 chooses its claim."),
            "One of you, drawn by lot, reveals the first pixel. Then you take turns, until {reveals:pixel} are "
            "revealed in all. In each turn one pixel is revealed that is still hidden and not black.",
        ),
    ),
    sees="You both see the whole image, which pixels are revealed, and the claims.",
    acts={
        "reveal row {R}, column {C}": "reveal the pixel in row R from the top and column C from the left",
        "claim {DIGIT}": When("liar", When("chosen", "claim a wrong digit, before any pixel is revealed")),
    },
    ends="The debate is over when the last of these pixels is revealed.",
    constants={
        "1": "a reward",
        "0": "a reward, and a black pixel",
        "8": "rows and columns",
        "16": "the brightest pixel",
        "two": "debaters",
        "ten": "digits",
    },
)


class PixelDebate(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    kind = ("debate",)
    verified = "the paper's order of results; a second implementation of the judge"
    variants = (dict(reveals=4, claims="chosen"), dict(reveals=2, claims="none"))
    shown = "greedy"
    keys = {str(digit): f"claim {digit}" for digit in range(DIGITS)}
    player_page = PAGE

    def __init__(
        self,
        reveals: Annotated[int, Between(2, 16)] = 6,
        claims: Literal["drawn", "chosen", "none"] = "drawn",
    ):
        if reveals % 2:
            raise ParameterError(f"PixelDebate: reveals={reveals} must be even")
        names = [f"reveal row {k // SIDE + 1}, column {k % SIDE + 1}" for k in range(PIXELS)]
        if claims == "chosen":
            names += [f"claim {digit}" for digit in range(DIGITS)]
        last = np.array([DIGITS - 1, DIGITS - 1, 1, reveals], np.int8)
        self.define(
            agents=["debater_0", "debater_1"],
            actions=names,
            observation=Dict(
                {
                    "image": Box(0, 16, (SIDE, SIDE), np.int8),
                    "revealed": Box(0, 2, (SIDE, SIDE), np.int8),
                    "facts": Box(np.array([0, -1, 0, 0], np.int8), last, dtype=np.int8),
                }
            ),
            fields=fields(reveals),
            params={"reveals": reveals, "claims": CLAIMS.index(claims)},
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        shown, turns = s.revealed > 0, int(s.turn)
        if any((s.revealed == 1 + k).sum() != (turns + (s.first == k)) // 2 for k in range(2)):
            return "the debaters have not revealed as many pixels as they had moves"
        if (shown & (s.image == 0)).any() or (s.image > 0).sum() < s.params.reveals:
            return "a black pixel is revealed, or too many are black"
        if s.digit in (s.drawn, s.claim) or (s.drawn >= 0) != (s.params.claims == DRAWN):
            return "the claim is none that debater_1 can make"
        if s.params.claims != CHOSEN and s.claim != s.drawn or waits(s) and turns > 0:
            return "debater_1 has made another claim"
        if (s.sums != BIAS_1 + PIXEL[shown].sum(0) + (VALUE[shown] * s.image[shown, None]).sum(0)).any():
            return "the judge has seen other pixels"
        over = turns == s.params.reveals
        if s.scores.tolist() != (self.scores(s) if over else [0] * DIGITS):
            return "the judge gives other scores"
        return "the debate is over" if over and not s.terminated[0] else None

    def scores(self, s: Any) -> list[int]:
        """The judge's scores for what is revealed so far."""
        found = np.zeros(DIGITS, np.int64)
        judge(s.sums, found)
        return found.tolist()

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        drawn = s.params.claims == DRAWN
        parts = ["image", "digit", *(["claim"] if drawn else []), "first"]
        exact_parts(self.id, level, *parts)
        pixels = read_numbers(level["image"], f"{self.id}: the level's image", (SIDE, SIDE), 0, 16, whole=True).ravel()
        if np.count_nonzero(pixels) < s.params.reveals:
            raise LevelError(f"{self.id}: fewer than {s.params.reveals} pixels of 'image' are not black")
        for name, end in (("digit", DIGITS), ("claim", DIGITS), ("first", 2)):
            if name in parts:
                read_integer(level[name], f"{self.id}: the level's {name}", 0, end - 1)
        if drawn and level["claim"] == level["digit"]:
            raise LevelError(f"{self.id}: debater_1 claims {level['claim']}, which is true")
        s.image[:] = pixels
        s.digit, s.first, s.drawn = level["digit"], level["first"], level["claim"] if drawn else -1

    def get_level(self, s: Any) -> dict[str, Any]:
        claim = {"claim": int(s.drawn)} if s.drawn >= 0 else {}
        return {"image": s.image.reshape(SIDE, SIDE).tolist(), "digit": int(s.digit), **claim, "first": int(s.first)}

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"liar": agent == 1, "chosen": self.parameters["claims"] == "chosen"}

    def text(self, s: Any, agent: int) -> str:
        lines = [
            f"The image is {said(s.digit)}. {self._claims(s, agent)}",
            "Pixels from 0 (black) to 16 (white), the revealed ones in brackets:",
        ]
        lines.append("      " + "".join(f"{c + 1:>5}" for c in range(SIDE)))
        for r in range(SIDE):
            row = range(SIDE * r, SIDE * r + SIDE)
            cells = [f"[{s.image[k]}]" if s.revealed[k] else f"{s.image[k]} " for k in row]
            lines.append(f"row {r + 1}:" + "".join(f"{cell:>5}" for cell in cells))
        lines.append(self._state(s, agent))
        return "\n".join(lines)

    def _claims(self, s: Any, agent: int) -> str:
        lie = said(s.claim) if s.claim >= 0 else "something that it has yet to choose"
        if s.params.claims == NO_CLAIM:
            return f"You win if the judge {'says so' if agent == 0 else 'says something else'}."
        if agent == 0:
            return f"You say so; the other says that it is {lie}."
        return f"The other says so; you say that it is {lie.replace('it has', 'you have')}."

    def _state(self, s: Any, agent: int) -> str:
        if s.terminated[0]:
            ahead = margin(s.scores, s.digit, s.claim) * (1, -1)[agent]
            ranked = ", ".join(f"{digit}: {s.scores[digit] / SCALE:.2f}" for digit in np.argsort(-s.scores))
            end = "You win." if ahead > 0 or (ahead == 0 and s.claim < 0 and agent) else "You lose."
            return f"The judge's scores: {ranked}. {'Nobody wins.' if ahead == 0 and s.claim >= 0 else end}"
        ask = "It is the other's turn."
        if mover(s) == agent:
            ask = "Choose your claim." if waits(s) else "Reveal a pixel."
        return f"Pixels to reveal: {s.params.reveals - s.turn}. {ask}"

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(22.5, 10.6)
        for left, judged in ((0.5, False), (9.5, True)):
            scene.add(Rect(left - 0.1, 1.1, SIDE + 0.2, SIDE + 0.2, "black", radius=0.15))
            scene.add(Label(left, 0.55, "what the judge sees" if judged else "the image", 0.5, "muted", align="left"))
            for k in range(PIXELS):
                x, y, who = left + k % SIDE, 1.2 + k // SIDE, int(s.revealed[k]) - 1
                if s.image[k] and (who >= 0 or not judged):
                    shade = f"white@{0.12 + 0.055 * int(s.image[k]):.3f}"
                    scene.add(Rect(x + 0.04, y + 0.04, 0.92, 0.92, shade, glyph="0123456789abcdefg"[s.image[k]]))
                if who >= 0:
                    scene.add(Rect(x + 0.08, y + 0.08, 0.84, 0.84, None, agent_color(who), 0.14, glyph="ox"[who]))
        if agent is None or s.terminated[0]:  # debaters learn the scores at the end
            self._draw_scores(scene, s)
        claim = "" if s.params.claims == NO_CLAIM else f", debater_1 says {s.claim if s.claim >= 0 else '?'}"
        note = "over" if s.terminated[0] else f"debater_{mover(s)} moves, {s.params.reveals - s.turn} to reveal"
        footer(scene, f"debater_0 says {s.digit}{claim}", note)
        return scene

    def _draw_scores(self, scene: Scene, s: Any) -> None:
        """What the judge thinks of each digit so far, as probabilities."""
        scores = np.array(self.scores(s)) / SCALE
        parts = np.exp(scores - scores.max())
        for digit, part in enumerate((parts / parts.sum()).tolist()):
            y = 1.1 + 0.82 * digit
            color = agent_color(0) if digit == s.digit else agent_color(1) if digit == s.claim else "grey"
            scene.add(Label(18.4, y + 0.4, str(digit), 0.55, "ink", bold=digit in (s.digit, s.claim)))
            scene.add(Rect(18.8, y + 0.1, 0.05 + 3.1 * part, 0.6, color, glyph=""))

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        column, row = math.floor(x - 0.5), math.floor(y - 1.2)
        return SIDE * row + column if 0 <= column < SIDE and 0 <= row < SIDE else None


def said(digit: int) -> str:
    return f"an {digit}" if digit == 8 else f"a {digit}"


env, raw_env, parallel_env = pettingzoo_forms(PixelDebate)
