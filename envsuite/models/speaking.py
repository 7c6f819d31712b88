"""How a model is told that it may speak, and the words in its answer, which are taken out before its action is read."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from envsuite.core.batch import Batch
from envsuite.core.page import listed
from envsuite.core.world import World
from envsuite.models.client import SPEAK, Answer
from envsuite.reading import lists
from envsuite.reading.answers import SAYS, CutOffError, last_object, parts, spoken, untagged
from envsuite.talk.reach import Reach, Spoken, acts_of, in_words, reach_in_round
from envsuite.talk.table import Talk
from envsuite.talk.voice import is_neutral
from envsuite.talk.words import clean, count, limited

#: Marks around words, and quotation marks.
_MARKS = " \t*_`"
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}

#: What stands for silence.
_SILENCE = ("", "nothing", "(nothing)", "nothing.", "-", "...", "silence", "(silence)", "none")

#: What stands for all that hear an agent.
_ALL = ("", "all", "everyone", "everybody")


class Said(NamedTuple):
    """Words in an answer, and the name of the agent or team to which they are said; "" for all that hear."""

    words: str
    to: str = ""

    @property
    def name(self) -> str:
        """That name as agents have it: in lower case, with underscores."""
        return "_".join(self.to.lower().split())


class Floor(NamedTuple):
    """What an agent may say now.

    Attributes:
        talk: how agents talk.
        words: how many words it has.
        hearers: who hears it, in words.
        addressed: whether it is heard by those alone to whom the action speaks, and not by all of them.
        acts: which actions words go with, where they do not go with all, in a sentence.
        neutral: the number of the action that says nothing by itself, and its name, if it is legal.
        neutrals: the same by the name of the only one that hears it, where there are several.
        speech: the numbers of the legal acts that words go with.
        reach: in a round of talk, whom words reach by the name that they are said to; "" for no name.
        round: which round of talk it is, in words; "" where words go with an action.
    """

    talk: Talk
    words: int
    hearers: str
    addressed: bool
    acts: str
    neutral: tuple[int, str] | None
    neutrals: Mapping[str, tuple[int, str]] = {}
    speech: tuple[int, ...] = ()
    reach: Mapping[str, Reach] = {}
    round: str = ""

    @property
    def reads(self) -> bool:
        """Whether a reader finds the act in words, so that acts of speech are not listed."""
        return self.talk.reader != "own" and self.neutral is not None

    def neutral_for(self, said: Sequence[Said]) -> tuple[int, str] | None:
        """The act that goes with words alone, if it is known from whom they are for."""
        names = {one.name for one in said}
        return self.neutral or (self.neutrals.get(names.pop()) if len(names) == 1 else None)

    @property
    def names(self) -> list[str]:
        """To whom words can be said by name, if this is not all that hear the agent."""
        return [name for name in self.reach if name and self.reach[name] != self.reach.get("")]

    def told(self, by_functions: bool) -> str:
        """How a question says so."""
        if self.round:
            return self._told_in_round(by_functions)
        how = (
            f"call the function {SPEAK} too, with your words" if by_functions else 'write a line "Say: " and your words'
        )
        told = [f"You can speak to {self.hearers}: {how}, at most {self.words}."]
        if "private" in self.talk.channels:
            aside = f'name it in "to" of {SPEAK}' if by_functions else 'write "Say to NAME: "'
            told.append(f"For one of them alone, {aside}.")
        if self.addressed:
            told.append("Only those hear you to whom your action speaks.")
        if self.acts and not self.reads:
            told.append(self.acts)
        if self.talk.mode == "free":
            told.append("Others hear these words alone.")
        return " ".join([*told, *self._told_of_acts()])

    def _told_of_acts(self) -> list[str]:
        """How a question says what words amount to."""
        if self.neutrals:
            one = next(iter(self.neutrals.values()))[1]
            known = [f'If you give words and no action, write "Say to NAME: "; your action is then one like {one}.']
        elif self.neutral is None:
            known = []
        elif self.reads:
            return [f"What you mean is read from them; if no action is found in them, yours is {self.neutral[1]}."]
        else:
            known = [f"If you give words and no action, your action is {self.neutral[1]}."]
        told = "Your action tells the game what you mean by them; others see only its effects."
        free = [told] if self.talk.mode == "free" else []
        return [*free, *known]

    def _told_in_round(self, by_functions: bool) -> str:
        """How a question of a round of talk says so."""
        told = ["Now agents talk; nobody acts."]
        if self.hearers:
            how = f"call the function {SPEAK}" if by_functions else 'write "Say: " and your words'
            told.append(f"To speak to {self.hearers}, {how}.")
        if self.names:
            how = f'name it in "to" of {SPEAK}' if by_functions else 'write "Say to NAME: " and your words'
            told.append(f"To speak to one of these alone, {how}: {', '.join(self.names)}.")
        silence = f"with no words, {SPEAK} is silence" if by_functions else '"Say: nothing" is silence'
        told.append(f"You have at most {self.words} words; {silence}.")
        return " ".join(told)


def floor(batch: Batch, agent: int, talk: Talk, spent: int, i: int = 0) -> Floor | None:
    """What an agent may say with its action, if it has said `spent` words before; None if it may not speak."""
    left = talk.left(spent)
    if not talk or left <= 0 or not talk.words_with:
        return None
    world, names = batch.world, batch.world.action_names[agent]
    if talk.words_with == "turn":
        return Floor(talk, left, "all", False, "", None)
    acts = acts_of(batch, agent, talk, i)
    if not acts:
        return None
    neutrals = {to: (action, names[action]) for action, to in acts.items() if is_neutral(world, names[action])}
    whom, addressed = set[int]().union(*acts.values()), len({*acts.values()}) > 1
    told = listed(world.agents[a] for a in sorted(whom)) if addressed else in_words(world, whom)
    silent = [action for action in np.flatnonzero(batch.masks[i, agent]).tolist() if action not in acts]
    going = _going(names, [*acts], silent)
    return Floor(talk, left, told, addressed, going, *_neutral(world, neutrals), tuple(acts))


def _neutral(
    world: World, found: Mapping[tuple[int, ...], tuple[int, str]]
) -> tuple[tuple[int, str] | None, dict[str, tuple[int, str]]]:
    """The only act that says nothing, of those that are legal by who hears them; or several by the hearer's name."""
    if len(found) < 2 and "{}" not in world.neutral:
        return next(iter(found.values()), None), {}
    return None, {world.agents[to[0]].lower(): act for to, act in found.items() if len(to) == 1}


def round_floor(
    batch: Batch, agent: int, talk: Talk, spent: int, channels: Collection[str], number: int
) -> Floor | None:
    """What an agent may say in a round of talk of this number, from 0, if it has said `spent` words; None for nothing.

    Args:
        batch: whose episode is under way.
        agent: the agent.
        talk: how agents talk.
        spent: how many words the agent has said before.
        channels: those that are open, see `Talk.due`.
        number: of the round.
    """
    left = talk.left(spent)
    found = reach_in_round(batch.world, batch.record(), agent, channels)
    if left <= 0 or not found:
        return None
    heard = found.get("")
    told = "" if heard is None else "all" if heard.channel == "table" else "your team"
    if heard is not None and len(heard.to) == 1:
        told = batch.world.agents[heard.to[0]]
    return Floor(talk, left, told, False, "", None, {}, (), found, f"{number + 1} of {talk.rounds}")


def placed(said: Sequence[Said], reach: Mapping[str, Reach], words: int) -> tuple[list[Spoken], list[str], int]:
    """Cut words to a number in all, and find whom they reach.

    Returns what is heard, what the speaker is told of the rest, and how many words it has spent, also on nobody.
    """
    known = {name.lower(): one for name, one in reach.items()}
    found, notes, left = [], [], words
    for one in said:
        to = known.get("" if one.name in _ALL else one.name) or known.get(one.to.lower())
        short = limited(one.words, left)
        left -= count(short)
        if to is None:
            can = listed(filter(None, reach)) or "nobody by name"
            notes.append(f"Nobody heard your words to {one.to or 'all'}: you can speak to {can}.")
        elif short:
            found.append(Spoken(short, to))
        if short != one.words:
            notes.append(f"Your words were cut off after {words}.")
            break
    return found, notes, words - left


def quoted(lines: Sequence[Spoken], agents: Sequence[str]) -> str:
    """What an agent has said, as its own log has it."""
    asides = [
        "" if reach.channel in ("public", "table") else f"(to {', '.join(agents[a] for a in reach.to)}) "
        for _, reach in lines
    ]
    return " ".join(f"{aside}{text}" for aside, (text, _) in zip(asides, lines))


def _going(names: Sequence[str], acts: Sequence[int], silent: Sequence[int]) -> str:
    """Which actions words go with, by the shorter one of two lists."""
    spoken, other = [names[action] for action in acts], [names[action] for action in silent]
    if not other:
        return ""
    if len(other) < len(spoken):
        return f"Words go with all actions but {_these(other, spoken)}."
    return f"Words go with no actions but {_these(spoken, other)}."


def _these(names: Sequence[str], others: Sequence[str]) -> str:
    """Some of the actions that a question lists, by their first words if these are fewer and no other has them."""
    firsts = list(dict.fromkeys(name.split(" ", 1)[0] for name in names))
    if len(firsts) == len(names) or any(name.split(" ", 1)[0] in firsts for name in others):
        return f"these: {lists.listed(names)}"
    return f"those that begin with {listed([repr(first) for first in firsts], 'or')}"


def speak(floor: Floor) -> dict[str, Any]:
    """The function by which a model speaks, as endpoints take it."""
    fields: dict[str, Any] = {"text": {"type": "string", "description": f"at most {floor.words} words"}}
    if floor.names:
        fields["to"] = {"type": "string", "enum": [*(["all"] if "" in floor.reach else []), *floor.names]}
    elif (floor.neutrals or "private" in floor.talk.channels) and not floor.round:
        fields["to"] = {"type": "string", "description": "one of those who hear it, by name, if it is for one alone"}
    parameters = {"type": "object", "properties": fields, "required": ["text"], "additionalProperties": False}
    what = "Say this." if floor.round else "Say this with your action, which another function chooses."
    return {"type": "function", "function": {"name": SPEAK, "description": what, "parameters": parameters}}


def uttered(answer: Answer) -> tuple[list[Said], Answer]:
    """What an answer says to others, clean, without what stands for silence; and the answer without it."""
    found = [_argument(call.arguments) for call in answer.calls if call.name == SPEAK]
    calls = tuple(call for call in answer.calls if call.name != SPEAK)
    text = spoken(answer.text) or ""
    written = last_object(text)
    if written is not None:
        found.append(_of_fields(written, "say"))
    lines = [(SAYS.match(line), line) for line in text.splitlines()]
    if any(match for match, _ in lines):
        found += [Said(line[match.end() :], match["to"] or "") for match, line in lines if match]
        answer = replace(answer, text="\n".join(line for match, line in lines if not match))
    return _merged(found), replace(answer, calls=calls) if calls != answer.calls else answer


def all_uttered(answer: Answer) -> list[Said]:
    """What an answer says where no action is asked for: the whole text, if nothing in it is marked as words."""
    found, rest = uttered(answer)
    marked = found or rest != answer or last_object(rest.text) is not None
    return found if marked or answer.finish == "length" else _merged([Said(untagged(spoken(rest.text) or ""))])


def joined(said: Iterable[Said]) -> str:
    """All that is said, whoever hears it."""
    return " ".join(words for words, _ in said)


def _merged(found: Sequence[Said]) -> list[Said]:
    """Words without what stands for silence; those to the same ones are one."""
    by: dict[str, list[str]] = {}
    for text, to in found:
        words = _bare(text)
        if words:
            by.setdefault(clean(to).strip(_MARKS), []).append(words)
    return [Said(" ".join(words), to) for to, words in by.items()]


def _argument(arguments: str) -> Said:
    """What a call says."""
    try:
        found = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return Said("")
    return _of_fields(found, "text") if isinstance(found, dict) else Said("")


def _of_fields(found: Mapping[str, Any], key: str) -> Said:
    """What an object says under a key, and to whom under "to"."""
    text, to = found.get(key), found.get("to")
    return Said(text if isinstance(text, str) else "", to if isinstance(to, str) else "")


def _bare(words: str) -> str:
    """Clean words without marks and quotation marks around them, "" for what stands for silence."""
    words = clean(words).strip(_MARKS)
    if len(words) > 1 and _QUOTES.get(words[0]) == words[-1]:
        words = words[1:-1].strip()
    return "" if words.lower() in _SILENCE else words


def acts(answer: Answer) -> bool:
    """Whether an answer without its words names an action as such, or was to, for its reasoning has no end."""
    try:
        return bool(answer.calls) or any(part.tagged for part in parts(answer.text, answer.finish != "length"))
    except CutOffError:
        return True
