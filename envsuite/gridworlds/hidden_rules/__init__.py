"""HiddenRules: find out by acting how a small world works, and then predict, plan in it, or notice that it has changed.

**Rules.** A world is a grid of `size` x `size` colored cells. It follows one of fourteen rules, which the agent is not
told. An episode has two parts.

*Exploring.* The agent acts in the world: it waits, uses the arrow keys, or clicks on a cell. `reset` takes the world
back to its start, and `test` begins the test. The test begins by itself after `explore` steps.

*The test* begins at the same start. There are three tasks:

- `predict`: the agent sees a video of random actions and their frames, one at a time. In its last 6 frames a window of
  5 x 7 cells is hidden. The agent can watch the video again by `reset`. It chooses from six options what the window
  shows in the last frame. Wrong options come from other actions, from the changed rule, or from other frames.
- `plan`: the agent is shown what a window of 5 x 7 cells shall look like, and acts until it does. A random walk of
  `walk` or a few more actions from the start has made this goal.
- `detect`: the agent acts in the world, and from some event on, its rule has changed: from the third to eighth of
  its kind. From the third step on, the agent can say `found`. Then it can look at each frame of the test, and `submit`
  the one from which on the rule has changed.

*The rules.* "Free" is a cell that was empty in the frame before the step. So two things can move into the same cell.
Solids fall straight down while the cell below is free. Liquids do so too; otherwise they move sideways towards the
nearest hole of the row below, the right one of two equals. Of each rule, its event comes last, and what the changed
rule does then in `detect`.

- "ice": left and right move a cloud, and down drops water from it. A click switches day and night, and water and ice.
  At night, ice is dropped. *Event:* a drop; ice is dropped for water, and water for ice.
- "gravity": blocks of 2 x 2 cells move in one direction, through each other and off the grid. A click on a free cell
  adds one; four buttons set the direction. *Event:* blocks move; they move backwards.
- "drift": an arrow changes the velocity of all blobs, from -1 to 1 on each axis, from the next step on. A click on a
  free cell adds a blob. *Event:* blobs move; they move backwards.
- "magnets": arrows move a magnet. It cannot touch another one with equal poles, and snaps to it if opposite poles are
  two cells apart in a line. *Event:* an arrow; it is reversed.
- "disease": arrows move one particle. Healthy particles fall ill beside ill ones. A click on a particle takes control
  of it. *Event:* an arrow; it moves the particle by two cells.
- "ants": a click drops two pieces of food at random places. Ants walk to the nearest food, first sideways, and eat it.
  *Event:* ants walk; they walk away from the food.
- "sand": a click on a free cell adds sand, a solid, or water, as the last button said. Sand that has been beside water
  is liquid. *Event:* something is added; it is water for sand, and sand for water.
- "plug": a click on a free cell adds vessel, plug or water, as the last button said. Two more buttons remove the plugs,
  or everything. *Event:* something is added; it is the next of the three.
- "wind": every five steps drops appear below a cloud. Left and right change their slant, from -1 to 1. *Event:* drops
  appear; they do so one cell to the right.
- "egg": arrows move an egg. A click on the button lets it fall, and the next one stops that. An egg that is high when
  the button is pressed breaks into 21 liquid pieces. *Event:* an arrow; it is reversed.
- "crates": an arrow moves the agent and all crates at once. Crates and walls stop the agent. A hole swallows crates. A
  crate from the agent's own cell goes on by a second cell if it is free, or through a teleporter. A click on a free
  cell adds a crate. *Event:* an arrow; crates stay.
- "life": a click makes a cell live. One button makes a generation of Conway's Game of Life, and another one clears the
  grid. *Event:* a click on a dead cell; the cell to the right of it lives.
- "paint": a click paints a cell. Up changes the color: red, gold, green, blue, purple. *Event:* a click; it paints with
  the next color.
- "lamps": any click switches all lamps. *Event:* a click; it switches every other lamp.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| frame | Box (size, size) uint8 | colors, row 0 on top |
| phase | Discrete (3) | 0 exploring, 1 test, 2 choosing an option or a frame |
| clock | Box (2,) int64 | steps of this phase, and of the episode |
| number | Box (2,) int64 | the number of the frame that is shown and of the last one, in `predict` and `detect` |
| took | Discrete (actions) | the action before the frame of the video, in `predict` |
| window | Box (2,) int64 | the window's first row and column in the tests of `predict` and `plan` |
| options | Box (6, 5, 7) uint8 | what the window may show, while the agent chooses in `predict` |
| goal | Box (size, size) uint8 | the colors to reach in `plan`, and 20 wherever any color will do |

Colors are 0 nothing, 1 gold, 2 `grey`, 3 blue, 4 light blue, 5 red, 6 dark orange, 7 green, 8 dark green, 9 tan, 10
sandy brown, 11 sky blue, 12 purple, 13 orange, 14 pink, 15 light pink, 16 silver, 17 yellow, 18 white, 19 black, and 20
hidden.

**Actions.** Discrete (size x size + 13, + 7, or + 109 with 100 frames), by task.

| action | name | legal |
|---|---|---|
| 0 | `noop` | in the world, and to see the next frame of a video |
| 1-4 | `left`, `right`, `up`, `down` | in the world |
| 5 + row x size + column | `click 0 0`: a column and a row | in the world |
| next | `reset` | while exploring, and after a video |
| next | `test` | while exploring |
| next, `predict` | `option 0` to `option 5` | after a video |
| next, `detect` | `found` | in the test, from the third step on |
| next, `detect` | `submit`, `frame 0`, `frame 1`, ... | after `found`; frames that there are |

**Window.** The arrow keys are actions, and space waits. A click on a cell clicks there; a click on an option chooses
it. `r` resets, `t` begins the test, `f` is `found`, and return submits. While the agent chooses a frame, a click on the
bar below the grid shows the frame at this point.

**Rewards.** All at the end. `predict`: 1 for the right option, otherwise -1. `plan`: 1 for the goal. `detect`, for the
frame c if the rule has changed from the frame t on: -1 if c < t - 1, or if it has not changed; 1 for t - 1 and t;
later ones get 1.377 / (1 - r exp(-r)) - 1.178 with r = c / t, which falls from 1 to about 0.2.

**Ends.** Terminates with the choice of an option or a frame, or at the goal; truncated after `steps` steps, and in
`detect` when the test has as many frames as fit, see `frames`.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `task` | "predict" | "predict", "plan" or "detect" |
| `rule` | "any" | one of the fourteen rules, or "any": drawn uniformly |
| `size` | 16 | side of the grid, from 8 to 20 |
| `explore` | 300 | the most steps of exploring, from 0 to 10,000 |
| `frames` | None | frames of a video or of the test of `detect`, from 10 to 120; None: 31 and 100 |
| `walk` | 5 | actions of the walk that makes a goal, from 1 to 20 |
| `steps` | 501 | steps until truncation, from 1 to 10,000 |

**Level.** ``{"rule": "magnets", "things": [["fixed magnet", 7, 7], ["magnet", 4, 7]]}``: each thing with its column and
row, and with a mark if it is not 0. These are the things, with the colors of their marks:

| rule | things |
|---|---|
| ice | `sun` (gray, gold), `cloud`, `drop` (light blue, blue) |
| gravity | `left button`, `right button`, `up button`, `down button`, `block` |
| drift | `blob` |
| magnets | `fixed magnet`, `magnet` |
| disease | `particle` (dark green, gray), `agent` (dark green, gray) |
| ants | `ant`, `food` |
| sand | `sand button`, `water button`, `sand` (tan, sandy brown), `water` |
| plug | `vessel`, `plug`, `water`, `vessel button`, `plug button`, `water button`, `remove button`, `clear button` |
| wind | `drop`, `cloud` |
| egg | `egg`, `piece`, `button` (red, pink) |
| crates | `agent`, `crate`, `hole`, `exit`, `entry`, `wall` |
| life | `cell`, `next button`, `clear button` |
| paint | `spot` (red, gold, green, blue, purple) |
| lamps | `lamp` (white, yellow) |

Things that a rule needs once must be there once: all buttons and magnets, the sun, the cloud of "ice", the egg, the
agent, the hole, the exit and the entry of the teleporter. Things may not overlap.

**Known values.** Random play earns -2/3 in `predict`. For c / t = 2, 3, 5 and without end, `detect` pays 0.7100,
0.4408, 0.2470 and 0.199. From the layouts of the source: in "ice", `down` and 14 waits let a drop lie in row 15; in
"magnets", `right` ends at column 5, and `up` and four times `right` at column 6, row 6; in "plug", water at (7, 5)
rests at (6, 12).

**Differences.** From AutumnBench, its interpreter and MARAProtocol:

- Of its programs, which are not all published, fourteen are here. Layouts are our own and random. Its tests are not
  published, but for one of each task; ours are drawn at random, and what changes in `detect` is our own.
- A video has 31 frames unless `frames` says otherwise; that of its example has 73.
- A rule keeps at most as many things as the grid has cells, also off the grid, and adds no more. Drops of "wind" below
  the grid are forgotten.
- The walls of "crates" are visible; there they are black on black. A crate from the agent's own cell goes on by a
  second cell; there this stops the interpreter.
- The egg breaks above row `size` - 6, which is row 10 there.
- Exploring has 300 steps unless the agent begins the test, and the test of `detect` has no `reset`.
- In "ants", no food is dropped in the hidden frames of `predict` and for the goal of `plan`, because nobody could know
  where. Instead there is food at the start.

**Source.** Warrier et al., "Benchmarking World-Model Learning", 2025 (WorldTest and AutumnBench);
BasisResearch/Autumn.cpp and BasisResearch/MARAProtocol; Das et al., "Combining Functional and Automata
Synthesis to Discover Causal Reactive Programs", 2023.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.elementary import exp
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import known_parts, read_name
from envsuite.core.parameters import is_integer
from envsuite.core.random import randint
from envsuite.core.ranges import below, fixed, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.gridworlds.hidden_rules import kernels as rules
from envsuite.gridworlds.hidden_rules import pages, view
from envsuite.gridworlds.hidden_rules.kernels import HIDDEN
from envsuite.gridworlds.hidden_rules.layouts import fits, lay_out, put
from envsuite.registry import pettingzoo_forms

Rule = Literal[
    "any", "ice", "gravity", "drift", "magnets", "disease", "ants", "sand", "plug", "wind", "egg", "crates", "life",
    "paint", "lamps",
]  # fmt: skip
Task = Literal["predict", "plan", "detect"]
PREDICT, PLAN, DETECT = range(3)
TASK_NAMES = ("predict", "plan", "detect")

EXPLORE, TEST, CHOOSE = range(3)

OPTIONS, ROWS, COLUMNS = 6, 5, 7
#: The last frames of a video whose window is hidden.
LAST = 6
#: The events from which on a rule can be changed: the first of them, and their number.
FIRST_EVENT, EVENTS = 3, 6
#: Tries for a video or a goal in which something changes, and for each wrong option.
TRIES = 8


def fields(size: int, task: int, frames: int, actions: int) -> list[tuple]:
    """The record."""
    world, film = np.dtype(rules.fields(size), align=True), frames if task != PLAN else 1
    return [
        ("rule", below(np.int64, len(rules.RULES))),
        ("start", world),  # the layout
        ("now", world),  # the world that the agent acts in
        ("other", world),  # another run of it, used while a test is made
        ("phase", below(np.int64, 3)),
        ("clock", within(np.int64, 0, rules.BOUND)),  # steps of the phase
        ("film", below(np.uint8, HIDDEN), (film, size, size)),  # predict, detect: frames of the test
        ("took", below(np.int64, actions), (film,)),  # predict: the action before each frame of the film
        ("number", below(np.int64, frames)),  # of the frame that is shown; before a choice in `detect`, of the last one
        ("last", below(np.int64, frames)),  # number of the last frame of the film
        ("row", within(np.int64, 0, size - ROWS)),  # predict, plan: the window's first row and column
        ("column", within(np.int64, 0, size - COLUMNS)),
        ("options", below(np.uint8, HIDDEN), (OPTIONS, ROWS, COLUMNS)),  # predict
        ("answer", below(np.int64, OPTIONS)),
        ("goal", below(np.uint8, HIDDEN + 1), (size, size)),  # plan
        (
            "trigger",
            within(np.int64, -1, frames - 1),
        ),  # detect: number of the first frame of the changed rule; -1 before
    ]


@kernel
def first_extra(s):
    """The number of the action `reset`; `test` and those of the task follow."""
    return rules.CLICK + s.now.frame.size


@kernel
def reset(s):
    if not s.level_given:
        s.rule = s.params.rule - 1 if s.params.rule > 0 else randint(s, len(rules.RULES))
        lay_out(s, s.start, s.rule)
    rules.begin(s.start, s.rule)
    rules.copy(s.now, s.start)
    rules.copy(s.other, s.start)
    s.phase = EXPLORE
    s.clock = 0
    clear_test(s)
    if s.params.explore == 0:
        begin_test(s)


@kernel
def clear_test(s):
    """Nothing of the test is known yet."""
    s.number = 0
    s.last = 0
    s.row = 0
    s.column = 0
    s.answer = 0
    s.trigger = -1
    for k in range(s.film.size):
        s.film.flat[k] = 0
    for k in range(s.took.shape[0]):
        s.took[k] = rules.NOOP
    for k in range(s.options.size):
        s.options.flat[k] = 0
    for k in range(s.goal.size):
        s.goal.flat[k] = HIDDEN


@large_kernel
def begin_test(s):
    """Start again from the layout, with the test of the task."""
    s.phase = TEST
    s.clock = 0
    if s.params.task == PREDICT:
        make_film(s)
        make_options(s)
    elif s.params.task == PLAN:
        make_goal(s)
    rules.copy(s.now, s.start)
    if s.params.task == DETECT:
        s.now.fuse = FIRST_EVENT + randint(s, EVENTS)
        keep_frame(s, 0)


# Making a test.


@kernel
def keep_frame(s, number):
    """Make the present frame one of the film."""
    for k in range(s.now.frame.size):
        s.film[number].flat[k] = s.now.frame.flat[k]


@kernel
def changed(one, other):
    """The number of cells in which two frames differ."""
    count = 0
    for k in range(one.size):
        count += one.flat[k] != other.flat[k]
    return count


@kernel
def aim(s, one, other):
    """Lay the window around a random cell in which two frames differ, or around any cell if they do not."""
    size, count = one.shape[0], changed(one, other)
    chosen, cell = randint(s, count if count > 0 else one.size), 0
    for k in range(one.size):
        if count == 0 or one.flat[k] != other.flat[k]:
            if chosen == 0:
                cell = k
            chosen -= 1
    s.row = min(max(cell // size - ROWS // 2, 0), size - ROWS)
    s.column = min(max(cell % size - COLUMNS // 2, 0), size - COLUMNS)


@kernel
def in_window(s, y, x):
    """Whether a cell is in the window."""
    return s.row <= y < s.row + ROWS and s.column <= x < s.column + COLUMNS


@kernel
def certain(s, action):
    """The action, but none that drops food, since nobody could know where."""
    return np.int64(rules.NOOP) if s.rule == rules.ANTS and action >= rules.CLICK else action


@large_kernel
def make_film(s):
    """Record a film in whose last frames something changes, if a few tries find one."""
    s.last = s.film.shape[0] - 1
    for _ in range(TRIES):
        shoot(s)
        if changed(s.film[s.last - LAST], s.film[s.last]) > 0:
            break
    aim(s, s.film[s.last - LAST], s.film[s.last])


@kernel
def shoot(s):
    """Record a film; `other` becomes the world before its last frames."""
    rules.copy(s.now, s.start)
    keep_frame(s, 0)
    for number in range(1, s.last + 1):
        if number == s.last - LAST + 1:
            rules.copy(s.other, s.now)
        action = rules.lively(s, s.now, s.rule)
        if number > s.last - LAST:
            action = certain(s, action)
        s.took[number] = action
        rules.advance(s, s.now, s.rule, action)
        keep_frame(s, number)


@large_kernel
def make_options(s):
    """The right option among five others, in a random order."""
    fill(s, 0, s.film[s.last])
    for option in range(1, OPTIONS):
        found = False
        for attempt in range(TRIES):
            if not found:
                imagine(s, option, (option + attempt) % 3)
                found = is_new(s, option)
        if not found:
            alter(s, option)
    s.answer = randint(s, OPTIONS)
    for k in range(ROWS * COLUMNS):
        right = s.options[0].flat[k]
        s.options[0].flat[k] = s.options[s.answer].flat[k]
        s.options[s.answer].flat[k] = right


@kernel
def fill(s, option, frame):
    """Make what a frame has in the window an option."""
    for y in range(ROWS):
        for x in range(COLUMNS):
            s.options[option, y, x] = frame[s.row + y, s.column + x]


@kernel
def imagine(s, option, how):
    """A wrong option: after other actions (0), by the changed rule (1), or from another time (2)."""
    if how == 2:
        fill(s, option, s.film[randint(s, s.last)])
        return
    rules.copy(s.now, s.other)
    if how == 1:
        s.now.fuse = 1
    for number in range(s.last - LAST + 1, s.last + 1):
        action = rules.lively(s, s.now, s.rule) if how == 0 else np.int64(s.took[number])
        rules.advance(s, s.now, s.rule, action)
    fill(s, option, s.now.frame)


@kernel
def is_new(s, option):
    """Whether an option differs from those before it."""
    for k in range(option):
        if changed(s.options[k], s.options[option]) == 0:
            return False
    return True


@kernel
def alter(s, option):
    """A wrong option: the right one but for one cell, which becomes empty, or gets a color of the last frame."""
    color = np.int64(1)
    for k in range(s.now.frame.size):
        if s.film[s.last].flat[k] != 0:
            color = np.int64(s.film[s.last].flat[k])
    first, found = randint(s, ROWS * COLUMNS), False
    for k in range(ROWS * COLUMNS):
        if not found:
            fill(s, option, s.film[s.last])
            cell = (first + k) % (ROWS * COLUMNS)
            s.options[option].flat[cell] = 0 if s.options[option].flat[cell] != 0 else color
            found = is_new(s, option)


@large_kernel
def make_goal(s):
    """Walk at random until something has changed, and show a part of where the walk led."""
    for attempt in range(TRIES):
        rules.copy(s.other, s.start)
        for _ in range(s.params.walk + attempt):
            rules.advance(s, s.other, s.rule, certain(s, rules.lively(s, s.other, s.rule)))
        if changed(s.other.frame, s.start.frame) > 0:
            break
    aim(s, s.other.frame, s.start.frame)
    for y in range(s.row, s.row + ROWS):
        for x in range(s.column, s.column + COLUMNS):
            s.goal[y, x] = s.other.frame[y, x]


# Steps.


@kernel
def step(s, actions, rewards):
    action = actions[0]
    s.clock = min(s.clock + 1, rules.BOUND)
    if s.phase == EXPLORE:
        explore(s, action)
    elif s.params.task == PREDICT:
        predict(s, action, rewards)
    elif s.params.task == PLAN:
        plan(s, action, rewards)
    else:
        detect(s, action, rewards)
    if s.t >= s.params.steps and s.terminated[0] == 0:
        s.truncated[0] = 1


@kernel
def explore(s, action):
    extra = action - first_extra(s)
    if extra < 0:
        rules.advance(s, s.now, s.rule, action)
    elif extra == 0:
        rules.copy(s.now, s.start)
    if extra == 1 or s.clock >= s.params.explore:
        begin_test(s)


@kernel
def predict(s, action, rewards):
    """See the next frame; after the last one, see the film again or choose an option."""
    if s.phase == TEST:
        s.number += 1
        if s.number == s.last:
            s.phase = CHOOSE
        return
    option = action - first_extra(s) - 2
    if option < 0:
        s.number = 0
        s.phase = TEST
    else:
        rewards[0] = 1.0 if option == s.answer else -1.0
        s.terminated[0] = 1


@kernel
def plan(s, action, rewards):
    """Act until the window shows the goal."""
    rules.advance(s, s.now, s.rule, action)
    for k in range(s.goal.size):
        if s.goal.flat[k] != HIDDEN and s.goal.flat[k] != s.now.frame.flat[k]:
            return
    rewards[0] = 1.0
    s.terminated[0] = 1


@kernel
def detect(s, action, rewards):
    """Act until a change is found; then look at frames, and submit one."""
    extra = action - first_extra(s)
    if s.phase == TEST and extra < 0:
        rules.advance(s, s.now, s.rule, action)
        s.last += 1
        s.number = s.last
        keep_frame(s, s.last)
        if s.now.fired != 0 and s.trigger < 0:
            s.trigger = s.last
        if s.last == s.film.shape[0] - 1:
            s.truncated[0] = 1
    elif extra == 2:
        s.phase = CHOOSE
        s.number = 0
    elif extra == 3:
        rewards[0] = score(s.number, s.trigger)
        s.terminated[0] = 1
    else:
        s.number = min(max(extra - 4, 0), s.last)


@kernel
def score(chosen, trigger):
    """What it pays to choose this frame if the rule has changed from the frame `trigger` on, or (-1) has not."""
    if trigger < 0 or chosen < trigger - 1:
        return -1.0
    if chosen <= trigger:
        return 1.0
    ratio = chosen / trigger
    return min(max(1.377 / (1.0 - ratio * exp(-ratio)) - 1.178, 0.0), 1.0)


@kernel
def legal(s, agent, mask):
    first, task = first_extra(s), s.params.task
    if s.phase == EXPLORE or (s.phase == TEST and task != PREDICT):
        for action in range(first):
            mask[action] = 1
    if s.phase == EXPLORE:
        mask[first] = 1
        mask[first + 1] = 1
    elif task == PREDICT:
        if s.phase == TEST:
            mask[rules.NOOP] = 1
        else:
            mask[first] = 1
            for option in range(OPTIONS):
                mask[first + 2 + option] = 1
    elif task == DETECT:
        if s.phase == TEST:
            mask[first + 2] = s.last >= 2
        else:
            for number in range(s.last + 2):
                mask[first + 3 + number] = 1


@kernel
def observe(s, agent, out):
    size = s.now.frame.shape[0]
    filmed = s.params.task == PREDICT and s.phase != EXPLORE
    for y in range(size):
        for x in range(size):
            if filmed or (s.params.task == DETECT and s.phase == CHOOSE):
                hides = filmed and s.number > s.last - LAST and in_window(s, y, x)
                out.frame[y, x] = HIDDEN if hides else s.film[s.number, y, x]
            else:
                out.frame[y, x] = s.now.frame[y, x]
    out.phase = s.phase
    out.clock[0] = s.clock
    out.clock[1] = min(s.t, rules.BOUND)
    observe_test(s, out)


@kernel
def observe_test(s, out):
    """Write what all tasks show beside the frame; what is not of the task is zero."""
    known = s.phase == CHOOSE and s.params.task == PREDICT
    out.number[0] = s.number
    out.number[1] = s.last
    out.took = s.took[s.number] if s.params.task == PREDICT else 0
    for k in range(out.options.size):
        out.options.flat[k] = s.options.flat[k] if known else 0
    out.window[0] = s.row if s.phase != EXPLORE else 0
    out.window[1] = s.column if s.phase != EXPLORE else 0
    for k in range(s.goal.size):
        out.goal.flat[k] = s.goal.flat[k]


class HiddenRules(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    optimization = 1  # 3 takes a sixth longer here, for steps that are a fifth faster
    paid_at_end = True
    kind = ("puzzles",)
    verified = "programs run by the interpreter Autumn.cpp, frame by frame; scores in closed form"
    variants = (
        dict(task="plan", rule="magnets", size=9, explore=10, walk=3, steps=40),
        dict(task="plan", size=12, explore=0, steps=60),
        dict(task="detect", size=8, explore=5, frames=30),
        dict(task="detect", rule="ants", size=10, explore=0, frames=12),
        dict(task="predict", rule="plug", size=20, explore=3, frames=12),
    )
    shown = "clone"
    keys = {
        "left": "left", "right": "right", "up": "up", "down": "down", "space": "noop", "r": "reset", "t": "test",
        "f": "found", "return": "submit",
    }  # fmt: skip
    clickable = r"click \d+ \d+|option \d|frame \d+"
    synonyms = {"wait": "noop", "next": "noop"}
    text = reply = view.text  # told even where there is no choice: each frame of the video
    scene = view.scene
    click = view.click
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        task: Task = "predict",
        rule: Rule = "any",
        size: Annotated[int, Between(8, 20)] = 16,
        explore: Annotated[int, Between(0, 10_000)] = 300,
        frames: Annotated[int | None, Between(10, 120)] = None,
        walk: Annotated[int, Between(1, 20)] = 5,
        steps: Annotated[int, Horizon(1, 10_000)] = 501,
    ):
        film = frames or (100 if task == "detect" else 31)
        actions = ["noop", "left", "right", "up", "down"]
        actions += [f"click {x} {y}" for y in range(size) for x in range(size)]
        actions += ["reset", "test"]
        if task == "predict":
            actions += [f"option {k}" for k in range(OPTIONS)]
        elif task == "detect":
            actions += ["found", "submit", *(f"frame {k}" for k in range(film))]
        self.keys = {key: name for key, name in type(self).keys.items() if name in actions}
        self.define(
            agents=["agent"],
            actions=actions,
            observation=Dict(
                frame=Box(0, HIDDEN, (size, size), np.uint8),
                phase=Discrete(3),
                clock=Box(0, rules.BOUND, (2,), np.int64),
                number=Box(0, film - 1, (2,), np.int64),
                took=Discrete(len(actions)),
                window=Box(0, size, (2,), np.int64),
                options=Box(0, HIDDEN - 1, (OPTIONS, ROWS, COLUMNS), np.uint8),
                goal=Box(0, HIDDEN, (size, size), np.uint8),
            ),
            fields=fields(size, TASK_NAMES.index(task), film, len(actions)),
            params={
                "task": fixed(TASK_NAMES.index(task)),
                "rule": ("any", *rules.RULES).index(rule),
                "explore": explore,
                "walk": walk,
                "steps": steps,
            },
            reward_range={"predict": (-1.0, 1.0), "plan": (0.0, 1.0), "detect": (-1.0, 1.0)}[task],
        )

    def contradiction(self, s: Any) -> str | None:
        wanted = int(s.params.rule)
        if wanted and wanted - 1 != s.rule:
            return "the rule is not that of the parameters"
        for name, world in (("start", s.start), ("now", s.now), ("other", s.other)):
            for k, kind in enumerate(rules.TABLE[int(s.rule)]):
                count = int((world.kind[: world.things] == k).sum())
                broken = name != "start" and kind.name == "egg" and count == 0
                if kind.least == kind.most == 1 and count != 1 and not broken:
                    return f"{name} has {count} things of the kind {kind.name!r}, not one"
            if (world.kind[: world.things] >= len(rules.TABLE[int(s.rule)])).any():
                return f"{name} has a thing of an unknown kind"
        if s.number > s.last or s.last >= len(s.film) or (s.phase == EXPLORE and (s.last != 0 or s.trigger >= 0)):
            return "the film has no such frame"
        if s.params.task == PREDICT and s.phase != EXPLORE and (s.last != len(s.film) - 1 or self._misplaced(s)):
            return "the film is not at this place"
        over = bool(s.terminated[0] | s.truncated[0])
        if s.params.task == DETECT and (
            s.trigger > s.last or (s.last == len(s.film) - 1 and s.phase == TEST and not over)
        ):
            return "the test is over"
        if s.t >= s.params.steps and not over:
            return "the episode is over"
        return None

    def _misplaced(self, s: Any) -> bool:
        return bool((s.number == s.last) != (s.phase == CHOOSE))

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        name = level["rule"]
        known_parts(self.id, level, {"rule", "things"})
        s.rule = read_name(name, f"{self.id}: the level's rule", rules.RULES)
        if s.params.rule and rules.RULES[int(s.params.rule) - 1] != name:
            raise LevelError(f"{self.id}: the level's rule is {name!r}, but rule={self.parameters['rule']!r}")
        s.start.things = 0
        s.start.taken[:] = 0
        for thing in level["things"]:
            self._put(s, thing)
        kinds = s.start.kind[: s.start.things].tolist()
        for k, kind in enumerate(rules.TABLE[s.rule]):
            if not kind.least <= kinds.count(k) <= kind.most:
                most = f"to {kind.most}" if kind.most < 400 else "or more"
                wanted = f"{kind.least}" if kind.least == kind.most else f"{kind.least} {most}"
                raise LevelError(f"{self.id}: {kinds.count(k)} things {kind.name!r}; {name!r} needs {wanted}")

    def _put(self, s: Any, thing: Any) -> None:
        """Put a thing of a level into the start, or raise `LevelError`."""
        names = [kind.name for kind in rules.TABLE[s.rule]]
        name, x, y, *rest = thing
        mark = rest[0] if rest else 0
        if name not in names:
            raise LevelError(f"{self.id}: the thing {name!r} is not one of {', '.join(names)}")
        kind = names.index(name)
        if len(rest) > 1 or not all(map(is_integer, (x, y, mark))):
            raise LevelError(f"{self.id}: a thing is a name, a column, a row and perhaps a mark, not {thing!r}")
        if not 0 <= mark < len(rules.TABLE[s.rule][kind].colors):
            raise LevelError(
                f"{self.id}: the mark of {name!r} must be below {len(rules.TABLE[s.rule][kind].colors)}, not {mark}"
            )
        if abs(x) + abs(y) > 100 or not fits(s.start, s.rule, kind, x, y, 0):
            raise LevelError(f"{self.id}: {name!r} at {x}, {y} is not on the grid, or on another thing")
        put(s.start, s.rule, kind, x, y, mark)

    def get_level(self, s: Any) -> dict[str, Any]:
        things = []
        for k in range(int(s.start.things)):
            mark = int(s.start.mark[k])
            place = int(s.start.x[k]), int(s.start.y[k])
            things.append([rules.TABLE[int(s.rule)][int(s.start.kind[k])].name, *place, *([mark] if mark else [])])
        return {"rule": rules.RULES[int(s.rule)], "things": things}


env, raw_env, parallel_env = pettingzoo_forms(HiddenRules)
