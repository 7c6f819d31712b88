"""Models: endpoints that speak the chat-completions protocol, Python callables, scripted policies.

model = Chat("gpt-4.1-mini")        # OPENAI_BASE_URL and OPENAI_API_KEY are its address and key
model = Function(answer)            # answer(messages) -> str, synchronous or asynchronous
model = Scripted("tactical")        # a policy of the world, which answers as a model does
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.core.errors import EnvsuiteError, ParameterError, located, shown, visible
from envsuite.core.policy import Policy, make_policy
from envsuite.core.tools import to_call
from envsuite.talk.voice import phrase

#: A message of a conversation, in the words of the chat-completions protocol.
Message = dict[str, Any]

#: HTTP statuses after which the same request may succeed later, and those after which no request will.
_LATER, _NEVER = {408, 409, 425, 429, 500, 502, 503, 504, 529}, {401, 403, 404, 405}


#: More tokens than any answer has.
_MOST_TOKENS = 10**12

_LOG = logging.getLogger(__name__)


class ModelError(EnvsuiteError, RuntimeError):
    """A model gave no answer.

    Attributes:
        kind: a short name by which failures are counted: "timeout", "connection", "malformed", "429", "500".
        again: whether the same request may succeed later.
        fatal: whether every other request would fail too: a wrong key, no such model.
        wait: seconds to wait that the endpoint asks for.
    """

    def __init__(self, kind: str, text: str = "", *, again: bool = False, fatal: bool = False, wait: float = 0.0):
        super().__init__(text or kind)
        self.kind, self.again, self.fatal, self.wait = kind, again, fatal, wait


#: The function by which a model says words that acts by functions.
SPEAK = "speak"


@dataclass(frozen=True)
class ToolCall:
    """A call of a function by a model; its arguments are JSON text, as the model wrote them."""

    name: str
    arguments: str
    id: str


@dataclass(frozen=True)
class Answer:
    """The answer of a model.

    Attributes:
        text: its words.
        calls: the functions that it calls.
        refusal: its words, where the endpoint marks the answer as a refusal.
        finish: why it ended: "stop", "tool_calls", "length", "content_filter".
        tokens: of the request and of the answer; 0 where the model does not count them.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    refusal: str = ""
    finish: str = "stop"
    tokens: tuple[int, int] = (0, 0)

    def plain(self) -> dict[str, Any]:
        """The plain data that `read` takes."""
        return {**vars(self), "calls": [vars(call) for call in self.calls], "tokens": list(self.tokens)}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Answer:
        """An answer from plain data."""
        sent, got = map(int, data["tokens"])
        calls = tuple(ToolCall(**call) for call in data["calls"])
        return cls(str(data["text"]), calls, str(data["refusal"]), str(data["finish"]), (sent, got))

    @property
    def message(self) -> Message:
        """As a message of the conversation."""
        made: Message = {"role": "assistant", "content": self.text or self.refusal}
        if self.calls:
            made["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in self.calls
            ]
        return made


@dataclass(frozen=True)
class Request:
    """What a model is asked.

    Attributes:
        messages: the conversation so far.
        tools: functions that it may call, with their JSON Schema; None where it answers in words.
        actions: how the answer names an action: "names", "numbers" or "tools".
        digest: of the messages and tools.
        batch, agent: the episode and the number of the agent that acts; only `Scripted` looks at them.
        speaks: whether the agent can say words of its own.
        acts: whether the answer names an action; otherwise it is words alone.
        reads: whether it is for the model that finds acts in words, and not for the one that plays.
    """

    messages: list[Message]
    tools: list[dict[str, Any]] | None
    actions: str
    digest: str
    batch: Batch
    agent: int
    speaks: bool = False
    acts: bool = True
    reads: bool = False


class Model:
    """A model that answers requests.

    Attributes:
        name: in results.
        paid: whether an answer is asked for only once. Where it is False, an answer in a ledger is asked for again.
    """

    name: str
    paid = True

    def settings(self) -> dict[str, Any]:
        """What distinguishes its answers, as plain data for JSON, without secrets."""
        return {"name": self.name}

    def seated(self, batch: Batch, agent: int, seed: int) -> Model:
        """The model that plays one agent of one episode."""
        return self

    async def ask(self, request: Request) -> Answer:
        """The answer to a request, or `ModelError`."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close its connections."""


class Chat(Model):
    """A model behind an endpoint that speaks the chat-completions protocol.

    Args:
        name: of the model, as the endpoint knows it.
        base_url: address of the endpoint; by default OPENAI_BASE_URL, else OpenAI's.
        key: by default OPENAI_API_KEY. It goes into no file and no message.
        options: further fields of each request: ``temperature=0.0``, ``max_tokens=500``.
    """

    def __init__(self, name: str, *, base_url: str | None = None, key: str | None = None, **options: Any):
        try:
            import openai
        except ImportError:
            raise ParameterError(
                'models behind an endpoint need the openai client: pip install "envsuite[models]"'
            ) from None
        if options.get("stream"):
            raise ParameterError("stream: answers are read when they are complete; leave this option out")
        self.name, self.options, self._openai = name, options, openai
        # The harness has time limits and retries of its own.
        self._connect = partial(openai.AsyncOpenAI, base_url=base_url, api_key=key, max_retries=0, timeout=None)
        try:
            self._client = self._connect()
        except openai.OpenAIError:
            raise ParameterError(
                "no key for the endpoint: set OPENAI_API_KEY; any text for a server without keys"
            ) from None

    def settings(self) -> dict[str, Any]:
        address = urlsplit(str(self._client.base_url))
        port = f":{address.port}" if address.port else ""
        return {"name": self.name, "host": f"{address.hostname}{port}{address.path}", "options": self.options}

    async def ask(self, request: Request) -> Answer:
        openai = self._openai
        body: dict[str, Any] = {"model": self.name, "messages": request.messages, **self.options}
        if request.tools is not None:
            body |= {"tools": request.tools, "tool_choice": "required", "parallel_tool_calls": False}
        try:
            response = await self._client.chat.completions.with_raw_response.create(**body)
            return answer_of(response.http_response.content)
        except openai.APITimeoutError:
            raise ModelError("timeout", again=True) from None
        except openai.APIStatusError as error:
            raise self._status(error) from None
        except openai.APIConnectionError as error:
            raise ModelError("connection", self._clean(str(error.__cause__ or error)), again=True) from None
        except openai.OpenAIError as error:
            raise ModelError("malformed", self._clean(str(error)), again=True) from None

    def _status(self, error: Any) -> ModelError:
        """The error of an answer with an HTTP status."""
        status, headers = error.status_code, error.response.headers
        spent = error.code == "insufficient_quota"
        try:
            wait = float(headers.get("retry-after", 0))
        except ValueError:  # a date
            wait = 0.0
        wait = wait if 0 <= wait < math.inf else 0.0
        text = self._clean(f"{self.name}: the endpoint answers {status}: {error.message}")
        again = status in _LATER and not spent
        return ModelError(str(status), text, again=again, fatal=status in _NEVER or spent, wait=wait)

    def _clean(self, text: str) -> str:
        """A text without the key or anything that looks like one."""
        text = re.sub(r"\b(sk|key|Bearer)[-_ ][\w*.-]{6,}", "***", text.replace(self._client.api_key or "\0", "***"))
        return " ".join(text.split())[:300]

    async def close(self) -> None:
        await self._client.close()
        self._client = self._connect()  # for another run, in another event loop


def answer_of(content: bytes) -> Answer:
    """The answer in the body of a response; `ModelError` if it is not in the form of the protocol."""
    try:
        data = json.loads(content)
        choice = data["choices"][0]
        message, used = choice["message"], data.get("usage") or {}
        calls = tuple(_call(call, k) for k, call in enumerate(message.get("tool_calls") or ()))
        tokens = _count(used.get("prompt_tokens")), _count(used.get("completion_tokens"))
        text, refusal = _text(message.get("content")), _text(message.get("refusal"))
        return Answer(text, calls, refusal, _text(str(choice.get("finish_reason") or "stop")), tokens)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as problem:
        raise ModelError(
            "malformed", f"the response is not in the form of the protocol: {shown(problem, 200)}", again=True
        ) from None


def _call(call: Mapping[str, Any], k: int) -> ToolCall:
    """A call of a function. Some endpoints give it no id, which only the reply to it needs."""
    function, given = call["function"], call["function"]["arguments"]
    arguments = given if isinstance(given, str) else json.dumps(given)
    return ToolCall(_text(function["name"]), _text(arguments), _text(str(call.get("id") or f"call_{k}")))


def _text(given: Any) -> str:
    """A text of a message, which may come in parts; of these, other things than texts are left out, such as reasoning.

    Halves of a surrogate pair become U+FFFD, because no request could send them back.
    """
    if isinstance(given, list):
        given = "".join(part["text"] for part in given if part.get("type", "text") == "text")
    if not isinstance(given or "", str):
        raise TypeError("content is no text")
    return (given or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _count(given: Any) -> int:
    """A number of tokens, 0 where it is missing."""
    if given is not None and (isinstance(given, bool) or not 0 <= given < _MOST_TOKENS):
        raise ValueError(f"{shown(given)} is no number of tokens")
    return int(given or 0)


class Function(Model):
    """A Python callable as a model.

    Args:
        answer: takes the messages and gives a text, or an assistant's message as a mapping with "content" and
            "tool_calls". If it has a parameter `tools`, it gets the functions that it may call. A coroutine function
            runs in the event loop; any other function runs in threads, several at once. What it raises is a failure.
        name: in results; by default that of the callable.
    """

    def __init__(self, answer: Callable[..., Any], name: str | None = None):
        if not callable(answer):
            raise ParameterError(f"a model is a function from messages to an answer, not {answer!r:.60}")
        self.answer, self.name = answer, name or str(getattr(answer, "__name__", type(answer).__name__))
        self._waits = inspect.iscoroutinefunction(answer) or inspect.iscoroutinefunction(type(answer).__call__)
        try:
            self._tools = "tools" in inspect.signature(answer).parameters
        except ValueError:  # a function without a signature
            self._tools = False

    async def ask(self, request: Request) -> Answer:
        given = {"tools": request.tools} if self._tools else {}
        try:
            if self._waits:
                found = await self.answer(request.messages, **given)
            else:
                found = await asyncio.to_thread(self.answer, request.messages, **given)
        except ModelError:
            raise
        except Exception as error:
            raise ModelError(type(error).__name__, located(error), fatal=True) from error
        if isinstance(found, str):
            return Answer(_text(found))
        if not isinstance(found, Mapping):
            raise ModelError("malformed", f"{self.name} must give a text or a message, not {shown(found)}", fatal=True)
        try:
            message = json.dumps({"choices": [{"message": found}]})
        except (TypeError, ValueError, RecursionError) as problem:
            raise ModelError(
                "malformed", f"{self.name} gives a message that is no JSON: {problem}", again=True
            ) from None
        return answer_of(message.encode())


class Scripted(Model):
    """A policy of the world that answers as a model does; it sees what its agent observes, not the words.

    Args:
        policy: its name.
    """

    paid = False

    def __init__(self, policy: str):
        self.policy, self.name = policy, f"policy:{policy}"
        self._player: Policy | None = None
        self._seed = 0

    def seated(self, batch: Batch, agent: int, seed: int) -> Scripted:
        player = Scripted(self.policy)
        player._player = make_policy(self.policy, batch.world)
        player._player.reset(seed)
        player._seed = seed
        return player

    async def ask(self, request: Request) -> Answer:
        return self.answer(request)

    def answer(self, request: Request) -> Answer:
        """The answer of a model that has a seat, at once."""
        world, a = request.batch.world, request.agent
        assert self._player is not None  # a seat has one
        if not request.acts:
            return Answer("Say: nothing")
        action = self._player.act_in(request.batch, [a])[0, 0]
        if world.control_spaces:
            action = action[: len(world.action_names[a])]
        s = request.batch.record()
        words = phrase(world, s, a, int(action), self._seed, int(s.t)) if request.speaks else ""
        if request.actions == "tools":
            call = to_call(world, a, action)
            calls = [ToolCall(call["name"], json.dumps(call["arguments"]), "call_0")]
            if words:
                calls.append(ToolCall(SPEAK, json.dumps({"text": words}), "call_1"))
            return Answer("", tuple(calls), finish="tool_calls")
        if np.ndim(action):  # in full, which `World.described` rounds
            pairs = zip(world.action_names[a], action.tolist())
            return Answer(f"Action: {', '.join(f'{name}={value!r}' for name, value in pairs)}")
        named = int(action) if request.actions == "numbers" else world.action_names[a][int(action)]
        return Answer(f"Say: {words}\nAction: {named}" if words else f"Action: {named}")


def make_model(text: str, **options: Any) -> Model:
    """A model by its name: ``policy:NAME``, ``python:module:function``, or the name of a model of the endpoint.

    Args:
        text: the name.
        options: further fields of each request to an endpoint.
    """
    kind, _, rest = text.partition(":")
    if kind == "policy" and rest:
        return Scripted(rest)
    if kind == "python" and rest:
        return Function(registry.loaded(rest), text)
    if not text.strip():
        raise ParameterError("'' is no name of a model: policy:NAME, python:module:function, or an endpoint's model")
    return Chat(text, **options)


class Asked(dict[str, Callable[[str], str]]):
    """Functions from text to text by the names of models, made when they are wanted; for seats at tables.

    A function asks the model and waits. Where the endpoint fails three times, or once for good, it logs a warning and
    gives "", so that the agent's fallback acts and the others play on.
    """

    def __missing__(self, name: str) -> Callable[[str], str]:
        model = make_model(name)
        if isinstance(model, Scripted):
            raise ParameterError(f"language:{name} is no model: a seat for a policy has its name alone, {model.policy}")
        self[name] = made = partial(_asked, model)
        return made


def _asked(model: Model, prompt: str, tries: int = 3, seconds: float = 60.0) -> str:
    async def once() -> str:
        messages = [{"role": "user", "content": prompt}]
        try:
            request = Request(messages, None, "names", "", None, 0)  # type: ignore[arg-type]
            answer = await asyncio.wait_for(model.ask(request), seconds)
            return "" if answer.finish == "length" else answer.text  # what was cut off is no answer
        finally:
            await model.close()

    for left in reversed(range(tries)):
        try:
            return asyncio.run(once())
        except (ModelError, TimeoutError) as error:
            if not left or not getattr(error, "again", True):
                _LOG.warning("%s gives no answer: %s", visible(model.name), visible(str(error)) or "timeout")
                break
            time.sleep(min(getattr(error, "wait", 0.0) or 1.0, 30.0))
    return ""
