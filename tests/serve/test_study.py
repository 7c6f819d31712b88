"""Studies: plans, the way of participants through them, restarts, and the exported data."""

import asyncio
import shutil
import time
from collections import Counter

import numpy as np
import pytest

from envsuite import registry
from envsuite.core.errors import DataError, EnvsuiteError, ParameterError
from envsuite.episodes.replay import Replay
from envsuite.serve import journal, tables
from envsuite.serve.export import export
from envsuite.serve.journal import JournalError
from envsuite.serve.plan import Plan, balanced, load
from envsuite.serve.study import PARTICIPANTS, Study
from envsuite.serve.tables import digest
from envsuite.serve.web import application

AGE = {"name": "age", "ask": "How old?", "kind": "number", "least": 18, "most": 99}
LIKED = {"name": "liked", "ask": "Did you like it?", "kind": "scale", "labels": ["no", "yes"]}
WHY = {"name": "why", "ask": "Why?", "required": False}
ALONE = {
    "name": "alone",
    "world": "TicTacToe",
    "seats": {"player_1": "random"},
    "episodes": 2,
    "seed": 0,
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
        ("title: x\nbefore: []\nconsent: y\nbefore: []", "line 4: before is there already, in line 2"),
        ("title: x\nconditions: [{name: a, world: MatrixGame, name: b}]", "line 2: name is there already, in line 2"),
        ("conditions:\n- parameters:\n    rows: 3\n    'rows': 4", "line 4: rows is there already, in line 3"),
        ("title: 2026\nconsent: y", "title: this must be text: put it in quotes"),
        ("title: x\nbefore: [{name: a, ask: b, kind: choice, choices: [1, 2]}]", "put it in quotes"),
        ("title: x\nconsent: !!python/name:os.system y", "is no YAML"),
        ("title: x\nconsent: y\nconditions: [{name: a, world: 'planted:X'}]", "files import no modules"),
        ("", "there must be entries"),
    ],
)  # fmt: skip
def test_mistakes_in_a_plan_are_named(text, problem, tmp_path):
    (tmp_path / "plan.yaml").write_text(text)
    with pytest.raises(ParameterError) as error:
        load(tmp_path / "plan.yaml")
    assert problem in str(error.value) and "plan.yaml" in str(error.value)


def test_plain_words_of_a_plan(tmp_path):
    """Words are those of YAML 1.2: only true and false are truth values, and numbers have ten digits."""
    (tmp_path / "plan.yaml").write_text(
        "title: 2026-11-29\nconsent: no\nbefore: [{name: on, ask: 12:30, kind: choice, choices: [Yes, No, off, =]}]\n"
        "conditions: [{name: a, world: MatrixGame, seed: 010, episodes: 0x10, tick: 1e1}]\npayment: 1_000\n"
        "wait: .5\nplays: 08\n"
    )
    with pytest.raises(ParameterError, match="plays=8, but there are 1 conditions"):
        load(tmp_path / "plan.yaml")
    (tmp_path / "plan.yaml").write_text((tmp_path / "plan.yaml").read_text().replace("plays: 08", "plays: ~"))
    found = load(tmp_path / "plan.yaml")
    (question,), (condition,) = found.before, found.conditions
    assert (found.title, found.consent, found.payment, found.wait) == ("2026-11-29", "no", "1_000", 0.5)
    assert (question.name, question.ask, question.choices) == ("on", "12:30", ["Yes", "No", "off", "="])
    assert (condition.seed, condition.episodes, condition.tick, found.plays) == (10, 16, 10.0, None)


def test_a_plan_with_names_for_its_parts(tmp_path):
    (tmp_path / "plan.yaml").write_text(
        "title: x\nconsent: y\nbefore: [&age {name: age, ask: 'How old?', kind: number, least: 1, most: 99}]\n"
        "after: [{<<: *age, name: again}]\nconditions: [{name: a, world: MatrixGame}]\n"
    )
    found = load(tmp_path / "plan.yaml")
    assert [one.name for one in (*found.before, *found.after)] == ["age", "again"] and found.after[0].most == 99


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
    from starlette.testclient import TestClient

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
    while not (message := page.receive_json()).get("done"):
        if message.get("over") and not episodes:
            episodes = 1
            page.send_json({"again": True})
        elif message.get("turn", "").startswith("Your move") and message["number"] == number:
            number += 1
            page.send_json({"n": number, "ms": 7, "act": message["legal"][0]})


def places(study):
    return [(one.number, one.order, one.code, one.step, one.table, one.seat, one.left) for one in study.people.values()]


def test_the_whole_way(open_study, tmp_path):
    import pyarrow.parquet as pq

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
        assert all(client.get(f"/table/{id}/world").status_code == 404 for id in client.study.tables)
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
        while two.receive_json().get("turn") == "Waiting for the other people.":
            pass
        one.send_json({"n": 1, "ms": 3, "act": 1})
        two.send_json({"n": 1, "act": 0})
        for page in (one, two):
            while not page.receive_json().get("done"):
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
        while not (message := page.receive_json()).get("done"):
            pass
        assert message["turn"] == "Nobody else has come."
    assert person.now["kind"] == "end"
    second = Person(client)
    second.ask("start")  # a table of its own: the first one is closed
    assert len(client.study.tables) == 2
    assert export(tmp_path / "study", tmp_path / "data")["episodes"] == 0
    again = Study(client.study.plan, shutil.copytree(tmp_path / "study", tmp_path / "copy"))
    assert [table.done for table in again.tables.values()].count(True) == 1


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


def test_who_has_left_cannot_come_back_to_the_table(open_study, tmp_path):
    client = open_study(plan(conditions=[PAIR], before=[]))
    one, two = Person(client), Person(client)
    with one.sit() as page:
        one.enter(page)
        other = two.ask("start")["table"]
        assert one.ask("leave")["left"]
        while (message := page.receive())["type"] != "websocket.close":
            pass
    with client.websocket_connect(f"/ws/{other}") as page:
        page.send_json({"join": one.secret})
        message = page.receive()
        assert (message["type"], message["code"]) == ("websocket.close", 4401)
    assert one.ask("start")["left"]
    until = time.monotonic() + 5
    while client.study.tables[other].session.persons != {1} and time.monotonic() < until:
        time.sleep(0.01)
    assert client.study.tables[other].session.persons == {1}
    copied = shutil.copytree(tmp_path / "study", tmp_path / "copy")
    again = Study(plan(conditions=[PAIR], before=[]), copied)
    assert places(again) == places(client.study)
    assert again.tables[other].seat(one.secret) is None and again.tables[other].seat(two.secret) == 1
    again.close()
    with two.sit() as page:  # a policy plays for the one who has left
        two.enter(page)
        play(page)
    assert two.now["kind"] == "end"


def test_who_has_left_is_out_even_if_the_server_was_killed_in_between(tmp_path):
    async def run():
        study = Study(plan(conditions=[PAIR], before=[]), tmp_path)
        one, two = study.agree(""), study.agree("")
        study.start(one)
        study.start(two)
        table = study.tables[study.now(one)["table"]]
        before = table.journal.path.read_bytes()
        async with study.running(None):
            study.leave(one)
        table.journal.path.write_bytes(before)  # what the table's journal holds of it was not written
        again = Study(study.plan, tmp_path)
        table = again.tables[table.id]
        async with again.running(None):
            await asyncio.sleep(0.05)
            assert table.seat(one) is None and table.session.persons == {1}

    asyncio.run(run())


TEXTS = [
    "bad \\ud800 text", "\\udfff", "\\ud83d", "\\ude00\\ud83d", "a\\u0000b", "\\ud83d\\ude00", "e\\u0301",
    "\\u202e x", "\\u001b[31m", "\\ufffe\\uffff",
]  # fmt: skip


def test_no_text_of_a_participant_stops_the_export(open_study, tmp_path):
    import pyarrow.parquet as pq

    client = open_study(plan(before=[WHY]))
    headers = {"content-type": "application/json"}

    def post(what, content):
        answer = client.post(f"/api/study/{what}", content=content.encode("ascii"), headers=headers)
        assert answer.status_code == 200
        return answer.json()

    for text in TEXTS:
        secret = post("agree", f'{{"id": "{text}"}}')["secret"]
        post("answers", f'{{"secret": "{secret}", "step": 0, "answers": {{"why": "{text}"}}}}')
    client.study.journal.append(of=0, at="before", answers={"why": "old \ud800"})  # as earlier versions kept it
    assert export(tmp_path / "study", tmp_path / "data")["answers"] == len(TEXTS) + 1
    found = pq.read_table(tmp_path / "data" / "participants.parquet")["id"].to_pylist()
    assert found[:3] == ["bad \ufffd text", "\ufffd", "\ufffd"] and found[5:7] == ["\U0001f600", "e\u0301"]
    assert pq.read_table(tmp_path / "data" / "answers.parquet")["text"].to_pylist()[-1] == "old \ufffd"


@pytest.mark.parametrize("step", ["0.0", "1e0", "true", '"0"', "null", "[]", "{}", "NaN", "-0.0", "[0]"])
def test_a_step_that_is_no_integer_is_malformed(step, open_study):
    client = open_study(plan())
    person = Person(client)
    content = f'{{"secret": "{person.secret}", "step": {step}, "answers": {{"age": 20}}}}'
    headers = {"content-type": "application/json"}
    answer = client.post("/api/study/answers", content=content, headers=headers)
    assert (answer.status_code, answer.content) == (400, b'{"error":"malformed"}')
    assert person.now["step"] == 0
    for number in (-1, 1, 10**30):  # a part that is not the present one
        assert person.ask("answers", step=number, answers={"age": 20})["step"] == 0


def test_a_study_grows_with_its_plan(tmp_path):
    study = Study(plan(participants=1), tmp_path)
    study.agree("")
    with pytest.raises(ParameterError, match="full"):
        study.agree("")
    study.close()
    for changes in ({"participants": 1, "wait": 7}, {"title": "Other"}, {"participants": 5, "conditions": [PAIR]}):
        with pytest.raises(EnvsuiteError, match="only `participants` may be raised"):
            Study(plan(**{"participants": 1, **changes}), tmp_path)
    study = Study(plan(participants=3), tmp_path)
    assert study.agree("") and [one.number for one in study._numbered] == [0, 1]
    study.close()
    with pytest.raises(EnvsuiteError, match="holds another study"):
        Study(plan(participants=2), tmp_path)
    study = Study(plan(), tmp_path)  # 100 by default
    assert len(study._numbered) == 2 and study.agree("")
    study.close()
    assert export(tmp_path, tmp_path / "data")["participants"] == 3


def test_a_study_starts_without_the_table_of_a_damaged_journal(tmp_path):
    async def run():
        study = Study(plan(conditions=[PAIR, {**PAIR, "name": "later"}], before=[]), tmp_path)
        secrets = [study.agree("") for _ in range(4)]
        async with study.running(None):
            for secret in secrets:
                study.start(secret)
        path = tmp_path / f"{study.people[digest(secrets[0])].table}.journal"
        path.write_bytes(path.read_bytes().replace(b'"seat":1', b'"seat":0'))
        again = Study(study.plan, tmp_path)
        assert [again.now(secret)["kind"] for secret in secrets] == ["start", "start", "table", "table"]
        async with again.running(None):
            again.start(secrets[0])
            assert again.now(secrets[0])["kind"] == "table"
        with pytest.warns(UserWarning, match="the data of this table are left out"):
            assert export(tmp_path, tmp_path / "data")["participants"] == 4

    asyncio.run(run())


class Own(registry.world_class("MatrixGame")):
    """A world of a user's."""


def test_code_that_a_folder_names_is_run_only_if_it_may(tmp_path, monkeypatch):
    own = {**PAIR, "world": "test_study:Own"}
    with pytest.raises(ValueError, match="'test_study:Own' is no id, and files import no modules"):
        plan(conditions=[own], before=[])
    registry.world_class("test_study:Own")

    async def run():
        study = Study(plan(conditions=[own], before=[]), tmp_path / "own")
        async with study.running(None):
            study.start(study.agree(""))
        return study.tables

    (id,) = asyncio.run(run())
    Study(plan(conditions=[own], before=[]), tmp_path / "own").close()
    assert export(tmp_path / "own", tmp_path / "data")["participants"] == 1
    with monkeypatch.context() as other_process, pytest.raises(ValueError, match="files import no modules"):
        other_process.setattr(registry, "_named", {})
        export(tmp_path / "own", tmp_path / "data")

    Study(plan(), tmp_path / "given").close()  # a folder whose table, not its plan, names code
    people = journal.Journal(tmp_path / "given" / PARTICIPANTS)
    people.append(participant=0, digest="x", id="", order=["pair"], code=None)
    people.append(of=0, at="pair", table="a", seat=0)
    table = journal.Journal(tmp_path / "given" / "a.journal")
    table.append(settings={"world": "elsewhere:World", "seats": {}, "seed": 0})
    with pytest.warns(UserWarning, match="'elsewhere:World' is no id, and files import no modules"):
        assert export(tmp_path / "given", tmp_path / "data")["episodes"] == 0


def test_actions_that_a_model_did_not_choose_are_counted(tmp_path, caplog):
    import pyarrow.parquet as pq

    chosen = []
    answers = iter(["", "", "", "Action: cooperate", "nonsense", "x" * 99, "1e9"])
    world = {"name": "two", "world": "RepeatedGame", "seats": {"player_1": "language:shy"}}

    async def run():
        study = Study(plan(conditions=[world], before=[]), tmp_path, {"shy": lambda prompt: next(answers)})
        async with study.running(None):
            secret = study.agree("")
            study.start(secret)
            table = study.tables[study.now(secret)["table"]]
            for number in range(1, 4):
                await table.act(0, {"act": 0, "n": number})
                await table.step()
            chosen.append(table.session.timeline.by)
        return [event.get("fallback") for event in journal.read(table.journal.path).events if "step" in event]

    assert asyncio.run(run()) == [[1], None, [1]]
    assert [record.levelname for record in caplog.records].count("WARNING") == 2
    assert "step 1: language:shy gave no action: " in caplog.text
    export(tmp_path, tmp_path / "data")
    assert pq.read_table(tmp_path / "data" / "episodes.parquet")["fallbacks"].to_pylist() == [2]
    with pytest.raises(JournalError, match="cannot play the table"):  # nobody is moved on: the model is missing today
        Study(plan(conditions=[world], before=[]), tmp_path)
    again = Study(plan(conditions=[world], before=[]), tmp_path, {"shy": str})
    (table,) = again.tables.values()
    assert table.session.timeline.by == chosen[0] == [("person", who) for who in ("fallback", "model", "fallback")]
    again.close()


def test_answers_wait_for_the_disk(open_study, monkeypatch):
    client = open_study(plan())
    person = Person(client)
    monkeypatch.setattr(journal.os, "write", lambda file, content: 3)
    answer = client.post("/api/study/answers", json={"secret": person.secret, "step": 0, "answers": {"age": 20}})
    assert (answer.status_code, answer.content) == (503, b'{"error":"cannot store"}')
    assert client.post("/api/study/agree", json={"id": ""}).status_code == 503
    monkeypatch.undo()
    assert person.now["step"] == 0 and person.answer(age=20)["step"] == 1


def test_an_address_agrees_a_limited_number_of_times(open_study):
    client = open_study(plan(participants=40))
    found = [client.post("/api/study/agree", json={"id": ""}).status_code for _ in range(25)]
    assert found == [200] * 20 + [429] * 5


def test_a_folder_holds_one_study(tmp_path):
    Study(plan(), tmp_path).close()
    with pytest.raises(EnvsuiteError, match="holds another study"):
        Study(plan(title="Other"), tmp_path)
    with pytest.raises(DataError, match="holds no study"):
        export(tmp_path / "nowhere", tmp_path / "data")


def test_ticks_are_exported(tmp_path):
    import pyarrow.parquet as pq

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
