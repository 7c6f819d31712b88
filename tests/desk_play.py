"""Calls at help desks: by hand, of drawn tasks, and between policies."""

import json

import kit
import numpy as np
import pytest

from envsuite import registry
from envsuite.core.errors import LevelError, ParameterError

#: A policy that plays all seats, and the mode in which it solves every task.
SITUATIONS = [
    ("workflow", "solo"),
    ("workflow", "dual"),
    ("hard", "dual"),
    ("persona", "dual"),
    ("plan", "oracle_plan"),
]


def call(batch, *names):
    """The first record after these actions, by whoever has the turn."""
    for name in names:
        batch.actions[0, kit.mover(batch)] = batch.world.action_names[kit.mover(batch)].index(name)
        batch.step(where=slice(1))
    return batch.record(0)


def sight(batch, agent):
    """All that an agent sees in the first record: observation, mask, words and picture."""
    world, s = batch.world, batch.record(0)
    words = world.text(s, agent), world.reply(s, agent), world.prompt(s, agent)
    return batch.observations[0, agent].tobytes(), batch.masks[0, agent].tobytes(), words, world.scene(s, agent)


def finished(world, name, num, **params):
    """The records after a policy has played tasks in all seats."""
    batch = kit.started(world, num, 5, **params)
    kit.finish(batch, name)
    return batch.records


def talk_costs(world):
    """Demand that the more the customer must be asked, the more steps are needed, and that random play is no help."""
    alone, easy, hard = (finished(world, name, 600, mode=mode)["t"].mean()
                         for name, mode in (("workflow", "solo"), ("easy", "dual"), ("hard", "dual")))  # fmt: skip
    assert alone < easy < hard
    assert finished(world, "random", 600)["solved"].mean() < 0.05


def combinations(world, split):
    """What 1,500 drawn tasks of a split are about: for each the pairs of intent and caveat, in order."""
    records = kit.started(world, 1500, mode="solo", split=split).records
    kinds = np.stack([records["intent"], records["caveat"]], axis=2).tolist()
    return {tuple(map(tuple, pairs[:count])) for pairs, count in zip(kinds, records["requests"])}


def challenging(terms, records, difficulty):
    """Whether the challenges of each task's requests add up to a difficulty."""
    sums = terms.CHALLENGE[records["intent"]] + terms.MORE[records["caveat"]]
    sums[np.arange(terms.REQUESTS) >= records["requests"][:, None]] = 0
    return (sums.sum(axis=1) >= difficulty).all()


def levels_come_back(world, num):
    """Demand that drawn tasks are the same when they are given as levels; these, and the records."""
    batch = kit.started(world, num)
    levels = [world.get_level(batch.record(i)) for i in range(num)]
    again = kit.started(world, num, 9, json.loads(json.dumps(levels)))
    assert [world.get_level(again.record(i)) for i in range(num)] == levels
    for name in ("gold", "gold_mark"):
        np.testing.assert_array_equal(again.records[name], batch.records[name])
    return levels, batch.records


def refused(world, level, path, value, message):
    """Demand that a level is refused with this message where an entry, named by its path, has another value."""
    part = level
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    with pytest.raises(LevelError, match=message):
        kit.started(world, level=level)


def same_mark(signature, s):
    """Whether the bookings of a record are as after its gold plan, by the kernel `signature`."""
    with np.errstate(over="ignore"):  # words wrap around, as in machine code
        return signature(s) == s.gold_mark


def hears(batch, name):
    """Who hears the agent that acts when it does this."""
    agent = kit.mover(batch)
    return batch.world.speech(batch.record(0), agent, batch.world.action_names[agent].index(name))


def asked_after(world, talk, *acts):
    """What the assistant is asked when the customer has said the same words, with each of these acts."""
    from envsuite.models.client import Answer
    from envsuite.models.driver import Driver
    from envsuite.models.protocol import Protocol

    for act in acts:
        driver = Driver(registry.build(world, {"say": True}), {0, 1}, None, Protocol(talk=talk), seed=3)
        driver.give(1, Answer(f"Say: Hello, I need help.\nAction: {act}"))
        driver.advance()
        yield driver.request(0).messages[-1]["content"]


def words_pass_the_turn(world):
    """Demand that `say` is the last action of both sides, passes the turn, tells nothing and leaves a call as it is."""
    batch = kit.started(world, 1, 5, say=True)
    plain, s = kit.started(world, 1, 5), batch.record(0)
    for names, shorter in zip(batch.world.action_names, plain.world.action_names):
        assert names == (*shorter, "say")
    for side in (1, 0, 1):
        assert s.turn == side and batch.masks[0, side, len(batch.world.action_names[side]) - 1]
        before = batch.world.text(s, 1 - side)
        call(batch, "say")
        assert (
            s.turn == 1 - side
            and batch.world.messages(s) == []
            and before.split("\n")[:-1] == (batch.world.text(s, 1 - side).split("\n")[:-1])
        )
    assert s.words == 3 and not s.terminated[0]


def free_talk_needs_say(world):
    """Demand that words can replace acts only with `say`, and that an assistant that is alone cannot talk."""
    from envsuite.talk.table import Talk

    Talk("beside").demand(registry.build(world, {}))
    Talk("free").demand(registry.build(world, {"say": True}))
    with pytest.raises(ParameterError, match="say=True"):
        Talk("free").demand(registry.build(world, {}))
    with pytest.raises(ParameterError, match="nobody to talk to"):
        Talk("beside").demand(registry.build(world, {"mode": "solo", "say": True}))
    assert "say" not in registry.build(world, {"mode": "solo", "say": True}).action_names[0]
