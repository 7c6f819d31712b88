"""MemorySequence: say a hidden sequence of letters in trial after trial, with less and less help of a demonstrator.

**Rules.** A hidden sequence has `length` letters of `symbols` kinds, each drawn uniformly. An episode has `trials`
trials. In each trial, the agent says the letters in their order. A right letter leads to the next place. A wrong one
ends the trial, and so does the last letter. The sequence stays the same in all trials.

Before each act, the agent may see what the demonstrator says at this place: in trial k of 0 ... `trials` - 1 with
probability (`trials` - 1 - k) / (`trials` - 1), drawn for each place. So it sees the demonstrator at all places of the
first trial and never in the last one. A single trial counts as a first one.

*Generations.* With `generations` = 0, the demonstrator knows the sequence. Otherwise the sequence stays the same for
that many episodes in a row, and the demonstrator of an episode is the learner of the one before: it says the letters of
that learner's best trial, without the wrong one. It shows nothing beyond them, and nothing in the first generation. An
episode that was left before its end changes no demonstrator. A reset with a seed or a level begins with a new sequence,
as does the episode after the last generation.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| shown | Box (1,) int8 | what the demonstrator says at this place; -1 if it is not seen |
| own | Box (1,) int8 | the last act; -1 before the first |
| paid | Box (1,) float64 | what it paid |
| place | Box (1,) int16 | letters said in this trial |
| trial | Box (2,) int16 | trials that are over, and `trials` |
| generation | Box (2,) int32 | the number of this generation, from 1, and `generations` |

**Actions.** Discrete (symbols), all of them always legal.

| action | name |
|---|---|
| k | `A`, `B`, `C`, ... |

**Window.** The keys of the letters say them.

**Rewards.** 1 for a right letter, -1 for a wrong one.

**Ends.** Terminates with the last trial.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `symbols` | 10 | kinds of letters, from 2 to 26 |
| `length` | 24 | letters of the sequence, from 1 to 100 |
| `trials` | 4 | number of trials, from 1 to 1000 |
| `generations` | 0 | episodes with the same sequence; 0 for a demonstrator that knows it; to 1,000,000 |

**Level.** ``{"sequence": "HBCA..."}``, with `length` letters.

**Known values.** An agent that says the right letter with probability q at each place earns (1 - q^L) (q / (1 - q) - 1)
in a trial of length L on average. Random play has q = 1 / `symbols` and earns -0.889 in a trial by default. An agent
that follows the demonstrator where it sees it, and otherwise guesses, has q = v + (1 - v) / `symbols` where the
demonstrator is visible with probability v. An agent that remembers the first trial earns L in each trial.

With `generations`, an agent that remembers what was right and wrong, and otherwise guesses, earns -2.76 in the first
generation by dynamic programming.

**Differences.** From the code of FLAIROx/cultural-accumulation:

- There, the first place of a trial is seen with the probability of the trial before it.
- There, generations are made by the training, whose last network acts as the demonstrator. Here, the record of the last
  episode does, so any policy can be a generation.
- The observation also counts places, trials and generations, and a wrong letter is seen by what it paid.
- Generations has this task with several guides that are agents, and with fewer kinds of letters.

**Source.** Cook, Lu, Hughes, Leibo and Foerster, "Artificial Generational Intelligence: Cultural Accumulation in
Reinforcement Learning", 2024, and its code, FLAIROx/cultural-accumulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, sqrt
from typing import Annotated, Any

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.ranges import below, fixed, lifetime
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import trials as kit
from envsuite.kit.trials import GENERATIONS, NONE, TRIALS, after, begin, fresh, observe
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Scene
from envsuite.render.theme import agent_color

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

#: The longest sequence.
LONGEST = 100


def fields(symbols: int, length: int, trials: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("sequence", below(np.int8, symbols), (length,)),  # level: the hidden letters
        ("task", lifetime(below(np.int8, symbols)), (length,)),  # the same, for the next generation
        *kit.fields(symbols, length, trials),
    ]


@kernel
def reset(s):
    new = fresh(s)
    for p in range(s.sequence.shape[0]):
        if not new:
            s.sequence[p] = s.task[p]
        elif s.level_given == 0:
            s.sequence[p] = random.randint(s, s.params.symbols)
        s.task[p] = s.sequence[p]
        if s.params.generations == 0:
            s.kept[p] = s.sequence[p]
    begin(s, new)


@kernel
def step(s, actions, rewards):
    wrong = actions[0] != s.sequence[s.place]
    after(s, actions[0], -1.0 if wrong else 1.0, wrong, rewards)


PAGE = Page(
    role="You say a hidden sequence of {length:letter}.",
    goal="Each right letter pays you 1, and each wrong one costs you 1.",
    rules=(
        (
            "Each letter of the sequence is one of {symbols}, A to {last}, drawn by lot. You have {trials:trial}. In a "
            "trial you say the letters of the sequence in their order, one in a turn. A wrong letter ends the trial, "
            "and so does the last letter.",
            When("more", "The sequence stays the same in all trials."),
        ),
        (
            "{seen}",
            When(
                "generations",
                "The sequence stays the same for {generations:game} in a row, one for each generation of learners. "
                "The demonstrator repeats what the learner of the generation before you said in its best trial, "
                "without a wrong letter, and shows nothing beyond that. In generation 1 it shows nothing.",
                "The demonstrator knows the sequence.",
            ),
        ),
    ),
    sees="You see the letters that you have said in this trial, and what your last letter paid.",
    acts={"{LETTER}": "say this letter"},
    ends=When("more", "It is over with the last trial.", "It is over with the trial."),
    constants={"1": "what a letter pays or costs, and the first generation"},
)


class MemorySequence(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("memory",)
    verified = "closed forms of random play and of an imitator; a dynamic program of learning without a demonstrator"
    variants = (dict(symbols=3, length=5, trials=3, generations=3), dict(trials=1, length=1))
    shown = "memory"
    clickable = "(?!)"
    player_page = PAGE

    def __init__(
        self,
        symbols: Annotated[int, Between(2, len(LETTERS))] = 10,
        length: Annotated[int, Between(1, LONGEST)] = 24,
        trials: Annotated[int, Between(1, TRIALS)] = 4,
        generations: Annotated[int, Between(0, GENERATIONS)] = 0,
    ):
        self.level_fields = {"sequence": ("sequence", LETTERS[:symbols])}
        self.keys = {letter.lower(): letter for letter in LETTERS[:symbols]}
        self.define(
            agents=["agent"],
            actions=list(LETTERS[:symbols]),
            observation=kit.space(symbols, length, trials),
            fields=fields(symbols, length, trials),
            params={"symbols": fixed(symbols), "generations": generations},
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        return kit.contradiction(s)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        trials = len(s.totals)
        return {"last": self.action_names[0][-1], "more": trials > 1, "seen": kit.seen_in(trials)}

    def text(self, s: Any, agent: int) -> str:
        return "\n".join(kit.told(s, self.action_names[0], "says"))

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = kit.begun(s, "MemorySequence", LETTERS, float(len(s.route)))
        columns = max(6, ceil(sqrt(2.6 * len(s.route))))
        rows = ceil(len(s.route) / columns)
        size = min(1.4, 13 / columns, 5.4 / rows)
        left, top = 7.3 - columns * size / 2, 5.2 - rows * size / 2
        said = "the hidden sequence" if agent is None else "the letters of this trial"
        scene.add(Label(0.8, 1.95, said, 0.38, "muted", "left"))
        for p, made in enumerate(s.route.tolist()):
            letter = made if agent is not None else int(s.sequence[p])
            here = p == s.place and not s.terminated[0]
            color = agent_color(letter) if made != NONE else "white"
            x, y = left + size * (p % columns + 0.5), top + size * (p // columns + 0.5)
            kit.tile(
                scene, x, y, 0.9 * size, LETTERS[letter] if letter != NONE else "", color, "gold" if here else "line"
            )
        return scene


env, raw_env, parallel_env = pettingzoo_forms(MemorySequence)
