"""What a model is asked at its turn, how its answer becomes an action, and what it remembers."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from envsuite import reading
from envsuite.core.batch import Batch
from envsuite.core.digits import whole
from envsuite.core.errors import ActionError, ParameterError
from envsuite.core.parameters import to_json
from envsuite.core.tools import parse_call, schemas
from envsuite.core.world import World
from envsuite.interfaces.text import legal_names
from envsuite.models import languages, treatments
from envsuite.models.client import SPEAK, Answer, Message, Request
from envsuite.models.speaking import Floor, speak
from envsuite.reading import lists
from envsuite.reading.answers import CutOffError, last_object, plain
from envsuite.reading.phrases import shorten, words_of
from envsuite.talk.table import WARNING, Talk

#: What a protocol can be.
MEMORY, ACTIONS = ("chat", "prompt"), ("names", "numbers", "tools")

#: The kinds of answers that cannot be used.
KINDS = ("unparsable", "illegal", "refused", "cut off")


@dataclass(frozen=True)
class Protocol:
    """How models are asked.

    Attributes:
        memory: "chat": one conversation for each agent and episode; "prompt": each turn is a prompt that is complete in
            itself and repeats the last turns in short.
        actions: "names": the answer ends with ``Action: name``; "numbers": with ``Action: 3``, the number before a name
            in the question's list, which has nothing to do with numbers in names; "tools": it calls a function.
        turns: how many of the agent's last turns are repeated; all in a conversation and 5 in a prompt by default.
        image: the longest side in pixels of a picture of the agent's own view that goes with each question; 0 for no
            picture. Earlier turns are repeated without theirs.
        retries: how often an answer that cannot be used is returned with the reason.
        otherwise: what then happens: a policy of the world acts, by its name, or "forfeit" ends the episode.
        skip_forced: whether an agent with one legal action takes it without being asked; its next question says so.
        batch_orders: whether one answer may give several decisions in worlds with a form for them, such as all orders
            of a power in Diplomacy; those that cannot be used are asked for again.
        talk: how agents talk with each other: a `Talk`, or what `Talk.of` reads: "free", "beside:when=before,rounds=2".
        treatments: the names of the world's treatments, or of the general ones: "goal:own", "goal:group",
            "framing:neutral", and "persona:FILE", which gives each agent a line of a file.
        personas: these lines, or others of the user's: a text after the rules for each agent.
        shots: the number of example episodes of the best policy before the first question; see `envsuite.models.shots`.
        language: the language of thoughts and words, by its code or its English name: "de", "Catalan"; "" leaves it
            open. Names of actions stay as they are.
    """

    memory: str = "chat"
    actions: str = "names"
    turns: int | None = None
    image: int = 0
    retries: int = 1
    otherwise: str = "random"
    skip_forced: bool = True
    batch_orders: bool = False
    talk: Any = Talk()
    treatments: Sequence[str] = ()
    personas: Sequence[str] = ()
    shots: int = 0
    language: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.talk, str):
            object.__setattr__(self, "talk", Talk.of(self.talk))
        object.__setattr__(self, "treatments", tuple(self.treatments))
        object.__setattr__(self, "personas", tuple(self.personas) or treatments.personas(self.treatments))
        object.__setattr__(self, "language", languages.named(self.language))
        treatments.demand_distinct(self.treatments)
        for name, value, known in (("memory", self.memory, MEMORY), ("actions", self.actions, ACTIONS)):
            if value not in known:
                raise ParameterError(f"{name}={value!r} must be one of {', '.join(known)}")
        if self.batch_orders and self.actions != "names":
            raise ParameterError(f"batch_orders=True needs actions='names', not {self.actions!r}")
        for name, number, most in (
            ("turns", self.turns, 10**6),
            ("retries", self.retries, 10),
            ("image", self.image, 4096),
            ("shots", self.shots, 100),
        ):
            if number is not None and not 0 <= number <= most:
                raise ParameterError(f"{name}={number!r} must be from 0 to {most:,}")

    def plain(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return to_json(asdict(self))

    def demand(self, world: World) -> None:
        """Raise `ParameterError` if agents of a world cannot talk so, or it is not the world of the treatments."""
        self.talk.demand(world)
        treatments.demand_treated(world, self.treatments, self.personas)

    @property
    def repeated(self) -> int | None:
        """The number of turns that are repeated, None for all."""
        return 5 if self.turns is None and self.memory == "prompt" else self.turns


class AnswerError(ActionError):
    """An answer cannot be used; `kind` is one of `KINDS`."""

    def __init__(self, kind: str, text: str):
        super().__init__(text)
        self.kind = kind


def read(world: World, agent: int, mask: np.ndarray, answer: Answer, actions: str, record: Any = None) -> Any:
    """The legal action, or the controls, that an answer means; `AnswerError` with words for the model.

    Whatever goes wrong in reading costs this answer alone.
    """
    if answer.refusal or answer.finish == "content_filter":
        raise AnswerError("refused", "you must choose an action")
    try:
        action = _meant(world, agent, mask, answer, actions, record)
    except CutOffError as error:
        raise AnswerError("cut off", str(error)) from None
    except ActionError as error:
        raise AnswerError("unparsable", str(error)) from None
    except Exception as problem:  # of a notation that a world of the user's reads
        raise AnswerError("unparsable", f"it cannot be read: {problem!r}") from None
    if not world.control_spaces and not mask[action]:
        raise AnswerError("illegal", f"{world.action_names[agent][action]!r} is not legal now")
    return action


def _meant(world: World, agent: int, mask: np.ndarray, answer: Answer, actions: str, record: Any) -> Any:
    whole = answer.finish != "length"
    if actions == "tools":
        if not whole:
            raise CutOffError("it was cut off before it ended")
        return parse_call(world, agent, _call(answer))
    if actions == "numbers" and not world.control_spaces:
        return reading.first_read(answer.text, lambda part: _listed(world, agent, part.text), whole)
    return reading.read(world, agent, answer.text, np.flatnonzero(mask).tolist(), record, whole)


def _call(answer: Answer) -> dict[str, Any]:
    """The first function that an answer calls; some models write the call as text."""
    if answer.calls:
        return {"name": answer.calls[0].name, "arguments": answer.calls[0].arguments}
    written = last_object(plain(answer.text))
    if written is None or "name" not in written:
        raise ActionError("no function was called")
    return written


def _listed(world: World, agent: int, text: str) -> int:
    """The action with the number that a text gives, as questions list them; `ActionError` for any other text."""
    words = words_of(text)
    number = whole(words[0]) if len(words) == 1 else None
    if number is None or number >= len(world.action_names[agent]):
        raise ActionError(f"{shorten(text)} is not the number of an action")
    return number


@lru_cache(4096)
def _tools(world: World, agent: int, mask: bytes) -> tuple[list[dict[str, Any]], str]:
    """The functions of an agent for a mask, and their digest."""
    made = schemas(world, agent, np.frombuffer(mask, np.int8))
    return made, _digest(made)


def _digest(data: Any, before: str = "") -> str:
    return hashlib.blake2b(f"{before}{json.dumps(data)}".encode(), digest_size=16).hexdigest()


class Conversation:
    """What one agent has been asked and has answered in one episode.

    Args:
        batch: whose episode has started.
        agent: the agent's number.
        protocol: how it is asked.
        i: the number of the record in the batch.
        shots: the example episodes that stand before the first question; see `envsuite.models.shots`.
    """

    def __init__(self, batch: Batch, agent: int, protocol: Protocol, i: int = 0, shots: Sequence[Message] = ()):
        self.batch, self.agent, self.protocol, self.i = batch, agent, protocol, i
        self.record = batch.record(i)  # a view, which shows each new state
        self.rules = self._introduction()
        self._shots = shots
        self._turns: list[list[Message]] = []  # of a prompt, each turn is one text
        self._now: list[Message] = []
        self._new: list[Message] = [*self._shots]  # since the last request
        self._digest = _digest(protocol.repeated, self.rules)
        self._note, self._form = "", _form(batch.world, agent, protocol.actions)
        self._heard: list[str] = []  # since the last question, or the last turn where each prompt is complete
        self._told_at = -1  # the transitions before what a round of talk has told last
        self.question = ""
        self._asked = 0  # its turns so far, a clock that it knows; how many transitions there were it may not know

    def _introduction(self) -> str:
        """What the agent reads first: the world's page for players, and what the protocol adds."""
        world, protocol = self.batch.world, self.protocol
        added = treatments.told(world, self.agent, protocol.treatments, protocol.personas)
        last = [f"You are {world.agents[self.agent]}."]
        if protocol.talk and protocol.talk.warning:
            last.append(WARNING)
        if protocol.language:
            last.append(languages.asked(protocol.language, bool(protocol.talk)))
        return "\n\n".join([world.prompt(self.record, self.agent), *added, " ".join(last)])

    def ask(self, floor: Floor | None = None) -> Request:
        """The question of a new turn; with a floor, the agent may also speak."""
        world, mask = self.batch.world, self.batch.masks[self.i, self.agent]
        by_functions = self.protocol.actions == "tools"
        if floor is not None and floor.reads:
            mask = mask.copy()
            mask[list(floor.speech)] = 0
        self._asked += 1
        self._begin(f"Turn {self._asked}.", None if self._knows else self._reply())
        self._tools: tuple[list[dict[str, Any]] | None, str] = (None, "")
        if not mask.any() and not world.control_spaces:
            pass  # all that the agent can do is to speak
        elif by_functions:
            self._tools = _tools(world, self.agent, mask.tobytes())
        else:
            self.question = f"{self.question}\n\n{_legal(world, self.agent, mask.tobytes(), self.protocol.actions)}"
            if form := self.batch_form():
                self.question = f"{self.question}\n\n{form}"
        if floor is not None and by_functions:
            listed = [*(self._tools[0] or []), speak(floor)]
            self._tools = listed, _digest(listed)
        self._heard = []
        return self._put(floor)

    def confer(self, floor: Floor) -> Request:
        """The question of a round of talk, which asks for words alone."""
        self._begin(f"Talk, round {floor.round}.", None if self._knows else self._seen_now())
        self._told_at = self._moment
        listed = [speak(floor)] if self.protocol.actions == "tools" else None
        self._tools = listed, _digest(listed) if listed else ""
        if self.protocol.memory == "chat":
            self._heard = []
        return self._put(floor)

    def reading(self, floor: Floor, said: str) -> Request:
        """What another model is asked that finds the act in what this agent says."""
        world, name = self.batch.world, self.batch.world.agents[self.agent]
        assert floor.neutral is not None
        names = lists.listed([world.action_names[self.agent][action] for action in floor.speech])
        text = (
            f'{name} plays a game with others and says: "{said}"\n\nWhich of these actions does {name} take by these '
            f"words? {names}\n\nIf it is none of the others, it is {floor.neutral[1]}."
        )
        form = 'Think first, if you like; end with a line "Action: " and the name of one action.'
        messages: list[Message] = [{"role": "system", "content": form}, {"role": "user", "content": text}]
        return Request(messages, None, "names", _digest(messages), self.batch, self.agent, reads=True)

    @property
    def _knows(self) -> bool:
        """Whether a round of talk has told the present state already, in a conversation that keeps it."""
        return self.protocol.repeated is None and self._told_at == self._moment

    def _begin(self, head: str, news: str | None) -> None:
        """Begin a question: what to tell beforehand, its head, what was heard, and what the world tells now, if new."""
        heard = ["You hear:", *self._heard] if self._heard else []
        self._told = "\n".join([head, *heard, *([] if news is None else [news])])
        self.question = f"{self._note}\n\n{self._told}" if self._note else self._told
        self._note = ""

    def _put(self, floor: Floor | None) -> Request:
        """Ask the question; with a floor, it ends with what the agent may say."""
        self._floor = floor
        if floor is not None:
            self.question = f"{self.question}\n\n{floor.told(self.protocol.actions == 'tools')}"
        if self.protocol.memory == "prompt":
            self._now = []
        self._place = len(self._now)
        self._add({"role": "user", "content": self.question})
        return self._request()

    @property
    def _moment(self) -> int:
        return int(self.batch.records["t"][self.i])

    def again(self, answer: Answer, problem: str) -> Request:
        """The same question once more, after an answer that cannot be used for this reason."""
        self._answered(answer, f"That cannot be used: {problem}. Answer again. {self._form}")
        return self._request()

    def hear(self, line: str) -> None:
        """Somebody has said this; the next question tells it."""
        self._heard.append(line)

    def note(self, told: str) -> None:
        """The next question begins with this."""
        self._note = f"{self._note}\n\n{told}" if self._note else told

    def batch_form(self) -> str:
        """How one answer may give several decisions now; "" where it may not."""
        return self.batch.world.batch_form(self._known, self.agent) if self.protocol.batch_orders else ""

    @property
    def _known(self) -> Any:
        """The record as the agent may know it: without acts of speech if it hears words in their place."""
        return self.protocol.talk.known(self.batch.world, self.record)

    def _reply(self) -> str:
        """What the world tells the agent now."""
        return self.batch.world.reply(self._known, self.agent)

    def _seen_now(self) -> str:
        """What the world tells the agent now, whether it acts or not."""
        acts = self.batch.acting[self.i, self.agent]
        return self._reply() if acts else self.batch.world.text(self._known, self.agent)

    def conferred(self, answer: Answer, said: str) -> None:
        """The end of a round of talk: the answer, and the words that others hear."""
        self._answered(answer, "")
        if self.protocol.memory == "prompt" and said:
            self._heard.append(f'You: "{said}"')

    def done(self, answer: Answer | None, action: str, problem: str | None, said: str = "") -> None:
        """The end of the turn: the last answer, the action that was taken, what was wrong with it, what was said."""
        if answer is not None and problem is None:
            self._answered(answer, f"Done: {action}." if answer.calls else "")
        elif answer is not None:
            self._answered(answer, f"That cannot be used: {problem}." if answer.calls else "")
            self._note = f"Your answer could not be used: {problem}. Instead, this was done for you: {action}."
        if self.protocol.memory == "prompt":
            own = f'\nYou said: "{said}"' if said else ""
            self._now = [{"role": "user", "content": f"{self._told}{own}\nYour action: {action}"}]
        self._turns.append(self._now)
        self._now = []
        keep = self.protocol.repeated
        if keep is not None:
            del self._turns[: max(0, len(self._turns) - keep)]

    def forced(self, action: str) -> None:
        """The agent's only legal action is taken without a question; the next one tells it."""
        world, told = self.batch.world, f"You had to take your only action: {action}."
        if type(world).reply is not World.reply:  # which tells what has happened since the last turn
            told = f"{self._reply()}\n{told}"
        self.note(told)

    def past(self) -> list[Any]:
        """What later questions of a prompt depend on, as plain data for `resume`."""
        return [self._asked, self._note, [turn[0]["content"] for turn in self._turns]]

    def resume(self, past: Sequence[Any]) -> None:
        """Continue after the turns that `past` gave."""
        self._asked, self._note, told = past
        self._turns = [[{"role": "user", "content": text}] for text in told]

    def whole(self) -> tuple[list[Message], list[int]]:
        """All messages that are kept, and for each turn the place of its last answer."""
        messages: list[Message] = [{"role": "system", "content": f"{self.rules}\n\n{self._form}"}, *self._shots]
        places = []
        for turn in self._turns:
            last = max(k for k, message in enumerate(turn) if message["role"] == "assistant")
            places.append(len(messages) + last)
            messages += turn
        return messages, places

    def _answered(self, answer: Answer, reply: str) -> None:
        """Add an answer, and the reply to it: one for each call, as the protocol demands."""
        self._add(answer.message)
        acts = [call for call in answer.calls if call.name != SPEAK] or answer.calls
        for call in answer.calls:
            spoken = call.name == SPEAK and self.protocol.talk
            words = "Said." if spoken else reply if call is acts[0] else "Only one call counts each turn."
            self._add({"role": "tool", "tool_call_id": call.id, "content": words})
        if reply and not answer.calls:
            self._add({"role": "user", "content": reply})

    def _add(self, message: Message) -> None:
        self._now.append(message)
        self._new.append(message)

    def _request(self) -> Request:
        messages = [{"role": "system", "content": f"{self.rules}\n\n{self._form}"}, *self._shots]
        if self.protocol.memory == "prompt":
            past = "\n\n".join(turn[0]["content"] for turn in self._turns)
            first = f"Your last turns:\n\n{past}\n\nNow:\n\n{self.question}" if past else self.question
            place = len(messages)
            messages += [{"role": "user", "content": first}, *self._now[1:]]
        else:
            messages += (one for turn in self._turns for one in turn)
            place = len(messages) + self._place
            messages += self._now
        if self.protocol.image:
            messages[place] = {"role": "user", "content": self._seen(messages[place]["content"])}
        self._digest = _digest([self._tools[1], self._new], self._digest)
        self._new = []
        speaks, acts = self._floor is not None, self._floor is None or not self._floor.round
        tools, actions = self._tools[0], self.protocol.actions
        return Request(messages, tools, actions, self._digest, self.batch, self.agent, speaks, acts)

    def _seen(self, text: str) -> list[dict[str, Any]]:
        """A question with the picture of the agent's own view."""
        url = picture(self.batch.world, self._known, self.agent, self.protocol.image)
        return [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}]


@lru_cache(4096)
def _legal(world: World, agent: int, packed: bytes, actions: str) -> str:
    """The legal actions or the controls in a question, for the bytes of a mask."""
    mask = np.frombuffer(packed, np.int8)
    if actions == "names" or world.control_spaces:
        return asked(world, agent, mask)[0]
    names = world.action_names[agent]
    return f"Your legal actions: {'; '.join(f'{k}: {names[k]}' for k in np.flatnonzero(mask).tolist())}"


@lru_cache(4096)
def _form(world: World, agent: int, actions: str) -> str:
    """The form of the answer, which a conversation begins with."""
    if actions == "tools":
        return "Call one function each turn."
    if actions == "names" or world.control_spaces:
        return asked(world, agent, np.zeros(world.num_actions, np.int8))[1]
    return 'Think first, if you like; end with a line "Action: " and the number that stands before one legal action.'


def asked(world: World, agent: int, mask: np.ndarray) -> tuple[str, str]:
    """The end of a question: the legal actions or the controls, and the form of the answer."""
    if not world.control_spaces:
        numbers = ", with numbers or words in the place of capitals" if world.num_actions > lists.FEW else ""
        return (
            f"Your legal actions: {world.legal_in_words(agent, mask) or lists.listed(legal_names(world, agent, mask))}",
            f'Think first, if you like; end with a line "Action: " and the name of one legal action{numbers}.',
        )
    box = world.control_spaces[agent]
    ranges = zip(world.action_names[agent], box.low, box.high)
    return (
        f"Your controls: {'; '.join(f'{name} from {low:g} to {high:g}' for name, low, high in ranges)}",
        'Think first, if you like; end with a line "Action: name=number, name=number"; those left out are 0.',
    )


def picture(world: World, record: Any, agent: int, size: int) -> str:
    """What an agent sees as a data URL of a PNG whose longest side is about `size` pixels at most."""
    from PIL import Image

    from envsuite.render.frames import draw
    from envsuite.render.scene import shown

    image = Image.fromarray(draw(shown(world, record, agent), size))
    file = io.BytesIO()
    image.save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
