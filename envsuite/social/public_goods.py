"""Public goods: contributions earn something for everybody, and agents can pay to punish free riders.

**Rules.** In every round, each player has `endowment` tokens and contributes some of them, all players at once. A
player keeps what it does not contribute. Each token contributed earns `mpcr` for every player, the contributor included
(the marginal per-capita return). Between 1/players and 1 this is a dilemma: it is best for all that all contribute, and
best for each to keep.

With `punishment`, a second stage follows. All players see what each contributed, and assign up to `points` points to
each of the others. A point costs its giver `cost` and its receiver `effect`. Points are assigned to one player after
another, in players - 1 steps, in which all act at once: at step j to number j of the giver's list of the others. No
player sees the points of others before the stage is over. Then a player sees only how many points it got itself.

*Anonymity.* The group stays the same. With `anonymous`, its members are listed in a new random order in every round, so
contributions of one round cannot be matched with those of another. Otherwise they are listed in the order of seats,
from the observer on. In both cases the observer is number 0 of its list.

**Agents.** `player_0` ... `player_{players-1}`.

**Observation.** Dict. The list is that of the observer, see above.

| part | space | content |
|---|---|---|
| phase | Box (1,) int8 | 0 contributions, 1 punishment |
| turn | Box (1,) int16 | rounds that have ended |
| endowment | Box (1,) int16 | the observer's tokens in every round |
| contributions | Box (players,) int16 | by the list, of this round in its second stage, else of the last; -1 for none |
| target | Box (1,) int8 | the number of the list to which points are assigned now; 0 in the first stage |
| assigned | Box (players,) int8 | by the same list: the points that the observer has assigned |
| received | Box (1,) int16 | the points that the observer got in the last round; 0 in the second stage |
| earnings | Box (1,) float64 | what the observer earned in the last round; 0 in the second stage |

**Actions.** Discrete.

| action | name | legal |
|---|---|---|
| 0 .. endowment | `contribute 0` ... `contribute 20` | in the first stage, up to the player's tokens |
| endowment + 1 + k | `punish 0` ... `punish 10` | with `punishment`, in the second stage |

**Window.** The keys 0 to 9 contribute 0% to 90% of `endowment`, rounded, and return contributes all of it. With
`punishment`, the keys q to p of the top row of letters assign 0 to 9 points.

**Rewards.** In the first stage, the tokens kept and `mpcr` for each token that any player contributed. At the end of
the second stage, minus `cost` for each point assigned and minus `effect` for each received. A round can therefore end
with a loss.

**Ends.** Terminates after the last round.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 4 | number of players, from 2 to 16 |
| `rounds` | 10 | number of rounds, from 1 to 200 |
| `endowment` | 20 | tokens of each player in each round, from 1 to 100 |
| `mpcr` | 0.4 | what a contributed token earns for everyone, from 0 to 2 |
| `punishment` | False | whether there is a second stage |
| `points` | 10 | points that can be assigned to one other player, from 1 to 20 |
| `cost` | 1.0 | cost of a point for its giver, from 0 to 10 |
| `effect` | 3.0 | cost of a point for its receiver, from 0 to 10 |
| `anonymous` | True | whether the others are listed in random order |

**Level.** ``{"endowments": [20, 20, 10, 0]}``: the tokens of each player, up to `endowment`.

**Known values.** For one round of 4 players with 20 tokens and `mpcr` 0.4:

- If k players contribute all, they earn 8 k each and the others 20 + 8 k. If no player contributes, each earns 20; if
  all do, 32. A single free rider earns 44 and the others 24.
- A token contributed costs its owner 0.6 and is worth 0.6 to the group. To contribute nothing therefore dominates. In
  the only equilibrium that is subgame perfect, no player contributes or punishes. The sum is largest where all
  contribute.
- Above `mpcr` 1, to contribute all dominates. Below 1/players, it is a waste.
- A player that alone keeps everything gains 12. Four points take this gain away, and five take more.

In Fehr and Gaechter's experiments, contributions fall from round to round without punishment and rise with it.

**Differences.** From the experiments:

- The rule of punishment is that of 2002. In the experiment of 2000, each point took a tenth of the receiver's income of
  the round, and the price of a point rose with their number.
- Both experiments also had groups of strangers, new in every round, which are not modeled.
- In the experiments, all points are assigned at once. Here they are assigned to one player after another, unseen, which
  is the same.

**Source.** Fehr and Gaechter, "Cooperation and Punishment in Public Goods Experiments", 2000, and "Altruistic
punishment in humans", 2002; Isaac and Walker, "Group Size Effects in Public Goods Provision", 1988, for the `mpcr`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.ranges import below, fixed, within
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene
from envsuite.render.theme import agent_color, text_on

CONTRIBUTE, PUNISH = range(2)

#: The largest cost and effect of a point.
LARGEST = 10

#: No contribution: nothing has been played yet.
NONE = -1


def fields(players: int, rounds: int, endowment: int, points: int, low: float, high: float) -> list[tuple]:
    """The record's own fields; `points` is the maximum of a punishment, `low` and `high` the bounds of earnings."""
    return [
        ("phase", within(np.int64, CONTRIBUTE, PUNISH if points else CONTRIBUTE)),
        ("turn", within(np.int64, 0, rounds)),  # number of rounds that are over
        ("target", below(np.int64, players)),  # number in every list of the member that is assigned points now
        ("endowments", within(np.int64, 0, endowment), (players,)),  # tokens in each round: the level
        ("contributions", within(np.int64, NONE, endowment), (players,)),  # given in this or the last round, or NONE
        ("points", within(np.int8, 0, points), (players, players)),  # of this or the last round, by giver and receiver
        ("order", below(np.int64, players), (players,)),  # players in a circle; a list begins with its owner
        ("place", below(np.int64, players), (players,)),  # of each player in the order
        ("earnings", within(np.float64, low, high), (players,)),  # of this or the last round
        ("totals", within(np.float64, rounds * low, rounds * high), (players,)),  # of all rounds
        # Mean contribution and mean points assigned in each round.
        ("history", within(np.float64, 0, max(endowment, points * players)), (rounds, 2)),
    ]


@kernel
def reset(s):
    s.phase = CONTRIBUTE
    s.turn = 0
    s.target = 0
    for k in range(s.endowments.shape[0]):
        if s.level_given == 0:
            s.endowments[k] = s.params.endowment
        s.contributions[k] = NONE
        s.order[k] = k
        s.place[k] = k
        s.earnings[k] = 0.0
        s.totals[k] = 0.0
        clear_points(s, k)
    for number in range(s.history.shape[0]):
        s.history[number, 0] = 0.0
        s.history[number, 1] = 0.0


@kernel
def clear_points(s, k):
    for other in range(s.points.shape[1]):
        s.points[k, other] = 0


@kernel
def step(s, actions, rewards):
    if s.phase == CONTRIBUTE:
        contribute(s, actions, rewards)
    else:
        for k in range(s.points.shape[0]):
            s.points[k, listed(s, k, s.target)] = actions[k] - s.params.first_point
        s.target += 1
        if s.target == s.points.shape[0]:
            punish(s, rewards)
    if s.target == 0:
        s.turn += 1
        if s.turn == s.history.shape[0]:
            for k in range(s.terminated.shape[0]):
                s.terminated[k] = 1


@kernel
def listed(s, agent, number):
    """The player with this number in an agent's list."""
    place = s.place[agent] + number
    count = s.order.shape[0]
    return np.int64(s.order[place if place < count else place - count])


@kernel
def contribute(s, actions, rewards):
    total = 0
    for k in range(s.contributions.shape[0]):
        s.contributions[k] = actions[k]
        total += actions[k]
        clear_points(s, k)
    s.history[s.turn, 0] = total / s.contributions.shape[0]
    for k in range(s.contributions.shape[0]):
        rewards[k] = s.endowments[k] - s.contributions[k] + s.params.mpcr * total
        s.earnings[k] = rewards[k]
        s.totals[k] += rewards[k]
    if s.params.anonymous != 0:
        random.shuffle(s, s.order, s.order.shape[0])
        for number in range(s.order.shape[0]):
            s.place[s.order[number]] = number
    if s.params.punishment != 0:
        s.phase = PUNISH
        s.target = 1


@kernel
def punish(s, rewards):
    """Charge for the points that were assigned."""
    total = 0
    for k in range(s.points.shape[0]):
        given, received = 0, 0
        for other in range(s.points.shape[1]):
            given += s.points[k, other]
            received += s.points[other, k]
        total += given
        rewards[k] = -s.params.cost * given - s.params.effect * received
        s.earnings[k] += rewards[k]
        s.totals[k] += rewards[k]
    s.history[s.turn, 1] = total / s.points.shape[0]
    s.phase = CONTRIBUTE
    s.target = 0


@kernel
def observe(s, agent, out):
    out.phase[0] = s.phase
    out.turn[0] = s.turn
    out.endowment[0] = s.endowments[agent]
    out.target[0] = s.target
    received = 0
    for number in range(s.order.shape[0]):
        other = listed(s, agent, number)
        out.contributions[number] = s.contributions[other]
        out.assigned[number] = s.points[agent, other]
        received += s.points[other, agent]
    # While points are being assigned, those of this round are not known.
    between = s.phase == CONTRIBUTE
    out.received[0] = received if between else 0
    out.earnings[0] = s.earnings[agent] if between else 0.0


@kernel
def legal(s, agent, mask):
    if s.phase == CONTRIBUTE:
        for k in range(s.endowments[agent] + 1):
            mask[k] = 1
    else:
        for k in range(s.params.first_point, mask.shape[0]):
            mask[k] = 1


PAGE = Page(
    role="You are one of {players} players in a group that stays together.",
    goal=(
        "In each round you have {tokens:token}, of which you contribute some. Each token that you keep pays you 1, "
        "and each token that anybody contributes, you included, pays every player {mpcr}.",
        When(
            "punishment", "Each point that you assign costs you {cost}, and each point that you get costs you {effect}."
        ),
    ),
    rules=(
        (
            "All players contribute at once, unseen by each other.",
            When(
                "punishment",
                "Then all see what each has contributed, and assign up to {points:point} to each of the others: all "
                "of you at once to the first in your list of the others, then to the next one, and so on. Nobody sees "
                "the points of others before that is over; then each sees only how many it got.",
            ),
            When("anonymous", "The others are numbered in a new random order in each round."),
        ),
    ),
    sees="After each round you see what each of the others has contributed.",
    acts={
        "contribute {N}": "contribute N tokens and keep the others",
        "punish {N}": When("punishment", "assign N points to the player that is asked about"),
    },
    ends="It is over after {rounds:round}.",
    unsaid={"endowment": "told as the number of tokens"},
    constants={"1": "what a token is worth"},
)


class PublicGoods(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)

    kind = ("dilemmas", "commons")
    verified = "closed forms; equilibria and optima by enumeration"
    variants = (dict(players=3, rounds=4, endowment=6, punishment=True, points=3, anonymous=False),)
    shown = "conditional"
    level_fields = ("endowments",)
    player_page = PAGE

    def __init__(
        self,
        players: Annotated[int, Between(2, 16)] = 4,
        rounds: Annotated[int, Horizon(1, 200)] = 10,
        endowment: Annotated[int, Between(1, 100)] = 20,
        mpcr: Annotated[float, Between(0, 2)] = 0.4,
        punishment: bool = False,
        points: Annotated[int, Between(1, 20)] = 10,
        cost: Annotated[float, Between(0, LARGEST)] = 1.0,
        effect: Annotated[float, Between(0, LARGEST)] = 3.0,
        anonymous: bool = True,
    ):
        self.chance = anonymous
        actions = [f"contribute {k}" for k in range(endowment + 1)]
        keys = {key: f"contribute {round(k * endowment / 10)}" for k, key in enumerate("0123456789")}
        keys["return"] = f"contribute {endowment}"
        if punishment:
            actions += [f"punish {k}" for k in range(points + 1)]
            keys |= {key: f"punish {k}" for k, key in enumerate("qwertyuiop") if k <= points}
        self.keys = keys
        most = points * (players - 1) if punishment else 0  # points of one player in a round
        low, high = -(cost + effect) * most, endowment * (1 + mpcr * players)

        # The bounds with any mpcr, cost and effect, so that these can be tuned.
        least, largest = -2.0 * LARGEST * most, endowment * (1.0 + 2 * players)

        def count(low: int, high: int, dtype: type, length: int = 1) -> Box:
            return Box(low, high, (length,), dtype)

        self.define(
            agents=[f"player_{k}" for k in range(players)],
            actions=actions,
            observation=Dict(
                phase=count(CONTRIBUTE, int(punishment), np.int8) if punishment else count(0, 0, np.int8),
                turn=count(0, rounds, np.int16),
                endowment=count(0, endowment, np.int16),
                contributions=count(NONE, endowment, np.int16, players),
                target=count(0, players - 1 if punishment else 0, np.int8),
                assigned=count(0, points if punishment else 0, np.int8, players),
                received=count(0, most, np.int16),
                earnings=Box(least, largest, (1,), np.float64),
            ),
            fields=fields(players, rounds, endowment, points if punishment else 0, least, largest),
            params={
                "endowment": fixed(endowment),
                "mpcr": float(mpcr),
                "punishment": fixed(punishment),
                "cost": float(cost),
                "effect": float(effect),
                "anonymous": int(anonymous),
                "first_point": endowment + 1,  # an index of actions
            },
            reward_range=(low, high),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"tokens": int(s.endowments[agent])}

    def contradiction(self, s: Any) -> str | None:
        over = s.terminated > 0
        if over.any() != over.all() or s.turn == len(s.history) and not over.all():
            return "all rounds have been played"
        if (s.phase == PUNISH) != (s.target > 0):
            return "phase and target do not go together"
        return None if (s.order[s.place] == np.arange(len(s.place))).all() else "place is not that of the order"

    # Text.

    def list_of(self, s: Any, agent: int) -> list[int]:
        """An agent's list of the group: itself first."""
        return [int(listed(s, agent, number)) for number in range(len(self.agents))]

    def called(self, s: Any, agent: int, number: int) -> str:
        """What an agent calls a member of its list."""
        return f"number {number}" if s.params.anonymous else self.agents[self.list_of(s, agent)[number]]

    def text(self, s: Any, agent: int) -> str:
        params, count = s.params, len(self.agents)
        rounds = len(s.history)
        lines = []
        seen = self.observation(s, agent)
        given = ", ".join(f"{self.called(s, agent, number)} {seen.contributions[number]}" for number in range(1, count))
        shuffled = " (renumbered in each round)" if params.anonymous else ""
        if s.phase == PUNISH:
            lines.append(f"Round {s.turn + 1} of {rounds}, second stage.")
            lines.append(f"You contributed {s.contributions[agent]}, the others{shuffled}: {given}.")
            for number in range(1, s.target):
                lines.append(f"You assign {seen.assigned[number]} points to {self.called(s, agent, number)}.")
            lines.append(f"How many points do you assign to {self.called(s, agent, s.target)}?")
            return "\n".join(lines)
        over = bool(s.terminated.all())
        lines.append(f"It is over after {rounds} rounds." if over else f"Round {s.turn + 1} of {rounds}.")
        if s.turn:
            lines.append(f"In the last round you contributed {s.contributions[agent]}, the others{shuffled}: {given}.")
            if params.punishment:
                lines.append(f"You assigned {seen.assigned.sum()} points and got {seen.received[0]}.")
            lines.append(f"You earned {s.earnings[agent]:.6g}.")
        if not over:
            lines.append("How many tokens do you contribute?")
        return "\n".join(lines)

    # The picture: a row of tokens for each player, the pot, the points, and contributions by round.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        count = len(self.agents)
        punishment = bool(s.params.punishment)
        bottom = 1.7 + ROW * count
        scene = Scene(20, bottom + 4.6)
        over = bool(s.terminated.all())
        moment = "over" if over else f"round {s.turn + 1} of {len(s.history)}"
        if punishment and not over:
            moment += " · punishment" if s.phase == PUNISH else " · contributions"
        scene.add(Label(0.6, 0.85, "Public goods", 0.65, align="left", bold=True))
        scene.add(Label(19.4, 0.85, moment, 0.5, "muted", "right"))
        group = list(range(count)) if agent is None else self.list_of(s, agent)
        for row, who in enumerate(group):
            name = f"player_{who}"
            hidden = agent is not None and who != agent
            if hidden and s.params.anonymous:
                name = f"number {row}"
            target = agent is not None and s.phase == PUNISH and row == s.target
            self._draw_player(scene, s, who, name, 1.5 + ROW * row, hidden, bool(s.params.anonymous), target)
        self._draw_pot(scene, s, 0.5, bottom + 0.2)
        self._draw_rounds(scene, s, 5.4, bottom + 0.2, 14.1 - (5.2 if punishment else 0.0), agent is None)
        if punishment:
            self._draw_points(scene, s, 14.5, bottom + 0.2, group, agent)
        return scene

    def _draw_player(
        self, scene: Scene, s: Any, who: int, name: str, top: float, hidden: bool, anonymous: bool, target: bool
    ) -> None:
        """A row: the name, tokens (gold if contributed), and earnings in the round and in all."""
        color = "grey" if hidden and anonymous else agent_color(who)
        middle = top + ROW / 2
        scene.add(Rect(0.5, top + 0.08, 19, ROW - 0.16, "panel", "gold" if target else None, 0.06, radius=0.2))
        scene.add(Circle(1.1, middle, 0.34, color))
        if not (hidden and anonymous):
            scene.add(Label(1.1, middle, str(who), 0.38, text_on(color), bold=True))
        scene.add(Label(1.7, middle, name, 0.42, align="left"))
        given, tokens = s.contributions[who], s.endowments[who]
        most = s.params.endowment
        across, left = 8.4, 4.3
        unknown = hidden and not s.turn and s.phase == CONTRIBUTE
        tokens = 0 if unknown else tokens
        if hidden and given >= 0:
            tokens = given  # what another player keeps is hidden
        if most <= 25:
            pace = across / most
            for k in range(tokens):
                x = left + pace * (k + 0.5)
                if k < given:
                    scene.add(Circle(x, middle, 0.42 * pace, "gold", "white", 0.04, glyph="$"))
                else:
                    scene.add(Circle(x, middle, 0.42 * pace, "white", "line", 0.04, glyph="o"))
        else:
            scene.add(Rect(left, middle - 0.2, across * tokens / most, 0.4, "white", "line", 0.03, 0.1))
            if given > 0:
                scene.add(Rect(left, middle - 0.2, across * given / most, 0.4, "gold", radius=0.1))
        if given >= 0:
            scene.add(Label(13.4, middle, str(given), 0.5, bold=True))
        if hidden:
            return
        received = int(s.points[:, who].sum())
        told = s.phase == CONTRIBUTE
        if received and told:
            scene.add(Label(14.5, middle, f"-{received}", 0.46, "bad", bold=True))
        if s.turn or s.phase == PUNISH:
            scene.add(Label(16.9, middle, f"{s.earnings[who]:+.4g}", 0.44, "muted", "right"))
        scene.add(Label(19.1, middle, f"{s.totals[who]:.5g}", 0.5, align="right", bold=True))

    def _draw_pot(self, scene: Scene, s: Any, left: float, top: float) -> None:
        """The pot: how much of all tokens was contributed, and what it earns for each."""
        scene.add(Rect(left, top, 4.6, 4.0, "panel", radius=0.25))
        total = max(0, int(s.contributions.sum())) if s.contributions[0] >= 0 else 0
        most = max(1, s.params.endowment * len(self.agents))
        scene.add(Label(left + 2.3, top + 0.45, "the pot", 0.38, "muted"))
        full = 2.1 * total / most
        scene.add(Rect(left + 1.1, top + 0.8, 2.4, 2.2, "white", "line", 0.05, 0.2))
        if full > 0:
            scene.add(Rect(left + 1.15, top + 2.95 - full, 2.3, full, "gold", radius=0.15))
        scene.add(Label(left + 2.3, top + 1.9, str(total), 0.7, "black", bold=True))
        scene.add(Label(left + 2.3, top + 3.5, f"{s.params.mpcr * total:.4g} for each", 0.42))

    def _draw_rounds(self, scene: Scene, s: Any, left: float, top: float, width: float, all_known: bool) -> None:
        """Mean contributions by round, and points as bars from below."""
        scene.add(Rect(left, top, width, 4.0, "panel", radius=0.25))
        points = bool(s.params.punishment) and all_known
        title = "mean contribution and points by round" if points else "mean contribution by round"
        scene.add(Label(left + 0.3, top + 0.45, title, 0.38, "muted", "left"))
        x0, y0, across, down = left + 1.1, top + 3.35, width - 1.5, 2.4
        rounds, most = len(s.history), s.params.endowment
        pace = across / rounds
        for amount in (0, most / 2, most):
            y = y0 - down * amount / most
            scene.add(Line([(x0, y), (x0 + across, y)], "line", 0.03))
            scene.add(Label(x0 - 0.15, y, f"{amount:g}", 0.32, "muted", "right"))
        done = s.turn + (s.phase == PUNISH)
        if points:
            for k in range(s.turn):
                tall = min(down, down * float(s.history[k, 1]) / most)
                if tall > 0.01:
                    scene.add(Rect(x0 + pace * (k + 0.25), y0 - tall, 0.5 * pace, tall, "bad@0.55"))
        path = [(x0 + pace * (k + 0.5), y0 - down * float(s.history[k, 0]) / most) for k in range(done)]
        if len(path) > 1:
            scene.add(Line(path, "gold", 0.09))
        for place in path if rounds <= 40 else path[-1:]:
            scene.add(Circle(*place, 0.13, "gold"))
        for k in range(0, rounds, max(1, rounds // 5)):
            scene.add(Label(x0 + pace * (k + 0.5), y0 + 0.32, str(k + 1), 0.32, "muted"))

    def _draw_points(self, scene: Scene, s: Any, left: float, top: float, group: list[int], agent: int | None) -> None:
        """The points assigned: rows are givers, columns receivers; an agent sees its own row only."""
        scene.add(Rect(left, top, 5.0, 4.0, "panel", radius=0.25))
        scene.add(Label(left + 0.3, top + 0.45, "points, row to column", 0.38, "muted", "left"))
        count = len(group)
        size = min(0.62, 2.7 / count)
        x0, y0 = left + 2.5 - size * (count - 1) / 2 + 0.2, top + 1.0 + 0.5 * size
        most = max(1, self.num_actions - s.params.first_point - 1)
        faceless = agent is not None and s.params.anonymous
        for row, giver in enumerate(group):
            plain = "grey" if faceless and row else agent_color(giver)
            if agent is None or row == 0:
                scene.add(Circle(x0 - size, y0 + size * (row + 0.5), 0.36 * size, plain, glyph=""))
            scene.add(Circle(x0 + size * (row + 0.5), y0 - 0.5 * size, 0.36 * size, plain, glyph=""))
            if agent is not None and row:
                continue
            for column, receiver in enumerate(group):
                x, y = x0 + size * column, y0 + size * row
                value = s.points[giver, receiver]
                fill = "line" if row == column else "white"
                scene.add(Rect(x + 0.03, y + 0.03, size - 0.06, size - 0.06, fill, radius=0.1 * size))
                if value:
                    shade = f"bad@{0.25 + 0.75 * value / most:.2f}"
                    scene.add(Rect(x + 0.03, y + 0.03, size - 0.06, size - 0.06, shade, radius=0.1 * size))
                    scene.add(Label(x + size / 2, y + size / 2, str(value), 0.6 * size, "white", bold=True))


#: The height of a player's row in the picture.
ROW = 1.15


env, raw_env, parallel_env = pettingzoo_forms(PublicGoods)
