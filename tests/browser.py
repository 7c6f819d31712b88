"""A real browser for tests of exported pages, headless: Chromium, by way of playwright.

Tests with these fixtures need ``pip install playwright`` and a Chromium: playwright's own (``playwright install
chromium``), one on the path, or the one that the environment variable ENVSUITE_CHROMIUM names. Elsewhere they are
skipped; what the page holds is tested without a browser in test_page.py.
"""

import base64
import json
import os
import re
import shutil
import zlib

import pytest

from envsuite.render.page import page


def embedded(document):
    """The data of an exported page."""
    packed = re.search(r'<script id="data" type="text/plain">([^<]*)</script>', document)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


@pytest.fixture(scope="module")
def browser():
    try:
        from playwright import sync_api as driver
    except ImportError:
        pytest.skip("playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    path = os.environ.get("ENVSUITE_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    with driver.sync_playwright() as play:
        if path is None and not os.path.exists(play.chromium.executable_path):
            pytest.skip("there is no Chromium")
        running = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def opened(browser, tmp_path):
    """A function that opens a replay's page offline; at the end nothing may have gone wrong there."""
    problems, contexts = [], []

    def open_page(replay, **options):
        path = tmp_path / "replay.html"
        path.write_text(page(replay), "utf-8")
        contexts.append(browser.new_context(offline=True, viewport={"width": 1200, "height": 800}, **options))
        tab = contexts[-1].new_page()
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("console", lambda message: problems.append(message.text))
        tab.goto(path.as_uri())
        tab.wait_for_function("document.getElementById('step').textContent !== ''")
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []
