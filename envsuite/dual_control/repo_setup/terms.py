"""The numbers and names of RepoSetup: packages, versions, effects, and kinds of answers."""

from __future__ import annotations

#: The names of packages, of their modules, of what these export, and of its keywords; scripts; releases of Python.
PACKAGES = ("amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "islet", "jetty", "kelp", "lagoon")
MODULES = ("base", "util")
NAMES = (
    "Buffer", "Client", "Index", "Parser", "Reader", "Router", "Schema", "Worker", "Writer",
    "connect", "decode", "encode", "merge", "reduce", "render", "sample", "split", "store",
)  # fmt: skip
KEYWORDS = (
    "depth", "encoding", "key", "level", "limit", "offset", "order", "path", "retries", "scale", "tags", "unit",
    "width", "workers",
)  # fmt: skip
SCRIPTS = ("checks/start.py", "checks/data.py", "checks/model.py", "checks/train.py", "checks/report.py")
PYTHONS = ("3.8", "3.9", "3.10", "3.11")

#: Versions, exported names of a package (half of them in each module), calls of a script, rules of each kind.
LABELS, ITEMS, CALLS, RULES = 16, 8, 2, 2
#: Priorities; kinds of effects; nothing, and what is not shown.
LOW, MEDIUM, HIGH = range(3)
ENSURE, FORCE_HIGH, FORCE_LOW, PIN = range(1, 5)
NONE, HIDDEN = -1, -2
#: The bit of `api` for a name that a version exports; lower bits are its keywords.
EXPORTED = 1 << 15
#: A use is item * USE + 1, plus the number of its keyword plus one if it has one; 0 is no use.
USE = len(KEYWORDS) + 1
#: The symptoms of a combination that breaks scripts, and the place of one that breaks all scripts.
SYMPTOMS, EVERYWHERE = 5, len(SCRIPTS)

#: Kinds of answers.
(
    START, PYTHON_SET, INSTALLED, PRESENT, NO_VERSION, NO_PYTHON, OLD_PYTHON, MISSING, CONFLICT, REMOVED, ABSENT,
    LIST, PASSED, WORKS, UNSET, MAJOR, MINOR, NO_MODULE, NO_NAME, NO_KEYWORD, NO_KEYWORD_IN, BROKEN,
) = range(22)  # fmt: skip
KINDS = BROKEN + SYMPTOMS

#: The numbers of an answer, each NONE where it says nothing.
KIND, SCRIPT, PACKAGE, VERSION, OTHER, OTHER_VERSION, MODULE, NAME, KEYWORD, PYTHON = range(10)
PARTS = 10
TOPS = (
    KINDS - 1, len(SCRIPTS) - 1, len(PACKAGES) - 1, LABELS - 1, len(PACKAGES) - 1, LABELS - 1, len(MODULES) - 1,
    len(NAMES) - 1, len(KEYWORDS) - 1, len(PYTHONS) - 1,
)  # fmt: skip
