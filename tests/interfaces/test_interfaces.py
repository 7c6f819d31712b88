"""The interfaces, beyond what `check_world` demands of every world: registries, seats, options, text."""

import gymnasium
import numpy as np
import pettingzoo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import envsuite
from envsuite import registry
from envsuite.agents import Policy
from envsuite.core.errors import ActionError, AgentError, LevelError, NotReadyError, ParameterError
from envsuite.reading import read_action
from envsuite.render.scene import Scene
from envsuite.testing import random_actions

CONNECT_FOUR = "envsuite/ConnectFour-v0"


@pytest.mark.parametrize("id", envsuite.ids())
def test_every_registry_makes_every_id(id):
    assert gymnasium.make(id).unwrapped.world.id == id
    assert gymnasium.make_vec(id, num_envs=2).world.id == id
    if hasattr(pettingzoo, "make"):  # since PettingZoo 1.27
        assert pettingzoo.make("aec", id).world.id == id
        assert pettingzoo.make("parallel", id).world.id == id
    assert envsuite.make_vec(id, 2).world.id == id


def test_pettingzoo_before_its_registry(monkeypatch):
    monkeypatch.delattr(pettingzoo, "register", raising=False)
    monkeypatch.setattr(registry, "_SPECS", {})
    monkeypatch.setattr(gymnasium, "register", lambda id, **options: None)
    registry.register("lab/TicTacToe-v0", "envsuite.games.tic_tac_toe:TicTacToe")
    assert envsuite.make_aec("lab/TicTacToe-v0").world.id == "lab/TicTacToe-v0"


def test_pettingzoo_modules():
    from envsuite.games import connect_four

    env = connect_four.env(rows=5)
    assert isinstance(env, pettingzoo.AECEnv) and env.world.id == CONNECT_FOUR and env.world.parameters["rows"] == 5
    assert isinstance(connect_four.raw_env(), pettingzoo.AECEnv)
    assert isinstance(connect_four.parallel_env(), pettingzoo.ParallelEnv)


def test_gymnasium_vectorisation_modes():
    for mode in ("sync", "vector_entry_point"):
        envs = gymnasium.make_vec("envsuite/DoorKey-v0", num_envs=3, vectorization_mode=mode, size=5)
        seen, _ = envs.reset(seed=3)
        assert seen["image"].shape == (3, 7, 7, 3)
    single = gymnasium.make("envsuite/DoorKey-v0", size=5)
    seen, _ = single.reset(seed=5)
    vector = gymnasium.make_vec("envsuite/DoorKey-v0", num_envs=3, size=5)
    many, _ = vector.reset(seed=3)
    assert (many["image"][2] == seen["image"]).all()


class Leftmost(Policy):
    """Plays the leftmost legal column: a policy in plain Python."""

    def act(self, observation, mask, agent=0):
        return int(np.flatnonzero(mask)[0])


def test_seat_against_a_policy_of_ones_own():
    env = gymnasium.make(CONNECT_FOUR, agent="player_1", opponents=Leftmost())
    seen, info = env.reset(seed=0)
    assert seen["observation"][0, 0].tolist() == [0, 1]  # the opponent has moved in the leftmost column
    for column in (1, 1, 1):
        seen, reward, ended, cut, info = env.step(column)
    assert (reward, ended) == (-1.0, True)  # four in the leftmost column: four on top of each other
    with pytest.raises(NotReadyError, match="over"):
        env.unwrapped.step(0)


def test_rollout_with_python_policies_equals_the_compiled_kind():
    class Random(Leftmost):
        pass

    envs = envsuite.make_vec(CONNECT_FOUR, 4)
    envs.reset(0)
    totals = envs.rollout({"player_0": Random(), "player_1": "random"}, 60, seed=1)
    assert totals.steps == 240 and totals.decisions == 240 and totals.episodes > 0
    compiled, stepwise = envsuite.make_vec(CONNECT_FOUR, 16), envsuite.make_vec(CONNECT_FOUR, 16)
    for envs in (compiled, stepwise):
        envs.reset(7)
    policy = envsuite.make_policy("random", CONNECT_FOUR)
    inside = compiled.rollout("random", 100, seed=3)
    outside = stepwise.rollout({"player_0": policy, "player_1": policy}, 50, seed=3)
    again = stepwise.rollout({"player_0": policy, "player_1": policy}, 50)
    assert inside.episodes == outside.episodes + again.episodes
    assert (inside.rewards == outside.rewards + again.rewards).all()
    assert compiled.get_state() == stepwise.get_state()


def test_policies_refuse_what_does_not_fit():
    policy = envsuite.make_policy("tactical", CONNECT_FOUR)
    seen, mask = np.zeros((6, 7, 2), np.int8), np.ones(7, np.int8)
    assert policy.act(seen, mask) == policy.act({"observation": seen, "action_mask": mask}, mask) == 3
    for wrong in (seen[:5], seen.astype(float), {"board": seen}, 3):
        with pytest.raises(ParameterError, match="observ"):
            policy.act(wrong, mask)
    for wrong in (mask[:3], np.ones((7, 7), np.int8), np.ones(8, np.int8)):
        with pytest.raises(ParameterError, match="mask"):
            policy.act(seen, wrong)
    with pytest.raises(ActionError, match="no action"):
        policy.act(seen, mask * 0)
    with pytest.raises(ParameterError, match="no agents"):
        policy.act_batch(seen[None, None], mask[None, None], [2])
    with pytest.raises(ParameterError, match="no parameter 'cell'"):  # a variable is not for users
        envsuite.make_policy("solver", "DoorKey", cell=10**9)
    envs = envsuite.make_vec("DoorKey", 3)
    seen, infos = envs.reset(0)  # a vector's observations go in as they are
    assert envsuite.make_policy("solver", envs).act_batch(seen, infos["action_mask"], [0]).shape == (3, 1)


def test_mixed_policies_in_a_rollout():
    envs = envsuite.make_vec(CONNECT_FOUR, 64)
    totals = envs.rollout({"player_0": Leftmost(), "player_1": "random"}, 100, seed=0)
    assert totals.returns[0] == -totals.returns[1] and totals.returns[0] > 0.2  # its column is soon full
    with pytest.raises(ParameterError, match="nobody plays player_1; the agents are player_0, player_1"):
        envs.rollout({"player_0": "random"}, 10)
    with pytest.raises(ParameterError, match="steps"):
        envs.rollout("random", 0)


def test_vector_without_copies_guards_its_masks():
    envs = envsuite.make_vec(CONNECT_FOUR, 2, copy=False)
    seen, infos = envs.reset(0)
    assert seen is envs.batch.observations
    with pytest.raises(ValueError, match="read-only"):
        infos["action_mask"][:] = 1


def test_flatten_shares_parameters():
    envs = envsuite.make_vec(CONNECT_FOUR, 3)
    flat = envs.flatten()
    assert isinstance(flat, gymnasium.vector.VectorEnv) and flat.num_envs == 6
    seen, infos = flat.reset(seed=0)
    assert seen.shape == (6, 6, 7, 2) and infos["action_mask"].any(axis=1).tolist() == [True, False] * 3
    with pytest.raises(ActionError, match=r"shape \(6,\)"):
        flat.step(np.zeros(5, int))


def test_levels():
    env = envsuite.make_parallel(CONNECT_FOUR)
    env.reset(options={"level": {"moves": [3, 3]}})
    assert env.level == {"moves": [3, 3]}
    env.reset()
    assert env.level == {"moves": []}
    state = env.get_state()
    for level, words in (
        ({"moves": [9]}, "not a move of this game"),
        ({"moves": [0] * 7}, "is illegal"),
        ({"moves": "x"}, "move 0 of the level, 'x'"),
        ({"moves": 7}, "cannot be read"),
        ({}, "lacks 'moves'"),
        ("moves", "is a mapping"),
    ):
        with pytest.raises(LevelError, match=words):
            env.reset(options={"level": level})
    assert env.get_state() == state
    envs = envsuite.make_vec(CONNECT_FOUR, 2)
    with pytest.raises(ParameterError, match=r"options\['level'\] has 3 entries for 2 worlds"):
        envs.reset(options={"level": [{"moves": []}] * 3})


def test_aec_refuses_what_is_not_its_turn():
    env = envsuite.make_aec(CONNECT_FOUR)
    with pytest.raises(NotReadyError, match="reset"):
        env.step(0)
    env.reset(seed=0)
    with pytest.raises(AgentError, match="no agent 'player_2'; did you mean"):
        env.observe("player_2")
    for column in (0, 1, 0, 1, 0, 1, 0):
        env.step(column)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    with pytest.raises(ActionError, match="only action is None"):
        env.step(2)
    env.step(None)
    env.step(None)
    assert env.agents == []


NAMES = ["pass", "catch 1", "catch 12", "propose limit 10"]


@pytest.mark.parametrize(
    "answer, action",
    [
        ("catch 12", 2),
        ("  Catch   12. ", 2),
        ("I think I will catch 12 this time", 2),
        ("I catch 1!", 1),
        ("12", 2),
        ("10.", 3),
        ("My answer: propose limit 10", 3),
    ],
)
def test_parse_action(answer, action):
    assert read_action(NAMES, answer, range(4)) == action


def test_parse_action_by_other_words():
    words = {"wait": "pass", "all": "catch 12", "jump": "not an action"}
    assert read_action(NAMES, "I wait", range(4), words) == read_action(NAMES, "wait", [], words) == 0
    assert read_action(NAMES, "all, I mean catch 12", range(4), words) == 2
    with pytest.raises(ActionError, match="more than one action: pass, catch 12"):
        read_action(NAMES, "all of it: wait", range(4), words)
    with pytest.raises(ActionError, match="names no action"):
        read_action(NAMES, "jump", range(4), words)


@pytest.mark.parametrize(
    "answer, words",
    [
        ("catch 1 or pass", "more than one action: pass, catch 1"),
        ("catch 13", "did you mean 'catch 1' or 'catch 12'"),
        ("", "names no action"),
    ],
)
def test_parse_action_refuses(answer, words):
    with pytest.raises(ActionError, match=words):
        read_action(NAMES, answer, range(4))


def test_text_interface():
    env = envsuite.make_aec(CONNECT_FOUR)
    env.reset(seed=0)
    assert env.action_names("player_0") == [f"column {c}" for c in range(1, 8)]
    assert env.action_names("player_1", legal=True) == []
    env.step(env.parse_action("player_0", "I drop it into column 4"))
    assert "X" in env.text("player_1") and "your turn" in env.text("player_1")
    assert "Two players drop discs" in env.rules()


def test_human_mode_opens_one_window_and_ansi_gives_text():
    env = envsuite.make_aec(CONNECT_FOUR, render_mode="human")
    env.reset(seed=0)
    env.step(3)
    assert env.render() is None
    env.close()
    env = envsuite.make_aec(CONNECT_FOUR, render_mode="ansi_list")
    env.reset(seed=0)
    env.step(3)
    frames = env.render()
    assert len(frames) == 2 and frames[0] != frames[1] and env.render() == []


def test_checkers_of_the_ecosystem_find_make_vec_usable():
    envs = gymnasium.make_vec(CONNECT_FOUR, num_envs=4)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    _, infos = wrapped.reset(seed=0)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(60):
        actions = (rng.random((4, 7)) * infos["action_mask"]).argmax(axis=1)
        _, _, terminated, truncated, infos = wrapped.step(actions)
        ended += int((terminated | truncated).sum())
        if "episode" in infos:
            assert set(np.abs(infos["episode"]["r"][infos["_episode"]])) <= {0.0, 1.0}
    assert ended > 4


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(-2, 8), max_size=60))
def test_any_sequence_of_columns_is_played_or_refused(columns):
    env = envsuite.make_aec(CONNECT_FOUR)
    env.reset(seed=0)
    for column in columns:
        _, _, ended, cut, info = env.last()
        if ended or cut:
            break
        state, mask = env.get_state(), info["action_mask"]
        if 0 <= column < 7 and mask[column]:
            env.step(column)
            assert env.get_state() != state
        else:
            with pytest.raises(ActionError):
                env.step(column)
            assert env.get_state() == state
    heights = env.batch.records["heights"][0]
    assert heights.max() <= 6 and heights.sum() == env.batch.records["t"][0]


def test_vectors_give_observations_away():
    """What a step returned stays as it is, and what the caller does to it changes nothing."""
    envs, twin = (envsuite.make_vec(CONNECT_FOUR, 3, copy=copy) for copy in (True, False))
    rng = np.random.default_rng(0)
    seen, infos = envs.reset(seed=0)
    twin.reset(seed=0)
    for k in range(60):
        held = seen.copy()
        actions = random_actions(infos["action_mask"], rng)
        later, *_, infos = envs.step(actions)
        twin.step(actions)
        assert (seen == held).all() and (later == twin.batch.observations).all()
        later[:] = 1 - later  # the caller's own
        assert (envs.state() == twin.batch.observations).all()
        if k == 30:
            assert (envs.reset(options={"reset_mask": np.array([True, False, True])})[0][1] == twin.state()[1]).all()
            twin.reset(options={"reset_mask": np.array([True, False, True])})
        seen = later
    envs.set_state(envs.get_state())
    assert (envs.state() == twin.state()).all()


def test_frames_keep_their_shape_when_scenes_grow(monkeypatch):
    env = gymnasium.make(CONNECT_FOUR, render_mode="rgb_array").unwrapped
    env.reset(seed=0)
    first, scene = env.render(), env.scene()
    monkeypatch.setattr(type(env.world), "scene", lambda *_: Scene(scene.width, 2 * scene.height, scene.shapes))
    second = env.render()
    assert second.shape == first.shape and (second != first).any()
    vector = envsuite.make_vec(CONNECT_FOUR, 2)
    vector.reset(seed=0)
    taller = vector.render(0)
    monkeypatch.undo()
    assert vector.render(1).shape == taller.shape
