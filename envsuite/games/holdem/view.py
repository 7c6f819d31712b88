"""Texts and pictures of HoldEm: the course of a hand in words, and the table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from envsuite.core.record import as_views
from envsuite.games.holdem import hands as poker
from envsuite.kit.cards import playing_card
from envsuite.render.scene import Circle, Label, Rect, Scene, Shape, chips, text_width
from envsuite.render.theme import agent_color

FOLD, CALL = range(2)

#: Names of four rounds.
STREETS = ("before the flop", "flop", "turn", "river")


class Move(NamedTuple):
    """A move: the round, who made it, in words, and what that player has paid in this hand after it."""

    round: int
    player: int
    verb: str
    total: int


def story(world: Any, s: Any) -> Iterator[Move]:
    """The moves of the hand so far, by playing them again."""
    now, rewards = world.known(s), np.zeros(len(world.agents))
    now.level_given = 1
    with np.errstate(all="ignore"):  # words of chance wrap around
        world.kernels.reset(now)
    for action in world.course(s):
        player, number, raised = int(now.mover), int(now.round), int(now.stakes)
        due = raised > now.paid[player]
        with np.errstate(all="ignore"):
            world.kernels.step(now, as_views(np.full(len(world.agents), action)), rewards)
        amount = int(now.paid[player])
        verb = "folds" if action == FOLD else "calls" if due else "checks"
        if action > CALL:
            verb = "raises" if now.earlier.max() < raised or due else "bets"
        if action != FOLD and amount == now.stacks[player]:
            verb += " all in"
        yield Move(number, player, verb, amount)


def street(world: Any, number: int) -> str:
    """The name of a round."""
    return STREETS[number] if len(world.parameters["board"]) == 4 else f"round {number + 1}"


def hand(world: Any, s: Any, player: int) -> list[int]:
    """A player's cards from the highest, since the order in which they were dealt is not observed."""
    return _ordered(world, s.hole[player].tolist())


def common(world: Any, s: Any) -> list[int]:
    """The common cards that are turned up, those of each round from the highest."""
    found: list[int] = []
    for count in s.params.board[: s.round + 1].tolist():
        found += _ordered(world, s.board[len(found) : len(found) + count].tolist())
    return found[: s.turned]


def _ordered(world: Any, cards: list[int]) -> list[int]:
    suits = world.parameters["suits"]
    return sorted(cards, key=lambda card: (-(card // suits), card % suits))


def is_over(world: Any, s: Any) -> bool:
    return bool(s.terminated[0])


def showdown(world: Any, s: Any) -> bool:
    """Whether hands are shown: the hand is over, and several players have not folded."""
    return is_over(world, s) and int((s.folded == 0).sum()) > 1


def kind_of_hand(world: Any, s: Any, player: int) -> str:
    """The kind of a player's best five cards, in words."""
    suits, ranks = world.parameters["suits"], world.parameters["ranks"]
    hand = 0
    for card in (*s.hole[player].tolist(), *common(world, s)):
        hand |= int(poker.bit(card, suits, ranks))
    return poker.CATEGORIES[int(poker.strength(hand)) >> 20]


def text(world: Any, s: Any, agent: int) -> str:
    players = len(world.agents)
    lines = [
        f"You are player_{agent} of {players}; player_{s.button} has the button. The big blind is "
        f"{s.params.big_blind}.",
        f"Your cards: {' '.join(world.names(hand(world, s, agent)))}.",
    ]
    if s.turned:
        board = " ".join(world.names(common(world, s)))
        lines.append(f"The common cards: {board}. You have {kind_of_hand(world, s, agent)}.")
    if "odds" in observed(world, s):
        win, tie = s.odds[agent]
        lines.append(f"Against random cards, you win {win:.0%} and tie {tie:.0%}.")
    for k in range(players):
        state = ", folded" if s.folded[k] else ", all in" if s.paid[k] == s.stacks[k] else ""
        who = "You have" if k == agent else f"player_{k} has"
        lines.append(f"{who} {s.stacks[k] - s.paid[k]} chips left and paid {s.paid[k]}{state}.")
    lines.append(f"The pot is {s.paid.sum()}.")
    told: dict[int, list[str]] = {}
    for move in story(world, s):
        total = "" if "fold" in move.verb or "check" in move.verb else f" to {move.total}"
        told.setdefault(move.round, []).append(f"player_{move.player} {move.verb}{total}")
    lines += [f"{street(world, number).capitalize()}: {', '.join(moves)}." for number, moves in told.items()]
    return "\n".join([*lines, *(results(world, s) if is_over(world, s) else [turn(world, s, agent)])])


def observed(world: Any, s: Any) -> tuple[str, ...]:
    """The names of the parts of an observation."""
    return ("odds",) if world.parameters["equity"] != "none" else ()


def results(world: Any, s: Any) -> list[str]:
    lines = []
    for k in np.flatnonzero(s.folded == 0) if showdown(world, s) else []:
        lines.append(
            f"player_{k} shows {' '.join(world.names(hand(world, s, int(k))))}: {kind_of_hand(world, s, int(k))}."
        )
    return lines + [f"player_{k} takes {s.won[k]} chips." for k in np.flatnonzero(s.won)]


def turn(world: Any, s: Any, agent: int) -> str:
    """The choices of the player to move."""
    if s.mover != agent:
        return f"player_{s.mover} is to move."
    seen = world.observation(s, agent)
    legal = world.legal_actions(s, agent)
    due = int(seen.table[3])
    choices = ["fold"] if FOLD in legal else []
    choices.append(f"call {due}" if due else "call (nothing to pay)")
    raises = [action for action in legal if action > CALL]
    if raises and world.parameters["betting"] == "nolimit" and world.parameters["menu"] == "chips":
        choices.append(f"raise to a total from {raises[0]} to {raises[-1]}")
    else:
        choices += [f"{world.action_names[agent][a]} (to {world.total_of(s, agent, a)})" for a in raises]
    return f"It is your turn: {', '.join(choices[:-1])}{' or ' * (len(choices) > 1)}{choices[-1]}."


# Pictures.


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The table. For an agent, its own seat is below, and others' cards stay face down until they are shown."""
    players = len(world.agents)
    width, height = (15.0, 13.0) if players == 2 else (21.0, 15.0) if players <= 6 else (26.0, 15.0)
    scene = Scene(width, height)
    middle, center = width / 2, height / 2
    scene.add(Rect(0.4, 0.4, width - 0.8, height - 0.8, "felt", radius=3.0))
    scene.add(Rect(0.6, 0.6, width - 1.2, height - 1.2, None, outline="white@0.35", line=0.05, radius=2.8))
    last = {move.player: move.verb for move in story(world, s) if move.round == s.round or move.verb == "folds"}
    _draw_board(world, scene, s, middle, center)
    for k in range(players):
        turn = 2 * math.pi * ((k - (agent or 0)) % players) / players
        x = middle - (width / 2 - 2.7) * math.sin(turn)
        y = center + (height / 2 - 2.45) * math.copysign(abs(math.cos(turn)) ** 0.75, math.cos(turn))
        _draw_seat(world, scene, s, k, (x, y), last.get(k, ""), agent)
    return scene


def _draw_board(world: Any, scene: Scene, s: Any, x: float, y: float) -> None:
    """The common cards and the pot."""
    count, turned = len(s.board), common(world, s)
    for k in range(count):
        left = x + 1.35 * (k - (count - 1) / 2)
        if k < len(turned):
            scene.add(*drawn_card(world, left, y - 0.1, turned[k], True, 1.2))
        else:
            scene.add(Rect(left - 0.6, y - 0.95, 1.2, 1.7, None, outline="white@0.3", line=0.04, radius=0.12))
    scene.add(Label(x, y - 1.45, street(world, int(s.round)), 0.42, "white@0.85"))
    pot = f"{s.paid.sum()} in the pot"
    scene.add(*chips(x - 0.2 - text_width(pot) / 2, y + 1.3, 1, "gold"))
    scene.add(Label(x + 0.15, y + 1.3, pot, 0.48, "white", bold=True))


def _draw_seat(
    world: Any, scene: Scene, s: Any, player: int, at: tuple[float, float], last: str, agent: int | None
) -> None:
    """A player's cards, chips and last move."""
    x, y = at
    count = s.hole.shape[1]
    apart = min(1.1, 2.6 / count)
    over, folded = is_over(world, s), bool(s.folded[player])
    face_up = agent in (None, player) or (showdown(world, s) and not folded)
    if s.won[player] or (not over and s.mover == player):
        scene.add(Rect(x - 1.75, y - 1.05, 3.5, 1.7, "highlight", radius=0.25))
    for k in range(count):
        left = x + apart * (k - (count - 1) / 2)
        scene.add(*drawn_card(world, left, y - 0.2, hand(world, s, player)[k], face_up, 1.0))
    if folded:
        scene.add(Rect(x - 1.7, y - 1.0, 3.4, 1.6, "felt@0.65", radius=0.2))
    note = f"takes {s.won[player]}" if s.won[player] else "to move" if not over and s.mover == player else last
    scene.add(Label(x, y - 1.35, note, 0.42, "white", bold=bool(s.won[player])))
    scene.add(Label(x, y + 0.95, f"player_{player}: {s.stacks[player] - s.paid[player]}", 0.42, "white"))
    scene.add(*chips(x - 0.35, y + 1.45, 1, agent_color(player)))
    scene.add(Label(x, y + 1.45, f"{s.paid[player]}", 0.42, "white", "left"))
    if s.button == player:
        scene.add(Circle(x + 1.45, y + 1.4, 0.3, "white", "line"), Label(x + 1.45, y + 1.4, "D", 0.4, "black"))


def drawn_card(world: Any, x: float, y: float, card: int, face_up: bool, width: float) -> list[Shape]:
    suits, ranks = world.parameters["suits"], world.parameters["ranks"]
    return playing_card(x, y, poker.RANKS[-ranks:][card // suits], card % suits, face_up, width)
