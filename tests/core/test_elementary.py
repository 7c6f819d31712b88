"""Our elementary functions: their errors, special values, equal bits; and that rules use no others."""

import ast
import math
from pathlib import Path

import mpmath
import numpy as np
import pytest

import envsuite
from envsuite.compile.bound import bind
from envsuite.core import elementary
from envsuite.core.elementary import cos_turns, exp, log, log1p, log2, logistic, power, real_power, sin_turns

PACKAGE = Path(envsuite.__file__).parent
MANY = 3000


def spread(rng: np.random.Generator, low: float, high: float) -> np.ndarray:
    """Numbers whose exponents are uniform."""
    return 2.0 ** rng.uniform(low, high, MANY) * rng.choice([-1, 1], MANY)


def arguments(name: str) -> np.ndarray:
    rng = np.random.default_rng(0)
    positive = rng.integers(1, 0x7FF0 << 48, MANY).view(np.float64)  # all exponents, those of subnormals included
    return np.concatenate(
        {
            "log": [positive, 1 + spread(rng, -52, -2), rng.uniform(0, 3, MANY)],
            "log2": [positive, 1 + spread(rng, -52, -2), rng.uniform(0, 3, MANY)],
            "log1p": [positive, -rng.uniform(0, 1, MANY), spread(rng, -60, -1), rng.uniform(-0.5, 2, MANY)],
            "exp": [rng.uniform(-745.1, 709.7, MANY), spread(rng, -60, 3), rng.uniform(-745.1, -708, MANY)],
            "logistic": [rng.uniform(-709, 40, MANY), spread(rng, -60, 5)],
            "cos_turns": [rng.uniform(0, 1, MANY), spread(rng, -60, 40)],
            "sin_turns": [rng.uniform(0, 1, MANY), spread(rng, -60, 40)],
        }[name]
    )


EXACT = {
    "log": mpmath.log,
    "log2": lambda x: mpmath.log(x, 2),
    "log1p": lambda x: mpmath.log(1 + x),
    "exp": mpmath.exp,
    "logistic": lambda x: 1 / (1 + mpmath.exp(-x)),
    "cos_turns": lambda x: mpmath.cospi(2 * x),
    "sin_turns": lambda x: mpmath.sinpi(2 * x),
}


@pytest.mark.parametrize("name", EXACT)
def test_errors(name: str):
    """Against mpmath with 200 bits more than a float64 has between 1 and its smallest number."""
    function, worst = getattr(elementary, name), 0.0
    with mpmath.workprec(1300 if name == "log1p" else 200):
        for x in arguments(name).tolist():
            exact = EXACT[name](mpmath.mpf(x))
            worst = max(worst, float(abs(function(x) - exact) / mpmath.mpf(math.ulp(float(exact)))))
    assert worst < (1 if name in ("log", "log1p", "exp") else 2)


def test_special_values():
    inf, nan, tiny = math.inf, math.nan, 5e-324
    cases = {
        log: {0.0: -inf, -1.0: nan, inf: inf, -inf: nan, nan: nan, 1.0: 0.0, tiny: math.log(tiny)},
        log1p: {0.0: 0.0, -1.0: -inf, -1.5: nan, inf: inf, -inf: nan, nan: nan, tiny: tiny, -tiny: -tiny},
        exp: {0.0: 1.0, -inf: 0.0, inf: inf, nan: nan, 709.79: inf, -745.14: 0.0, tiny: 1.0, 1.0: math.e, -745.0: tiny},
        logistic: {0.0: 0.5, inf: 1.0, -inf: 0.0, nan: nan, -750.0: 0.0, 40.0: 1.0},
        log2: {8.0: 3.0, 0.0: -inf, 0.25: -2.0},
        cos_turns: {0.0: 1.0, 0.25: 0.0, 0.5: -1.0, 0.75: 0.0, 1.0: 1.0, -3.5: -1.0, 2.0**40 + 0.25: 0.0},
        sin_turns: {0.0: 0.0, 0.25: 1.0, 0.5: 0.0, 0.75: -1.0, 1.0: 0.0, 2.0**40 + 0.25: 1.0},
    }
    for function, values in cases.items():
        found = {x: function(x) for x in values}
        assert [*found.values()] == pytest.approx([*values.values()], rel=5e-16, abs=0, nan_ok=True), function
    assert math.copysign(1, log1p(-0.0)) == -1
    assert [power(3.0, 5), power(2.0, 0), real_power(0.0, 0.0), real_power(0.0, 2.5)] == [243, 1, 1, 0]
    assert real_power(2.0, 0.5) == pytest.approx(2**0.5, rel=1e-15)


def over_all(numbers, results):
    for i in range(numbers.shape[0]):
        results[i] = function(numbers[i])


function = None


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
def test_python_and_machine_code_have_equal_bits(name: str):
    numbers = np.concatenate([arguments(name), [0.0, -0.0, 1.0, -1.0, 5e-324, 2.0**-1022]])
    if "turns" not in name:
        numbers = np.concatenate([numbers, [np.inf, -np.inf, np.nan]])
    bound = bind(over_all, f"tests.{name}", function=getattr(elementary, name))
    compiled, python = np.zeros((2, len(numbers)))
    bound(numbers, compiled)
    bound.interpreted(numbers, python)
    assert compiled.tobytes() == python.tobytes()


# What the rules use.

#: The folders of rules, chance and policies; and the one solver that plays.
RULES = ["core", "kit", "games", "gridworlds", "social", "dual_control", "generators", "agents", "solvers/mcts.py"]

#: Functions of the C library or of NumPy whose last bit may differ.
INEXACT = set(
    "log log2 log10 log1p exp exp2 expm1 pow power float_power sin cos tan sinh cosh tanh asin acos atan atan2 asinh "
    "acosh atanh arcsin arccos arctan arctan2 arcsinh arccosh arctanh hypot cbrt erf erfc gamma lgamma".split()
)

#: Functions beside those of pictures and clicks that may use them: they analyse OffSwitch.
FREE = {"allow_probability", "defer_value"}


def draws(function: ast.FunctionDef, path: Path) -> bool:
    """Whether a function, no kernel, is one of pictures or clicks: in a view, or its signature has shapes or points."""
    shown = ast.unparse(function.args) + (ast.unparse(function.returns) if function.returns else "")
    drawn = any(word in shown for word in ("Scene", "Shape", "Polygon", "tuple[float, float]", "x: float, y: float"))
    return drawn or path.stem.endswith(("view", "pictures"))


def uses(path: Path) -> set[tuple[str, str]]:
    """The functions of a file, those of pictures left out, that use inexact ones or, in kernels, powers: pairs."""
    tree, found = ast.parse(path.read_text(encoding="utf-8")), set()
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in ("math", "numpy", "cmath")
        for alias in node.names
        if alias.name in INEXACT
    }

    def look(node: ast.AST, name: str, kernel: bool) -> None:
        if isinstance(node, ast.FunctionDef):
            name, kernel = node.name, kernel or any("kernel" in ast.unparse(mark) for mark in node.decorator_list)
            if not kernel and (draws(node, path) or node.name in FREE):
                return
        used = None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("math", "np"):
            used = node.attr if node.attr in INEXACT else None
        elif isinstance(node, ast.Name) and node.id in imported:
            used = node.id
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Pow) and kernel:
            used = None if isinstance(getattr(node, "left", None), ast.Constant) else "**"
        if used:
            found.add((name, used))
        for child in ast.iter_child_nodes(node):
            look(child, name, kernel)

    look(tree, "", False)
    return found


def test_rules_use_no_function_whose_last_bit_may_differ():
    for path in [file for place in RULES for file in [PACKAGE / place, *(PACKAGE / place).rglob("*.py")]]:
        if path.suffix == ".py":
            found = uses(path)
            assert not found, f"{path.relative_to(PACKAGE)}: {found}; core/elementary.py has functions for it"


@pytest.mark.parametrize("body", ["return math.sin(x)", "return np.log(x)", "return x**2"])
def test_a_kernel_that_uses_one_is_found(body, tmp_path):
    for name in ("rules.py", "view.py"):
        (tmp_path / name).write_text(f"import math\n@kernel\ndef rule(x):\n    {body}\n")
        assert [function for function, _ in uses(tmp_path / name)] == ["rule"]
