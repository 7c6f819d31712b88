"""Names that are taken by interfaces and hooks, the one reader of names, and what seeds are for."""

import inspect
import re
from itertools import combinations

import pytest
from kit import ROOT

import envsuite
from envsuite import registry
from envsuite.core import seeds
from envsuite.core.errors import ParameterError
from envsuite.core.names import HOOKS, OPTIONS, read_values, split_name
from envsuite.core.parameters import Parameter, signature
from envsuite.core.policy import OTHERS, make_policy
from envsuite.core.world import World
from envsuite.games.tic_tac_toe import TicTacToe
from envsuite.interfaces.gym import Seat
from envsuite.interfaces.vector import SeatVector

CLASSES = {id: registry.spec(id).load() for id in registry.ids()}

#: Rooms in which names that users write are read, and what else is read there at a colon.
ROOMS = (
    "agents",
    "cli",
    "data",
    "episodes",
    "evaluation",
    "interfaces",
    "learn",
    "models",
    "scale",
    "serve",
    "solvers",
)
COLONS = {
    ("cli/common.py", "text"),  # module:Class in front of the parameters
    ("cli/catalog.py", "module[0]"),  # the package of an entry point
    ("cli/signatures.py", "place"),  # module:object
    ("models/client.py", "text"),  # policy:NAME and python:module:function
    ("models/treatments.py", "name"),  # goal:own, persona:FILE
    ("serve/export.py", "column"),  # columns of a table
    ("serve/export.py", "name"),  # who played: policy:NAME, person:NAME
}


# Names that are taken.


@pytest.mark.parametrize("form", [envsuite.AEC, envsuite.Parallel, Seat, envsuite.Vector, SeatVector])
def test_options_of_interfaces_are_in_the_table(form):
    listed = inspect.signature(form).parameters.values()
    assert {p.name for p in listed if p.kind is p.KEYWORD_ONLY} <= set(OPTIONS)


def test_no_parameter_is_called_like_an_option():
    found = {id: taken for id, cls in CLASSES.items() if (taken := signature(cls).keys() & set(OPTIONS))}
    assert not found, "interfaces would take its value"


def test_a_world_with_such_a_parameter_is_refused():
    class Taken(TicTacToe):
        def __init__(self, threads: int = 1):
            super().__init__()

    with pytest.raises(ParameterError, match="Taken: a parameter cannot be called 'threads': interfaces have that"):
        envsuite.make_aec(Taken)


def test_no_world_has_an_attribute_like_a_hook():
    """Unless the core declares it, whose hook it then is."""
    free = [name for name in HOOKS if not hasattr(World, name)]
    found = {id: taken for id, cls in CLASSES.items() if (taken := [name for name in free if hasattr(cls, name)])}
    assert not found
    made = (registry.build(id) for id in ("Foraging", "BridgeBidding", "ProposeAndSolve"))  # had one
    assert not [world.id for world in made for name in free if name in vars(world)]


def test_no_constructor_sets_a_hook():
    """Attributes that only instances have: read from the sources."""
    wrong = re.compile(rf"self\.({'|'.join(HOOKS)}) = ")
    folders = ("games", "gridworlds", "social", "dual_control", "kit")
    files = [path for folder in folders for path in (ROOT / "envsuite" / folder).rglob("*.py")]
    assert [path.name for path in files if wrong.search(path.read_text("utf-8"))] == []


# The one reader of names.


@pytest.mark.parametrize(
    "text, name, texts",
    [
        ("tactical", "tactical", []),
        ("constant:12", "constant", ["12"]),
        ("mcts:200, rollouts=random", "mcts", ["200", "rollouts=random"]),
        ("learned:a:b.ckpt,greedy=true", "learned", ["a:b.ckpt", "greedy=true"]),
        ("tactical:", "tactical", []),
    ],
)
def test_a_name_and_its_parameters(text, name, texts):
    assert split_name(text) == (name, texts)


def test_the_first_value_may_stand_alone():
    declared = {"world": Parameter(str, ""), "least": Parameter(int, 1), "most": Parameter(int, 2)}
    assert read_values(declared, ["5", "most=7"], "x") == read_values(declared, ["least=5", "most=7"], "x")
    with pytest.raises(ParameterError, match="x '7' must have the form name=value"):
        read_values(declared, ["5", "7"], "x")
    assert make_policy("mcts:7", "TicTacToe").simulations == make_policy("mcts:simulations=7", "TicTacToe").simulations
    assert set(OTHERS) == {"mcts", "alpha_beta", "learned"}


def test_names_are_read_in_one_place():
    splits = re.compile(r"(\w[\w.\[\]]*)\.r?(?:partition|split)\(\":\"")
    found = {
        (path.relative_to(ROOT / "envsuite").as_posix(), text)
        for room in ROOMS
        for path in (ROOT / "envsuite" / room).rglob("*.py")
        for text in splits.findall(path.read_text("utf-8"))
    }
    assert found == COLONS, "split_name reads names"


# Seeds.


def test_ranges_of_seeds():
    ranges = {name: value for name, value in vars(seeds).items() if isinstance(value, range)}
    assert {name: (r.start, r.stop) for name, r in ranges.items()} == {
        "EXAMPLES": (0, 100),
        "LEARNED": (5, 10),
        "CHOICE": (100, 200),
        "QUICK": (200, 1_000),
        "FULL": (1_000, 2_000),
        "SHOTS": (2_000, 2_100),
        "EVALUATION": (1_000_000, 2_000_000),
    }
    for first, second in combinations(ranges.values(), 2):
        shared = max(first.start, second.start) < min(first.stop, second.stop)
        assert shared == ({first, second} == {seeds.EXAMPLES, seeds.LEARNED})
    source = (ROOT / "envsuite" / "core" / "seeds.py").read_text("utf-8")
    assert len(re.findall(r"^#: .*\n[A-Z]+ = range", source, re.MULTILINE)) == len(ranges), "each says what it is for"


def test_learned_rows_and_suites_keep_to_their_seeds():
    from envsuite.evaluation import reference
    from envsuite.learn import tasks
    from envsuite.models import suites

    assert tasks.FRESH == tuple(seeds.LEARNED) and tasks.SEED in seeds.EVALUATION
    assert suites.SEED in seeds.EVALUATION
    assert reference.SEED in seeds.EXAMPLES
    assert all(seed in seeds.EXAMPLES for task in tasks.TASKS.values() for seed in task.seeds)
