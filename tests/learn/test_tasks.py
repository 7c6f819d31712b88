"""The learned scores: their table, the networks that come with the package, and the page that shows them."""

import re
import subprocess
import sys

import pytest
from kit import ROOT

from envsuite import registry
from envsuite.agents import make_policy
from envsuite.core.errors import ParameterError
from envsuite.evaluation import matches, stored
from envsuite.learn import tasks
from envsuite.learn.learned import BUNDLED, Learned, bundled

ROWS = tasks.table()
FILES = sorted(path.stem for path in BUNDLED.glob("*.ckpt"))


def test_rows_and_networks_belong_together():
    assert [row["task"] for row in ROWS] == [name for name in tasks.TASKS if name in FILES]
    assert len(FILES) == len(ROWS)
    for row in ROWS:
        assert {len(row["seeds"])} == {len(row["seconds"]), *map(len, row["numbers"].values())}


@pytest.mark.parametrize("name", FILES)
def test_networks_are_small_and_play(name):
    task = tasks.TASKS[name]
    assert (BUNDLED / f"{name}.ckpt").stat().st_size < 300_000
    world = registry.build(task.world, dict(task.params))
    policy, options = make_policy(f"learned:{name}", world), task.stages[-1]
    others = dict.fromkeys(world.agents, options.get("opponents", "random"))
    mine = options.get("agents") or world.agents
    assert len(matches.play(world, {**others, **dict.fromkeys(mine, policy)}, 2, steps=3).lengths) == 2


def test_worlds_have_their_network():
    assert BUNDLED / "KuhnPoker.ckpt" in bundled(registry.build("KuhnPoker"))
    assert make_policy("learned", "KuhnPoker").network.hidden == 32
    with pytest.raises(ParameterError, match="no learned network comes with envsuite"):
        make_policy("learned", "Chess")
    with pytest.raises(ParameterError, match="did you mean 'KuhnPoker'"):
        Learned(registry.build("KuhnPoker"), "KuhnPokr")


def test_a_row(monkeypatch, tmp_path):
    options = {"steps": 64, "num_envs": 4, "horizon": 8, "hidden": 8}
    stages = [{"params": {"size": 5}, **options}, {**options, "schedule": lambda share: {"horizon": 9}}]
    task = tasks.Task("DoorKey", "nothing", tasks._joint(2), stages, {"size": 6, "horizon": 9}, seeds=(5, 6))
    monkeypatch.setattr(tasks, "TASKS", {"small": task})
    monkeypatch.setattr(tasks, "BUNDLED", tmp_path)
    row = tasks.row_of("small")
    assert row["steps"] == 128 and row["seeds"] == (5, 6)
    assert [len(values) for values in row["numbers"].values()] == [2, 2, 2]
    assert (tmp_path / "small.ckpt").exists() and row["params"]["size"] == 6
    for one in (row, {**row, "task": "other"}, {**row, "steps": 1}):
        tasks.keep(one, tmp_path)
    assert {one["task"]: one["steps"] for one in tasks.table(tmp_path)} == {"small": 1, "other": 128}
    assert stored.worlds(tmp_path) == ["DoorKey"]
    assert [cells[:2] for cells in tasks.lines([row])] == [("small", "last"), ("", "first"), ("", "peak")]
    assert tasks.lines([{**row, "code": "0"}])[0][0] == "small (older rules)"
    assert tasks.lines([row])[0][3] == "5-6" and tasks.row_of("small", 1)["seeds"] == (5,)


def test_unknown_tasks(capsys):
    with pytest.raises(SystemExit):
        tasks.main(["KuhnPokr"])
    assert "KuhnPoker" in capsys.readouterr().err


@pytest.mark.slow
def test_the_page_runs(tmp_path):
    code = "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "learning.md").read_text(), re.DOTALL))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
