"""Energy: the loads and the solar power of buildings, and prices and carbon of the grid, hour by hour.

Loads follow a daily profile with a morning and an evening peak, times a factor of each building (0.6 to 1.4) and a
random factor of each hour (mean 1, deviation 0.2, at least 0). A building has panels of 0 to `panels` kW. All have the
same sky: each day has a random factor from 0.2 to 1. Energy costs 0.12 at night (22 to 6 o'clock), 0.40 from 17 to 20
and otherwise 0.24 a kWh. The carbon of a kWh is 0.35 kg at night, 0.45 from 17 to 20, 0.15 from 10 to 15 and otherwise
0.30.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite.core import random
from envsuite.core.errors import LevelError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import read_numbers
from envsuite.core.page import counted
from envsuite.core.ranges import within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

HOURS = 24

#: The most buildings, days and kW of panels.
BUILDINGS, DAYS, PANELS = 16, 31, 50

#: Bounds of a load or generation in an hour, of prices and of carbon.
ENERGY, PRICE, SOOT = 100.0, 10.0, 5.0

#: By hour of the day: the mean load in kWh, the sun as a part of its height, price, carbon.
PROFILE = np.array([
    0.35, 0.3, 0.3, 0.3, 0.3, 0.4, 0.7, 1.1, 1.0, 0.7, 0.6, 0.6,
    0.7, 0.7, 0.6, 0.6, 0.8, 1.3, 1.7, 1.8, 1.6, 1.3, 0.8, 0.5,
])  # fmt: skip
SUN = np.array([0.0] * 6 + [0.1, 0.3, 0.5, 0.7, 0.85, 0.95, 1.0, 0.95, 0.85, 0.7, 0.5, 0.3, 0.1] + [0.0] * 5)
PRICES = np.array([0.12] * 6 + [0.24] * 11 + [0.4] * 3 + [0.24] * 2 + [0.12] * 2)
CARBONS = np.array([0.35] * 6 + [0.3] * 4 + [0.15] * 5 + [0.3] * 2 + [0.45] * 3 + [0.3] * 2 + [0.35] * 2)

PARTS = ("load", "generation", "price", "carbon")


@large_kernel
def make(s):
    """The usual prices and carbon, and random loads and solar power."""
    buildings, hours = s.level.load.shape
    for h in range(hours):
        s.level.price[h] = PRICES[h % HOURS]
        s.level.carbon[h] = CARBONS[h % HOURS]
    sky = 0.0
    for h in range(hours):
        if h % HOURS == 0:
            sky = 0.2 + 0.8 * random.uniform(s)
        for i in range(buildings):
            s.level.generation[i, h] = sky * SUN[h % HOURS]
    for i in range(buildings):
        draw_building(s, i)


@kernel
def draw_building(s, i):
    """Random loads of a building, and its share of the sun."""
    size, panels = 0.6 + 0.8 * random.uniform(s), s.params.panels * random.uniform(s)
    for h in range(s.level.load.shape[1]):
        s.level.load[i, h] = max(0.0, size * PROFILE[h % HOURS] * (1.0 + 0.2 * random.normal(s)))
        s.level.generation[i, h] *= panels


class Energy(Generator):
    """Days of some buildings.

    Args:
        buildings: number of buildings.
        days: number of days.
        panels: largest solar panels in kW.
    """

    make = make

    def __init__(
        self,
        buildings: Annotated[int, Between(1, BUILDINGS)] = 2,
        days: Annotated[int, Between(1, DAYS)] = 1,
        panels: Annotated[float, Between(0, PANELS)] = 5.0,
    ):
        hours, energy = HOURS * days, within(np.float64, 0, ENERGY)
        self.define(
            level=[
                ("load", energy, (buildings, hours)),  # kWh in each hour
                ("generation", energy, (buildings, hours)),
                ("price", within(np.float64, 0, PRICE), (hours,)),  # of a kWh
                ("carbon", within(np.float64, 0, SOOT), (hours,)),  # kg of a kWh
            ],
            params={"panels": float(panels)},
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(len(level["load"]), max(1, len(level["load"][0]) // HOURS))

    def decode(self, s: Any) -> dict[str, Any]:
        return write_energy(s.level)

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_energy(s.level, level, "energy")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and "load" and "generation", the mean kWh of a building in an hour.

        The difficulty is the number of hours.
        """
        load, generation = np.array(level["load"]), np.array(level["generation"])
        return {
            "size": list(load.shape),
            "solvable": True,
            "difficulty": load.shape[1],
            "load": round(float(load.mean()), 4),
            "generation": round(float(generation.mean()), 4),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """Curves of all loads and of all solar power, above the price of each hour."""
        from envsuite.kit import plots
        from envsuite.render.scene import Label, Scene

        load, generation = (np.array(level[name]).sum(axis=0).tolist() for name in ("load", "generation"))
        buildings, hours = len(level["load"]), len(load)
        price, carbon = level["price"], level["carbon"]
        scene = Scene(16, 12.4)
        title = f"{counted(buildings, 'building')}, {hours} hours"
        scene.add(Label(0.6, 0.8, title, 0.6, align="left", bold=True))
        lines = [(load, "blue", "load"), (generation, "gold", "solar power")]
        ends = 0.0, round(max(*load, *generation) + 0.05, 1)
        plots.curves(scene, (0.6, 1.5, 14.8, 5.6), "kWh of all buildings", lines, hours, ends)
        lines = [(price, "red", "price of a kWh"), (carbon, "muted", "kg of carbon of a kWh")]
        ends = 0.0, round(max(*price, *carbon) + 0.05, 1)
        plots.curves(scene, (0.6, 7.6, 14.8, 4.2), "of each hour", lines, hours, ends)
        return scene


def write_energy(part: Any) -> dict[str, Any]:
    """A level's record as plain data."""
    return {name: part[name].tolist() for name in PARTS}


def read_energy(part: Any, level: Mapping[str, Any], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name.

    Where prices or carbon are left out, they are the usual ones.
    """
    for given in level:
        if given not in (*PARTS, "kind"):
            raise LevelError(f"{name}: unknown part {given!r} of a level")
    for wanted in ("load", "generation"):
        if wanted not in level:
            raise LevelError(f"{name}: the level lacks {wanted!r}")
    (buildings, hours), days = part.load.shape, len(part.price) // HOURS
    usual = {"price": PRICES.tolist() * days, "carbon": CARBONS.tolist() * days}
    bounds = {
        "load": ((buildings, hours), 0, ENERGY),
        "generation": ((buildings, hours), 0, ENERGY),
        "price": ((hours,), 0, PRICE),
        "carbon": ((hours,), 0, SOOT),
    }
    found = {what: read_numbers(level.get(what, usual.get(what)), f"{name}: {what!r}", *bounds[what]) for what in PARTS}
    for what, numbers in found.items():
        part[what][:] = numbers
