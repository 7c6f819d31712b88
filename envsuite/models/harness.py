"""Many episodes at once between models and policies.

    answers = Answers("answers.jsonl", {"kind": "mine"})
    games = [Game("duel", world, seed, {0: model}, {1: "tactical"}) for seed in range(64)]
    played = play(games, answers, Protocol())

An episode depends on its game and on the answers alone: not on other episodes, nor on the order of the answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from envsuite.core.errors import ParameterError
from envsuite.core.parameters import to_json
from envsuite.core.seeds import SHOTS
from envsuite.core.world import World
from envsuite.episodes.replay import Replay, checksum
from envsuite.models.answers import Answers, StopError
from envsuite.models.client import Answer, Model, ModelError, make_model
from envsuite.models.driver import Driver, Turn, demand_possible
from envsuite.models.protocol import Conversation, Protocol


@dataclass(frozen=True)
class Game:
    """An episode to play.

    Attributes:
        task: a name that distinguishes it from other games with the same world and seed.
        world: the world.
        seed: of the world and of the policies.
        models: the models, by number of the agent.
        others: the policies of the other agents, by number, as names.
        steps: maximum transitions; None for no maximum.
        level: the level that it starts from, None for one by the seed.
        trial: the number of a repeat of the same episode, in which the models are asked again.
    """

    task: str
    world: World
    seed: int
    models: Mapping[int, Model]
    others: Mapping[int, str] = field(default_factory=dict)
    steps: int | None = None
    level: Mapping[str, Any] | None = None
    trial: int = 0


@dataclass
class Played:
    """An episode that has been played.

    Attributes:
        game: the game.
        start: what the episode starts from, see `start_of`.
        returns: (A,) the agents' total rewards.
        length: transitions.
        turns: the decisions of models, in order.
        counts: turns, requests, answers that could not be used by kind, failures as "failed: kind".
        tokens: of requests and of answers.
        talks: the conversation of each model, by number of the agent.
        replay: the episode; None without a transition.
        problem: why it is not finished; None if it is.
    """

    game: Game
    start: str
    returns: np.ndarray
    length: int
    turns: list[Turn]
    counts: Counter[str]
    tokens: tuple[int, int]
    talks: dict[int, Conversation]
    replay: Replay | None
    problem: str | None = None


def start_of(records: np.ndarray, models: Iterable[int]) -> str:
    """A name for what an episode starts from: a digest of its record (1,) after the reset, and the models' agents.

    The random stream does not count. Episodes with the same start are no independent evidence about a model.
    """
    row = records.copy()
    row["rng"] = 0
    return f"{checksum(row)}:{','.join(map(str, sorted(models)))}"


def tokens_of(parts: Iterable[Any]) -> tuple[int, int]:
    """The tokens of requests and of answers of several episodes, or rows of them."""
    pairs = [part.tokens for part in parts]
    return sum(sent for sent, _ in pairs), sum(got for _, got in pairs)


def play(
    games: Sequence[Game],
    answers: Answers,
    protocol: Protocol,
    progress: Callable[[Played], None] | None = None,
) -> list[Played]:
    """Play games, as many at once as the limits allow; in their order.

    Games that cannot be finished have a `problem`. An interrupt waits for the answers that are under way, keeps them
    in the ledger and is then raised.

    Args:
        games: the games.
        answers: asks the models.
        protocol: how they are asked.
        progress: called with each game that ends.
    """
    whole = play_all(games, answers, protocol, progress)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(whole)
    with ThreadPoolExecutor(1) as pool:  # in a notebook, whose event loop is running
        return pool.submit(asyncio.run, whole).result()


async def play_all(
    games: Sequence[Game],
    answers: Answers,
    protocol: Protocol,
    progress: Callable[[Played], None] | None = None,
) -> list[Played]:
    """As `play`, in a running event loop."""
    example = next((game.seed for game in games if protocol.shots and game.seed in SHOTS), None)
    if example is not None:
        raise ParameterError(f"seed {example} belongs to the examples, {SHOTS.start} to {SHOTS.stop - 1}: play others")
    keys = Counter((game.task, game.seed, game.trial) for game in games)
    twice = next((key for key, count in keys.items() if count > 1), None)
    if twice:
        raise ParameterError("two games have the task {!r}, the seed {} and the trial {}".format(*twice))
    for world in {id(game.world): game.world for game in games}.values():
        demand_possible(world, protocol)  # before anything is asked
    name = protocol.talk.reading_model if protocol.talk else None
    reader = None if name is None else make_model(name)
    slots = asyncio.Semaphore(answers.limits.concurrency)

    async def one(game: Game) -> Played:
        async with slots:
            try:
                found = await _Episode(game, answers, protocol, reader).play()
            except BaseException as problem:
                answers.stopped = answers.stopped or str(problem)  # the others end after their answers
                raise
        if progress is not None:
            progress(found)
        return found

    with _interrupts(answers):
        found = await asyncio.gather(*map(one, games), return_exceptions=True)
    asked = [model for game in games for model in game.models.values()] + ([] if reader is None else [reader])
    for model in {id(model): model for model in asked}.values():
        await model.close()
    for problem in found:
        if isinstance(problem, BaseException):
            raise problem
    if answers.stopped == _INTERRUPTED:
        raise KeyboardInterrupt
    return found  # type: ignore[return-value]


_INTERRUPTED = "interrupted"


@contextlib.contextmanager
def _interrupts(answers: Answers) -> Iterator[None]:
    """An interrupt lets no more requests start; a second one acts at once."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        answers.stopped = answers.stopped or _INTERRUPTED
        loop.remove_signal_handler(signal.SIGINT)

    try:
        loop.add_signal_handler(signal.SIGINT, stop)
    except (NotImplementedError, RuntimeError, ValueError):  # another thread, or a system without it
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


class _Episode:
    """A game while it is played."""

    def __init__(self, game: Game, answers: Answers, protocol: Protocol, reader: Model | None = None):
        world = game.world
        self.game, self.answers, self.protocol, self.reader = game, answers, protocol, reader
        self.driver = Driver(world, game.models, dict(game.others), protocol, game.seed, game.level)
        self.start = start_of(self.driver.batch.records, game.models)
        stream = (game.seed + (game.trial << 32)) % 2**64
        self.seated = {a: model.seated(self.driver.batch, a, stream) for a, model in game.models.items()}
        params = to_json(world.parameters, str)
        self.key = {"task": game.task, "world": world.id, "params": params, "seed": game.seed}
        if game.trial:  # the first one is the episode of an evaluation without repeats
            self.key["trial"] = game.trial
        self.counts: Counter[str] = Counter()  # of requests
        self.tokens = (0, 0)

    async def play(self) -> Played:
        """Play it to its end, or to where no answer comes."""
        driver, problem = self.driver, None
        while not driver.done and driver.length != self.game.steps:
            try:
                if waiting := driver.waiting():
                    await self._decisions(waiting)
            except (ModelError, StopError) as error:
                problem = str(error)
                break
            driver.advance()
        replay = driver.replay({a: model.name for a, model in self.game.models.items()}) if driver.length else None
        counts = sum((seat.counts for seat in driver.seats.values()), self.counts)
        talks = {a: seat.talk for a, seat in driver.seats.items()}
        return Played(
            self.game, self.start, driver.returns, driver.length, driver.turns(), counts, self.tokens, talks, replay,
            problem,
        )  # fmt: skip

    async def _decisions(self, agents: Sequence[int]) -> None:
        """Ask models at the same time until all have decided."""
        await asyncio.sleep(0)  # other episodes may come in between
        if len(agents) < 2:
            for a in agents:
                await self._decide(a)
            return
        for one in await asyncio.gather(*map(self._decide, agents), return_exceptions=True):
            if isinstance(one, BaseException):
                raise one

    async def _decide(self, a: int) -> None:
        """Ask the model of one agent until it has decided, or the fallback has."""
        key, attempt, action = self._key(a), 0, None
        while action is None:
            answer = await self._answer(a, {**key, "attempt": attempt})
            action, problem = self.driver.give(a, answer)
            attempt += 1
        if problem is not None:
            self.answers.left(key, self.protocol.otherwise, problem)

    async def _answer(self, a: int, key: Mapping[str, Any]) -> Answer:
        """The answer of the model of one agent, counted."""
        request = self.driver.request(a)
        model = self.reader if request.reads and self.reader is not None else self.seated[a]
        key = {**key, "reader": True} if request.reads else key
        try:
            answer = await self.answers.ask(model, request, key)
        finally:
            self.counts.update(f"failed: {kind}" for kind in self.answers.failures(key))
        self.counts["requests"] += 1
        self.tokens = self.tokens[0] + answer.tokens[0], self.tokens[1] + answer.tokens[1]
        return answer

    def _key(self, a: int) -> dict[str, Any]:
        """What names the present turn of an agent in the ledger."""
        agent, model, seat = self.game.world.agents[a], self.game.models[a].name, self.driver.seats[a]
        talk = {"talk": seat.counts["rounds"]} if seat.talks else {}
        return {**self.key, "agent": agent, "model": model, "turn": len(seat.turns), **talk}
