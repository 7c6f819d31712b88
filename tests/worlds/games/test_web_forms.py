"""WebForms: a second judge that reads texts, closed forms and chains of random play, shortest ways, compositions."""

import copy
import re

import kit
import numpy as np
import pytest

import envsuite
from envsuite.agents import make_policy
from envsuite.core.errors import LevelError, ParameterError, SnapshotError
from envsuite.games.web_forms.rules import (
    BUTTON,
    CHECKBOX,
    ELEMENTS,
    ENTER,
    INPUT,
    ITEM,
    LINK,
    RADIO,
    SIZES,
    TYPE,
    WORDS,
    Task,
)
from envsuite.registry import build

ID = "envsuite/WebForms-v0"
NAMES = [task.name.lower() for task in Task]
ELEMENT = re.compile(r"( *)- (?:(\d+): )?(password field|message from|\w+)(?: (-?\w+|\+))?(?: = (\S+))?(.*)")


def parse(text):
    """The instruction, the words to type, and the elements of a page: number, depth, kind, word, value, marks."""
    told = re.search(r"Instruction: (.*)\. Steps", text)[1]
    typed = dict(part.split(" ") for part in re.search(r"type: (.*)\.\n", text)[1].split(", ") if " " in part)
    elements = []
    for line in text.split("Page:\n")[1].splitlines():
        space, number, kind, word, value, marks = ELEMENT.fullmatch(line).groups()
        elements.append((int(number or -1), len(space) // 2, kind, word, value, marks))
    return told, typed, elements


class Judge:
    """Judges the actions of one episode with one task, from texts only."""

    def __init__(self, name):
        self.name, self.typed, self.query = name, {}, None

    def act(self, text, action):
        """The reward if this action ends the episode, otherwise None."""
        told, words, page = parse(text)
        focused = [e[0] for e in page if "(focused)" in e[5]]
        kinds = {e[0]: e[2:4] for e in page}
        if action.startswith("type"):
            self.typed[focused[0]], self.query = words[action[5:]], None
            return None
        if action == "enter":
            return None
        pressed = int(action[6:])
        kind, word = kinds[pressed]
        if word == "Search":
            self.query = self.typed.get(1)
        if word == "Submit":
            return self.submit(told, page)
        ends = self.name in ("tab", "collapsible", "menu", "search", "link") and kind == "link"
        if ends or kind == "cell" or (kind == "button" and self.name in ("button", "dialog", "inbox")):
            return 1.0 if self.right(told, page, pressed, word) else -1.0
        return None

    def right(self, told, page, pressed, word):
        at = [e[0] for e in page].index(pressed)
        above = []  # the elements around the pressed one, from the inside
        for e in reversed(page[:at]):
            if e[1] < (above[-1][1] if above else page[at][1]):
                above.append(e)
        if self.name == "grid":
            x, y = map(int, re.fullmatch(r"click the cell with x = (\S+) and y = (\S+)", told).groups())
            return pressed == 1 + (x + 2) + 5 * (2 - y)
        if self.name == "search":
            query, number = re.fullmatch(r"search for (\w+) and open result (\d)", told).groups()
            tab, links = int(above[0][3]), [e[0] for e in page if e[2] == "link"]
            return self.query == query and 3 * (tab - 1) + links.index(pressed) + 1 == int(number)
        if self.name == "inbox":
            verb, person = re.fullmatch(r"click (\w+) at the message from (\w+)", told).groups()
            return word == verb and above[0][3] == person
        if self.name == "menu":
            return [above[1][3], above[0][3], word] == re.findall(r"[A-Z]\w+", told)
        if self.name in ("tab", "collapsible"):
            return [above[0][3], word] == re.findall(r"[A-Z]\w+", told)
        return [word] == re.findall(r"[A-Z]\w+", told) and (self.name != "dialog" or above[0][2] == "dialog")

    def submit(self, told, page):
        named = re.findall(r"[A-Z]\w+", told)
        checked = [e[3] for e in page if "(checked)" in e[5]]
        fields = {e[3]: self.typed.get(e[0]) for e in page if e[2] in ("field", "password field")}
        if self.name == "checkboxes":
            return float(np.mean([1 if (e[3] in checked) == (e[3] in named) else -1 for e in page if e[2] == "box"]))
        if self.name == "arithmetic":
            first, _, second = (e[3] for e in page if e[2] == "text")
            named = [str(int(first) + int(second))]
        if self.name == "list":
            checked = [e[4] for e in page if e[2] == "list"]
        if self.name == "text":
            return 1.0 if {k: v for k, v in fields.items() if v} == {named[1]: named[0]} else -1.0
        if self.name in ("password", "login"):
            return 1.0 if list(fields.values()) == (named * 2)[:2] else -1.0
        return 1.0 if checked == named else -1.0


def judged(name, seeds):
    """Episodes of a follower that plays a random action in one of four steps, against the second judge."""
    batch = kit.started(ID, seeds, tasks=(name,), max_steps=300)
    players = [make_policy(player, batch.world) for player in ("follower", "random")]
    for player in players:
        player.reset(0, seeds)
    judges, rng, rewards = [Judge(name) for _ in range(seeds)], np.random.default_rng(seeds), []
    while not batch.over().all():
        good, bad = (player.act_batch(batch.observations, batch.masks, range(1)) for player in players)
        actions, active = np.where(rng.random((seeds, 1)) < 0.25, bad, good), ~batch.over()
        wanted = [
            judges[i].act(batch.world.text(batch.record(i), 0), batch.world.action_names[0][actions[i, 0]])
            if active[i]
            else None
            for i in range(seeds)
        ]
        batch.step(actions, ~batch.finished)
        for i in np.flatnonzero(active):
            assert batch.terminations[i, 0] == (wanted[i] is not None), (name, i)
            assert abs(batch.rewards[i, 0] - (wanted[i] or 0)) < 1e-12, (name, i)
            if wanted[i] is not None:
                rewards.append(wanted[i])
    assert min(rewards) < 1 and max(rewards) == 1
    return len(rewards)


@pytest.mark.parametrize("name", NAMES)
def test_judge(name):
    judged(name, 30)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_judge_long(name):
    assert judged(name, 300) == 300


def typing_chain(inputs, words, wanted):
    """The probability that random play fills fields as wanted: a chain over the focus and what each field holds."""
    states = [(f, v) for f in range(-1, inputs) for v in np.ndindex(*[words + 1] * inputs)]
    index, moves, ends = {state: k for k, state in enumerate(states)}, np.eye(len(states)), np.zeros(len(states))
    for (focus, values), k in index.items():
        chance = 1 / (inputs + 1 + (words if focus >= 0 else 0))  # `enter` does nothing
        for f in range(inputs):
            moves[k, index[f, values]] -= chance
        for word in range(words if focus >= 0 else 0):
            moves[k, index[focus, (*values[:focus], word + 1, *values[focus + 1 :])]] -= chance
        ends[k] = (values == wanted) * chance
    return np.linalg.solve(moves, ends)[index[-1, (0,) * inputs]]


def closed_form(name, record):
    """The probability that random play ends with a success."""
    kinds = record["kind"][: record["count"]].tolist()
    n = kinds.count({"button": BUTTON, "link": LINK, "list": ITEM}.get(name, RADIO))
    if name == "tab":  # half of the clicks on the first tab's page are on links; then each tab is as likely
        first = [record["parent"][e] - 1 for e in np.flatnonzero(record["wanted"] == 1)] == [1]
        return 2 / 9 if first else 1 / 18
    chains = {"text": (3, 2, (1, 0, 0)), "password": (2, 1, (1, 1)), "login": (2, 2, (1, 2))}
    if name in chains:
        return typing_chain(*chains[name])
    same = {"grid": 25, "inbox": 16, "dialog": 5, "menu": 12, "collapsible": 8, "option": n + 1, "arithmetic": 5}
    return 1 / {**same, "button": n, "link": n, "list": n}[name]


@pytest.mark.parametrize("name", sorted({*NAMES} - {"search", "checkboxes"}))
def test_random_play(name):
    batch = kit.started(ID, 1500, tasks=(name,), max_steps=10_000)
    chances = np.array([closed_form(name, record) for record in batch.records])
    won = kit.finish(batch, "random")[:, 0] == 1
    assert abs((won - chances).mean()) < 4 * ((chances * (1 - chances)).mean() / len(won)) ** 0.5
    assert batch.terminations.all()


def test_random_boxes():
    """Each box is as wanted with probability 1/2, so the mean reward is 0."""
    batch = kit.started(ID, 3000, tasks=("checkboxes",), max_steps=10_000)
    boxes = batch.records["kind"] == CHECKBOX
    assert abs(batch.records["wanted"][boxes].mean() - 0.5) < 0.02
    assert set(boxes.sum(1)) == {2, 3, 4, 5, 6}
    returns = kit.finish(batch, "random")
    assert abs(returns.mean()) < 4 * returns.std() / 3000**0.5


def fewest(batch, records, masks):
    """The fewest steps to a reward of 1 from a record, by a search through all states."""
    seen = set()
    for length in range(1, 20):
        pairs = [(k, action) for k, mask in enumerate(masks) for action in np.flatnonzero(mask)]
        found, legal = [], []
        for first in range(0, len(pairs), batch.num):
            part = pairs[first : first + batch.num]
            for i, (k, action) in enumerate(part):
                batch.records[i], batch.actions[i, 0] = records[k], action
            batch.expand(len(part))
            if (batch.rewards[: len(part)] == 1).any():
                return length
            for i in range(len(part)):
                record = batch.records[i]
                state = b"".join(record[name].tobytes() for name in ("value", "checked", "focus", "done"))
                if not batch.terminations[i, 0] and state not in seen:
                    seen.add(state)
                    found.append(record.copy())
                    legal.append(batch.masks[i, 0].copy())
        records, masks = found, legal
    raise AssertionError("no solution")


def shortest(tasks, seeds):
    """The follower needs the fewest steps on each page."""
    batch, room = kit.started(ID, seeds, tasks=tasks), kit.started(ID, 64, tasks=tasks)
    wanted = [fewest(room, [batch.records[i].copy()], batch.masks[i]) for i in range(seeds)]
    assert (kit.finish(batch, "follower") == 1).all()
    assert batch.records["clicks"].tolist() == wanted


@pytest.mark.parametrize("name", NAMES)
def test_shortest(name):
    shortest((name,), 2)


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [*((name,) for name in NAMES), ("login", "option"), ("search", "list")])
def test_shortest_long(tasks):
    shortest(tasks, 12 if len(tasks) == 1 else 2)


def test_follower():
    """It always succeeds: with one task, with any, and with four in both orders; the matcher is worse."""
    four = ("login", "checkboxes", "search", "list")
    for params in ({}, dict(tasks=four), dict(tasks=("grid", "menu")), dict(tasks=("inbox", "text", "tab", "button"))):
        assert (kit.finish(kit.started(ID, 300, **params), "follower") == 1).all()
        assert kit.finish(kit.started(ID, 300, **params), "matcher").mean() < 0.5
    assert set(kit.started(ID, 300).records["tasks"][:, 0]) == {*range(16)}


@pytest.mark.parametrize("order", ["then", "after", "random"])
def test_order(order):
    """Two links in two forms: the order that the sentence says succeeds, the other one fails at once."""
    batch = kit.started(ID, 60, tasks=("link", "link"), order=order)
    after, letters = np.zeros(60, bool), set()
    clicks = np.zeros((60, 2), int)
    for i in range(60):
        told, _, page = parse(batch.world.text(batch.record(i), 0))
        after[i] = ", after you " in told
        parts = re.findall(r"in form ([AB]) click the link (\w+)", told)
        letters.add(parts[0][0])
        for k, (letter, word) in enumerate(parts[::-1] if after[i] else parts):
            start = next(j for j, e in enumerate(page) if e[2:4] == ("form", letter))
            clicks[i, k] = next(e[0] for e in page[start:] if e[3] == word)
    assert letters == {"A", "B"} and (after.any(), after.all()) == {"then": (0, 0), "after": (1, 1)}.get(order, (1, 0))
    wrong = kit.started(ID, 60, tasks=("link", "link"), order=order)
    wrong.step(clicks[:, 1:])
    assert (wrong.rewards == -1).all() and wrong.terminations.all()
    batch.step(clicks[:, :1])
    assert not batch.rewards.any() and not batch.terminations.any()
    assert ((batch.observations[:, 0]["elements"][..., 0] == 1).sum(1) == 1).all()  # one form is left
    batch.step(clicks[:, 1:])
    assert (batch.rewards == 1).all() and batch.terminations.all()


def test_partial_composition():
    """Boxes of which some are wrong count as a mean alone, and as an error in a composition."""
    for tasks in (("checkboxes",), ("checkboxes", "link")):
        batch = kit.started(ID, 200, tasks=tasks, order="then")
        page, n = batch.observations[:, 0]["elements"], (batch.records["wanted"] == 1).sum(1)
        form = [np.flatnonzero(row[:, 0] == CHECKBOX)[-1] + 1 for row in page]
        boxes, open_ones = (page[..., 0] == CHECKBOX).sum(1), n - 1 - (len(tasks) - 1)
        batch.step(np.array(form)[:, None])
        part = open_ones > 0
        score = 1 - 2 * open_ones / boxes if len(tasks) == 1 else np.where(part, -1, 0)
        assert np.allclose(batch.rewards[:, 0], score) and part.any()


def test_pages():
    """Sizes, words and visibility of random pages, whose parents stand before them."""
    for name in NAMES:
        records = kit.started(ID, 100, tasks=(name,)).records
        assert records["count"].max() == SIZES[Task[name.upper()]], name
        for record in records[:20]:
            count = record["count"]
            assert (record["parent"][:count] <= np.arange(count)).all() and not record["kind"][count:].any()
            assert (record["wanted"][(record["act"] == 1)] == 1).sum() <= 1
    buttons = (kit.started(ID, 500, tasks=("button",)).records["kind"] == BUTTON).sum(1)
    assert buttons.min() == 1 and abs(buttons.mean() - (1 + 5 / 3)) < 0.2
    sums = kit.started(ID, 300, tasks=("arithmetic",)).records
    for record in sums:
        options = [int(WORDS[text]) for text in record["text"][4:8]]
        total = int(WORDS[record["text"][1]]) + int(WORDS[record["text"][3]])
        assert total in options and sorted(options) == [*range(min(options), min(options) + 4)] and min(options) >= 0
    assert len(set(WORDS)) == len(WORDS)


def test_steps():
    """Passwords are hidden, words replace words, sections and lists close again, rewards shrink, time runs out."""
    batch = kit.started(ID, tasks=("login",), decay=True, max_steps=10)
    kit.act(batch, "click 2", "type 0", "type 1")
    assert WORDS[batch.observations[0, 0]["elements"][2, 2]] == "***"
    assert batch.records["value"][0, 2] == batch.records["words"][0, 0, 1]
    kit.act(batch, "click 1", "type 1", "enter", "type 0", "click 3")
    assert batch.rewards[0, 0] == pytest.approx(1 - 8 / 10) and batch.terminations[0, 0]
    batch = kit.started(ID, tasks=("collapsible",), max_steps=4)
    before = kit.legal(batch)
    assert kit.legal(kit.act(batch, "click 1")) == {*before, "click 2", "click 3"}
    assert kit.legal(kit.act(batch, "click 4")) == {*before, "click 5", "click 6"}  # one section is open
    assert kit.legal(kit.act(batch, "click 4")) == before and not batch.rewards.any()
    kit.act(batch, "enter")
    assert batch.truncations[0, 0] and not batch.terminations[0, 0] and batch.rewards[0, 0] == -1
    batch = kit.started(ID, tasks=("list",))
    closed = kit.legal(batch)
    assert batch.records["value"][0, 1] == batch.records["text"][0, 2] > 0  # the first item is chosen
    assert closed < kit.legal(kit.act(batch, "click 1"))
    assert "click 2" in kit.legal(batch) and kit.legal(kit.act(batch, "click 2")) == closed
    batch = kit.started(ID, 50, tasks=("button",))
    fields = batch.records["kind"] == INPUT
    batch.step(np.where(fields.any(1), fields.argmax(1), ENTER)[:, None])
    assert ((batch.records["focus"] >= 0) == fields.any(1)).all() and fields.any()
    batch.step(np.full((50, 1), ENTER))  # no form is submitted
    assert not batch.terminations.any() and not batch.rewards.any()
    batch = kit.started(ID, tasks=("search",))
    kit.act(batch, "click 1", "type 0", "click 2")
    assert "click 5" in kit.legal(batch) and "click 9" not in kit.legal(batch)
    assert "click 5" not in kit.legal(kit.act(batch, "click 1", "type 1"))
    assert not any(name.startswith("type") for name in kit.legal(kit.act(batch, "click 2")))


def test_parameters_and_records():
    with pytest.raises(ParameterError, match="52 elements"):
        build(ID, dict(tasks=("grid", "grid")))
    with pytest.raises(ParameterError, match="5 tasks"):
        build(ID, dict(tasks=("link",) * 5))
    with pytest.raises(ParameterError, match="tasks"):
        build(ID, dict(tasks=("nothing",)))
    batch = kit.started(ID, tasks=("list",))
    faults = {"clicks": (100, "is over"), "number": (2, "number of tasks"), "done": (1, "are done")}
    for field, (value, wrong) in {**faults, "focus": (47, "no place"), "parent": (9, "no place")}.items():
        forged = batch.records.copy()
        forged[field] = value
        with pytest.raises(SnapshotError, match=wrong):
            batch.world.admit(forged)
    forged = batch.records.copy()
    forged["parent"] = 0
    with pytest.raises(SnapshotError, match="in no list"):
        batch.world.admit(forged)


OWN = {
    "after": True,
    "forms": [
        {
            "task": "text", "letter": "B", "words": ["Fern", "Oak"],
            "elements": [
                {"kind": "section", "text": "Moss", "inside": [{"kind": "input", "text": "Oak", "wanted": "Fern"}]},
                {"kind": "button", "text": "Submit", "click": "submit", "wanted": True},
            ],
        },
        {
            "task": "link", "letter": "A", "words": ["Iris"],
            "elements": [
                {"kind": "text", "text": "Iris"},
                {"kind": "tab", "text": "Reed", "inside": [{"kind": "link", "text": "Ivy", "click": "answer"}]},
                {
                    "kind": "tab", "text": "Ruby",
                    "inside": [{"kind": "link", "text": "Iris", "wanted": True, "click": "answer"}],
                },
            ],
        },
    ],
}  # fmt: skip


def test_level():
    """A page that no task draws: a field in a section, and links in tabs."""
    env = envsuite.make_aec(ID, tasks=("text", "link"))
    env.reset(options={"level": OWN})
    assert env.level == OWN
    assert "in form A click the link Iris, after you in form B type Fern into the field Oak" in env.text("agent")
    assert np.flatnonzero(env.infos["agent"]["action_mask"]).tolist() == [2, 3, 4, 7, 9, ENTER]  # the first tab is open
    for name in ("click 7", "click 8", "type 6", "click 9", "click 4", "click 5"):
        assert not env.terminations["agent"]
        env.step(env.parse_action("agent", name))
    assert env.rewards["agent"] == 1 and env.terminations["agent"] and env.level == OWN


@pytest.mark.parametrize(
    "path, value, wrong",
    [
        (("forms", 0, "task"), "list", "must be text, link"),
        (("forms", 0, "letter"), "A", "letters"),
        (("forms", 0, "words"), ["Fern"] * 7, "more than 6 words"),
        (("forms", 0, "words"), ["fern"], "word 'fern'"),
        (("forms", 0, "elements", 0, "kind"), "item", "wrong place"),
        (("forms", 0, "elements", 0, "kind"), "form", "wrong place"),
        (("forms", 0, "elements", 0, "kind"), "image", "kind 'image'"),
        (("forms", 0, "elements", 1, "click"), "twice", "click 'twice'"),
        (("forms", 0, "elements", 1, "wanted"), "Fern", "wanted 'Fern'"),
        (("forms", 0, "elements", 0, "inside"), [{"kind": "text"}] * 50, "more than 48"),
        (("forms",), OWN["forms"][:1], "must be text, link"),
    ],
)
def test_broken_levels(path, value, wrong):
    env, level = envsuite.make_aec(ID, tasks=("text", "link")), copy.deepcopy(OWN)
    *above, last = path
    part = level
    for key in above:
        part = part[key]
    part[last] = value
    with pytest.raises(LevelError, match=wrong):
        env.reset(options={"level": level})


def test_text_and_clicks():
    batch = kit.started(ID, 1, 2, tasks=("checkboxes",))
    batch.records["wanted"] = 0
    batch.records["words"] = 0
    batch.observe()
    assert "Instruction: check nothing and submit. Steps left: 40." in batch.world.text(batch.record(), 0)
    for tasks in (("grid", "menu"), ("list", "inbox")):
        batch = kit.started(ID, tasks=tasks)
        shown = {k for k in np.flatnonzero(batch.masks[0, 0]) if k < ELEMENTS}
        assert kit.clicks(batch, 0, 1.1, 0.35) == {None, *shown}
    assert TYPE + 24 == ENTER
