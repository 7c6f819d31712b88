"""Studies: plans, the way of participants through them, restarts, and the exported data."""

import asyncio
import shutil
from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from envsuite.core.errors import DataError, EnvsuiteError, ParameterError
from envsuite.episodes.replay import Replay
from envsuite.serve import tables
from envsuite.serve.export import export
from envsuite.serve.plan import Plan, balanced, load
from envsuite.serve.study import PARTICIPANTS, Study
from envsuite.serve.web import application

AGE = {"name": "age", "ask": "How old?", "kind": "number", "least": 18, "most": 99}
LIKED = {"name": "liked", "ask": "Did you like it?", "kind": "scale", "labels": ["no", "yes"]}
WHY = {"name": "why", "ask": "Why?", "required": False}
ALONE = {
    "name": "alone",
    "world": "TicTacToe",
    "seats": {"player_1": "random"},
    "episodes": 2,
    "questions": [LIKED, WHY],
}
PAIR = {"name": "pair", "world": "MatrixGame", "seed": 5}


def plan(**changes):
    content = {
        "title": "Games", "consent": "You will play.", "before": [AGE], "conditions": [ALONE, PAIR], "order": "fixed",
        "payment": "random", "wait": 1000,
    }  # fmt: skip
    return Plan.model_validate({**content, **changes})


@pytest.mark.parametrize("count", range(1, 9))
def test_a_balanced_order_has_each_neighbour_equally_often(count):
    rows = balanced(count)
    assert all(sorted(row) == list(range(count)) for row in rows)
    columns = {Counter(column) == Counter(dict.fromkeys(range(count), len(rows) // count)) for column in zip(*rows)}
    assert columns == {True}
    pairs = Counter(pair for row in rows for pair in zip(row, row[1:]))
    assert len(pairs) == count * (count - 1) and len(set(pairs.values())) <= 1


def test_orders():
    three = [{**PAIR, "name": name} for name in "abc"]
    assert plan(conditions=three).ordered(7) == ["a", "b", "c"]
    assert plan(conditions=three, plays=1).ordered(7) == ["a"]
    drawn = {tuple(plan(conditions=three, order="random").ordered(0)) for _ in range(200)}
    assert len(drawn) == 6
    assert len({tuple(plan(conditions=three, order="balanced").ordered(k)) for k in range(6)}) == 6


@pytest.mark.parametrize(
    "text, problem",
    [
        ("title: x\nconsent: y\nconditions: [{name: a, world: MatrixGam}]", "line 3: conditions[0]: no world"),
        ("title: x\nconditions:\n- name: a\n  world: MatrixGame\n  tik: 3", "line 5: conditions[0].tik: there"),
        ("title: x\nconsent: y\n", "line 1: conditions: it is missing"),
        ("title: x\nconsent: y\nconditions: [{name: a, world: MatrixGame, seats: {player_0: tft}}]", "no policy 'tft'"),
        ("title: x\nconsent: y\nconditions: [{name: a, world: MatrixGame, seats: {row: random}}]", "no agent 'row'"),
        ("title: x\nconsent: y\nconditions: [{name: a, world: MatrixGame}]\nplays: 2", "plays=2"),
        ("title: x\nconsent: y\nconditions: [{name: a, world: MatrixGame}, {name: a, world: Go}]", "the name 'a'"),
        ("title: x\nconsent: y\nconditions: [{name: a, world: MatrixGame, tick: 100}]", "tick=100.0 must be"),
        ("title: x\nbefore: [{name: a, ask: b, kind: choice}]", "two different choices"),
        ("title: x\nbefore: [{name: a, ask: b, kind: number}]", "needs least and most"),
        ("title: x\nbefore: [{name: a, ask: b, least: 3}]", "least is for questions of kind number or scale"),
        ("title: x\nbefore: [{name: a, ask: b, kind: scale, least: 3, most: 1}]", "a scale goes"),
        ("title: [", "is no YAML"),
        ("- a", "there must be entries"),
        ("", "there must be entries"),
    ],
)  # fmt: skip
def test_mistakes_in_a_plan_are_named(text, problem, tmp_path):
    (tmp_path / "plan.yaml").write_text(text)
    with pytest.raises(ParameterError) as error:
        load(tmp_path / "plan.yaml")
    assert problem in str(error.value) and "plan.yaml" in str(error.value)


def test_a_plan_that_is_not_there(tmp_path):
    with pytest.raises(ParameterError, match=r"none\.yaml cannot be read"):
        load(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    "question, good, bad",
    [
        (AGE, [18, 99, 20.5], [17, 100, "20", None, True, float("nan")]),
        (LIKED, [1, 7], [0, 8, 1.5, "1"]),
        (WHY, ["words", None, ""], ["x" * 2001, 3, ["a"]]),
        ({"name": "a", "ask": "b", "kind": "choice", "choices": ["x", "y"]}, ["x"], ["z", "", None, 0, ["x"]]),
    ],
)
def test_answers(question, good, bad):
    (asked,) = plan(before=[question]).before
    assert [asked.problem(answer) for answer in good] == [None] * len(good)
    assert all(asked.problem(answer) for answer in bad)


class Person:
    """A participant with a browser."""

    def __init__(self, client, id=""):
        self.client = client
        self.secret = self.ask("agree", id=id)["secret"]

    def ask(self, what, **content):
        message = {**content, **({"secret": self.secret} if what != "agree" else {})}
        answer = self.client.post(f"/api/study/{what}", json=message)
        assert answer.status_code == 200, what
        return answer.json()

    @property
    def now(self):
        return self.ask("now")

    def answer(self, **given):
        return self.ask("answers", step=self.now["step"], answers=given)

    def sit(self):
        return self.client.websocket_connect(f"/ws/{self.ask('start')['table']}")

    def enter(self, page):
        page.send_json({"join": self.secret})
        return page.receive_json()["welcome"]


@pytest.fixture
def open_study(tmp_path, monkeypatch):
    """A function that serves a plan."""
    monkeypatch.setattr(tables, "ANSWERS", 1e6)  # policies answer at once
    clients = []

    def opened(plan):
        study = Study(plan, tmp_path / "study")
        clients.append(TestClient(application(study, ["testserver"]), headers={"origin": "http://testserver"}))
        clients[-1].__enter__()
        clients[-1].study = study
        return clients[-1]

    yield opened
    for client in clients:
        client.__exit__(None, None, None)


def play(page):
    """Choose the first legal action until all is played."""
    number, episodes = 0, 0
    while not (message := page.receive_json())["done"]:
        if message["over"] and not episodes:
            episodes = 1
            page.send_json({"again": True})
        elif message["turn"].startswith("Your move") and message["number"] == number:
            number += 1
            page.send_json({"n": number, "ms": 7, "act": message["legal"][0]})


def places(study):
    return [(one.number, one.order, one.code, one.step, one.table, one.seat, one.left) for one in study.people.values()]


def test_the_whole_way(open_study, tmp_path):
    client = open_study(plan())
    about = client.get("/api/study").json()
    assert about == {"title": "Games", "consent": "You will play.", "full": False}
    person = Person(client, "p-17")
    assert person.now["kind"] == "questions" and person.now["of"] == 4
    assert person.answer(age=3) == {"wrong": {"age": "Please give a number from 18 to 99."}}
    assert person.answer(age=33)["kind"] == "start"
    assert person.ask("answers", step=0, answers={"age": 50})["step"] == 1  # a page that was open twice
    with person.sit() as page:
        assert person.enter(page)["study"]
        play(page)
    assert person.now["questions"][0]["name"] == "liked"
    assert person.answer(liked=6)["kind"] == "start"
    other = Person(client)
    assert (other.answer(age=40)["kind"], other.ask("leave")["left"]) == ("start", True)
    third = Person(client)
    third.answer(age=41)
    with third.sit() as page:
        third.enter(page)
        play(page)
    third.answer(liked=2, why="Slow.")
    with person.sit() as one, third.sit() as two:
        for page, who in ((one, person), (two, third)):
            who.enter(page)
        while two.receive_json()["turn"] == "Waiting for the other people.":
            pass
        one.send_json({"n": 1, "ms": 3, "act": 1})
        two.send_json({"n": 1, "act": 0})
        for page in (one, two):
            while not page.receive_json()["done"]:
                pass
    ended = person.now
    assert ended["kind"] == "end" and len(ended["code"]) == 8 and ended["code"] != third.now["code"]
    again = Study(plan(), shutil.copytree(tmp_path / "study", tmp_path / "copy"))
    assert places(again) == places(client.study)

    counts = export(tmp_path / "study", tmp_path / "data")
    rows = {name: pq.read_table(tmp_path / "data" / f"{name}.parquet").to_pylist() for name in counts}
    assert {name: len(found) for name, found in rows.items()} == counts
    people = rows["participants"]
    assert [(one["id"], one["left"], one["finished"] is None) for one in people] == [
        ("p-17", False, False), ("", True, True), ("", False, False)
    ]  # fmt: skip
    assert people[0]["code"] == ended["code"] and people[0]["agreed"] < people[0]["finished"]
    answers = [(one["participant"], one["at"], one["question"], one["text"], one["number"]) for one in rows["answers"]]
    assert answers == [
        (0, "before", "age", "33", 33.0), (0, "alone", "liked", "6", 6.0), (1, "before", "age", "40", 40.0),
        (2, "before", "age", "41", 41.0), (2, "alone", "liked", "2", 2.0), (2, "alone", "why", "Slow.", None),
    ]  # fmt: skip
    episodes = [
        (one["participant"], one["condition"], one["episode"], one["seed"], one["over"]) for one in rows["episodes"]
    ]
    assert sorted(episodes) == [
        (0, "alone", 0, 0, True), (0, "alone", 1, 1, True), (0, "pair", 0, 5, True),
        (2, "alone", 0, 0, True), (2, "alone", 1, 1, True), (2, "pair", 0, 5, True),
    ]  # fmt: skip
    for row in rows["episodes"]:
        replay = Replay.load(tmp_path / "study" / row["replay"])
        agent = replay.world.agents.index(row["agent"])
        assert (len(replay), replay.returns[agent]) == (row["steps"], row["return"])
        mine = [one for one in rows["actions"] if all(one[k] == row[k] for k in ("table", "episode", "participant"))]
        assert [one["action"] for one in mine] == [replay.actions[one["step"]][agent] for one in mine]
        assert {one["by"] for one in mine} == {"person"} and all(one["time"] > people[0]["agreed"] for one in mine)
    pair = [(one["participant"], one["agent"], one["action"], one["ms"]) for one in rows["actions"] if one["agent"]]
    assert (0, "player_0", 1, 3) in pair and (2, "player_1", 0, None) in pair
    names = {one["name"] for one in rows["actions"]}
    assert names and None not in names
    assert {tuple(one["players"]) for one in rows["episodes"] if one["condition"] == "pair"} == {
        ("player_0: participant 0", "player_1: participant 2")
    }


def test_after_the_wait_a_policy_takes_the_seat(open_study, tmp_path):
    client = open_study(plan(conditions=[PAIR], before=[], wait=0.2))
    person = Person(client)
    with person.sit() as page:
        person.enter(page)
        play(page)
    assert person.now["kind"] == "end"
    assert export(tmp_path / "study", tmp_path / "data")["actions"] == 1


def test_after_the_wait_the_condition_is_left_out(open_study, tmp_path):
    client = open_study(plan(conditions=[PAIR], before=[], wait=0.2, alone="skip"))
    person = Person(client)
    with person.sit() as page:
        person.enter(page)
        while not (message := page.receive_json())["done"]:
            pass
        assert message["turn"] == "Nobody else has come."
    assert person.now["kind"] == "end"
    second = Person(client)
    second.ask("start")  # a table of its own: the first one is closed
    assert len(client.study.tables) == 2
    assert export(tmp_path / "study", tmp_path / "data")["episodes"] == 0
    assert [table.done for table in Study(client.study.plan, tmp_path / "study").tables.values()].count(True) == 1


def test_a_participant_who_is_absent_when_the_other_comes(open_study):
    client = open_study(plan(conditions=[PAIR], before=[], wait=0.3))
    first, second = Person(client), Person(client)
    first.ask("start")  # and closes the browser
    with second.sit() as page:
        second.enter(page)
        play(page)
    assert second.now["kind"] == "end" and first.now["kind"] == "end"


def test_a_killed_server_leads_back_to_the_same_place(tmp_path):
    """After each event, what is on the disk leads back to the same places."""
    study, copies = Study(plan(), tmp_path / "study"), iter(range(1000))

    def same():
        folder = shutil.copytree(tmp_path / "study", tmp_path / f"copy{next(copies)}")
        again = Study(plan(), folder)
        assert places(again) == places(study)
        assert {id: sorted(table.digests) for id, table in again.tables.items()} == {
            id: sorted(table.digests) for id, table in study.tables.items()
        }
        assert {name: [one.id for one in free] for name, free in again._free.items()} == {
            name: [one.id for one in free if not one.ready] for name, free in study._free.items()
        }
        shutil.rmtree(folder)

    async def run():
        people = [study.agree(""), study.agree("x")]
        for secret in people:
            assert study.answers(secret, 0, {"age": 20}) == {}
            same()
            study.start(secret)
            same()
            table = study.tables[study.now(secret)["table"]]
            while not table.done:
                await table.again()
                while not table.session.over:
                    if table.session.waiting() is not None:
                        mask = table.session.batch.masks[0, 0]
                        await table.act(0, {"act": int(mask.argmax()), "n": 1})
                        same()
                    await table.step()
            assert study.now(secret)["kind"] == "questions"
            study.answers(secret, 2, {"liked": 1})
            study.start(secret)
            same()
        assert len({study.now(secret)["table"] for secret in people}) == 1

    async def within():
        async with study.running(None):
            await run()

    asyncio.run(within())


def test_a_seat_is_given_even_if_the_server_was_killed_in_between(tmp_path):
    async def run():
        study = Study(plan(conditions=[PAIR], before=[]), tmp_path)
        async with study.running(None):
            secret = study.agree("")
            study.start(secret)
        (path,) = tmp_path.glob("*.journal")
        path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])  # the seat's line was not written
        again = Study(study.plan, tmp_path)
        assert again.tables[again.now(secret)["table"]].seat(secret) == 0

    asyncio.run(run())


def test_refusals(open_study, tmp_path):
    client = open_study(plan(participants=1))
    person = Person(client)
    refused = [
        ("agree", {}),  # full
        ("agree", {"id": "x" * 101}),
        ("agree", {"id": 3}),
        ("now", {"secret": "x"}),
        ("now", {"secret": 3}),
        ("now", {}),
        ("answers", {"secret": person.secret, "step": 0, "answers": {"other": 1}}),
        ("answers", {"secret": person.secret, "step": 0, "answers": []}),
        ("elsewhere", {"secret": person.secret}),
    ]
    before = (tmp_path / "study" / PARTICIPANTS).read_bytes()
    for what, content in refused:
        answer = client.post(f"/api/study/{what}", json=content)
        assert (answer.status_code, answer.content) == (403, b'{"error":"refused"}'), (what, content)
    long = {"secret": person.secret, "step": 0, "answers": {"age": "x" * 300_000}}
    assert client.post("/api/study/answers", json=long).status_code == 403
    elsewhere = client.post("/api/study/now", json={"secret": person.secret}, headers={"origin": "http://other"})
    assert elsewhere.status_code == 403
    assert (tmp_path / "study" / PARTICIPANTS).read_bytes() == before
    assert client.get("/api/tables").status_code == 404  # no lobby
    assert person.secret not in before.decode()
    person.answer(age=20)
    with person.sit() as page:
        person.enter(page)
        page.send_json({"hand": False})
        while (message := page.receive())["type"] != "websocket.close":
            pass
        assert message["code"] == 1008


def test_a_folder_holds_one_study(tmp_path):
    Study(plan(), tmp_path)
    with pytest.raises(EnvsuiteError, match="holds another study"):
        Study(plan(title="Other"), tmp_path)
    with pytest.raises(DataError, match="holds no study"):
        export(tmp_path / "nowhere", tmp_path / "data")


def test_ticks_are_exported(tmp_path):
    cook = {
        "name": "cook",
        "world": "Overcooked",
        "parameters": {"horizon": 4},
        "tick": 60,
        "seats": {"chef_1": "random"},
    }

    async def run():
        study = Study(plan(conditions=[cook], before=[]), tmp_path)
        async with study.running(None):
            secret = study.agree("")
            study.start(secret)
            table = study.tables[study.now(secret)["table"]]
            await table.act(0, {"act": 1, "n": 1, "ms": 12})
            for _ in range(3):
                await table.step()
            await table.hand(0, False)
            await table.step()
            assert table.done and study.now(secret)["kind"] == "end"

    asyncio.run(run())
    export(tmp_path, tmp_path / "data")
    rows = pq.read_table(tmp_path / "data" / "actions.parquet").to_pylist()
    assert [one["by"] for one in rows] == ["person", "clock", "clock", "policy"]
    assert [one["ms"] for one in rows] == [12, None, None, None]
    assert [one["step"] for one in rows] == [0, 1, 2, 3] and rows[0]["action"] == 1
    assert np.all(np.diff([one["time"] for one in rows]) > 0)
