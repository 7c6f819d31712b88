"""The kinds of worlds as keywords: ``pytest -k cards`` selects tests of card worlds, by their files and cases.

A space in a kind is written as "_".
"""

import re
from functools import cache

import pytest

from envsuite import registry
from envsuite.cli import catalog


@cache
def kinds():
    """The kinds of each world, by its short name and by the name of its module."""
    found = {}
    for facts in catalog.listed():
        module = registry.spec(facts["id"]).entry_point.partition(":")[0].rpartition(".")[2]
        found[registry.short_name(facts["id"])] = found[module] = [kind.replace(" ", "_") for kind in facts["kind"]]
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    if config.option.keyword:
        for item in items:
            case = re.split(r"\W+", item.nodeid.partition("[")[2])
            for name in (item.path.stem.removeprefix("test_"), *case):
                item.extra_keyword_matches.update(kinds().get(name, ()))
