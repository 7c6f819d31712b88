"""One seat for a person, the others for policies, in a window or a terminal; and shows, in which policies play all.

A person sees what the seat's agent may know: its text, its rewards, and moves of others only where all see them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from envsuite.agents import Policy
from envsuite.agents.human import HELP, Human, LeftError, drawing, key_action, read, shorten
from envsuite.core.batch import STEP, Batch
from envsuite.core.errors import ActionError
from envsuite.core.world import World
from envsuite.interfaces.aec import AEC
from envsuite.interfaces.vector import choose
from envsuite.render.scene import Scene
from envsuite.render.theme import agent_color
from envsuite.render.window import Click, Event, Key, Quit, Window
from envsuite.render.window import Text as Typed

#: Seconds that a position stays in the window before a policy moves.
PAUSE = 0.4

#: Seconds that the last picture of a show stays.
HOLD = 3.0


def numbers(agents: Sequence[str], values: np.ndarray) -> str:
    """Values by agent, as one line."""
    return ", ".join(f"{agent} {value:g}" for agent, value in zip(agents, np.round(values, 6)))


class Match:
    """A person against policies, through the AEC interface.

    Attributes:
        env: the environment.
        seat: the number of the person's agent.
        reward: what the person got since the last own move.
        returns: (A,) rewards of the episode so far.
        moved: whether the world has just changed, and not only an agent chosen.
        news: moves of the others since the person's last one, where they are seen by all.
    """

    def __init__(self, world: World, seat: int, others: Mapping[int, Policy], seed: int):
        """Start the first episode; `others` are the policies of the other agents by number."""
        self.env, self.world, self.seat, self.others, self.seed = AEC(world), world, seat, others, seed
        self.agent = world.agents[seat]
        self.start()

    def start(self) -> None:
        """Begin a new episode; each has a seed of its own."""
        self.env.reset(seed=self.seed)
        for policy in {id(policy): policy for policy in self.others.values()}.values():
            policy.reset(self.seed, 1)
        self.seed = (self.seed + 1) % 2**64
        self.reward, self.returns = 0.0, np.zeros(len(self.world.agents))
        self.news: list[str] = []
        self.moved = True

    @property
    def over(self) -> bool:
        """Whether the episode is over for all."""
        return bool(self.env.batch.over()[0])

    @property
    def mine(self) -> bool:
        """Whether the person is to choose."""
        acts = self.env.batch.acting[0, self.seat] != 0
        return not self.over and bool(acts) and self.env.agent_selection == self.agent

    def other(self) -> None:
        """The move of the policy whose turn it is."""
        batch, name = self.env.batch, self.env.agent_selection
        a = self.env.number(name)
        if not batch.acting[0, a]:  # out: it leaves
            self._step(None)
            return
        action = int(self.others[a].act_in(batch, [a])[0, 0])
        if self.world.information == "perfect" and self.world.turns == "sequential":
            self.news.append(f"{name}: {self.world.action_names[a][action]}")
        self._step(action)

    def move(self, action: int) -> None:
        """The person's move; `ActionError` with nothing changed if it is illegal."""
        reward, self.reward = self.reward, 0.0
        try:
            self._step(action)
        except ActionError:
            self.reward = reward
            raise
        self.news.clear()

    def _step(self, action: int | None) -> None:
        batch = self.env.batch
        before = int(batch.records["t"][0])
        self.env.step(action)
        self.moved = int(batch.records["t"][0]) != before
        if self.moved:
            self.returns += batch.rewards[0]
            self.reward += float(batch.rewards[0, self.seat])

    def read(self, answer: str) -> int:
        """The action that a written answer means; see `envsuite.agents.human.read`."""
        return read(self.world, self.seat, self.env.batch.masks[0, self.seat], answer)

    def key(self, name: str) -> int | None:
        """The action of a key, or None."""
        return key_action(self.world, self.seat, name)

    def lettered(self) -> bool:
        """Whether some legal action has a key that writes something."""
        legal = self.env.action_mask(self.agent)
        written = [self.key(key) for key in self.world.keys if len(key) == 1 or key == "space"]
        return any(legal[action] for action in written if action is not None)

    def scene(self) -> Scene:
        """The picture for the person."""
        return self.world.scene(self.env.batch.record(), None if self.over else self.seat)

    def text(self) -> str:
        """What the person's agent knows."""
        return self.env.text(self.agent)

    def turn(self) -> str:
        """Whose turn it is."""
        batch = self.env.batch
        if self.over:
            return "The episode is over."
        if self.mine:
            return f"Your move, {self.agent}."
        if batch.terminations[0, self.seat] or batch.truncations[0, self.seat]:
            return f"{self.agent} is out; the others play on."
        return f"{self.env.agent_selection} is to move."

    def gains(self) -> str:
        """What the person got; at the end, what all got."""
        if self.over:
            return f"Returns: {numbers(self.world.agents, self.returns)}"
        return f"Reward {self.reward:g}, return {self.returns[self.seat]:g}"


def play_in_terminal(match: Match, console: Console) -> None:
    """Play one episode by typing; "quit" or the end of the input leaves."""
    console.print(HELP, style="dim")
    person = Human(console=console)
    while True:
        while not (match.over or match.mine):
            match.other()
        console.print()
        console.print(drawing(match.scene(), console))
        console.print(Text(match.text()))
        for line in match.news:
            console.print(Text(line, "cyan"))
        console.print(Text(f"{match.turn()} {match.gains()}", "bold"))
        if match.over:
            return
        try:
            match.move(person.choose(match.env.batch, 0, match.seat))
        except LeftError:
            console.print("Goodbye.")
            return


def play_in_window(match: Match, window: Window) -> None:
    """Play with keys, the mouse and typed actions until the person closes the window."""
    typing, error = False, ""
    while True:
        if not (match.over or match.mine or match.moved):  # others who choose at the same time
            match.other()
            continue
        others = not (match.over or match.mine)
        # A text box swallows letters, so it waits for a tab where letters are keys.
        box = not match.over and (typing or match.mine and not match.lettered())
        _show_match(match, window, box, error)
        for event in window.events(PAUSE if others else 1.0):
            if isinstance(event, Quit) or event == Key("escape") and (match.over or not typing):
                return
            if match.over:
                if event in (Key("return"), Key("enter")):
                    match.start()
                    error = ""
                    break
            elif event in (Key("tab"), Key("escape")):
                typing = event == Key("tab")
            elif match.mine:
                try:
                    action = _action(match, event)
                    if action is not None:
                        match.move(action)
                        error = ""
                        break
                except ActionError as problem:
                    error = str(problem)
        else:
            if others:
                match.other()


def _action(match: Match, event: Event) -> int | None:
    """What the person wants to do."""
    if isinstance(event, Typed):
        return match.read(event.text)
    if isinstance(event, Key):
        return match.key(event.name)
    if isinstance(event, Click):
        action = match.world.click(match.env.batch.record(), match.seat, event.x, event.y)
        return None if action is None else int(action)
    return None


def _show_match(match: Match, window: Window, box: bool, error: str) -> None:
    lines: list[Any] = [match.gains(), *((line, "muted") for line in match.news[-6:])]
    if match.over:
        lines.append(("Enter plays again, Esc leaves.", "muted"))
    elif not box:
        keys = f"Keys: {', '.join(_keys(match))}. " if match.mine else ""
        lines.append((f"{keys}Tab opens a text box, Esc leaves.", "muted"))
    window.show(
        match.scene(),
        lines,
        prompt="an action" if box else "",
        title=match.world.id,
        turn=match.turn(),
        turn_color=agent_color(match.seat) if match.mine else "muted",
        text=match.text(),
        actions=match.env.action_names(match.agent, legal=True) if match.mine else (),
        error="" if match.over else error,
    )


def _keys(match: Match) -> list[str]:
    names = match.world.action_names[match.seat]
    return shorten([f"{key}: {name}" for key, name in match.world.keys.items() if name in names])


class Show:
    """Episodes played by policies, one transition at a time; iterating stops after each reset and transition.

    Attributes:
        episode, t: which episode, from 0, and its transitions so far.
        returns: one (A,) per episode, the running one last.
        chosen: what each agent did in the last transition, or "".
        cut: whether an episode was left at the limit of steps.
    """

    def __init__(
        self, world: World, seats: Mapping[int, Policy], seed: int, episodes: int = 1, steps: int | None = None
    ):
        """`seats` are the policies of all agents by number; an episode has at most `steps` transitions."""
        self.world, self.seats, self.seed, self.episodes, self.steps = world, seats, seed, episodes, steps
        self.batch = Batch(world, 1)
        self.episode = self.t = 0
        self.returns: list[np.ndarray] = []
        self.cut = False

    def __iter__(self) -> Iterator[Show]:
        """Play; this object itself is what comes each time."""
        batch = self.batch
        for k in range(self.episodes):
            self.episode = k
            batch.seed([self.seed + self.episode])
            batch.reset()
            for policy in {id(policy): policy for policy in self.seats.values()}.values():
                policy.reset(self.seed + self.episode, 1)
            self.t, self.chosen = 0, [""] * len(self.world.agents)
            self.returns.append(np.zeros(len(self.world.agents)))
            yield self
            while not batch.over()[0]:
                if self.t == self.steps:
                    self.cut = True
                    break
                choose(batch, self.seats)
                acts, actions = batch.acting[0] != 0, batch.actions[0]
                self.chosen = [names[k] if a else "" for names, k, a in zip(self.world.action_names, actions, acts)]
                batch.commands[:] = STEP
                batch.run()
                self.t += 1
                self.returns[-1] += batch.rewards[0]
                yield self

    def scene(self) -> Scene:
        """The picture of now."""
        return self.world.scene(self.batch.record())

    def status(self) -> str:
        """Episode and time."""
        return f"Episode {self.episode + 1} of {self.episodes}, t = {self.t}" if self.episodes > 1 else f"t = {self.t}"

    def lines(self) -> list[tuple[str, str]]:
        """Each agent's return and last action, and its colour."""
        rows = zip(self.world.agents, np.round(self.returns[-1], 6), self.chosen)
        return [(f"{agent}  {value:g}  {action}", agent_color(a)) for a, (agent, value, action) in enumerate(rows)]


def show_in_window(show: Show, window: Window, fps: float) -> None:
    """Show it, until its end or until the person closes the window; space halts it, and then "right" goes on by one."""
    halted = False

    def stays(seconds: float) -> bool:
        """Keep the picture for so long; whether to go on."""
        nonlocal halted
        end = time.monotonic() + seconds
        while halted or time.monotonic() < end:
            for event in window.events(0.5 if halted else max(0.001, end - time.monotonic())):
                if isinstance(event, Quit) or event == Key("escape"):
                    return False
                if event == Key("space"):
                    halted = not halted
                elif event == Key("right"):
                    return True
        return True

    for _ in show:
        lines = [*show.lines(), ("", "ink"), ("Space halts, right goes on by one, Esc leaves.", "muted")]
        window.show(show.scene(), lines, title=show.world.id, turn=show.status())
        if not stays(1 / fps):
            return
    stays(HOLD)


def show_in_terminal(show: Show, console: Console, fps: float) -> None:
    """Show it in place; where the output is no terminal, one picture after the other."""
    with Live(console=console, auto_refresh=False) if console.is_terminal else nullcontext() as live:
        for _ in show:
            lines = [Text(line) for line, _ in show.lines()]
            picture = Group(drawing(show.scene(), console), Text(show.status(), "bold"), *lines)
            if live is None:
                console.print(picture)
            else:
                live.update(picture, refresh=True)
                time.sleep(1 / fps)
