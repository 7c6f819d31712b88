"""BabaRules: rules are words on blocks, and pushing the blocks changes what wins, what stops and who you are.

**Rules.** A room is enclosed by border. In its cells are things (baba, walls, balls, keys and doors of seven colors)
and blocks with words. Three blocks in a row, from left to right or from top to bottom, are a *sentence*:

| sentence | says |
|---|---|
| noun `IS` property | all things of a kind have a property |
| color noun `IS` property | only those of that color have it, whatever a sentence without a color says |
| noun `IS` noun | things of the first kind become the second |

Only blocks that are on top of their cells count. Where four blocks are a sentence, the last three of them are none.

| property | things that have it |
|---|---|
| `you` | are moved by the agent |
| `win`, `lose` | end the episode when a thing that is `you` moves onto them |
| `stop` | let nothing move onto them |
| `push` | are moved by what moves into them; blocks always are |
| `pull` | follow what was ahead of them |
| `move` | move by themselves in the way that they face |
| `open`, `shut` | vanish together when one moves towards the other |

Border and blocks always stop. All other things lie on top of each other without harm.

*Order of a step.* After `idle` nothing happens. After a move:

1. Cell by cell, row by row from the top left, each thing that is `you` turns and moves by one cell.
2. In the same order, each thing that is `move` moves by one cell, unless it has just moved as `you`.
3. The last thing that was moved as `you` wins or loses: what counts is the piece on top of the cell that it moved to,
   before it arrived. If it did not move, the piece on top of its own cell counts, which usually is itself.
4. The sentences are read again. Each thing that is to become another gets a new one of the usual color on top of it.

Only pieces on top of a cell move, and each one once per step. One that was covered by another before its turn keeps its
turn for the step in which it comes to the top. A piece moves as follows:

1. If it is `open` and the piece ahead `shut`, or the other way round, both vanish. What comes to the top of its cell
   continues in its place.
2. If the piece ahead was a block or `push`, what is now in that cell moves first, by the same rules.
3. The piece moves unless the piece ahead, on top, stops it. A thing then faces the way of its move.
4. If the piece behind is `pull`, it moves too, by the same rules. It does so even if this piece has not moved.

If a sentence with a color makes things `pull` or `you`, then the first time in a step that something is about to move
onto one of them, its whole kind becomes `stop` for the rest of the step.

**Agents.** One, `agent`.

**Observation.** Box (height, width, `layers`, 3) uint8: the top pieces of each cell, the topmost first, as three
numbers.

| number | content |
|---|---|
| 0 | 0 nothing, 1 border, 2 baba, 3 wall, 4 ball, 5 key, 6 door, 7 block with a noun, 8 `IS`, 9 property, 10 color |
| 1 | which one, see below; 0 for nothing and border |
| 2 | where a thing faces: 0 right, 1 down, 2 left, 3 up; 0 for all other pieces |

Things, and blocks with colors, are 1 red, 2 green, 3 blue, 4 purple, 5 yellow, 6 `grey`, 7 white. Nouns are 1 baba, 2
wall, 3 ball, 4 key, 5 door. Properties are 1 you, 2 win, 3 stop, 4 push, 5 pull, 6 move, 7 lose, 8 open, 9 shut. `IS`
is 1.

**Actions.** Discrete (5), all of them always legal.

| action | name |
|---|---|
| 0 | `idle` |
| 1, 2, 3, 4 | `up`, `right`, `down`, `left` |

**Window.** The arrow keys move; space is `idle`. A click moves towards that point.

**Rewards.** 1 - 0.9 t / horizon for a win with action number t; -1 for a loss; 0 otherwise.

**Ends.** Terminates with a win or a loss; truncated after `horizon` actions.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `task` | "two_room-break_stop-goto_win" | what is to be done, see below |
| `distractors` | "none" | what is there besides, in the seven tasks from "goto_win" to "two_room-break_stop-make_win" |
| `winners` | "any" | what wins in "goto_win" and "make_win": "any", "ball" or "no_ball" |
| `width`, `height` | None, None | cells of the map, from 6 to 16; None: those of the task's rooms |
| `layers` | 1 | pieces of each cell that are observed, from 1 to 6 |
| `horizon` | 100 | actions until truncation, from 1 to 1,000,000 |

Balls, keys and doors are red, blue or green. "X" stands for the kind of one of them, "Y" for another.

| `task` | room | what is to be done |
|---|---|---|
| "you_win", "you_win-fixed_you" | 6 x 6 | read who you are and which thing beside you wins, and move onto it |
| "goto_win" | 8 x 8 | X is win: go to it |
| "make_win" | 8 x 8 | push the noun X into "... is win", and go to X |
| "two_room-goto_win" | 13 x 9 | go to X; the wall between two rooms does not stop you |
| "two_room-maybe_break_stop-goto_win" | 13 x 9 | go to X, which may be behind the wall |
| "two_room-break_stop-goto_win" | 13 x 9 | break "wall is stop", and go to X behind the wall |
| "two_room-make_win" | 13 x 9 | "... is win" is in the other room; go there, complete it, and go to X |
| "two_room-break_stop-make_win" | 13 x 9 | break "wall is stop", make "X is win", and go to X |
| "two_room-make_you" | 13 x 9 | "wall is stop" is in a corner: make "Y is you", and be the Y in the other room |
| "two_room-make_you-make_win" | 13 x 9 | the same, and make "X is win" as Y |
| "two_room-make_wall_win" | 13 x 9 | X is out of reach: break "wall is stop", and make "wall is win" |

| `distractors` | what is there besides |
|---|---|
| "none" | nothing |
| "obj" | a thing Y |
| "rule" | a block with the noun Y |
| "obj_rule" | both; the block cannot be pushed to where it would help |
| "obj-irrelevant_rule" | a thing Y, and a block with the noun of the third kind |
| "win_rule" | as "obj_rule", and the third kind is win, but is not there; the sentence may cover things |

Not every level can be solved.

**Level.** ``{"map": ["# # # # #", "# BALL IS WIN #", "# baba . red-ball #", "# BABA IS YOU #", "# # # # #"]}``: a
word for each cell.

| word | cell |
|---|---|
| `#`, `.` | border, nothing; the edge of a map is border |
| `BALL` | a block |
| `ball` | a thing of its usual color: white baba, `grey` wall, green ball, blue key, red door |
| `red-ball:left` | a thing of another color, and one that does not face right |
| `wall+BALL` | pieces in one cell, the lowest first |

A smaller map is placed at the top left. `envsuite generate rule_rooms` makes such levels, on request of a train or a
test split.

**Known values.** Of 15 episodes in each of the source's environments, random moves won 10 to 13 of those with
"goto_win", 7 to 9 with "two_room-goto_win", 0 to 4 with "two_room-break_stop-goto_win", 4 to 10 with
"two_room-maybe_break_stop-goto_win" and none with a task that has "make" in its name.

Breadth-first search in the source found shortest solutions of 37 of its levels: 1 to 7 moves in "goto_win", 14 to 28 in
"make_win", 1 to 5 in "two_room-goto_win", 10 to 12 in "two_room-break_stop-goto_win", 3 to 15 in
"two_room-maybe_break_stop-goto_win", 7 in "two_room-make_you" and 20 in "two_room-make_you-make_win". The breadth-first
search of the policy `planner` finds the same numbers.

**Differences.** Given a map, states, rewards and ends are those of Baba Is AI.

- A cell holds up to six pieces, and loses the lowest one if another comes on top. There it holds any number.
- A move causes up to 127 others. Some never end there, which is an error.
- A thing that has never been on top does not move in the step in which it comes to the top. There that is an error.
- Its names are those of the source without the prefix "env/", with `distractors` and `winners` apart:
  "make_win-distr_obj#no_ball_win" is ``task="make_win", distractors="obj", winners="no_ball"``.
- The facing is observed, because things with `move` follow it.
- The random numbers are drawn from the seed. There they ignore it.

**Source.** Cloos et al., "Baba Is AI: Break the Rules to Beat the Benchmark", 2024, and its code, commit ad466e0, as
used by Paglieri et al., "BALROG", 2024. The game Baba Is You is Teikari's, 2019.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.ranges import flag
from envsuite.core.world import Between, Kernels, World
from envsuite.gridworlds.baba_rules import laws, pages, pieces, view
from envsuite.gridworlds.baba_rules.laws import ACTIONS, LOST, WON
from envsuite.gridworlds.baba_rules.levels import SIZES, Distractors, RuleRooms, Task, Winners, make
from envsuite.registry import pettingzoo_forms

#: The highest numbers of an observed piece.
HIGH = np.array([view.COLOR_BLOCK, 9, 3], np.uint8)


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    height, width = s.level.pieces.shape[0], s.level.pieces.shape[1]
    s.width, s.cells, s.won = width, height * width, 0
    for cell in range(height * width):
        s.count[cell] = 0
        for depth in range(pieces.DEPTH):
            piece = s.level.pieces[cell // width, cell % width, depth]
            s.pieces[cell, depth] = piece
            s.count[cell] += piece != pieces.NOTHING
    fill(s.frames, 0)
    laws.read(s)


@kernel
def step(s, actions, rewards):
    outcome = laws.advance(s, actions[0])
    if outcome == WON:
        rewards[0] = 1.0 - 0.9 * (s.t / s.params.horizon)
        s.won = 1
    elif outcome == LOST:
        rewards[0] = -1.0
    s.terminated[0] = outcome == WON or outcome == LOST
    s.truncated[0] = s.t >= s.params.horizon


@kernel
def describe(piece, out):
    """Write a piece as three numbers."""
    code, facing = piece & pieces.CODE, piece // pieces.TURN & 3
    what, which = code, 0
    if pieces.THING <= code < pieces.BLOCK:
        what, which = 2 + (code - pieces.THING) // pieces.SHADES, 1 + (code - pieces.THING) % pieces.SHADES
    elif code >= pieces.BLOCK:
        word = code - pieces.BLOCK
        part = 0 if word < pieces.IS else 1 if word == pieces.IS else 2 if word < pieces.COLOR else 3
        first = 0 if part == 0 else pieces.IS if part == 1 else pieces.PROPERTY if part == 2 else pieces.COLOR
        what, which, facing = 7 + part, 1 + word - first, 0
    out[0] = what
    out[1] = which
    out[2] = facing


@kernel
def observe(s, agent, out):
    for cell in range(s.cells):
        for layer in range(out.shape[2]):
            depth = np.int64(s.count[cell]) - 1 - layer
            piece = np.int64(s.pieces[cell, depth]) if depth >= 0 else pieces.NOTHING
            describe(piece, out[cell // s.width, cell % s.width, layer])


class BabaRules(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    paid_at_end = True
    masked = False
    kind = ("puzzles",)
    verified = "Baba Is AI, in lock-step, in all of its environments and on crowded maps; its shortest solutions"
    variants = (
        dict(task="you_win", layers=2, horizon=30),
        dict(task="make_win", distractors="win_rule", winners="no_ball", width=16, height=9),
        dict(task="two_room-make_you-make_win", layers=6, horizon=40),
    )
    shown = "planner"
    cost = 5
    keys = {"up": "up", "right": "right", "down": "down", "left": "left", "space": "idle"}
    synonyms = {"wait": "idle", "stay": "idle", "noop": "idle"}
    text = view.text
    scene = view.scene
    click = view.click
    player_page = pages.PAGE

    def __init__(
        self,
        task: Task = "two_room-break_stop-goto_win",
        distractors: Distractors = "none",
        winners: Winners = "any",
        width: Annotated[int | None, Between(pieces.SMALLEST, pieces.LARGEST)] = None,
        height: Annotated[int | None, Between(pieces.SMALLEST, pieces.LARGEST)] = None,
        layers: Annotated[int, Between(1, pieces.DEPTH)] = 1,
        horizon: Annotated[int, Between(1, 1_000_000)] = 100,
    ):
        made = RuleRooms(task, distractors, winners, width, height)
        rows, columns, _ = made.record["level"]["pieces"].shape
        self.define(
            agents=["agent"],
            actions=ACTIONS,
            observation=Box(0, np.broadcast_to(HIGH, (rows, columns, layers, 3)), dtype=np.uint8),
            fields=[*made.fields, *laws.fields(rows, columns), ("won", flag())],
            params={**made.values, "horizon": horizon},
            reward_range=(-1.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        found = pieces.read_map(level, self.id)
        height, width, _ = found.shape
        rows, columns, _ = s.level.pieces.shape
        if height > rows or width > columns:
            raise LevelError(
                f"{self.id}: 'map' has {width} x {height} cells, this world {columns} x {rows}; "
                "see the parameters width and height"
            )
        s.level.pieces[:] = pieces.NOTHING
        s.level.pieces[..., 0] = pieces.BORDER
        s.level.pieces[:height, :width] = found

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"map": pieces.write_map(s.level.pieces)}

    def contradiction(self, s: Any) -> str | None:
        wide, high = SIZES[int(s.params.built)]
        if s.level.pieces.shape[0] < high or s.level.pieces.shape[1] < wide:
            return "the rooms do not fit the map"
        level, now = np.asarray(s.level.pieces), np.asarray(s.pieces)
        for stacks in (level.reshape(-1, pieces.DEPTH), now):
            codes = stacks & pieces.CODE
            if (codes > pieces.LAST).any() or (
                (codes[:, 1:] != pieces.NOTHING) & (codes[:, :-1] == pieces.NOTHING)
            ).any():
                return "there is a code of nothing, or a piece above nothing"
            if ((codes == pieces.BORDER).any(axis=1) & (codes[:, 0] + codes[:, 1:].sum(axis=1) != pieces.BORDER)).any():
                return "there is a piece in a cell with border"
            if (((codes < pieces.THING) | (codes >= pieces.BLOCK)) & (stacks != codes)).any():
                return "a piece that is no thing faces somewhere"
        if ((now & pieces.CODE != pieces.NOTHING).sum(axis=1) != s.count).any():
            return "count does not count the pieces"
        if (laws.Board(now.reshape(level.shape)).rules != s.rules).any():
            return "the rules are not those of the sentences"
        if s.won and not s.terminated[0]:
            return "the episode is won and not over"
        return None


env, raw_env, parallel_env = pettingzoo_forms(BabaRules)
