"""CombinationLock: press the right button in every step; a wrong one may pay a little at once and loses the prize.

**Rules.** The lock has `length` steps with `actions` buttons. In each step the agent is in one of two good chains or in
the dead chain. It begins in a random good chain. Each step of a good chain has a right button. It leads to the next
step: with probability `swap` in the other good chain, otherwise in the same one. A wrong button leads to the next step
of the dead chain, where no button matters. The right button in the last step opens the lock.

The right buttons are those of lock number `lock`, the same in all episodes. `lock` = 0 draws new ones in each episode.

An agent has `tries` tries in an episode. It sees how a try ends. If tries are left, its next action, which can be any,
begins the next one with the same right buttons.

**Agents.** One, `agent`.

**Observation.** Box (size,) float32, where size is the smallest power of 2 that is at least `length` + 4. It is the
product of Sylvester's Hadamard matrix of this size and the vector below. To each of the first `length` + 4 entries of
the vector a normal number with the standard deviation `noise` is added first.

| entry of the vector | content |
|---|---|
| 0, 1, 2 | 1 for the first good chain, the second one, or the dead chain; otherwise 0 |
| 3 .. 3 + `length` | 1 for the step, from 0, or `length` at the end of a try; otherwise 0 |
| all others | 0 |

Texts and pictures show the chain and the step that an observation most probably comes from.

**Actions.** Discrete (actions), all of them always legal.

| action | name |
|---|---|
| 0, 1, .. | `press 0`, `press 1`, .. |

**Window.** The keys 0 to 9 press a button.

**Rewards.** 1 for opening the lock. The first wrong button of a try pays `decoy` with probability 1 / 2. Each right
button but the last one costs `cost` / (`length` - 1).

**Ends.** Terminates at the end of the last try, after `tries` x (`length` + 1) - 1 actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `length` | 10 | steps of the lock, from 2 to 60 |
| `actions` | 4 | buttons, from 2 to 10 |
| `tries` | 1 | tries in an episode, from 1 to 1000 |
| `swap` | 0.5 | probability of a change to the other good chain, from 0 to 1 |
| `noise` | 0.1 | standard deviation of the noise, from 0 to 1 |
| `decoy` | 0.1 | what a wrong button may pay, from 0 to 1 |
| `cost` | 0.0 | what all right buttons but the last one cost together, from 0 to 1 |
| `lock` | 1 | number of the lock, to 1,000,000; 0 draws a new one in each episode, as generated levels need |

**Level.** ``{"right": [[2, 0], [1, 3]]}``: for each step, the right buttons of the first and the second good chain. The
example is for `length` = 2.

**Known values.** Pressing the right buttons earns 1 - `cost` in each try. With the default rewards that is the best
play of a known lock; the noise then hides the chain with a probability below 10^-11 in each step. Uniformly random play
opens a lock with probability `actions` ^ -`length`; it then earns 1, and otherwise `decoy` / 2 on average, if `cost` is
0.

**Differences.** From the diabolical combination lock of Intrepid:

- Opening the lock pays 1, and `decoy` is 0.1 by default. In Intrepid both are settings: its file has 5 and 0.
- Locks have numbers, so that a baseline can know the right buttons.
- `tries` is added, so that an agent can learn the lock within an episode.
- The other kinds of observation, without the matrix or with random bits, are left out.

**Source.** Misra et al., "Kinematic State Abstraction and Provably Efficient Rich-Observation
Reinforcement Learning", 2020; Intrepid at 7b43fb6, `DiabolicalCombinationLock`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page, When
from envsuite.core.random import bernoulli, mix, normal, randint
from envsuite.core.ranges import below, fixed, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene

#: The dead chain; 0 and 1 are the good ones.
DEAD = 2
#: Entries of the vector before those of steps; the longest lock; the most buttons, tries and locks.
CHAINS, LONGEST, BUTTONS, TRIES, LOCKS = 3, 60, 10, 1000, 1_000_000
#: More than the size of any number that `normal` draws.
FAR = 9.0

CHAIN_NAMES = ("the first good chain", "the second good chain", "the dead chain")


def fields(length: int, actions: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("right", below(np.int64, actions), (length, 2)),  # the right button of each step and good chain: the level
        ("chain", below(np.int64, CHAINS)),
        ("place", within(np.int64, 0, length)),  # the step; `length` at the end of a try
        ("tried", within(np.int64, 0, TRIES)),  # tries before the present one
        ("noise", within(np.float64, -FAR, FAR), (CHAINS + length + 1,)),  # of the present observation
    ]


@kernel
def right_button(lock, place, chain, actions):
    """The right button of a numbered lock."""
    word = mix(np.uint64((lock * LONGEST + place) * 2 + chain))
    return np.int64((word >> np.uint64(32)) % np.uint64(actions))


@kernel
def reset(s):
    if s.level_given == 0:
        for place in range(s.right.shape[0]):
            for chain in range(2):
                if s.params.lock == 0:
                    s.right[place, chain] = randint(s, s.params.actions)
                else:
                    s.right[place, chain] = right_button(s.params.lock, place, chain, s.params.actions)
    s.tried = 0
    begin(s)


@kernel
def begin(s):
    """Begin a try."""
    s.place = 0
    s.chain = bernoulli(s, 0.5)
    disturb(s)


@kernel
def disturb(s):
    """Draw the noise of an observation."""
    for k in range(s.noise.shape[0]):
        s.noise[k] = s.params.noise * normal(s) if s.params.noise > 0.0 else 0.0


@kernel
def step(s, actions, rewards):
    length = s.right.shape[0]
    if s.place == length:
        s.tried = min(s.tried + 1, TRIES)
        begin(s)
        return
    swapped = bernoulli(s, s.params.swap)
    if s.chain != DEAD:
        if actions[0] != s.right[s.place, s.chain]:
            s.chain = DEAD
            rewards[0] = s.params.decoy if bernoulli(s, 0.5) else 0.0
        else:
            rewards[0] = 1.0 if s.place == length - 1 else 0.0 - s.params.cost / (length - 1)
            if swapped:
                s.chain = 1 - s.chain
    s.place += 1
    disturb(s)
    s.terminated[0] = s.place == length and s.tried + 1 >= s.params.tries


@kernel
def transform(values):
    """The product of Sylvester's Hadamard matrix and a vector whose size is a power of 2, in its place."""
    size, half = values.shape[0], 1
    while half < size:
        for k in range(size):
            if k & half == 0:
                one, other = values[k], values[k + half]
                values[k] = one + other
                values[k + half] = one - other
        half *= 2


@kernel
def observe(s, agent, out):
    for k in range(out.shape[0]):
        out[k] = s.noise[k] if k < s.noise.shape[0] else 0.0
    out[s.chain] += 1.0
    out[CHAINS + s.place] += 1.0
    transform(out)


@kernel
def likeliest(observation, first, last):
    """The number of the largest entry first .. last - 1 of the vector that an observation is made of, less `first`."""
    found, largest = 0, -np.inf
    for k in range(first, last):
        value = 0.0
        for j in range(observation.shape[0]):
            both = k & j  # the sign in the matrix is the parity of these bits
            both ^= both >> 4
            both ^= both >> 2
            both ^= both >> 1
            value += -np.float64(observation[j]) if both & 1 else np.float64(observation[j])
        if value > largest:
            found, largest = k - first, value
    return found


@kernel
def decode(observation):
    """The chain and the step that an observation most probably comes from."""
    return likeliest(observation, 0, CHAINS), likeliest(observation, CHAINS, observation.shape[0])


PAGE = Page(
    role="You try to open a lock with {actions} buttons, numbered from 0 to {last}.",
    goal=(
        When(
            "more",
            "You have {tries} tries. In each of them, opening the lock pays you 1.",
            "You have a single try. Opening the lock pays you 1.",
        ),
        When("decoy", "The first wrong button of a try pays you {decoy} with a probability of 1/2."),
        When("cost", "Each right button but the last one of a try costs you {cost_each:.3g}."),
    ),
    rules=(
        (
            "A try has {length} steps, and in each you press one button. You are in one of two good chains or in the "
            "dead chain. A try begins in a good chain, drawn by lot. In a good chain, one button is the right one; it "
            "depends on the step and on the chain, and you are not told which it is.",
            Case(
                "swap",
                {
                    0.0: "The right button takes you to the next step of the same chain.",
                    1.0: "The right button takes you to the next step of the other good chain.",
                },
                "The right button takes you to the next step: of the other good chain with a probability of "
                "{swap:.3g}, otherwise of the same one.",
            ),
            "A wrong button takes you to the next step of the dead chain, where no button matters until the try is "
            "over. The right button in the last step opens the lock.",
        ),
        When(
            "more",
            "The right buttons stay the same in all tries. When a try is over, your next action, whichever it is, "
            "only begins the next one.",
        ),
    ),
    sees=(
        "Before each action you get a signal of the chain and the step that you are in.",
        When("noise", "There is some noise in it, so you are told what it fits best, which can be wrong."),
    ),
    acts={"press {N}": "press button N"},
    ends=When("more", "It is over at the end of the last try.", "It is over when all steps are done."),
    unsaid={"lock": "the right buttons are what must be found out"},
    constants={
        "0": "number of the first button",
        "1": "what opening the lock pays",
        "2": "of the probability 1/2 that a wrong button pays",
        "two": "chains",
    },
)


class CombinationLock(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("memory",)
    verified = "Intrepid's lock step by step; closed forms"
    variants = (dict(length=3, actions=3, tries=8, lock=0), dict(length=2, noise=0.0, cost=0.5, swap=1.0))
    shown = "known"
    clickable = "(?!)"
    level_fields = ("right",)
    player_page = PAGE

    def __init__(
        self,
        length: Annotated[int, Between(2, LONGEST)] = 10,
        actions: Annotated[int, Between(2, BUTTONS)] = 4,
        tries: Annotated[int, Between(1, TRIES)] = 1,
        swap: Annotated[float, Between(0, 1)] = 0.5,
        noise: Annotated[float, Between(0, 1)] = 0.1,
        decoy: Annotated[float, Between(0, 1)] = 0.1,
        cost: Annotated[float, Between(0, 1)] = 0.0,
        lock: Annotated[int, Between(0, LOCKS)] = 1,
    ):
        size = 1 << (CHAINS + length).bit_length()
        most = 2 + FAR * (CHAINS + length + 1)
        self.keys = {str(k): f"press {k}" for k in range(actions)}
        self.define(
            agents=["agent"],
            actions=[f"press {k}" for k in range(actions)],
            observation=Box(-most, most, (size,), np.float32),
            fields=fields(length, actions),
            params={
                "actions": fixed(actions),
                "tries": tries,
                "swap": float(swap),
                "noise": float(noise),
                "decoy": float(decoy),
                "cost": float(cost),
                "lock": lock,
            },
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        over = s.tried + (s.place == len(s.right)) >= s.params.tries
        return "all tries are used" if over and not s.terminated[0] else None

    def decoded(self, s: Any) -> tuple[int, int]:
        """The chain and the step that the agent can tell from its observation."""
        chain, place = decode(self.observation(s, 0))
        return int(chain), min(int(place), len(s.right))

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {
            "last": self.parameters["actions"] - 1,
            "more": s.params.tries > 1,
            "cost_each": s.params.cost / (len(s.right) - 1),
        }

    def text(self, s: Any, agent: int) -> str:
        chain, place = self.decoded(s)
        tries, length = int(s.params.tries), len(s.right)
        lines = [f"The signals fit {CHAIN_NAMES[chain]}, after {place} of {length} steps."]
        if tries > 1:
            lines.append(f"This is try {s.t // (length + 1) + 1} of {tries}.")
        if s.terminated[0]:
            lines.append("It is over.")
        elif place == length:
            lines.append("Any button begins the next try.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene, length, tries = Scene(18, 10), len(s.right), int(s.params.tries)
        chain, place = self.decoded(s) if agent is not None else (int(s.chain), int(s.place))
        number = f"try {s.t // (length + 1) + 1} of {tries} · " if tries > 1 else ""
        over = " · over" if s.terminated[0] else ""
        scene.add(Label(0.6, 0.8, "CombinationLock", 0.6, align="left", bold=True))
        scene.add(Label(17.4, 0.8, f"{number}step {place} of {length}{over}", 0.45, "muted", "right"))
        side = min(14.6 / (length + 1), 1.5)
        for row, name in enumerate(("first", "second", "dead")):
            y = 2.5 + 1.55 * row
            scene.add(Label(0.6, y, name, 0.42, "muted", "left"))
            for k in range(length + 1):
                x = 2.8 + side * (k + 0.5)
                good = "gold" if k == length else "panel"
                color = good if row < DEAD else "line"
                scene.add(Rect(x - 0.45 * side, y - 0.6, 0.9 * side, 1.2, color, radius=0.12 * side))
                if agent is None and row < DEAD and k < length:
                    scene.add(Label(x, y - 0.3, str(s.right[k, row]), min(0.4, 0.7 * side), "muted"))
        size = min(0.28, 0.4 * side)
        scene.add(Circle(2.8 + side * (place + 0.5), 2.5 + 1.55 * chain + 0.2, size, "orange", "white", 0.05, "@"))
        self._draw_signals(scene, self.observation(s, 0))
        return scene

    def _draw_signals(self, scene: Scene, observation: np.ndarray) -> None:
        """The numbers that the agent observes, as bars around a line."""
        left, width, middle = 2.8, 14.6, 8.3
        scene.add(Label(0.6, middle, "signals", 0.42, "muted", "left"))
        scene.add(Line([(left, middle), (left + width, middle)], "line", 0.05))
        each = width / len(observation)
        for k, value in enumerate(observation):
            height = min(abs(float(value)), 3.0) * 0.4
            x, top = left + each * (k + 0.15), middle - height if value > 0 else middle
            scene.add(Rect(x, top, 0.7 * each, height, "blue" if value > 0 else "sky"))


env, raw_env, parallel_env = pettingzoo_forms(CombinationLock)
