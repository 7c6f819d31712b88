"""tau2-bench's Retail: ``tau2_retail.py MEASURE SOURCE`` answers with tool calls per second, by one of three measures.

"tools" calls the tools by themselves; "environment" has its environment call them and write the reply as JSON. Both
draw from all tools and the identifiers of its database. "episodes" loads the database for each of its tasks, calls the
tools of the task's gold plan, and takes the hash that its evaluation compares. SOURCE is the folder `src` of a checkout
whose `src/tau2/__init__.py` was emptied, so that no model is imported.
"""

import json
import sys
import time
from itertools import cycle
from pathlib import Path

from serving import serve  # isort: skip: before anything is printed

import numpy as np


def drawn_calls(db, count=5000):
    """Random calls whose arguments exist: name, arguments."""
    rng = np.random.default_rng(0)
    users, orders, products = list(db.users.values()), list(db.orders.values()), list(db.products.values())
    place = dict(address1="1 Elm St", address2="", city="Denver", state="CO", country="USA", zip="80201")

    def draw():
        user, order, product = (part[rng.integers(len(part))] for part in (users, orders, products))
        method = list(db.users[order.user_id].payment_methods)[0]
        item = order.items[0]
        new = list(db.products[item.product_id].variants)[0]
        change = dict(order_id=order.order_id, item_ids=[item.item_id], payment_method_id=method)
        choices = (
            ("find_user_id_by_email", dict(email=user.email)),
            ("find_user_id_by_name_zip", dict(first_name=user.name.first_name, last_name=user.name.last_name,
                                              zip=user.address.zip)),
            ("get_user_details", dict(user_id=user.user_id)),
            ("get_order_details", dict(order_id=order.order_id)),
            ("get_product_details", dict(product_id=product.product_id)),
            ("get_item_details", dict(item_id=item.item_id)),
            ("list_all_product_types", {}),
            ("cancel_pending_order", dict(order_id=order.order_id, reason="no longer needed")),
            ("modify_pending_order_items", {**change, "new_item_ids": [new]}),
            ("modify_pending_order_payment", dict(order_id=order.order_id, payment_method_id=method)),
            ("modify_pending_order_address", dict(order_id=order.order_id, **place)),
            ("modify_user_address", dict(user_id=user.user_id, **place)),
            ("return_delivered_order_items", change),
            ("exchange_delivered_order_items", {**change, "new_item_ids": [new]}),
        )  # fmt: skip
        return choices[rng.integers(len(choices))]

    return [draw() for _ in range(count)]


def calling(call, calls):
    """Serve calls of `call(name, arguments)`."""
    calls = cycle(calls)

    def play(count):
        start = time.perf_counter()
        for _, (name, arguments) in zip(range(count), calls):
            try:
                call(name, arguments)
            except ValueError:
                pass
        return count, time.perf_counter() - start

    serve(play)


def main(measure, source):
    sys.path.insert(0, source)
    from tau2.domains.retail.data_model import RetailDB
    from tau2.domains.retail.tools import RetailTools

    folder = Path(source).parent / "data" / "tau2" / "domains" / "retail"
    db = RetailDB.load(folder / "db.json")
    tools = RetailTools(db)
    if measure == "tools":
        calling(lambda name, arguments: tools.use_tool(name, **arguments), drawn_calls(db))
    elif measure == "environment":
        from tau2.data_model.message import ToolCall
        from tau2.environment.environment import Environment

        environment = Environment("retail", policy="", tools=tools)
        calls = [(name, ToolCall(id="1", name=name, arguments=given)) for name, given in drawn_calls(db)]
        calling(lambda _, call: environment.get_response(call), calls)
    else:
        plans = [task["evaluation_criteria"]["actions"] for task in json.loads((folder / "tasks.json").read_text())]
        plans = cycle([plan for plan in plans if plan])

        def play(count):
            start, done = time.perf_counter(), 0
            while done < count:
                own = RetailTools(RetailDB.load(folder / "db.json"))
                for action in next(plans):
                    try:
                        own.use_tool(action["name"], **action["arguments"])
                    except ValueError:
                        pass
                    done += 1
                own.get_db_hash()
            return done, time.perf_counter() - start

        serve(play, 2.0)


if __name__ == "__main__":
    main(*sys.argv[1:])
