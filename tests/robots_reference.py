"""Makes tests/data/Robots/robots_reference.json: barrier certificates by quadprog, from the conditions on wheels.

Needs ``pip install quadprog``. Run it as ``python tests/robots_reference.py``; nothing of envsuite is imported.
"""

import json
import math
import time
from itertools import product
from pathlib import Path

import numpy as np
import quadprog

R, AXLE, MOST, AHEAD, SAFE, GAIN = 0.016, 0.105, 12.5, 0.05, 0.2, 150.0
D = np.array([[R / 2, R / 2], [-R / AXLE, R / AXLE]])  # (left, right) wheel to (speed, turn)
L = np.diag([1, AHEAD]) @ D


def solve(poses, wanted):
    """(speed, turn) of each robot by the certificate, or None."""
    n = len(poses)
    ahead = [np.array([[math.cos(t), -AHEAD * math.sin(t)], [math.sin(t), AHEAD * math.cos(t)]]) for *_, t in poses]
    points = [np.array(pose[:2]) + AHEAD * g[:, 0] for pose, g in zip(poses, ahead, strict=True)]
    g = [each @ D for each in ahead]
    rows, right = [], []
    noise = [np.array(pair) for pair in product((-5, 5), repeat=2)]
    for i in range(n):
        for j in range(i + 1, n):
            gap = points[i] - points[j]
            h = gap @ gap - SAFE**2
            row = np.zeros(2 * n)
            row[2 * i : 2 * i + 2], row[2 * j : 2 * j + 2] = 2 * gap @ g[i], -2 * gap @ g[j]
            rows.append(row)
            right.append(
                -GAIN * h**3
                - min(2 * gap @ g[i] @ each for each in noise)
                - min(-2 * gap @ g[j] @ each for each in noise)
            )
    rows += [*np.eye(2 * n), *-np.eye(2 * n)]
    right += [-MOST] * (4 * n)
    target = np.concatenate([np.linalg.solve(D, each) for each in wanted])
    weight = np.kron(np.eye(n), 2 * L.T @ L)
    try:
        u = quadprog.solve_qp(weight, weight @ target, np.array(rows).T, np.array(right))[0]
    except ValueError:
        return None
    return [(D @ u[2 * a : 2 * a + 2]).tolist() for a in range(n)]


def main():
    rng, scenes, spent = np.random.default_rng(0), [], 0.0
    while len(scenes) < 240:
        n = int(rng.integers(2, 6))
        side = rng.uniform(0.3, 1.2)
        places = rng.uniform(-side / 2, side / 2, (n, 2))
        gaps = [np.hypot(*(places[i] - places[j])) for i in range(n) for j in range(i)]
        if min(gaps) < 0.16:
            continue
        poses = [[*place, rng.uniform(-math.pi, math.pi)] for place in places.tolist()]
        wanted = np.stack([rng.uniform(-0.3, 0.3, n), rng.uniform(-4, 4, n)], 1).tolist()
        began = time.perf_counter()
        found = solve(poses, wanted)
        spent += time.perf_counter() - began
        scenes.append({"poses": poses, "wanted": wanted, "solved": found})
    none = sum(scene["solved"] is None for scene in scenes)
    print(f"{len(scenes)} scenes, {none} without a solution, {1e6 * spent / len(scenes):.0f} us a scene")
    path = Path(__file__).parent / "data" / "Robots" / "robots_reference.json"
    path.write_text(json.dumps(scenes) + "\n")


if __name__ == "__main__":
    main()
