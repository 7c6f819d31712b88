"""Finds the packages, and makes what a wheel brings of the worlds; what else the build needs is in pyproject.toml."""

import os
import subprocess
import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py


class Build(build_py):
    """Makes the table of worlds and the signatures for editors too, but not for an editable installation."""

    def run(self):
        super().run()
        if not self.editable_mode:
            folder = Path(self.build_lib).resolve()
            # pip's environment for builds is in PYTHONPATH.
            path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
            environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
            command = [sys.executable, "-m", "envsuite.cli.built", str(folder / "envsuite")]
            subprocess.run(command, cwd=folder, env=environment, check=True)


setup(
    packages=sorted({*find_packages(include=["envsuite", "envsuite.*"]), "envsuite.render"}),
    cmdclass={"build_py": Build},
)
