"""Environments of their own for packages that cannot be installed beside ours, for tests and benchmarks."""

import subprocess
import sys
from pathlib import Path

VENV = Path(__file__).resolve().parents[1] / ".venv"

#: By name: what is installed, and whether with all that it asks for, such as tools for notebooks.
PACKAGES = {
    "overcooked": (("overcooked-ai==1.1.0", "numpy<2", "gym==0.26.2", "gym-notices", "cloudpickle", "tqdm"), False),
    "pogema": (
        (
            "pogema==1.4.0", "numpy<2", "gymnasium==0.28.1", "pydantic==1.9.1", "jax-jumpy==1.0.0",
            "typing-extensions", "cloudpickle", "farama-notifications",
        ),
        False,
    ),
    "jax": (
        ("jax==0.10.2", "craftax==1.6.1", "jaxmarl==0.2.0", "jumanji==1.1.2", "navix==0.7.4", "xminigrid==0.9.3"),
        True,
    ),
}  # fmt: skip


def interpreter(name: str) -> Path:
    """The Python of an environment, which is made when it is missing."""
    packages, dependencies = PACKAGES[name]
    folder = VENV / name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ready = folder / "ready"
    if not ready.exists() or ready.read_text() != str(packages):
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        options = [] if dependencies else ["--no-deps"]
        subprocess.run([python, "-m", "pip", "install", "-qq", *options, *packages], check=True)
        ready.write_text(str(packages))
    return python


if __name__ == "__main__":
    for chosen in sys.argv[1:]:
        print(interpreter(chosen))
