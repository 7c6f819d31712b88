"""RouteChoice's page for players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envsuite.core.page import Case, Page, When

PAGE = Page(
    role=When(
        "rivals", "You are one of {drivers} drivers in a network of roads.", "You drive alone in a network of roads."
    ),
    goal="Each day you pay {cost}, all divided by {unit}.",
    rules=(
        (
            "Every day all drivers choose at once one of the routes from their origin to their destination, which "
            "stay the same.",
            When("several", "Others may have another origin and destination than you."),
            "A route is a row of links. The latency of a link is a number, or grows with the share x of all drivers "
            "that use the link on that day. A route takes the sum of the latencies of its links, and costs the sum of "
            "their tolls.",
            Case(
                "tolls",
                {
                    "none": "There are no tolls.",
                    "marginal": "The toll of a link is the part of its latency that depends on x.",
                    "random": "Some links have a toll, which is as large as their latency; they are marked.",
                },
            ),
        ),
    ),
    sees=(
        "Each turn lists all links and your routes, and from the second day on what each of your routes took and cost "
        "on the day before."
    ),
    acts={"route {N}": "take the route with this number"},
    ends="It is over after {days:day}.",
    unsaid={
        **dict.fromkeys(("network", "order", "rows", "columns"), "each turn lists all links"),
        "toll_share": "links with a toll are marked",
        "weights": "told by what is paid",
    },
)


def page_slots(world: Any, s: Any, agent: int) -> Mapping[str, Any]:
    latency, toll = s.params.weights.tolist()
    times = ["" if weight == 1 else f"{weight:g} times " for weight in (latency, toll)]
    return {
        "rivals": len(world.agents) - 1,
        "several": world.parameters["network"] == "grid" and world.parameters["pairs"] > 1,
        "cost": f"{times[0]}the latency of your route plus {times[1]}its toll",
        "unit": float(s.scale) * int(s.longest),
    }
