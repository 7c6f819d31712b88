"""No file decides which code is imported: files of every kind name a module that lies in the current folder.

The module is not imported, and what opens the file says that the world has to be registered or given.
"""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from dataclasses import asdict

import pytest

from envsuite import registry
from envsuite.core.batch import Batch
from envsuite.core.errors import EnvsuiteError, UnknownIdError
from envsuite.interfaces.aec import AEC

#: Names by which a file may ask for the module; each is tried in every kind of file.
NAMES = (
    "planted:X", "planted:lab/X-v0", "planted:envsuite/TicTacToe-v0", "planted", "planted.X", "planted:", ":planted",
    "./planted:X", "planted:X:y=1", "envsuite/TicTacToe-v0:planted", "os:path",
    "envsuite.games.connect_four:ConnectFour", "", None, 3, ["planted:X"], {"planted": "X"},
)  # fmt: skip

REFUSED = (EnvsuiteError, ValueError)


@pytest.fixture(autouse=True)
def planted(tmp_path, monkeypatch):
    """The module in the current folder; it leaves a file when it runs."""
    (tmp_path / "planted.py").write_text("open('ran', 'w')\nfrom envsuite.games.tic_tac_toe import TicTacToe as X\n")
    monkeypatch.chdir(tmp_path)
    places, modules = list(sys.path), set(sys.modules)
    yield
    assert not (tmp_path / "ran").exists() and "planted" not in sys.modules
    assert sys.path == places and not {name for name in set(sys.modules) - modules if "planted" in name}


@pytest.mark.parametrize("name", NAMES, ids=str)
def test_the_registry(name):
    with pytest.raises(UnknownIdError):
        registry.build_stored(name)


def test_names_that_files_may_have():
    for name in ("TicTacToe", "envsuite/TicTacToe", "envsuite/TicTacToe-v0"):
        assert registry.build_stored(name, {"rows": 4}).id == "envsuite/TicTacToe-v0"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    from envsuite.data import record

    return record("PublicGoods", "random", 2, tmp_path_factory.mktemp("recorded") / "data").store.path


@pytest.mark.parametrize("name", NAMES, ids=str)
def test_replays_data_sets_and_states(name, recorded, tmp_path):
    from envsuite.data.recorded import Recorded
    from envsuite.data.store import ABOUT, _sealed
    from envsuite.episodes.replay import Replay, ReplayError

    env = AEC("TicTacToe", compiled=False)
    env.reset(seed=0)
    replay = Replay.load(_replay(tmp_path))
    content = replay.to_bytes()
    first, header, rest = content.split(b"\n", 2)
    forged = json.dumps({**json.loads(header), "id": name}).encode()
    (tmp_path / "x.replay").write_bytes(b"\n".join([first, forged, rest]))
    with pytest.raises(ReplayError):
        Replay.load(tmp_path / "x.replay")

    shutil.copytree(recorded, tmp_path / "data")
    about = json.loads((tmp_path / "data" / ABOUT).read_text())
    del about["digest"]
    about["made_from"]["world"] = name
    (tmp_path / "data" / ABOUT).write_text(json.dumps({**about, "digest": _sealed(about)}))
    with pytest.raises(REFUSED):
        Recorded(tmp_path / "data")

    (tmp_path / "state").write_bytes(env.get_state().replace(b"envsuite/TicTacToe-v0", str(name).encode()))
    if name != "envsuite/TicTacToe-v0":
        with pytest.raises(REFUSED):
            env.load(tmp_path / "state")


def _replay(folder):
    from envsuite.episodes.replay import Start
    from envsuite.episodes.session import Session

    session = Session(registry.build("TicTacToe"), "random")
    session.batch = Batch(session.world, 1, compiled=False)
    session.begin(Start(0))
    while not session.over:
        session.advance()
    session.timeline.replay(session.players()).save(folder / "whole.replay")
    return folder / "whole.replay"


@pytest.mark.parametrize("name", NAMES, ids=str)
def test_checkpoints_and_populations(name, tmp_path):
    import torch  # noqa: F401

    from envsuite.learn import checkpoint
    from envsuite.learn.population import Population
    from envsuite.learn.ppo import Trainer
    from envsuite.learn.resume import resume, save

    small = {"num_envs": 2, "horizon": 2, "hidden": 2, "layers": 1}
    save(Trainer("TicTacToe", **small), "a.ckpt")
    Population("Empty", {"size": 5}, members=2, options=small).save("b.ckpt")
    for path, load in (("a.ckpt", resume), ("b.ckpt", Population.load)):
        data, arrays = checkpoint.read(path)
        checkpoint.write("forged.ckpt", {**data, "world": name}, arrays)
        with pytest.raises(checkpoint.CheckpointError, match="cannot be resumed"):
            load("forged.ckpt")


@pytest.mark.parametrize("seats", [{}, {"player_1": "language:python:planted:f"}, {"player_1": "planted:X"}], ids=str)
@pytest.mark.parametrize("name", ["TicTacToe", *NAMES], ids=str)
def test_tables_studies_and_plans(name, seats, tmp_path):
    import yaml

    from envsuite.models.client import Asked
    from envsuite.serve.export import export
    from envsuite.serve.plan import load
    from envsuite.serve.study import PARTICIPANTS
    from envsuite.serve.tables import Settings
    from envsuite.serve.web import Host

    if name == "TicTacToe" and not seats:
        return  # what a file may say
    folder = tmp_path / "tables"
    folder.mkdir()
    settings = {**asdict(Settings("TicTacToe", seed=0, seats=seats)), "world": name}
    (folder / "t.journal").write_text(json.dumps({"settings": settings}) + "\n")
    host = Host(folder, models=Asked())  # a table that cannot be played is left out
    host.close()
    assert not host.tables

    condition = {"name": "a", "world": name, "seats": seats}
    plan = {"title": "x", "consent": "y", "conditions": [condition]}
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan))
    if isinstance(name, str) and name != "TicTacToe":
        with pytest.raises(EnvsuiteError):
            load(tmp_path / "plan.yaml")
    (folder / PARTICIPANTS).write_text(json.dumps({"plan": plan}) + "\n")
    if name != "TicTacToe":
        with pytest.raises(REFUSED):
            export(folder, tmp_path / "out")


def test_stored_scores():
    import torch  # noqa: F401

    from envsuite.learn.tasks import is_stale

    for name in NAMES:
        with pytest.raises(UnknownIdError):
            is_stale({"world": name, "params": {}, "code": ""})


# Where a user names a module, the folder is looked in, but it is not left in front.


def started(code, folder, *options, **variables):
    """The output of a process that is started in the folder as the command is: by a script that lies elsewhere."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    (elsewhere / "script.py").write_text(textwrap.dedent(code))
    done = subprocess.run(
        [sys.executable, *options, str(elsewhere / "script.py")], cwd=folder, text=True, capture_output=True,
        env={**os.environ, **variables},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


NAMED = """
import sys
from envsuite import registry
before = list(sys.path)
assert registry.world_class("mine:Mine").__name__ == "Mine"
assert sys.path[:-1] == before and "" not in sys.path
import mine, wave
print(mine.later(), wave.__file__.endswith("here/wave.py"), registry.build_stored("mine:Mine").id)
"""


def test_a_user_names_a_module(tmp_path):
    here = tmp_path / "here"
    here.mkdir()
    (here / "mine.py").write_text(
        "from envsuite.games.tic_tac_toe import TicTacToe\nclass Mine(TicTacToe): pass\n"
        "def later():\n    import beside\n    return beside.X\n"
    )
    (here / "beside.py").write_text("X = 7\n")
    (here / "wave.py").write_text("")  # the standard library has a module of that name
    assert started(NAMED, here) == "7 False Mine\n"


WORKERS = """
from envsuite.scale import run
from envsuite.evaluation.matches import play
if __name__ == "__main__":
    print(play("TicTacToe", "random", 8, workers=2).returns.shape)
"""


@pytest.mark.slow
def test_workers_start_without_the_current_folder(tmp_path):
    for name in ("pickle", "multiprocessing", "runpy", "numpy", "envsuite"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'a').write(__name__)\n")
    assert started(WORKERS, tmp_path) == "(8, 2)\n"


COMPILES = """
import time
from envsuite import registry
from envsuite.compile import tiers
from envsuite.core.batch import Batch
tiers._WORTH_LOADING = 0.0
batch = Batch(registry.build("TicTacToe"), 1, background=True)
while not tiers._processes:
    batch.start(0)
for process in tiers._processes.values():
    process.wait()
print(process.returncode)
"""


@pytest.mark.machine
def test_compiling_starts_without_the_current_folder(tmp_path):
    for name in ("pickle", "numba", "envsuite", "signal", "json"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'a').write(__name__)\n")
    off = {"ENVSUITE_CACHE": str(tmp_path / "cache"), "ENVSUITE_LAZY": "", "ENVSUITE_PYTHON": ""}
    assert started(COMPILES, tmp_path, **off) == "0\n"
    assert list((tmp_path / "cache").glob("*.code"))


@pytest.mark.parametrize("given", ["cache", "./cache", "../x", ".", "a/b"])
def test_folders_of_caches_are_absolute(given, tmp_path):
    code = "from envsuite.compile.cache import cache_folder\nprint(cache_folder())"
    home = tmp_path / "home"
    variables = {"HOME": str(home), "XDG_CACHE_HOME": given, "ENVSUITE_CACHE": ""}
    if sys.platform == "linux":
        assert started(code, tmp_path, **variables) == f"{home / '.cache' / 'envsuite'}\n"
    folder = started(code, tmp_path, **variables | {"ENVSUITE_CACHE": given}).strip()
    assert os.path.isabs(folder) and os.path.samefile(folder, tmp_path / given)


@pytest.mark.rooms
def test_a_study_names_what_its_user_allows(tmp_path):
    from typer.testing import CliRunner

    import envsuite.serve.plan  # noqa: F401
    from envsuite import cli

    (tmp_path / "of_mine.py").write_text(
        "from envsuite.games.tic_tac_toe import TicTacToe\nclass Mine(TicTacToe): pass\ndef bot(messages): return ''\n"
    )
    places = sys.path
    sys.path = list(places)
    plan = "title: x\nconsent: y\nconditions: [{name: a, world: %s, seats: {player_1: '%s'}}]\n"
    for world, seat, allowed in (
        ("of_mine:Mine", "random", "of_mine:Mine"),
        ("TicTacToe", "language:python:of_mine:bot", "python:of_mine:bot"),
    ):
        (tmp_path / "plan.yaml").write_text(plan % (world, seat))
        for options, code in (([], 2), (["--allow", allowed], 0)):
            done = CliRunner().invoke(cli.app, ["study", "check", "plan.yaml", *options])
            assert done.exit_code == code and (code == 0 or "no modules" in " ".join(done.output.split())), done.output
    sys.path = places
