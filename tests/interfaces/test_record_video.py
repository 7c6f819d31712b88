"""Videos: the RecordVideo wrappers of Gymnasium and PettingZoo as they are, and our own."""

import subprocess
import sys

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.wrappers import RecordVideo

from envsuite.core.errors import RenderError
from envsuite.render.frames import draw, save_video
from envsuite.render.scene import Rect, Scene
from envsuite.render.theme import rgba

try:
    from gymnasium.wrappers.vector import RecordVideo as RecordVectorVideo
    from pettingzoo.utils.wrappers import RecordVideo as RecordVideoAEC
    from pettingzoo.utils.wrappers import RecordVideoParallel
except ImportError:
    pytest.skip("older releases of Gymnasium and PettingZoo have no such wrappers", allow_module_level=True)

RGB = "rgb_array"
pytestmark = pytest.mark.filterwarnings("ignore:.*Overwriting existing videos")


def decoded(path):
    import imageio.v3 as imageio

    return imageio.imread(path, plugin="FFMPEG")


def alike(video, frames):
    """Whether a video shows these pictures; H.264 with half as many colours as pixels loses a little."""
    assert video.shape == np.shape(frames) and video.dtype == np.uint8
    assert np.abs(video.astype(int) - np.array(frames, int)).mean(axis=(1, 2, 3)).max() < 4
    return True


@pytest.mark.slow
def test_gymnasium_records_an_episode(tmp_path):
    import imageio.v3 as imageio

    env = RecordVideo(gymnasium.make("envsuite/DoorKey-v0", size=5, render_mode=RGB), str(tmp_path))
    env.reset(seed=0)
    frames = [env.render()]
    for action in (0, 0, 1, 2, 1, 2):
        env.step(action)
        frames.append(env.render())
    env.close()
    (path,) = tmp_path.iterdir()
    assert path.name == "rl-video-episode-0.mp4"
    assert alike(decoded(path), frames)
    assert imageio.immeta(path, plugin="FFMPEG")["fps"] == env.metadata["render_fps"]
    assert len(np.unique(frames, axis=0)) > 3  # it moved


def test_gymnasium_records_many_worlds_at_once(tmp_path):
    envs = gymnasium.make_vec("envsuite/DoorKey-v0", num_envs=3, size=5, render_mode=RGB)
    envs = RecordVectorVideo(envs, str(tmp_path), video_aspect_ratio=(1, 1))
    envs.reset(seed=0)
    for _ in range(4):
        envs.step(np.full(3, 2))
    envs.close()
    (path,) = tmp_path.iterdir()
    assert decoded(path).shape[0] == 5


def test_pettingzoo_records_turns(tmp_path):
    env = RecordVideoAEC(pettingzoo.make("aec", "envsuite/TicTacToe-v0", render_mode=RGB), str(tmp_path))
    env.reset(seed=0)
    frames = [env.render()]
    for cell in (0, 3, 1, 4, 2):
        env.step(cell)
        frames.append(env.render())
    env.step(None)  # the loser and the winner leave: a frame each
    env.step(None)
    assert not env.agents
    env.close()
    assert alike(decoded(tmp_path / "rl-video-episode-0.mp4"), [*frames, frames[-1], frames[-1]])


def test_pettingzoo_records_simultaneous_moves(tmp_path):
    import imageio.v3 as imageio

    env = pettingzoo.make("parallel", "envsuite/Foraging-v0", render_mode=RGB)
    env = RecordVideoParallel(env, str(tmp_path), name_prefix="forage", fps=5)
    for _ in range(2):
        env.reset(seed=1)
        frames = [env.render()]
        for k in range(3):
            env.step(dict.fromkeys(env.agents, k + 1))
            frames.append(env.render())
    env.close()
    paths = sorted(tmp_path.iterdir())
    assert [path.name for path in paths] == ["forage-episode-0.mp4", "forage-episode-1.mp4"]
    for path in paths:
        assert alike(decoded(path), frames)
    assert imageio.immeta(paths[0], plugin="FFMPEG")["fps"] == 5


def test_a_render_mode_without_pictures_is_refused_by_the_wrappers(tmp_path):
    with pytest.raises(ValueError, match="[Rr]ender mode"):
        RecordVideo(gymnasium.make("envsuite/DoorKey-v0", size=5, render_mode="ansi"), str(tmp_path))


def rooms(count):
    return [Scene(5, 3, [Rect(k, 1, 1, 1, "blue")]) for k in range(count)]


def test_save_video(tmp_path):
    import imageio.v3 as imageio

    save_video(rooms(5), tmp_path / "play.mp4", fps=10, size=100, theme="dark")
    assert alike(decoded(tmp_path / "play.mp4"), [draw(scene, 100, "dark") for scene in rooms(5)])
    assert imageio.immeta(tmp_path / "play.mp4", plugin="FFMPEG")["fps"] == 10


@pytest.mark.parametrize("sides", [(61, 83), (62, 83), (61, 84)])
def test_odd_and_unlike_sides_are_filled_with_paper(tmp_path, sides):
    odd = np.full((*sides, 3), 90, np.uint8)
    save_video([odd, odd[:40, :50]], tmp_path / "odd.mp4")
    video = decoded(tmp_path / "odd.mp4").astype(int)
    assert video.shape == (2, 62, 84, 3)
    assert np.abs(video[0, :60, :82] - 90).max() < 12 and np.abs(video[1, 44:, 54:] - rgba("paper")[:3]).max() < 12


@pytest.mark.oracles
def test_an_empty_video_and_a_missing_package_are_refused(tmp_path, monkeypatch):
    with pytest.raises(RenderError, match="at least one"):
        save_video([], tmp_path / "none.mp4")
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(RenderError, match=r"pip install \"imageio\[ffmpeg\]\""):
        save_video(rooms(1), tmp_path / "none.mp4")
    assert not list(tmp_path.iterdir())


def test_drawing_needs_no_imageio():
    code = "import sys, envsuite.render.frames as f; assert not {'imageio', 'moviepy'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
