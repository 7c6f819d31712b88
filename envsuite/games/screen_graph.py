"""ScreenGraph: find a screen of an app by its icons, and say that it has been found.

**Rules.** An app has screens in a tree, each with its own name. On a screen are icons in 25 cells. An icon has the name
of the screen to which it leads. From every screen, icons lead to the first screen, to the screen above, to the
`branching` screens below and to `links` other screens. The agent begins at the first screen and looks for another one,
whose name it is told. A click on an icon goes to its screen, and a click elsewhere does nothing.

With `rewire`, cells and links are new in each episode, otherwise always the same. With `rename`, this also holds for
the names of screens.

**Agents.** `agent`.

**Observation.** Dict. The app has N screens; screens are numbered by their names in alphabetical order.

| part | space | content |
|---|---|---|
| facts | Box (3,) int16 | the current screen, the wanted one, steps left |
| icons | Box (25,) int16 | of each cell, in reading order, 1 + the screen to which its icon leads, or 0 |
| graph | Box (N, 25) int16 | with `view="graph"`, the icons of all screens |

**Actions.** Discrete (26). All are always legal.

| action | name | effect |
|---|---|---|
| 5 r + c | `click row r+1, column c+1` | goes to the screen of the icon there |
| 25 | `complete` | ends the episode |

**Window.** A click on a cell of the screen. The key C means `complete`.

**Rewards.** 1 for `complete` at the wanted screen, otherwise 0.

**Ends.** Terminates with `complete`; truncated after `max_steps` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `depth` | 3 | levels of screens below the first, from 1 to 5 |
| `branching` | 3 | screens below each, from 1 to 6; with the depth at most 127 screens |
| `links` | 2 | icons for other screens on each screen, from 0 to 4 |
| `view` | "screen" | "screen" or "graph": whether the agent observes the icons of all screens |
| `rewire` | True | whether cells and links are new in each episode |
| `rename` | True | whether the names of screens are new in each episode |
| `max_steps` | 100 | steps before truncation, from 1 to 10,000 |

**Level.** ``{"screens": [{"name": "Mail", "icons": {"2": "Music"}}, ...], "target": "Music"}``: the icons of each
screen by their cells from 0 to 24; the first screen of the list is the first of the app. The wanted screen can be
reached. The names are those of the app's screens.

**Known values.** A tree has (b^(d+1) - 1) / (b - 1) screens: 40 by default. The fewest steps are one more than the
length of a shortest path. For uniformly random clicks, the probability of success and the mean number of steps follow
from each level's Markov chain.

**Differences.** The paper's environment is not public.

- Graphs, names and icons are an own design with the paper's parts: icons that lead through a tree of screens, links,
  and changed graphs and names, which test what has been learned.
- `complete` at another screen ends the episode without reward.

**Source.** "GUI Exploration Lab: Enhancing Screen Navigation in Agents via Multi-Turn Reinforcement Learning", 2025.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from envsuite.core import random
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.kernel import by_fields, kernel, large_kernel
from envsuite.core.levels import exact_parts, read_list
from envsuite.core.page import Case, Page, counted
from envsuite.core.ranges import below, within
from envsuite.core.world import Between, Kernels, World
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, footer
from envsuite.render.theme import agent_color, text_on

SIDE = 5
CELLS = SIDE * SIDE
COMPLETE = CELLS

#: The most screens.
SCREENS = 127

#: The seed of the layout of all episodes without `rewire`, and of their names without `rename`.
LAYOUT = np.uint64(20250801)

# fmt: off
NAMES = (
    "Alarm", "Albums", "Apps", "Archive", "Audio", "Badges", "Bank", "Basket", "Battery", "Bills", "Bluetooth",
    "Books", "Browser", "Budget", "Cafes", "Calendar", "Calls", "Camera", "Cards", "Charts", "Chat", "Chess",
    "Cinema", "Clock", "Cloud", "Colors", "Compass", "Concerts", "Contacts", "Coupons", "Courses", "Crafts",
    "Dates", "Devices", "Diary", "Dictionary", "Display", "Doctor", "Drafts", "Events", "Family", "Fares", "Feeds",
    "Files", "Fitness", "Flights", "Folders", "Fonts", "Forum", "Friends", "Games", "Garden", "Gifts", "Goals",
    "Groups", "Guide", "Health", "Help", "History", "Home", "Hotels", "Inbox", "Invoices", "Jobs", "Journal",
    "Keyboard", "Kitchen", "Languages", "Library", "Lights", "Lists", "Locations", "Mail", "Maps", "Market",
    "Meals", "Memos", "Messages", "Movies", "Music", "Network", "News", "Notes", "Offers", "Orders", "Parcels",
    "Parking", "Payments", "Pets", "Photos", "Places", "Planner", "Playlists", "Podcasts", "Privacy", "Profile",
    "Puzzles", "Radio", "Recipes", "Records", "Reminders", "Rides", "Routes", "Safety", "Scanner", "Scores",
    "Search", "Security", "Settings", "Shares", "Shop", "Sleep", "Sounds", "Sports", "Storage", "Tasks", "Taxi",
    "Teams", "Tickets", "Timer", "Tools", "Trains", "Travel", "Updates", "Videos", "Weather", "Workouts",
)
# fmt: on


def fields(screens: int) -> list[tuple]:
    """The record. Screens are numbered from the first one, level by level; names by the alphabet."""
    level = [
        ("icons", within(np.int16, -1, screens - 1), (screens, CELLS)),  # the screen to which each leads, or -1
        ("names", below(np.int16, screens), (screens,)),  # of each screen
        ("target", below(np.int64, screens)),
    ]
    return [
        ("at", below(np.int64, screens)),  # the current screen
        ("clicks", within(np.int64, 0, 10_000)),  # steps so far
        ("cells", below(np.int8, CELLS), (CELLS,)),  # used while a level is made
        ("level", np.dtype(level, align=True)),
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        own = s.rng  # the world's stream, which fixed parts leave as it is
        s.rng = own if s.params.rewire else LAYOUT
        lay_out(s)
        if s.params.rewire:
            own = s.rng
        s.rng = own if s.params.rename else LAYOUT
        screens = s.level.names.shape[0]
        for k in range(screens):
            s.level.names[k] = k
        random.shuffle(s, s.level.names, screens)
        if s.params.rename:
            own = s.rng
        s.rng = own
        s.level.target = 1 + random.randint(s, screens - 1)
    s.at = 0
    s.clicks = 0


@kernel
def lay_out(s):
    """Give every screen its icons, in random cells."""
    screens, branching = s.level.icons.shape[0], s.params.branching
    for screen in range(screens):
        for cell in range(CELLS):
            s.level.icons[screen, cell] = -1
            s.cells[cell] = cell
        random.shuffle(s, s.cells, CELLS)
        above = (screen - 1) // branching
        used = put(s, screen, 0, np.int64(0)) if screen > 0 else 0
        used = put(s, screen, used, np.int64(above)) if screen > 0 and above > 0 else used
        for k in range(branching):
            if branching * screen + 1 + k < screens:
                used = put(s, screen, used, np.int64(branching * screen + 1 + k))
        for _ in range(s.params.links):
            used = put(s, screen, used, random.randint(s, screens))


@kernel
def put(s, screen, used, goal):
    """Put an icon for another screen into the next free cell, unless it is there; returns the number of used cells."""
    if goal == screen:
        return used
    for cell in range(CELLS):
        if s.level.icons[screen, cell] == goal:
            return used
    s.level.icons[screen, s.cells[used]] = goal
    return used + 1


@kernel
def step(s, actions, rewards):
    s.clicks += 1
    if actions[0] == COMPLETE:
        rewards[0] = 1.0 if s.at == s.level.target else 0.0
        s.terminated[0] = 1
        return
    goal = s.level.icons[s.at, actions[0]]
    if goal >= 0:
        s.at = goal
    s.truncated[0] = s.clicks >= s.params.max_steps


@kernel
def write_icons(s, screen, out):
    """The icons of a screen, by the names of the screens to which they lead."""
    for cell in range(CELLS):
        goal = np.int64(s.level.icons[screen, cell])
        out[cell] = 1 + s.level.names[goal] if goal >= 0 else 0


def _write_graph(out, s):
    for screen in range(s.level.names.shape[0]):
        write_icons(s, screen, out.graph[s.level.names[screen]])


def _write_nothing(out, s):
    """Write the icons of all screens, where they are observed."""


_write_all = by_fields(lambda names: "graph" in names, _write_graph, _write_nothing)


@kernel
def observe(s, agent, out):
    out.facts[0] = s.level.names[s.at]
    out.facts[1] = s.level.names[s.level.target]
    out.facts[2] = s.params.max_steps - s.clicks
    write_icons(s, s.at, out.icons)
    _write_all(out, s)


PAGE = Page(
    role="You look for a screen of an app. You are told its name.",
    goal="You are paid 1 if you say `complete` at the wanted screen, otherwise 0.",
    rules=(
        "The app has {screens} screens in a tree of {depth:level} below the first screen. Each has its own name. A "
        "screen has cells in {side} rows and {side} columns, and in some of them are icons. An icon has the name of "
        "the screen to which it leads. On each screen there are icons for the first screen, for the screen above, and "
        "for {below}{beside}. You begin at the first screen.",
    ),
    sees=Case(
        "view",
        {"graph": "You see the screen that you are at, and where the icons of all screens lead."},
        "You see the screen that you are at and its icons.",
    ),
    acts={
        "click row {R}, column {C}": "go to the screen of the icon in this cell; without an icon, nothing happens",
        "complete": "say that you are at the wanted screen, which ends the game, at whatever screen you are",
    },
    ends="It is over when you say `complete`, or after {max_steps:step}.",
    unsaid=dict.fromkeys(("rewire", "rename"), "whether the apps of other games are the same"),
    constants={"1": "what the wanted screen pays", "0": "what another one pays"},
)


class ScreenGraph(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe)
    masked = False
    kind = ("screens",)
    verified = "Markov chains of random clicks; shortest paths; counts of trees"
    variants = (
        dict(depth=2, branching=2, links=0, view="graph", max_steps=30),
        dict(depth=4, branching=1, links=4, rewire=False, rename=False),
    )
    shown = "explorer"
    clickable = "click .*"
    keys = {"c": "complete"}
    player_page = PAGE

    def __init__(
        self,
        depth: Annotated[int, Between(1, 5)] = 3,
        branching: Annotated[int, Between(1, 6)] = 3,
        links: Annotated[int, Between(0, 4)] = 2,
        view: Literal["screen", "graph"] = "screen",
        rewire: bool = True,
        rename: bool = True,
        max_steps: Annotated[int, Between(1, 10_000)] = 100,
    ):
        screens = sum(branching**k for k in range(depth + 1))
        if screens > SCREENS:
            raise ParameterError(f"ScreenGraph: {screens} screens are too many; depth and branching may make {SCREENS}")
        self.names = names_of(screens)
        parts: dict[str, Space[Any]] = {
            "facts": Box(0, np.array([screens - 1, screens - 1, 10_000], np.int16), dtype=np.int16),
            "icons": Box(0, screens, (CELLS,), np.int16),
        }
        if view == "graph":
            parts["graph"] = Box(0, screens, (screens, CELLS), np.int16)
        self.define(
            agents=["agent"],
            actions=[*(f"click row {k // SIDE + 1}, column {k % SIDE + 1}" for k in range(CELLS)), "complete"],
            observation=Dict(parts),
            fields=fields(screens),
            params={
                "branching": branching,
                "links": links,
                "rewire": rewire,
                "rename": rename,
                "max_steps": max_steps,
            },
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        if sorted(s.level.names.tolist()) != [*range(len(s.level.names))]:
            return "two screens have one name"
        if s.clicks > s.params.max_steps or (s.clicks == s.params.max_steps) > (s.truncated[0] or s.terminated[0]):
            return "the episode is over"
        return None

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        count, label = len(self.names), self.id
        exact_parts(label, level, "screens", "target")
        screens = read_list(level["screens"], f"{label}: the level's screens", count)
        for screen in screens:
            if not isinstance(screen, Mapping) or set(screen) != {"name", "icons"}:
                raise LevelError(f"{label}: {screen!r:.60} is no screen with 'name' and 'icons'")
        names = [screen["name"] for screen in screens]
        for name in names:
            if name not in self.names or names.count(name) > 1:
                raise LevelError(f"{label}: {name!r:.40} is none of the app's names, or there twice")
        s.level.icons[:] = -1
        for k, screen in enumerate(screens):
            self._read_icons(s, k, screen["icons"], names)
        if level["target"] not in names[1:]:
            raise LevelError(f"{label}: the target {level['target']!r:.40} is none of the other screens")
        s.level.names[:] = [self.names.index(name) for name in names]
        s.level.target = names.index(level["target"])
        if distances(s.level.icons, int(s.level.target))[0] < 0:
            raise LevelError(f"{label}: {level['target']} cannot be reached")

    def _read_icons(self, s: Any, k: int, icons: Any, names: list[str]) -> None:
        if not isinstance(icons, Mapping):
            raise LevelError(f"{self.id}: the icons {icons!r:.60} are no mapping from cells to names")
        for cell, name in icons.items():
            if cell not in map(str, range(CELLS)):
                raise LevelError(f"{self.id}: the cell {cell!r:.40} is none from '0' to '24'")
            if name not in names or name == names[k]:
                raise LevelError(f"{self.id}: an icon of {names[k]} leads to {name!r:.40}, which is no other screen")
            s.level.icons[k, int(cell)] = names.index(name)

    def get_level(self, s: Any) -> dict[str, Any]:
        names = [self.names[k] for k in s.level.names]
        screens = [
            {"name": names[k], "icons": {str(cell): names[goal] for cell, goal in enumerate(row) if goal >= 0}}
            for k, row in enumerate(s.level.icons.tolist())
        ]
        return {"screens": screens, "target": names[s.level.target]}

    # Texts and pictures show what is observed.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        branching, links = int(s.params.branching), int(s.params.links)
        return {
            "screens": len(self.names),
            "side": SIDE,
            "below": f"the {branching} screens below, if there are any"
            if branching > 1
            else "the screen below, if there is one",
            "beside": f", and for up to {counted(links, 'other screen')}" if links else "",
        }

    def text(self, s: Any, agent: int) -> str:
        out = self.observation(s, agent)
        here, wanted, left = (int(fact) for fact in out.facts)
        lines = [f"Find the screen {self.names[wanted]}. You are at {self.names[here]}. Steps left: {left}.", "Icons:"]
        lines += [f"- {self._cell(k)}: {self.names[goal - 1]}" for k, goal in enumerate(out.icons.tolist()) if goal]
        if hasattr(out, "graph"):
            lines.append("All screens and where their icons lead:")
            for k, row in enumerate(out.graph.tolist()):
                found = (f"{self.names[goal - 1]} ({self._cell(cell)})" for cell, goal in enumerate(row) if goal)
                lines.append(f"- {self.names[k]}: {', '.join(found)}")
        if s.terminated[0]:
            lines.append("That is the screen." if s.at == s.level.target else "That is another screen.")
        return "\n".join(lines)

    @staticmethod
    def _cell(cell: int) -> str:
        return f"row {cell // SIDE + 1}, column {cell % SIDE + 1}"

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        out, graph = self.observation(s, 0), agent is None or hasattr(self.observation(s, 0), "graph")
        here, wanted = self.names[out.facts[0]], self.names[out.facts[1]]
        scene = Scene(24 if graph else 11.6, 13)
        scene.add(
            Rect(0.3, 0.3, 11, 12.4, "ink@0.8", radius=0.6),
            Rect(0.6, 0.6, 10.4, 11.8, "paper", radius=0.4),
            Label(5.8, 1.25, here, 0.8, bold=True),
            Line([(0.9, 1.85), (10.7, 1.85)], "muted", 0.04),
        )
        for cell, goal in enumerate(out.icons.tolist()):
            x, y = 0.8 + 2.02 * (cell % SIDE), 2.1 + 2.02 * (cell // SIDE)
            if goal:
                name = self.names[goal - 1]
                color, edge = agent_color((goal - 1) % 8), "ink" if name == wanted else None
                scene.add(Rect(x + 0.45, y + 0.12, 1.1, 1.1, color, edge, 0.12, 0.25, glyph=""))
                scene.add(Label(x + 1.0, y + 0.68, name[:2], 0.6, text_on(color), bold=True, terminal=False))
                scene.add(Label(x + 1.0, y + 1.58, name, 0.42, width=1.98))
        if graph:
            self._draw_graph(scene, s)
        state = "" if not s.terminated[0] else "found" if s.at == s.level.target else "another screen"
        footer(scene, f"look for {wanted}", state or f"{int(out.facts[2])} steps left")
        return scene

    def _draw_graph(self, scene: Scene, s: Any) -> None:
        """All screens, those on the shortest paths from the first one in a row below it, and their icons as lines."""
        icons = s.level.icons
        levels = levels_of(icons)
        places = {}
        for row, screens in enumerate(levels):
            for k, screen in enumerate(screens):
                places[screen] = (12.2 + 11.4 * (k + 0.5) / len(screens), 1 + 11 * row / max(1, len(levels) - 1))
        for screen, (x, y) in places.items():
            for goal in {*icons[screen].tolist()} - {-1, 0}:
                if goal in places and places[goal][1] > y:
                    scene.add(Line([(x, y), places[goal]], "muted@0.5", 0.04))
        for screen, (x, y) in places.items():
            color = "gold" if screen == s.level.target else agent_color(0) if screen == s.at else "grey"
            name = self.names[s.level.names[screen]]
            letter = "*" if color == "gold" else "." if color == "grey" else "@"
            scene.add(Circle(x, y, 0.3 if len(places) < 50 else 0.18, color, glyph=letter))
            if screen in (s.at, s.level.target):
                scene.add(Label(x, y + 0.55, name, 0.5, bold=True))

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        column, row = math.floor((x - 0.8) / 2.02), math.floor((y - 2.1) / 2.02)
        return SIDE * row + column if 0 <= column < SIDE and 0 <= row < SIDE else None


@cache
def names_of(screens: int) -> tuple[str, ...]:
    """The names of an app's screens, by the alphabet."""
    return tuple(NAMES[k * SCREENS // screens] for k in range(screens))


def levels_of(icons: np.ndarray) -> list[list[int]]:
    """The screens by their distance from the first one; those that cannot be reached are left out."""
    levels, seen = [[0]], {0}
    while levels[-1]:
        goals = [int(goal) for screen in levels[-1] for goal in icons[screen] if goal >= 0]
        levels.append([goal for goal in dict.fromkeys(goals) if goal not in seen])
        seen.update(levels[-1])
    return levels[:-1]


def distances(icons: np.ndarray, target: int) -> list[int]:
    """The fewest clicks from each screen to the target, or -1."""
    found = [-1] * len(icons)
    found[target], wave = 0, [target]
    while wave:
        near = [k for k in range(len(icons)) if found[k] < 0 and set(icons[k].tolist()) & set(wave)]
        for k in near:
            found[k] = found[wave[0]] + 1
        wave = near
    return found


env, raw_env, parallel_env = pettingzoo_forms(ScreenGraph)
