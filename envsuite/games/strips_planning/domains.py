"""Domains of Planning as data: each domain in PDDL, and for each size its objects, its fixed facts and its draws.

A draw adds sets of facts to the start and to the goal; a fact that begins with "?" is one of the goal:

- `Choose` picks some of its sets.
- `Assign` gives each of some things another one of at least as many places.
- `Towers` stacks things on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Literal

from envsuite.kit.strips import Atom, Domain, Task, ground, read_domain

Name = Literal[
    "blocksworld", "depots", "driverlog", "ferry", "floortile", "gripper", "hanoi", "keys", "logistics", "miconic",
    "satellite", "spanner", "tiles", "tyres", "visit_all", "zenotravel",
]  # fmt: skip

#: The sizes of every domain.
SIZES = 5

#: Facts of the start, and with a "?" of the goal.
Set = Sequence[str]


@dataclass
class Choose:
    """`count` of these sets, each equally likely."""

    sets: Sequence[Set]
    count: int = 1


@dataclass
class Assign:
    """A random place for each thing, no two the same: ``sets[thing][place]``, and ``free[place]`` where none is.

    With a `width`, things are tiles and places a board of this width, of which the last is empty in the goal. Then only
    boards are drawn from which the goal can be reached.
    """

    sets: Sequence[Sequence[Set]]
    free: Sequence[Set]
    width: int = 0


@dataclass
class Towers:
    """Towers: one by one, each thing is put on a random tower or, if there are no bases, begins one.

    Supports are all things and then all bases. Sets: ``on[thing][support]``; ``ground[thing]`` for a thing that begins
    a tower; ``clear[support]`` for a top; ``home[thing][base]`` for a thing in a tower on this base.
    """

    on: Sequence[Sequence[Set]]
    ground: Sequence[Set] = ()
    clear: Sequence[Set] = ()
    home: Sequence[Sequence[Set]] = ()
    shuffled: bool = True


#: A part of a problem that is drawn.
Draw = Choose | Assign | Towers


@dataclass
class Instances:
    """A domain of one size: objects by type, facts that hold in all its problems, and the draws of a problem.

    `board` is the number of columns if places are drawn as a board.
    """

    objects: dict[str, str]
    fixed: list[str] = field(default_factory=list)
    draws: Sequence[Draw] = ()
    board: int = 0


def _named(prefix: str, count: int, kind: str = "") -> dict[str, str]:
    return {f"{prefix}{k + 1}": kind or prefix for k in range(count)}


def _always(*facts: str) -> Choose:
    return Choose([facts])


def _different(names: Sequence[str]) -> list[str]:
    return [f"different {a} {b}" for a in names for b in names if a != b]


def _pairs(pattern: str, names: Sequence[str]) -> list[Set]:
    """A start and another goal among these names: {a} and {b} in a pattern of facts that commas separate."""
    return [pattern.format(a=a, b=b).split(", ") for a in names for b in names if a != b]


def _cells(width: int, height: int) -> list[str]:
    return [f"c{x}-{y}" for y in range(height) for x in range(width)]


def _next(width: int, height: int) -> list[tuple[str, str]]:
    """Neighbors on a board, both ways."""
    steps = [((x, y), (x + u, y + v)) for x in range(width) for y in range(height) for u, v in ((1, 0), (0, 1))]
    inside = [(a, b) for a, b in steps if b[0] < width and b[1] < height]
    return [(f"c{a[0]}-{a[1]}", f"c{b[0]}-{b[1]}") for pair in inside for a, b in (pair, pair[::-1])]


BLOCKSWORLD = """
(define (domain blocksworld)
  (:types block - object)
  (:predicates (on ?a ?b - block) (on-table ?a - block) (clear ?a - block) (holding ?a - block) (hand-empty)
    (different ?a ?b - block))
  (:action pick-up :parameters (?a - block)
    :precondition (and (hand-empty) (on-table ?a) (clear ?a))
    :effect (and (holding ?a) (not (hand-empty)) (not (on-table ?a)) (not (clear ?a))))
  (:action put-down :parameters (?a - block)
    :precondition (and (holding ?a))
    :effect (and (hand-empty) (on-table ?a) (clear ?a) (not (holding ?a))))
  (:action stack :parameters (?a ?b - block)
    :precondition (and (different ?a ?b) (holding ?a) (clear ?b))
    :effect (and (hand-empty) (on ?a ?b) (clear ?a) (not (holding ?a)) (not (clear ?b))))
  (:action unstack :parameters (?a ?b - block)
    :precondition (and (different ?a ?b) (hand-empty) (on ?a ?b) (clear ?a))
    :effect (and (holding ?a) (clear ?b) (not (hand-empty)) (not (on ?a ?b)) (not (clear ?a)))))
"""


def _blocksworld(size: int) -> Instances:
    names = "abcdefg"[: size + 2]

    def towers(sign: str) -> Towers:
        on = [[[f"{sign}on {a} {b}"] for b in names] for a in names]
        ground = [[f"{sign}on-table {a}"] for a in names]
        return Towers(on, ground, [] if sign else [[f"clear {a}"] for a in names])

    start, goal = towers(""), towers("?")
    return Instances(dict.fromkeys(names, "block"), _different(names), [_always("hand-empty"), start, goal])


GRIPPER = """
(define (domain gripper)
  (:types room - object ball - object gripper - object)
  (:predicates (robot-in ?r - room) (in ?b - ball ?r - room) (holds ?g - gripper ?b - ball) (free ?g - gripper)
    (different ?r ?s - room))
  (:action move :parameters (?r ?s - room)
    :precondition (and (different ?r ?s) (robot-in ?r))
    :effect (and (robot-in ?s) (not (robot-in ?r))))
  (:action pick :parameters (?b - ball ?r - room ?g - gripper)
    :precondition (and (robot-in ?r) (in ?b ?r) (free ?g))
    :effect (and (holds ?g ?b) (not (in ?b ?r)) (not (free ?g))))
  (:action drop :parameters (?b - ball ?r - room ?g - gripper)
    :precondition (and (robot-in ?r) (holds ?g ?b))
    :effect (and (in ?b ?r) (free ?g) (not (holds ?g ?b)))))
"""


def _gripper(size: int) -> Instances:
    rooms, balls = ["east", "west"], _named("ball", (2, 4, 6, 8, 10)[size - 1])
    objects = {**dict.fromkeys(rooms, "room"), **balls, "left": "gripper", "right": "gripper"}
    draws: list[Draw] = [_always("free left", "free right"), Choose([[f"robot-in {room}"] for room in rooms])]
    draws += [Choose(_pairs(f"in {ball} {{a}}, ?in {ball} {{b}}", rooms)) for ball in balls]
    return Instances(objects, _different(rooms), draws)


FERRY = """
(define (domain ferry)
  (:types port - object car - object)
  (:predicates (ferry-at ?p - port) (at ?c - car ?p - port) (aboard ?c - car) (empty) (different ?p ?q - port))
  (:action sail :parameters (?p ?q - port)
    :precondition (and (different ?p ?q) (ferry-at ?p))
    :effect (and (ferry-at ?q) (not (ferry-at ?p))))
  (:action board :parameters (?c - car ?p - port)
    :precondition (and (ferry-at ?p) (at ?c ?p) (empty))
    :effect (and (aboard ?c) (not (at ?c ?p)) (not (empty))))
  (:action debark :parameters (?c - car ?p - port)
    :precondition (and (ferry-at ?p) (aboard ?c))
    :effect (and (at ?c ?p) (empty) (not (aboard ?c)))))
"""


def _ferry(size: int) -> Instances:
    ports, cars = _named("port", 2 + size), _named("car", (2, 3, 4, 6, 8)[size - 1])
    draws: list[Draw] = [_always("empty"), Choose([[f"ferry-at {port}"] for port in ports])]
    draws += [Choose(_pairs(f"at {car} {{a}}, ?at {car} {{b}}", list(ports))) for car in cars]
    return Instances({**ports, **cars}, _different(list(ports)), draws)


LOGISTICS = """
(define (domain logistics)
  (:types place - object airport - place vehicle - object truck - vehicle plane - vehicle package - object)
  (:predicates (parked ?v - vehicle ?p - place) (at ?k - package ?p - place) (in ?k - package ?v - vehicle)
    (same-city ?p ?q - place) (route ?p ?q - airport) (serves ?v - vehicle ?p - place))
  (:action load :parameters (?k - package ?v - vehicle ?p - place)
    :precondition (and (serves ?v ?p) (parked ?v ?p) (at ?k ?p))
    :effect (and (in ?k ?v) (not (at ?k ?p))))
  (:action unload :parameters (?k - package ?v - vehicle ?p - place)
    :precondition (and (serves ?v ?p) (parked ?v ?p) (in ?k ?v))
    :effect (and (at ?k ?p) (not (in ?k ?v))))
  (:action drive :parameters (?t - truck ?p ?q - place)
    :precondition (and (same-city ?p ?q) (serves ?t ?p) (parked ?t ?p))
    :effect (and (parked ?t ?q) (not (parked ?t ?p))))
  (:action fly :parameters (?a - plane ?p ?q - airport)
    :precondition (and (route ?p ?q) (parked ?a ?p))
    :effect (and (parked ?a ?q) (not (parked ?a ?p)))))
"""


def _logistics(size: int) -> Instances:
    cities, places, packages = ((2, 2, 1), (2, 2, 2), (2, 3, 3), (3, 2, 4), (3, 3, 5))[size - 1]
    objects: dict[str, str] = {}
    city = [
        [f"{name}-{'airport' if k == 0 else k}" for k in range(places)] for name in ("ayr", "bern", "cork")[:cities]
    ]
    for names in city:
        objects |= {name: "airport" if name == names[0] else "place" for name in names}
    trucks, parcels = _named("truck", cities), _named("package", packages)
    objects |= {**trucks, "plane": "plane", **parcels}
    ports, every = [names[0] for names in city], [name for names in city for name in names]
    fixed = [f"route {p} {q}" for p in ports for q in ports if p != q] + [f"serves plane {p}" for p in ports]
    draws: list[Draw] = [Choose([[f"parked plane {p}"] for p in ports])]
    for truck, names in zip(trucks, city):
        fixed += [f"serves {truck} {p}" for p in names]
        fixed += [f"same-city {p} {q}" for p in names for q in names if p != q]
        draws.append(Choose([[f"parked {truck} {p}"] for p in names]))
    draws += [Choose(_pairs(f"at {k} {{a}}, ?at {k} {{b}}", every)) for k in parcels]
    return Instances(objects, fixed, draws)


MICONIC = """
(define (domain miconic)
  (:types floor - object passenger - object)
  (:predicates (lift-at ?f - floor) (waits ?p - passenger ?f - floor) (bound-for ?p - passenger ?f - floor)
    (boarded ?p - passenger) (served ?p - passenger) (above ?f ?g - floor))
  (:action up :parameters (?f ?g - floor)
    :precondition (and (above ?g ?f) (lift-at ?f))
    :effect (and (lift-at ?g) (not (lift-at ?f))))
  (:action down :parameters (?f ?g - floor)
    :precondition (and (above ?f ?g) (lift-at ?f))
    :effect (and (lift-at ?g) (not (lift-at ?f))))
  (:action board :parameters (?p - passenger ?f - floor)
    :precondition (and (lift-at ?f) (waits ?p ?f))
    :effect (and (boarded ?p) (not (waits ?p ?f))))
  (:action depart :parameters (?p - passenger ?f - floor)
    :precondition (and (lift-at ?f) (boarded ?p) (bound-for ?p ?f))
    :effect (and (served ?p) (not (boarded ?p)))))
"""


def _miconic(size: int) -> Instances:
    floors, passengers = _named("f", 2 + 2 * size, "floor"), _named("p", 1 + size, "passenger")
    order = list(floors)
    above = [f"above {order[i]} {order[j]}" for i in range(len(order)) for j in range(i)]
    draws: list[Draw] = [Choose([[f"lift-at {f}"] for f in floors])]
    draws += [Choose(_pairs(f"waits {p} {{a}}, bound-for {p} {{b}}, ?served {p}", order)) for p in passengers]
    return Instances({**floors, **passengers}, above, draws)


HANOI = """
(define (domain hanoi)
  (:types spot - object disc - spot peg - spot)
  (:predicates (on ?d - disc ?s - spot) (clear ?s - spot) (fits ?d - disc ?s - spot))
  (:action move :parameters (?d - disc ?s ?t - spot)
    :precondition (and (fits ?d ?s) (fits ?d ?t) (on ?d ?s) (clear ?d) (clear ?t))
    :effect (and (on ?d ?t) (clear ?s) (not (on ?d ?s)) (not (clear ?t)))))
"""


def _hanoi(size: int) -> Instances:
    discs, pegs = list(_named("d", size + 1)), ["left", "middle", "right"]
    fixed = [f"fits {d} {s}" for k, d in enumerate(discs) for s in (*discs[k + 1 :], *pegs)]
    falling, places = discs[::-1], [*discs[::-1], *pegs]

    def towers(sign: str) -> Towers:
        clear = [] if sign else [[f"clear {s}"] for s in places]
        return Towers([[[f"{sign}on {d} {s}"] for s in places] for d in falling], clear=clear, shuffled=False)

    objects = {**dict.fromkeys(discs, "disc"), **dict.fromkeys(pegs, "peg")}
    return Instances(objects, fixed, [towers(""), towers("?")])


TILES = """
(define (domain tiles)
  (:types tile - object cell - object)
  (:predicates (at ?t - tile ?c - cell) (empty ?c - cell) (next ?c ?d - cell))
  (:action slide :parameters (?t - tile ?c ?d - cell)
    :precondition (and (next ?c ?d) (at ?t ?c) (empty ?d))
    :effect (and (at ?t ?d) (empty ?c) (not (at ?t ?c)) (not (empty ?d)))))
"""


def _tiles(size: int) -> Instances:
    width, height = ((2, 2), (3, 2), (3, 3), (4, 3), (4, 4))[size - 1]
    cells, numbers = _cells(width, height), _named("t", width * height - 1, "tile")
    fixed = [f"next {a} {b}" for a, b in _next(width, height)]
    sets = [[[f"at {t} {c}"] for c in cells] for t in numbers]
    goal = _always(*(f"?at {t} {c}" for t, c in zip(numbers, cells)))
    draws: list[Draw] = [Assign(sets, [[f"empty {c}"] for c in cells], width), goal]
    return Instances({**numbers, **dict.fromkeys(cells, "cell")}, fixed, draws, board=width)


VISIT_ALL = """
(define (domain visit-all)
  (:types cell - object)
  (:predicates (robot-at ?c - cell) (visited ?c - cell) (next ?c ?d - cell))
  (:action move :parameters (?c ?d - cell)
    :precondition (and (next ?c ?d) (robot-at ?c))
    :effect (and (robot-at ?d) (visited ?d) (not (robot-at ?c)))))
"""


def _visit_all(size: int) -> Instances:
    width, height, wanted = ((3, 3, 4), (4, 3, 6), (4, 4, 8), (5, 4, 12), (5, 5, 18))[size - 1]
    cells = _cells(width, height)
    draws: list[Draw] = [
        Choose([[f"robot-at {c}", f"visited {c}"] for c in cells]),
        Choose([[f"?visited {c}"] for c in cells], wanted),
    ]
    fixed = [f"next {a} {b}" for a, b in _next(width, height)]
    return Instances(dict.fromkeys(cells, "cell"), fixed, draws, board=width)


KEYS = """
(define (domain keys)
  (:types cell - object door - cell key - object)
  (:predicates (robot-at ?c - cell) (at ?k - key ?c - cell) (carries ?k - key) (hand-free) (open ?c - cell)
    (next ?c ?d - cell) (opens ?k - key ?d - door))
  (:action move :parameters (?c ?d - cell)
    :precondition (and (next ?c ?d) (robot-at ?c) (open ?d))
    :effect (and (robot-at ?d) (not (robot-at ?c))))
  (:action take :parameters (?k - key ?c - cell)
    :precondition (and (robot-at ?c) (at ?k ?c) (hand-free))
    :effect (and (carries ?k) (not (at ?k ?c)) (not (hand-free))))
  (:action put :parameters (?k - key ?c - cell)
    :precondition (and (robot-at ?c) (carries ?k))
    :effect (and (at ?k ?c) (hand-free) (not (carries ?k))))
  (:action unlock :parameters (?k - key ?d - door ?c - cell)
    :precondition (and (next ?c ?d) (opens ?k ?d) (robot-at ?c) (carries ?k))
    :effect (and (open ?d))))
"""


def _keys(size: int) -> Instances:
    """Rooms in a row with a locked door between each two; the key of a door lies in a room before it."""
    doors, width, height = ((1, 2, 2), (1, 3, 3), (2, 2, 2), (2, 2, 3), (3, 2, 2))[size - 1]
    whole = (width + 1) * (doors + 1) - 1
    doorways = [f"c{(k + 1) * (width + 1) - 1}-{k % height}" for k in range(doors)]
    walls = {f"c{(k + 1) * (width + 1) - 1}-{y}" for k in range(doors) for y in range(height)} - set(doorways)
    cells = [c for c in _cells(whole, height) if c not in walls]
    rooms = [
        [c for c in cells if int(c[1:].split("-")[0]) // (width + 1) == k and c not in doorways]
        for k in range(doors + 1)
    ]
    names = list(_named("key", doors))
    fixed = [f"next {a} {b}" for a, b in _next(whole, height) if a not in walls and b not in walls]
    fixed += [f"opens {key} {door}" for key, door in zip(names, doorways)]
    draws: list[Draw] = [
        _always("hand-free", *(f"open {c}" for room in rooms for c in room)),
        Choose([[f"robot-at {c}"] for c in rooms[0]]),
        Choose([[f"?at {names[0]} {c}"] for c in rooms[-1]]),
        Choose([[f"?robot-at {c}"] for c in rooms[0]]),
    ]
    for k, key in enumerate(names):
        draws.append(Choose([[f"at {key} {c}"] for room in rooms[: k + 1] for c in room]))
    objects = {**{c: "door" if c in doorways else "cell" for c in cells}, **dict.fromkeys(names, "key")}
    return Instances(objects, fixed, draws, board=whole)


DEPOTS = """
(define (domain depots)
  (:types place - object truck - object hoist - object surface - object crate - surface pallet - surface)
  (:predicates (parked ?t - truck ?p - place) (at ?s - surface ?p - place) (on ?c - crate ?s - surface)
    (clear ?s - surface) (in ?c - crate ?t - truck) (lifts ?h - hoist ?c - crate) (available ?h - hoist)
    (hoist-at ?h - hoist ?p - place) (road ?p ?q - place) (different ?s ?t - surface))
  (:action drive :parameters (?t - truck ?p ?q - place)
    :precondition (and (road ?p ?q) (parked ?t ?p))
    :effect (and (parked ?t ?q) (not (parked ?t ?p))))
  (:action lift :parameters (?h - hoist ?c - crate ?s - surface ?p - place)
    :precondition (and (hoist-at ?h ?p) (different ?c ?s) (available ?h) (at ?c ?p) (on ?c ?s) (clear ?c))
    :effect (and (lifts ?h ?c) (clear ?s) (not (available ?h)) (not (at ?c ?p)) (not (on ?c ?s)) (not (clear ?c))))
  (:action drop :parameters (?h - hoist ?c - crate ?s - surface ?p - place)
    :precondition (and (hoist-at ?h ?p) (different ?c ?s) (lifts ?h ?c) (at ?s ?p) (clear ?s))
    :effect (and (available ?h) (at ?c ?p) (on ?c ?s) (clear ?c) (not (lifts ?h ?c)) (not (clear ?s))))
  (:action load :parameters (?h - hoist ?c - crate ?t - truck ?p - place)
    :precondition (and (hoist-at ?h ?p) (parked ?t ?p) (lifts ?h ?c))
    :effect (and (in ?c ?t) (available ?h) (not (lifts ?h ?c))))
  (:action unload :parameters (?h - hoist ?c - crate ?t - truck ?p - place)
    :precondition (and (hoist-at ?h ?p) (parked ?t ?p) (available ?h) (in ?c ?t))
    :effect (and (lifts ?h ?c) (not (in ?c ?t)) (not (available ?h)))))
"""


def _depots(size: int) -> Instances:
    count, crates = ((2, 2), (2, 3), (2, 4), (3, 4), (3, 5))[size - 1]
    places, boxes = list(_named("depot", count)), list(_named("crate", crates))
    pallets, hoists = list(_named("pallet", count)), list(_named("hoist", count))
    objects = {**dict.fromkeys(places, "place"), "truck": "truck", **dict.fromkeys(hoists, "hoist")}
    objects |= {**dict.fromkeys(boxes, "crate"), **dict.fromkeys(pallets, "pallet")}
    supports = [*boxes, *pallets]
    fixed = [f"road {p} {q}" for p in places for q in places if p != q] + _different(supports)
    fixed += [f"hoist-at {h} {p}" for h, p in zip(hoists, places)]

    def towers(sign: str) -> Towers:
        on = [[[f"{sign}on {c} {s}"] for s in supports] for c in boxes]
        if sign:
            return Towers(on, clear=[])
        home = [[[f"at {c} {p}"] for p in places] for c in boxes]
        return Towers(on, clear=[[f"clear {s}"] for s in supports], home=home)

    ready = [f"available {h}" for h in hoists] + [f"at {pallet} {p}" for pallet, p in zip(pallets, places)]
    parked = Choose([[f"parked truck {p}"] for p in places])
    return Instances(objects, fixed, [_always(*ready), parked, towers(""), towers("?")])


SATELLITE = """
(define (domain satellite)
  (:types satellite - object instrument - object mode - object direction - object)
  (:predicates (points ?s - satellite ?d - direction) (power-free ?s - satellite) (powered ?i - instrument)
    (calibrated ?i - instrument) (image ?d - direction ?m - mode) (supports ?i - instrument ?m - mode)
    (calibrates-at ?i - instrument ?d - direction) (on-board ?i - instrument ?s - satellite)
    (different ?d ?e - direction))
  (:action turn :parameters (?s - satellite ?d ?e - direction)
    :precondition (and (different ?d ?e) (points ?s ?d))
    :effect (and (points ?s ?e) (not (points ?s ?d))))
  (:action switch-on :parameters (?i - instrument ?s - satellite)
    :precondition (and (on-board ?i ?s) (power-free ?s))
    :effect (and (powered ?i) (not (power-free ?s)) (not (calibrated ?i))))
  (:action switch-off :parameters (?i - instrument ?s - satellite)
    :precondition (and (on-board ?i ?s) (powered ?i))
    :effect (and (power-free ?s) (not (powered ?i))))
  (:action calibrate :parameters (?i - instrument ?s - satellite ?d - direction)
    :precondition (and (on-board ?i ?s) (powered ?i) (points ?s ?d) (calibrates-at ?i ?d))
    :effect (and (calibrated ?i)))
  (:action photograph :parameters (?i - instrument ?s - satellite ?d - direction ?m - mode)
    :precondition (and (on-board ?i ?s) (powered ?i) (calibrated ?i) (supports ?i ?m) (points ?s ?d))
    :effect (and (image ?d ?m))))
"""


def _satellite(size: int) -> Instances:
    satellites, per, directions, images = ((1, 1, 3, 1), (1, 2, 4, 2), (1, 2, 6, 4), (2, 1, 6, 6), (2, 2, 7, 8))[
        size - 1
    ]
    names, modes = list(_named("sat", satellites)), ["infrared", "visible"]
    views = list(_named("star", directions))
    instruments = {f"camera{s + 1}-{k + 1}": name for s, name in enumerate(names) for k in range(per)}
    objects = {**dict.fromkeys(names, "satellite"), **dict.fromkeys(instruments, "instrument")}
    objects |= {**dict.fromkeys(modes, "mode"), **dict.fromkeys(views, "direction")}
    fixed = _different(views) + [f"on-board {i} {s}" for i, s in instruments.items()]
    draws: list[Draw] = [_always(*(f"power-free {s}" for s in names))]
    draws += [Choose([[f"points {s} {d}"] for d in views]) for s in names]
    for k, i in enumerate(instruments):
        draws.append(Choose([[f"calibrates-at {i} {d}"] for d in views]))
        # Each mode is one of some instrument: the first supports both where it is the only one.
        able = [[f"supports {i} {m}" for m in modes]] if len(instruments) == 1 else [[f"supports {i} {modes[k % 2]}"]]
        draws.append(Choose(able))
    draws.append(Choose([[f"?image {d} {m}"] for d in views for m in modes], images))
    return Instances(objects, fixed, draws)


SPANNER = """
(define (domain spanner)
  (:types place - object spanner - object nut - object)
  (:predicates (worker-at ?p - place) (at ?s - spanner ?p - place) (carries ?s - spanner) (usable ?s - spanner)
    (loose ?n - nut) (tight ?n - nut) (nut-at ?n - nut ?p - place) (leads ?p ?q - place))
  (:action walk :parameters (?p ?q - place)
    :precondition (and (leads ?p ?q) (worker-at ?p))
    :effect (and (worker-at ?q) (not (worker-at ?p))))
  (:action take :parameters (?s - spanner ?p - place)
    :precondition (and (worker-at ?p) (at ?s ?p))
    :effect (and (carries ?s) (not (at ?s ?p))))
  (:action tighten :parameters (?n - nut ?s - spanner ?p - place)
    :precondition (and (nut-at ?n ?p) (worker-at ?p) (carries ?s) (usable ?s) (loose ?n))
    :effect (and (tight ?n) (not (loose ?n)) (not (usable ?s)))))
"""


def _spanner(size: int) -> Instances:
    places, nuts = ["shed", *_named("p", size + 2), "gate"], list(_named("nut", size))
    tools = list(_named("spanner", size + 1))
    objects = {**dict.fromkeys(places, "place"), **dict.fromkeys(tools, "spanner"), **dict.fromkeys(nuts, "nut")}
    fixed = [f"leads {p} {q}" for p, q in zip(places, places[1:])] + [f"nut-at {n} gate" for n in nuts]
    draws: list[Draw] = [_always("worker-at shed", *(f"?tight {n}" for n in nuts), *(f"loose {n}" for n in nuts))]
    draws.append(_always(*(f"usable {s}" for s in tools)))
    draws += [Choose([[f"at {s} {p}"] for p in places[1:-1]]) for s in tools]
    return Instances(objects, fixed, draws)


DRIVERLOG = """
(define (domain driverlog)
  (:types place - object driver - object truck - object package - object)
  (:predicates (driver-at ?d - driver ?p - place) (truck-at ?t - truck ?p - place) (at ?k - package ?p - place)
    (in ?k - package ?t - truck) (drives ?d - driver ?t - truck) (vacant ?t - truck)
    (road ?p ?q - place) (path ?p ?q - place))
  (:action load :parameters (?k - package ?t - truck ?p - place)
    :precondition (and (truck-at ?t ?p) (at ?k ?p))
    :effect (and (in ?k ?t) (not (at ?k ?p))))
  (:action unload :parameters (?k - package ?t - truck ?p - place)
    :precondition (and (truck-at ?t ?p) (in ?k ?t))
    :effect (and (at ?k ?p) (not (in ?k ?t))))
  (:action get-in :parameters (?d - driver ?t - truck ?p - place)
    :precondition (and (truck-at ?t ?p) (driver-at ?d ?p) (vacant ?t))
    :effect (and (drives ?d ?t) (not (driver-at ?d ?p)) (not (vacant ?t))))
  (:action get-out :parameters (?d - driver ?t - truck ?p - place)
    :precondition (and (truck-at ?t ?p) (drives ?d ?t))
    :effect (and (driver-at ?d ?p) (vacant ?t) (not (drives ?d ?t))))
  (:action drive :parameters (?t - truck ?p ?q - place ?d - driver)
    :precondition (and (road ?p ?q) (truck-at ?t ?p) (drives ?d ?t))
    :effect (and (truck-at ?t ?q) (not (truck-at ?t ?p))))
  (:action walk :parameters (?d - driver ?p ?q - place)
    :precondition (and (path ?p ?q) (driver-at ?d ?p))
    :effect (and (driver-at ?d ?q) (not (driver-at ?d ?p)))))
"""


def _driverlog(size: int) -> Instances:
    """Roads join towns in a ring; paths lead between towns by a stile, where no truck can go."""
    towns, drivers, trucks, packages = ((3, 1, 1, 1), (3, 1, 2, 2), (3, 2, 2, 3), (4, 2, 2, 4), (5, 2, 2, 5))[size - 1]
    places, stiles = list(_named("town", towns)), list(_named("stile", towns))
    people, lorries, parcels = (
        list(_named(n, c)) for n, c in (("driver", drivers), ("truck", trucks), ("package", packages))
    )
    objects = dict.fromkeys([*places, *stiles], "place") | dict.fromkeys(people, "driver")
    objects |= dict.fromkeys(lorries, "truck") | dict.fromkeys(parcels, "package")
    fixed = []
    for k, stile in enumerate(stiles):
        a, b = places[k], places[(k + 1) % towns]
        fixed += [f"road {a} {b}", f"road {b} {a}"]
        fixed += [f"path {p} {q}" for end in (a, b) for p, q in ((end, stile), (stile, end))]
    draws: list[Draw] = [Choose([[f"driver-at {d} {p}"] for p in places]) for d in people]
    draws += [Choose([[f"truck-at {t} {p}", f"vacant {t}"] for p in places]) for t in lorries]
    draws += [Choose(_pairs(f"at {k} {{a}}, ?at {k} {{b}}", places)) for k in parcels]
    draws.append(Choose([[f"?driver-at {people[0]} {p}"] for p in places]))
    return Instances(objects, fixed, draws)


TIRES = """
(define (domain tyres)
  (:types thing - object tool - thing wheel - thing hub - object)
  (:predicates (boot-open) (boot-shut) (in-boot ?x - thing) (has ?x - thing) (on ?w - wheel ?h - hub)
    (bare ?h - hub) (nuts-tight ?h - hub) (nuts-loose ?h - hub) (nuts-off ?h - hub) (down ?h - hub) (up ?h - hub)
    (inflated ?w - wheel) (flat ?w - wheel) (spare ?w - wheel)
    (is-wrench ?x - tool) (is-jack ?x - tool) (is-pump ?x - tool))
  (:action open-boot :parameters ()
    :precondition (and (boot-shut)) :effect (and (boot-open) (not (boot-shut))))
  (:action shut-boot :parameters ()
    :precondition (and (boot-open)) :effect (and (boot-shut) (not (boot-open))))
  (:action fetch :parameters (?x - thing)
    :precondition (and (boot-open) (in-boot ?x)) :effect (and (has ?x) (not (in-boot ?x))))
  (:action stow :parameters (?x - thing)
    :precondition (and (boot-open) (has ?x)) :effect (and (in-boot ?x) (not (has ?x))))
  (:action loosen :parameters (?h - hub ?x - tool)
    :precondition (and (is-wrench ?x) (has ?x) (nuts-tight ?h) (down ?h))
    :effect (and (nuts-loose ?h) (not (nuts-tight ?h))))
  (:action tighten :parameters (?h - hub ?x - tool)
    :precondition (and (is-wrench ?x) (has ?x) (nuts-loose ?h) (down ?h))
    :effect (and (nuts-tight ?h) (not (nuts-loose ?h))))
  (:action jack-up :parameters (?h - hub ?x - tool)
    :precondition (and (is-jack ?x) (has ?x) (down ?h))
    :effect (and (up ?h) (not (down ?h)) (not (has ?x))))
  (:action jack-down :parameters (?h - hub ?x - tool)
    :precondition (and (is-jack ?x) (up ?h))
    :effect (and (down ?h) (has ?x) (not (up ?h))))
  (:action undo :parameters (?h - hub ?x - tool)
    :precondition (and (is-wrench ?x) (has ?x) (nuts-loose ?h) (up ?h))
    :effect (and (nuts-off ?h) (not (nuts-loose ?h))))
  (:action do-up :parameters (?h - hub ?w - wheel ?x - tool)
    :precondition (and (is-wrench ?x) (has ?x) (nuts-off ?h) (up ?h) (on ?w ?h))
    :effect (and (nuts-loose ?h) (not (nuts-off ?h))))
  (:action take-off :parameters (?w - wheel ?h - hub)
    :precondition (and (on ?w ?h) (nuts-off ?h) (up ?h))
    :effect (and (has ?w) (bare ?h) (not (on ?w ?h))))
  (:action put-on :parameters (?w - wheel ?h - hub)
    :precondition (and (has ?w) (bare ?h) (up ?h))
    :effect (and (on ?w ?h) (not (bare ?h)) (not (has ?w))))
  (:action inflate :parameters (?w - wheel ?x - tool)
    :precondition (and (is-pump ?x) (has ?x) (has ?w) (flat ?w) (spare ?w))
    :effect (and (inflated ?w) (not (flat ?w)))))
"""


def _tires(size: int) -> Instances:
    """Wheels are to be replaced by spare ones; the first sizes want no order in the boot afterwards."""
    wheels, tidy = ((1, 0), (1, 1), (2, 0), (2, 1), (3, 1))[size - 1]
    hubs, old, spare = list(_named("hub", wheels)), list(_named("old", wheels)), list(_named("new", wheels))
    tools = ["jack", "pump", "wrench"]
    objects = {**dict.fromkeys(tools, "tool"), **dict.fromkeys([*old, *spare], "wheel"), **dict.fromkeys(hubs, "hub")}
    fixed = ["is-jack jack", "is-pump pump", "is-wrench wrench", *(f"spare {w}" for w in spare)]
    draws: list[Draw] = [Choose([["boot-open"], ["boot-shut"]])]
    draws += [Choose([[f"in-boot {x}"], [f"has {x}"]]) for x in tools]
    for wheel, worn, hub in zip(spare, old, hubs):
        draws.append(Choose([[f"in-boot {wheel}"], [f"has {wheel}"]]))
        draws.append(Choose([[f"flat {wheel}"], [f"inflated {wheel}"]]))
        draws.append(Choose([[f"nuts-tight {hub}"], [f"nuts-loose {hub}"]]))
        draws.append(_always(f"on {worn} {hub}", f"down {hub}", f"?on {wheel} {hub}", f"?nuts-tight {hub}"))
        draws.append(_always(f"?down {hub}", f"?inflated {wheel}", *([f"?in-boot {worn}"] if tidy else [])))
    if tidy:
        draws.append(_always("?boot-shut", *(f"?in-boot {x}" for x in tools)))
    return Instances(objects, fixed, draws)


FLOORTILE = """
(define (domain floortile)
  (:types robot - object tile - object color - object)
  (:predicates (robot-at ?r - robot ?t - tile) (clear ?t - tile) (painted ?t - tile ?c - color)
    (loaded ?r - robot ?c - color) (above ?t ?u - tile) (beside ?t ?u - tile) (different ?c ?d - color))
  (:action load :parameters (?r - robot ?c ?d - color)
    :precondition (and (different ?c ?d) (loaded ?r ?c))
    :effect (and (loaded ?r ?d) (not (loaded ?r ?c))))
  (:action paint-above :parameters (?r - robot ?t ?u - tile ?c - color)
    :precondition (and (above ?u ?t) (robot-at ?r ?t) (loaded ?r ?c) (clear ?u))
    :effect (and (painted ?u ?c) (not (clear ?u))))
  (:action paint-below :parameters (?r - robot ?t ?u - tile ?c - color)
    :precondition (and (above ?t ?u) (robot-at ?r ?t) (loaded ?r ?c) (clear ?u))
    :effect (and (painted ?u ?c) (not (clear ?u))))
  (:action climb :parameters (?r - robot ?t ?u - tile)
    :precondition (and (above ?u ?t) (robot-at ?r ?t) (clear ?u))
    :effect (and (robot-at ?r ?u) (clear ?t) (not (robot-at ?r ?t)) (not (clear ?u))))
  (:action descend :parameters (?r - robot ?t ?u - tile)
    :precondition (and (above ?t ?u) (robot-at ?r ?t) (clear ?u))
    :effect (and (robot-at ?r ?u) (clear ?t) (not (robot-at ?r ?t)) (not (clear ?u))))
  (:action sidestep :parameters (?r - robot ?t ?u - tile)
    :precondition (and (beside ?t ?u) (robot-at ?r ?t) (clear ?u))
    :effect (and (robot-at ?r ?u) (clear ?t) (not (robot-at ?r ?t)) (not (clear ?u)))))
"""


def _floortile(size: int) -> Instances:
    """All rows but the lowest one are to be painted; robots start there. Painted tiles cannot be entered."""
    width, height, robots = ((2, 3, 1), (3, 3, 1), (4, 3, 1), (3, 4, 1), (3, 5, 1))[size - 1]
    cells, crew, colors = _cells(width, height), list(_named("robot", robots)), ["black", "white"]
    objects = {**dict.fromkeys(crew, "robot"), **dict.fromkeys(cells, "tile"), **dict.fromkeys(colors, "color")}
    fixed = _different(colors)
    for a, b in _next(width, height):  # rows count from the top
        same, first = a.split("-")[1] == b.split("-")[1], a.split("-")[1] < b.split("-")[1]
        fixed += [f"beside {a} {b}"] if same else [f"above {a} {b}"] if first else []
    last = cells[-width:]
    draws: list[Draw] = [
        _always(*(f"clear {c}" for c in cells[:-width])),
        Assign([[[f"robot-at {r} {c}"] for c in last] for r in crew], [[f"clear {c}"] for c in last]),
    ]
    draws += [Choose([[f"loaded {r} {c}"] for c in colors]) for r in crew]
    draws += [Choose([[f"?painted {t} {c}"] for c in colors]) for t in cells[:-width]]
    return Instances(objects, fixed, draws, board=width)


ZENOTRAVEL = """
(define (domain zenotravel)
  (:types city - object plane - object person - object level - object)
  (:predicates (plane-at ?a - plane ?c - city) (at ?p - person ?c - city) (in ?p - person ?a - plane)
    (fuel ?a - plane ?l - level) (lower ?l ?m - level) (different ?c ?d - city))
  (:action board :parameters (?p - person ?a - plane ?c - city)
    :precondition (and (at ?p ?c) (plane-at ?a ?c))
    :effect (and (in ?p ?a) (not (at ?p ?c))))
  (:action debark :parameters (?p - person ?a - plane ?c - city)
    :precondition (and (in ?p ?a) (plane-at ?a ?c))
    :effect (and (at ?p ?c) (not (in ?p ?a))))
  (:action fly :parameters (?a - plane ?c ?d - city ?l ?m - level)
    :precondition (and (different ?c ?d) (lower ?m ?l) (plane-at ?a ?c) (fuel ?a ?l))
    :effect (and (plane-at ?a ?d) (fuel ?a ?m) (not (plane-at ?a ?c)) (not (fuel ?a ?l))))
  (:action refuel :parameters (?a - plane ?l ?m - level)
    :precondition (and (lower ?l ?m) (fuel ?a ?l))
    :effect (and (fuel ?a ?m) (not (fuel ?a ?l)))))
"""


def _zenotravel(size: int) -> Instances:
    cities, planes, people, levels = ((3, 1, 1, 2), (3, 1, 2, 3), (4, 1, 3, 3), (4, 2, 5, 3), (5, 2, 6, 4))[size - 1]
    towns, fleet = list(_named("city", cities)), list(_named("plane", planes))
    guests, tanks = list(_named("person", people)), list(_named("level", levels))
    objects = {**dict.fromkeys(towns, "city"), **dict.fromkeys(fleet, "plane"), **dict.fromkeys(guests, "person")}
    objects |= dict.fromkeys(tanks, "level")
    fixed = _different(towns) + [f"lower {a} {b}" for a, b in zip(tanks, tanks[1:])]
    draws: list[Draw] = []
    for plane in fleet:
        draws.append(Choose([[f"plane-at {plane} {c}"] for c in towns]))
        draws.append(Choose([[f"fuel {plane} {level}"] for level in tanks]))
    draws += [Choose(_pairs(f"at {p} {{a}}, ?at {p} {{b}}", towns)) for p in guests]
    return Instances(objects, fixed, draws)


#: Of each domain its PDDL and the function of a size that gives its instances.
DOMAINS: dict[str, tuple[str, Callable[[int], Instances]]] = {
    "blocksworld": (BLOCKSWORLD, _blocksworld),
    "depots": (DEPOTS, _depots),
    "driverlog": (DRIVERLOG, _driverlog),
    "ferry": (FERRY, _ferry),
    "floortile": (FLOORTILE, _floortile),
    "gripper": (GRIPPER, _gripper),
    "hanoi": (HANOI, _hanoi),
    "keys": (KEYS, _keys),
    "logistics": (LOGISTICS, _logistics),
    "miconic": (MICONIC, _miconic),
    "satellite": (SATELLITE, _satellite),
    "spanner": (SPANNER, _spanner),
    "tiles": (TILES, _tiles),
    "tyres": (TIRES, _tires),
    "visit_all": (VISIT_ALL, _visit_all),
    "zenotravel": (ZENOTRAVEL, _zenotravel),
}


def sets_of(draw: Draw) -> list[Set]:
    """All sets of a draw in one row; of `Towers` those of `on`, `ground`, `clear` and `home`, in this order."""
    if isinstance(draw, Choose):
        return list(draw.sets)
    if isinstance(draw, Assign):
        return [part for row in draw.sets for part in row] + list(draw.free)
    things, supports = len(draw.on), len(draw.on[0])
    rows = [part for row in draw.on for part in row]
    rows += draw.ground or [()] * things
    rows += draw.clear or [()] * supports
    rows += [part for row in draw.home for part in row] or [()] * (things * (supports - things))
    return rows


def atom(text: str) -> Atom:
    """The atom of a fact of a set."""
    return tuple(text.removeprefix("?").split())


@cache
def domain_of(name: str) -> Domain:
    """A domain by its name."""
    return read_domain(DOMAINS[name][0])


@cache
def instances_of(name: str, size: int) -> Instances:
    """A domain of a size."""
    return DOMAINS[name][1](size)


@cache
def task_of(name: str, size: int) -> Task:
    """A domain of a size, grounded for all starts that its draws can make."""
    made = instances_of(name, size)
    drawn = (fact for (draw,) in product(made.draws) for part in sets_of(draw) for fact in part)
    # A goal can be reached only if its facts are possible, so they may be in a start too.
    return ground(domain_of(name), made.objects, map(atom, made.fixed), map(atom, drawn))
