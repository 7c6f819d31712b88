"""A person at the keyboard of a terminal, as a policy of any world.

Before each move the person sees what the agent may see, as a drawing and in words, and the legal actions. An action is
typed by its name, its key, its number, or by so much of its name that only one legal action has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from envsuite.core.batch import Batch
from envsuite.core.errors import ActionError, EnvsuiteError, ParameterError
from envsuite.core.policy import Policy
from envsuite.core.world import World
from envsuite.interfaces.text import legal_names, parse_action, rules
from envsuite.render.panel import matching
from envsuite.render.scene import Scene
from envsuite.render.terminal import terminal

HELP = 'Type an action (its name, number or key); "?" lists all legal ones, "rules" shows the rules, "quit" leaves.'


class LeftError(EnvsuiteError):
    """The person has left the game."""


class Human(Policy):
    """Asks a person for every action.

    Args:
        ask: takes a prompt and gives a line that was typed, as `input` does; by default it asks on the console.
        console: where all is shown; the terminal by default.

    Raises:
        LeftError: by `act_in`, when the person leaves: with "quit", at the end of the input, or with an interrupt.
    """

    name = "human"

    def __init__(self, ask: Callable[[str], str] | None = None, console: Console | None = None):
        self.console = console or Console()
        self.ask = ask or (lambda prompt: self.console.input(Text(prompt, "bold cyan")))

    def act(self, observation: Any, mask: np.ndarray, agent: int = 0) -> int:
        """Refused: a person is shown the world's picture and text."""
        raise ParameterError("a person reads the world's text: ask by act_in(batch, agents)")

    def act_in(self, batch: Batch, agents: Sequence[int], where: np.ndarray | None = None) -> np.ndarray:
        acts = batch.acting[:, agents] != 0
        actions = np.zeros(acts.shape, np.int64)
        for i, k in zip(*np.nonzero(acts if where is None else acts & where)):
            a = int(agents[k])
            self.console.print()
            self.console.print(drawing(batch.world.scene(batch.record(i), a), self.console))
            self.console.print(Text(batch.world.text(batch.record(i), a)))
            actions[i, k] = self.choose(batch, int(i), a)
        return actions

    def choose(self, batch: Batch, i: int, a: int) -> int:
        """A legal action of agent number `a` in world `i`, asked for until there is one."""
        world, mask = batch.world, batch.masks[i, a]
        self.console.print(Text(f"Legal: {choices(world, a, mask)}", "dim"))
        while True:
            try:
                answer = self.ask(f"{world.agents[a]}> ").strip()
            except (EOFError, KeyboardInterrupt):
                self.console.print()
                answer = "quit"
            if answer == "quit":
                raise LeftError(f"{world.id}: {world.agents[a]} has left the game")
            if answer == "rules":
                from rich.markdown import Markdown

                self.console.print(Markdown(rules(world)))
                continue
            if answer == "?":
                self.console.print(Text(f"{HELP}\n{', '.join(named(world, legal_names(world, a, mask)))}", "dim"))
                continue
            try:
                action = read(world, a, mask, answer)
                if mask[action]:
                    return action
                batch.actions[i, a] = action
                raise batch.action_error(i, a, advice=False)
            except ActionError as error:
                self.console.print(Text(str(error), "red"))


def read(world: World, agent: int, mask: np.ndarray, answer: str) -> int:
    """The action that a typed answer means: a key's, else as `parse_action`, else the only legal one of such a name.

    That is the only one that begins so, or else the only one that holds all words. It may be illegal if named in full.

    Raises:
        ActionError: when no action, or more than one, is meant.
    """
    names, answer = world.action_names[agent], answer.strip()
    key = key_action(world, agent, answer)
    if key is not None and answer not in names:
        return key
    legal = np.flatnonzero(mask).tolist()
    try:
        return parse_action(names, answer, legal, world.synonyms)
    except ActionError:
        near = matching(legal_names(world, agent, mask), answer) if answer else []
        begin = [name for name in near if name.casefold().startswith(answer.casefold())]
        found = begin if len(begin) == 1 else near
        if len(found) != 1:
            raise
        return names.index(found[0])


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
