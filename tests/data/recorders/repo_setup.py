"""Record OdysseyArena's repositories.

    python tests/data/recorders/repo_setup.py FOLDER tests/data/RepoSetup/repo_setup.json.gz

FOLDER is a checkout of github.com/xufangzhi/Odyssey-Arena, commit b9eb63d. Its 30 Lite tasks are made by its generator
with the seeds of its script. Lists of a version's needs, effects, uses and conflicts are put in the order of packages
before its environment reads them, because our levels have no order; which failure is reported first depends on it.
"""

import gzip
import json
import random
import re
import sys
from pathlib import Path

SOURCE = (
    "OdysseyArena (github.com/xufangzhi/Odyssey-Arena, commit b9eb63d), RepoEnv/RepoEnv_v7.py on the 30 tasks that "
    "RepoEnv/RepoGenerator_v5.py makes. Levels are in our form, names replaced by number. A game has actions, numbered "
    "as ours with 12 packages; for each step the answer's ten numbers (kind, script, package, version, other, other "
    "version, module, name, keyword, python) in letters, - for none, a for 0; the installed labels after it as "
    "hexadecimal digits, - for none; changed packages that the answer names; the python; and the reward. States are "
    "what is installed, and the answers of the five scripts and of the project."
)

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from envsuite.dual_control.repo_setup import terms  # noqa: E402  (constants only)

OPERATORS = ("==", ">=", "<=")
SCRIPTS = ("core/smoke.py", "data/check_io.py", "model/smoke_model.py", "train/run_train.py", "eval/run_eval.py")
LETTERS = "-abcdefghijklmnopqrstuvwxyz"
LABELS = [f"{k // 4}.{k % 4}" for k in range(16)]
COUNTS = {9: 6, 10: 9, 11: 9, 12: 6}


def number(package):
    return int(package.removeprefix("pkg"))


def names_of(packages):
    return [terms.PACKAGES[number(name)] for name in packages]


class Task:
    """A task of theirs, its solution, and its level in our form."""

    def __init__(self, index, count, generators, environments):
        local = random.Random(100000 + index)
        made = generators.RandomWorldSpecGeneratorV7_5(
            num_packages=count, min_versions=3, max_versions=local.choice([8, 9, 10]), python_versions=None,
            rng_seed=42 + index, project_range_strict_prob=0.6, implicit_range_strict_prob=0.6,
            dep_range_strict_prob=local.uniform(0.75, 0.80), high_version_conflict_ratio=local.uniform(0.75, 0.8),
            fork_point_ratio=local.uniform(0.75, 0.90), max_deps_per_version=local.choice([8, 9, 10]),
        )  # fmt: skip
        draw = made._sample_solution

        def remembered(packages):
            found = draw(packages)
            self.solution = {name: f"{v[0]}.{v[1]}" for name, v in found["installed"].items()}
            return found

        made._sample_solution = remembered
        self.spec, self.made, self.environments = made.generate(), made, environments
        for part in ("version_dependencies", "side_effects", "version_conflicts", "symbol_requires"):
            for versions in self.spec[part].values():
                for rows in versions.values():
                    rows.sort(key=lambda row: number(self.package_in(row)))
        self.packages = [f"pkg{k}" for k in range(count)]
        self.versions = [self.spec["packages"][name]["versions"] for name in self.packages]

    @staticmethod
    def package_in(row):
        return row["provider"] if isinstance(row, dict) else row[0] if row[0].startswith("pkg") else row[1]

    def fits(self, package, constraints):
        tool = self.environments
        wanted = [(op, tool.parse_semver_to_tuple(version)) for op, version in constraints]
        return [
            version
            for version in self.spec["packages"][package]["versions"]
            if tool.version_satisfies_constraints(tool.parse_semver_to_tuple(version), wanted)
        ]

    def item(self, module, symbol):
        module = {"core": "base", "io": "util"}[module.split(".")[1]]
        return f"{module}.{terms.NAMES[self.made._symbol_pool.index(symbol)]}"

    def keyword(self, word):
        return terms.KEYWORDS[self.made._kw_pool.index(word)]

    def use(self, row):
        keywords = row["required_kwargs"]
        assert len(keywords) <= 1
        return self.item(row["module"], row["symbol"]) + "".join(f"({self.keyword(word)})" for word in keywords)

    def version(self, package, version):
        """What a version has, in our form."""
        spec = self.spec
        at = {part: spec[part].get(package, {}).get(version) for part in (
            "version_requires_python", "version_dependencies", "version_conflicts", "side_effects", "symbol_requires",
        )}  # fmt: skip
        excludes = {}
        for other, op, bound, _ in at["version_conflicts"] or []:
            excludes.setdefault(terms.PACKAGES[number(other)], set()).update(self.fits(other, [[op, bound]]))
        surface = spec["api_surface"][package][version]
        assert not at["version_requires_python"] or at["version_requires_python"][0] == ">="
        return {
            "python": at["version_requires_python"] and at["version_requires_python"][1],
            "needs": {names_of([q])[0]: self.fits(q, found) for q, found in at["version_dependencies"] or []},
            "excludes": {name: sorted(found) for name, found in excludes.items()},
            "effects": {
                names_of([q])[0]: [kind.replace("_", " "), self.fits(q, found)]
                for kind, q, found in at["side_effects"] or []
            },
            "uses": {names_of([row["provider"]])[0]: self.use(row) for row in at["symbol_requires"] or []},
            "api": {
                self.item(module, symbol): [self.keyword(word) for word in surface["signatures"][f"{module}:{symbol}"]]
                for module, symbols in surface["exports"].items()
                for symbol in symbols
            },
        }

    def level(self):
        spec, groups, broken = self.spec, {"same_major": None, "same_version": None}, []
        for rule in spec["consistency_rules"]:
            name = {"same_major_with_anchor": "same_major", "same_minor_with_anchor": "same_version"}[rule["type"]]
            anchor = names_of([rule["anchor"]])[0]
            groups[name] = {"anchor": anchor, "packages": names_of(sorted(rule["packages"], key=number))}
        for rule in spec["hidden_rules"]:
            (place,) = rule["scope"]
            kind, module, symbol = self.symptom(rule["error"], rule["when"][0][0])
            broken.append(
                {
                    "when": [[names_of([q])[0], self.fits(q, found)] for q, found in rule["when"]],
                    "script": terms.SCRIPTS[SCRIPTS.index(place)] if place in SCRIPTS else "all",
                    "symptom": ("name", "attribute", "argument", "extension", "binary")[kind],
                    "name": self.item(module, symbol),
                }
            )
        scripts = [
            {
                "calls": [
                    f"{names_of([row['provider']])[0]}.{self.use(row)}" for row in spec["scripts"][path]["calls"]
                ],
                "imports": names_of(spec["scripts"][path]["imports"]),
            }
            for path in SCRIPTS
        ]
        assert spec["entrypoints"] == list(SCRIPTS)
        packages = [
            {
                "priority": spec["packages"][name]["priority"],
                "solution": self.solution[name],
                "versions": {version: self.version(name, version) for version in spec["packages"][name]["versions"]},
            }
            for name in self.packages
        ]
        return {"packages": packages, "scripts": scripts, **groups, "broken": broken}

    def symptom(self, error, package):
        """Number, module and symbol of a symptom; where it does not name both, any that fits."""
        if match := re.match(r"ImportError: cannot import name '(\w+)' from '([\w.]+)'", error):
            return 0, match[2], match[1]
        if match := re.match(r"AttributeError: module '([\w.]+)' has no attribute '(\w+)'", error):
            return 1, match[1], match[2]
        exports = self.spec["api_surface"][package][self.solution[package]]["exports"]
        if match := re.match(r"TypeError: (\w+)\(\) got", error):
            return 2, next(module for module, symbols in exports.items() if match[1] in symbols), match[1]
        module = next(iter(exports))
        return 3 + ("ABI" in error), module, exports[module][0]

    # Games.

    def command(self, action):
        """Our action with 12 packages as their command."""
        kinds = [(4, lambda k: f"pip install python=={terms.PYTHONS[k]}"), (12, lambda k: f"pip install pkg{k}")]
        kinds += [(576, lambda k: f"pip install pkg{k // 48}{OPERATORS[k // 16 % 3]}{LABELS[k % 16]}")]
        kinds += [(12, lambda k: f"pip uninstall pkg{k}"), (1, lambda k: "pip list")]
        kinds += [(5, lambda k: f"python {SCRIPTS[k]}"), (1, lambda k: "python run.py")]
        for size, text in kinds:
            if action < size:
                return text(action)
            action -= size
        raise ValueError(action)

    def answer(self, text):
        """Their message as ten numbers, -1 for none."""
        found = [-1] * 10

        def put(kind, **parts):
            found[0] = kind
            for name, value in parts.items():
                found[getattr(terms, name.upper())] = value

        def version(given):
            return LABELS.index(given)

        def place(module, symbol):
            made = self.item(module, symbol).split(".")
            return {"module": terms.MODULES.index(made[0]), "name": terms.NAMES.index(made[1])}

        pair = r"pkg(\d+)==(\d\.\d)"
        if m := re.search(r"while running '([\w/.]+)'", text) or re.search(r"in '([\w/.]+)'", text):
            found[terms.SCRIPT] = SCRIPTS.index(m[1])
        if text.startswith("Successfully installed python"):
            put(terms.PYTHON_SET)
        elif m := re.match(f"Successfully installed {pair}", text):
            put(terms.INSTALLED, package=int(m[1]), version=version(m[2]))
        elif m := re.match(f"{pair} is already installed", text):
            put(terms.PRESENT, package=int(m[1]), version=version(m[2]))
        elif m := re.match(r"ERROR: Could not find any version of pkg(\d+)", text):
            put(terms.NO_VERSION, package=int(m[1]))
        elif m := re.match(rf"ERROR: {pair} requires Python >= (3\.\d+), but (no|you)", text):
            kind = terms.NO_PYTHON if m[4] == "no" else terms.OLD_PYTHON
            put(kind, package=int(m[1]), version=version(m[2]), python=terms.PYTHONS.index(m[3]))
        elif m := re.match(f"ERROR: Cannot install {pair} because the following", text):
            put(terms.MISSING, package=int(m[1]), version=version(m[2]))
        elif m := re.match(f"ERROR: Cannot install {pair} because it conflicts with {pair}", text):
            put(terms.CONFLICT, package=int(m[1]), version=version(m[2]), other=int(m[3]), other_version=version(m[4]))
        elif m := re.match(f"Successfully uninstalled {pair}", text):
            put(terms.REMOVED, package=int(m[1]), version=version(m[2]))
        elif m := re.match(r"ERROR: Package 'pkg(\d+)' is not installed", text):
            put(terms.ABSENT, package=int(m[1]))
        elif text.startswith("Environment status"):
            put(terms.LIST)
        elif m := re.match(r"Script executed successfully: ([\w/.]+)", text):
            put(terms.PASSED, script=SCRIPTS.index(m[1]))
        elif text.startswith("Project executed successfully"):
            put(terms.WORKS)
        elif text.startswith("ERROR: Python is not configured"):
            put(terms.UNSET)
        elif m := re.search(r"ABI mismatch detected between 'pkg(\d+)' and dependent", text):
            put(terms.MAJOR, package=int(m[1]))
        elif m := re.search(r"out of sync with 'pkg(\d+)'", text):
            put(terms.MINOR, package=int(m[1]))
        elif m := re.search(r"': ModuleNotFoundError: No module named 'pkg(\d+)'", text):
            put(terms.NO_MODULE, package=int(m[1]))
        elif m := re.search(r"in '[\w/.]+': ImportError: cannot import name '(\w+)' from '(pkg(\d+)\.\w+)'", text):
            put(terms.NO_NAME, package=int(m[3]), **place(m[2], m[1]))
        elif m := re.search(r"project entry, (pkg(\d+)\.\w+)\.(\w+)\(\) got .* argument '(\w+)'", text):
            word = terms.KEYWORDS.index(self.keyword(m[4]))
            put(terms.NO_KEYWORD, package=int(m[2]), keyword=word, **place(m[1], m[3]))
        elif m := re.search(r"importing 'pkg(\d+)', (pkg(\d+)\.\w+)\.(\w+)\(\) got .* argument '(\w+)'", text):
            word = terms.KEYWORDS.index(self.keyword(m[5]))
            put(terms.NO_KEYWORD_IN, package=int(m[3]), other=int(m[1]), keyword=word, **place(m[2], m[4]))
        else:
            error = text.split("  - ")[1]
            error = error.split("': ", 1)[1] if error.startswith("while") else error
            rule = next(rule for rule in self.spec["hidden_rules"] if rule["error"] == error)
            package = rule["when"][0][0]
            kind, module, symbol = self.symptom(error, package)
            if kind < 3:
                put(terms.BROKEN + kind, package=number(package), **place(module, symbol))
            else:
                put(terms.BROKEN + kind)
        return found

    def play(self, rng, directed):
        """A game of random commands, or of commands towards the solution among them."""
        env = self.environments.ComputerEnvSetupInductionEnvV7_5(self.spec, max_steps=120, seed=0)
        game = {"actions": [], "answers": [], "installed": [], "named": [], "python": [], "rewards": []}
        while len(game["actions"]) < (150 if directed else 90) and not env.done:
            action = self.choose(rng, env, len(game["actions"]) if directed else None)
            *_, reward, _, _ = env.step(self.command(action))
            text = env.last_message
            answer = self.answer(text)
            if answer[0] >= terms.MAJOR and answer[terms.SCRIPT] < 0:  # a script's own failure names no script
                answer[terms.SCRIPT] = SCRIPTS.index(self.command(action).split()[1])
            now = [env.installed.get(name) for name in self.packages]
            game["actions"].append(action)
            game["answers"].append("".join(LETTERS[k + 1] for k in answer))
            game["installed"].append("".join("-" if v is None else f"{4 * v[0] + v[1]:x}" for v in now))
            also = re.findall(r"pkg(\d+)==", text.split("Also")[1]) if "Also" in text else []
            game["named"].append(sorted(int(k) for k in also))
            game["python"].append(-1 if env.python_version is None else env.python_version[1] - 8)
            game["rewards"].append(reward)
        return {key: "".join(value) if key in ("answers", "installed") else value for key, value in game.items()}

    def states(self, rng):
        """What the scripts and the project say in states near the solution, half of them with broken combinations."""
        env, found = self.environments.ComputerEnvSetupInductionEnvV7_5(self.spec), {True: [], False: []}
        for _ in range(300):
            env.python_version, env.done, env.success = (3, 11), False, False
            env.installed = {name: tuple(map(int, version.split("."))) for name, version in self.solution.items()}
            for name in self.packages:
                if rng.random() < 0.15:
                    env.installed[name] = tuple(map(int, rng.choice(self.versions[number(name)]).split(".")))
                if rng.random() < 0.07:
                    env.installed.pop(name)
            for name, wanted in rng.choice(self.spec["hidden_rules"])["when"] if rng.random() < 0.8 else []:
                env.installed[name] = tuple(map(int, rng.choice(self.fits(name, wanted)).split(".")))
            answers = []
            for k in range(6):
                env.step(self.command(605 + k))
                answers.append(self.answer(env.last_message))
                if answers[-1][0] >= terms.MAJOR and k < 5:
                    answers[-1][terms.SCRIPT] = k
            kept = found[any(answer[0] >= terms.BROKEN for answer in answers)]
            now = [env.installed.get(name) for name in self.packages]
            if len(kept) < 5:
                text = "".join("-" if v is None else f"{4 * v[0] + v[1]:x}" for v in now)
                kept.append([text, "".join(LETTERS[k + 1] for answer in answers for k in answer)])
        return found[True] + found[False]

    def choose(self, rng, env, t):
        count = len(self.packages)
        if t is not None and (t > 40 or rng.random() < 0.4):
            return self.towards(rng, env, t)
        part, p = rng.random(), rng.randrange(count)
        if part < 0.06:
            return rng.randrange(4)
        if part < 0.2:
            return 4 + p
        if part < 0.62:
            known = rng.random() < 0.85
            label = LABELS.index(rng.choice(self.versions[p])) if known else rng.randrange(16)
            return 16 + 48 * p + 16 * rng.choice([0, 0, 1, 2]) + label
        if part < 0.7:
            return 592 + p
        return 604 if part < 0.72 else 605 + rng.randrange(6)

    def towards(self, rng, env, t):
        """Install a random wrong package in the solution's version, or run what there is."""
        if env.python_version != (3, 11):
            return 3
        wrong = [
            k for k, name in enumerate(self.packages)
            if env.installed.get(name) != tuple(map(int, self.solution[name].split(".")))
        ]  # fmt: skip
        if wrong and (t > 40 or rng.random() < 0.6) and rng.random() < 0.9:
            p = rng.choice(wrong)
            return 16 + 48 * p + LABELS.index(self.solution[self.packages[p]])
        return 605 + (5 if not wrong else rng.randrange(5))


def main():
    folder = Path(sys.argv[1])
    sys.path.insert(0, str(folder / "RepoEnv"))
    import RepoEnv_v7
    import RepoGenerator_v5

    tasks, index = [], 0
    for count, repeats in COUNTS.items():
        for _ in range(repeats):
            index += 1
            task = Task(index, count, RepoGenerator_v5, RepoEnv_v7)
            rng = random.Random(index)
            games = [task.play(rng, False), task.play(rng, True)]
            tasks.append({"level": task.level(), "games": games, "states": task.states(rng)})
    text = json.dumps({"source": SOURCE, "tasks": tasks}, separators=(",", ":"))
    Path(sys.argv[2]).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
