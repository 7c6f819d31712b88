"""Views: what the pages of a table are sent.

A seat is sent what its agent may know: its picture, its text, its legal actions, its return and whether it is its move.
Nothing else of the episode leaves the table for a seat. The picture of each seat is made for that seat; only what is
equal is sent as one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.render.scene import shown
from envsuite.serve.painter import Canvas, Painter
from envsuite.serve.reel import Reels

if TYPE_CHECKING:
    from envsuite.serve.tables import Table

#: A function that sends a message to a page; None ends the connection.
Send = Callable[[str | None], None]

#: Lines that a page is sent at once, at most.
_LINES = 500

#: What pages show while the server cannot store anything.
PAUSED = "This table is paused: the server cannot store what happens. Play continues when it can."

#: What pages show when a table's task has failed.
FAILED = "This table has stopped: there was an error in the server."


class Views:
    """What the pages of a table are sent.

    Attributes:
        pages: for each seat, and None for spectators, the functions that send a message to a page.
    """

    def __init__(self, table: Table, painter: Painter):
        self.pages: dict[int | None, list[Send]] = {}
        self._table, self._painter = table, painter
        self._canvas = Canvas(self._show)
        self._reels = Reels()
        self._sent: dict[int | None, Any] = {}
        self._readers: set[Send] = set()  # pages of a ticked table that show the text; it costs more than a picture
        self._based: set[Send] = set()  # pages that have the last picture of their viewer
        self._told: dict[Send, int] = {}  # how many lines of the episode's talk each page has

    def add(self, viewer: int | None, page: Send) -> None:
        """A page opens."""
        self.pages.setdefault(viewer, []).append(page)

    def remove(self, viewer: int | None, page: Send) -> None:
        """A page has closed."""
        self.pages[viewer].remove(page)
        self._based.discard(page)
        self._readers.discard(page)
        self._told.pop(page, None)

    def let_go(self, viewer: int | None) -> None:
        """End the connections of a viewer's pages; whoever comes next begins without past pictures."""
        for send in self.pages.get(viewer, ()):
            send(None)
        self._reels.forget(viewer)
        self._sent.pop(viewer, None)
        self._based.difference_update(self.pages.get(viewer, ()))

    def introduce(self) -> None:
        """Send the pages of seats their rules, which may differ from episode to episode; nothing has been said yet."""
        self._told.clear()
        for viewer, pages in self.pages.items():
            if viewer is not None:
                for send in pages:
                    send(_json({"rules": self._table.rules[viewer]}))

    def read(self, viewer: int, page: Send, wanted: bool) -> None:
        """A page shows the text of its seat, or hides it; it alone is answered. Tables that wait always send it."""
        (self._readers.add if wanted else self._readers.discard)(page)
        if wanted and self._table.settings.tick and not self._table.paused:
            self._painter.spend(self._canvas, lambda: page(_json({"text": self._text(viewer)})))

    def update(self) -> None:
        """Send the present to all pages, as soon as there is time for it."""
        if any(self.pages.values()):
            self._painter.ask(self._canvas)

    def _show(self) -> None:
        """Send the present to all pages: as a difference to those that have the picture before, else all of it."""
        table = self._table
        notice = PAUSED if table.paused else FAILED if table.failed else ""
        seen: dict[int | None, dict[str, Any]] = {}
        for viewer, pages in self.pages.items():
            if notice:
                self._sent.pop(viewer, None)
                for send in pages:
                    send(_json({"notice": notice}))
            elif table.moving:  # nobody may see it yet, but new pages may see what others see
                self._show_last(viewer, pages)
            elif pages:
                content = self.overview() if viewer is None else self.content(viewer)
                if content is None:
                    self._hide(viewer, pages)
                else:
                    seen[viewer] = content
        if seen:
            self._show_to(seen)

    def _tell(self, viewer: int | None, pages: list[Send]) -> None:
        """Send pages what was said since they were last told; a page that has nothing gets the last lines."""
        chat = self._table.chat
        for send in pages if chat.talk else ():
            told = self._told.get(send)
            lines = chat.log(viewer, told or 0)
            self._told[send] = (told or 0) + len(lines)
            if told is None or lines:
                send(_json({"said": lines[-_LINES:], "new": told is None}))

    def _show_to(self, seen: dict[int | None, dict[str, Any]]) -> None:
        """Send pictures and these contents to the pages of viewers."""
        world, record = self._table.world, self._table.known
        pictures, new = self._reels.show({viewer: shown(world, record, viewer) for viewer in seen})
        texts: dict[int, str] = {}
        for viewer, content in seen.items():
            picture, pages = pictures[viewer], self.pages[viewer]
            self._tell(viewer, pages)
            if viewer in new:
                self._based.difference_update(pages)
            moved = picture["frame"] or picture["ground"] or picture["fresh"]
            if id(picture) not in texts:
                texts[id(picture)] = _json(picture)
            known, rest = content == self._sent.get(viewer), _json(content)[1:]
            self._sent[viewer] = content
            for send in pages:
                if send not in self._based:
                    self._based.add(send)
                    send(f'{{"picture":{_json(self._reels.whole(viewer))},{rest}')
                elif moved or not known:
                    send(f'{{"picture":{texts[id(picture)]},{rest}')

    def _hide(self, viewer: int | None, pages: list[Send]) -> None:
        """Tell pages that they may see nothing now."""
        self._sent.pop(viewer, None)
        for send in pages:
            self._based.discard(send)
            send('{"hidden":true}')

    def _show_last(self, viewer: int | None, pages: list[Send]) -> None:
        """Send new pages what the viewer was sent last, if anything."""
        for send in pages:
            if send not in self._based and viewer in self._sent and viewer in self._reels:
                self._based.add(send)
                send(f'{{"picture":{_json(self._reels.whole(viewer))},{_json(self._sent[viewer])[1:]}')

    def content(self, seat: int) -> dict[str, Any]:
        """What a seat is sent, besides its picture: nothing that its agent may not know."""
        table = self._table
        session, batch = table.session, table.session.batch
        texts = not table.settings.tick or not self._readers.isdisjoint(self.pages.get(seat, ()))
        chosen = seat in session.chosen or not table.ready or table.closed
        return {
            **({"text": self._text(seat)} if texts else {}),
            "legal": [] if chosen else np.flatnonzero(batch.masks[0, seat]).tolist(),
            "turn": self._turn(seat),
            "return": round(float(table.returns[seat]), 9),
            "over": session.over,
            "person": seat in session.persons,
            "number": table.numbers.get(seat, 0),
            "done": table.done,
            **({"floor": self._floor(seat)} if table.chat.talk else {}),
        }

    def _floor(self, seat: int) -> dict[str, Any] | None:
        """What the person of a seat may say now, for the page; None for nothing."""
        table = self._table
        chosen = seat in table.session.chosen and not table.settings.tick
        if chosen or seat not in table.session.persons or not table.ready or table.closed:
            return None
        floor = table.chat.floor(seat)
        if floor is None:
            return None
        neutral = None if floor.neutral is None else floor.neutral[0]
        return {"to": floor.hearers, "words": floor.words, "acts": floor.acts, "neutral": neutral}

    def _text(self, seat: int) -> str:
        try:
            return self._table.world.text(self._table.known, seat)
        except NotImplementedError:
            return ""

    def _turn(self, seat: int) -> str:
        table, session = self._table, self._table.session
        if table.closed:
            return "Nobody else has come." if table.settings.episodes else "This table is closed."
        if not table.ready:
            return "Waiting for the other people."
        ended = session.batch.terminations[0, seat] or session.batch.truncations[0, seat]
        if table.world.information == "perfect" or session.over or session.batch.acting[0, seat]:
            return session.turn(seat)
        return f"{table.world.agents[seat]} is out; the others play on." if ended else "Others are to move."

    def overview(self) -> dict[str, Any] | None:
        """What spectators are sent, besides the picture; None while they may see nothing."""
        table = self._table
        usual = "all" if table.world.information == "perfect" and not table.chat.talk else "end"
        allowed = table.settings.spectators or usual
        if allowed == "nothing" or (allowed == "end" and not table.session.over):
            return None
        pairs = zip(table.world.agents, np.round(table.returns, 9).tolist())
        return {"text": "\n".join(f"{agent}: {value:g}" for agent, value in pairs), "over": table.session.over}


def _json(content: Any) -> str:
    return json.dumps(content, separators=(",", ":"))
