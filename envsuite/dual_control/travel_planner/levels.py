"""Cities for TravelPlanner: sights with hours, hotels, a table of transport, and a traveler's budget and wishes.

Places are cells of a square, each with one sight or hotel. Up to two cells are walked, free of charge, in 10 minutes
each. Longer ways are rides, with a fare and a random wait. An empty trip in the cheapest hotel is always affordable;
not all wishes need be.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite import registry
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.parameters import is_integer
from envsuite.core.random import randint
from envsuite.core.ranges import below, within
from envsuite.core.record import as_views
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

CATEGORIES = ("museum", "park", "church", "market", "tower", "theater")

#: What a traveler can wish: to see a sight, a number of sights of a category, a hotel with a least number of stars, to
#: spend at most a sum, and to be back at the hotel by a minute of each day.
SEE, SOME, STARS, SPEND, BACK = range(5)

#: Cells on a side of a city.
SIDE = 10

MOST_SIGHTS, MOST_HOTELS, MOST_DAYS, MOST_STARS = 8, 4, 3, 5
#: The largest amount of money, and the first minute after a day; days are spent between START and END.
MOST_MONEY, MIDNIGHT = 10_000, 1440
START, END = 9 * 60, 19 * 60


def level_fields(sights: int, hotels: int, wishes: int) -> list[tuple]:
    """The fields of a city. Places are the sights, then the hotels."""
    places = sights + hotels
    minute, money = within(np.int16, 0, MIDNIGHT), within(np.int16, 0, MOST_MONEY)
    return [
        ("budget", money),
        ("place", below(np.int8, SIDE), (places, 2)),  # column and row of each
        ("category", below(np.int8, len(CATEGORIES)), (sights,)),
        ("opens", minute, (sights,)),
        ("closes", minute, (sights,)),
        ("visit", minute, (sights,)),  # minutes that a visit takes
        ("fee", money, (sights,)),
        ("price", money, (hotels,)),  # of a night
        ("stars", within(np.int8, 1, MOST_STARS), (hotels,)),
        ("minutes", minute, (places, places)),  # from each place to each, the same in both directions
        ("fares", money, (places, places)),
        ("wish", below(np.int8, 5), (wishes,)),  # SEE, SOME, STARS, SPEND or BACK
        ("sight", below(np.int8, sights), (wishes,)),  # to SEE, otherwise 0
        ("kind", below(np.int8, len(CATEGORIES)), (wishes,)),  # the category of SOME, otherwise 0
        ("number", within(np.int16, 0, MOST_MONEY), (wishes,)),  # of SOME, STARS, SPEND or BACK, otherwise 0
    ]


@kernel
def draw_sight(s, k):
    """Draw the hours, the visit and the fee of a sight; there is always time for a visit."""
    level = s.level
    level.visit[k] = 90 + 30 * randint(s, 4)
    level.opens[k] = START + 60 * randint(s, 6)
    level.closes[k] = min(level.opens[k] + level.visit[k] + 30 * (1 + randint(s, 5)), END)
    level.fee[k] = 5 * randint(s, 5)


@large_kernel
def draw_places(s):
    """Draw the places, each in a cell of its own, and the table of transport."""
    level = s.level
    places = level.place.shape[0]
    for k in range(places):
        free = False
        while not free:
            level.place[k, 0] = randint(s, SIDE)
            level.place[k, 1] = randint(s, SIDE)
            free = True
            for j in range(k):
                if level.place[j, 0] == level.place[k, 0] and level.place[j, 1] == level.place[k, 1]:
                    free = False
    for k in range(places):
        level.minutes[k, k] = 0
        level.fares[k, k] = 0
        for j in range(k):
            away = abs(level.place[j, 0] - level.place[k, 0]) + abs(level.place[j, 1] - level.place[k, 1])
            minutes, fare = 10 * away, 0
            if away > 2:
                minutes = 10 + 3 * away + 5 * randint(s, 4)
                fare = 1 + away // 3 + randint(s, 3)
            level.minutes[j, k] = level.minutes[k, j] = minutes
            level.fares[j, k] = level.fares[k, j] = fare


@kernel
def wished(level, before, kind, what):
    """Whether one of the first `before` wishes is of this kind, and about this sight or category."""
    for w in range(before):
        if (
            level.wish[w] == kind
            and (kind != SEE or level.sight[w] == what)
            and (kind != SOME or level.kind[w] == what)
        ):
            return True
    return False


@large_kernel
def draw_wish(s, w):
    """Draw wish w: half to see a sight, a fifth some of a category, a tenth each of the others; no wish twice."""
    level = s.level
    sights = level.category.shape[0]
    drawn, k = randint(s, 10), np.int64(randint(s, sights))
    kind = SEE if drawn < 5 else SOME if drawn < 7 else drawn - 5
    if wished(level, w, kind, np.int64(level.category[k])):
        kind = SEE
    level.wish[w] = kind
    level.sight[w] = level.kind[w] = level.number[w] = 0
    if kind == SEE:
        while wished(level, w, SEE, k):
            k = (k + 1) % sights
        level.sight[w] = k
    elif kind == SOME:
        level.kind[w] = level.category[k]
        found = 0
        for j in range(sights):
            found += level.category[j] == level.category[k]
        level.number[w] = 1 + randint(s, min(found, 2))
    elif kind == STARS:
        level.number[w] = level.stars[randint(s, level.stars.shape[0])]
    elif kind == SPEND:
        level.number[w] = max(level.budget - 10 * (1 + randint(s, 3)), 0)
    else:
        level.number[w] = END - 60 * (1 + randint(s, 3))


@large_kernel
def make(s):
    """A new city and traveler."""
    level = s.level
    draw_places(s)
    for k in range(level.category.shape[0]):
        level.category[k] = randint(s, len(CATEGORIES))
        draw_sight(s, k)
    cheapest = MOST_MONEY
    for h in range(level.price.shape[0]):
        level.stars[h] = 2 + randint(s, MOST_STARS - 1)
        level.price[h] = 15 * level.stars[h] + 5 * randint(s, 5)
        cheapest = min(cheapest, level.price[h])
    level.budget = s.params.days * (cheapest + 20 + 5 * randint(s, 7))
    for w in range(level.wish.shape[0]):
        draw_wish(s, w)


@large_kernel
def change(s):
    """Draw the hours, the visit and the fee of one sight again."""
    draw_sight(s, randint(s, s.level.category.shape[0]))


def write(level: Any, days: int) -> dict[str, Any]:
    """The level of a record as plain data."""
    sights = len(level.category)
    places = level.place.tolist()
    return {
        "days": int(days),
        "budget": int(level.budget),
        "sights": [
            {
                "place": places[k],
                "category": CATEGORIES[level.category[k]],
                **{name: int(level[name][k]) for name in ("opens", "closes", "visit", "fee")},
            }
            for k in range(sights)
        ],
        "hotels": [
            {"place": places[sights + h], "price": int(level.price[h]), "stars": int(level.stars[h])}
            for h in range(len(level.price))
        ],
        "minutes": level.minutes.tolist(),
        "fares": level.fares.tolist(),
        "wishes": [wish_of(level, w) for w in range(len(level.wish))],
    }


def wish_of(level: Any, w: int) -> dict[str, Any]:
    """A wish as plain data; sights are numbered from 1."""
    kind, number = level.wish[w], int(level.number[w])
    if kind == SEE:
        return {"see": int(level.sight[w]) + 1}
    if kind == SOME:
        return {"category": CATEGORIES[level.kind[w]], "count": number}
    return {{STARS: "stars", SPEND: "spend", BACK: "back"}[int(kind)]: number}


class Reading:
    """Plain data on its way into a record; every fault is a `LevelError` that begins with the name."""

    def __init__(self, name: str):
        self.name = name

    def demand(self, holds: Any, message: str) -> None:
        if not holds:
            raise LevelError(f"{self.name}: {message}")

    def whole(self, value: Any, low: int, high: int, what: str) -> int:
        """An integer from `low` to `high`."""
        self.demand(is_integer(value) and low <= value <= high, f"{what} is {value!r:.40}, not from {low} to {high}")
        return int(value)

    def parts(self, part: Any, names: tuple[str, ...], what: str) -> Mapping[str, Any]:
        """A mapping with exactly these names."""
        named = isinstance(part, Mapping) and set(part) == set(names)
        self.demand(named, f"{what} must have {', '.join(names)}, not {part!r:.60}")
        return part

    def listed(self, part: Any, count: int, what: str) -> Any:
        """A list of this length."""
        self.demand(isinstance(part, (list, tuple)) and len(part) == count, f"{what} must be a list of {count}")
        return part

    def category(self, name: Any, what: str) -> int:
        known = isinstance(name, str) and name in CATEGORIES
        self.demand(known, f"{what} is {name!r:.40}, not one of {', '.join(CATEGORIES)}")
        return CATEGORIES.index(name)


def read(target: Any, level: Mapping[str, Any], days: int, name: str) -> None:
    """Fill a record's level for that many days, or raise a `LevelError` that begins with this name."""
    to = Reading(name)
    sights, hotels, wishes = len(target.category), len(target.price), len(target.wish)
    known = {"kind", "days", "budget", "sights", "hotels", "minutes", "fares", "wishes"}
    unknown = sorted(map(str, set(level) - known))
    to.demand(not unknown, f"the level has an unknown part {unknown and unknown[0]!r}")
    to.whole(level["days"], days, days, "the number of days")
    target.budget = to.whole(level["budget"], 0, MOST_MONEY, "the budget")
    for k, sight in enumerate(to.listed(level["sights"], sights, "'sights'")):
        what = f"sight {k + 1}"
        to.parts(sight, ("place", "category", "opens", "closes", "visit", "fee"), what)
        target.category[k] = to.category(sight["category"], f"the category of {what}")
        for part, most in (("opens", MIDNIGHT), ("closes", MIDNIGHT), ("visit", MIDNIGHT), ("fee", MOST_MONEY)):
            target[part][k] = to.whole(sight[part], 0, most, f"{part!r} of {what}")
    for h, hotel in enumerate(to.listed(level["hotels"], hotels, "'hotels'")):
        to.parts(hotel, ("place", "price", "stars"), f"hotel {h + 1}")
        target.price[h] = to.whole(hotel["price"], 0, MOST_MONEY, f"the price of hotel {h + 1}")
        target.stars[h] = to.whole(hotel["stars"], 1, MOST_STARS, f"the number of stars of hotel {h + 1}")
    cells = [part["place"] for part in (*level["sights"], *level["hotels"])]
    for p, cell in enumerate(cells):
        what = f"the place of {place_name(p, sights)}"
        target.place[p] = [to.whole(x, 0, SIDE - 1, what) for x in to.listed(cell, 2, what)]
        to.demand(cell not in cells[:p], f"{what}, {cell}, is taken")
    for part, most in (("minutes", MIDNIGHT), ("fares", MOST_MONEY)):
        _read_table(to, target[part], level[part], part, most)
    for w, wish in enumerate(to.listed(level["wishes"], wishes, "'wishes'")):
        _read_wish(to, target, w, wish)
    to.demand((np.array(target.wish) == BACK).sum() <= 1, "only one wish may be 'back'")


def _read_table(to: Reading, table: Any, rows: Any, part: str, most: int) -> None:
    places = len(table)
    for p, row in enumerate(to.listed(rows, places, f"{part!r}")):
        values = to.listed(row, places, f"row {p + 1} of {part!r}")
        table[p] = [to.whole(value, 0, most, f"a number in row {p + 1} of {part!r}") for value in values]
    values = np.array(table)
    to.demand((values == values.T).all(), f"{part!r} must be the same in both directions")
    to.demand(not values.diagonal().any(), f"{part!r} must be 0 from a place to itself")


def _read_wish(to: Reading, target: Any, w: int, wish: Any) -> None:
    names = {("see",): SEE, ("category", "count"): SOME, ("stars",): STARS, ("spend",): SPEND, ("back",): BACK}
    kind = names.get(tuple(sorted(map(str, wish)))) if isinstance(wish, Mapping) else None
    to.demand(kind is not None, f"wish {w + 1} must have see, category and count, stars, spend, or back: {wish!r:.60}")
    sights, what = len(target.category), f"wish {w + 1}"
    target.wish[w] = kind
    target.sight[w] = to.whole(wish["see"], 1, sights, f"the sight of {what}") - 1 if kind == SEE else 0
    target.kind[w] = to.category(wish["category"], f"the category of {what}") if kind == SOME else 0
    target.number[w] = 0
    numbers = {"count": (1, sights), "stars": (1, MOST_STARS), "spend": (0, MOST_MONEY), "back": (0, MIDNIGHT)}
    for part in wish.keys() & numbers:
        target.number[w] = to.whole(wish[part], *numbers[part], f"{part!r} of {what}")


def place_name(place: int, sights: int) -> str:
    """The name of a place by its number."""
    return f"sight {place + 1}" if place < sights else f"hotel {place - sights + 1}"


class City(Generator):
    """Cities with a traveler's wishes.

    Args:
        sights: number of sights.
        hotels: number of hotels.
        days: number of days of the trip.
        wishes: number of wishes, at most the number of sights.
    """

    make = make
    change = change

    def __init__(
        self,
        sights: Annotated[int, Between(2, MOST_SIGHTS)] = 6,
        hotels: Annotated[int, Between(1, MOST_HOTELS)] = 2,
        days: Annotated[int, Between(1, MOST_DAYS)] = 2,
        wishes: Annotated[int, Between(1, MOST_SIGHTS)] = 5,
    ):
        if wishes > sights:
            raise ParameterError(f"a city with wishes={wishes} needs as many sights, not sights={sights}")
        self.define(level=level_fields(sights, hotels, wishes), params={"days": days})

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(len(level["sights"]), len(level["hotels"]), level["days"], len(level["wishes"]))

    def decode(self, s: Any) -> dict[str, Any]:
        return write(s.level, s.params.days)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read(s.level, level, s.params.days, self.kind)

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures; the size is (sights, hotels), and a city is solvable if a hotel is affordable.

        The difficulty is the time that visits to all sights take, as a share of all days.
        """
        cheapest = min(hotel["price"] for hotel in level["hotels"])
        minutes = sum(sight["visit"] for sight in level["sights"])
        return {
            "size": [len(level["sights"]), len(level["hotels"])],
            "solvable": cheapest * level["days"] <= level["budget"],
            "difficulty": round(minutes / (level["days"] * (END - START)), 6),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The city with the hours of its sights, and the wishes."""
        sizes = {part: len(level[part]) for part in ("sights", "hotels", "wishes")}
        world = registry.build("envsuite/TravelPlanner-v0", {**sizes, "days": level["days"]})
        s = as_views(np.zeros(1, world.record))[0]
        world.fill(s)
        world.set_level(s, level)
        s.hotel = s.plan[:] = -1
        return world.scene(s)
