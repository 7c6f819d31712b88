"""What a seat is sent: for every world, the text on the wire is what that seat may see, and nothing else."""

import asyncio
import json

import numpy as np
import pytest

from envsuite import registry
from envsuite.core.errors import ActionError
from envsuite.render.page import Film
from envsuite.render.scene import Label, Polygon, Scene
from envsuite.serve.page import Page as _Page
from envsuite.serve.reel import Reels, _equal
from envsuite.serve.tables import Settings, Table

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
    table = Table.create(folder, Settings(name, seed=0, seats=policies))
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


class Ferry(registry.world_class("KuhnPoker")):
    """A world of a user's, whose picture is made by another method: each agent sees another one."""

    def scene(self, record, agent=None):
        return self.drawn(record, agent)

    def drawn(self, record, agent):
        return super().scene(record, agent)


class Renamed(Ferry):
    def scene(self, record, viewer=None):
        looker = viewer
        return self.drawn(record, looker)


class Closed(Ferry):
    def scene(self, record, agent=None):
        return [self.drawn(record, who) for who in (agent,)][0]


class Anything(Ferry):
    def scene(self, *seen, **named):
        return super().scene(*seen, **named)


@pytest.mark.parametrize("world", ["Ferry", "Renamed", "Closed", "Anything"])
def test_a_world_whose_scene_passes_on_who_looks(world, tmp_path):
    asyncio.run(watched(f"test_seat_sight:{world}", tmp_path))


def test_nothing_reads_the_code_of_a_scene():
    """What a seat may see does not depend on how a Python version compiles a function."""
    from pathlib import Path

    import envsuite.serve

    sources = [path.read_text() for path in Path(envsuite.serve.__file__).parent.glob("*.py")]
    assert len(sources) > 10
    assert not [word for text in sources for word in ("import dis", "__code__", "co_") if word in text]


def card(*names):
    """A picture of these things."""
    return Scene(4, 4, [Label(1, k, name) for k, name in enumerate(names)])


@pytest.mark.parametrize("secret, least", [(0.0, 300), (0.02, 10), (0.5, 1)])
def test_viewers_with_equal_pictures_share_them_and_no_past(secret, least):
    """Who looks at a reel has seen all that is in it, whoever comes, goes or sees something else."""
    rng, reels = np.random.default_rng(0), Reels()
    screens, seen, shared = {}, {}, 0
    for _ in range(400):
        hands = {
            None: card("table"),
            **{a: card("table", *[f"card {a}"] * int(rng.random() < secret)) for a in range(3)},
        }
        looking = {viewer: hands[viewer] for viewer in hands if rng.random() < 0.8}
        shown, new = reels.show(looking)
        shared += len({id(one) for one in shown.values()}) < len(shown)
        for viewer, scene in looking.items():
            seen.setdefault(viewer, set()).update(shape.text for shape in scene.shapes)
            screen = screens.setdefault(viewer, Screen())
            screen.take(json.loads(json.dumps(reels.whole(viewer) if viewer in new else shown[viewer])))
            assert screen.shown() == plain(scene)
            words = {sprite[-1] for sprite in map(list, screen.sprites) if sprite[0] == "t"}
            assert words <= seen[viewer]
    assert shared >= least


def test_pictures_that_cannot_be_compared_are_not_shared():
    reels, points = Reels(), np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    scenes = {a: Scene(4, 4, [Polygon([*map(tuple, points)]), Label(1, 1, np.array(["x", "y"]))]) for a in (0, 1)}
    with pytest.raises(ValueError):
        scenes[0] == scenes[1]  # noqa: B015
    assert _equal(scenes[0], scenes[0]) and not _equal(scenes[0], scenes[1]) and 0 not in reels


def test_seats_with_other_pictures_share_none(tmp_path):
    async def run():
        table = Table.create(tmp_path, Settings("Mushrooms", seats={f"player_{a}": "random" for a in range(2, 5)}))
        wires, pages = await seated(table, table.people)
        shown = {a: Screen() for a in wires}
        for a, wire in wires.items():
            for text in wire.sent[1:]:
                shown[a].take(json.loads(text)["picture"])
        first, second = (shown[a].shown() for a in table.people[:2])
        assert first != second
        for task in pages:
            task.cancel()

    asyncio.run(run())


def test_seats_that_come_and_go_see_what_they_may(tmp_path):
    """Pages that leave and come back, in a world where all see the same and in one where they do not."""

    async def run(name):
        table = Table.create(tmp_path, Settings(name, seed=1))
        secrets, rng = [table.take(a) for a in table.people], np.random.default_rng(0)
        open_pages = {}
        for number in range(1, 40):
            a = int(rng.integers(len(secrets)))
            if a in open_pages and rng.random() < 0.4:
                wire, task, *_ = open_pages.pop(a)
                task.cancel()
            elif a not in open_pages:
                wire = Wire({"join": secrets[a]})
                open_pages[a] = wire, asyncio.create_task(_Page(wire, table).serve()), Screen(), [1]
            for _ in range(30):
                await asyncio.sleep(0)
            if table.session.over:
                await table.again()
            while (seat := table.session.waiting()) is not None:
                legal = np.flatnonzero(table.session.batch.masks[0, seat])
                await table.act(seat, {"act": int(rng.choice(legal)), "n": number})
            await table.step()
            for _ in range(30):
                await asyncio.sleep(0)
            for a, (wire, _, screen, read) in open_pages.items():
                for text in wire.sent[read[0] :]:
                    if "rules" not in (message := json.loads(text)):  # of a new episode
                        screen.take(message["picture"])
                read[0] = len(wire.sent)
                assert screen.shown() == plain(table.world.scene(table.session.batch.record(), a))
        for _, task, *_ in open_pages.values():
            task.cancel()

    for name in ("Overcooked", "KuhnPoker", "Goofspiel"):
        asyncio.run(run(name))


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
