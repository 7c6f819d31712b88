"""Limits: of messages, of the time for pictures, of tables and seats, and of connections."""

import asyncio
import json
import socket
import threading
import time

import pytest

from envsuite.core.errors import ActionError
from envsuite.serve import host as hosts
from envsuite.serve import limits, page, protocol
from envsuite.serve.host import Host
from envsuite.serve.journal import Journal
from envsuite.serve.limits import Addresses, Bucket, Limits, address_of, is_local
from envsuite.serve.page import Page
from envsuite.serve.painter import Canvas, Painter
from envsuite.serve.settings import Settings
from envsuite.serve.tables import Table
from envsuite.serve.web import application


class Clock:
    def __init__(self, monkeypatch):
        self.now = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


def test_a_bucket_fills_with_time(monkeypatch):
    clock = Clock(monkeypatch)
    bucket = Bucket(2.0, 3.0)
    assert [bucket.take() for _ in range(5)] == [True, True, True, False, False]
    clock.now += 1.0
    assert [bucket.take() for _ in range(3)] == [True, True, False]  # what was refused took nothing
    clock.now += 100.0
    assert bucket.fill() == 3.0


def test_addresses_that_do_nothing_are_forgotten(monkeypatch):
    clock = Clock(monkeypatch)
    monkeypatch.setattr(limits, "_MANY", 10)
    addresses = Addresses(1.0, 2.0)
    assert [addresses.take("a") for _ in range(3)] == [True, True, False]
    for k in range(20):
        clock.now += 0.1
        addresses.take(f"b{k}")
    assert len(addresses._buckets) <= 13


@pytest.mark.parametrize(
    "host, address",
    [
        ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3::9", "2001:db8:1:2::"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::"), ("fe80::1%eth0", "fe80::"), ("testclient", "testclient"), ("", ""),
    ],
)  # fmt: skip
def test_addresses(host, address):
    assert address_of(host) == address


def test_what_is_local():
    assert is_local("127.0.0.1") and is_local("::1") and not is_local("192.0.2.7") and not is_local("2001:db8::1")


# The time for pictures.


def canvas(name, painted, seconds=0.0):
    def paint():
        painted.append(name)
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            pass

    return Canvas(paint)


def test_who_uses_little_time_is_painted_first():
    async def run():
        painter, painted = Painter(), []
        heavy = [canvas(k, painted, 0.003) for k in range(4)]
        light = canvas("light", painted)
        for one in (*heavy, light, *heavy):  # there is time: at once, in order
            painter.ask(one)
        assert painted == [0, 1, 2, 3, "light", 0, 1, 2, 3]
        painter._time.left = -0.15
        painted.clear()
        for one in (*heavy, *heavy, light, *heavy):
            painter.ask(one)
        assert painted == []
        while len(painted) < 5:
            await asyncio.sleep(0.001)
        assert painted[0] == "light" and sorted(painted[1:]) == [0, 1, 2, 3]  # each once, whatever was asked

    asyncio.run(run())


def test_pictures_leave_time_for_everything_else():
    async def run():
        painter, painted = Painter(), []
        painter._time.left = 0.0
        heavy, start = [canvas(k, painted, 0.004) for k in range(4)], time.monotonic()
        while time.monotonic() < start + 0.4:
            for one in heavy:
                painter.ask(one)
            await asyncio.sleep(0.002)
        assert 0.004 * len(painted) < 0.75 * (time.monotonic() - start) and len(painted) > 5

    asyncio.run(run())


def test_a_picture_that_fails_stops_no_other(caplog):
    async def run():
        painter, painted = Painter(), []
        painter._time.left = -0.1
        painter.ask(Canvas(lambda: 1 / 0))
        painter.ask(canvas("other", painted))
        while not painted:
            await asyncio.sleep(0.01)
        assert painted == ["other"]

    asyncio.run(run())
    assert "ZeroDivisionError" in caplog.text


class Wire:
    """A connection whose page says what is put into it."""

    def __init__(self, *messages, host="192.0.2.1"):
        self.incoming, self.sent, self.closed = asyncio.Queue(), [], None
        self.client = type("Client", (), {"host": host})
        for message in messages:
            self.put(message)

    def put(self, message):
        self.incoming.put_nowait(json.dumps(message))

    async def receive_text(self):
        return await self.incoming.get()

    async def send_text(self, text):
        self.sent.append(json.loads(text))

    async def close(self, code=1000):
        self.closed = code


async def settle():
    for _ in range(30):
        await asyncio.sleep(0)


def test_the_text_is_sent_to_the_page_that_asks(tmp_path, monkeypatch):
    """Nobody else's picture is made again."""

    async def run():
        table = Table.create(tmp_path, Settings("Overcooked", tick=6))
        secrets = [table.take(a) for a in table.people]
        wires = [Wire({"join": secrets[0]}), Wire({"join": secrets[0]}), Wire({"join": secrets[1]})]
        tasks = [asyncio.create_task(Page(wire, table).serve()) for wire in wires]
        await settle()
        painted, scene = [], table.world.scene
        monkeypatch.setattr(type(table.world), "scene", lambda *given: painted.append(given) or scene(*given[1:]))
        before = [len(wire.sent) for wire in wires]
        for wanted in (True, False, True):
            wires[0].put({"text": wanted})
        await settle()
        assert not painted and [len(wire.sent) - n for wire, n in zip(wires, before)] == [2, 0, 0]
        assert wires[0].sent[-1] == {"text": table.world.text(table.record, 0)}
        await table.step()
        await settle()
        assert "text" in wires[0].sent[-1] and "text" not in wires[2].sent[-1]
        for task in tasks:
            task.cancel()

    asyncio.run(run())


def test_the_pages_of_a_seat_share_its_limit(tmp_path, monkeypatch):
    async def run():
        table = Table.create(tmp_path, Settings("Overcooked", tick=6))
        secrets = [table.take(a) for a in table.people]
        acts = []
        monkeypatch.setattr(table, "act", lambda seat, message: acts.append(seat) or settle())
        wires = [Wire({"join": secrets[0]}) for _ in range(4)] + [Wire({"join": secrets[1]})]
        tasks = [asyncio.create_task(Page(wire, table).serve()) for wire in wires]
        await settle()
        for wire in wires:
            for number in range(1, 31):
                wire.put({"act": 0, "n": number})
        for _ in range(100):
            await settle()
        assert 40 <= acts.count(0) < 60 and acts.count(1) == 30  # the other seat has its own
        assert any("dropped" in one.get("problem", "") for wire in wires for one in wire.sent)
        assert all(wire.closed is None for wire in wires)
        for task in tasks:
            task.cancel()

    asyncio.run(run())


def test_an_address_has_a_limited_number_of_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(Limits, "PAGES", 3)

    async def run():
        table, shared = Table.create(tmp_path, Settings("TicTacToe")), Limits()
        wires = [Wire({"watch": True}) for _ in range(5)] + [Wire({"watch": True}, host="192.0.2.2")]
        tasks = [asyncio.create_task(Page(wire, table, shared).serve()) for wire in wires]
        await settle()
        assert [wire.closed for wire in wires] == [None, None, None, page.FLOOD, page.FLOOD, None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert not shared.pages

    asyncio.run(run())


# Seats and tables.


def client_of(host):
    from starlette.testclient import TestClient

    return TestClient(application(host, ["testserver"]), headers={"origin": "http://testserver"})


def test_a_table_is_closed_by_its_maker(tmp_path):
    host = Host(tmp_path, [Settings("TicTacToe")])
    with client_of(host) as client:
        made = [client.post("/api/tables", json={"offer": 0}).json() for _ in range(2)]
        first, second = (one["id"] for one in made)
        secret = client.post(f"/api/tables/{first}/seats", json={"seat": "player_0"}).json()["secret"]
        for wrong in (made[1]["maker"], "", None, 3, "x" * 2000, secret, [], True):
            assert client.post(f"/api/tables/{first}/close", json={"maker": wrong}).status_code == 403
        with client.websocket_connect(f"/ws/{first}") as socket_:
            socket_.send_json({"join": secret})
            socket_.receive_json()
            assert client.post(f"/api/tables/{first}/close", json={"maker": made[0]["maker"]}).status_code == 200
            while not (message := socket_.receive_json()).get("done"):
                pass
            assert message["turn"] == "This table is closed." and message["legal"] == []
        assert [one["id"] for one in client.get("/api/tables").json()["tables"]] == [second]
        assert made[0]["maker"] not in "".join(path.read_text() for path in tmp_path.glob("*.journal*"))
    again = Host(tmp_path)
    assert list(again.tables) == [second] and (tmp_path / f"{first}.journal.closed").exists()
    again.close()


def test_absent_people_lose_their_seats_in_the_lobby_only(tmp_path):
    async def run():
        host = Host(tmp_path, release=60.0, close=0.0)
        public, private = host.open(Settings("TicTacToe")), host.open(Settings("TicTacToe", listed=False))
        secrets = {table: [table.take(0), table.take(1)] for table in (public, private)}

        def shown(message):
            return None

        await public.enter(1, shown)
        now = time.monotonic()
        host.tidy(now + 59)
        assert sorted(public.digests) == [0, 1]
        host.tidy(now + 3600)
        assert sorted(public.digests) == [1] and sorted(private.digests) == [0, 1]  # one of them looks at the table
        assert public.seat(secrets[public][0]) is None and public.seat(secrets[public][1]) == 1
        with pytest.raises(ActionError, match="all seats are taken"):
            await public.act(1, {"act": 0, "n": 1})
        new = public.take(0)
        await public.leave(1, shown)
        host.tidy(time.monotonic() + 3600)
        assert not public.digests
        host.close()
        again = Table(Journal(public.journal.path, write=False))
        assert again.digests == {} and again.seat(new) is None

    asyncio.run(run())


def test_empty_tables_are_closed(tmp_path):
    async def run():
        host = Host(tmp_path, close=100.0, release=0.0)
        used, empty, private = (host.open(Settings("TicTacToe", listed=listed)) for listed in (True, True, False))
        await used.enter(None, print)
        host.tidy(time.monotonic() + 99)
        assert len(host.tables) == 3
        host.tidy(time.monotonic() + 1000)
        assert list(host.tables) == [used.id, private.id] and empty.done
        await used.leave(None, print)
        host.tidy(time.monotonic() + 1000)
        assert list(host.tables) == [private.id]
        host.close()

    asyncio.run(run())


def test_a_full_lobby_makes_room_for_those_who_come(tmp_path, monkeypatch):
    monkeypatch.setattr(hosts, "MOST_TABLES", 3)
    host = Host(tmp_path, [Settings("TicTacToe")])
    with client_of(host) as client:
        ids = [client.post("/api/tables", json={"offer": 0}).json()["id"] for _ in range(3)]
        assert client.post("/api/tables", json={"offer": 0}).status_code == 403
        host.tables[ids[1]].absent[None] -= 1000
        assert client.post("/api/tables", json={"offer": 0}).status_code == 200
        assert ids[1] not in host.tables and len(host.tables) == 3


def test_an_address_opens_a_limited_number_of_tables(tmp_path):
    host = Host(tmp_path, [Settings("TicTacToe")])
    with client_of(host) as client:
        found = [client.post("/api/tables", json={"offer": 0}).status_code for _ in range(25)]
        assert found == [200] * 20 + [429] * 5
        host.limits.tables = Addresses(0.1, 20.0)
        assert client.post("/api/tables", json={"offer": 0}).status_code == 200
        id = next(iter(host.tables))
        host.limits.seats = Addresses(0.0, 1.0)
        taken = [client.post(f"/api/tables/{id}/seats", json={"seat": f"player_{a}"}).status_code for a in (0, 1)]
        assert taken == [200, 429]
        host.limits.requests = Addresses(0.0, 2.0)
        assert [client.post("/api/tables", json={"offer": 9}).status_code for _ in range(4)] == [403, 403, 429, 429]


@pytest.mark.parametrize(
    "origin",
    ["http://[", "http://[::1", "http://]", "//[", "http://[x]", "http://a:b:c", "null", "", "http://\u00df[", "[["],
)  # fmt: skip
def test_a_malformed_origin_is_refused(origin, tmp_path):
    host = Host(tmp_path, [Settings("TicTacToe")])
    with client_of(host) as client:
        answer = client.post("/api/tables", json={"offer": 0}, headers={"origin": origin.encode("latin-1")})
        assert answer.status_code == 403 and answer.content == b'{"error":"refused"}'


# Connections.


@pytest.fixture
def server(tmp_path, monkeypatch):
    """The address of a server with short patience, in a thread."""
    import uvicorn

    monkeypatch.setattr(protocol, "HEADER", 0.4)
    monkeypatch.setattr("envsuite.serve.requests.PATIENCE", 0.4)
    monkeypatch.setattr(protocol.Patient, "most", 30)
    host = Host(tmp_path, [Settings("TicTacToe")])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        settings = uvicorn.Config(
            application(host, ["127.0.0.1"]), http=protocol.Patient, ws="websockets-sansio", log_level="critical",
            timeout_keep_alive=1,
        )  # fmt: skip
        running = uvicorn.Server(settings)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        yield listening.getsockname()
        running.should_exit = True
        thread.join(10)


def closed_after(connection):
    start = time.monotonic()
    connection.settimeout(5)
    try:
        while connection.recv(4096):
            pass
    except ConnectionError:
        pass
    return time.monotonic() - start


def fetched(connection):
    connection.settimeout(5)
    found = b""
    while b'"tables":[]' not in found:
        part = connection.recv(4096)
        assert part
        found += part
    return True


GET = b"GET /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.mark.parametrize(
    "sent",
    [b"", b"G", GET, GET + b"\r", GET + b"\r\nGET /", GET + b"X: " + b"x" * 1000, GET + b"\r\n" + GET],
    ids=["nothing", "a letter", "no end", "half an end", "a second request", "a long header", "a second header"],
)  # fmt: skip
def test_half_a_request_has_a_limited_time(sent, server):
    with socket.create_connection(server) as connection:
        connection.sendall(sent)
        assert 0.2 < closed_after(connection) < 3


def test_half_a_body_has_a_limited_time(server):
    head = (
        "POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nContent-Type: application/json\r\n"
    )
    with socket.create_connection(server) as connection:
        connection.sendall(f'{head}Content-Length: 99\r\nConnection: close\r\n\r\n{{"offer"'.encode())
        connection.settimeout(5)
        assert connection.recv(4096).startswith(b"HTTP/1.1 403")


def test_slow_and_usual_clients_are_served(server):
    with socket.create_connection(server) as connection:
        for part in (GET[:10], GET[10:], b"\r\n"):
            connection.sendall(part)
            time.sleep(0.1)
        assert fetched(connection)
        connection.sendall(GET + b"\r\n")  # the same connection, later
        assert fetched(connection)


def test_a_page_stays_and_too_many_connections_do_not(server):
    from websockets.sync.client import connect

    place = f"{server[0]}:{server[1]}"
    with connect(f"ws://{place}/ws/nowhere", origin=f"http://{place}") as found:
        time.sleep(0.6)  # longer than a header may take
        found.send(json.dumps({"watch": True}))
        with pytest.raises(Exception, match="4401"):
            found.recv()
    held = [socket.create_connection(server) for _ in range(60)]
    with socket.create_connection(server) as connection:  # others had to go
        connection.sendall(GET + b"\r\n")
        assert fetched(connection)
    assert max(closed_after(one) for one in held[:20]) < 0.3
    for one in held:
        one.close()
    time.sleep(0.1)
    assert not protocol.Patient.waiting and sum(protocol.Patient.peers.values()) <= 1
