"""The contact sheet of worlds, and who plays in pictures."""

import numpy as np
from PIL import Image
from typer.testing import CliRunner

from envsuite import cli, registry
from envsuite.cli import gallery
from envsuite.render.frames import draw
from envsuite.render.scene import Rect, Scene
from envsuite.render.theme import rgba

PAPER = rgba("paper")[:3]


def run(*arguments, code=0):
    result = CliRunner().invoke(cli.app, ["gallery", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def test_sheet_shows_each_scene_in_its_place():
    scenes = {"one": Scene(4, 2, [Rect(0, 0, 4, 2, "blue")]), "two": Scene(2, 4, [Rect(0, 0, 2, 4, "orange")])}
    sheet = gallery.contact_sheet(scenes, 1)
    across, down = gallery.WIDTH + gallery.GAP, gallery.HEIGHT + gallery.CAPTION + gallery.GAP
    assert sheet.shape == (2 * down + gallery.GAP, across + gallery.GAP, 3)
    for k, (color, sides) in enumerate([("blue", (160, 320)), ("orange", (280, 140))]):  # as wide, or as high, as fits
        rows, columns = np.nonzero((sheet == rgba(color)[:3]).all(axis=2))
        assert (np.ptp(rows) + 1, np.ptp(columns) + 1) == sides
        middle = gallery.GAP + k * down + gallery.HEIGHT / 2, gallery.GAP + gallery.WIDTH / 2
        assert np.allclose((rows.mean() + 0.5, columns.mean() + 0.5), middle)
        caption = sheet[k * down + gallery.GAP + gallery.HEIGHT :][: gallery.CAPTION]
        assert (caption != PAPER).any()
    assert (sheet[:, : gallery.GAP] == PAPER).all() and (sheet[: gallery.GAP] == PAPER).all()
    assert tuple(gallery.contact_sheet(scenes, 1, "dark")[0, 0]) == rgba("paper", "dark")[:3]


def test_episode_starts_with_the_seed_and_stops():
    world = registry.build("envsuite/TicTacToe-v0")
    seats = {"player_0": "tactical", "player_1": "random"}
    first, again, other = (gallery.episode(world, seats, 3, seed) for seed in (1, 1, 2))
    assert len(first) == 4  # the start and three moves
    assert first == again != other


def test_command_writes_the_middles_of_episodes(tmp_path):
    path = tmp_path / "sheet.png"
    message = run("TicTacToe", "ConnectFour", "--png", str(path), "--steps", "2")
    assert "2 worlds" in message
    sheet = np.asarray(Image.open(path))
    world = registry.build("envsuite/ConnectFour-v0")
    scene = gallery.episode(world, gallery.cast(world), 4, 1)[2]
    scale = min(gallery.WIDTH / scene.width, gallery.HEIGHT / scene.height)
    picture = draw(scene, int(scale * max(scene.width, scene.height)))
    top = gallery.GAP + (gallery.HEIGHT - picture.shape[0]) // 2
    left = gallery.GAP + gallery.WIDTH + gallery.GAP + (gallery.WIDTH - picture.shape[1]) // 2
    assert (sheet[top : top + picture.shape[0], left : left + picture.shape[1]] == picture).all()


def test_command_refuses_unknown_worlds_and_themes(tmp_path):
    path = tmp_path / "sheet.png"
    assert "ConnectFour" in run("ConnectFive", "--png", str(path), code=2)
    assert "light, dark" in run("TicTacToe", "--png", str(path), "--theme", "blue", code=2)
    assert not path.exists()


def test_cast_is_the_one_that_the_world_names():
    assert gallery.cast(registry.build("envsuite/Assistance-v0")) == {"robot": "bayes", "human": "boltzmann"}
    assert set(gallery.cast(registry.build("envsuite/Harvest-v0")).values()) == {"sustainable"}


def test_cast_is_the_first_scripted_policy_elsewhere():
    assert gallery.cast(registry.build("envsuite/TicTacToe-v0")) == {"player_0": "tactical", "player_1": "tactical"}
