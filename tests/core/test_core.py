"""The machine: streams, batches, illegal actions, the cache, exact chance, snapshots."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from gymnasium.spaces import Box
from scipy import stats

import envsuite
from envsuite.compile.bound import bind
from envsuite.core import random
from envsuite.core.batch import Batch, stream_starts
from envsuite.core.chance import ChanceError, Explorer
from envsuite.core.errors import ActionError, ParameterError, SnapshotError, UnknownIdError
from envsuite.core.kernel import kernel
from envsuite.core.record import as_views
from envsuite.core.workers import Workers
from envsuite.core.world import Kernels, World
from envsuite.games.connect_four import ConnectFour
from envsuite.testing import random_actions


@kernel
def sample_reset(s):
    items = s.items
    for k in range(5):
        items[k] = k
    random.shuffle(s, items, 5)
    s.die = random.randint(s, 6)
    s.coin = random.bernoulli(s, 0.3)
    s.pick = random.categorical(s, s.params.weights, 4)
    s.unit = random.uniform(s) if s.params.continuous else 0.0
    s.bell = random.normal(s) if s.params.continuous else 0.0


@kernel
def sample_step(s, actions, rewards):
    s.terminated[0] = 1


@kernel
def sample_observe(s, agent, out):
    out[0] = s.die


@kernel
def sample_legal(s, agent, mask):
    mask[0] = 1


class Sampler(World):
    """Draws one of each kind of random number at its reset."""

    kernels = Kernels(sample_reset, sample_step, sample_observe, sample_legal)

    def __init__(self, continuous: bool = True):
        self.define(
            agents=["agent"],
            actions=["go"],
            observation=Box(0, 5, (1,), np.int64),
            fields=[
                ("die", np.int64),
                ("coin", np.int64),
                ("pick", np.int64),
                ("unit", np.float64),
                ("bell", np.float64),
                ("items", np.int64, (5,)),
            ],
            params={"weights": np.array([1.0, 0.0, 2.0, 5.0]), "continuous": continuous},
        )


@pytest.fixture(scope="module")
def samples():
    batch = Batch(Sampler(), 120_000)
    batch.start(0)
    return batch.records


def p_of_counts(values, probabilities):
    counts = np.bincount(values, minlength=len(probabilities))
    expected = np.array(probabilities) * len(values)
    return stats.chisquare(counts[expected > 0], expected[expected > 0]).pvalue


def test_distributions(samples):
    assert p_of_counts(samples["die"], [1 / 6] * 6) > 1e-4
    assert p_of_counts(samples["coin"], [0.7, 0.3]) > 1e-4
    assert p_of_counts(samples["pick"], [1 / 8, 0, 2 / 8, 5 / 8]) > 1e-4
    assert (samples["pick"] != 1).all()
    assert stats.kstest(samples["unit"], "uniform").pvalue > 1e-4
    assert stats.kstest(samples["bell"], "norm").pvalue > 1e-4
    orders = (samples["items"] * 5 ** np.arange(5)).sum(axis=1)
    _, counts = np.unique(orders, return_counts=True)
    assert len(counts) == 120  # all orders of five items
    assert stats.chisquare(counts).pvalue > 1e-4


def test_draws_are_independent(samples):
    table = np.histogram2d(samples["die"], samples["pick"], bins=(6, [0, 1, 2.5, 4]))[0][:, [0, 1, 2]]
    table = table[:, table.sum(axis=0) > 0]
    assert stats.chi2_contingency(table).pvalue > 1e-4


def mixed(word):
    return random.mix(word)


def test_compiled_and_python_seeding_agree():
    """The stream is SplitMix64; its first outputs from state 0, from the generator's reference code (Vigna, 2015)."""
    golden = 0x9E3779B97F4A7C15
    mix = bind(mixed, "tests.core.mixed")
    words = [mix(np.uint64(golden * (k + 1) % 2**64)) for k in range(3)]
    assert [int(w) for w in words] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert int(stream_starts([12345])[0]) == int(mix(np.uint64(12345)))


def test_exact_chance_enumerates_everything():
    starts = Explorer(Sampler(continuous=False)).starts()
    assert len(starts) == 120 * 6 * 2 * 3
    assert abs(sum(start.probability for start in starts) - 1) < 1e-9
    assert len({start.record.tobytes() for start in starts}) == len(starts)
    threes = sum(start.probability for start in starts if start.record["pick"] == 3 and start.record["coin"] == 1)
    assert abs(threes - 5 / 8 * 0.3) < 1e-12


def test_exact_chance_refuses_continuous_draws():
    with pytest.raises(ChanceError, match="continuous"):
        Explorer(Sampler()).starts()


def test_illegal_action_in_a_batch_changes_nothing():
    batch = Batch(ConnectFour(), 100, threads=3)
    batch.start(0)
    before, seen = batch.records.tobytes(), batch.observations.copy()
    batch.actions[:] = 3
    batch.actions[77, 0] = 7
    with pytest.raises(ActionError, match=r"action 7 of player_0 of world 77 is out of range 0 \.\. 6"):
        batch.step()
    assert batch.records.tobytes() == before and (batch.observations == seen).all()


@pytest.mark.parametrize("threads", [1, 4])
def test_forfeit_and_noop_in_a_batch(threads):
    forfeit = Batch(ConnectFour(), 10, threads, on_illegal="forfeit")
    noop = Batch(ConnectFour(), 10, threads, on_illegal="noop")
    for batch in (forfeit, noop):
        batch.start()
        batch.actions[:] = 3
        batch.actions[4, 0] = -5
        batch.step()
    assert forfeit.over().tolist() == [i == 4 for i in range(10)]
    assert forfeit.rewards[4].tolist() == [-1.0, 0.0] and not forfeit.rewards[:4].any()
    assert noop.records["t"].tolist() == [int(i != 4) for i in range(10)]  # no noop to take: that world waits


def test_workers_tell_of_errors_and_go_on():
    workers = Workers(2)
    slices = [(0, 1), (1, 2), (2, 3)]
    assert workers.run(lambda first, last: first + last, slices) == [1, 3, 5]
    for place in range(3):
        with pytest.raises(ZeroDivisionError):
            workers.run(lambda first, last, place=place: 1 // (first - place), slices)
    assert workers.run(lambda first, last: last, slices) == [1, 2, 3]
    workers.close()


def test_results_do_not_depend_on_threads():
    worlds = [Batch(ConnectFour(), 37, threads) for threads in (1, 2, 5)]
    rng = np.random.default_rng(0)
    for batch in worlds:
        batch.start(0)
    for _ in range(30):
        actions = random_actions(worlds[0].masks, rng)
        for batch in worlds:
            batch.step(actions)
        assert len({batch.records.tobytes() for batch in worlds}) == 1


@pytest.mark.machine
@pytest.mark.parametrize("access", ["values[k]", "values.flat[k]", "values.flat[-k]"])
def test_bounds_are_checked_in_debug_mode(access):
    code = textwrap.dedent(f"""
        import numpy as np
        from envsuite.compile.bound import bind
        bind(lambda values, k: {access}, "tests.core.beyond")(np.zeros(3), 3)
    """)
    env = {**os.environ, "ENVSUITE_BOUNDSCHECK": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert "IndexError: index is out of bounds" in done.stderr


WORLD = """
import numpy as np
from gymnasium.spaces import Box
from envsuite.core.kernel import kernel
from envsuite.core.world import Kernels, World
from helper import answer
from numbers_of_mine import EXTRA

@kernel
def reset(s):
    s.value = answer() + EXTRA

@kernel
def step(s, actions, rewards):
    s.terminated[0] = 1

@kernel
def observe(s, agent, out):
    out[0] = s.value

@kernel
def legal(s, agent, mask):
    mask[0] = 1

class Tiny(World):
    kernels = Kernels(reset, step, observe, legal)

    def __init__(self):
        space = Box(0, 99, (1,), np.int64)
        self.define(agents=["agent"], actions=["go"], observation=space, fields=[("value", np.int64)])

if __name__ == "__main__":
    import tiny
    from envsuite.core.batch import Batch
    batch = Batch(tiny.Tiny(), 1, compiled=True)
    batch.start()
    print(batch.observations[0, 0, 0])
"""

HELPER = """
from envsuite.core.kernel import kernel

@kernel
def answer():
    return {}
"""


def run_tiny(folder, cache):
    env = {**os.environ, "ENVSUITE_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, "-B", str(folder / "tiny.py")], capture_output=True, text=True, env=env, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.machine
def test_editing_a_kernel_recompiles(tmp_path):
    """Numba's own cache would miss this: what is edited is in other files than the compiled function."""
    (tmp_path / "tiny.py").write_text(WORLD)
    results = []
    for value, extra in ((41, 0), (41, 0), (42, 0), (42, 7), (42, 7)):
        (tmp_path / "helper.py").write_text(HELPER.format(value))
        (tmp_path / "numbers_of_mine.py").write_text(f"EXTRA = {extra}\n")
        seen = int(run_tiny(tmp_path, tmp_path / "cache").stdout)
        results.append((seen, len(list((tmp_path / "cache").glob("*.code")))))
    # What the world observes, and the number of files of compiled code.
    assert results == [(41, 1), (41, 1), (42, 2), (49, 3), (49, 3)]


@pytest.mark.machine
def test_without_a_folder_to_write_to(tmp_path):
    (tmp_path / "tiny.py").write_text(WORLD)
    (tmp_path / "helper.py").write_text(HELPER.format(5))
    (tmp_path / "numbers_of_mine.py").write_text("EXTRA = 0\n")
    (tmp_path / "file").write_text("")
    done = run_tiny(tmp_path, tmp_path / "file" / "cache")
    assert done.stdout == "5\n" and "set ENVSUITE_CACHE" in done.stderr


SYMBOL = """
import sys
import numba
from numba.core import itanium_mangler
from envsuite.compile.numba_ import types
from envsuite.core.batch import Batch
from envsuite.games.connect_four import ConnectFour
batch = Batch(ConnectFour(rows=int(sys.argv[1])), 1)
print(itanium_mangler.mangle("run", [numba.typeof(batch.records)]))
"""


def test_code_for_two_types_has_two_names_whatever_the_process(tmp_path):
    """Numba alone numbers record types anew in every process: whoever loads code of two would mix them up."""
    env = {**os.environ, "ENVSUITE_CACHE": str(tmp_path)}
    found = [
        subprocess.run([sys.executable, "-c", SYMBOL, rows], env=env, capture_output=True, text=True, check=True).stdout
        for rows in "454"
    ]
    assert found[0] == found[2] != found[1]


def test_import_is_light():
    code = textwrap.dedent("""
        import sys, time
        import gymnasium, pettingzoo
        before = set(sys.modules)
        import envsuite
        heavy = [m for m in ("numba", "pygame", "scipy", "pandas", "imageio") if m in sys.modules and m not in before]
        assert not heavy, heavy
        assert "envsuite/Harvest-v0" in gymnasium.registry
        assert "envsuite/Harvest-v0" in pettingzoo.aec_registry
        assert "envsuite/Harvest-v0" in pettingzoo.parallel_registry
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_first_steps_need_no_compiler(tmp_path):
    code = textwrap.dedent("""
        import sys
        import gymnasium, envsuite
        env = gymnasium.make("envsuite/Overcooked-v0")
        _, info = env.reset(seed=0)
        env.step(int(info["action_mask"].argmax()))
        heavy = {"numba", "llvmlite", "pygame", "rich", "typer", "scipy", "PIL", "markdown_it"} & set(sys.modules)
        assert not heavy, heavy
    """)
    env = {name: value for name, value in os.environ.items() if name not in ("ENVSUITE_LAZY", "ENVSUITE_PYTHON")}
    env["ENVSUITE_CACHE"] = str(tmp_path)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())


def test_first_picture_of_a_session_needs_no_compiler(tmp_path):
    code = textwrap.dedent("""
        import sys
        import pygame
        class Shown(BaseException):
            pass
        def show(*_):
            raise Shown
        pygame.display.flip = pygame.display.update = show
        from envsuite.cli import app
        try:
            app(["watch", "Overcooked", "--steps", "1", "--seed", "0"], standalone_mode=False)
        except Shown:
            heavy = {"numba", "scipy", "markdown_it", "imageio"} & set(sys.modules)
            assert not heavy, heavy
        else:
            raise AssertionError("no picture")
    """)
    env = {name: value for name, value in os.environ.items() if name not in ("ENVSUITE_LAZY", "ENVSUITE_PYTHON")}
    env["ENVSUITE_CACHE"] = str(tmp_path)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: envsuite.make_aec("envsuite/ConectFour-v0"), UnknownIdError, "did you mean 'envsuite/ConnectFour-v0'"),
        (lambda: envsuite.make_parallel("xyzzy"), UnknownIdError, "'xyzzy'; envsuite.ids() lists them"),
        (lambda: envsuite.make_aec("ConnectFour", row=5), ParameterError, "no parameter 'row'; did you mean 'rows'"),
        (
            lambda: envsuite.make_aec("ConnectFour", rows="5"),
            ParameterError,
            "rows='5' must be an integer from 2 to 16",
        ),
        (lambda: envsuite.make_aec("ConnectFour", rows=True), ParameterError, "rows=True must be an integer"),
        (lambda: envsuite.make_aec("ConnectFour", rows=99), ParameterError, "rows=99 must be an integer from 2 to 16"),
        (
            lambda: envsuite.make_aec("KuhnPoker", players=11),
            ParameterError,
            "players=11 must be an integer from 2 to 10",
        ),
        (lambda: envsuite.make_vec("ConnectFour", 0), ParameterError, "num_envs=0 must be a positive integer"),
        (lambda: envsuite.make_vec("ConnectFour", 2, threads=0), ParameterError, "threads=0"),
        (
            lambda: envsuite.make_vec("ConnectFour", 2, autoreset="later"),
            ParameterError,
            "next_step, same_step, disabled",
        ),
        (lambda: envsuite.make_vec("ConnectFour", 2, on_illegal="ignore"), ParameterError, "error, noop, forfeit"),
        (lambda: envsuite.make_aec("ConnectFour", render_mode="video"), ParameterError, "rgb_array"),
        (lambda: envsuite.make_policy("randm", "ConnectFour"), UnknownIdError, "did you mean 'random'"),
        (lambda: envsuite.make_policy("random", "ConnectFour", depth=3), ParameterError, "no parameter 'depth'"),
    ],
)
def test_wrong_names_and_values(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def test_snapshot_names_the_difference(tmp_path):
    small, large = envsuite.make_parallel("ConnectFour", rows=5), envsuite.make_parallel("ConnectFour")
    small.reset(seed=0)
    large.reset(seed=0)
    small.save(tmp_path / "state")
    with pytest.raises(SnapshotError, match="parameters.*'rows': 5.*'rows': 6"):
        large.load(tmp_path / "state")
    aec = envsuite.make_aec("ConnectFour")
    aec.reset(seed=0)
    with pytest.raises(SnapshotError, match="interface 'aec', this environment 'parallel'"):
        large.set_state(aec.get_state())
    twin = envsuite.make_parallel("ConnectFour", rows=5)
    twin.load(tmp_path / "state")
    assert twin.get_state() == small.get_state() == (tmp_path / "state").read_bytes()
    data = (tmp_path / "state").read_bytes()
    with pytest.raises(SnapshotError, match="snapshot of envsuite/ConnectFour-v0 is truncated or has been changed"):
        twin.set_state(data[:-5])
    assert b'"id": "envsuite/ConnectFour-v0"' in data and b'"rows": 5' in data


def test_params_can_differ_within_a_batch():
    envs = envsuite.make_vec("ConnectFour", 2)
    envs.reset(0, options={"params": [{"connect": 3}, {"connect": 4}]})
    for column in (0, 1, 0, 1, 0):  # three discs of the first player in column 0
        _, rewards, *_ = envs.step(np.full((2, 2), column))
    assert rewards.tolist() == [[1.0, -1.0], [0.0, 0.0]]
    with pytest.raises(ParameterError, match="connect=99"):
        envs.reset(options={"params": {"connect": 99}})
    with pytest.raises(ParameterError, match="rows cannot change"):
        envs.reset(options={"params": {"rows": 5}})
    village = envsuite.make_parallel("Fishery")
    with pytest.raises(ParameterError, match=r"capacity, stock cannot change.*\(action_names\)"):
        village.reset(options={"params": {"capacity": 50, "stock": 50}})  # the record would fit, the mask would not


def test_views_of_records_take_an_index_or_the_name_of_a_field():
    array = np.zeros(3, [("a", np.uint8), ("b", np.uint8, (2,))])
    views = as_views(array)
    views[1].a = 255
    views["b"][2, 0] = 7
    assert array["a"].tolist() == [0, 255, 0] and array["b"][2].tolist() == [7, 0]
    assert views[1].a + 1 == 256 and views["a"][1] + 1 == 256 and views[2].b[0] == 7
    with pytest.raises(AttributeError, match="no field 'c'"):
        views["c"]
