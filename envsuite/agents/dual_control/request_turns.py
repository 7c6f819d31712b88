"""What baselines share at help desks whose customer has some requests: when the assistant deals with one, the customer.

Decisions of an assistant are its tools by number, and from `tools` on its words. The first numbers of kinds of words
are `propose`, `inform`, `done` and `close`; its questions come first. The customer states in the same order what the
questions are about, then all; its answers follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.policy import CHANCE, policy
from envsuite.core.ranges import limited
from envsuite.kit.desk import ASSISTANT
from envsuite.kit.request_rules import CONFIRM, REFUSE, SECOND, THAT_IS_ALL


@kernel
def stated(observation):
    """Whether there is a request that the call is about, and it was stated."""
    count = observation.requests.shape[0]
    return observation.at < count and observation.requests[min(np.int64(observation.at), count - 1), 0] > 0


@kernel
def offered(observation):
    """Whether a change was proposed for such a request."""
    return stated(observation) and observation.offer != 0


@large_kernel
def between(memory, observation, solo, tools, done, close):
    """The next step between requests: to ask for one, say that it is done, or close; -1 while one is dealt with."""
    if observation.satisfied:
        return np.int64(tools + close)
    if not stated(observation):
        return np.int64(tools + close if solo else tools)
    if memory.written:
        memory.written = 0
        return np.int64(tools + done)
    return np.int64(-1)


@large_kernel
def in_turn(memory, mask, step, solo, tools, propose, done):
    """The action of a decision: where tools are used up a question, and a transfer where questions may not be asked."""
    if solo:
        return step if step < tools else step - done
    if tools <= step < tools + propose and not memory.asks:
        return np.int64(tools - 1)
    if mask[step]:
        return step
    memory.written = 0
    return np.int64(tools)


@large_kernel
def judge(memory, observation, wanted, refuses):
    """The customer's answer to a proposal."""
    if not offered(observation):
        return np.int64(REFUSE)
    second = observation.requests[np.int64(observation.at), observation.requests.shape[1] - 1]
    if second == 3 or (second == 2 and not wanted):
        return np.int64(SECOND)
    return np.int64(REFUSE if not wanted or random.bernoulli(memory, refuses) else CONFIRM)


@large_kernel
def answer(memory, observation, wanted, volunteers, refuses, names, propose, inform, done):
    """The customer: states what it wants, and says yes to exactly that.

    Args:
        wanted: whether what was proposed is what it wants.
        volunteers: whether it states all at once.
        refuses: the probability with which it refuses what it wants.
        names: the number of things by which it can be found; they come after the request.
    """
    heard = np.int64(observation.talk[0]) - 1
    answers = propose + 1
    if propose <= heard < inform:
        return np.int64(answers + judge(memory, observation, wanted, refuses))
    if inform <= heard < done:
        return np.int64(answers + SECOND)
    about = heard if 0 <= heard < propose else np.int64(0)
    if not stated(observation) and not 1 <= about <= names:
        return np.int64(answers + THAT_IS_ALL)
    return np.int64(propose) if volunteers else about


def declare(id: str, terms: Any, names: int, memory: Mapping[str, Any], decide: Callable, as_wanted: Callable) -> None:
    """Declare the baselines of such a desk: one assistant, and kinds of customers.

    Args:
        id: the world.
        terms: its numbers.
        names: the number of things by which the customer can be found.
        memory: what the assistant remembers.
        decide: its next step: a tool by number, and from `TOOLS` on speech.
        as_wanted: whether a proposed change, by number, is what the customer wants.
    """
    tools, propose, inform, done, close = terms.TOOLS, terms.PROPOSE, terms.INFORM, terms.SAY_DONE, terms.CLOSE
    alone = tools + terms.ASSISTANT_SAYS - done
    talks = {"asks": limited(1, 0, 1), **memory}  # the assistant asks; "workflow" can do without

    @large_kernel
    def assist(memory, observation, mask):
        solo = mask.shape[0] == alone
        step = np.int64(between(memory, observation, solo, tools, done, close))
        if step < 0:
            step = np.int64(decide(memory, observation, solo))
        return np.int64(in_turn(memory, mask, step, solo, tools, propose, done))

    @large_kernel
    def play(memory, observation, mask, volunteers, refuses):
        if memory.agent == ASSISTANT:
            return np.int64(assist(memory, observation, mask))
        wanted = offered(observation) and as_wanted(observation, np.int64(observation.offer) - 1)
        return np.int64(answer(memory, observation, wanted, volunteers, refuses, names, propose, inform, done))

    @policy(id, "plan", talks)
    @policy(id, "easy", talks)
    @policy(id, "workflow", memory, asks=CHANCE.at(1))
    def workflow(memory, observation, mask):
        """As the assistant, checks each request by the policy; as the customer, states all at once.

        An assistant that may not ask transfers if it would have to.
        """
        return play(memory, observation, mask, True, 0.0)

    @policy(id, "hard", talks)
    def hard(memory, observation, mask):
        """As the customer, answers only what it is asked; as the assistant, plays like "workflow"."""
        return play(memory, observation, mask, False, 0.0)

    @policy(id, "reluctant", talks, rate=CHANCE.at(0.3))
    def reluctant(memory, observation, mask):
        """As the customer, refuses what it wants with probability `rate`; otherwise plays like "hard"."""
        return play(memory, observation, mask, False, memory.rate)

    @policy(id, "persona", talks)
    def persona(memory, observation, mask):
        """As the customer, states all at once unless the task's persona is hard; as the assistant, like "workflow"."""
        return play(memory, observation, mask, observation.persona < 2, 0.0)
