"""The card of a data set: what it holds, its scores, and the command that makes it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any


def command(about: Mapping[str, Any]) -> str:
    """The command that records a data set again; `about` is the content of `dataset.json`."""
    made_from = about["made_from"]
    words = ["envsuite", "record", made_from["world"]]
    for name, value in made_from["parameters"].items():
        if value is not None:
            words += ["-p", f"{name}={value}"]
    policies = made_from["policies"]
    if len(set(policies)) == 1:
        seats = policies[0]
    else:
        seats = ",".join(f"{agent}={policy}" for agent, policy in zip(made_from["agents"], policies))
    words += ["--policies", seats, "--episodes", str(about["episodes"]), "--seed", str(made_from["seed"])]
    if made_from["grades"] != [1.0]:
        words += ["--grade", ",".join(f"{grade:g}" for grade in made_from["grades"])]
    if made_from.get("levels") is not None:
        words += ["--levels", "levels.json"]
    return shlex.join([*words, "--out", "DATA"])


def card(about: Mapping[str, Any]) -> str:
    """The text of `README.md` beside the replays."""
    made_from = about["made_from"]
    if "replays" in made_from:
        players = ", ".join(made_from["policies"]) or "unknown"
        return (
            f"# {about['episodes']:,} episodes of {made_from['world']}\n\n"
            f"Made with envsuite {made_from['envsuite']} from replays in {made_from['replays']}. Players: {players}.\n"
        )
    seats = zip(made_from["agents"], made_from["policies"])
    lines = [
        f"# {about['episodes']:,} episodes of {made_from['world']}",
        "",
        f"Recorded with envsuite {made_from['envsuite']}. This command makes the same episodes again:",
        "",
        "```sh",
        command(about),
        "```",
        "",
        "| agent | policy |",
        "|---|---|",
        *(f"| {agent} | {policy} |" for agent, policy in seats),
        "",
        "In an episode of grade g, each decision is made by these policies with probability g, and uniformly at random",
        "otherwise. Scores are normalized mean returns: 0 is random play, 1 the best baseline.",
        "",
        "| grade | episodes | mean return | standard error | score | measured against |",
        "|---|---|---|---|---|---|",
    ]
    for row in about["scores"]:
        error, score = ("" if row[name] is None else f"{row[name]:.3g}" for name in ("error", "score"))
        against = row["others"] or "itself"
        lines.append(f"| {row['grade']:g} | {row['episodes']:,} | {row['mean']:.4g} | {error} | {score} | {against} |")
    lines += [
        "",
        f"One in five episodes belongs to the test split, by its {made_from['split']}.",
        "",
        "`episodes.replays` holds the starts and actions of all episodes. `envsuite data` makes Parquet, JSON lines, a",
        "Minari data set or RLDS names from it, with observations, masks, texts and labels; in Python,",
        "`envsuite.data.Recorded` reads it.",
    ]
    return "\n".join(lines) + "\n"
