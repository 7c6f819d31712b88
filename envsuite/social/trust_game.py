"""Trust game: send money that grows on the way, and hope that some of it returns.

**Rules.** The players form two halves, the lower numbers and the higher ones. In round 0 the first half are investors
and the second half trustees; in each round after it, the halves exchange roles.

1. Every investor has `endowment` units. It sends a whole number of them to a trustee and keeps the others. What is sent
   grows: the trustee receives `multiplier` times as much.
2. Every trustee that has received something returns a share of it, in steps of 1 / `steps`. If several investors sent
   to it, each gets the same share of what its own gift has grown to.

All investors act at once, and then all trustees. `partners` decides who meets:

| `partners` | trustee of an investor |
|---|---|
| `random` | each investor has a trustee of its own, drawn in every round |
| `fixed` | each investor has the same trustee in every round: player k and player k + players / 2 are a pair |
| `choice` | the investor chooses one; several may choose the same |

*Reputation.* All players see, for each player, the last `depth` shares that it returned as a trustee, and of what.

**Agents.** `player_0` ... `player_{players-1}`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| agent | Box (1,) int8 | the observing agent's number |
| phase | Box (1,) int8 | 0 investors act, 1 trustees act |
| turn, left | Box (1,) int16 | rounds that have ended; rounds left, the present one included |
| invests | Box (1,) int8 | 1 if the agent is an investor in this round |
| partner | Box (1,) int8 | an investor's trustee; -1 for a trustee, or before the choice |
| rules | Box (3,) float64 | `endowment`, `multiplier`, `steps` |
| sent | Box (players,) int16 | in phase 1: units that each player has sent to the agent; 0 in phase 0 |
| received | Box (1,) float64 | in phase 1: what these have grown to |
| shares | Box (players, depth) int8 | steps of the last shares of each player, newest first; -1 for none |
| amounts | Box (players, depth) float64 | what the player had received then; 0 for none |
| earned | Box (1,) float64 | what the agent has earned in all rounds that have ended |

With `depth=0`, `shares` and `amounts` have one column, of which nothing is known.

**Actions.** Discrete. Let E be `endowment` and h half of `players`.

| action | name | legal |
|---|---|---|
| 0 | `send 0` | for investors in phase 0 |
| 1 .. E | `send 1` ... `send 10` | the same, without `partners="choice"` |
| 1 .. h E | `send 1 to player_2` ... `send 10 to player_3` | the same, with `partners="choice"` |
| the next ones | `return 0/12` ... `return 12/12` | for trustees that have received something, in phase 1 |

**Window.** The keys 0 to 9 send that many units, a sends all, and the keys q to p of the top row of letters return 0%
to 90%, rounded to a step. With `partners="choice"`, units are sent by name.

**Rewards.** An investor gets what it keeps, and in phase 1 what is returned to it. A trustee gets what it does not
return.

**Ends.** Terminates after the last round.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 4 | number of players, even, from 2 to 16 |
| `rounds` | 10 | number of rounds, from 1 to 100 |
| `endowment` | 10 | units of each investor in each round, from 1 to 50 |
| `multiplier` | 3.0 | what a unit sent grows to, from 0 to 10 |
| `steps` | 12 | parts into which trustees divide what they receive, from 1 to 50 |
| `partners` | "random" | how investors and trustees meet, see above |
| `depth` | 3 | past shares of a trustee that all players see, from 0 to 5 |

**Known values.** For one pair in one round with the default numbers, if the investor sends x and the trustee returns
the share r of 3 x:

- The investor earns 10 - x + 3 r x and the trustee 3 (1 - r) x. To send pays if r > 1/3.
- In the only subgame perfect equilibrium, nothing is returned and nothing is sent: 10 and 0. The same holds for any
  known number of rounds, because nothing is returned in the last one.
- The sum is largest, 30, where all is sent.

In the experiment of Berg, Dickhaut and McCabe, 30 of 32 investors sent something, 5.16 units on average, and got 4.66
back.

**Differences.** From the experiment:

- There, the trustee has 10 units of its own, which it keeps. That adds a constant.
- There, trustees return whole units; here, a share in steps. With 12 steps, half and a third are exact.
- There, the game is played once and unseen. Repetition, the exchange of roles, choice and reputation are additions.

**Source.** Berg, Dickhaut and McCabe, "Trust, Reciprocity, and Social History", 1995; King-Casas et al., "Getting to
Know You: Reputation and Trust in a Two-Person Economic Exchange", 2005, for ten rounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import copy, fill
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page, When
from envsuite.core.ranges import among, below, fixed, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import plots
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene
from envsuite.render.theme import agent_color, text_on

SEND, RETURN = range(2)

#: No partner, or no share.
NONE = -1

RANDOM, FIXED, CHOICE = range(3)
PARTNERS = ("random", "fixed", "choice")

#: The largest multiplier.
LARGEST = 10


def fields(players: int, rounds: int, endowment: int, steps: int) -> list[tuple]:
    """The record's own fields."""
    most = players * endowment * LARGEST
    return [
        ("phase", within(np.int64, SEND, RETURN)),
        ("turn", within(np.int64, 0, rounds)),  # number of rounds that are over
        ("partner", within(np.int8, NONE, players - 1), (players,)),  # of each investor, NONE for trustees
        ("sent", within(np.int64, 0, endowment), (players,)),  # by each investor in this or the last round
        ("received", within(np.float64, 0, most), (rounds, players)),  # by each trustee in each round
        ("share", within(np.int8, NONE, steps), (rounds, players)),  # that each trustee returned, in steps, or NONE
        ("order", below(np.int8, players), (players // 2,)),  # scratch of draws
        ("earned", within(np.float64, 0, rounds * most), (players,)),  # in all rounds, this one included
        ("settled", within(np.float64, 0, rounds * most), (players,)),  # in all rounds that are over
        ("sums", within(np.float64, 0, most), (rounds,)),  # what all earned together in each round
    ]


@kernel
def reset(s):
    s.turn = 0
    players = s.partner.shape[0]
    for k in range(players):
        s.sent[k] = 0
        s.earned[k] = 0.0
        s.settled[k] = 0.0
        for t in range(s.share.shape[0]):
            s.received[t, k] = 0.0
            s.share[t, k] = NONE
    fill(s.sums, 0.0)
    begin(s)


@kernel
def invests(s, agent):
    """Whether an agent is an investor in this round."""
    half = s.partner.shape[0] // 2
    return (agent < half) == (s.turn % 2 == 0)


@kernel
def begin(s):
    """Start a round: draw partners."""
    s.phase = SEND
    half = s.partner.shape[0] // 2
    first = 0 if s.turn % 2 == 0 else half  # the first investor
    for k in range(half):
        s.order[k] = k
    if s.params.partners == RANDOM:
        random.shuffle(s, s.order, half)
    for k in range(half):
        s.partner[first + k] = NONE if s.params.partners == CHOICE else half - first + np.int64(s.order[k])
        s.partner[half - first + k] = NONE


@kernel
def step(s, actions, rewards):
    if s.phase == SEND:
        send(s, actions, rewards)
    else:
        give_back(s, actions, rewards)
    for k in range(s.earned.shape[0]):
        s.earned[k] += rewards[k]
        s.sums[s.turn] += rewards[k]
    if s.phase == RETURN and waiting(s):
        return
    copy(s.settled, s.earned)
    s.turn += 1
    if s.turn < s.sums.shape[0]:
        begin(s)
    else:
        fill(s.terminated, 1)


@kernel
def waiting(s):
    """Whether a trustee has still to return a share."""
    for k in range(s.partner.shape[0]):
        if s.received[s.turn, k] > 0.0 and s.share[s.turn, k] == NONE:
            return True
    return False


@kernel
def send(s, actions, rewards):
    players, endowment = s.partner.shape[0], s.params.endowment
    for k in range(players):
        s.sent[k] = 0
        if invests(s, k):
            amount = actions[k]
            if amount > 0 and s.params.partners == CHOICE:
                other = (amount - 1) // endowment
                s.partner[k] = other if k >= players // 2 else other + players // 2
                amount = (amount - 1) % endowment + 1
            s.sent[k] = amount
            rewards[k] = endowment - amount
            if amount > 0:
                s.received[s.turn, s.partner[k]] += s.params.multiplier * amount
    s.phase = RETURN


@kernel
def give_back(s, actions, rewards):
    for k in range(s.partner.shape[0]):
        if s.received[s.turn, k] > 0.0:
            s.share[s.turn, k] = actions[k] - s.params.first_return
            rewards[k] = s.received[s.turn, k] * (1.0 - s.share[s.turn, k] / s.params.steps)
    for k in range(s.partner.shape[0]):
        if s.sent[k] > 0 and s.received[s.turn, s.partner[k]] > 0.0:
            rewards[k] = s.params.multiplier * s.sent[k] * (s.share[s.turn, s.partner[k]] / s.params.steps)


@kernel
def observe(s, agent, out):
    players, rounds = s.partner.shape[0], s.sums.shape[0]
    running = s.turn < rounds
    out.agent[0] = agent
    out.phase[0] = s.phase if running else SEND
    out.turn[0] = s.turn
    out.left[0] = rounds - s.turn
    out.invests[0] = invests(s, agent) and running
    out.partner[0] = s.partner[agent] if running else NONE
    out.rules[0] = s.params.endowment
    out.rules[1] = s.params.multiplier
    out.rules[2] = s.params.steps
    answering = running and s.phase == RETURN
    for k in range(players):
        out.sent[k] = s.sent[k] if answering and s.partner[k] == agent else 0
    out.received[0] = s.received[s.turn, agent] if answering else 0.0
    out.earned[0] = s.settled[agent]
    for k in range(players):
        found = 0
        for t in range(s.turn - 1, -1, -1):
            if s.share[t, k] != NONE and found < s.params.depth:
                out.shares[k, found] = s.share[t, k]
                out.amounts[k, found] = s.received[t, k]
                found += 1
        while found < out.shares.shape[1]:
            out.shares[k, found] = NONE
            out.amounts[k, found] = 0.0
            found += 1


@kernel
def legal(s, agent, mask):
    if s.phase == SEND:
        if invests(s, agent):
            for action in range(s.params.first_return):
                mask[action] = 1
    elif s.received[s.turn, agent] > 0.0:
        for action in range(s.params.first_return, mask.shape[0]):
            mask[action] = 1


PAGE = Page(
    role="You are one of {players} players who take turns as investors and trustees.",
    goal="You are paid the units that you keep and those that are returned to you.",
    rules=(
        "In each round half of you are investors and the others trustees; after it, the roles change. In the first "
        "round, the players with the lower numbers are investors.",
        (
            "First, all investors act at once. Each has {endowment:unit}, sends any number of them to a trustee and "
            "keeps the rest. The trustee receives {multiplier} times what was sent.",
            Case(
                "partners",
                {
                    "random": "The trustee of each investor is drawn by lot in each round; no trustee has several.",
                    "fixed": "Your partner is the same in every round.",
                    "choice": "An investor chooses its trustee; several may choose the same.",
                },
            ),
        ),
        (
            "Then, all trustees that have received something act at once. Each returns a share of it and keeps the "
            "rest.",
            When(
                "choosing", "If several investors sent to it, each gets this share of what its own units have become."
            ),
        ),
    ),
    sees=(
        "A trustee sees who sent what to it.",
        Case(
            "depth",
            {
                0: "Nobody sees what other players did before.",
                1: "All see for each player the last share that it returned, and of what.",
            },
            "All see for each player the last {depth} shares that it returned, and of what.",
        ),
    ),
    acts={
        "send 0": When("choosing", "keep all units, as an investor"),
        "send {N} to {PLAYER}": When("choosing", "send N units to this trustee, as an investor"),
        "send {N}": Case("partners", {"choice": ""}, "send N units to your trustee, as an investor"),
        "return {N}/{steps}": "return this share of what you have received, as a trustee",
    },
    ends="It is over after {rounds:round}.",
    constants={"half": "of the players"},
)


class TrustGame(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "mixed"

    kind = ("dilemmas",)
    verified = "closed forms; the equilibrium by enumeration of all plans of a small game"
    variants = (
        dict(players=2, rounds=3, endowment=3, steps=3, depth=0, partners="fixed"),
        dict(players=6, rounds=4, endowment=4, partners="choice", depth=2),
    )
    shown = "reputation"
    player_page = PAGE

    def __init__(
        self,
        players: Annotated[int, Between(2, 16)] = 4,
        rounds: Annotated[int, Between(1, 100)] = 10,
        endowment: Annotated[int, Between(1, 50)] = 10,
        multiplier: Annotated[float, Between(0, LARGEST)] = 3.0,
        steps: Annotated[int, Between(1, 50)] = 12,
        partners: Literal["random", "fixed", "choice"] = "random",
        depth: Annotated[int, Between(0, 5)] = 3,
    ):
        if players % 2:
            raise ParameterError(f"TrustGame: players={players} must be even: half of them are investors in a round")
        half, names = players // 2, [f"player_{k}" for k in range(players)]
        self.chance = partners == "random" and players > 2
        returns = [f"return {k}/{steps}" for k in range(steps + 1)]
        keys = {key: f"return {round(k * steps / 10)}/{steps}" for k, key in enumerate("qwertyuiop")}
        sends = {name: [f"send {k}" for k in range(endowment + 1)] for name in names}
        if partners == "choice":
            for k, name in enumerate(names):
                others = names[half:] if k < half else names[:half]
                sends[name] = ["send 0", *(f"send {n} to {other}" for other in others for n in range(1, endowment + 1))]
        else:
            keys |= {str(k): f"send {k}" for k in range(min(endowment, 9) + 1)} | {"a": f"send {endowment}"}
        self.keys = keys
        most = endowment * LARGEST * half
        shown = max(depth, 1)

        def count(low: int, high: int, dtype: type, *shape: int) -> Box:
            return Box(low, high, shape or (1,), dtype)

        self.define(
            agents=names,
            actions={name: sends[name] + returns for name in names},
            observation=Dict(
                agent=count(0, players - 1, np.int8),
                phase=count(SEND, RETURN, np.int8),
                turn=count(0, rounds, np.int16),
                left=count(0, rounds, np.int16),
                invests=count(0, 1, np.int8),
                partner=count(NONE, players - 1, np.int8),
                rules=Box(0.0, np.array([endowment, LARGEST, steps], float), (3,), np.float64),
                sent=count(0, endowment, np.int16, players),
                received=Box(0.0, most, (1,), np.float64),
                shares=count(NONE, steps, np.int8, players, shown),
                amounts=Box(0.0, most, (players, shown), np.float64),
                earned=Box(0.0, np.inf, (1,), np.float64),
            ),
            fields=fields(players, rounds, endowment, steps),
            params={
                "endowment": fixed(endowment),
                "multiplier": float(multiplier),
                "steps": fixed(steps),
                "partners": among(PARTNERS, partners),
                "depth": fixed(depth),
                "first_return": len(sends[names[0]]),  # an index of actions
            },
            reward_range=(0.0, max(float(endowment), half * endowment * multiplier)),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"choosing": self.parameters["partners"] == "choice"}

    def contradiction(self, s: Any) -> str | None:
        if s.turn >= len(s.sums) + s.terminated[0]:
            return "all rounds have been played"
        half, running = len(s.partner) // 2, s.turn < len(s.sums)
        for k, other in enumerate(s.partner.tolist() if running else ()):
            investor = bool(invests(s, k))
            if other != NONE and (not investor or (other < half) == (k < half)):
                return "partners are not an investor and a trustee"
            needs = s.sent[k] > 0 if s.phase == RETURN else s.params.partners != CHOICE
            if investor and needs and other == NONE:
                return "an investor has no trustee"
        return "no trustee is to act" if running and s.phase == RETURN and not waiting(s) else None

    # Text.

    def text(self, s: Any, agent: int) -> str:
        rounds, seen = len(s.sums), self.observation(s, agent)
        lines = [
            f"You have earned {s.settled[agent]:.6g}.",
        ]
        if s.turn == rounds:
            return "\n".join([*lines, f"It is over after {rounds} rounds."])
        lines += [self.reputation(s, seen, k) for k in range(len(self.agents)) if k != agent and seen.shares[k, 0] >= 0]
        role = "an investor" if seen.invests[0] else "a trustee"
        lines.append(f"Round {s.turn + 1} of {rounds}. You are {role}.")
        if s.phase == SEND and seen.invests[0]:
            to = f" to player_{seen.partner[0]}" if seen.partner[0] != NONE else ""
            lines.append(f"How many units do you send{to}?")
        elif s.phase == RETURN and seen.received[0] > 0:
            gifts = ", ".join(f"player_{k} sent {n}" for k, n in enumerate(seen.sent.tolist()) if n)
            lines.append(f"{gifts}; you received {seen.received[0]:g}. What share of it do you return?")
        return "\n".join(lines)

    def reputation(self, s: Any, seen: Any, k: int) -> str:
        """The last returns of a player in words."""
        deeds = [
            f"{share}/{s.params.steps} of {amount:g}"
            for share, amount in zip(seen.shares[k].tolist(), seen.amounts[k].tolist())
            if share != NONE
        ]
        return f"- player_{k} returned {', '.join(deeds)} (newest first)."

    # The picture: investors on the left, trustees on the right, what is sent and returned between them.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        rounds, half = len(s.sums), len(self.agents) // 2
        over = s.turn == rounds
        bottom = 2.5 + ROW * half
        scene = Scene(20, bottom + 4.6)
        moment = "over" if over else f"round {s.turn + 1} of {rounds} · {('investors', 'trustees')[s.phase]} act"
        scene.add(Label(0.6, 0.85, "Trust game", 0.65, align="left", bold=True))
        scene.add(Label(19.4, 0.85, moment, 0.5, "muted", "right"))
        for x, title in ((3.4, "investors"), (16.6, "trustees")):
            scene.add(Label(x, 1.8, title, 0.42, "muted"))
        places = {}
        for k in range(len(self.agents)):
            first = (k < half) == (s.turn % 2 == 0)
            places[k] = (first, 2.4 + ROW * (k % half + 0.5))
        self._draw_gifts(scene, s, agent, places)
        for k, (first, y) in places.items():
            self._draw_player(scene, s, agent, k, first, y)
        settled = s.sums[: s.turn].tolist()
        if agent is None:
            ends = (0.0, half * max(1.0, s.params.multiplier) * s.params.endowment)
            box = (0.5, bottom + 0.3, 19, 3.9)
            plots.curves(scene, box, "earned by all in each round", [(settled, "blue", "")], rounds, ends)
        else:
            scene.add(Rect(0.5, bottom + 0.3, 19, 3.9, "panel", radius=0.25))
            lines = self.text(s, agent).split("\n")
            own = [line for line in lines if not line.startswith("-") and "Choose" not in line]
            for row, line in enumerate(own[:4]):
                scene.add(Label(1.0, bottom + 0.95 + 0.8 * row, line, 0.44, align="left", width=18.2))
        return scene

    def _draw_player(self, scene: Scene, s: Any, agent: int | None, k: int, first: bool, y: float) -> None:
        """A card: the player, what it has earned if that is known, and its last shares as columns."""
        left = 0.5 if first else 20 - 0.5 - CARD
        color = agent_color(k)
        scene.add(Rect(left, y - 0.75, CARD, 1.5, "panel", "gold" if k == agent else None, 0.07, radius=0.2))
        scene.add(Circle(left + 0.7, y, 0.42, color), Label(left + 0.7, y, str(k), 0.45, text_on(color), bold=True))
        scene.add(Label(left + 1.35, y - 0.3, f"player_{k}", 0.38, align="left"))
        known = agent in (None, k)
        earned = f"earned {s.settled[k]:.5g}" if known else "earned ?"
        scene.add(Label(left + 1.35, y + 0.3, earned, 0.38, "ink" if known else "muted", "left"))
        seen = self.observation(s, k)
        for column, share in enumerate(reversed(seen.shares[k].tolist())):
            x = left + CARD - 0.5 * (seen.shares.shape[1] - column) - 0.1
            scene.add(Rect(x, y - 0.55, 0.36, 1.1, "line", radius=0.06))
            if share == NONE:
                continue
            tall = 1.1 * share / s.params.steps
            fair = share * s.params.multiplier >= s.params.steps
            if tall:
                scene.add(Rect(x, y + 0.55 - tall, 0.36, tall, "good" if fair else "bad", radius=0.06))

    def _draw_gifts(self, scene: Scene, s: Any, agent: int | None, places: dict[int, tuple[bool, float]]) -> None:
        """Lines for the pairs of this round; what was sent where it is known."""
        if s.turn == len(s.sums):
            return
        for k, other in enumerate(s.partner.tolist()):
            if other == NONE or agent not in (None, k, other):
                continue
            if agent == other and s.phase == SEND:
                continue  # a trustee learns of its investor by the gift
            start, end = (CARD + 0.8, places[k][1]), (20 - CARD - 0.8, places[other][1])
            given = int(s.sent[k]) if s.phase == RETURN else 0
            if agent == other and not given:
                continue
            scene.add(Line([start, end], "gold" if given else "line", 0.05 + 0.2 * given / s.params.endowment))
            if given:
                x, y = end
                scene.add(Polygon([(x + 0.25, y), (x - 0.25, y - 0.3), (x - 0.25, y + 0.3)], "gold"))
                scene.add(Rect(start[0] - 0.2, start[1] - 0.32, 1.3, 0.64, "white", "gold", 0.04, 0.25))
                scene.add(Label(start[0] + 0.45, start[1], str(given), 0.45, "black", bold=True))


#: The height of a player's row in the picture, and the width of its card.
ROW = 1.8
CARD = 6.0


env, raw_env, parallel_env = pettingzoo_forms(TrustGame)
