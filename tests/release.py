"""Build what a release consists of, and try each file as a user gets it: in a bare environment, far from the sources.

    python tests/release.py                      # the sdist, the pure wheel, and the wheel with machine code
    python tests/release.py sdist wheel          # without the last one, which takes minutes
    python tests/release.py --tag v0.2.0         # also demands that the version is the tag's

Each file is installed into an environment of its own. There, twenty worlds are played, and the tests of the quick layer
run that need no file of the repository. `make release` runs this; a tag runs it too (.github/workflows/release.yml).
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"

#: The files of a release by their kind, and the command that builds each.
KINDS = {"sdist": "envsuite-*.tar.gz", "wheel": "envsuite-*-none-any.whl", "native": "envsuite-*manylinux*.whl"}

#: Plays worlds of all families, to be run where no source is; `native` demands machine code without a compiler.
PLAY = """
import sys
import envsuite

version, kind = sys.argv[1:]
assert "site-packages" in envsuite.__file__, envsuite.__file__
assert envsuite.__version__ == version, envsuite.__version__
ids = envsuite.ids()
played = ids[:: len(ids) // 20][:20]
for id in played:
    env = envsuite.make_aec(id)
    env.reset(seed=1)
    for agent in env.agent_iter(40):
        observation, reward, terminated, truncated, info = env.last()
        action = env.action_space(agent).sample(info.get("action_mask"))
        env.step(None if terminated or truncated else action)
print(envsuite.play("TicTacToe", ["tactical", "random"], episodes=20, seed=0).means())
assert envsuite.draw(env.scene()).any()
if kind == "native":
    envs = envsuite.make_vec("ConnectFour", num_envs=64)
    envs.reset(seed=0)
    assert "numba" not in sys.modules, "its machine code was not used"
print(f"{len(played)} worlds of {envsuite.__file__}")
"""


def run(*command: object, **options: object) -> None:
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, **options)


def version() -> str:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def environment(folder: Path) -> Path:
    """The Python of a new environment."""
    venv.create(folder, with_pip=True)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def build(kinds: list[str], folder: Path) -> None:
    """Build the files into dist/; the pure wheel is built from the sdist, which therefore holds all that it needs."""
    for kind in kinds:
        for old in DIST.glob(KINDS[kind]):
            old.unlink()
    if {"sdist", "wheel"} & set(kinds):
        python = environment(folder / "tools")
        run(python, "-m", "pip", "install", "-qq", "build")
        run(python, "-m", "build", "--outdir", DIST, ROOT)
    if "native" in kinds:
        run("make", "-C", ROOT, "wheel")


def built(kind: str) -> Path:
    """The one file of a kind."""
    (path,) = DIST.glob(KINDS[kind])
    assert f"-{version()}" in path.name, f"{path.name} is not of version {version()}"
    return path


def copy_tests(folder: Path) -> None:
    """Copy the tests that need nothing else of the repository, and pytest's settings."""
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (folder / "tests").rglob("test_*.py"):
        if re.search(r"\bROOT\b", path.read_text("utf-8")):
            path.unlink()
    settings = re.search(
        r"\[tool\.pytest\.ini_options\]\n.*?(?=\n\[|\Z)", (ROOT / "pyproject.toml").read_text("utf-8"), re.S
    )
    (folder / "pyproject.toml").write_text(settings[0], encoding="utf-8")


def try_out(kind: str, tests: list[str], folder: Path) -> None:
    """Install a file into a bare environment, play worlds, and run the quick layer."""
    python = environment(folder / "environment")
    run(python, "-m", "pip", "install", "-qq", built(kind))
    settings = {k: v for k, v in os.environ.items() if not k.startswith(("ENVSUITE_", "PYTHON"))}
    settings |= {"SDL_VIDEODRIVER": "dummy", "ENVSUITE_CACHE": str(folder / "cache")}
    run(python.with_name("envsuite"), "--version", cwd=folder, env=settings)
    run(python, "-c", PLAY, version(), kind, cwd=folder, env=settings)
    run(python, "-m", "pip", "install", "-qq", f"{built(kind)}[test]")
    copy_tests(folder)
    run(python, "-m", "pytest", *tests, cwd=folder, env=settings | {"ENVSUITE_PYTHON": "1"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", help=f"the files to build and try: {', '.join(KINDS)}; all by default")
    parser.add_argument("--tag", help="the tag of the release, v and the version")
    parser.add_argument("--tests", nargs="*", default=[], help="the tests to run, as for pytest; all by default")
    options = parser.parse_args()
    kinds = options.kinds or list(KINDS)
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"unknown files: {', '.join(unknown)}")
    if options.tag and options.tag != f"v{version()}":
        sys.exit(f"the tag {options.tag} is not v{version()}, the version in pyproject.toml")
    with tempfile.TemporaryDirectory() as made:
        build(kinds, Path(made))
        for kind in kinds:
            (Path(made) / kind).mkdir()
            try_out(kind, options.tests, Path(made) / kind)


if __name__ == "__main__":
    main()
