"""Plans of studies: the YAML file that says what participants agree to, are asked and play.

    title: Cooking with a partner
    consent: You will play a cooking game and answer a few questions. You may stop at any time.
    before:
      - {name: age, ask: "How old are you?", kind: number, least: 18, most: 99}
    conditions:
      - {name: policy, world: Overcooked, seats: {chef_1: greedy}, tick: 6}
      - {name: people, world: Overcooked, tick: 6}
    order: balanced
    after:
      - {name: liked, ask: "Which partner did you like more?", kind: choice, choices: [the first, the second]}
    payment: random

`Plan`, `Condition` and `Question` list everything that may stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from envsuite.core.errors import EnvsuiteError, ParameterError, suggest
from envsuite.serve.settings import PERSON, Settings

#: Characters of an answer, at most.
MOST_CHARACTERS = 2000

_Name = Annotated[str, Field(pattern=r"^\w[\w -]*$", max_length=60)]
_Text = Annotated[str, Field(min_length=1, max_length=20_000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Question(_Strict):
    """A question to a participant.

    Attributes:
        name: its name in the data.
        ask: the words of the question.
        kind: "text"; "number", from `least` to `most`; "choice", one of `choices`; or "scale", one of the integers from
            `least` to `most` (1 to 7 by default), with `labels` for the two ends.
        required: whether it has to be answered.
    """

    name: _Name
    ask: _Text
    kind: Literal["text", "number", "choice", "scale"] = "text"
    least: float = 1
    most: float = 7
    choices: list[_Text] = Field([], max_length=50)
    labels: list[str] = Field([], max_length=2)
    required: bool = True

    @model_validator(mode="after")
    def _whole(self) -> Question:
        given = self.model_fields_set
        if self.kind == "choice" and len(set(self.choices)) < max(2, len(self.choices)):
            raise ValueError("a choice needs at least two different choices")
        if self.kind == "number" and not {"least", "most"} <= given:
            raise ValueError("a number needs least and most")
        if self.kind == "scale" and not (self.least % 1 == self.most % 1 == 0 and 1 <= self.most - self.least <= 20):
            raise ValueError("a scale goes from one integer to another, with at most 21 steps")
        if not self.least < self.most:
            raise ValueError(f"least={self.least:g} must be below most={self.most:g}")
        kinds = {
            "choices": ("choice",),
            "least": ("number", "scale"),
            "most": ("number", "scale"),
            "labels": ("scale",),
        }
        for name in given & set(kinds):
            if self.kind not in kinds[name]:
                raise ValueError(f"{name} is for questions of kind {' or '.join(kinds[name])}")
        return self

    def problem(self, answer: Any) -> str | None:
        """What is wrong with an answer, in words for the participant; None if it fits."""
        if answer is None or answer == "":
            return "Please answer this question." if self.required else None
        if self.kind == "text":
            fits = isinstance(answer, str) and len(answer) <= MOST_CHARACTERS
            return None if fits else f"Please write at most {MOST_CHARACTERS} characters."
        if self.kind == "choice":
            return None if answer in self.choices else "Please choose one of the answers."
        number = type(answer) in (int, float) and self.least <= answer <= self.most
        if number and (self.kind == "number" or answer % 1 == 0):
            return None
        return f"Please give a number from {self.least:g} to {self.most:g}."


class Condition(_Strict):
    """What is played in one condition.

    Attributes:
        name: its name in the data; participants do not see it.
        world, parameters, level, tick, idle, standin, talk: as for other tables, see `Settings`.
        seats: the policies, by agent; all other seats are for participants, who wait for each other.
        absent: as for other tables; by default a policy plays for a participant who is not connected.
        seed: "new", which is random bits for each episode; or a number, to reproduce a study: all tables begin with
            this seed, and their further episodes count up. Participants who know it know all hidden cards.
        episodes: how many are played.
        text: an explanation before it begins.
        questions: they are asked when it is over.
    """

    name: _Name
    world: str
    parameters: dict[str, Any] = {}
    level: dict[str, Any] | None = None
    seats: dict[str, str] = {}
    tick: float = 0.0
    idle: Literal["noop", "repeat"] = "noop"
    absent: Literal["wait", "policy"] = "policy"
    standin: str = "random"
    talk: str = "typed"
    seed: Annotated[int, Field(ge=0, lt=2**63)] | Literal["new"] = "new"
    episodes: int = Field(1, ge=1, le=1000)
    text: str = Field("", max_length=20_000)
    questions: list[Question] = []

    @model_validator(mode="after")
    def _playable(self) -> Condition:
        try:
            world = self.settings().build()
        except EnvsuiteError as problem:
            raise ValueError(str(problem)) from None
        if all(self.seats.get(agent, PERSON) != PERSON for agent in world.agents):
            raise ValueError("there is no seat for a participant")
        return self

    def settings(self) -> Settings:
        """The settings of a table for this condition."""
        seed = None if self.seed == "new" else self.seed
        return Settings(
            self.world, self.parameters, seed, self.level, self.seats, self.tick, self.idle, self.absent, self.standin,
            spectators="nothing", listed=False, episodes=self.episodes, talk=self.talk,
        )  # fmt: skip


class Plan(_Strict):
    """A study.

    Attributes:
        title: shown on each page.
        consent: what a participant agrees to before anything else.
        before, after: questions before the first condition and after the last one.
        conditions: what is played.
        order: the order of the conditions: "fixed"; "random", drawn for each participant; or "balanced", the rows of a
            Latin square in which each condition follows each other one equally often, in turn.
        plays: how many conditions each participant plays, the first of the order; all by default.
        wait: seconds that a participant waits for others.
        alone: what happens then: "policy", policies take the seats of those who are not there; or "skip", the
            condition is left out.
        participants: at most; a plan in use may be given more.
        payment: a code for all, shown at the end; "random" for a code of each participant's own; or None.
    """

    title: _Text
    consent: _Text
    before: list[Question] = []
    conditions: list[Condition] = Field(min_length=1, max_length=100)
    order: Literal["fixed", "random", "balanced"] = "random"
    plays: int | None = Field(None, ge=1)
    after: list[Question] = []
    wait: float = Field(120.0, ge=0, le=86_400)
    alone: Literal["policy", "skip"] = "policy"
    participants: int = Field(100, ge=1, le=100_000)
    payment: str | None = Field(None, max_length=100)

    @model_validator(mode="after")
    def _distinct(self) -> Plan:
        groups: list[tuple[str, Sequence[Question | Condition]]] = [
            ("conditions", self.conditions), ("before", self.before), ("after", self.after),
            *((f"the questions of {one.name}", one.questions) for one in self.conditions),
        ]  # fmt: skip
        for label, group in groups:
            names = [one.name for one in group]
            if twice := [name for name in names if names.count(name) > 1]:
                raise ValueError(f"{label}: two have the name {twice[0]!r}")
        talking = next((one.name for one in self.conditions if one.settings().talked()), None)
        if talking and not re.search(r"\bmessages\b", self.consent, re.IGNORECASE):
            raise ValueError(
                f"participants write to each other in {talking}, so the consent must say that their messages are kept: "
                'the word "messages" is not in it'
            )
        if self.plays is not None and self.plays > len(self.conditions):
            raise ValueError(f"plays={self.plays}, but there are {len(self.conditions)} conditions")
        return self

    def ordered(self, participant: int) -> list[str]:
        """The names of a participant's conditions, in order."""
        count = len(self.conditions)
        if self.order == "fixed":
            rows = np.arange(count)
        elif self.order == "random":
            rows = np.random.default_rng().permutation(count)
        else:
            square = balanced(count)
            rows = np.asarray(square[participant % len(square)])
        return [self.conditions[k].name for k in rows[: self.plays]]


def balanced(count: int) -> list[list[int]]:
    """Rows of a Latin square in which each number follows each other one equally often.

    Source: E. J. Williams (1949), "Experimental designs balanced for the estimation of residual effects of treatments",
    Australian Journal of Scientific Research A 2. An odd number needs two squares, the second one mirrored.
    """
    first = [(k + 1) // 2 if k % 2 else (count - k // 2) % count for k in range(count)]
    rows = [[(number + shift) % count for number in first] for shift in range(count)]
    return rows + [row[::-1] for row in rows] if count % 2 and count > 1 else rows


class _Loader(yaml.SafeLoader):
    """Reads plain words as YAML 1.2's core schema has them: ``no`` and ``12:30`` are words, and ``010`` is ten."""

    yaml_implicit_resolvers: dict[str, Any] = {}

    def whole_number(self, node: Any) -> int:
        """The value of an integer."""
        text = self.construct_scalar(node)
        return int(text, {"0x": 16, "0o": 8}.get(text[:2], 10))


_REAL = r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
for _kind, _pattern, _first in (
    ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", "~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", "[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+", "-+0123456789"),
    ("float", _REAL, "-+.0123456789"),
    ("merge", "<<", "<"),
):  # fmt: skip
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_kind}", re.compile(rf"(?:{_pattern})\Z"), list(_first))
_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.whole_number)


def load(path: str | Path) -> Plan:
    """Read a plan; `ParameterError` names the file, the line and what is wrong there."""
    try:
        loader = _Loader(Path(path).read_text("utf-8"))
        node = loader.get_single_node()
        repeated = next(_repeated(node), None)  # before entries of other mappings (<<) are added
        content = None if node is None else loader.construct_document(node)
    except OSError as problem:
        raise ParameterError(f"{path} cannot be read: {problem.strerror}") from None
    except (yaml.YAMLError, UnicodeError, ValueError, RecursionError) as problem:
        raise ParameterError(f"{path} is no YAML: {' '.join(str(problem).split())}") from None
    if repeated:
        raise ParameterError(f"{path}: {repeated}")
    try:
        return Plan.model_validate(content)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        raise ParameterError(f"{path}: " + "; ".join(_where(node, one) for one in found[:5])) from None


def _repeated(node: Any) -> Iterator[str]:
    """The keys that are in a mapping twice, with their lines; of two values, one would be lost."""
    todo, seen = [node], set[int]()
    while todo:
        part = todo.pop()
        if not isinstance(part, yaml.CollectionNode) or id(part) in seen:  # an alias
            continue
        seen.add(id(part))
        if isinstance(part, yaml.SequenceNode):
            todo += part.value
            continue
        lines: dict[str, int] = {}
        for key, value in part.value:
            todo += [key, value]
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode):
                if key.value in lines:
                    yield f"line {line}: {key.value} is there already, in line {lines[key.value]}"
                lines[key.value] = line


def _where(node: Any, error: Any) -> str:
    """The line of an error, its place and what is wrong, for a message."""
    line, place = 1, ""
    for part in error["loc"]:
        if isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            node, place = node.value[part], f"{place}[{part}]"
        elif isinstance(node, yaml.MappingNode):
            place = f"{place}.{part}" if place else str(part)
            found = next((pair for pair in node.value if pair[0].value == part), None)
            if found is None:
                break
            node = found[1]
        else:  # an alternative of a type, no place in the file
            break
        line = node.start_mark.line + 1
    known = [name for kind in (Plan, Condition, Question) for name in kind.model_fields]
    said = error["msg"].removeprefix("Value error, ")
    words = {
        "model_type": "there must be entries here, as in `name: value`",
        "missing": "it is missing",
        "string_type": "this must be text: put it in quotes",
        "extra_forbidden": f"there is no such entry{suggest(place.rpartition('.')[2], known)}",
    }
    text = words.get(error["type"], said[:1].lower() + said[1:])
    return f"line {line}: {place + ': ' if place else ''}{text}"
