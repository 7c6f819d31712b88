"""A telecom help desk: an assistant has the carrier's tools, a customer the phone; only talk joins them (tau2-bench).

**Rules.** A customer calls because there is no service, mobile data fails or is slow, or picture messages cannot be
sent. One to nine faults are behind it, in the phone (airplane mode, SIM card, network mode, access point, VPN,
permissions ...) and at the carrier (a suspended line, an overdue bill, roaming, data used up). Each side sees what its
own tools have shown it and what the other has said. On its turn a side calls up to `budget` tools, one at a time, and
then says something, which passes the turn. The customer speaks first; either may end the call.

The phone looks for a network after most of what is changed on it, and finds one if the SIM card is seated and not
locked, airplane mode is off, the access point is right and the line was active. It learns at once what changes at the
carrier, but looks for a network only when something on the phone makes it: after a line is resumed it must reboot.
Resetting the access point waits for the next reboot as well. Mobile data needs a network, data switched on, some left,
and abroad roaming at phone and line. Its speed follows network and signal, times .1 with a slow VPN and .2 with data
saver. Picture messages need mobile data on 3G or better, the message centre's address, two permissions, and Wi-Fi
calling not to take them.

The call succeeds if the problem is gone and the bill behind it is paid (mobile data: at 200 Mbps or more, and exactly
the wanted amount added where data was used up). Where only a person can help (a locked SIM card, a contract that has
ended, data used up with nothing more to add) it succeeds if the problem persists and the call was transferred. A
violation of the policy fails it: more than 2 GB added, data added without consent, a line resumed after its contract or
before its bill was paid, payment asked for a bill that is not overdue, a transfer of what can be solved, a change that
nobody asked for (to another line, a suspension, roaming off).

**Agents.** `assistant` and `customer`; in the mode "solo" only `assistant`, who has both sides' tools, knows what the
customer would tell, and has consent. In "oracle_plan" the assistant sees what solves the problem.

**Observation.** A Dict for each. Codes are 0 for unknown, then one more than the value's place in its list; amounts are
-1 while unknown.

| part | shape | seen by | holds |
|---|---|---|---|
| phone | (25,) | both | what was last seen of the phone (customer, or solo) or reported; see below |
| phone_amounts | (2,) | both | speed in hundredths of Mbps, and cents to be paid |
| facts | (4,) | both | problem, whether name and number were told, place, wanted amount; see below |
| offer, consent | Discrete (5) | both | data offered, and agreed to: 1 to 4 for 0.5, 1, 2, 5 GB |
| talk | (8,) | both | what was said, newest first; see below |
| counters | (4,) | both | steps left, tools left in this turn, errors, 1 if it is one's turn |
| persona | Discrete (3) | customer | how the task wants the customer: none, easy, hard |
| identified | Discrete (2) | assistant | whether the customer was found |
| lines | (3, 4) | assistant | of each line as last read: status, roaming, contract, plan; the call is about line 2 |
| usage | (3, 2) | assistant | of each line: data used and added, in tenths of GB |
| bills, dues | (6,) | assistant | of each bill: status, and cents due |
| plans | (5, 2) | assistant | of each plan: tenths of GB a month, and cents for a GB more |
| plan | (20,) | assistant | in "oracle_plan": its actions that solve the problem, plus one |

`phone` holds airplane mode, SIM, signal, network, connection, data, roaming, network mode, access point, message
centre, Wi-Fi, Wi-Fi calling, data saver, VPN (off, slow, fast, on), the permissions of messaging and of the browser
(SMS, storage, phone, network), speed, picture messages, payment request. `facts` are 1 service, 2 mobile data, 3
picture messages; 1 told; 1 at home, 2 abroad; 1, 2, 3 for 0.5, 1, 2 GB. In `talk` the assistant's speech counts from 1
in the order of its actions, the customer's from 58.

**Actions.** Discrete (110) for the assistant, (69) for the customer, (96) in solo; legal on one's turn.

| who | actions | legal |
|---|---|---|
| assistant | `find customer(phone)` | after name and number were told |
| assistant | `find customer(id)`, `show(line 2)`, `list bills`, `show usage(line 2)` ... | customer found |
| assistant | `suspend(line 2)`, `resume(line 2)`, `refuel(line 2, 2.0 GB)` ... | customer found |
| assistant | `show(bill 4)`, `request payment(bill 4)` ... | customer found, and there is such a bill |
| assistant | `transfer` | always; ends the call |
| assistant | `instruct: reboot`, `ask: check SIM`, `ask: location`, `inform: line resumed`, `close` ... | always |
| assistant | `offer: refuel 2.0 GB` ... | the price was looked up |
| customer | `check status bar`, `toggle data`, `set network mode(4g)`, `reboot`, `pay` ... | tools are left |
| customer | `report: check SIM` ... | that was looked at |
| customer | `report: problem`, `report: all`, `done`, `refuse`, `ask for help`, `hang up` ... | always |
| customer | `consent` | an offer stands |
| solo | the assistant's tools, the customer's, `close` | as above |

In a window, a click on the phone's status bar, speed or pictures looks there, one on a tile changes the setting (the
message centre is only looked at), and one on a payment request pays. One on the talk does what the assistant asked for
last, and then answers.

`report: all` tells the problem, name and number, location, wanted amount, and all that was seen since the last word.
To suspend a line that is not active, to resume one that is, and to request a payment while one is awaited are errors,
which change nothing and count. The customer's calls are never errors.

**Rewards.** 1 to both when a call that succeeds ends, else 0.

**Ends.** Terminates when the call is closed, hung up or transferred, and with 0 after `max_errors` errors; truncates
after `max_steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| mode | dual | or solo, or oracle_plan |
| split | released | what tasks are drawn from: see below |
| family | any | or service, mobile_data, mms |
| budget | 10 | tools in a turn |
| max_steps | 200 | tools and words in a call |
| max_errors | 10 | errors that end it |

Tasks are drawn from a list, released (2,285 tasks), current (3,405), base (114), its train (74) and test (40), or
single (20, of one fault), or "composed": faults of every set that breaks the family's goal, any plan,
amounts and persona.

**Level.** A task: ``{"family": "service", "faults": ["airplane", "bill_overdue"], "persona": "easy", "plan": "premium",
"used": 8.7, "refuelled": 0.0, "wanted": 2.0}``; what follows the faults may be left out. Faults: airplane, mode_2g,
vpn_slow, wifi_calling, mmsc_missing, apn_broken, both_denied, sms_denied, storage_denied, contract_ended, data_off,
data_saver, quota_used, quota_spent, sim_locked, bill_overdue, sim_out, roaming_both, roaming_line, roaming_phone.

**Language agents.** `env.prompt(agent)` is a system prompt: role, policy, ticket and manner. `env.tools(agent)` are the
actions as functions with JSON Schema, `env.parse_call(agent, {"name": "resume", "arguments": {"line": 2}})` is the
action of a call, and `env.reply(agent)` what came of it, or what the other side said.

**Scoring.** `envsuite score Telecom-v0`, or `envsuite.evaluation.reports.report`, plays all tasks of a split alone,
with the plan, and with each kind of customer: pass^k, calls that look and change, turns, violations, errors, transfers,
and the communication gap, by fault, family, persona, length of the plan, number of faults. Fewer steps widen the gap.

**Known values.** The tasks are the source's own: 47 of service, 254 of mobile data and 1,984 of picture messages as
released, 47, 382 and 2,976 now, each unsolved before the last call of its gold plan and solved after it; 32 of the 47
need a transfer, and 128 of the 382. State and errors equal the source's after each of 7,200 recorded calls. The speed
is 220 Mbps before the first search and 275 after it, 44 on 4G, 1.5 on 3G, .05 on 2G. 40 random calls (of all the
tools of the phone and 8 of the desk) meet the goal at some time in 5 % of service tasks, 3 % of mobile data and 2 % of
picture messages, as in the source. The baseline "workflow" solves all 3,405 tasks: alone in 19 steps on average, with a
customer who volunteers in 49, with one who answers only what is asked in 54; given the gold plan, in 15. Within 60
steps it solves all released tasks alone, but .49 and .37 of them with the two customers: what talk costs. Of the base
set it solves .18 if it must not ask, and as much if it must not instruct: those that are to be transferred.

**Differences.** The source's two sides are language models that write to each other; talk here is typed. Its policy is
a text that nothing enforces; here a violation fails the task, and tools whose arguments the assistant cannot know are
not legal. Arguments are those that matter: the customer's three lines, the bills, the five plans, four amounts; other
customers and devices, which nothing depends on, are left out, and setting the access point means its defaults. There
are at most six bills, so the last draft cannot be asked to be paid. The source's slow VPN stays slow for all later
tasks of a process, here for the call. Its transfer does not end the call, and is not held against a task that can be
solved. Its limit of steps counts messages, 200 in its runs.

**Source.** Barres, Dong, Ray, Si and Narasimhan, "tau2-Bench: Evaluating Conversational Agents in a Dual-Control
Environment", 2025; sierra-research/tau2-bench, commit a2c0247.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Kernels, World
from envsuite.generators.faults import (
    BREAKING,
    BREAKS,
    FAMILIES,
    FAULTS,
    INDEX,
    LISTS,
    PERSONAS,
    UNFIXABLE,
    mask_of,
    tables,
)
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene, text_width, wrap

ASSISTANT, CUSTOMER = range(2)
DUAL, SOLO, ORACLE_PLAN = range(3)
MODES = ("dual", "solo", "oracle_plan")
SERVICE, MOBILE_DATA, MMS = range(3)

# The phone: what can be looked at, then what cannot.
(
    AIRPLANE, SIM, SIGNAL, TECHNOLOGY, STATUS, DATA, ROAMING, MODE, APN, MMSC, WIFI, CALLING, SAVER, VPN,
) = range(14)  # fmt: skip
PERMISSION = 14  # of messaging, then of the browser: SMS, storage, phone, network
SMS, STORAGE = 14, 15
SPEED, SENDING, REQUEST = 22, 23, 24
VISIBLE = 25
UNSEATED, LOCK, RESET_PENDING, CALLING_TAKES, SERVER = range(VISIBLE, VISIBLE + 5)
PHONE = VISIBLE + 5

#: Values of what can be looked at, in the order of their codes.
SWITCH = ("off", "on")
VALUES = (
    SWITCH, ("active", "missing", "locked by PIN", "locked by PUK"), ("none", "poor", "fair", "good", "excellent"),
    ("none", "2G", "3G", "4G", "5G"), ("connected", "searching", "no service"), SWITCH, SWITCH,
    ("4g/5g preferred", "4g", "3g", "2g"), ("ok", "broken"), ("not set", "set"), SWITCH, SWITCH, SWITCH,
    ("off", "on, slow", "on, fast", "on"), *(("denied", "granted"),) * 8,
    ("no connection", "very poor", "poor", "fair", "good", "excellent"), ("cannot be sent", "can be sent"),
    ("none", "pending"),
)  # fmt: skip
APPS, PERMISSIONS = ("messaging", "browser"), ("sms", "storage", "phone", "network")
QUANTITIES = (
    "airplane mode", "SIM card", "signal", "network", "connection", "mobile data", "data roaming", "network mode",
    "access point", "message centre", "Wi-Fi", "Wi-Fi calling", "data saver", "VPN",
    *(f"{app}: {permission}" for app in APPS for permission in PERMISSIONS),
    "speed", "picture messages", "payment request",
)  # fmt: skip
ACTIVE, MISSING = 0, 1
CONNECTED, SEARCHING, NO_SERVICE = range(3)
SLOW, FAST = 1, 2
#: A VPN that is on, looked at from afar.
CONNECTED_VPN = 3
EXCELLENT = 5
#: Megabits per second, times 100, that a mobile data problem is solved with.
FAST_ENOUGH = 20000


def _speeds() -> np.ndarray:
    """Hundredths of a megabit per second, by network, signal, slow VPN and data saver, rounded as the source does."""
    ends = ((0.0, 0.0), (0.1, 0.4), (1.0, 5.0), (10.0, 100.0), (50.0, 500.0))
    table = np.zeros((5, 5, 2, 2), np.int32)
    for network, (low, high) in enumerate(ends):
        for signal, share in enumerate((0.0, 0.2, 0.5, 0.8, 1.0)):
            for slow in range(2):
                for saver in range(2):
                    factor = (0.1 if slow else 1.0) * (0.2 if saver else 1.0)
                    table[network, signal, slow, saver] = round(100 * round((low + high) / 2 * share * factor, 2))
    return table


SPEEDS = _speeds()
#: Where speeds begin to be poor, fair, good and excellent.
LABELS = np.array([100, 500, 2500, 10000], np.int64)

# The customer's tools: what they look at, then what they change.
READ_TOOLS = (
    Tool("check_status_bar", "check status bar", "Look at the phone's status bar: airplane mode or signal and network, "
         "mobile data, data saver, VPN."),
    Tool("check_network", "check network", "Look at airplane mode, SIM card, connection, signal, network, mobile data, "
         "data roaming and Wi-Fi."),
    Tool("check_network_mode", "check network mode", "Look at which networks the phone is set to use."),
    Tool("check_sim", "check SIM", "Look at whether the SIM card is active, missing or locked."),
    Tool("check_data_saver", "check data saver", "Look at whether data saver is on."),
    Tool("check_apn", "check APN", "Look at the access point, and whether the message centre's address is set."),
    Tool("check_wifi", "check wi-fi", "Look at whether Wi-Fi is on."),
    Tool("check_wifi_calling", "check wi-fi calling", "Look at whether Wi-Fi calling is on."),
    Tool("check_vpn", "check VPN", "Look at whether a VPN is connected, and a slow one."),
    Tool("list_apps", "list apps", "Look at which apps are installed."),
    Tool("check_app", "check app({app})", "Look at an app, with its permissions.", {"app": APPS}),
    Tool("check_permissions", "check permissions({app})", "Look at an app's permissions.", {"app": APPS}),
    Tool("run_speed_test", "run speed test", "Measure the speed of mobile data."),
    Tool("check_picture_messages", "check picture messages", "Look at whether picture messages can be sent."),
    Tool("check_payment_request", "check payment request", "Look at whether the carrier asks for a bill to be paid."),
)  # fmt: skip
WRITE_TOOLS = (
    Tool("toggle_airplane_mode", "toggle airplane mode", "Turn airplane mode on or off; on, it ends Wi-Fi and VPN."),
    Tool("toggle_data", "toggle data", "Turn mobile data on or off."),
    Tool("toggle_roaming", "toggle roaming", "Turn data roaming on or off on the phone."),
    Tool("toggle_data_saver", "toggle data saver", "Turn data saver on or off."),
    Tool("toggle_wifi", "toggle wi-fi", "Turn Wi-Fi on or off."),
    Tool("toggle_wifi_calling", "toggle wi-fi calling", "Turn Wi-Fi calling on or off."),
    Tool("set_network_mode", "set network mode({mode})", "Set which networks the phone uses.", {"mode": VALUES[MODE]}),
    Tool("reseat_sim", "reseat SIM", "Take the SIM card out and put it back in."),
    Tool("set_apn", "set APN(default)", "Enter the default access point and message centre."),
    Tool("reset_apn", "reset APN", "Have the access point and message centre set to defaults at the next reboot."),
    Tool("connect_vpn", "connect VPN", "Connect to the VPN."),
    Tool("disconnect_vpn", "disconnect VPN", "Disconnect from the VPN."),
    Tool("grant", "grant({app}, {permission})", "Give an app a permission.", {"app": APPS, "permission": PERMISSIONS}),
    Tool("reboot", "reboot", "Restart the phone, which then looks for a network."),
    Tool("pay", "pay", "Pay the bill that the carrier asks for."),
)  # fmt: skip
READS, WRITES = names_of(READ_TOOLS), names_of(WRITE_TOOLS)
(
    STATUS_BAR, NETWORK, NETWORK_MODE, SIM_CARD, DATA_SAVER, APN_SETTINGS, WIFI_STATUS, WIFI_CALLING, VPN_STATUS,
    APP_LIST, APP, APP_BROWSER, PERMISSIONS_OF, PERMISSIONS_BROWSER, SPEED_TEST, PICTURE_MESSAGES, PAYMENT_REQUEST,
) = range(17)  # fmt: skip
(
    TOGGLE_AIRPLANE, TOGGLE_DATA, TOGGLE_ROAMING, TOGGLE_SAVER, TOGGLE_WIFI, TOGGLE_CALLING, SET_MODE,
) = range(17, 24)  # fmt: skip
RESEAT, SET_APN, RESET_APN, CONNECT_VPN, DISCONNECT_VPN, GRANT = range(27, 33)
REBOOT, PAY = 40, 41
PHONE_TOOLS = 42


def _covers() -> np.ndarray:
    """What each of the customer's reads shows."""
    shown = {
        STATUS_BAR: (AIRPLANE, SIGNAL, TECHNOLOGY, DATA, SAVER, VPN),
        NETWORK: (AIRPLANE, SIM, STATUS, SIGNAL, TECHNOLOGY, DATA, ROAMING, WIFI),
        NETWORK_MODE: (MODE,), SIM_CARD: (SIM,), DATA_SAVER: (SAVER,), APN_SETTINGS: (APN, MMSC), WIFI_STATUS: (WIFI,),
        WIFI_CALLING: (CALLING,), VPN_STATUS: (VPN,), APP: range(14, 18), APP_BROWSER: range(18, 22),
        PERMISSIONS_OF: range(14, 18), PERMISSIONS_BROWSER: range(18, 22), SPEED_TEST: (SPEED,),
        PICTURE_MESSAGES: (SENDING,), PAYMENT_REQUEST: (REQUEST,),
    }  # fmt: skip
    table = np.zeros((len(READS), VISIBLE), np.uint8)
    for tool, quantities in shown.items():
        table[tool, list(quantities)] = 1
    return table


COVERS = _covers()

# The carrier.
LINES, BILLS, PLANS = 3, 6, 5
CALLER = 1  # the line that the customer calls about
PLAN_NAMES = ("basic", "premium", "unlimited", "family", "device")
PREMIUM = 1
LIMIT = np.array([50, 150, 9990, 250, 10], np.int64)  # tenths of a gigabyte
MONTHLY = np.array([4000, 6500, 8500, 12000, 1500], np.int64)  # cents
REFUEL_PRICE = np.array([500, 200, 10, 300, 1000], np.int64)  # cents a gigabyte
LINE_STATUS = ("active", "suspended", "pending", "closed")
BILL_STATUS = ("draft", "issued", "awaiting payment", "paid", "overdue", "disputed")
LINE_ACTIVE, SUSPENDED, PENDING = range(3)
NO_BILL, DRAFT, ISSUED, AWAITING, PAID, OVERDUE, DISPUTED = range(7)
OVERDUE_BILL = 3
#: Gigabytes that may be added, in tenths, and the most that the policy lets be added in a month.
AMOUNTS = np.array([5, 10, 20, 50], np.int64)
MOST_ADDED = 20
USED, REFUELLED, WANTED = 87, 20, 20

_LINE, _BILL = range(1, LINES + 1), range(1, BILLS + 1)
_GIGABYTES = [amount / 10 for amount in AMOUNTS.tolist()]
DESK_TABLE = (
    Tool("find_customer", "find customer({by})", "Find the customer who calls, by what was told; before all else.",
         {"by": ("phone", "id", "name")}),
    Tool("show_customer", "show customer", "Read the customer's lines and bills by number."),
    Tool("show_line", "show(line {line})", "Read a line: status, plan, roaming, contract, data used and added.",
         {"line": _LINE}),
    Tool("show_bill", "show(bill {bill})", "Read a bill: status and amount.", {"bill": _BILL}),
    Tool("show_plan", "show(plan {plan})", "Read a plan: data a month, and the price of a gigabyte more.",
         {"plan": PLAN_NAMES}),
    Tool("list_bills", "list bills", "Read all bills of the customer."),
    Tool("show_usage", "show usage(line {line})", "Read the data that a line has used and that was added to it.",
         {"line": _LINE}),
    Tool("suspend", "suspend(line {line})", "Suspend an active line.", {"line": _LINE}),
    Tool("resume", "resume(line {line})", "Make a suspended line active again.", {"line": _LINE}),
    Tool("enable_roaming", "enable roaming(line {line})", "Allow a line to roam.", {"line": _LINE}),
    Tool("disable_roaming", "disable roaming(line {line})", "Stop a line from roaming.", {"line": _LINE}),
    Tool("refuel", "refuel(line {line}, {gigabytes} GB)", "Add data to a line, at its plan's price for a gigabyte.",
         {"line": _LINE, "gigabytes": _GIGABYTES}),
    Tool("request_payment", "request payment(bill {bill})", "Send the customer a request to pay a bill; one at a time.",
         {"bill": _BILL}),
    Tool("transfer", "transfer", "Hand the call over to a person, which ends it."),
)  # fmt: skip
DESK = names_of(DESK_TABLE)
FIND, FIND_BY_ID, FIND_BY_NAME, SHOW_CUSTOMER, SHOW_LINE = range(5)
SHOW_BILL, SHOW_PLAN, LIST_BILLS, SHOW_USAGE = 7, 13, 18, 19
SUSPEND, RESUME, ENABLE, DISABLE, REFUEL = 22, 25, 28, 31, 34
REQUEST_PAYMENT, TRANSFER = 46, 52
DESK_TOOLS = 53

# Speech.
ABOUT = ("problem", "name and number", "location", "amount of data")
PROBLEM, IDENTITY, LOCATION, AMOUNT = range(4)
_FACTS = (
    "payment request sent", "line resumed", "roaming enabled", "data added", "contract ended", "no data can be added",
)  # fmt: skip
CLOSE_TOOL = Tool("close", "close", "Say goodbye, which ends the call.")
ASSISTANT_TALK = (
    Tool("instruct", "instruct: {action}", "Have the customer do this on the phone.", {"action": WRITES}),
    Tool("ask", "ask: {about}", "Have the customer look at the phone, or say something.", {"about": (*READS, *ABOUT)}),
    Tool("offer", "offer: refuel {gigabytes} GB", "Offer to add data, at the price of the customer's plan.",
         {"gigabytes": _GIGABYTES}),
    Tool("inform", "inform: {fact}", "Tell the customer something.", {"fact": _FACTS}),
    CLOSE_TOOL,
)  # fmt: skip
ASSISTANT_SAYS = names_of(ASSISTANT_TALK)
INSTRUCT, ASK, ASK_ABOUT, OFFER, INFORM, CLOSE = 0, 25, 42, 46, 50, 56
REQUEST_SENT, LINE_RESUMED, ROAMING_ENABLED, DATA_ADDED, CONTRACT_OVER, NO_DATA = range(INFORM, CLOSE)
CUSTOMER_TALK = (
    Tool("report", "report: {about}", "Tell the assistant what you have seen there, or know; or all that is new.",
         {"about": (*READS, *ABOUT, "all")}),
    Tool("done", "done", "Say that you have done what you were asked to."),
    Tool("consent", "consent", "Agree to the data that you were offered."),
    Tool("refuse", "refuse", "Say no to what you were asked or offered."),
    Tool("ask_for_help", "ask for help", "Say that you do not know how."),
    Tool("hang_up", "hang up", "End the call."),
)  # fmt: skip
REPORT, REPORT_ABOUT, REPORT_ALL, DONE, CONSENT, REFUSE, HELP, HANG_UP = 0, 17, 21, 22, 23, 24, 25, 26

#: What was said last, the newest first, and called last in this turn (a tool's number and 1, less than 0 for an error).
#: In what was said, 0 is nothing, the assistant's speech from 1 on, the customer's from here on.
TALK = 8
CUSTOMER_SPEECH = len(ASSISTANT_SAYS) + 1
#: With what was said goes what the customer reported in it: values of the phone, and here whether facts were new.
TOLD = VISIBLE

#: What the assistant must not do; a bit each.
VIOLATIONS = (
    "added more data than allowed", "added data without consent", "resumed a line whose contract has ended",
    "resumed a line before its bill was paid", "asked for a bill to be paid that is not overdue",
    "transferred what can be solved", "changed what was not asked for",
)  # fmt: skip
OVER_LIMIT, NO_CONSENT, AFTER_CONTRACT, UNPAID, NOT_OVERDUE, NEEDLESS, UNASKED = (1 << k for k in range(7))

PLAN_LENGTH = 20
REFUEL_WANTED = -2


def _repairs() -> np.ndarray:
    """The tools of each fault's repair, the customer's first by number, then the desk's; -1 after the last."""
    tools = {name: k for k, name in enumerate((*READS, *WRITES))}
    desk = {name: PHONE_TOOLS + k for k, name in enumerate(DESK)}
    tools |= {
        "refuel": REFUEL_WANTED,
        "request payment(overdue bill)": desk[f"request payment(bill {OVERDUE_BILL + 1})"],
        "resume": desk[f"resume(line {CALLER + 1})"],
        "enable roaming": desk[f"enable roaming(line {CALLER + 1})"],
    }
    table = np.full((len(FAULTS), 4), -1, np.int64)
    for k, fault in enumerate(FAULTS):
        for n, name in enumerate(fault.repair or ()):
            table[k, n] = tools[name]
    return table


def _sets() -> np.ndarray:
    """By family, the sets whose faults break its goal; -1 after the last fault and in sets that there are not."""
    table = np.full((len(FAMILIES), max(map(len, BREAKING.values())), 3), -1, np.int64)
    for family, name in enumerate(FAMILIES):
        for k, members in enumerate(BREAKING[name]):
            table[family, k, : len(members)] = [INDEX[member] for member in members]
    return table


REPAIRS = _repairs()
FAULT_SETS = _sets()
TASKS, STARTS = tables()
COMPOSED = len(LISTS)
SPLITS = (*LISTS, "composed")
FAULT_COUNT = len(FAULTS)
(
    F_AIRPLANE, F_MODE, F_VPN, F_CALLING, F_MMSC, F_APN, F_BOTH, F_SMS, F_STORAGE, F_CONTRACT, F_DATA, F_SAVER,
    F_QUOTA, F_SPENT, F_LOCKED, F_BILL, F_SIM, F_ROAMING_BOTH, F_ROAMING_LINE, F_ROAMING_PHONE,
) = range(FAULT_COUNT)  # fmt: skip
#: Faults with an overdue bill and a suspended line.
SUSPENSIONS = 1 << F_BILL | 1 << F_CONTRACT


# Tasks.


@kernel
def has(s, fault):
    return (s.faults >> fault) & 1


@large_kernel
def compose(s):
    """A task of faults from all sets that break the family's goal, with another plan and other amounts."""
    s.family = s.params.family if s.params.family >= 0 else random.randint(s, 3)
    s.faults = 0
    while s.faults == 0:
        for k in range(FAULT_SETS.shape[1]):
            size = 0
            while size < 3 and FAULT_SETS[s.family, k, size] >= 0:
                size += 1
            if size > 0 and random.randint(s, 4) == 0:
                s.faults |= np.int64(1) << FAULT_SETS[s.family, k, random.randint(s, size)]
    s.persona = random.randint(s, 3)
    s.plan = random.randint(s, PLANS)
    s.wanted = AMOUNTS[random.randint(s, 3)]
    s.refuelled_at_start = 0
    if has(s, F_SPENT):
        s.refuelled_at_start = MOST_ADDED
    if has(s, F_QUOTA) or has(s, F_SPENT):
        s.used_at_start = LIMIT[s.plan] + s.refuelled_at_start + random.randint(s, s.wanted)
    else:
        s.used_at_start = random.randint(s, LIMIT[s.plan])


@large_kernel
def draw(s):
    """A task of the chosen list and family, with the published amounts."""
    first = STARTS[s.params.split, max(0, s.params.family)]
    last = STARTS[s.params.split, s.params.family + 1 if s.params.family >= 0 else 3]
    code = np.int64(TASKS[first + random.randint(s, last - first)])
    s.faults = code & ((1 << FAULT_COUNT) - 1)
    s.persona = (code >> FAULT_COUNT) & 3
    s.family = code >> (FAULT_COUNT + 2)
    s.plan = PREMIUM
    s.wanted = WANTED
    s.refuelled_at_start = REFUELLED if has(s, F_SPENT) else 0
    s.used_at_start = USED
    if has(s, F_QUOTA) or has(s, F_SPENT):
        s.used_at_start = LIMIT[PREMIUM] + s.refuelled_at_start + 1


@kernel
def amount_index(s):
    """The place of the wanted amount among those that can be added."""
    k = 0
    while k < 3 and AMOUNTS[k] != s.wanted:
        k += 1
    return k


@large_kernel
def lay_plan(s):
    """The gold plan as tools by number, the customer's before the desk's; -1 after its end."""
    length = 0
    if s.faults & UNFIXABLE != 0:
        s.gold[0] = PHONE_TOOLS + TRANSFER
        length = 1
    else:
        for fault in range(FAULT_COUNT):
            if has(s, fault) and not (fault == F_APN and has(s, F_MMSC)):
                for k in range(4):
                    tool = REPAIRS[fault, k]
                    if tool == REFUEL_WANTED:
                        tool = PHONE_TOOLS + REFUEL + CALLER * 4 + amount_index(s)
                    if tool >= 0:
                        s.gold[length] = tool
                        length += 1
    s.gold_length = length
    for k in range(length, PLAN_LENGTH):
        s.gold[k] = -1


# The phone.


@large_kernel
def search(s):
    """The phone looks for a network; it sees the carrier as it was at the last sync."""
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
    """What the phone knows of the carrier, and the carrier of the phone; after every call."""
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


@large_kernel
def break_things(s):
    """Set up the faults, in their order."""
    searches = False
    for fault in range(FAULT_COUNT):
        if not has(s, fault):
            continue
        if fault == F_AIRPLANE:
            s.phone[AIRPLANE] = 1
        elif fault == F_MODE:
            s.phone[MODE] = 3
        elif fault == F_VPN:
            s.phone[SERVER] = SLOW
            s.phone[VPN] = SLOW
        elif fault == F_CALLING:
            s.phone[CALLING] = 1
            s.phone[CALLING_TAKES] = 1
        elif fault == F_MMSC:
            s.phone[MMSC] = 0
        elif fault == F_APN:
            s.phone[APN] = 1
        elif fault == F_CONTRACT or fault == F_BILL:
            s.bill_status[OVERDUE_BILL] = OVERDUE
            s.bill_due[OVERDUE_BILL] = MONTHLY[s.plan]
            s.line_status[CALLER] = SUSPENDED
            s.contract_ended[CALLER] = fault == F_CONTRACT
        elif fault == F_DATA:
            s.phone[DATA] = 0
        elif fault == F_SAVER:
            s.phone[SAVER] = 1
        elif fault == F_LOCKED:
            s.phone[LOCK] = 2
        elif fault == F_SIM:
            s.phone[UNSEATED] = 1
        elif fault >= F_ROAMING_BOTH:
            s.abroad = 1
            s.phone[ROAMING] = fault == F_ROAMING_LINE
            s.line_roaming[CALLER] = fault == F_ROAMING_PHONE
        if fault == F_BOTH or fault == F_SMS:
            s.phone[SMS] = 0
        if fault == F_BOTH or fault == F_STORAGE:
            s.phone[STORAGE] = 0
        quiet = fault == F_VPN or fault == F_SAVER or fault == F_QUOTA or fault == F_SPENT
        searches |= not quiet and not (F_CALLING <= fault <= F_MMSC) and not (F_BOTH <= fault <= F_STORAGE)
    sync(s)
    if searches:
        search(s)
        sync(s)


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
    if s.phone[VPN] == 0:
        look(s, VPN)
    elif known < 2:  # whether it is slow is not shown
        s.seen[CUSTOMER, VPN] = CONNECTED_VPN + 1
        s.fresh[VPN] = 1
        s.shown[VPN] = 1


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


@large_kernel
def write_phone(s, tool):
    """The customer changes something on the phone. None of these calls is an error, whatever comes of it."""
    phone = s.phone
    searches, shown = True, -1
    if tool == TOGGLE_AIRPLANE:
        phone[AIRPLANE] = 1 - phone[AIRPLANE]
        if phone[AIRPLANE]:
            phone[VPN] = 0
    elif tool == TOGGLE_DATA:
        phone[DATA] = 1 - phone[DATA]
        shown = DATA
    elif tool == TOGGLE_ROAMING:
        phone[ROAMING] = 1 - phone[ROAMING]
        shown = ROAMING
    elif tool == TOGGLE_SAVER:
        phone[SAVER] = 1 - phone[SAVER]
        shown = SAVER
        searches = False
    elif tool == TOGGLE_WIFI:
        if not phone[AIRPLANE]:
            phone[WIFI] = 1 - phone[WIFI]
            shown = WIFI
        searches = False
    elif tool == TOGGLE_CALLING:
        phone[CALLING] = 1 - phone[CALLING]
        shown = CALLING
        searches = False
    elif SET_MODE <= tool < RESEAT:
        phone[MODE] = tool - SET_MODE
        shown = MODE
    elif tool == RESEAT:
        phone[UNSEATED] = 0
    elif tool == SET_APN:
        phone[APN] = 0
        phone[MMSC] = 1
        phone[RESET_PENDING] = 0
    elif tool == RESET_APN:
        phone[RESET_PENDING] = 1
    elif tool == CONNECT_VPN:
        phone[VPN] = phone[SERVER]
        searches = False
    elif tool == DISCONNECT_VPN:
        phone[VPN] = 0
        searches = False
    elif GRANT <= tool < REBOOT:
        phone[PERMISSION + tool - GRANT] = 1
        shown = PERMISSION + tool - GRANT
        searches = False
    elif tool == REBOOT:
        if phone[RESET_PENDING]:
            phone[APN] = 0
            phone[MMSC] = 1
            phone[RESET_PENDING] = 0
    else:
        s.paying = 1
        searches = False
    if searches:
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
    """Put a charge on the draft of the next bill, a new one if there is none."""
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
    """The assistant changes something at the carrier; whether the call is an error, which changes nothing."""
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


# The call.


@large_kernel
def reset(s):
    if not s.level_given:
        if s.params.split == COMPOSED:
            compose(s)
        else:
            draw(s)
    lay_plan(s)
    for k in range(PHONE):
        s.phone[k] = 0
    s.phone[SIGNAL] = 3
    s.phone[TECHNOLOGY] = 4
    s.phone[DATA] = 1
    s.phone[MMSC] = 1
    s.phone[SERVER] = FAST
    for k in range(3):  # messaging has SMS, storage and phone; the browser storage and network
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
    break_things(s)
    for side in range(2):
        for k in range(VISIBLE):
            s.seen[side, k] = 0
        s.seen_speed[side] = -1
        s.seen_due[side] = -1
    for k in range(TALK):
        s.talk[k] = 0
        s.calls[k] = 0
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
    solo = s.params.mode == SOLO
    for k in range(4):
        s.told[k] = solo
    s.identified = 0
    s.offer = 0
    s.consent = amount_index(s) + 1 if solo else 0
    s.turn = ASSISTANT if solo else CUSTOMER
    s.budget_left = s.params.budget
    s.errors = 0
    s.violations = 0
    for side in range(2):
        s.reads[side] = 0
        s.writes[side] = 0
    s.words = 0
    s.transferred = 0
    s.solved = 0


@kernel
def goal_met(s):
    """Whether what the customer called about works; for a mobile data problem, at full speed."""
    if s.family == SERVICE:
        paid = s.faults & SUSPENSIONS == 0 or s.bill_status[OVERDUE_BILL] == PAID
        return s.phone[STATUS] == CONNECTED and paid
    if s.family == MOBILE_DATA:
        return s.speed >= FAST_ENOUGH and s.phone[SPEED] == EXCELLENT
    return s.phone[SENDING] != 0


@kernel
def symptom(s):
    """Whether what the customer called about does not work at all."""
    if s.family == SERVICE:
        return s.phone[STATUS] == NO_SERVICE
    if s.family == MOBILE_DATA:
        return s.speed < 0
    return s.phone[SENDING] == 0


@large_kernel
def passed(s):
    """Whether the task is done: the goal is met, or what cannot be repaired was left alone and transferred."""
    if s.violations != 0:
        return False
    if s.faults & UNFIXABLE != 0:
        return symptom(s) and s.transferred != 0
    if has(s, F_QUOTA) and s.refuelled[CALLER] != s.refuelled_at_start + s.wanted:
        return False
    return goal_met(s)


@large_kernel
def hear(s, speech):
    """The customer speaks."""
    everything = speech == REPORT_ALL
    for quantity in range(VISIBLE):
        asked = speech < REPORT_ABOUT and COVERS[speech, quantity] and s.seen[CUSTOMER, quantity] != 0
        if asked or (everything and s.fresh[quantity]):
            s.seen[ASSISTANT, quantity] = s.seen[CUSTOMER, quantity]
            s.said[0, quantity] = s.seen[CUSTOMER, quantity]
        s.fresh[quantity] = 0
    if s.said[0, SPEED]:
        s.seen_speed[ASSISTANT] = s.seen_speed[CUSTOMER]
        s.said_amounts[0, 0] = s.seen_speed[CUSTOMER]
    if s.said[0, REQUEST]:
        s.seen_due[ASSISTANT] = s.seen_due[CUSTOMER]
        s.said_amounts[0, 1] = s.seen_due[CUSTOMER]
    for k in range(4):
        if s.told[k] == 0 and (everything or speech == REPORT_ABOUT + k):
            s.told[k] = 1
            s.said[0, TOLD] = 1
    if speech == CONSENT:
        s.consent = s.offer
        s.offer = 0
    elif speech == REFUSE:
        s.offer = 0


@large_kernel
def use(s, tool):
    """One call of a tool by its number: the customer's, then the desk's."""
    if s.params.mode != SOLO:
        s.budget_left -= 1
    desk = tool - PHONE_TOOLS
    errors = s.errors
    side = CUSTOMER if desk < 0 else ASSISTANT
    if tool < len(READS) or (0 <= desk < SUSPEND):
        s.reads[side] += 1
    else:
        s.writes[side] += 1
    for quantity in range(VISIBLE):
        s.shown[quantity] = 0
    if tool < len(READS):
        read_phone(s, tool)
    elif tool < PHONE_TOOLS:
        write_phone(s, tool)
        sync(s)
        if tool == PAY:
            look(s, REQUEST)
            s.seen_due[CUSTOMER] = -1
    elif desk < SUSPEND:
        read_desk(s, desk)
    elif desk == TRANSFER:
        s.transferred = 1
        if s.faults & UNFIXABLE == 0:
            s.violations |= NEEDLESS
    else:
        s.errors += write_desk(s, desk)
        sync(s)
    for k in range(TALK - 1, 0, -1):
        s.calls[k] = s.calls[k - 1]
    s.calls[0] = tool + 1 if s.errors == errors else -tool - 1


@large_kernel
def speak(s, speaker, speech):
    """One side says something, and the other has its turn; whether that ends the call."""
    for k in range(TALK - 1, 0, -1):
        s.talk[k] = s.talk[k - 1]
        for quantity in range(VISIBLE + 1):
            s.said[k, quantity] = s.said[k - 1, quantity]
        for quantity in range(2):
            s.said_amounts[k, quantity] = s.said_amounts[k - 1, quantity]
    for quantity in range(VISIBLE + 1):
        s.said[0, quantity] = 0
    s.said_amounts[0, 0] = -1
    s.said_amounts[0, 1] = -1
    s.talk[0] = speech + 1 if speaker == ASSISTANT else CUSTOMER_SPEECH + speech
    for k in range(TALK):
        s.calls[k] = 0
    s.words += 1
    if speaker == CUSTOMER:
        hear(s, speech)
    elif OFFER <= speech < INFORM:
        s.offer = speech - OFFER + 1
    s.turn = 1 - speaker
    s.budget_left = s.params.budget
    return speech == (HANG_UP if speaker == CUSTOMER else CLOSE)


@large_kernel
def step(s, actions, rewards):
    agents = rewards.shape[0]
    side = np.int64(s.turn)
    action = actions[side]
    over = False
    if side == CUSTOMER:
        if action < PHONE_TOOLS:
            use(s, action)
        else:
            over = speak(s, CUSTOMER, action - PHONE_TOOLS)
    elif action < DESK_TOOLS:
        use(s, PHONE_TOOLS + action)
        over = s.transferred != 0
    elif agents > 1:
        over = speak(s, ASSISTANT, action - DESK_TOOLS)
    elif action < DESK_TOOLS + PHONE_TOOLS:
        use(s, action - DESK_TOOLS)
    else:
        over = True
    failed = s.errors >= s.params.max_errors
    if over and not failed:
        s.solved = passed(s)
        for a in range(agents):
            rewards[a] = s.solved
    for a in range(agents):
        s.terminated[a] = over or failed
        s.truncated[a] = not (over or failed) and s.t >= s.params.max_steps


@large_kernel
def observe(s, agent, out):
    solo = s.params.mode == SOLO
    customer = agent == CUSTOMER
    side = CUSTOMER if customer or solo else ASSISTANT
    for k in range(VISIBLE):
        out.phone[k] = s.seen[side, k]
    out.phone_amounts[0] = s.seen_speed[side]
    out.phone_amounts[1] = s.seen_due[side]
    out.facts[PROBLEM] = s.family + 1 if customer or s.told[PROBLEM] else 0
    out.facts[IDENTITY] = 1 if customer else s.told[IDENTITY]
    out.facts[LOCATION] = s.abroad + 1 if customer or s.told[LOCATION] else 0
    out.facts[AMOUNT] = amount_index(s) + 1 if customer or s.told[AMOUNT] else 0
    for k in range(TALK):
        out.talk[k] = s.talk[k]
    out.offer = s.offer
    out.consent = s.consent
    out.counters[0] = s.params.max_steps - s.t
    out.counters[1] = s.budget_left
    out.counters[2] = s.errors
    out.counters[3] = s.turn == agent
    out.persona = s.persona if customer else 0
    out.identified = 0 if customer else s.identified
    for line in range(LINES):
        for k in range(4):
            out.lines[line, k] = 0 if customer else s.known_line[line, k]
        for k in range(2):
            out.usage[line, k] = -1 if customer else s.known_usage[line, k]
    for k in range(BILLS):
        out.bills[k] = 0 if customer else s.known_bill[k]
        out.dues[k] = -1 if customer else s.known_due[k]
    for k in range(PLANS):
        out.plans[k, 0] = -1 if customer else s.known_plan[k, 0]
        out.plans[k, 1] = -1 if customer else s.known_plan[k, 1]
    shown = s.params.mode == ORACLE_PLAN and not customer
    for k in range(PLAN_LENGTH):
        tool = s.gold[k]
        if not shown or tool < 0:
            out.plan[k] = 0
        elif tool >= PHONE_TOOLS:
            out.plan[k] = tool - PHONE_TOOLS + 1
        else:
            out.plan[k] = DESK_TOOLS + INSTRUCT + tool - len(READS) + 1


@large_kernel
def allow_desk(s, mask):
    """The assistant's tools whose arguments are known; a transfer always."""
    mask[TRANSFER] = 1
    if s.budget_left <= 0:
        return
    mask[FIND] = s.told[IDENTITY]
    if not s.identified:
        return
    for tool in range(FIND_BY_ID, TRANSFER):
        mask[tool] = 1
    for bill in range(s.bills, BILLS):
        mask[SHOW_BILL + bill] = 0
        mask[REQUEST_PAYMENT + bill] = 0
    if s.bill_status[BILLS - 1] == DRAFT:  # there is no room for another draft
        mask[REQUEST_PAYMENT + BILLS - 1] = 0


@kernel
def price_known(s):
    plan = s.known_line[CALLER, 3]
    return plan > 0 and s.known_plan[plan - 1, 1] >= 0


@large_kernel
def legal(s, agent, mask):
    if s.params.mode == SOLO:
        allow_desk(s, mask)
        for k in range(DESK_TOOLS, DESK_TOOLS + PHONE_TOOLS + 1):
            mask[k] = 1
        return
    if s.turn != agent:
        return
    if agent == ASSISTANT:
        allow_desk(s, mask)
        for k in range(DESK_TOOLS, DESK_TOOLS + CLOSE + 1):
            mask[k] = 1
        if not price_known(s):
            for k in range(4):
                mask[DESK_TOOLS + OFFER + k] = 0
    else:
        tools = s.budget_left > 0
        for k in range(PHONE_TOOLS):
            mask[k] = tools
        for k in range(len(READS)):
            mask[PHONE_TOOLS + REPORT + k] = s.looked[k]
        for k in range(PHONE_TOOLS + REPORT_ABOUT, PHONE_TOOLS + HANG_UP + 1):
            mask[k] = 1
        mask[PHONE_TOOLS + CONSENT] = s.offer != 0


#: The task, the gold plan, the phone and its surroundings, the carrier, what each side knows, and the call.
FIELDS = [
    ("family", np.int64), ("faults", np.int64), ("persona", np.int64), ("plan", np.int64), ("used_at_start", np.int64),
    ("refuelled_at_start", np.int64), ("wanted", np.int64), ("gold", np.int64, (PLAN_LENGTH,)),
    ("gold_length", np.int64),
    ("phone", np.int64, (PHONE,)), ("speed", np.int64), ("abroad", np.int64), ("line_active", np.int64),
    ("roaming_allowed", np.int64), ("over_quota", np.int64), ("request", np.int64), ("paying", np.int64),
    ("line_status", np.int64, (LINES,)), ("line_roaming", np.int64, (LINES,)), ("contract_ended", np.int64, (LINES,)),
    ("line_plan", np.int64, (LINES,)), ("used", np.int64, (LINES,)), ("refuelled", np.int64, (LINES,)),
    ("bills", np.int64), ("bill_status", np.int64, (BILLS,)), ("bill_due", np.int64, (BILLS,)),
    ("seen", np.int64, (2, VISIBLE)), ("seen_speed", np.int64, (2,)), ("seen_due", np.int64, (2,)),
    ("fresh", np.int64, (VISIBLE,)), ("looked", np.int64, (len(READS),)), ("told", np.int64, (4,)),
    ("identified", np.int64), ("known_line", np.int64, (LINES, 4)), ("known_usage", np.int64, (LINES, 2)),
    ("known_bill", np.int64, (BILLS,)), ("known_due", np.int64, (BILLS,)), ("known_plan", np.int64, (PLANS, 2)),
    ("turn", np.int64), ("budget_left", np.int64), ("talk", np.int64, (TALK,)),
    ("said", np.int8, (TALK, VISIBLE + 1)), ("said_amounts", np.int64, (TALK, 2)), ("offer", np.int64),
    ("consent", np.int64),
    ("errors", np.int64), ("violations", np.int64), ("reads", np.int64, (2,)), ("writes", np.int64, (2,)),
    ("words", np.int64), ("transferred", np.int64), ("solved", np.int64), ("calls", np.int64, (TALK,)),
    ("shown", np.uint8, (VISIBLE,)),
]  # fmt: skip


def box(low: Any, high: Any, dtype: Any) -> Box:
    """Integers between these bounds, element by element."""
    return Box(np.array(low, dtype), np.array(high, dtype), dtype=dtype)


class Telecom(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    chance = True
    information = "imperfect"
    utility = "identical"
    verified = "tau2-bench, call by call: states and errors; its task counts"
    variants = (dict(mode="solo", split="composed"), dict(mode="oracle_plan", split="base", budget=3))
    report = "envsuite.evaluation.reports:report"
    clickable = "check (status bar|picture messages)|run speed test|reseat SIM|reset APN"

    def __init__(
        self,
        mode: Literal["dual", "solo", "oracle_plan"] = "dual",
        split: Literal["released", "current", "base", "train", "test", "single", "composed"] = "released",
        family: Literal["any", "service", "mobile_data", "mms"] = "any",
        budget: Annotated[int, Between(1, 200)] = 10,
        max_steps: Annotated[int, Between(1, 1000)] = 200,
        max_errors: Annotated[int, Between(1, 1000)] = 10,
    ):
        solo = mode == "solo"
        phone_tools = (*READ_TOOLS, *WRITE_TOOLS)
        if solo:
            agents, self.tools = ["assistant"], ((*DESK_TABLE, *phone_tools, CLOSE_TOOL),)
        else:
            agents = ["assistant", "customer"]
            self.tools = ((*DESK_TABLE, *ASSISTANT_TALK), (*phone_tools, *CUSTOMER_TALK))
        actions = {agent: names_of(tools) for agent, tools in zip(agents, self.tools)}
        dearest = 200_000 + max_steps * int(AMOUNTS[-1]) * int(REFUEL_PRICE.max()) // 10
        most = int(LIMIT.max()) + 100 + max_steps * int(AMOUNTS[-1])
        shared = {
            "phone": box([0] * VISIBLE, [len(values) for values in VALUES], np.int8),
            "phone_amounts": box([-1, -1], [int(SPEEDS.max()), dearest], np.int32),
            "facts": box([0] * 4, [3, 1, 2, 3], np.int8),
            "offer": Discrete(len(AMOUNTS) + 1),
            "consent": Discrete(len(AMOUNTS) + 1),
            "talk": box([0] * TALK, [0 if solo else CUSTOMER_SPEECH + HANG_UP] * TALK, np.int8),
            "counters": box([0] * 4, [max_steps, budget, max_errors, 1], np.int16),
        }
        desk = {
            "identified": Discrete(2),
            "lines": box([[0] * 4] * LINES, [[len(LINE_STATUS), 2, 2, PLANS]] * LINES, np.int8),
            "usage": box([[-1] * 2] * LINES, [[most] * 2] * LINES, np.int32),
            "bills": box([0] * BILLS, [DISPUTED] * BILLS, np.int8),
            "dues": box([-1] * BILLS, [dearest] * BILLS, np.int32),
            "plans": box([[-1] * 2] * PLANS, np.stack([LIMIT, REFUEL_PRICE], axis=1), np.int32),
        }
        last = DESK_TOOLS + ASK if mode == "oracle_plan" else 0
        plan = {"plan": box([0] * PLAN_LENGTH, [last] * PLAN_LENGTH, np.int16)}
        observation = {
            "assistant": Dict({**shared, **desk, **plan, **({"persona": Discrete(1)} if solo else {})}),
            "customer": Dict({**shared, "persona": Discrete(len(PERSONAS))}),
        }
        self.define(
            agents=agents,
            actions=actions,
            observation=observation,
            fields=FIELDS,
            params={
                "mode": MODES.index(mode),
                "split": SPLITS.index(split),
                "family": -1 if family == "any" else FAMILIES.index(family),
                "budget": budget,
                "max_steps": max_steps,
                "max_errors": max_errors,
            },
            reward_range=(0.0, 1.0),
        )

    # Levels: a task.

    def get_level(self, s: Any) -> dict[str, Any]:
        return {
            "family": FAMILIES[s.family],
            "faults": [fault.name for k, fault in enumerate(FAULTS) if int(s.faults) >> k & 1],
            "persona": PERSONAS[s.persona],
            "plan": PLAN_NAMES[s.plan],
            "used": int(s.used_at_start) / 10,
            "refuelled": int(s.refuelled_at_start) / 10,
            "wanted": int(s.wanted) / 10,
        }

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        family = FAMILIES.index(self._named(level, "family", FAMILIES, None))
        names = level["faults"]
        if not isinstance(names, (list, tuple)) or not names or any(name not in INDEX for name in names):
            raise LevelError(f"{self.id}: faults {names!r} must be a list of some of: {', '.join(INDEX)}")
        mask = mask_of(tuple(names))
        strange = [name for name in names if not int(BREAKS[family]) >> INDEX[name] & 1]
        if strange:
            raise LevelError(f"{self.id}: the fault {strange[0]!r} does not break the goal of {FAMILIES[family]!r}")
        for members in BREAKING[FAMILIES[family]]:
            chosen = [name for name in members if name in names]
            if len(chosen) > 1:
                raise LevelError(f"{self.id}: the faults {' and '.join(chosen)} exclude each other")
        plan = PLAN_NAMES.index(self._named(level, "plan", PLAN_NAMES, PLAN_NAMES[PREMIUM]))
        spent, quota = mask >> F_SPENT & 1, mask >> F_QUOTA & 1
        limit = int(LIMIT[plan])
        wanted = self._tenths(level, "wanted", WANTED)
        refuelled = self._tenths(level, "refuelled", REFUELLED if spent else 0)
        used = self._tenths(level, "used", limit + refuelled + 1 if spent or quota else min(USED, limit - 1))
        if wanted not in AMOUNTS[:3]:
            raise LevelError(f"{self.id}: wanted {wanted / 10} must be 0.5, 1 or 2 GB")
        if not 0 <= refuelled <= MOST_ADDED:
            raise LevelError(f"{self.id}: refuelled {refuelled / 10} must be from 0 to {MOST_ADDED / 10} GB")
        if bool(spent or quota) != (used >= limit + refuelled) or used < 0 or used > limit + MOST_ADDED + 20:
            raise LevelError(
                f"{self.id}: used {used / 10} GB of {limit / 10} and {refuelled / 10}: used up exactly with the fault "
                "quota_used or quota_spent"
            )
        if quota and (refuelled + wanted > MOST_ADDED or used >= limit + refuelled + wanted):
            raise LevelError(f"{self.id}: {wanted / 10} GB more must be allowed and enough to repair quota_used")
        if spent and refuelled + wanted <= MOST_ADDED:
            raise LevelError(f"{self.id}: with quota_spent, {wanted / 10} GB more must be more than is allowed")
        s.family, s.faults, s.plan = family, mask, plan
        s.persona = PERSONAS.index(self._named(level, "persona", PERSONAS, PERSONAS[0]))
        s.used_at_start, s.refuelled_at_start, s.wanted = used, refuelled, wanted

    def _named(self, level: Mapping[str, Any], key: str, names: tuple[str, ...], default: str | None) -> str:
        value = level[key] if default is None else level.get(key, default)
        if value not in names:
            raise LevelError(f"{self.id}: {key} {value!r} must be one of {', '.join(names)}")
        return value

    def _tenths(self, level: Mapping[str, Any], key: str, default: int) -> int:
        value = level.get(key, default / 10)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value * 10 - round(value * 10)) > 1e-6:
            raise LevelError(f"{self.id}: {key} {value!r} must be gigabytes, in tenths")
        return round(value * 10)

    # Words.

    def text(self, s: Any, agent: int) -> str:
        solo = s.params.mode == SOLO
        assistant = agent == ASSISTANT
        lines = [self._task(s, agent)]
        if agent == CUSTOMER:
            lines.append(MANNERS[s.persona])
        if not solo:
            lines += self._talk_lines(s, agent)
        seen = phone_lines(s, CUSTOMER if solo else agent)
        whose = (
            "The phone, as last seen" if solo else "The phone, as reported" if assistant else "Your phone, as last seen"
        )
        lines.append(f"{whose}: " + ("; ".join(seen) if seen else "nothing yet") + ".")
        if assistant:
            lines.append("The desk's screen: " + ("; ".join(desk_lines(s)) or "nothing yet") + ".")
            lines += self._plan_lines(s)
            lines.append(f"Policy: {' '.join(POLICY)}")
        lines.append(self.reply(s, agent))
        return "\n".join(lines)

    def prompt(self, s: Any, agent: int) -> str:
        budget, steps, errors = (int(s.params[name]) for name in ("budget", "max_steps", "max_errors"))
        turn = f"A tool keeps your turn, {budget} of them at most; what you say passes it on. "
        ends = f"The call is lost after {steps} steps of both or {errors} errors."
        if agent == CUSTOMER:
            return "\n\n".join((self._task(s, agent), MANNERS[s.persona], CUSTOMER_PROMPT, turn + ends))
        rules = "Policy. A breach loses the call, whatever else is done.\n" + "\n".join(f"- {rule}" for rule in POLICY)
        guide = "How things hang together.\n" + "\n".join(f"- {fact}" for fact in GUIDE)
        if s.params.mode == SOLO:
            role, turn = self._task(s, agent) + " You have the carrier's tools and those of the phone.", ""
        else:
            role = ASSISTANT_PROMPT
        return "\n\n".join((role, rules, guide, *self._plan_lines(s), turn + ends))

    def reply(self, s: Any, agent: int) -> str:
        solo = s.params.mode == SOLO
        last = "" if s.calls[0] == 0 else f"{tool_name(abs(int(s.calls[0])) - 1)}: {result_of(s)}.\n"
        if s.terminated[0] or s.truncated[0]:
            end = "the problem is dealt with" if s.solved else "the problem is not solved"
            return f"{last if agent == s.turn else ''}The call is over: {end}."
        left = f"{int(s.params.max_steps - s.t)} steps are left"
        if solo:
            return f"{last}{left[0].upper()}{left[1:]}, {s.errors} of {s.params.max_errors} errors made."
        if s.turn != agent:
            return f"It is the turn of the {self.agents[s.turn]}; {left}."
        if not last and s.talk[0]:
            last = f"The {self.agents[1 - agent]}: {utterance(s, 0)}\n"
        return f"{last}It is your turn: {s.budget_left} tools more, then say something; {left}."

    def _plan_lines(self, s: Any) -> list[str]:
        if s.params.mode != ORACLE_PLAN:
            return []
        plan = [tool_name(tool, s.params.mode) for tool in s.gold[: s.gold_length]]
        return ["What solves the problem: " + ", then ".join(plan) + "."]

    def _task(self, s: Any, agent: int) -> str:
        wanted = f"{s.wanted / 10:.1f} GB"
        where = "abroad" if s.abroad else "at home"
        if agent == CUSTOMER:
            return (
                f"You are the customer and call the help desk: {PROBLEMS[s.family]}. You are {where}. You would pay "
                f"for {wanted} of data if that helps, and for bills that are due."
            )
        if s.params.mode == SOLO:
            return (
                f"You are the assistant of a telecom help desk, and have the customer's phone. The problem: "
                f"{PROBLEMS[s.family]}. The customer calls about line {CALLER + 1}, is {where}, agrees to {wanted} of "
                "data if that helps, and to pay bills that are due."
            )
        told = []
        if s.told[PROBLEM]:
            told.append(f"the problem: {PROBLEMS[s.family]}")
        if s.told[IDENTITY]:
            told.append(f"name and number: of line {CALLER + 1}")
        if s.told[LOCATION]:
            told.append(f"where: {where}")
        if s.told[AMOUNT]:
            told.append(f"would pay for {wanted} of data")
        if s.consent:
            told.append(f"has agreed to {AMOUNTS[s.consent - 1] / 10:.1f} GB")
        known = "; ".join(told) if told else "nothing"
        return f"You are the assistant of a telecom help desk. The customer has told you: {known}."

    def _talk_lines(self, s: Any, agent: int) -> list[str]:
        lines = []
        for k in range(TALK - 1, -1, -1):
            if s.talk[k]:
                by = ASSISTANT if s.talk[k] < CUSTOMER_SPEECH else CUSTOMER
                who = "You" if by == agent else f"The {self.agents[by]}"
                lines.append(f"{who}: {utterance(s, k)}")
        return lines

    def messages(self, s: Any) -> list[tuple[int, str]]:
        spoken = [k for k in range(TALK - 1, -1, -1) if s.talk[k]]
        return [(ASSISTANT if s.talk[k] < CUSTOMER_SPEECH else CUSTOMER, utterance(s, k)) for k in spoken]

    # The picture: a phone, what was said, and the desk's screen.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """All of it; given an agent, its own side as it has seen it, and of the other what was said."""
        scene = Scene(16.4 if agent == CUSTOMER else 24, 14.4)
        solo = s.params.mode == SOLO
        if agent is None:
            codes = [int(code) + 1 for code in s.phone[:VISIBLE]]
            speed, due = int(s.speed), int(s.bill_due[s.request]) if s.request >= 0 else -1
        else:
            side = CUSTOMER if solo else agent
            codes = [int(code) for code in s.seen[side]]
            speed, due = int(s.seen_speed[side]), int(s.seen_due[side])
        title = "phone" if agent is None or solo or agent == CUSTOMER else "phone, as reported"
        draw_phone(scene, codes, speed, due, title)
        self._draw_chat(scene, s, agent)
        if agent != CUSTOMER:
            draw_desk(scene, s, agent)
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        """On the phone: its status bar and its lines are looked at, its tiles changed. On the talk: it goes on."""
        first = DESK_TOOLS if s.params.mode == SOLO else 0
        if agent == CUSTOMER and 7.3 <= x <= 15.9:
            return self._answer(s)
        if agent != CUSTOMER and not first or not 1.0 <= x <= 6.3:
            return None
        if 1.3 <= y < 2.1:
            return first + STATUS_BAR
        tile = 2 * int((y - 2.15) // 1.28) + (x >= 3.7)
        if 0 <= tile < len(_TILES):
            quantity = _TILES[tile][0]
            vpn = CONNECT_VPN if s.seen[CUSTOMER, VPN] < 2 else DISCONNECT_VPN
            return first + {VPN: vpn, **_TOUCHED}[quantity]
        row = int((y - 9.95) // 0.82)
        return first + (SPEED_TEST, PICTURE_MESSAGES, PAY)[row] if 0 <= row < 3 else None

    def _answer(self, s: Any) -> int | None:
        """What the customer was asked for last; once a tool was called, what is to be said of it."""
        heard = int(s.talk[0]) - 1
        if 0 <= heard < ASK:
            return PHONE_TOOLS + DONE if s.calls[0] else len(READS) + heard
        if ASK <= heard < ASK_ABOUT:
            return PHONE_TOOLS + heard - ASK if s.calls[0] else heard - ASK
        if ASK_ABOUT <= heard < OFFER:
            return PHONE_TOOLS + REPORT_ABOUT + heard - ASK_ABOUT
        return None

    def _draw_chat(self, scene: Scene, s: Any, agent: int | None) -> None:
        left, width = 7.3, 8.6
        solo = s.params.mode == SOLO
        over = bool(s.terminated[0] or s.truncated[0])
        title = PROBLEMS[s.family] if agent != ASSISTANT or s.told[PROBLEM] else "a call"
        scene.add(Rect(left, 0.5, width, 13.4, "panel", radius=0.3))
        scene.add(Label(left + 0.4, 1.05, title, 0.46, align="left", bold=True))
        facts = ((IDENTITY, f"line {CALLER + 1}"), (LOCATION, "abroad" if s.abroad else "at home"),
                 (AMOUNT, f"would pay for {s.wanted / 10:.1f} GB"))  # fmt: skip
        known = ", ".join(words for k, words in facts if agent != ASSISTANT or s.told[k])
        scene.add(Label(left + 0.4, 1.7, known, 0.4, "muted", "left", width=width - 0.8))
        bottom = 12.85
        if agent is None or solo or s.turn == agent:  # what was called in this turn, with the result of the last call
            for k in range(TALK if solo else 1):
                if s.calls[k]:
                    lines = shortened(wrap(result_of(s), width - 1.1, 0.38), 5) if k == 0 else []
                    tall = 0.66 + 0.48 * len(lines) + (0.12 if lines else 0)
                    bottom -= tall
                    color = "gold@0.25" if s.calls[k] > 0 else "bad@0.18"
                    scene.add(Rect(left + 0.3, bottom, width - 0.6, tall, color, radius=0.2))
                    called = tool_name(abs(int(s.calls[k])) - 1)
                    bold = bool(lines)
                    scene.add(Label(left + 0.55, bottom + 0.33, called, 0.4, "ink", "left", bold, width - 1.1))
                    for n, line in enumerate(lines):
                        scene.add(Label(left + 0.55, bottom + 0.84 + 0.48 * n, line, 0.38, align="left"))
                    bottom -= 0.19
        if solo:
            told = f"one agent: {s.reads.sum()} calls to look, {s.writes.sum()} to change"
            scene.add(Label(left + 0.4, 2.35, told, 0.4, "muted", "left"))
        shown: list[tuple[int, list[str]]] = []
        room = bottom - 2.2
        for k in range(TALK):
            lines = shortened(wrap(utterance(s, k), 6.5, 0.42), 9) if s.talk[k] else []
            room -= 0.62 * len(lines) + 0.62
            if not lines or room < 0:
                break
            shown.append((int(s.talk[k]), lines))
        y = 2.2
        for code, lines in reversed(shown):
            by = ASSISTANT if code < CUSTOMER_SPEECH else CUSTOMER
            wide = min(7.1, max(text_width(line, 0.42) for line in lines) + 0.6)
            tall = 0.62 * len(lines) + 0.3
            x = left + 0.4 if by == CUSTOMER else left + width - 0.4 - wide
            scene.add(Rect(x, y, wide, tall, "white" if by == CUSTOMER else "sky@0.35", "line", 0.03, 0.25))
            for k, line in enumerate(lines):
                scene.add(Label(x + 0.3, y + 0.46 + 0.62 * k, line, 0.42, "black" if by == CUSTOMER else "ink", "left"))
            y += tall + 0.32
        if over:
            verdict, color = ("solved", "good") if s.solved else ("not solved", "bad")
            if s.transferred:
                verdict = f"transferred, {'rightly' if s.solved else 'wrongly'}"
        else:
            verdict, color = ("", "ink") if solo else (f"{self.agents[s.turn]}'s turn", "muted")
        scene.add(Label(left + 0.4, 13.3, verdict, 0.46, color, "left", bold=over))
        count = f"step {s.t} of {s.params.max_steps}"
        scene.add(Label(left + width - 0.4, 13.3, count, 0.42, "muted", "right"))


#: What the customer calls about.
PROBLEMS = ("no service", "mobile data fails or is slow", "picture messages cannot be sent")

#: The rules that the assistant works by.
POLICY = (
    "Find the customer first, by the name and number that you were told.",
    "Ask only for bills to be paid that are overdue, one at a time.",
    "Resume a line only when its overdue bill is paid, and never after its contract has ended.",
    f"Add data only where it is used up, the amount that the customer wants and agrees to, and no more than "
    f"{MOST_ADDED / 10:.1f} GB a month in all.",
    "Transfer what only a person can solve, such as a locked SIM card, and nothing else.",
    "Change only what the problem asks for: suspend nothing, keep roaming on, leave other lines alone.",
)

#: What the assistant of the published one reads up on.
GUIDE = (
    "There is service if the SIM card is seated and not locked, airplane mode is off, the access point is right and "
    "the line is active.",
    "The phone looks for a network only when something on it makes it: after a line was resumed it must reboot, and "
    "so it must after its access point was reset.",
    "Mobile data needs service, data switched on, some of the month's data left and, abroad, roaming allowed on the "
    "phone and on the line.",
    "It is as fast as it should be if the speed is excellent: 5G allowed, no slow VPN, no data saver.",
    "Picture messages need mobile data on 3G or better, the message centre's address, the permissions for SMS and "
    "storage, and Wi-Fi calling off where it takes them.",
)

ASSISTANT_PROMPT = (
    "You are the assistant of a telecom help desk. A customer calls because there is no service, mobile data fails or "
    "is slow, or picture messages cannot be sent. You have the carrier's tools; the phone is the customer's, and you "
    "see of it only what you are told. Ask what you need to know and instruct what is to be done on it, one thing at "
    "a time. Close the call when what the customer called about works."
)
CUSTOMER_PROMPT = (
    "You have the phone, and know nothing of what the carrier sees. Look at it and change it when you are asked to, "
    "and report only what it has shown you. Agree to data only in the amount that you would pay for. Hang up only when "
    "the problem is gone or nobody helps you."
)
#: By persona.
MANNERS = (
    "Talk as you like.",
    "You are at ease with phones: you tell all that you notice, asked or not.",
    "Phones make you uneasy: you do one thing at a time, and answer only what you are asked.",
)


def money(cents: int) -> str:
    return f"${cents / 100:.2f}"


def tool_name(tool: int, mode: int = SOLO) -> str:
    """The name of a tool by its number; in the modes of two, as the assistant has the customer call it."""
    if tool >= PHONE_TOOLS:
        return DESK[tool - PHONE_TOOLS]
    name = (*READS, *WRITES)[tool]
    return name if mode == SOLO else f"{'ask' if tool < len(READS) else 'instruct'}: {name}"


def shown_value(quantity: int, code: int) -> str:
    """A value of the phone by its code; 0 is unknown."""
    return VALUES[quantity][code - 1] if code else "?"


def phone_words(codes: Any, speed: int, due: int) -> list[str]:
    """Values of the phone by their codes, with the speed and what is to be paid where these are known."""
    lines = []
    for quantity, code in enumerate(codes):
        if code:
            extra = ""
            if quantity == SPEED and speed >= 0:
                extra = f" ({speed / 100:.2f} Mbps)"
            elif quantity == REQUEST and due >= 0:
                extra = f" ({money(due)})"
            lines.append(f"{QUANTITIES[quantity]} {shown_value(quantity, int(code))}{extra}")
    return lines


def phone_lines(s: Any, side: int) -> list[str]:
    """What a side has seen, or been told, of the phone."""
    return phone_words(s.seen[side], s.seen_speed[side], s.seen_due[side])


def _customer_words(s: Any) -> str:
    return f"the customer has lines 1 to {LINES} and bills 1 to {s.bills}, and calls about line {CALLER + 1}"


def _line_words(s: Any, k: int) -> str:
    status, roaming, contract, plan = s.known_line[k]
    used, refuelled = s.known_usage[k]
    said = []
    if status:
        said.append(LINE_STATUS[status - 1])
    if plan:
        said.append(f"plan {PLAN_NAMES[plan - 1]}")
    if roaming:
        said.append(f"roaming {SWITCH[roaming - 1]}")
    if contract:
        said.append(("contract running", "contract ended")[contract - 1])
    if used >= 0:
        said.append(f"{used / 10:.1f} GB used")
    if refuelled >= 0:
        said.append(f"{refuelled / 10:.1f} GB added")
    return f"line {k + 1}: " + ", ".join(said) if said else ""


def _bill_words(s: Any, k: int) -> str:
    due = f", {money(s.known_due[k])}" if s.known_due[k] >= 0 else ""
    return f"bill {k + 1}: {BILL_STATUS[s.known_bill[k] - 1]}{due}" if s.known_bill[k] else ""


def _plan_words(s: Any, k: int) -> str:
    limit, price = s.known_plan[k]
    known = f"plan {PLAN_NAMES[k]}: {limit / 10:.1f} GB a month, {money(price)} for a GB more"
    return known if limit >= 0 else ""


def desk_lines(s: Any) -> list[str]:
    """What the assistant has read at the desk."""
    lines = [_customer_words(s) if s.identified else ""]
    lines += [_line_words(s, k) for k in range(LINES)]
    lines += [_bill_words(s, k) for k in range(BILLS)]
    lines += [_plan_words(s, k) for k in range(PLANS)]
    return [line for line in lines if line]


def result_of(s: Any) -> str:
    """What the last call of a tool came to, in words."""
    tool = abs(int(s.calls[0])) - 1
    desk = tool - PHONE_TOOLS
    if s.calls[0] < 0:
        why = "the line is not active" if desk < RESUME else "the line is not suspended"
        return f"error, nothing has changed: {why if desk < ENABLE else 'another payment is awaited'}"
    if desk < 0:
        if tool == APP_LIST:
            return ", ".join(APPS)
        return "; ".join(phone_words(s.seen[CUSTOMER] * s.shown, s.seen_speed[CUSTOMER], s.seen_due[CUSTOMER]))
    if desk < SHOW_LINE:
        return _customer_words(s)
    if desk < SHOW_BILL:
        return _line_words(s, desk - SHOW_LINE)
    if desk < SHOW_PLAN:
        return _bill_words(s, desk - SHOW_BILL)
    if desk < LIST_BILLS:
        return _plan_words(s, desk - SHOW_PLAN)
    if desk == LIST_BILLS:
        return "; ".join(_bill_words(s, k) for k in range(s.bills))
    if desk < SUSPEND:
        return _line_words(s, desk - SHOW_USAGE)
    if desk < REFUEL:
        return _line_words(s, (desk - SUSPEND) % LINES)
    if desk < REQUEST_PAYMENT:
        return _line_words(s, (desk - REFUEL) // len(AMOUNTS))
    return _bill_words(s, desk - REQUEST_PAYMENT) if desk < TRANSFER else "a person takes over"


def utterance(s: Any, k: int) -> str:
    """What was said at this place of the talk, 0 the newest, in words."""
    code = int(s.talk[k])
    if code < CUSTOMER_SPEECH:
        return _assistant_words(s, code - 1)
    speech = code - CUSTOMER_SPEECH
    values = phone_words(s.said[k, :VISIBLE], *s.said_amounts[k])
    where, wanted = "abroad" if s.abroad else "at home", f"{s.wanted / 10:.1f} GB"
    problem = PROBLEMS[s.family]
    if speech == REPORT_ALL:
        facts = [problem, f"the number is that of line {CALLER + 1}", f"I am {where}", f"would pay for {wanted}"]
        values = [*(facts if s.said[k, TOLD] else ()), *values] or ["nothing new"]
    if values:
        return values[0][0].upper() + "; ".join(values)[1:] + "."
    return {
        APP_LIST: "Messaging and the browser are installed.",
        REPORT_ABOUT + PROBLEM: f"{problem[0].upper()}{problem[1:]}.",
        REPORT_ABOUT + IDENTITY: f"Here are my name and number, that of line {CALLER + 1}.",
        REPORT_ABOUT + LOCATION: f"I am {where}.",
        REPORT_ABOUT + AMOUNT: f"I would pay for {wanted}.",
        DONE: "Done.",
        CONSENT: "Yes, please do.",
        REFUSE: "No, I would rather not.",
        HELP: "I do not know how to do that.",
        HANG_UP: "Thank you, goodbye.",
    }[speech]


def _assistant_words(s: Any, speech: int) -> str:
    if speech < ASK:
        return f"Please do this: {WRITES[speech]}."
    if speech < ASK_ABOUT:
        return f"Please tell me what you see: {READS[speech - ASK]}."
    if speech < OFFER:
        return ("What is the problem?", "What are your name and number?", "Where are you?",
                "How much data would you pay for?")[speech - ASK_ABOUT]  # fmt: skip
    if speech < INFORM:
        amount = int(AMOUNTS[speech - OFFER])
        price = money(amount * int(REFUEL_PRICE[s.plan]) // 10)
        return f"I can add {amount / 10:.1f} GB for {price}. Shall I?"
    return {
        REQUEST_SENT: "I have sent you a payment request.",
        LINE_RESUMED: "Your line is active again.",
        ROAMING_ENABLED: "Roaming is on for your line.",
        DATA_ADDED: "The data is added.",
        CONTRACT_OVER: "Your contract has ended.",
        NO_DATA: "No more data can be added this month.",
        CLOSE: "Thank you for calling, goodbye.",
    }[speech]


#: The phone's tiles: what they show, and which value is as it should be.
_TILES = (
    (AIRPLANE, "airplane", 0), (SIM, "SIM", 0), (DATA, "data", 1), (ROAMING, "roaming", None), (MODE, "network", 0),
    (SAVER, "saver", 0), (VPN, "VPN", None), (APN, "APN", 0), (MMSC, "MMSC", 1), (CALLING, "Wi-Fi tel", None),
    (SMS, "SMS", 1), (STORAGE, "storage", 1),
)  # fmt: skip


#: What a touch on a tile calls.
_TOUCHED = {
    AIRPLANE: TOGGLE_AIRPLANE, SIM: RESEAT, DATA: TOGGLE_DATA, ROAMING: TOGGLE_ROAMING, MODE: SET_MODE,
    SAVER: TOGGLE_SAVER, APN: RESET_APN, MMSC: APN_SETTINGS, CALLING: TOGGLE_CALLING, SMS: GRANT,
    STORAGE: GRANT + STORAGE - SMS,
}  # fmt: skip


def shortened(lines: list[str], most: int) -> list[str]:
    """At most so many lines; the last one shows that there were more."""
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1]} ..."]


def draw_phone(scene: Scene, codes: list[int], speed: int, due: int, title: str) -> None:
    """A phone with its status bar, a tile for each setting, and what works."""
    scene.add(Rect(0.5, 0.5, 6.3, 13.4, "wall", radius=0.8), Rect(0.8, 1.1, 5.7, 12.2, "paper", radius=0.4))
    scene.add(Label(3.65, 0.83, title, 0.36, "white"))
    airplane = codes[AIRPLANE] == 2
    signal = 0 if airplane else codes[SIGNAL] - 1
    for k in range(4):
        height = 0.16 + 0.11 * k
        scene.add(Rect(1.15 + 0.2 * k, 1.78 - height, 0.14, height, "ink" if k < signal else "line", glyph=""))
    network = "airplane" if airplane else shown_value(TECHNOLOGY, codes[TECHNOLOGY])
    if network == "none":
        network = "no service"
    scene.add(Label(2.15, 1.6, network, 0.42, align="left", bold=True))
    scene.add(Rect(5.35, 1.45, 0.75, 0.36, None, "ink", 0.04, 0.06), Rect(5.4, 1.5, 0.5, 0.26, "ink", glyph=""))
    for k, (quantity, name, right) in enumerate(_TILES):
        x, y = 1.0 + 2.7 * (k % 2), 2.15 + 1.28 * (k // 2)
        code = codes[quantity]
        fill = "panel"
        if code and right is not None:
            fill = "good@0.22" if code - 1 == right else "bad@0.18"
        scene.add(Rect(x, y, 2.6, 1.16, fill, radius=0.18))
        scene.add(Label(x + 0.15, y + 0.3, name, 0.34, "muted", "left", width=2.3))
        value = shown_value(quantity, code).removesuffix(" preferred")
        scene.add(Label(x + 0.15, y + 0.82, value, 0.38, "ink" if code else "muted", "left", bold=True, width=2.3))
    for k, (quantity, name, right) in enumerate(((SPEED, "speed", EXCELLENT), (SENDING, "pictures", 1))):
        y = 9.95 + 0.82 * k
        code = codes[quantity]
        color = "muted" if not code else "good" if code - 1 == right else "bad"
        scene.add(Rect(1.0, y, 5.3, 0.72, "panel", radius=0.18), Circle(1.25, y + 0.36, 0.14, color))
        scene.add(Label(1.55, y + 0.36, name, 0.36, "muted", "left"))
        value = {"can be sent": "work", "cannot be sent": "fail"}.get(value := shown_value(quantity, code), value)
        if quantity == SPEED and speed >= 0:
            value = f"{speed / 100:.4g} Mbps"
        scene.add(Label(6.1, y + 0.36, value, 0.36, align="right", bold=True))
    code = codes[REQUEST]
    scene.add(Rect(1.0, 11.6, 5.3, 0.72, "gold@0.3" if code == 2 else "panel", radius=0.18))
    scene.add(Label(1.55, 11.96, "to pay", 0.36, "muted", "left"))
    value = money(due) if code and due >= 0 else shown_value(REQUEST, code)
    scene.add(Label(6.1, 11.96, value, 0.36, align="right", bold=True))
    scene.add(Rect(2.75, 12.75, 1.8, 0.14, "line", radius=0.07, glyph=""))


def draw_desk(scene: Scene, s: Any, agent: int | None) -> None:
    """The desk's screen: the line, its data, the bills; for spectators also the faults and breaches of the policy."""
    left, width = 16.4, 7.1
    scene.add(
        Rect(left, 0.5, width, 13.4, "wall", radius=0.3), Rect(left + 0.2, 0.7, width - 0.4, 13.0, "paper", radius=0.2)
    )
    scene.add(Label(left + 0.55, 1.25, "help desk", 0.5, align="left", bold=True))
    truth = agent is None
    status, roaming, contract, plan = s.known_line[CALLER]
    used, refuelled = s.known_usage[CALLER]
    if truth:
        status, roaming, contract = s.line_status[CALLER] + 1, s.line_roaming[CALLER] + 1, s.contract_ended[CALLER] + 1
        plan, used, refuelled = s.plan + 1, s.used[CALLER], s.refuelled[CALLER]
    rows = (
        (f"line {CALLER + 1}", LINE_STATUS[status - 1] if status else "?", status == SUSPENDED + 1),
        ("contract", ("running", "ended")[contract - 1] if contract else "?", contract == 2),
        ("roaming", SWITCH[roaming - 1] if roaming else "?", False),
        ("plan", PLAN_NAMES[plan - 1] if plan else "?", False),
    )
    for k, (name, value, wrong) in enumerate(rows):
        y = 2.05 + 0.68 * k
        scene.add(Label(left + 0.55, y, name, 0.42, "muted", "left"))
        scene.add(Label(left + width - 0.55, y, value, 0.42, "bad" if wrong else "ink", "right", bold=True))
    if used >= 0 and plan:
        limit = int(LIMIT[plan - 1]) + max(0, int(refuelled))
        over = used >= limit
        scene.add(Label(left + 0.55, 4.85, "data", 0.42, "muted", "left"))
        said = f"{used / 10:.1f} of {limit / 10:.1f} GB"
        scene.add(Label(left + width - 0.55, 4.85, said, 0.42, "bad" if over else "ink", "right", bold=True))
        span = width - 1.1
        scene.add(Rect(left + 0.55, 5.2, span, 0.3, "panel", radius=0.15))
        scene.add(
            Rect(left + 0.55, 5.2, max(0.3, span * min(1.0, used / limit)), 0.3, "bad" if over else "blue", radius=0.15)
        )
    scene.add(Label(left + 0.55, 6.2, "bills", 0.42, "muted", "left"))
    bills, dues = (s.bill_status, s.bill_due) if truth else (s.known_bill, s.known_due)
    for k in range(BILLS):
        if bills[k]:
            y = 6.75 + 0.6 * k
            color = {OVERDUE: "bad@0.18", AWAITING: "gold@0.3"}.get(int(bills[k]), "panel")
            scene.add(Rect(left + 0.45, y - 0.26, width - 0.9, 0.52, color, radius=0.15))
            scene.add(Label(left + 0.65, y, f"{k + 1}  {BILL_STATUS[bills[k] - 1]}", 0.38, align="left"))
            due = money(dues[k]) if dues[k] >= 0 else "?"
            scene.add(Label(left + width - 0.65, y, due, 0.38, align="right"))
    foot = f"{s.errors} of {s.params.max_errors} errors"
    scene.add(Label(left + 0.55, 13.1, foot, 0.4, "muted", "left"))
    if truth:
        names = [fault.name.replace("_", " ") for k, fault in enumerate(FAULTS) if int(s.faults) >> k & 1]
        broken = [name for k, name in enumerate(VIOLATIONS) if int(s.violations) >> k & 1]
        notes = [("faults", ", ".join(names), "muted"), *(("policy", name, "bad") for name in broken[:1])]
        lines = [(line, color) for head, words, color in notes for line in wrap(f"{head}: {words}", width - 1.1, 0.36)]
        for k, (line, color) in enumerate(lines[-7:]):
            y = 12.5 - 0.5 * (len(lines[-7:]) - 1 - k)
            scene.add(Label(left + 0.55, y, line, 0.36, color, "left"))


env, raw_env, parallel_env = pettingzoo_forms(Telecom)
