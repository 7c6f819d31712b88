"""RepoSetup in words and pictures: a terminal, and a table of packages and versions."""

from __future__ import annotations

from typing import Any

from envsuite.dual_control.repo_setup import terms
from envsuite.dual_control.repo_setup.reading import LABEL_NAMES, label_name
from envsuite.dual_control.repo_setup.rules import has
from envsuite.render.scene import Label, Line, Rect, Scene, wrap

#: Left and top of the table, the width of a version and of the names, the place of the crosses; the terminal.
LEFT, TOP, CELL, NAMES_WIDE = 0.5, 2.1, 0.78, 2.6
CROSS = LEFT + NAMES_WIDE + CELL * terms.LABELS + 0.1
TERMINAL, WIDTH, HEIGHT = 17.3, 28.0, 14.0
#: Left, top, height and pitch of the buttons of scripts.
BUTTONS, TALL, PITCH = 9.6, 0.6, 0.7


def tall_of(packages: int) -> float:
    """The height of a row of the table."""
    return min(0.95, (HEIGHT - TOP - 0.5) / packages)


# Words.


def listed(names: list[str]) -> str:
    """Names in a row; a word for none."""
    return ", ".join(names) or "none"


def failure(s: Any) -> str:
    """What a failed script says."""
    message = s.message.tolist()
    kind, package = message[terms.KIND], terms.PACKAGES[message[terms.PACKAGE]]
    module, name = terms.MODULES[message[terms.MODULE]], terms.NAMES[message[terms.NAME]]
    word = terms.KEYWORDS[message[terms.KEYWORD]]
    return {
        terms.MAJOR: f"RuntimeError: compiled parts of '{package}' and of packages built on it differ in their format",
        terms.MINOR: f"RuntimeError: the companions of '{package}' are not in step with it",
        terms.NO_MODULE: f"ModuleNotFoundError: there is no module '{package}'",
        terms.NO_NAME: f"ImportError: '{package}.{module}' has nothing named '{name}' to import",
        terms.NO_KEYWORD: f"TypeError: the script calls {package}.{module}.{name}(), which takes no keyword '{word}'",
        terms.NO_KEYWORD_IN: f"TypeError: '{terms.PACKAGES[message[terms.OTHER]]}' calls {package}.{module}.{name}(), "
        f"which takes no keyword '{word}'",
        terms.BROKEN: f"ImportError: '{name}' could not be taken from '{package}.{module}'",
        terms.BROKEN + 1: f"AttributeError: '{package}.{module}' is without its attribute '{name}'",
        terms.BROKEN + 2: f"TypeError: {name}() was given a keyword that it does not take",
        terms.BROKEN + 3: "RuntimeError: a compiled extension did not start",
        terms.BROKEN + 4: "RuntimeError: compiled parts do not fit together",
    }[kind]


def answer(s: Any) -> str:
    """The answer to the last command."""
    message, shown = s.message.tolist(), s.shown.tolist()
    kind, package = message[terms.KIND], terms.PACKAGES[message[terms.PACKAGE]]
    version = label_name(message[terms.VERSION])
    if kind >= terms.MAJOR:
        return f"{terms.SCRIPTS[message[terms.SCRIPT]]} failed.\n{failure(s)}"
    here = f"Python {terms.PYTHONS[s.python]}" if s.python != terms.NONE else "no Python"
    also = [
        f"{terms.PACKAGES[q]} {label_name(v)}" for q, v in enumerate(shown) if v >= 0 and q != message[terms.PACKAGE]
    ]
    absent = [terms.PACKAGES[q] for q, v in enumerate(shown) if v == terms.NONE]
    there = [name for name, exists in zip(LABEL_NAMES, s.available.tolist()) if exists]
    needs = f"ERROR: {package} {version} needs Python {terms.PYTHONS[message[terms.PYTHON]]} or newer, but"
    cannot = f"ERROR: {package} {version} cannot be installed"
    return {
        terms.START: "Nothing is installed.",
        terms.PYTHON_SET: f"{here} is installed.",
        terms.INSTALLED: f"Installed {package} {version}." + (f"\nAlso changed: {', '.join(also)}." if also else ""),
        terms.PRESENT: f"{package} {version} is installed already.",
        terms.NO_VERSION: f"ERROR: no version of {package} fits. There are: {listed(there)}.",
        terms.NO_PYTHON: f"{needs} there is no Python.",
        terms.OLD_PYTHON: f"{needs} this is {here}.",
        terms.MISSING: f"{cannot}. It needs packages that are absent: {listed(absent)}.",
        terms.CONFLICT: f"{cannot}: it does not work with {terms.PACKAGES[message[terms.OTHER]]} "
        f"{label_name(message[terms.OTHER_VERSION])}.",
        terms.REMOVED: f"Removed {package} {version}.",
        terms.ABSENT: f"ERROR: {package} is not installed.",
        terms.LIST: f"Installed: {listed(([here] if s.python != terms.NONE else []) + also)}.",
        terms.PASSED: f"{terms.SCRIPTS[message[terms.SCRIPT]]} passed.",
        terms.WORKS: "All scripts passed. The project works.",
        terms.UNSET: "ERROR: there is no Python to run this.",
    }[kind]


def text(world: Any, s: Any, agent: int) -> str:
    """The last command, its answer and what is left."""
    lines = [] if s.command == terms.NONE else [f"$ {world.action_names[0][s.command]}"]
    lines.append(answer(s))
    if s.terminated[0] or s.truncated[0]:
        return "\n".join([*lines, "It is over."])
    return "\n".join([*lines, f"{s.params.steps - s.t} of {s.params.steps} commands are left."])


# The picture.


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """Packages and versions, scripts and the terminal. Spectators see which versions exist and solve the task."""
    scene, count = Scene(WIDTH, HEIGHT), len(s.installed)
    everything = agent is None or bool(s.terminated[0] or s.truncated[0])
    scene.add(Label(LEFT, 0.75, "packages and versions", 0.6, align="left", bold=True))
    python = f"Python {terms.PYTHONS[s.python]}" if s.python != terms.NONE else "no Python"
    scene.add(Label(CROSS + 0.5, 0.75, python, 0.5, "muted", "right"))
    for label in range(terms.LABELS):
        scene.add(Label(LEFT + NAMES_WIDE + CELL * (label + 0.5), 1.7, LABEL_NAMES[label], 0.38, "muted"))
    for major in range(1, 4):
        x = LEFT + NAMES_WIDE + 4 * CELL * major
        scene.add(Line([(x, 1.4), (x, TOP + tall_of(count) * count)], "line", 0.03))
    for p in range(count):
        _draw_package(scene, s, p, everything)
    _draw_terminal(scene, world, s)
    return scene


def _draw_package(scene: Scene, s: Any, p: int, everything: bool) -> None:
    """A row: name, a tile for each version, a cross."""
    tall = tall_of(len(s.installed))
    y, seen = TOP + tall * p, int(s.shown[p])
    now = int(s.installed[p]) if everything else seen
    named = p in (s.message[terms.PACKAGE], s.message[terms.OTHER])
    size = min(0.38, 0.5 * tall)
    scene.add(Label(LEFT, y + tall / 2, terms.PACKAGES[p], 1.3 * size, "ink", "left", bold=named))
    for label in range(terms.LABELS):
        x = LEFT + NAMES_WIDE + CELL * label
        exists = everything and has(s.level.exists[p], label)
        exists = exists or (p == s.message[terms.PACKAGE] and s.available[label] == 1)
        fill = "blue" if now == label else "panel" if exists else None
        right = everything and s.level.solution[p] == label
        if right and now == label:
            fill = "good"
        box = (x + 0.05, y + 0.06, CELL - 0.1, tall - 0.12)
        if fill or right:
            frame, line = ("good", 0.08) if right else ("line", 0.04)
            scene.add(Rect(*box, fill, frame, line, 0.12))
        if fill:
            ink = "white" if now == label else "muted"
            scene.add(Label(x + CELL / 2, y + tall / 2, LABEL_NAMES[label], size, ink, bold=now == label))
        else:
            scene.add(Label(x + CELL / 2, y + tall / 2, "·", size, "muted", terminal=False))
    scene.add(Label(CROSS + 0.3, y + tall / 2, "×", 1.4 * size, "bad" if now >= 0 else "muted"))
    if seen == terms.NONE:
        scene.add(Label(LEFT + NAMES_WIDE - 0.35, y + tall / 2, "?", 1.3 * size, "bad", bold=True))


def _draw_terminal(scene: Scene, world: Any, s: Any) -> None:
    """The last command and its answer; below, the scripts."""
    wide = WIDTH - TERMINAL - 0.5
    scene.add(Rect(TERMINAL, 0.4, wide, BUTTONS - 1.0, "black", "line", radius=0.25))
    command = "" if s.command == terms.NONE else world.action_names[0][s.command]
    scene.add(Label(TERMINAL + 0.4, 1.1, f"$ {command}", 0.5, "yellow", "left", width=wide - 0.8))
    lines = [line for part in answer(s).split("\n") for line in wrap(part, wide - 0.9, 0.46)]
    color = "white" if s.message[terms.KIND] < terms.MAJOR and "ERROR" not in lines[0] else "orange"
    for k, line in enumerate(lines[:9]):
        scene.add(Label(TERMINAL + 0.4, 2.0 + 0.75 * k, line, 0.46, color, "left"))
    left = f"{s.params.steps - s.t} of {s.params.steps} commands left"
    scene.add(Label(WIDTH - 0.8, BUTTONS - 1.0, left, 0.38, "grey", "right", terminal=False))
    for k, script in enumerate([*terms.SCRIPTS, "run.py"]):
        y = BUTTONS + PITCH * k
        said, passed = int(s.message[terms.SCRIPT]) == k, int(s.message[terms.KIND]) in (terms.PASSED, terms.WORKS)
        done = s.message[terms.KIND] == terms.WORKS
        fill = "good" if done or (said and passed) else "bad" if said else "panel"
        scene.add(Rect(TERMINAL, y, wide, TALL, fill, "line", 0.04, 0.2))
        ink = "ink" if fill == "panel" else "white"
        scene.add(Label(TERMINAL + wide / 2, y + TALL / 2, f"python {script}", 0.42, ink))


def click(world: Any, s: Any, agent: int, x: float, y: float) -> int | None:
    """A click on a script runs it; on a package, installs its newest version or the one there, or removes it."""
    command = _command_at(len(s.installed), x, y)
    return None if command is None else world.action_names[0].index(command)


def _command_at(packages: int, x: float, y: float) -> str | None:
    """The command of the script, name, version or cross at a point."""
    p, script = int((y - TOP) // tall_of(packages)), int((y - BUTTONS) // PITCH)
    if x >= TERMINAL:
        scripts = [*terms.SCRIPTS, "run.py"]
        return f"python {scripts[script]}" if 0 <= script < len(scripts) and x < WIDTH - 0.5 else None
    if not 0 <= p < packages or x < LEFT or x > CROSS + 0.6:
        return None
    name = terms.PACKAGES[p]
    if x < LEFT + NAMES_WIDE:
        return f"pip install {name}"
    if x >= CROSS:
        return f"pip uninstall {name}"
    label = int((x - LEFT - NAMES_WIDE) // CELL)
    return f"pip install {name}=={LABEL_NAMES[label]}" if label < terms.LABELS else None


def reply(world: Any, s: Any, agent: int) -> str:
    return answer(s)
