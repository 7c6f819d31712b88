"""Two stamps: `code`, of machine code, has the compiler's sources in it; `rules`, of stored results, has not."""

import importlib.util
import shutil

import pytest
from kit import ROOT
from stamps import module_file

from envsuite import registry
from envsuite.compile import cache, reach
from envsuite.compile.bound import bind
from envsuite.compile.cache import PACKAGE
from envsuite.core.batch import compiled_run
from envsuite.core.policy import make_policy
from envsuite.data.recorded import world_code
from envsuite.evaluation.matches import code_of
from envsuite.generators.base import Levels, generator, over_records

FILES = sorted(
    path.relative_to(PACKAGE).as_posix()
    for path in (PACKAGE / "compile").rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
)

RULES = """
from envsuite.core import random
from envsuite.core.kernel import kernel

@kernel
def doubled(s):
    return 2 * random.randint(s, 10)

def entry(records):
    return doubled(records[0])
"""


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A copy of the compiler, and beside it a file of rules."""
    shutil.copytree(PACKAGE / "compile", tmp_path / "compile", ignore=shutil.ignore_patterns("__pycache__"))
    for module in (cache, reach):
        monkeypatch.setattr(module, "PACKAGE", tmp_path)
    (tmp_path / "rules.py").write_text(RULES)
    yield tmp_path
    forget()


def forget():
    cache.source_hash.cache_clear()
    reach.compiler.cache_clear()


def stamps(house):
    """The stamps of the rules, from files as they are now."""
    forget()
    spec = importlib.util.spec_from_file_location("rules", house / "rules.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    bound = bind(module.entry, "tests.rules")
    return bound.code, bound.rules


def edit(path):
    path.write_bytes(path.read_bytes() + b"\n")


def test_an_edit_of_any_file_of_the_compiler_changes_code_alone(house):
    assert len(FILES) > 10 and {"compile/native.c", "compile/numba_/short.py"} <= {*FILES}
    code, rules = stamps(house)
    for name in FILES:
        edit(house / name)
        before, (code, after) = code, stamps(house)
        assert code != before, f"{name} may be edited, and stale machine code stays in use"
        assert after == rules, name


def test_a_new_file_of_the_compiler_changes_code_alone(house):
    code, rules = stamps(house)
    for name in ("new.py", "numba_/new.py", "new.c"):
        (house / "compile" / name).touch()
        before, (code, after) = code, stamps(house)
        assert code != before and after == rules, name


def test_an_edit_of_rules_changes_both(house):
    code, rules = stamps(house)
    edit(house / "rules.py")
    edited = stamps(house)
    assert edited[0] != code and edited[1] != rules


@pytest.mark.parametrize("id", ["TicTacToe", "Harvest", "AmongUs"])
def test_results_reach_no_compiler(id):
    """The machine code that stands in the place of a function computes results, so it counts."""
    world = registry.build(id)
    module = registry.spec(id).entry_point.partition(":")[0]
    file = str(module_file(module, ROOT).relative_to(ROOT / "envsuite"))
    for bound in (compiled_run(world), make_policy("random", world).compiled):
        reached = set(bound._reached[0])
        assert not [name for name in reached if name.startswith("compile/") or name == "core/kernel.py"]
        assert {*FILES, "core/kernel.py", *reached} == set(bound.sources)
    assert {file, "core/batch.py"} <= set(compiled_run(world)._reached[0])
    assert ("kit/sight_machine.py" in compiled_run(world).sources) == (id == "Harvest")


def test_what_is_stored_has_the_stamp_of_rules():
    world = registry.build("TicTacToe")
    policy = make_policy("random", world)
    rules, chosen = compiled_run(world).rules[:12], policy.compiled.rules[:12]
    assert code_of(world, [policy]) == f"{rules}-{chosen}" and world_code(world) == rules
    made = generator("maze")
    assert Levels("maze", 1).code() == over_records(made, type(made).make, "make").rules
