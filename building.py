"""The backend of the build: that of setuptools. To make what a wheel brings of the worlds, it needs what they need."""

import tomllib
from pathlib import Path

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403


def get_requires_for_build_wheel(config_settings=None):
    """What is installed before a wheel is built. An editable installation makes nothing, and so needs none of it."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*build_meta.get_requires_for_build_wheel(config_settings), *project["dependencies"]]
