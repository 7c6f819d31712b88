"""The kinds of things in homes, and the activities: their furniture, objects, starts and goals.

A *thing* of an activity is a piece of furniture, by its number below `FURNITURE`, or an object, by `FURNITURE` more
than its number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from envsuite.core.digits import whole

#: The most pieces of furniture and objects of an activity, and the most conditions of a goal.
FURNITURE, OBJECTS, CONDITIONS = 6, 9, 10
THINGS = FURNITURE + OBJECTS
LAYERS = 3

#: States of things, as bits.
DUSTY, STAINED, OPEN, ON, SOAKED, SLICED, FROZEN, INSIDE = (1 << k for k in range(8))
STATES = ("dusty", "stained", "open", "on", "soaked", "sliced", "frozen", "inside")
BIT = {name: 1 << k for k, name in enumerate(STATES)}


@dataclass(frozen=True)
class Kind:
    """A kind of thing: its possible states; of furniture also its size, the layers that it fills and those it holds."""

    name: str
    able: str = "dusty stained"
    size: tuple[int, int] = (0, 0)
    fills: int = 0
    holds: int = 0


_KINDS = (
    Kind("nothing", ""),
    Kind("ashcan", size=(1, 1), fills=0b111, holds=0b111),
    Kind("bed", size=(3, 2), fills=0b001),
    Kind("bin", size=(1, 1), fills=0b111, holds=0b111),
    Kind("box", "dusty", (2, 2), 0b001, 0b001),
    Kind("bucket", size=(1, 2), fills=0b001, holds=0b001),
    Kind("cabinet", "dusty stained open", (2, 3), 0b111, 0b111),
    Kind("car", "dusty stained open", (3, 2), 0b011, 0b001),
    Kind("chair", size=(1, 1), fills=0b011),
    Kind("countertop", size=(3, 2), fills=0b001),
    Kind("fridge", "dusty stained open", (2, 3), 0b111, 0b111),
    Kind("shelf", size=(2, 3), fills=0b011, holds=0b011),
    Kind("sink", "dusty stained on", (2, 2), 0b001, 0b001),
    Kind("sofa", size=(3, 2), fills=0b001),
    Kind("stove", "dusty stained open on", (3, 2), 0b011, 0b001),
    Kind("table", size=(3, 2), fills=0b010),
    Kind("wall", "", fills=0b111),
    Kind("door", "", fills=0b111),
    Kind("apple", "sliced frozen"),
    Kind("blender", "dusty stained on"),
    Kind("book", "dusty"),
    Kind("broom", "dusty"),
    Kind("brush", "dusty stained soaked"),
    Kind("candle", "dusty"),
    Kind("carton", "dusty"),
    Kind("casserole", "stained frozen"),
    Kind("chips", ""),
    Kind("date", "frozen"),
    Kind("document", "dusty"),
    Kind("dustpan"),
    Kind("fish", "frozen"),
    Kind("folder", "dusty"),
    Kind("hamburger", "frozen"),
    Kind("hammer"),
    Kind("hardback", "dusty"),
    Kind("kettle"),
    Kind("knife"),
    Kind("lemon", "sliced frozen"),
    Kind("marker"),
    Kind("necklace"),
    Kind("notebook", "dusty"),
    Kind("oatmeal", "frozen"),
    Kind("oil", "frozen"),
    Kind("olive", "frozen"),
    Kind("package", "dusty open"),
    Kind("pan"),
    Kind("plant", "soaked"),
    Kind("plate"),
    Kind("plywood"),
    Kind("printer", "dusty on"),
    Kind("rag", "stained soaked"),
    Kind("saw"),
    Kind("shoe"),
    Kind("sneaker"),
    Kind("soap", ""),
    Kind("sock"),
    Kind("sugar", ""),
    Kind("tea bag", "dusty stained soaked"),
    Kind("teapot"),
    Kind("towel", "stained soaked"),
)

KINDS = tuple(kind.name for kind in _KINDS)
KIND = {name: k for k, name in enumerate(KINDS)}
BED, SINK, STOVE, FRIDGE = (KIND[name] for name in ("bed", "sink", "stove", "fridge"))
WALL, DOOR, BROOM, BRUSH, KNIFE, RAG, TEAPOT, TOWEL = (
    KIND[name] for name in ("wall", "door", "broom", "brush", "knife", "rag", "teapot", "towel")
)

#: By kind: the states that it can have, and the layers that furniture fills and holds, as bits.
ABLE = np.array([sum(BIT[state] for state in kind.able.split()) for kind in _KINDS])
FILLS = np.array([kind.fills for kind in _KINDS])
HOLDS = np.array([kind.holds for kind in _KINDS])

# Predicates of conditions, about a thing and a set of things.
IS, IS_NOT, IN, ON_TOP, BESIDE, IN_OR_BESIDE, WITH, DOWN, APART, THREE_ON, STACKED = range(11)


@dataclass(frozen=True)
class Condition:
    """A part of a goal: a predicate, its subject, its bit of state or third thing, and the things that it may be about.

    Things have names such as "plate" or "plate 2"; without a number, `objects` stands for all of the kind.
    """

    predicate: int
    subject: str
    objects: str = ""
    state: str = ""


@dataclass(frozen=True)
class Piece:
    """Furniture of an activity: its kind, the least number of cells that can be reached, room, states, and size."""

    kind: str
    reached: int = 1
    room: int = 0
    states: str = ""
    size: tuple[int, int] | None = None


@dataclass(frozen=True)
class Start:
    """An object of an activity and where it starts.

    That is on the floor of a room; or in a cell of the piece of furniture number `at`; or with object number `above`.
    """

    kind: str
    at: int | None = None
    layer: int = 0
    states: str = ""
    above: int | None = None
    room: int = 0


@dataclass(frozen=True)
class Activity:
    """An activity; `least` is the smallest size of a room for it."""

    name: str
    mission: str
    least: int
    furniture: Sequence[Piece]
    objects: Sequence[Start]
    goal: Sequence[Condition]
    rooms: int = 1
    names: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for first, kinds in (
            (0, [part.kind for part in self.furniture]),
            (FURNITURE, [part.kind for part in self.objects]),
        ):
            for k, kind in enumerate(kinds):
                self.names[f"{kind} {kinds[: k + 1].count(kind)}"] = first + k

    def all_of(self, name: str) -> list[int]:
        """The things of these names: "plate 2", or "plate" for all plates; several names have commas between them."""
        found = []
        for part in filter(None, name.split(", ")):
            found += [thing for full, thing in self.names.items() if part in (full, full.rsplit(" ", 1)[0])]
        return found


def _each(predicate: int, subjects: str, count: int, objects: str = "", state: str = "") -> list[Condition]:
    """The condition for each of `count` things of a kind."""
    return [Condition(predicate, f"{subjects} {k + 1}", objects, state) for k in range(count)]


def _spread(kind: str, count: int, at: int, layer: int, states: str = "") -> list[Start]:
    return [Start(kind, at, layer, states)] * count


Name = Literal[
    "install_printer", "open_packages", "water_plants", "wash_pots", "put_away_dishes", "store_food", "box_books",
    "sort_books", "set_candles", "file_documents", "collect_items", "lay_floor", "clean_shoes", "clean_car",
    "throw_leftovers", "thaw_food", "make_tea", "clean_kitchen", "stack_cartons",
]  # fmt: skip

ACTIVITIES = (
    Activity(
        "install_printer", "put the printer on the table and switch it on", 6,
        [Piece("table")],
        [Start("printer")],
        [Condition(ON_TOP, "printer 1", "table"), Condition(IS, "printer 1", state="on")],
    ),
    Activity(
        "open_packages", "open both packages", 6,
        [],
        [Start("package")] * 2,
        _each(IS, "package", 2, state="open"),
    ),
    Activity(
        "water_plants", "soak the three plants in the sink", 8,
        [Piece("table"), Piece("countertop", room=1), Piece("sink", 3, room=1)],
        [Start("plant"), Start("plant"), Start("plant", room=1)],
        _each(IS, "plant", 3, state="soaked"),
        rooms=2,
    ),
    Activity(
        "wash_pots", "clean the stained pans, kettle and teapot with a soaked brush and put them into cabinets", 10,
        [Piece("countertop", 3), Piece("countertop", 3), Piece("cabinet", 2), Piece("cabinet", 2), Piece("sink", 2)],
        [Start("teapot", 0, 1, "stained"), Start("kettle", 1, 1, "stained"), *_spread("pan", 2, 0, 1, "stained"),
         Start("pan", 1, 1, "stained"), Start("brush", 1, 1, "soaked"), Start("soap", 4, 0, "inside")],
        [Condition(predicate, pot, objects, state)
         for pot in ("teapot 1", "kettle 1", "pan 1", "pan 2", "pan 3")
         for predicate, objects, state in ((IS_NOT, "", "stained"), (IN, "cabinet", ""))],
    ),
    Activity(
        "put_away_dishes", "put the eight plates into the cabinet", 8,
        [Piece("countertop", 4), Piece("countertop", 4), Piece("cabinet", 3)],
        [*_spread("plate", 4, 0, 1), *_spread("plate", 4, 1, 1)],
        _each(IN, "plate", 8, "cabinet"),
    ),
    Activity(
        "store_food", "put all food into the cabinet", 10,
        [Piece("countertop", 8, size=(4, 3)), Piece("cabinet", 3)],
        [start for kind in ("oatmeal", "chips", "oil", "sugar") for start in _spread(kind, 2, 0, 1)],
        [part for kind in ("oatmeal", "chips", "oil", "sugar") for part in _each(IN, kind, 2, "cabinet")],
    ),
    Activity(
        "box_books", "put the seven books into the box", 10,
        [Piece("shelf", 2), Piece("box", 7, size=(3, 3))],
        [*[Start("book")] * 5, *_spread("book", 2, 0, 2)],
        _each(IN, "book", 7, "box"),
    ),
    Activity(
        "sort_books", "put all books and hardbacks on the shelf", 8,
        [Piece("table", 2), Piece("shelf", 4)],
        [Start("book"), Start("book", 0, 2), Start("hardback"), Start("hardback", 0, 2)],
        [*_each(ON_TOP, "book", 2, "shelf"), *_each(ON_TOP, "hardback", 2, "shelf")],
    ),
    Activity(
        "set_candles", "put three candles on each table", 8,
        [Piece("table", 3), Piece("table", 3, room=1), Piece("box", 3), Piece("box", 3)],
        [*_spread("candle", 3, 2, 0, "inside"), *_spread("candle", 3, 3, 0, "inside")],
        _each(THREE_ON, "table", 2, "candle"),
        rooms=2,
    ),
    Activity(
        "file_documents", "put the marker on the table, and the documents and folders into the cabinet", 8,
        [Piece("chair"), Piece("table", 4), Piece("cabinet", 3)],
        [Start("marker", 0, 2), Start("document", 1, 2), Start("document", 2, 0, "inside"), Start("document", 1, 2),
         Start("document", 2, 1, "inside"), Start("folder", 1, 2), Start("folder")],
        [Condition(ON_TOP, "marker 1", "table"), *_each(IN, "document", 4, "cabinet"),
         *_each(IN, "folder", 2, "cabinet")],
    ),
    Activity(
        "collect_items", "put the sneaker, the necklace, the notebook and the socks on table 2", 10,
        [Piece("table"), Piece("table", 5), Piece("cabinet"), Piece("sofa")],
        [Start("sneaker", 2, 2), Start("necklace"), Start("notebook", 1, 0), Start("sock", 3, 1), Start("sock")],
        [Condition(ON_TOP, name, "table 2") for name in ("sneaker 1", "necklace 1", "notebook 1", "sock 1", "sock 2")],
    ),
    Activity(
        "lay_floor", "put each of the four boards beside another one", 6,
        [],
        [*[Start("plywood")] * 4, Start("hammer"), Start("saw")],
        _each(BESIDE, "plywood", 4, "plywood"),
    ),
    Activity(
        "clean_shoes", "clean the shoes and put the towel down", 8,
        [Piece("bed", 6), Piece("sink", 2)],
        [Start("rag", 0, 1), Start("soap", 0, 1), *_spread("shoe", 2, 0, 1, "stained"),
         *_spread("shoe", 2, 0, 1, "dusty"), Start("towel")],
        [*_each(IS_NOT, "shoe", 4, state="stained"), *_each(IS_NOT, "shoe", 4, state="dusty"),
         Condition(DOWN, "towel 1")],
    ),
    Activity(
        "clean_car", "dust the car and put the rag and the soap into the bucket", 8,
        [Piece("car", states="dusty"), Piece("shelf", 2), Piece("bucket", 2), Piece("sink")],
        [Start("rag", 1, 2), Start("soap", 1, 2)],
        [Condition(IS_NOT, "car 1", state="dusty"), Condition(IN, "soap 1", "bucket"),
         Condition(IN, "rag 1", "bucket")],
    ),
    Activity(
        "throw_leftovers", "throw the three hamburgers into the ashcan", 6,
        [Piece("countertop", 4), Piece("ashcan")],
        [*_spread("plate", 4, 0, 1), *[Start("hamburger", layer=2, above=k) for k in range(3)]],
        _each(IN, "hamburger", 3, "ashcan"),
    ),
    Activity(
        "thaw_food", "put the fish and the olive beside the sink, and the date beside a fish", 8,
        [Piece("fridge", 4), Piece("sink", 3)],
        [Start("date", 0, 1, "inside"), Start("olive", 0, 1, "inside"), *_spread("fish", 2, 0, 1, "inside"),
         *[Start("fish", layer=0, states="inside", above=k) for k in (0, 2)]],
        [*_each(BESIDE, "fish", 4, "sink"), Condition(BESIDE, "olive 1", "sink"), Condition(BESIDE, "date 1", "fish")],
    ),
    Activity(
        "make_tea", "slice the lemon, and soak the tea bag with the teapot on a hot stove", 8,
        [Piece("cabinet", 3), Piece("fridge"), Piece("stove")],
        [Start("teapot", 0, 1, "inside"), Start("tea bag", 0, 0, "inside"), Start("knife", 0, 0, "inside"),
         Start("lemon", 1, 1, "inside")],
        [Condition(IS, "lemon 1", state="sliced"), Condition(ON_TOP, "teapot 1", "stove"),
         Condition(WITH, "tea bag 1", "teapot"), Condition(IS, "stove 1", state="on"),
         Condition(IS, "tea bag 1", state="soaked")],
    ),
    Activity(
        "clean_kitchen", "clean the kitchen and put everything where it belongs", 10,
        [Piece("cabinet", 3, states="dusty"), Piece("cabinet", states="dusty"), Piece("fridge", 4), Piece("bin"),
         Piece("sink", 2), Piece("countertop")],
        [Start("soap", 0, 1, "inside"), Start("rag", 0, 1, "inside"), Start("dustpan", 0, 1, "inside dusty"),
         Start("broom", states="dusty"), Start("blender", states="stained"), Start("casserole", 2, 1, "inside"),
         Start("plate", 2, 1, "inside stained"), Start("oil", 2, 1, "inside"), Start("apple", 2, 1, "inside")],
        [Condition(ON_TOP, "blender 1", "countertop"), *_each(IS_NOT, "cabinet", 2, state="dusty"),
         Condition(IS_NOT, "plate 1", state="stained"), Condition(BESIDE, "soap 1", "sink"),
         Condition(APART, "oil 1", "cabinet", "plate 1"), Condition(APART, "plate 1", "cabinet", "oil 1"),
         Condition(IN, "casserole 1", "fridge"), Condition(IN, "apple 1", "fridge"),
         Condition(IN_OR_BESIDE, "rag 1", "sink")],
    ),
    Activity(
        "stack_cartons", "put one carton on the other", 6,
        [Piece("shelf", room=1)],
        [Start("carton"), Start("carton", room=1)],
        [Condition(STACKED, "carton 1", "carton 2")],
        rooms=2,
    ),
)  # fmt: skip

NAMES = tuple(activity.name for activity in ACTIVITIES)
assert NAMES == get_args(Name)


def _filled(rows: Iterator[Sequence[Sequence[int]]], most: int, width: int) -> np.ndarray:
    """(activities, most, width) int64 from lists of rows, with zeros behind them."""
    table = np.zeros((len(ACTIVITIES), most, width), np.int64)
    for k, part in enumerate(rows):
        for n, row in enumerate(part):
            table[k, n] = row
    return table


def bits_of(states: str | Sequence[str]) -> int:
    """States as bits."""
    return sum(BIT[state] for state in (states.split() if isinstance(states, str) else states))


def _piece(piece: Piece) -> tuple[int, ...]:
    kind = KIND[piece.kind]
    width, height = piece.size or _KINDS[kind].size
    return kind, width, height, piece.room, piece.reached, bits_of(piece.states)


FLOOR, AT, ABOVE = range(3)


def _start(start: Start) -> tuple[int, ...]:
    way, where = FLOOR, start.room
    if start.at is not None:
        way, where = AT, start.at
    if start.above is not None:
        way, where = ABOVE, start.above
    return KIND[start.kind], way, where, start.layer, bits_of(start.states)


def _condition(activity: Activity, part: Condition) -> tuple[int, ...]:
    third = BIT.get(part.state, 0) if part.state in BIT or not part.state else activity.names[part.state]
    return part.predicate, activity.names[part.subject], third, sum(1 << k for k in activity.all_of(part.objects))


#: By activity and piece of furniture: kind, width, height, room, least number of cells in reach, states.
PIECES = _filled(([_piece(piece) for piece in activity.furniture] for activity in ACTIVITIES), FURNITURE, 6)
#: By activity and object: kind, `FLOOR`, `AT` or `ABOVE`, room or number, layer, states.
STARTS = _filled(([_start(start) for start in activity.objects] for activity in ACTIVITIES), OBJECTS, 5)
#: By activity and condition: predicate, subject, state or third thing, set of things.
GOALS = _filled(([_condition(activity, part) for part in activity.goal] for activity in ACTIVITIES), CONDITIONS, 4)
ROOMS, LEAST, PIECE_COUNT, OBJECT_COUNT, GOAL_COUNT = np.array(
    [(one.rooms, one.least, len(one.furniture), len(one.objects), len(one.goal)) for one in ACTIVITIES]
).T.copy()
#: By activity and thing: its kind, 0 for none, and its number within the kind, from 1.
KIND_OF = np.concatenate([PIECES[:, :, 0], STARTS[:, :, 0]], axis=1)
NUMBER = np.array([[sum(row[: t + 1] == row[t]) if row[t] else 0 for t in range(THINGS)] for row in KIND_OF])


def thing_name(activity: int, thing: int) -> str:
    """A thing in words: "sink", or "plate 2" where there are several."""
    name = KINDS[KIND_OF[activity, thing]]
    several = (KIND_OF[activity] == KIND_OF[activity, thing]).sum() > 1
    return f"{name} {NUMBER[activity, thing]}" if several else name


_WORDS = {IN: "inside", ON_TOP: "on top of", BESIDE: "beside", IN_OR_BESIDE: "inside or beside", WITH: "in the cell of"}


def the(activity: int, thing: int) -> str:
    """A thing in a sentence: "the sink", or "plate 2" where there are several."""
    name = thing_name(activity, thing)
    return name if whole(name[-1]) is not None else f"the {name}"


def condition_in_words(activity: int, k: int) -> str:
    """A condition of a goal in words."""
    predicate, subject, third, objects = GOALS[activity, k].tolist()
    name = the(activity, subject)
    about = [thing for thing in range(THINGS) if objects >> thing & 1]
    others = [the(activity, thing) for thing in about if thing != subject]
    if predicate in (IS, IS_NOT):
        return f"{name} is {'not ' * (predicate == IS_NOT)}{STATES[third.bit_length() - 1]}"
    if predicate == DOWN:
        return f"{name} is not in the hand"
    if predicate == APART:
        return f"{name} is inside a cabinet without {the(activity, third)}"
    if predicate == THREE_ON:
        return f"three {KINDS[KIND_OF[activity, about[0]]]}s are on top of {name}"
    if predicate == STACKED:
        return f"{name} is on top of {others[0]}, or under it"
    return f"{name} is {_WORDS[predicate]} {' or '.join(others)}"
