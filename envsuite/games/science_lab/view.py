"""The texts and the pictures of ScienceLab."""

from __future__ import annotations

from typing import Any

from envsuite.core.page import listed
from envsuite.games.science_lab import terms
from envsuite.games.science_lab.levels import task_in_words
from envsuite.games.science_lab.pictures import RUNS, TOLD, carried, draw_lines, house, joined, lines
from envsuite.kit.buttons import Buttons
from envsuite.kit.telling import capital
from envsuite.kit.things import ON, ROOM
from envsuite.render.scene import Label, Rect, Scene, human, wrap

#: Left, top, width and height of the room and of the commands.
ROOM_AREA, BUTTONS = (0.5, 2.6, 11.0, 11.0), Buttons((12.2, 2.4, 17.4, 12.2))


#: The states whose changes are told.
TOLD_STATES = terms.LIQUID | terms.GAS | terms.WET | terms.SPROUT | terms.BLOOM | terms.FRUIT | ON


def surroundings(seen: Any) -> str:
    """The room, and how wires are connected."""
    return " ".join([TOLD.room(seen), *TOLD.wires(seen)])


def over(s: Any) -> str:
    """The end of the episode."""
    if s.terminated[0]:
        return "The task is done." if s.done[2] else "That was wrong. It is over."
    return "The commands are used up." if s.truncated[0] else ""


def points(seen: Any) -> int:
    return int((terms.POINTS * seen.done).sum())


def reading(seen: Any) -> str:
    """The last measurement."""
    thing, degrees = (int(value) for value in seen.reading)
    return f"Last measurement: {terms.NAMES[thing]}, {degrees} degrees." if thing >= 0 else ""


def text(world: Any, s: Any, agent: int) -> str:
    """All that the agent observes now."""
    seen = world.observation(s, 0)
    focus = int(seen.focus[0])
    found = [
        f"Task: {task_in_words(s.level)}",
        surroundings(seen),
        TOLD.held(seen),
        " ".join(part for part in (reading(seen), f"Focus: {terms.NAMES[focus]}." if focus >= 0 else "") if part),
        over(s) or f"{points(seen)} points. {s.params.horizon - s.t} commands left.",
    ]
    return "\n".join(part for part in found if part)


def reply(world: Any, s: Any, agent: int) -> str:
    """What the last command did and what has changed; at the start, the room."""
    seen = world.observation(s, 0)
    if s.last < 0:
        return f"{surroundings(seen)} {TOLD.held(seen)} Your task: {task_in_words(s.level)}"
    verb, one, other = terms.TABLE[s.last].tolist()
    found = [_told(seen, verb, one, other), *_changes(s, seen, verb)]
    if (gained := points(seen) - int(s.before)) > 0:
        found.append(f"You get {gained} points.")
    return " ".join(part for part in [*found, over(s)] if part)


def _told(seen: Any, verb: int, one: int, other: int) -> str:
    the, where = _named(seen, one), TOLD.the(other)
    if verb == terms.GOES:
        return f"You go to the {terms.ROOMS[one]}. {surroundings(seen).partition('. ')[2]}"
    if verb == terms.LOOKS:
        return surroundings(seen)
    if verb == terms.LISTS:
        return TOLD.held(seen)
    if verb == terms.WAITS:
        return "You wait."
    if verb == terms.READS:
        return chart()
    if verb == terms.OPENS:
        return f"You open {the}. {TOLD.contents(seen, one)}"
    if verb in (terms.PUTS_IN, terms.PUTS_ON):
        return f"You put {the} {TOLD.on(other)} {where}."
    if verb == terms.PLANTS:
        return f"You plant {the} in {where}."
    if verb == terms.POURS:
        return f"You water {where}." if one == terms.WATER and other == terms.POT else f"You pour {the} into {where}."
    if verb == terms.MIXES_IN:
        return f"You stir what is in {the}. {TOLD.contents(seen, one)}"
    if verb in (terms.TURNS_ON, terms.TURNS_OFF):
        return f"You turn {'on' if verb == terms.TURNS_ON else 'off'} {the}."
    if verb == terms.CONNECTS:
        return f"You connect {the} to {where}."
    if verb == terms.DISCONNECTS:
        return f"You take both ends of {the} off."
    if verb == terms.MEASURES:
        degrees = int(seen.reading[1])
        return f"The thermometer in {the} shows {degrees} degrees."
    if verb == terms.FOCUSES:
        return f"You focus on {the}."
    return f"You {'close' if verb == terms.CLOSES else 'take' if verb == terms.TAKES else 'use'} {the}."


def _named(seen: Any, thing: int) -> str:
    """A thing that is known, as a seed, a sprout or ice if it is one."""
    own = (
        terms.FIRST_SEED <= thing < terms.FIRST_SEED + terms.SEEDS
        or terms.FIRST_MELTABLE <= thing < terms.FIRST_MELTABLE + terms.MELTABLE
    )
    return f"the {TOLD.name(thing, int(seen.states[thing]))}" if own and seen.places[thing] >= 0 else TOLD.the(thing)


def chart() -> str:
    """What the paint chart says."""
    names = [[terms.NAMES[k].removesuffix(" paint") for k in row] for row in terms.MIXES.tolist()]
    return f"The paint chart says: {'; '.join(f'{one} and {other} make {made}' for one, other, made in names)}."


def _changes(s: Any, seen: Any, verb: int) -> list[str]:
    """What has changed by itself, of what was seen before and is seen now."""
    found: list[str] = []
    if verb in (terms.GOES, terms.LOOKS):
        return found
    for thing in range(len(terms.NAMES)):
        was, now = int(s.was[thing]), int(seen.states[thing])
        if seen.places[thing] < 0:
            continue
        if was < 0:
            if thing == terms.WATER and seen.places[terms.WATER] == terms.SINK and verb != terms.OPENS:
                found.append("Water runs into the sink.")
        elif (was ^ now) & TOLD_STATES:
            found.append(_change(seen, thing, now))
    return [part for part in found if part]


def _change(seen: Any, thing: int, states: int) -> str:
    the = capital(TOLD.the(thing))
    if terms.FIRST_MELTABLE <= thing < terms.FIRST_MELTABLE + terms.MELTABLE:
        return f"{the} is {_phase(thing, states)} now."
    if terms.BULB <= thing <= terms.BUZZER:
        return f"{the} is {RUNS[thing - terms.BULB]} now." if states & ON else f"{the} stops."
    if terms.FIRST_SEED <= thing < terms.FIRST_SEED + terms.SEEDS:
        return f"The {TOLD.things[thing].name} has grown: it is {TOLD.a(thing, states)} now."
    return f"{the} is dry now." if thing == terms.POT and not states & terms.WET else ""


def _phase(thing: int, states: int) -> str:
    if thing == terms.WATER and not states & terms.LIQUID:
        return TOLD.name(thing, states)
    return "vapor" if states & terms.GAS else "liquid" if states & terms.LIQUID else "solid"


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """All rooms, for spectators; or the agent's room and the possible commands."""
    return _whole(s) if agent is None else _own(world, s)


def _head(scene: Scene, s: Any) -> None:
    """Draw the task, the points and the step."""
    for k, line in enumerate(wrap(task_in_words(s.level), 23, 0.55)[:2]):
        scene.add(Label(0.5, 0.8 + 0.75 * k, line, 0.55, align="left", bold=True))
    scene.add(
        Label(29.5, 0.8, f"step {s.t} of {s.params.horizon}", 0.5, "muted", "right"),
        Label(29.5, 1.55, over(s) or f"{points(s)} points", 0.5, "ink", "right"),
    )


def _whole(s: Any) -> Scene:
    scene = Scene(30, 20)
    _head(scene, s)
    house(scene, s, (0.4, 2.2, 29.2, 16.2))
    words = [f"carries {carried(s)}", *joined(s.ends.tolist())]
    for k, line in enumerate(wrap(" · ".join(words), 29, 0.45)[:2]):
        scene.add(Label(0.5, 18.8 + 0.65 * k, line, 0.45, align="left"))
    return scene


def _own(world: Any, s: Any) -> Scene:
    seen = world.observation(s, 0)
    scene = Scene(30, 15)
    _head(scene, s)
    x, y, width, height = ROOM_AREA
    scene.add(
        Rect(x, y, width, height, "floor", "wall", 0.1, 0.3),
        Label(x + 0.4, y + 0.6, terms.ROOMS[int(seen.room)], 0.65, "black", "left", bold=True),
        *human(x + width - 0.9, y + height - 0.9, 1.3),
    )
    draw_lines(scene, lines(seen, ROOM + int(seen.room)), (x + 0.4, y + 1.1, width - 0.8, height - 2.8))
    notes = [f"carries {carried(seen)}", *joined(seen.wires.tolist()), reading(seen).rstrip(".")]
    for k, line in enumerate(wrap(" · ".join(note for note in notes if note), width, 0.42)[:2]):
        scene.add(Label(x, 14.0 + 0.6 * k, line, 0.42, align="left"))
    near = listed(terms.ROOMS[k] for k in range(len(terms.ROOMS)) if seen.ways[k])
    scene.add(
        Label(x + 0.4, y + height - 0.6, f"next to: {near or 'no room'}", 0.42, "black", "left", width=width - 2.2)
    )
    BUTTONS.draw(scene, world, s)
    return scene


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    return BUTTONS.at(world, s, x, y)
