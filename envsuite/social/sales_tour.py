"""SalesTour: find a short tour of hidden cities in trial after trial, with less and less help of a demonstrator.

**Rules.** `cities` cities are points that are drawn uniformly in a unit square, which nobody sees. An episode has
`trials` trials on the same map. Each trial starts in city A. Each act is the next city. A city that was visited already
ends the trial, and so does the last city, after which the way home follows by itself.

Before each act, the agent may see the demonstrator's next city at this place: in trial k of 0 ... `trials` - 1 with
probability (`trials` - 1 - k) / (`trials` - 1), drawn for each place. So it sees the demonstrator at all places of the
first trial and never in the last one. A single trial counts as a first one.

*Generations.* With `generations` = 0, the demonstrator walks a shortest tour. Otherwise the map stays the same for that
many episodes in a row, and the demonstrator of an episode is the learner of the one before: it walks the way of that
learner's best trial, without an act that was wrong. It shows nothing in the first generation. An episode that was left
before its end changes no demonstrator. A reset with a seed or a level begins with a new map, as does the episode after
the last generation.

**Agents.** One, `agent`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| shown | Box (1,) int8 | the demonstrator's next city at this place; -1 if it is not seen |
| own | Box (1,) int8 | the last act; -1 before the first |
| paid | Box (1,) float64 | what it paid |
| place | Box (1,) int16 | acts in this trial |
| trial | Box (2,) int16 | trials that are over, and `trials` |
| generation | Box (2,) int32 | the number of this generation, from 1, and `generations` |

**Actions.** Discrete (cities), all of them always legal.

| action | name |
|---|---|
| k | `A`, `B`, `C`, ...: the next city |

**Window.** The keys of the letters choose a city.

**Rewards.** 1 - d / sqrt(2) for a leg of length d; the last one also pays this for the way home. -1 for a city that was
visited already.

**Ends.** Terminates with the last trial.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `cities` | 6 | number of cities, from 3 to 8 |
| `trials` | 8 | number of trials, from 1 to 1000 |
| `generations` | 0 | episodes on the same map; 0 for a demonstrator that knows it; to 1,000,000 |

**Level.** ``{"cities": [[0.1, 0.2], [0.5, 0.5], [0.9, 0.1]]}``. Levels of `envsuite generate hidden_tasks` with the
task "tsp" fit.

**Known values.** Two random points of a unit square are 0.5214 apart on average (Ghosh, 1951), so a random leg pays
0.6313, and a random tour of 6 cities 3.788. Random acts, of which each may be to a visited city, earn 0.146 in a trial
by default. The shortest tours of 6 cities have a length of 2.314 on average, by enumeration of 200,000 maps; they
pay 4.364.

**Differences.** From the code of FLAIROx/cultural-accumulation:

- There, a trial needs one act more than there are cities left. So each trial ends with -1, and the way home is never
  paid. Here it ends with the last city.
- There, the demonstrator is a network, or one that goes by softmax to cities near the first city. Here it walks a
  shortest tour, or it is the record of the last generation.
- There, the first place of a trial is seen with the probability of the trial before it.
- Generations has this task with several guides that are agents, and shows which cities were visited.

**Source.** Cook, Lu, Hughes, Leibo and Foerster, "Artificial Generational Intelligence: Cultural Accumulation in
Reinforcement Learning", 2024, and its code, FLAIROx/cultural-accumulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from envsuite.core.arrays import copy
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When, listed
from envsuite.core.ranges import below, lifetime, within
from envsuite.core.world import Between, Kernels, World
from envsuite.generators.hidden_tasks import LETTERS, MOST, TSP, HiddenTasks, make, read_task, write_task
from envsuite.kit import trials as kit
from envsuite.kit.graph_pictures import around, draw_tour
from envsuite.kit.trials import GENERATIONS, TRIALS, after, begin, fresh, observe
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Scene
from envsuite.social.generations import leg


def fields(hidden: HiddenTasks, cities: int, trials: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *hidden.fields,  # level: the points of the cities
        ("map", lifetime(within(np.float64, 0, 1)), (cities, 2)),  # the same, for the next generation
        ("tour", below(np.int64, cities), (cities - 1,)),  # a tour while the shortest one is looked for
        *kit.fields(cities, cities - 1, trials),
    ]


@kernel
def reset(s):
    new = fresh(s)
    if new and s.level_given == 0:
        make(s)
    for k in range(s.map.shape[0]):
        for axis in range(2):
            if new:
                s.map[k, axis] = s.level.points[k, axis]
            else:
                s.level.points[k, axis] = s.map[k, axis]
    for p in range(s.tour.shape[0]):
        s.tour[p] = p + 1
    if new and s.params.generations == 0:
        find_shortest(s)
    begin(s, new)


@kernel
def worth(s):
    """What a tour pays: its legs and the way home."""
    last = s.tour.shape[0] - 1
    total = leg(s, 0, s.tour[0]) + leg(s, s.tour[last], 0)
    for p in range(last):
        total += leg(s, s.tour[p], s.tour[p + 1])
    return total


@kernel
def next_order(s):
    """The next order of the cities in the alphabet, as words are sorted; False after the last one."""
    at = s.tour.shape[0] - 2
    while at >= 0 and s.tour[at] > s.tour[at + 1]:
        at -= 1
    if at < 0:
        return False
    other = s.tour.shape[0] - 1
    while s.tour[other] < s.tour[at]:
        other -= 1
    held = s.tour[at]
    s.tour[at] = s.tour[other]
    s.tour[other] = held
    low, high = at + 1, s.tour.shape[0] - 1
    while low < high:
        held = s.tour[low]
        s.tour[low] = s.tour[high]
        s.tour[high] = held
        low += 1
        high -= 1
    return True


@kernel
def find_shortest(s):
    """Let the demonstrator know a shortest tour, by all orders of the cities."""
    most, more, last = -1.0, True, s.tour.shape[0] - 1
    while more:
        found = worth(s) if s.tour[0] < s.tour[last] else -1.0  # a tour and its reverse are the same
        if found > most:
            most = found
            copy(s.kept, s.tour)
        more = next_order(s)


@kernel
def visited(s, city):
    """Whether a city has been visited in this trial."""
    found = city == 0
    for p in range(s.place):
        found = found or s.route[p] == city
    return found


@kernel
def step(s, actions, rewards):
    city, wrong = actions[0], visited(s, actions[0])
    paid = -1.0
    if not wrong:
        paid = leg(s, np.int64(s.route[s.place - 1]) if s.place > 0 else 0, city)
        if s.place == s.route.shape[0] - 1:
            paid += leg(s, city, 0)
    after(s, city, paid, wrong, rewards)


PAGE = Page(
    role="You look for a short tour through cities that you do not see.",
    goal="A leg of length d pays 1 - d / 1.414, and so does the way home. A city that was visited already pays -1.",
    rules=(
        "{cities} cities {names} lie at hidden points of a square with sides of length 1. You have "
        "{trials:trial} on this map. In a trial you start in A and go from city to city. The trial ends when all were "
        "visited, after which the way home to A follows by itself, or when you go to a city that was visited.",
        When(
            "generations",
            "The map is the same for {generations} players in turn. A demonstrator walks the way of the best trial of "
            "the player before you, without a wrong act; if you are the first, it shows nothing.",
            "A demonstrator walks a shortest tour.",
        ),
    ),
    sees=(
        "Before an act, you may see to which city the demonstrator goes at this place:",
        When("several", "always in the first trial, then less and less often, and never in the last one.", "always."),
    ),
    acts={"{CITY}": "go to this city"},
    ends="It is over after {trials:trial}.",
    constants={"1": "pay, and the side of the square", "1.414": "the longest leg"},
)


class SalesTour(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    player_page = PAGE
    masked = False
    kind = ("knowledge", "operations")
    verified = "closed forms of random play; shortest tours by enumeration"
    variants = (dict(cities=4, trials=3, generations=3), dict(cities=3, trials=1), dict(cities=8, trials=2))
    shown = "memory"
    clickable = "(?!)"

    def __init__(
        self,
        cities: Annotated[int, Between(3, MOST)] = 6,
        trials: Annotated[int, Between(1, TRIALS)] = 8,
        generations: Annotated[int, Between(0, GENERATIONS)] = 0,
    ):
        hidden = HiddenTasks("tsp", cities=cities)
        self.keys = {letter.lower(): letter for letter in LETTERS[:cities]}
        self.define(
            agents=["agent"],
            actions=list(LETTERS[:cities]),
            observation=kit.space(cities, cities - 1, trials),
            fields=fields(hidden, cities, trials),
            params={**hidden.values, "generations": generations},
            reward_range=(-1.0, 2.0),
        )

    def contradiction(self, s: Any) -> str | None:
        return kit.contradiction(s)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        read_task(s.level, level, TSP, MOST, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return write_task(s.level, TSP)

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"names": listed(self.action_names[0]), "several": self.parameters["trials"] > 1}

    def text(self, s: Any, agent: int) -> str:
        return "\n".join(kit.told(s, self.action_names[0], "goes to"))

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        cities = len(s.map)
        scene = kit.begun(s, "SalesTour", LETTERS, float(cities))
        said = "the map" if agent is None else "the way; where cities lie is hidden"
        scene.add(Label(0.8, 1.95, said, 0.38, "muted", "left"))
        at = around(7.3, 5.0, 2.5, cities)
        if agent is None:
            at = [(4.6 + 5.4 * x, 2.4 + 5.4 * y) for x, y in s.level.points.tolist()]
        draw_tour(scene, at, [0, *s.route[: s.place].tolist()], LETTERS)
        return scene


env, raw_env, parallel_env = pettingzoo_forms(SalesTour)
