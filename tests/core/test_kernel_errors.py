"""Errors in kernels: one line that names the file, the line, the kernel, the rule, and what is wrong."""

import importlib
import sys

import numpy as np
import pytest

from envsuite.core.batch import Batch
from envsuite.core.errors import KernelError, located

SOURCE = """
import numpy as np
from gymnasium.spaces import Box
from envsuite.core.kernel import kernel
from envsuite.core.world import Kernels, World

def helper(s):
    return 3

@kernel
def take(s, count):
    MISTAKE

@kernel
def reset(s):
    s.pile = 9

@kernel
def step(s, actions, rewards):
    take(s, actions[0] + 1)

@kernel
def observe(s, agent, out):
    out[0] = s.pile

@kernel
def legal(s, agent, mask):
    mask[:] = 1

class Wrong(World):
    kernels = Kernels(reset, step, observe, legal)
    def __init__(self):
        observation = Box(-9, 9, (1,), np.int32)
        self.define(
            agents=["player"], actions=["one", "two"], observation=observation, fields=[("pile", np.int64)],
            reward_range=(0.0, 0.0),
        )
"""

MISTAKES = {
    "s.pil -= count": "the record has no field 'pil'; did you mean 'pile'?",
    "s.pile -= s.params.stone": "the record has no field 'stone'",
    "s.pile -= counts": "name 'counts' is not defined",
    "s.pile -= helper(s)": "name 'helper': Cannot determine Numba type",
    "s.pile[3] = 1": "compiled code has no setitem(int64",
    "s.pile.clear()": "Unknown attribute 'clear' of type int64",
}

#: Those that Python sees as well, and what it says.
SEEN = {"s.pil -= count": "the record has no field 'pil'; did you mean 'pile'?", "s.pile -= counts": "name 'counts'"}


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)

    def made(mistake):
        name = f"wrong_{abs(hash(mistake))}"
        (tmp_path / f"{name}.py").write_text(SOURCE.replace("MISTAKE", mistake))
        return name, importlib.import_module(name).Wrong()

    yield made
    for name in [name for name in sys.modules if name.startswith("wrong_")]:
        del sys.modules[name]


@pytest.mark.parametrize("mistake", SEEN)
def test_in_python(world, mistake):
    name, made = world(mistake)
    batch = Batch(made, 1, compiled=False)
    batch.start(0)
    with pytest.raises((AttributeError, NameError)) as caught:
        batch.step(np.zeros((1, 1), np.int64))
    line = located(caught.value.with_traceback(caught.tb.tb_next))  # without this test's own frame
    assert f"{name}.py, line 12, in take, called by step: " in line and SEEN[mistake] in line


@pytest.mark.slow
@pytest.mark.machine
@pytest.mark.parametrize("mistake", MISTAKES)
def test_compiled(world, mistake):
    name, made = world(mistake)
    with pytest.raises(KernelError) as caught:
        Batch(made, 4, compiled=True).start(0)
    line = str(caught.value)
    assert line.startswith(f"{name}.py, line 12, in take, called by step: ") and "\n" not in line
    assert MISTAKES[mistake] in line and len(line) < 300
