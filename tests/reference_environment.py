"""Environments for packages that cannot be installed beside ours or are large; tests and benchmarks use them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"

#: envsuite itself, with pytest, for the tests that run there.
_OURS = ("-e", str(ROOT), "pytest", "pytest-xdist", "hypothesis")

#: The last PyTorch that pip installs without CUDA.
_TORCH = ("torch==2.13.*", *_OURS)

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
    "momaland": (
        ("momaland==0.2.0", "pettingzoo==1.27.0", "gymnasium==1.3.0", "networkx==3.5", "numpy==2.4.*", "pygame-ce",
         "pillow", "sympy", "mpmath", "farama-notifications", "cloudpickle", "typing-extensions"),
        False,
    ),
    "floors": (("gymnasium==1.2.0", "pettingzoo==1.25.0", "moviepy>=2.2", *_OURS), True),
    "sb3": (("stable-baselines3==2.9.*", "sb3-contrib==2.9.*", *_TORCH), True),
    "rllib": (("ray[rllib]==2.60.0", *_TORCH), True),
    "torchrl": (("torchrl==0.14.1", "tensordict==0.14.*", *_TORCH), True),
    "benchmarl": (("benchmarl==1.5.2", "torchrl==0.11.1", *_TORCH), True),
    "tianshou": (("tianshou==2.0.1", *_TORCH), True),
    "cleanrl": (_TORCH, True),
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
