"""Written answers, by whoever wrote them: hostile ones are refused in linear time, and none means another action."""

import re
import time
from functools import partial

import kit
import numpy as np
import pytest
from shapes import every_world

import envsuite
from envsuite.agents import human
from envsuite.core import errors
from envsuite.core.digits import whole
from envsuite.core.errors import ActionError
from envsuite.core.tools import parse_call
from envsuite.models.client import Answer, ToolCall
from envsuite.models.protocol import AnswerError, read
from envsuite.reading import parts, read_action, read_controls
from envsuite.reading.answers import spoken
from envsuite.reading.phrases import Names, words_of
from envsuite.registry import build

#: Answers that ended runs or took minutes, and others of their kinds.
HOSTILE = (
    "²",
    "9" * 5000,
    "Action: " + "³" * 3,
    "Action: -" + "9" * 4301 + ".",
    "1e999, nan, -inf",
    "=".join("12345"),
    "\n" * 3000 + "-" * 3000,
    "[" * 5000 + "{" * 5000,
    "\ud83d <!>\0\x1b[2J</!> \u2028 \u2212\u00bd",
    "<think>" * 500,
)

CALLS = (
    "[" * 100_000,
    '{"a":' * 100_000,
    "9" * 5000,
    "\ud83d",
    "²",
    '{"action": ' + "[" * 900 + "]" * 900 + "}",
    '{"action": 1e999, "": null}',
    '{"action": "' + "a" * 100_000 + '"}',
    "[" * 900 + "]" * 900,
    '{"' + "b" * 100_000 + '": 1}',
)


def readers(world, mask, text):
    """All that read a text as an action of the first agent."""
    legal = np.flatnonzero(mask).tolist()
    if world.control_spaces:
        yield lambda: read_controls(world, 0, text)
    else:
        yield lambda: read_action(world.action_names[0], text, legal, world.synonyms)
    yield lambda: kit.read_answer(world, 0, mask, text)
    yield lambda: human.read(world, 0, mask, text)
    for actions in ("names", "numbers"):
        yield partial(read, world, 0, mask, Answer(text), actions)
    yield lambda: parse_call(world, 0, {"name": text, "arguments": text})


@pytest.mark.parametrize("id", every_world())
def test_hostile_answers_are_refused(id):
    world, mask = build(id), np.ones(build(id).num_actions, np.int8)
    mask = mask[: len(world.action_names[0])]
    for text in HOSTILE:
        for reader in readers(world, mask, text):
            with pytest.raises(ActionError) as refused:
                reader()
            assert len(str(refused.value)) < 1000
    name = "act" if not world.tools else world.tools[0][0].name
    for arguments in CALLS:
        answer = Answer("", (ToolCall(name, arguments, "1"),))
        try:
            read(world, 0, mask, answer, "tools")
        except AnswerError as refused:
            assert len(str(refused)) < 2000


@pytest.mark.parametrize("id", every_world())
def test_a_number_means_no_other_name(id):
    """A number alone is an action only if it stands in the action's name, for models and for people."""
    world = build(id)
    if world.control_spaces:
        return
    names = world.action_names[0]
    mask = np.ones(len(names), np.int8)
    for number in range(min(len(names), 24)):
        for reader in (kit.read_answer, human.read):
            try:
                name = names[reader(world, 0, mask, str(number))]
            except ActionError:
                continue
            assert str(number) in re.findall(r"\d+", name) or world.keys.get(str(number)) == name


@pytest.mark.parametrize("id", every_world())
def test_wordings_do_not_contradict_each_other(id):
    """What switches a lamp on and off is neither "turn on" nor "turn off"."""
    against = (("on", "off"), ("open", "close"), ("lock", "unlock"), ("take", "drop"), ("up", "down"), ("yes", "no"))
    wordings = {}
    for words, name in build(id).synonyms.items():
        wordings.setdefault(name, {*words_of(name)}).update(words_of(words))
    for name, words in wordings.items():
        assert not any(words.issuperset(pair) for pair in against), name


@pytest.mark.parametrize(
    "text", ["", "²", "٣", "９", "½", "9" * 10, "-1", "+1", "1_0", " 1", "1.0", "1e3", "0x1", "\n1"]
)
def test_no_whole_number(text):
    assert whole(text) is None


def test_whole_numbers():
    assert [whole(text) for text in ("0", "7", "007", "9" * 9)] == [0, 7, 7, 999_999_999]
    assert whole("1000", 3) is None


def test_texts_become_numbers_in_one_place():
    """`isdigit` and its kin allow what `int` refuses."""
    files = [path for name in ("envsuite", "render") for path in (kit.ROOT / name).rglob("*.py")]
    found = [str(path) for path in files if re.search(r"\bis(digit|numeric|decimal)\b", path.read_text("utf-8"))]
    assert found == [str(kit.ROOT / "envsuite/core/digits.py")] and len(files) > 500


RAISES = ["fold", "call", "raise to 20", "raise to 200", "raise", "all in"]


@pytest.mark.parametrize(
    "answer, name",
    [
        ("I raise to 20, because raise to 200 is too risky", None),
        ("Action: raise to 20 (not raise to 200)", "raise to 20"),
        ("I raise to 200.", "raise to 200"),
        ("raise to 2000", "raise"),
        ("I could raise to 200 or fold.\nAction: raise to 20", "raise to 20"),
        ("Raise to 200? No.\nCall", "call"),
        ("call 20", "call"),
        ("Action: fold\nSorry.\nAction: call, not fold", "call"),
        ("fold\nraise to 20 or all in", None),
        ("calling is fine", None),
        ("raise to 20.5", "raise"),
        ("20", "raise to 20"),
        ("2", None),
    ],
)
def test_two_names_are_no_answer(answer, name):
    if name is None:
        with pytest.raises(ActionError):
            read_action(RAISES, answer, range(6))
    else:
        assert RAISES[read_action(RAISES, answer, range(6))] == name


def test_poker_answers():
    env = envsuite.make_aec("envsuite/HoldEm-v0", players=2, betting="nolimit", menu="chips", stacks=200)
    env.reset(seed=1)
    me = env.agent_selection
    with pytest.raises(ActionError, match="names more than one action: raise to 20, raise to 200"):
        env.parse_action(me, "I raise to 20, because raise to 200 is too risky")
    assert env.action_names(me)[env.parse_action(me, "20")] == "raise to 20"
    with pytest.raises(ActionError, match="'check' names no action"):  # a call of the big blind
        env.parse_action(me, "check")


def test_a_typed_beginning_ends_no_number_early():
    world = build("HoldEm", dict(players=2, betting="nolimit", menu="chips", stacks=200))
    names, mask = world.action_names[0], np.zeros(world.num_actions, np.int8)
    mask[[names.index("fold"), names.index("raise to 200")]] = 1
    for typed in ("raise to 23", "raise to 2", "20", "2", "0"):
        try:
            assert not mask[
                human.read(world, 0, mask, typed)
            ]  # an illegal action is named, of which the person is told
        except ActionError:
            pass
    assert names[human.read(world, 0, mask, "raise")] == "raise to 200"
    assert names[human.read(world, 0, mask, "200")] == "raise to 200"


@pytest.mark.parametrize(
    "answer, name",
    [
        ("2d2c", "2d2c"),
        ("2d2c+", "2d2c+"),
        ("I play 2d2c.", "2d2c"),
        ("I play 2D2C+!", "2d2c+"),
        ("Action: **2d2c+**", "2d2c+"),
        ("2d2c or 2d2c+?", None),
    ],
)
def test_a_promotion_is_not_read_into_a_move(answer, name):
    env = envsuite.make_aec("envsuite/Shogi-v0")
    env.reset(options={"level": {"sfen": "4k4/9/9/7S1/9/9/9/9/4K4 b - 1"}})
    me = env.agent_selection
    if name is None:
        with pytest.raises(ActionError):
            env.parse_action(me, answer)
    else:
        assert env.action_names(me)[env.parse_action(me, answer)] == name


@pytest.mark.parametrize(
    "names, answer, meant",
    [
        (["amber", "amber>=0.3", "amber<=0.3"], "amber >= 0.3", 1),
        (["amber", "amber>=0.3", "amber<=0.3"], "I install amber<=0.3.", 2),
        (["torque 1", "torque -1", "torque 0"], "torque - 1", 1),
        (["torque 1", "torque -1", "torque 0"], "torque \u22121", 1),
        (["torque 1", "torque -1", "torque 0"], "-1", 1),
        (["left", "top left"], "top-left", None),
        (["left", "top left"], "...left", 0),
        (["a7a8", "a7a8=n"], "a7a8 = n", 1),
        (["catch 10"], "catch 10.5", None),
        (["pass", "pass the ball"], "I pass the ball.", 1),
    ],
)
def test_signs_tell_names_apart(names, answer, meant):
    if meant is None:
        with pytest.raises(ActionError):
            read_action(names, answer, range(len(names)))
    else:
        assert read_action(names, answer, range(len(names))) == meant


def test_illegal_names():
    """A longer name that is illegal is not read as a shorter one, and one that is meant is said to be illegal."""
    names = ["pass", "pass the ball", "column 3", "column 4"]
    assert read_action(names, "I pass the ball.", [0, 2]) == 1
    assert read_action(names, "I could take column 3.\nBut I choose column 4.", [0, 2]) == 3
    assert read_action(names, "column 4 is full, so column 3", [0, 2]) == 2


def test_names_that_differ_in_case():
    assert read_action(["a", "A"], "A", [0, 1]) == 1
    with pytest.raises(ActionError, match="more than one action: a, A"):
        read_action(["a", "A"], "I take A", [0, 1])
    assert Names(["a"], {"b": "a", "c": "nothing"}).meanings == {"a": {0}, "b": {0}}


@pytest.mark.parametrize(
    "answer, said",
    [
        ("column 4", "column 4"),
        ("<think>column 3?</think>\ncolumn 4", "\ncolumn 4"),
        ("column 3?</think>column 4", "column 4"),
        ("<THINKING>a</THINKING><think>b</think>c", "c"),
        ("<think>Action: column 3", None),
        ("<think>a</think>Hm. <think>Action: column 3", None),
    ],
)
def test_reasoning_is_no_answer(answer, said):
    assert spoken(answer) == said
    if said is None:
        with pytest.raises(ActionError, match="no end"):
            parts(answer)


@pytest.mark.parametrize("actions", ["names", "numbers"])
def test_answers_that_were_cut_off(actions):
    world, mask = build("ConnectFour"), np.ones(7, np.int8)
    named = "3" if actions == "numbers" else "column 4"
    assert read(world, 0, mask, Answer(f"Action: {named}"), actions) == 3
    for answer in (
        Answer(f"I could take the center,\n{named}", finish="length"),
        Answer(f"Action: {named}", finish="length"),
        Answer("", finish="length"),
        Answer(f"<think>Action: {named}"),
        Answer(f"<think>well</think> or <think>\n{named}"),
    ):
        with pytest.raises(AnswerError, match="cut off") as refused:
            read(world, 0, mask, answer, actions)
        assert refused.value.kind == "cut off"


def test_one_meaning_of_a_number_in_each_setting():
    world, mask = build("ConnectFour"), np.ones(7, np.int8)
    assert read(world, 0, mask, Answer("Action: 4"), "names") == world.action_names[0].index("column 4")
    assert read(world, 0, mask, Answer("Action: 4"), "numbers") == 4
    for text in ("0", "8"):
        with pytest.raises(AnswerError, match="names no action"):
            read(world, 0, mask, Answer(f"Action: {text}"), "names")
    with pytest.raises(AnswerError, match="not the number of an action"):
        read(world, 0, mask, Answer("Action: column 4"), "numbers")


def test_names_are_suggested_for_short_texts_only(monkeypatch):
    compared, near = [], errors.difflib.get_close_matches

    def counted(name, known, **how):
        compared.append(name)
        return near(name, known, **how)

    monkeypatch.setattr(errors.difflib, "get_close_matches", counted)
    world = build("ConnectFour")
    for text in ("colum four", "a" * 101, "\n" * 8000 + "a" * 101, "a " * 51):
        with pytest.raises(ActionError):
            read_action(world.action_names[0], text, range(7))
    assert set(compared) == {"colum 4"}


@pytest.mark.parametrize(
    "unit", ["\n", "-", " ", "*", "<think", "a ", "1=", "column ", "+.", "Action:\n", "> - #", "²"]
)
def test_reading_is_linear(unit):
    """Eight times the text takes about eight times as long; 64 times where reading is quadratic."""
    world = build("ConnectFour")

    def seconds(size):
        found = []
        for _ in range(3):
            start = time.process_time()
            with pytest.raises(ActionError):
                read_action(world.action_names[0], unit * size + "nothing", range(7))
            found.append(time.process_time() - start)
        return min(found)

    assert seconds(16_000) < 24 * max(seconds(2_000), 1e-3)
