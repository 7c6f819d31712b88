"""Hostile calls of functions, as models give them: each costs a turn at most, and no error but the reader's own."""

import json
import math
import random
import time

import numpy as np
import pytest
from shapes import every_world

from envsuite import registry
from envsuite.core.errors import ActionError
from envsuite.core.tools import parse_call, tools_of
from envsuite.models.client import ModelError, answer_of
from envsuite.models.driver import Driver
from envsuite.models.protocol import AnswerError, Protocol, read

DEEP, LONG, DIGITS = 10_000, 10**6, "9" * 5000

#: JSON text of values that stand where an argument, a name, an id or a whole object should.
TEXTS = (
    "[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP, "[" * DEEP, DIGITS, f"-{DIGITS}", f"0.{DIGITS}",
    "1e999", "-1e999", "NaN", "Infinity", f'"{DIGITS}"', '"²"', '"٣"', '"1e999"', '"\\ud83d"', '"\\udc00\\ud83d"',
    '"\\u0000"', '"\\u001b[2J"', '"\\u202e"', "[]", "[[]]", '["action"]', "{}", '{"": null}',
    '{"name": {"name": 1}}', "null", "true", "false", "0", "-0.0", "1", "0.5",
    '""', '"x"', '"{"', '"{\\"a\\": 1}"', '"__class__"', '"null"',
)  # fmt: skip


def plain(value):
    """JSON text of a value."""
    return json.dumps(value)


def with_text(chance, text=None):
    """JSON text of a text that is JSON itself, or that ends too early, or that is long."""
    text = text or chance.choice(TEXTS)
    return plain(chance.choice((text, text[: len(text) // 2], f"```json\n{text}\n```", f"{text}{text}")))


def arguments(chance, tool):
    """JSON text of the arguments of a call: right ones, or some that are odd."""
    properties = tool["parameters"]["properties"]
    values = {name: plain(chance.choice(one.get("enum", [0.0]))) for name, one in properties.items()}
    names = [*values]
    for _ in range(chance.randrange(3)):
        odd = chance.choice(TEXTS)
        if names and chance.random() < 0.7:
            values[chance.choice(names)] = odd
        elif names and chance.random() < 0.5:
            values.pop(chance.choice(names), None)
        else:
            values[chance.choice(("", "x", "__proto__", "²", "\ud83d", "n" * 1000))] = odd
    made = "{" + ", ".join(f"{plain(name)}: {value}" for name, value in values.items()) + "}"
    return plain(made) if chance.random() < 0.6 else made if chance.random() < 0.6 else with_text(chance)


def call(chance, tools):
    """JSON text of a call."""
    tool = chance.choice(tools)["function"]
    name = plain(tool["name"]) if chance.random() < 0.7 else chance.choice((*TEXTS, '"act"', '"eval"'))
    parts = {
        "id": chance.choice(('"call_0"', '""', "null", "7", *TEXTS[:9])),
        "type": '"function"',
        "function": f'{{"name": {name}, "arguments": {arguments(chance, tool)}}}',
    }
    kind = chance.randrange(12)
    if kind == 0:
        parts[chance.choice([*parts])] = chance.choice(TEXTS)
    elif kind < 3:
        del parts[chance.choice([*parts])]
    return "{" + ", ".join(f'"{key}": {value}' for key, value in parts.items()) + "}"


def body(chance, tools):
    """The bytes of an endpoint's response, which calls a function or seems to."""
    calls = [call(chance, tools) for _ in range(chance.choice((0, 1, 1, 1, 1, 1, 2, 30)))]
    parts = {"role": '"assistant"', "content": "null", "tool_calls": f"[{', '.join(calls)}]"}
    if not calls or chance.random() < 0.2:
        words = plain(f"I call it. {call(chance, tools)}")
        parts["content"] = chance.choice((words, words, with_text(chance), *TEXTS))
    if chance.random() < 0.1:
        parts["tool_calls"] = chance.choice((*TEXTS, *calls))
    message = "{" + ", ".join(f'"{key}": {value}' for key, value in parts.items()) + "}"
    finish = chance.choice(('"tool_calls"', '"tool_calls"', '"stop"', '"length"', "null", *TEXTS[3:12]))
    made = f'{{"choices": [{{"message": {message}, "finish_reason": {finish}}}]}}'.encode(errors="surrogatepass")
    return made if chance.random() < 0.97 else made[: chance.randrange(len(made))]


def long_bodies(tool):
    """Responses of a megabyte."""
    name = plain(tool["function"]["name"])
    for long in ("x" * LONG, "{" * LONG, '{"name": ' * (LONG // 9), "é" * LONG, "\\" * LONG, "\n" * LONG):
        odd = plain(long), plain({"action": long}), plain({long: 1})
        for called, given in ((plain(long), "{}"), *((name, one) for one in odd)):
            message = f'{{"tool_calls": [{{"function": {{"name": {called}, "arguments": {given}}}}}]}}'
            yield f'{{"choices": [{{"message": {message}}}]}}'.encode()
        yield f'{{"choices": [{{"message": {{"content": {plain(long)}}}}}]}}'.encode()


def answered(driver, agent, given):
    """Let an agent answer with the bodies that `given` makes until it has decided: how many were refused, and used."""
    refused, protocol, seat = 0, driver.protocol, driver.seats[agent]
    before = len(seat.turns), driver.batch.records.tobytes()
    answers = 0
    while True:
        request = driver.request(agent)
        assert json.dumps([request.messages, request.tools], ensure_ascii=False).encode()  # it can be sent
        data = given(request.tools)
        try:
            answer = answer_of(data)
        except ModelError as problem:
            assert problem.kind == "malformed" and problem.again and len(str(problem)) < 400
            refused += 1
            continue
        answers += 1
        outcome = driver.give(agent, answer)
        if outcome.problem is not None:
            assert len(outcome.problem) < 2500 and "cannot be read" not in outcome.problem, outcome.problem
            refused += 1
        if outcome.action is not None:
            break
    assert answers <= protocol.retries + 1
    assert (len(seat.turns), driver.batch.records.tobytes()) == (before[0] + 1, before[1])
    return refused, outcome.own


def attack(id, count, seed=0):
    """Play a world with hostile answers of all its agents: how many were refused, and how many chose an action."""
    chance, world = random.Random(f"{id}{seed}"), registry.build(id)
    refused = used = episodes = 0
    while refused + used < count:
        driver = Driver(world, range(len(world.agents)), {}, Protocol(actions="tools", skip_forced=False), episodes)
        for _ in range(5):
            for agent in driver.waiting():
                start = time.process_time()
                found, own = answered(driver, agent, lambda tools: body(chance, tools))
                assert time.process_time() - start < 10
                refused, used = refused + found, used + own
            driver.advance()
            if driver.done or refused + used >= count:
                break
        assert sum(len(seat.turns) for seat in driver.seats.values()) == len(driver.turns())
        driver.replay(dict.fromkeys(driver.seats, "x")).verify()
        episodes += 1
    return refused, used


@pytest.mark.long
@pytest.mark.parametrize("id", every_world())
def test_hostile_calls(id, counted):
    refused, used = attack(id, 400)
    assert refused > 100
    counted("hostile calls refused", refused)
    counted("hostile calls that choose an action", used)


def test_a_few_hostile_calls():
    found = [attack(id, 40) for id in ("TicTacToe", "PublicGoods", "Pendulum")]
    assert sum(refused for refused, _ in found) > 60 and sum(used for _, used in found) > 5


@pytest.mark.slow
@pytest.mark.parametrize("id", ["Chess", "Telecom", "Pendulum"])
def test_calls_of_a_megabyte(id):
    """In time that grows with the text alone, though there are 4,672 names in Chess."""
    world = registry.build(id)
    driver = Driver(world, range(len(world.agents)), {}, Protocol(actions="tools", skip_forced=False))
    agent = driver.waiting()[0]
    tools, mask = driver.request(agent).tools, driver.batch.masks[0, agent]
    for data in long_bodies(tools[0]):
        spent = time.process_time()
        with pytest.raises(AnswerError) as refused:
            read(world, agent, mask, answer_of(data), "tools", driver.batch.record())
        assert time.process_time() - spent < 2  # seconds, where reading is 0.1
        assert "cannot be read" not in str(refused.value) and len(str(refused.value)) < 2500


# Calls as Python objects, which programs give.


def nested(depth, kind):
    found = 1
    for _ in range(depth):
        found = [found] if kind is list else {"a": found}
    return found


OBJECTS = (
    nested(DEEP, list), nested(DEEP, dict), 10**5000, -(10**5000), DIGITS, "²", "1e999", math.inf, -math.inf, math.nan,
    "\ud83d", "x" * LONG, "\x1b[2J", [], [1], {}, {"a": 1}, (), set(), None, True, 1j, b"x", np.zeros(2), np.zeros(()),
    np.array(["x", "y"]), np.float64(1), np.int64(1), range(3), object(), len, Ellipsis,
)  # fmt: skip


def calls_of_objects(world, agent):
    """Calls of an agent's first and last function with each object in each place."""
    tools = tools_of(world, agent) if not world.control_spaces else ()
    name = tools[-1].name if tools else "act"
    takes = [*tools[-1].arguments] if tools else [*world.action_names[agent]]
    for odd in OBJECTS:
        yield from (
            odd,
            [odd],
            {"name": odd},
            {"name": name, "arguments": odd},
            {"name": name, "arguments": {"zz": odd}},
        )
        yield {"name": name, "arguments": dict.fromkeys(takes, odd)}
        if isinstance(odd, str | int | float | tuple | None | bytes):
            yield from ({odd: 1}, {"name": name, "arguments": {odd: 1}})


def refused_objects(id):
    """How many calls of objects a world refuses."""
    world, count = registry.build(id), 0
    for agent in {0, len(world.agents) - 1}:
        for given in calls_of_objects(world, agent):
            try:
                parse_call(world, agent, given)
            except ActionError as problem:
                assert len(str(problem)) < 2500
                str(problem).encode()
                count += 1
    return count


@pytest.mark.long
@pytest.mark.parametrize("id", every_world())
def test_objects_as_calls(id, counted):
    counted("objects refused as calls", refused_objects(id))


def test_a_few_objects_as_calls():
    assert sum(map(refused_objects, ("TicTacToe", "Telecom", "Pendulum"))) > 500
