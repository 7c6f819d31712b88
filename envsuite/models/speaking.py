"""How a model is told that it may speak, and the words in its answer, which are taken out before its action is read."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.page import listed
from envsuite.core.world import World
from envsuite.models.client import SPEAK, Answer
from envsuite.reading import lists
from envsuite.reading.answers import last_object, parts, spoken
from envsuite.talk.table import Talk
from envsuite.talk.words import clean

_SAYS = re.compile(r"[ \t*_>#`+-]*say[ \t*_`]*[:\uff1a][ \t*_`]*(?P<words>.*?)[ \t*_`]*$", re.IGNORECASE)
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}

#: What stands for silence.
_SILENCE = ("", "nothing", "(nothing)", "nothing.", "-", "...", "silence", "(silence)", "none")


class Floor(NamedTuple):
    """What an agent may say now.

    Attributes:
        talk: how agents talk.
        words: how many words it has.
        hearers: who hears it, in words.
        addressed: whether it is heard by those alone to whom the action speaks, and not by all of them.
        acts: which actions words go with, where they do not go with all, in a sentence.
        neutral: the number of the action that says nothing by itself, and its name, if it is legal.
    """

    talk: Talk
    words: int
    hearers: str
    addressed: bool
    acts: str
    neutral: tuple[int, str] | None

    def told(self, by_functions: bool) -> str:
        """How a question says so."""
        how = (
            f"call the function {SPEAK} too, with your words" if by_functions else 'write a line "Say: " and your words'
        )
        told = [f"You can speak to {self.hearers}: {how}, at most {self.words}."]
        if self.addressed:
            told.append("Only those hear you to whom your action speaks.")
        if self.acts:
            told.append(self.acts)
        if self.talk.mode == "free":
            told.append("Others hear these words alone.")
            told.append("Your action tells the game what you mean by them; others see only its effects.")
        if self.neutral is not None:
            told.append(f"If you give words and no action, your action is {self.neutral[1]}.")
        return " ".join(told)


def floor(batch: Batch, agent: int, talk: Talk, spent: int, i: int = 0) -> Floor | None:
    """What an agent may say now, if it has said `spent` words before; None if it may not speak."""
    left = min(talk.words, talk.total - spent)
    if not talk or left <= 0:
        return None
    world, names = batch.world, batch.world.action_names[agent]
    if talk.when == "turn":
        return Floor(talk, left, "all", False, "", None)
    legal = np.flatnonzero(batch.masks[i, agent]).tolist()
    heard = {action: hearers(world, batch.record(i), agent, action, talk) for action in legal}
    acts = [action for action, by in heard.items() if by is not None]
    if not acts:
        return None
    neutral = next(((action, names[action]) for action in acts if names[action] == world.neutral), None)
    whom = sorted({a for action in acts for a in heard[action] or ()})
    addressed = len({heard[action] for action in acts}) > 1
    every = not addressed and len(whom) == len(world.agents) - 1 > 1
    told = "all" if every else listed([world.agents[a] for a in whom]) or "nobody"
    silent = [action for action in legal if action not in acts]
    return Floor(talk, left, told, addressed, _going(names, acts, silent), neutral)


def _going(names: Sequence[str], acts: Sequence[int], silent: Sequence[int]) -> str:
    """Which actions words go with, by the shorter one of two lists."""
    if not silent:
        return ""
    few = len(silent) < len(acts)
    told = lists.listed([names[action] for action in (silent if few else acts)])
    return f"Words go with all actions but these: {told}." if few else f"Words go with these actions alone: {told}."


def hearers(world: World, record: Any, agent: int, action: int, talk: Talk) -> tuple[int, ...] | None:
    """Who hears the words that an agent says with an action; None if it cannot say any."""
    if talk.when == "turn":
        return tuple(a for a in range(len(world.agents)) if a != agent)
    to = world.speech(record, agent, action)
    return None if to is None else tuple(sorted(int(a) for a in to if a != agent))


def speak(words: int) -> dict[str, Any]:
    """The function by which a model speaks, as endpoints take it."""
    text = {"type": "string", "description": f"at most {words} words"}
    parameters = {"type": "object", "properties": {"text": text}, "required": ["text"], "additionalProperties": False}
    told = {"name": SPEAK, "description": "Say this with your action, which another function chooses."}
    return {"type": "function", "function": {**told, "parameters": parameters}}


def said(answer: Answer) -> tuple[str, Answer]:
    """What an answer says to others, clean, "" for nothing; and the answer without it."""
    told = [_argument(call.arguments) for call in answer.calls if call.name == SPEAK]
    calls = tuple(call for call in answer.calls if call.name != SPEAK)
    text = spoken(answer.text) or ""
    found = last_object(text)
    if found is not None and isinstance(found.get("say"), str):
        told.append(found["say"])
    lines = [(_SAYS.match(line), line) for line in text.splitlines()]
    if any(match for match, _ in lines):
        told += [match["words"] for match, _ in lines if match]
        answer = replace(answer, text="\n".join(line for match, line in lines if not match))
    words = " ".join(filter(None, map(_bare, told)))
    return words, replace(answer, calls=calls) if calls != answer.calls else answer


def _argument(arguments: str) -> str:
    try:
        found = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return ""
    text = found.get("text") if isinstance(found, dict) else None
    return text if isinstance(text, str) else ""


def _bare(words: str) -> str:
    """Clean words without the quotation marks around them, "" for what stands for silence."""
    words = clean(words)
    if len(words) > 1 and _QUOTES.get(words[0]) == words[-1]:
        words = words[1:-1].strip()
    return "" if words.lower() in _SILENCE else words


def acts(answer: Answer) -> bool:
    """Whether an answer without its words names an action as such; `ActionError` if it was cut off before."""
    return bool(answer.calls) or any(part.tagged for part in parts(answer.text, answer.finish != "length"))
