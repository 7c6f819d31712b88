"""Evolution of policies: selection, mutation and imitation in a population, with checkpoints; invasion in closed form.

    history = evolve("TrustGame", ["constant"] * 24, 50, vary={"trust": (0, 1), "returns": (0, 1)}, mutation=0.05)
    history.means  # the mean of each number by generation
    history.population  # the last generation, as names of policies

A generation is a population of individuals, each a policy with its parameters. They are put into groups at random, and
each group plays an episode; the fitness of an individual is its mean return. Then one of two rules makes the next
generation:

- "truncation": the best part, `keep`, stays; ties are drawn. A copy of a random one of them replaces each of the
  others. This is the rule of the donor game of Vallinder and Hughes (2024), with `keep` 1/2.
- "imitation": each compares its fitness with that of a random other one, all at once, and copies it with probability
  1 / (1 + exp(-strength * difference)). This is how strategies spread in the Alignment Tipping Process.

What was copied mutates: each number that may vary gets normal noise, of `mutation` times the length of its range, and
is cut to its range.

Where the population is one group, imitation is a Markov chain. `imitation_chain` gives it, and `fixation` the
probability that a single mutant takes over, from a diagram of `envsuite.evaluation.schelling`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from scipy.special import comb

from envsuite.core.errors import ParameterError, suggest
from envsuite.core.names import read_values, split_name
from envsuite.core.parameters import bounds, is_integer, to_json
from envsuite.core.policy import CompiledPolicy, make_policy, policies_of
from envsuite.core.world import World
from envsuite.evaluation.matches import code_of, play
from envsuite.evaluation.schelling import Diagram
from envsuite.interfaces.single import as_world, check_seed
from envsuite.registry import __version__
from envsuite.scale import Chain, Part, run

Selection = Literal["truncation", "imitation"]


@dataclass(frozen=True)
class History:
    """What became of a population in T generations.

    Attributes:
        policies: the names of the P policies in it.
        varied: the names of the V numbers that may vary.
        shares: (T, P) the share of each policy in each generation.
        means: (T, V) the mean of each number in each generation, over the individuals that have it.
        fitness: (T,) the mean fitness of each generation.
        population: the last generation as names of policies, with their numbers.
        last_fitness: (N,) its fitness.
    """

    policies: tuple[str, ...]
    varied: tuple[str, ...]
    shares: np.ndarray
    means: np.ndarray
    fitness: np.ndarray
    population: tuple[str, ...]
    last_fitness: np.ndarray


def evolve(
    world: World | str,
    population: Sequence[str],
    generations: int,
    *,
    vary: Mapping[str, tuple[float, float]] | None = None,
    selection: Selection = "truncation",
    keep: float = 0.5,
    strength: float = 1.0,
    mutation: float = 0.0,
    games: int = 1,
    seed: int = 0,
    path: str | os.PathLike[str] | None = None,
    progress: Callable[[int], None] | None = None,
) -> History:
    """Let a population of policies evolve.

    Args:
        world: a world or its id.
        population: N policies with parameters, such as "constant:share=0.5"; N is a multiple of the number of agents.
        generations: the number of generations that play.
        vary: the parameters that mutate, each with its range. Where the population does not set one, it starts uniform
            in the range.
        selection: the rule that makes the next generation, see above.
        keep: for truncation, the share that stays.
        strength: for imitation, the strength of selection.
        mutation: the standard deviation of mutations, as a share of a number's range.
        games: how often each individual plays in a generation, in new groups.
        seed: of everything random.
        path: a ledger. A run that was interrupted resumes from its last generation there, and a longer run continues.
        progress: called with the number of episodes of each generation that has played.

    Raises:
        ParameterError: names the argument that is wrong.
    """
    job = Evolution(as_world(world, {}), population, generations, vary or {}, selection, keep, strength, mutation,
                    games, seed)  # fmt: skip
    return run(job, path=path, progress=progress)


class Evolution(Chain):
    """An evolution as a job, a generation in each block, with the arguments of `evolve`; its result is a `History`."""

    kind = "evolution"

    def __init__(
        self,
        world: World,
        population: Sequence[str],
        generations: int,
        vary: Mapping[str, tuple[float, float]],
        selection: Selection,
        keep: float,
        strength: float,
        mutation: float,
        games: int,
        seed: int,
    ):
        for name, value in (("generations", generations), ("games", games)):
            if not is_integer(value) or value < 1:
                raise ParameterError(f"{name}={value!r} must be a positive integer")
        if selection not in get_args(Selection):
            raise ParameterError(f"selection={selection!r} must be one of {', '.join(get_args(Selection))}")
        agents = len(world.agents)
        if isinstance(population, str) or len(population) < 2 or len(population) % agents:
            raise ParameterError(f"the population must be a list of 2 policies or more, a multiple of {agents} agents")
        if not 1 <= keep * len(population) <= len(population):
            raise ParameterError(f"keep={keep!r} must keep one of the population or more, and be at most 1")
        for name, rate in (("strength", strength), ("mutation", mutation)):
            if not 0 <= rate < np.inf:
                raise ParameterError(f"{name}={rate!r} must be a number from 0 on")
        self.world, self.start, self.vary = world, list(population), {k: tuple(v) for k, v in vary.items()}
        self.selection, self.keep, self.strength, self.mutation = selection, keep, strength, mutation
        self.games, self.seed = games, check_seed(seed)
        self.policies = list(dict.fromkeys(split_name(text)[0] for text in population))
        self.kinds = np.array([self.policies.index(split_name(text)[0]) for text in population])
        self.blocks = self.segments = generations
        self._known = policies_of(world)
        self._read()

    def _read(self) -> None:
        """Read the population: the policy of each individual, its fixed parameters, and where its numbers are given."""
        self.made: list[CompiledPolicy] = []
        for text in self.start:
            name = split_name(text)[0]
            if name not in self._known:
                raise ParameterError(f"{name!r} is no compiled policy of {self.world.id}{suggest(name, self._known)}")
            self.made.append(make_policy(text, self.world))  # type: ignore[arg-type]
        self.columns: list[tuple[int, str]] = []  # the policy and the name of each number
        for k, policy in enumerate(self.policies):
            declared = self._known[policy].declared
            self.columns += [(k, name) for name in self.vary if name in declared]
        for name, (low, high) in self.vary.items():
            owners = [self.policies[k] for k, other in self.columns if other == name]
            if not owners:
                raise ParameterError(f"vary: no policy of the population has a parameter {name!r}")
            for owner in owners:
                between = bounds(self._known[owner].declared[name].hint)
                if between is None or not between.low <= low < high <= between.high:
                    limits = "no range" if between is None else f"the range {between.low:g} .. {between.high:g}"
                    raise ParameterError(f"vary: {name}={(low, high)} does not fit {limits} of {owner!r}")
        self.low = np.array([self.vary[name][0] for _, name in self.columns], float)
        self.wide = np.array([self.vary[name][1] for _, name in self.columns], float) - self.low

    def header(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "world": self.world.id,
            "version": __version__,
            "params": to_json(self.world.parameters, str),
            "population": self.start,
            "vary": {name: list(ends) for name, ends in self.vary.items()},
            "rule": [self.selection, self.keep, self.strength, self.mutation, self.games],
            "seed": self.seed,
        }

    def key(self, k: int) -> dict[str, Any]:
        return {"generation": k}

    def code(self) -> str:
        firsts = [next(one for one in self.made if one.name == name) for name in self.policies]
        return code_of(self.world, firsts)

    def units(self, k: int) -> int:
        """Episodes."""
        return self.games * len(self.start) // len(self.world.agents)

    def work(self, k: int, progress: Callable[[int], None] | None = None) -> Part:
        rng = np.random.default_rng([self.seed, k])
        genes = self.low + self.wide * rng.random((len(self.start), len(self.columns)))
        for i, (text, policy) in enumerate(zip(self.start, self.made)):
            given = read_values(policy.spec.declared, split_name(text)[1], "")
            for column, (owner, name) in enumerate(self.columns):
                if owner == self.kinds[i] and name in given:
                    genes[i, column] = policy.chosen[name]
        origins = np.arange(len(self.start))
        empty = {name: np.zeros((0, width)) for name, width in self._sums().items()}
        return self._play(k, rng, genes, origins, empty, progress)

    def resume(self, k: int, earlier: Part, progress: Callable[[int], None] | None = None) -> Part:
        rng = np.random.default_rng([self.seed, k])
        parents = (best_stay if self.selection == "truncation" else all_compare)(
            earlier["fitness"], self.keep if self.selection == "truncation" else self.strength, rng
        )
        genes = earlier["genes"][parents]
        copied = parents != np.arange(len(parents))
        noise = rng.normal(size=genes.shape) * self.mutation * self.wide
        genes = np.where(copied[:, None], np.clip(genes + noise, self.low, self.low + self.wide), genes)
        return self._play(k, rng, genes, earlier["origins"][parents], earlier, progress)

    def _sums(self) -> dict[str, int]:
        """The records of all generations so far, with the numbers of their columns."""
        return {"shares": len(self.policies), "means": len(self.columns), "average": 1}

    def _play(
        self,
        k: int,
        rng: np.random.Generator,
        genes: np.ndarray,
        origins: np.ndarray,
        earlier: Mapping[str, np.ndarray],
        progress: Callable[[int], None] | None,
    ) -> Part:
        """A generation: its games, and the records with it."""
        kinds, count, agents = self.kinds[origins], len(origins), len(self.world.agents)
        players = [self._player(*individual) for individual in zip(kinds, genes, origins)]
        seating = np.concatenate([rng.permutation(count) for _ in range(self.games)]).reshape(-1, agents)
        first = int(rng.integers(2**62))
        returns = play(self.world, players, len(seating), first, seating=seating).returns
        fitness = np.bincount(seating.ravel(), returns.ravel(), count) / self.games
        owned = np.array([[kind == owner for owner, _ in self.columns] for kind in kinds]).reshape(genes.shape)
        now = {
            "shares": np.bincount(kinds, minlength=len(self.policies)) / count,
            "means": (genes * owned).sum(axis=0) / np.maximum(owned.sum(axis=0), 1),
            "average": fitness.mean(keepdims=True),
        }
        if progress is not None:
            progress(len(seating))
        sums = {name: np.concatenate([earlier[name], now[name][None]]) for name in now}
        return {"genes": genes, "origins": origins, "fitness": fitness, **sums}

    def _player(self, kind: int, genes: np.ndarray, origin: int) -> Any:
        """The policy of an individual: the parameters of the first of its line, with its own numbers."""
        chosen = {**self.made[origin].chosen, **self._numbers(kind, genes)}
        return make_policy(self.policies[kind], self.world, **chosen)

    def _numbers(self, kind: int, genes: np.ndarray) -> dict[str, Any]:
        """An individual's own numbers by name; integers are rounded."""
        defaults = self._known[self.policies[kind]].parameters
        return {
            name: type(defaults[name])(round(float(value)) if isinstance(defaults[name], int) else value)
            for (owner, name), value in zip(self.columns, genes)
            if owner == kind
        }

    def fits(self, k: int, part: Part) -> bool:
        count = len(self.start)
        shapes = {"genes": (count, len(self.columns)), "origins": (count,), "fitness": (count,)}
        shapes |= {name: (k + 1, width) for name, width in self._sums().items()}
        return {name: array.shape for name, array in part.items()} == shapes and bool(
            ((part["origins"] >= 0) & (part["origins"] < count)).all()
        )

    def reduce(self, parts: Sequence[Part]) -> History:
        (part,) = parts
        names = []
        for kind, genes, origin in zip(self.kinds[part["origins"]], part["genes"], part["origins"]):
            values = {**self.made[origin].chosen, **self._numbers(kind, genes)}
            text = ",".join(f"{name}={value!r}" for name, value in values.items())
            names.append(f"{self.policies[kind]}:{text}" if text else self.policies[kind])
        varied = tuple(name if len(self.policies) == 1 else f"{self.policies[k]}:{name}" for k, name in self.columns)
        sums = part["shares"], part["means"], part["average"][:, 0]
        return History(tuple(self.policies), varied, *sums, tuple(names), part["fitness"])


def best_stay(fitness: np.ndarray, keep: float, rng: np.random.Generator) -> np.ndarray:
    """Truncation: the parent (N,) of each individual of the next generation; those that stay are their own."""
    count = len(fitness)
    order = rng.permutation(count)  # which decides between equals
    order = order[np.argsort(-fitness[order], kind="stable")]
    stay = order[: int(keep * count)]
    parents = stay[rng.integers(len(stay), size=count)]
    parents[stay] = stay
    return parents


def all_compare(fitness: np.ndarray, strength: float, rng: np.random.Generator) -> np.ndarray:
    """Imitation: the parent (N,) of each individual of the next generation, itself or the other that it copies."""
    count = len(fitness)
    others = (np.arange(count) + rng.integers(1, count, size=count)) % count
    copies = rng.random(count) < _fermi(strength * (fitness[others] - fitness))
    return np.where(copies, others, np.arange(count))


def _fermi(gain: Any) -> Any:
    """1 / (1 + exp(-gain)), without overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * np.asarray(gain)))


def _returns(diagram: Diagram) -> tuple[np.ndarray, np.ndarray]:
    """The returns of both policies by the number k of 0 .. A that have the first one; nan where nobody has."""
    nobody = [np.nan]
    return np.concatenate([nobody, diagram.cooperator]), np.concatenate([diagram.defector, nobody])


def imitation_chain(diagram: Diagram, strength: float) -> np.ndarray:
    """The Markov chain of imitation without mutation in a population that is one group of A agents.

    Args:
        diagram: returns of two policies, the first called the cooperator, by the numbers of agents that have them.
        strength: the strength of selection.

    Returns:
        (A + 1, A + 1) the probabilities of the next number of agents with the first policy (column), given the present
        number (row). If ``row`` is a distribution of that number, ``row @ chain`` is the next one.
    """
    first, second = _returns(diagram)
    count = len(diagram.cooperator)
    chain = np.zeros((count + 1, count + 1))
    chain[0, 0] = chain[count, count] = 1.0
    for k in range(1, count):
        leave = (count - k) / (count - 1) * float(_fermi(strength * (second[k] - first[k])))
        enter = k / (count - 1) * float(_fermi(strength * (first[k] - second[k])))
        stay, join = _binomial(k, 1 - leave), _binomial(count - k, enter)
        chain[k] = np.convolve(stay, join)
    return chain


def _binomial(trials: int, chance: float) -> np.ndarray:
    """The probabilities (trials + 1,) of 0, 1, ... successes."""
    k = np.arange(trials + 1)
    return comb(trials, k) * chance**k * (1 - chance) ** (trials - k)


def fixation(diagram: Diagram, strength: float) -> float:
    """The probability that one mutant with the first policy takes over a group of the second, if one copies at a time.

    In each step a random agent compares itself with another random one and copies it by the rule of imitation. The
    closed form is that of Traulsen, Nowak and Pacheco, "Stochastic dynamics of invasion and fixation", 2006. Neutral
    mutants have 1 / A.
    """
    first, second = _returns(diagram)
    gains = first[1:-1] - second[1:-1]
    return float(1.0 / (1.0 + np.exp(-strength * np.cumsum(gains)).sum()))
