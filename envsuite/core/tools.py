"""Actions as the functions that language models call: their JSON Schema, and calls read back into actions.

    schemas(world, 0)                                        # give these to the model
    action = parse_call(world, 0, {"name": "show_line", "arguments": {"line": 2}})

A world may say which functions its actions are, as `World.tools`. In the others there is one, "act", which takes the
name of an action.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, product
from typing import Any

import numpy as np

from envsuite.core.errors import ActionError, shown, suggest
from envsuite.core.world import World

Value = str | int | float

#: Larger numbers than this, which fits into 32 bits, are read as this one; no control takes either.
_HUGE = 1e38


@dataclass(frozen=True)
class Tool:
    """A function whose every choice of arguments is one action; the last argument changes fastest.

    Attributes:
        name: the name by which it is called.
        label: the name of the action, with each argument's place: ``"show(line {line})"``.
        description: what it does, for the caller.
        arguments: the values that each argument can take.
    """

    name: str
    label: str
    description: str
    arguments: Mapping[str, Sequence[Value]] = field(default_factory=dict)

    @property
    def choices(self) -> list[dict[str, Value]]:
        """All choices of arguments, in the order of their actions."""
        return [dict(zip(self.arguments, values)) for values in product(*self.arguments.values())]

    @property
    def actions(self) -> list[str]:
        """The names of its actions."""
        return [self.label.format(**choice) for choice in self.choices]


def names_of(tools: Sequence[Tool]) -> tuple[str, ...]:
    """The names of the actions of these tools, in order."""
    return tuple(name for tool in tools for name in tool.actions)


def starts_of(tools: Sequence[Tool]) -> list[int]:
    """The number of each tool's first action, and after these the number of all actions."""
    return list(accumulate((len(tool.choices) for tool in tools), initial=0))


def tools_of(world: World, agent: int) -> tuple[Tool, ...]:
    """The functions of an agent's actions, in the order of these."""
    if world.tools:
        return world.tools[agent]
    return (Tool("act", "{action}", "Take one of your actions.", {"action": world.action_names[agent]}),)


def schemas(world: World, agent: int, mask: np.ndarray | None = None) -> list[dict[str, Any]]:
    """An agent's actions as models take functions: ``[{"type": "function", "function": {"name", ...}}, ...]``.

    With a mask (K,), only functions with legal actions, and of each argument only the values that occur in these.
    """
    if world.control_spaces:
        return [_steering(world, agent)]
    found = []
    first = 0
    for one in tools_of(world, agent):
        choices = one.choices
        allowed = [choice for k, choice in enumerate(choices) if mask is None or mask[first + k]]
        first += len(choices)
        if not allowed:
            continue
        values = {name: [v for v in given if any(choice[name] == v for choice in allowed)]
                  for name, given in one.arguments.items()}  # fmt: skip
        parameters = {
            "type": "object",
            "properties": {name: {"type": _kind(given), "enum": given} for name, given in values.items()},
            "required": list(values),
            "additionalProperties": False,
        }
        function = {"name": one.name, "description": one.description, "parameters": parameters}
        found.append({"type": "function", "function": function})
    return found


def _steering(world: World, agent: int) -> dict[str, Any]:
    """The one function of an agent with controls, which takes a number for each."""
    box, names = world.control_spaces[agent], world.action_names[agent]
    ends = zip(names, box.low.tolist(), box.high.tolist())
    properties = {name: {"type": "number", "minimum": low, "maximum": high} for name, low, high in ends}
    parameters = {"type": "object", "properties": properties, "required": list(names), "additionalProperties": False}
    function = {"name": "act", "description": "Set your controls.", "parameters": parameters}
    return {"type": "function", "function": function}


def _controls(world: World, agent: int, call: Mapping[str, Any]) -> np.ndarray:
    """The controls (D,) float32 that a call of `act` sets."""
    who, names, box = world.agents[agent], world.action_names[agent], world.control_spaces[agent]
    if call["name"] != "act":
        raise ActionError(f"{who} has no tool {shown(call['name'])}{suggest(call['name'], ['act'])}")
    given = _arguments(Tool("act", "", "", dict.fromkeys(names, ())), call.get("arguments"))
    found = np.zeros(len(names), np.float32)
    for k, name in enumerate(names):
        value: Any = given.get(name)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        found[k] = max(-_HUGE, min(_HUGE, value)) if number else np.nan
        if not box.low[k] <= found[k] <= box.high[k]:
            raise ActionError(f"act: {name}={shown(value)} must be a number from {box.low[k]:g} to {box.high[k]:g}")
    return found


def _kind(values: Sequence[Value]) -> str:
    if all(isinstance(value, str) for value in values):
        return "string"
    return "integer" if all(isinstance(value, int) for value in values) else "number"


def parse_call(world: World, agent: int, call: Mapping[str, Any]) -> Any:
    """The action that a call ``{"name": ..., "arguments": {...}}`` means; arguments may be JSON text.

    Whether it is legal now is for the environment to say.

    Raises:
        ActionError: when there is no such function or argument, with what would be right.
    """
    who = world.agents[agent]
    if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
        raise ActionError(f"a call of {who} is a mapping with a name and arguments, not {shown(call, 80)}")
    if world.control_spaces:
        return _controls(world, agent, call)
    first = 0
    tools = tools_of(world, agent)
    for one in tools:
        if one.name == call["name"]:
            return first + _place(one, _arguments(one, call.get("arguments")))
        first += len(one.choices)
    near = suggest(call["name"], [one.name for one in tools])
    raise ActionError(f"{who} has no tool {shown(call['name'])}{near}")


def _arguments(one: Tool, given: Any) -> Mapping[str, Any]:
    """The arguments of a call as a mapping with the right names."""
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except (ValueError, RecursionError):
            raise ActionError(f"{one.name}: the arguments {given[:80]!r:.80} are not JSON") from None
    given = {} if given is None else given
    takes = ", ".join(one.arguments) or "nothing"
    if not isinstance(given, Mapping):
        raise ActionError(f"{one.name}: the arguments {shown(given, 80)} must be an object; it takes {takes}")
    for name in given:
        if name not in one.arguments:
            raise ActionError(f"{one.name} has no argument {shown(name)}; it takes {takes}")
    return given


def _place(one: Tool, given: Mapping[str, Any]) -> int:
    """Which of a tool's choices of arguments these are."""
    place = 0
    for name, values in one.arguments.items():
        listed = ", ".join(json.dumps(value) for value in values[:40]) + (", ..." if len(values) > 40 else "")
        if name not in given:
            raise ActionError(f"{one.name} lacks the argument {name!r}: one of {listed}")
        value = given[name]
        fits = []
        if isinstance(value, Value) and not isinstance(value, bool):
            fits = [k for k, v in enumerate(values) if v == value and isinstance(v, str) == isinstance(value, str)]
        if not fits and isinstance(value, str):
            folded = value.casefold()  # once: an answer may be long, and there may be thousands of names
            fits = [k for k, v in enumerate(values) if isinstance(v, str) and v.casefold() == folded]
        if not fits:
            near = suggest(value, map(str, values)) if isinstance(value, str) and _kind(values) == "string" else ""
            hint = near if near.startswith("; did") else f"; it must be one of {listed}"
            raise ActionError(f"{one.name}: {name}={shown(value)} is not possible{hint}")
        place = place * len(values) + fits[0]
    return place


def to_call(world: World, agent: int, action: Any) -> dict[str, Any]:
    """The call ``{"name": ..., "arguments": {...}}`` that means an action."""
    if world.control_spaces:
        return {"name": "act", "arguments": dict(zip(world.action_names[agent], map(float, action)))}
    left = int(action)
    if left >= 0:
        for one in tools_of(world, agent):
            choices = one.choices
            if left < len(choices):
                return {"name": one.name, "arguments": choices[left]}
            left -= len(choices)
    raise ActionError(f"action {action} of {world.agents[agent]} is out of range")
