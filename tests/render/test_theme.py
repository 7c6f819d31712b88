"""The theme: text can be read and agents can be distinguished, on a light page and on a dark one."""

import numpy as np
import pytest

from envsuite import registry
from envsuite.cli import gallery
from envsuite.core.errors import RenderError
from envsuite.render.frames import draw
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, avatar, text_width
from envsuite.render.theme import AGENTS, THEMES, agent_color, contrast, rgba, text_on

#: WCAG 2.2: 7 for text that is easy to read (AAA), 3 for large text and for graphics (AA).
TEXT, GRAPHICS = 7.0, 3.0


def luminance(color):
    """Relative luminance of WCAG 2.2."""
    parts = np.asarray(color, float) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def ratio(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def over(ground, name, theme):
    *color, alpha = rgba(name, theme)
    return alpha * np.array(color) + (1 - alpha) * np.array(ground)


def covers(shape, x, y):
    """Whether a filled shape covers a point."""
    if isinstance(shape, Label | Line) or shape.fill is None:
        return False
    if isinstance(shape, Rect):
        return shape.x <= x <= shape.x + shape.width and shape.y <= y <= shape.y + shape.height
    if isinstance(shape, Circle):
        return (x - shape.x) ** 2 + (y - shape.y) ** 2 <= shape.radius**2
    inside = False
    points = list(shape.points)
    for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1]):
        if (y0 > y) != (y1 > y) and x < (x1 - x0) * (y - y0) / (y1 - y0) + x0:
            inside = not inside
    return inside


def labels(scene):
    """Every label's text and colour, with the colours that lie one over the other in its middle."""
    for k, label in enumerate(scene.shapes):
        if isinstance(label, Label) and label.text.strip():
            wide = min(text_width(label.text, label.size), label.width or np.inf)
            x = label.x + {"left": wide / 2, "center": 0, "right": -wide / 2}[label.align]
            grounds = [scene.background]
            for shape in scene.shapes[:k]:
                if covers(shape, x, label.y):
                    grounds = [*grounds, shape.fill] if "@" in shape.fill else [shape.fill]
            yield label.text, label.color, tuple(grounds)


def poorly_read(scenes):
    """The labels of these scenes whose contrast is too small in some theme."""
    found = set()
    for text, color, grounds in {entry for scene in scenes for entry in labels(scene)}:
        for theme in THEMES:
            ground = rgba(grounds[0], theme)[:3]
            for name in grounds[1:]:
                ground = over(ground, name, theme)
            value = ratio(over(ground, color, theme), ground)
            if value < GRAPHICS:
                found.add((theme, color, grounds, round(value, 2), text))
    return found


def test_contrast_is_that_of_wcag():
    assert ratio((0, 0, 0), (255, 255, 255)) == pytest.approx(21.0)
    # #767676 is the lightest grey with 4.5 on white: 4.54 (WebAIM, "Contrast and Color Accessibility").
    assert ratio((118, 118, 118), (255, 255, 255)) == pytest.approx(4.54, abs=0.005)
    for theme in THEMES:
        for one, other in (("blue", "paper"), ("muted", "panel"), ("ink", "line"), ("white", "white")):
            expected = ratio(rgba(one, theme)[:3], rgba(other, theme)[:3])
            assert contrast(one, other, theme) == contrast(other, one, theme) == pytest.approx(expected)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["paper", "panel"])
def test_page_can_be_read(theme, ground):
    assert contrast("ink", ground, theme) >= TEXT
    assert contrast("muted", ground, theme) >= GRAPHICS
    assert contrast("line", ground, theme) >= 1.3  # lines are to be quiet


def test_things_keep_their_colours_and_pages_do_not():
    assert set(THEMES["light"]) == set(THEMES["dark"])
    changed = {name for name, color in THEMES["light"].items() if THEMES["dark"][name] != color}
    assert changed == {"paper", "panel", "line", "ink"}
    light, dark = (luminance(THEMES[theme]["paper"]) for theme in ("light", "dark"))
    assert light > 0.8 and dark < 0.02


@pytest.mark.parametrize("color", [*AGENTS, "yellow", "white", "black", "felt", "wall", "good", "bad", "highlight"])
def test_text_on_things_can_be_read(color):
    assert contrast(text_on(color), color) >= GRAPHICS


@pytest.mark.parametrize("eyes", ["normal", "protan", "deutan", "tritan"])
def test_first_six_agents_are_told_apart(eyes):
    """CIELAB distances as dichromats see (Machado, Oliveira and Fernandes, 2009, severity 1.0, on linear RGB)."""
    views = {
        "normal": np.eye(3),
        "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    }
    colors = np.array([rgba(name)[:3] for name in AGENTS[:6]]) / 255
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.transpose(views[eyes]), 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    relative = seen @ to_xyz.T / to_xyz.sum(axis=1)
    cube = np.where(relative > (6 / 29) ** 3, np.cbrt(relative), relative / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = cube.T
    lab = np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)
    gaps = np.linalg.norm(lab[:, None] - lab[None], axis=2)[~np.eye(6, dtype=bool)]
    assert gaps.min() > 15  # a just noticeable difference is about 2.3
    assert agent_color(10) == agent_color(0) == "blue"


def test_a_label_that_cannot_be_read_is_found():
    scene = Scene(4, 4, [Rect(0, 0, 4, 2, "white"), Label(2, 1, "lost", color="gold"), Label(2, 3, "seen")])
    assert {(theme, text) for theme, *_, text in poorly_read([scene])} == {("light", "lost"), ("dark", "lost")}
    assert {theme for theme, *_ in poorly_read([Scene(4, 4, [Label(2, 2, "x", color="black")])])} == {"dark"}


@pytest.mark.parametrize("id", registry.ids())
def test_labels_of_worlds_can_be_read(id):
    world = registry.build(id)
    scenes = gallery.episode(world, dict.fromkeys(world.agents, "random"), 12)
    assert poorly_read(scenes) == set()


def test_dark_frames():
    scene = Scene(4, 2, [*avatar(1, 1, 0, "blue"), Label(3, 1, "text")])
    light, dark = draw(scene, 64), draw(scene, 64, "dark")
    assert tuple(light[0, 0]) == THEMES["light"]["paper"] and tuple(dark[0, 0]) == THEMES["dark"]["paper"]
    things = (light == rgba("blue")[:3]).all(axis=2)
    assert things.any() and (dark[things] == rgba("blue")[:3]).all()
    with pytest.raises(RenderError, match="no theme 'drak'.*did you mean 'dark'"):
        draw(scene, 64, "drak")
