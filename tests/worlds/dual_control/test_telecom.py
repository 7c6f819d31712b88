"""The telecom help desk: its tasks against the published ones, its rules against recorded runs, and its baselines."""

import hashlib
from collections import Counter

import kit
import numpy as np
import pytest
from desk_play import SITUATIONS, asked_after, call, free_talk_needs_say, hears, words_pass_the_turn
from kit import DATA

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError
from envsuite.dual_control.telecom import Telecom, goal_met
from envsuite.dual_control.telecom import levels as generator
from envsuite.dual_control.telecom.levels import FAULTS, PERSONAS, current, released, tasks
from envsuite.dual_control.telecom.terms import (
    BILLS,
    DESK_TOOLS,
    FIND,
    LINES,
    PHONE_TOOLS,
    PLAN_NAMES,
    TRANSFER,
    VISIBLE,
)
from envsuite.dual_control.telecom.view import utterance
from envsuite.registry import build
from envsuite.render.scene import Label, Rect, text_width

ID = "envsuite/Telecom-v0"

# Facts of the published task set: sierra-research/tau2-bench, commit a2c0247, split_tasks.json in its
# data/tau2/domains/telecom, and src/tau2/domains/telecom/tasks; counts are those that its generator gives.

#: The source's names of the faults in our order, families and personas: what its task ids are made of.
SOURCE_NAMES = (
    "airplane_mode_on bad_network_preference bad_vpn bad_wifi_calling break_apn_mms_setting break_apn_settings "
    "break_app_both_permissions break_app_sms_permission break_app_storage_permission contract_end_suspension "
    "data_mode_off data_saver_mode_on data_usage_exceeded data_usage_exceeded_no_refuel lock_sim_card_pin "
    "overdue_bill_suspension unseat_sim_card user_abroad_roaming_disabled_off user_abroad_roaming_disabled_on "
    "user_abroad_roaming_enabled_off"
).split()
SOURCE_FAMILIES = {"service": "service_issue", "mobile_data": "mobile_data_issue", "mms": "mms_issue"}


def source_id(task):
    names = "|".join(SOURCE_NAMES[generator.INDEX[name]] for name in task.faults)
    return f"[{SOURCE_FAMILIES[task.family]}]{names}[PERSONA:{task.persona.capitalize()}]"


def digest(listed):
    return hashlib.sha256("\n".join(map(source_id, listed)).encode()).hexdigest()[:16]


def by_family(listed):
    return Counter(task.family for task in listed)


def test_counts():
    assert by_family(released()) == {"service": 47, "mobile_data": 254, "mms": 1984}
    assert by_family(current()) == {"service": 47, "mobile_data": 382, "mms": 2976}
    assert len(released()) == 2285 and len(set(released())) == 2285


def test_histograms():
    sizes = Counter(len(task.faults) for task in released())
    assert sizes == {1: 20, 2: 101, 3: 283, 4: 505, 5: 596, 6: 467, 7: 235, 8: 69, 9: 9}
    assert Counter(len(task.faults) for task in tasks("base")) == {2: 25, 3: 26, 4: 21, 5: 13, 6: 11, 7: 8, 8: 4, 9: 6}
    service = [task for task in current() if task.family == "service"]
    mobile = [task for task in current() if task.family == "mobile_data"]
    assert sum(not task.fixable for task in service) == 32
    assert sum(not task.fixable for task in mobile) == 128
    lengths = Counter(len(task.plan) for task in service if task.fixable)
    assert lengths == {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 7: 2, 8: 1}
    lengths = Counter(len(task.plan) for task in mobile if task.fixable)
    assert lengths == {1: 7, 2: 28, 3: 56, 4: 70, 5: 56, 6: 28, 7: 8, 8: 1}


def test_base_set():
    assert by_family(tasks("base")) == {"service": 29, "mobile_data": 36, "mms": 49}
    assert by_family(tasks("train")) == {"service": 14, "mobile_data": 27, "mms": 33}
    assert by_family(tasks("test")) == {"service": 15, "mobile_data": 9, "mms": 16}
    assert Counter(task.persona for task in tasks("base")) == {"none": 40, "easy": 38, "hard": 36}
    assert len(set(tasks("train")) | set(tasks("test"))) == 114
    # The source samples at most three tasks of each family, number of faults from two on, and persona.
    bins = Counter((task.family, len(task.faults), task.persona) for task in tasks("base"))
    assert max(bins.values()) == 3 and min(size for _, size, _ in bins) == 2


def test_the_very_tasks():
    # SHA-256, first 16 digits, of the ids in the source's split file, one a line, in its order.
    assert digest(released()) == "27ccec36ec0b4bd7"
    assert digest(tasks("train")) == "fe392562d26908d4"
    assert digest(tasks("test")) == "4d91c95ad79a35f3"
    assert digest(tasks("single")) == "53e171e73d093928"


def test_codes():
    codes, starts = generator.tables()
    for row, name in zip(starts, generator.LISTS):
        found = {(int(code) & (1 << len(FAULTS)) - 1, int(code) >> len(FAULTS) & 3, int(code) >> len(FAULTS) + 2)
                 for code in codes[row[0] : row[3]]}  # fmt: skip
        assert len(found) == row[3] - row[0] == len(tasks(name))
        for family, (begin, end) in enumerate(zip(row, row[1:])):
            assert (codes[begin:end] >> len(FAULTS) + 2 == family).all()
    assert PERSONAS == ("none", "easy", "hard")


# The rules, in solo: all tools are one agent's.


def solo(num, **params):
    world = Telecom(mode="solo", max_steps=1000, max_errors=1000, **params)
    return world, Batch(world, num)


def begin(batch, listed):
    """Start these tasks, and find the customer, after which all tools can be called."""
    batch.start(0, [{"family": task.family, "faults": list(task.faults), "persona": task.persona} for task in listed])
    batch.actions[:, 0] = FIND
    batch.step()


def solo_action(tool):
    """A tool by its number as the action of the one agent."""
    return tool - PHONE_TOOLS if tool >= PHONE_TOOLS else DESK_TOOLS + tool


def states(records):
    """What the recorded runs hold after every call, in their order."""
    phone = records["phone"]
    parts = [phone[:, :VISIBLE], phone[:, VISIBLE : VISIBLE + 4]]
    names = ("speed", "abroad", "line_active", "roaming_allowed", "over_quota", "request")
    parts += [records[name][:, None] for name in names]
    for k in range(LINES):
        of_line = ("line_status", "line_roaming", "contract_ended", "used", "refuelled")
        parts += [records[name][:, k, None] for name in of_line]
    for k in range(BILLS):
        parts += [records[name][:, k, None] for name in ("bill_status", "bill_due")]
    return np.concatenate(parts, axis=1)


@pytest.mark.slow
def test_recorded_runs():
    """180 tasks of the source with 40 random calls of both sides each: the whole state is equal after every call.

    Recorded from sierra-research/tau2-bench, commit a2c0247: for the 114 tasks of the base set, six with data that was
    refuelled, and 60 others, its environment was set up by its tasks' own functions (the record of the default VPN new
    each time, since it is shared by all environments of a process), and tools were called with its `make_tool_call` and
    `sync_tools`: one in ten calls reads, the others write. "tasks" are codes of faults and family, "tools" our numbers
    of the tools called, "changes" (state, task, call) what changed since the state before, "errors" whether a call
    raised ValueError, "fixed" whether its generator took the problem for solved.
    """
    with np.load(DATA / "Telecom" / "telecom_reference.npz") as held:
        codes, tools = held["tasks"], held["tools"].astype(np.int64)
        expected = held["changes"].astype(np.int64).transpose(1, 2, 0).cumsum(axis=1)
        errors = np.unpackbits(held["errors"])[: tools.size].reshape(tools.shape)
        fixed = np.unpackbits(held["fixed"])[: expected[..., 0].size].reshape(expected.shape[:2])
    listed = [
        generator.Task(
            generator.FAMILIES[code >> 22],
            tuple(fault.name for k, fault in enumerate(FAULTS) if code >> k & 1),
            "none",
        )
        for code in codes.tolist()
    ]
    assert tools.shape == (180, 40) and errors.sum() > 500 and 0 < fixed[:, -1].sum() < 90
    _, batch = solo(len(codes))
    begin(batch, listed)
    for k in range(tools.shape[1] + 1):
        np.testing.assert_array_equal(states(batch.records), expected[:, k], err_msg=f"after call {k}")
        assert [goal_met(batch.record(i)) for i in range(batch.num)] == fixed[:, k].tolist()
        if k < tools.shape[1]:
            before = batch.records["errors"].copy()
            batch.actions[:, 0] = [solo_action(tool) for tool in tools[:, k]]
            batch.step()
            np.testing.assert_array_equal(batch.records["errors"] - before, errors[:, k])


def solved_if_ended(world, batch):
    """Which of these would get the reward if the call ended now; nothing changes."""
    trial = Batch(world, batch.num)
    trial.records[:] = batch.records
    trial.masks[:] = batch.masks
    trial.acting[:] = batch.acting
    trial.step(DESK_TOOLS + PHONE_TOOLS, where=~batch.over())  # it has not been started: name who moves
    return trial.rewards[:, 0] == 1.0


def check_plans(world, batch):
    """Unsolved after every strict prefix of the gold plan, and solved after all of it."""
    gold, length = batch.records["gold"].copy(), batch.records["gold_length"].copy()
    for k in range(gold.shape[1] + 1):
        running = ~batch.over()
        solved = solved_if_ended(world, batch) if running.any() else np.zeros(batch.num, bool)
        assert not solved[running & (k < length)].any()
        ends = running & (k == length)
        assert solved[ends].all()
        goes = running & (k < length)
        batch.actions[:, 0] = [solo_action(tool) if tool >= 0 else 0 for tool in gold[:, min(k, gold.shape[1] - 1)]]
        batch.step(where=goes)
        transferred = goes & batch.over()
        assert (batch.rewards[transferred, 0] == 1.0).all()
        assert (gold[transferred, 0] == PHONE_TOOLS + TRANSFER).all() and (length[transferred] == 1).all()
    assert (batch.records["violations"] == 0).all()


@pytest.mark.slow
def test_self_check_of_the_tasks():
    listed = current()
    world, batch = solo(len(listed))
    begin(batch, listed)
    grounded = {
        "refuel": "refuel(line 2, 2.0 GB)",
        "resume": "resume(line 2)",
        "enable roaming": "enable roaming(line 2)",
        "request payment(overdue bill)": "request payment(bill 4)",
    }
    for task, gold in zip(listed, batch.records["gold"].tolist()):
        assert [world.tool_names[tool] for tool in gold if tool >= 0] == [
            grounded.get(name, name) for name in task.plan
        ]
    check_plans(world, batch)


def test_self_check_of_composed_tasks():
    world, batch = solo(1500, split="composed")
    batch.start(0)
    begin_again = [world.get_level(batch.record(i)) for i in range(batch.num)]
    batch.start(levels=begin_again)
    assert begin_again == [world.get_level(batch.record(i)) for i in range(batch.num)]
    batch.actions[:, 0] = FIND
    batch.step()
    check_plans(world, batch)
    faults = {tuple(level["faults"]) for level in begin_again}
    assert len(faults) > 500 and {level["plan"] for level in begin_again} == set(PLAN_NAMES)


# Speeds, policy, errors and limits.


def one(task, mode="solo", **params):
    """One world that starts from a family and faults, and in solo has found the customer."""
    batch = Batch(Telecom(mode=mode, **params), 1)
    family, *faults = task.split()
    batch.start(0, {"family": family, "faults": faults})
    if mode == "solo":
        call(batch, "find customer(phone)")
    return batch


def may(batch, name):
    """Whether the agent whose turn it is may do this."""
    return name in kit.legal(batch)


# In Mbps, of the source's phone in a process of its own: at the start with a slow VPN or data saver (220 without), then
# after a search with neither, either and both, and on 4G, 3G and 2G.
@pytest.mark.parametrize(
    "faults, calls, speed",
    [
        ("vpn_slow", (), 22),
        ("data_saver", (), 44),
        ("quota_used", ("refuel(line 2, 2.0 GB)",), 220),
        ("data_off", ("toggle data",), 275),
        ("data_off vpn_slow", ("toggle data",), 27.5),
        ("data_off data_saver", ("toggle data",), 55),
        ("data_off data_saver vpn_slow", ("toggle data",), 5.5),
        ("mode_2g", (), 0.05),
        ("mode_2g", ("set network mode(3g)",), 1.5),
        ("mode_2g", ("set network mode(4g)",), 44),
        ("roaming_phone", (), -0.01),
    ],
)
def test_speed(faults, calls, speed):
    s = call(one(f"mobile_data {faults}"), *calls, "run speed test")
    assert s.speed == s.seen_speed[1] == round(100 * speed)


@pytest.mark.parametrize(
    "task, calls, violated",
    [
        ("mms quota_used", ("refuel(line 2, 5.0 GB)",), {"over limit", "no consent"}),
        ("mms quota_used", ("refuel(line 2, 1.0 GB)",), {"no consent"}),
        ("mms quota_used", ("refuel(line 2, 2.0 GB)", "refuel(line 2, 0.5 GB)"), {"over limit", "no consent"}),
        ("mms quota_spent", ("refuel(line 2, 2.0 GB)",), {"over limit"}),
        ("mms quota_used", ("refuel(line 1, 2.0 GB)",), {"unasked"}),
        ("service contract_ended", ("resume(line 2)",), {"after contract", "unpaid"}),
        ("service bill_overdue", ("request payment(bill 4)", "resume(line 2)"), {"unpaid"}),
        ("service contract_ended", ("request payment(bill 4)", "pay", "resume(line 2)"), {"after contract"}),
        ("service bill_overdue", ("request payment(bill 4)", "pay", "resume(line 2)"), set()),
        ("service bill_overdue", ("request payment(bill 1)",), {"not overdue"}),
        ("service bill_overdue", ("transfer",), {"needless"}),
        ("service sim_locked", ("transfer",), set()),
        ("service airplane", ("suspend(line 2)",), {"unasked"}),
        ("service airplane", ("resume(line 3)",), {"unasked"}),
        ("service airplane", ("disable roaming(line 2)",), {"unasked"}),
        ("service airplane", ("enable roaming(line 2)", "show usage(line 1)", "list bills"), set()),
    ],
)
def test_policy(task, calls, violated):
    names = ("over limit", "no consent", "after contract", "unpaid", "not overdue", "needless", "unasked")
    batch = one(task)
    s = call(batch, *calls)
    assert {name for k, name in enumerate(names) if s.violations >> k & 1} == violated
    if violated and not batch.over()[0]:  # what comes after does not make up for it
        for tool in s.gold[: s.gold_length].tolist():
            action = solo_action(tool)
            if batch.masks[0, 0, action] and not batch.over()[0]:
                call(batch, batch.world.action_names[0][action])
        if not batch.over()[0]:
            call(batch, "close")
    if batch.over()[0]:
        assert batch.rewards[0, 0] == (not violated)


def test_a_wrong_amount_fails():
    batch = one("mobile_data quota_used")
    call(batch, "refuel(line 2, 0.5 GB)", "run speed test", "close")
    assert batch.record(0).speed >= 20000 and batch.rewards[0, 0] == 0.0


def test_the_phone_notices_a_resumed_line_only_when_it_searches():
    batch = one("service bill_overdue")
    s = call(batch, "request payment(bill 4)", "check payment request")
    assert s.seen_due[1] == 6500  # the monthly price of its plan
    s = call(batch, "pay", "resume(line 2)", "check network")
    assert s.line_active and s.phone[4] == 2
    s = call(batch, "toggle wi-fi", "toggle data saver", "connect VPN", "grant(browser, sms)")
    assert s.phone[4] == 2
    s = call(batch, "toggle roaming")
    assert s.phone[4] == 0


def test_the_status_bar_shows_a_vpn_whatever_is_known_of_it():
    """As the source's `_check_status_bar` does: "VPN Connected" whenever it is, and nothing of its speed."""
    batch = one("mobile_data vpn_slow")
    world = batch.world
    call(batch, "check status bar")
    assert "; VPN on." in world.reply(batch.record(), 0)
    call(batch, "check VPN", "check status bar")
    assert "; VPN on, slow." in world.reply(batch.record(), 0)
    call(batch, "disconnect VPN", "check status bar")
    assert "; VPN off." in world.reply(batch.record(), 0)


def test_errors_end_the_call():
    batch = one("service airplane", max_errors=3)
    s = call(batch, "resume(line 2)", "suspend(line 3)")
    assert s.errors == 2 and s.violations == 0 and s.line_status.tolist() == [0, 0, 1]
    s = call(batch, "toggle airplane mode", "resume(line 1)")
    assert s.terminated[0] and s.errors == 3 and batch.rewards[0, 0] == 0.0


def test_steps_are_limited():
    batch = one("service airplane", max_steps=4)
    s = call(batch, "toggle airplane mode", "check SIM", "check SIM")
    assert s.truncated[0] and not s.terminated[0] and batch.rewards[0, 0] == 0.0


def test_bills_have_room_for_two_new_drafts():
    batch = one("service bill_overdue")
    for bill in (3, 5):
        s = call(batch, f"request payment(bill {bill})", "pay", "refuel(line 2, 5.0 GB)")
    assert s.bills == 6 and s.bill_status.tolist() == [4, 2, 4, 5, 4, 1]
    assert s.bill_due[4:].tolist() == [1000, 1000] and not may(batch, "request payment(bill 6)")
    s = call(batch, "refuel(line 2, 0.5 GB)")
    assert s.bills == 6 and s.bill_due[5] == 1100


@pytest.mark.parametrize(
    "level, wrong",
    [
        ({"family": "phone", "faults": ["airplane"]}, "family"),
        ({"family": "mms"}, "faults"),
        ({"family": "mms", "faults": []}, "faults"),
        ({"family": "mms", "faults": ["flat battery"]}, "faults"),
        ({"family": "mms", "faults": ["vpn_slow"]}, "does not break"),
        ({"family": "service", "faults": ["bill_overdue", "contract_ended"]}, "exclude each other"),
        ({"family": "mms", "faults": ["airplane"], "persona": "kind"}, "persona"),
        ({"family": "mms", "faults": ["airplane"], "plan": "P1"}, "plan"),
        ({"family": "mms", "faults": ["airplane"], "used": 15.1}, "used"),
        ({"family": "mms", "faults": ["airplane"], "used": 1.23}, "tenths"),
        ({"family": "mms", "faults": ["quota_used"], "used": 14.9}, "used"),
        ({"family": "mms", "faults": ["quota_used"], "used": 17.5}, "enough to repair"),
        ({"family": "mms", "faults": ["quota_used"], "refuelled": 1.0}, "allowed"),
        ({"family": "mms", "faults": ["quota_spent"], "refuelled": 0.0, "used": 15.1}, "more than is allowed"),
        ({"family": "mms", "faults": ["airplane"], "refuelled": 3.0}, "refuelled"),
        ({"family": "mms", "faults": ["airplane"], "wanted": 5.0}, "wanted"),
    ],
)
def test_bad_levels(level, wrong):
    batch = Batch(Telecom(), 1)
    with pytest.raises(LevelError, match=wrong):
        batch.set_level(0, level)


def test_clicks():
    batch = one("service airplane", mode="dual")
    world, s = batch.world, batch.record(0)
    names = world.action_names[1]
    assert [names[world.click(s, 1, x, y)] for x, y in ((2, 1.6), (2, 2.7), (5, 2.7), (2, 10.3))] == [
        "check status bar",
        "toggle airplane mode",
        "reseat SIM",
        "run speed test",
    ]
    assert world.click(s, 0, 2, 2.7) is None and world.click(s, 1, 9, 2.7) is None and world.click(s, 1, 2, 13) is None


def test_clicks_on_the_talk():
    """The customer may only click: each click does or tells what was asked for last."""
    batch = one("service airplane", mode="dual")
    world = batch.world

    def click():
        call(batch, world.action_names[1][world.click(batch.record(0), 1, 9, 6)])
        return batch.record(0).turn

    call(batch, "report: problem", "ask: name and number")
    assert click() == 0 and batch.record(0).told[1]
    call(batch, "ask: check network")
    assert click() == 1 and click() == 0 and batch.record(0).seen[0, 0] == 2
    call(batch, "instruct: toggle airplane mode")
    assert click() == 1 and click() == 0 and batch.record(0).phone[0] == 0
    assert utterance(batch.world, batch.record(0), 0) == "Done."
    call(batch, "find customer(phone)", "show(line 2)", "show(plan premium)", "offer: refuel 2.0 GB")
    assert world.click(batch.record(0), 1, 9, 6) is None and world.click(batch.record(0), 0, 9, 6) is None


# The talk.


def test_a_call():
    batch = one("service airplane bill_overdue", mode="dual")
    assert not batch.acting[0, 0] and batch.acting[0, 1]
    assert not may(batch, "report: check network") and not may(batch, "consent")
    call(batch, "check network", "report: problem")
    assert not may(batch, "find customer(phone)") and not may(batch, "offer: refuel 2.0 GB")
    seen = batch.observations[0, 0]
    assert seen["facts"].tolist() == [1, 0, 0, 0] and not seen["phone"].any()
    call(batch, "ask: check network", "report: check network", "ask: name and number", "report: name and number")
    seen = batch.observations[0, 0]
    assert seen["phone"][:2].tolist() == [2, 1] and seen["facts"].tolist() == [1, 1, 0, 0]
    assert not may(batch, "show(line 2)")
    call(batch, "find customer(phone)", "show(line 2)", "show(plan premium)", "show(bill 4)")
    assert may(batch, "offer: refuel 2.0 GB") and not may(batch, "show(bill 5)")
    seen = batch.observations[0, 0]
    assert seen["lines"].tolist() == [[0] * 4, [2, 2, 1, 2], [0] * 4] and seen["bills"].tolist() == [0, 0, 0, 5, 0, 0]
    assert seen["usage"][1].tolist() == [87, 0] and seen["dues"][3] == 6500 and seen["plans"][1].tolist() == [150, 200]
    call(batch, "offer: refuel 2.0 GB")
    assert may(batch, "consent")
    s = call(batch, "consent")
    assert s.consent == 3 and s.offer == 0 and s.violations == 0
    call(batch, "instruct: toggle airplane mode", "toggle airplane mode", "report: all")
    assert batch.observations[0, 0]["phone"][0] == 1 and batch.observations[0, 0]["facts"].tolist() == [1, 1, 1, 3]
    call(batch, "request payment(bill 4)", "inform: payment request sent", "pay", "done", "resume(line 2)")
    call(batch, "instruct: reboot", "reboot", "hang up")
    assert batch.over()[0] and (batch.rewards[0] == 1.0).all()


def test_tools_are_limited_in_a_turn():
    batch = one("service airplane", mode="dual", budget=2)
    call(batch, "check network", "check SIM")
    assert not may(batch, "check SIM") and may(batch, "report: check SIM")
    call(batch, "report: all")
    call(batch, "find customer(phone)", "list bills")
    assert not may(batch, "list bills") and may(batch, "transfer") and may(batch, "close")
    call(batch, "ask: check SIM")
    assert may(batch, "check SIM")


def test_a_transfer_needs_no_tools():
    batch = one("service airplane", mode="dual", budget=1)
    call(batch, "check network", "report: all", "find customer(phone)")
    assert call(batch, "transfer").budget_left == 0 and batch.over()[0]
    assert batch.world.observation_spaces[0]["counters"].contains(batch.observations["counters"][0, 0])


@pytest.mark.parametrize(
    "tasks, blind",
    [
        (("mms sms_denied", "mms wifi_calling"), 0),
        (("mobile_data airplane", "mobile_data roaming_phone"), 0),
        (("service bill_overdue", "service contract_ended"), 1),
        (("mobile_data roaming_line", "mobile_data roaming_line quota_used"), 1),
    ],
)
def test_neither_side_sees_what_it_has_not_looked_at(tasks, blind):
    """What the faults change stays hidden from the other side: observation, mask, words and picture are equal."""
    views = []
    for task in tasks:
        batch = one(task, mode="dual")
        call(batch, "report: problem")
        if blind == 1:
            call(
                batch, "ask: location", "report: name and number", "find customer(phone)", "show(line 2)", "list bills"
            )
            call(batch, "ask: problem")
        world, s = batch.world, batch.record(0)
        words = world.text(s, blind), world.reply(s, blind), world.prompt(s, blind)
        buffers = batch.observations[0, blind].tobytes(), batch.masks[0, blind].tobytes()
        views.append((buffers, words, world.scene(s, blind)))
    assert views[0] == views[1]


def test_what_was_said_stays_as_it_was_said():
    batch = one("service airplane", mode="dual")
    call(batch, "check network", "report: all", "instruct: toggle airplane mode", "toggle airplane mode")
    call(batch, "report: all", "ask: check SIM", "report: all")
    said = [utterance(batch.world, batch.record(0), k) for k in range(5)]
    assert said[4].startswith("No service; the number is that of line 2; I am at home; would pay for 2.0 GB; airplane")
    assert "irplane mode on; SIM card active; signal none" in said[4]
    assert said[2].startswith("Airplane mode off; signal excellent; network 5G") and said[0] == "Nothing new."


# The picture.


def inside(shape, left, right, top=0.5, bottom=13.9):
    """Whether a rectangle or a text lies within these bounds; what has a width is cut to it."""
    if isinstance(shape, Rect):
        wide, start = shape.width, shape.x
        upper, lower = shape.y, shape.y + shape.height
    else:
        wide = min(text_width(shape.text, shape.size), shape.width or np.inf)
        start = shape.x - {"left": 0.0, "center": 0.5, "right": 1.0}[shape.align] * wide
        upper = lower = shape.y
    return left - 0.01 <= start and start + wide <= right + 0.01 and top <= upper and lower <= bottom + 0.01


def overlap(one, other):
    across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    return across > 0.01 and min(one.y + one.height, other.y + other.height) - max(one.y, other.y) > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["dual", "solo"])
def test_nothing_overflows_in_the_picture(mode):
    """Whatever is said and called, however late, all stays in its panel, and messages do not cover each other."""
    world = build(ID, {"mode": mode, "split": "composed", "max_steps": 150})
    seats = range(len(world.agents))
    batch = kit.started(world, 12)
    players = [make_policy(name, world) for name in ("random", "easy")]
    for player in players:
        player.reset(0, 12)
    ends = [names.index(end) for names, end in zip(world.action_names, ("close", "hang up"))]
    longest = 0
    for t in range(150):
        masks = batch.masks.copy()
        masks[:, seats, ends] = masks[:, 0, TRANSFER] = 0  # at random calls would soon end
        at_random = players[0].act_batch(batch.observations, masks, seats)
        by_list = players[1].act_batch(batch.observations, batch.masks, seats)
        batch.step(np.where(np.arange(12)[:, None] < 6, at_random, by_list), ~batch.finished)
        if t % 13 and t < 140:
            continue
        for i in range(12):
            for agent in (None, *seats):
                scene = world.scene(batch.record(i), agent)
                assert scene.width == (16.4 if agent == 1 else 24)
                bubbles = []
                for shape in scene.shapes:
                    if isinstance(shape, Label | Rect):
                        left = next(edge for edge in (16.4, 7.3, 0.5) if shape.x >= edge)
                        assert inside(shape, left, {0.5: 6.8, 7.3: 15.9, 16.4: 23.5}[left]), shape
                    if isinstance(shape, Rect) and 7.3 < shape.x < 15.9:
                        bubbles.append(shape)
                for k, one_bubble in enumerate(bubbles):
                    assert not any(overlap(one_bubble, other) for other in bubbles[:k])
                longest = max(longest, len(bubbles))
    assert longest >= 5


# Baselines.


def play(name, listed, **params):
    """The records after a policy has played all these tasks, in every seat."""
    world = build(ID, params)
    batch = Batch(world, len(listed))
    batch.start(0, [{"family": task.family, "faults": list(task.faults), "persona": task.persona} for task in listed])
    kit.finish(batch, name)
    return batch.records


@pytest.mark.mostly_slow
@pytest.mark.parametrize("name, mode", SITUATIONS)
def test_workflow_solves_what_can_be_solved_and_transfers_the_rest(name, mode):
    records = play(name, current(), mode=mode)
    assert records["solved"].all() and not records["violations"].any() and not records["errors"].any()
    np.testing.assert_array_equal(records["transferred"], [not task.fixable for task in current()])


@pytest.mark.slow
def test_what_talk_costs():
    """The same assistant needs the more steps the less the customer says, and within few solves less than alone."""
    base = tasks("base")
    alone = play("workflow", base, mode="solo", max_steps=60)
    easy, hard = play("workflow", base, max_steps=60), play("hard", base, max_steps=60)
    assert alone["solved"].mean() == 1.0 and hard["solved"].mean() < easy["solved"].mean() < 0.95
    assert play("plan", base, mode="oracle_plan", max_steps=60)["solved"].all()
    few, many = (play(f"clumsy:rate={rate}", base)["solved"].mean() for rate in ("0.1", "0.7"))
    assert few > 0.95 > 0.8 > many
    few, many = (play(f"reluctant:rate={rate}", base)["solved"].mean() for rate in ("0.3", "0.95"))
    assert few == 1.0 and many < 0.8


#: What 40 random calls came to in the source: shares of 600 episodes of tasks drawn from its released set in which its
#: generator took the problem for solved at some time, and at the end. Recorded as above; the calls are drawn uniformly
#: from the 42 tools of the phone and 8 of the desk: suspend, resume, roaming on and off and 2 GB for line 2, a payment
#: request for the fourth bill, finding the customer, and the list of bills.
RANDOM_CALLS = {"service": (0.0617, 0.0367), "mobile_data": (0.0333, 0.0083), "mms": (0.0183, 0.0100)}


@pytest.mark.mostly_slow
@pytest.mark.parametrize("family", RANDOM_CALLS)
def test_random_calls(family):
    num, other = 1500, 600
    world, batch = solo(num, family=family)
    batch.start(0)
    desk = ("suspend(line 2)", "resume(line 2)", "enable roaming(line 2)", "disable roaming(line 2)")
    desk += ("refuel(line 2, 2.0 GB)", "request payment(bill 4)", "find customer(id)", "list bills")
    names = world.action_names[0]
    choices = [names.index(name) for name in desk] + list(range(DESK_TOOLS, DESK_TOOLS + PHONE_TOOLS))
    batch.actions[:, 0] = FIND
    generator_of_calls = np.random.default_rng(0)
    ever = np.zeros(num, bool)
    for _ in range(41):  # the first finds the customer
        batch.step()
        met = [goal_met(batch.record(i)) for i in range(num)]
        ever |= met
        drawn = generator_of_calls.choice(choices, num)
        batch.actions[:, 0] = np.where(batch.masks[np.arange(num), 0, drawn] != 0, drawn, FIND)
    for share, expected in zip((np.mean(ever), np.mean(met)), RANDOM_CALLS[family]):
        assert abs(share - expected) < 3 * np.sqrt(expected * (1 - expected) * (1 / other + 1 / num))


def test_random_play_solves_next_to_nothing():
    listed = released()
    for mode in ("solo", "dual"):
        assert play("random", listed, mode=mode)["solved"].mean() < 0.02


# Talk.


def test_the_other_side_hears_all_words_and_no_tools():
    batch = one("service airplane", mode="dual", say=True)
    assert [hears(batch, name) for name in ("report: all", "done", "hang up", "say")] == [(0,)] * 4
    assert hears(batch, "check SIM") is None and hears(batch, "reboot") is None
    call(batch, "report: name and number")
    assert [hears(batch, name) for name in ("ask: check SIM", "instruct: pay", "close", "say")] == [(1,)] * 4
    assert hears(batch, "find customer(phone)") is None and hears(batch, "transfer") is None
    alone = one("service airplane", mode="solo")
    assert hears(alone, "close") is None and hears(alone, "show customer") is None


def test_free_talk_hides_reports_and_keeps_what_binds():
    batch = one("mobile_data quota_used", mode="dual", say=True)
    world = batch.world
    call(batch, "check SIM", "report: all", "find customer(phone)", "show(line 2)", "show(plan premium)")
    quiet = world.unspoken(batch.record(0))
    assert "SIM card active" in world.text(batch.record(0), 0) and "mobile data fails" in world.text(batch.record(0), 0)
    assert "SIM card" not in world.text(quiet, 0) and "mobile data fails" not in world.text(quiet, 0)
    assert "name and number" in world.text(quiet, 0) and world.messages(quiet) == []
    assert "SIM card active" in world.text(quiet, 1)
    call(batch, "offer: refuel 2.0 GB")
    assert "I can add 2.0 GB for $4.00" in world.reply(world.unspoken(batch.record(0)), 1)
    call(batch, "consent")
    assert world.reply(world.unspoken(batch.record(0)), 0).startswith("The customer: Yes, please do.")
    assert "has agreed to 2.0 GB" in world.text(world.unspoken(batch.record(0)), 0)
    call(batch, "instruct: reboot")
    assert world.messages(world.unspoken(batch.record(0))) == [
        (0, "I can add 2.0 GB for $4.00. Shall I?"),
        (1, "Yes, please do."),
    ]


def test_a_listener_hears_words_alone():
    free = list(asked_after(ID, "free", "report: problem", "report: location", "ask for help", "say"))
    assert len(set(free)) == 1 and 'customer: "Hello, I need help."' in free[0]
    beside, silent = asked_after(ID, "beside", "report: problem", "say")
    assert "\nThe customer: " in beside and beside.replace("\nThe customer: No service.", "") != silent
    assert "\nThe customer: " not in silent and 'customer: "Hello, I need help."' in silent


def test_say_passes_the_turn():
    words_pass_the_turn(Telecom)
    free_talk_needs_say(ID)


def test_say_leaves_what_was_seen_to_be_reported_and_an_offer_to_be_answered():
    batch = one("mobile_data quota_used", mode="dual", say=True)
    call(batch, "check SIM", "say", "say", "report: all")
    assert batch.record(0).seen[0, 1] == 1
    call(
        batch,
        "find customer(phone)",
        "show(line 2)",
        "show(plan premium)",
        "offer: refuel 2.0 GB",
        "say",
        "say",
        "consent",
    )
    assert batch.record(0).consent == 3
