"""TreeDebate: two debaters lead a judge down a tree; whether the leaf that the judge reads is true decides.

**Rules.** A complete tree has leaves that are true or false. The prover claims that the root is true, the refuter that
it is false. From the root down, the prover and the refuter in turn choose a child. The judge reads the one leaf that
they reach: the prover wins if it is true, the refuter if it is false.

A node where the prover chooses is true if at least one of its children is. A node where the refuter chooses is true if
all of its children are. So the root is true if and only if the prover can win.

A leaf is true with probability `leaf`, independently of the others. With `root` "true" or "false", trees are drawn from
this distribution given that the root is true or false. A level may have any tree, whatever `root` is.

**Agents.** `prover` moves first, then `refuter`.

**Observation.** Dict. The leaves of child 1 come before those of child 2, and so on, at every node.

| part | space | content |
|---|---|---|
| leaves | Box (branching ^ depth,) int8 | 1 for a true leaf, 0 for a false one |
| path | Box (depth,) int8 | the children chosen so far, from 0; -1 for later moves |

**Actions.** Discrete (branching). Only the debater to move has legal actions, and they are all legal.

| action | name |
|---|---|
| k | `child 1`, `child 2`, ... |

**Window.** The keys 1 to 4 choose a child, and so does a click on or below it. A picture shows at most 81 leaves; in a
larger tree it moves down with the debate, and a bar shows the share of true leaves below a node. A text lists the
leaves below a child if they are at most 256; otherwise it says how many are true.

**Rewards.** +1 to the winner and -1 to the loser at the end, 0 otherwise.

**Ends.** Terminates after `depth` moves.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `branching` | 2 | children of a node, from 2 to 4 |
| `depth` | 6 | moves, an even number from 2 to 8 |
| `leaf` | 0.618034 | the probability that a leaf is true, from 0.01 to 0.99 |
| `root` | "any" | "true" or "false": only trees with such a root are drawn |

**Level.** ``{"leaves": [0, 1, 1, 1]}``: which leaves are true, here of a tree with branching and depth 2.

**Known values.** Perfect play wins for the side that is right. With two children, the root is true with probability
(5 ^ 0.5 - 1) / 2 = 0.618034 at every even depth if the leaves are. Given a true root and leaves that are true with
probability 0.5, a random prover against the refuter's best reply wins:

| depth | 2 | 4 | 6 |
|---|---|---|---|
| probability | 0.571429 | 0.282100 | 0.135017 |

**Differences.** From the paper, which describes debates about answers in words and about pictures:

- The debate is the bare game tree that the paper uses to compare debates with complexity classes: moves are choices of
  children instead of statements, and the truth of leaves is drawn.
- The judge is part of the rules and does not err.

**Source.** Irving, Christiano and Amodei, "AI safety via debate", 2018.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.random import bernoulli
from envsuite.core.ranges import among, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Line, Rect, Scene, footer
from envsuite.render.theme import agent_color

PROVER, REFUTER = range(2)
NAMES = ("prover", "refuter")
ROOTS = ("any", "true", "false")
ANY, TRUE, FALSE = range(3)

#: No move yet.
NONE = -1

#: The most nodes side by side in a picture, and the most leaves that a text lists.
WIDEST, LISTED = 81, 256

#: The room left and right of a tree.
MARGIN = 0.5


def fields(branching: int, depth: int) -> list[tuple]:
    """The record."""
    return [
        ("leaves", flag(np.int8), (branching**depth,)),  # the level: 1 for a true leaf
        ("path", within(np.int8, NONE, branching - 1), (depth,)),  # the children chosen so far
    ]


@kernel
def series(x, count):
    """1 + x + x^2 + ..., `count` summands."""
    total = 0.0
    for _ in range(count):
        total = total * x + 1.0
    return total


@kernel
def chances(leaf, branching, height):
    """The probabilities that a node `height` moves above the leaves is true, and false; each may be tiny."""
    true, false = leaf, 1.0 - leaf
    for k in range(height):
        all_true, all_false = 1.0, 1.0
        for _ in range(branching):
            all_true *= true
            all_false *= false
        if k % 2 == 0:  # the refuter chooses
            true, false = all_true, false * series(true, branching)
        else:
            true, false = true * series(false, branching), all_false
    return true, false


@kernel
def split(s, node, width, wanted, chance, other):
    """Draw the children of a node, given its truth.

    The truth of a node is kept at its first leaf; its children have `width` leaves each. The node is `wanted` if and
    only if some child is: a child is with probability `chance`, and is not with probability `other`.
    """
    found = s.leaves[node] != wanted
    hopeless = found
    for k in range(s.params.branching):
        # If none was found so far, some child must still be.
        hit = not hopeless and bernoulli(s, chance if found else 1.0 / series(other, s.params.branching - k))
        s.leaves[node + k * width] = wanted if hit else 1 - wanted
        found = found or hit


@kernel
def grow(s):
    """Draw the truth of the root, then of all nodes from the top down."""
    size, depth, branching, leaf = s.leaves.shape[0], s.path.shape[0], s.params.branching, s.params.leaf
    true, _ = chances(leaf, branching, depth)
    s.leaves[0] = s.params.root == TRUE or (s.params.root == ANY and bernoulli(s, true))
    width = size
    for turn in range(depth):
        width //= branching
        true, false = chances(leaf, branching, depth - turn - 1)
        for node in range(0, size, width * branching):
            if turn % 2 == PROVER:
                split(s, node, width, 1, true, false)
            else:
                split(s, node, width, 0, false, true)


@kernel
def reset(s):
    if not s.level_given:
        grow(s)
    fill(s.path, NONE)


@kernel
def turn_of(path):
    """The number of moves so far. The prover makes the even ones, from 0."""
    turn = 0
    while turn < path.shape[0] and path[turn] != NONE:
        turn += 1
    return turn


@kernel
def place(path, branching, size):
    """The first leaf below the node that was reached, and the number of leaves below it."""
    first, width = 0, size
    for k in range(turn_of(path)):
        width //= branching
        first += path[k] * width
    return first, width


@kernel
def step(s, actions, rewards):
    turn = turn_of(s.path)
    s.path[turn] = actions[turn % 2]
    if turn + 1 == s.path.shape[0]:
        leaf, _ = place(s.path, s.params.branching, s.leaves.shape[0])
        winner = PROVER if s.leaves[leaf] != 0 else REFUTER
        rewards[winner] = 1.0
        rewards[1 - winner] = -1.0
        s.terminated[0] = 1
        s.terminated[1] = 1


@kernel
def observe(s, agent, out):
    for k in range(s.leaves.shape[0]):
        out.leaves[k] = s.leaves[k]
    for k in range(s.path.shape[0]):
        out.path[k] = s.path[k]


@kernel
def legal(s, agent, mask):
    turn = turn_of(s.path)
    if turn < s.path.shape[0] and turn % 2 == agent:
        for k in range(s.params.branching):
            mask[k] = 1


PAGE = Page(
    role="You debate against the {others} before a judge.",
    goal="A win pays you +1, and a loss -1. You win if the leaf that the judge reads is {truth}.",
    rules=(
        "The debate goes down a tree from its root. The root and every other node above the leaves has "
        "{branching:child/children}, and a path from the root to a leaf has {depth:step}. Each leaf is true or false. "
        "You take turns; the prover begins. In its turn a debater chooses a child of the node where the debate is, and "
        "the debate moves to that child. The judge reads the leaf where it ends.",
    ),
    sees=When(
        "large",
        "You both see which leaves are true. If more than {listed} of them are below a child, you see how many are "
        "true.",
        "You both see which leaves are true.",
    ),
    acts={"child {N}": "go to child N of the node where the debate is"},
    ends="The debate is over at a leaf, after {depth:move}.",
    unsaid=dict.fromkeys(("leaf", "root"), "the turns show which leaves are true"),
    constants={"1": "the reward of a win"},
)


class TreeDebate(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    information = "perfect"
    utility = "zero-sum"
    paid_at_end = True
    masked = False
    kind = ("debate",)
    verified = "closed forms of the root's truth and of a random prover; all trees of depth 2, by enumeration"
    variants = (dict(branching=3, depth=4, leaf=0.5, root="true"), dict(depth=8, root="false"))
    shown = "optimal"
    keys = {str(k): f"child {k}" for k in range(1, 5)}
    level_fields = ("leaves",)
    player_page = PAGE

    def __init__(
        self,
        branching: Annotated[int, Between(2, 4)] = 2,
        depth: Annotated[int, Between(2, 8)] = 6,
        leaf: Annotated[float, Between(0.01, 0.99)] = 0.618034,
        root: Literal["any", "true", "false"] = "any",
    ):
        if depth % 2:
            raise ParameterError(f"TreeDebate: depth={depth} must be even, so that the refuter makes the last move")
        self.define(
            agents=list(NAMES),
            actions=[f"child {k + 1}" for k in range(branching)],
            observation=Dict(
                {
                    "leaves": Box(0, 1, (branching**depth,), np.int8),
                    "path": Box(NONE, branching - 1, (depth,), np.int8),
                }
            ),
            fields=fields(branching, depth),
            params={"branching": branching, "leaf": leaf, "root": among(ROOTS, root)},
            reward_range=(-1.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        turn = turn_of(s.path)
        if (s.path[turn:] != NONE).any():
            return "path has a move after one that is still to come"
        return "the debate is over" if turn == len(s.path) and not s.terminated[0] else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {
            "truth": ("true", "false")[agent],
            "listed": LISTED,
            "large": len(s.leaves) // int(s.params.branching) > LISTED,
        }

    def text(self, s: Any, agent: int) -> str:
        branching, depth, turn = int(s.params.branching), len(s.path), turn_of(s.path)
        first, width = place(s.path, branching, len(s.leaves))
        truth = ("false", "true")[agent == PROVER]
        moves = [f"the {NAMES[k % 2]} child {s.path[k] + 1}" for k in range(turn)]
        lines = [f"Chosen so far: {', '.join(moves) or 'nothing'}."]
        if s.terminated[0]:
            leaf = ("false", "true")[s.leaves[first]]
            lines.append(f"The judge reads leaf {first + 1}: it is {leaf}. You {'win' if leaf == truth else 'lose'}.")
            return "\n".join(lines)
        lines.append("Leaves below each child of the present node, 1 for true and 0 for false, siblings side by side:")
        width //= branching
        for k in range(branching):
            leaves = s.leaves[first + k * width : first + (k + 1) * width]
            lines.append(f"child {k + 1}: {listed(leaves, branching)}")
        ask = "Choose a child." if turn % 2 == agent else f"It is the {NAMES[turn % 2]}'s turn."
        return "\n".join([*lines, f"Move {turn + 1} of {depth}. {ask}"])

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        turn, view = turn_of(s.path), View(s)
        scene = Scene(view.width, view.y(view.bottom) + 1)
        for draw in (view.link, view.node):
            for depth in range(view.top, view.bottom + 1):
                for node in range(view.branching ** (depth - view.top)):
                    draw(scene, depth, node)
        if s.terminated[0]:
            first, _ = place(s.path, view.branching, len(s.leaves))
            note = f"the judge reads a {('false', 'true')[s.leaves[first]]} leaf"
        else:
            note = f"move {turn + 1} of {len(s.path)}: the {NAMES[turn % 2]} chooses"
        footer(scene, "filled: true leaf" if view.bottom == len(s.path) else "filled: share of true leaves", note)
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        view, depth = View(s), turn_of(s.path) + 1
        if depth > len(s.path) or not view.y(depth) - 0.6 < y < view.y(view.bottom) + 1:
            return None
        child = math.floor((x - MARGIN) / view.span(depth)) - view.branching * view.reached(depth - 1)
        return child if 0 <= child < view.branching else None


class View:
    """The part of a tree that a picture shows: some rows below the root, or below a node on the path."""

    def __init__(self, s: Any):
        self.leaves, self.branching = s.leaves, int(s.params.branching)
        self.path = s.path[: turn_of(s.path)].tolist()
        rows = 1
        while rows < len(s.path) and self.branching ** (rows + 1) <= WIDEST:
            rows += 1
        self.top = min(len(self.path), len(s.path) - rows)
        self.bottom = self.top + rows
        self.width = max(12.0, 0.5 * self.branching**rows + 2 * MARGIN)

    def y(self, depth: int) -> float:
        """The place of a row of nodes, from the top."""
        return 0.8 + 1.8 * (depth - self.top)

    def span(self, depth: int) -> float:
        """The width of a node in this row."""
        return (self.width - 2 * MARGIN) / self.branching ** (depth - self.top)

    def x(self, depth: int, node: int) -> float:
        """The middle of a node in this row."""
        return MARGIN + (node + 0.5) * self.span(depth)

    def reached(self, depth: int) -> int:
        """The node of the path in this row, counted from the left of the picture."""
        node = 0
        for k in range(self.top, depth):
            node = node * self.branching + self.path[k]
        return node

    def reachable(self, depth: int, node: int) -> bool:
        """Whether the debate has reached a node or still can."""
        known = min(depth, len(self.path))  # at least `top`
        return node // self.branching ** (depth - known) == self.reached(known)

    def link(self, scene: Scene, depth: int, node: int) -> None:
        """The line from a node to its parent."""
        if depth > self.top:
            parent = self.x(depth - 1, node // self.branching), self.y(depth - 1)
            ends = [parent, (self.x(depth, node), self.y(depth))]
            if not self.reachable(depth, node):
                scene.add(Line(ends, "line", 0.05))
            else:
                scene.add(Line(ends, "ink", 0.16 if depth <= len(self.path) else 0.05))

    def node(self, scene: Scene, depth: int, node: int) -> None:
        """A node in the color of the debater who chooses there; in the last row a leaf, or the share of true leaves."""
        x, y, faint = self.x(depth, node), self.y(depth), "" if self.reachable(depth, node) else "@0.3"
        if depth < self.bottom:
            outline = "ink" if depth == len(self.path) and not faint else None
            scene.add(Circle(x, y, 0.3, agent_color(depth % 2) + faint, outline, 0.1, "PR"[depth % 2]))
            return
        share, width = self.share(depth, node), min(0.8, 0.8 * self.span(depth))
        sign = str(int(share)) if share in (0, 1) else "?"
        scene.add(Rect(x - width / 2, y - 0.5, width, 1.0, "paper", "ink" + faint, 0.05, glyph=sign))
        if share > 0:
            scene.add(Rect(x - width / 2, y + 0.5 - share, width, share, "ink" + faint, glyph=sign))

    def share(self, depth: int, node: int) -> float:
        """The share of true leaves below a node."""
        above, _ = place(np.array([*self.path[: self.top], NONE]), self.branching, len(self.leaves))
        count = len(self.leaves) // self.branching**depth
        return float(self.leaves[above + node * count :][:count].mean())


def listed(leaves: np.ndarray, branching: int) -> str:
    """Leaves as digits, those of a parent side by side; of many leaves only the number of true ones."""
    if len(leaves) > LISTED:
        return f"{int(leaves.sum())} of {len(leaves)} leaves are true"
    digits = "".join(map(str, leaves.tolist()))
    parents = [digits[k : k + branching] for k in range(0, len(digits), branching)]
    return " | ".join(" ".join(parents[k : k + branching]) for k in range(0, len(parents), branching))


env, raw_env, parallel_env = pettingzoo_forms(TreeDebate)
