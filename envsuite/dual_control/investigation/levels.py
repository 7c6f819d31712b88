"""Incidents: alerts that share entities, spread over tables, and a question whose answer is some alerts away.

An alert lies in a table and has a title and up to four entities, one of each type: a host, an account, an address and a
file. Tables, entities and which of them an alert has are drawn uniformly, but each alert has at least two.

The question is about a chain of `length` alerts, each of which shares an entity with the next one. The key, which is
known at the start, is an entity of the first alert; the answer is an entity of the last one. No chain from the key to
the last alert or to another alert that has the answer is shorter. Key, last alert, answer and chain are drawn in this
order. Only the last alert has its title. If 500 graphs have no such chain, one shorter by an alert is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from envsuite.core.arrays import fill
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.levels import exact_parts, read_integer, read_numbers
from envsuite.core.random import randint
from envsuite.core.ranges import below, limited, within
from envsuite.core.world import Between
from envsuite.generators.base import Generator

if TYPE_CHECKING:
    from envsuite.render.scene import Scene

#: The types of entities, the names of tables and the titles of alerts.
TYPES = ("host", "account", "address", "file")
TABLES = ("endpoint", "identity", "mail", "network")
TITLES = ("malware", "phishing", "password spray", "data theft", "new rule", "odd login", "scan", "beacon")

MOST_ALERTS, MOST_POOL, LONGEST = 20, 8, 5
#: No entity, no alert.
NONE = -1
TRIES = 500


@kernel
def entity_of(s, alert, type):
    """The number of an alert's entity of a type, or NONE."""
    place = np.int64(s.level.entities[alert, type])
    return place if place == NONE else type * s.params.pool + place


@kernel
def has(s, alert, entity):
    """Whether an alert has an entity."""
    return entity_of(s, alert, entity // s.params.pool) == entity


@kernel
def shared(s, one, other):
    """The number of entities that two alerts share."""
    count = 0
    for type in range(4):
        place = s.level.entities[one, type]
        count += place != NONE and place == s.level.entities[other, type]
    return count


@kernel
def measure(s):
    """Set the distance in alerts from the key to each alert: 0 for those that have it, 99 where there is no chain."""
    alerts = s.level.tables.shape[0]
    for a in range(alerts):
        s.scratch.hops[a] = 0 if has(s, a, s.level.start) else 99
    for hop in range(alerts):
        for a in range(alerts):
            if s.scratch.hops[a] == hop:
                for b in range(alerts):
                    if s.scratch.hops[b] > hop + 1 and shared(s, a, b) > 0:
                        s.scratch.hops[b] = hop + 1


@kernel
def pick_entity(s, alert, hops, other):
    """A random entity of an alert that no alert nearer than this has, other than one; NONE if there is none."""
    found, count = NONE, 0
    for type in range(4):
        entity = entity_of(s, alert, type)
        if entity != NONE and entity != other:
            far = True
            for b in range(s.level.tables.shape[0]):
                far = far and (s.scratch.hops[b] >= hops or not has(s, b, entity))
            if far:
                count += 1
                if randint(s, count) == 0:
                    found = entity
    return found


@kernel
def pick_alert(s, hops, near):
    """A random alert at a distance, which shares an entity with an alert unless that is NONE; NONE if there is none."""
    found, count = NONE, 0
    for a in range(s.level.tables.shape[0]):
        if s.scratch.hops[a] == hops and (near == NONE or shared(s, a, near) > 0):
            count += 1
            if randint(s, count) == 0:
                found = a
    return found


@kernel
def pick_link(s, one, other):
    """A random entity that two alerts share."""
    found, count = NONE, 0
    for type in range(4):
        place = s.level.entities[one, type]
        if place != NONE and place == s.level.entities[other, type]:
            count += 1
            if randint(s, count) == 0:
                found = entity_of(s, one, type)
    return found


@kernel
def draw_graph(s):
    """Random alerts, each with at least two entities."""
    for a in range(s.level.tables.shape[0]):
        s.level.tables[a] = randint(s, s.level.sizes.shape[0])
        s.level.titles[a] = randint(s, 7)
        count = 0
        while count < 2:
            count = 0
            for type in range(4):
                some = randint(s, 2)
                s.level.entities[a, type] = randint(s, s.params.pool) if some == 1 else NONE
                count += some


@kernel
def draw_chain(s, length):
    """Draw a key, and a chain of this length from it to an answer; whether there was one."""
    for k in range(5):
        s.level.path[k] = NONE
        s.level.links[k] = NONE
    s.level.start = pick_entity(s, np.int64(randint(s, s.level.tables.shape[0])), 0, NONE)
    measure(s)
    alert = pick_alert(s, length - 1, NONE)
    if alert == NONE:
        return False
    answer = pick_entity(s, alert, length - 1, s.level.start)
    if answer == NONE:
        return False
    s.level.path[length - 1] = alert
    s.level.links[length - 1] = answer
    for k in range(length - 2, -1, -1):
        before = pick_alert(s, k, alert)
        s.level.path[k] = before
        s.level.links[k] = pick_link(s, before, alert)
        alert = before
    return True


@large_kernel
def make(s):
    """A random incident and its question."""
    alerts, length = s.level.tables.shape[0], np.int64(s.params.length)
    tries = 0
    draw_graph(s)
    while not draw_chain(s, length):
        tries += 1
        if tries % TRIES == 0 and length > 1:
            length -= 1
        draw_graph(s)
    s.level.length = length
    fill(s.level.sizes, 0)
    last = s.level.path[length - 1]
    wanted = np.int64(randint(s, 8))
    for a in range(alerts):
        s.level.sizes[s.level.tables[a]] += 1
        if a == last:
            s.level.titles[a] = wanted
        elif s.level.titles[a] >= wanted:
            s.level.titles[a] += 1
        s.scratch.hops[a] = 0


def level_fields(alerts: int, tables: int, pool: int) -> list[tuple]:
    """The fields of `s.level`."""
    return [
        ("tables", below(np.int64, tables), (alerts,)),  # the table of each alert
        ("titles", below(np.int64, len(TITLES)), (alerts,)),
        ("entities", within(np.int64, NONE, pool - 1), (alerts, len(TYPES))),  # of each type; NONE or its place
        ("sizes", within(np.int64, 0, alerts), (tables,)),  # alerts in each table
        ("start", below(np.int64, len(TYPES) * pool)),  # the entity that is known at the start
        ("length", within(np.int64, 1, LONGEST)),  # alerts of the chain
        ("path", within(np.int64, NONE, alerts - 1), (LONGEST,)),  # these alerts, then NONE
        # The entities that each of them shares with the next one, and the answer, then NONE.
        ("links", within(np.int64, NONE, len(TYPES) * pool - 1), (LONGEST,)),
    ]


class Incidents(Generator):
    """Incidents, each with a question.

    Args:
        alerts: number of alerts, at least `length`.
        tables: number of tables.
        pool: entities of each type.
        length: alerts of the chain.
    """

    make = make

    def __init__(
        self,
        alerts: Annotated[int, Between(2, MOST_ALERTS)] = 12,
        tables: Annotated[int, Between(1, len(TABLES))] = 3,
        pool: Annotated[int, Between(2, MOST_POOL)] = 6,
        length: Annotated[int, Between(1, LONGEST)] = 3,
    ):
        if length > alerts:
            raise ParameterError(f"incidents: length={length} must be at most alerts={alerts}")
        self.sizes = alerts, tables, pool
        self.define(
            level=level_fields(alerts, tables, pool),
            params={
                "pool": np.array(pool, within(np.int64, pool, pool)),
                "length": limited(length, 1, min(LONGEST, alerts)),
            },
            scratch=[("hops", within(np.int64, 0, 99), (alerts,))],
        )

    @classmethod
    def of(cls, level: Mapping[str, Any]) -> Generator:
        return cls(len(level["alerts"]), level["tables"], level["pool"], len(level["path"]))

    def decode(self, s: Any) -> dict[str, Any]:
        return write_incident(s.level, *self.sizes[1:])

    def encode(self, s: Any, level: Mapping[str, Any]) -> None:
        read_incident(s.level, level, self.sizes, "incidents")

    def describe(self, level: Mapping[str, Any]) -> dict[str, Any]:
        """The usual figures, and the number of "entities" that alerts have.

        All questions can be answered. The difficulty is the number of alerts of the chain.
        """
        return {
            "size": [len(level["alerts"]), level["pool"]],
            "solvable": True,
            "difficulty": len(level["path"]),
            "entities": len({(k, e) for one in level["alerts"] for k, e in enumerate(one[2:]) if e >= 0}),
        }

    def scene(self, level: Mapping[str, Any]) -> Scene:
        """The chain: alerts in boxes, and the entities between them."""
        from envsuite.render.scene import Label, Line, Rect, Scene

        pool, path = level["pool"], level["path"]
        scene = Scene(7.2, 1.4 + 2.6 * len(path))
        scene.add(Line([(3.6, 0.6), (3.6, 0.6 + 2.6 * len(path))], "line", 0.12))
        for k, entity in enumerate([level["start"], *level["links"]]):
            scene.add(Rect(1.8, 0.2 + 2.6 * k, 3.6, 0.9, "gold" if k == len(path) else "sky", radius=0.4))
            scene.add(Label(3.6, 0.65 + 2.6 * k, entity_name(entity, pool), 0.42, "black", bold=True))
        for k, alert in enumerate(path):
            scene.add(Rect(0.4, 1.45 + 2.6 * k, 6.4, 1.0, "panel", "line", radius=0.2))
            table, title = level["alerts"][alert][:2]
            scene.add(Label(3.6, 1.95 + 2.6 * k, f"{alert + 1} {TITLES[title]}, {TABLES[table]}", 0.42))
        return scene


def entity_name(entity: int, pool: int) -> str:
    """The name of an entity."""
    return f"{TYPES[entity // pool]} {entity % pool + 1}"


def write_incident(part: Any, tables: int, pool: int) -> dict[str, Any]:
    """A level's record as plain data."""
    length = int(part.length)
    rows = zip(part.tables.tolist(), part.titles.tolist(), part.entities.tolist())
    return {
        "tables": tables,
        "pool": pool,
        "alerts": [[table, title, *entities] for table, title, entities in rows],
        "start": int(part.start),
        "path": part.path.tolist()[:length],
        "links": part.links.tolist()[:length],
    }


def distances(entities: np.ndarray, first: list[int]) -> np.ndarray:
    """The distances (A,) in alerts from the nearest of these, 99 where there is no chain; `entities` is (A, 4)."""
    joined = ((entities[:, None] == entities[None]) & (entities >= 0)[None]).any(axis=2)
    hops = np.where(np.isin(np.arange(len(entities)), first), 0, 99)
    for hop in range(1, len(entities)):
        reached = joined[hops < hop].any(axis=0)
        hops = np.where(reached & (hops == 99), hop, hops)
    return hops


def read_incident(part: Any, level: Mapping[str, Any], sizes: tuple[int, int, int], name: str) -> None:
    """Fill a level's record from plain data, or raise a `LevelError` that begins with this name."""
    exact_parts(name, level, "tables", "pool", "alerts", "start", "path", "links", optional=["kind"])
    alerts, tables, pool = sizes
    if level["tables"] != tables or level["pool"] != pool:
        raise LevelError(
            f"{name}: the level has tables={level['tables']!r:.40} and pool={level['pool']!r:.40}, "
            f"not {tables} and {pool}"
        )
    what, most = f"{name}: the level's", [tables - 1, len(TITLES) - 1, *[pool - 1] * len(TYPES)]
    shape, low = (alerts, len(most)), [0, 0, *[NONE] * len(TYPES)]
    table = read_numbers(level["alerts"], f"{what} alerts", shape, low, most, whole=True)
    path = read_numbers(level["path"], f"{what} path", ((1, LONGEST),), 0, alerts - 1, whole=True).tolist()
    start = read_integer(level["start"], f"{what} start", 0, 4 * pool - 1)
    links = read_numbers(level["links"], f"{what} links", (len(path),), 0, 4 * pool - 1, whole=True).tolist()
    if problem := _broken(table[:, 2:], table[:, 1], path, links, start, pool):
        raise LevelError(f"{name}: {problem}")
    part.tables[:], part.titles[:], part.entities[:] = table[:, 0], table[:, 1], table[:, 2:]
    part.sizes[:] = np.bincount(table[:, 0], minlength=tables)
    part.start, part.length = start, len(path)
    part.path[:] = [*path, *[NONE] * (LONGEST - len(path))]
    part.links[:] = [*links, *[NONE] * (LONGEST - len(path))]


def _broken(entities: np.ndarray, titles: np.ndarray, path: list[int], links: list[int], start: int, pool: int) -> str:
    """What is wrong with a chain, or an empty text."""

    def holders(entity: int) -> list[int]:
        return np.flatnonzero(entities[:, entity // pool] == entity % pool).tolist()

    for k, alert in enumerate(path):
        if alert not in holders(links[k]) or k + 1 < len(path) and path[k + 1] not in holders(links[k]):
            return f"link {k} is no entity of the alerts that it joins"
    if path[0] not in holders(start) or start == links[-1]:
        return "'start' must be an entity of the first alert, and not the answer"
    if (titles == titles[path[-1]]).sum() > 1:
        return "another alert has the title of the last one"
    away = distances(entities, holders(start))
    nearest = min(away[path[-1]], *(away[k] for k in holders(links[-1])))
    return "there is a shorter chain" if nearest < len(path) - 1 else ""
