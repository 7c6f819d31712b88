"""The text and the picture of Trading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from envsuite.kit import plots
from envsuite.render.scene import Circle, Label, Line, Rect, Scene
from envsuite.render.theme import agent_color, text_on

#: The colors of long and short positions, and of the regimes trend, revert and noise.
LONG, SHORT = "blue", "orange"
REGIME_COLORS, REGIME_NAMES = ("green", "pink", "grey"), ("trend", "revert", "noise")

#: Returns that the text lists, and the bars that the picture shows at most.
LISTED, SHOWN = 10, 96

#: What an agent knows of the returns, for each model, with the places of the rules.
#: Left, top, width and height of the chart of prices.
CHART = (0.5, 1.5, 19.0, 5.6)


def text(world: Any, s: Any, agent: int) -> str:
    """The text for one trader."""
    seen = world.observation(s, agent)
    bars, count = len(s.held), len(seen.price)
    lines = [
        f"You are {world.agents[agent]}.",
        f"Bar {bars - seen.left[0] + 1} of {bars}." if seen.left[0] else f"It is over after {bars} bars.",
    ]
    for i in range(count):
        last = ", ".join(f"{100 * seen.returns[k, i]:+.2f}" for k in range(LISTED))
        lines.append(
            f"Asset {i}: price {seen.price[i]:.4g}, you hold {seen.position[i]:+.3g}, flow {seen.flow[i]:+.3g}."
        )
        lines.append(f"  Last returns in percent, newest first: {last}.")
    if seen.model[0] == 3 and seen.left[0]:
        lines.append("News of the coming bar: " + ", ".join(f"{value:+.4f}" for value in seen.news) + ".")
    lines.append(f"Your score: {seen.score[0]:+.4f}.")
    if not seen.left[0]:
        return "\n".join(lines)
    if seen.asset[0] == count:
        return "\n".join([*lines, "You wait for the other traders."])
    lines += readings(seen)
    left = f" Queries left: {seen.queries[0]}." if seen.queries[0] else ""
    return "\n".join([*lines, f"Choose a position in asset {seen.asset[0]}.{left}"])


def readings(seen: Any) -> list[str]:
    """What the trader has learned from its queries for this asset, in words."""
    found = []
    for name, known, value in zip(("momentum", "volatility", "autocorrelation"), seen.known, seen.readings):
        if known:
            found.append(f"{name.capitalize()}: {value:+.4g}.")
    return [*found, f"The analyst says: {REGIME_NAMES[int(seen.readings[3])]}."] if seen.known[3] else found


def scene(world: Any, s: Any, agent: int | None = None) -> Scene:
    """Prices, with the regimes for spectators; below, the positions over time and the scores."""
    traders, assets = s.shares.shape
    shown = range(traders) if agent is None else [agent]
    scene = Scene(20, 13.2)
    bars, history = len(s.held), len(s.level.returns) - len(s.held)
    moment = "over" if s.bar == bars else f"bar {s.bar + 1} of {bars}"
    scene.add(Label(0.6, 0.8, "Trading", 0.65, align="left", bold=True))
    for k, (name, color) in enumerate((("long", LONG), ("short", SHORT))):
        x = 5.2 + 2.0 * k
        scene.add(Rect(x, 0.65, 0.4, 0.3, color), Label(x + 0.55, 0.8, name, 0.4, align="left"))
    scene.add(Label(19.4, 0.8, f"{world.parameters['prices']} · {moment}", 0.5, "muted", "right"))
    now = history + int(s.bar)
    first = max(0, min(now - SHOWN // 2, history + bars - SHOWN))  # the first price in the chart
    steps = min(SHOWN, history + bars) + 1
    lines = []
    for i in range(assets):
        base = s.prices[history, i]
        values = [100 * s.prices[t, i] / base if base > 0 else 0.0 for t in range(first, now + 1)]
        lines.append((values, agent_color(assets - 1 - i if assets > 1 else 5), f"asset {i}" if assets <= 4 else ""))
    known = [value for values, _, _ in lines for value in values]
    ends = (round(min(known) - 0.1, 1), round(max(known) + 0.1, 1))
    plots.curves(scene, CHART, "price, 100 at the start", lines, steps, ends, [(100.0, "")])
    if history > first:
        x = plots.across_of(CHART, steps, history - first)
        scene.add(Line([(x, CHART[1] + 0.8), (x, CHART[1] + CHART[3] - 0.35)], "muted", 0.04))
    if agent is None and (s.level.regimes >= 0).any():
        _draw_regimes(scene, s, first, now, steps)
    _draw_positions(scene, s, shown, first, steps, history)
    _draw_scores(scene, s, shown)
    _draw_traders(scene, world, s, agent, shown)
    return scene


def runs(values: Sequence[Any]) -> Iterator[tuple[int, int, Any]]:
    """Runs of equal values: the first place, the one after the last, the value."""
    start = 0
    for value, group in groupby(values):
        end = start + len(list(group))
        yield start, end, value
        start = end


def _draw_regimes(scene: Scene, s: Any, first: int, now: int, steps: int) -> None:
    """A strip for each asset above the chart's lower end, and the names of the colors."""
    top, each = CHART[1] + CHART[3] - 0.3, 0.22 / s.shares.shape[1]
    for i in range(s.shares.shape[1]):
        for start, end, regime in runs([int(s.level.regimes[t, i]) for t in range(first, now)]):
            x0, x1 = (plots.across_of(CHART, steps, place) for place in (start, end))
            if regime >= 0:
                scene.add(Rect(x0, top + each * i, x1 - x0, each, REGIME_COLORS[regime]))
    for k, (name, color) in enumerate(zip(REGIME_NAMES, REGIME_COLORS)):
        x = CHART[0] + 6.2 + 2.4 * k
        scene.add(Rect(x, CHART[1] + 0.35, 0.35, 0.2, color), Label(x + 0.5, CHART[1] + 0.45, name, 0.36, align="left"))


def _draw_positions(scene: Scene, s: Any, shown: Sequence[int], first: int, steps: int, history: int) -> None:
    """A strip for each trader and asset below the chart: long and short, strong where the position is large."""
    left, top, width, height = CHART[0], 7.3, CHART[2], 2.0
    assets = s.shares.shape[1]
    scene.add(Rect(left, top, width, height, "panel", radius=0.25))
    each = (height - 0.3) / (len(shown) * assets)
    for row, k in enumerate(shown):
        y = top + 0.15 + each * assets * row
        scene.add(Circle(left + 0.75, y + each * assets / 2, min(0.3, 0.4 * each * assets), agent_color(k)))
        for i in range(assets):
            begin = max(0, first - history)
            held = [round(float(s.held[t, k, i]) * assets, 3) for t in range(begin, int(s.bar))]
            for start, end, part in runs(held):
                x0, x1 = (plots.across_of(CHART, steps, history + begin + place - first) for place in (start, end))
                color = f"{LONG if part > 0 else SHORT}@{abs(part):.2f}" if part else "line@0.4"
                scene.add(Rect(x0, y + each * (i + 0.08), x1 - x0, 0.84 * each, color))


def _draw_scores(scene: Scene, s: Any, shown: Sequence[int]) -> None:
    lines = [([100 * float(v) for v in s.scores[: s.bar + 1, k]], agent_color(k), "") for k in shown]
    values = [value for line, _, _ in lines for value in line]
    ends = (round(min(values) - 0.5, 1), round(max(values) + 0.5, 1))
    plots.curves(scene, (0.5, 9.5, 9.3, 3.3), "score in percent", lines, len(s.held) + 1, ends, [(0.0, "0")])


def _draw_traders(scene: Scene, world: Any, s: Any, agent: int | None, shown: Sequence[int]) -> None:
    """A row for each trader: its shares and its score; for one trader what it has learned by queries."""
    left, top, width = 10.0, 9.5, 9.5
    height = 3.3 / len(shown)
    size = min(0.42, 0.5 * height)
    for row, k in enumerate(shown):
        y = top + height * row
        middle = y + (height - 0.1) / 2 if agent is None else y + 0.6
        scene.add(Rect(left, y, width, height - 0.1, "panel", radius=min(0.2, 0.3 * height)))
        scene.add(Circle(left + 0.55, middle, min(0.38, 0.42 * height), agent_color(k)))
        scene.add(Label(left + 0.55, middle, str(k), size, text_on(agent_color(k)), bold=True))
        shares = [float(share) for share in s.shares[k]]
        slot = 5.0 / len(shares)
        for i, share in enumerate(shares):
            x = left + 1.3 + slot * i
            color = "line" if not share else LONG if share > 0 else SHORT
            scene.add(Rect(x, middle - 0.8 * size, 0.92 * slot, 1.6 * size, color, radius=0.1))
            text = f"{share:+.2f}" if share else "flat"
            if len(shares) <= 4:
                scene.add(Label(x + 0.46 * slot, middle, text, 0.9 * size, "white" if share else "ink"))
        scene.add(Label(left + width - 0.3, middle, f"{100 * s.score[k]:+.3f} %", size, align="right", bold=True))
    if agent is not None:
        seen = world.observation(s, agent)
        lines = readings(seen)
        if seen.model[0] == 3 and seen.left[0]:
            lines.append("news " + " ".join(f"{value:+.3f}" for value in seen.news))
        if seen.left[0]:
            waits = seen.asset[0] == len(seen.price)
            lines.append(
                "you wait" if waits else f"asset {seen.asset[0]}: your choice; queries left: {seen.queries[0]}"
            )
        for k, line in enumerate(lines[-5:]):
            scene.add(Label(left + 0.4, top + 1.35 + 0.4 * k, line, 0.36, align="left"))
