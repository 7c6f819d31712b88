"""The airline's help desk: each rule of its policy and tools, its tasks, and its baselines."""

from collections import Counter

import desk_play
import kit
import numpy as np
import pytest
from desk_play import call, finished, same_mark

from envsuite.dual_control.airline import Airline, terms
from envsuite.dual_control.airline.levels import plan_length
from envsuite.dual_control.airline.tools import bags_to_pay, change, compensation, fill_in, forbids, signature

ID = "envsuite/Airline-v0"
FARES, SEATS = [60, 120, 300], [5, 5, 5]


def level(request=None, **own):
    """A level: flights 1 and 2 lead from ATL to BOS, 3 and 4 back; all others from DEN to DFW."""
    ways = (("ATL", "BOS"), ("ATL", "BOS"), ("BOS", "ATL"), ("BOS", "ATL"))
    flights = [
        {
            "from": (ways[k] if k < 4 else ("DEN", "DFW"))[0],
            "to": (ways[k] if k < 4 else ("DEN", "DFW"))[1],
            "days": [
                {"status": "landed" if day == 0 else "available", "seats": SEATS, "fares": [f + 10 * k for f in FARES]}
                for day in range(4)
            ],
        }
        for k in range(terms.FLIGHTS)
    ]
    held = {"flights": [[1, "May 16"], [3, "May 17"]], "cabin": "economy", "passengers": ["A. Adeyemi", "B. Bauer"],
            "bags": 2, "insured": False, "recent": False, "method": 1, **own}  # fmt: skip
    return {
        "flights": flights,
        "tier": "regular",
        "methods": [{"kind": "credit card"}, {"kind": "gift card", "balance": 200},
                    {"kind": "certificate", "balance": 100}, {"kind": "certificate", "balance": 500}],
        "saved": list(terms.PEOPLE[:5]),
        "reservations": [held],
        "persona": "easy",
        "requests": [request or {"intent": "insurance", "reservation": 1}],
    }  # fmt: skip


def start(task, mode="solo", **params):
    return kit.started(Airline, level=task, mode=mode, **params)


def do(s, *names):
    """Carry out tools by name, and return whether the last one was an error."""
    failed = False
    for name in names:
        tool = terms.DESK.index(name)
        failed = fill_in(s, tool) if tool < terms.BOOK else change(s, tool)
    return bool(failed)


def against(s, name):
    return bool(forbids(s, terms.DESK.index(name)))


# The tools.


def test_a_booking_is_paid_exactly_and_uses_certificates_up():
    """Two passengers, one flight at 130, insurance 30 each, one paid bag 50: 370 = 100 + 200 + 70."""
    s = start(level()).record(0)
    form = ("fly(flight 2, May 16)", "cabin(economy)", "passengers(2)", "bags(3)", "paid bags(1)", "insure")
    assert do(s, *form, "pay(method 3)", "pay(method 2)", "book")  # 70 are left
    assert s.heads[terms.NEW] == 0 and s.balance[1] == 200
    assert not against(s, "book")
    assert not do(s, "pay(method 1)", "book")
    assert s.spent[terms.NEW].tolist() == [70, 200, 100, 0] and s.balance[1] == 0
    assert s.kind[2] == terms.NO_METHOD and s.price[terms.NEW].tolist() == [130, 0]
    assert s.passenger[terms.NEW].tolist() == [1, 2, 0, 0, 0] and s.insured[terms.NEW] == 1
    assert do(s, "fly(flight 2, May 16)", "cabin(economy)", "passengers(1)", "pay(method 1)", "book")  # one in a call


def test_a_booking_needs_seats_and_takes_them():
    task = level()
    task["flights"][1]["days"][2]["seats"] = [5, 1, 5]
    s = start(task).record(0)
    form = ("clear", "fly(flight 2, May 16)", "cabin(economy)", "pay(method 1)")
    assert do(s, *form, "passengers(2)", "book")
    assert not do(s, *form, "passengers(1)", "book")
    assert do(s, "fly(flight 2, May 16)", "fly(flight 3, May 17)", "pay(method 1)", "update flights(reservation 1)")
    task["flights"][1]["days"][2]["status"] = "delayed"
    assert do(start(task).record(0), *form, "passengers(1)", "book")


def test_a_segment_that_stays_keeps_its_price_and_seats_are_not_taken():
    task = level()
    task["flights"][1]["days"][2]["seats"] = [0, 2, 0]
    batch = start(task)
    s = batch.record(0)
    s.price[0] = 99, 130  # fares have changed since
    legs = ("fly(flight 2, May 16)", "fly(flight 3, May 17)")
    before = s.spent[0, 0]
    assert not do(s, *legs, "pay(method 1)", "update flights(reservation 1)")
    assert s.price[0].tolist() == [130, 130] and s.spent[0, 0] - before == 2 * (130 - 99)
    assert not do(
        s, *legs, "cabin(economy)", "passengers(2)", "bags(0)", "pay(method 1)", "book"
    )  # both seats are free
    assert not do(s, "cancel(reservation 1)") and s.spent[0].tolist() == [0, 0, 0, 0]
    assert do(s, "cancel(reservation 1)")


def test_a_change_is_paid_by_one_card_and_refunded_to_it():
    s = start(level()).record(0)
    legs = ("clear", "fly(flight 1, May 16)", "fly(flight 3, May 17)")
    for method in ("pay(method 3)", "pay(method 2)"):  # a certificate, and a gift card with 200 of 720
        assert do(s, *legs, "cabin(business)", method, "update flights(reservation 1)")
    assert do(s, *legs, "cabin(business)", "pay(method 1)", "pay(method 2)", "update flights(reservation 1)")
    assert do(s, *legs, "cabin(business)", "update flights(reservation 1)")
    assert not do(s, *legs, "cabin(basic economy)", "pay(method 2)", "update flights(reservation 1)")
    assert s.balance[1] == 200 + 2 * (120 + 140 - 60 - 80) and s.cabin[0] == terms.BASIC


def test_only_more_paid_bags_cost():
    s = start(level()).record(0)
    before = s.spent[0, 0]
    assert not do(s, "bags(5)", "paid bags(3)", "pay(method 1)", "update bags(reservation 1)")
    assert s.spent[0, 0] - before == 150 and s.paid_bags[0] == 3
    assert not do(s, "bags(5)", "paid bags(1)", "pay(method 1)", "update bags(reservation 1)")
    assert s.spent[0, 0] - before == 150


def test_three_certificates_can_be_sent():
    s = start(level()).record(0)
    assert [do(s, "send certificate(50)") for _ in range(4)] == [False, False, False, True]


# The policy.


def test_free_bags():
    """By membership and cabin: 0 1 2, 1 2 3, 2 3 4 (policy of the source)."""
    s = start(level()).record(0)
    for tier, row in enumerate(([0, 1, 2], [1, 2, 3], [2, 3, 4])):
        s.tier = tier
        assert [20 - bags_to_pay(s, 20, cabin, 3) for cabin in range(3)] == [3 * free for free in row]
    s.tier = 0
    do(s, "bags(4)")
    assert against(s, "update bags(reservation 1)")  # two of them must be paid
    do(s, "paid bags(2)")
    assert not against(s, "update bags(reservation 1)")
    do(s, "clear", "bags(1)")
    assert against(s, "update bags(reservation 1)")  # fewer


@pytest.mark.parametrize(
    "own, reason, status, wrong",
    [
        ({}, "change of plan", "available", True),
        ({"recent": True}, "change of plan", "available", False),
        ({"recent": True}, "change of plan", "flying", True),
        ({"cabin": "business"}, "change of plan", "available", False),
        ({"cabin": "business"}, "health", "landed", True),
        ({"insured": True}, "change of plan", "available", True),
        ({"insured": True}, "health", "available", False),
        ({"insured": True}, "weather", "available", False),
        ({}, "health", "available", True),
        ({}, "flight canceled", "canceled", False),
        ({}, "flight canceled", "delayed", True),
    ],
)
def test_cancelling(own, reason, status, wrong):
    task = level(**own)
    task["flights"][0]["days"][2]["status"] = status
    s = start(task).record(0)
    s.want_reason[0] = terms.REASONS.index(reason)
    assert against(s, "cancel(reservation 1)") == wrong


def test_flights_stay_on_their_route_and_basic_economy_stays():
    back = "fly(flight 3, May 17)"
    tool = "update flights(reservation 1)"
    for own, first, cabin, wrong in (
        ({}, "fly(flight 2, May 15)", None, False),
        ({}, "fly(flight 5, May 15)", None, True),
        ({"cabin": "basic economy"}, "fly(flight 2, May 15)", None, True),
        ({"cabin": "basic economy"}, "fly(flight 1, May 16)", "cabin(economy)", False),
    ):
        s = start(level(**own)).record(0)
        do(s, first, back, *([cabin] if cabin else []))
        assert against(s, tool) == wrong
    s = start(level()).record(0)
    do(s, "fly(flight 1, May 16)")
    assert against(s, tool)  # a round trip stays one
    s = start(level(flights=[[1, "May 14"], [3, "May 17"]])).record(0)
    do(s, "fly(flight 1, May 14)", back)
    assert not against(s, tool)
    do(s, "cabin(business)")
    assert against(s, tool)  # one of the flights has landed


def test_payments_of_a_booking():
    form = ("fly(flight 1, May 16)", "cabin(business)", "passengers(1)")
    for pays, wrong in (((3, 1), False), ((3, 4, 1), True), ((2, 1), False)):
        s = start(level()).record(0)
        do(s, *form, *(f"pay(method {k})" for k in pays))
        assert against(s, "book") == wrong
    task = level()
    task["methods"][1] = {"kind": "credit card"}
    s = start(task).record(0)
    do(s, *form, "pay(method 1)", "pay(method 2)")
    assert against(s, "book")


@pytest.mark.parametrize(
    "tier, own, status, reason, amount",
    [
        ("regular", {}, "canceled", terms.WAS_CANCELED, 0),
        ("silver", {}, "canceled", terms.WAS_CANCELED, 200),
        ("gold", {"passengers": ["C. Costa"]}, "canceled", terms.WAS_CANCELED, 100),
        ("regular", {"insured": True}, "canceled", terms.WAS_CANCELED, 200),
        ("regular", {"cabin": "business"}, "canceled", terms.WAS_CANCELED, 200),
        ("gold", {}, "available", terms.WAS_CANCELED, 0),
        ("gold", {}, "delayed", terms.WAS_CANCELED, 0),
        ("gold", {}, "delayed", terms.WAS_DELAYED, 0),
    ],
)
def test_compensation(tier, own, status, reason, amount):
    task = level(**own) | {"tier": tier}
    task["flights"][0]["days"][2]["status"] = status
    s = start(task).record(0)
    assert compensation(s, 0, reason) == amount
    assert against(s, "send certificate(200)")  # nobody has asked for it
    if reason == terms.WAS_DELAYED:  # only after a change or a cancellation
        do(s, "cancel(reservation 1)")
        assert compensation(s, 0, reason) == 100


# The tasks.


def test_gold_plans():
    """Every gold plan runs without an error, is allowed, and gives the wanted bookings; no shorter part of it does."""
    batch = kit.started(Airline, 60, mode="solo")
    lengths = Counter()
    for i in range(batch.num):
        s = batch.record(i)
        plan = [int(tool) for tool in s.gold if tool >= 0]
        wanted = [k for k in range(s.requests) if s.due[k] == terms.DONE]
        lengths[sum(tool >= terms.BOOK for tool in plan)] += 1
        assert len(wanted) == sum(tool >= terms.BOOK for tool in plan)
        for tool in plan:
            if tool < terms.BOOK:
                fill_in(s, tool)
                continue
            s.at = wanted.pop(0)
            s.person_told = s.want_person[s.at] + 1
            assert not same_mark(signature, s) and not forbids(s, tool) and not change(s, tool)
        assert same_mark(signature, s)
    assert set(lengths) == {0, 1, 2, 3}


@pytest.mark.slow
def test_splits_and_caveats():
    """Train and test share no combination of intents and caveats; together they have every caveat there is."""
    train, test = (desk_play.combinations(Airline, split) for split in ("train", "test"))
    assert not train & test and len(test) > 100
    assert {pair for kinds in train | test for pair in kinds} == set(map(tuple, np.argwhere(terms.POSSIBLE).tolist()))


def fits(walk):
    """Whether a task may have these kinds of requests: one booking, one that names small papers, a transfer last."""
    intents, caveats = zip(*walk)
    small = sum(caveat in (terms.POOR, terms.TWO_CERTIFICATES) for caveat in caveats)
    return intents.count(terms.WANT_BOOK) < 2 and small < 2 and (terms.WANT_CANCEL, terms.FLOWN) not in walk[:-1]


@pytest.mark.parametrize("difficulty", [3, 8])
def test_walks_on_the_graph_of_policies(difficulty):
    batch = kit.started(ID, 600, mode="solo", difficulty=difficulty)
    kit.walks_as_enumerated(terms, batch.records, difficulty, fits)


def test_difficulty():
    """With a higher difficulty there are more requests, and the challenges add up to it."""
    counts = []
    for difficulty in (1, 5, 9, terms.HARDEST):
        records = kit.started(ID, 40, mode="solo", difficulty=difficulty).records
        counts.append(records["requests"].mean())
        assert desk_play.challenging(terms, records, difficulty)
    assert counts == sorted(counts) and counts[-1] > 2 * counts[0]


def test_levels_come_back():
    levels, records = desk_play.levels_come_back(Airline(mode="solo"), 12)
    assert [plan_length(one) for one in levels] == [str(k) for k in (records["gold"] >= terms.BOOK).sum(axis=1)]


@pytest.mark.parametrize(
    "path, value, wrong",
    [
        (("flights",), [], "flights must be a list of 40"),
        (("flights", 0, "to"), "ATL", "another airport"),
        (("flights", 0, "days", 1, "status"), "lost", "status 'lost'"),
        (("flights", 0, "days", 1, "seats"), [1, 2], "seats must be a list of 3"),
        (("flights", 0, "days", 1, "fares"), [1, 2, -3], "fares -3"),
        (("tier",), "platinum", "tier 'platinum'"),
        (("methods", 0, "kind"), "cash", "kind 'cash'"),
        (("saved",), [], "saved must be a list of 5"),
        (("reservations", 0, "flights"), [[41, "May 16"]], "number 41"),
        (("reservations", 0, "flights"), [7], "a number and a day"),
        (("reservations", 0, "bags"), 99, "bags 99"),
        (("reservations", 0, "insured"), 1, "true or false"),
        (("requests", 0, "intent"), "upgrade", "intent 'upgrade'"),
        (("requests", 0, "caveat"), "flown", "cannot have the caveat"),
        (("requests", 0), {"intent": "bags", "reservation": 1}, "lacks 'form'"),
        (("requests", 0), {"intent": "cancel", "reservation": 1, "reason": "health"}, "cannot be dealt with"),
    ],
)
def test_bad_levels(path, value, wrong):
    desk_play.refused(Airline, level(), path, value, wrong)


# Calls.


FOUND = ("state: all", "find user", "show user", "show(reservation 1)")
CANCEL = {"intent": "cancel", "reservation": 1, "reason": "change of plan"}
END = ("that is all", "close")


@pytest.mark.parametrize(
    "request_, own, calls, violations, solved",
    [
        (CANCEL, {"recent": True}, ("propose: cancel(reservation 1)", "confirm", "cancel(reservation 1)",
                                    "inform: done", *END), 0, 1),
        (CANCEL, {"recent": True}, ("cancel(reservation 1)", "inform: done", *END), terms.UNCONFIRMED, 0),
        (CANCEL, {"recent": True}, ("propose: cancel(reservation 1)", "refuse", "cancel(reservation 1)",
                                    "inform: done", *END), terms.UNCONFIRMED, 0),
        (CANCEL, {"recent": True}, ("transfer",), terms.NEEDLESS, 0),
        (CANCEL | {"caveat": "not covered"}, {}, ("deny", *END), 0, 1),
        (CANCEL | {"caveat": "not covered"}, {}, ("inform: done", *END), 0, 0),
        (CANCEL | {"caveat": "not covered"}, {}, ("propose: cancel(reservation 1)", "confirm", "cancel(reservation 1)",
                                                  "deny", *END), terms.AGAINST, 0),
        (CANCEL | {"caveat": "flown"}, {"flights": [[1, "May 14"]]}, ("transfer",), 0, 1),
        (CANCEL | {"caveat": "flown"}, {"flights": [[1, "May 14"]]}, ("deny", *END), 0, 0),
        ({"intent": "insurance", "reservation": 1}, {}, ("deny", *END), 0, 1),
        ({"intent": "number", "reservation": 1}, {}, ("inform: done", *END), 0, 0),
        ({"intent": "person"}, {}, ("transfer",), 0, 1),
    ],
)  # fmt: skip
def test_calls(request_, own, calls, violations, solved):
    batch = start(level(request_, **own), "dual")
    s = call(batch, *FOUND, *calls)
    assert batch.over()[0] and s.violations == violations and batch.rewards[0].tolist() == [solved, solved]


def test_a_yes_is_for_the_form_that_was_described():
    bags = {"intent": "bags", "reservation": 1, "form": {"bags": 4, "methods": [1]}}
    batch = start(level(bags), "dual")
    call(batch, *FOUND, "bags(4)", "paid bags(2)", "pay(method 1)", "propose: update bags(reservation 1)", "confirm")
    call(batch, "bags(5)", "paid bags(3)")
    assert call(batch, "update bags(reservation 1)").violations == terms.UNCONFIRMED


def test_errors_are_counted_and_end_the_call():
    batch = start(level(), max_errors=2)
    s = call(batch, "find user", "show user", "fly(flight 1, May 14)")
    call(batch, "book")
    assert s.errors == 1 and not batch.over()[0] and "error, nothing has changed" in batch.world.reply(s, 0)
    call(batch, "book")
    assert batch.over()[0] and batch.rewards[0, 0] == 0.0


def test_what_the_customer_wants_is_hidden_until_it_is_stated():
    """Tasks that differ in what was not stated, and in what was not read, look the same to the assistant."""
    views = []
    for request, seats in ((CANCEL, SEATS), ({"intent": "insurance", "reservation": 1}, [9, 9, 9])):
        task = level(request, recent=True)
        task["flights"][1]["days"][2]["seats"] = seats
        batch = start(task, "dual")
        call(batch, "state: user id", "find user")
        views.append(desk_play.sight(batch, 0))
    assert views[0] == views[1]


def test_only_the_assistant_is_told_of_tools():
    batch = kit.started(Airline, budget=1)
    assert batch.world.reply(batch.record(), 1).startswith("It is your turn; ")
    batch.step(np.array([0, batch.world.action_names[1].index("that is all")]))
    assert "It is your turn: 1 tool more, then say something; " in batch.world.reply(batch.record(), 0)


def test_clicks():
    batch = start(level(), "dual")
    world, s = batch.world, batch.record(0)
    assert world.action_names[1][world.click(s, 1, 1.5, 12.3)] == "state: all"
    assert world.action_names[0][world.click(s, 0, 19, 3)] == "show(reservation 1)"
    assert world.click(s, 0, 9, 3) is None and world.click(s, 1, 9, 3) is None


# Baselines.


@pytest.mark.mostly_slow
@pytest.mark.parametrize("name, mode", desk_play.SITUATIONS)
def test_workflow_solves_all(name, mode):
    records = finished(ID, name, 300, mode=mode)
    assert records["solved"].all() and not records["violations"].any() and not records["errors"].any()


@pytest.mark.slow
def test_what_talk_costs():
    desk_play.talk_costs(ID)


# Talk.


def test_the_other_side_hears_all_words_and_no_tools():
    batch = start(level(CANCEL, recent=True), "dual", say=True)
    assert [desk_play.hears(batch, name) for name in ("state: request", "refuse", "hang up", "say")] == [(0,)] * 4
    call(batch, "state: all")
    assert [desk_play.hears(batch, name) for name in ("ask: details", "deny", "close", "say")] == [(1,)] * 4
    assert desk_play.hears(batch, "find user") is None and desk_play.hears(batch, "search(ATL, May 14)") is None


def test_free_talk_hides_statements_and_keeps_proposals_and_answers():
    batch = start(level(CANCEL, recent=True), "dual", say=True)
    world = batch.world
    call(batch, "state: all")
    quiet = world.unspoken(batch.record(0))
    assert "cancel reservation 1" in world.text(batch.record(0), 0)
    assert "cancel reservation 1" not in world.text(quiet, 0) and world.messages(quiet) == []
    assert quiet.id_told and not quiet.told.any() and "cancel reservation 1" in world.text(quiet, 1)
    call(batch, "find user", "show user", "propose: cancel(reservation 1)")
    known = world.unspoken(batch.record(0))
    assert world.reply(known, 1) == world.reply(batch.record(0), 1) and "Shall I?" in world.reply(known, 1)
    call(batch, "confirm")
    assert world.reply(world.unspoken(batch.record(0)), 0).startswith("The customer: Yes, please do.")
    call(batch, "deny")
    assert "I am not allowed to do that." in world.reply(world.unspoken(batch.record(0)), 1)


def test_a_listener_hears_words_alone():
    free = list(desk_play.asked_after(ID, "free", "state: reason", "second choice", "say"))
    assert len(set(free)) == 1 and 'customer: "Hello, I need help."' in free[0]
    beside, silent = desk_play.asked_after(ID, "beside", "state: reason", "say")
    assert "\nThe customer: " in beside and "\nThe customer: " not in silent


def test_say_passes_the_turn():
    desk_play.words_pass_the_turn(Airline)
    desk_play.free_talk_needs_say(ID)
