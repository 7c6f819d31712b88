"""Seaquest: a submarine shoots enemies, rescues divers and comes up for air, on MinAtar's screen of 10 x 10 cells.

**Rules.** The submarine is at the surface, row 0, at first and can be in the rows 0 to 8. It faces left or right. Fish,
enemy submarines and divers cross the rows 1 to 8 from one edge to the other. In each step:

1. With probability `sticky`, the action of the last step is carried out in the place of the chosen one.
2. If it is time, an enemy appears at an edge of a random row: a submarine with probability 1/3, otherwise a fish. None
   appears if an enemy of the row moves in the other direction. In every 30th step a diver appears at such an edge.
3. The submarine moves by one cell and faces where it moves to, or fires ahead if it has not fired in the last four
   steps.
4. Shots move by one cell; a shot and the first enemy in its cell are gone, fish before submarines.
5. Divers move by one cell in every sixth step. The submarine takes a diver in its cell on board if it has fewer than
   six.
6. Enemy submarines move, and fire in every eleventh step; then their shots move by one cell; then fish move. Enemies
   move every six steps at first. An enemy or its shot in the submarine's cell ends the game. An enemy that moves into
   a shot is gone with it.
7. The game ends without oxygen. Below the surface, the oxygen becomes less by 1. When the submarine comes to the
   surface without a diver, the game ends. Otherwise the oxygen is 200 again and one diver leaves; of six, all leave and
   the oxygen is paid. With `ramping`, enemies come more often: in every 20th step at first, one step earlier after each
   time at the surface. After every second time they also move one step earlier, at last in every third step.

**Agents.** One, `agent`.

**Observation.** Box (10, 10, 10) uint8: row, column, plane.

| plane | cells that are 1 |
|---|---|
| 0, 1 | the submarine, and the cell behind it |
| 2 | its shots |
| 3 | the cells behind enemies and divers |
| 4 | shots of enemies |
| 5, 6 | fish, enemy submarines |
| 7 | in row 9 from the left, a cell for each 20 of oxygen |
| 8 | in row 9 from column 8 to the left, a cell for each diver on board |
| 9 | divers |

**Actions.** Discrete (6), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `noop` | none |
| 1, 2, 3, 4 | `left`, `up`, `right`, `down` | move the submarine |
| 5 | `fire` | fire |

**Window.** The arrow keys move the submarine, space fires.

**Rewards.** 1 for each enemy that is shot. At the surface with six divers, a tenth of the percentage of oxygen that is
left, rounded down: 0 to 10.

**Ends.** Terminates when the submarine is hit, without oxygen, and at the surface without a diver. Truncated after
`horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `ramping` | True | whether the game becomes faster |
| `sticky` | 0.1 | probability that the last action is carried out again, from 0 to 1 |
| `horizon` | 2500 | steps until truncation, from 1 to 1,000,000 |

**Known values.** Random play earns 0.100 +- 0.007 on average (3,000 episodes of MinAtar).

**Differences.** From MinAtar's `seaquest`, whose oddities are kept:

- Episodes have a limit of steps.
- The action before the first one is `noop`; there, it is the last one of the episode before.
- At the surface with six divers, seven are taken off, so that -1 are left there and here. With fewer than 0, coming up
  does not end the game.
- Where two equal things are in a list, the first is removed in the place of the other, there and here.

**Source.** Young and Tian, "MinAtar: An Atari-Inspired Testbed for Thorough and Reproducible Reinforcement Learning
Experiments", 2019; MinAtar 1.0.15.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Page, When
from envsuite.core.random import bernoulli, randint
from envsuite.core.ranges import MANY, flag, within
from envsuite.core.world import Between, Kernels
from envsuite.kit import arcade
from envsuite.kit.arcade import CONSTANTS, DOWN, FIRE, LEFT, RIGHT, SCREEN, SIZE, STICKY, UP, Arcade, Plane
from envsuite.registry import pettingzoo_forms

#: Rows with things, from row 1 on; the most oxygen, and divers on board.
ROWS, OXYGEN, BOARD = 8, 200, 6

#: Steps between shots of the submarine, between shots of an enemy, between enemies and their moves at first, between
#: moves at last, between divers, and between their moves.
RELOAD, SHOT, SPAWN, MOVE, FASTEST, DIVER, SWIM = 5, 10, 20, 5, 2, 30, 5

#: The most things in a list. With one enemy in each step, of which each crosses the screen in 31 steps, there are never
#: as many; shots of an enemy come one at a time.
SHOTS, ENEMIES, DIVERS = 4, 40, 8

#: A thing: column, row, whether it moves to the right, steps until it moves, and steps until it fires.
X, Y, RIGHTWARD, MOVES, FIRES = range(5)
PARTS = 5

_MOST = np.array([SIZE - 1, ROWS, 1, SWIM, SHOT])


def things(name: str, size: int) -> list[tuple]:
    """The fields of a list of things: their number, and the things in the order of their coming."""
    return [
        (f"{name}_count", within(np.int64, 0, size)),
        (name, within(np.int64, 0, _MOST), (size, PARTS)),
    ]


def fields() -> list[tuple]:
    """The record's own fields."""
    return [
        ("x", within(np.int64, 0, SIZE - 1)),  # of the submarine
        ("y", within(np.int64, 0, ROWS)),
        ("right", flag()),  # whether it faces right
        ("oxygen", within(np.int64, -1, OXYGEN)),
        ("divers", within(np.int64, -MANY, BOARD)),  # on board
        ("at_surface", flag()),  # since the last step
        ("reload", within(np.int64, 0, RELOAD)),  # steps until it can fire
        ("spawn_timer", within(np.int64, 0, SPAWN)),  # steps until an enemy appears
        ("spawn_every", within(np.int64, 1, SPAWN)),  # steps between two
        ("move_every", within(np.int64, FASTEST, MOVE)),  # an enemy waits for this number of steps between moves
        ("diver_timer", within(np.int64, 0, DIVER)),  # steps until a diver appears
        ("ramps", within(np.int64, 0, 1)),  # how often the game has become faster, odd or even
        *things("shots", SHOTS),
        *things("swimmers", DIVERS),
        *things("subs", ENEMIES),
        *things("torpedoes", ENEMIES),
        *things("fish", ENEMIES),
    ]


@kernel
def reset(s):
    s.last_action = 0
    s.x, s.y, s.right = 5, 0, 0
    s.oxygen = OXYGEN
    s.divers = 0
    s.at_surface = 1
    s.reload = 0
    s.spawn_timer = s.spawn_every = SPAWN
    s.move_every = MOVE
    s.diver_timer = DIVER
    s.ramps = 0
    s.shots_count = s.swimmers_count = s.subs_count = s.torpedoes_count = s.fish_count = 0


@kernel
def add(list_, count, x, y, right, moves, fires):
    """Append a thing; the new count."""
    if count >= list_.shape[0]:
        return count
    list_[count, X] = x
    list_[count, Y] = y
    list_[count, RIGHTWARD] = right
    list_[count, MOVES] = moves
    list_[count, FIRES] = fires
    return count + 1


@kernel
def remove(list_, count, k):
    """Remove the first thing that is equal to thing k; the new count."""
    found = k
    for j in range(k - 1, -1, -1):
        equal = True
        for part in range(PARTS):
            equal = equal and list_[j, part] == list_[k, part]
        if equal:
            found = j
    for j in range(found, count - 1):
        for part in range(PARTS):
            list_[j, part] = list_[j + 1, part]
    for part in range(PARTS):
        list_[count - 1, part] = 0
    return count - 1


@kernel
def first_at(list_, count, x, y):
    """The first thing in a cell, or -1."""
    for k in range(count):
        if list_[k, X] == x and list_[k, Y] == y:
            return k
    return -1


@kernel
def against(list_, count, y, right):
    """Whether a thing in this row moves in the other direction."""
    for k in range(count):
        if list_[k, Y] == y and (list_[k, RIGHTWARD] != 0) != right:
            return True
    return False


@kernel
def appear(s):
    """Enemies and divers whose time it is appear."""
    if s.spawn_timer == 0:
        s.spawn_timer = s.spawn_every
        right, submarine = bernoulli(s, 0.5), bernoulli(s, 1.0 / 3.0)
        x, y = 0 if right else SIZE - 1, 1 + randint(s, ROWS)
        if not against(s.subs, s.subs_count, y, right) and not against(s.fish, s.fish_count, y, right):
            if submarine:
                s.subs_count = add(s.subs, s.subs_count, x, y, right, s.move_every, SHOT)
            else:
                s.fish_count = add(s.fish, s.fish_count, x, y, right, s.move_every, 0)
    if s.diver_timer == 0:
        s.diver_timer = DIVER
        right = bernoulli(s, 0.5)
        x, y = 0 if right else SIZE - 1, 1 + randint(s, ROWS)
        s.swimmers_count = add(s.swimmers, s.swimmers_count, x, y, right, SWIM, 0)


@kernel
def act(s, action):
    """The submarine moves or fires."""
    if action == FIRE and s.reload == 0:
        s.shots_count = add(s.shots, s.shots_count, s.x, s.y, s.right, 0, 0)
        s.reload = RELOAD
    elif action == LEFT:
        s.x = max(s.x - 1, 0)
        s.right = 0
    elif action == RIGHT:
        s.x = min(s.x + 1, SIZE - 1)
        s.right = 1
    elif action == UP:
        s.y = max(s.y - 1, 0)
    elif action == DOWN:
        s.y = min(s.y + 1, ROWS)


@kernel
def ahead(list_, k):
    """Move a thing by one cell; whether it is still on the screen."""
    list_[k, X] += 1 if list_[k, RIGHTWARD] != 0 else -1
    return 0 <= list_[k, X] < SIZE


@kernel
def here(s, list_, k):
    """Whether a thing is in the submarine's cell."""
    return list_[k, X] == s.x and list_[k, Y] == s.y


@large_kernel
def move_shots(s):
    """The submarine's shots; the number of enemies that they hit."""
    hits = 0
    for k in range(s.shots_count - 1, -1, -1):
        if not ahead(s.shots, k):
            s.shots_count = remove(s.shots, s.shots_count, k)
        else:
            fish = first_at(s.fish, s.fish_count, s.shots[k, X], s.shots[k, Y])
            sub = first_at(s.subs, s.subs_count, s.shots[k, X], s.shots[k, Y])
            if fish >= 0:
                s.fish_count = remove(s.fish, s.fish_count, fish)
            elif sub >= 0:
                s.subs_count = remove(s.subs, s.subs_count, sub)
            if fish >= 0 or sub >= 0:
                s.shots_count = remove(s.shots, s.shots_count, k)
                hits += 1
    return hits


@large_kernel
def move_divers(s):
    """Divers swim and come on board."""
    for k in range(s.swimmers_count - 1, -1, -1):
        gone = here(s, s.swimmers, k) and s.divers < BOARD
        s.divers += gone
        if not gone and s.swimmers[k, MOVES] == 0:
            s.swimmers[k, MOVES] = SWIM
            if not ahead(s.swimmers, k):
                gone = True
            elif here(s, s.swimmers, k) and s.divers < BOARD:
                gone = True
                s.divers += 1
        elif not gone:
            s.swimmers[k, MOVES] -= 1
        if gone:
            s.swimmers_count = remove(s.swimmers, s.swimmers_count, k)


@kernel
def advance(s, list_, k):
    """An enemy moves if it is time: 0 if it stays in the game, 1 if it is off the screen, 2 if it has met a shot."""
    if here(s, list_, k):
        s.terminated[0] = 1
    if list_[k, MOVES] != 0:
        list_[k, MOVES] -= 1
        return 0
    list_[k, MOVES] = s.move_every
    if not ahead(list_, k):
        return 1
    if here(s, list_, k):
        s.terminated[0] = 1
        return 0
    shot = first_at(s.shots, s.shots_count, list_[k, X], list_[k, Y])
    if shot < 0:
        return 0
    s.shots_count = remove(s.shots, s.shots_count, shot)
    return 2


@large_kernel
def move_enemies(s):
    """Enemy submarines, their shots, and fish; the number of enemies that have met a shot."""
    hits = 0
    for k in range(s.subs_count - 1, -1, -1):
        met = advance(s, s.subs, k)
        x, y, right, fires = s.subs[k, X], s.subs[k, Y], s.subs[k, RIGHTWARD], s.subs[k, FIRES]
        if met == 0:
            s.subs[k, FIRES] = SHOT if fires == 0 else fires - 1
        else:
            hits += met == 2
            s.subs_count = remove(s.subs, s.subs_count, k)
        if fires == 0:  # also one that is gone now
            s.torpedoes_count = add(s.torpedoes, s.torpedoes_count, x, y, right, 0, 0)
    for k in range(s.torpedoes_count - 1, -1, -1):
        if here(s, s.torpedoes, k):
            s.terminated[0] = 1
        if not ahead(s.torpedoes, k):
            s.torpedoes_count = remove(s.torpedoes, s.torpedoes_count, k)
        elif here(s, s.torpedoes, k):
            s.terminated[0] = 1
    for k in range(s.fish_count - 1, -1, -1):
        met = advance(s, s.fish, k)
        if met != 0:
            hits += met == 2
            s.fish_count = remove(s.fish, s.fish_count, k)
    return hits


@kernel
def surface(s):
    """The submarine comes up with divers; the reward."""
    earned = 0.0
    if s.divers == BOARD:
        s.divers = 0
        earned = np.float64(s.oxygen * 10 // OXYGEN)
    s.oxygen = OXYGEN
    s.divers -= 1
    if s.params.ramping and (s.spawn_every > 1 or s.move_every > FASTEST):
        if s.move_every > FASTEST and s.ramps == 1:
            s.move_every -= 1
        s.spawn_every = max(s.spawn_every - 1, 1)
        s.ramps = 1 - s.ramps
    return earned


@kernel
def step(s, actions, rewards):
    action = arcade.stick(s, actions[0])
    appear(s)
    act(s, action)
    rewards[0] = np.float64(move_shots(s))
    move_divers(s)
    rewards[0] += np.float64(move_enemies(s))
    s.spawn_timer = max(s.spawn_timer - 1, 0)
    s.diver_timer = max(s.diver_timer - 1, 0)
    s.reload = max(s.reload - 1, 0)
    if s.oxygen <= 0:
        s.terminated[0] = 1
    if s.y > 0:
        s.oxygen = max(s.oxygen - 1, -1)
        s.at_surface = 0
    elif s.at_surface == 0:
        s.at_surface = 1
        if s.divers == 0:
            s.terminated[0] = 1
        else:
            rewards[0] += surface(s)
    arcade.limit(s)


@kernel
def show(list_, count, out, plane, trail):
    """Things on the screen, and the cells behind them where they leave a trail."""
    for k in range(count):
        x, y = np.int64(list_[k, X]), np.int64(list_[k, Y])
        arcade.mark(out, y, x, plane)
        behind = x - (1 if list_[k, RIGHTWARD] != 0 else -1)
        if trail and 0 <= behind < SIZE:
            arcade.mark(out, y, behind, 3)


@kernel
def observe(s, agent, out):
    arcade.clear(out)
    arcade.mark(out, s.y, s.x, 0)
    behind = s.x - (1 if s.right else -1)
    if 0 <= behind < SIZE:
        arcade.mark(out, s.y, behind, 1)
    show(s.shots, s.shots_count, out, 2, False)
    show(s.torpedoes, s.torpedoes_count, out, 4, False)
    show(s.fish, s.fish_count, out, 5, True)
    show(s.subs, s.subs_count, out, 6, True)
    show(s.swimmers, s.swimmers_count, out, 9, True)
    for x in range(max(s.oxygen, 0) * 10 // OXYGEN):
        arcade.mark(out, SIZE - 1, x, 7)
    for k in range(s.divers):
        arcade.mark(out, SIZE - 1, SIZE - 2 - k, 8)


PAGE = Page(
    role="You steer a submarine that shoots enemies and rescues divers.",
    goal=(
        "Each enemy that your shots hit pays 1 point. Coming up to the surface with 6 divers pays 1 point for each "
        "full 20 units of oxygen that you still have."
    ),
    rules=(
        "Row 0 is the surface. You start there, facing left, and can move in the rows 0 to 8. Fish, enemy submarines "
        "and divers come in at the left or right edge and cross the rows 1 to 8 to the other edge, where they leave.",
        (
            "In each step new enemies and divers appear first. Then you move or fire, and your shots fly on by one "
            "cell. After that the divers, the enemy submarines, their shots and the fish move.",
            STICKY,
        ),
        "A shot and the first enemy in its cell are both gone (a fish before a submarine), and so are an enemy and a "
        "shot that it moves into. An enemy or an enemy's shot in your cell hits you, and the game is over. Each enemy "
        "submarine fires ahead in every 11th step, and its shots fly one cell in a step.",
        (
            "In every 20th step an enemy appears in a random row: a submarine with a chance of one in three, otherwise "
            "a fish. None appears if an enemy of that row moves in the other direction. Enemies move in every 6th "
            "step.",
            When(
                "ramping",
                (
                    "Each time that you come up and the game goes on, enemies come one step sooner after each other, "
                    "at last in every step. Every second time they also move one step sooner, at last in every 3rd "
                    "step."
                ),
            ),
        ),
        "In every 30th step a diver appears; divers move in every 6th step. You take a diver in your cell on board, up "
        "to 6 of them.",
        "You have 200 units of oxygen and lose 1 in each step below the surface. The game ends in the step after the "
        "last unit is gone, even if you come up in it, and when you come up without a diver. Otherwise your oxygen is "
        "full again and one diver leaves. Of 6 divers all leave, and one more is owed: the next diver that you rescue "
        "does not count. As long as you owe divers, you may come up without one, and then owe one more.",
    ),
    sees=(SCREEN, "The mark behind a thing shows where it comes from. You see your oxygen in tenths, rounded down."),
    acts={
        ("left", "right"): "move by one column and face this way",
        ("up", "down"): "move by one row; you still face the same way",
        "fire": "fire in the direction that you face; not possible in the 4 steps after a shot",
        "noop": "do nothing",
    },
    ends="Otherwise the game is over after {horizon:step}.",
    constants={
        **CONSTANTS,
        "1": "an enemy; units of oxygen; the first row with things",
        "6": "divers on board; steps between moves at first, and those of divers",
        "20": "oxygen for a point; steps between enemies at first",
        "8": "the last row",
        "11": "steps between shots of an enemy",
        "three": "the share of submarines",
        "3": "steps between moves at last",
        "30": "steps between divers",
        "200": "oxygen",
        "4": "steps without a shot",
    },
)


class Seaquest(Arcade):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    player_page = PAGE
    kind = ("arcade",)
    verified = "MinAtar's own games, step by step"
    variants = (dict(ramping=False, sticky=0.0, horizon=60),)
    shown = "hunter"
    planes = (
        Plane("submarine", "@", "blue", "disc"),
        Plane("its back", "=", "blue", "bar"),
        Plane("shot", "'", "white", "dot"),
        Plane("behind a thing", ",", "white@0.5", "dot"),
        Plane("shot of an enemy", "!", "orange", "dot"),
        Plane("fish", "f", "red", "disc"),
        Plane("enemy submarine", "S", "purple"),
        Plane("oxygen", "o", "sky", "bar"),
        Plane("diver on board", "d", "yellow", "dot"),
        Plane("diver", "D", "yellow", "disc"),
    )

    def __init__(
        self,
        ramping: bool = True,
        sticky: Annotated[float, Between(0, 1)] = 0.1,
        horizon: Annotated[int, Between(1, 1_000_000)] = 2500,
    ):
        self.define_game(fields(), sticky, horizon, 20.0, ramping=ramping)

    def status(self, s: Any) -> str:
        return (
            f"Oxygen {max(int(s.oxygen), 0) * 10 // OXYGEN} of 10, {max(int(s.divers), 0)} of {BOARD} divers on board."
        )


env, raw_env, parallel_env = pettingzoo_forms(Seaquest)
