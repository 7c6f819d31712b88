import os
from collections import Counter

import pytest

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("ENVSUITE_LAZY", "1")

pytest_plugins = ["stamps", "browser"]  # after the variables are set


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of the cases of a test that is mostly slow, all but the first are."""
    seen = set()
    for item in items:
        if item.get_closest_marker("mostly_slow"):
            test = item.nodeid.partition("[")[0]
            if test in seen:
                item.add_marker("slow")
            seen.add(test)


@pytest.fixture
def counted(record_property):
    """Counts what a test of an attack tried, for the end of the run's output: ``counted("snapshots refused", 5)``."""
    return lambda what, number: record_property("attacks", (what, int(number)))


def pytest_terminal_summary(terminalreporter):
    totals = Counter()
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "attacks":
                totals[value[0]] += value[1]
    for what, number in totals.items():
        terminalreporter.write_line(f"{number:,} {what}")
