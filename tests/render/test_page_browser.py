"""The page in a real browser, driven by clicks and keys (see browser.py)."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from envsuite import registry
from envsuite.agents import make_policy
from envsuite.episodes.session import Session
from envsuite.render.frames import draw

pytestmark = pytest.mark.slow


def recorded(name, steps):
    world = registry.build(name)
    policy = make_policy("random", world)
    session = Session(world, dict.fromkeys(range(len(world.agents)), policy), 2)
    for _ in session.play(steps):
        pass
    return session.timeline.replay()


def test_clicks_and_keys(opened):
    replay = recorded("Werewolf", 100)
    world, last = replay.world, len(replay)
    tab = opened(replay)

    def step():
        return int(tab.inner_text("#step").split(" / ")[0])

    def cells(a):
        return tab.locator(f"#agents tbody tr >> nth={a} >> td").all_inner_texts()

    assert (tab.title(), tab.inner_text("#title"), tab.inner_text("#step")) == (world.id, world.id, f"0 / {last}")
    tab.click("#next")
    tab.click("#next")
    tab.click("#back")
    assert step() == 1
    moment = replay.at(1)
    for a in range(len(world.agents)):
        done = world.action_names[a][moment.actions[a]] if moment.acting[a] else ""
        assert cells(a)[1:] == [done, "0", "0"]
    tab.click("#agents tbody tr >> nth=2")
    assert tab.inner_text("#text") == world.text(moment.record, 2).strip()
    names = [world.action_names[2][k] for k in np.flatnonzero(moment.masks[2])]
    assert tab.locator("#legal span").all_inner_texts() == names
    if moment.acting[2]:
        assert tab.inner_text("#legal .does") == world.action_names[2][moment.actions[2]]

    tab.click("#last")
    assert step() == last
    assert [float(cells(a)[3]) for a in range(7)] == replay.returns.tolist()
    assert tab.locator("#messages p").count() == len(tab.evaluate("data.messages"))
    tab.click("#first")
    assert step() == 0 and tab.locator("#messages p").count() == 0
    for key, wanted in (("ArrowRight", 1), ("Shift+ArrowRight", min(11, last)), ("Home", 0), ("End", last)):
        tab.keyboard.press(key)
        assert step() == wanted
    tab.locator("#scrub").fill("2")
    assert step() == 2
    box = tab.locator("#plot").bounding_box()
    tab.mouse.click(box["x"] + box["width"] - 8, box["y"] + 20)
    assert step() == last
    tab.keyboard.press("4")
    assert "player_3" in tab.inner_text("#agents tr.chosen")

    tab.click("#first")
    before = tab.evaluate("document.getElementById('picture').toDataURL()")
    tab.select_option("#viewer", label="what player_0 sees")
    assert tab.evaluate("document.getElementById('picture').toDataURL()") != before

    tab.select_option("#speed", "1")
    tab.click("#play")
    assert tab.inner_text("#play") == "Pause"
    tab.select_option("#speed", "60")
    tab.wait_for_function(f"document.getElementById('step').textContent === '{last} / {last}'")
    assert tab.inner_text("#play") == "Play"
    tab.select_option("#speed", "1")
    tab.keyboard.press("Space")
    tab.keyboard.press("Space")
    assert tab.inner_text("#play") == "Play" and step() < last


def test_on_a_phone_all_controls_are_in_sight_and_the_slider_is_as_wide_as_the_chart(opened):
    replay = recorded("Werewolf", 100)
    tab = opened(replay)
    tab.set_viewport_size({"width": 390, "height": 844})
    for name in ("first", "back", "play", "next", "last", "scrub", "step", "speed", "plot"):
        box = tab.locator(f"#{name}").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390, name
        assert box["y"] >= 0 and box["y"] + box["height"] <= 844, name
    chart, slider = (tab.locator(name).bounding_box() for name in ("#plot", "#scrub"))
    assert slider["x"] + 8 == chart["x"] + 52 and slider["width"] == chart["width"] - 44
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    tab.click("#last")
    assert tab.inner_text("#who").lower() == "the end" and tab.inner_text("#legal") == tab.evaluate("data.ending")


def test_the_theme_follows_the_system_and_the_button(opened):
    ground = "getComputedStyle(document.body).backgroundColor"
    tab = opened(recorded("TicTacToe", 9), color_scheme="dark")
    dark = tab.evaluate(ground)
    tab.click("#theme")
    assert tab.evaluate(ground) != dark
    tab.keyboard.press("d")
    assert tab.evaluate(ground) == dark


def test_going_anywhere_gives_the_same_frames(opened):
    tab = opened(recorded("Harvest", 300))
    assert (
        tab.evaluate("""() => {
        const frames = data.film.frames, ahead = new Lists(frames), anywhere = new Lists(frames);
        const wanted = frames.map((_, k) => String(ahead.get(k)));
        for (let n = 0, k = 7; n < 400; n++, k = (k * 31 + 17) % frames.length) {
            if (String(anywhere.get(k)) !== wanted[k]) return k;
        }
        return "same";
    }""")
        == "same"
    )


@pytest.mark.parametrize("name, step", [("TicTacToe", 5), ("Harvest", 40)])
def test_pictures_look_like_frames(opened, name, step):
    replay = recorded(name, 50)
    frame = draw(replay.world.scene(replay.at(step).record), 640).astype(int)
    tab = opened(replay)
    url = tab.evaluate(f"""() => {{
        const canvas = document.createElement("canvas");
        paint(canvas, films[""], {step}, 640, 640);
        return canvas.toDataURL();
    }}""")
    image = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")
    picture = np.asarray(image).astype(int)
    assert np.abs(np.subtract(picture.shape, frame.shape)).max() <= 1  # frames have even sides
    height, width = np.minimum(picture.shape, frame.shape)[:2]
    difference = np.abs(picture[:height, :width] - frame[:height, :width]).max(axis=2)
    assert difference.mean() < 3 and (difference > 60).mean() < 0.02  # edges, and letters where a bold font differs
