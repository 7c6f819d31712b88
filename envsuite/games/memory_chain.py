"""MemoryChain: remember bits that are shown at the beginning, and answer which one is asked for at the end.

**Rules.** An episode begins with `bits` random bits, which the agent sees before its first two actions. It sees the
number of one of them, the question, before its last action, and `length` actions come before that. The last
action is the answer; all others have no effect.

**Agents.** One, `agent`.

**Observation.** Box (2 + bits,) float32.

| part | content |
|---|---|
| 0 | the share of the time that is left, from 1 to 1 / length |
| 1 | the number of the bit that is asked for, before the last action; otherwise 0 |
| 2 .. | the bits, 1 or -1, before the first two actions; otherwise 0 |

**Actions.** Discrete (2), both always legal.

| action | name |
|---|---|
| 0, 1 | `zero`, `one` |

**Window.** The arrow keys left and right stand for `zero` and `one`.

**Rewards.** At the end 1 for the bit that is asked for, otherwise -1.

**Ends.** Terminates after `length` + 1 actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `length` | 10 | actions before the last one, from 1 to 10,000 |
| `bits` | 1 | from 1 to 100 |

**Level.** ``{"bits": [1, 0, 1], "question": 2}``: the bits, and which one is asked for.

**Known values.** Random play earns 0 on average; the baseline "memory" earns 1.

**Differences.** None from bsuite's `MemoryChain`.

**Source.** Osband et al., "Behaviour Suite for Reinforcement Learning", 2020; bsuite 0.3.6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import below, flag
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import chain
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Scene

NAMES = ("zero", "one")


def fields(bits: int) -> list[tuple]:
    """The record's own fields: the level."""
    return [
        ("bits", flag(), (bits,)),
        ("question", below(np.int64, bits)),  # which of them is asked for
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        for k in range(s.bits.shape[0]):
            s.bits[k] = bernoulli(s, 0.5)
        s.question = randint(s, s.bits.shape[0])


@kernel
def step(s, actions, rewards):
    if s.t > s.params.length:
        rewards[0] = 1.0 if actions[0] == s.bits[s.question] else -1.0
        s.terminated[0] = 1


@kernel
def seen_at(s):
    """The step whose observation is seen: as in bsuite, the first one is seen twice."""
    return max(s.t - 1, 0)


@kernel
def observe(s, agent, out):
    t = seen_at(s)
    out[0] = 1.0 - t / s.params.length
    out[1] = s.question if t == s.params.length - 1 else 0
    for k in range(s.bits.shape[0]):
        out[2 + k] = 2.0 * s.bits[k] - 1.0 if t == 0 else 0.0


PAGE = Page(
    role=When("more", "You remember {bits:bit}, each 0 or 1.", "You remember a bit, 0 or 1."),
    goal="A right answer at the end pays you 1, and a wrong one -1.",
    rules=(
        (
            When("more", "The bits are", "The bit is"),
            "drawn by lot and shown to you before your first action and once more before the second one. All "
            "actions but the last one have no effect. Before the last action you are asked for",
            When("more", "one of the bits by its number; the first bit has the number 0.", "the bit; its number is 0."),
            "The last action is your answer.",
        ),
    ),
    acts={
        "zero": "answer that the bit is 0",
        "one": "answer that the bit is 1",
    },
    ends="It is over with your answer, after {actions} actions.",
    constants={"0": "a bit, and the number of the first one", "1": "a bit, and what an answer pays"},
)


class MemoryChain(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    paid_at_end = True
    kind = ("memory",)
    verified = "bsuite step by step; closed forms"
    variants = (dict(length=3, bits=4), dict(length=1))
    clickable = "(?!)"
    keys = {"left": "zero", "right": "one"}
    player_page = PAGE
    level_fields = ("bits", "question")

    def __init__(self, length: Annotated[int, Between(1, 10_000)] = 10, bits: Annotated[int, Between(1, 100)] = 1):
        low, high = np.full(2 + bits, -1, np.float32), np.ones(2 + bits, np.float32)
        low[:2], high[1] = 0, bits - 1 or 1
        self.define(
            agents=["agent"],
            actions=NAMES,
            observation=Box(low, high, dtype=np.float32),
            fields=fields(bits),
            params={"length": length},
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        return "the question has been answered" if s.t > s.params.length and not s.terminated[0] else None

    def displayed(self, s: Any) -> tuple[str, str]:
        """The bits and the question as they are seen now, "" where they are not."""
        t = int(seen_at(s))
        bits = " ".join(str(int(bit)) for bit in s.bits) if t == 0 else ""
        return bits, str(int(s.question)) if t == s.params.length - 1 else ""

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"more": len(s.bits) > 1, "actions": int(s.params.length) + 1}

    def text(self, s: Any, agent: int) -> str:
        bits, question = self.displayed(s)
        lines = [f"The bits, from number 0 on: {bits}."] if bits else []
        lines += [f"What is the bit with the number {question}?"] if question else []
        over = bool(s.terminated[0])
        return "\n".join([*lines, chain.ending(int(s.t), int(s.params.length) + 1, over)])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = chain.begun("MemoryChain", int(s.t), int(s.params.length) + 1, bool(s.terminated[0]))
        bits, question = self.displayed(s)
        chain.card(scene, 4.5, 3.4, bits or "?", "bits", "blue" if bits else "muted")
        color = "orange" if question else "muted"
        chain.card(scene, 11.5, 3.4, f"no. {question}" if question else "?", "question", color)
        return scene


env, raw_env, parallel_env = pettingzoo_forms(MemoryChain)
