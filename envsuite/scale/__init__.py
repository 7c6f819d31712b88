"""Work in blocks, on one processor, on several, or on a Ray cluster, with the same bits.

    result = play("ConnectFour", ["tactical", "random"], 1_000_000, workers=2, path="four.jsonl")
    totals = run(Rollout(...), workers="ray")

A `Job` cuts its work into blocks that depend on the job alone. `run` plays the blocks anywhere and in any order, and
reduces them in their own order. A `Ledger` keeps finished blocks in a file, so that an interrupted run resumes.
"""

from envsuite.scale.executors import Executor, executor
from envsuite.scale.job import Chain, Job, Part
from envsuite.scale.ledger import Ledger
from envsuite.scale.running import run, run_all

__all__ = ["Chain", "Executor", "Job", "Ledger", "Part", "executor", "run", "run_all"]
