"""Asking models: limits, retries, a budget, and a ledger in which every answer is kept before it is used.

An answer that is in the ledger is not asked for again, and failures are kept too. So a run that is resumed continues
where it stopped, with the results of a run that was never interrupted.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from envsuite.core.errors import EnvsuiteError, ParameterError, ResultsError
from envsuite.models.client import Answer, Model, ModelError, Request
from envsuite.scale.ledger import Ledger

#: The longest wait between two tries, in seconds: ours, and one that the endpoint asks for.
_LONGEST, _ASKED = 60.0, 600.0


@dataclass(frozen=True)
class Limits:
    """Limits on requests.

    Attributes:
        concurrency: requests, and episodes, at once.
        per_minute: requests started in a minute; None for no limit.
        seconds: time limit of a request.
        retries: how often a request that failed is sent again in one run.
        backoff: seconds before the first retry, about; the next ones wait twice as long each, up to a minute.
    """

    concurrency: int = 32
    per_minute: float | None = None
    seconds: float = 120.0
    retries: int = 5
    backoff: float = 1.0

    def __post_init__(self) -> None:
        for name, least in (
            ("concurrency", 1),
            ("per_minute", 1e-3),
            ("seconds", 1e-3),
            ("retries", 0),
            ("backoff", 0),
        ):
            value = getattr(self, name)
            if value is not None and not value >= least:
                raise ParameterError(f"{name}={value!r} must be at least {least:g}")


@dataclass(frozen=True)
class Budget:
    """The most that a ledger may cost, with everything that it has cost before.

    Attributes:
        tokens: of requests and answers together; None for no limit.
        dollars: at these prices; None for no limit.
        prices: dollars for a million tokens of requests and of answers.
    """

    tokens: int | None = None
    dollars: float | None = None
    prices: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        if self.dollars is not None and not max(self.prices) > 0:
            raise ParameterError(f"a budget of {self.dollars:g} dollars needs the prices of a million tokens")

    def cost(self, tokens: tuple[int, int]) -> float:
        """Dollars for tokens of requests and of answers."""
        return (tokens[0] * self.prices[0] + tokens[1] * self.prices[1]) / 1e6

    def spent(self, tokens: tuple[int, int]) -> str | None:
        """Why no more requests may be sent after these tokens; None while they may."""
        if self.tokens is not None and sum(tokens) >= self.tokens:
            return f"the budget of {self.tokens:,} tokens is spent"
        if self.dollars is not None and self.cost(tokens) >= self.dollars:
            return f"the budget of {self.dollars:g} dollars is spent"
        return None


class StopError(EnvsuiteError, RuntimeError):
    """No more requests are sent: the budget is spent, every request would fail, or the user interrupts."""


class Answers:
    """Answers of models, each asked for once.

    Args:
        path: a ledger, new or existing; None to keep nothing.
        common: what all its lines have in common, as plain data.
        limits: on requests.
        budget: of the ledger.

    Attributes:
        tokens: of requests and answers, earlier runs included.
        asked: requests that were answered in this run.
        stopped: why no more requests are sent; None while they are.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        common: Mapping[str, Any],
        limits: Limits = Limits(),
        budget: Budget = Budget(),
    ):
        self.limits, self.budget = limits, budget
        self.tokens, self.asked = (0, 0), 0
        self.stopped: str | None = None
        self._found: dict[str, tuple[str, Answer]] = {}
        self._failed: dict[str, list[str]] = {}
        self._left: set[str] = set()  # turns in which a fallback chose
        self._ledger = Ledger(path, common, self._take, "an answer of a model")
        self._next = 0.0
        self._slots = asyncio.Semaphore(limits.concurrency)

    def _take(self, data: dict[str, Any], where: str) -> None:
        key = json.dumps(data["key"])
        if "fallback" in data:
            self._left.add(key)
            return
        if "failure" in data:
            self._failed.setdefault(key, []).append(str(data["failure"]))
            return
        answer = Answer.read(data["answer"])
        self._found.setdefault(key, (str(data["request"]), answer))
        self._count(answer)

    def _count(self, answer: Answer) -> None:
        self.tokens = self.tokens[0] + answer.tokens[0], self.tokens[1] + answer.tokens[1]

    def failures(self, key: Mapping[str, Any]) -> list[str]:
        """The kinds of the failures of a request so far, in this run and earlier ones."""
        return self._failed.get(json.dumps(key), []) if self._failed else []

    def left(self, key: Mapping[str, Any], fallback: str, problem: str) -> None:
        """Keep a line of a turn in which no answer could be used, so that a fallback chose.

        Args:
            key: what names the turn in the ledger, as plain data.
            fallback: the policy that chose, or "forfeit".
            problem: what was wrong with the last answer.
        """
        if json.dumps(key) not in self._left:
            self._left.add(json.dumps(key))
            self._ledger.add({"key": key, "fallback": fallback, "problem": problem})

    async def ask(self, model: Model, request: Request, key: Mapping[str, Any]) -> Answer:
        """The answer to a request, from the ledger if it is there.

        Args:
            model: as it is seated.
            request: the request.
            key: what names the request in the ledger, as plain data.

        Raises:
            ModelError: when all tries have failed.
            StopError: when no more requests are sent.
            ResultsError: when the ledger has an answer to another request there.
        """
        found = self._found.get(json.dumps(key)) if self._found else None
        if found is not None:
            digest, answer = found
            if digest != request.digest:
                raise ResultsError(
                    f"{self._ledger.path}: the request of {json.dumps(key)} is not the one that was answered: the "
                    "world or its words have changed; give another file"
                )
            return answer if model.paid else await model.ask(request)
        for attempt in range(1 + self.limits.retries):
            try:
                answer = await self._try(model, request)
                break
            except ModelError as error:
                self._failed.setdefault(json.dumps(key), []).append(error.kind)
                self._ledger.add({"key": key, "failure": error.kind})
                if error.fatal:
                    self.stopped = self.stopped or str(error)
                    raise StopError(self.stopped) from error
                if not error.again or attempt == self.limits.retries:
                    raise
                pause = min(_LONGEST, self.limits.backoff * 2**attempt) * (0.5 + random.random() / 2)
                await asyncio.sleep(max(pause, min(error.wait, _ASKED)))
        self._ledger.add({"key": key, "request": request.digest, "answer": answer.plain()})
        self._count(answer)
        self.asked += 1
        return answer

    async def _try(self, model: Model, request: Request) -> Answer:
        """The answer to one request that is sent now, or as soon as the limits allow."""
        async with self._slots:
            await self._turn()
            self.stopped = self.stopped or self.budget.spent(self.tokens)
            if self.stopped is not None:
                raise StopError(self.stopped)
            try:
                async with asyncio.timeout(self.limits.seconds):
                    return await model.ask(request)
            except TimeoutError:
                raise ModelError("timeout", f"no answer in {self.limits.seconds:g} seconds", again=True) from None

    async def _turn(self) -> None:
        """Wait until the rate allows another request."""
        if self.limits.per_minute is None:
            return
        now = time.monotonic()
        self._next = max(now, self._next) + 60.0 / self.limits.per_minute
        await asyncio.sleep(self._next - 60.0 / self.limits.per_minute - now)
