"""Generations: a learner solves one hidden task again and again, beside guides whose acts it sees less and less.

**Rules.** An episode has `trials` trials on one hidden task. In every trial, the learner acts at one place after the
other. Before it acts, all guides show at once what they would do at this place. The learner sees all their acts, or
none: in trial k of 0 ... `trials` - 1 it sees them with probability (`trials` - 1 - k) / (`trials` - 1), drawn for each
place. Guides do not see each other. `task` is one of two:

- `sequence`: the task is a sequence of `length` letters of `types` kinds, uniform. The learner says the letters in
  their order. A wrong one ends the trial.
- `tsp`: the task is a tour of `cities` cities, points that are uniform in a unit square. A trial starts in city A. Each
  act is the next city; a visit to a city that was visited ends the trial. After the last city the way home is added.

A guide knows the task at a place with a probability of its own, its skill, which is 1 - 1 / (1 + `skill` U) for a
uniform U. Skills are drawn for the episode; the last guide has the largest. A guide that knows the task sees what each
act would pay; the others have to guess.

**Agents.** `learner`, then `guide_0` ... `guide_{guides-1}`. At each place the guides act first, then the learner.

**Observation.** Dict.

| part | space | content |
|---|---|---|
| task | Box (1,) int8 | 0 `sequence`, 1 `tsp` |
| trial, left | Box (1,) int16 | trials that are over; trials left, the present one included |
| place | Box (1,) int16 | acts of the learner in this trial |
| own | Box (1,) int8 | the learner's last act; -1 before the first |
| ended | Box (1,) int8 | 1 if it ended a trial |
| reward | Box (1,) float64 | what it paid |
| visited | Box (acts,) int8 | cities that were visited in this trial; 0 for a `sequence` |
| visible | Box (1,) int8 | 1 if the learner sees the guides' acts at this place; for the learner when it acts |
| guides | Box (guides,) int8 | the acts of the guides at this place; -1 where they cannot be seen |
| worth | Box (acts,) float64 | for a guide that knows the task, what each act would pay; otherwise 0 |

There are `types` or `cities` acts. Without guides, `guides` has one entry, -1.

**Actions.** Discrete (`types` or `cities`).

| action | name |
|---|---|
| k | `A`, `B`, `C`, ...: the letter, or the city |

**Window.** The keys a to h mean these letters.

**Rewards.** All agents get what the learner's act pays.

- `sequence`: 1 for the right letter, -1 for a wrong one.
- `tsp`: 1 - d / sqrt(2) for a leg of length d, and the same for the way home; -1 for a city that was visited.

**Ends.** Terminates with the last trial.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `task` | "sequence" | "sequence" or "tsp", see above |
| `guides` | 3 | number of guides, from 0 to 8 |
| `trials` | 4 | number of trials, from 1 to 1000; the source has 4 for `sequence` and 8 for `tsp` |
| `types` | 3 | kinds of letters of a `sequence`, from 2 to 8 |
| `length` | 24 | length of a `sequence`, from 1 to 100 |
| `cities` | 6 | cities of a `tsp`, from 3 to 8 |
| `skill` | 3.0 | how much guides know, see above, from 0 to 1,000,000 |

**Level.** ``{"sequence": "ABCA"}`` with `length` letters, or ``{"cities": [[0.1, 0.2], [0.5, 0.5], [0.9, 0.1]]}``: the
hidden task. Levels of `envsuite generate hidden_tasks` fit.

**Known values.**

- `sequence`: random acts earn (2 - k) / (k - 1) in a long trial with k types, -0.5 by default. An agent that
  knows the sequence earns its length, 24.
- `tsp`: a random tour of 6 cities earns 6 (1 - m / sqrt(2)) = 3.788 in a trial, where m = 0.5214 is the mean distance
  of two points of a unit square (Ghosh, 1951). The shortest tours earn 4.366 on average, and tours that always go to
  the nearest city 4.273, by our own enumeration of 20,000 maps (standard error 0.002).

**Differences.** From the notebooks of FLAIROx/cultural-accumulation:

- There, a `tsp` trial needs one act more than there are cities left. So each trial ends with -1, and the way home is
  never paid. Here it ends with the last city.
- There, guides are a part of the environment. Here they are agents, so any policy can be a guide.
- There, guides of a `tsp` go by softmax to cities near the first city. Here a guide knows what each act would pay.
- There, the first place of a trial is seen with the probability of the trial before it.
- The observation also counts trials, places and visited cities, which the learner could count itself.
- The third task, goals on a grid, is the world GoalSequence. The version with a single trial is left out.

**Source.** Cook, Lu, Hughes, Leibo and Foerster, "Artificial Generational Intelligence: Cultural Accumulation in
Reinforcement Learning", 2024, and its code, FLAIROx/cultural-accumulation, in-context accumulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, sqrt
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict

from envsuite.core import random
from envsuite.core.kernel import kernel
from envsuite.core.page import Case, Page, Pattern, Text, When, listed
from envsuite.core.ranges import below, fixed, flag, within
from envsuite.core.world import Between, Kernels, World
from envsuite.generators import hidden_tasks
from envsuite.kit import plots
from envsuite.kit.graph_pictures import draw_tour
from envsuite.kit.graph_pictures import places as ring
from envsuite.registry import pettingzoo_forms
from envsuite.render.scene import Circle, Label, Rect, Scene
from envsuite.render.theme import agent_color, text_on

#: Who acts.
GUIDES, LEARNER = range(2)

#: No act.
NONE = -1

_DIAGONAL = sqrt(2.0)


def fields(hidden: hidden_tasks.HiddenTasks, acts: int, guides: int, trials: int, places: int) -> list[tuple]:
    """The record's own fields."""
    return [
        *hidden.fields,  # level: the hidden letters or cities
        ("skill", within(np.float64, 0, 1), (max(guides, 1),)),  # of each guide
        ("phase", within(np.int64, GUIDES, LEARNER)),
        ("trial", within(np.int64, 0, trials)),  # number of trials that are over
        ("place", below(np.int64, places)),  # acts of the learner in this trial
        ("known", flag(), (max(guides, 1),)),  # whether each guide knows the task at this place
        ("visible", flag()),  # whether the learner sees the guides' acts at this place
        ("shown", within(np.int8, NONE, acts - 1), (max(guides, 1),)),  # the guides' acts at this place
        ("route", within(np.int8, NONE, acts - 1), (places,)),  # the learner's acts in this trial
        ("visited", flag(), (acts,)),  # cities, in this trial
        ("own", within(np.int8, NONE, acts - 1)),  # the learner's last act
        ("ended", flag()),  # whether it ended a trial
        ("reward", within(np.float64, -1, 2)),  # what it paid
        ("totals", within(np.float64, -1, hidden_tasks.LONGEST), (trials,)),  # return of each trial
    ]


@kernel
def reset(s):
    if s.level_given == 0:
        hidden_tasks.make(s)
    for g in range(s.params.guides):
        skill = 1.0 - 1.0 / (1.0 + s.params.skill * random.uniform(s))
        at = g
        while at > 0 and s.skill[at - 1] > skill:
            s.skill[at] = s.skill[at - 1]
            at -= 1
        s.skill[at] = skill
    for t in range(s.totals.shape[0]):
        s.totals[t] = 0.0
    s.trial = 0
    s.own = NONE
    s.ended = 0
    s.reward = 0.0
    begin_trial(s)


@kernel
def begin_trial(s):
    s.place = 0
    for t in range(s.route.shape[0]):
        s.route[t] = NONE
    for k in range(s.visited.shape[0]):
        s.visited[k] = k == 0 and s.params.task == hidden_tasks.TSP
    begin_place(s)


@kernel
def begin_place(s):
    """Draw which guides know the task here, and whether the learner will see them."""
    trials, guides = s.totals.shape[0], s.params.guides
    s.visible = 0
    for g in range(s.shown.shape[0]):
        s.known[g] = 0
        s.shown[g] = NONE
    s.phase = LEARNER if guides == 0 else GUIDES
    if guides == 0 or s.trial == trials:
        return
    for g in range(guides):
        s.known[g] = random.bernoulli(s, s.skill[g])
    s.visible = random.bernoulli(s, (trials - 1.0 - s.trial) / (trials - 1.0) if trials > 1 else 1.0)


@kernel
def leg(s, a, b):
    """The pay of a leg between two cities."""
    across, down = s.level.points[a, 0] - s.level.points[b, 0], s.level.points[a, 1] - s.level.points[b, 1]
    return 1.0 - sqrt(across * across + down * down) / _DIAGONAL


@kernel
def pay(s, act):
    """What an act of the learner would pay here."""
    if s.params.task == hidden_tasks.SEQUENCE:
        return 1.0 if s.level.sequence[s.place] == act else -1.0
    if s.visited[act] != 0:
        return -1.0
    here = np.int64(s.route[s.place - 1]) if s.place > 0 else 0
    home = leg(s, act, 0) if s.place == s.route.shape[0] - 1 else 0.0
    return leg(s, here, act) + home


@kernel
def step(s, actions, rewards):
    if s.phase == GUIDES:
        for g in range(s.params.guides):
            s.shown[g] = actions[1 + g]
        s.phase = LEARNER
        return
    act = actions[0]
    s.own = act
    s.reward = pay(s, act)
    s.ended = s.reward < 0.0 or s.place == s.route.shape[0] - 1
    s.totals[s.trial] += s.reward
    for agent in range(rewards.shape[0]):
        rewards[agent] = s.reward
    if s.ended != 0:
        s.trial += 1
        begin_trial(s)
    else:
        s.route[s.place] = act
        s.place += 1
        if s.params.task == hidden_tasks.TSP:
            s.visited[act] = 1
        begin_place(s)
    if s.trial == s.totals.shape[0]:
        for agent in range(rewards.shape[0]):
            s.terminated[agent] = 1


@kernel
def observe(s, agent, out):
    sees = agent == 0 and s.phase == LEARNER and s.visible != 0
    out.task[0] = s.params.task
    out.trial[0] = s.trial
    out.left[0] = s.totals.shape[0] - s.trial
    out.place[0] = s.place
    out.own[0] = s.own
    out.ended[0] = s.ended
    out.reward[0] = s.reward
    out.visible[0] = sees
    for g in range(s.shown.shape[0]):
        out.guides[g] = s.shown[g] if sees else NONE
    for k in range(s.visited.shape[0]):
        out.visited[k] = s.visited[k]
        out.worth[k] = pay(s, k) if agent > 0 and s.known[agent - 1] != 0 else 0.0


@kernel
def legal(s, agent, mask):
    if (agent == 0) == (s.phase == LEARNER):
        for action in range(mask.shape[0]):
            mask[action] = 1


_TASK = Case(
    "task",
    {
        "sequence": (
            "A hidden sequence has {places:letter}, each one of {names}. The learner has {trials:trial}. In a trial, "
            "it says the letters in their order, one at a time, until one is wrong. The sequence stays the same.",
        ),
        "tsp": (
            "{cities} cities, {names}, lie at hidden points of a square with sides of length 1. The "
            "learner has {trials:trial}. In a trial, it starts in A and goes from city to city. The trial ends when "
            "all were visited, after which the way",
            "home to A follows by itself, or when it goes to a city that was visited. The cities stay where they are.",
        ),
    },
)
_PAY = Case(
    "task",
    {
        "sequence": "A right letter pays 1, and a wrong one -1.",
        "tsp": "A leg of length d pays 1 - d / 1.414, and so does the way home. A city that was visited pays -1.",
    },
)
_GUIDES = When(
    "guides",
    (
        "The learner has {guides:guide}. Before each act of the learner, all guides show at once what they would do. "
        "Some know the task better than others; {best} knows it best. All are paid what the learner's act pays.",
    ),
)
_ACTS: Mapping[Pattern, Text] = {"{LETTER}": Case("task", {"sequence": "say this letter", "tsp": "go to this city"})}
_ENDS = "It is over after {trials:trial}."
_UNSAID = {
    "skill": "how well guides know the task is found out from what they do",
    "types": "told as the letters",
    "length": "told as the number of places",
}
_CONSTANTS = {"1": "the pay", "1.414": "the longest leg"}
PAGES = {
    "learner": Page(
        role="You are the learner.",
        goal=_PAY,
        rules=(_TASK, _GUIDES),
        sees=When(
            "guides",
            When(
                "several",
                "You see what the guides show at all places of the first trial, then less and less often, and never "
                "in the last one.",
                "You see what the guides show.",
            ),
        ),
        acts=_ACTS,
        ends=_ENDS,
        unsaid=_UNSAID,
        constants=_CONSTANTS,
    ),
    "guide": Page(
        role="You are a guide.",
        goal=(_PAY, "You get what the learner's act pays; your own act only shows what you would do."),
        rules=(_TASK, _GUIDES),
        sees=(
            "At some places you see what each act would pay; at the others you do not know. You do not see the other "
            "guides.",
            When(
                "several",
                "The learner sees what you show at all places of the first trial, then less and less often, and never "
                "in the last one.",
                "The learner sees what you show.",
            ),
        ),
        acts={"{LETTER}": Case("task", {"sequence": "show this letter", "tsp": "show this city"})},
        ends=_ENDS,
        unsaid=_UNSAID,
        constants=_CONSTANTS,
    ),
}


class Generations(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    player_page = PAGES
    turns = "mixed"
    utility = "identical"
    masked = False
    kind = ("knowledge", "memory")
    verified = "episodes of the source's own code, replayed; closed forms; exhaustive tours"
    variants = (
        dict(task="tsp", guides=2, trials=3, cities=4),
        dict(guides=0, trials=2, types=2, length=5),
    )
    shown = "learner"

    def __init__(
        self,
        task: hidden_tasks.Task = "sequence",
        guides: Annotated[int, Between(0, 8)] = 3,
        trials: Annotated[int, Between(1, 1000)] = 4,
        types: Annotated[int, Between(2, hidden_tasks.MOST)] = 3,
        length: Annotated[int, Between(1, hidden_tasks.LONGEST)] = 24,
        cities: Annotated[int, Between(3, hidden_tasks.MOST)] = 6,
        skill: Annotated[float, Between(0, 1_000_000)] = 3.0,
    ):
        acts = types if task == "sequence" else cities
        hidden = hidden_tasks.HiddenTasks(task, types, length, cities)
        places = length if task == "sequence" else cities - 1
        self.turns = "mixed" if guides else "simultaneous"  # type: ignore[assignment]
        self.keys = {letter.lower(): letter for letter in hidden_tasks.LETTERS[:acts]}

        def count(low: int, high: int, dtype: type, size: int = 1) -> Box:
            return Box(low, high, (size,), dtype)

        self.define(
            agents=["learner", *(f"guide_{g}" for g in range(guides))],
            actions=list(hidden_tasks.LETTERS[:acts]),
            observation=Dict(
                task=count(hidden_tasks.SEQUENCE, hidden_tasks.TSP, np.int8),
                trial=count(0, trials, np.int16),
                left=count(0, trials, np.int16),
                place=count(0, (length if task == "sequence" else cities) - 1, np.int16),
                own=count(NONE, acts - 1, np.int8),
                ended=count(0, 1, np.int8),
                reward=Box(-1.0, 2.0, (1,), np.float64),
                visited=count(0, 1, np.int8, acts),
                visible=count(0, 1, np.int8),
                guides=count(NONE, acts - 1, np.int8, max(guides, 1)),
                worth=Box(-1.0, 2.0, (acts,), np.float64),
            ),
            fields=fields(hidden, acts, guides, trials, places),
            params={**hidden.values, "guides": fixed(guides), "skill": float(skill)},
            reward_range=(-1.0, 1.0 if task == "sequence" else 2.0),
        )

    def contradiction(self, s: Any) -> str | None:
        if s.trial >= len(s.totals) + s.terminated[0]:
            return "all trials are over"
        made = s.route != NONE
        return None if (made == (np.arange(len(made)) < s.place)).all() else "the acts do not go with the place"

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        hidden_tasks.read_task(s.level, level, int(s.params.task), int(s.params.types), self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return hidden_tasks.write_task(s.level, int(s.params.task))

    # Text.

    def page_slots(self, s: Any, agent: int) -> Mapping[str, Any]:
        guides = int(s.params.guides)
        return {
            "places": len(s.route),
            "names": listed(self.action_names[0]),
            "several": len(s.totals) > 1,
            "best": f"guide_{guides - 1}",
        }

    def text(self, s: Any, agent: int) -> str:
        seen = self.observation(s, agent)
        over = s.trial == len(s.totals)
        lines = []
        if s.trial:
            returns = ", ".join(f"{total:.4g}" for total in s.totals[: s.trial].tolist()[-12:])
            lines.append(f"Returns of the last trials: {returns}.")
        if s.own != NONE:
            ended = " and ended a trial" if s.ended else ""
            whose = "Your" if agent == 0 else "The learner's"
            lines.append(f"{whose} last act was {hidden_tasks.LETTERS[s.own]}; it paid {s.reward:.4g}{ended}.")
        if over:
            return "\n".join([*lines, "It is over."])
        made = " ".join(hidden_tasks.LETTERS[k] for k in s.route[: s.place].tolist())
        lines.append(f"Trial {s.trial + 1} of {len(s.totals)}. Acts in this trial: {made or 'none'}.")
        if (s.phase == GUIDES) == (agent == 0):
            return "\n".join([*lines, "The guides act." if agent == 0 else "The learner acts."])
        if seen.visible[0]:
            shown = ", ".join(f"guide_{g} {hidden_tasks.LETTERS[k]}" for g, k in enumerate(seen.guides.tolist()))
            lines.append(f"The guides would do: {shown}.")
        elif agent == 0 and s.params.guides:
            lines.append("You do not see the guides here.")
        elif agent and s.known[agent - 1]:
            worth = ", ".join(f"{hidden_tasks.LETTERS[k]} {value:.4g}" for k, value in enumerate(seen.worth.tolist()))
            lines.append(f"You know what each act pays here: {worth}.")
        elif agent:
            lines.append("You do not know what acts pay here.")
        return "\n".join(lines)

    # The picture: the task, the guides and the returns of the trials.

    def scene(self, s: Any, agent: int | None = None) -> Scene:
        trials = len(s.totals)
        over = s.trial == trials
        scene = Scene(20, 12.9)
        moment = "over" if over else f"trial {s.trial + 1} of {trials} · {('guides act', 'learner acts')[s.phase]}"
        scene.add(Label(0.6, 0.85, "Generations", 0.65, align="left", bold=True))
        scene.add(Label(19.4, 0.85, moment, 0.5, "muted", "right"))
        scene.add(Rect(0.5, 1.5, 11.6, 6.8, "panel", radius=0.25))
        if s.params.task == hidden_tasks.SEQUENCE:
            self._draw_sequence(scene, s, agent)
        else:
            self._draw_cities(scene, s, agent)
        self._draw_guides(scene, s, agent)
        best = float(len(s.route) + (s.params.task == hidden_tasks.TSP))
        played = s.totals[: s.trial + (s.place > 0)].tolist()
        plots.curves(scene, (0.5, 8.6, 19, 3.9), "return of each trial", [(played, "blue", "")], trials, (-1.0, best))
        return scene

    def _draw_sequence(self, scene: Scene, s: Any, agent: int | None) -> None:
        """The letters in rows: all for spectators, those of this trial for agents."""
        columns = max(6, ceil(sqrt(2.2 * len(s.route))))
        rows = ceil(len(s.route) / columns)
        size = min(1.3, 11 / columns, 5.4 / rows)
        left, top = 6.3 - columns * size / 2, 5.2 - rows * size / 2
        said = "the hidden sequence" if agent is None else "the learner's letters in this trial"
        scene.add(Label(0.8, 1.95, said, 0.38, "muted", "left"))
        for t, made in enumerate(s.route.tolist()):
            x, y = left + size * (t % columns), top + size * (t // columns)
            letter = made if agent is not None else int(s.level.sequence[t])
            reached, here = t < s.place, t == s.place and s.trial < len(s.totals)
            color = agent_color(letter) if reached else "white"
            scene.add(Rect(x + 0.05, y + 0.05, size - 0.1, size - 0.1, color, "gold" if here else "line", 0.07, 0.12))
            if letter != NONE:
                ink = text_on(color) if reached else "black"
                scene.add(
                    Label(x + size / 2, y + size / 2, hidden_tasks.LETTERS[letter], 0.55 * size, ink, bold=reached)
                )

    def _draw_cities(self, scene: Scene, s: Any, agent: int | None) -> None:
        """The way of this trial: on the map for spectators, on a circle for agents, which do not know the map."""
        count = len(s.level.points)
        at = s.level.points if agent is None else ring(1 - np.eye(count))
        places = [(3.8 + 5.0 * x, 2.7 + 5.0 * y) for x, y in at.tolist()]
        said = "the map" if agent is None else "the way; where cities lie is hidden"
        scene.add(Label(0.8, 1.95, said, 0.38, "muted", "left"))
        draw_tour(scene, places, [0, *s.route[: s.place].tolist()], hidden_tasks.LETTERS)

    def _draw_guides(self, scene: Scene, s: Any, agent: int | None) -> None:
        """A row for each guide: its number, its skill for spectators, and its act where it can be seen."""
        left, wide, guides = 12.4, 7.1, int(s.params.guides)
        scene.add(Rect(left, 1.5, wide, 6.8, "panel", radius=0.25))
        seen = bool(s.visible) and s.phase == LEARNER
        hidden = s.phase == GUIDES or agent not in (None, 0)
        state = "none" if not guides else "" if hidden else "seen by the learner" if seen else "not seen"
        scene.add(Label(left + 0.3, 1.95, "guides", 0.38, "muted", "left"))
        scene.add(Label(left + wide - 0.3, 1.95, state, 0.38, "muted", "right"))
        pace = min(1.2, 5.8 / max(guides, 1))
        for g in range(guides):
            y, color = 2.4 + pace * (g + 0.5), agent_color(g)
            edge = "gold" if agent == g + 1 else None
            scene.add(Circle(left + 0.7, y, 0.32 * min(1.0, pace), color, edge, 0.08))
            scene.add(Label(left + 0.7, y, str(g), 0.34 * min(1.0, pace), text_on(color), bold=True))
            if agent is None:
                scene.add(Rect(left + 1.4, y - 0.1, 2.6, 0.2, "line", radius=0.1))
                scene.add(Rect(left + 1.4, y - 0.1, max(0.1, 2.6 * float(s.skill[g])), 0.2, color, radius=0.1))
            knows = s.known[g] and agent in (None, g + 1)
            if knows:
                scene.add(Label(left + 4.9, y, "knows", 0.32, "muted"))
            act = int(s.shown[g]) if agent in (None, g + 1) or (agent == 0 and seen) else NONE
            size = min(0.8, 0.85 * pace)
            fill = agent_color(act) if act != NONE else "line"
            scene.add(Rect(left + wide - 1.3, y - size / 2, 0.9, size, fill, radius=0.15))
            glyph, ink = (hidden_tasks.LETTERS[act], text_on(fill)) if act != NONE else ("?", "ink")
            scene.add(Label(left + wide - 0.85, y, glyph, 0.6 * size, ink, bold=True))


env, raw_env, parallel_env = pettingzoo_forms(Generations)
