"""Coup's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, When

PAGE = Page(
    role="You play Coup. There are {players} players.",
    goal="The last player with cards wins and gets +1; the others get {loss}.",
    rules=(
        "There are three cards each of Duke, Assassin, Captain, Ambassador and Contessa. Each player starts with 2 "
        "coins and two cards face down, its influence. The other cards are the court. player_0 begins, and you take "
        "turns. With 10 coins or more, a player must make a coup.",
        "An act that claims a role may be a lie, and so may a block.",
        When(
            "textarena",
            (
                "After a claim or foreign aid, each other player is asked once, the target first and then by number: "
                "it passes, challenges the claim, or blocks. A block can be challenged too. After a challenge that "
                "fails, nobody can block.",
            ),
            (
                "After a claim, the others are asked in turn, from the next seat on, whether they challenge it. If "
                "the act still stands, those who can block it are asked in turn. A block is a claim too, and can be "
                "challenged by all others.",
            ),
        ),
        (
            "If a claim that is challenged is true, the claimant shows the card, returns it to the court and draws "
            "another, and the challenger loses a card. Otherwise the claimant loses a card, and nothing comes of its "
            "act or block; an assassin gets its 3 coins back. If a block stands, nothing comes of the act; what was "
            "paid for it is gone.",
        ),
        (
            When(
                "textarena",
                "A player that loses a card turns its last one face up; a card that is drawn comes last. A player "
                "without cards is out; its coins can still be stolen in that turn.",
                "A player that loses a card chooses which, and turns it face up. A player without cards is out, and "
                "its coins are gone.",
            ),
        ),
    ),
    sees="You see all coins and all cards that are face up, and your own cards.",
    acts={
        "income": "take 1 coin",
        "foreign aid": "take 2 coins; anybody may block it as Duke",
        "coup {PLAYER}": "pay 7 coins; the player loses a card",
        "tax": "as Duke, take 3 coins",
        "assassinate {PLAYER}": "as Assassin, pay 3 coins; the player loses a card, or blocks as Contessa",
        "steal from {PLAYER}": (
            When("textarena", "as Captain, take 2 coins of a player that has them;", "as Captain, take up to 2 coins;"),
            "the player may block as Captain or Ambassador",
        ),
        "exchange": "as Ambassador, draw two cards of the court and return two",
        ("challenge", "pass"): "say that the claim is a lie, or let it stand",
        ("block as Duke", "block as Captain", "block as Ambassador", "block as Contessa"): "block, by this claim",
        "lose {ROLE}": "turn this card face up",
        "return {ROLE}": "return this card to the court, in an exchange",
    },
    ends="It is over when one player is left, and without a winner after {horizon:act}, all answers counted.",
    constants={
        "1": "the reward, and a coin", "2": "coins", "3": "coins", "7": "coins", "10": "coins",
        "two": "cards", "three": "cards",
    },
)  # fmt: skip


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    others = len(world.agents) - 1
    return {"textarena": bool(s.params.rules), "loss": "-1" if others == 1 else f"-1/{others}"}


#: What policies say beside their acts and answers.
PHRASES = {
    "income": (
        "I take one coin.",
        "Income for me.",
        "Just one coin this time.",
        "A coin for me, and that is all.",
        "I keep it simple: income.",
    ),
    "foreign aid": (
        "I ask for foreign aid.",
        "Foreign aid for me, two coins.",
        "Two coins of foreign aid, please.",
        "I would like foreign aid.",
        "Foreign aid. Does anybody mind?",
    ),
    "tax": (
        "I am the Duke, and I collect taxes.",
        "As Duke, I take three coins.",
        "My Duke collects the tax.",
        "Three coins for the Duke.",
        "Taxes, please. I have the Duke.",
    ),
    "exchange": (
        "My Ambassador exchanges cards.",
        "As Ambassador, I look at two new cards.",
        "I have the Ambassador, so I exchange.",
        "Let me see two cards of the court. I am the Ambassador.",
        "The Ambassador goes to the court for me.",
    ),
    "challenge": (
        "I do not believe you.",
        "Show me that card.",
        "That is a lie. I challenge it.",
        "You do not have that card.",
        "I call your bluff.",
    ),
    "block as {}": (
        "I block that. I have the {0}.",
        "Not with my {0} here.",
        "As {0}, I stop you.",
        "My {0} says no.",
        "You forget that I am the {0}.",
    ),
    "coup {}": (
        "I pay seven coins for a coup against {0}.",
        "This is a coup against {0}.",
        "{0}, you lose a card: a coup.",
        "My coup goes against {0}.",
        "Seven coins, and {0} turns a card face up.",
    ),
    "assassinate {}": (
        "My Assassin visits {0}.",
        "I have the Assassin, and I send it to {0}.",
        "{0}, my Assassin is on the way to you.",
        "Three coins for the Assassin, against {0}.",
        "As Assassin, I choose {0}.",
    ),
    "steal from {}": (
        "My Captain steals from {0}.",
        "I am the Captain, and I take coins of {0}.",
        "{0}, my Captain would like your coins.",
        "As Captain, I steal from {0}.",
        "The coins of {0} are mine, says my Captain.",
    ),
}
