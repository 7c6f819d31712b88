"""The texts and the picture of HouseholdText."""

from __future__ import annotations

import re
from typing import Any

from envsuite.core.page import listed
from envsuite.games.household_text import terms
from envsuite.games.household_text.levels import chore_in_words
from envsuite.games.household_text.pictures import TOLD, house
from envsuite.kit.buttons import Buttons
from envsuite.kit.telling import capital
from envsuite.kit.things import HELD, ON, OPENABLE, ROOM
from envsuite.render.scene import Label, Scene

#: Left, top, width and height of the house and of the commands.
HOUSE, BUTTONS = (0.5, 1.7, 18.5, 13.0), Buttons((19.6, 2.2, 10.0, 12.4))

_SWITCH = re.compile(r"(?:turn|switch) (?:(on|off) (?:the )?(.+)|(?:the )?(.+) (on|off))")


def here(seen: Any) -> str:
    """Where the agent is and what it sees there."""
    at = int(seen.at[0])
    if at == HELD:
        return "You are in the middle of the house."
    return f"You are at {TOLD.the(at)}. {contents(seen, at)}"


def contents(seen: Any, place: int) -> str:
    """What the agent knows of a receptacle."""
    if not seen.searched[place]:
        return f"{capital(TOLD.the(place))} is closed."
    return TOLD.contents(seen, place)


def understand(world: Any, s: Any, agent: int, text: str) -> int | None:
    """A lamp that is to be turned on or off, unless it is here and is so already: `turn on the desk lamp`."""
    found, names = _SWITCH.fullmatch(text.lower()), world.action_names[agent]
    name = f"use {found[2] or found[3]}" if found else ""
    if found is None or name not in names:
        return None
    action, wanted = names.index(name), (found[1] or found[4]) == "on"
    lamp, lit = int(terms.TABLE[action][1]), bool(s.states[terms.TABLE[action][1]] & ON)
    return None if s.visible[lamp] and lit == wanted else action


def over(s: Any) -> str:
    """The end of the episode."""
    return "The task is done." if s.terminated[0] else "The commands are used up." if s.truncated[0] else ""


def text(world: Any, s: Any, agent: int) -> str:
    """All that the agent knows."""
    seen = world.observation(s, 0)
    known = [contents(seen, k) for k in range(terms.PLACES) if seen.places[k] == ROOM and seen.searched[k]]
    others = [terms.NAMES[k] for k in range(terms.PLACES) if seen.places[k] == ROOM and not seen.searched[k]]
    lines = [f"Task: {chore_in_words(s.level)}.", here(seen), TOLD.held(seen)]
    if known:
        lines.append(f"What you have seen: {' '.join(known)}")
    if others:
        lines.append(f"Not searched yet: {', '.join(others)}.")
    return "\n".join([*lines, over(s) or f"Commands left: {s.params.horizon - s.t}."])


def reply(world: Any, s: Any, agent: int) -> str:
    """The result of the last command."""
    seen = world.observation(s, 0)
    if s.last < 0:
        places = [TOLD.a(k) for k in range(terms.PLACES) if seen.places[k] == ROOM]
        known = [contents(seen, k) for k in range(terms.PLACES) if seen.places[k] == ROOM and seen.searched[k]]
        told = [f"{here(seen)} You see {listed(places)}.", *known, f"Your task: {chore_in_words(s.level)}."]
        return " ".join(told)
    return " ".join(part for part in (_told(seen, *terms.TABLE[s.last].tolist()), over(s)) if part)


def _told(seen: Any, verb: int, thing: int, other: int) -> str:
    the = TOLD.the(thing)
    if verb == terms.GOES:
        return f"You go to {the}. {contents(seen, thing)}"
    if verb == terms.OPENS:
        return f"You open {the}. {contents(seen, thing)}"
    if verb == terms.LOOKS:
        return here(seen)
    if verb == terms.LISTS:
        return TOLD.held(seen)
    if verb == terms.EXAMINES:
        return examined(seen, thing)
    if verb in (terms.PUTS_IN, terms.PUTS_ON):
        return f"You put {the} {TOLD.on(other)} {TOLD.the(other)}."
    if verb in (terms.CLEANS, terms.HEATS, terms.COOLS):
        word, tool = {
            terms.CLEANS: ("clean", "sink"),
            terms.HEATS: ("heat", "microwave"),
            terms.COOLS: ("cool", "fridge"),
        }[verb]
        return f"You {word} {the} with the {tool}."
    if verb in (terms.CLOSES, terms.TAKES, terms.SLICES):
        return f"You {({terms.CLOSES: 'close', terms.TAKES: 'take', terms.SLICES: 'slice'})[verb]} {the}."
    return f"You switch {the} {'on' if seen.states[thing] & ON else 'off'}."


def examined(seen: Any, thing: int) -> str:
    """What one sees of a thing that one looks at."""
    if thing < terms.PLACES:
        lid = (
            "It is open. " if terms.TRAITS[thing] & OPENABLE and seen.searched[thing] and not _shut(seen, thing) else ""
        )
        return f"{lid}{contents(seen, thing)}" if not _shut(seen, thing) else f"{capital(TOLD.the(thing))} is closed."
    return f"This is {TOLD.a(thing, int(seen.states[thing]))}."


def _shut(seen: Any, place: int) -> bool:
    return TOLD.lid(place, int(seen.states[place])) == "closed"


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The house as the agent knows it, or all of it for spectators, and the possible commands."""
    seen = world.observation(s, 0)
    scene = Scene(30, 15)
    scene.add(Label(0.5, 0.85, chore_in_words(s.level), 0.65, align="left", bold=True))
    scene.add(Label(29.5, 0.85, f"step {s.t} of {s.params.horizon}", 0.5, "muted", "right"))
    unknown = {k for k in range(terms.PLACES) if not seen.searched[k]}
    house(scene, s if agent is None else seen, HOUSE, int(s.at), None if agent is None else unknown)
    scene.add(Label(BUTTONS.area[0], 1.7, over(s) or TOLD.held(seen), 0.5, align="left", bold=True, width=10))
    BUTTONS.draw(scene, world, s)
    return scene


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    return BUTTONS.at(world, s, x, y)
