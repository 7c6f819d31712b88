"""NeuralMMO: recorded steps of nmmo 2.1.1, a second implementation in lock-step, probes of each rule, baselines."""

import kit
import numpy as np
import pytest

from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.generators import generate
from envsuite.gridworlds import neural_mmo
from envsuite.gridworlds.neural_mmo import NeuralMMO

ID = "envsuite/NeuralMMO-v0"
DELTA = [(0, -1), (0, 1), (1, 0), (-1, 0), (0, 0)]  # x, y of north, south, east, west, stay
STYLES = ("melee", "range", "mage")
LETTERS = {"~": 1, ".": 2, "f": 4, "#": 5}
MEADOW = ["." * 16] * 16
EDGE = neural_mmo.SIGHT


def meadow(**changed):
    """A map of grass with other cells, by (column, row) as names like ``x3y4="~"``."""
    rows = [list(row) for row in MEADOW]
    for name, letter in changed.items():
        x, y = map(int, name[1:].split("y"))
        rows[y][x] = letter
    return {"map": ["".join(row) for row in rows]}


def placed(places, level=None, **params):
    """A batch of one world with players at these (column, row)."""
    params = dict(size=16, creatures=0, order="number", regrowth=0.0, immunity=0) | params
    batch = kit.started(ID, level=level or meadow(), players=len(places), **params)
    s = batch.record()
    for a, (x, y) in enumerate(places):
        s.x[a], s.y[a] = x + EDGE, y + EDGE
    refresh(batch)
    return batch


def refresh(batch):
    """Observations and masks after the record was written by hand."""
    neural_mmo.watch(batch.record())
    batch.step(where=[False]) if False else batch.observe() if hasattr(batch, "observe") else None


def played(batch, *names):
    """One step: each player's action by name, all others stay."""
    for a in range(len(batch.world.agents)):
        name = names[a] if a < len(names) else "stay"
        batch.actions[0, a] = batch.world.action_names[a].index(name)
    batch.step(where=[True])
    return batch.record()


# Recorded steps of nmmo.

RECORDED = np.load(kit.DATA / "neural_mmo_reference.npz")


def row(s, e):
    """What the recording has of a player or creature."""
    if s.health[e] == 0:
        return [0] * 15
    vitals = [s.food[e], s.water[e]] if e < len(s.food) else None
    return [
        *(1, s.x[e] - EDGE, s.y[e] - EDGE, s.health[e]),
        *(vitals or [100, 100]),
        *s.experience[e],
        *s.skill[e],
        *(s.hurt[e], s.attacker[e], s.age[e]),
    ]


@pytest.mark.parametrize(
    "name", ["plain", "equipped", pytest.param("bare_hands", marks=pytest.mark.slow)]
)
def test_steps_are_those_of_the_reference(name, monkeypatch):
    rows, choices, kinds = (RECORDED[f"{name}_{part}"] for part in ("rows", "choices", "kinds"))
    players = int((kinds == 1).sum())
    cells = ["".join({code: letter for letter, code in LETTERS.items()}[c] for c in line) for line in RECORDED["map"]]
    batch = kit.started(
        ID, level={"map": cells}, size=33, players=players, creatures=len(kinds) - players, order="number", regrowth=0.0,
        immunity=int(RECORDED[f"{name}_immunity"]), progression=name != "plain", equipped=name == "equipped",
    )  # fmt: skip
    monkeypatch.setattr(neural_mmo, "refill", lambda s: None)
    s = batch.record()
    s.kind[:] = kinds
    s.style[:], s.power[:] = RECORDED[f"{name}_powers"].T
    s.x[:], s.y[:], s.health[:] = rows[0, :, 1] + EDGE, rows[0, :, 2] + EDGE, rows[0, :, 3]
    s.experience[:], s.skill[:] = rows[0, :, 6:9], rows[0, :, 9:12]
    attacks = ways = 0
    for t, chosen in enumerate(choices):
        neural_mmo.decide(s)
        for e in range(players, len(kinds)):
            if s.health[e] > 0:
                assert s.aim[e] == chosen[e, 1], (t, e)
                attacks += s.aim[e] > 0
                ways += s.target[e] > 0
        s.move[:], s.aim[:], s.style[:players] = chosen[:, 0], chosen[:, 1], chosen[:players, 2]
        neural_mmo.advance(s)
        ours = np.array([row(s, e) for e in range(len(kinds))])
        np.testing.assert_array_equal(ours, rows[t + 1], err_msg=f"after step {t}")
        assert s.scrub_count == RECORDED[f"{name}_scrub"][t]
    assert (rows[-1, :players, 0].sum() < players) and (players == len(kinds) or attacks > 100 and ways > attacks)
