"""Situations: what two people have to settle, what that is worth to each, and a fact about each that may be a secret.

A situation has one to three issues, each with four options. Each person cares for an issue by a number from 1 to 5,
and has an order of its options; an option is worth the number times its place in the order, 0 to 3. The order is that
of the options, the reverse, or drawn uniformly, as `ISSUES` says for each issue and person. The situation, the numbers,
one of four facts about each person, and the relation of the two, from -5 to 5, are drawn uniformly too. A fact is a
secret with probability 1/4; in the situation `secret`, both are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel
from envsuite.core.levels import exact_parts, read_integer, read_list, read_name, read_numbers
from envsuite.core.random import bernoulli, randint, shuffle
from envsuite.core.ranges import among, below, flag, within
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

Situation = Literal["any", "sell", "share", "meet", "borrow", "secret"]
SITUATIONS = ("sell", "share", "meet", "borrow", "secret")
ANY = len(SITUATIONS)
SECRET = SITUATIONS.index("secret")

#: The situations in words.
PURPOSES = (
    "player_0 sells a bicycle to player_1",
    "player_0 and player_1 share a flat and its costs",
    "player_0 and player_1 plan a meeting",
    "player_1 borrows a camera from player_0",
    "player_0 and player_1 plan an evening, and each keeps a secret",
)

#: Orders of options: from the last to the first, drawn, or from the first to the last.
DOWN, DRAWN, UP = range(-1, 2)

#: The issues of each situation: the options, and their order for player_0 and player_1. Money is the first issue.
ISSUES: tuple[dict[str, tuple[tuple[str, str, str, str], int, int]], ...] = (
    {
        "price": (("$45", "$60", "$80", "$95"), UP, DOWN),
        "delivery": (("today", "tomorrow", "Saturday", "Sunday"), DRAWN, DRAWN),
        "extras": (("none", "a lock", "a lamp", "both"), DOWN, UP),
    },
    {
        "rent of player_0": (("$200", "$320", "$480", "$600"), DOWN, UP),
        "kitchen of player_0": (("mornings", "noons", "evenings", "nights"), DRAWN, DRAWN),
        "chores of player_0": (("none", "few", "many", "all"), DOWN, UP),
    },
    {
        "day": (("Monday", "Tuesday", "Wednesday", "Thursday"), DRAWN, DRAWN),
        "hour": (("9:00", "11:00", "14:00", "16:00"), DRAWN, DRAWN),
        "place": (("cafe", "office", "park", "library"), DRAWN, DRAWN),
    },
    {
        "fee": (("$0", "$6", "$14", "$20"), UP, DOWN),
        "time": (("a day", "three days", "a week", "a month"), DOWN, UP),
    },
    {"plan": (("dinner", "a film", "a walk", "a concert"), DRAWN, DRAWN)},
)

#: Facts about a person, as that person says them, for each situation.
FACTS = (
    ("I need money this week.", "I move abroad soon.", "I own two bicycles.", "I have a new job."),
    ("I may lose my job.", "I want to move out.", "I met the landlord.", "I expect a guest."),
    ("I was late last time.", "I have another offer.", "I prefer to call.", "I am ill."),
    ("I broke one before.", "I have a wedding to go to.", "I want to buy one.", "I lost my own."),
    ("I am in love.", "I failed an exam.", "I won a prize.", "I plan a surprise party."),
)

OPTIONS, MOST_ISSUES, CARE = 4, 3, 5
#: The largest worth of an option.
WORTH = CARE * (OPTIONS - 1)
#: The ends of a relation.
CLOSEST = 5

#: The number of issues of each situation, and the orders of options by situation, person and issue.
COUNTS = np.array([len(issues) for issues in ISSUES])
ORDERS = np.array(
    [
        [[order[1 + a] for order in issues.values()] + [DRAWN] * (MOST_ISSUES - len(issues)) for a in range(2)]
        for issues in ISSUES
    ]
)


@kernel
def draw_worth(s, player, issue):
    """Draw what the options of an issue are worth to a player; 0 for an issue that the situation lacks."""
    worth = s.level.worth[player, issue]
    for j in range(4):
        worth[j] = j
    order = ORDERS[s.level.situation, player, issue]
    if order == DRAWN:
        shuffle(s, worth, 4)
    care = np.int64(1 + randint(s, 5)) if issue < COUNTS[s.level.situation] else 0
    for j in range(4):
        worth[j] = care * (3 - worth[j] if order == DOWN else worth[j])


@kernel
def draw_fact(s, player):
    """Draw the fact about a player."""
    s.level.facts[player] = randint(s, 4)


@kernel
def draw_secret(s, player):
    """Draw whether the fact about a player is a secret."""
    s.level.secret[player] = s.level.situation == SECRET or bernoulli(s, 0.25)


@kernel
def make(s):
    """A random situation."""
    s.level.situation = randint(s, 5) if s.params.situation == ANY else s.params.situation
    s.level.relation = randint(s, 11) - 5
    for player in range(2):
        draw_fact(s, player)
        draw_secret(s, player)
        for issue in range(3):
            draw_worth(s, player, issue)


def level_fields() -> list[tuple]:
    """The fields of `s.level`."""
    return [
        ("situation", below(np.int64, len(SITUATIONS))),
        ("relation", within(np.int64, -CLOSEST, CLOSEST)),  # of the two, at the start
        ("worth", within(np.int64, 0, WORTH), (2, MOST_ISSUES, OPTIONS)),  # of each option to each player
        ("facts", below(np.int64, 4), (2,)),  # the fact about each player
        ("secret", flag(), (2,)),  # whether it is a secret
    ]


class Situations(Generator):
    """Situations of two people who have something to settle.

    Args:
        situation: one of them, or any.
    """

    make = make

    def __init__(self, situation: Situation = "any"):
        self.define(level=level_fields(), params={"situation": among((*SITUATIONS, "any"), situation)})

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(level["situation"])

    def decode(self, s: Any) -> dict[str, Any]:
        return write_situation(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_situation(s.level, level, "situations")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and "joint", the largest sum of the parts of their best that both can have together.

        The difficulty is what the two lack together then.
        """
        parts = [np.array(rows) / np.array(rows).max(axis=1).sum() for rows in level["worth"]]
        joint = float((parts[0] + parts[1]).max(axis=1).sum())
        return {"size": [len(parts[0]), OPTIONS], "solvable": True, "difficulty": 2 - joint, "joint": joint}

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """A row for each issue with two bars for each option: its worth to both."""
        from envsuite.render.scene import Label, Rect, Scene
        from envsuite.render.theme import agent_color

        issues = ISSUES[SITUATIONS.index(level["situation"])]
        scene = Scene(12, 1.2 + 2.4 * len(issues))
        scene.add(Label(6, 0.6, level["situation"], 0.6, bold=True))
        for k, (name, (options, *_)) in enumerate(issues.items()):
            top = 1.2 + 2.4 * k
            scene.add(Rect(0.2, top, 11.6, 2.2, "panel", radius=0.2))
            scene.add(Label(0.5, top + 0.4, name, 0.42, align="left", bold=True))
            for j, option in enumerate(options):
                x = 0.5 + 2.85 * j
                scene.add(Label(x, top + 0.95, option, 0.36, align="left", width=2.6))
                for a in range(2):
                    long = 2.6 * level["worth"][a][k][j] / WORTH
                    if long:
                        scene.add(Rect(x, top + 1.25 + 0.4 * a, long, 0.32, agent_color(a)))
        return scene


def write_situation(part: Any) -> dict[str, Any]:
    """A level's record as plain data."""
    count = len(ISSUES[part.situation])
    return {
        "situation": SITUATIONS[part.situation],
        "relation": int(part.relation),
        "worth": part.worth[:, :count].tolist(),
        "facts": part.facts.tolist(),
        "secret": [bool(secret) for secret in part.secret],
    }


def read_situation(part: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    exact_parts(name, level, "situation", "relation", "worth", "facts", "secret", optional=["kind"])
    number = read_name(level["situation"], f"{name}: the level's situation", SITUATIONS)
    count = len(ISSUES[number])
    part.relation = read_integer(level["relation"], f"{name}: the level's relation", -CLOSEST, CLOSEST)
    part.facts[:] = read_numbers(level["facts"], f"{name}: the level's facts", (2,), 0, 3, whole=True)
    secret = read_list(level["secret"], f"{name}: the level's secret", 2)
    if not all(isinstance(k, bool) for k in secret):
        raise LevelError(f"{name}: 'secret' must be two flags, one of each player")
    worth = read_numbers(level["worth"], f"{name}: the level's worth", (2, count, OPTIONS), 0, WORTH, whole=True)
    if (worth.max(axis=(1, 2)) == 0).any():
        raise LevelError(f"{name}: 'worth' is all 0 for player_{int((worth.max(axis=(1, 2)) == 0).argmax())}")
    part.situation = number
    part.worth[:] = 0
    part.worth[:, :count] = worth
    part.secret[:] = secret
