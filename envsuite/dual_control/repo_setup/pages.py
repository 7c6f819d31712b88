"""RepoSetup's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Page, listed
from envsuite.dual_control.repo_setup import terms

PAGE = Page(
    role="You set up a Python project, of which nothing is installed.",
    goal="You earn 1 when `python run.py` passes.",
    rules=(
        "Releases of Python are {pythons}. The packages are {names}. Their versions have labels from 0.0 to 3.3, "
        "most of which do not exist. `python run.py` runs {scripts}, in this order, up to the first that fails.",
        "Some packages install what they need or change other packages, with or without saying so. Others fail if "
        "something that they need is absent. Some versions exclude versions of other packages, or need a Python from "
        "some release on. A command that fails changes nothing.",
        "A script that fails shows its first error. A name or keyword that is unknown means that the package that has "
        "it, or the one that uses it, has a wrong version. Some packages must agree in their versions. A few errors "
        "come from a combination of two packages and mislead.",
    ),
    sees="You see the answers to your commands, and nothing else.",
    acts={
        "pip install python=={RELEASE}": "install this Python",
        "pip install {PACKAGE}": (
            "install its newest version if it is absent; with ==, >= or <= and a label, the highest version "
            "that this allows"
        ),
        "pip uninstall {PACKAGE}": "remove it, and nothing else",
        "pip list": "list what is installed",
        "python checks/{SCRIPT}": "run one script",
        "python run.py": "run all scripts",
    },
    ends="It is over when `python run.py` passes, and after {steps:command}.",
    constants={
        "0.0": "the lowest label",
        "3.3": "the highest label",
        "1": "the reward of success",
        "two": "packages that do not fit",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    return {
        "pythons": listed(terms.PYTHONS),
        "names": listed(terms.PACKAGES[: len(s.installed)]),
        "scripts": listed(terms.SCRIPTS),
    }
