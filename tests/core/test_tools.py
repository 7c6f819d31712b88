"""Actions as functions that language models call: schemas, calls and back, prompts and replies."""

import json
import re
from itertools import product

import numpy as np
import pytest

import envsuite
from envsuite.core.errors import ActionError
from envsuite.core.tools import parse_call, schemas, to_call
from envsuite.dual_control.telecom import Telecom
from envsuite.dual_control.telecom.pages import POLICY
from envsuite.games.connect_four import ConnectFour

WORLDS = {"dual": Telecom(), "solo": Telecom(mode="solo"), "by name": ConnectFour()}
SEATS = [(name, agent) for name, world in WORLDS.items() for agent in range(len(world.agents))]


def calls_of(listed):
    """All calls that schemas allow."""
    for schema in listed:
        function = schema["function"]
        properties = function["parameters"]["properties"]
        for values in product(*(one["enum"] for one in properties.values())):
            yield {"name": function["name"], "arguments": dict(zip(properties, values))}


@pytest.mark.parametrize("name, agent", SEATS)
def test_each_action_is_exactly_one_call(name, agent):
    world = WORLDS[name]
    calls = list(calls_of(schemas(world, agent)))
    assert [parse_call(world, agent, call) for call in calls] == list(range(len(world.action_names[agent])))
    assert [to_call(world, agent, action) for action in range(len(calls))] == calls
    for action, call in enumerate(calls):  # arguments as JSON text, as some models give them
        assert parse_call(world, agent, {**call, "arguments": json.dumps(call["arguments"])}) == action
    with pytest.raises(ActionError, match="out of range"):
        to_call(world, agent, len(calls))


@pytest.mark.parametrize("name, agent", SEATS)
def test_schemas_are_what_models_take(name, agent):
    listed = json.loads(json.dumps(schemas(WORLDS[name], agent)))
    names = [schema["function"]["name"] for schema in listed]
    assert len(set(names)) == len(names) <= 128 and all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", one) for one in names)
    kinds = {"string": str, "integer": int, "number": float}
    for schema in listed:
        assert schema["type"] == "function" and set(schema["function"]) == {"name", "description", "parameters"}
        assert schema["function"]["description"].endswith(".")
        parameters = schema["function"]["parameters"]
        assert parameters["type"] == "object" and parameters["additionalProperties"] is False
        assert parameters["required"] == list(parameters["properties"])
        for one in parameters["properties"].values():
            assert {type(value) for value in one["enum"]} == {kinds[one["type"]]}


def test_a_mask_leaves_what_is_legal():
    env = envsuite.make_aec("Telecom")
    env.reset(seed=0)
    listed = env.tools("customer", legal=True)
    allowed = {env.parse_call("customer", call) for call in calls_of(listed)}
    assert allowed == set(np.flatnonzero(env.action_mask("customer")))
    names = [schema["function"]["name"] for schema in listed]
    assert "report" in names and "consent" not in names
    (report,) = (schema["function"] for schema in listed if schema["function"]["name"] == "report")
    # Nothing was looked at yet, so only what the customer knows can be told.
    told = ["problem", "name and number", "location", "amount of data", "all"]
    assert report["parameters"]["properties"]["about"]["enum"] == told
    assert env.tools("assistant", legal=True) == []


@pytest.mark.parametrize(
    "call, wrong",
    [
        ("reboot", "a call of assistant is a mapping"),
        ({"arguments": {}}, "a call of assistant is a mapping"),
        ({"name": "resume_line"}, "assistant has no tool 'resume_line'; did you mean 'resume'"),
        ({"name": "toggle_data"}, "assistant has no tool 'toggle_data'"),
        ({"name": "resume"}, "resume lacks the argument 'line': one of 1, 2, 3$"),
        ({"name": "resume", "arguments": {"line": 4}}, "resume: line=4 is not possible; it must be one of 1, 2, 3$"),
        ({"name": "resume", "arguments": {"line": True}}, "line=True is not possible"),
        ({"name": "resume", "arguments": {"line": "2"}}, "line='2' is not possible; it must be one of 1, 2, 3"),
        ({"name": "resume", "arguments": {"number": 2}}, "resume has no argument 'number'; it takes line$"),
        ({"name": "transfer", "arguments": {"to": "Ann"}}, "transfer has no argument 'to'; it takes nothing$"),
        ({"name": "resume", "arguments": "{line: 2"}, "are not JSON"),
        ({"name": "resume", "arguments": [2]}, "must be an object; it takes line$"),
        ({"name": "refuel", "arguments": {"line": 2, "gigabytes": 3}}, "one of 0.5, 1.0, 2.0, 5.0$"),
        ({"name": "instruct", "arguments": {"action": "rebot"}}, "action='rebot' is not possible; did you mean"),
    ],
)
def test_wrong_calls(call, wrong):
    with pytest.raises(ActionError, match=wrong):
        parse_call(WORLDS["dual"], 0, call)


def test_numbers_that_are_equal_are_the_same():
    world = WORLDS["dual"]
    action = world.action_names[0].index("refuel(line 2, 2.0 GB)")
    calls = [{"name": "refuel", "arguments": {"line": 2.0, "gigabytes": 2}}, to_call(world, 0, action)]
    assert {parse_call(world, 0, call) for call in calls} == {action}


def test_a_call_by_functions():
    """A help call played by functions alone: prompts, tools, replies."""
    env = envsuite.make_aec("Telecom")
    env.reset(seed=0, options={"level": {"family": "service", "faults": ["airplane"], "persona": "hard"}})
    assistant, customer = env.prompt("assistant"), env.prompt("customer")
    assert all(rule in assistant for rule in POLICY) and "no service" in customer and "uneasy" in customer
    replies = []
    for agent, name, arguments in (
        ("customer", "report", {"about": "problem"}),
        ("assistant", "ask", {"about": "name and number"}),
        ("customer", "report", {"about": "name and number"}),
        ("assistant", "find_customer", {"by": "phone"}),
        ("assistant", "resume", {"line": 2}),
        ("assistant", "show_bill", {"bill": 2}),
        ("assistant", "ask", {"about": "check network"}),
        ("customer", "check_network", {}),
        ("customer", "report", {"about": "check network"}),
        ("assistant", "instruct", {"action": "toggle airplane mode"}),
        ("customer", "toggle_airplane_mode", None),
        ("customer", "done", {}),
        ("assistant", "close", {}),
    ):
        assert env.agent_selection == agent
        assert env.prompt("assistant") == assistant and env.prompt("customer") == customer
        replies.append(env.reply(agent).splitlines()[0])
        env.step(env.parse_call(agent, {"name": name, "arguments": arguments}))
    assert replies[1] == "The customer: No service."
    assert replies[2] == "The assistant: What are your name and number?"
    assert replies[3] == "The customer: Here are my name and number, that of line 2."
    found = "the customer has lines 1 to 3 and bills 1 to 3, and calls about line 2"
    assert replies[4] == f"find customer(phone): {found}."
    assert replies[5] == "resume(line 2): error, nothing has changed: the line is not suspended."
    assert replies[6] == "show(bill 2): bill 2: issued, $150.00."
    seen = (
        "irplane mode on; SIM card active; signal none; network none; connection no service; mobile data on; data "
        "roaming off; Wi-Fi off."
    )
    assert replies[8] == f"check network: a{seen}" and replies[9] == f"The customer: A{seen}"
    assert replies[11].startswith("toggle airplane mode: airplane mode off; signal excellent; network 5G;")
    assert replies[12] == "The customer: Done."
    assert env.rewards == {"assistant": 1.0, "customer": 1.0}
    assert env.reply("assistant") == "The call is over: the problem is dealt with."


def test_prompts_of_one_agent_and_with_the_plan():
    level = {"family": "mms", "faults": ["mode_2g", "roaming_both"]}
    prompts, texts = {}, {}
    for mode in ("dual", "solo", "oracle_plan"):
        env = envsuite.make_aec("Telecom", mode=mode)
        env.reset(seed=0, options={"level": level})
        prompts[mode], texts[mode] = env.prompt("assistant"), env.text("assistant")
    assert "picture messages cannot be sent. The customer calls about line 2, is abroad" in prompts["solo"]
    plan = "instruct: set network mode(4g/5g preferred), then enable roaming(line 2), then instruct: toggle roaming"
    assert plan in texts["oracle_plan"] and plan not in texts["dual"] and "abroad" in prompts["solo"]
    env = envsuite.make_aec("ConnectFour")
    env.reset(seed=0)
    assert env.reply("player_0") == env.text("player_0")
