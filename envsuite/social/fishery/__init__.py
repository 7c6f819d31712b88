"""Fishery: villagers share a stock that grows back only if they leave enough, and may talk about it (GovSim).

**Rules.** Each month has two phases.

*Harvest.* Every villager asks for a number of units, all at once and unseen by the others. If they ask for more than
there is, units are rationed. `stochastic` gives one unit after another to a random villager whose request is not met.
`proportional` gives the whole part of each pro-rata share. It draws the few units left, with chances in proportion to
the unmet requests.

*Meeting*, with `language`. The moderator announces every catch, with `public_catch`. Then villagers speak one at a
time, `player_0` first, until one ends the meeting or `max_utterances` are spoken, the announcement included.

Then the month ends. If fewer than `collapse` units are left, the episode ends. Otherwise the rest is multiplied by
`growth`, up to `capacity`.

A month's sustainable share is f(R) = floor(h / N), where h is the largest harvest of a stock R that can grow back: for
growth 2, half the stock, rounded down. N is the number of villagers, without a newcomer.

*Norm.* The last proposal of a meeting is on the table. Its supporters are its proposer and the villagers that last said
"agree" to it. "object" takes support back, and a new proposal starts with new support. If more than half of those
present support it when the meeting ends, the limit becomes the norm. It stays until another is adopted. A norm binds no
villager.

*Skins.* `fishery`, `pasture` and `pollution` differ in words and pictures only. In `pollution`, the stock is the clean
part of a river's water.

**Agents.** `player_0` ... `player_{players-1}`. With `newcomer`, the last one is away for three months, without an
action. The episode then has 15 months by default instead of 12.

**Observation.** Dict of int16 arrays; -1 means unknown or none. While a newcomer is away, it sees `phase`, `month`,
`agent` and `present` only. It never learns what was caught, said and agreed before it came.

| part | space | content |
|---|---|---|
| phase | Box (1,) | 0 harvest, 1 meeting |
| month | Box (1,) | months that have ended |
| stock | Box (1,) | units there are now |
| agent | Box (1,) | the observing agent's number |
| present | Box (players,) | 1 for each villager that is there |
| request | Box (1,) | what the agent asked for at the last harvest |
| catch | Box (1,) | what it got |
| catches | Box (players,) | what each got at the last harvest; all -1 without `public_catch` |
| threshold | Box (1,) | f(stock) at a harvest, with `universalization` only |
| norm | Box (1,) | the limit per villager agreed on |
| speaker | Box (1,) | the villager that speaks, in a meeting |
| messages | Box (max_utterances, 3) | this meeting, or at a harvest the last one: speaker, act, argument |

In `messages`, the speaker `players` is the moderator. The argument is the agent addressed or the limit proposed. Acts:
0 pass, 1 agree, 2 object, 3 end meeting, 4 ask, 5 accuse, 6 propose, 7 announce.

**Actions.** Discrete, with C = capacity, N = players, L = the full stock divided by the villagers, rounded down.

| action | name | legal |
|---|---|---|
| 0 .. C | `catch k` (pasture: `graze k`, pollution: `make k`) | at a harvest, for k up to the stock |
| C+1 | `pass` | when speaking |
| C+2, C+3 | `agree`, `object` | when speaking, to another villager's proposal |
| C+4 | `end meeting` | when speaking |
| C+5+j | `ask player_j` | when speaking, to another villager that is present |
| C+5+N+j | `accuse player_j` | the same |
| C+5+2N+k | `propose limit k`, k = 0 .. L | when speaking |

The villager that is asked or accused speaks next. After any other utterance, the next villager in seat order does.

**Window.** A click on the scale of requests asks for that amount, or in a meeting proposes it as the limit. A click on
a villager's card in a meeting asks that villager. The keys p, a, o and e pass, agree, object and end the meeting.

**Rewards.** One per unit received.

**Ends.** Terminates at the end of a month with fewer than `collapse` units left, or of the last one (`horizon`).

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 5 | villagers, from 1 to 20, a newcomer included |
| `capacity` | 100 | the most units there can be, from 1 to 250 |
| `stock` | 100 | units at the start, from `collapse` to `capacity` |
| `horizon` | None | months, from 1 to 240, with a newcomer more than 3; None: 12, or 15 with a newcomer |
| `collapse` | 5 | fewer units than this end the episode, from 0 to 250 |
| `growth` | 2.0 | what is left is multiplied by this every month, from 1 to 10 |
| `rationing` | stochastic | or proportional |
| `language` | True | whether villagers meet |
| `public_catch` | True | whether the moderator announces every catch |
| `universalization` | False | whether villagers see f(stock) at a harvest |
| `newcomer` | False | whether the last villager comes three months late; needs two villagers |
| `max_utterances` | 10 | utterances of a meeting, the announcement included, from 2 to 40 |
| `skin` | fishery | or pasture, pollution |

**Level.** ``{"stock": 40, "month": 6}``: the stock and the number of months gone at the start; either may be left out.

**Known values.** Five villagers, 12 months:

| requests | units |
|---|---|
| all ask for f | 120 each, after 12 months |
| all ask for 20 | 20 each, after one month |
| all ask for f and, in the last month, for a fifth of the stock | 130 each |
| four ask for f and one for a fifth | 52 and 106 |

All of these values, and the stock in every month, are those of GovSim's own environment code. The same holds for means
and deviations of what each villager gets in a month of shortage, under both rationings.

**Differences.** From GovSim:

- Its talk is free text, out of which a language model reads the limit. Here talk is typed, and the rule above, which is
  our own, makes the norm.
- The norm stays; GovSim's agents forget a limit after 63 days.
- GovSim's speaker names the next one with every utterance; here by asking or accusing another.
- Its private phases (learning of the catch, reflection) change no state and are dropped; the catch is in the
  observation.
- Its first month always states f = 10; here it is f(stock), 12 for four villagers.
- Its newcomer gets the instruction to be greedy; here that is up to the policy in that seat.

**Source.** Piatti et al., "Cooperate or Collapse", NeurIPS 2024, and its code, giorgiopiatti/GovSim.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.levels import read_integer
from envsuite.core.ranges import MANY, below, fixed, flag, limited, within
from envsuite.core.treatment import Treatment
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.social.fishery import pages, rules, view

STOCHASTIC, PROPORTIONAL = range(2)

#: The names of acts of speech.
ACTS = ("pass", "agree", "object", "end meeting", "ask", "accuse", "propose limit")


def fields(players: int, months: int, utterances: int, capacity: int, limit: int) -> list[tuple]:
    """The record's own fields; `limit` is the largest that can be proposed."""
    villager = within(np.int64, -1, players - 1)
    level = np.dtype([("stock", within(np.int64, 0, capacity)), ("month", below(np.int64, months))])
    message = within(np.int16, -1, np.array([players, rules.ANNOUNCE, max(limit, players - 1)]))
    return [
        ("phase", below(np.int64, 2)),  # HARVEST or MEETING
        ("month", within(np.int64, 0, months)),  # number of months that have ended
        ("stock", within(np.int64, 0, capacity)),  # units there are now
        ("speaker", villager),  # villager that speaks, -1 at a harvest
        ("utterances", within(np.int64, 0, utterances)),  # number of messages
        ("proposal", within(np.int64, -1, limit)),  # limit on the table, or -1
        ("proposer", villager),  # villager that proposed it, or -1
        ("norm", within(np.int64, -1, limit)),  # limit agreed on, or -1
        ("norm_month", within(np.int64, -1, months)),  # month of that meeting, or -1
        ("requests", within(np.int64, -1, capacity), (players,)),  # units asked for at the last harvest, -1 if away
        ("catches", within(np.int64, -1, capacity), (players,)),  # units received then, -1 before the first harvest
        ("gains", within(np.int64, 0, MANY), (players,)),  # units received so far
        ("unmet", within(np.int64, 0, capacity), (players,)),  # scratch of rationing: units asked for and not given
        (
            "lots",
            within(np.int64, 0, max(capacity, players)),
            (players,),
        ),  # scratch of rationing: villagers that wait, or weights
        ("support", flag(np.int8), (players,)),  # whether a villager supports the proposal
        ("messages", message, (utterances, 3)),  # speaker, act and argument of this or the last meeting, or -1
        ("history", within(np.int16, -1, capacity), (months, 2)),  # stock before and after each month's harvest, or -1
        ("level", level),  # at the start
    ]


@kernel
def reset(s):
    if not s.level_given:
        s.level.stock = s.params.stock
        s.level.month = 0
    s.stock = s.level.stock
    s.month = s.level.month
    s.phase = rules.HARVEST
    s.norm = -1
    s.norm_month = -1
    clear_meeting(s)
    s.speaker = -1
    fill(s.requests, -1)
    fill(s.catches, -1)
    fill(s.gains, 0)
    fill(s.unmet, 0)
    fill(s.lots, 0)
    for m in range(s.history.shape[0]):
        s.history[m, 0] = -1
        s.history[m, 1] = -1
    s.history[s.month, 0] = s.stock


@kernel
def clear_meeting(s):
    s.speaker = 0
    s.utterances = 0
    s.proposal = -1
    s.proposer = -1
    fill(s.support, 0)
    for k in range(s.messages.shape[0]):
        for part in range(3):
            s.messages[k, part] = -1


@kernel
def ration_stochastic(s):
    """Give out the stock, which is less than the requests, unit by unit; `lots` lists villagers that still wait."""
    waiting = 0
    for a in range(s.unmet.shape[0]):
        if s.unmet[a] > 0:
            s.lots[waiting] = a
            waiting += 1
    for _ in range(s.stock):
        k = random.randint(s, waiting)
        a = s.lots[k]
        s.unmet[a] -= 1
        if s.unmet[a] == 0:
            waiting -= 1
            s.lots[k] = s.lots[waiting]


@kernel
def ration_proportional(s, total):
    """Give out the stock, which is less than the total asked for, pro rata; `lots` weighs those rounded down."""
    left = s.stock
    for a in range(s.unmet.shape[0]):
        product = s.unmet[a] * s.stock
        share = product // total
        left -= share
        s.unmet[a] -= share
        s.lots[a] = s.unmet[a] if share * total != product else 0
    for _ in range(left):
        a = random.categorical(s, s.lots, s.lots.shape[0])
        s.lots[a] -= 1
        s.unmet[a] -= 1


@kernel
def harvest(s, actions, rewards):
    present = rules.attendance(s)
    total = 0
    for a in range(s.requests.shape[0]):
        s.requests[a] = actions[a] if a < present else -1
        s.unmet[a] = actions[a] if a < present else 0
        total += s.unmet[a]
    if total <= s.stock:
        for a in range(present):
            s.unmet[a] = 0
    elif s.params.rationing == PROPORTIONAL:
        ration_proportional(s, total)
    else:
        ration_stochastic(s)
    for a in range(present):
        s.catches[a] = s.requests[a] - s.unmet[a]
        s.gains[a] += s.catches[a]
        s.stock -= s.catches[a]
        rewards[a] = s.catches[a]
        s.unmet[a] = 0  # scratch: without this, equal states would differ in their bytes
        s.lots[a] = 0
    s.history[s.month, 1] = s.stock


@kernel
def say(s, speaker, act, argument):
    s.messages[s.utterances, 0] = speaker
    s.messages[s.utterances, 1] = act
    s.messages[s.utterances, 2] = argument
    s.utterances += 1


@kernel
def speak(s, word):
    """The speaker's utterance, counted from the first word; whether the meeting is over."""
    count, speaker = s.catches.shape[0], s.speaker
    act, argument = word, -1
    if word >= rules.ASK + 2 * count:
        act, argument = rules.PROPOSE, word - rules.ASK - 2 * count
        s.proposal = argument
        s.proposer = speaker
        for a in range(count):
            s.support[a] = a == speaker
    elif word >= rules.ASK:
        act, argument = rules.ASK + (word - rules.ASK) // count, (word - rules.ASK) % count
    elif word == rules.AGREE or word == rules.OBJECT:
        s.support[speaker] = word == rules.AGREE
    say(s, speaker, act, argument)
    s.speaker = argument if act == rules.ASK or act == rules.ACCUSE else (speaker + 1) % rules.attendance(s)
    return act == rules.END or s.utterances == s.messages.shape[0]


@kernel
def adopt(s):
    """The proposal on the table becomes the norm if a majority of those present supports it."""
    supporters = 0
    for a in range(s.support.shape[0]):
        supporters += s.support[a]
    if s.proposal >= 0 and 2 * supporters > rules.attendance(s):
        s.norm = s.proposal
        s.norm_month = s.month


@kernel
def end_month(s):
    s.phase = rules.HARVEST
    s.speaker = -1
    s.month += 1
    if s.stock < s.params.collapse or s.month >= s.history.shape[0]:
        fill(s.terminated, 1)
    else:
        s.stock = min(s.params.capacity, np.int64(s.params.growth * s.stock + 1e-9))
        s.history[s.month, 0] = s.stock


@kernel
def step(s, actions, rewards):
    if s.phase == rules.HARVEST:
        harvest(s, actions, rewards)
        month_is_over = s.params.language == 0
        if not month_is_over:
            s.phase = rules.MEETING
            clear_meeting(s)
            if s.params.public_catch != 0:
                say(s, s.catches.shape[0], rules.ANNOUNCE, -1)
    else:
        month_is_over = speak(s, actions[s.speaker] - s.params.first_word)
        if month_is_over:
            adopt(s)
    if month_is_over:
        end_month(s)


@kernel
def observe(s, agent, out):
    present = rules.attendance(s)
    here = agent < present
    there = rules.witnessed(s, agent)
    out.phase[0] = s.phase
    out.month[0] = s.month
    out.agent[0] = agent
    out.stock[0] = s.stock if here else -1
    out.request[0] = s.requests[agent]
    out.catch[0] = s.catches[agent]
    hinted = here and s.params.universalization != 0 and s.phase == rules.HARVEST
    out.threshold[0] = rules.threshold(s) if hinted else -1
    out.norm[0] = s.norm if s.norm_month >= rules.arrival(s, agent) else -1
    out.speaker[0] = s.speaker if here else -1
    public = there and s.params.public_catch != 0
    for a in range(s.catches.shape[0]):
        out.present[a] = a < present
        out.catches[a] = s.catches[a] if public else -1
    for k in range(s.messages.shape[0]):
        for part in range(3):
            out.messages[k, part] = s.messages[k, part] if there else -1


@kernel
def legal(s, agent, mask):
    present = rules.attendance(s)
    if s.phase == rules.HARVEST:
        if agent < present:
            for k in range(s.stock + 1):
                mask[k] = 1
    elif s.speaker == agent:
        first, count = s.params.first_word, s.catches.shape[0]
        mask[first + rules.PASS] = 1
        mask[first + rules.END] = 1
        if s.proposal >= 0 and s.proposer != agent:
            mask[first + rules.AGREE] = 1
            mask[first + rules.OBJECT] = 1
        for a in range(present):
            if a != agent:
                mask[first + rules.ASK + a] = 1
                mask[first + rules.ASK + count + a] = 1
        for k in range(first + rules.ASK + 2 * count, mask.shape[0]):
            mask[k] = 1


class Fishery(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "mixed"
    kind = ("commons", "dilemmas")
    verified = "GovSim's validation table"
    variants = (dict(newcomer=True), dict(language=False))
    shown = "sustainable"
    clickable = "ask .*|catch (0|50|100)"
    keys = {"p": "pass", "a": "agree", "o": "object", "e": "end meeting"}
    player_page = pages.PAGE
    page_slots = pages.page_slots
    treatments = {
        "universalization": Treatment(
            "Villagers are told what nobody may exceed if the stock is to grow back.", {"universalization": True}
        ),
        "newcomer": Treatment("The last villager comes three months late.", {"newcomer": True}),
        "no_talk": Treatment("Villagers do not meet.", {"language": False}),
    }
    neutral = "pass"
    phrases = pages.PHRASES
    speech = view.hearers
    talk_seats = view.seats
    unspoken = view.unspoken
    messages = view.messages
    text = view.text
    scene = view.scene
    click = view.click

    def __init__(
        self,
        players: Annotated[int, Between(1, 20)] = 5,
        capacity: Annotated[int, Between(1, 250)] = 100,
        stock: Annotated[int, Between(1, 250)] = 100,
        horizon: Annotated[int | None, Between(1, 240)] = None,
        collapse: Annotated[int, Between(0, 250)] = 5,
        growth: Annotated[float, Between(1, 10)] = 2.0,
        rationing: Literal["stochastic", "proportional"] = "stochastic",
        language: bool = True,
        public_catch: bool = True,
        universalization: bool = False,
        newcomer: bool = False,
        max_utterances: Annotated[int, Between(2, 40)] = 10,
        skin: Literal["fishery", "pasture", "pollution"] = "fishery",
    ):
        if not collapse <= stock <= capacity:
            raise ParameterError(
                f"Fishery: stock={stock} must lie between collapse={collapse} and capacity={capacity}, both included"
            )
        if newcomer and players < 2:
            raise ParameterError("Fishery: with newcomer=True players must be at least 2: the last one comes later")
        months = horizon or (15 if newcomer else 12)
        if newcomer and months <= rules.ARRIVAL:
            raise ParameterError(f"Fishery: with newcomer=True horizon={months} must be more than {rules.ARRIVAL}")
        self.skin = view.SKINS[skin]
        agents = [f"player_{k}" for k in range(players)]
        limit = capacity // (players - newcomer)
        self.first_word = capacity + 1
        self.first_limit = self.first_word + rules.ASK + 2 * players

        def part(low: int, high: int | list[int], *shape: int) -> Box:
            shape = shape or (1,)
            return Box(np.full(shape, low, np.int16), np.full(shape, high, np.int16), dtype=np.int16)

        self.define(
            agents=agents,
            actions=[
                *(f"{self.skin.verb} {k}" for k in range(capacity + 1)),
                *ACTS[: rules.ASK],
                *(f"{act} {agent}" for act in ACTS[rules.ASK : rules.PROPOSE] for agent in agents),
                *(f"{ACTS[rules.PROPOSE]} {k}" for k in range(limit + 1)),
            ],
            observation=Dict(
                phase=part(rules.HARVEST, rules.MEETING),
                month=part(0, months),
                stock=part(-1 if newcomer else 0, capacity),
                agent=part(0, players - 1),
                present=part(0, 1, players),
                request=part(-1, capacity),
                catch=part(-1, capacity),
                catches=part(-1, capacity, players),
                threshold=part(-1, limit),
                norm=part(-1, limit),
                speaker=part(-1, players - 1),
                messages=part(-1, [players, rules.ANNOUNCE, max(limit, players - 1)], max_utterances, 3),
            ),
            fields=fields(players, months, max_utterances, capacity, limit),
            params={
                "capacity": fixed(capacity),
                "stock": limited(stock, 0, capacity),
                "collapse": collapse,
                "growth": float(growth),
                "rationing": PROPORTIONAL if rationing == "proportional" else STOCHASTIC,
                "language": int(language),
                "public_catch": int(public_catch),
                "universalization": int(universalization),
                "newcomer": fixed(newcomer),
                "first_word": self.first_word,  # an index of actions
            },
            reward_range=(0.0, float(capacity)),
        )

    def contradiction(self, s: Any) -> str | None:
        over = s.terminated > 0
        if over.any():
            return None if over.all() else "the game ends for all at once"
        if s.month >= len(s.history):
            return "all months are over"
        if not (0 <= s.speaker < rules.attendance(s) if s.phase == rules.MEETING else s.speaker == -1):
            return "one speaks that is away, or at a harvest"
        full = s.phase == rules.MEETING and s.utterances >= len(s.messages)
        return "the meeting is over" if full else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        allowed = {
            "stock": (max(1, s.params.collapse), s.params.capacity, s.params.stock),
            "month": (0, len(s.history) - 1, 0),
        }
        if not level or not level.keys() <= allowed.keys():
            raise LevelError(
                f"{self.id}: a level has 'stock', 'month' or both, not {', '.join(map(repr, level)) or 'none'}"
            )
        for name, (low, high, usual) in allowed.items():
            s.level[name] = read_integer(level.get(name, usual), f"{self.id}: the level's {name}", low, high)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"stock": s.level.stock, "month": s.level.month}


env, raw_env, parallel_env = pettingzoo_forms(Fishery)
