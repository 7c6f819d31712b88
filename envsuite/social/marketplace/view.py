"""Marketplace in words and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import Any

from envsuite.core.page import counted
from envsuite.render.scene import Circle, Label, Polygon, Rect, Scene, text_width
from envsuite.render.theme import agent_color, text_on
from envsuite.social.marketplace import rules

#: Names for items: an adjective and a dish. There are more than the largest market needs.
_KINDS = "plain hot salty sweet sour smoked green red crisp mild rich roast fresh spiced golden".split()
_DISHES = "soup curry salad noodles dumplings rice stew pie toast skewers crepes pickles omelette tart stir-fry".split()

NEED_NAMES = (
    "parking", "a garden", "live music", "reservations", "a private room", "step-free access", "a children's menu",
    "take-away", "late hours", "free internet",
)  # fmt: skip


def item_name(item: int) -> str:
    """What an item is called."""
    return f"{_KINDS[(item + item // len(_DISHES)) % len(_KINDS)]} {_DISHES[item % len(_DISHES)]}"


def money(cents: Any) -> str:
    """An amount with two digits."""
    return f"{int(cents) / 100:.2f}"


def ordinal(number: int) -> str:
    """First, second, third in short."""
    return f"{number}{'th' if number % 100 in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def text(world: Any, s: Any, agent: int) -> str:
    lines = _customer(s, agent) if agent < len(s.orders) else _business(s, agent - len(s.orders))
    over = s.terminated[agent] or s.truncated[agent]
    left = "The market is closed for you." if over else f"Step {s.t + 1} of {s.params.horizon}."
    return "\n".join([*lines, left])


def _order(s: Any, customer: int) -> list[int]:
    return [item for item in s.orders[customer] if item >= 0]


def _needs(s: Any, customer: int) -> str:
    return _listed([NEED_NAMES[k] for k in s.needs[customer] if k >= 0] or ["nothing else"])


def _customer(s: Any, c: int) -> list[str]:
    order = _order(s, c)
    listed = _listed([f"{item_name(item)} (list value {money(s.values[item])})" for item in order])
    lines = [
        f"You are customer_{c}. You want {listed}, all from one business that has {_needs(s, c)}: "
        f"that is worth {money(rules.worth(s, c))} to you, less all that you pay.",
        f"You have paid {money(s.spent[c])}" + (" and have what you want." if s.served[c] else "."),
    ]
    if s.page[c] == 0:
        return [*lines, "You have not searched yet."]
    lines.append(f"Answers that you wait for: {s.expected[c]}.")
    lines.append(f"Page {s.page[c]} of {rules.pages(s, c)}:")
    for row, b in enumerate(_page(s, c)):
        lines.append(f"{row + 1}. business_{b}, rated {s.ratings[b] / 10:.1f}: {_known(s, c, b)}")
    return lines


def hearers(world: Any, s: Any, agent: int, action: int) -> Sequence[int] | None:
    """Businesses hear with an inquiry, or once they had one; a customer hears with the answer to its inquiry."""
    customers, rows = len(s.orders), int(s.params.rows)
    if agent >= customers:
        b = agent - customers
        return (int(s.queue[b, 0]),) if action != rules.WAIT and s.waiting[b] else None
    if action == rules.INQUIRE + 2 * rows:
        return [customers + b for b in range(len(s.menus)) if not rules.untouched(s.deals[agent, b])]
    page = _page(s, agent)
    if action == rules.INQUIRE_ALL:
        return [customers + b for b in page if rules.untouched(s.deals[agent, b])]
    aimed = rules.INQUIRE <= action < rules.INQUIRE + len(page)
    return (customers + page[action - rules.INQUIRE],) if aimed else None


def hearing(world: Any, s: Any, speaker: int, hearer: int) -> int:
    """A business's words arrive with its answer, when the customer no longer waits for it."""
    customers = len(s.orders)
    if speaker < customers:
        return int(s.t)
    deal = s.deals[hearer, speaker - customers]
    return int(deal.asked | deal.underway)


def _page(s: Any, customer: int) -> list[int]:
    found = [int(rules.result(s, customer, row)) for row in range(s.params.rows)]
    return [b for b in found if b >= 0]


def _known(s: Any, c: int, b: int) -> str:
    deal = s.deals[c, b]
    now = rules.status(deal)
    waits = "asked, no answer yet." if now == rules.ASKED else ""
    if not deal.known:
        return waits or "not asked."
    count, of = rules.sold(s, b, c), len(_order(s, c))
    has = "has all you need besides" if rules.suits(s, b, c) else "lacks an amenity that you need"
    facts = f"sells {count} of your {counted(of, 'item')}, {has}"
    if not deal.offer:
        return f"{facts}; no proposal. {waits and 'Asked again.'}".rstrip()
    what = "paid" if deal.paid else f"proposes (the {ordinal(deal.place)} proposal)"
    return f"{facts}; {what} {money(deal.offer)}. {waits and 'Asked again.'}".rstrip()


def _business(s: Any, b: int) -> list[str]:
    lines = [f"You are business_{b}. Your revenue is {money(s.revenue[b])}."]
    if not s.waiting[b]:
        return [*lines, "Nobody asks you for anything."]
    c = s.queue[b, 0]
    deal, order = s.deals[c, b], _order(s, c)
    wants = _listed([item_name(item) for item in order])
    sells = [f"{item_name(item)} for {money(s.menus[b, item])}" for item in order if s.menus[b, item]]
    lines.append(f"{s.waiting[b]} to answer. First: customer_{c} wants {wants}, and {_needs(s, c)}.")
    if not sells:
        return [*lines, "You sell none of it."]
    total = f", together {money(rules.quote(s, b, c, 100))}" if len(sells) > 1 else ""
    has = "have" if rules.suits(s, b, c) else "do not have"
    lines.append(f"Of this your menu has {_listed(sells)}{total}. You {has} all that it needs besides.")
    lines.append(f"You do not go below {s.floors[b]}% of your menu prices.")
    if deal.last:
        lines.append(f"You last proposed {money(deal.last)} to it.")
    if deal.rival:
        lines.append(f"The cheapest other proposal that it had was {money(deal.rival)}.")
    return lines


# The picture: customers from left to right, businesses from top to bottom, and their trade.

#: Sizes in the picture: the column of businesses, a customer's column, a row, and the space above the rows.
_LABEL, _COLUMN, _ROW, _HEAD = 5.4, 4.3, 0.95, 4.75


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    customers, businesses = s.deals.shape
    if agent is None:
        columns, rows = list(range(min(customers, 6))), list(range(min(businesses, 15)))
    elif agent < customers:
        columns, rows = [agent], _page(s, agent)
    else:
        rows = [agent - customers]
        columns = s.queue[rows[0], : min(s.waiting[rows[0]], 1)].tolist()
    earning = agent is None or agent >= customers
    width = max(_LABEL + _COLUMN * len(columns) + (2.6 if earning else 0.4), 13.0)
    bottom = _HEAD + _ROW * max(len(rows), 1)
    hidden = (customers - len(columns), businesses - len(rows)) if agent is None else (0, 0)
    scene = Scene(width, bottom + (2.5 if agent is None else 1.7))
    scene.add(Label(0.5, 0.8, "Marketplace", 0.6, align="left", bold=True))
    when = "closed" if s.terminated.all() or s.truncated.any() else f"step {s.t} of {s.params.horizon}"
    scene.add(Label(width - 0.5, 0.8, when, 0.42, "muted", "right"))
    for k, b in enumerate(rows):
        y = _HEAD + _ROW * (k + 0.5)
        if k % 2 == 0:
            scene.add(Rect(0.3, y - _ROW / 2, width - 0.6, _ROW, "panel@0.6", radius=0.15))
        rating = f"{s.ratings[b] / 10:.1f}" if agent is None or agent < customers else ""
        _stall(scene, 1.0, y, customers + b, f"business {b}", rating)
        if earning:
            color = "ink" if s.revenue[b] else "muted"
            scene.add(Label(width - 0.6, y, money(s.revenue[b]), 0.42, color, "right", bold=bool(s.revenue[b])))
    if earning:
        scene.add(Label(width - 0.6, _HEAD - 0.35, "revenue", 0.36, "muted", "right"))
    for k, c in enumerate(columns):
        x = _LABEL + _COLUMN * k
        _buyer(scene, s, c, x, values=agent is None or agent == c)
        for j, b in enumerate(rows):
            if agent is None or agent == c:
                _cell(scene, s, c, b, x + _COLUMN / 2, _HEAD + _ROW * (j + 0.5), agent is None)
            else:
                _asked(scene, s, c, b, x + _COLUMN / 2, _HEAD + _ROW * (j + 0.5))
        if agent is None or agent == c:
            _account(scene, s, c, x + _COLUMN / 2, bottom + 0.55)
    if not rows:
        scene.add(Label(width / 2 + _LABEL / 4, _HEAD + _ROW / 2, "not searched yet", 0.42, "muted"))
    if not columns:
        scene.add(Label(_LABEL, _HEAD + _ROW / 2, "nobody asks", 0.42, "muted", "left"))
    if agent is None:
        y = bottom + 1.75
        more = [f"{count} more {name}" for count, name in zip(hidden, ("customers", "businesses")) if count]
        scene.add(Circle(0.8, y, 0.13, "good"), Label(1.1, y, "sells all and suits", 0.36, "muted", "left"))
        scene.add(Circle(4.9, y, 0.13, "gold"), Label(5.2, y, "sells all, lacks an amenity", 0.36, "muted", "left"))
        if more:
            scene.add(Label(width - 0.6, y, "and " + ", ".join(more), 0.36, "muted", "right"))
    return scene


def _stall(scene: Scene, x: float, y: float, agent: int, name: str, rating: str) -> None:
    color = agent_color(agent)
    scene.add(Rect(x - 0.3, y + 0.0, 0.6, 0.3, "soil", radius=0.04), Rect(x - 0.36, y + 0.0, 0.72, 0.1, "brown"))
    for k in range(4):
        stripe = color if k % 2 == 0 else "line"
        scene.add(Rect(x - 0.4 + 0.2 * k, y - 0.34, 0.2, 0.24, stripe))
        scene.add(Circle(x - 0.3 + 0.2 * k, y - 0.1, 0.1, stripe, glyph=""))
    scene.add(Label(x + 0.6, y, name, 0.4, align="left", bold=True))
    if not rating:
        return
    points = []
    for k in range(10):
        radius, angle = (0.17, 0.07)[k % 2], pi * (k / 5 - 0.5)
        points.append((x + 3.3 + radius * cos(angle), y + radius * sin(angle)))
    scene.add(Polygon(points, "gold"), Label(x + 3.55, y, rating, 0.36, "muted", "left"))


def _buyer(scene: Scene, s: Any, c: int, x: float, values: bool) -> None:
    """A card with what a customer wants."""
    gone = values and bool(s.terminated[c])
    scene.add(Rect(x + 0.12, 1.4, _COLUMN - 0.24, _HEAD - 1.55, "white", "line", 0.03, 0.2))
    color = "grey" if gone else agent_color(c)
    scene.add(Circle(x + 0.55, 1.85, 0.28, color))
    scene.add(Label(x + 0.55, 1.85, str(c), 0.34, text_on(color), bold=True, terminal=False))
    scene.add(Label(x + 0.98, 1.85, f"customer {c}", 0.38, "muted" if gone else "black", "left", bold=True))
    for k, item in enumerate(_order(s, c)):
        y = 2.45 + 0.43 * k
        room = _COLUMN - (1.4 if values else 0.6)
        scene.add(Label(x + 0.3, y, item_name(item), 0.34, "black", "left", width=room))
        if values:
            scene.add(Label(x + _COLUMN - 0.3, y, money(s.values[item]), 0.34, "muted", "right"))
    for k, need in enumerate(n for n in s.needs[c] if n >= 0):
        scene.add(Label(x + 0.3, 3.85 + 0.37 * k, f"+ {NEED_NAMES[need]}", 0.31, "muted", "left"))


def _cell(scene: Scene, s: Any, c: int, b: int, x: float, y: float, all_known: bool) -> None:
    """The trade between a customer and a business."""
    deal = s.deals[c, b]
    now = rules.status(deal)
    if all_known or deal.known:
        if rules.sold(s, b, c) == rules.wanted(s, c):
            color = "good" if rules.suits(s, b, c) else "gold"
            scene.add(Circle(x - 1.6, y, 0.13, color, glyph="*●"))
    if deal.offer:
        text = money(deal.offer)
        wide = text_width(text, 0.4) + 0.5
        if deal.paid:
            scene.add(Rect(x - wide / 2, y - 0.31, wide, 0.62, "good", radius=0.3))
        else:
            scene.add(Rect(x - wide / 2, y - 0.31, wide, 0.62, "white", "black", 0.04, 0.3))
        scene.add(Label(x, y, text, 0.4, "white" if deal.paid else "black", bold=True))
        note = ordinal(deal.place) + (" ..." if now == rules.ASKED else "")
        scene.add(Label(x + wide / 2 + 0.12, y - 0.02, note, 0.3, "muted", "left"))
    elif now == rules.ASKED:
        underway = all_known and deal.underway
        words, color = ("underway", "blue") if underway else ("asked", "muted")
        scene.add(Label(x, y, words, 0.34, color))
    elif now == rules.ANSWERED:
        scene.add(Label(x, y, "no proposal", 0.34, "muted"))


def _asked(scene: Scene, s: Any, c: int, b: int, x: float, y: float) -> None:
    """What a business knows of the inquiry before it."""
    total, rival = rules.quote(s, b, c, 100), s.deals[c, b].rival
    scene.add(Label(x, y, f"menu price {money(total)}" if total else "not on the menu", 0.36, bold=True))
    scene.add(Label(x, y + 0.85, f"cheapest other {money(rival)}" if rival else "no other proposal", 0.34, "muted"))


def _account(scene: Scene, s: Any, c: int, x: float, y: float) -> None:
    """What a customer has gained."""
    gained = (rules.worth(s, c) if s.served[c] else 0) - s.spent[c]
    color = "good" if gained > 0 else "bad" if gained < 0 else "muted"
    sign = "+" if gained > 0 else "-" if gained < 0 else ""
    scene.add(Label(x, y, f"{sign}{money(abs(gained))}", 0.55, color, bold=True))
    if s.terminated[c]:
        scene.add(Label(x, y + 0.5, "gone home", 0.32, "muted"))
