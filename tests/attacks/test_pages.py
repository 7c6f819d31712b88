"""Scripts in a replay's texts: the exported page shows them as text and runs none."""

import re

import pytest

from envsuite import registry
from envsuite.agents import make_policy
from envsuite.episodes.session import Session
from envsuite.render.page import page

SCRIPTS = [
    "<script>document.title='taken'</script>",
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\">",
    "<svg onload=\"document.title='taken'\">",
    '"><iframe src="javascript:parent.document.title=\'taken\'">',
    "--><script>document.title='taken'</script><!--",
    "<!--DATA-->",
    "<!--TITLE--><script>document.title='taken'</script>",
    "';document.title='taken';//",
    "`;document.title='taken';`",
    "\\u003cscript\\u003edocument.title='taken'\\u003c/script\\u003e",
    "</title><script>document.title='taken'</script>",
]


def replay_with(text, steps=3):
    world = registry.build("TicTacToe")
    session = Session(world, dict.fromkeys(range(2), make_policy("random", world)), 0)
    for _ in session.play(steps):
        pass
    return session.timeline.replay({"player_0": text, "player_1": f"x{text}"})


def around_the_data(document):
    """A page without what it holds of the replay, which is compressed and written in 64 letters."""
    left, data, right = re.fullmatch(r'(.*<script id="data"[^>]*>)([^<]*)(</script>.*)', document, re.S).groups()
    assert re.fullmatch(r"[A-Za-z0-9+/=\s]*", data)
    return left, right


def test_scripts_change_nothing_around_the_data(counted):
    plain = around_the_data(page(replay_with("somebody")))
    for text in SCRIPTS:
        assert around_the_data(page(replay_with(text))) == plain, text
    counted("injected scripts that stayed data", len(SCRIPTS))


def test_the_page_never_reads_text_as_code():
    code = "".join(around_the_data(page(replay_with("somebody"))))
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc"):
        assert word not in code


@pytest.mark.slow
@pytest.mark.parametrize("text", SCRIPTS)
def test_browsers_run_no_script(text, opened, counted):
    tab = opened(replay_with(text))
    for key in ("End", "Home", "ArrowRight", " "):
        tab.keyboard.press(key)
    assert tab.title() == "envsuite/TicTacToe-v0" and tab.locator("img, iframe, svg").count() == 0
    counted("injected scripts that no browser ran", 1)
