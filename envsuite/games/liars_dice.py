"""Liar's dice for 2 to 5 players, with any number of dice and faces.

**Rules.** Every player rolls `dice` dice with `sides` faces, and sees only its own. In turn, players bid that at least
n dice on the table show some face. The highest face is wild: it counts as any face. Each bid must be higher than the
last: either more dice, or the same number of dice and a higher face. Instead of bidding, a player may call the last
bidder a liar. Then the dice on the table decide: if the bid is true, the bidder wins and the caller loses; otherwise
the caller wins and the bidder loses. Only pictures show the others' dice then; observations do not.

**Agents.** `player_0` bids first, then `player_1` and so on. Seats are fixed.

**Observation.** Dict: OpenSpiel's information state. It has perfect recall because bids rise and are made in turn.

| part | space | content |
|---|---|---|
| seat | Box (players,) int8 | 1 at the agent's seat |
| dice | Box (dice, sides) int8 | 1 at the face that each of its dice shows, lowest die first |
| bids | Box (players dice sides + 1,) int8 | 1 for each bid that was made; the last entry is the call |

**Actions.** Discrete (players dice sides + 1). Only the player to move has legal actions.

| action | name | legal |
|---|---|---|
| (n - 1) sides + f - 1 | `bid n x f`: at least n dice show f or the highest face | if higher than the last bid |
| players dice sides | `liar` | if there was a bid |

**Window.** A click on a cell of the table makes that bid; a click on "liar" calls, as does the key l. The keys 1 to 9
bid one die of that face. The keys q to o of the top row of letters bid two dice of the faces 1 to 9.

**Rewards.** At the end, +1 to the winner, -1 to the loser and 0 to the other players; 0 before.

**Ends.** Terminates with the call.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `players` | 2 | number of players, from 2 to 5 |
| `dice` | 1 | dice of each player, from 1 to 5 |
| `sides` | 6 | faces of a die, from 2 to 9 |

**Level.** ``{"dice": [[3], [6]]}``: each player's roll.

**Known values.** 2 players with one die each: 24,576 information sets; the value to the first player is
-0.027131782946, and -0.032407407 with uniformly random play. With dice of 2, 3, 4 and 5 sides, the value to the first
player is 1/2, 1/9, 1/16 and 1/125 (OpenSpiel).

**Differences.** Trajectories and information-state tensors equal those of OpenSpiel's `liars_dice`.

- It has 2 players only. With more players its rule is applied as written: the caller and the last bidder win and lose,
  and the others get 0.
- Its other order of bids, by face first, is left out.

**Source.** Lisy, Lanctot and Bowling, "Online Monte Carlo Counterfactual Regret Minimization for Search in Imperfect
Information Games", AAMAS 2015; OpenSpiel `liars_dice`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When
from envsuite.core.ranges import below, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.kit import cards
from envsuite.kit.dice import die
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene
from envsuite.render.theme import agent_color

NONE = -1


def fields(players: int, dice: int, sides: int, bids: int) -> list[tuple]:
    """The record."""
    return [
        ("faces", within(np.uint8, 1, sides), (players, dice)),  # each player's faces, the lowest first
        ("bids", flag(np.int8), (bids + 1,)),  # 1 for each bid that was made, then the call, as observed
        ("bid", within(np.int64, NONE, bids - 1)),  # the last bid, or NONE
        ("bidder", within(np.int64, NONE, players - 1)),  # the player that made the last bid
        ("mover", below(np.int64, players)),  # whose turn it is
        ("winner", within(np.int64, NONE, players - 1)),  # NONE until the call
    ]


@kernel
def reset(s):
    players, dice = s.faces.shape
    if not s.level_given:
        for k in range(players):
            for d in range(dice):
                roll(s, k, d)
    for k in range(s.bids.shape[0]):
        s.bids[k] = 0
    s.bid = NONE
    s.mover = 0
    s.bidder = NONE
    s.winner = NONE


@kernel
def roll(s, player, count):
    """Roll one more die and sort it into the `count` dice that were rolled before."""
    face = 1 + random.randint(s, s.params.sides)
    while count > 0 and s.faces[player, count - 1] > face:
        s.faces[player, count] = s.faces[player, count - 1]
        count -= 1
    s.faces[player, count] = face


@kernel
def step(s, actions, rewards):
    player = s.mover
    action = actions[player]
    s.bids[action] = 1
    if action == s.bids.shape[0] - 1:
        true = matches(s) > s.bid // s.params.sides
        s.winner = s.bidder if true else player
        loser = player if true else s.bidder
        rewards[s.winner] = 1.0
        rewards[loser] = -1.0
        for k in range(s.faces.shape[0]):
            s.terminated[k] = 1
        return
    s.bid = action
    s.bidder = player
    s.mover = player + 1 if player + 1 < s.faces.shape[0] else 0


@kernel
def matches(s):
    """The number of dice that count for the last bid."""
    count = 0
    for k in range(s.faces.shape[0]):
        for d in range(s.faces.shape[1]):
            count += counts(s, s.faces[k, d])
    return count


@kernel
def counts(s, face):
    """Whether a die with this face counts for the last bid: the face is the bid's or the wild face."""
    return face == s.bid % s.params.sides + 1 or face == s.params.sides


@kernel
def observe(s, agent, out):
    for k in range(out.seat.shape[0]):
        out.seat[k] = k == agent
    for d in range(out.dice.shape[0]):
        for f in range(out.dice.shape[1]):
            out.dice[d, f] = s.faces[agent, d] == f + 1
    for k in range(s.bids.shape[0]):
        out.bids[k] = s.bids[k]


@kernel
def legal(s, agent, mask):
    if s.mover == agent:
        for k in range(mask.shape[0]):
            mask[k] = k > s.bid
        mask[mask.shape[0] - 1] = s.bid != NONE


@kernel
def guess(s, agent):
    """Roll the others' dice again."""
    for k in range(s.faces.shape[0]):
        for d in range(s.faces.shape[1] if k != agent else 0):
            roll(s, k, d)


PAGE = Page(
    role="You play liar's dice against {others}.",
    goal=When(
        "crowd",
        "The winner is paid +1, the loser -1, and every other player 0.",
        "The winner is paid +1, and the loser -1.",
    ),
    rules=(
        "Each player rolls {dice:die/dice} with the faces 1 to {sides}. In all there are {all:die/dice} on the table. "
        "The face {sides} is wild: it counts as any face.",
        "The players act in the order of their numbers, over and over; player_0 begins with a bid. A bid names a "
        "number of dice and a face. It says that at least this number of dice on the table, all players' together, "
        "show the face. Each bid must be higher than the last one: more dice, or the same number of dice with a higher "
        "face. Instead of bidding, a player may call the last bidder a liar. Then the dice on the table decide: if the "
        "bid is true, the bidder wins and the caller loses; otherwise the caller wins and the bidder loses.",
    ),
    sees="You see your own dice and all bids, but not the others' dice.",
    acts={
        "bid {N} x {FACE}": "bid that at least N dice show FACE or the wild face",
        "liar": "call the last bidder a liar",
    },
    ends="The game is over when somebody is called a liar.",
    constants={"1": "the reward of the winner, and the lowest face", "0": "the reward of the others"},
)


class LiarsDice(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    turns = "sequential"
    utility = "zero-sum"
    paid_at_end = True

    kind = ("cards", "deduction")
    verified = "OpenSpiel, move by move; values of small games"
    variants = (dict(players=3, dice=2, sides=4),)
    keys = {
        "l": "liar",
        **{str(face): f"bid 1 x {face}" for face in range(1, 10)},
        **{"qwertyuio"[face - 1]: f"bid 2 x {face}" for face in range(1, 10)},
    }
    level_fields = {"dice": "faces"}
    player_page = PAGE

    def __init__(
        self,
        players: Annotated[int, Between(2, 5)] = 2,
        dice: Annotated[int, Between(1, 5)] = 1,
        sides: Annotated[int, Between(2, 9)] = 6,
    ):
        bids = [f"bid {count} x {face}" for count in range(1, players * dice + 1) for face in range(1, sides + 1)]
        self.define(
            agents=[f"player_{k}" for k in range(players)],
            actions=[*bids, "liar"],
            observation=Dict(
                seat=Box(0, 1, (players,), np.int8),
                dice=Box(0, 1, (dice, sides), np.int8),
                bids=Box(0, 1, (len(bids) + 1,), np.int8),
            ),
            fields=fields(players, dice, sides, len(bids)),
            params={"sides": sides},
            reward_range=(-1.0, 1.0),
        )

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        super().set_level(s, level)
        s.faces.sort()

    def contradiction(self, s: Any) -> str | None:
        return None if (s.bid == NONE) == (s.bidder == NONE) else "a bid and a bidder go together"

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"all": s.faces.size, "crowd": len(s.faces) > 2}

    def text(self, s: Any, agent: int) -> str:
        players = len(s.faces)
        lines = [
            f"You are player_{agent} of {players}. You rolled {' '.join(map(str, s.faces[agent]))}.",
        ]
        names = self.action_names[agent]
        for k, bid in enumerate(np.flatnonzero(s.bids[:-1])):
            lines.append(f"player_{k % players} bids {names[bid][4:]}.")
        if s.winner != NONE:
            loser = s.mover if s.winner == s.bidder else s.bidder
            lines.append(f"player_{s.mover} calls liar: player_{s.winner} wins, player_{loser} loses.")
        elif s.mover != agent:
            lines.append(f"player_{s.mover} is to move.")
        else:
            lines.append("It is your turn.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The dice, with a table of all bids below. For an agent, the others' dice stay covered until the call."""
        players, dice = s.faces.shape
        sides = int(s.params.sides)
        left, width, top = self._table(s)
        scene = Scene(width, top + 0.9 * sides + 1.0)
        cards.draw_table(scene)
        called = s.winner != NONE
        for k in range(players):
            y = 1.6 + 1.5 * k
            mover = not called and s.mover == k
            if mover or s.winner == k:
                scene.add(Rect(0.95, y - 0.66, 4.4 + 1.2 * dice, 1.32, "highlight", radius=0.25))
            color = "black" if mover or s.winner == k else "white"
            scene.add(Circle(1.5, y, 0.2, agent_color(k), "white", 0.05, glyph=""))
            note = "to move" if mover else "wins" if s.winner == k else "bid last" if s.bidder == k else ""
            if called and k != s.winner and k in (s.bidder, s.mover):
                note = "loses"
            scene.add(Label(1.9, y - 0.2 if note else y, f"player_{k}", 0.5, color, "left", bold=True))
            scene.add(Label(1.9, y + 0.28, note, 0.4, color, "left"))
            for d in range(dice):
                face = int(s.faces[k, d])
                seen = called or agent in (None, k)
                scene.add(*die(4.9 + 1.2 * d, y, face, seen, called and counts(s, face), wild=face == sides))
        if s.bid != NONE:
            said = f"player_{s.bidder}: {self.action_names[0][s.bid]}"
            scene.add(Label(scene.width / 2, top - 1.25, said, 0.5, "white", bold=True))
        self._bids(scene, s, left, top)
        return scene

    def _table(self, s: Any) -> tuple[float, float, float]:
        """The left edge of the table of bids, the width of the scene, and the top of the table's first row."""
        players, dice = s.faces.shape
        columns = 0.9 * (players * dice + 1)
        width = max(5.9 + 1.2 * dice, columns + 4.9)
        return (width - columns - 1.9) / 2, width, 1.5 * players + 2.7

    def _bids(self, scene: Scene, s: Any, left: float, top: float) -> None:
        """Draw the table: a row per face, a column per number of dice. Bids made so far have their bidder's color."""
        players, dice = s.faces.shape
        sides = int(s.params.sides)
        made = {int(bid): k % players for k, bid in enumerate(np.flatnonzero(s.bids[:-1]))}
        for count in range(1, players * dice + 1):
            scene.add(Label(left + 0.9 * count + 0.45, top - 0.4, str(count), 0.42, "white"))
        for face in range(1, sides + 1):
            y = top + 0.9 * (face - 1) + 0.45
            scene.add(*die(left + 0.35, y, face, size=0.62, wild=face == sides))
            for count in range(1, players * dice + 1):
                x, bid = left + 0.9 * count + 0.45, (count - 1) * sides + face - 1
                fill = agent_color(made[bid]) if bid in made else "white@0.2" if bid > s.bid else "shadow@0.2"
                last = bid == s.bid
                scene.add(
                    Rect(x - 0.39, y - 0.39, 0.78, 0.78, fill, "white" if last else None, 0.09, 0.12,
                         glyph="#" if last else "x" if bid in made else "·")
                )  # fmt: skip
        x, y = left + 0.9 * (players * dice + 1) + 0.15, top + 0.45 * sides
        fill = agent_color(s.mover) if s.winner != NONE else "red" if s.bid != NONE else "shadow@0.2"
        scene.add(Rect(x, y - 0.45, 1.75, 0.9, fill, "white" if s.winner != NONE else None, 0.09, 0.2))
        scene.add(Label(x + 0.875, y, "liar", 0.5, "white" if s.bid != NONE else "white@0.6", bold=True))

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        players, dice = s.faces.shape
        sides = int(s.params.sides)
        left, _, top = self._table(s)
        count, face = int((x - left) // 0.9), int((y - top) // 0.9)
        if 1 <= count <= players * dice and 0 <= face < sides:
            return (count - 1) * sides + face
        button = left + 0.9 * (players * dice + 1) + 0.15
        if button <= x <= button + 1.75 and abs(y - top - 0.45 * sides) <= 0.45:
            return len(s.bids) - 1
        return None


env, raw_env, parallel_env = pettingzoo_forms(LiarsDice)
