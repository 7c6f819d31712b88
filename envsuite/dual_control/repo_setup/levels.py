"""Repositories: packages whose versions need, use, change and exclude one another, and the scripts that use them.

Of each package, some versions with labels from 0.0 to 3.3 exist. A hidden solution has one version of each. All rules
are drawn so that the solution keeps them:

- A version needs a Python from some release on, and needs other packages, each in a set of versions that contains the
  solution's. The packages have a random order, and each needs earlier ones only. Almost all need the first two.
- A version of a package of high priority has effects on packages that it needs, see
  `envsuite.dual_control.repo_setup.rules`.
- A version that is not the solution's may exclude versions of another package.
- A version of a package exports names with keywords. What a script calls, and what a version uses of the packages that
  it needs, exists in the solution.
- Up to two rules demand equal versions of a group of packages, and up to two combinations of versions break scripts.
- Some versions that are not the solution's need a package that is too old or too new.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.random import bernoulli, randint, shuffle, uniform
from envsuite.core.ranges import below, fixed, free, within
from envsuite.core.record import as_views
from envsuite.core.world import Between
from envsuite.dual_control.repo_setup import terms
from envsuite.dual_control.repo_setup.reading import LABEL_NAMES, read_repository, write_repository
from envsuite.dual_control.repo_setup.rules import from_on, has, highest, solution_plan, up_to
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

#: The most packages.
MOST = len(terms.PACKAGES)


def level_fields(packages: int) -> list[tuple]:
    """The fields of `s.level`. A set of versions is a bit set of labels."""
    versions, pairs = (packages, terms.LABELS), (packages, terms.LABELS, packages)
    package = below(np.int64, packages)
    return [
        ("exists", free(np.uint16), (packages,)),  # set of versions
        ("priority", below(np.uint8, 3), (packages,)),
        ("python", below(np.uint8, len(terms.PYTHONS) + 1), versions),  # 0, or the number of the first Python plus one
        ("needs", free(np.uint16), pairs),  # set of versions of the other package; 0 if it is not needed
        ("excludes", free(np.uint16), pairs),  # set of versions of the other package
        ("effect", below(np.uint8, terms.PIN + 1), pairs),  # 0 for none
        ("effect_on", free(np.uint16), pairs),  # set of versions of the other package
        ("uses", below(np.uint8, terms.ITEMS * terms.USE + 1), pairs),  # of the other package; 0 for nothing
        ("names", below(np.uint8, len(terms.NAMES)), (packages, terms.ITEMS)),
        ("api", free(np.uint16), (packages, terms.LABELS, terms.ITEMS)),  # EXPORTED and a bit for each keyword
        # packages; NONE for no call
        ("calls", within(np.int64, terms.NONE, packages - 1), (len(terms.SCRIPTS), terms.CALLS)),
        ("call_uses", within(np.uint8, 1, terms.ITEMS * terms.USE), (len(terms.SCRIPTS), terms.CALLS)),
        ("imports", free(np.uint16), (len(terms.SCRIPTS),)),  # set of packages
        # Packages with the same major number as the anchor, and with the same label: anchors, sets of packages.
        ("anchors", package, (terms.RULES,)),
        ("groups", free(np.uint16), (terms.RULES,)),
        # Two packages and sets of their versions, at which a script breaks; an empty set for no rule.
        ("broken", package, (terms.RULES, 2)),
        ("broken_at", free(np.uint16), (terms.RULES, 2)),
        ("broken_in", below(np.uint8, terms.EVERYWHERE + 1), (terms.RULES,)),
        ("symptom", below(np.uint8, terms.SYMPTOMS), (terms.RULES,)),
        ("broken_item", below(np.uint8, terms.ITEMS), (terms.RULES,)),  # of the first package, for the error message
        ("solution", below(np.int8, terms.LABELS), (packages,)),
    ]


@kernel
def size_of(versions):
    """The number of versions in a set."""
    count = 0
    for label in range(terms.LABELS):
        count += has(versions, label)
    return count


@large_kernel
def nth(versions, n):
    """Version number n of a set, counted from 0."""
    for label in range(terms.LABELS):
        if has(versions, label):
            if n == 0:
                return label
            n -= 1
    return terms.NONE


@large_kernel
def any_of(s, versions):
    """A random version of a set that is not empty."""
    return nth(versions, np.int64(randint(s, size_of(versions))))


# Drawing.


@kernel
def clear(s):
    """Empty the level."""
    packages = s.level.exists.shape[0]
    for p in range(packages):
        for label in range(terms.LABELS):
            s.level.python[p, label] = 0
            for q in range(packages):
                s.level.needs[p, label, q] = 0
                s.level.excludes[p, label, q] = 0
                s.level.effect[p, label, q] = 0
                s.level.effect_on[p, label, q] = 0
                s.level.uses[p, label, q] = 0
            for item in range(terms.ITEMS):
                s.level.api[p, label, item] = 0
    for r in range(terms.RULES):
        s.level.anchors[r] = 0
        s.level.groups[r] = 0
        s.level.broken_in[r] = 0
        s.level.symptom[r] = 0
        s.level.broken_item[r] = 0
        for side in range(2):
            s.level.broken[r, side] = 0
            s.level.broken_at[r, side] = 0


@kernel
def draw_versions(s):
    """One to three major numbers from 0 or 1 on with up to four minor ones: three to ten versions."""
    while True:
        first, majors, versions = np.int64(randint(s, 2)), 1 + np.int64(randint(s, 3)), 0
        for major in range(first, first + majors):
            versions |= up_to(np.int64(randint(s, 4))) << 4 * major
        if 3 <= size_of(versions) <= 10:
            return versions


@large_kernel
def draw_packages(s):
    """Versions, priorities, a solution and a random order; the first Python that can be needed is returned."""
    packages = s.level.exists.shape[0]
    for p in range(packages):
        versions = draw_versions(s)
        s.level.exists[p] = versions
        part = uniform(s)
        s.level.priority[p] = terms.HIGH if part < 0.25 else terms.MEDIUM if part < 0.75 else terms.LOW
        if bernoulli(s, 0.6):
            versions -= 1 << highest(versions)
        s.level.solution[p] = any_of(s, versions)
        s.scratch.order[p] = p
    shuffle(s, s.scratch.order, packages)
    for k in range(packages):
        s.scratch.rank[s.scratch.order[k]] = k
    return 1 + np.int64(randint(s, len(terms.PYTHONS)))


@large_kernel
def draw_range(s, package, strict):
    """A set of versions that contains the solution's: with probability `strict` between two ends, else with one."""
    versions, right = np.int64(s.level.exists[package]), np.int64(s.level.solution[package])
    low = any_of(s, versions & up_to(right))
    high = any_of(s, versions & from_on(right))
    above, below_ = versions & from_on(low), versions & up_to(high)
    if not bernoulli(s, strict):
        return above if bernoulli(s, 0.5) else below_
    if high > right and bernoulli(s, 0.5):
        below_ -= 1 << high
    return above & below_


@kernel
def draw_base_range(s, package):
    """A strict range, often cut again next to the solution's version."""
    found, right = draw_range(s, package, 0.95), np.int64(s.level.solution[package])
    versions = np.int64(s.level.exists[package])
    if bernoulli(s, 0.6):
        if bernoulli(s, 0.5) and versions & ~up_to(right) != 0:
            found &= up_to(right)
        else:
            found &= from_on(right)
    return found


@kernel
def bases(s):
    """The number of packages, the first in the order, that almost all others need."""
    return 2 if s.level.exists.shape[0] >= 6 else 1


@large_kernel
def draw_needs(s, p, label):
    """What a version needs."""
    rank = np.int64(s.scratch.rank[p])
    if rank > 0 and bernoulli(s, 0.8):
        left = 1 + np.int64(randint(s, min(8 + np.int64(s.level.priority[p]), rank)))
        for k in range(rank):
            if randint(s, rank - k) < left:
                left -= 1
                q = s.scratch.order[k]
                s.level.needs[p, label, q] = draw_range(s, q, 0.78)
    if rank >= bases(s):
        for k in range(bases(s)):
            if bernoulli(s, 0.85):
                q, found = s.scratch.order[k], draw_base_range(s, s.scratch.order[k])
                before = np.int64(s.level.needs[p, label, q])
                s.level.needs[p, label, q] = found if before == 0 else found & before


@large_kernel
def draw_names(s, p):
    """What a package exports: names come and go with the versions, and so do their keywords."""
    versions, number = np.int64(s.level.exists[p]), 0
    for module in range(len(terms.MODULES)):
        for k in range(len(terms.NAMES)):
            s.scratch.pool[k] = k
        shuffle(s, s.scratch.pool, len(terms.NAMES))
        for k in range(terms.ITEMS // 2):
            s.level.names[p, module * (terms.ITEMS // 2) + k] = s.scratch.pool[k]
    top = highest(versions)
    for label in range(terms.LABELS):
        if has(versions, label):
            for item in range(terms.ITEMS):
                if item % (terms.ITEMS // 2) < 2 + number % 3:
                    s.level.api[p, label, item] = terms.EXPORTED + draw_keywords(s, number > 0, label == top)
            number += 1


@large_kernel
def draw_keywords(s, later, last):
    """One to three keywords; often one more in later versions, sometimes one less in the last."""
    for k in range(len(terms.KEYWORDS)):
        s.scratch.pool[k] = k
    shuffle(s, s.scratch.pool, len(terms.KEYWORDS))
    count, found = 1 + np.int64(randint(s, 3)), 0
    for k in range(count):
        found |= 1 << np.int64(s.scratch.pool[k])
    if later and bernoulli(s, 0.7):
        found |= 1 << np.int64(s.scratch.pool[count])
    if last and found != 1 << np.int64(s.scratch.pool[0]) and bernoulli(s, 0.35):
        found -= 1 << np.int64(s.scratch.pool[0])
    return found


@large_kernel
def draw_use(s, p, chance):
    """The use of something that the solution's version of a package exports; with this chance with a keyword."""
    right, half = np.int64(s.level.solution[p]), terms.ITEMS // 2
    first, count = half * np.int64(randint(s, 2)), 0
    while count < half and s.level.api[p, right, first + count] != 0:
        count += 1
    item = first + np.int64(randint(s, count))
    use = item * terms.USE + 1
    if bernoulli(s, chance):
        use += 1 + any_of(s, np.int64(s.level.api[p, right, item]) - terms.EXPORTED)
    return use


@large_kernel
def draw_scripts(s):
    """Calls and imports of all scripts."""
    packages = s.level.exists.shape[0]
    for script in range(len(terms.SCRIPTS)):
        s.level.imports[script] = 0
        for k in range(terms.CALLS):
            s.level.calls[script, k] = terms.NONE
            s.level.call_uses[script, k] = 1
            if terms.CALLS * script + k < max(8, packages // 2 + 4):
                p = np.int64(randint(s, packages))
                s.level.calls[script, k] = p
                s.level.call_uses[script, k] = draw_use(s, p, 0.6)
                s.level.imports[script] = np.int64(s.level.imports[script]) | 1 << p
        for _ in range(3 if script == 3 else 2 if script > 0 else 1):
            p = s.scratch.order[1 + np.int64(randint(s, packages - 1))]
            s.level.imports[script] = np.int64(s.level.imports[script]) | 1 << np.int64(p)


@kernel
def other(s, p):
    """A random package other than this one."""
    q = np.int64(randint(s, s.level.exists.shape[0] - 1))
    return q + (q >= p)


@large_kernel
def draw_excludes(s, p):
    """Versions other than the solution's exclude some wrong version of a package; the highest often more."""
    versions, right = np.int64(s.level.exists[p]), np.int64(s.level.solution[p])
    for label in range(terms.LABELS):
        if has(versions, label) and label != right and bernoulli(s, 0.2):
            q = other(s, p)
            wrong = np.int64(s.level.exists[q]) & ~(1 << np.int64(s.level.solution[q]))
            s.level.excludes[p, label, q] = 1 << any_of(s, wrong)
    top = highest(versions)
    if top != right and bernoulli(s, 0.78):
        q = other(s, p)
        solved = np.int64(s.level.solution[q])
        newer = np.int64(s.level.exists[q]) & ~up_to(solved)
        if newer == 0 or not bernoulli(s, 0.7):
            newer = 1 << solved
        s.level.excludes[p, top, q] = np.int64(s.level.excludes[p, top, q]) | newer


@large_kernel
def draw_effects(s, p):
    """Effects of the versions of a package of high priority on what they need."""
    for label in range(terms.LABELS):
        for q in range(s.level.exists.shape[0]):
            if s.level.needs[p, label, q] != 0 and bernoulli(s, 0.75):
                part = uniform(s)
                kind = (
                    terms.ENSURE
                    if part < 0.4
                    else terms.FORCE_HIGH
                    if part < 0.65
                    else terms.FORCE_LOW
                    if part < 0.85
                    else terms.PIN
                )
                s.level.effect[p, label, q] = kind
                right = 1 << np.int64(s.level.solution[q])
                s.level.effect_on[p, label, q] = right if kind == terms.PIN else s.level.needs[p, label, q]


@large_kernel
def draw_fork(s, core):
    """A wrong version of a package needs an old version of this one, and a wrong one of another a new version."""
    packages, right = s.level.exists.shape[0], np.int64(s.level.solution[core])
    rank, versions = np.int64(s.scratch.rank[core]), np.int64(s.level.exists[core])
    older, newer = versions & (up_to(right) >> 1), versions & ~up_to(right)
    later = packages - 1 - rank
    if older == 0 or newer == 0 or later < 2:
        return
    first, second = np.int64(randint(s, later)), np.int64(randint(s, later - 1))
    second += second >= first
    for side in range(2):
        p = s.scratch.order[rank + 1 + (first if side == 0 else second)]
        label = any_of(s, np.int64(s.level.exists[p]) & ~(1 << np.int64(s.level.solution[p])))
        found = versions & up_to(any_of(s, older)) if side == 0 else versions & from_on(any_of(s, newer))
        before = np.int64(s.level.needs[p, label, core])
        if before == 0:
            s.level.needs[p, label, core] = found
        elif before & found != 0:
            s.level.needs[p, label, core] = before & found


@large_kernel
def draw_broken(s, r):
    """Two packages and wrong versions of each, from one that is too old down or from one that is too new up."""
    first = np.int64(randint(s, s.level.exists.shape[0]))
    second = other(s, first)
    for side in range(2):
        p = first if side == 0 else second
        versions, right = np.int64(s.level.exists[p]), np.int64(s.level.solution[p])
        label = any_of(s, versions & ~(1 << right))
        s.level.broken[r, side] = p
        s.level.broken_at[r, side] = versions & (from_on(label) if label > right else up_to(label))
    place = randint(s, 3)
    s.level.broken_in[r] = terms.EVERYWHERE if place == 2 else 3 + place
    s.level.symptom[r] = randint(s, terms.SYMPTOMS)
    s.level.broken_item[r] = (draw_use(s, first, 0.0) - 1) // terms.USE


@large_kernel
def draw_group(s, rule):
    """Packages that agree with an anchor in the solution: at most a third of all, or three."""
    packages, anchor = s.level.exists.shape[0], np.int64(s.scratch.order[min(rule, bases(s) - 1)])
    right, count, most = np.int64(s.level.solution[anchor]), 0, max(3, packages // 3) if rule == 0 else 3
    for k in range(bases(s), packages):
        label = np.int64(s.level.solution[s.scratch.order[k]])
        if label == right or rule == 0 and label // 4 == right // 4:
            s.scratch.pool[count] = s.scratch.order[k]
            count += 1
    shuffle(s, s.scratch.pool, count)
    if count > rule:
        s.level.anchors[rule] = anchor
        for k in range(min(count, most)):
            s.level.groups[rule] = np.int64(s.level.groups[rule]) | 1 << np.int64(s.scratch.pool[k])


@large_kernel
def make(s):
    """A random repository."""
    packages = s.level.exists.shape[0]
    clear(s)
    pythons = draw_packages(s)
    for p in range(packages):
        draw_names(s, p)
    for p in range(packages):
        for label in range(terms.LABELS):
            if has(s.level.exists[p], label):
                draw_needs(s, p, label)
                if bernoulli(s, 0.3):
                    s.level.python[p, label] = 1 + np.int64(randint(s, pythons))
                for q in range(packages):
                    if s.level.needs[p, label, q] != 0:
                        s.level.uses[p, label, q] = draw_use(s, q, 0.7)
        draw_excludes(s, p)
        if s.level.priority[p] == terms.HIGH:
            draw_effects(s, p)
    draw_scripts(s)
    for p in range(packages):
        if bernoulli(s, 0.82):
            draw_fork(s, p)
    draw_broken(s, 0)
    if bernoulli(s, 0.3):
        draw_broken(s, 1)
    draw_group(s, 0)
    if s.level.groups[0] != 0:
        draw_group(s, 1)
    for k in range(len(terms.NAMES)):
        s.scratch.pool[k] = 0
    fill(s.scratch.order, 0)
    fill(s.scratch.rank, 0)


def scratch_fields(packages: int) -> list[tuple]:
    """The fields of `s.scratch`."""
    return [
        ("order", below(np.int64, packages), (packages,)),
        ("rank", below(np.int64, packages), (packages,)),
        ("pool", below(np.int64, len(terms.NAMES)), (len(terms.NAMES),)),
    ]


class Repositories(Generator):
    """A repository with a hidden solution.

    Args:
        packages: number of packages.
    """

    make = make

    def __init__(self, packages: Annotated[int, Between(2, MOST)] = 9):
        self.define(
            level=level_fields(packages),
            params={"packages": fixed(packages)},
            scratch=scratch_fields(packages),
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(len(level["packages"]))

    def decode(self, s: Any) -> dict[str, Any]:
        return write_repository(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_repository(s.level, level, "repositories")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the number of "versions" of all packages.

        The difficulty is the number of steps of a plan that installs the solution in its order, earlier needs first,
        then again what other packages have changed, and runs the project.
        """
        s = as_views(self.records(1))[0]
        self.encode(s, level)
        versions = [int(size_of(each)) for each in s.level.exists.tolist()]
        return {
            "size": [len(versions), max(versions)],
            "solvable": True,
            "difficulty": len(solution_plan(s.level) or ()) + 2,
            "versions": sum(versions),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """A row for each package: its versions, with the solution's marked, and its priority."""
        from envsuite.render.scene import Label, Rect, Scene

        packages = level["packages"]
        scene = Scene(17.4, 1.6 + 0.9 * len(packages))
        scene.add(Label(0.4, 0.7, "versions of packages", 0.6, align="left", bold=True))
        for p, package in enumerate(packages):
            y = 1.3 + 0.9 * p
            scene.add(Label(0.4, y + 0.4, terms.PACKAGES[p], 0.5, align="left"))
            scene.add(Label(17.0, y + 0.4, package["priority"], 0.4, "muted", "right"))
            for name in package["versions"]:
                x, right = 2.7 + 0.78 * LABEL_NAMES.index(name), name == package["solution"]
                scene.add(Rect(x, y, 0.7, 0.8, "good" if right else "panel", "line", radius=0.12))
                scene.add(Label(x + 0.35, y + 0.4, name, 0.36, "white" if right else "muted", bold=right))
        return scene
