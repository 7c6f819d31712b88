"""Shared by the recorders of google-deepmind/meltingpot, commit 81ee2e7, which their argument FOLDER holds."""

import gzip
import json
import os
import pathlib
import sys
import types

import dmlab2d
import numpy as np
from dmlab2d import runfiles_helper, settings_helper


def arguments():
    """The folder, from which configurations can be imported now, and the target."""
    folder, target = sys.argv[1:3]
    sys.path.insert(0, folder)
    # The package itself would import what is not needed here.
    sys.modules["meltingpot"] = types.ModuleType("meltingpot")
    sys.modules["meltingpot"].__path__ = [os.path.join(folder, "meltingpot")]
    return folder, target


def part(thing, name):
    """The settings of a component of a thing."""
    return next(part["kwargs"] for part in thing["components"] if part["component"] == name)


def opened(settings, folder, seed):
    """The environment with these settings, without an end."""
    settings.update(levelName=os.path.join("meltingpot/lua/levels", settings["levelName"]), levelDirectory=folder)
    settings["maxEpisodeLengthFrames"] = 1_000_000
    flat = {key.replace("$", "."): str(value) for key, value in settings_helper.flatten_args(settings).items()}
    lab = dmlab2d.Lab2d(runfiles_helper.find(), flat)
    seen = [name for name in lab.observation_names() if not name.endswith("RGB")]  # no recorder reads pixels
    return dmlab2d.Environment(lab, seen, seed)


def step(env, actions, chosen):
    """A step in which each agent takes the action of this number."""
    parts = {f"{a + 1}.{k}": np.array(v, np.int32) for a, n in enumerate(chosen) for k, v in actions[n].items()}
    return env.step(parts)


def write(target, episodes):
    """Write the file with these episodes."""
    data = json.dumps(episodes, separators=(",", ":"))
    pathlib.Path(target).write_bytes(gzip.compress(data.encode(), 9, mtime=0))
