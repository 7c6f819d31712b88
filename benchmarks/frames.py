"""The processor time of a frame while a long replay is scrubbed; 16 ms are 60 frames a second.

    python benchmarks/frames.py

A grid of 25 x 25 cells in which 16 agents move, each with a line to its target: more than any world of that size.
"""

from __future__ import annotations

import statistics
import time

import numpy as np

from envsuite.render.frames import draw
from envsuite.render.scene import Label, Line, Scene, avatar, grid
from envsuite.render.theme import agent_color


def main() -> None:
    random = np.random.default_rng(0)
    places, targets = random.integers(0, 25, (2, 16, 2)) + 0.5
    times = []
    for step in range(201):
        places = np.clip(places + random.integers(-1, 2, places.shape), 0.5, 24.5)
        scene = Scene(25, 26, [*grid(0, 0, 25, 25), Label(1, 25.5, f"t = {step}")])
        for a, ((x, y), (u, v)) in enumerate(zip(places.tolist(), targets.tolist())):
            scene.add(Line([(x, y), (u, v)], f"{agent_color(a)}@0.3", 0.07), *avatar(x, y, a, agent_color(a), text="A"))
        begin = time.process_time()
        draw(scene, 700)
        times.append(1000 * (time.process_time() - begin))
    print(f"a frame of 700 pixels: {statistics.median(times):.1f} ms, at most {max(times):.1f} ms; wanted 16 ms")


if __name__ == "__main__":
    main()
