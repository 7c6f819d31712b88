"""What there is to list of each world, read from its class, and the table of it (see `envsuite.cli.listing`)."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from envsuite import registry
from envsuite.cli import listing
from envsuite.cli.common import err, numbers_of, policy_specs, summary
from envsuite.core.errors import EnvsuiteError, located
from envsuite.core.files import replace


def listed() -> list[dict[str, Any]]:
    """What there is to list of all worlds, by their ids."""
    known = listing.stored()
    if known is None:
        known = _made()
    return [known[id] if id in known else facts_of(id) for id in registry.ids()]


def facts_of(id: str) -> dict[str, Any]:
    """What there is to list of a world; of one that cannot be loaded, why."""
    module = registry.spec(id).entry_point.split(".")
    facts: dict[str, Any] = {
        "id": id,
        "family": module[1] if module[0] == "envsuite" else module[0].partition(":")[0],
        "kind": [],
        **dict.fromkeys(("title", "turns", "utility", "information", "problem"), ""),
        **dict.fromkeys(("fewest", "most"), 0),
    }
    try:
        return facts | _declared(id)
    except Exception as error:  # of another package: the others are to be seen nevertheless
        problem = str(error) if isinstance(error, EnvsuiteError) else located(error)
        return facts | {"title": f"cannot be loaded: {problem}", "problem": problem}


def _declared(id: str) -> dict[str, Any]:
    """What a world's class and an instance with default parameters declare."""
    from envsuite.core.parameters import to_json

    world = registry.build(id)
    fewest, most = numbers_of(world)
    return {
        "title": summary(type(world)),
        "kind": list(world.kind),
        "agents": list(world.agents),
        "fewest": fewest,
        "most": most,
        "turns": world.turns,
        "chance": world.chance,
        "information": world.information,
        "utility": world.utility,
        "verified": world.verified,
        "parameters": to_json(world.parameters, str),
        "policies": list(policy_specs(world)),
    }


def table() -> str:
    """The table as the build writes it: the hash of the sources, the help of commands, and a line for each world."""
    rows = [facts_of(id) for id in _ours()]
    lines = ",\n".join(f"{json.dumps(row['id'])}: {json.dumps(row)}" for row in rows)
    head = f'"sources": "{listing.sources()}",\n"commands": {json.dumps(_helps())},\n'
    return f'{{{head}"worlds": {{\n{lines}\n}}}}\n'


def _helps() -> dict[str, str]:
    """The help of each command."""
    from typer.main import get_command

    from envsuite.cli import application

    root: Any = get_command(application())
    return {name: command.help for name, command in root.commands.items()}


def _ours() -> list[str]:
    """The ids of the worlds of this package."""
    return [id for id in registry.ids() if registry.spec(id).entry_point.startswith("envsuite.")]


def _made() -> dict[str, dict[str, Any]]:
    """The rows of the table, made now and kept for the next command."""
    err.print(f"Reading the facts of {len(_ours())} worlds, once for this version ...", style="dim")
    text = table()
    with suppress(OSError):
        listing.kept().parent.mkdir(parents=True, exist_ok=True)
        replace(listing.kept(), text)
    return json.loads(text)["worlds"]
