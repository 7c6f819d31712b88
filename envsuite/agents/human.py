"""A person at the keyboard of a terminal, as a policy of any world.

Before each move the person sees what the agent may see, as a drawing and in words, and the legal actions. An action is
typed by its name, its key, a number that only its name has, or so much of its name that only one legal action has it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.text import Text

from envsuite import reading
from envsuite.core.batch import Batch
from envsuite.core.console import Console
from envsuite.core.errors import ActionError, EnvsuiteError, ParameterError
from envsuite.core.policy import Policy
from envsuite.core.world import World
from envsuite.interfaces.single import padded
from envsuite.interfaces.text import legal_names, rules
from envsuite.render.panel import matching
from envsuite.render.scene import Scene
from envsuite.render.terminal import terminal

HELP = (
    'Type an action: its name, its key, or a part of its name. "?" lists the legal actions, "rules" shows the rules, '
    '"undo" takes your last move back, "quit" leaves.'
)
KEYS = (
    "Press an action's key. Tab: type an action. Backspace: take your last move back. ?: all legal actions. Esc: leave."
)

#: Names of the keys that a terminal sends as more than their letter, or as none; arrows in both of their modes.
_NAMES = {
    **{f"\x1b{mode}{letter}": name for mode in "[O" for letter, name in zip("ABCD", ("up", "down", "right", "left"))},
    **{" ": "space", "\r": "return", "\n": "return", "\t": "tab", "\x7f": "backspace", "\b": "backspace"},
    **{"\x1b": "escape", "\x04": "escape"},
}

_NUMBER = re.compile(r"\d+")

#: What keys that no action has mean, as typed answers.
_COMMANDS = {"backspace": "undo", "escape": "quit", "?": "?"}


class LeftError(EnvsuiteError):
    """The person has left the game."""


class UndoError(EnvsuiteError):
    """The person takes the last move back."""


class Human(Policy):
    """Asks a person for every action.

    Args:
        ask: takes a prompt and gives a line that was typed, as `input` does; by default it asks on the console.
        console: where all is shown; the terminal by default.
        undo: whether "undo" takes a move back; then `choose` raises `UndoError`.
        say: takes the number of an agent and words that the person typed as "say hello", and gives them as others will
            hear them, or raises `ActionError`; without it a person has no words.

    Raises:
        LeftError: by `act_in`, when the person leaves: with "quit", at the end of the input, or with an interrupt.
    """

    name = "human"

    def __init__(
        self,
        ask: Callable[[str], str] | None = None,
        console: Console | None = None,
        *,
        undo: bool = False,
        say: Callable[[int, str], str] | None = None,
    ):
        self.console, self.undo, self.say = console or Console(), undo, say
        self.ask = ask or (lambda prompt: self.console.input(Text(prompt, "bold cyan")))

    def act(self, observation: Any, mask: np.ndarray, agent: int = 0) -> int:
        """Refused: a person is shown the world's picture and text."""
        raise ParameterError("a person reads the world's text: ask by act_in(batch, agents)")

    def act_in(self, batch: Batch, agents: Sequence[int], where: np.ndarray | None = None) -> np.ndarray:
        acts = batch.acting[:, agents] != 0
        actions = np.zeros_like(batch.actions[:, agents])
        for i, k in zip(*np.nonzero(acts if where is None else acts & where)):
            a = int(agents[k])
            self.console.print()
            self.console.print(drawing(batch.world.scene(batch.record(i), a), self.console))
            self.console.print(Text(batch.world.text(batch.record(i), a)))
            actions[i, k] = self.choose(batch, int(i), a)
        return actions

    def choose(self, batch: Batch, i: int, a: int) -> Any:
        """A legal action of agent number `a` in world `i`, asked for until there is one."""
        world, mask = batch.world, batch.masks[i, a]
        self.console.print(Text(f"Legal: {choices(world, a, mask)}", "dim"))
        while True:
            try:
                answer = self.ask(f"{world.agents[a]}> ").strip()
            except (EOFError, KeyboardInterrupt):
                self.console.print()
                answer = "quit"
            except ActionError as error:
                self.console.print(Text(str(error), "red"))
                continue
            if answer == "quit":
                raise LeftError(f"{world.id}: {world.agents[a]} has left the game")
            if answer == "undo" and self.undo:
                raise UndoError(f"{world.agents[a]} takes a move back")
            if answer == "rules":
                from rich.markdown import Markdown

                self.console.print(Markdown(rules(world)))
                continue
            if answer == "?":
                self.console.print(Text(f"{HELP}\n{', '.join(named(world, legal_names(world, a, mask)))}", "dim"))
                continue
            words = None if self.say is None else words_in(world, a, answer)
            try:
                if self.say is not None and words is not None:
                    said = self.say(a, words)
                    self.console.print(Text(f'You will say: "{said}"' if said else "You say nothing.", "cyan"))
                    continue
                action = read(world, a, mask, answer, batch.record(i))
                if world.control_spaces or mask[action]:
                    return action
                batch.actions[i, a] = action
                raise batch.action_error(i, a, advice=False)
            except ActionError as error:
                self.console.print(Text(str(error), "red"))


def words_in(world: World, agent: int, answer: str) -> str | None:
    """The words in a typed "/say hello", or "say hello" where no action begins so; None for any other answer."""
    begin, _, words = answer.strip().partition(" ")
    acts = any(name.split(" ")[0] == "say" for name in world.action_names[agent])
    return words.strip() if begin == "/say" or (begin == "say" and not acts) else None


def read(world: World, agent: int, mask: np.ndarray, answer: str, record: Any = None) -> Any:
    """The action that a typed answer means: a key's, else as `reading.read`, else the only legal one of such a name.

    That is the only one that begins so, or else the only one that holds all words. Numbers are whole: "raise to 20" is
    no beginning of "raise to 200". It may be illegal if named in full.
    Controls (D,) are what a key or a name pushes fully, or as `reading.read`. The record is for notations of the world.

    Raises:
        ActionError: when no action, or more than one, is meant.
    """
    names, answer = world.action_names[agent], answer.strip()
    key = key_action(world, agent, answer)
    if world.control_spaces:
        pushed = names.index(answer) if answer in names else key
        own = reading.read(world, agent, answer, ()) if pushed is None else pushes(world, agent, pushed)
        return padded(world, own)
    if key is not None and answer not in names:
        return key
    legal = np.flatnonzero(mask).tolist()
    try:
        return reading.read(world, agent, answer, legal, record)
    except ActionError:
        numbers = set(_NUMBER.findall(answer))
        legal_ones = [name for name in legal_names(world, agent, mask) if numbers <= set(_NUMBER.findall(name))]
        near = matching(legal_ones, answer) if answer else []
        begin = [name for name in near if name.casefold().startswith(answer.casefold())]
        found = begin if len(begin) == 1 else near
        if len(found) != 1:
            raise
        return names.index(found[0])


def pushes(world: World, agent: int, k: int) -> np.ndarray:
    """The controls (D,) float32 in which number `k` has its largest value, and the others the one nearest to 0."""
    box = world.control_spaces[agent]
    found = np.clip(np.zeros_like(box.low), box.low, box.high)
    found[k] = box.high[k]
    return found


def has_keys(world: World, agent: int, mask: np.ndarray) -> bool:
    """Whether a legal action of this agent has a key."""
    return any(mask[action] for key in world.keys if (action := key_action(world, agent, key)) is not None)


class Keyboard:
    """Answers in single keys, from a terminal: what `Human` asks for in worlds whose actions have keys.

    The answer is the name of an action's key, or what another key stands for. After the tab key it is a typed line.

    Raises:
        ActionError: for a key that means nothing here.
    """

    def __init__(self, world: World, line: Callable[[str], str]):
        self.world, self.line, self._left = world, line, ""

    def __call__(self, prompt: str) -> str:
        key = self.press()
        if key == "tab":
            return self.line(prompt)
        if key in self.world.keys:
            return key
        if key in _COMMANDS:
            return _COMMANDS[key]
        raise ActionError(f"the key {key} has no action; keys with one: {', '.join(shorten(list(self.world.keys)))}")

    def press(self) -> str:
        """The name of the next key that is pressed."""
        import select
        import termios
        import tty

        stream = sys.stdin.fileno()
        before = termios.tcgetattr(stream)
        tty.setcbreak(stream, termios.TCSADRAIN)  # which keeps the keys that have been pressed already
        try:
            # A lone escape is the key itself, unless the rest of a sequence follows at once.
            while not self._left or (self._left[0] == "\x1b" and select.select([stream], [], [], 0.05)[0]):
                found = os.read(stream, 64)
                if not found:
                    raise EOFError
                self._left += found.decode(errors="replace")
        finally:
            termios.tcsetattr(stream, termios.TCSADRAIN, before)
        letters = re.match(r"\x1b[\[O][\d;]*[A-Za-z~]|.", self._left, re.DOTALL)[0]  # type: ignore[index]
        self._left = self._left[len(letters) :]
        return _NAMES.get(letters) or (letters if letters.isprintable() else repr(letters))


def keyboard(world: World, console: Console) -> Keyboard | None:
    """A keyboard for a world whose actions have keys, where there is a terminal whose keys can be read."""
    try:
        import termios  # noqa: F401, not on Windows
    except ImportError:
        return None
    if not (world.keys and console.is_terminal and sys.stdin.isatty()):
        return None
    return Keyboard(world, lambda prompt: console.input(Text(prompt, "bold cyan")))


def key_action(world: World, agent: int, key: str) -> int | None:
    """The action of a key, or None."""
    names = world.action_names[agent]
    meant = world.keys.get(key)
    return names.index(meant) if meant in names else None


def choices(world: World, agent: int, mask: np.ndarray) -> str:
    """The legal actions with their keys, the middle left out of many."""
    return ", ".join(named(world, shorten(legal_names(world, agent, mask))))


def named(world: World, names: Sequence[str]) -> list[str]:
    """Names of actions, with their keys."""
    keys = {name: key for key, name in world.keys.items()}
    return [f"{name} ({keys[name]})" if keys.get(name, name) != name else name for name in names]


def shorten(names: Sequence[str], most: int = 20) -> list[str]:
    """Names to show: all if they are few; else runs like "catch 0", "catch 1" ... in one, and the middle left out."""
    if len(names) <= most:
        return list(names)
    runs: list[list[str]] = []
    for name in names:
        before = runs[-1][-1] if runs else ""
        runs[-1].append(name) if _successor(before) == name else runs.append([name])
    shown = [part for run in runs for part in ([f"{run[0]} … {run[-1]}"] if len(run) > 3 else run)]
    if len(shown) <= most:
        return shown
    return [*shown[: most - 4], f"… {len(shown) - most + 1} more …", *shown[-3:]]


def _successor(name: str) -> str | None:
    found = re.fullmatch(r"(.*?)(\d+)", name)
    return f"{found[1]}{int(found[2]) + 1}" if found else None


def drawing(scene: Scene, console: Console, rows: int | None = None, theme: str = "light") -> Text:
    """A scene for a terminal, in colours if it has them; `rows` is the room that there is."""
    color = console.color_system is not None and not console.no_color
    drawn = terminal(scene, color, console.width, rows, theme)
    return Text.from_ansi(drawn, no_wrap=True, overflow="crop")
