"""What things show of themselves at the prompt and in notebooks: pictures, tables, and a short `repr`."""

import copy
import json
import pickle
import re
import xml.dom.minidom
import zlib

import pytest
from PIL import Image
from typer.testing import CliRunner

import envsuite
from envsuite import registry
from envsuite.agents import make_policy
from envsuite.cli import app
from envsuite.evaluation.matches import play
from envsuite.evaluation.tournaments import cross_play
from envsuite.generators import generate
from envsuite.generators.base import generator
from envsuite.render.frames import save
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene
from envsuite.solvers.game_tree import Tree

KUHN = "envsuite/KuhnPoker-v0"


def elements(svg: str) -> list[str]:
    return [node.tagName for node in xml.dom.minidom.parseString(svg).documentElement.childNodes if node.nodeType == 1]


def test_a_scene_as_svg():
    scene = Scene(4, 2, [Rect(0, 0, 1, 1, "blue@0.5", "ink"), Circle(1, 1, 0.3), Polygon([(0, 0), (1, 0), (0, 1)])])
    scene.add(Line([(0, 0), (1, 1)]), Label(2, 1, "<a & b> \x00", bold=True), Label(2, 1, "too long a text", width=1))
    svg = scene.svg(400)
    assert elements(svg) == ["rect", "rect", "circle", "polygon", "polyline", "text", "text"]
    for part in ('width="400" height="200"', "&lt;a &amp; b&gt; ", "...</text>", 'fill-opacity="0.5"', 'x="0.02"'):
        assert part in svg
    assert scene.svg() != scene.svg(theme="dark") and repr(scene) == "Scene(4 x 2, 6 shapes)"


@pytest.mark.parametrize("make", [envsuite.make_aec, envsuite.make_parallel])
def test_environments_show_their_picture_once_they_have_begun(make):
    env = make(KUHN, players=3, compiled=False)
    assert env._repr_svg_() is None
    env.reset(seed=0)
    assert env._repr_svg_() == env.scene().svg()
    assert repr(env).endswith("(envsuite/KuhnPoker-v0(players=3))")


def test_results_trees_and_levels_show_themselves():
    result = play(KUHN, "random", 20)
    assert repr(result).startswith("Result(20 episodes, ") and result._repr_html_().count("<tr>") == 3
    tree = Tree(registry.build(KUHN))
    assert repr(tree) == "Tree(envsuite/KuhnPoker-v0: 24 decisions, 12 information sets, 30 ends)"
    assert "<td>player_1</td><td>6</td><td>12</td>" in tree._repr_html_()
    level = generate("maze", 3)
    assert elements(level._repr_svg_()).count("rect") > 9 and level == dict(level)
    assert elements(cross_play(KUHN, ["random"], episodes=2)._repr_svg_())


def test_levels_of_environments_are_plain_data_with_a_picture():
    for id in ("ConnectFour", "Maze", "Hanabi"):
        env = envsuite.make_aec(id, compiled=False)
        env.reset(seed=0)
        level = env.level
        assert level._repr_svg_() == env.scene().svg()
        assert level == json.loads(json.dumps(level)) and level == env.world.get_level(env.batch.record())
        for copied in (copy.deepcopy(level), pickle.loads(pickle.dumps(level))):
            assert type(copied) is dict and copied == level
    level["deck"] = "torn"
    assert level._repr_svg_() is None


def test_short_names():
    world = registry.build("envsuite/ConnectFour-v0")
    assert repr(make_policy("tactical", world)) == "CompiledPolicy('tactical')"
    assert repr(generator("maze", width=9)).startswith("Maze(height=21, width=9")
    assert repr(envsuite.make_vec(KUHN, num_envs=2, compiled=False)) == "Vector(envsuite/KuhnPoker-v0, num_envs=2)"


def test_render_writes_png_svg_and_pdf(tmp_path):
    def render(file, *options):
        return CliRunner().invoke(app, ["render", KUHN, str(tmp_path / file), *options])

    for file in ("a.png", "a.svg", "a.pdf"):
        assert render(file, "--steps", "1", "--size", "200").exit_code == 0
    assert max(Image.open(tmp_path / "a.png").size) in (198, 200)
    assert elements((tmp_path / "a.svg").read_text())
    assert render("own.svg", "--agent", "player_1").exit_code == 0
    assert render("all.svg").exit_code == 0
    assert (tmp_path / "own.svg").read_text() != (tmp_path / "all.svg").read_text()
    for options in (("a.bmp",), ("a.png", "--agent", "nobody"), ("no/folder/a.svg",)):
        assert render(*options).exit_code == 2


def test_a_pdf_holds_shapes_and_letters(tmp_path):
    """All objects stand where the table says, and the page paints what the SVG shows: no pixels."""
    scene = Scene(10, 8, background="panel")
    scene.add(Rect(1, 1, 3, 2, "red@0.5", "black", 0.1, radius=0.4), Circle(6, 1e-7, 1, "blue"), Line([(1, 5), (9, 5)]))
    scene.add(Polygon([(1, 6), (2, 7), (3, 6)], None, "green"), Label(5, 6, "Añ → 7♠", 0.5, bold=True))
    save(scene, tmp_path / "a.pdf", 300)
    data = (tmp_path / "a.pdf").read_bytes()
    places = [int(row.split()[0]) for row in data[data.index(b"xref") :].split(b"\n")[3:-6]]
    objects = [data[at : at + 200].partition(b" obj\n")[0] for at in places]
    assert objects == [b"%d 0" % (k + 1) for k in range(len(places))] and len(places) >= 8
    assert b"/MediaBox [0 0 300 240]" in data and b"Image" not in data and data.endswith(b"%%EOF\n")
    page = data[places[3] :].partition(b"stream\n")[2]
    content = zlib.decompressobj().decompress(page).decode()
    fills, strokes, texts = (len(re.findall(rf"\b{end}$", content, re.M)) for end in ("f", "S", "ET"))
    assert not re.search(r"\de-\d", content)  # PDF has no exponents
    assert (fills, strokes, texts) == (3, 3, 1)  # the ground, a rectangle and a disc; an edge, a line and a triangle
    shown = "".join(chr(int(code, 16)) for code in re.findall(r"/uni(....)", data.decode("latin1")))
    assert set("Añ7") <= set(shown) and re.search(r"/F1 0.5 Tf <\w+> Tj", content)
    save(scene, tmp_path / "b.pdf", 300)
    assert (tmp_path / "b.pdf").read_bytes() == data
