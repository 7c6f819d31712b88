"""The table of facts that `list` and the shell read, and what the command line imports."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from envsuite import cli, registry
from envsuite.cli import MODULES, built, catalog, listing
from envsuite.core.world_kinds import KINDS

#: What takes long to import, and what no list, help or completion needs.
HEAVY = {"gymnasium", "numpy", "numba", "pettingzoo", "pygame", "scipy"}


def heavy(*arguments, **environment):
    """What the command imports of `HEAVY`, and what it prints."""
    script = (
        "import sys\nfrom envsuite.cli import main\ntry:\n    main()\n"
        "except SystemExit as end:\n    assert not end.code\n"
        f"print('imported', *sorted({HEAVY} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", f"import sys; sys.argv[0] = 'envsuite'\n{script}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    printed, _, imported = done.stdout.rpartition("imported")
    return imported.split(), printed


@pytest.fixture(scope="module")
def table():
    """The table in the cache, made now unless it is there."""
    return {row["id"]: row for row in catalog.listed()}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["list", "--kind", "cards"], ["--version"]])
def test_lists_and_help_import_no_world(table, arguments):
    assert heavy(*arguments)[0] == []


@pytest.mark.parametrize(
    "typed, offered",
    [
        ("info Kuhn", ["KuhnPoker"]),
        ("list --kind ca", ["cards"]),
        ("watch ConnectFour --policy t", ["tactical"]),
        ("tournament ConnectFour --policies random,t", ["random,tactical"]),
        ("wat", ["watch"]),
    ],
)
@pytest.mark.slow
def test_the_shell_completes(table, typed, offered):
    words = ["envsuite", *typed.split()]
    variables = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    imported, printed = heavy(_ENVSUITE_COMPLETE="complete_bash", **variables)
    assert (printed.split(), imported) == (offered, [])


def test_a_command_imports_its_own_module_alone():
    script = "import sys\nfrom envsuite.cli import application\napplication('list')\nprint(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.split()
    assert "envsuite.cli.look" in loaded and "envsuite.cli.train" not in loaded


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_the_list_of_commands_is_that_of_the_modules(table, arguments):
    run = "import sys; from envsuite import cli; sys.argv[0] = 'envsuite'; "
    quick, whole = (
        subprocess.run(
            [sys.executable, "-c", run + start, *arguments], capture_output=True, text=True, check=True
        ).stdout
        for start in ("cli.main(); ", "cli.app()")
    )
    assert quick == whole and "tournament" in quick and "cache" in quick


def test_modules_name_their_commands():
    found = {module: set() for module in MODULES}
    for one in cli.app.registered_commands:
        found[one.callback.__module__.rpartition(".")[2]].add(one.name or one.callback.__name__)
    for group in cli.app.registered_groups:
        (module,) = {one.callback.__module__ for one in group.typer_instance.registered_commands}
        found[module.rpartition(".")[2]].add(group.name)
    assert found == {module: set(names) for module, names in MODULES.items()}


@pytest.mark.slow
@pytest.mark.parametrize("id", registry.ids())
def test_the_table_agrees_with_the_classes(table, id):
    world = registry.build(id)
    found = {name: table[id][name] for name in ("turns", "chance", "information", "utility", "verified")}
    assert found == {name: getattr(world, name) for name in found}
    assert (table[id]["kind"], table[id]["agents"]) == (list(world.kind), list(world.agents))
    assert table[id] == json.loads(json.dumps(catalog.facts_of(id)))


def test_a_stale_table_is_made_anew(monkeypatch, tmp_path, capsys):
    made = []
    monkeypatch.setattr(listing, "kept", lambda: tmp_path / "facts" / "table.json")
    monkeypatch.setattr(listing, "BUILT", tmp_path / "built.json")
    monkeypatch.setattr(catalog, "facts_of", lambda id: made.append(id) or {"id": id})
    ours = catalog._ours()
    assert [row["id"] for row in catalog.listed()] == made == ours  # there was none
    assert "205 worlds, once" in capsys.readouterr().err.replace(str(len(ours)), "205")
    catalog.listed()
    assert made == ours  # read
    monkeypatch.setattr(listing, "sources", lambda: "edited")
    catalog.listed()
    assert made == ours * 2
    (tmp_path / "facts" / "table.json").write_text("{")
    listing.BUILT.write_text(catalog.table())  # what a wheel brings
    made.clear()
    assert len(catalog.listed()) == len(ours) and not made


@pytest.mark.slow
def test_the_build_makes_the_table_and_the_signatures(table, tmp_path, monkeypatch):
    built.write(tmp_path)
    monkeypatch.setattr(listing, "BUILT", tmp_path / "facts.json")
    monkeypatch.setattr(listing, "kept", lambda: tmp_path / "none")
    assert listing.stored() == table
    assert "def make_vec(" in (tmp_path / "__init__.pyi").read_text()


def test_an_edit_of_any_source_makes_the_table_stale(tmp_path, monkeypatch):
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "nim.py").write_text("kind = 'cards'")
    hashes = set()
    monkeypatch.setattr(listing, "PACKAGE", tmp_path)
    for text in ("kind = 'cards'", "kind = 'boards'", "kind = 'cards'"):
        (tmp_path / "games" / "nim.py").write_text(text)
        hashes.add(listing.sources.__wrapped__())
    assert len(hashes) == 2


@pytest.mark.slow
def test_worlds_of_other_packages_are_asked_each_time(table, monkeypatch):
    monkeypatch.setitem(registry._SPECS, "lab/Lost-v0", registry.Spec("lab/Lost-v0", "no_such_module:Lost"))
    last = catalog.listed()[-1]
    assert last["id"] == "lab/Lost-v0" and "no_such_module" in last["problem"]
    assert "lab/Lost-v0" not in catalog.table()


@pytest.mark.slow
def test_kinds_find_worlds(table):
    def found(*arguments):
        result = CliRunner().invoke(cli.app, ["list", "--json", *arguments])
        return {registry.short_name(row["id"]) for row in json.loads(result.output)} if not result.exit_code else ()

    cards = {"KuhnPoker", "LeducPoker", "HoldEm", "BridgeBidding", "Hanabi", "Coup"}
    assert cards <= found("--kind", "cards") and cards <= found("card")
    assert found("--kind", "cards", "--family", "social") < found("--kind", "cards")
    assert all(found("--kind", kind) for kind in KINDS)
    result = CliRunner().invoke(cli.app, ["list", "--kind", "card"])
    assert result.exit_code == 2 and "'card' is no kind of world; did you mean 'cards'" in result.output
