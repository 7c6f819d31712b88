"""Tables: turns and ticks, journals and restarts, and what the server refuses."""

import asyncio
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

import numpy as np
import pytest

from envsuite.core.errors import ActionError, EnvsuiteError, ParameterError
from envsuite.episodes.replay import Replay
from envsuite.serve.journal import Journal
from envsuite.serve.messages import MOST_BYTES, checked
from envsuite.serve.page import FLOOD_BURST, _welcome
from envsuite.serve.tables import BURST, Settings, Table
from envsuite.serve.web import Host, application


def state(table):
    session = table.session
    return session.batch.records.tobytes(), session.cast.get_state(), table.returns.tolist(), session.chosen


async def legal_step(table, rng, number):
    for seat in table.people:
        mask = table.session.batch.masks[0, seat]
        if mask.any():
            await table.act(seat, {"act": int(rng.choice(np.flatnonzero(mask))), "n": number})
    await table.step()


def reopened(table):
    table.journal.close()
    return Table(Journal(table.journal.path))


@pytest.mark.parametrize(
    "settings",
    [
        Settings("TicTacToe", seats={"player_1": "random"}),
        Settings("Harvest", seats={"player_2": "sustainable"}, seed=3, tick=6, idle="repeat"),
        Settings("MatrixGame", seed=1),
    ],
    ids=lambda settings: settings.world,
)
def test_a_journal_restores_a_table_exactly(settings, tmp_path):
    async def play():
        table = Table.create(tmp_path, settings)
        secrets = {a: table.take(a) for a in table.people}
        rng = np.random.default_rng(0)
        for number in range(1, 8):
            await legal_step(table, rng, number)
            if table.session.over:
                await table.again()
        await table.hand(table.people[0], False)
        again = reopened(table)
        assert state(again) == state(table) and again.numbers == table.numbers and again.last == table.last
        assert {a: again.seat(secret) for a, secret in secrets.items()} == {a: a for a in secrets}
        assert again.session.persons == table.session.persons
        for one in (table, again):
            one.session.chosen.clear()
            one._idle()
            one._advance()
        assert state(again) == state(table)

    asyncio.run(play())


def test_what_was_acknowledged_survives_a_torn_line(tmp_path):
    async def play():
        table = Table.create(tmp_path, Settings("MatrixGame"))
        for a in table.people:
            table.take(a)
        await table.act(0, {"act": 1, "n": 5})
        with open(table.journal.path, "ab") as file:
            file.write(b'{"choose":1,"act')  # the server was killed in the middle of this line
        again = reopened(table)
        assert again.session.chosen == {0: 1} and again.numbers == {0: 5}
        with pytest.raises(ActionError, match="chosen already"):
            await again.act(0, {"act": 0, "n": 6})
        await again.act(1, {"act": 0, "n": 1})
        await again.step()
        assert again.session.step == 1
        assert stat.S_IMODE(again.journal.path.stat().st_mode) == 0o600

    asyncio.run(play())


def test_ticks_go_on_without_choices_and_keep_a_replay(tmp_path):
    async def play():
        table = Table.create(tmp_path, Settings("Overcooked", {"horizon": 3}, tick=60, idle="repeat"))
        for a in table.people:
            table.take(a)
        task = asyncio.create_task(table.run())
        await asyncio.sleep(0.1)
        assert table.session.step == 0  # nobody is connected
        await table.enter(0, lambda message: None)
        await table.act(0, {"act": table.world.action_names[0].index("north"), "n": 1})
        while not table.session.over:
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)
        task.cancel()
        return table

    table = asyncio.run(play())
    stay, north = (table.world.action_names[0].index(name) for name in ("stay", "north"))
    assert [row.tolist() for row in table.session.timeline.actions] == [[north, stay]] * 3
    (replay,) = tmp_path.glob("*.replay")
    Replay.load(replay).verify()


def test_a_policy_plays_for_an_absent_person(tmp_path):
    async def play():
        table = Table.create(tmp_path, Settings("TicTacToe", absent="policy"))
        for a in table.people:
            table.take(a)

        def page(message):
            return None

        await table.enter(0, page)
        await table.leave(0, page)
        assert table.session.persons == {1} and table.session.waiting() is None
        await table.step()
        with pytest.raises(ActionError, match="a policy plays"):
            await table.act(0, {"act": 0, "n": 1})
        await table.enter(0, page)
        assert table.session.persons == {0, 1}

    asyncio.run(play())


def test_seats_read_the_page_for_players(tmp_path):
    """At the start and again in each episode, since roles may change; nobody is shown the page for researchers."""

    async def play():
        table = Table.create(tmp_path, Settings("ConnectFour", {"columns": 5}, seats={"player_1": "random"}))
        table.take(0)
        told = _welcome(table, 0)["rules"]
        assert told == table.world.prompt(table.record, 0) and "5 columns" in told
        assert "**Rules.**" not in told and "rules" not in _welcome(table, None)
        sent = []
        await table.enter(0, sent.append)
        await table.enter(None, (spectator := []).append)
        table._begin(None)
        assert [json.loads(message) for message in sent if "rules" in message] == [{"rules": told}]
        assert not any("rules" in message for message in spectator)

    asyncio.run(play())


@pytest.mark.parametrize(
    "settings, problem",
    [
        (dict(world="TicTacToe", seats={"player_7": "random"}), "no agent 'player_7'"),
        (dict(world="TicTacToe", seats={"player_1": "language:none"}), "no language model 'none'"),
        (dict(world="TicTacToe", seats={"player_1": "gradny"}), "no policy 'gradny'"),
        (dict(world="TicTacToe", tick=-1.0), "tick=-1.0 must be"),
        (dict(world="TicTacToe", absent="never"), "absent='never' must be one of"),
    ],
)
def test_bad_settings_leave_no_journal(settings, problem, tmp_path):
    with pytest.raises(EnvsuiteError, match=problem):
        Table.create(tmp_path, Settings(**settings))
    assert not list(tmp_path.iterdir())


def test_a_language_model_has_a_seat(tmp_path):
    async def play():
        models = {"one": lambda prompt: "Action: " + re.search(r"Your legal actions: ([^;\n]*)", prompt)[1]}
        table = Table.create(tmp_path, Settings("TicTacToe", seats={"player_0": "language:one"}), models)
        table.take(1)
        await table.step()
        assert table.session.timeline.actions[0][0] == 0
        models["one"] = None  # it is not asked again
        table.journal.close()
        assert Table(Journal(table.journal.path), {"one": lambda prompt: 1 / 0}).session.step == 1

    asyncio.run(play())


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{", "null", '{"join": 3}', '{"join": "x", "watch": true}', '{"act": 1}', '{"act": true, "n": 1}',
        '{"act": -1, "n": 1}', '{"act": 1, "n": 0}', '{"act": 1, "n": 1, "seat": 0}', '{"click": [1], "n": 1}',
        '{"click": [1, NaN], "n": 1}', '{"say": "' + "x" * 501 + '", "n": 1}', '{"hand": 1}', '{"seat": 0}',
        '{"say": "' + "é" * MOST_BYTES + '", "n": 1}', "[" * 1000, '{"act": 99999999999, "n": 1}',
    ],
)  # fmt: skip
def test_messages_of_another_form_are_refused(text):
    with pytest.raises(ParameterError):
        checked(text)


@pytest.fixture
def client(tmp_path):
    from starlette.testclient import TestClient

    host = Host(tmp_path, [Settings("TicTacToe")])
    with TestClient(application(host, ["testserver"]), headers={"origin": "http://testserver"}) as found:
        found.host_ = host
        yield found


def seated(client):
    id = client.post("/api/tables", json={"offer": 0}).json()["id"]
    secrets = [client.post(f"/api/tables/{id}/seats", json={"seat": f"player_{a}"}).json()["secret"] for a in (0, 1)]
    return id, secrets


def test_from_the_lobby_to_a_move(client):
    id, (first, second) = seated(client)
    assert len(id) >= 20 and len(first) >= 32 and first != second
    assert client.get("/api/tables").json()["tables"][0]["seats"] == [["player_0", "person"], ["player_1", "person"]]
    with client.websocket_connect(f"/ws/{id}") as one, client.websocket_connect(f"/ws/{id}") as two:
        for page, secret in ((one, first), (two, second)):
            page.send_json({"join": secret})
            assert "welcome" in page.receive_json() and "picture" in page.receive_json()
        one.send_json({"n": 1, "act": 4})
        while (message := two.receive_json())["turn"] != "Your move, player_1.":
            pass
        assert 4 not in message["legal"]
        two.send_json({"n": 1, "act": 4})
        while "problem" not in (message := two.receive_json()):
            pass
        assert message["of"] == 1 and "illegal" in message["problem"]


def test_all_refusals_are_the_same(client):
    id, (first, _) = seated(client)
    wrong = [
        client.post(f"/api/tables/{id}/seats", json={"seat": "player_0"}),  # taken
        client.post(f"/api/tables/{id}/seats", json={"seat": "player_9"}),
        client.post("/api/tables/nowhere/seats", json={"seat": "player_0"}),
        client.post("/api/tables", json={"offer": 7}),
        client.post("/api/tables", content=b"x" * 5000, headers={"content-type": "application/json"}),
        client.post("/api/tables", json={"offer": 0}, headers={"origin": "http://elsewhere"}),
        client.post("/api/tables", content=b'{"offer": 0}', headers={"content-type": "text/plain"}),
    ]
    assert {(answer.status_code, answer.content) for answer in wrong} == {(403, b'{"error":"refused"}')}
    assert len(client.host_.tables) == 1
    assert client.get("/", headers={"host": "rebound.example"}).status_code == 400
    policy = client.get(f"/table/{id}").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';") and "unsafe" not in policy
    assert first not in client.get(f"/table/{id}").text + client.get("/api/tables").text
    assert client.get("/static/..%2fweb.py").status_code == 404
    assert client.get("/table/nowhere/world").status_code == 404
    with pytest.raises(Exception):  # noqa: B017
        with client.websocket_connect(f"/ws/{id}", headers={"origin": "http://elsewhere"}):
            pass


def test_the_page_for_researchers_is_a_link_away(client):
    id, _ = seated(client)
    found = client.get(f"/table/{id}/world")
    assert found.text == type(client.host_.tables[id].world).__doc__ and "**Rules.**" in found.text
    assert found.headers["content-type"].startswith("text/plain")


def test_messages_above_the_limit_are_dropped(client):
    """A held key repeats 30 times a second: the page stays, and some of its choices count."""
    id, (first, _) = seated(client)
    with client.websocket_connect(f"/ws/{id}") as page:
        page.send_json({"join": first})
        for number in range(1, int(BURST) + 101):
            page.send_json({"n": number, "act": 10_000})
        time.sleep(0.3)
        page.send_json({"n": 999, "act": 10_000})
        seen = []
        while not seen or seen[-1].get("of") != 999:
            seen.append(page.receive_json())
        problems = [one["problem"] for one in seen if "problem" in one]
        assert BURST <= problems.count("there is no such action") < BURST + 60
        assert 1 <= sum("dropped" in problem for problem in problems) <= 3


def test_a_flood_ends_the_connection(client):
    id, (first, _) = seated(client)
    with client.websocket_connect(f"/ws/{id}") as page:
        page.send_json({"join": first})
        for number in range(int(FLOOD_BURST) + 2000):
            page.send_json({"n": number + 1, "act": 10_000})
        while (message := page.receive())["type"] != "websocket.close":
            pass
        assert message["code"] == 1008


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def running(folder, port, *words):
    line = [sys.executable, "-m", "envsuite.cli", "serve", *words, "--folder", str(folder), "--port", str(port)]
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, env={**os.environ, "ENVSUITE_PYTHON": "1"})
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/tables").read()
            return process
        except OSError:
            time.sleep(0.1)
    raise TimeoutError


@pytest.mark.slow
@pytest.mark.parametrize("words", [("MatrixGame",), ("Harvest", "--tick", "10")])
def test_a_killed_server_comes_back_with_every_acknowledged_choice(words, tmp_path):
    from websockets.sync.client import connect

    port = free_port()
    origin = f"http://127.0.0.1:{port}"

    def post(path, content):
        headers = {"Content-Type": "application/json", "Origin": origin}
        request = urllib.request.Request(origin + path, json.dumps(content).encode(), headers)
        return json.loads(urllib.request.urlopen(request).read())

    @contextmanager
    def joined(secret):
        with connect(f"ws://127.0.0.1:{port}/ws/{id}", origin=origin) as page:
            page.send(json.dumps({"join": secret}))
            assert "welcome" in json.loads(page.recv())
            yield page, json.loads(page.recv())

    process = running(tmp_path, port, *words)
    try:
        id = post("/api/tables", {"offer": 0})["id"]
        seats = json.loads(urllib.request.urlopen(f"{origin}/api/tables").read())["tables"][0]["seats"]
        secrets = [post(f"/api/tables/{id}/seats", {"seat": agent})["secret"] for agent, _ in seats]
        for number in range(1, 6):
            for secret in secrets[: 1 + (number % 2 == 0)]:
                with joined(secret) as (page, message):
                    if not message["legal"]:
                        continue
                    page.send(json.dumps({"n": number, "act": message["legal"][-1]}))
                    while json.loads(page.recv()).get("number") != number:
                        pass
                    os.kill(process.pid, signal.SIGKILL)
                    process.wait()
                process = running(tmp_path, port, *words)
                with joined(secret) as (_, message):
                    assert message["number"] == number
                (table,) = (Table(Journal(path, write=False)) for path in tmp_path.glob("*.journal"))
                assert number in table.numbers.values()
    finally:
        process.kill()
        process.wait()
