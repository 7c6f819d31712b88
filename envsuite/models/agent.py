"""A language model as an agent of any world: any callable from text to text.

    agent = LanguageAgent(lambda prompt: client.complete(prompt), calls=200)
    env = envsuite.make_aec("envsuite/TicTacToe-v0")
    episode = play_episode(env, {"player_0": agent, "player_1": "random"}, seed=0)
    write_transcript("game.jsonl", episode.transcript)

Every prompt is complete in itself: the rules, the agent's last turns, what it sees now and its legal actions, as
`models.protocol` asks in evaluations. An answer that cannot be used is returned with what is wrong, a few times; then,
and when the budget is spent, another policy acts. All of it is in the transcript.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.cast import Cast
from envsuite.core.errors import ParameterError
from envsuite.core.files import replace
from envsuite.core.policy import Policy, make_policy
from envsuite.core.world import World
from envsuite.models.client import Answer, Request
from envsuite.models.driver import Outcome, Seat
from envsuite.models.protocol import Protocol
from envsuite.talk.table import Talk


@dataclass(frozen=True)
class Exchange:
    """One question to a language agent, or one decision that was made without asking it.

    Attributes:
        world: the number of the world in its batch.
        agent: the agent's name.
        t: transitions of the episode so far.
        prompt: what was asked; "" where the budget did not allow it.
        answer: what came back; None where nothing was asked.
        action: the name of the action that was taken; None where the answer was sent back.
        problem: what was wrong with the answer, or why nothing was asked; else None.
        by: who chose the action, "model" or "fallback"; None where the answer was sent back.
    """

    world: int
    agent: str
    t: int
    prompt: str
    answer: str | None
    action: str | None
    problem: str | None
    by: str | None = None


class LanguageAgent(Policy):
    """Plays by asking a callable, from text to text; what the callable raises is not caught.

    Args:
        ask: takes a prompt and gives an answer.
        memory: how many of its last turns in an episode each prompt repeats: the reply that it got, and its action.
        retries: how often an answer that cannot be used is sent back, for each decision.
        calls: how many questions it may ask in its life, retries included; any number by default.
        characters: how many characters these and their answers may have together; a question that does not fit is not
            asked any more, an answer always counts in full.
        fallback: the policy, by name, that acts instead when no usable answer has come, or the budget is spent.
        talk: how it talks with others, as `Protocol` takes it; whoever plays the episode takes its words from `seat`,
            and tells it those of others there.

    Attributes:
        transcript: an `Exchange` for every question and every decision without one, of all episodes.
        calls, characters: used so far.
    """

    name = "language"

    def __init__(
        self,
        ask: Callable[[str], str],
        *,
        memory: int = 5,
        retries: int = 2,
        calls: int | None = None,
        characters: int | None = None,
        fallback: str = "random",
        talk: Talk | str = "typed",
    ):
        for label, value in (("memory", memory), ("retries", retries), ("calls", calls), ("characters", characters)):
            if value is not None and value < 0:
                raise ParameterError(f"{label}={value!r} must not be negative")
        self.ask = ask
        self.protocol = Protocol(
            "prompt", turns=memory, retries=retries, otherwise=fallback, skip_forced=False, talk=talk
        )
        self.calls = self.characters = 0
        self.transcript: list[Exchange] = []
        self._most_calls, self._most_characters = calls, characters
        self._seats: dict[tuple[int, int], Seat] = {}
        self._past: dict[tuple[int, int], list[Any]] = {}  # of seats that are yet to be made
        self._seed: int | None = None
        self._other: Policy | None = None
        self._other_state = b""  # for the policy that is yet to be made
        self._world: World | None = None

    def reset(self, seed: int | None = None, num: int = 1) -> None:
        """Forget the past turns; transcript and budget stay. `seed` is that of the policy that may act instead."""
        self._seats.clear()
        self._past.clear()
        self._seed, self._other_state = seed, b""
        if self._other is not None:
            self._other.reset(seed, num)

    def refresh(self, where: np.ndarray) -> None:
        self._past = {place: past for place, past in self._past.items() if not where[place[0]]}
        self._seats = {place: seat for place, seat in self._seats.items() if not where[place[0]]}
        if self._other is not None:
            self._other.refresh(where)

    def get_state(self) -> bytes:
        """The past turns and the state of the policy that may act instead; what `ask` remembers is its own."""
        other = self._other_state if self._other is None else self._other.get_state()
        past = self._past | {place: seat.talk.past() for place, seat in self._seats.items()}
        return json.dumps(
            {"past": [[*place, one] for place, one in past.items()], "seed": self._seed, "other": other.hex()}
        ).encode()

    def set_state(self, state: bytes) -> None:
        held = json.loads(state)
        self._seats = {}
        self._past = {(i, a): past for i, a, past in held["past"]}
        self._seed, self._other_state = held["seed"], bytes.fromhex(held["other"])
        self._other = None

    def act(self, observation: Any, mask: np.ndarray, agent: int = 0) -> int:
        """Refused: this agent reads the world's words."""
        raise ParameterError("a language agent reads the world's text: ask it by act_in(batch, agents)")

    def act_in(self, batch: Batch, agents: Sequence[int], where: np.ndarray | None = None) -> np.ndarray:
        acts = batch.acting[:, agents] != 0
        actions = np.zeros_like(batch.actions[:, agents])
        for i, k in zip(*np.nonzero(acts if where is None else acts & where)):
            actions[i, k, ...] = self._decide(batch, int(i), int(agents[k]))
        return actions

    def seat(self, batch: Batch, i: int, a: int) -> Seat:
        """The seat of agent number `a` in record `i`, with the turns that it had before."""
        found = self._seats.get((i, a))
        if found is None or found.batch is not batch:
            past = self._past.pop((i, a), None) if found is None else found.talk.past()
            found = self._seats[i, a] = Seat(batch, a, self.protocol, lambda: self._instead(batch, i, a), i)
            if past is not None:
                found.talk.resume(past)
        return found

    def _decide(self, batch: Batch, i: int, a: int) -> Any:
        """The action of agent number `a` in record `i`, a row of actions."""
        seat, moment, name = self.seat(batch, i, a), int(batch.records["t"][i]), batch.world.agents[a]

        def note(prompt: str, answer: str | None, outcome: Outcome, by: str | None) -> None:
            action, problem = outcome.action if by else None, outcome.problem
            self.transcript.append(Exchange(i, name, moment, prompt, answer, action, problem, by))

        seat.settle()
        action = None
        while action is None:
            prompt = _prompt(seat.request())
            problem = self._spent(prompt)
            if problem is not None:
                outcome = seat.give_up(problem)
                note("", None, outcome, "fallback")
                break
            answer = self.ask(prompt) or ""
            self.calls += 1
            self.characters += len(prompt) + len(answer)
            outcome = seat.give(Answer(answer))
            action = outcome.action
            note(prompt, answer, outcome, "model" if outcome.own else None)
            if action is not None and not outcome.own:
                note("", None, outcome, "fallback")
        action, seat.action = seat.action, None
        seat.turns.clear()
        return action

    def _spent(self, question: str) -> str | None:
        """Why a question cannot be asked, or None."""
        if self._most_calls is not None and self.calls >= self._most_calls:
            return f"the budget of {self._most_calls} calls is spent"
        if self._most_characters is not None and self.characters + len(question) > self._most_characters:
            return f"the budget of {self._most_characters} characters is spent"
        return None

    def _instead(self, batch: Batch, i: int, a: int) -> Any:
        """The action of the policy that acts where there is no answer."""
        if self._other is None or self._world is not batch.world:
            self._other, self._world = make_policy(self.protocol.otherwise, batch.world), batch.world
            self._other.reset(self._seed, batch.num)
            if self._other_state:
                self._other.set_state(self._other_state)
        where = np.arange(batch.num)[:, None] == i
        action = self._other.act_in(batch, [a], where)[i, 0]
        return action if batch.world.control_spaces else int(action)

    def chosen_by(self, agent: str) -> str:
        """Who chose the last action of the agent of this name: "model" or "fallback"."""
        return next(one.by for one in reversed(self.transcript) if one.agent == agent and one.by is not None)


def _prompt(request: Request) -> str:
    """A request as one text; answers in it are those of this turn, which could not be used."""
    said = {"assistant": "You answered:\n"}
    return "\n\n".join(f"{said.get(one['role'], '')}{one['content']}" for one in request.messages)


@dataclass(frozen=True)
class Episode:
    """One episode: each agent's return, the number of transitions, and what its language agents were asked."""

    returns: dict[str, float]
    length: int
    transcript: list[Exchange]


def play_episode(env: Any, seats: Any, seed: int | None = None, options: Mapping[str, Any] | None = None) -> Episode:
    """Play an episode of an AEC or parallel environment of this suite.

    Args:
        env: the environment; it is reset.
        seats: who plays each agent, as `Cast` takes it.
        seed: of the world and the policies; at random without one.
        options: see `envsuite.interfaces.parallel.Parallel.reset`.
    """
    env = env.unwrapped
    batch, world = env.batch, env.world
    cast = Cast(world, seats)
    speakers = [(policy, len(policy.transcript)) for policy in cast.policies if isinstance(policy, LanguageAgent)]
    env.reset(seed=seed, options=options)
    cast.reset(seed)
    returns, moment = np.zeros(len(world.agents)), 0
    while env.agents:
        acting = np.flatnonzero(batch.acting[0]).tolist()
        chosen = [(a, cast.seats[a].act_in(batch, [a])[0, 0]) for a in acting]
        actions = {
            world.agents[a]: one[: len(world.action_names[a])] if np.ndim(one) else int(one) for a, one in chosen
        }
        if hasattr(env, "agent_selection"):  # one after the other; those who are out leave in between
            env.step(actions.pop(env.agent_selection, None))
            while actions:
                env.step(actions.pop(env.agent_selection, None))
        else:
            env.step(actions)
        if batch.records["t"][0] != moment:
            moment = int(batch.records["t"][0])
            returns += batch.rewards[0]
    transcript = [one for policy, first in speakers for one in policy.transcript[first:]]
    transcript.sort(key=lambda one: one.t)
    return Episode(dict(zip(world.agents, returns.tolist())), moment, transcript)


def write_transcript(path: str | Path, transcript: Iterable[Exchange]) -> None:
    """Write a transcript as JSON lines. Half a character, as in an answer that was cut, is written as JSON's escape."""
    lines = "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in transcript)
    replace(path, lines.encode("utf-8", "backslashreplace"))


def read_transcript(path: str | Path) -> list[Exchange]:
    """The transcript of a file of JSON lines."""
    return [Exchange(**json.loads(line)) for line in Path(path).read_text("utf-8").split("\n") if line]
