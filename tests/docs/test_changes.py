"""Notes of changes, and how a release collects them."""

import importlib.util
import re

import pytest
from kit import ROOT

spec = importlib.util.spec_from_file_location("collect", ROOT / "changes" / "collect.py")
collect = importlib.util.module_from_spec(spec)
spec.loader.exec_module(collect)

OLD = "# Changes\n\nWords.\n\n## 0.1.0\n\n- First.\n"


def test_all_notes_are_lists():
    collect.notes(ROOT / "changes")
    assert re.search("^## ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)


@pytest.mark.parametrize("begun", [True, False])
def test_a_release_collects_the_notes(tmp_path, begun):
    (tmp_path / "changes").mkdir()
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.2.0"\n')
    own = "## 0.2.0, not yet released\n\n- Kept.\n\n"
    (tmp_path / "CHANGELOG.md").write_text(OLD.replace("## 0.1.0", f"{own * begun}## 0.1.0"))
    for name, text in {
        "README": "# Notes",
        "Zork": "- Zork: a cave.\n",
        "Abc": "- Abc: letters,\n  many.\n- More.\n",
    }.items():
        (tmp_path / "changes" / f"{name}.md").write_text(text)
    assert [path.stem for path in collect.collect(tmp_path)] == ["Abc", "Zork"]
    listed = "- Abc: letters,\n  many.\n- More.\n- Zork: a cave.\n" + "- Kept.\n" * begun
    expected = f"# Changes\n\nWords.\n\n## 0.2.0\n\n{listed}\n## 0.1.0\n\n- First.\n"
    assert (tmp_path / "CHANGELOG.md").read_text() == expected
    assert [path.name for path in (tmp_path / "changes").iterdir()] == ["README.md"]


@pytest.mark.parametrize("text", ["Words.", "- One.\nTwo.", ""])
def test_a_note_that_is_no_list_is_refused(tmp_path, text):
    (tmp_path / "Zork.md").write_text(text)
    with pytest.raises(SystemExit, match="Zork.md: a note is a list"):
        collect.notes(tmp_path)
