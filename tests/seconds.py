"""Measure what cases take, for tests/seconds.json and tests/lengths.json: their layers follow from it.

    python tests/seconds.py                                  # as Python, all cases that are not marked otherwise
    python tests/seconds.py tests/worlds/games/test_hex.py   # those of a file
    python tests/seconds.py --lengths [FILE ...]             # as machine code, those of the longer layers

As Python, each case is stopped after three CPU seconds, since what it takes beyond the limit does not matter. CPU
seconds are those of the process and of processes that it started.
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

#: CPU seconds: when a case is stopped, and from when on it has an entry of its own in each table.
MOST, LEAST, LEAST_LENGTH = 3.0, 0.1, 0.5

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


class Lengths:
    """The plugin of ``--lengths FILE``: it adds a line for each case, and stops none."""

    def __init__(self, config):
        self.path = None if hasattr(config, "workerinput") else config.option.lengths

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item):
        item.before = cpu()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        try:
            return (yield)
        finally:
            item.user_properties.append(("seconds", round(cpu() - item.before, 2)))

    def pytest_runtest_logreport(self, report):
        if self.path and report.when == "call":
            with open(self.path, "a") as file:
                file.write(json.dumps([report.nodeid, dict(report.user_properties)["seconds"]]) + "\n")


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


def lengths(what):
    """By name, the CPU seconds of cases of the longer layers, as machine code."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "measured"
        command = [sys.executable, "-m", "pytest", "-m", "slow or rooms or oracles", "--lengths", path, *what]
        subprocess.run(command, cwd=ROOT)
        return dict(map(json.loads, path.read_text().splitlines())) if path.exists() else {}


def entry(cases, budget, least=LEAST):
    """The table's entry of a file's cases: the long ones by name, and all others, which fit the budget, in one."""
    names, short = sorted(cases, key=cases.get), 0.0
    while names and cases[names[0]] < least and short + cases[names[0]] <= budget:
        short += cases[names.pop(0)]
    return {"": round(short, 2), **{name: cases[name] for name in sorted(names)}}


def by_file(found):
    files = {}
    for nodeid, seconds in found.items():
        file, _, case = nodeid.removeprefix("tests/").partition("::")
        files.setdefault(file, {})[case] = seconds
    return files


def write(name, table):
    text = json.dumps(table, indent=0, sort_keys=True, ensure_ascii=False)
    (ROOT / "tests" / f"{name}.json").write_text(text + "\n")


def update(name, found, whole=False):
    """Put cases into a table, in the place of all or of those of their files."""
    from layers import BUDGETS, LENGTHS, budget, table

    made = {} if whole else dict(table(name))
    of, least = (BUDGETS, LEAST) if name == "seconds" else (LENGTHS, LEAST_LENGTH)
    for file, cases in by_file(found).items():
        made[file] = entry(cases, budget(file, of), least)
    write(name, made)


def main(arguments):
    if arguments[:1] == ["--lengths"]:
        update("lengths", lengths(arguments[1:]), whole=not arguments[1:])
    else:
        update("seconds", measured(arguments or ["tests"]), whole=not arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
