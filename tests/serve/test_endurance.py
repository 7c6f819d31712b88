"""Long and crowded servers: thousands of games at one table, hundreds of idle and slow clients, and a jumping clock."""

import asyncio
import gc
import json
import os
import random
import re
import socket
import threading
import time

import pytest
from kit import ROOT
from test_limits import GET, fetched

from envsuite.compile import tiers
from envsuite.episodes.replay import Replay
from envsuite.serve import protocol, tables
from envsuite.serve.host import Host
from envsuite.serve.journal import Journal, read
from envsuite.serve.settings import Settings
from envsuite.serve.tables import Table
from envsuite.serve.web import application


def descriptors():
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs Linux")
@pytest.mark.parametrize("model, games", [(False, 2_000), (True, 500)], ids=["a policy", "a model"])
def test_thousands_of_games_at_one_table(model, games, tmp_path, monkeypatch, counted):
    """Neither objects nor descriptors grow with the games, and each game is stored."""
    monkeypatch.setattr(os, "fsync", lambda file: None)  # which is most of the time
    monkeypatch.setattr("envsuite.serve.journal.os.fsync", lambda file: None)
    monkeypatch.setattr(tiers, "PYTHON", True)  # compiling keeps a file of locks open, and reads files meanwhile
    models = {"one": lambda prompt: "Action: " + re.search(r"Your legal actions: ([^;\n]*)", prompt)[1]}
    seats = {"player_1": "language:one" if model else "random"}
    sizes = {}

    async def play():
        table = Table.create(tmp_path, Settings("MatrixGame", seats=seats, seed=0), models)
        table.take(0)
        await table.enter(0, lambda message: None)
        for game in range(games):
            await table.act(0, {"act": game % 2, "n": game + 1})
            await table.step()
            assert table.session.over and table.played == game + 1
            await table.again()
            if game + 1 in (games // 4, games):
                gc.collect()
                sizes[game + 1] = descriptors(), len(gc.get_objects())
        table.journal.close()
        return table

    table = asyncio.run(play())
    (files, objects), (more_files, more_objects) = sizes.values()
    assert more_files <= files and more_objects < objects + games // 10
    replays = sorted(tmp_path.glob("*.replay"))
    assert len(replays) == games and {len(Replay.load(path)) for path in replays[::100]} == {1}
    events = read(table.journal.path).events
    assert sum("step" in event for event in events) == sum("begin" in event for event in events) == games
    again = Table(Journal(table.journal.path, write=False), models)
    assert again.played == games and again.session.start.seed == games and again.numbers == {0: games}
    counted("games at one table", games)


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A table, and the address at which a thread serves its host, with the limits that it usually has."""
    import uvicorn

    monkeypatch.setattr(protocol.Patient, "most", 1_000)
    host = Host(tmp_path)
    table = host.open(Settings("TicTacToe", seats={"player_1": "random"}, listed=False, seed=0))
    secret = table.take(0)
    with socket.create_server(("127.0.0.1", 0), backlog=1_000) as listening:
        settings = uvicorn.Config(
            application(host, ["127.0.0.1"]), http=protocol.Patient, ws="websockets-sansio", log_level="critical"
        )
        running = uvicorn.Server(settings)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        yield host, table, secret, listening.getsockname()
        running.should_exit = True
        thread.join(20)


def upgraded(address, path, first):
    """A page that reads nothing: a socket of its own, after its first message."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect(address)
    place = f"127.0.0.1:{address[1]}"
    made.sendall(
        f"GET {path} HTTP/1.1\r\nHost: {place}\r\nOrigin: http://{place}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    assert made.recv(1000).startswith(b"HTTP/1.1 101")
    text = json.dumps(first).encode()
    assert len(text) < 126
    made.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)  # masked by zeros
    return made


def test_idle_sockets_and_slow_readers_keep_nobody_waiting(server, counted):
    from websockets.sync.client import connect

    host, table, secret, address = server
    origin = f"http://127.0.0.1:{address[1]}"
    idle = [socket.create_connection(address) for _ in range(500)]
    for one in idle[::2]:
        one.sendall(GET[:20])
    slow = [upgraded(address, f"/ws/{table.id}", {"watch": True}) for _ in range(100)]
    longest, steps = 0.0, 0
    with connect(f"ws://127.0.0.1:{address[1]}/ws/{table.id}", origin=origin) as page:
        page.send(json.dumps({"join": secret}))
        seen = {}
        for number in range(1, 60):
            while not (seen.get("legal") or seen.get("over")):
                seen = json.loads(page.recv(timeout=30))
            start = time.monotonic()
            if seen["over"]:
                page.send(json.dumps({"again": True}))
                while seen.get("over", True):
                    seen = json.loads(page.recv(timeout=30))
            else:
                page.send(json.dumps({"n": number, "act": seen["legal"][0]}))
                while seen.get("number") != number:
                    seen = json.loads(page.recv(timeout=30))
                steps += 1
            longest = max(longest, time.monotonic() - start)
            time.sleep(0.06)  # the limit of messages
    with socket.create_connection(address) as connection:
        connection.sendall(GET + b"\r\n")
        start = time.monotonic()
        assert fetched(connection)
        longest = max(longest, time.monotonic() - start)
    assert steps > 30 and longest < 3
    for one in (*idle, *slow):
        one.close()
    until = time.monotonic() + 20
    while (any(table.views.pages.values()) or host.limits.pages) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(table.views.pages.values()) and not host.limits.pages
    counted("idle sockets beside which people played", len(idle))
    counted("slow readers beside which people played", len(slow))


def ignore(message):
    """A page that reads nothing."""


@pytest.mark.parametrize("tick", [0, 60])
def test_a_clock_that_jumps(tick, tmp_path, monkeypatch, counted):
    """The time of day goes back and forth by hours while a table plays: nobody loses a seat, and nothing stops."""
    chance, jumps, clock = random.Random(tick), [], time.time

    def jumping():
        jumps.append(chance.choice([-1, 1]) * chance.uniform(0, 50) * 3600)
        return clock() + jumps[-1]

    monkeypatch.setattr(time, "time", jumping)
    monkeypatch.setattr(tables, "ANSWERS", 1e6)

    async def play():
        host = Host(tmp_path, release=3600.0, close=7200.0)
        async with host.running(None):
            table = host.open(Settings("Overcooked", {"horizon": 100}, tick=tick, seed=0, absent="policy"))
            secrets = [table.take(a) for a in table.people]
            for a in table.people:
                await table.enter(a, ignore)
            await table.leave(1, ignore)
            for number in range(1, 40):
                step = table.session.step
                await table.act(0, {"act": number % 4, "n": number})
                for _ in range(500):
                    if table.session.step > step and not table.moving:
                        break
                    await asyncio.sleep(0.01)
                assert table.session.step > step
                host.tidy(time.monotonic())
            assert list(host.tables) == [table.id] and not table.failed
            assert [table.seat(secret) for secret in secrets] == table.people
            return table.id

    id = asyncio.run(play())
    again = Host(tmp_path)
    assert list(again.tables) == [id] and again.tables[id].session.step >= 39
    again.close()
    assert len(jumps) >= 39 and min(jumps) < -3600 < 3600 < max(jumps)
    counted("jumps of the clock while people played", len(jumps))


def test_durations_are_measured_by_a_clock_that_does_not_jump():
    """The time of day is for journals, and for the age of files."""
    wall = re.compile(r"\btime\.time\(|datetime\.now\(")
    found = {
        path.relative_to(ROOT / "envsuite").as_posix(): len(calls)
        for path in (ROOT / "envsuite").rglob("*.py")
        if (calls := wall.findall(path.read_text("utf-8")))
    }
    assert found == {"compile/cache.py": 1, "serve/journal.py": 1, "serve/tables.py": 1}
