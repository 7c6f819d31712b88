"""MiniGrid's obstacles, led by ours."""

import itertools

import numpy as np
from minigrid.envs import DynamicObstaclesEnv


class Led(DynamicObstaclesEnv):
    """MiniGrid's obstacles, which try to follow ours; its own code still decides whether they may."""

    places = None

    def place_obj(self, obj, top=None, size=None, reject_fn=None, max_tries=np.inf):
        if self.places is not None:
            self.wish = itertools.cycle(next(self.places))
        return super().place_obj(obj, top, size, reject_fn, max_tries)

    def _rand_int(self, low, high):
        if self.places is None:
            return super()._rand_int(low, high)
        wish = next(self.wish)
        if not low <= wish < high:
            raise RecursionError(f"{wish} is not within {low} .. {high - 1}")  # the ball stays: a difference
        return wish
