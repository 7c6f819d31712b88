"""Levels of a vector's episodes: by a curriculum for all of them, or by the options of a reset for one."""

import json
import pickle
import warnings

import gymnasium
import numpy as np
import pytest

import envsuite
from envsuite.core.errors import ActionError, LevelError, NotReadyError, ParameterError, SnapshotError
from envsuite.generators import generate, generate_many
from envsuite.interfaces.vector import SeatVector, Vector
from envsuite.registry import build

ID = "envsuite/Maze-v0"
SIZE = dict(height=7, width=7)
LEVELS = generate_many("maze", 5, split="train", **SIZE)
AUTO = pytest.mark.parametrize("autoreset", ["same_step", "next_step"])


def made(num=4, curriculum=LEVELS, form=Vector, **options):
    return form(build(ID, dict(horizon=2, **SIZE)), num, compiled=False, curriculum=curriculum, **options)


def of_seed(seed):
    """A level, by which the seed is found again."""
    return {**LEVELS[seed % 5], "map": LEVELS[seed % 5]["map"]}


def playing(env):
    """The number of the level that each world plays; None for another one."""
    maps = {json.dumps(level["map"]): k for k, level in enumerate(LEVELS)}
    found = (env.batch.world.get_level(env.batch.record(i))["map"] for i in range(env.num_envs))
    return [maps.get(json.dumps(one)) for one in found]


def step(env):
    env.step(np.zeros(env.action_space.shape, int))


def played(env, steps, seed=0):
    """The levels of all worlds after a reset and after every step."""
    env.reset(seed=seed)
    found = [playing(env)]
    for _ in range(steps):
        step(env)
        found.append(playing(env))
    return np.array(found)


@AUTO
@pytest.mark.parametrize("curriculum", [LEVELS, of_seed], ids=["list", "function"])
def test_every_episode_has_a_level_of_the_curriculum(autoreset, curriculum):
    found = played(made(autoreset=autoreset, curriculum=curriculum), 14)
    assert found[0].tolist() == [0, 1, 2, 3] and None not in found
    assert all(len(set(world)) > 2 for world in found.T)
    twin = played(made(autoreset=autoreset, curriculum=of_seed), 14)
    assert (found == twin).all()


@pytest.mark.parametrize("num", [1, 2, 7])
@pytest.mark.parametrize("threads", [1, 2])
def test_neither_the_number_of_worlds_nor_that_of_threads_matters(num, threads):
    whole = played(made(4), 9)
    found = played(made(num, threads=threads), 9)
    both = min(num, 4)
    assert (found[:, :both] == whole[:, :both]).all()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("policy", ["random", ["random"]], ids=["compiled", "seats"])
def test_rollouts_take_the_same_levels(policy, threads):
    stepped, rolled = made(), made(threads=threads)
    stepped.reset(seed=0), rolled.reset(seed=0)
    rolled.rollout(policy, 9, seed=0)
    for _ in range(30):
        if (stepped.batch.curriculum.seeds == rolled.batch.curriculum.seeds).all():
            break
        step(stepped)
    else:
        raise AssertionError("the rollout has other episodes")
    assert playing(rolled) == [seed % 5 for seed in rolled.batch.curriculum.seeds.tolist()]


def test_the_first_episode_is_that_of_the_single_world():
    env, single = made(3), envsuite.make_parallel(ID, horizon=2, compiled=False, **SIZE)
    env.reset(seed=11)
    for k in range(3):
        single.reset(seed=11 + k, options={"level": LEVELS[(11 + k) % 5]})
        assert single.batch.records.tobytes() == env.batch.records[k : k + 1].tobytes()


def test_a_function_gets_the_seeds_of_the_worlds_and_others_later():
    seeds = []

    def curriculum(seed):
        seeds.append(seed)
        return LEVELS[0] if seed % 2 else None  # None leaves the level to the world

    env = made(curriculum=curriculum, autoreset="same_step")
    env.reset(seed=[5, 5, 2**64 - 1, 0])
    assert seeds == [5, 5, 2**64 - 1, 0] and all(type(seed) is int for seed in seeds)
    assert playing(env)[0] == playing(env)[2] == 0 and playing(env)[3] != 0
    step(env), step(env)
    assert len(seeds) == 8 and seeds[4] == seeds[5] and len(set(seeds)) == 6
    env.reset(options={"reset_mask": np.array([True, False, False, False])})
    assert len(seeds) == 9
    env.reset()
    assert len(seeds) == 13 and len(set(seeds)) > 9


def test_generators_make_levels_for_it():
    env = made(curriculum=lambda seed: generate("maze", seed, "train", **SIZE), autoreset="same_step", num=2)
    first = played(env, 0), [env.world.get_level(env.batch.record(k))["map"] for k in range(2)]
    assert first[1] == [level["map"] for level in LEVELS[:2]]


@pytest.mark.parametrize("form", [Vector, SeatVector])
def test_copies_go_on_with_the_same_levels(form):
    env = made(form=form)
    played(env, 3)
    for copy in (env.clone(), pickle.loads(pickle.dumps(env))):
        assert copy.get_state() == env.get_state()
    copies, levels = [env.clone(), env.clone()], []
    for copy in copies:
        levels.append([])
        for _ in range(6):
            step(copy)
            levels[-1].append(playing(copy))
    assert levels[0] == levels[1] and len({tuple(row) for row in levels[0]}) > 1
    with pytest.raises(SnapshotError, match="parts"):
        made(form=form, curriculum=None).set_state(env.get_state())


@AUTO
def test_vectors_of_one_seat(autoreset):
    env = gymnasium.make_vec(ID, 3, curriculum=LEVELS, horizon=2, compiled=False, autoreset=autoreset, **SIZE)
    found = played(env.unwrapped, 9)
    assert found[0].tolist() == [0, 1, 2] and None not in found


WRONG = [[], (), {}, LEVELS[0], "maze", 5, object(), {1: LEVELS[0]}, np.zeros(3), iter(LEVELS)]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("form", [Vector, SeatVector])
def test_what_is_no_curriculum(form, wrong):
    with pytest.raises(ParameterError, match="curriculum=.* must be a list of levels or a function"):
        made(curriculum=wrong, form=form)


@pytest.mark.parametrize("bad", [{}, {"map": []}, 5, {"map": "x"}, {"map": LEVELS[0]["map"][:3]}], ids=str)
def test_levels_that_the_world_does_not_take(bad):
    with pytest.raises(LevelError, match="level 1 of curriculum"):
        made(curriculum=[LEVELS[0], bad])
    env = made(curriculum=lambda seed: bad)
    with pytest.raises(LevelError):
        env.reset(seed=0)
    with pytest.raises(NotReadyError):
        step(env)
    with pytest.raises(LevelError):
        Vector("envsuite/MatrixGame-v0", 2, curriculum=[{"a": 1}])


@AUTO
@pytest.mark.parametrize("call", ["step", "sums"])
def test_a_level_that_is_refused_at_an_autoreset(autoreset, call):
    """With same_step the transition is done then, and its results are lost; with next_step nothing has changed."""
    env = made(curriculum=lambda seed: LEVELS[seed] if seed < 4 else {"map": []}, autoreset=autoreset)
    env.reset(seed=0)
    if call == "sums":
        with pytest.raises(LevelError):
            env.sums("random", 9)
    else:
        with pytest.raises(LevelError):
            for _ in range(4):
                before = env.get_state()
                step(env)
    if call == "step" and autoreset == "next_step":
        assert env.get_state() == before
    else:
        with pytest.raises(NotReadyError, match="LevelError interrupted the last transition"):
            step(env)
    env.reset(seed=0)
    step(env)


def test_an_illegal_action_leaves_the_levels_as_they_were():
    env = made()
    env.reset(seed=0)
    step(env), step(env)
    assert env.batch.finished.all()
    env.batch.finished[0] = False
    env.batch.commands[0] = 1
    env.batch.acting[0] = 1
    before = env.get_state()
    with pytest.raises(ActionError):
        env.step(np.full((4, 1), 9))
    assert env.get_state() == before


def test_a_level_of_the_options_goes_first():
    env = made(autoreset="same_step")
    env.reset(seed=0, options={"level": LEVELS[4]})
    assert playing(env) == [4] * 4
    step(env), step(env)
    other = made(autoreset="same_step")
    other.reset(seed=0)
    step(other), step(other)
    assert playing(env) == playing(other)


# A level of the options holds for one episode.


@AUTO
@pytest.mark.parametrize("form", [Vector, SeatVector])
def test_levels_that_an_autoreset_loses_are_warned_of_once(autoreset, form):
    env = made(curriculum=None, form=form, autoreset=autoreset)
    env.reset(seed=0, options={"level": [None, None, LEVELS[0], None]})
    with pytest.warns(UserWarning, match=r"Maze-v0: an episode that started from a level .*; curriculum=\.\.\. gives"):
        for _ in range(4):
            step(env)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(4):
            step(env)


@pytest.mark.parametrize("policy", ["random", ["random"]], ids=["compiled", "seats"])
def test_a_rollout_that_loses_levels_warns(policy):
    env = made(curriculum=None)
    env.reset(seed=0, options={"level": LEVELS[:4]})
    with pytest.warns(UserWarning, match="curriculum"):
        env.rollout(policy, 5, seed=0)


def test_no_warning_where_no_level_is_lost():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = made(curriculum=None, autoreset="disabled")
        over = np.ones(4, bool)
        env.reset(seed=0)
        for _ in range(4):
            env.reset(options={"level": LEVELS[0], "reset_mask": over})  # the caller's own curriculum
            step(env), step(env)
        env = made(curriculum=None)
        env.reset(seed=0, options={"level": LEVELS[0]})
        env.reset(seed=0)
        for _ in range(4):
            step(env)
        env = made(autoreset="same_step")
        env.reset(seed=0, options={"level": LEVELS[0]})
        for _ in range(4):
            step(env)
