"""Sheriff: a smuggler loads a cargo and offers bribes; a sheriff says each time whether it would inspect.

**Rules.** The smuggler loads 0 to `items` illegal items. Then, for `rounds` rounds, it offers a bribe of 0 to `bribes`,
and the sheriff says whether it would inspect the cargo. Only the last round counts; those before are talk.

| last answer | cargo | smuggler | sheriff |
|---|---|---|---|
| pass | n items | `item_value` x n - bribe | bribe |
| inspect | n > 0 items | -`item_penalty` x n | `item_penalty` x n |
| inspect | none | `sheriff_penalty` | -`sheriff_penalty` |

**Agents.** `smuggler`, `sheriff`.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| cargo | Box (1,) int8 | the items loaded; -1 before, and for the sheriff |
| offers | Box (rounds,) int8 | the bribe of each round, -1 for later rounds |
| answers | Box (rounds,) int8 | 0 pass, 1 inspect, -1 for later rounds |

**Actions.** Discrete, of different sizes. Only the agent to move has legal actions.

| action | name | legal |
|---|---|---|
| smuggler: k | `load 0`, `load 1`, ... | first |
| smuggler: items + 1 + k | `bribe 0`, `bribe 1`, ... | in each round |
| sheriff: 0, 1 | `pass`, `inspect` | after each offer |

**Rewards.** As in the table, at the end.

**Ends.** Terminates after the last round.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `items` | 3 | the most items, from 1 to 20 |
| `bribes` | 3 | the highest bribe, from 1 to 20 |
| `rounds` | 4 | rounds of talk, from 1 to 10 |
| `item_value` | 1.0 | what an item earns, from 0 to 100 |
| `item_penalty` | 2.0 | the fine for each item found, from 0 to 100 |
| `sheriff_penalty` | 3.0 | what the sheriff pays for finding nothing, from 0 to 100 |

**Known values.** With 1, 2 and 3 rounds, the information sets are 5 and 4, 37 and 36, 293 and 292; uniformly random
play earns -1.125 and 1.875, and the sum of what both could gain by their best replies (NashConv) is 3.1875 in all three
(OpenSpiel).

**Differences.** None from OpenSpiel's `sheriff`.

**Source.** Farina, Ling, Fang and Sandholm, "Correlation in extensive-form games: saddle-point formulation and
benchmarks", 2019; OpenSpiel `sheriff`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page
from envsuite.core.random import randint
from envsuite.core.ranges import within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene, footer
from envsuite.render.theme import agent_color

SMUGGLER, SHERIFF = range(2)
PASS, INSPECT = range(2)
NONE = -1
ANSWERS = ("pass", "inspect")


def fields(items: int, bribes: int, rounds: int) -> list[tuple]:
    """The record's own fields."""
    return [
        ("cargo", within(np.int64, NONE, items)),  # NONE before it is loaded
        ("turn", within(np.int64, 0, 2 * rounds + 1)),  # acts so far
        ("offers", within(np.int8, NONE, bribes), (rounds,)),
        ("answers", within(np.int8, NONE, 1), (rounds,)),
    ]


@kernel
def reset(s):
    s.cargo = NONE
    s.turn = 0
    fill(s.offers, NONE)
    fill(s.answers, NONE)


@kernel
def mover(s):
    """Whose turn it is."""
    return SHERIFF if s.turn > 0 and s.turn % 2 == 0 else SMUGGLER


@kernel
def step(s, actions, rewards):
    last = s.offers.shape[0] - 1
    round_ = (s.turn - 1) // 2
    if s.turn == 0:
        s.cargo = actions[SMUGGLER]
    elif mover(s) == SMUGGLER:
        s.offers[round_] = actions[SMUGGLER] - s.params.items - 1
    else:
        s.answers[round_] = actions[SHERIFF]
    s.turn += 1
    if s.answers[last] != NONE:
        if s.answers[last] == PASS:
            rewards[SMUGGLER] = s.params.item_value * s.cargo - s.offers[last]
            rewards[SHERIFF] = s.offers[last]
        else:
            fine = s.params.item_penalty * s.cargo if s.cargo > 0 else -s.params.sheriff_penalty
            rewards[SMUGGLER] = -fine
            rewards[SHERIFF] = fine
        s.terminated[0] = 1
        s.terminated[1] = 1


@kernel
def observe(s, agent, out):
    out.cargo[0] = s.cargo if agent == SMUGGLER else NONE
    for k in range(s.offers.shape[0]):
        out.offers[k] = s.offers[k]
        out.answers[k] = s.answers[k]


@kernel
def legal(s, agent, mask):
    if s.turn > 2 * s.offers.shape[0] or mover(s) != agent:
        return
    if agent == SHERIFF:
        mask[PASS] = mask[INSPECT] = 1
        return
    items, bribes = s.params.items, s.params.bribes
    for k in range(items + bribes + 2):
        mask[k] = (k <= items) == (s.turn == 0)


@kernel
def guess(s, agent):
    """For the sheriff, any number of items, all with the same probability."""
    if agent == SHERIFF and s.cargo != NONE:
        s.cargo = randint(s, s.params.items + 1)


_RULES = (
    (
        "First the smuggler loads 0 to {items} forbidden items, unseen by the sheriff.",
        Case("rounds", {1: "Then comes a single round."}, "Then come {rounds} rounds."),
        "In a round the smuggler offers a bribe of 0 to {bribes:point}, and the sheriff answers that it lets the cargo "
        "pass or that it inspects it.",
        Case(
            "rounds",
            {1: ""},
            "Only the last round counts: its answer is carried out, and its bribe is the one that is paid. All offers "
            "and answers before are talk, and bind nobody.",
        ),
    ),
)
_CONSTANTS = {"0": "the least that can be loaded or offered"}
_ENDS = "It is over after the sheriff's last answer."

PAGES = {
    "smuggler": Page(
        role="You are the smuggler; the other player is the sheriff.",
        goal=(
            "If the sheriff lets the cargo pass in the end, you are paid {item_value:point} for each item in it, less "
            "the bribe. If it inspects, no bribe is paid; you lose {item_penalty:point} for each item, but if there "
            "are none you are paid {sheriff_penalty:point}. What you lose then goes to the sheriff, and what you are "
            "paid then comes from it.",
        ),
        rules=_RULES,
        sees="You see your cargo and all offers and answers.",
        acts={"load {N}": "load N items, at the start", "bribe {N}": "offer a bribe of N points"},
        ends=_ENDS,
        constants=_CONSTANTS,
    ),
    "sheriff": Page(
        role="You are the sheriff; the other player is the smuggler.",
        goal=(
            "If you let the cargo pass in the end, you are paid the bribe, and the smuggler gets {item_value:point} "
            "for each item in it, less the bribe. If you inspect, no bribe is paid; you get {item_penalty:point} from "
            "the smuggler for each item, but if there are none you pay it {sheriff_penalty:point}.",
        ),
        rules=_RULES,
        sees="You see all offers and answers, but not the cargo.",
        acts={"pass": "say that you let the cargo pass", "inspect": "say that you inspect it"},
        ends=_ENDS,
        constants=_CONSTANTS,
    ),
}


#: What policies say beside their bribes and answers.
PHRASES = {
    "bribe {}": (
        "Would {0} help you to look away?",
        "I can offer you {0}.",
        "There is {0} in it for you.",
        "Take {0} and let me through.",
        "How about {0}, just between us?",
    ),
    "pass": (
        "You may pass.",
        "I let you through.",
        "Fine, move on.",
        "No need to look inside.",
        "I have seen enough, go ahead.",
    ),
    "inspect": (
        "I want to look inside.",
        "Open your cargo, please.",
        "I would inspect it.",
        "No, I will check what you carry.",
        "Let me see what is in there.",
    ),
}


class Sheriff(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    guess = guess
    turns = "sequential"
    chance = False
    paid_at_end = True
    kind = ("bargaining", "deduction")
    verified = "OpenSpiel, move by move; its information sets and NashConv"
    variants = (dict(items=5, bribes=2, rounds=2, item_value=5.0, item_penalty=1.0, sheriff_penalty=1.0),)
    shown = "briber"
    keys = {"p": "pass", "i": "inspect"}
    player_page = PAGES
    phrases = PHRASES

    def __init__(
        self,
        items: Annotated[int, Between(1, 20)] = 3,
        bribes: Annotated[int, Between(1, 20)] = 3,
        rounds: Annotated[int, Between(1, 10)] = 4,
        item_value: Annotated[float, Between(0, 100)] = 1.0,
        item_penalty: Annotated[float, Between(0, 100)] = 2.0,
        sheriff_penalty: Annotated[float, Between(0, 100)] = 3.0,
    ):
        lost = max(item_penalty * items, bribes, sheriff_penalty)
        self.define(
            agents=["smuggler", "sheriff"],
            actions={
                "smuggler": [*(f"load {k}" for k in range(items + 1)), *(f"bribe {k}" for k in range(bribes + 1))],
                "sheriff": list(ANSWERS),
            },
            observation=Dict(
                {
                    "cargo": Box(NONE, items, (1,), np.int8),
                    "offers": Box(NONE, bribes, (rounds,), np.int8),
                    "answers": Box(NONE, 1, (rounds,), np.int8),
                }
            ),
            fields=fields(items, bribes, rounds),
            params={
                "items": items,
                "bribes": bribes,
                "item_value": item_value,
                "item_penalty": item_penalty,
                "sheriff_penalty": sheriff_penalty,
            },
            reward_range=(-float(lost), float(max(lost, item_value * items))),
        )

    def contradiction(self, s: Any) -> str | None:
        rounds = len(s.offers)
        made = [s.cargo, *(k for pair in zip(s.offers, s.answers) for k in pair)]
        if [k == NONE for k in made] != [k >= s.turn for k in range(2 * rounds + 1)]:
            return "turn does not go with cargo, offers and answers"
        return "the game is over" if s.turn == 2 * rounds + 1 and not s.terminated[0] else None

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"rounds": len(s.offers)}

    def speech(self, s: Any, agent: int, action: int) -> Collection[int] | None:
        """Bribes and answers. The last ones bind, and nobody sees what is loaded."""
        return range(2) if s.turn > 0 and mover(s) == agent else None

    def text(self, s: Any, agent: int) -> str:
        rounds, lines = len(s.offers), []
        if agent == SMUGGLER and s.cargo != NONE:
            lines.append(f"Items that you have loaded: {s.cargo}.")
        for k in range(rounds):
            if s.offers[k] != NONE:
                answer = "" if s.answers[k] == NONE else f", the sheriff says: {ANSWERS[s.answers[k]]}"
                lines.append(f"Round {k + 1} of {rounds}: a bribe of {s.offers[k]} is offered{answer}.")
        if s.terminated[0]:
            lines.append(f"Items in the cargo: {s.cargo}.")
        elif mover(s) != agent:
            lines.append("It is the other's turn.")
        else:
            do = "Load your cargo." if s.turn == 0 else "Offer a bribe." if agent == SMUGGLER else "Pass or inspect?"
            lines.append(do)
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        rounds = len(s.offers)
        scene = Scene(8.4, rounds * 0.62 + 3.0)
        scene.add(Rect(0.3, 0.3, 2.5, 2.2, "panel", agent_color(SMUGGLER), 0.05, 0.2))
        seen = s.cargo != NONE and (agent in (None, SMUGGLER) or s.terminated[0])
        scene.add(Label(1.55, 0.7, "cargo", 0.34, "muted"))
        scene.add(Label(1.55, 1.55, str(s.cargo) if seen else "?", 0.9, "ink", bold=True))
        for x, words in ((3.6, "round"), (5.2, "bribe"), (7.2, "sheriff")):
            scene.add(Label(x, 0.6, words, 0.34, "muted"))
        for k in range(rounds):
            y = 1.2 + 0.62 * k
            if k == rounds - 1:
                scene.add(Rect(3.1, y - 0.3, 5.0, 0.6, "highlight@0.3", radius=0.15))
            scene.add(Label(3.6, y, str(k + 1), 0.36, "ink"))
            scene.add(Label(5.2, y, "" if s.offers[k] == NONE else str(s.offers[k]), 0.4, "ink", bold=True))
            scene.add(Label(7.2, y, "" if s.answers[k] == NONE else ANSWERS[s.answers[k]], 0.36, "ink"))
        note = "over" if s.terminated[0] else f"{('smuggler', 'sheriff')[mover(s)]} moves"
        footer(scene, "the last round counts", note)
        return scene


env, raw_env, parallel_env = pettingzoo_forms(Sheriff)
