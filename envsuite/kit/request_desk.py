"""What help desks share whose customer has some requests: the customer's talk, texts, prompts, and both screens.

The assistant describes each change and gets a yes before it makes it. The record has, beside the fields of
`envsuite.kit.desk`, `persona`, `offer` (a change that was described, 0 for none), `at` (the request that the call is
about), and `gold`. Observations have `requests`, one row each, and `at`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.tools import Tool
from envsuite.kit.desk import ASSISTANT, CUSTOMER, ORACLE_PLAN, SOLO, Desk, shortened
from envsuite.render.scene import Label, Rect, Scene, wrap

#: The customer's manner, by persona.
MANNERS = (
    "Talk as you like.",
    "You state all at once, asked or not.",
    "You answer only what you are asked.",
)
#: The buttons on the customer's note, in the order of their places.
_BUTTONS = ("state: all", "second choice", "confirm", "refuse", "that is all")


def customer_talk(about: Sequence[str]) -> tuple[Tool, ...]:
    """The customer's words, where `about` names what it can state."""
    return (
        Tool("state", "state: {about}", "Say what you want or who you are; or all of it.", {"about": (*about, "all")}),
        Tool("second_choice", "second choice", "Say what you want instead."),
        Tool("confirm", "confirm", "Say yes to the change that was described."),
        Tool("refuse", "refuse", "Say no to it."),
        Tool("that_is_all", "that is all", "Say that you want nothing else."),
        Tool("hang_up", "hang up", "End the call."),
    )


class RequestDesk(Desk):
    """The words and the picture of such a desk; a subclass says what is in a request and on the desk's screen."""

    #: The desk, with its article.
    place: ClassVar[str]
    #: The rules for the assistant, and the first words of both sides' prompts.
    policy: ClassVar[tuple[str, ...]]
    assistant_prompt: ClassVar[str]
    customer_prompt: ClassVar[str]
    #: On the note, the size of letters and the height of a line.
    note_letters: ClassVar[tuple[float, float]]

    def tasks(self) -> list[dict[str, Any]] | None:
        return None

    # What a desk says of itself.

    def _request(self, seen: Any, k: int) -> str:
        """A request in words, as far as an observation has it."""
        raise NotImplementedError

    def _second(self, s: Any, k: int) -> str:
        """The second choice of a request, in words."""
        raise NotImplementedError

    def _screen(self, seen: Any) -> list[str]:
        """What the assistant has read at the desk."""
        raise NotImplementedError

    def _proposal(self, s: Any) -> str:
        """The change that was described last, in words."""
        raise NotImplementedError

    def _draw_desk(self, scene: Scene, s: Any, agent: int | None) -> None:
        """The desk's screen; spectators see more."""
        raise NotImplementedError

    # Words.

    def text(self, s: Any, agent: int) -> str:
        role = "the customer" if agent == CUSTOMER else f"the assistant of {self.place}"
        lines = [f"You are {role}.", *self._requests(s, agent)]
        if agent == CUSTOMER:
            lines.append(MANNERS[s.persona])
        if s.params.mode != SOLO:
            lines += self.talk_lines(s, agent)
        if agent == ASSISTANT:
            lines += [f"The desk's screen. {line}" for line in self._screen(self.observation(s, agent))]
            lines += self._plan_lines(s)
            lines.append(f"Policy: {' '.join(self.policy)}")
        lines.append(self.reply(s, agent))
        return "\n".join(lines)

    def _requests(self, s: Any, agent: int) -> list[str]:
        """The requests as an agent knows them."""
        seen = self.observation(s, agent)
        lines = []
        for k, row in enumerate(seen.requests):
            if row[0] == 0:
                continue
            said = self._request(seen, k)
            if row[-1] == 2:
                said += "; if that cannot be: " + self._second(s, k)
            elif row[-1] == 3:
                said += "; when this is proposed, you change your mind: " + self._second(s, k)
            now = " (now)" if seen.at == k else ""
            lines.append(f"Request {k + 1}{now}: {said}.")
        return lines or ["No request was stated yet."]

    def prompt(self, s: Any, agent: int) -> str:
        if agent == CUSTOMER:
            note = "\n".join([f"You are the customer and call {self.place}.", *self._requests(s, agent)])
            return "\n\n".join((note, MANNERS[s.persona], self.customer_prompt, self.limits(s)))
        rules = "\n- ".join(["Policy. A breach loses the call, whatever else is done.", *self.policy])
        role = self.assistant_prompt
        if s.params.mode == SOLO:
            role += " You are alone: each request is stated to you, and the customer agrees to what it asks for."
        return "\n\n".join((role, rules, *self._plan_lines(s), self.limits(s)))

    def reply(self, s: Any, agent: int) -> str:
        lines = [super().reply(s, agent)]
        if s.params.mode == SOLO and not s.terminated[0]:
            lines.insert(0, "\n".join(self._requests(s, agent)[-1:]))
        if s.offer and not (s.terminated[0] or s.truncated[0]):
            lines.insert(0, f"Proposed: {self._proposal(s)}.")
        return "\n".join(lines)

    def _plan_lines(self, s: Any) -> list[str]:
        if s.params.mode != ORACLE_PLAN:
            return []
        plan = [self.tool_names[tool] for tool in s.gold[: s.gold_length]]
        return ["Changes that carry out all requests: " + (", then ".join(plan) or "none") + "."]

    # The picture: a note, what was said, and the desk's screen.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """Everything; for an agent, its own side as it has seen it, and what the other side has said."""
        scene = Scene(16.4 if agent == CUSTOMER else 24, 14.4)
        self._draw_note(scene, s, agent)
        self.draw_talk(scene, s, agent, self.place, f"requests dealt with: {int(s.at)}")
        if agent != CUSTOMER:
            self._draw_desk(scene, s, agent)
        return scene

    def _draw_note(self, scene: Scene, s: Any, agent: int | None) -> None:
        """What the customer wants: all of it, or as far as the assistant knows it."""
        viewer = agent if agent is not None else min(CUSTOMER, len(self.agents) - 1)
        scene.add(Rect(0.5, 0.5, 6.3, 13.4, "wall", radius=0.3), Rect(0.7, 0.7, 5.9, 13.0, "paper", radius=0.2))
        title = "what was stated" if viewer == ASSISTANT else "the customer's note"
        scene.add(Label(1.0, 1.25, title, 0.46, align="left", bold=True))
        y, (size, tall) = 1.95, self.note_letters
        for line in self._requests(s, viewer):
            rows = shortened(wrap(line.removesuffix("."), 5.2, size), 6)
            scene.add(Rect(0.9, y - 0.28, 5.5, tall * len(rows) + 0.22, "gold@0.25" if "(now)" in line else "panel",
                           radius=0.15))  # fmt: skip
            for n, words in enumerate(rows):
                scene.add(Label(1.05, y + tall * n, words, size, align="left"))
            y += tall * len(rows) + 0.42
        if viewer == CUSTOMER:
            for n, words in enumerate(wrap(MANNERS[s.persona], 5.4, 0.36)):
                scene.add(Label(1.0, 10.9 + 0.45 * n, words, 0.36, "muted", "left"))
            for k, name in enumerate(_BUTTONS):
                x, top = 0.9 + 1.87 * (k % 3), 12.0 + 0.8 * (k // 3)
                scene.add(Rect(x, top, 1.77, 0.7, "blue@0.25", radius=0.15))
                scene.add(Label(x + 0.88, top + 0.35, name.removeprefix("state: "), 0.32, width=1.7))

    def click_on_note(self, x: float, y: float) -> int | None:
        """The customer's answer by a button of its note."""
        k = 3 * int((y - 12.0) // 0.8) + int((x - 0.9) // 1.87)
        inside = 0.9 <= x < 6.5 and y >= 12.0
        return self.action_names[CUSTOMER].index(_BUTTONS[k]) if inside and 0 <= k < len(_BUTTONS) else None


@kernel
def weight(s, intent, caveat, together, possible):
    """The weight with which a walk goes from its last request to another one, 0 to one that it has visited."""
    if not possible[intent, caveat]:
        return 0
    for request in range(s.requests):
        if s.intent[request] == intent and s.caveat[request] == caveat:
            return 0
    return 1 if s.requests == 0 else together[s.intent[s.requests - 1], intent]


@large_kernel
def walk(s, challenge, more, together, possible, last):
    """Walk through kinds of requests until the sum of their challenges reaches the difficulty; False at a dead end.

    A kind is an intent with a caveat. All are as likely to be the first; the next is drawn by the weights of the edges
    from the last. A walk that has all requests that a call may have, or the intent `last`, before it reaches the
    difficulty is at a dead end.

    Args:
        s: the record, with `requests`, `intent` and `caveat` to fill, and the parameter `difficulty`.
        challenge: (intents,), the challenge of each intent.
        more: (caveats,), what each caveat adds to it.
        together: (intents, intents), how often two intents come up in one call.
        possible: (intents, caveats), whether an intent can have a caveat.
        last: the intent after which there is no other.
    """
    s.requests = 0
    reached = 0
    while reached < s.params.difficulty:
        if s.requests == s.intent.shape[0] or (s.requests > 0 and s.intent[s.requests - 1] == last):
            return False
        total = 0
        for intent in range(challenge.shape[0]):
            for caveat in range(more.shape[0]):
                total += weight(s, intent, caveat, together, possible)
        left = random.randint(s, total)
        chosen = -1
        for intent in range(challenge.shape[0]):
            for caveat in range(more.shape[0]):
                if chosen < 0:
                    left -= weight(s, intent, caveat, together, possible)
                    if left < 0:
                        chosen = intent * more.shape[0] + caveat
        s.intent[s.requests] = chosen // more.shape[0]
        s.caveat[s.requests] = chosen % more.shape[0]
        s.requests += 1
        reached += challenge[chosen // more.shape[0]] + more[chosen % more.shape[0]]
    return True


class LevelReader:
    """Reads the parts of a level, and names what is wrong with it."""

    def __init__(self, world: Desk):
        self.world = world

    def error(self, words: str) -> LevelError:
        return LevelError(f"{self.world.id}: {words}")

    def of(self, part: Any, key: str, where: str) -> Any:
        """An entry of a mapping."""
        if not isinstance(part, Mapping):
            raise self.error(f"{where} must be a mapping, not {part!r:.60}")
        if key not in part:
            raise self.error(f"{where} lacks {key!r}")
        return part[key]

    def name(self, part: Any, key: str, names: Sequence[str], where: str) -> int:
        """The number of a name in a list."""
        value = self.of(part, key, where)
        if value not in names:
            raise self.error(f"{where}: {key} {value!r:.60} must be one of {', '.join(names)}")
        return names.index(value)

    def number(self, part: Any, key: str, most: int, where: str) -> int:
        """An integer from 1, as a number from 0."""
        value = self.of(part, key, where)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            raise self.error(f"{where}: {key} {value!r:.60} must be an integer from 1 to {most}")
        return value - 1

    def flag(self, part: Any, key: str, where: str) -> bool:
        """True or false."""
        value = self.of(part, key, where)
        if not isinstance(value, bool):
            raise self.error(f"{where}: {key} {value!r:.60} must be true or false")
        return value

    def cents(self, part: Any, key: str, where: str) -> int:
        """An amount of money below $1,000."""
        value = self.of(part, key, where)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1000:
            raise self.error(f"{where}: {key} {value!r:.60} must be an amount below 1000")
        if abs(value * 100 - round(value * 100)) > 1e-6:
            raise self.error(f"{where}: {key} {value!r} must be whole cents")
        return round(value * 100)

    def items(self, part: Any, key: str, least: int, most: int, where: str) -> Sequence[Any]:
        """A list of some length."""
        value = self.of(part, key, where)
        if not isinstance(value, (list, tuple)) or not least <= len(value) <= most:
            many = f"{least}" if least == most else f"{least} to {most}"
            raise self.error(f"{where}: {key} must be a list of {many}")
        return value
