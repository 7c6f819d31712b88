"""Monte Carlo tree search (UCT) for any world, on clones of its record.

Every simulation starts from a clone of the world, follows the tree by the UCB1 rule, adds one node, and plays on to the
end by a rollout policy. One search serves all kinds of worlds, because every agent has a tree of its own. The nodes of
an agent's tree are its information states: the agent's observations and actions since the root (multiple-observer
information set MCTS).

- **Turn-based worlds with perfect information**: this is plain UCT. With more than two agents, or rewards that
  are not zero-sum, each mover maximizes its own return (max^n).
- **Simultaneous moves**: in worlds where several agents may act at once, they choose independently by regret matching
  and not by UCB1. Under UCB1, agents with the same learning rule stay in step (two cooperate in the prisoner's
  dilemma). In zero-sum worlds the shares of the visits approach an equilibrium; the action returned is the most visited
  one.
- **Chance**: every simulation seeds the clone's random stream again, from the planner's own stream. So outcomes are
  sampled, and the search never looks at the true future. The agents' observations of an outcome distinguish the nodes
  below it (closed loop); where they are continuous, every outcome is a separate node and the search becomes shallow.
- **Hidden information**: before each simulation the world's kernel `guess(s, agent)` samples what the searching agent
  does not know (determinisation); a world without that kernel is refused. In the simulation the other agents choose by
  what they would see. Their past moves are not used as evidence about their hands. A world whose record holds future
  chance, like a shuffled deck, needs the kernel as well. `envsuite info ID` says whether a world can be searched.

Returns are scaled to [0, 1] by the lowest and the highest seen in this search, so `exploration` has the same meaning
in all worlds. UCB1's constant is sqrt(2); 1 plays better in ConnectFour (111 games to 83 at 500 simulations). A node is
identified by a 64-bit hash, so two of n nodes have the same hash with probability n^2 / 2^65: below 10^-7 for a
million.

**Source.** Kocsis and Szepesvari, "Bandit Based Monte-Carlo Planning", ECML 2006; Cowling, Powley and Whitehouse,
"Information Set Monte Carlo Tree Search", IEEE TCIAIG 2012; Lisy, Kovarik, Lanctot and Bosansky, "Convergence of Monte
Carlo Tree Search in Simultaneous Move Games", NIPS 2013.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

import numpy as np

from envsuite.compile.bound import bind
from envsuite.core import random
from envsuite.core.batch import stream_starts
from envsuite.core.elementary import log
from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel, piece
from envsuite.core.parameters import Between
from envsuite.core.policy import CompiledPolicy, make_policy
from envsuite.core.random import mix
from envsuite.core.table import as_words
from envsuite.core.transition import find_legal, transition, unbound
from envsuite.core.world import World
from envsuite.solvers.search import Planner, Threads, copy, digest, over

#: How many moves of the principal variation are kept.
VARIATION = 64

#: A node of the hash table, empty where it has no edges; its edges lie together, first those that were tried.
NODE = np.dtype(
    [("key", np.uint64), ("first", np.int32), ("count", np.int32), ("tried", np.int32), ("visits", np.int32)]
)
EDGE = np.dtype([("action", np.int32), ("visits", np.int32), ("total", np.float64)])

#: Where several may act at once, an edge has the regret of not having taken it as well.
JOINT_EDGE = np.dtype([*EDGE.descr, ("regret", np.float64)])

#: A decision within the tree: its edge and agent, and the agent's return before it. Where several may act at once,
#: also the node's edges, their mean return so far, and the chance with which this one was taken.
DECISION = np.dtype(
    [
        ("edge", np.int64),
        ("agent", np.int64),
        ("before", np.float64),
        ("first", np.int64),
        ("count", np.int64),
        ("mean", np.float64),
        ("chance", np.float64),
    ]
)

#: The data that a search reads and keeps.
NUMBERS = np.dtype(
    [
        ("simulations", np.int64),
        ("horizon", np.int64),
        ("exploration", np.float64),
        ("done", np.int64),
        ("edges", np.int64),
        ("root", np.int64),
        ("steps", np.int64),
        ("greedy", np.int64),
        ("depth", np.int64),
        ("decisions", np.int64),
        ("told", np.int64),
    ]
)


observe = guess = act = unbound
AGENTS = ACTIONS = 0

#: Whether observations distinguish nodes, not only actions; whether hidden information is guessed; whether a policy of
#: the world plays the rollouts; whether several agents may act at once.
SEEN = GUESSED = SCRIPTED = JOINT = 0

#: How often regret matching chooses at random.
RANDOM_SHARE = 0.1


@piece
def _clear(table, bounds, variation, n):
    """Start with an empty tree."""
    n.edges = 0
    n.steps = 0
    for k in range(table.shape[0]):
        table[k].count = 0
    for a in range(AGENTS):
        bounds[a, 0] = np.inf
        bounds[a, 1] = -np.inf
    for k in range(variation.shape[0]):
        variation[k, 0] = -1


@piece
def _restart(s, agent, start, first_memories, memories, memory_words, keys, returns, n):
    """Give the clone of the root a random stream, draw hidden information, and begin at the roots."""
    s.rng = start
    for a in range(AGENTS):
        copy(first_memories, a, memory_words, a)
        memories[a].rng = mix(start + np.uint64(a) + np.uint64(1))
        keys[a] = mix(np.uint64(a) + np.uint64(1))
        returns[a] = 0.0
    if GUESSED:
        guess(s, agent)
    n.depth = 0
    n.decisions = 0
    n.told = 0


@kernel
def _find(table, key):
    """The place of a node in the table, or an empty one for it."""
    size = np.uint64(table.shape[0] - 1)
    place = key & size
    while table[place].count != 0 and table[place].key != key:
        place = (place + np.uint64(1)) & size
    return place


@piece
def _expand(node, key, options, count, edges, n):
    """Add a node with an edge for each legal action."""
    node.key = key
    node.first = n.edges
    node.count = count
    node.tried = count if JOINT else 0
    node.visits = 0
    for k in range(count):
        edge = edges[n.edges + k]
        edge.action = options[k]
        edge.visits = 0
        edge.total = 0.0
        if JOINT:
            edge.regret = 0.0
    n.edges += count


@kernel
def _most_visited(node, edges):
    chosen = np.int64(node.first)
    for k in range(node.first + 1, node.first + node.tried):
        if edges[k].visits > edges[chosen].visits:
            chosen = k
    return chosen


@kernel
def _match_regrets(node, edges, memory, decision):
    """An edge with a chance in proportion to its regret; the decision keeps the data for the update of regrets."""
    first, count = np.int64(node.first), np.int64(node.count)
    wins = 0.0
    mean = 0.0
    for k in range(first, first + count):
        wins += max(edges[k].regret, 0.0)
        mean += edges[k].total
    left = random.uniform(memory)
    chosen = first
    chance = 0.0
    for k in range(first, first + count):
        share = max(edges[k].regret, 0.0) / wins if wins > 0.0 else 1.0 / count
        chance = RANDOM_SHARE / count + (1.0 - RANDOM_SHARE) * share
        chosen = k
        left -= chance
        if left < 0.0:
            break
    decision.first = first
    decision.count = count
    decision.mean = mean / max(node.visits, 1)
    decision.chance = chance
    return chosen


@piece
def _untried(node, edges, memory, slot, mask):
    """Another edge than those tried; in a new node the one that the rollout policy takes."""
    chosen = np.int64(node.first + node.tried)
    pick = chosen
    if SCRIPTED and node.tried == 0:
        wanted = np.int64(act(memory, slot, mask))
        while edges[pick].action != wanted:
            pick += 1
    else:
        pick += random.randint(memory, node.count - node.tried)
    held = edges[pick].action
    edges[pick].action = edges[chosen].action
    edges[chosen].action = held
    node.tried += 1
    return chosen


@kernel
def _ucb1(node, edges, width, exploration):
    """The edge with the largest upper confidence bound."""
    first = np.int64(node.first)
    scale = 1.0 / width if width > 0.0 else 0.0
    bonus = exploration * exploration * log(node.visits)
    chosen = first
    best = -np.inf
    for k in range(first, first + node.count):
        share = 1.0 / edges[k].visits
        score = edges[k].total * share * scale + np.sqrt(bonus * share)
        if score > best:
            best = score
            chosen = k
    return chosen


@piece
def _select(node, edges, a, memory, slot, mask, returns, bounds, path, n):
    """The edge that agent `a` takes from a node of its tree, which the path keeps."""
    decision = path[n.decisions]
    if JOINT:
        chosen = _match_regrets(node, edges, memory, decision)
    elif node.tried < node.count:
        chosen = _untried(node, edges, memory, slot, mask)
    else:
        chosen = _ucb1(node, edges, bounds[a, 1] - bounds[a, 0], n.exploration)
    node.visits += 1
    edges[chosen].visits += 1
    decision.edge = chosen
    decision.agent = a
    decision.before = returns[a]
    n.decisions += 1
    return chosen


@piece
def _simulate(
    s, agent, slot, seen, memories, mask, options, actions, rewards, returns, keys, bounds, table, edges, path,
    variation, n,
):  # fmt: skip
    """From the root select down the trees, expand a node, and play out; the greedy simulation ends with the tree."""
    growing = True
    while n.depth < n.horizon and not over(s):
        added = False
        joint = np.uint64(0)
        for a in range(AGENTS):
            actions[a] = 0
            if not find_legal(s, a, mask):
                continue
            count = 0
            for k in range(ACTIONS):
                options[count] = k
                count += mask[k] != 0
            if SCRIPTED or SEEN and growing:
                observe(s, a, slot[0])
            if SEEN and growing:
                keys[a] = digest(keys[a], seen, 0)
                for k in range(count):
                    keys[a] = mix(keys[a] + np.uint64(options[k]))
            if growing and (count > 1 or n.depth == 0):
                place = _find(table, keys[a])
                node = table[place]
                if node.count == 0:
                    if n.greedy:
                        return
                    _expand(node, keys[a], options, count, edges, n)
                    added = True
                if n.depth == 0 and a == agent:
                    n.root = np.int64(place)
                if n.greedy:
                    action = np.int64(edges[_most_visited(node, edges)].action)
                    if n.told < variation.shape[0]:
                        variation[n.told, 0] = a
                        variation[n.told, 1] = action
                        n.told += 1
                else:
                    chosen = _select(node, edges, a, memories[a], slot[0], mask, returns, bounds, path, n)
                    action = np.int64(edges[chosen].action)
            elif SCRIPTED:
                action = np.int64(act(memories[a], slot[0], mask))
            else:
                action = options[random.randint(memories[a], count)]
            actions[a] = action
            if SEEN:
                keys[a] = mix(keys[a] + np.uint64(action) + np.uint64(1))
            else:
                joint = mix(joint + np.uint64(a * ACTIONS + action) + np.uint64(1))
        growing = growing and not added
        if not SEEN and growing:
            for a in range(AGENTS):
                keys[a] = mix(keys[a] + joint)
        transition(s, actions, rewards)
        for a in range(AGENTS):
            returns[a] += rewards[a]
        n.depth += 1


@piece
def _back_up(path, returns, bounds, edges, n):
    """Add to every edge of the path its agent's return from there on."""
    for k in range(n.decisions):
        decision = path[k]
        a = decision.agent
        gain = returns[a] - decision.before
        edges[decision.edge].total += gain
        if JOINT:  # an unbiased estimate of each action's gain, minus the actual gain
            surprise = gain - decision.mean
            for other in range(decision.first, decision.first + decision.count):
                edges[other].regret -= surprise
            edges[decision.edge].regret += surprise / decision.chance
        bounds[a, 0] = min(bounds[a, 0], gain)
        bounds[a, 1] = max(bounds[a, 1], gain)


def _search(
    roots, root, agent, stream, records, clone, slot, seen, first_memories, memories, memory_words, mask, options,
    actions, rewards, returns, keys, bounds, table, edges, path, variation, numbers,
):  # fmt: skip
    """Continue the search from root number `root` for an agent; False if there is no room for more edges.

    The simulation after the last one follows the most visited actions, which are the principal variation.
    """
    n = numbers[0]
    if n.done == 0:
        _clear(table, bounds, variation, n)
    while n.done <= n.simulations:
        if n.edges + AGENTS * ACTIONS > edges.shape[0]:
            return False
        n.greedy = n.done == n.simulations
        copy(roots, root, clone, 0)
        start = mix(np.uint64(stream) + np.uint64(n.done) + np.uint64(1))
        _restart(records[0], agent, start, first_memories, memories, memory_words, keys, returns, n)
        _simulate(
            records[0], agent, slot, seen, memories, mask, options, actions, rewards, returns, keys, bounds, table,
            edges, path, variation, n,
        )  # fmt: skip
        _back_up(path, returns, bounds, edges, n)
        n.steps += n.depth
        n.done += 1
    return True


@dataclass(frozen=True)
class Searched:
    """The results of searches from M positions.

    Attributes:
        actions: (M,) int64, the most visited action; among several, the one with the highest value.
        visits: (M, K) int64, how often each action was simulated at the root.
        values: (M, K) float64, the agent's mean return from here after each action; nan where it was not simulated.
        variations: for each position, the agents and actions, by number, along the most visited actions.
        steps: (M,) int64, transitions simulated.
    """

    actions: np.ndarray
    visits: np.ndarray
    values: np.ndarray
    variations: list[list[tuple[int, int]]]
    steps: np.ndarray


@cache
def _compiled(world: type[World], shape: tuple[int, ...], flags: tuple[int, ...], policy: Any, guessed: Any) -> Any:
    numbers: dict[str, Any] = dict(
        zip(("AGENTS", "ACTIONS", "OBJECTIVES", "SEEN", "GUESSED", "SCRIPTED", "JOINT"), (*shape, *flags))
    )
    parts = (world.__module__, world.__qualname__, policy.__module__, policy.__qualname__, *shape, *flags)
    name = ".".join(map(str, ("mcts", *parts)))
    title = f"{world.__name__}: mcts"
    return bind(_search, name, title=title, act=policy, guess=guessed, **numbers, **world.kernels._asdict())


class MCTS(Planner):
    """Monte Carlo tree search: a planner that gets a clone of the world, see the module's page.

    Args:
        world: the world that is played, with its parameters.
        simulations: the number of simulations per decision.
        exploration: the constant of UCB1, for returns scaled to [0, 1].
        rollouts: the policy that plays on from a new node, for all agents: "random", or the name of a baseline of the
            world, which may have parameters ("tactical:connect=3") and starts with a fresh memory.
        horizon: the number of transitions after which a simulation is cut off; later rewards count as 0.
        threads: how many searches run at once; results are the same for any number.
    """

    name = "mcts"

    def __init__(
        self,
        world: World,
        simulations: Annotated[int, Between(1, 2**24)] = 1000,
        exploration: Annotated[float, Between(0, math.inf)] = 1.0,
        rollouts: str = "random",
        horizon: Annotated[int, Between(1, 2**31)] = 1000,
        threads: Threads = 1,
    ):
        super().__init__(world, threads)
        self.simulations, self.exploration, self.horizon = simulations, float(exploration), horizon
        self.rollouts: CompiledPolicy = make_policy(rollouts, world)  # type: ignore[assignment]
        guess = None if world.guess is None else type(world).guess  # a world can lack it with some parameters
        if world.information == "imperfect" and guess is None:
            raise ParameterError(
                f"{world.id} hides things from its agents and has no kernel `guess` to sample them: "
                "MCTS would look at what the agent cannot know"
            )
        agents, size = len(world.agents), world.num_actions
        hidden = guess is not None
        seen = world.chance or world.information == "imperfect"
        scripted = self.rollouts.name != "random"
        joint = world.turns != "sequential" and agents > 1
        self._edge = JOINT_EDGE if joint else EDGE
        shape, flags = (agents, size, len(world.objectives)), (int(seen), int(hidden), int(scripted), int(joint))
        self._kernel = _compiled(type(world), shape, flags, self.rollouts.kernel, guess)
        self._entry: Any = None
        self._spaces = [self._space() for _ in range(self.threads)]
        self.reset()

    def _space(self) -> dict[str, np.ndarray]:
        """The arrays of one thread."""
        world = self.world
        agents, size, most = len(world.agents), world.num_actions, (self.simulations + 1) * len(world.agents)
        records = np.zeros(1, world.record)
        shape = (1, *world.slot_shape)
        seen = np.zeros((1, -(-int(np.prod(shape)) * world.slot.itemsize // 8)), np.uint64)
        first = np.ascontiguousarray(self.rollouts.first_memory)
        memories = np.zeros_like(first)
        numbers = np.zeros(1, NUMBERS)
        numbers["simulations"], numbers["horizon"] = self.simulations, self.horizon
        numbers["exploration"] = self.exploration
        return {
            "records": records,
            "clone": as_words(records),
            "slot": np.ndarray(shape, world.slot, seen.data),
            "seen": seen,
            "first_memories": as_words(first),
            "memories": memories,
            "memory_words": as_words(memories),
            "mask": np.zeros(size, np.int8),
            "options": np.zeros(size + 1, np.int64),
            "actions": np.zeros(agents, np.int64),
            "rewards": np.zeros(agents),
            "returns": np.zeros(agents),
            "keys": np.zeros(agents, np.uint64),
            "bounds": np.zeros((agents, 2)),
            "table": np.zeros(1 << (2 * most).bit_length(), NODE),
            "edges": np.zeros(min(most, 64) * size, self._edge),
            "path": np.zeros(min(most, self.horizon * agents), DECISION),
            "variation": np.zeros((VARIATION, 2), np.int64),
            "numbers": numbers,
        }

    def reset(self, seed: int | None = None, num: int = 1) -> None:
        """Restart the streams of `num` copies of the world, copy k from ``seed + k``, or at random."""
        self._seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else int(seed)
        starts = stream_starts([(self._seed + k) % 2**64 for k in range(num)])
        self.streams = np.stack([stream_starts(starts ^ np.uint64(a)) for a in range(len(self.world.agents))], axis=1)

    def get_state(self) -> bytes:
        return self.streams.tobytes()

    def set_state(self, state: bytes) -> None:
        self.streams = np.frombuffer(state, np.uint64).reshape(-1, len(self.world.agents)).copy()

    def search(self, records: Any, agents: Any) -> Searched:
        """Search from records of this world for agents that act there.

        Args:
            records: (M,) structured, as in `Batch.records`, or one of them; they are cloned and do not change.
            agents: (M,) numbers of agents, or one for all.

        Search k takes the stream of copy k of the world (see `reset`).
        """
        roots = self._roots(records)
        numbers = np.broadcast_to(np.asarray(agents, np.int64), len(roots))
        self._require_agents(numbers)
        return self._searched(roots, numbers, np.arange(len(roots)), len(roots))

    def _search(self, roots: np.ndarray, agents: np.ndarray, copies: np.ndarray, num: int) -> np.ndarray:
        return self._searched(roots, agents, copies, num).actions

    def _searched(self, roots: np.ndarray, agents: np.ndarray, copies: np.ndarray, num: int) -> Searched:
        if len(self.streams) != num:
            self.reset(self._seed, num)
        streams = self.streams[copies, agents]
        self.streams[copies, agents] = stream_starts(streams)
        shape = (len(roots), self.world.num_actions)
        visits, totals = np.zeros(shape, np.int64), np.zeros(shape)
        steps = np.zeros(len(roots), np.int64)
        variations: list[list[tuple[int, int]]] = [[] for _ in roots]
        words = as_words(roots)

        def work(thread: int, first: int, last: int) -> None:
            space = self._spaces[thread]
            for k in range(first, last):
                numbers = space["numbers"][0]
                numbers["done"], numbers["root"] = 0, -1
                while not entry(words, k, agents[k], streams[k], *space.values()):
                    space["edges"] = np.concatenate([space["edges"], np.zeros_like(space["edges"])])
                if numbers["root"] < 0:
                    continue
                node = space["table"][numbers["root"]]
                edges = space["edges"][node["first"] : node["first"] + node["tried"]]
                visits[k, edges["action"]] = edges["visits"]
                totals[k, edges["action"]] = edges["total"]
                steps[k] = numbers["steps"]
                variations[k] = [(int(a), int(action)) for a, action in space["variation"] if a >= 0]

        entry = self._entry = self._entry or self._kernel.entry(words, 0, 0, streams[0], *self._spaces[0].values())
        self._over_slices(work, len(roots))
        with np.errstate(invalid="ignore", divide="ignore"):
            values = totals / visits
        most = visits == visits.max(axis=1, keepdims=True)
        actions = np.where(most, values, -np.inf).argmax(axis=1)
        return Searched(actions, visits, values, variations, steps)
