"""The page of an evaluation: one HTML file with the scores, and each episode's transcript beside its replay.

The file needs no server and no network. Words of models are data in it, compressed and in base64; the script in
``report.html`` shows them as text, so nothing that a model writes can run.
"""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from envsuite.models.harness import Played, Turn
from envsuite.models.protocol import KINDS, Protocol
from envsuite.models.results import Results
from envsuite.models.versus import Versus
from envsuite.render.page import compressed, document, packed
from envsuite.talk.words import shown

#: Bytes of a replay in the page, about, and of all replays; further episodes have transcripts only.
REPLAY, REPLAYS = 80_000, 20_000_000


def report(results: Results) -> str:
    """The page of a suite."""
    model, tokens = results.model, results.tokens
    facts = {
        "model": model["name"],
        **{name: str(model[name]) for name in ("host", "options") if model.get(name)},
        **_asked(results.protocol),
        "tokens": f"{sum(tokens):,}",
        "dollars": f"{results.budget.cost(tokens):.2f}",
    }
    found = results.plain()
    scores = [
        [task["task"], list(task["score"].values()), *map(_short, task["score"].values()),
         *(_short(task[name], 4) for name in ("mean", "random", "best")), task["best_policy"],
         f"{task['episodes']} of {task['episodes'] + task['unfinished']}", str(task["starts"])]
        for task in found["tasks"]
    ]  # fmt: skip
    scores.append(["all", list(found["score"].values()), *map(_short, found["score"].values()), *[""] * 6])
    columns = ["task", "", "score", "from", "to", "mean return", "random", "best", "best policy", "episodes", "starts"]
    tables = [
        {
            "title": "Scores: 0 is random play, 1 the best policy; 95% intervals, clustered by start",
            "columns": columns,
            "rows": scores,
        },
        *_passed(found["tasks"]),
        answered([(task["task"], task["counts"], task["tokens"]) for task in found["tasks"]]),
    ]
    return made(f"{results.suite} ({results.size})", facts, tables, results.played, results.stopped)


def _passed(tasks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The table of pass^k; none where each episode has one trial."""
    most = max((len(task["passes"]) for task in tasks), default=0)
    rows = [[task["task"], *map(_with_ends, task["passes"])] for task in tasks]
    columns = ["task", *(f"pass^{k}" for k in range(1, most + 1))]
    title = "All of k trials reach the best policy's mean; 95% intervals, clustered by start"
    return [{"title": title, "columns": columns, "rows": rows}] if most else []


def matches(found: Versus) -> str:
    """The page of matches."""
    plain = found.plain()
    rows = []
    for row in plain["standings"]:
        elo = [f"{value:+.0f}" for value in row["elo"].values()] if row["elo"] else [""] * 3
        shares = [f"{100 * row[name]:.1f}%" for name in ("won", "drawn", "lost")]
        rows.append([row["name"], *elo, *map(_short, row["value"].values()), *shares, str(row["games"])])
    columns = ["", "Elo", "from", "to", "mean return", "from", "to", "won", "drawn", "lost", "games"]
    counts: dict[str, Counter[str]] = {}
    tokens: Counter[str] = Counter()
    for one in found.played:
        name = " and ".join(sorted({model.name for model in one.game.models.values()}))
        counts[name] = counts.get(name, Counter()) + one.counts
        tokens[name] += sum(one.tokens)
    tables = [
        {"title": "Standings; 95% intervals", "columns": columns, "rows": rows},
        answered([(name, found, [tokens[name]]) for name, found in counts.items()]),
    ]
    facts = {
        "episodes of each seating": str(plain["episodes"]),
        **_asked(found.protocol),
        "tokens": f"{sum(found.tokens):,}",
    }
    return made(plain["world"], facts, tables, found.played, found.stopped)


def _asked(protocol: Protocol) -> dict[str, str]:
    """How models were asked; of treatments the names, because the episodes' rules have their texts."""
    found = {name: value for name, value in protocol.plain().items() if value not in (None, [], "")}
    found.pop("personas", None)
    return {name: ", ".join(value) if isinstance(value, list) else str(value) for name, value in found.items()}


def _short(value: float | None, digits: int = 3) -> str:
    return "" if value is None else f"{value:.{digits}g}"


def _with_ends(interval: Mapping[str, float | None]) -> str:
    """An interval as plain data in a cell; the value alone where its ends are unknown."""
    value, low, high = map(_short, interval.values())
    return f"{value} [{low}, {high}]" if low else value


def answered(rows: Sequence[tuple[str, Mapping[str, int], Sequence[int]]]) -> dict[str, Any]:
    """The table of what became of answers, from names, counts and tokens."""
    columns = ["", "turns", "requests", *KINDS, "not its own", "failed requests", "tokens"]
    found = []
    for name, counts, tokens in rows:
        failed = [f"{kind.removeprefix('failed: ')} {count}" for kind, count in counts.items() if "failed: " in kind]
        numbers = [counts.get(kind, 0) for kind in ("turns", "requests", *KINDS, "instead")]
        found.append([name, *map(str, numbers), ", ".join(failed) or "0", f"{sum(tokens):,}"])
    return {"title": "Answers", "columns": columns, "rows": found}


def made(
    title: str,
    facts: Mapping[str, str],
    tables: Sequence[Mapping[str, Any]],
    played: Sequence[Played],
    stopped: str | None = None,
) -> str:
    """The page of an evaluation.

    Args:
        title: of the page.
        facts: names and values.
        tables: "title", "columns" and "rows" of cells: a text, or the value and the ends of a bar from 0 to 1.
        played: the episodes.
        stopped: why not all of them are finished.
    """
    left, episodes = REPLAYS, []
    for one in played:
        replay = packed(one.replay, REPLAY) if one.replay is not None and left > 0 else None
        left -= len(replay or "")
        episodes.append({**_episode(one), "replay": replay})
    whole = {"facts": facts, "tables": tables, "episodes": episodes, "stopped": stopped}
    text = (files("envsuite.models") / "report.html").read_text("utf-8")
    parts = {
        "TITLE": html.escape(title),
        "DATA": compressed(json.dumps(whole, allow_nan=False)),
        "PAGE": compressed(document("replay", "[[replay]]")),
    }
    for name, part in parts.items():
        text = text.replace(f"<!--{name}-->", part)
    return text


def _episode(one: Played) -> dict[str, Any]:
    agents = one.game.world.agents
    return {
        "task": one.game.task,
        "seed": one.game.seed,
        "trial": one.game.trial,
        "players": {agents[a]: model.name for a, model in one.game.models.items()}
        | {agents[a]: name for a, name in one.game.others.items()},
        "models": [agents[a] for a in one.game.models],
        "returns": dict(zip(agents, one.returns.tolist())),
        "length": one.length,
        "problem": one.problem,
        "rules": {agents[a]: talk.rules for a, talk in one.talks.items()},
        "said": said(one),
        "turns": [_turn(turn) for turn in one.turns],
    }


def said(one: Played) -> list[dict[str, Any]]:
    """What agents said in words of their own: step, words with the name of who said them, and the act."""
    words = one.replay.words if one.replay is not None else None
    agents = one.game.world.agents
    return [{"step": line.step, "words": shown(line, agents), "act": line.act} for line in words.lines] if words else []


def _turn(turn: Turn) -> dict[str, Any]:
    answers = [
        {
            "text": answer.text or answer.refusal,
            "calls": [f"{call.name}({call.arguments})" for call in answer.calls],
            "problem": problem,
        }
        for answer, problem in turn.answers
    ]
    return {**turn._asdict(), "answers": answers}
