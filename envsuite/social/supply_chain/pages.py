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
                    When(
                        "team",
                        "You earn the profits of all firms together. Retailer, wholesaler, distributor and factory, "
                        "in this order, get {prices} for a unit sold, and pay {costs} for a unit bought and {debts} "
                        "for each unit that they owe in a week. The first three pay {stores} for each unit in stock "
                        "in a week.",
                        "You earn your own profit. You get {price} for a unit sold, and pay {unit_cost} for a unit "
                        "bought, and {stored} for each unit in stock and {owed} for each unit that you owe in a week.",
                    ),
                    "A unit is paid in the week in which it is shipped. The profit of a week counts {discount} times "
                    "as much as the same profit a week earlier.",
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
                "the order that your customer placed {mail:week} ago; what the customers of the retailer order "
                "reaches it without delay. What the factory orders enters production {production:week} later and "
                "arrives {shipping:week} after that. Each firm then ships what it owes, as far as its stock allows; "
                "the rest it still owes. Then all pay, and all place an order at the same time. At the start each "
                "firm has {stock:unit} in stock, and {flow:unit} are under way in each week of every delay."
            ),
            "orgym": (
                "Goods flow from the factory through distributor and wholesaler to the retailer, and orders the other "
                "way. Nobody plays the factory, which does not run out of goods. A week begins with the orders, "
                "which all place at the same time. Each supplier ships what was ordered and what it owes, up to its "
                "stock and to its capacity, which is {capacity:unit} a week for your supplier; the rest it owes. Then "
                "the goods arrive that were shipped to you {lead:week} ago. Then customers order from the retailer, "
                "which sells what it has and owes the rest. Stock and debts are paid for at the end of the week. At "
                "the start you have {first_stock:unit} in stock, and nothing is under way."
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
    constants={"four": "firms", "three": "firms that have a stock"},
)
