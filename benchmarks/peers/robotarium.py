"""The Robotarium's simulator: ``robotarium.py CERTIFICATE SOURCE`` answers with its steps of 4 robots per second.

A certificate is "robust", "unicycle" or "none". Every 30 steps each robot gets a random waypoint 0.2 m away and the
speed and turn of the simulator's controller for it; every 3,000 steps the robots get new places.
"""

import sys
import time

from serving import serve  # isort: skip: before anything is printed

import numpy as np

ROBOTS, PARTS, EPISODE = 4, 30, 3000


def made(name):
    """The function from wanted to safe speeds and turns."""
    from rps.utilities import barrier_certificates, barrier_certificates2

    if name == "robust":
        robust = barrier_certificates2.create_robust_barriers(safety_radius=0.2)
        return lambda wanted, poses: np.asarray(robust(wanted, poses, np.empty(0)))
    if name == "unicycle":
        return barrier_certificates.create_unicycle_barrier_certificate()
    return lambda wanted, poses: wanted


def main(name, source):
    import matplotlib

    matplotlib.use("Agg")
    sys.path.insert(0, source)
    from rps.robotarium import Robotarium
    from rps.utilities.controllers import create_clf_unicycle_position_controller
    from rps.utilities.misc import generate_initial_conditions

    rng, safe, steer = np.random.default_rng(0), made(name), create_clf_unicycle_position_controller()
    arena = Robotarium(number_of_robots=ROBOTS, show_figure=False, sim_in_real_time=False)
    ways = 0.2 * np.array([[0, 0], [0, 1], [0, -1], [1, 0], [-1, 0]])
    numbers, inside, done = np.arange(ROBOTS), np.array([[1.5], [0.9]]), 0
    wanted = np.zeros((2, ROBOTS))

    def play(count):
        nonlocal wanted, done
        start = time.perf_counter()
        for _ in range(count):
            if done % EPISODE == 0:
                arena.poses = generate_initial_conditions(ROBOTS, spacing=0.5, width=2.5, height=1.5)
            poses = arena.get_poses()
            if done % PARTS == 0:
                points = poses[:2] + ways[rng.integers(5, size=ROBOTS)].T
                wanted = steer(poses, np.clip(points, -inside, inside))
            try:
                moves = safe(wanted, poses)
            except ValueError:  # no solution
                moves = np.zeros((2, ROBOTS))
            arena.set_velocities(numbers, moves)
            arena.step()
            done += 1
        return count, time.perf_counter() - start

    serve(play, 1.0)


if __name__ == "__main__":
    main(*sys.argv[1:3])
