"""Fishery: villagers share a stock that grows back only if they leave enough, and may talk about it (GovSim).

**Rules.** Each month has two phases. *Harvest*: every villager asks for a number of units, all at once and unseen by
the others. Where they ask for more than there is, units are rationed: `stochastic` gives one unit after another to a
random villager whose request is not met; `proportional` gives the whole part of each pro-rata share and draws the
few units left, with chances in proportion to what is still wanted. *Meeting* (with `language`): the moderator
announces every catch (with `public_catch`), then villagers speak one at a time, `player_0` first, until one ends the
meeting or `max_utterances` are spoken, the announcement among them. Then the month ends: fewer than `collapse` units
left end the episode; otherwise the rest is multiplied by `growth`, up to `capacity`.

A month's sustainable share is f(R) = floor(h / N), where h is the largest harvest of a stock R that can grow back: for
growth 2, half the stock, rounded down. N is the number of villagers, a newcomer not counted.

**Norm.** The last proposal of a meeting is on the table, supported by its proposer and by those who last said "agree"
to it; "object" takes support back, a new proposal starts afresh. When the meeting ends with more than half of those
present in support, the limit becomes the norm and stays until another is adopted. A norm binds nobody.

**Agents.** `player_0` ... `player_{players-1}`. With `newcomer`, the last one is away for three months, without
an action; the episode is then 15 months by default and not 12.

**Observation.** Dict of int16 arrays; -1 means unknown or none. While a newcomer is away it sees `phase`, `month`,
`agent` and `present` only; of what was caught, said and agreed before it came it is never told.

| part | shape | holds |
|---|---|---|
| phase | (1,) | 0 harvest, 1 meeting |
| month | (1,) | months that have ended |
| stock | (1,) | units there are now |
| agent | (1,) | the observing agent's number |
| present | (players,) | 1 for each villager who is there |
| request | (1,) | what the agent asked for at the last harvest |
| catch | (1,) | what it got |
| catches | (players,) | what each got at the last harvest; all -1 without `public_catch` |
| threshold | (1,) | f(stock) at a harvest, with `universalization` only |
| norm | (1,) | the limit per villager agreed on |
| speaker | (1,) | who speaks, in a meeting |
| messages | (max_utterances, 3) | this meeting, or at a harvest the last one: speaker, act, argument |

In `messages` the speaker `players` is the moderator. Acts: 0 pass, 1 agree, 2 object, 3 end meeting, 4 ask, 5 accuse,
6 propose, 7 announce; the argument is the agent addressed or the limit proposed.

**Actions.** Discrete, with C = capacity, N = players, L = the full stock divided by the villagers, rounded down.

| action | name | legal |
|---|---|---|
| 0 .. C | `catch k` (pasture: `graze k`, pollution: `make k`) | at a harvest, for k up to the stock |
| C+1 | `pass` | when speaking |
| C+2, C+3 | `agree`, `object` | when speaking, to another's proposal |
| C+4 | `end meeting` | when speaking |
| C+5+j | `ask player_j` | when speaking, to another who is present |
| C+5+N+j | `accuse player_j` | the same |
| C+5+2N+k | `propose limit k`, k = 0 .. L | when speaking |

Who is asked or accused speaks next; after any other utterance the next villager in seat order does.

**Rewards.** One per unit received.

**Ends.** Terminates at the end of a month with fewer than `collapse` units left, or of the last one (`horizon`).

**Parameters.**

| name | default | meaning |
|---|---|---|
| players | 5 | villagers, 1 to 20, a newcomer among them |
| capacity, stock | 100, 100 | the most units there can be, and those at the start |
| horizon | None | months; None means 12, or 15 with a newcomer |
| collapse | 5 | fewer units than this end the episode |
| growth | 2.0 | what is left is multiplied by this every month |
| rationing | stochastic | or proportional |
| language | True | whether villagers meet |
| public_catch | True | whether the moderator announces every catch |
| universalization | False | whether villagers are told f(stock) at a harvest |
| newcomer | False | whether the last villager comes three months late |
| max_utterances | 10 | of a meeting, the announcement included |
| skin | fishery | or pasture or pollution |

**Level.** ``{"stock": 40, "month": 6}``: the stock and the number of months gone at the start; either may be left out.

**Skins.** `fishery`, `pasture` and `pollution` differ in words and pictures only. In the last the stock is the clean
part of a river's water.

**Known values.** Five villagers, 12 months. All ask for f: 12 months, 120 each. All ask for 20: one month, 20 each. All
ask for f and, in the last month, for a fifth of the stock: 130 each. Four ask for f and one for a fifth: 52 and 106.
All of it, and the stock in every month, is that of GovSim's own environment code, as are means and deviations of what
each gets in a month of shortage, under both rationings.

**Differences.** GovSim's talk is free text, out of which a language model reads the limit; here talk is typed and the
rule above, our own, makes the norm, which stays; GovSim's agents forget a limit after 63 days. GovSim's speaker names
the next one with every utterance; here by asking or accusing another. Its private phases (learning one's catch,
reflection) change no state and are dropped; the catch is in the observation. Its first month always states f = 10;
here it is f(stock), 12 for four villagers. Its newcomer is told to be greedy; here that is up to the policy in that
seat.

**Source.** Piatti et al., "Cooperate or Collapse", NeurIPS 2024, and its code, giorgiopiatti/GovSim.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, pi, sin, sqrt
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene
from envsuite.render.theme import agent_color, text_on

HARVEST, MEETING = range(2)
STOCHASTIC, PROPORTIONAL = range(2)

#: Acts of speech; the first four take no argument, announcing is the moderator's.
PASS, AGREE, OBJECT, END, ASK, ACCUSE, PROPOSE, ANNOUNCE = range(8)
ACTS = ("pass", "agree", "object", "end meeting", "ask", "accuse", "propose limit")

#: How many months a newcomer is away.
ARRIVAL = 3


@kernel
def reset(s):
    if not s.level_given:
        s.level.stock = s.params.stock
        s.level.month = 0
    s.stock = s.level.stock
    s.month = s.level.month
    s.phase = HARVEST
    s.norm = -1
    s.norm_month = -1
    clear_meeting(s)
    s.speaker = -1
    for a in range(s.catches.shape[0]):
        s.requests[a] = -1
        s.catches[a] = -1
        s.gains[a] = 0
        s.unmet[a] = 0
        s.lots[a] = 0
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
    for a in range(s.support.shape[0]):
        s.support[a] = 0
    for k in range(s.messages.shape[0]):
        for part in range(3):
            s.messages[k, part] = -1


@kernel
def arrival(s, agent):
    """The month from which on an agent is there."""
    return ARRIVAL if s.params.newcomer != 0 and agent == s.catches.shape[0] - 1 else 0


@kernel
def attendance(s):
    """How many are there: agents 0 .. attendance - 1."""
    away = s.params.newcomer != 0 and s.month < ARRIVAL
    return s.catches.shape[0] - 1 if away else s.catches.shape[0]


@kernel
def sustainable_share(stock, growth, villagers):
    """The largest equal harvest of a stock that can grow back; a hair of slack for growths like 1.1."""
    return (stock - np.int64(np.ceil(stock / growth - 1e-9))) // villagers


@kernel
def threshold(s):
    return sustainable_share(s.stock, s.params.growth, s.catches.shape[0] - s.params.newcomer)


@kernel
def ration_stochastic(s):
    """Give out the stock, which is less than all ask for, unit by unit; `lots` lists those who still wait."""
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
    present = attendance(s)
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
        s.unmet[a] = 0  # scratch; left as it was, equal states would differ in their bytes
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
    if word >= ASK + 2 * count:
        act, argument = PROPOSE, word - ASK - 2 * count
        s.proposal = argument
        s.proposer = speaker
        for a in range(count):
            s.support[a] = a == speaker
    elif word >= ASK:
        act, argument = ASK + (word - ASK) // count, (word - ASK) % count
    elif word == AGREE or word == OBJECT:
        s.support[speaker] = word == AGREE
    say(s, speaker, act, argument)
    s.speaker = argument if act == ASK or act == ACCUSE else (speaker + 1) % attendance(s)
    return act == END or s.utterances == s.messages.shape[0]


@kernel
def adopt(s):
    """The proposal on the table becomes the norm if a majority of those present supports it."""
    supporters = 0
    for a in range(s.support.shape[0]):
        supporters += s.support[a]
    if s.proposal >= 0 and 2 * supporters > attendance(s):
        s.norm = s.proposal
        s.norm_month = s.month


@kernel
def end_month(s):
    s.phase = HARVEST
    s.speaker = -1
    s.month += 1
    if s.stock < s.params.collapse or s.month >= s.history.shape[0]:
        for a in range(s.terminated.shape[0]):
            s.terminated[a] = 1
    else:
        s.stock = min(s.params.capacity, np.int64(s.params.growth * s.stock + 1e-9))
        s.history[s.month, 0] = s.stock


@kernel
def step(s, actions, rewards):
    if s.phase == HARVEST:
        harvest(s, actions, rewards)
        month_is_over = s.params.language == 0
        if not month_is_over:
            s.phase = MEETING
            clear_meeting(s)
            if s.params.public_catch != 0:
                say(s, s.catches.shape[0], ANNOUNCE, -1)
    else:
        month_is_over = speak(s, actions[s.speaker] - s.params.first_word)
        if month_is_over:
            adopt(s)
    if month_is_over:
        end_month(s)


@kernel
def witnessed(s, agent):
    """Whether an agent was there at the last harvest, and so in the meeting after it."""
    return arrival(s, agent) < s.month + s.phase


@kernel
def observe(s, agent, out):
    present = attendance(s)
    here = agent < present
    there = witnessed(s, agent)
    out.phase[0] = s.phase
    out.month[0] = s.month
    out.agent[0] = agent
    out.stock[0] = s.stock if here else -1
    out.request[0] = s.requests[agent]
    out.catch[0] = s.catches[agent]
    out.threshold[0] = threshold(s) if here and s.params.universalization != 0 and s.phase == HARVEST else -1
    out.norm[0] = s.norm if s.norm_month >= arrival(s, agent) else -1
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
    present = attendance(s)
    if s.phase == HARVEST:
        if agent < present:
            for k in range(s.stock + 1):
                mask[k] = 1
    elif s.speaker == agent:
        first, count = s.params.first_word, s.catches.shape[0]
        mask[first + PASS] = 1
        mask[first + END] = 1
        if s.proposal >= 0 and s.proposer != agent:
            mask[first + AGREE] = 1
            mask[first + OBJECT] = 1
        for a in range(present):
            if a != agent:
                mask[first + ASK + a] = 1
                mask[first + ASK + count + a] = 1
        for k in range(first + ASK + 2 * count, mask.shape[0]):
            mask[k] = 1


@dataclass(frozen=True)
class Skin:
    """The words of one telling."""

    title: str
    people: str
    place: str
    stock: str
    verb: str
    caught: str  # what one did, {n} units
    growth: str
    collapse: str
    moderator: str


SKINS = {
    "fishery": Skin(
        title="Fishery",
        people="fishers",
        place="a lake",
        stock="There are {n} tons of fish in the lake.",
        verb="catch",
        caught="caught {n} tons",
        growth="The fish that are left grow by a factor of {growth:g} a month, up to {capacity} tons.",
        collapse="If fewer than {collapse} tons are left, the fish die out and it is over.",
        moderator="mayor",
    ),
    "pasture": Skin(
        title="Pasture",
        people="shepherds",
        place="a common pasture",
        stock="There are {n} hectares of grass on the pasture.",
        verb="graze",
        caught="grazed {n} flocks",
        growth="A flock eats one hectare. What is left grows by a factor of {growth:g} a month, up to {capacity}.",
        collapse="If fewer than {collapse} hectares are left, the pasture turns to dust and it is over.",
        moderator="elder",
    ),
    "pollution": Skin(
        title="River",
        people="factory owners",
        place="a river",
        stock="Of {capacity} parts of the river's water, {n} are clean.",
        verb="make",
        caught="made {n} pallets",
        growth="A pallet fouls one part. What is left clean grows by a factor of {growth:g} a month, up to {capacity}.",
        collapse="If fewer than {collapse} parts are left, the river dies and it is over.",
        moderator="warden",
    ),
}


class Fishery(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "mixed"
    verified = "GovSim's validation table"
    variants = (dict(newcomer=True), dict(language=False))
    shown = "sustainable"
    clickable = "ask .*|catch (0|50|100)"
    keys = {"p": "pass", "a": "agree", "o": "object", "e": "end meeting"}

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
        if newcomer and months <= ARRIVAL:
            raise ParameterError(f"Fishery: with newcomer=True horizon={months} must be more than {ARRIVAL}")
        self.skin = SKINS[skin]
        agents = [f"player_{k}" for k in range(players)]
        limit = capacity // (players - newcomer)
        self.first_word = capacity + 1
        self.first_limit = self.first_word + ASK + 2 * players

        def part(low: int, high: int | list[int], *shape: int) -> Box:
            shape = shape or (1,)
            return Box(np.full(shape, low, np.int16), np.full(shape, high, np.int16), dtype=np.int16)

        self.define(
            agents=agents,
            actions=[
                *(f"{self.skin.verb} {k}" for k in range(capacity + 1)),
                *ACTS[:ASK],
                *(f"ask {agent}" for agent in agents),
                *(f"accuse {agent}" for agent in agents),
                *(f"propose limit {k}" for k in range(limit + 1)),
            ],
            observation=Dict(
                phase=part(HARVEST, MEETING),
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
                messages=part(-1, [players, ANNOUNCE, max(limit, players - 1)], max_utterances, 3),
            ),
            fields=[
                ("phase", np.int64),
                ("month", np.int64),
                ("stock", np.int64),
                ("speaker", np.int64),
                ("utterances", np.int64),
                ("proposal", np.int64),
                ("proposer", np.int64),
                ("norm", np.int64),
                ("norm_month", np.int64),
                ("requests", np.int64, (players,)),
                ("catches", np.int64, (players,)),
                ("gains", np.int64, (players,)),
                ("unmet", np.int64, (players,)),
                ("lots", np.int64, (players,)),
                ("support", np.int8, (players,)),
                ("messages", np.int16, (max_utterances, 3)),
                ("history", np.int16, (months, 2)),  # the stock before and after each month's harvest
                ("level", np.dtype([("stock", np.int64), ("month", np.int64)])),
            ],
            params={
                "capacity": capacity,
                "stock": stock,
                "collapse": collapse,
                "growth": float(growth),
                "rationing": PROPORTIONAL if rationing == "proportional" else STOCHASTIC,
                "language": int(language),
                "public_catch": int(public_catch),
                "universalization": int(universalization),
                "newcomer": int(newcomer),
                "first_word": self.first_word,  # an index of actions, not to be tuned
            },
            reward_range=(0.0, float(capacity)),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        allowed = {
            "stock": (max(1, int(s.params.collapse)), int(s.params.capacity), int(s.params.stock)),
            "month": (0, len(s.history) - 1, 0),
        }
        if not level or not level.keys() <= allowed.keys():
            raise LevelError(
                f"{self.id}: a level has 'stock', 'month' or both, not {', '.join(map(repr, level)) or 'none'}"
            )
        for name, (low, high, default) in allowed.items():
            value = level.get(name, default)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
                raise LevelError(f"{self.id}: the level's {name}={value!r} must be an integer from {low} to {high}")
            s.level[name] = value

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"stock": int(s.level.stock), "month": int(s.level.month)}

    def sentence(self, message: Any) -> str:
        """One utterance in words."""
        speaker, act, argument = (int(part) for part in message)
        if act == ANNOUNCE:
            return f"The {self.skin.moderator} reads out the catches."
        said = {
            ASK: f"asks player_{argument}",
            ACCUSE: f"accuses player_{argument}",
            PROPOSE: f"proposes limit {argument}",
        }
        plain = {PASS: "passes", AGREE: "agrees", OBJECT: "objects", END: "ends the meeting"}
        return f"player_{speaker} {(said | plain)[act]}."

    def messages(self, s: Any) -> list[tuple[int, str]]:
        return [(int(said[0]), self.sentence(said)) for said in s.messages[: s.utterances] if said[1] != ANNOUNCE]

    def text(self, s: Any, agent: int) -> str:
        skin, count = self.skin, len(self.agents)
        amounts = {
            "n": int(s.stock),
            "capacity": int(s.params.capacity),
            "collapse": int(s.params.collapse),
            "growth": float(s.params.growth),
        }
        present = attendance(s)
        comes = arrival(s, agent)
        over = bool(s.terminated.all())
        if agent >= present:
            when = f"You come to {skin.place} in month {ARRIVAL + 1}"
            return f"You are player_{agent}. You are away. {when}; this is month {s.month + 1}."
        lines = [
            f"You are player_{agent}, one of {present} {skin.people} who share {skin.place}.",
            "Each month all say at once how much they want, unseen by the others; if it is more than there is, it is "
            + ("shared out pro rata." if s.params.rationing == PROPORTIONAL else "given out unit by unit, by lot."),
            skin.growth.format(**amounts),
            skin.collapse.format(**amounts),
            "",
            f"It is over after {s.month} months." if over else f"Month {s.month + 1} of {len(s.history)}.",
            skin.stock.format(**amounts),
        ]
        if s.params.universalization and s.phase == HARVEST:
            share = sustainable_share(int(s.stock), float(s.params.growth), count - int(s.params.newcomer))
            lines.append(f"If everyone takes more than {share}, there will be less next month.")
        if s.catches[agent] >= 0:
            lines.append(
                f"At the last harvest you asked for {s.requests[agent]} and {skin.caught.format(n=s.catches[agent])}."
            )
        there = comes < s.month + s.phase
        if there and s.params.public_catch:
            known = [
                f"player_{a} {skin.caught.format(n=s.catches[a])}"
                for a in range(count)
                if a != agent and s.catches[a] >= 0
            ]
            if known:
                lines.append("Of the others, " + ", ".join(known) + ".")
        if s.norm >= 0 and s.norm_month >= comes:
            lines.append(f"The limit agreed on is {s.norm} each.")
        if there and s.utterances:
            lines.append("In this meeting:" if s.phase == MEETING else "In the last meeting:")
            lines += [f"- {self.sentence(message)}" for message in s.messages[: s.utterances]]
        if over:
            return "\n".join(lines)
        lines.append("")
        if s.phase == HARVEST:
            lines.append(f"How much do you want? Choose from `{skin.verb} 0` to `{skin.verb} {s.stock}`.")
        elif s.speaker == agent:
            others = [a for a in range(present) if a != agent]
            words = ["pass", "end meeting", f"propose limit 0 .. {self.num_actions - self.first_limit - 1}"]
            if s.proposal >= 0 and s.proposer != agent:
                words[1:1] = ["agree", "object"]
            if others:
                words += [f"{act} player_{a}" for act in ("ask", "accuse") for a in others]
            lines.append("You speak. Choose from: " + ", ".join(words) + ".")
        else:
            lines.append(f"player_{s.speaker} speaks.")
        return "\n".join(lines)

    # The picture: the place on the left, chart and talk on the right, below a card per agent and the scale of requests.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        rows = 1 if len(self.agents) <= 10 else 2
        scene = Scene(20, 10.3 + 2.1 * rows)
        months = len(s.history)
        over = bool(s.terminated.all())
        title = f"{self.skin.title} · month {s.month if over else s.month + 1} of {months}"
        scene.add(Label(0.5, 0.75, title, 0.7, bold=True, align="left"))
        if over:
            ended = "collapsed" if s.stock < s.params.collapse else "survived"
            phase = f"over: {ended} after {s.month} months"
        else:
            phase = "harvest: all ask at once" if s.phase == HARVEST else f"meeting: player_{s.speaker} speaks"
        norm = f"norm: {s.norm} each" if s.norm >= 0 else "no norm"
        scene.add(Label(19.5, 0.75, f"{phase} · {norm}", 0.5, "muted", "right"))
        {"Fishery": _draw_lake, "Pasture": _draw_pasture, "River": _draw_river}[self.skin.title](scene, s)
        _draw_gauge(scene, s)
        _draw_chart(scene, s)
        _draw_talk(scene, [self.sentence(message) for message in s.messages[: s.utterances]])
        for a in range(len(self.agents)):
            _draw_card(scene, s, a, _card(a, len(self.agents)))
        _draw_scale(scene, s, self.skin.verb)
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        """On the scale of requests: an amount, or in a meeting a limit; on a card: ask its agent."""
        for a in range(len(self.agents)):
            left, top, width, height = _card(a, len(self.agents))
            if s.phase == MEETING and left <= x <= left + width and top <= y <= top + height:
                return self.first_word + ASK + a if a != agent and a < attendance(s) else None
        left, right = SCALE
        if y < _scale_y(len(self.agents)) - 0.5 or not left - 0.3 <= x <= right + 0.3:
            return None
        amount = round((x - left) / (right - left) * int(s.params.capacity))
        if s.phase == HARVEST:
            return min(max(amount, 0), int(s.stock))
        return self.first_limit + min(max(amount, 0), self.num_actions - self.first_limit - 1)


#: The place on the left of the picture: x, y, width, height; and the ends of the scale of requests.
PLACE = (0.5, 1.4, 11.3, 7.0)
SCALE = (2.3, 19.1)


def _ellipse(x: float, y: float, across: float, down: float, points: int = 48) -> list[tuple[float, float]]:
    turns = [2 * pi * k / points for k in range(points)]
    return [(x + across * cos(turn), y + down * sin(turn)) for turn in turns]


def _share(s: Any, total: int) -> int:
    """How many of `total` marks show the stock: at least one where anything is left."""
    return -(-int(s.stock) * total // int(s.params.capacity))


def _draw_lake(scene: Scene, s: Any) -> None:
    x, y, width, height = PLACE
    scene.add(Rect(x, y, width, height, "grass", radius=0.35))
    cx, cy, across, down = x + width / 2 - 0.35, y + height / 2, 4.35, 2.65
    scene.add(Polygon(_ellipse(cx, cy, across + 0.2, down + 0.2), "soil"))
    scene.add(Polygon(_ellipse(cx, cy, across, down), "water"))
    scene.add(Polygon(_ellipse(cx, cy, across * 0.8, down * 0.78), "sky@0.35"))
    for k in range(_share(s, 50)):  # a sunflower's pattern fills the lake evenly, from the middle
        reach, turn = 0.86 * sqrt((k + 0.5) / 50), 2.39996 * k
        fx, fy, side = cx + across * reach * cos(turn), cy + down * reach * sin(turn), 1 if k % 2 else -1
        tail = [(fx - 0.13 * side, fy), (fx - 0.3 * side, fy - 0.1), (fx - 0.3 * side, fy + 0.1)]
        scene.add(Polygon(_ellipse(fx, fy, 0.2, 0.1, 14), "deep", glyph="◂"), Polygon(tail, "deep"))
        scene.add(Circle(fx + 0.1 * side, fy - 0.02, 0.025, "white", glyph=""))
    count = len(s.catches)
    size = min(1.0, 8 / count)
    for a in range(attendance(s)):
        turn = 2 * pi * (a + 0.5) / count - pi / 2
        bx, by = cx + (across + 0.1) * cos(turn), cy + (down + 0.05) * sin(turn)
        hull = [(-0.55, -0.05), (0.55, -0.05), (0.36, 0.3), (-0.36, 0.3)]
        sail = [(0.0, -0.95), (0.48, -0.18), (0.0, -0.18)]
        color = agent_color(a)
        scene.add(Line([(bx, by - 0.05 * size), (bx, by - 0.97 * size)], "wall", 0.05 * size))
        scene.add(Polygon([(bx + size * px, by + size * py) for px, py in sail], "white", color, 0.03))
        scene.add(Polygon([(bx + size * px, by + size * py) for px, py in hull], color))
        scene.add(Label(bx, by + 0.12 * size, str(a), 0.3 * size, text_on(color), bold=True))


def _draw_pasture(scene: Scene, s: Any) -> None:
    x, y, width, height = PLACE
    scene.add(Rect(x, y, width, height, "soil", radius=0.35))
    columns, rows, side = 12, 7, 0.8
    left, top = x + 0.3, y + 0.7
    green = _share(s, columns * rows)
    for k in range(columns * rows):
        cell = k * 37 % (columns * rows)  # bare patches lie scattered
        px, py = left + cell % columns * side, top + cell // columns * side
        if k >= green:
            scene.add(Rect(px, py, side, side, "brown@0.16"))
            continue
        scene.add(Rect(px, py, side, side, "grass"))
        for blade in (-0.16, 0.0, 0.16):
            bx, by = px + side / 2 + blade, py + side * 0.72
            scene.add(Polygon([(bx - 0.06, by), (bx + 0.06, by), (bx + blade / 2, by - 0.36)], "green@0.75", glyph="'"))
    count = len(s.catches)
    size = min(1.0, 9 / count)
    for a in range(attendance(s)):
        turn = 2 * pi * (a + 0.5) / count - pi / 2
        sx, sy = left + columns * side * (0.5 + 0.4 * cos(turn)), top + rows * side * (0.5 + 0.38 * sin(turn))
        for leg in (-0.22, -0.1, 0.12, 0.24):
            scene.add(Line([(sx + leg * size, sy), (sx + leg * size, sy + 0.46 * size)], "black", 0.06 * size))
        for wx, wy in ((-0.3, 0.0), (-0.12, -0.16), (0.14, -0.16), (0.3, 0.0), (-0.12, 0.12), (0.14, 0.12), (0.0, 0.0)):
            scene.add(Circle(sx + wx * size, sy + wy * size, 0.24 * size, "white", glyph=""))
        scene.add(Circle(sx + 0.58 * size, sy - 0.14 * size, 0.17 * size, "black", glyph=""))
        scene.add(Circle(sx, sy - 0.02 * size, 0.25 * size, agent_color(a)))
        scene.add(Label(sx, sy - 0.02 * size, str(a), 0.3 * size, text_on(agent_color(a)), bold=True))


def _draw_river(scene: Scene, s: Any) -> None:
    x, y, width, height = PLACE
    scene.add(Rect(x, y, width, height, "floor", radius=0.35))
    middle, half = y + height / 2, 1.25

    def bank(place: float, offset: float) -> tuple[float, float]:
        return x + place * width, middle + 0.28 * sin(place * 7.5) + offset

    steps = 40
    clean = int(s.stock) / int(s.params.capacity)
    for k in range(steps):  # fouled from downstream, on the right
        a, b = k / steps, min((k + 1.04) / steps, 1.0)
        fouled = min(max(k + 1 - clean * steps, 0.0), 1.0)
        corners = [bank(a, -half), bank(b, -half), bank(b, half), bank(a, half)]
        scene.add(Polygon(corners, "sky"), Polygon(corners, f"brown@{0.85 * fouled:.2f}"))
    for k, offset in enumerate((-0.8, -0.3, 0.25, 0.75)):
        for start in range(4):
            first = (start + 0.23 * k) / 4.2 + 0.03
            scene.add(Line([bank(first + 0.012 * p, offset) for p in range(9)], "white@0.55", 0.05))
    count = len(s.catches)
    above = (count + 1) // 2
    for a in range(attendance(s)):
        row, seat, seats = (0, a, above) if a < above else (1, a - above, count - above)
        size = min(1.0, 5.5 / above)
        fx = x + 0.1 + (width - 1.3) * (seat + 0.5) / seats
        floor = middle - half - 0.45 if row == 0 else y + height - 0.3
        color = agent_color(a)
        smoke = 0 if s.catches[a] <= 0 else min(3, 1 + int(s.catches[a]) * 12 // int(s.params.capacity))
        scene.add(Rect(fx + 0.2 * size, floor - 1.15 * size, 0.26 * size, 1.1 * size, "wall"))
        for puff in range(smoke):
            scene.add(
                Circle(
                    fx + (0.38 + 0.14 * puff) * size,
                    floor - (1.25 + 0.2 * puff) * size,
                    (0.1 + 0.05 * puff) * size,
                    "grey@0.6",
                    glyph="°",
                )
            )
        roof = [(-0.62, -0.5), (-0.62, -0.8), (-0.2, -0.5), (-0.2, -0.8), (0.2, -0.5)]
        scene.add(Polygon([(fx + px * size, floor + py * size) for px, py in roof], color))
        scene.add(Rect(fx - 0.62 * size, floor - 0.52 * size, 1.24 * size, 0.52 * size, color))
        scene.add(Label(fx, floor - 0.25 * size, str(a), 0.36 * size, text_on(color), bold=True))


def _draw_gauge(scene: Scene, s: Any) -> None:
    x, y, width, height = PLACE
    left, top, tall = x + width - 0.85, y + 1.0, height - 1.5
    fill = tall * int(s.stock) / int(s.params.capacity)
    limit = top + tall * (1 - int(s.params.collapse) / int(s.params.capacity))
    scene.add(Label(left + 0.25, y + 0.55, str(int(s.stock)), 0.62, "black", bold=True))
    scene.add(Rect(left, top, 0.5, tall, "white", "line", radius=0.1))
    if fill:
        scene.add(
            Rect(left, top + tall - fill, 0.5, fill, "bad" if s.stock < s.params.collapse else "deep", radius=0.1)
        )
    scene.add(Line([(left - 0.12, limit), (left + 0.62, limit)], "bad", 0.05))


def _draw_chart(scene: Scene, s: Any) -> None:
    left, top, width, height = 12.1, 1.4, 7.4, 2.9
    scene.add(Rect(left, top, width, height, "panel", radius=0.25))
    scene.add(Label(left + 0.3, top + 0.4, "stock by month", 0.38, "muted", "left"))
    capacity, months = int(s.params.capacity), len(s.history)
    x0, y0, across, down = left + 0.95, top + height - 0.55, width - 1.35, height - 1.55

    def point(month: float, stock: float) -> tuple[float, float]:
        return x0 + across * month / months, y0 - down * stock / capacity

    for stock in (0, capacity):
        scene.add(Line([point(0, stock), point(months, stock)], "line", 0.03))
        scene.add(Label(x0 - 0.12, point(0, stock)[1], str(stock), 0.32, "muted", "right"))
    scene.add(Line([point(0, int(s.params.collapse)), point(months, int(s.params.collapse))], "bad@0.7", 0.03))
    for month in range(0, months + 1, max(1, months // 4)):
        scene.add(Label(point(month, 0)[0], y0 + 0.26, str(month), 0.32, "muted"))
    path = []
    for month, (before, after) in enumerate(s.history):
        if before >= 0:
            path.append(point(month, int(before)))
            if after >= 0:
                path.append(point(month + 0.5, int(after)))
    if len(path) > 1:
        scene.add(Line(path, "deep", 0.07))
    if path:
        scene.add(Circle(*path[-1], 0.11, "deep"))


def _draw_talk(scene: Scene, sentences: list[str]) -> None:
    left, top, width, height = 12.1, 4.55, 7.4, 3.85
    scene.add(Rect(left, top, width, height, "panel", radius=0.25))
    shown = sentences[-10:]
    if not shown:
        scene.add(Label(left + width / 2, top + height / 2, "nothing was said", 0.38, "muted"))
    for k, sentence in enumerate(shown):
        scene.add(Label(left + 0.3, top + 0.35 + 0.35 * k, sentence, 0.34, align="left"))


def _card(agent: int, count: int) -> tuple[float, float, float, float]:
    """Where an agent's card is: x, y, width, height."""
    columns = count if count <= 10 else (count + 1) // 2
    slot = min(19.2 / columns, 3.84)
    return 0.5 + slot * (agent % columns), 8.7 + 2.1 * (agent // columns), slot - 0.2, 1.95


def _draw_card(scene: Scene, s: Any, agent: int, place: tuple[float, float, float, float]) -> None:
    x, y, width, height = place
    away = agent >= attendance(s)
    speaks = s.phase == MEETING and s.speaker == agent
    color = agent_color(agent)
    scene.add(Rect(x, y, width, height, "panel", "gold" if speaks else None, 0.08, radius=0.2))
    scene.add(Circle(x + 0.4, y + 0.42, 0.2, "grey@0.5" if away else color))
    name = f"player_{agent}" if width > 2 else str(agent)
    scene.add(Label(x + 0.72, y + 0.43, name, 0.4, "muted" if away else "ink", "left", bold=True))
    if away:
        scene.add(Label(x + 0.25, y + 1.1, f"from month {ARRIVAL + 1}" if width > 2 else "away", 0.34, "muted", "left"))
        return
    scene.add(Label(x + width - 0.2, y + 1.62, f"Σ {s.gains[agent]}", 0.34, "muted", "right"))
    across = width - 0.95
    scene.add(Rect(x + 0.2, y + 0.95, across, 0.34, "white", radius=0.08))
    if s.catches[agent] < 0:
        return
    largest = max(1, int(s.requests.max()))
    asked, got = (across * int(value) / largest for value in (s.requests[agent], s.catches[agent]))
    scene.add(Rect(x + 0.2, y + 0.95, asked, 0.34, f"{color}@0.25", radius=0.08))
    scene.add(Rect(x + 0.2, y + 0.95, got, 0.34, color, radius=0.08))
    scene.add(Label(x + width - 0.2, y + 1.13, str(int(s.catches[agent])), 0.42, align="right", bold=True))
    if width > 3 and s.catches[agent] < s.requests[agent]:
        scene.add(Label(x + 0.2, y + 1.62, f"asked for {s.requests[agent]}", 0.32, "muted", "left"))


def _scale_y(count: int) -> float:
    return 11.35 if count <= 10 else 13.45


def _draw_scale(scene: Scene, s: Any, verb: str) -> None:
    left, right = SCALE
    y, capacity = _scale_y(len(s.catches)), int(s.params.capacity)

    def at(amount: float) -> float:
        return left + (right - left) * amount / capacity

    scene.add(Label(0.6, y, verb if s.phase == HARVEST else "limit", 0.42, "muted", "left"))
    scene.add(Line([(left, y), (right, y)], "line", 0.12))
    if s.phase == HARVEST:
        scene.add(Line([(left, y), (at(int(s.stock)), y)], "deep", 0.12))
    for amount in range(0, capacity + 1, max(1, capacity // 10)):
        scene.add(Label(at(amount), y + 0.55, str(amount), 0.34, "muted"))
    share = sustainable_share(int(s.stock), float(s.params.growth), len(s.catches) - int(s.params.newcomer))
    marks = [("f", share, "good")] if s.phase == HARVEST and not s.terminated.all() else []
    marks += [("norm", int(s.norm), "gold")] if s.norm >= 0 else []
    for k, (label, amount, color) in enumerate(marks):
        scene.add(Line([(at(amount), y - 0.28), (at(amount), y + 0.28)], color, 0.08))
        side = -1 if k == 0 and len(marks) > 1 and marks[1][1] >= amount else 1
        scene.add(Label(at(amount) + 0.14 * side, y - 0.24, label, 0.32, "ink", "right" if side < 0 else "left"))


env, raw_env, parallel_env = pettingzoo_forms(Fishery)
