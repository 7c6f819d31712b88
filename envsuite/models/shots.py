"""Example episodes of a world's best policy, as turns of the chat before the first question.

Marked lines stand around each example. The examples depend on the world, the agent and the protocol alone, so all
requests of an evaluation begin with the same messages, which endpoints may keep in a cache.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from envsuite import registry
from envsuite.core.policy import policies_of
from envsuite.core.seeds import SHOTS
from envsuite.core.world import World
from envsuite.evaluation.reference import scores_of, usual_others
from envsuite.models.client import Message, Scripted
from envsuite.models.protocol import Protocol

if TYPE_CHECKING:
    from envsuite.models.driver import Driver

#: The turns of an example that are shown.
LONGEST = 50

#: What a model says after the examples, so that questions and answers alternate.
READY = "I have read the examples. I am ready to play."


@lru_cache(64)
def examples(world: World, agent: int, protocol: Protocol, driver: type[Driver]) -> list[Message]:
    """Messages with as many episodes as the protocol says, of an agent that the best policy plays.

    `driver` is the class `Driver`, which asks with such messages and is therefore above this file.
    """
    asked = replace(protocol, memory="chat", turns=None, image=0, shots=0)
    played = (_episode(_training(world), agent, asked, seed, driver) for seed in SHOTS)
    shown = list(islice(filter(None, played), protocol.shots))  # in some, the agent has nothing to decide
    found, before = [], ""
    for k, (first, *rest) in enumerate(shown, 1):
        found += [_user(f"{before}--- Example {k} of {len(shown)} begins ---\n\n{first['content']}"), *rest]
        before = f"--- Example {k} of {len(shown)} ends ---\n\n"
    return [*found, _user(f"{before}The game that you play begins now."), {"role": "assistant", "content": READY}]


def _user(text: str) -> Message:
    return {"role": "user", "content": text}


def _training(world: World) -> World:
    """The world with the levels for training, if it has levels of its own for tests."""
    split = {"split": "train"} if "split" in world.parameters else {}
    return registry.build_class(type(world), {**world.parameters, **split}) if split else world


def _episode(world: World, agent: int, protocol: Protocol, seed: int, driver: type[Driver]) -> list[Message]:
    """The questions and answers of an episode of the best policy."""
    name = best_policy(world, agent)
    game = driver(world, [agent], usual_others(world) or {}, protocol, seed)
    player, seat = Scripted(name).seated(game.batch, agent, seed), game.seats[agent]
    while not game.done and len(seat.turns) < LONGEST:
        for a in game.waiting():
            game.give(a, player.answer(game.request(a)))
        game.advance()
    return seat.talk.whole()[0][1:]


def best_policy(world: World, agent: int) -> str:
    """The policy with the best stored score in an agent's seat, among usual others; else the first scripted one."""
    others, known = usual_others(world), policies_of(world)
    rows = [row for row in scores_of(world.id) if row.others == others and row.policy in known]
    if rows:
        return max(rows, key=lambda row: row.returns[min(agent, len(row.returns) - 1)]).policy
    return next((name for name in known if name != "random"), "random")
