"""MiniGames in words and pictures, which show what the player observes."""

from __future__ import annotations

from typing import Any

from envsuite.games.mini_games import economy, fights
from envsuite.games.mini_games.economy import BARRACKS, CENTER, FIELD, GEYSER, ORE, REFINERY
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, footer, grid
from envsuite.render.theme import text_on

#: Colors and letters of the kinds.
_COLORS = ("", "blue", "red", "purple", "green", "sky", "orange")
_LETTERS = " mrzbsB"
_STUFF_COLORS = ("", "sky", "green", "blue", "gold", "red", "pink")
_STUFF_LETTERS = " fgCDBR"

#: Where the minimap is, and the side of its cells.
_MAP, _MAP_CELL = fights.CELLS + 1.0, 0.5


# Fights.


def _corner(seen: Any) -> tuple[int, int]:
    """The column and row of the field in the corner of the screen."""
    return (int(seen.numbers[2]), int(seen.numbers[3])) if len(seen.numbers) > 2 else (0, 0)


def _at(seen: Any, x: float, y: float) -> tuple[int, int]:
    """The column and row of the screen of a place."""
    last = (fights.WIDE if len(seen.numbers) > 2 else fights.CELLS) - 1
    left, top = _corner(seen)
    return min(int(x / fights.CELL), last) - left, min(int(y / fights.CELL), last) - top


def _cell(seen: Any, x: float, y: float) -> str:
    column, row = _at(seen, x, y)
    if 0 <= column < fights.CELLS and 0 <= row < fights.CELLS:
        return f"cell {column} {row}"
    wide = fights.COARSE * fights.CELL
    return f"outside of the screen, cell {min(int(x / wide), 15)} {min(int(y / wide), 15)} of the minimap"


def fights_text(seen: Any) -> str:
    lines = [f"{int(seen.numbers[0])} steps of 1/8 s are left. Renewals: {int(seen.numbers[1])}."]
    for k, (x, y, health, cool, chosen, order) in enumerate(seen.marines.tolist()):
        if health > 0:
            what = ("idle", "moves", "walks and attacks", "attacks an enemy", "holds")[int(order)]
            ready = f"ready in {int(cool)} ticks" if cool else "ready"
            lines.append(
                f"Marine {k}{' (selected)' if chosen else ''}: {_cell(seen, x, y)}, health {health:.0f}, "
                f"weapon {ready}, {what}."
            )
    if not seen.marines[:, 2].any():
        lines.append("No marine lives.")
    for kind, x, y, health in seen.others.tolist():
        if kind:
            lines.append(
                f"A {fights.KINDS[int(kind)]} in {_cell(seen, x, y)}" + (f", health {health:.0f}." if health else ".")
            )
    if len(seen.numbers) > 2:
        lines += _minimap_text(seen)
    return "\n".join(lines)


def _minimap_text(seen: Any) -> list[str]:
    """Where the screen is, and a letter for each cell of the minimap."""
    column, row = _corner(seen)
    rows = []
    for codes in seen.minimap.tolist():
        rows.append("".join("M" if own else "z" if foes else "?.+"[fog] for fog, own, foes in codes))
    return [
        f"The corner of the screen is cell {column} {row} of the field of {fights.WIDE} x {fights.WIDE} cells.",
        "Minimap (M marines, z zerglings, + seen now, . seen before, ? never seen):",
        *rows,
    ]


def fights_click(seen: Any, x: float, y: float) -> int | None:
    column, row = int(x // 1), int(y // 1)
    if len(seen.numbers) > 2 and x >= _MAP and 0 <= y < fights.CELLS * _MAP_CELL:
        column, row = int((x - _MAP) / _MAP_CELL), int(y / _MAP_CELL)
        return fights.CAMERA + fights.CELLS * row + column if column < fights.CELLS else None
    if not (0 <= column < fights.CELLS and 0 <= row < fights.CELLS):
        return None
    if not seen.marines[:, 4].any():
        return fights.ALL
    foes = [cell for kind, *cell, health in seen.others.tolist() if health > 0]
    foe = (column, row) in [_at(seen, *cell) for cell in foes]
    return (fights.ATTACK if foe else fights.MOVE) + fights.CELLS * row + column


def fights_scene(seen: Any) -> Scene:
    scene = Scene(fights.CELLS, fights.CELLS, grid(0, 0, fights.CELLS, fights.CELLS, fill="soil"))
    left, top = _corner(seen)
    if len(seen.numbers) > 2:
        _fog(scene, seen)
    bars = []
    for kind, x, y, health in seen.others.tolist():
        if kind:
            x, y = x / fights.CELL - left, y / fights.CELL - top
            _draw(scene, int(kind), x, y)
            bars.append((int(kind), x, y, health))
    alive = [row for row in seen.marines.tolist() if row[2] > 0]
    marines = [row for row in alive if all(0 <= k < fights.CELLS for k in _at(seen, *row[:2]))]
    marines = [[x / fights.CELL - left, y / fights.CELL - top, *row] for x, y, *row in marines]
    for x, y, _, _, chosen, _ in marines:
        if chosen:
            scene.add(Circle(x, y, 0.36, "highlight", "ink", 0.05, glyph=""))
    for x, y, health, _, chosen, _ in marines:
        _draw(scene, fights.MARINE, x, y, "M" if chosen else "m")
        bars.append((fights.MARINE, x, y, health))
    for kind, x, y, health in bars:
        if health > 0:
            high, wide, share = (
                y - float(fights.RADIUS[kind]) / fights.CELL - 0.22,
                0.5,
                health / float(fights.HEALTH[kind]),
            )
            scene.add(Rect(x - wide / 2, high, wide, 0.1, "black"), Rect(x - wide / 2, high, wide * share, 0.1, "gold"))
    if len(seen.numbers) > 2:
        _minimap(scene, seen)
    left_time = int(seen.numbers[0])
    footer(scene, f"{left_time / fights.STEPS:.1f} s left", f"marines {len(alive)}, renewals {int(seen.numbers[1])}")
    return scene


def _fog(scene: Scene, seen: Any) -> None:
    """Cells that are not seen now."""
    for row, codes in enumerate(seen.screen[:, :, 5].tolist()):
        for column, fog in enumerate(codes):
            if fog != fights.LIT:
                scene.add(Rect(column, row, 1, 1, "shadow" if fog == fights.DARK else "shadow@0.4", glyph=""))


def _minimap(scene: Scene, seen: Any) -> None:
    """The whole field beside the screen, with a frame around the part on the screen."""
    size = _MAP_CELL
    scene.width = _MAP + fights.CELLS * size
    for row, codes in enumerate(seen.minimap.tolist()):
        for column, (fog, own, foes) in enumerate(codes):
            x, y = _MAP + size * column, size * row
            color = "blue" if own else "purple" if foes else "soil"
            scene.add(Rect(x, y, size, size, color, glyph="M" if own else "z" if foes else "?.+"[fog]))
            if fog != fights.LIT:
                scene.add(Rect(x, y, size, size, "shadow" if fog == fights.DARK else "shadow@0.4", glyph=""))
    (left, top), cell = _corner(seen), size / fights.COARSE
    x, y, wide = _MAP + cell * left, cell * top, cell * fights.CELLS
    scene.add(Line([(x, y), (x + wide, y), (x + wide, y + wide), (x, y + wide), (x, y)], "highlight", 0.12))


def _draw(scene: Scene, kind: int, x: float, y: float, letter: str = "") -> None:
    """A thing with the letter of its kind, or with another one."""
    color, letter = _COLORS[kind], letter or _LETTERS[kind]
    if kind == fights.SHARD:
        points = [(x, y - 0.4), (x + 0.25, y), (x, y + 0.4), (x - 0.25, y)]
        scene.add(Polygon(points, color, "ink", 0.04, glyph=letter))
        return
    radius = float(fights.REACH[kind] if kind == fights.BEACON else fights.RADIUS[kind]) / fights.CELL
    if kind == fights.BEACON:
        scene.add(Circle(x, y, radius, color + "@0.35", color, 0.08, glyph=letter))
        scene.add(Line([(x - 0.25, y), (x + 0.25, y)], "ink", 0.07), Line([(x, y - 0.25), (x, y + 0.25)], "ink", 0.07))
        return
    scene.add(Circle(x, y, radius, color, "black", 0.04, glyph=letter))
    scene.add(Label(x, y, letter, 1.5 * radius, text_on(color), bold=True, terminal=False))


# Economy.


def _place(x: float, y: float) -> str:
    column, row = (min(int(z / economy.CELL), fights.CELLS - 1) for z in (x, y))
    return f"cell {column} {row}"


def _seconds(ticks: float) -> str:
    return f"{ticks * economy.TICK:.1f} s"


def economy_text(seen: Any) -> str:
    left, minerals, gas, used, cap, marines, *_ = seen.numbers.tolist()
    lines = [
        f"{left} steps of 1/8 s are left. Minerals {minerals}, gas {gas}, supply {used} of {cap}, marines {marines}."
    ]
    for k, (x, y, task, cargo, source, plan, chosen) in enumerate(seen.workers.tolist()):
        if task:
            doing = economy.TASKS[int(task)] + (f" {_a(int(plan))}" if plan else "")
            link = {economy.GOING: "to", economy.RETURNING: "from"}.get(int(task), "at")
            doing += f" {link} {_name(seen, int(source) - 1)}" if source else ""
            load = ("", ", carries minerals", ", carries gas")[int(cargo)]
            lines.append(f"Worker {k}{' (selected)' if chosen else ''}: {_place(x, y)}, {doing}{load}.")
    for kind, x, y, unfinished, queue, training, chosen in seen.buildings.tolist():
        if kind:
            line = f"{_a(int(kind)).capitalize()}{' (selected)' if chosen else ''} in {_place(x, y)}"
            if unfinished:
                line += f", finished after {_seconds(unfinished)} of work"
            elif queue:
                line += f", trains {queue:.0f}, the first of them for {_seconds(training)}"
            lines.append(line + ".")
    for k, (kind, x, y, opened, _) in enumerate(seen.sources.tolist()):
        if kind:
            workers = int((seen.workers[:, 4] == k + 1).sum())
            state = f": {workers} worker{'' if workers == 1 else 's'}" if opened else " without a refinery"
            lines.append(f"{_name(seen, k).capitalize()} in {_place(x, y)}{state}.")
    return "\n".join(lines)


def _a(kind: int) -> str:
    return economy.KINDS[kind] if kind == BARRACKS else f"a {economy.KINDS[kind]}"


def _name(seen: Any, source: int) -> str:
    return f"{economy.KINDS[int(seen.sources[source, 0])]} {source}"


def economy_click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """The action that a click means, if it is legal."""
    column, row = int(x // 1), int(y // 1)
    if not (0 <= column < fights.CELLS and 0 <= row < fights.CELLS):
        return None
    seen, names = world.observation(s, agent), world.action_names[agent]
    kind = int(seen.screen[row, column, 0])
    if kind in (CENTER, BARRACKS):
        name = f"select {'centers' if kind == CENTER else 'barracks'}"
    elif not seen.workers[:, 6].any():
        name = "select all"
    elif kind in (FIELD, REFINERY):
        name = f"gather {column} {row}"
    elif kind == GEYSER:
        name = f"build refinery {column} {row}"
    else:
        other = "barracks" if BARRACKS in world.economy.plans else "center"
        name = f"build {'depot' if x - column < 0.5 else other} {column} {row}"
    action = names.index(name) if name in names else -1
    return action if action in world.legal_actions(s, agent) else None


def economy_scene(seen: Any) -> Scene:
    scene = Scene(fights.CELLS, fights.CELLS, grid(0, 0, fights.CELLS, fights.CELLS, fill="soil"))
    for kind, x, y, *_ in seen.sources.tolist():
        if kind:
            _source(scene, int(kind), x / economy.CELL, y / economy.CELL)
    for row in seen.buildings.tolist():
        if row[0]:
            _building(scene, *row)
    for x, y, task, cargo, _, _, chosen in seen.workers.tolist():
        if task:
            x, y = x / economy.CELL, y / economy.CELL
            if chosen:
                scene.add(Circle(x, y, 0.24, "highlight", "ink", 0.04, glyph=""))
            scene.add(Circle(x, y, 0.16, "grey", "black", 0.04, glyph="W" if chosen else "w"))
            if cargo:
                scene.add(Circle(x + 0.14, y - 0.14, 0.1, "sky" if cargo == ORE else "green", "black", 0.03, glyph=""))
    left, minerals, gas, used, cap, marines, *_ = seen.numbers.tolist()
    stocks = f"minerals {minerals}, gas {gas}, supply {used} / {cap}, marines {marines}"
    footer(scene, f"{left / fights.STEPS:.1f} s left", stocks)
    return scene


def _source(scene: Scene, kind: int, x: float, y: float) -> None:
    color, letter = _STUFF_COLORS[kind], _STUFF_LETTERS[kind]
    if kind == FIELD:
        points = [(x - 0.42, y + 0.1), (x - 0.15, y - 0.35), (x + 0.2, y - 0.25), (x + 0.42, y + 0.2), (x, y + 0.35)]
        scene.add(Polygon(points, color, "ink", 0.04, glyph=letter))
    else:
        scene.add(Circle(x, y, 0.42, color, "ink", 0.04, glyph=letter), Circle(x, y, 0.16, "black", glyph=""))


def _building(
    scene: Scene, kind: float, x: float, y: float, unfinished: float, queue: float, training: float, chosen: float
) -> None:
    kind = int(kind)
    half, color, letter = float(economy.WIDTH[kind]) / 2 - 0.06, _STUFF_COLORS[kind], _STUFF_LETTERS[kind]
    x, y = x / economy.CELL, y / economy.CELL
    if chosen:
        scene.add(Rect(x - half - 0.06, y - half - 0.06, 2 * half + 0.12, 2 * half + 0.12, "highlight", glyph=""))
    scene.add(
        Rect(x - half, y - half, 2 * half, 2 * half, "wall" if unfinished else color, "black", 0.05, glyph=letter)
    )
    paint = text_on("wall" if unfinished else color)
    scene.add(Label(x, y, letter, min(1.1 * half, 0.8), paint, bold=True, terminal=False))
    share = 0.0
    if unfinished:
        share = 1 - unfinished / float(economy.TIME[kind])
    elif queue:
        share = 1 - training / (economy.WORKER_TIME if kind == CENTER else economy.MARINE_TIME)
        for k in range(int(queue)):
            scene.add(Circle(x - half + 0.2 + 0.25 * k, y + half - 0.35, 0.09, "white", "black", 0.02, glyph=""))
    if unfinished or queue:
        scene.add(Rect(x - half, y + half - 0.18, 2 * half, 0.14, "black", glyph=""))
        scene.add(Rect(x - half, y + half - 0.18, 2 * half * share, 0.14, "gold", glyph=""))


def text(world: Any, s: Any, agent: int) -> str:
    return (economy_text if world.economy else fights_text)(world.observation(s, agent))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    return economy_click(world, s, agent, x, y) if world.economy else fights_click(world.observation(s, agent), x, y)


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    return (economy_scene if world.economy else fights_scene)(world.observation(s, 0))
