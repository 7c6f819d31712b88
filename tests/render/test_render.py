"""Pictures and terminal drawings. Colours come from the theme; positions from the scenes drawn here."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image, ImageSequence

from envsuite.core.errors import RenderError
from envsuite.render import frames
from envsuite.render.frames import draw, save_gif, save_png
from envsuite.render.scene import (
    Circle,
    Label,
    Line,
    Polygon,
    Rect,
    Scene,
    apple,
    avatar,
    card,
    door,
    grid,
    key,
    text_scene,
    text_width,
    wrap,
)
from envsuite.render.terminal import terminal
from envsuite.render.theme import COLORS, THEMES


def room() -> Scene:
    """A 4 x 3 room: walls above and at the left, an agent that looks west, an apple, a beam."""
    scene = Scene(4, 3)
    scene.add(*grid(0, 0, 4, 3), Rect(0, 0, 4, 1, "wall"), Rect(0, 1, 1, 2, "wall"))
    scene.add(Rect(1, 2, 1, 1, "beam"), *avatar(2.5, 2.5, 2, "blue"), *apple(3.5, 1.5))
    return scene


def everything() -> Scene:
    """A scene with each kind of shape and each helper."""
    scene = Scene(20, 10, background="panel")
    scene.add(*grid(0, 0, 6, 4), *avatar(0.5, 0.5, 1, "green", text="3"), *key(1.5, 0.5), *apple(2.5, 0.5))
    for k, state in enumerate(("open", "closed", "locked")):
        scene.add(*door(3.5 + k, 0.5, "purple", state))
    scene.add(*card(1, 6, "K"), *card(3, 6, face_up=False))
    scene.add(Circle(15, 2, 1, "sky@0.5", "ink"), Polygon([(17, 1), (19, 1), (18, 3)], "gold", "ink@0.5"))
    scene.add(Line([(1, 9), (3, 8), (5, 9)], "pink@0.5", 0.2), Rect(6, 8, 2, 1, None, "line", radius=0.2))
    scene.add(Label(10, 9.5, "très bien → ♠ 日本 \x00\ud800", width=3))
    scene.add(Label(19, 9.5, "right", align="right", bold=True))
    return scene


def pixel(frame: np.ndarray, scene: Scene, x: float, y: float) -> tuple[int, ...]:
    """The pixel at a scene's point."""
    return tuple(int(v) for v in frame[int(y * frame.shape[0] / scene.height), int(x * frame.shape[1] / scene.width)])


# Frames.


def test_frame_is_an_even_uint8_picture_of_the_asked_size():
    frame = draw(room())
    assert frame.shape == (480, 640, 3) and frame.dtype == np.uint8
    assert frame.flags.owndata and frame.flags.writeable and frame.flags.c_contiguous
    for width, height, size in ((7.3, 5.1, 301), (3, 90, 200), (1000, 7, 640), (24, 18, 640)):
        shape = draw(Scene(width, height), size).shape
        assert shape[0] % 2 == shape[1] % 2 == 0
        assert 0.8 * size <= max(shape) <= size + 1


def test_frames_of_equal_scenes_are_equal_and_of_equal_sizes_alike():
    assert np.array_equal(draw(everything()), draw(everything()))
    assert draw(Scene(20, 10)).shape == draw(everything()).shape


def test_colours_are_those_of_the_theme():
    scene = room()
    frame = draw(scene)
    for x, y, color in (
        (0.5, 0.2, "wall"), (0.5, 2.5, "wall"), (1.3, 1.3, "floor"), (2.7, 2.5, "blue"), (3.5, 1.75, "red"),
        (2.43, 2.5, "white"), (1.2, 2.2, "beam"),
    ):  # fmt: skip
        assert pixel(frame, scene, x, y) == COLORS[color], (x, y, color)


def test_an_avatar_points_where_it_looks():
    tips = [(0.93, 0.5), (0.5, 0.93), (0.07, 0.5), (0.5, 0.07)]  # east, south, west, north
    for facing, ahead in enumerate(tips):
        scene = Scene(1, 1)
        scene.add(*avatar(0.5, 0.5, facing, "blue"))
        frame = draw(scene, 100)
        blue = [sum(abs(a - b) for a, b in zip(pixel(frame, scene, *tip), COLORS["blue"])) < 200 for tip in tips]
        assert [tip == ahead for tip in tips] == blue


def test_opacity_mixes_with_what_lies_below():
    scene = Scene(2, 1)
    scene.add(Rect(0, 0, 2, 1, "white"), Rect(0, 0, 1, 1, "ink@0.5"), Circle(1.5, 0.5, 0.4, "ink@0.25"))
    frame = draw(scene).astype(int)
    for x, alpha in ((0.5, 0.5), (1.5, 0.25)):
        expected = [255 + (c - 255) * alpha for c in COLORS["ink"]]
        assert np.abs(np.array(pixel(frame, scene, x, 0.5)) - expected).max() <= 2


def test_edges_are_smooth_and_neighbours_have_no_seam():
    disc = Scene(1, 1, background="white")
    disc.add(Circle(0.5, 0.5, 0.4, "ink"))
    assert len(np.unique(draw(disc, 100).reshape(-1, 3), axis=0)) > 5
    tiles = Scene(3.7, 1)
    tiles.add(*(Rect(0.37 * k, 0, 0.37, 1, "wall") for k in range(10)))
    assert (draw(tiles, 333) == COLORS["wall"]).all()


def test_labels_are_centred_cut_and_bold():
    def ink(**options) -> np.ndarray:
        scene = Scene(10, 2, background="white")
        scene.add(Label(5, 1, "HHHHHH", 1.0, **options))
        return np.argwhere(draw(scene).min(axis=2) < 128)

    (top, left), (bottom, right) = ink().min(axis=0), ink().max(axis=0)
    assert abs((top + bottom) / 2 - 64) <= 1.5 and abs((left + right) / 2 - 320) <= 3  # a unit is 64 pixels
    assert 40 <= bottom - top <= 48  # capitals are about 0.7 of a label's size
    assert abs(ink(align="left")[:, 1].min() - 325) <= 6 and abs(ink(align="right")[:, 1].max() - 315) <= 6
    assert len(ink(bold=True)) > 1.3 * len(ink())
    assert np.ptp(ink(width=2.5)[:, 1]) <= 2.5 * 64 < np.ptp(ink()[:, 1])


def test_every_helper_and_strange_letters_are_drawn():
    assert len(np.unique(draw(everything()).reshape(-1, 3), axis=0)) > 100
    assert draw(text_scene(["one\ntwo", "three"])).ndim == 3


def fresh(scene: Scene, unit: float, theme: str = "light") -> np.ndarray:
    """A frame that owes nothing to the one before."""
    frames._canvases.clear()
    return frames.paint(scene, unit, theme)


def scattered(random: np.random.Generator) -> list:
    """Shapes of all kinds, partly outside, some of them translucent."""
    shapes = []
    for _ in range(random.integers(0, 9)):
        (x, y), (u, v), color = random.uniform(-1, 9, 2), random.uniform(-1, 9, 2), str(random.choice(list(COLORS)))
        color += random.choice(["", "@0.4"])
        shapes.append(
            [
                Rect(x, y, abs(u) / 2 + 0.1, abs(v) / 2 + 0.1, color, random.choice([None, "ink@0.5"]), 0.1),
                Rect(x, y, 1.3, 0.9, color, "pink", 0.1, 0.3),
                Circle(x, y, abs(u) / 4 + 0.1, color, random.choice([None, "ink"]), 0.13),
                Polygon([[x, y], [u, v], [4, 4]], color, random.choice([None, "gold@0.3"]), 0.1),
                Line([(x, y), (u, v)], color, random.choice([0.05, 0.4])),
                Line([(x, y), (u, y), (u, v), (3, 3)], color, 0.2),
                Label(x, y, "some words", 0.6, color, align="left"),
            ][random.integers(7)]
        )
    return shapes


@pytest.mark.parametrize("unit", [9.0, 20.0, 90.0])
def test_a_frame_is_the_same_whatever_was_drawn_before(unit):
    frames._canvases.clear()
    random = np.random.default_rng(3)
    shapes = scattered(random)
    for _ in range(25):
        # Some go, some come, some are painted in another order.
        kept = [shape for shape in shapes if random.random() < 0.8]
        if random.random() < 0.2:
            random.shuffle(kept)
        at = random.integers(len(kept) + 1)
        shapes = [*kept[:at], *scattered(random), *kept[at:]]
        scene = Scene(8, 8, shapes)
        after = frames.paint(scene, unit)
        (canvas,) = frames._canvases.values()
        layer = vars(canvas.brush).get("layer")
        assert layer is None or not np.frombuffer(layer.get_view("0"), np.uint8).any()
        assert np.array_equal(after, fresh(scene, unit))
        frames._canvases[next(iter(frames._canvases))] = canvas


def test_points_that_are_changed_in_place_are_painted_anew():
    points = [(1.0, 1.0), (5.0, 1.0), (3.0, 4.0)]
    scene = Scene(6, 6, [Polygon(points, "blue")])
    before = draw(scene, 60)
    points[2] = (5.0, 5.0)
    assert np.array_equal(draw(scene, 60), fresh(scene, 10.0)) and not np.array_equal(draw(scene, 60), before)


def test_themes_and_backgrounds_have_frames_of_their_own():
    for background in ("paper", "panel"):
        for theme in ("light", "dark"):
            scene = Scene(2, 2, [Circle(1, 1, 0.5, "blue")], background)
            assert tuple(draw(scene, 20, theme)[0, 0]) == THEMES[theme][background]


def test_an_error_leaves_nothing_behind():
    bad = Scene(4, 4, [Rect(0, 0, 4, 4, "blue"), Rect(0, 0, 1, 1, "bleu")])
    for scene in (Scene(4, 4), bad, Scene(4, 4)):
        if scene is bad:
            with pytest.raises(RenderError):
                draw(scene, 40)
        else:
            assert (draw(scene, 40) == COLORS["paper"]).all()


def test_frames_are_drawn_in_threads():
    scenes = [Scene(8, 8, scattered(np.random.default_rng(k))) for k in range(40)]
    expected = [fresh(scene, 10.0) for scene in scenes]
    with ThreadPoolExecutor(4) as pool:
        for frame, other in zip(pool.map(lambda scene: draw(scene, 80), scenes), expected):
            assert np.array_equal(frame, other)


def test_bad_scenes_are_refused_by_name():
    with pytest.raises(RenderError, match="no color 'bleu'.*did you mean 'blue'"):
        draw(Scene(1, 1, [Rect(0, 0, 1, 1, "bleu")]))
    with pytest.raises(RenderError, match="opacity from 0 to 1"):
        draw(Scene(1, 1, [Rect(0, 0, 1, 1, "blue@2")]))
    with pytest.raises(RenderError, match="nothing to show"):
        draw(Scene(0, 1))


def test_text_is_measured_and_wrapped():
    lines = wrap("one two three four\n\nfive", 3.0, 0.5)
    assert lines == ["one two", "three four", "", "five"]
    assert all(text_width(line, 0.5) <= 3.0 for line in lines)
    scene = Scene(20, 1, background="white")
    scene.add(Label(0, 0.5, "Harvest: 12 apples, QWERTY", 0.6, align="left"))
    wide = np.argwhere(draw(scene, 1000).min(axis=2) < 128)[:, 1].max() / 50
    assert wide == pytest.approx(text_width("Harvest: 12 apples, QWERTY", 0.6), rel=0.05)
    assert wrap("  # .\n", 0.1)[0] == "  #"
    assert text_scene(["word " * 300]).width <= 24


# Files.


def test_png_round_trip(tmp_path):
    for picture in (everything(), draw(everything())):
        save_png(picture, tmp_path / "scene.png")
        assert np.array_equal(np.asarray(Image.open(tmp_path / "scene.png")), draw(everything()))


def animation(path):
    return np.stack([np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(Image.open(path))])


def test_gif_round_trip(tmp_path):
    scenes = []
    for k in range(6):
        scenes.append(room())
        scenes[-1].add(*avatar(1.5 + 0.3 * k, 1.5, 0, "orange"))
    save_gif(scenes, tmp_path / "play.gif", fps=10, size=320)
    frames = animation(tmp_path / "play.gif")
    assert frames.shape == (6, 240, 320, 3)
    for frame, scene in zip(frames, scenes):
        assert np.abs(frame.astype(int) - draw(scene, 320)).mean() < 1
        assert pixel(frame, scene, 0.5, 0.5) == COLORS["wall"]  # the commonest colours are exact
    assert Image.open(tmp_path / "play.gif").info["duration"] == 100
    assert os.path.getsize(tmp_path / "play.gif") < 40_000


def test_gif_of_many_colours_and_of_unlike_sizes(tmp_path):
    ramp = np.stack([*np.meshgrid(np.arange(0, 256, 4), np.arange(0, 256, 4)), np.full((64, 64), 99)], axis=2)
    save_gif([ramp.astype(np.uint8), draw(Scene(1, 1), 100)], tmp_path / "ramp.gif")
    frames = animation(tmp_path / "ramp.gif")
    assert frames.shape == (2, 100, 100, 3)
    assert np.abs(frames[0, :64, :64].astype(int) - ramp).max() <= 24  # 4,096 colours in 256
    with pytest.raises(RenderError, match="at least one"):
        save_gif([], tmp_path / "none.gif")


# Terminal.


def test_terminal_without_colours():
    assert terminal(room(), color=False).split("\n") == ["########", "##    r", "##++◀b"]


def test_signs_of_agents_differ():
    drawn = [terminal(Scene(1, 1, avatar(0.5, 0.5, 0, "blue", text=str(a))), color=False) for a in range(62)]
    assert drawn[9:12] == ["▶9", "▶A", "▶B"] and len(set(drawn)) == 62


def test_terminal_with_colours():
    scene = Scene(2, 1, background="white")
    scene.add(Rect(0, 0, 1, 1, "blue"), Circle(0.5, 0.5, 0.3, "gold"), Label(1.5, 0.5, "7", bold=True))
    assert terminal(scene) == (
        "\x1b[0;1;48;2;0;114;178;38;2;230;159;0m●\x1b[0;48;2;0;114;178m "
        "\x1b[0;1;48;2;255;255;255;38;2;38;42;51m7\x1b[0;48;2;255;255;255m \x1b[0m"
    )


def test_terminal_fills_large_shapes_and_grows_where_labels_need_room():
    scene = Scene(6, 6, background="white")
    scene.add(Circle(3, 3, 2.6, "wall"))
    lines = terminal(scene, color=False).split("\n")
    assert lines[3] == " ##########" and lines[0].count("#") < lines[2].count("#")
    scene = Scene(6, 2)
    scene.add(Label(3, 1, "a label of twenty-two."))
    assert terminal(scene, color=False).split() == "a label of twenty-two.".split()
    scene.add(Label(3, 1.6, "x" * 100))
    assert terminal(scene, color=False).split()[-1] == "x" * 47 + "…"  # 6 units, 4 rows and 8 columns each
    assert len(terminal(scene, color=False, columns=12).split("\n")) == 2


def test_terminal_keeps_to_its_room_by_pixels_in_half_blocks():
    scene = Scene(30, 20, [Rect(0, 0, 15, 10, "blue"), Rect(15, 10, 15, 10, "gold")])
    assert terminal(scene, columns=60, rows=20) == terminal(scene, columns=60) and "▀" not in terminal(scene)
    for columns, rows in ((60, 19), (59, 20), (33, None), (80, 7), (200, 1)):
        lines = terminal(scene, columns=columns, rows=rows).split("\n")
        widths = {len(re.sub(r"\x1b\[[\d;]*m", "", line)) for line in lines}
        assert len(widths) == 1 and max(widths) <= columns
        assert len(lines) <= (rows or len(lines)) and (len(lines) >= 5 or rows == 1)
    drawn = terminal(Scene(4, 2, [Rect(0, 0, 4, 1, "blue")]), columns=5)
    blue, paper = ("{};{};{}".format(*COLORS[name]) for name in ("blue", "paper"))
    assert drawn == f"\x1b[0;48;2;{paper};38;2;{blue}m▀▀▀▀\x1b[0m"
    assert terminal(scene, color=False, rows=7).count("\n") == 19


def test_terminal_has_a_dark_page():
    scene = Scene(2, 1, [Label(0.5, 0.5, "7", color="ink")])
    paper, ink = ("{};{};{}".format(*THEMES["dark"][name]) for name in ("paper", "ink"))
    assert terminal(scene, theme="dark") == f"\x1b[0;48;2;{paper};38;2;{ink}m7\x1b[0;48;2;{paper}m   \x1b[0m"
    assert terminal(Scene(9, 9), columns=9, theme="dark").startswith(f"\x1b[0;48;2;{paper}m")


def test_terminal_draws_every_helper():
    for color in (False, True):
        lines = terminal(everything(), color=color).split("\n")
        assert len(lines) in (10, 20, 30, 40)
        assert ("\x1b" in lines[0]) == color


# Nothing starts by itself.


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess:
    kept = {k: v for k, v in os.environ.items() if k not in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run([sys.executable, "-c", code], env=kept | environment, capture_output=True, text=True)


def test_import_loads_no_pygame_and_drawing_starts_no_display():
    done = run_python(
        "import sys, envsuite.render.frames, envsuite.render.terminal, envsuite.render.window\n"
        "from envsuite.render.scene import Scene, Label\n"
        "envsuite.render.terminal.terminal(Scene(1, 1))\n"
        "assert 'pygame' not in sys.modules and 'PIL' not in sys.modules\n"
        "envsuite.render.frames.draw(Scene(1, 1, [Label(0.5, 0.5, 'x')]))\n"
        "import pygame\n"
        "assert not pygame.get_init() and not pygame.display.get_init() and not pygame.mixer.get_init()\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display driver")
def test_window_without_a_display_says_what_to_do():
    done = run_python("from envsuite.render.window import Window; Window()")
    assert done.returncode == 1 and done.stderr.startswith("Traceback")  # no library wrote to the terminal before
    message = done.stderr.strip().split("\n")[-1]
    for part in ("RenderError", "rgb_array", "envsuite watch ID --gif FILE", "envsuite play", "xvfb-run"):
        assert part in message
