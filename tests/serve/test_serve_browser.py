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
def serving(folder, *words, command="serve"):
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    line = [
        sys.executable,
        "-m",
        "envsuite.cli",
        *command.split(),
        *words,
        "--folder",
        str(folder),
        "--port",
        str(port),
    ]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, env={**os.environ, "COLUMNS": "200"}, text=True)
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


def spoken(tab):
    return tab.locator("#said li p").all_inner_texts()


def test_two_people_talk(tabs, tmp_path):
    """Words go with the action that is pressed, are only ever text, and can be muted on a page."""
    with serving(tmp_path, "SimpleNegotiation", "--talk", "free", "--private") as (url, process):
        links = [re.search(r"http\S+", process.stdout.readline())[0] for _ in range(2)]
        desktop = tabs(links[0])
        phone = tabs(links[1], viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        for number in range(1, 5):
            tab = (desktop, phone)[number % 2 == 0]
            wait_for(tab, f"Your move, player_{1 - number % 2}.")
            tab.fill("#own", f"number {number} <img src=x onerror=alert(1)> <b>{'word ' * 12}</b>")
            assert "words; then press what you mean by it" in tab.inner_text("#floor")
            if number == 3:  # Enter asks what is meant, and again takes it
                tab.fill("#own", "I offer 5 wood for 4 gold.")
                tab.press("#own", "Enter")
                tab.wait_for_selector("#guess:focus")
                assert tab.inner_text("#guess") == "Say it: offer 5 wood for 4 gold"
                tab.keyboard.press("Enter")
            elif number == 1:
                tab.click("#alone")
            else:
                tab.locator("#actions button", has_text="offer 1 wood for 1 gold").first.tap()
            tab.wait_for_function("() => document.getElementById('own').value === ''")
        wait_for(desktop, "Your move, player_0.")
        for tab in (desktop, phone):
            assert [text[:8] for text in spoken(tab)] == ["number 1", "number 2", "I offer ", "number 4"]
            assert "<img src=x onerror=alert(1)> <b>word" in spoken(tab)[0]
            assert tab.locator("#said img, #said p b").count() == 0
            assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert tab.evaluate("said.scrollHeight - said.scrollTop - said.clientHeight") < 2  # the newest is seen
        assert "meant: offer 1 wood" in phone.inner_text("#said") and "meant: offer 1" not in desktop.inner_text(
            "#said"
        )
        picture, chat = (phone.locator(name).bounding_box() for name in ("#stage", "#chat"))
        assert chat["y"] > picture["y"] + picture["height"]
        desktop.screenshot(path=tmp_path / "desktop.png")
        phone.screenshot(path=tmp_path / "phone.png", full_page=True)
        phone.locator("#said button").first.tap()
        assert [one.is_visible() for one in phone.locator("#said li p").all()] == [False, True, False, True]
        desktop.reload()  # what was said is there again, and nothing is muted on this page
        desktop.wait_for_function("() => document.querySelectorAll('#said li').length === 4")
        assert desktop.locator("#said p:visible").count() == 4


def test_talk_while_a_clock_runs(tabs, tmp_path):
    with serving(tmp_path, "Overcooked", "--tick", "6", "--talk", "beside:when=turn", "--private") as (url, process):
        links = [re.search(r"http\S+", process.stdout.readline())[0] for _ in range(2)]
        one, two = tabs(links[0]), tabs(links[1])
        one.wait_for_selector("#own:enabled")
        one.fill("#own", "I take the onions; w, a, s and d are letters here.")
        one.press("#own", "Enter")
        two.wait_for_selector("#said li")
        assert spoken(two) == ["I take the onions; w, a, s and d are letters here."]
        one.wait_for_function("() => document.getElementById('own').value === ''")


PLAN = """
title: A small study
consent: You will play two games, and answer four questions.
before:
  - {name: age, ask: "How old are you?", kind: number, least: 18, most: 99}
  - {name: often, ask: "How often do you play games?", kind: choice, choices: [never, sometimes, every day]}
conditions:
  - name: dilemma
    world: MatrixGame
    text: You and another participant choose at the same time.
    questions:
      - {name: trust, ask: "Did you trust the other one?", kind: scale, labels: [not at all, completely]}
      - {name: why, ask: "Why?", required: false}
payment: THANKS
"""


def test_two_participants_of_a_study(tabs, tmp_path):
    (tmp_path / "plan.yaml").write_text(PLAN)
    with serving(tmp_path / "study", str(tmp_path / "plan.yaml"), command="study run") as (url, _):
        desktop = tabs(f"{url}/?id=one")
        phone = tabs(url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        for name, tab in (("desktop", desktop), ("phone", phone)):

            def shot(what, tab=tab, name=name):
                assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
                tab.screenshot(path=tmp_path / f"{name}-{what}.png")

            tab.wait_for_selector("#go:visible")
            shot("consent")
            tab.click("#go")
            tab.wait_for_selector("input[name=age]")
            tab.fill("input[name=age]", "7")
            tab.click("text=sometimes")
            tab.click("#go")
            tab.wait_for_selector("text=Please give a number from 18 to 99.")
            shot("questions")
            tab.reload()
            tab.wait_for_selector("input[name=age]")
            tab.fill("input[name=age]", "37")
            tab.click("text=sometimes")
            tab.click("#go")
            tab.wait_for_selector("text=You and another participant")
            shot("start")
            tab.click("#go")
            tab.wait_for_selector("#turn")
            if tab is desktop:
                wait_for(tab, "Waiting for the other people.")
                shot("waiting")
                tab.reload()
                wait_for(tab, "Waiting for the other people.")
        for tab in (desktop, phone):
            tab.wait_for_function("document.getElementById('turn').textContent.startsWith('Your move')")
            assert not tab.is_visible("#hand")
            tab.locator("#actions button").first.click()
        for name, tab in (("desktop", desktop), ("phone", phone)):
            tab.wait_for_selector("#again:visible")
            tab.screenshot(path=tmp_path / f"{name}-over.png")
            tab.click("text=Continue")
            tab.wait_for_selector("fieldset")
            tab.screenshot(path=tmp_path / f"{name}-scale.png")
            assert tab.locator(".steps input").count() == 7
            tab.locator(".steps input").nth(4).check()
            tab.click("#go")
            tab.wait_for_selector("text=Your code: THANKS")
            tab.screenshot(path=tmp_path / f"{name}-end.png")
