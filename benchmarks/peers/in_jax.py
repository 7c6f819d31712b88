"""Peers in JAX: ``in_jax.py PACKAGE NAME`` answers with the steps per second of 1,024 worlds of that name.

A step is compiled for all worlds at once, with observations and automatic resets; actions are drawn before. If a step
is so short that the cost of the call might count, the peer may also take several steps in one call. The faster of the
two is measured.

Each function below is a package. It returns three functions: the start of its worlds from random keys, which gives a
state; a step from a state and actions, which also returns the data for the caller; and a choice of actions.
"""

import sys
import time
from functools import partial

from serving import serve  # isort: skip: before anything is printed

import jax
import jax.numpy as jnp

WORLDS = 1024
#: Steps in one call, and the seconds of a step from which on it is not tried.
SCANNED, LONG = 20, 0.004

#: Maps of SMAX; worlds whose legal actions depend on the state.
SMAX = ("3m",)
BY_STATE = ("hanabi", *SMAX)

KEYS = jax.random.split(jax.random.PRNGKey(0), WORLDS)


def uniform(choices, shape=()):
    return lambda state, key: jax.random.randint(key, (WORLDS, *shape), 0, choices)


def navix(name):
    import navix

    env = navix.make(name, observation_fn=navix.observations.symbolic_first_person)

    def step(state, action):
        state = env.step(state, action)
        return state, (state.observation, state.reward, state.step_type)

    return jax.vmap(env.reset), jax.vmap(step), uniform(len(env.action_set))


def xminigrid(name):
    import xminigrid
    from xminigrid.wrappers import GymAutoResetWrapper

    env, params = xminigrid.make(name, view_size=7)
    env = GymAutoResetWrapper(env)

    def step(state, action):
        state = env.step(params, state, action)
        return state, (state.observation, state.reward, state.step_type, state.discount)

    return jax.vmap(partial(env.reset, params)), jax.vmap(step), uniform(env.num_actions(params))


def jumanji(name):
    from jumanji import environments
    from jumanji.environments.routing.sokoban.generator import ToyGenerator
    from jumanji.wrappers import AutoResetWrapper, VmapWrapper

    # Its other levels of Sokoban would have to be downloaded; these are two.
    options = {"generator": ToyGenerator()} if name == "Sokoban" else {}
    env = VmapWrapper(AutoResetWrapper(getattr(environments, name)(**options)))
    spec = env.unwrapped.action_spec
    return lambda keys: env.reset(keys)[0], env.step, uniform(int(jnp.max(jnp.asarray(spec.num_values))), spec.shape)


def jaxmarl(name):
    import jaxmarl

    if name in SMAX:
        from jaxmarl.environments.smax import map_name_to_scenario

        env = jaxmarl.make("HeuristicEnemySMAX", scenario=map_name_to_scenario(name))
    else:
        env = jaxmarl.make(name)
    agents = env.agents

    def step(state, actions):
        given = {agent: actions[:, k] for k, agent in enumerate(agents)}
        observations, state, *rest = jax.vmap(env.step)(KEYS, state, given)
        return state, (observations, *rest)

    def legal_ones(state, key):
        legal = jax.vmap(env.get_avail_actions if name in SMAX else env.get_legal_moves)(state)
        keys = jax.random.split(key, len(agents))
        chosen = [jax.random.categorical(k, jnp.log(legal[agent])) for k, agent in zip(keys, agents)]
        return jnp.stack(chosen, axis=1)

    actions = legal_ones if name in BY_STATE else uniform(env.action_space(agents[0]).n, (len(agents),))
    return lambda keys: jax.vmap(env.reset)(keys)[1], step, actions


def craftax(name):
    """With "optimistic" resets, as its authors train: 64 new worlds at each step for those that are over."""
    from craftax.craftax_env import make_craftax_env_from_name

    env = make_craftax_env_from_name(name, auto_reset=False)
    params, fresh = env.default_params, WORLDS // 16

    def begin(key):
        return jax.vmap(lambda key: env.reset(key, params))(jax.random.split(key, fresh))

    def step(state, actions):
        key, worlds = state
        key, *keys = jax.random.split(key, 4)
        seen, worlds, reward, done, infos = jax.vmap(lambda *given: env.step(*given, params))(
            jax.random.split(keys[0], WORLDS), worlds, actions
        )
        chosen = jax.random.randint(keys[1], (WORLDS,), 0, fresh)

        def renew(old, new):
            return jnp.where(done.reshape(-1, *[1] * (old.ndim - 1)), new[chosen], old)

        seen, worlds = jax.tree.map(renew, (seen, worlds), begin(keys[2]))
        return (key, worlds), (seen, reward, done, infos)

    def start(keys):
        return keys[0], jax.tree.map(lambda array: jnp.repeat(array, WORLDS // fresh, axis=0), begin(keys[1])[1])

    return start, step, uniform(env.num_actions)


def typed_as(tree, like):
    """The same arrays with the types of others, not weak ones either, so that nothing is compiled twice."""
    return jax.tree.map(lambda array, other: jax.lax.convert_element_type(array, other.dtype), tree, like)


def main():
    package, name = sys.argv[1:]
    start, step, choose = globals()[package](name)
    state = jax.jit(start)(KEYS)
    state = typed_as(state, state)

    @jax.jit
    def one(state, action):
        after, seen = step(state, action)
        return typed_as(after, state), seen

    @jax.jit
    def several(state, actions):
        return jax.lax.scan(one, state, actions)

    draw = jax.jit(choose)
    count = 0

    def play(call, at_once, steps):
        """Take this many steps or more; the number taken and the seconds."""
        nonlocal state, count
        seconds, calls = 0.0, -(-steps // at_once)
        for _ in range(calls):
            keys = jax.random.split(jax.random.PRNGKey(count), at_once)
            count += 1
            if at_once == 1:
                actions = draw(state, keys[0])
            else:
                actions = jnp.stack([draw(state, key) for key in keys])
            jax.block_until_ready(actions)
            begin = time.perf_counter()
            state, _ = jax.block_until_ready(call(state, actions))
            seconds += time.perf_counter() - begin
        return WORLDS * at_once * calls, seconds

    by_calls, by_scans = partial(play, one, 1), partial(play, several, SCANNED)
    by_calls(1)
    steps, seconds = by_calls(5)
    fastest = by_calls
    if seconds / steps * WORLDS < LONG and name not in BY_STATE:
        by_scans(1)
        rates = [steps / seconds for steps, seconds in (by_calls(5 * SCANNED), by_scans(5 * SCANNED))]
        fastest = by_scans if rates[1] > rates[0] else by_calls
    serve(fastest)


if __name__ == "__main__":
    main()
