"""ScienceLab: elementary science in a house: heat, circuits, paints, plants and living things (after ScienceWorld).

**Rules.** A house has a hall, a kitchen, a laboratory, a workshop, a greenhouse and a garden. The scientist sees what
is in its room, unless it is in something closed. It can carry any number of things. Every command takes one step of
time. A task has three subgoals with 20, 30 and 50 points. They may be reached in any order; the third one ends the
episode.

| `tasks` | 20 points | 30 points | 50 points |
|---|---|---|---|
| `boil`, `melt`, `freeze` | focus on the substance | enough heat or cold around it | gas, liquid, solid; with focus |
| `measure` | the temperature of the gray powder | the powder liquid | focus on a box, as an answer |
| `power` | focus on a bulb, motor or buzzer | wires from it to the battery | it runs; with focus |
| `conduct` | wires from a thing to the battery | a ring with a bulb, motor or buzzer | it is in a box, as an answer |
| `mix` | two paints for it in one vessel | the paint is made | focus on it |
| `grow` | a seed in the flower pot, with soil | it has sprouted | it has fruit; with focus |
| `find` | focus on a thing of a sort | it is carried; with focus | it is in a box that the task names; with focus |

"With focus" means that the focus is on that thing at the same time. The sorts of `find` are living things, non-living
things, plants and animals. In `measure`, the red box means that the melting point is above a limit, and the blue box
that it is below. In `conduct`, the red box means that the thing conducts, and the blue box that it does not. Answers
are final. The episode also ends if the focus is on anything else than the table says, or if the thing of `conduct` is
in the other box.

*Heat.* In each step a substance moves by 1/8 of the difference to the temperature around it. That is 300 degrees
on the stove and 700 in the furnace while they are on, -20 in the freezer while it is closed, and 20 elsewhere. It is
liquid above its melting point and gaseous from its boiling point on. All substances start at 20 degrees. While the
sink is on and no water is anywhere else, water of 15 degrees runs into it.

| | water | orange juice | alcohol | chocolate | wax | tin | lead | gray powder |
|---|---|---|---|---|---|---|---|---|
| melts | 0 | -2 | -114 | 34 | 62 | 232 | 327 | 60 to 250, drawn |
| boils | 100 | 102 | 78 | 900 | 900 | 900 | 900 | 900 |

*Circuits.* The battery, bulb, motor, buzzer, switch and samples have two contacts, each for one wire. A wire's ends
can be connected to two things in the same place. Current flows in a ring with the battery if all in it conduct: a
switch does while it is on; nail, spoon and coin do; block, marble and ball do not. For the gray rod and the black
stone, it is drawn.

*Paints.* Red and yellow make orange, yellow and blue green, red and blue violet. Orange and blue, green and red, and
violet and yellow make brown. Both are used up. Nothing happens if there is some of what they make already.

*Plants.* While the flower pot has soil, is wet and stands in the greenhouse or the garden, a seed in it grows. It is a
sprout after 4 steps of growth, in bloom after 12, and has fruit after 16. Water keeps the pot wet for 10 steps.

**Agents.** One, `scientist`.

**Observation.** Dict. Rooms are, from 0 on: hall, kitchen, laboratory, workshop, greenhouse, garden. Things are
numbered in the order of the table below. A place is the number of the thing that something is in or on, 64 if it is
carried, or 66 plus the number of a room.

| part | space | content |
|---|---|---|
| room | Discrete (6) | the scientist's room |
| ways | Box (6,) int8 | 1 for each room next to it |
| places | Box (64,) int8 | the place of each thing that is seen, otherwise -1 |
| states | Box (64,) int32 | the states of each thing that is seen, a bit each |
| wires | Box (4, 2) int8 | the things at the ends of each wire that is seen, otherwise -1 |
| task | Discrete (9) | the task, in the order above |
| target | Discrete (61) | the thing of the task; for `find` 0 living, 1 non-living, 2 plant, 3 animal |
| box | Box (1,) int8 | the box of `find`, otherwise -1 |
| limit | Box (1,) int16 | the limit of `measure`, otherwise 0 |
| focus | Box (1,) int8 | the thing of the focus, -1 for none |
| reading | Box (2,) int16 | the last thing that was measured, -1 for none, and its temperature |
| done | Box (3,) int8 | 1 for each subgoal that was reached |

The bits of states are 1 open, 4 on, 256 liquid, 512 gaseous, 1024 wet, 2048 sprouted, 4096 in bloom, 8192 with fruit.

| things | numbers |
|---|---|
| stove, furnace, freezer, sink, counter, cupboard, lab bench, workbench, potting table, garden table | 0-9 |
| red box, blue box | 10, 11 |
| vessels: pan, beaker, jar, cup, bowl; the flower pot | 12-16, 17 |
| thermometer, paint chart | 18, 19 |
| red, blue, green and black wire | 20-23 |
| battery, bulb, motor, buzzer, switch | 24-28 |
| iron nail, silver spoon, copper coin, wooden block, glass marble, rubber ball, gray rod, black stone | 29-36 |
| animals: snail, frog, beetle; plants: fern, moss, cactus, bean, pea | 37-39, 40-44 |
| substances: water to gray powder as in the table of heat, soil | 45-52, 53 |
| paints: red, yellow, blue, orange, green, violet, brown | 54-60 |

**Actions.** Discrete (669), a command for each verb and all its things. Only commands about things that are seen are
legal.

| action | name | legal |
|---|---|---|
| 0-5 | `go to hall` ... | if the room is next to this one |
| 6, 7, 8 | `look`, `inventory`, `wait` | always |
| 9 | `read paint chart` | if it is seen |
| 10-11, 12-13 | `open freezer` ..., `close freezer` ... | if it is closed, open |
| 14-46 | `take pan` ... | if it is not carried, no wire is connected to it, and it has no roots |
| 47-244, 245-442 | `put pan in furnace` ..., `put pan on stove` ... | if it is carried and the other is not closed |
| 443-444 | `plant bean in flower pot` ... | if it is carried |
| 445-540 | `pour water into pan` ... | if it is not gaseous and not there; only water and soil into the flower pot |
| 541-545 | `mix pan` ... | if two substances are in it |
| 546-549, 550-553 | `turn on stove` ..., `turn off stove` ... | if it is off, on |
| 554-605 | `connect red wire to battery` ... | if both are free for it, and lie in one place |
| 606-609 | `disconnect red wire` ... | if it is connected; it loses both ends |
| 610-617 | `measure water` ... | with the thermometer in the hands |
| 618-668 | `focus on red box` ... | if the thing is seen |

A thing that is carried has no free contacts. A wire without connections may be anywhere in sight; it then lies where
the thing is.

**Window.** The picture lists the possible commands; a click on one gives it.

**Rewards.** The points of each subgoal, divided by 100.

**Ends.** Terminates with the third subgoal, and at a wrong answer. Truncated after `horizon` commands.

**Parameters.**

| name | default | meaning |
|---|---|---|
| `tasks` | all | the tasks that are drawn, any of those above |
| `difficulty` | 2 | from 1 to 3: how far things are scattered, and how many others there are |
| `horizon` | 100 | most commands, from 1 to 10,000 |

**Level.** ``{"task": "melt", "target": "wax", "start": "hall", "rooms": [["hall", "kitchen"], ["hall", "garden"]],
"things": {"pan": "counter", "wax": "pan", "red box": "hall"}}``. Furniture is always in its room. `box`, `limit`,
`melts` (of the powder) and `conducts` (of rod and stone) can be added. `envsuite generate experiments` makes levels,
with a train and a test split; `envsuite.games.science_lab.levels` describes them.

**Language agents.** Other wordings are understood, such as `pick up the pan` and `use thermometer on wax`.

**Known values.** A substance at temperature a in surroundings of temperature b has b + (a - b) (7/8)^n after n steps.
So water from the tap boils after 3 steps on the stove, wax melts after 2, and lead after 5 in the furnace. A guess in
`measure` or `conduct` earns 50 points half of the time. With `difficulty` 1, shortest plans have 3 commands for `find`,
5 for `power` and 10 for `conduct`.

**Differences.** From ScienceWorld:

- The house, its things, numbers and words are our own. Rooms have no doors, and few containers have lids.
- Left out: inclined planes, friction, life spans and life stages as questions, inheritance, pollination, renewable
  energy, chemistry other than paints. They would each need rules of their own.
- Only substances have temperatures; all change at the same rate, nothing burns, and they are always in vessels. There,
  everything has a temperature, each material conducts heat in its own way, and solids can be carried.
- The two contacts of a thing, and the two ends of a wire, are alike. There, each is named.
- Every command takes one step. There, to look around can take none, and `wait` takes ten.
- Subgoals are three for each task, and a wrong answer keeps the points. There, it scores -100.
- A command that is not possible is an error that changes nothing, as everywhere in this package.

**Source.** Wang, Jansen, Côté and Ammanabrolu, "ScienceWorld: Is your agent smarter than a 5th grader?", 2022;
allenai/ScienceWorld 1.2.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from envsuite.core.arrays import fill
from envsuite.core.kernel import kernel, large_kernel
from envsuite.core.ranges import flag, within
from envsuite.core.world import Horizon, Kernels, World
from envsuite.games.science_lab import levels, pages, rules, terms, view
from envsuite.games.science_lab.levels import make
from envsuite.games.science_lab.rules import act
from envsuite.games.science_lab.terms import TASKS
from envsuite.kit.things import MOST, ROOM, STATES, copy_things, look_around, seen_fields, tangled
from envsuite.kit.things import fields as thing_fields
from envsuite.registry import pettingzoo_forms


def fields(made: levels.Experiments) -> list[tuple]:
    """The record's own fields."""
    return [
        *made.fields,  # level: the start and the task; room for its draws
        *thing_fields(len(terms.ROOMS)),  # where the agent and all things are now
        *seen_fields(),
        ("heat", within(np.float64, terms.COLDEST, terms.HOTTEST), (terms.MELTABLE,)),  # the temperatures of substances
        # the things at the ends of wires, -1 for none
        ("ends", within(np.int8, -1, len(terms.THINGS) - 1), (terms.WIRES, 2)),
        ("wet", within(np.int64, 0, terms.WET_STEPS)),  # for how many steps the flower pot stays wet
        ("age", within(np.int64, 0, rules.GROWN), (terms.SEEDS,)),  # steps of growth of each seed
        ("focus", within(np.int64, -1, len(terms.THINGS) - 1)),  # the thing of the focus, -1 for none
        # thing measured, degrees
        ("reading", within(np.int64, [-1, terms.COLDEST], [len(terms.THINGS) - 1, terms.HOTTEST]), (2,)),
        ("done", flag(np.int64), (3,)),  # whether each subgoal was reached
        ("last", within(np.int64, -1, len(terms.TABLE) - 1)),  # the last command, -1 before the first one
        ("before", within(np.int64, 0, 100)),  # the points before it
        ("was", within(np.int32, -1, (1 << STATES) - 1), (MOST,)),  # states of things seen before it, else -1
    ]


@kernel
def reset(s):
    if not s.level_given:
        make(s)
    copy_things(s, s.level)
    for k in range(terms.MELTABLE):
        s.heat[k] = terms.AIR
        rules.set_phase(s, terms.FIRST_MELTABLE + k)
    for wire in range(terms.WIRES):
        s.ends[wire, 0] = -1
        s.ends[wire, 1] = -1
    s.wet = 0
    fill(s.age, 0)
    s.focus = -1
    s.reading[0] = -1
    s.reading[1] = 0
    for k in range(3):
        s.done[k] = 0
    s.last = -1
    s.before = 0
    fill(s.was, -1)
    see(s)


@large_kernel
def see(s):
    """Note what is in sight."""
    look_around(s, terms.TRAITS, ROOM + s.room)


@kernel
def step(s, actions, rewards):
    action = np.int64(actions[0])
    verb, one, other = (
        np.int64(terms.TABLE[action, 0]),
        np.int64(terms.TABLE[action, 1]),
        np.int64(terms.TABLE[action, 2]),
    )
    s.last = action
    s.before = rules.score(s)
    for thing in range(MOST):
        s.was[thing] = s.states[thing] if s.visible[thing] != 0 else -1
    act(s, verb, one, other)
    rules.pass_time(s)
    see(s)
    rules.update_subgoals(s)
    rewards[0] = (rules.score(s) - s.before) / 100.0
    if s.done[2] != 0 or rules.failed(s):
        s.terminated[0] = 1
    elif s.t >= s.params.horizon:
        s.truncated[0] = 1


@kernel
def observe(s, agent, out):
    out.room = s.room
    for room in range(len(terms.ROOMS)):
        out.ways[room] = 0
    for side in range(4):
        if s.exits[s.room, side] >= 0:
            out.ways[s.exits[s.room, side]] = 1
    for thing in range(MOST):
        seen = s.visible[thing] != 0
        out.places[thing] = s.places[thing] if seen else -1
        out.states[thing] = s.states[thing] if seen else 0
    for wire in range(terms.WIRES):
        for end in range(2):
            out.wires[wire, end] = s.ends[wire, end] if s.visible[terms.FIRST_WIRE + wire] != 0 else -1
    out.task = s.level.task
    out.target = s.level.target
    out.box[0] = s.level.box if s.level.task == terms.FIND else -1
    out.limit[0] = s.level.limit if s.level.task == terms.MEASURE else 0
    out.focus[0] = s.focus
    out.reading[0] = s.reading[0]
    out.reading[1] = s.reading[1]
    for k in range(3):
        out.done[k] = s.done[k]


@kernel
def legal(s, agent, mask):
    rules.allow(s, mask)


class ScienceLab(World):
    __doc__ = __doc__
    kernels = Kernels(reset, step, observe, legal)
    turns = "sequential"
    kind = ("text",)
    verified = "a second implementation in lock-step, closed forms of heat, networkx for circuits, exhaustive search"
    variants = (dict(tasks=("conduct", "grow"), difficulty=3), dict(tasks=("measure",), difficulty=1, horizon=40))
    shown = "scientist"
    cost = 2
    player_page = pages.PAGE
    page_slots = pages.page_slots
    text = view.text
    reply = view.reply
    scene = view.scene
    click = view.click

    def __init__(
        self,
        tasks: Sequence[levels.Task] = TASKS,  # type: ignore[assignment]
        difficulty: levels.Difficulty = 2,
        horizon: Annotated[int, Horizon(1, 10_000)] = 100,
    ):
        made, words = levels.Experiments(tasks, difficulty), terms.COMMANDS.words(terms.NAMES)
        self.tools = (words.tools,)
        self.synonyms = words.synonyms
        last = len(terms.THINGS) - 1
        self.define(
            agents=["scientist"],
            actions=words.names,
            observation=Dict(
                room=Discrete(len(terms.ROOMS)),
                ways=Box(0, 1, (len(terms.ROOMS),), np.int8),
                places=Box(-1, ROOM + len(terms.ROOMS) - 1, (MOST,), np.int8),
                states=Box(0, (1 << STATES) - 1, (MOST,), np.int32),
                wires=Box(-1, last, (terms.WIRES, 2), np.int8),
                task=Discrete(len(TASKS)),
                target=Discrete(len(terms.THINGS)),
                box=Box(-1, terms.BLUE_BOX, (1,), np.int8),
                limit=Box(0, terms.LIMIT_HIGH, (1,), np.int16),
                focus=Box(-1, last, (1,), np.int8),
                reading=Box(np.array([-1, terms.COLDEST]), np.array([last, terms.HOTTEST]), dtype=np.int16),
                done=Box(0, 1, (3,), np.int8),
            ),
            fields=fields(made),
            params={**made.values, "horizon": horizon},
            reward_range=(0.0, 1.0),
        )

    def contradiction(self, s: Any) -> str | None:
        for part in (s.level, s):
            if problem := tangled(part) or levels.misplaced(part):
                return problem
        ends = [int(end) for end in np.asarray(s.ends).ravel() if end >= 0]
        if any(not terms.TRAITS[end] & terms.CONTACTS for end in ends) or any(
            rules.contacts_used(s, end) > 2 for end in ends
        ):
            return "a wire is connected to what has no free contact"
        if 0 <= s.focus < terms.FURNITURE:
            return "the focus is on furniture"
        return levels.unfit(s.level)

    def set_level(self, s: Any, level: Mapping[str, Any]) -> None:
        levels.read_experiment(s.level, level, self.id)

    def get_level(self, s: Any) -> dict[str, Any]:
        return levels.write_experiment(s.level)


env, raw_env, parallel_env = pettingzoo_forms(ScienceLab)
