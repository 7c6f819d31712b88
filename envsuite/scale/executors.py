"""Executors: what plays the blocks of jobs. This process, other processes on this machine, or a Ray cluster.

Workers get *shards*, lists of blocks that take about a second, and send back the results. The shards change nothing in
the results. A worker that dies is replaced and its shard is played again, so a block may be played twice: blocks are
pure functions, so that is harmless.
"""

from __future__ import annotations

import contextlib
import logging
import math
import multiprocessing
import os
import pickle
import platform
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from envsuite.core.children import settle, starting
from envsuite.core.errors import ParameterError, ScaleError
from envsuite.core.parameters import is_integer
from envsuite.scale.job import Job, Part, played, software

#: Seconds of work that a worker gets at once, about, and the most shards a second for the process that asks.
SHARD, PACE = 1.0, 200

#: How often the workers of one block may die before the work stops.
FAILURES = 3

#: A block: the number of its job, and its own in the job.
Task = tuple[int, int]

#: Blocks for a worker, each with the results that it continues from.
Shard = list[tuple[Task, Part | None]]

#: A function that is called with the units that have just been finished, or None.
Progress = Callable[[int], None] | None

#: Blocks with their results, and the names of the places where they were played.
Played = Iterator[tuple[Task, Part, str]]


class Work:
    """Blocks that are to be played: those that can be played now, and what each of them continues from.

    Args:
        jobs, tasks, progress, avoid, earlier: see `Executor.map`.

    Attributes:
        ready: the blocks that can be played now.
        held: the results from which a block continues, until the block is finished.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        tasks: Iterable[Task],
        progress: Progress,
        avoid: Mapping[Task, str],
        earlier: Mapping[Task, Part],
    ):
        self.jobs, self.progress, self.avoid = jobs, progress, avoid
        self._later = dict.fromkeys(tasks)  # in their order
        self.held: dict[Task, Part] = {}
        self.ready: deque[Task] = deque()
        for number, k in list(self._later):
            before = jobs[number].before(k)
            if (number, before) not in self._later:
                self.ready.append((number, k))
                if before is not None:
                    self.held[number, k] = earlier[number, before]
        for task in self.ready:
            del self._later[task]

    def finish(self, task: Task, part: Part) -> None:
        """A block is finished: the one that continues from it can be played."""
        self.held.pop(task, None)
        number, k = task
        later = number, k + 1
        if later in self._later and self.jobs[number].before(k + 1) == k:
            del self._later[later]
            self.held[later] = part
            self.ready.appendleft(later)


class Executor:
    """Plays blocks. A context: its workers live until it ends."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *_: Any) -> None:
        """End the workers."""

    def map(
        self,
        jobs: Sequence[Job],
        tasks: Iterable[Task],
        progress: Progress = None,
        avoid: Mapping[Task, str] | None = None,
        earlier: Mapping[Task, Part] | None = None,
    ) -> Played:
        """The results of blocks, in any order in which no block is before the one that it continues from.

        Args:
            jobs: the jobs.
            tasks: the blocks.
            progress: called with the units that have just been finished.
            avoid: for blocks, places that should not play them if another is free.
            earlier: the results of blocks that are not played, and from which blocks of `tasks` continue.
        """
        return self._play(Work(jobs, tasks, progress, avoid or {}, earlier or {}))

    def _play(self, work: Work) -> Played:
        raise NotImplementedError


class Here(Executor):
    """This process."""

    def _play(self, work: Work) -> Played:
        while work.ready:
            number, k = task = work.ready.popleft()
            part = played(work.jobs[number], k, work.held.get(task), work.progress)
            work.finish(task, part)
            yield task, part, _place()


def _place() -> str:
    return f"process {os.getpid()} on {platform.node()}"


class Worker:
    """Plays shards in a process of its own."""

    def __init__(self) -> None:
        self._jobs: list[Job] = []

    def work(self, packed: bytes | None, shard: Shard) -> tuple[str, float, list[Part]]:
        """Play a shard: the place, the seconds, and the results. The jobs come with the first shard of a run."""
        if packed is not None:
            places, jobs = pickle.loads(packed)
            sys.path += [place for place in places if place not in sys.path]
            try:
                self._jobs, expected = pickle.loads(jobs)
            except ImportError as problem:
                raise ScaleError(f"{_place()} cannot help: {problem}; install it there") from None
            for name, found in software(self._jobs).items():
                if found != expected[name]:
                    raise ScaleError(
                        f"{_place()} cannot help: its {name} is {found}, but that of the process that asks is "
                        f"{expected[name]}; results are equal only with the same software"
                    )
        start = time.perf_counter()
        parts = [played(self._jobs[number], k, earlier) for (number, k), earlier in shard]
        return _place(), time.perf_counter() - start, parts


class Pool(Executor):
    """Workers in other processes. A subclass starts them, talks to them, and says which have answered."""

    count: int
    _runs = 0

    def __init__(self) -> None:
        self._idle: list[Any] = []
        self._places: dict[Any, str] = {}
        self._knows: dict[Any, int] = {}  # the run whose jobs a worker has

    def _start(self) -> Any:
        """A new worker."""
        raise NotImplementedError

    def _send(self, worker: Any, packed: Any, shard: Shard) -> None:
        """Let a worker play a shard; `packed` are the jobs, None if it has them."""
        raise NotImplementedError

    def _answered(self, workers: Collection[Any]) -> list[Any]:
        """The workers, one at least, that have answered or died; waits for it."""
        raise NotImplementedError

    def _answer(self, worker: Any) -> Any:
        """What `Worker.work` returned, the error that it raised, or a `Death` if the worker died."""
        raise NotImplementedError

    def _stop(self, worker: Any) -> None:
        """End a worker."""
        raise NotImplementedError

    def __exit__(self, *_: Any) -> None:
        while self._idle:
            self._stop(self._idle.pop())

    def _pack(self, jobs: Sequence[Job]) -> Any:
        """The jobs, as they are sent to workers."""
        return _pickled(pickle.dumps, jobs)

    def _play(self, work: Work) -> Played:
        at_work: dict[Any, list[Task]] = {}
        try:
            yield from self._shared(work, at_work)
        finally:  # after an error, workers that have not answered are of no use
            for worker in at_work:
                self._stop(worker)

    def _shared(self, work: Work, at_work: dict[Any, list[Task]]) -> Played:
        """Share work between the workers; `at_work` holds those that have not answered, and what they play."""
        Pool._runs += 1
        run, packed = Pool._runs, self._pack(work.jobs)
        finished: list[tuple[Task, Part, str]] = []
        failures: Counter[Task] = Counter()
        seconds = math.inf  # of a block, in the last shard
        while work.ready or at_work or finished:
            while work.ready and len(at_work) < self.count:
                worker = self._idle.pop() if self._idle else self._start()
                shard = at_work[worker] = self._shard(worker, work, seconds, failures)
                blocks = [(task, work.held.get(task)) for task in shard]
                self._send(worker, packed if self._knows.get(worker) != run else None, blocks)
                self._knows[worker] = run
            for task, part, place in finished:  # while the workers play
                if work.progress is not None:
                    work.progress(work.jobs[task[0]].units(task[1]))
                yield task, part, place
            finished = []
            for worker in self._answered(at_work) if at_work else ():
                shard, answer = at_work.pop(worker), self._answer(worker)
                if isinstance(answer, Death):
                    self._places.pop(worker, None)
                    failures.update(shard)
                    work.ready.extendleft(reversed(shard))
                    _give_up(work.jobs, failures, answer)
                    continue
                self._idle.append(worker)
                if isinstance(answer, BaseException):
                    raise answer
                self._places[worker], spent, parts = answer
                seconds = spent / len(shard)
                for task, part in zip(shard, parts):
                    work.finish(task, part)
                    finished.append((task, part, self._places[worker]))

    def _shard(self, worker: Any, work: Work, seconds: float, failures: Counter[Task]) -> list[Task]:
        """The next blocks for a worker, about a second of work; a block whose worker died goes alone."""
        left, avoid, place = work.ready, work.avoid, self._places.get(worker)
        if avoid and place is not None and len(set(self._places.values())) > 1:
            left.rotate(-next((k for k, task in enumerate(left) if avoid.get(task) != place), 0))
        wanted = max(SHARD, self.count / PACE)
        size = min(wanted / max(seconds, 1e-9), len(left) / (2 * self.count))
        shard = [left.popleft()]
        while left and len(shard) < size and not failures[shard[0]] and not failures[left[0]] and not avoid:
            shard.append(left.popleft())
        return shard


class Death(str):
    """Why a worker died."""


def _give_up(jobs: Sequence[Job], failures: Counter[Task], death: Death) -> None:
    (job, k), count = failures.most_common(1)[0]
    if count >= FAILURES:
        raise ScaleError(
            f"block {k} of {jobs[job].kind} {jobs[job].key(k)} has ended its worker {count} times ({death}); there may "
            "be too little memory, or the script that asks for workers may lack `if __name__ == '__main__':`"
        )


def _pickled(dumps: Callable[[Any], bytes], jobs: Sequence[Job]) -> bytes:
    """Jobs for other processes, with the folders in which these find the modules."""
    try:
        return dumps((list(map(os.path.abspath, sys.path)), dumps((list(jobs), software(jobs)))))
    except (pickle.PicklingError, AttributeError, TypeError) as problem:
        raise ScaleError(f"this cannot be sent to other processes: {problem}") from None


# Processes on this machine.


class Processes(Pool):
    """`count` processes on this machine. They end with this process."""

    def __init__(self, count: int):
        super().__init__()
        self.count = count
        self._processes: dict[Connection, Any] = {}

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), name="envsuite", daemon=True)
        with starting(OMP_NUM_THREADS="1"):  # together they use all cores already
            process.start()
        theirs.close()
        self._processes[ours] = process
        return ours

    def _stop(self, worker: Connection) -> None:
        worker.close()
        process = self._processes.pop(worker)
        process.terminate()
        process.join()

    def _send(self, worker: Connection, packed: bytes | None, shard: Shard) -> None:
        with contextlib.suppress(BrokenPipeError):  # it has died, which `_answer` finds
            worker.send((packed, shard))

    def _answered(self, workers: Collection[Connection]) -> list[Any]:
        return wait(list(workers))

    def _answer(self, worker: Connection) -> Any:
        try:
            return worker.recv()
        except (EOFError, ConnectionResetError):
            process = self._processes.pop(worker)
            process.join()
            return Death(f"exit code {process.exitcode}")


def _serve(connection: Connection) -> None:
    """Play shards until the process at the other end of the connection closes it, or ends."""
    settle()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is meant for the process that asks
    worker = Worker()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            message = connection.recv()
            try:
                answer: Any = worker.work(*message)
            except Exception as error:
                answer = error
            try:
                connection.send(answer)
            except (pickle.PicklingError, AttributeError, TypeError):
                connection.send(ScaleError(f"{_place()}: {type(answer).__name__}: {answer}"))


# A Ray cluster.


class OnRay(Pool):
    """An actor for every CPU of a Ray cluster.

    Args:
        address: ``ray://host:port``; without it, the cluster that `RAY_ADDRESS` names or that runs on this machine; if
            there is none, one is started on this machine.
    """

    def __init__(self, address: str | None = None):
        super().__init__()
        try:
            import ray
        except ImportError:
            raise ScaleError('Ray is not installed: pip install "envsuite[scale]"') from None
        self._ray, self._address = ray, address

    def __enter__(self) -> Executor:
        ray = self._ray
        self._ours = not ray.is_initialized()
        if self._ours:
            try:
                ray.init(address=self._address, log_to_driver=False, logging_level=logging.ERROR)
            except (ConnectionError, ray.exceptions.RaySystemError) as problem:
                raise ScaleError(f"there is no Ray cluster at {self._address}: {problem}") from None
        # An actor with one CPU computes in one thread: Ray sets OMP_NUM_THREADS.
        self._actor = ray.remote(num_cpus=1)(Worker)
        self.count = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._answers: dict[Any, Any] = {}
        self._dead = (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError, ray.exceptions.NodeDiedError)
        return self

    def __exit__(self, *_: Any) -> None:
        super().__exit__()
        if self._ours:
            self._ray.shutdown()

    def _pack(self, jobs: Sequence[Job]) -> Any:
        return self._ray.put(_pickled(self._ray.cloudpickle.dumps, jobs))

    def _start(self) -> Any:
        return self._actor.remote()

    def _stop(self, worker: Any) -> None:
        self._answers.pop(worker, None)
        self._ray.kill(worker)

    def _send(self, worker: Any, packed: Any, shard: Shard) -> None:
        self._answers[worker] = worker.work.remote(packed, shard)

    def _answered(self, workers: Collection[Any]) -> list[Any]:
        owners = {self._answers[worker]: worker for worker in workers}
        ready, _ = self._ray.wait(list(owners))
        return [owners[one] for one in ready]

    def _answer(self, worker: Any) -> Any:
        try:
            return self._ray.get(self._answers.pop(worker))
        except self._dead as problem:
            return Death(" ".join(str(problem).split()))
        except self._ray.exceptions.RayTaskError as problem:
            return problem.cause if isinstance(problem.cause, Exception) else problem


def executor(workers: int | str | Executor) -> Executor:
    """The executor of a number of processes, "ray", "ray://host:port", or the given one."""
    if isinstance(workers, Executor):
        return workers
    if is_integer(workers) and int(workers) >= 1:
        return Here() if int(workers) == 1 else Processes(int(workers))
    if workers == "ray":
        return OnRay()
    if isinstance(workers, str) and workers.startswith("ray://"):
        return OnRay(workers)
    raise ParameterError(f"workers={workers!r} must be a number of processes, ray or ray://host:port")
