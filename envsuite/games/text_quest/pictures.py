"""The pictures of TextQuest: a map of all rooms for spectators, and the agent's room with its possible commands."""

from __future__ import annotations

from typing import Any

from envsuite.games.text_quest.levels_maps import TOLD, draw_lines, draw_map, lid_state, lines_in
from envsuite.games.text_quest.terms import NAMES, ROOMS
from envsuite.games.text_quest.view import goal_text, over_text, recipe_text
from envsuite.kit.buttons import Buttons
from envsuite.kit.things import DIRECTIONS, HELD, ROOM
from envsuite.render.scene import Label, Rect, Scene, door, footer, human, wrap

#: The agent's picture: left, top, width and height of its room, and of its commands.
OWN, BUTTONS = (3.0, 2.6, 9.2, 9.6), Buttons((15.6, 2.2, 13.9, 12.4))

_DX, _DY = (0, 1, 0, -1), (-1, 0, 1, 0)


def map_picture(world: Any, s: Any) -> Scene:
    """All rooms with what is in them, the agent, and what it carries."""
    seen = world.observation(s, 0)
    scene = draw_map(s, int(s.level.room), f"goal: {goal_text(seen) or 'not told'}")
    held = ", ".join(words for _, _, words in lines_in(s, HELD)) or "nothing"
    told, whole = (
        wrap(text, scene.width - 1, 0.55) for text in (over_text(s) or recipe_text(seen), recipe_text(s.level))
    )
    for k, line in enumerate(told):
        scene.add(Label(0.5, scene.height + 0.2 + 0.75 * k, line, 0.55, align="left"))
    scene.height += 0.75 * max(1, len(whole))  # the same in all steps
    footer(scene, f"carries {held}", f"step {s.t} of {s.params.max_steps}")
    return scene


def own_picture(world: Any, s: Any) -> Scene:
    """The agent's room as it observes it, what it carries, and the commands that are possible."""
    seen = world.observation(s, 0)
    scene = Scene(30, 15)
    x, y, width, height = OWN
    goal = goal_text(seen) or "not told"
    scene.add(Label(0.5, 0.9, f"goal: {goal}", 0.7, align="left", bold=True, width=24))
    scene.add(Label(29.5, 0.9, f"step {s.t} of {s.params.max_steps}", 0.55, "muted", "right"))
    scene.add(
        Rect(x, y, width, height, "floor", "wall", 0.1, 0.3),
        Label(x + 0.4, y + 0.7, ROOMS[int(seen.room)], 0.7, "black", "left", bold=True),
        *human(x + width - 0.9, y + 0.9, 1.3),
    )
    lines, half = lines_in(seen, ROOM + int(seen.room)), 11
    draw_lines(scene, seen, lines[:half], x + 0.3, y + 1.3, width / 2 - 0.4 if len(lines) > half else width - 0.5)
    draw_lines(scene, seen, lines[half : 2 * half], x + width / 2, y + 1.3, width / 2 - 0.2)
    for side in range(4):
        draw_exit(scene, seen, side)
    for k, line in enumerate(wrap(f"{TOLD.held(seen)} {recipe_text(seen)}", 14, 0.5)[:3]):
        scene.add(Label(0.5, 13.3 + 0.7 * k, line, 0.5, align="left"))
    scene.add(Label(BUTTONS.area[0], 1.7, over_text(s) or "possible commands", 0.5, align="left", bold=True))
    BUTTONS.draw(scene, world, s)
    return scene


def draw_exit(scene: Scene, seen: Any, side: int) -> None:
    """Draw an exit of the agent's room and its door."""
    if not seen.exits[side]:
        return
    x, y, width, height = OWN
    middle = (x + width / 2 * (1 + _DX[side]), y + height / 2 * (1 + _DY[side]))
    leaf = int(seen.doors[side])
    if leaf >= 0:
        scene.add(*door(middle[0], middle[1], "brown", lid_state(int(seen.states[leaf])), 1.1))
    else:
        scene.add(Rect(middle[0] - 0.5, middle[1] - 0.5, 1, 1, "floor"))
    words = NAMES[leaf] if leaf >= 0 else DIRECTIONS[side]
    if side in (0, 2):
        scene.add(Label(middle[0] + 0.8, middle[1] + (-0.4 if side == 0 else 0.4), words, 0.45, align="left"))
    elif side == 1:
        scene.add(Label(middle[0] + 0.7, middle[1], words, 0.45, align="left", width=2.6))
    else:
        scene.add(Label(middle[0] - 0.7, middle[1], words, 0.45, align="right", width=2.3))


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    return map_picture(world, s) if agent is None else own_picture(world, s)


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    return BUTTONS.at(world, s, x, y)
