"""Particles: discs that push, chase, hide and talk in a plane; the eight scenarios of MPE.

**Rules.** Agents and landmarks are discs in a plane. Agents move, say words, or both. A step takes 0.1 s:

1. An agent's force is its push, (x, y) from -1 to 1, times 5, or times 3 and 4 for the pursuers and the prey of `tag`
   and `world_comm`. All masses are 1.
2. Discs that collide repel each other: the force is 100 times the depth 0.001 log(1 + exp((r - d) / 0.001)), for the
   distance d of the centers and the sum r of the radii. Pairs are added in the order of their numbers.
3. Positions move by 0.1 times the velocity of before; velocities become 0.75 v + 0.1 F. Speeds above the maximum of an
   agent are scaled down to it: 1 for pursuers and 1.3 for prey, no maximum otherwise.
4. Words that are said can be heard from the next step on.

Positions are drawn from the square from -1 to 1, those of landmarks in `tag` and `world_comm` from -0.9 to 0.9; goals
are drawn too. Nothing stops an agent at the edge.

**Agents.**

| scenario | agents | landmarks | task |
|---|---|---|---|
| spread | `agent_0` ... | one per agent | cover all landmarks without touching each other |
| adversary | `adversary_0`, `agent_0` ... | one per good agent | reach the goal, which the adversary does not know |
| push | `adversary_0`, `agent_0` | 2 | the agent reaches the goal, the adversary pushes it away |
| tag | `adversary_0` ..., `agent_0` ... | 2 obstacles | the adversaries touch the faster prey, the agents |
| speaker_listener | `speaker_0`, `listener_0` | 3 | the speaker knows the goal, the listener moves |
| reference | `agent_0`, `agent_1` | 3 | each moves, and knows the goal of the other |
| crypto | `eve_0`, `bob_0`, `alice_0` | none seen | alice sends bob a secret under a key that eve lacks |
| world_comm | `leadadversary_0`, `adversary_0` ..., `agent_0` ... | 5 | tag with food, and forests that hide |

The landmarks of world_comm are an obstacle, two pieces of food and two forests, in this order.

**Observation.** Dict of float32; an agent has some of these parts. Places are relative to it, except `position`. L, A,
P and W are the numbers of landmarks, agents, prey and words.

| part | space | content | seen by |
|---|---|---|---|
| velocity | Box (2,) | its velocity | all that move, except in adversary |
| position | Box (2,) | its place in the plane | spread, tag, world_comm |
| goal | Box (2,) | the place of the goal | agents of adversary and push |
| color | Box (3,) | the color of the goal that it knows | agent of push, speaker, reference |
| landmarks | Box (L, 2) | the places of all landmarks | all that move |
| colors | Box (L, 3) | the colors of the landmarks | agent of push |
| others | Box (A-1, 2) | the places of the other agents | spread, adversary, push, tag, world_comm |
| prey | Box (P, 2) | the velocities of the prey | adversaries of tag and world_comm |
| fellows | Box (P-1, 2) | the velocities of the other prey, if there are any | prey of tag and world_comm |
| forests | Box (2,) | 1 inside a forest, else -1 | world_comm |
| message | Box (4,) | the secret: 1 for its word | alice |
| key | Box (4,) | the key: 1 for its word | alice and bob |
| heard | Box (W,) | what the speaker, partner, alice or lead adversary said | all that can hear it |

Listener, reference, eve, bob and the adversaries of world_comm can hear. In world_comm, an agent's place in `others`
and its velocity are 0 unless both are in one forest, both are in none, or the observer is the lead adversary.

**Actions.** With `controls="discrete"` Discrete: moves, words, or pairs of both.

| action | name | agents |
|---|---|---|
| 0 to 4 | `noop`, `left`, `right`, `down`, `up` | that move |
| 0 to W-1 | `say a`, `say b` ... | that speak |
| move + 5 word | `noop, say a`, `left, say a` ... `up, say j` | that do both |

With `controls="continuous"` Box from 0 to 1, (D,) float32: `noop`, `left`, `right`, `down`, `up` for agents that move,
then `say a`, `say b` ... for agents that speak. The push is (`right` - `left`, `up` - `down`); `noop` does nothing.
What is said is heard as these numbers.

The speaker has 3 words, alice, bob, eve and the lead adversary have 4, the agents of reference 10.

**Window.** The arrow keys move and the space bar does nothing; the letters a to d say words where agents only speak.

**Rewards.** In each step; d is a distance of centers. Two discs touch if d is below the sum of their radii.

| agents | reward |
|---|---|
| spread, all | -`local` for each other agent that touches it, and -(1 - `local`) times the sum described below |
| adversary, adversary | minus its d to the goal |
| adversary, agents | d of the adversary to the goal, minus the least d of an agent to it |
| push, agent | minus its d to the goal |
| push, adversary | d of the agent to the goal, minus its own |
| tag, adversaries | 10 for each pair of an adversary and a prey that touch |
| tag, prey | -10 for each adversary that touches it, -B(x) - B(y) |
| speaker_listener, both | minus the square of d of the listener to the goal |
| reference, both | minus `local` times d of the other to its goal, minus 1 - `local` times the mean of both d |
| crypto, eve | minus her squared error |
| crypto, bob and alice | eve's squared error minus bob's |
| world_comm, adversaries | 5 for each pair that touches, -0.1 d to the nearest prey |
| world_comm, prey | -5 for each adversary that touches it, 2 for food, -0.05 d to the nearest food, -2 B(x) - 2 B(y) |

- The sum of spread goes over the landmarks: the least d of an agent to each.
- B keeps prey near the middle. With a = abs(x), it is 0 below 0.9, 10 (a - 0.9) below 1, then min(exp(2 a - 2), 10).
- The squared error of crypto is that between the four numbers said and the secret; 0 for an agent that says nothing.

**Ends.** Truncates after `horizon` steps. With `until_success`, terminates when each landmark of spread has an agent
within 0.1, or when every prey of tag is touched.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `scenario` | "spread" | one of the eight |
| `controls` | "discrete" | "discrete" actions with names, or "continuous" numbers |
| `agents` | 0 | agents of spread, good agents of adversary, prey of tag and world_comm, up to 16; 0 is 3, 2, 1, 2 |
| `adversaries` | 0 | adversaries of tag and world_comm, up to 16; 0 is 3 and 4 |
| `horizon` | 25 | steps, from 1 to 1000 |
| `local` | 0.5 | weight of an agent's own reward in spread and reference, from 0 to 1 |
| `prey_speed` | 1.0 | factor of the force and of the maximum speed of prey, from 0.1 to 2 |
| `until_success` | False | whether spread and tag end with success |

**Level.** ``{"agents": [[0, 0], [0.5, 0.2]], "landmarks": [[0, 0], [1, 1], [-1, 0.5]], "goals": [2]}``: the places of
the agents and landmarks, with numbers from -10 to 10, and goals by the numbers of their landmarks: the goal of
adversary, push and speaker_listener; those of `agent_1` and of `agent_0` in reference; the words of secret and key in
crypto.

**Known values.** From rest, an agent alone that pushes `right` is 4.200602 further on after 25 steps, with velocity
1.998495; a pursuer 2.224072, and a prey 2.903906.

**Differences.** From `mpe2` 1.1.1:

- Observations have parts. The vectors of `mpe2` hold their entries in the order of the table, but in reference `color`
  follows `landmarks`, and for prey of world_comm `forests` precedes `fellows`. In spread, `mpe2` adds two zeros for
  each other agent, the words that nobody can say.
- Discs whose centers coincide do not push each other. In `mpe2`, their places become NaN.
- Discs do not push each other where their edges are .04 or more apart. In `mpe2`, the force there is below 5e-19.
- Numbers outside the box are errors, or clipped with `on_illegal="clip"`. `mpe2` always clips.
- `mpe2` has options to observe the nearest entities only, and for other numbers of obstacles, food and forests.
- Random numbers differ.

**Source.** Lowe, Wu, Tamar, Harb, Abbeel and Mordatch, "Multi-agent actor-critic for mixed cooperative-competitive
environments", 2017; Mordatch and Abbeel, "Emergence of grounded compositional language in multi-agent populations",
2018; the maintained version `mpe2` of the Farama Foundation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.arrays import fill
from envsuite.core.elementary import exp
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.levels import read_numbers
from envsuite.core.page import listed
from envsuite.core.ranges import among, below, fixed, within
from envsuite.core.world import Between, Kernels, World
from envsuite.games.particles import pages, view
from envsuite.kit.plane import cap, distance, push
from envsuite.registry import pettingzoo_forms

DT, DAMPING, STIFFNESS, MARGIN = 0.1, 0.25, 100.0, 0.001

#: Agents and landmarks get no further than this.
REACH = 1e6

#: The largest coordinate in a level.
WIDEST = 10.0

#: The radius within which an agent covers a landmark, for `until_success`.
COVERED = 0.1

MOVES = ("noop", "left", "right", "down", "up")
LETTERS = "abcdefghij"

SCENARIOS = ("spread", "adversary", "push", "tag", "speaker_listener", "reference", "crypto", "world_comm")
SPREAD, ADVERSARY, PUSH, TAG, SPEAKER, REFERENCE, CRYPTO, WORLD = range(8)

#: The first piece of food and the first forest among the landmarks of world_comm.
FOOD, FORESTS = 1, 3


class Setup(NamedTuple):
    """What the scenario and the numbers of agents decide, by agent or landmark."""

    names: list[str]
    adversaries: int
    words: list[int]  # that each agent can say
    moves: list[bool]
    radius: list[float]  # of agents, then landmarks
    collides: list[bool]
    accel: list[float]
    most: list[float]  # the maximum speed
    landmarks: int
    goals: int


def setup(scenario: str, agents: int, adversaries: int) -> Setup:
    """The agents and landmarks of a scenario; numbers that are 0 are the usual ones."""
    usual = {"spread": (3, 0), "adversary": (2, 1), "push": (1, 1), "tag": (1, 3), "world_comm": (2, 4)}
    if scenario not in ("spread", "adversary", "tag", "world_comm") and agents:
        raise ParameterError(f"Particles: agents={agents} is for spread, adversary, tag and world_comm")
    if scenario not in ("tag", "world_comm") and adversaries:
        raise ParameterError(f"Particles: adversaries={adversaries} is for tag and world_comm")
    good, bad = usual.get(scenario, (2, 0))
    good, bad = agents or good, adversaries or bad
    count, chase = good + bad, scenario in ("tag", "world_comm")
    names = [f"adversary_{k}" for k in range(bad)] + [f"agent_{k}" for k in range(good)]
    words, moves, goals = [0] * count, [True] * count, 0
    radius, collides = [0.15] * count, [scenario in ("spread", "push") or chase] * count
    landmarks, sizes, solid = {"spread": good, "adversary": good, "push": 2}.get(scenario, 3), 0.05, 0
    if scenario in ("adversary", "push"):
        goals, radius = 1, radius if scenario == "adversary" else [0.05] * count
        sizes = 0.08 if scenario == "adversary" else 0.05
    if chase:
        radius, landmarks, solid = [0.075] * bad + [0.05 if scenario == "tag" else 0.045] * good, 2, 2
    if scenario == "speaker_listener":
        names, words, moves = ["speaker_0", "listener_0"], [3, 0], [False, True]
        radius, sizes, goals = [0.075] * 2, 0.04, 1
    if scenario == "reference":
        words, radius, goals = [10, 10], [0.05] * 2, 2
    if scenario == "crypto":
        names, words, moves = ["eve_0", "bob_0", "alice_0"], [4] * 3, [False] * 3
        radius, collides, landmarks, goals, bad = [0.05] * 3, [False] * 3, 2, 2, 1
    if scenario == "world_comm":
        names = ["leadadversary_0", *names[: bad - 1], *names[bad:]]
        words, landmarks, solid = [4] + [0] * (count - 1), 5, 1
    shapes = {"tag": [0.2] * 2, "world_comm": [0.2, 0.03, 0.03, 0.3, 0.3]}.get(scenario, [sizes] * landmarks)
    return Setup(
        names, bad, words, moves, radius + shapes, collides + [k < solid for k in range(landmarks)],
        [3.0] * bad + [4.0] * good if chase else [5.0] * len(names),
        [1.0] * bad + [1.3] * good if chase else [REACH] * len(names), landmarks, goals,
    )  # fmt: skip


def fields(agents: int, landmarks: int, words: int) -> list[tuple]:
    """The record."""
    place, start = within(np.float64, -REACH, REACH), within(np.float64, -WIDEST, WIDEST)
    return [
        ("position", place, (agents, 2)),
        ("velocity", place, (agents, 2)),
        ("force", place, (agents, 2)),  # of the last step
        ("said", within(np.float64, 0.0, 1.0), (agents, words)),  # the last word of each agent, or its numbers
        ("landmarks", start, (landmarks, 2)),
        ("goals", below(np.int64, landmarks), (2,)),  # see the level; 0 where the scenario has fewer
        ("started", start, (agents, 2)),  # the positions at the start
    ]


@kernel
def reset(s):
    """Draw goals, agents and landmarks in this order."""
    agents, landmarks = s.position.shape[0], s.landmarks.shape[0]
    if not s.level_given:
        for k in range(2):
            s.goals[k] = random.randint(s, landmarks) if k < s.params.goals else 0
        for a in range(agents):
            for k in range(2):
                s.started[a, k] = 2.0 * random.uniform(s) - 1.0
        side = 0.9 if chases(s) else 1.0
        for j in range(landmarks):
            for k in range(2):
                s.landmarks[j, k] = side * (2.0 * random.uniform(s) - 1.0)
    for a in range(agents):
        for k in range(2):
            s.position[a, k] = s.started[a, k]
            s.velocity[a, k] = 0.0
            s.force[a, k] = 0.0
        for k in range(s.said.shape[1]):
            s.said[a, k] = 0.0


@kernel
def chases(s):
    """Whether this is tag or world_comm."""
    return s.params.scenario == TAG or s.params.scenario == WORLD


@kernel
def order(s, agent, x, y):
    """Set an agent's force to its push."""
    strength = s.params.accel[agent]
    if agent >= s.params.adversaries and chases(s):
        strength *= s.params.prey_speed
    s.force[agent, 0] = strength * x if s.params.moves[agent] else 0.0
    s.force[agent, 1] = strength * y if s.params.moves[agent] else 0.0


@kernel
def step(s, actions, rewards):
    """A step by actions with names: move + 5 * word, or a word for agents that only speak."""
    for a in range(s.position.shape[0]):
        action = np.uint32(actions[a])  # unsigned: quicker to divide
        move, word = np.uint32(0), action
        if s.params.moves[a]:
            move, word = action % np.uint32(5), action // np.uint32(5)
        order(s, a, 1.0 * (move == 2) - 1.0 * (move == 1), 1.0 * (move == 4) - 1.0 * (move == 3))
        for k in range(s.said.shape[1]):
            s.said[a, k] = 1.0 if k == word and k < s.params.words[a] else 0.0
    advance(s, rewards)


@kernel
def steer(s, controls, rewards):
    """A step by numbers; differences are rounded to float32, as in `mpe2`."""
    for a in range(s.position.shape[0]):
        first = 0
        if s.params.moves[a]:
            first = 5
            order(
                s, a, np.float64(np.float32(controls[a, 2] - controls[a, 1])),
                np.float64(np.float32(controls[a, 4] - controls[a, 3])),
            )  # fmt: skip
        for k in range(s.said.shape[1]):
            s.said[a, k] = np.float64(controls[a, first + k]) if k < s.params.words[a] else 0.0
    advance(s, rewards)


@kernel
def advance(s, rewards):
    """Contacts, motion, rewards and the end."""
    contacts(s)
    for a in range(s.position.shape[0]):
        if s.params.moves[a]:
            for k in range(2):
                s.position[a, k] += s.velocity[a, k] * DT
                s.velocity[a, k] = s.velocity[a, k] * (1.0 - DAMPING) + s.force[a, k] * DT
            most = s.params.most[a]
            if a >= s.params.adversaries and chases(s):
                most *= s.params.prey_speed
            cap(s.velocity, a, most)
    pay(s, rewards)
    over = s.t >= s.params.horizon
    done = s.params.until_success != 0 and not over and succeeded(s)
    fill(s.truncated, over)
    fill(s.terminated, done)


@large_kernel
def contacts(s):
    """Add the forces of all pairs of discs that collide, agents before landmarks."""
    agents, landmarks = s.position.shape[0], s.landmarks.shape[0]
    for a in range(agents):
        if s.params.collides[a]:
            for b in range(a + 1, agents + landmarks):
                if s.params.collides[b]:
                    x, y = s.position[a, 0], s.position[a, 1]
                    if b < agents:
                        x -= s.position[b, 0]
                        y -= s.position[b, 1]
                    else:
                        x -= s.landmarks[b - agents, 0]
                        y -= s.landmarks[b - agents, 1]
                    touch = s.params.radius[a] + s.params.radius[b]
                    push(s.force, a, b, x, y, touch, STIFFNESS, MARGIN, b < agents)


# Distances and rewards.


@kernel
def between(s, a, b):
    """The distance of two agents."""
    return distance(s.position[a, 0] - s.position[b, 0], s.position[a, 1] - s.position[b, 1])


@kernel
def to_landmark(s, agent, j):
    """The distance of an agent to a landmark."""
    return distance(s.position[agent, 0] - s.landmarks[j, 0], s.position[agent, 1] - s.landmarks[j, 1])


@kernel
def touch(s, a, b):
    """Whether two agents touch."""
    x, y = s.position[a, 0] - s.position[b, 0], s.position[a, 1] - s.position[b, 1]
    reach = s.params.radius[a] + s.params.radius[b]
    return x * x + y * y < reach * reach


@kernel
def inside(s, agent, j):
    """Whether an agent touches a landmark."""
    return to_landmark(s, agent, j) < s.params.radius[agent] + s.params.radius[s.position.shape[0] + j]


@large_kernel
def nearest(s, j, first):
    """The least distance of an agent from number `first` on to a landmark."""
    least = 1e300
    for a in range(first, s.position.shape[0]):
        x, y = s.position[a, 0] - s.landmarks[j, 0], s.position[a, 1] - s.landmarks[j, 1]
        least = min(least, x * x + y * y)
    return math.sqrt(least)


@large_kernel
def touched(s, agent):
    """The number of adversaries that touch an agent."""
    count = 0
    for b in range(s.params.adversaries):
        count += touch(s, agent, b)
    return count


@kernel
def edge(x):
    """The penalty B for a coordinate near or beyond the edge."""
    x = abs(x)
    if x < 0.9:
        return 0.0
    if x < 1.0:
        return (x - 0.9) * 10.0
    return min(exp(2.0 * x - 2.0), 10.0)


@large_kernel
def succeeded(s):
    """Whether agents cover all landmarks in spread, or adversaries touch all prey in tag."""
    done = s.params.scenario == SPREAD or s.params.scenario == TAG
    if s.params.scenario == SPREAD:
        for j in range(s.landmarks.shape[0]):
            done = done and nearest(s, j, 0) < COVERED
    if s.params.scenario == TAG:
        for a in range(s.params.adversaries, s.position.shape[0]):
            done = done and touched(s, a) > 0
    return done


@kernel
def pay(s, rewards):
    """Write the rewards of the scenario."""
    scenario = s.params.scenario
    if scenario == SPREAD:
        pay_spread(s, rewards)
    elif scenario == ADVERSARY or scenario == PUSH:
        pay_rivals(s, rewards)
    elif scenario == TAG or scenario == WORLD:
        pay_chase(s, rewards)
    elif scenario == SPEAKER:
        x, y = s.position[1, 0] - s.landmarks[s.goals[0], 0], s.position[1, 1] - s.landmarks[s.goals[0], 1]
        for a in range(s.position.shape[0]):
            rewards[a] = -(x * x + y * y)
    elif scenario == REFERENCE:
        pay_reference(s, rewards)
    else:
        pay_crypto(s, rewards)


@large_kernel
def pay_spread(s, rewards):
    shared = 0.0
    for j in range(s.landmarks.shape[0]):
        shared -= nearest(s, j, 0)
    agents = s.position.shape[0]
    for a in range(agents):
        for b in range(a + 1, agents):
            if touch(s, a, b):
                rewards[a] -= 1.0
                rewards[b] -= 1.0
        rewards[a] = shared * (1.0 - s.params.local) + rewards[a] * s.params.local


@large_kernel
def pay_rivals(s, rewards):
    """Adversary and push."""
    goal = s.goals[0]
    far, near = to_landmark(s, 0, goal), nearest(s, goal, 1)
    rewards[0] = -far if s.params.scenario == ADVERSARY else near - far
    for a in range(1, s.position.shape[0]):
        rewards[a] = -near + far if s.params.scenario == ADVERSARY else -near


@large_kernel
def pay_chase(s, rewards):
    """Tag and world_comm."""
    wide, first = s.params.scenario == WORLD, s.params.adversaries
    scale = 5.0 if wide else 10.0
    pairs = 0
    for a in range(first, s.position.shape[0]):
        caught = touched(s, a)
        pairs += caught
        rewards[a] = 0.0 - scale * caught
        for k in range(2):
            rewards[a] -= (2.0 if wide else 1.0) * edge(s.position[a, k])
        if wide:
            least = to_landmark(s, a, FOOD)
            for j in range(FOOD, FORESTS):
                rewards[a] += 2.0 * inside(s, a, j)
                least = min(least, to_landmark(s, a, j))
            rewards[a] -= 0.05 * least
    for a in range(first):
        rewards[a] = 0.0
        if wide:
            least = between(s, a, first)
            for b in range(first + 1, s.position.shape[0]):
                least = min(least, between(s, a, b))
            rewards[a] -= 0.1 * least
        for _ in range(pairs):
            rewards[a] += scale


@large_kernel
def pay_reference(s, rewards):
    """Agent k knows the goal `goals[k]`, to which the other agent should go."""
    for a in range(2):
        rewards[a] = -to_landmark(s, 1 - a, s.goals[a])
    shared = (rewards[0] + rewards[1]) / 2
    for a in range(2):
        rewards[a] = shared * (1.0 - s.params.local) + rewards[a] * s.params.local


@kernel
def error(s, agent):
    """The squared error of what an agent says in crypto; 0 if it says nothing."""
    total, silent = 0.0, True
    for k in range(s.said.shape[1]):
        value = s.said[agent, k]
        silent = silent and value == 0.0
        off = value - (1.0 if k == s.goals[0] else 0.0)
        total += off * off
    return 0.0 if silent else total


@large_kernel
def pay_crypto(s, rewards):
    eve = error(s, 0)
    rewards[0] = -eve
    for a in range(1, s.position.shape[0]):
        rewards[a] = eve - error(s, 1)


# Observations: a kernel for each part, which runs where the observation has that part.


def _part(name: str) -> Callable[[Callable], Any]:
    """Makes a kernel of an observation that runs the decorated function where the observation has this part."""

    def nothing(out, s, agent):
        return 0

    return lambda write: by_fields(lambda names: name in names, write, nothing)


@_part("velocity")
def see_velocity(out, s, agent):
    for k in range(2):
        out.velocity[k] = s.velocity[agent, k]
    return 0


@_part("position")
def see_position(out, s, agent):
    for k in range(2):
        out.position[k] = s.position[agent, k]
    return 0


@_part("goal")
def see_goal(out, s, agent):
    knows = agent >= s.params.adversaries
    for k in range(2):
        out.goal[k] = s.landmarks[s.goals[0], k] - s.position[agent, k] if knows else 0.0
    return 0


@_part("color")
def see_color(out, s, agent):
    scenario = s.params.scenario
    for k in range(3):
        if scenario == PUSH:
            value = (0.75 if k == s.goals[0] + 1 else 0.25) if agent == 1 else 0.0
        elif scenario == SPEAKER:
            value = (0.65 if k == s.goals[0] else 0.15) if agent == 0 else 0.0
        else:
            value = 0.75 if k == s.goals[agent] else 0.25
        out.color[k] = value
    return 0


@_part("landmarks")
def see_landmarks(out, s, agent):
    sees = s.params.moves[agent]
    for j in range(s.landmarks.shape[0]):
        for k in range(2):
            out.landmarks[j, k] = s.landmarks[j, k] - s.position[agent, k] if sees else 0.0
    return 0


@_part("colors")
def see_colors(out, s, agent):
    for j in range(s.landmarks.shape[0]):
        for k in range(3):
            out.colors[j, k] = (0.9 if k == j + 1 else 0.1) if agent == 1 else 0.0
    return 0


@large_kernel
def hidden(s, agent, other):
    """Whether forests hide another agent from this one in world_comm."""
    if s.params.scenario != WORLD:
        return False
    under, covered = False, False
    for j in range(FORESTS, s.landmarks.shape[0]):
        own, theirs = inside(s, agent, j), inside(s, other, j)
        if own and theirs:
            return False
        under, covered = under or own, covered or theirs
    return (under or covered) and agent != 0


@_part("others")
def see_others(out, s, agent):
    row = 0
    for b in range(s.position.shape[0]):
        if b != agent:
            lost = hidden(s, agent, b)
            for k in range(2):
                out.others[row, k] = 0.0 if lost else s.position[b, k] - s.position[agent, k]
            row += 1
    return 0


@_part("prey")
def see_prey(out, s, agent):
    first = s.params.adversaries
    for b in range(first, s.position.shape[0]):
        lost = agent >= first or hidden(s, agent, b)
        for k in range(2):
            out.prey[b - first, k] = 0.0 if lost else s.velocity[b, k]
    return 0


@_part("fellows")
def see_fellows(out, s, agent):
    first, row = s.params.adversaries, 0
    for b in range(first, s.position.shape[0]):
        if b != agent and row < out.fellows.shape[0]:
            lost = agent < first or hidden(s, agent, b)
            for k in range(2):
                out.fellows[row, k] = 0.0 if lost else s.velocity[b, k]
            row += 1
    return 0


@_part("forests")
def see_forests(out, s, agent):
    for j in range(2):
        out.forests[j] = 1.0 if inside(s, agent, FORESTS + j) else -1.0
    return 0


@_part("message")
def see_message(out, s, agent):
    for k in range(4):
        out.message[k] = 1.0 if agent == 2 and k == s.goals[0] else 0.0
    return 0


@_part("key")
def see_key(out, s, agent):
    for k in range(4):
        out.key[k] = 1.0 if agent > 0 and k == s.goals[1] else 0.0
    return 0


@_part("heard")
def see_heard(out, s, agent):
    scenario = s.params.scenario
    speaker = 1 - agent if scenario == REFERENCE else 2 if scenario == CRYPTO else 0
    deaf = (scenario == SPEAKER and agent == 0) or (scenario == CRYPTO and agent == 2)
    deaf = deaf or (scenario == WORLD and agent >= s.params.adversaries)
    for k in range(s.said.shape[1]):
        out.heard[k] = 0.0 if deaf else s.said[speaker, k]
    return 0


@kernel
def observe(s, agent, out):
    see_velocity(out, s, agent)
    see_position(out, s, agent)
    see_goal(out, s, agent)
    see_color(out, s, agent)
    see_landmarks(out, s, agent)
    see_colors(out, s, agent)
    see_others(out, s, agent)
    see_prey(out, s, agent)
    see_fellows(out, s, agent)
    see_forests(out, s, agent)
    see_message(out, s, agent)
    see_key(out, s, agent)
    see_heard(out, s, agent)


@kernel
def legal(s, agent, mask):
    count = s.params.choices[agent]
    for k in range(mask.shape[0]):
        mask[k] = k < count


def parts_of(scenario: str, it: Setup, agent: int) -> dict[str, tuple[int, ...]]:
    """The parts of an agent's observation with their shapes, in the order of the page."""
    count, prey = len(it.names), len(it.names) - it.adversaries
    bad, wide = agent < it.adversaries, scenario == "world_comm"
    shapes = {
        "velocity": (2,), "position": (2,), "goal": (2,), "color": (3,), "landmarks": (it.landmarks, 2),
        "colors": (it.landmarks, 3), "others": (count - 1, 2), "prey": (prey, 2), "fellows": (prey - 1, 2),
        "forests": (2,), "message": (4,), "key": (4,), "heard": (max(it.words),),
    }  # fmt: skip
    chase = ["velocity", "position", "landmarks", "others", "prey" if bad else "fellows"]
    seen = {
        "spread": ["velocity", "position", "landmarks", "others"],
        "adversary": ["landmarks", "others"] if bad else ["goal", "landmarks", "others"],
        "push": ["velocity", "landmarks", "others"] if bad else [
            "velocity", "goal", "color", "landmarks", "colors", "others"],
        "tag": chase,
        "speaker_listener": ["velocity", "landmarks", "heard"] if agent else ["color"],
        "reference": ["velocity", "color", "landmarks", "heard"],
        "crypto": [["heard"], ["key", "heard"], ["message", "key"]][agent % 3],
        "world_comm": [*chase, "forests", *(["heard"] if bad and wide else [])],
    }[scenario]  # fmt: skip
    return {name: shapes[name] for name in shapes if name in seen and 0 not in shapes[name]}


def _names(words: int, moves: bool, controls: str) -> list[str]:
    """The names of an agent's actions, or of its controls."""
    said = [f"say {letter}" for letter in LETTERS[:words]]
    if controls == "continuous":
        return [*(MOVES if moves else ()), *said]
    if not (moves and said):
        return list(MOVES) if moves else said
    return [f"{move}, {word}" for word, move in product(said, MOVES)]


class Particles(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    steer = steer
    masked = False
    kind = ("teams",)
    verified = "mpe2 1.1.1 in lock-step: all scenarios, both forms of actions; closed trajectories"
    variants = (
        dict(scenario="reference", controls="continuous"),
        dict(scenario="crypto"),
        dict(scenario="world_comm", agents=2, adversaries=2),
    )
    shown = "planned"
    level_fields = {"agents": "started", "landmarks": "landmarks"}
    keys = {
        **{move: move for move in MOVES[1:]}, "space": "noop", **{letter: f"say {letter}" for letter in LETTERS[:4]}
    }  # fmt: skip
    text = view.text
    scene = view.scene
    player_page = pages.PAGES
    page_role = pages.page_role

    def __init__(
        self,
        scenario: Literal[
            "spread", "adversary", "push", "tag", "speaker_listener", "reference", "crypto", "world_comm"
        ] = "spread",
        controls: Literal["discrete", "continuous"] = "discrete",
        agents: Annotated[int, Between(0, 16)] = 0,
        adversaries: Annotated[int, Between(0, 16)] = 0,
        horizon: Annotated[int, Between(1, 1000)] = 25,
        local: Annotated[float, Between(0, 1)] = 0.5,
        prey_speed: Annotated[float, Between(0.1, 2)] = 1.0,
        until_success: bool = False,
    ):
        self.scenario = scenario
        self.setup = it = setup(scenario, agents, adversaries)
        self.parts = [parts_of(scenario, it, a) for a in range(len(it.names))]
        if scenario == "speaker_listener":
            self.utility = "identical"
        several = zip(it.names, it.words, it.moves)
        names = {agent: _names(words, moves, controls) for agent, words, moves in several}
        self.define(
            agents=it.names,
            actions=names,
            observation={
                agent: Dict({name: Box(-np.inf, np.inf, shape, np.float32) for name, shape in parts.items()})
                for agent, parts in zip(it.names, self.parts)
            },
            fields=fields(len(it.names), it.landmarks, max(1, *it.words)),
            params={
                "scenario": among(SCENARIOS, scenario),
                "adversaries": fixed(it.adversaries),
                "goals": fixed(it.goals),
                "words": fixed(np.array(it.words)),
                "moves": fixed(np.array(it.moves, np.uint8)),
                "radius": fixed(np.array(it.radius)),
                "collides": fixed(np.array(it.collides, np.uint8)),
                "accel": fixed(np.array(it.accel)),
                "most": fixed(np.array(it.most)),
                "choices": fixed(np.array([max(w, 1) * (5 if m else 1) for w, m in zip(it.words, it.moves)])),
                "horizon": horizon,
                "local": local,
                "prey_speed": prey_speed,
                "until_success": until_success,
            },
            controls={agent: Box(0, 1, (len(own),), np.float32) for agent, own in names.items()}
            if controls == "continuous"
            else None,
        )

    def get_level(self, s: Any) -> dict[str, Any]:
        goals = {"goals": s.goals[: self.setup.goals].tolist()} if self.setup.goals else {}
        return {**super().get_level(s), **goals}

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        it = self.setup
        what = f"{self.id}: the level's goals"
        goals = read_numbers(level.get("goals", []), what, (it.goals,), 0, it.landmarks - 1, whole=True)
        s.goals[...] = [*goals, *[0] * (2 - it.goals)]
        super().set_level(s, {part: level[part] for part in level if part != "goals"})

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        it, wide = self.setup, self.scenario == "world_comm"
        walks, words = it.moves[agent], it.words[agent]
        chased = agent >= it.adversaries and self.scenario in ("tag", "world_comm")
        factor = float(s.params.prey_speed) if chased else 1.0
        form = "both" if walks and words else "moves" if walks else "words"
        letters = LETTERS[: max(words, *it.words)]
        return {
            "side": 1.0,
            "time": DT,
            "kept": 1.0 - DAMPING,
            "force": it.accel[agent] * factor,
            "most": it.most[agent] * factor if it.most[agent] < REACH else 0,
            "collides": it.collides[agent],
            "but": ", except food and forests"
            if wide
            else ""
            if any(it.collides[len(self.agents) :])
            else ", but not landmarks",
            "landmarks": it.landmarks,
            "choice": f"one of {it.landmarks} landmarks" if it.landmarks > 1 else "the only landmark",
            "know": "know" if len(self.agents) > 2 else "knows",
            "mates": [name for name in self.agents[it.adversaries :] if name != self.agents[agent]],
            "pack": "You chase" if it.adversaries == 1 else f"You are one of {it.adversaries} adversaries, who chase",
            "sizes": pages.sizes(self),
            "bad": it.adversaries,
            "prey": self.agents[it.adversaries :],
            "shared": 1.0 - float(s.params.local),
            "covered": COVERED,
            "caught": 5.0 if wide else 10.0,
            "near": 0.1,
            "far": 0.05,
            "food": 2.0,
            "edge": "2 x " if wide else "",
            "form": "numbers" if self.control_spaces else form,
            "walks": walks,
            "speaks": words > 0,
            "words": listed(letters, "or"),
            "count": len(letters),
            "moves": listed(MOVES[1:], "or"),
        }


env, raw_env, parallel_env = pettingzoo_forms(Particles)
