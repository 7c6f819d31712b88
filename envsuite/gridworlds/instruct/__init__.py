"""Instruct: do what an instruction says, such as "pick up the red ball, then open a door on your left".

**Rules.** A level has one or more square rooms with doors between them, and keys, balls and boxes of six colors. The
agent turns, walks forward, and acts on the cell in front of it. It walks onto empty cells and through open doors. It
carries one object at a time. A locked door opens if the agent carries the key of the door's color; the agent keeps the
key. An open box disappears, and what was in it takes its place.

*Missions.* A mission has one or two parts, and each part one or two clauses joined by "and". A mission of two parts is
"m, then m", or "m after you m" with the later part first. The clauses of a part may be done in any order.

| clause | is done by |
|---|---|
| go to D | any action after which a D is in front of the agent |
| pick up D | `pickup` that takes a D into the empty hand |
| open D | `toggle` that leaves a D in front of the agent open |
| put D next to E | `drop` that puts a D onto a cell beside an E |

D and E are descriptions, such as "the ball", "a red door" or "a key behind you". A description matches the objects of
its kind and color, and of its place if it has one: in front of you, behind you, on your left, on your right. Places
are meant as seen by the agent at the start. They are halves of its first room, with the doors of that room. The matches
are fixed at the start and stay the same wherever they are carried. "The" says that there is one match, "a" that there
are several.

The later part counts only from the action on with which the first part is done. That action may also do the later part,
but not a "put next" in it. Nor does the first action of an episode count for "put next".

A *strict* clause "open" fails, and the episode with it, when the agent toggles another door or leaves the door closed.
A strict "pick up" fails after a `pickup` with another object in hand. A strict clause that is joined by "and" never
fails.

*Levels.* `level` chooses one of the 96 levels of BabyAI, by its name there:

| levels | rooms | missions |
|---|---|---|
| GoToRedBallGrey, GoToRedBall, GoToRedBallNoDists, GoToRedBlueBall | 1 | go to the ball |
| GoToObj, -S4, -S6, GoToLocal, -S5N2 to -S8N7 | 1 | go to a thing |
| GoTo, GoToOpen, GoToObjMaze, -Open, -S4R2, -S4 to -S7 | 3 x 3 | go to a thing |
| GoToImpUnlock | 3 x 3 | go to a thing in the locked room |
| GoToSeq, -S5R2 | 3 x 3 | go to things and doors, up to four of them |
| GoToDoor, GoToObjDoor, ActionObjDoor | middle | go to a door or thing; in the last also open or pick up |
| Open, Unlock | 3 x 3 | open a door, in the second the locked one |
| OpenRedDoor | 1 x 2 | open the red door |
| OpenDoor, -Color, -Loc, -Debug | middle | open a door |
| OpenTwoDoors, OpenRedBlueDoors, -Debug | middle | open two doors in order |
| OpenDoorsOrderN2, -N4, -N2Debug, -N4Debug | middle | open one or two doors in order |
| UnlockLocal, -Dist, KeyInBox | middle | unlock the door; the key may be in a box |
| Pickup, UnblockPickup | 3 x 3 | pick up a thing; the second has things in the way |
| PickupLoc, PickupDist, -Debug, OneRoomS8, -S12, -S16, -S20 | 1 | pick up a thing |
| PickupAbove, FindObjS5, -S6, -S7 | 3 x 3 | pick up the thing in another room |
| PutNextLocal, -S5N3, -S6N4 | 1 | put a thing next to another |
| PutNextS4N1 to -S7N4, -S5N2Carrying to -S7N4Carrying | 1 x 2 | the same, across two rooms without a wall between |
| MoveTwoAcrossS5N2, -S8N9 | 1 x 2 | the same, one thing in each direction |
| UnlockPickup, -Dist, BlockedUnlockPickup, UnlockToUnlock | 1 x 2, 1 x 3 | pick up a thing behind a locked door |
| KeyCorridor, -S3R1 to -S6R3 | r x 3 | pick up the ball behind a locked door |
| Synth, -S5R2, SynthLoc, SynthSeq | 3 x 3 | one clause; the last: any mission; things not only behind the lock |
| MiniBossLevel | 2 x 2 | any mission |
| BossLevel, BossLevelNoUnlock | 3 x 3 | any mission |

S is the size of a room, N the number of things, R that of rows: with R2, the rooms are 2 x 2, in Synth 2 x 3. A mission
has one clause if the table says nothing else. In "middle" levels, only the middle one of nine rooms has doors, and the
agent starts there. Levels with Debug in their names have strict clauses. With Carrying, the thing to move begins in the
agent's hand.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| image | Box (7, 7, 3) uint8 | the cells in view, coded as in DoorKey |
| direction | Discrete (4) | 0 east, 1 south, 2 west, 3 north |
| words | Box (72,) uint8 | the mission, word by word; zeros after it |
| clauses | Box (4, 9) uint8 | the mission as a table: the clauses of the first part to do, then those of the second |

Words are 1 go, 2 to, 3 pick, 4 up, 5 open, 6 put, 7 next, 8 the, 9 a, 10 red, 11 green, 12 blue, 13 purple, 14 yellow,
15 grey, 16 box, 17 ball, 18 key, 19 door, 20 object, 21 in, 22 front, 23 of, 24 behind, 25 on, 26 your, 27 left, 28
right, 29 you, 30 and, 31 then, 32 after, 33 the comma. Only PickupDist and levels of the user say "object", with a
color: any key, ball or box.

A row of the clauses has 1 for the first part or 2 for the second, or zeros for no clause; the verb (1 go to, 2 pick up,
3 open, 4 put next to); the kind, color and place of the first description; the same of the second, or zeros; and 1 for
a strict clause. Kinds are 4 door, 5 key, 6 ball, 7 box, 8 object. Colors are 0 any, 1 red, 2 green, 3 blue, 4 purple, 5
yellow, 6 grey. Places are 0 none, 1 in front, 2 behind, 3 on the left, 4 on the right.

**Actions.** Discrete (7), all of them always legal.

| action | name | effect |
|---|---|---|
| 0 | `left` | turns left |
| 1 | `right` | turns right |
| 2 | `forward` | walks onto the cell in front |
| 3 | `pickup` | picks up the object in front, if the agent carries nothing |
| 4 | `drop` | puts the carried object onto the cell in front, if that cell is empty |
| 5 | `toggle` | opens, unlocks or closes the door in front; opens a box in front |
| 6 | `done` | nothing |

**Window.** The arrow keys left and right turn the agent; up walks forward. Space toggles, p picks up, d drops, and
return is `done`. A click on the cell ahead opens a door or picks up an object there, and otherwise walks forward. A
click to the left or right turns.

**Rewards.** 1 - 0.9 t / T for the end of the mission with action number t of T allowed ones; 0 otherwise.

**Ends.** Terminates when the mission is done or has failed. Truncated after T actions. T is `horizon` if it is given,
or the level's own. Without either, T is c times the number of cells of all rooms, walls included. c counts 2 for each
clause "put next to" and 1 for each other one.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `level` | "MiniBossLevel" | the level, as listed above |
| `room_size` | None | cells on a side of a room, from 3 to 25; None: the level's own |
| `rows` | None | rows of rooms, from 1 to 5; None: the level's own |
| `columns` | None | columns of rooms, from 1 to 5; None: the level's own |
| `things` | None | number of things, from 0 to 40, or what N counts in the level's name; None: the level's own |
| `horizon` | None | actions until truncation, from 1 to 1,000,000; None: T as above |

Only some levels have a choice of rows, columns and things; others say so. The map has at most 31 cells on a side.

**Level.** As in DoorKey, with the mission: ``{"grid", "agent", "direction", "mission": "go to the red ball"}``. A level
may have "carrying": [x, y], the cell of a thing that begins in the agent's hand; "boxes": [[x, y, [5, 0, 0]]], what
boxes hold, as type, color and 0; and "strict": [true], which of the clauses are strict, in the order in which they are
to be done. Articles in missions may be wrong. `envsuite generate Instruct` makes such levels, with a train and a test
split.

**Known values.** The language has 14,980 clauses: 140 "go to", 105 "pick up", 35 "open" and 105 x 140 "put next to".
The longest mission has 72 words. (Both are counted from MiniGrid's grammar.)

Mean steps of MiniGrid's own bot, in up to 25 episodes with minigrid 3.2.0, which are all done: GoToLocal 6.1, GoTo 90,
PutNextLocal 12.7, KeyCorridorS3R3 62, MiniBossLevel 25, BossLevel 89. The baseline "bot" here, which knows no more,
needs 5 to 6, 46, 13, 43, 22 and 87. It fails in about one of 4,000 episodes of MiniBossLevel.

**Differences.** None from MiniGrid in a given level: observations, missions, rewards and ends are equal. All of its
surprises are kept:

- A cell counts for "go to" as long as a match was there at the start or after the last `drop`, even if it is empty now.
- In OpenDoorsOrder with Debug, missions of two parts cannot be done: the action that opens the first door is the wrong
  one for the second.
- UnlockPickup allows 72 actions, because a slip there keeps its 288 from being used.
- "A grey object" is never "the", because walls are grey.

Other differences:

- Random levels have MiniGrid's distribution but come from a different random stream.
- With Carrying, MiniGrid's first observation shows the object on the floor, one action late.
- The mission is observed as numbers, and also as a table, which says what is strict.
- MiniGrid's bot fails with KeyInBox and Carrying, and does not end in UnlockToUnlock. The one here does all of these.
- The bounds of the image's space are those of the codes, not 0 to 255.

**Source.** Chevalier-Boisvert et al., "BabyAI: A Platform to Study the Sample Efficiency of Grounded Language
Learning", ICLR 2019; its levels and verifier in minigrid 3.2.0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.arrays import copy, fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import is_integer
from envsuite.core.ranges import below, flag, free, limited, within
from envsuite.core.world import Between, Kernels
from envsuite.gridworlds.instruct import families as instruct_families
from envsuite.gridworlds.instruct import language, pages
from envsuite.gridworlds.instruct.levels import LEVELS, MOST, MOST_BOXES, NUMBERS, sized
from envsuite.gridworlds.instruct.parts import fits
from envsuite.kit import rooms
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Scene, wrap

#: The number of all things that were in boxes; no description matches them.
UNBOXED = MOST + 1
#: What verification finds.
OPEN_STILL, DONE, FAILED = range(3)

_OBJECTS = (rooms.DOOR, rooms.KEY, rooms.BALL, rooms.BOX, rooms.CLOSED, rooms.LOCKED)
_ALLOWED = (rooms.EMPTY, rooms.WALL, *_OBJECTS)
_THINGS = 1 << rooms.DOOR | 1 << rooms.KEY | 1 << rooms.BALL | 1 << rooms.BOX | 1 << rooms.CLOSED | 1 << rooms.LOCKED


def level_fields(width: int, height: int) -> list[tuple]:
    """The fields of `s.level` in addition to those of rooms."""
    return [
        ("shape", below(np.int64, 3)),  # SINGLE, THEN or AFTER
        # Clauses in the order in which they are to be done: two of the first part, two of the second.
        ("verbs", below(np.int64, 5), (4,)),
        ("strict", flag(), (4,)),  # whether the wrong door or thing ends the episode
        # The kind of each description (0 for no description), its color + 1 (0 for any), and its place.
        ("named", within(np.int64, 0, (language.OBJECT, 6, 4)), (4, 2, 3)),
        ("carrying", within(np.int64, 0, (width - 2, height - 2)), (2,)),  # the thing that begins in hand, or zeros
        # Boxes that hold something: column, row, and the code of what is in it; zeros for none.
        ("boxes", within(np.int64, 0, (width - 2, height - 2, rooms.GREY | rooms.BOX)), (MOST_BOXES, 3)),
    ]


def fields(width: int, height: int) -> list[tuple]:
    """The fields of the record in addition to those of rooms."""
    cells = width * (height + 2 * rooms.MARGIN)
    number = within(np.uint8, 0, UNBOXED)
    return [
        ("limit", within(np.int64, 1, 10_000_000)),  # actions until truncation
        ("count", within(np.int64, 0, MOST)),  # of objects, doors included; they have numbers from 1
        ("number", number, (cells,)),  # of the object at each cell, 0 for none
        ("recalled", number, (cells,)),  # the same at the start or after the last `drop`
        ("at", within(np.int64, 0, cells - 1), (UNBOXED + 1,)),  # the cell of each object, 0 for none
        ("was_at", within(np.int64, 0, cells - 1), (UNBOXED + 1,)),  # the same at the start or after the last `drop`
        ("inside", below(np.uint8, 128), (UNBOXED + 1,)),  # the code of what each box holds, 0 for nothing
        ("hand", number),  # the object that the agent carries
        ("matches", free(np.int64), (4, 2)),  # the objects of each description, as bits
        ("alone", flag(), (4, 2)),  # whether each description is worded for one object
        ("before", number, (4,)),  # the object in hand when each clause was last verified
        ("done", flag(), (4,)),  # clauses
        ("stage", below(np.int64, 2)),  # the part to be done
        ("words", below(np.uint8, len(language.WORDS)), (language.LONGEST,)),  # the mission
        # Used while a level is made: cells in rows, as bits, and numbers of colors.
        ("reached", free(np.int64), (height,)),
        ("colors", below(np.int64, 6), (6,)),
    ]


@kernel
def reset(s):
    if not s.level_given:
        instruct_families.make(s)
    begin(s)


@large_kernel
def begin(s):
    """Number the objects of the level, find the matches of the mission, and put the agent there."""
    height, width = s.level.grid.shape
    rooms.begin(s)
    s.count = 0
    fill(s.number, 0)
    for k in range(UNBOXED + 1):
        s.at[k] = 0
        s.inside[k] = 0
    for clause in range(4):
        s.before[clause] = 0
        s.done[clause] = 0
        for which in range(2):
            s.matches[clause, which] = 0
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            if _THINGS >> (s.level.grid[y, x] & rooms.KIND) & 1 and s.count < MOST:
                enter(s, x, y)
    copy(s.recalled, s.number)
    for k in range(UNBOXED + 1):
        s.was_at[k] = s.at[k]
    s.hand = 0
    if s.level.carrying[0] > 0:
        take(s, rooms.cell_of(s, s.level.carrying))
    s.stage = 0
    s.limit = time_limit(s)
    for clause in range(4):
        for which in range(2):
            s.alone[clause, which] = alone(s, clause, which)
    language.write_mission(s)
    fill(s.reached, 0)
    for k in range(6):
        s.colors[k] = 0


@kernel
def enter(s, x, y):
    """Give the object at a cell of the level its number, and note the descriptions that it matches."""
    s.count += 1
    cell = (y + rooms.MARGIN) * rooms.row_length(s) + x
    s.number[cell] = s.count
    s.at[s.count] = cell
    for clause in range(4):
        for which in range(2):
            if s.level.named[clause, which, 0] and fits(s, x, y, clause, which):
                s.matches[clause, which] |= np.int64(1) << s.count
    for k in range(MOST_BOXES):
        if s.level.boxes[k, 2] and s.level.boxes[k, 0] == x and s.level.boxes[k, 1] == y:
            s.inside[s.count] = s.level.boxes[k, 2]


@kernel
def take(s, cell):
    """Move the object at a cell into the agent's hand; its code is in the hand, and the cell is empty."""
    s.hand = s.number[cell]
    s.carrying = s.grid[cell]
    s.grid[cell] = rooms.EMPTY
    s.number[cell] = 0
    s.at[s.hand] = 0


@kernel
def alone(s, clause, which):
    """Whether a description is worded for one object. MiniGrid counts walls as grey objects."""
    bits = s.matches[clause, which]
    named = s.level.named[clause, which]
    return bits & bits - 1 == 0 and not (named[0] == language.OBJECT and (named[1] << 4) - 16 == rooms.GREY)


@kernel
def time_limit(s):
    """The number of actions until truncation: given, or one search of all cells for each object to go to."""
    if s.params.horizon > 0:
        return s.params.horizon
    height, width = s.level.grid.shape
    size = s.params.size
    trips = 0
    for clause in range(4):
        if s.level.verbs[clause] != language.NO_VERB:
            trips += 2 if s.level.verbs[clause] == language.PUT_NEXT else 1
    return max(1, trips) * size * size * (height // (size - 1)) * (width // (size - 1))


@kernel
def step(s, actions, rewards):
    action = actions[0]
    act(s, action)
    if s.t >= s.limit:
        s.truncated[0] = 1
    if action == rooms.DROP:
        recall(s)
    found = verify(s, action)
    if found == DONE:
        rewards[0] = 1.0 - 0.9 * (s.t / s.limit)
    if found != OPEN_STILL:
        s.terminated[0] = 1


@kernel
def act(s, action):
    """Carry out an action, and keep the numbers of objects with them."""
    ahead = np.uint64(s.agent + rooms.stride(s, s.direction))
    held, number = s.carrying, s.number[ahead]
    rooms.act(s, action)
    if action == rooms.PICKUP:
        if held == rooms.EMPTY and s.carrying != rooms.EMPTY:
            s.hand = number
            s.number[ahead] = 0
            s.at[number] = 0
    elif action == rooms.DROP:
        if held != rooms.EMPTY and s.carrying == rooms.EMPTY:
            s.number[ahead] = s.hand
            s.at[s.hand] = ahead
            s.hand = 0
    elif action == rooms.TOGGLE and number > 0 and s.grid[ahead] == rooms.EMPTY:  # a box is opened
        s.number[ahead] = 0
        s.at[number] = 0
        if s.inside[number] > rooms.EMPTY:
            s.grid[ahead] = s.inside[number]
            s.number[ahead] = UNBOXED
            s.inside[number] = 0


@kernel
def recall(s):
    """Note where the objects are now."""
    for k in range(1, s.count + 1):
        if s.was_at[k] != s.at[k]:
            s.recalled[s.was_at[k]] = 0
    for k in range(1, s.count + 1):
        if s.was_at[k] != s.at[k]:
            s.was_at[k] = s.at[k]
            s.recalled[s.at[k]] = k
    s.recalled[0] = 0


@kernel
def verify(s, action):
    """Whether the mission is done, is still to be done, or has failed."""
    ahead = s.agent + rooms.stride(s, s.direction)
    found = OPEN_STILL
    if s.stage == 0:
        found = verify_part(s, 0, action, ahead)
        if found == DONE and s.level.shape != language.SINGLE:
            s.stage = 1
            return verify_part(s, 1, action, ahead)
        return found
    return verify_part(s, 1, action, ahead)


@kernel
def verify_part(s, part, action, ahead):
    """Verify those clauses of a part that are not done."""
    first = 2 * part
    single = s.level.verbs[first + 1] == language.NO_VERB
    for clause in range(first, first + 2):
        if s.level.verbs[clause] != language.NO_VERB and s.done[clause] == 0:
            found = verify_clause(s, clause, action, ahead)
            if found == DONE:
                s.done[clause] = 1
            elif found == FAILED and single:
                return FAILED
    return DONE if s.done[first] and (single or s.done[first + 1]) else OPEN_STILL


@kernel
def among(matches, number):
    """Whether an object is one of the matches."""
    return number > 0 and matches >> np.int64(number) & 1 != 0


@kernel
def verify_clause(s, clause, action, ahead):
    """Verify a clause after an action."""
    verb, matches = s.level.verbs[clause], s.matches[clause, 0]
    cell = np.uint64(ahead)
    if verb == language.GO_TO:
        return DONE if among(matches, s.recalled[cell]) else OPEN_STILL
    if verb == language.OPEN:
        if action == rooms.TOGGLE:
            kind = s.grid[cell] & rooms.KIND
            if kind == rooms.DOOR and among(matches, s.number[cell]):
                return DONE
            if s.level.strict[clause] and (kind == rooms.DOOR or kind == rooms.CLOSED or kind == rooms.LOCKED):
                return FAILED
        return OPEN_STILL
    before = s.before[clause]
    s.before[clause] = s.hand
    if verb == language.PICK_UP:
        if action == rooms.PICKUP:
            if before == 0 and among(matches, s.hand):
                return DONE
            if s.level.strict[clause] and s.hand > 0:
                return FAILED
        return OPEN_STILL
    if action == rooms.DROP and among(matches, before) and s.at[before] == ahead:
        for side in range(4):
            if among(s.matches[clause, 1], s.recalled[np.uint64(ahead + rooms.stride(s, side))]):
                return DONE
    return OPEN_STILL


@kernel
def observe(s, agent, out):
    rooms.observe(s, agent, out)
    for k in range(language.LONGEST):
        out.words[k] = s.words[k]
    for k in range(4):
        verb = s.level.verbs[k]
        out.clauses[k, 0] = 0 if verb == language.NO_VERB else 1 + k // 2
        out.clauses[k, 1] = verb
        for which in range(2):
            for i in range(3):
                out.clauses[k, 2 + 3 * which + i] = s.level.named[k, which, i]
        out.clauses[k, 8] = s.level.strict[k]


if TYPE_CHECKING:
    Level = str
else:
    Level = Literal[tuple(LEVELS)]


class Instruct(rooms.Rooms):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    optimization = 1  # 3 takes a third longer here and makes nothing faster
    kind = ("rooms", "text")
    verified = "`minigrid`, step by step, in all of its 96 levels"
    variants = (
        dict(level="GoToLocal"),
        dict(level="KeyCorridorS3R2"),
        dict(level="PutNextS5N2Carrying"),
        dict(level="KeyInBox"),
        dict(level="OpenDoorsOrderN4Debug"),
        dict(level="BossLevel"),
    )
    player_page = pages.PAGE
    shown = "bot"
    clickable = "left|right|forward"

    def __init__(
        self,
        level: Level = "MiniBossLevel",
        room_size: Annotated[int | None, Between(3, 25)] = None,
        rows: Annotated[int | None, Between(1, 5)] = None,
        columns: Annotated[int | None, Between(1, 5)] = None,
        things: Annotated[int | None, Between(0, 40)] = None,
        horizon: Annotated[int | None, Between(1, 1_000_000)] = None,
    ):
        row = sized(level, room_size, rows, columns, things)
        width, height = (row.size - 1) * row.columns + 1, (row.size - 1) * row.rows + 1
        numbers = {name: limited(int(getattr(row, name)), 0, high) for name, high in NUMBERS.items()}
        high = np.array([2, language.PUT_NEXT, *[language.OBJECT, 6, 4] * 2, 1], np.uint8)
        self.lay_out(
            width,
            height,
            limited(horizon or row.horizon, 0, 1_000_000),  # 0: by the mission
            parts={
                "words": Box(0, len(language.WORDS) - 1, (language.LONGEST,), np.uint8),
                "clauses": Box(0, np.tile(high, (4, 1)), dtype=np.uint8),
            },
            fields=fields(width, height),
            level=level_fields(width, height),
            params={
                "level": list(LEVELS).index(level),
                "size": limited(row.size, 3, 31),
                "things": row.things,
                "locked": limited(row.locked, 0.0, 1.0),
                **numbers,
            },
        )

    def limit_of(self, s: Any) -> int:
        return int(s.limit)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {**super().page_slots(s, agent), **pages.page_slots(self, s, agent)}

    def mission_of(self, s: Any) -> str:
        return language.in_words(s.words)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The picture of rooms, with the mission below."""
        scene = super().scene(s, agent)
        size = max(0.36, scene.width / 34)
        lines = wrap(self.mission_of(s), scene.width - size, size)
        for k, line in enumerate(lines):
            scene.add(Label(size / 2, scene.height + size * (0.7 + 1.35 * k), line, size, align="left"))
        scene.height += size * (0.3 + 1.35 * len(lines))
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        column, row = math.floor(x), math.floor(y)
        if not (0 <= column < rooms.VIEW and 0 <= row < rooms.VIEW):
            return None
        if column != rooms.MIDDLE:
            return rooms.LEFT if column < rooms.MIDDLE else rooms.RIGHT
        kind = int(self.view(s)[rooms.MIDDLE, rooms.VIEW - 2]) & rooms.KIND
        if row == rooms.VIEW - 2 and kind in (rooms.CLOSED, rooms.LOCKED):
            return rooms.TOGGLE
        return rooms.PICKUP if row == rooms.VIEW - 2 and kind in (rooms.KEY, rooms.BALL, rooms.BOX) else rooms.FORWARD

    def contradiction(self, s: Any) -> str | None:
        if (found := super().contradiction(s)) or (found := self._mistaken(s)):
            return found
        grid = rooms.inner(s.grid, s.level.grid.shape)
        kinds = grid & rooms.KIND
        if not (np.isin(kinds, _ALLOWED).all() and np.isin(s.level.grid & rooms.KIND, _ALLOWED).all()):
            return "there is a thing that this world does not have"
        numbers = rooms.inner(s.number, s.level.grid.shape)
        if ((numbers > 0) != np.isin(kinds, _OBJECTS)).any() or (s.hand > 0) != (s.carrying != rooms.EMPTY):
            return "objects and their numbers do not go together"
        if (s.number > 0).sum() != (numbers > 0).sum():
            return "there are objects outside of the level"
        held = np.array([*s.inside, *s.level.boxes[:, 2]]) & ~rooms.COLOR
        if not np.isin(held, (0, rooms.KEY, rooms.BALL, rooms.BOX)).all():
            return "a box holds what it cannot hold"
        x, y = s.level.carrying
        if (x or y) and s.level.grid[y, x] & rooms.KIND not in (rooms.KEY, rooms.BALL, rooms.BOX):
            return "the level's agent carries what it cannot carry"
        return self._misspoken(s)

    def _mistaken(self, s: Any) -> str | None:
        """What is wrong with the parameters of a record: they must be those of its named level."""
        height, width = s.level.grid.shape
        size, level = int(s.params.size), list(LEVELS)[int(s.params.level)]
        (rows, more_rows), (columns, more_columns) = divmod(height - 1, size - 1), divmod(width - 1, size - 1)
        if more_rows or more_columns or not rows or not columns:
            return f"rooms of {size} cells do not fit {width} x {height} cells"
        try:
            row = sized(level, size, rows, columns, int(s.params.things))
        except ParameterError as problem:
            return str(problem)
        if any(s.params[name] != getattr(row, name) for name in (*NUMBERS, "locked")):
            return f"the parameters are not those of {level}"
        return None

    def _misspoken(self, s: Any) -> str | None:
        """What is wrong with the mission of a record."""
        verbs = s.level.verbs.tolist()
        two = s.level.shape != language.SINGLE
        if not verbs[0] or bool(verbs[2]) != two or (verbs[3] and not two):
            return "clauses and shape of the mission do not go together"
        if s.stage and not two:
            return "the mission has no second part"
        for k, verb in enumerate(verbs):
            for which in range(2):
                needed = verb == language.PUT_NEXT or (verb != language.NO_VERB and which == 0)
                kind, color, place = s.level.named[k, which].tolist()
                allowed = (rooms.DOOR, rooms.KEY, rooms.BALL, rooms.BOX, language.OBJECT) if needed else (0,)
                if kind not in allowed or (not needed and (color or place)):
                    return "verbs and descriptions do not go together"
        return None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        """Take a level of rooms with "mission", and perhaps "carrying", "boxes" and "strict"."""
        super().set_level(s, level)
        height, width = s.level.grid.shape
        kinds = s.level.grid & rooms.KIND
        for y, x in np.argwhere(~np.isin(kinds, _ALLOWED)):
            raise LevelError(f"{self.id}: the level must not have {rooms.name(s.level.grid[y, x])}, at x={x}, y={y}")
        count = int(np.count_nonzero(np.isin(kinds[1:-1, 1:-1], _OBJECTS)))
        if count > MOST:
            raise LevelError(f"{self.id}: the level has {count} things and doors; {MOST} is the most")
        shape, parts = language.read_mission(level["mission"], self.id)
        s.level.shape = shape
        s.level.verbs[:] = language.NO_VERB
        s.level.named[:] = 0
        clauses = [(2 * n + k, clause) for n, part in enumerate(parts) for k, clause in enumerate(part)]
        for k, (verb, *named) in clauses:
            s.level.verbs[k], s.level.named[k] = verb, named
        strict = level.get("strict", [False] * len(clauses))
        if not isinstance(strict, (list, tuple)) or [type(flag) for flag in strict] != [bool] * len(clauses):
            raise LevelError(f"{self.id}: 'strict' must list {len(clauses)} times true or false, not {strict!r:.60}")
        s.level.strict[:] = 0
        for (k, (verb, *_)), flag_ in zip(clauses, strict):
            if flag_ and verb not in (language.OPEN, language.PICK_UP):
                raise LevelError(f"{self.id}: only clauses 'open' and 'pick up' can be strict")
            s.level.strict[k] = flag_
        s.level.carrying[:] = 0
        if "carrying" in level:
            s.level.carrying[:] = self._thing_at(s, level["carrying"], (rooms.KEY, rooms.BALL, rooms.BOX), "'carrying'")
        s.level.boxes[:] = 0
        boxes = level.get("boxes", [])
        if len(boxes) > MOST_BOXES:
            raise LevelError(f"{self.id}: {len(boxes)} boxes hold something; {MOST_BOXES} is the most")
        for k, (x, y, held) in enumerate(boxes):
            code = rooms.ENCODE[tuple(held)] if len(held) == 3 and min(held) >= 0 else 0
            if code & rooms.KIND not in (rooms.KEY, rooms.BALL, rooms.BOX):
                raise LevelError(f"{self.id}: a box holds a key, ball or box as [type, color, 0], not {held}")
            place = self._thing_at(s, (x, y), (rooms.BOX,), "'boxes'")
            if place in s.level.boxes[:k, :2].tolist():
                raise LevelError(f"{self.id}: 'boxes' names x={x}, y={y} twice")
            s.level.boxes[k] = *place, code
        for k, (_, *named) in clauses:
            for which, description in enumerate(named):
                if any(description) and not any(
                    fits(s, x, y, k, which) for y, x in np.argwhere(kinds >= rooms.DOOR).tolist()
                ):
                    raise LevelError(f"{self.id}: nothing in the level is {in_text(description)}, as the mission says")

    def _thing_at(self, s: Any, place: Any, kinds: tuple[int, ...], what: str) -> list[int]:
        """A place of a level as [column, row], where there is a thing of these kinds."""
        height, width = s.level.grid.shape
        if not (len(place) == 2 and all(is_integer(number) for number in place)):
            raise LevelError(f"{self.id}: {what} must name cells as column and row, not {place!r:.60}")
        x, y = place
        if not (0 < x < width - 1 and 0 < y < height - 1) or s.level.grid[y, x] & rooms.KIND not in kinds:
            wanted = " or a ".join(rooms.TYPES[kind] for kind in kinds)
            raise LevelError(f"{self.id}: {what} must name the cell of a {wanted}; x={x}, y={y} is not")
        return [int(x), int(y)]

    def get_level(self, s: Any) -> dict[str, Any]:
        level = super().get_level(s)
        level["mission"] = self.mission_of(s)
        if s.level.carrying[0]:
            level["carrying"] = s.level.carrying.tolist()
        boxes = [[x, y, rooms.DECODE[code].tolist()] for x, y, code in s.level.boxes.tolist() if code]
        clauses = [k for k in range(4) if s.level.verbs[k] != language.NO_VERB]
        strict = [bool(s.level.strict[k]) for k in clauses]
        return level | ({"boxes": boxes} if boxes else {}) | ({"strict": strict} if any(strict) else {})


def in_text(named: Any) -> str:
    """A description of one thing."""
    kind, color, place = named
    words = [
        "a",
        rooms.COLORS[color - 1] if color else "",
        "object" if kind == language.OBJECT else rooms.TYPES[kind],
        language.PLACES[place],
    ]
    return " ".join(word for word in words if word)


env, raw_env, parallel_env = pettingzoo_forms(Instruct)
