"""kill -9 while people act: the server starts again, they repeat what was not acknowledged, and nothing is different.

The journals and the states are those of a server that was never killed and got the same messages.
"""

import asyncio
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import pytest
from test_tables import free_port, state
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from envsuite.serve import tables
from envsuite.serve.host import Host
from envsuite.serve.journal import Journal, read
from envsuite.serve.settings import Settings
from envsuite.serve.study import PARTICIPANTS
from envsuite.serve.tables import Table

#: What differs between two servers: times, and random names and secrets.
OWN = ("time", "digest", "maker", "sum", "code")


#: The messages, by their numbers, while which a server is killed.
KILLS = (2, 5, 6, 11, 16, 19)

#: Starts commands by forks of itself, in milliseconds: each line is the words of one.
NURSERY = """
import json, os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
import uvicorn, uvicorn.protocols.websockets.websockets_sansio_impl, uvloop
import envsuite.serve.protocol, envsuite.serve.study, envsuite.serve.web
from envsuite import cli
for line in sys.stdin:
    child = os.fork()
    if not child:
        sys.argv = ["envsuite", *json.loads(line)]
        cli.main()
        os._exit(1)
    print(child, flush=True)
"""


@pytest.fixture(scope="module")
def nursery():
    with subprocess.Popen(
        [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, env={**os.environ, "ENVSUITE_PYTHON": "1"},
    ) as process:  # fmt: skip
        yield process
        process.kill()


class Server:
    """A server in a process, which is killed a few milliseconds after each message whose number is in `at`."""

    def __init__(self, nursery, words, folder, at=()):
        self.nursery, self.words, self.at = nursery, [*words, "--folder", str(folder)], at
        self.sent = self.kills = 0
        self.start()

    def start(self):
        """Start it at a new port."""
        self.port = free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        self.nursery.stdin.write(json.dumps([*self.words, "--port", str(self.port)]) + "\n")
        self.nursery.stdin.flush()
        while not (line := self.nursery.stdout.readline()).strip().isdigit():  # what the servers print
            assert line
        self.process = int(line)
        for _ in range(600):
            try:
                return urllib.request.urlopen(self.origin, timeout=30).read()
            except OSError:
                time.sleep(0.02)
        raise TimeoutError

    def stop(self):
        os.kill(self.process, signal.SIGKILL)
        with pytest.raises(ProcessLookupError):
            for _ in range(6000):
                os.kill(self.process, 0)
                time.sleep(0.001)

    def struck(self):
        """Perhaps kill the server, while a message is on its way, and start it again."""
        self.sent += 1
        if self.sent in self.at:
            time.sleep(self.sent % 4 / 1000)
            self.stop()
            self.kills += 1
            self.start()

    def get(self, path):
        return json.loads(urllib.request.urlopen(self.origin + path, timeout=30).read())

    def post(self, path, **content):
        headers = {"Content-Type": "application/json", "Origin": self.origin}
        request = urllib.request.Request(self.origin + path, json.dumps(content).encode(), headers)
        return json.loads(urllib.request.urlopen(request, timeout=30).read())

    def insist(self, path, **content):
        """Post until there is an answer."""
        strike = threading.Thread(target=self.struck)
        strike.start()
        try:
            return self.post(path, **content)
        except (OSError, http.client.HTTPException):
            strike.join()
            return self.insist(path, **content)
        finally:
            strike.join()


class Person:
    """Somebody at a table, whose page connects again until the server is there."""

    def __init__(self, server, table, secret):
        self.server, self.table, self.secret, self.number = server, table, secret, 0
        self.join()

    def join(self):
        place = f"ws://127.0.0.1:{self.server.port}/ws/{self.table}"
        self.page, self.seen = connect(place, origin=self.server.origin).__enter__(), {}
        self.page.send(json.dumps({"join": self.secret}))
        self.until(lambda seen: "number" in seen)

    def until(self, condition):
        while not condition(self.seen):
            message = json.loads(self.page.recv(timeout=30))
            assert "problem" not in message, message
            if "number" in message:
                self.seen = message

    def say(self, message, heard):
        """Send a message, or none, until this is heard."""
        while not heard(self.seen):
            try:
                if message:
                    self.page.send(json.dumps(message))
                    self.server.struck()
                self.until(heard)
            except ConnectionClosed:
                self.join()

    def act(self):
        """The next choice, in a new episode if the last one is over; nothing once all is played."""
        self.say(None, lambda seen: seen["over"] or seen["legal"])
        if self.seen["over"] and not self.seen["done"]:
            self.say({"again": True}, lambda seen: not seen["over"])
            self.say(None, lambda seen: seen["legal"])
        if self.seen["done"]:
            return
        self.number += 1
        message = {"n": self.number, "act": self.seen["legal"][self.number * 5 % len(self.seen["legal"])]}
        if self.seen.get("floor"):
            message["words"] = f"number {self.number}, \u4e2d <b>"
        self.say(message, lambda seen: seen["number"] == self.number)


def plain(events, names):
    """Events without what is another server's own; the tables are called by numbers, in the order of `names`."""
    text = json.dumps([{key: value for key, value in event.items() if key not in OWN} for event in events])
    for number, name in enumerate(names):
        text = text.replace(name, f"table {number}")
    return json.loads(text)


def restored(folder, name):
    return Table(Journal(folder / f"{name}.journal", write=False))


def at_tables(server, people, choices):
    """A table of the server's world at which this many people choose so often; its id."""
    id = server.post("/api/tables", offer=0)["id"]
    agents = [agent for agent, kind in server.get("/api/tables")["tables"][0]["seats"] if kind == "free"]
    assert len(agents) == people
    secrets = [server.post(f"/api/tables/{id}/seats", seat=agent)["secret"] for agent in agents]
    players = [Person(server, id, secret) for secret in secrets]
    for _ in range(choices):
        for player in players:
            player.act()
    for player in players:
        player.say(None, lambda seen: seen["over"] or seen["legal"])  # the last step is there too
        player.page.close()
    return id


@pytest.mark.parametrize(
    "words, people, choices",
    [
        (("RepeatedGame", "--seed", "7"), 2, 12),
        (("RepeatedGame", "--seed", "7", "-p", "talk=1", "-p", "say=true", "--talk", "free"), 2, 12),
        (("TicTacToe", "--seed", "7", "--seats", "player_1=random"), 1, 24),
        (("ConnectFour", "--seed", "7", "--seats", "player_0=mcts:simulations=20"), 1, 20),
    ],
    ids=["people", "people who talk", "a policy", "a planner"],
)
def test_a_server_that_is_killed_while_people_act(words, people, choices, nursery, tmp_path, counted):
    found = {}
    for name, at in (("killed", KILLS), ("whole", ())):
        server = Server(nursery, ("serve", *words), tmp_path / name, at)
        try:
            found[name] = at_tables(server, people, choices)
        finally:
            server.stop()
        assert server.kills == len(at)
    one, other = found["killed"], found["whole"]
    events = [plain(read(tmp_path / name / f"{id}.journal").events, [id]) for name, id in found.items()]
    assert events[0] == events[1]
    assert sum(event.get("chosen", []) != [] for event in events[0]) == choices
    first, second = restored(tmp_path / "killed", one), restored(tmp_path / "whole", other)
    assert state(first) == state(second) and first.numbers == second.numbers and first.played == second.played
    assert first.chat.words.lines == second.chat.words.lines
    assert any("said" in event for event in events[0]) == ("--talk" in words)
    counted("kills of servers while people acted", len(KILLS))


PLAN = """
title: Games
consent: You will play.
payment: PAID
order: fixed
wait: 1000
before:
- {name: age, ask: "How old?", kind: number, least: 18, most: 99}
conditions:
- {name: alone, world: TicTacToe, seats: {player_1: random}, episodes: 2, seed: 0, absent: wait}
- {name: pair, world: RepeatedGame, parameters: {rounds: 4}, seed: 5, absent: wait}
after:
- {name: liked, ask: "Did you like it?", kind: scale, labels: ["no", "yes"]}
"""


def in_a_study(server, people=2):
    """All parts of the study, each of them by all participants before the next one."""
    secrets = [server.post("/api/study/agree", id=f"p{k}")["secret"] for k in range(people)]
    for step in range(4):
        seats = []
        for k, secret in enumerate(secrets):
            now = server.insist("/api/study/now", secret=secret)
            if now["kind"] == "questions":
                given = {one["name"]: 20 + k if one["kind"] == "number" else 3 for one in now["questions"]}
                server.insist("/api/study/answers", secret=secret, step=step, answers=given)
            else:
                seats.append((server.insist("/api/study/start", secret=secret)["table"], secret))
        players = [Person(server, *seat) for seat in seats]
        while not all(player.seen["done"] for player in players):
            for player in players:
                player.act()
        for player in players:
            player.page.close()
    assert {server.insist("/api/study/now", secret=secret)["code"] for secret in secrets} == {"PAID"}


def test_a_study_that_is_killed_while_people_act(nursery, tmp_path, counted):
    (tmp_path / "plan.yaml").write_text(PLAN)
    found, at = {}, (*KILLS, 23, 27, 33, 38)
    for name, kills in (("killed", at), ("whole", ())):
        server = Server(nursery, ("study", "run", str(tmp_path / "plan.yaml")), tmp_path / name, kills)
        try:
            in_a_study(server)
        finally:
            server.stop()
        assert server.kills == len(kills)
        study = read(tmp_path / name / PARTICIPANTS).events
        ids = list(dict.fromkeys(event["table"] for event in study if "table" in event))
        tables = [restored(tmp_path / name, id) for id in ids]
        found[name] = (
            plain(study, ids), [plain(read(tmp_path / name / f"{id}.journal").events, ids) for id in ids],
            [(state(table), table.numbers, table.played, table.done) for table in tables],
        )  # fmt: skip
    assert found["killed"] == found["whole"] and len(found["whole"][1]) == 3
    counted("kills of studies while people acted", len(at))


def test_after_a_restart_policies_play_for_those_who_do_not_come_back(tmp_path, monkeypatch):
    """As they do for people who leave while the server runs."""
    monkeypatch.setattr(tables, "BACK", 0.05)

    async def play():
        host = Host(tmp_path)
        async with host.running(None):
            table = host.open(Settings("RepeatedGame", absent="policy", listed=False))
            for a in table.people:
                table.take(a)
                await table.enter(a, lambda message: None)
        again = Host(tmp_path)
        async with again.running(None):
            (table,) = again.tables.values()
            await table.enter(0, lambda message: None)
            await table.act(0, {"act": 0, "n": 1})
            assert table.session.persons == {0, 1}
            for _ in range(500):
                if table.session.step:
                    break
                await asyncio.sleep(0.01)
            assert table.session.persons == {0} and table.session.step == 1

    asyncio.run(play())
