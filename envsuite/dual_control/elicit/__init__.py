"""Elicit: find out what a user wants by good questions, then recommend what fits.

**Rules.** A user has a request with hidden wishes. A request has aspects; an aspect has topics; the user has a wish for
some of the topics: one of three choices. All wishes, choices and offers are drawn as
`envsuite.dual_control.elicit.levels` describes. The assistant has `steps` steps. It knows the number of wishes in each
aspect.

*Journeys*, such as `task="233"` with 2 wishes for the flight, 3 for the hotel and 3 for the car:

- `ask` about a topic: the user names its wish, if it has one.
- `chat`: nothing in particular.
- After `patience` idle steps, the user names one of the wishes that are still hidden, drawn uniformly. An idle step is
  a `chat` or a question about a topic without a wish. The count restarts whenever the user names a wish.
- `search`: the assistant sees the offers for an aspect. Every search whose number is a multiple of `failures` fails.
- `recommend` one of the offers found for an aspect. The user says whether it is the best offer, that is the cheapest
  one that meets all wishes, or another one that meets them, or neither. Then the aspect is closed.

*Intentions*, `task="intention"`: there is one aspect, without offers, and each wish has an importance from 1 to 3. A
question may be about several topics at once. The user names its wishes in all of them. It never starts by itself.

In both, `finish` ends the episode.

**Agents.** `assistant`. The user belongs to the rules.

**Observation.** Dict. A is the number of aspects, K of topics, N of offers; N is 1 for intentions.

| part | space | content |
|---|---|---|
| known | Box (A, K) int8 | the user's choice in each topic, from 0; -1 it has no wish; -2 unknown |
| importance | Box (A, K) int8 | importance of the wishes that are known; 0 for other topics, and in journeys |
| offers | Box (A, N, K) int8 | the choice of each offer in each topic; -1 before its aspect is searched |
| prices | Box (A, N) int16 | the price of each offer in dollars; 0 before its aspect is searched |
| wishes | Box (A,) int8 | number of wishes in each aspect |
| chosen | Box (A,) int8 | the offer that was recommended; -1 before |
| verdict | Box (A,) int8 | 2 if it was the best one, 1 if it met all wishes, 0 if not; -1 before |
| counters | Box (4,) int16 | hidden wishes in open aspects; steps left; idle steps in a row; searches |
| rules | Box (3,) int16 | 1 for intentions; `patience`, 0 for intentions; `failures` |

**Actions.** Discrete (A K + 2 + A + A N). With the default task, 5 topics and 6 offers:

| action | name | legal |
|---|---|---|
| 0 ... 14 | `ask flight departure` ... `ask car pick-up` | topics of open aspects that are unknown |
| 15 | `chat` | always |
| 16 | `finish` | always |
| 17, 18, 19 | `search flight`, `search hotel`, `search car` | open aspects without offers |
| 20 ... 37 | `recommend flight 1` ... `recommend car 6` | open aspects with offers |

For intentions Discrete (2 ** K + 1): first a question for each set of topics, where topic k adds 2 ** k to the number
of the set, and the first action is set 1. With 5 topics:

| action | name | legal |
|---|---|---|
| 0 ... 30 | `ask purpose`, `ask audience`, `ask purpose + audience` ... | sets of unknown topics |
| 31, 32 | `chat`, `finish` | always |

**Window.** A click on a topic asks about it, on the head of an aspect searches, and on an offer recommends it. The
key c chats.

**Rewards.** For a question, the pay of its most important new wish less 0.2 for each further one, at least 0. A wish
pays 0.2 in journeys; 0.4, 0.7 and 1 with importance 1, 2 and 3. Wishes that the user names by itself pay 0. A search
that succeeds pays 0.2. A recommendation pays 1 for the best offer, 0.8 for another one that meets all wishes, otherwise
0.

**Ends.** Terminates when all aspects of a journey are closed, when all wishes of an intention are known, and with
`finish`. Truncates after `steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `task` | "233" | wishes in each aspect: "22", "33", "44", "233", "333", "334", "444", "2222"; or "intention" |
| `topics` | 5 | number of topics K of each aspect, from the largest number of wishes to 6, for intentions to 9 |
| `offers` | 6 | number of offers N of each aspect of a journey, from 1 to 8 |
| `details` | 3 | wishes of an intention, from 1 to 9 |
| `steps` | 20 | number of steps, from 1 to 100 |
| `patience` | 3 | idle steps after which the user names a wish, from 0 (never) to 100; journeys only |
| `failures` | 5 | every search with a multiple of this number fails, from 2 to 100 |

**Level.** ``{"task": "22", "wishes": [[0, -1, 2], [-1, 1, 0]], "offers": [[[0, 1, 2], ...], ...], "prices": [[10,
30, ...], ...]}``, with -1 for topics without a wish; for intentions ``{"task": "intention", "wishes": [[-1, 2, 0]],
"importance": [[0, 1, 3]]}``. Levels of `envsuite generate requests` fit, and have a train and a test split.

**Known values.** An oracle, which knows all topics with wishes and the best offers, earns the sum over the aspects of
0.2 for each wish, 0.2 for the search and 1 for the offer: 3.2, 3.6, 4.0, 5.2, 5.4, 5.6, 6.0 and 6.4 for "22", "33",
"44", "233", "333", "334", "444" and "2222". It needs 8 to 18 steps. For intentions, an assistant that asks about one
topic after the other earns the pay of all wishes if it has the steps: 0.7 for each on average.

**Differences.** From the code of TravelGym and IntentionGym:

- There, language models play the user and judge what was asked. Here, actions name topics, and the user is exact.
- There, wishes are texts written for each task. Here, they are drawn, and a wish is a choice of three.
- There, aspects may also be an apartment, and are mixed. Here, tasks have the first of flight, hotel, car, restaurant.
- There, the assistant sees the number of all wishes. Here, it sees the number in each aspect, which the task says.
- There, questions about topics that are known, searches of an aspect that was searched, searches with wrong arguments
  and second recommendations are possible and pay nothing. Here, they are illegal; `chat` wastes a step as well.
- There, offers can be recommended before any search, if their names are guessed. Here, this is illegal.
- There, offers have free fields, and some of them lack fields. Here, the best offer is the cheapest one that fits.
- There, an intention has 1 to 9 missing details, mostly 3 or 4, and 20 steps. Here, `details` and `steps` say so.

**Source.** Qian et al., "UserRL: Training Interactive User-Centric Agent via Reinforcement Learning", 2025, and its
code, SalesforceAIResearch/UserRL at cf55a30: TravelGym and IntentionGym.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.ranges import fixed, flag, limited, within
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.dual_control.elicit import levels, pages, view
from envsuite.dual_control.elicit.levels import make, names
from envsuite.registry import pettingzoo_forms

#: A topic about which the assistant knows nothing.
UNKNOWN = -2

#: The user's verdict on a recommendation.
OPEN, WRONG, ACCEPTABLE, BEST = -1, 0, 1, 2

#: The pay of a wish by its importance, 0 in journeys; what each further wish of a question takes from it.
PAY = (0.2, 0.4, 0.7, 1.0)
FURTHER = 0.2
#: The pay of a search, and of recommendations by verdict.
SEARCH = 0.2
VERDICT_PAY = (0.0, 0.8, 1.0)

LONGEST = 100


def fields(request: levels.Requests, aspects: int, topics: int, offers: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *request.fields,  # level: wishes, importance, offers and prices
        ("known", within(np.int8, UNKNOWN, levels.CHOICES - 1), (aspects, topics)),  # what the user said
        ("searched", flag(), (aspects,)),
        ("chosen", within(np.int8, -1, offers - 1), (aspects,)),  # the offer that was recommended; -1 before
        ("verdict", within(np.int8, OPEN, BEST), (aspects,)),
        ("left", within(np.int64, 0, aspects * topics)),  # hidden wishes in open aspects
        ("idle", within(np.int64, 0, LONGEST)),  # idle steps in a row
        ("searches", within(np.int64, 0, LONGEST)),
        ("total", within(np.float64, 0.0, float(aspects * (topics + 2)))),  # rewards so far
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        make(s)
    s.left = 0
    s.idle = 0
    s.searches = 0
    s.total = 0.0
    for a in range(s.known.shape[0]):
        s.searched[a] = 0
        s.chosen[a] = -1
        s.verdict[a] = OPEN
        for k in range(s.known.shape[1]):
            s.known[a, k] = UNKNOWN
            s.left += s.level.wishes[a, k] != levels.NONE


@kernel
def questions(s):
    """The number of actions that are questions."""
    topics = s.known.shape[1]
    return (1 << topics) - 1 if s.params.intention != 0 else s.known.shape[0] * topics


@kernel
def hidden(s, aspect, topic):
    """Whether the user has a wish that it has not named."""
    return s.known[aspect, topic] == UNKNOWN and s.level.wishes[aspect, topic] != levels.NONE


@kernel
def waste(s):
    """An idle step; the patient user names a wish after some of them."""
    s.idle += 1
    if s.params.patience == 0 or s.idle < s.params.patience or s.left == 0:
        return
    pick = random.randint(s, s.left)
    for a in range(s.known.shape[0]):
        for k in range(s.known.shape[1]):
            if s.verdict[a] == OPEN and hidden(s, a, k):
                if pick == 0:
                    s.known[a, k] = s.level.wishes[a, k]
                pick -= 1
    s.left -= 1
    s.idle = 0


@kernel
def ask(s, aspect, subset):
    """Ask about a set of topics, a bit each; the pay."""
    hits, importance = 0, 0
    for k in range(s.known.shape[1]):
        if (subset >> k) & 1 != 0:
            if hidden(s, aspect, k):
                hits += 1
                importance = max(importance, np.int64(s.level.importance[aspect, k]))
            s.known[aspect, k] = s.level.wishes[aspect, k]
    if hits == 0:
        waste(s)
        return 0.0
    s.left -= hits
    s.idle = 0
    return max(0.0, PAY[importance] - FURTHER * (hits - 1))


@kernel
def search(s, aspect):
    """Search an aspect; the pay."""
    s.searches += 1
    if s.searches % s.params.failures == 0:
        return 0.0
    s.searched[aspect] = 1
    return SEARCH


@kernel
def fits(s, aspect, offer):
    """Whether an offer meets all wishes."""
    for k in range(s.known.shape[1]):
        wish = s.level.wishes[aspect, k]
        if wish != levels.NONE and wish != s.level.offers[aspect, offer, k]:
            return False
    return True


@kernel
def judge(s, aspect, offer):
    """The user's verdict on an offer."""
    if not fits(s, aspect, offer):
        return WRONG
    for other in range(s.level.prices.shape[1]):
        if s.level.prices[aspect, other] < s.level.prices[aspect, offer] and fits(s, aspect, other):
            return ACCEPTABLE
    return BEST


@kernel
def recommend(s, aspect, offer):
    """Recommend an offer, which closes its aspect; the pay."""
    for k in range(s.known.shape[1]):
        s.left -= hidden(s, aspect, k)
    verdict = judge(s, aspect, offer)
    s.chosen[aspect] = offer
    s.verdict[aspect] = verdict
    return VERDICT_PAY[verdict]


@kernel
def step(s, actions, rewards):
    aspects, topics, offers = s.known.shape[0], s.known.shape[1], s.level.prices.shape[1]
    action, first = np.int64(actions[0]), questions(s)
    done = action == first + 1
    if action < first:
        if s.params.intention != 0:
            rewards[0] = ask(s, 0, action + 1)
        else:
            rewards[0] = ask(s, action // topics, 1 << (action % topics))
    elif action == first:
        waste(s)
    elif action >= first + 2 + aspects:
        choice = action - first - 2 - aspects
        rewards[0] = recommend(s, choice // offers, choice % offers)
    elif action >= first + 2:
        rewards[0] = search(s, action - first - 2)
    s.total += rewards[0]
    closed = 0
    for a in range(aspects):
        closed += s.verdict[a] != OPEN
    if done or closed == aspects or (s.params.intention != 0 and s.left == 0):
        s.terminated[0] = 1
    elif s.t >= s.params.steps:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    for a in range(s.known.shape[0]):
        count = 0
        for k in range(s.known.shape[1]):
            out.known[a, k] = s.known[a, k]
            out.importance[a, k] = s.level.importance[a, k] if s.known[a, k] >= 0 else 0
            count += s.level.wishes[a, k] != levels.NONE
        for n in range(s.level.prices.shape[1]):
            out.prices[a, n] = s.level.prices[a, n] if s.searched[a] != 0 else 0
            for k in range(s.known.shape[1]):
                out.offers[a, n, k] = s.level.offers[a, n, k] if s.searched[a] != 0 else levels.NONE
        out.wishes[a] = count
        out.chosen[a] = s.chosen[a]
        out.verdict[a] = s.verdict[a]
    out.counters[0] = s.left
    out.counters[1] = s.params.steps - s.t
    out.counters[2] = s.idle
    out.counters[3] = s.searches
    out.rules[0] = s.params.intention
    out.rules[1] = s.params.patience
    out.rules[2] = s.params.failures


@kernel
def legal(s, agent, mask):
    aspects, topics, offers = s.known.shape[0], s.known.shape[1], s.level.prices.shape[1]
    first = questions(s)
    mask[first] = 1
    mask[first + 1] = 1
    if s.params.intention != 0:
        told = 0
        for k in range(topics):
            if s.known[0, k] != UNKNOWN:
                told |= 1 << k
        for action in range(first):
            mask[action] = (action + 1) & told == 0
        return
    for a in range(aspects):
        if s.verdict[a] == OPEN:
            for k in range(topics):
                mask[a * topics + k] = s.known[a, k] == UNKNOWN
            mask[first + 2 + a] = s.searched[a] == 0
            for n in range(offers):
                mask[first + 2 + aspects + a * offers + n] = s.searched[a] != 0


class Elicit(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = pages.PAGE
    page_slots = pages.page_slots

    kind = ("preferences",)
    verified = "UserRL's code with exact judges; sums over aspects; values of information by enumeration; best play"
    variants = (
        dict(task="22", topics=3, offers=3, steps=12, patience=2, failures=2),
        dict(task="intention", topics=4, details=2, steps=4),
    )
    shown = "value"
    keys = {"c": "chat"}
    clickable = "(?!chat|finish).*"
    text = view.text
    click = view.click
    scene = view.scene

    def __init__(
        self,
        task: levels.Task = "233",
        topics: Annotated[int, Between(1, 9)] = 5,
        offers: Annotated[int, Between(1, levels.MOST_OFFERS)] = 6,
        details: Annotated[int, Between(1, 9)] = 3,
        steps: Annotated[int, Horizon(1, LONGEST)] = 20,
        patience: Annotated[int, Between(0, LONGEST)] = 3,
        failures: Annotated[int, Between(2, LONGEST)] = 5,
    ):
        try:
            request = levels.Requests(task, topics, offers, details)
        except ParameterError as problem:
            raise ParameterError(f"Elicit: {str(problem).removeprefix('requests: ')}") from None
        intention = task == levels.INTENTION
        self.words = {aspect: dict(list(found.items())[:topics]) for aspect, found in names(task).items()}
        aspects, offers = len(self.words), 1 if intention else offers
        self.tools = (tools(self.words, offers, intention),)
        known = Box(UNKNOWN, levels.CHOICES - 1, (aspects, topics), np.int8)
        self.define(
            agents=["assistant"],
            actions=names_of(self.tools[0]),
            observation=Dict(
                known=known,
                importance=Box(0, 3, (aspects, topics), np.int8),
                offers=Box(levels.NONE, levels.CHOICES - 1, (aspects, offers, topics), np.int8),
                prices=Box(0, levels.HIGHEST_PRICE, (aspects, offers), np.int16),
                wishes=Box(0, topics, (aspects,), np.int8),
                chosen=Box(-1, offers - 1, (aspects,), np.int8),
                verdict=Box(OPEN, BEST, (aspects,), np.int8),
                counters=Box(0, max(LONGEST, aspects * topics), (4,), np.int16),
                rules=Box(0, LONGEST, (3,), np.int16),
            ),
            fields=fields(request, aspects, topics, offers),
            params={
                **request.values,
                "steps": limited(steps, 1, LONGEST),
                "patience": fixed(0) if intention else limited(patience, 0, LONGEST),
                "failures": limited(failures, 2, LONGEST),
            },
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        open_aspects, wishes = s.verdict == OPEN, s.level.wishes
        over = bool(s.terminated[0] or s.truncated[0])
        if ((s.known != UNKNOWN) & (s.known != wishes)).any():
            return "the user said what it does not want"
        if s.left != ((s.known == UNKNOWN) & (wishes != levels.NONE))[open_aspects].sum():
            return "the count of hidden wishes is wrong"
        if ((wishes != levels.NONE).sum(axis=1) != s.params.wishes).any():
            return "an aspect has another number of wishes"
        if (open_aspects != (s.chosen < 0)).any() or (~open_aspects & (s.searched == 0)).any():
            return "an aspect was closed without a search"
        done = not open_aspects.any() or s.params.intention and s.left == 0 or s.t >= s.params.steps
        return "the episode is over" if done and not over else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        levels.read_request(s, level, self.parameters["task"], self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return levels.Requests(**{k: self.parameters[k] for k in ("task", "topics", "offers", "details")}).decode(s)


def tools(words: Mapping[str, Mapping[str, Any]], offers: int, intention: bool) -> tuple[Tool, ...]:
    """The assistant's actions as functions."""
    about = "Ask the user about"
    if intention:
        topics = list(words["task"])
        sets = [
            " + ".join(topics[k] for k in range(len(topics)) if subset >> k & 1)
            for subset in range(1, 2 ** len(topics))
        ]
        asks = [Tool("ask", "ask {topics}", f"{about} one topic, or several at once.", {"topics": sets})]
    else:
        asks = [
            Tool(
                f"ask_{aspect}", f"ask {aspect} {{topic}}", f"{about} a topic of the {aspect}.", {"topic": list(found)}
            )
            for aspect, found in words.items()
        ]
    both = [Tool("chat", "chat", "Say nothing in particular."), Tool("finish", "finish", "End the talk.")]
    if intention:
        return (*asks, *both)
    aspects, numbers = {"aspect": list(words)}, list(range(1, offers + 1))
    return (
        *asks,
        *both,
        Tool("search", "search {aspect}", "Search for offers.", aspects),
        Tool("recommend", "recommend {aspect} {offer}", "Recommend an offer.", {**aspects, "offer": numbers}),
    )


env, raw_env, parallel_env = pettingzoo_forms(Elicit)
