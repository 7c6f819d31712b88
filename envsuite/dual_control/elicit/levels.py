"""Requests: what a user wants but has not said, and the offers that may fit.

A request has aspects, such as the hotel of a journey, and each aspect has topics, such as its breakfast. For some
topics, drawn uniformly, the user has a wish: one of three choices, drawn uniformly.

- The tasks of journeys are named by the number of wishes in each aspect: "233" has 2 for the flight, 3 for the hotel
  and 3 for the car. Each aspect has offers: one choice in each topic, and a price, different for each offer. One of the
  offers, drawn uniformly, meets all wishes. All other choices are drawn uniformly.
- The task "intention" has one aspect without offers. Each wish has an importance from 1 to 3, drawn uniformly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import exact_parts, read_numbers
from envsuite.core.random import randint, shuffle
from envsuite.core.ranges import below, fixed, limited, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

Task = Literal["22", "33", "44", "233", "333", "334", "444", "2222", "intention"]
INTENTION: Literal["intention"] = "intention"

#: The aspects of journeys: their topics, with three choices each.
JOURNEY: dict[str, dict[str, tuple[str, str, str]]] = {
    "flight": {
        "departure": ("morning", "noon", "night"),
        "cabin": ("economy", "premium", "business"),
        "stops": ("direct", "one stop", "two stops"),
        "seat": ("window", "aisle", "middle"),
        "luggage": ("cabin bag", "one case", "two cases"),
        "ticket": ("fixed", "flexible", "refundable"),
    },
    "hotel": {
        "place": ("center", "station", "beach"),
        "stars": ("two stars", "three", "five stars"),
        "meals": ("none", "breakfast", "full board"),
        "bed": ("single", "double", "twin"),
        "extras": ("pool", "gym", "spa"),
        "view": ("garden", "street", "sea"),
    },
    "car": {
        "size": ("small", "family", "van"),
        "gears": ("manual", "automatic", "paddles"),
        "fuel": ("petrol", "diesel", "electric"),
        "cover": ("basic", "partial", "full"),
        "pick-up": ("airport", "hotel", "downtown"),
        "mileage": ("100 km", "300 km", "unlimited"),
    },
    "restaurant": {
        "kitchen": ("local", "Italian", "Indian"),
        "mood": ("quiet", "lively", "romantic"),
        "table": ("inside", "terrace", "bar"),
        "diet": ("any", "vegetarian", "vegan"),
        "music": ("none", "live", "records"),
        "hour": ("early", "eight", "late"),
    },
}

#: The topics of an intention, with three choices each.
INTENTIONS: dict[str, tuple[str, str, str]] = {
    "purpose": ("private", "work", "study"),
    "audience": ("children", "adults", "experts"),
    "deadline": ("today", "this week", "this month"),
    "budget": ("low", "medium", "high"),
    "length": ("short", "medium", "long"),
    "format": ("text", "table", "slides"),
    "tone": ("formal", "neutral", "playful"),
    "language": ("English", "Spanish", "Chinese"),
    "examples": ("none", "some", "many"),
}

#: A topic about which the user has no wish.
NONE = -1
CHOICES = 3
MOST_OFFERS, HIGHEST_PRICE = 8, 1000


def names(task: str) -> dict[str, dict[str, tuple[str, str, str]]]:
    """The aspects of a task, with their topics and the choices of these."""
    return {"task": INTENTIONS} if task == INTENTION else dict(list(JOURNEY.items())[: len(task)])


@large_kernel
def make(s):
    """Wishes, their importance, and offers."""
    aspects, topics = s.level.wishes.shape
    offers = s.level.prices.shape[1]
    for a in range(aspects):
        for k in range(topics):
            s.scratch.order[k] = k
            s.level.wishes[a, k] = NONE
            s.level.importance[a, k] = 0
        shuffle(s, s.scratch.order, topics)
        for j in range(s.params.wishes[a]):
            k = s.scratch.order[j]
            s.level.wishes[a, k] = randint(s, CHOICES)
            if s.params.intention != 0:
                s.level.importance[a, k] = 1 + randint(s, 3)
        fill(s.scratch.order, 0)
        make_offers(s, a, offers)


@kernel
def make_offers(s, aspect, offers):
    """Offers for an aspect; the task "intention" has one that says nothing."""
    topics = s.level.wishes.shape[1]
    for n in range(offers):
        s.level.prices[aspect, n] = 0 if s.params.intention != 0 else 10 * (n + 1)
        for k in range(topics):
            s.level.offers[aspect, n, k] = NONE if s.params.intention != 0 else randint(s, CHOICES)
    if s.params.intention == 0:
        shuffle(s, s.level.prices[aspect], offers)
        fitting = randint(s, offers)
        for k in range(topics):
            if s.level.wishes[aspect, k] != NONE:
                s.level.offers[aspect, fitting, k] = s.level.wishes[aspect, k]


class Requests(Generator):
    """Requests of users.

    Args:
        task: the wishes in each aspect of a journey, or "intention"; see above.
        topics: topics of each aspect, at least as many as wishes; of a journey at most 6.
        offers: offers for each aspect of a journey; the task "intention" has none.
        details: wishes in the task "intention".
    """

    make = make

    def __init__(
        self,
        task: Task = "233",
        topics: Annotated[int, Between(1, 9)] = 5,
        offers: Annotated[int, Between(1, MOST_OFFERS)] = 6,
        details: Annotated[int, Between(1, 9)] = 3,
    ):
        intention = task == INTENTION
        wishes = [details] if intention else [int(digit) for digit in task]
        most = min(len(words) for words in names(task).values())
        if not max(wishes) <= topics <= most:
            raise ParameterError(
                f"requests: topics={topics} must be from {max(wishes)}, the number of wishes in an aspect, to {most}"
            )
        aspects, self.task = len(wishes), task
        offers = 1 if intention else offers
        self.define(
            level=[
                ("wishes", within(np.int8, NONE, CHOICES - 1), (aspects, topics)),  # NONE or a choice
                ("importance", within(np.int8, 0, 3), (aspects, topics)),  # 0 without a wish, and in journeys
                ("offers", within(np.int8, NONE, CHOICES - 1), (aspects, offers, topics)),  # the choice in each topic
                ("prices", within(np.int64, 0, HIGHEST_PRICE), (aspects, offers)),
            ],
            params={"intention": fixed(int(intention)), "wishes": limited(wishes, 1, topics)},
            scratch=[("order", below(np.int64, topics), (topics,))],
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        wishes = np.array(level["wishes"])
        if level["task"] == INTENTION:
            return cls(INTENTION, wishes.shape[1], details=int((wishes != NONE).sum()))
        return cls(level["task"], wishes.shape[1], len(level["prices"][0]))

    def decode(self, s: Any) -> dict[str, Any]:
        parts = parts_of(self.task)
        return {"task": self.task} | {part: getattr(s.level, part).tolist() for part in parts}

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_request(s, level, self.task, "requests")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, the number of "wishes", and in journeys of "fitting" offers for each aspect.

        All requests are solvable. The difficulty is the share of topics without a wish.
        """
        wishes = np.array(level["wishes"])
        found = {
            "size": list(wishes.shape),
            "solvable": True,
            "difficulty": round(float((wishes == NONE).mean()), 6),
            "wishes": int((wishes != NONE).sum()),
        }
        if level["task"] != INTENTION:
            found["fitting"] = fitting(wishes, np.array(level["offers"])).sum(axis=1).tolist()
        return found

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The wishes: a row for each aspect."""
        from envsuite.render.scene import Label, Rect, Scene

        words = names(level["task"])
        wishes = level["wishes"]
        scene = Scene(3.2 + 3 * len(wishes[0]), 1.0 + 1.6 * len(wishes))
        for a, (aspect, topics) in enumerate(words.items()):
            y = 0.5 + 1.6 * a
            scene.add(Label(0.5, y + 0.75, aspect, 0.5, align="left", bold=True, width=2.6))
            for k, (topic, choices) in enumerate(list(topics.items())[: len(wishes[0])]):
                x, wish = 3.2 + 3 * k, wishes[a][k]
                scene.add(Rect(x, y + 0.1, 2.8, 1.3, "panel" if wish == NONE else "sky", radius=0.2))
                ink = "muted" if wish == NONE else "black"
                scene.add(Label(x + 1.4, y + 0.45, topic, 0.36, ink))
                scene.add(Label(x + 1.4, y + 1.0, "-" if wish == NONE else choices[wish], 0.42, ink, bold=wish != NONE))
        return scene


def fitting(wishes: np.ndarray, offers: np.ndarray) -> np.ndarray:
    """Which offers (A, N, K) meet all of the wishes (A, K): (A, N) bool."""
    return ((wishes[:, None] == NONE) | (wishes[:, None] == offers)).all(axis=2)


def parts_of(task: str) -> tuple[str, ...]:
    """The parts of a level of this task, besides its name."""
    return ("wishes", "importance") if task == INTENTION else ("wishes", "offers", "prices")


def read_request(s: Any, level: Mapping[str, Any], task: str, name: str) -> None:
    """Fill `s.level` from a level of this task, or raise a `LevelError` that begins with this name."""
    parts = parts_of(task)
    exact_parts(name, level, "task", *parts, optional=["kind"])
    if level["task"] != task:
        raise LevelError(f"{name}: a request of the task {level['task']!r:.40} is given for the task {task!r}")
    bounds = {"wishes": (NONE, 2), "importance": (0, 3), "offers": (0, 2), "prices": (1, HIGHEST_PRICE)}
    tables = {
        part: read_numbers(level[part], f"{name}: {part}", getattr(s.level, part).shape, *bounds[part], whole=True)
        for part in parts
    }
    wished = tables["wishes"] != NONE
    for a, count in enumerate(s.params.wishes.tolist()):
        if wished[a].sum() != count:
            raise LevelError(f"{name}: aspect {a} has {wished[a].sum()} wishes, not {count}")
    if task == INTENTION:
        if (wished != (tables["importance"] > 0)).any():
            raise LevelError(f"{name}: 'importance' must be from 1 to 3 for each wish, and 0 for other topics")
        s.level.importance[:] = tables["importance"]
        s.level.offers[:] = NONE
        s.level.prices[:] = 0
    else:
        for a, row in enumerate(tables["prices"].tolist()):
            if len(set(row)) < len(row):
                raise LevelError(f"{name}: two offers for aspect {a} have the same price")
            if not fitting(tables["wishes"], tables["offers"])[a].any():
                raise LevelError(f"{name}: no offer for aspect {a} meets all wishes")
        s.level.importance[:] = 0
        s.level.offers[:] = tables["offers"]
        s.level.prices[:] = tables["prices"]
    s.level.wishes[:] = tables["wishes"]
