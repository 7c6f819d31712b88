"""Councils: the texts and pictures of worlds in which players around a table propose, talk and vote.

`Council` draws the table: a seat for each player with what is known of it, its claim and its vote, arrows for what was
said, and at the right a track, the talk and what has happened. A world's view says what stands in each place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any, ClassVar

from envsuite.kit import deduction
from envsuite.kit.deduction import CENTER, SIZE, Act, Talkers, draw_arrow, draw_panel, draw_table, seat_at, target_of
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, text_width
from envsuite.render.theme import agent_color, text_on


@dataclass(frozen=True)
class Seat:
    """What the picture shows at a player's seat.

    Attributes:
        name, color: what is known of the player, and the color of these words.
        claim: the role that it claims, or "".
        vote: its vote in a word, or "".
        marks: short words for its part in the proposal, each with a color.
        out: whether it has left the game.
    """

    name: str = "?"
    color: str = "grey"
    claim: str = ""
    vote: str = ""
    marks: Sequence[tuple[str, str]] = ()
    out: bool = False


class Council(Talkers):
    """The talk and the view of a world of proposals and votes."""

    #: The name of the world in the picture, all acts, and those that arrows show, with their colors.
    title: ClassVar[str]
    acts: ClassVar[Sequence[Act]]
    arrows: ClassVar[Mapping[int, str]]
    #: The module that says what an agent, or None for spectators, sees in each place of the picture. `moment`: what
    #: happens now, a line or two for the middle of the table. `seat`: a `Seat`. `past`: what has happened, as a player,
    #: words and their color. `track` draws the state of play at the top right, from (13, 0.45) to (19.5, 4).
    view: ClassVar[Any]

    # Words.

    def talk_times(self, s: Any) -> Collection[str]:
        """All talk before a vote."""
        return ("public", "private") if s.phase == self.view.VOTE else ()

    def sentence(self, message: Sequence[int]) -> str:
        """An utterance in words."""
        speaker, act, target = (int(entry) for entry in message)
        return f"player_{speaker} {(self.acts[act].said or '').format(f'player_{target}')}."

    def messages(self, s: Any) -> list[tuple[int, str]]:
        return [(int(message[0]), self.sentence(message)) for message in s.messages[: s.said]]

    def said(self, s: Any) -> list[str]:
        """The last talk in lines."""
        head = "Said in this talk:" if s.speaker >= 0 else "Said in the last talk:"
        return [head, *(f"- {words}" for _, words in self.messages(s))] if s.said else []

    def ask(self, s: Any, agent: int) -> str:
        """Whether the agent is to act, or for whom it waits."""
        if self.legal_actions(s, agent):  # type: ignore[attr-defined]
            return "You speak." if s.speaker == agent else "It is your turn."
        return f"player_{s.speaker} speaks." if s.speaker >= 0 else "You wait."

    # The picture.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene, players = Scene(*SIZE), len(self.agents)
        scene.add(Label(0.6, 0.85, self.title, 0.75, bold=True, align="left"))
        draw_table(scene, night=False)
        places = [seat_at(a, players) for a in range(players)]
        size = min(1.0, 10 / players)
        last = {int(m[0]): (int(m[1]), int(m[2])) for m in s.messages[: s.said] if int(m[1]) in self.arrows}
        for speaker, (act, target) in last.items():
            scene.add(*draw_arrow(places[speaker], places[target], self.arrows[act], size))
        self._draw_center(scene, self.view.moment(self, s))
        for a in range(players):
            self._draw_seat(scene, a, places[a], self.view.seat(self, s, a, agent), s.speaker == a, a == agent)
        self.view.track(self, scene, s, agent)
        talk = [(int(m[0]), self.sentence(m).partition(" ")[2], "ink") for m in s.messages[: s.said]]
        draw_panel(scene, 4.2, 4.1, "talk", talk)
        draw_panel(scene, 8.5, 4.45, "so far", self.view.past(self, s, agent))
        return scene

    def _draw_center(self, scene: Scene, lines: list[str]) -> None:
        x, y = CENTER
        sizes = [min(0.5, 0.5 * 5.6 / (1.12 * text_width(line, 0.5))) for line in lines]
        wide = max(1.12 * text_width(line, size) for line, size in zip(lines, sizes)) + 0.5
        tall = 0.7 * len(lines) + 0.2
        scene.add(Rect(x - wide / 2, y - tall / 2, wide, tall, "felt", radius=0.3))
        for k, line in enumerate(lines):
            scene.add(Label(x, y + 0.7 * (k - (len(lines) - 1) / 2), line, sizes[k], "white", bold=k == 0))

    def _draw_seat(self, scene: Scene, a: int, place: tuple[float, float], seat: Seat, speaks: bool, own: bool) -> None:
        (x, y), radius = place, 0.58
        if speaks:
            scene.add(Circle(x, y, radius + 0.2, "highlight", glyph=""))
        scene.add(Circle(x + 0.03, y + 0.06, radius, "shadow@0.2", glyph=""))
        scene.add(Circle(x, y, radius, "line" if seat.out else agent_color(a), "ink" if own else "white", 0.08))
        if seat.out:
            for sign in (-1, 1):
                scene.add(Line([(x - 0.4, y - sign * 0.4), (x + 0.4, y + sign * 0.4)], "bad@0.45", 0.1))
        scene.add(Label(x, y, str(a), 0.62, "ink" if seat.out else text_on(agent_color(a)), bold=True))
        _draw_tag(scene, x, y + radius + 0.3, seat.name, seat.color)
        tags = [*seat.marks, *[(f"“{seat.claim}”", "paper")] * bool(seat.claim)]
        for k, (word, color) in enumerate(tags):
            _draw_tag(scene, x, y - radius - 0.26 - 0.48 * k, word, color)
        if seat.vote:
            _draw_tag(scene, x + radius + 0.3, y - 0.35, seat.vote, "good" if seat.vote == "yes" else "bad")

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        """On a seat: what the phase is for, against the player that sits there."""
        players, plain = len(self.agents), deduction.count_plain(self.acts)
        for a in range(players):
            place = seat_at(a, players)
            if hypot(x - place[0], y - place[1]) <= 0.75:
                for action in self.legal_actions(s, agent):  # type: ignore[attr-defined]
                    if target_of(action, plain, players) == a:
                        return int(action)
        return None


def _draw_tag(scene: Scene, x: float, y: float, words: str, color: str) -> None:
    """Words on a rounded ground around a point."""
    wide = 1.12 * text_width(words, 0.36) + 0.3
    scene.add(Rect(x - wide / 2, y - 0.22, wide, 0.44, color, radius=0.22))
    scene.add(Label(x, y, words, 0.36, "ink" if color == "paper" else text_on(color), bold=color != "paper"))
