"""Recording: episodes between policies, block by block, into a folder of replays; also of graded quality.

    record("ConnectFour", ["tactical", "tactical"], 10_000, "four")
    record("DoorKey", None, 5000, "door", grades=(0, 0.25, 0.5, 0.75, 1))

Episode k is the one that a single environment and its policies play from ``seed + k``. A block is a pure function of
the world, the policies, the grades, the seed, and the numbers of its episodes.

**Grades.** An episode of grade g is played by a mixture: at each decision, an agent plays its policy with probability
g, and otherwise a legal action, drawn uniformly. The draws come from the episode's own stream. Episode k has grade
number k modulo the number of grades. The *score* of a grade is measured: 0 is the mean return of random play, 1 that of
the best baseline in the table of reference scores. In zero-sum worlds it is measured against the table's opponent.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from envsuite import registry
from envsuite.core import snapshot
from envsuite.core.batch import Batch, stream_starts
from envsuite.core.cast import Cast
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.files import replace, writable
from envsuite.core.parameters import is_integer, to_json
from envsuite.core.policy import CompiledPolicy, Policy, make_policy, policies_of
from envsuite.core.random import mix
from envsuite.core.world import World
from envsuite.data.card import card
from envsuite.data.recorded import Recorded
from envsuite.data.store import CARD, Block, Starts, Store, digest_of
from envsuite.evaluation import reference
from envsuite.evaluation.matches import block_size, code_of, play_batch
from envsuite.evaluation.metrics import normalised
from envsuite.evaluation.statistics import standard_error
from envsuite.generators.base import TEST_SHARE, content, levels_digest, starts_in_test
from envsuite.interfaces.single import as_world, check_seed
from envsuite.scale import Executor, Job, Part, executor

#: Maximum episodes of a data set, and of each seat where a grade is measured against an opponent.
MOST_EPISODES, MEASURED = 10**9, 500

#: Starts that are compared to find out whether the levels of a world differ.
_STARTS = 16

#: The arrays of a `Block`.
_ARRAYS = ("lengths", "returns", "test", "actions")

#: What distinguishes the stream of a mixture from others of the same episode.
_MIXTURE = np.uint64(0x6EADE)


def record(
    world: World | str,
    policies: Any,
    episodes: int,
    path: str | PathLike[str],
    seed: int = 0,
    *,
    grades: Sequence[float] = (1.0,),
    levels: Sequence[Mapping[str, Any]] | None = None,
    workers: int | str | Executor = 1,
    progress: Callable[[int], None] | None = None,
) -> Recorded:
    """Record episodes into a folder, or resume: episodes that are there already are not played again.

    Args:
        world: a world or its id; `envsuite.registry.build` makes one with parameters.
        policies: as `Cast` takes them: a name or a `Policy` for all agents, or one for each. None takes the baseline
            with the highest reference score.
        episodes: the number of episodes that the folder will hold.
        path: the folder; new, empty, or with episodes of the same world, policies, grades, seed and code.
        seed: of the first episode; the others follow.
        grades: the probabilities with which policies are played rather than uniformly random actions, in turn.
        levels: the levels from which episodes start, in turn, each once for every grade; they are kept in the folder.
            None leaves them to the world.
        workers: the number of processes, or a Ray cluster, as in `envsuite.scale.run`; the files are the same for any.
        progress: called with the number of episodes that are there or have just ended.

    Raises:
        DataError: the folder holds something else, or is damaged.
    """
    if not is_integer(episodes) or not 1 <= episodes <= MOST_EPISODES:
        raise ParameterError(f"episodes={episodes!r} must be an integer from 1 to {MOST_EPISODES:,}")
    source = Source(as_world(world, {}), policies, check_seed(seed), grades, levels)
    store = Store.create(path, source.about(episodes))
    if levels is not None:
        store.write_levels(levels)
    done = store.mend()
    if progress is not None and done:
        progress(min(done, episodes))
    if store.about["episodes"] != max(done, episodes):
        store.rewrite(episodes=max(done, episodes), scores=None)
    if done < episodes:
        for block in _blocks(Recording(source, done, episodes), workers, progress):
            store.append(block)
    if store.about["scores"] is None:
        store.rewrite(scores=source.scores(Recorded(path, source.world)))
        replace(writable(store.path / CARD), card(store.about))
    return Recorded(path, source.world)


class Recording(Job):
    """Blocks of a data set as a job. The data set keeps them, so there is no ledger.

    Args:
        source: the episodes.
        done: the number of episodes that are there.
        episodes: the number that there will be.
    """

    kind = "record"

    def __init__(self, source: Source, done: int, episodes: int):
        self.source, size = source, block_size(source.world)
        # Blocks end where they would if all had been recorded at once.
        self.ends = [done, *range((done // size + 1) * size, episodes, size), episodes]
        self.blocks = len(self.ends) - 1

    def code(self) -> str:
        return code_of(self.source.world, self.source.distinct)

    def units(self, k: int) -> int:
        return self.ends[k + 1] - self.ends[k]

    def work(self, k: int, progress: Callable[[int], None] | None = None) -> Part:
        block = self.source.block(self.ends[k], self.units(k), progress)
        return {"end": np.frombuffer(block.end, np.uint8), **{name: getattr(block, name) for name in _ARRAYS}}

    def block(self, k: int, part: Part) -> Block:
        """Block k from the arrays that `work` gave."""
        arrays: dict[str, Any] = {**part, "end": part["end"].tobytes()}
        return Block(self.ends[k], **arrays)


def _blocks(job: Recording, workers: int | str | Executor, progress: Callable[[int], None] | None) -> Iterator[Block]:
    """All blocks in their order, which is not the order in which workers finish them."""
    early: dict[int, Part] = {}
    position = 0
    with contextlib.ExitStack() as stack:
        pool = workers if isinstance(workers, Executor) else stack.enter_context(executor(workers))
        for (_, k), part, _ in pool.map([job], [(0, k) for k in range(job.blocks)], progress):
            early[k] = part
            while position in early:
                yield job.block(position, early.pop(position))
                position += 1


@dataclass(frozen=True)
class Source:
    """The episodes of a data set, as a function of their numbers.

    Attributes:
        world: the world.
        policies: as `Cast` takes them, or None for the baseline with the highest reference score.
        seed: of episode 0.
        grades: the probabilities of playing the policies, in turn.
        levels: the levels from which episodes start, or None.
    """

    world: World
    policies: Any
    seed: int
    grades: Sequence[float] = (1.0,)
    levels: Sequence[Mapping[str, Any]] | None = None

    def __post_init__(self) -> None:
        self.world.require_actions("a data set")
        if not len(self.grades) or not all(0 <= grade <= 1 for grade in self.grades):
            raise ParameterError(f"grades={list(self.grades)} must be probabilities, one at least")
        if self.levels is not None:
            if not len(self.levels):
                raise ParameterError("levels must have one level at least")
            batch = Batch(self.world, 1)
            for k, level in enumerate(self.levels):
                try:
                    batch.start(0, level)
                    levels_digest([level])
                except (LevelError, TypeError) as problem:
                    raise ParameterError(f"level {k} of {len(self.levels)}: {problem}") from None

    @cached_property
    def starts(self) -> Starts:
        """Where the episodes start."""
        return Starts(self.seed, self.levels, len(self.grades))

    @cached_property
    def _cast(self) -> tuple[list[Policy], list[str]]:
        chosen = best_policy(self.world) if self.policies is None else self.policies
        texts: dict[str, Policy] = {}

        def made(one: Any) -> Any:
            if not isinstance(one, str):
                return one
            return texts.get(one) or texts.setdefault(one, make_policy(one, self.world))

        if isinstance(chosen, Mapping):
            chosen = {agent: made(one) for agent, one in chosen.items()}
        elif isinstance(chosen, Sequence) and not isinstance(chosen, str):
            chosen = [made(one) for one in chosen]
        seats = Cast(self.world, made(chosen)).seats
        players = [seats[a] for a in range(len(self.world.agents))]
        names = {id(policy): text for text, policy in texts.items()}
        return players, [names.get(id(one), one.name) for one in players]

    @property
    def players(self) -> list[Policy]:
        """The policy of each agent."""
        return self._cast[0]

    @property
    def distinct(self) -> list[Policy]:
        """The policies, each once."""
        return list({id(one): one for one in self.players}.values())

    @property
    def labels(self) -> list[str]:
        """The name of each agent's policy, with the parameters that were given."""
        return self._cast[1]

    @cached_property
    def by_level(self) -> bool:
        """Whether the split depends on the level: where episodes start from different levels."""
        if self.levels is not None:
            return len({levels_digest([level]) for level in self.levels}) > 1
        if "level" not in (self.world.record.names or ()):
            return False
        batch = Batch(self.world, _STARTS)
        batch.start(0)
        return len(np.unique(content(batch.records["level"]))) > 1

    @cached_property
    def _action_dtype(self) -> np.dtype:
        return np.min_scalar_type(-self.world.num_actions)

    def about(self, episodes: int) -> dict[str, Any]:
        """The content of `dataset.json` before anything is recorded."""
        world = self.world
        try:
            parameters = to_json(world.parameters)
        except TypeError as problem:
            raise ParameterError(f"{world.id} has a parameter that is not plain data: {problem}") from None
        return {
            "format": 1,
            "made_from": {
                "envsuite": registry.__version__,
                "world": world.id,
                "parameters": parameters,
                "agents": list(world.agents),
                "layout": snapshot.identity(world, "data")["layout"],
                "policies": self.labels,
                "code": code_of(world, self.distinct),
                "grades": [float(grade) for grade in self.grades],
                "seed": self.seed,
                "levels": None if self.levels is None else levels_digest(self.levels),
                "split": "level" if self.by_level else "seed",
                "actions": self._action_dtype.newbyteorder("<").str,
            },
            "episodes": episodes,
            "scores": None,
            "action_names": [list(names) for names in world.action_names],
            "observation_spaces": [repr(space) for space in world.observation_spaces],
            "objectives": {name: list(ends) for name, ends in world.objectives.items()},
        }

    def block(self, first: int, count: int, progress: Callable[[int], None] | None = None) -> Block:
        """Episodes `first` to ``first + count - 1``."""
        players = self.distinct
        who = np.broadcast_to([players.index(one) for one in self.players], (count, len(self.players)))
        grades = np.array(self.grades)[(first + np.arange(count)) % len(self.grades)]
        chances = None if (grades == 1).all() else np.broadcast_to(grades[:, None], who.shape)
        return self._played(first, players, who, chances, progress)

    def _played(
        self,
        first: int,
        players: Sequence[Policy],
        who: np.ndarray,
        chances: np.ndarray | None,
        progress: Callable[[int], None] | None = None,
    ) -> Block:
        """Play episodes from number `first` on, in which agents play their policies with these probabilities (N, A)."""
        batch, seed = Batch(self.world, len(who)), (self.seed + first) % 2**64
        self.starts.start(batch, first)
        seeds = np.uint64(seed) + np.arange(len(who), dtype=np.uint64)
        test = self._in_test(batch, seeds, first)
        mixed = None if chances is None else Mixture(batch, seeds, chances)
        steps: list[np.ndarray] = []

        def before() -> None:
            if mixed is not None:
                mixed.apply(len(steps))
            steps.append(np.where(batch.acting != 0, batch.actions, 0).astype(self._action_dtype))

        result = play_batch(batch, players, who, seed, None, progress, before)
        actions = np.stack(steps, axis=1)[np.arange(len(steps)) < result.lengths[:, None]]
        return Block(first, result.lengths, result.returns, test, digest_of(batch.records), actions)

    def _in_test(self, batch: Batch, seeds: np.ndarray, first: int) -> np.ndarray:
        """(N,) bool, which episodes that have just started belong to the test split."""
        if not self.by_level:
            return stream_starts(seeds) % TEST_SHARE == 0
        levels = (self.starts.level(first + i) for i in range(batch.num))
        return starts_in_test(batch.records, levels)  # type: ignore[arg-type]

    # Scores.

    def scores(self, found: Recorded) -> list[dict[str, Any]]:
        """Of each grade: its mean return, standard error and normalized score, and what these are relative to."""
        world = self.world
        others = _opponent(world)
        low, high = _ends(world, others)
        rows = []
        for grade in dict.fromkeys(map(float, self.grades)):
            if others is None:
                returns = found.returns[found.grades == grade].mean(axis=1)
            else:
                returns = self._against(others, grade, int((found.grades == grade).sum()))
            if not len(returns):  # fewer episodes than grades
                continue
            mean = float(returns.mean())
            rows.append({
                "grade": grade,
                "others": others,
                "episodes": len(returns),
                "mean": mean,
                "error": float(standard_error(returns)) if len(returns) > 1 else None,
                "score": float(normalised(mean, low, high)) if high > low else None,
                "random": low,
                "reference": high,
            })  # fmt: skip
        return rows

    def _against(self, others: str, grade: float, recorded: int) -> np.ndarray:
        """(N,) the mean return of a grade over the seats, each in turn among others that play as they can.

        Policies in Python may be slow: they play no more episodes in a seat than were recorded.
        """
        opponent = make_policy(others, self.world)
        count = min(MEASURED, reference.usual_episodes(self.world, opponent, True))
        if not all(isinstance(policy, CompiledPolicy) for policy in self.players):
            count = min(count, recorded)
        if not count:
            return np.zeros(0)
        agents = len(self.players)
        total = np.zeros(count)
        for a, policy in enumerate(self.players):
            alone = np.broadcast_to(np.arange(agents) == a, (count, agents))
            block = self._played(0, [opponent, policy], alone.astype(np.int64), np.where(alone, grade, 1.0))
            total += block.returns[:, a]
        return total / agents


class Mixture:
    """Replaces some actions in a batch by uniform ones, drawn from the episodes' own streams.

    Args:
        batch: of N worlds, which have just started.
        seeds: (N,) uint64, of the episodes.
        chances: (N, A) the probability with which an agent's action stays as its policy chose it.
    """

    def __init__(self, batch: Batch, seeds: np.ndarray, chances: np.ndarray):
        self.batch, self.chances = batch, chances
        self.uniform = make_policy("random", batch.world)
        # Half a turn away from all policies that are seeded with the episodes.
        self.uniform.reset((int(seeds[0]) + 2**63) % 2**64, batch.num)
        streams = stream_starts(stream_starts(seeds) ^ _MIXTURE)
        agents = np.arange(chances.shape[1], dtype=np.uint64)
        self._streams = stream_starts(streams[:, None] + agents)

    def apply(self, step: int) -> None:
        """Replace actions before a step, counted from 0."""
        batch = self.batch
        drawn = (mix(self._streams + np.uint64(step)) >> np.uint64(11)) * 2.0**-53
        actions = self.uniform.act_batch(batch.observations, batch.masks, range(self.chances.shape[1]))
        np.copyto(batch.actions, actions, where=drawn >= self.chances)


def best_policy(world: World) -> str:
    """The baseline with the highest reference score; without scores, the first scripted policy or "random".

    For parameters that are not in the table, scores with others count.
    """
    others = _opponent(world)
    rows = reference.reference_scores(world, others)
    rows = rows or [row for row in reference.table() if (row.world, row.others) == (world.id, others)]
    if rows:
        return max(rows, key=lambda row: row.mean).policy
    return next((name for name in policies_of(world) if name != "random"), "random")


def _opponent(world: World) -> str | None:
    """The policy of the other seats where scores are measured; None where all seats play what is measured."""
    return reference.usual_others(world) if world.utility == "zero-sum" else None


def _ends(world: World, others: str | None) -> tuple[float, float]:
    """The mean returns that count as 0 and as 1: of random play, and of the best baseline."""
    rows = reference.reference_scores(world, others)
    if not rows:  # parameters that are not in the table
        names = dict.fromkeys(["random", best_policy(world)])
        rows = [reference.measure(world, name, others, MEASURED if others is None else None) for name in names]
    return next(row.mean for row in rows if row.policy == "random"), max(row.mean for row in rows)
