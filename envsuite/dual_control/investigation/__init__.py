"""Investigation: follow shared entities from alert to alert through tables of logs, and name the one that is asked for.

**Rules.** An incident has alerts. Each lies in one of several tables, has a title, and has up to four entities: a host,
an account, an address and a file. Alerts that share an entity are linked. The question is: which entity of a given type
does the alert with a given title have? Only one alert has this title. The investigator starts with one entity, the key.
From it, a chain of `length` alerts leads to the answer, each of which shares an entity with the next one; no chain is
shorter. `envsuite.dual_control.investigation.levels` describes how all of this is drawn.

- `query` a table for an entity that is known: shows the numbers of all alerts in this table that have the entity.
- `open` an alert whose number is known: shows its title and its entities, which are then known.
- `submit` an entity that is known, which ends the episode.

The report says how the submitted entity was found: the alert that first showed it, the entity whose query first showed
that alert, and so on, back to the key. A wrong answer is paid for the entities of the solution that its report has.

**Agents.** `investigator`. The logs belong to the rules.

**Observation.** Dict. A is the number of alerts, P the entities of each type, E = 4 P, T the number of tables.

| part | space | content |
|---|---|---|
| tables | Box (A,) int8 | the table of each alert, from 0; -1 if its number is not known |
| titles | Box (A,) int8 | the title of each alert, from 0; -1 if it is not open |
| entities | Box (A, 4) int8 | its host, account, address and file, from 0; -1 for none; -2 if it is not open |
| known | Box (E,) int8 | 1 for entities that are known: P hosts, then accounts, addresses and files |
| queried | Box (T, E) int8 | 1 for queries made |
| sizes | Box (T,) int8 | the number of alerts in each table |
| question | Box (2,) int8 | the title and the type that the question names, from 0 |
| left | Box (1,) int16 | steps left |

**Actions.** Discrete (T E + A + E). By default:

| action | name | legal |
|---|---|---|
| 0 ... 71 | `query endpoint host 1` ... `query mail file 6` | known entities that were not sought in this table |
| 72 ... 83 | `open 1` ... `open 12` | alerts whose numbers are known and that are not open |
| 84 ... 107 | `submit host 1` ... `submit file 6` | known entities |

**Window.** A click on a letter below an entity queries that table, on an entity submits it, on an alert opens it.

**Rewards.** 1 for the answer. Otherwise the sum of 0.4 ** k over the entities of the solution that are in the report,
where k counts them back from the answer: 1 for the one that links the last two alerts, 2 for the one before.

**Ends.** Terminates with `submit`. Truncates after `steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `alerts` | 12 | number of alerts A, from 2 to 20 |
| `tables` | 3 | number of tables T, from 1 to 4 |
| `pool` | 6 | entities of each type P, from 2 to 8 |
| `length` | 3 | alerts of the chain, from 1 to 5 and at most `alerts` |
| `steps` | 25 | number of steps, from 1 to 1000 |

**Level.** ``{"tables": 3, "pool": 6, "alerts": [[0, 5, 2, -1, 3, 0], ...], "start": 4, "path": [7, 2], "links": [14,
9]}``: each alert's table, title and entities; the key; the chain of alerts; the entities that link them, and the
answer, as numbers over all types. Levels of `envsuite generate incidents` fit, and have a train and a test split.

**Known values.**

- If the report has all but the answer, the pay for a chain of 2, 3, 4 and 5 alerts is .4, .56, .624 and .6496.
- The key, each alert and its query, and the answer take 2 `length` + 1 steps if all choices are right; none are fewer.
- A search in breadth finds the answer in all episodes if it has T E + A + 1 steps.

**Differences.** From the code of ExCyTIn:

- There, logs of eight real incidents are in an SQL database, and actions are queries in SQL. Here, incidents are drawn,
  and a query looks for one entity in one table.
- There, language models write questions and judge answers. Here, both are exact.
- There, the answer is a text, and a wrong one is paid for the steps of the solution that it names. Here, the report
  says how the entity was found.
- There, several entities of the first alert are given. Here, one is.
- There, the lengths of chains are those of the pairs of alerts: 46, 413, 98, 31 and 1 of 589 questions have 1 to 5
  alerts. Here, `length` is a parameter, and the generator draws a shorter chain if 500 graphs have none.
- There, the default is 15 steps, and its results are for 25. Here, 25 is the default.

**Source.** Wu et al., "ExCyTIn-Bench: Evaluating LLM Agents on Cyber Threat Investigation", 2025, and its code,
microsoft/SecRL at 0396034.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core.errors import ParameterError
from envsuite.core.kernel import kernel
from envsuite.core.page import Page, When, listed
from envsuite.core.ranges import flag, limited, within
from envsuite.core.tools import Tool, names_of
from envsuite.core.world import Between, Horizon, Kernels, World
from envsuite.dual_control.investigation.levels import (
    LONGEST,
    MOST_ALERTS,
    MOST_POOL,
    NONE,
    TABLES,
    TITLES,
    TYPES,
    Incidents,
    entity_name,
    entity_of,
    has,
    make,
    read_incident,
    write_incident,
)
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Label, Rect, Scene

#: What takes the place of an entity of an alert that is not open.
CLOSED = -2

#: The pay of an entity of the solution, for each that is nearer to the answer.
DISCOUNT = 0.4


def fields(alerts: int, tables: int, pool: int, incident: Incidents) -> list[tuple]:
    """The record's own fields."""
    entities = len(TYPES) * pool
    return [
        *incident.fields,  # level: alerts, the question and its solution
        ("seen", flag(), (alerts,)),  # alerts whose number is known
        ("opened", flag(), (alerts,)),
        ("known", flag(), (entities,)),
        ("queried", flag(), (tables, entities)),
        ("sought", within(np.int64, NONE, entities - 1), (alerts,)),  # the entity whose query showed the alert first
        ("shown", within(np.int64, NONE, alerts - 1), (entities,)),  # the alert that showed the entity first
        ("answer", within(np.int64, NONE, entities - 1)),  # the entity that was submitted
        ("pay", within(np.float64, 0.0, 1.0)),
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        make(s)
    for a in range(s.seen.shape[0]):
        s.seen[a] = 0
        s.opened[a] = 0
        s.sought[a] = NONE
    for e in range(s.known.shape[0]):
        s.known[e] = e == s.level.start
        s.shown[e] = NONE
        for t in range(s.queried.shape[0]):
            s.queried[t, e] = 0
    s.answer = NONE
    s.pay = 0.0


@kernel
def query(s, table, entity):
    """Show the alerts in a table that have an entity."""
    s.queried[table, entity] = 1
    for a in range(s.seen.shape[0]):
        if s.seen[a] == 0 and s.level.tables[a] == table and has(s, a, entity):
            s.seen[a] = 1
            s.sought[a] = entity


@kernel
def open_alert(s, alert):
    """Show the entities of an alert."""
    s.opened[alert] = 1
    for type in range(4):
        entity = entity_of(s, alert, type)
        if entity != NONE and s.known[entity] == 0:
            s.known[entity] = 1
            s.shown[entity] = alert


@kernel
def value_of(s, answer):
    """The pay of an answer: 1, or that of the entities of the solution in its report."""
    length = np.int64(s.level.length)
    if answer == s.level.links[length - 1]:
        return 1.0
    total, pay = 0.0, 1.0
    for k in range(length - 2, -1, -1):
        pay *= DISCOUNT
        if in_report(s, answer, s.level.links[k]):
            total += pay
    return total


@kernel
def in_report(s, answer, wanted):
    """Whether the report of an answer has an entity."""
    entity = answer
    for _ in range(s.known.shape[0]):  # no report is longer
        if entity == wanted:
            return True
        alert = s.shown[entity]
        if alert == NONE:
            return False
        entity = s.sought[alert]
        if entity == NONE:
            return False
    return False


@kernel
def step(s, actions, rewards):
    entities, alerts = s.known.shape[0], s.seen.shape[0]
    action, queries = np.int64(actions[0]), s.queried.shape[0] * s.known.shape[0]
    if action < queries:
        query(s, action // entities, action % entities)
    elif action < queries + alerts:
        open_alert(s, action - queries)
    else:
        s.answer = action - queries - alerts
        s.pay = value_of(s, s.answer)
        rewards[0] = s.pay
        s.terminated[0] = 1
    if s.terminated[0] == 0 and s.t >= s.params.steps:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    for a in range(s.seen.shape[0]):
        out.tables[a] = s.level.tables[a] if s.seen[a] != 0 else NONE
        out.titles[a] = s.level.titles[a] if s.opened[a] != 0 else NONE
        for type in range(4):
            out.entities[a, type] = s.level.entities[a, type] if s.opened[a] != 0 else CLOSED
    for e in range(s.known.shape[0]):
        out.known[e] = s.known[e]
        for t in range(s.queried.shape[0]):
            out.queried[t, e] = s.queried[t, e]
    for t in range(s.queried.shape[0]):
        out.sizes[t] = s.level.sizes[t]
    last = s.level.length - 1
    out.question[0] = s.level.titles[s.level.path[last]]
    out.question[1] = s.level.links[last] // s.params.pool
    out.left[0] = s.params.steps - s.t


@kernel
def legal(s, agent, mask):
    entities, alerts = s.known.shape[0], s.seen.shape[0]
    queries = s.queried.shape[0] * entities
    for e in range(entities):
        for t in range(s.queried.shape[0]):
            mask[t * entities + e] = s.known[e] != 0 and s.queried[t, e] == 0
        mask[queries + alerts + e] = s.known[e]
    for a in range(alerts):
        mask[queries + a] = s.seen[a] != 0 and s.opened[a] == 0


PAGE = Page(
    role="You investigate an incident.",
    goal=(
        "You are asked which entity of a certain type the alert with a certain title has; only one alert has this "
        "title. The right answer pays 1.",
        When(
            "links",
            "A wrong answer can pay a part of that. It is traced back: to the alert that first showed the entity that "
            "you name, to the entity whose query first showed this alert, and so on, back to the entity with which you "
            "start. If this trace has the entity that links the last two alerts of the solution, that pays {step:g}; "
            "the entity that links the two alerts before pays {step:g} times as much, and so on.",
            "A wrong answer pays nothing.",
        ),
    ),
    rules=(
        "There are {alerts:alert} in {tables:table}. An alert has a title, and up to {types:entity/entities}: "
        "{kinds}. There are {pool} of each type. Alerts that share an entity are linked. From the entity with which "
        "you start, a chain of {length:alert} leads to the answer.",
        When("links", "Each of them shares an entity with the next, and no chain is shorter."),
    ),
    sees="You see the alerts that you have found and the entities of those that you have opened.",
    acts={
        "query {TABLE} {ENTITY}": "see the numbers of all alerts in this table that have an entity that you know",
        "open {N}": "see the title and the entities of an alert that you have found",
        "submit {ENTITY}": "answer with an entity that you know, which ends the search",
    },
    ends="It is over when you submit, and without pay after {steps:step}.",
    constants={"1": "the pay of the answer", "two": "alerts that are linked"},
)


class Investigation(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = PAGE
    paid_at_end = True
    kind = ("tools",)
    verified = (
        "the table of partial rewards; a second implementation in lock-step; shortest chains by SciPy; full search"
    )
    variants = (dict(alerts=5, tables=2, pool=2, length=2, steps=12), dict(alerts=20, tables=1, pool=8, length=5))
    shown = "frugal"

    def __init__(
        self,
        alerts: Annotated[int, Between(2, MOST_ALERTS)] = 12,
        tables: Annotated[int, Between(1, len(TABLES))] = 3,
        pool: Annotated[int, Between(2, MOST_POOL)] = 6,
        length: Annotated[int, Between(1, LONGEST)] = 3,
        steps: Annotated[int, Horizon(1, 1000)] = 25,
    ):
        try:
            incident = Incidents(alerts, tables, pool, length)
        except ParameterError as problem:
            raise ParameterError(f"Investigation: {str(problem).removeprefix('incidents: ')}") from None
        entities = [entity_name(e, pool) for e in range(len(TYPES) * pool)]
        known = {"entity": entities}
        self.tools = (
            (
                Tool(
                    "query",
                    "query {table} {entity}",
                    "Look for an entity in a table.",
                    {"table": TABLES[:tables], **known},
                ),
                Tool("open", "open {alert}", "Read an alert.", {"alert": list(range(1, alerts + 1))}),
                Tool("submit", "submit {entity}", "Answer the question.", known),
            ),
        )
        self.define(
            agents=["investigator"],
            actions=names_of(self.tools[0]),
            observation=Dict(
                tables=Box(NONE, tables - 1, (alerts,), np.int8),
                titles=Box(NONE, len(TITLES) - 1, (alerts,), np.int8),
                entities=Box(CLOSED, pool - 1, (alerts, len(TYPES)), np.int8),
                known=Box(0, 1, (len(entities),), np.int8),
                queried=Box(0, 1, (tables, len(entities)), np.int8),
                sizes=Box(0, alerts, (tables,), np.int8),
                question=Box(0, max(len(TITLES), len(TYPES)) - 1, (2,), np.int8),
                left=Box(0, 1000, (1,), np.int16),
            ),
            fields=fields(alerts, tables, pool, incident),
            params={**incident.values, "steps": limited(steps, 1, 1000)},
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        length = int(s.level.length)
        if min(s.level.path[:length]) < 0 or min(s.level.links[:length]) < 0:
            return "the chain of the question has gaps"
        over = bool(s.terminated[0] or s.truncated[0])
        return "the episode is over" if s.t >= s.params.steps and not over else None

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        p = self.parameters
        read_incident(s.level, level, (p["alerts"], p["tables"], p["pool"]), self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return write_incident(s.level, self.parameters["tables"], self.parameters["pool"])

    # Text.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"types": len(TYPES), "kinds": listed(TYPES), "step": DISCOUNT, "links": self.parameters["length"] > 1}

    def text(self, s: Any, agent: int) -> str:
        pool, seen = self.parameters["pool"], self.observation(s, agent)
        title, kind = TITLES[seen.question[0]], TYPES[seen.question[1]]
        lines = [
            f"Question: which {kind} does the alert with the title `{title}` have? You start with "
            f"{entity_name(int(s.level.start), pool)}.",
            "Tables: "
            + ", ".join(f"{TABLES[t]} with {size} alerts" for t, size in enumerate(seen.sizes.tolist()))
            + ".",
            "",
        ]
        for a in np.flatnonzero(seen.tables >= 0).tolist():
            what = "not open"
            if seen.titles[a] >= 0:
                having = [entity_name(k * pool + e, pool) for k, e in enumerate(seen.entities[a].tolist()) if e >= 0]
                what = f"{TITLES[seen.titles[a]]}; {', '.join(having)}"
            lines.append(f"- Alert {a + 1} in {TABLES[seen.tables[a]]}: {what}.")
        for e in np.flatnonzero(seen.known).tolist():
            done = [TABLES[t] for t in np.flatnonzero(seen.queried[:, e])]
            lines.append(f"- {entity_name(e, pool)}: queried in {', '.join(done) or 'no table'}.")
        if s.answer >= 0:
            return "\n".join([*lines, f"You submitted {entity_name(int(s.answer), pool)}. It paid {s.pay:g}."])
        if s.truncated[0]:
            return "\n".join([*lines, "It is over without an answer."])
        return "\n".join([*lines, f"{seen.left[0]} of {s.params.steps} steps are left. What do you do?"])

    # The picture: entities with their queries on the left, alerts on the right.

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        alerts, tables, pool = (self.parameters[name] for name in ("alerts", "tables", "pool"))
        queries = tables * len(TYPES) * pool
        wide, tall, row = sizes_of(pool, alerts)
        kind, place, n = int((y - TOP) // tall), int((x - LEFT) // wide), int((y - TOP - HEAD) // row)
        if x >= MIDDLE:
            return queries + n if 0 <= n < alerts and x < RIGHT else None
        if not (0 <= kind < len(TYPES) and 0 <= place < pool):
            return None
        e = kind * pool + place
        if y - TOP - tall * kind < 0.55 * tall:
            return queries + alerts + e
        t = int((x - LEFT - wide * place) // (wide / tables))
        return t * len(TYPES) * pool + e if t < tables else None

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        scene = Scene(24, 15)
        over = bool(s.terminated[0] or s.truncated[0])
        everything = agent is None or over
        last = s.level.length - 1
        title, kind = TITLES[s.level.titles[s.level.path[last]]], TYPES[s.level.links[last] // s.params.pool]
        scene.add(Label(0.6, 0.85, f"Which {kind} has the alert “{title}”?", 0.62, align="left", bold=True))
        steps = f"step {s.t + 1} of {s.params.steps}"
        if over:
            steps = f"it paid {s.pay:g}" if s.answer >= 0 else "no answer"
        scene.add(Label(23.4, 0.85, steps, 0.5, "muted", "right", terminal=False))
        self._draw_entities(scene, s, everything)
        self._draw_alerts(scene, s, everything)
        return scene

    def _draw_entities(self, scene: Scene, s: Any, everything: bool) -> None:
        """A row for each type, a tile for each entity, with a square for each table."""
        pool, tables = self.parameters["pool"], self.parameters["tables"]
        wide, tall, _ = sizes_of(pool, self.parameters["alerts"])
        size = min(0.42, 0.2 * wide)
        for e in range(len(TYPES) * pool):
            x, y = LEFT + wide * (e % pool), TOP + tall * (e // pool)
            known, frame = bool(s.known[e]), "line"
            if everything and e == s.level.links[s.level.length - 1] or s.answer == e:
                frame = "gold" if s.answer != e else "good" if s.pay == 1.0 else "bad"
            fill = "gold" if e == s.level.start else "sky" if known else None
            scene.add(
                Rect(
                    x + 0.06, y + 0.06, wide - 0.12, tall - 0.12, "panel", frame, 0.1 if frame != "line" else 0.04, 0.2
                )
            )
            if fill:
                scene.add(Rect(x + 0.16, y + 0.16, wide - 0.32, 0.5 * tall - 0.16, fill, radius=0.15))
            ink = "black" if fill else "muted"
            scene.add(Label(x + wide / 2, y + 0.22 * tall, TYPES[e // pool], size, ink, terminal=known))
            scene.add(
                Label(x + wide / 2, y + 0.4 * tall, str(e % pool + 1), 1.1 * size, ink, bold=True, terminal=known)
            )
            for t in range(tables if known else 0):
                across = (wide - 0.24) / tables
                left, done = x + 0.12 + across * t, bool(s.queried[t, e])
                scene.add(
                    Rect(
                        left + 0.04,
                        y + 0.58 * tall,
                        across - 0.08,
                        0.3 * tall,
                        None if done else "paper",
                        "line",
                        0.04,
                        0.1,
                    )
                )
                mark = "·" if done else TABLES[t][0].upper()
                scene.add(
                    Label(left + across / 2, y + 0.73 * tall, mark, min(0.4, 0.7 * across), "muted" if done else "ink")
                )

    def _draw_alerts(self, scene: Scene, s: Any, everything: bool) -> None:
        """A row for each alert: what is known of it, or all of it."""
        alerts, pool = self.parameters["alerts"], self.parameters["pool"]
        _, _, row = sizes_of(pool, alerts)
        scene.add(Rect(MIDDLE, TOP, RIGHT - MIDDLE, HEAD + row * alerts + 0.1, "panel", radius=0.25))
        heads = ("alert", "table", "title", *TYPES)
        for x, head in zip(COLUMNS, heads):
            scene.add(Label(x, TOP + HEAD / 2, head, 0.34, "muted", terminal=False))
        size = min(0.4, 0.6 * row)
        path = s.level.path[: s.level.length].tolist()
        for a in range(alerts):
            y, opened = TOP + HEAD + row * a, bool(s.opened[a])
            if everything and a in path:
                scene.add(Rect(MIDDLE + 0.1, y + 0.03, RIGHT - MIDDLE - 0.2, row - 0.06, None, "gold", 0.08, 0.15))
            if s.seen[a]:
                scene.add(
                    Rect(
                        MIDDLE + 0.2,
                        y + 0.08,
                        RIGHT - MIDDLE - 0.4,
                        row - 0.16,
                        "sky@0.35" if opened else "paper",
                        radius=0.12,
                    )
                )
            elif not everything:
                continue
            found = [str(a + 1), TABLES[s.level.tables[a]]]
            if opened or everything:
                found += [TITLES[s.level.titles[a]], *(str(e + 1) if e >= 0 else "-" for e in s.level.entities[a])]
            else:
                found += ["not open"]
            for x, word in zip(COLUMNS, found):
                ink = "ink" if s.seen[a] else "muted"
                scene.add(Label(x, y + row / 2, word, size, ink, terminal=x != COLUMNS[1]))  # too wide for letters


#: Places in the picture: the tiles of entities, and the table of alerts with its head and the middles of its columns.
LEFT, TOP, MIDDLE, RIGHT, HEAD, BOTTOM = 0.5, 1.6, 11.6, 23.5, 0.8, 14.5
COLUMNS = (12.3, 13.9, 16.5, 18.7, 20.1, 21.6, 22.9)


def sizes_of(pool: int, alerts: int) -> tuple[float, float, float]:
    """The width and height of the tile of an entity, and the height of the row of an alert."""
    return (MIDDLE - LEFT - 0.3) / pool, (BOTTOM - TOP) / len(TYPES), min(0.95, (BOTTOM - TOP - HEAD - 0.1) / alerts)


env, raw_env, parallel_env = pettingzoo_forms(Investigation)
