"""Measure what cases take as Python, for tests/seconds.json: which of them are quick follows from it.

    python tests/seconds.py                                  # all cases that are not marked otherwise
    python tests/seconds.py tests/worlds/games/test_hex.py   # those of a file

Each case is stopped after three CPU seconds, since what it takes beyond the limit does not matter. CPU seconds are
those of the process and of processes that it started.
"""

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests" / "seconds.json"

#: CPU seconds: when a case is stopped, and from when on it has an entry of its own.
MOST, LEAST = 3.0, 0.1

#: A quick case fails a run with ``--budget`` above this: thrice what it may take on a quiet machine.
LIMIT = 1.5


class TooLong(BaseException):
    """No ``except Exception`` of a test may catch it."""


def cpu():
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


@contextlib.contextmanager
def stopped(after):
    def stop(*_):
        raise TooLong(f"it was stopped after {after:g} CPU seconds")

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, after)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


class Measure:
    """The plugin: it adds a line for each case to the file that the option ``--measure`` names."""

    def __init__(self, path):
        self.path = path

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        item.seconds = 0.0
        result = yield
        with open(self.path, "a") as file:
            file.write(json.dumps([item.nodeid, round(item.seconds, 2)]) + "\n")
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item):
        before = cpu()
        try:
            with stopped(MOST):
                return (yield)
        finally:
            item.seconds += cpu() - before

    pytest_runtest_call = pytest_runtest_setup


class Watch:
    """The plugin of ``--budget``: after a run, quick cases that took too long are measured again, by themselves."""

    def __init__(self, config):
        self.config, self.slow, self.late = config, [], []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        before = cpu()
        try:
            return (yield)
        finally:
            item.user_properties.append(("seconds", round(cpu() - before, 2)))

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and dict(report.user_properties).get("seconds", 0) > LIMIT:
            self.late.append(report.nodeid)

    def pytest_sessionfinish(self, session):
        if self.late and not hasattr(self.config, "workeroutput"):
            self.slow = [(name, time) for name, time in measured(self.late).items() if time > LIMIT]
            if self.slow:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        for name, time in self.slow:
            terminalreporter.write_line(
                f"{name} takes {time:g} CPU seconds as Python; a quick test takes at most 0.5: make it shorter, "
                "mark it slow, or measure it with python tests/seconds.py FILE"
            )


def measured(what):
    """By name, the least CPU seconds that cases took in one process, of two runs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "measured"
        options = ["-n", "0", "-p", "no:cacheprovider", "--tb=no", "--measure", path]
        environment = {**os.environ, "ENVSUITE_PYTHON": "1"}
        # Of the first run, the first case that needs a library or a table pays for it.
        twice = "import sys, pytest; pytest.main(sys.argv[1:]); pytest.main(sys.argv[1:])"
        subprocess.run([sys.executable, "-c", twice, *options, *what], env=environment, cwd=ROOT)
        found = {}
        for line in path.read_text().splitlines() if path.exists() else ():
            name, seconds = json.loads(line)
            found[name] = min(seconds, found.get(name, seconds))
        return found


def entry(cases, budget):
    """The table's entry of a file's cases: the long ones by name, and all others, which fit the budget, in one."""
    names, short = sorted(cases, key=cases.get), 0.0
    while names and cases[names[0]] < LEAST and short + cases[names[0]] <= budget:
        short += cases[names.pop(0)]
    return {"": round(short, 2), **{name: cases[name] for name in sorted(names)}}


def by_file(found):
    files = {}
    for nodeid, seconds in found.items():
        file, _, case = nodeid.removeprefix("tests/").partition("::")
        files.setdefault(file, {})[case] = seconds
    return files


def write(table):
    TABLE.write_text(json.dumps(table, indent=0, sort_keys=True, ensure_ascii=False) + "\n")


def main(arguments):
    from layers import budget

    table = json.loads(TABLE.read_text()) if TABLE.exists() and arguments else {}
    for file, cases in by_file(measured(arguments or ["tests"])).items():
        table[file] = entry(cases, budget(file))
    write(table)


if __name__ == "__main__":
    main(sys.argv[1:])
