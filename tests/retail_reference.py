"""Makes tests/data/Retail/retail_reference.npz: calls of tau2-bench's own Retail tools on stores of our generator.

    git clone https://github.com/sierra-research/tau2-bench /tmp/tau2       # commit a2c0247
    : > /tmp/tau2/src/tau2/__init__.py                                        # so that no model is imported
    pip install toml addict docstring_parser loguru deepdiff pydantic
    python tests/retail_reference.py /tmp/tau2/src

Every store becomes a `RetailDB`: the caller, another user, their orders and the products. Drawn changes, by our
numbers, are then carried out by `RetailTools`; collected items become the lists of its arguments. After each call, all
that its tools can change is noted, and whether it raised ValueError. Only these numbers are stored.
"""

import json
import sys

import numpy as np
from kit import DATA

from envsuite.core.batch import Batch
from envsuite.dual_control.retail import terms
from envsuite.dual_control.retail.levels import level_of
from envsuite.dual_control.retail.tools import method_of, order_of, uses_draft
from envsuite.registry import build

STORES, CALLS = 160, 40
#: The address that was told, by number.
TOLD = 5
METHODS = ("credit_card", "paypal", "gift_card")


def address(code):
    place = {"address1": str(code), "address2": "", "city": "C", "country": "USA", "state": "S", "zip": "1"}
    return place


def item_id(product, variant):
    return f"{1000 + 100 * product + variant}"


def options(product, variant):
    """Options in which the source's tools can be followed: they name the variant that they come from."""
    return {"of": item_id(product, variant)}


def database(s):
    """The store of a record at its start, as plain data for `RetailDB`."""
    products = {
        str(p): {
            "name": f"product {p}",
            "product_id": str(p),
            "variants": {
                item_id(p, v): {
                    "item_id": item_id(p, v),
                    "options": options(p, v),
                    "available": bool(s.available[p, v]),
                    "price": s.variant_price[p, v] / 100,
                }
                for v in range(s.variants[p])
            },
        }
        for p in range(terms.PRODUCTS)
    }
    methods = {}
    for m in range(s.methods):
        source = METHODS[s.method_kind[m] - 1]
        extra = {"credit_card": {"brand": "b", "last_four": "1"}, "gift_card": {"balance": s.balance_at_start[m] / 100}}
        methods[f"m{m}"] = {"source": source, "id": f"m{m}", **extra.get(source, {})}
    users = {}
    for name, where, paying in (
        ("caller", int(s.user_address_at_start), methods),
        ("other", 0, {f"m{terms.METHODS}": {"source": "paypal", "id": f"m{terms.METHODS}"}}),
    ):
        users[name] = {
            "user_id": name,
            "name": {"first_name": name, "last_name": name},
            "address": address(where),
            "email": f"{name}@example.com",
            "payment_methods": paying,
            "orders": [],
        }
    orders = {}
    for k in [*range(s.orders), terms.OTHERS]:
        bought = [(int(s.product[k, i]), int(s.bought[k, i])) for i in range(terms.ITEMS) if s.bought[k, i] >= 0]
        prices = [int(s.variant_price[p, v]) for p, v in bought]
        orders[f"#{k}"] = {
            "order_id": f"#{k}",
            "user_id": "other" if k == terms.OTHERS else "caller",
            "address": address(int(s.address_at_start[k])),
            "items": [
                {"name": f"product {p}", "product_id": str(p), "item_id": item_id(p, v), "price": price / 100,
                 "options": options(p, v)}
                for (p, v), price in zip(bought, prices)
            ],
            "status": terms.STATUSES[s.status_at_start[k]],
            "fulfillments": [],
            "payment_history": [{"transaction_type": "payment", "amount": sum(prices) / 100,
                                 "payment_method_id": f"m{int(s.method_at_start[k])}"}],
        }  # fmt: skip
    return {"products": products, "users": users, "orders": orders}


def place_of(tool, s, db):
    """The address that a change names."""
    source = (
        (tool - terms.MODIFY_ADDRESS) % len(terms.SOURCES) if tool < terms.MODIFY_USER else tool - terms.MODIFY_USER
    )
    if source == terms.TOLD:
        return address(TOLD)
    holder = db.users["caller"] if source == terms.PROFILE else db.orders[f"#{source - terms.OF_ORDER}"]
    return holder.address.model_dump()


def call(tools, s, tool, draft):
    """Carry out one of our changes by the source's tools."""
    order = f"#{int(order_of(tool))}"
    if tool < terms.MODIFY_ITEMS:
        tools.cancel_pending_order(order, terms.REASONS[(tool - terms.CANCEL) % terms.GOOD_REASONS])
    elif terms.MODIFY_ADDRESS <= tool < terms.MODIFY_USER:
        tools.modify_pending_order_address(order, **place_of(tool, s, tools.db))
    elif terms.MODIFY_USER <= tool < terms.RETURN:
        tools.modify_user_address("caller", **place_of(tool, s, tools.db))
    else:
        method = f"m{int(method_of(tool))}"
        k = int(order_of(tool))
        now = {item.product_id: item.item_id for item in tools.db.orders[order].items}
        ids = [now.get(str(int(s.product[k, i])), "none") if s.bought[k, i] >= 0 else "none" for i in draft]
        new = [item_id(int(s.product[k, i]), chosen - 1) for i, chosen in draft.items() if chosen != terms.MARKED]
        if terms.MODIFY_PAYMENT <= tool < terms.MODIFY_ADDRESS:
            tools.modify_pending_order_payment(order, method)
        elif tool < terms.MODIFY_PAYMENT:
            tools.modify_pending_order_items(order, ids, new, method)
        elif tool < terms.EXCHANGE:
            tools.return_delivered_order_items(order, ids, method)
        else:
            tools.exchange_delivered_order_items(order, ids, new, method)


def cents(amount):
    return round(100 * amount)


def padded(values, size):
    return [*values, *[-1] * (size - len(values))]


def state(db, s):
    """All that tools can change, as numbers; -1 fills up lists. `ours` in the test lists the same of a record."""
    user = db.users["caller"]
    gift = [cents(user.payment_methods[f"m{m}"].balance) if s.method_kind[m] == terms.GIFT_CARD else -1
            for m in range(terms.METHODS)]  # fmt: skip
    found = [int(user.address.address1), *gift]
    for k in range(terms.ORDERS):
        if f"#{k}" not in db.orders:
            found += [-1] * (5 + 5 * terms.ITEMS + 2 * terms.HISTORY)
            continue
        order = db.orders[f"#{k}"]
        status = order.status.replace("pending (item modified)", "item modified")
        found += [terms.STATUSES.index(status), int(order.address.address1)]
        found.append(terms.REASONS.index(order.cancel_reason) if order.cancel_reason else -1)
        method = order.exchange_payment_method_id or order.return_payment_method_id
        found += [int(method[1:]) if method else -1, cents(order.exchange_price_difference or 0)]
        for part in ([int(item.item_id) for item in order.items], [int(item.options["of"]) for item in order.items],
                     [cents(item.price) for item in order.items],
                     [int(one) for one in order.exchange_items or order.return_items or []],
                     [int(one) for one in order.exchange_new_items or []]):  # fmt: skip
            found += padded(part, terms.ITEMS)
        entries = order.payment_history
        by = [int(entry.payment_method_id[1:]) + 100 * (entry.transaction_type == "refund") for entry in entries]
        found += padded(by, terms.HISTORY) + padded([cents(entry.amount) for entry in entries], terms.HISTORY)
    return found


def draw_change(rng, s, draft):
    """A change or a step of a draft, by number: of orders and methods that there are."""
    while True:
        if rng.random() < 0.2:
            return int(rng.integers(terms.CHOOSE, terms.CANCEL))
        starts = [terms.CANCEL, terms.MODIFY_ITEMS, terms.MODIFY_PAYMENT, terms.MODIFY_ADDRESS, terms.MODIFY_USER,
                  terms.RETURN, terms.EXCHANGE, terms.TRANSFER]  # fmt: skip
        kind = int(rng.integers(len(starts) - 1))
        tool = int(rng.integers(starts[kind], starts[kind + 1]))
        named = int(order_of(tool))
        if method_of(tool) >= s.methods or (s.orders <= named < terms.OTHERS) or (uses_draft(tool) and not draft):
            continue
        from_order = -1
        if terms.MODIFY_ADDRESS <= tool < terms.MODIFY_USER:
            from_order = (tool - terms.MODIFY_ADDRESS) % len(terms.SOURCES) - terms.OF_ORDER
        elif terms.MODIFY_USER <= tool < terms.RETURN:
            from_order = tool - terms.MODIFY_USER - terms.OF_ORDER
        if not s.orders <= from_order < terms.OTHERS:
            return tool


def draw_items(rng, s):
    """A change of some items of an order: the steps of its draft, mostly with available variants, and the change."""
    order = int(rng.integers(s.orders))
    held = [i for i in range(terms.ITEMS) if s.bought[order, i] >= 0]
    steps = [terms.CLEAR]
    pending = s.status_at_start[order] == terms.PENDING
    start = int(rng.choice([terms.MODIFY_ITEMS] if pending else [terms.MODIFY_ITEMS, terms.RETURN, terms.EXCHANGE]))
    for item in sorted(rng.choice(held, int(rng.integers(1, len(held) + 1)), replace=False).tolist()):
        product = int(s.product[order, item])
        variants = [v for v in range(s.variants[product]) if s.available[product, v] or rng.random() < 0.03]
        if variants:
            steps.append(terms.CHOOSE + terms.VARIANTS * item + int(rng.choice(variants)))
    commit = start + order * terms.METHODS + int(rng.integers(s.methods))
    return [*steps, commit] if len(steps) > 1 else steps


def main(path):
    sys.path.insert(0, path)
    from tau2.domains.retail.data_model import RetailDB
    from tau2.domains.retail.tools import RetailTools

    batch = Batch(build("envsuite/Retail-v0", {"mode": "solo"}), STORES)
    batch.start(1)
    levels, called, states, errors = [], [], [], []
    for i in range(STORES):
        s, rng, draft = batch.record(i), np.random.default_rng(i), {}
        tools = RetailTools(RetailDB.model_validate(database(s)))
        levels.append(level_of(s))
        called.append([]), errors.append([]), states.append([state(tools.db, s)])
        planned = []
        for _ in range(CALLS):
            if not planned:
                planned = draw_items(rng, s) if rng.random() < 0.4 else [draw_change(rng, s, draft)]
            tool, failed = planned.pop(0), False
            if tool == terms.CLEAR:
                draft = {}
            elif tool < terms.CANCEL:
                item = tool - terms.MARK if tool >= terms.MARK else (tool - terms.CHOOSE) // terms.VARIANTS
                draft[item] = terms.MARKED if tool >= terms.MARK else (tool - terms.CHOOSE) % terms.VARIANTS + 1
                draft = dict(sorted(draft.items()))
            else:
                try:
                    call(tools, s, tool, draft)
                    draft = {} if uses_draft(tool) else draft
                except ValueError:
                    failed = True
            called[-1].append(tool), errors[-1].append(failed), states[-1].append(state(tools.db, s))
    text = np.frombuffer(json.dumps(levels, separators=(",", ":")).encode(), np.uint8)
    changes = np.diff(np.array(states, np.int64), axis=1, prepend=0)
    file = DATA / "Retail" / "retail_reference.npz"
    np.savez_compressed(file, levels=text, calls=np.array(called, np.int16), changes=changes,
                        errors=np.array(errors, bool))  # fmt: skip
    print(np.shape(states), np.mean(errors))


if __name__ == "__main__":
    main(sys.argv[1])
