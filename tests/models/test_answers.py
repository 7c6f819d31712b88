"""Answers as models and people write them, each with what it means; those that mean no action are refused."""

import json
import random
import time
from pathlib import Path

import numpy as np
import pytest
from shapes import every_world

from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.models.client import Answer, ToolCall
from envsuite.models.protocol import AnswerError, read
from envsuite.registry import build

FILES = sorted((Path(__file__).parent / "answers").glob("*.json"))


def moment(corpus):
    """A batch at the moment at which the answers were given, and the agent that is asked."""
    world = build(corpus["world"], corpus["params"])
    batch = Batch(world, 1, compiled=False)
    batch.start(corpus["seed"], corpus["level"])
    for name in corpus["moves"]:
        a = int(np.flatnonzero(batch.acting[0])[0])
        batch.step([[world.action_names[a].index(name) if k == a else 0 for k in range(len(world.agents))]])
    return batch, int(np.flatnonzero(batch.acting[0])[0])


def given(answer, finish):
    if isinstance(answer, str):
        return Answer(answer, finish=finish)
    calls = (ToolCall(*call) for call in answer.get("calls", ()))
    return Answer(answer.get("text", ""), tuple(calls), finish=finish)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_right_readings(file):
    corpus = json.loads(file.read_text("utf-8"))
    batch, agent = moment(corpus)
    names, found, wanted = batch.world.action_names[agent], [], []
    for answer, meant, *finish in corpus["answers"]:
        one = given(answer, *finish or ["stop"])
        try:
            action = read(batch.world, agent, batch.masks[0, agent], one, corpus["actions"], batch.record())
            found.append((answer, names[action]))
        except AnswerError:
            found.append((answer, None))
        wanted.append((answer, meant))
    assert found == wanted


FORMS = (
    "{}", "Action: {}", "**Action:** `{}`.", "Let me think: 7 of 9, not bad.\n\nI choose {}.",
    '```json\n{{"reason": "it is 1 of 2", "action": {}}}\n```', "FINAL ANSWER: {}",
)  # fmt: skip


def read_in_all_forms(id, most=None):
    """The number of names that were read: of all actions that are legal at the start, or of about `most` of them."""
    world = build(id)
    batch, count = Batch(world, 1, compiled=False), 0
    batch.start(0)
    for agent in np.flatnonzero(batch.acting[0]).tolist() if not world.control_spaces else ():
        mask = batch.masks[0, agent]
        legal = np.flatnonzero(mask).tolist()
        for action in legal[:: max(1, len(legal) // most) if most else 1]:
            name = world.action_names[agent][action]
            for form in FORMS:
                text = form.format(json.dumps(name) if "{{" in form else name)
                assert read(world, agent, mask, Answer(text), "names", batch.record()) == action, text
                count += 1
    return count


@pytest.mark.parametrize("id", every_world())
def test_names_are_read_in_six_forms(id):
    assert read_in_all_forms(id, 5) or build(id).control_spaces


@pytest.mark.long
def test_all_legal_names_are_read_in_six_forms():
    assert sum(map(read_in_all_forms, registry.ids())) > 60_000


#: Pieces of answers that are not well formed.
PIECES = (
    "Action:", "action", "not", "column 4", "4", "²", "٤", "\n", " ", ",", ".", "(", ")", "{", "}", '"', "`", "**",
    "-", "+", "=", "<think>", "</think>", "<tool_call>", '{"action":', "\\boxed{", "player", "_2", "1e999", "1,000",
    "9" * 5000, "\ud83d", "\u202e", "\U000e0041", "a\u0301" * 9, "\0", "\x1b[2J", "instead of", "rather than", "but",
    "twenty", "hundred", "e4", "Nf3", "O-O", "3 hearts", "keep", "books", "->", "−", "Say:", "[" * 99, "{" * 99, "or",
    "and", "player_3", "1 x 5", "to", "P-7f", "+R", "７六歩", "成", "W[dd]", "[", "A PAR", "S", "K♥",
)  # fmt: skip


def fuzzed(count, seed):
    """The number of odd answers that were read, by any of the worlds with their own ways of writing."""
    rng, readings = random.Random(seed), 0
    moments = [moment(json.loads(file.read_text("utf-8"))) for file in FILES]
    for k in range(count):
        batch, agent = moments[k % len(moments)]
        text = "".join(rng.choice(PIECES) + rng.choice(("", " ")) for _ in range(rng.randrange(1, 9)))
        answer = Answer(text, finish=rng.choice(("stop", "length")))
        mode = ("names", "numbers", "tools")[k % 7 % 3]
        try:
            action = read(batch.world, agent, batch.masks[0, agent], answer, mode, batch.record())
        except AnswerError as refused:
            assert "cannot be read" not in str(refused), text
        else:
            assert batch.masks[0, agent, action], text
            readings += 1
    return readings


def test_odd_answers_raise_nothing_else():
    assert 0 < fuzzed(500, 2)


@pytest.mark.long
def test_a_million_odd_answers_raise_nothing_else():
    assert 1_000 < fuzzed(1_000_000, 1) < 900_000


def test_a_million_characters():
    """In time that grows with the text alone; the last line counts."""
    world, mask = build("ConnectFour"), np.ones(7, np.int8)
    for long in ("\n" * 10**6, "column 1 " * 110_000, "é" * 10**6):
        text = f"{long}\nAction: column 4"
        spent = time.process_time()
        assert read(world, 0, mask, Answer(text), "names") == 3
        assert time.process_time() - spent < 3  # seconds, where quadratic reading takes minutes


def test_the_corpus_is_large():
    corpora = [json.loads(file.read_text("utf-8")) for file in FILES]
    assert len({corpus["world"] for corpus in corpora}) >= 25
    assert sum(len(corpus["answers"]) for corpus in corpora) >= 300
