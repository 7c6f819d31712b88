"""Environments for packages that cannot be installed beside ours or are large; tests and benchmarks use them."""

import subprocess
import sys
import tarfile
import tempfile
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
    "meltingpot": (
        ("dmlab2d==1.0.2", "dm-env==1.6", "dm-tree==0.1.10", "immutabledict==4.3.1", "ml-collections==1.1.0",
         "absl-py==2.5.1", "PyYAML==6.0.*", "numpy==2.4.*"),
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


#: By name: a package of which the folder `sources` gets this part alone, because a build of it downloads far more.
SOURCES = {"meltingpot": ("dm-meltingpot==2.4.1", "meltingpot")}


class UnavailableError(Exception):
    """An environment cannot be made here, for example without a network or for this system."""


def sources(name: str) -> Path:
    """The folder of an environment with the sources of a package that is not installed."""
    return VENV / name / "sources"


def interpreter(name: str, again: bool = True) -> Path:
    """The Python of an environment, which is made when it is missing, or `UnavailableError`.

    Without `again`, what could not be made once is not tried again.
    """
    packages, dependencies = PACKAGES[name]
    folder, wanted = VENV / name, str((packages, SOURCES[name]) if name in SOURCES else packages)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ready, failed = folder / "ready", VENV / f"{name}-failed"
    if ready.exists() and ready.read_text() == wanted:
        return python
    if not again and failed.exists():
        raise UnavailableError(failed.read_text())
    try:
        _run(sys.executable, "-m", "venv", "--clear", folder)
        _run(python, "-m", "pip", "install", "-q", *([] if dependencies else ["--no-deps"]), *packages)
        if name in SOURCES:
            _unpack(python, *SOURCES[name], sources(name))
    except UnavailableError as problem:
        failed.write_text(f"the packages of {name} cannot be installed: {problem}")
        raise UnavailableError(failed.read_text()) from None
    ready.write_text(wanted)
    failed.unlink(missing_ok=True)
    return python


def _run(*command: str | Path) -> None:
    """Run a command; `UnavailableError` with its last lines if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UnavailableError(" ".join(done.stderr.strip().splitlines()[-2:]))


def _unpack(python: Path, package: str, part: str, target: Path) -> None:
    """Put one folder of a package's source archive into a folder."""
    name = package.partition("=")[0]
    with tempfile.TemporaryDirectory() as found:
        _run(python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", name, "-d", found, package)
        (archive,) = Path(found).glob("*.tar.gz")
        with tarfile.open(archive) as files:
            for file in files.getmembers():
                file.name = file.name.partition("/")[2]  # without the folder of the release
                if file.name.startswith(f"{part}/"):
                    files.extract(file, target, filter="data")


if __name__ == "__main__":
    for chosen in sys.argv[1:]:
        try:
            print(interpreter(chosen))
        except UnavailableError as problem:
            sys.exit(str(problem))
