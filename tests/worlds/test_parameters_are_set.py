"""Every parameter of a world is given another value somewhere: in its tests, a variant, a page or an example."""

import re

import pytest
from kit import ROOT

from envsuite import registry
from envsuite.core.parameters import signature

#: A name that gets a value: ``name=``, ``"name": ``, or a name in quotes, as tests are parametrized.
GIVEN = re.compile(r"\b(\w+)=(?!=)|[\"'](\w+)[\"']")


def names_given(text):
    return {name for found in GIVEN.findall(text) for name in found if name}


@pytest.mark.slow
def test_every_parameter_is_set_somewhere():
    paths = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*.py")]
    files = []
    for path in paths:
        text = path.read_text("utf-8")
        files.append((set(re.findall(r"\w+", text)), names_given(text)))
    never = {}
    for id in registry.ids():
        cls, name = registry.spec(id).load(), registry.short_name(id)
        about = {name, cls.__module__.rpartition(".")[2]}
        given = set().union(*(names for words, names in files if about & words), *cls.variants)
        if missing := [parameter for parameter in signature(cls) if parameter not in given]:
            never[name] = missing
    assert not never, "nothing shows what they do"


def test_given_names_are_found():
    assert names_given("a=1, b == 2, dict(c='d'), {\"e\": 3}, f = 4") == {"a", "c", "d", "e"}
