"""Tables in a real browser: several pages at one table, on a desktop and on a phone (see browser.py)."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

pytestmark = pytest.mark.slow


@contextlib.contextmanager
def serving(folder, *words):
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "envsuite.cli", "serve", *words, "--folder", str(folder), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "COLUMNS": "200"}, text=True)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/")
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def tabs(browser):
    problems, contexts = [], []

    def open_tab(url, **options):
        contexts.append(browser.new_context(**{"viewport": {"width": 1200, "height": 800}, **options}))
        tab = contexts[-1].new_page()
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("console", lambda message: problems.append(message.text))
        tab.goto(url)
        return tab

    yield open_tab
    for context in contexts:
        context.close()
    assert problems == []


def wait_for(tab, turn):
    tab.wait_for_function("wanted => document.getElementById('turn').textContent === wanted", arg=turn)


def test_two_people_play_and_a_third_watches(tabs, tmp_path):
    with serving(tmp_path, "TicTacToe") as (url, _):
        desktop = tabs(url)
        desktop.click("#offers button")
        desktop.click("text=sit: player_0")
        wait_for(desktop, "Waiting for the other people.")
        phone = tabs(url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        phone.tap("text=sit: player_1")
        wait_for(desktop, "Your move, player_0.")
        wait_for(phone, "player_0 is to move.")
        watcher = tabs(desktop.url.partition("#")[0])
        watcher.wait_for_function("document.getElementById('who').textContent === 'You are watching.'")
        before = watcher.evaluate("document.getElementById('picture').toDataURL()")
        box = desktop.locator("#picture").bounding_box()
        desktop.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        wait_for(phone, "Your move, player_1.")
        assert phone.locator("#actions button").count() == 8
        assert phone.evaluate("document.documentElement.scrollWidth") == 390
        assert all(one.bounding_box()["height"] >= 40 for one in phone.locator("#actions button").all())
        watcher.wait_for_function("was => document.getElementById('picture').toDataURL() !== was", arg=before)
        phone.locator("#actions button").first.tap()
        wait_for(desktop, "Your move, player_0.")
        desktop.reload()
        wait_for(desktop, "Your move, player_0.")
        desktop.click("#hand")
        wait_for(phone, "Your move, player_1.")
        desktop.screenshot(path=tmp_path / "desktop.png")
        phone.screenshot(path=tmp_path / "phone.png")


def test_keys_in_a_ticked_world(tabs, tmp_path):
    with serving(tmp_path, "Overcooked", "--tick", "6", "--private") as (url, process):
        links = [re.search(r"http\S+", process.stdout.readline())[0] for _ in range(2)]
        one, two = tabs(links[0]), tabs(links[1], viewport={"width": 390, "height": 844})
        for tab in (one, two):
            tab.wait_for_function("document.querySelectorAll('#actions button').length > 3")
        picture = "document.getElementById('picture').toDataURL()"
        before = one.evaluate(picture)
        for key in ("ArrowLeft", "ArrowDown", "ArrowUp", "ArrowRight"):
            one.keyboard.press(key)
            one.wait_for_timeout(300)
            if one.evaluate(picture) != before:
                break
        assert one.evaluate(picture) != before
        one.screenshot(path=tmp_path / "desktop.png")
        two.screenshot(path=tmp_path / "phone.png")
