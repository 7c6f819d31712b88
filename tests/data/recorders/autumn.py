"""Record programs of the Autumn interpreter.

    python tests/data/recorders/autumn.py AUTUMN tests/data/HiddenRules/autumn.json.gz

AUTUMN is a checkout of BasisResearch/Autumn.cpp, commit a1212d3, with the module `interpreter_module` built in it:

    g++ -std=c++17 -O1 -shared -fPIC -Iinclude -Iinclude/{interpreter,lexer,parser} \
        -Iinclude/interpreter/{valuesystem,typesystem} $(python -m pybind11 --includes) \
        $(find src -name '*.cpp') tools/bindings_python.cpp -o interpreter_module.so

Each program is played from its own layout, and from layouts in which the things stand elsewhere, some on grids of
another size. Actions are random, and often click on things. The file holds for each episode the rule, the size, the
things at the start, the seed, the actions (the numbers of HiddenRules) and the frames: for each, the cells [x, y] by
color. A color that the background has is left out, but for the walls of `sokoban_ii`.
"""

import gzip
import json
import re
import sys
from pathlib import Path

import numpy as np

#: Program: rule, size, its objects with the names of their things, and the place of a thing from its first cell.
PROGRAMS = {
    "ice": ("ice", 16, {"celestialBody": ("sun", 0, 0), "cloud": ("cloud", 1, 0)}),
    "gravity": (
        "gravity",
        16,
        {f"{way}Button": (f"{way} button", 0, 0) for way in ("left", "right", "up", "down")},
    ),
    "gravity_3": ("drift", 20, {"blobs": ("blob", 0, 0)}),
    "magnets": ("magnets", 16, {"fixedMagnet": ("fixed magnet", 0, 0), "mobileMagnet": ("magnet", 0, 0)}),
    "disease": ("disease", 16, {"inactiveParticles": ("particle", 0, 0), "activeParticle": ("agent", 0, 0)}),
    "ants": ("ants", 16, {"ants": ("ant", 0, 0)}),
    "sand": (
        "sand",
        10,
        {"sandButton": ("sand button", 0, 0), "waterButton": ("water button", 0, 0), "sand": ("sand", 0, 0)},
    ),
    "waterplug": (
        "plug",
        16,
        {
            **{f"{name}Button": (f"{name} button", 0, 0) for name in ("vessel", "plug", "water", "remove", "clear")},
            "vessels": ("vessel", 0, 0),
            "plugs": ("plug", 0, 0),
        },
    ),
    "wind": ("wind", 17, {"cloud": ("cloud", 0, 0)}),
    "egg": ("egg", 16, {"egg": ("egg", 1, 2), "button": ("button", 0, 0)}),
    "sokoban_ii": (
        "crates",
        8,
        {
            "agent": ("agent", 0, 0), "boxes": ("crate", 0, 0), "goal": ("hole", 0, 0), "teleporter2": ("exit", 0, 0),
            "teleporter1": ("entry", 0, 0), "walls": ("wall", 0, 0),
        },
    ),
    "gameOfLife": (
        "life",
        16,
        {"particles": ("cell", 0, 0), "buttonNext": ("next button", 0, 0), "buttonReset": ("clear button", 0, 0)},
    ),
    "paint": ("paint", 16, {}),
    "lights": ("lamps", 16, {"lights": ("lamp", 0, 0)}),
}  # fmt: skip
#: Objects of several cells; all others have one.
LARGE = {"celestialBody", "cloud", "fixedMagnet", "mobileMagnet", "egg"}
CONSTRUCTOR = re.compile(
    r"\((Blob|Ant|Sand false|Vessel|Plug|Particle true|Particle false|Agent|Box|Goal|Teleporter|Wall"
    r"|Magnet \"\w+\"|Egg|Cloud|CelestialBody true) \(Position (\d+) (\d+)\)\)"
)
#: Cells around the place of a thing of several cells: left, up, right, down.
ROOM = {"Magnet": (0, 0, 0, 1), "Egg": (2, 2, 2, 2), "Cloud": (1, 0, 1, 0), "CelestialBody": (0, 0, 1, 1)}
#: The marks of colors at a start, where a thing has more than one color.
MARKS = {"sun": {"gray": 0, "gold": 1}, "particle": {"darkgreen": 0, "gray": 1}}
MARKS |= {"agent": {"darkgreen": 0}, "lamp": {"white": 0, "yellow": 1}}

AUTUMN = Path(sys.argv[1])
sys.path.insert(0, str(AUTUMN))
from interpreter_module import Interpreter  # noqa: E402

LIBRARY = (AUTUMN / "autumnstdlib" / "stdlib.sexp").read_text()


def program(name, size, rng):
    """The text of a program; with `rng`, things stand elsewhere on a grid of this size."""
    text = (AUTUMN / "tests" / f"{name}.sexp").read_text()
    text = re.sub(r"\(= GRID_SIZE \d+\)", f"(= GRID_SIZE {size})", text, count=1)
    if rng is None:
        return text
    taken = (
        {(2, 0), (5, 0), (7, 0), (8, 0), (11, 0), (14, 0), (0, 0)} if name in ("sand", "waterplug", "egg") else set()
    )

    def elsewhere(match):
        left, up, right, down = ROOM.get(match[1].split()[0], (0, 0, 0, 0))
        while True:
            lowest = 4 if match[1].startswith(("Cloud", "Celestial")) else size
            x, y = int(rng.integers(left, size - right)), int(rng.integers(up, lowest - down))
            cells = {(i, j) for i in range(x - left, x + right + 1) for j in range(y - up, y + down + 1)}
            if not cells & taken:
                taken.update(cells)
                return f"({match[1]} (Position {x} {y}))"

    return CONSTRUCTOR.sub(elsewhere, text)


def shown(interpreter):
    return {name: cells for name, cells in json.loads(interpreter.render_all()).items() if name != "GRID_SIZE"}


def start_of(first, rule, objects):
    """The things of a first frame."""
    things = []
    for name, cells in first.items():
        kind, dx, dy = objects[name]
        for cell in cells[:1] if name in LARGE and rule != "wind" else cells:
            x, y, color = cell["position"]["x"] + dx, cell["position"]["y"] + dy, cell["color"]
            if rule != "life" or color != "black":
                mark = MARKS.get(kind, {}).get(color, 0) if rule in ("ice", "disease", "lamps") else 0
                things.append([kind, x, y, *([mark] if mark else [])])
    return things


def frame_of(cells, size, background, rule):
    """The cells of a frame by color."""
    seen = {}
    for part in cells.values():
        for cell in part:
            x, y = cell["position"]["x"], cell["position"]["y"]
            if 0 <= x < size and 0 <= y < size:
                seen[x, y] = cell["color"]
    found = {}
    for (x, y), color in sorted(seen.items()):
        if color != background or rule == "crates":
            found.setdefault(color, []).append([x, y])
    return found


def places(cells, name):
    return {(cell["position"]["x"], cell["position"]["y"]) for cell in cells.get(name, [])}


def record(name, size, seed, steps, rng, varied):
    rule, _, objects = PROGRAMS[name]
    interpreter = Interpreter()
    interpreter.run_script(program(name, size, rng if varied else None), LIBRARY, "", seed)
    background = interpreter.get_background()
    cells = shown(interpreter)
    things = start_of(cells, rule, objects)
    actions, frames = [], [frame_of(cells, size, background, rule)]
    for _ in range(steps):
        if rule == "crates" and places(cells, "agent") & places(cells, "boxes"):
            break  # the next arrow would crash the interpreter: the program calls moveNoCollision with two arguments
        drawn = rng.random()
        if rule == "life" and drawn < 0.4:
            action = 5 + (size - 1) * size
        elif drawn < 0.2:
            action = 0
        elif drawn < 0.6:
            action = int(rng.integers(1, 5))
        else:
            x, y = (int(v) for v in rng.integers(size, size=2))
            spots = [cell["position"] for part in cells.values() for cell in part if len(cells) > 1]
            spots = [s for s in spots if 0 <= s["x"] < size and 0 <= s["y"] < size]
            if spots and rng.random() < 0.4:
                part = list(cells.values())[rng.integers(len(cells))]
                spot = part[rng.integers(len(part))]["position"]
                if 0 <= spot["x"] < size and 0 <= spot["y"] < size:
                    x, y = spot["x"], spot["y"]
            action = 5 + y * size + x
        if action >= 5:
            interpreter.click((action - 5) % size, (action - 5) // size)
        elif action:
            (interpreter.left, interpreter.right, interpreter.up, interpreter.down)[action - 1]()
        interpreter.step()
        cells = shown(interpreter)
        actions.append(action)
        frames.append(frame_of(cells, size, background, rule))
    return {"rule": rule, "size": size, "things": things, "seed": seed, "actions": actions, "frames": frames}


def main():
    rng = np.random.default_rng(7)
    episodes = []
    for name, (rule, size, _) in PROGRAMS.items():
        steps = 20 if rule == "life" else 60
        episodes.append(record(name, size, 3, steps, rng, False))
        episodes.append(record(name, size, 5, steps, rng, False))
        if rule == "crates":
            episodes += [record(name, other, k, steps, rng, True) for other in (8, 10, 12) for k in range(4)]
        elif rule in ("ice", "magnets", "disease", "ants", "egg", "drift"):
            episodes += [
                record(name, other, 11 + k, steps, rng, True)
                for k, other in enumerate((16,) * 3 if rule == "egg" else (12, 16, 20))
            ]
        elif rule in ("sand", "plug"):
            episodes += [record(name, size, 9 + k, steps, rng, True) for k in range(3)]
        print(name, len(episodes), flush=True)
    for episode in episodes:  # only what changes from frame to frame
        frames = episode["frames"]
        episode["frames"] = [frame if k == 0 or frame != frames[k - 1] else None for k, frame in enumerate(frames)]
    Path(sys.argv[2]).write_bytes(gzip.compress(json.dumps(episodes, separators=(",", ":")).encode(), mtime=0))


main()
