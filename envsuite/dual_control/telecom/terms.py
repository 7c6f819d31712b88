"""The quantities, tools, speech and faults of Telecom's desk and phone, numbered by their place in lists."""

from __future__ import annotations

import numpy as np

from envsuite.core.tools import Tool, names_of, starts_of
from envsuite.dual_control.telecom.levels import BREAKING, FAMILIES, FAULTS, INDEX, LISTS, tables

SERVICE, MOBILE_DATA, MMS = range(3)

# The phone: quantities that can be checked, with their values in the order of their codes; then hidden ones.
APPS, PERMISSIONS = ("messaging", "browser"), ("sms", "storage", "phone", "network")
SWITCH = ("off", "on")
_LOOKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("airplane mode", SWITCH),
    ("SIM card", ("active", "missing", "locked by PIN", "locked by PUK")),
    ("signal", ("none", "poor", "fair", "good", "excellent")),
    ("network", ("none", "2G", "3G", "4G", "5G")),
    ("connection", ("connected", "searching", "no service")),
    ("mobile data", SWITCH),
    ("data roaming", SWITCH),
    ("network mode", ("4g/5g preferred", "4g", "3g", "2g")),
    ("access point", ("ok", "broken")),
    ("message center", ("not set", "set")),
    ("Wi-Fi", SWITCH),
    ("Wi-Fi calling", SWITCH),
    ("data saver", SWITCH),
    ("VPN", ("off", "on, slow", "on, fast", "on")),
    *((f"{app}: {permission}", ("denied", "granted")) for app in APPS for permission in PERMISSIONS),
    ("speed", ("no connection", "very poor", "poor", "fair", "good", "excellent")),
    ("picture messages", ("cannot be sent", "can be sent")),
    ("payment request", ("none", "pending")),
)
QUANTITIES, VALUES = zip(*_LOOKS)
VISIBLE = len(_LOOKS)
(
    AIRPLANE, SIM, SIGNAL, TECHNOLOGY, STATUS, DATA, ROAMING, MODE, APN, MMSC, WIFI, CALLING, SAVER, VPN,
    SMS, STORAGE, _, _, BROWSER, _, _, _, SPEED, SENDING, REQUEST,
) = range(VISIBLE)  # fmt: skip
PERMISSION = SMS  # of messaging, then of the browser
UNSEATED, LOCK, RESET_PENDING, CALLING_TAKES, SERVER, PHONE = range(VISIBLE, VISIBLE + 6)
ACTIVE, MISSING = 0, 1
CONNECTED, SEARCHING, NO_SERVICE = range(3)
SLOW, FAST = 1, 2
#: A VPN that is on, as the status bar shows it: slow or fast is unknown.
CONNECTED_VPN = 3
EXCELLENT = 5
#: The speed that solves a mobile data problem, in hundredths of a megabit per second.
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
#: The lowest speeds that are poor, fair, good and excellent.
LABELS = np.array([100, 500, 2500, 10000], np.int64)

# The customer's tools: those that look, then those that change something.
READ_TOOLS = (
    Tool("check_status_bar", "check status bar", "Look at the phone's status bar: airplane mode or signal and network, "
         "mobile data, data saver, VPN."),
    Tool("check_network", "check network", "Look at airplane mode, SIM card, connection, signal, network, mobile data, "
         "data roaming and Wi-Fi."),
    Tool("check_network_mode", "check network mode", "Look at which networks the phone is set to use."),
    Tool("check_sim", "check SIM", "Look at whether the SIM card is active, missing or locked."),
    Tool("check_data_saver", "check data saver", "Look at whether data saver is on."),
    Tool("check_apn", "check APN", "Look at the access point, and whether the message center's address is set."),
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
    Tool("set_apn", "set APN(default)", "Enter the default access point and message center."),
    Tool("reset_apn", "reset APN", "Have the access point and message center set to defaults at the next reboot."),
    Tool("connect_vpn", "connect VPN", "Connect to the VPN."),
    Tool("disconnect_vpn", "disconnect VPN", "Disconnect from the VPN."),
    Tool("grant", "grant({app}, {permission})", "Give an app a permission.", {"app": APPS, "permission": PERMISSIONS}),
    Tool("reboot", "reboot", "Restart the phone, which then looks for a network."),
    Tool("pay", "pay", "Pay the bill that the carrier asks for."),
)  # fmt: skip
READS, WRITES = names_of(READ_TOOLS), names_of(WRITE_TOOLS)
(
    STATUS_BAR, NETWORK, NETWORK_MODE, SIM_CARD, DATA_SAVER, APN_SETTINGS, WIFI_STATUS, WIFI_CALLING, VPN_STATUS,
    APP_LIST, APP, PERMISSIONS_OF, SPEED_TEST, PICTURE_MESSAGES, PAYMENT_REQUEST,
    TOGGLE_AIRPLANE, TOGGLE_DATA, TOGGLE_ROAMING, TOGGLE_SAVER, TOGGLE_WIFI, TOGGLE_CALLING, SET_MODE,
    RESEAT, SET_APN, RESET_APN, CONNECT_VPN, DISCONNECT_VPN, GRANT, REBOOT, PAY, PHONE_TOOLS,
) = starts_of((*READ_TOOLS, *WRITE_TOOLS))  # fmt: skip
#: The quantities that the toggles change; and for each write, whether the phone then searches for a network.
SWITCHES = np.array([AIRPLANE, DATA, ROAMING, SAVER, WIFI, CALLING])
SEARCHES = np.ones(len(WRITES), np.int64)
SEARCHES[np.array([TOGGLE_SAVER, TOGGLE_WIFI, TOGGLE_CALLING, CONNECT_VPN, DISCONNECT_VPN, PAY]) - len(READS)] = 0
SEARCHES[GRANT - len(READS) : REBOOT - len(READS)] = 0


def _covers() -> np.ndarray:
    """The quantities that each of the customer's reads shows."""
    messaging, browser = range(SMS, BROWSER), range(BROWSER, SPEED)
    shown = {
        STATUS_BAR: (AIRPLANE, SIGNAL, TECHNOLOGY, DATA, SAVER, VPN),
        NETWORK: (AIRPLANE, SIM, STATUS, SIGNAL, TECHNOLOGY, DATA, ROAMING, WIFI),
        NETWORK_MODE: (MODE,), SIM_CARD: (SIM,), DATA_SAVER: (SAVER,), APN_SETTINGS: (APN, MMSC), WIFI_STATUS: (WIFI,),
        WIFI_CALLING: (CALLING,), VPN_STATUS: (VPN,), APP: messaging, APP + 1: browser,
        PERMISSIONS_OF: messaging, PERMISSIONS_OF + 1: browser, SPEED_TEST: (SPEED,),
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
#: Amounts of data that can be added, and the most that the policy allows in a month, in tenths of a gigabyte.
AMOUNTS = np.array([5, 10, 20, 50], np.int64)
MOST_ADDED = 20
USED, REFUELED, WANTED = 87, 20, 20

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
(
    FIND, SHOW_CUSTOMER, SHOW_LINE, SHOW_BILL, SHOW_PLAN, LIST_BILLS, SHOW_USAGE,
    SUSPEND, RESUME, ENABLE, DISABLE, REFUEL, REQUEST_PAYMENT, TRANSFER, DESK_TOOLS,
) = starts_of(DESK_TABLE)  # fmt: skip

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
INSTRUCT, ASK, OFFER, INFORM, CLOSE, _ = starts_of(ASSISTANT_TALK)
ASK_ABOUT = ASK + len(READS)
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
REPORT, DONE, CONSENT, REFUSE, HELP, HANG_UP, _ = starts_of(CUSTOMER_TALK)
REPORT_ABOUT = REPORT + len(READS)
REPORT_ALL = REPORT_ABOUT + len(ABOUT)

#: The customer's first utterance in the talk, and the last one.
CUSTOMER_SPEECH = len(ASSISTANT_SAYS) + 1
WORDS = CUSTOMER_SPEECH + HANG_UP
#: The numbers of utterances that tell something and do nothing else: all but offers, answers to them, and goodbyes.
TELLING = frozenset((
    *range(1 + INSTRUCT, 1 + OFFER), *range(1 + INFORM, 1 + CLOSE),
    *range(CUSTOMER_SPEECH + REPORT, CUSTOMER_SPEECH + CONSENT), CUSTOMER_SPEECH + HELP,
))  # fmt: skip
#: Each utterance has the values of the phone that the customer reported in it; at this index, whether facts were new.
TOLD = VISIBLE

#: What the assistant must not do, with a bit each.
VIOLATIONS = (
    "added more data than allowed", "added data without consent", "resumed a line whose contract has ended",
    "resumed a line before its bill was paid", "asked for a bill to be paid that is not overdue",
    "transferred what can be solved", "changed what was not asked for",
)  # fmt: skip
OVER_LIMIT, NO_CONSENT, AFTER_CONTRACT, UNPAID, NOT_OVERDUE, NEEDLESS, UNASKED = (1 << k for k in range(7))

PLAN_LENGTH = 20
REFUEL_WANTED = -2


def _repairs() -> np.ndarray:
    """The tools that repair each fault, by number: the customer's come first, then the desk's; -1 after the last."""
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
    """For each family, the sets of faults that break its goal; -1 after the last fault and in unused sets."""
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
#: Faults that are set up without a new search for a network.
QUIET = sum(1 << fault for fault in (F_VPN, F_CALLING, F_MMSC, F_BOTH, F_SMS, F_STORAGE, F_SAVER, F_QUOTA, F_SPENT))
#: Faults of the phone: the fault, the quantity, and the value of the quantity with the fault.
BROKEN = np.array([
    (F_AIRPLANE, AIRPLANE, 1), (F_MODE, MODE, 3), (F_VPN, SERVER, SLOW), (F_VPN, VPN, SLOW), (F_CALLING, CALLING, 1),
    (F_CALLING, CALLING_TAKES, 1), (F_MMSC, MMSC, 0), (F_APN, APN, 1), (F_BOTH, SMS, 0), (F_BOTH, STORAGE, 0),
    (F_SMS, SMS, 0), (F_STORAGE, STORAGE, 0), (F_DATA, DATA, 0), (F_SAVER, SAVER, 1), (F_LOCKED, LOCK, 2),
    (F_SIM, UNSEATED, 1), (F_ROAMING_LINE, ROAMING, 1),
])  # fmt: skip
