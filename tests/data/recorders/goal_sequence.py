"""Record the goal sequence of FLAIROx.

    python tests/data/recorders/goal_sequence.py FOLDER tests/data/GoalSequence/goal_sequence.npz

FOLDER is goal_seq/env of FLAIROx/cultural-accumulation, commit 6b0df15; jax, flax and chex must be installed. Its
in_context_env_eval.py runs unchanged, but for two names: gymnax's spaces are replaced, since only their shapes are
used, and jax.tree_map is the function of that name in today's jax. Goals that it draws on one cell are drawn again.

Agents go toward their next goal or act at random. Of each step of an episode the file holds the actions, rewards, cells
(7 y + x), facings, whether the guide was dropped from the learner's view, and both views: 0 nothing, 1 a wall, 2 to 4
a goal (for the guide 2 another goal, 3 its next one), 5 an agent.
"""

import sys
import types

import numpy as np

EPISODES, STEPS = 6, 204


def load(folder):
    for name in ("gymnax", "gymnax.environments", "gymnax.environments.spaces"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["gymnax.environments.spaces"].Box = sys.modules["gymnax.environments.spaces"].Discrete = (
        lambda *args, **kwargs: None
    )
    import jax

    jax.tree_map = jax.tree_util.tree_map
    sys.path.insert(0, folder)
    from in_context_env_eval import GoalSequence

    return jax, GoalSequence()


def toward(rng, state, agent):
    """An action: mostly one that leads to the agent's next goal. With a score of -1, which is the lowest one that the
    source can deal with, it does not lead to another goal."""
    order, goals = np.array(state.sequence), np.array(state.goals_pos).astype(int)
    target = goals[order[int(state.scores[agent]) + 1]]
    facing = int(state.agents_dir_idx[agent])
    x, y = (target - np.array(state.agents_pos[agent]).astype(int)).tolist()
    ahead, right = [(x, y), (y, -x), (-x, -y), (-y, x)][facing]
    action = 2 if ahead > 0 else 1 if right > 0 else 0
    if rng.random() < 0.3 or (x, y) == (0, 0):
        action = int(rng.integers(3))
    front = np.clip(target - (x, y) + [(1, 0), (0, 1), (-1, 0), (0, -1)][facing], 0, 6)
    bad = (goals == front).all(axis=1).any() and (front != target).any()
    return 0 if bad and action == 2 and state.scores[agent] <= -1 else action


def main(folder, file):
    jax, env = load(folder)
    rng, held = np.random.default_rng(0), {}
    seed = 0
    for _ in range(EPISODES):
        while True:
            key, seed = jax.random.PRNGKey(seed), seed + 1
            obs, state = env.reset_env(key)
            if len(np.unique(np.array(state.goals_pos), axis=0)) == 3:
                break
        rows = [("goals", np.array(state.goals_pos)), ("order", np.array(state.sequence))]
        rows.append(("first", views(obs)))
        for _ in range(STEPS):
            key, now = jax.random.split(key)
            actions = [toward(rng, state, agent) for agent in range(2)]
            obs, state, rewards, done, _ = env.step_env(now, state, jax.numpy.array(actions), 1.0, 1.0)
            assert not done  # the source ends with the first step of a fifth trial
            place = np.array(state.agents_pos).astype(int)
            rows += [("actions", actions), ("rewards", np.array(rewards)), ("cells", place @ [1, 7])]
            rows += [
                ("facings", np.array(state.agents_dir_idx)),
                ("dropped", bool(state.dropped)),
                ("views", views(obs)),
            ]
        for name, value in rows:
            held.setdefault(name, []).append(value)
    whole = {name: np.array(values) for name, values in held.items()}
    shaped = {
        name: values if len(values) == EPISODES else values.reshape(EPISODES, STEPS, *values.shape[1:])
        for name, values in whole.items()
    }
    np.savez_compressed(file, **{name: values.astype(np.int8) for name, values in shaped.items()})


def views(obs):
    images = np.array([obs[f"agent_{agent}"]["image"] for agent in range(2)])
    return np.where(images.any(axis=-1), images.argmax(axis=-1) + 1, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
