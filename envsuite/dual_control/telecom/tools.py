"""The phone and the carrier of Telecom: how a task begins, and what their tools change and show."""

from __future__ import annotations

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.dual_control.telecom import terms
from envsuite.kit.desk import CUSTOMER, TALK

# The phone.


@large_kernel
def search(s):
    """The phone searches for a network. It sees the carrier in its state at the last sync."""
    s.phone[terms.SIM] = terms.MISSING if s.phone[terms.UNSEATED] else s.phone[terms.LOCK]
    reached = (
        s.phone[terms.SIM] == terms.ACTIVE
        and not s.phone[terms.AIRPLANE]
        and not s.phone[terms.APN]
        and s.line_active != 0
    )
    if reached:
        technology = 4 - s.phone[terms.MODE]  # 5G, 4G, 3G or 2G, each with one bar more than the next
        s.phone[terms.STATUS] = terms.CONNECTED
        s.phone[terms.TECHNOLOGY] = technology
        s.phone[terms.SIGNAL] = technology
    else:
        s.phone[terms.STATUS] = terms.NO_SERVICE
        s.phone[terms.TECHNOLOGY] = 0
        s.phone[terms.SIGNAL] = 0


@kernel
def data_works(s):
    if s.phone[terms.AIRPLANE] or s.phone[terms.SIGNAL] == 0 or s.phone[terms.STATUS] == terms.NO_SERVICE:
        return False
    if s.abroad and not (s.phone[terms.ROAMING] and s.roaming_allowed):
        return False
    return s.phone[terms.DATA] != 0 and s.over_quota == 0


@large_kernel
def sync(s):
    """Update what phone and carrier know of each other, after each change."""
    s.line_active = s.line_status[terms.CALLER] == terms.LINE_ACTIVE
    s.roaming_allowed = s.line_roaming[terms.CALLER]
    s.over_quota = s.used[terms.CALLER] >= terms.LIMIT[s.plan] + s.refuelled[terms.CALLER]
    if s.request >= 0 and s.paying:
        s.bill_status[s.request] = terms.PAID
        s.request = -1
    s.paying = 0
    if s.request < 0:
        for k in range(terms.BILLS - 1, -1, -1):
            if s.bill_status[k] == terms.AWAITING:
                s.request = k
    s.phone[terms.REQUEST] = s.request >= 0
    works = data_works(s)
    s.speed = -1
    label = 0
    if works:
        s.speed = terms.SPEEDS[
            s.phone[terms.TECHNOLOGY],
            s.phone[terms.SIGNAL],
            int(s.phone[terms.VPN] == terms.SLOW),
            s.phone[terms.SAVER],
        ]
        label = 1
        for k in range(4):
            label += s.speed >= terms.LABELS[k]
    s.phone[terms.SPEED] = label
    hijacked = s.phone[terms.CALLING] & s.phone[terms.CALLING_TAKES]
    allowed = s.phone[terms.SMS] & s.phone[terms.STORAGE]
    s.phone[terms.SENDING] = (
        works and s.phone[terms.TECHNOLOGY] != 1 and not hijacked and s.phone[terms.MMSC] != 0 and allowed != 0
    )


@kernel
def look(s, quantity):
    """The customer sees a value."""
    s.seen[CUSTOMER, quantity] = s.phone[quantity] + 1
    s.fresh[quantity] = 1
    s.shown[quantity] = 1


@large_kernel
def look_at_bar(s):
    s.looked[terms.STATUS_BAR] = 1
    look(s, terms.AIRPLANE)
    if not s.phone[terms.AIRPLANE]:
        look(s, terms.SIGNAL)
        look(s, terms.TECHNOLOGY)
        if s.phone[terms.TECHNOLOGY] != 0:
            look(s, terms.DATA)
            if s.phone[terms.DATA]:
                look(s, terms.SAVER)
    known = s.seen[CUSTOMER, terms.VPN]
    look(s, terms.VPN)
    if s.phone[terms.VPN] != 0:  # the bar shows that it is on; the customer may already know whether it is slow
        s.seen[CUSTOMER, terms.VPN] = known if known >= 2 else terms.CONNECTED_VPN + 1


@large_kernel
def read_phone(s, tool):
    s.looked[tool] = 1
    if tool == terms.STATUS_BAR:
        look_at_bar(s)
        return
    for quantity in range(terms.VISIBLE):
        if terms.COVERS[tool, quantity]:
            look(s, quantity)
    if tool == terms.SPEED_TEST:
        s.seen_speed[CUSTOMER] = s.speed
    elif tool == terms.PAYMENT_REQUEST:
        s.seen_due[CUSTOMER] = s.bill_due[s.request] if s.request >= 0 else -1


@kernel
def toggle(s, quantity):
    """Turn a switch of the phone; return the quantity that the customer then sees, or -1."""
    if quantity == terms.WIFI and s.phone[terms.AIRPLANE]:
        return -1
    s.phone[quantity] = 1 - s.phone[quantity]
    if quantity != terms.AIRPLANE:
        return quantity
    if s.phone[terms.AIRPLANE]:
        s.phone[terms.VPN] = 0
    return -1


@large_kernel
def write_phone(s, tool):
    """The customer changes something on the phone. These calls are never errors, whatever their result is."""
    phone = s.phone
    shown = -1
    if tool < terms.SET_MODE:
        shown = toggle(s, terms.SWITCHES[tool - terms.TOGGLE_AIRPLANE])
    elif tool < terms.RESEAT:
        phone[terms.MODE] = tool - terms.SET_MODE
        shown = terms.MODE
    elif tool == terms.RESEAT:
        phone[terms.UNSEATED] = 0
    elif tool == terms.RESET_APN:
        phone[terms.RESET_PENDING] = 1
    elif tool == terms.SET_APN or (tool == terms.REBOOT and phone[terms.RESET_PENDING]):
        phone[terms.APN] = 0
        phone[terms.MMSC] = 1
        phone[terms.RESET_PENDING] = 0
    elif tool == terms.CONNECT_VPN:
        phone[terms.VPN] = phone[terms.SERVER]
    elif tool == terms.DISCONNECT_VPN:
        phone[terms.VPN] = 0
    elif terms.GRANT <= tool < terms.REBOOT:
        shown = terms.PERMISSION + tool - terms.GRANT
        phone[shown] = 1
    elif tool == terms.PAY:
        s.paying = 1
    if terms.SEARCHES[tool - len(terms.READS)]:
        search(s)
    if shown >= 0:
        look(s, shown)
    if tool != terms.PAY:
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
    if tool < terms.SHOW_LINE:
        s.identified = 1
    elif tool < terms.SHOW_BILL:
        know_line(s, tool - terms.SHOW_LINE)
    elif tool < terms.SHOW_PLAN:
        know_bill(s, tool - terms.SHOW_BILL)
    elif tool < terms.LIST_BILLS:
        plan = tool - terms.SHOW_PLAN
        s.known_plan[plan, 0] = terms.LIMIT[plan]
        s.known_plan[plan, 1] = terms.REFUEL_PRICE[plan]
    elif tool == terms.LIST_BILLS:
        for k in range(s.bills):
            know_bill(s, k)
    else:
        line = tool - terms.SHOW_USAGE
        s.known_usage[line, 0] = s.used[line]
        s.known_usage[line, 1] = s.refuelled[line]


@kernel
def charge(s, cents):
    """Add a charge to the draft of the next bill, or to a new draft if there is none."""
    draft = -1
    for k in range(s.bills - 1, -1, -1):
        if s.bill_status[k] == terms.DRAFT:
            draft = k
    if draft < 0 and s.bills < terms.BILLS:
        draft = s.bills
        s.bills += 1
        s.bill_status[draft] = terms.DRAFT
    if draft >= 0:
        s.bill_due[draft] += cents


@large_kernel
def refuel(s, line, amount):
    if s.refuelled[line] + amount > terms.MOST_ADDED:
        s.violations |= terms.OVER_LIMIT
    if line != terms.CALLER:
        s.violations |= terms.UNASKED
    elif s.consent == 0 or terms.AMOUNTS[s.consent - 1] != amount:
        s.violations |= terms.NO_CONSENT
    else:
        s.consent = 0
    s.refuelled[line] += amount
    charge(s, amount * terms.REFUEL_PRICE[s.line_plan[line]] // 10)
    s.known_usage[line, 1] = s.refuelled[line]


@large_kernel
def write_desk(s, tool):
    """The assistant changes something at the carrier; return whether the call is an error, which changes nothing."""
    if tool < terms.RESUME:
        line = tool - terms.SUSPEND
        if s.line_status[line] != terms.LINE_ACTIVE:
            return True
        s.violations |= terms.UNASKED
        s.line_status[line] = terms.SUSPENDED
        s.known_line[line, 0] = terms.SUSPENDED + 1
    elif tool < terms.ENABLE:
        line = tool - terms.RESUME
        if s.line_status[line] != terms.SUSPENDED and s.line_status[line] != terms.PENDING:
            return True
        if line != terms.CALLER:
            s.violations |= terms.UNASKED
        if s.contract_ended[line]:
            s.violations |= terms.AFTER_CONTRACT
        if s.bill_status[terms.OVERDUE_BILL] != terms.PAID and s.faults & terms.SUSPENSIONS != 0:
            s.violations |= terms.UNPAID
        s.line_status[line] = terms.LINE_ACTIVE
        s.known_line[line, 0] = terms.LINE_ACTIVE + 1
    elif tool < terms.REFUEL:
        on = tool < terms.DISABLE
        line = tool - terms.ENABLE if on else tool - terms.DISABLE
        if line != terms.CALLER or not on:
            s.violations |= terms.UNASKED
        s.line_roaming[line] = on
        s.known_line[line, 1] = on + 1
    elif tool < terms.REQUEST_PAYMENT:
        refuel(s, (tool - terms.REFUEL) // 4, terms.AMOUNTS[(tool - terms.REFUEL) % 4])
    else:
        if s.request >= 0:
            return True
        bill = tool - terms.REQUEST_PAYMENT
        if s.bill_status[bill] != terms.OVERDUE:
            s.violations |= terms.NOT_OVERDUE
        s.bill_status[bill] = terms.AWAITING
        s.known_bill[bill] = terms.AWAITING
    return False


# A task begins.


@kernel
def has(s, fault):
    return (s.faults >> fault) & 1


@large_kernel
def set_up(s):
    """Set up phone and carrier without faults."""
    fill(s.phone, 0)
    s.phone[terms.SIGNAL] = 3
    s.phone[terms.TECHNOLOGY] = 4
    s.phone[terms.DATA] = 1
    s.phone[terms.MMSC] = 1
    s.phone[terms.SERVER] = terms.FAST
    for k in range(3):  # messaging has SMS, storage and phone; the browser has storage and network
        s.phone[terms.PERMISSION + k] = 1
    s.phone[terms.PERMISSION + 5] = 1
    s.phone[terms.PERMISSION + 7] = 1
    s.abroad = 0
    s.request = -1
    s.paying = 0
    for line in range(terms.LINES):
        s.line_status[line] = terms.LINE_ACTIVE
        s.line_roaming[line] = line == terms.CALLER
        s.contract_ended[line] = 0
        s.line_plan[line] = s.plan if line == terms.CALLER else 0
        s.used[line] = s.used_at_start if line == terms.CALLER else 0
        s.refuelled[line] = s.refuelled_at_start if line == terms.CALLER else 0
    s.used[0] = 32
    s.line_status[2] = terms.SUSPENDED
    fill(s.bill_status, terms.NO_BILL)
    fill(s.bill_due, 0)
    s.bill_status[0] = terms.PAID
    s.bill_due[0] = 16050
    s.bill_status[1] = terms.ISSUED
    s.bill_due[1] = 15000
    s.bill_status[2] = terms.DRAFT
    s.bill_due[2] = s.refuelled_at_start * terms.REFUEL_PRICE[s.plan] // 10
    s.bills = terms.OVERDUE_BILL + (s.faults & terms.SUSPENSIONS != 0)


@large_kernel
def break_things(s):
    """Set up the faults."""
    for k in range(terms.BROKEN.shape[0]):
        if has(s, terms.BROKEN[k, 0]):
            s.phone[terms.BROKEN[k, 1]] = terms.BROKEN[k, 2]
    if s.faults & terms.SUSPENSIONS != 0:
        s.bill_status[terms.OVERDUE_BILL] = terms.OVERDUE
        s.bill_due[terms.OVERDUE_BILL] = terms.MONTHLY[s.plan]
        s.line_status[terms.CALLER] = terms.SUSPENDED
        s.contract_ended[terms.CALLER] = has(s, terms.F_CONTRACT)
    if s.faults >> terms.F_ROAMING_BOTH != 0:
        s.abroad = 1
        s.line_roaming[terms.CALLER] = has(s, terms.F_ROAMING_PHONE)
    sync(s)
    if s.faults & ~terms.QUIET != 0:
        search(s)
        sync(s)


@large_kernel
def forget(s):
    """Neither side has seen or said anything."""
    for side in range(2):
        for k in range(terms.VISIBLE):
            s.seen[side, k] = 0
        s.seen_speed[side] = -1
        s.seen_due[side] = -1
    for k in range(TALK):
        for quantity in range(terms.VISIBLE + 1):
            s.said[k, quantity] = 0
        s.said_amounts[k, 0] = -1
        s.said_amounts[k, 1] = -1
    fill(s.fresh, 0)
    fill(s.shown, 0)
    for k in range(len(terms.READS)):
        s.looked[k] = 0
    for line in range(terms.LINES):
        for k in range(4):
            s.known_line[line, k] = 0
        s.known_usage[line, 0] = -1
        s.known_usage[line, 1] = -1
    fill(s.known_bill, 0)
    fill(s.known_due, -1)
    for k in range(terms.PLANS):
        s.known_plan[k, 0] = -1
        s.known_plan[k, 1] = -1
