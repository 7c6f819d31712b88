"""The phone and the carrier of Telecom: how a task begins, and what their tools change and show."""

from __future__ import annotations

from envsuite.core.kernel import kernel, large_kernel
from envsuite.dual_control.telecom_terms import (
    ACTIVE,
    AFTER_CONTRACT,
    AIRPLANE,
    AMOUNTS,
    APN,
    AWAITING,
    BILLS,
    BROKEN,
    CALLER,
    CALLING,
    CALLING_TAKES,
    CONNECT_VPN,
    CONNECTED,
    CONNECTED_VPN,
    COVERS,
    DATA,
    DISABLE,
    DISCONNECT_VPN,
    DRAFT,
    ENABLE,
    F_CONTRACT,
    F_ROAMING_BOTH,
    F_ROAMING_PHONE,
    FAST,
    GRANT,
    ISSUED,
    LABELS,
    LIMIT,
    LINE_ACTIVE,
    LINES,
    LIST_BILLS,
    LOCK,
    MISSING,
    MMSC,
    MODE,
    MONTHLY,
    MOST_ADDED,
    NO_BILL,
    NO_CONSENT,
    NO_SERVICE,
    NOT_OVERDUE,
    OVER_LIMIT,
    OVERDUE,
    OVERDUE_BILL,
    PAID,
    PAY,
    PAYMENT_REQUEST,
    PENDING,
    PERMISSION,
    PHONE,
    PLANS,
    QUIET,
    READS,
    REBOOT,
    REFUEL,
    REFUEL_PRICE,
    REQUEST,
    REQUEST_PAYMENT,
    RESEAT,
    RESET_APN,
    RESET_PENDING,
    RESUME,
    ROAMING,
    SAVER,
    SEARCHES,
    SENDING,
    SERVER,
    SET_APN,
    SET_MODE,
    SHOW_BILL,
    SHOW_LINE,
    SHOW_PLAN,
    SHOW_USAGE,
    SIGNAL,
    SIM,
    SLOW,
    SMS,
    SPEED,
    SPEED_TEST,
    SPEEDS,
    STATUS,
    STATUS_BAR,
    STORAGE,
    SUSPEND,
    SUSPENDED,
    SUSPENSIONS,
    SWITCHES,
    TECHNOLOGY,
    TOGGLE_AIRPLANE,
    UNASKED,
    UNPAID,
    UNSEATED,
    VISIBLE,
    VPN,
    WIFI,
)
from envsuite.kit.desk import CUSTOMER, TALK

# The phone.


@large_kernel
def search(s):
    """The phone searches for a network. It sees the carrier in its state at the last sync."""
    s.phone[SIM] = MISSING if s.phone[UNSEATED] else s.phone[LOCK]
    reached = s.phone[SIM] == ACTIVE and not s.phone[AIRPLANE] and not s.phone[APN] and s.line_active != 0
    if reached:
        technology = 4 - s.phone[MODE]  # 5G, 4G, 3G or 2G, each with one bar more than the next
        s.phone[STATUS] = CONNECTED
        s.phone[TECHNOLOGY] = technology
        s.phone[SIGNAL] = technology
    else:
        s.phone[STATUS] = NO_SERVICE
        s.phone[TECHNOLOGY] = 0
        s.phone[SIGNAL] = 0


@kernel
def data_works(s):
    if s.phone[AIRPLANE] or s.phone[SIGNAL] == 0 or s.phone[STATUS] == NO_SERVICE:
        return False
    if s.abroad and not (s.phone[ROAMING] and s.roaming_allowed):
        return False
    return s.phone[DATA] != 0 and s.over_quota == 0


@large_kernel
def sync(s):
    """Update what phone and carrier know of each other, after each change."""
    s.line_active = s.line_status[CALLER] == LINE_ACTIVE
    s.roaming_allowed = s.line_roaming[CALLER]
    s.over_quota = s.used[CALLER] >= LIMIT[s.plan] + s.refuelled[CALLER]
    if s.request >= 0 and s.paying:
        s.bill_status[s.request] = PAID
        s.request = -1
    s.paying = 0
    if s.request < 0:
        for k in range(BILLS - 1, -1, -1):
            if s.bill_status[k] == AWAITING:
                s.request = k
    s.phone[REQUEST] = s.request >= 0
    works = data_works(s)
    s.speed = -1
    label = 0
    if works:
        s.speed = SPEEDS[s.phone[TECHNOLOGY], s.phone[SIGNAL], int(s.phone[VPN] == SLOW), s.phone[SAVER]]
        label = 1
        for k in range(4):
            label += s.speed >= LABELS[k]
    s.phone[SPEED] = label
    hijacked = s.phone[CALLING] & s.phone[CALLING_TAKES]
    allowed = s.phone[SMS] & s.phone[STORAGE]
    s.phone[SENDING] = works and s.phone[TECHNOLOGY] != 1 and not hijacked and s.phone[MMSC] != 0 and allowed != 0


@kernel
def look(s, quantity):
    """The customer sees a value."""
    s.seen[CUSTOMER, quantity] = s.phone[quantity] + 1
    s.fresh[quantity] = 1
    s.shown[quantity] = 1


@large_kernel
def look_at_bar(s):
    s.looked[STATUS_BAR] = 1
    look(s, AIRPLANE)
    if not s.phone[AIRPLANE]:
        look(s, SIGNAL)
        look(s, TECHNOLOGY)
        if s.phone[TECHNOLOGY] != 0:
            look(s, DATA)
            if s.phone[DATA]:
                look(s, SAVER)
    known = s.seen[CUSTOMER, VPN]
    look(s, VPN)
    if s.phone[VPN] != 0:  # the bar shows that it is on; the customer may already know whether it is slow
        s.seen[CUSTOMER, VPN] = known if known >= 2 else CONNECTED_VPN + 1


@large_kernel
def read_phone(s, tool):
    s.looked[tool] = 1
    if tool == STATUS_BAR:
        look_at_bar(s)
        return
    for quantity in range(VISIBLE):
        if COVERS[tool, quantity]:
            look(s, quantity)
    if tool == SPEED_TEST:
        s.seen_speed[CUSTOMER] = s.speed
    elif tool == PAYMENT_REQUEST:
        s.seen_due[CUSTOMER] = s.bill_due[s.request] if s.request >= 0 else -1


@kernel
def toggle(s, quantity):
    """Turn a switch of the phone; return the quantity that the customer then sees, or -1."""
    if quantity == WIFI and s.phone[AIRPLANE]:
        return -1
    s.phone[quantity] = 1 - s.phone[quantity]
    if quantity != AIRPLANE:
        return quantity
    if s.phone[AIRPLANE]:
        s.phone[VPN] = 0
    return -1


@large_kernel
def write_phone(s, tool):
    """The customer changes something on the phone. These calls are never errors, whatever their result is."""
    phone = s.phone
    shown = -1
    if tool < SET_MODE:
        shown = toggle(s, SWITCHES[tool - TOGGLE_AIRPLANE])
    elif tool < RESEAT:
        phone[MODE] = tool - SET_MODE
        shown = MODE
    elif tool == RESEAT:
        phone[UNSEATED] = 0
    elif tool == RESET_APN:
        phone[RESET_PENDING] = 1
    elif tool == SET_APN or (tool == REBOOT and phone[RESET_PENDING]):
        phone[APN] = 0
        phone[MMSC] = 1
        phone[RESET_PENDING] = 0
    elif tool == CONNECT_VPN:
        phone[VPN] = phone[SERVER]
    elif tool == DISCONNECT_VPN:
        phone[VPN] = 0
    elif GRANT <= tool < REBOOT:
        shown = PERMISSION + tool - GRANT
        phone[shown] = 1
    elif tool == PAY:
        s.paying = 1
    if SEARCHES[tool - len(READS)]:
        search(s)
    if shown >= 0:
        look(s, shown)
    if tool != PAY:
        look_at_bar(s)


# The desk.


@kernel
def know_bill(s, k):
    s.known_bill[k] = s.bill_status[k]
    s.known_due[k] = s.bill_due[k]


@kernel
def know_line(s, line):
    s.known_line[line, 0] = s.line_status[line] + 1
    s.known_line[line, 1] = s.line_roaming[line] + 1
    s.known_line[line, 2] = s.contract_ended[line] + 1
    s.known_line[line, 3] = s.line_plan[line] + 1
    s.known_usage[line, 0] = s.used[line]
    s.known_usage[line, 1] = s.refuelled[line]


@large_kernel
def read_desk(s, tool):
    if tool < SHOW_LINE:
        s.identified = 1
    elif tool < SHOW_BILL:
        know_line(s, tool - SHOW_LINE)
    elif tool < SHOW_PLAN:
        know_bill(s, tool - SHOW_BILL)
    elif tool < LIST_BILLS:
        plan = tool - SHOW_PLAN
        s.known_plan[plan, 0] = LIMIT[plan]
        s.known_plan[plan, 1] = REFUEL_PRICE[plan]
    elif tool == LIST_BILLS:
        for k in range(s.bills):
            know_bill(s, k)
    else:
        line = tool - SHOW_USAGE
        s.known_usage[line, 0] = s.used[line]
        s.known_usage[line, 1] = s.refuelled[line]


@kernel
def charge(s, cents):
    """Add a charge to the draft of the next bill, or to a new draft if there is none."""
    draft = -1
    for k in range(s.bills - 1, -1, -1):
        if s.bill_status[k] == DRAFT:
            draft = k
    if draft < 0 and s.bills < BILLS:
        draft = s.bills
        s.bills += 1
        s.bill_status[draft] = DRAFT
    if draft >= 0:
        s.bill_due[draft] += cents


@large_kernel
def refuel(s, line, amount):
    if s.refuelled[line] + amount > MOST_ADDED:
        s.violations |= OVER_LIMIT
    if line != CALLER:
        s.violations |= UNASKED
    elif s.consent == 0 or AMOUNTS[s.consent - 1] != amount:
        s.violations |= NO_CONSENT
    else:
        s.consent = 0
    s.refuelled[line] += amount
    charge(s, amount * REFUEL_PRICE[s.line_plan[line]] // 10)
    s.known_usage[line, 1] = s.refuelled[line]


@large_kernel
def write_desk(s, tool):
    """The assistant changes something at the carrier; return whether the call is an error, which changes nothing."""
    if tool < RESUME:
        line = tool - SUSPEND
        if s.line_status[line] != LINE_ACTIVE:
            return True
        s.violations |= UNASKED
        s.line_status[line] = SUSPENDED
        s.known_line[line, 0] = SUSPENDED + 1
    elif tool < ENABLE:
        line = tool - RESUME
        if s.line_status[line] != SUSPENDED and s.line_status[line] != PENDING:
            return True
        if line != CALLER:
            s.violations |= UNASKED
        if s.contract_ended[line]:
            s.violations |= AFTER_CONTRACT
        if s.bill_status[OVERDUE_BILL] != PAID and s.faults & SUSPENSIONS != 0:
            s.violations |= UNPAID
        s.line_status[line] = LINE_ACTIVE
        s.known_line[line, 0] = LINE_ACTIVE + 1
    elif tool < REFUEL:
        on = tool < DISABLE
        line = tool - ENABLE if on else tool - DISABLE
        if line != CALLER or not on:
            s.violations |= UNASKED
        s.line_roaming[line] = on
        s.known_line[line, 1] = on + 1
    elif tool < REQUEST_PAYMENT:
        refuel(s, (tool - REFUEL) // 4, AMOUNTS[(tool - REFUEL) % 4])
    else:
        if s.request >= 0:
            return True
        bill = tool - REQUEST_PAYMENT
        if s.bill_status[bill] != OVERDUE:
            s.violations |= NOT_OVERDUE
        s.bill_status[bill] = AWAITING
        s.known_bill[bill] = AWAITING
    return False


# A task begins.


@kernel
def has(s, fault):
    return (s.faults >> fault) & 1


@large_kernel
def set_up(s):
    """Set up phone and carrier without faults."""
    for k in range(PHONE):
        s.phone[k] = 0
    s.phone[SIGNAL] = 3
    s.phone[TECHNOLOGY] = 4
    s.phone[DATA] = 1
    s.phone[MMSC] = 1
    s.phone[SERVER] = FAST
    for k in range(3):  # messaging has SMS, storage and phone; the browser has storage and network
        s.phone[PERMISSION + k] = 1
    s.phone[PERMISSION + 5] = 1
    s.phone[PERMISSION + 7] = 1
    s.abroad = 0
    s.request = -1
    s.paying = 0
    for line in range(LINES):
        s.line_status[line] = LINE_ACTIVE
        s.line_roaming[line] = line == CALLER
        s.contract_ended[line] = 0
        s.line_plan[line] = s.plan if line == CALLER else 0
        s.used[line] = s.used_at_start if line == CALLER else 0
        s.refuelled[line] = s.refuelled_at_start if line == CALLER else 0
    s.used[0] = 32
    s.line_status[2] = SUSPENDED
    for k in range(BILLS):
        s.bill_status[k] = NO_BILL
        s.bill_due[k] = 0
    s.bill_status[0] = PAID
    s.bill_due[0] = 16050
    s.bill_status[1] = ISSUED
    s.bill_due[1] = 15000
    s.bill_status[2] = DRAFT
    s.bill_due[2] = s.refuelled_at_start * REFUEL_PRICE[s.plan] // 10
    s.bills = OVERDUE_BILL + (s.faults & SUSPENSIONS != 0)


@large_kernel
def break_things(s):
    """Set up the faults."""
    for k in range(BROKEN.shape[0]):
        if has(s, BROKEN[k, 0]):
            s.phone[BROKEN[k, 1]] = BROKEN[k, 2]
    if s.faults & SUSPENSIONS != 0:
        s.bill_status[OVERDUE_BILL] = OVERDUE
        s.bill_due[OVERDUE_BILL] = MONTHLY[s.plan]
        s.line_status[CALLER] = SUSPENDED
        s.contract_ended[CALLER] = has(s, F_CONTRACT)
    if s.faults >> F_ROAMING_BOTH != 0:
        s.abroad = 1
        s.line_roaming[CALLER] = has(s, F_ROAMING_PHONE)
    sync(s)
    if s.faults & ~QUIET != 0:
        search(s)
        sync(s)


@large_kernel
def forget(s):
    """Neither side has seen or said anything."""
    for side in range(2):
        for k in range(VISIBLE):
            s.seen[side, k] = 0
        s.seen_speed[side] = -1
        s.seen_due[side] = -1
    for k in range(TALK):
        for quantity in range(VISIBLE + 1):
            s.said[k, quantity] = 0
        s.said_amounts[k, 0] = -1
        s.said_amounts[k, 1] = -1
    for k in range(VISIBLE):
        s.fresh[k] = 0
        s.shown[k] = 0
    for k in range(len(READS)):
        s.looked[k] = 0
    for line in range(LINES):
        for k in range(4):
            s.known_line[line, k] = 0
        s.known_usage[line, 0] = -1
        s.known_usage[line, 1] = -1
    for k in range(BILLS):
        s.known_bill[k] = 0
        s.known_due[k] = -1
    for k in range(PLANS):
        s.known_plan[k, 0] = -1
        s.known_plan[k, 1] = -1
