"""Parameters: defaults, and what hints allow, are checked, described, written and read back the same."""

import enum
import inspect
import json
import math
import pickle
import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit import started

import envsuite
from envsuite import registry
from envsuite.compile.bound import bind
from envsuite.core import snapshot
from envsuite.core.cast import Cast
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.parameters import (
    NEEDED,
    Between,
    Parameter,
    bounds,
    check,
    describe,
    layout,
    parse,
    read,
    record_of,
    signature,
    to_json,
)
from envsuite.core.policy import CompiledPolicy, PolicySpec, policies
from envsuite.core.record import as_views
from envsuite.core.world import Kernels, World
from envsuite.games.connect_four import ConnectFour
from envsuite.games.matrix_game import MatrixGame
from envsuite.generators import KINDS
from envsuite.generators.base import Generator, generator_class
from envsuite.gridworlds.turn_on_lights import TurnOnLights
from envsuite.social.allelopathic_harvest import AllelopathicHarvest
from envsuite.social.coins import Coins
from envsuite.social.harvest import Harvest
from envsuite.social.mushrooms import Mushrooms
from envsuite.social.territory import Territory
from envsuite.solvers.alpha_beta import AlphaBeta
from envsuite.solvers.mcts import MCTS

CLASSES = [registry.spec(id).load() for id in registry.ids()] + [generator_class(kind) for kind in KINDS]
DECLARED = {f"{cls.__module__}.{cls.__name__}": signature(cls) for cls in [*CLASSES, MCTS, AlphaBeta]}
DECLARED |= {f"{id}:{name}": one.declared for id in registry.ids() for name, one in policies(id).items()}
HINTS = {repr(hint): hint for declared in DECLARED.values() for hint, _ in declared.values() if hint is not World}
HINTS |= {repr(hint): hint for hint in (tuple[float, float], tuple[int, str])}


def typed(value):
    """A value with the types of all its parts, for 1 == 1.0 == True."""
    if isinstance(value, (list, tuple)):
        return type(value), [typed(part) for part in value]
    if isinstance(value, dict):
        return dict, [(typed(key), typed(part)) for key, part in value.items()]
    return type(value), value


def one(hint, value):
    return check("X", {"x": Parameter(hint, NEEDED)}, {"x": value})["x"]


@pytest.mark.parametrize("label", DECLARED)
def test_defaults_go_round(label):
    """As they are, as JSON, as `info` shows them and as JSON on the command line."""
    declared = {name: part for name, part in DECLARED[label].items() if part.default is not NEEDED}
    defaults = {name: default for name, (_, default) in declared.items()}
    for values in (defaults, to_json(defaults), json.loads(json.dumps(defaults, default=str))):
        assert typed(check(label, declared, values)) == typed(defaults)
    for shown in (repr, str, lambda value: value if isinstance(value, str) else json.dumps(value)):
        texts = [f"{name}={shown(value)}" for name, value in defaults.items() if declared[name].hint is not str]
        assert typed(check(label, declared, read(declared, texts, "-p"))) == typed(defaults)


def drawn(hint):
    """Values that a hint allows."""
    origin, options = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        bound = next((part for part in options if isinstance(part, Between)), None)
        return drawn(options[0]) if bound is None else limited(options[0], bound)
    if origin is Literal:
        return st.sampled_from(options)
    if origin is Sequence:
        return st.lists(drawn(options[0]), max_size=4).map(tuple)
    if origin is Mapping:
        return st.dictionaries(drawn(options[0]), drawn(options[1]), max_size=3)
    if origin is tuple and ... not in options:
        return st.tuples(*map(drawn, options))
    if origin is tuple:
        return st.lists(drawn(options[0]), max_size=4).map(tuple)
    if options:
        return st.one_of([drawn(option) for option in options])
    floats = st.floats(allow_nan=False, allow_infinity=False)
    numbers = st.lists(st.integers() | floats, max_size=3)
    simple = {int: st.integers(), bool: st.booleans(), type(None): st.none(), str: st.text(), Any: st.none()}
    simple |= {float: floats, list: st.lists(numbers), tuple: numbers.map(tuple)}
    return simple[hint]


def limited(hint, bound):
    if hint is int:
        return st.integers(math.ceil(bound.low), math.floor(bound.high))
    if hint is float:
        return st.floats(bound.low, None if bound.high == math.inf else bound.high, allow_infinity=False)
    return st.one_of([st.none() if part is type(None) else limited(part, bound) for part in typing.get_args(hint)])


@pytest.mark.parametrize("hint", HINTS.values(), ids=HINTS)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_what_a_hint_allows_goes_round(hint, data):
    value = data.draw(drawn(hint))
    assert typed(one(hint, value)) == typed(value)
    assert typed(one(hint, json.loads(json.dumps(to_json(value))))) == typed(value)
    if hint is not str:
        for text in (str(value), value if isinstance(value, str) else json.dumps(to_json(value))):
            assert typed(one(hint, parse(hint, text))) == typed(value)


OTHERS = [None, True, 0, -1, 10**12, 0.5, math.inf, math.nan, "", "open", [], ["a"], (1, 2.5), {}, {"a": 1}, Ellipsis]


@pytest.mark.parametrize("hint", HINTS.values(), ids=HINTS)
def test_others_are_refused_in_words(hint):
    """What is taken is taken as it is, and the error says what would be right."""
    for value in OTHERS:
        try:
            found = one(hint, value)
        except ParameterError as error:
            assert str(error) == f"X: x={value!r} must be {describe(hint)}"
        else:
            assert found is value or found == value or list(found) == list(value)
    for code in ("typing", "<", "Annotated", "Sequence", "Union"):
        assert code not in describe(hint)


LONG = ["x" * 300_000, list(range(100_000)), b"y" * 10_000, {k: k for k in range(9999)}, -(10**4000), 10**5000]


@pytest.mark.parametrize("value", LONG, ids=lambda value: type(value).__name__)
def test_a_refusal_does_not_repeat_a_long_value(value):
    with pytest.raises(ParameterError) as caught:
        one(Annotated[int, Between(0, 9)], value)
    assert len(str(caught.value)) < 300 and str(caught.value).endswith("must be an integer from 0 to 9")


class Level(enum.IntEnum):
    LOW = 2


class Mode(enum.Enum):
    OPEN = "open"


@pytest.mark.parametrize(
    "hint, value, own",
    [
        (int, np.int8(2), 2),
        (int, np.uint64(2**63), 2**63),
        (int, np.array(2, np.int16), 2),
        (int, Level.LOW, 2),
        (float, Level.LOW, 2.0),
        (float, np.float32(0.5), 0.5),
        (float, np.int64(3), 3.0),
        (float, 3, 3.0),
        (float | int, 3, 3),
        (float | None, 3, 3.0),
        (int, type("Own", (int,), {})(3), 3),
        (bool, np.bool_(True), True),
        (bool, np.array(False), False),
        (str, np.str_("a"), "a"),
        (Literal["open", "shut"], Mode.OPEN, "open"),
        (Literal[1, 2], np.int64(2), 2),
        (Literal[1, 2] | None, Level.LOW, 2),
        (Annotated[int | None, Between(1, 3)], np.int8(3), 3),
        (Sequence[float], [np.float32(0.5), 1], (0.5, 1.0)),
        (Sequence[float], np.array([0.5, 1.0]), (0.5, 1.0)),
        (Sequence[int] | int, range(3), (0, 1, 2)),
        (Sequence[int] | int, np.int8(3), 3),
        (tuple, [1, [np.int8(2)]], (1, [2])),
        (tuple[float, ...], np.arange(2.0), (0.0, 1.0)),
        (tuple[int, str], [np.int8(1), "a"], (1, "a")),
        (list, np.eye(2, dtype=int), [[1, 0], [0, 1]]),
        (list | None, ((1, np.float64(2.5)), np.array([3, 4])), [(1, 2.5), [3, 4]]),
        (Mapping[str, float], {np.str_("a"): np.float32(2.0)}, {"a": 2.0}),
        (Mapping, {"a": np.int8(1)}, {"a": 1}),
        (Any, np.float64(1.5), 1.5),
        (Mode, Mode.OPEN, Mode.OPEN),
    ],
)
def test_values_become_pythons_own(hint, value, own):
    assert typed(one(hint, value)) == typed(own)


@pytest.mark.parametrize(
    "hint, value, words",
    [
        (int, True, "x=True must be an integer"),
        (int, np.bool_(True), "x=True must be an integer"),
        (int, 2.0, "x=2.0 must be an integer"),
        (float, math.nan, "x=nan must be a finite number"),
        (float, -math.inf, "x=-inf must be a finite number"),
        (float, 10**400, "must be a finite number"),
        (float, True, "x=True must be a finite number"),
        (bool, 1, "x=1 must be True or False"),
        (bool, np.int8(1), "x=1 must be True or False"),
        (int, Mode.OPEN, "x='open' must be an integer"),
        (Literal[1, 2], True, "x=True must be one of 1, 2"),
        (Literal[1, 2], np.array([1, 2]), r"x=\[1, 2\] must be one of 1, 2"),
        (Literal["a", "b"], np.array(["a", "b"]), "must be one of 'a', 'b'"),
        (Literal["a", "b"] | None, np.array([["a"]]), "must be one of 'a', 'b' or None"),
        (Literal[1, 2], np.zeros(0), r"x=\[\] must be one of 1, 2"),
        (Literal[1, 2], np.timedelta64(1), "must be one of 1, 2"),
        (int, np.timedelta64(3), "must be an integer"),
        (int, np.timedelta64(3, "s"), "must be an integer"),
        (int, np.array(3, "m8[D]"), "must be an integer"),
        (int, np.datetime64(3, "D"), "must be an integer"),
        (float, np.timedelta64(3), "must be a finite number"),
        (Annotated[int, Between(1, 9)], np.timedelta64(3), "must be an integer from 1 to 9"),
        (Sequence[int], np.array([1, 2], "m8[s]"), "must be a list of integers"),
        (Annotated[int, Between(1, 1_000_000)], 0, "x=0 must be an integer from 1 to 1000000"),
        (Annotated[float, Between(0, math.inf)], math.inf, "x=inf must be a finite number of 0 or more"),
        (Annotated[float | None, Between(0, 0.5)], 1, "x=1 must be a number from 0 to 0.5 or None"),
        (Sequence[float], "12", "x='12' must be a list of numbers"),
        (Sequence[float], np.eye(2), "must be a list of numbers"),
        (Sequence[float], [1.0, math.nan], r"x=\[1.0, nan\] must be a list of numbers"),
        (Sequence[Annotated[float, Between(0, 1)]], [2.0], "must be a list of numbers from 0 to 1"),
        (int | Sequence[int], [1.5], "must be an integer or a list of integers"),
        (tuple[int, str], (1, "a", 2), "must be a list of an integer, a text"),
        (tuple[float, float], (1.0,), r"x=\(1.0,\) must be a list of 2 numbers"),
        (list[tuple[int, int]], [[1]], "must be a list of lists of 2 integers"),
        (tuple[int, ...], (1, "a"), "must be a list of integers"),
        (Mapping[str, int] | None, {"a": 0.5}, "must be a mapping from texts to integers or None"),
        (list[Sequence[int]], [[1], 2], "must be a list of lists of integers"),
    ],
)
def test_errors_say_what_would_be_right(hint, value, words):
    with pytest.raises(ParameterError, match=f"^X: .*{words}$|^X: {words}$"):
        one(hint, value)


@pytest.mark.parametrize(
    "text, hint, value",
    [
        ("3", int, 3),
        ("3", float, 3.0),
        ("1e3", float, 1000.0),
        ("3", Annotated[int, Between(1, 5)], 3),
        ("none", int | None, None),
        ("3", int | None, 3),
        ("3", float | int, 3),
        ("Yes", bool, True),
        ("off", bool, False),
        ("1", bool, True),
        ("1", bool | int, 1),
        ("open", Literal["open", "closed"], "open"),
        ("'open'", Literal["open", "closed"], "open"),
        ("2", Literal[1, 2], 2),
        ("2", str, "2"),
        ("auto", float | Literal["auto"], "auto"),
        ("[1, 2]", list, [1, 2]),
        ("(1, 2)", tuple, (1, 2)),
        ("[1, 2", list, "[1, 2"),
        ("x", int, "x"),
        ("shut", Literal["open", "closed"], "shut"),
    ],
)
def test_texts(text, hint, value):
    assert typed(parse(hint, text)) == typed(value)


def test_worlds_see_checked_values_only():
    class Deaf(World):
        def __init__(self, *, rows: int, flags: Sequence[float] = (), rest: Any = None):
            self.seen = rows, flags, rest, dict(self.parameters)

    array = np.zeros(3)
    made = Deaf(rows=np.int8(4), flags=[np.float32(0.5)], rest=array)
    assert typed(made.seen[:2]) == typed((4, (0.5,))) and made.seen[2] is array
    assert made.seen[3] == made.parameters == {"rows": 4, "flags": (0.5,), "rest": array}
    for words, args, kwargs in [
        ("Deaf needs the parameter 'rows'", (), {}),
        ("Deaf takes at most 3 parameters, got 4", (1, 2, 3, 4), {}),
        ("Deaf got the parameter 'rows' twice", (1,), {"rows": 1}),
        ("Deaf has no parameter 'row'; did you mean 'rows'", (), {"row": 1}),
    ]:
        with pytest.raises(ParameterError, match=words):
            Deaf(*args, **kwargs)
    assert list(inspect.signature(ConnectFour).parameters) == ["rows", "columns", "connect", "objectives", "weights"]
    assert inspect.signature(ConnectFour).parameters["connect"].default == 4


@pytest.mark.parametrize(
    "cls, first, second",
    [
        (ConnectFour, dict(rows=5), dict(rows=np.int8(5))),
        (Harvest, dict(regrowth=(0.0, 0.25, 0.5, 1.0)), dict(regrowth=np.array([0, 0.25, 0.5, 1], np.float32))),
        (Harvest, dict(regrowth=(0, 0.25, 0.5, 1)), dict(regrowth=[0, 0.25, 0.5, np.int64(1)])),
        (Mushrooms, dict(values=(1.0, 2.5, 3.0, -1.0)), dict(values=[1.0, 2.5, 3.0, -1.0])),
        (MatrixGame, dict(payoffs=[[[1, 2], [3, 4]]] * 2), dict(payoffs=np.array([[[1, 2], [3, 4]]] * 2))),
        (AllelopathicHarvest, dict(penalty=10), dict(penalty=10.0)),
        (Coins, dict(mismatch=-2), dict(mismatch=np.int8(-2))),
        (Territory, dict(players=2), dict(players=np.int8(2))),
        (TurnOnLights, dict(bulbs=10), dict(bulbs=np.int8(10))),
    ],
)
def test_what_is_equal_makes_equal_worlds(cls, first, second):
    """The same snapshots, records and pickles, however the values were given."""
    one, two = cls(**first), cls(**second)
    identities = [json.dumps(snapshot.identity(world, "aec")) for world in (one, two, pickle.loads(pickle.dumps(two)))]
    assert identities[0] == identities[1] == identities[2]
    assert identities[0] == json.dumps({**snapshot.identity(one, "aec"), "parameters": to_json(one.parameters)})
    assert one._params.tobytes() == two._params.tobytes() and one.record == two.record
    assert typed(one.parameters) == typed(two.parameters)


@pytest.mark.parametrize(
    "id, name, words",
    [
        ("Harvest", "sustainable:keep=4.5", "policy 'sustainable': keep='4.5' must be an integer"),
        ("Harvest", "sustainable:kep=4", "policy 'sustainable' has no parameter 'kep'; did you mean 'keep'"),
        ("Harvest", "sustainable:keep", "policy 'sustainable': 'keep' must have the form name=value"),
        ("Harvest", ("sustainable", dict(keep=True)), "keep=True must be an integer"),
        ("Harvest", ("sustainable", dict(keep=10**30)), "keep=10+ must be an integer from 0 to 100"),
        ("KuhnPoker", "equilibrium:alpha=nan", "policy 'equilibrium': alpha=nan must be a number from 0 to 0.333333"),
        ("KuhnPoker", "equilibrium:alpha=0.5", "alpha=0.5 must be a number from 0 to 0.333333"),
        ("CleanUp", "alternator:period=0", "policy 'alternator': period=0 must be an integer from 1 to 1000000000"),
        ("PublicGoods", "constant:share=inf", "policy 'constant': share=inf must be a number from 0 to 1"),
        ("TicTacToe", "mcts:simulations=0", "policy 'mcts': simulations=0 must be an integer from 1 to 16777216"),
        ("TicTacToe", "mcts:simulations", "policy 'mcts': 'simulations' must have the form name=value"),
        (
            "TicTacToe",
            ("alpha_beta", dict(deph=3)),
            "policy 'alpha_beta' has no parameter 'deph'; did you mean 'depth'",
        ),
        ("TicTacToe", ("mcts", dict(threads=1.0)), "policy 'mcts': threads=1.0 must be an integer from 1 to 1024"),
    ],
)
def test_policies_are_checked_as_worlds_are(id, name, words):
    name, numbers = (name, {}) if isinstance(name, str) else name
    with pytest.raises(ParameterError, match=words):
        envsuite.make_policy(name, id, **numbers)


def test_numbers_of_policies_have_ranges():
    for label, declared in DECLARED.items():
        for name, (hint, default) in declared.items() if "/" in label else ():
            if type(default) is not bool:
                bound = bounds(hint)
                assert bound and bound.low <= default <= bound.high, (label, name)
                for value in (math.nan, math.inf, 10**300, 2**62, -(2**62)):
                    with pytest.raises(ParameterError, match=f"{name}=.* must be a.* from .* to "):
                        check(label, declared, {name: value})


@pytest.mark.slow
@pytest.mark.parametrize("id", registry.ids())
def test_policies_play_at_the_ends_of_their_ranges(id):
    """Without an error, and nobody waits: 30 steps in Python take less than a minute."""
    for name, one in policies(id).items():
        for end in ("low", "high"):
            ends = {key: bounds(hint) for key, (hint, _) in one.declared.items() if bounds(hint)}
            if ends:
                numbers = {key: type(one.parameters[key])(round(getattr(bound, end), 9)) for key, bound in ends.items()}
                batch = started(id)
                players = Cast(batch.world, envsuite.make_policy(name, batch.world, **numbers))
                players.reset(0)
                for _ in range(30):
                    players.choose(batch)
                    batch.step()
                    players.refresh(batch.over())


def test_policies_take_texts_and_numpys_numbers():
    for name, numbers in (("solver:wrap=true", {}), ("solver:wrap=1", {}), ("solver", {"wrap": np.bool_(True)})):
        assert envsuite.make_policy(name, "LightsOut", **numbers).first_memory["wrap"].all()
    assert envsuite.make_policy("sustainable", "Fishery", growth=3).first_memory["growth"][0] == 3.0
    assert envsuite.make_policy("constant:share=2e-1", "PublicGoods").first_memory["share"][0] == 0.2
    assert envsuite.make_policy("mcts:exploration=1e-1,simulations=7", "TicTacToe").exploration == 0.1


def test_numbers_in_records():
    record = record_of("X", {"a": True, "b": 3, "c": 0.5, "d": [1, 2], "e": [0.5]})
    assert record.dtype == np.dtype(
        [("a", np.uint8), ("b", np.int64), ("c", np.float64), ("d", np.int64, (2,)), ("e", np.float64, (1,))],
        align=True,
    )
    assert record.item()[:3] == (1, 3, 0.5) and record["d"].tolist() == [1, 2]
    for wrong in ("text", None, 10**30, 2**63):
        with pytest.raises(ParameterError, match="X: a=.* must be .* 64 bits hold"):
            record_of("X", {"a": wrong})


def test_plain_data():
    assert to_json({"a": np.arange(2), "b": (1, np.float64(0.5)), "c": None}) == {"a": [0, 1], "b": [1, 0.5], "c": None}
    assert to_json({"a": Mode.OPEN}, str) == {"a": "Mode.OPEN"}
    with pytest.raises(TypeError, match="Mode is not plain data"):
        to_json({"a": Mode.OPEN})


NAMES = sorted(name for name in {*dir(np.recarray), *dir(np.record)} - {"view"} if not name.startswith("_"))


@kernel
def named(s):
    p = s.params
    return p.size + 2 * p.shape + 3 * p.data + 4 * p.max + 5 * p.sum + 6 * p.T + 7 * p.item + 8 * s.many[1].sum


def _loop(records):
    return call(records[0])


call = None


def test_fields_named_like_attributes_of_arrays():
    """A parameter may have such a name: kernels read it as the field, as Python and as machine code."""
    part = layout("X", [(name, np.int64) for name in NAMES])
    array = np.zeros(1, layout("X", [("params", part), ("many", [("sum", np.int64)], (2,))]))
    for k, name in enumerate(NAMES):
        array["params"][name] = k
    array["many"]["sum"][0, 1] = 1000
    s = as_views(array)[0]
    for k, name in enumerate(NAMES):
        assert getattr(s.params, name) == k
        setattr(s.params, name, k + 1)
        assert array["params"][name] == k + 1
    used = ("size", "shape", "data", "max", "sum", "T", "item")
    expected = sum((k + 1) * (NAMES.index(name) + 1) for k, name in enumerate(used)) + 8000
    assert named(s) == bind(_loop, "test_parameters.named", call=named)(array) == expected


@pytest.mark.parametrize(
    "fields, words",
    [
        ([("view", np.int8)], "X: a field cannot be called 'view': NumPy has an attribute of that name"),
        ([("many", [("size", np.int8)], (3,))], "X: a field cannot be called 'size': NumPy has"),
        ([("one", [("parts", [("T", np.int8)], (1, 2))])], "X: a field cannot be called 'T': NumPy has"),
        ([("_array", np.int8)], "X: a field cannot be called '_array': kernels read fields as attributes"),
        ([("two words", np.int8)], "X: a field cannot be called 'two words': kernels read"),
        ([("class", np.int8)], "X: a field cannot be called 'class': kernels read"),
    ],
)
def test_names_that_kernels_cannot_read(fields, words):
    """They are refused in records of worlds and generators, in tunable parameters, and in memories of policies."""

    class X(World):
        kernels = Kernels(None, None, None, None)

        def __init__(self):
            self.define(
                agents=["player_0"], actions=["a"], observation=ConnectFour().observation_spaces[0], fields=fields
            )

    class Kind(Generator):
        def __init__(self):
            self.define(level=fields)

    with pytest.raises(ParameterError, match=words):
        X()
    with pytest.raises(ParameterError, match=words.replace("X", "Kind")):
        Kind()
    if type(fields[0][1]) is type:
        with pytest.raises(ParameterError, match=words):
            record_of("X", {fields[0][0]: 0})
        with pytest.raises(ParameterError, match=words.replace("X", "policy 'p'")):
            CompiledPolicy(PolicySpec("", "p", None, {}, {fields[0][0]: 0}), ConnectFour(), {})
