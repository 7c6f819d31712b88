"""Tag: chasers touch runners in caves, with lines of sight; touched runners freeze or become chasers.

**Rules.** Chasers and runners walk in caves. Any number of them may be in one cell. All agents choose at once: each
stays or moves to one of the four cells beside it. A move into a wall stays.

After all moves, a chaser touches a runner if both are in the same cell, or if the two have changed places. All touches
of a step are judged together. A touched runner is caught:

- With ``caught="freeze"`` it is frozen and can only stay. A runner that is not frozen and ends a step in its cell
  without being touched thaws it. A runner that was frozen in the same step stays frozen.
- With ``caught="infect"`` it is a chaser from the next step on.

With ``order="turns"`` the chasers move in one step and the runners in the next one. This is the game of cops and
robbers if there is one runner.

An agent sees the cells at most `sight` rows and columns away that no wall hides. A cell is seen if the straight line
between the middles of the two cells crosses no wall. The line has one cell in each row between the two, or in each
column if there are more of these: the nearest cell. Where two are equally near, the line is blocked only if both are
walls. The two cells themselves do not block, so walls are seen, and sight is mutual.

Chasers start in the free cells nearest to a start S, one in each while there are enough. Runners start in the same way
at a goal G, far from S.

**Agents.** `chaser_0` ... `chaser_1`, then `runner_0` ... `runner_2`, or 1 to 32 of each. Names do not change with
``caught="infect"``.

**Observation.** Box (4, 2 r + 1, 2 r + 1) uint8 with r = `sight`: the cells around the agent, which is in the middle;
north is up.

| plane | content |
|---|---|
| 0 | 0 unseen or off the map, 1 wall, 2 free; in the middle 3 for a chaser, 4 for a runner, 5 for a frozen runner |
| 1 | the number of chasers in a cell that is seen, the agent itself included |
| 2 | the number of runners there that are not frozen |
| 3 | the number of frozen runners there |

**Actions.** Discrete (5).

| action | name | legal |
|---|---|---|
| 0-3 | `east`, `south`, `west`, `north` | unless the runner is frozen |
| 4 | `stay` | always |

With ``order="turns"``, only agents of the side to move have legal actions.

**Window.** The arrow keys move the agent, and the key . stays. A click on a cell beside the agent moves there; a click
on the agent itself stays.

**Rewards.** A catch pays -1 to the runner and 1 to the chasers that touch it, in equal shares.

**Ends.** Terminates when all runners are frozen, or when no runner is left; truncated after `horizon` steps.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `chasers`, `runners` | 2, 3 | numbers of agents at the start, each from 1 to 32 |
| `caught` | "freeze" | what happens to a caught runner: "freeze" or "infect" |
| `order` | "simultaneous" | "simultaneous" moves, or the chasers and the runners in "turns" |
| `height`, `width` | 15, 15 | cells of the map, walls around it included, each from 5 to 32 |
| `walls` | 0.4 | share of rock before the caves are smoothed once, from 0 to 1; 0 gives an empty map |
| `sight` | 5 | rows and columns that agents see in each direction, from 1 to 8 |
| `horizon` | 120 | steps until truncation, from 1 to 1,000,000 |

**Level.** ``{"map": ["#####", "#S..#", "#.#.#", "#..G#", "#####"]}``: walls `#`, free cells `.`, the start `S` of the
chasers and the start `G` of the runners. Generators: kinds "caves", "maze" and "obstacles".

**Known values.** On a connected map with ``order="turns"`` and perfect play of agents that see everything, the chasers
catch one runner from all starts if there are at least as many as the cop number of the map: 1 for trees such as mazes
without loops, 2 for circles of at least 4 cells and for rectangles of at least 2 x 2 cells (Nowakowski and Winkler,
1983; Maamoun and Meyniel, 1987). At most 3 are needed on any map, because maps are planar (Aigner and Fromme, 1984).

**Differences.** The game is ours; there is no reference implementation. From cops and robbers:

- The starts are given. There, the cops choose theirs first, and then the robber chooses.
- Agents see a part of the map only; there, everything.
- By default all agents move at once, so chasers and runners can change places; this is a touch.

**Source.** Nowakowski and Winkler, "Vertex-to-vertex pursuit in a graph", Discrete Mathematics 43, 1983. Caves: see
`envsuite.generators.caves`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from gymnasium.spaces import Box

from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.page import Case, Page, When
from envsuite.core.ranges import among, below, fixed, flag, free, within
from envsuite.core.world import Between, Kernels, World
from envsuite.generators import grids
from envsuite.generators.caves import Caves, make
from envsuite.generators.grids import WALL
from envsuite.kit.grid import DX, DY
from envsuite.kit.grid_pictures import clicked, listed, spots
from envsuite.kit.sight import in_line, look_far
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Line, Rect, Scene, Shape, footer, grid
from envsuite.render.theme import text_on

ACTIONS = ("east", "south", "west", "north", "stay")
STAY = 4

#: What an agent is; also the plane that counts it, less 1.
CHASER, RUNNER, FROZEN = range(3)
ROLES = ("chaser", "runner", "frozen runner")

#: Codes of plane 0, those of the map plus 1; OWN + role in the middle.
UNSEEN, ROCK, FLOOR, OWN = range(4)

CAUGHT = ("freeze", "infect")
_FREEZE = 0
ORDERS = ("simultaneous", "turns")
_TURNS = 1

#: The largest number of agents of a side, side of a map, and sight.
LARGEST_SIDE, LARGEST_MAP, FARTHEST = 32, 32, 8

_COLORS = ("orange", "blue", "sky")


def fields(players: int, height: int, width: int) -> list[tuple]:
    """The record, besides the generator's; all agents are on free cells."""
    columns, rows = within(np.int64, 1, width - 2), within(np.int64, 1, height - 2)
    return [
        ("x", columns, (players,)),
        ("y", rows, (players,)),
        ("from_x", columns, (players,)),  # where they were before the last step
        ("from_y", rows, (players,)),
        ("role", within(np.uint8, CHASER, FROZEN), (players,)),
        ("runner_moves", below(np.uint8, 2)),  # with turns: whether the runners move next
        ("caught", flag(), (players,)),  # in the last step
        ("score", free(np.float64), (players,)),  # rewards so far
    ]


@large_kernel
def reset(s):
    if not s.level_given:
        make(s)
    grids.gather(s, s.level.start, 0, s.params.starting)
    grids.gather(s, s.level.goal, s.params.starting, s.x.shape[0])
    grids.tidy(s)
    s.runner_moves = 0
    for a in range(s.x.shape[0]):
        s.role[a] = CHASER if a < s.params.starting else RUNNER
        s.caught[a] = 0
        s.score[a] = 0.0


@kernel
def may_move(s, a):
    """Whether an agent may leave its cell in the next step."""
    return s.role[a] != FROZEN and (s.params.order != _TURNS or s.runner_moves == (s.role[a] == RUNNER))


@large_kernel
def step(s, actions, rewards):
    for a in range(s.x.shape[0]):
        s.from_x[a], s.from_y[a] = s.x[a], s.y[a]
        s.caught[a] = 0
        if actions[a] != STAY and may_move(s, a):
            x, y = s.x[a] + DX[actions[a]], s.y[a] + DY[actions[a]]
            if s.level.grid[y, x] != WALL:
                s.x[a], s.y[a] = x, y
    touch(s, rewards)
    thaw(s)
    running = 0
    for a in range(s.x.shape[0]):
        if s.caught[a]:
            s.role[a] = FROZEN if s.params.caught == _FREEZE else CHASER
        running += s.role[a] == RUNNER
        s.score[a] += rewards[a]
    if s.params.order == _TURNS:
        s.runner_moves = 1 - s.runner_moves
    for a in range(s.x.shape[0]):
        s.terminated[a] = running == 0
        s.truncated[a] = running > 0 and s.t >= s.params.horizon


@kernel
def touches(s, chaser, runner):
    """Whether these two are in one cell now, or have changed places."""
    if s.x[chaser] == s.x[runner] and s.y[chaser] == s.y[runner]:
        return True
    there = s.x[chaser] == s.from_x[runner] and s.y[chaser] == s.from_y[runner]
    return there and s.x[runner] == s.from_x[chaser] and s.y[runner] == s.from_y[chaser]


@large_kernel
def touch(s, rewards):
    """Note the runners that are caught, and pay for them."""
    for a in range(s.x.shape[0]):
        if s.role[a] == RUNNER:
            count = 0
            for c in range(s.x.shape[0]):
                count += s.role[c] == CHASER and touches(s, c, a)
            s.caught[a] = count > 0
            rewards[a] -= np.float64(count > 0)
            for c in range(s.x.shape[0]):
                if s.role[c] == CHASER and touches(s, c, a):
                    rewards[c] += 1.0 / count


@kernel
def thaw(s):
    """Free frozen runners that another runner has come to."""
    for a in range(s.x.shape[0]):
        if s.role[a] == FROZEN:
            for b in range(s.x.shape[0]):
                if s.role[b] == RUNNER and not s.caught[b] and s.x[a] == s.x[b] and s.y[a] == s.y[b]:
                    s.role[a] = RUNNER


@large_kernel
def observe(s, agent, out):
    sight = out.shape[1] // 2
    top, left = s.y[agent] - sight, s.x[agent] - sight
    look_far(s.level.grid, WALL, s.y[agent], s.x[agent], out[0])
    for plane in range(1, 4):
        for i in range(2 * sight + 1):
            for j in range(2 * sight + 1):
                out[plane, i, j] = 0
    out[0, sight, sight] = OWN + s.role[agent]
    for a in range(s.x.shape[0]):
        i, j = s.y[a] - top, s.x[a] - left
        if 0 <= i <= 2 * sight and 0 <= j <= 2 * sight and out[0, i, j] != UNSEEN:
            out[1 + s.role[a], i, j] += 1


@kernel
def legal(s, agent, mask):
    moves = may_move(s, agent)
    for action in range(STAY):
        mask[action] = moves
    # A frozen runner stays in every step of its side.
    mask[STAY] = s.params.order != _TURNS or s.runner_moves == (s.role[agent] != CHASER)


PAGE = Page(
    role=When(
        "chases",
        "You are a chaser and touch runners. {chasers:chaser} and {runners:runner} walk in a cave.",
        "You are a runner and keep away from chasers. {chasers:chaser} and {runners:runner} walk in a cave.",
    ),
    goal="A catch pays 1 to the chasers that touch the runner, in equal shares, and -1 to the runner.",
    rules=(
        "The cave has {height} x {width} cells; north is up. Any number of players can be in one cell.",
        Case(
            "order",
            {
                "simultaneous": (
                    "All choose at once: each stays or moves to one of the four cells beside its own. A move into a "
                    "wall leaves you where you are."
                ),
                "turns": (
                    "Chasers move in one turn and runners in the next: each stays or moves to one of the four cells "
                    "beside its own. A move into a wall leaves you where you are."
                ),
            },
        ),
        (
            (
                "After all moves, a chaser touches a runner if both are in the same cell, or if the two have changed "
                "places. A touched runner is caught."
            ),
            Case(
                "caught",
                {
                    "freeze": (
                        "It is frozen and can only stay. A runner that is not frozen and ends a turn in its cell "
                        "without being touched thaws it, but not in the turn in which it was frozen."
                    ),
                    "infect": "It is a chaser from the next turn on, and keeps its name.",
                },
            ),
        ),
    ),
    sees=(
        "You see the cells up to {sight:row or column/rows or columns} away, if no wall crosses the straight line "
        "between the middles of the cells. If you see a player, it sees you."
    ),
    acts={("east", "south", "west", "north"): "move one cell", "stay": "stay where you are"},
    ends=(
        Case(
            "caught",
            {"freeze": "It is over when all runners are frozen,", "infect": "It is over when no runner is left,"},
        ),
        "or after {horizon:turn}.",
    ),
    unsaid={"walls": "what the cave looks like is to be seen"},
    constants={"1": "for a catch", "four": "cells beside one", "two": "players that change places"},
)


class Tag(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    utility = "zero-sum"
    kind = ("teams",)
    verified = "cops and robbers: perfect play on small maps, by a retrograde sweep that finds published cop numbers"
    variants = (dict(chasers=1, runners=2, height=7, width=8, sight=2, caught="infect", order="turns", walls=0.3),)
    shown = "planner"
    keys = {"right": "east", "down": "south", "left": "west", "up": "north", ".": "stay"}
    player_page = PAGE

    def __init__(
        self,
        chasers: Annotated[int, Between(1, LARGEST_SIDE)] = 2,
        runners: Annotated[int, Between(1, LARGEST_SIDE)] = 3,
        caught: Literal["freeze", "infect"] = "freeze",
        order: Literal["simultaneous", "turns"] = "simultaneous",
        height: Annotated[int, Between(5, LARGEST_MAP)] = 15,
        width: Annotated[int, Between(5, LARGEST_MAP)] = 15,
        walls: Annotated[float, Between(0, 1)] = 0.4,
        sight: Annotated[int, Between(1, FARTHEST)] = 5,
        horizon: Annotated[int, Between(1, 1_000_000)] = 120,
    ):
        caves = Caves(height, width, walls, smoothing=1)
        self.turns = "mixed" if order == "turns" else "simultaneous"
        shape = (4, 2 * sight + 1, 2 * sight + 1)
        high = np.full(shape, chasers + runners, np.uint8)
        high[0], high[2:] = FLOOR, runners
        high[0, sight, sight] = OWN + FROZEN
        self.define(
            agents=[*(f"chaser_{a}" for a in range(chasers)), *(f"runner_{a}" for a in range(runners))],
            actions=ACTIONS,
            observation=Box(np.zeros(shape, np.uint8), high, dtype=np.uint8),
            fields=[*fields(chasers + runners, height, width), *caves.fields],
            params={
                **caves.values,
                "caught": among(CAUGHT, caught),
                "order": among(ORDERS, order),
                "starting": fixed(chasers),
                "horizon": horizon,
            },
            reward_range=(-1.0, float(runners)),
        )

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        return {"chases": agent < self.parameters["chasers"]}

    # Levels.

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        grids.read_map(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return {"map": grids.write_map(s.level)}

    def contradiction(self, s: Any) -> str | None:
        walls = s.level.grid == WALL
        ends = (s.level.start, s.level.goal)
        if ends[0] == ends[1] or walls.reshape(-1)[list(ends)].any():
            return "the start and the goal are not on two free cells"
        if walls[s.y, s.x].any() or walls[s.from_y, s.from_x].any():
            return "an agent is in a wall"
        if s.params.order != _TURNS and s.runner_moves:
            return "the runners move alone only with turns"
        return None

    # Text and pictures.

    def text(self, s: Any, agent: int) -> str:
        view, sight = np.asarray(self.observation(s, agent)).astype(int), self.parameters["sight"]
        role = int(s.role[agent])
        view[1 + role, sight, sight] -= 1
        letters = np.array([list("?#.@@@")[code] for code in view[0].reshape(-1)]).reshape(view[0].shape)
        for plane, letter in ((3, "F"), (2, "R"), (1, "C")):
            letters[(view[plane] > 0) & (letters != "@")] = letter
        lines = [
            f"You are {self.agents[agent]}, a {ROLES[role]}. You see {sight} cells in each direction "
            "(@ you, C chaser, R runner, F frozen runner, # wall, ? unseen; north is up):",
            *("  " + " ".join(row) for row in letters),
        ]
        for plane, name in ((1, "Chasers"), (2, "Runners"), (3, "Frozen runners")):
            if plane == 3 and s.params.caught != _FREEZE:
                continue
            lines.append(f"{name}: {listed(view[plane], sight) or 'no others in view'}.")
        if s.params.order == _TURNS:
            lines.append(f"The {'runners' if s.runner_moves else 'chasers'} move now.")
        lines.append(f"{s.t} of {s.params.horizon} steps are over.")
        return "\n".join(lines)

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        """The map with what chasers see and the last moves; for an agent, its view."""
        if agent is not None:
            return self._view(s, agent)
        height, width = s.level.grid.shape
        scene = Scene(width, height)
        scene.add(Rect(0, 0, width, height, "floor"), *grid(0, 0, width, height))
        watched = [[self._watched(s, y, x) for x in range(width)] for y in range(height)]
        scene.add(*grids.wall_shapes(watched, "orange@0.16"))
        scene.add(*grids.wall_shapes((s.level.grid == WALL).tolist()))
        for a, color in enumerate(_COLORS[role] for role in s.role):
            way = [(x + 0.5, y + 0.5) for x, y in ((s.from_x[a], s.from_y[a]), (s.x[a], s.y[a]))]
            scene.add(Line(way, f"{color}@0.35", 0.24))
        scene.add(*self._glances(s))
        for y, x in sorted({(int(y), int(x)) for y, x in zip(s.y, s.x)}):
            here = np.flatnonzero((s.x == x) & (s.y == y)).tolist()
            scene.add(*_crowd(x, y, [(int(s.role[a]), self._number(a), bool(s.caught[a])) for a in here]))
        counts = [int((s.role == role).sum()) for role in range(3)]
        ice = f", {counts[FROZEN]} frozen" if s.params.caught == _FREEZE else ""
        footer(scene, f"{s.t} / {s.params.horizon}", f"{counts[CHASER]} chase, {counts[RUNNER]} run{ice}")
        return scene

    def _watched(self, s: Any, y: int, x: int) -> bool:
        """Whether a chaser sees this free cell."""
        chasers = np.flatnonzero(s.role == CHASER).tolist()
        return s.level.grid[y, x] != WALL and any(self._sees(s, a, y, x) for a in chasers)

    def _sees(self, s: Any, agent: int, y: int, x: int) -> bool:
        """Whether an agent sees a cell."""
        near = max(abs(s.y[agent] - y), abs(s.x[agent] - x)) <= self.parameters["sight"]
        return near and in_line(s.level.grid, WALL, s.y[agent], s.x[agent], y, x)

    def _glances(self, s: Any) -> list[Shape]:
        """Lines between chasers and the runners in their sight."""
        chasers, runners = (np.flatnonzero(s.role == role).tolist() for role in (CHASER, RUNNER))
        return [
            Line([(s.x[k] + 0.5, s.y[k] + 0.5) for k in (a, b)], "orange@0.6", 0.05)
            for a in chasers
            for b in runners
            if self._sees(s, a, s.y[b], s.x[b])
        ]

    def _number(self, agent: int) -> str:
        """The number in an agent's name."""
        return self.agents[agent].rpartition("_")[2]

    def _view(self, s: Any, agent: int) -> Scene:
        """What one agent sees; it does not know the others' numbers."""
        view, sight = np.asarray(self.observation(s, agent)).astype(int), self.parameters["sight"]
        size = len(view[0])
        scene = Scene(size, size)
        scene.add(Rect(0, 0, size, size, "floor"), *grid(0, 0, size, size))
        scene.add(*grids.wall_shapes((view[0] == UNSEEN).tolist(), "shadow@0.6"))
        scene.add(*grids.wall_shapes((view[0] == ROCK).tolist()))
        role = int(s.role[agent])
        view[1 + role, sight, sight] -= 1
        for y, x in np.argwhere(view[1:].any(axis=0) | (view[0] >= OWN)).tolist():
            me = [(role, "you", bool(s.caught[agent]))] if view[0, y, x] >= OWN else []
            others = [(k, "", False) for k in range(3) for _ in range(view[1 + k, y, x])]
            scene.add(*_crowd(x, y, me + others))
        footer(scene, f"{s.t} / {s.params.horizon}", f"{self.agents[agent]}: {ROLES[role]}")
        return scene

    def click(self, s: Any, agent: int, x: float, y: float) -> int | None:
        return clicked(x, y, self.parameters["sight"])


def _crowd(x: int, y: int, agents: list[tuple[int, str, bool]]) -> list[Shape]:
    """All agents of a cell by role, text and whether they were just caught; more than nine are not drawn."""
    places, size = spots(x, y, len(agents))
    shapes: list[Shape] = []
    for (across, down), (role, text, caught) in zip(places, agents):
        shapes += _agent(across, down, size, role, text, caught)
    return shapes


def _agent(x: float, y: float, size: float, role: int, text: str, caught: bool) -> list[Shape]:
    """A chaser with a dark ring, a runner, or a runner in a block of ice; a gold ring marks a catch."""
    color, sign = _COLORS[role], "CRF"[role]
    shapes: list[Shape] = []
    if role == FROZEN:
        half = 0.43 * size
        shapes += [
            Rect(x - half, y - half, 2 * half, 2 * half, "sky@0.55", "white", 0.06 * size, 0.12 * size, glyph=""),
            Line([(x - 0.32 * size, y - 0.12 * size), (x - 0.12 * size, y - 0.32 * size)], "white", 0.06 * size),
        ]
    ring = "yellow" if caught else "black" if role == CHASER else "white"
    radius = (0.3 if role == FROZEN else 0.38) * size
    return [
        *shapes,
        Circle(x, y, radius, color, ring, 0.07 * size, glyph=f"{sign}{text[:1]}"),
        Label(x, y, text, (0.42 if len(text) < 3 else 0.28) * size, text_on(color), bold=True, terminal=False),
    ]


env, raw_env, parallel_env = pettingzoo_forms(Tag)
