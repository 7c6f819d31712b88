"""DiscountingChain: the first action chooses when a reward comes; one of the five is a little larger.

**Rules.** The first action chooses one of five chains, whose reward comes in step 1, 3, 10, 30 or 100. The other
actions have no effect.

**Agents.** One, `agent`.

**Observation.** Box (2,) float32.

| part | content |
|---|---|
| 0 | the chain, -1 before the first action |
| 1 | the share of the steps that are done, from 0 to 1 |

**Actions.** Discrete (5), all of them always legal.

| action | name |
|---|---|
| 0 .. 4 | `step 1`, `step 3`, `step 10`, `step 30`, `step 100` |

**Window.** The keys 1 to 5 choose.

**Rewards.** 1 in the step of the chosen chain; 1.1 if it is the chain `bonus`.

**Ends.** Terminates after 100 steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `bonus` | 0 | number of the chain whose reward is larger, from 0 to 4 |

**Known values.** The best return is 1.1, that of random play 1.02. With a discount g a step, chain 4 with the bonus is
better than chain 0 if 1.1 g^99 > 1, for g above 0.99904.

**Differences.** None from bsuite's `DiscountingChain`, whose `mapping_seed` is `bonus`.

**Source.** Osband et al., "Behaviour Suite for Reinforcement Learning", 2020; bsuite 0.3.6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.kernel import kernel
from envsuite.core.page import Page
from envsuite.core.ranges import within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import chain
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Scene

#: The steps in which the chains pay, and the length of an episode.
PAID = (1, 3, 10, 30, 100)
LENGTH = 100
NAMES = tuple(f"step {step}" for step in PAID)


def fields() -> list[tuple]:
    """The record's own fields."""
    return [("chain", within(np.int64, -1, len(PAID) - 1))]  # the chosen chain, -1 before the first action


@kernel
def reset(s):
    s.chain = -1


@kernel
def step(s, actions, rewards):
    if s.chain < 0:
        s.chain = actions[0]
    if s.t == PAID[s.chain]:
        rewards[0] = 1.1 if s.chain == s.params.bonus else 1.0
    s.terminated[0] = s.t >= LENGTH


@kernel
def observe(s, agent, out):
    out[0] = s.chain
    out[1] = min(s.t / LENGTH, 1.0)


PAGE = Page(
    role="You choose when to be paid.",
    goal="One payment comes to you. It is 1, or 1.1 if you choose the one that is larger than the others.",
    rules=(
        "The game has {length} steps. Your first action chooses one of {count} payments, which come in the steps "
        "{steps}. All other actions have no effect; you only wait until the game is over.",
    ),
    sees="One of the payments is larger than the others. You are not told which.",
    acts={"step {N}": "choose the payment that comes in step N, with your first action"},
    ends="The game is over after {length} steps, whatever you have chosen.",
    unsaid={"bonus": "which payment is larger is what must be found out"},
    constants={"1": "a payment", "1.1": "the larger payment"},
)


class DiscountingChain(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    chance = False
    information = "perfect"
    masked = False
    kind = ("memory",)
    verified = "bsuite step by step; closed forms"
    variants = (dict(bonus=4),)
    clickable = "(?!)"
    keys = {str(k + 1): name for k, name in enumerate(NAMES)}
    player_page = PAGE

    def __init__(self, bonus: Annotated[int, Between(0, len(PAID) - 1)] = 0):
        self.define(
            agents=["agent"],
            actions=NAMES,
            observation=Box(np.array([-1, 0], np.float32), np.array([len(PAID) - 1, 1], np.float32)),
            fields=fields(),
            params={"bonus": bonus},
            reward_range=(0.0, 1.1),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"length": LENGTH, "count": len(PAID), "steps": PAID}

    def text(self, s: Any, agent: int) -> str:
        if s.chain < 0:
            what = "You have not chosen yet."
        else:
            when = "comes" if s.t < PAID[s.chain] else "came"
            what = f"You have chosen the payment that {when} in step {PAID[s.chain]}."
        return f"{what}\n" + chain.ending(int(s.t), LENGTH, bool(s.terminated[0]))

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = chain.begun("DiscountingChain", int(s.t), LENGTH, bool(s.terminated[0]))
        for k, step in enumerate(PAID):
            caption, color = ("chosen", "orange") if k == s.chain else ("step", "muted")
            chain.card(scene, 1.9 + 3.05 * k, 3.4, str(step), caption, color)
        return scene


env, raw_env, parallel_env = pettingzoo_forms(DiscountingChain)
