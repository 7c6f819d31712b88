"""The data of a study as Parquet: participants, answers, episodes, actions and messages.

    export("tables", "data")

writes five files. In all of them, `participant` is the number of a participant, and times are seconds since 1970.

- ``participants.parquet``: `id` (from the link), `agreed`, `finished` (null while they have not), `left`, `order` (the
  names of the conditions), `code`.
- ``answers.parquet``: `at` ("before", "after" or a condition), `question`, `text`, `number` (null for words), `time`.
- ``episodes.parquet``: a row for each participant in each episode, whole or not: `condition`, `table`, `episode`,
  `agent`, `players` (of all seats), `seed`, `steps`, `over`, `return`, `replay` (its file, null before the end),
  `fallbacks` (how many actions a policy chose instead of a language model that gave none).
- ``actions.parquet``: a row for each action of each participant's seat: `table`, `episode`, `step`, `agent`, `by`
  ("person"; "clock", if nothing was chosen in a tick; "policy", if one stood in), `action` or `controls`, `name`, `ms`
  (milliseconds from the moment when the page showed the state to the choice, measured by the page), `time` (when the
  server received the choice; of the step, if there was none).
- ``messages.parquet``: a row for each thing that was said in words: `table`, `episode`, `step` (the transitions before
  it), `agent`, `by` ("person", "model" or "policy"), `participant` (null unless it is a person), `to` (the agents who
  heard it), `text`, `act` (the action that it went with), `removed` (how many of a person's words were replaced, see
  ``--block``), `time` (when the server received it; of the step, if that is later or nobody wrote it).
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from envsuite.core.errors import DataError, EnvsuiteError
from envsuite.serve.blocked import REMOVED
from envsuite.serve.chat import lines_of
from envsuite.serve.journal import Journal, read
from envsuite.serve.messages import cleaned
from envsuite.serve.plan import Plan
from envsuite.serve.study import PARTICIPANTS, parts
from envsuite.serve.tables import Table

_COLUMNS = {
    "participants": "participant:int32 id:string agreed:double finished:double left:bool order:strings code:string",
    "answers": "participant:int32 at:string question:string text:string number:double time:double",
    "episodes": "participant:int32 condition:string table:string episode:int32 agent:string players:strings "
    "seed:uint64 steps:int32 over:bool return:double replay:string fallbacks:int32",
    "actions": "participant:int32 table:string episode:int32 step:int32 agent:string by:string action:int32 "
    "controls:doubles name:string ms:int64 time:double",
    "messages": "table:string episode:int32 step:int32 agent:string by:string participant:int32 to:strings text:string "
    "act:string removed:int32 time:double",
}


def export(folder: Path, out: Path) -> dict[str, int]:
    """Write the data of a study's folder; the server may be running.

    Args:
        folder: of the study.
        out: the folder for the files, which are replaced.

    Returns:
        The number of rows of each file. A table whose journal is damaged is left out, with a warning.

    Raises:
        DataError: the folder holds no study, or pyarrow is missing.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise DataError('the export needs pyarrow: pip install "envsuite[data]"') from None
    path = folder / PARTICIPANTS
    if not path.is_file():
        raise DataError(f"{folder} holds no study: there is no {PARTICIPANTS}")
    events = read(path).events
    content, seats = _plan(path, events), dict[str, dict[int, dict[str, Any]]]()
    plan = Plan.model_validate(content)
    for event in events:
        if "table" in event:
            seats.setdefault(event["table"], {})[event["seat"]] = event
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in _COLUMNS}
    tables = (row for id, at in seats.items() for row in _whole(folder / f"{id}.journal", at))
    for name, row in itertools.chain(_people(plan, events), tables):
        rows[name].append(cleaned(row))
    kinds = {
        "strings": pa.list_(pa.string()),
        "doubles": pa.list_(pa.float64()),
        "double": pa.float64(),
        "bool": pa.bool_(),
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, columns in _COLUMNS.items():
        pairs = [column.split(":") for column in columns.split()]
        schema = pa.schema([(column, kinds.get(kind) or getattr(pa, kind)()) for column, kind in pairs])
        pq.write_table(pa.Table.from_pylist(rows[name], schema), out / f"{name}.parquet")
    return {name: len(found) for name, found in rows.items()}


def _plan(path: Path, events: list[dict[str, Any]]) -> dict[str, Any]:
    """The last plan of a study: that with the most participants."""
    plans = [event["plan"] for event in events if "plan" in event]
    if not plans:
        raise DataError(f"{path} holds no plan")
    return plans[-1]


def _people(plan: Plan, events: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of participants and answers, with the names of their files."""
    people: list[dict[str, Any]] = []
    left: list[int] = []  # parts that each participant has not finished
    for event in events:
        if "plan" in event:
            continue
        if "participant" in event:
            row = {name: event[name] for name in ("participant", "id", "order", "code")}
            people.append({**row, "agreed": event["time"], "finished": None, "left": False})
            left.append(len(parts(plan, event["order"])))
            continue
        row = people[event["of"]]
        if "left" in event:
            row["left"] = True
        elif "table" not in event:
            left[event["of"]] -= 1
            row["finished"] = None if left[event["of"]] else event["time"]
        for question, given in event.get("answers", {}).items():
            words = {"at": event["at"], "question": question, "text": str(given)}
            number = None if isinstance(given, str) else float(given)
            yield "answers", {"participant": event["of"], **words, "number": number, "time": event["time"]}
    yield from (("participants", row) for row in people)


def _whole(path: Path, seats: Mapping[int, Mapping[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """The rows of a table, or a warning and none where its journal is damaged or set aside."""
    try:
        return list(_table(path, seats))
    except (EnvsuiteError, LookupError, TypeError, ValueError, OSError) as problem:
        warnings.warn(f"{path}: the data of this table are left out: {problem}", stacklevel=3)
        return []


def _table(path: Path, seats: Mapping[int, Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a table's episodes, actions and messages.

    The table is played again from its journal, event by event.
    """
    journal = Journal(path, write=False)
    journal.events, events = journal.events[:1], journal.events[1:]
    settings = journal.events[0]["settings"]
    players = settings["seats"]
    table = Table(journal, dict.fromkeys((name.partition(":")[2] for name in players.values()), str))
    agents, choices = table.world.agents, dict[int, Mapping[str, Any]]()
    episode = fallbacks = 0
    who = {agents[a]: f"participant {event['of']}" for a, event in seats.items()}
    everybody = [f"{agent}: {who.get(agent) or players.get(agent) or table.settings.standin}" for agent in agents]

    def episodes() -> Iterator[tuple[str, dict[str, Any]]]:
        session = table.session
        for a, event in seats.items() if session.step else ():
            replay = f"{table.id}-{session.start.seed}.replay" if session.over else None
            yield "episodes", {
                "participant": event["of"], "condition": event["at"], "table": table.id, "episode": episode,
                "agent": agents[a], "players": everybody, "seed": session.start.seed, "steps": session.step,
                "over": session.over, "return": float(table.returns[a]), "replay": replay, "fallbacks": fallbacks,
            }  # fmt: skip

    for event in events:
        session = table.session
        if "choose" in event:
            choices[event["choose"]] = event
        elif "step" in event:
            choices |= {int(a): choice for a, choice in event["choices"].items()}
            for a, by in table.choosers(event).items():
                if a not in seats:
                    continue
                chosen, action = choices.get(a, {}), event["step"][a]
                yield "actions", {
                    "participant": seats[a]["of"], "table": table.id, "episode": episode, "step": session.step,
                    "agent": agents[a], "by": by, "ms": chosen.get("ms"), "time": chosen.get("time", event["time"]),
                    **_action(table, a, action),
                }  # fmt: skip
            for line in lines_of(event):
                person = line.by == "person" and line.agent in seats
                yield "messages", {
                    "table": table.id, "episode": episode, "step": line.step, "agent": agents[line.agent],
                    "by": line.by, "participant": seats[line.agent]["of"] if person else None,
                    "to": [agents[a] for a in line.to], "text": line.text, "act": line.act,
                    "removed": line.text.count(REMOVED) if line.by == "person" else 0,
                    "time": choices.get(line.agent, event)["time"],
                }  # fmt: skip
            choices = {}
            fallbacks += len(event.get("fallback", ()))
        elif "begin" in event:
            yield from episodes()
            episode, fallbacks = episode + 1, 0
        table.restore(event)
    yield from episodes()


def _action(table: Table, a: int, action: Any) -> dict[str, Any]:
    if table.world.control_spaces:
        return {"controls": np.ravel(action).tolist()}
    return {"action": action, "name": table.world.action_names[a][action] if action >= 0 else None}
