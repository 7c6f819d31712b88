"""Robots against the simulator of the Robotarium: parts of a step of 4 robots per second on one core, in one run.

    git clone https://github.com/shalin-jain/robotarium_python_simulator /tmp/simulator       # commit 693aa93
    python -m venv /tmp/robotarium
    /tmp/robotarium/bin/pip install numpy scipy matplotlib cvxopt quadprog
    python benchmarks/robots.py /tmp/simulator /tmp/robotarium/bin/python

A part is 0.033 s of motion, with the barrier certificate. Both sides draw a waypoint for each robot every 30 parts.
Ours is `make_vec` and `rollout` of 256 worlds of navigation: observations, rewards and resets are included. Theirs is
one arena without pictures, with one of its certificates: "robust" is ours, solved by quadprog; "unicycle" is for points
without wheels, solved by cvxopt; "none" moves the robots only.
"""

from __future__ import annotations

import argparse

from measure import Peer, compare, judged, rollout_rate, vector_rate
from rich.console import Console
from rich.table import Table

WORLD, PARTS = {"id": "envsuite/Robots-v0", "num_envs": 256, "steps": 10, "robots": 4}, 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="a checkout of the simulator")
    parser.add_argument("python", help="a Python with the packages that it needs")
    options = parser.parse_args()
    title = "Robots against the Robotarium's simulator, parts of a step per second"
    table = Table("what", "ours /s", "theirs", "ratio", "wanted", title=title)
    for certificate, wanted in (("robust", 50), ("unicycle", 50), ("none", 0)):
        for name, rate in (("make_vec", vector_rate), ("rollout", rollout_rate)):
            mine = rate(**WORLD, barrier=certificate != "none")
            peer = Peer(options.python, "robotarium.py", certificate, options.source)
            a, b, ratio = compare(lambda mine=mine: PARTS * mine(), peer, 5)
            peer.close()
            table.add_row(f"{name} / {certificate}", f"{a:,.0f}", f"{b:,.0f}", judged(ratio, wanted), f"{wanted:,}")
    Console().print(table)


if __name__ == "__main__":
    main()
