"""What a seat is sent: for every world, the text on the wire is what that seat may see, and nothing else."""

import asyncio
import json

import numpy as np
import pytest

from envsuite import registry
from envsuite.core.errors import ActionError
from envsuite.render.page import Film
from envsuite.serve.tables import Settings, Table
from envsuite.serve.web import _Page

#: Seats of a world that are people here, at most.
SEATS = 6


class Wire:
    """A connection that keeps all that is sent over it."""

    def __init__(self, *messages):
        self.incoming, self.sent, self.closed = asyncio.Queue(), [], None
        for message in messages:
            self.put(message)

    def put(self, message):
        self.incoming.put_nowait(message if isinstance(message, str) else json.dumps(message))

    async def receive_text(self):
        return await self.incoming.get()

    async def send_text(self, text):
        self.sent.append(text)

    async def close(self, code=1000):
        self.closed = code


def edited(old, edits):
    made, at, k = [], 0, 0
    while k < len(edits):
        keep, drop, insert = edits[k : k + 3]
        made += old[at : at + keep] + edits[k + 3 : k + 3 + insert]
        at, k = at + keep + drop, k + 3 + insert
    return made + old[at:]


class Screen:
    """What a page shows after the messages so far."""

    def __init__(self):
        self.sprites, self.items, self.ground, self.frame = [], [], [], []

    def take(self, picture):
        assert set(picture) == {"fresh", "sprites", "items", "ground", "frame"}
        if picture["fresh"]:
            self.__init__()
        self.sprites += picture["sprites"]
        self.items += zip(*picture["items"])
        self.ground, self.frame = edited(self.ground, picture["ground"]), edited(self.frame, picture["frame"])

    def shown(self):
        shapes = [(self.sprites[kind], x, y) for kind, x, y in (self.items[k] for k in self.frame)]
        return self.ground[:2], self.sprites[self.ground[2]], shapes

    def unused(self):
        """What it holds and does not show: a past picture's, or what it should not have."""
        return len(self.items) - len(set(self.frame))


def plain(scene):
    """A scene as a page shows it that has seen nothing else."""
    film, screen = Film(), Screen()
    film.add(scene)
    content = json.loads(json.dumps(film.content()))
    screen.sprites, screen.items = content["sprites"], list(zip(*content["items"]))
    screen.ground, screen.frame = edited([], content["grounds"][0]), edited([], content["frames"][0])
    return screen.shown()


def expected(table, seat):
    """What may be sent to a seat, from the world itself."""
    batch, world = table.session.batch, table.world
    try:
        text = world.text(batch.record(), seat)
    except NotImplementedError:
        text = ""
    return {
        "text": text,
        "legal": [] if seat in table.session.chosen else np.flatnonzero(batch.masks[0, seat]).tolist(),
        "return": round(float(table.returns[seat]), 9),
        "over": bool(batch.finished[0]),
        "done": False,
        "person": True,
    }


async def seated(table, seats):
    wires = {}
    for a in seats:
        wires[a] = Wire({"join": table.take(a)})
    pages = [asyncio.create_task(_Page(wire, table).serve()) for wire in wires.values()]
    for _ in range(len(pages) + 20):
        await asyncio.sleep(0)
    return wires, pages


def compare(table, wires, screens, read):
    """Everything on the wires since the last time is what the seats may see."""
    for a, wire in wires.items():
        for text in wire.sent[read[a] :]:
            message = json.loads(text)
            assert set(message) == {"picture", "text", "legal", "turn", "return", "over", "person", "number", "done"}
            screens[a].take(message.pop("picture"))
            last = message
        if len(wire.sent) > read[a]:
            read[a] = len(wire.sent)
            turn = last.pop("turn")
            last.pop("number")
            assert last == expected(table, a), (table.world.id, a)
            if table.world.information == "imperfect":
                name = table.world.agents[a]
                allowed = {f"Your move, {name}.", f"{name} has chosen.", "Others are to move.", "The episode is over."}
                assert turn in {*allowed, f"{name} is out; the others play on."}, turn
        assert screens[a].shown() == plain(table.world.scene(table.session.batch.record(), a)), (table.world.id, a)


async def watched(name, folder, steps=2):
    world = registry.build(name)
    policies = dict.fromkeys(world.agents[SEATS:], "random")
    table = Table.create(folder, Settings(name, seats=policies))
    rng = np.random.default_rng(0)
    wires, pages = await seated(table, table.people)
    screens, read = {a: Screen() for a in wires}, {}
    for a, wire in wires.items():  # who joins first sees the table fill
        assert set(json.loads(wire.sent[0])) == {"welcome"}
        welcome = json.loads(wire.sent[0])["welcome"]
        assert welcome["agent"] == world.agents[a] and "policy" not in welcome
        for text in wire.sent[1:-1]:
            screens[a].take(json.loads(text)["picture"])
        read[a] = len(wire.sent) - 1
        assert screens[a].unused() == 0
    compare(table, wires, screens, read)
    for _ in range(steps):
        number = table.session.step + 1
        while (seat := table.session.waiting()) is not None:
            legal = np.flatnonzero(table.session.batch.masks[0, seat])
            await table.act(seat, {"act": int(rng.choice(legal)), "n": number})
        await table.step()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        compare(table, wires, screens, read)
        if table.session.over:
            break
    for task in pages:
        task.cancel()
    await asyncio.gather(*pages, return_exceptions=True)
    table.journal.close()


@pytest.mark.parametrize("name", ["KuhnPoker", "TicTacToe", "Werewolf", "Harvest", "Overcooked", "Hanabi"])
def test_a_seat_is_sent_what_it_may_see(name, tmp_path):
    asyncio.run(watched(name, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.ids())
def test_a_seat_is_sent_what_it_may_see_in_every_world(name, tmp_path):
    asyncio.run(watched(name, tmp_path))


def test_a_hidden_card_changes_no_byte_of_the_other_seat(tmp_path):
    """Two deals of Kuhn poker that differ in the other's card only: the same bytes."""

    async def bytes_of(seed, folder):
        folder.mkdir()
        table = Table.create(folder, Settings("KuhnPoker", seed=seed))
        wires, pages = await seated(table, [0, 1])
        await table.act(0, {"act": int(table.session.batch.masks[0, 0].argmax()), "n": 1})
        await table.step()
        await asyncio.sleep(0)
        for task in pages:
            task.cancel()
        await asyncio.gather(*pages, return_exceptions=True)
        cards = tuple(table.session.batch.records["cards"][0].tolist())
        return cards, "\n".join(wires[0].sent)

    found = {}
    for seed in range(16):
        (own, other, *_), text = asyncio.run(bytes_of(seed, tmp_path / str(seed)))
        found.setdefault(own, {})[other] = text
    assert all(len(set(texts.values())) == 1 for texts in found.values())
    assert max(len(texts) for texts in found.values()) == 2


def test_spectators_wait_for_the_end_where_something_is_hidden(tmp_path):
    async def shown(name):
        table, wire = Table.create(tmp_path, Settings(name)), Wire({"watch": True})
        page = asyncio.create_task(_Page(wire, table).serve())
        for _ in range(20):
            await asyncio.sleep(0)
        page.cancel()
        return json.loads(wire.sent[-1])

    assert asyncio.run(shown("KuhnPoker")) == {"hidden": True}
    assert set(asyncio.run(shown("TicTacToe"))) == {"picture", "text", "over"}


def test_nobody_acts_for_another_seat(tmp_path):
    async def tried():
        table = Table.create(tmp_path, Settings("TicTacToe"))
        wires, pages = await seated(table, [0, 1])
        wires[1].put({"act": 4, "n": 1})  # it is the other's move
        for _ in range(20):
            await asyncio.sleep(0)
        assert json.loads(wires[1].sent[-1]) == {"problem": "it is not your move", "of": 1}
        assert not table.session.chosen
        stranger = Wire({"join": "x" * 32})
        await _Page(stranger, table).serve()
        nowhere = Wire({"join": "x" * 32})
        await _Page(nowhere, None).serve()
        assert stranger.closed == nowhere.closed == 4401 and stranger.sent == nowhere.sent == []
        with pytest.raises(ActionError, match="not your move"):
            await table.act(1, {"act": 0, "n": 2})
        for task in pages:
            task.cancel()

    asyncio.run(tried())
