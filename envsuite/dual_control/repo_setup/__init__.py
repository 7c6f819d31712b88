"""RepoSetup: install versions of packages that work together, with only the errors of pip and of scripts as clues
(OdysseyArena).

**Rules.** A repository has five scripts, and needs some of `packages` packages. Nothing is installed at the start. Each
command is a step, and its answer is all that the agent sees. Which versions exist and what they need is hidden. See
`envsuite.dual_control.repo_setup.levels` for how it is drawn.

*Installing.* A command installs the highest existing version that it allows; without a version it installs the newest,
if the package is absent. What then happens depends on the package's hidden priority:

1. A version may need a Python from some release on. Otherwise the command fails.
2. *High* priority: all that the version needs is installed in the highest version that it allows, unless a version that
   it allows is there. Then come the version's effects on some of these packages. *Ensure* does the same again, *force
   high* and *pin* install the highest version of a set in any case, *force low* the lowest. The answer names all
   packages that have changed.
3. *Medium* priority: if something that the version needs is absent, the command fails and names it. Wrong versions of
   what it needs are changed to the highest that it allows, and the answer does not say so.
4. *Low* priority: nothing is checked or changed.
5. If the version excludes a version that is now installed, the command fails.

A command that fails changes nothing. What is installed along with a package brings nothing else with it. Removing a
package changes nothing else.

*Running.* A script reports its first failure, and names no versions:

1. A group of packages must have the same major number as an anchor, and another group the same version as another
   anchor. This is checked for installed packages, in scripts that use one of them.
2. Each call of the script needs a package, a name that its version exports, and often a keyword of this name.
3. Each installed version that the script imports or calls uses names of other packages in the same way.
4. Some combinations of versions of two packages break a script, or all. Their error is misleading.

`python run.py` runs all five scripts up to the first that fails. It needs no other Python than the packages.

**Agents.** `developer`.

**Observation.** Dict. P is `packages`; versions are labels from 0 to 15, 4 times the major number plus the minor one.

| part | space | content |
|---|---|---|
| python | Box (1,) int8 | Python 3.8 to 3.11 as 0 to 3; -1 before one is installed |
| message | Box (10,) int8 | the last answer in numbers, see below; -1 for what it does not name |
| shown | Box (P,) int8 | versions that the answer names; -1 for packages that it calls absent; -2 for others |
| available | Box (16,) int8 | 1 for versions that exist, if the answer lists those of its package |
| left | Box (1,) int16 | steps left |

The numbers of an answer are its kind, the script, a package and its version, another package and its version, a module,
a name, a keyword and a Python. The kinds are: 0 none, 1 Python installed, 2 installed, 3 already installed, 4 no such
version, 5 Python absent, 6 Python too old, 7 needs are absent, 8 excluded, 9 removed, 10 not installed, 11 list, 12
script passed, 13 all passed, 14 no Python to run, 15 other major number than the anchor, 16 other version than the
anchor, 17 package absent, 18 name not exported, 19 keyword unknown in a call, 20 keyword unknown in the use by another
package, 21 to 25 broken combination.

**Actions.** Discrete (50 P + 11), all of them always legal. By default:

| action | name |
|---|---|
| 0 ... 3 | `pip install python==3.8` ... `pip install python==3.11` |
| 4 ... 12 | `pip install amber` ... `pip install islet` |
| 13 ... 444 | `pip install amber==0.0` ... `pip install islet<=3.3`: packages, then ==, >= and <=, then labels |
| 445 ... 453 | `pip uninstall amber` ... `pip uninstall islet` |
| 454 | `pip list` |
| 455 ... 459 | `python checks/start.py` ... `python checks/report.py` |
| 460 | `python run.py` |

**Window.** A click on a package installs its newest version, on a version exactly this one, on a cross removes the
package, on a script runs it. The keys are l for the list and r for `python run.py`.

**Rewards.** 1 when `python run.py` passes.

**Ends.** Terminates when `python run.py` passes. Truncates after `steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `packages` | 9 | number of packages, from 2 to 12 |
| `steps` | 120 | number of steps, from 1 to 1000 |

**Level.** ``{"packages": [{"priority": "high", "solution": "0.1", "versions": {"0.1": {"python": "3.9", "needs":
{"birch": ["1.0"]}, "excludes": {}, "effects": {"birch": ["pin", ["1.0"]]}, "uses": {"birch": "base.Reader(depth)"},
"api": {"util.split": ["key"]}}}}, ...], "scripts": [{"calls": ["amber.util.split(key)"], "imports": ["birch"]}, ...],
"same_major": {"anchor": "amber", "packages": ["birch"]}, "same_version": None, "broken": [{"when": [["amber", ["0.0"]],
["birch", ["2.0"]]], "script": "all", "symptom": "name", "name": "util.split"}]}``: the packages in their order, five
scripts. A level is refused if its solution cannot be installed or does not pass. Levels of `envsuite generate
repositories` fit, and have a train and a test split.

**Known values.**

- The solution can be installed in at most 2 `packages` + 1 steps: from Python on, each package after those that it
  needs, and then, in reverse, each that others have changed.
- Of OdysseyArena's 30 Lite tasks, `newest` solves none, `debugger` 10 and `careful` 21. Its README reports that people
  solve 77.5 %.

**Differences.** From OdysseyArena:

- The names of packages, modules, exported names, keywords and scripts, and the texts of errors, are our own. Modules
  are never absent, which is so in all its tasks.
- A constraint is one comparison: ==, >= or <=. There, commands also take <, > and several at once.
- There, `repo tree` lists the scripts. Here, the prompt does.
- Of two failures of the same kind, the package that comes first is reported. There, the order of its files decides.
- There, an error about a conflict quotes the rule. Here, it names the two versions.
- There, the README's harness ends a task after 120 steps, and the environment never does. Here, the world does.
- The project's own demands on versions and on Python are left out: its environment never checks them if a task has
  scripts.
- Its tasks come from a file. Here, each episode draws one as its generator does, with the settings of the Lite tasks
  (rounded) and up to ten versions. Keywords are drawn from all that the solution has; there, the last is taken.

**Source.** OdysseyArena (arXiv 2602.05843), code at github.com/xufangzhi/Odyssey-Arena, commit b9eb63d,
`RepoEnv/RepoEnv_v7.py` and `RepoEnv/RepoGenerator_v5.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel
from envsuite.core.ranges import limited, within
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.dual_control.repo_setup import pages, rules, terms, view
from envsuite.dual_control.repo_setup.levels import MOST, Repositories, make
from envsuite.dual_control.repo_setup.reading import LABEL_NAMES, read_repository, write_repository
from envsuite.dual_control.repo_setup.rules import run
from envsuite.registry import pettingzoo_forms

COMPARISONS = ("==", ">=", "<=")

#: The first action of each tool; those from PICK on move by the number of packages, see `first_of`.
NEWEST = len(terms.PYTHONS)
PICKS = len(COMPARISONS) * terms.LABELS


def fields(packages: int, repository: Repositories) -> list[tuple]:
    """The record's own fields."""
    return [
        *repository.fields,  # level: the repository
        *rules.state_fields(packages),
        ("command", within(np.int64, terms.NONE, 50 * packages + 10)),  # the last action
    ]


@kernel
def pick_action(packages, package, comparison, label):
    """The action that installs a version: comparison 0 is ==, 1 is >=, 2 is <=."""
    return NEWEST + packages + PICKS * package + terms.LABELS * comparison + label


@kernel
def remove_action(packages, package):
    """The action that removes a package."""
    return NEWEST + packages + PICKS * packages + package


@kernel
def list_action(packages):
    """The action that lists what is installed."""
    return NEWEST + 2 * packages + PICKS * packages


@kernel
def run_action(packages, script):
    """The action that runs a script; after the last one comes the whole project."""
    return list_action(packages) + 1 + script


@kernel
def reset(s):
    if s.level_given == 0:
        make(s)
    s.python = terms.NONE
    s.command = terms.NONE
    fill(s.installed, terms.NONE)
    fill(s.before, terms.NONE)
    rules.say(s, terms.START)


@kernel
def pick(s, number):
    """Carry out a command with a package and a comparison."""
    package, comparison, label = number // PICKS, number % PICKS // terms.LABELS, number % terms.LABELS
    if comparison == 0:
        rules.install(s, package, 1 << label)
    else:
        rules.install(s, package, rules.from_on(label) if comparison == 1 else rules.up_to(label))


@kernel
def step(s, actions, rewards):
    action, packages = np.int64(actions[0]), s.installed.shape[0]
    s.command = action
    if action < NEWEST:
        rules.say(s, terms.PYTHON_SET)
        s.python = action
    elif action < pick_action(packages, 0, 0, 0):
        rules.install_newest(s, action - NEWEST)
    elif action < remove_action(packages, 0):
        pick(s, action - pick_action(packages, 0, 0, 0))
    elif action < list_action(packages):
        rules.uninstall(s, action - remove_action(packages, 0))
    elif action == list_action(packages):
        rules.show_all(s)
    elif action < run_action(packages, len(terms.SCRIPTS)):
        run(s, action - run_action(packages, 0))
    elif rules.works(s):
        rewards[0] = 1.0
        s.terminated[0] = 1
    if s.terminated[0] == 0 and s.t >= s.params.steps:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    out.python[0] = s.python
    for part in range(terms.PARTS):
        out.message[part] = s.message[part]
    for p in range(s.shown.shape[0]):
        out.shown[p] = s.shown[p]
    for label in range(terms.LABELS):
        out.available[label] = s.available[label]
    out.left[0] = s.params.steps - s.t


class RepoSetup(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    player_page = pages.PAGE
    page_slots = pages.page_slots
    optimization = 1  # 3 takes a third longer here and makes nothing faster
    masked = False
    paid_at_end = True
    kind = ("tools",)
    verified = "OdysseyArena's environment in lock-step on its 30 Lite tasks; a second implementation on drawn levels"
    variants = (dict(packages=3, steps=30), dict(packages=12))
    shown = "careful"
    clickable = r"pip install (?!python)\w+(==\d\.\d)?|pip uninstall .*|python .*"
    keys = {"l": "pip list", "r": "python run.py"}
    reply = view.reply
    text = view.text
    scene = view.scene
    click = view.click

    def __init__(
        self,
        packages: Annotated[int, Between(2, MOST)] = 9,
        steps: Annotated[int, Horizon(1, 1000)] = 120,
    ):
        repository, names = Repositories(packages), list(terms.PACKAGES[:packages])
        self.tools = (
            (
                Tool("python", "pip install python=={release}", "Install a Python.", {"release": list(terms.PYTHONS)}),
                Tool("newest", "pip install {package}", "Install a package's newest version.", {"package": names}),
                Tool(
                    "install",
                    "pip install {package}{comparison}{version}",
                    "Install the highest version of a package that fits.",
                    {"package": names, "comparison": list(COMPARISONS), "version": LABEL_NAMES},
                ),
                Tool("uninstall", "pip uninstall {package}", "Remove a package.", {"package": names}),
                Tool("list", "pip list", "Show what is installed."),
                Tool(
                    "run",
                    "python {script}",
                    "Run a script, or with run.py the whole project.",
                    {"script": [*terms.SCRIPTS, "run.py"]},
                ),
            ),
        )
        tops = np.array(terms.TOPS, np.int8)
        self.define(
            agents=["developer"],
            actions=names_of(self.tools[0]),
            observation=Dict(
                python=Box(terms.NONE, len(terms.PYTHONS) - 1, (1,), np.int8),
                message=Box(np.array([0] + [terms.NONE] * (terms.PARTS - 1), np.int8), tops, dtype=np.int8),
                shown=Box(terms.HIDDEN, terms.LABELS - 1, (packages,), np.int8),
                available=Box(0, 1, (terms.LABELS,), np.int8),
                left=Box(0, 1000, (1,), np.int16),
            ),
            fields=fields(packages, repository),
            params={**repository.values, "steps": limited(steps, 1, 1000)},
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        over = bool(s.terminated[0] or s.truncated[0])
        return "the episode is over" if s.t >= s.params.steps and not over else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        read_repository(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return write_repository(s.level)


env, raw_env, parallel_env = pettingzoo_forms(RepoSetup)
