"""Baselines of ProposeAndSolve: each can propose and solve."""

from __future__ import annotations

import numpy as np

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.policy import policy
from envsuite.core.ranges import scratch
from envsuite.core.world import Between
from envsuite.generators.graphs import MOST
from envsuite.social.propose_and_solve import LEADING, LONGEST, candidates, narrow, reach, result_of
from envsuite.social.propose_and_solve.levels import NONE

ID = "envsuite/ProposeAndSolve-v0"


@kernel
def answering(observation, node):
    """The action of a solver that answers this node."""
    return observation.nodes[0] * observation.targets.shape[0] + node


@kernel
def posting(observation):
    """The proposer's action `post`; those before it are its anchors."""
    return np.int64(observation.targets.shape[0] * observation.targets.shape[1] + LEADING)


@kernel
def hops_made(observation):
    """The number of hops of the proposer so far."""
    return observation.relations.shape[0] - np.int64(observation.left[0])


@kernel
def hop(memory, observation, wide):
    """A random hop by a relation with the most targets, or the fewest if `wide` is False."""
    relations, fan = observation.targets.shape[0], observation.targets.shape[1]
    best, ties, found = -1, 0, 0
    for relation in range(relations):
        count = 0
        for j in range(fan):
            count += observation.targets[relation, j] != NONE
        value = count if wide else fan - count
        if value > best:
            best, ties = value, 0
        if value == best:
            ties += 1
            if random.randint(memory, ties) == 0:
                found = relation * fan + random.randint(memory, count)
    return found


@kernel
def propose_path(memory, observation):
    """Hops by relations of a single target, as long as there are such; then the question."""
    made = hops_made(observation)
    if made < min(memory.hops, observation.relations.shape[0]):
        found = hop(memory, observation, False)
        fan = observation.targets.shape[1]
        if made == 0 or fan == 1 or observation.targets[found // fan, 1] == NONE:
            return found
    return posting(observation)


@policy(ID, "guesser", hops=Between(1, LONGEST).at(1))
def guesser(memory, observation, mask):
    """Proposes paths of `hops` single targets, or fewer where there are none. As a solver, it answers at random."""
    if observation.agent[0] == 0:
        return propose_path(memory, observation)
    return answering(observation, random.randint(memory, np.int64(observation.nodes[0])))


@policy(ID, "follower", hops=Between(1, LONGEST).at(4))
def follower(memory, observation, mask):
    """Proposes as `guesser` does. As a solver, it follows first targets and answers the node at the end.

    It is always right if the question has no anchors and the budget suffices; otherwise it may have to guess.
    """
    if observation.agent[0] == 0:
        return propose_path(memory, observation)
    node = np.int64(observation.start[0])
    for k in range(observation.relations.shape[0]):
        relation = np.int64(observation.relations[k])
        if relation == NONE:
            break
        place = result_of(observation, node, relation)
        if place == NONE:
            if observation.left[0] > 0:
                return node * observation.targets.shape[0] + relation
            return answering(observation, random.randint(memory, np.int64(observation.nodes[0])))
        node = np.int64(observation.results[place, 0])
    return answering(observation, node)


@policy(
    ID,
    "searcher",
    variables={"found": scratch(MOST), "spare": scratch(MOST)},
    hops=Between(1, LONGEST).at(4),
    wide=Between(0, LONGEST).at(2),
)
def searcher(memory, observation, mask):
    """Proposes paths that spread, with an anchor. As a solver, it keeps all nodes that can be the answer.

    The last `wide` of its `hops` hops are by relations of many targets, those before by single targets. As a solver, it
    queries anchors first and then the path, the latest hop first, until one node is left or its queries are used up;
    then it draws one of those that are left.
    """
    if observation.agent[0] == 0:
        return propose_anchored(memory, observation, mask)
    count = candidates(observation, memory.found, memory.spare)
    if count > 1 and observation.left[0] > 0:
        unknown = narrow(observation, memory.found)
        if unknown == NONE:
            unknown = reach(observation, memory.found, memory.spare, True)
        return np.int64(unknown)
    rank = random.randint(memory, count)
    for node in range(observation.nodes[0]):
        if memory.found[node] != 0:
            if rank == 0:
                return answering(observation, node)
            rank -= 1
    return answering(observation, 0)


@kernel
def propose_anchored(memory, observation, mask):
    """Hops to the end; then, if the path spreads, the anchor with the most targets; then the question."""
    made, hops = hops_made(observation), min(memory.hops, observation.relations.shape[0])
    if made < hops:
        return hop(memory, observation, made >= hops - memory.wide)
    best, found = 0, posting(observation)
    if memory.wide == 0 or observation.anchors[0, 0] != NONE:
        return found
    first = posting(observation) - LEADING
    for k in range(LEADING):
        if mask[first + k] == 0 or observation.leading[k, 0] == observation.path[made - 1]:
            continue  # other targets of the node before are answers, too
        if observation.leading[k, 2] > best:
            best, found = observation.leading[k, 2], first + k
    return found
