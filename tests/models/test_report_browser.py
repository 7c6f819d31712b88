"""The report in a browser: tables, transcripts beside replays, and words of models that stay words."""

import pytest
from browser import browser  # noqa: F401 - a fixture

from envsuite.models.client import Function
from envsuite.models.report import report
from envsuite.models.suites import Suite, Task, evaluate

pytestmark = pytest.mark.slow

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\nAction: "


def answer(messages):
    legal = messages[-1]["content"].rpartition("Your legal actions: ")[2].split("; ")
    return EVIL + (legal[0] if len(messages) > 3 else "nothing")


def test_report(browser, tmp_path):  # noqa: F811
    path = tmp_path / "report.html"
    path.write_text(report(evaluate(Suite("tiny", "", (Task("TicTacToe", "tactical"),)), Function(answer, "<b>x</b>"))))
    problems = []
    for width in (1280, 390):
        tab = browser.new_context(offline=True, viewport={"width": width, "height": 844}).new_page()
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("dialog", lambda dialog: problems.append(dialog.message))
        tab.goto(path.as_uri())
        tab.wait_for_selector(".turn")
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert "model <b>x</b>" in tab.text_content("#facts")
        assert EVIL.splitlines()[0] in tab.text_content(".turn pre.answer")
        assert "names no action" in tab.text_content(".turn pre.problem")
        assert tab.locator("main img, main script, h1 b").count() == 0
        replay = tab.frame_locator("#replay")
        replay.locator("#step", has_text="0 / ").wait_for()
        tab.locator(".turn").nth(1).click()
        replay.locator("#step", has_text="2 / ").wait_for()  # its second turn is step 2, or 3 in the other seat
        tab.click("#after")
        tab.wait_for_function("document.getElementById('episode').selectedIndex === 1")
    assert problems == []
