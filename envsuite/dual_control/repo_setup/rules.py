"""The rules of RepoSetup: installing versions that change one another, and scripts that run if what they use exists.

Kernels work on records `s` with the level of `envsuite.dual_control.repo_setup.levels` in `s.level`, what is installed
in `s.python` and `s.installed`, and the last command's answer in `s.message`, `s.shown` and `s.available`. `s.before`
is scratch. Versions are labels: 4 times the major number plus the minor one. A set of versions has a bit for each
label.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envsuite.core.arrays import copy, fill
from envsuite.core.kernel import kernel
from envsuite.core.ranges import flag, within
from envsuite.dual_control.repo_setup import terms
from envsuite.dual_control.repo_setup.terms import PACKAGE, PYTHON


def state_fields(packages: int) -> list[tuple]:
    """What is installed, and the last answer."""
    tops = np.array(terms.TOPS)
    tops[[PACKAGE, terms.OTHER]] = packages - 1
    return [
        ("python", within(np.int64, terms.NONE, len(terms.PYTHONS) - 1)),
        ("installed", within(np.int8, terms.NONE, terms.LABELS - 1), (packages,)),  # label of each package
        ("message", within(np.int8, np.array([0] + [terms.NONE] * (terms.PARTS - 1)), tops), (terms.PARTS,)),
        # labels that the answer names; NONE: absent
        ("shown", within(np.int8, terms.HIDDEN, terms.LABELS - 1), (packages,)),
        ("available", flag(np.int8), (terms.LABELS,)),  # existing labels, if the answer lists them
        ("before", within(np.int8, terms.NONE, terms.LABELS - 1), (packages,)),  # `installed` before the last command
    ]


# Sets of versions.


@kernel
def has(versions, label):
    """Whether a set has a version."""
    return np.int64(versions) >> np.int64(label) & 1 != 0


@kernel
def highest(versions):
    """The highest version of a set; NONE if it is empty."""
    found = terms.NONE
    for label in range(terms.LABELS):
        if has(versions, label):
            found = label
    return found


@kernel
def lowest(versions):
    """The lowest version of a set; NONE if it is empty."""
    for label in range(terms.LABELS):
        if has(versions, label):
            return label
    return terms.NONE


@kernel
def up_to(label):
    """The set of all labels up to this one."""
    return (2 << np.int64(label)) - 1


@kernel
def from_on(label):
    """The set of all labels from this one on."""
    return (1 << terms.LABELS) - (1 << np.int64(label))


# Answers.


@kernel
def say(s, kind):
    """Begin an answer."""
    fill(s.message, terms.NONE)
    fill(s.shown, terms.HIDDEN)
    fill(s.available, 0)
    s.message[terms.KIND] = kind


@kernel
def say_of(s, kind, package, version):
    """Begin an answer about a version of a package."""
    say(s, kind)
    s.message[PACKAGE] = package
    s.message[terms.VERSION] = version


@kernel
def say_use(s, kind, package, use):
    """Begin an answer about the use of what a package exports."""
    say(s, kind)
    item, half = (np.int64(use) - 1) // terms.USE, terms.ITEMS // 2
    s.message[PACKAGE] = package
    if kind != terms.NO_MODULE:
        s.message[terms.MODULE] = item // half
        s.message[terms.NAME] = s.level.names[package, item]
    if kind == terms.NO_KEYWORD or kind == terms.NO_KEYWORD_IN:
        s.message[terms.KEYWORD] = (np.int64(use) - 1) % terms.USE - 1


# Installing.


@kernel
def put(s, package, label):
    """Install a version and show it."""
    s.installed[package] = label
    s.shown[package] = label


@kernel
def roll_back(s):
    """Undo all changes of this command."""
    copy(s.installed, s.before)


@kernel
def meet(s, package, versions):
    """Install the highest version of a set, unless one of them is installed."""
    now = s.installed[package]
    if now == terms.NONE or not has(versions, now):
        put(s, package, highest(versions))


@kernel
def adjust(s, package, label):
    """A version of high priority installs all that it needs, and has its effects."""
    for q in range(s.installed.shape[0]):
        if s.level.needs[package, label, q] != 0:
            meet(s, q, s.level.needs[package, label, q])
    for q in range(s.installed.shape[0]):
        kind, versions = s.level.effect[package, label, q], s.level.effect_on[package, label, q]
        if kind != 0 and versions != 0:
            wanted = lowest(versions) if kind == terms.FORCE_LOW else highest(versions)
            if kind == terms.ENSURE:
                meet(s, q, versions)
            elif s.installed[q] != wanted:
                put(s, q, wanted)


@kernel
def complete(s, package, label):
    """A version of medium priority silently changes wrong versions; whether all that it needs is installed."""
    whole = True
    for q in range(s.installed.shape[0]):
        versions = s.level.needs[package, label, q]
        if versions != 0:
            if s.installed[q] == terms.NONE:
                whole = False
            elif not has(versions, s.installed[q]):
                s.installed[q] = highest(versions)
    return whole


@kernel
def report_missing(s, package, label):
    """Undo, and name what a version needs that is not installed."""
    roll_back(s)
    say_of(s, terms.MISSING, package, label)
    for q in range(s.installed.shape[0]):
        if s.level.needs[package, label, q] != 0 and s.installed[q] == terms.NONE:
            s.shown[q] = terms.NONE


@kernel
def excluded(s, package, label):
    """The first installed package that a version excludes, or NONE."""
    for q in range(s.installed.shape[0]):
        if s.installed[q] != terms.NONE and has(s.level.excludes[package, label, q], s.installed[q]):
            return q
    return terms.NONE


@kernel
def install_version(s, package, label):
    """Install an existing version with all that follows, or undo everything and say why it cannot be installed."""
    copy(s.before, s.installed)
    needed = np.int64(s.level.python[package, label]) - 1
    if s.python < needed:
        say_of(s, terms.NO_PYTHON if s.python == terms.NONE else terms.OLD_PYTHON, package, label)
        s.message[PYTHON] = needed
        return
    say_of(s, terms.INSTALLED, package, label)
    if s.level.priority[package] == terms.HIGH:
        adjust(s, package, label)
    elif s.level.priority[package] == terms.MEDIUM and not complete(s, package, label):
        report_missing(s, package, label)
        return
    q = excluded(s, package, label)
    if q != terms.NONE:
        version = s.installed[q]
        roll_back(s)
        say_of(s, terms.CONFLICT, package, label)
        s.message[terms.OTHER] = q
        s.message[terms.OTHER_VERSION] = version
    else:
        put(s, package, label)


@kernel
def install(s, package, versions):
    """Install the highest existing version of a set."""
    label = highest(np.int64(s.level.exists[package]) & versions)
    if label == terms.NONE:
        say(s, terms.NO_VERSION)
        s.message[PACKAGE] = package
        for k in range(terms.LABELS):
            s.available[k] = has(s.level.exists[package], k)
    elif s.installed[package] == label:
        say_of(s, terms.PRESENT, package, label)
    else:
        install_version(s, package, label)


@kernel
def install_newest(s, package):
    """Install the newest version, unless one is installed."""
    if s.installed[package] != terms.NONE:
        say_of(s, terms.PRESENT, package, s.installed[package])
    else:
        install(s, package, (1 << terms.LABELS) - 1)


@kernel
def uninstall(s, package):
    """Remove a package; nothing else changes."""
    if s.installed[package] == terms.NONE:
        say(s, terms.ABSENT)
        s.message[PACKAGE] = package
    else:
        say_of(s, terms.REMOVED, package, s.installed[package])
        s.installed[package] = terms.NONE


@kernel
def show_all(s):
    """Show what is installed."""
    say(s, terms.LIST)
    copy(s.shown, s.installed)


# Running.


@kernel
def touched(s, script):
    """The set of packages that a script imports or calls."""
    found = np.int64(s.level.imports[script])
    for k in range(terms.CALLS):
        if s.level.calls[script, k] != terms.NONE:
            found |= 1 << np.int64(s.level.calls[script, k])
    return found


@kernel
def agrees(s, rule, packages):
    """Whether a rule for a group holds, or does not concern a script that touches these packages."""
    anchor, group = np.int64(s.level.anchors[rule]), np.int64(s.level.groups[rule])
    right = s.installed[anchor]
    if right == terms.NONE or group == 0 or packages & (group | 1 << anchor) == 0:
        return True
    for p in range(s.installed.shape[0]):
        now = s.installed[p]
        if has(group, p) and now != terms.NONE and now != right and (rule == 1 or now // 4 != right // 4):
            return False
    return True


@kernel
def lack(s, package, use):
    """What a use of a package lacks, as a kind of answer; START if nothing."""
    if s.installed[package] == terms.NONE:
        return terms.NO_MODULE
    item, keyword = (np.int64(use) - 1) // terms.USE, (np.int64(use) - 1) % terms.USE
    found = np.int64(s.level.api[package, s.installed[package], item])
    if found & terms.EXPORTED == 0:
        return terms.NO_NAME
    return terms.NO_KEYWORD if keyword > 0 and not has(found, keyword - 1) else terms.START


@kernel
def calls_work(s, script):
    """Whether all calls of a script work; otherwise the answer says what the first one lacks."""
    for k in range(terms.CALLS):
        p = s.level.calls[script, k]
        if p != terms.NONE:
            kind = lack(s, p, s.level.call_uses[script, k])
            if kind != terms.START:
                say_use(s, kind, p, s.level.call_uses[script, k])
                return False
    return True


@kernel
def imports_work(s, packages):
    """Whether these packages have what they use; otherwise the answer says what the first one lacks."""
    for p in range(s.installed.shape[0]):
        if has(packages, p) and s.installed[p] != terms.NONE:
            for q in range(s.installed.shape[0]):
                use = s.level.uses[p, s.installed[p], q]
                if use != 0:
                    kind = lack(s, q, use)
                    if kind != terms.START:
                        say_use(s, terms.NO_KEYWORD_IN if kind == terms.NO_KEYWORD else kind, q, use)
                        if kind == terms.NO_KEYWORD:
                            s.message[terms.OTHER] = p
                        return False
    return True


@kernel
def is_broken(s, rule, script):
    """Whether a combination of versions breaks a script."""
    if s.level.broken_in[rule] != script and s.level.broken_in[rule] != terms.EVERYWHERE:
        return False
    for side in range(2):
        now = s.installed[s.level.broken[rule, side]]
        if now == terms.NONE or not has(s.level.broken_at[rule, side], now):
            return False
    return True


@kernel
def say_symptom(s, rule):
    """What a broken combination shows: a wrong trace, or no name at all."""
    symptom, package = np.int64(s.level.symptom[rule]), s.level.broken[rule, 0]
    if symptom < 3:
        say_use(s, terms.BROKEN + symptom, package, np.int64(s.level.broken_item[rule]) * terms.USE + 1)
    else:
        say(s, terms.BROKEN + symptom)


@kernel
def passes(s, script):
    """Run a script: whether it passes; the answer says what failed first."""
    packages, fine = touched(s, script), True
    for rule in range(terms.RULES):
        if fine and not agrees(s, rule, packages):
            say(s, terms.MAJOR + rule)
            s.message[PACKAGE] = s.level.anchors[rule]
            fine = False
    fine = fine and calls_work(s, script) and imports_work(s, packages)
    for rule in range(terms.RULES):
        if fine and is_broken(s, rule, script):
            say_symptom(s, rule)
            fine = False
    if fine:
        say(s, terms.PASSED)
    s.message[terms.SCRIPT] = script
    return fine


@kernel
def run(s, script):
    """Run a script."""
    if s.python == terms.NONE:
        say(s, terms.UNSET)
    else:
        passes(s, script)


@kernel
def works(s):
    """Run all scripts up to the first that fails: whether all pass."""
    if s.python == terms.NONE:
        say(s, terms.UNSET)
        return False
    for script in range(len(terms.SCRIPTS)):
        if not passes(s, script):
            return False
    say(s, terms.WORKS)
    return True


# The solution of a level, in Python.


class Setup:
    """What is installed on a level's record, for kernels that run as Python."""

    def __init__(self, level: Any):
        count = len(level.exists)
        self.level, self.python = level, len(terms.PYTHONS) - 1
        self.installed = np.full(count, terms.NONE)
        self.before, self.shown = self.installed.copy(), self.installed.copy()
        self.message, self.available = np.zeros(terms.PARTS, np.int64), np.zeros(terms.LABELS, np.int64)


def order_of(level: Any) -> list[int] | None:
    """All packages, each after those that its versions need or change; None if there is no such order."""
    below = (level.needs != 0).any(1) | (level.effect != 0).any(1)
    order: list[int] = []
    while len(order) < len(below):
        free = [p for p in range(len(below)) if p not in order and set(np.flatnonzero(below[p])) <= set(order)]
        if not free:
            return None
        order += free
    return order


def solution_plan(level: Any) -> list[int] | None:
    """The packages to install one after another for the solution, after a Python; None if that does not work.

    First comes each package after those that it needs, then, in reverse, each that others have changed.
    """
    order, plan, setup = order_of(level), [], Setup(level)
    if order is None:
        return None
    for p in [*order, *reversed(order)]:
        if setup.installed[p] != level.solution[p]:
            install(setup, p, 1 << int(level.solution[p]))
            plan.append(int(p))
            if setup.message[terms.KIND] != terms.INSTALLED:
                return None
    return plan if works(setup) else None
