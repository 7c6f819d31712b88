"""Golden playthroughs of all worlds, in tests/data, play again exactly; see `golden.py`."""

from os.path import commonprefix

import golden
import pytest

import envsuite
from envsuite.episodes.replay import Replay, header_of


@pytest.mark.parametrize("id", envsuite.ids())
def test_plays_again_exactly(id, monkeypatch):
    path = golden.file(id)
    command = f"python tests/golden.py {path.parent.name}"
    assert path.exists(), f"{id} has no golden playthrough: `{command}` makes it"
    monkeypatch.setattr(envsuite, "__version__", header_of(path)["envsuite"])  # a new version plays old ones too
    replay = Replay.load(path)
    replay.verify()
    now, then = golden.digests(replay), golden.stored(id)
    differ = [name for name in then if now[name] != then[name] and name != "steps"]
    at = len(commonprefix([now["steps"], then["steps"]])) // 4  # of which each moment has four letters
    assert now == then, f"{id}: {', '.join(differ)} differ from step {at} on; if that is meant: `{command} --force`"


def test_none_is_left_over_and_all_are_small():
    files = {golden.file(id) for id in envsuite.ids()}
    assert set(golden.DATA.glob("*/golden.replay")) == files
    assert set(golden.DATA.glob("*/golden.json")) == {path.with_suffix(".json") for path in files}
    assert max(path.stat().st_size for path in files) < 4000
