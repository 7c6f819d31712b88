"""Texts and pictures of BridgeBidding: deals in Portable Bridge Notation, the auction, hands and the bidding box."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from envsuite.kit.cards import suit_mark
from envsuite.render.scene import Circle, Label, Rect, Scene, Shape

SEATS = ("north", "east", "south", "west")
STRAINS = ("C", "D", "H", "S", "NT")
STRAIN_NAMES = ("clubs", "diamonds", "hearts", "spades", "no trump")
RANKS = "23456789TJQKA"

_BID = re.compile(r"(?:bid )?([1-7]) ?(c|d|h|s|n|club|diamond|heart|spade|no[- ]?trump|[♣♦♥♠])[st]?", re.IGNORECASE)
_SIGNS = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}

#: The number of each suit's mark in `suit_mark`, and the color of the letter on it that terminals show.
MARKS = (3, 2, 1, 0)
SUIT_INK = ("black", "white", "white", "black")

#: The middle of each hand in the picture, and of the compass.
PLACES = ((8.0, 2.7), (12.85, 8.3), (8.0, 13.9), (3.15, 8.3))
MIDDLE = (8.0, 8.3)
WIDE, HIGH = 4.5, 4.0

#: The top left corner of the bidding box and the sides of a cell; the auction stands above it.
BOX = (16.6, 9.75)
CELL = (1.72, 0.78)
ROWS = 9


def written(cards: Iterable[int]) -> str:
    """The ranks of a suit of a hand, from the highest: cards are 1 for those that it has, from two to ace."""
    return "".join(rank for rank, has in zip(RANKS[::-1], list(cards)[::-1]) if has)


def pbn(owners: np.ndarray) -> str:
    """A deal (4, 13) in Portable Bridge Notation, from north."""
    return "N:" + " ".join(".".join(written(owners[suit] == seat) for suit in (3, 2, 1, 0)) for seat in range(4))


def hands_of(text: Any) -> np.ndarray:
    """The seat (4, 13) that holds each card of a deal in Portable Bridge Notation; ValueError says what is wrong."""
    first, colon, rest = text.partition(":") if isinstance(text, str) else ("", "", "")
    hands = rest.split()
    if first not in tuple("NESW") or not colon or len(hands) != 4:
        raise ValueError(f"the deal {text!r:.80} must be a seat of NESW, a colon and four hands")
    owners = np.full((4, 13), -1, np.int8)
    for k, hand in enumerate(hands):
        suits = hand.split(".")
        if len(suits) != 4:
            raise ValueError(f"the hand {hand!r:.40} must have four suits with three dots between them")
        for suit, ranks in zip((3, 2, 1, 0), suits):
            for letter in ranks:
                if letter not in RANKS:
                    raise ValueError(f"the hand {hand!r:.40} has a card {letter!r}; ranks are {RANKS}")
                if owners[suit, RANKS.index(letter)] >= 0:
                    raise ValueError(f"the deal has the card {STRAINS[suit]}{letter} twice")
                owners[suit, RANKS.index(letter)] = ("NESW".index(first) + k) % 4
    counts = np.bincount(owners[owners >= 0], minlength=4)
    if (counts != 13).any():
        raise ValueError(f"the deal gives the players {counts.tolist()} cards, not 13 each")
    return owners


def calls(world: Any, s: Any) -> list[tuple[int, int]]:
    """The seat and the action of each call so far."""
    return list(_calls(world, s))


def _calls(world: Any, s: Any) -> Iterator[tuple[int, int]]:
    seat = int(s.level.dealer)
    for _ in range(int(s.before)):
        yield seat, 0
        seat = (seat + 1) % 4
    for bid, marks in enumerate(s.bids.tolist()):
        for action, who in zip((3 + bid, 1, 2), marks):
            if who:
                while seat != who - 1:
                    yield seat, 0
                    seat = (seat + 1) % 4
                yield seat, action
                seat = (seat + 1) % 4
    for _ in range(int(s.since) if s.last >= 0 else 0):
        yield seat, 0
        seat = (seat + 1) % 4


def over(world: Any, s: Any) -> bool:
    return bool(s.terminated[0])


# Texts.


def hand_text(world: Any, s: Any, seat: int) -> str:
    """A hand in words: its suits from spades, and its high-card points."""
    owned = s.level.owners == seat
    suits = [f"{STRAIN_NAMES[suit]} {' '.join(written(owned[suit])) or 'none'}" for suit in (3, 2, 1, 0)]
    high = int((owned[:, 9:] * np.arange(1, 5)).sum())
    return f"{', '.join(suits)} ({high} high-card points)"


def text(world: Any, s: Any, agent: int) -> str:
    seat = world.seat_of(agent)
    vulnerable = ("nobody", "north and south", "east and west", "all")[s.level.vulnerable @ np.array([1, 2])]
    lines = [
        f"You are {SEATS[seat]}; your partner is {SEATS[(seat + 2) % 4]}, and {SEATS[(seat + 1) % 4]} is on your "
        f"left. The dealer is {SEATS[s.level.dealer]}. Vulnerable: {vulnerable}.",
        f"Your hand: {hand_text(world, s, seat)}.",
    ]
    names = world.action_names[agent]
    told = [f"{SEATS[who]} {names[action]}" for who, action in calls(world, s)]
    lines.append(f"The auction: {', '.join(told)}." if told else "Nobody has called yet.")
    if over(world, s):
        return "\n".join([*lines, *results(world, s)])
    turn = "your turn" if s.seat == seat else f"{SEATS[s.seat]}'s turn"
    return "\n".join([*lines, f"It is {turn}."])


def results(world: Any, s: Any) -> list[str]:
    """The end of an auction in words."""
    lines = [f"{SEATS[seat].capitalize()} has {hand_text(world, s, seat)}." for seat in range(4)]
    result = f"The contract is {contract_text(world, s)}." if s.last >= 0 else "All passed: no points."
    return [result, *lines]


def contract_text(world: Any, s: Any) -> str:
    """The contract, the tricks and the points in words."""
    seat, tricks, name = world.contract(s)
    points = world.points_of(s)
    who = "north and south" if points > 0 else "east and west"
    return f"{name} by {SEATS[seat]}, who takes {tricks} tricks: {abs(points)} points for {who}"


# Pictures.


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The table, the auction and the bidding box. An agent sees its own hand, and all hands after the end."""
    scene = Scene(25.6, 16.6)
    scene.add(Rect(0.4, 0.4, 15.2, 15.8, "felt", radius=0.8))
    own = None if agent is None else world.seat_of(agent)
    for seat in range(4):
        _draw_hand(world, scene, s, seat, over(world, s) or own in (None, seat), own == seat)
    _draw_compass(world, scene, s)
    _draw_auction(world, scene, s)
    _draw_box(world, scene, s)
    return scene


def _draw_hand(world: Any, scene: Scene, s: Any, seat: int, shown: bool, own: bool) -> None:
    """A hand as a panel with a row for each suit."""
    x, y = PLACES[seat]
    left, top = x - WIDE / 2, y - HIGH / 2
    moves = not over(world, s) and s.seat == seat
    scene.add(
        Rect(left + 0.06, top + 0.1, WIDE, HIGH, "shadow@0.25", radius=0.25),
        Rect(left, top, WIDE, HIGH, "white", "highlight" if moves else "line", 0.12 if moves else 0.04, 0.25),
        Label(left + 0.3, top + 0.5, SEATS[seat] + (" (you)" if own else ""), 0.5, "black", "left", bold=True),
    )
    if not shown:
        scene.add(Label(x, y + 0.3, "?", 1.4, "grey", bold=True))
        return
    for row, suit in enumerate((3, 2, 1, 0)):
        height = top + 1.2 + 0.72 * row
        scene.add(*strain_mark(left + 0.5, height, suit, 0.5))
        ranks = written(s.level.owners[suit] == seat).replace("T", "10")
        scene.add(Label(left + 0.95, height, " ".join(ranks).replace("1 0", "10") or "-", 0.5, "black", "left"))


def _draw_compass(world: Any, scene: Scene, s: Any) -> None:
    """The sides of the table, red where vulnerable, the dealer's D, and at the end the result."""
    x, y = MIDDLE
    scene.add(Rect(x - 2.1, y - 2.1, 4.2, 4.2, "shadow@0.2", radius=0.2))
    for seat, (right, down) in enumerate(((0, -1), (1, 0), (0, 1), (-1, 0))):
        across, along = x + 1.78 * right, y + 1.78 * down
        wide, high = (3.2, 0.6) if down else (0.6, 3.2)
        fill = "red" if s.level.vulnerable[seat % 2] else "white"
        scene.add(Rect(across - wide / 2, along - high / 2, wide, high, fill, radius=0.1, glyph=""))
        scene.add(Label(across, along, SEATS[seat][0].upper(), 0.5, "white" if fill == "red" else "black"))
        if seat == s.level.dealer:
            at = (across + 1.1, along) if down else (across, along + 1.1)
            scene.add(Circle(*at, 0.26, "gold", "black", 0.03), Label(*at, "D", 0.36, "black", bold=True))
    if over(world, s):
        for k, line in enumerate(_result(world, s)):
            scene.add(Label(x, y - 0.9 + 0.6 * k, line, 0.5, "white", bold=k == 0, width=2.9))


def _result(world: Any, s: Any) -> list[str]:
    if s.last < 0:
        return ["passed out", "0 points"]
    seat, tricks, name = world.contract(s)
    points = world.points_of(s)
    bid, *raised = name.split(" ")
    return [f"{bid} {SEATS[seat]}", *raised, f"{tricks} tricks", f"{'N-S' if points > 0 else 'E-W'} {abs(points)}"]


def _draw_auction(world: Any, scene: Scene, s: Any) -> None:
    """The calls in a column for each player, the latest rows of them."""
    left, top = BOX[0] - 0.2, 0.4
    scene.add(Rect(left, top, 8.9, 8.9, "white", "line", radius=0.3))
    for seat in range(4):
        red = bool(s.level.vulnerable[seat % 2])
        scene.add(Rect(left + 0.2 + 2.15 * seat, top + 0.2, 2.05, 0.75, "red" if red else "felt", radius=0.1, glyph=""))
        scene.add(Label(left + 1.22 + 2.15 * seat, top + 0.58, SEATS[seat], 0.45, "white", bold=True))
    made = calls(world, s)
    place = int(s.level.dealer) + len(made)  # of the next call, in a table that starts with north
    first = max(place // 4 - ROWS + 1, 0)
    marked = [*made, *([] if over(world, s) else [(int(s.seat), -1)])]
    for k, (seat, action) in enumerate(marked):
        row = (int(s.level.dealer) + k) // 4 - first
        if row >= 0:
            at = left + 1.22 + 2.15 * seat, top + 1.4 + 0.82 * row
            scene.add(*([Label(*at, "?", 0.5, "muted")] if action < 0 else call_marks(*at, action, 0.5)))


def _draw_box(world: Any, scene: Scene, s: Any) -> None:
    """The bidding box: calls that can be made now are bright."""
    mask = set() if over(world, s) else set(world.legal_actions(s, int(s.seat) * len(world.agents) // 4))
    for action in range(38):
        x, y = cell(action)
        width = CELL[0] * (5 / 3 if action < 3 else 1)
        open_ = action in mask
        scene.add(Rect(x + 0.05, y + 0.05, width - 0.1, CELL[1] - 0.1, "white" if open_ else "grey@0.25", radius=0.12))
        if open_:
            scene.add(*call_marks(x + width / 2, y + CELL[1] / 2, action, 0.46))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    row, column = math.floor((y - BOX[1]) / CELL[1]), (x - BOX[0]) / CELL[0]
    if not (0 <= row < 8 and 0 <= column < 5):
        return None
    return int(column * 3 / 5) if row == 7 else 3 + 5 * row + int(column)


def cell(action: int) -> tuple[float, float]:
    """The top left corner of a call in the bidding box."""
    if action < 3:
        return BOX[0] + action * CELL[0] * 5 / 3, BOX[1] + 7 * CELL[1]
    return BOX[0] + (action - 3) % 5 * CELL[0], BOX[1] + (action - 3) // 5 * CELL[1]


def strain_mark(x: float, y: float, suit: int, size: float) -> list[Shape]:
    """A suit's mark, which in a terminal is its letter."""
    first, *rest = suit_mark(x, y, MARKS[suit], size)
    return [first, *rest, Label(x, y, STRAINS[suit], 0.01, SUIT_INK[suit])]


def call_marks(x: float, y: float, action: int, size: float) -> list[Shape]:
    """A call around a point of something white."""
    if action < 3:
        name, color = (("pass", "black"), ("double", "red"), ("redouble", "blue"))[action]
        return [Label(x, y, name, 0.85 * size, color, bold=action > 0)]
    number, strain = divmod(action - 3, 5)
    if strain == 4:
        return [Label(x, y, f"{number + 1}NT", size, "black", bold=True)]
    mark = strain_mark(x + 0.5 * size, y, strain, size)
    return [Label(x - 0.4 * size, y, str(number + 1), size, "black", bold=True), *mark]


def understand(world: Any, s: Any, agent: int, text: str) -> int | None:
    """The bid that a text means: 3 hearts, 1 no trump, 2♠."""
    found = _BID.fullmatch(text)
    if found is None:
        return None
    strain = _SIGNS.get(found[2], found[2][0].lower())
    return 3 + 5 * (int(found[1]) - 1) + "cdhsn".index(strain)
