"""The donor game: give to an agent that cannot give back, and be seen giving; the richer half of a generation stays.

**Rules.** Agents play a generation of `rounds` rounds, each from `endowment` units. In a round, half of them are
donors, each with a recipient from the other half. In the next round, the halves exchange their roles. A donor gives up
any part of its units, and the recipient gets `multiplier` times as much. With `punishment`, it may instead spend a part
of its units. That destroys `removal` times as much of the recipient's units, which stay at 0 or more. All donors of a
round act at once.

*Pairings* are drawn for each generation. The agents are put in random order. The first half donates in even rounds, the
second half in odd ones. Let h be the size of a half and p a random order of 0 .. h-1. In round 2k, donor i of the first
half gives to number i + p[k] (mod h) of the second half. In round 2k + 1, the second half is shifted by p[k + h/2],
with h/2 rounded up, instead of p[k]. A donor therefore never meets a recipient twice, and up to round h no two agents
meet twice at all. Agents that met meet again about half a generation later, with their roles exchanged: 12 agents have
only 66 pairs.

*Traces.* The donor sees the recipient's balance, and what the recipient did as a donor one round before, and to which
agent. It also sees what that agent had done one round before that; and so on, `depth` steps back. A generation begins
without traces.

*Generations.* After the last round of a generation, the half with the highest balances stays; ties are drawn. The
others leave, and a newcomer takes the seat of each. All start again from the endowment, with new pairings.

*Strategies.* Every agent holds five numbers, advice without any effect on the rules: `trust`, `base`, `last`, `second`,
`wealth`. They stand for the rule to give the fraction ``base + last * f1 + second * f2 + wealth * w``:

- f1 is what the recipient gave last, and f2 what the recipient of that gift had given.
- `trust` replaces f1 or f2 if it is unknown.
- w is the recipient's part of the units of both.
- A fraction below 0 means to punish, if that is possible.

In the first generation the numbers are uniform, `trust` on 0 .. 1 and the others on -1 .. 1. A survivor keeps its own.
A newcomer gets those of a random survivor; each number gets normal noise of standard deviation `mutation` and is cut to
its range. The policy `advised` plays by these numbers, so a rollout with it is evolution.

**Agents.** `player_0` ... `player_{players-1}`. They are seats: a seat keeps its controller through all generations.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| agent | Box (1,) int8 | the observing agent's number |
| generation, turn | Box (1,) int16 | generations, and rounds of this generation, that have ended |
| age | Box (1,) int16 | generations that the agent has survived |
| steps | Box (1,) int8 | the parameter: to give everything is action `steps` |
| balance | Box (1,) float64 | the agent's units |
| strategy | Box (5,) float64 | its strategy |
| recipient | Box (1,) int8 | the agent to which it donates now; -1 for none |
| recipient_balance | Box (1,) float64 | the recipient's units; -1 without one |
| trace | Box (depth,) float64 | fractions: what the recipient gave last, what the recipient of that gave before, ... |
| partners | Box (depth,) int8 | the agents that got these gifts; -1 where nothing is known |

A fraction is of all that the donor had. A fraction below 0 was spent on punishment. Where nothing is known it is 0.
With `depth=0`, the trace has one element, of which nothing is known.

**Actions.** Discrete. All actions are legal for a donor; recipients do not act.

| action | name | meaning |
|---|---|---|
| 0 .. steps | `give 0%` ... `give 100%` | gives up this part of its units |
| steps + 1 .. 2 steps | `punish 5%` ... `punish 100%` | with `punishment` only: spends this part |

**Window.** The keys 0 to 9 give 0% to 90%, and g gives 100%, each rounded to a step. With `punishment`, p punishes with
a quarter of the units.

**Rewards.** The change of an agent's units in the round. The rewards of a generation therefore add up to the final
balance less the endowment. To be replaced costs nothing by itself.

**Ends.** Terminates after the last generation.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 12 | number of agents, even, from 2 to 40 |
| `rounds` | 12 | rounds of a generation, from 1 to the number of players |
| `generations` | 10 | number of generations, from 1 to 1000 |
| `endowment` | 10.0 | units at the start of each generation, above 0 to 1,000,000 |
| `multiplier` | 2.0 | what the recipient gets of each unit given up, from 0 to 10 |
| `depth` | 3 | how far traces reach back, from 0 to 3 |
| `punishment` | False | whether donors may punish |
| `removal` | 2.0 | what the recipient loses of each unit spent on punishment, from 0 to 10 |
| `steps` | 20 | number of steps into which a donor's units are divided, from 1 to 50 |
| `mutation` | 0.1 | noise in strategies that are passed on, from 0 to 1 |

**Level.** ``{"pairings": [[[0, 1]], [[1, 0]]], "strategies": [[1, 0.5, 0, 0, 0], [0, 0, 1, 0, 0]]}``: for two agents,
the donors and recipients of each round of the first generation, and the first strategies. Either may be left out. Roles
must alternate, and no donor meets a recipient twice.

**Known values.** If all agents give the same fraction d, all of a half have the same units at any time. The units x and
y of the two halves change to (1 - d) x and y + 2 d x, then the roles are exchanged. The mean at the end of 12 rounds:

| d | 0 | 0.1 | 0.25 | 0.5 | 0.75 | 0.9 | 1 |
|---|---|---|---|---|---|---|---|
| mean | 10 | 18.75 | 53.49 | 393.9 | 3482.7 | 12996 | 30720 |

The last mean is 10 * (2**12 + 2**11) / 2, and the half that donated first has all of it.

- Giving is of no use to the donor. `advised` agents that start from random strategies therefore soon stop. They give
  28% of their units in the first generation, and 1% or less from the fourth on, whatever the depth.
- Of twelve agents without mutation, three that never give replace nine that give half to everybody.
- Nine agents may instead give what the recipient gave (`last` 1, `base` 0, `trust` 0.5). The three then replace them
  where `depth` is 0, and otherwise die out in 24 of 25 runs.
- Let all agents give, and one refuse by mistake. Among image scorers, one refusal follows in every later round. Among
  agents that judge by standing, only one follows in all.

**Differences.** From the source:

- Language models write their strategies in words and name any amount; here strategies are numbers and amounts have
  steps.
- Copies of the code that the authors published could be read. In each generation it plays a second game with the roles
  exchanged; here, the half that donates first is drawn.
- When the code starts to repeat its pairings, half-way, one half donates twice. Here roles always alternate, as its
  prompt promises and as the known values assume.
- The code counts the gift of a donor without units as everything it had; here the fraction is the one chosen.
- Its survivors carry traces into the next generation's second game; here a generation begins without traces.
- It has a refusal to play, which is `give 0%` here.

**Source.** Vallinder and Hughes, "Cultural Evolution of Cooperation among LLM Agents", 2024; Nowak and Sigmund,
"Evolution of indirect reciprocity by image scoring", 1998; Leimar and Hammerstein, "Evolution of cooperation through
indirect reciprocity", 2001.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import copy, fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.levels import read_numbers
from envsuite.core.ranges import below, fixed, flag, within
from envsuite.core.treatment import Treatment
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.social.donor_game import pages, view
from envsuite.social.donor_game.view import LOW, NOBODY, STRATEGY

#: The upper ends of the ranges of a strategy's numbers.
HIGH = np.ones(5)

#: More units than there can be, with the largest endowment, multiplier and number of rounds.
RICHEST = 1e48


def fields(players: int, rounds: int, generations: int, steps: int) -> list[tuple]:
    """The record's own fields."""
    strategy, recipient = within(np.float64, LOW, HIGH), within(np.int8, NOBODY, players - 1)
    units = within(np.float64, 0, RICHEST)
    level = [
        ("strategy", strategy, (players, len(STRATEGY))),  # that the first generation starts from
        ("recipient", recipient, (rounds, players)),  # of each donor in each of its rounds
        ("has_pairings", flag()),  # whether the user gave `recipient`
        ("has_strategies", flag()),  # whether the user gave `strategy`
    ]
    return [
        ("generation", below(np.int64, generations)),  # number of generations that are over
        ("turn", within(np.int64, 0, rounds)),  # number of rounds of this generation that are over
        ("age", within(np.int64, 0, generations), (players,)),  # number of generations that an agent has survived
        ("balance", units, (players,)),
        ("strategy", strategy, (players, len(STRATEGY))),  # numbers in the order of STRATEGY
        ("recipient", recipient, (rounds, players)),  # of each donor in each round, NOBODY for recipients
        ("gave", within(np.int8, -steps, steps), (rounds, players)),  # by each donor, negative for a punishment
        ("order", below(np.int8, players), (players,)),  # scratch of draws
        ("shifts", below(np.int8, players), (players // 2,)),  # scratch of draws
        ("welfare", units, (generations,)),  # mean balance at the end of each generation
        ("level", np.dtype(level, align=True)),
    ]


@kernel
def reset(s):
    if s.level_given == 0 or s.level.has_pairings == 0:
        draw_pairings(s)
        copy(s.level.recipient, s.recipient)
    else:
        copy(s.recipient, s.level.recipient)
    for k in range(s.balance.shape[0]):
        s.age[k] = 0
        for part in range(s.strategy.shape[1]):
            if s.level_given == 0 or s.level.has_strategies == 0:
                s.level.strategy[k, part] = LOW[part] + random.uniform(s) * (HIGH[part] - LOW[part])
            s.strategy[k, part] = s.level.strategy[k, part]
    fill(s.welfare, 0.0)
    s.generation = 0
    begin_generation(s)


@kernel
def begin_generation(s):
    s.turn = 0
    fill(s.balance, s.params.endowment)
    fill(s.gave, 0)


@kernel
def draw_pairings(s):
    """Draw the recipient of each donor in every round of a generation."""
    half = s.balance.shape[0] // 2
    for k in range(2 * half):
        s.order[k] = k
    random.shuffle(s, s.order, 2 * half)
    for k in range(half):
        s.shifts[k] = k
    random.shuffle(s, s.shifts, half)
    for number in range(s.recipient.shape[0]):
        place = number // 2 + (half + 1) // 2 * (number % 2)
        shift = np.int64(s.shifts[place % half])
        for k in range(half):
            other = k + shift if k + shift < half else k + shift - half
            first, second = s.order[k], s.order[half + other]
            donor = first if number % 2 == 0 else second
            recipient = second if number % 2 == 0 else first
            s.recipient[number, donor] = recipient
            s.recipient[number, recipient] = NOBODY


@kernel
def step(s, actions, rewards):
    for donor in range(s.balance.shape[0]):
        recipient = s.recipient[s.turn, donor]
        if recipient >= 0:
            transfer(s, donor, recipient, actions[donor], rewards)
    s.turn += 1
    if s.turn == s.recipient.shape[0]:
        end_generation(s)


@kernel
def transfer(s, donor, recipient, action, rewards):
    """A gift, or a punishment; `gave` keeps its steps, negative for a punishment."""
    steps = s.params.steps
    done = action if action <= steps else steps - action
    s.gave[s.turn, donor] = done
    spent = s.balance[donor] * (abs(done) / steps)
    effect = s.params.multiplier * spent
    if done < 0:
        effect = -min(s.params.removal * spent, s.balance[recipient])
    s.balance[donor] -= spent
    s.balance[recipient] += effect
    rewards[donor] = -spent
    rewards[recipient] = effect


@kernel
def end_generation(s):
    total = 0.0
    for k in range(s.balance.shape[0]):
        total += s.balance[k]
    s.welfare[s.generation] = total / s.balance.shape[0]
    if s.generation + 1 == s.welfare.shape[0]:
        fill(s.terminated, 1)
    else:
        select(s)
        draw_pairings(s)
        s.generation += 1
        begin_generation(s)


@kernel
def select(s):
    """The richer half stays. A newcomer with the strategy of a survivor replaces each of the others."""
    count = s.balance.shape[0]
    for k in range(count):
        s.order[k] = k
    random.shuffle(s, s.order, count)  # which decides between equals
    for k in range(1, count):
        who = s.order[k]
        place = k
        while place > 0 and s.balance[s.order[place - 1]] < s.balance[who]:
            s.order[place] = s.order[place - 1]
            place -= 1
        s.order[place] = who
    for k in range(count):
        who = s.order[k]
        s.age[who] += 1
        if k >= count // 2:
            s.age[who] = 0
            model = s.order[random.randint(s, count // 2)]
            for part in range(s.strategy.shape[1]):
                value = s.strategy[model, part]
                if s.params.mutation > 0.0:
                    value += s.params.mutation * random.normal(s)
                s.strategy[who, part] = min(max(value, LOW[part]), HIGH[part])


@kernel
def recipient_of(s, agent):
    """The agent to which this one donates now, or NOBODY."""
    return np.int64(s.recipient[s.turn, agent]) if s.turn < s.recipient.shape[0] else NOBODY


@kernel
def observe(s, agent, out):
    recipient = recipient_of(s, agent)
    out.agent[0] = agent
    out.generation[0] = s.generation
    out.turn[0] = s.turn
    out.age[0] = s.age[agent]
    out.steps[0] = s.params.steps
    out.balance[0] = s.balance[agent]
    out.recipient[0] = recipient
    out.recipient_balance[0] = s.balance[recipient] if recipient >= 0 else -1.0
    for part in range(s.strategy.shape[1]):
        out.strategy[part] = s.strategy[agent, part]
    # As roles alternate, the recipient of one round was a donor in the round before.
    who = recipient
    for k in range(out.partners.shape[0]):
        number = s.turn - 1 - k
        if who >= 0 and number >= 0 and k < s.params.depth:
            out["trace"][k] = s.gave[number, who] / s.params.steps
            who = np.int64(s.recipient[number, who])
            out.partners[k] = who
        else:
            out["trace"][k] = 0.0
            out.partners[k] = NOBODY


@kernel
def legal(s, agent, mask):
    acts = recipient_of(s, agent) >= 0
    fill(mask, acts)


class DonorGame(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "mixed"
    masked = False
    kind = ("dilemmas",)
    verified = "a closed-form table of constant gifts; exact traces; selection and invasion"
    variants = (dict(players=4, rounds=3, generations=3, depth=0, punishment=True, steps=4),)
    player_page = pages.PAGE
    treatments = {
        "punishment": Treatment("A donor may pay to destroy units of its recipient.", {"punishment": True}),
    }
    page_slots = pages.page_slots
    text = view.text
    scene = view.scene

    def __init__(
        self,
        players: Annotated[int, Between(2, 40)] = 12,
        rounds: Annotated[int, Between(1, 40)] = 12,
        generations: Annotated[int, Between(1, 1000)] = 10,
        endowment: Annotated[float, Between(0, 1_000_000)] = 10.0,
        multiplier: Annotated[float, Between(0, 10)] = 2.0,
        depth: Annotated[int, Between(0, 3)] = 3,
        punishment: bool = False,
        removal: Annotated[float, Between(0, 10)] = 2.0,
        steps: Annotated[int, Between(1, 50)] = 20,
        mutation: Annotated[float, Between(0, 1)] = 0.1,
    ):
        if players % 2:
            raise ParameterError(f"DonorGame: players={players} must be even: half of them donate in a round")
        if rounds > players:
            raise ParameterError(
                f"DonorGame: rounds={rounds} must be at most players={players}, or a donor would meet a recipient twice"
            )
        if endowment == 0:
            raise ParameterError("DonorGame: endowment=0 must be above 0, or there is nothing to give")
        percent = [f"{100 * k / steps:.6g}%" for k in range(steps + 1)]
        actions = [f"give {part}" for part in percent]
        keys = {key: f"give {percent[round(k * steps / 10)]}" for k, key in enumerate("0123456789g")}
        if punishment:
            actions += [f"punish {part}" for part in percent[1:]]
            keys["p"] = f"punish {percent[max(1, round(steps / 4))]}"
        self.keys = keys
        # All units together at most multiply by the multiplier in every round.
        most = float(players * endowment * max(multiplier, 1.0) ** rounds)

        def count(low: int, high: int, dtype: type, length: int = 1) -> Box:
            return Box(low, high, (length,), dtype)

        shown = max(depth, 1)
        self.define(
            agents=[f"player_{k}" for k in range(players)],
            actions=actions,
            observation=Dict(
                agent=count(0, players - 1, np.int8),
                generation=count(0, generations - 1, np.int16),
                turn=count(0, rounds, np.int16),
                age=count(0, generations - 1, np.int16),
                steps=count(1, 50, np.int8),
                balance=Box(0.0, np.inf, (1,), np.float64),
                strategy=Box(LOW, HIGH, dtype=np.float64),
                recipient=count(NOBODY, players - 1, np.int8),
                recipient_balance=Box(-1.0, np.inf, (1,), np.float64),
                trace=Box(-1.0 if punishment else 0.0, 1.0, (shown,), np.float64),
                partners=count(NOBODY, players - 1, np.int8, shown),
            ),
            fields=fields(players, rounds, generations, steps),
            params={
                "endowment": float(endowment),
                "multiplier": float(multiplier),
                "removal": float(removal),
                "mutation": float(mutation),
                "depth": depth,
                "steps": fixed(steps),  # as many as there are actions for
            },
            reward_range=(-most, most),
        )

    def contradiction(self, s: Any) -> str | None:
        over = s.terminated > 0
        if over.any() != over.all() or s.turn == len(s.recipient) and not over.all():
            return "the generation is over"
        donors, recipients = s.recipient != NOBODY, np.zeros(s.recipient.shape, np.bool_)
        recipients[np.nonzero(donors)[0], s.recipient[donors]] = True
        halves = (donors != recipients).all() and (2 * donors.sum(axis=1) == len(s.balance)).all()
        return None if halves else "in a round, not every agent has one part"

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        if not level or not level.keys() <= {"pairings", "strategies"}:
            raise LevelError(
                f"{self.id}: a level has 'pairings', 'strategies' or both, not {', '.join(map(repr, level)) or 'none'}"
            )
        s.level.has_pairings = "pairings" in level
        s.level.has_strategies = "strategies" in level
        if "pairings" in level:
            s.level.recipient[:] = self._recipients(level["pairings"], s.recipient.shape)
        if "strategies" in level:
            what = f"{self.id}: the level's strategies"
            s.level.strategy[:] = read_numbers(level["strategies"], what, s.strategy.shape, LOW, HIGH)

    def _recipients(self, pairings: Any, shape: tuple[int, int]) -> np.ndarray:
        """Each donor's recipient in every round, or `LevelError`."""
        rounds, players = shape
        what, size = f"{self.id}: the level's pairings", (rounds, players // 2, 2)
        pairs = read_numbers(pairings, what, size, 0, players - 1, whole=True)
        recipients = np.full(shape, NOBODY, np.int8)
        for number, one in enumerate(pairs):
            if sorted(one.ravel()) != list(range(players)):
                raise LevelError(f"{self.id}: in round {number} of the pairings not every agent has one part")
            recipients[number, one[:, 0]] = one[:, 1]
            if number and ((recipients[number] >= 0) == (recipients[number - 1] >= 0)).any():
                raise LevelError(f"{self.id}: in round {number} of the pairings the roles do not alternate")
        met = [tuple(pair) for pair in pairs.reshape(-1, 2).tolist()]
        if len(set(met)) < len(met):
            twice = next(pair for pair in met if met.count(pair) > 1)
            raise LevelError(f"{self.id}: player_{twice[0]} is paired with player_{twice[1]} as its recipient twice")
        return recipients

    def get_level(self, s: Any) -> dict[str, Any]:
        pairings = [[[k, int(row[k])] for k in range(len(row)) if row[k] >= 0] for row in s.level.recipient]
        return {"pairings": pairings, "strategies": s.level.strategy.tolist()}


env, raw_env, parallel_env = pettingzoo_forms(DonorGame)
