"""XLand: rulesets with hidden or known production rules and goals, in trial after trial, for one to four players.

**Rules.** A map of `size` x `size` cells has `rooms` rooms with closed doors between them. Things of ten colors lie
about: balls, squares, pyramids, keys, hexes, stars, and goal tiles, which are flat. A player walks on floor, goal tiles
and open doors. It holds one thing at a time and picks up everything but goal tiles, which leaves floor. It puts
things down on floor. A toggle opens a closed door and closes an open one. It also opens a locked door for a player that
holds the key of the same color and keeps it; only levels have locked doors.

*Production rules.* Every episode has its own rules, which make one tile from others:

| rule | after | effect |
|---|---|---|
| hold a makes c | `pick up` | the thing a that the player holds becomes c |
| a beside player makes c | `forward` | every a in the four cells beside the player becomes c |
| a above player makes c | `forward`, `put down` | an a in the cell above the player becomes c |
| b beside a makes c | `put down` | see below |
| b above a makes c | `put down` | the same, but only if b is in the cell above a |

There are rules for right of, below and left of as for above. Above is north, whatever the player faces. The rule "b
beside a" looks at the cell in front of the player. If a or b is there, each one of the other kind in the four cells
beside it becomes c, and the cell in front becomes floor.

After each action the rules are applied in their order, each to what the earlier ones have left. Actions count even
without effect: bumping into a wall is a `forward`, and `put down` with empty hands applies rules, too.

*Goal of one player.* One of eleven kinds: hold a, a beside player, a above player (right of, below, left of), b beside
a, b above a (right of, below, left of). It is tested after the rules, and after the same actions as a rule with this
condition. Levels can have three goals more: player on a, after `forward`; a at a place, and player at a place, after
all actions.

*Difficulty.* Rules make the tiles of the goal, other rules make their tiles, and so on. Such rules form a tree with
`depth` levels. Each tile is left without a rule with a probability. The tiles without a rule are the objects of the
start. Objects and rules that the goal does not need are added. Not every episode can be solved: an added rule may use
up what the goal needs, and a goal tile at a wall stays there.

| `difficulty` | depth | probability of no rule | added objects | added rules |
|---|---|---|---|---|
| "trivial" | 0 | - | 3 | 0 |
| "small" | 1 | 0.3 | 2 | 0 to 2 |
| "medium" | 2 | 0.1 | 2 | 0 to 3 |
| "high" | 3 | 0.1 | 1 | 0 to 4 |

*Trials.* A trial ends with the goal or after `steps` actions. In the next trial the goal, the rules and the objects are
the same, and the map, the doors and all places are new. A player that does not know the rules can learn them.

*Several players.* Five random things, one goal tile and the objects of the added rules lie about. Each player has a
goal that is one to three clauses. It is true while all statements of one of its clauses are true:

| statement | is true while |
|---|---|
| x near y | player or tile x is in one of the four cells beside player or tile y |
| x on a | player x stands on goal tile a |
| x holds a | player x holds a |
| x sees y | player or tile y is in the view of player x, with no wall or closed door in between |

Statements may be negated. A clause has one to three statements. Their number, that of clauses, kinds and negation are
uniform, and no clause has a statement twice. In half of the statements x is the goal's own player, otherwise a random
one; but in half of the statements with "near", x is a thing. With `goals` "common" all players have the same goal. With
"opposed" the first and third player have a goal of one clause, and the others its opposite.

All players act at once. An action has no effect in a cell in which another player stands, or on which another player
acts in the same step. Then the rules are applied to the actions of the players, in the order of their numbers. A trial
has `steps` actions.

**Agents.** `player_0` to `player_3`; by default one.

**Observation.** Dict. A tile is two numbers, its kind and its color.

| part | space | content |
|---|---|---|
| image | Box (5, 5, 2 or 3) uint8 | the cells ahead, nearest last; the player is in the middle of the last row |
| direction | Discrete (4) | 0 east, 1 south, 2 west, 3 north |
| pocket | Box (2,) uint8 | the tile that the player holds; zeros for none, or with `pocket` False |
| goal | Box (1 or 9, 7) uint8 | the goal, as below; zeros with `told` "nothing" |
| rules | Box (R, 7) uint8 | for each rule its kind and the tiles a, b and c; zeros unless `told` is "rules" |
| seat | Discrete (players) | the player's number |
| trial | Box (2,) int64 | the number of trials that are over, and of all trials |
| clock | Box (2,) int64 | the steps of this trial so far, and its most steps |

Walls do not hide anything in the view. Cells outside of the map are zeros. Kinds of tiles are 1 floor, 2 wall, 3 ball,
4 square, 5 pyramid, 6 goal, 7 key, 8 locked door, 9 closed door, 10 open door, 11 hex, 12 star. Colors are 1 red, 2
green, 3 blue, 4 purple, 5 yellow, 6 `grey`, 7 black, 8 orange, 9 white, 10 brown, 11 pink. With several players, the
view's third number of a cell is 0, or 1 + 4 times the number of the player in it + its direction relative to the own
one.

Kinds of rules are 1 hold, 2 a beside player, 3 b beside a, 4 to 7 b above, right of, below and left of a, 8 to 11 a
above, right of, below and left of player. R is 1, 4, 9 or 18 by difficulty. The goal of one player is a row: its kind,
tiles a and b, and the column and row of its place. The kind is 1 hold, 2 player on a, 3 a beside player, 4 b beside a,
5 a at a place, 6 player at a place, 7 to 10 b above, right of, below and left of a, 11 to 14 a above, right of, below
and left of player. Of several players, each statement is a row, three rows are a clause: the kind (1 near, 2 on, 3
holds, 4 sees), 1 if negated, x, y and a zero. A player is kind 13 and its number.

**Actions.** Discrete (6), all of them always legal.

| action | name |
|---|---|
| 0 | `forward` |
| 1, 2 | `right`, `left`: turn |
| 3, 4 | `pick up`, `put down`: the thing in the cell ahead |
| 5 | `toggle` the door ahead |

**Window.** The arrow keys left and right turn the player; up walks forward. p picks up, d puts down, space toggles. A
click on the cells ahead walks forward, and a click to the left or right turns.

**Rewards.** One player gets 1 - 0.9 t / steps for reaching the goal with action number t of a trial, 0 otherwise. Each
of several players gets 1 for every step after which its goal is true.

**Ends.** Terminates when one player reaches the goal in the last trial. Truncated after `steps` actions of the last
trial.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `size` | 9 | cells on a side of the map, walls included, from 5 to 25 |
| `rooms` | 4 | number of rooms: 1, 2, 4, 6 or 9; 4 and 6 need an odd size, 6 at least 9, 9 one of 7, 10, 13, ... |
| `difficulty` | "medium" | size of the ruleset: "trivial", "small", "medium" or "high" |
| `told` | "rules" | what players are told: "nothing", "goal", or "rules" (goal and rules) |
| `trials` | 1 | trials of an episode, from 1 to 100 |
| `players` | 1 | number of players, from 1 to 4 |
| `goals` | "random" | goals of several players: "random", "common" or "opposed" |
| `pocket` | True | whether players see what they hold |
| `steps` | None | most actions of a trial, from 1 to 100,000; None: 3 size^2 for one player, 100 for several |

**Level.** ``{"goal": "blue key above red ball", "rules": ["hold pink hex makes blue key", "red hex beside player makes
red ball"], "objects": ["pink hex", "red hex", "grey goal"]}``. `envsuite generate rulesets` makes such levels. Other
goals are "player on red goal", "red ball at 3 4" and "player at 3 4" (column and row). Of several players, ``"goals"``
lists the clauses of each one: ``[["player_0 near player_1 and not player_0 holds red ball"], ["player_1 sees player_0",
"player_1 on grey goal"]]``. A level may also have a map, for the first trial: ``"grid"``, rows of cells of ``[kind,
color]``, and ``"players"``, a list of ``[column, row, direction]``.

**Known values.** A trivial ruleset has 3 + 16/11 = 4.4545 objects on average. Other means follow from the table of
difficulties in the same way; the tests compute them.

On a map of 13 x 13 cells with one room, random moves reach 18.2, 9.9, 4.3 and 3.8 % of the goals from trivial to high
(16,384 episodes each). In 256 rulesets of each kind from XLand-MiniGrid's generator, played with xminigrid, they reach
17.6, 10.5, 6.6 and 4.3 %.

**Differences.** From XLand-MiniGrid. Given a map and a ruleset, states, views, rewards and ends of one player are
equal.

- Rulesets have the distribution of its generator, but are drawn independently. Its benchmarks are lists of distinct
  rulesets, numbered.
- The direction is observed, as with its wrapper, because goals and rules distinguish above, right, below and left.
- The goal, the rules and what the player holds are observed, so that one player can plan. There they are hidden, as
  here with `told` "nothing" and `pocket` False.
- Even sizes with four or six rooms are refused, because its doors can then lie in the outer wall. A map that is too
  small for the objects is refused, too.
- There, a trial is an episode, and a training loop strings episodes together. Trials are a parameter here.
- It has one player. Goals of several players are made of the statements near, on, hold and see, as in Open-Ended
  Learning, but on a grid and with distributions of our own.

**Source.** Nikulin et al., "XLand-MiniGrid: Scalable Meta-Reinforcement Learning Environments in JAX", 2023, and its
code, xminigrid 0.9.3; Open Ended Learning Team, "Open-Ended Learning Leads to Generally Capable Agents", 2021;
Adaptive Agent Team, "Human-Timescale Adaptation in an Open-Ended Task Space", 2023.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.arrays import copy, fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.parameters import is_integer
from envsuite.core.ranges import below, fixed, flag, within
from envsuite.core.record import as_views
from envsuite.core.world import Between, Kernels, World
from envsuite.gridworlds.xland import levels, pages, rules, view
from envsuite.gridworlds.xland.levels import make
from envsuite.registry import pettingzoo_forms

Told = Literal["nothing", "goal", "rules"]
NOTHING, ONLY_GOAL, ALL_RULES = range(3)
TOLD = ("nothing", "goal", "rules")

#: The most trials, and the most steps of one.
MOST_TRIALS, MOST_STEPS = 100, 100_000

#: The highest tile.
LAST = levels.STAR + 11 * levels.SHADE


def fields(made: levels.Rulesets, size: int, players: int) -> list[tuple]:
    """The record."""
    side = size + 2 * rules.MARGIN
    low, high = (
        np.pad(np.pad(np.full((size - 2, size - 2), tile), 1, constant_values=levels.GREY_WALL), rules.MARGIN).reshape(
            -1
        )
        for tile in (levels.EMPTY, LAST)
    )
    cell = within(np.int64, (rules.MARGIN + 1) * (side + 1), side * side - 1 - (rules.MARGIN + 1) * (side + 1))
    start = [
        ("given", flag()),  # whether the user has given a map
        ("grid", within(np.uint8, levels.EMPTY, LAST), (size, size)),  # tiles
        ("cell", cell, (players,)),
        ("facing", below(np.int64, 4), (players,)),
    ]
    return [
        *made.fields,  # level: the ruleset
        ("start", np.dtype(start, align=True)),  # the map of the first trial
        ("grid", within(np.uint8, low, high), (side * side,)),  # tiles, row after row, with a margin of nothing
        ("cell", cell, (players,)),  # of the grid, where a player is
        ("facing", below(np.int64, 4), (players,)),
        ("pocket", within(np.uint8, levels.EMPTY, LAST), (players,)),  # the tile that a player holds
        ("trial", within(np.int64, 0, MOST_TRIALS)),  # number of trials that are over
        ("clock", within(np.int64, 0, MOST_STEPS)),  # steps of this trial
        ("dark", flag(), (side, side)),  # whether a cell blocks sight
        # Used within a step: where the players stood, the cells of their actions, and whether those have an effect.
        ("stood", below(np.int64, side * side), (players,)),
        ("at", below(np.int64, side * side), (players,)),
        ("free", flag(), (players,)),
    ]


@kernel
def reset(s):
    if not s.level_given:
        make(s)
        s.start.given = 0
    if s.start.given:
        restore(s)
    else:
        rules.lay_out(s)
        keep(s)
    s.trial = 0
    begin_trial(s)


@kernel
def begin_trial(s):
    """Empty hands and a new clock."""
    s.clock = 0
    for cell in range(s.grid.shape[0]):
        rules.darken(s, cell)
    fill(s.pocket, levels.EMPTY)
    fill(s.stood, 0)
    fill(s.at, 0)
    fill(s.free, 0)


@kernel
def keep(s):
    """Note the map of the first trial."""
    for y in range(s.params.size):
        for x in range(s.params.size):
            s.start.grid[y, x] = rules.at(s, (y + rules.MARGIN) * rules.row_length(s) + x + rules.MARGIN)
    copy(s.start.cell, s.cell)
    copy(s.start.facing, s.facing)


@kernel
def restore(s):
    """Begin with the map that the user has given."""
    fill(s.grid, levels.EMPTY)
    for y in range(s.params.size):
        for x in range(s.params.size):
            rules.put(s, (y + rules.MARGIN) * rules.row_length(s) + x + rules.MARGIN, s.start.grid[y, x])
    copy(s.cell, s.start.cell)
    copy(s.facing, s.start.facing)


@kernel
def step(s, actions, rewards):
    players = s.cell.shape[0]
    s.clock += 1
    rules.act_all(s, actions)
    for k in range(players):
        rules.apply_rules(s, k, actions[k], s.at[k])
    won = False
    if players == 1:
        won = rules.reached(s, actions[0], s.at[0])
        if won:
            rewards[0] = 1.0 - 0.9 * (s.clock / s.params.steps)
    else:
        for k in range(players):
            rewards[k] = rules.satisfied(s, k)
    if won or s.clock >= s.params.steps:
        end_trial(s, won)


@kernel
def end_trial(s, won):
    """Begin the next trial, or end the episode."""
    s.trial += 1
    if s.trial < s.params.trials:
        rules.lay_out(s)
        begin_trial(s)
        return
    fill(s.terminated, won)
    fill(s.truncated, not won)


@kernel
def write_tile(row, column, tile):
    """Write the kind and color of a tile into two numbers of a row."""
    row[column] = tile & levels.KIND
    row[column + 1] = tile // levels.SHADE


@kernel
def write_thing(row, column, thing):
    """Write a player or tile of a goal into two numbers of a row."""
    write_tile(row, column, thing if thing >= levels.PLAYERS else levels.PLAYER + levels.SHADE * thing)


@kernel
def observe(s, agent, out):
    ahead, right = rules.stride(s, s.facing[agent]), rules.stride(s, (s.facing[agent] + 1) & 3)
    farthest = s.cell[agent] + (rules.VIEW - 1) * ahead - rules.MIDDLE * right
    for i in range(rules.VIEW):
        for j in range(rules.VIEW):
            cell = farthest - i * ahead + j * right
            write_tile(out.image[i, j], 0, rules.at(s, cell))
            if s.cell.shape[0] > 1:
                out.image[i, j, 2] = 0
                for k in range(s.cell.shape[0]):
                    if s.cell[k] == cell:
                        out.image[i, j, 2] = 1 + 4 * k + ((s.facing[k] - s.facing[agent]) & 3)
    out.direction = s.facing[agent]
    write_tile(out.pocket, 0, np.int64(s.pocket[agent]) if s.params.pocket else levels.EMPTY)
    observe_goal(s, agent, out.goal)
    observe_rules(s, out.rules)
    out.seat = agent
    out.trial[0] = s.trial
    out.trial[1] = s.params.trials
    out.clock[0] = s.clock
    out.clock[1] = s.params.steps


@kernel
def observe_goal(s, agent, out):
    for n in range(out.shape[0]):
        for part in range(7):
            out[n, part] = 0
    if s.params.told == NOTHING:
        return
    if s.cell.shape[0] > 1:
        for n in range(out.shape[0]):
            literal = s.level.literals[agent, n // levels.LITERALS, n % levels.LITERALS]
            if literal[0] != 0:
                out[n, 0] = literal[0]
                out[n, 1] = literal[1]
                write_thing(out[n], 2, np.int64(literal[2]))
                write_thing(out[n], 4, np.int64(literal[3]))
        return
    kind, a, b = np.int64(s.level.goal[0]), np.int64(s.level.goal[1]), np.int64(s.level.goal[2])
    out[0, 0] = kind
    spot = a if kind == levels.PLAYER_AT else b if kind == levels.TILE_AT else 0
    out[0, 5] = spot % levels.LARGEST
    out[0, 6] = spot // levels.LARGEST
    if kind != levels.PLAYER_AT:
        write_tile(out[0], 1, a)
    if kind != levels.TILE_AT:
        write_tile(out[0], 3, b)


@kernel
def observe_rules(s, out):
    for n in range(out.shape[0]):
        rule = s.level.rules[n]
        known = s.params.told == ALL_RULES
        out[n, 0] = rule[0] if known else 0
        for part in range(1, 4):
            write_tile(out[n], 2 * part - 1, np.int64(rule[part]) if known else 0)


class XLand(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("open worlds", "rooms")
    verified = "`xminigrid`, in lock-step; its generator's distribution in closed form"
    variants = (
        dict(size=9, rooms=6, difficulty="small", trials=3, told="nothing", steps=40),
        dict(size=7, rooms=1, difficulty="small", players=2, goals="opposed", steps=30),
        dict(size=9, rooms=2, players=4, trials=2, steps=20, pocket=False),
        dict(size=10, rooms=9, difficulty="high", told="goal"),
    )
    shown = "planner"
    clickable = "forward|right|left"
    keys = {
        "left": "left", "right": "right", "up": "forward", "p": "pick up", "d": "put down", "space": "toggle",
    }  # fmt: skip
    synonyms = {"walk": "forward", "turn right": "right", "turn left": "left", "pickup": "pick up", "drop": "put down"}
    text = view.text
    scene = view.scene
    click = view.click
    player_page = pages.PAGE
    page_slots = pages.page_slots

    def __init__(
        self,
        size: Annotated[int, Between(5, levels.LARGEST)] = 9,
        rooms: Literal[1, 2, 4, 6, 9] = 4,
        difficulty: levels.Difficulty = "medium",
        told: Told = "rules",
        trials: Annotated[int, Between(1, MOST_TRIALS)] = 1,
        players: Annotated[int, Between(1, levels.PLAYERS)] = 1,
        goals: levels.Relation = "random",
        pocket: bool = True,
        steps: Annotated[int | None, Between(1, MOST_STEPS)] = None,
    ):
        made = levels.Rulesets(difficulty, players, goals)
        objects = made.record["level"]["objects"].shape[0]
        check_size(size, rooms, objects + players)
        most = steps or (3 * size**2 if players == 1 else 100)
        self.paid_at_end = players == 1 and trials == 1
        self.utility = "identical" if players > 1 and goals == "common" else "general"
        several = players > 1
        self.define(
            agents=[f"player_{k}" for k in range(players)],
            actions=rules.ACTIONS,
            observation=Dict(
                image=_tiles((rules.VIEW, rules.VIEW), *([4 * players] * several)),
                direction=Discrete(4),
                pocket=_tiles(()),
                goal=Box(0, _goal_high(several), dtype=np.uint8),
                rules=Box(0, np.tile(_rule_high(), (made.record["level"]["rules"].shape[0], 1)), dtype=np.uint8),
                seat=Discrete(players),
                trial=Box(0, MOST_TRIALS, (2,), np.int64),
                clock=Box(0, MOST_STEPS, (2,), np.int64),
            ),
            fields=fields(made, size, players),
            params={
                **made.values,
                "goals": levels.RELATIONS.index(goals),
                "size": fixed(size),
                "rooms": rooms,
                "told": TOLD.index(told),
                "trials": trials,
                "pocket": int(pocket),
                "steps": most,
            },
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        size = int(s.params.size)
        try:
            self._read(levels.write_ruleset(s.level), size)
        except (LevelError, LookupError, ValueError):
            return "a goal or a rule is about nothing"
        try:
            check_size(size, int(s.params.rooms), len(s.level.objects) + len(s.cell))
        except ParameterError:
            return "the rooms do not fit the map"
        columns = s.cell % (size + 2 * rules.MARGIN)
        if (columns <= rules.MARGIN).any() or (columns >= rules.MARGIN + size - 1).any():
            return "a player is outside of the map"
        if (s.clock >= s.params.steps and not s.terminated[0] | s.truncated[0]) or s.trial > s.params.trials:
            return "the trial is over"
        return None

    def _read(self, level: Mapping[str, Any], size: int) -> np.ndarray:
        """A ruleset as a record, or a `LevelError`."""
        held = np.zeros(1, self.record["level"])
        part = as_views(held)[0]
        levels.read_ruleset(part, level, self.id)
        kind, a, b = part.goal.tolist()
        if (
            kind in (levels.TILE_AT, levels.PLAYER_AT)
            and max(divmod(a if kind == levels.PLAYER_AT else b, levels.LARGEST)) >= size
        ):
            raise LevelError(f"{self.id}: the place of the goal {level['goal']!r} is outside of the map")
        return held[0]

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        ruleset = {key: value for key, value in level.items() if key not in ("kind", "grid", "players")}
        start = read_map(s, level, self.id) if {"grid", "players"} & set(level) else None
        s.level = self._read(ruleset, int(s.params.size))
        s.start.given = start is not None
        if start is not None:
            s.start.grid[:], s.start.cell[:], s.start.facing[:] = start

    def get_level(self, s: Any) -> dict[str, Any]:
        grid, side = s.start.grid, int(s.params.size) + 2 * rules.MARGIN
        rows, columns = np.divmod(s.start.cell, side)
        players = np.stack([columns - rules.MARGIN, rows - rules.MARGIN, s.start.facing], axis=1)
        return {
            "difficulty": self.parameters["difficulty"],
            **levels.write_ruleset(s.level),
            "grid": np.stack([grid & levels.KIND, grid // levels.SHADE], axis=2).tolist(),
            "players": players.tolist(),
        }


def check_size(size: int, rooms: int, things: int) -> None:
    """Raise `ParameterError` unless the rooms fit the size and have cells for this number of things."""
    if rooms in (4, 6) and (size % 2 == 0 or (rooms == 6 and size < 9)):
        raise ParameterError(f"XLand: {rooms} rooms need an odd size{' of at least 9' * (rooms == 6)}, not {size}")
    if rooms == 9 and (size < 7 or size % 3 != 1):
        raise ParameterError(f"XLand: 9 rooms need a size of 7, 10, 13, 16, 19, 22 or 25, not {size}")
    inner = size - 2
    cells = {1: inner**2, 2: inner * (inner - 1), 4: (inner - 1) ** 2, 9: (inner - 2) ** 2}
    cells[6] = 3 * inner + (inner - 2) * (size - 7)
    room = cells.get(rooms, 0)  # a broken record may have another number of rooms
    if room < things:
        raise ParameterError(f"XLand: a map of size {size} with {rooms} rooms has {room} cells for {things} things")


def _tiles(shape: tuple[int, ...], *more: int) -> Box:
    """The space of tiles, and more numbers of each cell up to these."""
    return Box(
        0, np.broadcast_to(np.array([levels.STAR, 11, *more], np.uint8), (*shape, 2 + len(more))), dtype=np.uint8
    )


def _rule_high() -> np.ndarray:
    return np.array([levels.RULE_KINDS - 1, levels.STAR, 11, levels.STAR, 11, levels.STAR, 11], np.uint8)


def _goal_high(several: bool) -> np.ndarray:
    if several:
        return np.tile(
            np.array([4, 1, levels.PLAYER, 11, levels.PLAYER, 11, 0], np.uint8), (levels.CLAUSES * levels.LITERALS, 1)
        )
    return np.array(
        [[levels.GOAL_KINDS - 1, levels.STAR, 11, levels.STAR, 11, levels.LARGEST - 1, levels.LARGEST - 1]], np.uint8
    )


def read_map(s: Any, level: Mapping[str, Any], name: str) -> tuple[np.ndarray, list[int], list[int]]:
    """The grid, cells and directions of a level, or a `LevelError` that begins with this name."""
    size, players = int(s.params.size), len(s.cell)
    grid = np.array(level["grid"])
    if grid.shape != (size, size, 2) or grid.dtype.kind not in "iu":
        raise LevelError(f"{name}: 'grid' must be {size} rows of {size} cells of two integers, [kind, color]")
    if ((grid < [levels.FLOOR, 0]) | (grid > [levels.STAR, 11])).any():
        raise LevelError(f"{name}: cells of 'grid' must be from [{levels.FLOOR}, 0] to [{levels.STAR}, 11]")
    edge = np.ones((size, size), np.bool_)
    edge[1:-1, 1:-1] = False
    tiles = grid[..., 0] + levels.SHADE * grid[..., 1]
    if (tiles[edge] != levels.GREY_WALL).any():
        raise LevelError(f"{name}: the edge of 'grid' must be grey walls, [{levels.WALL}, 6]")
    given, cells, facings = level["players"], [], []
    if not isinstance(given, (list, tuple)) or len(given) != players:
        raise LevelError(f"{name}: 'players' must be a list of {players} places [column, row, direction]")
    for k, player in enumerate(given):
        x, y, facing = player
        if not all(map(is_integer, player)) or not (0 < x < size - 1 and 0 < y < size - 1 and 0 <= facing < 4):
            raise LevelError(f"{name}: player_{k} must be a column, a row and a direction from 0 to 3, not {player}")
        cell = (y + rules.MARGIN) * (size + 2 * rules.MARGIN) + x + rules.MARGIN
        if not rules.WALKABLE >> int(grid[y, x, 0]) & 1 or cell in cells:
            raise LevelError(f"{name}: player_{k} must be alone on floor, a goal tile or an open door, not at {x}, {y}")
        cells.append(cell)
        facings.append(facing)
    return tiles, cells, facings


env, raw_env, parallel_env = pettingzoo_forms(XLand)
