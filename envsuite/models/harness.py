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
from typing import Any, NamedTuple

import numpy as np

from envsuite.core.batch import Batch, taken
from envsuite.core.cast import Cast
from envsuite.core.errors import ParameterError
from envsuite.core.parameters import to_json
from envsuite.core.policy import Policy, make_policy
from envsuite.core.world import World
from envsuite.episodes.replay import EVERY, Replay, Start, action_type, checksum
from envsuite.evaluation.matches import turn_of
from envsuite.interfaces.single import padded
from envsuite.models.answers import Answers, StopError
from envsuite.models.client import Answer, Model, ModelError
from envsuite.models.protocol import AnswerError, Conversation, Protocol, read


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
    """

    task: str
    world: World
    seed: int
    models: Mapping[int, Model]
    others: Mapping[int, str] = field(default_factory=dict)
    steps: int | None = None
    level: Mapping[str, Any] | None = None


class Turn(NamedTuple):
    """One decision of a model.

    Attributes:
        step: transitions before it.
        agent: its name.
        question: the last part of the request: what is new at this turn.
        answers: of the model: its words and calls, with what was wrong, each.
        action: what was done, in words.
        own: whether the model chose it; otherwise the answers could not be used.
        reward: of the transition that followed, and of those until the agent's next turn; before the first turn too.
    """

    step: int
    agent: str
    question: str
    answers: tuple[tuple[Answer, str | None], ...]
    action: str
    own: bool
    reward: float = 0.0

    @property
    def by(self) -> str:
        """Who chose the action: "model" or "fallback"."""
        return "model" if self.own else "fallback"


@dataclass
class Played:
    """An episode that has been played.

    Attributes:
        game: the game.
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
    returns: np.ndarray
    length: int
    turns: list[Turn]
    counts: Counter[str]
    tokens: tuple[int, int]
    talks: dict[int, Conversation]
    replay: Replay | None
    problem: str | None = None


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
    keys = Counter((game.task, game.seed) for game in games)
    twice = next((key for key, count in keys.items() if count > 1), None)
    if twice:
        raise ParameterError(f"two games have the task {twice[0]!r} and the seed {twice[1]}")
    for world in {id(game.world): game.world for game in games}.values():
        if protocol.otherwise != "forfeit":
            make_policy(protocol.otherwise, world)  # an unknown name is an error before anything is asked
        elif world.control_spaces:
            raise ParameterError(f"{world.id}: agents with controls cannot forfeit; name a policy")
    slots = asyncio.Semaphore(answers.limits.concurrency)

    async def one(game: Game) -> Played:
        async with slots:
            try:
                found = await _Episode(game, answers, protocol).play()
            except BaseException as problem:
                answers.stopped = answers.stopped or str(problem)  # the others end after their answers
                raise
        if progress is not None:
            progress(found)
        return found

    with _interrupts(answers):
        found = await asyncio.gather(*map(one, games), return_exceptions=True)
    for model in {id(model): model for game in games for model in game.models.values()}.values():
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

    def __init__(self, game: Game, answers: Answers, protocol: Protocol):
        world = game.world
        self.game, self.answers, self.protocol = game, answers, protocol
        self.batch = Batch(world, 1, on_illegal="forfeit" if protocol.otherwise == "forfeit" else "error")
        self.batch.start(game.seed, game.level)
        self.moves: list[np.ndarray] = []  # and checksums: a replay, without a recorder's look at each call
        self.by: list[list[str]] = []
        self.checksums = [checksum(self.batch.records)]
        cast = Cast(world, dict(game.others), seats=sorted(game.others))
        self.policies = [turn_of(self.batch, one, self._seats(cast, one), game.seed) for one in cast.policies]
        self.talks = {a: Conversation(self.batch, a, protocol) for a in game.models}
        self.seated = {a: model.seated(self.batch, a, game.seed) for a, model in game.models.items()}
        self.others: dict[int, Policy] = {}
        self.turns: dict[int, list[Turn]] = {a: [] for a in game.models}
        self.earned: dict[int, list[float]] = {a: [0.0] for a in game.models}  # one for each turn
        params = to_json(world.parameters, str)
        self.key = {"task": game.task, "world": world.id, "params": params, "seed": game.seed}
        self.counts: Counter[str] = Counter()
        self.tokens = (0, 0)

    def _players(self) -> dict[str, str]:
        agents = self.game.world.agents
        named = {a: model.name for a, model in self.game.models.items()} | dict(self.game.others)
        return {agents[a]: named[a] for a in sorted(named)}

    def _seats(self, cast: Cast, policy: Policy) -> np.ndarray:
        """(1, A) bool, the agents that a policy plays."""
        return np.array([[cast.seats.get(a) is policy for a in range(len(self.game.world.agents))]])

    async def play(self) -> Played:
        """Play it to its end, or to where no answer comes."""
        batch, problem, length = self.batch, None, 0
        returns = np.zeros(len(self.game.world.agents))
        while not batch.finished[0] and length != self.game.steps:
            mine = [a for a in self.game.models if batch.acting[0, a]]
            try:
                chosen = await self._decisions(mine) if mine else {}
            except (ModelError, StopError) as error:
                problem = str(error)
                break
            for turn in self.policies:
                turn()
            for a, action in chosen.items():
                batch.actions[0, a] = action
            self.moves.append(taken(batch.actions[0], batch.acting[0] != 0))
            self.by.append([self._by(a) if acts else "" for a, acts in enumerate(batch.acting[0].tolist())])
            batch.step()
            returns += batch.rewards[0]
            length += 1
            if length % EVERY == 0:
                self.checksums.append(checksum(batch.records))
            for a, earned in self.earned.items():
                earned[-1] += float(batch.rewards[0, a])
        replay, turns = self._replay(returns) if length else None, self._told()
        return Played(self.game, returns, length, turns, self.counts, self.tokens, self.talks, replay, problem)

    def _by(self, a: int) -> str:
        """Who chose an agent's action, which has just been decided."""
        return self.turns[a][-1].by if a in self.turns else "policy"

    def _replay(self, returns: np.ndarray) -> Replay:
        """The episode so far."""
        world, batch, level = self.game.world, self.batch, self.game.level
        if len(self.moves) % EVERY:
            self.checksums.append(checksum(batch.records))
        return Replay(
            world, Start(self.game.seed, None if level is None else dict(level)),
            np.array(self.moves).astype(action_type(world)), tuple(self.checksums), returns.copy(),
            bool(batch.finished[0]), "models", players=self._players(), by=np.array(self.by),
        )  # fmt: skip

    async def _decisions(self, agents: Sequence[int]) -> dict[int, Any]:
        """The actions of models, which are asked at the same time."""
        await asyncio.sleep(0)  # other episodes may come in between
        if len(agents) < 2:
            return {a: await self._decide(a) for a in agents}
        found = await asyncio.gather(*map(self._decide, agents), return_exceptions=True)
        for one in found:
            if isinstance(one, BaseException):
                raise one
        return dict(zip(agents, found))

    async def _decide(self, a: int) -> Any:
        """The action of one agent."""
        batch, world, talk = self.batch, self.game.world, self.talks[a]
        mask = batch.masks[0, a]
        request, tried = talk.ask(), []
        action: Any = None
        for attempt in range(1 + self.protocol.retries):
            answer = await self._answer(a, request, attempt)
            problem = None
            try:
                action = read(world, a, mask, answer, self.protocol.actions, batch.record())
            except AnswerError as error:
                problem = str(error)
                self.counts[error.kind] += 1
            tried.append((answer, problem))
            if action is not None:
                break
            if attempt < self.protocol.retries:
                request = talk.again(answer, str(problem))
        own = action is not None
        if not own:
            self.counts["instead"] += 1
            self.answers.left(self._key(a), self.protocol.otherwise, str(tried[-1][1]))
            action = self._instead(a)
        words = world.described(a, action)
        talk.done(*tried[-1][:1], words, None if own else str(tried[-1][1]))
        self.counts["turns"] += 1
        self.turns[a].append(Turn(int(batch.records["t"][0]), world.agents[a], talk.question, tuple(tried), words, own))
        if len(self.turns[a]) > 1:
            self.earned[a].append(0.0)
        return padded(world, action)

    async def _answer(self, a: int, request: Any, attempt: int) -> Answer:
        """The answer of the model of one agent, counted."""
        key = {**self._key(a), "attempt": attempt}
        try:
            answer = await self.answers.ask(self.seated[a], request, key)
        finally:
            self.counts.update(f"failed: {kind}" for kind in self.answers.failures(key))
        self.counts["requests"] += 1
        self.tokens = self.tokens[0] + answer.tokens[0], self.tokens[1] + answer.tokens[1]
        return answer

    def _key(self, a: int) -> dict[str, Any]:
        """What names the present turn of an agent in the ledger."""
        agent, model = self.game.world.agents[a], self.game.models[a].name
        return {**self.key, "agent": agent, "model": model, "turn": len(self.turns[a])}

    def _instead(self, a: int) -> Any:
        """The action of an agent whose answers cannot be used."""
        if self.protocol.otherwise == "forfeit":
            return -1
        if a not in self.others:
            self.others[a] = make_policy(self.protocol.otherwise, self.game.world)
            self.others[a].reset(self.game.seed)
        action = self.others[a].act_in(self.batch, [a])[0, 0]
        return action[: len(self.game.world.action_names[a])] if np.ndim(action) else int(action)

    def _told(self) -> list[Turn]:
        """The decisions of all agents in order, with their rewards."""
        found = [
            (turn.step, a, turn._replace(reward=reward))
            for a, turns in self.turns.items()
            for turn, reward in zip(turns, self.earned[a])
        ]
        return [turn for *_, turn in sorted(found, key=lambda one: one[:2])]
