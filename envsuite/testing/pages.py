"""Checks of the page for players: all parameters told, all numbers true, nothing for researchers, names as played."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import re
import typing
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.core.page import Page
from envsuite.core.parameters import bounds, signature
from envsuite.core.policy import policies_of
from envsuite.core.world import World
from envsuite.testing.case import Case, ConformanceError, demand

#: Characters of a token (o200k) in the longest pages, and how many tokens a page may have.
PER_TOKEN, LONGEST = 4.2, 900

#: Words of researchers and of programs.
JARGON = re.compile(
    r"\b(?:optimal\w*|equilibri\w+|dominan\w+|best response|strateg\w+|known value|benchmark|baseline|arxiv|neurips|"
    r"papers?|observations?|observe[sd]?|int8|int16|float32|discrete|box \(|index|default|parameters?|language models?|"
    r"llm|nash|reward function|gradient|training|learn(?:ing)? algorithm|pettingzoo|gymnasium|episodes?|transitions?|"
    r"timesteps?|simulat\w+|environment)\b",
    re.IGNORECASE,
)

#: Numbers in words; "one" is seldom a number, and a capital makes a name of it.
COUNTS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand twice half third quarter"
).split()
NUMBER = re.compile(rf"(?<!\w)\d[\d,.]*%?|\b(?:{'|'.join(COUNTS)})\b")

#: Authors, before a title or "et al.", and names of software such as OpenSpiel.
AUTHORS = re.compile(
    r"\b[A-Z][a-z]{2,}(?= et al\b|,? \"|(?:,| and) [A-Z][a-z]+,? (?:et al|\"))|\b[A-Z][a-z]+[A-Z]\w+\b"
)


def check_page(case: Case) -> None:
    """The page for players tells each parameter, its numbers are the game's, and it tells nothing beside the rules."""
    world = case.world
    demand(world.player_page, f"{type(world).__name__} has no `player_page`: players get it before they play")
    batch = _started(world, case.seed)
    for page in _pages(world).values():
        _demand_fields(world, page)
        _demand_numbers(world, page)
    told = _told(world, batch)
    for agent, text in zip(world.agents, told):
        _demand_plain(world, agent, text)
    _demand_short(world, batch, told)
    _demand_acts(world, batch)
    for name in _untold(world, case.seed):
        raise ConformanceError(f"no page tells the parameter {name!r}: add it, or say why not in `unsaid`")


def _told(world: World, batch: Batch) -> list[str]:
    return [world.prompt(batch.record(), a) for a in range(len(world.agents))]


def _demand_short(world: World, batch: Batch, told: list[str]) -> None:
    most = int(PER_TOKEN * LONGEST)
    for a, (agent, text) in enumerate(zip(world.agents, told)):
        page, slots = world.page_of(batch.record(), a), world.slots_of(batch.record(), a)
        size = len(text) - sum(len(slots[name]) for name in page.data)
        demand(size <= most, f"the page of {agent} has {size} characters; {most} at most")


def _demand_fields(world: World, page: Page) -> None:
    label = type(world).__name__
    for name in ("role", "goal", "acts", "ends"):
        demand(getattr(page, name), f"the page of {label} for players has no {name}")
    for name, reason in page.unsaid.items():
        demand(name in world.parameters, f"unsaid names {name!r}, which is no parameter of {label}")
        demand(reason.strip(), f"unsaid gives no reason for {name!r}")


def _demand_numbers(world: World, page: Page) -> None:
    """All numbers are slots or constants: no text keeps one that a parameter changes."""
    sentences = [re.sub(r"\{[^}]*\}", " ", sentence) for sentence in page.raw()]
    found = {number.rstrip(".,") for sentence in sentences for number in NUMBER.findall(sentence)}
    for number in sorted(found - set(page.constants)):
        raise ConformanceError(
            f"the page of {type(world).__name__} for players has {number!r}: make it a slot, or one of its constants"
        )
    for name in page.constants:
        demand(name in found, f"constants has {name!r}, which stands in no text of the page")


def _demand_plain(world: World, agent: str, text: str) -> None:
    """Nothing for researchers or programs stands in a page."""
    label = f"the page of {agent} in {type(world).__name__}"
    played = {name.lower() for names in world.action_names for name in names}
    inside = " ".join(sorted(played))
    for word in JARGON.findall(text):
        demand(word.lower() in inside, f"{label} has the word {word!r}, which players have no use for")
    for word in sorted(_secrets(world)):
        found = re.search(rf"(?<![\w.]){re.escape(word)}(?![\w]|\.\d)", text)
        demand(not found or word.lower() in inside, f"{label} has {word!r}, of the page for researchers")
    for name in policies_of(world):
        spaced = name.replace("_", " ")
        if "_" in name and spaced not in inside:
            demand(not re.search(rf"\b{spaced}\b", text, re.IGNORECASE), f"{label} names the policy {name!r}")
    demand("#" not in re.sub(r"`[^`]*`", "", text) and "|" not in re.sub(r"`[^`]*`", "", text), f"{label} has a table")
    demand(not re.search(r"[{}]", text), f"{label} has an open slot")
    demand("  " not in text and " ." not in text.replace(" ...", ""), f"{label} has a space too many")


def _secrets(world: World) -> set[str]:
    """Names in the section Source of the docstring, and long numbers in Known values that no parameter has."""
    doc = inspect.cleandoc(type(world).__doc__ or "")
    source = re.search(r"^\*\*Source\.?\*\*(.*)", doc, re.S | re.M)
    names = set(AUTHORS.findall(source[1])) if source else set()
    rules, _, values = doc.partition("**Known values.**")
    long = r"(?<![\w.,])\d*\.\d{2,}(?![\d%])"
    numbers = set(re.findall(long, re.split(r"^\*\*[A-Z]", values, flags=re.M)[0])) - set(re.findall(long, rules))
    title = type(world).__name__
    return names - {title, *re.findall("[A-Z][a-z]+", title)} | numbers


def _demand_acts(world: World, batch: Batch) -> None:
    """Each action has a pattern of its agent's page, and each pattern an action."""
    for a, agent in enumerate(world.agents):
        page = world.page_of(batch.record(), a)
        patterns = page.patterns(world.slots_of(batch.record(), a))
        names = world.action_names[a]
        for pattern, shown in patterns:
            played = any(map(pattern.fullmatch, names))
            demand(played or not shown, f"the page of {agent} has the act {pattern.pattern!r}, which is no action")
        missing = next((name for name in names if not any(pattern.fullmatch(name) for pattern, _ in patterns)), None)
        demand(missing is None, f"the page of {agent} has no act for the action {missing!r}")


def _untold(world: World, seed: int) -> Iterator[str]:
    """The parameters whose change changes no page, by itself or in a variant, though they are not unsaid."""
    unsaid = {name for page in _pages(world).values() for name in page.unsaid}
    bases: list[tuple[World, list[str]]] = []  # with their pages, made as far as they are needed
    more = _bases(world)
    for name, parameter in signature(type(world)).items():
        if name in unsaid:
            continue
        if any(_tells(base, told, name, parameter.hint, seed) for base, told in bases):
            continue
        for base in more:
            bases.append((base, _told(base, _started(base, seed))))
            if _tells(*bases[-1], name, parameter.hint, seed):
                break
        else:
            yield name


def _bases(world: World) -> Iterator[World]:
    yield world
    for variant in ({}, *world.variants):
        yield type(world)(**variant)


def _tells(world: World, told: list[str], name: str, hint: Any, seed: int) -> bool:
    """Whether another value of a parameter changes a page, or there is no other."""
    others = _others(world, name, hint)
    first = next(others, None)
    return first is None or any(
        _told(other, _started(other, seed)) != told for other in itertools.chain([first], others)
    )


def _started(world: World, seed: int) -> Batch:
    batch = Batch(world, 1)
    batch.start(seed)
    return batch


def _others(world: World, name: str, hint: Any) -> Iterator[World]:
    """The world with other values of a parameter, of those that it takes."""
    value, between = world.parameters[name], bounds(hint)
    numbers = [between.low, between.high] if between else []
    near = [value + 1, value - 1, value / 2] if isinstance(value, int | float) and not isinstance(value, bool) else []
    odd = [not value] if isinstance(value, bool) else []
    given = [variant[name] for variant in world.variants if name in variant]
    for other in (*given, *odd, *_choices(hint), *near, *numbers):
        if isinstance(value, int) and isinstance(other, float) and other.is_integer():
            other = int(other)
        with contextlib.suppress(ParameterError, ValueError, TypeError):
            made = type(world)(**{**world.parameters, name: other})
            if made.parameters[name] != value:
                yield made


def _choices(hint: Any) -> list[Any]:
    """All values that a hint allows by name."""
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is Literal:
        return list(parts)
    return [value for part in parts for value in _choices(part)]


def sources(world: World) -> Mapping[str, list[str]]:
    """The sentences of the pages of a world by role, as a review reads them."""
    return {role: [*page.raw()] for role, page in _pages(world).items()}


def _pages(world: World) -> Mapping[str, Page]:
    """The pages of a world by role; one for all has the name ""."""
    pages = world.player_page
    return {"": pages} if isinstance(pages, Page) else pages
