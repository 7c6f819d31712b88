"""UmbrellaChain: the first action decides the reward at the end of a long chain of random rewards.

**Rules.** It will rain or not, each with probability 1/2, which the agent sees. The first action takes an umbrella or
leaves it; the other actions have no effect.

**Agents.** One, `agent`.

**Observation.** Box (3 + distractors,) float32.

| part | content |
|---|---|
| 0 | 1 if it will rain |
| 1 | 1 if the agent has an umbrella; random before the first action |
| 2 | the share of the time that is left, from 1 to 0 |
| 3 .. | random bits, new in each step |

**Actions.** Discrete (2), both always legal.

| action | name |
|---|---|
| 0, 1 | `leave`, `take` |

**Window.** The arrow keys left and right stand for `leave` and `take`.

**Rewards.** 1 or -1 at random in each step but the last. In the last step 1 if the agent has an umbrella and it rains,
or neither; otherwise -1.

**Ends.** Terminates after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `horizon` | 10 | steps, from 1 to 10,000 |
| `distractors` | 0 | random bits in the observation, from 0 to 100 |

**Level.** ``{"rain": true}``: whether it will rain.

**Known values.** The best expected return is 1, that of random play 0; its standard deviation is the square root of
`horizon`.

**Differences.** None from bsuite's `UmbrellaChain`, whose `chain_length` is `horizon`.

**Source.** Osband et al., "Behaviour Suite for Reinforcement Learning", 2020; bsuite 0.3.6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.random import bernoulli
from envsuite.core.ranges import flag
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import chain
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Scene

NAMES = ("leave", "take")


def fields(distractors: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("rain", flag()),  # the level
        ("umbrella", flag()),
        ("noise", flag(), (distractors,)),  # the random bits of this step
    ]


@kernel
def distract(s):
    """Other random bits."""
    for k in range(s.noise.shape[0]):
        s.noise[k] = bernoulli(s, 0.5)


@kernel
def reset(s):
    if s.level_given == 0:
        s.rain = bernoulli(s, 0.5)
    s.umbrella = bernoulli(s, 0.5)
    distract(s)


@kernel
def step(s, actions, rewards):
    if s.t == 1:
        s.umbrella = actions[0]
    if s.t >= s.params.horizon:
        rewards[0] = 1.0 if s.umbrella == s.rain else -1.0
        s.terminated[0] = 1
    else:
        rewards[0] = 1.0 if bernoulli(s, 0.5) else -1.0
    distract(s)


@kernel
def observe(s, agent, out):
    out[0] = s.rain
    out[1] = s.umbrella
    out[2] = max(1.0 - s.t / s.params.horizon, 0.0)
    for k in range(s.noise.shape[0]):
        out[3 + k] = s.noise[k]


PAGE = Page(
    role="You leave the house, with an umbrella or without.",
    goal=(
        "In the last step you get 1 if you have an umbrella and it rains, or if you have none and it stays dry; "
        "otherwise you get -1.",
        When("more", "In each step before, you get 1 or -1 by lot, whatever you do."),
    ),
    rules=(
        (
            "You are told whether it will rain. Your first action decides whether you have an umbrella, no matter what "
            "you have before it.",
            When("more", "The other actions have no effect."),
        ),
    ),
    acts={"take": "take an umbrella, with your first action", "leave": "take none"},
    ends="It is over after {horizon:step}.",
    unsaid={"distractors": "random numbers that no text shows"},
    constants={"1": "what a step pays or costs"},
)


class UmbrellaChain(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    information = "perfect"
    masked = False
    kind = ("memory",)
    verified = "bsuite step by step; closed forms"
    variants = (dict(horizon=3, distractors=4), dict(horizon=1))
    clickable = "(?!)"
    keys = {"left": "leave", "right": "take"}
    player_page = PAGE

    def __init__(
        self, horizon: Annotated[int, Between(1, 10_000)] = 10, distractors: Annotated[int, Between(0, 100)] = 0
    ):
        self.define(
            agents=["agent"],
            actions=NAMES,
            observation=Box(0, 1, (3 + distractors,), np.float32),
            fields=fields(distractors),
            params={"horizon": horizon},
            reward_range=(-1.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        if set(level) != {"rain"} or type(level["rain"]) is not bool:
            raise LevelError(f"{self.id}: a level has 'rain', true or false, not {dict(level)!r:.60}")
        s.rain = level["rain"]

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"rain": bool(s.rain)}

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"more": s.params.horizon > 1}

    def text(self, s: Any, agent: int) -> str:
        rain = "It will rain" if s.rain else "It will not rain"
        umbrella = "you have an umbrella" if s.umbrella else "you have no umbrella"
        return f"{rain}, and {umbrella}.\n" + chain.ending(int(s.t), int(s.params.horizon), bool(s.terminated[0]))

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = chain.begun("UmbrellaChain", int(s.t), int(s.params.horizon), bool(s.terminated[0]))
        chain.card(scene, 4.5, 3.4, "rain" if s.rain else "dry", "weather at the end", "blue" if s.rain else "orange")
        chain.card(scene, 11.5, 3.4, "yes" if s.umbrella else "no", "umbrella", "ink")
        return scene


env, raw_env, parallel_env = pettingzoo_forms(UmbrellaChain)
