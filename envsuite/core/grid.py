"""What gridworlds share. A facing is 0 east, 1 south, 2 west, 3 north: x grows to the east, y to the south."""

from __future__ import annotations

import numpy as np

EAST, SOUTH, WEST, NORTH = range(4)

#: One cell ahead in each facing; one cell to the right of a facing f is that of facing (f + 1) % 4.
DX = np.array([1, 0, -1, 0])
DY = np.array([0, 1, 0, -1])
