"""Odd requests to a server: origins, bodies, paths, seats. All are refused in the same words, and nothing changes."""

import json

import pytest
from starlette.websockets import WebSocketDisconnect
from test_limits import client_of

from envsuite.serve.host import Host
from envsuite.serve.limits import Addresses
from envsuite.serve.settings import Settings

ORIGINS = (
    "http://elsewhere", "https://testserver.elsewhere", "http://testserver:81", "http://user@testserver", "testserver",
    "http://testserver@elsewhere", "file://", "null",
)  # fmt: skip

BODIES = (
    b"", b"{", b"[]", b"3", b"null", b'"offer"', b"\xff\xfe", b"[" * 3000, b'{"offer": 0' + b" " * 5000 + b"}",
    b'{"offer": NaN}', b'{"offer": 1e999}', b'{"offer": true}', b'{"offer": "0"}', b'{"offer": -1}', b'{"offer": [0]}',
    b'{"offer": 99999999999999999999}', b'{"offer": {}}', b'{}',
)  # fmt: skip

PATHS = (
    "/api/tables/..", "/api/tables/%2e%2e/seats", "/api/tables/x/seats", "/api/tables/x/close", "/api/tables/x/other",
    "/api/tables/%00/seats", "/api/tables/%ff/seats", f"/api/tables/{'x' * 3000}/seats", "/api/tables//seats",
    "/api/study/agree", "/api", "//api/tables/x/seats",
)  # fmt: skip

SEATS = (None, 0, True, "", "player_9", "player_0 ", "PLAYER_0", "\0", "é", "x" * 2000, [], ["player_0"], {"a": 1}, 1.5)

FIRST = (
    {}, {"join": ""}, {"join": None}, {"join": 3}, {"join": "x" * 60}, {"join": ["x"]}, {"join": "\ud800"},
    {"act": 1, "n": 1}, {"watch": 1}, {"watch": True, "join": "x"}, {"join": {"x": 1}}, [], "join", None, 3,
)  # fmt: skip

REFUSED = (b'{"error":"refused"}', b'{"error":"malformed"}')


@pytest.fixture
def client(tmp_path):
    host = Host(tmp_path, [Settings("TicTacToe", listed=True)])
    host.limits.requests = Addresses(1e6, 1e6)
    with client_of(host) as found:
        found.table = found.post("/api/tables", json={"offer": 0}).json()["id"]
        found.host_, found.folder = host, tmp_path
        yield found


def stored(client):
    return {path.name: path.read_bytes() for path in client.folder.iterdir()}


def test_odd_requests_are_refused_and_change_nothing(client, counted):
    before, tried = stored(client), 0
    json_type = {"content-type": "application/json"}
    for origin in ORIGINS:
        answers = client.post("/api/tables", json={"offer": 0}, headers={"origin": origin})
        assert (answers.status_code, answers.content) == (403, b'{"error":"refused"}'), origin
        with pytest.raises(WebSocketDisconnect):
            with client.websocket_connect(f"/ws/{client.table}", headers={"origin": origin}):
                pass
        tried += 2
    for body in BODIES:
        for path in ("/api/tables", f"/api/tables/{client.table}/seats", f"/api/tables/{client.table}/close"):
            answers = client.post(path, content=body, headers=json_type)
            assert answers.status_code in (400, 403) and answers.content in REFUSED, (path, body)
            tried += 1
    for path in PATHS:
        for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
            answers = client.request(method, path, content=b'{"seat": "player_0"}', headers=json_type)
            assert answers.status_code in (400, 403, 404, 405), (method, path)
            assert client.table.encode() not in answers.content
            tried += 1
    for seat in SEATS:
        answers = client.post(f"/api/tables/{client.table}/seats", json={"seat": seat})
        assert answers.status_code == 403 and answers.content == b'{"error":"refused"}', seat
        tried += 1
    for first in FIRST:
        with client.websocket_connect(f"/ws/{client.table}") as page:
            page.send_text(json.dumps(first))
            message = page.receive()
            assert message["type"] == "websocket.close" and message["code"] == 4401, first
        tried += 1
    assert stored(client) == before and len(client.host_.tables) == 1 and not client.host_.limits.pages
    assert tried == 2 * len(ORIGINS) + 3 * len(BODIES) + 6 * len(PATHS) + len(SEATS) + len(FIRST)
    counted("odd requests to a server refused", tried)
