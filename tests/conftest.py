import os

import pytest

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("ENVSUITE_LAZY", "1")

pytest_plugins = ["stamps"]  # after the variables are set


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
