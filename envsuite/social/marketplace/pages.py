"""Marketplace's pages for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When

_RULES = (
    "The market has {customers:customer} and {businesses:business/businesses}. Each customer wants certain items, all "
    "from one place, which must also have certain amenities. In each step all act at once.",
    (
        "A search shows a page of up to {page:business/businesses}, the next search the next page, and after the last "
        "page comes the first again.",
        Case(
            "search",
            {
                "simple": "It finds all businesses, those with the best ratings first.",
                "lexical": (
                    "It finds all businesses: those with more of the items first, and of these the best rated first."
                ),
                "optimal": "It finds the businesses that sell all the items, the best rated first.",
                "filtered": (
                    "It finds the businesses that sell all the items and have all the amenities, the best rated first."
                ),
            },
        ),
        "Ratings are from 1.0 to 5.0 and say nothing about what a business sells.",
    ),
    (
        "A customer inquires of businesses on its page. An inquiry says what the customer wants, and the price of the "
        "cheapest proposal for the whole order that another business has made to it. The customer may ask a business "
        "again when that has answered. A business answers one inquiry in a step, the oldest: with a reply, which says "
        "how many of the items it sells and whether it has the amenities, or with a proposal, which says that too and "
        "offers the items that it sells at a percentage of its menu prices, but not below its own lowest percentage, "
        "the floor.",
        When(
            "latency",
            "After the step in which it is given, an answer takes a random time to arrive, {latency:step} on average.",
            "An answer arrives in the step in which it is given.",
        ),
        "A proposal stands until another one of this business reaches the customer. The customer may pay one proposal "
        "of each business.",
    ),
    "List values of items are from {cheapest} to {dearest}; the price on a menu is normal around the list value, with "
    "a standard deviation of {spread} times it.",
)
_CONSTANTS = {"1.0": "the lowest rating", "5.0": "the highest rating"}
PAGES = {
    "customer": Page(
        role="You are a customer.",
        goal=(
            "When you first pay a proposal for all your items to a business with all the amenities, you get twice the "
            "list values of these items. All that you pay is subtracted."
        ),
        rules=_RULES,
        sees="You see the businesses on your page and what they have answered.",
        acts={
            "search": "see the first or the next page",
            "inquire {N}": "ask the business that is number N on your page",
            "inquire all": "ask all on your page that you have not asked",
            "pay {N}": "pay the proposal of the business that is number N on your page",
            "wait": "do nothing",
            "say": When("says", "wait, and speak to the businesses that you have asked; by itself it tells nothing"),
            "stop": "go home, for good; nobody answers you then",
        },
        ends="The market is closed for you when you stop, and for all after {horizon:step}.",
        constants={**_CONSTANTS, "twice": "the worth of an order"},
    ),
    "business": Page(
        role="You are a business.",
        goal="You get what customers pay you.",
        rules=_RULES,
        sees=(
            "You see your oldest inquiry, what you sell of it, your floor, the other proposal that it tells of, and "
            "what you last proposed to this customer."
        ),
        acts={
            "reply": "say what you have, without an offer",
            "propose {PERCENT}": "offer those of the items that you sell, at this percentage of your menu prices",
            "wait": "do nothing in this step",
            "say": When("says", "wait, and speak to the customer that you would answer; by itself it tells nothing"),
        },
        ends="The market closes when all customers have stopped, and after {horizon:step}.",
        constants=_CONSTANTS,
    ),
}


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {"says": world.neutral}


#: What policies say in free talk.
PHRASES = {
    "inquire all": (
        "Hello, what can you offer me?",
        "I am looking for a place. Do you have what I want?",
        "Could you make me an offer?",
        "I am asking around. What do you have for me?",
        "Do you have this, and at what price?",
    ),
    "inquire {}": (
        "Hello, what can you offer me?",
        "Do you have what I am looking for?",
        "Could you make me an offer?",
        "I am interested in your menu. What can you do?",
        "What do you have for me, and at what price?",
    ),
    "reply": (
        "Here is what we have of it.",
        "Thank you for asking. This is what we can say.",
        "Let me tell you what we sell.",
        "I looked at your order, and this is what we have.",
        "Thanks for your interest. Here are the facts.",
    ),
    "propose {}": (
        "I can offer you {0} of our menu prices.",
        "For you it would be {0} of the menu.",
        "Our proposal is {0} of the menu price.",
        "How about {0} of what the menu says?",
        "You can have it at {0} of our menu prices.",
    ),
}
