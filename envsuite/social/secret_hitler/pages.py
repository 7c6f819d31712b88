"""Secret Hitler's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When
from envsuite.social.secret_hitler.view import ROLES

PAGE = Page(
    role=(
        "You are {own_a}. Of {players} players, {liberals} are liberals, {fascists_are}, and one is Hitler, of the "
        "fascist party. Roles were dealt by lot. The fascists know each other and Hitler.",
        When("hitler_knows", "Hitler knows the fascist.", "Hitler knows nobody."),
    ),
    goal=(
        "If your party wins, you get +1, otherwise -1, dead or alive. The liberals win with five liberal policies, or "
        "when Hitler is executed. The fascists win with six fascist policies, or when Hitler is elected chancellor "
        "after three of them."
    ),
    rules=(
        (
            "The deck has 6 liberal and 11 fascist policies. The candidate for president, drawn by lot first and then "
            "the next living player in order, names another for chancellor, but not the last elected chancellor, nor "
            "the last president while more than five players live.",
            When("discussion", "Then the living speak one at a time, in {discussion:round}, from the candidate on."),
            "All living vote on the two, at once and openly. They are elected by more than half. After the third "
            "round in a row without a policy, the top policy is enacted, without a power, and nobody is excluded any "
            "more.",
        ),
        (
            "An elected president draws three policies and discards one; the chancellor discards one of the others; "
            "the last is enacted. If fewer than three are left, all that were not enacted are shuffled.",
            When(
                "veto",
                "With five fascist policies, the chancellor may propose a veto: if the president accepts, no policy is "
                "enacted; otherwise the chancellor must discard.",
            ),
            When(
                "reports",
                "Then the president says how many of its policies were fascist, and so does the chancellor.",
            ),
            "Nobody has to speak the truth.",
        ),
        (
            "A fascist policy may give the president a power: {powers}.",
            When("investigates", "To investigate is to learn the party of a player that was not investigated before."),
            When("tells", "Then the president says what it was, or lies."),
            When("elects", "To elect is to choose the next candidate; after it, the order continues."),
            "An executed player is out, and its role stays secret.",
        ),
    ),
    sees="All see who was elected, the votes, and the policies that are enacted.",
    acts={
        "nominate {PLAYER}": "name this player for chancellor",
        ("accuse {PLAYER}", "defend {PLAYER}"): When("discussion", "say this of another player"),
        "silent": When("discussion", "say nothing"),
        ("yes", "no"): "vote",
        ("discard liberal", "discard fascist"): "discard such a policy",
        ("veto", "accept veto", "refuse veto"): When("veto", "propose a veto as chancellor; answer it as president"),
        "report {N} fascist": When("reports", "say how many of your policies were fascist"),
        ("report liberal", "report fascist"): When("tells", "say what you found"),
        "investigate {PLAYER}": When("investigates", "learn this player's party"),
        "elect {PLAYER}": When("elects", "make this player the next candidate"),
        "execute {PLAYER}": "put this player out",
    },
    ends="It is over when a party has won.",
    constants={
        "1": "the reward", "6": "liberal policies", "11": "fascist policies",
        "two": "the candidates", "three": "policies", "five": "policies", "six": "policies", "third": "of rounds",
        "half": "of the votes",
    },
)  # fmt: skip


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    liberals, fascists, _ = (int(count) for count in s.params.counts)
    own, players = ROLES[s.roles[agent]], len(world.agents)
    powers = "the third, to peek at the next three policies; the fourth and fifth, to execute a player"
    if players > 6:
        first = (
            "the second, to investigate a player" if players <= 8 else "the first and second, to investigate a player"
        )
        powers = f"{first}; the third, to elect a candidate; the fourth and fifth, to execute a player"
    return {
        "own_a": own.a,
        "liberals": liberals,
        "fascists_are": "1 is a fascist" if fascists == 1 else f"{fascists} are fascists",
        "hitler_knows": players <= 6,
        "powers": powers,
        "investigates": players > 6,
        "tells": players > 6 and world.parameters["reports"],
        "elects": players > 6,
    }
