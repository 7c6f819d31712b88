"""Run the tests of other learning libraries, each in an environment of its own: `make test-ecosystem ARGS="torchrl"`.

Each file ``with_NAME.py`` beside this one is run by pytest in the environment NAME of `reference_environment`. A line
for each library reports its version, the outcome and the time. The environments stay in ``.venv``.
"""

import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

from reference_environment import interpreter  # noqa: E402

NAMES = [path.stem.removeprefix("with_") for path in sorted(FOLDER.glob("with_*.py"))]


def passes(name):
    """Run one library's tests in its environment, and print the outcome."""
    start = time.perf_counter()
    command = [interpreter(name), "-m", "pytest", "-m", "", "-n", "0", "-p", "no:warnings", FOLDER / f"with_{name}.py"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=FOLDER.parents[1])
    lines = done.stdout.strip().splitlines()
    if done.returncode:
        print(*lines, done.stderr, sep="\n")
    print(f"{name}: {lines[-1] if lines else done.stderr} ({time.perf_counter() - start:.0f} s)", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    chosen = sys.argv[1:] or NAMES
    if unknown := set(chosen) - set(NAMES):
        raise SystemExit(f"no tests for {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    failed = [name for name in chosen if not passes(name)]
    raise SystemExit(f"failed: {', '.join(failed)}" if failed else 0)
