"""TurnOnLights: turn all bulbs on; hidden laws determine when each bulb can be toggled (OdysseyArena).

**Rules.** All bulbs in a row are off at first. Every bulb has a hidden law about other bulbs, for instance
"(B4 or not B1) and B2". Toggling the bulb, on or off, works only while its law holds; otherwise it changes nothing. The
bulbs have a hidden order, in which every law is about earlier bulbs only. The first bulb can always be toggled. Laws do
not change during an episode; every episode has new ones.

In the hidden order, the law of bulb number i (from 0) is about 1 to min(8, i) of the earlier bulbs; each number is
equally likely. Any such set of bulbs is equally likely, in any order. Each bulb is negated with probability 1/2. The
bulbs are joined from left to right, each by "and" or "or" with probability 1/2.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| bulbs | Box (bulbs,) uint8 | 1 where a bulb is on |
| last | Discrete (bulbs + 1) | 1 + the number of the bulb that was tried last; 0 at the start |
| changed | Discrete (2) | whether the last action toggled its bulb |

**Actions.** Discrete (bulbs), all of them always legal.

| action | name |
|---|---|
| k | `Bk`: toggle this bulb |

**Window.** A click on a bulb toggles it, as do the keys 0 to 9.

**Rewards.** 1 when all bulbs are on, 0 otherwise.

**Ends.** Terminates when all bulbs are on; truncated after `horizon` actions, those without effect included.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `bulbs` | 8 | number of bulbs, from 5 to 10 |
| `min_steps` | None | least length of a shortest solution, from 1 to bulbs + 6; laws are redrawn until it is reached |
| `horizon` | 200 | actions until truncation, from 1 to 1,000,000 |

With `min_steps` None, all laws are accepted.

**Level.** ``{"laws": {"B0": "B1", "B1": "True", "B2": "((not B0 or B1) and B3)", "B3": "not B1", "B4": "B2"}}``: the
law of every bulb. A law is "True", or up to eight different bulbs, each with or without "not", joined from left to
right. OdysseyArena stores its tasks in this form (their `custom_logic`).

**Known values.** Every task is solvable, and all 2^bulbs states can be reached from each other: a toggle can be undone
at once, and every law of this form (read from left to right, no bulb twice) can be made true. A shortest solution has
bulbs + 2 k actions. With 8 bulbs, k is 0 in 65.0 %, 1 in 26.7 %, 2 in 6.2 % and more in 2.1 % of all tasks.

OdysseyArena's 30 Lite tasks have 6 to 10 bulbs and shortest solutions of 7 to 16 actions. People solve 81.7 % of them,
Gemini 3 Pro 44.2 % and GPT-5 28.3 % (its README), the policy `prober` 90 % and random play 5 %.

**Differences.** From OdysseyArena:

- Its `min_steps` bounds the length of the path that a depth-first search finds, which is far above the shortest one.
  With 6 or more bulbs, its generator's value of 10 accepts every task. Here `min_steps` bounds the shortest solution.
- Its environment pays no reward and describes in words what a toggle did.
- Its harness counts answers that it cannot read among the 200 actions.

**Source.** OdysseyArena (arXiv 2602.05843), code at github.com/xufangzhi/Odyssey-Arena, commit b9eb63d,
`LightEnv/TextEnv_v2.py`.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts
from envsuite.core.page import Page
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.core.ranges import below, flag, free, limited, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, Shape

#: The most bulbs in a law.
TERMS = 8

#: The most draws until a shortest solution is long enough; in the worst case, one in 200 draws is.
_TRIES = 10_000

# Sets of states. A state is a number with a bit for each bulb. A set of states is 2^bulbs bits, in words of 64.

#: By bulb: the states among 64 in which it is on. Bulbs from number 6 on are on in all or none of a word's states.
_ON = np.array([sum(1 << k for k in range(64) if k >> bulb & 1) for bulb in range(6)], np.uint64)
_ALL, _NONE = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0)


@kernel
def lit_in(bulb, word):
    """The states of a word in which a bulb is on."""
    if bulb < 6:
        return _ON[bulb]
    return _ALL if word >> (bulb - 6) & 1 else _NONE


@kernel
def toggled(states, bulb, word):
    """A word of the set of these states, with one bulb toggled in all of them."""
    if bulb >= 6:
        return states[word ^ 1 << bulb - 6]
    lit, far = _ON[bulb], np.uint64(1 << bulb)
    return (states[word] & lit) >> far | (states[word] << far) & lit


@large_kernel
def shortest(s):
    """The number of actions of a shortest solution, by a breadth-first search from all bulbs off."""
    laws, sets = s.laws, s.sets
    bulbs, words = sets.allowed.shape
    for bulb in range(bulbs):
        for w in range(words):
            allowed = _ALL
            for k in range(laws.terms[bulb]):
                term = lit_in(np.int64(laws.bulb[bulb, k]), w)
                if laws.negated[bulb, k]:
                    term = ~term
                allowed = allowed | term if laws.either[bulb, k] else allowed & term
            sets.allowed[bulb, w] = allowed
    for w in range(words):
        sets.reached[w] = w == 0  # all bulbs off is state 0
        sets.frontier[w] = w == 0
    goal, length = np.uint64((1 << bulbs) - 1 & 63), 0
    while sets.reached[words - 1] >> goal & np.uint64(1) == 0:
        for w in range(words):
            new = _NONE
            for bulb in range(bulbs):
                new |= toggled(sets.frontier, bulb, w) & sets.allowed[bulb, w]
            sets.grown[w] = new & ~sets.reached[w]
        for w in range(words):
            sets.frontier[w] = sets.grown[w]
            sets.reached[w] |= sets.grown[w]
        length += 1
    return length


@large_kernel
def draw(s):
    """New laws."""
    laws, bulbs = s.laws, s.laws.terms.shape[0]
    for i in range(bulbs):
        laws.order[i] = i
    shuffle(s, laws.order, bulbs)
    for i in range(bulbs):
        bulb = laws.order[i]
        terms = 1 + randint(s, min(TERMS, i)) if i > 0 else 0
        laws.terms[bulb] = terms
        for k in range(i):
            s.earlier[k] = laws.order[k]
        for k in range(TERMS):
            laws.bulb[bulb, k] = 0
            laws.negated[bulb, k] = 0
            laws.either[bulb, k] = 0
            if k < terms:
                chosen = k + randint(s, i - k)
                laws.bulb[bulb, k] = s.earlier[chosen]
                s.earlier[chosen] = s.earlier[k]
                laws.negated[bulb, k] = bernoulli(s, 0.5)
                if k > 0:
                    laws.either[bulb, k] = bernoulli(s, 0.5)


def fields(bulbs: int) -> list[tuple]:
    """The record."""
    words = max(1, 2**bulbs // 64)
    laws = [
        ("order", below(np.uint8, bulbs), (bulbs,)),  # every law is about bulbs earlier in it
        ("terms", within(np.uint8, 0, min(TERMS, bulbs - 1)), (bulbs,)),  # how many; 0 for a law that always holds
        ("bulb", below(np.uint8, bulbs), (bulbs, TERMS)),
        ("negated", flag(), (bulbs, TERMS)),
        ("either", flag(), (bulbs, TERMS)),  # 1 where "or" joins a term to those before it, 0 for "and"
    ]
    sets = [  # a bit for each state of all bulbs
        ("allowed", free(np.uint64), (bulbs, words)),  # by bulb: the states in which its law holds
        ("reached", free(np.uint64), (words,)),
        ("frontier", free(np.uint64), (words,)),
        ("grown", free(np.uint64), (words,)),
    ]
    return [
        ("on", below(np.int64, 2**bulbs)),  # a bit for each bulb
        ("last", below(np.int64, bulbs + 1)),  # the bulb tried last, plus one
        ("changed", flag(np.int64)),  # whether it was toggled
        ("laws", np.dtype(laws, align=True)),
        ("earlier", below(np.uint8, bulbs), (bulbs,)),  # this and `sets` only while laws are drawn
        ("sets", np.dtype(sets, align=True)),
    ]


@kernel
def reset(s):
    bulbs = s.laws.terms.shape[0]
    if not s.level_given:
        draw(s)
        if s.params.min_steps > bulbs:
            for _ in range(_TRIES):
                if shortest(s) >= s.params.min_steps:
                    break
                draw(s)
    s.on = 0
    s.last = 0
    s.changed = 0


@kernel
def holds(laws, bulb, on):
    """1 if the law of a bulb holds while these bulbs are on, else 0."""
    value = 1
    for k in range(laws.terms[bulb]):
        term = on >> np.int64(laws.bulb[bulb, k]) & 1 ^ np.int64(laws.negated[bulb, k])
        value = value & term | np.int64(laws.either[bulb, k]) & (value | term)  # no branches: terms are random
    return value


@kernel
def step(s, actions, rewards):
    bulb = actions[0]
    s.changed = holds(s.laws, np.uint64(bulb), s.on)
    s.on ^= s.changed << bulb
    s.last = bulb + 1
    if s.on == (1 << s.laws.terms.shape[0]) - 1:
        rewards[0] = 1.0
        s.terminated[0] = 1
    if s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    for k in range(s.laws.terms.shape[0]):
        out.bulbs[k] = s.on >> k & 1
    out.last = s.last
    out.changed = s.changed


@kernel
def legal(s, agent, mask):
    for k in range(s.laws.terms.shape[0]):
        mask[k] = 1


def read_law(law: str) -> list[tuple[str, bool, bool]]:
    """The terms of a law from left to right: a name, whether it is negated, whether "or" joins it; or `ValueError`."""

    def chain(node: ast.expr) -> list[tuple[str, bool, bool]]:
        if isinstance(node, ast.BoolOp):
            first, *others = node.values
            return [*chain(first), *((*term(other), isinstance(node.op, ast.Or)) for other in others)]
        return [(*term(node), False)]

    def term(node: ast.expr) -> tuple[str, bool]:
        negated = False
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node, negated = node.operand, True
        if not isinstance(node, ast.Name):
            raise ValueError
        return node.id, negated

    if law == "True":
        return []
    try:
        return chain(ast.parse(law.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError from None


PAGE = Page(
    role="You have {bulbs} bulbs in a row, and you are to turn all of them on.",
    goal="You are paid 1 when all bulbs are on.",
    rules=(
        "At first all bulbs are off. Each bulb has a hidden law about which other bulbs are on and which are off. If "
        "the law of a bulb holds, you can switch it on or off; otherwise the attempt changes nothing, but it counts. "
        "The laws never change."
    ),
    sees="You see which bulbs are on, and whether your last action had an effect. You are not told the laws.",
    acts={"B{K}": "switch this bulb, on or off"},
    ends="It is over when all bulbs are on, or after {horizon:action}.",
    unsaid={"min_steps": "the laws are to be found out"},
    constants={"1": "the reward"},
)


class TurnOnLights(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    masked = False
    kind = ("puzzles",)
    verified = "games recorded from OdysseyArena; an exact solver"
    variants = (dict(bulbs=5, min_steps=7),)
    keys = {str(k): f"B{k}" for k in range(10)}
    player_page = PAGE

    def __init__(
        self,
        bulbs: Annotated[int, Between(5, 10)] = 8,
        min_steps: Annotated[int | None, Between(1, 16)] = None,
        horizon: Annotated[int, Between(1, 1_000_000)] = 200,
    ):
        if min_steps is not None and min_steps > bulbs + 6:
            raise ParameterError(f"TurnOnLights: min_steps={min_steps} must be at most bulbs + 6 = {bulbs + 6}")
        self.define(
            agents=["agent"],
            actions=[f"B{k}" for k in range(bulbs)],
            observation=Dict(
                {"bulbs": Box(0, 1, (bulbs,), np.uint8), "last": Discrete(bulbs + 1), "changed": Discrete(2)}
            ),
            fields=fields(bulbs),
            params={"min_steps": limited(min_steps or 0, 0, 16), "horizon": horizon},
            reward_range=(0.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        names = list(self.action_names[0])
        given = level["laws"]
        known_parts(self.id, level, {"laws"})
        if not isinstance(given, Mapping) or sorted(given) != sorted(names):
            raise LevelError(f"{self.id}: the level's laws must be those of the bulbs {', '.join(names)}")
        laws = {}
        for name in names:
            problem = f"{self.id}: the law of {name}, {given[name]!r}, "
            try:
                laws[name] = read_law(given[name])
            except (ValueError, AttributeError, TypeError):
                raise LevelError(problem + "must be 'True' or of the form '((B0 or not B1) and B2)'") from None
            about = [bulb for bulb, _, _ in laws[name]]
            if wrong := sorted(set(about) - set(names)):
                raise LevelError(problem + f"is about {wrong[0]!r}, which is no bulb")
            if len(set(about)) < len(about) or len(about) > TERMS:
                raise LevelError(problem + f"must be about at most {TERMS} bulbs, none of them twice")
        order: list[str] = []
        while len(order) < len(names):
            ready = [n for n in names if n not in order and all(bulb in order for bulb, _, _ in laws[n])]
            if not ready:
                loop = ", ".join(n for n in names if n not in order)
                raise LevelError(f"{self.id}: the level's laws depend on each other in a circle, among {loop}")
            order += ready
        s.laws.order = [names.index(name) for name in order]
        for part in ("bulb", "negated", "either"):
            s.laws[part] = 0
        for number, name in enumerate(names):
            s.laws.terms[number] = len(laws[name])
            for k, (bulb, negated, either) in enumerate(laws[name]):
                s.laws.bulb[number, k] = names.index(bulb)
                s.laws.negated[number, k] = negated
                s.laws.either[number, k] = either

    def contradiction(self, s: Any) -> str | None:
        place = np.argsort(s.laws.order)
        if (s.laws.order[place] != np.arange(len(place))).any():
            return "laws.order does not hold each bulb once"
        used = np.arange(TERMS) < s.laws.terms[:, None]
        if (used & (place[s.laws.bulb] >= place[:, None])).any():
            return "a law is about a bulb that is not earlier in laws.order"
        return None

    def get_level(self, s: Any) -> dict[str, Any]:
        laws = {}
        for number, name in enumerate(self.action_names[0]):
            law = ""
            for bulb, negated, either in self._terms(s, number):
                term = f"not B{bulb}" if negated else f"B{bulb}"
                law = f"({law} {'or' if either else 'and'} {term})" if law else term
            laws[name] = law or "True"
        return {"laws": laws}

    def _terms(self, s: Any, bulb: int) -> list[tuple[int, bool, bool]]:
        """The terms of a bulb's law: bulb, whether negated, whether joined by "or"."""
        parts = (s.laws[part][bulb][: s.laws.terms[bulb]] for part in ("bulb", "negated", "either"))
        return [(int(k), bool(negated), bool(either)) for k, negated, either in zip(*parts)]

    def text(self, s: Any, agent: int) -> str:
        names = self.action_names[0]
        states = ", ".join(f"{name} {'on' if s.on >> k & 1 else 'off'}" for k, name in enumerate(names))
        lines = [states]
        if s.last:
            bulb = names[s.last - 1]
            state = "on" if s.on >> (int(s.last) - 1) & 1 else "off"
            lines.append(f"{bulb} was toggled: it is {state} now." if s.changed else f"{bulb} could not be toggled.")
        if s.terminated[0]:
            lines.append(f"All bulbs are on, after {s.t} actions.")
        else:
            lines.append(f"{s.t} of {s.params.horizon} actions are used.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The bulbs, with a mark on the last one tried; for spectators also the laws, read from left to right.

        A law's dot is green if the law holds now, and so are its true terms.
        """
        bulbs = len(s.laws.terms)
        width = self._width(bulbs)
        left = (width - 1.5 * (bulbs - 1)) / 2
        scene = Scene(width, 3.9 if agent is not None else 4.5 + 0.85 * bulbs)
        for k in range(bulbs):
            x = left + 1.5 * k
            if s.last == k + 1:
                scene.add(Rect(x - 0.68, 0.3, 1.36, 2.6, "green@0.2" if s.changed else "red@0.16", radius=0.3))
            scene.add(*_bulb(x, 1.2, bool(s.on >> k & 1)), Label(x, 2.5, f"B{k}", 0.46, bold=True))
        what = f"B{s.last - 1}: {'toggled' if s.changed else 'no effect'}" if s.last else ""
        scene.add(Label(0.5, 3.4, f"{s.t} / {s.params.horizon}", 0.42, "muted", "left"))
        scene.add(Label(width - 0.5, 3.4, what, 0.42, "muted", "right"))
        if agent is None:
            scene.add(Rect(0.3, 3.9, width - 0.6, 0.85 * bulbs + 0.3, "panel", radius=0.2))
            for row, bulb in enumerate(s.laws.order.tolist()):
                y = 4.48 + 0.85 * row
                now = holds(s.laws, bulb, int(s.on))
                scene.add(Circle(0.8, y, 0.15, "green" if now else "grey@0.5", glyph="+" if now else "-"))
                scene.add(Label(1.15, y, f"B{bulb}", 0.44, bold=True, align="left"))
                scene.add(*_law(self._terms(s, bulb), int(s.on), 2.2, y))
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        bulbs = len(s.laws.terms)
        bulb = math.floor((x - (self._width(bulbs) - 1.5 * (bulbs - 1)) / 2) / 1.5 + 0.5)
        return bulb if 0 <= bulb < bulbs and 0.3 <= y <= 2.9 else None

    def _width(self, bulbs: int) -> float:
        """The width of pictures: that of the bulbs or of the longest law."""
        return max(1.5 * bulbs + 1.0, 2.1 + 2.06 * min(TERMS, bulbs - 1))


def _bulb(x: float, y: float, on: bool) -> list[Shape]:
    """A bulb around (x, y)."""
    socket: list[Shape] = [
        Rect(x - 0.2, y + 0.42, 0.4, 0.36, "wall", radius=0.07),
        Line([(x - 0.2, y + 0.56), (x + 0.2, y + 0.56)], "grey", 0.05),
        Line([(x - 0.2, y + 0.67), (x + 0.2, y + 0.67)], "grey", 0.05),
    ]
    if not on:
        return [*socket, Circle(x, y, 0.46, "white", "grey", 0.06, "o"), Line(_wire(x, y), "grey@0.7", 0.05)]
    return [
        Circle(x, y, 0.62, "beam@0.3", glyph=""),
        *socket,
        Circle(x, y, 0.46, "beam", "gold", 0.06, "*"),
        Line(_wire(x, y), "orange", 0.05),
    ]


def _wire(x: float, y: float) -> list[tuple[float, float]]:
    """The wire in a bulb."""
    return [
        (x - 0.12, y + 0.42),
        (x - 0.16, y),
        (x - 0.05, y + 0.1),
        (x + 0.05, y),
        (x + 0.16, y + 0.1),
        (x + 0.12, y + 0.42),
    ]


def _law(terms: list[tuple[int, bool, bool]], on: int, x: float, y: float) -> list[Shape]:
    """A law, from x to the right."""
    if not terms:
        return [Label(x, y, "always", 0.36, "muted", "left")]
    shapes: list[Shape] = []
    for k, (bulb, negated, either) in enumerate(terms):
        place = x + 2.06 * k
        if k:
            shapes.append(Label(place - 0.41, y, "or" if either else "and", 0.36, "muted"))
        true = (on >> bulb & 1) != negated
        shapes.append(
            Rect(place, y - 0.29, 1.24, 0.58, "green@0.3" if true else "white", "green" if true else "line", 0.04, 0.15)
        )
        shapes.append(
            Label(place + 0.62, y, f"not B{bulb}" if negated else f"B{bulb}", 0.36, "ink" if true else "black")
        )
    return shapes


env, raw_env, parallel_env = pettingzoo_forms(TurnOnLights)
