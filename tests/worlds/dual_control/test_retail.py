"""The store's help desk: its tools against recorded calls, its tasks, its policy, and its baselines."""

import json
from collections import Counter

import desk_play
import kit
import numpy as np
import pytest
import retail_reference as reference
from desk_play import call, finished, same_mark
from kit import DATA

from envsuite.core.batch import Batch
from envsuite.dual_control.retail import Retail, terms
from envsuite.dual_control.retail.levels import plan_length
from envsuite.dual_control.retail.tools import change, collect, order_of, signature
from envsuite.dual_control.retail.view import options_words
from envsuite.evaluation.reports import report
from envsuite.registry import build

ID = "envsuite/Retail-v0"


# The tools.


def ours(s):
    """What `reference.state` lists of the source's store, of a record."""
    found = [int(s.user_address)]
    found += [int(s.balance[m]) if s.method_kind[m] == terms.GIFT_CARD else -1 for m in range(terms.METHODS)]
    for k in range(terms.ORDERS):
        if s.orders <= k < terms.OTHERS:
            found += [-1] * (5 + 5 * terms.ITEMS + 2 * terms.HISTORY)
            continue
        found += [s.status[k], s.address[k], s.reason[k] - 1, s.change_method[k] - 1, s.difference[k]]
        held = [i for i in range(terms.ITEMS) if s.bought[k, i] >= 0]
        names = [int(reference.item_id(s.product[k, i], s.variant[k, i])) for i in held]
        looks = [int(reference.item_id(*divmod(s.look[k, i], terms.VARIANTS))) for i in held]
        changed = [i for i in held if s.changed_to[k, i]]
        new = [reference.item_id(s.product[k, i], s.changed_to[k, i] - 1) for i in changed]
        new = new if s.status[k] == terms.EXCHANGING else []
        old = [reference.item_id(s.product[k, i], s.variant[k, i]) for i in changed]
        for part in (names, looks, [int(s.price[k, i]) for i in held], sorted(map(int, old)), sorted(map(int, new))):
            found += reference.padded(part, terms.ITEMS)
        entries = range(s.payments[k])
        by = [abs(s.paid_by[k, n]) - 1 + 100 * (s.paid_by[k, n] < 0) for n in entries]
        found += reference.padded(by, terms.HISTORY)
        found += reference.padded([int(s.paid[k, n]) for n in entries], terms.HISTORY)
    return found


def recorded():
    with np.load(DATA / "Retail" / "retail_reference.npz") as held:
        levels = json.loads(held["levels"].tobytes())
        return levels, held["calls"].tolist(), held["changes"].cumsum(axis=1).tolist(), held["errors"].tolist()


@pytest.mark.slow
def test_recorded_calls():
    """160 stores with 40 calls each: the whole store is equal after every call, and so is whether it was an error.

    Recorded from sierra-research/tau2-bench, commit a2c0247, by `tests/retail_reference.py`.
    """
    levels, calls, states, errors = recorded()
    batch = Batch(Retail(mode="solo", compat=True), len(levels))
    batch.start(0, levels)
    worked = Counter()
    for i in range(batch.num):
        s = batch.record(i)
        s.address_told = reference.TOLD + 1
        assert ours(s) == states[i][0]
        for k, tool in enumerate(calls[i]):
            failed = False
            size = sum(int(chosen) != 0 for chosen in s.draft)
            if tool < terms.CANCEL:
                collect(s, tool)
            else:
                failed = bool(change(s, tool))
                start = max(first for first in STARTS if first <= tool)
                worked[NAMES[start], min(size, 2) if start in OF_ITEMS else 0] += not failed
            assert (failed, ours(s)) == (errors[i][k], states[i][k + 1]), f"store {i}, call {k}: {terms.DESK[tool]}"
    for start in STARTS:  # changes of items: of one, and of several
        assert all(worked[NAMES[start], size] >= 5 for size in ((1, 2) if start in OF_ITEMS else (0,))), worked


STARTS = (terms.CANCEL, terms.MODIFY_ITEMS, terms.MODIFY_PAYMENT, terms.MODIFY_ADDRESS, terms.MODIFY_USER, terms.RETURN,
          terms.EXCHANGE)  # fmt: skip
OF_ITEMS = (terms.MODIFY_ITEMS, terms.RETURN, terms.EXCHANGE)
NAMES = dict(zip(STARTS, (tool.name for tool in terms.WRITE_TOOLS)))


@pytest.mark.slow
def test_without_the_quirks_items_keep_their_own_options_and_refunds_are_paid_once():
    """Where the source differs from ours, the recorded stores differ in just these: prices, options, refunds."""
    levels, calls, states, _ = recorded()
    batch = Batch(Retail(mode="solo"), len(levels))
    batch.start(0, levels)
    apart = 0
    for i in range(batch.num):
        s = batch.record(i)
        s.address_told = reference.TOLD + 1
        for tool in calls[i]:
            collect(s, tool) if tool < terms.CANCEL else change(s, tool)
        for k in range(terms.ORDERS):
            for item in range(terms.ITEMS):
                if s.variant[k, item] >= 0:
                    product, variant = s.product[k, item], s.variant[k, item]
                    assert s.look[k, item] == product * terms.VARIANTS + variant
                    assert s.price[k, item] == s.variant_price[product, variant]
            if s.status[k] == terms.CANCELED and s.status_at_start[k] == terms.PENDING:
                entries = range(s.payments[k])
                assert sum(int(np.sign(s.paid_by[k, n])) * s.paid[k, n] for n in entries) == 0
        apart += ours(s) != states[i][-1]
    assert apart > 10


# The tasks.


@pytest.mark.parametrize("compat", [False, True])
def test_gold_plans(compat):
    """Every gold plan runs without an error and gives the wanted store, and no shorter part of it does."""
    batch = kit.started(Retail, 150, mode="solo", compat=compat)
    lengths = Counter()
    for i in range(batch.num):
        s = batch.record(i)
        plan = [int(tool) for tool in s.gold if tool >= 0]
        assert len(plan) == s.gold_length
        lengths[sum(terms.CANCEL <= tool for tool in plan)] += 1
        already = same_mark(signature, s)
        assert terms.OTHERS not in [order_of(tool) for tool in plan if terms.CANCEL <= tool < terms.TRANSFER]
        for tool in plan:
            s.address_told = told_for(s, tool)
            if tool < terms.CANCEL:
                collect(s, tool)
            elif tool < terms.TRANSFER:
                assert not same_mark(signature, s)
                assert not change(s, tool)
        assert same_mark(signature, s)
        assert already == all(tool == terms.TRANSFER for tool in plan)
    assert set(lengths) == {0, 1, 2, 3}


def told_for(s, tool):
    """The address that the customer has stated where a tool takes it, plus one."""
    for k in range(s.requests):
        profile = s.intent[k] == terms.WANT_PROFILE and terms.MODIFY_USER <= tool < terms.RETURN
        order = s.intent[k] == terms.WANT_ADDRESS and order_of(tool) == s.want_order[k]
        if s.caveat[k] == 0 and (profile or (order and terms.MODIFY_ADDRESS <= tool < terms.MODIFY_USER)):
            return int(s.want_address[k]) + 1
    return 0


def test_levels_come_back():
    levels, records = desk_play.levels_come_back(Retail(mode="solo"), 40)
    assert [plan_length(one) for one in levels] == [str(length) for length in records["gold_length"]]


@pytest.mark.parametrize("difficulty", [3, 8])
def test_walks_on_the_graph_of_policies(difficulty):
    batch = kit.started(Retail, 600, mode="solo", difficulty=difficulty)
    kit.walks_as_enumerated(terms, batch.records, difficulty)


def test_difficulty():
    """With a higher difficulty plans are longer, and every plan still carries its task out."""
    lengths = []
    for difficulty in (1, 5, 9, terms.HARDEST):
        records = kit.started(Retail, 60, mode="solo", difficulty=difficulty).records
        lengths.append(records["gold_length"].mean())
        assert desk_play.challenging(terms, records, difficulty)
    assert lengths == sorted(lengths) and lengths[-1] > 2 * lengths[0]


def test_splits():
    """Train and test share no combination of intents and caveats; all draws both, and every caveat there is."""
    train, test, every = (desk_play.combinations(Retail, split) for split in ("train", "test", "all"))
    assert not train & test and every & train and every & test
    assert len(test) > 100 and len(train) > 1.3 * len(test)
    alone = {kinds[0] for kinds in train | test if len(kinds) == 1}
    assert alone == set(map(tuple, np.argwhere(terms.POSSIBLE).tolist()))


@pytest.mark.parametrize(
    "path, value, wrong",
    [
        (("products",), [], "products must be a list of 8"),
        (("products", 1, "kind"), "piano", "kind 'piano'"),
        (("products", 1, "kind"), None, "another product is a"),
        (("products", 0, "variants", 0, "options"), "pink", "options 'pink'"),
        (("products", 0, "variants", 0, "options"), None, "another variant has these options"),
        (("products", 0, "variants", 0, "price"), 12.345, "whole cents"),
        (("products", 0, "variants", 0, "price"), -1, "below 1000"),
        (("products", 0, "variants", 0, "available"), 1, "true or false"),
        (("methods", 0, "kind"), "cash", "kind 'cash'"),
        (("address",), "Nowhere", "address 'Nowhere'"),
        (("email known",), "yes", "true or false"),
        (("persona",), "kind", "persona"),
        (("orders",), [], "orders must be a list of 1 to 4"),
        (("orders", 0, "status"), "lost", "status 'lost'"),
        (("orders", 0, "status"), "item modified", "cannot begin"),
        (("orders", 0, "method"), 9, "method 9"),
        (("orders", 0, "items", 0, "variant"), 13, "variant 13"),
        (("orders", 0, "items"), [{"product": 1, "variant": 1}] * 2, "another item is of product 1"),
        (("requests", 0, "intent"), "buy", "intent 'buy'"),
        (("requests", 0, "caveat"), "rain", "caveat 'rain'"),
        (("requests", 0, "caveat"), "wrong reason", "cannot have the caveat"),
        (("requests", 0, "order"), 5, "another user's"),
        (("requests", 0, "items"), {}, "items must map"),
        (("requests", 0, "items"), {"5": "x"}, "items must map"),
        (("orders", 0, "status"), "canceled", "cannot be dealt with"),
    ],
)
def test_bad_levels(path, value, wrong):
    level = plain_level()
    same = {"kind": level["products"][0]["kind"], "options": level["products"][0]["variants"][1]["options"]}
    desk_play.refused(Retail, level, path, same[path[-1]] if value is None else value, wrong)


def plain_level(intent="exchange"):
    """A level with one request."""
    variants = [
        {"options": words, "price": price, "available": available}
        for words, price, available in (("A", 100.0, True), ("B", 120.5, True), ("C", 90.0, False))
    ]
    products = []
    for kind in range(terms.PRODUCTS):
        named = [{**one, "options": options_words(kind, code)} for code, one in enumerate(variants)]
        products.append({"kind": terms.KINDS[kind][0], "variants": named})
    home = "Alder Way, Austin"
    item = {"product": 1, "variant": 1}
    request = {
        "exchange": {"order": 1, "items": {"1": options_words(0, 1)}, "method": 1},
        "modify items": {"order": 2, "items": {"1": options_words(0, 1)}, "method": 1},
        "cancel": {"order": 2, "reason": "no longer needed"},
        "count": {"product": 3},
        "person": {},
    }[intent]
    return {
        "products": products,
        "methods": [{"kind": "credit card"}, {"kind": "gift card", "balance": 150.0}],
        "address": home,
        "email known": True,
        "orders": [
            {"status": "delivered", "address": home, "method": 1, "items": [item]},
            {"status": "pending", "address": home, "method": 1, "items": [item, {"product": 2, "variant": 2}]},
        ],
        "other order": {"status": "pending", "address": home, "items": [item]},
        "persona": "easy",
        "requests": [{"intent": intent, **request}],
    }


# Calls.


def one(intent, mode="dual", **params):
    return kit.started(Retail, level=plain_level(intent), mode=mode, **params)


def may(batch, name):
    return name in kit.legal(batch)


def test_a_call():
    batch = one("exchange")
    assert not batch.acting[0, 0] and not may(batch, "confirm")
    call(batch, "state: request")
    assert not may(batch, "find user(email)") and not may(batch, "show(order 1)")
    call(batch, "ask: email", "state: email", "find user(email)")
    assert may(batch, "show(order 1)") and not may(batch, "show(order 2)") and not may(batch, "show(product 1)")
    seen = batch.observations[0, 0]
    assert seen["requests"][0].tolist() == [terms.WANT_EXCHANGE + 1, 1, 0, 0, 0, 0, 0, 0] and not seen["wishes"].any()
    call(batch, "ask: items", "state: items", "show user", "show(order 1)", "show(product 1)")
    seen = batch.observations[0, 0]
    assert seen["items"][0, 0].tolist() == [1, 1, 1] and seen["item_prices"][0, 0] == 10000
    assert seen["variants"][0, :4].tolist() == [[1, 2], [2, 2], [3, 1], [0, 0]]
    assert seen["prices"][0, :4].tolist() == [10000, 12050, 9000, -1] and seen["wishes"][0].tolist() == [2, 0, 0, 0, 0]
    assert not may(batch, "exchange(order 1, method 1)")
    call(batch, "choose(item 1, variant 2)", "propose: exchange(order 1, method 1)")
    assert batch.observations[0, 1]["offered"].tolist() == [2, 0, 0, 0, 0]
    s = call(batch, "confirm", "exchange(order 1, method 1)")
    assert s.violations == 0 and s.errors == 0 and s.difference[0] == 2050 and s.status[0] == terms.EXCHANGING
    assert not s.draft.any() and s.consent == 0
    s = call(batch, "inform: done", "that is all", "close")
    assert batch.over()[0] and batch.rewards[0].tolist() == [1.0, 1.0]
    assert s.reads.tolist() == [4, 0] and s.writes.tolist() == [1, 0]


FOUND = ("state: all", "find user(email)", "show user")


@pytest.mark.parametrize(
    "intent, calls, violations, solved",
    [
        ("cancel", ("propose: cancel(order 2, no longer needed)", "confirm", "cancel(order 2, no longer needed)"),
         0, 1),
        ("cancel", ("cancel(order 2, no longer needed)",), terms.UNCONFIRMED, 0),
        ("cancel", ("propose: cancel(order 2, no longer needed)", "refuse", "cancel(order 2, no longer needed)"),
         terms.UNCONFIRMED, 0),
        ("cancel", ("propose: cancel(order 2, ordered by mistake)", "confirm", "cancel(order 2, no longer needed)"),
         terms.UNCONFIRMED, 0),
        ("cancel", ("propose: cancel(order 2, ordered by mistake)", "confirm", "cancel(order 2, ordered by mistake)"),
         0, 0),
        ("cancel", ("transfer",), terms.NEEDLESS, 0),
        ("person", ("transfer",), 0, 1),
        ("person", ("inform: done", "that is all", "close"), 0, 0),
        ("count", ("list products", "answer: 2"), 0, 1),
        ("count", ("list products", "answer: 3"), 0, 0),
        ("count", ("deny",), 0, 0),
    ],
)  # fmt: skip
def test_policy(intent, calls, violations, solved):
    batch = one(intent)
    s = call(batch, *FOUND, *calls)
    if not batch.over()[0]:
        call(batch, *(("that is all", "close") if s.turn == 1 else ("close",)))
    assert s.violations == violations and batch.rewards[0].tolist() == [solved, solved]


def test_a_yes_is_for_the_items_that_were_described():
    batch = one("modify items")
    call(batch, *FOUND, "choose(item 1, variant 2)", "propose: modify items(order 2, method 1)", "confirm")
    call(batch, "clear", "choose(item 2, variant 1)")
    assert call(batch, "modify items(order 2, method 1)").violations == terms.UNCONFIRMED


def test_orders_of_another_user():
    level = plain_level("cancel")
    level["requests"][0] |= {"order": 5, "caveat": "order of another"}
    for calls, reward in ((("deny",), 1.0), (("propose: cancel(order 5, no longer needed)", "confirm",
                                              "cancel(order 5, no longer needed)", "inform: done"), 0.0)):  # fmt: skip
        batch = kit.started(Retail, level=level)
        s = call(batch, *FOUND, *calls, "that is all", "close")
        assert batch.rewards[0, 0] == reward and s.violations == (0 if reward else terms.ANOTHERS)


def test_errors_are_counted_and_end_the_call():
    batch = one("cancel", mode="solo", max_errors=2)
    s = call(batch, "find user(email)", "show user", "cancel(order 1, no longer needed)")
    assert s.errors == 1 and not batch.over()[0] and "error, nothing has changed" in batch.world.reply(s, 0)
    call(batch, "cancel(order 1, no longer needed)")
    assert batch.over()[0] and batch.rewards[0, 0] == 0.0


def test_gift_cards():
    """150.00 on the card; order 2 costs 220.50, so it cannot pay for it, but for a difference of 20.50."""
    batch = one("modify items", mode="solo", max_errors=9)
    s = call(batch, "find user(email)", "show user", "modify payment(order 2, method 2)")
    assert s.errors == 1 and s.balance[1] == 15000
    call(batch, "choose(item 1, variant 2)", "modify items(order 2, method 2)")
    assert s.errors == 1 and s.balance[1] == 12950 and s.status[1] == terms.MODIFIED and s.payments[1] == 2
    call(batch, "cancel(order 2, no longer needed)", "modify payment(order 2, method 2)")
    assert s.errors == 3 and s.status[1] == terms.MODIFIED


def test_steps_are_limited():
    batch = one("cancel", max_steps=4)
    s = call(batch, *FOUND, "show(order 2)")
    assert s.truncated[0] and not s.terminated[0] and batch.rewards[0].tolist() == [0.0, 0.0]


def test_what_the_customer_wants_is_hidden_until_it_is_stated():
    """Two tasks that differ in what was not stated, and in what was not read, look the same to the assistant."""
    views = []
    for wanted, price in (("exchange", 120.5), ("cancel", 130.25)):
        level = plain_level(wanted)
        level["products"][0]["variants"][1]["price"] = price
        batch = kit.started(Retail, level=level)
        call(batch, "state: email", "find user(email)")
        views.append(desk_play.sight(batch, 0))
    assert views[0] == views[1]


def test_what_was_said_stays_as_it_was_said():
    batch = one("exchange")
    s = call(batch, "state: all", "ask: request", "state: items", "inform: done", "state: request")
    said = [words for _, words in batch.world.messages(s)]
    assert said[0].startswith("Here is my e-mail address; here are my name") and "exchange items of order 1" in said[0]
    assert said[2].startswith("Item 1 (desk lamp) -> white, warm, clamp")
    assert said[3:] == ["That is done.", "I have nothing to say about that."]


def test_clicks():
    batch = one("exchange")
    world, s = batch.world, batch.record(0)
    names = world.action_names
    assert names[1][world.click(s, 1, 1.5, 12.3)] == "state: all"
    assert names[1][world.click(s, 1, 5.5, 12.3)] == "confirm"
    assert (
        names[0][world.click(s, 0, 19, 3.6)] == "show(order 1)" and names[0][world.click(s, 0, 19, 1.2)] == "show user"
    )
    assert world.click(s, 0, 9, 3) is None and world.click(s, 1, 9, 3) is None


# Baselines.


@pytest.mark.mostly_slow
@pytest.mark.parametrize("name, mode", desk_play.SITUATIONS)
def test_workflow_solves_all(name, mode):
    records = finished(ID, name, 300, mode=mode)
    assert records["solved"].all() and not records["violations"].any()
    assert (records["errors"] == (records["email_known"] == 0)).all()  # the unknown e-mail address, and nothing else


@pytest.mark.slow
def test_what_talk_costs():
    desk_play.talk_costs(ID)
    assert finished(ID, "reluctant:rate=0.9", 600, max_steps=40)["solved"].mean() < 0.7


@pytest.mark.slow
def test_the_report():
    world = build(ID, {"split": "test", "max_steps": 24})
    found = report(world, {"customer": "hard"}, 2)
    rows = {row["setting"]: row for row in found.rows if row["group"] == "all"}
    assert list(rows) == ["alone", "given the plan", "with hard", "with easy", "with reluctant", "without questions"]
    assert rows["alone"]["pass^1"] > rows["with easy"]["pass^1"] > rows["with hard"]["pass^1"] > 0.3
    assert rows["with hard"]["gap"] == rows["alone"]["pass^1"] - rows["with hard"]["pass^1"]
    assert rows["alone"]["tasks"] == 500 and len(found.tables()) == 2 + len(Retail.groups)
    assert rows["without questions"]["pass^1"] < 0.2 and rows["without questions"]["transfers"] > 0.8
    assert rows["with reluctant"]["pass^2"] < rows["with reluctant"]["pass^1"]


# Talk.


def test_the_other_side_hears_all_words_and_no_tools():
    batch = one("cancel", say=True)
    spoken = ("state: request", "state: all", "that is all", "say")
    assert [desk_play.hears(batch, name) for name in spoken] == [(0,)] * 4
    call(batch, "state: all")
    assert [desk_play.hears(batch, name) for name in ("ask: items", "inform: done", "close", "say")] == [(1,)] * 4
    assert desk_play.hears(batch, "find user(email)") is None and desk_play.hears(batch, "transfer") is None
    assert desk_play.hears(one("cancel", mode="solo"), "close") is None


def test_free_talk_hides_statements_and_keeps_proposals_and_answers():
    batch = one("cancel", say=True)
    world = batch.world
    call(batch, "state: all")
    quiet = world.unspoken(batch.record(0))
    assert "cancel order 2" in world.text(batch.record(0), 0)
    assert "cancel order 2" not in world.text(quiet, 0) and world.messages(quiet) == []
    assert quiet.told[0].tolist() == [0, 1, 1, 0, 0, 0, 0] and "cancel order 2" in world.text(quiet, 1)
    call(batch, "ask: reason", "state: reason")
    assert world.messages(world.unspoken(batch.record(0))) == []
    call(batch, "find user(email)", "show user", "propose: cancel(order 2, no longer needed)")
    known = world.unspoken(batch.record(0))
    assert world.reply(known, 1) == world.reply(batch.record(0), 1) and "Shall I?" in world.reply(known, 1)
    call(batch, "confirm")
    assert world.reply(world.unspoken(batch.record(0)), 0).startswith("The customer: Yes, please do.")
    call(batch, "inform: done")
    assert "The assistant: That is done." in world.reply(world.unspoken(batch.record(0)), 1)


def test_a_listener_hears_words_alone():
    free = list(desk_play.asked_after(ID, "free", "state: reason", "second choice", "say"))
    assert len(set(free)) == 1 and 'customer: "Hello, I need help."' in free[0]
    beside, silent = desk_play.asked_after(ID, "beside", "state: reason", "say")
    assert "\nThe customer: " in beside and "\nThe customer: " not in silent


def test_say_passes_the_turn():
    desk_play.words_pass_the_turn(Retail)
    desk_play.free_talk_needs_say(ID)
