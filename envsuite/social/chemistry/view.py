"""Words and pictures of Chemistry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from envsuite.kit import avatars
from envsuite.kit.avatars import BEHIND, BORDER, MIDDLE, OUTSIDE, OWN, PLAYER, VIEW, WALL
from envsuite.render.scene import Rect, Scene, Shape, avatar, footer
from envsuite.render.theme import agent_color
from envsuite.social.chemistry.levels import BUSY, BUSY_LETTER, EMPTY, LEGEND, letters_of, molecule

if TYPE_CHECKING:
    from envsuite.social.chemistry import Chemistry


def words_of(number: int) -> str:
    """A molecule that is carried."""
    if number == BUSY:
        return f"a molecule that reacts ({BUSY_LETTER})"
    return "the empty molecule (.)" if number == EMPTY else f"{LEGEND[number]}"


def words(world: Chemistry, seen: Any) -> list[str]:
    """What an agent sees beside walls and others."""
    view, molecules = np.asarray(seen["view"]), np.asarray(seen["molecules"]).astype(int)
    codes = np.unique(view.astype(int))
    others = (codes[(codes >= PLAYER) & (codes < OWN)] - PLAYER) >> 2
    carried = [f"{world.agents[a]} {words_of(int(seen['carried'][a]))}" for a in others]
    lines = [f"They carry: {'; '.join(carried) if carried else 'nobody in view'}."]
    here = int(molecules[VIEW - 1 - BEHIND, MIDDLE])
    lines.append(f"On your cell: {words_of(here)}.")
    lines.append(f"The molecules in view, the farthest row first ({BUSY_LETTER} reacts, # has none):")
    letters = LEGEND + BUSY_LETTER
    lines += ["".join(letters[code] for code in row) for row in molecules]
    lines.append("Reactions: " + "; ".join(reactions_in_words(seen)) + ".")
    return lines


def reactions_in_words(table: Any) -> list[str]:
    """All reactions of an observation."""
    found = []
    for k in np.flatnonzero(np.asarray(table["reactants"])[:, 0]).tolist():
        pays = f" (pays {float(table['pays'][k]):g})" if table["pays"][k] else ""
        found.append(f"{letters_of(table['reactants'][k])} -> {letters_of(table['products'][k])}{pays}")
    return found


def _figure(x: float, y: float, facing: int, a: int, held: int, below: int) -> list[Shape]:
    """An agent, what it carries at its upper right, and what lies below it at its lower left."""
    shapes = avatar(x, y, facing, agent_color(a), 0.92, text=str(a))
    for number, side in ((held, 0.26), (below, -0.26)):
        if number > EMPTY:
            shapes += molecule(x + side, y - side, number, 0.6)
    return shapes


def scene(world: Chemistry, s: Any, agent: int | None = None) -> Scene:
    """The map, or an agent's view, turned as it is observed; what is beyond the map is dark."""
    places = world.in_picture(s, agent)
    if agent is None:
        grid, numbers = (_inside(cells, s) for cells in (avatars.ground_of(s), s.molecule[: len(s.cells)]))
        numbers = np.maximum(numbers.astype(int), OWN) - OWN
        carried = s.molecule[len(s.cells) :].astype(int) - OWN
    else:
        seen = world.observation(s, agent)
        grid, numbers, carried = (np.asarray(seen[part]).astype(int) for part in ("view", "molecules", "carried"))
    height, width = grid.shape
    canvas = Scene(width, height, background="floor")
    taken = {(x, y) for x, y, _ in places.values()}
    for y, x in np.ndindex(height, width):
        if grid[y, x] in (WALL, OUTSIDE):
            canvas.add(Rect(x, y, 1, 1, "wall" if grid[y, x] == WALL else "shadow"))
        elif (x, y) not in taken:
            canvas.add(*molecule(x + 0.5, y + 0.5, int(numbers[y, x])))
    for a, (x, y, facing) in places.items():
        canvas.add(*_figure(x + 0.5, y + 0.5, facing, a, int(carried[a]), int(numbers[y, x])))
    if agent is None:
        count, busy = int((numbers > EMPTY).sum()), int((numbers == BUSY).sum())
        footer(canvas, f"{s.t} / {s.params.horizon}", f"{count} molecules, {busy} react")
    return canvas


def _inside(cells: np.ndarray, s: Any) -> np.ndarray:
    """(height, width) what `cells` has for the map."""
    return np.asarray(cells).reshape(s.map.shape[0] + 2 * BORDER, -1)[BORDER:-BORDER, BORDER:-BORDER].copy()


def text(world: Any, s: Any, agent: int) -> str:
    return "\n".join([avatars.AvatarWorld.text(world, s, agent), *words(world, world.observation(s, agent))])
