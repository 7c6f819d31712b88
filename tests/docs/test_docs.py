"""The code of the documentation runs as it is printed, and every world's page has what all pages have."""

import importlib.util
import re
import subprocess
import sys
from html import unescape

import pytest
from kit import ROOT

from envsuite import registry
from envsuite.evaluation import reference
from envsuite.evaluation.reference import Score
from envsuite.render.player import Table
from envsuite.testing import HEADINGS

spec = importlib.util.spec_from_file_location("pages", ROOT / "docs" / "pages.py")
pages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pages)


def code_blocks(path):
    return re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)


@pytest.mark.slow
def test_adding_a_world(tmp_path):
    module = tmp_path / "nim.py"
    module.write_text("\n\n".join(code_blocks(ROOT / "docs" / "adding_a_world.md")))
    done = subprocess.run([sys.executable, str(module)], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "lab/Nim-v0: 19 checks passed" in done.stdout
    first, second = map(float, re.findall(r"-?\d\.\d*", done.stdout.splitlines()[-1])[:2])
    assert first > 0.95 and second == -first  # 21 is no multiple of 4: the perfect first player wins


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/evaluation.md", "docs/watching.md"])
def test_page_runs(page, tmp_path):
    blocks = code_blocks(ROOT / page)
    assert blocks
    script = tmp_path / "page.py"
    script.write_text("\n\n".join(blocks))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_readme_lists_the_worlds_as_they_are():
    text = (ROOT / "README.md").read_text()
    assert text == pages.readme(text), "README's table of worlds is stale: `python docs/pages.py` writes it"


def test_the_keys_are_listed():
    rows = re.findall(r"^\| `(.*?)` \| (.*?) \|$", (ROOT / "docs" / "watching.md").read_text(), re.MULTILINE)
    assert rows == [(key, words) for key, (_, words) in Table.keys.items()]


@pytest.mark.parametrize("id", registry.ids())
def test_world_has_a_page(id):
    """The docstring's sections in their order, and then what the code knows."""
    world = registry.build(id)
    text = pages.world_page(world)
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
        nav = [{"Start": "index.md"}, {"Worlds": ["worlds/index.md"]}]

    names = {registry.short_name(id) for id in registry.ids()}
    text = pages.overview()
    assert set(re.findall(r'href="(.*?)\.html"', text)) == set(re.findall("<strong>(.*?)</strong>", text)) == names
    first, *families = pages.on_config(Config()).nav[1]["Worlds"]
    assert first == "worlds/index.md"
    listed = [entry for family in families for (group,) in [family.values()] for entry in group]
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
    monkeypatch.setattr(reference, "table", lambda: tuple(rows))
    all_seats, one_seat = pages.scores(world)[3], pages.scores(world)[5]
    # Student's 97.5% quantile with 99 degrees of freedom is 1.984.
    assert (
        "<td><code>random</code></td><td>0 ± 0.2</td><td>0.29</td><td>-0.29</td><td>7.5</td><td>100</td>" in all_seats
    )
    assert "-0.9 ± 0.2" in one_seat
    monkeypatch.setattr(reference, "table", lambda: ())
    assert pages.scores(world) == []
