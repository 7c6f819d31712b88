"""The code and the commands of the documentation run as they are printed; every world's page has the same form."""

import importlib.util
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from html import escape, unescape
from importlib import metadata

import pytest
import typer
from kit import ROOT
from packaging.requirements import Requirement

import envsuite
from envsuite import registry
from envsuite.cli import app, signatures
from envsuite.compile import tiers
from envsuite.core.world_kinds import KINDS
from envsuite.evaluation import reference
from envsuite.evaluation.reference import Score
from envsuite.render.player import Table
from envsuite.testing import CHECKS, HEADINGS
from envsuite.testing.docstrings import page_faults

spec = importlib.util.spec_from_file_location("pages", ROOT / "docs" / "pages.py")
pages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pages)

PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def code_blocks(path, language="python"):
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text())["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(), re.DOTALL)


def commands(path):
    """The commands in a page's shell blocks, as lists of words."""
    lines = "".join(code_blocks(path, "sh")).splitlines()
    return [words for words in (shlex.split(line, comments=True) for line in lines) if words]


def not_installed(extra):
    """The modules here that ``pip install .[extra]`` does not bring."""
    extras = PROJECT["project"]["optional-dependencies"] | {"": []}
    brought, left = {"envsuite"}, PROJECT["project"]["dependencies"] + extras[extra]
    while left:
        needed = Requirement(left.pop())
        name = re.sub("[-_.]+", "-", needed.name).lower()
        if name not in brought and (needed.marker is None or needed.marker.evaluate({"extra": ""})):
            brought.add(name)
            left += metadata.requires(name) or []
    found = metadata.packages_distributions().items()
    return [m for m, names in found if not brought & {re.sub("[-_.]+", "-", name).lower() for name in names}]


def run_as_installed(code, folder, extra=""):
    """Run a script in a process that cannot import what ``pip install .[extra]`` does not bring."""
    script = folder / "page.py"
    script.write_text(code)
    start = f"import sys, runpy; sys.modules.update(dict.fromkeys({not_installed(extra)}))"
    command = [sys.executable, "-c", f"{start}; runpy.run_path('page.py', {{}}, '__main__')"]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


@pytest.mark.slow
def test_adding_a_world(tmp_path):
    done = run_as_installed("\n\n".join(code_blocks(ROOT / "docs" / "adding_a_world.md")), tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"lab/Nim-v0: {len(CHECKS)} checks passed" in done.stdout
    first, second = map(float, re.findall(r"-?\d\.\d*", done.stdout.splitlines()[-1])[:2])
    assert first > 0.95 and second == -first  # 21 is no multiple of 4: the perfect first player wins


#: What a page tells its readers to install.
EXTRAS = {"docs/learning.md": "learn"}


@pytest.mark.slow
@pytest.mark.parametrize("page", [*PAGES, "docs/tutorial.ipynb"])
def test_page_runs(page, tmp_path):
    blocks, extra = code_blocks(ROOT / page), EXTRAS.get(page, "")
    if not blocks or page == "docs/adding_a_world.md":
        pytest.skip("nothing in Python, or a test of its own")
    done = run_as_installed("\n\n".join(blocks), tmp_path, extra)
    assert done.returncode == 0, done.stderr


def test_extras_are_installed_by_one_command():
    """It works in every folder once envsuite is installed; the quotes are for zsh."""
    files = [path for folder in ("docs", "envsuite", "render", "examples") for path in (ROOT / folder).rglob("*.*")]
    for path in files:
        if path.suffix in (".py", ".md", ".ipynb"):
            for given, extra in re.findall(r"pip install (\W*(?:envsuite|\.)\\*\[(\w+)\S*)", path.read_text("utf-8")):
                assert extra in PROJECT["project"]["optional-dependencies"], (path, given)
                assert given.replace("\\", "").startswith(f'"envsuite[{extra}]"'), (path, given)


@pytest.mark.slow
def test_readme_commands_run(tmp_path):
    """Those that open no window."""
    listed = [words for words in commands(ROOT / "README.md") if words[0] == "envsuite" and words[1] != "play"]
    assert len(listed) >= 4
    for words in listed:
        done = subprocess.run([sys.executable, "-m", "envsuite.cli", *words[1:]], capture_output=True, cwd=tmp_path)
        assert done.returncode == 0, (words, done.stderr)


@pytest.mark.rooms  # Ray's command makes its options only where Ray is installed
@pytest.mark.parametrize("page", PAGES)
def test_commands_exist(page):
    """Commands of envsuite take the options that pages give them; others are targets of the Makefile or of ours."""
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for program, *words in commands(ROOT / page):
        if program.removeprefix(".venv/bin/") == "envsuite":
            command = typer.main.get_command(app)
            while hasattr(command, "commands"):
                command = command.commands[words.pop(0)]
            command.make_context("envsuite", words)
        elif program == "make":
            assert words[0] in targets
        else:
            assert program in ("pip", ".venv/bin/python"), program


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    """Links to files; MkDocs looks at those to headings and generated pages."""
    path = ROOT / page
    generated = ("worlds/index.md", "transcripts.md")
    for link in re.findall(r"\]\(([^)#]+)", path.read_text()):
        assert link in generated or (path.parent / link).exists(), link


def test_readme_is_short():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 150
    assert "make test" in text


def test_editors_know_the_parameters_of_all_worlds():
    text = signatures.stubs()
    assert all(f" {name} as {name}" in text or f"def {name}(" in text for name in envsuite.__all__)
    assert 'def make_vec(id: Literal["envsuite/Chess-v0", "Chess"], num_envs: int, threads: int = 1' in text
    assert "*, draws: Literal['claimed', 'automatic'] = 'claimed', on_illegal: str = ..." in text


def test_tables_are_put_into_pages():
    keys = pages.with_tables((ROOT / "docs" / "watching.md").read_text())
    for key, (_, words) in Table.keys.items():
        assert f"<tr><td><code>{key}</code></td><td>{escape(words)}</td></tr>" in keys
    text = pages.with_tables((ROOT / "docs" / "speed.md").read_text())
    for title, table in json.loads((ROOT / "docs" / "speeds.json").read_text()).items():
        assert f"### {title}" in text
        assert all(len(row) == len(table["columns"]) for row in table["rows"])


@pytest.mark.slow
def test_transcripts_are_whole():
    """All answers of the stubs can be used, words are heard, and each episode ends as its title says."""
    text = runpy.run_path(str(ROOT / "docs" / "transcripts.py"))["page"]()
    stories = dict(re.findall(r"^## (\w+).*\n([\s\S]*?)(?=^## |\Z)", text, re.MULTILINE))
    assert list(stories) == ["Fishery", "Werewolf", "Telecom"]
    assert "cannot be used" not in text
    assert "player_0 28, player_1 28, player_2 28, player_3 28, player_4 28." in stories["Fishery"]
    assert 'player_0: "Too much. If we take at most 8 tons each' in stories["Fishery"]
    assert 'player_0: "I am the seer.' in stories["Werewolf"]
    assert stories["Telecom"].endswith("Returns: assistant 1, customer 1.\n")


def test_reference_documents_the_public_names():
    documented = [name for title in pages.REFERENCE for name in pages.documented(title)]
    assert sorted(documented) == sorted(envsuite.PUBLIC)
    for title in pages.REFERENCE:
        text = pages.reference_page(title)
        assert f"# {title}" in text
        assert all(f"heading: envsuite.{name}\n" in text for name in pages.documented(title))
        assert pages.documented(title), f"nothing is public in {title}"
    assert "**params" not in "".join(map(pages.maker, pages.MAKERS))


def test_search_needs_no_server_and_finds_parts_of_names():
    config = (ROOT / "mkdocs.yml").read_text()
    assert "- offline" in config and "://" not in config
    (shim,) = re.findall(r"polyfills: \[(.*)\]", config)
    assert "iframe-worker" in shim and (ROOT / "docs" / shim).exists()
    assert "://" not in (ROOT / "docs" / shim).read_text()
    (separator,) = re.findall("separator: '(.*)'", config)
    words = re.split(separator, "envsuite.evaluation.matches.focal_scores ConnectFour 0.5 make_vec(num_envs")
    assert [word for word in words if word] == [
        "envsuite", "evaluation", "matches", "focal", "scores", "Connect", "Four", "0.5", "make", "vec", "num", "envs",
    ]  # fmt: skip


def test_the_version_is_stated_once(monkeypatch, tmp_path):
    """It comes from the metadata; a source tree without them reads its pyproject.toml."""
    assert PROJECT["project"]["version"] == registry.__version__, "pip install -e . again"
    assert registry.__version__ not in (ROOT / "envsuite" / "registry.py").read_text()

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert registry._version() == PROJECT["project"]["version"]
    monkeypatch.setattr(registry, "__file__", str(tmp_path / "envsuite" / "registry.py"))
    assert registry._version() == "0+unknown"


def test_files_of_the_project():
    assert f"version: {registry.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## {registry.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    assert "run: .ci/run\n" in (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    checks = re.findall(r"\$\(VENV\)/(\w+.*)", (ROOT / "Makefile").read_text().partition("\nlint:")[2])[:3]
    for check in checks:
        entry = check.replace(" --check", "").removesuffix(" .")
        assert f"entry: .venv/bin/{entry}," in (ROOT / ".pre-commit-config.yaml").read_text()
    for line in re.findall("^COPY (.*) ", (ROOT / "Dockerfile").read_text(), re.MULTILINE):
        assert all((ROOT / name).exists() for name in line.split())


def test_workflows_run_what_there_is():
    """The versions of Python that the metadata name, on three systems; a tag makes a release of its version only."""
    named = [re.search(r":: (3\.\d+)$", text) for text in PROJECT["project"]["classifiers"]]
    versions = [found[1] for found in named if found]
    tests = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert f"python: {json.dumps(versions)}" in tests
    assert PROJECT["project"]["requires-python"] == f">={versions[0]}"
    assert all(system in tests for system in ("ubuntu", "windows", "macos"))
    assert "make release" in (ROOT / ".github" / "workflows" / "release.yml").read_text()
    done = subprocess.run([sys.executable, "tests/release.py", "--tag", "v9"], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == f"the tag v9 is not v{registry.__version__}, the version in pyproject.toml\n"


@pytest.mark.parametrize("id", registry.ids())
def test_world_page_has_the_form(id):
    assert not page_faults(registry.build(id))


def test_faults_of_a_page():
    class World:
        """Toy: a toy.

        **Rules.** In the window, a click moves.

        **Observation.** Dict.

        | part | space | content |
        |---|---|---|
        | `seen`, `heard` | Box (2,) | what |

        **Rewards.** None.

        **Actions.** Discrete (2): `left`, `right`.

        **Parameters.**

        | name | default | meaning |
        |---|---|---|
        | `size` | 3 | cells |

        **Differences.** Many.
        """

        parameters = {"size": 3, "speed": 1}
        observation_spaces = [registry.build("Harvest").observation_spaces[0]]

    assert [fault.partition(";")[0] for fault in page_faults(World())] == [
        "the sections stand in the order Rules, Observation, Rewards, Actions, Parameters, Differences",
        "the table of **Observation.** has no row for 'ready'",
        "the table of **Observation.** has no row for 'view'",
        "**Actions.** needs a table with the columns action | name",
        "the table of **Parameters.** has no row for 'speed'",
        '**Differences.** must be a list with "- " before each item, or "None."',
        "**Rules.** says what happens in the window: that belongs under **Window.**",
    ]


@pytest.mark.parametrize("id", registry.ids())
def test_world_has_a_page(id, monkeypatch):
    """A picture, lines that use the world, the docstring's sections in their order, and then what the code knows."""
    world = registry.build(id)
    text = pages.world_page(world)
    start, _, rest = text.partition("```python\n")
    assert f"]({registry.short_name(id)}.webp)" in start and "##" not in start
    lines = rest.partition("\n```")[0]
    assert len(lines.replace("\n\n", "\n").splitlines()) == 5
    monkeypatch.setattr(tiers, "PYTHON", True)
    played = {}
    exec(lines, played)
    assert played["env"].unwrapped.world.id == id
    found = re.findall("^## (.*)$", text, re.MULTILINE)
    common = [name for name in found if name in HEADINGS]
    assert common == list(HEADINGS)
    assert found[0] == "Rules" and "In the code" in found[found.index("Source") :]
    assert not re.search(r"^\*\*", text, re.MULTILINE)  # no section was missed
    cells = [unescape(re.sub("<.*?>", "", cell)) for cell in re.findall("<(?:t|d)[tdh]>(.*?)</(?:t|d)[tdh]>", text)]
    assert {"agents", "turns", "chance", "information", "utility", world.turns, world.information} <= set(cells)
    assert set(world.parameters) <= set(cells)
    for space in world.observation_spaces:
        assert set(getattr(space, "spaces", ())) <= set(cells)
    assert any(world.action_names[0][0] in cell for cell in cells)
    assert "random" in cells and "Chooses uniformly among the legal actions." in cells


def test_every_world_is_in_the_overview_and_the_navigation():
    class Config:
        nav = [{"Start": "index.md"}, {"Worlds": ["worlds/index.md"]}, {"Reference": ["reference/index.md"]}]

    names = {registry.short_name(id) for id in registry.ids()}
    text, _, table = pages.overview().partition("## Table")
    assert all(f"<code>{name}</code>" in table for name in names)
    cards = text.partition("## Cards")[2].partition("\n## ")[0]
    assert KINDS["cards"] in cards and "<strong>KuhnPoker</strong>" in cards and "[Coup](Coup.md)" in cards
    assert set(re.findall(r'href="(.*?)\.html"', text)) == set(re.findall("<strong>(.*?)</strong>", text)) == names
    _, worlds, reference = pages.on_config(Config()).nav
    first, *kinds = worlds["Worlds"]
    assert [title.lower() for kind in kinds for title in kind] == list(KINDS)
    assert max(len(pages) for kind in kinds for pages in kind.values()) <= 25
    assert first == "worlds/index.md" and {"Pictures": "reference/pictures.md"} in reference["Reference"]
    listed = [entry for kind in kinds for (group,) in [kind.values()] for entry in group]
    assert sorted(name for entry in listed for name in entry) == sorted(names)
    assert all(entry == {name: f"worlds/{name}.md"} for entry in listed for name in entry)


def test_lists_get_the_empty_line_that_mkdocs_needs():
    text = "**Rules.** Each may:\n- go, or\n  stay;\n- eat.\n\n**Differences** from it:\n1. one;\n2. two.\n"
    assert pages.sections(text) == (
        "## Rules\n\nEach may:\n\n- go, or\n  stay;\n- eat.\n\n## Differences\n\nFrom it:\n\n1. one;\n2. two.\n"
    )


def test_cells_of_tables_are_plain_text():
    assert pages.html_table(["a|b", "c"], [["<x> & `y`", "<x> & `y`"], ["", ""]], code=(0,)) == (
        "<table><thead><tr><th>a|b</th><th>c</th></tr></thead><tbody>\n"
        "<tr><td><code>&lt;x&gt; &amp; `y`</code></td><td>&lt;x&gt; &amp; <code>y</code></td></tr>\n"
        "<tr><td></td><td></td></tr>\n</tbody></table>"
    )


def test_reference_scores_are_on_the_page(monkeypatch):
    def row(policy, others, mean, returns):
        params = {"rows": 3, "columns": 3, "connect": 3}
        id = "envsuite/TicTacToe-v0"
        return Score(id, policy, others, params, 100, 0, mean, 0.1, returns, (0.1, 0.1), 7.5, "0", "")

    world = registry.build("envsuite/TicTacToe-v0")
    assert world.parameters == {"rows": 3, "columns": 3, "connect": 3}
    rows = [row("random", None, 0.0, (0.29, -0.29)), row("random", "tactical", -0.9, (-0.86, -0.94))]
    monkeypatch.setattr(reference, "scores_of", lambda id: tuple(rows))
    all_seats, one_seat = pages.scores(world)[3], pages.scores(world)[5]
    # Student's 97.5% quantile with 99 degrees of freedom is 1.984.
    assert (
        "<td><code>random</code></td><td>0 ± 0.2</td><td>0.29</td><td>-0.29</td><td>7.5</td><td>100</td>" in all_seats
    )
    assert "-0.9 +0.2 -0.1" in one_seat  # no return is below -1
    monkeypatch.setattr(reference, "scores_of", lambda id: ())
    assert pages.scores(world) == []
