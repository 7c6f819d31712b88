"""Pages: the connection of one page with its table."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

from fastapi import WebSocket

from envsuite.core.errors import ActionError, ParameterError
from envsuite.render.page import UNIT
from envsuite.render.theme import THEMES
from envsuite.serve.limits import Bucket, Limits, address_of
from envsuite.serve.messages import checked
from envsuite.serve.requests import PATIENCE
from envsuite.serve.tables import BURST, RATE, Table

#: Messages per second, and at once, that end a connection. Those above the usual limits are dropped.
FLOOD_RATE, FLOOD_BURST = 10 * RATE, 10 * BURST

#: Messages that wait for a slow page before it is let go; it may come back.
_WAITING = 64

#: The close codes: refused, too much, too slow or sent away.
REFUSED, FLOOD, SLOW = 4401, 1008, 4408


class Page:
    """The connection of one page with its table, None where there is no such table."""

    def __init__(self, socket: WebSocket, table: Table | None, limits: Limits | None = None):
        self.socket, self.table, self.limits = socket, table, limits or Limits()
        self.address = address_of(getattr(getattr(socket, "client", None), "host", ""))
        self.box: asyncio.Queue[str | None] = asyncio.Queue(_WAITING)
        self._limit, self._flood, self._notes = Bucket(RATE, BURST), Bucket(FLOOD_RATE, FLOOD_BURST), Bucket(1, 1)

    def send(self, message: str | None) -> None:
        """Put a message into the box; a page whose box is full is let go."""
        if self.box.full():
            while not self.box.empty():
                self.box.get_nowait()
            message = None
        self.box.put_nowait(message)

    async def deliver(self) -> None:
        """Send what is in the box."""
        with suppress(TimeoutError):
            while (message := await self.box.get()) is not None:
                async with asyncio.timeout(PATIENCE):
                    await self.socket.send_text(message)
        await self.socket.close(SLOW)

    async def serve(self) -> None:
        """From the first message to the last."""
        pages = self.limits.pages
        crowded = pages[self.address] >= Limits.PAGES
        if crowded or not self.limits.messages.take(self.address, Limits.PAGE):
            await self.socket.close(FLOOD)
            return
        pages[self.address] += 1
        try:
            await self._serve()
        finally:
            pages[self.address] -= 1
            if not pages[self.address]:
                del pages[self.address]

    async def _serve(self) -> None:
        try:
            first = checked(await asyncio.wait_for(self.socket.receive_text(), PATIENCE))
        except (ParameterError, TimeoutError, KeyError):
            first = {}
        viewer = None if self.table is None or "join" not in first else self.table.seat(first["join"])
        if self.table is None or (viewer is None and "watch" not in first):
            await self.socket.close(REFUSED)
            return
        await self.socket.send_text(json.dumps({"welcome": _welcome(self.table, viewer)}))
        delivery = asyncio.create_task(self.deliver())
        await self.table.enter(viewer, self.send)
        try:
            while True:
                text = await self.socket.receive_text()
                if not self._flood.take():
                    raise ParameterError("too many")
                message = checked(text)
                if self._allowed(viewer):
                    await self._take(viewer, message)
                elif self._notes.take():
                    self._problem("too many messages at once: some were dropped", message)
        except (ParameterError, KeyError):
            with suppress(RuntimeError):
                await self.socket.close(FLOOD)
        finally:
            delivery.cancel()
            await self.table.leave(viewer, self.send)

    def _allowed(self, viewer: int | None) -> bool:
        """Whether a message is within the limits of the page, its seat and its address."""
        assert self.table is not None
        within = self._limit.take() and (viewer is None or self.table.allows(viewer))
        return within and self.limits.messages.take(self.address)

    def _problem(self, text: str, message: dict[str, Any]) -> None:
        self.send(json.dumps({"problem": text, "of": message.get("n", 0)}))

    async def _take(self, viewer: int | None, message: dict[str, Any]) -> None:
        """Do what a page asks for its own seat."""
        assert self.table is not None
        if viewer is None or "join" in message or "watch" in message:
            raise ParameterError("spectators only look")
        if "hand" in message and self.table.settings.episodes:
            raise ParameterError("in a study, people play themselves")
        try:
            if "hand" in message:
                await self.table.hand(viewer, message["hand"])
            elif "again" in message:
                await self.table.again()
            elif "mean" in message:
                self.send(json.dumps({"means": self.table.chat.guess(viewer, message["mean"])}))
            elif "text" in message:
                self.table.views.read(viewer, self.send, message["text"])
            else:
                await self.table.act(viewer, message)
        except ActionError as problem:
            self._problem(str(problem), message)


def _welcome(table: Table, viewer: int | None) -> dict[str, Any]:
    """What a page needs once: the names of things that all know."""
    world = table.world
    found = {"world": world.id, "unit": UNIT, "colors": THEMES, "agent": "", "actions": [], "keys": {}, "ticked": False}
    if viewer is not None:
        names = world.action_names[viewer]
        keys = {key: names.index(name) for key, name in world.keys.items() if name in names}
        found |= {"agent": world.agents[viewer], "actions": names, "keys": keys, "ticked": table.settings.tick > 0}
        found["study"] = table.settings.episodes > 0
        found["rules"] = table.rules[viewer]
    if table.chat.talk:
        talk = table.chat.talk
        others = [name for a, name in enumerate(world.agents) if a != viewer and "private" in talk.channels]
        found["talk"] = {"mode": talk.mode, "any": table.chat.at_any_time, "alone": others}
    return found
