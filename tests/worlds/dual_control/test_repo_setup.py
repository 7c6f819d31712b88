"""RepoSetup: OdysseyArena's environment in lock-step, a second implementation on fresh levels, levels, baselines."""

import copy
import gzip
import json

import kit
import numpy as np
import pytest

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.dual_control.repo_setup import COMPARISONS, list_action, pick_action, remove_action, run_action, terms
from envsuite.dual_control.repo_setup.reading import LABEL_NAMES
from envsuite.dual_control.repo_setup.terms import PACKAGES, SCRIPTS
from envsuite.dual_control.repo_setup.view import answer
from envsuite.evaluation.matches import play
from envsuite.generators import describe, generate_many, split_of
from envsuite.registry import build

ID = "envsuite/RepoSetup-v0"
TASKS = json.loads(gzip.decompress((kit.DATA / "RepoSetup" / "repo_setup.json.gz").read_bytes()))["tasks"]
LETTERS = "-abcdefghijklmnopqrstuvwxyz"
SIZES = [2, 5, 9, 12]


def ours(action, packages):
    """The number of an action that was recorded with 12 packages."""
    sizes = [(4, 4), (12, packages), (576, 48 * packages), (12, packages), (1, 1), (6, 6)]
    first = 0
    for recorded, here in sizes:
        if action < recorded:
            return first + action
        action, first = action - recorded, first + here
    raise ValueError(action)


def opened(seed=0, level=None, **params):
    """One world that runs as Python: to compile it for each number of packages would take longer."""
    batch = Batch(build(ID, params), 1, compiled=False)
    batch.start(seed, level)
    return batch


def labels(text):
    return [-1 if sign == "-" else int(sign, 16) for sign in text]


def said(s):
    return "".join(LETTERS[k + 1] for k in s.message.tolist())


# Rules.


@pytest.mark.parametrize(
    "number", [pytest.param(k, marks=[] if k in (1, 3, 28) else [pytest.mark.slow]) for k in range(len(TASKS))]
)
def test_lock_step(number):
    """Recorded games: all numbers of each answer, what is installed, Python, rewards and ends."""
    level, count = TASKS[number]["level"], len(TASKS[number]["level"]["packages"])
    batch = opened(level=level, packages=count, steps=200)
    for game in TASKS[number]["games"]:
        batch.start(0, level)
        for t, action in enumerate(game["actions"]):
            batch.step(ours(action, count))
            s, reward = batch.record(), game["rewards"][t]
            assert said(s) == game["answers"][10 * t : 10 * t + 10]
            assert s.installed.tolist() == labels(game["installed"][count * t : count * t + count])
            assert s.python == game["python"][t] and batch.rewards[0, 0] == reward
            assert batch.terminations[0, 0] == (reward == 1.0) and not batch.truncations[0, 0]
            if s.message[terms.KIND] == terms.INSTALLED:
                also = [q for q in np.flatnonzero(s.shown >= 0).tolist() if q != s.message[terms.PACKAGE]]
                assert also == game["named"][t]


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_scripts_in_lock_step(part):
    """Recorded states: what each script and the project say."""
    for task in TASKS[6:] if part else TASKS[:6]:
        count = len(task["level"]["packages"])
        batch = opened(level=task["level"], packages=count)
        for installed, answers in task["states"]:
            for k in range(6):
                if batch.over().any():
                    batch.start(0, task["level"])
                batch.records["installed"][0] = labels(installed)
                batch.records["python"] = 3
                batch.step(run_action(count, k))
                assert said(batch.record()) == answers[10 * k : 10 * k + 10]


def test_recordings_cover_all_answers():
    kinds = {game["answers"][k] for task in TASKS for game in task["games"] for k in range(0, len(game["answers"]), 10)}
    kinds |= {answers[k] for task in TASKS for _, answers in task["states"] for k in range(0, 60, 10)}
    assert kinds == set(LETTERS[2 : terms.KINDS + 1]) and all(1.0 in task["games"][1]["rewards"] for task in TASKS)


class Plain:
    """The rules on a level as plain data: versions are texts, and an answer is its kind and what it names."""

    def __init__(self, level):
        self.level, self.names = level, PACKAGES[: len(level["packages"])]
        self.packages, self.installed, self.python = dict(zip(self.names, level["packages"])), {}, None

    def install(self, name, fits):
        found = [version for version in sorted(self.packages[name]["versions"]) if fits(version)]
        if not found:
            return [terms.NO_VERSION, name]
        version = found[-1]
        if self.installed.get(name) == version:
            return [terms.PRESENT, name, version]
        has, now = self.packages[name]["versions"][version], dict(self.installed)
        if has["python"]:
            if self.python is None:
                return [terms.NO_PYTHON, name, version, has["python"]]
            if int(self.python[2:]) < int(has["python"][2:]):
                return [terms.OLD_PYTHON, name, version, has["python"]]
        if self.packages[name]["priority"] == "high":
            for other, wanted in has["needs"].items():
                now[other] = now[other] if now.get(other) in wanted else max(wanted)
            for other, (kind, wanted) in has["effects"].items():
                if kind != "ensure" or now.get(other) not in wanted:
                    now[other] = min(wanted) if kind == "force low" else max(wanted)
        if self.packages[name]["priority"] == "medium":
            if not set(has["needs"]) <= set(now):
                return [terms.MISSING, name, version]
            for other, wanted in has["needs"].items():
                now[other] = now[other] if now[other] in wanted else max(wanted)
        for other in self.names:
            if now.get(other) in has["excludes"].get(other, []):
                return [terms.CONFLICT, name, version, other, now[other]]
        self.installed = {**now, name: version}
        return [terms.INSTALLED, name, version]

    def lacks(self, provider, use, caller=None):
        name, keyword = (use.rstrip(")").split("(") + [None])[:2]
        if provider not in self.installed:
            return [terms.NO_MODULE, provider]
        exported = self.packages[provider]["versions"][self.installed[provider]]["api"]
        if name not in exported:
            return [terms.NO_NAME, provider, name]
        if keyword and keyword not in exported[name]:
            kind = [terms.NO_KEYWORD] if caller is None else [terms.NO_KEYWORD_IN, caller]
            return [*kind, provider, name, keyword]
        return None

    def script(self, number):
        script = self.level["scripts"][number]
        calls = [call.split(".", 1) for call in script["calls"]]
        used = {*script["imports"], *(provider for provider, _ in calls)}
        for kind, part, digits in ((terms.MAJOR, "same_major", 1), (terms.MINOR, "same_version", 3)):
            group = self.level[part]
            if group and group["anchor"] in self.installed and used & {group["anchor"], *group["packages"]}:
                there = {self.installed[p][:digits] for p in group["packages"] if p in self.installed}
                if there - {self.installed[group["anchor"]][:digits]}:
                    return [kind, group["anchor"]]
        for provider, use in calls:
            if found := self.lacks(provider, use):
                return found
        for caller in self.names:
            if caller in used and caller in self.installed:
                uses = self.packages[caller]["versions"][self.installed[caller]]["uses"]
                for provider in self.names:
                    if provider in uses and (found := self.lacks(provider, uses[provider], caller)):
                        return found
        for rule in self.level["broken"]:
            if rule["script"] in ("all", SCRIPTS[number]):
                if all(self.installed.get(name) in versions for name, versions in rule["when"]):
                    kinds = ("name", "attribute", "argument", "extension", "binary")
                    return [terms.BROKEN + kinds.index(rule["symptom"])]
        return [terms.PASSED]


def told(s):
    """An answer of ours in the form of `Plain`."""
    m, kind = s.message.tolist(), int(s.message[terms.KIND])
    package, other = PACKAGES[m[terms.PACKAGE]], PACKAGES[m[terms.OTHER]]
    version, name = LABEL_NAMES[m[terms.VERSION]], f"{terms.MODULES[m[terms.MODULE]]}.{terms.NAMES[m[terms.NAME]]}"
    if kind in (terms.NO_PYTHON, terms.OLD_PYTHON):
        return [kind, package, version, terms.PYTHONS[m[terms.PYTHON]]]
    if kind == terms.CONFLICT:
        return [kind, package, version, other, LABEL_NAMES[m[terms.OTHER_VERSION]]]
    if kind == terms.NO_KEYWORD_IN:
        return [kind, other, package, name, terms.KEYWORDS[m[terms.KEYWORD]]]
    if kind in (terms.MAJOR, terms.MINOR, terms.NO_VERSION, terms.NO_MODULE):
        return [kind, package]
    if kind in (terms.NO_NAME, terms.NO_KEYWORD):
        return [kind, package, name] + [terms.KEYWORDS[m[terms.KEYWORD]]] * (kind == terms.NO_KEYWORD)
    return [kind] if kind >= terms.BROKEN or kind in (terms.PASSED, terms.WORKS) else [kind, package, version]


@pytest.mark.parametrize("packages", [2, 5, pytest.param(9, marks=pytest.mark.slow), 12])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_second_implementation(packages, seed):
    """Random commands on fresh levels; many lead towards the solution, so scripts get far."""
    batch, rng = opened(100 + seed, packages=packages, steps=1000), np.random.default_rng(seed)
    level = batch.world.get_level(batch.record())
    plain, solution = Plain(level), [package["solution"] for package in level["packages"]]
    for _ in range(150):
        p, part = int(rng.integers(packages)), rng.random()
        if part < 0.05:
            plain.python = terms.PYTHONS[k := int(rng.integers(4))]
            action, expected = k, None
        elif part < 0.6:
            comparison, label = (0, solution[p]) if part < 0.4 else (int(rng.integers(3)), rng.choice(LABEL_NAMES))
            fits = {"==": str.__eq__, ">=": str.__ge__, "<=": str.__le__}[COMPARISONS[comparison]]
            action = pick_action(packages, p, comparison, LABEL_NAMES.index(label))
            expected = plain.install(PACKAGES[p], lambda version, fits=fits, label=label: fits(version, label))
        elif part < 0.63 and PACKAGES[p] in plain.installed:
            action = remove_action(packages, p)
            expected = [terms.REMOVED, PACKAGES[p], plain.installed.pop(PACKAGES[p])]
        else:
            k = int(rng.integers(5)) if rng.random() < 0.8 else 5
            action, expected = run_action(packages, k), None
            if plain.python:
                answers = [plain.script(number) for number in (range(5) if k == 5 else [k])]
                passed = [terms.PASSED] if k < 5 else [terms.WORKS]
                expected = next((found for found in answers if found != [terms.PASSED]), passed)
        batch.step(action)
        s = batch.record()
        assert expected is None or told(s) == expected
        now = [LABEL_NAMES[v] if v >= 0 else None for v in s.installed.tolist()]
        assert now == [plain.installed.get(name) for name in plain.names]
        assert batch.rewards[0, 0] == (expected == [terms.WORKS])
        if batch.over().any():
            batch.start(0, level)
            plain = Plain(level)


def test_python_and_lists():
    """Scripts need a Python; the list shows all that is installed; the newest version only where there is none."""
    level = TASKS[0]["level"]
    batch = kit.started(ID, level=level, packages=9, steps=8)
    kinds = []
    for action in (run_action(9, 0), run_action(9, 5), 2, list_action(9), remove_action(9, 3), 4, 4):
        batch.step(action)
        kinds.append(int(batch.record().message[terms.KIND]))
    first = [terms.UNSET, terms.UNSET, terms.PYTHON_SET, terms.LIST, terms.ABSENT]
    assert kinds[:5] == first and batch.record().python == 2
    assert batch.observations["left"] == 1 and not batch.over().any()
    batch.step(0)
    assert batch.truncations[0, 0] and batch.observations["left"] == 0


# Levels.


@pytest.mark.parametrize("packages", SIZES)
def test_solution_keeps_all_rules(packages):
    """What the generator promises, on plain data."""
    for level in generate_many("repositories", 2, seed=7, packages=packages):
        plain = Plain(level)
        plain.installed = {name: package["solution"] for name, package in plain.packages.items()}
        assert all(plain.script(k) == [terms.PASSED] for k in range(5))
        for package in plain.packages.values():
            assert 3 <= len(package["versions"]) <= 10
            for label, version in package["versions"].items():
                right = label == package["solution"]
                assert not (right and version["excludes"])
                for other, wanted in version["needs"].items():
                    assert plain.installed[other] in wanted or not right
                assert set(version["effects"]) <= set(version["needs"])
                assert package["priority"] == "high" or not version["effects"]
        figures = describe(level)
        assert packages + 2 <= figures["difficulty"] <= 2 * packages + 2 and figures["solvable"]
        assert figures["versions"] == sum(len(package["versions"]) for package in level["packages"])


def figures_of(levels):
    """Means over levels: versions, needs, excluded versions, effects, and uses of a version; calls, imports, groups."""
    rows = []
    for level in levels:
        versions = [version for package in level["packages"] for version in package["versions"].values()]
        parts = [sum(len(version[part]) for version in versions) for part in ("needs", "excludes", "effects", "uses")]
        allowed = [len(wanted) for version in versions for wanted in version["needs"].values()]
        words = [len(keywords) for version in versions for keywords in version["api"].values()]
        rows.append(
            [
                len(versions) / len(level["packages"]),
                *(part / len(versions) for part in parts),
                np.mean(allowed),
                np.mean(words),
                sum(version["python"] is not None for version in versions) / len(versions),
                sum(len(script["calls"]) for script in level["scripts"]),
                sum(len(script["imports"]) for script in level["scripts"]),
                *(len(level[group]["packages"]) if level[group] else 0 for group in ("same_major", "same_version")),
                len(level["broken"]),
            ]
        )
    return np.array(rows)


@pytest.mark.slow
def test_levels_are_like_the_tasks():
    """The Lite tasks with nine packages, and as many packages here: no mean differs by 4 standard errors."""
    theirs = figures_of([task["level"] for task in TASKS if len(task["level"]["packages"]) == 9])
    drawn = figures_of(generate_many("repositories", 40, seed=50, packages=9))
    error = np.sqrt(theirs.var(0) / len(theirs) + drawn.var(0) / len(drawn))
    assert (np.abs(theirs.mean(0) - drawn.mean(0)) < 4 * error + 1e-9).all()


def test_generator():
    levels = generate_many("repositories", 2, seed=3, packages=2, split="test")
    assert {split_of(level) for level in levels} == {"test"} and json.loads(json.dumps(levels)) == levels
    assert {split_of(level) for level in generate_many("repositories", 2, packages=2, split="train")} == {"train"}
    batch = kit.started(ID, 2, level=levels, packages=2)
    assert [{"kind": "repositories", **batch.world.get_level(batch.record(k))} for k in range(2)] == levels
    assert generate_many("RepoSetup", 2, seed=9)[1] != generate_many("RepoSetup", 2, seed=10)[1]


def test_broken_levels():
    good = generate_many("repositories", 1, seed=5, packages=3)[0]
    world = build(ID, dict(packages=3))

    def changed(change):
        level = copy.deepcopy(dict(good))
        change(level)
        return level

    def first(level):
        return next(iter(level["packages"][0]["versions"].values()))

    kit.refuses(
        world,
        ({"packages": []}, "a level must have"),
        (changed(lambda level: level.update(packages=[])), "'packages' must be a list of 3"),
        (changed(lambda level: level["packages"][1].update(priority="top")), "the priority is 'top', not one of 'low'"),
        (changed(lambda level: level["packages"][1].update(solution="3.9")), "the solution is '3.9'"),
        (changed(lambda level: level["packages"][1].update(versions={})), "must be a mapping from labels"),
        (changed(lambda level: first(level)["needs"].update(kelp=["0.0"])), "'needs' is 'kelp'"),
        (changed(lambda level: first(level)["needs"].update(amber=["0.0"])), "must not name itself"),
        (
            changed(lambda level: first(level)["needs"].update(birch=[])),
            "versions of 'birch' must be a list of 1 to 16",
        ),
        (changed(lambda level: first(level)["uses"].update(birch="base.Nothing")), "no version of 'birch' exports"),
        (changed(lambda level: first(level)["effects"].update(birch=["pin"])), "an effect must be a list of 2"),
        (changed(lambda level: first(level)["api"].update({"top.Reader": []})), "the module of 'top.Reader'"),
        (changed(lambda level: level["scripts"].pop()), "'scripts' must be a list of 5"),
        (changed(lambda level: level["scripts"][0].update(calls=["amber"])), "is not a use such as"),
        (changed(lambda level: level.update(broken=[{}])), "an entry of 'broken' must have"),
        (changed(lambda level: level.update(same_major={"anchor": "x", "packages": []})), "the anchor is 'x'"),
    )


def test_levels_without_a_way():
    """Needs in a circle, and a solution that does not pass or that something excludes."""
    level = dict(generate_many("repositories", 1, seed=5, packages=2)[0])
    world = build(ID, dict(packages=2))
    wrong, circle, excluded = (copy.deepcopy(level) for _ in range(3))
    solution = level["packages"][0]["solution"], level["packages"][1]["solution"]
    wrong["broken"] = [
        {
            "when": [["amber", [solution[0]]], ["birch", [solution[1]]]],
            "script": "all",
            "symptom": "binary",
            "name": next(iter(level["packages"][0]["versions"][solution[0]]["api"])),
        }
    ]
    for k, name in enumerate(("birch", "amber")):
        circle["packages"][k]["versions"][solution[k]]["needs"] = {name: [solution[1 - k]]}
        excluded["packages"][k]["versions"][solution[k]]["excludes"] = {name: [solution[1 - k]]}
    kit.refuses(
        world,
        (wrong, "the solution cannot be installed, or does not work"),
        (circle, "packages need one another in a circle"),
        (excluded, "the solution cannot be installed"),
    )


# Baselines.


@pytest.mark.slow
def test_scores():
    """More packages are harder; sets beat errors, errors beat the newest of all."""
    careful = [play(build(ID, dict(packages=packages)), ["careful"], 40, seed=500) for packages in (3, 9, 12)]
    solved, steps = [row.returns.mean() for row in careful], [row.lengths.mean() for row in careful]
    assert sorted(steps) == steps and sorted(solved, reverse=True) == solved and solved[0] > 0.9
    world = build(ID)
    names = ("debugger", "newest", "random")
    debugger, newest, random = (play(world, [name], 40, seed=500).returns.mean() for name in names)
    assert solved[1] > 0.55 > 0.45 > debugger > 0.1 > newest and random < 0.05


@pytest.mark.slow
def test_scores_on_the_tasks():
    """In twelve of OdysseyArena's tasks: the newest of all solves none, as there."""
    solved = dict.fromkeys(("newest", "debugger", "careful"), 0)
    for task in [*TASKS[:6], *TASKS[-6:]]:  # nine and twelve packages
        world = build(ID, dict(packages=len(task["level"]["packages"])))
        for name in solved:
            batch, player = kit.started(world, level=task["level"]), make_policy(name, world)
            player.reset(0, 1)
            while not batch.over().any():
                batch.step(player.act_batch(batch.observations, batch.masks, [0]))
            solved[name] += int(batch.rewards[0, 0])
    assert solved["newest"] == 0 < solved["debugger"] < solved["careful"], solved


# Views.


def test_words_keys_and_clicks():
    batch = kit.started(ID, packages=3, level=generate_many("repositories", 1, seed=5, packages=3)[0])
    world = batch.world
    names = world.action_names[0]
    assert world.prompt(batch.record(), 0).startswith("You set up a Python project")
    assert world.text(batch.record(), 0).splitlines() == ["Nothing is installed.", "120 of 120 commands are left."]
    chosen = {names[k] for k in kit.clicks(batch, 0) if k is not None}
    assert {f"pip install {name}" for name in PACKAGES[:3]} | {"python run.py", "pip uninstall cedar"} <= chosen
    assert "pip install amber==3.3" in chosen and not any(">=" in name or name == "pip list" for name in chosen)
    assert set(world.keys.values()) == {"pip list", "python run.py"} and set(world.keys.values()) <= set(names)
    kit.act(batch, "python run.py")
    assert world.text(batch.record(), 0).startswith("$ python run.py\nERROR: there is no Python to run this.")
    kit.act(batch, "pip install python==3.11")
    assert world.reply(batch.record(), 0) == "Python 3.11 is installed."


def test_every_answer_has_words():
    """In all recorded answers; only the project's failures and lists have more than two lines."""
    seen = set()
    for task in TASKS[1:3]:
        batch = kit.started(ID, level=task["level"], packages=9)
        s, game = batch.record(), task["games"][1]
        for t in range(len(game["actions"])):
            s.message[:] = [LETTERS.index(sign) - 1 for sign in game["answers"][10 * t : 10 * t + 10]]
            words = answer(s)
            assert words.endswith(".") or "\n" in words
            seen.add(words.split(" ")[0])
    assert {"ERROR:", "Installed", "checks/start.py"} <= seen
