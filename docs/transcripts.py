"""Three episodes in which stub models talk, as a page of the documentation.

    python docs/transcripts.py

prints the page as Markdown. The stubs are functions from messages to an answer, as a real model's client would be; they
read the same questions and look for words in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from envsuite import registry
from envsuite.models.client import Answer, Message
from envsuite.models.driver import Driver
from envsuite.models.protocol import Protocol

#: What a model is: a function from messages to an answer.
Stub = Callable[[Sequence[Message]], str]

#: The characters of a paragraph that is not shown again.
LONG = 400

INTRODUCTION = """\
# Transcripts

Three whole episodes of [free talk](talk.md), as language agents read them. The models are stubs in
`docs/transcripts.py`: functions that look for words in their questions. Questions and answers are shown as they are
sent, but long lists of actions are shown once. `python docs/transcripts.py` prints this page.
"""


@dataclass(frozen=True)
class Story:
    """An episode to show.

    Attributes:
        title, about: of its section.
        world, seed, params: what is played.
        stubs: the models by the number of their agents.
        shown: the agents whose questions are shown; the answers of all models are.
        others: the policy of the other agents.
    """

    title: str
    about: str
    world: str
    seed: int
    stubs: Mapping[int, Stub]
    shown: Collection[int]
    others: Any = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)


def page() -> str:
    """The page of the three transcripts."""
    return "\n\n".join([INTRODUCTION, *(section(story) for story in STORIES)]) + "\n"


def section(story: Story) -> str:
    """An episode from the pages that models read to the returns."""
    world = registry.build(story.world, story.params)
    driver = Driver(world, story.stubs, story.others, Protocol(talk="free"), story.seed)
    parts = [f"## {story.title}\n\n{story.about}"]
    for a in story.shown:
        parts.append(f"**{world.agents[a]}** reads before it plays:\n\n{quoted(driver.seats[a].talk.rules)}")
    while not driver.done:
        for a in driver.waiting():
            parts += turn(driver, a, story)
        driver.advance()
    returns = ", ".join(f"{name} {paid:g}" for name, paid in zip(world.agents, driver.returns))
    return "\n\n".join([*parts, f"The episode is over. Returns: {returns}."])


def turn(driver: Driver, agent: int, story: Story) -> Iterator[str]:
    """What a model is asked and answers until its answer can be used."""
    name, decided = driver.world.agents[agent], False
    while not decided:
        messages = driver.request(agent).messages
        if agent in story.shown:
            yield f"**{name}** is asked:\n\n```text\n{shortened(messages[-1]['content'], len(messages) > 2)}\n```"
        answer = story.stubs[agent](messages)
        yield f"**{name}** answers:\n\n{quoted(answer)}"
        decided = driver.give(agent, Answer(answer)).action is not None


def shortened(question: str, again: bool) -> str:
    """A question; in a further one, long lists of actions are cut."""

    def cut(part: str) -> bool:
        return again and len(part) > LONG and part.startswith(("Your legal actions", "You can speak"))

    parts = question.split("\n\n")
    return "\n\n".join(f"{part.splitlines()[0][:60]} ..." if cut(part) else part for part in parts)


def quoted(text: str) -> str:
    """A text as a quotation that keeps its lines, with the empty line before a list that MkDocs needs."""
    text = text.replace("You can:\n", "You can:\n\n")
    return "\n".join(f"> {line}".rstrip() + "  " * bool(line) for line in text.split("\n"))


# Stubs.


def heard(messages: Sequence[Message], pattern: str) -> str | None:
    """The last part of all questions so far that a pattern has in its group; None without one."""
    asked = "\n".join(str(one["content"]) for one in messages[1:] if one["role"] == "user")
    found = re.findall(pattern, asked, re.IGNORECASE)
    return found[-1] if found else None


def fisher(messages: Sequence[Message]) -> str:
    """A fisher that proposes a limit in words where nobody has, agrees to one that it hears, and keeps to it."""
    question, told = messages[-1]["content"], "\n".join(str(one["content"]) for one in messages[1:])
    agreed = re.findall(r"at most (\d+) tons", told)
    if "- catch N" in question:
        return f"We agreed on {agreed[-1]} tons.\nAction: catch {agreed[-1]}" if agreed else "Action: catch 12"
    if not agreed:
        return "Say: Too much. If we take at most 8 tons each, the lake recovers. Agreed?\nAction: propose limit 8"
    if "agree" not in question.rpartition("Your legal actions")[2].partition("\n\n")[0]:
        return "Say: We all know the limit. See you next month.\nAction: end meeting"
    return f"Say: {agreed[-1]} tons each is fair. I agree.\nAction: agree"


def wolf(messages: Sequence[Message]) -> str:
    """A werewolf that kills whoever claims to be the seer, and reports a villager as a werewolf."""
    question = messages[-1]["content"]
    seer = heard(messages, r'(player_\d): "[^"]*seer')
    victims = re.findall(r"kill (player_\d)", question)
    if victims:
        return f"Action: kill {seer if seer in victims else victims[0]}"
    votes = re.findall(r"vote for (player_\d)", question)
    if votes:
        return f"Action: vote for {votes[0]}"
    known = re.findall(r"player_\d", question.partition("Day")[0].rpartition("You are")[2])
    alive = re.findall(r"player_\d", re.findall("Alive: (.*)", question)[0])
    scapegoat = next(name for name in alive if name not in known)
    return f"Say: I am the seer. {scapegoat} is a werewolf, believe me.\nAction: report werewolf {scapegoat}"


def doctor(messages: Sequence[Message]) -> str:
    """A doctor that protects whoever claims to be the seer, and votes against whoever is reported."""
    question = messages[-1]["content"]
    seer = heard(messages, r'(player_\d): "[^"]*seer')
    saved = re.findall(r"protect (player_\d)", question)
    if saved:
        return f"Action: protect {seer if seer in saved else saved[0]}"
    votes = re.findall(r"vote for (player_\d)", question)
    named = heard(messages, r'"[^"]*(player_\d)[^"]*werewolf')
    if votes:
        return f"Action: vote for {named if named in votes else votes[0]}"
    return "Say: I have nothing to report. Seer, tell us what you know.\nAction: silent"


def customer(messages: Sequence[Message]) -> str:
    """A customer that does what it is asked to do, and tells what its phone shows."""
    question = messages[-1]["content"]
    said = re.findall(r'assistant: "(.*)"', question)
    legal = re.split(r"; |\n- ", question.rpartition("Your legal actions:")[2].partition("\n\n")[0])
    shown = re.findall(r"^([a-z][\w ()-]+): ([^\"].*)$", question.partition("Your legal")[0], re.MULTILINE)
    if shown:
        tool, result = shown[0]
        act = f"report: {tool}" if f"report: {tool}" in legal else "done"
        return f"Say: I did that. It shows: {result}\nAction: {act}"
    if not said:
        return "Say: Hello, my mobile data fails.\nAction: report: problem"
    if "your name" in said[0]:
        return "Say: Here are my name and number.\nAction: report: name and number"
    if "where" in said[0].lower():
        return "Say: I am abroad.\nAction: report: location"
    if "how much" in said[0].lower():
        return "Say: I would pay for 2 GB.\nAction: report: amount of data"
    if "GB" in said[0]:
        return "Say: Yes, I agree to 2 GB.\nAction: consent"
    wanted = [name for name in legal if name and name in said[0]]
    return f"Action: {max(wanted, key=len)}" if wanted else "Say: I do not understand.\nAction: ask for help"


STORIES: tuple[Story, ...] = (
    Story(
        "Fishery: five models agree on a catch",
        "player_0 proposes a limit in words. The others learn of it in no other way, and all keep to it.",
        "Fishery",
        0,
        dict.fromkeys(range(5), fisher),
        (0, 1),
        params={"horizon": 3},
    ),
    Story(
        "Werewolf: two models among policies",
        "player_0 is a werewolf and player_3 the doctor; the policy `honest` plays the others, and speaks in its "
        "world's sentences.",
        "Werewolf",
        3,
        {0: wolf, 3: doctor},
        (0, 3),
        "honest",
    ),
    Story(
        "Telecom: a model calls the help desk",
        "The policy `workflow` is the assistant. The customer has an action that says nothing by itself (`say=True`).",
        "Telecom",
        4,
        {1: customer},
        (1,),
        "workflow",
        {"say": True},
    ),
)


if __name__ == "__main__":
    print(page())
