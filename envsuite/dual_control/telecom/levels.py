"""Tasks of the telecom help desk: single faults with their repairs, and every way to combine them.

A fault is one thing that is wrong, with the calls that repair it, or none if only a human agent can repair it. Faults
that exclude each other form a set. A task of a family takes at most one fault of each of the family's sets, and at
least one fault of the sets that the family is about. Faults are listed in the order in which they are set up and
repaired.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from envsuite.kit.desk import PERSONAS


class Fault(NamedTuple):
    """One thing that is wrong: its name, a description, and its repair; None if only a transfer is right.

    A repair is a tuple of tools by name; "refuel" stands for the amount that the customer wants.
    """

    name: str
    words: str
    repair: tuple[str, ...] | None


FAULTS = (
    Fault("airplane", "airplane mode is on", ("toggle airplane mode",)),
    Fault("mode_2g", "the phone is set to 2G only", ("set network mode(4g/5g preferred)",)),
    Fault("vpn_slow", "a slow VPN is connected", ("disconnect VPN",)),
    Fault("wifi_calling", "Wi-Fi calling takes picture messages", ("toggle wi-fi calling",)),
    Fault("mmsc_missing", "the address of the message center is missing", ("reset APN", "reboot")),
    Fault("apn_broken", "the access point is wrong", ("reset APN", "reboot")),
    Fault("both_denied", "messaging lacks SMS and storage", ("grant(messaging, sms)", "grant(messaging, storage)")),
    Fault("sms_denied", "messaging lacks the permission for SMS", ("grant(messaging, sms)",)),
    Fault("storage_denied", "messaging lacks the permission for storage", ("grant(messaging, storage)",)),
    Fault("contract_ended", "suspended for a bill, and the contract has ended", None),
    Fault("data_off", "mobile data is off", ("toggle data",)),
    Fault("data_saver", "data saver is on", ("toggle data saver",)),
    Fault("quota_used", "the month's data is used up", ("refuel",)),
    Fault("quota_spent", "the month's data and all that may be added is used up", None),
    Fault("sim_locked", "the SIM card asks for its PIN", None),
    Fault("bill_overdue", "suspended for a bill", ("request payment(overdue bill)", "pay", "resume", "reboot")),
    Fault("sim_out", "the SIM card is not seated", ("reseat SIM",)),
    Fault("roaming_both", "abroad, roaming off at phone and line", ("enable roaming", "toggle roaming")),
    Fault("roaming_line", "abroad, roaming off at the line", ("enable roaming",)),
    Fault("roaming_phone", "abroad, roaming off at the phone", ("toggle roaming",)),
)
INDEX = {fault.name: k for k, fault in enumerate(FAULTS)}

FAMILIES = ("service", "mobile_data", "mms")

_AIRPLANE, _SIM, _LOCK, _APN = ("airplane",), ("sim_out",), ("sim_locked",), ("apn_broken",)
_LINE = ("bill_overdue", "contract_ended")
_ROAMING = ("roaming_phone", "roaming_line", "roaming_both")
_DATA, _SAVER, _MODE, _VPN, _QUOTA = ("data_off",), ("data_saver",), ("mode_2g",), ("vpn_slow",), ("quota_used",)
_SPENT = ("quota_used", "quota_spent")
_CALLING, _MMSC, _PERMISSION = ("wifi_calling",), ("mmsc_missing",), ("sms_denied", "storage_denied", "both_denied")

#: By family: its sets, and the first of the sets that the family is about.
SETS = {
    "service": ((_AIRPLANE, _SIM, _LOCK, _APN, _LINE), 0),
    "mobile_data": ((_AIRPLANE, _ROAMING, _DATA, _SAVER, _MODE, _VPN, _SPENT), 1),
    "mms": ((_AIRPLANE, _SIM, _DATA, _SPENT, _ROAMING, _MODE, _CALLING, _MMSC, _PERMISSION), 5),
}
#: The order in which the families were enumerated.
_ENUMERATED = ("mobile_data", "service", "mms")

#: Every set of faults that prevents a family's goal, not only those of its tasks; composed tasks use it.
_SERVICE = (_AIRPLANE, _SIM, _LOCK, _APN, _LINE)
BREAKING = {
    "service": _SERVICE,
    "mobile_data": (*_SERVICE, _ROAMING, _DATA, _SPENT, _SAVER, _MODE, _VPN),
    "mms": (*_SERVICE, _ROAMING, _DATA, _SPENT, _MODE, _CALLING, _MMSC, _PERMISSION),
}


class Task(NamedTuple):
    """A task: its family, the names of its faults in order, and its assigned persona."""

    family: str
    faults: tuple[str, ...]
    persona: str

    @property
    def fixable(self) -> bool:
        return all(FAULTS[INDEX[name]].repair is not None for name in self.faults)

    @property
    def plan(self) -> tuple[str, ...]:
        """The gold plan: the repairs in order, or a transfer."""
        return gold_plan(self.faults)

    @property
    def code(self) -> int:
        """The task as one number: a bit per fault, then persona and family."""
        bits = sum(1 << INDEX[name] for name in self.faults)
        return bits | PERSONAS.index(self.persona) << len(FAULTS) | FAMILIES.index(self.family) << len(FAULTS) + 2


def gold_plan(faults: tuple[str, ...]) -> tuple[str, ...]:
    """The repairs of these faults in order, or a transfer; no repair is repeated for what an earlier one has fixed."""
    if any(FAULTS[INDEX[name]].repair is None for name in faults):
        return ("transfer",)
    plan: list[str] = []
    for name in faults:
        if name != "apn_broken" or "mmsc_missing" not in faults:  # the same reset repairs both
            plan += FAULTS[INDEX[name]].repair or ()
    return tuple(plan)


@cache
def current() -> tuple[Task, ...]:
    """The 3,405 tasks of the current generator, in its order; personas are assigned in turn within a family."""
    tasks = []
    for family in _ENUMERATED:
        sets, first = SETS[family]
        choices = product(*[(*members, None) for members in sets])
        chosen = [tuple(sorted(filter(None, names), key=INDEX.__getitem__)) for names in choices if any(names[first:])]
        chosen.sort(key=len)
        tasks += [Task(family, names, PERSONAS[k % len(PERSONAS)]) for k, names in enumerate(chosen)]
    return tuple(tasks)


@cache
def released() -> tuple[Task, ...]:
    """The 2,285 tasks of the published set, in its order: the current ones without "quota_spent"."""
    return tuple(task for task in current() if "quota_spent" not in task.faults)


#: The published base set of 114 tasks, as places in `released()`; no rule for it is published.
TRAIN = (
    2284, 2281, 2276, 2238, 2283, 2256, 2228, 2209, 1088, 1615, 2102, 712, 1582, 660, 373, 2178, 1905, 1508, 1850,
    1408, 343, 337, 948, 1274, 788, 452, 837, 465, 330, 432, 496, 329, 431, 13, 253, 252, 242, 235, 236, 197, 238,
    195, 117, 208, 134, 43, 11, 8, 176, 175, 83, 73, 227, 103, 18, 81, 34, 89, 37, 20, 262, 294, 278, 299, 293,
    275, 291, 274, 276, 260, 297, 286, 271, 270,
)  # fmt: skip
TEST = (
    2089, 2279, 2280, 1619, 1129, 1983, 380, 312, 658, 2148, 353, 531, 463, 1953, 333, 322, 251, 136, 183, 47, 248,
    230, 93, 171, 17, 296, 300, 295, 290, 281, 292, 261, 279, 263, 289, 298, 269, 288, 268, 267,
)  # fmt: skip

#: Names of the lists of tasks.
LISTS = ("released", "current", "base", "train", "test", "single")


@cache
def tasks(name: str = "released") -> tuple[Task, ...]:
    """The tasks of a list: all released or current tasks, the base set or its splits, or those with a single fault."""
    whole = released()
    if name == "current":
        return current()
    if name == "single":
        return tuple(task for task in whole if len(task.faults) == 1)
    places = {"base": TRAIN + TEST, "train": TRAIN, "test": TEST}.get(name, range(len(whole)))
    return tuple(whole[k] for k in places)


@cache
def tables() -> tuple[np.ndarray, np.ndarray]:
    """The codes of all lists one after the other, by family in each; and the beginning of each family in each list."""
    codes: list[int] = []
    starts = []
    for name in LISTS:
        row = [len(codes)]
        for family in FAMILIES:
            codes += [task.code for task in tasks(name) if task.family == family]
            row.append(len(codes))
        starts.append(row)
    return np.array(codes, np.int32), np.array(starts, np.int64)


def mask_of(names: tuple[str, ...]) -> int:
    """A bit for each of these faults."""
    return sum(1 << INDEX[name] for name in set(names))


#: The faults for which only a transfer is right, and the faults that break each family's goal.
UNFIXABLE = mask_of(tuple(fault.name for fault in FAULTS if fault.repair is None))
BREAKS = np.array([mask_of(sum(BREAKING[family], ())) for family in FAMILIES], np.int64)
