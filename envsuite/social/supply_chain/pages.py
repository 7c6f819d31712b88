"""SupplyChain's page for players."""

from envsuite.core.page import Case, Page, When

PAGE = Page(
    role="You are the {own} in a chain of four firms: factory, distributor, wholesaler and retailer.",
    goal=(
        Case(
            "rules",
            {
                "beer": (
                    "In each week, a firm pays {holding} for each unit in stock and {shortage} for each unit that it "
                    "owes.",
                    When("team", "You lose what all firms pay.", "You lose what you pay."),
                ),
                "orgym": (
                    "In each week, you get {price} for a unit sold, pay {unit_cost} for a unit bought, {stored} for a "
                    "unit in stock and {owed} for a unit that you owe.",
                    When(
                        "team",
                        "You earn the profits of all firms together, the factory included.",
                        "You earn your own profit.",
                    ),
                    "Profits count {discount} times as much in each later week.",
                ),
            },
        ),
    ),
    rules=Case(
        "rules",
        {
            "beer": (
                "Goods flow from the factory through distributor and wholesaler to the retailer, and orders the other "
                "way. At the start of a week you receive the goods that were shipped to you {shipping:week} ago, and "
                "the order that your customer placed {mail:week} ago; the retailer's customers order at once. What "
                "the factory orders is produced {production:week} later and arrives {shipping:week} after that. Each "
                "firm then ships what it owes, as far as its stock allows; the rest it still owes. Then all pay and "
                "place an order, at once. At the start each firm has {stock:unit} in stock, and {flow:unit} are in "
                "each week of all delays."
            ),
            "orgym": (
                "Goods flow from the factory through distributor and wholesaler to the retailer, and orders the other "
                "way. The factory does not run out. A week begins with the orders, all at once. Each supplier ships "
                "what was ordered and what it owes, up to its stock and to its capacity, which is "
                "{capacity:unit} a week for your supplier; the rest it owes. Then the goods arrive that were shipped "
                "to you {lead:week} ago, then customers order from the retailer."
            ),
        },
    ),
    sees="You see only your own books: stock, orders, what you owe and what is under way to you.",
    acts={"order {N}": "order N units from your supplier"},
    ends="It is over after {length:week}.",
    unsaid={
        "demand": "what customers order is found out",
        "mean": "what customers order is found out",
        "weeks": "told as the length",
        "largest": "the names of the orders show it",
    },
    constants={"four": "firms"},
)
