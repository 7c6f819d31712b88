"""Shared by help desks whose customers make requests: the customer's talk, texts, prompts, and both screens.

The assistant describes each change and gets a yes before it makes it. The rules and the record are those of
`envsuite.kit.request_rules`. Observations have `requests`, one row each, and `at`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Dict, Discrete

from envsuite.core.errors import LevelError
from envsuite.core.page import Page, Pattern, When
from envsuite.core.ranges import fixed
from envsuite.core.tools import Tool, names_of
from envsuite.kit import desk
from envsuite.kit.request_rules import SECOND, SPLITS
from envsuite.render.scene import Label, Rect, Scene, wrap

#: The customer's manner, by persona.
MANNERS = (
    "Talk as you like.",
    "You state all at once, asked or not.",
    "You answer only what you are asked.",
)
#: The buttons on the customer's note, in the order of their places.
_BUTTONS = ("state: all", "second choice", "confirm", "refuse", "that is all")
#: What the customer says to give its answers; for a second choice it names that.
_ANSWERS = ("", "Yes, please do.", "No, please do not.", "That is all.", "Goodbye.")

TRANSFER_TOOL = Tool("transfer", "transfer", "Hand the call over to a person, which ends it.")


def closing_talk(*answers: Tool) -> tuple[Tool, ...]:
    """The words that deal with a request or end the call: what an assistant that is alone says too."""
    return (
        Tool("done", "inform: done", "Say that the request is carried out."),
        Tool("deny", "deny", "Say that the policy forbids what was asked for."),
        *answers,
        Tool("close", "close", "Say goodbye, which ends the call."),
    )


def assistant_talk(
    about: Sequence[str], prepared: str, changes: Sequence[Tool], facts: Sequence[str], closing: Sequence[Tool]
) -> tuple[Tool, ...]:
    """The assistant's words: what it can ask about, the changes that it can propose, what can stand against them."""
    return (
        Tool("ask", "ask: {about}", "Ask the customer about something.", {"about": about}),
        Tool("propose", "propose: {change}", f"Describe a change with {prepared}, and ask for a yes.",
             {"change": names_of(changes)}),
        Tool("inform", "inform: {fact}", "Say what stands against the request.", {"fact": facts}),
        *closing,
    )  # fmt: skip


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


def telling(propose: int, inform: int, done: int, first: int, confirm: int) -> frozenset[int]:
    """The numbers in the talk of words that tell something and do nothing else.

    Args:
        propose: the assistant's first proposal; its questions come before.
        inform: the first of its words about what stands against a request.
        done: the first word after these.
        first: the customer's first word, by its number in the talk.
        confirm: its first answer to a proposal, likewise.
    """
    return frozenset((*range(1, 1 + propose), *range(1 + inform, 1 + done), *range(first, confirm)))


def sentences(
    questions: Sequence[str], changes: Sequence[str], facts: Sequence[str], answers: Sequence[str] = ()
) -> tuple[str, ...]:
    """What the assistant says, by the number of its words."""
    proposals = (f"I would do this: {change}. Shall I?" for change in changes)
    closing = "That is done.", "I am not allowed to do that.", *answers, "Thank you for calling, goodbye."
    return *questions, *proposals, *facts, *closing


#: What policies say in free talk.
PHRASES = {
    "ask: request": (
        "What can I do for you?",
        "How can I help you?",
        "What is it about?",
        "Please tell me what you need.",
        "What would you like me to do?",
    ),
    "ask: {}": (
        "I need to know this from you: {0}.",
        "Could you tell me the {0}, please?",
        "What about the {0}?",
        "Please give me the {0}.",
        "One more question, about the {0}.",
    ),
    "propose: {}": (
        "I would do this: {0}. Shall I?",
        "This is what I would enter: {0}. Is that right?",
        "May I do this for you? {0}.",
        "Here is what would change: {0}. Do you agree?",
        "If you say yes, I will do this: {0}.",
    ),
    "inform: done": (
        "That is done.",
        "I have done that for you.",
        "All set.",
        "That went through.",
        "It is taken care of.",
    ),
    "inform: {}": (
        "I am sorry, but this stands against it: {0}.",
        "It does not work like that: {0}.",
        "There is a problem: {0}.",
        "I cannot do it so: {0}.",
        "Unfortunately: {0}.",
    ),
    "deny": (
        "I am not allowed to do that.",
        "I am sorry, our rules do not allow that.",
        "I have to say no to that.",
        "That is something I cannot do for you.",
        "Our policy does not permit it, sorry.",
    ),
    "close": (
        "Thank you for calling, goodbye.",
        "That was all from my side, goodbye.",
        "Have a good day. Goodbye.",
        "Thank you, and goodbye.",
        "I will close the call here. Goodbye.",
    ),
    "state: all": (
        "I will tell you all of it.",
        "Here is everything you need.",
        "Let me tell you all at once.",
        "This is all about me and what I want.",
        "Here are all the details.",
    ),
    "state: {}": (
        "You should know this: the {0}.",
        "I can give you the {0}.",
        "Here is the {0}.",
        "Let me tell you the {0}.",
        "About the {0}, I can say this.",
    ),
    "second choice": (
        "Then I would rather have something else.",
        "In that case I would like my second choice.",
        "Let me tell you what I would take instead.",
        "I have another idea then.",
        "There is something else that I would take.",
    ),
    "confirm": ("Yes, please do.", "Yes, go ahead.", "That is right, please do it.", "I agree.", "Yes, that is fine."),
    "refuse": ("No, please do not.", "No, that is not what I want.", "Please do not do that.", "No.", "Not like that."),
    "that is all": (
        "That is all.",
        "I need nothing else.",
        "That was everything, thank you.",
        "Nothing more from me.",
        "That is all I wanted.",
    ),
    "hang up": (
        "Goodbye.",
        "Thank you, goodbye.",
        "I have to go. Goodbye.",
        "Thanks for your time. Bye.",
        "I will hang up now. Goodbye.",
    ),
}

#: What the action `say` does.
SAYS = "pass the turn; by itself it tells nothing and agrees to nothing"

#: Parameters of which the players of a desk are not told.
UNSAID = {"split": "which calls are drawn", "difficulty": "which calls are drawn"}


def customer_page(place: str, second: str) -> Page:
    """The page of a customer that calls `place`; it turns to a second choice if `second`."""
    return Page(
        role=f"You are the customer, and you call {place}. You have no tools: you talk.",
        goal=(
            "When the call has ended, you and the assistant get 1 point each if everything is exactly as your requests "
            "and the assistant's policy demand, and if it has denied what the policy forbids. Otherwise you get 0.",
        ),
        rules=(
            "{note} {manner}",
            (
                "The call starts with your turn. What you say passes the turn to the assistant, which may use its "
                "tools and then says something. You go through your requests in their order: the next one is the "
                "subject when the assistant has said that one is done or that it denies it. What you state is about "
                "the present request.",
                "Before the assistant changes something, it proposes the change and needs your yes. Say yes only to a "
                f"change that is exactly what you want. If {second}, or where your note says so, state your second "
                "choice. Say that this is all when each request was dealt with.",
            ),
        ),
        sees="You do not see what the assistant does with its tools.",
        acts={
            "state: {ABOUT}": "tell your user data or a part of your request",
            "state: all": "tell who you are and all about the present request",
            "second choice": "say what you want instead",
            ("confirm", "refuse"): "answer a proposal with yes or no",
            "that is all": "say that you want nothing else",
            "say": When("says", SAYS),
            "hang up": "end the call",
        },
        ends=LIMITS,
        unsaid=UNSAID,
        constants={"1": "the reward", "0": "the reward of a call that fails"},
    )


#: What ends a call.
LIMITS = (
    "The call is lost after {max_steps:step} or {max_errors:error}. Each tool that is used and each thing that is said "
    "is a step; a tool that fails changes nothing and is an error."
)


def assistant_page(
    place: str, works: str, policy: Sequence[str], lookups: Mapping[Pattern, str], changes: Mapping[Pattern, str],
    talk: Mapping[Pattern, str], answers: Mapping[Pattern, str], constants: Mapping[str, str],
    unsaid: Mapping[str, str],
) -> Page:  # fmt: skip
    """The page of the assistant of a desk.

    Args:
        place: the desk, with its article.
        works: the second half of a sentence "If at the end ...": when the call has succeeded.
        policy: the rules that it must keep to.
        lookups: what tools do that change nothing.
        changes: what the others do.
        talk: what it can say to this desk's customer beside `assistant_talk`.
        answers: other words that deal with a request.
        constants: numbers in these texts.
        unsaid: other parameters that the page does not tell.
    """
    return Page(
        role=f"You are the assistant of {place}.",
        goal=(
            "A call that succeeds pays",
            When("talks", "you and the customer 1 point each,", "1 point,"),
            f"any other 0. It succeeds if at the end {works}.",
        ),
        rules=(
            When(
                "talks",
                "The customer calls with up to {requests:request} and speaks first. In your turn you use up to "
                "{budget:tool}, one at a time; what you say passes the turn.",
                "A customer has up to {requests:request}, which are stated to you one after the other. It agrees to "
                "what it asked for. Nobody else speaks.",
            ),
            ("Policy, a breach of which loses the call:", *policy),
        ),
        acts={
            **lookups,
            **changes,
            ("ask: {ABOUT}", "propose: {CHANGE}"): When("talks", "ask for it, or for a yes to this change"),
            **{names: When("talks", text) for names, text in talk.items()},
            ("inform: done", "deny"): "say that the present request is carried out, or forbidden; on to the next",
            **answers,
            "say": When("says", SAYS),
            ("close", "transfer"): "end the call, or hand it over, which ends it too",
        },
        ends=LIMITS,
        unsaid={**UNSAID, **unsaid},
        constants={"1": "the reward", "0": "the reward of a call that fails", **constants},
    )  # fmt: skip


class RequestDesk(desk.Desk):
    """The words and the picture of such a desk; a subclass says what is in a request and on the desk's screen."""

    customers = ("easy", "hard", "reluctant")
    abilities = {"questions": "asks"}

    #: The module with the desk's numbers and tables, and that with `level_of`, `read_level` and `plan_length`.
    terms: ClassVar[Any]
    levels: ClassVar[Any]
    #: The module with the words and pictures of the desk: SAYS, which is what the assistant says by number, and the
    #: functions that are called here.
    view: ClassVar[Any]
    #: What the customer says of itself by number, and to want no second choice.
    introductions: ClassVar[Mapping[int, str]]
    nothing_else: ClassVar[str]
    #: The desk, with its article, and the title of its screen.
    place: ClassVar[str]
    screen: ClassVar[str]
    #: On the note, the size of letters and the height of a line.
    note_letters: ClassVar[tuple[float, float]]

    def define_desk(
        self, fields: Callable[[int, int], list[tuple]], shared: Mapping[str, Any], own: Mapping[str, Any],
        mode: str, split: str, difficulty: int, limits: tuple[int, int, int], say: bool, **more: Any,
    ) -> None:  # fmt: skip
        """Define such a world.

        Args:
            fields: the record for a number of agents and the largest number in their talk.
            shared: the parts of an observation that both sides see, without those of `talk_spaces`.
            own: the parts that only the assistant sees, without the plan.
            limits: the parameters `budget`, `max_steps` and `max_errors`.
            say: whether both sides have the word `say`, if there are two.
            more: parameters of this desk.
        """
        terms, solo = self.terms, mode == "solo"
        agents = ["assistant"] if solo else ["assistant", "customer"]
        alone, both = (*terms.DESK_TABLE, *terms.CLOSING), (*terms.DESK_TABLE, *terms.ASSISTANT_TALK)
        last = (desk.SAY,) if say and not solo else ()
        self.tools = (alone,) if solo else ((*both, *last), (*terms.CUSTOMER_TALK, *last))
        self.neutral = desk.SAY.name if last else ""
        words = desk.number_of_words(terms.WORDS, bool(last))
        shared = {**shared, **desk.talk_spaces(0 if solo else words, *limits)}
        tools = terms.TOOLS if mode == "oracle_plan" else 0
        plan = desk.box([0] * terms.PLAN_LENGTH, [tools] * terms.PLAN_LENGTH, np.int16)
        observation = {
            "assistant": Dict({**shared, **own, "plan": plan, **({"persona": Discrete(1)} if solo else {})}),
            "customer": Dict({**shared, "persona": Discrete(len(desk.PERSONAS))}),
        }
        self.define(
            agents=agents,
            actions={agent: names_of(tools) for agent, tools in zip(agents, self.tools)},
            observation=observation,
            fields=fields(len(agents), words),
            params={
                "mode": fixed(desk.MODES.index(mode)),
                "split": SPLITS.index(split),
                "difficulty": difficulty,
                **more,
                **desk.call_params(*limits),
            },
            reward_range=(0.0, 1.0),
        )

    # A level is a task.

    def tasks(self) -> list[dict[str, Any]] | None:
        return None

    def groups_of(self, level: Mapping[str, Any]) -> dict[str, list[str]]:
        asked = level["requests"]
        return {
            "intent": sorted({request["intent"] for request in asked}),
            "caveat": sorted({request.get("caveat", self.terms.CAVEATS[0]) for request in asked}),
            "persona": [level["persona"]],
            "plan length": [self.levels.plan_length(level)],
            "requests": [str(len(asked))],
        }

    def get_level(self, s: Any) -> dict[str, Any]:
        return self.levels.level_of(s)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        self.levels.read_level(self, s, level)

    # Words.

    def utterance(self, s: Any, k: int) -> str:
        if self._speaker(s, k) == desk.ASSISTANT:
            return self.view.SAYS[s.talk[k] - 1]
        answer = int(s.talk[k]) - self.customer_speech - self.terms.SECOND
        request, second = divmod(int(s.topic[k]), 2)
        if answer < SECOND:
            return self._statement(s, answer + self.terms.SECOND, request, second)
        if answer == SECOND:
            has = request < s.requests and 0 < s.caveat[request] < self.terms.FORBIDDEN
            return f"I would rather have this: {self.view.second_line(self, s, request)}." if has else self.nothing_else
        return _ANSWERS[answer]

    def forget(self, s: Any) -> None:
        """Remove what was stated of requests; what the assistant's tools need stays: who calls, a stated address."""
        known = [about in self.introductions for about in range(s.told.shape[1])]
        s.told[:] = s.told * np.array(known)
        s.second_told[:] = 0

    def _statement(self, s: Any, speech: int, request: int, second: int) -> str:
        """The customer's words about itself or about a request."""
        said = [words for about, words in self.introductions.items() if self._states(speech, about)]
        if request < s.requests:
            said += self.view.details(self, s, speech, request, second)
        words = "; ".join(said) or "I have nothing to say about that"
        return words[0].upper() + words[1:] + "."

    def _states(self, speech: int, about: int) -> bool:
        """Whether the customer states this, or all."""
        return speech in (self.terms.STATE_ALL, self.terms.STATE + about)

    def result(self, s: Any) -> str:
        return self.view.result(self, s)

    def text(self, s: Any, agent: int) -> str:
        role = "the customer" if agent == desk.CUSTOMER else f"the assistant of {self.place}"
        lines = [f"You are {role}.", *self._requests(s, agent)]
        if agent == desk.CUSTOMER:
            lines.append(MANNERS[s.persona])
        if s.params.mode != desk.SOLO:
            lines += self.talk_lines(s, agent)
        if agent == desk.ASSISTANT:
            lines += [f"The desk's screen. {line}" for line in self.view.screen_lines(self, self.observation(s, agent))]
            lines += self._plan_lines(s)
        lines.append(self._turn(s, agent))
        return "\n".join(lines)

    def _requests(self, s: Any, agent: int) -> list[str]:
        """The requests as an agent knows them."""
        seen = self.observation(s, agent)
        lines = []
        for k, row in enumerate(seen.requests):
            if row[0] == 0:
                continue
            said = self.view.request_line(self, seen, k)
            if row[-1] == 2:
                said += "; if that cannot be: " + self.view.second_line(self, s, k)
            elif row[-1] == 3:
                said += "; when this is proposed, you change your mind: " + self.view.second_line(self, s, k)
            now = " (now)" if seen.at == k else ""
            lines.append(f"Request {k + 1}{now}: {said}.")
        return lines or ["No request was stated yet."]

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        customer = agent == desk.CUSTOMER
        return {
            "talks": s.params.mode != desk.SOLO,
            "says": self.neutral,
            "requests": self.terms.REQUESTS,
            "note": " ".join(self._requests(s, agent)).replace(" (now)", "") if customer else "",
            "manner": MANNERS[s.persona] if customer else "",
        }

    def reply(self, s: Any, agent: int) -> str:
        planned = agent == desk.ASSISTANT and s.turn == agent and not s.calls[0]
        return "\n".join([*(self._plan_lines(s) if planned else ()), self._turn(s, agent)])

    def _turn(self, s: Any, agent: int) -> str:
        """The last call, what stands, and the state of the call."""
        lines = [super().reply(s, agent)]
        if s.params.mode == desk.SOLO and not s.terminated[0]:
            lines.insert(0, "\n".join(self._requests(s, agent)[-1:]))
        if s.offer and not (s.terminated[0] or s.truncated[0]):
            lines.insert(0, f"Proposed: {self.view.proposal_line(self, s)}.")
        return "\n".join(lines)

    def _plan_lines(self, s: Any) -> list[str]:
        if s.params.mode != desk.ORACLE_PLAN:
            return []
        plan = [self.tool_names[tool] for tool in s.gold[: s.gold_length]]
        return ["Changes that carry out all requests: " + (", then ".join(plan) or "none") + "."]

    # The picture: a note, what was said, and the desk's screen.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """Everything; for an agent, its own side as it has seen it, and what the other side has said."""
        scene = Scene(16.4 if agent == desk.CUSTOMER else 24, 14.4)
        self._draw_note(scene, s, agent)
        self.draw_talk(scene, s, agent, self.place, f"requests dealt with: {int(s.at)}")
        if agent != desk.CUSTOMER:
            left, width = 16.4, 7.1
            scene.add(Rect(left, 0.5, width, 13.4, "wall", radius=0.3))
            scene.add(Rect(left + 0.2, 0.7, width - 0.4, 13.0, "paper", radius=0.2))
            scene.add(Label(left + 0.55, 1.25, self.screen, 0.5, align="left", bold=True))
            self.view.draw_desk(self, scene, s, agent)
            broken = [name for k, name in enumerate(self.terms.VIOLATIONS) if int(s.violations) >> k & 1]
            bad = agent is None and bool(broken)
            foot = broken[0] if bad else f"{s.errors} of {s.params.max_errors} errors"
            scene.add(Label(left + 0.55, 13.3, foot, 0.38, "bad" if bad else "muted", "left", width=width - 1.1))
        return scene

    def _draw_note(self, scene: Scene, s: Any, agent: int | None) -> None:
        """What the customer wants: all of it, or as far as the assistant knows it."""
        viewer = agent if agent is not None else min(desk.CUSTOMER, len(self.agents) - 1)
        scene.add(Rect(0.5, 0.5, 6.3, 13.4, "wall", radius=0.3), Rect(0.7, 0.7, 5.9, 13.0, "paper", radius=0.2))
        title = "what was stated" if viewer == desk.ASSISTANT else "the customer's note"
        scene.add(Label(1.0, 1.25, title, 0.46, align="left", bold=True))
        y, (size, tall) = 1.95, self.note_letters
        for line in self._requests(s, viewer):
            rows = desk.shortened(wrap(line.removesuffix("."), 5.2, size), 6)
            scene.add(Rect(0.9, y - 0.28, 5.5, tall * len(rows) + 0.22, "gold@0.25" if "(now)" in line else "panel",
                           radius=0.15))  # fmt: skip
            for n, words in enumerate(rows):
                scene.add(Label(1.05, y + tall * n, words, size, align="left"))
            y += tall * len(rows) + 0.42
        if viewer == desk.CUSTOMER:
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
        return self.action_names[desk.CUSTOMER].index(_BUTTONS[k]) if inside and 0 <= k < len(_BUTTONS) else None


class LevelReader:
    """Reads the parts of a level, and names what is wrong with it."""

    def __init__(self, world: desk.Desk):
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

    def demand_sound(self, sound: bool) -> None:
        """Refuse a level whose gold plan cannot be carried out."""
        if not sound:
            raise self.error("the requests of this level cannot be dealt with as their caveats say")

    def items(self, part: Any, key: str, least: int, most: int, where: str) -> Sequence[Any]:
        """A list of some length."""
        value = self.of(part, key, where)
        if not isinstance(value, (list, tuple)) or not least <= len(value) <= most:
            many = f"{least}" if least == most else f"{least} to {most}"
            raise self.error(f"{where}: {key} must be a list of {many}")
        return value
