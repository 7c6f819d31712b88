"""The text and the picture of EnergyDispatch."""

from __future__ import annotations

from typing import Any

from envsuite.kit import plots
from envsuite.render.scene import Circle, Label, Line, Polygon, Rect, Scene, text_width

SOURCES = ("thermal", "wind", "solar", "battery")
COLORS = ("red", "blue", "gold", "good")

#: The days that the charts show; left, top, width and height of the charts.
SHOWN = 40
ENERGY, EFFICIENCY = (0.5, 4.3, 19.0, 4.8), (0.5, 9.3, 19.0, 3.2)

#: What was violated, by 1 for the demand and 2 for the budget.
_VIOLATED = ("", "the demand", "the budget", "the demand and the budget")


def text(world: Any, s: Any, agent: int) -> str:
    """The text for the operator."""
    seen = world.observation(s, agent)
    over = bool(s.terminated[0])
    day, days = int(seen.day[0]), world.parameters["days"]
    stability, share = (float(value) for value in seen.scores)
    lines = [f"{day} of {days} days have passed."]
    if day:
        outputs = ", ".join(
            f"{name} {command:.2f} gave {output:.2f}"
            for name, command, output in zip(SOURCES, seen.commands.tolist(), seen.output.tolist())
        )
        violated = _VIOLATED[int(seen.violated[0]) + 2 * int(seen.violated[1])]
        result = f"violated {violated}" if violated else "met the demand within the budget"
        lines.append(f"The commands of the last day: {outputs}. They {result}.")
    else:
        first = ", ".join(f"{name} {command:.2f}" for name, command in zip(SOURCES, seen.commands.tolist()))
        lines.append(f"The commands before the first day: {first}.")
    lines.append(
        f"Mean stability: {stability:.4f} (target: above {seen.targets[0]:.4f}). "
        f"Thermal share: {share:.4f} (target: below {seen.targets[1]:.4f})."
    )
    lines.append(f"Days in a row with violations: {seen.row[0]} (3 end the game).")
    if over:
        lines.append("You have succeeded." if succeeded(seen) else "You have not succeeded.")
        return "\n".join(lines)
    lines.append(f"Charge of the battery: {seen.charge[0]:.2f} of 80.")
    lines.append(f"The demand of this day is {seen.demand[0]:.2f}, the budget {seen.budget[0]:.2f}.")
    return "\n".join(lines)


def succeeded(seen: Any) -> bool:
    """Whether an observation after the last day shows success."""
    return bool(seen.row[0] < 3 and seen.scores[0] > seen.targets[0] and seen.scores[1] < seen.targets[1])


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """The scores, the energy of the last days against the demand, and the efficiencies."""
    seen, days, over = world.observation(s, 0), world.parameters["days"], bool(s.terminated[0])
    scene = Scene(20, 13.7)
    state = f" · {'succeeded' if succeeded(seen) else 'failed'}" if over else ""
    scene.add(Label(0.6, 0.8, "EnergyDispatch", 0.65, align="left", bold=True))
    scene.add(Label(19.4, 0.8, f"day {seen.day[0]} of {days}{state}", 0.5, "muted", "right"))
    _draw_scores(scene, seen)
    first = max(0, min(int(s.day) - SHOWN + 8, days - SHOWN))
    _draw_energy(scene, s, first, agent is None, over)
    _draw_efficiency(scene, s, first, agent is None)
    commands = " · ".join(f"{name} {command:.0f}" for name, command in zip(SOURCES, seen.commands.tolist()))
    when = "last commands" if seen.day[0] else "commands before"
    scene.add(Label(0.6, 13.1, f"{when}: {commands}", 0.42, align="left"))
    return scene


def _draw_scores(scene: Scene, seen: Any) -> None:
    """Gauges of stability, thermal share and charge, and the violations in a row."""
    stability, share = float(seen.scores[0]), min(float(seen.scores[1]), 1.0)
    panels = (
        (0.5, "stability", stability, f"{stability:.3f}", float(seen.targets[0]), "above", "blue"),
        (6.95, "thermal share", share, f"{share:.3f}", float(seen.targets[1]), "below", "red"),
    )
    for left, name, part, value, target, side, color in panels:
        scene.add(Rect(left, 1.4, 6.1, 2.6, "panel", radius=0.25))
        scene.add(Label(left + 0.3, 1.9, name, 0.42, "muted", "left"))
        scene.add(Label(left + 5.8, 1.9, value, 0.55, align="right", bold=True))
        scene.add(Rect(left + 0.3, 2.5, 5.5, 0.45, "line"))
        if part:
            scene.add(Rect(left + 0.3, 2.5, 5.5 * part, 0.45, color))
        x = left + 0.3 + 5.5 * target
        scene.add(Line([(x, 2.3), (x, 3.15)], "ink", 0.1))
        scene.add(Label(left + 5.8, 3.55, f"target: {side} {target:.3f}", 0.38, "muted", "right"))
    left, charge = 13.4, float(seen.charge[0])
    scene.add(Rect(left, 1.4, 6.1, 2.6, "panel", radius=0.25))
    scene.add(Label(left + 0.3, 1.9, "battery", 0.42, "muted", "left"))
    scene.add(Label(left + 5.8, 1.9, f"{charge:.0f} of 80", 0.5, align="right", bold=True))
    scene.add(Rect(left + 0.3, 2.5, 5.5, 0.45, "line"))
    if charge:
        scene.add(Rect(left + 0.3, 2.5, 5.5 * charge / 80, 0.45, COLORS[3]))
    scene.add(Label(left + 0.3, 3.55, "violations in a row", 0.38, "muted", "left"))
    for k in range(3):
        scene.add(Circle(left + 4.3 + 0.65 * k, 3.5, 0.24, "bad" if k < seen.row[0] else "line", glyph=""))


def _draw_energy(scene: Scene, s: Any, first: int, all_days: bool, over: bool) -> None:
    """Bars of what the sources gave, and the demand as a line; days with violations have a mark."""
    days, day = len(s.level.demand), int(s.day)
    steps, last = min(SHOWN, days), min(first + SHOWN, days)
    known = last if all_days else min(last, day if over else day + 1)
    demand = [float(value) for value in s.level.demand[first:known]]
    stacks = [[max(0.0, float(value)) for value in s.made[d]] for d in range(first, min(day, last))]
    high = 100.0 * (1 + max(int(max(demand)), *(int(sum(stack)) for stack in stacks), 1) // 100)
    plots.curves(scene, ENERGY, "energy and demand of each day", [], steps, (0.0, high))
    left, top, width, height = ENERGY
    base, unit = top + height - 0.45, (height - 1.35) / high
    wide = 0.7 * (plots.across_of(ENERGY, steps, 1) - plots.across_of(ENERGY, steps, 0))
    for k, stack in enumerate(stacks):
        x, y = plots.across_of(ENERGY, steps, k) - wide / 2, base
        for value, color in zip(stack, COLORS):
            y -= value * unit
            if value:
                scene.add(Rect(x, y, wide, value * unit, color))
        if _violated(s, first + k):
            middle = x + wide / 2
            scene.add(Polygon([(middle - 0.16, base + 0.4), (middle + 0.16, base + 0.4), (middle, base + 0.1)], "bad"))
    path = [(plots.across_of(ENERGY, steps, k), base - value * unit) for k, value in enumerate(demand)]
    if len(path) > 1:
        scene.add(Line(path, "ink", 0.09))
    scene.add(Circle(*path[min(day, known - 1) - first], 0.15, "ink", glyph=""))
    x = left + width - 0.3
    for name, color in (("demand", "ink"), *reversed(list(zip(SOURCES, COLORS)))):
        scene.add(Label(x, top + 0.45, name, 0.36, "ink", "right"))
        x -= text_width(name, 0.36) + 0.55
        scene.add(Rect(x, top + 0.33, 0.4, 0.24, color))
        x -= 0.4


def _violated(s: Any, d: int) -> bool:
    """Whether a day that is over had a violation; the operator can calculate it."""
    given, supply = s.given[d], max(1e-6, float(s.made[d].sum()))
    cost = 3 * given[0] + 5 * given[1] + 6 * given[2] + 0.1 * abs(float(s.made[d][3]))
    return bool(supply < s.level.demand[d] or cost > s.params.budget * s.level.demand[d])


def _draw_efficiency(scene: Scene, s: Any, first: int, all_days: bool) -> None:
    """The efficiencies: all of them for spectators; for the operator those of the days with a command."""
    days, day = len(s.level.demand), int(s.day)
    steps, last = min(SHOWN, days), min(first + SHOWN, days)
    series = [(k, name) for k, name in enumerate(SOURCES[:3])]
    lines = [(s.level[name][first:last].tolist() if all_days else [], COLORS[k], name) for k, name in series]
    title = "efficiency (hidden from the operator)" if all_days else "efficiency as far as known"
    plots.curves(scene, EFFICIENCY, title, lines, steps, (0.5, 1.2))
    top, height = EFFICIENCY[1], EFFICIENCY[3]
    if all_days:
        if day < last:
            x = plots.across_of(EFFICIENCY, steps, day - first)
            scene.add(Line([(x, top + 0.9), (x, top + height - 0.45)], "muted", 0.05))
        return
    for k, _ in series:
        for d in range(first, min(day, last)):
            if s.given[d, k] > 0:
                value = float(s.made[d, k] / s.given[d, k])
                y = top + height - 0.45 - (height - 1.35) * (min(max(value, 0.5), 1.2) - 0.5) / 0.7
                scene.add(Circle(plots.across_of(EFFICIENCY, steps, d - first), y, 0.11, COLORS[k], glyph=""))
