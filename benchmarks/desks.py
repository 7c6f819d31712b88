"""Retail against tau2-bench's Retail: tool calls per second on one core, in one run, printed as ratios.

    git clone https://github.com/sierra-research/tau2-bench /tmp/tau2       # commit a2c0247
    : > /tmp/tau2/src/tau2/__init__.py                                        # so that no model is imported
    pip install toml addict docstring_parser loguru deepdiff
    python benchmarks/desks.py /tmp/tau2/src

Ours is `rollout` of 1,024 calls in solo mode with random legal actions, of which more than 0.9 call tools: masks,
observations, new tasks and the comparison with the gold plan included. `peers/tau2_retail.py` says what theirs are:
"episodes" has a new database for each task and its evaluation too, and is the like of ours.
"""

from __future__ import annotations

import argparse
import sys

from measure import Peer, compare, judged, rollout_rate
from rich.console import Console
from rich.table import Table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="the folder src of a checkout of tau2-bench")
    options = parser.parse_args()
    title = "Retail against tau2-bench, tool calls per second"
    table = Table("what", "ours /s", "theirs", "ratio", "wanted", title=title)
    mine = rollout_rate("envsuite/Retail-v0", mode="solo")
    for measure in ("tools", "environment", "episodes"):
        peer = Peer(sys.executable, "tau2_retail.py", measure, options.source)
        a, b, ratio = compare(mine, peer, 5)
        peer.close()
        table.add_row(measure, f"{a:,.0f}", f"{b:,.0f}", judged(ratio, 1000), "1,000")
    Console().print(table)


if __name__ == "__main__":
    main()
