"""Models at the table: a local server with failures on demand, callables, budgets, ledgers that resume."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter

import kit
import numpy as np
import pytest
from endpoint import endpoint

from envsuite.core.errors import ParameterError, ResultsError
from envsuite.episodes.replay import Replay
from envsuite.evaluation import matches
from envsuite.models.answers import Answers, Budget, Limits
from envsuite.models.client import Answer, Asked, Chat, Function, ModelError, Scripted, answer_of, make_model
from envsuite.models.harness import Game, play
from envsuite.models.protocol import Protocol, read
from envsuite.registry import build

QUICK = Limits(concurrency=16, seconds=60, retries=20, backoff=0.001)
WORLD = build("TicTacToe")
HANABI = build("Hanabi")  # every conversation in it is different, so that failures belong to one episode
SECRET = "sk-secret-0123456789"


def games(model, count=4, world=WORLD, others="random", steps=None):
    rest = dict.fromkeys(range(1, len(world.agents)), others)
    return [Game("game", world, seed, {0: model}, rest, steps) for seed in range(count)]


def summary(played):
    """Everything that is in a result, as JSON."""
    rows = [
        [one.returns.tolist(), one.length, one.counts, one.tokens, [repr(turn) for turn in one.turns], one.problem]
        for one in played
    ]
    return json.dumps(rows, sort_keys=True)


def run(model, path=None, protocol=Protocol(), limits=QUICK, budget=Budget(), progress=None, **choice):  # noqa: B008
    answers = Answers(path, {"kind": "test", "model": model.settings()}, limits, budget)
    return play(games(model, **choice), answers, protocol, progress), answers


def totals(played):
    return sum((one.counts for one in played), Counter())


def first(messages):
    return f"Action: {kit.legal_in(messages[-1]['content'])[0]}"


def test_every_failure_is_counted():
    rates = dict(timeout=0.005, json=0.1, shape=0.1, nested=0.05, tokens=0.05, garbage=0.2, refusal=0.1)
    rates |= {"429": 0.1, "500": 0.1}
    limits = Limits(concurrency=16, seconds=5, retries=20, backoff=0.001)
    with endpoint(**rates) as (url, server):
        model = Chat("stub", base_url=url, key=SECRET)
        played, answers = run(model, limits=limits, count=12, world=HANABI, steps=10)
    assert all(one.problem is None for one in played)
    found, made = totals(played), server.made
    names = {"timeout": "timeout", "429": "429", "500": "500"}
    assert {kind: found[f"failed: {name}"] for kind, name in names.items()} == {kind: made[kind] for kind in names}
    assert found["failed: malformed"] == sum(made[kind] for kind in ("json", "shape", "nested", "tokens"))
    assert found["refused"] == made["refusal"] > 0 and found["unparsable"] == made["garbage"] > 0
    assert min(made.values()) > 0
    # Each conversation was answered once; nothing was asked that was not used.
    assert set(server.answered.values()) == {1}
    assert found["requests"] == sum(server.answered.values()) == answers.asked
    assert found["turns"] == sum(len(one.turns) for one in played)
    assert found["instead"] == sum(not turn.own for one in played for turn in one.turns) > 0
    assert sum(sum(one.tokens) for one in played) == sum(answers.tokens) > 0
    assert server.keys == {f"Bearer {SECRET}"}


@pytest.fixture
def waits(monkeypatch):
    """The seconds of all waits, which are left out."""
    found, sleep = [], asyncio.sleep

    async def skip(seconds):
        found.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", skip)
    return found


@pytest.mark.parametrize("status", ["408", "429", "500", "503", "404"])
def test_statuses(status, waits):
    """A server that always fails: as many tries as allowed, longer pauses each, or those that it asks for."""
    with endpoint(**{status: 1}) as (url, server):
        limits = Limits(concurrency=1, seconds=60, retries=3, backoff=1.0)
        played, answers = run(Chat("stub", base_url=url, key=SECRET), limits=limits, count=1)
    tries = 1 if status == "404" else 4
    assert server.made[status] == tries == played[0].counts[f"failed: {status}"] and answers.asked == 0
    assert played[0].problem and SECRET not in played[0].problem
    pauses = [wait for wait in waits if wait > 0]
    low = [7, 7, 7] if status == "503" else [0.5, 1, 2]
    high = [7, 7, 7] if status == "503" else [1, 2, 4]
    assert len(pauses) == tries - 1 and all(a <= b <= c for a, b, c in zip(low, pauses, high))


def test_the_rate_of_requests(waits):
    """The n-th request waits n / 10 seconds, less the time that has passed."""
    played, answers = run(Function(first), limits=Limits(concurrency=4, per_minute=600), count=4)
    pauses = sorted(waits)[-answers.asked + 1 :]
    assert all(one.problem is None for one in played) and answers.asked > 8
    assert pauses[-1] > 0.1 * (answers.asked - 1) - 60 / 10 and pauses[-1] <= 0.1 * answers.asked
    assert all(0 < later - earlier < 0.11 for earlier, later in zip(pauses, pauses[1:]))


def test_a_budget_of_dollars(tmp_path):
    """No request starts after the budget is spent; what was answered counts, also in the next run."""
    with endpoint() as (url, _):
        model, path = Chat("stub", base_url=url, key="-"), tmp_path / "ledger.jsonl"
        budget = Budget(dollars=0.01, prices=(10.0, 100.0))
        one = Limits(concurrency=1, seconds=60, retries=0)
        played, answers = run(model, path, limits=one, budget=budget, count=12)
        assert "the budget of 0.01 dollars is spent" in played[-1].problem
        last = max(sum(one.tokens) for one in played)
        assert 0.01 <= budget.cost(answers.tokens) < 0.01 + budget.cost((last, last))
        again, more = run(model, path, limits=one, budget=budget, count=12)
        assert more.asked == 0 and more.tokens == answers.tokens and again[-1].problem == played[-1].problem


def test_what_the_model_is_asked():
    with endpoint(garbage=0.4) as (url, server):
        played, _ = run(Chat("stub", base_url=url, key="-", temperature=0.5), count=12)
    assert all(body["model"] == "stub" and body["temperature"] == 0.5 for body in server.bodies)
    longest = max((body["messages"] for body in server.bodies), key=len)
    assert longest[0]["role"] == "system" and "You are player_0." in longest[0]["content"]
    assert {a["role"] != b["role"] or a["role"] == "user" for a, b in zip(longest[1:], longest[2:])} == {True}
    words = [message["content"] for body in server.bodies for message in body["messages"] if message["role"] == "user"]
    assert any(text.startswith("That cannot be used: ") and "names no action" in text for text in words)
    assert sum("Your legal actions" in str(message["content"]) for message in longest) <= 5
    returned = [turn for one in played for turn in one.turns if len(turn.answers) == 2]
    assert returned and all(turn.answers[0][1] for turn in returned)
    left = [turn for one in played for turn in one.turns[:-1] if not turn.own]
    noted = [text for body in server.bodies for text in [body["messages"][-1]["content"]] if "was done for you" in text]
    assert len(left) == len(noted) > 0


@pytest.mark.parametrize(
    ("memory", "actions"),
    [("chat", "tools"), *(pytest.param(*one, marks=pytest.mark.slow) for one in (
        ("chat", "names"), ("chat", "numbers"), ("prompt", "names"), ("prompt", "numbers"), ("prompt", "tools")))],
)  # fmt: skip
def test_resumed_equals_uninterrupted(tmp_path, memory, actions):
    rates = {"429": 0.1, "json": 0.1, "garbage": 0.15, "tool": 0.1, "arguments": 0.1, "refusal": 0.1}
    protocol, many = Protocol(memory, actions), dict(count=6, world=HANABI, steps=8)
    with endpoint(**rates) as (url, server):
        whole, _ = run(Chat("stub", base_url=url, key=SECRET), tmp_path / "whole.jsonl", protocol, **many)
        before = Counter(server.answered)
        server.asked.clear()
        server.answered.clear()
        path, total = tmp_path / "parts.jsonl", totals(whole)["requests"]
        for calls in (1, 3, 4, 6):  # tokens decide where it stops
            model = Chat("stub", base_url=url, key=SECRET)
            budget = Budget(tokens=sum(sum(one.tokens) for one in whole) * calls // 10)
            part, answers = run(model, path, protocol, budget=budget, **many)
            assert "is spent" in answers.stopped and any(one.problem for one in part)
        data = path.read_bytes()
        path.write_bytes(data + data[:50])  # an interrupt within a line
        again, answers = run(Chat("stub", base_url=url, key=SECRET), path, protocol, **many)
        assert summary(again) == summary(whole) and answers.asked < total
        assert server.answered == before and set(before.values()) == {1}  # each was asked for once
        asked = sum(server.asked.values())
        run(Chat("stub", base_url=url, key=SECRET), path, protocol, **many)
        assert sum(server.asked.values()) == asked  # the whole run is in the ledger
    assert SECRET not in path.read_text()


def test_an_interrupt_keeps_what_is_under_way(tmp_path):
    """Answers that are under way at an interrupt arrive, and are not asked for again."""
    asked, path = [], tmp_path / "part.jsonl"

    async def interrupted(messages):
        asked.append(json.dumps(messages))
        if len(asked) == 6:
            os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.01)
        return first(messages)

    model = Function(interrupted, "model")
    whole, _ = run(Function(first, "model"))
    with pytest.raises(KeyboardInterrupt):
        run(model, path)
    before = len(asked)
    assert path.read_bytes().count(b"\n") == before < totals(whole)["requests"]
    again, answers = run(model, path)
    assert summary(again) == summary(whole) and before + answers.asked == len(asked) == totals(whole)["requests"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_killed_evaluation_resumes(tmp_path):
    """Killed twice while it asks: every line and the results are those of a run in one go."""
    options = ["--model", "policy:random", "--episodes", "8", "--concurrency", "2"]
    command = [sys.executable, "-m", "envsuite.cli", "evaluate", "TicTacToe", *options]
    files = {name: tmp_path / f"{name}.jsonl" for name in ("whole", "killed")}
    for lines in (10, 40):
        with subprocess.Popen([*command, "--out", files["killed"]], stdout=subprocess.DEVNULL) as process:
            until = time.monotonic() + 100
            while lines_of(files["killed"]) < lines and time.monotonic() < until:
                time.sleep(0.002)
            process.kill()
        assert lines_of(files["killed"]) >= lines
    for name, file in files.items():
        done = [*command, "--out", file, "--json", tmp_path / f"{name}.json"]
        subprocess.run(done, check=True, stdout=subprocess.DEVNULL)
    assert sorted(files["killed"].read_bytes().split(b"\n")) == sorted(files["whole"].read_bytes().split(b"\n"))
    assert (tmp_path / "killed.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


def lines_of(file):
    return file.read_bytes().count(b"\n") if file.exists() else 0


def test_a_policy_plays_as_a_model(tmp_path):
    """Through the words it plays exactly the episodes that matches play; also resumed, and with controls."""
    for id, policy, others in (("TicTacToe", "tactical", "random"), ("Elicit", "interview", "")):
        world = build(id)
        names = [policy, *[others] * (len(world.agents) - 1)]
        expected = matches.play(world, names, 2).returns
        for actions in ("names", "numbers", "tools"):
            path = tmp_path / f"{id}-{actions}.jsonl"
            for _ in range(2):
                played, _ = run(Scripted(policy), path, Protocol(actions=actions), count=2, world=world, others=others)
                assert np.array_equal([one.returns for one in played], expected)
                assert not totals(played)["instead"]
                for one in played:
                    one.replay.verify()


@pytest.mark.parametrize("kind", ["synchronous", "asynchronous", "message"])
def test_callables(kind):
    async def waits(messages):
        return first(messages)

    def message(messages, tools):
        function = tools[0]["function"]
        chosen = {name: one["enum"][0] for name, one in function["parameters"]["properties"].items()}
        return {"tool_calls": [{"id": "1", "function": {"name": function["name"], "arguments": chosen}}]}

    model = {"synchronous": first, "asynchronous": waits, "message": message}[kind]
    played, _ = run(Function(model), protocol=Protocol(actions="tools" if kind == "message" else "names"))
    assert [turn.action for turn in played[0].turns][:1] == ["a1"] and not totals(played)["unparsable"]


CALL = {"type": "function", "function": {"name": "act", "arguments": '{"action": "a1"}'}}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            {"content": [{"type": "text", "text": "Action: "}, {"type": "thinking", "thinking": "b1"}, {"text": "a1"}]},
            "a1",
        ),
        ({"content": "half \ud83d, whole \ud83d\ude00"}, "half \ufffd, whole 😀"),
        ({"content": None, "refusal": "no"}, ""),
        ({"content": None, "tool_calls": [CALL, CALL]}, ""),
        ({"content": "a", "tool_calls": [CALL | {"id": None}, CALL | {"id": 7}]}, "a"),
    ],
)
def test_dialects_of_endpoints(body, found):
    answer = answer_of(json.dumps({"choices": [{"message": body}]}).encode())
    assert answer.text.endswith(found) and Answer.read(json.loads(json.dumps(answer.plain()))) == answer
    assert len({call.id for call in answer.calls}) == len(answer.calls) == len(body.get("tool_calls", ()))
    if answer.calls:
        mask = np.ones(9, np.int8)
        assert read(WORLD, 0, mask, answer, "tools") == WORLD.action_names[0].index("a1")


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"choices":' * 100_000,
        b"9" * 5000,
        b"\xff\xfe\xd8",
        b'{"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": 1e999}}',
        b'{"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": -1}}',
        b'{"choices": [{"message": {"content": "a"}}], "usage": {"completion_tokens": NaN}}',
        b'{"choices": [{"message": {"content": "a"}}], "usage": {"completion_tokens": "7"}}',
        b'{"choices": [{"message": {"content": "a"}}], "usage": [1]}',
        b'{"choices": [{"message": {"content": {"text": "a"}}}]}',
        b'{"choices": [{"message": {"content": [3]}}]}',
        b'{"choices": [{"message": {"tool_calls": [{"function": {"name": "act"}}]}}]}',
        b'{"choices": [{"message": {"content": ' + b"[" * 900 + b"]" * 900 + b"}}]}",
    ],
)
def test_malformed_bodies(body):
    with pytest.raises(ModelError) as error:
        answer_of(body)
    assert error.value.kind == "malformed" and error.value.again and len(str(error.value)) < 400


NESTED: list = []
for _ in range(5000):
    NESTED = [NESTED]

#: Answers that cannot be used, and messages that are none; each once ended a run.
ODD = (
    "²", "Action: " + "9" * 5000, "[" * 100_000, "<think>Action: a1", "\ud83d", "-" * 20_000, "\n" * 8000, "1e999",
    {"content": 3}, {"content": NESTED}, {"content": {1, 2}},
    {"tool_calls": [{"function": {"name": "act", "arguments": "[" * 100_000}}]},
    {"tool_calls": [{"function": {"name": "²" * 5000, "arguments": {"action": 10**400}}}]},
)  # fmt: skip


@pytest.mark.parametrize("actions", ["names", "numbers", "tools"])
def test_an_odd_answer_costs_one_turn(tmp_path, actions):
    """Never a run, also when it is resumed; and who chose is in the ledger and in the results."""
    count = 0

    def odd(messages):
        nonlocal count
        count += 1
        return ODD[count % len(ODD)]

    path, protocol, limits = tmp_path / "odd.jsonl", Protocol(actions=actions), Limits(concurrency=1, backoff=0)
    played, answers = run(Function(odd), path, protocol, limits, count=3)
    assert answers.stopped is None and all(one.problem is None for one in played) and count > len(ODD)
    assert all(turn.by == "fallback" for one in played for turn in one.turns)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    left = [line for line in lines if "fallback" in line]
    assert len(left) == totals(played)["instead"] and all(line["fallback"] == "random" for line in left)
    again, answers = run(Function(odd), path, protocol, limits, count=3)
    assert summary(again) == summary(played) and answers.asked == 0
    assert len(path.read_text().splitlines()) == len(lines)


def test_illegal_answers():
    """It always wants the same field: once that is taken, it is told so, and a policy moves instead."""
    asked = []
    model = Function(lambda messages: asked.append(messages[-1]["content"]) or "Action: b2", "stubborn")
    played, _ = run(model, protocol=Protocol(otherwise="tactical"))
    found = totals(played)
    late = sum(turn.action != "b2" for one in played for turn in one.turns)
    assert found["illegal"] == 2 * late > 0 and found["instead"] == late and not found["unparsable"]
    assert sum("'b2' is not legal now. Answer again." in text for text in asked) == late
    assert any("could not be used: 'b2' is not legal now. Instead, this was done for you: " in text for text in asked)


def test_forfeits_and_fallbacks():
    silent = Function(lambda messages: "", "silent")
    played, _ = run(silent, protocol=Protocol(otherwise="forfeit"))
    for one in played:
        assert one.returns[0] == -1 and one.replay.over and len(one.turns) == 1
        assert one.replay.by.tolist()[-1] == ["fallback", ""]
        one.replay.verify()
    played, _ = run(silent, protocol=Protocol(otherwise="tactical", retries=0))
    assert np.array_equal([one.returns for one in played], matches.play(WORLD, ["tactical", "random"], 4).returns)
    assert totals(played)["unparsable"] == totals(played)["instead"] == totals(played)["turns"]


def test_pictures():
    seen = []
    run(Function(lambda messages: seen.append(messages) or "Action: a1"), protocol=Protocol(image=96), count=1)
    for messages in seen:
        kinds = [[part["type"] for part in m["content"]] for m in messages if not isinstance(m["content"], str)]
        assert kinds == [["text", "image_url"]]
    assert seen[0][1]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")


def test_two_seats_of_one_episode():
    played, _ = run(Function(first), world=build("Goofspiel"), count=1)
    model = Function(first)
    answers = Answers(None, {}, QUICK)
    (both,) = play([Game("both", build("Goofspiel"), 0, {0: model, 1: model})], answers, Protocol())
    assert both.counts["turns"] == 2 * played[0].counts["turns"] == len(both.turns)
    assert [turn.agent for turn in both.turns[:2]] == ["player_0", "player_1"]
    assert sum(turn.reward for turn in both.turns if turn.agent == "player_0") == both.returns[0]


def test_what_cannot_go_on(tmp_path):
    path = tmp_path / "answers.jsonl"
    with endpoint(**{"500": 1.0}) as (url, _):
        played, answers = run(
            Chat("stub", base_url=url, key=SECRET), path, limits=Limits(retries=1, backoff=0), count=2
        )
    assert [one.counts["failed: 500"] for one in played] == [2, 2] and answers.stopped is None
    assert all("500" in one.problem and "secret" not in one.problem for one in played)
    broken = Function(lambda messages: 1 / 0, "broken")
    played, answers = run(broken)
    assert "division by zero" in answers.stopped and all(one.problem for one in played)
    path = tmp_path / "other.jsonl"
    run(Function(first), path, count=1)
    with pytest.raises(ResultsError, match="its model is"):
        run(Function(first, "other"), path, count=1)
    with pytest.raises(ResultsError, match="not the one that was answered"):
        run(Function(first), path, Protocol(turns=1), count=1)
    with pytest.raises(ResultsError, match="damaged"):
        path.write_bytes(path.read_bytes().replace(b"Action: a1", b"Action: b1", 1))
        run(Function(first), path, count=1)


def test_errors(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for make, words in (
        (lambda: make_model("gpt"), "OPENAI_API_KEY"),
        (lambda: make_model(""), "no name of a model"),
        (lambda: Protocol(memory="none"), "chat, prompt"),
        (lambda: Protocol(retries=-1), "from 0 to 10"),
        (lambda: Limits(concurrency=0), "at least 1"),
        (lambda: Budget(dollars=1), "prices"),
        (lambda: Function(3), "a model is a function"),
        (lambda: Chat("stub", key="-", stream=True), "stream: answers are read when they are complete"),
        (
            lambda: run(Function(first), count=0) and play(games(Function(first)) * 2, Answers(None, {}), Protocol()),
            "two games",
        ),
    ):
        with pytest.raises(ParameterError, match=words):
            make()
    with pytest.raises(ModelError, match="form of the protocol"):
        answer_of(b'{"choices": [{"message": {"content": 3}}]}')


def test_replays():
    """The episodes play again exactly, also longer ones, and from a level."""
    (long,) = play([Game("long", HANABI, 3, {}, {0: "convention", 1: "convention"})], Answers(None, {}), Protocol())
    world = build("RepeatedGame")
    (longer,) = play([Game("longer", world, 3, {}, {0: "grudger", 1: "defector"})], Answers(None, {}), Protocol())
    game = Game("level", WORLD, 3, {}, {0: "random", 1: "random"}, level={"moves": ["a1", "b2"]})
    (level,) = play([game], Answers(None, {}), Protocol())
    assert longer.length == 200 and long.length > 20 and level.length <= 7
    for one in (long, longer, level):
        replay = Replay.from_bytes(one.replay.to_bytes())
        replay.verify()
        assert replay.over and np.array_equal(replay.returns, one.returns)


def test_functions_from_text_to_text(monkeypatch, caplog):
    prompt = "You play.\nYour legal actions: left; right"
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setattr("envsuite.models.client.time.sleep", lambda seconds: None)
    asked = Asked()
    with endpoint() as (url, server):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        answers = [asked["stub"](prompt) for _ in range(2)]  # each in an event loop of its own
        assert answers[0] == answers[1] and "Action: " in answers[0] and sum(server.asked.values()) == 2
    with endpoint(**{"500": 1.0}) as (url, server):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        assert [asked["other"](prompt) for _ in range(2)] == ["", ""]
        assert sum(server.asked.values()) == 6
    assert len(caplog.messages) == 2  # a line for each failure
    assert all(re.match("other gives no answer: .*500", line) for line in caplog.messages)
    assert list(asked) == ["stub", "other"]
    with pytest.raises(ParameterError, match="language:policy:random is no model"):
        asked["policy:random"]
