"""Rules shared by help desks whose customers make requests: proposals and answers, gold plans, what tasks are.

The record has, beside the fields of `envsuite.kit.desk`:

- the task: `persona`, `requests`, and for each request `intent` and `caveat`;
- what the assistant knows: `identified`, `user_known`, and for each request `told` and `second_told`;
- the state of the talk: `topic`, `at` (the request that the call is about), `dealt`, `satisfied`, `offer` (a change
  that was described, from 1), `consent`, and `offered` (what was prepared for that change).

The last intent is to speak to a person, the first thing to state is the request, and caveat 0 is none.

A desk has rules of its own for what is stated, said and done; `rules_of` and `legal_of` bind the call to them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.kit.desk import ASSISTANT, CUSTOMER, SOLO, TALK, begin, lost, note_word, settle, show_call

#: The customer's answers, by number from its second choice on.
SECOND, CONFIRM, REFUSE, THAT_IS_ALL, HANG_UP = range(5)

SPLITS = ("all", "train", "test")
#: The largest sum of challenges that a task can be asked to reach.
HARDEST = 12


def together(intents: int, *groups: Sequence[int]) -> np.ndarray:
    """How often two intents come up in one call, as weights: 1, and 1 more for each group that both are in."""
    table = np.ones((intents, intents), np.int64)
    for group in groups:
        table[np.ix_(group, group)] += 1
    return table


# The talk.


@large_kernel
def open_call(s):
    """Start a call, in which nothing is known, stated, proposed or dealt with."""
    begin(s)
    s.identified = 0
    s.user_known = 0
    for request in range(s.dealt.shape[0]):
        for about in range(s.told.shape[1]):
            s.told[request, about] = 0
        s.second_told[request] = 0
        s.dealt[request] = 0
    for k in range(TALK):
        s.topic[k] = 0
    s.at = 0
    s.satisfied = 0
    s.offer = 0
    s.consent = 0
    fill(s.offered, 0)


@large_kernel
def say(s, speaker, word):
    """A side says something about the request that the call is about, which passes the turn; words count from 1."""
    for k in range(TALK - 1, 0, -1):
        s.topic[k] = s.topic[k - 1]
    s.topic[0] = 2 * s.at + (s.at < s.requests and s.second_told[min(s.at, s.second_told.shape[0] - 1)] != 0)
    note_word(s, speaker, word)


@kernel
def tell_second(s):
    """The customer states the second choice of the request that the call is about."""
    if s.at < s.requests:
        s.second_told[s.at] = 1


@large_kernel
def hear(s, answer):
    """The customer answers, by number from its second choice on."""
    if answer == SECOND:
        tell_second(s)
    elif answer == CONFIRM:
        s.consent = s.offer
    elif answer == THAT_IS_ALL:
        s.satisfied = 1
    if answer <= REFUSE:
        s.offer = 0


@large_kernel
def propose(s, change, prepared, needed):
    """The assistant proposes a change, counted from 1, with what is prepared for it if that is `needed`."""
    s.offer = change
    s.consent = 0
    for k in range(s.offered.shape[0]):
        s.offered[k] = prepared[k] if needed else 0


@large_kernel
def agreed(s, change, prepared, needed):
    """Whether the customer has agreed to a change, counted from 1, with what is prepared if that is `needed`."""
    same = s.consent == change
    for k in range(s.offered.shape[0]):
        same = same and (not needed or prepared[k] == s.offered[k])
    return same or s.params.mode == SOLO


@kernel
def allow_answers(s, mask, second):
    """The customer can say all that it knows, where its answers begin with `second`, and yes to a proposal."""
    for word in range(second + HANG_UP + 1):
        mask[word] = 1
    mask[second + CONFIRM] = s.offer != 0


@kernel
def allow_words(s, mask, tools, propose, inform, done, close):
    """What the assistant can say without a change; these are the first numbers of its tools and kinds of words.

    Alone, it only says what begins with `done`. A request must be stated before it is dealt with.
    """
    first = tools - done if s.params.mode == SOLO else tools
    for word in range(done, close):
        mask[first + word] = s.at < s.requests and s.told[min(s.at, s.told.shape[0] - 1), 0] != 0
    mask[first + close] = 1
    if s.params.mode != SOLO:
        for word in range(propose):
            mask[tools + word] = 1
        for word in range(inform, done):
            mask[tools + word] = 1


@kernel
def show_talk(s, agent, out):
    """Observe the talk; the customer also its manner."""
    out.at = s.at
    out.satisfied = s.satisfied
    out.offer = s.offer
    out.consent = s.consent
    show_call(s, agent, out)
    out.persona = s.persona if agent == CUSTOMER else 0


# The call, bound to the rules of a desk. `terms` is the module with its numbers.


def rules_of(terms: Any, state: Callable, speak: Callable, use: Callable, passed: Callable) -> tuple[Any, Any]:
    """What tells an assistant that is alone its request, and the transition of a desk.

    Args:
        terms: the desk's numbers.
        state: the customer states something.
        speak: the assistant says something.
        use: the assistant calls a tool.
        passed: whether the call, which is over, has succeeded.
    """
    tools, done, close, all_at_once = terms.TOOLS, terms.SAY_DONE, terms.CLOSE, terms.STATE_ALL
    first, second, hang_up, words = terms.CUSTOMER_SPEECH, terms.SECOND, terms.HANG_UP, terms.WORDS

    @large_kernel
    def brief(s):
        state(s, all_at_once)
        tell_second(s)

    @large_kernel
    def step(s, actions, rewards):
        side = np.int64(s.turn)
        action = actions[side]
        over = False
        if side == CUSTOMER:
            say(s, CUSTOMER, first + action if action <= hang_up else words + 1 + CUSTOMER)
            if action < second:
                state(s, action)
            elif action <= hang_up:
                hear(s, action - second)
            over = action == hang_up
        elif action < tools:
            use(s, action)
            over = s.transferred != 0
        elif s.params.mode == SOLO:
            speak(s, done + action - tools)
            over = done + action - tools == close
            brief(s)
        elif action - tools > close:  # it says nothing
            say(s, ASSISTANT, words + 1)
        else:
            say(s, ASSISTANT, action - tools + 1)
            speak(s, action - tools)
            over = action - tools == close
        failed = lost(s)
        if over and not failed:
            s.solved = passed(s)
        settle(s, over or failed, rewards)

    return brief, step


def legal_of(terms: Any, allow_tools: Callable, allow_changes: Callable) -> Any:
    """What is legal at a desk that allows its tools, and from an action on those changes that it may propose."""
    tools, propose, inform, done, close = terms.TOOLS, terms.PROPOSE, terms.INFORM, terms.SAY_DONE, terms.CLOSE
    second, last = terms.SECOND, terms.HANG_UP + 1

    @large_kernel
    def legal(s, agent, mask):
        if s.turn != agent:
            return
        if mask.shape[0] > tools + close + 1:
            mask[last if agent == CUSTOMER else tools + close + 1] = 1
        if agent == CUSTOMER:
            allow_answers(s, mask, second)
            return
        allow_tools(s, mask)
        allow_words(s, mask, tools, propose, inform, done, close)
        if s.params.mode != SOLO and s.identified:
            allow_changes(s, mask, tools + propose)

    return legal


# Gold plans and what tasks are about.


@kernel
def begin_plan(s):
    """Start an empty gold plan."""
    s.gold_length = 0
    fill(s.gold, -1)


@large_kernel
def add_to_plan(s, tool):
    """Append a tool call to the gold plan."""
    s.gold[s.gold_length] = tool
    s.gold_length += 1


@kernel
def asked(s, intent):
    """The number of requests with an intent."""
    count = 0
    for request in range(s.requests):
        count += s.intent[request] == intent
    return count


@large_kernel
def in_split(s, caveats):
    """Whether the combination of intents and caveats is in the part of them that `split` names: all, train or test."""
    key = np.uint64(0)
    for request in range(s.requests):
        key = random.mix(key ^ np.uint64(1 + s.intent[request] * caveats + s.caveat[request]))
    test = np.int64(key % np.uint64(3)) == 0
    return s.params.split == 0 or test == (s.params.split == 2)


@large_kernel
def draw_kinds(s, challenge, more, together, possible, die):
    """Draw what the requests are about, in a walk if there is a difficulty; False at a dead end. See `walk`."""
    for request in range(s.intent.shape[0]):
        s.intent[request] = 0
        s.caveat[request] = 0
    if s.params.difficulty:
        return walk(s, challenge, more, together, possible)
    draw_apart(s, possible, die)
    return True


@large_kernel
def draw_apart(s, possible, die):
    """Draw the requests one by one, whatever the others are; only the last may ask for a person.

    Whether one that can have a caveat has one is a throw of `die`, the sides of which are 0 or 1.
    """
    s.requests = 1 + random.randint(s, 2) + (random.randint(s, 4) == 0)
    for request in range(s.requests):
        intent = random.randint(s, possible.shape[0] - (request < s.requests - 1))
        s.intent[request] = intent
        special = False
        for caveat in range(1, possible.shape[1]):
            special = special or possible[intent, caveat] != 0
        if special and die[random.randint(s, die.shape[0])]:
            while s.caveat[request] == 0 or not possible[intent, s.caveat[request]]:
                s.caveat[request] = random.randint(s, possible.shape[1])


@kernel
def weight(s, intent, caveat, together, possible):
    """The weight of continuing a walk with this request; 0 if it was visited."""
    if not possible[intent, caveat]:
        return 0
    for request in range(s.requests):
        if s.intent[request] == intent and s.caveat[request] == caveat:
            return 0
    return 1 if s.requests == 0 else together[s.intent[s.requests - 1], intent]


@large_kernel
def walk(s, challenge, more, together, possible):
    """Walk through kinds of requests until the sum of their challenges reaches the difficulty; False at a dead end.

    A kind is an intent with a caveat. All are as likely to be the first; the next is drawn by the weights of the edges
    from the last. A walk that has all requests that a call may have, or asks for a person, before it reaches the
    difficulty is at a dead end.

    Args:
        s: the record, with `requests`, `intent` and `caveat` to fill, and the parameter `difficulty`.
        challenge: (intents,), the challenge of each intent.
        more: (caveats,), what each caveat adds to it.
        together: (intents, intents), how often two intents come up in one call.
        possible: (intents, caveats), whether an intent can have a caveat.
    """
    s.requests = 0
    reached = 0
    while reached < s.params.difficulty:
        person = s.requests > 0 and s.intent[s.requests - 1] == challenge.shape[0] - 1
        if person or s.requests == s.intent.shape[0]:
            return False
        total = 0
        for intent in range(challenge.shape[0]):
            for caveat in range(more.shape[0]):
                total += weight(s, intent, caveat, together, possible)
        left = random.randint(s, total)
        chosen = -1
        for intent in range(challenge.shape[0]):
            for caveat in range(more.shape[0]):
                if chosen < 0:
                    left -= weight(s, intent, caveat, together, possible)
                    if left < 0:
                        chosen = intent * more.shape[0] + caveat
        s.intent[s.requests] = chosen // more.shape[0]
        s.caveat[s.requests] = chosen % more.shape[0]
        s.requests += 1
        reached += challenge[chosen // more.shape[0]] + more[chosen % more.shape[0]]
    return True
