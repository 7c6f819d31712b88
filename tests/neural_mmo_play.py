"""NeuralMMO in tests: worlds with players at given places, steps by name, and rows as recordings of nmmo have them."""

from envsuite.core.batch import Batch
from envsuite.gridworlds.neural_mmo import nearby, rules
from envsuite.registry import build

ID = "envsuite/NeuralMMO-v0"
EDGE = rules.SIGHT
LETTERS = {1: "~", 2: ".", 4: "f", 5: "#", 7: "o", 9: "t", 11: "c", 13: "h", 15: "%"}
MEADOW = ["." * 16] * 16


def drawn(cells):
    """A level from recorded codes."""
    return {"map": ["".join(LETTERS[code] for code in line) for line in cells.tolist()]}


def meadow(**changed):
    """A map of grass with other cells, by (column, row) as names like ``x3y4="~"``."""
    rows = [list(line) for line in MEADOW]
    for name, letter in changed.items():
        x, y = map(int, name[1:].split("y"))
        rows[y][x] = letter
    return {"map": ["".join(line) for line in rows]}


def begun(num=1, seed=0, level=None, compiled=False, **params):
    """A batch of worlds that runs as Python by default: machine code of every other size would be another."""
    batch = Batch(build(ID, params), num, compiled=compiled)
    batch.start(seed, level)
    return batch


def placed(places, level=None, **params):
    """A batch of one world with players at these (column, row)."""
    params = dict(size=16, creatures=0, order="number", regrowth=0.0, immunity=0) | params
    batch = begun(level=level or meadow(), players=len(places), **params)
    s = batch.record()
    for a, (x, y) in enumerate(places):
        s.x[a], s.y[a] = x + EDGE, y + EDGE
    refresh(batch)
    return batch


def refresh(batch):
    """Observations and masks after the record was written by hand."""
    nearby.watch(batch.record(), rules.SIGHT)
    batch.observe()


def played(batch, *names):
    """One step: each player's action by name, all others stay."""
    for a in range(len(batch.world.agents)):
        name = names[a] if a < len(names) else "stay"
        batch.actions[0, a] = batch.world.action_names[a].index(name)
    batch.step(where=[True])
    return batch.record()


def row(s, e):
    """What a recording has of a player or creature."""
    if s.health[e] == 0:
        return [0] * 15
    vitals = [s.food[e], s.water[e]] if e < len(s.food) else [100, 100]
    place = s.x[e] - EDGE, s.y[e] - EDGE
    return [1, *place, s.health[e], *vitals, *s.experience[e], *s.skill[e], s.hurt[e], s.attacker[e], s.age[e]]
