"""What is stored of worlds: a file for each, in sections."""

import json

import pytest

from envsuite import registry
from envsuite.evaluation import stored
from envsuite.evaluation.reference import reference_scores


def test_sections_do_not_touch_each_other(tmp_path):
    stored.write("envsuite/Chess-v0", "suites", [{"a": 1}], tmp_path)
    stored.write("Chess", "reference", [{"b": 0.1}, {"b": None}], tmp_path)
    text = (tmp_path / "Chess.json").read_text()
    assert text == '{\n"reference": [\n{"b": 0.1},\n{"b": null}\n],\n"suites": [\n{"a": 1}\n]\n}\n'
    assert stored.rows("Chess", "suites", tmp_path) == stored.all_rows("suites", tmp_path) == [{"a": 1}]
    assert stored.rows("Go", "suites", tmp_path) == stored.rows("Chess", "costs", tmp_path) == []
    stored.write("Chess", "reference", [], tmp_path)
    assert json.loads((tmp_path / "Chess.json").read_text()) == {"suites": [{"a": 1}]}
    stored.write("Chess", "suites", [], tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_files_are_those_of_worlds_in_their_form():
    assert set(stored.worlds()) <= {registry.short_name(id) for id in registry.ids()}
    for path in stored.FOLDER.iterdir():
        sections = json.loads(path.read_text())
        assert list(sections) == sorted(sections) and set(sections) <= {"learned", "reference", "suites"}
        assert path.read_text() == stored.text(sections)
        worlds = {row.get("world") or row["task"] for rows in sections.values() for row in rows}
        assert set(map(registry.short_name, worlds)) == {path.stem}


def test_scores_of_a_world_are_read_from_its_file_alone(monkeypatch):
    read = []
    sections = stored._sections
    monkeypatch.setattr(stored, "_sections", lambda path: read.append(path.name) or sections(path))
    reference_scores.__globals__["scores_of"].cache_clear()
    assert reference_scores("KuhnPoker") and read == ["KuhnPoker.json"]


@pytest.mark.parametrize("section, count", [("reference", 1000), ("learned", 15), ("suites", 150)])
def test_sections_are_full(section, count):
    assert len(stored.all_rows(section)) >= count
