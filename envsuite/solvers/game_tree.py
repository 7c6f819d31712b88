"""Game trees of small worlds: all histories under exact chance, information sets, and values of policies.

    tree = Tree(LeducPoker())
    tree.exploitability(tree.uniform())
    value, profile = tree.best_response(0, tree.uniform())

A *history* is everything that has happened. An *information set* is the knowledge of its owner when it moves: its
observation now, its observations at its own earlier moves, and its actions there. So every player has perfect recall,
whatever a world's observations leave out. Agents that act at the same time move one after the other here, without
seeing each other's moves. A *sequence* is an information set with an action taken there, or a player's empty sequence
before its first move. A player's *plan* is its chance of playing every sequence, its own moves alone (von Stengel,
"Efficient computation of behavior strategies", 1996).

A *profile* is a policy of all players: an array (information sets, actions) of probabilities, 0 for illegal actions.
Each set belongs to one player, so one array serves all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from envsuite.compile.bound import bind
from envsuite.core.batch import stream_starts
from envsuite.core.chance import Explorer, Outcomes
from envsuite.core.errors import EnvsuiteError, ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.notebook import table
from envsuite.core.policy import Policy, single
from envsuite.core.random import mix
from envsuite.core.table import as_words
from envsuite.core.world import World

#: In place of a node's information set.
CHANCE, END = -1, -2

#: How many states are explored at once.
CHUNK = 1024


class TreeError(EnvsuiteError, ValueError):
    """A world has no game tree that could be built: it is too large, or its masks differ where all looks the same."""


class SequenceForm(NamedTuple):
    """A tree as kernels read it: P players, S information sets, Q sequences, T ends.

    Information sets are in order of their owners, each after those that come before it in play. Sequences 0 .. P - 1
    are the empty ones; those of the sets follow in the order of these.

    Attributes:
        owners: (P + 1,) a player's sets are ``owners[player]`` up to ``owners[player + 1]``.
        parents: (S,) the owner's sequence that leads to a set.
        begins: (S + 1,) a set's sequences are ``begins[i]`` up to ``begins[i + 1]``, one for each legal action.
        ends: (P, T) every player's sequence at every end.
        payoffs: (P, T) every player's return at every end, times the probability of chance there.
    """

    owners: np.ndarray
    parents: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    payoffs: np.ndarray


class Nodes(NamedTuple):
    """The histories of a tree, each after its parent; N of them.

    Attributes:
        sets: (N,) the information set of a decision, CHANCE, or END.
        first: (N,) the first of a node's children, which follow one another; for an end its row in `Tree.rewards`.
        counts: (N,) the number of its children: for a decision one per legal action, in order.
        chances: (N,) the probability of a node, given that chance has led to its parent.
    """

    sets: np.ndarray
    first: np.ndarray
    counts: np.ndarray
    chances: np.ndarray


class Tree:
    """The game tree of a world.

    Attributes:
        world: the world.
        players: the number of agents.
        decisions, terminals: the number of histories of the two kinds. Chance is not counted: a world may deal in one
            step the cards that another implementation deals in several.
        masks: (S, K) bool, the legal actions of every information set.
        observations: (S, ...) the owner's observation there, as a batch holds it.
        sequences: (S, K) the sequence of every information set and action, -1 if the action is illegal.
        form, nodes: the tree for kernels.
        rewards: (T, P) the sums of rewards at the ends.
        chances: (T,) the probability that chance does its part in each end.
    """

    def __init__(self, world: World, limit: int = 2_000_000, level: Mapping[str, Any] | None = None):
        """Explore all episodes of a world, or all with a level; `TreeError` if there are more than `limit` histories.

        `ChanceError` if it draws from a continuous distribution.
        """
        self.world, self.players = world, len(world.agents)
        grown = _Growth(world, limit, level)
        owners, past, masks, observations = (np.concatenate(parts) for parts in zip(*grown.sets))
        ends, chances, rewards = (np.concatenate(parts) for parts in zip(*grown.ends))
        # Sets are renumbered by owner, and sequences by set.
        order = np.argsort(owners, kind="stable")
        place = np.argsort(order)
        self.masks = masks[order] != 0
        self.observations = observations[order]
        begins = self.players + np.r_[0, self.masks.sum(axis=1).cumsum()]
        self.sequences = np.full(self.masks.shape, -1)
        self.sequences[self.masks] = np.arange(self.players, begins[-1])
        flat = self.sequences[place].ravel()

        def numbered(codes: np.ndarray) -> np.ndarray:
            return np.where(codes < 0, -1 - codes, flat[codes]).astype(np.int32)

        self.nodes = Nodes(*(part[: grown.count].copy() for part in grown.nodes))
        decisions = self.nodes.sets >= 0
        self.nodes.sets[decisions] = place[self.nodes.sets[decisions]]
        self.chances, self.rewards = chances, rewards
        self.decisions, self.terminals = int(decisions.sum()), len(ends)
        self.form = SequenceForm(
            np.searchsorted(owners[order], np.arange(self.players + 1)),
            numbered(past[order]),
            begins,
            np.ascontiguousarray(numbered(ends).T),
            np.ascontiguousarray((rewards * chances[:, None]).T),
        )
        self._size = int(begins[-1])

    def __repr__(self) -> str:
        sets = f"{sum(self.information_sets)} information sets"
        return f"Tree({self.world!r}: {self.decisions} decisions, {sets}, {self.terminals} ends)"

    def _repr_html_(self) -> str:
        sequences = np.diff(self.form.owners).tolist()
        actions = [int(self.masks[self.owned(player)].sum()) for player in range(self.players)]
        head = [repr(self.world), "information sets", "actions in them"]
        rows = [*zip(self.world.agents, sequences, actions), ("all", sum(sequences), sum(actions))]
        return table(head, [*rows, ("decisions", self.decisions, ""), ("ends", self.terminals, "")])

    @property
    def information_sets(self) -> list[int]:
        """How many information sets each player has."""
        return np.diff(self.form.owners).tolist()

    def owned(self, player: int) -> slice:
        """Where a player's information sets are in a profile."""
        return slice(*self.form.owners[player : player + 2].tolist())

    # Profiles.

    def uniform(self) -> np.ndarray:
        """The profile (S, K) in which all move uniformly at random."""
        return self.masks / self.masks.sum(axis=1, keepdims=True)

    def normalised(self, weights: np.ndarray) -> np.ndarray:
        """The profile (S, K) that plays sequences in proportion to weights (Q,); uniform where they are all 0."""
        table = np.where(self.masks, weights[self.sequences], 0.0)
        total = table.sum(axis=1, keepdims=True)
        return np.divide(table, total, out=self.uniform(), where=total > 0)

    def behaviour(self, profile: np.ndarray) -> np.ndarray:
        """A profile (S, K) as the chances (Q,) of each set's sequences; `ParameterError` if it is not a profile."""
        profile = np.asarray(profile, np.float64)
        if profile.shape != self.masks.shape:
            raise ParameterError(f"a profile of shape {profile.shape} must be {self.masks.shape} in this tree")
        if not (
            (profile >= 0).all() and not profile[~self.masks].any() and np.allclose(profile.sum(axis=1), 1, atol=1e-9)
        ):
            raise ParameterError("a profile's rows must be probabilities of legal actions")
        return np.concatenate([np.ones(self.players), profile[self.masks]])

    def tabulated(self, policy: Policy, players: Collection[int] | None = None) -> np.ndarray:
        """The profile (S, K) of a policy that remembers nothing, in the seats of some players, by default all.

        It neither draws random numbers, or has a method `probabilities` that takes what `act_batch` takes and gives an
        array (N, S, K). `ParameterError` if its state changes where it acts: probabilities cannot be read off others.
        The other players move uniformly at random.
        """
        profile = self.uniform()
        known = getattr(policy, "probabilities", None)
        for player in range(self.players) if players is None else players:
            own, count = self.owned(player), self.information_sets[player]
            profile[own] = 0.0
            policy.reset(0, count)
            before = policy.get_state()
            seen, masks = self.observations[own, None], self.masks[own, None].astype(np.int8)
            if known is not None:
                profile[own] = known(seen, masks, [player])[:, 0]
            else:
                actions = policy.act_batch(seen, masks, [player])[:, 0]
                profile[np.arange(own.start, own.stop), actions] = 1.0
            if policy.get_state() != before:
                raise ParameterError(f"the policy {policy.name!r} draws or remembers, so it has no table")
        self.behaviour(profile)  # only legal actions
        return profile

    def policy(self, profile: np.ndarray) -> TabularPolicy:
        """The policy that plays a profile (S, K), in every seat."""
        return TabularPolicy(self, profile)

    # Values of profiles.

    def plans(self, profile: np.ndarray) -> np.ndarray:
        """Every player's chance of each of its sequences, its own moves alone; (Q,)."""
        plans = np.empty(self._size)
        _plans(self.form, self.behaviour(profile), plans)
        return plans

    def values(self, profile: np.ndarray) -> np.ndarray:
        """The mean return of every player; (P,)."""
        values = np.empty(self.players)
        _values(self.form, self.plans(profile), values)
        return values

    def best_response(self, player: int, profile: np.ndarray) -> tuple[float, np.ndarray]:
        """The most that a player can get against the others in a profile, and the profile in which it does so.

        Where several actions are best, the reply is the first of them.
        """
        plans, answer = self.plans(profile), np.array(profile, np.float64)
        reached = np.ones(self.terminals)
        for other in range(self.players):
            if other != player:
                reached *= plans[self.form.ends[other]]
        value, answer[self.owned(player)] = self.best_reply(player, reached)
        return value, answer

    def best_reply(self, player: int, reached: np.ndarray) -> tuple[float, np.ndarray]:
        """A player's best response where the others, in concert or not, do their part in every end; its sets' rows.

        Args:
            player: its number.
            reached: (T,) the probability that the others do their part in each end, or a multiple of it.

        Returns:
            The value, and chances (the player's sets, K); of several best actions the first.
        """
        worth = np.bincount(self.form.ends[player], self.form.payoffs[player] * reached, self._size)
        reply, own = np.zeros(self._size), self.owned(player)
        _reply(self.form, worth, reply, player)
        return float(worth[player]), np.where(self.masks[own], reply[self.sequences[own]], 0.0)

    def action_values(self, profile: np.ndarray) -> np.ndarray:
        """(S, K) the mean return of each action to its player, if it is in the information set and all play a profile.

        The mean is over the histories in the set, weighed by chance and the others' plans. nan for illegal actions, and
        in sets to which chance and the others never lead.
        """
        behaviour, plans = self.behaviour(profile), self.plans(profile)
        worth, reach = np.empty((2, self._size))
        _worths(self.form, behaviour, plans, worth)
        likely = np.ascontiguousarray(np.broadcast_to(self.chances, self.form.payoffs.shape))
        _worths(self.form._replace(payoffs=likely), behaviour, plans, reach)
        values = np.divide(worth, reach, out=np.full_like(worth, np.nan), where=reach > 0)
        return np.where(self.masks, values[self.sequences], np.nan)

    def nash_conv(self, profile: np.ndarray) -> float:
        """The sum of the players' gains if each alone left a profile for a best response: 0 in equilibrium."""
        best = [self.best_response(player, profile)[0] for player in range(self.players)]
        return float(sum(best - self.values(profile)))

    def exploitability(self, profile: np.ndarray) -> float:
        """`nash_conv` divided by the number of players, as in OpenSpiel."""
        return self.nash_conv(profile) / self.players


class TabularPolicy(Policy):
    """Plays a profile of a tree: looks up its information set and draws an action from its row.

    If two sets of a player look the same and differ only in its past, the player's own moves since the start of the
    episode decide between them. Otherwise the policy can join a game at any point.

    Attributes:
        tree: the tree.
        profile: (S, K) probabilities.
    """

    name = "tabular"

    def __init__(self, tree: Tree, profile: np.ndarray):
        tree.behaviour(profile)  # checks it
        self.tree, self.profile = tree, np.array(profile, np.float64)
        self._sets: dict[tuple[int, bytes], list[int]] = defaultdict(list)
        keys = _keys(tree.world, tree.observations, len(tree.observations))
        for player in range(tree.players):
            own = tree.owned(player)
            for number in range(own.start, own.stop):
                self._sets[player, keys[number].tobytes()].append(number)
        self.reset()

    def reset(self, seed: int | None = None, num: int = 1) -> None:
        self._seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else int(seed)
        streams = stream_starts([(self._seed + k) % 2**64 for k in range(num)])
        shifts = np.uint64(0xA5A5) + np.arange(self.tree.players, dtype=np.uint64)
        self._streams = stream_starts(streams[:, None] ^ shifts)
        self._last = np.repeat(np.arange(self.tree.players)[None], num, axis=0)  # everyone's last sequence

    def refresh(self, where: np.ndarray) -> None:
        self._last[where] = np.arange(self.tree.players)

    def act(self, observation: Any, mask: np.ndarray, agent: int = 0) -> int:
        return int(self.act_batch(*single(self.tree.world, observation, mask, agent), [agent])[0, 0])

    def sets(self, observations: Any, masks: np.ndarray, agents: Sequence[int]) -> np.ndarray:
        """The information sets (N, S) of agents, -1 where an agent does not act; the arguments are as in `act_batch`.

        The caller takes an action in each of them, and notes it by `follow`.
        """
        copies, seats = np.nonzero(masks.any(axis=2))
        if len(self._last) != len(masks):
            self.reset(self._seed, len(masks))
        players = np.asarray(agents)[seats]
        keys = _keys(self.tree.world, observations, len(masks) * len(agents))[copies * len(agents) + seats]
        last = self._last[copies, players]
        sets = np.full(masks.shape[:2], -1)
        for k, (player, key) in enumerate(zip(players.tolist(), keys)):
            found = self._sets.get((player, key.tobytes()), [])
            if len(found) > 1:
                found = [one for one in found if self.tree.form.parents[one] == last[k]]
            if not found:
                raise ParameterError(f"agent {player} sees what it cannot see in this tree of {self.tree.world.id}")
            sets[copies[k], seats[k]] = found[0]
        return sets

    def follow(self, sets: np.ndarray, actions: np.ndarray, agents: Sequence[int]) -> None:
        """Note the actions (N, S) that agents take in their information sets (N, S)."""
        copies, seats = np.nonzero(sets >= 0)
        players = np.asarray(agents)[seats]
        self._last[copies, players] = self.tree.sequences[sets[copies, seats], actions[copies, seats]]

    def act_batch(self, observations: Any, masks: np.ndarray, agents: Sequence[int]) -> np.ndarray:
        sets = self.sets(observations, masks, agents)
        copies, seats = np.nonzero(sets >= 0)
        players = np.asarray(agents)[seats]
        self._streams[copies, players] += np.uint64(0x9E3779B97F4A7C15)
        draws = (mix(self._streams[copies, players]) >> np.uint64(11)) * 2.0**-53
        cumulative = self._rows(copies, sets[copies, seats]).cumsum(axis=1)
        actions = np.zeros(masks.shape[:2], np.int64)
        actions[copies, seats] = (cumulative <= draws[:, None] * cumulative[:, -1:]).sum(axis=1)
        self.follow(sets, actions, agents)
        return actions

    def _rows(self, copies: np.ndarray, sets: np.ndarray) -> np.ndarray:
        """The probabilities (M, K) in information sets (M,) of copies (M,)."""
        return self.profile[sets]

    def get_state(self) -> bytes:
        return np.stack([self._streams.view(np.int64), self._last]).tobytes()

    def set_state(self, state: bytes) -> None:
        streams, last = np.frombuffer(state, np.int64).reshape(2, -1, self.tree.players).copy()
        self._streams, self._last = streams.view(np.uint64), last


# Kernels.


@kernel
def plan_of(form, behaviour, plans, player):
    """Write a player's chance of each of its sequences from its chances within every set."""
    plans[player] = 1.0
    for i in range(form.owners[player], form.owners[player + 1]):
        reached = plans[form.parents[i]]
        for q in range(form.begins[i], form.begins[i + 1]):
            plans[q] = reached * behaviour[q]


@kernel
def worth_of(form, plans, worth, player):
    """Write the value to a player of the ends right after each of its sequences, by chance and the others' plans."""
    worth[player] = 0.0
    for q in range(form.begins[form.owners[player]], form.begins[form.owners[player + 1]]):
        worth[q] = 0.0
    for end in range(form.ends.shape[1]):
        value = form.payoffs[player, end]
        for k in range(player):
            value *= plans[form.ends[k, end]]
        for k in range(player + 1, form.ends.shape[0]):
            value *= plans[form.ends[k, end]]
        worth[form.ends[player, end]] += value


@kernel
def reply_of(form, worth, reply, player):
    """Choose a player's best actions from the last set to the first, 1 in `reply`, and add up their `worth`."""
    for k in range(form.owners[player + 1] - form.owners[player]):
        i = form.owners[player + 1] - 1 - k
        best = form.begins[i]
        for q in range(form.begins[i], form.begins[i + 1]):
            reply[q] = 0.0
            if worth[q] > worth[best]:
                best = q
        reply[best] = 1.0
        worth[form.parents[i]] += worth[best]


def _plans_entry(form, behaviour, plans):
    for player in range(form.ends.shape[0]):
        plan_of(form, behaviour, plans, player)


def _values_entry(form, plans, values):
    players = form.ends.shape[0]
    for player in range(players):
        values[player] = 0.0
    for end in range(form.ends.shape[1]):
        played = 1.0
        for k in range(players):
            played *= plans[form.ends[k, end]]
        for player in range(players):
            values[player] += played * form.payoffs[player, end]


def _reply_entry(form, worth, reply, player):
    reply_of(form, worth, reply, player)


def _worths_entry(form, behaviour, plans, worth):
    for player in range(form.ends.shape[0]):
        worth_of(form, plans, worth, player)
        for k in range(form.owners[player + 1] - form.owners[player]):
            i = form.owners[player + 1] - 1 - k  # from the last to the first
            for q in range(form.begins[i], form.begins[i + 1]):
                worth[form.parents[i]] += behaviour[q] * worth[q]


_plans = bind(_plans_entry, "game_tree.plans")
_values = bind(_values_entry, "game_tree.values")
_reply = bind(_reply_entry, "game_tree.reply")
_worths = bind(_worths_entry, "game_tree.worths")


# Growing a tree.


def _keys(world: World, observations: Any, count: int) -> np.ndarray:
    """The bytes that distinguish `count` observations, (count, bytes): their parts without the padding between them."""
    if world.slot.names is None:
        parts = [np.asarray(observations, world.slot)]
    else:
        parts = [np.asarray(observations[name], world.slot[name].base) for name in world.slot.names]
    return np.concatenate([np.ascontiguousarray(part).reshape(count, -1).view(np.uint8) for part in parts], axis=1)


class _States(NamedTuple):
    """M states between transitions."""

    nodes: np.ndarray  # (M,)
    sequences: np.ndarray  # (M, A) every player's last set * K + action, or -1 - player
    chances: np.ndarray  # (M,) the probability of all chance since the start
    returns: np.ndarray  # (M, A) the rewards since then
    words: np.ndarray  # (M, W) uint64, the records

    def take(self, where: Any) -> _States:
        return _States(*(part[where] for part in self))


class _Growth:
    """Explores all of a world and numbers the nodes, sets and ends.

    Attributes:
        nodes: with room for `limit`, of which the first `count` are there.
        sets: pieces of (owner, its sequence, mask, observation), an entry for each set in order of its number.
        ends: pieces of (sequences, chances, rewards).
    """

    def __init__(self, world: World, limit: int, level: Mapping[str, Any] | None):
        self.world, self.limit, self.count = world, limit, 0
        self.players, self.actions = len(world.agents), world.num_actions
        self.explorer = Explorer(world, CHUNK)
        self.nodes = Nodes(*(np.empty(limit, kind) for kind in (np.int32, np.int32, np.int32, np.float64)))
        self.sets: list[tuple[np.ndarray, ...]] = []
        self.ends: list[tuple[np.ndarray, ...]] = []
        self._numbers: dict[bytes, int] = {}
        self._masks = np.zeros((CHUNK, self.actions), np.int8)
        self._ends = 0
        nobody = -1 - np.arange(self.players)[None]
        todo = [self._advance(self.explorer.begin(level), self._new(1), nobody, np.ones(1), np.zeros(nobody.shape))]
        while todo:  # depth first, but many states at a time: the last found are the next
            states = todo.pop()
            if len(states.nodes) > CHUNK:
                todo.append(states.take(slice(CHUNK, None)))
                states = states.take(slice(CHUNK))
            view = self.explorer.view(states.words.view(world.record)[:, 0])
            self._end(states.take(view.over))
            states, masks = states.take(~view.over), view.masks[~view.over]
            if len(states.nodes):
                origins, nodes, sequences, actions = self._choose(states, masks, view.observations[~view.over])
                after = self.explorer.expand(states.words.view(world.record)[:, 0], masks, origins, actions)
                todo.append(self._advance(after, nodes, sequences, states.chances[origins], states.returns[origins]))

    def _new(self, count: int) -> np.ndarray:
        """The numbers of `count` new nodes."""
        self._check(count)
        new = np.arange(self.count, self.count + count)
        self.nodes.chances[new] = 1.0
        self.count += count
        return new

    def _check(self, more: int) -> None:
        if self.count + more > self.limit:
            reached = f"{self.count + more:,} histories and more"
            raise TreeError(f"{self.world.id}: the game tree has {reached}; the limit is {self.limit:,}")

    def _children(self, parents: np.ndarray, sets: Any, counts: np.ndarray) -> np.ndarray:
        """The contents of some nodes, and the numbers of their new children, node by node."""
        children = self._new(int(counts.sum()))
        self.nodes.sets[parents], self.nodes.counts[parents] = sets, counts
        self.nodes.first[parents] = children[:1] + counts.cumsum() - counts
        return children

    def _end(self, states: _States) -> None:
        count = len(states.nodes)
        self.nodes.sets[states.nodes], self.nodes.counts[states.nodes] = END, 0
        self.nodes.first[states.nodes] = np.arange(self._ends, self._ends + count)
        self._ends += count
        self.ends.append((states.sequences, states.chances, states.returns))

    def _choose(self, states: _States, masks: np.ndarray, observations: np.ndarray) -> tuple[np.ndarray, ...]:
        """All choices of actions in all states: which state's each is, and its node, sequences and actions."""
        origins, nodes, sequences = np.arange(len(states.nodes)), states.nodes, states.sequences
        actions = np.zeros_like(sequences)
        for player in range(self.players):
            legal = masks[origins, player]
            acts = legal.any(axis=1)
            if not acts.any():
                continue
            sets = np.zeros(len(acts), np.int64)
            sets[acts] = self._sets(player, sequences[acts, player], legal[acts], observations[origins[acts], player])
            children = self._children(nodes[acts], sets[acts], legal[acts].sum(axis=1, dtype=np.int64))
            legal[~acts, 0] = 1  # one way to continue
            before, chosen = np.nonzero(legal)
            origins, nodes, sequences, actions = origins[before], nodes[before], sequences[before], actions[before]
            moved = acts[before]
            nodes[moved] = children
            sequences[moved, player] = (sets[before] * self.actions + chosen)[moved]
            actions[moved, player] = chosen[moved]
        return origins, nodes, sequences, actions

    def _sets(self, player: int, past: np.ndarray, masks: np.ndarray, observations: np.ndarray) -> np.ndarray:
        """The numbers of the information sets in which a player has this past, these masks and observations."""
        seen = _keys(self.world, observations, len(past))
        rows = np.concatenate([past[:, None].view(np.uint8), seen], axis=1)  # the past identifies the owner
        known, numbers = len(self._numbers), self._numbers
        sets = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in rows])
        new = np.flatnonzero(sets >= known)
        if len(new):
            new = new[np.unique(sets[new], return_index=True)[1]]
            self.sets.append((np.full(len(new), player), past[new], masks[new], observations[new]))
            while len(numbers) > len(self._masks):
                self._masks = np.concatenate([self._masks, np.zeros_like(self._masks)])
            self._masks[known : len(numbers)] = masks[new]
        if (self._masks[sets] != masks).any():
            name = self.world.agents[player]
            raise TreeError(f"{self.world.id}: {name} has different legal actions in states that it cannot distinguish")
        return sets

    def _advance(
        self,
        outcomes: Iterator[Outcomes],
        nodes: np.ndarray,
        sequences: np.ndarray,
        chances: np.ndarray,
        returns: np.ndarray,
    ) -> _States:
        """The states that some transitions lead to; chance gets a node where a transition has several outcomes."""
        parts: list[Outcomes] = []
        for part in outcomes:
            parts.append(part)
            self._check(sum(len(one.parents) for one in parts) - len(nodes))
        found = Outcomes(*(np.concatenate(pieces) for pieces in zip(*parts)))
        order = np.argsort(found.parents, kind="stable")
        of, probabilities = found.parents[order], found.probabilities[order]
        counts = np.bincount(of, minlength=len(nodes))
        split, drawn = counts > 1, counts[of] > 1
        after = nodes[of]
        if split.any():
            after[drawn] = self._children(nodes[split], CHANCE, counts[split])
            self.nodes.chances[after[drawn]] = probabilities[drawn]
        return _States(
            after,
            sequences[of],
            chances[of] * probabilities,
            returns[of] + found.rewards[order],
            as_words(found.records)[order],
        )
