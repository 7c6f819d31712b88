"""Travel planner: ask about a city's sights, hotels and transport, and plan a trip that meets a traveler's wishes.

**Rules.** A traveler visits a city for some days. The planner knows the map, the category of each sight, the budget and
the wishes. It must ask for everything else. A plan is a hotel and, for each day, sights in their order.

1. Each day starts at the hotel at 9:00. The traveler goes from place to place as the table of transport says, waits
   until a sight opens, and visits it. A visit must end before the sight closes. The day ends at the hotel, by 19:00.
2. The trip costs the price of the hotel for each day, the fee of each sight, and the fare of each way.
3. A submitted plan must have a hotel, keep these times, and cost at most the budget. Otherwise, it is worth nothing.
   A possible plan is worth the share of the wishes that it meets.

| wish | is met if |
|---|---|
| see a sight | the sight is in the plan |
| see n sights of a category | at least n of them are in the plan |
| n stars | the hotel has at least n stars |
| spend at most m | the trip costs at most m |
| be back by t | every day ends by t |

**Agents.** `planner`. The traveler belongs to the rules.

**Observation.** Dict. Places are the sights, then the hotels: P of them. Times are minutes after midnight. Unknown
numbers are -1.

| part | space | content |
|---|---|---|
| left | Box (1,) int16 | acts left |
| budget | Box (1,) int16 | the budget |
| places | Box (P, 2) int8 | column and row of each place |
| category | Box (sights,) int8 | 0 museum, 1 park, 2 church, 3 market, 4 tower, 5 theater |
| sights | Box (sights, 4) int16 | opens, closes, minutes of a visit, fee |
| hotels | Box (hotels, 2) int16 | price of a night, stars |
| minutes | Box (P, P) int16 | minutes from each place to each |
| fares | Box (P, P) int16 | the fare from each place to each |
| wishes | Box (wishes, 4) int16 | 0 see, 1 some, 2 stars, 3 spend, 4 back; sight; category; number |
| hotel | Box (1,) int8 | the hotel of the plan, -1 for none |
| plan | Box (days, sights) int8 | the sights of each day in order, then -1 |

**Actions.** Discrete. With 6 sights, 2 hotels and 2 days:

| action | name | legal |
|---|---|---|
| 0 .. 5 | `query sight 1` ... | while unknown |
| 6, 7 | `query hotel 1`, `query hotel 2` | while unknown |
| 8 .. 15 | `query transport at sight 1` ... `query transport at hotel 2` | while a way from there is unknown |
| 16, 17 | `book hotel 1`, `book hotel 2` | unless it is the hotel of the plan |
| 18 .. 29 | `add sight 1 on day 1`, `add sight 1 on day 2` ... | while the sight is not in the plan |
| 30 .. 35 | `remove sight 1` ... | while the sight is in the plan |
| 36 | `submit` | always |

A query shows the hours, the visit and the fee of a sight, the price and the stars of a hotel, or all ways from a place.
Ways are the same in both directions. An added sight is the last one of its day.

**Window.** A click on a place of the map asks about it, first about itself and then about transport.

**Rewards.** The value of the plan when it is submitted, from 0 to 1.

**Ends.** Terminates with `submit`, or with the last act without a reward.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `sights` | 6 | number of sights, from 2 to 8 |
| `hotels` | 2 | number of hotels, from 1 to 4 |
| `days` | 2 | number of days, from 1 to 3 |
| `wishes` | 5 | number of wishes, from 1 to 8, and at most `sights` |
| `steps` | 30 | number of acts, from 1 to 200 |

**Level.** Of the kind "city": ``{"days": 2, "budget": 190, "sights": [{"place": [3, 4], "category": "park", "opens":
540, "closes": 900, "visit": 60, "fee": 5}, ...], "hotels": [{"place": [5, 5], "price": 60, "stars": 3}, ...],
"minutes": [[0, 22, ...], ...], "fares": [[0, 2, ...], ...], "wishes": [{"see": 2}, {"category": "park", "count": 2},
{"stars": 4}, {"spend": 150}, {"back": 1020}]}``. Times are minutes after midnight; at most one wish is `back`.
``generate("city", split="train")`` makes such levels.

**Known values.** Mean returns over 5000 cities, with a standard error of at most 0.004. `exact` asks for everything and
submits a best plan. `greedy` asks too, and `careless` asks nothing.

| policy | mean return |
|---|---|
| `exact` | 0.812 |
| `greedy` | 0.764 |
| `careless` | 0.232 |
| `random` | 0.035 |

**Differences.** From DeepTravel:

- There, tools return records of real flights, trains, hotels and sights. Here, cities are generated.
- There, language models verify plans and converse with the traveler. Here, wishes are exact, and stated at the start.
- There, trips join several cities. Here, they stay in one.

**Source.** Ning et al., "DeepTravel: An End-to-End Agentic Reinforcement Learning Framework for Autonomous Travel
Planning Agents", 2025. The planning problem is orienteering with time windows: Vansteenwegen, Souffriau and
Van Oudheusden, "The orienteering problem: A survey", 2011.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Page
from envsuite.core.ranges import fixed, flag, within
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.dual_control.travel_planner import levels as cities
from envsuite.dual_control.travel_planner.levels import make
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene
from envsuite.render.theme import text_on

#: No sight, no hotel; a number that is not known.
NONE = -1

#: The largest number of acts.
LONGEST = 200

#: What happened to the plan.
OPEN, ACCEPTED, NO_HOTEL, TOO_LATE, TOO_DEAR, NO_ACTS = range(6)


def fields(sights: int, hotels: int, days: int) -> list[tuple]:
    """The record, without the fields of the generator."""
    return [
        ("left", within(np.int64, 0, LONGEST)),  # acts
        ("asked", flag(), (2 * (sights + hotels),)),  # a flag for each query
        ("hotel", within(np.int64, NONE, hotels - 1)),  # that is booked
        ("plan", within(np.int8, NONE, sights - 1), (days, sights)),  # sights of each day, then NONE
        ("outcome", within(np.int64, OPEN, NO_ACTS)),
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        make(s)
    s.left = s.params.steps
    s.hotel = NONE
    s.outcome = OPEN
    fill(s.asked, 0)
    fill(s.plan, NONE)


@kernel
def knows_way(s, here, there):
    """Whether the planner knows the way from one place to another."""
    places = s.level.place.shape[0]
    return here == there or s.asked[places + here] == 1 or s.asked[places + there] == 1


@kernel
def day_of(s, k):
    """The day on which the plan has a sight, NONE if it has not."""
    for d in range(s.plan.shape[0]):
        for i in range(s.plan.shape[1]):
            if s.plan[d, i] == k:
                return d
    return NONE


@kernel
def day_ends(s, d):
    """The minute at which a day of a plan with a hotel ends; NONE if a sight is closed then, or the day too long."""
    level = s.level
    home = level.category.shape[0] + s.hotel
    minute, here = cities.START, home
    for i in range(s.plan.shape[1]):
        k = np.int64(s.plan[d, i])
        if k != NONE:
            minute = max(minute + level.minutes[here, k], level.opens[k]) + level.visit[k]
            if minute > level.closes[k]:
                return NONE
            here = k
    minute += level.minutes[here, home]
    return minute if minute <= cities.END else NONE


@kernel
def total_cost(s):
    """The cost of a plan with a hotel."""
    level = s.level
    home = level.category.shape[0] + s.hotel
    total = s.plan.shape[0] * level.price[s.hotel]
    for d in range(s.plan.shape[0]):
        here = home
        for i in range(s.plan.shape[1]):
            k = np.int64(s.plan[d, i])
            if k != NONE:
                total += level.fares[here, k] + level.fee[k]
                here = k
        total += level.fares[here, home]
    return total


@kernel
def judge(s):
    """The outcome of submitting the plan."""
    if s.hotel == NONE:
        return NO_HOTEL
    for d in range(s.plan.shape[0]):
        if day_ends(s, d) == NONE:
            return TOO_LATE
    return TOO_DEAR if total_cost(s) > s.level.budget else ACCEPTED


@kernel
def meets(s, w):
    """Whether a plan with a hotel meets a wish."""
    level = s.level
    kind, number = level.wish[w], level.number[w]
    if kind == cities.SEE:
        return day_of(s, np.int64(level.sight[w])) != NONE
    if kind == cities.SOME:
        found = 0
        for k in range(level.category.shape[0]):
            if level.category[k] == level.kind[w] and day_of(s, k) != NONE:
                found += 1
        return found >= number
    if kind == cities.STARS:
        return level.stars[s.hotel] >= number
    if kind == cities.SPEND:
        return total_cost(s) <= number
    for d in range(s.plan.shape[0]):
        end = day_ends(s, d)
        if end == NONE or end > number:
            return False
    return True


@kernel
def edit(s, act):
    """Book a hotel, add a sight to a day, or remove one; acts are numbered from the first one of these."""
    sights, hotels, days = s.level.category.shape[0], s.level.price.shape[0], s.plan.shape[0]
    if act < hotels:
        s.hotel = act
        return
    act -= hotels
    if act < sights * days:
        d, i = act % days, 0
        while s.plan[d, i] != NONE:
            i += 1
        s.plan[d, i] = act // days
        return
    k = act - sights * days
    d, to = day_of(s, k), 0
    for i in range(sights):
        kept = s.plan[d, i]
        s.plan[d, i] = NONE
        if kept != NONE and kept != k:
            s.plan[d, to] = kept
            to += 1


@kernel
def submit_of(s):
    """The number of the action `submit`, the last one."""
    sights, hotels = s.level.category.shape[0], s.level.price.shape[0]
    return 2 * (sights + hotels) + hotels + sights * s.plan.shape[0] + sights


@large_kernel
def step(s, actions, rewards):
    act, queries = actions[0], s.asked.shape[0]
    s.left -= 1
    if act == submit_of(s):
        s.outcome = judge(s)
        if s.outcome == ACCEPTED:
            met = 0
            for w in range(s.level.wish.shape[0]):
                met += meets(s, w)
            rewards[0] = met / s.level.wish.shape[0]
    else:
        if act < queries:
            s.asked[act] = 1
        else:
            edit(s, act - queries)
        if s.left == 0:
            s.outcome = NO_ACTS
    if s.outcome != OPEN:
        s.terminated[0] = 1


@large_kernel
def observe(s, agent, out):
    level = s.level
    sights, places = level.category.shape[0], level.place.shape[0]
    out.left[0] = s.left
    out.budget[0] = level.budget
    for p in range(places):
        for axis in range(2):
            out.places[p, axis] = level.place[p, axis]
        for q in range(places):
            known = knows_way(s, p, q)
            out.minutes[p, q] = level.minutes[p, q] if known else NONE
            out.fares[p, q] = level.fares[p, q] if known else NONE
    for k in range(sights):
        known = s.asked[k] == 1
        out.category[k] = level.category[k]
        out.sights[k, 0] = level.opens[k] if known else NONE
        out.sights[k, 1] = level.closes[k] if known else NONE
        out.sights[k, 2] = level.visit[k] if known else NONE
        out.sights[k, 3] = level.fee[k] if known else NONE
    for h in range(level.price.shape[0]):
        known = s.asked[sights + h] == 1
        out.hotels[h, 0] = level.price[h] if known else NONE
        out.hotels[h, 1] = level.stars[h] if known else NONE
    for w in range(level.wish.shape[0]):
        out.wishes[w, 0] = level.wish[w]
        out.wishes[w, 1] = level.sight[w]
        out.wishes[w, 2] = level.kind[w]
        out.wishes[w, 3] = level.number[w]
    out.hotel[0] = s.hotel
    for d in range(s.plan.shape[0]):
        for i in range(sights):
            out.plan[d, i] = s.plan[d, i]


@large_kernel
def legal(s, agent, mask):
    if s.outcome != OPEN:
        return
    sights, hotels, days = s.level.category.shape[0], s.level.price.shape[0], s.plan.shape[0]
    places = sights + hotels
    for p in range(places):
        mask[p] = s.asked[p] == 0
        for q in range(places):
            if not knows_way(s, p, q):
                mask[places + p] = 1
    first = 2 * places
    for h in range(hotels):
        mask[first + h] = s.hotel != h
    first += hotels
    for k in range(sights):
        free = day_of(s, k) == NONE
        for d in range(days):
            mask[first + k * days + d] = free
        mask[first + sights * days + k] = not free
    mask[submit_of(s)] = 1


def tools_of(sights: int, hotels: int, days: int) -> tuple[Tool, ...]:
    """The planner's tools."""
    sight = {"sight": list(range(1, sights + 1))}
    hotel = {"hotel": list(range(1, hotels + 1))}
    place = {"place": [cities.place_name(p, sights) for p in range(sights + hotels)]}
    day = {"day": list(range(1, days + 1))}
    return (
        Tool("query_sight", "query sight {sight}", "Ask for the hours, the visit and the fee of a sight.", sight),
        Tool("query_hotel", "query hotel {hotel}", "Ask for the price and the stars of a hotel.", hotel),
        Tool("query_transport", "query transport at {place}", "Ask for all ways from a place.", place),
        Tool("book", "book hotel {hotel}", "Choose the hotel of the plan.", hotel),
        Tool("add", "add sight {sight} on day {day}", "Add a sight at the end of a day.", {**sight, **day}),
        Tool("remove", "remove sight {sight}", "Take a sight out of the plan.", sight),
        Tool("submit", "submit", "Submit the plan, which ends the episode."),
    )


PAGE = Page(
    role="You plan a trip to a city for a traveler.",
    goal=(
        "When you submit the plan, you earn the share of the traveler's wishes that it meets, from 0 to 1. You earn "
        "nothing if it has no hotel, does not keep the times, or costs more than the budget."
    ),
    rules=(
        "The trip takes {days:day}. A plan has a hotel and, for each day, sights in their order. There are "
        "{sights:sight} and {hotels:hotel}. The traveler has {wishes:wish/wishes}.",
        "A day starts at the hotel at 9:00. The traveler goes from place to place as the table of transport says, "
        "waits until a sight opens, and visits it; the visit must end before the sight closes. A day ends at the "
        "hotel, by 19:00. The trip costs the price of the hotel for each day, the fee of each sight, and the fare of "
        "each way. A way is the same in both directions.",
    ),
    sees=(
        "You know the map, the category of each sight, the budget and the wishes. Hours, visits, fees, prices, stars "
        "and ways are hidden until you ask for them."
    ),
    acts={
        "query sight {N}": "see its hours, the time of a visit, and the fee",
        "query hotel {N}": "see its price and stars",
        "query transport at {PLACE}": "see all ways from there",
        "book hotel {N}": "put this hotel into the plan",
        "add sight {N} on day {N}": "put it at the end of this day",
        "remove sight {N}": "take it out of the plan",
        "submit": "hand in the plan",
    },
    ends="It is over when you submit, or without pay after {steps:act}.",
    constants={
        "0": "the least pay", "1": "the most pay",
        **dict.fromkeys(("9", "00", "19"), "when days begin and end"),
    },
)  # fmt: skip


class TravelPlanner(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = PAGE
    paid_at_end = True
    kind = ("tools", "preferences")
    verified = "a second implementation of the rules; a search of all plans"
    variants = (dict(sights=3, hotels=1, days=1, wishes=3, steps=12),)
    shown = "exact"
    cost = 5
    clickable = "query (sight|hotel) .*"

    def __init__(
        self,
        sights: Annotated[int, Between(2, cities.MOST_SIGHTS)] = 6,
        hotels: Annotated[int, Between(1, cities.MOST_HOTELS)] = 2,
        days: Annotated[int, Between(1, cities.MOST_DAYS)] = 2,
        wishes: Annotated[int, Between(1, cities.MOST_SIGHTS)] = 5,
        steps: Annotated[int, Horizon(1, LONGEST)] = 30,
    ):
        city = cities.City(sights, hotels, days, wishes)
        places = sights + hotels
        self.tools = (tools_of(sights, hotels, days),)
        table = (places, places)
        most = max(cities.MOST_MONEY, cities.MIDNIGHT)
        self.define(
            agents=["planner"],
            actions=names_of(self.tools[0]),
            observation=Dict(
                left=Box(0, LONGEST, (1,), np.int16),
                budget=Box(0, cities.MOST_MONEY, (1,), np.int16),
                places=Box(0, cities.SIDE - 1, (places, 2), np.int8),
                category=Box(0, len(cities.CATEGORIES) - 1, (sights,), np.int8),
                sights=Box(NONE, most, (sights, 4), np.int16),
                hotels=Box(NONE, most, (hotels, 2), np.int16),
                minutes=Box(NONE, cities.MIDNIGHT, table, np.int16),
                fares=Box(NONE, cities.MOST_MONEY, table, np.int16),
                wishes=Box(0, most, (wishes, 4), np.int16),
                hotel=Box(NONE, hotels - 1, (1,), np.int8),
                plan=Box(NONE, sights - 1, (days, sights), np.int8),
            ),
            fields=[*city.fields, *fields(sights, hotels, days)],
            params={**city.values, "days": fixed(days), "steps": steps},
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        planned = [int(k) for k in s.plan.flat if k != NONE]
        if len(set(planned)) < len(planned):
            return "the plan has a sight twice"
        if any((day[:-1] == NONE).any() and (day[1:][day[:-1] == NONE] != NONE).any() for day in np.array(s.plan)):
            return "a day of the plan has a gap"
        if (s.outcome != OPEN) != s.terminated[0]:
            return "the outcome ends the episode"
        return "there are no acts left" if s.left == 0 and s.outcome == OPEN else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        cities.read(s.level, level, len(s.plan), self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"kind": "city", **cities.write(s.level, len(s.plan))}

    def text(self, s: Any, agent: int) -> str:
        level, days = s.level, len(s.plan)
        plural = f"{days} days" if days > 1 else "1 day"
        lines = [f"A trip of {plural}; the budget is {level.budget}."]
        lines += ["", "Wishes:", *(f"- {wish_words(level, w)}" for w in range(len(level.wish))), "", "Places:"]
        lines += [f"- {self._place_words(s, p)}" for p in range(len(level.place))]
        lines += ["", "Ways:", *self._ways(s), "", "Plan:"]
        lines.append("- no hotel" if s.hotel == NONE else f"- hotel {s.hotel + 1}")
        for d in range(days):
            names = [f"sight {k + 1}" for k in s.plan[d] if k != NONE]
            lines.append(f"- day {d + 1}: {', '.join(names) or 'nothing'}")
        if s.outcome == OPEN:
            return "\n".join([*lines, "", f"{s.left} acts left."])
        return "\n".join([*lines, "", self.verdict(s)])

    @staticmethod
    def verdict(s: Any) -> str:
        """The outcome of an episode in words."""
        if s.outcome == ACCEPTED:
            met = sum(bool(meets(s, w)) for w in range(len(s.level.wish)))
            return f"The plan is possible and meets {met} of {len(s.level.wish)} wishes."
        why = {
            NO_HOTEL: "it has no hotel",
            TOO_LATE: "a sight is closed, or a day too long",
            TOO_DEAR: "it costs more than the budget",
            NO_ACTS: "it was not submitted",
        }
        return f"The plan is worth nothing: {why[int(s.outcome)]}."

    @staticmethod
    def _place_words(s: Any, p: int) -> str:
        level, sights = s.level, len(s.level.category)
        x, y = level.place[p]
        if p >= sights:
            h = p - sights
            known = f"{level.price[h]} a night, {level.stars[h]} stars" if s.asked[p] else "not asked"
            return f"hotel {h + 1} at ({x}, {y}): {known}"
        known = "not asked"
        if s.asked[p]:
            hours = f"open {clock(level.opens[p])} to {clock(level.closes[p])}"
            known = f"{hours}, visit {level.visit[p]} minutes, fee {level.fee[p]}"
        return f"sight {p + 1}, {cities.CATEGORIES[level.category[p]]} at ({x}, {y}): {known}"

    @staticmethod
    def _ways(s: Any) -> list[str]:
        """The known ways, a line for each place that has some to later ones."""
        level, sights, places = s.level, len(s.level.category), len(s.level.place)
        lines = []
        for p in range(places):
            ways = [
                f"{cities.place_name(q, sights)} {level.minutes[p, q]} min, fare {level.fares[p, q]}"
                for q in range(p + 1, places)
                if knows_way(s, p, q)
            ]
            if ways:
                lines.append(f"- {cities.place_name(p, sights)}: {'; '.join(ways)}")
        return lines or ["- none known"]

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        places = len(s.level.place)
        for p in range(places):
            across, down = on_map(s.level.place[p])
            if abs(x - across) < CELL / 2 and abs(y - down) < CELL / 2:
                return p if not s.asked[p] else places + p
        return None

    # The picture: the map with the trip; hours of the sights; the days; the wishes. What is not known is not drawn.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(24, 15.2)
        over = s.outcome != OPEN
        everything = agent is None or over
        scene.add(Label(0.6, 0.85, "Travel planner", 0.65, align="left", bold=True, terminal=not over))
        state = self.verdict(s) if over else f"{s.left} acts left"
        scene.add(Label(23.4, 0.85, state, 0.5, "ink" if over else "muted", "right"))
        self._draw_map(scene, s)
        self._draw_hotels(scene, s, everything)
        self._draw_hours(scene, s, everything)
        self._draw_days(scene, s, everything)
        self._draw_wishes(scene, s, everything)
        return scene

    @staticmethod
    def _draw_map(scene: Scene, s: Any) -> None:
        """The places, and the trip as a line for each day."""
        level, sights = s.level, len(s.level.category)
        scene.add(Rect(0.5, 1.5, MAP, MAP, "panel", radius=0.25))
        for k in range(cities.SIDE + 1):
            at, end = 0.7 + CELL * k, 0.7 + CELL * cities.SIDE
            scene.add(
                Line([(at, 1.7), (at, end + 1)], "line", 0.02), Line([(0.7, at + 1), (end, at + 1)], "line", 0.02)
            )
        if s.hotel != NONE:
            for d, day in enumerate(s.plan):
                stops = [sights + s.hotel, *(int(k) for k in day if k != NONE), sights + s.hotel]
                shift = 0.07 * (d - (len(s.plan) - 1) / 2)
                path = [(x + shift, y + shift) for x, y in (on_map(level.place[p]) for p in stops)]
                if len(stops) > 2:
                    scene.add(Line(path, DAYS[d], 0.11))
        for p in range(len(level.place)):
            x, y = on_map(level.place[p])
            if p < sights:
                color = COLORS[level.category[p]]
                scene.add(Circle(x, y, 0.36, color, "white", 0.05, glyph=""))
                scene.add(Label(x, y, str(p + 1), 0.4, text_on(color), bold=True))
            else:
                booked = p - sights == s.hotel
                scene.add(Rect(x - 0.32, y - 0.12, 0.64, 0.46, "gold" if booked else "soil", "black", 0.04, 0.03))
                roof = [(x - 0.42, y - 0.1), (x, y - 0.42), (x + 0.42, y - 0.1)]
                scene.add(Polygon(roof, "red"), Label(x, y + 0.12, f"H{p - sights + 1}", 0.3, "black", bold=True))

    @staticmethod
    def _draw_hotels(scene: Scene, s: Any, everything: bool) -> None:
        """The hotels' prices and stars, and the budget."""
        level, sights, top = s.level, len(s.level.category), 1.8 + MAP
        scene.add(Rect(0.5, top, MAP, 14.9 - top, "panel", radius=0.25))
        scene.add(Label(0.8, top + 0.45, "hotels", 0.38, "muted", "left", terminal=False))
        known = s.hotel != NONE and (everything or knows_plan(s))
        spent = f"cost {total_cost(s)} of {level.budget}" if known else f"budget {level.budget}"
        dear = known and total_cost(s) > level.budget
        scene.add(Label(0.2 + MAP, top + 0.45, spent, 0.42, "bad" if dear else "ink", "right", bold=dear))
        for h in range(len(level.price)):
            y = top + 1.1 + 0.62 * h
            if h == s.hotel:
                scene.add(Rect(0.7, y - 0.29, MAP - 0.4, 0.58, "gold@0.3", radius=0.1))
            asked = everything or s.asked[sights + h]
            scene.add(Label(0.9, y, f"H{h + 1}", 0.4, align="left", bold=True))
            words = f"{level.price[h]} a night" if asked else "not asked"
            scene.add(Label(2.0, y, words, 0.4, "ink" if asked else "muted", "left"))
            if asked:
                scene.add(*(Circle(6.2 + 0.5 * k, y, 0.16, "gold", glyph="*") for k in range(level.stars[h])))

    @staticmethod
    def _draw_hours(scene: Scene, s: Any, everything: bool) -> None:
        """For each sight, when it is open, how long a visit takes, and its fee."""
        level, sights = s.level, len(s.level.category)
        scene.add(Rect(10.3, 1.5, 13.2, 6.0, "panel", radius=0.25))
        scene.add(Label(10.6, 1.95, "sights: hours, visit, fee", 0.38, "muted", "left"))
        pace = min(0.85, 4.7 / sights)
        for minute in range(cities.START, cities.END + 1, 120):
            scene.add(Line([(on_axis(minute), 2.5), (on_axis(minute), 2.5 + pace * sights)], "line", 0.03))
            scene.add(Label(on_axis(minute), 2.3, clock(minute), 0.28, "muted", terminal=False))
        for k in range(sights):
            y, color = 2.5 + pace * (k + 0.5), COLORS[level.category[k]]
            scene.add(Circle(10.85, y, 0.36 * pace, color, glyph=""))
            scene.add(Label(10.85, y, str(k + 1), 0.42 * pace, text_on(color), bold=True))
            scene.add(Label(11.3, y, cities.CATEGORIES[level.category[k]], 0.34, "ink", "left"))
            if everything or s.asked[k]:
                left, right = on_axis(level.opens[k]), on_axis(level.closes[k])
                scene.add(Rect(left, y - 0.33 * pace, max(right - left, 0.05), 0.66 * pace, color, radius=0.08))
                words = f"{level.visit[k]} min, fee {level.fee[k]}"
                width = max(right - left, 1.2)
                scene.add(Label((left + right) / 2, y, words, 0.3, text_on(color), width=width, terminal=False))
            else:
                scene.add(Label(on_axis((cities.START + cities.END) // 2), y, "not asked", 0.34, "muted"))

    @staticmethod
    def _draw_days(scene: Scene, s: Any, everything: bool) -> None:
        """The days of the plan as far as they are known: ways in grey, visits in the color of the sight."""
        level, sights = s.level, len(s.level.category)
        scene.add(Rect(10.3, 7.8, 13.2, 3.9, "panel", radius=0.25))
        scene.add(Label(10.6, 8.25, "days of the plan", 0.38, "muted", "left"))
        pace = 3.1 / len(s.plan)
        for d, day in enumerate(s.plan):
            y, height = 8.45 + pace * (d + 0.5), 0.7 * min(pace, 1.1)
            scene.add(Rect(10.6, y - 0.1, 0.4, 0.2, DAYS[d]), Label(11.2, y, f"day {d + 1}", 0.38, align="left"))
            scene.add(Line([(on_axis(cities.START), y), (on_axis(cities.END), y)], "line", 0.05))
            minute, here = cities.START, sights + max(s.hotel, 0)
            stops = [int(k) for k in day if k != NONE]
            for k in [*stops, sights + s.hotel] if stops and s.hotel != NONE else ():
                if not (everything or (knows_way(s, here, k) and (k >= sights or s.asked[k]))):
                    scene.add(Label(on_axis(minute) + 0.3, y - 0.5 * height, "?", 0.4, "muted"))
                    break
                after = minute + level.minutes[here, k]
                scene.add(Rect(on_axis(minute), y - 0.08, on_axis(after) - on_axis(minute), 0.16, "grey"))
                minute, here = after, k
                if k < sights:
                    start = max(minute, level.opens[k])
                    minute = start + level.visit[k]
                    left, width, color = on_axis(start), on_axis(minute) - on_axis(start), COLORS[level.category[k]]
                    late = "bad" if minute > level.closes[k] else None
                    scene.add(Rect(left, y - height / 2, width, height, color, late, 0.12, 0.08))
                    scene.add(Label(left + width / 2, y, str(k + 1), 0.42, text_on(color), bold=True))
            if stops and s.hotel == NONE:
                words = f"sights {', '.join(str(k + 1) for k in stops)}; no hotel yet"
                scene.add(Label(on_axis(cities.START), y - 0.3, words, 0.36, "muted", "left"))

    @staticmethod
    def _draw_wishes(scene: Scene, s: Any, everything: bool) -> None:
        """The wishes, with a mark for those that the plan meets as far as is known."""
        level = s.level
        scene.add(Rect(10.3, 12.0, 13.2, 2.9, "panel", radius=0.25))
        sure = s.hotel != NONE and (everything or knows_plan(s))
        for w in range(len(level.wish)):
            x, y = 10.7 + 6.5 * (w // 4), 12.45 + 0.65 * (w % 4)
            known = level.wish[w] in (cities.SEE, cities.SOME) or sure
            met = known and bool(meets(s, w))
            color = "good" if met else "line" if known else "panel"
            scene.add(Circle(x, y, 0.19, color, "muted", 0.04, glyph="✓" if met else "·"))
            scene.add(Label(x + 0.4, y, wish_words(level, w), 0.4, "ink" if met else "muted", "left", width=5.8))


#: The width of the map in the picture, and of a cell on it.
MAP, CELL = 9.5, 0.91

#: The colors of the categories, and of the days.
COLORS = ("purple", "green", "brown", "orange", "sky", "pink")
DAYS = ("blue", "red", "wall")


def on_map(place: Any) -> tuple[float, float]:
    """The middle of a cell in the picture."""
    return 0.7 + CELL * (place[0] + 0.5), 1.7 + CELL * (place[1] + 0.5)


def on_axis(minute: int) -> float:
    """The place of a time in the picture, from 9:00 to 19:00."""
    return 13.1 + 9.9 * (min(max(minute, cities.START), cities.END) - cities.START) / (cities.END - cities.START)


def clock(minute: int) -> str:
    """A time of day in words."""
    return f"{minute // 60}:{minute % 60:02d}"


def wish_words(level: Any, w: int) -> str:
    """A wish in words."""
    kind, number = level.wish[w], level.number[w]
    if kind == cities.SEE:
        return f"see sight {level.sight[w] + 1}"
    if kind == cities.SOME:
        category = cities.CATEGORIES[level.kind[w]]
        return f"see {number} {category}{'' if number == 1 else 'es' if category == 'church' else 's'}"
    if kind == cities.STARS:
        return f"a hotel with at least {number} stars"
    return f"spend at most {number}" if kind == cities.SPEND else f"be back by {clock(number)}"


def knows_plan(s: Any) -> bool:
    """Whether the planner knows all numbers of a plan with a hotel."""
    sights = len(s.level.category)
    for day in s.plan:
        stops = [sights + s.hotel, *(int(k) for k in day if k != NONE), sights + s.hotel]
        if not all(s.asked[p] for p in stops) or not all(knows_way(s, p, q) for p, q in pairwise(stops)):
            return False
    return True


env, raw_env, parallel_env = pettingzoo_forms(TravelPlanner)
