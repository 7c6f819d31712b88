import gc
import os
import sys
from collections import Counter

import layers
import pytest
import seconds
from _pytest.mark.expression import Expression

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("ENVSUITE_LAZY", "1")

pytest_plugins = ["stamps", "browser", "kinds"]  # after the variables are set

AS_PYTHON = os.environ.get("ENVSUITE_PYTHON", "0") not in ("", "0")


def pytest_addoption(parser):
    parser.addoption("--measure", metavar="FILE", help="write what cases take as Python to this file")
    parser.addoption("--lengths", metavar="FILE", help="write what cases take to this file, and stop none")
    parser.addoption("--budget", action="store_true", help="fail if a quick case takes much longer than it may")
    parser.addoption("--world", metavar="NAME", help="all layers of one world: its tests, and its cases elsewhere")


def pytest_configure(config):
    if config.option.measure:
        config.pluginmanager.register(seconds.Measure(config.option.measure))
    if config.option.lengths:
        config.pluginmanager.register(seconds.Lengths(config))
    if config.option.budget:
        config.pluginmanager.register(seconds.Watch(config))


def selects(config, layer, item=None):
    """Whether a run may have cases of a layer, or has this one; marks of other layers, such as slow, do not count."""
    expression = Expression.compile(config.option.markexpr or "not nothing")
    marks = {mark.name for mark in item.iter_markers()} - layers.LAYERS if item else set()
    return expression.evaluate(lambda name, **_: name == layer or name in marks)


def pytest_ignore_collect(collection_path, config):
    """Tests of rooms import packages that may be missing, and those of machine code import Numba; both have long cases.

    Of a run for one world, files without its cases are not read either, nor rooms.
    """
    if not collection_path.is_relative_to(layers.TESTS):
        return None
    parts = collection_path.relative_to(layers.TESTS).parts
    long = selects(config, "long")
    if parts and parts[0] in layers.ROOMS and not selects(config, "rooms") and (config.option.world or not long):
        return True
    compiled = collection_path.suffix == ".py" and layers.is_of_machine_code(collection_path)
    if compiled and not long and not selects(config, "slow"):
        return True
    if config.option.world and collection_path.suffix == ".py":
        return not layers.concerns(collection_path, config.option.world) or None
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    mark_mostly_slow(items)
    found = [layers.layer(item, measured=not (config.option.measure or config.option.lengths)) for item in items]
    for item, layer in zip(items, found):
        item.add_marker(layer)
    keep(config, items, [selects(config, layer, item) for item, layer in zip(items, found)])
    if config.option.world:
        keep(config, items, [layers.is_of(item, config.option.world) and not layers.missing(item) for item in items])
    demand_packages(config, items)


def pytest_collection_finish():
    """What was collected stays to the end; it need not be searched for garbage again and again."""
    gc.freeze()


def mark_mostly_slow(items):
    """Of the cases of a test that is mostly slow, all but the first are."""
    seen = set()
    for item in items:
        if item.get_closest_marker("mostly_slow"):
            test = item.nodeid.partition("[")[0]
            if test in seen:
                item.add_marker("slow")
            seen.add(test)


def keep(config, items, chosen):
    config.hook.pytest_deselected(items=[item for item, yes in zip(items, chosen) if not yes])
    items[:] = [item for item, yes in zip(items, chosen) if yes]


def demand_packages(config, items):
    """No case is skipped because a package is missing that its layer has."""
    for layer in ("rooms", "oracles"):
        if selects(config, layer):
            missing = {name for item in items if item.get_closest_marker(layer) for name in layers.missing(item)}
            if missing:
                names = ", ".join(sorted(missing))
                raise pytest.UsageError(f"{names}: not installed; pip install -e .[test,{layer}]")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """As Python, no test imports Numba."""
    result = yield
    if AS_PYTHON and "numba" in sys.modules and not item.config.option.measure:
        pytest.fail("Numba has been imported, though ENVSUITE_PYTHON=1; mark a test of machine code `machine`")
    return result


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
