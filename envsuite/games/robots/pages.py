"""The pages for players of Robots' eight scenarios."""

from __future__ import annotations

from typing import Any

from envsuite.core.page import Page, Text, When

ARENA = (
    "The arena is {wide:g} m wide and {high:g} m high, with (0, 0) in its middle; x grows to the right and y grows up. "
    "A step takes {seconds:.3g} s, and all robots act at once."
)
DRIVE = (
    When(
        "named",
        "A direction sets a waypoint {length} away, at least {inside:g} m inside the arena. During the step you drive "
        "along your heading with 0.8 x m x cos(a) m/s, and turn to the left with 3 x m x sin(a) radians in a second, "
        "where m is the distance to the waypoint in meters and a is the angle from your heading to it, both as the "
        "step begins. You drive {speed:g} m/s at most.",
        "You drive along your heading and turn while you do so.",
    ),
    When(
        "barrier",
        "A barrier keeps the robots apart: it changes their speeds and turns, as little as possible, so that the "
        "points {ahead:g} m ahead of them keep {safe:g} m apart. Where that cannot be done, all stop for a moment.",
        "Nothing keeps the robots apart.",
    ),
    When(
        "violation",
        "A step in which the centers of two robots come closer than {near:g} m, or one leaves the arena, pays "
        "-{violation:g} and nothing else.",
    ),
)
RULE = "of the rules of this task"
DRIVEN = {"0": "the middle", "0.8": "of the drive", "3": "of the turn", "two": "robots that are near"}
ALL = "All robots are paid the same."
SEEN = "You see where all robots are and which way they face"


def _page(
    role: Text, goal: str, task: Text, sees: str, *numbers: str, ends: str = "It is over after {steps:step}."
) -> Page:
    """The page of a scenario, with the numbers in its texts."""
    return Page(
        role=role,
        goal=f"{ALL} {goal}",
        rules=tuple(part for part in (task, ARENA, DRIVE) if part),
        sees=sees,
        acts={
            ("up", "down", "right", "left"): When("named", "drive towards a waypoint in this direction"),
            "stay": When("named", "do not drive"),
            "speed": When("named", "", "meters in a second, from -{speed:g} to {speed:g}{scaled}"),
            "turn": When("named", "", "radians in a second, from -{turn:g} to {turn:g}, to the left above 0{scaled}"),
        },
        ends=ends,
        unsaid={
            "scenario": "told by the task",
            "controls": "told by the actions",
            "substeps": "told as the time of a step",
            "horizon": "told as the number of steps",
        },
        constants=DRIVEN | dict.fromkeys(numbers, RULE),
    )


PAGES = {
    "navigation": _page(
        "You are one of {everyone} robots that drive to their goals.",
        "Each step costs the sum of the distances of all robots to their own goals, in meters.",
        "",
        SEEN + ", and your own goal. You do not see the goals of the others.",
    ),
    "discovery": _page(
        "You are one of {everyone} robots that look for {landmarks} landmarks. You are a {kind}.",
        "Sensing a landmark pays 1 and tagging it pays 5. Each step costs 0.05 while a landmark is not tagged.",
        "Scouts ({first}) sense a landmark when they are within {sense:g} m of it at the end of a step. Collectors "
        "({second}) tag a landmark that was sensed in an earlier step when they are within {tag:g} m of it.",
        SEEN + ", and the landmarks that have been sensed.",
        "1", "5", "0.05",
    ),
    "material": _page(
        "You are one of {everyone} robots that carry material. You are a {kind} robot.",
        "Loading pays 0.25 and a drop pays 0.75. Each step costs 0.1 while a zone holds material.",
        "Material lies in two zones: within {zone:g} m of (0, 0), and where x > {far:g}. It is dropped where x < "
        "-{far:g}. A robot without a load takes what it can carry when it is in a zone at the end of a step; a robot "
        "with a load drops it there. Fast robots ({first}) carry {few} units, and their waypoints are 0.45 m away. "
        "Strong ones ({second}) carry {many} units, and their waypoints are 0.15 m away.",
        SEEN + ", what they carry, and how much the zones hold.",
        "0.25", "0.75", "0.1", "0.45", "0.15",
    ),
    "warehouse": _page(
        "You are one of {everyone} robots that carry goods. You are a {kind} robot.",
        "Each loading pays 1, and each unloading pays 3.",
        "Green robots ({first}) load where x > {far:g} and y < 0, and unload where x < -{far:g} and y > 0. Red ones "
        "({second}) load where x > {far:g} and y > 0, and unload where x < -{far:g} and y < 0. What counts is "
        "where they are at the end of a step. A robot carries one thing at a time.",
        SEEN + ", and which are loaded.",
        "1",
    ),
    "arctic": _page(
        "You are one of {everyone} robots that cross ice and water. You are {a_kind}.",
        "In each step, every ice or water robot costs 0.05 for each meter that it is below y = {north:g}, and 0.1 "
        "is taken off until all of them are above it.",
        "Tiles with sides of {tile:g} m lie in {rows} rows of {columns}, from x = -1.5 to 1.5. The highest row is the "
        "goal and the lowest one ground; the others are ground, ice and water by lot. After the drones ({drones}), the "
        "robots are ice and water robots in turn. A step is 0.2 m long for drones, and for all on ground and in the "
        "goal. On tiles of its own kind a robot's step is 0.3 m long, on other tiles 0.1 m.",
        SEEN + ", the tile that you are on, and the tiles around each drone.",
        "0.05", "0.1", "0.2", "0.3", "1.5",
    ),
    "foraging": _page(
        "You are one of {everyone} robots that forage {resources} resources together.",
        "Foraging a resource pays its level. Each step costs 0.01 while a resource is left.",
        "Each robot has a level: robot_0 has level 1, robot_1 has level 2 and so on. A resource is foraged when the "
        "levels of all robots within {forage:g} m of it at the end of a step are at least its own level in sum.",
        SEEN + ", their levels, and the resources with theirs.",
        "0.01", "1", "2",
    ),
    "rware": _page(
        "You are one of {everyone} robots that bring shelves.",
        "Each requested shelf that is delivered pays 1.",
        (
            "There are {cells} cells with a shelf each. A robot that stands still in a step, within {lift:g} m of a "
            "cell at its end, lifts the shelf there if it carries none, or puts its own into the cell if that is "
            "empty. To stand still is",
            When("named", "to `stay`.", "to drive slower than {standing:g} m/s."),
            "A robot with a requested shelf that gets to where x > {far:g} delivers it, and keeps it; another shelf is "
            "then requested by lot. A robot with a shelf cannot drive over a cell that has one: if its way leads "
            "within {half:g} m of the middle of the cell, along both axes, it does not drive in this step.",
        ),
        SEEN + ", the shelves that they carry, the cells with their shelves, and which shelves are requested.",
        "1",
    ),
    "predator": _page(
        "You are one of {everyone} robots that hunt a prey.",
        "Each step in which the prey is tagged pays 10.",
        "A robot tags the prey if it is within {catch:g} m of it at the end of a step. Before the robots move, the "
        "prey jumps by {shortest:g} to {longest:.1f} m, in one of {directions} directions. It goes where it is "
        "furthest from the nearest robot, at least {inside:g} m inside the arena.",
        SEEN + ", and where the prey is.",
        "10",
    ),
}  # fmt: skip


def page_role(world: Any, s: Any, agent: int) -> str:
    return world.scenario
