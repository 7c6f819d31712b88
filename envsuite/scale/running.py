"""Running jobs: play their blocks, keep them in a ledger, reduce them in order."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from envsuite.core.errors import ParameterError, ScaleError
from envsuite.scale.executors import Executor, Task, executor
from envsuite.scale.job import Job, Part, digest
from envsuite.scale.ledger import Blocks


def run(
    job: Job,
    workers: int | str | Executor = 1,
    path: str | os.PathLike[str] | None = None,
    *,
    audit: float = 0.0,
    progress: Callable[[int], None] | None = None,
) -> Any:
    """The result of a job, the same bits for any workers.

    Args:
        job: the job.
        workers: the number of processes on this machine; "ray" or "ray://host:port" for a Ray cluster; or a running
            `Executor`.
        path: a ledger, to which each block is added when it is finished. Blocks that it holds are not played again.
            `ResultsError` if a line is damaged, or belongs to another job or other code.
        audit: a share of the blocks that are played a second time, in another process if one is free. `ScaleError` if
            their results differ.
        progress: called with the units (episodes, levels) that have just been finished.
    """
    ((_, result),) = run_all([job], workers, path, audit=audit, progress=progress)
    return result


def run_all(
    jobs: Sequence[Job],
    workers: int | str | Executor = 1,
    path: str | os.PathLike[str] | None = None,
    *,
    audit: float = 0.0,
    progress: Callable[[int], None] | None = None,
) -> Iterator[tuple[int, Any]]:
    """The results of several jobs with equal headers, each with its number, in the order in which they are finished.

    Args:
        jobs, workers, path, audit, progress: see `run`.
    """
    if not 0.0 <= audit <= 1.0:
        raise ParameterError(f"audit={audit!r} must be from 0 to 1")
    ledger = None if path is None else Blocks(path, jobs[0].header())
    parts: dict[Task, Part] = {}
    missing: list[Task] = []
    for number, job in enumerate(jobs):
        for k in range(job.blocks):
            found = None if ledger is None else ledger.get(job, k)
            if found is None:
                missing.append((number, k))
                continue
            parts[number, k] = found
            if progress is not None:
                progress(job.units(k))

    def reduced(number: int) -> tuple[int, Any]:
        return number, jobs[number].reduce([parts.pop((number, k)) for k in jobs[number].last])

    left = Counter(number for number, _ in missing)
    yield from (reduced(number) for number in range(len(jobs)) if not left[number])
    if not missing:
        return
    with contextlib.ExitStack() as stack:
        pool = workers if isinstance(workers, Executor) else stack.enter_context(executor(workers))
        chosen = set(missing[:: round(1 / audit)] if audit else ())
        audited: dict[Task, tuple[str, str]] = {}
        begun: dict[Task, Part] = {}  # what audited blocks continue from
        for task, part, place in pool.map(jobs, missing, progress, earlier=parts):
            number, k = task
            parts[task] = part
            before = jobs[number].before(k)
            earlier = None if before is None else parts.pop((number, before))
            if ledger is not None:
                ledger.put(jobs[number], k, part)
            if task in chosen:
                audited[task] = place, digest(part)
                if before is not None and earlier is not None:
                    begun[number, before] = earlier
            left[number] -= 1
            if not left[number]:
                yield reduced(number)
        avoid = {task: first for task, (first, _) in audited.items()}
        for task, part, place in pool.map(jobs, audited, avoid=avoid, earlier=begun):
            first, expected = audited[task]
            if digest(part) != expected:
                raise ScaleError(f"{first} and {place} disagree on block {task[1]} of {jobs[task[0]].kind}")
