"""Repositories as plain data, see `envsuite.dual_control.repo_setup.levels`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from envsuite.core.errors import LevelError
from envsuite.core.record import field_names
from envsuite.dual_control.repo_setup import terms
from envsuite.dual_control.repo_setup.rules import has, order_of, solution_plan

PRIORITIES = ("low", "medium", "high")
EFFECTS = ("", "ensure", "force high", "force low", "pin")
SYMPTOMS = ("name", "attribute", "argument", "extension", "binary")
GROUPS = ("same_major", "same_version")
EVERY_SCRIPT = "all"
HALF = terms.ITEMS // 2

#: What the parts of a level have.
LEVEL = {"packages", "scripts", "same_major", "same_version", "broken"}
PACKAGE = {"priority", "solution", "versions"}
VERSION = {"python", "needs", "excludes", "effects", "uses", "api"}
BROKEN = {"when", "script", "symptom", "name"}


def label_name(label: int) -> str:
    """A version's label in words."""
    return f"{label // 4}.{label % 4}"


LABEL_NAMES = [label_name(label) for label in range(terms.LABELS)]


def labels_in(versions: int) -> list[int]:
    """The labels of a set."""
    return [label for label in range(terms.LABELS) if has(versions, label)]


# Writing.


def _names(versions: int) -> list[str]:
    return [LABEL_NAMES[label] for label in labels_in(versions)]


def _item_name(part: Any, p: int, item: int) -> str:
    return f"{terms.MODULES[item // HALF]}.{terms.NAMES[part.names[p, item]]}"


def _use_name(part: Any, p: int, use: int) -> str:
    item, keyword = divmod(use - 1, terms.USE)
    return _item_name(part, p, item) + (f"({terms.KEYWORDS[keyword - 1]})" if keyword else "")


def _packages_in(packages: int) -> list[str]:
    return [name for k, name in enumerate(terms.PACKAGES) if packages >> k & 1]


def _write_version(part: Any, p: int, label: int) -> dict[str, Any]:
    python, api = int(part.python[p, label]), part.api[p, label].tolist()
    needs, excludes, uses, effect, on = (
        {terms.PACKAGES[q]: value for q, value in enumerate(table[p, label].tolist()) if value}
        for table in (part.needs, part.excludes, part.uses, part.effect, part.effect_on)
    )
    return {
        "python": terms.PYTHONS[python - 1] if python else None,
        "needs": {name: _names(value) for name, value in needs.items()},
        "excludes": {name: _names(value) for name, value in excludes.items()},
        "effects": {name: [EFFECTS[kind], _names(on[name])] for name, kind in effect.items()},
        "uses": {name: _use_name(part, terms.PACKAGES.index(name), use) for name, use in uses.items()},
        "api": {
            _item_name(part, p, item): [word for k, word in enumerate(terms.KEYWORDS) if value >> k & 1]
            for item, value in enumerate(api)
            if value
        },
    }


def write_repository(part: Any) -> dict[str, Any]:
    """A level's record as plain data."""
    packages, scripts, broken = [], [], []
    for p, versions in enumerate(part.exists.tolist()):
        packages.append(
            {
                "priority": PRIORITIES[part.priority[p]],
                "solution": LABEL_NAMES[part.solution[p]],
                "versions": {LABEL_NAMES[label]: _write_version(part, p, label) for label in labels_in(versions)},
            }
        )
    for calls, uses, imports in zip(part.calls.tolist(), part.call_uses.tolist(), part.imports.tolist()):
        names = [f"{terms.PACKAGES[p]}.{_use_name(part, p, use)}" for p, use in zip(calls, uses) if p != terms.NONE]
        scripts.append({"calls": names, "imports": _packages_in(imports)})
    groups: dict[str, Any] = {}
    for name, anchor, group in zip(GROUPS, part.anchors.tolist(), part.groups.tolist()):
        groups[name] = {"anchor": terms.PACKAGES[anchor], "packages": _packages_in(group)} if group else None
    for r in range(terms.RULES):
        pair = [[terms.PACKAGES[p], _names(on)] for p, on in zip(part.broken[r].tolist(), part.broken_at[r].tolist())]
        if pair[0][1]:
            broken.append(
                {
                    "when": pair,
                    "script": (*terms.SCRIPTS, EVERY_SCRIPT)[part.broken_in[r]],
                    "symptom": SYMPTOMS[part.symptom[r]],
                    "name": _item_name(part, int(part.broken[r, 0]), int(part.broken_item[r])),
                }
            )
    return {"packages": packages, "scripts": scripts, **groups, "broken": broken}


# Reading.


class _Reader:
    """Reads a level into the fields of a record; every refusal begins with `name`."""

    def __init__(self, part: Any, name: str):
        self.part, self.name, self.count = part, name, len(part.exists)
        #: The number of each item of a package by its name.
        self.items: list[dict[str, int]] = [{} for _ in range(self.count)]

    def refuse(self, what: str) -> LevelError:
        return LevelError(f"{self.name}: {what}")

    def one_of(self, given: Any, choices: Iterable[str], what: str) -> int:
        choices = list(choices)
        if not isinstance(given, str) or given not in choices:
            raise self.refuse(f"{what} is {given!r:.40}, not one of {', '.join(map(repr, choices))}")
        return choices.index(given)

    def parts(self, given: Any, wanted: set[str], what: str) -> Mapping[str, Any]:
        if not isinstance(given, Mapping) or set(given) != wanted:
            raise self.refuse(f"{what} must have {', '.join(map(repr, sorted(wanted)))} and no more")
        return given

    def rows(self, given: Any, low: int, high: int, what: str) -> list[Any]:
        if not isinstance(given, (list, tuple)) or not low <= len(given) <= high:
            number = str(low) if low == high else f"{low} to {high}"
            raise self.refuse(f"{what} must be a list of {number}")
        return list(given)

    def package(self, given: Any, what: str) -> int:
        return self.one_of(given, terms.PACKAGES[: self.count], what)

    def packages(self, given: Any, what: str) -> int:
        return sum({1 << self.package(one, what) for one in self.rows(given, 0, self.count, what)})

    def versions(self, given: Any, p: int, what: str) -> int:
        """A set of existing versions of a package that is not empty."""
        there = _names(int(self.part.exists[p]))
        chosen = self.rows(given, 1, terms.LABELS, f"{what}: versions of {terms.PACKAGES[p]!r}")
        return sum({1 << LABEL_NAMES.index(there[self.one_of(one, there, what)]) for one in chosen})

    def others(self, given: Any, p: int, what: str) -> dict[int, Any]:
        """A mapping from packages other than p."""
        if not isinstance(given, Mapping):
            raise self.refuse(f"{what} must be a mapping from names of packages")
        found = {self.package(name, what): value for name, value in given.items()}
        if p in found:
            raise self.refuse(f"{what}: {terms.PACKAGES[p]!r} must not name itself")
        return found

    def item(self, given: Any, p: int, what: str) -> int:
        if not isinstance(given, str) or given not in self.items[p]:
            raise self.refuse(f"{what}: no version of {terms.PACKAGES[p]!r} exports {given!r:.40}")
        return self.items[p][given]

    def use(self, given: Any, p: int, what: str) -> int:
        """The use of an item of a package, as in "base.Reader(depth)"."""
        match = re.fullmatch(r"([\w.]+)(?:\((\w+)\))?", given) if isinstance(given, str) else None
        if match is None:
            raise self.refuse(f"{what}: {given!r:.40} is not a use such as 'base.Reader(depth)'")
        item, keyword = self.item(match[1], p, what), match[2]
        return (
            item * terms.USE + 1 + (1 + self.one_of(keyword, terms.KEYWORDS, f"{what}: the keyword") if keyword else 0)
        )

    # The parts of a level.

    def read_api(self, p: int, label: int, given: Any, what: str) -> None:
        if not isinstance(given, Mapping):
            raise self.refuse(f"{what} must be a mapping from names to lists of keywords")
        for name, keywords in given.items():
            module, _, symbol = str(name).partition(".")
            place = self.one_of(module, terms.MODULES, f"{what}: the module of {name!r:.40}")
            if name not in self.items[p]:
                known = sum(other.startswith(f"{module}.") for other in self.items[p])
                if known == HALF:
                    raise self.refuse(f"{what}: {terms.PACKAGES[p]}.{module} has more than {HALF} names")
                self.items[p][name] = HALF * place + known
                self.part.names[p, HALF * place + known] = self.one_of(symbol, terms.NAMES, f"{what}: a name")
            words = self.rows(keywords, 0, len(terms.KEYWORDS), f"{what}: keywords of {name!r}")
            found = sum({1 << self.one_of(word, terms.KEYWORDS, f"{what}: a keyword") for word in words})
            self.part.api[p, label, self.items[p][name]] = terms.EXPORTED + found

    def read_names(self, given: list[Any]) -> None:
        """The first pass: versions, solution and what is exported."""
        for p, package in enumerate(given):
            what = f"package {terms.PACKAGES[p]!r}"
            package = self.parts(package, PACKAGE, what)
            self.part.priority[p] = self.one_of(package["priority"], PRIORITIES, f"{what}: the priority")
            versions = package["versions"]
            if not isinstance(versions, Mapping) or not versions:
                raise self.refuse(f"{what}: 'versions' must be a mapping from labels such as '1.0'")
            for name in sorted(versions, key=str):
                label = self.one_of(name, LABEL_NAMES, f"{what}: a version")
                version = self.parts(versions[name], VERSION, f"{terms.PACKAGES[p]}=={name}")
                self.part.exists[p] |= 1 << label
                if version["python"] is not None:
                    self.part.python[p, label] = 1 + self.one_of(version["python"], terms.PYTHONS, f"{what}: 'python'")
                self.read_api(p, label, version["api"], f"{terms.PACKAGES[p]}=={name}: 'api'")
            self.part.solution[p] = LABEL_NAMES.index(
                list(versions)[self.one_of(package["solution"], versions, f"{what}: the solution")]
            )

    def read_version(self, p: int, label: int, given: Mapping[str, Any]) -> None:
        """The second pass: what a version demands of other packages."""
        part, title = self.part, f"{terms.PACKAGES[p]}=={LABEL_NAMES[label]}"
        for q, versions in self.others(given["needs"], p, f"{title}: 'needs'").items():
            part.needs[p, label, q] = self.versions(versions, q, f"{title}: 'needs'")
        for q, versions in self.others(given["excludes"], p, f"{title}: 'excludes'").items():
            part.excludes[p, label, q] = self.versions(versions, q, f"{title}: 'excludes'")
        for q, use in self.others(given["uses"], p, f"{title}: 'uses'").items():
            part.uses[p, label, q] = self.use(use, q, f"{title}: 'uses'")
        for q, effect in self.others(given["effects"], p, f"{title}: 'effects'").items():
            kind, versions = self.rows(effect, 2, 2, f"{title}: an effect")
            part.effect[p, label, q] = 1 + self.one_of(kind, EFFECTS[1:], f"{title}: an effect")
            part.effect_on[p, label, q] = self.versions(versions, q, f"{title}: an effect")

    def read_script(self, script: int, given: Any) -> None:
        what = f"script {terms.SCRIPTS[script]!r}"
        given = self.parts(given, {"calls", "imports"}, what)
        self.part.imports[script] = self.packages(given["imports"], f"{what}: 'imports'")
        for k, call in enumerate(self.rows(given["calls"], 0, terms.CALLS, f"{what}: 'calls'")):
            name, _, use = str(call).partition(".")
            p = self.package(name, f"{what}: a call")
            self.part.calls[script, k] = p
            self.part.call_uses[script, k] = self.use(use, p, f"{what}: a call")

    def read_rules(self, level: Mapping[str, Any]) -> None:
        for rule, name in enumerate(GROUPS):
            if level[name] is not None:
                group = self.parts(level[name], {"anchor", "packages"}, repr(name))
                self.part.anchors[rule] = self.package(group["anchor"], f"{name!r}: the anchor")
                self.part.groups[rule] = self.packages(group["packages"], f"{name!r}: a package")
        for r, given in enumerate(self.rows(level["broken"], 0, terms.RULES, "'broken'")):
            entry = self.parts(given, BROKEN, "an entry of 'broken'")
            for side, pair in enumerate(self.rows(entry["when"], 2, 2, "'when'")):
                name, versions = self.rows(pair, 2, 2, "an entry of 'when'")
                self.part.broken[r, side] = p = self.package(name, "'when': a package")
                self.part.broken_at[r, side] = self.versions(versions, p, "'when'")
            self.part.broken_in[r] = self.one_of(entry["script"], (*terms.SCRIPTS, EVERY_SCRIPT), "'script'")
            self.part.symptom[r] = self.one_of(entry["symptom"], SYMPTOMS, "'symptom'")
            self.part.broken_item[r] = self.item(entry["name"], int(self.part.broken[r, 0]), "'name'")

    def read(self, level: Mapping[str, Any]) -> None:
        self.parts({k: v for k, v in level.items() if k != "kind"}, LEVEL, "a level")
        packages = self.rows(level["packages"], self.count, self.count, "'packages'")
        self.read_names(packages)
        for p, package in enumerate(packages):
            for name, version in package["versions"].items():
                self.read_version(p, LABEL_NAMES.index(name), version)
        for script, given in enumerate(
            self.rows(level["scripts"], len(terms.SCRIPTS), len(terms.SCRIPTS), "'scripts'")
        ):
            self.read_script(script, given)
        self.read_rules(level)
        if order_of(self.part) is None:
            raise self.refuse("packages need one another in a circle")
        if solution_plan(self.part) is None:
            raise self.refuse("the solution cannot be installed, or does not work")


def read_repository(part: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    for field in field_names(part) or ():
        part[field] = terms.NONE if field == "calls" else 1 if field == "call_uses" else 0
    _Reader(part, name).read(level)
