"""The edge to Numba: without a private name Numba alone compiles, to code that computes the same."""

import ast
import json
import os
import subprocess
import sys

import kit
import numpy as np
import pytest

from envsuite.compile.cache import PACKAGE
from envsuite.compile.switches import PYTHON
from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.kit.bitboard import lowest

if not PYTHON:  # this imports Numba
    from envsuite.compile.numba_ import pins

pytestmark = pytest.mark.machine

#: Where other processes find this file and those that it imports.
PATHS = [os.path.dirname(__file__), os.path.dirname(kit.__file__)]

#: What Numba and llvmlite document for their users, and modules, whose names are looked at one by one.
DOCUMENTED = {
    "numba.njit", "numba.typeof", "numba.config", "numba.extending.overload", "numba.extending.typeof_impl",
    "llvmlite.binding.Linkage",
}  # fmt: skip


def chain(node):
    """`a.b.c` as ["a", "b", "c"]; [] for anything else."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute) and (found := chain(node.value)):
        return [*found, node.attr]
    return []


def used(tree):
    """The names of Numba and llvmlite that a source uses, as "module.name"."""
    places = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            places |= {alias.name: alias.name for alias in node.names if alias.name == "numba"}
        elif isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] in ("numba", "llvmlite"):
            places |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    chains = [found for node in ast.walk(tree) if (found := chain(node)) and found[0] in places]
    return {".".join([places[first], *rest]) for first, *rest in chains}


@pytest.mark.parametrize("file", ["linking", "short", "types", "files"])
def test_every_private_name_that_is_used_is_pinned(file):
    tree = ast.parse((PACKAGE / "compile" / "numba_" / f"{file}.py").read_text())
    pinned = {part for names, _ in pins.GROUPS.values() for name in names for part in name.split(":")[1].split(".")}
    modules = {name.partition(":")[0] for names, _ in pins.GROUPS.values() for name in names}
    loose = {
        name
        for name in used(tree)
        if name not in DOCUMENTED | modules | {"numba", "numba.types", "numba.extending"}
        and not name.startswith(("numba.types.", "numba.core.types."))  # which is `numba.types`, documented
        and not any(name.startswith(f"{one}.") for one in DOCUMENTED)
        and not any(part in pinned for part in name.split(".")[-2:])
        and name not in sys.modules
    }
    assert not loose, loose


def test_private_attributes_stand_in_what_is_pinned():
    """Attributes that begin with an underscore are set in functions that are pinned."""
    sources = [line for names, _ in pins.GROUPS.values() for name in names for line in lines(pins.find(name))]
    text = "\n".join([*sources, *(name for names, _ in pins.GROUPS.values() for name in names)])
    for file in ("linking", "short", "types", "files", "objects"):
        tree = ast.parse((PACKAGE / "compile" / "numba_" / f"{file}.py").read_text())
        ours = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                assert node.attr in text or node.attr in ours, f"{file}: {node.attr}"


def lines(value):
    function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    return pins._source(function) if hasattr(function, "__code__") else ()


def owner(name):
    """The object that holds a pinned name, and how it calls it."""
    module, _, path = name.partition(":")
    *around, last = path.split(".")
    found = pins.importlib.import_module(module)
    for part in around:
        found = getattr(found, part)
    if isinstance(found, type):
        found = next(kind for kind in found.__mro__ if last in vars(kind))
    return found, last


PINS = [(group, name) for group, (names, _) in pins.GROUPS.items() for name in names] if not PYTHON else []


@pytest.mark.parametrize("group", pins.GROUPS if not PYTHON else ())
def test_each_pin_is_missed_and_each_change_is_seen(group, monkeypatch):
    table = pins.GROUPS[group][0]
    assert not list(pins.faults({name: known for name, known in table.items() if "mangling" not in name}))
    for name, known in table.items():
        if known:
            assert list(pins.faults({name: "0"})) == [f"{name} has changed"]
        with monkeypatch.context() as patch:
            patch.delattr(*owner(name))
            (fault,) = pins.faults({name: known})
            assert fault in (f"{name} is missing", f"{name} has changed")  # to what its class inherits


def test_a_version_that_is_not_known_is_used_if_its_sources_are(monkeypatch):
    monkeypatch.setattr(pins.numba, "__version__", "9.99")
    assert not pins.lacking.__wrapped__("quick")


NAMES = ("north", "east", "south")
RECORD = np.dtype([("cells", np.int16, (2, 3)), ("total", np.int64)], align=True)


def with_tape(s, k):
    return k + 100


def without_tape(s, k):
    return k - 100


chosen = by_fields(lambda fields: "tape" in fields, with_tape, without_tape)


@kernel
def turned(s, k):
    s.cells[k % 2, k % len(NAMES)] += k // 3
    return s.cells[1, 2] + chosen(s, k) + lowest(np.uint64(8 + k % 2))


@large_kernel
def summed(s, last):
    total = 0
    for k in range(last):
        total += turned(s, k)
    return total


def entry(records):
    for i in range(len(records)):
        records[i].total = summed(records[i], 10 + i)
    return records[0].total


def left(run):
    """What the template returns, and what it leaves in its records."""
    records = np.zeros(4, RECORD)
    return run(records), records.tobytes()


#: In a child for each pin, without it: a template that has a bit of everything.
EACH = """
import json, os, sys, tempfile, warnings
import numba, numpy
sys.path[:0] = {paths!r}
from envsuite.compile.bound import bind
from test_pins import RECORD, entry, left, owner

def usual():
    numba.njit(lambda x: [x[k].cells[1, 2] // 3 + k for k in range(2)][0])(numpy.zeros(2, RECORD))

def fresh():  # a type, a call and a store that are new to it
    total = numba.njit(lambda x: x[1, 1, 1].total)
    def add(x):
        x[1, 1, 1].cells[0, 1] += total(x)
    numba.njit(add)(numpy.zeros((2, 2, 2), RECORD))

usual()  # before any name is missing: that loads most of Numba
def forked():
    # a child that Numba's own code kills is followed by another
    child = os.fork()
    return "child" if not child else "again" if os.WIFSIGNALED(os.waitpid(child, 0)[1]) else ""

for name in json.loads(sys.stdin.read()):
    again = False
    if (way := forked()) == "again":
        again = True
        way = forked()
    if not way:
        continue
    os.environ["ENVSUITE_CACHE"] = tempfile.mkdtemp(dir=os.environ["ENVSUITE_CACHE"])
    found, last = owner(name)
    value = vars(found)[last]
    delattr(found, last)
    bound = bind(entry, "test_pins.entry")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        from envsuite.compile.numba_ import pins
        pins.plain()
        if again:
            setattr(found, last, value)
        try:
            made = left(bound)
        except Exception as problem:
            try:
                usual()
                fresh()
                made = repr(problem)
            except Exception:  # without this name there is no Numba
                setattr(found, last, value)
                made = left(bound)
    said = [str(one.message) for one in warned if "envsuite knows" in str(one.message)]
    linked = "envsuite.compile.numba_.linking" in sys.modules
    print(json.dumps([name, said, linked, made == left(bound.interpreted) or repr(made), pins.keeps()]))
    sys.stdout.flush()
    os._exit(0)
"""


@pytest.mark.slow
def test_without_any_pin_numba_alone_compiles_the_same(tmp_path):
    names = [name for group, name in PINS if group != "checked"]
    environment = {**os.environ, "ENVSUITE_CACHE": str(tmp_path)}
    code = EACH.format(paths=PATHS)
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(names), env=environment, capture_output=True, text=True
    )
    found = {name: rest for name, *rest in map(json.loads, done.stdout.splitlines())}
    assert found.keys() == {*names}, ({*names} - found.keys(), done.stderr)
    for name, (said, *_) in found.items():
        assert len(said) == 1 and said[0].startswith((f"{name} is missing", f"{name} has changed")), (name, said)
    others = {name: rest for name, (_, *rest) in found.items() if rest != [False, True, name not in pins.KEPT]}
    assert not others


PLAY = """
import hashlib, os, sys, warnings
sys.path[:0] = {paths!r}
warnings.simplefilter("always")
from test_pins import owner
from envsuite.compile.numba_ import pins
if {name!r}.startswith("numba.core.errors"):
    delattr(*owner({name!r}))
pins.QUICK.update({{name: "0" for name in pins.QUICK if name == {name!r}}})
pins.KEPT.update({{name: "0" for name in pins.KEPT if name == {name!r}}})
from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.testing import random_actions
import numpy as np
for id in {ids!r}:
    batch, rng = Batch(registry.build(id), 8, compiled=True), np.random.default_rng(0)
    batch.start(0)
    for _ in range(50):
        batch.step(random_actions(batch.masks, rng))
    print(id, hashlib.blake2b(batch.records.tobytes() + batch.rewards.tobytes(), digest_size=8).hexdigest())
"""

WORLDS = ("ConnectFour", "KuhnPoker", "DoorKey")


def play(name, folder):
    folder.mkdir(exist_ok=True)
    environment = {**os.environ, "ENVSUITE_CACHE": str(folder)}
    environment.pop("ENVSUITE_LAZY", None)
    code = PLAY.format(paths=PATHS, name=name, ids=WORLDS)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr.count("envsuite knows"), len(list(folder.glob("*.code")))


@pytest.mark.slow
def test_worlds_are_the_same_without_a_pin(tmp_path):
    usual, warned, kept = play("", tmp_path / "usual")
    assert (warned, kept) == (0, 3)
    assert play("numba.core.errors:UnsupportedError", tmp_path / "quick") == (usual, 1, 3)
    assert play("numba.core.base:user_function", tmp_path / "usual") == (usual, 1, 3)  # from the files there
    assert play("numba.core.types.npytypes:Record.mangling_args", tmp_path / "kept") == (usual, 1, 0)


CHECKED = """
import numpy as np
from envsuite.compile.numba_ import pins
pins.CHECKED["numba.np.arrayobj:make_array_flat_cls"] = "0"
from envsuite.compile.bound import bind
try:
    bind(lambda values, k: values[k], "test_pins.checked")(np.zeros(3), 3)
except IndexError as problem:
    print(problem)
"""


@pytest.mark.slow
def test_checks_of_bounds_without_those_of_flat_arrays(tmp_path):
    environment = {**os.environ, "ENVSUITE_CACHE": str(tmp_path), "ENVSUITE_BOUNDSCHECK": "1"}
    done = subprocess.run([sys.executable, "-c", CHECKED], env=environment, capture_output=True, text=True)
    assert "index is out of bounds" in done.stdout, done.stderr
    assert done.stderr.count("indices of array.flat are not checked") == 1
