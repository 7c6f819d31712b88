"""From a sentence to an action: the one reader of what models, people and files write.

    read(world, agent, "Action: column four, not column 3", legal=range(7))

An answer is cut into the parts that may name an action (`answers`): a JSON object, the last line ``Action: ...``, what
is boxed, the last line, all lines. The first part that can be read counts. A part means an action (`phrases`) if it

- is a notation of the world, such as ``Nf3`` in Chess: `World.understand`;
- is the action's name, or another wording of it;
- names one action and no second one, what it rules out (``not``, ``instead of``) and what stands in brackets left out;
- has the numbers of an action and the words of its name in order: ``I offer you three wood for two gold``;
- is a number, with at most a unit, that one legal action has in its name: 4 is ``column 4``, not the action of index 4.

Anything else is an `ActionError` that says what is missing. Never is one action taken for another, and reading takes
time in proportion to the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from envsuite.core.errors import ActionError
from envsuite.core.world import World
from envsuite.reading.answers import Part, parts
from envsuite.reading.controls import read_controls
from envsuite.reading.phrases import bare, counted, names_of

T = TypeVar("T")


def read(world: World, agent: int, answer: str, legal: Iterable[int], record: Any = None, whole: bool = True) -> Any:
    """The action that a written answer names, which may be illegal; or the controls (D,) float32 that it gives.

    Args:
        world: the world.
        agent: the number of who answers.
        answer: the text.
        legal: the actions that are legal now, of which a sentence may name one beside others that are illegal.
        record: its record now, for notations that depend on the state; None where there is none.
        whole: False for an answer that was cut off.

    Raises:
        ActionError: when no action, or more than one, is named.
    """
    if world.control_spaces:
        return first_read(answer, lambda part: read_controls(world, agent, part.text), whole)
    allowed = set(legal)

    def understood(text: str) -> int | None:
        return None if record is None else world.understand(record, agent, text)

    return read_action(world.action_names[agent], answer, allowed, world.synonyms, understood, whole)


def read_action(
    names: Sequence[str],
    answer: str,
    legal: Iterable[int],
    synonyms: Mapping[str, str] = MappingProxyType({}),
    understood: Callable[[str], int | None] = lambda text: None,
    whole: bool = True,
) -> int:
    """The action among these names that a written answer means; see `read`.

    Args:
        names: of all actions.
        answer: the text.
        legal: the actions that are legal now.
        synonyms: other words for names.
        understood: what a part means in the world's own notation, if anything.
        whole: False for an answer that was cut off.
    """
    known, allowed = names_of(tuple(names), tuple(synonyms.items())), set(legal)

    def meant(part: Part) -> int:
        found = None if part.text in names else understood(bare(counted(part.text)))
        return known.read(part.text, allowed, part.tagged) if found is None else found

    return first_read(answer, meant, whole)


def first_read(answer: str, one: Callable[[Part], T], whole: bool = True) -> T:
    """What the first of an answer's parts means that can be read; the error for the last one if none can."""
    for part in parts(answer, whole):
        try:
            return one(part)
        except ActionError as error:
            problem = error
    raise problem
