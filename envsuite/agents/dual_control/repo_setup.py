"""Baselines of RepoSetup: the newest of all, one that goes down where an error points, and one that keeps sets."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import free, limited
from envsuite.dual_control.repo_setup import NEWEST, list_action, pick_action, run_action, terms
from envsuite.dual_control.repo_setup.rules import has
from envsuite.dual_control.repo_setup.terms import PACKAGE

ID = "envsuite/RepoSetup-v0"

MOST = len(terms.PACKAGES)
AT_LEAST, AT_MOST = 1, 2
#: The weight of a combination that is known to fail, and the most weight of a version.
SURE, HEAVY = 1000.0, 1e6

#: What is known to be installed; whether something may have changed without a word; the package tried last.
SEEN = {
    "at": limited(np.full(MOST, terms.NONE), terms.NONE, terms.LABELS - 1),
    "stale": limited(0, 0, 1),
    "loud": limited(np.zeros(MOST, int), 0, 1),  # packages that have named what they changed, so always do
    "goal": limited(np.full(MOST, terms.NONE), terms.NONE, terms.LABELS - 1),  # versions to install
    "tried": limited(0, 0, MOST - 1),
    "tries": limited(0, 0, 1000),
    "blamed": limited(terms.NONE, terms.NONE, MOST - 1),
}


@kernel
def see(memory, observation):
    """Keep what an answer says about what is installed."""
    kind = observation.message[terms.KIND]
    if kind == terms.INSTALLED or kind == terms.PRESENT:
        memory.at[observation.message[PACKAGE]] = observation.message[terms.VERSION]
        for q in range(observation.shown.shape[0]):
            if q != observation.message[PACKAGE] and observation.shown[q] != terms.HIDDEN:
                memory.loud[observation.message[PACKAGE]] = 1
        if kind == terms.INSTALLED and memory.loud[observation.message[PACKAGE]] == 0:
            memory.stale = 1
    elif kind == terms.REMOVED:
        memory.at[observation.message[PACKAGE]] = terms.NONE
    elif kind == terms.LIST:
        memory.stale = 0
    for p in range(observation.shown.shape[0]):
        if observation.shown[p] != terms.HIDDEN:
            memory.at[p] = observation.shown[p]


@kernel
def next_absent(memory, observation):
    """The next package that is not installed, after the last one that was tried; NONE if all are, or after long."""
    packages = observation.shown.shape[0]
    if memory.tries < 4 * packages:
        for k in range(packages):
            p = (memory.tried + 1 + k) % packages
            if memory.at[p] == terms.NONE and memory.goal[p] == terms.NONE:
                memory.tried = p
                memory.tries = min(memory.tries + 1, 1000)
                return p
    return terms.NONE


@kernel
def first_missing(memory, observation):
    """A package that the last command missed and that has no goal, or NONE."""
    if observation.message[terms.KIND] == terms.MISSING:
        for p in range(observation.shown.shape[0]):
            if observation.shown[p] == terms.NONE and memory.goal[p] == terms.NONE:
                return p
    return terms.NONE


@policy(ID, "newest", variables=SEEN)
def newest(memory, observation, mask):
    """Installs the newest Python and the newest versions of all packages, and runs the project."""
    see(memory, observation)
    if observation.python[0] == terms.NONE:
        return len(terms.PYTHONS) - 1
    p = next_absent(memory, observation)
    return NEWEST + p if p != terms.NONE else run_action(observation.shown.shape[0], len(terms.SCRIPTS))


@kernel
def step_down(memory, observation):
    """Install the next lower version of the blamed package; after the lowest, its newest."""
    packages, p = observation.shown.shape[0], memory.blamed
    if observation.message[terms.KIND] == terms.NO_VERSION or memory.at[p] == 0:
        return pick_action(packages, p, AT_LEAST, 0)
    return NEWEST + p if memory.at[p] == terms.NONE else pick_action(packages, p, AT_MOST, memory.at[p] - 1)


@policy(ID, "debugger", variables=SEEN)
def debugger(memory, observation, mask):
    """Begins as `newest`; then lowers the version of the package that an error names, or of a random one."""
    see(memory, observation)
    packages, kind = observation.shown.shape[0], observation.message[terms.KIND]
    if observation.python[0] == terms.NONE:
        return len(terms.PYTHONS) - 1
    p = first_missing(memory, observation)
    if p == terms.NONE:
        p = next_absent(memory, observation)
    if p != terms.NONE:
        return NEWEST + p
    if memory.blamed != terms.NONE and (kind == terms.LIST or kind == terms.NO_VERSION):
        return step_down(memory, observation)
    if kind >= terms.MAJOR or kind == terms.CONFLICT:
        named = observation.message[terms.OTHER] if kind == terms.CONFLICT else observation.message[PACKAGE]
        sure = kind == terms.NO_NAME or kind == terms.NO_MODULE or kind == terms.NO_KEYWORD or kind == terms.CONFLICT
        if kind == terms.NO_KEYWORD_IN and random.bernoulli(memory, 0.5):
            named = observation.message[terms.OTHER]
        sure = sure or kind == terms.NO_KEYWORD_IN
        memory.blamed = named if sure else random.randint(memory, packages)
        return list_action(packages)
    memory.blamed = terms.NONE
    return run_action(packages, len(terms.SCRIPTS))


# Sets.

KNOWN = SEEN | {
    "exists": limited(np.zeros(MOST, int), 0, 2**terms.LABELS - 1),  # versions that exist; 0 while unknown
    "asked": limited(np.zeros(MOST, int), 0, 2),  # how often the versions were asked for
    "last": limited(np.full(MOST, terms.NONE), terms.NONE, terms.LABELS - 1),  # what was known to be installed before
    # versions of the other package that fail with this one
    "pairs": np.zeros((MOST, terms.LABELS, MOST), free(np.uint16)),
    "weight": limited(np.zeros((MOST, terms.LABELS)), 0.0, HEAVY),  # evidence against versions
    "anchor": limited(np.full(terms.RULES, terms.NONE), terms.NONE, MOST - 1),
    "place": limited(np.zeros(terms.RULES, int), 0, len(terms.SCRIPTS) - 1),  # the first script that a rule failed
    "member": limited(np.ones((terms.RULES, MOST), int), 0, 1),  # packages that may be in the group of a rule
    "doubt": limited(np.zeros((terms.RULES, MOST)), 0.0, HEAVY),  # evidence that they are
    "over": limited(np.zeros(MOST, int), 0, 2**MOST - 1),  # packages that a package was seen to need or change
    "ran": limited(0, 0, 1),  # whether the project has run since the last change of goals
}


@kernel
def differ(rule, one, other):
    """Whether versions break a rule for groups."""
    return one != other and (rule == 1 or one // 4 != other // 4)


@kernel
def cost_of(memory, packages, p, label):
    """The evidence against a version of a package next to the goals of the others."""
    total = memory.weight[p, label]
    for q in range(packages):
        if q != p and memory.goal[q] != terms.NONE and has(memory.pairs[p, label, q], memory.goal[q]):
            total += SURE
    for rule in range(terms.RULES):
        anchor = memory.anchor[rule]
        if anchor == p:
            for q in range(packages):
                if q != p and memory.member[rule, q] != 0 and memory.goal[q] != terms.NONE:
                    total += memory.doubt[rule, q] * differ(rule, label, memory.goal[q])
        elif anchor != terms.NONE and memory.member[rule, p] != 0 and memory.goal[anchor] != terms.NONE:
            total += memory.doubt[rule, p] * differ(rule, label, memory.goal[anchor])
    return total


@kernel
def improve(memory, packages):
    """Change the goal with the largest gain, by a random rank among nearly equal ones; whether there was a gain."""
    best, found, choice = 0.1, terms.NONE, 0
    for p in range(packages):
        if memory.exists[p] != 0 and memory.goal[p] != terms.NONE:
            now = cost_of(memory, packages, p, memory.goal[p])
            if now > best:
                for label in range(terms.LABELS):
                    if has(memory.exists[p], label):
                        gain = now - cost_of(memory, packages, p, label) - 0.5 * random.uniform(memory)
                        if label != memory.goal[p] and gain > best:
                            best, found, choice = gain, p, label
    if found != terms.NONE:
        memory.goal[found] = choice
    return found != terms.NONE


@kernel
def plan(memory, packages):
    """Change goals as long as that gains something."""
    for _ in range(3 * packages):
        if not improve(memory, packages):
            return


@kernel
def weigh(memory, p, amount):
    """Evidence against the installed version of a package."""
    if memory.at[p] != terms.NONE:
        memory.weight[p, memory.at[p]] = min(memory.weight[p, memory.at[p]] + amount, HEAVY)


@kernel
def pair(memory, p, label, q, other):
    """Two versions that fail together."""
    if label != terms.NONE and other != terms.NONE:
        memory.pairs[p, label, q] = np.int64(memory.pairs[p, label, q]) | 1 << np.int64(other)
        memory.pairs[q, other, p] = np.int64(memory.pairs[q, other, p]) | 1 << np.int64(label)


@kernel
def note_groups(memory, observation):
    """A rule that failed has a member that differs from its anchor; one that no longer fails there has none."""
    packages, kind, script = (
        observation.shown.shape[0],
        observation.message[terms.KIND],
        observation.message[terms.SCRIPT],
    )
    for rule in range(terms.RULES):
        if kind == terms.MAJOR + rule:
            if memory.anchor[rule] == terms.NONE or script < memory.place[rule]:
                memory.place[rule] = script
            memory.anchor[rule] = observation.message[PACKAGE]
        anchor = memory.anchor[rule]
        if anchor != terms.NONE and memory.at[anchor] != terms.NONE:
            holds = script > memory.place[rule] or (script == memory.place[rule] and kind > terms.MAJOR + rule)
            count = 0
            for q in range(packages):
                apart = q != anchor and memory.at[q] != terms.NONE and differ(rule, memory.at[q], memory.at[anchor])
                if apart and holds:
                    memory.member[rule, q] = 0
                count += apart and memory.member[rule, q] != 0
            for q in range(packages if kind == terms.MAJOR + rule else 0):
                apart = q != anchor and memory.at[q] != terms.NONE and differ(rule, memory.at[q], memory.at[anchor])
                if apart and memory.member[rule, q] != 0:
                    more = SURE if count == 1 else 4.0 / count
                    memory.doubt[rule, q] = min(memory.doubt[rule, q] + more, HEAVY)


@kernel
def note_failure(memory, observation):
    """What a failed run says about versions."""
    packages, kind, p = observation.shown.shape[0], observation.message[terms.KIND], observation.message[PACKAGE]
    memory.blamed = terms.NONE
    note_groups(memory, observation)
    if kind == terms.NO_KEYWORD:
        weigh(memory, p, SURE)
    elif kind == terms.NO_NAME:
        weigh(memory, p, 2.0)
    elif kind == terms.NO_KEYWORD_IN:
        pair(memory, p, memory.at[p], observation.message[terms.OTHER], memory.at[observation.message[terms.OTHER]])
    elif kind >= terms.BROKEN:
        for q in range(packages):
            weigh(memory, q, 2.0 if q == p else 0.4)
    memory.ran = 1


@kernel
def note_command(memory, observation):
    """What the answer to a command says about versions that exist, needs and conflicts."""
    packages, kind, p = observation.shown.shape[0], observation.message[terms.KIND], observation.message[PACKAGE]
    if kind == terms.NO_VERSION:
        memory.exists[p] = 0
        for label in range(terms.LABELS):
            if observation.available[label] != 0:
                memory.exists[p] |= 1 << label
    elif kind == terms.CONFLICT:
        q, version = observation.message[terms.OTHER], observation.message[terms.VERSION]
        pair(memory, p, version, q, observation.message[terms.OTHER_VERSION])
        memory.goal[p] = version
        memory.weight[p, version] = min(memory.weight[p, version] + 1.0, HEAVY)
    elif kind == terms.INSTALLED or kind == terms.MISSING:
        memory.tries = 0 if kind == terms.INSTALLED else memory.tries
        for q in range(packages):
            if q != p and observation.shown[q] != terms.HIDDEN:
                memory.over[p] |= 1 << q


@kernel
def adopt(memory, packages):
    """What others have changed a package to is likely to fit them, and higher versions are not: it becomes the goal,
    unless evidence is against it."""
    for q in range(packages):
        now = memory.at[q]
        if now != terms.NONE and now != memory.goal[q]:
            if memory.last[q] != terms.NONE and memory.last[q] != now and memory.ran != 0:
                for label in range(now + 1, terms.LABELS):
                    memory.weight[q, label] = min(memory.weight[q, label] + 1.0, HEAVY)
            goal = memory.goal[q]
            if goal == terms.NONE or cost_of(memory, packages, q, now) <= cost_of(memory, packages, q, goal) + 1.0:
                memory.goal[q] = now
        memory.last[q] = now


@kernel
def unasked(memory, observation):
    """A package whose versions should be known, because evidence is against the one that is the goal; or NONE."""
    packages = observation.shown.shape[0]
    for p in range(packages):
        if memory.asked[p] < 2 and memory.exists[p] == 0 and memory.goal[p] != terms.NONE:
            if cost_of(memory, packages, p, memory.goal[p]) >= 0.9:
                return p
    return terms.NONE


@kernel
def waits(memory, p):
    """Whether a package is not installed as its goal says."""
    return memory.goal[p] != terms.NONE and memory.at[p] != memory.goal[p]


@kernel
def owes(memory, packages):
    """Whether an absent package has a goal: its newest version could not be installed."""
    for p in range(packages):
        if memory.goal[p] != terms.NONE and memory.at[p] == terms.NONE:
            return True
    return False


@kernel
def pending(memory, packages):
    """A package to install; NONE if all are at their goals.

    Absent ones come first, each after those that it needs; then the others, each before those that it may change.
    """
    found = terms.NONE
    for absent in range(2):
        for p in range(packages):
            if waits(memory, p) and (memory.at[p] == terms.NONE) == (absent == 0):
                first = True
                for q in range(packages):
                    if q != p and waits(memory, q):
                        if absent == 0:
                            first = first and not (memory.at[q] == terms.NONE and has(memory.over[p], q))
                        else:
                            first = first and not has(memory.over[q], p)
                if first:
                    return p
                found = p
    return found


@policy(ID, "careful", variables=KNOWN)
def careful(memory, observation, mask):
    """Keeps the sets of versions that can still be right: versions and pairs that have failed, and packages that may
    have to agree. It installs the combination with the least evidence against it, changing as little as possible."""
    see(memory, observation)
    packages, kind = observation.shown.shape[0], observation.message[terms.KIND]
    if observation.python[0] == terms.NONE:
        return len(terms.PYTHONS) - 1
    if kind >= terms.MAJOR:
        note_failure(memory, observation)
    else:
        note_command(memory, observation)
    p = first_missing(memory, observation)
    if p == terms.NONE and not owes(memory, packages):
        p = next_absent(memory, observation)
    if p != terms.NONE:
        return NEWEST + p
    adopt(memory, packages)
    p = unasked(memory, observation)
    if p != terms.NONE:
        memory.asked[p] += 1  # a label that hardly any package has; then one that no package with the first has
        return (
            pick_action(packages, p, AT_LEAST, terms.LABELS - 1)
            if memory.asked[p] == 1
            else pick_action(packages, p, 0, 0)
        )
    plan(memory, packages)
    p = pending(memory, packages)
    if p != terms.NONE:
        return pick_action(packages, p, 0, memory.goal[p])
    return list_action(packages) if memory.stale != 0 else run_action(packages, len(terms.SCRIPTS))
